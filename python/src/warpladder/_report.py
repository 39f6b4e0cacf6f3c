"""What a cell's run came to, as text and as HTML: output, the cell's lines with what was found in them, counters, the page of steps."""
from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

if TYPE_CHECKING:
    import pandas

CELL = "cell.cu"
"""The name of the cell in messages."""
CONTEXT = 2
"""Lines that are shown around a marked one."""


def marks_in(messages: Iterable[str]) -> dict[int, list[str]]:
    """The lines of the cell that messages name as "cell.cu:7", each with its messages. A message belongs to the first line that it names,
    other than that of an allocation; of a race, the other access is marked, too."""
    marks: dict[int, list[str]] = {}
    for message in messages:
        named = re.search(re.escape(CELL) + r":(\d+)", re.sub(r"(allocated|made)( as \w+)? in [^,]*, [^ ,;)]*", "", message))
        if named:
            marks.setdefault(int(named[1]), []).append(short(message))
            for other in re.findall(r"(?:stored|loaded|atomically) \(\S*" + re.escape(CELL) + r":(\d+)", message):
                marks.setdefault(int(other), [])
    return marks


def short(message: str) -> str:
    """Without what the reader of a cell knows: its name, and where the program lies."""
    message = re.sub(r"launch: \S+: cudaGetLastError\(\): ", "", message)
    message = re.sub(r", (made|allocated) as (\w+) in main, launch:\d+", r", which the kernel calls \2", message)
    message = re.sub(r"[^\s(]*" + re.escape(CELL) + r":(\d+)(:\d+)?", r"line \1", message)
    return re.sub(r"^line \d+: ", "", message)


def number(value: Union[float, int, str, None]) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return value if isinstance(value, str) else f"{value:.2f}"


@dataclass
class Table:
    """The first column names the row."""

    title: str
    head: list[str]
    rows: list[list[Union[float, int, str, None]]]

    def cells(self) -> list[list[str]]:
        return [self.head, *([number(value) for value in row] for row in self.rows)]

    def frame(self) -> pandas.DataFrame:
        """The same as a data frame. This needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows, columns=self.head).set_index(self.head[0])

    def text(self) -> str:
        cells = self.cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip() for row in cells]
        return "\n".join([self.title, *lines])

    def html(self) -> str:
        head, *rows = [[html.escape(cell) for cell in row] for row in self.cells()]
        body = "".join(f"<tr><th scope='row'>{row[0]}</th>{''.join(f'<td>{cell}</td>' for cell in row[1:])}</tr>" for row in rows)
        return (f"<div class='wl-wide'><table><caption>{html.escape(self.title)}</caption><thead><tr>"
                f"{''.join(f'<th scope=col>{cell}</th>' for cell in head)}</tr></thead><tbody>{body}</tbody></table></div>")


STYLE = """<style>
.wl pre { margin: 0 0 .6em; white-space: pre-wrap; }
.wl .wl-mark { background: rgba(220, 50, 47, .22); }
.wl .wl-said { border-left: 4px solid rgb(220, 50, 47); padding-left: .6em; }
.wl .wl-good { border-left: 4px solid rgb(40, 140, 60); padding-left: .6em; }
.wl .wl-wide { overflow-x: auto; }
.wl table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wl caption { caption-side: top; text-align: left; padding: .3em 0; color: inherit; }
.wl th, .wl td { padding: .15em .6em; text-align: right !important; border-bottom: 1px solid rgba(128, 128, 128, .35); }
.wl th:first-child { text-align: left !important; }
.wl iframe { width: 100%; height: 38em; border: 1px solid rgba(128, 128, 128, .35); background: white; }
</style>"""


@dataclass
class Report:
    """The result of a cell: it shows itself at the end of the cell. `ok`: nothing was found wrong."""

    source: str
    ok: bool
    verdict: str = ""  # one line
    output: str = ""  # that the program printed
    messages: list[str] = field(default_factory=list)  # what was found; with "cell.cu:7" where a line of the cell is meant
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    page: Optional[str] = None  # of steps: HTML

    def marks(self) -> dict[int, list[str]]:
        return marks_in(self.messages)

    def _shown(self) -> list[int]:
        """The numbers of the lines to show."""
        marked, count = self.marks(), self.source.count("\n") + 1
        return sorted({near for line in marked for near in range(line - CONTEXT, line + CONTEXT + 1) if 1 <= near <= count})

    def _elsewhere(self) -> list[str]:
        return [message for message in self.messages if not marks_in([message])]

    def __repr__(self) -> str:
        parts = [self.output.rstrip("\n")] if self.output else []
        lines, marks, listing = self.source.split("\n"), self.marks(), []
        for near in self._shown():
            listing.append(f"{'>' if near in marks else ' '}{near:4} | {lines[near - 1]}")
            listing += ["       " + message for message in marks.get(near, [])]
        parts += ["\n".join(listing)] if listing else []
        parts += self._elsewhere() + ([self.verdict] if self.verdict else []) + self.notes + [table.text() for table in self.tables]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        lines, marks = self.source.split("\n"), self.marks()
        parts = [f"<pre>{html.escape(self.output)}</pre>"] if self.output else []
        listing = []
        for near in self._shown():
            line = html.escape(f"{near:4} | {lines[near - 1]}")
            listing.append(f"<span class='wl-mark'>{line}</span>" if near in marks else line)
            listing += [f"<span class='wl-said'>{html.escape(message)}</span>" for message in marks.get(near, [])]
        parts += [f"<pre>{chr(10).join(listing)}</pre>"] if listing else []
        parts += [f"<p class='wl-said'>{html.escape(message)}</p>" for message in self._elsewhere()]
        if self.verdict:
            parts.append(f"<p class='{'wl-good' if self.ok else 'wl-said'}'>{html.escape(self.verdict)}</p>")
        parts += [f"<p>{html.escape(note)}</p>" for note in self.notes]
        parts += [table.html() for table in self.tables]
        if self.page:
            parts.append(f"<iframe title='Step through the kernel' sandbox='allow-scripts' srcdoc='{html.escape(self.page, quote=True)}'></iframe>")
        return f"{STYLE}<div class='wl'>{''.join(parts)}</div>"

    def frame(self) -> pandas.DataFrame:
        """The first table as a data frame. This needs pandas."""
        if not self.tables:
            raise ValueError("nothing was counted")
        return self.tables[0].frame()


Counters = dict[str, int]


def ratio(counters: Counters, above: str, below: str) -> Optional[float]:
    return counters[above] / counters[below] if counters.get(below) else None


def changes(before: Any, now: Any) -> str:
    """The last column of a table of two stages."""
    if before == now or before is None and now is None:
        return "same"
    if not before:
        return "new"
    return f"x {now / before:.3g}" if now else "gone"
