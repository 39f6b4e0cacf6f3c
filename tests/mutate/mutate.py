#!/usr/bin/env python3
"""mutate.py [options]: are the checks strong enough to see a mistake? Makes mutants of the ladders' kernels, their CPU code and the
harness's comparison, runs the check that should see each, and files it:

    killed    the check failed, crashed or ran out of time
    same      it is no mistake: the compiler makes the same machine code of it
    equal     it is no mistake: someone read it, and equal.tsv has the reason
    escaped   the check passed: it has a hole, or the mutant belongs in equal.tsv

settled.tsv has those that have been killed. --settled tries some of them again: each has to be killed once more.

A mutant is a seed and a number. A stage, an operator of operators.py and a place are chosen by them, so that each can be made again:
`mutate.py --seed 1 --first 17 --count 1`. What does not compile is no mutant: another one is drawn for its number.
"""
import argparse
import collections
import concurrent.futures
import csv
import datetime
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import operators

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LADDERS = ("lessons", "sw", "papara", "peeling", "distances")
HARNESS = ("harness/bench/expected.c", "harness/bench/check.c", "harness/bench/trial.c")
DRAWS = 12  # for one number, until a mutant compiles
MANY = 3  # mutants of a stage for which its headers are compiled beforehand
ENOUGH = 25  # seconds of processor time for all but a few checks
INSTRUCTION_SETS = ("portable", "sse41", "avx2", "avx512bw")
SKIPPED = 77  # the exit code of a test's script
NO_MACHINE = 4  # the exit code where this processor does not have one
CHECKED_HEAP = {"LD_PRELOAD": "libc_malloc_debug.so.0", "GLIBC_TUNABLES": "glibc.malloc.check=3"}  # the sanitizer costs more, and sees more
BAD_USAGE = 2  # where a ladder has no such variant
BOUNDS = ["-fsanitize=bounds", "-fsanitize-undefined-trap-on-error"]  # of arrays, local ones too: as stages in a build with sanitizers


class Build:
    """What the build folder knows: how each file is compiled, of which objects the programs are made."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.commands = {}  # object file -> (words up to -o, source)
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.commands[self.folder / entry["directory"] / words[words.index("-o") + 1]] = (words[:words.index("-o")], pathlib.Path(entry["file"]))
        self.tools = self.folder / "lib/warpladder"
        self.stages = []
        self.plain = {}  # object file -> the digest of its code
        self.kept = tempfile.TemporaryDirectory(prefix="wl-mutate-")
        self.scratch = pathlib.Path(self.kept.name)
        self.is_ninja = (self.folder / "build.ninja").exists()
        commands = self.ninja("commands", "wl_labs_program") if self.is_ninja else (self.folder / "CMakeFiles/wl_labs_program.dir/build.make").read_text()
        self.program = [os.path.normpath(word) if word.startswith("/") else word
                        for word in shlex.split(re.search(r"(\S*ld -r -o [^&\n]*)", commands)[1])]
        self.links = {name: self.link_of(name) for name in ("warpladder-tests", "warpladder-more")}
        names = subprocess.run([self.folder / "warpladder-tests"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        self.unit_tests = re.findall(r"unit\.\w+", names)

    def ninja(self, tool, *words):
        return subprocess.run(["ninja", "-t", tool, *words], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def link_of(self, name):
        """The words that link a program of tests, and the folder that its paths are relative to."""
        if self.is_ninja:
            line = self.ninja("commands", name).splitlines()[-1]
            return shlex.split(line.removeprefix(": && ").removesuffix(" && :")), self.folder
        beside = self.folder / "tests"
        return shlex.split((beside / f"CMakeFiles/{name}.dir/link.txt").read_text()), beside

    def sources(self, made):
        """The files of the tree that an object file was made of."""
        if self.is_ninja:  # which takes the compiler's own list away
            words = self.ninja("deps", os.path.relpath(made, self.folder)).splitlines()[1:]
        else:
            words = pathlib.Path(f"{made}.d").read_text().replace("\\\n", " ").split()[1:]
        paths = (os.path.normpath(self.folder / word.strip()) for word in words if word.strip())
        return sorted({os.path.relpath(path, ROOT) for path in paths if path.startswith(f"{ROOT}/")})

    def objects(self, target):
        return [made for made in self.commands if f"/{target}.dir/" in str(made)]

    def differs(self, made, own, work):
        """Whether an object file has other code or data than one of the build's own."""
        if own not in self.plain:
            self.plain[own] = plain_code(own, work)
        return plain_code(made, work) != self.plain[own]


def plain_code(made, work):
    """A digest of the code and data of an object file."""
    run(["objcopy", "--strip-debug", "--remove-section=.comment", made, work / "plain.o"], work)
    return hashlib.sha256((work / "plain.o").read_bytes()).digest()


INSTRUMENTED = re.compile(r"-fsanitize|--param=tsan|-fno-|-ffp|-O|-g|-finline")


class Stage:
    """A stage's kernel.cu and the headers of its ladder, checked on the simulated device."""

    def __init__(self, build, name):
        self.build, self.name, self.ladder = build, name, name.split("/")[0]
        self.made = build.objects(name.replace("/", ".") + ".sim")[:1]
        kits = [path for path in build.sources(self.made[0]) if re.match(rf"({self.ladder}/kit|allpairs)/.*\.h$", path)]
        self.files = [f"{name}/kernel.cu"] * 3 * max(len(kits), 1) + kits  # three of four mutants are the kernel's own
        build.stages.append(self)
        self.once, self.mutants, self.beforehand, self.optimised, self.seconds = threading.Lock(), 0, None, None, None

    def built(self, kernel, work, header=()):
        """The object file of a kernel in the folder `work`, and what the compiler says."""
        words, source = self.build.commands[self.made[0]]
        translated, made = work / source.name, work / "stage.o"
        run([self.build.tools / "chevrons", kernel, translated], work)
        translated.write_text(translated.read_text().replace(f"{work}/shadow", str(ROOT)))
        compiler, *rest = shadowed(words, work)
        said = run(["sh", ROOT / "cmake/symbol-table.sh", "cc", "readelf", "objcopy", "ld", ROOT, compiler, *header, *rest, "-g0", "-Wno-error",
                    "-c", translated, "-o", made], work)
        return made, said

    def kernel_of(self, file, work):
        return (work / "shadow" if file.endswith("kernel.cu") else ROOT) / self.name / "kernel.cu"

    def compile(self, file, work):
        """The object file, whether it has other machine code than the stage's, and what the compiler warns of."""
        kernel = self.kernel_of(file, work)
        with self.once:
            self.mutants += 1
            if self.mutants == MANY:
                self.beforehand = self.compile_headers(ROOT / self.name / "kernel.cu")
            beforehand = self.beforehand
        if beforehand is None:
            made, said = self.built(kernel, work)
            return [made], self.build.differs(made, self.made[0], work), warnings(said)
        header, own, usual = beforehand
        made, said = self.built(kernel, work, header)
        return [made], plain_code(made, work) != own, warnings(said, usual)

    def compile_headers(self, kernel):
        """Compiles once what each stage includes and no mutant changes, which costs more than most kernels: the compiler's words for it,
        and the stage's own code and warnings with them."""
        words, _ = self.build.commands[self.made[0]]
        work = self.build.scratch / self.name.replace("/", ".")
        work.mkdir()
        header = work / "stage.h"
        header.write_text('#include "harness/stage.h"\n')
        run([*words, "-g0", "-w", "-x", "c++-header", header, "-o", f"{header}.gch"], self.build.folder)
        made, said = self.built(kernel, work, ["-include", header])
        return ["-include", header], plain_code(made, work), said

    def is_the_same_optimised(self, work):
        """Whether an optimising compiler makes the same code of it, when no access has to report itself."""
        words, source = self.build.commands[self.made[0]]
        plain = [word for word in words if not INSTRUMENTED.match(word)] + ["-O3", "-g0", "-w", "-Wno-error", "-S", "-o"]
        run([*shadowed(plain, work), work / "mutant.s", work / source.name], work)
        if self.optimised is None:
            run([*plain, work / "tree.s", source], work)
            self.optimised = numbered(work / "tree.s")
        return numbered(work / "mutant.s") == self.optimised

    def link(self, objects, work, program="program"):
        run(["sh", ROOT / "cmake/private-objects.sh", "ld", "nm", "objcopy", work / "sealed.o", *objects], work)
        run(["g++", "-o", work / program, self.build.tools / "warpladder-labs.o", work / "sealed.o",
             f"@{self.build.tools}/labs-link-flags"], work)

    def check(self, file, work, limit):
        words = ["check", self.name, "--device", "sim"]
        said = run_check([work / "program", *words], limit) or self.unit_tests(work, limit)
        if not said:  # and where a kernel that leaves an array is stopped?
            self.link([self.built(self.kernel_of(file, work), work, BOUNDS)[0]], work, "bounds")
            said = run_check([work / "bounds", *words], limit)
        return said

    def unit_tests(self, work, limit):
        """What the unit tests of stages say: of the ladder's, which ask for what only the tools do, and of all, on smaller devices."""
        line, beside = self.build.links["warpladder-tests"]
        own = f"variants/{self.name.replace('/', '.')}.sim.o"
        words = [work / "sealed.o" if word.endswith(own) else word for word in line]
        words[words.index("-o") + 1] = work / "warpladder-tests"
        run(words, work, cwd=beside)
        said = ""
        for name in (f"unit.{self.ladder}_stages", "unit.less_memory"):
            if name in self.build.unit_tests:
                said = said or run_unit_test(work, name, limit)
        return said

    def own_seconds(self):
        """The processor time of the check of the stage as it is."""
        with self.once:
            if self.seconds is None:
                work = self.build.scratch / f"{self.name.replace('/', '.')}.own"
                work.mkdir()
                self.link(self.made, work)
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                run([work / "program", "check", self.name, "--device", "sim"], work)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.seconds = after.ru_utime - before.ru_utime  # with what ends meanwhile: a limit need not be exact
        return self.seconds


def numbered(path):
    """Assembly whose own symbols are numbers, in their order: a template's parameter of another type makes another name of the same code."""
    text = path.read_text()
    own, number = set(re.findall(r"^(_Z\w+):", text, re.M)), {}
    return re.sub(r"\b_Z\w+", lambda m: f"_Z.{number.setdefault(m[0], len(number))}" if m[0] in own else m[0], text)


class HostCode:
    """Objects of the program for labs: a ladder's CPU variant or its reference. The check of the CPU variant against the reference sees both."""

    def __init__(self, build, name, targets, files):
        self.build, self.name, self.ladder, self.files = build, name, name.split("/")[0], files
        self.made = [made for target in targets for made in build.objects(target) if set(build.sources(made)) & set(files)]

    def copies(self, file, work):
        """(object file, the compiler's words, source) of each that the mutated file is part of."""
        for made in self.made:
            words, source = self.build.commands[made]
            if file not in self.build.sources(made):
                continue
            copy = work / "shadow" / os.path.relpath(source, ROOT)
            if not copy.exists():  # a file that includes the mutated one by its full path
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(source.read_text().replace(str(ROOT / file), str(work / "shadow" / file)))
            yield made, shadowed(words, work), copy

    def compile(self, file, work, *more):
        changed, different, said = {}, False, ""
        for made, words, copy in self.copies(file, work):
            changed[made] = work / f"{len(changed)}.o"
            said += run([*words, *more, "-Wno-error", "-c", copy, "-o", changed[made]], work)
            different = different or self.build.differs(changed[made], made, work)
        return [changed.get(made, made) for made in self.made], different, warnings(said)

    def is_the_same_optimised(self, work):
        return False  # it has been compared as optimised

    def own_seconds(self):
        return 0

    def instead(self, objects, work):
        """Each of the build's objects for which another one is linked, and that one. What is sealed into one object is sealed anew."""
        instead = {str(made): str(other) for made, other in zip(self.made, objects)}
        for word in [word for word in self.build.program if word.endswith(".o") and "/variants/" in word]:
            target = pathlib.Path(word).name.removesuffix(".o").removesuffix(".cpu")
            members = self.build.objects(target)
            if any(str(member) in instead for member in members):
                instead[word] = str(work / pathlib.Path(word).name)
                run(["sh", ROOT / "cmake/private-objects.sh", "ld", "nm", "objcopy", instead[word],
                     *(instead.get(str(member), member) for member in members)], work)
        return instead

    def link(self, objects, work, *more):
        instead = self.instead(objects, work)
        words = [instead.get(word, word) for word in self.build.program]
        words[words.index("-o") + 1] = work / "all.o"
        run(words, work)
        run(["g++", *more, "-o", work / "program", work / "all.o", f"@{self.build.tools}/labs-link-flags"], work)

    def link_tests(self, name, objects, work):
        """The program of tests `name`, with other objects."""
        line, beside = self.build.links[name]
        instead = {os.path.relpath(made, beside): other for made, other in self.instead(objects, work).items()}
        words = [instead.get(word, word) for word in line]
        words[words.index("-o") + 1] = work / name
        run(words, work, cwd=beside)

    def check(self, file, work, limit):
        """With each instruction set, as the variant's unit test has it; by the ladder's unit tests; then under the address sanitizer, as
        continuous integration has it."""
        words = [work / "program", "check", f"{self.ladder}/cpu_simd", "--device", "cpu"]
        said = run_check(words, limit)
        for isa in INSTRUCTION_SETS:
            said = said or run_check(words, limit, passes=(0, NO_MACHINE), WL_CPU_ISA=isa)
        if not said and self.name.endswith("/reference"):  # which is a variant, too
            said = run_check([*words[:2], f"{self.ladder}/serial*", *words[3:]], limit, passes=(0, BAD_USAGE))
        said = said or self.unit_tests(file, work, limit)
        if not said:
            self.link(self.compile(file, work, "-fsanitize=address")[0], work, "-fsanitize=address")
            said = run_check(words, limit, ASAN_OPTIONS="detect_leaks=0")
        return said

    def unit_tests(self, file, work, limit):
        self.link_tests("warpladder-tests", self.compile(file, work)[0], work)
        said = ""
        for name in self.build.unit_tests:
            if name.startswith(f"unit.{self.ladder}_"):
                said = said or run_unit_test(work, name, limit, **CHECKED_HEAP)
        return said


class Harness(HostCode):
    """What checks and compares. The unit tests see it, and so do the tests of wrong variants, each of which a check has to refuse."""

    def __init__(self, build, file):
        super().__init__(build, "harness/" + pathlib.Path(file).stem, ["wl_harness"], [file])

    def link(self, objects, work):
        for name in self.build.links:
            self.link_tests(name, objects, work)

    def check(self, file, work, limit):
        said = ""
        for name in ("check", "compare", "lessons_problem"):
            said = said or run_check([work / "warpladder-tests", f"unit.{name}"], limit)
        for wrong in sorted((ROOT / "tests/sim/wrong").glob("*.expect")):
            words = ["sh", ROOT / "tests/sim/expect.sh", work / "warpladder-more", f"lessons/{wrong.stem}", wrong]
            said = said or run_check(words, limit, passes=(0, SKIPPED))
        return said


class DoesNotBuild(Exception):
    pass


class OutOfTime(Exception):
    pass


def run(words, work, cwd=None):
    """What a program of the build says."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          cwd=cwd or work)
    if done.returncode != 0:
        raise DoesNotBuild(" ".join(str(word) for word in words[:3]) + ": " + done.stderr[:2000])
    return done.stderr


def warnings(said, usual=""):
    """The first warning that is not a usual one. Each ends the build."""
    found = (warning for warning in re.findall(r"warning: .*", said) if warning not in usual)
    return next((f"the build's warnings: {warning}" for warning in found), "")


def shadowed(words, work):
    """A compiler's words that find the mutated file first, and name it as the tree's."""
    first = next(i for i, word in enumerate(words) if word.startswith("-I"))
    return [*words[:first], f"-I{work}/shadow", f"-fmacro-prefix-map={work}/shadow={ROOT}", *words[first:]]


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
    """A unit, a file, an edit. `before` and `after` are the line with the edit and the one above it, which tells equal lines apart."""

    def __init__(self, unit, file, operator, source, edit):
        self.unit, self.file, self.operator = unit, file, operator
        self.text = operators.apply(source, edit)
        begin = source.rfind("\n", 0, max(source.rfind("\n", 0, edit[0]), 0)) + 1
        end = source.find("\n", max(edit[1], begin))
        self.line = source.count("\n", 0, edit[0]) + 1
        self.before = " ".join(source[begin:end].split())
        after = source[begin:edit[0]] + edit[2] + source[edit[1]:end]
        self.after = " ".join(after.split())

    @property
    def key(self):
        return self.file, self.before, self.after


def digest(key):
    """What tells mutants apart, short enough to be listed."""
    return hashlib.sha256("\n".join(key).encode()).hexdigest()[:16]


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
    unit = mutant.unit
    objects, different, said = unit.compile(mutant.file, work)
    if not different:
        return "same", ""
    if not said:
        unit.link(objects, work)
        said = patient_check(unit, mutant.file, work, limit)
    said = said or elsewhere(mutant, work, limit)
    if said:
        return "killed", said
    return ("same" if unit.is_the_same_optimised(work) else "escaped"), ""


def elsewhere(mutant, work, limit):
    """What the checks of other stages say of a mutant of a header: the stage for which it was drawn may not come to that line."""
    for other in mutant.unit.build.stages:
        if other is mutant.unit or mutant.file not in other.files:
            continue
        beside = work / other.name.replace("/", ".")
        beside.mkdir()
        (beside / "shadow").symlink_to(work / "shadow")
        try:
            objects, different, said = other.compile(mutant.file, beside)
            if different and not said:
                other.link(objects, beside)
                said = patient_check(other, mutant.file, beside, limit)
        except DoesNotBuild as why:
            said = str(why)
        if said:
            return f"{other.name}: {said}"
    return ""


def patient_check(unit, file, work, limit):
    """The check with all the time that the unit itself takes, and twice more."""
    try:
        return unit.check(file, work, min(ENOUGH, limit))
    except OutOfTime:
        own = unit.own_seconds()
    if 3 * own > ENOUGH and ENOUGH < limit:
        try:
            return unit.check(file, work, min(round(3 * own), limit))
        except OutOfTime:
            pass
    return f"it takes more than three times the {own:.0f} s of what it was made of" if own else "it does not end"


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def run_check(words, limit, passes=(0,), **variables):
    """What a check said when it failed; empty: it passed. `limit` is in seconds of processor time."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               env={**os.environ, "WL_SIM_SECONDS": "3", "OMP_NUM_THREADS": "1", **variables}, preexec_fn=limits)
    said, used, still = None, -1, 0
    while said is None:
        try:
            said = process.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            before, used = used, processor_time(process.pid)
            still = still + 1 if used == before else 0
            if still == 4:  # two minutes without a step: it waits for something that does not come
                process.kill()
                process.communicate()
                return "it stands still"
    if process.returncode in passes:
        return ""
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise OutOfTime
    lines = [line for line in said.splitlines() if "warpladder" in line or "FAILED" in line or "rror" in line] or said.splitlines()
    return f"exit {process.returncode}: " + (lines[0] if lines else "")[:300]


def run_unit_test(work, name, limit, **variables):
    """What a unit test said when it failed. Those of all stages take long, but end."""
    enough = 4 * limit if name.endswith("_stages") else limit
    return run_check([work / "warpladder-tests", name], enough, **variables)


def file_mutant(mutant, filed, limit, show):
    """The row of a mutant; None: it does not compile."""
    began = time.monotonic()
    work = pathlib.Path(tempfile.mkdtemp(prefix="wl-mutant-"))
    try:
        verdict, detail = examine(mutant, work, filed, limit)
    except DoesNotBuild as why:
        if show == "all":
            print(f"{mutant.file}:{mutant.line}: {mutant.operator}: {mutant.after}: does not compile: {why}", file=sys.stderr)
        return None
    finally:
        shutil.rmtree(work)
    return {"unit": mutant.unit.name, "file": mutant.file, "line": mutant.line, "operator": mutant.operator, "verdict": verdict,
            "before": mutant.before, "after": mutant.after, "detail": " ".join(detail.split()), "seconds": round(time.monotonic() - began, 1)}


def cheapest_first(found, seed, numbers, only):
    """The numbers in an order in which all ladders come by turns, each with the stages first whose objects are small. Whoever ends a
    long campaign early has many mutants of every ladder."""
    costs = {name: sum(made.stat().st_size for made in unit.made) for name, unit in found.items()}
    turns = collections.defaultdict(list)
    for number in numbers:
        name = random.Random(f"{seed} {number} 0").choice(only)
        turns[found[name].ladder].append((costs[name], number))
    ranked = [(rank, number) for turn in turns.values() for rank, (_, number) in enumerate(sorted(turn))]
    return [number for _, number in sorted(ranked)]


def drawn(found, seed, number, only, seen, **how):
    """The row of mutant `number` of a seed, one that has not been `seen`."""
    for attempt in range(DRAWS):
        chance = random.Random(f"{seed} {number} {attempt}")
        mutant = draw(found[chance.choice(only)], chance)
        if mutant is None or mutant.key in seen:
            continue
        seen.add(mutant.key)
        row = file_mutant(mutant, **how)
        if row:
            return {"number": number, **row}
    return None


def again(found, row, **how):
    """The new row of a mutant; None: the tree has changed, and no longer has its place."""
    unit = found.get(row["unit"])
    path = ROOT / row["file"]
    if unit is None or not path.exists():
        return None
    source = path.read_text()
    for edit in operators.mutants(source, row["operator"], only_functions=row["file"].endswith(".h")):
        mutant = Mutant(unit, row["file"], row["operator"], source, edit)
        if digest(mutant.key) == row["digest"]:
            new = file_mutant(mutant, **how)
            return new and {"number": row["number"], **new}
    return None


COLUMNS = ("number", "unit", "file", "line", "operator", "verdict", "before", "after", "detail", "seconds")
TSV = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None, "lineterminator": "\n"}


VERDICTS = ("killed", "same", "equal", "escaped")


def logged(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file, COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        row["digest"] = digest((row["file"], row["before"], row["after"]))
    return rows


SETTLED = ("number", "unit", "file", "operator", "digest")


def settled():
    with open(HERE / "settled.tsv", newline="") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), **TSV))


def settle(rows):
    """Lists the mutants that have been killed."""
    with open(HERE / "settled.tsv", "w", newline="") as file:
        file.write("# Mutants that have been killed, for mutate.py --settled; mutate.py --results writes this.\n")
        table = csv.DictWriter(file, SETTLED, extrasaction="ignore", **TSV)
        table.writeheader()
        table.writerows(row for row in rows if row["verdict"] == "killed")


def count(rows, path):
    """Writes how many mutants of each unit got which verdict."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[tuple(row["unit"].split("/"))][row["verdict"]] += 1
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    with open(f"{path}.new", "w") as file:
        file.write(f"# Mutants of each stage and what became of them: tests/mutate/README.md\n# commit: {commit}\n")
        print("problem", "variant", "mutants", *VERDICTS, sep="\t", file=file)
        for unit in sorted(counts):
            print(*unit, sum(counts[unit].values()), *(counts[unit][verdict] for verdict in VERDICTS), sep="\t", file=file)
    os.replace(f"{path}.new", path)
    subprocess.run([ROOT / "docs/sources", pathlib.Path(path).resolve()], check=True)


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
    parse.add_argument("--only", default="", help="units that match this regular expression")
    parse.add_argument("--limit", type=int, default=90, help="seconds of processor time for one check")
    parse.add_argument("--jobs", type=int, default=2)
    parse.add_argument("--budget", type=int, default=0, help="begin no mutant after this many seconds of processor time; 0: no limit")
    parse.add_argument("--log", help="append a row per mutant to this file; the numbers that it has are not tried again")
    parse.add_argument("--again", action="store_true", help="draw none, but try those in --log that escaped, and write it anew")
    parse.add_argument("--settled", action="store_true", help="draw --count of those in settled.tsv")
    parse.add_argument("--results", help="draw none, but count the mutants in --log, as results/mutation.tsv, and write settled.tsv")
    parse.add_argument("--show", choices=("all", "verdicts"), help="say every verdict; all: also what does not compile")
    options = parse.parse_args()
    if options.results:
        rows = logged(options.log)
        count(rows, options.results)
        settle(rows)
        return 0
    seed = str(datetime.date.today().timetuple().tm_yday) if options.seed == "today" else options.seed
    found = units(Build(options.build))
    only = [name for name in found if re.search(options.only, name)]
    how = {"filed": filed_as_equal(), "limit": options.limit, "show": options.show}
    counts = collections.Counter()
    if options.again:
        todo = logged(options.log)
        work = lambda row: again(found, row, **how) if row["verdict"] == "escaped" else row
    elif options.settled:
        todo = [row for row in settled() if row["unit"] in only]
        random.Random(seed).shuffle(todo)
        todo = todo[:options.count]
        work = lambda row: again(found, row, **how)
    else:
        rows = logged(options.log) if options.log and os.path.exists(options.log) else []
        done = {int(row["number"]) for row in rows}
        seen = {(row["file"], row["before"], row["after"]) for row in rows}
        todo = cheapest_first(found, seed, [number for number in range(options.first, options.first + options.count) if number not in done], only)
        work = lambda number: drawn(found, seed, number, only, seen, **how)
    def unless_spent(item):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = options.budget and used.ru_utime + used.ru_stime > options.budget
        return None if spent else work(item)

    log = options.log and open(f"{options.log}.new" if options.again else options.log, "a", newline="", buffering=1)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(unless_spent, item) for item in todo]):
            row = done.result()
            if row is None:
                continue
            counts[row["verdict"]] += 1
            if log:
                csv.DictWriter(log, COLUMNS, extrasaction="ignore", **TSV).writerow(row)
            if options.show or row["verdict"] == "escaped":
                print("{verdict}: {number}: {unit}: {file}:{line}: {operator}:\n    {before}\n    {after}\n    {detail} ({seconds} s)".format(**row), flush=True)
    if log and options.again:
        log.close()
        os.replace(f"{options.log}.new", options.log)
    print(f"seed {seed}: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in sorted(counts)))
    return 1 if counts["escaped"] else 0


if __name__ == "__main__":
    sys.exit(main())
