#!/usr/bin/env bash
# search_session.sh BUILD OUT OLD [ROUNDS]: the scan of `search` on the CPU, by turns with another program. OUT/search_2core.tsv gets one
# row per case, with the median seconds of both programs and the median ratio: results/search_2core.tsv and search_2core_intel.tsv.
# proteins: queries of 464 and 60 residues against 14 M residues in 40,000 random sequences, beside OLD, an older warpladder. That of
# 22 November 2026 (9eb528e5839f) reached 69 GCUPS with AVX-512 and 464 residues, where SWIPE 2.1.1 reached 32 on the same two AMD cores.
# long pair, related pair, phage: 35,000 letters against 100,000, unrelated and related; 40 queries against a genome of 48,502 letters.
# Their peer is parasail (libparasail-dev) on one thread. `sat` tries 8 bits first; `16` is the narrowest that holds all scores.
# A benchmark, not a test: it records and judges nothing. Needs python3, cc and an idle machine; takes two minutes.
set -euo pipefail
build=$1 out=$2 old=$(readlink -f "$3") rounds=${4:-7}
mkdir -p "$out"
here=$(cd "$(dirname "$0")" && pwd) new=$(readlink -f "$build/warpladder") out=$(readlink -f "$out")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cc -O2 "$here/parasail_pairs.c" -o parasail_pairs -lparasail
python3 - <<'PYTHON'
import random

random.seed(2010)


def letters(alphabet, count):
    return "".join(random.choices(alphabet, k=count))


def changed(text, rate):
    found = []
    for letter in text:
        what = random.random()
        if what < rate:
            letter = random.choice("ACGT")
        elif what < 1.1 * rate:
            continue
        elif what < 1.2 * rate:
            letter += random.choice("ACGT")
        found.append(letter)
    return "".join(found)


def write(path, sequences):
    with open(path, "w", encoding="ascii") as file:
        for i, sequence in enumerate(sequences):
            file.write(f">s{i}\n{sequence}\n")


amino = "ARNDCQEGHILKMFPSTWYV"
write("proteins.fa", [letters(amino, max(30, int(random.lognormvariate(5.7, 0.55)))) for _ in range(40000)])
write("464.fa", [letters(amino, 464)])
write("60.fa", [letters(amino, 60)])
subject, phage = letters("ACGT", 100000), letters("ACGT", 48502)
write("long.fa", [subject])
write("unrelated.fa", [letters("ACGT", 35000)])
write("related.fa", [changed(subject[30000:65000], 0.1)])
write("phage.fa", [phage])
write("forty.fa", [changed(phage[1100 * i:1100 * i + random.randint(300, 1500)], 0.08) for i in range(40)])
PYTHON
"$new" makedb proteins.fa new.wdb --quiet
"$old" makedb proteins.fa old.wdb --quiet

letters() { awk '!/^>/ { n += length($0) } END { print n }' "$1"; }
scan() { # PROGRAM ISA THREADS QUERIES DATABASE FASTA OPTION...: seconds, from the GCUPS that the program says
    local program=$1 isa=$2 threads=$3 queries=$4 database=$5 fasta=$6
    shift 6
    WL_CPU_ISA=$isa "$program" search --device cpu --threads "$threads" --query "$queries" --db "$database" "$@" --min-score 10000000 \
        -o hits 2>&1 | awk -v queries="$(letters "$queries")" -v subjects="$(letters "$fasta")" \
        '/ GCUPS/ { for (i = 2; i <= NF; i++) if ($i == "GCUPS") printf "%.5f\n", queries * subjects / $(i - 1) / 1e9 }'
}
dna=(--nucleotide --match 2 --mismatch -3 --gap-open 3 --gap-extend 2 --strand plus)
for ((round = 0; round < rounds; round++)); do
    for isa in avx512 avx2 sse41 portable; do
        for query in 464 60; do
            # Each program is first in every other round.
            if ((round % 2)); then
                a=$(scan "$new" $isa 2 $query.fa new.wdb proteins.fa) b=$(scan "$old" $isa 2 $query.fa old.wdb proteins.fa)
            else
                b=$(scan "$old" $isa 2 $query.fa old.wdb proteins.fa) a=$(scan "$new" $isa 2 $query.fa new.wdb proteins.fa)
            fi
            printf 'proteins, query of %s\told warpladder\t%s\t2\t%s\t%s\n' $query $isa "$a" "$b"
        done
    done
    while IFS='|' read -r name queries database; do
        sum=
        for peer in sat 16; do
            read -r b scores < <(./parasail_pairs sw_striped_avx2_256_$peer "$queries" "$database")
            [ "${sum:=$scores}" = "$scores" ] || {
                echo "search_session.sh: $name: found the sums of scores $sum (sat) and $scores (16); expected the same" >&2
                exit 1
            }
            for isa in avx512 avx2; do
                for threads in 1 2; do
                    a=$(scan "$new" $isa $threads "$queries" "$database" "$database" "${dna[@]}")
                    printf '%s\tparasail striped, AVX2, %s\t%s\t%s\t%s\t%s\n' "$name" $peer $isa $threads "$a" "$b"
                done
            done
        done
    done <<'CASES'
long pair|unrelated.fa|long.fa
related pair|related.fa|long.fa
phage|forty.fa|phage.fa
CASES
done >samples
{
    echo "# what: the scan of search on one or two cores (threads) by turns with another program (parasail: always one thread), $rounds rounds: medians; experiments/cpu/search_session.sh"
    echo "# old: ${OLD_COMMIT:-$("$old" machine | sed -n 's/^commit  *//p')}"
    "$new" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    printf 'case\tpeer\tisa\tthreads\tours_s\ttheirs_s\tspeedup\n'
    python3 - <<'PYTHON'
import statistics

rows = {}
for line in open("samples", encoding="ascii"):
    *key, ours, theirs = line.rstrip("\n").split("\t")
    rows.setdefault(tuple(key), []).append((float(ours), float(theirs)))
for key, values in rows.items():
    ours, theirs = (statistics.median(v[i] for v in values) for i in (0, 1))
    ratio = statistics.median(b / a for a, b in values)
    print(*key, f"{ours:.4f}", f"{theirs:.4f}", f"{ratio:.3f}", sep="\t")
PYTHON
} >"$out/search_$(nproc)core.tsv"
cat "$out/search_$(nproc)core.tsv"
