/* Which tiles are which part's. */
#include "tools/distances/matrix/internal.h"

enum {
    TILES_A_PART = 8, // at least, so that parts are of nearly equal work
    SIDE_MOST = 2048  // fills a GPU, and takes little memory
};

size_t distances_share_side(size_t count, size_t parts) {
    size_t across = 1;
    while (across < count && across * (across + 1) / 2 < parts * TILES_A_PART) across++;
    const size_t side = (count + across - 1) / across;
    return side < SIDE_MOST ? side : SIDE_MOST;
}

void distances_share_owners(const distances_grid *grid, size_t parts, uint32_t *owner) {
    const size_t tiles = distances_tiles(grid);
    const double all = 0.5 * (double)grid->rows * (double)(grid->rows - 1);
    double before = 0; // pairs, whole numbers below 2^53
    for (size_t i = 0; i < tiles; i++) {
        const distances_tile tile = distances_tile_numbered(grid, i);
        const double part = all > 0 ? before / all * (double)parts : 0;
        owner[i] = part < (double)parts ? (uint32_t)part : (uint32_t)(parts - 1);
        before += distances_tile_pairs(grid, &tile);
    }
}
