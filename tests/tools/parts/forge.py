"""python3 forge.py PART FORGED [KIND:NAME=VALUE...]: the part with these fields in place of those that it has, and with the right checksum,
as someone who knows the format can make it. KIND:NAME=+VALUE appends the field to the part's own, and "tool:NAME" makes it a part of that
tool. KIND is io/part.h's: option, input, output or shown."""

import struct
import sys

KINDS = ["option", "input", "output", "shown"]
HEADER, LAST, MASK = 96, (1 << 64) - 1, (1 << 64) - 1


def mix(z):
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def join(before, after):
    return mix((mix(before) + after) & MASK)


def hash_of(content):
    """harness/base/hash.c's wl_hash_bytes."""
    count, lanes = len(content) // 8, [1, 2, 3, 4]
    for i, word in enumerate(struct.unpack(f"<{count}Q", content[: 8 * count])):
        word ^= lanes[i % 4]
        lanes[i % 4] = ((word ^ word >> 29) * 0x9E3779B97F4A7C15) & MASK
    hashed = count
    for lane in lanes:
        hashed = mix(hashed ^ lane)
    return join(join(hashed, int.from_bytes(content[8 * count :], "little")), len(content))


def padded(content):
    return content + b"\0" * (-len(content) % 8)


def field_of(kind, name, value):
    name, value = name.encode() + b"\0", value.encode() + b"\0"
    return struct.pack("<IIQ", KINDS.index(kind) + 1, len(name), len(value)) + padded(name + value)


def forge(part, words):
    key, (count, size) = part[:80], struct.unpack("<QQ", part[80:HEADER])
    own, new = part[HEADER : HEADER + size], b""
    for word in words:
        kind, text = word.split(":", 1)
        if kind == "tool":
            key = key[:16] + text.encode().ljust(32, b"\0") + key[48:]
            continue
        name, value = text.split("=", 1)
        if not value.startswith("+"):
            own, count = b"", 0 if own else count
        new += field_of(kind, name, value.removeprefix("+"))
        count += 1
    header = key + struct.pack("<QQ", count, len(own + new))
    made, total, records = header + own + new, join(join(0, hash_of(header)), hash_of(own + new)), 0
    at = HEADER + size
    while True:
        number, length = struct.unpack("<QQ", part[at : at + 16])
        if number == LAST:
            return made + struct.pack("<QQQQQ", LAST, 24, records, len(made) + 40, total)
        record = part[at + 16 : at + 16 + length]
        total = join(join(total, hash_of(part[at : at + 16])), hash_of(record))
        made += part[at : at + 16] + padded(record)
        at += 16 + len(padded(record))
        records += 1


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    with open(sys.argv[2], "wb") as file:
        file.write(forge(content, sys.argv[3:]))
