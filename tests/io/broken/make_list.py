#!/usr/bin/python3
"""make_list.py path/to/warpladder: writes cases.tsv anew, with what the program does now. Read what has changed: that is what broken.py will
expect. Lines that do what no program should (a signal, two lines, a lost file) are shown."""
import sys

from broken import BREAKAGES, KB, LIST, PLACES, all_of, prepare, wrong

WORDS_KEPT = 80
WAYS = [*PLACES, *BREAKAGES]
FEW = "missing folder empty locked blank cut zero high utf16 html gzcut".split()

FILES_OF = [  # tool, arguments, ways; the file in braces is broken in each of the ways
    ("distances", "{dna.fasta} --device cpu -o old.tsv", WAYS),
    ("distances", "{calls.vcf} --device cpu -o old.tsv", WAYS),
    ("distances", "{numbers.tsv} --input-format table --measure manhattan --device cpu -o old.tsv", FEW),
    ("distances", "{ref.phy} --input-format phylip --device cpu -o old.tsv", FEW),
    ("makedb", "{protein.fasta} old.tsv", FEW),
    ("search", "--query {protein.fasta} --db @protein.fasta --device cpu --format tabular -o old.tsv", WAYS),
    ("search", "--query @protein.fasta --db {protein.fasta} --device cpu --format tabular -o old.tsv", FEW),
    ("search", "--query @protein.fasta --db {made.wdb} --device cpu --format tabular -o old.tsv", WAYS),
    ("search", "--query @dna.fasta --db @dna.fasta --matrix {matrix.txt} --device cpu --format tabular -o old.tsv", FEW),
    ("align-reads", "--tree {tree.nwk} --reference @ref.phy --reads @reads.fasta --device cpu -o old.phy --table old.tsv", WAYS),
    ("align-reads", "--tree @tree.nwk --reference {ref.phy} --reads @reads.fasta --device cpu -o old.phy --table old.tsv", FEW),
    ("align-reads", "--tree @tree.nwk --reference @ref.phy --reads {reads.fasta} --device cpu -o old.phy --table old.tsv", WAYS),
    ("likelihood", "--tree {tree.nwk} --alignment @dna.fasta --model GTR --device cpu --site-likelihoods old.tsv", FEW),
    ("likelihood", "--tree @tree.nwk --alignment {dna.fasta} --model GTR --device cpu --site-likelihoods old.tsv", FEW),
    ("check", "lessons/serial_O3 --device cpu --input {dna.fasta}", FEW),
    ("likelihood", "--tree {tree.nwk} --alignment @dna.fasta --model GTR --device cpu --chain 10", FEW[:4]),
    ("likelihood", "--tree @tree.nwk --alignment {dna.fasta} --model GTR --device cpu --chain 10", FEW[:4]),
    ("run", "lessons/serial_O3 --device cpu --max-time 0.01 --input {dna.fasta} --out .", FEW[:4]),
    ("explain", "lessons/01_naive --input {dna.fasta}", FEW[:4]),
    ("run", "sw/serial_O3 --device cpu --max-time 0.01 --db {protein.fasta} --out .", FEW[:4]),
    ("merge", "{one.part} @two.part -o old.tsv", WAYS),
    ("simulate", "{kernel.cu}", PLACES),
    ("cc", "{kernel.cu} -o old.tsv", PLACES),
    ("cc", "@kernel.cu {kernel.cu} -o old.tsv", PLACES[:2]),
]

BROKEN_LINES = """
-	-	
-	-	nonsense
-	-	--nonsense
-	-	serach
-	-	help nonsense
merge	-	
merge	-	old.tsv
merge	with=dna.fasta	@one.part
merge	with=dna.fasta	@one.part @one.part
merge	-	@one.part @two.part
merge	with=dna.fasta	@one.part @two.part -o /dev/full
merge	with=dna.fasta	@one.part @two.part -o @one.part
merge	with=dna.fasta	@one.part @two.part -o dna.fasta
distances	-	@dna.fasta --part 3/2 -o old.tsv
distances	-	@dna.fasta --part 1/2
search	-	--query @protein.fasta --db @protein.fasta --part 0/2 -o old.tsv
distances	-	
distances	-	a b c
distances	-	--nonsense
distances	-	--treads 3
distances	-	@dna.fasta --threads 0
distances	-	@dna.fasta --device abacus
distances	-	@dna.fasta --layout nonsense
distances	-	@dna.fasta --memory 1X
distances	-	@dna.fasta --output
distances	-	@dna.fasta -o @dna.fasta
distances	-	@dna.fasta --device cpu -o folder/not/there.tsv
distances	-	@dna.fasta --device cpu -o /sys/kernel/old.tsv
distances	-	@dna.fasta --device cpu -o /dev/full
distances	-	@dna.fasta --device cpu -o .
distances	-	@dna.fasta --device gpu:63
search	-	--query @protein.fasta
search	-	--query @protein.fasta --db @protein.fasta --evalue lots
search	-	--query @protein.fasta --db @protein.fasta --format nonsense
search	-	--query @protein.fasta --db @protein.fasta --matrix BLOSUM63
search	-	--query - --db -
search	-	--query @protein.fasta --db @protein.fasta --device cpu -o /sys/kernel/old.tsv
search	-	--query @protein.fasta --db @protein.fasta --device cpu -o /dev/full
search	-	--query @protein.fasta --db @protein.fasta --device cpu -o @protein.fasta
search	-	--query @dna.fasta --db @dna.fasta --gap-open -1
makedb	-	
makedb	-	@protein.fasta
makedb	-	@protein.fasta @protein.fasta
makedb	-	@protein.fasta /sys/kernel/old.wdb
makedb	-	@protein.fasta /dev/full
makedb	-	@protein.fasta folder/not/there.wdb
makedb	-	--nucleotide @protein.fasta old.tsv
align-reads	-	--tree @tree.nwk
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta -o old.txt
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --mismatch 999
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --strand sideways
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --device cpu -o /dev/full --format phylip --table old.tsv
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --device cpu -o old.phy --table /dev/full
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --device cpu -o old.phy --jplace /sys/kernel/x.jplace
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --device cpu -o old.phy --table old.phy
align-reads	-	--tree @tree.nwk --reference @protein.fasta --reads @reads.fasta --device cpu -o old.phy
align-reads	-	--tree @tree.nwk --reference @ref.phy --reads @protein.fasta --device cpu -o old.phy
align-reads	-	--tree @reads.fasta --reference @ref.phy --reads @tree.nwk --device cpu -o old.phy
likelihood	-	--tree @tree.nwk --alignment @dna.fasta
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model NONSENSE
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model GTR+G4 --alpha -1
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model WAG --device cpu --site-likelihoods old.tsv
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model GTR --device cpu --site-likelihoods /dev/full
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model GTR --device cpu --site-likelihoods /sys/kernel/x
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model GTR --device cpu --chain 0
likelihood	-	--tree @tree.nwk --alignment @dna.fasta --model GTR --device cpu --chain 10 --trace /sys/kernel
likelihood	-	--tree @tree.nwk --alignment @reads.fasta --model GTR --device cpu
likelihood	-	--tree - --alignment - --model GTR
simulate-reads	-	
simulate-reads	-	--out /sys/kernel/x --taxa 4 --sites 50 --reads 3 --length 9
simulate-reads	-	--out old.tsv --taxa 4 --sites 50 --reads 3 --length 9
simulate-reads	-	--out x --taxa 2
simulate-reads	-	--out x --taxa 4 --sites 50 --length 60
simulate-reads	-	--out x --depth nan
reproduce	-	nonsense
reproduce	-	payne2010 --size 3
reproduce	-	payne2010 --extended --size 0x0 --device sim
reproduce	-	payne2010 --device gpu:63
reproduce	-	alachiotis2012 --table 9 --device cpu
run	-	
run	-	nonsense
run	-	lessons/99_none
run	-	lessons --instances x
run	-	lessons/serial_O3 --device cpu --max-time 0.01 --instances 5 --attributes 7 --out old.tsv
run	-	lessons/serial_O3 --device cpu --max-time 0.01 --instances 5 --attributes 7 --out /sys/kernel
check	-	lessons sw
check	-	lessons/01_naive --device cpu
check	-	lessons/serial_O3 --device cpu --instances -5
explain	-	
explain	-	lessons/99_none
explain	-	lessons/01_naive --instances 5 --attributes 7 --figure --out /sys/kernel
explain	-	lessons/01_naive --instances 5 --attributes 7 --figure --out old.tsv
list	-	nonsense
machine	-	nonsense
beagle	$PATH=/usr/bin	-- no-such-client
beagle	$PATH=/usr/bin	-- old.tsv
beagle	-	--threads 0 -- true
simulate	-	
simulate	-	@kernel.cu --gpu ABACUS
cc	-	
lab	-	
lab	-	nonsense
lab	-	check missing@kernel.cu
lab	-	make 99_none --out x
lab	-	report folder
"""

GOOD_LINES = {  # in each of the environments
    "distances": "@dna.fasta --device cpu --quiet",
    "makedb": "@protein.fasta new.wdb --quiet",
    "search": "--query @protein.fasta --db @protein.fasta --device cpu --format tabular --quiet",
    "align-reads": "--tree @tree.nwk --reference @ref.phy --reads @reads.fasta --device cpu --quiet",
    "likelihood": "--tree @tree.nwk --alignment @dna.fasta --model GTR --device cpu --quiet",
    "simulate-reads": "--taxa 4 --sites 50 --reads 3 --length 9 --out new --quiet",
    "check": "lessons/serial_O3 --device cpu --instances 5 --attributes 7",
    "explain": "lessons/01_naive --instances 5 --attributes 7",
    "machine": "",
    "list": "",
    "reproduce": "",
    "beagle": "",
}
TOOLS = "distances makedb search align-reads likelihood"
ENVIRONMENTS = [
    ("stdout=/dev/full", "distances search align-reads likelihood check explain machine list reproduce beagle"),
    ("stdout=closed", "distances search align-reads likelihood check explain machine list reproduce"),
    ("stdin=closed", TOOLS + " simulate-reads check explain"),
    ("stderr=closed", TOOLS + " check"),
    (f"stack={512 * KB}", TOOLS + " simulate-reads check explain machine beagle"),
    ("$HOME=(none) $TMPDIR=(none)", TOOLS + " simulate-reads explain"),
    ("$PATH=/nowhere", "distances explain machine"),
    ("$LC_ALL=tr_TR.UTF-8 $LANG=xx_YY", TOOLS + " explain"),
    ("$OMP_NUM_THREADS=nonsense", "distances search"),
    ("$OMP_NUM_THREADS=-3", "distances search"),
    ("$OMP_NUM_THREADS=9999999", "distances search align-reads likelihood"),
    ("$OMP_STACKSIZE=nonsense", "distances search"),
    ("$WL_CPU_ISA=nonsense", TOOLS),
    ("$WL_DATA=/nowhere", "reproduce explain distances"),
    ("files=4", TOOLS + " explain"),
    (f"memory={128 * 1024 * KB}", TOOLS + " check"),  # a program with kernels for several GPUs takes 50 MB of it
    (f"memory={128 * 1024 * KB} $OMP_NUM_THREADS=64", TOOLS + " check"),  # 63 stacks of 8 MB do not fit
    ("folder=locked", "makedb simulate-reads"),
    ("size=0", "makedb simulate-reads"),
]
STDIN = [("distances", "- --device cpu -o old.tsv"), ("makedb", "- old.tsv"),
         ("search", "--query - --db @protein.fasta --device cpu --format tabular -o old.tsv"),
         ("align-reads", "--tree @tree.nwk --reference @ref.phy --reads - --device cpu -o old.phy"),
         ("likelihood", "--tree - --alignment @dna.fasta --model GTR --device cpu")]


def generate():
    for tool, arguments, ways in FILES_OF:
        name = arguments.split("{")[1].split("}")[0]
        for way in ways:
            given = "with=dna.fasta" if tool == "merge" else "-"  # which it reads again
            yield tool, given, arguments.replace("{" + name + "}", way + "@" + name)
    for line in BROKEN_LINES.strip("\n").split("\n"):
        yield tuple(line.split("\t"))
    for environment, tools in ENVIRONMENTS:
        for tool in tools.split():
            yield tool, environment, GOOD_LINES[tool]
    for tool, arguments in STDIN:
        for environment in ("stdin=empty", "stdin=tty", "stdin=closed", "stdin=random@dna.fasta"):
            yield tool, environment, arguments


def make():
    cases = list(generate())
    with open(LIST, "w", encoding="utf-8") as file:
        file.write("# tool, environment, arguments, exit code, words of the error line (broken.py; -: nothing, or notes)\n")
        for case, found in zip(cases, all_of(cases)):
            if found is None:  # root reads and writes everything; said by the same lines as other files that cannot be opened
                words = "2\tcannot create" if "folder" in case[1] else "3\tcannot be read" if case[0] in ("cc", "simulate") else "3\tcannot open"
                file.write("\t".join(case) + "\t" + words + ": Permission denied\n")
                continue
            code, _, error, left = found
            text = error.decode("utf-8", "replace").strip()
            words = text.split(": ", 1)[-1].split(";")[0][:WORDS_KEPT].split("\n")[0]
            for told in ("cannot create", "no GPU"):  # why is another machine's matter
                words = words.split(told)[0] + told if told in words else words
            words = words[words.index("no variant of"):] if "no variant of" in words else words  # without the CPU's name
            if code == 0 or "stderr=closed" in case[1]:
                words = "-"
            file.write("\t".join([*case, str(code), words or "-"]) + "\n")
            if wrong([*case, str(code if isinstance(code, int) and code >= 0 else 99), words or "-"], found):
                print(*case, f"{code}{left}: {text!r}", sep="\n    ")


if __name__ == "__main__":
    prepare(sys.argv[1])
    make()
