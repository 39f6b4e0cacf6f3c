#include "sw/plan/tracks.h"

#include <stdlib.h>

#include "sw/plan/cut.h"

#define SHAPE(lanes, rows) {lanes, rows},
const sw_shape sw_track_shapes[] = {SW_TRACK_SHAPES(SHAPE)};
enum { SHAPE_COUNT = sizeof sw_track_shapes / sizeof *sw_track_shapes };

/* Which rows of a query a track has. The cut query's last rows are on track 0, its first rows on track 1. */
typedef enum { WHOLE, FIRST_ROWS, LAST_ROWS } share;

/* Rows first .. end - 1 of a query of `length` rows. FIRST_ROWS end where a kernel's rows end, which may be after `end`;
   LAST_ROWS begin there. */
typedef struct {
    size_t query, first, end, length;
    share share;
} part_of_query;

typedef struct {
    part_of_query *part[SW_TRACKS]; // [parts]
    size_t parts[SW_TRACKS], rows[SW_TRACKS];
} tracks_of_queries;

/* edges: how many rows between bands it needs: none, one, or two if one is kept for the cut query. */
typedef struct {
    sw_track_pair *kernels; // [count]
    size_t count, profile_words;
    int edges;
    double cost;
} both_tracks;

static int profile_lanes(const sw_shape *shape) {
    return shape->lanes < SW_PROFILE_LANES ? SW_PROFILE_LANES : shape->lanes;
}

size_t sw_track_profile_words(const sw_shape *shape) {
    return (size_t)SW_PROFILE_CODES * (size_t)profile_lanes(shape) * (size_t)shape->rows;
}

/* --- Filling the tracks -------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t length;
    size_t query;
} by_length;

static int longer(const void *left, const void *right) {
    const by_length *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->query > b->query) - (a->query < b->query);
}

static void append(tracks_of_queries *tracks, int track, part_of_query part) {
    tracks->part[track][tracks->parts[track]++] = part;
    tracks->rows[track] += part.end - part.first;
}

/* Each query whole, longest first. */
static void fill_whole(const by_length *order, size_t count, tracks_of_queries *tracks) {
    for (size_t k = 0; k < count; k++)
        append(tracks, tracks->rows[1] < tracks->rows[0],
               (part_of_query){order[k].query, 0, order[k].length, order[k].length, WHOLE});
}

/* Fills track 0 until it has half of all rows. The query that is cut there begins on track 1, so its first rows are done long
   before track 0 comes to its last rows. A query that is longer than half of all rows is not cut. */
static void fill_halves(const by_length *order, size_t count, uint64_t letters, tracks_of_queries *tracks) {
    const uint64_t half = (letters + 1) / 2;
    int track = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t length = order[k].length, query = order[k].query, room = half - (track ? 0 : tracks->rows[0]);
        if (track == 0 && length > room && room > 0 && length <= half) {
            append(tracks, 1, (part_of_query){query, 0, length - room, length, FIRST_ROWS});
            append(tracks, 0, (part_of_query){query, length - room, length, length, LAST_ROWS});
        } else {
            append(tracks, track, (part_of_query){query, 0, length, length, WHOLE});
        }
        if (tracks->rows[0] >= half) track = 1;
    }
}

/* --- Kernels of both tracks ------------------------------------------------------------------------------------------ */

/* A walk along both tracks. cut: the row at which the cut query's first rows have ended; 0: they have not ended. */
typedef struct {
    const tracks_of_queries *tracks;
    size_t part[SW_TRACKS], row[SW_TRACKS], cut;
} walk_along;

static const part_of_query *part_at(const walk_along *walk, int track) {
    return walk->part[track] < walk->tracks->parts[track] ? &walk->tracks->part[track][walk->part[track]] : NULL;
}

static void begin_part(walk_along *walk, int track) {
    const part_of_query *part = part_at(walk, track);
    if (part != NULL) walk->row[track] = part->first;
}

/* The rows that are left of a track's current query; 0 at the track's end, or while it waits for the cut query's first rows. */
static size_t rows_left(walk_along *walk, int track) {
    const part_of_query *part = part_at(walk, track);
    if (part != NULL && part->share == LAST_ROWS && walk->row[track] <= walk->cut) {
        walk->row[track] = walk->cut;
        if (walk->cut == part->end) { // no rows are left for this track
            walk->part[track]++;
            begin_part(walk, track);
            part = part_at(walk, track);
        }
    }
    if (part == NULL || (part->share == LAST_ROWS && walk->cut == 0)) return 0;
    return part->end - walk->row[track];
}

/* Takes a track's next rows, at most `rows`, for a kernel. */
static sw_track_band take_rows(walk_along *walk, int track, size_t rows) {
    const part_of_query *part = part_at(walk, track);
    const size_t row = walk->row[track], left = (part->share == FIRST_ROWS ? part->length : part->end) - row;
    if (rows > left) rows = left;
    const size_t end = row + rows;
    walk->row[track] = end;
    if (end >= part->end) {
        if (part->share == FIRST_ROWS) walk->cut = end;
        walk->part[track]++;
        begin_part(walk, track);
    }
    return (sw_track_band){part->query, row, rows, row > 0, end < part->length};
}

/* Computes the number of kernels, their cost and memory; if plan->kernels [count] is there, the kernels as well. */
static void run_tracks(const sw_cut *cut, const tracks_of_queries *tracks, both_tracks *plan) {
    walk_along walk = {.tracks = tracks};
    plan->count = plan->profile_words = 0;
    plan->edges = 0;
    plan->cost = 0;
    for (int t = 0; t < SW_TRACKS; t++) begin_part(&walk, t);
    for (;; plan->count++) {
        size_t left[SW_TRACKS];
        for (int t = 0; t < SW_TRACKS; t++) left[t] = rows_left(&walk, t);
        const size_t longer = left[0] > left[1] ? left[0] : left[1], shorter = left[0] > left[1] ? left[1] : left[0];
        if (longer == 0) break;
        const int shape = sw_cut_first(cut, shorter > 0 ? shorter : longer);
        sw_track_pair bands = {.shape = shape, .profile = plan->profile_words};
        for (int t = 0; t < SW_TRACKS; t++) {
            const part_of_query *part = left[t] > 0 ? part_at(&walk, t) : NULL;
            if (part == NULL) continue;
            bands.takes_up |= part->share == LAST_ROWS && walk.row[t] == walk.cut;
            bands.half[t] = take_rows(&walk, t, sw_shape_rows(&cut->shapes[shape]));
            bands.leaves |= part->share == FIRST_ROWS && walk.cut > 0 && bands.half[t].below;
            if (bands.half[t].below && plan->edges == 0) plan->edges = 1;
        }
        if (bands.leaves) plan->edges = 2;
        plan->profile_words += sw_track_profile_words(&cut->shapes[shape]);
        plan->cost += cut->shape_cost[shape];
        if (plan->kernels != NULL) plan->kernels[plan->count] = bands;
    }
}

/* Plans all queries; with_kernels: makes the kernels as well, which the caller frees. 0: there is not enough memory. */
static int plan_queries(const sw_cut *cut, const sw_set *queries, int with_kernels, both_tracks *plan) {
    const size_t count = queries->count, parts = count + 1;
    by_length *order = malloc(sizeof *order * parts);
    part_of_query *memory = malloc(sizeof *memory * parts * 2 * SW_TRACKS);
    both_tracks made[2] = {0};
    tracks_of_queries tracks[2] = {0};
    *plan = (both_tracks){0};
    int ok = order != NULL && memory != NULL;
    if (ok) {
        for (size_t q = 0; q < count; q++) order[q] = (by_length){queries->length[q], q};
        qsort(order, count, sizeof *order, longer);
        for (int way = 0; way < 2; way++)
            for (int t = 0; t < SW_TRACKS; t++) tracks[way].part[t] = memory + (way * SW_TRACKS + t) * parts;
        fill_whole(order, count, &tracks[0]);
        fill_halves(order, count, queries->letters, &tracks[1]);
        for (int way = 0; way < 2; way++) run_tracks(cut, &tracks[way], &made[way]);
        const int way = made[1].cost < made[0].cost;
        *plan = made[way];
        if (with_kernels) {
            plan->kernels = malloc(sizeof *plan->kernels * (plan->count + 1));
            ok = plan->kernels != NULL;
            if (ok) run_tracks(cut, &tracks[way], plan);
        }
    }
    free(order);
    free(memory);
    return ok;
}

/* --- Scores of both queries ------------------------------------------------------------------------------------------ */

/* The score of a track's row `row` with a letter; `none` after its last row and with SW_END. */
static uint16_t track_score(const sw_input *in, const sw_track_band *band, size_t row, int code,
                            const sw_numbers *numbers) {
    if (row >= band->rows || code >= SW_END) return numbers->none;
    const uint8_t *query = in->queries.residues + in->queries.start[band->query];
    return numbers->as_bits(in->scoring.matrix[query[band->row + row]][code]);
}

static void fill_profiles(const sw_input *in, const sw_shape *shape, const sw_track_pair *bands,
                          const sw_numbers *numbers, uint32_t *profile) {
    for (int code = 0; code < SW_PROFILE_CODES; code++)
        for (int lane = 0; lane < profile_lanes(shape); lane++)
            for (int r = 0; r < shape->rows; r++) {
                const size_t row = (size_t)(lane % shape->lanes) * shape->rows + r;
                const uint32_t low = track_score(in, &bands->half[0], row, code, numbers),
                               high = track_score(in, &bands->half[1], row, code, numbers);
                profile[sw_profile_word(profile_lanes(shape), shape->rows, code, lane, r)] = high << 16 | low;
            }
}

/* --- The plan -------------------------------------------------------------------------------------------------------- */

static sw_outline outline_of(const wl_device *device, const sw_input *in) {
    return sw_outline_of(&sw_pace_two_queries, in, device->multiprocessors, SW_BANDED_LANES);
}

static sw_cut cut_of(const wl_device *device, const sw_outline *outline) {
    return sw_choose_bands(&sw_pace_two_queries, sw_track_shapes, SHAPE_COUNT, &outline->database,
                           device->multiprocessors);
}

static size_t device_bytes(const sw_input *in, const sw_outline *outline, const both_tracks *both) {
    return sw_banded_bytes(in, outline, both->profile_words, both->count, SW_TRACKS * both->edges);
}

static int has_shared_memory(int capability) {
    return capability == 80 || capability == 87 || (capability >= 90 && capability < 120);
}

const char *sw_tracks_supports(const wl_device *device, const void *input) {
    const sw_input *in = input;
    if (!has_shared_memory(device->compute_capability))
        return "a block needs 162 KB of shared memory, which devices of compute capability 8.0, 8.7, 9.0 and 10 have";
    if (sw_is_short_two_queries(device, in)) return sw_short_supports(&sw_short_two_queries, device, in);
    const sw_outline outline = outline_of(device, in);
    if (sw_refuse_banded(in, &outline) != NULL) return sw_refuse_banded(in, &outline);
    const sw_cut cut = cut_of(device, &outline);
    both_tracks both;
    if (!plan_queries(&cut, &in->queries, 0, &both)) return "not enough memory for the bands of so many queries";
    return device_bytes(in, &outline, &both) > device->memory_free ? SW_BANDED_TOO_LARGE : NULL;
}

/* What stage 08 costs. */
static double cost_before(const wl_device *device, const sw_input *in) {
    if (sw_is_short_two_subjects(device, in)) return sw_short_cost(&sw_short_two_subjects, in, device->multiprocessors);
    const sw_outline outline = sw_outline_of(&sw_pace_two_subjects, in, device->multiprocessors, SW_BANDED_LANES);
    const sw_cut cut = sw_choose_stream_bands(&outline.database, device->multiprocessors);
    return sw_cut_cost(&cut, &in->queries);
}

/* By the paces of both stages. A single query leaves half of every register empty in stage 09. GPUs without DPX instructions were not
   measured. */
int sw_tracks_faster(const wl_device *device, const void *input) {
    enum { HOPPER = 90 };
    const sw_input *in = input;
    if (device->compute_capability < HOPPER || !has_shared_memory(device->compute_capability)) return 0;
    const double before = cost_before(device, in);
    if (sw_is_short_two_queries(device, in))
        return sw_short_cost(&sw_short_two_queries, in, device->multiprocessors) < before;
    const sw_outline outline = outline_of(device, in);
    const sw_cut cut = cut_of(device, &outline);
    both_tracks both;
    return plan_queries(&cut, &in->queries, 0, &both) && both.cost < before;
}

wl_status sw_plan_tracks(const wl_device *device, const sw_input *in, const sw_numbers *numbers, sw_scan_plan *plan) {
    const sw_outline outline = outline_of(device, in);
    const sw_cut cut = cut_of(device, &outline);
    both_tracks both;
    *plan = (sw_scan_plan){.size = outline.size, .lanes = 1, .most = numbers->most(in)};
    if (plan_queries(&cut, &in->queries, 1, &both))
        plan->profile = malloc(sizeof *plan->profile * (both.profile_words + 1));
    plan->launches = both.kernels;
    if (plan->profile == NULL) {
        sw_free_plan(plan);
        return wl_fail(WL_NO_MACHINE, "not enough memory for the bands of %zu queries", in->queries.count);
    }
    plan->kernels = both.count;
    plan->profile_words = both.profile_words;
    plan->edges = SW_TRACKS * both.edges;
    plan->device_bytes = device_bytes(in, &outline, &both);
    for (size_t k = 0; k < both.count; k++) {
        const sw_track_pair *pair = &both.kernels[k];
        fill_profiles(in, &sw_track_shapes[pair->shape], pair, numbers, plan->profile + pair->profile);
    }
    return WL_OK;
}
