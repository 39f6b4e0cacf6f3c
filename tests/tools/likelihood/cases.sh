#!/usr/bin/env bash
# bash cases.sh path/to/warpladder NAME: one case of how `warpladder likelihood` behaves.
# shellcheck source=tests/tools/likelihood/common.sh
source "$(dirname "$0")/common.sh"

# Two tips under JC69: 3/4 of the columns alike have probability 1/16 + 3/16 e, e = exp(-4/3 t), the others 1/16 - 1/16 e.
case_by_hand() {
    printf '(x:0.3,y:0.2);' >two.nwk
    printf '>x\nACGTACGT\n>y\nACGAACGC\n' >two.fasta
    value --tree two.nwk --alignment two.fasta --model JC69
    close "$result" "$(awk 'BEGIN { e = exp(-4 / 3 * 0.5); printf "%.12f", 6 * log(1 / 16 + 3 / 16 * e) + 2 * log(1 / 16 - 1 / 16 * e) }')"
    printf '(x:1000,y:1000);' >far.nwk # independent
    value --tree far.nwk --alignment two.fasta --model JC69
    close "$result" "$(awk 'BEGIN { printf "%.12f", 16 * log(1 / 4) }')"
    printf '(x:0,y:0);' >near.nwk # equal, and these are not
    expect 0 '' --quiet --tree near.nwk --alignment two.fasta --model JC69 --device cpu
    [ "$(cat out)" = -inf ] || fail "printed $(cat out)"
    "$program" likelihood --tree near.nwk --alignment two.fasta --model JC69 --device cpu --json >out 2>err || fail "$(cat err)"
    grep -q '"log_likelihood": null' out || fail "printed $(cat out)"
    grep -q 'note: 2 columns cannot come from this tree: probability 0, the first of them column 4$' err || fail "said $(cat err)"
}

case_prints() {
    expect 0 '^warpladder likelihood: GTR\+G4, 5 taxa, 18 columns, [0-9]+ patterns; evaluated in .* ms, double precision, on .* \(.*\); .* s in all$' \
        "${here[@]}" "${gtr[@]}" --device cpu
    grep -Eqx -- '-[0-9]+\.[0-9]{10}' out || fail "printed $(cat out)"
    local plain
    plain=$(cat out)
    expect 0 '' --json --quiet "${here[@]}" "${gtr[@]}" --device cpu
    close "$plain" "$(sed 's/.*"log_likelihood": \([^,]*\),.*/\1/' out)"
    grep -q '"model": "GTR+G4", "taxa": 5, "columns": 18, "patterns": [0-9]*, "precision": "double"' out || fail "$(cat out)"
}

case_sites() {
    value "${here[@]}" "${gtr[@]}" --site-likelihoods new/sites.tsv --make-folders
    [ "$(head -n 1 new/sites.tsv)" = "column	log_likelihood" ] || fail "$(cat new/sites.tsv)"
    [ "$(wc -l <new/sites.tsv)" -eq 19 ] || fail "$(cat new/sites.tsv)"
    close "$result" "$(awk 'NR > 1 { if ($1 != NR - 1) exit 1; sum += $2 } END { printf "%.12f", sum }' new/sites.tsv)"
    # Equal columns are one pattern: 1 and 4 differ in c only.
    [ "$(awk 'NR == 3 { print $2 }' new/sites.tsv)" != "$(awk 'NR == 2 { print $2 }' new/sites.tsv)" ] || fail "$(cat new/sites.tsv)"
    expect 2 "option --site-likelihoods: found '-'" "${here[@]}" "${gtr[@]}" --site-likelihoods -
    expect 2 'a.fasta' "${here[@]}" "${gtr[@]}" --site-likelihoods a.fasta
    echo kept >kept.tsv
    expect 3 'no such file|cannot open' --tree none.nwk --alignment a.fasta --model JC69 --site-likelihoods kept.tsv
    [ "$(cat kept.tsv)" = kept ] || fail "a failed run replaced kept.tsv"
}

# A model is reversible: the root may be anywhere, and a node may have any number of children in a chain of branches of length 0.
case_rootings() {
    value "${here[@]}" "${gtr[@]}"
    local first=$result tree
    for tree in '(a:0.1,b:0.2,((c:0.3,d:0.1):0.2,e:0.2):0.05);' '(a:0.04,(b:0.2,((c:0.3,d:0.1):0.2,e:0.2):0.05):0.06);' \
        '(((a:0.1,b:0.2):0.05,(c:0.3,d:0.1):0.2):0,e:0.2):7;' '((((((a:0.1,b:0.2):0.02):0.03,(c:0.3,d:0.1):0.2,e:0.2))));'; do
        echo "$tree" >other.nwk
        value --tree other.nwk --alignment a.fasta "${gtr[@]}"
        close "$result" "$first"
    done
}

# The same data in other clothes: lower case, U, Windows, gzip, PHYLIP, NEXUS, other orders of rows, missing data in other signs.
case_formats() {
    value "${here[@]}" "${gtr[@]}"
    local first=$result file
    tr 'ACGTRN' 'acgurn' <a.fasta | tr '-' '?' | sed 's/$/\r/' >lower.fasta
    gzip -c lower.fasta >lower.fasta.gz
    awk 'BEGIN { print "5 18" } /^>/ { name = substr($0, 2); next } { print name, substr($0, 1, 9), substr($0, 10) }' a.fasta >a.phy
    awk 'BEGIN { print "#NEXUS\nbegin data;\ndimensions ntax=5 nchar=18;\nformat datatype=dna gap=-;\nmatrix" }
        /^>/ { name = substr($0, 2); next } { print name, $0 } END { print ";\nend;" }' a.fasta >a.nex
    cat >m.nex <<'END'
#NEXUS
[what d has is the first row's unless it is said]
begin characters;
 dimensions ntax=5 nchar=18;
 format datatype=dna interleave matchchar=. missing=? gap=-;
 matrix
 d ATGACGTAC
 'e' ......---
 a .........
 b .......T.
 c ...C.....

 d GGNCGTACC
 'e' .TA.....T
 a .TR......
 b .TA..A...
 c .TA.....G
 ;
end;
begin trees;
 translate 1 a, 2 b, 3 c, 4 d, 5 e;
 tree other = [&U] (1:1,2:1,3:1,4:1,5:1);
 tree this = [&U] ((1:0.1,2:0.2):0.05,(3:0.3,4:0.1):0.2,5:0.2);
end;
END
    for file in lower.fasta lower.fasta.gz a.phy a.nex m.nex; do
        value --tree t.nwk --alignment $file "${gtr[@]}"
        [ "$result" = "$first" ] || close "$result" "$first"
    done
    value --tree m.nex --tree-number 2 --alignment m.nex "${gtr[@]}"
    close "$result" "$first"
    expect 3 'm.nex:23:7: found a second tree, .this.; expected one tree and no more' --tree m.nex --alignment m.nex --model JC69
    expect 3 'm.nex: found 2 trees .*; expected at least 3' --tree m.nex --tree-number 3 --alignment m.nex --model JC69
    cat t.nwk t.nwk >two.nwk
    value --tree two.nwk --tree-number 2 --alignment a.fasta "${gtr[@]}"
    close "$result" "$first"
    result=$("$program" likelihood --quiet --tree - --alignment a.fasta "${gtr[@]}" --device cpu <t.nwk) || fail "standard input"
    close "$result" "$first"
    expect 2 "found '-' twice" --tree - --alignment - --model JC69
    sed 's/>a/>a_1 taxon/' a.fasta >names.fasta
    sed "s/a:/'a 1':/" t.nwk >names.nwk
    value --tree names.nwk --alignment names.fasta "${gtr[@]}"
    close "$result" "$first"
}

# Letters of the wrong kind give a number, too, which nobody should have unawares.
case_kinds_of_letters() {
    printf '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat datatype=%s;\nmatrix\na ACGT\nb ACGA\n;\nend;\n' protein >p.nex
    sed s/protein/rna/ p.nex >n.nex
    sed 's/format.*/format gap=-;/' p.nex >any.nex
    echo '(a:0.1,b:0.1);' >ab.nwk
    expect 3 'p.nex: found the data type of proteins; expected DNA, RNA or NUCLEOTIDE' --tree ab.nwk --alignment p.nex --model JC69
    expect 3 'n.nex: found the data type of nucleotides; expected PROTEIN' --tree ab.nwk --alignment n.nex --model WAG
    value --tree ab.nwk --alignment n.nex --model JC69
    local first=$result
    value --tree ab.nwk --alignment any.nex --model JC69
    [ "$result" = "$first" ] || fail "without a data type: $result, with one $first"
    value --tree ab.nwk --alignment p.nex --model WAG
    for rows in '>a\nACGT--U\n>b\nacgtN?T\n' '>a\nACGTACR\n>b\nacgtacg\n'; do # R: A or G
        printf '%b' "$rows" >n.fasta
        "$program" likelihood --tree ab.nwk --alignment n.fasta --model WAG --device cpu >out 2>err || fail "$(cat err)"
        grep -q "note: n.fasta: the letters are nucleotides', and are read as amino acids\$" err || fail "said $(cat err)"
    done
    printf '>a\nACGTM-\n>b\nACGTMM\n' >p.fasta
    expect 0 'WAG, 2 taxa' --tree ab.nwk --alignment p.fasta --model WAG --device cpu
}

# The lengths that a chain starts with are not always those given, and then it says so.
case_chain_start() {
    sed 's/0.3/30/; s/:0.05/:0/' t.nwk >far.nwk
    "$program" likelihood --tree far.nwk --alignment a.fasta --model JC69 --chain 5 --device cpu >out 2>err || fail "$(cat err)"
    grep -q 'note: the chain starts with 2 branches brought to lengths of 1e-06 to 10$' err || fail "said $(cat err)"
    expect 0 ' 1 step in ' "${here[@]}" --model JC69 --chain 1 --device cpu
    echo '((a:0.1,b:0.2):0.05,((c:0.3,d:0.1):0.2,e:0.2):0);' >root.nwk # with what is above a and b, one branch
    expect 0 ' 1 step in ' --tree root.nwk --alignment a.fasta --model JC69 --chain 1 --device cpu
}

# A column that no history gives, and those that rounding alone makes impossible.
case_probability_0() {
    printf '(x:0.3,(y:0,z:0):0.1);' >near.nwk
    printf '>x\nACGT\n>y\nACRT\n>z\nAC-A\n' >three.fasta
    "$program" likelihood --tree near.nwk --alignment three.fasta --model JC69 --device cpu >out 2>err || fail "$(cat err)"
    [ "$(cat out)" = -inf ] || fail "printed $(cat out)"
    grep -q 'note: 1 column cannot come from this tree: probability 0, the first of them column 4$' err || fail "said $(cat err)"
    # All pairs of codons: with so large a kappa many are rarer than what rounding leaves of their probability.
    awk 'BEGIN { split("A C G T", n, " ")
        for (i = 0; i < 64; i++) {
            codon = n[int(i / 16) + 1] n[int(i / 4) % 4 + 1] n[i % 4 + 1]
            if (codon !~ /^(TAA|TAG|TGA)$/) sense[++count] = codon
        }
        for (i = 1; i <= count; i++) for (k = 1; k <= count; k++) { x = x sense[i]; y = y sense[k] }
        printf ">x\n%s\n>y\n%s\n", x, y }' >pairs.fasta
    printf '(x:0.1,y:0);' >pairs.nwk
    local pairs=(--tree pairs.nwk --alignment pairs.fasta --model GY94 --frequencies equal --device cpu)
    "$program" likelihood "${pairs[@]}" --kappa 1e4 >out 2>err || fail "$(cat err)"
    [ "$(cat out)" = -inf ] || fail "printed $(cat out)"
    grep -q 'cannot be' err && fail "said $(cat err)"
    grep -Eq 'note: [0-9]+ columns are so improbable that the probability is rounded to 0, the first' err || fail "said $(cat err)"
    # Wrong before it is 0, and then it is said; but not of what is right.
    "$program" likelihood "${pairs[@]}" --omega 0.001 >out 2>err || fail "$(cat err)"
    grep -Eq 'note: rounding alone makes it -[0-9.]+ or -[0-9.]+: a codon changes' err || fail "said $(cat err)"
    expect 0 'GY94, 2 taxa, 3721 codon columns' "${pairs[@]}"
}

# Models with their numbers in braces, against what IQ-TREE made of them; the simulated device computes some of them once more, and
# options say what braces say.
case_iqtree_models() {
    local file model expected of=$root/tests/tools/likelihood/iqtree count=0
    while IFS=$'\t' read -r file model expected; do
        value --tree "$of/tree.nwk" --alignment "$of/$file" --model "$model"
        close "$result" "$expected" 6e-5
        count=$((count + 1))
        [ $((count % 8)) -eq 0 ] || continue
        expect 0 '' --quiet --device sim --tree "$of/tree.nwk" --alignment "$of/$file" --model "$model"
        close "$(cat out)" "$result"
    done < <(grep -v '^#' "$of/models.tsv")
    [ $count -ge 33 ] || fail "$count models"
    here=(--tree "$of/tree.nwk" --alignment "$of/nucleotides.fasta")
    value "${here[@]}" --model 'TN93{2,3}+F{0.1,0.2,0.3,0.4}+I{0.2}+G4{0.7}'
    local braces=$result
    value "${here[@]}" --model tn+i+g --rates 1,2,3 --frequencies 0.1,0.2,0.3,0.4 --invariant 0.2 --alpha 0.7
    [ "$result" = "$braces" ] || fail "$result and $braces"
    expect 0 'TrN\+I\+R3, 6 taxa' "${here[@]}" --model TrN+I+R3 --device cpu
    expect 2 "options --invariant, --model: found it in both" "${here[@]}" --model 'JC+I{0.2}' --invariant 0.2
    expect 2 "options --rates, --model: found it in both" "${here[@]}" --model 'GTR{1,2,3,4,5}' --rates 1,1,1,1,1,1
    expect 2 "options --frequencies, --model: found it in both" "${here[@]}" --model 'GTR+F{0.25,0.25,0.25,0.25}' --frequencies equal
    expect 2 'option --invariant: the model JC69 has none; expected it with .I' "${here[@]}" --model JC --invariant 0.2
    expect 2 "option --invariant: found '1'; expected a number from 0 to 0.999999" "${here[@]}" --model JC+I --invariant 1
    expect 2 'option --alpha: the model JC69.R4 has none' "${here[@]}" --model JC+R4 --alpha 1
    expect 2 'option --classes: found 3, and 4 in the model' "${here[@]}" --model JC+R4 --classes 3
    expect 2 'option --rates: found 6 numbers; expected 3' "${here[@]}" --model TN93 --rates 1,2,1,1,3,1
    expect 2 "option --model: unknown model 'GTR.I.0.2,3.': '.I.0.2,3.' is not what can follow GTR" "${here[@]}" --model 'GTR+I{0.2,3}'
    expect 2 'option --model: the share of invariant columns is 1' "${here[@]}" --model 'JC+I{1}'
    expect 2 'option --chain: the model HKY85.I has .I, which no chain samples' "${here[@]}" --model HKY+I --chain 5
    expect 2 'option --chain: the model JC69.R4 has .R' "${here[@]}" --model JC+R4 --chain 5
    expect 3 'nucleotides.fasta: found 47 columns .*, the first of them column 1; expected none, since .ASC' "${here[@]}" --model JC+ASC
    expect 2 'option --chain: the model JC69.ASC has .ASC' --tree "$of/tree.nwk" --alignment "$of/variable.fasta" --model JC+ASC --chain 5
    amino=(--tree "$of/tree.nwk" --alignment "$of/amino.fasta")
    expect 0 '' --quiet --device sim "${amino[@]}" --model 'LG4X+R4{0.1,0.1,0.4,0.5,0.3,1.5,0.2,2}' --site-likelihoods sites.tsv
    close "$(cat out)" -1476.9716 6e-5
    close "$(cat out)" "$(awk 'NR > 1 { sum += $2 } END { printf "%.10f", sum }' sites.tsv)" 1e-8
    expect 2 'option --model: LG4X.R4 has exchange rates for each class, and can only be evaluated' "${amino[@]}" --model LG4X --chain 5
    expect 2 "unknown model 'LG4M.G8': '.G8' is not what can follow LG4M.G4" "${amino[@]}" --model LG4M+G8
    expect 2 'option --classes: found 8, and 4 in the model' "${amino[@]}" --model LG4M --classes 8
    expect 2 'option --frequencies: the model LG4M.G4 has none; expected published' "${amino[@]}" --model LG4M --frequencies observed
    value --tree "$of/tree.nwk" --alignment "$of/codons.fasta" --model MG94+FQ
    local muse_gaut=$result
    value --tree "$of/tree.nwk" --alignment "$of/codons.fasta" --model GY94+FQ
    close "$result" "$muse_gaut" # codons' frequencies are all alike
    expect 2 'option --frequencies: the model MG94 has none; expected f3x4, f1x4 or equal' --tree "$of/tree.nwk" --alignment "$of/codons.fasta" --model MG94 --frequencies f61
    expect 2 'option --chain: the model TN93 has exchange rates that are equal' "${here[@]}" --model TN93 --chain 5
}

# Every model that --help names is known, and --help names every model of the manual.
case_models_in_help() {
    local help name count=0
    help=$("$program" likelihood --help | tr -s ' \n' ' ' | sed 's/.* --model=M //; s/ +G4: .*//')
    while read -r name; do
        "$program" likelihood --quiet "${here[@]}" --model "$name" >out 2>err
        ! grep -q 'unknown model' err || fail "--help names $name: $(cat err)"
        count=$((count + 1))
    done < <(sed 's/[a-z ]*: / /g; s/, or FILE.*layout//' <<<"$help" | grep -o '[A-Za-z0-9-]*')
    [ $count -ge 50 ] || fail "$count names in: $help"
    # shellcheck disable=SC2016 # Markdown's backquotes
    while read -r name; do
        grep -qw -- "$name" <<<"$help" || fail "--help lacks $name"
    done < <(sed -n '/^## Models/,/^## [^M]/p' "$root/docs/likelihood.md" | grep -o '`[A-Z][A-Za-z0-9]*`' | grep -o '[A-Z][A-Za-z0-9]*')
}

# Each published model of amino acids against what IQ-TREE made of it, and from a file.
case_empirical_models() {
    local model expected of=$root/tests/tools/likelihood/iqtree count=0
    local files=(--tree "$of/tree.nwk" --alignment "$of/amino.fasta" --alpha 0.7)
    while IFS=$'\t' read -r model expected; do
        value "${files[@]}" --model "$model+G4"
        close "$result" "$expected" 6e-5
        count=$((count + 1))
    done < <(grep -v '^#' "$of/amino.tsv")
    [ $count -eq 18 ] || fail "$count models"
    value "${files[@]}" --model lg+G4
    local lg=$result
    value "${files[@]}" --model "$root/peeling/model/data/LG.dat+G4"
    [ "$result" = "$lg" ] || fail "of the file $result, of LG $lg"
    cp "$root/peeling/model/data/LG.dat" mine.dat
    echo ' Ala Arg Asn: what PAML has at the end' >>mine.dat
    value "${files[@]}" --model mine.dat+G4
    [ "$result" = "$lg" ] || fail "of my file $result, of LG $lg"
    value "${files[@]}" --model LG+F+G4
    local f=$result
    value "${files[@]}" --model LG+G4 --frequencies observed
    [ "$result" = "$f" ] || fail "+F gives $f, and observed frequencies $result"
    head -n 9 mine.dat >short.dat
    expect 3 'short.dat:10: found .. after 28 numbers; expected 190 exchange rates and 20 frequencies' "${files[@]}" --model short.dat
    expect 3 'none.dat: ' "${files[@]}" --model none.dat+G4
}

# An interrupted chain leaves what it has sampled, in files that can be read.
case_chain_interrupted() {
    "$program" likelihood "${here[@]}" --model HKY85 --chain 1000000000 --trace tr --trace-every 10 --device cpu >out 2>err &
    local child=$! found size=0
    while [ "$size" -lt 20000 ]; do # both files are being written to
        kill -0 $child 2>err2 || fail "it ended by itself: $(cat err)"
        sleep 0.1
        size=$(stat -c %s tr/chain.log 2>err2 || echo 0)
    done
    kill -TERM $child
    wait $child
    found=$?
    [ $found -eq 143 ] || fail "exit code $found, expected 143: $(cat err)"
    [ ! -s out ] || fail "printed $(cat out)"
    grep -Eq 'note: tr has the first [0-9]+ of 1000000000 steps; --resume goes on$' err || fail "said $(cat err)"
    local samples
    samples=$(grep -c '^[0-9]' tr/chain.log)
    [ "$(grep -c '^tree STATE_' tr/chain.trees)" -eq "$samples" ] || fail "not as many trees as lines"
    [ "$(tail -n 1 tr/chain.trees)" = 'end;' ] || fail "the trees have no end"
    [ "$(ls -A tr)" = "$(printf 'chain.checkpoint\nchain.log\nchain.trees')" ] || fail "left $(ls -A tr)"
    value --tree tr/chain.trees --tree-number "$samples" --alignment a.fasta --model HKY85 --kappa "$(tail -n 1 tr/chain.log | cut -f 6)"
    close "$result" "$(tail -n 1 tr/chain.log | cut -f 3)" 1e-4
    expect 2 'tr/chain.trees: is a file that is read' --tree tr/chain.trees --tree-number 2 --alignment a.fasta --model HKY85 --chain 9 \
        --trace tr
}

# A disk that is full ends a chain when it is full, and not when the chain is done.
case_chain_disk_full() {
    (
        ulimit -f 64
        exec timeout 60 "$program" likelihood --quiet "${here[@]}" --model JC69 --chain 1000000000 --trace tr --trace-every 1 --device cpu
    ) >out 2>err
    local found=$?
    [ $found -eq 4 ] || fail "exit code $found, expected 4: $(cat err)"
    grep -Eq 'tr/chain\.(log|trees): cannot write' err || fail "said $(cat err)"
    [ "$(ls -A tr)" = "$(printf 'chain.checkpoint\nchain.log\nchain.trees')" ] || fail "left $(ls -A tr)"
}

# What summarises samples reads them: DendroPy, and MrBayes' sumt, which find the same tree.
case_chain_summarised() {
    local taxon ours theirs
    if ! /usr/bin/python3 -c 'import dendropy' 2>err || ! command -v mb >out; then exit 77; fi
    "$program" simulate-reads --taxa 8 --sites 400 --seed 1 --out data --quiet
    "$program" likelihood --tree data/tree.nwk --alignment data/reference.fasta --model HKY85 --device cpu --chain 20000 --trace tr \
        --quiet >out || fail 'the chain'
    ours=$(/usr/bin/python3 -c '
import dendropy
trees = dendropy.TreeList.get(path="tr/chain.trees", schema="nexus")
assert len(trees) == 201 and not trees[0].is_rooted, len(trees)
print(sum(not edge.is_leaf() for edge in trees[50:].consensus(min_freq=0.5).preorder_internal_edge_iter() if edge.tail_node))') ||
        fail 'DendroPy'
    cp tr/chain.trees tr/mb.t
    {
        printf '#NEXUS\nbegin data; dimensions ntax=8 nchar=4; format datatype=dna; matrix\n'
        grep '>' data/reference.fasta | tr -d '>' | while read -r taxon; do echo "$taxon ACGT"; done
        printf ';\nend;\nbegin mrbayes;\nset autoclose=yes nowarn=yes;\nsumt filename=tr/mb nruns=1 relburnin=no burnin=50 conformat=simple;\nend;\n'
    } >sumt.nex
    mb sumt.nex >said 2>&1 || fail "MrBayes: $(tail -n 5 said)"
    # MrBayes writes an unrooted tree with a root beside the first taxon: the brackets of that and of what is beside it are no branches.
    theirs=$(awk '/tree con_50_majrule/ { print gsub(/\(/, "(") - 2; exit }' tr/mb.con.tre)
    [ "$ours" = "$theirs" ] || fail "a consensus of $ours inner branches, and MrBayes' of $theirs"
}

# A chain that is killed ten times, at random moments, and ended by a signal twice: the bytes of one that nobody disturbed.
case_chain_resumed() {
    local chain=(likelihood --tree data/tree.nwk --alignment data/reference.fasta --model GTR+G4 --device cpu --chain 80000 --trace-every 80)
    local signal found i kills=0
    "$program" simulate-reads --taxa 12 --sites 300 --seed 1 --out data --quiet
    "$program" "${chain[@]}" --trace whole --quiet >whole.out || fail 'the whole chain'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        signal=KILL
        [ $((i % 6)) -ne 0 ] || signal=TERM
        timeout --foreground -s $signal "0.0$((RANDOM % 50 + 10))" "$program" "${chain[@]}" --trace parts --resume --checkpoint 0.0001 --quiet >out 2>err
        found=$?
        [ $found -ne 0 ] || break # done already
        [ $found -eq 137 ] || [ $found -eq 124 ] || fail "killed: exit code $found: $(cat err)"
        kills=$((kills + (found == 137)))
    done 2>said # the shell's own words on those that were killed
    [ $kills -eq 10 ] || fail "it was killed only $kills times"
    expect 0 '' "${chain[@]:1}" --trace parts --resume --quiet
    cmp whole/chain.log parts/chain.log || fail 'the logs differ'
    cmp whole/chain.trees parts/chain.trees || fail 'the trees differ'
    cmp whole.out out || fail 'the means differ'
    # Done: there is nothing left to do.
    "$program" "${chain[@]}" --trace parts --resume >out 2>err || fail "$(cat err)"
    grep -q 'note: the chain goes on after step 80000 of 80000$' err || fail "said $(cat err)"
    cmp whole.out out || fail 'the means differ after the end'

    # A finished chain is prolonged: what it has stays, and it does not matter in how many runs.
    cp -r whole longer
    cp -r whole stages
    expect 0 '' "${chain[@]:1}" --chain 90000 --trace longer --resume --quiet
    cmp -s whole.out out && fail 'the means of a longer chain are the same'
    mv out longer.out
    expect 0 '' "${chain[@]:1}" --chain 80001 --trace stages --resume --quiet
    expect 0 '' "${chain[@]:1}" --chain 90000 --trace stages --resume --quiet
    same_trace longer stages 'prolonged in two stages'
    cmp longer.out out || fail 'the means differ after two stages'
    cmp whole/chain.log <(head -n "$(wc -l <whole/chain.log)" longer/chain.log) || fail 'a prolonged chain has changed its log'
    [ "$(wc -l <longer/chain.log)" -eq $(($(wc -l <whole/chain.log) + 125)) ] || fail 'not 10,000 steps more'
    [ "$(grep -c '^end;' longer/chain.trees) $(grep -c '^tree' longer/chain.trees)" = '1 1126' ] || fail "$(tail -n 2 longer/chain.trees)"
    expect 2 'option --chain: found 79999; the chain in whole has 80000 steps, expected at least 80000' "${chain[@]:1}" --chain 79999 --trace whole --resume
    same_trace whole parts 'after a refusal'

    expect 2 'parts/chain.log: is there already; expected --overwrite, or --resume' "${chain[@]:1}" --trace parts
    expect 2 'options --resume, --overwrite: found both' "${chain[@]:1}" --trace parts --resume --overwrite
    expect 2 'option --resume: found without --trace' "${here[@]}" --model JC69 --chain 9 --resume
    expect 3 'parts/chain.checkpoint: is of a chain with other options' "${chain[@]:1}" --trace parts --resume --seed 3
    sed 's/:0\.1/:0.2/' data/tree.nwk >other.nwk
    expect 3 'parts/chain.checkpoint: is of a chain with other input files' "${chain[@]:1}" --tree other.nwk --trace parts --resume
    head -c 700 parts/chain.checkpoint >short
    cp short parts/chain.checkpoint
    expect 3 'parts/chain.checkpoint: ' "${chain[@]:1}" --trace parts --resume
    cmp whole/chain.log parts/chain.log || fail 'a refused chain has changed the log'
    expect 0 '' "${chain[@]:1}" --trace parts --overwrite --quiet
    cmp whole/chain.log parts/chain.log || fail 'the log differs after --overwrite'
    head -c 100 whole/chain.log >parts/chain.log
    expect 3 'parts/chain.log: is shorter than when the chain was saved' "${chain[@]:1}" --trace parts --resume
    # Another chain of the same seed.
    expect 0 '' "${chain[@]:1}" --trace second --chain-number 2 --quiet
    ! cmp -s whole/chain.log second/chain.log || fail 'two chains are one'
}

# same_trace A B: two folders' logs and trees.
same_trace() {
    cmp "$1/chain.log" "$2/chain.log" || fail "$3: the logs differ"
    cmp "$1/chain.trees" "$2/chain.trees" || fail "$3: the trees differ"
}

# What --resume goes on from is looked at before anything is changed.
case_chain_checkpoints() {
    local chain=(--tree data/tree.nwk --alignment data/reference.fasta --model HKY85+G4 --device cpu --chain 2000 --trace-every 20 --quiet)
    local size at byte limit said file
    "$program" simulate-reads --taxa 9 --sites 120 --seed 1 --out data --quiet
    expect 0 '' "${chain[@]}" --trace whole
    cp -r whole good
    unchanged() { same_trace good whole "$1"; }
    refused() { # REGEX [OPTION...]: by --resume
        local regex=$1
        shift
        expect 3 "$regex" "${chain[@]}" --trace whole --resume "$@"
        unchanged "$regex"
    }
    # Damaged anywhere, cut anywhere, of another version.
    size=$(stat -c %s good/chain.checkpoint)
    for ((at = 3; at < size; at += size / 15)); do
        byte=$(od -An -tu1 -j "$at" -N 1 good/chain.checkpoint)
        printf '%b' "$(printf '\\x%02x' $((byte ^ 1 << RANDOM % 8)))" | dd of=whole/chain.checkpoint bs=1 seek="$at" conv=notrunc status=none
        refused 'whole/chain.checkpoint: (is |ends |does not end |has )'
        head -c "$at" good/chain.checkpoint >whole/chain.checkpoint
        refused 'whole/chain.checkpoint: (is |ends |does not end )'
        cp good/chain.checkpoint whole
    done
    printf '\003' | dd of=whole/chain.checkpoint bs=1 seek=8 conv=notrunc status=none
    refused 'whole/chain.checkpoint: is a part file of another version'
    printf '\001' | dd of=whole/chain.checkpoint bs=1 seek=8 conv=notrunc status=none
    refused 'whole/chain.checkpoint: is a file of an older format, 1, .*expected format 2'
    "$program" distances data/reference.fasta --part 1/1 -o whole/chain.checkpoint --quiet
    refused "whole/chain.checkpoint: is a part of 'distances'; expected a chain's checkpoint"
    cp good/chain.checkpoint whole
    # Of other data, another model, another stage.
    sed '2s/./A/;2s/^A/C/' data/reference.fasta >other.fasta
    refused 'is of a chain with other input files' --alignment other.fasta
    refused 'is of a chain with other options, or of another version' --frequencies 0.25,0.25,0.2,0.3
    refused 'is of a chain that cpu_simd \(.*\) on 1 device computed, and this run uses serial_O3' --variant serial_O3
    # A trace that is not what it was: shorter, changed, of another chain; and one of the two files is as it was.
    expect 0 '' "${chain[@]}" --trace another --seed 5
    for file in log trees; do
        cp another/chain.$file whole
        expect 3 "whole/chain.$file: (has another beginning|is shorter) than when the chain was saved" "${chain[@]}" --trace whole --resume
        cmp another/chain.$file whole/chain.$file || fail "a refused $file was changed"
        head -c 300 good/chain.$file >whole/chain.$file
        expect 3 "whole/chain.$file: is shorter than when the chain was saved; expected at least [0-9]+" "${chain[@]}" --trace whole --resume
        [ "$(stat -c %s whole/chain.$file)" -eq 300 ] || fail "a refused $file was changed"
        cp good/chain.$file whole
    done
    printf 'more\n' >>whole/chain.log
    head -c 300 good/chain.trees >whole/chain.trees
    expect 3 'whole/chain.trees: is shorter' "${chain[@]}" --trace whole --resume
    tail -n 1 whole/chain.log | grep -q more || fail 'a log was cut though the trees were refused'
    cp good/* whole
    # Files without their checkpoint are nobody's to replace.
    rm whole/chain.checkpoint
    expect 2 'whole/chain.log: is there already; expected --overwrite' "${chain[@]}" --trace whole --resume
    unchanged 'without a checkpoint'
    : >whole/chain.log
    expect 2 'whole/chain.trees: is there already; expected --overwrite' "${chain[@]}" --trace whole --resume
    : >whole/chain.trees # ended before its first checkpoint
    expect 0 '' "${chain[@]}" --trace whole --resume
    unchanged 'from empty files'
    # A model in a file counts with its numbers.
    awk 'BEGIN { for (i = 1; i < 20; i++) { for (j = 0; j < i; j++) printf "%g ", 1 + (i * j) % 7; print "" } for (i = 0; i < 20; i++) printf "0.05 "; print "" }' >mine.dat
    local amino=(--tree t.nwk --alignment protein.fasta --model mine.dat --device cpu --chain 200 --trace amino --quiet)
    printf '>a\nARNDARNDCQ\n>b\nARNDWRNDCQ\n>c\nARNEARNDCQ\n>d\nARNDARKDCQ\n>e\nARNDARNDCQ\n' >protein.fasta
    expect 0 '' "${amino[@]}"
    expect 0 '' "${amino[@]}" --resume
    sed -i '3s/^1 /9 /' mine.dat
    expect 3 'amino/chain.checkpoint: is of a chain with other options' "${amino[@]}" --resume
    # The disk is full, at different moments; then it is not.
    for limit in 0 1 3 8 30; do
        said=$( (ulimit -f $limit && exec "$program" likelihood "${chain[@]}" --trace full --resume --checkpoint 0.0005) 2>&1 >out) &&
            fail "a full disk went unseen: $limit"
        [[ $said =~ full/chain\.(log|trees|checkpoint):\ cannot\ (write|create|be\ brought) ]] || fail "a full disk: $said"
    done
    expect 0 '' "${chain[@]}" --trace full --resume
    same_trace good full 'after a full disk'
}

# One chain at a time writes to a trace; and a disk that does not take it is noticed.
case_chain_alone() {
    local chain=(--tree t.nwk --alignment a.fasta --model HKY85 --device cpu --trace tr)
    "$program" likelihood "${chain[@]}" --chain 1000000000 2>err &
    local child=$!
    while [ ! -s tr/chain.log ]; do
        kill -0 $child 2>err2 || fail "it ended by itself: $(cat err)"
        sleep 0.05
    done
    expect 2 'tr/chain.log: another process writes to it; expected a folder for each chain' "${chain[@]}" --chain 1000000000 --resume
    expect 2 'tr/chain.log: another process writes to it' "${chain[@]}" --chain 50 --overwrite
    kill -9 $child
    wait $child 2>err2
    [ -e tr/chain.checkpoint ] || fail 'the other processes have removed its checkpoint'
    expect 0 '' "${chain[@]}" --chain 50 --overwrite --quiet
    # fsync fails from the third time on.
    cat >fsync.c <<'END'
#include <errno.h>
int fsync(int file) {
    static int calls;
    (void)file;
    if (++calls < 3) return 0;
    errno = EIO;
    return -1;
}
END
    gcc -shared -fPIC fsync.c -o fsync.so || fail 'no library'
    LD_PRELOAD=$PWD/fsync.so "$program" likelihood "${chain[@]}" --chain 500 --overwrite --quiet >out 2>err
    [ $? -eq 4 ] || fail "a disk that fails went unseen: $(cat err)"
    grep -Eq '^warpladder likelihood: tr/chain.(log|trees|checkpoint): cannot .*: Input/output error$' err || fail "said $(cat err)"
    expect 0 '' "${chain[@]}" --chain 500 --resume --quiet
    expect 0 '' "${chain[@]}" --chain 500 --trace undisturbed --quiet
    same_trace undisturbed tr 'after a disk that failed'
}

# What the first tips of a node take off the other tips' state, single precision does not hold; and says so.
case_contradictions() {
    awk 'BEGIN { printf "("; for (i = 0; i < 209; i++) printf "%st%d:1e-5", i ? "," : "", i; print ");" }' >star.nwk
    awk 'BEGIN { for (i = 0; i < 209; i++) printf ">t%d\nG%s\n", i, i < 9 ? "A" : "C" }' >star.fasta
    local here=(--tree star.nwk --alignment star.fasta --model JC69 --device cpu)
    expect 0 '' --quiet "${here[@]}"
    close "$(cat out)" "$(awk 'BEGIN { t = 1e-5; q = t / 3; p = 1 - t; e = log(1 / 4) + 209 * log(p)
        printf "%.9f", e + log(1 / 4) + 200 * log(p) + 9 * log(q) }')" 1e-4
    expect 0 'JC69, 209 taxa' "${here[@]}" # without a note
    "$program" likelihood "${here[@]}" --precision single >out 2>err || fail "$(cat err)"
    grep -q 'note: star.nwk: in 1 pattern, the first of them column 2, so many tips at one node .* single precision may' err ||
        fail "said $(cat err)"
    # A few that differ, among however many, are held.
    sed '/^>t[0-5]$/{n;s/A/C/}' star.fasta >few.fasta
    expect 0 'JC69, 209 taxa' --tree star.nwk --alignment few.fasta --model JC69 --device cpu --precision single
}

# Models that are special cases of others, and options that say the same.
case_models() {
    value "${here[@]}" --model HKY85+G4 --kappa 2.5 --frequencies 0.1,0.2,0.3,0.4
    local hky=$result
    value "${here[@]}" --model gtr+g --alpha 0.5 --rates '2 5 2 2 5 2' --frequencies '0.1 0.2 0.3 0.4'
    close "$result" "$hky"
    value "${here[@]}" --model HKY85 --classes 4 --kappa 2.5 --frequencies 0.1,0.2,0.3,0.4
    close "$result" "$hky"
    value "${here[@]}" --model K80 --kappa 1
    local jc=$result
    value "${here[@]}" --model JC69
    close "$result" "$jc"
    value "${here[@]}" --model JC69+G8 --alpha 1e6
    close "$result" "$jc" 1e-4
    value "${here[@]}" --model JC69+G4
    local mean=$result
    value "${here[@]}" --model JC69+G4 --median
    [ "$result" != "$mean" ] || fail "--median changes nothing"
    value "${here[@]}" --model M0+G4 --frequencies equal --kappa 2 --omega 0.5
    local codons=$result
    value "${here[@]}" --model GY94+G4 --frequencies equal
    close "$result" "$codons"
    value "${here[@]}" --model GY94+G4 --frequencies equal --code vertebrate-mitochondrial
    [ "$result" != "$codons" ] || fail "--code changes nothing"
    value "${here[@]}" --model GY94 --frequencies f1x4
    close "$result" "$(awk 'BEGIN { print 0 }')" 1000
    printf '>a\nMK-X\n>b\nMRLB\n' >p.fasta
    printf '(a:0.2,b:0.1);' >p.nwk
    value --tree p.nwk --alignment p.fasta --model WAG+G4
    value --tree p.nwk --alignment p.fasta --model POISSON
    value "${here[@]}" "${gtr[@]}" --precision single
    local single=$result
    value "${here[@]}" "${gtr[@]}"
    close "$result" "$single" 1e-4
}

case_stop_codons() {
    sed '/^[AT]/s/$/TAA/' a.fasta >whole.fasta
    value "${here[@]}" --model GY94 --frequencies equal
    local first=$result
    "$program" likelihood --tree t.nwk --alignment whole.fasta --model GY94 --frequencies equal --device cpu >out 2>err || fail "$(cat err)"
    close "$(cat out)" "$first"
    grep -q 'whole.fasta: the last codon is a stop codon, and is left out' err || fail "$(cat err)"
    sed '/^>c/{n;s/^ATG/TGA/}' a.fasta >stop.fasta
    expect 3 "stop.fasta:5: row 'c': found the stop codon TGA as codon 1, nucleotides 1 to 3" --tree t.nwk --alignment stop.fasta \
        --model GY94
    expect 0 'GY94, 5 taxa, 6 codon columns' --tree t.nwk --alignment stop.fasta --model GY94 --frequencies equal \
        --code vertebrate-mitochondrial --device cpu
    sed '/^[AT]/s/$/A/' a.fasta >long.fasta
    expect 3 'long.fasta: found 19 columns; expected a multiple of three' --tree t.nwk --alignment long.fasta --model GY94
}

case_refuses_files() {
    local jc=(--model JC69)
    echo '(a:1,b:1,(c:1,d:1):1);' >few.nwk
    expect 3 "a.fasta:9: found 1 row that the tree in few.nwk lacks, the first 'e'" --tree few.nwk --alignment a.fasta "${jc[@]}"
    echo '(a:1,b:1,(c:1,d:1):1,(e:1,f:1):1);' >many.nwk
    expect 3 "many.nwk:1: found 1 tip of the tree that a.fasta lacks, the first 'f'" --tree many.nwk --alignment a.fasta "${jc[@]}"
    echo '(a:1,b:1,(c:1,d:1):1,(e:1,a:1):1);' >twice.nwk
    expect 3 "twice.nwk:1: found the tip 'a' again" --tree twice.nwk --alignment a.fasta "${jc[@]}"
    echo 'a:1;' >one.nwk
    expect 3 'one.nwk:1: found a tree of 1 tip; expected at least 2' --tree one.nwk --alignment a.fasta "${jc[@]}"
    sed 's/0.3/-0.3/' t.nwk >negative.nwk
    expect 3 "negative.nwk:1: found the branch length -0.3 at 'c'; expected a number from 0 on" --tree negative.nwk \
        --alignment a.fasta "${jc[@]}"
    sed 's/:0.3//' t.nwk >missing.nwk
    expect 3 "missing.nwk:1: found no branch length at 'c'" --tree missing.nwk --alignment a.fasta "${jc[@]}"
    sed '2s/C/J/' a.fasta >letter.fasta
    expect 3 "letter.fasta:1: row 'a': found 'J' as letter 5; expected a nucleotide" --tree t.nwk --alignment letter.fasta "${jc[@]}"
    sed 's/[GR]/A/g' a.fasta >three.fasta
    expect 3 'three.fasta: nucleotide G is not in the alignment' --tree t.nwk --alignment three.fasta --model GTR
    sed 's/ACT$/AC/' a.fasta >short.fasta
    expect 3 'short.fasta:9: ' --tree t.nwk --alignment short.fasta "${jc[@]}"
}

# A tree and an alignment that spell names differently: the line says who is near.
case_near_names() {
    local jc=(--model JC69)
    sed 's/^>c/>C/' a.fasta >upper.fasta
    expect 3 "t.nwk:1: found 1 tip of the tree that upper.fasta lacks, the first 'c'; expected a row for every tip \(it has 'C'\)$" --tree t.nwk \
        --alignment upper.fasta "${jc[@]}"
    sed "s/c:/'c elegans':/" t.nwk >blank.nwk
    sed 's/^>c/>c elegans/' a.fasta >blank.fasta
    expect 3 "blank.nwk:1: found 1 tip .* the first 'c elegans'; expected a row for every tip \(it has 'c'\)$" --tree blank.nwk --alignment blank.fasta \
        "${jc[@]}"
    sed 's/c:/cc:/' t.nwk >other.nwk
    expect 3 "other.nwk:1: found 1 tip of the tree that a.fasta lacks, the first 'cc'; expected a row for every tip, or --prune to leave such tips out$" --tree other.nwk --alignment a.fasta \
        "${jc[@]}"
}

# Columns, rows and whole alignments of nothing but missing data, and no column at all.
case_missing_data() {
    value "${here[@]}" "${gtr[@]}"
    local first=$result
    sed '/^>/!s/^/-N?/' a.fasta >columns.fasta
    value --tree t.nwk --alignment columns.fasta "${gtr[@]}"
    close "$result" "$first"
    sed '/^>/!s/[A-Z]/-/g' a.fasta >gaps.fasta
    value --tree t.nwk --alignment gaps.fasta "${gtr[@]}"
    close "$result" 0
    sed '/^>/!s/.*/TAA/' a.fasta >stop.fasta
    "$program" likelihood --tree t.nwk --alignment stop.fasta --model GY94 --frequencies equal --device cpu >out 2>err || fail "$(cat err)"
    close "$(cat out)" 0
    grep -q 'note: stop.fasta: the last codon is a stop codon, and is left out' err || fail "$(cat err)"
    ! grep -q 'no letter' err || fail "$(cat err)"
    sed '/^>/!d' a.fasta >none.fasta
    expect 3 "none.fasta:1: sequence 'a' has no letters" --tree t.nwk --alignment none.fasta --model JC69
    : >empty.fasta
    expect 3 'empty.fasta: the file is empty' --tree t.nwk --alignment empty.fasta --model JC69
    printf '>a\nMKVU\n>b\nMKVO\n>c\nMKVX\n>d\nMKV-\n>e\nMKV?\n' >amino.fasta
    value --tree t.nwk --alignment amino.fasta --model WAG
    first=$result
    sed '/^>/!s/.$//' amino.fasta >three.fasta
    value --tree t.nwk --alignment three.fasta --model WAG
    close "$result" "$first"
    sed '2s/U/*/' amino.fasta >stop.fasta
    expect 3 "stop.fasta:1: row 'a': found '\*' as letter 4; expected an amino acid" --tree t.nwk --alignment stop.fasta --model WAG
}

case_refuses_options() {
    expect 2 'option --tree: not given' --alignment a.fasta --model JC69
    expect 2 'option --model: not given' "${here[@]}"
    expect 2 "option --model: unknown model 'LGX'" "${here[@]}" --model LGX
    expect 2 "option --model: unknown model 'GTR\+X'" "${here[@]}" --model GTR+X
    expect 2 'option --kappa: the model GTR has none' "${here[@]}" --model GTR --kappa 2
    expect 2 'option --omega: the model HKY85 has none' "${here[@]}" --model HKY85 --omega 2
    expect 2 'option --alpha: the model GTR has none; expected it with \+G' "${here[@]}" --model GTR --alpha 2
    expect 2 'option --median: the model GTR has none' "${here[@]}" --model GTR --median
    expect 2 'option --rates: the model HKY85 has none' "${here[@]}" --model HKY85 --rates 1,1,1,1,1,1
    expect 2 'option --rates: found 5 numbers; expected 6' "${here[@]}" --model GTR --rates 1,1,1,1,1
    expect 2 "option --rates: found nothing after the last ','; expected a number" "${here[@]}" --model GTR --rates 1,1,1,1,1,1,
    expect 2 'option --model: nucleotide A can never become nucleotide C' "${here[@]}" --model GTR --rates 0,0,0,0,0,0
    expect 2 'option --model: codon AAA can never become codon AAC' "${here[@]}" --model GY94 --omega 0
    expect 2 'option --kappa: the chain starts with kappa 0; expected 0.001 to 1000' "${here[@]}" --model K80 --kappa 0 --chain 9 \
        --device cpu
    expect 2 'option --rates: the chain starts with rAC 9.99995e-07; expected 1e-06 to 1' "${here[@]}" --model GTR --rates 1,1e6,1,1,1,1 --chain 9 --device cpu
    expect 2 'option --trace-every: found without --trace; expected both' "${here[@]}" --model GTR --chain 9 --trace-every 5
    expect 2 "option --rates: found '-1" "${here[@]}" --model GTR --rates 1,1,-1,1,1,1
    expect 2 "option --rates: found 'x" "${here[@]}" --model GTR --rates 1,1,1,1,1,1x
    expect 2 "option --kappa: found '-1'" "${here[@]}" --model K80 --kappa -1
    expect 2 "option --alpha: found 'nan'" "${here[@]}" --model JC69+G --alpha nan
    expect 2 'option --frequencies: found 3 numbers; expected 4' "${here[@]}" --model GTR --frequencies 1,1,1
    expect 2 'option --frequencies: the model JC69 has none; expected equal' "${here[@]}" --model JC69 --frequencies observed
    expect 2 'option --frequencies: the model GTR has none; expected f1x4' "${here[@]}" --model GTR --frequencies f3x4
    expect 2 "option --frequencies: found '-1,2,1,1'; expected a number from 0 on" "${here[@]}" --model GTR --frequencies -1,2,1,1
    expect 2 "option --frequencies: found 'x'" "${here[@]}" --model GTR --frequencies x
    expect 2 'frequency of nucleotide C' "${here[@]}" --model GTR --frequencies 0.3,0,0.3,0.4
    expect 2 'option --frequencies: found frequencies that sum to 1.3; expected 1' "${here[@]}" --model GTR --frequencies 0.4,0.3,0.3,0.3
    expect 2 'option --classes: found 8, and 4 in the model' "${here[@]}" --model GTR+G4 --classes 8
    expect 2 'option --code: the model GTR has none' "${here[@]}" --model GTR --code standard
    expect 2 "option --code: found 'yeast'" "${here[@]}" --model GY94 --code yeast
    expect 2 "option --precision: found 'half'" "${here[@]}" --model GTR --precision half
    expect 2 "option --input-format: found 'msf'" "${here[@]}" --model GTR --input-format msf
    expect 2 "option --input-format: found 'msf'" "${here[@]}" --model GTR --format msf # the former name
    expect 2 'option --tree-number: 0 is out of range' "${here[@]}" --model GTR --tree-number 0
    expect 2 "option --variant: 'nope' is no stage of peeling for the backend cpu" "${here[@]}" --model GTR --variant nope --device cpu
}

# OpenMP says how many threads there are: as many as asked for simulate, and no other part of the program has more.
case_threads_simulate() {
    local threads most
    for threads in 1 3; do
        OMP_DISPLAY_AFFINITY=TRUE OMP_AFFINITY_FORMAT='thread %n of %N' "$program" likelihood --quiet "${here[@]}" --model GY94+G4 --frequencies equal \
            --device sim --variant 01_naive --threads $threads >out 2>err || fail "--threads $threads: $(cat err)"
        most=$( (echo 1; sed -n 's/^thread [0-9]* of //p' err) | sort -n | tail -n 1)
        [ "$most" -eq $threads ] || fail "--threads $threads: found $most: $(cat err)"
    done
}

# The stages of the ladder on the simulated device, and the serial code, print what the CPU's best prints.
case_devices() {
    value "${here[@]}" "${gtr[@]}"
    local first=$result variant
    value "${here[@]}" "${gtr[@]}" --variant serial_O3
    close "$result" "$first"
    value "${here[@]}" "${gtr[@]}" --threads 1
    close "$result" "$first"
    expect 0 '' --quiet "${here[@]}" "${gtr[@]}" --device sim
    close "$(cat out)" "$first"
    expect 0 '' --quiet "${here[@]}" "${gtr[@]}" --device sim --precision single
    close "$(cat out)" "$first" 1e-4
    # What is taken for so few patterns, and the others by their names.
    expect 0 'on simulated device \(06_levels\)' "${here[@]}" "${gtr[@]}" --device sim
    expect 0 'on simulated device \(08_fused\)' "${here[@]}" "${gtr[@]}" --device sim --variant 08_fused
    close "$(cat out)" "$first"
    value "${here[@]}" --model GY94+G2 --frequencies equal
    for variant in 06_levels 09_resident 10_streamed; do
        expect 0 "on simulated device \\($variant\\)" "${here[@]}" --model GY94+G2 --frequencies equal --device sim --variant $variant
        close "$(cat out)" "$result"
    done
    expect 0 'on simulated device \(12_warpgroups\)' "${here[@]}" --model GY94+G2 --frequencies equal --device sim --variant 12_warpgroups --precision single
    close "$(cat out)" "$result" 1e-4
}

"case_$name"
