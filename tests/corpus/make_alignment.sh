#!/bin/sh
# Write the corpus of alignments, good and broken, as make.sh does the rest.
#
#   tests/corpus/make_alignment.sh
set -eu
cd "$(dirname "$0")/alignment"

p() { # p FILE FORMAT: printf into FILE
    file=$1
    shift
    # shellcheck disable=SC2059
    printf "$@" >"$file"
}

# --- FASTA ---
p good.fasta '>a first\nACGT\n>b\nac-t\n'
gzip -nc good.fasta >good.fasta.gz
p good.fastq '@a\nACGT\n+\nIIII\n'
p unequal.fasta '>a\nACGT\n>b\nACG\n'
p name_twice.fasta '>Homo sapiens\nACGT\n>b\nACGT\n>Homo erectus\nACGT\n>b\nACGT\n'
p digit.fasta '>a\nAC1T\n'

# --- PHYLIP: good ---
p relaxed_sequential.phy '3 12\nalpha ACGTACGTACGT\na_name_of_more_than_ten ACGT-CGTACG?\nc acgtacgtacgt\n'
gzip -nc relaxed_sequential.phy >relaxed_sequential.phy.gz
p relaxed_sequential_lines.phy '2 12\nalpha ACGTA\nCGTAC\nGT\n\nbeta\nACGTA\nCG\nTACGT\n'
p relaxed_interleaved.phy '3 12\nalpha_1 ACGT\nbe      CCGT\ngam     GCGT\n\nAAAA\nCCCC\nGGGG\n\nTTTT\nTTTA\nTTTC\n'
p relaxed_interleaved_packed.phy '2 8\nalpha_1 ACGT\nbe      CCGT\nAAAA\nCCCC\n'
p names_repeated.phy '2 8\nalpha_1 ACGT\nbe      CCGT\n\nalpha_1 AAAA\nbe CCCC\n'
p strict_sequential.phy '2 12\nHomo sapieACGTACGTACGT\nPan       ACGTACGTACGA\n'
p strict_sequential_lines.phy '2 12\nHomo sapieACGTACG\n          TACGT\nPan trogloACG\nTACGTACGA\n'
p strict_interleaved.phy '2 12\nHomo sapieACGTAC\nPan trogloACGTAC\n\n          GTACGT\n          GTACGA\n'
p strict_names_repeated.phy '2 12\nHomo sapieACGTAC\nPan trogloACGTAC\n\nHomo sapieGTACGT\nPan trogloGTACGA\n'
p strict_tab.phy '2 4\nHomo sap\tACGT\nPan trogloACGA\n'
p abutting.phy '2 4\nSequence01ACGT\nSequence02ACGA\n'
p groups_of_ten.phy '2 30\nfirst     ACGTACGTAC ACGTACGTAC\nsecond    ACGTACGTAC ACGTACGTAC\n\n          GGGGGGGGGG\n          CCCCCCCCCC\n'
p crlf.phy '2 8\r\na ACGT\r\nb CCGT\r\n\r\nAAAA\r\nCCCC\r\n'
p bom.phy '\357\273\2771 4\na ACGT\n'
p messy.phy '\n  \n  2\t 8  \n\n\n\t a\tAC GT  \n\n  b   CC\tGT\n \t\n\n  AA  AA\n\n\n C CCC\n\n\n'
p no_last_newline.phy '2 4\na ACGT\nb ACGA'
p header_i.phy '2 8 I\na ACGT\nb CCGT\nAAAA\nCCCC\n'
p header_interleaved.phy '2 8 Interleaved\na ACGT\nb CCGT\nAAAA\nCCCC\n'
p header_s.phy '2 8 s\na ACGT\nAAAA\nb CCGT\nCCCC\n'
p one.phy '1 1\na A\n'
p odd_names.phy '4 2\ncaf\303\251|1/2;x=%%s%%n,(y):[z] AC\n>b AC\n12 AC\n\047q\047 AC\n'
p odd_letters.phy '1 9\na 01?*.-#{}\n'
p name_like_letters.phy '2 8\nACGT ACGTACGT\nACGA ACGTACGT\n'
# Both sequential and interleaved, unless something says which.
p both_ways_i.phy '2 11 I\nabc ACGT\nabd ACGT\nccc ACGT\nccc ACGT\n'
p both_ways_s.phy '2 11 S\nabc ACGT\nabd ACGT\nccc ACGT\nccc ACGT\n'
p both_ways_blocks.phy '3 12\nalpha ACGT\nbeta  CCGT\ngamma GCGT\n\nAAAA\nCCCC\nGGGG\n\nTTTT\nTTTA\nTTTC\n'
p both_ways_rows.phy '3 11\nabc ACGT\nccc ACGT\n\nabd ACGT\nccc ACGT\n\nabe ACGT\nccc ACGT\n'

# --- PHYLIP: broken ---
p empty.phy ''
p blank.phy '\n \t\n'
p text.phy 'hello\n'
p clustal.phy 'CLUSTAL W\n\na ACGT\n'
p header_only.phy '2 4\n'
p header_one.phy '2\na ACGT\n'
p header_zero_rows.phy '0 4\n'
p header_zero_columns.phy '1 0\na\n'
p header_negative.phy '\05522 4\na ACGT\n'
p header_negative_columns.phy '2 \0554\na ACGT\n'
p header_huge.phy '1000000000000000000 4\na ACGT\n'
p header_huge_rows.phy '999999999999999999 4\na ACGT\nb ACGT\n'
p header_huge_columns.phy '2 999999999999999999\na ACGT\nb ACGT\n'
p header_fraction.phy '2.0 4\na ACGT\n'
p header_word.phy '2 x\na ACGT\n'
p header_option.phy '2 4 G\na ACGT\nb ACGT\n'
p header_options.phy '2 4 I S\na ACGT\nb ACGT\n'
p header_i_sequential.phy '2 8 I\na ACGT\nAAAA\nb CCGT\nCCCC\n'
p header_s_interleaved.phy '2 8 S\na ACGT\nb CCGT\nAAAA\nCCCC\n'
p both_ways.phy '2 11\nabc ACGT\nabd ACGT\nccc ACGT\nccc ACGT\n'
p both_ways_blanks.phy '2 11\nabc ACGT\nabd ACGT\n\nccc ACGT\nccc ACGT\n'
p both_ways_torn.phy '2 11\nabc ACGT\n\nabd ACGT\n\nccc ACGT\n\nccc ACGT\n'
p too_few_rows.phy '3 4\na ACGT\nb ACGA\n'
p too_many_rows.phy '2 4\na ACGT\nb ACGA\nc ACGC\n'
p second_alignment.phy '2 4\na ACGT\nb ACGA\n2 4\na ACGT\nb ACGA\n'
p too_short.phy '3 20\ntax1 ACGTACGTACGTACGTACGT\ntax2 ACGTACGTACGTACGTACG\ntax3 ACGTACGTACGTACGTACGT\n'
p too_short_last.phy '2 20\ntax1 ACGTACGTACGTACGTACGT\ntax2 ACGTACGTACGTACGTACG\n'
p too_long.phy '3 20\ntax1 ACGTACGTACGTACGTACGT\ntax2 ACGTACGTACGTACGTACGTA\ntax3 ACGTACGTACGTACGTACGT\n'
p columns_too_many.phy '3 21\ntax1 ACGTACGTACGTACGTACGT\ntax2 ACGTACGTACGTACGTACGT\ntax3 ACGTACGTACGTACGTACGT\n'
p columns_too_few.phy '3 19\ntax1 ACGTACGTACGTACGTACGT\ntax2 ACGTACGTACGTACGTACGT\ntax3 ACGTACGTACGTACGTACGT\n'
p block_short.phy '2 12\nalpha_1 ACGT\nbe      CCGT\n\nAAAA\nCCC\n\nTTTT\nTTTT\n'
p block_cut.phy '3 12\nalpha_1 ACGT\nbe      CCGT\ngam     GCGT\n\nAAAA\nCCCC\nGGGG\n\nTTTT\nTTTA\n'
p block_missing.phy '2 12\nalpha_1 ACGT\nbe      CCGT\n\nAAAA\nCCCC\n'
p block_extra.phy '2 8\nalpha_1 ACGT\nbe      CCGT\n\nAAAA\nCCCC\n\nTTTT\nTTTT\n'
p repeated_wrongly.phy '3 8\nalpha_1 ACGT\nbe      CCGT\ngam     CCGT\n\nalpha_1 AAAA\ngam CCCC\nbe CCCC\n'
p names_alone.phy '2 8\nalpha\nbeta\nACGTACGT\nACGTACGT\n'
p blank_in_name.phy '2 4\nHomo sapiens ACGT\nPan troglodytes ACGT\n'
p name_twice.phy '3 4\na ACGT\nb ACGT\na ACGT\n'
p name_missing.phy '2 4\n          ACGT\n          ACGT\n'
p nul.phy '2 4\na AC\000T\nb ACGT\n'
p nul_in_name.phy '2 4\na\000 ACGT\nb ACGT\n'
p escape.phy '2 4\na\033 ACGT\nb ACGT\n'
p high_byte.phy '2 4\na AC\303\251T\nb ACGT\n'
p old_macintosh.phy '2 4\ra ACGT\rb ACGT\r'
p utf16.phy '2\000 \0004\000\n\000a\000 \000'
head -c 50 relaxed_sequential.phy.gz >truncated.phy.gz

# --- NEXUS: good ---
p nexus.nex '#NEXUS\nbegin data;\n dimensions ntax=2 nchar=4;\n format datatype=dna gap=- missing=?;\n matrix\na ACGT\nb A-?T\n;\nend;\n'
p nexus_interleaved.nex "#NEXUS\n[!made by hand]\nBegin CHARACTERS;\n\tTitle x;\n\tDimensions NewTaxa NTax = 3 NChar = 8;\n\tFormat DataType = Protein Interleave Gap = * Missing = X MatchChar = . Symbols = \"A C D\";\n\tMatrix\n[ 1 2 3 4 ]\n'Homo sapiens' ACDE [4]\nPan_p          .C*. [4]\n'it''s'        X...\n\n[ 5 6 ]\n'Homo sapiens' FGHI\n'Pan_p'        .. .{IL}\n'it''s'        (N,D)QZ{IL}\n\n;\nEnd;\n"
p nexus_sequential.nex '#NEXUS\nbegin taxa; dimensions ntax=2; taxlabels x y; end;\nbegin characters;\n options gapmode=missing;\n dimensions nchar=10;\n format missing=? gap=-;\n charlabels 1 2 3;\n matrix x\n ACGTA [5]\n CGTAC\n y AC GT AC\n GT AC\n;\nend;\nbegin assumptions;\n exset * e = 1;\nend;\n'
p nexus_sets.nex '#NEXUS\nbegin data;\ndimensions nchar=6 ntax=1;\nformat datatype=rna interleave=no equate="1=A 2={CU}3=(ACGT) n = ?";\nmatrix\na 123{ag}(TU)n;\nend;\n'
p nexus_quoted_symbols.nex "#NEXUS\nbegin data;\ndimensions nchar=3 ntax=1;\nformat datatype=dna missing='N' gap=\"~\" respectcase;\nmatrix\na N~A;\nend;\n"
p nexus_crlf.nex '#NEXUS\r\nbegin data;\r\ndimensions ntax=2 nchar=4;\r\nformat interleave=yes;\r\nmatrix\r\na AC\r\nb GT\r\n\r\na GT\r\nb AC\r\n;\r\nend;\r\n'
p nexus_old_macintosh.nex '#NEXUS\rbegin data;\rdimensions ntax=2 nchar=4;\rformat interleave;\rmatrix\ra ACGT\rb GTAC\r;\rend;\r'
p nexus_matchchar.nex "#NEXUS\nbegin data;\ndimensions ntax=3 nchar=8;\nformat datatype=dna interleave matchchar=. gap=- missing=?;\nmatrix\n'Homo sapiens' ACGT\nPan_p .-R.\n'it''s' ....\n\n'Homo sapiens' ACGT\nPan_p ?..A\n'it''s' ..C.\n;\nend;\n"
p nexus_one_line.nex "#NEXUS\nbegin data; dimensions ntax=3 nchar=4; format datatype=dna; matrix a ACGT [1] 'b c' A C\tG{CT} d\nTTTT; end;\n"
gzip -nc nexus.nex >nexus.nex.gz

# --- NEXUS: broken ---
p nexus_one_line_more.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix a ACGT b GTAC c CCCC;\nend;\n'
p nexus_one_line_long.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix a ACGTA b GTAC;\nend;\n'
p nexus_one_line_short.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix a ACG b GTAC;\nend;\n'
p nexus_one_line_empty.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix a ACGT b;\nend;\n'
p nexus_one_line_interleaved.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat interleave;\nmatrix\na AC b GT\na GT b AC\n;\nend;\n'
p nexus.phy '#NEXUS\nbegin data;\n'
p nexus_no_matrix.nex '#NEXUS\nbegin trees;\ntree a = (A,B);\nend;\n'
p nexus_no_dimensions.nex '#NEXUS\nbegin data;\nmatrix\na ACGT\n;\nend;\n'
p nexus_no_nchar.nex '#NEXUS\nbegin data;\ndimensions ntax=1;\nmatrix\na ACGT\n;\nend;\n'
p nexus_huge.nex '#NEXUS\nbegin data;\ndimensions ntax=999999999 nchar=999999999;\nmatrix\na ACGT\n;\nend;\n'
p nexus_zero.nex '#NEXUS\nbegin data;\ndimensions ntax=0 nchar=4;\nmatrix\na ACGT\n;\nend;\n'
p nexus_dimension.nex '#NEXUS\nbegin data;\ndimensions ntax 1 nchar=4;\nmatrix\na ACGT\n;\nend;\n'
p nexus_dimension_unknown.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchars=4;\nmatrix\na ACGT\n;\nend;\n'
p nexus_standard.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nformat datatype=standard symbols="01";\nmatrix\na 0101\n;\nend;\n'
p nexus_transpose.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nformat datatype=dna transpose;\nmatrix\na ACGT\n;\nend;\n'
p nexus_gap_long.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nformat gap=-- missing=?;\nmatrix\na ACGT\n;\nend;\n'
p nexus_eliminate.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\neliminate 2;\nmatrix\na ACGT\n;\nend;\n'
p nexus_set.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nformat datatype=protein;\nmatrix\na AC{GT}A\n;\nend;\n'
p nexus_set_open.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nformat datatype=dna;\nmatrix\na AC{GT\n;\nend;\n'
p nexus_match_first.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat matchchar=.;\nmatrix\na AC.T\nb ....\n;\nend;\n'
p nexus_too_short.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix\na ACGT\nb ACG\n;\nend;\n'
p nexus_too_short_first.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix\na ACG\nb ACGT\n;\nend;\n'
p nexus_too_long.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix\na ACGTA\nb ACGT\n;\nend;\n'
p nexus_too_few_rows.nex '#NEXUS\nbegin data;\ndimensions ntax=3 nchar=4;\nmatrix\na ACGT\nb ACGT\n;\nend;\n'
p nexus_too_many_rows.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nmatrix\na ACGT\nb ACGT\n;\nend;\n'
p nexus_name_twice.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nmatrix\na ACGT\na ACGT\n;\nend;\n'
p nexus_block_order.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat interleave;\nmatrix\na AC\nb GT\n\nb GT\na AC\n;\nend;\n'
p nexus_block_rows.nex '#NEXUS\nbegin data;\ndimensions ntax=3 nchar=4;\nformat interleave;\nmatrix\na AC\nb GT\n\na GT\nb AC\n;\nend;\n'
p nexus_block_empty.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=4;\nformat interleave;\nmatrix\na\nACGT\nb\nACGT\n;\nend;\n'
p nexus_block_cut.nex '#NEXUS\nbegin data;\ndimensions ntax=2 nchar=8;\nformat interleave;\nmatrix\na ACGT\nb ACGT\n\na ACGT\n;\nend;\n'
p nexus_two_matrices.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nmatrix\na ACGT\n;\nend;\nbegin characters;\ndimensions ntax=1 nchar=4;\nmatrix\na ACGT\n;\nend;\n'
p nexus_no_semicolon.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nmatrix\na ACGT\n'
p nexus_high_byte.nex '#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nmatrix\na AC\303\251T\n;\nend;\n'
p nexus_name_empty.nex "#NEXUS\nbegin data;\ndimensions ntax=1 nchar=4;\nmatrix\n'' ACGT\n;\nend;\n"
