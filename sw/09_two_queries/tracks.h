/* Which two queries share a band. Queries go on two tracks, one per half of a register, and a kernel takes the next rows of both:

     track 0   [ query 3              ][ query 0       ][ query 5, its last rows ]
     track 1   [ query 5, its first rows ][ query 1    ][ query 2  ][ query 4    ]
     kernels   [        ][             ]...

   A kernel has the rows that are left of the query that ends first, in the cheapest bands for so many rows. The other query
   continues in the next kernel. H and F of a kernel's last row go to the edge, in words that have both tracks. There are two
   ways to fill the tracks, and the host takes the cheaper one. Either each query is whole and goes, longest first, on the
   shorter track. Or one track is filled after the other, and the query in the middle is cut so that both are equally long. */
#ifndef SW_09_TWO_QUERIES_TRACKS_H
#define SW_09_TWO_QUERIES_TRACKS_H

#include "sw/kit/bands.h"

enum { SW_TRACKS = 2, SW_TWO_THREADS = 384 };

/* Which rows of a query a track has. The cut query's last rows are on track 0, its first rows on track 1. */
typedef enum { SW_WHOLE, SW_FIRST_ROWS, SW_LAST_ROWS } sw_share;

/* Rows first .. end - 1 of a query of `length` rows. SW_FIRST_ROWS end where a kernel's rows end, which may be after `end`;
   SW_LAST_ROWS begin there. */
typedef struct {
    size_t query, first, end, length;
    sw_share share;
} sw_part;

/* A track's rows in a kernel: `rows` rows of `query` from `row` on, or 0 if it has none. above: H and F of the row above come
   from the edge. below: other rows of the query follow. */
typedef struct {
    size_t query, row, rows;
    int above, below;
} sw_track_band;

typedef struct {
    int shape;
    size_t profile; // where its scores begin, in words of the plan's profile
    sw_track_band half[SW_TRACKS];
    int takes_up; // track 0 begins with the cut query's last rows; the row above them is in the edge that was kept
    int leaves;   // track 1 ends the cut query's first rows, and its edge is kept
} sw_two_bands;

typedef struct {
    sw_part *part[SW_TRACKS]; // [parts]
    size_t parts[SW_TRACKS], rows[SW_TRACKS];
} sw_tracks;

typedef struct {
    sw_two_bands *kernels; // [count], in the order in which they run
    size_t count, profile_words;
    int edges; // how many it needs: none, one, or two if one is kept for the cut query
    double cost;
} sw_two_plan;

/* Eight lanes load from shared memory together. If a lane has all rows, each of the eight has its own copy of the profile, in
   its own banks. */
enum { SW_PROFILE_LANES = 8 };
static inline int sw_profile_lanes(const sw_shape *shape) {
    return shape->lanes < SW_PROFILE_LANES ? SW_PROFILE_LANES : shape->lanes;
}

/* A profile has a word for each letter and row: two queries' scores, ready to add. */
static inline size_t sw_two_profile_words(const sw_shape *shape) {
    return (size_t)SW_PROFILE_CODES * sw_profile_lanes(shape) * shape->rows;
}

/* --- Filling the tracks -------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t length;
    size_t query;
} sw_by_length;

static inline int sw_longer(const void *left, const void *right) {
    const sw_by_length *a = (const sw_by_length *)left, *b = (const sw_by_length *)right;
    if (a->length != b->length) return a->length < b->length ? 1 : -1;
    return (a->query > b->query) - (a->query < b->query);
}

static inline void sw_append(sw_tracks *tracks, int track, sw_part part) {
    tracks->part[track][tracks->parts[track]++] = part;
    tracks->rows[track] += part.end - part.first;
}

/* Each query whole, longest first. */
static inline void sw_fill_whole(const sw_by_length *order, size_t count, sw_tracks *tracks) {
    for (size_t k = 0; k < count; k++)
        sw_append(tracks, tracks->rows[1] < tracks->rows[0],
                  (sw_part){order[k].query, 0, order[k].length, order[k].length, SW_WHOLE});
}

/* Fills track 0 until it has half of all rows. The query that is cut there begins on track 1, so its first rows are done long
   before track 0 comes to its last rows. A query that is longer than half of all rows is not cut. */
static inline void sw_fill_halves(const sw_by_length *order, size_t count, uint64_t letters, sw_tracks *tracks) {
    const uint64_t half = (letters + 1) / 2;
    int track = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t length = order[k].length, query = order[k].query, room = half - (track ? 0 : tracks->rows[0]);
        if (track == 0 && length > room && room > 0 && length <= half) {
            sw_append(tracks, 1, (sw_part){query, 0, length - room, length, SW_FIRST_ROWS});
            sw_append(tracks, 0, (sw_part){query, length - room, length, length, SW_LAST_ROWS});
        } else {
            sw_append(tracks, track, (sw_part){query, 0, length, length, SW_WHOLE});
        }
        if (tracks->rows[0] >= half) track = 1;
    }
}

/* --- Kernels of both tracks ------------------------------------------------------------------------------------------ */

/* A walk along both tracks. cut: the row at which the cut query's first rows have ended; 0: they have not ended. */
typedef struct {
    const sw_tracks *tracks;
    size_t part[SW_TRACKS], row[SW_TRACKS], cut;
} sw_walk;

static inline const sw_part *sw_part_at(const sw_walk *walk, int track) {
    return walk->part[track] < walk->tracks->parts[track] ? &walk->tracks->part[track][walk->part[track]] : NULL;
}

static inline void sw_begin_part(sw_walk *walk, int track) {
    const sw_part *part = sw_part_at(walk, track);
    if (part != NULL) walk->row[track] = part->first;
}

/* The rows that are left of a track's current query; 0 at the track's end, or while it waits for the cut query's first rows. */
static inline size_t sw_rows_left(sw_walk *walk, int track) {
    const sw_part *part = sw_part_at(walk, track);
    if (part != NULL && part->share == SW_LAST_ROWS && walk->row[track] <= walk->cut) {
        walk->row[track] = walk->cut;
        if (walk->cut == part->end) { // no rows are left for this track
            walk->part[track]++;
            sw_begin_part(walk, track);
            part = sw_part_at(walk, track);
        }
    }
    if (part == NULL || (part->share == SW_LAST_ROWS && walk->cut == 0)) return 0;
    return part->end - walk->row[track];
}

/* Takes a track's next rows, at most `rows`, for a kernel. */
static inline sw_track_band sw_take_rows(sw_walk *walk, int track, size_t rows) {
    const sw_part *part = sw_part_at(walk, track);
    const size_t row = walk->row[track], left = (part->share == SW_FIRST_ROWS ? part->length : part->end) - row;
    if (rows > left) rows = left;
    const size_t end = row + rows;
    walk->row[track] = end;
    if (end >= part->end) {
        if (part->share == SW_FIRST_ROWS) walk->cut = end;
        walk->part[track]++;
        sw_begin_part(walk, track);
    }
    return (sw_track_band){part->query, row, rows, row > 0, end < part->length};
}

/* Computes the number of kernels, their cost and memory; if plan->kernels [count] is there, the kernels as well. */
static inline void sw_run_tracks(const sw_cut *cut, const sw_tracks *tracks, sw_two_plan *plan) {
    sw_walk walk = {.tracks = tracks};
    plan->count = plan->profile_words = 0;
    plan->edges = 0;
    plan->cost = 0;
    for (int t = 0; t < SW_TRACKS; t++) sw_begin_part(&walk, t);
    for (;; plan->count++) {
        size_t left[SW_TRACKS];
        for (int t = 0; t < SW_TRACKS; t++) left[t] = sw_rows_left(&walk, t);
        const size_t longer = left[0] > left[1] ? left[0] : left[1], shorter = left[0] > left[1] ? left[1] : left[0];
        if (longer == 0) break;
        const int shape = sw_cut_first(cut, shorter > 0 ? shorter : longer);
        sw_two_bands bands = {.shape = shape, .profile = plan->profile_words};
        for (int t = 0; t < SW_TRACKS; t++) {
            const sw_part *part = left[t] > 0 ? sw_part_at(&walk, t) : NULL;
            if (part == NULL) continue;
            bands.takes_up |= part->share == SW_LAST_ROWS && walk.row[t] == walk.cut;
            bands.half[t] = sw_take_rows(&walk, t, sw_shape_rows(&cut->shapes[shape]));
            bands.leaves |= part->share == SW_FIRST_ROWS && walk.cut > 0 && bands.half[t].below;
            if (bands.half[t].below && plan->edges == 0) plan->edges = 1;
        }
        if (bands.leaves) plan->edges = 2;
        plan->profile_words += sw_two_profile_words(&cut->shapes[shape]);
        plan->cost += cut->shape_cost[shape];
        if (plan->kernels != NULL) plan->kernels[plan->count] = bands;
    }
}

/* Plans all queries; with_kernels: makes the kernels as well, which the caller frees. 0: there is not enough memory. */
static inline int sw_plan_queries(const sw_cut *cut, const sw_set *queries, int with_kernels, sw_two_plan *plan) {
    const size_t count = queries->count, parts = count + 1;
    sw_by_length *order = (sw_by_length *)malloc(sizeof *order * parts);
    sw_part *memory = (sw_part *)malloc(sizeof *memory * parts * 2 * SW_TRACKS);
    sw_two_plan made[2] = {};
    sw_tracks tracks[2] = {};
    *plan = (sw_two_plan){};
    int ok = order != NULL && memory != NULL;
    if (ok) {
        for (size_t q = 0; q < count; q++) order[q] = (sw_by_length){queries->length[q], q};
        qsort(order, count, sizeof *order, sw_longer);
        for (int way = 0; way < 2; way++)
            for (int t = 0; t < SW_TRACKS; t++) tracks[way].part[t] = memory + (way * SW_TRACKS + t) * parts;
        sw_fill_whole(order, count, &tracks[0]);
        sw_fill_halves(order, count, queries->letters, &tracks[1]);
        for (int way = 0; way < 2; way++) sw_run_tracks(cut, &tracks[way], &made[way]);
        const int way = made[1].cost < made[0].cost;
        *plan = made[way];
        if (with_kernels) {
            plan->kernels = (sw_two_bands *)malloc(sizeof *plan->kernels * (plan->count + 1));
            ok = plan->kernels != NULL;
            if (ok) sw_run_tracks(cut, &tracks[way], plan);
        }
    }
    free(order);
    free(memory);
    return ok;
}

/* --- Scores of both queries ------------------------------------------------------------------------------------------ */

/* The score of a track's row `row` with a letter; `none` after its last row and with SW_END. */
static inline uint16_t sw_track_score(const sw_input *in, const sw_track_band *band, size_t row, int code,
                                      uint16_t (*as_bits)(int score), uint16_t none) {
    if (row >= band->rows || code >= SW_END) return none;
    const uint8_t *query = in->queries.residues + in->queries.start[band->query];
    return as_bits(in->scoring.matrix[query[band->row + row]][code]);
}

static inline void sw_fill_two_profiles(const sw_input *in, const sw_shape *shape, const sw_two_bands *bands,
                                        uint16_t (*as_bits)(int score), uint16_t none, uint32_t *profile) {
    for (int code = 0; code < SW_PROFILE_CODES; code++)
        for (int lane = 0; lane < sw_profile_lanes(shape); lane++)
            for (int r = 0; r < shape->rows; r++) {
                const size_t row = (size_t)(lane % shape->lanes) * shape->rows + r;
                const uint32_t low = sw_track_score(in, &bands->half[0], row, code, as_bits, none),
                               high = sw_track_score(in, &bands->half[1], row, code, as_bits, none);
                profile[sw_profile_word(sw_profile_lanes(shape), shape->rows, code, lane, r)] = high << 16 | low;
            }
}

#endif
