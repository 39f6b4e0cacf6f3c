#include "peeling/kit/repeats.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "peeling/problem.h"

enum { CODES = 256, LEAST = 32, NONE = -1 };
enum { LOOK = 1 << 14, MANY = 1 << 17 }; // patterns: looked at before all of them; shared by threads

/* A vector whose different columns are few: a tip, or a subtree that may become part of a table. */
typedef struct {
    uint32_t count;    // different columns; 0: too many
    uint8_t *code;     // [patterns]: which of them; NULL once the subtree above has its own
    uint32_t *made_of; // [count]: a tip's set of states, else the children's columns, left * count of the right + right
    uint32_t child[2]; // vectors
    uint32_t matrix;   // of the branch above
    int table, level;  // the table it is in, or NONE; tips have level 0
    uint32_t place;    // its first entry
} subtree;

uint32_t peeling_repeats_most(uint32_t patterns) {
    const uint32_t most = patterns / CODES;
    return most < LEAST ? LEAST : most < CODES ? most : CODES;
}

/* --- Different columns ------------------------------------------------------------------------------------------- */

/* What a pattern's column is made of, a number below `kinds`: of a tip, or of two children. */
typedef struct {
    const uint16_t *tip;
    const uint8_t *left, *right;
    uint32_t rights, kinds; // different columns of the right child; of all
} columns;
static inline uint32_t at(const columns *of, size_t c) {
    return of->tip ? of->tip[c] : of->left[c] * of->rights + of->right[c];
}

/* Marks what there is in seen [kinds], and says how many there are; more than `most` need not be all. */
static uint32_t count_different(const columns *of, size_t patterns, uint32_t most, uint8_t *seen) {
    const size_t few = patterns < LOOK ? patterns : LOOK;
    uint32_t count = 0;
    memset(seen, 0, of->kinds);
    for (size_t c = 0; c < few && count <= most; c++) {
        uint8_t *mark = &seen[at(of, c)];
        count += !*mark;
        *mark = 1;
    }
    if (count > most || few == patterns) return count;
#pragma omp parallel for schedule(static) if (patterns >= MANY)
    for (size_t c = few; c < patterns; c++) {
        uint8_t *mark = &seen[at(of, c)];
        if (!__atomic_load_n(mark, __ATOMIC_RELAXED)) __atomic_store_n(mark, 1, __ATOMIC_RELAXED);
    }
    count = 0;
    for (uint32_t i = 0; i < of->kinds; i++) count += seen[i];
    return count;
}

/* The subtree's columns, if they are at most `most`. `code` [patterns] gets them, and may be what `of` reads. WL_NO_MACHINE: no memory. */
static wl_status number_columns(const columns *of, size_t patterns, uint32_t most, uint8_t *seen, uint8_t *number,
                                uint8_t *code, subtree *tree) {
    const uint32_t count = count_different(of, patterns, most, seen);
    if (count > most || count == 0) return WL_OK;
    if (!WL_ALLOCATE(WL_ARRAY(tree->made_of, count))) return wl_fail(WL_NO_MACHINE, "no memory for %u columns", count);
    for (uint32_t i = 0; i < of->kinds; i++)
        if (seen[i]) {
            number[i] = (uint8_t)tree->count;
            tree->made_of[tree->count++] = i;
        }
#pragma omp parallel for schedule(static) if (patterns >= MANY)
    for (size_t c = 0; c < patterns; c++) code[c] = number[at(of, c)];
    tree->code = code;
    return WL_OK;
}

static wl_status number_tip(const peeling_data *data, uint32_t t, uint8_t *seen, uint8_t *number, subtree *tree) {
    const columns of = {.tip = data->code + t * (size_t)data->patterns, .kinds = data->codes};
    uint8_t *code = malloc(data->patterns + (size_t)1);
    if (code == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the columns of %u patterns", data->patterns);
    const wl_status status = number_columns(&of, data->patterns, CODES, seen, number, code, tree);
    if (tree->code == NULL) free(code);
    for (uint32_t i = 0; i < tree->count; i++) tree->made_of[i] = (uint32_t)data->set[tree->made_of[i]];
    return status;
}

static wl_status number_all(const peeling_input *in, const peeling_join *joins, uint32_t count, subtree *trees) {
    const peeling_data *data = &in->data;
    const uint32_t most = peeling_repeats_most(data->patterns);
    uint8_t *seen, *number;
    if (!WL_ALLOCATE(WL_ARRAY(seen, CODES * CODES), WL_ARRAY(number, CODES * CODES)))
        return wl_fail(WL_NO_MACHINE, "no memory for numbers of columns");
    wl_status status = WL_OK;
    for (uint32_t t = 0; t < data->tips && status == WL_OK; t++) status = number_tip(data, t, seen, number, &trees[t]);
    for (uint32_t i = 0; i < count && status == WL_OK; i++) {
        subtree *to = &trees[joins[i].to], *child[2];
        for (int k = 0; k < 2; k++) {
            child[k] = &trees[joins[i].child[k]];
            child[k]->matrix = joins[i].matrix[k];
            to->child[k] = joins[i].child[k];
            if (child[k]->level >= to->level) to->level = child[k]->level + 1;
        }
        if (child[0]->count == 0 || child[1]->count == 0 || i + 1 == count) continue; // the root is no table
        const uint32_t rights = child[1]->count;
        const columns of = {NULL, child[0]->code, child[1]->code, rights, child[0]->count * rights};
        status = number_columns(&of, data->patterns, most, seen, number, child[0]->code, to);
        if (to->count == 0) continue;
        free(child[1]->code);
        child[0]->code = child[1]->code = NULL;
    }
    WL_FREE(seen, number);
    return status;
}

/* --- Tables ------------------------------------------------------------------------------------------------------ */

/* The joins that are left, and the tables in the order in which they read them. A join's first child is a table or waits in a slot; its
   second is a table or the result of the join before. */
static void number_tables(const peeling_join *joins, uint32_t count, uint32_t tips, subtree *trees, peeling_repeats *r,
                          uint32_t *root_of) { // [tables]
    for (uint32_t i = 0; i < count; i++) {
        if (trees[joins[i].to].count > 0) continue;
        peeling_join *join = &r->join[r->joins++];
        *join = joins[i];
        for (int k = 0; k < 2; k++) {
            if (trees[join->child[k]].count == 0) continue;
            trees[join->child[k]].table = (int)r->tables;
            root_of[r->tables] = join->child[k];
            join->child[k] = r->tables++;
        }
        const int before = r->joins > 1 && join->child[0] == join[-1].to;
        if (before || (join->child[0] >= tips && join->child[1] < tips)) {
            const peeling_join swapped = {
                join->to, {join->child[1], join->child[0]}, {join->matrix[1], join->matrix[0]}};
            *join = swapped;
        }
    }
    for (uint32_t i = count; i-- > 0;) // parents first
        for (int k = 0; k < 2 && trees[joins[i].to].count > 0; k++)
            trees[joins[i].child[k]].table = trees[joins[i].to].table;
}

typedef struct {
    int table, level;
    uint32_t vector;
} member;
static int by_table_and_level(const void *left, const void *right) {
    const member *a = left, *b = right;
    if (a->table != b->table) return a->table < b->table ? -1 : 1;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    return a->vector < b->vector ? -1 : a->vector > b->vector;
}

static void fill_entries(const subtree *tree, const subtree *trees, uint32_t tips, uint32_t vector,
                         peeling_entry *entry) {
    const uint32_t rights = vector < tips ? 1 : trees[tree->child[1]].count;
    for (uint32_t i = 0; i < tree->count; i++) {
        const uint32_t of = tree->made_of[i];
        peeling_entry *e = &entry[tree->place + i];
        if (vector < tips)
            *e = (peeling_entry){of, PEELING_OF_TIP, tree->matrix};
        else
            *e = (peeling_entry){trees[tree->child[0]].place + of / rights, trees[tree->child[1]].place + of % rights,
                                 tree->matrix};
    }
}

/* Steps, entries and codes. members [count]: all subtrees that are in tables, by table and level. */
static void fill_tables(member *members, uint32_t count, subtree *trees, uint32_t tips, uint32_t patterns,
                        const uint32_t *root_of, peeling_repeats *r) {
    uint32_t own = 0;
    qsort(members, count, sizeof *members, by_table_and_level);
    for (uint32_t t = 0; t < r->tables; t++) own += trees[root_of[t]].count;
    uint32_t within = 0, last = r->entries - own;
    for (uint32_t i = 0; i < count; i++) {
        subtree *tree = &trees[members[i].vector];
        const int is_root = members[i].vector == root_of[members[i].table];
        uint32_t *next = is_root ? &last : &within;
        const int begins = i == 0 || members[i].table != members[i - 1].table;
        if (begins) r->first_step[members[i].table] = r->steps;
        if (begins || members[i].level != members[i - 1].level) r->step[r->steps++] = (peeling_step){*next, 0};
        if (is_root) r->first[members[i].table] = *next;
        tree->place = *next;
        *next += tree->count;
        r->step[r->steps - 1].count += tree->count;
        fill_entries(tree, trees, tips, members[i].vector, r->entry);
    }
    r->first[r->tables] = r->entries;
    r->first_step[r->tables] = r->steps;
    for (uint32_t t = 0; t < r->tables; t++) {
        uint8_t *to = r->code + t * (size_t)r->row;
        memcpy(to, trees[root_of[t]].code, patterns);
        memset(to + patterns, 0, r->row - patterns);
    }
}

static wl_status make_tables(const peeling_input *in, const peeling_join *joins, uint32_t count, subtree *trees,
                             peeling_repeats *r) {
    const uint32_t tips = in->data.tips, vectors = tips + in->partials, C = in->data.patterns;
    uint32_t *root_of, in_tables = 0, members_count = 0;
    member *members;
    for (uint32_t v = 0; v < vectors; v++) r->entries += trees[v].count, in_tables += trees[v].count > 0;
    r->row = (C + PEELING_ROW - 1) / PEELING_ROW * PEELING_ROW;
    if (!WL_ALLOCATE(WL_ARRAY(root_of, tips), WL_ARRAY(members, in_tables), WL_ARRAY(r->entry, r->entries),
                     WL_ARRAY(r->first, tips + 1), WL_ARRAY(r->first_step, tips + 1), WL_ARRAY(r->step, in_tables),
                     WL_ARRAY(r->join, count), WL_ARRAY(r->whole, count), WL_ARRAY(r->batch, count + 1),
                     WL_ARRAY(r->reader, tips + 1)))
        return wl_fail(WL_NO_MACHINE, "no memory for tables of %u subtrees", in_tables);
    memcpy(r->whole, joins, sizeof *joins * count);
    number_tables(joins, count, tips, trees, r, root_of);
    r->code = malloc((size_t)r->tables * r->row);
    if (r->code) {
        for (uint32_t v = 0; v < vectors; v++)
            if (trees[v].count > 0) members[members_count++] = (member){trees[v].table, trees[v].level, v};
        fill_tables(members, members_count, trees, tips, C, root_of, r);
    }
    WL_FREE(root_of, members);
    return r->code ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for the codes of %u tables", r->tables);
}

void peeling_cut_repeats(peeling_repeats *r, uint32_t tips, uint32_t joins, uint32_t entries) {
    uint32_t table = 0;
    r->batches = 0;
    for (uint32_t i = 0; i < r->joins; i++) {
        const uint32_t before = table;
        for (int k = 0; k < 2; k++) table += r->join[i].child[k] < tips;
        const peeling_batch *last = r->batch + r->batches - (r->batches > 0);
        if (r->batches == 0 || i - last->join == joins || r->first[table] - last->entry > entries)
            r->batch[r->batches++] = (peeling_batch){i, before, r->first[before]};
        last = r->batch + r->batches - 1;
        for (uint32_t k = 0, t = before; k < 2; k++)
            if (r->join[i].child[k] < tips)
                r->reader[t] = (peeling_reader){i, k, t - last->table, r->first[t] - last->entry}, t++;
    }
    r->batch[r->batches] = (peeling_batch){r->joins, table, r->first[table]};
}

/* --- All --------------------------------------------------------------------------------------------------------- */

void peeling_repeats_free(peeling_repeats *r) {
    WL_FREE(r->entry, r->first, r->first_step, r->step, r->code, r->join, r->whole, r->batch, r->reader);
    *r = (peeling_repeats){0};
}

wl_status peeling_find_repeats(const peeling_input *in, const peeling_join *joins, uint32_t count,
                               peeling_repeats *repeats, int *is_new) {
    const uint32_t vectors = in->data.tips + in->partials;
    *is_new = repeats->whole == NULL || memcmp(repeats->whole, joins, sizeof *joins * count) != 0;
    if (!*is_new) return WL_OK;
    peeling_repeats_free(repeats);
    subtree *trees = calloc(vectors, sizeof *trees);
    if (trees == NULL) return wl_fail(WL_NO_MACHINE, "no memory for %u subtrees", vectors);
    for (uint32_t v = 0; v < vectors; v++) trees[v].table = NONE;
    wl_status status = number_all(in, joins, count, trees);
    if (status == WL_OK) status = make_tables(in, joins, count, trees, repeats);
    if (status != WL_OK) peeling_repeats_free(repeats);
    for (uint32_t v = 0; v < vectors; v++) WL_FREE(trees[v].code, trees[v].made_of);
    free(trees);
    return status;
}
