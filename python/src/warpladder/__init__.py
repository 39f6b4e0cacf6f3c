"""Warpladder for Python: the tools with NumPy arrays in and out, and a simulated GPU for notebooks (%load_ext warpladder).

    import warpladder
    with warpladder.Session() as session:
        distance, compared = session.distances(["ACGT", "ACGA", "ACCA"])
"""
from __future__ import annotations

from typing import Any

from .results import read_results
from .session import MEASURES, PLACEMENT, Alignment, Database, Distances, Error, Hits, Likelihood, Measure, Model, Session, version

__all__ = ["MEASURES", "PLACEMENT", "Alignment", "Database", "Distances", "Error", "Hits", "Likelihood", "Measure", "Model", "Session",
           "read_results", "version"]


def load_ipython_extension(shell: Any) -> None:
    """%load_ext warpladder"""
    from IPython.core.error import UsageError

    from .notebook import Magics
    from .program import program_path

    try:
        program_path()
    except FileNotFoundError as error:
        raise UsageError(str(error)) from None  # one line, no traceback
    shell.register_magics(Magics)
