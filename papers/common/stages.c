/* Reproductions of a table: a paper's stages and its CPU code, on its data, in milliseconds. */
#include <stdlib.h>
#include <string.h>

#include "papers/common/reproduce.h"
#include "harness/bench/device.h"

/* ---- what the paper ran ---- */

/* --size=NxM, each as text. */
typedef struct {
    char of[2][24];
} given_size;

static wl_status read_size(const wl_paper_request *asked, given_size *size) {
    const char *text = wl_argument(&asked->own, "size");
    int length = 0;
    if (sscanf(text, "%23[0-9]x%23[0-9]%n", size->of[0], size->of[1], &length) == 2 && text[length] == 0 &&
        strtol(size->of[0], NULL, 10) > 0 && strtol(size->of[1], NULL, 10) > 0)
        return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --size: found '%.80s'; expected two whole numbers from 1 on, like 4096x8192",
                   text);
}

/* The problem's options as the paper's table has them in its header: "# instances: 112"; of one data set of `size`, where that is
   not NULL. The caller frees values. */
static wl_status paper_arguments(const wl_problem *problem, const wl_paper *paper, const wl_stage_table *plan,
                                 const given_size *size, wl_arguments *arguments) {
    size_t count = 0;
    while (problem->options != NULL && problem->options[count].name != NULL) count++;
    *arguments = (wl_arguments){.options = problem->options, .count = count};
    arguments->values = calloc(count + 1, sizeof *arguments->values);
    if (arguments->values == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the options");
    for (size_t i = 0; i < count; i++) {
        const char *name = problem->options[i].name;
        arguments->values[i] = wl_paper_header(paper, name);
        if (size != NULL && strcmp(name, "datasets") == 0) arguments->values[i] = "1";
        for (int k = 0; size != NULL && k < 2; k++)
            if (strcmp(name, plan->size[k]) == 0) arguments->values[i] = size->of[k];
    }
    return WL_OK;
}

/* ---- running it ---- */

static wl_status measure(const wl_paper_request *asked, const wl_stage_table *plan, const wl_arguments *arguments,
                         const wl_device_list *devices, wl_reproduced *r) {
    wl_measure_request request = {.problem = r->problem,
                                  .arguments = arguments,
                                  .seed = asked->seed,
                                  .pattern = !r->has_gpu   ? NULL
                                             : r->extended ? plan->ladder
                                                           : plan->pattern,
                                  .devices = devices,
                                  .options = wl_measure_defaults()};
    /* A round is one data set: four rounds a data set give each one a median of its own. */
    if (!r->other_size && r->datasets < 1000) request.options.shared_rounds = 4 * r->datasets;
    if (!r->has_gpu) request.options.most_seconds = 4; // no stage is divided by these times: the table comes sooner
    if (wl_argument_given(&asked->own, "max-time"))
        WL_TRY(wl_argument_number(&asked->own, "max-time", 0, 1e6, &request.options.most_seconds));
    request.options.progress = asked->progress;
    return wl_measure(&request, &r->measurements);
}

/* Shape, work and number of the data sets. */
static wl_status describe(const wl_paper_request *asked, const wl_arguments *arguments, wl_reproduced *r) {
    wl_inputs inputs;
    WL_TRY(wl_input_count(r->problem, arguments, &r->datasets));
    WL_TRY(wl_inputs_create(r->problem, arguments, asked->seed, 1, &inputs));
    r->problem->shape(inputs.inputs[0], r->shape, sizeof r->shape);
    r->work = r->problem->work(inputs.inputs[0]);
    wl_inputs_free(&inputs);
    return WL_OK;
}

/* On the paper's data, whatever the size that is timed: a larger one would take the simulated device hours. */
static wl_status count(const wl_paper_request *asked, const wl_stage_table *plan, wl_reproduced *r) {
    wl_arguments arguments;
    wl_inputs inputs;
    WL_TRY(paper_arguments(r->problem, &r->paper, plan, NULL, &arguments));
    wl_status status = wl_inputs_create(r->problem, &arguments, asked->seed, 1, &inputs);
    if (status == WL_OK) {
        status = wl_traffic_count(&inputs, r->extended ? plan->ladder : plan->pattern, asked->progress, &r->traffic);
        wl_inputs_free(&inputs);
    }
    free(arguments.values);
    return status;
}

static wl_status prepare(const wl_paper_request *asked, const wl_stage_table *plan, const given_size *size,
                         const wl_device_list *devices, wl_reproduced *r) {
    wl_arguments arguments;
    WL_TRY(paper_arguments(r->problem, &r->paper, plan, size, &arguments));
    r->has_gpu = devices->count > 1;
    wl_reproduction_machine(devices, r->machine, sizeof r->machine);
    wl_status status = describe(asked, &arguments, r);
    if (status == WL_OK && r->counts) status = count(asked, plan, r);
    if (status == WL_OK) status = measure(asked, plan, &arguments, devices, r);
    free(arguments.values);
    return status;
}

/* ---- showing it ---- */

static void print_head(const wl_reproduced *r) {
    const char *reason = NULL;
    printf("%s, %s%s: %s, %s, %zu data set%s, seed %llu\n", wl_paper_header(&r->paper, "short"),
           wl_paper_header(&r->paper, "figure"), r->extended ? ", extended" : "", r->problem->title, r->shape,
           r->datasets, r->datasets == 1 ? "" : "s", (unsigned long long)r->seed);
    printf("the paper's machine: %s\nthis machine: %s\n", wl_paper_header(&r->paper, "short_machine"), r->machine);
    if (r->counts && wl_gpu_count(&reason) == 0)
        printf("There is no GPU here (%s).\n", reason);
    else if (!r->has_gpu)
        printf("No GPU was asked for.\n");
    if (r->counts) printf("So the simulated device counts the stages' memory traffic; only CPU code is timed.\n");
    if (r->counts && r->extended)
        printf("A library's kernels cannot be counted: the table has them only with a GPU.\n");
    fputc('\n', stdout);
}

static void print(FILE *stream, const void *of) {
    const wl_reproduced *r = of;
    print_head(r);
    wl_reproduced_print(stream, r);
    printf("\nkernel, deviation: mean and standard deviation over the data sets' medians. total: with preparing\n"
           "and copies. over: ratios of kernel times. The paper does not say whether its times include copies,\n"
           "nor how its CPU code was compiled. Its CPU time stands beside the slower one here.\n");
    if (r->counts) {
        printf("\nCounted on the first data set%s%s:\n", r->other_size ? " of the paper's size, " : "",
               r->other_size ? r->traffic.shape : "");
        wl_traffic_print(stdout, &r->traffic);
    }
}

static double paper_ms(const void *paper, const char *variant) {
    return wl_paper_number(paper, wl_paper_row(paper, "variant", variant), "ms");
}

static wl_status show_traffic(const wl_paper_request *asked, const wl_reproduction *which, const wl_reproduced *r) {
    const wl_traffic_beside beside = {wl_paper_header(&r->paper, "short"), paper_ms, &r->paper};
    char *path = wl_reproduction_file(asked, which, r->extended ? "_extended_traffic" : "_traffic");
    if (path == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the files' names");
    wl_status status = wl_traffic_write(path, &r->traffic, r->extended ? NULL : &beside, asked->text, asked->seed);
    if (status == WL_OK) status = wl_reproduction_draw(asked, "traffic", path, 1);
    free(path);
    return status;
}

static wl_status show(const wl_paper_request *asked, const wl_reproduction *which, const wl_stage_table *plan,
                      const wl_reproduced *r) {
    char script[64];
    snprintf(script, sizeof script, "%s%s", which->name, r->extended ? "_extended" : "");
    /* Without a GPU the chart of times has little more than the paper's: the terminal shows what was counted. */
    const wl_reproduction_output times = {r->extended ? "_extended" : "",
                                          script,
                                          !r->counts,
                                          r->extended,
                                          &r->paper,
                                          wl_reproduced_head,
                                          wl_reproduced_rows,
                                          0};
    const wl_reproduction_shown shown = {r, r->machine, print, wl_reproduced_print_json, &times, 1};
    wl_status status = wl_reproduction_show(asked, which, &shown);
    if (status == WL_OK && r->counts) status = show_traffic(asked, which, r);
    if (plan->audit != NULL && !r->other_size && !asked->quiet && !asked->json) plan->audit(stdout, r);
    return status;
}

static void reproduced_free(wl_reproduced *r) {
    wl_result_file_free(&r->paper);
    wl_measurements_free(&r->measurements);
    wl_traffic_free(&r->traffic);
    free(r->rows);
}

wl_status wl_reproduce_stages(const wl_paper_request *asked, const wl_reproduction *which) {
    static const char *const needed[] = {"short", "figure", "short_machine", "datasets", NULL};
    const wl_stage_table *plan = which->plan;
    wl_reproduced r = {.seed = asked->seed,
                       .extended = wl_argument_given(&asked->own, "extended"),
                       .other_size = wl_argument_given(&asked->own, "size")};
    wl_device_list devices;
    given_size size;
    if (r.other_size && !r.extended)
        return wl_fail(WL_BAD_USAGE, "option --size: found without --extended; expected with it");
    wl_status status = r.other_size ? read_size(asked, &size) : WL_OK;
    if (status == WL_OK) // the CPU and the first GPU: one machine, one column
        status = wl_reproduction_devices(asked, 1, &devices, &r.counts);
    if (status != WL_OK) return status;
    r.problem = wl_problem_named(plan->problem);
    if (r.problem == NULL)
        return wl_fail(WL_NO_MACHINE, "%s: this program has no problem %s", which->name, plan->problem);
    WL_TRY(wl_reproduction_try(asked, which));
    WL_TRY(wl_paper_read(plan->table, &r.paper));
    status = wl_paper_require(&r.paper, needed);
    if (status == WL_OK) status = prepare(asked, plan, r.other_size ? &size : NULL, &devices, &r);
    if (status == WL_OK) status = wl_reproduced_fill(&r);
    if (status == WL_OK) status = show(asked, which, plan, &r);
    if (status == WL_OK && r.counts) status = wl_traffic_status(&r.traffic);
    if (status == WL_OK) status = wl_measurements_status(&r.measurements);
    reproduced_free(&r);
    return status;
}
