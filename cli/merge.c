/* warpladder merge: the output of a run from the part files of all its parts. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/parts.h"
#include "harness/base/outfile.h"

static const wl_option options[] = {
    {"output", "FILE", "-", "write the output to FILE (also -o FILE), as the command of the parts would"},
    {"table", "FILE", NULL, "align-reads: write each read's best edge, score and runner-up, tab-separated"},
    {"numbered-tree", "FILE", NULL, "align-reads: write the tree with the numbers of its edges"},
    {"jplace", "FILE", NULL, "align-reads: write each read's best edge and parsimony score as a .jplace file"},
    {"left-out", "FILE", NULL, "align-reads: write the reads that are left out to FILE (FASTA), with the reason"},
    WL_OPTION_THREADS,
    {"memory", "SIZE", NULL,
     "use at most SIZE of memory, in bytes or with K, M or G, as the command of the parts would"},
    {NULL, NULL, NULL, NULL},
};

static const char *const tools[] = {"search", "distances", "align-reads"};
enum { TOOLS = sizeof tools / sizeof *tools };

typedef struct {
    wl_parts_driver driver;
    const wl_part_set *set;
} merging;

static wl_status run(wl_parts_driver *driver, const wl_args *args, const wl_parts_tool *tool, void *job,
                     const wl_part_key *key) {
    const merging *m = (merging *)driver; // its first member
    const wl_part *first = &m->set->items[0];
    (void)args;
    if (key->inputs != first->key.inputs)
        return wl_fail(WL_BAD_INPUT, "%s: its inputs have changed; expected the files it was made from", first->name);
    if (key->options != first->key.options)
        return wl_fail(WL_BAD_INPUT, "%s: is of another version of this program; expected parts of this one, %s",
                       first->name, WL_VERSION);
    return tool->merge(job, m->set);
}

static wl_status call(const wl_args *args, const wl_command *tool, const wl_part_set *set) {
    merging m = {.driver = {.run = run, .writes = 1, .only_merges = 1, .gpu = -1}, .set = set};
    wl_args inner;
    WL_TRY(wl_parts_line(&set->items[0], tool, args, &inner));
    wl_parts_drive(&m.driver);
    wl_status status = tool->run(&inner);
    if (status == WL_OK) status = wl_mapped_whole();
    wl_parts_drive(NULL);
    wl_args_free(&inner);
    return status;
}

/* An output would take the place of a part. */
static wl_status refuse_parts(const wl_args *args, const wl_part_set *set) {
    for (size_t o = 0; o < args->own.count; o++) {
        const char *path = strcmp(options[o].argument, "FILE") == 0 ? args->own.values[o] : NULL;
        for (size_t i = 0; path && i < set->count && strcmp(path, "-") != 0; i++)
            WL_TRY(wl_refuse_same_file(set->items[i].name, path));
    }
    return WL_OK;
}

static wl_status merge(const wl_args *args) {
    wl_part_set set;
    WL_TRY(wl_part_set_open(args->words, (size_t)args->count, &set));
    const char *name = set.items[0].key.tool;
    size_t t = 0;
    while (t < TOOLS && strcmp(tools[t], name) != 0) t++;
    wl_status status =
        t < TOOLS ? refuse_parts(args, &set)
                  : wl_fail(WL_BAD_INPUT, "%s: is a part of '%s'; expected one of search, distances or align-reads",
                            set.items[0].name, name);
    if (status == WL_OK) status = call(args, wl_command_named(tools[t]), &set);
    wl_part_set_close(&set);
    return status;
}

static const wl_command command_merge = {
    .name = "merge",
    .brief = "make the output of search, distances or align-reads from parts",
    .arguments = "PART...",
    .summary =
        "Make the output of a whole run from the part files that 'warpladder search', 'distances' or 'align-reads' "
        "have written with --part I/N. It has the same bytes as that of a run without --part. Parts may come in any "
        "order; a folder stands for its files that end in .part. The inputs are read again, under the names that the "
        "parts were given. All outputs are named here: a part names none.",
    .example = "warpladder merge hits.1.part hits.2.part hits.3.part -o hits.txt\n"
               "  warpladder merge parts -o hits.txt",
    .options = options,
    .common = WL_TAKES_QUIET | WL_TAKES_FILES,
    .least = 1,
    .most = WL_WORDS_MOST,
    .run = merge,
};

WL_REGISTER_COMMAND(command_merge)
