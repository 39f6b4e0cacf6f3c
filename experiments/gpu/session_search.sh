#!/usr/bin/env bash
# session_search.sh BUILD OUT [GPUS...]: `warpladder search` on 570,000 random proteins, one query of 20 residues, 20 queries at a time and
# more, with each number of GPUs named (1 by default); results must be the same bytes. The times go to OUT/sw_search_h200.tsv.
set -uo pipefail
build=$(cd "$1" && pwd) out=$2 failed=0
shift 2
[ $# -gt 0 ] || set -- 1
cd "$(dirname "$0")/../.." || exit
export WL_DATA=$PWD
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lengths=144,189,222,375,464,567,657,729,850,1000,1500,2005,2504,3005,3564,4061,4548,4743,5147,5478
five=$lengths,$lengths,$lengths,$lengths,$lengths

python3 experiments/gpu/proteins.py 570000 1 $lengths "$work/proteins.fasta" "$work/20.fasta" || exit
python3 experiments/gpu/proteins.py 1 2 $five "$work/one.fasta" "$work/100.fasta" || exit
python3 experiments/gpu/proteins.py 1 3 20 "$work/one.fasta" "$work/1.fasta" || exit
"$build/warpladder" makedb "$work/proteins.fasta" "$work/proteins.wdb" || exit
table=$out/sw_search_h200.tsv
{
    echo "# what: warpladder search --db proteins.wdb --format 'tabular' --device gpu:0,..; experiments/gpu/session_search.sh"
    echo "# database: 570,000 random proteins, experiments/gpu/proteins.py 570000 1; random, so what is found is chance"
    "$build/warpladder" machine | sed -E 's/^([a-z_0-9]+) +/# \1: /'
    printf 'gpus\tqueries\tquery_letters\trun\tscan_s\tgcups\ttotal_s\tvariant\n'
} >"$table"
for queries in 1 20 100; do
    for gpus in "$@"; do
        for run in 1 2; do
            devices=gpu:$(seq -s , 0 $((gpus - 1)))
            "$build/warpladder" search --db "$work/proteins.wdb" --query "$work/$queries.fasta" --format tabular \
                --device "$devices" -o "$work/$queries.$gpus.tsv" 2>"$work/said" || failed=1
            cat "$work/said"
            sed -nE "s/.*quer(y|ies), ([0-9]+) letters.*scan ([0-9.]+) s, ([0-9.]+) GCUPS on .*\(([^)]*)\); ([0-9.]+) s in all/$gpus\t$queries\t\2\t$run\t\3\t\4\t\6\t\5/p" \
                "$work/said" >>"$table"
            cmp "$work/$queries.$1.tsv" "$work/$queries.$gpus.tsv" || failed=1
        done
    done
done
cat "$table"
exit $failed
