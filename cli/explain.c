/* warpladder explain: what each stage does to memory, counted on the simulated device. */
#define _GNU_SOURCE /* asprintf */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/chart.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "harness/bench/figure.h"
#include "harness/base/grid.h"
#include "papers/common/traffic.h"
#include "harness/bench/device.h"

static const wl_option options[] = {
    {"tsv", NULL, NULL, "print tab-separated values, a row a kernel"},
    {"figure", NULL, NULL, "draw the addresses that one block touches (the paper's Figure 3), into --out as well"},
    {"block", "X,Y[,Z]", "0,2", "with --figure: which block of the grid"},
    {NULL, NULL, NULL, NULL},
};

/* "out/lessons_01_naive_figure.tsv" of the folder, "lessons/01_naive" and "figure". The caller frees it. */
static char *file_name(const char *folder, const char *pattern, const char *what) {
    char *path;
    if (asprintf(&path, "%s/%s_%s.tsv", folder, pattern, what) < 0) return NULL;
    for (char *at = path + strlen(folder) + 1; *at; at++)
        if (!isalnum((unsigned char)*at) && strchr("_-.", *at) == NULL) *at = '_';
    return path;
}

/* Draw the file beside itself, and say where. A machine without gnuplot has its tables all the same. */
static wl_status draw(const wl_line *line, const char *script, const char *tsv) {
    if (!wl_chart_possible()) {
        if (!line->quiet) fprintf(stderr, "%s written; gnuplot is not installed, so the charts were left out\n", tsv);
        return WL_OK;
    }
    wl_status status = wl_chart_draw(script, tsv, "");
    if (status == WL_OK && !line->quiet) fprintf(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

/* ---- counters ---- */

static void print_head(const wl_line *line, const wl_traffic *traffic) {
    char work[32];
    printf("%s: %s, %s, %s %s, seed %llu\n", traffic->problem->name, traffic->problem->title, traffic->shape,
           wl_thousands((uint64_t)traffic->work, work), traffic->problem->unit, (unsigned long long)line->seed);
    printf("Counted on the simulated device. A request is one instruction of a warp; a sector is 32 bytes of global\n"
           "memory, and global bytes are those of sectors loaded and stored; a pass is one trip through the banks of\n"
           "shared memory; a barrier counts once a block.\n\n");
}

/* What a GPU counts otherwise. */
static void print_on_gpu(const char *patterns) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0, told = 0; v < count; v++)
        if (variants[v]->backend == WL_SIM && variants[v]->on_gpu && wl_variant_matches(variants[v], patterns))
            printf("%s  %s: %s\n", told++ ? "" : "\nOn a GPU\n", variants[v]->name, variants[v]->on_gpu);
}

/* The file with its charts, and the chart in the terminal below the tables. */
static wl_status write_traffic(const wl_line *line, const wl_traffic *traffic, const char *path, int in_terminal) {
    wl_status status = wl_traffic_write(path, traffic, NULL, line->text, line->seed);
    /* A chart needs a bar: an empty input, or nothing that passed its check, leaves none. */
    if (status != WL_OK || traffic->work <= 0 || wl_traffic_status(traffic) != WL_OK) return status;
    status = draw(line, "traffic", path);
    if (status == WL_OK && in_terminal && wl_chart_possible()) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, "traffic", path);
    }
    return status;
}

static wl_status explain(const wl_line *line, wl_inputs *inputs) {
    wl_traffic traffic;
    int tsv = wl_argument_given(&line->own, "tsv");
    char *path = line->out == NULL ? NULL : file_name(line->out, line->pattern, "traffic");
    wl_status status = path == NULL ? WL_OK : wl_file_try(path);
    if (status == WL_OK) status = wl_traffic_count(inputs, line->pattern, wl_shows_progress(line), &traffic);
    if (status != WL_OK) {
        free(path);
        return status;
    }
    if (tsv) {
        wl_traffic_print_tsv(stdout, &traffic);
    } else if (!line->quiet) {
        print_head(line, &traffic);
        wl_traffic_print(stdout, &traffic);
        print_on_gpu(line->pattern);
    }
    if (path != NULL) status = write_traffic(line, &traffic, path, !tsv && !line->quiet);
    free(path);
    if (status == WL_OK) status = wl_traffic_status(&traffic);
    wl_traffic_free(&traffic);
    return status;
}

/* ---- the figure ---- */

/* "0,2" or "0,2,0". */
static wl_status read_block(const wl_arguments *own, unsigned block[3]) {
    const char *text = wl_argument(own, "block"), *at = text;
    block[2] = 0;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long value = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (!isdigit((unsigned char)*at) || value > 0x7fffffff) break;
        block[i] = (unsigned)value;
        if (*end == 0 && i > 0) return WL_OK;
        if (*end != ',') break;
        at = end + 1;
    }
    return wl_fail(WL_BAD_USAGE, "option --block: '%.80s' is no block; expected X,Y or X,Y,Z", text);
}

static int within(const unsigned block[3], const wl_sim_launch *launch) {
    return block[0] < launch->grid[0] && block[1] < launch->grid[1] && block[2] < launch->grid[2];
}

/* Count `variant` with a block traced. The default block is moved into a grid that is too small for it. */
static wl_status trace(const wl_line *line, wl_inputs *inputs, const wl_variant *variant, const wl_device *device,
                       unsigned block[3], wl_count *count) {
    wl_status status = read_block(&line->own, block);
    for (int attempt = 0; status == WL_OK; attempt++) {
        status = wl_count_variant(inputs, 0, variant, device, block, count);
        if (status != WL_OK || count->count == 0 || within(block, &count->kernels[0].launch)) return status;
        const unsigned *grid = count->kernels[0].launch.grid;
        if (attempt > 0 || wl_argument_given(&line->own, "block"))
            status = wl_fail(WL_BAD_USAGE, "option --block: found %u,%u,%u; the grid of %s is %u x %u x %u", block[0],
                             block[1], block[2], count->kernels[0].launch.kernel, grid[0], grid[1], grid[2]);
        for (int i = 0; i < 3; i++)
            if (block[i] >= grid[i]) block[i] = grid[i] - 1;
        wl_count_free(count);
    }
    return status;
}

static wl_status figure_of(const wl_line *line, wl_inputs *inputs, const wl_variant *variant, const wl_device *device) {
    const wl_problem *problem = inputs->problem;
    char title[320], shape[96];
    unsigned block[3];
    wl_count count;
    wl_status status = trace(line, inputs, variant, device, block, &count);
    if (status != WL_OK) return status;
    if (!wl_passed(&count.verdict)) {
        status = wl_fail(wl_failed(&count.verdict) ? WL_CHECK_FAILED : WL_NO_MACHINE, "%s/%s: %s", variant->problem,
                         variant->name, wl_verdict_line(&count.verdict).text);
        wl_count_free(&count);
        return status;
    }
    problem->shape(inputs->inputs[0], shape, sizeof shape);
    snprintf(title, sizeof title, "%s/%s, %s: what block (%u,%u%s) touches", variant->problem, variant->name, shape,
             block[0], block[1], block[2] ? ",..." : "");
    wl_figure figure = {.title = title, .accesses = count.accesses, .count = count.access_count};
    if (problem->figure_layout != NULL)
        status = problem->figure_layout(inputs->inputs[0], variant->name, &figure.rows, &figure.columns,
                                        &figure.element_bytes, &figure.row_name, &figure.column_name);
    char *name = NULL, *path = NULL;
    if (asprintf(&name, "%s_%s", variant->problem, variant->name) >= 0)
        path = file_name(line->out == NULL ? "out" : line->out, name, "figure");
    if (status == WL_OK && path == NULL) status = wl_fail(WL_NO_MACHINE, "not enough memory for the figure");
    if (status == WL_OK && !line->quiet) status = wl_figure_print(stdout, &figure);
    if (status == WL_OK) status = wl_figure_write(path, &figure, line->text, line->seed);
    if (status == WL_OK) status = draw(line, "figure3", path);
    free(name);
    free(path);
    wl_count_free(&count);
    return status;
}

static wl_status explain_figure(const wl_line *line, wl_inputs *inputs) {
    size_t count, drawn = 0;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device_list devices;
    wl_status status = wl_devices_select("sim", &devices);
    for (size_t v = 0; status == WL_OK && v < count; v++) {
        if (variants[v]->backend != WL_SIM || !wl_variant_matches(variants[v], line->pattern)) continue;
        if (drawn++ > 0 && !line->quiet) fputc('\n', stdout);
        status = figure_of(line, inputs, variants[v], &devices.items[devices.count - 1]);
    }
    if (status == WL_OK && drawn == 0)
        status = wl_fail(WL_BAD_USAGE, "no variant for the simulated device matches '%s'; 'warpladder list' names all",
                         line->pattern);
    return status;
}

/* The problem's options with those of `small` wherever nothing else was asked for: a shape small enough to draw, or to count. A
   file brings its own shape. The caller frees arguments->values. */
static wl_status small_arguments(const wl_line *line, const char *small, wl_arguments *arguments) {
    const wl_arguments *given = &line->of_problem;
    for (size_t i = 0; i < given->count; i++) {
        const char *argument = given->options[i].argument;
        if (given->values[i] != NULL && argument != NULL && strcmp(argument, "FILE") == 0) small = NULL;
    }
    WL_TRY(wl_arguments_parse(given->options, small == NULL ? "" : small, arguments));
    for (size_t i = 0; i < given->count; i++)
        if (given->values[i] != NULL) arguments->values[i] = given->values[i];
    return WL_OK;
}

/* ---- the command ---- */

static wl_status run(const wl_line *line) {
    int figure = wl_argument_given(&line->own, "figure");
    if (figure && wl_argument_given(&line->own, "tsv"))
        return wl_fail(WL_BAD_USAGE, "option --tsv: found beside --figure; expected one or the other");
    if (!figure && wl_argument_given(&line->own, "block"))
        return wl_fail(WL_BAD_USAGE, "option --block: found without --figure; expected both");
    const char *small = figure                        ? line->problem->figure_arguments
                        : line->of_problem_given == 0 ? line->problem->small_arguments
                                                      : NULL;
    wl_arguments arguments;
    wl_inputs inputs;
    WL_TRY(small_arguments(line, small, &arguments));
    wl_status status = wl_inputs_create(line->problem, &arguments, line->seed, 1, &inputs);
    if (status == WL_OK) {
        if (inputs.count == 0)
            status = wl_fail(WL_BAD_USAGE, "there is no input to explain with");
        else
            status = figure ? explain_figure(line, &inputs) : explain(line, &inputs);
        wl_inputs_free(&inputs);
    }
    free(arguments.values);
    return status;
}

const wl_command wl_command_explain = {
    .name = "explain",
    .brief = "count the memory traffic of a variant",
    .arguments = "PROBLEM[/VARIANT]...",
    .summary = "Count what each stage does to memory: requests, 32-byte sectors, atomics, bank conflicts, barriers. "
               "Each runs once on the simulated device; nothing here is a time. With --out, charts are drawn too; "
               "a figure is always written, without --out to out/.",
    .example = "warpladder explain lessons\n"
               "  warpladder explain lessons/01_naive --figure --block 0,2",
    .options = options,
    .common = WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_QUIET | WL_TAKES_PROBLEM,
    .least = 1,
    .most = WL_WORDS_MOST,
    .run = run,
};
