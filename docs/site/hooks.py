"""The pages of the site: README.md, ladders, labs, docs/, and all that these lead to. A source file becomes a page with colours, a folder
without a README a list, and a stage's page ends with its difference to the stage before.

WARPLADDER_PROGRAM, if set, is the program that makes the pages of results and the viewers of accesses (`explain --interactive`)."""
import concurrent.futures
import difflib
import html
import os
import pathlib
import re
import subprocess
import tempfile

import pygments
import pygments.formatters
import pygments.lexers
from mkdocs.structure.files import File, InclusionLevel

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = (".svg", ".png", ".jpg", ".gif")
LANGUAGES = {".c": "c", ".cpp": "cpp", ".cu": "cuda", ".cuh": "cuda", ".h": "cuda", ".ini": "ini", ".py": "python", ".sh": "bash", ".ipynb": "json"}
STAGE = re.compile(r"(\w+)/(\d\d_\w+)/README\.md")
CODE = re.compile(r"^```.*?^```|(`+).*?\1", re.S | re.M)
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]+)(#[^)\s]*)?\)")

made = None  # a temporary folder with what the program has made


def stages_of(ladder):
    return sorted(path.name for path in (ROOT / ladder).glob("[0-9][0-9]_*") if (path / "kernel.cu").exists())


def ladders():
    found = sorted(path.parent.name for path in ROOT.glob("*/problem.c") if (path.parent / "README.md").exists())
    return sorted(found, key=lambda name: name != "lessons")  # which beginners read first


def make(program, *words):
    done = subprocess.run([program, *words, "--quiet", "--out", made.name], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"note: no page of warpladder {' '.join(words)}: {done.stderr.strip()}")


def on_startup(command, dirty):
    global made
    made = tempfile.TemporaryDirectory()
    program = os.environ.get("WARPLADDER_PROGRAM")
    if program:
        calls = [("report",)] + [("explain", f"{ladder}/{stage}", "--interactive") for ladder in ladders() for stage in stages_of(ladder)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda words: make(program, *words), calls))


def on_shutdown():
    made.cleanup()


# --- Which pages ------------------------------------------------------------------------------------------------------------------------


def nav():
    def within(pattern):
        return [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob(pattern))]

    chapters = ["README.md", "docs/teaching.md"]
    for ladder in ladders():
        stages = [*within(f"{ladder}/[0-9]*/README.md"), *within(f"{ladder}/[a-z]*/README.md")]
        chapters.append({title_of(f"{ladder}/README.md").split(":")[0]: [f"{ladder}/README.md", *stages]})
        if ladder == "lessons":
            chapters.append({"Labs": ["labs/README.md", *within("labs/[0-9]*/page.md")]})
    return chapters + [{"Documents": [page for page in within("docs/*.md") if page not in chapters]}]


def title_of(source):
    """A page's first heading; a lab's instructions have none, so the lab's own title."""
    path = ROOT / source
    text = path.read_text(encoding="utf-8")
    if not text.startswith("# ") and (path.parent / "lab.ini").exists():
        return re.search(r"^title = (.*)", (path.parent / "lab.ini").read_text(encoding="utf-8"), re.M)[1]
    return text.split("\n", 1)[0].lstrip("# ")


def page_of(source):
    """The file of the site that shows a file or folder of the source tree."""
    path = ROOT / source
    if path.is_dir():
        return os.path.normpath(os.path.join(source, "README.md"))
    return source if source.endswith((".md", *PICTURES)) else source + ".md"


def resolve(page, target):
    """The file or folder that `page` leads to, or None."""
    source = os.path.normpath(os.path.join(os.path.dirname(page), target))
    return source if not source.startswith("..") and (ROOT / source).exists() else None


def outside_code(text, change):
    """`text` with `change` made to all that is not code."""
    parts, last = [], 0
    for code in CODE.finditer(text):
        parts += [change(text[last:code.start()]), code[0]]
        last = code.end()
    return "".join(parts) + change(text[last:])


def source_page(source):
    path = ROOT / source
    head = f"---\nsearch: {{exclude: true}}\n---\n\n# {source}\n\n"
    if path.is_dir():
        names = sorted(entry.name for entry in path.iterdir() if entry.name[0] != ".")
        return head + "This folder of the source tree has:\n\n" + "".join(f"- `{name}`\n" for name in names)
    return head + f"~~~~~~ {LANGUAGES.get(path.suffix, 'text')}\n{path.read_text(encoding='utf-8', errors='replace')}\n~~~~~~\n"


def on_config(config):
    config.nav = nav()
    return config


def on_files(files, config):
    listed = {page for entry in config.nav for page in ([entry] if isinstance(entry, str) else next(iter(entry.values())))}
    waiting, known = sorted(listed), set()
    while waiting:
        source = waiting.pop()
        page = page_of(source)
        if page in known:
            continue
        known.add(page)
        if (ROOT / page).exists():
            is_listed = InclusionLevel.UNDEFINED if page in listed else InclusionLevel.NOT_IN_NAV
            files.append(File.generated(config, page, abs_src_path=str(ROOT / page), inclusion=is_listed))
        else:
            files.append(File.generated(config, page, content=source_page(source), inclusion=InclusionLevel.NOT_IN_NAV))
        if page.endswith(".md") and (ROOT / page).exists():
            outside_code((ROOT / page).read_text(encoding="utf-8"), lambda text: waiting.extend(
                filter(None, (resolve(page, link[1]) for link in LINK.finditer(text)))) or "")
    for path in pathlib.Path(made.name).iterdir():
        where = path.name if path.name == "report.html" else f"steps/{path.name}"
        files.append(File.generated(config, where, abs_src_path=str(path)))
    return files


# --- A page -----------------------------------------------------------------------------------------------------------------------------


def on_page_markdown(markdown, page, config, files):
    source = page.file.src_uri
    if not (ROOT / source).exists():
        return markdown

    def address(link):
        target = resolve(source, link[1])
        if target == "results" and files.get_file_from_path("report.html"):
            to = "report.html"
        elif target is None:
            return link[0]  # which MkDocs reports
        else:
            to = page_of(target)
        return f"]({os.path.relpath(to, os.path.dirname(source) or '.')}{link[2] or ''})"

    markdown = outside_code(markdown, lambda text: LINK.sub(address, text).replace("<details>", '<details markdown="1">'))
    return markdown if markdown.startswith("# ") else f"# {title_of(source)}\n\n{markdown}"


def difference(ladder, before, stage):
    """The two kernels' differing lines, coloured."""
    sides = [(ROOT / ladder / name / "kernel.cu").read_text(encoding="utf-8").splitlines() for name in (before, stage)]
    lines = difflib.unified_diff(*sides, f"{before}/kernel.cu", f"{stage}/kernel.cu", lineterm="")
    code = pygments.highlight("\n".join(lines), pygments.lexers.DiffLexer(), pygments.formatters.HtmlFormatter(cssclass="highlight", wrapcode=True))
    code = code.replace("<pre>", '<pre tabindex="0">')
    return (f'<h2 id="kernels" data-search-exclude>The kernel beside that of {before}</h2>\n'
            f"<details><summary>Lines of <code>kernel.cu</code> that differ</summary>{code}</details>\n")


def on_page_content(content, page, config, files):
    # A table or a line of code may be wider than a telephone: both scroll, also by keys.
    content = content.replace("<pre>", '<pre tabindex="0">')
    tables = iter(range(1, 1000))
    content = re.sub(r"<table>.*?</table>", lambda table: f'<div class="wide" tabindex="0" role="region" aria-label="Table {next(tables)}">'
                     f"{table[0]}</div>", content, flags=re.S)
    stage = STAGE.fullmatch(page.file.src_uri)
    if not stage:
        return content
    ladder, name = stage.groups()
    stages = stages_of(ladder)
    steps = f"steps/{ladder}_{name}_steps.html"
    if files.get_file_from_path(steps):
        link = (f'<p class="steps"><a href="../../{steps}">Step through this kernel</a>: a warp\'s lanes, addresses, sectors and banks, '
                "line by line.</p>\n")
        content = re.sub("</h1>\n?", lambda end: end[0] + link, content, count=1)
    if name in stages[1:]:
        content += difference(ladder, stages[stages.index(name) - 1], name)
    return content


def on_post_page(output, page, config):
    return output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')
