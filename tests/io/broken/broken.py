#!/usr/bin/python3
"""broken.py path/to/warpladder: broken inputs and environments, one a line of cases.tsv. Each must end within ten seconds, not by a signal,
with the exit code and one line on standard error that has the words listed, and must leave files that were there as they were and no
others. A case that cannot be had here (a folder that root cannot write) is counted.

cases.tsv, which make_list.py writes, has: tool, environment, arguments, exit code, words. In the arguments, cut@tree.nwk is the good file tree.nwk, broken by
`cut` (see BREAKAGES)."""
import bz2
import concurrent.futures
import gzip
import io
import os
import pty
import resource
import shlex
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "cases.tsv")

# --- Good files ------------------------------------------------------------------------------------------------------

GOOD = {
    "tree.nwk": "((a:0.1,b:0.2):0.1,c:0.3,d:0.4);\n",
    "dna.fasta": ">a\nACGTACGTACGT\n>b\nACGAACGTACGT\n>c\nACTAACGTACGG\n>d\nTCTAACCTACGG\n",
    "ref.phy": "4 12\na ACGTACGTACGT\nb ACGAACGTACGT\nc ACTAACGTACGG\nd TCTAACCTACGG\n",
    "reads.fasta": ">r1\nACGTAC\n>r2\nTAACCTAC\n",
    "protein.fasta": ">p\nMKVLAAGLLKWERTYMKVLAAGLLK\n>q\nMKVLAAGLLKMKVLYYAAGHLLA\n",
    "calls.vcf": "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                 "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n"
                 "1\t9\t.\tG\tT\t.\t.\t.\tGT\t0/0\t0/1\n",
    "numbers.tsv": "name\tx\ty\tz\ns1\t1\t2\t0\ns2\t0\t1\t1\n",
    "matrix.txt": "   A  C  G  T  *\nA  2 -3 -3 -3 -3\nC -3  2 -3 -3 -3\nG -3 -3  2 -3 -3\nT -3 -3 -3  2 -3\n* -3 -3 -3 -3  1\n",
    "set.bed": bytes([0x6C, 0x1B, 1, 0b1110, 0b0010]),
    "set.bim": "1\trs1\t0\t5\tA\tC\n1\trs2\t0\t9\tG\tT\n",
    "set.fam": "f s1 0 0 1 -9\nf s2 0 0 2 -9\n",
    "kernel.cu": "#include <cuda_runtime.h>\n__global__ void k(int *x) { x[threadIdx.x] = 1; }\nint main() { return 0; }\n",
}

# --- Breakages: bytes of a file to bytes, or what else its name becomes ----------------------------------------------


def zipped(data):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("inside", data)
    return stream.getvalue()


def middle(data, piece):
    half = data.find(b"\n", len(data) // 2) + 2
    return data[:half] + piece + data[half:]


BREAKAGES = {
    "empty": lambda data: b"",
    "blank": lambda data: b"\n \n\t\n",
    "cut": lambda data: data[:len(data) * 5 // 8],
    "zero": lambda data: middle(data, b"\0"),
    "escape": lambda data: middle(data, b"\x1b[31m"),
    "high": lambda data: middle(data, b"\xff\xfe"),
    "utf16": lambda data: data.decode("latin1").encode("utf-16"),
    "mac": lambda data: data.replace(b"\n", b"\r"),
    "html": lambda data: b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n",
    "json": lambda data: b'{"error": "no such accession"}\n',
    "random": lambda data: bytes((i * i * 7 + i * 31 + 129) % 256 for i in range(999)),
    "long": lambda data: data.rstrip(b"\n") + b"A" * 70000 + b"(" * 70000 + b"\n",
    "twice": lambda data: data + data,
    "zip": zipped,
    "bzcut": lambda data: bz2.compress(data)[:-9],
    "gzcut": lambda data: gzip.compress(data, mtime=0)[:-9],
    "gzbad": lambda data: (lambda packed: packed[:-6] + bytes([packed[-6] ^ 255]) + packed[-5:])(gzip.compress(data, mtime=0)),
    "gztail": lambda data: gzip.compress(data, mtime=0) + b"tail",
}
PLACES = ("missing", "folder", "loop", "dangling", "toolong", "under", "locked")  # what is no file that can be read


def place(kind, path):
    """A path at which there is no file to read."""
    if kind == "folder":
        os.mkdir(path)
    elif kind == "loop":
        os.symlink(os.path.basename(path), path)
    elif kind == "dangling":
        os.symlink("nowhere", path)
    elif kind == "toolong":
        return "n" * 300
    elif kind == "under":
        open(path, "w").close()
        return os.path.basename(path) + "/file"
    elif kind == "locked":
        open(path, "w").close()
        os.chmod(path, 0)
    return os.path.basename(path)


# --- Environments ----------------------------------------------------------------------------------------------------

KB = 1024
LIMITS = {"stack": resource.RLIMIT_STACK, "files": resource.RLIMIT_NOFILE, "memory": resource.RLIMIT_AS, "size": resource.RLIMIT_FSIZE}


def limits(environment):
    """Called in the child before the program starts."""
    for name, value in environment.items():
        if name in LIMITS:
            resource.setrlimit(LIMITS[name], (int(value), int(value)))
        if name in ("stdin", "stdout", "stderr") and value == "closed":
            os.close(("stdin", "stdout", "stderr").index(name))
        if name == "folder":
            os.chmod(".", 0o555)


class Skipped(Exception):
    """A case that cannot be had here."""


def is_as_it_was(path):
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read() == b"as it was\n"


def is_empty(path):
    return os.path.isdir(path) and not os.listdir(path)


def start(folder, case):
    """Runs it. (exit code, standard output, standard error)."""
    tool, environment, words = case[0], dict(pair.split("=", 1) for pair in case[1].split(" ") if "=" in pair), []
    if os.geteuid() == 0 and ("locked@" in case[2] or "folder" in environment):
        raise Skipped
    for word in shlex.split(case[2]):
        way, _, name = word.partition("@")
        if name in GOOD and way in PLACES:
            word = place(way, os.path.join(folder, way + "." + name))
        elif name in GOOD and (way in BREAKAGES or not way):
            word = way + "." + name if way else name
            with open(os.path.join(folder, word), "wb") as file:
                file.write(BREAKAGES[way](GOOD[name]) if way else GOOD[name])
        words.append(word)
    if "with" in environment:
        with open(os.path.join(folder, environment["with"]), "wb") as file:
            file.write(GOOD[environment["with"]])
    for name in ("old.tsv", "old.phy"):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write("as it was\n")
    there = set(os.listdir(folder))
    variables = {"PATH": os.environ["PATH"], "HOME": folder, "OMP_WAIT_POLICY": "passive", "TMPDIR": folder}
    variables.update((name[1:], value) for name, value in environment.items() if name[0] == "$")
    variables = {name: value for name, value in variables.items() if value != "(none)"}
    stdin, stdout, stderr = subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE
    terminal = pty.openpty() if environment.get("stdin") == "tty" else None
    if terminal:
        os.write(terminal[0], b"\x04")  # the end of what is typed
        stdin = terminal[1]
    if environment.get("stdout", "").startswith("/dev/"):
        stdout = open(environment["stdout"], "wb")
    given = environment.get("stdin", "")
    if given.partition("@")[2] in GOOD:
        stdin = tempfile.TemporaryFile()
        stdin.write(BREAKAGES[given.partition("@")[0]](GOOD[given.partition("@")[2]]))
        stdin.seek(0)
    needs = set(environment) & (set(LIMITS) | {"folder"}) or "closed" in environment.values()
    program = [PROGRAM] + ([tool] if tool != "-" else []) + words
    try:
        done = subprocess.run(program, cwd=folder, env=variables, stdin=stdin, stdout=stdout, stderr=stderr, timeout=10,
                              preexec_fn=(lambda: limits(environment)) if needs else None)
    except subprocess.TimeoutExpired:
        return "hangs", b"", b"(ten seconds)", ""
    finally:
        os.chmod(folder, 0o755)
        for opened in terminal or ():
            os.close(opened)
    lost = [name for name in ("old.tsv", "old.phy") if not is_as_it_was(os.path.join(folder, name))]
    new = {name for name in set(os.listdir(folder)) - there if not is_empty(os.path.join(folder, name))}
    left = (f"; lost {lost}" if lost else "") + (f"; left {sorted(new)}" if new else "")
    return done.returncode, done.stdout or b"", done.stderr or b"", left


def run(case):
    with tempfile.TemporaryDirectory() as folder:
        return start(folder, case)


# --- What each must be -----------------------------------------------------------------------------------------------


def wrong(case, found):
    """What is wrong with what a case gave; "" if nothing."""
    code, _, error, left = found
    expected, words = int(case[3]), case[4]
    text = error.decode("utf-8", "replace")
    lines = text.splitlines()
    if code != expected:
        return f"exit code {code}, expected {expected}: {text.strip()[-300:]}"
    if expected != 0 and left:
        return f"exit code {code}{left}"
    if expected != 0 and words != "-" and (len(lines) != 1 or not lines[0].startswith("warpladder")):
        return f"{len(lines)} lines, expected one: {text.strip()[-300:]}"
    if words != "-" and words not in text:
        return f"said '{text.strip()[-300:]}', expected '{words}'"
    if any(ord(c) < 32 and c != "\n" for c in text):
        return f"control characters: {text!r}"
    return ""


def read_list():
    with open(LIST, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if line.strip() and line[0] != "#"]


def all_of(cases):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(attempt, cases))


def attempt(case):
    try:
        return run(case)
    except Skipped:
        return None


def test():
    cases = read_list()
    failed, skipped = [], 0
    for case, found in zip(cases, all_of(cases)):
        if found is None:
            skipped += 1
            continue
        what = wrong(case, found)
        if what:
            failed.append("\t".join(case[:3]) + "\n    " + what)
    if failed:
        sys.exit("\n".join(["FAILED:"] + failed[:20] + [f"{len(failed)} of {len(cases)}"]))
    print(f"{len(cases)} broken inputs and environments; {skipped} cannot be had here")


def prepare(program):
    """Before anything is run: what the good files are as bytes, a database among them."""
    global PROGRAM
    PROGRAM = os.path.abspath(program)
    for good, content in GOOD.items():
        GOOD[good] = content.encode("ascii") if isinstance(content, str) else content
    with tempfile.TemporaryDirectory() as made:
        with open(os.path.join(made, "p.fasta"), "wb") as fasta:
            fasta.write(GOOD["protein.fasta"])
        with open(os.path.join(made, "dna.fasta"), "wb") as fasta:
            fasta.write(GOOD["dna.fasta"])
        of = ["--device", "cpu", "--quiet"]
        subprocess.run([PROGRAM, "makedb", "p.fasta", "made.wdb", "--quiet"], cwd=made, check=True)
        subprocess.run([PROGRAM, "distances", "dna.fasta", "--part", "1/2", "-o", "one.part", *of], cwd=made, check=True)
        subprocess.run([PROGRAM, "distances", "dna.fasta", "--part", "2/2", "-o", "two.part", *of], cwd=made, check=True)
        for name in ("made.wdb", "one.part", "two.part"):
            with open(os.path.join(made, name), "rb") as file:
                GOOD[name] = file.read()


PROGRAM = ""
if __name__ == "__main__":
    prepare(sys.argv[1])
    test()
