#include "cli/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/toolchain/folder.h"

const wl_problem *wl_line_problem(const char *word) {
    char name[64];
    size_t length = strcspn(word, "/");
    if (length >= sizeof name) return NULL;
    memcpy(name, word, length);
    name[length] = 0;
    return wl_problem_named(name);
}

static wl_status no_such_problem(const char *word, size_t length) {
    char names[256] = "";
    size_t count, used = 0;
    const wl_problem *const *problems = wl_problems(&count);
    for (size_t p = 0; p < count && used < sizeof names; p++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", p ? ", " : "", problems[p]->name);
    return wl_fail(WL_BAD_USAGE, "there is no problem '%.*s'; expected one of: %s", (int)length, word, names);
}

static wl_status require_variant(const wl_problem *problem, const char *pattern) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t i = 0; i < count; i++)
        if (wl_variant_matches(variants[i], pattern)) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "there is no variant '%s'; 'warpladder list %s' names them all", pattern,
                   problem->name);
}

static int is_problem(const char *name) { return wl_problem_named(name) != NULL; }

wl_status wl_line_stage(const char *folder, char **variant) { return wl_folder_read(folder, is_problem, variant); }

/* The pattern is all the words, separated by spaces. There are several if the shell found folders that match a pattern: in the top folder
   it turns lessons/0* into lessons/01_naive lessons/02_coalesced ..., and its completion of names adds a '/' to each. */
wl_status wl_line_fill_pattern(wl_args *args) {
    size_t size = 1;
    const char *word = args->words[0];
    if (args->count == 1 && wl_folder_is_stage(word) &&
        (!wl_line_problem(word) || (strchr(word, '/') && require_variant(wl_line_problem(word), word) != WL_OK))) {
        args->folder = word;
        WL_TRY(wl_line_stage(word, &args->pattern));
        args->problem = wl_line_problem(args->pattern);
        return WL_OK;
    }
    for (int i = 0; i < args->count; i++) size += strlen(args->words[i]) + 1;
    char *at = args->pattern = malloc(size);
    if (!at) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    for (int i = 0; i < args->count; i++) {
        size_t length = strlen(args->words[i]);
        while (length > 1 && args->words[i][length - 1] == '/') length--;
        const wl_problem *problem = wl_line_problem(args->words[i]);
        if (!problem) return no_such_problem(args->words[i], strcspn(args->words[i], "/"));
        if (args->problem && problem != args->problem)
            return wl_fail(WL_BAD_USAGE, "found '%s' beside '%s'; expected variants of one problem", args->words[i],
                           args->words[0]);
        args->problem = problem;
        if (i > 0) *at++ = ' ';
        memcpy(at, args->words[i], length);
        at[length] = 0;
        if (strchr(at, '/') && require_variant(problem, at) != WL_OK) return WL_BAD_USAGE;
        at += length;
    }
    return WL_OK;
}
