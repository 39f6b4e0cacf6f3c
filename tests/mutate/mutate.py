#!/usr/bin/env python3
"""mutate.py [options]: are the checks strong enough to see a mistake? Makes mutants of the ladders' kernels, their CPU code and the
harness's comparison, runs the check that should see each, and files it:

    killed    the check failed, crashed or ran out of time
    same      it is no mistake: the compiler makes the same machine code of it
    equal     it is no mistake: someone read it, and equal.tsv has the reason
    escaped   the check passed: it has a hole, or the mutant belongs in equal.tsv

A mutant is a seed and a number. A stage, an operator of operators.py and a place are chosen by them, so that each can be made again:
`mutate.py --seed 1 --numbers 17 --show`. What does not compile is no mutant: another one is drawn for its number.
"""
import argparse
import concurrent.futures
import csv
import datetime
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import operators

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LADDERS = ("lessons", "sw", "papara", "peeling", "distances")
HARNESS = ("harness/bench/compare.c", "harness/bench/check.c", "harness/bench/trial.c", "harness/bench/bounds.c")
DRAWS = 12  # for one number, until a mutant compiles


class Build:
    """What the build folder knows: how each file is compiled, of which objects the programs are made."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.commands = {}  # object file -> (words up to -o, source)
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.commands[self.folder / entry["directory"] / words[words.index("-o") + 1]] = (words[:words.index("-o")], pathlib.Path(entry["file"]))
        self.tools = self.folder / "lib/warpladder"
        make = (self.folder / "CMakeFiles/wl_labs_program.dir/build.make").read_text()
        self.program = shlex.split(re.search(r"^\t(\S*ld -r -o .*)$", make, re.M)[1])
        self.tests = shlex.split((self.folder / "tests/CMakeFiles/warpladder-tests.dir/link.txt").read_text())

    def sources(self, made):
        """The files of the tree that an object file was made of."""
        text = pathlib.Path(f"{made}.d").read_text().replace("\\\n", " ")
        paths = (os.path.normpath(self.folder / word) for word in text.split()[1:])
        return sorted({os.path.relpath(path, ROOT) for path in paths if path.startswith(f"{ROOT}/")})

    def objects(self, target):
        return [made for made in self.commands if f"/{target}.dir/" in str(made)]


class Stage:
    """A stage's kernel.cu and the headers of its ladder, checked on the simulated device."""

    def __init__(self, build, name):
        self.build, self.name, self.ladder = build, name, name.split("/")[0]
        self.made = build.objects(name.replace("/", ".") + ".sim")[0]
        kits = [path for path in build.sources(self.made) if re.match(rf"({self.ladder}/kit|allpairs)/.*\.h$", path)]
        self.files = [f"{name}/kernel.cu"] * 3 * max(len(kits), 1) + kits  # three of four mutants are the kernel's own

    def compile(self, file, text, work):
        """The object file, and whether it has other machine code than the stage's."""
        words, source = self.build.commands[self.made]
        kernel = work / "shadow" / f"{self.name}/kernel.cu"
        translated, made = work / source.name, work / "stage.o"
        original = kernel if file.endswith("kernel.cu") else ROOT / self.name / "kernel.cu"
        run([self.build.tools / "chevrons", original, translated], work)
        translated.write_text(translated.read_text().replace(f"{work}/shadow", str(ROOT)))
        run(["sh", ROOT / "cmake/symbol-table.sh", "cc", "readelf", "objcopy", "ld", ROOT, *shadowed(words, work), "-g0", "-w", "-Wno-error",
             "-c", translated, "-o", made], work)
        return [made], differs(made, self.made, work)

    def link(self, objects, work):
        run(["sh", ROOT / "cmake/private-objects.sh", "ld", "nm", "objcopy", work / "sealed.o", *objects], work)
        run(["g++", "-o", work / "program", self.build.tools / "warpladder-labs.o", work / "sealed.o",
             f"@{self.build.tools}/labs-link-flags"], work)

    def checks(self, work):
        return [[work / "program", "check", self.name, "--device", "sim"]]


class HostCode:
    """Objects of the program for labs: a ladder's CPU variant or its reference. The check of the CPU variant against the reference sees both."""

    def __init__(self, build, name, targets, files):
        self.build, self.name, self.ladder, self.files = build, name, name.split("/")[0], files
        self.made = [made for target in targets for made in build.objects(target) if set(build.sources(made)) & set(files)]

    def compile(self, file, text, work):
        objects, different = [], False
        for made in self.made:
            if file not in self.build.sources(made):
                objects.append(made)
                continue
            words, source = self.build.commands[made]
            copy = work / "shadow" / os.path.relpath(source, ROOT)
            if not copy.exists():  # a file that includes the mutated one by its full path
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(source.read_text().replace(str(ROOT / file), str(work / "shadow" / file)))
            objects.append(work / f"{len(objects)}.o")
            run([*shadowed(words, work), "-w", "-Wno-error", "-c", copy, "-o", objects[-1]], work)
            different |= differs(objects[-1], made, work)
        return objects, different

    def link(self, objects, work):
        instead = {str(made): str(other) for made, other in zip(self.made, objects)}
        variant = f"variants/{self.ladder}.cpu_simd.cpu.o"
        sealed = [word for word in self.build.program if word.endswith(".o") and "/variants/" in word]
        for word in sealed:  # whose objects have been sealed into one
            target = pathlib.Path(word).name.removesuffix(".o").removesuffix(".cpu")
            members = self.build.objects(target)
            if any(str(member) in instead for member in members):
                instead[word] = str(work / pathlib.Path(word).name)
                run(["sh", ROOT / "cmake/private-objects.sh", "ld", "nm", "objcopy", instead[word],
                     *(instead.get(str(member), member) for member in members)], work)
        words = [instead.get(word, word) for word in self.build.program]
        words[words.index("-o") + 1] = work / "all.o"
        run(words, work)
        run(["g++", "-o", work / "program", work / "all.o", f"@{self.build.tools}/labs-link-flags"], work)

    def checks(self, work):
        return [[work / "program", "check", f"{self.ladder}/cpu_simd", "--device", "cpu"]]


class Harness(HostCode):
    """What compares and poisons, in the program of the unit tests: they see it."""

    def __init__(self, build, file):
        super().__init__(build, "harness/" + pathlib.Path(file).stem, ["wl_harness"], [file])

    def link(self, objects, work):
        instead = {os.path.relpath(made, self.build.folder / "tests"): str(other) for made, other in zip(self.made, objects)}
        words = [instead.get(word, word) for word in self.build.tests]
        words[words.index("-o") + 1] = work / "program"
        run(words, work, cwd=self.build.folder / "tests")

    def checks(self, work):
        return [[work / "program", f"unit.{name}"] for name in ("compare", "check", "measure", "registry", "sweep", "results")]


class DoesNotBuild(Exception):
    pass


def run(words, work, cwd=None):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          cwd=cwd or work)
    if done.returncode != 0:
        raise DoesNotBuild(" ".join(str(word) for word in words[:3]) + ": " + done.stderr[:2000])


def shadowed(words, work):
    """A compiler's words that find the mutated file first, and name it as the tree's."""
    first = next(i for i, word in enumerate(words) if word.startswith("-I"))
    return [*words[:first], f"-I{work}/shadow", f"-fmacro-prefix-map={work}/shadow={ROOT}", *words[first:]]


def differs(made, other, work):
    """Whether two object files have other code or data."""
    contents = []
    for path in (made, other):
        run(["objcopy", "--strip-debug", "--remove-section=.comment", path, work / "plain.o"], work)
        contents.append((work / "plain.o").read_bytes())
    return contents[0] != contents[1]


def units(build):
    """All that is mutated, by name."""
    found = {}
    for ladder in LADDERS:
        for kernel in sorted(ROOT.glob(f"{ladder}/[0-9][0-9]_*/kernel.cu")):
            name = f"{ladder}/{kernel.parent.name}"
            if build.objects(name.replace("/", ".") + ".sim"):
                found[name] = Stage(build, name)
        files = sorted(os.path.relpath(path, ROOT) for path in ROOT.glob(f"{ladder}/cpu_simd/*.[ch]"))
        found[f"{ladder}/cpu_simd"] = HostCode(build, f"{ladder}/cpu_simd", [f"{ladder}.cpu_simd"], files)
        found[f"{ladder}/reference"] = HostCode(build, f"{ladder}/reference", [f"wl_{ladder}", f"{ladder}.serial_O0"], [f"{ladder}/reference.c"])
    for file in HARNESS:
        unit = Harness(build, file)
        found[unit.name] = unit
    return found


class Mutant:
    """A unit, a file, an edit."""

    def __init__(self, unit, file, operator, source, edit):
        self.unit, self.file, self.operator = unit, file, operator
        self.text = operators.apply(source, edit)
        begin = source.rfind("\n", 0, edit[0]) + 1
        end = source.find("\n", max(edit[1], begin))
        self.line = source.count("\n", 0, edit[0]) + 1
        self.before = " ".join(source[begin:end].split())
        after = source[begin:edit[0]] + edit[2] + source[edit[1]:end]
        self.after = " ".join(after.split())

    @property
    def key(self):
        return self.file, self.before, self.after


def draw(unit, chance):
    """A mutant of a unit: an operator that has a place in it, then a place."""
    file = chance.choice(unit.files)
    source = (ROOT / file).read_text()
    names = list(operators.OPERATORS)
    chance.shuffle(names)
    for operator in names:
        edits = operators.mutants(source, operator, only_functions=file.endswith(".h"))
        if edits:
            return Mutant(unit, file, operator, source, chance.choice(edits))
    return None


def examine(mutant, work, filed, limit):
    """(verdict, detail) of a mutant."""
    if mutant.key in filed:
        return "equal", filed[mutant.key]
    shadow = work / "shadow" / mutant.file
    shadow.parent.mkdir(parents=True, exist_ok=True)
    shadow.write_text(mutant.text)
    objects, different = mutant.unit.compile(mutant.file, mutant.text, work)
    if not different:
        return "same", ""
    mutant.unit.link(objects, work)
    for words in mutant.unit.checks(work):
        verdict = run_check([str(word) for word in words], limit)
        if verdict:
            return "killed", verdict
    return "escaped", ""


def run_check(words, limit):
    """What a check said when it failed; empty: it passed. `limit` is in seconds of processor time."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, "WL_SIM_SECONDS": "3", "OMP_NUM_THREADS": "1"}, preexec_fn=limits)
    try:
        said = process.communicate(timeout=20 * limit)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "out of time"
    if process.returncode == 0:
        return ""
    lines = [line for line in said.splitlines() if "warpladder" in line or "FAILED" in line or "rror" in line] or said.splitlines()
    return f"exit {process.returncode}: " + (lines[0] if lines else "")[:300]


def one(found, seed, number, filed, limit, only, show):
    """The row of mutant `number` of a seed."""
    began = time.monotonic()
    for attempt in range(DRAWS):
        chance = random.Random(f"{seed} {number} {attempt}")
        unit = found[chance.choice(only)]
        mutant = draw(unit, chance)
        if mutant is None:
            continue
        work = pathlib.Path(tempfile.mkdtemp(prefix="wl-mutant-"))
        try:
            verdict, detail = examine(mutant, work, filed, limit)
        except DoesNotBuild as why:
            if show:
                print(f"{mutant.file}:{mutant.line}: {mutant.operator}: {mutant.after}: does not compile: {why}", file=sys.stderr)
            continue
        finally:
            shutil.rmtree(work)
        return {"number": number, "unit": unit.name, "file": mutant.file, "line": mutant.line, "operator": mutant.operator, "verdict": verdict,
                "before": mutant.before, "after": mutant.after, "detail": " ".join(detail.split()), "seconds": round(time.monotonic() - began, 1)}
    return None


COLUMNS = ("number", "unit", "file", "line", "operator", "verdict", "before", "after", "detail", "seconds")
TSV = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None, "lineterminator": "\n"}


def filed_as_equal():
    with open(HERE / "equal.tsv", newline="") as file:
        rows = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(row["file"], row["before"], row["after"]): row["reason"] for row in rows}


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--build", default=ROOT / "build", help="the build folder")
    parse.add_argument("--seed", default="1", help="'today': the day of the year")
    parse.add_argument("--count", type=int, default=40)
    parse.add_argument("--first", type=int, default=0, help="the first number")
    parse.add_argument("--numbers", help="these, separated by commas")
    parse.add_argument("--only", default="", help="units that match this regular expression")
    parse.add_argument("--limit", type=int, default=90, help="seconds of processor time for one check")
    parse.add_argument("--jobs", type=int, default=2)
    parse.add_argument("--log", help="append a row per mutant to this file")
    parse.add_argument("--show", action="store_true", help="say every verdict")
    options = parse.parse_args()
    seed = str(datetime.date.today().timetuple().tm_yday) if options.seed == "today" else options.seed
    numbers = [int(n) for n in options.numbers.split(",")] if options.numbers else range(options.first, options.first + options.count)
    found = units(Build(options.build))
    only = [name for name in found if re.search(options.only, name)]
    filed = filed_as_equal()
    counts = {}
    log = csv.DictWriter(open(options.log, "a", newline="", buffering=1), COLUMNS, **TSV) if options.log else None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda n: one(found, seed, n, filed, options.limit, only, options.show), numbers):
            if row is None:
                continue
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
            if log:
                log.writerow(row)
            if options.show or row["verdict"] == "escaped":
                print("{verdict}: {number}: {unit}: {file}:{line}: {operator}:\n    {before}\n    {after}\n    {detail} ({seconds} s)".format(**row), flush=True)
    print(f"seed {seed}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in sorted(counts)))
    return 1 if counts.get("escaped") else 0


if __name__ == "__main__":
    sys.exit(main())
