/* warpladder reproduce: a paper's figure, measured here. */
#define _GNU_SOURCE /* asprintf */
#include "cli/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "cli/chart.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "harness/device.h"

static const wl_reproduction *const reproductions[] = {&wl_reproduction_payne2010, NULL};

static const wl_command command = {
    .name = "reproduce",
    .arguments = "[PAPER]",
    .summary = "Repeat a paper's run and set its numbers beside this machine's, as a table and charts; without PAPER, "
               "list the papers. Files go to --out, or else to out/. Where there is no GPU, the stages are counted on "
               "the simulated device instead of timed.",
    .example = "warpladder reproduce\n"
               "  warpladder reproduce payne2010 --out out",
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET,
    .least = 0,
    .most = 1,
};

static wl_status list(void) {
    for (size_t i = 0; reproductions[i] != NULL; i++)
        printf("%-12s %s\n", reproductions[i]->name, reproductions[i]->summary);
    return WL_OK;
}

static const wl_reproduction *named(const char *name) {
    for (size_t i = 0; reproductions[i] != NULL; i++)
        if (strcmp(reproductions[i]->name, name) == 0) return reproductions[i];
    return NULL;
}

/* ---- what the paper ran ---- */

/* The problem's options as the paper's table has them in its header: "# instances: 112". The caller frees values. */
static wl_status paper_arguments(const wl_problem *problem, const wl_paper *paper, wl_arguments *arguments) {
    size_t count = 0;
    while (problem->options != NULL && problem->options[count].name != NULL) count++;
    *arguments = (wl_arguments){.options = problem->options, .count = count};
    arguments->values = calloc(count + 1, sizeof *arguments->values);
    if (arguments->values == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the options");
    for (size_t i = 0; i < count; i++) arguments->values[i] = wl_paper_header(paper, problem->options[i].name);
    return WL_OK;
}

static const char *const needed[] = {"short", "figure", "short_machine", "datasets"};

static wl_status read_paper(const char *table, wl_paper *paper) {
    wl_status status = wl_paper_read(table, NULL, paper);
    for (size_t i = 0; status == WL_OK && i < sizeof needed / sizeof *needed; i++) {
        if (wl_paper_header(paper, needed[i]) != NULL) continue;
        status = wl_fail(WL_BAD_INPUT, "%s: found no line '# %s: ...'; expected one", paper->path, needed[i]);
        wl_paper_free(paper);
    }
    return status;
}

/* ---- running it ---- */

static wl_status measure(const wl_line *line, const wl_reproduction *which, const wl_arguments *arguments,
                         const wl_device_list *devices, wl_reproduced *r) {
    wl_measure_request request = {.problem = r->problem,
                                  .arguments = arguments,
                                  .seed = line->seed,
                                  .pattern = r->has_gpu ? which->pattern : NULL,
                                  .devices = devices,
                                  .options = wl_measure_defaults()};
    /* A round is one data set: four rounds a data set give each one a median of its own. */
    double datasets = wl_paper_header_number(&r->paper, "datasets");
    if (datasets >= 1 && datasets < 1000) request.options.shared_rounds = 4 * (size_t)datasets;
    request.options.progress = wl_shows_progress(line);
    return wl_measure(&request, &r->measurements);
}

static wl_status prepare(const wl_line *line, const wl_reproduction *which, const wl_device_list *devices, int counts,
                         wl_reproduced *r) {
    wl_arguments arguments;
    wl_inputs inputs;
    wl_device_list used = {.count = 0};
    for (size_t i = 0; i < devices->count; i++) { /* the CPU and the first GPU: one machine, one column */
        if (devices->items[i].backend == WL_SIM || (devices->items[i].backend == WL_GPU && r->has_gpu)) continue;
        r->has_gpu |= devices->items[i].backend == WL_GPU;
        used.items[used.count++] = devices->items[i];
    }
    wl_status status = paper_arguments(r->problem, &r->paper, &arguments);
    if (status != WL_OK) return status;
    status = wl_inputs_create(r->problem, &arguments, line->seed, 1, &inputs);
    if (status == WL_OK) {
        r->problem->shape(inputs.inputs[0], r->shape, sizeof r->shape);
        r->work = r->problem->work(inputs.inputs[0]);
        if (counts) status = wl_traffic_count(&inputs, which->pattern, wl_shows_progress(line), &r->traffic);
        wl_inputs_free(&inputs);
    }
    if (status == WL_OK) {
        snprintf(r->machine, sizeof r->machine, "%s%s%s, %d thread%s", r->has_gpu ? used.items[1].name : "",
                 r->has_gpu ? "; " : "", used.items[0].name, used.items[0].multiprocessors,
                 used.items[0].multiprocessors == 1 ? "" : "s");
        status = measure(line, which, &arguments, &used, r);
    }
    free(arguments.values);
    return status;
}

/* ---- showing it ---- */

static void print_head(const wl_line *line, const wl_reproduced *r, int counts) {
    const char *reason = NULL;
    printf("%s, %s: %s, %s, %s data sets, seed %llu\n", wl_paper_header(&r->paper, "short"),
           wl_paper_header(&r->paper, "figure"), r->problem->title, r->shape, wl_paper_header(&r->paper, "datasets"),
           (unsigned long long)line->seed);
    printf("the paper's machine: %s\nthis machine: %s\n", wl_paper_header(&r->paper, "short_machine"), r->machine);
    if (counts && wl_gpu_count(&reason) == 0)
        printf("There is no GPU here (%s).\n", reason);
    else if (!r->has_gpu)
        printf("No GPU was asked for.\n");
    if (counts) printf("So the stages are counted on the simulated device, not timed; the CPU codes are timed.\n");
    fputc('\n', stdout);
}

static void print_notes(const wl_reproduced *r, int counts) {
    printf("\nkernel, deviation: mean and standard deviation over the data sets' medians. total: with preparing\n"
           "and copies. over: ratios of kernel times. The paper does not say whether its times hold the copies,\n"
           "nor how its CPU code was compiled: its CPU time stands beside the slower one here.\n");
    if (counts) {
        printf("\nCounted on the first data set:\n");
        wl_traffic_print(stdout, &r->traffic);
    }
}

/* "out/payne2010.tsv" of "", "out/payne2010_traffic.tsv" of "_traffic". */
static char *file_name(const wl_line *line, const wl_reproduction *which, const char *what) {
    char *path;
    if (asprintf(&path, "%s/%s%s.tsv", line->out == NULL ? "out" : line->out, which->name, what) < 0) return NULL;
    return path;
}

/* The file's charts beside it; in the terminal, the chart itself. */
static wl_status draw(const wl_line *line, const char *script, const char *tsv, int in_terminal) {
    wl_status status = wl_chart_draw(script, tsv);
    if (status == WL_OK && in_terminal && !line->json && !line->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, script, tsv);
    }
    if (status == WL_OK && !line->quiet) fprintf(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

static wl_status write_files(const wl_line *line, const wl_reproduction *which, const wl_reproduced *r, int counts) {
    char *times = file_name(line, which, ""), *traffic = file_name(line, which, "_traffic");
    wl_status status = WL_OK;
    if (times == NULL || traffic == NULL) status = wl_fail(WL_NO_MACHINE, "not enough memory for the files' names");
    if (status == WL_OK) status = wl_reproduced_write(times, r, line->text, line->seed);
    if (status == WL_OK && counts) status = wl_traffic_write(traffic, &r->traffic, &r->paper, line->text, line->seed);
    if (status == WL_OK && !wl_chart_possible()) {
        if (!line->quiet) fprintf(stderr, "%s written; gnuplot is not installed, so the charts were left out\n", times);
    } else if (status == WL_OK) {
        /* Without a GPU the chart of times has little more than the paper's: the terminal shows what was counted. */
        status = draw(line, which->name, times, !counts);
        if (status == WL_OK && counts) status = draw(line, "traffic", traffic, 1);
    }
    free(times);
    free(traffic);
    return status;
}

static wl_status show(const wl_line *line, const wl_reproduction *which, const wl_reproduced *r, int counts) {
    if (line->json) {
        wl_reproduced_print_json(stdout, which->name, r, line->seed);
        return write_files(line, which, r, counts);
    }
    if (!line->quiet) {
        print_head(line, r, counts);
        wl_reproduced_print(stdout, r);
        print_notes(r, counts);
    }
    wl_status status = write_files(line, which, r, counts);
    if (which->audit != NULL && !line->quiet) which->audit(stdout, r);
    return status;
}

static void reproduced_free(wl_reproduced *r) {
    wl_paper_free(&r->paper);
    wl_measurements_free(&r->measurements);
    wl_traffic_free(&r->traffic);
    free(r->rows);
}

static wl_status reproduce(const wl_line *line, const wl_reproduction *which) {
    wl_reproduced r = {0};
    wl_device_list devices;
    int counts = 0;
    wl_status status = wl_devices_select(line->device, &devices);
    if (status != WL_OK) return status;
    r.problem = wl_problem_named(which->problem);
    if (r.problem == NULL)
        return wl_fail(WL_NO_MACHINE, "%s: this program has no problem %s", which->name, which->problem);
    for (size_t i = 0; i < devices.count; i++) counts |= devices.items[i].backend == WL_SIM;
    char *path = file_name(line, which, "");
    status = path == NULL ? wl_fail(WL_NO_MACHINE, "not enough memory for the files' names") : wl_file_try(path);
    free(path);
    if (status == WL_OK) status = read_paper(which->table, &r.paper);
    if (status != WL_OK) return status;
    status = prepare(line, which, &devices, counts, &r);
    if (status == WL_OK) status = wl_reproduced_fill(&r);
    if (status == WL_OK) status = show(line, which, &r, counts);
    if (status == WL_OK && counts) status = wl_traffic_status(&r.traffic);
    if (status == WL_OK) status = wl_measurements_status(&r.measurements);
    reproduced_free(&r);
    return status;
}

static wl_status run(const wl_line *line) {
    if (line->count == 0) return list();
    const wl_reproduction *which = named(line->words[0]);
    if (which == NULL)
        return wl_fail(WL_BAD_USAGE, "there is no reproduction '%.80s'; 'warpladder reproduce' lists them",
                       line->words[0]);
    return reproduce(line, which);
}

int wl_command_reproduce(int argc, char **argv) {
    wl_line line;
    int finished;
    wl_status status = wl_line_read(&command, argc, argv, &line, &finished);
    if (status == WL_OK && !finished) status = run(&line);
    if (!finished) wl_line_free(&line);
    return wl_finish(&command, status);
}
