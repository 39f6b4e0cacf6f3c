/* How alike the kernels of a class are: their tokens, five in a row, as multisets. Comments and layout do not count, and in the second of
   the two figures names and numbers do not either, so that a copy with other names shows. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "labs/class.h"

enum { IN_A_ROW = 5, TOKENS_MOST = 20000, TOKENS_LEAST = 20 };
static const double SHOWN = 0.6; // pairs that are less alike are not written

typedef struct {
    char *student;
    size_t tokens;
    uint64_t *words, *structure; // [runs], sorted: a number for each five tokens in a row
    size_t runs;
} kernel;

static int is_word(const char *token) { return isalpha((unsigned char)*token) || *token == '_'; }

/* The names that all students have, " data instances ": those of the kernel's head and of its lines before the marks. Others of the file, such
   as those of its host code, are as free as any. The caller frees. */
static char *given_names(const char *stub) {
    char *names = NULL;
    size_t size;
    FILE *out = open_memstream(&names, &size);
    const char *function = stub, *begin = stub;
    for (const char *line = stub; out && line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const size_t length = strcspn(line, "\n");
        if (is_word(line)) function = begin = line;
        if (memmem(line, length, "BEGIN YOUR CODE", 15) == NULL) continue;
        for (const char *at = begin > function ? begin : function, *token; (token = wl_lab_token(&at, line, &size));)
            if (is_word(token)) fprintf(out, " %.*s ", (int)size, token);
        begin = line + length;
    }
    if (out) fclose(out);
    return names;
}

static int is_among(const char *names, const char *token, size_t length) {
    char word[64];
    if (length + 3 > sizeof word) return 0;
    snprintf(word, sizeof word, " %.*s ", (int)length, token);
    return strstr(names, word) != NULL;
}

/* Could a copy have another name there? Not of a function that is called, nor of a member. */
static int is_own_name(const char *token, size_t length, const char *written, const char *end, const char *given) {
    static const char fixed[] = " if  else  for  while  do  return  int  unsigned  char  short  long  float  double  "
                                "const  volatile  void  break  continue  bool  sizeof  size_t  char4  int4  threadIdx  "
                                "blockIdx  blockDim  gridDim ";
    const char *after = token + length;
    size_t following;
    const char *next = wl_lab_token(&after, end, &following);
    if (!is_word(token) || strncmp(token, "__", 2) == 0) return 0;
    if ((next && *next == '(') || (token > written && token[-1] == '.') ||
        (token > written + 1 && memcmp(token - 2, "->", 2) == 0))
        return 0;
    return !is_among(fixed, token, length) && !is_among(given, token, length);
}

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) hash = wl_random_mix(hash ^ (unsigned char)text[i]);
    return hash;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers of tokens [count] become those of five in a row, sorted. */
static void gather_runs(uint64_t *tokens, size_t count) {
    for (size_t i = 0; i + IN_A_ROW <= count; i++) {
        uint64_t run = 0;
        for (size_t k = 0; k < IN_A_ROW; k++) run = wl_random_mix(run ^ tokens[i + k]);
        tokens[i] = run;
    }
    qsort(tokens, count - IN_A_ROW + 1, sizeof *tokens, by_value);
}

static wl_status read_kernel(const char *path, const char *given, kernel *k) {
    char *text = NULL, *written = NULL;
    if (wl_lab_read_plain(path, WL_LAB_KERNEL_MOST, &text) != WL_OK) return WL_OK; // nothing that could be alike
    written = wl_lab_written(text);
    free(text);
    if (written == NULL) return WL_OK;
    const char *at = written, *end = written + strlen(written), *token;
    size_t length;
    const size_t most = strlen(written) < TOKENS_MOST ? strlen(written) : TOKENS_MOST;
    const int done = WL_ALLOCATE(WL_ARRAY(k->words, most), WL_ARRAY(k->structure, most));
    while (done && k->tokens < most && (token = wl_lab_token(&at, end, &length)) != NULL) {
        const int is_name = is_own_name(token, length, written, end, given);
        k->words[k->tokens] = hash_of(token, length);
        k->structure[k->tokens++] = is_name                          ? hash_of("name", 4)
                                    : isdigit((unsigned char)*token) ? hash_of("0", 1)
                                                                     : hash_of(token, length);
    }
    if (k->tokens >= TOKENS_LEAST) {
        k->runs = k->tokens - IN_A_ROW + 1;
        gather_runs(k->words, k->tokens);
        gather_runs(k->structure, k->tokens);
    }
    free(written);
    return done ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory to compare kernels");
}

/* Twice what both have, over what there is in all. */
static double alike(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count) {
    size_t i = 0, j = 0, common = 0;
    while (i < a_count && j < b_count) {
        if (a[i] == b[j])
            common++, i++, j++;
        else if (a[i] < b[j])
            i++;
        else
            j++;
    }
    return 2.0 * (double)common / (double)(a_count + b_count);
}

static wl_status write_pairs(FILE *out, const kernel *kernels, size_t count) {
    enum { HUNDREDTHS = 101 };
    size_t of[HUNDREDTHS] = {0}, pairs = 0, median = 0, size;
    char *text = NULL;
    FILE *rows = open_memstream(&text, &size); // the median comes first
    if (rows == NULL) return wl_fail(WL_NO_MACHINE, "no memory to compare kernels");
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const kernel *a = &kernels[i], *b = &kernels[j];
            if (a->runs == 0 || b->runs == 0) continue;
            const double structure = alike(a->structure, a->runs, b->structure, b->runs);
            of[(int)(100 * structure)]++;
            pairs++;
            if (structure < SHOWN) continue;
            fprintf(rows, "%s%s\t%s%s\t%.2f\t%.2f\t%zu\t%zu\n", wl_is_formula(a->student) ? "'" : "", a->student,
                    wl_is_formula(b->student) ? "'" : "", b->student, alike(a->words, a->runs, b->words, b->runs),
                    structure, a->tokens, b->tokens);
        }
    fclose(rows);
    for (size_t below = of[0]; median < 100 && 2 * below < pairs; below += of[median]) median++;
    fprintf(out, "# median: %.2f of %zu pairs\nstudent\tother\tsame_words\tsame_structure\ttokens\tother_tokens\n%s",
            (double)median / 100, pairs, text);
    free(text);
    return WL_OK;
}

wl_status wl_lab_write_similar(const char *const *submissions, size_t count, const char *stub, const char *path) {
    wl_outfile file;
    char *given = given_names(stub);
    kernel *kernels = calloc(count ? count : 1, sizeof *kernels);
    wl_status status = kernels && given ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory to compare kernels");
    for (size_t i = 0; status == WL_OK && i < count; i++) {
        char *source;
        if (wl_lab_submission(submissions[i], &source, &kernels[i].student) == WL_OK)
            status = read_kernel(source, given, &kernels[i]);
        free(source);
    }
    if (status == WL_OK && (status = wl_outfile_open(path, &file)) == WL_OK) {
        status = write_pairs(file.stream, kernels, count);
        if (status == WL_OK) status = wl_outfile_commit(&file);
        wl_outfile_discard(&file);
    }
    for (size_t i = 0; kernels && i < count; i++) WL_FREE(kernels[i].student, kernels[i].words, kernels[i].structure);
    WL_FREE(kernels, given);
    return status;
}
