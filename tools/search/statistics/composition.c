/* Statistics of alignments without gaps, from the letters of a query (Karlin & Altschul 1990). For gaps dearer than any simulated, these are
   what blastn takes; and a query with sets of bases has others than one without. */
#include <math.h>
#include <stdlib.h>

#include "tools/search/statistics/evalues.h"
#include "io/database/alphabet.h"

enum { MOST = 256 }; // of a score, either way, in blastn's matrices: SW_SCORE_MOST is below

/* Probabilities of the scores low .. high, which have no common divisor. */
typedef struct {
    int low, high, divisor;
    double p[2 * MOST + 1];
} scores;

static int common_divisor(int a, int b) { return b == 0 ? abs(a) : common_divisor(b, a % b); }

/* The query's letters but N against equally frequent bases. 0: none. */
static int score_letters(const sw_scoring *scoring, const uint8_t *residues, uint32_t length, scores *s) {
    const int none = sw_code(SW_NUCLEOTIDE, 'N'), bases[] = {sw_code(SW_NUCLEOTIDE, 'A'), sw_code(SW_NUCLEOTIDE, 'C'),
                                                             sw_code(SW_NUCLEOTIDE, 'G'), sw_code(SW_NUCLEOTIDE, 'T')};
    double counts[SW_CODES] = {0}, all = 0, raw[2 * MOST + 1] = {0};
    for (uint32_t i = 0; i < length; i++) {
        if (residues[i] == none) continue;
        counts[residues[i]]++;
        all++;
    }
    *s = (scores){0};
    for (int code = 0; code < SW_LETTERS && all > 0; code++)
        for (int b = 0; b < 4 && counts[code] > 0; b++) {
            const int score = scoring->matrix[code][bases[b]];
            raw[MOST + score] += counts[code] / all / 4;
            s->divisor = common_divisor(s->divisor, score);
        }
    if (s->divisor == 0) return 0;
    for (int score = -MOST; score <= MOST; score++) {
        if (raw[MOST + score] == 0) continue;
        const int reduced = score / s->divisor;
        s->p[MOST + reduced] = raw[MOST + score];
        if (reduced < s->low) s->low = reduced;
        if (reduced > s->high) s->high = reduced;
    }
    return s->low < 0 && s->high > 0;
}

/* The sum of p(score) score^power exp(lambda score). */
static double moment(const scores *s, double lambda, int power) {
    double sum = 0;
    for (int x = s->low; x <= s->high; x++) sum += s->p[MOST + x] * (power ? x : 1) * exp(lambda * x);
    return sum;
}

static double solve(const scores *s) {
    double low = 0, high = 1;
    while (moment(s, high, 0) < 1) high *= 2;
    low = high;
    while (low > 1e-9 && moment(s, low, 0) >= 1) low /= 2; // the other root is 0
    for (int step = 0; step < 100; step++) {
        const double middle = (low + high) / 2;
        *(moment(s, middle, 0) < 1 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* The sum over j of (E(exp(lambda S_j), S_j < 0) + P(S_j >= 0)) / j, S_j being the sum of j scores. -1: no memory. */
static double sum_over_walks(const scores *s, double lambda) {
    enum { STEPS = 300 };
    /* blastn has a formula where one is the highest score, or the lowest; elsewhere it ends its sum here. */
    const double enough = s->high == 1 || s->low == -1 ? 1e-9 : 1e-4;
    const size_t range = (size_t)(s->high - s->low), size = STEPS * range + 1;
    double *now = calloc(size, sizeof *now), *next = calloc(size, sizeof *next), sum = now && next ? 0 : -1;
    if (sum == 0) now[0] = 1; // now[k]: the probability that S_j is j * low + k
    for (int j = 1; j <= STEPS && sum >= 0; j++) {
        const size_t end = (size_t)j * range + 1;
        double part = 0;
        for (size_t k = 0; k < end; k++) {
            next[k] = 0;
            for (int x = s->low; x <= s->high; x++) {
                const size_t step = (size_t)(x - s->low);
                if (step <= k && k - step < end - range) next[k] += s->p[MOST + x] * now[k - step];
            }
            const double at = (double)j * s->low + (double)k;
            part += next[k] * (at < 0 ? exp(lambda * at) : 1);
        }
        sum += part / j;
        double *other = now;
        now = next;
        next = other;
        if (part / j < enough) break;
    }
    free(now);
    free(next);
    return sum;
}

/* False where there are none, or no memory. */
static int calculate(const sw_scoring *scoring, const uint8_t *residues, uint32_t length, sw_statistics *own) {
    scores s;
    if (!score_letters(scoring, residues, length, &s) || moment(&s, 0, 1) >= 0) return 0;
    const double lambda = solve(&s), H = lambda * moment(&s, lambda, 1), walks = sum_over_walks(&s, lambda);
    if (walks < 0) return 0;
    own->lambda = lambda / s.divisor;
    own->H = H;
    own->K = exp(-2 * walks) * lambda / (H * -expm1(-lambda));
    own->alpha = own->lambda / H;
    return 1;
}

void sw_statistics_of_bases(const sw_scoring *scoring, sw_statistics *statistics) {
    const uint8_t base = (uint8_t)sw_code(SW_NUCLEOTIDE, 'A'); // one is as good as another
    calculate(scoring, &base, 1, statistics);
}

int sw_statistics_of_query(const sw_scoring *scoring, const sw_statistics *general, const uint8_t *residues,
                           uint32_t length, sw_statistics *own) {
    int sets = 0;
    *own = *general;
    if (!general->known || !general->by_composition) return 0;
    for (uint32_t i = 0; i < length; i++)
        sets |= residues[i] > sw_code(SW_NUCLEOTIDE, 'T') && residues[i] != sw_code(SW_NUCLEOTIDE, 'N');
    return sets && calculate(scoring, residues, length, own);
}
