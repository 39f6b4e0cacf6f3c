#!/usr/bin/env bash
# session_beyond.sh BUILD OUT [PART...]: all that results/ holds of the lessons from 06 on and of `distances` on a GPU machine. The
# parts, all of them when none is named:
#
#   check       machine, and every stage against the reference on every shape
#   sanitize    compute-sanitizer's four tools on all stages, awkward small shapes
#   lessons     times: all lessons at 112 x 512 and 4,096 x 8,192, the last ones ($STAGES) at 10,000 x 10,000 nucleotides, the
#               very last with hot caches, too; $SECONDS_EACH (3) a variant: five minutes on an H200
#   distances   times: the kernels of distances at 10,000 x 10,000 nucleotides, with and without missing values, and 8,192 genotypes x
#               32,768: four minutes on an H200
#   reproduce   Payne et al. 2010 with all lessons, at the paper's size and at 4,096 x 8,192: three minutes
#   tool        distances of $SAMPLES genotypes x $SITES sites from .bed to .npy, the matrix on disk: one GPU; killed and gone on
#               with; two GPUs where there are two. Outputs are compared byte for byte. Needs $SCRATCH (/tmp) of 50 GB
#   files       from file to file, with --timings and beside `dd`, all in $SCRATCH: $GENOMES (20000) genomes of 30,000 letters from FASTA to
#               TSV, and $SAMPLES genotypes x $SITES sites from .bed to .npy; $RUNS (3) and $RUNS_BED (1) times. GENOMES=0 or SITES=0
#               leaves one of them out: `GENOMES=0 session_beyond.sh BUILD OUT files` takes half a minute
#
# Prints a summary; result files go to OUT, named as results/ has them. Exit code 1 if anything went wrong.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD
[ $# -gt 0 ] || set -- check sanitize lessons distances reproduce tool files
scratch=$(mktemp -d "${SCRATCH:-/tmp}/beyond.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
seconds=${SECONDS_EACH:-3}
samples=${SAMPLES:-50000} sites=${SITES:-100000}
gpus=$(nvidia-smi -L | wc -l)

# Folders of lessons that match: one that does not exist would be refused.
lessons() { # PATTERN...
    local folder pattern
    for pattern in "$@"; do
        for folder in lessons/$pattern/; do
            if [ -e "$folder/kernel.cu" ]; then echo "${folder%/}"; fi
        done
    done
}
# shellcheck source=experiments/gpu/step.sh
. experiments/gpu/step.sh
# shellcheck disable=SC2317 # step calls them
sanitize() { # TOOL ARGUMENTS...: of `check`
    local tool=$1 status
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/warpladder" check "$@" --device gpu >"$scratch/said" 2>&1
    status=$?
    grep -E 'SUMMARY|FAILED|error' "$scratch/said" | head -20
    return "$status"
}
# shellcheck disable=SC2317
run() { # PROBLEM NAME ARGUMENTS...
    local problem=$1 name=$2
    shift 2
    "$build/warpladder" run "$@" --device gpu --max-time "$seconds" --out "$scratch" || return
    cp "$scratch/$problem.tsv" "$out/${problem}_${name}_h200.tsv"
}
# shellcheck disable=SC2317
extended() { # NAME ARGUMENTS...
    local name=$1
    shift
    rm -rf "$scratch/extended"
    "$build/warpladder" reproduce payne2010 --extended "$@" --out "$scratch/extended" || return
    cp "$scratch/extended/payne2010_extended.tsv" "$out/${name}_h200.tsv"
}
# shellcheck disable=SC2317
matrix() { # NAME DEVICE: the matrix, and a row of what the tool says of its time
    "$build/warpladder" distances "$scratch/genotypes.bed" --measure alleles --device "$2" --memory "${MEMORY:-6G}" \
        -o "$scratch/$1.npy" 2>"$scratch/said" || {
        cat "$scratch/said"
        return 1
    }
    cat "$scratch/said"
    sed -nE "s/.*computed in ([0-9.]+) s \(([0-9.]+) s in kernels\), ([0-9.e+]+) comparisons.*; ([0-9.]+) s in all.*/$1\t$2\t\1\t\2\t\3\t\4/p" \
        "$scratch/said" >>"$out/distances_tool_h200.tsv"
    [ "$1" = one ] || cmp "$scratch/one.npy" "$scratch/$1.npy" && [ ! -e "$scratch/$1.npy.tiles" ]
}
# shellcheck disable=SC2317
killed() { # the run that the next step goes on with
    local pid
    "$build/warpladder" distances "$scratch/genotypes.bed" --measure alleles --device gpu:0 --memory "${MEMORY:-6G}" \
        -o "$scratch/resumed.npy" 2>"$scratch/said" &
    pid=$!
    until [ -e "$scratch/resumed.npy.tiles" ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    sleep "${KILL_AFTER:-2}"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    [ -e "$scratch/resumed.npy.tiles" ] && [ ! -e "$scratch/resumed.npy" ]
}

# shellcheck disable=SC2317
timed() { # WORK PROGRAM COMMAND...: a row of files_h200.tsv
    local work=$1 program=$2 begin end status
    shift 2
    begin=$(date +%s.%N)
    "$@" 2>"$scratch/said"
    status=$?
    end=$(date +%s.%N)
    [ "$status" -eq 0 ] || cat "$scratch/said" >&2
    awk -v work="$work" -v program="$program" -v begin="$begin" -v end="$end" \
        'BEGIN { printf "%s\t%s\t%.3f\n", work, program, end - begin }' | tee -a "$out/distances_files_h200.tsv" >&2
    return "$status"
}
# shellcheck disable=SC2317
files() { # RUNS WORK INPUT NAME OPTION...: `distances`, and where its time goes; dd reads INPUT and writes as many bytes as the output has
    local runs=$1 work=$2 input=$3 output=$scratch/$4 blocks
    shift 4
    cat "$input" >/dev/null # into the page cache
    for _ in $(seq "$runs"); do
        timed "$work" "distances -o FILE" "$build/warpladder" distances "$input" --quiet -o "$output" "$@" || return
        blocks=$((($(stat -c %s "$output") + 1048575) / 1048576))
        rm -f "$output"
        timed "$work" "dd, read" dd if="$input" of=/dev/null bs=1M || return
        timed "$work" "dd, write" dd if=/dev/zero of="$scratch/dd" bs=1M count="$blocks" || return
        rm -f "$scratch/dd"
        timed "$work" "distances > FILE" "$build/warpladder" distances "$input" --quiet "$@" >"$output" || return
        rm -f "$output"
        # Not timed from outside: the bounds that it measures take a second.
        "$build/warpladder" distances "$input" --quiet --timings "$@" 2>"$scratch/said" >"$output" || return
        sed -E "1d; s/^/$work\t/" "$scratch/said" >>"$out/distances_timings_h200.tsv"
        rm -f "$output"
        [ "$blocks" -lt 4096 ] || continue # of more, nobody waits for the disk again
        timed "$work" "dd, write and fsync" dd if=/dev/zero of="$scratch/dd" bs=1M count="$blocks" conv=fsync || return
        rm -f "$scratch/dd"
    done
}

read -ra all <<<"$(lessons '0[6-9]*' '1*' 'library*' | tr '\n' ' ')"
read -ra last <<<"${STAGES:-$(lessons '08*' '09*' '1*' 'library*' | tr '\n' ' ')}"
for part in "$@"; do
    case $part in
        check)
            step machine "$build/warpladder" machine --measure
            step "check, lessons" "$build/warpladder" check "${all[@]}" --device gpu
            step "check, distances" "$build/warpladder" check distances --device gpu
            ;;
        sanitize)
            for tool in memcheck racecheck initcheck synccheck; do
                step "compute-sanitizer $tool, lessons" sanitize $tool "${all[@]}" --instances 133 --attributes 513 --datasets 1
                step "compute-sanitizer $tool, distances" sanitize $tool 'distances/0*' --rows 133 --sites 513
                step "compute-sanitizer $tool, distances, steps" sanitize $tool 'distances/0*' --rows 35 --columns 131 --sites 700 \
                    --values 3 --sum steps
            done
            ;;
        lessons)
            step "lessons, 112 x 512" run lessons 112x512 lessons
            step "lessons, 4,096 x 8,192" run lessons 4096x8192 lessons --instances 4096 --attributes 8192
            step "lessons, 10,000 x 10,000 nucleotides" run lessons 10000x10000 "${last[@]}" --instances 10000 \
                --attributes 10000 --alphabet 4
            step "lessons, 10,000 x 10,000 nucleotides, hot" run lessons 10000x10000_hot 'lessons/1[3-9]*' \
                --instances 10000 --attributes 10000 --alphabet 4 --hot
            ;;
        distances)
            step "distances, 10,000 x 10,000 nucleotides" run distances 10000x10000 distances --rows 10000 --sites 10000
            step "distances, 10,000 x 10,000 nucleotides, none missing" run distances 10000x10000_complete distances \
                --rows 10000 --sites 10000 --missing 0
            step "distances, 8,192 genotypes x 32,768" run distances 8192x32768_genotypes distances --rows 8192 --sites 32768 \
                --values 3 --sum steps
            ;;
        reproduce)
            step "Payne et al. 2010, extended" extended payne2010_extended
            step "Payne et al. 2010, extended, 4,096 x 8,192" extended payne2010_extended_4096x8192 --size 4096x8192
            ;;
        tool)
            step "$samples genotypes x $sites" python3 experiments/gpu/genotypes.py "$samples" "$sites" 1 "$scratch/genotypes"
            {
                echo "# what: warpladder distances --measure alleles, .bed to .npy; experiments/gpu/session_beyond.sh BUILD OUT tool"
                echo "# data: experiments/gpu/genotypes.py $samples $sites 1"
                "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
                printf 'run\tdevice\tcomputing_s\tkernels_s\tcomparisons_a_s\tall_s\n'
            } >"$out/distances_tool_h200.tsv"
            step "distances, one GPU" matrix one gpu:0
            step "distances, killed" killed
            step "distances, gone on with" matrix resumed gpu:0
            rm -f "$scratch/resumed.npy"
            if [ "$gpus" -gt 1 ]; then step "distances, two GPUs" matrix two gpu:0,1; fi
            cat "$out/distances_tool_h200.tsv"
            ;;
        files)
            {
                echo "# what: from file to file, seconds of whole commands, inputs in the page cache; experiments/gpu/session_beyond.sh BUILD OUT files"
                echo "# data: experiments/gpu/genomes.py ${GENOMES:-20000} 30000 1, experiments/gpu/genotypes.py $samples $sites 1"
                "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
                printf 'work\tprogram\tseconds\n'
            } >"$out/distances_files_h200.tsv"
            {
                grep '^#' "$out/distances_files_h200.tsv" | sed '1s/seconds of whole commands/--timings of runs with > FILE/'
                printf 'work\tpart\tseconds\tbytes\tgb_per_s\tbound_gb_per_s\tbound\n'
            } >"$out/distances_timings_h200.tsv"
            if [ "${GENOMES:-20000}" -gt 0 ]; then
                step "${GENOMES:-20000} genomes" python3 experiments/gpu/genomes.py "${GENOMES:-20000}" 30000 1 "$scratch/genomes.fasta"
                step "FASTA to TSV" files "${RUNS:-3}" "${GENOMES:-20000}x30000" "$scratch/genomes.fasta" genomes.tsv
                rm -f "$scratch/genomes.fasta"
            fi
            if [ "$sites" -gt 0 ]; then
                step "$samples genotypes x $sites" python3 experiments/gpu/genotypes.py "$samples" "$sites" 1 "$scratch/genotypes"
                step ".bed to .npy" files "${RUNS_BED:-1}" "${samples}x$sites" "$scratch/genotypes.bed" genotypes.npy --measure alleles --layout npy
            fi
            cat "$out/distances_files_h200.tsv" "$out/distances_timings_h200.tsv"
            ;;
        *)
            echo "session_beyond.sh: no part '$part'; expected check, sanitize, lessons, distances, reproduce, tool or files" >&2
            exit 2
            ;;
    esac
done
exit $failed
