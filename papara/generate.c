#include "papara/generate.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"
#include "harness/base/memory.h"

/* Random streams: each stretch of sites and each read has its own, so the order of the threads does not matter. */
enum { TREE_STREAMS = 0, SITE_STREAMS = 1, LENGTH_STREAMS = 2, READ_STREAMS = 3 };

static wl_random stream_of(const papara_random_recipe *recipe, int streams, size_t which) {
    return wl_random_stream(recipe->seed, ((uint64_t)streams << 40) + which);
}

/* True with probability share / 65,536. */
static int happens(wl_random *random, uint32_t share) { return wl_random_next(random) >> 48 < share; }

/* Geometric: 1, 2, ... with this mean. */
static uint32_t run_length(wl_random *random, uint32_t mean) {
    uint32_t length = 1;
    while (wl_random_below(random, mean) > 0) length++;
    return length;
}

/* --- Vectors ----------------------------------------------------------------------------------------------------- */

/* How vectors of a kind are made; shares of 65,536. */
typedef struct {
    int related;       // to an earlier vector; else each is like the first
    uint32_t gaps;     // of the first vector's sites begin a run of CGAP
    uint32_t gap_mean; // sites of a run
    uint32_t events;   // of a related vector's sites begin a run that differs: CGAP, none, or all states without it
    uint32_t changes;  // of a related vector's sites have other states
} vector_law;

static const vector_law vector_laws[PAPARA_KINDS] = {
    [PAPARA_KIND_CUT] = {1, 1800, 12, 160, 1000},    [PAPARA_KIND_RANDOM] = {0, 1800, 12, 0, 0},
    [PAPARA_KIND_GAPS] = {1, 8000, 9, 2000, 1000},   [PAPARA_KIND_AMBIGUOUS] = {0, 16384, 3, 0, 0},
    [PAPARA_KIND_ALLGAP] = {1, 1800, 12, 160, 1000}, [PAPARA_KIND_REPEAT] = {0, 0, 1, 0, 0},
};

/* Sets as parsimony makes them: mostly one state, two or three if the neighbours differ, sometimes all. */
static uint32_t draw_states(const papara_random_recipe *recipe, wl_random *random) {
    const uint32_t all = papara_all_states(recipe->alphabet), states = (uint32_t)papara_states(recipe->alphabet);
    if (recipe->kind == PAPARA_KIND_AMBIGUOUS) return 1 + wl_random_below(random, all);
    const uint32_t percent = wl_random_below(random, 100);
    if (percent >= 97) return all;
    const int wanted = percent < 80 ? 1 : percent < 93 ? 2 : 3;
    uint32_t set = 0;
    while (__builtin_popcount(set) < wanted) set |= (uint32_t)1 << wl_random_below(random, states);
    return set;
}

/* A site that is a gap in all neighbours has all states; otherwise it keeps theirs. */
static uint32_t draw_gap(const papara_random_recipe *recipe, wl_random *random) {
    const int keeps = recipe->kind == PAPARA_KIND_AMBIGUOUS || wl_random_below(random, 5) == 0;
    return PAPARA_CGAP | (keeps ? draw_states(recipe, random) : papara_all_states(recipe->alphabet));
}

/* site [count]: a stretch of one vector. parent [count]: the same stretch of the vector that it is related to, or NULL. */
static void fill_sites(const papara_random_recipe *recipe, wl_random *random, const uint32_t *parent, uint32_t count,
                       uint32_t *site) {
    const vector_law *law = &vector_laws[recipe->kind];
    const uint32_t begins = parent ? law->events : law->gaps;
    enum { GAP, RESIDUES, OPEN } run = GAP;
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (left == 0 && happens(random, begins)) {
            const uint32_t one_of_five = parent ? wl_random_below(random, 5) : 0;
            run = one_of_five < 2 ? GAP : one_of_five < 4 ? RESIDUES : OPEN;
            left = run_length(random, law->gap_mean);
        }
        if (left > 0) {
            left--;
            site[i] = run == GAP    ? draw_gap(recipe, random)
                      : run == OPEN ? papara_all_states(recipe->alphabet)
                                    : draw_states(recipe, random);
        } else if (parent && !happens(random, law->changes)) {
            site[i] = parent[i];
        } else {
            site[i] = draw_states(recipe, random) | (parent ? parent[i] & PAPARA_CGAP : 0);
        }
        if (recipe->kind == PAPARA_KIND_ALLGAP) site[i] |= PAPARA_CGAP;
    }
}

/* Letter i of a repeat with period 1, 2 or 3. */
static uint32_t repeated_state(const papara_random_recipe *recipe, size_t which, size_t i) {
    return (uint32_t)((i % (1 + which % 3) + which / 3) % (size_t)papara_states(recipe->alphabet));
}

/* Every fourth vector has CGAP on all sites: a read as long as it, of other letters, has the highest cost possible. */
static void fill_repeat(const papara_random_recipe *recipe, size_t vector, uint32_t *site) {
    for (uint32_t i = 0; i < recipe->sites; i++) {
        site[i] = (uint32_t)1 << repeated_state(recipe, vector, i);
        if (vector % 4 == 3 || (vector % 4 == 1 && i % 16 >= 12)) site[i] |= PAPARA_CGAP;
    }
}

/* Stretches are made in parallel. Within a stretch vectors are made in order, because each is copied from an earlier one. Runs end at
   the end of a stretch. parents [vectors]. */
static void fill_vectors(const papara_random_recipe *recipe, const size_t *parents, uint32_t *site) {
    enum { STRETCH = 4096 };
    const size_t n = recipe->sites, stretches = (n + STRETCH - 1) / STRETCH;
    if (recipe->kind == PAPARA_KIND_REPEAT) {
        for (size_t v = 0; v < recipe->vectors; v++) fill_repeat(recipe, v, site + v * n);
        return;
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t s = 0; s < stretches; s++) {
        wl_random random = stream_of(recipe, SITE_STREAMS, s);
        const size_t first = s * STRETCH, count = n - first < STRETCH ? n - first : STRETCH;
        for (size_t v = 0; v < recipe->vectors; v++) {
            const int related = v > 0 && vector_laws[recipe->kind].related;
            fill_sites(recipe, &random, related ? site + parents[v] * n + first : NULL, (uint32_t)count,
                       site + v * n + first);
        }
    }
}

/* --- Reads ------------------------------------------------------------------------------------------------------- */

/* How often a read differs from its source, in 65,536ths per letter. */
typedef struct {
    uint32_t substitutions, insertions, deletions, ambiguous, run_mean;
} read_law;

static const read_law cut_law = {1300, 200, 200, 650, 2}, gaps_law = {650, 1300, 2000, 650, 9};

/* The codes of the alphabet's letters. */
typedef struct {
    uint8_t codes[PAPARA_CODES];
    uint32_t count;
} letter_codes;

static letter_codes all_codes(papara_alphabet alphabet) {
    letter_codes all = {.count = 0};
    uint32_t seen = 0;
    for (unsigned char letter = 'A'; letter <= 'Z'; letter++) {
        int code = papara_code(alphabet, letter);
        if (code < 0 || seen >> code & 1) continue;
        seen |= (uint32_t)1 << code;
        all.codes[all.count++] = (uint8_t)code;
    }
    return all;
}

/* The letter that is this one state. */
static uint8_t code_of_state(papara_alphabet alphabet, uint32_t state) {
    return (uint8_t)(alphabet == PAPARA_DNA ? 1u << state : state);
}

static uint8_t random_letter(papara_alphabet alphabet, wl_random *random) {
    return code_of_state(alphabet, wl_random_below(random, (uint32_t)papara_states(alphabet)));
}

/* A letter that stands for this state and others. */
static uint8_t ambiguous_letter(const papara_random_recipe *recipe, const letter_codes *all, const uint32_t *sets,
                                wl_random *random, uint32_t state) {
    for (;;) {
        const uint8_t code = all->codes[wl_random_below(random, all->count)];
        if (sets[code] >> state & 1 && code != code_of_state(recipe->alphabet, state)) return code;
    }
}

/* One of the states of `set`. */
static uint32_t pick_state(const papara_random_recipe *recipe, wl_random *random, uint32_t set) {
    for (;;) {
        const uint32_t state = wl_random_below(random, (uint32_t)papara_states(recipe->alphabet));
        if (set >> state & 1) return state;
    }
}

/* A walk along one vector from a random site. Letters come from its sites, seldom from those with CGAP. Letters after the vector's end
   are random. */
static void cut_read(const papara_random_recipe *recipe, const letter_codes *all, const papara_input *input,
                     wl_random *random, uint32_t m, uint8_t *codes) {
    const read_law *law = recipe->kind == PAPARA_KIND_GAPS ? &gaps_law : &cut_law;
    const uint32_t *site = input->site + wl_random_below(random, (uint32_t)recipe->vectors) * (size_t)recipe->sites;
    uint64_t at = wl_random_below(random, recipe->sites - m + 1);
    uint32_t inserting = 0;
    for (uint32_t k = 0; k < m; k++) {
        if (inserting > 0)
            inserting--;
        else if (happens(random, law->insertions))
            inserting = run_length(random, law->run_mean);
        else if (happens(random, law->deletions))
            at += run_length(random, law->run_mean);
        if (recipe->kind != PAPARA_KIND_ALLGAP)
            while (at < recipe->sites && site[at] & PAPARA_CGAP && wl_random_below(random, 16) > 0) at++;
        if (inserting > 0 || at >= recipe->sites) {
            codes[k] = random_letter(recipe->alphabet, random);
            continue;
        }
        const uint32_t state = pick_state(recipe, random, site[at++]);
        codes[k] = happens(random, law->substitutions) ? random_letter(recipe->alphabet, random)
                   : happens(random, law->ambiguous)   ? ambiguous_letter(recipe, all, input->sets, random, state)
                                                       : code_of_state(recipe->alphabet, state);
    }
}

static void fill_read(const papara_random_recipe *recipe, const letter_codes *all, const papara_input *input, size_t r,
                      uint8_t *codes) {
    wl_random random = stream_of(recipe, READ_STREAMS, r);
    const uint32_t m = input->reads.length[r];
    if (recipe->kind == PAPARA_KIND_REPEAT) {
        for (uint32_t k = 0; k < m; k++) codes[k] = code_of_state(recipe->alphabet, repeated_state(recipe, r, k));
    } else if (recipe->kind == PAPARA_KIND_AMBIGUOUS) {
        for (uint32_t k = 0; k < m; k++) codes[k] = all->codes[wl_random_below(&random, all->count)];
    } else if (recipe->kind == PAPARA_KIND_RANDOM || recipe->vectors == 0) {
        for (uint32_t k = 0; k < m; k++) codes[k] = random_letter(recipe->alphabet, &random);
    } else {
        cut_read(recipe, all, input, &random, m, codes);
    }
}

/* Lengths below the mean are equally likely, and so are those above it. The share of each side makes the mean exact. */
static uint32_t draw_length(const papara_random_recipe *recipe, size_t r) {
    const uint32_t low = recipe->shortest, mean = recipe->read_length, high = recipe->longest;
    if (recipe->length_count > 0) return recipe->lengths[r % recipe->length_count];
    if (low == mean || high == mean) return mean; // otherwise the mean could not be exact
    wl_random random = stream_of(recipe, LENGTH_STREAMS, r);
    return wl_random_below(&random, high - low) < high - mean ? low + wl_random_below(&random, mean - low + 1)
                                                              : mean + wl_random_below(&random, high - mean + 1);
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static wl_status allocate(const papara_random_recipe *recipe, uint64_t letters, papara_owned_input *made) {
    const uint64_t sites = sizeof(uint32_t) * recipe->vectors * (uint64_t)recipe->sites;
    const uint64_t reads = (sizeof(uint64_t) + sizeof(uint32_t)) * recipe->reads + letters;
    const int fits = sites + reads < wl_memory_available();
    made->site = fits ? malloc(sites + 1) : NULL;
    made->start = fits ? malloc(reads + 1) : NULL;
    if (made->site && made->start) return WL_OK;
    papara_owned_input_free(made);
    return wl_fail(WL_NO_MACHINE, "%zu vectors of %u sites and %zu reads need %.1f GB of memory; %.1f GB are free",
                   recipe->vectors, recipe->sites, recipe->reads, 1e-9 * (double)(sites + reads),
                   1e-9 * (double)wl_memory_available());
}

wl_status papara_generate(const papara_random_recipe *recipe, papara_owned_input *made) {
    uint64_t letters = 0;
    for (size_t r = 0; r < recipe->reads; r++) letters += draw_length(recipe, r);
    *made = (papara_owned_input){.site = NULL};
    WL_TRY(allocate(recipe, letters, made));
    size_t *parents = malloc(sizeof *parents * (recipe->vectors + 1));
    if (!parents) {
        papara_owned_input_free(made);
        return wl_fail(WL_NO_MACHINE, "not enough memory for %zu vectors", recipe->vectors);
    }

    uint64_t *start = made->start;
    uint32_t *length = (uint32_t *)(start + recipe->reads);
    uint8_t *codes = (uint8_t *)(length + recipe->reads);
    papara_input *input = &made->input;
    *input = (papara_input){.penalties = recipe->penalties,
                            .states = papara_states(recipe->alphabet),
                            .reads = {.count = recipe->reads, .length = length, .start = start, .codes = codes},
                            .vectors = recipe->vectors,
                            .sites = recipe->sites,
                            .site = made->site};
    papara_sets(recipe->alphabet, input->sets);

    wl_random tree = stream_of(recipe, TREE_STREAMS, 0);
    for (size_t v = 0; v < recipe->vectors; v++) parents[v] = v > 0 ? wl_random_below(&tree, (uint32_t)v) : 0;
    fill_vectors(recipe, parents, made->site);
    free(parents);

    for (size_t r = 0; r < recipe->reads; r++) {
        start[r] = input->reads.letters;
        length[r] = draw_length(recipe, r);
        input->reads.letters += length[r];
        if (length[r] > input->reads.longest) input->reads.longest = length[r];
    }
    const letter_codes all = all_codes(recipe->alphabet);
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t r = 0; r < recipe->reads; r++) fill_read(recipe, &all, input, r, codes + start[r]);
    return WL_OK;
}

void papara_owned_input_free(papara_owned_input *made) {
    WL_FREE(made->site, made->start);
    *made = (papara_owned_input){.site = NULL};
}
