#!/usr/bin/env python3
"""The check finds each bare figure of a planted page and comment, and lines of its lists that nothing needs; it passes over what is filled."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {
    "page.md": """# It takes 3 ms (a head)

It takes 3 ms, <!-- value: times 01_naive 112x512 kernel_ms_median -->4 ms<!-- end --> and 12 GCUPS.
A warp-wide sum is 1.5 times as fast, 20 % more, or 30-fold. The paper says 45 ms.
It is two million times as fast.
It needs three times as long, is twice as fast; Twice as fast, takes half as long, or half the time; now a third
of the time. It takes 1 second, 12 minutes, four seconds, half a second, 5% or 3ms; it is 1.5x faster, writes 12 MB/s, reads 6.9 TB per second
and does 21 billion per second. Over the end of a line it takes 33.6
ms, and is six
times as fast. A tile of 16 x 16 pairs needs 2 x (3 + 4) words; 10^9 cells per second are a GCUPS.
Filled: <!-- value: cell a b two -->3.1<!-- end --> million times as fast, <!-- value: cell a b two -->3.1<!-- end --> TB per second.

It takes 30 minutes, after lesson 01.

| 6 ms | a table |

**Predicted.** It takes 7 ms,
and another 8 ms.

**Found.** It takes 9.5 us.

## Exercises

1. Why 10 ms?
""",
    "lessons/01_naive/kernel.cu": "/* 01_naive\n\n   Expected: 2 ms.\n   Measured: 3 ms, 4.5 times as fast,\n   0.7 TCUPS.\n   See: 5 ms */\n",
    "docs/figures.tsv": "file\twords\tvalue\nlessons/01_naive/kernel.cu\tMeasured: {} ms\tnone\n",
    "tests/docs/figures/allowed.tsv": "page.md\tThe paper says 45 ms\tpaper\npage.md\t46 ms\tpaper\npage.md\tthe sum\thearsay\n",
    "tests/docs/figures/still_bare.txt": "other.md\n",
}
EXPECTED = ["allowed.tsv: found ['page.md', 'the sum', 'hearsay']", "lessons/01_naive/kernel.cu:4: bare: '4.5 times'", "lessons/01_naive/kernel.cu:5: bare: '0.7 TCUPS'", "page.md:3: bare: '3 ms'",
            "page.md:3: bare: '12 GCUPS'", "page.md:4: bare: '1.5 times'", "page.md:4: bare: '20 %'", "page.md:4: bare: '30-fold'",
            "page.md:5: bare: 'two million times", *(f"page.md:{line}: bare: '{figure}'" for line, figure in (
                (6, "three times as"), (6, "twice as fast"), (6, "Twice as fast"), (6, "half as long"), (6, "half the time"), (6, "third of the time"), (7, "1 second"),
                (7, "12 minutes"), (7, "four seconds"), (7, "half a second"), (7, "5%"), (7, "3ms"), (7, "1.5x"), (7, "12 MB/s"),
                (7, "6.9 TB per second"), (8, "21 billion per second"), (8, "33.6 ms"), (9, "six times as"))),
            "page.md:20: bare: '9.5 us'", "still_bare.txt: other.md: found no bare figure", "allowed.tsv: page.md: '46 ms' is nowhere", "allowed.tsv: page.md: 'the sum' is nowhere"]

with tempfile.TemporaryDirectory() as root:
    for path, text in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run([sys.executable, os.path.join(HERE, "check.py"), "--root", root], capture_output=True, text=True, check=False)
found = done.stdout.splitlines()
assert done.returncode == 1, f"exit code {done.returncode}; expected 1: {done.stdout}{done.stderr}"
assert len(found) == len(EXPECTED) and all(any(line.startswith(start) for line in found) for start in EXPECTED), \
    "found\n" + "\n".join(found) + "\nexpected lines that begin with\n" + "\n".join(EXPECTED)
