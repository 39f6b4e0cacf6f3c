"""explain --interactive: steps.py PROGRAM. The numbers of a page are added up here again from its addresses, by the rules of the hardware,
and must be those that `explain --tsv` counts; then the page is used by keys and clicks in headless Chromium."""

import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser  # noqa: E402
import looks  # noqa: E402

PROGRAM = sys.argv[1]
WORK = pathlib.Path(tempfile.mkdtemp())
LESSONS = ["01_naive", "02_coalesced", "03_char4", "04_registers", "05_shared"]
CASES = [
    ([f"lessons/{stage}" for stage in LESSONS], "--instances 4 --attributes 512"),
    (["sw/03_shared_band"], "--subjects 4 --subject-length 12 --query-lengths 12"),
    (["peeling/03_shared"], "--model JC69 --taxa 3 --patterns 16"),
]
STEP, BARRIER, CALL, LOAD, STORE, ATOMIC = range(6)
MOST_BYTES = 5_000_000


def fail(what):
    sys.exit(f"FAILED: {what}")


def explain(*arguments, code=0):
    done = subprocess.run([PROGRAM, "explain", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != code:
        fail(f"exit {done.returncode}, expected {code}: explain {' '.join(arguments)}: {done.stderr}")
    return done


def trace_of(path):
    text = path.read_text()
    if len(text) > MOST_BYTES:
        fail(f"{path.name} has {len(text)} bytes")
    if re.search(r"""(src|href)\s*=|url\(|@import|https?://""", re.sub(r'(?s)<script type="application/json".*?</script>', "", text)):
        fail(f"{path.name} refers to another file")
    return json.loads(re.search(r'(?s)<script type="application/json" id="trace">(.*?)</script>', text)[1])


# ---- the independent sum -----------------------------------------------------------------------------------------------------------

def offsets_of(event):
    """By lane."""
    lanes = [lane for lane in range(32) if (event[2] or 0xFFFFFFFF) >> lane & 1]
    if isinstance(event[7], list):
        total, found = 0, {}
        for lane, step in zip(lanes, event[7], strict=True):
            total += step
            found[lane] = total
        return found
    return {lane: event[7] + event[8] * (lane - lanes[0]) for lane in lanes}


def passes(addresses, size, kind):
    """Trips through 32 banks of 4-byte words, by the rule in docs/simulated-device.md."""

    def trip(lanes):
        words = [(word, lane if kind == ATOMIC else 0) for lane in lanes
                 for word in range(addresses[lane] // 4, (addresses[lane] + size - 1) // 4 + 1)]
        banks = collections.Counter(word % 32 for word, _ in set(words))
        return max(banks.values(), default=0)

    def agree(lanes, distance):
        return all(addresses[lane] == addresses[lane ^ distance] for lane in lanes if lane ^ distance in addresses)

    part = {8: 16, 16: 8}.get(size, 32)
    if part == 32:
        return trip(addresses)
    total = 0
    for first in range(0, 32, 2 * part):
        both = [[lane for lane in addresses if low <= lane < low + part] for low in (first, first + part)]
        together = kind == LOAD and (agree(sum(both, []), 1) or agree(sum(both, []), 2))
        total += trip(sum(both, [])) if together else trip(both[0]) + trip(both[1])
    return total


def add_up(trace, launch):
    sums = collections.Counter()
    for block in launch["blocks"]:
        for number, warp in enumerate(block["warps"]):
            for event in warp:
                if event[0] == BARRIER:
                    sums["barriers"] += number == 0  # which the counters have once for each block
                if event[0] < LOAD:
                    continue
                kind, memory, size = event[0], trace["memories"][event[4]], event[5]
                addresses = {lane: offset + memory["phase"] for lane, offset in offsets_of(event).items()}
                sectors = {byte // 32 for a in addresses.values() for byte in range(a, a + size)}
                if memory["space"] == "s":
                    trips = passes(addresses, size, kind)
                    if trips != event[6]:
                        fail(f"{trips} passes by hand, {event[6]} in the page: {event}")
                    sums["shared_requests"] += 1
                    sums["shared_passes"] += trips
                elif memory["space"] == "c":
                    sums["constant_requests"] += 1
                elif kind == ATOMIC:
                    sums["atomic_requests"] += 1
                    sums["atomic_operations"] += len(addresses)
                    sums["atomic_addresses"] += len(set(addresses.values()))
                else:
                    what = "load" if kind == LOAD else "store"
                    sums[f"global_{what}_requests"] += 1
                    sums[f"global_{what}_sectors"] += len(sectors)
    return sums


def check_sums(names, shape):
    made = explain(*names, "--interactive", "--out", str(WORK), *shape.split())
    rows = list(csv.DictReader(explain(*names, "--tsv", *shape.split()).stdout.splitlines(), delimiter="\t"))
    for name in names:
        path = WORK / f"{name.replace('/', '_')}_steps.html"
        if str(path) not in made.stderr:
            fail(f"{path} is not named: {made.stderr}")
        trace = trace_of(path)
        mine = collections.defaultdict(collections.Counter)
        for launch in trace["launches"]:
            mine[launch["kernel"]].update(add_up(trace, launch))
        if not all(file["lines"] for file in trace["files"]):
            fail(f"{name}: source files without lines")
        stage = name.split("/")[1]
        kernels = [row for row in rows if row["variant"] == stage]
        if trace["left_out"] or not kernels or {row["kernel"] for row in kernels} != set(mine):
            fail(f"{name}: {trace['left_out']} left out, kernels {set(mine)}")
        for row in kernels:
            for counter in [key for key in row if key.endswith(("requests", "sectors", "operations", "passes", "addresses", "barriers"))]:
                if mine[row["kernel"]][counter] != int(row[counter]):
                    fail(f"{name}: {counter} is {mine[row['kernel']][counter]} in the page, {row[counter]} in the table")


# ---- limits and mistakes -----------------------------------------------------------------------------------------------------------

def check_limits():
    explain("peeling/07_tensor", "--interactive", "--out", str(WORK))  # which does not take the usual shape: another one
    explain("lessons/05_shared", "--interactive", "--out", str(WORK), "--steps", "900")
    trace = trace_of(WORK / "lessons_05_shared_steps.html")
    blocks = trace["launches"][0]["blocks"]
    if trace["kept"] > 900 or trace["left_out"] == 0 or [b["block"] for b in blocks] != list(range(len(blocks))):
        fail(f"--steps 900: {trace['kept']} kept, {trace['left_out']} left out")
    explain("lessons/05_shared", "--interactive", "--out", str(WORK), "--block", "1,2")
    if [b["block"] for b in trace_of(WORK / "lessons_05_shared_steps.html")["launches"][0]["blocks"]] != [9]:
        fail("--block 1,2 is not block 9 of 4 x 4")
    for wrong in (["--steps", "9"], ["--interactive", "--tsv"], ["--interactive", "--figure"], ["--interactive", "--steps", "0"],
                  ["--interactive", "--block", "9,9"]):
        explain("lessons/05_shared", "--out", str(WORK), *wrong, code=2)


# ---- the browser -------------------------------------------------------------------------------------------------------------------

def check_page(page, name):
    trace = trace_of(WORK / f"{name}_steps.html")
    events = trace["launches"][0]["blocks"][0]["warps"][0]
    page.size(1440, 1000)
    page.open(WORK / f"{name}_steps.html")

    def shows(number):
        shown = page.evaluate("document.getElementById('place').textContent")
        line = page.evaluate("+document.querySelector('li.now').dataset.line")
        wanted = f"step {number + 1:,} of {len(events):,}"
        if shown != wanted or line != trace["places"][events[number][1]][1]:
            fail(f"{name}: shows {shown}, line {line}; expected {wanted}, line {trace['places'][events[number][1]][1]}")

    shows(0)
    page.key("ArrowRight")
    page.key("ArrowRight")
    shows(2)
    page.key("ArrowLeft")
    shows(1)
    page.click("#forward")
    shows(2)
    page.click("#back")
    shows(1)
    page.key("Home")
    idle = [i for i, e in enumerate(events) if e[0] != BARRIER and e[2] != e[3]]
    if idle:
        page.key("d")
        shows(idle[0])
    page.key("End")
    shows(len(events) - 1)
    total = page.evaluate("""[...document.querySelectorAll('#totals tbody tr')].map(r => [...r.cells].map(c => c.textContent))""")
    if any(row[2] != row[3] for row in total):
        fail(f"{name}: after the last step, the warp so far is not the whole warp: {total}")
    if page.problems:
        fail(f"{name}: {page.problems}")


def check_conflict(page):
    """The key goes from one conflict to the next, until banks have one; and the sentence says which it is."""
    name = "sw_07_stream"
    explain("sw/07_stream", "--interactive", "--out", str(WORK))
    trace = trace_of(WORK / f"{name}_steps.html")
    page.open(WORK / f"{name}_steps.html")
    for i, e in enumerate(trace["launches"][0]["blocks"][0]["warps"][0]):
        if e[0] < LOAD:
            continue
        space, lanes = trace["memories"][e[4]]["space"], (e[2] or 0xFFFFFFFF).bit_count()
        collides = space == "g" and e[0] == ATOMIC and e[6] < lanes
        conflicts = space == "s" and e[5] == 4 and e[6] > 1
        if not collides and not conflicts:
            continue
        page.key("c")
        said, at = page.evaluate("[document.getElementById('said').textContent, at]")
        if at != i or ("because of bank conflicts" if conflicts else "collision") not in said:
            fail(f"the next conflict is step {i}; the page is at {at}: {said}")
        if conflicts:
            return
    fail("no bank conflict")


def check_frames(page):
    """A step is drawn within a sixtieth of a second: script and layout, the median of steps through the whole warp, which other work on the
    machine moves little."""
    for width in (1440, 360):
        page.size(width, 1000)
        page.open(WORK / "sw_07_stream_steps.html")
        median = page.evaluate("""(() => { const times = [], step = Math.ceil(events.length / 200);
            for (at = 0; at < events.length; at += step) {
                const start = performance.now(); draw(); document.body.offsetHeight; times.push(performance.now() - start); }
            return times.sort((a, b) => a - b)[times.length >> 1]; })()""")
        if median > 1000 / 60:
            fail(f"a step takes {median:.1f} ms at {width} pixels")


def check_looks(page):
    """Nothing is wider than a phone; each control has a name."""
    for dark in (False, True):
        page.size(360, 740, dark)
        page.open(WORK / "lessons_05_shared_steps.html")
        if page.evaluate("document.documentElement.scrollWidth") > 360:
            fail("wider than 360 pixels")
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    controls = [n for n in tree if n.get("role", {}).get("value") in ("button", "slider", "combobox", "img", "region", "table")]
    nameless = [n for n in controls if not n.get("name", {}).get("value") and n["role"]["value"] != "table"]
    if len(controls) < 9 or nameless:
        fail(f"controls without a name: {nameless}")
    if page.problems:
        fail(page.problems)


for names, shape in CASES:
    check_sums(names, shape)
shown = [name.replace("/", "_") for names, _ in CASES for name in names]
if browser.PROGRAM is None:
    check_limits()
    print("skipped: chromium is not installed; the sums are as counted")
else:
    with browser.Browser() as page:
        for name in ("lessons_01_naive", "lessons_05_shared", "sw_03_shared_band"):
            check_page(page, name)
        check_conflict(page)
        check_frames(page)
        check_looks(page)
    looks.check(WORK / "lessons_05_shared_steps.html", "viewer")
    check_limits()
