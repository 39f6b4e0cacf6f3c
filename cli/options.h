/* The options that a line may have, collected from the command, from what commands have in common and from the problems. */
#pragma once

#include "cli/command.h"

typedef enum { WL_OWN, WL_COMMON, WL_OF_PROBLEM } wl_origin;

typedef struct {
    const wl_option *option;
    wl_origin origin;
    const char *heading; // above it in --help; NULL: none
    const char *value;   // as given; NULL: not given
} wl_entry;

/* Names that options had. They are taken, with a note, and not shown. */
typedef struct {
    const char *command, *name, *now;
} wl_former;
enum { WL_FORMERS_MOST = 32 };
extern const wl_former wl_formers[];
extern const size_t wl_former_count;

/* Everything while a line is being read. */
typedef struct {
    const wl_command *command;
    wl_entry *entries; // [count]
    size_t count;
    wl_args *args;
    const char *former[WL_FORMERS_MOST]; // the values given by former names, in wl_formers' order; NULL: not given
    int help, version;
    int stopped_at; // argv index after the word argp could not take; 0: it took all
    wl_status status;
} wl_reader;

/* The letter that is short for an option of this name, where a command has it; 0: none. */
int wl_short_of(const wl_option *option);

size_t wl_option_count(const wl_option *options);

/* Which options there are cannot wait for the problem's name, which may come last: all problems' are taken, and those of another problem
   are refused later. With `only`, that problem's alone, for its --help. free(r->entries) frees them. */
wl_status wl_entries_collect(wl_reader *r, const wl_problem *only);

/* NULL: no option of this command has that name, or that letter. */
wl_entry *wl_entry_named(const wl_reader *r, const char *name);
wl_entry *wl_entry_of_former(const wl_reader *r, size_t former); // the entry that has this former name
wl_entry *wl_entry_short(const wl_reader *r, int key);
