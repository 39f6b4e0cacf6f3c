"""nextflow.py FOLDER: the modules of packaging/nextflow in nf-core's form: meta.yml has what nf-core's schema of it requires, and names
what main.nf takes and gives."""

import re
import sys
from pathlib import Path

try:
    import yaml
except ImportError:
    sys.exit(77)

TYPES = {"map", "file", "directory", "string", "integer", "float", "boolean", "list", "eval"}


def fail(text):
    sys.exit("FAILED: " + text)


def elements(channel):
    """The elements of a channel, whose tuple is a list."""
    for entry in channel:
        yield from entry if isinstance(entry, list) else [entry]


def check_element(where, element):
    for name, about in element.items():
        if about.get("type") not in TYPES or not isinstance(about.get("description"), str):
            fail(f"{where}: {name} has no type or description")


def names(text):
    """What a tuple of main.nf declares: val(meta), path(inputs, stageAs: '*'), path("*.part"), eval("...")."""
    return [name[1:-1] if name[0] in "\"'" else name for name in re.findall(r"(?:val|path|eval)\((\w+|\"[^\"]*\"|'[^']*')", text)]


def section(source, begin, end):
    return re.search(rf"(?s)\n\s*{begin}:\n(.*?)\n\s*{end}:", source).group(1)


def check(folder):
    meta, source = yaml.safe_load((folder / "meta.yml").read_text()), (folder / "main.nf").read_text()
    where = folder / "meta.yml"
    for key, kind in {"name": str, "description": str, "keywords": list, "authors": list, "tools": list, "input": list, "output": dict}.items():
        if not isinstance(meta.get(key), kind) or not meta[key]:
            fail(f"{where}: {key} is not there or no {kind.__name__}")
    if len(set(meta["keywords"])) < 3:
        fail(f"{where}: fewer than three keywords")
    for tool in meta["tools"]:
        for name, about in tool.items():
            if "description" not in about or not about.keys() & {"homepage", "documentation", "tool_dev_url", "doi"}:
                fail(f"{where}: {name} has no description or no address")
            if not isinstance(about.get("licence"), list):
                fail(f"{where}: {name} has no list of licences")
    process = re.search(r"process (\w+)", source).group(1)
    if process != meta["name"].upper() or meta["name"] != "_".join(folder.parts[-2:]):
        fail(f"{where}: {meta['name']} is not the process {process} of folder {folder}")
    for element in elements(meta["input"]):
        check_element(where, element)
    declared = [names(line) for line in section(source, "input", "output").split("\n") if line.strip()]
    described = [[name for element in channel for name in element] for channel in meta["input"]]
    if declared != described:
        fail(f"{where}: the input is {described}, and main.nf has {declared}")
    outputs = {}
    for line in section(source, "output", "when").split("\n"):
        emit = re.search(r"emit: (\w+)", line)
        if emit:
            outputs[emit.group(1)] = names(line.split(", topic:")[0].split(", emit:")[0])
    found = {}
    for channel, entries in meta["output"].items():
        for element in elements(entries):
            check_element(where, element)
        found[channel] = [name for element in elements(entries) for name in element]
    if outputs != found:
        fail(f"{where}: the output is {found}, and main.nf has {outputs}")
    environment = yaml.safe_load((folder / "environment.yml").read_text())
    if not environment.get("channels") or not environment.get("dependencies"):
        fail(f"{folder}/environment.yml: no channels or no dependencies")


folders = sorted(path.parent for path in Path(sys.argv[1]).glob("modules/*/*/main.nf"))
if len(folders) != 2:
    fail(f"found {folders}")
for module in folders:
    check(module)
