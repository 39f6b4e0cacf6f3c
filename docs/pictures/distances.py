"""The pictures of the distances stages."""
from draw import MARGIN


def bits(p, words, values, fill, x=104, cell=24):
    p.text(MARGIN, p.y + 8, words)
    p.cells(x, p.y, cell, 16, values, fill)
    p.y += 18


LETTERS = "ACGT"


def planes_of(sequence):
    """Planes 0 and 1 of nucleotides, and which are present: [plane][site]."""
    codes = [LETTERS.find(letter) for letter in sequence]
    return [[max(code, 0) >> p & 1 for code in codes] for p in range(2)] + [[int(code >= 0) for code in codes]]


A, B = "ACNTG", "AGC-G"


def differences(p, of, count):
    a, b = planes_of(A), planes_of(B)
    for name, planes, fill, sequence in (("a", a, "a", A), ("b", b, "b", B)):
        bits(p, f"values of {name}", list(sequence), "e")
        for plane in range(2):
            bits(p, f"plane {plane}", planes[plane], fill)
        bits(p, "present", planes[2], "n")
        p.y += 4
    both = [x & y for x, y in zip(a[2], b[2])]
    differ = [(a[0][k] ^ b[0][k]) | (a[1][k] ^ b[1][k]) for k in range(len(A))]
    bits(p, "XOR, OR", differ, "n")
    bits(p, "both present", both, "c")
    p.text(104 + 24 * len(A) + 10, p.y - 10, f"{count}: {sum(both)} compared")
    found = [x & y for x, y in zip(differ, both)]
    bits(p, "AND of the two", found, "c")
    p.text(104 + 24 * len(A) + 10, p.y - 10, f"{count}: {sum(found)} differs")
    p.y += 4


def stage_01_bit_planes(p):
    """A further plane says which values are present; the kernel counts the compared sites and those that differ"""
    p.head("Lesson 09: planes, one count per pair")
    p.cells(MARGIN, p.y, 84, 18, ["plane 0", "plane 1", "differ", "count"], "aanc")
    p.y += 26
    p.head("01_bit_planes: a plane more, two counts")
    differences(p, "word", "__popc")
    p.note("Five of a word's 32 sites. N and - are missing. A thread has 4 x 4 pairs, so a word that it reads serves four.")


def stage_02_tensor_cores(p):
    """Rows and columns are unfolded into different features, whose product counts the sites that differ"""
    p.head("01_bit_planes: logic and counts for each pair")
    p.cells(MARGIN, p.y, 84, 18, ["j ^ i", "& present", "popc", "popc"], "nncc", mono=True)
    p.y += 26
    p.head("02_tensor_cores: two products of bit matrices")
    values = list(LETTERS) + ["-"]
    for k, (words, fill, bit) in enumerate((("row j: is f", "b", lambda f, v: v == f), ("column i: not f", "a", lambda f, v: v != f and v != "-"))):
        p.text(MARGIN, p.y + 8, words)
        p.cells(104, p.y, 40, 16, values, "e")
        p.y += 17
        for f in LETTERS:
            p.text(60, p.y + 8, f"f = {f}")
            for c, value in enumerate(values):
                p.box(104 + 40 * c, p.y, 40, 16, fill if bit(f, value) else "e", int(bit(f, value)))
            p.y += 16
        p.y += 6
    p.note("A value of row j and one of column i share a 1 exactly if both are present and differ. So the product counts the sites that differ.")
    p.cells(MARGIN, p.y, 112, 18, ["1 bit: compared", "4 bits: differ"], "nc")
    p.brace(MARGIN, MARGIN + 224, p.y + 21, "5 bits per site")
    p.y += 44
    p.note("compared is a product of its own, and comes first: present x present.")


def stage_03_one_pass(p):
    """Compared minus equal sites: one sum of products gives both results, in one pass"""
    p.head("02_tensor_cores: the tile runs twice")
    p.times([("multiply", [(0, 1, "n", "1 bit"), (2, 6, "c", "4 bits: differ")]), ("write", [(1, 2, "d", "comp."), (6, 7, "d", "dist.")])], 7.4, arrow=False)
    p.head("03_one_pass: the same features on both sides")
    values = list(LETTERS) + ["-"]
    p.text(MARGIN, p.y + 8, "value")
    p.cells(84, p.y, 40, 16, values, "e")
    p.y += 17
    for words, fill, bit in [("present", "b", lambda v: v != "-")] + [(f"is {f}", "a", lambda v, f=f: v == f) for f in LETTERS]:
        p.text(MARGIN, p.y + 8, words)
        for c, value in enumerate(values):
            p.box(84 + 40 * c, p.y, 40, 16, fill if bit(value) else "e", int(bit(value)))
        p.y += 16
    p.y += 6
    p.times([("multiply", [(0, 1.2, "b", "present"), (1.2, 5.2, "a", "is A, C, G, T"), (5.2, 6.4, "b", "next")]),
             ("sum", [(0, 1.2, "n", "comp."), (1.2, 5.2, "n", "equal - compared")]),
             ("write", [(1.2, 5, "d", "compared"), (5.2, 7.4, "d", "distances")])], 7.4)
    p.note("After the present values the sign of the sum is changed. The equal sites are added to it, which leaves minus the distance.")


def cpu_simd(p):
    """A plane of present values masks the differences, 512 sites per instruction"""
    p.head("Serial code: one site of one pair at a time")
    p.cells(MARGIN, p.y, 84, 18, ["a[k], b[k]", "both there?", "a[k] != b[k]?", "add"], "nnnn", 9.5)
    p.y += 26
    p.head("cpu_simd: 512 sites of a pair at a time")
    differences(p, "vector", "count")
    p.cells(MARGIN, p.y, 42, 18, ["XOR", "XOR OR", "AND", "AND", "count", "count", "add", "add"], "nnccccnn", 9)
    p.y += 24
    p.note("P + 6 = 8 vector instructions for 512 sites of two planes.")
