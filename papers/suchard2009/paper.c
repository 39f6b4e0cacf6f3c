/* Suchard & Rambaut 2009, Figures 3 and 4: how much faster GPUs take the steps of a Markov chain over trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/suchard2009/paper.h"
#include "harness/base/memory.h"
#include "harness/bench/sweep.h"
#include "peeling/options.h"

enum { LEAST = 3 };

/* Seconds that one chain may take, of 10,000 steps or fewer: the steps it has done by then are its sample. */
typedef struct {
    double serial, others;
} budget;

/* One data set, and the serial code's and the best CPU code's runs on it. */
typedef struct {
    suchard_run *run;
    suchard_row head; // what its rows have in common
    peeling_recipe recipe;
    peeling_owned_input data;
    peeling_chain_plan plan;
    const peeling_chain_run *serial; // perhaps of fewer columns, whose time is scaled by operations
    int serial_is_of_this;           // the same columns: steps can be compared
    peeling_chain_run cpu;
    budget seconds;
} data_set;

/* ---- rows ---- */

static int is_ok(const peeling_chain_run *run) { return wl_passed(&run->verdict); }

static wl_status add_row(const data_set *d, const peeling_chain_run *measured) {
    suchard_run *run = d->run;
    if (!WL_GROW(run->rows, run->count, 1)) return wl_fail(WL_NO_MACHINE, "not enough memory for the rows");
    suchard_row *row = &run->rows[run->count++];
    *row = d->head;
    const wl_variant *variant = measured->engine ? measured->engine->variant : NULL;
    snprintf(row->variant, sizeof row->variant, "%s", variant ? variant->name : "none");
    row->backend = measured->device.backend;
    row->devices = measured->devices;
    row->is_serial = variant && variant->launch_slices;
    row->threads = row->backend != WL_CPU ? 0 : row->is_serial ? 1 : measured->device.multiprocessors;
    row->verdict = measured->verdict;
    row->steps = measured->count;
    row->agreed = measured->agreed;
    row->joules = row->watts = row->ms = row->operations_per_s = row->speedup_serial = row->speedup_best_cpu =
        row->accepted = NAN;
    if (!is_ok(measured) || measured->count == 0) return WL_OK;
    row->ms = peeling_chain_ms(measured);
    row->operations_per_s = measured->operations / measured->seconds;
    row->joules = measured->joules;
    row->watts = measured->watts;
    row->speedup_serial = peeling_chain_speedup(d->serial, measured);
    row->speedup_best_cpu = peeling_chain_speedup(&d->cpu, measured);
    uint64_t accepted = 0;
    for (int m = 0; m < PEELING_MOVES; m++) accepted += measured->accepted[m];
    row->accepted = (double)accepted / (double)measured->count;
    return WL_OK;
}

/* Against the serial code where that did this data set, and against the best CPU code, which did more steps. */
static void compare(const data_set *d, peeling_chain_run *measured) {
    const peeling_precision precision = d->plan.input->precision;
    uint64_t agreed = 0;
    if (d->serial_is_of_this) {
        peeling_chain_compare(d->serial, precision, measured);
        agreed = measured->agreed;
    }
    if (measured != &d->cpu && is_ok(&d->cpu)) peeling_chain_compare(&d->cpu, precision, measured);
    if (agreed > measured->agreed) measured->agreed = agreed;
}

/* ---- one data set ---- */

/* GTR+G4 or M0+G4 in the vertebrate mitochondrial code. */
static wl_status make(data_set *d, peeling_precision precision) {
    char text[160];
    const int codon = strcmp(d->head.model, "codon") == 0;
    wl_arguments arguments;
    snprintf(text, sizeof text, "%s --taxa %u --patterns %u --precision %s",
             codon ? "--model GY94+G4 --code vertebrate-mitochondrial" : "--model GTR+G4", d->head.taxa,
             d->head.patterns, precision == PEELING_DOUBLE ? "double" : "single");
    WL_TRY(wl_arguments_parse(peeling_options, text, &arguments));
    wl_status status = peeling_options_recipe(&arguments, d->run->seed, &d->recipe);
    free(arguments.values);
    if (status == WL_OK) status = peeling_simulate(&d->recipe, &d->data);
    if (status != WL_OK) return status;
    d->plan = (peeling_chain_plan){.input = &d->data.input,
                                   .tree = &d->data.tree,
                                   .settings = &d->recipe.settings,
                                   .options = peeling_chain_defaults(d->run->seed),
                                   .steps = d->run->steps};
    d->head.precision = precision == PEELING_DOUBLE ? "double" : "single";
    d->head.columns = 0;
    for (uint32_t c = 0; c < d->data.input.data.patterns; c++) d->head.columns += d->data.input.data.weight[c];
    return WL_OK;
}

static void tell(const data_set *d, const char *what) {
    if (d->run->progress)
        fprintf(stderr, "\r%s, %u taxa, %u columns, %s precision: %s\033[K", d->head.model, d->head.taxa,
                d->head.patterns, d->head.precision, what);
}

static wl_status time_on_gpus(data_set *d, const char *variant, size_t count) {
    peeling_chain_run measured;
    tell(d, count > 1 ? "all GPUs" : "one GPU");
    wl_status status = peeling_chain_time(&d->plan, &d->run->devices.items[1], count, variant, LEAST, d->seconds.others,
                                          NULL, &measured);
    if (status == WL_OK) {
        compare(d, &measured);
        status = add_row(d, &measured);
    }
    peeling_chain_run_free(&measured);
    return status;
}

/* The stage nearest to the paper's kernel and the best one, on one GPU and on all. One column is not divided. */
static wl_status time_gpus(data_set *d) {
    const size_t gpus = d->run->devices.count - 1;
    const char *const variants[] = {wl_paper_header(&d->run->figure3, "variant"), NULL};
    wl_status status = WL_OK;
    for (size_t v = 0; gpus > 0 && status == WL_OK && v < 2; v++) {
        status = time_on_gpus(d, variants[v], 1);
        if (status == WL_OK && gpus > 1 && d->head.patterns > 1) status = time_on_gpus(d, variants[v], gpus);
    }
    return status;
}

/* One precision of a data set. `serial` is measured here if it is empty and `measures_serial`. */
static wl_status measure(data_set *d, peeling_precision precision, peeling_chain_run *serial, int measures_serial) {
    const wl_device *cpu = &d->run->devices.items[0];
    wl_status status = make(d, precision);
    if (status != WL_OK) return status;
    d->cpu = (peeling_chain_run){.count = 0};
    d->serial = serial;
    d->serial_is_of_this = measures_serial;
    if (measures_serial && serial->step == NULL) {
        tell(d, "the serial code");
        status = peeling_chain_time(&d->plan, cpu, 1, "serial_O3", LEAST, d->seconds.serial, NULL, serial);
    }
    tell(d, "all cores");
    if (status == WL_OK) status = peeling_chain_time(&d->plan, cpu, 1, NULL, LEAST, d->seconds.others, NULL, &d->cpu);
    if (status == WL_OK) compare(d, &d->cpu);
    if (status == WL_OK && measures_serial) status = add_row(d, serial);
    if (status == WL_OK) status = add_row(d, &d->cpu);
    if (status == WL_OK) status = time_gpus(d);
    peeling_chain_run_free(&d->cpu);
    peeling_owned_input_free(&d->data);
    return status;
}

/* How many of the columns that the model gives are different: the simulator is asked for different ones, and says how
   often each came. */
static wl_status choose_patterns(data_set *d, uint32_t columns) {
    d->head.patterns = columns;
    for (int again = 0; again < 3; again++) {
        WL_TRY(make(d, PEELING_SINGLE));
        peeling_owned_input_free(&d->data);
        d->head.patterns = (uint32_t)fmax(1, round(d->head.patterns * (double)columns / d->head.columns));
    }
    return WL_OK;
}

/* ---- Figure 3 ---- */

static wl_status measure_model(suchard_run *run, const char *model) {
    peeling_chain_run serial = {.count = 0};
    data_set d = {.run = run,
                  .head = {.figure = 3, .by = "", .model = model, .taxa = run->taxa},
                  .seconds = {run->quick ? 0.15 : 5, run->quick ? 0.15 : 3}};
    wl_status status = WL_OK;
    d.head.patterns = run->codon_patterns;
    if (strcmp(model, "nucleotide") == 0) status = choose_patterns(&d, run->nucleotide_columns);
    if (status == WL_OK) status = measure(&d, PEELING_DOUBLE, &serial, 1);
    if (status == WL_OK) status = measure(&d, PEELING_SINGLE, &serial, 1);
    peeling_chain_run_free(&serial);
    return status;
}

static wl_status measure_figure3(suchard_run *run) {
    static const char *const models[] = {"codon", "nucleotide"};
    for (size_t m = 0; m < 2; m++) WL_TRY(measure_model(run, models[m]));
    return WL_OK;
}

/* ---- Figure 4 ---- */

/* With more columns than the serial code does, its time is that of the largest number it did, by its operations: *serial. */
static wl_status measure_point(suchard_run *run, const char *by, uint32_t taxa, uint32_t patterns,
                               peeling_chain_run *serial) {
    data_set d = {.run = run,
                  .head = {.figure = 4, .by = by, .model = "codon", .taxa = taxa, .patterns = patterns},
                  .seconds = {run->quick ? 0.05 : 0.6, run->quick ? 0.05 : 0.4}};
    const int measures_serial = patterns <= run->serial_patterns;
    if (measures_serial) {
        peeling_chain_run_free(serial);
        *serial = (peeling_chain_run){.count = 0};
    }
    return measure(&d, PEELING_SINGLE, serial, measures_serial);
}

/* Every combination of the taxa and patterns in `text`, which is what `run peeling` takes. */
static wl_status measure_sweep(suchard_run *run, const char *by, const char *text, peeling_chain_run *serial) {
    wl_arguments arguments;
    wl_sweep sweep;
    int64_t taxa, patterns;
    WL_TRY(wl_arguments_parse(peeling_options, text, &arguments));
    wl_status status = wl_sweep_begin(&arguments, &sweep);
    while (status == WL_OK && wl_sweep_next(&sweep)) {
        status = wl_argument_integer(&sweep.point, "taxa", 1, UINT32_MAX, &taxa);
        if (status == WL_OK) status = wl_argument_integer(&sweep.point, "patterns", 1, UINT32_MAX, &patterns);
        if (status == WL_OK) status = measure_point(run, by, (uint32_t)taxa, (uint32_t)patterns, serial);
    }
    wl_sweep_free(&sweep);
    free(arguments.values);
    return status;
}

static wl_status measure_figure4(suchard_run *run) {
    peeling_chain_run serial = {.count = 0};
    wl_status status = measure_sweep(run, "columns", run->over_columns, &serial);
    if (status == WL_OK) status = measure_sweep(run, "taxa", run->over_taxa, &serial);
    peeling_chain_run_free(&serial);
    return status;
}

/* ---- the paper's tables ---- */

static wl_status whole(const wl_paper *paper, const char *key, double most, uint32_t *value) {
    const double number = wl_paper_header_number(paper, key);
    if (!(number >= 1 && number <= most) || number != floor(number))
        return wl_fail(WL_BAD_INPUT, "%s: expected a line '# %s: N', N a whole number from 1 to %.0f", paper->path, key,
                       most);
    *value = (uint32_t)number;
    return WL_OK;
}

static wl_status read_papers(suchard_run *run) {
    static const char *const needed[] = {"short", "figure", "short_machine", "variant", NULL};
    static const char *const sweeps[] = {"sweep_columns", "sweep_taxa", NULL};
    uint32_t steps = 0;
    WL_TRY(wl_paper_read("suchard2009_figure3", &run->figure3));
    WL_TRY(wl_paper_read("suchard2009_figure4", &run->figure4));
    WL_TRY(wl_paper_require(&run->figure3, needed));
    WL_TRY(wl_paper_require(&run->figure4, needed));
    WL_TRY(wl_paper_require(&run->figure4, sweeps));
    WL_TRY(whole(&run->figure3, "steps", 1e6, &steps));
    WL_TRY(whole(&run->figure3, "taxa", 1e4, &run->taxa));
    WL_TRY(whole(&run->figure3, "codon_patterns", 1e6, &run->codon_patterns));
    WL_TRY(whole(&run->figure3, "nucleotide_columns", 1e6, &run->nucleotide_columns));
    WL_TRY(whole(&run->figure4, "taxa", 1e4, &run->taxa4));
    run->steps = steps;
    run->serial_patterns = 500;
    run->over_columns = wl_paper_header(&run->figure4, "sweep_columns");
    run->over_taxa = wl_paper_header(&run->figure4, "sweep_taxa");
    return WL_OK;
}

/* A few seconds, for a laptop and for tests: the same experiment on less of everything. */
static void reduce(suchard_run *run) {
    run->steps = 200;
    run->taxa = 12;
    run->codon_patterns = 40;
    run->nucleotide_columns = 300;
    run->taxa4 = 12;
    run->over_columns = "--taxa 12 --patterns 1,3,10,30,40";
    run->over_taxa = "--patterns 20 --taxa 3,6,12";
}

/* ---- the whole ---- */

static wl_status show(const wl_paper_request *asked, const wl_reproduction *which, const suchard_run *run) {
    const wl_reproduction_output files[] = {
        {"", "suchard2009", 1, 0, &run->figure3, suchard_head, suchard_rows, 3},
        {"_figure4", "suchard2009_figure4", 0, 0, &run->figure4, suchard_head, suchard_rows, 4}};
    const wl_reproduction_shown shown = {run, run->machine, suchard_print, suchard_print_json, files, 2};
    return wl_reproduction_show(asked, which, &shown);
}

static wl_status verdict(const suchard_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        const suchard_row *row = &run->rows[i];
        if (wl_failed(&row->verdict))
            return wl_fail(WL_CHECK_FAILED,
                           "the check of peeling/%s on %s, %s of %u taxa and %u columns, failed: %.300s", row->variant,
                           wl_backend_name(row->backend), row->model, row->taxa, row->patterns, row->verdict.reason);
    }
    return WL_OK;
}

static wl_status reproduce(const wl_paper_request *asked, const wl_reproduction *which) {
    suchard_run run = {.seed = asked->seed, .progress = asked->progress};
    wl_status status = wl_reproduction_devices(asked, WL_DEVICES_MOST - 1, &run.devices, NULL);
    if (status == WL_OK) status = wl_reproduction_try(asked, which);
    if (status == WL_OK) status = read_papers(&run);
    if (status == WL_OK) {
        wl_reproduction_machine(&run.devices, run.machine, sizeof run.machine);
        run.quick = wl_argument_given(&asked->own, "quick");
        if (run.quick) reduce(&run);
        status = measure_figure3(&run);
    }
    if (status == WL_OK) status = measure_figure4(&run);
    if (run.progress) fputs("\r\033[K", stderr);
    if (status == WL_OK) status = show(asked, which, &run);
    if (status == WL_OK) status = verdict(&run);
    wl_result_file_free(&run.figure3);
    wl_result_file_free(&run.figure4);
    free(run.rows);
    return status;
}

static const wl_option options[] = {
    {"quick", NULL, NULL, "smaller data, a minute or two on a laptop"},
    {NULL, NULL, NULL, NULL},
};

static wl_reproduction paper = {
    .name = "suchard2009",
    .summary = "Suchard & Rambaut 2009, Figures 3 and 4: steps of a Markov chain over trees, codons and nucleotides",
    .run = reproduce,
    .options = options,
};

WL_REGISTER_REPRODUCTION(paper)
