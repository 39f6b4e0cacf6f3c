/* Builds a student's stage, runs it in a separate program, and grades what it leaves.

   Nothing that a submission prints, returns or writes counts by itself. Its program has neither the expected results nor the points. What
   its kernels made comes here as records (labs/record.h), and is compared here with what the reference computes here. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/mapped.h"
#include "harness/bench/count.h"
#include "labs/record.h"
#include "labs/sandbox.h"
#include "sim/toolchain/toolchain.h"
#include "harness/base/memory.h"

/* What a kernel may call: the simulated device's functions for kernels, and mathematics that stores nothing. All that take an address
   check it. */
static const char ALWAYS[] =
    "^(__tsan_[a-z0-9_]+|__sanitizer_cov_trace_pc|__ubsan_handle_out_of_bounds_abort|__assert_fail|"
    "wl_sim_(thread_index|block_index|dynamic_shared|bound|lane|clock|clock_or_hosts|atomic|atomic_write|warp|warp_"
    "exchange|"
    "barrier|fence|active_mask|trap|space_of|malloc|calloc|free|new|new_array|delete|delete_sized|delete_array|"
    "delete_array_sized|memcpy|memmove|memset|memcmp|printf|puts|putchar|frexpf?|modff?|remquof?|sincosf?)|"
    "l?l?abs|"
    "(a?(sin|cos|tan)h?|atan2|exp[2m]?1?0?|log(1p|2|10|b)?|pow|sqrt|cbrt|hypot|fma|fmod|fmin|fmax|fabs|fdim|remainder|"
    "floor|ceil|"
    "l?l?round|trunc|l?l?rint|nearbyint|ldexp|scalbl?n|copysign|nextafter|ilogb|lgamma|tgamma|erfc?|j[01n]|y[01n])f?)$";

typedef struct {
    const wl_lab *lab;
    wl_lab_result *result;
    wl_lab_care care;
    char *work;    // a folder for temporary files
    char *program; // in it
    char *lab_copy;
    unsigned user;
    FILE *nowhere; // for what follows a test's first failure
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
    int empty = 0;
    if (g->care == WL_LAB_TRUSTED) return copy_file(kernel, to);
    WL_TRY(wl_lab_read_plain(kernel, WL_LAB_KERNEL_MOST, &text));
    wl_status status = wl_lab_splice(g->lab, text, slash ? slash + 1 : kernel, &spliced, &g->result->changed, &empty);
    free(text);
    if (status != WL_OK) return status;
    if (empty) g->result->mistake = WL_LAB_EMPTY;
    status = write_file(to, spliced);
    free(spliced);
    return status;
}

static char *calls_of(const wl_lab *lab) {
    char *calls;
    if (lab->calls == NULL) return strdup(ALWAYS);
    return asprintf(&calls, "%s|%s", ALWAYS, lab->calls) < 0 ? NULL : calls; // which begins with ^, as a rule
}

wl_status wl_lab_build(const wl_lab *lab, const char *kernel, const char *program) {
    wl_stage_rules rules = {0};
    char *calls = calls_of(lab), *kernels = NULL;
    wl_status status = calls ? wl_lab_kernels(lab, &kernels) : wl_fail(WL_NO_MACHINE, "no memory for a lab");
    rules.calls = calls;
    rules.kernels = kernels;
    if (status == WL_OK) status = wl_stage_build(kernel, lab->problem, "lab", &rules, program);
    WL_FREE(calls, kernels);
    return status;
}

wl_status wl_lab_build_into(const wl_lab *lab, const char *kernel, int file) {
    char *folder, *program = NULL, bytes[1 << 16];
    WL_TRY(wl_temporary_folder(&folder));
    wl_status status = asprintf(&program, "%s/program", folder) < 0 ? wl_fail(WL_NO_MACHINE, "no memory for a path")
                                                                    : wl_lab_build(lab, kernel, program);
    FILE *from = status == WL_OK ? fopen(program, "r") : NULL;
    for (size_t count; from && (count = fread(bytes, 1, sizeof bytes, from)) > 0;)
        if (!wl_lab_put(file, bytes, count)) status = wl_fail(WL_NO_MACHINE, "%s: %s", program, strerror(errno));
    if (from) fclose(from);
    wl_remove_folder(folder);
    WL_FREE(program, folder);
    return status;
}

static void fail_all(grading *g, const char *said) {
    size_t length = strlen(said);
    while (length > 0 && said[length - 1] == '\n') length--;
    g->result->failed = strndup(said, length);
    g->result->mistake = wl_lab_mistake_of(said, WL_LAB_MISSING, WL_LAB_FORBIDDEN, WL_LAB_COMPILE);
    if (g->result->failed) wl_lab_tame(g->result->failed);
}

/* This program again, for one part. The caller frees the words. */
static wl_word_list self(const char *program, const char *action, const wl_lab *lab, const char *folder) {
    wl_word_list words = {0};
    wl_words(&words, program, "lab", action);
    wl_word(&words, "--seed=%llu", (unsigned long long)lab->seed);
    if (lab->visible_only) wl_word(&words, "--visible");
    if (lab->one_only) wl_word(&words, "--only=%s", lab->tests[0].id);
    wl_word(&words, "%s", folder);
    return words;
}

/* Runs a part in the sandbox if there is one, where it sees the files `see` and the work folder. */
static wl_status run_part(const grading *g, wl_word_list *words, char *const *see, wl_sandbox *sandbox,
                          wl_sandbox_end *end) {
    const char *all[WL_TOOLS_FOLDERS + 3] = {g->work};
    size_t count = 1;
    for (; *see; see++) all[count++] = *see;
    sandbox->closed = g->care != WL_LAB_CHECKED && *wl_sandbox_lacks() == 0;
    sandbox->see = all;
    sandbox->user = g->user;
    sandbox->folder = sandbox->closed ? NULL : g->work;
    if (sandbox->closed) wl_word(words, "closed");
    const wl_status status = wl_sandbox_run(words->items, sandbox, end);
    wl_words_free(words);
    return status;
}

static wl_status build_apart(grading *g, const char *kernel) {
    char **see;
    size_t count = 0;
    WL_TRY(wl_tools_folders(&see));
    while (see[count]) count++;
    char *own = see[count] = realpath("/proc/self/exe", NULL);
    wl_sandbox sandbox = {.seconds = 120, .address_space = (size_t)3 << 30, .memory = (size_t)3 << 30};
    sandbox.results = open(g->program, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    wl_sandbox_end end = {0};
    wl_status status = sandbox.results < 0 ? wl_fail(WL_NO_MACHINE, "%s: %s", g->program, strerror(errno))
                       : own == NULL       ? wl_fail(WL_NO_MACHINE, "this program does not find itself")
                                           : WL_OK;
    if (status == WL_OK) {
        wl_word_list words = self(own, "build", g->lab, g->lab_copy);
        wl_word(&words, "%s", kernel);
        status = run_part(g, &words, see, &sandbox, &end);
    }
    if (sandbox.results >= 0) close(sandbox.results);
    for (char **folder = see; *folder; folder++) free(*folder);
    free(see);
    if (status == WL_OK && strncmp(end.said, "bwrap: ", 7) == 0) // no compiler's message begins so
        status = wl_fail(WL_NO_MACHINE, "%.*s%s", (int)strcspn(end.said, "\n"), end.said,
                         g->user ? "; submissions run as a user of their own, who must be able to read it" : "");
    else if (status == WL_OK && end.ended)
        fail_all(g, "compiling took too long or too much memory");
    else if (status == WL_OK && end.code == WL_NO_MACHINE)
        status = wl_fail(WL_NO_MACHINE, "%s", end.said);
    else if (status == WL_OK && end.code != 0)
        fail_all(g, end.said);
    wl_sandbox_end_free(&end);
    return status;
}

static wl_status build(grading *g, const char *kernel) {
    char *copy;
    if (asprintf(&copy, "%s/kernel.cu", g->work) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = take_regions(g, kernel, copy);
    if (status == WL_OK && g->care != WL_LAB_CHECKED)
        status = build_apart(g, copy);
    else if (status == WL_OK && (status = wl_lab_build(g->lab, copy, g->program)) == WL_BAD_INPUT)
        wl_fail(WL_BAD_INPUT,
                "kernel.cu does not compile: see what the compiler says"); // it has printed its errors already
    free(copy);
    if (status != WL_BAD_INPUT) return status;
    fail_all(g, wl_error());
    return WL_OK;
}

/* ---- results ---- */

int wl_lab_put(int file, const void *bytes, size_t count) {
    for (const char *at = bytes; count > 0;) {
        const ssize_t written = write(file, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 0;
        at += written;
        count -= (size_t)written;
    }
    return 1;
}

/* The records of one run, as far as they have been read. */
typedef struct {
    const char *bytes;
    size_t size, at;
} records;

/* The next record, if it is this one, whole and of the right size. */
static int next_record(records *r, size_t test, size_t shape, size_t bytes, wl_lab_record *record,
                       const char **results) {
    if (r->size - r->at < sizeof *record) return 0;
    memcpy(record, r->bytes + r->at, sizeof *record);
    const size_t left = r->size - r->at - sizeof *record;
    if (record->test != test || record->shape != shape || record->bytes != bytes || left < bytes ||
        left - bytes < record->text_bytes || record->state < WL_LAB_DONE || record->state > WL_LAB_RACED)
        return 0;
    record->suspicion[sizeof record->suspicion - 1] = 0;
    *results = r->bytes + r->at + sizeof *record;
    r->at += sizeof *record + bytes + record->text_bytes;
    return 1;
}

static int is_poison(const char *bytes, size_t count) {
    size_t i = 0;
    while (i < count && (unsigned char)bytes[i] == WL_POISON_BYTE) i++;
    return i == count;
}

/* Are both results right? Otherwise `text` says what is wrong. */
static wl_status compare(wl_inputs *inputs, const wl_lab_record *record, const char *results, FILE *text) {
    const size_t bytes = record->bytes / WL_LAB_LAUNCHES;
    void *result = wl_poisoned(bytes);
    wl_status status = result ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for a result");
    for (int again = 0; status == WL_OK && again < WL_LAB_LAUNCHES; again++) {
        wl_verdict verdict = {.state = WL_UNCHECKED};
        memcpy(result, results + bytes * (size_t)again, bytes);
        status = wl_check_output(inputs, 0, result, 0, &verdict);
        if (status == WL_OK) continue;
        fprintf(text, "%s%s", again ? "launched a second time: " : "",
                *record->suspicion ? record->suspicion : verdict.reason);
        if (is_poison(results + bytes * (size_t)again, bytes)) fputs("; the launch stored nothing", text);
    }
    free(result);
    return status;
}

/* What a record's results are worth; `text` says what is wrong. */
static wl_status judge(const grading *g, wl_inputs *inputs, const wl_lab_record *record, const char *results,
                       const char *shape, FILE *text, wl_lab_verdict *v) {
    const int length = (int)(record->text_bytes < WL_LAB_TEXT_MOST ? record->text_bytes : WL_LAB_TEXT_MOST);
    const char *said = results + record->bytes;
    char *wrong = NULL;
    size_t size;
    FILE *to = open_memstream(&wrong, &size);
    if (to == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a result");
    wl_status status = WL_OK;
    if (record->state == WL_LAB_FAILED) {
        status = WL_CHECK_FAILED;
        fprintf(to, "%.*s", length, said);
    } else {
        status = compare(inputs, record, results, to);
    }
    const int is_forgiven = record->state == WL_LAB_RACED && status == WL_OK;
    if (record->state == WL_LAB_RACED) fprintf(to, "%s%.*s", is_forgiven ? "" : "; ", length, said);
    fclose(to);
    if (is_forgiven) {
        v->mistake = WL_LAB_RACE;
        fprintf(text, "at %s: the results are right, but: %s", shape, wrong);
    } else if (status == WL_CHECK_FAILED) {
        v->mistake = g->result->mistake == WL_LAB_EMPTY
                         ? WL_LAB_EMPTY
                         : wl_lab_mistake_of(wrong, WL_LAB_RACE, WL_LAB_AGAIN, WL_LAB_WRONG);
        fprintf(text, "at %s: FAILED: %s", shape, wrong);
    }
    free(wrong);
    return status;
}

/* Is the count within the test's limits? */
static wl_status judge_count(const wl_lab_test *test, const wl_lab_record *record, const char *said,
                             const wl_problem *problem, const void *input, const char *shape, FILE *text,
                             wl_lab_verdict *v) {
    const int length = (int)(record->text_bytes < WL_LAB_TEXT_MOST ? record->text_bytes : WL_LAB_TEXT_MOST);
    v->value = wl_lab_counted(test, &record->counts, problem->work(input));
    if (v->mistake == WL_LAB_RACE) fputc('\n', text);
    wl_lab_put_measure(text, test, problem->unit, "");
    fprintf(text, " at %s: %.4g", shape, v->value);
    if (v->value <= test->most && v->value >= test->least) return WL_OK;
    v->mistake = v->value > test->most ? WL_LAB_MORE : WL_LAB_FEWER;
    if (isnan(v->value))
        fputs("; expected some", text);
    else if (v->value > test->most)
        fprintf(text, "; expected at most %.4g%.*s", test->most, record->state == WL_LAB_DONE ? length : 0, said);
    else
        fprintf(text, "; expected at least %.4g", test->least);
    return WL_CHECK_FAILED;
}

/* "--instances 2 --attributes 5" as "instances 2, attributes 5". */
static void name_sizes(const char *options, wl_lab_verdict *v) {
    size_t length = 0;
    for (const char *at = options; *at && length + 3 < sizeof v->shape; at++) {
        if (strncmp(at, " --", 3) == 0)
            v->shape[length++] = ',', v->shape[length++] = ' ', at += 2;
        else if (at == options && strncmp(at, "--", 2) == 0)
            at++;
        else
            v->shape[length++] = *at;
    }
    v->shape[length] = 0;
}

/* One shape of a test. *ran: there is a record of it. */
static wl_status grade_shape(const grading *g, size_t index, size_t shape, records *r, FILE *text, wl_lab_verdict *v,
                             int *ran) {
    const wl_lab_test *test = &g->lab->tests[index];
    const wl_problem *problem = wl_problem_named(g->lab->problem);
    wl_arguments arguments;
    wl_inputs inputs;
    wl_lab_record record;
    const char *results;
    WL_TRY(wl_arguments_parse(problem->options, test->shapes[shape], &arguments));
    wl_status status = wl_inputs_create(problem, &arguments, g->lab->seed, 1, &inputs);
    free(arguments.values);
    if (status != WL_OK) return status;
    const void *input = inputs.inputs[0];
    *ran = next_record(r, index, shape, WL_LAB_LAUNCHES * problem->output_size(input), &record, &results);
    const int counts = test->counter != WL_LAB_NO_COUNTER;
    if (counts && shape > 0) fputc('\n', text);
    name_sizes(test->shapes[shape], v);
    status = *ran ? judge(g, &inputs, &record, results, test->shapes[shape], text, v) : WL_CHECK_FAILED;
    if (status == WL_OK && counts)
        status = judge_count(test, &record, results + record.bytes, problem, input, test->shapes[shape], text, v);
    wl_inputs_free(&inputs);
    return status;
}

/* One test. *ran: there is a record of each shape that was needed. */
static wl_status grade_test(grading *g, size_t index, records *r, int *ran) {
    wl_lab_verdict *v = &g->result->tests[index];
    size_t size;
    wl_status status = WL_OK;
    wl_lab_verdict after = {.value = NAN}; // of the shapes after the first that is lost or forgiven: only read past
    *v = (wl_lab_verdict){.value = NAN};
    FILE *text = open_memstream(&v->output, &size);
    if (text == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a test");
    *ran = 1;
    size_t shape = 0;
    for (int told = 0; *ran && shape < g->lab->tests[index].shape_count; shape++) {
        const wl_status of_shape = grade_shape(g, index, shape, r, told ? g->nowhere : text, told ? &after : v, ran);
        if (status == WL_OK && of_shape != WL_OK && told && *ran) v->mistake = after.mistake; // worse than a race
        if (status == WL_OK) status = of_shape;
        if (of_shape != WL_OK && of_shape != WL_CHECK_FAILED) break;
        told |= of_shape != WL_OK || v->mistake != WL_LAB_NO_MISTAKE;
    }
    fclose(text);
    wl_lab_tame(v->output);
    v->state = status == WL_OK ? WL_LAB_PASSED : WL_LAB_LOST;
    if (v->mistake == WL_LAB_NO_MISTAKE) *v->shape = 0;
    return status == WL_CHECK_FAILED ? WL_OK : status;
}

/* The last line of a program's output. */
static const char *last_line(char *said) {
    size_t length = strlen(said);
    while (length > 0 && said[length - 1] == '\n') said[--length] = 0;
    char *line = strrchr(said, '\n');
    return line ? line + 1 : said;
}

static void stopped(grading *g, size_t test, const wl_sandbox_end *end) {
    wl_lab_verdict *v = &g->result->tests[test];
    char why[64];
    if (end->ended)
        snprintf(why, sizeof why, "%s", end->ended);
    else if (end->code > 128)
        snprintf(why, sizeof why, "signal %d", end->code - 128);
    else
        snprintf(why, sizeof why, "exit code %d", end->code);
    const char *said = last_line(end->said);
    free(v->output);
    v->output = NULL;
    v->state = WL_LAB_LOST;
    v->mistake = wl_lab_mistake_of(end->ended ? end->ended : said, WL_LAB_RACE, WL_LAB_ENDLESS, WL_LAB_STOPPED);
    if (asprintf(&v->output, "the program ended before the test did: %s%s%s", why, *said ? ": " : "", said) < 0)
        v->output = NULL;
    else
        wl_lab_tame(v->output);
}

/* Runs the tests from *next on, and grades them up to the first one that ended the program; the next run begins after it. */
static wl_status run_from(grading *g, size_t *next, double *left) {
    wl_word_list words = self(g->program, "trial", g->lab, g->lab_copy);
    wl_sandbox_end end = {0};
    wl_word(&words, "%zu", *next);
    wl_sandbox sandbox = {.seconds = *left, .memory = (size_t)2 << 30};
    sandbox.results = memfd_create("results", MFD_CLOEXEC);
    if (sandbox.results < 0) return wl_fail(WL_NO_MACHINE, "no memory for results: %s", strerror(errno));
    wl_status status = run_part(g, &words, (char *const[]){NULL}, &sandbox, &end);
    wl_mapped *mapped = NULL;
    const int is_empty = wl_mapped_open("results", sandbox.results, &mapped) != WL_OK;
    records r = {.bytes = is_empty ? NULL : mapped->memory, .size = is_empty ? 0 : mapped->bytes};
    g->result->seconds += end.seconds;
    for (int ran = 1; status == WL_OK && ran && *next < g->lab->count; ++*next) {
        status = grade_test(g, *next, &r, &ran);
        if (status == WL_OK && !ran && g->result->tests[*next].mistake == WL_LAB_NO_MISTAKE) stopped(g, *next, &end);
    }
    *left = end.ended ? 0 : *left - end.seconds;
    wl_mapped_close(mapped);
    close(sandbox.results);
    wl_sandbox_end_free(&end);
    return status;
}

static wl_status run_tests(grading *g) {
    double left = g->lab->seconds;
    wl_status status = WL_OK;
    if (g->lab->steps) setenv("WL_SIM_STEPS", g->lab->steps, 1);
    setenv("WL_SIM_SECONDS", "1", 0); // limit per block; blocks of a lab take far less
    g->nowhere = fopen("/dev/null", "w");
    if (g->nowhere == NULL) return wl_fail(WL_NO_MACHINE, "/dev/null: %s", strerror(errno));
    for (size_t next = 0; status == WL_OK && next < g->lab->count && left > 0;) status = run_from(g, &next, &left);
    fclose(g->nowhere);
    return status;
}

/* The first test that keeps others from earning points: a condition that is lost, or, for counters, a wrong result. NULL: none does. */
static const wl_lab_test *holds_back(const wl_lab_result *result, const wl_lab_test *test) {
    const wl_lab *lab = result->lab;
    for (size_t i = 0; i < lab->count; i++) {
        const wl_lab_test *t = &lab->tests[i];
        const int is_result = t->counter == WL_LAB_NO_COUNTER && test->counter != WL_LAB_NO_COUNTER;
        if (t != test && result->tests[i].state != WL_LAB_PASSED && (t->condition || is_result)) return t;
    }
    return NULL;
}

/* Counters of a kernel that computes something else earn nothing, nor does what breaks the lab's conditions. */
static void settle(wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    const wl_lab_test *by[WL_LAB_TESTS];
    for (size_t i = 0; i < lab->count; i++) by[i] = holds_back(result, &lab->tests[i]);
    for (size_t i = 0; i < lab->count; i++) {
        wl_lab_verdict *v = &result->tests[i];
        if (v->state != WL_LAB_PASSED) continue;
        if (by[i] == NULL) {
            v->points = lab->tests[i].points * (v->mistake == WL_LAB_RACE ? lab->race_credit : 1);
            result->score += v->points;
            continue;
        }
        free(v->output);
        *v = (wl_lab_verdict){.state = WL_LAB_HELD_BACK, .value = NAN};
        if (asprintf(&v->output, by[i]->condition ? "counts only with: %s" : "counted only when all results are right",
                     by[i]->name) < 0)
            v->output = NULL;
    }
}

/* ---- why ---- */

const char *wl_lab_state_name(wl_lab_state state) {
    static const char *const names[] = {"not reached", "ok", "failed", "held back"};
    return names[state];
}

const char *wl_lab_reason(const wl_lab_result *result, size_t test, char *text) {
    const wl_lab_verdict *v = &result->tests[test];
    if (result->failed)
        snprintf(text, WL_LAB_REASON, "%s", wl_lab_mistake_name(result->mistake));
    else if (v->mistake == WL_LAB_NO_MISTAKE)
        snprintf(text, WL_LAB_REASON, "%s", v->state == WL_LAB_PASSED ? "" : wl_lab_state_name(v->state));
    else
        snprintf(text, WL_LAB_REASON, "%s%s%s", wl_lab_mistake_name(v->mistake), *v->shape ? " at " : "", v->shape);
    return text;
}

const char *wl_lab_first_reason(const wl_lab_result *result, char *text) {
    *text = 0;
    if (result->failed) return wl_lab_reason(result, 0, text);
    if (result->mistake == WL_LAB_EMPTY) return strcpy(text, wl_lab_mistake_name(WL_LAB_EMPTY));
    for (size_t i = 0; i < result->lab->count && *text == 0; i++) {
        const wl_lab_mistake kind = result->tests[i].mistake;
        const char *name = kind == WL_LAB_MORE || kind == WL_LAB_FEWER ? result->lab->tests[i].name : "";
        if (kind == WL_LAB_NO_MISTAKE) continue;
        wl_lab_reason(result, i, text);
        const size_t used = strlen(text);
        if (*name) snprintf(text + used, WL_LAB_REASON - used, ": %s", name);
    }
    return text;
}

/* ---- all of it ---- */

/* Can other users come to the folder? */
static int is_open_to_all(const char *folder) {
    char path[4096];
    struct stat found;
    int is_open = snprintf(path, sizeof path, "%s/", folder) < (int)sizeof path;
    for (char *slash = path; is_open && (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = 0;
        is_open = stat(path, &found) == 0 && (found.st_mode & S_IXOTH);
    }
    return is_open;
}

static wl_status prepare(grading *g) {
    char *from;
    const char *parent = getenv("TMPDIR");
    if (g->user && parent && !is_open_to_all(parent)) unsetenv("TMPDIR"); // then it is /tmp
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
