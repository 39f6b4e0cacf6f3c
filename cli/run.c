/* warpladder run: check, then time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/call.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "harness/bench/device.h"
#include "harness/bench/measure.h"
#include "harness/bench/sweep.h"
#include "plots/chart.h"

static const wl_option options[] = {
    {"hot", NULL, NULL, "leave the GPU's L2 cache warm; without this it is flushed before each sample"},
    {"samples", "FILE", NULL, "write every sample to FILE, tab-separated"},
    {"max-time", "S", "15", "at most this many seconds for sampling one variant"},
    {"repeat", "N", "1",
     "measure in N processes, one after the other, and write run1, run2, ... to the folder of --out, for "
     "'warpladder compare'"},
    {"output", "FILE", NULL, "write the result file to FILE instead of DIR/PROBLEM.tsv (also -o FILE)"},
    {NULL, NULL, NULL, NULL},
};

/* The rows of all combinations of a sweep; of one where there is none. */
typedef struct {
    const wl_args *args;
    const char *path; // of the result file; NULL: none
    wl_row *rows;     // [count]
    size_t count;
} sweep_rows;

static wl_status keep(sweep_rows *f, const wl_sweep *sweep, const wl_row *rows, size_t count) {
    if (!WL_GROW(f->rows, f->count, count)) return wl_fail(WL_NO_MACHINE, "no memory for the result rows");
    for (size_t i = 0; i < count; i++) {
        f->rows[f->count] = rows[i];
        wl_sweep_label(sweep, &f->rows[f->count++]);
    }
    /* What a sweep has found is not lost where a later combination cannot be run, or somebody ends it. */
    return f->path ? wl_results_write(f->path, f->args->text, f->args->seed, f->rows, f->count) : WL_OK;
}

static wl_status draw(const sweep_rows *f) {
    if (!f->path || f->count == 0 || f->rows->axis_count == 0 || !wl_chart_possible()) return WL_OK;
    return wl_chart_draw("sweep", f->path, "");
}

/* The table comes whether or not the files could be written, since it may have taken hours; and after them, for a reader like `head`
   ends the program. */
static wl_status show(const sweep_rows *f, wl_status status) {
    const wl_args *args = f->args;
    if (status == WL_OK) status = draw(f);
    if (f->count == 0) return status;
    if (args->json)
        wl_results_print_json(stdout, args->text, args->seed, f->rows, f->count);
    else if (!args->quiet)
        wl_results_print(stdout, f->rows, f->count);
    if (status == WL_OK && f->path && !args->quiet && !args->json) wl_print(stdout, "Written: %s\n", f->path);
    return status;
}

/* What the simulated device would take minutes for is not asked of it unless somebody does ask. */
static wl_status choose_arguments(const wl_args *args, const wl_device_list *devices, wl_arguments *small,
                                  wl_measure_request *request) {
    int simulated = devices->items[devices->count - 1].backend == WL_SIM;
    if (!simulated || args->of_problem_given > 0 || !args->problem->small_arguments) return WL_OK;
    wl_status status = wl_arguments_parse(args->problem->options, args->problem->small_arguments, small);
    if (status == WL_OK) request->arguments = small;
    return status;
}

static wl_status own_run(const wl_args *args, const wl_measure_request *request, wl_row **rows, size_t *count) {
    if (wl_argument_given(&args->own, "samples"))
        return wl_fail(WL_BAD_USAGE, "option --samples: found with work that %s runs itself, which has none",
                       args->problem->name);
    /* At a GPU's size and number of launches, the simulated device takes hours: it takes part only if --device asks for it. */
    wl_device_list devices = *request->devices;
    if (!args->device_given && devices.items[devices.count - 1].backend == WL_SIM) devices.count--;
    wl_own_run run = {.arguments = request->arguments,
                      .seed = args->seed,
                      .pattern = args->pattern,
                      .devices = &devices,
                      .most_seconds = request->options.most_seconds,
                      .progress = request->options.progress,
                      .words = args->json || args->quiet ? NULL : stdout};
    wl_status status = wl_own_run_of(args->problem)(&run);
    *rows = run.rows;
    *count = run.count;
    return status;
}

static wl_status timed_run(const wl_args *args, wl_measure_request *request, wl_row **rows, size_t *count) {
    const char *samples = wl_argument(&args->own, "samples");
    wl_measurements measurements = {0};
    wl_arguments small = {0};
    wl_status status = choose_arguments(args, request->devices, &small, request);
    if (status == WL_OK) status = wl_measure_all(request, &measurements);
    free(small.values);
    if (status != WL_OK) return status;
    *count = measurements.count;
    *rows = wl_measurements_rows(&measurements);
    if (!*rows) status = wl_fail(WL_NO_MACHINE, "no memory for the result rows");
    if (status == WL_OK && samples) status = wl_measurements_write_samples(&measurements, samples);
    wl_measurements_free(&measurements);
    return status;
}

/* One combination. */
static wl_status measure_point(sweep_rows *f, const wl_sweep *sweep, const wl_measure_request *like) {
    const wl_problem *problem = f->args->problem;
    wl_measure_request request = *like;
    wl_row *rows = NULL;
    size_t count = 0;
    request.arguments = &sweep->point;
    if (sweep->count > 0 && request.options.progress)
        fprintf(stderr, "combination %zu of %zu\n", sweep->at, sweep->points);
    wl_status status = wl_own_run_asked(problem, request.arguments) ? own_run(f->args, &request, &rows, &count)
                                                                    : timed_run(f->args, &request, &rows, &count);
    if (rows) {
        const wl_status kept = keep(f, sweep, rows, count);
        if (status == WL_OK) status = kept;
    }
    free(rows);
    return status;
}

static wl_status measure_and_report(const wl_args *args, wl_sweep *sweep, const char *path) {
    wl_device_list devices;
    sweep_rows f = {.args = args, .path = path};
    wl_measure_request request = {.problem = args->problem,
                                  .seed = args->seed,
                                  .pattern = args->pattern,
                                  .devices = &devices,
                                  .options = wl_measure_defaults()};
    request.options.hot = wl_argument_given(&args->own, "hot");
    request.options.progress = wl_shows_progress(args);
    const char *samples = wl_argument(&args->own, "samples");
    if (samples && sweep->count > 0)
        return wl_fail(WL_BAD_USAGE, "option --samples: found with several values of --%s; expected one of them",
                       sweep->axes[0].name);
    WL_TRY(wl_argument_number(&args->own, "max-time", 0, 1e6, &request.options.most_seconds));
    if (request.options.most_seconds < request.options.energy_seconds) request.options.energy_seconds = 0;
    WL_TRY(wl_devices_select(args->device, &devices));
    /* A file that cannot be written is better found out before the measurement than after it. */
    if (path) WL_TRY(wl_file_try(path));
    if (samples) WL_TRY(wl_file_try(samples));
    wl_status status = WL_OK;
    while (status == WL_OK && wl_sweep_next(sweep)) status = measure_point(&f, sweep, &request);
    status = show(&f, status);
    if (status == WL_OK) status = wl_rows_status(f.rows, f.count);
    free(f.rows);
    return status;
}

static wl_status run_once(const wl_args *args, const char *folder) {
    char *path = NULL;
    const char *named = wl_argument(&args->own, "output");
    if (named ? (path = strdup(named)) == NULL
              : folder && asprintf(&path, "%s/%s.tsv", folder, args->problem->name) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for a file name");
    wl_sweep sweep;
    wl_status status = wl_sweep_begin(&args->of_problem, &sweep);
    if (status == WL_OK) status = measure_and_report(args, &sweep, path);
    wl_sweep_free(&sweep);
    free(path);
    return status;
}

/* Process `number` of several: memory and clocks are found anew. Its end is this command's, where it is not well. */
static wl_status run_apart(const wl_args *args, int number) {
    char *folder;
    int status = 0;
    fflush(stdout);
    const pid_t child = fork(); // before there is a device or a thread
    if (child == 0) {
        const int is_named = asprintf(&folder, "%s/run%d", args->out, number) >= 0;
        const wl_status own = is_named ? run_once(args, folder) : wl_fail(WL_NO_MACHINE, "no memory for a file name");
        _exit(wl_finish(args->command, own));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (child < 0) return wl_fail(WL_NO_MACHINE, "no process for run %d: %s", number, strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return WL_OK;
    return wl_fail(WIFEXITED(status) ? (wl_status)WEXITSTATUS(status) : WL_CHECK_FAILED, "run %d of --repeat: %s",
                   number, WIFEXITED(status) ? "failed, as said above" : strsignal(WTERMSIG(status)));
}

static wl_status run(const wl_args *args) {
    int64_t processes;
    WL_TRY(wl_argument_integer(&args->own, "repeat", 1, 1000, &processes));
    const char *named = wl_argument(&args->own, "output");
    if (named && strcmp(named, "-") == 0)
        return wl_fail(WL_BAD_USAGE,
                       "option --output: found '-'; expected the name of a file (--json prints the rows)");
    if (processes == 1) return run_once(args, args->out);
    if (named) return wl_fail(WL_BAD_USAGE, "option --repeat: found with --output; expected one of them");
    if (args->out == NULL || wl_argument_given(&args->own, "samples"))
        return wl_fail(WL_BAD_USAGE, "option --repeat: found %s",
                       args->out == NULL ? "without --out; expected a folder" : "with --samples; expected one of them");
    for (int i = 1; i <= processes; i++) WL_TRY(run_apart(args, i));
    return WL_OK;
}

static const wl_command command_run = {
    .name = "run",
    .brief = "check and time the variants of a problem",
    .arguments = "PROBLEM[/VARIANT]|DIR...",
    .summary =
        "Check the variants of a problem against its reference, time those that are right, and compare them. "
        "The CPU variants always run, too, because they are the baselines. An option of the problem can take several "
        "values: FROM:TO:N (N values), FROM:TO:+STEP, FROM:TO:xFACTOR or A,B,... Then each combination is measured, "
        "and one result file has a column for each such option. DIR is a folder with a kernel.cu of your own.",
    .example = "warpladder run lessons --instances 1024 --attributes 4096 --out results\n"
               "  warpladder run 'lessons/0[35]*' --device gpu:0 --max-time 5\n"
               "  warpladder run lessons my_stage    # your own beside the published stages\n"
               "  warpladder run peeling --patterns 100:100000:x10 --precision single,double --out out",
    .options = options,
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET | WL_TAKES_PROBLEM,
    .least = 1,
    .most = WL_WORDS_MOST,
    .run = run,
};

WL_REGISTER_COMMAND(command_run)
