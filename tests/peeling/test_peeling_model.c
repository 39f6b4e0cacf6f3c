/* Models of substitution: transition matrices are those of closed forms and of a power series, which knows nothing of
   eigenvectors; they have the properties that theory gives them, for no time, little time and infinitely much. Rate
   classes, names and letters: test_peeling_model_parts.c; what no model can be made of:
   test_peeling_model_refused.c. */
#include <float.h>
#include <math.h>

#include <dirent.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "peeling/model/internal.h"
#include "tests/support/peeling_transition.h"

enum { MOST = PEELING_STATES_MOST };

static peeling_model made(const peeling_settings *settings) {
    peeling_model model;
    if (peeling_model_make(settings, &model) != WL_OK) fail_msg("%s", wl_error());
    return model;
}

static int is_transition(char a, char b) {
    const char pair[3] = {a, b, 0};
    return strstr("AGA", pair) != NULL || strstr("CTC", pair) != NULL;
}

static void is_near(double value, double expected, double error, const char *what, double t) {
    if (!(fabs(value - expected) <= error))
        fail_msg("%s, t = %g: expected %.17g, found %.17g, %.3g off", what, t, expected, value, value - expected);
}

static const double times[] = {1e-9, 1e-4, 0.03, 0.7, 2, 30};
enum { TIMES = sizeof times / sizeof times[0] };

/* --- Models to try ----------------------------------------------------------------------------------------------- */

/* Number `i` of a list of all kinds with all sorts of parameters; 0 at its end. */
static int example(int i, peeling_settings *settings) {
    static const peeling_model_kind kind[] = {
        PEELING_JC69,      PEELING_K80,       PEELING_HKY85, PEELING_HKY85, PEELING_GTR,  PEELING_GTR, PEELING_POISSON,
        PEELING_EMPIRICAL, PEELING_EMPIRICAL, PEELING_GY94,  PEELING_GY94,  PEELING_GY94, PEELING_GY94};
    if (i >= (int)(sizeof kind / sizeof kind[0])) return 0;
    wl_random random = wl_random_stream(2009, (uint64_t)i);
    *settings = peeling_settings_of(kind[i]);
    for (int s = 0; s < MOST; s++) settings->frequency[s] = 0.05 + wl_random_unit(&random);
    for (int k = 0; k < 6; k++) settings->exchange[k] = 0.1 + 3 * wl_random_unit(&random);
    settings->kappa = 0.2 + 5 * wl_random_unit(&random);
    settings->omega = 0.05 + wl_random_unit(&random);
    if (i == 3) settings->kappa = 0;
    if (i == 5) settings->exchange[0] = settings->exchange[2] = settings->exchange[4] = 0; // G-A, G-C, G-T are left
    if (i == 8) settings->frequencies = PEELING_OBSERVED;
    if (i == 10 || i == 11) settings->code = PEELING_CODE_VERTEBRATE_MITOCHONDRIAL;
    if (i == 11) settings->kappa = 0;
    if (i == 12) settings->frequencies = PEELING_EQUAL;
    return 1;
}

/* The generator from the models' definitions, [states][states]. */
static void generator(const peeling_settings *settings, const peeling_model *model, long double *Q) {
    const int S = model->states;
    double wag[400];
    peeling_empirical_exchange(peeling_empirical_named("WAG", 3), wag);
    long double flow = 0;
    for (int i = 0; i < S; i++) {
        Q[i * S + i] = 0;
        for (int j = 0; j < S; j++) {
            if (i == j) continue;
            long double rate = 1;
            if (settings->kind == PEELING_EMPIRICAL) rate = wag[i * 20 + j];
            if (settings->kind == PEELING_GTR) {
                static const char *const pairs[] = {"ACA", "AGA", "ATA", "CGC", "CTC", "GTG"};
                const char wanted[3] = {"ACGT"[i], "ACGT"[j], 0};
                for (int k = 0; k < 6; k++)
                    if (strstr(pairs[k], wanted)) rate = settings->exchange[k];
            }
            if ((settings->kind == PEELING_K80 || settings->kind == PEELING_HKY85) &&
                is_transition("ACGT"[i], "ACGT"[j]))
                rate = settings->kappa;
            if (settings->kind == PEELING_GY94) {
                char one[4], other[4];
                int differences = 0;
                peeling_codon_letters(settings->code, i, one);
                peeling_codon_letters(settings->code, j, other);
                for (int p = 0; p < 3; p++) {
                    differences += one[p] != other[p];
                    if (is_transition(one[p], other[p])) rate *= settings->kappa;
                }
                if (differences != 1) rate = 0;
                if (peeling_codon_amino_acid(settings->code, i) != peeling_codon_amino_acid(settings->code, j))
                    rate *= settings->omega;
            }
            Q[i * S + j] = rate * model->frequency[j];
            Q[i * S + i] -= Q[i * S + j];
        }
        flow -= model->frequency[i] * Q[i * S + i];
    }
    for (int i = 0; i < S * S; i++) Q[i] /= flow;
}

/* P = sum_k e^-qt (qt)^k / k! (1 + Q / q)^k, where nothing is subtracted, so that every probability has all its
   digits. */
static void power_series(int S, const long double *Q, long double t, long double *P) {
    static long double step[MOST * MOST], power[MOST * MOST], next[MOST];
    long double q = 0;
    for (int i = 0; i < S; i++) q = fmaxl(q, -Q[i * S + i]);
    for (int i = 0; i < S * S; i++) {
        power[i] = i % (S + 1) == 0;
        step[i] = power[i] + Q[i] / q;
        P[i] = 0;
    }
    long double share = expl(-q * t);
    for (int k = 1;; k++) {
        for (int i = 0; i < S * S; i++) P[i] += share * power[i];
        share *= q * t / k;
        if (share < 1e-40L && k > q * t + 8) return;
        for (int i = 0; i < S; i++) {
            memset(next, 0, sizeof next);
            for (int m = 0; m < S; m++)
                for (int j = 0; j < S; j++) next[j] += power[i * S + m] * step[m * S + j];
            memcpy(power + i * S, next, (size_t)S * sizeof next[0]);
        }
    }
}

/* --- Against closed forms and the power series ------------------------------------------------------------------- */

TEST(jc69_is_its_closed_form) {
    peeling_settings settings = peeling_settings_of(PEELING_JC69);
    peeling_model model = made(&settings);
    for (int k = 0; k < TIMES; k++) {
        double P[16];
        peeling_transition(&model, 0, times[k], P);
        const double other = -expm1(-4 * times[k] / 3) / 4;
        for (int i = 0; i < 16; i++)
            is_near(P[i], i % 5 ? other : 1 - 3 * other, 4e-16 * (i % 5 ? 4 * other : 1), "JC69", times[k]);
    }
}

/* Kimura 1980, of transition rate a and transversion rate b: P(transition) = (1 + e^-4bt - 2 e^-2(a+b)t) / 4. */
TEST(k80_is_its_closed_form) {
    static const double kappas[] = {0, 0.3, 1, 2, 40};
    for (int n = 0; n < 5; n++) {
        peeling_settings settings = peeling_settings_of(PEELING_K80);
        settings.kappa = kappas[n];
        peeling_model model = made(&settings);
        for (int k = 0; k < TIMES; k++) {
            double P[16];
            const double b = 1 / (2 + kappas[n]), a = kappas[n] * b, t = times[k];
            const double transversion = -expm1(-4 * b * t) / 4;
            const double transition = (expm1(-4 * b * t) - 2 * expm1(-2 * (a + b) * t)) / 4;
            peeling_transition(&model, 0, t, P);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    is_near(P[i * 4 + j],
                            i == j                                ? 1 - transition - 2 * transversion
                            : is_transition("ACGT"[i], "ACGT"[j]) ? transition
                                                                  : transversion,
                            2e-15 * fmin(1, t) + 2e-16 * (i == j), "K80", t);
        }
    }
}

/* Hasegawa, Kishino & Yano 1985; of kappa 1, Felsenstein 1981. */
TEST(hky85_and_f81_are_their_closed_forms) {
    static const double kappas[] = {1, 0, 0.2, 3, 25}, pi[4] = {0.37, 0.14, 0.08, 0.41};
    for (int n = 0; n < 5; n++) {
        peeling_settings settings = peeling_settings_of(PEELING_HKY85);
        settings.frequencies = PEELING_GIVEN;
        settings.kappa = kappas[n];
        for (int s = 0; s < 4; s++) settings.frequency[s] = 250 * pi[s];
        peeling_model model = made(&settings);
        for (int k = 0; k < TIMES; k++) {
            double P[16];
            const double t = times[k], kappa = kappas[n];
            const double group[2] = {pi[0] + pi[2], pi[1] + pi[3]};
            const double beta = 1 / (2 * group[0] * group[1] + 2 * kappa * (pi[0] * pi[2] + pi[1] * pi[3]));
            peeling_transition(&model, 0, t, P);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) {
                    const double all = group[j % 2], slow = expm1(-beta * t);
                    const double fast = expm1(-beta * t * (1 + all * (kappa - 1)));
                    double expected = i == j ? 1 : 0;
                    if (i % 2 != j % 2)
                        expected = -pi[j] * slow;
                    else
                        expected += pi[j] * (1 / all - 1) * slow + ((i == j) - pi[j] / all) * fast;
                    is_near(P[i * 4 + j], expected, 4e-15 * fmin(1, t) + 2e-16 * (i == j), kappa == 1 ? "F81" : "HKY85",
                            t);
                }
        }
    }
}

/* Relative to what can be reached in one step, or to 1: no power of small numbers is lost that the likelihood needs. */
TEST(all_models_are_their_power_series) {
    static long double Q[MOST * MOST], expected[MOST * MOST];
    double P[MOST * MOST];
    peeling_settings settings;
    for (int n = 0; example(n, &settings); n++) {
        peeling_model model = made(&settings);
        generator(&settings, &model, Q);
        for (int k = 0; k < TIMES - 1; k++) {
            power_series(model.states, Q, times[k], expected);
            peeling_transition(&model, 0, times[k], P);
            for (int i = 0; i < model.states * model.states; i++)
                is_near(P[i], (double)expected[i],
                        (double)(Q[i] != 0 ? 5e-12L * expected[i] : 1e-14L * fminl(1, times[k])), "a power series",
                        times[k]);
        }
    }
}

/* A state of frequency 1e-7 costs digits of what concerns it, but not of anything else. */
TEST(rare_states_cost_little) {
    static long double Q[MOST * MOST], expected[MOST * MOST];
    double P[MOST * MOST];
    peeling_settings settings;
    for (int n = 0; example(n, &settings); n++) {
        if (settings.frequencies == PEELING_EQUAL || settings.frequencies == PEELING_PUBLISHED) continue;
        for (int s = 0; s < MOST; s += 9) settings.frequency[s] *= 1e-7 * peeling_states_of(&settings);
        peeling_model model = made(&settings);
        generator(&settings, &model, Q);
        power_series(model.states, Q, 0.3, expected);
        peeling_transition(&model, 0, 0.3, P);
        for (int i = 0; i < model.states; i++)
            for (int j = 0; j < model.states; j++)
                is_near(P[i * model.states + j], (double)expected[i * model.states + j],
                        1e-14 * sqrt(fmax(1, model.frequency[j] / model.frequency[i])), "a power series", 0.3);
    }
}

/* --- Properties -------------------------------------------------------------------------------------------------- */

TEST(matrices_are_those_of_a_reversible_chain) {
    static double P[MOST * MOST], R[MOST * MOST], both[MOST * MOST];
    peeling_settings settings;
    for (int n = 0; example(n, &settings); n++) {
        const peeling_model model = made(&settings);
        const int S = model.states;
        double sum = 0;
        for (int s = 0; s < S; s++) sum += model.frequency[s];
        is_near(sum, 1, 1e-15, "sum of frequencies", 0);
        for (int k = 0; k < TIMES; k++) {
            const double t = times[k], u = 0.4;
            peeling_transition(&model, 0, t, P);
            peeling_transition(&model, 0, u, R);
            peeling_transition(&model, 0, t + u, both);
            for (int i = 0; i < S; i++) {
                double row = 0;
                for (int j = 0; j < S; j++) {
                    double product = 0;
                    assert_true(P[i * S + j] >= 0 && P[i * S + j] <= 1 + 1e-14);
                    row += P[i * S + j];
                    is_near(model.frequency[i] * P[i * S + j], model.frequency[j] * P[j * S + i], 1e-15 * fmin(1, t),
                            "detailed balance", t);
                    for (int m = 0; m < S; m++) product += P[i * S + m] * R[m * S + j];
                    is_near(both[i * S + j], product, 1e-14, "P(t) P(u) = P(t + u)", t);
                }
                is_near(row, 1, 1e-14, "sum of a row", t);
            }
        }
    }
}

TEST(no_time_is_the_identity_and_all_time_the_frequencies) {
    static const double ages[] = {1e4, 1e300, DBL_MAX, INFINITY};
    static double P[MOST * MOST];
    peeling_settings settings;
    for (int n = 0; example(n, &settings); n++) {
        settings.rates = 4;
        settings.alpha = 0.001; // whose lowest rate is 0
        const peeling_model model = made(&settings);
        const int S = model.states;
        assert_true(model.rate[0] == 0 && model.rate[3] > 3.99);
        for (int r = 0; r < 4; r++) {
            peeling_transition(&model, r, 0, P);
            for (int i = 0; i < S * S; i++) assert_true(P[i] == (i % (S + 1) == 0));
        }
        for (int k = 0; k < 4; k++) {
            peeling_transition(&model, 3, ages[k], P);
            for (int i = 0; i < S * S; i++) is_near(P[i], model.frequency[i % S], 4e-15, "frequencies", ages[k]);
            peeling_transition(&model, 0, ages[k], P);
            for (int i = 0; i < S * S; i++) assert_true(P[i] == (i % (S + 1) == 0));
        }
    }
}

/* P(t) = 1 + Q t for t so small that Q^2 t^2 is nothing, with all the digits that Q has; and 1 of Q's flow is in all of
   it. */
TEST(little_time_is_the_generator) {
    static const double instants[] = {1e-14, 1e-100, 1e-290};
    static long double Q[MOST * MOST];
    static double P[MOST * MOST];
    peeling_settings settings;
    for (int n = 0; example(n, &settings); n++) {
        const peeling_model model = made(&settings);
        const int S = model.states;
        generator(&settings, &model, Q);
        for (int k = 0; k < 3; k++) {
            const double t = instants[k];
            double flow = 0;
            peeling_transition(&model, 0, t, P);
            for (int i = 0; i < S; i++)
                for (int j = 0; j < S; j++) {
                    if (i == j) continue;
                    const double expected = (double)(Q[i * S + j] * t);
                    is_near(P[i * S + j], expected, expected > 0 ? 5e-12 * expected : 1e-14 * t, "Q t", t);
                    flow += model.frequency[i] * P[i * S + j];
                }
            is_near(flow / t, 1, 1e-13, "expected substitutions", t);
        }
    }
}

TEST(rate_classes_are_times) {
    peeling_settings settings;
    static double P[MOST * MOST], expected[MOST * MOST];
    for (int n = 0; example(n, &settings); n += 3) {
        const peeling_model plain = made(&settings);
        assert_true(plain.rates == 1 && plain.rate[0] == 1 && plain.share[0] == 1);
        for (int median = 0; median <= 1; median++) {
            settings.rates = 5;
            settings.median = median;
            settings.alpha = 0.7;
            const peeling_model model = made(&settings);
            double rate[5];
            peeling_gamma_rates(0.7, 5, median, rate);
            for (int r = 0; r < 5; r++) {
                assert_true(model.rates == 5 && model.rate[r] == rate[r] && model.share[r] == 0.2);
                peeling_transition(&model, r, 0.9, P);
                peeling_transition(&plain, 0, 0.9 * rate[r], expected);
                for (int i = 0; i < model.states * model.states; i++) is_near(P[i], expected[i], 1e-15, "a rate", 0.9);
            }
        }
        settings.rates = 1;
    }
}

/* E E^-1 is the identity, the largest eigenvalue is exactly 0 and no other is. */
TEST(eigenvectors_are_a_basis) {
    peeling_settings settings;
    for (int n = 0; example(n, &settings); n++) {
        const peeling_model model = made(&settings);
        const int S = model.states;
        int zeros = 0;
        assert_int_equal(S, peeling_states_of(&settings));
        for (int i = 0; i < S; i++) {
            assert_true(model.eigenvalue[i] <= 0);
            zeros += model.eigenvalue[i] == 0;
            for (int j = 0; j < S; j++) {
                double sum = 0;
                for (int k = 0; k < S; k++) sum += model.right[i * S + k] * model.left[k * S + j];
                is_near(sum, i == j, 1e-13, "E E^-1", 0);
            }
        }
        for (int s = 0; s < S; s++) { // of eigenvalue 0, the last word after all time
            assert_true(model.eigenvalue[0] == 0 && model.right[s * S] == 1);
            is_near(model.left[s], model.frequency[s], 3e-16 * model.frequency[s], "E^-1 of eigenvalue 0", 0);
        }
        assert_int_equal(zeros, 1);
    }
}

static int threads_now(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) skip();
    while (readdir(tasks)) count++;
    closedir(tasks);
    return count;
}

/* Whoever times one core wants one; and threads that make models do not disturb one another. */
TEST(lapack_starts_no_threads_and_may_be_called_from_any) {
    enum { MODELS = 16 };
    peeling_settings settings;
    static peeling_model alone, many[MODELS];
    memset(many, 0, sizeof many);
    memset(&alone, 0, sizeof alone);
    assert_true(example(9, &settings));
    const int before = threads_now();
    assert_int_equal(peeling_model_make(&settings, &alone), WL_OK);
    assert_int_equal(threads_now(), before);
    int wrong = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
    for (int k = 0; k < MODELS; k++)
        if (peeling_model_make(&settings, &many[k]) != WL_OK || memcmp(&many[k], &alone, sizeof alone) != 0) wrong++;
    assert_int_equal(wrong, 0);
}

/* Rounding is what `likelihood` learns from it. */
TEST(made_again_it_is_the_same_but_for_rounding) {
    peeling_settings settings;
    for (int i = 0; example(i, &settings); i++) {
        const peeling_model model = made(&settings);
        peeling_model again;
        if (peeling_model_make_again(&settings, &again) != WL_OK) fail_msg("%s", wl_error());
        double P[MOST * MOST], Q[MOST * MOST];
        int differ = 0;
        for (int k = 0; k < TIMES; k++) {
            peeling_transition(&model, 0, times[k], P);
            peeling_transition(&again, 0, times[k], Q);
            for (int e = 0; e < model.states * model.states; e++) {
                is_near(Q[e], P[e], 2e-14, "P made again", times[k]);
                differ += Q[e] != P[e];
            }
        }
        if (model.states > 4) assert_true(differ > 0);
        for (int s = 0; s < model.states; s++) is_near(again.frequency[s], model.frequency[s], 0, "frequency", 0);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
