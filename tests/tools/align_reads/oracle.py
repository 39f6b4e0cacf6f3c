"""PaPaRa written down once more, from the paper's equation 1 and the rules in tools/align_reads/tree/ancestors.h and tools/align_reads/tree/tree.h, by
plain loops, with no code in common. compare.py compares align-reads with it."""
import itertools

INFINITE = 10**9
DNA = dict(A="A", C="C", G="G", T="T", U="T", R="AG", Y="CT", S="CG", W="AT", K="GT", M="AC",
           B="CGT", D="AGT", H="ACT", V="ACG", N="ACGT")
AMINO = "ACDEFGHIKLMNPQRSTVWY"
PROTEIN = {**{a: a for a in AMINO}, "B": "DN", "Z": "EQ", "J": "IL", "X": AMINO, "U": "C", "O": "K"}
GAPS = "-.?"


def states(letter, protein):
    return frozenset((PROTEIN if protein else DNA)[letter.upper()])


# --- Trees: a tip is its name, an inner node the list of its children ------------------------------------------------

def numbered(node, counter=None):
    """(number of the edge above, name or list of such children): EPA-ng, pplacer and RAxML count edges in post-order."""
    counter = itertools.count() if counter is None else counter
    below = node if isinstance(node, str) else [numbered(child, counter) for child in node]
    return next(counter), below


def without_only_children(node):
    number, below = node
    while not isinstance(below, str) and len(below) == 1:
        below = below[0][1]
    return number, below if isinstance(below, str) else [without_only_children(child) for child in below]


def unrooted(tree):
    """neighbours {node: [..]} where inner nodes have three, tips {node: name}, edges {number: (node, node)}."""
    tree = without_only_children(numbered(tree))[1]
    neighbours, tips, edges, counter = {}, {}, {}, itertools.count()

    def join(x, y):
        neighbours[x].append(y)
        neighbours[y].append(x)

    def new():
        me = next(counter)
        neighbours[me] = []
        return me

    def children(me, node):
        """Hung on `me`, which may have its parent already; with more than three neighbours, on a chain."""
        for at, (number, child) in enumerate(node):
            if len(neighbours[me]) == 2 and at + 1 < len(node):
                link = new()
                join(me, link)
                me = link
            lower = new()
            join(me, lower)
            edges[number] = me, lower
            begin(lower, child)

    def begin(me, node):
        if isinstance(node, str):
            tips[me] = node
        else:
            children(me, node)

    if len(tree) == 2:  # the root goes; its two edges are one with the first one's number
        left, right = new(), new()
        join(left, right)
        edges[tree[0][0]] = left, right
        begin(left, tree[0][1])
        begin(right, tree[1][1])
    else:
        begin(new(), tree)
    return neighbours, tips, edges


# --- Ancestral vectors: a site is (set of states, signal) ------------------------------------------------------------

NONE, OPEN, GAPPED = "none", "gapped and open", "gapped"


def joined(x, y, by_tip):
    common = x[0] & y[0]
    gapped = [signal == GAPPED or (by_tip and signal == OPEN) for signal in (x[1], y[1])]
    return common or x[0] | y[0], {0: NONE, 1: OPEN, 2: GAPPED}[sum(gapped)]


def ancestors(tree, rows, protein):
    """{number of edge: [sites] of (states, is it CGAP)}."""
    neighbours, tips, edges = unrooted(tree)
    everything = frozenset(AMINO if protein else "ACGT")
    seen = {}

    def join_vectors(one, other):
        by_tip = one[0] in tips or other[0] in tips
        return [joined(x, y, by_tip) for x, y in zip(toward(*one), toward(*other))]

    def toward(node, viewer):
        if (node, viewer) not in seen:
            if node in tips:
                seen[node, viewer] = [(everything, GAPPED) if letter in GAPS else (states(letter, protein), NONE)
                                      for letter in rows[tips[node]]]
            else:
                one, other = [n for n in neighbours[node] if n != viewer]
                seen[node, viewer] = join_vectors((one, node), (other, node))
        return seen[node, viewer]

    return {e: [(s, signal == GAPPED) for s, signal in join_vectors((u, v), (v, u))] for e, (u, v) in edges.items()}


# --- Equation 1 ------------------------------------------------------------------------------------------------------

def cost(vector, read, penalties, columns=None):
    """Of the best alignment; with columns [letters] (from 1; None: inserted) of the best that has them."""
    mismatch, insertion, gap_open, gap_extend, cgap = penalties
    n, m = len(vector), len(read)
    above = {i: 0 for i in range(n - m + 1)}
    for j in range(1, m + 1):
        row, skipping = {}, INFINITE
        for i in range(j, j + n - m + 1):
            site, is_gap = vector[i - 1]
            match = above.get(i - 1, INFINITE) + (0 if site & read[j - 1] else mismatch) + (cgap if is_gap else 0)
            insert = above.get(i, INFINITE) + insertion
            if columns is not None:
                match = match if columns[j - 1] == i else INFINITE
                insert = insert if columns[j - 1] is None else INFINITE
            skipping = min(row.get(i - 1, INFINITE) + (0 if is_gap else gap_open),
                           skipping + (0 if is_gap else gap_extend))
            row[i] = min(match, skipping, insert)
        above = row
    return min(above.values())
