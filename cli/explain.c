/* warpladder explain: what each stage does to memory, counted on the simulated device. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "plots/chart.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "harness/bench/figure.h"
#include "harness/base/grid.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/bench/traffic.h"
#include "harness/bench/device.h"

static const wl_option options[] = {
    {"tsv", NULL, NULL, "print tab-separated values, one row per kernel"},
    {"figure", NULL, NULL, "draw the addresses that one block touches (the paper's Figure 3); files go to --out"},
    {"interactive", NULL, NULL,
     "write a page for the browser that shows a warp's accesses step by step; it goes to --out"},
    {"block", "X,Y[,Z]", "0,2", "with --figure: the block of the grid; with --interactive: only this block"},
    {"steps", "N", "15000", "with --interactive: the most steps on the page, those of the first blocks"},
    {NULL, NULL, NULL, NULL},
};

/* "out/lessons_01_naive_figure.tsv" of the folder, "lessons/01_naive" and "figure.tsv". The caller frees it. */
static char *file_name(const char *folder, const char *pattern, const char *what) {
    char *path;
    if (asprintf(&path, "%s/%s_%s", folder, pattern, what) < 0) return NULL;
    for (char *at = path + strlen(folder) + 1; *at; at++)
        if (!isalnum((unsigned char)*at) && strchr("_-.", *at) == NULL) *at = '_';
    return path;
}

static char *file_of(const wl_args *args, const wl_variant *variant, const char *what) {
    char name[160];
    snprintf(name, sizeof name, "%s_%s", variant->problem, variant->name);
    return file_name(args->out == NULL ? "out" : args->out, name, what);
}

/* Draw the file beside itself, and say where. A machine without gnuplot has its tables all the same. */
static wl_status draw(const wl_args *args, const char *script, const char *tsv) {
    if (!wl_chart_possible()) {
        if (!args->quiet) wl_print(stderr, "%s written; gnuplot is not installed, so the charts were left out\n", tsv);
        return WL_OK;
    }
    wl_status status = wl_chart_draw(script, tsv, "");
    if (status == WL_OK && !args->quiet) wl_print(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

/* ---- counters ---- */

static void print_head(const wl_args *args, const wl_traffic *traffic) {
    char work[32];
    printf("%s: %s, %s, %s %s, seed %llu\n", traffic->problem->name, traffic->problem->title, traffic->shape,
           wl_thousands((uint64_t)traffic->work, work), traffic->problem->unit, (unsigned long long)args->seed);
    printf("Counted on the simulated device. A request is one instruction of a warp. A sector is 32 bytes of global\n"
           "memory; global bytes are those of sectors loaded and stored. A pass is one trip through the banks of\n"
           "shared memory. A barrier counts once per block.\n\n");
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
static wl_status write_traffic(const wl_args *args, const wl_traffic *traffic, const char *path, int in_terminal) {
    wl_status status = wl_traffic_write(path, traffic, NULL, args->text, args->seed);
    /* A chart needs a bar: an empty input, or nothing that passed its check, leaves none. */
    if (status != WL_OK || traffic->work <= 0 || wl_traffic_status(traffic) != WL_OK) return status;
    status = draw(args, "traffic", path);
    if (status == WL_OK && in_terminal && wl_chart_possible()) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, "traffic", path);
    }
    return status;
}

static wl_status explain(const wl_args *args, wl_inputs *inputs) {
    wl_traffic traffic;
    int tsv = wl_argument_given(&args->own, "tsv");
    char *path = args->out == NULL ? NULL : file_name(args->out, args->pattern, "traffic.tsv");
    wl_status status = path == NULL ? WL_OK : wl_file_try(path);
    if (status == WL_OK) status = wl_traffic_count(inputs, args->pattern, wl_shows_progress(args), &traffic);
    if (status != WL_OK) {
        free(path);
        return status;
    }
    if (tsv) {
        wl_traffic_print_tsv(stdout, &traffic);
    } else if (!args->quiet) {
        print_head(args, &traffic);
        wl_traffic_print(stdout, &traffic);
        print_on_gpu(args->pattern);
    }
    if (path != NULL) status = write_traffic(args, &traffic, path, !tsv && !args->quiet);
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

/* Count `variant` with a block traced. The default block is moved into a grid that is too small for it. */
static wl_status trace(const wl_args *args, wl_inputs *inputs, const wl_variant *variant, const wl_device *device,
                       unsigned block[3], wl_count *count) {
    wl_status status = read_block(&args->own, block);
    for (int attempt = 0; status == WL_OK; attempt++) {
        status = wl_count_variant(inputs, variant, device, &(wl_count_trace){block, SIZE_MAX}, count);
        if (status != WL_OK || count->count == 0) return status;
        const unsigned *grid = count->kernels[0].launch.grid;
        if (block[0] < grid[0] && block[1] < grid[1] && block[2] < grid[2]) return status;
        if (attempt > 0 || wl_argument_given(&args->own, "block"))
            status = wl_fail(WL_BAD_USAGE, "option --block: found %u,%u,%u; the grid of %s is %u x %u x %u", block[0],
                             block[1], block[2], count->kernels[0].launch.kernel, grid[0], grid[1], grid[2]);
        for (int i = 0; i < 3; i++)
            if (block[i] >= grid[i]) block[i] = grid[i] - 1;
        wl_count_free(count);
    }
    return status;
}

static wl_status verdict_of(const wl_count *count) {
    if (wl_passed(&count->verdict)) return WL_OK;
    return wl_fail(wl_failed(&count->verdict) ? WL_CHECK_FAILED : WL_NO_MACHINE, "%s/%s: %s", count->variant->problem,
                   count->variant->name, wl_verdict_line(&count->verdict).text);
}

static wl_status figure_of(const wl_args *args, wl_inputs *inputs, const wl_variant *variant, const wl_device *device) {
    const wl_problem *problem = inputs->problem;
    char title[320], shape[96];
    unsigned block[3];
    wl_count count;
    wl_status status = trace(args, inputs, variant, device, block, &count);
    if (status != WL_OK) return status;
    if ((status = verdict_of(&count)) != WL_OK) return wl_count_free(&count), status;
    problem->shape(inputs->inputs[0], shape, sizeof shape);
    snprintf(title, sizeof title, "%s/%s, %s: what block (%u,%u%s) touches", variant->problem, variant->name, shape,
             block[0], block[1], block[2] ? ",..." : "");
    wl_figure figure = {.title = title};
    wl_figure_access *accesses = wl_figure_accesses(&count.trace, &figure.count);
    figure.accesses = accesses;
    figure.memories = count.trace.memories;
    if (accesses == NULL) status = wl_fail(WL_NO_MACHINE, "not enough memory for the figure");
    if (status == WL_OK && problem->figure_layout != NULL)
        status = problem->figure_layout(inputs->inputs[0], variant->name, &figure.rows, &figure.columns,
                                        &figure.element_bytes, &figure.row_name, &figure.column_name);
    char *path = file_of(args, variant, "figure.tsv");
    if (status == WL_OK && path == NULL) status = wl_fail(WL_NO_MACHINE, "not enough memory for the figure");
    if (status == WL_OK && !args->quiet) status = wl_figure_print(stdout, &figure);
    if (status == WL_OK) status = wl_figure_write(path, &figure, args->text, args->seed);
    if (status == WL_OK) status = draw(args, "figure3", path);
    WL_FREE(accesses, path);
    wl_count_free(&count);
    return status;
}

/* ---- the page ---- */

/* Writes the page even if the kernel's check fails, since the page shows why. */
static wl_status page_of(const wl_args *args, wl_inputs *inputs, const wl_variant *variant, const wl_device *device) {
    char title[320], shape[96];
    unsigned block[3];
    int64_t most;
    wl_count count;
    wl_outfile file;
    WL_TRY(read_block(&args->own, block));
    WL_TRY(wl_argument_integer(&args->own, "steps", 1, 1000000, &most));
    const int one = wl_argument_given(&args->own, "block");
    WL_TRY(wl_count_variant(inputs, variant, device, &(wl_count_trace){one ? block : NULL, (size_t)most}, &count));
    wl_status status = verdict_of(&count);
    char *path = file_of(args, variant, "steps.html"), *note = status == WL_OK ? NULL : strdup(wl_error());
    inputs->problem->shape(inputs->inputs[0], shape, sizeof shape);
    snprintf(title, sizeof title, "%s/%s, %s", variant->problem, variant->name, shape);
    if (count.trace.count == 0 && status == WL_OK)
        status = wl_fail(WL_BAD_USAGE, "%s/%s: no kernel has %s %s", variant->problem, variant->name,
                         one ? "block" : "any block on this input", one ? wl_argument(&args->own, "block") : "");
    if (count.trace.count > 0 && path != NULL) {
        wl_status written = wl_outfile_open_making(path, &file);
        if (written == WL_OK) {
            if (!wl_sim_page_write(file.stream, &count.trace, &(wl_sim_heading){title, args->text, note}))
                written = wl_fail(WL_NO_MACHINE, "%s: not enough memory for the page", path);
            if (written == WL_OK) written = wl_outfile_commit(&file);
            wl_outfile_discard(&file);
        }
        if (written == WL_OK && !args->quiet) wl_print(stderr, "%s written: open it in a browser\n", path);
        if (written != WL_OK) status = written;
    }
    WL_FREE(path, note);
    wl_count_free(&count);
    return status;
}

typedef wl_status of_variant(const wl_args *, wl_inputs *, const wl_variant *, const wl_device *);

/* A stage that does not take this input is left out, unless it is the only one. */
static wl_status explain_each(const wl_args *args, wl_inputs *inputs, of_variant *of) {
    size_t count, matching = 0, drawn = 0;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device_list devices;
    wl_status status = wl_devices_select("sim", &devices);
    for (size_t v = 0; (status == WL_OK || status == WL_NO_MACHINE) && v < count; v++) {
        if (variants[v]->backend != WL_SIM || !wl_variant_matches(variants[v], args->pattern)) continue;
        if (matching++ > 0 && status != WL_OK && !args->quiet) fprintf(stderr, "left out: %s\n", wl_error());
        if (drawn > 0 && of == figure_of && !args->quiet) fputc('\n', stdout);
        status = of(args, inputs, variants[v], &devices.items[devices.count - 1]);
        drawn += status == WL_OK;
    }
    if (status == WL_NO_MACHINE && drawn > 0) {
        if (!args->quiet) fprintf(stderr, "left out: %s\n", wl_error());
        status = WL_OK;
    }
    if (status == WL_OK && matching == 0)
        status = wl_fail(WL_BAD_USAGE, "no variant for the simulated device matches '%s'; 'warpladder list' names all",
                         args->pattern);
    return status;
}

/* ---- the command ---- */

/* With the problem's options, and those of `small` in place of the ones that were not given. */
static wl_status explain_small(const wl_args *args, const char *small, of_variant *of) {
    wl_arguments arguments;
    wl_inputs inputs;
    WL_TRY(wl_arguments_small(&args->of_problem, small, &arguments));
    wl_status status = wl_inputs_create(args->problem, &arguments, args->seed, 1, &inputs);
    if (status == WL_OK) {
        status = inputs.count == 0 ? wl_fail(WL_BAD_USAGE, "there is no input to explain with")
                 : of              ? explain_each(args, &inputs, of)
                                   : explain(args, &inputs);
        wl_inputs_free(&inputs);
    }
    free(arguments.values);
    return status;
}

static wl_status run(const wl_args *args) {
    const int page = wl_argument_given(&args->own, "interactive"), figure = wl_argument_given(&args->own, "figure");
    if (page + figure + wl_argument_given(&args->own, "tsv") > 1)
        return wl_fail(WL_BAD_USAGE, "option --%s: found beside --%s; expected one or the other",
                       page ? "interactive" : "figure", page && figure ? "figure" : "tsv");
    if (!figure && !page && wl_argument_given(&args->own, "block"))
        return wl_fail(WL_BAD_USAGE, "option --block: found without --figure or --interactive; expected one of them");
    WL_TRY(wl_argument_refuse_without(&args->own, "steps", "interactive"));
    const wl_problem *problem = args->problem;
    const char *small = page && problem->page_arguments ? problem->page_arguments
                        : figure || page                ? problem->figure_arguments
                        : args->of_problem_given == 0   ? problem->small_arguments
                                                        : NULL;
    of_variant *of = page ? page_of : figure ? figure_of : NULL;
    const wl_status status = explain_small(args, small, of);
    /* No stage that matches took the shape. */
    if (status == WL_NO_MACHINE && problem->other_arguments && args->of_problem_given == 0)
        return explain_small(args, problem->other_arguments, of);
    return status;
}

static const wl_command command_explain = {
    .name = "explain",
    .brief = "count the memory traffic of a variant",
    .arguments = "PROBLEM[/VARIANT]|DIR...",
    .summary = "Count what each stage does to memory: requests, 32-byte sectors, atomics, bank conflicts, barriers. "
               "Each stage runs once on the simulated device; no number is a time. With --out, charts are drawn, too. "
               "A figure or a page goes to --out, or else to out/. DIR is a folder with a kernel.cu of your own.",
    .example = "warpladder explain lessons\n"
               "  warpladder explain lessons my_stage\n"
               "  warpladder explain lessons/01_naive --figure --block 0,2\n"
               "  warpladder explain lessons/05_shared --interactive",
    .options = options,
    .common = WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_QUIET | WL_TAKES_PROBLEM,
    .least = 1,
    .most = WL_WORDS_MOST,
    .run = run,
};

WL_REGISTER_COMMAND(command_explain)
