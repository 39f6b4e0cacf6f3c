#!/usr/bin/env bash
# What the cases of `warpladder likelihood` share: a tree, an alignment, and numbers that are compared.
# shellcheck disable=SC2034 # whoever sources it uses them
set -u
# shellcheck source=tests/support/expect.sh
source "$(dirname "$0")/../../support/expect.sh"
tool=likelihood whole_or_nothing=1
root=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$folder" || exit 1

# value ARG...: what `likelihood --quiet --device cpu ARG...` prints, in `result`.
value() {
    expect 0 '' --quiet --device cpu "$@"
    [ "$(wc -l <out)" -eq 1 ] || fail "likelihood $*: printed $(cat out)"
    result=$(cat out)
}

# close A B [TOLERANCE]
close() {
    awk -v a="$1" -v b="$2" -v t="${3:-1e-9}" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t) }' || fail "$1 is not $2"
}

cat >t.nwk <<'END'
((a:0.1,b:0.2):0.05,(c:0.3,d:0.1):0.2,e:0.2);
END
cat >a.fasta <<'END'
>a
ATGACGTACGTRCGTACC
>b
ATGACGTTCGTACGAACC
>c
ATGCCGTACGTACGTACG
>d
ATGACGTACGGNCGTACC
>e
ATGACG---GTACGTACT
END
# shellcheck disable=SC2054 # commas are what the options take
gtr=(--model GTR+G4 --alpha 0.7 --rates 1.2,3.4,0.7,0.9,4.1,1 --frequencies 0.3,0.2,0.2,0.3)
here=(--tree t.nwk --alignment a.fasta)
