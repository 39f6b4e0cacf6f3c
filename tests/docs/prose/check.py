#!/usr/bin/env python3
"""check.py [--root DIR] [--list]: do the pages and comments keep to plain English?

Looks at every Markdown page and at the comments of every source file (.c, .h, .cpp, .cu, .cuh):
  patterns.tsv        words and forms that we do not write, as data
  sentence            a sentence of more than 40 words
  table               a table of more than ten rows on a teaching page (a ladder's or a stage's README), before its "## Details"
  stage               a stage's page without its duration, three questions, or answers that are folded
  words               more than 64,000 words on all pages together, without code, drawings and tables
  link                a file or an anchor that is not there
  codespell           a spelling mistake, where codespell is installed (words_kept.txt: words it does not know)
exceptions.txt has lines of two kinds. PAGE is a page or a source file that is still to be rewritten; only its links are checked. If
nothing is wrong in it any more, it has to be taken out, so the list only shrinks. PAGE: TEXT allows TEXT on a page, for example a title.
--list prints the pages in which something is wrong.
DIR/tests/docs/prose has these files; patterns.tsv is always this folder's. Exit code 1: something was found."""
import argparse
import os
import re
import shutil
import subprocess
import sys

MOST_WORDS, MOST_ROWS, MOST_ON_PAGES = 40, 10, 64000
SKIPPED = re.compile(r"(^|/)(\.[^/]*|build[^/]*|out|results|planted)(/|$)")
STAGE = r"([0-9][0-9]b?_\w+|cpu_\w+|library_\w+)"
COMMENTED = re.compile(r"\.(c|h|cpp|cuh?)$")
TEACHES = re.compile(rf"^(lessons|distances|sw|papara|peeling)/({STAGE}/)?README\.md$")


def files_of(root):
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = sorted(f for f in folders if not SKIPPED.search(os.path.normpath(os.path.join(here, f))))
        for name in sorted(names):
            path = os.path.normpath(os.path.join(here, name))
            if name.endswith(".md") or COMMENTED.search(name):
                yield path


def plain(text):
    """Markdown within a paragraph as a reader sees it."""
    text = re.sub(r"<!--.*?-->|<[a-z/][^>]*>", "", text)
    text = re.sub(r"(`+).*?\1", "CODE", text)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\*+", "", text).strip()


def paragraphs_of_page(lines):
    """(number of the line, kind, text): kind is text, head, or row of a table (the first one is its head)."""
    held, first, fence, row = [], 0, False, 0
    for number, line in enumerate(lines + [""], 1):
        stripped = line.strip()
        mark = stripped.startswith("```")
        apart = fence or mark or not stripped or stripped.startswith(("|", "#", "<!--")) or line.startswith("    ") and not held
        if held and (apart or re.match(r"\s*([-*]|\d+\.) ", line)):
            yield first, "text", " ".join(held)
            held = []
        row = row + 1 if stripped.startswith("|") and not fence else 0
        if mark:
            fence = not fence
        elif fence or not stripped or stripped.startswith("<!--"):
            pass
        elif row:
            yield number, f"row {row}", stripped
        elif stripped.startswith("#"):
            yield number, "head", stripped.lstrip("# ")
        elif not apart:
            if not held:
                first = number
            held.append(re.sub(r"^([-*]|\d+\.) ", "", stripped))


def paragraphs_of_code(text):
    """The same of a source file's comments. Lines that are set apart by spaces are drawings or formulas."""
    for comment in re.finditer(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|/\*(.*?)\*/|//([^\n]*(?:\n *//[^\n]*)*)', text, re.S):
        body = comment[1] if comment[1] is not None else comment[2]
        if body is None:
            continue
        if comment[1] is None:
            body = re.sub(r"\n *//", "\n", body)
        number, held, first = text.count("\n", 0, comment.start()) + 1, [], 0
        for k, line in enumerate(body.split("\n") + [""]):
            drawn = re.match(r" {5}", line) or re.search(r"\S {3}", line)
            named = re.match(r" *[A-Z][A-Za-z, ]{1,40}: ", line)
            if held and (drawn or named or not line.strip()):
                yield first, "text", " ".join(held)
                held = []
            if line.strip() and not drawn:
                if not held:
                    first = number + k
                held.append(line.strip())


def sentences_of(text):
    return [s for s in re.split(r"(?<=[.?!])[\"')]*\s+(?=[\"'(]*[A-Z0-9])", text) if s]


def anchors_of(path):
    anchors = set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            anchors.update(re.findall(r'<a id="([^"]*)"', line))
            if line.startswith("#"):
                words = re.sub(r"[^\w\- ]", "", plain(line.replace("`", "")).lstrip("# ").lower())
                anchors.add(words.strip().replace(" ", "-"))
    return anchors


def links(root, path, lines):
    fence = False
    for number, line in enumerate(lines, 1):
        if line.strip().startswith("```"):
            fence = not fence
        if fence:
            continue
        if line.startswith("<!-- value:"):
            yield number, "block", "begins with a comment, which Markdown takes for the end of the paragraph"
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(root, os.path.dirname(path), name)) if name else os.path.join(root, path)
            if not os.path.exists(to):
                yield number, "link", f"{target} is not there"
            elif anchor and to.endswith(".md") and anchor not in anchors_of(to):
                yield number, "link", f"{name or path} has no anchor '{anchor}'"


def prose(path, text, patterns, allowed):
    details = False
    found = paragraphs_of_page(text.split("\n")) if path.endswith(".md") else paragraphs_of_code(text)
    for number, kind, paragraph in found:
        details = details or kind == "head" and paragraph == "Details"
        if kind == f"row {MOST_ROWS + 3}" and TEACHES.match(path) and not details: # head and rule come first
            yield number, "table", f"more than {MOST_ROWS} rows; keep those that prove the point, and link to the result file"
        parts = [plain(cell) for cell in paragraph.strip("|").split("|")] if kind.startswith("row") else sentences_of(plain(paragraph))
        for part in parts:
            for page, words in allowed:
                if page == path and words in part:
                    allowed[page, words] = True
                    part = part.replace(words, "")
            for rule, pattern, instead in patterns:
                hit = pattern.search(part.strip())
                if hit:
                    yield number, rule, f"'{hit[0]}': {instead}"
            words = len(re.findall(r"\S*\w\S*", part))
            if kind == "text" and words > MOST_WORDS:
                yield number, "sentence", f"{words} words; at most {MOST_WORDS}: '{' '.join(part.split()[:8])} ...'"


def stage(text):
    """What a stage's page lacks. The reader thinks first: predictions, outcomes and answers are folded."""
    parts = re.split(r"^## (.*)\n", text, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))

    def items(part):
        return len(re.findall(r"^\d+\. ", part, re.M))

    if not re.search(r"^It takes \d+ minutes(, after |\. You need )", parts[0], re.M):
        yield "does not say 'It takes N minutes, after ...' before its first section"
    asked, _, answered = sections.get("Questions", "").partition("<details>")
    if (items(asked), items(answered)) != (3, 3):
        yield f"has {items(asked)} questions with {items(answered)} folded answers; 3 with 3 are expected"
    if "<details>" not in sections.get("Exercises", ""):
        yield "has no folded answers of exercises"
    open_text = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    for words in re.findall(r"^\*\*(?:Predicted|Found)\b", open_text, re.M):
        yield f"{words[2:]} is not folded"


def spelling(root, here, paths):
    if not shutil.which("codespell"):
        print("codespell is not installed: no spelling", file=sys.stderr)
        return
    done = subprocess.run(["codespell", "--ignore-words", os.path.join(here, "words_kept.txt"), *paths], cwd=root, capture_output=True,
                          text=True, check=False)
    for line in done.stdout.splitlines():
        hit = re.match(r"(?:\./)?(.+?):(\d+): (.*)", line)
        if hit:
            yield hit[1], int(hit[2]), "codespell", hit[3]


def listed(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def main():
    own = os.path.dirname(os.path.abspath(__file__))
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--root", default=os.path.dirname(os.path.dirname(os.path.dirname(own))))
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()
    here = os.path.join(os.path.abspath(options.root), "tests", "docs", "prose")
    with open(os.path.join(own, "patterns.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    patterns = [(rule, re.compile(pattern, re.I), instead) for rule, pattern, instead in rows]
    exceptions = listed(os.path.join(here, "exceptions.txt"))
    left = [line for line in exceptions if ": " not in line]
    allowed = {tuple(line.split(": ", 1)): False for line in exceptions if ": " in line}
    paths = list(files_of(options.root))
    found = {path: [] for path in paths}
    broken, on_pages = [], 0
    for path in paths:
        with open(os.path.join(options.root, path), encoding="utf-8") as file:
            text = file.read()
        found[path].extend(prose(path, text, patterns, allowed))
        if path.endswith(".md"):
            broken.extend((path, *link) for link in links(options.root, path, text.split("\n")))
            if TEACHES.match(path) and path.count("/") == 2:
                found[path].extend((1, "stage", lack) for lack in stage(text))
            kinds = paragraphs_of_page(text.split("\n"))
            on_pages += sum(len(plain(part).split()) for _, kind, part in kinds if not kind.startswith("row"))
    if on_pages > MOST_ON_PAGES:
        broken.append(("all pages", 0, "words", f"{on_pages:,}; at most {MOST_ON_PAGES:,}"))
    for path, *finding in spelling(options.root, here, paths):
        found[path].append(tuple(finding))
    if options.list:
        print(*(path for path in paths if found[path]), sep="\n")
        return 0
    wrong = [f"{path}:{number}: {rule}: {says}" for path, number, rule, says in broken]
    for path in paths:
        if path not in left:
            wrong.extend(f"{path}:{number}: {rule}: {says}" for number, rule, says in sorted(found[path]))
    for path in left:
        if not found.get(path):
            why = "has nothing wrong" if path in found else "is not there"
            wrong.append(f"tests/docs/prose/exceptions.txt: {path} {why}; take it out of the list")
    wrong.extend(f"tests/docs/prose/exceptions.txt: {page} does not say '{words}'" for (page, words), used in allowed.items() if not used)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


sys.exit(main())
