#!/usr/bin/env python3
"""check.py [--root DIR]: does each measured figure come from a result file?

Bare is a time, a rate (GCUPS, TB/s, "6.9 TB per second"), a factor ("3 times", "1.5x", "3-fold", "three times as long", "half the time") or a
  percentage that stands in a page, outside of code, tables, and what docs/fill writes (<!-- value: ... -->, <!-- table: ... -->), or
  in the part "Measured:" of a kernel's opening comment, in a line of which docs/figures.tsv has no such words.
A figure may continue in the next line.
Not measured, and not looked at, is what a page predicts (a paragraph that begins with **Predicted), asks (in an exercise) or has as a head, and
how long a lesson takes its reader ("It takes 30 minutes, after").
allowed.tsv lists what may be bare, and why: PAGE, TEXT, REASON ("paper", "hardware", "rule", "arithmetic", "example"). still_bare.txt has the files
that are still to be filled. If such a file has no bare figure any more, or nothing needs a line of allowed.tsv, the line has to go.
Exit code 1: something was found."""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GAP = r"(?: |\n *)" # between words: the next one may be in the next line
NUMBER = r"(?<![\w.,^])\d[\d,]*(?:\.\d+)?"
COUNT = rf"(?:two|three|four|five|six|seven|eight|nine|ten|[a-z]+{GAP}(?:hundred|thousand|million|billion))"
TIME = "(?:millisecond|microsecond|nanosecond|second|minute|hour)s?"
UNIT = rf"(?:[mun]?s|h|min|{TIME}|[GTM]CUPS|[kKMGTP]i?B/s|[MGTP]FLOPS)\b"
RATE = rf"{GAP}(?:(?:[kMGTPE]|thousand|million|billion|trillion){GAP})?(?:[A-Za-z-]+{GAP}){{0,2}}per{GAP}second\b"
AFTER_NUMBER = rf"{GAP}?(?:{UNIT}|%|x\b(?!\s*[\d(]))|{GAP}times\b|-fold\b|{RATE}"
# In words. A number that docs/fill writes stands before none of these.
WORDS = (rf"{COUNT}{GAP}times{GAP}(?:as|more|less|[a-z]+er)\b", rf"(?:twice|thrice|half){GAP}as{GAP}[a-z]+",
         rf"(?:twice|half|third|quarter|tenth){GAP}(?:of{GAP})?the{GAP}(?:time|speed|rate)\b", rf"(?:{COUNT}|half{GAP}an?){GAP}{TIME}\b")
FIGURE = re.compile(rf"{NUMBER}(?:{AFTER_NUMBER})|\b(?i:{'|'.join(WORDS)})")
REASONS = {"paper", "hardware", "rule", "arithmetic", "example"}
LADDERS = ("lessons", "distances", "sw", "papara", "peeling")


def rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]


def files(root):
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = sorted(f for f in folders if not f.startswith(".") and not
                            re.search(r"(^|/)(build[^/]*|out|results|tests|packaging)$", os.path.normpath(os.path.join(here, f))))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(here, name))
            if name.endswith(".md") and name != "CHANGELOG.md" or \
                    re.fullmatch(rf"({'|'.join(LADDERS)})/\w+/kernel\.cu?", path):
                yield path


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def of_page(text):
    """What a page says itself; all else is blank."""
    text = re.sub(r"^```.*?^```", blank, text, flags=re.S | re.M)
    text = re.sub(r"<!-- (?:table|value): .*?<!-- end -->", blank, text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", blank, text)
    text = re.sub(r"^It takes \d+ minutes, after\b", blank, text, flags=re.M)
    skips = asks = False
    lines = []
    for line in text.split("\n"):
        if line.startswith("#"):
            asks = "Exercise" in line
        if not line.strip() or re.match(r"\s*([-*]|\d+\.) |\*\*", line):
            skips = False
        skips = skips or line.startswith("**Predicted")
        lines.append("" if skips or asks or line.startswith(("|", "#", "    ")) else line)
    return "\n".join(lines)


def of_kernel(text, words):
    """The same of a kernel's "Measured:", without what docs/fill writes."""
    measured = False
    lines = []
    for line in text.split("\n")[:20]:
        measured = (measured or "Measured" in line) and not re.match(r"\s*See:", line)
        filled = [found.span() for pattern in words for found in re.finditer(pattern, line)]
        lines.append("".join(" " if any(a <= i < b for a, b in filled) else c for i, c in enumerate(line)) if measured else "")
    return "\n".join(lines)


def words_of(path, figures):
    return [r"\d[\d.,]*".join(map(re.escape, words.replace("Measured:", "").strip().split("{}"))) for file, words, _ in figures if file == path]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=os.path.join(HERE, "..", "..", ".."))
    root = parser.parse_args().root
    mine = os.path.join(root, "tests", "docs", "figures")
    figures = rows(os.path.join(root, "docs", "figures.tsv"))[1:]
    allowed, still = rows(os.path.join(mine, "allowed.tsv")), {row[0] for row in rows(os.path.join(mine, "still_bare.txt"))}
    used, bare, wrong = set(), set(), []
    for row in allowed:
        if len(row) != 3 or row[2] not in REASONS:
            wrong.append(f"allowed.tsv: found {row}; expected a page, a text and one of {', '.join(sorted(REASONS))}")
    for path in files(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        text = of_page(text) if path.endswith(".md") else of_kernel(text, words_of(path, figures))
        for of, kept, _ in (row for row in allowed if len(row) == 3 and row[0] == path):
            text, times = re.subn(GAP.join(map(re.escape, kept.split(" "))), blank, text)
            if times:
                used.add((of, kept))
        for found in FIGURE.finditer(text):
            bare.add(path)
            if path not in still:
                number, figure = text.count("\n", 0, found.start()) + 1, re.sub(r"\s+", " ", found[0])
                wrong.append(f"{path}:{number}: bare: '{figure}': docs/fill writes measured figures from result files")
    wrong += [f"still_bare.txt: {path}: found no bare figure: take the line out" for path in sorted(still - bare)]
    wrong += [f"allowed.tsv: {row[0]}: '{row[1]}' is nowhere: take the line out" for row in allowed if len(row) == 3 and tuple(row[:2]) not in used]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
