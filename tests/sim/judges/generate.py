#!/usr/bin/env python3
"""generate.py FOLDER [--sample N --seed S] [--only WORD]: writes CUDA programs whose mistakes are known, and FOLDER/forms.tsv, one row per form.

patterns/*.txt describe them; README.md explains their format. Each pattern comes in forms: one per combination of its axes, right and
with one of its faults planted. A file of FOLDER holds up to PER_FILE forms; `PROGRAM FORM INPUT` runs one of them.
"""
import argparse
import collections
import itertools
import pathlib
import random
import re

HERE = pathlib.Path(__file__).resolve().parent
PER_FILE = 40

Fault = collections.namedtuple("Fault", "name kind condition")
Form = collections.namedtuple("Form", "name pattern fault kind text")


class Pattern:
    """A section of patterns/*.txt: "=== NAME: what it computes", its axes and faults, "---", and lines of CUDA with conditions."""

    def __init__(self, family, lines):
        self.family = family
        self.name, self.about = re.match(r"=== (\w+): (.*)", lines[0]).groups()
        end = lines.index("---")
        self.axes, self.faults = {}, []
        for line in lines[1:end]:
            word, name, *rest = line.split()
            if word == "axis":
                self.axes[name] = rest
            else:
                assert word == "fault", line
                self.faults.append(Fault(name, rest[0], rest[1:]))
        self.lines = lines[end + 1:]

    def holds(self, condition, chosen, fault):
        """Do all words hold? "map=warp/block", "persistent=no", one of some faults "narrow/fence", or "!" before any of these."""
        for word in condition:
            plain = word.lstrip("!")
            axis, _, values = plain.partition("=")
            assert values or set(plain.split("/")) <= {f.name for f in self.faults}, f"{self.name}: what is {plain}?"
            holds = chosen[axis] in values.split("/") if values else fault in plain.split("/")
            if holds == word.startswith("!"):
                return False
        return True

    def form(self, chosen, fault):
        """The form's text; a line of the finding ends in "//!"."""
        name = "_".join([self.name] + [v for k, v in chosen.items() if v != "no"] + [fault.name if fault else "right"])
        kept = []
        for line in self.lines:
            match = re.match(r"\[([^\]]*)\]", line)
            if match and not self.holds(match[1].split(), chosen, fault and fault.name):
                continue
            line, _, marks = line[match.end() if match else 0:].partition(" //!")
            if fault and fault.name in marks.split():
                line += " //!"
            for axis, value in chosen.items():
                line = line.replace(f"${axis}", value)
            kept.append(line.replace("KERNEL", name).replace("HOST", f"static void host_{name}(const Input &in)"))
        return Form(name, self, fault.name if fault else "right", fault.kind if fault else "none", kept)

    def forms(self):
        for values in itertools.product(*self.axes.values()):
            chosen = dict(zip(self.axes, values))
            yield self.form(chosen, None)
            for fault in self.faults:
                if self.holds(fault.condition, chosen, None):
                    yield self.form(chosen, fault)


def patterns():
    for path in sorted((HERE / "patterns").glob("*.txt")):
        sections = re.split(r"^(?==== )", path.read_text(), flags=re.M)
        for section in sections[1:]:  # before the first stands a comment
            yield Pattern(path.stem, section.rstrip("\n").split("\n"))


def write(folder, forms):
    """Writes the files; the rows of forms.tsv: what each form's finding must say, and its lines."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["file\tform\tfamily\tpattern\tfault\tkind\tlines"]
    for number, start in enumerate(range(0, len(forms), PER_FILE)):
        some = forms[start:start + PER_FILE]
        name = f"judges{number:02}"
        text = ['#include "judges.h"', ""]
        for form in some:
            lines = [str(len(text) + 1 + i) for i, line in enumerate(form.text) if line.endswith(" //!")]
            assert bool(lines) == (form.fault != "right"), f"{form.name}: no line is marked"
            rows.append("\t".join([name, form.name, form.pattern.family, form.pattern.name, form.fault, form.kind, ",".join(lines) or "NA"]))
            text += [line.removesuffix(" //!") for line in form.text] + [""]
        text += ["int main(int argc, char **argv) {", "    static const Program programs[] = {"]
        text += [f'        {{"{form.name}", host_{form.name}}},' for form in some]
        text += ["    };", "    return run(programs, argc, argv);", "}", ""]
        (folder / f"{name}.cu").write_text("\n".join(text))
    (folder / "forms.tsv").write_text("\n".join(rows) + "\n")


def chosen_forms(only, sample, seed):
    forms = [form for pattern in patterns() for form in pattern.forms() if only in form.name]
    assert len({form.name for form in forms}) == len(forms), "two forms have the same name"
    return forms if sample is None else random.Random(seed).sample(forms, min(sample, len(forms)))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--only", default="", metavar="WORD", help="forms with WORD in their name")
    options.add_argument("--sample", type=int, metavar="N", help="N forms drawn by chance")
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    write(options.folder, chosen_forms(options.only, options.sample, options.seed))
