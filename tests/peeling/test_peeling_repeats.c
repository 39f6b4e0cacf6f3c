/* Tables of repeated columns say what the data say: each pattern's entries are followed down to the tips and compared with its codes. */
#include "harness/base/random.h"
#include "peeling/kit/repeats.h"
#include "peeling/problem.h"
#include "tests/support/unit.h"

enum { TIPS_MOST = 40, PATTERNS_MOST = 20000 };

static uint64_t sets[256];
static uint16_t codes[TIPS_MOST * PATTERNS_MOST];
static peeling_join joins[TIPS_MOST];

/* A tree whose joins come as peeling_tree_work orders them: a node's first child, then its second, then the node. Returns its number. */
static uint32_t grow(wl_random *random, uint32_t first, uint32_t tips, uint32_t all, uint32_t *count) {
    if (tips == 1) return first;
    const uint32_t left = 1 + (uint32_t)(wl_random_next(random) % (tips - 1));
    uint32_t child[2] = {grow(random, first, left, all, count), 0};
    child[1] = grow(random, first + left, tips - left, all, count);
    joins[*count] = (peeling_join){all + *count, {child[0], child[1]}, {child[0], child[1]}};
    return all + (*count)++;
}

/* Follows an entry to its tips: seen[t] counts visits; the sets have to be the pattern's. */
static void follow(const peeling_repeats *r, uint32_t entry, const peeling_input *in, uint32_t pattern,
                   uint32_t *seen) {
    const peeling_entry *e = &r->entry[entry];
    if (e->right == PEELING_OF_TIP) {
        const uint32_t tip = e->matrix; // a branch has its lower end's number here
        seen[tip]++;
        assert_int_equal(e->left, in->data.set[in->data.code[tip * (size_t)in->data.patterns + pattern]]);
        return;
    }
    assert_true(e->left < entry || e->left < r->first[0]);
    follow(r, e->left, in, pattern, seen);
    follow(r, e->right, in, pattern, seen);
}

static void check(uint32_t tips, uint32_t patterns, uint32_t kinds, uint64_t seed) {
    wl_random random = wl_random_stream(seed, 0);
    uint32_t count = 0;
    const uint32_t root = grow(&random, 0, tips, tips, &count);
    for (size_t i = 0; i < (size_t)tips * patterns; i++) codes[i] = (uint16_t)(wl_random_next(&random) % kinds);
    const peeling_input in = {.data = {.tips = tips, .patterns = patterns, .code = codes, .codes = kinds, .set = sets},
                              .work = {NULL, joins, 0, count, root},
                              .matrices = 2 * tips,
                              .partials = tips};
    peeling_repeats r = {0};
    int is_new = 0;
    assert_int_equal(peeling_find_repeats(&in, joins, count, &r, &is_new), WL_OK);
    assert_true(is_new);
    assert_int_equal(r.joins + 1, r.tables); // a binary tree above the tables
    assert_int_equal(r.first[r.tables], r.entries);
    for (uint32_t c = 0; c < patterns; c += 1 + patterns / 50) {
        uint32_t seen[TIPS_MOST] = {0};
        for (uint32_t t = 0; t < r.tables; t++) follow(&r, r.first[t] + r.code[t * (size_t)r.row + c], &in, c, seen);
        for (uint32_t t = 0; t < tips; t++) assert_int_equal(seen[t], 1);
    }
    /* Every entry is some pattern's, and no table has more than it may; a tip has as many as it has sets. */
    for (uint32_t t = 0; t < r.tables; t++) {
        uint8_t used[256] = {0};
        const uint32_t entries = r.first[t + 1] - r.first[t];
        for (uint32_t c = 0; c < patterns; c++) used[r.code[t * (size_t)r.row + c]] = 1;
        for (uint32_t e = 0; e < 256; e++) assert_int_equal(used[e], e < entries);
        if (r.first_step[t + 1] - r.first_step[t] > 1) assert_true(entries <= peeling_repeats_most(patterns));
    }
    /* Tables are read in their order, and a join's second child is a table or the result of the join before. */
    uint32_t table = 0;
    for (uint32_t i = 0; i < r.joins; i++) {
        const peeling_join *join = &r.join[i];
        for (int k = 0; k < 2; k++)
            if (join->child[k] < tips) assert_int_equal(join->child[k], table++);
        if (join->child[1] >= tips) assert_int_equal(join->child[1], join[-1].to);
    }
    assert_int_equal(table, r.tables);
    peeling_cut_repeats(&r, tips, 5, 512);
    for (uint32_t b = 0; b < r.batches; b++) {
        assert_in_range(r.batch[b + 1].join - r.batch[b].join, 1, 5);
        assert_true(r.batch[b + 1].entry - r.batch[b].entry <= 512);
        for (uint32_t t = r.batch[b].table; t < r.batch[b + 1].table; t++) {
            const peeling_reader reader = r.reader[t];
            assert_in_range(reader.join, r.batch[b].join, r.batch[b + 1].join - 1);
            assert_int_equal(r.join[reader.join].child[reader.child], t);
            assert_int_equal(r.batch[b].table + reader.table, t);
            assert_int_equal(r.batch[b].entry + reader.entry, r.first[t]);
        }
    }
    assert_int_equal(peeling_find_repeats(&in, joins, count, &r, &is_new), WL_OK);
    assert_false(is_new); // the same tree
    peeling_repeats_free(&r);
}

TEST(tables_are_the_data) {
    for (uint32_t i = 0; i < 256; i++) sets[i] = i + 1;
    for (uint64_t seed = 0; seed < 40; seed++)
        check(2 + (uint32_t)(seed * 7 % 38), 1 + (uint32_t)(seed * 977 % 3000), 1 + seed % 6, seed);
    check(30, PATTERNS_MOST, 4, 50); // more patterns than are looked at first
    check(12, PATTERNS_MOST, 200, 51);
    check(40, 1, 4, 52);
}

int main(void) { return run_all_tests(NULL, NULL); }
