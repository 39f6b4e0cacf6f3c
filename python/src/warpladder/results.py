"""Result files, that is the tables that `warpladder run` writes, as data frames."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    import pandas


def read_results(path: Union[str, os.PathLike[str]]) -> pandas.DataFrame:
    """The rows of a result file as a data frame. Its attrs are the file's header: machine, commit, seed, command. This needs pandas."""
    import pandas

    header = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("# "):
                break
            key, _, value = line[2:].rstrip("\n").partition(": ")
            header[key] = value
    frame = pandas.read_csv(path, sep="\t", comment=None, skiprows=len(header), na_values="NA")
    frame.attrs.update(header)
    return frame
