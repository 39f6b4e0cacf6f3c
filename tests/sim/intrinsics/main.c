/* Applies every function of cases.h to edge cases and random operands, on the device that intrinsics.cu was compiled
   for.

     intrinsics                  print a line for each function: its name, a tab, a 64-bit hash of all its results
     intrinsics --compare FILE   compare with such lines from another device; exit 4 when there is no FILE
     intrinsics --dump NAME      print all operands and results of one function, to find where two devices differ

   Exit codes: 0; 1 when a result is wrong; 2 for a wrong command line; 4 when there is no device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "harness/base/random.h"
#include "operands.h"

#define OPERANDS 4608 /* more than the pairs of edges, 64 x 64 */
#define WARPS 64

const intrinsics_device *intrinsics_on;

typedef struct {
    const char *name, *kinds;
} scalar_case;
#define EXACT(id, kinds, expression) {#id, kinds},
static const scalar_case exact[] = {EXACT_CASES(EXACT)};
#define APPROXIMATE(id, kinds, ...) {#id, kinds},
static const scalar_case approximate[] = {APPROXIMATE_CASES(APPROXIMATE)};
typedef struct {
    const char *name;
    int per;
} matrix_case;
#define MATRIX(id, per) {#id, per},
static const matrix_case matrices[] = {MATRIX_CASES(MATRIX)};

static uint64_t a[OPERANDS], b[OPERANDS], c[OPERANDS], out[OPERANDS];

static void die(const char *name, const char *message) {
    fprintf(stderr, "intrinsics: %s: %s\n", name, message);
    exit(1);
}

/* A word into a running hash, by SplitMix64's mixing function. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    wl_random random = {hash ^ word * 0x9e3779b97f4a7c15};
    return wl_random_next(&random);
}

// ---------------------------------------------------------------- functions of one thread

/* A checksum of every operand used so far. A golden file made from others says nothing about the functions. */
static uint64_t operands_hash;

static uint64_t run_exact(int number) {
    make_operands(exact[number].name, exact[number].kinds, OPERANDS, (operand_lists){a, b, c});
    for (size_t i = 0; i < OPERANDS; i++) operands_hash = mix(mix(mix(operands_hash, a[i]), b[i]), c[i]);
    const char *message = intrinsics_on->exact(number, OPERANDS, a, b, c, out);
    if (message != NULL) die(exact[number].name, message);
    uint64_t hash = 0;
    for (size_t i = 0; i < OPERANDS; i++) hash = mix(hash, out[i]);
    return hash;
}

static double reference(int number, double x, double y) {
    (void)y;
    switch (number) {
#define REFERENCE(id, kinds, expression, value, relative, absolute) \
    case case_##id:                                                 \
        return value;
        APPROXIMATE_CASES(REFERENCE)
        default:
            return NAN;
    }
}
static double tolerance(int number, double expected) {
    switch (number) {
#define TOLERANCE(id, kinds, expression, value, relative, absolute) \
    case case_##id:                                                 \
        return (relative)*fabs(expected) + (absolute);
        APPROXIMATE_CASES(TOLERANCE)
        default:
            return NAN;
    }
}

/* How many results are farther from the reference than allowed; the worst is reported. */
static size_t check_approximate(int number) {
    static float results[OPERANDS];
    const scalar_case *this = &approximate[number];
    make_operands(this->name, this->kinds, OPERANDS, (operand_lists){a, b, c});
    const char *message = intrinsics_on->approximate(number, OPERANDS, a, b, results);
    if (message != NULL) die(this->name, message);
    size_t wrong = 0, worst = 0;
    double worst_excess = 1;
    for (size_t i = 0; i < OPERANDS; i++) {
        double x = operand_value(this->kinds[0], a[i]), y = this->kinds[1] ? operand_value(this->kinds[1], b[i]) : 0;
        double expected = reference(number, x, y), excess = fabs(results[i] - expected) / tolerance(number, expected);
        if (excess <= 1) continue; /* and a NaN goes on */
        wrong++;
        if (!(excess <= worst_excess)) worst_excess = excess, worst = i;
    }
    if (wrong > 0) {
        double x = operand_value(this->kinds[0], a[worst]),
               y = this->kinds[1] ? operand_value(this->kinds[1], b[worst]) : 0;
        fprintf(stderr,
                "%s: %zu of %d results too far off; worst: (%.9g, %.9g) gives %.9g, expected %.9g, %.2f times the "
                "tolerance\n",
                this->name, wrong, OPERANDS, x, y, results[worst], reference(number, x, y), worst_excess);
    }
    return wrong;
}

// ---------------------------------------------------------------- matrices

/* The layout as harness/device/mma.h documents it, written out once more. */
static int a_row(int lane, int r) { return lane / 4 + 8 * (r % 2); }
static int a_column(int lane, int r, int per) { return per * (lane % 4 + 4 * (r / 2)); }
static int b_row(int lane, int r, int per) { return per * (lane % 4 + 4 * r); }
static int d_row(int lane, int r) { return lane / 4 + 8 * (r / 2); }
static int d_column(int lane, int r) { return 2 * (lane % 4) + r % 2; }

/* One multiplication's matrices, as whole numbers: every kind is fed with whole numbers small enough to be exact in
   any order of summation. */
typedef struct {
    int64_t a[16][256], b[256][8], c[16][8], d[16][8];
} matrices_of_integers;

static int64_t random_element(int number, wl_random *random) {
    switch (number) {
        case case_wl_mma_m16n8k32_s8:
            return (int64_t)wl_random_below(random, 256) - 128;
        case case_wl_mma_m16n8k32_u8:
            return wl_random_below(random, 256);
        case case_wl_mma_m16n8k256_b1:
            return wl_random_below(random, 2);
        default:
            return (int64_t)wl_random_below(random, 65) - 32;
    }
}
/* Element `x` as it lies in a register of `per` elements. tf32: with noise in the 13 bits that are to be ignored. */
static uint32_t encode(int number, int64_t x, wl_random *random) {
    float value = (float)x;
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    switch (number) {
        case case_wl_mma_m16n8k16_f16:
            return half_of_integer((int)x);
        case case_wl_mma_m16n8k8_tf32:
            return word | (x == 0 ? 0 : wl_random_below(random, 8192));
        case case_wl_mma_m16n8k256_b1:
            return (uint32_t)x;
        default:
            return (uint32_t)x & 0xff;
    }
}
static void put_double(uint32_t *words, int64_t x) {
    double value = (double)x;
    memcpy(words, &value, sizeof value);
}

static void make_matrices(int number, int per, wl_random *random, matrices_of_integers *m, matrix_operands *operands) {
    int depth = per ? 8 * per : 4, rows = per ? 16 : 8;
    memset(m, 0, sizeof *m);
    memset(operands, 0, sizeof *operands);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < depth; k++) m->a[i][k] = random_element(number, random);
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < 8; j++) m->b[k][j] = random_element(number, random);
    int integers = per >= 4;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 8; j++) {
            /* Integer sums also start near the ends of the range: they have to wrap. */
            m->c[i][j] = integers && wl_random_below(random, 4) == 0
                             ? (int32_t)(0x7ffffff0u + wl_random_below(random, 32))
                             : (int64_t)wl_random_below(random, 4097) - 2048;
            m->d[i][j] = m->c[i][j];
            for (int k = 0; k < depth; k++) m->d[i][j] += m->a[i][k] * m->b[k][j];
            if (integers) m->d[i][j] = (int32_t)(uint32_t)m->d[i][j];
        }
    }
    for (int lane = 0; lane < 32; lane++) {
        uint32_t *words = operands->x[lane];
        if (per == 0) {
            put_double(words + MATRIX_A, m->a[lane / 4][lane % 4]);
            put_double(words + MATRIX_B, m->b[lane % 4][lane / 4]);
            for (int r = 0; r < 2; r++) put_double(words + MATRIX_C + 2 * r, m->c[lane / 4][d_column(lane, r)]);
            continue;
        }
        for (int r = 0; r < 4; r++)
            for (int e = 0; e < per; e++)
                words[MATRIX_A + r] |= encode(number, m->a[a_row(lane, r)][a_column(lane, r, per) + e], random)
                                       << (32 / per * e);
        for (int r = 0; r < 2; r++)
            for (int e = 0; e < per; e++)
                words[MATRIX_B + r] |= encode(number, m->b[b_row(lane, r, per) + e][lane / 4], random)
                                       << (32 / per * e);
        for (int r = 0; r < 4; r++) {
            float value = (float)m->c[d_row(lane, r)][d_column(lane, r)];
            words[MATRIX_C + r] = (uint32_t)m->c[d_row(lane, r)][d_column(lane, r)];
            if (!integers) memcpy(&words[MATRIX_C + r], &value, sizeof value);
        }
    }
}

/* Hashes the results of all warps; `*wrong` counts elements that differ from the plain product. */
static uint64_t run_matrix(int number, size_t *wrong) {
    static matrices_of_integers m[WARPS];
    static matrix_operands operands[WARPS];
    static matrix_result results[WARPS];
    const matrix_case *this = &matrices[number];
    wl_random random = wl_random_stream(2010, (uint64_t)number);
    for (int w = 0; w < WARPS; w++) {
        make_matrices(number, this->per, &random, &m[w], &operands[w]);
        for (int i = 0; i < 32 * MATRIX_WORDS; i++)
            operands_hash = mix(operands_hash, operands[w].x[i / MATRIX_WORDS][i % MATRIX_WORDS]);
    }
    const char *message = intrinsics_on->matrix(number, WARPS, operands, results);
    if (message != NULL) die(this->name, message);
    uint64_t hash = 0;
    *wrong = 0;
    for (int w = 0; w < WARPS; w++) {
        for (int lane = 0; lane < 32; lane++) {
            for (int r = 0; r < 4; r++) {
                uint32_t word = results[w].x[lane][r], expected[2];
                int64_t element = m[w].d[d_row(lane, r)][d_column(lane, r)];
                float single = (float)element;
                double twice = (double)m[w].d[lane / 4][d_column(lane, r / 2)];
                if (this->per >= 4)
                    expected[r % 2] = (uint32_t)element;
                else if (this->per > 0)
                    memcpy(&expected[r % 2], &single, sizeof single);
                else
                    memcpy(expected, &twice, sizeof twice);
                hash = mix(hash, word);
                if (word == expected[r % 2]) continue;
                if ((*wrong)++ == 0)
                    fprintf(stderr, "%s: warp %d lane %d word %d: expected %08x, found %08x\n", this->name, w, lane, r,
                            expected[r % 2], word);
            }
        }
    }
    return hash;
}

// ---------------------------------------------------------------- the three ways to run

typedef struct {
    const char *name;
    uint64_t hash;
} line;

/* The file's hash of `name` into `*hash`; 0 when it has none. */
static int find(FILE *file, const char *name, uint64_t *hash) {
    char text[512];
    rewind(file);
    while (fgets(text, sizeof text, file) != NULL) {
        char *tab = strchr(text, '\t');
        if (text[0] == '#' || tab == NULL) continue;
        *tab = '\0';
        if (strcmp(text, name) == 0) return sscanf(tab + 1, "%lx", hash) == 1;
    }
    return 0;
}

static int compare(const line *lines, size_t count, FILE *file, const char *path) {
    int wrong = 0;
    uint64_t operands;
    if (!find(file, "operands", &operands) || operands != operands_hash) {
        fprintf(stderr, "intrinsics: %s was made from other operands; make it anew on the hardware\n", path);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t expected;
        if (!find(file, lines[i].name, &expected)) {
            fprintf(stderr, "%s: %s lacks it; make the file anew on the hardware\n", lines[i].name, path);
            wrong++;
        } else if (expected != lines[i].hash) {
            fprintf(stderr, "%s: hash %016lx, but %s has %016lx; see --dump %s on both\n", lines[i].name, lines[i].hash,
                    path, expected, lines[i].name);
            wrong++;
        }
    }
    printf("%zu functions compared with %s, %d differ\n", count, path, wrong);
    return wrong > 0;
}

static int dump(const char *name) {
    for (int n = 0; n < exact_cases; n++) {
        if (strcmp(exact[n].name, name) != 0) continue;
        run_exact(n);
        for (size_t i = 0; i < OPERANDS; i++) printf("%lx\t%lx\t%lx\t%lx\n", a[i], b[i], c[i], out[i]);
        return 0;
    }
    fprintf(stderr, "intrinsics: --dump: no function %s\n", name);
    return 2;
}

int main(int argc, char **argv) {
    const char *path = argc == 3 && strcmp(argv[1], "--compare") == 0 ? argv[2] : NULL;
    const char *name = argc == 3 && strcmp(argv[1], "--dump") == 0 ? argv[2] : NULL;
    if (argc != 1 && path == NULL && name == NULL) {
        fprintf(stderr, "usage: intrinsics [--compare FILE | --dump NAME]\n");
        return 2;
    }
    FILE *file = NULL;
    if (path != NULL && (file = fopen(path, "r")) == NULL) {
        fprintf(stderr, "intrinsics: no %s: nothing to compare with\n", path);
        return 4;
    }
    char device[256] = "";
    const char *message = intrinsics_on->open(device);
    if (message != NULL) {
        fprintf(stderr, "intrinsics: %s\n", message);
        return 4;
    }
    if (name != NULL) return dump(name);

    static line lines[exact_cases + matrix_cases];
    size_t count = 0, wrong = 0;
    for (int n = 0; n < exact_cases; n++) lines[count++] = (line){exact[n].name, run_exact(n)};
    for (int n = 0; n < matrix_cases; n++) {
        size_t bad;
        lines[count++] = (line){matrices[n].name, run_matrix(n, &bad)};
        wrong += bad;
    }
    for (int n = 0; n < approximate_cases; n++) wrong += check_approximate(n);

    int result = wrong > 0;
    if (file != NULL) {
        result |= compare(lines, count, file, path);
        fclose(file);
    } else {
        printf("# Hashes of what CUDA's functions return, by tests/sim/intrinsics on %s\n", device);
        printf("operands\t%016lx\n", operands_hash);
        for (size_t i = 0; i < count; i++) printf("%s\t%016lx\n", lines[i].name, lines[i].hash);
    }
    return result;
}
