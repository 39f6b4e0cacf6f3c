#!/usr/bin/env python3
"""Is compute-sanitizer's output read right? sanitizer_sample.txt has a finding of each kind, in the form of version 2025.3."""
import judge

said = (judge.HERE / "sanitizer_sample.txt").read_text()
found = judge.sanitizer_findings(said)
assert len(found) == 4, found


def verdict(file, kind, lines):
    return judge.verdict_of(found, said, 1, {"file": file, "kind": kind, "lines": lines}, judge.SANITIZER_SAYS)[0]


assert verdict("judges03", "bounds", "31,32") == "found"
assert verdict("judges03", "bounds", "99") == "elsewhere"  # a frame of the host
assert verdict("judges03", "bounds", "3") == "elsewhere"
assert verdict("judges03", "race", "32") == "elsewhere"
assert verdict("judges11", "race", "52") == "found"  # the second access
assert verdict("judges02", "race", "90") == "found"  # a warning
assert verdict("judges12", "misaligned", "7") == "found"
assert verdict("judges12", "unwritten/bounds", "7") == "found"
assert verdict("judges12", "none", "NA") == "alarm"
assert judge.verdict_of([], "========= ERROR SUMMARY: 0 errors", 0, {"kind": "none"}, judge.SANITIZER_SAYS)[0] == "silent"
assert judge.verdict_of([], "wrong result", 3, {"kind": "none"}, judge.SANITIZER_SAYS)[0] == "wrong"
assert judge.verdict_of([], "", 0, {"kind": "race"}, judge.SANITIZER_SAYS)[0] == "missed"
