/* Two libraries with BEAGLE's interface, Debian's and ours, are given the same calls and must give the same numbers:
       warpladder-tests beagle.interface [--gpu] [--interleavings] [--handed | --gradients VERSION4] OURS [THEIRS]
   OURS and THEIRS are paths of libhmsbeagle.so.1; without THEIRS the calls are made to ours twice, for the sanitizers. With --gpu ours are
   made on a GPU. With --interleavings no calls are made but those of run_interleavings. With --handed ours hands instances on to THEIRS, with
   --gradients to a library that has more functions, in the middle of a chain. Another program has ours linked in, with the simulated device for
   a GPU, and is given smaller cases:
       beagle-simulated THEIRS */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/random.h"
#include "tests/beagle/library.h"

/* ---- the libraries ---- */

#ifdef BEAGLE_SIMULATED
static void take_linked(library *to) {
#define TAKE(name) to->name = beagle##name;
    BG_CALLS(TAKE)
    BG_CALLS_OF_4(TAKE)
}
enum { IS_SMALL = 1 };
#else
enum { IS_SMALL = 0 };
#endif

/* ---- a case ---- */

typedef enum { NO_SCALING, EACH_TIME, IN_ONE_CALL, SCALINGS } scaling;

typedef struct {
    int states, patterns, categories, tips;
    int single, complex, derivatives, partials_of; // partials_of: every so manieth tip has partials; 0: none
    scaling scaling;
    int caterpillar;
} plan;

enum { EIGENS = 3, MATRICES = 3 }; // sets of them: probabilities, first and second derivatives

/* Whether ours hands instances on to a BEAGLE that is installed. */
typedef enum { NEVER, FROM_THE_FIRST, AT_A_GRADIENT } handing;

typedef struct {
    library *lib[2];
    handing hands;
    plan p;
    wl_random random;
    int nodes;
    double *length;
    double tolerance;
    int wrong, told, compared; // told: of this case, of which the first two are printed
    const char *what;
} test;

static double uniform(test *t) { return wl_random_unit(&t->random); }
static int below(test *t, int n) { return (int)wl_random_below(&t->random, (uint32_t)n); }

static void compare(test *t, const char *what, double ours, double theirs) {
    const double most = fmax(fabs(ours), fabs(theirs)), difference = fabs(ours - theirs);
    t->compared++;
    if (difference <= t->tolerance * fmax(most, 1) || (isinf(ours) && ours == theirs)) return;
    t->wrong++;
    if (t->told++ < 2)
        fprintf(stderr, "%s: %d states, %d patterns, %d categories, %d tips%s: %s: ours %.17g, theirs %.17g\n", t->what,
                t->p.states, t->p.patterns, t->p.categories, t->p.tips,
                t->p.single        ? ", single"
                : t->p.derivatives ? ", derivatives"
                                   : "",
                what, ours, theirs);
}

/* Both libraries' answer to one call must be this code. */
#define BOTH(expected, call)                                                                                       \
    for (int l_ = 0; l_ < 2; l_++) {                                                                               \
        library *L = t->lib[l_];                                                                                   \
        const int code_ = L->call;                                                                                 \
        if (code_ != (expected) && t->wrong++ < 5)                                                                 \
            fprintf(stderr, "%s: %s: %s returns %d, expected %d\n", t->what, l_ ? "theirs" : "ours", #call, code_, \
                    (expected));                                                                                   \
    }

/* ---- models ---- */

/* Eigenvectors of a symmetric matrix, by Jacobi's rotations: A becomes diagonal, V's columns its vectors. */
static void jacobi(int n, double *A, double *V) {
    for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (fabs(A[p * n + q]) < 1e-300) continue;
                const double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
                const double x = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(x * x + 1), s = x * c;
                for (int k = 0; k < n; k++) {
                    const double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b;
                    A[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    const double a = A[p * n + k], b = A[q * n + k], v = V[k * n + p], w = V[k * n + q];
                    A[p * n + k] = c * a - s * b;
                    A[q * n + k] = s * a + c * b;
                    V[k * n + p] = c * v - s * w;
                    V[k * n + q] = s * v + c * w;
                }
            }
}

/* A random reversible model, its frequencies, and E, E^-1, values. */
static void reversible(test *t, double *E, double *inverse, double *value, double *frequency) {
    const int n = t->p.states;
    double *A = calloc((size_t)(n * n), sizeof *A), *V = calloc((size_t)(n * n), sizeof *V), sum = 0, speed = 0;
    for (int i = 0; i < n; i++) sum += frequency[i] = 0.1 + uniform(t);
    for (int i = 0; i < n; i++) frequency[i] /= sum;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double r = 0.1 + uniform(t); // Q[i][j] = r f[j]; symmetric: sqrt(f[i]) Q[i][j] / sqrt(f[j])
            A[i * n + j] = A[j * n + i] = r * sqrt(frequency[i] * frequency[j]);
            A[i * n + i] -= r * frequency[j];
            A[j * n + j] -= r * frequency[i];
            speed += 2 * r * frequency[i] * frequency[j];
        }
    for (int i = 0; i < n * n; i++) A[i] /= speed;
    jacobi(n, A, V);
    for (int i = 0; i < n; i++) {
        value[i] = A[i * n + i];
        for (int k = 0; k < n; k++) {
            E[i * n + k] = V[i * n + k] / sqrt(frequency[i]);
            inverse[k * n + i] = V[i * n + k] * sqrt(frequency[i]);
        }
    }
    free(A);
    free(V);
}

/* States in a circle, each changing into the next: conjugate eigenvalues, with cosines and sines for vectors. */
static void circular(test *t, double *E, double *inverse, double *value, double *frequency) {
    const int n = t->p.states;
    int column = 0;
    for (int i = 0; i < n; i++) frequency[i] = 1.0 / n;
    for (int k = 0; 2 * k <= n; k++) {
        const double angle = 2 * M_PI * k / n;
        const int pair = k > 0 && 2 * k < n;
        for (int i = 0; i < n; i++)
            for (int side = 0; side <= pair; side++) {
                E[i * n + column + side] = side ? sin(angle * i) : cos(angle * i);
                inverse[(column + side) * n + i] = E[i * n + column + side] * (pair ? 2.0 : 1.0) / n;
            }
        for (int side = 0; side <= pair; side++) {
            value[column + side] = cos(angle) - 1;
            value[n + column + side] = pair ? (side ? -sin(angle) : sin(angle)) : 0;
        }
        column += 1 + pair;
    }
}

/* ---- setting up ---- */

static void set_model(test *t, int slot) {
    const size_t n = (size_t)t->p.states;
    double *E = calloc(2 * n * n + 3 * n, sizeof *E), *inverse = E + n * n, *value = inverse + n * n,
           *frequency = value + 2 * n;
    double weight[16], sum = 0;
    (t->p.complex ? circular : reversible)(t, E, inverse, value, frequency);
    for (int k = 0; k < t->p.categories; k++) sum += weight[k] = 0.2 + uniform(t);
    for (int k = 0; k < t->p.categories; k++) weight[k] /= sum;
    BOTH(0, SetEigenDecomposition(L->instance, slot, E, inverse, value))
    BOTH(0, SetStateFrequencies(L->instance, slot, frequency))
    BOTH(0, SetCategoryWeights(L->instance, slot, weight))
    free(E);
}

static void set_rates(test *t) {
    double rate[16];
    for (int k = 0; k < t->p.categories; k++) rate[k] = 0.1 + 1.5 * uniform(t);
    BOTH(0, SetCategoryRates(L->instance, rate))
}

static void set_tip(test *t, int tip) {
    const int n = t->p.states, with_partials = t->p.partials_of > 0 && tip % t->p.partials_of == 1;
    int *state = calloc((size_t)t->p.patterns, sizeof *state);
    double *partials = calloc((size_t)(t->p.patterns * n), sizeof *partials);
    for (int c = 0; c < t->p.patterns; c++) {
        state[c] = below(t, n + 1 + n / 8); // at and above n: missing
        for (int s = 0; s < n; s++) partials[c * n + s] = below(t, 3) > 0 ? uniform(t) : 0;
        partials[c * n + below(t, n)] = 1;
    }
    if (with_partials)
        BOTH(0, SetTipPartials(L->instance, tip, partials))
    else
        BOTH(0, SetTipStates(L->instance, tip, state))
    free(state);
    free(partials);
}

static int scales(const test *t) { return t->nodes + 1; }

static int begin(test *t) {
    t->told = 0;
    const long scalers = t->hands == AT_A_GRADIENT && below(t, 2) ? BEAGLE_FLAG_SCALERS_RAW : BEAGLE_FLAG_SCALERS_LOG;
    const long wanted = scalers | (t->p.complex ? BEAGLE_FLAG_EIGEN_COMPLEX : BEAGLE_FLAG_EIGEN_REAL);
    const int compact = t->p.partials_of > 0 ? 0 : t->p.tips;
    t->nodes = 2 * t->p.tips - 1;
    t->length = calloc((size_t)t->nodes, sizeof *t->length);
    t->tolerance = !t->p.single ? 1e-9 : t->hands == NEVER ? 1e-5 : 1e-4; // BEAGLE's single has larger errors
    for (int l = 0; l < 2; l++) {
        library *L = t->lib[l];
        BeagleInstanceDetails details;
        /* Single precision is compared with double: BEAGLE's single has an error of 1.4e-5 itself, from matrices made in single. */
        const long precision = t->p.single && l == 0 ? BEAGLE_FLAG_PRECISION_SINGLE : BEAGLE_FLAG_PRECISION_DOUBLE;
        /* BEAGLE's SSE code reads past tips' partials of an odd number of states. */
        const long vectors = t->p.states == 3 && l == 1 ? BEAGLE_FLAG_VECTOR_NONE : 0;
        L->instance = L->CreateInstance(t->p.tips, t->nodes - compact, t->p.tips, t->p.states, t->p.patterns, EIGENS,
                                        MATRICES * t->nodes, t->p.categories, scales(t), NULL, 0, 0,
                                        wanted | precision | vectors | L->processor, &details);
        if (L->instance < 0) return fprintf(stderr, "%s: no instance: %d\n", t->what, L->instance), 0;
    }
    double *weight = calloc((size_t)t->p.patterns, sizeof *weight);
    for (int c = 0; c < t->p.patterns; c++) weight[c] = below(t, 4) + (below(t, 2) ? 0.25 : 0);
    BOTH(0, SetPatternWeights(L->instance, weight))
    free(weight);
    for (int tip = 0; tip < t->p.tips; tip++) set_tip(t, tip);
    for (int slot = 0; slot < EIGENS; slot++) set_model(t, slot);
    set_rates(t);
    for (int i = 0; i < t->nodes; i++) t->length[i] = 0.01 + 0.3 * uniform(t);
    return 1;
}

static void end(test *t) {
    BOTH(0, FinalizeInstance(L->instance))
    free(t->length);
}

/* ---- evaluations ---- */

static void set_lengths(test *t, int slot) {
    int *index = calloc((size_t)(3 * t->nodes), sizeof *index);
    for (int i = 0; i < 3 * t->nodes; i++) index[i] = i;
    const int *first = t->p.derivatives ? index + t->nodes : NULL,
              *second = t->p.derivatives ? index + 2 * t->nodes : NULL;
    BOTH(0, UpdateTransitionMatrices(L->instance, slot, index, first, second, t->length, t->nodes - 1))
    free(index);
}

/* Nodes tips + i, whose children are nodes before it that have no parent yet. */
static void plan_tree(test *t, BeagleOperation *operation) {
    int *open = calloc((size_t)t->nodes, sizeof *open), count = t->p.tips;
    for (int i = 0; i < count; i++) open[i] = i;
    for (int i = 0; i < t->p.tips - 1; i++) {
        int child[2];
        for (int k = 0; k < 2; k++) {
            const int at = t->p.caterpillar && k == 0 && i > 0 ? count - 1 : below(t, count);
            child[k] = open[at];
            open[at] = open[--count];
        }
        const int scale = t->p.scaling == NO_SCALING ? BEAGLE_OP_NONE : i;
        operation[i] = (BeagleOperation){t->p.tips + i, scale, BEAGLE_OP_NONE, child[0], child[0], child[1], child[1]};
        open[count++] = t->p.tips + i;
    }
    free(open);
}

static void update(test *t, const BeagleOperation *operation, int count) {
    const int sum = t->nodes, is_one = t->p.scaling == IN_ONE_CALL;
    if (is_one) BOTH(0, ResetScaleFactors(L->instance, sum))
    BOTH(0, UpdatePartials(L->instance, operation, count, is_one ? sum : BEAGLE_OP_NONE))
    if (t->p.scaling != EACH_TIME) return;
    int *index = calloc((size_t)t->p.tips, sizeof *index);
    for (int i = 0; i < t->p.tips - 1; i++) index[i] = i;
    BOTH(0, ResetScaleFactors(L->instance, sum))
    BOTH(0, AccumulateScaleFactors(L->instance, index, t->p.tips - 1, sum))
    free(index);
}

static void compare_sites(test *t) {
    double *site[4];
    for (int i = 0; i < 4; i++) site[i] = calloc((size_t)t->p.patterns, sizeof **site);
    for (int l = 0; l < 2; l++) t->lib[l]->GetSiteLogLikelihoods(t->lib[l]->instance, site[l]);
    for (int c = 0; c < t->p.patterns; c++) compare(t, "a site's log-likelihood", site[0][c], site[1][c]);
    for (int i = 0; i < 4; i++) free(site[i]);
}

static void ask_root(test *t, int root, int slot) {
    const int scale = t->p.scaling == NO_SCALING ? BEAGLE_OP_NONE : t->nodes;
    double total[2] = {0};
    BOTH(0, CalculateRootLogLikelihoods(L->instance, &root, &slot, &slot, &scale, 1, &total[l_]))
    compare(t, "root log-likelihood", total[0], total[1]);
    compare_sites(t);
}

static void ask_edge(test *t, int parent, int child, int slot) {
    const int scale = t->p.scaling == NO_SCALING ? BEAGLE_OP_NONE : t->nodes;
    const int first = child + t->nodes, second = child + 2 * t->nodes;
    double total[2] = {0}, d1[2] = {0}, d2[2] = {0};
    BOTH(0, CalculateEdgeLogLikelihoods(L->instance, &parent, &child, &child, t->p.derivatives ? &first : NULL,
                                        t->p.derivatives ? &second : NULL, &slot, &slot, &scale, 1, &total[l_],
                                        t->p.derivatives ? &d1[l_] : NULL, t->p.derivatives ? &d2[l_] : NULL))
    compare(t, "edge log-likelihood", total[0], total[1]);
    const double tolerance = t->tolerance;
    t->tolerance *= 100; // of differences of large numbers
    compare(t, "first derivative", d1[0], d1[1]);
    compare(t, "second derivative", d2[0], d2[1]);
    t->tolerance = tolerance;
    compare_sites(t);
}

/* What the client is shown must fit together in each library: partials, factors and the log-likelihood. */
static void compare_shown(test *t, int root, int slot) {
    const size_t n = (size_t)t->p.states, P = (size_t)t->p.patterns, C = (size_t)t->p.categories;
    double *partials = calloc(C * P * n, sizeof *partials), *factor = calloc(P, sizeof *factor),
           *site = calloc(P, sizeof *site);
    const int scale = t->p.scaling == NO_SCALING ? BEAGLE_OP_NONE : t->nodes;
    double one[64], total;
    for (size_t s = 0; s < n; s++) one[s] = 1; // frequencies that need not add up to 1
    for (int l = 0; l < 1; l++) {              // BEAGLE's are its own business
        library *L = t->lib[l];
        double weight[16];
        for (size_t k = 0; k < C; k++) weight[k] = 1 + (double)k;
        L->SetStateFrequencies(L->instance, slot, one);
        L->SetCategoryWeights(L->instance, slot, weight);
        L->CalculateRootLogLikelihoods(L->instance, &root, &slot, &slot, &scale, 1, &total);
        L->GetSiteLogLikelihoods(L->instance, site);
        L->GetPartials(L->instance, root, BEAGLE_OP_NONE, partials);
        if (scale >= 0) L->GetScaleFactors(L->instance, scale, factor);
        for (size_t c = 0; c < P; c++) {
            double sum = 0;
            for (size_t k = 0; k < C; k++)
                for (size_t s = 0; s < n; s++) sum += (1 + (double)k) * partials[(k * P + c) * n + s];
            compare(t, "a site's log-likelihood of the partials and factors that are shown", log(sum) + factor[c],
                    site[c]);
        }
    }
    free(partials);
    free(factor);
    free(site);
}

static void compare_matrices(test *t) {
    const size_t size = (size_t)(t->p.categories * t->p.states * t->p.states);
    double *P[2] = {calloc(size, sizeof **P), calloc(size, sizeof **P)};
    for (int m = 0; m < t->nodes - 1; m++) {
        BOTH(0, GetTransitionMatrix(L->instance, m, P[l_]))
        for (size_t i = 0; i < size; i++) compare(t, "a transition probability", P[0][i], P[1][i]);
    }
    free(P[0]);
    free(P[1]);
}

/* The whole tree once more, for what is shown of it. */
static void ask_again(test *t, const BeagleOperation *operation, int root) {
    set_lengths(t, 0);
    update(t, operation, t->p.tips - 1);
    ask_root(t, root, 0);
}

/* Ours hands its instance over to a library that has this function, with all that has been computed. */
static void hand_over(test *t) {
    const library *L = t->lib[0];
    const int first = 0, second = 1, unused = t->nodes - 1;
    const int code = L->AddTransitionMatrices(L->instance, &first, &second, &unused, 1);
    if (code != BEAGLE_SUCCESS)
        t->wrong += fprintf(stderr, "%s: AddTransitionMatrices returns %d\n", t->what, code) > 0;
}

/* A tree, then as a chain changes it: lengths of some branches, the partials above them, the same again with another model. */
static void run_plan(test *t) {
    if (!begin(t)) {
        t->wrong++;
        return;
    }
    BeagleOperation *operation = calloc((size_t)t->p.tips, sizeof *operation);
    const int root = t->nodes - 1, joins = t->p.tips - 1;
    plan_tree(t, operation);
    for (int round = 0; round < 3; round++) {
        const int slot = round % EIGENS;
        set_lengths(t, slot);
        update(t, operation, joins);
        if (t->hands == AT_A_GRADIENT && round == 1) hand_over(t);
        ask_root(t, root, slot);
        /* The two halves of the tree, joined by the last operation's second branch: without its factors. */
        const int last = joins - 1;
        if (t->p.scaling != NO_SCALING) BOTH(0, RemoveScaleFactors(L->instance, &last, 1, t->nodes))
        const int a = operation[last].child1Partials, b = operation[last].child2Partials;
        ask_edge(t, a < b ? b : a, a < b ? a : b, slot); // BEAGLE's parents are no tips
        compare_matrices(t);
        for (int i = 0; i < t->nodes; i++) t->length[i] *= 0.5 + uniform(t);
        if (round == 1) set_tip(t, below(t, t->p.tips));
        if (round == 1) set_rates(t);
    }
    ask_again(t, operation, root);
    if (t->hands == NEVER) compare_shown(t, root, 0);
    free(operation);
    end(t);
}

/* Matrices that the client makes or multiplies, partials that it sets, several subsets, a matrix of another model. */
static void run_parts(test *t) {
    t->p = (plan){.states = 61, .patterns = 70, .categories = 2, .tips = 5, .scaling = NO_SCALING};
    for (int states = 4; states <= 61; states += 57) {
        t->p.states = states;
        if (!begin(t)) break;
        const int S = states, C = 2, parents[3] = {5, 6, 7}, children[3] = {0, 1, 2}, slots[3] = {0, 1, 2},
                  none[3] = {-1, -1, -1};
        const int eigen[4] = {0, 1, 2, 1}, rates[4] = {0, 0, 0, 0}, index[4] = {0, 1, 2, 3}, first = 0, second = 1,
                  product = 4;
        double *matrix = calloc((size_t)(C * S * S), sizeof *matrix),
               *partials = calloc((size_t)(C * 70 * S), sizeof *partials), total[2];
        BOTH(0, UpdateTransitionMatricesWithMultipleModels(L->instance, eigen, rates, index, NULL, NULL, t->length, 4))
        BOTH(0, ConvolveTransitionMatrices(L->instance, &first, &second, &product, 1))
        for (int i = 0; i < C * S * S; i++) matrix[i] = uniform(t);
        BOTH(0, SetTransitionMatrix(L->instance, 5, matrix, 0.7)) // what a missing state gives is 0.7
        for (int b = 5; b < 8; b++) {
            for (int i = 0; i < C * 70 * S; i++) partials[i] = uniform(t);
            BOTH(0, SetPartials(L->instance, b, partials))
        }
        const BeagleOperation one = {8, -1, -1, 3, 5, 6, product};
        BOTH(0, UpdatePartials(L->instance, &one, 1, -1))
        const int root = 8;
        BOTH(0, CalculateRootLogLikelihoods(L->instance, &root, slots, slots, none, 1, &total[l_]))
        compare(t, "root with a set and a multiplied matrix", total[0], total[1]);
        compare_sites(t);
        BOTH(0, CalculateEdgeLogLikelihoods(L->instance, parents, children, index, NULL, NULL, slots, slots, none, 3,
                                            &total[l_], NULL, NULL))
        compare(t, "three subsets", total[0], total[1]);
        compare_sites(t);
        /* One call's operations of which the second overwrites partials that the first reads. With 61 states BEAGLE's partials of 8
           are not the products that its own matrices and partials give; in some layouts of memory they are not numbers. */
        if (S == 4) {
            const BeagleOperation two[] = {{8, -1, -1, 5, 1, 6, 2}, {5, -1, -1, 8, 3, 7, 0}};
            const int again = 5;
            BOTH(0, SetPartials(L->instance, 5, partials))
            BOTH(0, UpdatePartials(L->instance, two, 2, -1))
            BOTH(0, CalculateRootLogLikelihoods(L->instance, &again, slots, slots, none, 1, &total[l_]))
            compare(t, "partials overwritten by what is made of them", total[0], total[1]);
        }
        free(matrix);
        free(partials);
        end(t);
    }
}

/* Patterns of three partitions, each with lengths of its own. */
static void run_partitions(test *t) {
    t->p = (plan){.states = 4, .patterns = 90, .categories = 3, .tips = 6, .scaling = NO_SCALING};
    if (!begin(t)) return;
    enum { PARTS = 3 };
    int part[90], zero[PARTS] = {0}, none[PARTS] = {-1, -1, -1}, root[PARTS], each[PARTS] = {0, 1, 2},
                  joins = t->p.tips - 1;
    BeagleOperation operation[8];
    BeagleOperationByPartition by[PARTS * 8];
    double of[2][PARTS], total[2];
    for (int c = 0; c < 90; c++) part[c] = c / 30;
    plan_tree(t, operation);
    BOTH(0, SetPatternPartitions(L->instance, PARTS, part))
    set_lengths(t, 0);
    for (int p = 0, n = 0; p < PARTS; p++) {
        root[p] = t->nodes - 1;
        for (int i = 0; i < joins; i++) {
            const BeagleOperation *o = &operation[i];
            const int m1 = (o->child1TransitionMatrix + p) % (t->nodes - 1),
                      m2 = (o->child2TransitionMatrix + p) % (t->nodes - 1);
            by[n++] = (BeagleOperationByPartition){
                o->destinationPartials, -1, -1, o->child1Partials, m1, o->child2Partials, m2, p, -1};
        }
    }
    BOTH(0, UpdatePartialsByPartition(L->instance, by, PARTS * joins))
    BOTH(0, CalculateRootLogLikelihoodsByPartition(L->instance, root, zero, zero, none, each, PARTS, 1, of[l_],
                                                   &total[l_]))
    for (int p = 0; p < PARTS; p++) compare(t, "a partition's log-likelihood", of[0][p], of[1][p]);
    compare(t, "all partitions'", total[0], total[1]);
    compare_sites(t);
    end(t);
}

/* A few instances at a time, each made, changed, asked and ended in no particular order. */
static void run_interleavings(test *all) {
    enum { ALIVE = 4, STEPS = IS_SMALL ? 300 : 1800 };
    int begun = 0;
    test alive[ALIVE] = {0};
    BeagleOperation *operation[ALIVE] = {0};
    library lib[ALIVE][2];
    for (int step = 0; step < STEPS; step++) {
        const int i = below(all, ALIVE);
        test *t = &alive[i];
        const int ends = step >= STEPS - 50 || below(all, 15) == 0;
        if (operation[i] == NULL) {
            if (step >= STEPS - 50) continue;
            begun++;
            *t = (test){.lib = {&lib[i][0], &lib[i][1]}, .random = all->random, .what = "interleavings"};
            (void)wl_random_next(&all->random);
            for (int l = 0; l < 2; l++) lib[i][l] = *all->lib[l];
            t->p = (plan){.states = below(t, 2) ? 4 : 20,
                          .patterns = 1 + below(t, 60),
                          .categories = 1 + below(t, 3),
                          .tips = 3 + below(t, 6),
                          .scaling = (scaling)below(t, SCALINGS)};
            operation[i] = calloc((size_t)t->p.tips, sizeof *operation[i]);
            if (begin(t)) {
                plan_tree(t, operation[i]);
                set_lengths(t, 0);
                update(t, operation[i], t->p.tips - 1);
            } else {
                all->wrong++;
            }
        } else if (ends) {
            end(t);
            all->wrong += t->wrong;
            all->compared += t->compared;
            free(operation[i]);
            operation[i] = NULL;
        } else {
            const int joins = t->p.tips - 1, node = below(t, t->nodes - 1), slot = below(t, EIGENS);
            switch (below(t, 7)) {
                case 0:
                    set_tip(t, below(t, t->p.tips));
                    break;
                case 1:
                    set_model(t, slot);
                    break;
                case 2:
                    set_rates(t);
                    break;
                case 3: // one branch, and then once more
                    t->length[node] = uniform(t);
                    BOTH(0, UpdateTransitionMatrices(L->instance, slot, &node, NULL, NULL, &t->length[node], 1))
                    break;
                case 4:
                    plan_tree(t, operation[i]);
                    break;
                default: // only some of the tree's operations may be needed; all of them always do
                    update(t, operation[i], joins);
                    if (below(t, 2)) update(t, operation[i], joins);
                    ask_root(t, t->nodes - 1, slot);
            }
        }
    }
    printf("%d instances interleaved\n", begun);
    if (begun < (IS_SMALL ? 10 : 100)) all->wrong++;
}

/* Threads with an instance each. */
static void *run_thread(void *argument) {
    run_plan(argument);
    return NULL;
}

static void run_threads(test *all) {
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    library lib[THREADS][2];
    test t[THREADS];
    for (int i = 0; i < THREADS; i++) {
        for (int l = 0; l < 2; l++) lib[i][l] = *all->lib[0]; // ours twice: BEAGLE is not told to be ready for it
        t[i] = (test){.lib = {&lib[i][0], &lib[i][1]}, .random = wl_random_stream(7, (uint64_t)i), .what = "threads"};
        t[i].p = (plan){.states = 4 + 16 * (i & 1),
                        .patterns = IS_SMALL ? 40 : 300,
                        .categories = 4,
                        .tips = 9,
                        .scaling = EACH_TIME};
        if (pthread_create(&thread[i], NULL, run_thread, &t[i]) != 0) all->wrong++;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        all->wrong += t[i].wrong;
        all->compared += t[i].compared;
    }
}

/* What must be refused is refused, and harms nothing. */
static void run_refusals(test *t) {
    library *L = t->lib[0];
    const int many = 1000000, none = -1, zero = 0;
    double x = 0;
    const BeagleOperation wrong = {many, none, none, 0, 0, 1, 1};
    const int codes[] = {
        L->SetTipStates(many, 0, &zero) == BEAGLE_ERROR_UNINITIALIZED_INSTANCE,
        L->FinalizeInstance(-1) == BEAGLE_ERROR_UNINITIALIZED_INSTANCE,
        L->CreateInstance(3, 3, 3, 65, 10, 1, 5, 1, 0, NULL, 0, 0, 0, NULL) == BEAGLE_ERROR_NO_IMPLEMENTATION,
        L->CreateInstance(3, 3, 3, 4, 10, 1, 5, 1, 0, NULL, 0, 0, BEAGLE_FLAG_VECTOR_NONE | BEAGLE_FLAG_VECTOR_SSE,
                          NULL) == BEAGLE_ERROR_NO_IMPLEMENTATION,
        L->CreateInstance(3, 3, 3, 4, 10, 1, 5, 1, 0, NULL, 0, 0, BEAGLE_FLAG_PROCESSOR_FPGA, NULL) ==
            BEAGLE_ERROR_NO_RESOURCE,
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!codes[i]) t->wrong += fprintf(stderr, "refusal %zu is missing\n", i) > 0;
    const int instance = L->CreateInstance(3, 3, 3, 4, 10, 1, 5, 1, 1, NULL, 0, 0, 0, NULL);
    const int more[] = {
        L->SetTipStates(instance, many, &zero),
        L->UpdatePartials(instance, &wrong, 1, none),
        L->UpdateTransitionMatrices(instance, 0, &many, NULL, NULL, &x, 1),
        L->UpdateTransitionMatrices(instance, 0, &zero, NULL, NULL, &x, 1), // before there are eigenvectors
        L->CalculateRootLogLikelihoods(instance, &many, &zero, &zero, &none, 1, &x),
        L->CalculateRootLogLikelihoods(instance, &zero, &zero, &zero, &none, 1,
                                       &x), // of a buffer that nobody has filled
        L->ResetScaleFactors(instance, many),
        L->GetTransitionMatrix(instance, many, &x),
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i] != BEAGLE_ERROR_OUT_OF_RANGE) t->wrong += fprintf(stderr, "call %zu: %d\n", i, more[i]) > 0;
    L->FinalizeInstance(instance);
}

/* Trees of all sizes, and what is rarer. */
static void run_trees(test *t) {
    const int all[] = {2, 3, 4, 5, 8, 11, 13, 20, 61, 64}, handed[] = {2, 3, 65, 66};
    const int *states = t->hands == FROM_THE_FIRST ? handed : all;
    const size_t count = t->hands == FROM_THE_FIRST ? sizeof handed / sizeof *handed : sizeof all / sizeof *all;
    t->what = "trees";
    for (size_t i = 0; i < count; i++)
        for (int kind = 0; kind < 8; kind++) {
            if (IS_SMALL && states[i] > 4 && kind % 4 != (int)i % 4) continue;
            t->p = (plan){.states = states[i],
                          .patterns = 1 + below(t, IS_SMALL         ? 30
                                                   : states[i] > 20 ? 110
                                                                    : 300),
                          .categories = 1 + below(t, IS_SMALL ? 2 : 4),
                          .tips = 3 + below(t, IS_SMALL ? 3 : 9),
                          .single = kind == 7,
                          .derivatives = kind % 4 == 1,
                          .partials_of = kind % 3 == 2 ? 2 : 0,
                          .scaling = (scaling)(kind % SCALINGS),
                          .caterpillar = kind & 1};
            run_plan(t);
        }
    if (t->hands != NEVER) return;
    t->what = "complex eigenvalues";
    for (int n = 3; n <= 6; n++) {
        t->p = (plan){.states = n, .patterns = IS_SMALL ? 20 : 100, .categories = 2, .tips = 6, .complex = 1};
        run_plan(t);
    }
    t->what = "parts";
    run_parts(t);
    t->what = "partitions";
    run_partitions(t);
}

/* The details of an instance say whose it is; with partitions, which BEAGLE gets wrong, ours stays. */
static void run_handed(test *t) {
    library *L = t->lib[0];
    const int states[] = {2, 3, 4, 65}, is_theirs[] = {1, 1, 0, 1};
    for (int i = 0; i < 4; i++) {
        BeagleInstanceDetails details = {0};
        const int instance = L->CreateInstance(3, 3, 3, states[i], 10, 1, 5, 1, 0, NULL, 0, 0, 0, &details);
        const int is = instance >= 0 && strstr(details.implName, "BEAGLE") != NULL &&
                       strstr(details.implDescription, "handed on to") != NULL;
        if (is != is_theirs[i] || L->FinalizeInstance(instance) != BEAGLE_SUCCESS)
            t->wrong += fprintf(stderr, "%d states: %s\n", states[i], details.implName) > 0;
    }
    if (L->CreateInstance(3, 3, 3, 65, 10, 1, 5, 1, 0, NULL, 0, 0, BEAGLE_FLAG_PROCESSOR_FPGA, NULL) >= 0) t->wrong++;
}

static void run_rest(test *t) {
    run_threads(t);
    t->what = "refusals";
    run_refusals(t);
}

int main(int argc, char **argv) {
    library ours, theirs;
    int only_interleavings = 0;
    handing hands = NEVER;
    setenv("WARPLADDER_BEAGLE_INSTALLED", "none", 1);
#ifdef BEAGLE_SIMULATED
    if (argc != 2) return fprintf(stderr, "usage: beagle-simulated THEIRS\n"), 2;
    take_linked(&ours);
    ours.processor = BEAGLE_FLAG_PROCESSOR_GPU;
    if (!load(&theirs, argv[1])) return 1;
#else
    const int handed = argc > 3 && strcmp(argv[1], "--handed") == 0;
    const int gradients = argc > 2 && strcmp(argv[1], "--gradients") == 0;
    if (handed || gradients) setenv("WARPLADDER_BEAGLE_INSTALLED", argv[handed ? 3 : 2], 1);
    argc -= handed + 2 * gradients;
    argv += handed + 2 * gradients;
    const int on_gpu = argc > 1 && strcmp(argv[1], "--gpu") == 0;
    argc -= on_gpu;
    argv += on_gpu;
    only_interleavings = argc > 1 && strcmp(argv[1], "--interleavings") == 0;
    argc -= only_interleavings;
    argv += only_interleavings;
    hands = handed ? FROM_THE_FIRST : gradients ? AT_A_GRADIENT : NEVER;
    if (argc < 2) return fprintf(stderr, "usage: beagle.interface [--gpu] [--interleavings] OURS [THEIRS]\n"), 2;
    if (!load(&ours, argv[1]) || !load(&theirs, argc > 2 ? argv[2] : argv[1])) return 1;
    if (on_gpu) ours.processor = BEAGLE_FLAG_PROCESSOR_GPU;
#endif
    test t = {.lib = {&ours, &theirs}, .hands = hands};
    t.random = wl_random_stream(2009, 0);
    if (!only_interleavings) run_trees(&t);
    if (hands == FROM_THE_FIRST) run_handed(&t);
    if (hands == NEVER) run_interleavings(&t);
    if (hands == NEVER && !only_interleavings) run_rest(&t);
    printf("%d numbers compared, %d wrong\n", t.compared, t.wrong);
    return t.wrong > 0 || t.compared < 1000;
}
