# loads: has most of them
/BEGIN SOLUTION/,/END SOLUTION/ {
    s/int row = first_row; row < TILE; row += BLOCK \/ CHUNK/int k = threadIdx.x; k < TILE * CHUNK; k += BLOCK/
    s/a\[row\]\[word\] = rows\[(first_j + row) \* words + first + word\]/a[k % TILE][k \/ TILE] = rows[(first_j + k % TILE) * words + first + k \/ TILE]/
    s/b\[row\]\[word\] = rows\[(first_i + row) \* words + first + word\]/b[k % TILE][k \/ TILE] = rows[(first_i + k % TILE) * words + first + k \/ TILE]/
}
