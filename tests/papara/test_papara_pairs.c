/* PaPaRa's stages of 16 bits, at the ends of their range: for given penalties, the longest read that a stage accepts gets the
   right score in the worst case. The test builds the worst cases, whose scores are known without the reference. For the
   highest scores, no letter matches and every site has CGAP. For the lowest scores, every letter matches and no site has
   CGAP; stages 08 and 09 also subtract something for letters and sites. */
#include "tests/support/unit.h"
#include "harness/bench/device.h"
#include "papara/problem.h"
#include "papara/reference.h"
#include "tests/support/inputs.h"

enum { A = 1, C = 2, VECTORS = 3 };

/* Vectors: all A with CGAP; all A without; half and half. Reads: all C, then all A. */
typedef struct {
    papara_input input;
    uint32_t length[2];
    uint64_t start[2];
    uint8_t *codes;
    uint32_t *site;
    int *expected, *score; // [2][VECTORS]
} extreme;

static void make_extreme(extreme *e, const papara_penalties *penalties, uint32_t m, uint32_t n) {
    *e = (extreme){.length = {m, m}, .start = {0, m}};
    e->codes = malloc(2 * (size_t)m);
    e->site = malloc(sizeof *e->site * VECTORS * n);
    e->expected = malloc(sizeof(int) * 2 * VECTORS);
    e->score = malloc(sizeof(int) * 2 * VECTORS);
    assert_true(e->codes && e->site && e->expected && e->score);
    memset(e->codes, C, m);
    memset(e->codes + m, A, m);
    for (uint32_t i = 0; i < n; i++) {
        e->site[i] = A | PAPARA_CGAP;
        e->site[n + i] = A;
        e->site[2 * n + i] = i < n / 2 ? A : A | PAPARA_CGAP;
    }
    e->input = (papara_input){
        .penalties = *penalties,
        .states = 4,
        .reads =
            {.count = 2, .length = e->length, .start = e->start, .codes = e->codes, .letters = 2 * m, .longest = m},
        .vectors = VECTORS,
        .sites = n,
        .site = e->site};
    for (uint32_t code = 0; code < PAPARA_CODES; code++) e->input.sets[code] = code > 0 && code < 16 ? code : 15;
}

static void free_extreme(extreme *e) {
    free(e->codes);
    free(e->site);
    free(e->expected);
    free(e->score);
}

static void expect_right(const wl_variant *stage, const wl_device *device, extreme *e) {
    const papara_penalties *p = &e->input.penalties;
    const uint32_t m = e->length[0];
    void *state = NULL;
    papara_reference(&e->input, 0, papara_slices(&e->input), e->expected);
    if (e->input.sites == m) assert_int_equal(e->expected[0], papara_score_most(p, m));
    assert_int_equal(e->expected[VECTORS + 1], 0);
    if (stage->prepare(device, &e->input, &state) != WL_OK) fail_msg("%s: %s", stage->name, wl_error());
    if (stage->launch(state) != WL_OK || stage->collect(state, e->score, 0) != WL_OK)
        fail_msg("%s: %s", stage->name, wl_error());
    stage->release(state);
    for (int pair = 0; pair < 2 * VECTORS; pair++)
        if (e->score[pair] != e->expected[pair])
            fail_msg("%s: M %d, I %d, GP_OE %d, GP_E %d, CG %d, m %u, n %u, read %d, vector %d: expected %d, found %d",
                     stage->name, p->mismatch, p->insertion, p->gap_open, p->gap_extend, p->cgap, m, e->input.sites,
                     pair / VECTORS, pair % VECTORS, e->expected[pair], e->score[pair]);
}

/* The longest read of up to `most` letters that the stage takes. */
static uint32_t longest_taken(const wl_variant *stage, const wl_device *device, const papara_penalties *p,
                              uint32_t most) {
    uint32_t taken = 0, refused = most + 1;
    while (refused - taken > 1) {
        const uint32_t m = taken + (refused - taken) / 2;
        extreme e;
        make_extreme(&e, p, m, m);
        if (stage->supports(device, &e.input))
            refused = m;
        else
            taken = m;
        free_extreme(&e);
    }
    return taken;
}

/* stripes: with so many sites that stage 08's come to their most: 480 columns shifted by 25 each, and many of 32 columns. */
static void right_up_to_the_longest(const char *name, int stripes) {
    enum { LONG = 130, FEW = 33 }; // penalties that let in longer ones are not at the end of the range
    static const struct {
        int gap_extend, gap_open;
        uint32_t more;
    } gaps[] = {{0, 255, FEW}, {25, 25, 500}, {255, 255, 90}};
    static const int others[][3] = {{255, 0, 255}, {0, 255, 0}, {255, 170, 85}}; // M, I, CG
    const wl_variant *stage = variant_named(WL_SIM, "papara", name);
    wl_device device = simulated();
    device.memory_free = (size_t)8 << 30; // said, not taken: what is refused is the length
    for (size_t x = 0; x < sizeof gaps / sizeof *gaps; x++)
        for (size_t y = 0; y < sizeof others / sizeof *others; y++) {
            const papara_penalties p = {.mismatch = others[y][0],
                                        .insertion = others[y][1],
                                        .cgap = others[y][2],
                                        .gap_extend = gaps[x].gap_extend,
                                        .gap_open = gaps[x].gap_open};
            const uint32_t m = longest_taken(stage, &device, &p, LONG);
            const uint32_t sites[] = {m, m + (stripes ? gaps[x].more : FEW)};
            assert_true(m >= 37);
            for (size_t s = 0; s < sizeof sites / sizeof *sites; s++) {
                extreme e;
                make_extreme(&e, &p, m, sites[s]);
                expect_right(stage, &device, &e);
                free_extreme(&e);
            }
        }
}

TEST(stage_07_is_right_to_the_ends_of_its_range) { right_up_to_the_longest("07_two_references", 0); }

TEST(stage_08_is_right_to_the_ends_of_its_range) { right_up_to_the_longest("08_shifted_scores", 1); }

TEST(stage_09_is_right_to_the_ends_of_its_range) { right_up_to_the_longest("09_shared_costs", 1); }

int main(void) { return run_all_tests(NULL, NULL); }
