"""The pictures of the Smith-Waterman stages. Rows of a table are the query's, columns the subject's."""
from draw import BANKS, MARGIN, SIZE, WARP, WIDTH

INT = 4


def stage_01_naive(p):
    """A cell loads six numbers of its neighbours and stores three, all in global memory"""
    p.head("Serial code: one table after the other")
    p.cells(MARGIN, p.y, 84, 18, ["subject 0", "subject 1", "subject 2", "..."], "n")
    p.y += 26
    p.head("01_naive: a thread per pair, side by side")
    x, y, w, h = 62, p.y + 16, 84, 26
    p.text(x + w / 2, y - 8, "column j - 1", anchor="middle", ink="soft")
    p.text(x + 1.5 * w, y - 8, "column j", anchor="middle", ink="soft")
    p.text(x - 6, y + h / 2, "row i - 1", anchor="end", ink="soft")
    p.text(x - 6, y + 1.5 * h, "row i", anchor="end", ink="soft")
    p.cells(x, y, w, h, ["H", "H   F"], "aa")
    p.cells(x, y + h, w, h, ["H   E", "H  E  F"], "ac")
    p.arrow((x + w - 18, y + h - 8), (x + w + 8, y + h + 5))
    p.arrow((x + 1.5 * w, y + h - 7), (x + 1.5 * w, y + h + 6))
    p.arrow((x + w - 22, y + 1.5 * h), (x + w + 16, y + 1.5 * h))
    for k, words in enumerate(("loads 5 of these", "and a score of A,", "stores 3: 9 x 4 bytes")):
        p.text(x + 2 * w + 8, y + 12 + 14 * k, words, within=WIDTH - x - 2 * w - 8)
    p.y = y + 2 * h + 10
    p.note("E[here + thread]: threads of a warp use neighbouring words, since the thread's number comes last in the index.")
    p.sectors([(INT * thread, INT, "a") for thread in range(WARP)])


def stage_02_packed(p):
    """Four cells' H and E come in one 128-bit load; the cell above is in registers"""
    p.head("01_naive: 6 loads and 3 stores for each cell")
    p.cells(MARGIN, p.y, 37, 18, ["H", "H", "H", "E", "F", "A", "H", "E", "F"], "aaaaaaccc")
    p.y += 26
    p.head("02_packed: one load and one store for four cells")
    for fill, words in (("a", "column j - 1, in memory"), ("c", "column j, in the same place")):
        p.text(MARGIN, p.y + 6, words)
        p.y += 14
        for k in range(4):
            p.cells(MARGIN + 84 * k, p.y, 41, 18, ["E", "H"], fill)
        p.y += 20
        if fill == "a":
            p.text(MARGIN, p.y + 6, "128 bits: rows 4k to 4k + 3", ink="soft")
            p.arrow((200, p.y), (200, p.y + 17))
            p.box(216, p.y + 18, 134, 20, "b", "registers: H_up, F")
            p.box(MARGIN, p.y + 18, 196, 20, "n", "cell 0, 1, 2, 3, one by one")
            p.arrow((200, p.y + 39), (200, p.y + 54))
            p.y += 56
    p.y += 6
    p.note("A warp's load of column[k * threads + thread] is a request of 512 bytes:")
    p.sectors([(16 * thread, 16, "a") for thread in range(WARP)])


def stage_03_shared_band(p):
    """A band of 12 rows waits in shared memory; only its last row goes through global memory"""
    p.head("02_packed: a whole column waits in memory")
    p.box(MARGIN, p.y, 130, 44, "n", "done")
    p.box(MARGIN + 130, p.y, 10, 44, "a")
    p.box(MARGIN + 140, p.y, 130, 44, "e", "to do")
    p.y += 52
    p.head("03_shared_band: band after band, 12 rows each")
    y = p.y
    p.box(MARGIN, y, 260, 30, "n", "band 0, done")
    p.box(MARGIN, y + 30, 260, 9, "d")
    p.box(MARGIN, y + 39, 130, 48, "n", "band 1, done")
    for k in range(12):
        p.box(MARGIN + 130, y + 39 + 4 * k, 14, 4, "a")
    p.box(MARGIN + 144, y + 39, 116, 48, "e", "to do")
    p.box(MARGIN, y + 87, 144, 9, "d")
    p.box(MARGIN, y + 96, 260, 24, "e", "band 2")
    p.arrow((MARGIN + 152, y + 92), (MARGIN + 190, y + 92))
    p.text(276, y + 34, "Global_HF")
    p.text(276, y + 62, "Shared_HE")
    p.text(276, y + 91, "Global_HF")
    p.y = y + 128
    p.key(("a", "H, E of 12 cells, shared memory"), ("d", "H, F of one row: 4 bytes per column"))
    p.bars([("bytes per cell, 02", 8.3, "d"), ("here", 0.717, "c")], "")
    p.bars([("shared requests, 02", 1, "c"), ("here", 3, "d")], "per cell")


def stage_04_register_band(p):
    """The band is in registers; shared memory has a query profile, in which a letter's scores are in the letter's own bank"""
    p.head("03_shared_band: three shared requests per cell")
    p.cells(MARGIN, p.y, 112, 18, ["score A", "H, E in", "H, E out"], "aad")
    p.y += 26
    p.head("04_register_band: a quarter of a request per cell")
    p.cells(MARGIN, p.y, 28, 18, [f"H{k}" for k in range(12)], "c", 10)
    p.y += 18
    p.cells(MARGIN, p.y, 28, 18, [f"E{k}" for k in range(12)], "c", 10)
    p.y += 22
    p.note("Twelve H and twelve E: registers of one thread.")
    p.text(MARGIN, p.y + 6, "profile[f][code], shared memory: four rows' scores in a word")
    p.y += 16
    x = 76
    p.cells(x, p.y, 66, 16, ["A", "R", "N", "D"], "e")
    p.y += 16
    for f in range(3):
        p.text(MARGIN, p.y + 9, f"profile[{f}]")
        p.cells(x, p.y, 66, 18, [f"{4 * f + 3} {4 * f + 2} {4 * f + 1} {4 * f}"] * 4, "aaab")
        p.y += 18
    p.text(MARGIN, p.y + 9, "bank", ink="soft")
    p.cells(x, p.y, 66, 16, [code % BANKS for code in range(4)], "e")
    p.y += 22
    p.note("profile[0] begins at bank 0, since a row has SW_CODES = 32 words. 32 lanes with any mixture of letters meet in no bank: one pass.")


def stage_05_two_in_one(p):
    """Each half of a register belongs to another subject; one instruction works on both"""
    p.head("04_register_band: one subject per thread")
    p.box(MARGIN, p.y, 336, 18, "a", "H[k] of subject l: 32 bits")
    p.y += 26
    p.head("05_two_in_one: lane l has subjects 2l and 2l + 1")
    for name in "HE":
        p.cells(MARGIN, p.y, 168, 18, [f"{name}[k] of subject 2l + 1", f"{name}[k] of subject 2l"], "ba")
        p.y += 20
    p.y += 4
    p.text(MARGIN, p.y + 6, "A profile word has two rows of one letter:")
    p.y += 16
    p.text(MARGIN, p.y + 9, "x")
    p.cells(MARGIN + 14, p.y, 76, 18, ["row 1, x", "row 0, x"], "a")
    p.text(MARGIN + 174, p.y + 9, "y")
    p.cells(MARGIN + 186, p.y, 76, 18, ["row 1, y", "row 0, y"], "b")
    p.arrow((MARGIN + 122, p.y + 19), (MARGIN + 122, p.y + 39))
    p.arrow((MARGIN + 296, p.y + 19), (MARGIN + 62, p.y + 39))
    p.text(MARGIN + 252, p.y + 34, "__byte_perm", mono=True)
    p.y += 40
    p.text(MARGIN, p.y + 9, "A0")
    p.cells(MARGIN + 18, p.y, 72, 18, ["row 0, y", "row 0, x"], "ba")
    p.text(MARGIN + 174, p.y + 9, "A1")
    p.cells(MARGIN + 192, p.y, 72, 18, ["row 1, y", "row 1, x"], "ba")
    p.y += 26
    p.note("x and y are the letters of subjects 2l and 2l + 1. A0 has the same row's score for both, in the halves in which H has them; A1 likewise.")


def wave(p, lanes, columns, steps, at):
    """Lanes below each other, steps side by side; at(lane, step) is (words, fill) or None."""
    x, w, h = 62, (WIDTH - MARGIN - 62) / steps, 17
    for step in range(steps):
        p.text(x + (step + 0.5) * w, p.y + 6, step, 9.5, "middle", ink="soft")
    p.text(MARGIN, p.y + 6, "step", ink="soft")
    p.y += 14
    for lane in range(lanes):
        p.text(MARGIN, p.y + h / 2, f"lane {lane}")
        for step in range(steps):
            found = at(lane, step)
            p.box(x + step * w, p.y, w, h, found[1] if found else "d", found[0] if found else "", 9.5)
        p.y += h
    p.y += 6


def stage_06_lanes(p):
    """The lanes of a warp share a query: each lane works one column after the lane above it"""
    p.head("05_two_in_one: a lane computes all rows alone")
    p.cells(MARGIN, p.y, 84, 18, ["lane 0: pair 0", "lane 1: pair 1", "lane 2: pair 2", "..."], "a", 10)
    p.y += 26
    p.head("06_lanes: 32 lanes have 16 rows each of one pair")
    columns, steps = 7, 10
    wave(p, 4, columns, steps, lambda lane, step: (step - lane, "c") if 0 <= step - lane < columns else None)
    p.note("Numbers: the column, step - lane. A lane's first row needs H and F of the row above, which __shfl_up_sync brings from the lane above.")
    p.key(("c", "16 rows of a column"), ("d", "no column to compute"))
    p.text(MARGIN, p.y + 6, "profile: a letter's scores, 16 bytes per lane")
    p.y += 16
    p.cells(MARGIN, p.y, 42, 18, [f"lane {lane}" for lane in range(8)], "a", 10)
    p.y += 18
    p.cells(MARGIN, p.y, 42, 16, [f"{lane * 4 % BANKS}-{lane * 4 % BANKS + 3}" for lane in range(8)], "e", 10)
    p.y += 20
    p.note("Banks: eight lanes read all 32 at a time, whatever their letters are.")


def stage_07_stream(p):
    """A lane that has finished its last column begins the next pair of subjects at once"""
    pairs, steps = (("a", 4, "a"), ("b", 3, "b"), ("c", 2, "c")), 9
    columns = [(f"{name}{k}", fill) for name, many, fill in pairs for k in range(many)]
    p.head("06_lanes: a warp ends a pair before it begins one")
    lanes, start, plan = 3, 0, {}
    for name, many, fill in pairs:
        for lane in range(lanes):
            for k in range(many):
                plan[lane, start + lane + k] = (f"{name}{k}", fill)
        start += many + lanes - 1
    wave(p, lanes, 0, steps, lambda lane, step: plan.get((lane, step)))
    p.head("07_stream: no gap between pairs a, b and c")
    wave(p, lanes, 0, steps, lambda lane, step: columns[step - lane] if 0 <= step - lane < len(columns) else None)
    p.note("A number is a group of four columns. Red: a lane without work. Here it is only at the start.")
    p.box(MARGIN, p.y, 92, 18, "n", "counter")
    p.arrow((MARGIN + 93, p.y + 9), (MARGIN + 118, p.y + 9))
    p.cells(MARGIN + 120, p.y, 54, 18, ["a", "b", "c", ""], "abce")
    p.y += 22
    p.note("Lane 0 takes the next pair from the counter and puts it in the ring; every lane takes it from there in its turn.")


def stage_08_two_pipes(p):
    """Additions become floats, so the float units share the work of a row"""
    p.head("07_stream: all on the integer units")
    p.times([("integer", [(0, 2, "a", "max"), (2, 4, "a", "max"), (4, 6, "a", "max"), (6, 7, "a", "best"), (7, 9, "d", "add, sub")]), ("float", [])], 10,
            arrow=False)
    p.head("08_two_pipes: additions on the float units")
    p.times([("integer", [(0, 2, "a", "H"), (2, 4, "a", "E"), (4, 6, "a", "F"), (6, 7, "a", "best")]),
             ("float", [(0, 2, "b", "x's score"), (2, 4, "b", "y's score"), (4, 6, "b", "H - open")])], 10)
    p.note("Instructions of one row of a warp, 64 cells; each takes a clock cycle or two. The page has the measured cycles.")
    p.text(MARGIN, p.y + 6, "12 + 5 in half precision: the same bits", SIZE, bold=True)
    p.y += 18
    for words, value, fill in (("12", 12, "a"), ("5", 5, "a"), ("sum", 17, "c")):
        p.text(MARGIN, p.y + 8, words)
        bits = f"{value:016b}"
        p.cells(MARGIN + 34, p.y, 14, 16, list(bits), "e" + "d" * 5 + fill * 10, 9.5)
        p.text(MARGIN + 264, p.y + 8, f"{value} x 2^-24", ink="soft")
        p.y += 18
    p.y += 2
    p.key(("e", "sign"), ("d", "exponent"), ("a", "fraction"))
    p.note("Up to 2,047, the bits of a float are those of the integer, and the steps are equal. So a float addition is exact.")


def stage_09_two_queries(p):
    """The halves of a register belong to two queries, so one letter's profile word serves both"""
    p.head("08: one query, two subjects x and y")
    p.cells(MARGIN, p.y, 88, 18, ["score_x", "score_x"], "a")
    p.text(MARGIN + 186, p.y + 9, "x (1, 0), and add")
    p.y += 20
    p.cells(MARGIN, p.y, 88, 18, ["score_y", "score_y"], "b")
    p.text(MARGIN + 186, p.y + 9, "x (0, 1), and add")
    p.y += 26
    p.head("09_two_queries: queries a and b, one subject")
    p.cells(MARGIN, p.y, 88, 18, ["a, row r", "b, row r"], "ab")
    p.text(MARGIN + 186, p.y + 9, "add: one instruction")
    p.y += 26
    p.text(MARGIN, p.y + 6, "Two tracks: queries of 400, 300, 200, 300 rows", SIZE - 1, bold=True)
    p.y += 18
    p.times([("track 0", [(0, 400, "a", "query 0"), (400, 600, "c", "query 2")]), ("track 1", [(0, 300, "b", "query 1"), (300, 600, "n", "query 3")]),
             ("launches", [(0, 300, "e", "1"), (300, 400, "e", "2"), (400, 600, "e", "3")])], 600, arrow=False)
    p.note("A launch ends where either query ends. The other one continues, from H and F of its last row in global memory.")


def stage_10_one_pair(p):
    """Each band of one pair has a warp of its own, which follows the band above"""
    lag, columns = 40, 120
    p.head("09_two_queries: a warp has band after band")
    p.times([("a warp", [(0, 120, "a", "band 0"), (120, 240, "a", "band 1"), (240, 360, "a", "band 2")])], 360, arrow=False)
    p.head("10_one_pair: a warp per band, 40 columns behind")
    p.times([(f"warp {band}", [(band * lag, band * lag + columns, "c", f"band {band}")]) for band in range(4)], 360)
    p.note("A warp writes its last row to global memory, 64 bits per column:")
    p.box(MARGIN, p.y, 170, 18, "a", "H, 32 bits")
    p.box(MARGIN + 170, p.y, 96, 18, "b", "band below, 18")
    p.box(MARGIN + 266, p.y, 74, 18, "n", "H - F, 14")
    p.y += 24
    p.note("The next warp loads the word until it finds its own band's number there. So data and signal arrive together, without a barrier.")


def cpu_simd(p):
    """A vector register holds the same cell of 64 tables, one per lane"""
    p.head("Serial code: one cell of one table")
    p.cells(MARGIN, p.y, 40, 18, ["H"], "a")
    p.y += 26
    p.head("cpu_simd: the same cell of 64 subjects")
    x, y, w, h = 86, p.y, 30, 17
    for lane, letters in ((0, "GAVLKET-"), (1, "MKTAYIAK"), (63, "SSGHLVPR")):
        p.text(MARGIN, y + h / 2, f"lane {lane}")
        p.cells(x, y, w, h, list(letters), "aaaabbbb")
        y += h
        if lane == 1:
            p.text(x + 4 * w, y + 6, "...", anchor="middle")
            y += 12
    p.brace(x, x + 4 * w - 3, y + 2, "a block: four columns")
    p.brace(x + 4 * w + 3, x + 8 * w, y + 2, "the next one")
    p.y = y + 28
    for row, letter in enumerate("MK"):
        p.text(MARGIN, p.y + 9, f"query: {letter}")
        p.cells(x, p.y, w, 18, ["H"] * 4, "c")
        p.arrow((x + 4 * w + 2, p.y + 9), (x + 4 * w + 24, p.y + 9))
        p.box(x + 4 * w + 28, p.y, 92, 18, "n", "H, E, kept")
        p.y += 20
    p.y += 4
    p.note("Every H is a vector of 64 bytes. F goes down a column in registers. H and E of a block's last column wait for the next block. A lane whose subject ends takes another.")
