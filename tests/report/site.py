"""site.py WARPLADDER: the site of `warpladder report --site`: every link and fragment leads somewhere, the pages are whole, and, in Chromium,
the search finds, keys work, and the pages look as they did."""
import html.parser
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
        self.names, self.links, self.headings, self.language = set(), [], [], None
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
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html")) if path.parent.name != "steps" and path.name != "report.html"}
    assert len(pages) > 80, f"found {len(pages)} pages"
    outside = 0
    for path, page in pages.items():
        assert page.headings.count(1) >= 1, f"{path}: found no h1"
        for link in page.links:
            if re.match("https?:|mailto:|data:", link):
                outside += 1
                continue
            file, _, name = urllib.parse.unquote(link).partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file() and folder in target.parents, f"{path}: leads to {link}, which is not there"
            if name and target in pages:
                assert name in pages[target].names, f"{path}: leads to {link}; the page has no such heading"
    stages = [path for path in pages if re.search(r"(lessons|sw|papara)/\d\d_", str(path)) and "problem" not in path.name]
    without = [str(path) for path in stages if path.name == "index.html" and not any("steps/" in link for link in pages[path].links)]
    assert not without, f"found no page of steps for {without}"
    lessons = (folder / "lessons/05_shared/index.html").read_text(encoding="utf-8")
    assert re.search(r'rel="?prev"? href="../04_registers/index.html"', lessons) and "../06_reduction/index.html" in lessons
    print(f"{len(pages)} pages, every link leads somewhere ({outside} out of the site are not followed)")


def check_search(folder):
    with browser.Browser() as page:
        page.size(1440, 900)
        page.open(folder / "docs/measuring.html")
        page.key("/")
        page.write("bank conflicts")
        page.wait("document.querySelectorAll('#hits a').length > 3")
        assert "conflict" in page.evaluate("document.querySelector('#hits').textContent").lower()
        assert re.match(r"\d+ sections", page.evaluate("document.querySelector('#found').textContent"))
        page.key("ArrowDown")
        assert page.evaluate("document.activeElement.parentElement === document.querySelector('#hits li')")
        page.key("ArrowUp")
        assert page.evaluate("document.activeElement.id") == "search"
        page.key("Escape")
        assert page.evaluate("document.querySelectorAll('#hits li').length") == 0
        page.write("clusters single linkage")
        page.wait("[...document.querySelectorAll('#hits a')].some(a => a.href.includes('docs/distances.html'))")
        page.follow("#hits a[href*='docs/distances.html']")
        assert "distances.html" in page.evaluate("location.href"), page.evaluate("location.href")
        page.follow("nav[aria-label=Contents] a[href$='teaching.html']")
        assert page.evaluate("document.querySelector('h1').textContent").startswith("Teaching")
        page.open(folder / "lessons/05_shared/index.html")
        page.follow(".turn [rel=next]")
        assert "06_reduction" in page.evaluate("location.href")
        page.follow(".steps a")
        assert "06_reduction_steps" in page.evaluate("location.href")
        assert not page.problems, page.problems


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        done = subprocess.run([PROGRAM, "report", "results/lessons_112x512_h200.tsv", "--site", "--out", name, "--quiet"], capture_output=True,
                              text=True)
        assert done.returncode == 0 and "leads to" not in done.stderr, done.stderr
        check_links(folder)
        if not browser.PROGRAM:
            print("not looked at: chromium is not installed")
            return
        check_search(folder)
        for path, look in (("index.html", "site"), ("docs/results.html", None), ("lessons/05_shared/index.html", "site-stage")):
            looks.check(folder / path, look)


main()
