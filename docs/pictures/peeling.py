"""The pictures of the peeling stages. F are a node's partials, P a branch's matrix, s and j states, c a pattern, r a rate class."""
from draw import MARGIN, SIZE, WARP

FLOAT, STATES, PADDED = 4, 61, 64


def tree(p, x, y, leaves, joins, fills, cell=34, high=30, size=20, words=None):
    """A binary tree. leaves: their numbers from left to right; joins: (node, left, right) from below. Returns the place of each node."""
    place = {leaf: (x + cell * k, 0) for k, leaf in enumerate(leaves)}
    for node, left, right in joins:
        place[node] = ((place[left][0] + place[right][0]) / 2, 1 + max(place[left][1], place[right][1]))
    top = max(level for _, level in place.values())
    at = {node: (a, y + high * (top - level)) for node, (a, level) in place.items()}
    for node, left, right in joins:
        for child in (left, right):
            p.line((at[node][0], at[node][1] + size / 2), (at[child][0], at[child][1] + size / 2))
    for node, (a, b) in at.items():
        p.box(a - size / 2, b, size, size, fills.get(node, "n"), (words or {}).get(node, node), 10)
    return at, y + high * top + size


LEAVES, JOINS = ["t0", "t1", "t2", "t3", "t4", "t5"], [("1", "t0", "t1"), ("2", "t2", "t3"), ("3", "1", "2"), ("4", "t4", "t5"), ("5", "3", "4")]


def stage_01_naive(p):
    """A thread computes one entry; the 32 threads of a warp read 32 rows of the matrix"""
    p.head("Serial code: entry after entry")
    p.cells(MARGIN, p.y, 48, 18, ["s = 0", "s = 1", "s = 2", "..."], "n")
    p.y += 26
    p.head("01_naive: thread t has the entry s = t % 61")
    p.cells(MARGIN, p.y, 56, 18, ["s = 0", "s = 1", "...", "s = 60", "s = 0", "s = 1"], "cccccc")
    p.brace(MARGIN, MARGIN + 222, p.y + 21, "pattern 0 of rate class 0")
    p.brace(MARGIN + 226, MARGIN + 336, p.y + 21, "pattern 1")
    p.y += 44
    p.note("An entry is (row s of P1) . (F1[r][c]) times (row s of P2) . (F2[r][c]). In step j a warp loads P1[s * 61 + j]:")
    p.sectors([(FLOAT * (s * STATES + 1), FLOAT, "a") for s in range(WARP)])
    p.note("and F1[j], the same address for all threads of a pattern:")
    p.sectors([(FLOAT, FLOAT, "b")])


def stage_02_coalesced(p):
    """The matrix is stored transposed, so that a warp's 32 numbers of one column lie side by side"""
    p.head("01_naive: P[s * 61 + j], a row per state")
    p.sectors([(FLOAT * (s * STATES + 1), FLOAT, "a") for s in range(WARP)])
    p.head("02_coalesced: P[j * 64 + s], a row per j")
    for j in range(2):
        p.text(MARGIN, p.y + 9, f"j = {j}")
        p.box(50, p.y, 32 * 4, 18, "a" if j == 1 else "n", "s = 0 - 31")
        p.box(50 + 128, p.y, 29 * 4, 18, "n", "s = 32 - 60")
        p.box(50 + 244, p.y, 12 * 2, 18, "d", "0 0")
        p.y += 20
    p.y += 4
    p.sectors([(FLOAT * (PADDED + s), FLOAT, "a") for s in range(WARP)])
    p.key(("a", "one warp's load, j = 1"), ("d", "padding: states 61 to 63"))
    p.note("With 64 states per pattern no warp has parts of two patterns, so F1[j] is one sector for the whole warp.")


def stage_03_shared(p):
    """A block loads a piece of the matrix once, and uses it for all of its patterns"""
    p.head("02_coalesced: each thread loads all P and F")
    p.cells(MARGIN, p.y, 84, 18, ["P1: 64", "F1: 64", "P2: 64", "F2: 64"], "d")
    p.y += 26
    p.head("03_shared: 8 patterns x 64 states per block")
    x, y, cell = 78, p.y + 18, 30
    p.text(x + 120, y - 9, "states s of P[0], shared memory", anchor="middle", ink="soft")
    for row in range(4):
        p.text(x - 6, y + 15 * row + 7, f"j = {row}" if row < 3 else "... 7", anchor="end")
        p.cells(x, y + 15 * row, cell, 15, [""] * 8, "aabaaaaa")
    y += 82
    p.text(x + 120, y - 9, "threads (s, k), F of pattern k", anchor="middle", ink="soft")
    for row in range(4):
        p.text(x - 6, y + 15 * row + 7, f"pattern {row}" if row < 3 else "... 7", anchor="end")
        p.cells(x, y + 15 * row, cell, 15, [""] * 8, "ddcddddd" if row == 1 else "nncnnnnn")
    p.y = y + 66
    p.key(("b", "a column's numbers"), ("c", "use them in every pattern"), ("d", "one pattern's F[0][k]"))
    p.note("Thread (s, k) loads one number of P per chunk of 8 j. All 8 patterns use it, after a barrier. F of the 8 patterns is loaded once.")
    p.bars([("loads per thread, 02", 256, "d"), ("here", 18, "c")], "")


def stage_04_rescaled(p):
    """The largest entry is found by shuffles while the entries are in registers"""
    p.head("03_shared: two kernels")
    p.cells(MARGIN, p.y, 84, 18, ["join", "store F", "load F twice", "store F"], "cddd")
    p.y += 26
    p.head("04_rescaled: one kernel")
    p.cells(MARGIN, p.y, 84, 18, ["join", "maximum", "scale", "store F"], "cccd")
    p.y += 26
    numbers, width = [3, 9, 1, 4, 7, 2, 8, 5], 42
    values = list(numbers)
    y = p.y
    for lane, value in enumerate(values):
        p.box(MARGIN + width * lane, y, width - 6, 16, "a", value)
    for step in (4, 2, 1):
        for lane in range(8):
            x, other = MARGIN + width * lane + 18, MARGIN + width * (lane ^ step) + 18
            p.line((x, y + 17), (other, y + 33))
            p.line((x, y + 17), (x, y + 33))
        y += 34
        values = [max(values[lane], values[lane ^ step]) for lane in range(8)]
        for lane, value in enumerate(values):
            p.box(MARGIN + width * lane, y, width - 6, 16, "c" if value == max(numbers) else "a", value)
    p.y = y + 22
    p.note("Eight of 32 lanes. In steps 16, 8, 4, 2, 1 a lane takes the larger of its number and that of lane ^ step. Then all lanes know the maximum, without memory.")
    p.note("Codons have two warps per pattern: each writes its maximum to shared memory, and after a barrier both read both.")


def stage_05_registers(p):
    """A thread has a tile of 8 states by 4 patterns: 12 loads serve 32 multiplications"""
    p.head("04_rescaled: two loads for one multiplication")
    p.cells(MARGIN, p.y, 60, 18, ["P", "F", "P x F"], "abc")
    p.y += 26
    p.head("05_registers: 8 + 4 loads, 8 x 4 multiplications")
    x, y, w, h = 150, p.y + 22, 40, 13
    for c in range(4):
        p.box(x + w * c, y - 20, w, 15, "b", f"c + {c}" if c else "c")
    for s in range(8):
        p.box(x - 58, y + h * s, 52, h, "a", f"s + {s}" if s else "s", 9.5)
        for c in range(4):
            p.box(x + w * c, y + h * s, w, h, "c")
    p.text(x - 64, y + 52, "P, for one j", anchor="end")
    p.text(x + 4 * w + 6, y - 12, "F")
    p.y = y + 8 * h + 6
    p.note("A block's tile is 64 states x 64 patterns: 8 threads along the states, 16 along the patterns. The sums stay in registers for all j.")
    p.text(MARGIN, p.y + 6, "A tip with state s needs no product", SIZE - 1, bold=True)
    p.y += 16
    for k in range(6):
        p.cells(MARGIN + 20 * k, p.y, 20, 15, [""], "c" if k == 2 else "n")
        p.cells(MARGIN + 20 * k, p.y + 15, 20, 15, [""], "c" if k == 2 else "n")
    p.text(MARGIN + 126, p.y + 15, "x (0 0 1 0 0 0) = column 2 of P")
    p.y += 40


def stage_06_levels(p):
    """All joins of a level start in one launch"""
    level = {"1": 1, "2": 1, "4": 1, "3": 2, "5": 3}
    fill = {1: "a", 2: "b", 3: "c"}
    p.head("05_registers: a launch per join")
    p.times([("joins", [(k, k + 0.9, fill[level[name]], name) for k, name in enumerate("12345")])], 5, arrow=False)
    p.head("06_levels: a launch per level")
    at, bottom = tree(p, 84, p.y, LEAVES, JOINS, {name: fill[level[name]] for name in level}, cell=38)
    for name, label in (("5", "level 3"), ("3", "level 2"), ("1", "level 1"), ("t0", "tips")):
        p.text(MARGIN, at[name][1] + 10, label)
    p.y = bottom + 8
    p.times([("launch 1", [(0, 1, "a", "1"), (1, 2, "a", "2"), (2, 3, "a", "4")]), ("launch 2", [(0, 1, "b", "3")]), ("launch 3", [(0, 1, "c", "5")])], 5,
            arrow=False)
    p.note("The blocks of one launch: joins of the level, and of each join its tiles of patterns and its rate classes. A join's level is one above the higher of its children's.")
    p.bars([("launches, 62 taxa, 05", 61, "d"), ("here", 13, "c")], "")


def stage_07_tensor(p):
    """A warp multiplies a band of 16 states by 32 patterns on the tensor cores"""
    p.head("06_levels: 8 x 4 sums per thread")
    p.cells(MARGIN, p.y, 60, 18, ["load P", "load F", "32 fma"], "abc")
    p.y += 26
    p.head("07_tensor: 16 states x 32 patterns per warp")
    x, y = 150, p.y + 50
    p.box(x, y - 46, 128, 42, "b", "F: 8 j x 32 patterns")
    p.box(MARGIN, y, 136, 44, "a", "P: 16 states x 8 j")
    for n in range(4):
        p.box(x + 32 * n, y, 32, 44, "c", "16x8")
    p.y = y + 52
    p.note("One mma instruction (m16n8k8) adds to 16 x 8 sums. Lane l has, of its numbers:")
    for words, fill, text in (("P", "a", "states l/4 and l/4 + 8, two of the j each"), ("F", "b", "pattern l/4, the same two j"),
                              ("sums", "c", "states l/4, l/4 + 8; patterns 2 (l%4) and + 1")):
        p.box(MARGIN, p.y, 40, 16, fill, words)
        p.text(MARGIN + 48, p.y + 8, text)
        p.y += 18
    p.y += 4
    p.text(MARGIN, p.y + 6, "A float is split in two tf32 numbers", SIZE - 1, bold=True)
    p.y += 16
    p.box(MARGIN, p.y, 132, 18, "n", "float: 24 bits")
    p.text(MARGIN + 140, p.y + 9, "=")
    p.box(MARGIN + 154, p.y, 80, 18, "a", "high: 11")
    p.text(MARGIN + 238, p.y + 9, "+")
    p.box(MARGIN + 250, p.y, 80, 18, "b", "low: 11")
    p.y += 24
    p.note("Three products, high x low, low x high and high x high, give 22 bits.")


def stage_08_fused(p):
    """One thread computes all joins of its patterns; results stay in registers and a few slots"""
    p.head("06_levels: partials of every join go to memory")
    p.times([(f"level {k + 1}", ([(2 * k, 2 * k + 1, "d", "load F")] if k else []) + [(2 * k + k, 2 * k + 1 + k, "c", "joins"), (2 * k + 1 + k, 2 * k + 2 + k, "d", "store F")])
             for k in range(2)], 5, arrow=False)
    p.head("08_fused: the whole tree in one thread")
    tree(p, 130, p.y, LEAVES, JOINS, {"1": "a", "2": "c", "3": "a", "4": "c", "5": "c"}, cell=38, high=28)
    p.y += 28 * 3 + 26
    columns = ("join", "1", "2", "3", "4", "5")
    rows = (("last", ("1", "2", "3", "4", "5"), "c"), ("slot 0", ("1", "1", "3", "3", ""), "a"))
    p.cells(MARGIN, p.y, 56, 16, columns, "e")
    p.y += 16
    for name, values, fill in rows:
        p.box(MARGIN, p.y, 56, 18, "e", name)
        for k, value in enumerate(values):
            p.box(MARGIN + 56 * (k + 1), p.y, 56, 18, fill if value else "e", f"F of {value}" if value else "")
        p.y += 18
    p.y += 4
    p.note("last: the result of the newest join, four registers. 1 waits in slot 0 until 2 is there, then 3 until 4 is there: one slot, in shared memory.")


def stage_09_resident(p):
    """A block takes 112 patterns through the whole tree; its partials stay in shared memory"""
    p.head("07_tensor: level after level, F through memory")
    p.cells(MARGIN, p.y, 84, 18, ["load P, F", "product", "store F", "..."], "dcdn")
    p.y += 26
    p.head("09_resident: join after join, F stays")
    y = p.y
    p.box(196, y, 154, 22, "c", "last result, 63 KB")
    p.box(196, y + 26, 154, 22, "a", "slot 0, 63 KB")
    p.box(196, y + 52, 154, 22, "a", "slot 1, 63 KB")
    p.text(273, y + 84, "shared memory", anchor="middle", ink="soft")
    p.box(MARGIN, y, 126, 22, "b", "P, from L2 cache")
    p.arrow((MARGIN + 63, y + 23), (MARGIN + 63, y + 41))
    p.box(MARGIN, y + 42, 126, 32, "n", "8 warps: P F")
    p.line((190, y), (190, y + 74))
    p.arrow((188, y + 30), (138, y + 52))
    p.arrow((138, y + 66), (188, y + 66))
    p.y = y + 98
    p.note("A node's 112 patterns x 72 doubles are 63 KB. The result takes the place of a child, so a join has two barriers.")
    p.times([("block", [(0, 3, "c", "product"), (3, 3.5, "d", ""), (3.5, 5, "c", "scale"), (5, 5.5, "d", ""), (5.5, 8.5, "c", "next join")])], 9)
    p.key(("d", "barrier of the whole block"))
    p.note("Patterns are 72 numbers apart, not 64, and a swizzle moves them. So the rows of an mma lie in different banks.")


def stage_10_streamed(p):
    """Patterns stay in a warp's registers, and one more warp copies the matrices ahead"""
    p.head("09_resident: two barriers per join, all wait")
    p.times([("warp 0", [(0, 3, "c", "join"), (3, 4, "d", ""), (4, 7, "c", "join"), (7, 8, "d", "")]),
             ("warp 1", [(0, 2.4, "c", "join"), (2.4, 4, "d", ""), (4, 6.6, "c", "join"), (6.6, 8, "d", "")])], 8, arrow=False)
    p.head("10_streamed: each warp goes on alone")
    p.times([("copy warp", [(0, 1.4, "n", "P 0"), (1.4, 2.8, "n", "P 1"), (2.8, 4.2, "n", "P 2"), (4.4, 5.8, "n", "P 3"), (6.2, 7.6, "n", "P 4")]),
             ("warp 0", [(1.5, 3, "c", "P 0"), (3, 4.4, "c", "P 1"), (4.4, 6.2, "c", "P 2"), (6.2, 8, "c", "P 3")]),
             ("warp 6", [(1.6, 2.9, "c", "P 0"), (2.9, 4.3, "c", "P 1"), (4.3, 5.9, "c", "P 2"), (5.9, 8, "c", "P 3")])], 8)
    p.cells(MARGIN, p.y, 112, 18, ["buffer 0: full", "buffer 1: full", "buffer 2: empty"], "aan")
    p.y += 24
    p.note("The copy warp fills a buffer when all warps have finished with it. A warp has 16 patterns, from the tips to the root.")
    p.text(MARGIN, p.y + 6, "Columns of the result and of the next operand", SIZE - 1, bold=True)
    p.y += 16
    for words, columns, fill in (("lane 1: result", (2, 3), "c"), ("operand", (1, 5), "a")):
        p.text(MARGIN, p.y + 8, words)
        for c in range(8):
            p.box(110 + 28 * c, p.y, 28, 16, fill if c in columns else "e", c)
        p.y += 18
    p.y += 2
    p.note("A sum may take columns in any order. So P is stored in the order in which lanes have the result, and nothing moves.")


def stage_11_site_repeats(p):
    """Equal columns of a subtree are computed once, in a table; a pattern has a byte that names its row"""
    p.head("08_fused: every pattern computes every join")
    letters = ("AACGA", "ACCTA")
    for row, sites in enumerate(letters):
        p.text(MARGIN, p.y + 8, f"tip {row}")
        p.cells(70, p.y, 34, 16, list(sites), "n")
        p.y += 16
    p.cells(70, p.y + 2, 34, 16, ["F"] * 5, "d")
    p.text(250, p.y + 10, "5 joins")
    p.y += 26
    p.head("11_site_repeats: every different column once")
    seen, codes = [], []
    for column in zip(*letters):
        if column not in seen:
            seen.append(column)
        codes.append(seen.index(column))
    p.text(MARGIN, p.y + 8, "code")
    p.cells(70, p.y, 34, 16, codes, "b")
    p.y += 22
    for k, column in enumerate(seen):
        p.text(MARGIN, p.y + 8, f"row {k}")
        p.box(70, p.y, 68, 16, "n", " ".join(column))
        p.box(142, p.y, 98, 16, "c", "F, times P")
        p.y += 17
    p.text(250, p.y - 36, f"{len(seen)} joins, and")
    p.text(250, p.y - 22, "a look-up each")
    p.y += 4
    p.note("A table has at most 256 rows, so a code is a byte. The joins above the tables are computed for each pattern:")
    tree(p, 110, p.y, ["T0", "T1", "T2"], [("1", "T0", "T1"), ("root", "1", "T2")], {"T0": "b", "T1": "b", "T2": "b", "1": "c", "root": "c"},
         cell=60, high=30, size=28)
    p.y += 96


def stage_12_warpgroups(p):
    """Four warps start a product together, and look up a tip while tensor cores multiply"""
    p.head("10_streamed: a warp loads P, multiplies, looks up")
    p.times([("warp 0", [(0, 1.5, "a", "P"), (1.5, 4.2, "c", "multiply"), (4.2, 6, "b", "tip"), (6, 7.2, "d", "scale")]),
             ("warp 1", [(0, 1.5, "a", "P"), (1.5, 4.2, "c", "multiply"), (4.2, 6, "b", "tip"), (6, 7.2, "d", "scale")])], 8, arrow=False)
    p.head("12_warpgroups: four warps start, and go on")
    p.times([("tensor", [(1, 4, "c", "F P")])] +
            [(f"warp {w}", [(0, 1, "a", "split"), (1, 3.9, "b", "tip"), (4.1, 5.3, "d", "scale")]) for w in range(4)], 8)
    p.text(MARGIN, p.y + 6, "P in shared memory: eight rows, one term", SIZE - 1, bold=True)
    p.y += 18
    for half, words in enumerate(("even j", "odd j")):
        p.text(MARGIN, p.y + 8, words)
        for n in range(4):
            p.box(66 + 70 * n, p.y, 68, 16, "a" if half == 0 else "b", f"s {8 * n} to {8 * n + 7}", 9)
        p.y += 19
    p.y += 2
    p.note("A box is 128 bytes: eight states s, four j each. The tensor cores read it from there. F comes from the warps' registers.")


def cpu_simd(p):
    """A core carries a tile of patterns through all joins: 10 loads serve 24 multiply-adds"""
    p.head("Serial code: join after join, all patterns")
    p.cells(MARGIN, p.y, 84, 18, ["join 1", "join 2", "join 3", "..."], "n")
    p.y += 26
    p.head("cpu_simd: 96 patterns through all joins per core")
    x, y, w, h = 130, p.y + 22, 46, 15
    for v in range(4):
        p.box(x + w * v, y - 20, w, 15, "a", f"P[j] v{v}", 9.5)
    for c in range(6):
        p.box(x - 70, y + h * c, 64, h, "b", f"F[c + {c}][j]" if c else "F[c][j]", 9.5)
        for v in range(4):
            p.box(x + w * v, y + h * c, w, h, "c")
    p.y = y + 6 * h + 8
    p.note("24 registers of 8 doubles: sum[c][v] += P[j][v] * F[c][j]. 4 + 6 loads for 24 multiply-adds.")
    p.box(MARGIN, p.y, 160, 20, "a", "panel of P: 16 KiB, L1")
    p.box(MARGIN + 168, p.y, 168, 20, "b", "tile of F: 48 KiB, L2")
    p.y += 28


def library_cublas(p):
    """The library stores a child's sums to memory; a second kernel reads them again"""
    p.head("10_streamed: a join stays on the chip")
    p.cells(MARGIN, p.y, 84, 20, ["P F, child 1", "P F, child 2", "times, scale", "next join"], "aacn")
    p.y += 28
    p.head("library_cublas: memory between all steps")
    y = p.y
    for k in range(2):
        x = MARGIN + 176 * k
        p.box(x, y, 160, 20, "b", f"F of child {k + 1}: 7.4 MB")
        p.arrow((x + 80, y + 21), (x + 80, y + 37))
        p.box(x, y + 38, 160, 20, "a", "cuBLAS: product")
        p.arrow((x + 80, y + 59), (x + 80, y + 75))
        p.box(x, y + 76, 160, 20, "d", "sums: 7.4 MB stored")
        p.arrow((x + 80, y + 97), (180 + 40 * (2 * k - 1), y + 113))
    p.box(100, y + 114, 160, 20, "c", "combine: times, scale")
    p.arrow((180, y + 135), (180, y + 151))
    p.box(100, y + 152, 160, 20, "b", "F of the parent: 7.4 MB")
    p.y = y + 180
    p.note("The library multiplies tips too, whose product is just a column of P.")
