"""page.py WARPLADDER: the page of `warpladder report` is whole, shows hostile names as text, keeps the files as they are, and, where
Chromium is installed, has no error in the console, fits a phone, and has enough contrast."""
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import browser
import looks

PROGRAM = sys.argv[1]
HOSTILE = """<script>document.title='broken'</script>"'&lt;\u00e9"""
VOID = {"meta", "link", "img", "br", "wbr"}
OPTIONAL = {"td", "th", "tr", "li", "dt", "dd", "p"}  # elements that the standard lets end by themselves


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL:
            self.open.pop()
        assert self.open and self.open[-1] == tag, f"found </{tag}> in {self.open[-3:]} at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


def report(folder, *files, code=0, says=""):
    done = subprocess.run([PROGRAM, "report", *files, "--out", folder, "--quiet"], capture_output=True, text=True)
    assert done.returncode == code, f"found exit code {done.returncode}, expected {code}: {done.stderr}"
    assert says in done.stderr, f"found {done.stderr!r}, expected {says!r}"
    path = os.path.join(folder, "report.html")
    return open(path, encoding="utf-8").read() if code == 0 else None


def check_text(text, files):
    page = Page()
    page.feed(text)
    assert not page.open, f"found {page.open} open at the end"
    tags = [tag for tag, _ in page.elements]
    assert "script" not in tags and tags.count("h1") == 1 and "main" in tags
    assert HOSTILE in "".join(page.texts), "the machine's name is not there as text"
    for tag, attributes in page.elements:
        assert tag != "svg" or attributes.get("aria-label"), "found a picture without a text"
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "xlink:href"):
            assert re.match("data:|#", attributes.get(name, "#")), f"found {name}={attributes[name][:60]}"
    names = [a["id"] for _, a in page.elements if "id" in a]
    assert len(names) == len(set(names))
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:])), "a level of headings is left out"
    saved = {a["download"]: a["href"] for tag, a in page.elements if tag == "a" and "download" in a}
    for path in files:
        data = urllib.parse.unquote(saved[os.path.basename(path)].split(",", 1)[1])
        assert data == open(path, encoding="utf-8").read(), f"{path} is not as it was"
    return page


# What a text has on its ground, at least 4.5 to 1: also what is within closed parts, which axe does not see.
CONTRAST = """(() => { const parts = c => c.match(/[\\d.]+/g).map(Number);
const light = c => { const [r, g, b] = c.slice(0, 3).map(x => (x /= 255) <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b; };
const ground = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
let least = 99;
for (const e of document.body.querySelectorAll('*:not(svg, svg *)')) {
  if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const a = light(parts(getComputedStyle(e).color)), b = light(ground(e));
  least = Math.min(least, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)); }
return least; })()"""


def values(page):
    """What is on hover is in a list below the chart, too: by the Tab key and Enter, in what a screen reader is told, and by a finger."""
    page.evaluate("document.querySelector('.chart').focus()")
    page.key("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Values of chart 1", "Tab does not lead from the chart to its values"
    value = page.evaluate("document.querySelector('.chart title:has(+ use)').textContent")

    def said():
        nodes = {n["nodeId"]: n for n in page.call("Accessibility.getFullAXTree")["nodes"] if not n["ignored"]}
        items = [n for n in nodes.values() if n["role"]["value"] == "listitem"]
        return [nodes[child]["name"]["value"] for n in items for child in n["childIds"] if child in nodes and "name" in nodes[child]]

    assert value and value not in said()
    page.key("Enter")
    assert value in said(), f"a screen reader is not told {value!r}"
    page.key("Enter")
    assert value not in said(), "a second Enter does not close the values"
    x, y = page.evaluate("""(() => { const e = document.querySelector('.values summary'); e.scrollIntoView({block: 'center'});
        const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()""")
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    page.wait("document.querySelector('.values').open")
    page.call("Emulation.setTouchEmulationEnabled", enabled=False)
    assert page.evaluate("""[...document.querySelectorAll('.chart')].every(c => { const of = (e, all) => [...e.querySelectorAll(all)].map(t => t.textContent.trim());
        return of(c.querySelector('svg'), 'title:has(+ use)').join('|') === of(c.nextElementSibling, '.values li').join('|'); })"""), "the lists are not what is on hover"


def check_uncut(page):
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.size(1440, 900)
    cut = page.evaluate("[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)")
    assert not cut, f"cut at 1440 pixels: {cut}"


def use(path):
    """Each part opens by a click and by a key, a value is where the mouse is and in a list, and a file comes as it is."""
    with browser.Browser() as page:
        for dark in (False, True):
            page.size(360, 740, dark)
            page.open(path)
            assert page.evaluate(CONTRAST) >= 4.5, f"found a contrast of {page.evaluate(CONTRAST)}"
        assert page.evaluate("document.querySelectorAll('details[open]').length") == 0
        page.click("details.stage + details.stage summary")
        assert page.evaluate("document.querySelector('details.stage[open] .diff .ins').getBoundingClientRect().height") > 0, "a click shows no difference"
        page.evaluate("document.querySelector('details[open]').open = false")
        page.click("details.file summary")
        assert page.evaluate("document.querySelector('details.file').open"), "a click does not open a part"
        page.evaluate("document.querySelector('main .stage summary').focus()")
        page.key("Enter")
        assert page.evaluate("document.querySelector('main .stage').open"), "Enter does not open a part"
        values(page)
        check_uncut(page)
        page.size(360, 740, True)
        legible = page.evaluate("""[...document.querySelectorAll('.fits')].every(c => { const [wide, narrow] = [...c.querySelectorAll('svg')];
            const letters = [...narrow.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t => t.getBoundingClientRect().height);
            return getComputedStyle(wide).display === 'none' && Math.min(...letters) >= 8 && c.scrollWidth <= c.clientWidth; })""")
        assert legible, "the first charts are not legible on a telephone"
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, "wider than 360 pixels with all parts open"
        hovered = page.evaluate("""(() => { const mark = [...document.querySelectorAll('.chart g > title')].find(t => /times as fast as/.test(t.textContent) &&
                t.parentElement.getBoundingClientRect().width > 0);
            mark.parentElement.scrollIntoView({block: 'center', inline: 'center'}); const b = mark.parentElement.getBoundingClientRect();
            const under = document.elementFromPoint(b.x + b.width / 2, b.y + b.height / 2);
            return under && under.closest('g').querySelector('title')?.textContent; })()""")
        assert hovered and "times as fast as" in hovered, f"found {hovered!r} where the mouse is"
        assert page.evaluate("fetch(document.querySelector('a[download]').href).then(r => r.text())").startswith("# "), "the file is not saved"
        page.call("Emulation.setEmulatedMedia", media="print")
        assert page.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
        assert not page.problems, page.problems


def main():
    with tempfile.TemporaryDirectory() as folder:
        published = "results/lessons_112x512_h200.tsv"
        hostile = os.path.join(folder, "hostile.tsv")
        with open(published, encoding="utf-8") as file:
            text = re.sub("(?m)^# cpu: .*$", lambda _: "# cpu: " + HOSTILE, file.read())
        with open(hostile, "w", encoding="utf-8") as file:
            file.write(text)
        everything = report(os.path.join(folder, "other"), code=0)
        size = len(everything.encode())
        assert size < 5e6, f"all published results take {size} bytes; expected less than 5 MB"
        made = report(folder, hostile, "results/payne2010_h200.tsv")
        page = check_text(made, [hostile, "results/payne2010_h200.tsv"])
        text = "".join(page.texts)
        for part in ("12_half_matrix", "1,605,632", "Predicted", "equal lines"):
            assert part in text, f"found no '{part}'"
        if shutil.which("gnuplot"):
            assert sum(tag == "svg" for tag, _ in page.elements) == 5
            assert made.index("Speedup of each stage of hostile.tsv") < made.index("<table"), "the page does not open with a chart"
            first = report(os.path.join(folder, "other"), "results/lessons_4096x8192_h200_again.tsv", "results/lessons_4096x8192_h200.tsv")
            assert re.findall("Speedup of each stage of ([^;]*)", first)[0] == "lessons_4096x8192_h200.tsv", "the chart is not the newest file's"
            with open("results/lessons_4096x8192_h200.tsv", encoding="utf-8") as file:
                rows = [line.split("\t") for line in file if not line.startswith("#")]
            slow = float(next(row for row in rows if row[1] == '"serial_O0"')[rows[0].index("kernel_ms_median")])
            assert f"{slow / 1000:.1f} s" in first and f"{slow:.1e}"[:4] not in first, "times are not written for people"
            other = report(os.path.join(folder, "other"), "results/alachiotis2012_table3_h200.tsv", "results/peeling_streamed_h200.tsv")
            assert ">Values of chart 1<" in other and ", hybrid: " in other, "found no chart of Table 3"
            assert "no row of this file" not in other, "found a chart of nothing"
        for name, content, says in (("empty", "", "found no columns"), ("short", "a\tb\n1\n", "found 1 fields; expected 2"),
                                    ("zero", "a\tb\n\0\t1\n", "")):
            path = os.path.join(folder, name + ".tsv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            report(os.path.join(folder, "none"), path, code=3, says=says)
            assert not os.path.exists(os.path.join(folder, "none", "report.html"))
        report(folder, os.path.join(folder, "absent.tsv"), code=3, says="absent.tsv")
        if not browser.PROGRAM or not shutil.which("gnuplot"):
            print("not looked at: chromium or gnuplot is not installed")
            return
        path = os.path.join(folder, "looked.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(everything)
        with browser.Browser() as page:
            page.open(path)
            check_uncut(page)
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        use(path)
        opened = "for (const part of ['.file', '.values']) document.querySelector('details' + part).open = true"
        looks.check(path, "report", lambda page: page.evaluate(opened))


main()
