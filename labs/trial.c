/* Runs the shapes of a lab's tests in the program to which a student's stage is linked. It knows neither what the results have to be nor
   what they are worth: a record (labs/record.h) of each shape, with what the kernels made and counted, goes to a file that kernels cannot
   address. labs/grader.c reads it. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench/count.h"
#include "harness/bench/device.h"
#include "harness/bench/figure.h"
#include "labs/record.h"

typedef struct {
    const wl_lab *lab;
    const wl_problem *problem;
    const wl_variant *variant;
    const wl_device *device;
    const wl_lab_test *test;
    FILE *text; // what the student reads about this shape
} trial;

/* ---- a stage's functions ---- */

/* One launch, of which `counters` (NULL: nothing) gets what it did. */
static wl_status launch(const trial *t, void *state, wl_sim_counters *counters) {
    size_t count;
    wl_sim_forget();
    wl_sim_launching(1);
    const wl_status status = t->variant->launch(state);
    wl_sim_launching(0);
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t i = 0; counters && i < count; i++) wl_lab_counters_add(counters, &launches[i].counters);
    return status;
}

/* ---- what helps with too high a count: the line, and the addresses ---- */

static void print_line(const trial *t) {
    const int counter = t->test->counter;
    const char *file = NULL;
    int number = 0;
    uint64_t most = 0, per = 0;
    size_t count;
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t k = 0; k < count; k++) {
        size_t lines;
        wl_sim_line *line = wl_sim_lines(launches[k].kernel, &lines);
        for (size_t i = 0; i < lines; i++) {
            const uint64_t of_line = wl_lab_counter(&line[i].counters, counter);
            if (line[i].file == NULL || of_line <= most) continue;
            most = of_line, file = line[i].file, number = line[i].line;
            per = t->test->per >= 0 ? wl_lab_counter(&line[i].counters, t->test->per) : 0;
        }
        free(line);
    }
    if (file == NULL) return;
    const char *slash = strrchr(file, '/');
    fprintf(t->text, "\n%s:%d has most of them", slash ? slash + 1 : file, number);
    if (per > 0) fprintf(t->text, ", %.4g per %s", (double)most / (double)per, wl_lab_counter_name(t->test->per));
}

/* Launches once more; `trace` (NULL: nothing) is recorded. */
static wl_status launch_again(const trial *t, const void *input, wl_sim_trace *trace) {
    static const unsigned first[3] = {0, 0, 0};
    void *state = NULL;
    WL_TRY(t->variant->prepare(t->device, input, &state));
    if (trace) wl_sim_trace_begin(first, SIZE_MAX);
    const wl_status status = launch(t, state, NULL);
    if (trace) wl_sim_trace_end(trace);
    t->variant->release(state);
    return status;
}

static void print_figure(const trial *t, const void *input) {
    wl_sim_trace trace = {0};
    char shape[96], title[160];
    wl_figure figure = {.title = title};
    t->problem->shape(input, shape, sizeof shape);
    snprintf(title, sizeof title, "addresses that the first block touches, at %s", shape);
    if (launch_again(t, input, &trace) != WL_OK) return;
    wl_figure_access *accesses = wl_figure_accesses(&trace, &figure.count);
    figure.accesses = accesses;
    figure.memories = trace.memories;
    if (t->problem->figure_layout)
        t->problem->figure_layout(input, t->lab->stage, &figure.rows, &figure.columns, &figure.element_bytes,
                                  &figure.row_name, &figure.column_name);
    if (figure.count > 0) {
        fputc('\n', t->text);
        wl_figure_print(t->text, &figure);
    }
    free(accesses);
    wl_sim_trace_free(&trace);
}

static void help(const trial *t, const void *input) {
    wl_sim_count_lines();
    if (launch_again(t, input, NULL) == WL_OK) print_line(t);
    wl_arguments arguments;
    wl_inputs inputs;
    const int of_global = strncmp(wl_lab_counter_name(t->test->counter), "global", 6) == 0;
    if (!of_global || t->problem->figure_arguments == NULL ||
        wl_arguments_parse(t->problem->options, t->problem->figure_arguments, &arguments) != WL_OK)
        return;
    if (wl_inputs_create(t->problem, &arguments, t->lab->seed, 1, &inputs) == WL_OK) {
        print_figure(t, inputs.inputs[0]);
        wl_inputs_free(&inputs);
    }
    free(arguments.values);
}

/* ---- one shape ---- */

/* Launches twice, each time onto poison, and collects both results into `results`, one after the other. */
static wl_status launch_twice(const trial *t, const void *input, wl_sim_counters *counters, unsigned char *results) {
    const size_t bytes = t->problem->output_size(input);
    const char *doing = "prepare";
    void *state = NULL;
    wl_status status = t->variant->prepare(t->device, input, &state);
    for (int again = 0; status == WL_OK && again < WL_LAB_LAUNCHES; again++) {
        doing = again ? "launched a second time" : "launch";
        status = launch(t, state, again ? NULL : counters);
        if (status == WL_OK) status = t->variant->collect(state, results + bytes * (size_t)again, 1);
    }
    if (status != WL_OK) fprintf(t->text, "%s: %s", doing, wl_error());
    if (state) t->variant->release(state);
    return status;
}

static int races, others; // findings while kernels go on

static void note(const wl_sim_finding *finding) {
    if (finding->kind && strncmp(finding->kind, "race on ", 8) == 0)
        races++;
    else
        others++;
}

/* After a race: launches again, and goes on after findings, as a GPU does. 1: a race is all that was found, so the results count. */
static int only_races(const trial *t, const void *input, wl_lab_record *record, unsigned char *results) {
    char *said;
    size_t size;
    trial again = *t;
    again.text = open_memstream(&said, &size);
    if (again.text == NULL) return 0;
    races = others = 0;
    record->counters = (wl_sim_counters){0};
    wl_sim_on_finding(note);
    wl_sim_keep_going(1, NULL);
    const wl_status status = launch_twice(&again, input, &record->counters, results);
    wl_sim_keep_going(0, NULL);
    wl_sim_on_finding(NULL);
    fclose(again.text);
    free(said);
    return status == WL_OK && races > 0 && others == 0;
}

static wl_status run_input(trial *t, size_t shape, const void *input, int results) {
    const size_t bytes = WL_LAB_LAUNCHES * t->problem->output_size(input);
    const char *refused = t->variant->supports ? t->variant->supports(t->device, input) : NULL;
    wl_lab_record record = {.test = (uint32_t)(t->test - t->lab->tests), .shape = (uint32_t)shape, .bytes = bytes};
    unsigned char *made = wl_poisoned(bytes);
    char *text;
    size_t length;
    t->text = open_memstream(&text, &length);
    if (made == NULL || t->text == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a result");
    wl_sim_watch();
    if (refused) fputs(refused, t->text);
    const wl_status status = refused ? WL_CHECK_FAILED : launch_twice(t, input, &record.counters, made);
    const int is_race = status != WL_OK && !refused && strstr(wl_error(), "race on ") != NULL;
    const int is_forgiven = is_race && t->lab->race_credit > 0 && only_races(t, input, &record, made);
    const char *wrong = wl_sim_watched(0), *suspicion = wrong ? NULL : wl_sim_watched(1);
    record.state = wrong ? WL_LAB_FAILED : status == WL_OK ? WL_LAB_DONE : is_forgiven ? WL_LAB_RACED : WL_LAB_FAILED;
    if (suspicion) snprintf(record.suspicion, sizeof record.suspicion, "%s", suspicion);
    if (status == WL_OK && wrong) fputs(wrong, t->text);
    if (record.state == WL_LAB_DONE && !t->test->hidden && t->test->counter != WL_LAB_NO_COUNTER &&
        wl_lab_counted(t->test, &record.counters, t->problem->work(input)) > t->test->most)
        help(t, input);
    fclose(t->text);
    record.text_bytes = length;
    const int written = wl_lab_put(results, &record, sizeof record) && wl_lab_put(results, made, bytes) &&
                        wl_lab_put(results, text, length);
    free(text);
    free(made);
    return written ? WL_OK : wl_fail(WL_NO_MACHINE, "the results cannot be written");
}

static wl_status run_shape(trial *t, size_t shape, int results) {
    wl_arguments arguments;
    wl_inputs inputs;
    WL_TRY(wl_arguments_parse(t->problem->options, t->test->shapes[shape], &arguments));
    wl_status status = wl_inputs_create(t->problem, &arguments, t->lab->seed, 1, &inputs);
    if (status == WL_OK) {
        status = run_input(t, shape, inputs.inputs[0], results);
        wl_inputs_free(&inputs);
    }
    free(arguments.values);
    return status;
}

/* ---- all tests ---- */

wl_status wl_lab_trial(const wl_lab *lab, size_t first, int results) {
    char variant[128];
    trial t = {.lab = lab, .problem = wl_problem_named(lab->problem)};
    size_t count, found = 0;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device_list devices;
    snprintf(variant, sizeof variant, "%s/lab", lab->problem);
    WL_TRY(wl_devices_select("sim", &devices));
    t.device = &devices.items[devices.count - 1];
    WL_TRY(wl_device_use(t.device));
    for (size_t i = 0; i < count; i++) {
        if (variants[i]->backend != WL_SIM) continue;
        found++; // stages register themselves, and there is no other stage here
        if (wl_variant_matches(variants[i], variant)) t.variant = variants[i];
    }
    if (t.problem == NULL || t.variant == NULL || found != 1)
        return wl_fail(WL_CHECK_FAILED, "found %zu stages; expected one, %s", found, variant);
    for (t.test = lab->tests + first; t.test < lab->tests + lab->count; t.test++)
        for (size_t shape = 0; shape < t.test->shape_count; shape++) WL_TRY(run_shape(&t, shape, results));
    return WL_OK;
}
