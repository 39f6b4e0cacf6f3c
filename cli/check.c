/* warpladder check: variants against the reference, at shapes chosen to be awkward. */
#include "harness/bench/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/line.h"
#include "harness/bench/device.h"
#include "harness/bench/rounds.h"

static const wl_option options[] = {
    {"verbose", NULL, NULL, "a line for each shape"},
    {NULL, NULL, NULL, NULL},
};

/* What came of one variant on one device. */
typedef struct {
    const wl_variant *variant;
    const wl_device *device;
    size_t ok, unsupported;
    int failed;
    wl_verdict verdict; /* of the first failure, else of the first unsupported shape */
    char where[160];    /* its shape */
} tally;

typedef struct {
    const wl_line *line;
    const wl_problem *problem;
    wl_device_list devices;
    tally *tallies; /* [count] */
    size_t count;
    int verbose;
    uint64_t seed;
    int extra;   /* one more input at a shape that has been counted */
    int is_long; /* the shape is one of the problem's long ones */
    enum { EVERY_DEVICE, SIMULATED, GPU, NO_GPU } only;
} session;

/* Two inputs of the default shape show a result kept from the one before; the simulated device is slow, and gets one. */
enum { INPUTS = 2 };
/* A serial variant is checked in part where the whole would take longer. */
static const double whole_seconds = 2;

static void check_one(session *s, tally *t, wl_inputs *inputs, const char *where) {
    wl_verdict verdict = {.state = WL_PASSED};
    size_t count = t->variant->backend == WL_SIM && inputs->count > 1 ? 1 : inputs->count;
    wl_status status = WL_OK;
    size_t part = wl_choose_slices(inputs, 0, t->variant, t->device, whole_seconds, wl_clockwork_real());
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        const void *expected;
        if (s->is_long) {
            status = wl_try_long(inputs, i, t->variant, t->device, &verdict);
            continue;
        }
        if (part >= s->problem->slices(inputs->inputs[i])) part = 0;
        if (part == 0 && t->variant->backend != WL_SIM)
            wl_inputs_expected(inputs, i, &expected); /* the reference may take its time */
        status = wl_try_variant(inputs, i, t->variant, t->device, part, 1, &verdict);
    }
    if (s->verbose)
        printf("%s/%s %s %s: %s\n", t->variant->problem, t->variant->name, wl_backend_name(t->variant->backend),
               *where ? where : "default shape", wl_verdict_line(&verdict).text);
    if (status == WL_OK || (status == WL_NO_MACHINE && s->extra)) {
        t->ok += !s->extra;
        return;
    }
    if (status == WL_NO_MACHINE && t->unsupported++ > 0) return; /* the first reason is kept */
    t->failed = status != WL_NO_MACHINE;
    snprintf(t->where, sizeof t->where, "%s", *where ? where : "the default shape");
    t->verdict = verdict;
}

static int takes_part(const session *s, const tally *t) {
    if (t->failed) return 0; /* one failure is enough, and a GPU may be unusable after it */
    const wl_backend backend = t->variant->backend;
    return s->only == EVERY_DEVICE ||
           (s->only == SIMULATED ? backend == WL_SIM : (backend == WL_GPU) == (s->only == GPU));
}

static wl_status check_inputs(session *s, const wl_arguments *arguments, const char *where) {
    wl_inputs inputs;
    size_t players = 0;
    for (size_t i = 0; i < s->count; i++) players += takes_part(s, &s->tallies[i]) != 0;
    if (players == 0) return WL_OK;
    WL_TRY(wl_inputs_create(s->problem, arguments, s->seed, INPUTS, &inputs));
    for (size_t i = 0; i < s->count; i++) {
        tally *t = &s->tallies[i];
        if (!takes_part(s, t)) continue;
        if (wl_shows_progress(s->line) && !s->verbose)
            fprintf(stderr, "\r%s %s/%s %s\033[K", where, t->variant->problem, t->variant->name,
                    wl_backend_name(t->variant->backend));
        check_one(s, t, &inputs, where);
    }
    wl_inputs_free(&inputs);
    return WL_OK;
}

static wl_status check_shape(session *s, const char *shape) {
    wl_arguments arguments;
    WL_TRY(wl_arguments_parse(s->problem->options, shape, &arguments));
    wl_status status = check_inputs(s, &arguments, shape);
    free(arguments.values);
    return status;
}

/* The default shape is a GPU's; CPUs and the simulated device may have a smaller one. `run` checks what it times anyway. */
static wl_status check_default(session *s) {
    if (!s->problem->small_arguments) return check_shape(s, "");
    s->only = GPU;
    wl_status status = check_shape(s, "");
    s->only = NO_GPU;
    if (status == WL_OK) status = check_shape(s, s->problem->small_arguments);
    s->only = EVERY_DEVICE;
    return status;
}

/* The shape that the command line gives, as it would be written there. */
static void given_shape(const session *s, char *where, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < s->line->of_problem.count && used < size; i++)
        if (s->line->of_problem.values[i])
            used += (size_t)snprintf(where + used, size - used, "%s--%s %s", used ? " " : "",
                                     s->line->of_problem.options[i].name, s->line->of_problem.values[i]);
}

/* Results that were stored for the usual seed are no results: so the simulated device gets an input that nobody has seen. */
static wl_status check_unseen(session *s, const char *const *shapes) {
    char where[sizeof s->tallies->where];
    wl_arguments arguments;
    struct timespec now;
    size_t count = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    while (shapes[count]) count++;
    if (count == 0) return WL_OK;
    const char *shape = shapes[seed % count];
    WL_TRY(wl_arguments_parse(s->problem->options, shape, &arguments));
    snprintf(where, sizeof where, "%s --seed %" PRIu64, shape, seed);
    s->seed = seed;
    s->only = SIMULATED;
    s->extra = 1;
    const wl_status status = check_inputs(s, &arguments, where);
    free(arguments.values);
    return status;
}

/* Shapes where narrow counts and indices overflow. A variant that would take long is left alone, and so is a shape for which the
   host has no memory. */
static wl_status check_long(session *s) {
    wl_status status = WL_OK;
    if (!s->problem->long_shapes) return WL_OK;
    s->only = SIMULATED;
    s->extra = s->is_long = 1;
    for (const char *const *shape = s->problem->long_shapes(); status == WL_OK && *shape; shape++) {
        status = check_shape(s, *shape);
        if (status == WL_NO_MACHINE) status = WL_OK;
    }
    s->is_long = 0;
    return status;
}

static wl_status check_shapes(session *s) {
    char where[sizeof s->tallies->where] = "";
    const char *const given[] = {where, NULL}, *const none[] = {NULL};
    const char *const *shapes = given;
    wl_status status;
    s->seed = s->line->seed;
    s->only = EVERY_DEVICE;
    s->extra = 0;
    if (s->line->of_problem_given > 0) {
        given_shape(s, where, sizeof where);
        status = check_inputs(s, &s->line->of_problem, where);
    } else {
        shapes = s->problem->check_shapes ? s->problem->check_shapes() : none;
        status = check_default(s);
        for (const char *const *shape = shapes; status == WL_OK && *shape; shape++) status = check_shape(s, *shape);
        if (status == WL_OK) status = check_long(s);
    }
    return status == WL_OK && !s->line->seed_given ? check_unseen(s, shapes) : status;
}

static wl_status gather(session *s) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    s->tallies = calloc(count * s->devices.count + 1, sizeof *s->tallies);
    if (!s->tallies) return wl_fail(WL_NO_MACHINE, "no memory for the checks");
    int exists = 0;
    for (size_t d = 0; d < s->devices.count; d++) {
        for (size_t v = 0; v < count; v++) {
            if (strcmp(variants[v]->problem, s->problem->name) != 0) continue;
            if (s->line->pattern && !wl_variant_matches(variants[v], s->line->pattern)) continue;
            exists = 1;
            if (variants[v]->backend != s->devices.items[d].backend) continue;
            s->tallies[s->count++] = (tally){.variant = variants[v], .device = &s->devices.items[d]};
        }
    }
    if (s->count > 0) return WL_OK;
    if (exists) return wl_fail(WL_NO_MACHINE, "%s has no variant for --device %s", s->line->pattern, s->line->device);
    return wl_fail(WL_BAD_USAGE, "there is no variant '%s'; 'warpladder list %s' names them all", s->line->pattern,
                   s->problem->name);
}

static void print_tally(const session *s, const tally *t) {
    if (s->line->quiet) return;
    printf("%s/%s %s: ", t->variant->problem, t->variant->name, wl_backend_name(t->variant->backend));
    if (t->failed)
        printf("%s: at %s: %s\n", wl_verdict_word(&t->verdict), t->where, t->verdict.reason);
    else if (t->ok == 0)
        printf("%s\n", wl_verdict_line(&t->verdict).text);
    else if (t->unsupported > 0)
        printf("ok, %zu shapes; %zu more are not supported (%s: %s)\n", t->ok, t->unsupported, t->where,
               t->verdict.reason);
    else
        printf("ok, %zu shape%s\n", t->ok, t->ok == 1 ? "" : "s");
}

static wl_status check_problem(session *s) {
    wl_status status = gather(s);
    if (status == WL_OK) status = check_shapes(s);
    if (wl_shows_progress(s->line)) fputs("\r\033[K", stderr);
    if (status != WL_OK) return status;
    const tally *bad = NULL;
    size_t ok = 0;
    for (size_t i = 0; i < s->count; i++) {
        print_tally(s, &s->tallies[i]);
        ok += s->tallies[i].ok;
        if (s->tallies[i].failed && !bad) bad = &s->tallies[i];
    }
    if (bad)
        return wl_fail(WL_CHECK_FAILED, "%s/%s on %s %s at %s: %s", bad->variant->problem, bad->variant->name,
                       wl_backend_name(bad->variant->backend),
                       bad->verdict.wrong > 0 ? "differs from the reference" : "fails", bad->where,
                       bad->verdict.reason);
    if (ok == 0)
        return wl_fail(WL_NO_MACHINE, "nothing could be checked: %s", wl_verdict_line(&s->tallies[0].verdict).text);
    return WL_OK;
}

/* All problems are looked at even if one fails; a failed check outweighs what a machine lacks. */
static wl_status check(const wl_line *line) {
    session s = {.line = line, .verbose = wl_argument_given(&line->own, "verbose")};
    size_t count;
    const wl_problem *const *problems = wl_problems(&count);
    char said[1024];
    wl_status worst = wl_devices_select(line->device, &s.devices);
    if (worst != WL_OK) return worst;
    for (size_t p = 0; p < count; p++) {
        if (line->problem && problems[p] != line->problem) continue;
        s.problem = problems[p];
        s.count = 0;
        wl_status status = check_problem(&s);
        free(s.tallies);
        s.tallies = NULL;
        if (status == WL_OK || (worst != WL_OK && worst != WL_NO_MACHINE)) continue;
        worst = status;
        snprintf(said, sizeof said, "%s", wl_error());
    }
    return worst == WL_OK ? WL_OK : wl_fail(worst, "%s", said);
}

const wl_command wl_command_check = {
    .name = "check",
    .brief = "compare variants with the reference at awkward shapes",
    .arguments = "[PROBLEM[/VARIANT]...]",
    .summary = "Compare the results of variants with the serial reference's. Without options of the problem: at its "
               "awkward shapes and its default; with them, at the shape they give.",
    .example = "warpladder check lessons/03_char4 --device sim\n"
               "  warpladder check lessons --instances 33 --attributes 5 --verbose",
    .options = options,
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_QUIET | WL_TAKES_PROBLEM,
    .most = WL_WORDS_MOST,
    .run = check,
};
