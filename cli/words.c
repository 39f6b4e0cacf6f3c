#include "cli/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const wl_problem *wl_line_problem(const char *word) {
    char name[64];
    size_t length = strcspn(word, "/");
    if (length >= sizeof name) return NULL;
    memcpy(name, word, length);
    name[length] = 0;
    return wl_problem_named(name);
}

static wl_status no_such_problem(const char *word) {
    char names[256];
    struct stat file;
    const char *found = stat(word, &file) != 0  ? "there is no problem and no folder"
                        : S_ISDIR(file.st_mode) ? "found no kernel.cu in the folder"
                                                : "found the file";
    return wl_fail(WL_BAD_USAGE, "%s '%s'; expected a folder with a kernel.cu, or one of: %s", found, word,
                   wl_problem_names(names, sizeof names));
}

static wl_status require_variant(const wl_problem *problem, const char *pattern) {
    if (wl_variants_matching(pattern) > 0) return WL_OK;
    return wl_fail(WL_BAD_USAGE,
                   "there is no variant '%s'; 'warpladder list %s' names them all; for your own, give its folder",
                   pattern, problem->name);
}

int wl_line_is_problem(const char *name) { return wl_problem_named(name) != NULL; }

/* `word` ends without '/'. In the top folder, lessons/01_naive is a folder, too, but means the variant. */
static int is_own_stage(const char *word) {
    const wl_problem *problem = wl_line_problem(word);
    return wl_folder_is_stage(word) && (!problem || (strchr(word, '/') && wl_variants_matching(word) == 0));
}

/* `word` as given, and `name`, the same without '/' at its end. */
static wl_status add_word(wl_args *args, const char *word, const char *name) {
    const int is_own = is_own_stage(name);
    char *longer;
    if (is_own) WL_TRY(wl_folder_add(&args->stages, word, wl_line_is_problem));
    args->stages.with_ladder |= !is_own;
    if (is_own) name = args->stages.items[args->stages.count - 1].variant;
    const wl_problem *problem = wl_line_problem(name);
    if (!problem) return no_such_problem(word);
    if (args->problem && problem != args->problem)
        return wl_fail(WL_BAD_USAGE, "found '%s' beside '%s'; expected variants of one problem", word, args->words[0]);
    args->problem = problem;
    if (!is_own && strchr(name, '/')) WL_TRY(require_variant(problem, name));
    if (asprintf(&longer, "%s%s%s", args->pattern ? args->pattern : "", args->pattern ? " " : "", name) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    free(args->pattern);
    args->pattern = longer;
    return WL_OK;
}

/* There are several words if the shell found folders that match a pattern: in the top folder it turns lessons/0* into lessons/01_naive
   lessons/02_coalesced ..., and its completion of names adds a '/' to each. */
wl_status wl_line_fill_pattern(wl_args *args) {
    for (int i = 0; i < args->count; i++) {
        size_t length = strlen(args->words[i]);
        while (length > 1 && args->words[i][length - 1] == '/') length--;
        char *name = strndup(args->words[i], length);
        if (!name) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
        const wl_status status = add_word(args, args->words[i], name);
        free(name);
        if (status != WL_OK) return status;
    }
    for (size_t i = 0; i < args->stages.count && args->stages.with_ladder; i++)
        if (wl_variants_matching(args->stages.items[i].variant) > 0)
            return wl_fail(WL_BAD_USAGE, "found '%s' beside the ladder, which has a stage %s; expected another name",
                           args->stages.items[i].folder, args->stages.items[i].variant);
    return WL_OK;
}
