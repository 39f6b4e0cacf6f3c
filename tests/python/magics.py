#!/usr/bin/env python3
"""magics.py WARPLADDER: what %%cuda, %%kernel and %%lab find in a cell, which of its lines they mark, and what they refuse. Without a
program (""), those of the installed package."""
import html
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from IPython.core.error import UsageError
    from IPython.core.interactiveshell import InteractiveShell
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(0)

root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
work = tempfile.TemporaryDirectory()
os.environ.update(CLANG="", IPYTHONDIR=work.name)  # what clang says is tested elsewhere
if sys.argv[1]:
    os.environ["WARPLADDER"] = os.path.abspath(sys.argv[1])
    sys.path.insert(0, os.path.join(root, "python/src"))
from warpladder import read_results  # noqa: E402
from warpladder._report import marks_in, short  # noqa: E402
from warpladder._stage import kernel_of  # noqa: E402
from warpladder.program import program_path  # noqa: E402

os.chdir(work.name)
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "warpladder")
names = shell.user_ns


def cell(magic, line, source):
    result = shell.run_cell_magic(magic, line, source)
    page = result._repr_html_()
    for message in result.messages:  # a page and a terminal say the same
        said = short(message) if marks_in([message]) else message
        assert html.escape(said) in page and said in repr(result), (message, page)
    return result


def has(result, *texts):
    for text in texts:
        assert text in repr(result), f"expected '{text}'; found {result!r}"


def check_program():
    with open(os.path.join(root, "lessons/00_first_program/vector_addition.cu"), encoding="utf-8") as file:
        program = file.read()
    line = 1 + program.split("\n").index("    if (i < n) c[i] = a[i] + b[i];") + 1  # the magic's line is the first
    result = cell("cuda", "--steps", program.replace("if (i < n) ", ""))
    assert not result.ok and list(result.marks()) == [line], result.marks()
    has(result, f">{line:4} |     c[i] = a[i] + b[i];", "it would be element 1000 of 1000", "1 thing was found wrong")
    assert "class='wl-mark'>" in result._repr_html_() and "<iframe" in result._repr_html_()
    assert "step" in result.page and "c[i] = a[i] + b[i];" in result.page
    assert repr(result).count("out of bounds") == 1, result  # the program prints the error, too
    result = cell("cuda", "", program.replace("expect(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));", ""))
    assert list(result.marks()) == [line], result.marks()
    has(cell("cuda", "-- 1 'two words'", "#include <stdio.h>\nint main(int n, char **word) { printf(\"%d %s\", n, word[2]); }"), "3 two words")
    has(result, "1000 of 1000 sums are wrong", "warning: add: block (0,0,0) thread (0,0,0): uninitialised memory", "exit code 1")


ADD = """__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""


def check_launch():
    names.update(a=numpy.arange(1000, dtype="f4"), b=numpy.full(1000, 0.5, dtype="f4"), c=numpy.zeros(1000, dtype="f4"), d=numpy.zeros(1000))
    result = cell("cuda", "add<<<(4, 1), 256>>>(a, b, c, len(a))", ADD)
    assert result.ok and (names["c"] == names["a"] + names["b"]).all(), result
    assert ["global load requests", 64] in result.tables[0].rows and result.tables[1].rows[0][:2] == ["line 4", 96]
    # A template, whose types are the arrays' or given.
    twice = ADD.replace("__global__", "template <typename T, int N>\n__global__").replace("float", "T").replace("a[i] +", "N * a[i] +")
    result = cell("cuda", "add<float, 2><<<4, 256>>>(a, b, c, len(a))", twice)
    assert result.ok and (names["c"] == 2 * names["a"] + names["b"]).all(), result
    result = cell("cuda", "add<<<4, 256>>>(a, b, c, len(a))", ADD.replace("__global__", "template <class T> __global__").replace("float", "T"))
    assert result.ok and (names["c"] == names["a"] + names["b"]).all(), result
    result = cell("cuda", "add<<<4, 256>>>(a, b, c, len(a))", twice)
    assert not result.ok and "add: found no value for N of its template" in result.verdict, result
    for called in ("add", "add<>", "add<float>"):  # N has a default
        result = cell("cuda", called + "<<<4, 256>>>(a, b, c, len(a))", twice.replace("int N", "int N = 3"))
        assert result.ok and (names["c"] == 3 * names["a"] + names["b"]).all(), result
    # A finding calls the array by its name in the kernel.
    has(cell("cuda", "add<<<4, 256>>>(a, b, c, len(a))", ADD.replace("i < n", "i <= n")), "4 bytes past the end of an allocation of 4000 bytes, which the kernel calls a")
    # A race on an array: the line is the kernel's, not that of the array's allocation.
    result = cell("cuda", "add<<<4, 256>>>(a, b, c, len(a))", ADD.replace("c[i] =", "c[0] ="))
    assert not result.ok and list(result.marks()) == [4] and not result.output and not result.notes, result
    for line, expected in (
        ("", "the cell has no main(); expected a launch in its first line, '%%cuda add<<<4, 256>>>(a, b, c, 1000)'"),
        ("add<<<4, 256>>>(a, b, d, 1000)", "c: found an array of float64; expected float32, since the kernel takes float *"),
        ("add<<<4, 256>>>(a, b, c)", "add: found 3 arguments; expected 4"),
        ("add<<<4, 256>>>(a, b, 3, 1000)", "c: found int; expected a NumPy array"),
        ("add<<<4>>>(a, b, c, 1000)", "found 1 values; expected the grid, the block"),
        ("add<<<4.5, 256>>>(a, b, c, 1000)", "grid: found 4.5; expected a whole number"),
        ("sub<<<4, 256>>>(a, b, c, 1000)", "found no kernel sub in the cell"),
        ("add<<<4, 256>>>(a, b, c[::2], 1000)", "c: found an array that cannot be written in place"),
        ("add<<<4, 256>>>(a, b, e, 1000)", "name 'e' is not defined"),
        ("add<<<4, 256>>>(a, b, c, 1000.5)", "n: found 1000.5; expected a whole number from -2147483648 to 2147483647"),
        ("add<<<4, 256>>>(a, b, c, float('inf'))", "n: found inf; expected a whole number"),
        ("add<<<4, 256>>>(a, b, c, 5000000000)", "n: found 5000000000; expected a whole number"),
    ):
        result = cell("cuda", line, ADD)
        assert not result.ok and expected in result.verdict, (line, result)


def check_kernel():
    kernel = kernel_of("lessons/05_shared")
    lines = ("%%kernel\n" + kernel).split("\n")
    result = cell("kernel", "lessons/05_shared --steps", kernel.replace("    __syncthreads();\n    if", "    if"))
    marked = [1 + i for i, line in enumerate(lines) if "dist[idx] += count" in line or "dist[0] += dist[i]" in line]
    assert not result.ok and sorted(result.marks()) == [marked[0], marked[1] - 1], (result, marked)
    has(result, "race on shared memory", "The kernel is not right yet.")
    assert "dist[idx] += count;" in result.page
    result = cell("kernel", "lessons/05_shared", kernel.replace("int idx = threadIdx.x;", "int idx = threadIdx.y + thread;"))
    line = 1 + next(i for i, line in enumerate(lines) if "int idx" in line)
    assert not result.ok and list(result.marks()) == [line], result
    has(result, "the cell does not compile", "'thread' was not declared in this scope")
    has(cell("kernel", "lessons/05_shared --instances -3", kernel), "An option is wrong.", "option --instances: -3 is out of range")
    has(cell("kernel", "lessons/5", kernel), "found the stage 'lessons/5'; expected one that 'warpladder list' names")
    shell.run_line_magic("kernel", "lessons/05_shared")
    try:
        shell.run_line_magic("kernel", "nonsense")
    except UsageError as error:
        assert "found the stage 'nonsense'" in str(error)
    else:
        assert False, "%kernel takes nonsense"


def check_lab():
    subprocess.run([program_path(), "lab", "make", "02_coalesced", "--seed", "5", "--out", "mine", "--source", "https://example.org/warpladder.git", "--quiet"], check=True)
    with open("mine/notebook.ipynb", encoding="utf-8") as file:
        source = "".join(next(cell["source"] for cell in json.load(file)["cells"] if cell["id"] == "kernel"))
    begin = source.index("\n", source.index("BEGIN YOUR CODE")) + 1
    line = source.count("\n", 0, begin) + 2
    magic, stub = (source[:begin] + """    for (int i = idx; i <= attributes; i += THREADS)
        if (data[i + (size_t)attributes * gx] != data[i + (size_t)attributes * gy]) atomicAdd(distance + (size_t)instances * gy + gx, 1);
""" + source[begin:]).split("\n", 1)
    result = cell("lab", magic.replace("%%lab ", ""), stub)
    assert not result.ok and list(result.marks()) == [line], result
    has(result, "out of bounds", "Coalesced loads: 0 of 80 points")
    with open("kernel.cu", encoding="utf-8") as file:
        assert "i <= attributes;" in file.read()  # is what is handed in
    result = cell("lab", magic.replace("%%lab ", ""), stub.replace("i <= attributes;", "i <= attributes"))
    assert not result.ok and list(result.marks()) == [line - 1], result
    has(result, "expected ';' before 'i'")


def stand_in(name, text):
    os.makedirs("stand-ins", exist_ok=True)
    with open(os.path.join("stand-ins", name), "w", encoding="ascii") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(os.path.join("stand-ins", name), 0o755)


def check_gpu():
    """With stand-ins for nvcc and a GPU; and what a machine without g++ says."""
    path, here = os.environ["PATH"], os.path.abspath("stand-ins")
    stand_in("nvidia-smi", "echo NVIDIA H200\n")
    stand_in("nvcc", 'grep -q "error here" cell.cu && { echo "cell.cu(2): error: expected a type" >&2; exit 2; }\nprintf "#!/bin/sh\\necho ran with \\$1\\n" >cell && chmod 755 cell\n')
    os.environ["PATH"] = here + os.pathsep + path
    has(cell("cuda", "--device gpu -- 77", "int main() {}"), "ran with 77", "on NVIDIA H200")
    has(cell("cuda", "--device gpu", "int main() {} // error here"), "expected a type")
    os.environ["PATH"] = here
    result = cell("cuda", "", "int main() {}")
    assert len(result.messages) == 1 and "g++ is not found; programs for the simulated device are compiled by g++ and binutils" in result.messages[0], result
    os.remove("stand-ins/nvcc")
    has(cell("cuda", "--device gpu", "int main() {}"), "there is no GPU here, or no nvcc")
    os.environ["PATH"] = path


def check_frames():
    try:
        import pandas  # noqa: F401
    except ImportError:
        return
    frame = read_results(os.path.join(root, "results/lessons_112x512_h200.tsv"))
    assert frame.attrs["gpu"] == "NVIDIA H200" and frame.attrs["seed"] == "2010"
    row = frame[frame["variant"] == "05_shared"].iloc[0]
    assert row["problem"] == "lessons" and row["kernel_ms_median"] < 1 and row["instruction_set"] != row["instruction_set"]  # NA
    frame = cell("cuda", "add<<<4, 256>>>(a, b, c, 1000)", ADD).frame()
    assert frame.loc["global load requests", "add"] == 64


for check in (check_program, check_launch, check_kernel, check_lab, check_gpu, check_frames):
    check()
