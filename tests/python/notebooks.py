#!/usr/bin/env python3
"""notebooks.py WARPLADDER: the notebooks run from top to bottom, say what their text says, and hold the stages' kernels word for word.

One kernel runs them all, restarted in between by nothing but %reset: to start one takes as long as to run a short notebook."""
import os
import sys

try:
    import nbformat
    from nbclient import NotebookClient
    from jupyter_client import KernelManager
    import numpy  # noqa: F401: of the package
    import ipykernel  # noqa: F401
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    sys.exit(0)

root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
folder = os.path.join(root, "python/notebooks")
os.environ.update(WARPLADDER=os.path.abspath(sys.argv[1]), CLANG="", PYDEVD_DISABLE_FILE_VALIDATION="1")  # what clang says is tested elsewhere
sys.path.insert(0, os.path.join(root, "python/src"))
from warpladder._stage import kernel_of  # noqa: E402

# What must be in a cell's output, by notebook and cell.
EXPECTED = {
    "00_first_program": {"program": ["0 of 1000 sums are wrong", "global load requests 64", "sectors per load request 3.91"], "alone": ["line 4 96 3.91"], "same": ["True"]},
    "01_naive": {"kernel": ["The results are right at", "global load requests 32,768", "sectors per load request 32.00", "atomic operations 338,840"]},
    "02_coalesced": {"kernel": ["The results are right at", "global load sectors 1,048,576 131,072 x 0.125", "sectors per load request 32.00 4.00"]},
    "03_char4": {"kernel": ["The results are right at", "global load requests 32,768 8,192 x 0.25", "atomic operations 338,840 338,840 same"]},
    "04_registers": {"kernel": ["The results are right at", "atomic requests 15,872 4,096 x 0.258", "atomic operations 338,840 131,072"]},
    "05_shared": {"kernel": ["The results are right at", "atomic operations 131,072 0 gone", "shared requests 0 403,456 new"]},
}


def text_of(output):
    """With one blank for several: the columns of a table."""
    text = output.get("text") or output.get("data", {}).get("text/plain", "")
    return " ".join(text.split())


def run(name, manager):
    path = os.path.join(folder, name + ".ipynb")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs") and not cell.get("execution_count"), f"{path}: has outputs; clear them before committing"
    cells = {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}
    if "kernel" in cells:
        stage = "lessons/" + name
        assert cells["kernel"].source == f"%%kernel {stage}\n{kernel_of(stage)}".rstrip("\n"), f"{path}: is not the kernel of {stage}"
    NotebookClient(notebook, km=manager, timeout=120, resources={"metadata": {"path": folder}}).execute(cleanup_kc=False)
    for cell, texts in EXPECTED[name].items():
        outputs = [text_of(output) for output in cells[cell].outputs]
        for text in texts:
            assert any(text in output for output in outputs), f"{path}: {cell}: expected '{text}'; found {outputs}"


manager = KernelManager(kernel_name="python3")
manager.start_kernel(cwd=folder)
try:
    names = sorted(os.path.splitext(name)[0] for name in os.listdir(folder) if name.endswith(".ipynb"))
    assert names == sorted(EXPECTED), names
    for name in names:
        run(name, manager)
finally:
    manager.shutdown_kernel(now=True)
