/* Reads in words of letters, and sizes in memory: the host's part of stages 07 to 09. */
#include "papara/kit/reads.h"

#include <stdlib.h>

#include "harness/base/memory.h"

/* --- Sizes ------------------------------------------------------------------------------------------------------- */

size_t papara_padded(size_t sites, size_t columns) { return (sites + columns - 1) / columns * columns + 1; }

size_t papara_lanes(const papara_task *task, size_t columns) {
    return task->groups * papara_padded(task->sites, columns) * PAPARA_WARP;
}

unsigned papara_pack_blocks(size_t lanes) {
    const size_t most = 1 << 16, blocks = (lanes + PAPARA_PACK_BLOCK - 1) / PAPARA_PACK_BLOCK;
    return (unsigned)(blocks < most ? blocks : most);
}

/* The most warps that run at a time. */
static unsigned resident_warps(const wl_device *device, const papara_pairs_plan *plan) {
    return (unsigned)device->multiprocessors * plan->resident;
}

unsigned papara_pairs_blocks(const wl_device *device, const papara_task *task, const papara_pairs_plan *plan) {
    const size_t items = (task->reads + plan->warps - 1) / plan->warps * task->groups;
    const size_t resident = resident_warps(device, plan) / plan->warps;
    return (unsigned)(resident < items ? resident : items);
}

/* Device memory in addition to papara_upload_bytes and `work`. */
static size_t reads_bytes(const papara_input *in) {
    return in->reads.count * (2 * sizeof(uint64_t) + sizeof(uint32_t)) + (size_t)in->reads.letters;
}

const char *papara_pairs_why_not(const wl_device *device, const papara_input *in, const papara_pairs_plan *plan) {
    if (in->states != 4 && !plan->any_alphabet) return "DNA only: it keeps costs for each of four states";
    if ((double)in->reads.count * (double)((in->vectors + PAPARA_PAIRS - 1) / PAPARA_PAIRS) > 0xf0000000u)
        return "more pairs of a read and a group of vectors than 32 bits can count; give fewer reads";
    const char *why = papara_why_not(device, in, &plan->plan);
    if (why != NULL) return why;
    const size_t work_bytes = plan->block_bytes(in) * resident_warps(device, plan);
    if (papara_upload_bytes(in, &plan->plan) + reads_bytes(in) + work_bytes > device->memory_free)
        return "the edges of the blocks do not fit into device memory beside the vectors";
    return NULL;
}

/* --- Letters ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t length, read;
} by_length;

static int longer_first(const void *a, const void *b) {
    const by_length *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    return x->read < y->read ? -1 : x->read > y->read;
}

/* Keeps each set of states that occurs, once, and gives each code the number of its set. */
static void number_sets(const papara_input *in, papara_packed *packed, uint8_t number[PAPARA_CODES]) {
    int occurs[PAPARA_CODES] = {0};
    for (size_t r = 0; r < in->reads.count; r++)
        for (uint32_t j = 0; j < in->reads.length[r]; j++) occurs[in->reads.codes[in->reads.start[r] + j]] = 1;
    for (uint32_t code = 0; code < PAPARA_CODES; code++) {
        if (!occurs[code]) continue;
        unsigned s = 0;
        while (s < packed->sets && packed->set[s] != in->sets[code]) s++;
        if (s == packed->sets) packed->set[packed->sets++] = in->sets[code];
        number[code] = (uint8_t)s;
    }
}

static size_t words_of(uint32_t length, unsigned letters) { return ((size_t)length + letters - 1) / letters; }

wl_status papara_pack_reads(const papara_input *in, int numbers, papara_packed *packed) {
    const papara_reads *reads = &in->reads;
    const unsigned per_word = numbers ? PAPARA_NUMBERS : PAPARA_LETTERS, bits = 32 / per_word;
    uint8_t value[PAPARA_CODES];
    for (unsigned code = 0; code < PAPARA_CODES; code++) value[code] = (uint8_t)code;
    *packed = (papara_packed){.words = 0};
    if (numbers) number_sets(in, packed, value);
    for (size_t r = 0; r < reads->count; r++) packed->words += words_of(reads->length[r], per_word);
    by_length *sorted;
    if (!WL_ALLOCATE(WL_ZEROS(packed->letters, packed->words), WL_ARRAY(packed->first_word, reads->count),
                     WL_ARRAY(packed->order, reads->count), WL_ARRAY(sorted, reads->count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for the letters of %zu reads", reads->count);
    uint64_t word = 0;
    for (size_t r = 0; r < reads->count; r++) {
        packed->first_word[r] = word;
        for (uint32_t j = 0; j < reads->length[r]; j++)
            packed->letters[word + j / per_word] |= (uint32_t)value[reads->codes[reads->start[r] + j]]
                                                    << bits * (j % per_word);
        word += words_of(reads->length[r], per_word);
        sorted[r] = (by_length){reads->length[r], (uint32_t)r};
    }
    qsort(sorted, reads->count, sizeof *sorted, longer_first);
    for (size_t r = 0; r < reads->count; r++) packed->order[r] = sorted[r].read;
    free(sorted);
    return WL_OK;
}

void papara_packed_free(papara_packed *packed) { WL_FREE(packed->letters, packed->first_word, packed->order); }
