/* warpladder list: the problems and their variants. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "harness/base/grid.h"

static const wl_option options[] = {{"tsv", NULL, NULL, "print tab-separated values"}, {NULL, NULL, NULL, NULL}};

static void print_tsv(const wl_variant *const *variants, size_t count, const char *pattern) {
    puts("problem\tvariant\tbackend\tsource\tidea\tlimits");
    for (size_t i = 0; i < count; i++) {
        const wl_variant *v = variants[i];
        if (wl_variant_matches(v, pattern))
            printf("%s\t%s\t%s\t%s\t%s\t%s\n", v->problem, v->name, wl_backend_name(v->backend), v->source, v->idea,
                   v->limits ? v->limits : "");
    }
}

/* One line a variant, whatever number of backends it has: they are neighbours in no order, so all are looked at. 0: `which` is not the
   first of its name. */
static int backends_of(const wl_variant *const *variants, size_t count, const wl_variant *which, char *text,
                       size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(variants[i]->problem, which->problem) != 0 || strcmp(variants[i]->name, which->name) != 0) continue;
        if (used == 0 && variants[i] != which) return 0;
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", wl_backend_name(variants[i]->backend));
    }
    return 1;
}

static void print_problem(const wl_problem *problem, const wl_variant *const *variants, size_t count,
                          const char *pattern) {
    char backends[64];
    wl_grid grid = {.left = 4};
    for (size_t i = 0; i < count; i++) {
        const wl_variant *v = variants[i];
        if (strcmp(v->problem, problem->name) != 0 || !wl_variant_matches(v, pattern) ||
            !backends_of(variants, count, v, backends, sizeof backends))
            continue;
        wl_grid_row(&grid);
        wl_grid_put(&grid, NULL, "%s", v->name);
        wl_grid_put(&grid, NULL, "%s", backends);
        wl_grid_put(&grid, NULL, "%s%s%s%s", v->idea, v->limits ? " (" : "", v->limits ? v->limits : "",
                    v->limits ? ")" : "");
        wl_grid_put(&grid, NULL, "%s", v->source);
    }
    if (grid.rows > 0) printf("%s: %s\n", problem->name, problem->title);
    wl_grid_print(stdout, &grid, "  ");
}

static wl_status list(const wl_args *args) {
    size_t count, problem_count;
    const char *pattern = args->count > 0 ? args->words[0] : "*";
    const wl_variant *const *variants = wl_variants(&count);
    const wl_problem *const *problems = wl_problems(&problem_count);
    if (wl_variants_matching(pattern) == 0)
        return wl_fail(WL_BAD_USAGE, "there is no problem or variant '%s'; 'warpladder list' names them all", pattern);
    if (wl_argument_given(&args->own, "tsv"))
        print_tsv(variants, count, pattern);
    else
        for (size_t i = 0; i < problem_count; i++) print_problem(problems[i], variants, count, pattern);
    return WL_OK;
}

static const wl_command command_list = {
    .name = "list",
    .brief = "list the problems and their variants",
    .arguments = "[PROBLEM[/VARIANT]]",
    .summary = "List the variants of one problem or of all, with the idea and the source of each.",
    .example = "warpladder list lessons",
    .options = options,
    .most = 1,
    .run = list,
};

WL_REGISTER_COMMAND(command_list)
