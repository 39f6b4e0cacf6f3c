"""overlap.py SOURCE_FOLDER [FILE.svg...]: no two texts of a chart overlap, and none leaves the chart. Without files, all charts that
plots/redraw makes of results/ and of tests/plots/samples are drawn and looked at, and the pictures of docs/. The boxes are Chromium's. Exit 4: it or gnuplot is missing."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import browser

SOURCE = pathlib.Path(sys.argv[1])

# Corners of each text as drawn, turned ones too; pairs that overlap, by the separating axes of two rectangles.
LOOK = """(root => {
    const view = root.viewBox.baseVal, back = root.getScreenCTM().inverse(), texts = [...root.querySelectorAll('text')].map(e => {
        const b = e.getBBox(), m = back.multiply(e.getScreenCTM()), at = (x, y) => new DOMPoint(x, y).matrixTransform(m);
        const h = b.height * 0.14;  // a box has room above capitals and below the line that letters do not fill
        return {text: e.textContent.trim(), corners: [at(b.x, b.y + h), at(b.x + b.width, b.y + h), at(b.x + b.width, b.y + b.height - h),
            at(b.x, b.y + b.height - h)], width: b.width}; }).filter(t => t.text && t.width);
    const found = [];
    const axes = c => [[c[1].x - c[0].x, c[1].y - c[0].y], [c[3].x - c[0].x, c[3].y - c[0].y]].map(([x, y]) => {
        const l = Math.hypot(x, y); return [x / l, y / l]; });
    const span = (c, [x, y]) => { const p = c.map(q => q.x * x + q.y * y); return [Math.min(...p), Math.max(...p)]; };
    const overlap = (a, b) => Math.min(...[...axes(a), ...axes(b)].map(axis => {
        const [p, q] = span(a, axis), [r, s] = span(b, axis); return Math.min(q, s) - Math.max(p, r); }));
    // gnuplot writes a label in a box twice, at one place
    const twice = (a, b) => a.text === b.text && Math.hypot(a.corners[0].x - b.corners[0].x, a.corners[0].y - b.corners[0].y) < 0.1;
    for (let i = 0; i < texts.length; i++) {
        for (const q of texts[i].corners)
            if (q.x < -1 || q.y < -1 || q.x > view.width + 1 || q.y > view.height + 1) {
                found.push([texts[i].text, 'outside']); break; }
        for (let j = 0; j < i; j++) if (!twice(texts[i], texts[j]) && overlap(texts[i].corners, texts[j].corners) > 0) found.push([texts[i].text, texts[j].text]);
    }
    return [texts.length, found]; })"""


def look(files):
    """All charts in one page, which is faster than a page each."""
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        path = os.path.join(folder, "charts.html")
        with open(path, "w", encoding="utf-8") as out:
            out.write("<!DOCTYPE html><meta charset=utf-8>")
            for name in files:
                text = pathlib.Path(name).read_text(encoding="utf-8")
                out.write(text[text.index("<svg"):])
        page.size(1000, 800)
        page.open(path)
        looked = page.evaluate(f"[...document.querySelectorAll('body > svg')].map({LOOK})")
    assert len(looked) == len(files), f"found {len(looked)} charts of {len(files)}"
    wrong = [f"{name}: found {count} texts; expected a chart" for name, (count, _) in zip(files, looked) if count < 3]
    return wrong + [f"{pathlib.Path(name).name}: '{a}' and '{b}'" for name, (_, found) in zip(files, looked) for a, b in found]


def planted(folder):
    """The check finds what does overlap, also where a text is turned."""
    path = os.path.join(folder, "planted.svg")
    turned = '<text x="100" y="100" font-size="20" transform="rotate(-35 100 100)">turned over it</text>'
    with open(path, "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" width="300" height="200">'
                   '<text x="10" y="40" font-size="20">one</text><text x="30" y="40" font-size="20">two</text>'
                   f'<text x="130" y="80" font-size="20">below</text>{turned}<text x="280" y="180" font-size="20">outside</text>'
                   '<text x="10" y="180" font-size="20">apart</text></svg>')
    found = look([path])
    names = [line.split(": ", 1)[1] for line in found]
    assert names == ["'two' and 'one'", "'turned over it' and 'below'", "'outside' and 'outside'"], names


def main():
    if not browser.PROGRAM or not shutil.which("gnuplot"):
        print("skipped: chromium or gnuplot is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        planted(folder)
        if len(sys.argv) > 2:
            files = sys.argv[2:]
        else:
            for name in ("results", "tests/plots/samples"):
                shutil.copytree(SOURCE / name, os.path.join(folder, name), ignore=shutil.ignore_patterns("*.svg", "*.png"))
            subprocess.run(["bash", SOURCE / "plots/redraw", "--svg", folder], check=True, stdout=subprocess.DEVNULL)
            files = sorted(str(path) for path in pathlib.Path(folder).rglob("*.svg") if path.name != "planted.svg")
            assert len(files) > 100, f"found {len(files)} charts"
        pictures = [] if len(sys.argv) > 2 else sorted(str(path) for path in (SOURCE / "docs/pictures").glob("*.svg"))
        wrong = look(files) + (look(pictures) if pictures else [])
        print("\n".join(wrong))
        assert not wrong, f"{len(wrong)} texts of {len(files) + len(pictures)} charts overlap"
        print(f"{len(files) + len(pictures)} charts, no texts overlap")


main()
