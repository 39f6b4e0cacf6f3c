#!/usr/bin/env bash
# beast_analysis.sh pack BUILD FOLDER       FOLDER, and FOLDER.tar.gz of 40 MB: BEAST, a small Java, Debian's BEAGLE, BUILD's libhmsbeagle, data
# beast_analysis.sh run FOLDER OUT [PART...]   there: needs bash and coreutils only. Parts, both where none is named:
#   times    each library on one core, all side by side, the GPU beside them: seconds per 1,000 states      a minute or two
#   chains   codons and nucleotides on the GPU, nucleotides on a core each, until END                        the rest
# END=SECONDS: when all chains end, counted from the call; 540 unless it is named. CORES=N: how many chains on cores, three fewer than there are.
# Each part ends with OUT/beast_runs.tar.gz, which has all that was sampled; a run that finds it goes on with these chains. Here again,
#   tar -xzf beast_runs.tar.gz -C RUNS; RUNS=RUNS experiments/cpu/beast_analysis.sh BUILD OUT tables
# makes the tables of it: beast_posterior.tsv, beast_agreement.tsv, beast_times_h200.tsv.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [ "${1:-}" = pack ]; then
    set -e
    build=$(readlink -f "$2") folder=$3
    # shellcheck source=experiments/cpu/beast_run.sh
    . "$here/../cpu/beast_run.sh"
    mkdir -p "$folder/libraries"
    beast_home "$folder" "$build/lib/warpladder/beagle"
    python3 -B "$here/../cpu/beast_data.py" "$folder"
    cp "$here/../cpu/beast_run.sh" "${BASH_SOURCE[0]}" "$folder/"
    "$build/warpladder" machine --json | sed -n 's/.*"commit": *"\([^"]*\)".*/\1/p' >"$folder/commit"
    rm -rf "$folder/java"
    jlink --add-modules java.base,java.desktop,java.logging,java.prefs,java.sql --strip-debug --no-header-files --no-man-pages --compress=2 \
        --output "$folder/java"
    # All but the C library, which belongs to the machine's own loader.
    find "$folder" -name '*.so*' -exec ldd {} + 2>/dev/null | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u |
        grep -vE "^$(readlink -f "$folder")|/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so" | grep -E '/lib(gomp|stdc\+\+|gcc_s|z|jpeg|lcms2)\.so' |
        xargs -r cp -L -t "$folder/libraries"
    tar -czf "$folder.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")"
    du -h "$folder.tar.gz"
    exit
fi

if [ "${1:-}" != run ] || [ $# -lt 3 ]; then
    sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
fi
home=$(cd "$2" && pwd) end=${END:-540}
mkdir -p "$3"
out=$(cd "$3" && pwd)
shift 3
[ $# -gt 0 ] || set -- times chains
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
home_libraries=$home/libraries
# shellcheck source=experiments/cpu/beast_run.sh
. "$home/beast_run.sh"
[ ! -s "$out/beast_runs.tar.gz" ] || tar -xzf "$out/beast_runs.tar.gz" -C "$runs"
cp "$home"/*.truth "$runs/"
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
{
    echo "# gpu: $gpu"
    echo "# cpu: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) threads"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# commit: $(cat "$home/commit")"
} >"$runs/machine"
keep() { tar -czf "$out/new" -C "$runs" --exclude='time_*' --exclude=run.xml . && mv "$out/new" "$out/beast_runs.tar.gz"; }

# on CORE COMMAND...: on that core alone, beside others.
on() {
    local core=$1
    shift
    ( taskset -pc "$core" "$BASHPID" >/dev/null 2>&1; "$@" </dev/null ) &
}
two_lengths() { # MODEL LIBRARY PRECISION THREADS STATES; a minute each at most
    seconds=60 beast_time "$1" "$2" "$3" "$4" "$5" && seconds=60 beast_time "$1" "$2" "$3" "$4" $((5 * $5))
}
times_gpu() {
    local precision
    for precision in double single; do
        two_lengths gtr gpu $precision 1 2000
        two_lengths gy94 gpu $precision 1 500
    done
}
times() {
    local core=0 cores
    cores=$(nproc)
    rm -f "$runs/times.tsv" "$runs"/last_*
    while read -r model library precision states; do
        on $((core++ % cores)) two_lengths "$model" "$library" "$precision" 1 "$states"
    done <<'END'
gtr java double 1000
gtr debian double 2000
gtr debian single 2000
gtr ours double 2000
gtr ours single 2000
gy94 java double 5
gy94 debian double 10
gy94 debian single 10
gy94 ours double 50
gy94 ours single 50
END
    [ -z "$gpu" ] || on $((core % cores)) times_gpu
    wait
    [ -z "$gpu" ] || grep -q '	gpu	' "$runs/times.tsv" || { echo "no chain ran on the GPU: all go to cores" >&2 && gpu=; }
    two_lengths gtr ours double "$cores" 2000
    two_lengths gy94 ours double "$cores" 100
}
chains() {
    local left=$((end - SECONDS)) core=0 cores list chain
    [ $left -gt 0 ] || return 0
    cores=$(nproc)
    list=(gtr.ours.double.1 gtr.ours.single.1 gtr.debian.double.1 gtr.java.double.1 gtr.ours.double.2 gtr.ours.single.2 gtr.debian.double.2
        gtr.ours.double.3 gtr.ours.single.3 gtr.debian.double.3 gtr.java.double.2 gtr.ours.double.4 gtr.ours.single.4 carnivores_gtr.ours.double.1)
    list=("${list[@]:0:${CORES:-$((cores > 4 ? cores - 3 : 1))}}")
    [ -z "$gpu" ] || list=(gy94.gpu.double.1 gy94.gpu.single.1 gtr.gpu.single.1 "${list[@]}")
    for chain in "${list[@]}"; do
        # shellcheck disable=SC2086 # model, library, precision, number
        on $((core++ % cores)) beast_chain ${chain//./ } $left
    done
    wait
}
for part; do
    echo "== $part"
    "$part"
    keep
    echo "   $SECONDS s"
done
