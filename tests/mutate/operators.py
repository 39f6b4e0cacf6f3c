"""The mistakes that mutants have: one entry of OPERATORS is one kind.

An operator is a function of a Code. It yields its edits, (begin, end, text): what stands between these offsets of the source becomes
`text`. To add an operator, write such a function, or use one of the helpers, and add its entry.
"""
import bisect
import re

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>(?<![^\n])[ \t]*#(?:\\\n|[^\n])*)|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<<|>>>|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\w\s])", re.S)
PAIRS = {"(": ")", "[": "]", "{": "}"}
# What a check does not ask: how fast a stage is, which inputs it refuses, and what an error says.
NOT_CHECKED = re.compile(r"(_|^)(cost|cells|faster|share|supports|refuses|fits)(_|$)|^static_assert$|^__launch_bounds__$|^wl_fail$")


class Code:
    """The tokens of a source file; `partner` is the other end of each bracket, and `checked` says whether a check looks at a token."""

    def __init__(self, source):
        self.source = source
        found = [m for m in TOKEN.finditer(source) if m.lastgroup not in ("comment", "directive")]
        self.tokens = [m.group() for m in found]
        self.kinds = [m.lastgroup for m in found]
        self.begins = [m.start() for m in found]
        self.ends = [m.end() for m in found]
        self.partner, self.checked, self.in_function = {}, [True] * len(found), [False] * len(found)
        stack = []
        for i, token in enumerate(self.tokens):
            if token in PAIRS:
                stack.append(i)
            elif stack and token == PAIRS[self.tokens[stack[-1]]]:
                self.partner[stack[-1]] = i
                self.partner[i] = stack.pop()
        for i, token in enumerate(self.tokens):
            if token == "{" and i > 0 and self.tokens[i - 1] == ")" and i in self.partner and not self.in_function[i]:
                self.in_function[i:self.partner[i]] = [True] * (self.partner[i] - i)
                name = self.partner.get(i - 1, 1) - 1
                if NOT_CHECKED.search(self.tokens[name]):
                    self.checked[i:self.partner[i]] = [False] * (self.partner[i] - i)
            elif token == "(" and i in self.partner and NOT_CHECKED.search(self.tokens[i - 1]):
                self.checked[i:self.partner[i]] = [False] * (self.partner[i] - i)

    def __len__(self):
        return len(self.tokens)

    def at(self, i):
        return self.tokens[i] if 0 <= i < len(self.tokens) else ""

    def spaced(self, i):
        """Whether token i is an operator between two operands: the layout says it."""
        return self.source[self.begins[i] - 1].isspace() and self.source[self.ends[i]].isspace()

    def edit(self, first, last, text):
        return self.begins[first], self.ends[last], text

    def statement_end(self, i):
        """The ; that ends the statement of token i."""
        while i < len(self) and self.tokens[i] != ";":
            i = self.partner.get(i, i) + 1 if self.tokens[i] in PAIRS else i + 1
        return i

    def begins_statement(self, i):
        return self.in_function[i] and (self.at(i - 1) in ("{", "}", ";", "else") or
                                        self.at(i - 1) == ")" and self.at(self.partner.get(i - 1, 0) - 1) in ("if", "for", "while"))

    def conditions(self):
        """(first, last) of what stands in the parentheses of `if` and `while`, and in the middle of a `for`."""
        for i, token in enumerate(self.tokens):
            if token in ("if", "while") and self.at(i + 1) == "(" and i + 1 in self.partner:
                yield i + 2, self.partner[i + 1] - 1
            elif token == "for" and self.at(i + 1) == "(" and i + 1 in self.partner:
                first = self.statement_end(i + 2) + 1
                last = self.statement_end(first) - 1
                if first <= last < self.partner[i + 1]:
                    yield first, last

    def indices(self):
        """(first, last) of what stands in square brackets after a name."""
        for i, token in enumerate(self.tokens):
            if token == "[" and i in self.partner and self.in_function[i] and self.partner[i] > i + 1:
                yield i + 1, self.partner[i] - 1

    def operand_end(self, i, last):
        """The last token of the term that begins at i, up to the next + or - of the same depth."""
        while i < last and self.at(i + 1) not in ("+", "-", ",", "?", ":", "<", ">"):
            i = self.partner.get(i + 1, i + 1) if self.at(i + 1) in PAIRS else i + 1
        return i


def swapped(*pairs):
    """Each of two tokens for the other, between operands."""
    other = {a: b for pair in pairs for a, b in (pair, pair[::-1])}

    def edits(code):
        for i, token in enumerate(code.tokens):
            if token in other and code.spaced(i):
                yield code.edit(i, i, other[token])
    return edits


def replaced(table):
    """A name for other names."""
    def edits(code):
        for i, token in enumerate(code.tokens):
            for other in table.get(token, ()):
                if other != "short" or code.at(i - 2) != "for":  # a loop's variable is bounded by what it is compared with
                    yield code.edit(i, i, other)
    return edits


def dropped_calls(pattern):
    """A call that is a statement of its own."""
    names = re.compile(pattern)

    def edits(code):
        for i, token in enumerate(code.tokens):
            if code.kinds[i] != "name" or not names.fullmatch(token) or code.at(i + 1) != "(" or not code.in_function[i]:
                continue
            end = code.partner.get(i + 1, i)
            if code.at(end + 1) == ";" and code.begins_statement(i):
                yield code.edit(i, end, "(void)0")
            elif code.at(i - 1) == "(" and code.at(i - 2) in ("WL_CUDA", "WL_TRY") and code.at(end + 1) == ")":
                yield code.edit(i, end, "cudaSuccess" if code.at(i - 2) == "WL_CUDA" else "WL_OK")
    return edits


def constants(code):
    for i, kind in enumerate(code.kinds):
        number = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", code.tokens[i]) if kind == "number" else None
        if number is None:
            continue
        value = int(number[1], 0) if number[1][:2] in ("0x", "0X") else int(number[1])
        for other in (value + 1, value - 1):
            if other >= 0:
                yield code.edit(i, i, (hex(other) if "x" in number[1].lower() else str(other)) + number[2])


def index_terms(code):
    for first, last in code.indices():
        names = [i for i in range(first, last + 1) if code.kinds[i] == "name" and code.at(i + 1) != "(" and code.at(i - 1) not in (".", "->")]
        for i in range(first, last + 1):
            if code.tokens[i] in ("+", "-") and code.spaced(i):
                yield code.edit(i, code.operand_end(i + 1, last), "")  # the second term dropped
                start = i - 1
                while start > first and code.at(start - 1) not in ("+", "-", "[", "(", ","):
                    start = code.partner.get(start - 1, start - 1)
                yield code.edit(max(start, first), i, "")  # the first term dropped
        for a, b in zip(names, names[1:]):
            if code.tokens[a] != code.tokens[b]:
                between = code.source[code.ends[a]:code.begins[b]]
                yield code.begins[a], code.ends[b], code.tokens[b] + between + code.tokens[a]
    for i, token in enumerate(code.tokens):
        if token in ("x", "y") and code.at(i - 1) == "." and code.at(i - 2) in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
            yield code.edit(i, i, "y" if token == "x" else "x")


def negated(code):
    for first, last in code.conditions():
        yield code.begins[first], code.ends[last], "!(" + code.source[code.begins[first]:code.ends[last]] + ")"


ASSIGNMENTS = ("=", "+=", "-=", "*=", "|=", "&=", "^=", "<<=", ">>=", "/=", "%=")


def dropped_stores(code):
    for i in range(len(code)):
        if not code.begins_statement(i) or code.tokens[i] in ("return", "for", "if", "while", "else", "}", "{", "const", "static"):
            continue
        end, k = code.statement_end(i), i
        while k < end and code.tokens[k] not in ASSIGNMENTS:
            k = code.partner.get(k, k) + 1 if code.tokens[k] in PAIRS else k + 1
        if k >= end:
            continue
        declares = any(code.kinds[j] == "name" and code.kinds[j + 1] == "name" for j in range(i, k))
        if not declares and "*" not in code.tokens[i + 1:k]:
            yield code.edit(i, end - 1, "")
    for i, token in enumerate(code.tokens):  # `int sum = 0` and `sum[4] = {}` without what follows
        if token == "=" and code.in_function[i] and code.at(i + 1) in ("0", "{") and code.at(i + 2) in (";", ",", "}"):
            last = code.partner.get(i + 1, i + 1)
            yield code.edit(i, last, "")


def masks(code):
    for i, token in enumerate(code.tokens):
        if code.kinds[i] == "name" and token.endswith("_sync") and code.at(i + 1) == "(" and code.in_function[i]:
            k = i + 2
            while code.at(k) not in (",", ")"):
                k = code.partner.get(k, k) + 1 if code.tokens[k] in PAIRS else k + 1
            for mask in ("0x7fffffffu", "0xfffffffeu", "0x0000ffffu", "__activemask()"):
                yield code.edit(i + 2, k - 1, mask)


def bounds(code):
    """The last row, column or block is left out, or one more is done."""
    for first, last in code.conditions():
        for i in range(first, last + 1):
            if code.tokens[i] in ("<", ">=", "<=", ">") and code.spaced(i):
                end = i + 1
                while end < last and code.at(end + 1) not in ("&&", "||", ")", "?"):
                    end = code.partner.get(end + 1, end + 1) if code.at(end + 1) in PAIRS else end + 1
                for other in (" - 1", " + 1"):
                    yield code.ends[end], code.ends[end], other
    for i, token in enumerate(code.tokens):
        if token == "<<<":
            k = i + 1
            while code.at(k) not in (",", ">>>", ""):
                k = code.partner.get(k, k) + 1 if code.tokens[k] in PAIRS else k + 1
            text = code.source[code.begins[i + 1]:code.ends[k - 1]]
            yield code.edit(i + 1, k - 1, "[](dim3 all) { all.x -= all.x > 1; return all; }(" + text + ")")


OTHER_STREAM = "[] { cudaStream_t made; cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking); return made; }()"


def streams(code):
    """Waits and clears dropped; a launch in a stream that nothing waits for."""
    yield from dropped_calls(r"cuda\w*Synchronize|cudaStreamWaitEvent|cudaEventRecord|cudaMemset(Async)?")(code)
    for i, token in enumerate(code.tokens):
        if token == "<<<" and ">>>" in code.tokens[i:i + 80]:
            end, commas, k = code.tokens.index(">>>", i), 0, i
            while k < end:
                commas += code.tokens[k] == ","
                k = code.partner[k] if code.tokens[k] in PAIRS else k + 1
            if commas in (1, 2):
                yield code.ends[end - 1], code.ends[end - 1], (", 0" if commas == 1 else "") + ", " + OTHER_STREAM


OPERATORS = {
    "barrier dropped": dropped_calls(r"__syncthreads|__threadfence\w*|\w*(barrier|fence|arrive|expect|commit|wait)\w*|sync"),
    "syncwarp dropped": dropped_calls(r"__syncwarp"),
    "bound strictness": swapped(("<", "<="), (">", ">=")),
    "equality": swapped(("==", "!=")),
    "plus and minus": swapped(("+", "-"), ("+=", "-=")),
    "and and or": swapped(("&&", "||"), ("&", "|")),
    "shifts and products": swapped(("<<", ">>"), ("*", "+"), ("%", "/")),
    "constant": constants,
    "index terms": index_terms,
    "type": replaced({"int": ("unsigned", "short"), "size_t": ("int",), "uint32_t": ("int32_t", "uint16_t"), "uint64_t": ("uint32_t",),
                      "unsigned": ("int", "unsigned short"), "int64_t": ("int",), "uint16_t": ("uint8_t", "int16_t"), "long": ("int",),
                      "uint8_t": ("int8_t",), "double": ("float",), "int16_t": ("int8_t",)}),
    "condition negated": negated,
    "store dropped": dropped_stores,
    "mask": masks,
    "bound": bounds,
    "stream": streams,
    "function": replaced({"min": ("max",), "max": ("min",), "atomicAdd": ("atomicAdd_block", "atomicSub"), "atomicMax": ("atomicMax_block", "atomicMin"),
                          "__shfl_up_sync": ("__shfl_down_sync",), "__shfl_down_sync": ("__shfl_up_sync",), "__any_sync": ("__all_sync",),
                          "__all_sync": ("__any_sync",), "fmax": ("fmin",), "fmaxf": ("fminf",), "fma": ("fdim",)}),
}


def mutants(source, operator, only_functions):
    """The edits of an operator that a check should see, in the order of the file. What a header declares, other files know, too."""
    code = Code(source)
    edits = []
    for begin, end, text in OPERATORS[operator](code):
        token = min(bisect.bisect_left(code.ends, begin + 1), len(code) - 1)
        if code.checked[token] and (code.in_function[token] or not only_functions):
            edits.append((begin, end, text))
    return edits


def apply(source, edit):
    begin, end, text = edit
    removed = source[begin:end]
    return source[:begin] + text + "\n" * (removed.count("\n") - text.count("\n")) + source[end:]
