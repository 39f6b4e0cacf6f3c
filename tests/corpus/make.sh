#!/bin/sh
# Write the corpus: good and broken input files, a few hundred bytes each. They are committed; this says how they were
# made. What reading each must give is in expected.tsv. Needs gzip, bzip2, bgzip (tabix) and dd.
#
#   tests/corpus/make.sh
set -eu
cd "$(dirname "$0")"

p() { # p FILE FORMAT: printf into FILE
    file=$1
    shift
    # shellcheck disable=SC2059
    printf "$@" >"$file"
}
cut_to() { # cut_to FILE BYTES NEW
    dd if="$1" of="$3" bs=1 count="$2" status=none
}
size() { wc -c <"$1"; }

# --- sequences: good ---
cd sequences
p good.fasta '>a first\nACGT\nACGT\n>b\nACGTACGA\n>c third one\nacgtacgn\n'
p good.fastq '@r1 one\nACGT\n+\nIIII\n@r2\nACGA\n+r2\n@>+I\n'
p crlf.fasta '>a\r\nACGT\r\n>b\r\nAC-T\r\n'
p crlf.fastq '@r\r\nA\r\n+\r\nI\r\n'
p no_last_newline.fasta '>a\nACGT\n>b\nACGA'
p no_last_newline.fastq '@r\nACGT\n+\nIIII'
p bom.fasta '\357\273\277>a\nACGT\n>b\nACCT\n'
p blank_lines.fasta '\n\n>a\n\nAC\n\nGT\n\n>b\nACGA\n\n'
p blanks_inside.fasta '>a\n  AC GT\t\n>b\nACGA  \n'
p multiline.fastq '\n@r1\nAC\nGT\n+\nI\n@II\n\n@r2\nACGA\n+\nIIII\n'
p protein.fasta '>p1\nMKVLAW*\n>p2\nMKILA-X\n'
p rna.fasta '>dna\nACGTTT\n>rna\nACGUUU\n'
p symbols.fasta '>a\nAC-.?N\n>b\nACGTRY\n'
p odd_names.fasta '>caf\303\251|1/2;x=%%s%%n\tone two\nACGT\n>>nested\nACGT\n>a\nACGT\n>a\nACGT\n>joined one\001two\nACGT\n'
p one.fasta '>only\nA\n'
gzip -nc good.fasta >good.fasta.gz
cp good.fasta.gz gzip_without_suffix
cp good.fasta plain_named.gz
bgzip -c good.fasta >bgzip.fasta.gz
{ p part1 '>a\nAC'; gzip -nc part1; p part2 'GT\n>b\nACGA\n'; gzip -nc part2; } >members.fasta.gz
rm part1 part2

# --- sequences: broken ---
p empty.fasta ''
gzip -nc empty.fasta >empty.fasta.gz
bgzip -c empty.fasta >empty_bgzip.fasta.gz
p blank_only.fasta '\n \t\r\n\n'
p bom_only.fasta '\357\273\277'
p text_first.fasta 'hello\n>a\nACGT\n'
p header_indented.fasta ' >a\nACGT\n'
p no_name.fasta '>a\nACGT\n>\nACGT\n'
p blank_name.fasta '> a\nACGT\n'
p no_name_at_end.fasta '>a\nACGT\n>'
p no_letters.fasta '>a\n>b\nACGT\n'
p no_letters_at_end.fasta '>a\nACGT\n>b'
p no_letters_last.fasta '>a\nACGT\n>b\n'
p no_letters_blank.fasta '>a\n \n\n>b\nACGT\n'
p digit.fasta '>a\nACGT\n>b\nAC7T\n'
p header_in_line.fasta '>a\nACGT>b\nACGT\n'
p nul.fasta '>a\nAC\000T\n'
p nul_in_name.fasta '>a\000b\nACGT\n'
p escape_in_name.fasta '>a\033[31mb\nACGT\n'
p escape_in_letters.fasta '>a\nAC\033[2JGT\n'
p high_byte.fasta '>a\nAC\377T\n'
p old_macintosh.fasta '>a\rACGT\r'
p carriage_return.fasta '>a\nAC\rGT\n'
p comment_line.fasta ';made by hand\n>a\nACGT\n'
p fastq_inside.fasta '>a\nACGT\n@b\nACGT\n+\nIIII\n'
p fasta_inside.fastq '@a\nACGT\n+\nIIII\n>b\nACGT\n'
p plus_in.fasta '>a\nACGT\n+\nIIII\n'
p short_quality.fastq '@r1\nACGT\n+\nIII\n@r2\nACGT\n+\nIIII\n'
p long_quality.fastq '@r1\nACGT\n+\nIIIII\n'
p quality_missing.fastq '@r1\nACGT\n+\n'
p plus_missing.fastq '@r1\nACGT\n'
p no_letters.fastq '@r1\n\n+\n\n'
p blank_in_quality.fastq '@r1\nACGT\n+\nI I\n'
p unequal.fasta '>a\nACGT\n>b\nACGTA\n>c\nACGT\n'
p unknown_nucleotide.fasta '>a\nACGTACGTACGT\n>b\nACGTACGTACET\n'
p utf16.fasta '\377\376>\000a\000\n\000A\000\n\000'
cut_to good.fasta.gz 40 truncated.fasta.gz
cut_to good.fasta.gz 5 truncated_header.fasta.gz
cut_to good.fasta.gz $(($(size good.fasta.gz) - 3)) truncated_checksum.fasta.gz
cut_to bgzip.fasta.gz $(($(size bgzip.fasta.gz) - 28)) bgzip_without_end.fasta.gz
cut_to members.fasta.gz 26 members_cut.fasta.gz
{ cat good.fasta.gz; printf 'garbage'; } >trailing.fasta.gz
{ cat good.fasta.gz; printf '\037'; } >trailing_byte.fasta.gz
{ cut_to good.fasta.gz $(($(size good.fasta.gz) - 8)) part; cat part; printf '\001\002\003\004'; tail -c 4 good.fasta.gz; } >wrong_checksum.fasta.gz
{ cut_to good.fasta.gz 30 part; cat part; printf '\377\377\377\377'; } >damaged.fasta.gz
rm part
gzip -nc good.fasta.gz >packed_twice.fasta.gz
bzip2 -c good.fasta >bzip2.fasta.gz
p zip.fasta 'PK\003\004 and so on'
{ printf 'BAM\001\000\000'; printf '>a\nACGT\n'; } | bgzip -c >bam.fasta.gz
cd ..

# --- tables: good ---
cd table
p good.tsv '0\t1\t2\n2\t1\t0\n'
p header.tsv 'id\tsnp1\tsnp2\ns1\t0\t1\ns2\t2\t2\n'
p header_without_corner.tsv 'snp1\tsnp2\ns1\t0\t1\ns2\t2\t2\n'
p header_empty_corner.tsv '\tsnp1\tsnp2\ns1\t0\t1\n'
p header_no_names.tsv 'snp1\tsnp2\n0\t1\n'
p names.tsv 's1\t0\t1\ns2\t2\t0\n'
p crlf.tsv 'id\ta\r\ns1\t0\r\ns2\t1\r\n\r\n'
p bom.tsv '\357\273\2770\t1\n1\t2\n'
p no_last_newline.tsv '0\t1\n2\t2'
p blank_end.tsv '0\t1\n2\t2\n\n\t\n  \n'
p one.tsv '2'
p one_column.tsv 'x\n0\n1\n'
p zeros.tsv '00\t01\n002\t0\n'
p like_bzip2.tsv 'BZh1\tBZh2\n0\t1\n'
gzip -nc good.tsv >good.tsv.gz

# --- tables: broken ---
p empty.tsv ''
p blank.tsv '\n\n'
p header_only.tsv 'a\tb\n'
p blank_first.tsv '\n0\t1\n'
p blank_inside.tsv '0\t1\n\n1\t1\n'
p wide_row.tsv '0\t1\n0\t1\t2\n'
p narrow_row.tsv '0\t1\n0\n'
p trailing_tab.tsv '0\t1\t\n'
p too_large.tsv '0\t1\n0\t3\n'
p huge_number.tsv '0\t99999999999999999999999999\n'
p negative.tsv '0\t-1\n'
p fraction.tsv '0\t1.5\n'
p missing_first.tsv '0\tNA\t1\n1\t1\t1\n'
p missing_all.tsv 'NA\tNA\nNA\tNA\n'
p missing_later.tsv '0\t1\n.\t1\n'
p word.tsv '0\t1\n0\tx\n'
p header_mixed.tsv 'id\tsnp1\t2\ns1\t0\t1\n'
p header_number_first.tsv '0\tsnp1\n0\t1\n'
p header_narrow.tsv 'id\ta\tb\ns1\t0\n'
p name_missing.tsv 's1\t0\n1\t0\n'
p name_only.tsv 's1\ns2\n'
p commas.tsv '0,1,2\n1,1,1\n'
p blanks.tsv '0 1 2\n1 1 1\n'
p padded.tsv ' 0\t 1\n 1\t 1\n'
p quoted.tsv '"0"\t"1"\n'
p escape.tsv 's\033[31m1\t0\n'
p nul.tsv '0\t\0001\n'
p old_macintosh.tsv '0\t1\r1\t1\r'
head -c 25 good.tsv.gz >truncated.tsv.gz
cd ..

# --- databases: good ---
# tiny.wdb and tiny_nucleotide.wdb are what the first program of version 1 made of tiny.fasta and tiny_nucleotide.fasta
# ('warpladder makedb', with --nucleotide). They stay as they are: tests/test_sw_database.c.
cd wdb
p tiny.fasta '>first comment\nARN\n>w\nw\n>third\nMKV\nL*\n>x \nBZX\n'
gzip -nc tiny.fasta >fasta_named.wdb
p tiny_nucleotide.fasta '>n\nACGTURYSWK\nMBDHVN\n>n\nacgu\n'

# --- databases: broken ---
p empty.wdb ''
cut_to tiny.wdb 3 truncated_mark.wdb
cut_to tiny.wdb 100 truncated_header.wdb
cut_to tiny.wdb 5000 truncated.wdb
cut_to tiny.wdb 4095 part
sed 's/\r$//' part >transferred_as_text.wdb # by a program that turns Windows line ends into Unix's
{ printf '\011'; tail -c +2 part; } >seven_bits.wdb
{ head -c 8 tiny.wdb; printf '\002'; tail -c +10 part; printf 'x'; } >newer.wdb
{ cut_to tiny.wdb 70 part; cat part; printf '\377'; tail -c +72 tiny.wdb | head -c 4025; } >damaged_header.wdb
rm part
gzip -nc tiny.wdb >packed.wdb
p text.wdb 'no database\n'
p blast.pin '\000\000\000\004\000\000\000\001\000\000\000\004name'
p BLAST.PHR '0\2000\200\240\200'
p diamond.dmnd '\155\030\356\025\244\370\112\002\054\000\000\000'
cd ..

# --- the parts that tests/fuzz/database.c puts together into databases ---
# part FILE FIRST COUNT: that many bytes as a part, its size first
part() {
    printf '%b' "\\0$(printf %03o $(($3 % 256)))\\0$(printf %03o $(($3 / 256)))"
    tail -c +$(($2 + 1)) "$1" | head -c "$3"
}
# parts FLAGS FILE LENGTHS STARTS ORDER RESIDUES NAMES TEXT: of a .wdb file with sections of these sizes, a page at most
parts() {
    printf '%b' "$1"
    part "$2" 0 256
    from=0 file=$2
    shift 2
    for bytes; do
        from=$((from + 4096))
        part "$file" $from "$bytes"
    done
}
mkdir -p wdb_parts
parts '\01' wdb/tiny.wdb 16 32 32 28 32 27 >wdb_parts/tiny
parts '\00' wdb/tiny.wdb 16 32 32 28 32 27 >wdb_parts/tiny_as_is
parts '\05' wdb/tiny.wdb 16 32 32 28 32 27 >wdb_parts/tiny_cut
parts '\03' wdb/tiny_nucleotide.wdb 8 16 16 28 16 6 >wdb_parts/tiny_nucleotide
