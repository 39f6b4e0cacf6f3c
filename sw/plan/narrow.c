#include "sw/plan/narrow.h"

int sw_most_16_bits(const sw_input *in) { return INT16_MAX - (in->scoring.highest > 0 ? in->scoring.highest : 0); }

/* Each pair of residues adds at most `highest`. */
int sw_may_overflow(const sw_input *in, int most) {
    const uint32_t shorter = in->queries.longest < in->database.longest ? in->queries.longest : in->database.longest;
    return (double)in->scoring.highest * shorter > most;
}

size_t sw_recompute_columns(const sw_input *in) { return ((size_t)in->database.longest + 3) / 4 * 4; }

size_t sw_recompute_edge(const sw_input *in) {
    enum { COLUMN = 2 * sizeof(int) }; // H and F
    return in->queries.longest > SW_RECOMPUTE_THREADS * SW_RECOMPUTE_ROWS ? COLUMN * sw_recompute_columns(in) : 0;
}

unsigned sw_recompute_blocks(const wl_device *device, const sw_input *in, size_t room) {
    enum { BLOCKS_PER_MULTIPROCESSOR = 4 };
    const size_t pairs = in->queries.count * in->database.count, each = sw_recompute_edge(in);
    size_t blocks = (size_t)BLOCKS_PER_MULTIPROCESSOR * (size_t)device->multiprocessors;
    if (blocks > pairs) blocks = pairs;
    if (each > 0) {
        const size_t fit = room / 8 / each;
        if (blocks > fit) blocks = fit > 0 ? fit : 1;
    }
    return (unsigned)blocks;
}

size_t sw_stretch(const sw_plan *plan, const uint64_t *first_word, size_t groups, size_t work_bytes, size_t first) {
    const uint64_t words = work_bytes / (4 * plan->bytes_a_residue);
    size_t end = first + plan->groups_a_block;
    while (end < groups) {
        const size_t next = end + plan->groups_a_block < groups ? end + plan->groups_a_block : groups;
        if (first_word[next] - first_word[first] > words) break;
        end = next;
    }
    return end < groups ? end : groups;
}
