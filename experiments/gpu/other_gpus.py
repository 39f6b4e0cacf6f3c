#!/usr/bin/env python3
"""other_gpus.py [CUBINS]: what the ladders' last stages become on GPUs that are not there to be measured, as a table on standard output.

Compiles each stage for each compute capability, takes the hot loop out of the machine code, counts its instructions, and predicts a
rate from published numbers. Needs nvcc of CUDA 12.8 or later, cuobjdump and nvdisasm on the PATH. CUBINS: a folder that keeps what was
compiled; without it everything is compiled again, which takes about ten minutes. results/other_gpus.tsv is the output;
docs/other-gpus.md says what follows from it.

The hot loop is the smallest loop with at least `least` of the instructions that are named beside it. It takes as long as its busiest part
takes: instructions issued, four per clock cycle; arithmetic and logic together; multiply-adds; population counts; double precision; tensor
cores; shared memory. limit = units per loop and lane / that time * multiprocessors * clock. predicted = limit * share, where share is how
much of the same limit the stage reaches on an H200 (results/), or 1 where that is more: a loop's count includes what is seldom executed.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARP, SCHEDULERS, BANKS_BYTES = 32, 4, 128

# Results per clock cycle and multiprocessor, a packed instruction counted once per lane. add .. fp64: CUDA C++ Best Practices Guide 13,
# "Throughput of Native Arithmetic Instructions" (before 13 a table of the Programming Guide). Population counts are 16, multiplications of
# integers and logic 64 on all. bits .. f64: multiply-adds of the tensor cores, from the peaks in NVIDIA's data sheets and white papers of the
# T4, A100, GA102, Ada, Hopper and Blackwell (RTX 5090); for bits there is a number of the A100 only, eight times the bytes', which is
# assumed of 8.6, 8.9 and 9.0. Multiprocessors and boost clocks: data sheets; the B200's clock is what nvidia-smi reports.
# Minima of the H200 are by `machine --measure` (min16x2), and assumed of the B200.
Chip = collections.namedtuple("Chip", "gpu sms ghz add minmax half fp32 fp64 bits bytes tf32 f64")
CHIPS = {
    "75": Chip("T4", 40, 1.590, 64, 64, 64, 64, 2, 0, 1024, 0, 0),
    "80": Chip("A100", 108, 1.410, 64, 64, 128, 64, 32, 16384, 2048, 512, 64),
    "86": Chip("RTX 3090", 82, 1.695, 64, 64, 64, 128, 2, 8192, 1024, 128, 2),
    "89": Chip("RTX 4090", 128, 2.520, 64, 64, 64, 128, 2, 8192, 1024, 128, 2),
    "90a": Chip("H200", 132, 1.980, 64, 128, 128, 128, 64, 32768, 4096, 1024, 128),
    "100": Chip("B200", 148, 1.965, 64, 128, 64, 128, 64, 0, 8192, 2048, 64),
    "120": Chip("RTX 5090", 170, 2.407, 128, 128, 64, 128, 2, 0, 1024, 128, 2),
}
HOPPER = "90a"

# shape: of the H200's row in results/FILE; None: the first row of the stage. units: per loop and lane.
Stage = collections.namedtuple("Stage", "problem name kernel least of units unit file shape")


def per(number, pattern):
    """units of a loop: `number` for each instruction of this name."""
    return lambda counts: number * matching(counts, pattern)


LESSONS, DISTANCES = "lessons_10000x10000_h200", "distances_10000x10000_complete_h200"
BIT_PRODUCT = 16 * 8 * 256 / WARP  # of a lane
STAGES = [
    # Two planes: two population counts for 96 comparisons.
    Stage("lessons", "09_bit_planes", "bit_planesILi2E", 100, "POPC", per(48, "POPC"), "comparisons", LESSONS, None),
    # Four letters are four bytes or bits. From 12 on one product serves two distances.
    Stage("lessons", "10_tensor_cores", "tensor_cores", 32, "IMMA", per(16 * 8 * 32 / 4 / WARP, "IMMA"), "comparisons", LESSONS, None),
    Stage("lessons", "13_async_copies", "async_copies", 64, "BMMA", per(BIT_PRODUCT / 4 * 2, "BMMA"), "comparisons", LESSONS, None),
    Stage("lessons", "15_two_teams", "two_teams", 8, "BGMMA", per(64 * 128 * 256 / 4 * 2 / (4 * WARP), "BGMMA"), "comparisons", LESSONS, None),
    Stage("distances", "01_bit_planes", "bit_planesILi0E", 32, "POPC", per(32, "POPC"), "comparisons", DISTANCES, None),
    Stage("distances", "02_tensor_cores", "product", 64, "BMMA", per(BIT_PRODUCT / 4 * 2, "BMMA"), "comparisons", DISTANCES, None),
    # 16 rows, four columns, two subjects in each register.
    Stage("sw", "07_stream", "streamILi32ELi16E", 8, "SHFL", lambda counts: 128, "cells", "sw_570000_h200", None),
    Stage("sw", "08_two_pipes", "two_pipesILi32ELi16E", 8, "SHFL", lambda counts: 128, "cells", "sw_570000_h200", None),
    Stage("papara", "06_registers", "registers", 48, "IMNMX|VIMNMX3?|VIADDMNMX", lambda counts: 24, "cells", "papara_shared_protein_h200", None),
    Stage("papara", "09_shared_costs", "shared_costsILi{columns}E", None, "IMNMX|VIMNMX|VIADDMNMX", None, "cells", "papara_shared_protein_h200", None),
    Stage("peeling", "06_levels", "peeling_shapeIfLi64ELi8E", 512, "FFMA", per(1, "FFMA"), "multiply-adds", "peeling_codon_single_h200", None),
    # Three products of tf32 for one of floats.
    Stage("peeling", "09_resident", "residentIfLi64ELi7E", 84, "HMMA", per(16 * 8 * 8 / 3 / WARP, "HMMA"), "multiply-adds", "peeling_codon_single_h200", None),
    Stage("peeling", "06_levels", "peeling_shapeIdLi64ELi8E", 512, "DFMA", per(1, "DFMA"), "multiply-adds in double", "peeling_codon_double_h200", None),
    Stage("peeling", "09_resident", "residentIdLi64ELi7E", 14, "DMMA", None, "multiply-adds in double", "peeling_codon_double_h200", None),
]


# --- Machine code ----------------------------------------------------------------------------------------------------


def compiled(folder, stage, capability):
    """The stage's machine code, compiled unless it is in `folder`. None: it cannot be compiled, which ends the program."""
    path = os.path.join(folder, f"{stage.problem}.{stage.name}.{capability}.cubin")
    if not os.path.exists(path):
        command = ["nvcc", "-std=c++17", "-O3", f"-arch=sm_{capability}", "-cubin", "--default-stream", "per-thread", f"-I{ROOT}",
                   "-DWL_HAVE_CUDA", f'-DWL_FOLDER_PROBLEM="{stage.problem}"', f'-DWL_FOLDER_NAME="{stage.name}"',
                   "-DWL_FOLDER_BACKEND=WL_GPU", "-diag-suppress=177", "-o", path,
                   os.path.join(ROOT, stage.problem, stage.name, "kernel.cu")]
        if capability == HOPPER:
            command.insert(1, "-DWL_HAVE_SM90A")
        print(f"{stage.problem}/{stage.name} for {capability}", file=sys.stderr)
        subprocess.run(command, check=True)
    return path


def functions(path):
    """Name: [(address, instruction)] of each kernel."""
    text = subprocess.run(["cuobjdump", "-sass", path], check=True, capture_output=True, text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        title = re.search(r"Function : (\S+)", line)
        code = re.match(r"\s+/\*([0-9a-f]{4,6})\*/\s+(.*?);", line)
        if title:
            name = title[1]
            found[name] = []
        elif code and name:
            found[name].append((int(code[1], 16), re.sub(r"^@!?U?P\w+ ", "", code[2])))
    return found


def matching(counts, pattern):
    return sum(n for opcode, n in counts.items() if re.match(f"(?:{pattern})\\b", opcode))


def subroutine(code, begin):
    """Its instructions by opcode, if it multiplies matrices; others are called at a loop's end only."""
    counts = collections.Counter()
    for _, instruction in (pair for pair in code if pair[0] >= begin):
        counts[instruction.split()[0]] += 1
        if instruction.startswith("RET"):
            break
    return counts if matching(counts, "IMMA") else collections.Counter()


def counts_between(code, begin, end):
    """Instructions by opcode, those of a product in software included."""
    counts = collections.Counter()
    for address, instruction in code:
        if not begin <= address <= end:
            continue
        counts[instruction.split()[0]] += 1
        call = re.match(r"CALL\.REL\S* (0x[0-9a-f]+)", instruction)
        if call and not begin <= int(call[1], 16) <= end:
            counts += subroutine(code, int(call[1], 16))
    return counts


def hot_loop(code, least, pattern):
    """Its instructions by opcode."""
    best = None
    for address, instruction in code:
        branch = re.match(r"BRA\b.*?(0x[0-9a-f]+)", instruction)
        if not branch or int(branch[1], 16) >= address:
            continue
        counts = counts_between(code, int(branch[1], 16), address)
        if matching(counts, pattern) >= least and (best is None or sum(counts.values()) < sum(best.values())):
            best = counts
    return best


# --- Rates -----------------------------------------------------------------------------------------------------------

PRODUCTS = {"BMMA": 16 * 8 * 256, "IMMA": 16 * 8 * 32, "HMMA": 16 * 8 * 8, "BGMMA": 16 * 128 * 256}  # multiply-adds of a warp


def product(opcode):
    """Multiply-adds of a warp."""
    if opcode.startswith("DMMA"):
        return 8 * 8 * 4 if "884" in opcode or "8x8x4" in opcode else 16 * 8 * 8
    return PRODUCTS[opcode.split(".")[0]]


def width(opcode):
    """Cycles of shared memory for a warp's request."""
    bits = 512 if opcode.startswith("LDSM") else 128 if ".128" in opcode else 64 if ".64" in opcode else 32
    return bits * WARP / 8 / BANKS_BYTES if bits < 512 else 4


def part_of(opcode, chip):
    """(part of the multiprocessor, its cycles for one instruction of one warp)."""
    name = opcode.split(".")[0]
    if name in PRODUCTS or name == "DMMA":
        rates = {"BMMA": chip.bits, "BGMMA": chip.bits, "IMMA": chip.bytes, "HMMA": chip.tf32, "DMMA": chip.f64}
        return "tensor", product(opcode) / rates[name] if rates[name] else 0
    if name == "POPC":
        return "popc", WARP / 16
    if re.match(r"D(FMA|ADD|MUL|SETP|MNMX)$", name):
        return "fp64", WARP / chip.fp64
    if re.match(r"(LDS|STS|LDSM|SHFL|ATOMS)$", name):
        return "shared", width(opcode)
    if re.match(r"(FFMA|FADD|FMUL|HFMA2|HADD2|HMUL2|IMAD)$", name):
        rate = 64 if name == "IMAD" else chip.fp32 if name[0] == "F" else chip.half
        return "multiply-add", WARP / rate
    if name in ("IMNMX", "VIMNMX"):
        return "logic", WARP / chip.minmax
    if re.match(r"(IADD3?|VIADD|ISETP|IABS|SEL)$", name):
        return "logic", WARP / chip.add
    if re.match(r"(VIADDMNMX|VIMNMX3|LOP3|SHF|PRMT|LEA|PLOP3|MOV|HMNMX2|FMNMX|FSETP|FSEL|SGXT|BMSK|I2F|VABSDIFF)", name):
        return "logic", WARP / 64
    return "other", 0


def cycles(counts, chip):
    """(the busiest part, its cycles on a multiprocessor for a warp's pass through the loop)."""
    parts = collections.Counter()
    for opcode, n in counts.items():
        part, each = part_of(opcode, chip)
        parts[part] += n * each
    parts["issue"] = sum(counts.values()) / SCHEDULERS
    return parts.most_common(1)[0]


def measured(stage):
    """The H200's rate in units per second."""
    with open(os.path.join(ROOT, "results", stage.file + ".tsv"), encoding="utf-8") as lines:
        rows = [line.rstrip("\n").replace('"', "").split("\t") for line in lines if not line.startswith("#")]
    for row in rows[1:]:
        fields = dict(zip(rows[0], row))
        if fields["variant"] == stage.name and fields["backend"] == "gpu":
            rate = float(fields["work_per_s"])
            return rate / 2 if stage.unit.startswith("multiply-add") else rate
    sys.exit(f"other_gpus.py: results/{stage.file}.tsv has no {stage.name}")


def row(stage, capability, folder):
    """(instructions, software, busiest part, limit per second) or None: the stage does not run there."""
    chip = CHIPS[capability]
    if stage.name == "15_two_teams" and capability != HOPPER:
        return None
    if capability == "75" and stage.name in ("10_tensor_cores", "13_async_copies", "02_tensor_cores", "09_resident"):
        return None
    # As papara/09_shared_costs/kernel.cu chooses for 24 sets of states, by a block's shared memory.
    columns = {"75": 8, "86": 16, "89": 16, "120": 16}.get(capability, 32)
    name = stage.kernel.replace("{columns}", str(columns))
    codes = [code for function, code in functions(compiled(folder, stage, capability)).items() if name in function]
    software = stage.of == "BMMA" and not any(i.startswith("BMMA") for code in codes for _, i in codes[0])
    loop = None
    least = stage.least or 4 * columns  # two minima for each column of two rows, at least
    for code in codes:
        loop = loop or hot_loop(code, least * (8 if software else 1), "IMMA" if software else stage.of)
    if loop is None:
        sys.exit(f"other_gpus.py: {stage.problem}/{stage.name} for {capability}: no loop has {least} of {stage.of}")
    if stage.units:
        units = stage.units(loop) if not software else BIT_PRODUCT / 4 * 2 * matching(loop, "IMMA") / 8
    elif stage.least is None:
        units = 2 * columns * matching(loop, "STS")  # each row stores its edge
    else:
        units = sum(n * product(opcode) for opcode, n in loop.items() if opcode.startswith("DMMA")) / WARP
    part, busy = cycles(loop, chip)
    return sum(loop.values()), units, software, part, units * WARP / busy * chip.sms * chip.ghz * 1e9


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    version = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout
    print("# what: the hot loops of stages, compiled for GPUs of other compute capabilities; rates are PREDICTED, not measured")
    print("# how: experiments/gpu/other_gpus.py says how, and where its numbers are from")
    print("# compiler: nvcc " + re.search(r"V([0-9.]+)", version)[1])
    print("# command: python3 experiments/gpu/other_gpus.py")
    print("problem\tstage\tcapability\tgpu\tunit\tinstructions\tunits_per_lane\tinstructions_per_unit\tbusiest\tlimit_per_s\tshare_h200\t"
          "predicted_per_s\tnote")
    for stage in STAGES:
        rows = {capability: row(stage, capability, folder) for capability in CHIPS}
        share = measured(stage) / rows[HOPPER][4]
        for capability, found in rows.items():
            dotted = capability.rstrip("a")[:-1] + "." + capability.rstrip("a")[-1]
            head = f'"{stage.problem}"\t"{stage.name}"\t{dotted}\t"{CHIPS[capability].gpu}"\t"{stage.unit}"'
            if found is None:
                print(head + "\tNA\tNA\tNA\tNA\tNA\tNA\tNA\t\"does not run\"")
                continue
            instructions, units, software, part, limit = found
            note = "measured" if capability == HOPPER else "bits by products of bytes, in software" if software else ""
            rate = limit * (share if capability == HOPPER else min(share, 1))
            print(f"{head}\t{instructions}\t{units:.6g}\t{instructions / units:.4g}\t\"{part}\"\t{limit:.4g}\t{share:.3g}\t"
                  f"{rate:.4g}\t\"{note}\"")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
