"""How a page looks: check() opens it 360 and 1,440 pixels wide, light and dark. Nothing is wider than the screen, axe finds nothing wrong, the
console has no error, and, with a name, what is seen is what tests/report/looks/NAME-*.png has: an eighth of the size, in grey, so that fonts of
another machine make no difference. WARPLADDER_LOOKS=new writes these pictures anew."""
import base64
import json
import os
import pathlib
import struct
import sys
import zlib

import browser

HERE = pathlib.Path(__file__).resolve().parent
SMALLER = 8
MEAN, FAR, SHARE = 0.03, 0.25, 0.03  # on average so much; so many of the small picture's pixels may differ by more than FAR

WIDE = """(() => { const wide = document.documentElement.scrollWidth - innerWidth;
    return wide > 0 ? `wider than the screen by ${wide} pixels` : ''; })()"""

# The size of a picture made so much smaller, and the brightness of each pixel, from 0 to 1.
SHRINK = """(async (data, smaller) => { const i = new Image(); i.src = 'data:image/png;base64,' + data; await i.decode();
    const c = document.createElement('canvas'), w = c.width = Math.round(i.width / smaller), h = c.height = Math.round(i.height / smaller);
    const g = c.getContext('2d'); g.imageSmoothingQuality = 'high'; g.drawImage(i, 0, 0, w, h);
    const d = g.getImageData(0, 0, w, h).data, light = [];
    for (let k = 0; k < d.length; k += 4) light.push((.299 * d[k] + .587 * d[k + 1] + .114 * d[k + 2]) / 255);
    return [w, h, light]; })"""


def axe_source():
    folder = os.environ.get("WL_PYTHON_FOLDER")
    path = pathlib.Path(folder or "", "axe_playwright_python", "axe.min.js")
    return path.read_text(encoding="utf-8") if folder and path.exists() else None


def axe(page):
    """What is wrong by the rules of WCAG 2.2 AA and by axe's best practices."""
    source = axe_source()
    if source is None:
        return None
    page.evaluate(source + ";0")
    found = page.evaluate("""axe.run(document, {resultTypes: ['violations'], preload: false}).then(r => r.violations.map(
        v => `${v.id} (${v.impact}): ${v.help}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')}`))""")
    return found


def shrink(page, data, smaller):
    return page.evaluate(f"{SHRINK}({json.dumps(data)}, {smaller})")


def png(width, height, light):
    """The picture in grey, as the bytes of a file."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + bytes(round(255 * x) for x in light[y * width:(y + 1) * width]) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows, 9)) +
            chunk(b"IEND", b""))


def difference(a, b):
    """"" if two small pictures are alike."""
    if a[:2] != b[:2]:
        return f"found {a[0]} x {a[1]} pixels; expected {b[0]} x {b[1]}"
    apart = [abs(x - y) for x, y in zip(a[2], b[2])]
    mean, share = sum(apart) / len(apart), sum(x > FAR for x in apart) / len(apart)
    return "" if mean <= MEAN and share <= SHARE else f"differs by {mean:.3f} on average, {100 * share:.1f} % of it by more than {FAR}"


def compare(page, name, picture):
    small = shrink(page, picture, SMALLER)
    path = HERE.parent / "report/looks" / f"{name}.png"
    if os.environ.get("WARPLADDER_LOOKS") == "new":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(png(*small))
    expected = shrink(page, base64.b64encode(path.read_bytes()).decode(), 1)
    wrong = difference(small, expected)
    if wrong:
        pathlib.Path(f"/tmp/looks-{name}.png").write_bytes(base64.b64decode(picture))
        return f"{wrong}: /tmp/looks-{name}.png beside {path}; WARPLADDER_LOOKS=new takes it"
    upside_down = [small[0], small[1], small[2][::-1]]
    assert difference(upside_down, expected), f"{name}: the comparison does not see a page upside down"
    return ""


def check(path, name=None, prepare=None):
    """prepare(page): bring the page into the state that is looked at."""
    wrong, pictures = [], {}
    with browser.Browser() as page:
        for width, height in ((1440, 900), (360, 740)):
            for dark in (False, True):
                where = f"{pathlib.Path(path).name}, {width} pixels, {'dark' if dark else 'light'}"
                page.size(width, height, dark)
                page.open(path)
                if prepare:
                    prepare(page)
                found = [page.evaluate(WIDE)]
                if name:
                    pictures[f"{name}-{width}-{'dark' if dark else 'light'}"] = page.picture()
                if (width == 360) == dark:  # each width and each ground once
                    found += axe(page) or []
                wrong += [f"{where}: {text}" for text in found if text]
        wrong += [f"console: {text}" for text in page.problems]
        page.call("Page.navigate", url="about:blank")  # a page of its own may forbid pictures
        page.wait("location.href === 'about:blank' && document.readyState === 'complete'")
        wrong += filter(None, (compare(page, *picture) for picture in pictures.items()))
    assert not wrong, "\n".join(wrong)
    print(f"looked at: {pathlib.Path(path).name}{'' if axe_source() else ' (without axe, which is not installed)'}")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        check(argument)
