"""site.py WARPLADDER: the site of docs/site/build: every link and fragment leads somewhere, the pages are whole, and, in Chromium, the search
finds, keys work, and the pages look as they did."""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import browser
import looks

PROGRAM = sys.argv[1]


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.names, self.links, self.headings = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if "id" in a:
            assert a["id"] not in self.names, f"found the name {a['id']} twice"
            self.names.add(a["id"])
        self.links += [a[name] for name in ("href", "src") if name in a]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "img":
            assert a.get("alt"), f"found a picture without a text: {a}"


def check_links(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))
             if path.parent.name != "steps" and path.name not in ("report.html", "404.html")}
    assert len(pages) > 80, f"found {len(pages)} pages"
    outside = 0
    for path, page in pages.items():
        assert page.headings.count(1) >= 1, f"{path}: found no h1"
        for link in page.links:
            if re.match("https?:|mailto:|data:|javascript:", link):
                outside += 1
                continue
            file, _, name = urllib.parse.unquote(link).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file() and folder in target.parents, f"{path}: leads to {link}, which is not there"
            if name and target in pages:
                assert name in pages[target].names or name == "__skip", f"{path}: leads to {link}; the page has no such heading"
    shown = {str(path.relative_to(folder)) for path in pages}
    for ladder in (path.parent.name for path in pathlib.Path(".").glob("*/problem.c")):
        for readme in [f"{ladder}/README.md", *map(str, pathlib.Path(ladder).glob("*/README.md"))]:
            assert readme.replace("README.md", "index.html") in shown, f"found no page of {readme}"
    for document in pathlib.Path("docs").glob("*.md"):
        assert document.name == "README.md" or str(document.with_suffix(".html")) in shown, f"found no page of {document}"
    stages = [
        path
        for path in pages
        if re.search(r"(lessons|sw|papara)/\d\d_\w+/index.html$", str(path))
        and (path.relative_to(folder).parent / "kernel.cu").is_file()
    ]
    without = [str(path) for path in stages if not any("steps/" in link for link in pages[path].links)]
    assert not without, f"found no page of steps for {without}"
    lesson = (folder / "lessons/05_shared/index.html").read_text(encoding="utf-8")
    assert re.search(r'href="../04_registers/index.html"[^>]*rel="prev"|rel="prev"[^>]*href="../04_registers/index.html"', lesson)
    assert "../06_reduction/index.html" in lesson
    assert '<span class="gd">--- 04_registers/kernel.cu</span>' in lesson, "found no difference to the stage before"
    assert '<span class="k">volatile</span>' in lesson, "found no colours in code"
    print(f"{len(pages)} pages, every link leads somewhere ({outside} out of the site are not followed)")


def check_index(folder):
    """What the search knows: the pages' text, and no source file's."""
    places = [entry["location"] for entry in json.loads((folder / "search/search_index.json").read_text(encoding="utf-8"))["docs"]]
    assert "docs/distances.html" in places and "lessons/05_shared/index.html#the-idea" in places, places[:20]
    assert not any(re.search(r"\.(c|h|cu|tsv|py)\.html|#kernels", place) for place in places), "the search knows sources"


def follow(page, selector):
    """Follows a link once nothing lies over it: the page makes room for its footer when it is scrolled."""
    page.wait(f"""(e => {{ e.scrollIntoView({{block: 'center'}}); const b = e.getClientRects()[0];
        return e.contains(document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2)); }})(document.querySelector({json.dumps(selector)}))""")
    page.follow(selector)


def check_search(folder):
    with browser.Browser() as page:
        page.size(1440, 900)
        page.open(folder / "docs/measuring.html")
        page.key("/")
        page.wait("document.activeElement.matches('.md-search__input')")
        page.write("bank conflicts")
        page.wait("document.querySelectorAll('.md-search-result__link').length > 3")
        assert "conflict" in page.evaluate("document.querySelector('.md-search-result__list').textContent").lower()
        assert re.match(r"\s*\d+ matching documents", page.evaluate("document.querySelector('.md-search-result__meta').textContent"))
        page.key("ArrowDown")
        page.wait("document.activeElement.matches('.md-search-result__link')")
        page.key("ArrowUp")
        page.wait("document.activeElement.matches('.md-search__input')")
        page.key("Escape")
        page.wait("!document.activeElement.matches('.md-search__input')")
        page.open(folder / "docs/measuring.html")
        page.key("/")
        page.write("clusters single linkage")
        page.wait("[...document.querySelectorAll('.md-search-result__link')].some(a => a.href.includes('docs/distances.html'))")
        follow(page, ".md-search-result__link[href*='docs/distances.html']")
        assert "distances.html" in page.evaluate("location.href"), page.evaluate("location.href")
        follow(page, ".md-nav--primary a[href$='teaching.html']")
        assert page.evaluate("document.querySelector('h1').textContent").startswith("Teaching")
        page.open(folder / "lessons/05_shared/index.html")
        follow(page, ".md-footer__link--next")
        assert "05b_profiling" in page.evaluate("location.href")
        follow(page, ".md-footer__link--next")
        assert "06_reduction" in page.evaluate("location.href")
        follow(page, ".steps a")
        assert "06_reduction_steps" in page.evaluate("location.href")
        assert not page.problems, page.problems


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        done = subprocess.run(["docs/site/build", name, PROGRAM], capture_output=True, text=True, check=False,
                              env=os.environ | {"WARPLADDER_NO_INSTALL": "1"})
        if done.returncode == 4:
            print(f"skipped: {done.stderr.strip()}")
            return
        assert done.returncode == 0, done.stderr
        check_links(folder)
        check_index(folder)
        if not browser.PROGRAM:
            print("not looked at: chromium is not installed")
            return
        check_search(folder)
        for path, look in (("index.html", "site"), ("docs/results.html", None), ("lessons/05_shared/index.html", "site-stage")):
            looks.check(folder / path, look)
        opened = "document.querySelectorAll('details').forEach(part => part.open = true)"
        looks.check(folder / "peeling/10_streamed/index.html", None, lambda page: page.evaluate(opened))


main()
