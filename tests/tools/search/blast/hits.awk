# Two tables of hits, ours and then BLAST's: query, subject, score, bits, E-value, lengths of query and subject, then
# columns that describe the alignment.
#
# BLAST's heuristics may miss the best alignment of a pair; such pairs, with a lower score, are counted and left out.
# What must agree of all others, to the digit: score, bits, E-value and lengths. Of equally good alignments BLAST may
# report another; whatever is the same alignment must agree in every column.
BEGIN { FS = "\t" }
{ sub(/[ \t]+$/, "") }
FNR == NR { ours[$1, $2] = $0; next }
($1, $2) in theirs && $3 <= score[$1, $2] { next } # several alignments of a pair: the best
{ theirs[$1, $2] = $0; score[$1, $2] = $3 }
END {
    for (pair in theirs) {
        count++
        if (!(pair in ours)) { complain("not reported", "", theirs[pair]); continue }
        split(ours[pair], a)
        split(theirs[pair], b)
        if (b[3] < a[3]) { lower++; continue }
        for (i = 3; i <= 7; i++) if (a[i] "" != b[i] "") { complain("column " i, ours[pair], theirs[pair]); break }
        if (ours[pair] == theirs[pair]) same++
        else if (a[alignment] == b[alignment] && a[8] == b[8] && a[9] == b[9])
            complain("same alignment", ours[pair], theirs[pair])
        else other++
    }
    printf "%d pairs: %d rows the same, %d with another equally good alignment; %d lower in BLAST\n",
        count, same, other, lower
    if (count < least) complain("too few pairs, expected " least, "", "")
    if (lower > count * lower_most) complain("too many lower", "", "")
    if (other > (count - lower) * other_most) complain("too many other alignments", "", "")
    exit failures > 0
}
function complain(what, our, their) {
    if (failures++ < 5) print "FAILED: " what "\n  ours  " our "\n  BLAST " their
}
