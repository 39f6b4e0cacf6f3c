#!/usr/bin/env python3
"""judge.py FOLDER [options]: generates programs with known mistakes in FOLDER, runs them, and compares what is found with what must be found.
--simulate WARPLADDER runs them on the simulated device, --sanitizer TOOL under a tool of compute-sanitizer on a GPU. README.md.

A finding is right if it has the kind and one of the lines that the generator says. Exit code 1: the simulated device accuses a right program,
a result is wrong, or a mistake is missed that known.tsv does not name.
"""
import argparse
import collections
import concurrent.futures
import datetime
import os
import pathlib
import re
import subprocess
import sys

import generate

HERE = generate.HERE
INPUTS = re.findall(r'"(\w+)"', re.search(r"INPUTS\[\] = \{(.*)\}", (HERE / "judges.h").read_text())[1])
SAYS = {"race": "race on", "bounds": "out of bounds", "barrier": "diverged barrier", "warp": "waits for lanes|is not in the mask",
        "unwritten": "uninitialised memory", "misaligned": "misaligned", "stuck": "still running", "stale": "stale data"}
SANITIZER_SAYS = {"race": "Race reported", "bounds": "Invalid __(global|shared|local)__", "misaligned": "Invalid .* is misaligned",
                  "barrier": "Barrier error", "warp": "Barrier error", "unwritten": "Uninitialized"}
SLOW = 60  # seconds of a run


def simulated_findings(said):
    return [line for line in said.splitlines() if "found wrong: " in line or line.startswith("warning: ") and "uninitialised memory" in line]


def sanitizer_findings(said):
    """Each finding of a tool of compute-sanitizer, its lines joined up to where the host's frames begin."""
    findings = []
    for line in said.splitlines():
        line = line.removeprefix("=========")
        if re.match(r" *(Error: |Warning: )?(Race reported|Invalid __|Barrier error|Uninitialized)", line):
            findings.append(line.strip())
        elif re.match(r" +(at|and|by|Address|in) ", line) and findings:
            findings[-1] += " " + line.strip()
        elif findings and not re.match(r" +", line):
            findings.append("")  # the next lines belong to none
    return [finding for finding in findings if finding]


def verdict_of(findings, said, code, row, says):
    """found, elsewhere (another kind or line), missed; of a right form: silent, alarm, or wrong. And the finding."""
    if row["kind"] == "none":
        return ("alarm", findings[0]) if findings else ("silent", "") if code == 0 else ("wrong", said[-300:])
    for finding in findings:
        named = set(re.findall(re.escape(row["file"]) + r"\.cu:(\d+)", finding))
        if named & set(row["lines"].split(",")) and any(k in says and re.search(says[k], finding) for k in row["kind"].split("/")):
            return "found", finding
    return ("elsewhere", findings[0]) if findings else ("missed", said[-300:])


def run(folder, row, name, tool):
    # On one processor, so one worker: which of several mistakes comes first is then the same each time.
    command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), folder / row["file"], row["form"], name]
    if tool:
        command = ["compute-sanitizer", "--tool", tool, *command]
    environment = dict(os.environ, WL_SIM_SECONDS="4")
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SLOW)
        said, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        said, code = f"still running after {SLOW} s", 124
    if tool:
        verdict, finding = verdict_of(sanitizer_findings(said), said, code, row, SANITIZER_SAYS)
    else:
        verdict, finding = verdict_of(simulated_findings(said), said, code, row, SAYS)
    return dict(row, input=name, verdict=verdict, finding=finding)


def rows_of(path):
    head, *rows = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
    return [dict(zip(head, row)) for row in rows]


def known_misses():
    """Pairs of a pattern and a fault, with the reason why the simulated device does not see the fault."""
    return {(row["pattern"], row["fault"]) for row in rows_of(HERE / "known.tsv")}


def judge(options, inputs_of):
    rows = rows_of(options.folder / "forms.tsv")
    files = sorted({row["file"] for row in rows})
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def build(file):
            command = [options.simulate.resolve(), "cc"] if options.simulate else ["nvcc", "-std=c++17", "-arch=sm_90", "-lineinfo"]
            subprocess.run([*command, f"-I{HERE}", options.folder / f"{file}.cu", "-o", options.folder / file], check=True)
        if not options.built:
            list(pool.map(build, files))
        both = [(row, name) for i, row in enumerate(rows) for name in inputs_of(i)]
        return list(pool.map(lambda one: run(options.folder, *one, options.sanitizer), both))


def write_results(path, verdicts):
    """A row per pattern and fault: how many runs, and what became of them."""
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    counts = collections.defaultdict(collections.Counter)
    forms = collections.defaultdict(set)
    for v in verdicts:
        key = (v["family"], v["pattern"], v["fault"], v["kind"])
        counts[key][v["verdict"]] += 1
        forms[key].add(v["form"])
    with path.open("w") as file:
        print("# Programs with known mistakes on the simulated device: tests/sim/judges/README.md", file=file)
        print(f"# commit: {commit}\n# sources: unknown\n# inputs: {' '.join(sorted({v['input'] for v in verdicts}))}", file=file)
        names = ("found", "elsewhere", "missed", "silent", "alarm", "wrong")
        print("family", "pattern", "fault", "kind", "forms", "runs", *names, sep="\t", file=file)
        for key, n in counts.items():
            print(*key, len(forms[key]), sum(n.values()), *(n[name] for name in names), sep="\t", file=file)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folder", type=pathlib.Path)
    how = options.add_mutually_exclusive_group(required=True)
    how.add_argument("--simulate", type=pathlib.Path, metavar="WARPLADDER", help="on the simulated device")
    how.add_argument("--sanitizer", metavar="TOOL", help="on a GPU under memcheck, racecheck, synccheck or initcheck")
    options.add_argument("--only", default="", metavar="WORD", help="forms with WORD in their name")
    options.add_argument("--sample", type=int, metavar="N", help="N forms drawn by chance")
    options.add_argument("--seed", default="today", help="a number, or today (default)")
    options.add_argument("--inputs", type=int, default=len(INPUTS), metavar="N", help="each form with N inputs (default: all)")
    options.add_argument("--built", action="store_true", help="the programs in FOLDER have been compiled before")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="compile and run N at a time")
    options.add_argument("--log", type=pathlib.Path, metavar="FILE", help="a row per run")
    options.add_argument("--results", type=pathlib.Path, metavar="FILE", help="a row per pattern and fault, as results/judges.tsv")
    options = options.parse_args()
    options.folder = options.folder.resolve()
    seed = datetime.date.today().timetuple().tm_yday if options.seed == "today" else int(options.seed)
    if not options.built:
        generate.write(options.folder, generate.chosen_forms(options.only, options.sample, seed))
    verdicts = judge(options, lambda i: [INPUTS[(seed + i + k) % len(INPUTS)] for k in range(options.inputs)])
    if options.log:
        names = ("form", "input", "kind", "verdict", "finding")
        options.log.write_text("\n".join(["\t".join(names)] + ["\t".join(" ".join(v[n].split()) for n in names) for v in verdicts]) + "\n")
    if options.results:
        write_results(options.results, verdicts)
    known = known_misses()
    bad = [v for v in verdicts if v["verdict"] in ("alarm", "wrong")
           or v["verdict"] in ("missed", "elsewhere") and (v["pattern"], v["fault"]) not in known]
    for v in bad:
        print(f"{v['form']} {v['input']}: {v['verdict']}, expected {v['kind']} at {v['file']}.cu:{v['lines']}: {v['finding']}")
    print(f"seed {seed}:", ", ".join(f"{n} {name}" for name, n in sorted(collections.Counter(v["verdict"] for v in verdicts).items())))
    return 1 if bad and options.simulate else 0


if __name__ == "__main__":
    sys.exit(main())
