# bytes: has most of them
s/const int A = similarity\[row\[k\] + code\];/const int A = matrix[row[k] + code];/
