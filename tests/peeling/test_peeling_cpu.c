/* Compares peeling/cpu_simd, on every instruction set of this machine, with the serial reference. The tests have every number of states
   from 2 to 64, numbers of columns at and around tiles and vectors, both precisions, and sets of states. Any number of threads gives the
   same result to the last bit. Tests of the engine: parts of a tree after a whole one, other models, any root; what it keeps. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/bench/problem.h"
#include "harness/base/random.h"
#include "harness/base/memory.h"
#include "peeling/engine/engine.h"
#include "peeling/reference.h"
#include "peeling/simulate/simulate.h"
#include "tests/support/inputs.h"

static const char *const isas[] = {"portable", "avx2", "avx512bw"};

/* --- Inputs ------------------------------------------------------------------------------------------------------ */

typedef struct {
    peeling_input input;
    peeling_model model;
    peeling_tree tree;
    uint64_t set[PEELING_STATES_MOST + 8];
} made;

/* Any number of states: eigenvectors D^-1/2 H, with H the reflection that turns the first axis into (sqrt(pi_s)). Nothing is symmetric
   or equal, so that no two things can be mistaken for each other; eigenvalues differ by so little that all rates stay positive. */
static void make_model(wl_random *random, int states, int rates, peeling_model *model) {
    const int S = states;
    double root[PEELING_STATES_MOST], v[PEELING_STATES_MOST], sum = 0, square = 0;
    *model = (peeling_model){.states = S, .rates = rates};
    for (int s = 0; s < S; s++) sum += model->frequency[s] = 0.1 + wl_random_unit(random);
    for (int s = 0; s < S; s++) {
        root[s] = sqrt(model->frequency[s] /= sum);
        v[s] = root[s] - (s == 0);
        square += v[s] * v[s];
        model->eigenvalue[s] = s == 0 ? 0 : -1 - 1e-3 * wl_random_unit(random);
    }
    for (int s = 0; s < S; s++)
        for (int k = 0; k < S; k++) {
            const double H = (s == k) - 2 * v[s] * v[k] / square;
            model->right[s * S + k] = H / root[s];
            model->left[k * S + s] = H * root[s];
        }
    for (int r = 0; r < rates; r++) {
        model->rate[r] = (2 * r + 1.0) / rates;
        model->share[r] = 1.0 / rates;
    }
}

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

static void make(uint64_t seed, int states, int rates, uint32_t tips, uint32_t patterns, peeling_precision precision,
                 made *m) {
    wl_random random = wl_random_stream(seed, (uint64_t)states);
    make_model(&random, states, rates, &m->model);
    const peeling_recipe recipe = {.taxa = tips, .height = 0.7};
    assert_int_equal(peeling_simulate_tree(&recipe, &random, &m->tree), WL_OK);
    const uint64_t all = ~(uint64_t)0 >> (64 - states);
    const uint32_t codes = (uint32_t)COUNT(m->set) - PEELING_STATES_MOST + (uint32_t)states;
    for (uint32_t code = 0; code < codes; code++)
        m->set[code] = code < (uint32_t)states ? (uint64_t)1 << code : wl_random_next(&random) & all;
    for (uint32_t code = (uint32_t)states; code < codes; code++)
        if (m->set[code] == 0 || code + 1 == codes) m->set[code] = all;
    double *weight = allocated(sizeof *weight * patterns);
    uint16_t *code = allocated(sizeof *code * tips * patterns);
    for (uint32_t c = 0; c < patterns; c++) weight[c] = 1 + wl_random_below(&random, 9);
    for (size_t i = 0; i < (size_t)tips * patterns; i++)
        code[i] = (uint16_t)wl_random_below(&random, wl_random_below(&random, 8) ? (uint32_t)states : codes);
    m->input = (peeling_input){.precision = precision,
                               .model = &m->model,
                               .data = {tips, patterns, weight, code, codes, m->set},
                               .matrices = 2 * tips - 2,
                               .partials = tips - 1};
    peeling_edge *edges = allocated(sizeof *edges * m->input.matrices);
    peeling_join *joins = allocated(sizeof *joins * m->input.partials);
    peeling_tree_work(&m->tree, edges, joins, &m->input.work);
}

static void unmake(made *m) {
    free((void *)m->input.data.weight);
    free((void *)m->input.data.code);
    free((void *)m->input.work.edges);
    free((void *)m->input.work.joins);
    peeling_tree_free(&m->tree);
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

static const peeling_engine *engine(const peeling_input *in) {
    const wl_device device = cpu(1);
    const peeling_engine *found = peeling_engine_find(&device, "cpu_simd", in, NULL);
    assert_non_null(found);
    return found;
}

static int available(const char *isa, const peeling_input *in) {
    const wl_device device = cpu(1);
    setenv("WL_CPU_ISA", isa, 1);
    return peeling_engine_find(&device, "cpu_simd", in, NULL) != NULL;
}

static double *outputs(const peeling_input *in) {
    double *output = allocated(sizeof *output * (in->data.patterns + (size_t)1));
    memset(output, 0xA5, sizeof *output * (in->data.patterns + (size_t)1));
    return output;
}

static double *reference(const peeling_input *in) {
    double *output = outputs(in);
    peeling_reference(in, 0, in->data.patterns, output);
    output[in->data.patterns] = peeling_reference_total(in, output);
    return output;
}

static double *variant(const peeling_input *in, int threads) {
    const wl_variant *simd = engine(in)->variant;
    const wl_device device = cpu(threads);
    void *state;
    double *output = outputs(in);
    if (simd->prepare(&device, in, &state) != WL_OK) fail_msg("%s", wl_error());
    for (int time = 0; time < 2; time++) assert_int_equal(simd->launch(state), WL_OK);
    assert_int_equal(simd->collect(state, output, 0), WL_OK);
    simd->release(state);
    return output;
}

static void same(const peeling_input *in, const double *expected, const double *found, const char *who) {
    char first[160];
    if (wl_problem_named("peeling")->compare(in, expected, found, first, sizeof first) == 0) return;
    fail_msg("%s, %d states, %d rates, %u patterns, precision %d: %s", who, in->model->states, in->model->rates,
             in->data.patterns, (int)in->precision, first);
}

static void same_bits(const peeling_input *in, const double *a, const double *b, const char *what) {
    if (memcmp(a, b, sizeof *a * (in->data.patterns + (size_t)1)) != 0) fail_msg("%s: not the same bits", what);
}

static void every_isa(const peeling_input *in) {
    double *expected = reference(in);
    for (size_t i = 0; i < COUNT(isas); i++) {
        if (!available(isas[i], in)) continue;
        double *one = variant(in, 1), *three = variant(in, 3);
        same(in, expected, one, isas[i]);
        same_bits(in, one, three, "one thread and three");
        free(one);
        free(three);
    }
    unsetenv("WL_CPU_ISA");
    free(expected);
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

TEST(every_number_of_states) {
    for (int states = 2; states <= PEELING_STATES_MOST; states++)
        for (peeling_precision precision = PEELING_SINGLE; precision <= PEELING_DOUBLE; precision++) {
            made m;
            make((uint64_t)states, states, 1 + states % 3, 6, 30 + (uint32_t)states % 40, precision, &m);
            every_isa(&m.input);
            unmake(&m);
        }
}

/* Around vectors, blocks and tiles. */
TEST(every_number_of_columns) {
    static const int states[] = {4, 7, 20};
    static const uint32_t patterns[] = {0,   1,   2,   3,   5,   6,   7,   8,   9,   11,  12,  13,
                                        15,  16,  17,  23,  24,  25,  47,  48,  49,  95,  96,  97,
                                        143, 144, 145, 191, 192, 193, 239, 240, 241, 479, 480, 481};
    for (size_t s = 0; s < COUNT(states); s++)
        for (size_t i = 0; i < COUNT(patterns); i++) {
            made m;
            make(i, states[s], 2, 2 + (uint32_t)i % 7, patterns[i], (peeling_precision)(i % 2), &m);
            every_isa(&m.input);
            unmake(&m);
        }
}

/* More tiles than threads, larger ones, and many vectors at a time. */
TEST(larger) {
    static const struct {
        int states, rates;
        uint32_t tips, patterns;
    } sizes[] = {{4, 4, 60, 3000}, {20, 5, 30, 700}, {61, 4, 20, 450}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        made m;
        make(i, sizes[i].states, sizes[i].rates, sizes[i].tips, sizes[i].patterns, (peeling_precision)(i % 2), &m);
        every_isa(&m.input);
        unmake(&m);
    }
}

static double *result_of(const peeling_engine *e, void *state, const peeling_input *in) {
    double *output = outputs(in);
    assert_int_equal(e->result(state, &output[in->data.patterns], output, 0), WL_OK);
    return output;
}

static void *opened(const peeling_engine *e, const peeling_input *in) {
    const wl_device device = cpu(2);
    void *state;
    if (e->open(&device, in, &state) != WL_OK) fail_msg("%s", wl_error());
    return state;
}

/* Other lengths at one tip after another, each time only the joins above it; now and then another model: as if all had been
   computed. */
static void parts(const peeling_input *in, const peeling_tree *tree, const peeling_model *other) {
    const peeling_engine *e = engine(in);
    peeling_input now = *in;
    peeling_edge *edges = allocated(sizeof *edges * in->work.edge_count);
    peeling_join *joins = allocated(sizeof *joins * in->work.join_count);
    memcpy(edges, in->work.edges, sizeof *edges * in->work.edge_count);
    now.work.edges = edges;
    void *state = opened(e, in);
    assert_int_equal(peeling_engine_run(e, state, &in->work), WL_OK);
    for (uint32_t tip = 0; tip < in->data.tips; tip++) {
        peeling_work work = {.joins = joins, .root = in->work.root};
        uint32_t changed = 0;
        while (edges[changed].matrix != tip) changed++; // the branch above node v is matrix v
        edges[changed].length *= 1.5;
        work.edges = &edges[changed];
        work.edge_count = 1;
        if (tip == in->data.tips / 2) {
            assert_int_equal(e->set_model(state, other), WL_OK);
            now.model = other;
            work = now.work;
        } else {
            for (uint32_t above = tree->parent[tip]; above != WL_NO_NODE; above = tree->parent[above])
                for (uint32_t j = 0; j < in->work.join_count; j++)
                    if (in->work.joins[j].to == above) joins[work.join_count++] = in->work.joins[j];
        }
        assert_int_equal(peeling_engine_run(e, state, &work), WL_OK);
        double *found = result_of(e, state, in), *whole = variant(&now, 2);
        same_bits(in, whole, found, "a part and the whole");
        free(found);
        free(whole);
    }
    e->release(state);
    free(edges);
    free(joins);
}

TEST(parts_of_a_tree) {
    static const int states[] = {4, 20, 61};
    for (size_t s = 0; s < COUNT(states); s++)
        for (peeling_precision precision = PEELING_SINGLE; precision <= PEELING_DOUBLE; precision++) {
            made m;
            peeling_model other;
            wl_random random = wl_random_stream(9, s);
            make(s, states[s], 3, 12, states[s] == 4 ? 700 : 150, precision, &m);
            make_model(&random, states[s], 3, &other);
            parts(&m.input, &m.tree, &other);
            unmake(&m);
        }
}

/* A root without joins above: a vector computed before, and a tip. */
TEST(any_root) {
    made m;
    make(1, 20, 2, 8, 100, PEELING_DOUBLE, &m);
    peeling_input in = m.input;
    const peeling_engine *e = engine(&in);
    void *opened_state = opened(e, &in);
    assert_int_equal(peeling_engine_run(e, opened_state, &in.work), WL_OK);
    const uint32_t roots[] = {in.work.joins[0].to, in.work.joins[in.work.join_count - 2].to, 3};
    for (size_t i = 0; i < COUNT(roots); i++) {
        const peeling_work nothing = {.root = roots[i]};
        in.work.root = roots[i];
        assert_int_equal(peeling_engine_run(e, opened_state, &nothing), WL_OK);
        double *found = result_of(e, opened_state, &in), *expected = reference(&in);
        same(&in, expected, found, "a root");
        free(found);
        free(expected);
    }
    e->release(opened_state);
    unmake(&m);
}

/* Opened for its work only, an engine has room for more partials than there is memory: it keeps none. */
TEST(work_only) {
    static const int states[] = {4, 20};
    for (size_t i = 0; i < COUNT(states); i++) {
        made m;
        make(i, states[i], 4, 9, 1000, PEELING_DOUBLE, &m);
        m.input.work_only = 1;
        m.input.partials = 1u << 22;
        assert_true((double)m.input.partials * 4 * 1000 * states[i] * sizeof(double) > (double)wl_memory_available());
        const peeling_engine *e = engine(&m.input);
        void *opened_state = opened(e, &m.input);
        for (int time = 0; time < 2; time++)
            assert_int_equal(peeling_engine_run(e, opened_state, &m.input.work), WL_OK);
        double *found = result_of(e, opened_state, &m.input), *expected = variant(&m.input, 1);
        same_bits(&m.input, expected, found, "an engine that keeps nothing");
        free(found);
        free(expected);
        e->release(opened_state);
        unmake(&m);
    }
}

/* Partials that are to be kept, and do not fit, are refused before any of them is written. */
TEST(too_large_to_keep) {
    made m;
    make(1, 4, 4, 9, 1000, PEELING_DOUBLE, &m);
    const wl_device device = {.backend = WL_CPU, .multiprocessors = 1, .memory_free = (size_t)1 << 20};
    const peeling_engine *e = engine(&m.input);
    void *opened_state = NULL;
    assert_int_equal(e->open(&device, &m.input, &opened_state), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "1000 patterns"));
    m.input.work_only = 1;
    assert_int_equal(e->open(&device, &m.input, &opened_state), WL_OK);
    e->release(opened_state);
    unmake(&m);
}

int main(void) { return run_all_tests(NULL, NULL); }
