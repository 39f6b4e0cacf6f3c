# right: race on shared memory
/BEGIN SOLUTION/,/END SOLUTION/ { /__syncthreads/d; }
