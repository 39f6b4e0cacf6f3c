# right: expected
/BEGIN SOLUTION/,/END SOLUTION/ s/first_i + row/first_j + row/
