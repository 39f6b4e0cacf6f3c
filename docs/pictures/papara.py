"""The pictures of the PaPaRa stages. i counts sites (columns), j letters of the read (rows), k = i - j."""
from draw import BANKS, MARGIN, SIZE, WARP

WORD, SITES, COLUMNS = 4, 1200, 12


def parallelogram(p, n, m, cell=20, fill=lambda i, j: "a"):
    """Row j has columns j to j + n - m."""
    x = 70
    for i in range(1, n + 1):
        p.text(x + cell * (i - 0.5), p.y + 6, i, 9.5, "middle", ink="soft")
    p.text(MARGIN, p.y + 6, "site i", ink="soft")
    p.y += 14
    for j in range(1, m + 1):
        p.text(MARGIN, p.y + cell / 2, f"letter {j}")
        for i in range(j, j + n - m + 1):
            p.box(x + cell * (i - 1), p.y, cell, cell, fill(i, j))
        p.y += cell
    p.y += 6


def stage_01_straightforward(p):
    """One thread has one pair's matrix and keeps one row of it; a warp's threads are a whole vector apart"""
    p.head("Serial code: one pair after the other")
    p.cells(MARGIN, p.y, 84, 18, ["read 0, vector 0", "r. 0, vector 1", "r. 0, vector 2", "..."], "n", 9.5)
    p.y += 26
    p.head("01_straightforward: a thread per pair")
    here = (6, 3)
    parallelogram(p, 9, 4, fill=lambda i, j: "c" if (i, j) == here else "b" if (i, j) in ((5, 2), (6, 2), (5, 3)) else
                  "a" if j == 2 and i > 6 or j == 3 and i < 6 else "n")
    p.key(("c", "this cell"), ("b", "its neighbours in row[]"), ("a", "the rest of row[]"))
    p.note("Row j begins at site j. With k = i - j, the new cell takes the place of its diagonal neighbour: row[k].")
    p.note("A warp's load of a site, A[j - 1 + k]: the next thread's vector begins n words further.")
    p.sectors([(WORD * SITES * thread, WORD, "a") for thread in range(WARP)])


def stage_02_inter_reference(p):
    """One site of neighbouring vectors lies side by side, so that a warp's load takes four sectors"""
    for head, order, address in (("01_straightforward: [vector][site]", ("v0", "s"), lambda t: WORD * (SITES * t + 1)),
                                 ("02_inter_reference: [site][vector]", ("s0", "v"), lambda t: WORD * t)):
        p.head(head)
        first, inner = order
        for k in range(2):
            p.text(MARGIN + 172 * k, p.y + 9, f"{first[0]}{k}:")
            p.cells(MARGIN + 22 + 172 * k, p.y, 35, 18, [f"{inner}0", f"{inner}1", f"{inner}2", "..."], "nann"[0:4] if inner == "s" else "aaaa" if k == 1 else "nnnn")
        p.y += 24
        p.note("Blue: what the threads of a warp load together for site s1.")
        p.sectors([(address(thread), WORD, "a") for thread in range(WARP)])


def stage_03_blocked(p):
    """Twelve columns at a time: their row is in shared memory, only the right edge goes through global memory"""
    p.head("02_inter_reference: a whole row at a time")
    for j in range(4):
        p.box(MARGIN + 12 * j, p.y + 9 * j, 270, 9, "a" if j == 2 else "n")
    p.arrow((MARGIN + 120, p.y + 22), (MARGIN + 220, p.y + 22))
    p.y += 46
    p.head("03_blocked: all rows of 12 columns, then on")
    x, y, high = MARGIN, p.y, 80
    p.line((x, y), (x + 290, y), (x + 340, y + high), (x + 50, y + high), (x, y))
    p.box(x + 50, y, 80, high, "n", "block 2")
    p.box(x + 130, y, 80, high, "e")
    p.text(x + 170, y + 10, "block 3", anchor="middle")
    for c in range(12):
        p.box(x + 130 + 80 / 12 * c, y + 36, 80 / 12, 12, "a")
    p.arrow((x + 170, y + 50), (x + 170, y + high - 4))
    p.box(x + 124, y, 8, high, "d")
    p.box(x + 210, y, 80, high, "e", "block 4")
    p.text(x + 14, y + 66, "1", ink="soft")
    p.text(x + 306, y + 66, "5", ink="soft")
    p.y += high + 6
    p.key(("a", "row[c][thread], shared memory"), ("d", "edge: S, D of each row"))
    p.note("The triangles 1 and 5 are parts of square blocks, in which rows begin and end; they work as in stage 02.")
    p.text(MARGIN, p.y + 6, "bank of row[c][thread] for one c: thread % 32, one pass")
    p.y += 14
    p.cells(MARGIN, p.y, 42, 16, [thread % BANKS for thread in range(6)] + ["...", 31], "c")
    p.y += 22
    p.bars([("bytes per cell, 02", 11.7, "d"), ("here", 5.51, "c")], "")


def stage_04_unrolled(p):
    """The loop over twelve columns is written out, so its counters and branches vanish"""
    p.head("03_blocked: a loop over c")
    y = p.y
    p.cells(MARGIN, y, 60, 18, ["load", "cell", "store", "c + 1", "c < 12?"], "aaadd")
    p.line((MARGIN + 270, y + 19), (MARGIN + 270, y + 28), (MARGIN + 30, y + 28))
    p.arrow((MARGIN + 30, y + 28), (MARGIN + 30, y + 19))
    p.y += 38
    p.head("04_unrolled: twelve copies, constant addresses")
    p.cells(MARGIN, p.y, 84, 18, ["cell 0", "cell 1", "...", "cell 11"], "a")
    p.y += 18
    p.cells(MARGIN, p.y, 84, 16, ["+ 0", "+ 1280", "...", "+ 14080"], "e")
    p.y += 20
    p.note("row[c][thread] is 320 x 4 bytes x c after the thread's own address, a number in the instruction.")
    p.text(MARGIN, p.y + 6, "Instructions per cell", SIZE, bold=True)
    p.y += 16
    unit = 336 / 36
    for words, parts in (("03", (11, 2, 1.3, 21)), ("04", (11, 2, 1.3, 2.6))):
        x = MARGIN
        for value, fill in zip(parts, "cabd"):
            p.box(x, p.y, value * unit, 18, fill, "11" if fill == "c" else f"{value:g}" if fill == "d" else "")
            x += value * unit
        if words == "04":
            p.text(x + 6, p.y + 9, "16.8 instead of 35")
        p.y += 22
    p.key(("c", "recurrence"), ("a", "shared"), ("b", "global"), ("d", "addresses, branches"))


def stage_05_compressed(p):
    """Six sites of five bits share a word, so a block's twelve sites stay in two registers"""
    p.head("04_unrolled: a word per site, loaded in each row")
    p.cells(MARGIN, p.y, 28, 18, [f"s{c}" for c in range(COLUMNS)], "d")
    p.y += 26
    p.head("05_compressed: two words per block, loaded once")
    for word in (1, 0):
        p.box(MARGIN, p.y, 24, 18, "e", "00")
        p.cells(MARGIN + 24, p.y, 52, 18, [f"site {6 * word + 5 - k}" for k in range(6)], "aaaaab" if word == 0 else "aaaaaa")
        p.y += 22
    p.line((MARGIN + 284, p.y - 4), (MARGIN + 286, p.y + 2), dashed=True)
    p.line((MARGIN + 336, p.y - 4), (MARGIN + 338, p.y + 2), dashed=True)
    p.text(MARGIN + 200, p.y + 10, "its five bits:")
    p.cells(MARGIN + 286, p.y + 2, 10.4, 16, list("gTGCA"), "dbbbb", 9.5)
    p.y += 26
    p.note("g is CGAP. five = sites[c / 6] >> 5 * (c % 6): a shift takes out the site of column c, and one bit is tested against the letter.")
    p.bars([("bytes per cell, 04", 5.51, "d"), ("here", 1.84, "c")], "")
    p.bars([("instructions per cell, 04", 16.8, "c"), ("here", 18.0, "d")], "")


def stage_06_registers(p):
    """The row of a block is in registers, and a block has 24 columns"""
    p.head("05_compressed: 12 columns, row in shared memory")
    p.cells(MARGIN, p.y, 14, 18, [""] * 12, "a")
    p.arrow((MARGIN + 172, p.y + 5), (MARGIN + 192, p.y + 5))
    p.arrow((MARGIN + 192, p.y + 13), (MARGIN + 172, p.y + 13))
    p.box(MARGIN + 196, p.y, 130, 18, "d", "shared memory")
    p.y += 22
    p.note("Each cell loads and stores row[c]. The edge, 16 bytes, serves 12 cells.")
    p.head("06_registers: 24 columns, row in registers")
    p.cells(MARGIN, p.y, 14, 18, list(range(24)), "c", 8.5)
    p.y += 18
    p.cells(MARGIN, p.y, 14, 18, [""] * 24, "b")
    p.y += 22
    p.key(("c", "row[c]: S"), ("b", "site[c], loaded once per block"))
    p.note("Every index is a constant, so a register is its own address: no load and no store. The edge serves 24 cells.")
    p.bars([("edge, bytes per cell, 05", 1.33, "d"), ("here", 0.67, "c")], "")


def stage_07_two_references(p):
    """A register holds scores of two vectors; the whole warp branches to the registers of the row's letter"""
    p.head("06_registers: a cell takes 11 instructions")
    p.cells(MARGIN, p.y, 40, 18, ["S"] * 8, "a")
    p.y += 26
    p.head("07_two_references: two cells take 4")
    for words in ("S", "D"):
        p.text(MARGIN, p.y + 9, words)
        for c in range(4):
            p.cells(MARGIN + 20 + 80 * c, p.y, 37, 18, ["v + 1", "v"], "ba")
        p.y += 20
    p.y += 4
    p.text(MARGIN, p.y + 6, "Costs in registers, of v + 1 and v, for 16 sites", SIZE - 1, bold=True)
    p.y += 16
    letters = "ACGT"
    for k, letter in enumerate(letters):
        p.text(MARGIN, p.y + 9, f"cost[{letter}]")
        pair = [f"{0 if (c * 3 + 1) % 4 == k else 3} {0 if (c * 5 + c // 3) % 4 == k else 3}" for c in range(5)]
        p.cells(76, p.y, 32, 18, pair + ["..."], "c" if letter == "G" else "n")
        if letter == "G":
            p.arrow((300, p.y + 9), (76 + 32 * 6 + 4, p.y + 9))
            p.text(304, p.y + 9, "row G")
        p.y += 18
    p.y += 6
    p.note("All lanes of a warp have the same read. So the switch on the row's letter takes all of them to the code that uses cost[G], and nobody waits.")


def stage_08_shifted_scores(p):
    """Only D waits for the column before: one instruction per column"""
    x, w, gap = MARGIN + 4, 60, 22
    p.head("07_two_references: S and D wait, column by column")
    for c in range(4):
        left = x + (w + gap) * c
        p.box(left, p.y, w, 18, "a", "S")
        p.box(left, p.y + 34, w, 18, "b", "D")
        p.arrow((left + w / 2, p.y + 33), (left + w / 2, p.y + 19))
        if c < 3:
            p.arrow((left + w + 1, p.y + 12), (left + w + gap, p.y + 36))
            p.arrow((left + w + 1, p.y + 43), (left + w + gap, p.y + 43))
    p.y += 56
    p.note("S[i][j] needs D[i][j], which needs S and D of column i - 1.")
    p.head("08_shifted_scores: X needs the row above only")
    for c in range(4):
        left = x + (w + gap) * c
        p.box(left, p.y, w, 18, "c", "X")
        p.box(left, p.y + 34, w, 18, "b", "D'")
        p.box(left, p.y + 66, w, 18, "a", "S'")
        p.arrow((left + w / 2, p.y + 53), (left + w / 2, p.y + 65))
        p.line((left + 8, p.y + 19), (left + 8, p.y + 65), dashed=True)
        if c < 3:
            p.arrow((left + w + 1, p.y + 12), (left + w + gap, p.y + 36))
            p.arrow((left + w + 1, p.y + 43), (left + w + gap, p.y + 43))
    p.y += 90
    p.note("X = min(diagonal + cost, S' above): all columns at once. D' = min(X + O, D') of the column before. S' = min(X, D').")
    p.bars([("cycles per column, 07", 11.1, "d"), ("here", 7.7, "c")], "")


def stage_09_shared_costs(p):
    """Eight warps with a read each share one table of costs, and load each row's costs ahead"""
    p.head("08_shifted_scores: each warp keeps all costs")
    p.cells(MARGIN, p.y, 84, 18, ["cost[A]", "cost[C]", "cost[G]", "cost[T]"], "d")
    p.y += 22
    p.note("4 letters x 32 columns = 128 registers. Twenty letters would take 640.")
    p.head("09_shared_costs: one table per block of 8 warps")
    y = p.y
    for k, letter in enumerate(("A", "R", "N", "...", "B")):
        p.box(MARGIN, y + 18 * k, 24, 18, "e", letter)
        p.cells(MARGIN + 24, y + 18 * k, 16, 18, [""] * 8, "b" if letter == "N" else "a")
    p.brace(MARGIN + 24, MARGIN + 152, y + 92, "8 loads of 16 bytes")
    for k in range(4):
        p.box(236, y + 22 * k, 114, 18, "n", f"warp {k}: read {k}" if k < 3 else "... warp 7")
    p.arrow((MARGIN + 156, y + 45), (234, y + 9))
    p.text(MARGIN + 160, y + 60, "letter N", ink="soft")
    p.y = y + 116
    p.times([("load costs", [(k, k + 1, "b", f"row {k}") for k in range(4)]),
             ("compute", [(k + 1, k + 2, "c", f"row {k}") for k in range(3)])], 4.2, left=80)
    p.note("cost[1 - r] gets the next row's costs while this row is computed with cost[r]; r is 0 and 1 by turns.")


def cpu_simd(p):
    """A register holds the same cell of 32 matrices; eight columns of it stay in registers"""
    p.head("Serial code: one matrix, row after row")
    p.cells(MARGIN, p.y, 20, 18, ["S"] * 6, "a")
    p.y += 26
    p.head("cpu_simd: 32 edges' vectors, one per lane")
    x, y, w = 70, p.y, 20
    for lane, sites in ((0, "ACG-TACGA--CCA"), (31, "ACR-TACGAACCCA")):
        p.text(MARGIN, y + 9, f"lane {lane}")
        p.cells(x, y, w, 18, list(sites), "nnnnaaaaaaaann")
        y += 20
    p.brace(x + 4 * w, x + 12 * w, y + 2, "a block of 8 sites")
    p.y = y + 26
    for row, letter in enumerate("ACG"):
        p.text(MARGIN, p.y + 9, f"letter {letter}")
        p.box(x + 2 * w, p.y, 2 * w - 4, 18, "d", "S', D'")
        p.cells(x + 4 * w, p.y, w, 18, ["S'"] * 8, "c")
        p.box(x + 12 * w + 4, p.y, 2 * w - 4, 18, "d", "S', D'")
        p.y += 20
    p.y += 4
    p.key(("c", "in registers"), ("d", "from block to block, 256 KB at most"))
    p.note("Every S' is a register of 32 lanes. All rows of a group of reads pass through a block before the next block begins.")
