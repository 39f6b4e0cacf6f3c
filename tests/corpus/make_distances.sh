#!/bin/sh
# Writes tests/corpus/{distances,plink,bed,vcf,variants}: inputs of distances_read that fuzzing begins with, and that are read with memory
# running out. What reading each must give is in tests/test_distances_read.c, by cases of its own.
set -eu
cd "$(dirname "$0")"
mkdir -p distances plink bed vcf variants

p() { # p FILE FORMAT: printf into FILE
    file=$1
    shift
    # shellcheck disable=SC2059
    printf "$@" >"$file"
}
printf '>x one\nACGTUNacgtun-\n>y\nAC-RYKMSWBDHV\n' >distances/nucleotides.fa
printf '>x\nMKVLWX*-\n>y\nmkveB?.K\n' >distances/residues.fa
printf '>x\nACGT\n>y\nACG\n' >distances/unequal.fa
printf '>x\nACGT\n>x\nACGT\n' >distances/twice.fa
printf '>x\nACGTACGTACGTACGTACGT\n>y\nACGTACGTACGTACGTACGE\n' >distances/no_base.fa
printf '2 6\nx ACGT-N\ny acgu?R\n' >distances/relaxed.phy
printf ' 2 6 I\nx         ACG\ny         AC-\n\nTTT\nTT-\n' >distances/strict.phy
printf '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat datatype=protein gap=-;\nmatrix\nx MK-E\ny MKVE\n;\nend;\n' >distances/protein.nex
printf 'id\ta\tb\tc\nx\t0\tNA\t2\ny\t\t.\tnan\nz\t3\t127\t5\n' >distances/integers.tsv
printf '0\t1\t7\n7\t?\t0\n3\t3\t3\n' >distances/unary.tsv
printf 'x\t0\t1\ny\t7\t1.5\nz\t-1e3\tNA\n' >distances/reals.tsv
printf 'x\t0\t1\ny\t128\t-9\n' >distances/large.tsv
fam='f1 s1 0 0 0 -9\nf1 s2 0 0 1 2\nf2 s1 0 0 0 -9\nf2\ts4 s1 s2 0 1.5\nf3 s5 0 0 0 -9\n'
bim='1\trs1\t0\t100\tA\tG\nX\trs2\t0\t200\tAC\tA\n2 rs3 5 T C\n'
bed='\154\033\001\033\001\344\002\377\003'
# The target `plink` takes the three files as one, with zero bytes between them.
p plink/families "$fam\\000$bim\\000$bed"
p plink/one "f s 0 0 0 1\\n\\000$bim\\000\\154\\033\\001\\001\\002\\003"
p plink/twice "$fam$fam\\000$bim\\000$bed"
p plink/by_sample "$fam\\000$bim\\000\\154\\033\\000123456"
p plink/five_fields "f s 0 0 0\\n\\000$bim\\000$bed"
p plink/no_variant "$fam\\000\\000$bed"
p bed/p.fam "$fam"
p bed/p.bim "$bim"
p bed/p.bed "$bed"
# The target `variants` takes records of three samples.
r='1\t5\t.\tA\tG\t.\t.\t.\tGT'
p variants/plain "$r\t0/0\t0|1\t1/1\n$r\t1/1\t1/0\t0/0\n$r\t0/1\t0/1\t0/0\n"
p variants/missing "$r\t./.\t0|1\t./1\n$r\t.\t.\t.\n1\t6\t.\tA\tG\t.\t.\t.\tDP:GT\t1:0/1\t.:./.\t3:1/1\n"
p variants/several '1\t5\t.\tA\tG,T,*\t.\t.\t.\tGT\t0/3\t1|2\t3/3\n1\t5\t.\tA\t<DEL>\t.\t.\t.\tGT\t0/1\t0/0\t0/0\n'
p variants/haploid '1\t5\t.\tA\tG,*\t.\t.\t.\tGT\t0\t1\t2\n1\t6\t.\tN\tC\t.\t.\t.\tGT\t.\t1\t0\n'
p variants/both "1\t5\t.\tA\tG,C\t.\t.\t.\tGT\t0\t1\t2\n1\t6\t.\tA\tC\t.\t.\t.\tGT\t.\t./.\t.\n$r\t0/0\t0|1\t1/1\n1\t7\t.\tA\tG\t.\t.\t.\tGT\t0\t1\t0\n"
p variants/mixed '1\t5\t.\tA\tG\t.\t.\t.\tGT:DP\t0:1\t1/1:2\t0/0/1:3\n'
{
    printf '##fileformat=VCFv4.2\n##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">\n##contig=<ID=1>\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tx\ty\n'
    printf '1\t5\t.\tA\tG\t.\t.\t.\tGT\t0/0\t0|1\n1\t6\t.\tA\tG,T\t.\t.\t.\tGT\t0/0\t0|1\n'
    printf '2\t6\t.\tA\tAG\t.\tlow\tDP=3\tDP:GT\t2:./.\t.:1/1\n'
} >vcf/small.vcf
