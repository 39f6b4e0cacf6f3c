#include "harness/bench/check_shapes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/bench/ranges.h"
#include "harness/bench/rounds.h"
#include "harness/bench/trial.h"

typedef struct {
    const wl_check_request *request;
    const wl_problem *problem;
    wl_check_tallies *tallies;
    uint64_t seed;
    int extra;            // one more input at a shape that has been counted
    int is_long;          // the shape is one of the problem's long ones
    size_t range_shape;   // which of the problem's range_shapes it is, while there are `ranges`
    wl_ranges **ranges;   // [tallies->count]; NULL: none are looked at
    const wl_variant *of; // the shape is this variant's; NULL: the problem's
    enum { EVERY_DEVICE, SIMULATED, GPU, NO_GPU } only;
} session;

/* Two inputs of the default shape show a result kept from the one before; the simulated device is slow, and gets one. */
enum { INPUTS = 2 };
/* A serial variant is checked in part where the whole would take longer. */
static const double whole_seconds = 2;

static void leave_out(wl_check_tally *t, const char *shape, const char *why) {
    if (t->left_out++ == 0) snprintf(t->why_left_out, sizeof t->why_left_out, "%s: %.200s", shape, why);
}

/* A stage that takes an input, and then finds no memory for it, has not been checked. On the simulated device nobody else takes memory. */
static int breaks_its_word(const wl_check_tally *t, const void *input, wl_status status) {
    const wl_variant *v = t->variant;
    return status == WL_NO_MACHINE && v->backend == WL_SIM && !(v->supports && v->supports(t->device, input));
}

static void check_one(session *s, wl_check_tally *t, wl_inputs *inputs, const char *where) {
    wl_verdict verdict = {.state = WL_PASSED};
    if (s->ranges) {
        wl_ranges_add(s->ranges[t - s->tallies->items], s->range_shape, inputs, t->variant, t->device);
        return;
    }
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
            wl_inputs_expected(inputs, i, &expected); // the reference may take its time
        status = wl_try_variant(inputs, i, t->variant, t->device, part, 1, &verdict);
        if (breaks_its_word(t, inputs->inputs[i], status))
            status =
                wl_verdict_set(&verdict, WL_CHECK_FAILED, "supports takes the input, and then: %s", verdict.reason);
    }
    if (s->request->lines)
        fprintf(s->request->lines, "%s/%s %s %s: %s\n", t->variant->problem, t->variant->name,
                wl_backend_name(t->variant->backend), *where ? where : "default shape", wl_verdict_line(&verdict).text);
    if (status == WL_NO_MACHINE && s->is_long) {
        leave_out(t, where, verdict.reason);
        return;
    }
    if (status == WL_OK || (status == WL_NO_MACHINE && s->extra)) {
        t->ok += !s->extra;
        return;
    }
    if (status == WL_NO_MACHINE && t->unsupported++ > 0) return; // the first reason is kept
    t->failed = status != WL_NO_MACHINE;
    snprintf(t->where, sizeof t->where, "%s", *where ? where : "the default shape");
    t->verdict = verdict;
}

static int takes_part(const session *s, const wl_check_tally *t) {
    if (t->failed) return 0; // one failure is enough, and a GPU may be unusable after it
    if (s->of && s->of != t->variant) return 0;
    const wl_backend backend = t->variant->backend;
    return s->only == EVERY_DEVICE ||
           (s->only == SIMULATED ? backend == WL_SIM : (backend == WL_GPU) == (s->only == GPU));
}

static wl_status check_inputs(session *s, const wl_arguments *arguments, const char *where) {
    wl_inputs inputs;
    size_t players = 0;
    for (size_t i = 0; i < s->tallies->count; i++) players += takes_part(s, &s->tallies->items[i]) != 0;
    if (players == 0) return WL_OK;
    WL_TRY(wl_inputs_create(s->problem, arguments, s->seed, s->ranges ? 1 : INPUTS, &inputs));
    const int too_large = s->request->quick && !s->ranges && inputs.count > 0 &&
                          s->problem->output_size(inputs.inputs[0]) > WL_QUICK_BYTES;
    for (size_t i = 0; i < s->tallies->count; i++) {
        wl_check_tally *t = &s->tallies->items[i];
        if (!takes_part(s, t)) continue;
        if (too_large) {
            t->too_large += !s->extra;
            continue;
        }
        if (s->request->progress && !s->request->lines)
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

/* The shape that is asked for, as a command line would have it. */
static void given_shape(const session *s, char *where, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < s->request->shape->count && used < size; i++)
        if (s->request->shape->values[i])
            used += (size_t)snprintf(where + used, size - used, "%s--%s %s", used ? " " : "",
                                     s->request->shape->options[i].name, s->request->shape->values[i]);
}

/* Results that were stored for the usual seed are no results: so the simulated device gets an input that nobody has seen. */
static wl_status check_unseen(session *s, const char *const *shapes) {
    char where[sizeof s->tallies->items->where];
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

static void note_left_out(session *s, const char *shape) {
    for (size_t i = 0; i < s->tallies->count; i++) {
        wl_check_tally *t = &s->tallies->items[i];
        if (takes_part(s, t) && s->request->quick)
            t->too_large++;
        else if (takes_part(s, t))
            leave_out(t, shape, wl_error());
    }
}

/* Shapes where narrow counts and indices overflow. A shape that a variant would take long for, or for which the host has no
   memory, is named: nobody knows whether the variant is right there. */
static wl_status check_long(session *s) {
    wl_status status = WL_OK;
    if (!s->problem->long_shapes) return WL_OK;
    s->only = SIMULATED;
    s->extra = s->is_long = 1;
    for (const char *const *shape = s->problem->long_shapes; status == WL_OK && *shape; shape++) {
        status = check_shape(s, *shape);
        if (status != WL_NO_MACHINE) continue;
        note_left_out(s, *shape);
        status = WL_OK;
    }
    s->is_long = 0;
    return status;
}

/* Would a number of the variant overflow? That growth may end where a tile is full; a larger shape tells. */
static wl_status judge_ranges(session *s, wl_check_tally *t, wl_ranges **ranges) {
    wl_verdict verdict = {.state = WL_PASSED};
    wl_ranges *own = ranges[t - s->tallies->items];
    if (!takes_part(s, t) || !wl_ranges_suspect(own, s->problem->options)) return WL_OK;
    s->of = t->variant;
    s->ranges = ranges;
    s->range_shape = wl_ranges_shapes(own);
    wl_status status = check_shape(s, wl_ranges_larger(own));
    s->ranges = NULL;
    s->of = NULL;
    if (status != WL_OK || wl_ranges_judge(own, s->problem->options, &verdict) == WL_OK) return status;
    t->failed = 1;
    t->verdict = verdict;
    snprintf(t->where, sizeof t->where, "%s", wl_ranges_largest(own));
    return WL_OK;
}

/* A small shape and the doubled ones, the larger one where one is needed, and the largest one, which is not run; *count is how many they
   are. */
static wl_status check_range(session *s, const char *const *shapes, wl_ranges **ranges, size_t *count) {
    wl_status status = WL_OK;
    for (size_t i = 0; i < s->tallies->count; i++)
        if ((ranges[i] = wl_ranges_new(shapes)) == NULL) return wl_fail(WL_NO_MACHINE, "no memory for ranges");
    *count = wl_ranges_shapes(ranges[0]);
    s->ranges = ranges;
    for (s->range_shape = 0; status == WL_OK && s->range_shape < *count; s->range_shape++)
        status = check_shape(s, shapes[s->range_shape]);
    s->ranges = NULL;
    for (size_t i = 0; status == WL_OK && i < s->tallies->count; i++)
        status = judge_ranges(s, &s->tallies->items[i], ranges);
    *count += 2;
    return status;
}

/* Numbers of 32 bits that would overflow at the largest shape. */
static wl_status check_ranges(session *s) {
    wl_status status = WL_OK;
    const char *const *shapes = s->problem->range_shapes;
    wl_ranges **ranges = calloc(s->tallies->count, sizeof *ranges);
    if (!ranges) return wl_fail(WL_NO_MACHINE, "no memory for ranges");
    s->only = SIMULATED;
    for (size_t count = 0; status == WL_OK && shapes && *shapes; shapes += count) {
        status = check_range(s, shapes, ranges, &count);
        for (size_t i = 0; i < s->tallies->count; i++) {
            wl_ranges_free(ranges[i]);
            ranges[i] = NULL;
        }
    }
    free(ranges);
    return status;
}

/* Is the result stored under a mask, or right on a large GPU only? All variants that take the shape,
   and have had none before, are asked. `asked` [tallies->count]. */
static wl_status check_mixed_shape(session *s, const char *shape, char *asked) {
    wl_inputs inputs, others = {0};
    wl_arguments arguments;
    WL_TRY(wl_arguments_parse(s->problem->options, shape, &arguments));
    wl_status status = wl_inputs_create(s->problem, &arguments, s->seed, 1, &inputs);
    if (status == WL_OK) {
        status = wl_inputs_create(s->problem, &arguments, s->seed + 1, 1, &others);
        if (status != WL_OK) wl_inputs_free(&inputs);
    }
    free(arguments.values);
    if (status != WL_OK) return status;
    for (size_t i = 0; i < s->tallies->count; i++) {
        wl_check_tally *t = &s->tallies->items[i];
        wl_verdict verdict = {.state = WL_PASSED};
        if (asked[i] || !takes_part(s, t) || wl_variant_is_library(t->variant)) continue;
        if (t->variant->supports && t->variant->supports(t->device, inputs.inputs[0])) continue;
        asked[i] = 1;
        t->failed = wl_try_mixed(&inputs, &others, t->variant, t->device, &verdict) != WL_OK ||
                    wl_try_small(&inputs, t->variant, t->device, &verdict) != WL_OK;
        if (!t->failed) continue;
        t->verdict = verdict;
        snprintf(t->where, sizeof t->where, "%s", shape);
    }
    wl_inputs_free(&inputs);
    wl_inputs_free(&others);
    return WL_OK;
}

static wl_status check_mixed(session *s) {
    wl_status status = WL_OK;
    char *asked = calloc(s->tallies->count, 1);
    if (asked == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a check");
    s->only = SIMULATED;
    for (const char *const *shape = s->problem->mixed_shapes; status == WL_OK && shape && *shape; shape++)
        status = check_mixed_shape(s, *shape, asked);
    free(asked);
    return status;
}

/* Shapes of single variants, on all devices at once, as the problem's are. */
static wl_status check_own(session *s) {
    wl_status status = WL_OK;
    for (size_t i = 0; i < s->tallies->count && status == WL_OK; i++) {
        s->of = s->tallies->items[i].variant;
        int done = 0; // with the device before
        for (size_t k = 0; k < i; k++) done |= s->tallies->items[k].variant == s->of;
        for (const char *const *shape = s->of->check_shapes; !done && status == WL_OK && shape && *shape; shape++)
            status = check_shape(s, *shape);
    }
    s->of = NULL;
    return status;
}

static wl_status check_shapes(session *s) {
    char where[sizeof s->tallies->items->where] = "";
    const char *const given[] = {where, NULL}, *const none[] = {NULL};
    const char *const *shapes = given;
    wl_status status;
    s->seed = s->request->seed;
    s->only = EVERY_DEVICE;
    s->extra = 0;
    if (s->request->shape) {
        given_shape(s, where, sizeof where);
        status = check_inputs(s, s->request->shape, where);
    } else {
        shapes = s->problem->check_shapes ? s->problem->check_shapes : none;
        status = s->request->quick ? WL_OK : check_default(s);
        for (const char *const *shape = shapes; status == WL_OK && *shape; shape++) status = check_shape(s, *shape);
        if (status == WL_OK) status = check_own(s);
        if (status == WL_OK) status = check_mixed(s);
        if (status == WL_OK) status = check_long(s);
        if (status == WL_OK) status = check_ranges(s);
    }
    return status == WL_OK && s->request->also_unseen ? check_unseen(s, shapes) : status;
}

static wl_status gather(session *s) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    s->tallies->items = calloc(count * s->request->devices->count + 1, sizeof *s->tallies->items);
    if (!s->tallies->items) return wl_fail(WL_NO_MACHINE, "no memory for the checks");
    int exists = 0;
    for (size_t d = 0; d < s->request->devices->count; d++) {
        for (size_t v = 0; v < count; v++) {
            if (strcmp(variants[v]->problem, s->problem->name) != 0) continue;
            if (s->request->pattern && !wl_variant_matches(variants[v], s->request->pattern)) continue;
            exists = 1;
            if (variants[v]->backend != s->request->devices->items[d].backend) continue;
            s->tallies->items[s->tallies->count++] =
                (wl_check_tally){.variant = variants[v],
                                 .device = &s->request->devices->items[d],
                                 .too_large = s->request->quick}; // the default shape
        }
    }
    if (s->tallies->count > 0) return WL_OK;
    if (exists)
        return wl_fail(WL_NO_MACHINE, "%s has no variant for --device %s", s->request->pattern, s->request->device);
    return wl_fail(WL_BAD_USAGE, "there is no variant '%s'; 'warpladder list %s' names them all", s->request->pattern,
                   s->problem->name);
}

wl_status wl_check_problem(const wl_check_request *request, wl_check_tallies *tallies) {
    session s = {.request = request, .problem = request->problem, .tallies = tallies};
    *tallies = (wl_check_tallies){0};
    wl_status status = gather(&s);
    if (status == WL_OK) status = check_shapes(&s);
    if (status == WL_OK) return WL_OK;
    free(tallies->items);
    *tallies = (wl_check_tallies){0};
    return status;
}

wl_status wl_check_tallies_status(const wl_check_tallies *tallies, int told) {
    const wl_check_tally *bad = NULL;
    size_t ok = 0;
    for (size_t i = 0; i < tallies->count; i++) {
        ok += tallies->items[i].ok;
        if (tallies->items[i].failed && !bad) bad = &tallies->items[i];
    }
    if (bad)
        return wl_fail(WL_CHECK_FAILED, "%s/%s on %s %s at %s%s%s", bad->variant->problem, bad->variant->name,
                       wl_backend_name(bad->variant->backend),
                       bad->verdict.wrong > 0 ? "differs from the reference" : "fails", bad->where, told ? "" : ": ",
                       told ? "" : bad->verdict.reason);
    if (ok == 0)
        return wl_fail(WL_NO_MACHINE, "nothing could be checked: %s", wl_verdict_line(&tallies->items[0].verdict).text);
    return WL_OK;
}
