#!/usr/bin/env bash
# bash requests.sh path/to/warpladder NAME: what users of other programs bring along: their files, and what they ask for. Each case stands
# for a kind of file or question, and has the right value from another way of computing it, or from IQ-TREE 2.0.7.
# shellcheck source=tests/tools/likelihood/common.sh
source "$(dirname "$0")/common.sh"
of=$root/tests/tools/likelihood/iqtree
nucleotides=(--tree "$of/tree.nwk" --alignment "$of/nucleotides.fasta")

# said REGEX: on standard error.
said() {
    grep -Eq -- "$1" err || fail "said $(cat err), expected $1"
}

# A tree as other programs write it is the same tree.
case_trees() {
    value "${here[@]}" "${gtr[@]}"
    local first=$result tree
    for tree in '(("a":0.1,"b":0.2):0.05,("c":0.3,"d":0.1):0.2,"e":0.2);' "((a #1:0.1,b:0.2) #2:0.05,(c:0.3,d \$1:0.1)'#3':0.2,e:0.2);" \
        '((a:0.1 #1,b:0.2):0.05 #2.5,(c:0.3,d:0.1):0.2,e:0.2);' $'  5  1\n\n((a#1:0.1,b:0.2)#1:0.05,(c$2:0.3,d:0.1):0.2,e:0.2);' \
        $'5 1 [PAML]\r\n((a:0.1,b:0.2):0.05,(c:0.3,d:0.1):0.2,e:0.2);\r'; do
        echo "$tree" >other.nwk
        value --tree other.nwk --alignment a.fasta "${gtr[@]}"
        [ "$result" = "$first" ] || fail "$tree: $result, expected $first"
    done
    # A row may have such a name, and a quoted label may have all letters.
    sed 's/^>c/>c#1/' a.fasta >mark.fasta
    sed 's/c:/c#1:/' t.nwk >mark.nwk
    value --tree mark.nwk --alignment mark.fasta "${gtr[@]}"
    [ "$result" = "$first" ] || fail "a row c#1: $result"
    sed 's/c:/"c d; (x)":/' t.nwk >quoted.nwk
    expect 3 "the first 'c d; \(x\)'; expected a row" --tree quoted.nwk --alignment a.fasta --model JC
    sed 's/c:/"c:/' t.nwk >open.nwk
    expect 3 'open.nwk:1:[0-9]+: the quoted label is not closed in its line; expected a second .".' --tree open.nwk --alignment a.fasta --model JC
    echo '((a #x:0.1,b:0.2):0.05,(c:0.3,d:0.1):0.2,e:0.2);' >odd.nwk
    expect 3 "found '#x' after a label" --tree odd.nwk --alignment a.fasta --model JC
}

# Blocks that are not read are skipped by tokens: texts of several lines in quotes, with ';' and END in them.
case_nexus_notes() {
    cat >notes.nex <<'NEXUS'
#NEXUS
BEGIN NOTES;
 TEXT TAXON=1 TEXT='a note
 of two lines; END; that is ''quoted''';
 TEXT  FILE [a comment with '] TEXT= no;
END;
BEGIN DATA;
 TITLE 'one
 matrix';
 DIMENSIONS NTAX=4 NCHAR=10;
 FORMAT DATATYPE=DNA GAP=-;
MATRIX
 A ACGTACGTAC
 B ACGTACGTAA
 C ACGAACGTAC
 D ACGAACGGAC
;
END;
begin trees;
 title 'trees
 ; of mine';
 tree t = ((A:0.1,B:0.2):0.05,C:0.1,D:0.3);
end;
begin mesquite; x 'y;
 end;' z; endblock;
begin sets;
 charset all = 1-10;
 charpartition p = JC:all;
end;
begin notes; text='charset all = 1;
'; end;
NEXUS
    value --tree notes.nex --alignment notes.nex --model JC
    close "$result" -29.687 5e-4 # IQ-TREE's, of the same letters in FASTA
    local first=$result
    value --tree notes.nex --alignment notes.nex --partitions notes.nex
    [ "$result" = "$first" ] || fail "$result by partitions, expected $first"
    sed '$d' notes.nex >open.nex
    expect 3 'open.nex:30:19: the quoted text is not closed' --tree notes.nex --alignment open.nex --model JC
}

# Frequencies, braces and rate classes that are wrong: what is found, and what was expected.
case_messages() {
    expect 2 "unexpected 'GTR2.G4.0.5.'; expected options only; if it was one word with braces, put that in quotes" "${here[@]}" \
        --model 'GTR1+G4{0.5}' 'GTR2+G4{0.5}' 'GTR3+G4{0.5}'
    expect 2 "unexpected 'x'; expected options only$" "${here[@]}" --model GTR x
    expect 2 "the model 'JC.G65': found too few or too many rate classes; expected 1 to 64" "${here[@]}" --model JC+G65
    expect 2 "the model 'JC.I.ASC': found .I and .ASC; expected one of them" "${here[@]}" --model JC+I+ASC
    expect 2 "the model 'F81.F.0.4,0.3,0.3,0.3.': found frequencies that sum to 1.3; expected 1" "${here[@]}" --model 'F81+F{0.4,0.3,0.3,0.3}'
    value "${here[@]}" --model 'F81+F{0.333,0.167,0.167,0.333}'
    awk 'BEGIN { for (i = 0; i < 190; i++) printf "1 "; for (i = 0; i < 20; i++) printf "0.06 "; print "" }' >wrong.dat
    expect 3 'wrong.dat:1: found frequencies that sum to 1.2; expected 1' --tree "$of/tree.nwk" --alignment "$of/amino.fasta" --model wrong.dat
    "$program" likelihood --help >out
    tr -s ' \n' ' ' <out | grep -q 'it neither searches for trees nor chooses a model, and gives no support values' || fail 'the help'
}

# Columns that a SNP alignment lacks are as if they were there: by hand, and by IQ-TREE's -fconst.
case_constant_sites() {
    local fixed='HKY{2.5}+F{0.3,0.2,0.25,0.25}+G4{0.6}' sites=(--constant-sites "30,20,10,40") model found
    value "${nucleotides[@]}" --model "$fixed" "${sites[@]}" --site-likelihoods sites.tsv
    close "$result" -665.5564 6e-5
    found=$result
    close "$result" "$(awk 'NR > 1 { if ($1 != NR - 1) exit 1; sum += $2 } END { if (NR != 191) exit 1; printf "%.10f", sum }' sites.tsv)" 1e-7
    awk 'BEGIN { split("30 20 10 40", count, " "); split("A C G T", letter, " ")
            for (k = 1; k <= 4; k++) for (i = 0; i < count[k]; i++) more = more letter[k] }
        /^>/ { if (row) print row more; row = ""; print; next } { row = row $0 } END { print row more }' "$of/nucleotides.fasta" >longer.fasta
    value --tree "$of/tree.nwk" --alignment longer.fasta --model "$fixed"
    close "$result" "$found" 1e-8
    for model in GTR+F+I+G4 HKY+FO; do # frequencies are counted in all columns
        value "${nucleotides[@]}" --model $model "${sites[@]}" --optimize all
        found=$result
        value --tree "$of/tree.nwk" --alignment longer.fasta --model $model --optimize all
        close "$result" "$found" 1e-4
    done
    value "${nucleotides[@]}" --model JC
    found=$result
    value "${nucleotides[@]}" --model JC --constant-sites 0,0,0,0
    [ "$result" = "$found" ] || fail "no constant sites change it: $result, expected $found"
    value "${nucleotides[@]}" --model JC --constant-sites 2000000000,0,5000000000,1 # a genome's
    expect 2 'option --constant-sites: found 3 numbers; expected 4' "${nucleotides[@]}" --model JC --constant-sites 1,2,3
    expect 2 'option --constant-sites: found 1.5; expected counts' "${nucleotides[@]}" --model JC --constant-sites 1.5,2,3,4
    expect 2 'option --constant-sites: found with .ASC' "${nucleotides[@]}" --model JC+ASC --constant-sites 1,2,3,4
    expect 2 'option --constant-sites: the model LG has no nucleotides' --tree "$of/tree.nwk" --alignment "$of/amino.fasta" --model LG \
        --constant-sites 1,2,3,4
    printf 'JC, x = 1-9\nHKY, y = 10-18\n' >parts.txt
    expect 2 'option --constant-sites: found with several partitions; expected one' "${here[@]}" --partitions parts.txt --constant-sites 1,2,3,4
}

# +ASC says which columns are in the way, and leaves them out on request: the alignment without them is the same.
case_drop_constant() {
    expect 3 'a.fasta: found 13 columns .*, the first of them column 1; .* .--drop-constant leaves them out.: 1-3, 5-7, 9-10, 12-14, 16-17' "${here[@]}" --model JC+ASC
    expect 0 '' "${here[@]}" --model F81+ASC+G4 --drop-constant --site-likelihoods sites.tsv --device cpu --quiet
    local found
    found=$(cat out)
    "$program" likelihood "${here[@]}" --model F81+ASC+G4 --drop-constant --device cpu >out 2>err || fail "$(cat err)"
    said 'note: a.fasta: 13 columns may be constant, and are left out$'
    said 'F81.G4.ASC, 5 taxa, 5 columns'
    [ "$(cut -f 1 sites.tsv | tr '\n' ' ')" = 'column 4 8 11 15 18 ' ] || fail "$(cut -f 1 sites.tsv)"
    awk '/^>/ { print; next } { split("4 8 11 15 18", c, " "); for (i = 1; i in c; i++) printf "%s", substr($0, c[i], 1); print "" }' a.fasta >variable.fasta
    value --tree t.nwk --alignment variable.fasta --model F81+ASC+G4
    [ "$result" = "$found" ] || fail "$result without them, $found with them left out"
    value --tree t.nwk --alignment variable.fasta --model F81+ASC+G4 --drop-constant # there are none
    [ "$result" = "$found" ] || fail "$result with nothing to leave out"
    awk '/^>/ { print; next } { print "AAAAA" }' a.fasta >same.fasta
    expect 3 'same.fasta: found no column that is variable' --tree t.nwk --alignment same.fasta --model JC+ASC --drop-constant
}

# Files of several trees: a line for each, and the columns' likelihoods as CONSEL reads them.
case_all_trees() {
    local k=0 tree
    for tree in '((a:0.1,b:0.2):0.05,(c:0.3,d:0.1):0.2,e:0.2);' '((a:0.1,c:0.2):0.05,(b:0.3,d:0.1):0.2,e:0.2);' "(a:0.1,b:0.2,'c':0.3,d:0.1,e:0.2);"; do
        k=$((k + 1))
        echo "$tree" >one$k.nwk
        value --tree one$k.nwk --alignment a.fasta "${gtr[@]}"
        echo "$result"
    done >expected
    { cat one1.nwk && echo '[between; them]' && cat one2.nwk one3.nwk; } >three.nwk
    { echo '#NEXUS' && echo 'begin trees; tree x =' && cat one1.nwk && echo 'tree y =' && cat one2.nwk && echo 'end; begin trees; tree z =' && cat one3.nwk && echo 'end;'; } >three.nex
    for tree in three.nwk three.nex; do
        expect 0 '' --quiet --device cpu --tree $tree --tree-number all --alignment a.fasta "${gtr[@]}" --site-likelihoods sites.txt
        diff out expected || fail "$tree"
        [ "$(head -n 1 sites.txt)" = '3 18' ] || fail "$(cat sites.txt)"
        awk 'NR == FNR { expected[NR] = $1; next } FNR > 1 { if ($1 != "tree" FNR - 1 || NF != 19) exit 1; sum = 0; for (i = 2; i <= NF; i++) sum += $i
            if ((sum - expected[FNR - 1]) ^ 2 > 1e-14) exit 1 } END { exit FNR != 4 }' expected sites.txt || fail "$(cat sites.txt)"
    done
    "$program" likelihood --quiet --device cpu --tree - --tree-number all --alignment a.fasta "${gtr[@]}" <three.nwk >out || fail 'from standard input'
    diff out expected || fail 'from standard input'
    expect 0 'GTR.G4, 5 taxa' --device cpu --tree three.nwk --tree-number all --alignment a.fasta "${gtr[@]}" --json
    [ "$(grep -c '"tree": ' out)" -eq 3 ] || fail "$(cat out)"
    for k in 1 2 3; do
        value --tree one$k.nwk --alignment a.fasta --model HKY+G4 --optimize all
        echo "$result"
    done >expected
    expect 0 '' --quiet --device cpu --tree three.nwk --tree-number all --alignment a.fasta --model HKY+G4 --optimize all --best-tree best.nwk
    paste out expected | awk '{ if (($1 - $2) ^ 2 > 1e-12) exit 1 } END { exit NR != 3 }' || fail "$(paste out expected)"
    [ "$(wc -l <best.nwk)" -eq 3 ] || fail "$(cat best.nwk)"
    printf 'JC, x = 1-9\nHKY+FQ, y = 10-18\n' >parts.txt
    expect 0 '' --quiet --device cpu --tree three.nwk --tree-number all --alignment a.fasta --partitions parts.txt
    [ "$(wc -l <out)" -eq 3 ] || fail "$(cat out)"
    expect 2 'options --tree-number, --best-model: found both' --tree three.nwk --tree-number all --alignment a.fasta --model JC --optimize all \
        --best-model x
    expect 2 'option --tree-number: found all with --chain' --tree three.nwk --tree-number all --alignment a.fasta --model JC --chain 5
    head -c 80 three.nwk >cut.nwk
    expect 3 'cut.nwk:3:' --tree cut.nwk --tree-number all --alignment a.fasta --model JC
}

# Tips that the alignment lacks: the tree without them, lengths added.
case_prune() {
    echo '((a:0.1,(b:0.1,x:0.3):0.1):0.05,((c:0.3,d:0.1):0.1,(y:1,z:2):1):0.1,e:0.2);' >more.nwk
    value "${here[@]}" "${gtr[@]}"
    local first=$result
    value --tree more.nwk --prune --alignment a.fasta "${gtr[@]}"
    close "$result" "$first" 1e-9
    "$program" likelihood --tree more.nwk --prune --alignment a.fasta --model JC --device cpu >out 2>err || fail "$(cat err)"
    said 'note: more.nwk: 3 tips without a row are left out$'
    expect 3 'more.nwk:1: found 3 tips of the tree that a.fasta lacks, .* or --prune to leave such tips out$' --tree more.nwk --alignment a.fasta --model JC
    value "${here[@]}" --prune "${gtr[@]}"
    [ "$result" = "$first" ] || fail "with nothing to prune $result"
    value --tree more.nwk --prune --alignment a.fasta --model JC --optimize branches --best-tree best.nwk
    [ "$(grep -o '[a-z]:' best.nwk | tr -d ':\n')" = abcde ] || fail "$(cat best.nwk)"
    echo '(a:1,x:1,y:1);' >one.nwk
    expect 3 'found a tree of 1 tip' --quiet --tree one.nwk --prune --alignment a.fasta --model JC
    echo '(v:1,x:1,y:1);' >none.nwk
    expect 3 'found 3 tips of the tree' --quiet --tree none.nwk --prune --alignment a.fasta --model JC
    "$program" likelihood --tree more.nwk --prune --alignment a.fasta --model JC69 --chain 1 --device cpu >out 2>err || fail "$(cat err)"
    said ' 1 step in '
}

# Lengths below 0, which neighbour joining gives, are where no search can begin.
case_negative_lengths() {
    sed 's/0\.3/-0.02/; s/0\.05/-1e-9/' t.nwk >negative.nwk
    value "${here[@]}" --model JC --optimize branches
    local first=$result
    value --tree negative.nwk --alignment a.fasta --model JC --optimize branches
    close "$result" "$first" 1e-5
    "$program" likelihood --tree negative.nwk --alignment a.fasta --model JC --optimize all --device cpu >out 2>err || fail "$(cat err)"
    said 'note: negative.nwk: 2 branch lengths are below 0, from which no search can begin: it begins at 0.1$'
    expect 3 'found the branch length -' --tree negative.nwk --alignment a.fasta --model K80 --optimize model
}

# Free numbers and criteria as IQ-TREE counts them.
case_criteria() {
    local file model count
    while read -r file model count; do
        expect 0 '' --quiet --json --device cpu --tree "$of/tree.nwk" --alignment "$of/$file.fasta" --model "$model" --optimize all
        python3 - "$count" <<'END' || fail "$model: $(cat out)"
import json, math, sys

found = json.load(open("out"))
k, n, l = int(sys.argv[1]), found["partitions"][0]["columns"], found["log_likelihood"]
aic = 2 * k - 2 * l
assert found["free_parameters"] == k, found["free_parameters"]
for name, value in ("aic", aic), ("aicc", aic + 2 * k * (k + 1) / (n - k - 1)), ("bic", k * math.log(n) - 2 * l):
    assert abs(found[name] - value) < 1e-6, (name, found[name], value)
END
    done <<'END'
nucleotides JC 9
nucleotides HKY+F+G4 14
nucleotides GTR+FQ+I+R2 17
nucleotides TN93+F+I 15
nucleotides HKY+FO 13
nucleotides HKY{2}+F{0.25,0.25,0.25,0.25}+G4{0.5} 9
amino LG+F+R3 32
amino LG+G4 10
codons GY94+F3X4 20
codons GY94+F1X4 14
END
    expect 0 '' "${nucleotides[@]}" --model JC --optimize all --quiet
    "$program" likelihood "${nucleotides[@]}" --model K80 --optimize model --device cpu >out 2>err || fail "$(cat err)"
    said 'warpladder likelihood: 1 free parameter: AIC [0-9.]+, AICc [0-9.]+, BIC [0-9.]+$'
    printf '>a\nACGTAC\n>b\nACGTAA\n>c\nACGAAC\n>d\nACCAAC\n>e\nACGAAT\n' >few.fasta
    "$program" likelihood --tree t.nwk --alignment few.fasta --model GTR --optimize all --device cpu >out 2>err || fail "$(cat err)"
    said 'no AICc of so few columns'
}

# Partition files of RAxML, PartitionFinder, MrBayes, and charsets alone: models are elsewhere.
case_partition_files() {
    printf 'HKY+G4{0.5}, one = 1-90\\3\nHKY+G4{0.5}, two = 2-90\\3, 3-90\\3\n' >ours.txt
    value "${nucleotides[@]}" --partitions ours.txt
    local first=$result best='' file code
    printf 'DNA, one = 1-90\\3\nDNA, two = 2-90\\3, 3-90\\3\n' >raxml.txt
    printf 'HKY+G4{0.5}, one = 1-90\\3\ndna, two = 2-90\\3, 3-90\\3\n' >mixed.txt
    printf '#nexus\nbegin sets;\ncharset one = 1-90\\3;\ncharset two = DNA, 2-90\\3 3-90\\3;\nend;\n' >alone.nex
    printf '#nexus\nbegin mrbayes;\ncharset all = 1-90;\ncharset one = 1-.\\3;\ncharset two = 2-.\\3 3-.\\3;\npartition x = 1: all;\npartition of = 2: one, two;\nset partition=of;\nlset nst=2;\nend;\n' >bayes.nex
    printf '#nexus\nbegin sets;\ncharset one = 1-90\\3;\ncharset two = 2-90\\3 3-90\\3;\ncharpartition p = DNA:one, HKY+G4{0.5}:two;\nend;\n' >words.nex
    for file in raxml.txt mixed.txt alone.nex bayes.nex words.nex; do
        value "${nucleotides[@]}" --partitions $file --model HKY+G4 --alpha 0.5
        [ "$result" = "$first" ] || fail "$file: $result, expected $first"
    done
    for file in raxml.txt alone.nex bayes.nex; do
        value "${nucleotides[@]}" --partitions $file --model HKY+G4 --optimize all
        close "$result" "${best:=$result}" 1e-6
    done
    expect 3 'raxml.txt:1: partition one: found no model; expected one, or --model for all without' "${nucleotides[@]}" --partitions raxml.txt
    expect 2 'options --model, --partitions: found both, and ours.txt names a model for every partition' "${nucleotides[@]}" --partitions ours.txt --model JC
    expect 3 'raxml.txt:1: partition one: found nucleotides, and the model LG is of amino acids' "${nucleotides[@]}" --partitions raxml.txt --model LG
    local amino=(--tree "$of/tree.nwk" --alignment "$of/amino.fasta") codons=(--tree "$of/tree.nwk" --alignment "$of/codons.fasta")
    value "${amino[@]}" --model LG+G4
    first=$result
    printf 'AA, all = 1-.\n' >aa.txt
    value "${amino[@]}" --model LG+G4 --partitions aa.txt
    [ "$result" = "$first" ] || fail "$result, expected $first"
    value "${amino[@]}" --model LG+F
    first=$result
    printf 'LGF, all = 1-.\n' >lgf.txt
    value "${amino[@]}" --partitions lgf.txt
    [ "$result" = "$first" ] || fail "LGF: $result, expected $first"
    for code in 1 4; do
        value "${codons[@]}" --model GY94 --code $code
        first=$result
        printf 'CODON%s, all = 1-.\n' $code >codon.txt
        value "${codons[@]}" --model GY94 --partitions codon.txt
        [ "$result" = "$first" ] || fail "code $code: $result, expected $first"
        printf '#nexus\nbegin sets;\ncharset all = CODON%s, 1-.;\ncharpartition p = GY94:all;\nend;\n' $code >codon.nex
        value "${codons[@]}" --partitions codon.nex
        [ "$result" = "$first" ] || fail "code $code: $result, expected $first"
    done
    printf 'CODON7, all = 1-.\n' >codon.txt # there is none
    expect 3 "codon.txt:1: unknown model 'CODON7'" "${codons[@]}" --partitions codon.txt
    printf 'BIN, all = 1-.\n' >bin.txt
    expect 3 "bin.txt:1: unknown model 'BIN'" "${amino[@]}" --partitions bin.txt
}

# NCBI's numbers of genetic codes; codeml.py has the values.
case_codes() {
    local codons=(--tree "$of/tree.nwk" --alignment "$of/codons.fasta" --model GY94+FQ)
    value "${codons[@]}"
    local first=$result code
    for code in 1 11; do # bacteria's only begins otherwise
        value "${codons[@]}" --code $code
        [ "$result" = "$first" ] || fail "code $code: $result"
    done
    for code in 3 4 6 10 12 15 16 25 26 27 28 29 30 31 32; do
        expect 0 '' --quiet --device cpu "${codons[@]}" --code $code
        [ "$(cat out)" != "$first" ] || fail "code $code changes nothing"
        [ $code -ne 31 ] || close "$(cat out)" "$("$program" likelihood --quiet --device sim "${codons[@]}" --code $code)" 1e-8 # 64 states
    done
    expect 2 "option --code: found '7'; expected standard, vertebrate-mitochondrial, 1, 2" "${codons[@]}" --code 7
    sed '/^>c/{n;s/^.../AGA/}' a.fasta >stop.fasta
    expect 3 "expected sense codons of the vertebrate mitochondrial code, or '---' there" --tree t.nwk --alignment stop.fasta --model GY94 --code 2
    sed '/^>c/{n;s/^.../TAG/}' a.fasta >stop.fasta
    expect 3 "expected sense codons of NCBI's code 4, or '---' there" --tree t.nwk --alignment stop.fasta --model GY94 --code 4
    # As many frequencies as the code has codons.
    value "${codons[@]}" --code 6
    first=$result
    value "${codons[@]%+FQ}" --code 6 --frequencies "$(awk 'BEGIN { for (i = 0; i < 63; i++) printf "%s%.17g", i ? "," : "", 1 / 63 }')"
    close "$result" "$first" 1e-8
}

# No branch is longer than 100 substitutions, and none shorter than 1e-8, also where the search multiplies all of them.
case_bounds() {
    printf '>A\nACGTACG\n>B\nACGTACA\n>C\nCATACGT\n>D\nCGTACGG\n' >asc.fasta
    printf '((A:0.1,B:0.2):0.05,C:0.1,D:0.3);' >asc.nwk
    local model
    for model in GTR+FO+G4+ASC GTR+FO+I+G4 JC+G4 GTR+FO+ASC; do
        value --tree asc.nwk --alignment asc.fasta --model $model --optimize all --best-tree best.nwk --drop-constant
        grep -o ':[0-9.e+-]*' best.nwk | tr -d : | awk '{ if ($1 > 100 || $1 < 1e-8) exit 1 }' || fail "$model: $(cat best.nwk)"
    done
    printf 'HKY+FQ+G4, x = 1-4\nJC, y = 5-7\n' >parts.txt
    value --tree asc.nwk --alignment asc.fasta --partitions parts.txt --lengths proportional --optimize all --best-tree best.nwk
    grep -o ':[0-9.e+-]*' best.nwk | tr -d : | awk '{ if ($1 > 100.000001 || $1 < 0.999999e-8) exit 1 }' || fail "$(cat best.nwk)"
}

"case_$name"
