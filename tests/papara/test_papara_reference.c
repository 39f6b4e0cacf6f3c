/* The reference of papara, the oracle of all its checks, is equation 1: against every path through the cells tried one by
   one, against shortest paths in an explicit graph, and against examples computed by hand. And the alphabet it rests on. */
#include <ctype.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "papara/generate.h"
#include "harness/base/memory.h"
#include "papara/reference.h"

/* One read against one vector. */
typedef struct {
    const papara_input *input;
    const uint32_t *site; // [n]
    const uint8_t *codes; // [m]
    int n, m;
} pair;

/* Sites and letters count from 1. */
static int has_cgap(const pair *p, int i) { return p->site[i - 1] >> 31; }

static int letter_on_site(const pair *p, int i, int j) {
    const papara_penalties *penalty = &p->input->penalties;
    int matches = (p->input->sets[p->codes[j - 1]] & p->site[i - 1]) != 0;
    return (matches ? 0 : penalty->mismatch) + (has_cgap(p, i) ? penalty->cgap : 0);
}

static int exists(const pair *p, int i, int j) { return i >= j && i <= j + p->n - p->m; }

/* --- Every path -------------------------------------------------------------------------------------------------- */

enum { LETTER, SKIP };

/* No minimum of sub-problems and no D: the cost of a path is added up along it, a skipped site costing the opening where the
   move before was none, else the extension. */
static void walk(const pair *p, int i, int j, int last_move, int cost, int *best) {
    const papara_penalties *penalty = &p->input->penalties;
    if (j == p->m && cost < *best) *best = cost;
    if (j < p->m && i < p->n && exists(p, i + 1, j + 1))
        walk(p, i + 1, j + 1, LETTER, cost + letter_on_site(p, i + 1, j + 1), best);
    if (j < p->m && exists(p, i, j + 1) && i > 0) walk(p, i, j + 1, LETTER, cost + penalty->insertion, best);
    if (j > 0 && exists(p, i + 1, j)) {
        int skip = has_cgap(p, i + 1) ? 0 : last_move == SKIP ? penalty->gap_extend : penalty->gap_open;
        walk(p, i + 1, j, SKIP, cost + skip, best);
    }
}

static int by_every_path(const pair *p) {
    int best = INT32_MAX;
    for (int i = 0; i <= p->n - p->m; i++) walk(p, i, 0, LETTER, 0, &best);
    return best;
}

/* --- A graph ----------------------------------------------------------------------------------------------------- */

typedef struct {
    int from, to, cost;
} arc;

typedef struct {
    arc *arcs;
    size_t count;
} arc_list;

static void add(arc_list *list, int from, int to, int cost) {
    assert_true(WL_GROW(list->arcs, list->count, 1));
    list->arcs[list->count++] = (arc){from, to, cost};
}

/* Two nodes a cell, one for S and one for D, arcs for the terms of the equation, shuffled, and relaxed until nothing
   changes (Bellman & Ford): nothing here relies on an order of cells. */
static int by_shortest_path(const pair *p, wl_random *random) {
    const papara_penalties *penalty = &p->input->penalties;
    const int n = p->n, m = p->m, nodes = 2 * (n + 1) * (m + 1);
    arc_list list = {0};
#define S_NODE(i, j) (2 * ((i) * (m + 1) + (j)))
#define D_NODE(i, j) (S_NODE(i, j) + 1)
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            if (!exists(p, i, j)) continue;
            add(&list, D_NODE(i, j), S_NODE(i, j), 0);
            add(&list, S_NODE(i - 1, j - 1), S_NODE(i, j), letter_on_site(p, i, j));
            if (exists(p, i, j - 1)) add(&list, S_NODE(i, j - 1), S_NODE(i, j), penalty->insertion);
            if (!exists(p, i - 1, j)) continue;
            add(&list, S_NODE(i - 1, j), D_NODE(i, j), has_cgap(p, i) ? 0 : penalty->gap_open);
            add(&list, D_NODE(i - 1, j), D_NODE(i, j), has_cgap(p, i) ? 0 : penalty->gap_extend);
        }
    for (size_t a = list.count; a > 1; a--) {
        size_t other = wl_random_below(random, (uint32_t)a);
        arc kept = list.arcs[a - 1];
        list.arcs[a - 1] = list.arcs[other];
        list.arcs[other] = kept;
    }
    int64_t *distance = malloc(sizeof *distance * (size_t)nodes);
    assert_non_null(distance);
    for (int node = 0; node < nodes; node++) distance[node] = INT64_MAX / 2;
    for (int i = 0; i <= n - m; i++) distance[S_NODE(i, 0)] = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t a = 0; a < list.count; a++) {
            const arc *e = &list.arcs[a];
            if (distance[e->from] + e->cost >= distance[e->to]) continue;
            distance[e->to] = distance[e->from] + e->cost;
            changed = 1;
        }
    }
    int64_t best = INT64_MAX;
    for (int i = m; i <= n; i++)
        if (distance[S_NODE(i, m)] < best) best = distance[S_NODE(i, m)];
#undef S_NODE
#undef D_NODE
    free(distance);
    free(list.arcs);
    return (int)best;
}

/* --- Random data ------------------------------------------------------------------------------------------------- */

static const papara_penalties unusual[] = {
    PAPARA_PENALTIES, PAPARA_PENALTIES,    {0, 0, 0, 0, 0},   {255, 255, 255, 255, 255},
    {3, 3, 4, 4, 3},  {0, 3, 4, 1, 3},     {255, 1, 1, 0, 0}, {1, 0, 255, 0, 9},
    {7, 2, 3, 3, 0},  {2, 255, 9, 1, 200}, {5, 9, 0, 0, 1},   {9, 7, 200, 3, 11},
};
enum { UNUSUAL = sizeof unusual / sizeof *unusual };

/* Compare all pairs of inputs of every kind, alphabet and set of penalties. Returns how many there were; *gapped counts those
   whose score is below that of every alignment without gaps, so that the test is seen to reach D and I. */
static size_t compare_with(int (*oracle)(const pair *, wl_random *), size_t rounds, uint32_t most_sites,
                           size_t *gapped) {
    wl_random random = wl_random_stream(2012, most_sites);
    size_t pairs = 0;
    for (size_t round = 0; round < rounds; round++) {
        uint32_t lengths[4];
        papara_random_recipe recipe = {.seed = round,
                                       .alphabet = round % 3 == 2 ? PAPARA_PROTEIN : PAPARA_DNA,
                                       .kind = (papara_kind)(round % PAPARA_KINDS),
                                       .penalties = unusual[round / PAPARA_KINDS % UNUSUAL],
                                       .vectors = 3,
                                       .reads = 4,
                                       .sites = 1 + wl_random_below(&random, most_sites),
                                       .lengths = lengths,
                                       .length_count = 4};
        for (int r = 0; r < 4; r++) lengths[r] = 1 + wl_random_below(&random, recipe.sites);
        papara_owned_input made;
        int score[12];
        assert_int_equal(papara_generate(&recipe, &made), WL_OK);
        const papara_input *in = &made.input;
        papara_reference(in, 0, papara_slices(in), score);
        for (size_t r = 0; r < 4; r++)
            for (size_t v = 0; v < 3; v++, pairs++) {
                const pair p = {in, in->site + v * in->sites, in->reads.codes + in->reads.start[r], (int)in->sites,
                                (int)in->reads.length[r]};
                int expected = oracle(&p, &random), straight = INT32_MAX;
                if (score[r * 3 + v] != expected)
                    fail_msg("round %zu, read %zu, vector %zu: expected %d, found %d", round, r, v, expected,
                             score[r * 3 + v]);
                for (int first = 0; first <= p.n - p.m; first++) {
                    int cost = 0;
                    for (int j = 1; j <= p.m; j++) cost += letter_on_site(&p, first + j, j);
                    if (cost < straight) straight = cost;
                }
                *gapped += expected < straight;
                assert_true(expected <= straight && expected <= papara_score_most(&in->penalties, (uint32_t)p.m));
            }
        papara_owned_input_free(&made);
    }
    return pairs;
}

static int every_path(const pair *p, wl_random *random) {
    (void)random;
    return by_every_path(p);
}

TEST(reference_is_the_least_of_all_paths) {
    size_t gapped = 0, pairs = compare_with(every_path, 3600, 9, &gapped);
    assert_int_equal(pairs, 43200);
    assert_true(gapped > pairs / 20);
}

TEST(reference_is_the_shortest_path) {
    size_t gapped = 0, pairs = compare_with(by_shortest_path, 720, 40, &gapped);
    assert_int_equal(pairs, 8640);
    assert_true(gapped > pairs / 10);
}

/* --- By hand ----------------------------------------------------------------------------------------------------- */

/* Letters of `sites` that are lower case have CGAP. */
static int score_of(const char *sites, const char *read, const papara_penalties *penalties, papara_alphabet alphabet) {
    uint32_t site[64], length = (uint32_t)strlen(read);
    uint64_t start = 0;
    uint8_t codes[64];
    papara_input in = {.penalties = *penalties,
                       .states = papara_states(alphabet),
                       .reads = {1, &length, &start, codes, length, length},
                       .vectors = 1,
                       .sites = (uint32_t)strlen(sites),
                       .site = site};
    papara_sets(alphabet, in.sets);
    for (uint32_t i = 0; i < in.sites; i++)
        site[i] = in.sets[papara_code(alphabet, (unsigned char)sites[i])] |
                  (islower((unsigned char)sites[i]) ? PAPARA_CGAP : 0);
    for (uint32_t j = 0; j < length; j++) codes[j] = (uint8_t)papara_code(alphabet, (unsigned char)read[j]);
    int score = -1;
    papara_reference(&in, 0, 1, &score);
    const pair p = {&in, site, codes, (int)in.sites, (int)length};
    assert_int_equal(by_every_path(&p), score);
    return score;
}

TEST(examples_by_hand) {
    static const papara_penalties paper = PAPARA_PENALTIES;
    static const struct {
        const char *sites, *read;
        int score;
    } cases[] = {
        {"A", "A", 0},
        {"A", "C", 3},
        {"a", "A", 3},                  // a match on CGAP still costs CG
        {"a", "C", 6},                  // and a mismatch both
        {"ACGTACGT", "GTA", 0},         // anywhere
        {"ACGTACGT", "GTN", 0},         // N has a state in common with all
        {"ARGTACGT", "AGGT", 0},        // R is A or G
        {"AYGTAYGT", "AGGT", 3},        // Y is C or T
        {"ACgT", "ACT", 0},             // a site with CGAP is skipped for nothing
        {"ACgT", "ACGT", 3},            // and a letter there costs CG: n = m, nothing else is possible
        {"AACCGTTGG", "AACCTTGG", 4},   // one site skipped: GP_OE
        {"AACCGGTTGG", "AACCTTGG", 5},  // two: and GP_E once
        {"AACCgGTTGG", "AACCTTGG", 1},  // opened on CGAP for nothing: only GP_E is left for the site after it
        {"AACCGgTTGG", "AACCTTGG", 4},  // the other way round GP_OE is paid: the rule has a direction
        {"TAACCTTGGT", "AACCGTTGG", 3}, // G inserted: from the second site on there is a column to spare
        {"AACCTTGGTT", "AACCGTTGG", 9}, // from the first there is none: row 5 has no column 4
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int found = score_of(cases[c].sites, cases[c].read, &paper, PAPARA_DNA);
        if (found != cases[c].score)
            fail_msg("%s on %s: expected %d, found %d", cases[c].read, cases[c].sites, cases[c].score, found);
    }
    assert_int_equal(score_of("MKVLAW", "KBL", &paper, PAPARA_PROTEIN), 3); // B is N or D, not V
    assert_int_equal(score_of("MKDLAW", "KBL", &paper, PAPARA_PROTEIN), 0);
    assert_int_equal(score_of("MKDJAW", "XBLU", &paper, PAPARA_PROTEIN), 3); // J is I or L; U is C, not A
}

/* Scores beyond 16 bits: 255 + 255 a letter where n = m. */
TEST(large_scores_are_exact) {
    static const papara_penalties most = {255, 255, 255, 255, 255};
    assert_int_equal(score_of("aaaaaaaaaaaaaaaaaaaa", "CCCCCCCCCCCCCCCCCCCC", &most, PAPARA_DNA), 20 * 510);
    const uint32_t length = 2000;
    papara_random_recipe recipe = {.kind = PAPARA_KIND_REPEAT,
                                   .penalties = most,
                                   .vectors = 4,
                                   .reads = 1,
                                   .sites = length,
                                   .lengths = &length,
                                   .length_count = 1};
    papara_owned_input made;
    int score[4];
    assert_int_equal(papara_generate(&recipe, &made), WL_OK);
    papara_reference(&made.input, 0, papara_slices(&made.input), score);
    assert_int_equal(score[0], 0);                                  // A on A
    assert_int_equal(score[3], 2000 * 510);                         // A on C, with CGAP
    assert_int_equal(papara_score_most(&most, length), 2000 * 510); // no score is larger
    papara_owned_input_free(&made);
}

/* --- The alphabet ------------------------------------------------------------------------------------------------ */

/* IUPAC's table once more, the other way round: which bases each letter stands for. */
TEST(letters_are_iupacs) {
    static const char *const dna[] = {"AA",  "CC",  "GG",  "TT",   "UT",   "RAG",  "YCT",  "SCG",
                                      "WAT", "KGT", "MAC", "BCGT", "DAGT", "HACT", "VACG", "NACGT"};
    static const char states[] = "ACGT", amino[] = "ARNDCQEGHILKMFPSTWYV";
    uint32_t sets[PAPARA_CODES], known = 0;
    papara_sets(PAPARA_DNA, sets);
    for (size_t d = 0; d < sizeof dna / sizeof *dna; d++) {
        uint32_t set = 0;
        for (const char *base = dna[d] + 1; *base; base++) set |= 1u << (strchr(states, *base) - states);
        int code = papara_code(PAPARA_DNA, (unsigned char)dna[d][0]);
        assert_int_equal(code, papara_code(PAPARA_DNA, (unsigned char)tolower(dna[d][0])));
        assert_int_equal(code, set);
        assert_int_equal(sets[code], set);
        known |= 1u << (dna[d][0] - 'A');
    }
    for (unsigned char letter = 'A'; letter <= 'Z'; letter++)
        assert_int_equal(papara_code(PAPARA_DNA, letter) >= 0, known >> (letter - 'A') & 1);

    papara_sets(PAPARA_PROTEIN, sets);
    for (int a = 0; a < 20; a++) {
        assert_int_equal(papara_code(PAPARA_PROTEIN, (unsigned char)amino[a]), a);
        assert_int_equal(sets[a], 1u << a);
    }
    assert_int_equal(sets[papara_code(PAPARA_PROTEIN, 'b')], 1u << 2 | 1u << 3);  // N, D
    assert_int_equal(sets[papara_code(PAPARA_PROTEIN, 'Z')], 1u << 5 | 1u << 6);  // Q, E
    assert_int_equal(sets[papara_code(PAPARA_PROTEIN, 'j')], 1u << 9 | 1u << 10); // I, L
    assert_int_equal(sets[papara_code(PAPARA_PROTEIN, 'X')], 0xfffff);
    assert_int_equal(papara_code(PAPARA_PROTEIN, 'U'), papara_code(PAPARA_PROTEIN, 'C'));
    assert_int_equal(papara_code(PAPARA_PROTEIN, 'o'), papara_code(PAPARA_PROTEIN, 'K'));
}

TEST(every_byte_has_an_answer) {
    for (int alphabet = PAPARA_DNA; alphabet <= PAPARA_PROTEIN; alphabet++) {
        uint32_t sets[PAPARA_CODES];
        papara_sets((papara_alphabet)alphabet, sets);
        for (int c = 0; c < PAPARA_CODES; c++)
            assert_true(sets[c] > 0 && sets[c] <= papara_all_states((papara_alphabet)alphabet));
        for (int letter = 0; letter < 256; letter++) {
            int code = papara_code((papara_alphabet)alphabet, (unsigned char)letter);
            if (letter == '-' || letter == '.' || letter == '?')
                assert_int_equal(code, PAPARA_GAP);
            else if (letter > 127 || !isalpha(letter))
                assert_int_equal(code, PAPARA_NOT_A_LETTER);
            else
                assert_true(code == PAPARA_NOT_A_LETTER || (code >= 0 && code < PAPARA_CODES));
        }
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
