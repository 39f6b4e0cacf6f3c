"""What the pictures of the stages' pages are drawn with.

A picture is 360 units wide, as wide as a telephone shows a page, and 1.5 pixels per unit elsewhere. Colours follow the reader's scheme,
light or dark. Every text has to fit: one that leaves the picture or its box, or covers another text, is an error."""
import html

WIDTH, SCALE, MARGIN = 360, 1.5, 10
SIZE, SMALL = 12, 10.5
SECTOR, WORD, BANKS, WARP = 32, 4, 32, 32  # bytes, bytes, banks of shared memory, lanes

# fill: light, dark. a and b are the two things that a picture tells apart, c a result, d what is in the way, n anything else, e nothing.
COLOURS = {"a": ("#a9ccf2", "#1f568f"), "b": ("#ffc98a", "#8a5200"), "c": ("#a9dfb3", "#1d6a37"), "d": ("#f4b3b3", "#8e2f35"),
           "n": ("#e4e7ea", "#3a4149"), "e": ("#ffffff", "#1c2026")}
INKS = {"ink": ("#1f2328", "#e6edf3"), "soft": ("#57606a", "#a5b0bc"), "line": ("#7d8590", "#7d8590")}


def style():
    def rules(which):
        fills = " ".join(f".{name}{{fill:{pair[which]}}}" for name, pair in COLOURS.items())
        inks = f".ink{{fill:{INKS['ink'][which]}}} .soft{{fill:{INKS['soft'][which]}}}"
        return f"{fills} {inks} .edge{{stroke:{INKS['line'][which]}}} .way{{stroke:{INKS['soft'][which]}}} .tip{{fill:{INKS['soft'][which]}}}"

    return (f"text{{font-family:system-ui,'Segoe UI','DejaVu Sans',Arial,sans-serif}} .mono{{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}} "
            f".bold{{font-weight:600}} .edge,.way{{fill:none;stroke-width:1}} {rules(0)} @media (prefers-color-scheme:dark){{{rules(1)}}}")


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Picture:
    """`y` is where the next part begins. Parts that have no place of their own are put there and move it on."""

    def __init__(self, title):
        self.title, self.y, self.parts, self.texts, self.wrong = title, MARGIN, [], [], []

    # --- One thing at a place -----------------------------------------------------------------------------------------------------------

    def text(self, x, y, words, size=SMALL, anchor="start", mono=False, bold=False, ink="ink", within=None):
        """`y` is the middle of the line. `within`: the width that it has to fit into."""
        words = str(words)
        wide = len(words) * size * (0.61 if mono else 0.61 if bold else 0.53)
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        if left < 1 or left + wide > WIDTH - 1 or within is not None and wide > within + 1:
            self.wrong.append(f"no room for '{words}': {left:.0f} .. {left + wide:.0f}, {wide:.0f} wide" + (f" within {within:.0f}" if within else ""))
        self.texts.append((left, y - size * 0.42, left + wide, y + size * 0.42, words))
        kind = " ".join([ink, *(["mono"] if mono else []), *(["bold"] if bold else [])])
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(f'<text class="{kind}" x="{number(x)}" y="{number(y + size * 0.35)}" font-size="{number(size)}"{where}>'
                          f"{html.escape(words, quote=False)}</text>")

    def box(self, x, y, w, h, fill="n", words=None, size=SMALL, mono=False, dashed=False, edge=True, bold=False):
        dash = ' stroke-dasharray="3 2"' if dashed else ""
        place = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
        self.parts.append(f'<rect class="{fill}" {place}/>')
        if edge:
            self.parts.append(f'<rect class="edge" {place}{dash}/>')
        if words is not None and words != "":
            self.text(x + w / 2, y + h / 2, words, size, "middle", mono, bold, within=w)

    def line(self, *points, dashed=False, kind="way"):
        dash = ' stroke-dasharray="3 2"' if dashed else ""
        way = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="{way}"{dash}/>')

    def arrow(self, *points, dashed=False):
        (x0, y0), (x, y) = points[-2:]
        length = max(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5, 0.01)
        ux, uy = (x - x0) / length, (y - y0) / length
        self.line(*points[:-1], (x - 3 * ux, y - 3 * uy), dashed=dashed)
        corners = [(x, y), (x - 5 * ux - 2.5 * uy, y - 5 * uy + 2.5 * ux), (x - 5 * ux + 2.5 * uy, y - 5 * uy - 2.5 * ux)]
        self.parts.append(f'<path class="tip" d="M{"L".join(f"{number(a)} {number(b)}" for a, b in corners)}Z"/>')

    def cells(self, x, y, w, h, labels, fills="n", size=SMALL, mono=False):
        """A row of boxes side by side; `fills`: one for all, or one per box."""
        fills = fills if len(fills) > 1 else fills * len(labels)
        for k, label in enumerate(labels):
            self.box(x + k * w, y, w, h, fills[k], label, size, mono)

    def grid(self, x, y, rows, columns, w, h, fill, words=lambda r, c: None, size=SMALL):
        for r in range(rows):
            for c in range(columns):
                if fill(r, c):
                    self.box(x + c * w, y + r * h, w, h, fill(r, c), words(r, c), size)

    def brace(self, x0, x1, y, words, below=True):
        """A bracket over a width, and what it is."""
        tip = y + 4 if below else y - 4
        self.line((x0, y), (x0, tip), (x1, tip), (x1, y))
        self.text((x0 + x1) / 2, tip + 9 if below else tip - 9, words, anchor="middle", ink="soft")

    # --- Parts below each other ---------------------------------------------------------------------------------------------------------

    def head(self, words, *more):
        """What a part shows: the stage before, or this one. more: (place, words) of what is on its right."""
        if self.y > MARGIN:
            self.line((MARGIN, self.y + 3), (WIDTH - MARGIN, self.y + 3), kind="edge")
            self.y += 10
        for x, said in ((MARGIN, words), *more):
            self.text(x, self.y + 7, said, SIZE - 0.5, bold=True)
        self.y += 22

    def note(self, words):
        """A few words below a part, in lines that fit."""
        line = ""
        for word in words.split() + [None]:
            if word is None or len(line + " " + word) * SMALL * 0.53 > WIDTH - 2 * MARGIN:
                self.text(MARGIN, self.y + 6, line, ink="soft")
                self.y += 14
                line = word
            else:
                line = f"{line} {word}".strip()
        self.y += 4

    def key(self, *entries):
        """What colours mean: (fill, words) each."""
        x = MARGIN
        for fill, words in entries:
            wide = 14 + len(words) * SMALL * 0.53 + 10
            if x + wide > WIDTH - MARGIN + 10:
                x, self.y = MARGIN, self.y + 15
            self.box(x, self.y + 1, 10, 10, fill)
            self.text(x + 14, self.y + 6, words, ink="soft")
            x += wide
        self.y += 20

    def sectors(self, touched, most=32):
        """The sectors of one request. `touched`: (first byte, bytes, fill) of each lane. A sector is eight words; those in colour are used."""
        moved = {}
        for first, count, fill in touched:
            for byte in range(first, first + count):
                moved.setdefault(byte // SECTOR, {})[byte % SECTOR // WORD] = fill
        for k, sector in enumerate(sorted(moved)[:most]):
            x, y = MARGIN + k % 8 * 43, self.y + k // 8 * 13
            for word in range(SECTOR // WORD):
                self.box(x + 4.8 * word, y, 4.8, 9, moved[sector].get(word, "e"), edge=False)
            self.box(x, y, 4.8 * SECTOR // WORD, 9, "none")
        used = len({byte for first, count, _ in touched for byte in range(first, first + count)})
        self.y += (min(len(moved), most) + 7) // 8 * 13 + 3
        self.note(f"{len(moved)} {'sector' if len(moved) == 1 else 'sectors'} of 32 bytes: {used:,} of {len(moved) * SECTOR:,} bytes are used")

    def bars(self, rows, unit, wide=190):
        """Numbers to compare: (words, value, fill) each."""
        largest = max(value for _, value, _ in rows)
        for words, value, fill in rows:
            self.text(MARGIN, self.y + 8, words, within=WIDTH - 2 * MARGIN - wide - 4)
            length = max((wide - 62) * value / largest, 1)
            x = WIDTH - MARGIN - wide
            self.box(x, self.y + 1, length, 14, fill)
            self.text(x + length + 5, self.y + 8, f"{value:,} {unit}".strip(), within=WIDTH - MARGIN - x - length)
            self.y += 20
        self.y += 4

    def times(self, rows, end, left=74, height=20, arrow=True):
        """Who does what when: (name, [(from, to, fill, words)]) each; time runs from 0 to `end`."""
        unit = (WIDTH - MARGIN - left) / end
        for name, parts in rows:
            self.text(MARGIN, self.y + height / 2, name, within=left - MARGIN)
            for begin, until, fill, words in parts:
                self.box(left + begin * unit, self.y, (until - begin) * unit, height, fill, words, SMALL)
            self.y += height + 3
        if arrow:
            self.arrow((left, self.y + 4), (WIDTH - MARGIN, self.y + 4))
            self.text(left - 4, self.y + 4, "time", anchor="end", ink="soft")
            self.y += 14

    def svg(self):
        for k, (x0, y0, x1, y1, words) in enumerate(self.texts):
            for u0, v0, u1, v1, other in self.texts[:k]:
                if min(x1, u1) - max(x0, u0) > 1 and min(y1, v1) - max(y0, v0) > 1:
                    self.wrong.append(f"'{words}' covers '{other}'")
        if self.wrong:
            raise ValueError("\n".join(self.wrong))
        high = self.y + 2
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(high)}" width="{number(WIDTH * SCALE)}" '
                f'height="{number(high * SCALE)}" role="img">\n<title>{html.escape(self.title, quote=False)}</title>\n<style>{style()} .none{{fill:none}}</style>\n'
                f'<rect class="e" width="{WIDTH}" height="{number(high)}"/>\n' + "\n".join(self.parts) + "\n</svg>\n")
