/* What a command is, and its line once it is read.

   A command describes itself and its line as data:

       static const wl_option options[] = {{"tsv", NULL, NULL, "print tab-separated values"}, {0}};
       static const wl_command command_explain = {
           .name = "explain", .brief = "count the memory traffic of a variant", .arguments = "PROBLEM[/VARIANT]",
           .summary = "Count the memory traffic of each stage.", .example = "warpladder explain lessons/01_naive --figure",
           .options = options, .common = WL_TAKES_DEVICE | WL_TAKES_PROBLEM, .least = 1, .most = 1, .run = explain};
       WL_REGISTER_COMMAND(command_explain) */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "harness/base/argfile.h"
#include "harness/base/error.h"
#include "harness/bench/problem.h"
#include "sim/toolchain/folder.h"

enum {
    WL_TAKES_DEVICE = 1,    // --device
    WL_TAKES_SEED = 2,      // --seed
    WL_TAKES_OUT = 4,       // --out
    WL_TAKES_JSON = 8,      // --json
    WL_TAKES_QUIET = 16,    // --quiet
    WL_TAKES_FILES = 64,    // --make-folders, as WL_TAKES_OUT does: it writes files that its line names
    WL_TAKES_TIMINGS = 128, // --timings
    WL_TAKES_PROBLEM = 32,  // the first word is PROBLEM[/VARIANT], and that problem's options are accepted
};

struct wl_args;

/* A name that the program is called by, as by a link, and what precedes the line's own words then. */
enum { WL_ALIAS_WORDS = 5 };
typedef struct {
    const char *name; // "blastp"
    const char *words[WL_ALIAS_WORDS];
} wl_alias;

typedef struct {
    const char *name;         // "explain"
    const char *brief;        // what it does, in the list of commands
    const char *arguments;    // the words it takes, for the usage line; NULL: none
    const char *summary;      // what it does, one or two sentences
    const char *example;      // command lines, one a line
    const wl_option *options; /* its own; a NULL `argument` makes a flag (its value is "" when given); ends with a
                                 zero entry; NULL: none */
    const wl_option *(*make_options)(void); // NULL, or in place of `options` where they are known at run time only
    const wl_foreign *foreign;              // another program's options that are taken, too; NULL: none
    const wl_alias *aliases;                // NULL, or up to a zero entry
    unsigned common;                        // WL_TAKES_...
    int least, most;                        // how many words
    wl_status (*run)(const struct wl_args *args);
    const struct wl_parts_tool *parts; // NULL, or how it runs in parts
    int (*call)(
        int argc,
        char **argv); // NULL, or in place of `run`: takes words that argp does not know, and reads the rest itself
} wl_command;

enum { WL_WORDS_MOST = INT_MAX }; // as many as there are

typedef struct wl_args {
    const wl_command *command;
    const char **words; // [count]: the command's words that are not options
    int count;
    wl_arguments own;   // the command's own options: wl_argument_given(&line.own, "tsv")
    const char *device; // the request as given: "auto", "gpu:0,1"; see harness/bench/device.h
    int device_given;
    uint64_t seed;
    int seed_given;
    const char *out; // NULL: not given
    int json, quiet, make_folders;
    const wl_problem *problem; // with WL_TAKES_PROBLEM, of words[0]; NULL when there is no word
    wl_folder_stages stages;   // outside the tree, whose folders are words of the line
    char *pattern; // of the words, "lessons/03*" or "lessons lessons/my_stage": see wl_variant_matches; NULL: no word
    wl_arguments of_problem; // the problem's options; count 0 without a problem
    int of_problem_given;    // how many of them were given
    unsigned formers;        // a bit for each former name of an option that was given, in wl_formers' order
    const char *ignored;     // options of another program that have no meaning here, "-seg, -dust"; NULL: none
    char *text;              // the whole command line again, quoted for a shell; for result headers
    const char **typed;      // [typed_count], the words as they were given, "warpladder list" first
    int typed_count;
} wl_args;
