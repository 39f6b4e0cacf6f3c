#include "sw/plan/layout.h"

#include <stdlib.h>

#include "io/database/set.h"
#include "sw/limits.h"
#include "sw/plan/cut.h"
#include "sw/plan/narrow.h"

static size_t groups_of(const sw_set *database, uint32_t lanes) { return (database->count + lanes - 1) / lanes; }

static uint64_t group_words(const sw_set *database, uint32_t lanes, size_t g) {
    return ((uint64_t)database->length[g * lanes] + 3) / 4 * lanes;
}

/* Words of groups first .. end - 1, or of as many as there are. */
static uint64_t words_of(const sw_set *database, uint32_t lanes, size_t first, size_t end) {
    const size_t groups = groups_of(database, lanes);
    uint64_t words = 0;
    for (size_t g = first; g < end && g < groups; g++) words += group_words(database, lanes, g);
    return words;
}

uint64_t *sw_first_words(const sw_set *database, uint32_t lanes, size_t *groups) {
    *groups = groups_of(database, lanes);
    uint64_t *first_word = malloc(sizeof *first_word * (*groups + 1));
    if (first_word == NULL) return NULL;
    first_word[0] = 0;
    for (size_t g = 0; g < *groups; g++) first_word[g + 1] = first_word[g] + group_words(database, lanes, g);
    return first_word;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

size_t sw_upload_bytes_of(const sw_input *in, const sw_set *database, uint64_t words, size_t groups) {
    size_t bytes = sw_set_bytes(&in->queries) + database->letters + database->count * SW_PITCH_MORE;
    bytes += sizeof(uint32_t) * words + sizeof(uint64_t) * groups;
    bytes += in->queries.count * (sizeof(uint64_t) + sizeof(uint32_t));
    bytes += database->count * (sizeof(uint64_t) + sizeof(uint32_t)) + ((size_t)1 << 20);
    return bytes + in->queries.count * database->count * (sizeof(int) + sizeof(unsigned long long));
}

size_t sw_upload_bytes(const sw_input *in, uint32_t lanes) {
    const size_t groups = groups_of(&in->database, lanes);
    return sw_upload_bytes_of(in, &in->database, words_of(&in->database, lanes, 0, groups), groups);
}

/* The least `work` that suffices: one block's. The first block has the longest subjects. */
static size_t least_work(const sw_input *in, const sw_plan *plan) {
    const size_t thread = plan->bytes_a_thread * plan->block, residue = 4 * plan->bytes_a_residue;
    return thread + (residue > 0 ? residue * words_of(&in->database, plan->lanes, 0, plan->groups_a_block) : 0);
}

const char *sw_plan_supports(const wl_device *device, const sw_input *in, const sw_plan *plan) {
    if (in->database.count > INT32_MAX) return "more than 2 billion sequences; give them in parts";
    if (sw_refuse_scores(in) != NULL) return sw_refuse_scores(in);
    // `work` gets half of what the sequences leave free; see sw_upload.
    const size_t needed = sw_upload_bytes(in, plan->lanes) + 2 * (least_work(in, plan) + sw_recompute_edge(in));
    if (needed > device->memory_free) return "the sequences, scores and cells do not fit into device memory";
    return NULL;
}

void sw_plan_work(const wl_device *device, const sw_input *in, const sw_plan *plan, const uint64_t *first_word,
                  size_t room, unsigned *blocks, size_t *work_bytes) {
    enum { THREADS_PER_MULTIPROCESSOR = 2048 };
    size_t count = (in->database.count + plan->block - 1) / plan->block;
    const size_t groups = groups_of(&in->database, plan->lanes), least = least_work(in, plan);
    size_t wanted = first_word[groups] * 4 * plan->bytes_a_residue;
    if (plan->bytes_a_thread > 0) {
        const size_t each = plan->bytes_a_thread * plan->block, fit = room / each;
        const size_t resident = (size_t)device->multiprocessors * THREADS_PER_MULTIPROCESSOR / plan->block;
        if (count > resident) count = resident;
        if (count > fit) count = fit > 0 ? fit : 1;
        wanted = each * count;
    }
    *blocks = (unsigned)count;
    *work_bytes = wanted < room ? wanted : room > least ? room : least;
}

/* --- Cost -------------------------------------------------------------------------------------------------------- */

/* What no scan can avoid: loading the database's residues once per query and storing one score per pair; and the paper's eleven
   operations per cell, five additions and six maxima. */
void sw_cost(const wl_device *device, const void *input, wl_cost *cost) {
    enum { OPERATIONS_PER_CELL = 11 };
    const sw_input *in = input;
    (void)device;
    cost->bytes = (double)in->queries.count * ((double)in->database.letters + sizeof(int) * (double)in->database.count);
    cost->operations = OPERATIONS_PER_CELL * (double)in->queries.letters * (double)in->database.letters;
    cost->rate = WL_RATE_INT32;
}

/* Two cells take one instruction for H, one for E, one for F and half of one for the best. */
void sw_cost_dpx(const wl_device *device, const void *input, wl_cost *cost) {
    const sw_input *in = input;
    sw_cost(device, input, cost);
    cost->operations = 3.5 / 2 * (double)in->queries.letters * (double)in->database.letters;
    cost->rate = WL_RATE_DPX16;
}
