#include "sw/plan/short.h"

#include <stdlib.h>

#include "sw/plan/cut.h"
#include "sw/plan/layout.h"

const sw_short_form sw_short_two_subjects = {2, 1, 9.9}, sw_short_two_queries = {1, 2, 9.0};

#define ROWS_OF(rows) rows,
static const int short_rows[] = {SW_SHORT_ROWS(ROWS_OF)};

/* The index of the first that suffice. */
static int index_of(uint32_t length) {
    int k = 0;
    while ((uint32_t)short_rows[k] < length) k++;
    return k;
}

/* --- The choice ---------------------------------------------------------------------------------------------------- */

/* A database's letters and longest subject, once it is cut for groups of `lanes` lanes. */
static sw_set cut_database(const sw_pace *pace, const sw_input *in, int multiprocessors, int lanes) {
    const sw_piece_size size = sw_choose_pieces(in, sw_at_a_time(pace, multiprocessors, lanes));
    const uint32_t piece = size.step + size.step / 2 + size.overlap;
    sw_set set = {.letters = in->database.letters, .longest = in->database.longest};
    if (size.step > 0 && set.longest > piece) set.longest = piece;
    return set;
}

static sw_pace pace_of(const sw_short_form *form) { return (sw_pace){form->subjects, form->clocks, 1, 0}; }

/* If a lane has two queries, they are neighbours by length. */
double sw_short_cost(const sw_short_form *form, const sw_input *in, int multiprocessors) {
    const sw_pace pace = pace_of(form);
    const sw_set database = cut_database(&pace, in, multiprocessors, 1);
    size_t number[SW_SHORT_MOST + 1] = {0}, taken = 0;
    double cost = 0;
    for (size_t q = 0; q < in->queries.count; q++) number[in->queries.length[q]]++;
    for (int length = SW_SHORT_MOST; length >= 0; length--)
        for (; number[length] > 0; number[length]--, taken++) {
            const sw_shape shape = {1, short_rows[index_of((uint32_t)length)]};
            if (taken % (size_t)form->queries == 0) cost += sw_shape_cost(&pace, &shape, &database, multiprocessors);
        }
    return cost;
}

static int is_short(const sw_short_form *form, const sw_pace *pace, const wl_device *device, const sw_input *in) {
    enum { LANES = 8, ROWS = SW_SHORT_MOST / LANES };
    if (in->queries.longest > SW_SHORT_MOST) return 0;
    const sw_shape shape = {LANES, ROWS};
    const sw_set database = cut_database(pace, in, device->multiprocessors, LANES);
    const size_t kernels = (in->queries.count + (size_t)form->queries - 1) / (size_t)form->queries;
    return sw_short_cost(form, in, device->multiprocessors) <=
           (double)kernels * sw_shape_cost(pace, &shape, &database, device->multiprocessors);
}

int sw_is_short_two_subjects(const wl_device *device, const sw_input *in) {
    return is_short(&sw_short_two_subjects, &sw_pace_two_subjects, device, in);
}

int sw_is_short_two_queries(const wl_device *device, const sw_input *in) {
    return is_short(&sw_short_two_queries, &sw_pace_two_queries, device, in);
}

/* --- Memory -------------------------------------------------------------------------------------------------------- */

static sw_outline outline_of(const sw_short_form *form, const wl_device *device, const sw_input *in) {
    const sw_pace pace = pace_of(form);
    sw_outline outline = sw_outline_of(&pace, in, device->multiprocessors, 1);
    // A group's subjects take as many words as its longest one, which is at most as long as any in the group before.
    outline.words += (uint64_t)SW_WARP * (uint64_t)form->subjects * (((uint64_t)outline.database.longest + 3) / 4);
    return outline;
}

/* No profile is larger than two queries' of 32 rows. */
static size_t device_bytes(const sw_short_form *form, const sw_input *in, const sw_outline *outline) {
    const size_t words = (size_t)SW_PROFILE_CODES * (size_t)SW_SHORT_WORDS(form->queries, SW_SHORT_MOST);
    return sw_banded_bytes(in, outline, words * in->queries.count, in->queries.count, 0);
}

const char *sw_short_supports(const sw_short_form *form, const wl_device *device, const sw_input *in) {
    const sw_outline outline = outline_of(form, device, in);
    if (sw_refuse_banded(in, &outline) != NULL) return sw_refuse_banded(in, &outline);
    return device_bytes(form, in, &outline) > device->memory_free ? SW_BANDED_TOO_LARGE : NULL;
}

/* --- The plan ------------------------------------------------------------------------------------------------------ */

/* Longest queries first, so that those of a pair are about equally long. Returns how many launches there are; *words: of their
   profiles. */
static size_t make_launches(const sw_short_form *form, const sw_set *queries, sw_short_launch *launches,
                            size_t *words) {
    size_t count = 0;
    *words = 0;
    for (int length = SW_SHORT_MOST; length >= 0; length--)
        for (size_t q = 0; q < queries->count; q++) {
            if (queries->length[q] != (uint32_t)length) continue;
            sw_short_launch *launch = &launches[count];
            if (launch->queries == 0) {
                launch->index = index_of(queries->length[q]);
                launch->profile = *words;
                *words += (size_t)SW_PROFILE_CODES * (size_t)SW_SHORT_WORDS(form->queries, short_rows[launch->index]);
            }
            launch->query[launch->queries++] = q;
            if (launch->queries == form->queries) count++;
        }
    return launches[count].queries > 0 ? count + 1 : count; // the last query is alone
}

/* Half `half` of word `word` of a profile: row 2 word + half of the only query, or row `word` of query `half`. */
static uint16_t score_of(const sw_short_form *form, const sw_input *in, const sw_short_launch *launch, int code,
                         int word, int half, const sw_numbers *numbers) {
    const int of_two = form->queries > 1, row = of_two ? word : 2 * word + half;
    if (code >= SW_END || (of_two && half >= launch->queries)) return numbers->none;
    const size_t q = launch->query[of_two ? half : 0];
    if ((uint32_t)row >= in->queries.length[q]) return numbers->none;
    return numbers->as_bits(in->scoring.matrix[in->queries.residues[in->queries.start[q] + (size_t)row]][code]);
}

static void fill_profile(const sw_short_form *form, const sw_input *in, const sw_short_launch *launch,
                         const sw_numbers *numbers, uint32_t *profile) {
    const int words = SW_SHORT_WORDS(form->queries, short_rows[launch->index]);
    for (int at = 0; at < SW_PROFILE_CODES * words; at++) {
        const uint32_t low = score_of(form, in, launch, at / words, at % words, 0, numbers),
                       high = score_of(form, in, launch, at / words, at % words, 1, numbers);
        profile[at] = high << 16 | low;
    }
}

wl_status sw_plan_short(const sw_short_form *form, const wl_device *device, const sw_input *in,
                        const sw_numbers *numbers, sw_scan_plan *plan) {
    const size_t most = (in->queries.count + (size_t)form->queries - 1) / (size_t)form->queries;
    const sw_outline outline = outline_of(form, device, in);
    sw_short_launch *launches = calloc(most + 1, sizeof *launches);
    *plan = (sw_scan_plan){.size = outline.size, .lanes = (uint32_t)(SW_WARP * form->subjects), .launches = launches};
    plan->most = numbers->most(in);
    plan->device_bytes = device_bytes(form, in, &outline);
    if (launches != NULL) {
        plan->kernels = make_launches(form, &in->queries, launches, &plan->profile_words);
        plan->profile = malloc(sizeof *plan->profile * (plan->profile_words + 1));
    }
    if (plan->profile == NULL) {
        sw_free_plan(plan);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu queries", in->queries.count);
    }
    for (size_t k = 0; k < plan->kernels; k++)
        fill_profile(form, in, &launches[k], numbers, plan->profile + launches[k].profile);
    return WL_OK;
}
