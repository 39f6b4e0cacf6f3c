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

/* Events of which some 40 MB are kept. A launch that makes more is cut off, so that its mean is too small and its busiest warp stands out. */
enum { TRACED_MOST = 1 << 17 };

/* One launch, of which `counts` (NULL: nothing) gets what it did. */
static wl_status launch(const trial *t, void *state, wl_lab_counts *counts) {
    size_t count;
    const int is_traced = counts && wl_lab_needs_trace(t->test);
    wl_sim_trace trace = {0};
    wl_sim_forget();
    if (is_traced) wl_sim_trace_begin(NULL, TRACED_MOST);
    wl_sim_launching(1);
    const wl_status status = t->variant->launch(state);
    wl_sim_launching(0);
    const wl_sim_launch *launches = wl_sim_launches(&count);
    for (size_t i = 0; counts && i < count; i++) wl_lab_counts_add(counts, &launches[i]);
    if (is_traced) {
        wl_sim_trace_end(&trace);
        wl_lab_counts_share(counts, &trace);
        wl_sim_trace_free(&trace);
    }
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
            const wl_lab_counts counts = {.sim = line[i].counters};
            const uint64_t of_line = wl_lab_counter(&counts, counter);
            if (line[i].file == NULL || of_line <= most) continue;
            most = of_line, file = line[i].file, number = line[i].line;
            per = t->test->per >= 0 ? wl_lab_counter(&counts, t->test->per) : 0;
        }
        free(line);
    }
    if (file == NULL) return;
    const char *slash = strrchr(file, '/');
    fprintf(t->text, "\n%s:%d has most of them", slash ? slash + 1 : file, number);
    if (per > 0) fprintf(t->text, ", %.4g per %s", (double)most / (double)per, wl_lab_counter_name(t->test->per));
}

/* The request to global memory of this kind that touches most sectors. NULL: there is none. */
static wl_sim_trace_event *widest(const wl_sim_trace *trace, char kind) {
    wl_sim_trace_event *most = NULL;
    for (wl_sim_trace_event *e = trace->events; e < trace->events + trace->count; e++)
        if (e->kind == kind && trace->memories[e->memory].space == 'g' && (most == NULL || e->sectors > most->sectors))
            most = e;
    return most;
}

/* The addresses of one request, at the shape at which the count is too high. */
static void print_figure(const trial *t, const void *input, const wl_sim_trace *trace) {
    const int is_store = strncmp(wl_lab_counter_name(t->test->counter), "global_store", 12) == 0;
    wl_sim_trace one = *trace;
    one.events = widest(trace, is_store ? 's' : 'l');
    one.count = one.events != NULL;
    char shape[96], title[200];
    wl_figure figure = {.title = title, .memories = trace->memories};
    t->problem->shape(input, shape, sizeof shape);
    wl_figure_access *accesses = wl_figure_accesses(&one, &figure.count);
    figure.accesses = accesses;
    if (accesses && one.count) {
        snprintf(title, sizeof title, "what the lanes of warp %u of the first block %s in one request, at %s",
                 one.events->warp, is_store ? "store" : "load", shape);
        fputc('\n', t->text);
        wl_figure_print(t->text, &figure);
    }
    free(accesses);
}

/* Launches once more, and prints what that shows. */
static void help(const trial *t, const void *input) {
    static const unsigned first[3] = {0, 0, 0};
    wl_sim_trace trace = {0};
    void *state = NULL;
    wl_sim_count_lines();
    if (t->variant->prepare(t->device, input, &state) != WL_OK) return;
    wl_sim_trace_begin(first, SIZE_MAX);
    const wl_status status = launch(t, state, NULL);
    wl_sim_trace_end(&trace);
    t->variant->release(state);
    if (status == WL_OK) {
        print_line(t);
        if (strncmp(wl_lab_counter_name(t->test->counter), "global", 6) == 0) print_figure(t, input, &trace);
    }
    wl_sim_trace_free(&trace);
}

/* ---- one shape ---- */

/* A launch's error, without what is no part of the student's file: the line that asks for it, and the folder. */
static void say(const trial *t, const char *doing) {
    static const char asked[] = "cudaGetLastError(): ", file[] = "/kernel.cu:";
    const char *after = strstr(wl_error(), asked), *at = after ? after + strlen(asked) : wl_error();
    fprintf(t->text, "%s: ", doing);
    while (*at) {
        const size_t word = strcspn(at, " ("), length = word + (at[word] != 0);
        const char *found = memmem(at, word, file, strlen(file));
        const size_t skipped = found ? (size_t)(found + 1 - at) : 0;
        fwrite(at + skipped, 1, length - skipped, t->text);
        at += length;
    }
}

/* Launches twice, each time onto poison, and collects both results into `results`, one after the other. */
static wl_status launch_twice(const trial *t, const void *input, wl_lab_counts *counts, unsigned char *results) {
    const size_t bytes = t->problem->output_size(input);
    const char *doing = "prepare";
    void *state = NULL;
    wl_status status = t->variant->prepare(t->device, input, &state);
    for (int again = 0; status == WL_OK && again < WL_LAB_LAUNCHES; again++) {
        doing = again ? "launched a second time" : "launch";
        status = launch(t, state, again ? NULL : counts);
        if (status == WL_OK) status = t->variant->collect(state, results + bytes * (size_t)again, 1);
    }
    if (status != WL_OK) say(t, doing);
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
    record->counts = (wl_lab_counts){0};
    wl_sim_on_finding(note);
    wl_sim_keep_going(1, NULL);
    const wl_status status = launch_twice(&again, input, &record->counts, results);
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
    const wl_status status = refused ? WL_CHECK_FAILED : launch_twice(t, input, &record.counts, made);
    const int is_race = status != WL_OK && !refused && strstr(wl_error(), "race on ") != NULL;
    const int is_forgiven = is_race && t->lab->race_credit > 0 && only_races(t, input, &record, made);
    const char *wrong = wl_sim_watched(0), *suspicion = wrong ? NULL : wl_sim_watched(1);
    record.state = wrong ? WL_LAB_FAILED : status == WL_OK ? WL_LAB_DONE : is_forgiven ? WL_LAB_RACED : WL_LAB_FAILED;
    if (suspicion) snprintf(record.suspicion, sizeof record.suspicion, "%s", suspicion);
    if (status == WL_OK && wrong) fputs(wrong, t->text);
    if (record.state == WL_LAB_DONE && !t->test->hidden && t->test->counter != WL_LAB_NO_COUNTER &&
        wl_lab_counted(t->test, &record.counts, t->problem->work(input)) > t->test->most)
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
    wl_sim_barriers_for_all(lab->barriers_for_all);
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
