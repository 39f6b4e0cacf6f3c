"""The pictures of the lessons: a function per page. `instances` and `attributes` are those of the paper, 112 and 512."""
from draw import BANKS, MARGIN, SIZE, WARP, WIDTH

INSTANCES, ATTRIBUTES, THREADS, INT = 112, 512, 128, 4
GX, GY = 0, 2  # the block that is drawn


def touched(address, bytes_each=INT, fill="a"):
    """What the 32 lanes of a block's first warp touch: lane idx begins at byte address(idx)."""
    return [(address(idx), bytes_each, fill) for idx in range(WARP)]


def table(p, x, y, by_rows, each=1):
    """A corner of the table in memory: instances along one side, attributes along the other; the block's two are in colour."""
    size, many = 13, 8
    colour = {GX: "a", GY: "b"}
    for r in range(many):
        for c in range(many):
            instance = r if by_rows else c
            p.box(x + c * size, y + r * size, size, size, colour.get(instance, "n"))
    p.text(x, y - 8, "attributes \u2192" if by_rows else "instances \u2192", ink="soft")
    if by_rows:
        p.text(x + many * size + 6, y + 6, "instances \u2193", ink="soft")
    return y + many * size


def stage_00_first_program(p):
    """Four blocks of 256 threads, one thread per element, for arrays of 1,000"""
    p.head("The host's serial loop: element after element")
    p.cells(MARGIN, p.y, 34, 18, ["c[0]", "c[1]", "c[2]", "c[3]"], "c")
    p.arrow((150, p.y + 9), (300, p.y + 9))
    p.cells(304, p.y, 46, 18, ["c[999]"], "c")
    p.y += 26
    p.head("vector_addition.cu: thread i adds element i")
    for k in range(4):
        x = MARGIN + 85 * k
        p.box(x, p.y, 81, 32, "a")
        p.text(x + 40, p.y + 9, f"block {k}", anchor="middle")
        p.text(x + (40 if k < 3 else 36), p.y + 23, "threads 0-255" if k < 3 else "0-231", 9.5, "middle")
        if k == 3:
            p.box(x + 81 * 232 / 256, p.y, 81 * 24 / 256, 32, "d")
        p.arrow((x + 38, p.y + 33), (x + 38, p.y + 50))
        p.box(x, p.y + 51, 81 if k < 3 else 81 * 232 / 256, 18, "c")
        p.text(x + 36, p.y + 60, f"{256 * k} - {min(256 * k + 255, 999)}", anchor="middle")
    p.y += 76
    p.key(("a", "threads"), ("c", "elements of c"), ("d", "24 threads without an element"))
    p.note("i = blockIdx.x * blockDim.x + threadIdx.x; the check i < n holds back threads 232 to 255 of block 3, whose i is 1000 to 1023.")


def stage_01_naive(p):
    """A block per pair of instances; its threads read two columns of the table, and each value moves a sector of its own"""
    p.head("Serial code: one pair after the other")
    p.cells(MARGIN, p.y, 68, 18, ["pair 0, 0", "pair 1, 0", "pair 2, 0", "pair 3, 0"], "n")
    p.arrow((286, p.y + 9), (345, p.y + 9))
    p.y += 26
    p.head(f"01_naive: block ({GX}, {GY}) compares instances {GX} and {GY}")
    top = p.y + 16
    bottom = table(p, 86, top, False)
    for idx in range(8):
        p.text(80, top + 13 * idx + 6, f"attribute {idx}", anchor="end")
        p.text(196, top + 13 * idx + 6, f"thread {idx}")
    p.text(256, top + 44, "thread idx has", within=100)
    p.text(256, top + 58, "attributes idx,", within=100)
    p.text(256, top + 72, "idx + 128, ...", within=100)
    p.y = bottom + 8
    p.key(("a", f"instance gx = {GX}"), ("b", f"instance gy = {GY}"))
    p.note("A warp's request for data[instances * i + gx], i = 0 to 31: the next thread's value is a whole row further.")
    p.sectors(touched(lambda i: INT * (INSTANCES * i + GX)))
    p.note("The value of instance gy is a second request, with 32 sectors of its own.")


def stage_02_coalesced(p):
    """The table lies by instances: a warp's 32 values lie side by side in four sectors"""
    p.head("01_naive: data[instances * i + gx]")
    p.sectors(touched(lambda i: INT * (INSTANCES * i + GX)))
    p.head("02_coalesced: data[i + attributes * gx]")
    top = p.y + 16
    bottom = table(p, 20, top, True)
    for k, words in enumerate(("thread idx reads attribute idx", "of both rows: its neighbour", "reads the next 4 bytes")):
        p.text(180, top + 36 + 14 * k, words)
    p.y = bottom + 8
    p.key(("a", f"instance gx = {GX}"), ("b", f"instance gy = {GY}"))
    p.sectors(touched(lambda i: INT * (i + ATTRIBUTES * GX)))


def stage_03_char4(p):
    """One load brings four attributes, a byte each: a quarter of the requests and sectors"""
    p.head("02_coalesced: 32 attributes per request")
    p.cells(MARGIN, p.y, 42, 18, ["0", "2", "1", "0", "1", "1", "0", "2"], "a")
    p.brace(MARGIN, MARGIN + 42, p.y + 21, "lane 0")
    p.brace(MARGIN + 44, MARGIN + 84, p.y + 21, "lane 1")
    p.y += 46
    p.note("128 attributes take 4 requests of 4 sectors: 16 sectors.")
    p.head("03_char4: data + i + pitch * gx, a byte each")
    p.cells(MARGIN, p.y, 10.5, 18, ["0", "2", "1", "0", "1", "1", "0", "2"] * 4, "a", 9)
    p.brace(MARGIN, MARGIN + 42, p.y + 21, "lane 0")
    p.brace(MARGIN + 44, MARGIN + 84, p.y + 21, "lane 1")
    p.text(MARGIN + 96, p.y + 30, "j.x, j.y, j.z, j.w in one load of a char4", ink="soft")
    p.y += 46
    p.note("128 attributes take one request:")
    p.sectors(touched(lambda idx: 4 * idx, 4))


def stage_04_registers(p):
    """Four differences are counted in a register, and added to global memory once"""
    x = [MARGIN + 86 * k for k in range(4)]
    for stage, here in (("03_char4: up to four atomic additions per trip", False), ("04_registers: one atomic addition per trip", True)):
        p.head(stage)
        for k, byte in enumerate("xyzw"):
            p.box(x[k], p.y, 78, 18, "a", f"j.{byte} ^ k.{byte}", mono=True)
            p.arrow((x[k] + 39, p.y + 19), (x[k] + 39, p.y + 39))
        p.y += 40
        if here:
            p.box(MARGIN, p.y, 336, 18, "c", "count, in a register: count++")
            p.arrow((MARGIN + 168, p.y + 19), (MARGIN + 168, p.y + 41))
            p.text(MARGIN + 176, p.y + 29, "atomicAdd, also of 0")
            p.y += 42
        else:
            for k in range(4):
                p.text(x[k] + 44, p.y - 11, "atomic")
        p.box(MARGIN, p.y, 336, 18, "d", "distance[gy][gx], in global memory")
        p.y += 26


def stage_05_shared(p):
    """Each thread counts in its own element of dist, in shared memory; thread 0 adds up, and stores distance once"""
    p.head("04_registers: an addition per thread and trip")
    p.cells(MARGIN, p.y, 56, 18, [f"thread {k}" for k in range(4)] + ["...", "127"], "a")
    for k in range(6):
        p.arrow((MARGIN + 28 + 56 * k, p.y + 19), (MARGIN + 28 + 56 * k, p.y + 36))
    p.y += 37
    p.box(MARGIN, p.y, 336, 18, "d", "distance[gy][gx], global memory: atomic")
    p.y += 26
    p.head("05_shared: dist[idx] belongs to thread idx alone")
    p.cells(MARGIN, p.y, 56, 18, [f"thread {k}" for k in range(4)] + ["...", "127"], "a")
    for k in range(6):
        p.arrow((MARGIN + 28 + 56 * k, p.y + 19), (MARGIN + 28 + 56 * k, p.y + 36))
    p.y += 37
    p.cells(MARGIN, p.y, 56, 18, ["dist[0]", "dist[1]", "dist[2]", "dist[3]", "...", "[127]"], "c")
    p.y += 19
    p.cells(MARGIN, p.y, 56, 14, ["bank 0", "bank 1", "bank 2", "bank 3", "...", f"bank {(THREADS - 1) % BANKS}"], "e", 9.5)
    p.y += 15
    p.line((MARGIN, p.y + 6), (WIDTH - MARGIN - 4, p.y + 6), dashed=True)
    p.text(MARGIN, p.y + 16, "barrier; then thread 0 adds dist[1], dist[2], ... dist[127]", ink="soft")
    p.y += 26
    p.times([("thread 0", [(k, k + 1, "d", f"+ [{k + 1}]" if k < 5 else "...") for k in range(6)] + [(6, 7, "d", "+ [127]")]),
             ("the others", [])], 7)
    p.note("127 additions, each after the one before; then one plain store to distance[gy][gx].")


def stage_05b_profiling(p):
    """What one load of a warp adds to the counters of a profiler"""
    for head, address in (("02_coalesced: one load of a warp", lambda i: INT * i), ("01_naive: one load of a warp", lambda i: INT * INSTANCES * i)):
        p.head(head)
        p.sectors(touched(address))
        count = len({address(i) // 32 for i in range(WARP)})
        p.cells(MARGIN, p.y, 168, 18, ["requests + 1", f"sectors + {count}"], "ab")
        p.y += 26
    p.head("What the shares of time say")
    for memory, compute, words in ((0.9, 0.2, "memory bound: move fewer bytes"), (0.3, 0.9, "compute bound: fewer instructions"),
                                   (0.3, 0.25, "neither: the warps wait")):
        p.text(MARGIN, p.y + 7, "memory")
        p.text(MARGIN, p.y + 23, "arithmetic")
        for k, (share, fill) in enumerate(((memory, "a"), (compute, "b"))):
            p.box(72, p.y + 1 + 16 * k, 80, 13, "e")
            p.box(72, p.y + 1 + 16 * k, 80 * share, 13, fill)
        p.text(162, p.y + 15, words)
        p.y += 40
    p.y -= 4


def stage_06_reduction(p):
    """A tree of shuffles adds up a warp's counts in five steps"""
    p.head("05_shared: thread 0 adds 127 numbers in a row")
    p.times([("thread 0", [(k, k + 1, "d", "") for k in range(32)])], 32, arrow=False)
    p.head("06_reduction: five steps, all lanes at once")
    lanes, width = 8, 29
    y = p.y
    for lane in range(lanes):
        p.box(MARGIN + width * lane, y, width - 5, 16, "a", str(lane), 9.5)
    for half in (4, 2, 1):
        for lane in range(half):
            x, other = MARGIN + width * lane + 8, MARGIN + width * (lane + half) + 12
            p.arrow((x, y + 17), (x, y + 33))
            p.arrow((other, y + 17), (x + 10, y + 33))
            p.box(MARGIN + width * lane, y + 34, width - 5, 16, "c")
        p.text(WIDTH - MARGIN, y + 42, f"+ value of lane + {half}", anchor="end", ink="soft")
        y += 34
    p.y = y + 24
    p.note("The last three steps, half = 4, 2, 1. The two before, half = 16 and 8, have brought 32 lanes' numbers into these eight.")
    p.cells(MARGIN, p.y, 70, 18, ["dist[0]", "dist[1]", "dist[2]", "dist[3]"], "b")
    p.text(WIDTH - MARGIN, p.y + 9, "4 warps", anchor="end")
    p.y += 24
    p.note("Lane 0 of each warp stores the warp's sum in dist, and thread 0 adds the other three to its own.")


def stage_07_read_only(p):
    """Each thread computes a pair: all lanes read the same word of the row, and neighbouring words of the columns"""
    p.head("06_reduction: 128 threads share one pair")
    p.box(MARGIN, p.y, 160, 18, "a", "row gx: one word per thread")
    p.box(MARGIN + 176, p.y, 160, 18, "b", "row gy: one word per thread")
    p.y += 26
    p.head("07_read_only: each thread has a pair (gx, gy)")
    p.box(128, p.y, 104, 18, "b", "row[w] of gy", mono=True)
    p.text(244, p.y + 9, "constant memory")
    lanes = [0, 1, 2, 3, None, 31]
    for k, lane in enumerate(lanes):
        x = MARGIN + 57 * k
        p.arrow((180, p.y + 19), (x + 26, p.y + 43))
        p.box(x, p.y + 44, 53, 18, "n", "..." if lane is None else f"lane {lane}")
        p.arrow((x + 26, p.y + 82), (x + 26, p.y + 63))
        p.box(x, p.y + 83, 53, 18, "a", "..." if lane is None else f"gx {lane}" if lane == 0 else f"gx + {lane}")
    p.y += 106
    p.note("Above, one word goes to all lanes. Below, word w of 32 instances lies side by side: column[instances * w].")
    p.sectors(touched(lambda lane: INT * lane))


def stage_08_tiled(p):
    """A block of 64 x 64 pairs loads 64 + 64 rows; a thread has 4 x 4 pairs; rows of 33 words avoid bank conflicts"""
    p.head("07_read_only: a row and a column for one pair")
    p.box(MARGIN + 30, p.y + 16, 110, 12, "b")
    p.box(MARGIN + 150, p.y, 12, 12, "a")
    p.box(MARGIN + 150, p.y + 16, 12, 12, "c")
    p.text(MARGIN + 172, p.y + 22, "2 words for 4 comparisons", ink="soft")
    p.y += 36
    p.head("08_tiled: 64 + 64 rows for 64 x 64 pairs")
    side, cell, tx, ty = 16, 10, 5, 2
    x, y = MARGIN + 40, p.y + 26
    for part in range(4):  # a quarter of the tile is 16 x 16 pairs, drawn as 4 x 4 boxes
        for other in range(4):
            p.box(x + 40 * other, y + 40 * part, 40, 40, "e")
            p.box(x + 40 * other + tx * 40 / side, y + 40 * part + ty * 40 / side, 7, 7, "c")
    for k in range(4):
        p.box(x + 40 * k, y - 18, 40, 14, "a", f"b +{side * k}" if k else "rows b", 9.5)
        p.box(x - 42, y + 40 * k, 38, 40, "b", f"a +{side * k}" if k else "rows a", 9.5)
    for k, words in enumerate(("thread (tx, ty):", "rows ty + 16 r of a,", "rows tx + 16 c of b,", "r, c = 0 to 3:", "16 pairs from", "8 words")):
        p.text(x + 172, y + 24 + 15 * k, words)
    p.y = y + 168
    for words, pitch in (("rows of 32 words: bank of b[row][0], row 0 to 15", 32), ("rows of 33 words, CHUNK + 1", 33)):
        p.text(MARGIN, p.y + 6, words)
        p.y += 14
        banks = [pitch * row % BANKS for row in range(side)]
        p.cells(MARGIN, p.y, 21, 16, banks, "d" if len(set(banks)) == 1 else "c", 9.5)
        p.y += 17
        p.note(f"{side // len(set(banks))} passes" if len(set(banks)) == 1 else "16 different banks: one pass")


def stage_08b_occupancy(p):
    """One warp waits; four warps take turns; the registers of a thread decide how many fit"""
    latency, steps = 4, 16
    p.head("One warp: an instruction, then it waits")
    p.times([("warp 0", [(k, k + 1, "c" if k % latency == 0 else "d", "") for k in range(steps)])], steps, arrow=False)
    p.head("Four warps: one is always ready")
    p.times([(f"warp {w}", [(k, k + 1, "c" if k % latency == w else "n", "") for k in range(w, steps)]) for w in range(4)]
            + [("scheduler", [(k, k + 1, "c", str(k % latency)) for k in range(steps)])], steps)
    p.key(("c", "issues an instruction"), ("n", "waits, unseen"), ("d", "nothing is issued"))
    p.head("65,536 registers of a multiprocessor")
    for registers in (32, 64, 128, 255):
        warps = min(65536 // (32 * registers), 64)
        p.text(MARGIN, p.y + 8, f"{registers} per thread")
        p.box(100, p.y + 1, 190 * warps / 64, 14, "a")
        p.text(106 + 190 * warps / 64, p.y + 8, f"{warps} warps")
        p.y += 20
    p.y += 2


def stage_09_bit_planes(p):
    """Two bit planes hold 32 attributes; a full adder turns three words into two before ones are counted"""
    p.head("08_tiled: four attributes per word, a byte each")
    p.cells(MARGIN, p.y, 84, 18, ["0", "2", "1", "1"], "d")
    p.y += 26
    p.head("09_bit_planes: 32 attributes in two words")
    j, i = [0, 2, 1, 1, 0, 3], [0, 1, 1, 0, 2, 3]
    x = 120

    def row(words, bits, fill):
        p.text(MARGIN, p.y + 8, words)
        p.cells(x, p.y, 26, 16, bits, fill)
        p.text(x + 26 * 6 + 6, p.y + 8, "... 32", ink="soft")
        p.y += 18

    row("instance j", j, "n")
    row("instance i", i, "n")
    p.y += 4
    planes = []
    for plane in range(2):
        row(f"plane {plane} of j", [v >> plane & 1 for v in j], "a")
        row(f"plane {plane} of i", [v >> plane & 1 for v in i], "b")
        planes.append([(a ^ b) >> plane & 1 for a, b in zip(j, i)])
    p.y += 4
    differ = [a | b for a, b in zip(*planes)]
    row("(j0 ^ i0) | (j1 ^ i1)", differ, "c")
    p.note(f"{sum(differ)} ones: {sum(differ)} of these six attributes differ.")
    p.text(MARGIN, p.y + 8, "full adder", SIZE, bold=True)
    p.cells(MARGIN + 82, p.y, 40, 16, ["a", "b", "c"], "c")
    p.arrow((MARGIN + 206, p.y + 8), (MARGIN + 224, p.y + 8))
    p.box(MARGIN + 228, p.y, 46, 16, "c", "odd")
    p.box(MARGIN + 278, p.y, 60, 16, "c", "2 x carry")
    p.y += 24
    p.note("Three words take two counts instead of three.")


def stage_10_tensor_cores(p):
    """A block's tile of 128 x 128 distances is a product of features; while one chunk is multiplied, the next is loaded"""
    p.head("09_bit_planes: xor, or, count for each pair")
    p.cells(MARGIN, p.y, 84, 18, ["j ^ i", "or", "adder", "popc"], "n", mono=True)
    p.y += 26
    p.head("10_tensor_cores: rows of features, multiplied")
    x, y = MARGIN + 106, p.y + 46
    p.box(x, y - 40, 96, 36, "a", "rows i")
    p.box(MARGIN, y, 98, 96, "b", "rows j")
    for k in range(4):
        p.box(x + 48 * (k % 2), y + 48 * (k // 2), 48, 48, "c", f"warp {k}")
    p.brace(x, x + 96, y + 99, "128 x 128 sums")
    p.brace(MARGIN, MARGIN + 98, y + 99, "chunk: 64 bytes")
    p.box(x + 122, y, 16 * 1.6, 16 * 1.2, "b")
    p.text(x + 152, y + 10, "16 x 32 bytes")
    p.box(x + 122, y + 26, 16 * 1.6, 10, "a")
    p.text(x + 152, y + 31, "times 32 x 8")
    p.box(x + 122, y + 43, 14, 18, "c")
    p.text(x + 152, y + 52, "16 x 8 sums")
    p.text(x + 122, y + 72, "one mma instruction", ink="soft")
    p.y = y + 120
    p.times([("load", [(k, k + 1, "n", f"chunk {k}") for k in range(4)]),
             ("multiply", [(k + 1, k + 2, "c", f"chunk {k}") for k in range(3)])], 4.2)
    p.note("The block holds chunk k in a[k % 2] and b[k % 2].")


def stage_11_binary_tensor_cores(p):
    """The same registers hold eight times as many features, a bit each"""
    for head, many, words in (("10_tensor_cores: four features per word", 4, "16 x 32 bytes times 32 x 8: 4,096 products"),
                              ("11_binary_tensor_cores: 32 features per word", 32, "16 x 256 bits times 256 x 8: 32,768 products")):
        p.head(head)
        for bit in range(32):
            used = bit % (32 // many) == 0
            p.box(MARGIN + 10.5 * bit, p.y, 10.5, 18, "a" if used else "e", "1" if used and bit % 3 else "0", 9)
        p.y += 24
        p.note(f"{many} of 32 bits are features. One mma of a warp, with the same registers: {words}.")
    p.y -= 2
    p.bars([("loop over features", 8, "d"), ("the same, lesson 11", 1, "c")], "trips")
    p.note("What a tile does once, waiting for its first chunk and writing its distances, is not shortened.")


def triangle(t):
    return {(row, column): number for number, (row, column) in enumerate((r, c) for r in range(t) for c in range(r, t))}


def stage_12_half_matrix(p):
    """Blocks compute the tiles on and above the diagonal and store each a second time, mirrored"""
    t, cell = 4, 32
    p.head("11: 16 blocks", (180, "12_half_matrix: 10"))
    y = p.y
    p.grid(MARGIN, y, t, t, cell, cell, lambda r, c: "d", lambda r, c: t * r + c)
    numbers = triangle(t)
    x = 190
    p.grid(x, y, t, t, cell, cell, lambda r, c: "c" if r <= c else "n", lambda r, c: numbers[min(r, c), max(r, c)])
    p.arrow((x + 2.5 * cell, y + 0.75 * cell), (x + 0.8 * cell, y + 2.3 * cell))
    p.y = y + t * cell + 6
    p.key(("c", "computed by block"), ("n", "the same tile, mirrored"))
    p.note("Before row j there are j t - j (j - 1) / 2 tiles: 0, 4, 7, 9 for t = 4. So block 5 is in row 1, its second tile.")
    p.bars([("tiles loaded, t = 79", 79 * 79, "d"), ("here", 79 * 80 // 2, "c")], "")


def stage_13_async_copies(p):
    """Copies run two lines ahead and fragments one step ahead of the products; a swizzle spreads eight rows over all banks"""
    p.head("12: products wait for chunks and fragments")
    p.times([("load", [(0, 2, "n", "k"), (5, 7, "n", "k + 1")]), ("store, wait", [(3.9, 5, "d", ""), (8.9, 10, "d", "")]),
             ("multiply", [(2, 3.9, "c", "k - 1"), (7, 8.9, "c", "k")])], 10)
    p.head("13_async_copies: digits are lines, of four steps")
    line = lambda begin, digits, fill: [(begin + k, begin + k + 1, fill, d) for k, d in enumerate(digits) if d != " "]
    p.times([("copied", line(0, "01", "n") + line(4, "222 333 444", "n")), ("fragments", line(3, "0000111122223", "b")),
             ("multiplied", line(4, "000011112222", "c"))], 17)
    p.note("Lines 0 and 1 are started at once. Then each step starts a third of a line, and every fourth waits for the next line.")
    pieces, rows = 8, 8
    p.text(MARGIN, p.y + 6, "Place of piece p of row r in shared memory: p ^ (r % 8)")
    p.y += 18
    p.text(MARGIN, p.y + 8, "place", ink="soft")
    p.cells(52, p.y, 37, 16, range(pieces), "e")
    p.y += 17
    for r in range(4):
        p.text(MARGIN, p.y + 8, f"row {r}")
        for place in range(pieces):
            piece = place ^ r % rows
            p.box(52 + 37 * place, p.y, 37, 16, "b" if piece == 0 else "n", f"p {piece}")
        p.y += 16
    p.y += 4
    p.note("A place is 16 bytes, four banks. Piece 0 of eight rows lies in eight places: one pass. Without the swizzle all eight would meet in place 0.")


def stage_14_warpgroups(p):
    """A copy engine fills shared memory, and a warpgroup multiplies straight from there"""
    def path(parts, gap):
        for k, (fill, words, way) in enumerate(parts):
            p.box(MARGIN, p.y, 150, 20, fill, words)
            if way:
                p.arrow((MARGIN + 75, p.y + 21), (MARGIN + 75, p.y + 20 + gap))
                p.text(MARGIN + 84, p.y + 20 + gap / 2, way)
                p.y += gap
            p.y += 20
        p.y += 6

    p.head("13_async_copies: threads move everything")
    path([("n", "global memory", "cp.async, 16 bytes: 2,048 per line"), ("a", "shared memory", "ldmatrix: every warp, each step"),
          ("b", "fragments in registers", "mma, 16 x 256 bits by 256 x 8"), ("c", "sums in registers", None)], 20)
    p.head("14_warpgroups: hardware fetches")
    path([("n", "global memory", "cp.async.bulk, 8 KB: 4 per line, one thread"), ("a", "shared: 3 stages of 32 KB", "wgmma, 64 x 256 bits by 256 x 128"),
          ("c", "sums in registers", None)], 22)
    p.cells(MARGIN, p.y, 112, 18, ["stage 0: line 3", "stage 1: line 4", "stage 2: line 2"], "a")
    p.y += 20
    p.cells(MARGIN, p.y, 112, 18, ["full[0]: waits", "full[1]: waits", "full[2]: phase 0 over"], "nnc", 10)
    p.y += 24
    p.note("full[s] counts the bytes of a line. When all 32 KB are there, its phase is over and the warpgroups multiply.")


def stage_15_two_teams(p):
    """One team multiplies while the other writes; one warp copies lines ahead"""
    p.head("14_warpgroups: a block has one tile")
    p.times([("block", [(0, 1, "d", "fill"), (1, 4, "c", "multiply 0"), (4, 6, "b", "write 0"), (6, 7, "d", "fill"), (7, 10, "c", "multiply 1")])], 12,
            arrow=False)
    p.head("15_two_teams: the tensor cores are always busy")
    p.times([("copy warp", [(3 * k, 3 * k + 3, "n", f"tile {k}") for k in range(4)]),
             ("team 0", [(1, 4, "c", "multiply 0"), (4, 6, "b", "write 0"), (7, 10, "c", "multiply 2"), (10, 12, "b", "write 2")]),
             ("team 1", [(4, 7, "c", "multiply 1"), (7, 9, "b", "write 1"), (10, 12, "c", "mult. 3")])], 12)
    p.note("turn[team] passes the tensor cores on. full[stage] and empty[stage] pass the six stages between the copy warp and the teams.")
    p.cells(MARGIN, p.y, 56, 18, ["stage 0", "stage 1", "stage 2", "stage 3", "stage 4", "stage 5"], "caaaan")
    p.y += 22
    p.key(("c", "multiplied"), ("a", "full"), ("n", "being filled by the copy warp"))


def stage_16_wide_tiles(p):
    """A wide tile reads 48 KB where two square ones read 64; its distances are written between the lines of the next tile"""
    unit = 0.34
    p.head("15: two square tiles", (190, "16_wide_tiles: 128 x 256"))
    y = p.y + 14
    x = MARGIN + 14
    for k in range(2):
        p.box(x + 74 * k, y, 128 * unit, 128 * unit, "c")
        p.box(x + 74 * k - 12, y, 9, 128 * unit, "b")
        p.box(x + 74 * k, y - 12, 128 * unit, 9, "a")
    x = 212
    p.box(x, y, 256 * unit, 128 * unit, "c")
    p.box(x - 12, y, 9, 128 * unit, "b")
    p.box(x, y - 12, 256 * unit, 9, "a")
    p.y = y + 128 * unit + 6
    p.text(MARGIN, p.y + 6, "4 x 128 rows of 128 bytes: 64 KB")
    p.text(200, p.y + 6, "(128 + 256) x 128: 48 KB")
    p.y += 20
    p.text(MARGIN, p.y + 6, "Time of a tile's 30 lines and 16 parts", SIZE, bold=True)
    p.y += 16
    p.times([("tensor cores", [(0, 1, "c", "0")] + [(2 * k - 1, 2 * k + 1, "c", f"{2 * k - 1}, {2 * k}") for k in range(1, 4)] + [(7, 8, "c", "..."), (8, 10, "c", "27, 28"), (10, 11, "c", "29")]),
             ("threads", [(2 * k + 0.1, 2 * k + 1.7, "b", f"part {k}") for k in range(3)] + [(9.2, 10.8, "b", "part 15")])], 11, left=82)
    p.note("The parts are columns of the tile before, packed in registers. They are written while the lines of this tile are multiplied.")
    p.text(MARGIN, p.y + 6, "Square tiles that a row computes, here of 7", SIZE, bold=True)
    p.y += 18
    rows, cell = 7, 17
    y = p.y
    p.grid(MARGIN + 40, y, rows, rows, cell, cell, lambda r, c: "c" if (c - r) % rows <= rows // 2 else "n")
    for r in range(0, rows, 3):
        p.text(MARGIN + 34, y + cell * r + 8, f"row {r}", anchor="end")
    for k, words in enumerate(("row r: columns r to r + 3,", "after the last column comes", "column 0. So all rows have", "equally many, and each pair", "of rows meets once.",
                               "79 rows: r to r + 39.")):
        p.text(MARGIN + 40 + cell * rows + 12, y + 12 + 16 * k, words)
    p.y = y + cell * rows + 8


def cpu_simd(p):
    """A panel of four rows and one of four columns: eight loaded vectors serve 16 pairs"""
    p.head("Serial code: two integers, one comparison")
    p.cells(MARGIN, p.y, 40, 18, ["j", "i"], "ab")
    p.text(MARGIN + 92, p.y + 9, "4 bytes each, one attribute", ink="soft")
    p.y += 26
    p.head("cpu_simd: 512 attributes per vector, 4 x 4 pairs")
    x, y, cell = MARGIN + 80, p.y + 22, 40
    for k in range(4):
        p.box(x + cell * k, y - 20, cell, 16, "a", f"j + {k}" if k else "j")
        p.box(x - 72, y + 24 * k, 66, 24, "b", f"row i + {k}" if k else "row i")
        for c in range(4):
            p.box(x + cell * c, y + 24 * k, cell, 24, "c")
    for k, words in enumerate(("16 counters, each", "a vector register", "", "8 loads serve", "16 pairs")):
        p.text(x + 4 * cell + 8, y + 12 + 15 * k, words)
    p.y = y + 104
    p.cells(MARGIN, p.y, 84, 18, ["XOR plane 0", "XOR, OR pl. 1", "count ones", "add"], "ccnn")
    p.y += 24
    p.note("Four instructions for 512 comparisons of two planes. Both panels stay in the first-level cache while a block of words goes by.")


def library_cublas(p):
    """The library's sums go through memory to a second kernel; lesson 10 computes distances while it has the sums"""
    p.head("10_tensor_cores: one kernel")
    p.cells(MARGIN, p.y, 112, 20, ["features", "product", "distances"], "acb")
    p.y += 28
    p.head("library_cublas: a library, and a second kernel")
    p.box(MARGIN, p.y, 80, 20, "a", "features")
    p.arrow((MARGIN + 81, p.y + 10), (MARGIN + 99, p.y + 10))
    p.box(MARGIN + 100, p.y, 108, 20, "c", "cublasGemmEx", mono=True)
    p.arrow((MARGIN + 154, p.y + 21), (MARGIN + 154, p.y + 39))
    p.box(MARGIN + 60, p.y + 40, 188, 20, "d", "product [side][side] in memory")
    p.arrow((MARGIN + 154, p.y + 61), (MARGIN + 154, p.y + 79))
    p.box(MARGIN + 60, p.y + 80, 188, 20, "b", "second kernel: distances")
    p.y += 108
    p.note("The library computes all pairs, since it has no symmetric product of integers, and bytes only: eight times the bits of lesson 11.")
