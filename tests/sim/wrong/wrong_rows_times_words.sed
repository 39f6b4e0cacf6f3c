# lessons/11_binary_tensor_cores with one mistake: rows times words in 32 bits, which are too few for many and long rows.
s/int instances, size_t words, int tiles) {/int instances, int words, int tiles) {/
s/(size_t)tile_\([ij]\) \* TILE \* words/tile_\1 * TILE * words/
