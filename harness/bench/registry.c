/* The lists that variants and problems add themselves to before main. */
#include <ctype.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/bench/problem.h"
#include "harness/bench/variant.h"

typedef struct {
    const void **items;
    size_t count;
    int sorted;
} list;

typedef struct {
    const char *problem;
    wl_own_run_function *run;
} own_run;

static list variants, problems, own_runs;

/* Constructors run before main, where nobody could handle an error. */
static void add(list *to, const void *item) {
    if (!item || !WL_GROW(to->items, to->count, 1)) {
        fputs("warpladder: out of memory while starting\n", stderr);
        exit(WL_NO_MACHINE);
    }
    to->items[to->count++] = item;
    to->sorted = 0;
}

static int compare_variants(const void *left, const void *right) {
    const wl_variant *a = *(const wl_variant *const *)left, *b = *(const wl_variant *const *)right;
    int order = strcmp(a->problem, b->problem);
    if (order == 0) order = (a->backend > b->backend) - (a->backend < b->backend);
    return order ? order : strcmp(a->name, b->name);
}

static int compare_problems(const void *left, const void *right) {
    return strcmp((*(const wl_problem *const *)left)->name, (*(const wl_problem *const *)right)->name);
}

/* Of several threads, the first sorts and the others wait for it. */
static void sort(list *which, int (*compare)(const void *, const void *)) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!which->sorted && which->count > 0) qsort(which->items, which->count, sizeof *which->items, compare);
    which->sorted = 1;
    pthread_mutex_unlock(&lock);
}

void wl_register(const wl_variant *variant) { add(&variants, variant); }
void wl_register_folder(wl_variant *variant, const char *problem, const char *name, wl_backend backend,
                        const wl_variant *defaults) {
    static const wl_variant none;
    if (!defaults) defaults = &none;
    variant->problem = problem;
    variant->name = name;
    variant->backend = backend;
#define WL_DEFAULT(field) \
    if (!variant->field) variant->field = defaults->field
    WL_DEFAULT(idea);
    WL_DEFAULT(source);
    WL_DEFAULT(limits);
    WL_DEFAULT(check_shapes);
    WL_DEFAULT(faster);
    WL_DEFAULT(supports);
    WL_DEFAULT(prepare);
    WL_DEFAULT(launch);
    WL_DEFAULT(collect);
    WL_DEFAULT(release);
    WL_DEFAULT(cost);
    WL_DEFAULT(instruction_set);
    WL_DEFAULT(launch_slices);
#undef WL_DEFAULT
    wl_register(variant);
}

void wl_register_problem(const wl_problem *problem) { add(&problems, problem); }

const wl_variant *const *wl_variants(size_t *count) {
    sort(&variants, compare_variants);
    *count = variants.count;
    return (const wl_variant *const *)variants.items;
}

int wl_variant_is_stage(const wl_variant *variant) { return isdigit((unsigned char)variant->name[0]); }

const wl_variant *wl_stage_before(const wl_variant *variant, const wl_device *device, const void *input) {
    size_t count;
    const wl_variant *const *all = wl_variants(&count), *before = NULL;
    if (!wl_variant_is_stage(variant)) return NULL;
    for (size_t v = 0; v < count && all[v] != variant; v++)
        if (all[v]->backend == variant->backend && strcmp(all[v]->problem, variant->problem) == 0 &&
            wl_variant_is_stage(all[v]) && !(all[v]->supports && all[v]->supports(device, input)))
            before = all[v];
    return before;
}

const wl_problem *const *wl_problems(size_t *count) {
    sort(&problems, compare_problems);
    *count = problems.count;
    return (const wl_problem *const *)problems.items;
}

const char *wl_problem_names(char *names, size_t size) {
    size_t count, used = 0;
    const wl_problem *const *all = wl_problems(&count);
    *names = 0;
    for (size_t p = 0; p < count && used < size; p++)
        used += (size_t)snprintf(names + used, size - used, "%s%s", p ? ", " : "", all[p]->name);
    return names;
}

const wl_problem *wl_problem_named(const char *name) {
    for (size_t i = 0; i < problems.count; i++) {
        const wl_problem *problem = problems.items[i];
        if (strcmp(problem->name, name) == 0) return problem;
    }
    return NULL;
}

void wl_register_own_run(const char *problem, wl_own_run_function *run) {
    own_run *item = malloc(sizeof *item);
    if (item) *item = (own_run){problem, run};
    add(&own_runs, item);
}

wl_own_run_function *wl_own_run_of(const wl_problem *problem) {
    for (size_t i = 0; i < own_runs.count; i++) {
        const own_run *item = own_runs.items[i];
        if (strcmp(item->problem, problem->name) == 0) return item->run;
    }
    return NULL;
}

int wl_own_run_asked(const wl_problem *problem, const wl_arguments *arguments) {
    return problem->own_run_option && wl_argument_given(arguments, problem->own_run_option);
}

int wl_variant_is_library(const wl_variant *variant) {
    static const char folder[] = "library";
    return strncmp(variant->name, folder, sizeof folder - 1) == 0;
}

int wl_variant_matches(const wl_variant *variant, const char *patterns) {
    char pattern[256], full[256];
    if (snprintf(full, sizeof full, "%s/%s", variant->problem, variant->name) >= (int)sizeof full) return 0;
    for (const char *at = patterns; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length < sizeof pattern) {
            memcpy(pattern, at, length);
            pattern[length] = 0;
            if (fnmatch(pattern, strchr(pattern, '/') ? full : variant->problem, FNM_PATHNAME) == 0) return 1;
        }
        at += length;
    }
    return 0;
}

size_t wl_variants_matching(const char *patterns) {
    size_t count, matching = 0;
    const wl_variant *const *all = wl_variants(&count);
    for (size_t i = 0; i < count; i++) matching += wl_variant_matches(all[i], patterns) != 0;
    return matching;
}

int wl_variant_is_wanted(const wl_variant *variant, const char *pattern) {
    int is_baseline = variant->launch_slices != NULL || wl_variant_is_library(variant);
    char full[256];
    if (!pattern) return !is_baseline;
    if (!strchr(pattern, '/')) {
        if (wl_variant_matches(variant, pattern)) return !is_baseline; // all of the problem
        if (snprintf(full, sizeof full, "%s/%s", variant->problem, pattern) >= (int)sizeof full) return 0;
        pattern = full;
    }
    if (is_baseline && strcspn(strchr(pattern, '/') + 1, "*?[") == 0) return 0;
    return wl_variant_matches(variant, pattern);
}
