#!/bin/sh
# Write the corpus of trees, good and broken, as make.sh does the rest.
#
#   tests/corpus/make_newick.sh
set -eu
cd "$(dirname "$0")/newick"

p() { # p FILE FORMAT: printf into FILE
    file=$1
    shift
    # shellcheck disable=SC2059
    printf "$@" >"$file"
}

# --- good ---
p good.nwk '((A:0.1,B:0.2)ab:0.05,(C:0.3,D:0.4)cd:0.06)root:0;\n'
gzip -nc good.nwk >good.nwk.gz
p no_lengths.nwk '((A,B),(C,D),E);'
p some_lengths.nwk '((A:1,B),C:2);'
p lengths.nwk '(A:-0.5,B:1e-3,C:+.5E+2,D:7.,E:00012);'
p rounded_to_zero.nwk '(A:1e-400,B:0.000000000000000000000000000000000000000000000000000000000000000000000000000001);'
p crlf.nwk '(A:1,\r\nB:2\r\n)\r\n;\r\n'
p old_macintosh.nwk '(A,\rB);\r'
p bom.nwk '\357\273\277(A,B);'
p spread.nwk '\n ( A\t:\n 1\n ,\n ( B , C ) x\n : 2 )\n y :\n3\n ;\n\n'
p one_tip.nwk 'A;'
p one_tip_in_parentheses.nwk '((A:1):2);'
p star.nwk '(A,B,C,D,E,F,G,H,I,J);'
p ladder.nwk '((((((((A,B),C),D),E),F),G),H),I);'
p quoted.nwk "('Homo sapiens':1,'it''s':2,'(a;b)[c]:,':3,'''')'r o o t';"
p double_quotes.nwk "('\"x\"',\"y\",z\");" # the last is none at the beginning
p double_quotes_blank.nwk '("Homo sapiens":1,"a""b; (c)":2)"r";'
p double_quote_open.nwk '(A,"B);\n'
p paml_marks.nwk "((A #1:1,B#2:2) \$3:3,(C:4 #1.5,D)'#4':5,E '#6');"
p paml_mark_odd.nwk '(A #x,B);'
p paml_counts.nwk ' 3 1\n[x]\n(A,B,C);\n'
p paml_counts_only.nwk '3 1\n'
p nexus_notes.nex "#NEXUS\nbegin notes;\ntext='two\nlines; end; it''s' x=don't;\nend;\nbegin trees;\ntitle 'a\n;b';\ntree t=(A,B);\nend;\nbegin x;\ny '\n';\nend;\n"
p nexus_notes_open.nex "#NEXUS\nbegin notes;\ntext='two\nlines;\nend;\n"
p quoted_inner_empty.nwk "(A,B)'':1;"
p comment_in_label.nwk '(A,B[a;)(]x);'
p comments.nwk '[&R] (A[one]:[two]1[three],[four[nested]]B[a;)(]:2[&&NHX:S=x]) [;] ;[after\n]\n'
p underscores.nwk '(Homo_sapiens,a|b/c=d#e@f.1-2+3*{4}%%?!~,caf\303\251);'
p bootstraps.nwk '((A:1,B:1)100:1,(C:1,D:1)95/0.9:1);'
p names_twice.nwk '(A,A);'

# --- NEXUS: good ---
p nexus.nwk '#NEXUS\nbegin trees;\ntree a = (A,B);\nend;\n'
p nexus_translate.nex "#nexus\n[trees]\nBEGIN TREES;\n\tTitle 'it''s';\n\tTRANSLATE\n\t\t1 A,\n\t\t2 'Homo sapiens',\n\t\t3 Pan_paniscus, x ''''\n\t;\n\tTREE * best = [&R] [&lnP=-1] ((1:0.1,2:0.2)2:0.05,(3:1e-3,x:4)[c;]):0;\nEND;\n"
p nexus_numbers.nex "#NEXUS\nbegin taxa;\n dimensions ntax=3;\n taxlabels A 'B b' 7;\nend;\nbegin trees;\n utree u = [&U] (1,2,(7,4)3);\nendblock;\n"
p nexus_other_blocks.nex "#NEXUS\nbegin paup;\n set crit=likelihood; [end;] lset rmat=(1 2 3);\nend;\nbegin notes;\n text text='end; begin trees; tree x = (A,B);' it's;\nend;\nbegin trees;\n ; tree a=(A:1,B:2);\nend;\n"
p nexus_comments.nex '#NEXUS [a [nested] one] begin [b] trees [c]; [d] tree [e] a [f] = [g] (A,[h]B); [i] end [j]; [k]'
p nexus_old_macintosh.nex '#NEXUS\rbegin trees;\rtree a = (A,\rB);\rend;\r'
p nexus_crlf.nex '#NEXUS\r\nbegin trees;\r\ntree a = (A,\r\nB);\r\nend;\r\n'

# --- NEXUS: broken ---
p nexus_only.nex '#NEXUS\n'
p nexus_no_trees.nex '#NEXUS\nbegin trees;\nend;\n'
p nexus_two_trees.nex '#NEXUS\nbegin trees;\ntree a = (A,B);\ntree b = (A,C);\nend;\n'
p nexus_no_end.nex '#NEXUS\nbegin trees;\ntree a = (A,B);\n'
p nexus_cut.nex '#NEXUS\nbegin trees;\ntree a = (A,B)'
p nexus_no_begin.nex '#NEXUS\ntree a = (A,B);\n'
p nexus_no_name.nex '#NEXUS\nbegin ;\n'
p nexus_no_equals.nex '#NEXUS\nbegin trees;\ntree (A,B);\nend;\n'
p nexus_no_tree.nex '#NEXUS\nbegin trees;\ntree a = ;\nend;\n'
p nexus_broken_tree.nex '#NEXUS\nbegin trees;\n  tree a = [&R] (A,(B,C);\nend;\n'
p nexus_translate_odd.nex '#NEXUS\nbegin trees;\ntranslate 1 A, 2;\ntree a = (1,2);\nend;\n'
p nexus_translate_comma.nex '#NEXUS\nbegin trees;\ntranslate 1 A 2 B;\ntree a = (1,2);\nend;\n'
p nexus_taxlabels_empty.nex "#NEXUS\nbegin taxa;\ntaxlabels a '';\nend;\n"
p nexus_comment_open.nex '#NEXUS\nbegin trees; [oh\ntree a = (A,B);\nend;\n'
p nexus_quote_open.nex "#NEXUS\nbegin trees;\ntree 'a = (A,B);\nend;\n"
p nexus_quote_tab.nex "#NEXUS\nbegin trees;\ntree 'a\tb' = (A,B);\nend;\n"
p nexus_escape.nex '#NEXUS\nbegin trees;\ntree a = (A\033,B);\nend;\n'

# --- broken ---
p empty.nwk ''
p blank.nwk ' \n\t\n'
p comment_only.nwk '[nothing]\n'
p semicolon.nwk ';'
p no_semicolon.nwk '(A,B)\n'
p no_semicolon_one.nwk 'A'
p nothing_inside.nwk '();'
p empty_first.nwk '(,A);'
p empty_middle.nwk '(A,,B);'
p empty_last.nwk '(A,B,);'
p empty_length.nwk '(:1,B);'
p empty_quoted.nwk "(A,'');"
p open_one.nwk '(A,B;'
p open_three.nwk '(A,\n(B,\n\n(C,D;\n'
p open_at_end.nwk '((A,B),\n(C,D'
p open_after_comma.nwk '((A,B),'
p open_only.nwk '((('
p closed_twice.nwk '(A,B));'
p outside.nwk 'A,B;'
p two_roots.nwk '(A,B),(C,D);'
p two_groups.nwk '(A,B)(C,D);'
p label_first.nwk 'A(B,C);'
p two_labels.nwk '(Homo sapiens,B);'
p two_labels_inner.nwk '(A,B)x y;'
p quote_inside.nwk "(O'Brien,B);"
p quote_then_text.nwk "('A'b,B);"
p quote_open.nwk "(A,'B);\n"
p quote_open_at_end.nwk "(A,'B"
p quote_two_lines.nwk "('A\nB',C);"
p quote_tab.nwk "('A\tB',C);"
p comment_open.nwk '(A,\n [B,(C;\n'
p comment_nested_open.nwk '(A,B)[a[b];\n'
p comment_closed.nwk '(A],B);'
p length_missing.nwk '(A:,B:1);'
p length_missing_at_end.nwk '(A:'
p length_word.nwk '(A:x,B);'
p length_hex.nwk '(A:0x1p3,B);'
p length_inf.nwk '(A:inf,B);'
p length_nan.nwk '(A:NaN,B);'
p length_huge.nwk '(A:1e999,B);'
p length_comma.nwk '(A:0,1:2:3,B);'
p length_sign.nwk '(A:-,B);'
p length_exponent.nwk '(A:1e,B);'
p length_dot.nwk '(A:.,B);'
p length_twice.nwk '(A:1:2,B);'
p length_blank.nwk '(A:1 000,B);'
p length_quoted.nwk "(A:'1',B);"
p length_jplace.nwk '(A:1{0},B:1{1}):1{2};'
p length_long.nwk '(A:0.%0400d1,B);' 0
p label_after_length.nwk '(A,B):1x;'
p second_tree.nwk '(A,B);\n(A,C);\n'
p semicolon_twice.nwk '(A,B);;'
p text_after.nwk '(A,B); end\n'
p nul.nwk '(A\000,B);'
p nul_after.nwk '(A,B);\000'
p nul_in_comment.nwk '(A[\000],B);'
p nul_in_quotes.nwk "('A\000',B);"
p escape.nwk '(A\033[2J,B);'
p delete.nwk '\177(A,B);'
p fasta.nwk '>A\nACGT\n'
head -c 40 good.nwk.gz >truncated.nwk.gz
