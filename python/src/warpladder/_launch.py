"""A kernel without a program around it: the program is written here, and NumPy arrays go in and out of it by files."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

LAUNCH = re.compile(r"(\w+)\s*(?:<([^<>]*)>)?\s*<<<(.*)>>>\s*\((.*)\)\s*;?$", re.S)
FILE = "launch"
"""The name of the program around the kernel, where messages say what lies there."""
TYPES = {"float": "float32", "double": "float64", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "uint8_t": "uint8",
         "int8_t": "int8", "short": "int16", "unsigned short": "uint16", "int": "int32", "int32_t": "int32", "unsigned": "uint32",
         "unsigned int": "uint32", "uint32_t": "uint32", "long": "int64", "long long": "int64", "int64_t": "int64", "size_t": "uint64",
         "unsigned long long": "uint64", "uint64_t": "uint64", "bool": "bool"}
VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|float|double)[1-4]$")


class LaunchError(ValueError):
    """One line: what was found in the cell's first line, and what was expected."""


def without_comments(source: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.S)


@dataclass
class Parameter:
    type: str  # of what a pointer points to, or of the value
    name: str
    is_pointer: bool
    is_const: bool


def parameters_of(source: str, kernel: str) -> tuple[list[Parameter], list[tuple[str, bool, str]]]:
    """The parameters of the kernel, and those of its template: each one's name and whether it is a type."""
    found = re.search(r"(?:\btemplate\s*<([^<>]*)>\s*)?(?:static\s+)?__global__[^;{}()]*?(?:__launch_bounds__\([^)]*\)\s*)?(?:static\s+)?void\s+"
                      rf"(?:__launch_bounds__\([^)]*\)\s*)?{kernel}\s*\(([^)]*)\)", without_comments(source))
    if not found:
        raise LaunchError(f"found no kernel {kernel} in the cell; expected '__global__ void {kernel}(...)'")
    parameters = []
    for text in filter(None, (part.strip() for part in found[2].split(","))):
        words = re.findall(r"\w+|\*", text.replace("__restrict__", ""))
        type_words = [word for word in words[:-1] if word not in ("const", "*", "volatile")]
        star = words.index("*") if "*" in words else len(words)
        parameters.append(Parameter(" ".join(type_words), words[-1], "*" in words, "const" in words[:star]))
    template = []
    for part in filter(None, (part.strip() for part in (found[1] or "").split(","))):
        declared, _, default = (half.strip() for half in part.partition("="))
        words = re.findall(r"\w+", declared)
        template.append((words[-1], words[0] in ("typename", "class"), default))
    return parameters, template


def _template_types(kernel: str, template: list[tuple[str, bool, str]], given: Optional[str], parameters: list[Parameter],
                    values: Sequence[Any]) -> dict[str, str]:
    """What each parameter of a template stands for: given in the launch, or found as C++ finds it, by the arrays."""
    words = [word.strip() for word in given.split(",")] if given and given.strip() else []
    if len(words) > len(template):
        raise LaunchError(f"{kernel}<{given}>: found {len(words)} arguments of the template; expected at most {len(template)}")
    types = dict(zip((name for name, _, _ in template), words))
    for parameter, value in zip(parameters, values):
        if parameter.type in [name for name, is_type, _ in template if is_type] and parameter.type not in types and isinstance(value, np.ndarray):
            named = [name for name, kind in TYPES.items() if np.dtype(kind) == value.dtype]
            if named:
                types[parameter.type] = named[0]
    for name, _, default in template:
        if name in types:
            continue
        if default:
            types[name] = types.get(default, default)
            continue
        raise LaunchError(f"{kernel}: found no value for {name} of its template; expected '{kernel}<...><<<grid, block>>>(...)'")
    return types


def _evaluate(text: str, what: str, names: dict[str, Any]) -> tuple[Any, ...]:
    try:
        return tuple(eval(f"({text},)" if text.strip() else "()", {}, names))  # the notebook's own words
    except Exception as error:
        raise LaunchError(f"{what}: found '{text}', which Python does not take: {error}") from None


def _shape(value: Any, what: str) -> str:
    sizes = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(size, (int, np.integer)) and size >= 0 for size in sizes):
        raise LaunchError(f"{what}: found {value!r}; expected a whole number, or up to three in parentheses")
    return "dim3(" + ", ".join(str(int(size)) for size in sizes) + ")"


def _array(value: npt.NDArray[Any], parameter: Parameter) -> npt.NDArray[Any]:
    expected = TYPES.get(parameter.type)
    if expected is not None and value.dtype != np.dtype(expected):
        raise LaunchError(f"{parameter.name}: found an array of {value.dtype}; expected {expected}, since the kernel takes {parameter.type} *")
    if expected is None and not VECTOR.match(parameter.type):
        raise LaunchError(f"{parameter.name}: found the type {parameter.type} *; expected one of {', '.join(TYPES)}, or a vector such as float4")
    if not parameter.is_const and not (value.flags.writeable and value.flags.c_contiguous):
        raise LaunchError(f"{parameter.name}: found an array that cannot be written in place; expected a contiguous one of its own")
    return np.ascontiguousarray(value)


def _require_value(value: Any, parameter: Parameter) -> None:
    """A whole number for a parameter that is one, in its range."""
    kind = np.dtype(TYPES.get(parameter.type, "f8"))
    if kind.kind not in "iu":
        return
    limits = np.iinfo(kind)
    if not limits.min <= value <= limits.max or int(value) != value:
        raise LaunchError(f"{parameter.name}: found {value!r}; expected a whole number from {limits.min} to {limits.max}, since the kernel takes {parameter.type}")


class Launch:
    """`text` is "add<<<4, 256>>>(a, b, c, 1000)"; `names` are the notebook's variables."""

    def __init__(self, text: str, source: str, names: dict[str, Any]) -> None:
        match = LAUNCH.match(text.strip())
        if not match:
            raise LaunchError(f"found '{text.strip()}'; expected a launch such as 'add<<<4, 256>>>(a, b, c, 1000)', with NumPy arrays")
        self.kernel = match[1]
        self.parameters, template = parameters_of(source, self.kernel)
        shape = _evaluate(match[3], "<<<...>>>", names)
        self.values = _evaluate(match[4], "arguments", names)
        if not 2 <= len(shape) <= 3:
            raise LaunchError(f"<<<{match[3]}>>>: found {len(shape)} values; expected the grid, the block, and perhaps bytes of shared memory")
        if len(self.values) != len(self.parameters):
            raise LaunchError(f"{self.kernel}: found {len(self.values)} arguments; expected {len(self.parameters)}")
        types = _template_types(self.kernel, template, match[2], self.parameters, self.values)
        self.called = f"{self.kernel}<{', '.join(types[name] for name, _, _ in template)}>" if template else self.kernel
        for parameter in self.parameters:
            parameter.type = types.get(parameter.type, parameter.type)
        self.shape = ", ".join([_shape(shape[0], "grid"), _shape(shape[1], "block"), *(str(int(size)) for size in shape[2:])])
        self.arrays: dict[int, npt.NDArray[Any]] = {}
        for i, (value, parameter) in enumerate(zip(self.values, self.parameters)):
            if parameter.is_pointer != isinstance(value, np.ndarray):
                raise LaunchError(f"{parameter.name}: found {type(value).__name__}; expected {'a NumPy array' if parameter.is_pointer else 'a number'}")
            if parameter.is_pointer:
                self.arrays[i] = _array(value, parameter)
            else:
                _require_value(value, parameter)

    def program(self) -> str:
        """What is appended to the cell: main(), which reads, copies, launches and writes."""
        arguments = [f"({p.type} *)warpladder.{p.name}" if p.is_pointer else f"({p.type})({self._literal(i)})"
                     for i, p in enumerate(self.parameters)]
        pointers = [(i, p) for i, p in enumerate(self.parameters) if i in self.arrays and self.arrays[i].nbytes]
        members = "".join(f" *{p.name}," for p in self.parameters if p.is_pointer).strip(",") or " *none"
        # A line for each allocation: messages call the array by the name that stands there.
        made = "".join(f"    cudaMalloc(&warpladder.{p.name}, {self.arrays[i].nbytes});\n"
                       f"    warpladder_read({i}, warpladder.{p.name}, {self.arrays[i].nbytes});\n" for i, p in pointers)
        kept = "".join(f"    warpladder_write({i}, warpladder.{p.name}, {self.arrays[i].nbytes});\n" for i, p in pointers if not p.is_const)
        freed = "".join(f"    cudaFree(warpladder.{p.name});\n" for _, p in pointers)
        return f"""#include <stdio.h>
#include <stdlib.h>
static void warpladder_file(int number, const char *mode, void *bytes, size_t size) {{
    char name[32];
    snprintf(name, sizeof name, "%d.array", number);
    FILE *file = fopen(name, mode);
    size_t moved = !file ? 0 : *mode == 'r' ? fread(bytes, 1, size, file) : fwrite(bytes, 1, size, file);
    if (moved != size) exit(4);
    fclose(file);
}}
static void warpladder_read(int number, void *device, size_t size) {{
    void *host = malloc(size);
    if (!host) exit(4);
    warpladder_file(number, "rb", host, size);
    cudaMemcpy(device, host, size, cudaMemcpyHostToDevice);
    free(host);
}}
static void warpladder_write(int number, const void *device, size_t size) {{
    void *host = malloc(size);
    if (!host) exit(4);
    cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost);
    warpladder_file(number, "wb", host, size);
    free(host);
}}
int main() {{
    struct {{ void{members}; }} warpladder = {{}};
{made}    {self.called}<<<{self.shape}>>>({", ".join(arguments)});
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {{
        printf("CUDA: %s\\n", cudaGetErrorString(error));
        return 1;
    }}
{kept}{freed}    return 0;
}}
"""

    def _literal(self, i: int) -> str:
        value: Any = self.values[i]
        if isinstance(value, (bool, np.bool_)):
            return str(int(value))
        if isinstance(value, (int, np.integer)):
            return f"{int(value)}" + ("LL" if abs(int(value)) >= 2**31 else "")
        if isinstance(value, (float, np.floating)) and math.isfinite(value):
            return float(value).hex()
        raise LaunchError(f"{self.parameters[i].name}: found {value!r}; expected a finite number")

    def write(self, folder: Path) -> None:
        for i, array in self.arrays.items():
            (folder / f"{i}.array").write_bytes(array.tobytes())

    def read(self, folder: Path) -> None:
        """The results, into the notebook's arrays."""
        for i, parameter in enumerate(self.parameters):
            if parameter.is_pointer and not parameter.is_const and self.arrays[i].size:
                result = np.frombuffer((folder / f"{i}.array").read_bytes(), dtype=self.arrays[i].dtype)
                self.values[i][...] = result.reshape(self.arrays[i].shape)


def has_main(source: str) -> bool:
    return re.search(r"\bmain\s*\(", without_comments(source)) is not None


def only_kernel(source: str) -> Optional[str]:
    """The name of the cell's one kernel; None: it has none or several."""
    names = re.findall(r"__global__[^;{}]*?\bvoid\s+(\w+)\s*\(", without_comments(source))
    return names[0] if len(names) == 1 else None
