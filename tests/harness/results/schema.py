"""schema.py WARPLADDER FOLDER: docs/columns.tsv describes every column of every published result file, and of files that are made anew; every
value is of the type that it says; and the lines that docs/results.md gives for pandas, R and DuckDB load all files with these types.
FOLDER: packages of PyPI (duckdb). A program that is not installed is named."""
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
sys.path.append(sys.argv[2])
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
TYPES = {"text": re.compile(r'"([^"\t]|"")*"|[^"\t]+'), "count": re.compile(r"-?\d+"), "number": NUMBER}


def documented():
    """{column: [(pattern of files, type)]}, those of single files first; and the line for each program."""
    found, lines, kinds = {}, {}, set()
    names, rows = read("docs/columns.tsv")
    for row in rows:
        column = dict(zip(names, row))
        assert column["type"] in TYPES, f"{column['column']}: found the type '{column['type']}'; expected one of {', '.join(TYPES)}"
        found.setdefault(column["column"], []).append((column["files"], column["type"]))
    with open("docs/results.md", encoding="utf-8") as file:
        for line in file:
            cell = [c.strip() for c in line.strip().strip("|").split(" | ")]
            if line.startswith("|") and len(cell) == 2 and cell[1].startswith("`"):
                lines[cell[0]] = cell[1].split("`")[1]
            if line.startswith("| `"):
                kinds.add(cell[0].strip("`"))
    of = {row[names.index("of")] for row in rows}
    assert of <= kinds, f"docs/results.md: found no line for the kinds {', '.join(sorted(of - kinds))}"
    for rules in found.values():
        rules.sort(key=lambda rule: rule[0] == "*")
        assert len({pattern for pattern, _ in rules}) == len(rules), f"found a column twice: {rules}"
    return found, lines


def read(path):
    """Names and rows, cells as they are."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    assert all(len(line) == len(lines[0]) for line in lines), f"{path}: found rows of different length"
    return lines[0], lines[1:]


def axes(path):
    with open(path, encoding="utf-8") as file:
        return set(" ".join(line[8:] for line in file if line.startswith("# axes: ")).split())


def check(path, schema, used):
    """The types of the file's columns."""
    names, rows = read(path)
    types = {}
    for i, name in enumerate(names):
        rule = next((r for r in schema.get(name, []) if fnmatch.fnmatch(os.path.basename(path), r[0])), None)
        if rule is None and name in axes(path):
            continue
        assert rule, f"{path}: found a column '{name}', which docs/columns.tsv does not describe"
        used.add((name, rule[0]))
        types[name] = rule[1]
        for row in rows:
            assert row[i] == "NA" or TYPES[rule[1]].fullmatch(row[i]), f"{path}: {name}: found {row[i]!r}; expected a {rule[1]}"
    return types


def sums(path, types):
    """{column of numbers: (how many, their sum)} of a file."""
    names, rows = read(path)
    found = {}
    for i, name in enumerate(names):
        if types.get(name) in ("count", "number"):
            values = [float(row[i]) for row in rows if row[i] != "NA"]
            found[name] = (len(values), sum(values))
    return len(rows), found


def same(program, path, rows, expected, actual_rows, actual):
    assert actual_rows == rows, f"{program}: {path}: found {actual_rows} rows; expected {rows}"
    for name, (count, total) in expected.items():
        got = actual[name]
        assert got[0] == count and abs(got[1] - total) <= 1e-9 * abs(total), f"{program}: {path}: {name}: found {got}, expected {(count, total)}"


def with_pandas(line, files):
    import pandas
    for path, (rows, expected) in files.items():
        frame = eval(line.replace(re.search(r'"(results/[^"]*)"', line)[1], path))
        actual = {name: (int(frame[name].count()), float(frame[name].sum())) for name in expected}
        same("pandas", path, rows, expected, len(frame), actual)


def with_duckdb(line, files):
    import duckdb
    for path, (rows, expected) in files.items():
        loaded = duckdb.sql(line.replace(re.search(r"'(results/[^']*)'", line)[1], path))
        names = [name for name, (count, _) in expected.items() if count]  # of nothing but NA the type is not known
        wanted = ", ".join(f'count("{name}"), coalesce(sum("{name}"), 0)' for name in names)
        got = duckdb.sql(f"SELECT count(*){', ' if names else ''}{wanted} FROM loaded").fetchall()[0]
        actual = {name: (got[1 + 2 * i], float(got[2 + 2 * i])) for i, name in enumerate(names)}
        same("DuckDB", path, rows, {name: expected[name] for name in names}, got[0], actual)


def with_r(line, files):
    of = re.search(r'"(results/[^"]*)"', line)[0]
    script = f"""for (path in commandArgs(TRUE)) {{ t <- {line.replace(of, "path")}
        cat("F", path, nrow(t), "\\n", sep = "\\t")
        for (n in names(t)) if (is.numeric(t[[n]]) || is.logical(t[[n]]))
            cat("C", n, sum(!is.na(t[[n]])), sprintf("%.17g", sum(t[[n]], na.rm = TRUE)), "\\n", sep = "\\t") }}"""
    said = subprocess.run(["Rscript", "-e", script, *files], capture_output=True, text=True, check=True).stdout
    actual, counts = {}, {}
    for row in (text.split("\t") for text in said.splitlines()):
        if row[0] == "F":
            path, counts[row[1]], actual[row[1]] = row[1], int(row[2]), {}
        else:
            actual[path][row[1]] = (int(row[2]), float(row[3]))
    for path, (rows, expected) in files.items():
        same("R", path, rows, expected, counts[path], actual[path])


def with_json(files, types):
    """The rows as JSON lines are those of the file, with its types."""
    said = subprocess.run([PROGRAM, "report", *files, "--json-lines"], capture_output=True, text=True, check=True).stdout
    of = {}
    for line in said.splitlines():
        row = json.loads(line)
        of.setdefault(row["result_file"], []).append(row)
    for path, (rows, expected) in files.items():
        found = of[os.path.basename(path)]
        assert list(found[0]) == ["result_file"] + read(path)[0], f"{path}: found the fields {list(found[0])}"
        actual = {}
        for name in expected:
            values = [row[name] for row in found if row[name] is not None]
            assert all(isinstance(value, (int, float)) for value in values), f"{path}: {name}: found a text"
            actual[name] = (len(values), sum(values))
        same("JSON lines", path, rows, expected, len(found), actual)
        for name, kind in types[path].items():
            if kind == "text" and read(path)[1][0][read(path)[0].index(name)].startswith('"'):
                assert isinstance(found[0][name], str), f"{path}: {name}: found {found[0][name]!r}"


def main():
    schema, lines = documented()
    used = set()
    with tempfile.TemporaryDirectory() as folder:
        run = [PROGRAM, "run", "lessons/serial_O3", "--device", "cpu", "--max-time", "0.01", "--instances", "5", "--attributes", "3:7:2",
               "--out", folder, "--quiet"]
        subprocess.run(run, check=True)
        subprocess.run([PROGRAM, "compare", folder, folder, "--out", folder, "--quiet"], check=True)
        made = [os.path.join(folder, "lessons.tsv"), os.path.join(folder, "compare.tsv")]
        hostile = os.path.join(folder, "hostile.tsv")
        with open(hostile, "w", encoding="utf-8") as file:
            file.write('# a: b\nvariant\tkernel_ms_median\tdevice\n"a ""b"" # c"\tNA\t"1"\n"NA"\t2.5\t"NA, \\ and \u00e9"\n')
        files, types = {}, {}
        for path in sorted(glob.glob("results/*.tsv")) + made + [hostile]:
            types[path] = check(path, schema, used)
            files[path] = sums(path, types[path])
        unused = {(name, pattern) for name, rules in schema.items() for pattern, _ in rules} - used
        assert not unused, f"docs/columns.tsv describes columns that no file has: {sorted(unused)}"
        with_json(files, types)
        print(f"JSON lines: {len(files)} files")
        for name, load, there in (("Python, pandas", with_pandas, "pandas"), ("DuckDB", with_duckdb, "duckdb"), ("R", with_r, None)):
            try:
                if there:
                    __import__(there)
                elif not shutil.which("Rscript"):
                    raise ImportError
            except ImportError:
                print(f"{name}: not installed, its line was not tried")
                continue
            load(lines[name], files)
            print(f"{name}: {len(files)} files")


main()
