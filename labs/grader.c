/* Builds a student's stage, runs its tests in a separate program, and collects the results.

   Nothing that a submission prints or returns counts. Results come through a pipe for which its code has no function, and the last of
   them comes with a word that only the harness has read. */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "labs/sandbox.h"
#include "labs/lab.h"
#include "sim/toolchain/toolchain.h"
#include "harness/base/memory.h"

/* What every stage may call: the simulated device, memory, mathematics, and printing. */
static const char ALWAYS[] =
    "^(__tsan_|__sanitizer_cov_|wl_sim_[a-z0-9_]+$|_ZNK?6wl_sim|wl_(fail|error|resident_(un)?lock|"
    "register_folder|cuda_[a-z]+)$|_GLOBAL_OFFSET_TABLE_$|"
    "(m|c|re)alloc$|free$|mem(cpy|set|move|cmp)$|__mem[a-z]+_chk$|str(len|cmp)$|_Zn[aw]m$|_Zd["
    "al]Pvm?$|printf$|puts$|putchar$|"
    "__(printf|sn?printf)_chk$|snprintf$|qsort$|abs$|__stack_chk_fail$|__cxa_[a-z_]+$|__dso_"
    "handle$|__gxx_personality_v0$|"
    "_Unwind_Resume$|abort$|exit$|_?_exit$|_Exit$|quick_exit$|__errno_location$|"
    "(a?(sin|cos|tan)h?|atan2|exp[2m]?1?0?|log(1p|2|10|b)?|pow|sqrt|cbrt|hypot|fma|fmod|fmin|"
    "fmax|fabs|floor|ceil|round|trunc|rint|ldexp|"
    "frexp|lgamma|tgamma|erfc?)[fl]?$)";

typedef struct {
    const wl_lab *lab;
    wl_lab_result *result;
    wl_lab_care care;
    char *work;    /* a folder for temporary files */
    char *program; /* in it */
    char *lab_copy;
    unsigned user;
    char token[33];
} grading;

/* ---- building ---- */

static wl_status write_file(const char *to, const char *text) {
    FILE *file = fopen(to, "w");
    int failed = file == NULL || fputs(text, file) < 0;
    if (file != NULL && fclose(file) != 0) failed = 1;
    return failed ? wl_fail(WL_NO_MACHINE, "%s: %s", to, strerror(errno)) : WL_OK;
}

static wl_status copy_file(const char *from, const char *to) {
    char *text;
    WL_TRY(wl_text_read(from, &text));
    const wl_status status = write_file(to, text);
    free(text);
    return status;
}

/* The source to compile: the submission's regions in the lab's file. */
static wl_status take_regions(const grading *g, const char *kernel, const char *to) {
    const char *slash = strrchr(kernel, '/');
    char *text, *spliced;
    if (g->care == WL_LAB_TRUSTED) return copy_file(kernel, to);
    WL_TRY(wl_text_read(kernel, &text));
    wl_status status = wl_lab_splice(g->lab, text, slash ? slash + 1 : kernel, &spliced, &g->result->changed);
    free(text);
    if (status != WL_OK) return status;
    status = write_file(to, spliced);
    free(spliced);
    return status;
}

static char *calls_of(const wl_lab *lab) {
    char *calls;
    if (lab->calls == NULL) return strdup(ALWAYS);
    return asprintf(&calls, "%s|%s", ALWAYS, lab->calls) < 0 ? NULL : calls;
}

wl_status wl_lab_build(const wl_lab *lab, const char *kernel, const char *program) {
    char *calls = calls_of(lab);
    if (calls == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a lab");
    const wl_status status = wl_stage_build(kernel, lab->problem, "lab", calls, NULL, program);
    free(calls);
    return status;
}

static void fail_all(grading *g, const char *said) {
    size_t length = strlen(said);
    while (length > 0 && said[length - 1] == '\n') length--;
    g->result->failed = strndup(said, length);
}

/* This program again, for one part. The caller frees the words. */
static wl_word_list self(const char *program, const char *action, const wl_lab *lab, const char *folder) {
    wl_word_list words = {0};
    wl_word(&words, "%s", program);
    wl_word(&words, "lab");
    wl_word(&words, "%s", action);
    wl_word(&words, "--seed=%llu", (unsigned long long)lab->seed);
    if (lab->visible_only) wl_word(&words, "--visible");
    if (lab->one_only) wl_word(&words, "--only=%s", lab->tests[0].id);
    wl_word(&words, "%s", folder);
    return words;
}

static wl_status build_in_sandbox(grading *g, const char *kernel) {
    char *own = realpath("/proc/self/exe", NULL);
    if (own == NULL) return wl_fail(WL_NO_MACHINE, "this program does not find itself");
    wl_word_list words = self(own, "build", g->lab, g->lab_copy);
    wl_word(&words, "%s", kernel);
    wl_word(&words, "%s", g->program);
    const wl_sandbox sandbox = {
        .seconds = 120, .address_space = (size_t)3 << 30, .sandboxed = 1, .user = g->user, .folder = g->work};
    wl_sandbox_end end;
    wl_status status = wl_sandbox_run(words.items, &sandbox, &end);
    if (status == WL_OK && end.ended)
        fail_all(g, "compiling took too long");
    else if (status == WL_OK && end.code == WL_NO_MACHINE)
        status = wl_fail(WL_NO_MACHINE, "%s", end.said);
    else if (status == WL_OK && end.code != 0)
        fail_all(g, end.said);
    wl_sandbox_end_free(&end);
    wl_words_free(&words);
    free(own);
    return status;
}

static wl_status build(grading *g, const char *kernel) {
    char *copy;
    if (asprintf(&copy, "%s/kernel.cu", g->work) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = take_regions(g, kernel, copy);
    if (status == WL_OK && g->care != WL_LAB_CHECKED)
        status = build_in_sandbox(g, copy);
    else if (status == WL_OK && (status = wl_lab_build(g->lab, copy, g->program)) == WL_BAD_INPUT)
        wl_fail(WL_BAD_INPUT,
                "kernel.cu does not compile: see what the compiler says"); /* it has printed its errors already */
    free(copy);
    if (status != WL_BAD_INPUT) return status;
    fail_all(g, wl_error());
    return WL_OK;
}

/* ---- results ---- */

static void unescape(char *text) {
    char *to = text;
    for (; *text; text++) {
        if (*text == '\\' && text[1] != 0) {
            text++;
            *to++ = *text == 'n' ? '\n' : *text;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
}

/* Takes the records of one run. Returns the first test without a record. */
static size_t take(grading *g, char *records, int *whole) {
    size_t next = 0;
    char *rest = NULL, token[64];
    *whole = 0;
    for (char *line = strtok_r(records, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t index;
        char word[16];
        double value;
        int length = 0;
        if (sscanf(line, "end\t%63s", token) == 1) {
            *whole = strcmp(token, g->token) == 0;
        } else if (sscanf(line, "%zu\t%15s\t%lf\t%n", &index, word, &value, &length) == 3 && length > 0 &&
                   index < g->lab->count) {
            wl_lab_verdict *v = &g->result->tests[index];
            free(v->output);
            *v = (wl_lab_verdict){strcmp(word, "passed") == 0, 1, value, strdup(line + length)};
            if (v->output) unescape(v->output);
            next = index + 1;
        }
    }
    return next;
}

/* The last line of a program's output. */
static const char *last_line(char *said) {
    size_t length = strlen(said);
    while (length > 0 && said[length - 1] == '\n') said[--length] = 0;
    char *line = strrchr(said, '\n');
    return line ? line + 1 : said;
}

static void stopped(grading *g, size_t test, const char *why, const char *said) {
    wl_lab_verdict *v = &g->result->tests[test];
    free(v->output);
    *v = (wl_lab_verdict){.ran = 1, .value = NAN};
    if (asprintf(&v->output, "the program ended before the test did: %s%s%s", why, *said ? ": " : "", said) < 0)
        v->output = NULL;
}

/* Runs the tests from `first` on. A test that ends the program has failed, and the next run begins after it. */
static wl_status run_from(grading *g, size_t first, size_t *next, double *left) {
    wl_word_list words = self(g->program, "trial", g->lab, g->lab_copy);
    wl_sandbox_end end;
    char input[64], why[64];
    int whole;
    wl_word(&words, "%zu", first);
    snprintf(input, sizeof input, "%s\n", g->token);
    const wl_sandbox sandbox = {.seconds = *left,
                                .memory = (size_t)2 << 30,
                                .sandboxed = g->care != WL_LAB_CHECKED,
                                .user = g->user,
                                .folder = g->work,
                                .input = input};
    const wl_status status = wl_sandbox_run(words.items, &sandbox, &end);
    if (status == WL_OK) {
        *next = take(g, end.results, &whole);
        g->result->seconds += end.seconds;
        if (*next < first) *next = first;
        if (end.ended)
            snprintf(why, sizeof why, "%s", end.ended);
        else if (end.code > 128)
            snprintf(why, sizeof why, "signal %d", end.code - 128);
        else
            snprintf(why, sizeof why, "exit code %d", end.code);
        if (*next < g->lab->count)
            stopped(g, (*next)++, why, last_line(end.said));
        else if (!whole)
            stopped(g, g->lab->count - 1, why, last_line(end.said)); /* the harness did not write these records */
        *left = end.ended ? 0 : *left - end.seconds;
    }
    wl_sandbox_end_free(&end);
    wl_words_free(&words);
    return status;
}

static wl_status run_tests(grading *g) {
    unsigned char bytes[16];
    double left = g->lab->seconds;
    wl_status status = WL_OK;
    if (g->lab->steps) setenv("WL_SIM_STEPS", g->lab->steps, 1);
    setenv("WL_SIM_SECONDS", "1", 0); /* limit per block; blocks of a lab take far less */
    for (size_t first = 0; status == WL_OK && first < g->lab->count && left > 0;) {
        if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return wl_fail(WL_NO_MACHINE, "no random numbers");
        for (size_t i = 0; i < sizeof bytes; i++) snprintf(g->token + 2 * i, 3, "%02x", bytes[i]);
        status = run_from(g, first, &first, &left);
    }
    return status;
}

/* Counters of a kernel that computes something else earn nothing. */
static void settle(wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    int right = 1;
    for (size_t i = 0; i < lab->count; i++)
        if (lab->tests[i].counter == WL_LAB_NO_COUNTER && !result->tests[i].passed) right = 0;
    for (size_t i = 0; i < lab->count; i++) {
        wl_lab_verdict *v = &result->tests[i];
        if (!right && v->passed && lab->tests[i].counter != WL_LAB_NO_COUNTER) {
            free(v->output);
            *v = (wl_lab_verdict){0, 1, NAN, strdup("counted only when all results are right")};
        }
        if (v->passed) result->score += lab->tests[i].points;
    }
}

/* ---- all of it ---- */

static wl_status prepare(grading *g) {
    char *from;
    WL_TRY(wl_temporary_folder(&g->work));
    if (asprintf(&g->program, "%s/program", g->work) < 0 ||
        asprintf(&g->lab_copy, "%s/%s", g->work, g->lab->name) < 0 || asprintf(&from, "%s/lab.ini", g->lab->folder) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for a path");
    char to[4096];
    snprintf(to, sizeof to, "%s/lab.ini", g->lab_copy);
    wl_status status = mkdir(g->lab_copy, 0755) != 0 ? wl_fail(WL_NO_MACHINE, "%s: %s", g->lab_copy, strerror(errno))
                                                     : copy_file(from, to);
    free(from);
    if (status == WL_OK && g->user && chown(g->work, g->user, g->user) != 0)
        status = wl_fail(WL_NO_MACHINE, "%s: %s", g->work, strerror(errno));
    return status;
}

wl_status wl_lab_grade(const wl_lab *lab, const char *kernel, wl_lab_care care, wl_lab_result *result) {
    grading g = {.lab = lab, .result = result, .care = care, .user = care == WL_LAB_CHECKED ? 0 : wl_sandbox_user()};
    *result = (wl_lab_result){.lab = lab};
    for (size_t i = 0; i < lab->count; i++) result->tests[i].value = NAN;
    wl_status status = prepare(&g);
    if (status == WL_OK) status = build(&g, kernel);
    if (status == WL_OK && result->failed == NULL) status = run_tests(&g);
    settle(result);
    if (g.work) wl_remove_folder(g.work);
    WL_FREE(g.work, g.program, g.lab_copy);
    return status;
}

void wl_lab_result_free(wl_lab_result *result) {
    for (size_t i = 0; result->lab && i < result->lab->count; i++) free(result->tests[i].output);
    free(result->failed);
    *result = (wl_lab_result){0};
}
