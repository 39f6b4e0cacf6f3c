#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int key;
    const char *name;
} shorts[] = {{'o', "output"},         {'b', "blank-corner"}, {'I', "include-path"}, {'D', "define-macro"},
              {'U', "undefine-macro"}, {'l', "library"},      {'L', "library-path"}, {'c', "compile"},
              {'v', "verbose"},        {'a', "every-letter"}, {'c', "csv"},          {'m', "molten"},
              {'t', "header"},         {'j', "threads"},      {'q', "quiet"}};
enum { SHORTS = sizeof shorts / sizeof *shorts };

const wl_former wl_formers[] = {{"distances", "format", "input-format"},
                                {"likelihood", "format", "input-format"},
                                {"align-reads", "reference-format", "input-format"}};
const size_t wl_former_count = sizeof wl_formers / sizeof *wl_formers;
_Static_assert(sizeof wl_formers / sizeof *wl_formers <= WL_FORMERS_MOST, "wl_args.formers has a bit each");

static const struct {
    unsigned flag;
    wl_option option;
} common_options[] = {
    {WL_TAKES_DEVICE,
     {"device", "D:auto cpu sim gpu", "auto",
      "cpu, sim (simulated), gpu, gpu:0,1, or auto: the GPU if there is one, else sim"}},
    {WL_TAKES_SEED, {"seed", "N", "2010", "seed of all random data"}},
    {WL_TAKES_OUT, {"out", "DIR", NULL, "write result files to DIR"}},
    {WL_TAKES_JSON, {"json", NULL, NULL, "print JSON"}},
    {WL_TAKES_FILES | WL_TAKES_OUT, {"make-folders", NULL, NULL, "make missing folders of output files"}},
    {WL_TAKES_TIMINGS,
     {"timings", NULL, NULL,
      "when done, print on standard error how long each part of the work took (reading, copying, kernels, writing), "
      "and "
      "how fast this machine moves bytes"}},
    {WL_TAKES_QUIET, {"quiet", NULL, NULL, "print errors only: no progress and no table"}},
};
enum { COMMONS = sizeof common_options / sizeof *common_options };

wl_entry *wl_entry_named(const wl_reader *r, const char *name) {
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->entries[i].option->name, name) == 0) return &r->entries[i];
    return NULL;
}

wl_entry *wl_entry_of_former(const wl_reader *r, size_t former) {
    const wl_former *f = &wl_formers[former];
    return strcmp(f->command, r->command->name) == 0 ? wl_entry_named(r, f->now) : NULL;
}

wl_entry *wl_entry_short(const wl_reader *r, int key) {
    wl_entry *entry = NULL; // a letter is short for another option in another command
    for (size_t i = 0; i < SHORTS && entry == NULL; i++)
        if (shorts[i].key == key) entry = wl_entry_named(r, shorts[i].name);
    return entry;
}

int wl_short_of(const wl_option *option) {
    for (size_t i = 0; i < SHORTS; i++)
        if (strcmp(shorts[i].name, option->name) == 0) return shorts[i].key;
    return 0;
}

static void add(wl_reader *r, const wl_option *option, wl_origin origin, const char *heading) {
    const wl_entry *same = wl_entry_named(r, option->name);
    if (same && (!r->help || same->origin != origin))
        return; // two problems may have an option of one name: help shows both
    r->entries[r->count++] = (wl_entry){option, origin, heading, NULL};
}

size_t wl_option_count(const wl_option *options) {
    size_t count = 0;
    while (options && options[count].name) count++;
    return count;
}

wl_status wl_entries_collect(wl_reader *r, const wl_problem *only) {
    size_t problems, most = wl_option_count(r->command->options) + COMMONS;
    const wl_problem *const *problem = wl_problems(&problems);
    for (size_t p = 0; p < problems; p++) most += wl_option_count(problem[p]->options);
    r->entries = calloc(most ? most : 1, sizeof *r->entries);
    r->count = 0;
    if (!r->entries) return wl_fail(WL_NO_MACHINE, "no memory for the command line");

    for (size_t i = 0; i < wl_option_count(r->command->options); i++) add(r, &r->command->options[i], WL_OWN, NULL);
    for (size_t i = 0; i < COMMONS; i++)
        if (r->command->common & common_options[i].flag) add(r, &common_options[i].option, WL_COMMON, NULL);
    if (!(r->command->common & WL_TAKES_PROBLEM)) return WL_OK;
    for (size_t p = 0; p < problems; p++) {
        if (only && problem[p] != only) continue;
        for (size_t i = 0; i < wl_option_count(problem[p]->options); i++)
            add(r, &problem[p]->options[i], WL_OF_PROBLEM, problem[p]->name);
    }
    return WL_OK;
}
