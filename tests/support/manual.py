#!/usr/bin/python3
"""manual.py path/to/warpladder PAGE.md: the examples of a manual print what the page shows.

Run are the lines of code blocks that begin with "$ ", in the page's order and in one folder, "./run" being the program. What follows a
command, or its lines that end with a backslash, is what it must print; "..." stands for anything up to the line's end. "$ cat FILE" of
a file that is not there makes it. A section that names a program, or a file under /usr, that is not installed is left out as a whole."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, PAGE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def missing(command):
    """A program or a file that a command needs and that is not here; None: nothing."""
    for part in re.split(r"[|;]|&&", re.sub(r"'[^']*'", "", command)):
        word = part.split()[0] if part.split() else ""
        if word and not word.startswith("./") and not re.match(r"\w+=", word) and shutil.which(word) is None:
            return word
    return next((path for path in re.findall(r"/usr/[\w./-]+", command) if not os.path.exists(path)), None)


def examples(text):
    """(line, command, expected) of each, but for those in sections that cannot be run here."""
    found, inside, section, left_out = [], False, 0, {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside
        elif not inside and line.startswith("#"):
            section = number
        elif inside and line.startswith("$ "):
            found.append((number, [line[2:]], [], section))
        elif inside and found and found[-1][0] + len(found[-1][1]) + len(found[-1][2]) == number:
            goes_on = not found[-1][2] and found[-1][1][-1].endswith("\\")
            found[-1][1 if goes_on else 2].append(line)
    for _, command, _, section in found:
        if missing("\n".join(command)):
            left_out[section] = missing("\n".join(command))
    for section, what in left_out.items():
        print(f"the section in line {section} needs {what}, which is not here")
    for number, command, expected, section in found:
        if section in left_out:
            continue
        while expected and not expected[-1]:
            expected.pop()
        yield number, "\n".join(command), expected


def shown(printed, expected):
    pattern = "\n".join(".*".join(map(re.escape, line.split("..."))) for line in expected)
    return re.fullmatch(pattern, printed.rstrip("\n")) is not None


with open(PAGE) as file:
    page = list(examples(file.read()))
if not page:
    sys.exit(f"{PAGE}: found no example; expected lines that begin with '$ '")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.symlink(PROGRAM, "run")
    for number, command, expected in page:
        word = command.split()
        if word[0] == "cat" and len(word) == 2 and not os.path.exists(word[1]):
            with open(word[1], "w") as file:
                file.writelines(line + "\n" for line in expected)
            continue
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not shown(done.stdout, expected):
            sys.exit(f"{PAGE}:{number}: '{command}' printed\n{done.stdout}\nexpected\n" + "\n".join(expected))
    os.chdir("/")
print(f"{len(page)} examples")
