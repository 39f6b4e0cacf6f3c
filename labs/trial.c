/* Runs the tests of a lab in the program to which a student's stage is linked. Each result goes to labs/grader.c as a line: the test's
   number, "passed" or "failed", VALUE and TEXT, separated by tabs. Line ends in TEXT are written as \n. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/count.h"
#include "harness/bench/device.h"
#include "harness/bench/figure.h"
#include "harness/bench/trial.h"
#include "labs/lab.h"

typedef struct {
    const wl_lab *lab;
    const wl_problem *problem;
    const wl_variant *variant;
    const wl_device *device;
    const wl_lab_test *test;
    double value;
    FILE *text; /* what the student reads about this test */
} trial;

static uint64_t count_of(const trial *t, const wl_sim_counters *counters, int counter, const void *input) {
    return counter == WL_LAB_NO_COUNTER ? 1
           : counter == WL_LAB_PER_WORK ? (uint64_t)t->problem->work(input)
                                        : wl_counter(counters, (size_t)counter);
}

/* ---- what helps with too high a count: the line, and the addresses ---- */

static void print_line(const trial *t, const wl_count *count) {
    const size_t counter = (size_t)t->test->counter;
    const char *file = NULL;
    int number = 0;
    uint64_t most = 0, per = 0;
    for (size_t k = 0; k < count->count; k++) {
        size_t lines;
        wl_sim_line *line = wl_sim_lines(count->kernels[k].launch.kernel, &lines);
        for (size_t i = 0; i < lines; i++) {
            const uint64_t of_line = wl_counter(&line[i].counters, counter);
            if (line[i].file == NULL || of_line <= most) continue;
            most = of_line, file = line[i].file, number = line[i].line;
            per = t->test->per >= 0 ? wl_counter(&line[i].counters, (size_t)t->test->per) : 0;
        }
        free(line);
    }
    if (file == NULL) return;
    const char *slash = strrchr(file, '/');
    fprintf(t->text, "\n%s:%d has most of them", slash ? slash + 1 : file, number);
    if (per > 0) fprintf(t->text, ", %.4g per %s", (double)most / (double)per, wl_counter_name((size_t)t->test->per));
}

static void print_figure(const trial *t, wl_inputs *inputs) {
    static const unsigned first[3] = {0, 0, 0};
    wl_count count;
    wl_figure figure = {.title = "addresses that the first block touches"};
    char shape[96], title[160];
    const wl_count_trace trace = {first, SIZE_MAX};
    if (wl_count_variant(inputs, 0, t->variant, t->device, &trace, &count) != WL_OK) return;
    t->problem->shape(inputs->inputs[0], shape, sizeof shape);
    snprintf(title, sizeof title, "%s, at %s", figure.title, shape);
    figure.title = title;
    wl_figure_access *accesses = wl_figure_accesses(&count.trace, &figure.count);
    figure.accesses = accesses;
    if (t->problem->figure_layout)
        t->problem->figure_layout(inputs->inputs[0], t->lab->stage, &figure.rows, &figure.columns,
                                  &figure.element_bytes, &figure.row_name, &figure.column_name);
    if (figure.count > 0) {
        fputc('\n', t->text);
        wl_figure_print(t->text, &figure);
    }
    free(accesses);
    wl_count_free(&count);
}

static wl_status with_inputs(const trial *t, const char *shape, wl_status (*call)(trial *, wl_inputs *, const char *));

static wl_status draw(trial *t, wl_inputs *inputs, const char *shape) {
    (void)shape;
    print_figure(t, inputs);
    return WL_OK;
}

static void help(trial *t, wl_inputs *inputs) {
    wl_count count;
    wl_sim_count_lines();
    if (wl_count_variant(inputs, 0, t->variant, t->device, NULL, &count) != WL_OK) return;
    print_line(t, &count);
    wl_count_free(&count);
    const int of_global = strncmp(wl_counter_name((size_t)t->test->counter), "global", 6) == 0;
    if (of_global && t->problem->figure_arguments) with_inputs(t, t->problem->figure_arguments, draw);
}

/* ---- one shape ---- */

static wl_status check(trial *t, wl_inputs *inputs, const char *shape) {
    wl_verdict verdict = {.state = WL_UNCHECKED};
    for (size_t i = 0; i < inputs->count; i++) {
        const wl_status status = wl_try_variant(inputs, i, t->variant, t->device, 0, 1, &verdict);
        if (status == WL_OK) continue;
        fprintf(t->text, "at %s: %s", shape, wl_verdict_line(&verdict).text);
        return WL_CHECK_FAILED;
    }
    return WL_OK;
}

static wl_status count(trial *t, wl_inputs *inputs, const char *shape) {
    wl_count counted;
    WL_TRY(check(t, inputs, shape));
    WL_TRY(wl_count_variant(inputs, 0, t->variant, t->device, NULL, &counted));
    const uint64_t counter = count_of(t, &counted.total, t->test->counter, inputs->inputs[0]),
                   per = count_of(t, &counted.total, t->test->per, inputs->inputs[0]);
    const int passed = wl_passed(&counted.verdict);
    wl_count_free(&counted);
    if (!passed) return fprintf(t->text, "at %s: the result is wrong", shape), WL_CHECK_FAILED;
    t->value = per > 0 ? (double)counter / (double)per : counter > 0 ? INFINITY : 0;
    wl_lab_put_measure(t->text, t->test, t->problem->unit, "");
    fprintf(t->text, " at %s: %.4g", shape, t->value);
    if (t->value <= t->test->most && t->value >= t->test->least) return WL_OK;
    if (t->value > t->test->most)
        fprintf(t->text, "; expected at most %.4g", t->test->most);
    else
        fprintf(t->text, "; expected at least %.4g", t->test->least);
    if (t->value > t->test->most && !t->test->hidden) help(t, inputs);
    return WL_CHECK_FAILED;
}

static wl_status with_inputs(const trial *t, const char *shape, wl_status (*call)(trial *, wl_inputs *, const char *)) {
    wl_arguments arguments;
    wl_inputs inputs;
    WL_TRY(wl_arguments_parse(t->problem->options, shape, &arguments));
    wl_status status = wl_inputs_create(t->problem, &arguments, t->lab->seed, 1, &inputs);
    if (status == WL_OK) {
        status = call((trial *)t, &inputs, shape);
        wl_inputs_free(&inputs);
    }
    free(arguments.values);
    return status;
}

/* ---- all tests ---- */

static void report(const trial *t, size_t index, wl_status status, const char *text, FILE *out) {
    fprintf(out, "%zu\t%s\t%.9g\t", index, status == WL_OK ? "passed" : "failed", t->value);
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\\')
            fputs("\\\\", out);
        else
            fputc(*text, out);
    }
    fputc('\n', out);
    fflush(out);
}

static wl_status run_test(trial *t, size_t index, FILE *out) {
    char *text;
    size_t size;
    t->test = &t->lab->tests[index];
    t->value = NAN;
    t->text = open_memstream(&text, &size);
    if (t->text == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a test");
    wl_status status = WL_OK;
    const int counts = t->test->counter != WL_LAB_NO_COUNTER;
    for (size_t s = 0; status == WL_OK && s < t->test->shape_count; s++) {
        if (counts && s > 0) fputc('\n', t->text);
        status = with_inputs(t, t->test->shapes[s], counts ? count : check);
        if (status != WL_OK && status != WL_CHECK_FAILED) fprintf(t->text, "at %s: %s", t->test->shapes[s], wl_error());
    }
    fclose(t->text);
    report(t, index, status, text, out);
    free(text);
    return status == WL_CHECK_FAILED ? WL_OK : status;
}

wl_status wl_lab_trial(const wl_lab *lab, const char *variant, size_t first, FILE *out) {
    trial t = {.lab = lab, .problem = wl_problem_named(lab->problem)};
    size_t count, found = 0;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device_list devices;
    WL_TRY(wl_devices_select("sim", &devices));
    t.device = &devices.items[devices.count - 1];
    for (size_t i = 0; i < count; i++) {
        if (variants[i]->backend != WL_SIM) continue;
        found++; /* stages register themselves, and there is no other stage here */
        if (wl_variant_matches(variants[i], variant)) t.variant = variants[i];
    }
    if (t.problem == NULL || t.variant == NULL || found != 1)
        return wl_fail(WL_CHECK_FAILED, "found %zu stages; expected one, %s", found, variant);
    for (size_t i = first; i < lab->count; i++) WL_TRY(run_test(&t, i, out));
    return WL_OK;
}
