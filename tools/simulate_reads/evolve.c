/* Sequences evolve forward in time down a tree that grows at the same time.

   The tree is Yule's: every lineage splits at the same rate, and all tips are equally far from the root. A lineage's
   sequence is its row of the alignment from the start; a new lineage copies it. Between splits it has events of three kinds, each
   at its own constant rate, one after the other (Gillespie's method):
   - substitutions: Kimura's model with kappa 2 (DNA), or any other amino acid alike (protein). A column's rate is exponential
     with mean 1, a gamma distribution of shape 1, so some columns hardly change and some change often;
   - deletions, which begin at a random letter and take a geometric number of letters, mean 3;
   - insertions. The number of columns is given, so insertions get some columns beforehand, in blocks of geometric length, mean 3,
     between the root's columns: as many as the tree's length leads one to expect, but at most three quarters. Each block enters at
     a random point of the tree, like the points of a Poisson process whose number is known. */
#include "tools/simulate_reads/evolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

static const double inserted_most = 0.75; // of the columns
enum { GAP_MEAN = 3, ROOT_CHILDREN = 3, NO_NODE = -1 };

typedef struct {
    double when; // the part of the tree's length that lies before its point of entry
    uint32_t first, length;
} block;

typedef struct {
    int32_t first_child, next_sibling, parent;
    double length;
} node;

typedef struct {
    const papara_recipe *recipe;
    wl_random random;
    char *const *row;
    double *rates; // [sites + 1]: the sum of the rates of the columns before
    block *blocks; // [block_count], by time
    size_t block_count, entered;
    double walked;
    uint32_t *letters; // [taxa]: of each row
    double *since;     // [taxa]: when the lineage began or was last brought up to date
    int32_t *at;       // [taxa]: its node
    node *nodes;       // [2 taxa - 2]
    int32_t node_count;
    double *wait; // [taxa + 1]: the time during which there are so many lineages
} evolution;

const char *papara_simulated_letters(papara_alphabet alphabet) {
    return alphabet == PAPARA_DNA ? "ACGT" : "ARNDCQEGHILKMFPSTWYV";
}

uint8_t papara_simulated_letter(papara_alphabet alphabet, wl_random *random) {
    return (uint8_t)papara_simulated_letters(alphabet)[wl_random_below(random, (uint32_t)papara_states(alphabet))];
}

char papara_substituted_letter(papara_alphabet alphabet, char letter, wl_random *random) {
    const char *letters = papara_simulated_letters(alphabet);
    uint32_t states = (uint32_t)papara_states(alphabet), from = (uint32_t)(strchr(letters, letter) - letters);
    if (alphabet == PAPARA_PROTEIN) return letters[(from + 1 + wl_random_below(random, states - 1)) % states];
    /* In ACGT the transition is two letters further, the transversions are one and three. */
    static const uint8_t steps[4] = {2, 2, 1, 3};
    return letters[(from + steps[wl_random_below(random, 4)]) % states];
}

static double exponential(wl_random *random) { return -log(1 - wl_random_unit(random)); }

static uint32_t gap_length(wl_random *random) {
    uint32_t length = 1;
    while (wl_random_below(random, GAP_MEAN) > 0) length++;
    return length;
}

/* --- Before time begins ------------------------------------------------------------------------------------------ */

/* Makes the waiting times and scales them so that they add up to the depth. Returns the tree's length. */
static double draw_times(evolution *e) {
    double sum = 0, length = 0;
    for (uint32_t n = ROOT_CHILDREN; n <= e->recipe->taxa; n++) sum += e->wait[n] = exponential(&e->random) / n;
    for (uint32_t n = ROOT_CHILDREN; n <= e->recipe->taxa; n++) {
        e->wait[n] *= e->recipe->depth / sum;
        length += n * e->wait[n];
    }
    return length;
}

static void draw_rates(evolution *e) {
    double sum = 0;
    for (uint32_t c = 0; c < e->recipe->sites; c++) {
        e->rates[c] = sum;
        sum += exponential(&e->random);
    }
    e->rates[e->recipe->sites] = sum;
}

static int by_time(const void *left, const void *right) {
    double a = ((const block *)left)->when, b = ((const block *)right)->when;
    return (a > b) - (a < b);
}

/* Decides which columns the root has and which are blocks to insert. Writes the root's sequence to row 0. */
static void lay_out(evolution *e, double tree_length) {
    const papara_recipe *recipe = e->recipe;
    double per_letter = tree_length * recipe->indels / 2 * GAP_MEAN, share = per_letter / (1 + per_letter);
    uint32_t inserted = (uint32_t)(recipe->sites * (share < inserted_most ? share : inserted_most));
    uint32_t least = recipe->longest > 0 ? recipe->longest : 1;
    if (inserted > recipe->sites - least) inserted = recipe->sites - least;
    for (uint32_t left = inserted; left > 0; left -= e->blocks[e->block_count++].length) {
        uint32_t length = gap_length(&e->random);
        e->blocks[e->block_count].length = length < left ? length : left;
    }
    /* A random order of the root's columns and the blocks: each place goes to either in proportion to what is left. */
    uint32_t own = recipe->sites - inserted, column = 0;
    char *root = e->row[0];
    memset(root, '-', recipe->sites);
    for (size_t b = 0; own > 0 || b < e->block_count;) {
        uint32_t items = own + (uint32_t)(e->block_count - b);
        if (wl_random_below(&e->random, items) < own) {
            root[column++] = (char)papara_simulated_letter(recipe->alphabet, &e->random);
            own--;
            continue;
        }
        e->blocks[b].first = column;
        e->blocks[b].when = wl_random_unit(&e->random) * tree_length;
        column += e->blocks[b++].length;
    }
    e->letters[0] = recipe->sites - inserted;
    if (e->block_count > 0) qsort(e->blocks, e->block_count, sizeof *e->blocks, by_time);
}

/* --- Events ------------------------------------------------------------------------------------------------------ */

static void substitute(evolution *e, uint32_t lineage) {
    const uint32_t sites = e->recipe->sites;
    double at = wl_random_unit(&e->random) * e->rates[sites];
    uint32_t low = 0, high = sites - 1; // the last column whose rates before it do not exceed `at`
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (e->rates[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    char *letter = &e->row[lineage][low];
    if (*letter != '-') *letter = papara_substituted_letter(e->recipe->alphabet, *letter, &e->random);
}

/* A row never gets shorter than the longest read, so that every read can be cut from every row. */
static void delete_letters(evolution *e, uint32_t lineage) {
    const uint32_t least = e->recipe->longest > 0 ? e->recipe->longest : 1;
    char *row = e->row[lineage];
    uint32_t column = wl_random_below(&e->random, e->recipe->sites);
    if (row[column] == '-') return;
    uint32_t length = gap_length(&e->random);
    for (; length > 0 && column < e->recipe->sites && e->letters[lineage] > least; column++) {
        if (row[column] == '-') continue;
        row[column] = '-';
        e->letters[lineage]--;
        length--;
    }
}

static void insert(evolution *e, uint32_t lineage, const block *b) {
    for (uint32_t c = 0; c < b->length; c++)
        e->row[lineage][b->first + c] = (char)papara_simulated_letter(e->recipe->alphabet, &e->random);
    e->letters[lineage] += b->length;
}

/* Brings the lineage up to date. Events at columns that it does not have are ignored. */
static void evolve_until(evolution *e, uint32_t lineage, double now) {
    const double length = now - e->since[lineage], substitutions = e->recipe->sites;
    const double all = substitutions * (1 + e->recipe->indels / 2);
    double time = exponential(&e->random) / all;
    for (;;) {
        double entry = e->entered < e->block_count ? e->blocks[e->entered].when - e->walked : INFINITY;
        if (time > length && entry > length) break;
        if (entry <= time) {
            insert(e, lineage, &e->blocks[e->entered++]);
            continue;
        }
        if (wl_random_unit(&e->random) * all < substitutions)
            substitute(e, lineage);
        else
            delete_letters(e, lineage);
        time += exponential(&e->random) / all;
    }
    e->walked += length;
    e->nodes[e->at[lineage]].length = length;
    e->since[lineage] = now;
}

/* --- The tree ---------------------------------------------------------------------------------------------------- */

static int32_t new_node(evolution *e, int32_t parent, int32_t next_sibling) {
    e->nodes[e->node_count] = (node){NO_NODE, next_sibling, parent, 0};
    return e->node_count++;
}

static void begin_lineage(evolution *e, uint32_t lineage, uint32_t from, double now) {
    e->since[lineage] = now;
    if (lineage == from) return;
    memcpy(e->row[lineage], e->row[from], e->recipe->sites);
    e->letters[lineage] = e->letters[from];
}

static void grow(evolution *e) {
    const uint32_t taxa = e->recipe->taxa;
    new_node(e, NO_NODE, NO_NODE);
    for (uint32_t k = 0; k < ROOT_CHILDREN; k++) {
        begin_lineage(e, k, 0, 0);
        e->at[k] = new_node(e, 0, e->nodes[0].first_child);
        e->nodes[0].first_child = e->at[k];
    }
    double now = 0;
    for (uint32_t n = ROOT_CHILDREN; n < taxa; n++) {
        now += e->wait[n];
        uint32_t lineage = wl_random_below(&e->random, n);
        evolve_until(e, lineage, now);
        int32_t parent = e->at[lineage];
        e->at[n] = new_node(e, parent, NO_NODE);
        e->at[lineage] = e->nodes[parent].first_child = new_node(e, parent, e->at[n]);
        begin_lineage(e, lineage, lineage, now);
        begin_lineage(e, n, lineage, now);
    }
    now += e->wait[taxa];
    for (uint32_t n = 0; n < taxa; n++) evolve_until(e, n, now);
}

static char *written(const evolution *e, char *const *name) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return NULL;
    uint32_t *taxon_at = calloc((size_t)e->node_count, sizeof *taxon_at);
    for (uint32_t t = 0; taxon_at && t < e->recipe->taxa; t++) taxon_at[e->at[t]] = t;
    for (int32_t v = 0; taxon_at && v != NO_NODE;) {
        if (e->nodes[v].first_child != NO_NODE) {
            putc('(', stream);
            v = e->nodes[v].first_child;
            continue;
        }
        fprintf(stream, "%s:%.6f", name[taxon_at[v]], e->nodes[v].length);
        while (v > 0 && e->nodes[v].next_sibling == NO_NODE) {
            v = e->nodes[v].parent;
            putc(')', stream);
            if (v > 0) fprintf(stream, ":%.6f", e->nodes[v].length);
        }
        if (v > 0) putc(',', stream);
        v = v > 0 ? e->nodes[v].next_sibling : NO_NODE;
    }
    fputs(";\n", stream);
    int failed = ferror(stream) || taxon_at == NULL;
    free(taxon_at);
    if (fclose(stream) == 0 && !failed) return text;
    free(text);
    return NULL;
}

/* --- All together ------------------------------------------------------------------------------------------------ */

/* A column that all rows have lost goes back to one of them, as if that one had inserted it. */
static wl_status fill_empty_columns(evolution *e) {
    const uint32_t sites = e->recipe->sites;
    char *seen = calloc(sites, 1);
    if (seen == NULL) return WL_NO_MACHINE;
    for (uint32_t t = 0; t < e->recipe->taxa; t++)
        for (uint32_t c = 0; c < sites; c++) seen[c] |= e->row[t][c] != '-';
    for (uint32_t c = 0; c < sites; c++)
        if (!seen[c])
            e->row[wl_random_below(&e->random, e->recipe->taxa)][c] =
                (char)papara_simulated_letter(e->recipe->alphabet, &e->random);
    free(seen);
    return WL_OK;
}

wl_status papara_evolve(const papara_recipe *recipe, char *const *name, char *const *row, char **newick) {
    const size_t taxa = recipe->taxa, sites = recipe->sites;
    evolution e = {.recipe = recipe, .random = wl_random_stream(recipe->seed, 0), .row = row};
    wl_status status = WL_NO_MACHINE;
    if (WL_ALLOCATE(WL_ARRAY(e.rates, sites + 1), WL_ARRAY(e.blocks, sites), WL_ARRAY(e.letters, taxa),
                    WL_ARRAY(e.since, taxa), WL_ARRAY(e.at, taxa), WL_ARRAY(e.nodes, 2 * taxa - 2),
                    WL_ARRAY(e.wait, taxa + 1))) {
        double tree_length = draw_times(&e);
        draw_rates(&e);
        lay_out(&e, tree_length);
        grow(&e);
        status = fill_empty_columns(&e);
        *newick = status == WL_OK ? written(&e, name) : NULL;
    }
    WL_FREE(e.wait, e.nodes, e.at, e.since, e.letters, e.blocks, e.rates);
    if (status == WL_OK && *newick) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "not enough memory to simulate %u taxa of %u sites", recipe->taxa, recipe->sites);
}
