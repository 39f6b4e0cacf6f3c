#!/usr/bin/env bash
# gzip_session.sh BUILD OUT OLD [ROUNDS]: whole `search` commands on the CPU from packed and plain FASTA, by turns with OLD, an older
# warpladder, with `gzip -dc`, and with zlib alone (Python's). OUT/search_gzip_2core.tsv gets the median seconds and processor seconds, and
# the median ratio to zlib alone. 570,000 random proteins, 213 MB, packed by gzip -6 and in bgzip's blocks; a query of 10 residues.
# A benchmark, not a test. Needs python3 with NumPy, gzip and an idle machine; takes about a minute.
set -euo pipefail
build=$1 out=$2 old=$(readlink -f "$3") rounds=${4:-5}
mkdir -p "$out"
here=$(cd "$(dirname "$0")" && pwd) new=$(readlink -f "$build/warpladder") out=$(readlink -f "$out")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
${PYTHON:-python3} "$here/../gpu/proteins.py" 570000 1 10 plain query
gzip -6 -c plain >packed.gz
cat >session.py <<'PYTHON'
import os
import statistics
import struct
import subprocess
import sys
import time
import zlib

new, old, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open("plain", "rb") as source, open("blocks.gz", "wb") as target:
    while block := source.read(65280):
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        data = packer.compress(block) + packer.flush()
        target.write(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(data) + 25) + data)
        target.write(struct.pack("<II", zlib.crc32(block), len(block)))
    target.write(bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000"))
ZLIB = """
import sys, zlib
data, unpacker = open(sys.argv[1], "rb"), zlib.decompressobj(31)
while piece := data.read(1 << 17):
    unpacker.decompress(piece)
    while unpacker.eof and unpacker.unused_data:
        rest, unpacker = unpacker.unused_data, zlib.decompressobj(31)
        unpacker.decompress(rest)
"""


def measured(command):
    before, begun = os.times(), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.monotonic() - begun, os.times()
    return wall, sum(after[2:4]) - sum(before[2:4])


def search(program, file):
    return [program, "search", "--quiet", "--device", "cpu", "--format", "tabular", "--query", "query", "--db", file]


rows = {}
for _ in range(rounds):
    for name, file in (("plain", "plain"), ("gzip", "packed.gz"), ("bgzip", "blocks.gz")):
        commands = {"search": search(new, file), "search, old": search(old, file)}
        if name != "plain":
            commands |= {"gzip -dc": ["gzip", "-dc", file], "zlib alone": [sys.executable, "-c", ZLIB, file]}
        for what, command in commands.items():
            rows.setdefault((name, what), []).append(measured(command))
print("file\twhat\twall_s\tcpu_s\tof_zlib")
for (name, what), samples in rows.items():
    wall, cpu = (statistics.median(s[i] for s in samples) for i in (0, 1))
    zlibs = rows.get((name, "zlib alone"))
    ratio = f"{statistics.median(a[0] / b[0] for a, b in zip(samples, zlibs)):.3f}" if zlibs else "NA"
    print(name, what, f"{wall:.3f}", f"{cpu:.3f}", ratio, sep="\t")
PYTHON
${PYTHON:-python3} session.py "$new" "$old" "$rounds" >rows
{
    echo "# what: search --device cpu of 570,000 proteins (213 MB) from files, whole commands by turns, $rounds rounds: medians; of_zlib: the time over that of unpacking alone by zlib (Python's); experiments/cpu/gzip_session.sh"
    echo "# old: ${OLD_COMMIT:-$("$old" machine | sed -n 's/^commit  *//p')}"
    "$new" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    cat rows
} >"$out/search_gzip_$(nproc)core.tsv"
cat "$out/search_gzip_$(nproc)core.tsv"
