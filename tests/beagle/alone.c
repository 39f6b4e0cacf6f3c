/* What our library does that BEAGLE does not: a caterpillar whose likelihood no double holds, and matrices whose rows do not add up to 1.
       warpladder-tests beagle.alone OURS
   Each case stands for a kind: clients that read partials, clients that make matrices, clients that require an instruction set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/beagle/library.h"

typedef struct {
    int tips, states, patterns, categories;
    long requirements;
    double entries; // matrices are so many times one whose rows add up to 1
    double tip;     // partials of tips: this for a tip's state, else 0; 0: states
} plan;

enum { MOST_PATTERNS = 5, MOST_STATES = 61, MOST_CATEGORIES = 3 };
static int wrong;

static void expect(int is_right, const plan *p, const char *what, double found, double expected) {
    if (is_right) return;
    wrong++;
    fprintf(stderr,
            "%d tips, %d states, %d categories, requirements 0x%lx, entries %g, tips %g: %s is %.12g, expected %.12g\n",
            p->tips, p->states, p->categories, (unsigned long)p->requirements, p->entries, p->tip, what, found,
            expected);
}

static int state_of(const plan *p, int tip, int pattern) {
    return (tip * 7 + tip / 3 + pattern * (tip % 5)) % p->states;
}

static void set_tips(library *L, const plan *p) {
    for (int tip = 0; tip < p->tips; tip++) {
        int state[MOST_PATTERNS];
        double partials[MOST_PATTERNS * MOST_STATES] = {0};
        for (int c = 0; c < p->patterns; c++) {
            state[c] = state_of(p, tip, c);
            partials[c * p->states + state[c]] = p->tip;
        }
        if (p->tip > 0)
            L->SetTipPartials(L->instance, tip, partials);
        else
            L->SetTipStates(L->instance, tip, state);
    }
}

/* Each rate class has a matrix of its own, the same for all branches. */
static void set_matrices(library *L, const plan *p) {
    const int S = p->states;
    double *matrix = calloc((size_t)(p->categories * S * S), sizeof *matrix);
    for (int k = 0; k < p->categories; k++)
        for (int i = 0; i < S * S; i++) {
            const double change = 0.3 / (1 + 3 * k);
            matrix[k * S * S + i] = p->entries * (i % (S + 1) == 0 ? 1 - change : change / (S - 1));
        }
    for (int branch = 0; branch < 2 * p->tips - 2; branch++)
        L->SetTransitionMatrix(L->instance, branch, matrix, p->entries);
    free(matrix);
}

/* The caterpillar's log-likelihood at the root and by pattern; its partials, where they are wanted. With `branch` of the last operation's
   second child, a tip. */
static double evaluate(library *L, const plan *p, double *site, double *partials, double *branch) {
    static const double one[MOST_STATES] = {1, 1, 1, 1, 1};
    double frequency[MOST_STATES], weight[MOST_CATEGORIES], total = NAN;
    BeagleInstanceDetails details;
    L->instance = L->CreateInstance(p->tips, p->tips - 1 + (p->tip > 0 ? p->tips : 0), p->tips, p->states, p->patterns,
                                    1, 2 * p->tips - 2, p->categories, 0, NULL, 0, 0, p->requirements, &details);
    expect(L->instance >= 0 && (details.flags & p->requirements) == p->requirements, p, "an instance", L->instance, 0);
    if (L->instance < 0) return NAN;
    for (int s = 0; s < p->states; s++) frequency[s] = 1.0 / p->states;
    for (int k = 0; k < p->categories; k++) weight[k] = 1.0 / p->categories;
    L->SetPatternWeights(L->instance, one);
    L->SetStateFrequencies(L->instance, 0, frequency);
    L->SetCategoryWeights(L->instance, 0, weight);
    set_tips(L, p);
    set_matrices(L, p);
    BeagleOperation *operation = calloc((size_t)p->tips, sizeof *operation);
    int last = 0;
    for (int i = 1; i < p->tips; i++) {
        operation[i - 1] = (BeagleOperation){p->tips + i - 1, -1, -1, last, last, i, i};
        last = p->tips + i - 1;
    }
    L->UpdatePartials(L->instance, operation, p->tips - 1, -1);
    const int zero = 0, none = -1, parent = last - 1, child = p->tips - 1;
    L->CalculateRootLogLikelihoods(L->instance, &last, &zero, &zero, &none, 1, &total);
    L->GetSiteLogLikelihoods(L->instance, site);
    if (partials != NULL) L->GetPartials(L->instance, last, BEAGLE_OP_NONE, partials);
    if (branch != NULL)
        L->CalculateEdgeLogLikelihoods(L->instance, &parent, &child, &child, NULL, NULL, &zero, &zero, &none, 1, branch,
                                       NULL, NULL);
    L->FinalizeInstance(L->instance);
    free(operation);
    return total;
}

/* The partials are the true ones where doubles hold them, else times one power of two over all classes. */
static void run_partials(library *L) {
    const int tips[] = {20, 100, 300, 440, 445, 450, 800, 2000}, states[] = {4, 20};
    for (size_t i = 0; i < 2 * sizeof tips / sizeof *tips; i++)
        for (int single = 0; single < 2; single++) {
            const plan p = {.tips = tips[i / 2],
                            .states = states[i % 2],
                            .patterns = MOST_PATTERNS,
                            .categories = MOST_CATEGORIES,
                            .requirements = single ? BEAGLE_FLAG_PRECISION_SINGLE : BEAGLE_FLAG_PRECISION_DOUBLE,
                            .entries = 1};
            double site[MOST_PATTERNS], partials[MOST_CATEGORIES * MOST_PATTERNS * MOST_STATES];
            evaluate(L, &p, site, partials, NULL);
            for (int c = 0; c < p.patterns; c++) {
                double sum = 0, most = 0,
                       least = 0; // of the class with the largest; others may be nothing beside it
                for (int k = 0; k < p.categories; k++) {
                    const double *x = partials + (k * p.patterns + c) * p.states;
                    double smallest = INFINITY;
                    for (int s = 0; s < p.states; s++) {
                        sum += x[s] / p.states / p.categories;
                        smallest = fmin(smallest, x[s]);
                    }
                    for (int s = 0; s < p.states; s++)
                        if (x[s] > most) most = x[s], least = smallest;
                }
                const double powers = (site[c] - log(sum)) / log(2), tolerance = single ? 1e-3 : 1e-9;
                expect(fabs(powers - round(powers)) < tolerance, &p, "a power of two", powers, round(powers));
                if (site[c] > -690) expect(round(powers) == 0, &p, "a power of two that is not needed", powers, 0);
                expect(least > 0, &p, "the least partial", least, 1);
            }
        }
}

/* The log-likelihood is that of the matrices divided by their entries' factor, and the factors' logarithms. */
static void run_entries(library *L) {
    const int states[] = {4, 5, 20, 61};
    const double entries[] = {16.22, 3, 1e10, 1e-10, 1.5}, tip[] = {0, 1.9, 1e30};
    for (size_t i = 0; i < 4 * 5 * 3 * 2; i++) {
        plan p = {.tips = i % 2 ? 1200 : 20,
                  .states = states[i / 2 % 4],
                  .patterns = MOST_PATTERNS,
                  .categories = 2,
                  .requirements = i % 2 ? BEAGLE_FLAG_PRECISION_DOUBLE : BEAGLE_FLAG_PRECISION_SINGLE,
                  .entries = 1,
                  .tip = tip[i / 40] > 0 ? 1 : 0};
        double site[MOST_PATTERNS], edge = NAN, one_edge = NAN;
        const double one = evaluate(L, &p, site, NULL, &one_edge);
        p.entries = entries[i / 8 % 5];
        p.tip = tip[i / 40];
        const double found = evaluate(L, &p, site, NULL, &edge);
        const double more = p.patterns * (log(p.entries) * (2 * p.tips - 2) + (p.tip > 0 ? log(p.tip) * p.tips : 0));
        const double without = more - p.patterns * log(p.entries); // the edge's parent lies below the last operation
        const double tolerance = (i % 2 ? 1e-9 : 1e-5) * fmax(fabs(found), fabs(one));
        expect(fabs(found - (one + more)) <= tolerance, &p, "a root's log-likelihood", found, one + more);
        expect(fabs(edge - (one_edge + without)) <= tolerance, &p, "a branch's log-likelihood", edge,
               one_edge + without);
    }
}

static void run_vectors(library *L) {
    const long required[] = {0, BEAGLE_FLAG_VECTOR_NONE, BEAGLE_FLAG_VECTOR_SSE};
    for (int states = 4; states <= 20; states += 16) {
        double first = 0;
        for (int i = 0; i < 3; i++) {
            double site[MOST_PATTERNS];
            const plan p = {20, states, MOST_PATTERNS, 2, required[i] | BEAGLE_FLAG_PRECISION_DOUBLE, 1, 0};
            const double found = evaluate(L, &p, site, NULL, NULL);
            if (i == 0) first = found;
            expect(fabs(found - first) < 1e-9, &p, "the log-likelihood", found, first);
        }
    }
}

int main(int argc, char **argv) {
    library ours;
    setenv("WARPLADDER_BEAGLE_INSTALLED", "none", 1);
    if (argc != 2 || !load(&ours, argv[1])) return fprintf(stderr, "usage: beagle.alone OURS\n"), 2;
    run_partials(&ours);
    run_entries(&ours);
    run_vectors(&ours);
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
