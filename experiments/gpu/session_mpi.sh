#!/usr/bin/env bash
# session_mpi.sh BUILD OUT [WORK...]: on a host with two GPUs, whole commands by one GPU, by two (two threads of warpladder), and by two ranks
# of warpladder-mpi with its defaults, in turns. WORK is start (one protein: what is no work), search-20, search-100 (so many queries
# against 570,000 random proteins) and align-reads (6,910 reads, 7,680 taxa, 6,857 sites); all by default. About 140 s on two H200s. One GPU
# does the first two alone.
#
# Outputs are compared. Writes OUT/mpi_2gpu_h200.tsv, run by run, with the scan's time and the time in all as `search` says them; and
# OUT/mpi_parts_2gpu_h200.tsv, the parts of one more run of each way by --timings (of rank 0). Required: the ranks' median at most 5 % above
# the threads' for search-100 and align-reads; two GPUs 1.9 times one in the scan and 1.7 times in the command for search-20.
#
# BUILD has warpladder and warpladder-mpi for the machine's GPUs. LAUNCHER=path is MPI's launcher (default: mpirun), LD_LIBRARY_PATH its
# library where that is not installed. ROUNDS (3) are cut short where the next would end after SECONDS_MOST (140). Exit code 1 if an output
# differs, 3 if what is required is not met.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2
shift 2
[ $# -gt 0 ] || set -- start search-20 search-100 align-reads
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launcher=${LAUNCHER:-mpirun} rounds=${ROUNDS:-3} most=${SECONDS_MOST:-140} devices=${DEVICES:-gpu:0 gpu:0,1} failed=0
table=$out/mpi_2gpu_h200.tsv parts=$out/mpi_parts_2gpu_h200.tsv
read -r one two <<<"$devices" # DEVICES="cpu cpu" tries the script where there is no GPU
gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
[ "$gpus" -ge 2 ] || [ "$two" = cpu ] || { echo "found $gpus GPUs; expected two" >&2 && exit 4; }
"$launcher" --version >/dev/null 2>&1 || { echo "found no MPI launcher $launcher; expected mpirun, or LAUNCHER=path" >&2 && exit 4; }
options=()
if "$launcher" --version 2>&1 | grep -qi 'open.*mpi'; then options=(--bind-to none); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lengths=144,189,222,375,464,567,657,729,850,1000,1500,2005,2504,3005,3564,4061,4548,4743,5147,5478
five=$lengths,$lengths,$lengths,$lengths,$lengths

now() { date +%s.%N; }
# Of column $3 in the rows of work $1 and way $2.
median() {
    awk -v work="$1" -v way="$2" -v column="$3" '$1 == work && $2 == way { print $column }' "$table" | sort -g |
        awk '{ v[NR] = $1 } END { printf "%.3f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
# timed WORK WAY RUN COMMAND...: one line of the table.
timed() {
    local of=$1 way=$2 run=$3 begin end
    shift 3
    begin=$(now)
    "$@" >"$work/said" 2>&1 || { cat "$work/said" && failed=1; }
    end=$(now)
    awk -v begin="$begin" -v end="$end" -v work="$of" -v way="$way" -v run="$run" '
        { scan = scan ? scan : match($0, /(scan|scoring) [0-9.]+ s/) ? substr($0, RSTART, RLENGTH) : ""
          all = all ? all : match($0, /[0-9.]+ s in all/) ? substr($0, RSTART, RLENGTH) : "" }
        END { gsub(/[^0-9.]/, "", scan); gsub(/[^0-9.]/, "", all)
              printf "%s\t%s\t%d\t%.3f\t%s\t%s\n", work, way, run, end - begin, scan == "" ? "NA" : scan, all == "" ? "NA" : all }' \
        "$work/said" | tee -a "$table"
}
# parted WORK WAY COMMAND...: its parts.
parted() {
    local of=$1 way=$2
    shift 2
    "$@" --timings >"$work/said" 2>&1 || failed=1
    awk -F'\t' -v work="$of" -v way="$way" '$1 == "part" { on = 1; next } on && NF == 6 { printf "%s\t%s\t%s\t%s\n", work, way, $1, $2 }' \
        "$work/said" >>"$parts"
}
# shellcheck disable=SC2317 # timed and parted call them
threads() { "$build/warpladder" "${words[@]}" "$@"; }
# shellcheck disable=SC2317
ranks() { "$launcher" "${options[@]}" -n 2 "$build/warpladder-mpi" "${words[@]}" "${cpu[@]}" "$@"; }
by_one() { [ "$1" = start ] || [ "$1" = search-20 ]; }
cpu=()
[ "$two" != cpu ] || cpu=(--device cpu)
words_of() {
    case $1 in
        start) words=(search --db "$work/one.wdb" --query "$work/1.fasta" --format tabular) ;;
        search-20 | search-100) words=(search --db "$work/proteins.wdb" --query "$work/${1#search-}.fasta" --format tabular) ;;
        align-reads)
            words=(align-reads --tree "$work/data/tree.nwk" --reference "$work/data/reference.fasta" --reads "$work/data/reads.fasta"
                --format phylip)
            ;;
        *) echo "found $1; expected start, search-20, search-100 or align-reads" >&2 && exit 2 ;;
    esac
}

for of; do words_of "$of"; done
"$build/warpladder" simulate-reads --taxa "${TAXA:-7680}" --sites 6857 --reads "${READS:-6910}" --length 29-483 --seed 1 --out "$work/data" --quiet &
python3 experiments/gpu/proteins.py 1 2 $five "$work/one.fasta" "$work/100.fasta" &&
    python3 experiments/gpu/proteins.py 1 3 20 "$work/one.fasta" "$work/1.fasta" &&
    python3 experiments/gpu/proteins.py "${PROTEINS:-570000}" 1 $lengths "$work/proteins.fasta" "$work/20.fasta" &&
    "$build/warpladder" makedb "$work/proteins.fasta" "$work/proteins.wdb" --quiet &&
    "$build/warpladder" makedb "$work/one.fasta" "$work/one.wdb" --quiet || exit
wait $! || exit
{
    echo "# what: whole commands on two GPUs of one host: warpladder on one and on two, two ranks of warpladder-mpi; experiments/gpu/session_mpi.sh"
    echo "# data: ${PROTEINS:-570000} random proteins, 20 queries (41,752 letters) and five times as many; ${READS:-6910} reads of 29 to 483 letters, ${TAXA:-7680} taxa, 6857 sites"
    "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    echo "# mpi: $("$launcher" --version 2>&1 | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# command: experiments/gpu/session_mpi.sh BUILD OUT $*; ROUNDS=$rounds"
} >"$table"
cp "$table" "$parts"
printf 'work\tway\trun\tseconds\tscan_s\tin_all_s\n' >>"$table"
printf 'work\tway\tpart\tseconds\n' >>"$parts"
echo "data: $SECONDS s"

for ((run = 1, longest = 0; run <= rounds && (run == 1 || SECONDS + longest < most); run++)); do
    begun=$SECONDS
    for of; do
        words_of "$of"
        ! by_one "$of" || timed "$of" one $run threads --device "$one" -o "$work/one"
        timed "$of" two $run threads --device "$two" -o "$work/two"
        timed "$of" ranks $run ranks -o "$work/ranks"
        ! by_one "$of" || cmp "$work/one" "$work/two" || failed=1
        cmp "$work/two" "$work/ranks" || failed=1
        [ "$of" != start ] || timed mpi ranks $run ranks --help # MPI and a GPU start, and end
    done
    [ $((SECONDS - begun)) -le $longest ] || longest=$((SECONDS - begun))
done
for of; do
    words_of "$of"
    ! by_one "$of" || parted "$of" one threads --device "$one" -o "$work/one"
    [ $((SECONDS + 10)) -ge "$most" ] || parted "$of" two threads --device "$two" -o "$work/two"
    [ $((SECONDS + 10)) -ge "$most" ] || parted "$of" ranks ranks -o "$work/ranks"
done
for of; do
    awk -v of="$of" -v one="$(median "$of" one 4)" -v two="$(median "$of" two 4)" -v ranks="$(median "$of" ranks 4)" \
        -v one_scan="$(median "$of" one 5)" -v two_scan="$(median "$of" two 5)" 'BEGIN {
        printf "%s: one GPU %s s, two %s s, ranks %s s: ranks/two %+.1f %%", of, one, two, ranks, 100 * (ranks / two - 1)
        if (one > 0) printf "; two GPUs %.2f times one, scan %.2f times", one / two, two_scan > 0 ? one_scan / two_scan : 0
        printf "\n"
        exit (of == "search-100" || of == "align-reads") && ranks > 1.05 * two ||
            of == "search-20" && (one < 1.7 * two || !(two_scan > 0) || one_scan < 1.9 * two_scan) }' || [ $failed -ne 0 ] || failed=3
done
echo "$SECONDS s"
exit $failed
