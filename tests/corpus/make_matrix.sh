#!/bin/sh
# Write the corpus of substitution matrices, good and broken, as make.sh does the rest.
#
#   tests/corpus/make_matrix.sh
set -eu
cd "$(dirname "$0")/matrix"

p() { # p FILE FORMAT: printf into FILE
    file=$1
    shift
    # shellcheck disable=SC2059
    printf "$@" >"$file"
}

# --- good ---
p good.mat '# three letters\n   A  R  X\nA  4 -1 -2\nR -1  5  0\nX -2  0 -1\n'
p crlf.mat '# three letters\r\n   A  R  X\r\nA  4 -1 -2\r\nR -1  5  0\r\nX -2  0 -1\r\n'
p tabs.mat '\tA\tR\nA\t4\t-1\nR\t-1\t5\t\n'
p lower.mat 'a r\na 4 -1\nr -1 5\n'
p bom.mat '\357\273\277 A R\nA 4 -1\nR -1 5\n'
p blank_lines.mat '\n# one\n\n A R\n# two\nA 4 -1\n \nR -1 5\n\n'
p asymmetric.mat ' A R\nA 4 -3\nR 2 5\n'
p wide.mat ' A R C\nA 4 -3 1\n'
p tall.mat ' A\nA 4\nR -2\nC 1\n'
p order.mat ' R A\nA -1 4\nR 5 -1\n'
p limits.mat ' A R\nA 127 -127\nR -127 +127\n'
p no_last_newline.mat ' A\nA 4'
p rare.mat ' C U O X *\nC 9 1 2 -1 -4\nU 1 8 3 -1 -4\nO 2 3 7 -1 -4\nX -1 -1 -1 0 -4\n* -4 -4 -4 -4 1\n'
gzip -nc good.mat >good.mat.gz

# --- broken ---
p empty.mat ''
p comments_only.mat '# nothing\n# else\n'
p no_rows.mat '   A  R\n'
p no_header.mat 'A 4 -1\nR -1 5\n'
p number_first.mat '4 -1\n-1 5\n'
p column_twice.mat ' A R A\nA 4 -1 4\n'
p row_twice.mat ' A R\nA 4 -1\nA 4 -1\n'
p row_twice_other_case.mat ' A R\nA 4 -1\na 4 -1\n'
p unknown_column.mat ' A 1\nA 4 -1\n'
p unknown_row.mat ' A R\nA 4 -1\n- 1 2\n'
p joined_letters.mat ' AR N\nA 4 -1\n'
p few.mat ' A R\nA 4\n'
p many.mat ' A R\nA 4 -1 0\n'
p row_without_scores.mat ' A R\nA\n'
p fraction.mat ' A R\nA 4 -1.5\n'
p word.mat ' A R\nA 4 x\n'
p joined_numbers.mat ' A R\nA 4-1\n'
p too_high.mat ' A R\nA 4 128\n'
p too_low.mat ' A R\nA 4 -128\n'
p huge.mat ' A R\nA 4 99999999999999999999999\n'
p commas.mat ',A,R\nA,4,-1\n'
p fasta.mat '>sequence\nMKV\n'
p nul.mat ' A R\nA 4 \000\n'
p escape.mat ' A R\nA 4 \033[2J\n'
head -c 40 good.mat.gz >truncated.mat.gz
