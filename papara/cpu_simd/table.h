/* What each letter costs on a block's sites. Made once, used by all reads of the unit. Part of columns.h. */

typedef struct {
    vector cost[PAPARA_CODES][COLUMNS]; // of the diagonal step, for the codes in the reads
    vector open[COLUMNS];               // O
    vector drift[COLUMNS];              // P, since settle_ last added it back
    vector wall[3 * COLUMNS];           // lowest, INFINITE, lowest: a window of it makes some columns infinite
} OF_BITS(block_);

static void OF_BITS(wall_)(OF_BITS(block_) * block) {
    for (int c = 0; c < 3 * COLUMNS; c++)
        block->wall[c] = SPLAT(c / COLUMNS == 1 ? cpu_infinite(WIDTH) : cpu_lowest(WIDTH));
}

/* In the compiler's own vector notation: compared with the rows, this takes too little time for intrinsics to matter. */
typedef CELL OF_BITS(cells_) __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* A site's 20 states take two lanes of at least 16 bits: 15 in the first, 5 in the second. The sign of the second is CGAP. */
INLINE CELL OF_BITS(low_)(uint32_t states) { return (CELL)(states & 0x7fff); }
INLINE CELL OF_BITS(high_)(uint32_t states) { return (CELL)((states >> 15 & 0x1f) - (states & PAPARA_CGAP ? 32 : 0)); }

/* Fills the block with sites site .. site + COLUMNS - 1. drift: P of the column before. */
static void OF_BITS(fill_)(const cpu_job *job, uint32_t site, vector drift, OF_BITS(block_) * block) {
    typedef OF_BITS(cells_) cells;
    const papara_input *in = job->input;
    const papara_penalties *p = &in->penalties;
    CELL low[COLUMNS][LANES], high[COLUMNS][LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        // Excess lanes and sites repeat the last one; their results are not used.
        const size_t v = job->first_vector + (lane < job->vectors ? lane : job->vectors - 1);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const uint32_t i = site + c <= in->sites ? site + c : in->sites;
            const uint32_t states = in->site[v * in->sites + i - 1];
            low[c][lane] = OF_BITS(low_)(states);
            high[c][lane] = OF_BITS(high_)(states);
        }
    }
    for (int c = 0; c < COLUMNS; c++) {
        cells first, second;
        memcpy(&first, low[c], sizeof first);
        memcpy(&second, high[c], sizeof second);
        const cells gap = second < 0, extend = ~gap & (CELL)p->gap_extend;
        const cells match = (gap & (CELL)p->cgap) - extend - (CELL)p->insertion;
        block->drift[c] = drift = ADD(drift, (vector)extend); // wraps round, and back again when it is used
        block->open[c] = (vector)(~gap & (CELL)(p->gap_open - p->gap_extend));
        for (int u = 0; u < job->used_count; u++) {
            const uint32_t set = in->sets[job->used[u]];
            const cells common = (first & OF_BITS(low_)(set)) | (second & OF_BITS(high_)(set));
            block->cost[job->used[u]][c] = (vector)(match + ((common == 0) & (CELL)p->mismatch));
        }
    }
}
