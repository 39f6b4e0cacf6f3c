#include "cli/args.h"

#include <argp.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/diagnose.h"
#include "cli/manual.h"
#include "cli/options.h"
#include "cli/words.h"
#include "harness/base/outfile.h"
#include "harness/base/timings.h"
#include "harness/base/memory.h"

/* --- The options of a line --- */

/* Keys of other options: KEY_FIRST + place in the table. */
enum { KEY_HELP = 'h', KEY_VERSION = 900, KEY_FIRST = 1000 };

/* --- argp --- */

/* argp's options for the entries; text for the help goes into `text`, both freed by the caller. */
static struct argp_option *argp_options(const wl_reader *r, char **text) {
    enum { HELP = 1024, HEADINGS = 32 };
    struct argp_option *options = calloc(2 * r->count + wl_former_count + HEADINGS + 3, sizeof *options);
    *text = malloc((r->count + HEADINGS) * HELP);
    if (!options || !*text) {
        WL_FREE(options, *text);
        *text = NULL;
        return NULL;
    }
    size_t n = 0;
    int group = 1;
    const char *heading = NULL;
    char *at = *text;
    for (size_t i = 0; i < r->count; i++, at += HELP) {
        const wl_entry *e = &r->entries[i];
        if (e->heading && e->heading != heading && group < HEADINGS) {
            heading = e->heading;
            snprintf(at, HELP, "Options of %s:", heading);
            options[n++] = (struct argp_option){.doc = at, .group = ++group};
            at += HELP;
        }
        const char *value = e->option->default_value;
        snprintf(at, HELP, "%s%s%s%s", e->option->help, value ? " (default: " : "", value ? value : "",
                 value ? ")" : "");
        char *argument = NULL; // without the values it may have
        if (e->option->argument) {
            size_t used = strlen(at) + 1;
            argument = at + used;
            snprintf(argument, HELP - used, "%.*s", (int)strcspn(e->option->argument, ":"), e->option->argument);
        }
        options[n++] = (struct argp_option){e->option->name, KEY_FIRST + (int)i, argument, 0, at, group};
        const int key = wl_short_of(e->option);
        if (key) options[n++] = (struct argp_option){NULL, key, NULL, OPTION_ALIAS, NULL, group};
    }
    for (size_t f = 0; f < wl_former_count; f++) {
        const wl_entry *e = wl_entry_of_former(r, f);
        if (e == NULL) continue;
        options[n++] = (struct argp_option){wl_formers[f].name,
                                            KEY_FIRST + (int)(r->count + f),
                                            e->option->argument ? "" : NULL,
                                            OPTION_HIDDEN,
                                            NULL,
                                            group};
    }
    options[n++] = (struct argp_option){"help", KEY_HELP, NULL, 0, "print this", -1};
    options[n++] = (struct argp_option){"version", KEY_VERSION, NULL, 0, "print the program's version", -1};
    return options;
}

/* Words that begin as the one before them are what a shell made of one with braces: GTR{1,2} is GTR1 GTR2. */
static const char *hint_of(const wl_args *args, const char *word) {
    for (int i = 1; i < args->typed_count; i++)
        if (args->typed[i] == word && strncmp(args->typed[i - 1], word, 2) == 0 && word[0] != '\0')
            return "; if it was one word with braces, put that in quotes, so that the shell leaves it whole";
    return "";
}

static error_t take(int key, char *argument, struct argp_state *state) {
    wl_reader *r = state->input;
    wl_entry *is_short = wl_entry_short(r, key);
    if (key == KEY_HELP) {
        r->help = 1;
    } else if (key == KEY_VERSION) {
        r->version = 1;
    } else if (is_short) {
        is_short->value = argument ? argument : "";
    } else if (key == ARGP_KEY_ARG) {
        if (r->args->count == r->command->most && !r->help && !r->version) {
            r->status =
                wl_fail(WL_BAD_USAGE, "unexpected '%s'; expected %s%s", argument,
                        r->command->arguments ? r->command->arguments : "options only", hint_of(r->args, argument));
            return EINVAL;
        }
        if (r->args->count < r->command->most) r->args->words[r->args->count++] = argument;
    } else if (key >= KEY_FIRST && key < KEY_FIRST + (int)r->count) {
        r->entries[key - KEY_FIRST].value = argument ? argument : "";
    } else if (key >= KEY_FIRST + (int)r->count && key < KEY_FIRST + (int)(r->count + wl_former_count)) {
        const size_t f = (size_t)(key - KEY_FIRST) - r->count;
        r->former[f] = argument ? argument : "";
    } else if (key == ARGP_KEY_ERROR) {
        r->stopped_at = state->next;
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static wl_status run_argp(wl_reader *r, int argc, char **argv) {
    char *text;
    struct argp_option *options = argp_options(r, &text);
    if (!options) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    struct argp argp = {.options = options, .parser = take};
    error_t error = argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, r);
    WL_FREE(options, text);
    if (error == 0 || r->status != WL_OK) return r->status;
    int at = r->stopped_at;
    if ((at > 0 && at <= argc && wl_diagnose(r, argv[at - 1])) || (at >= 0 && at < argc && wl_diagnose(r, argv[at])))
        return WL_BAD_USAGE;
    return wl_fail(WL_BAD_USAGE, "the command line cannot be read; 'warpladder %s --help' says what is expected",
                   r->command->name);
}

/* Examples come last and as they are: argp would break their lines, and its lines about "short options" say nothing that the table does
   not. */
static wl_status print_help(const wl_command *command, const wl_problem *problem) {
    wl_reader r = {.command = command, .help = 1};
    char *text = NULL, name[64];
    wl_status status = wl_entries_collect(&r, problem);
    struct argp_option *options = status == WL_OK ? argp_options(&r, &text) : NULL;
    if (options) {
        struct argp argp = {.options = options, .args_doc = command->arguments, .doc = command->summary};
        setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
        snprintf(name, sizeof name, "warpladder %s", command->name);
        argp_help(&argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
        printf("\nExample:\n  %s\n", command->example);
    } else if (status == WL_OK) {
        status = wl_fail(WL_NO_MACHINE, "no memory for the help");
    }
    WL_FREE(options, text, r.entries);
    return status;
}

/* For the manual and for shells: all options, as print_help has them. */
static wl_status print_manual(const char *word, const wl_command *command) {
    wl_reader r = {.command = command, .help = strcmp(word, "--man") == 0};
    wl_status status = wl_entries_collect(&r, NULL);
    if (status == WL_OK) wl_manual_print(word, &r);
    free(r.entries);
    return status;
}

/* --- From entries to a line --- */

static const char *common_value(const wl_reader *r, const char *name) {
    const wl_entry *e = wl_entry_named(r, name);
    return !e || e->origin != WL_COMMON ? NULL : e->value ? e->value : e->option->default_value;
}

/* --out names a folder to be made, but not several. */
static wl_status require_parent(const char *out) {
    char *copy = strdup(out);
    const char *parent = copy ? dirname(copy) : ".";
    wl_status status = WL_OK;
    if (access(parent, F_OK) != 0)
        status =
            wl_fail(WL_BAD_USAGE, "option --out: found no folder %s for %s; expected one, or --make-folders to make it",
                    parent, out);
    free(copy);
    return status;
}

static wl_status fill_common(const wl_reader *r, wl_args *args) {
    const char *seed = common_value(r, "seed");
    args->device = common_value(r, "device");
    args->device_given = args->device && wl_entry_named(r, "device")->value;
    args->out = common_value(r, "out");
    args->json = common_value(r, "json") != NULL;
    args->quiet = common_value(r, "quiet") != NULL;
    args->make_folders = common_value(r, "make-folders") != NULL;
    if (common_value(r, "timings")) wl_timings_begin();
    if (r->command->common & WL_TAKES_FILES) wl_outfile_make_folders(args->make_folders);
    if (args->out && !args->make_folders) WL_TRY(require_parent(args->out));
    args->seed_given = seed && wl_entry_named(r, "seed")->value;
    return seed ? wl_argument_seed(seed, &args->seed) : WL_OK;
}

static wl_status fill_arguments(const wl_reader *r, const wl_option *options, wl_origin which, wl_arguments *arguments,
                                int *given) {
    arguments->options = options;
    arguments->count = wl_option_count(options);
    arguments->values = calloc(arguments->count ? arguments->count : 1, sizeof *arguments->values);
    if (!arguments->values) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    for (size_t i = 0; i < arguments->count; i++) {
        const wl_entry *e = wl_entry_named(r, options[i].name);
        if (!e || e->origin != which || !e->value) continue;
        arguments->values[i] = e->value;
        ++*given;
    }
    return WL_OK;
}

/* An option that only other problems have. */
static wl_status refuse_strangers(const wl_reader *r, const wl_args *args) {
    for (size_t i = 0; i < r->count; i++) {
        const wl_entry *e = &r->entries[i];
        if (e->origin != WL_OF_PROBLEM || !e->value) continue;
        if (!args->problem)
            return wl_fail(WL_BAD_USAGE, "option --%s: found without a problem; expected one before it, as in '%s %s'",
                           e->option->name, r->command->name, e->heading);
        int has = 0;
        for (size_t k = 0; k < args->of_problem.count; k++)
            has |= strcmp(args->of_problem.options[k].name, e->option->name) == 0;
        if (!has)
            return wl_fail(WL_BAD_USAGE, "option --%s: %s has none of that name; it is an option of %s",
                           e->option->name, args->problem->name, e->heading);
    }
    return WL_OK;
}

/* What a former name was given goes to the option's entry. */
static wl_status take_formers(const wl_reader *r, wl_args *args) {
    for (size_t f = 0; f < wl_former_count; f++) {
        wl_entry *entry = r->former[f] ? wl_entry_of_former(r, f) : NULL;
        if (entry == NULL) continue;
        if (entry->value)
            return wl_fail(WL_BAD_USAGE, "option --%s: found with --%s, whose former name it is; expected one of them",
                           wl_formers[f].name, entry->option->name);
        entry->value = r->former[f];
        args->formers |= 1U << f;
    }
    return WL_OK;
}

static wl_status fill(const wl_reader *r, wl_args *args) {
    int ignored = 0;
    WL_TRY(take_formers(r, args));
    if (args->count < r->command->least)
        return wl_fail(WL_BAD_USAGE, "found no %s; expected one, as in '%.*s'", r->command->arguments,
                       (int)strcspn(r->command->example, "\n"), r->command->example);
    wl_status status = fill_common(r, args);
    if (status == WL_OK && (r->command->common & WL_TAKES_PROBLEM) && args->count > 0)
        status = wl_line_fill_pattern(args);
    if (status == WL_OK) status = fill_arguments(r, r->command->options, WL_OWN, &args->own, &ignored);
    if (status == WL_OK && args->problem)
        status = fill_arguments(r, args->problem->options, WL_OF_PROBLEM, &args->of_problem, &args->of_problem_given);
    if (status == WL_OK) status = refuse_strangers(r, args);
    if (status == WL_OK && args->problem && strcmp(r->command->name, "run") != 0 &&
        wl_own_run_asked(args->problem, &args->of_problem))
        return wl_fail(WL_BAD_USAGE, "found options of %s that only 'warpladder run' takes", args->problem->name);
    return status;
}

wl_status wl_args_read(const wl_command *command, int argc, char **argv, wl_args *args, int *finished) {
    *args = (wl_args){.command = command};
    *finished = 1;
    if (argc == 2 && wl_manual_answers(argv[1])) return print_manual(argv[1], command);
    wl_reader r = {.command = command, .args = args};
    args->text = wl_argfile_line(argc, argv); // before argp reorders the words
    args->typed = calloc((size_t)argc + 1, sizeof *args->typed);
    args->words = calloc((size_t)argc + 1, sizeof *args->words);
    for (int i = 0; i < argc && args->typed; i++) args->typed[args->typed_count++] = argv[i];
    wl_status status = args->text && args->typed && args->words
                           ? wl_entries_collect(&r, NULL)
                           : wl_fail(WL_NO_MACHINE, "no memory for the command line");
    if (status == WL_OK) status = run_argp(&r, argc, argv);
    if (status == WL_OK && r.version && !r.help) {
        puts(wl_version_text);
    } else if (status == WL_OK && r.help) {
        status = print_help(command, args->count > 0 ? wl_line_problem(args->words[0]) : NULL);
    } else if (status == WL_OK) {
        status = fill(&r, args);
        *finished = status != WL_OK;
    }
    free(r.entries);
    if (*finished) wl_args_free(args);
    return status;
}

void wl_args_free(wl_args *args) {
    wl_folder_free(&args->stages);
    WL_FREE(args->own.values, args->of_problem.values, args->text, args->typed, args->words, args->pattern);
    *args = (wl_args){0};
}
