#!/bin/bash
# Real proteins from Debian's hmmer-examples, as FASTA on standard output: families from Stockholm alignments, gaps left
# out, and single proteins. A name that comes again gets a number.
set -euo pipefail
examples=/usr/share/doc/hmmer/examples

family() { # FILE.sto[.gz]
    zcat -f "$1" | awk -v family="$(basename "$1" | cut -d. -f1)" '
        /^#/ || /^\/\// || NF == 0 { next }
        !($1 in residues) { order[++count] = $1 }
        { gsub(/[-.~_]/, "", $2); residues[$1] = residues[$1] toupper($2) }
        END { for (i = 1; i <= count; i++) print ">" order[i] " of family " family "\n" residues[order[i]] }'
}
swissprot() { # FILE
    awk '/^ID/ { print ">" $2 " of Swiss-Prot" }
        in_sequence && !/^\/\// { gsub(/ /, ""); print }
        /^SQ/ { in_sequence = 1 }' "$1"
}
{
    for name in Pkinase fn3 globins4; do family "$examples/tutorial/$name.sto"; done
    for name in Caudal_act LuxC Patched RRM_1; do family "$examples/testsuite/$name.sto.gz"; done
    cat "$examples/tutorial/globins45.fa" "$examples/testsuite/PAX8_HUMAN"
    swissprot "$examples/tutorial/7LESS_DROME"
} | awk '/^>/ { if ($1 in seen) { $1 = $1 "." ++seen[$1] } else { seen[$1] = 0 } } { print }'
