#define _GNU_SOURCE /* asprintf */
#include "cli/line.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/manual.h"
#include "harness/sim/sim.h"
#include "harness/base/outfile.h"

/* --- The options of a line --- */

/* Keys of other options: KEY_FIRST + place in the table. */
enum { KEY_HELP = 'h', KEY_FIRST = 1000 };

/* Short for options of these names, where a command has them. */
static const struct {
    int key;
    const char *name;
} shorts[] = {{'o', "output"}, {'b', "blank-corner"}};
enum { SHORTS = sizeof shorts / sizeof *shorts };

typedef enum { OWN, COMMON, OF_PROBLEM } origin;

typedef struct {
    const wl_option *option;
    origin origin;
    size_t place;        /* in its origin's list; of OF_PROBLEM only the name counts */
    const char *heading; /* above it in --help; NULL: none */
    const char *value;   /* as given; NULL: not given */
} entry;

/* Everything while a line is being read. */
typedef struct {
    const wl_command *command;
    entry *entries;
    size_t count;
    wl_line *line;
    int help;
    int stopped_at; /* argv index after the word argp could not take; 0: it took all */
    wl_status status;
} reader;

static const struct {
    unsigned flag;
    wl_option option;
} common_options[] = {
    {WL_TAKES_DEVICE,
     {"device", "D:auto cpu sim gpu", "auto",
      "cpu, sim (simulated), gpu, gpu:0,1, or auto: the GPU where there is one, "
      "else sim"}},
    {WL_TAKES_SEED, {"seed", "N", "2010", "seed of all random data"}},
    {WL_TAKES_OUT, {"out", "DIR", NULL, "write result files to DIR"}},
    {WL_TAKES_JSON, {"json", NULL, NULL, "print JSON"}},
    {WL_TAKES_QUIET, {"quiet", NULL, NULL, "no progress, and no table: errors only"}},
};
enum { COMMONS = sizeof common_options / sizeof *common_options };

static entry *find(const reader *r, const char *name) {
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->entries[i].option->name, name) == 0) return &r->entries[i];
    return NULL;
}

/* NULL: no option of this command is so short. */
static entry *find_short(const reader *r, int key) {
    for (size_t i = 0; i < SHORTS; i++)
        if (shorts[i].key == key) return find(r, shorts[i].name);
    return NULL;
}

static void add(reader *r, const wl_option *option, origin origin, size_t place, const char *heading) {
    if (find(r, option->name)) return; /* two problems may have an option of one name */
    r->entries[r->count++] = (entry){option, origin, place, heading, NULL};
}

static size_t option_count(const wl_option *options) {
    size_t count = 0;
    while (options && options[count].name) count++;
    return count;
}

/* Which options there are cannot wait for the problem's name, which may come last: all problems' are taken, and those of
   another problem refused later. With `only`, that problem's alone, for its --help. */
static wl_status collect_options(reader *r, const wl_problem *only) {
    size_t problems, most = option_count(r->command->options) + COMMONS;
    const wl_problem *const *problem = wl_problems(&problems);
    for (size_t p = 0; p < problems; p++) most += option_count(problem[p]->options);
    r->entries = calloc(most ? most : 1, sizeof *r->entries);
    r->count = 0;
    if (!r->entries) return wl_fail(WL_NO_MACHINE, "no memory for the command line");

    for (size_t i = 0; i < option_count(r->command->options); i++) add(r, &r->command->options[i], OWN, i, NULL);
    for (size_t i = 0; i < COMMONS; i++)
        if (r->command->common & common_options[i].flag) add(r, &common_options[i].option, COMMON, i, NULL);
    if (!(r->command->common & WL_TAKES_PROBLEM)) return WL_OK;
    for (size_t p = 0; p < problems; p++) {
        if (only && problem[p] != only) continue;
        for (size_t i = 0; i < option_count(problem[p]->options); i++)
            add(r, &problem[p]->options[i], OF_PROBLEM, i, problem[p]->name);
    }
    return WL_OK;
}

/* --- argp --- */

/* argp's options for the entries; text for the help goes into `text`, both freed by the caller. */
static struct argp_option *argp_options(const reader *r, char **text) {
    enum { HELP = 512, HEADINGS = 32 };
    struct argp_option *options = calloc(r->count + HEADINGS + SHORTS + 2, sizeof *options);
    *text = malloc((r->count + HEADINGS) * HELP);
    if (!options || !*text) {
        free(options);
        free(*text);
        *text = NULL;
        return NULL;
    }
    size_t n = 0;
    int group = 1;
    const char *heading = NULL;
    char *at = *text;
    for (size_t i = 0; i < r->count; i++, at += HELP) {
        const entry *e = &r->entries[i];
        if (e->heading && e->heading != heading && group < HEADINGS) {
            heading = e->heading;
            snprintf(at, HELP, "Options of %s:", heading);
            options[n++] = (struct argp_option){.doc = at, .group = ++group};
            at += HELP;
        }
        const char *value = e->option->default_value;
        snprintf(at, HELP, "%s%s%s%s", e->option->help, value ? " (default: " : "", value ? value : "",
                 value ? ")" : "");
        char *argument = NULL; /* without the values it may have */
        if (e->option->argument) {
            size_t used = strlen(at) + 1;
            argument = at + used;
            snprintf(argument, HELP - used, "%.*s", (int)strcspn(e->option->argument, ":"), e->option->argument);
        }
        options[n++] = (struct argp_option){e->option->name, KEY_FIRST + (int)i, argument, 0, at, group};
        for (size_t k = 0; k < SHORTS; k++)
            if (strcmp(e->option->name, shorts[k].name) == 0)
                options[n++] = (struct argp_option){NULL, shorts[k].key, NULL, OPTION_ALIAS, NULL, group};
    }
    options[n++] = (struct argp_option){"help", KEY_HELP, NULL, 0, "print this", -1};
    return options;
}

static error_t take(int key, char *argument, struct argp_state *state) {
    reader *r = state->input;
    entry *is_short = find_short(r, key);
    if (key == KEY_HELP) {
        r->help = 1;
    } else if (is_short) {
        is_short->value = argument ? argument : "";
    } else if (key == ARGP_KEY_ARG) {
        if (r->line->count == r->command->most && !r->help) {
            r->status = wl_fail(WL_BAD_USAGE, "unexpected '%s'; expected %s", argument,
                                r->command->arguments ? r->command->arguments : "options only");
            return EINVAL;
        }
        if (r->line->count < r->command->most) r->line->words[r->line->count++] = argument;
    } else if (key >= KEY_FIRST && key < KEY_FIRST + (int)r->count) {
        r->entries[key - KEY_FIRST].value = argument ? argument : "";
    } else if (key == ARGP_KEY_ERROR) {
        r->stopped_at = state->next;
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* What is wrong with an option argp did not take; 0 when nothing is. argp would say it itself, but in two lines and
   without what was expected. */
static int blame(const reader *r, const char *word) {
    const entry *match = NULL, *second = NULL;
    if (!word || word[0] != '-' || word[1] == 0) return 0;
    size_t length = strcspn(word, "=");
    if (word[1] == '-') {
        for (size_t i = 0; i < r->count; i++) {
            const char *name = r->entries[i].option->name;
            if (strncmp(name, word + 2, length - 2) != 0) continue;
            if (name[length - 2] == 0) {
                match = &r->entries[i];
                second = NULL;
                break;
            }
            if (match) second = &r->entries[i];
            if (!match) match = &r->entries[i];
        }
    } else if (word[1] == 'h') {
        return 0;
    } else if ((match = find_short(r, word[1])) != NULL) {
        if (word[2]) return 0;
        length = strlen(word);
    }
    const char *name = match ? match->option->name : "", *argument = match ? match->option->argument : NULL;
    if (second)
        wl_fail(WL_BAD_USAGE, "option %.*s could be --%s or --%s", (int)length, word, name, second->option->name);
    else if (!match)
        wl_fail(WL_BAD_USAGE, "unknown option %.*s; 'warpladder %s --help' lists those there are", (int)length, word,
                r->command->name);
    else if (argument && !word[length])
        wl_fail(WL_BAD_USAGE, "option --%s: the value is missing; expected --%s %.*s", name, name,
                (int)strcspn(argument, ":"), argument);
    else if (!argument && word[length])
        wl_fail(WL_BAD_USAGE, "option --%s: found the value '%s'; expected none", name, word + length + 1);
    else
        return 0;
    return 1;
}

static wl_status run_argp(reader *r, int argc, char **argv) {
    char *text;
    struct argp_option *options = argp_options(r, &text);
    if (!options) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    struct argp argp = {.options = options, .parser = take};
    error_t error = argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_NO_EXIT, NULL, r);
    free(options);
    free(text);
    if (error == 0 || r->status != WL_OK) return r->status;
    int at = r->stopped_at;
    if ((at > 0 && at <= argc && blame(r, argv[at - 1])) || (at >= 0 && at < argc && blame(r, argv[at])))
        return WL_BAD_USAGE;
    return wl_fail(WL_BAD_USAGE, "the command line cannot be read; 'warpladder %s --help' says what is expected",
                   r->command->name);
}

/* argp's lines about "short options" say nothing that the table does not. */
static char *without_note(int key, const char *text, void *input) {
    (void)input;
    return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

static wl_status print_help(const wl_command *command, const wl_problem *problem) {
    reader r = {.command = command};
    char *text = NULL, *doc = NULL, name[64];
    wl_status status = collect_options(&r, problem);
    struct argp_option *options = status == WL_OK ? argp_options(&r, &text) : NULL;
    if (options && asprintf(&doc, "%s\vExample:\n  %s", command->summary, command->example) >= 0) {
        struct argp argp = {
            .options = options, .args_doc = command->arguments, .doc = doc, .help_filter = without_note};
        snprintf(name, sizeof name, "warpladder %s", command->name);
        argp_help(&argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
        free(doc);
    } else if (status == WL_OK) {
        status = wl_fail(WL_NO_MACHINE, "no memory for the help");
    }
    free(options);
    free(text);
    free(r.entries);
    return status;
}

/* For the manual and for shells: all options, as print_help has them. */
static wl_status print_manual(const char *word, const wl_command *command) {
    static const wl_option help = {"help", NULL, NULL, "print this"};
    reader r = {.command = command};
    wl_status status = collect_options(&r, NULL);
    wl_option_row *rows = status == WL_OK ? calloc(r.count + 1, sizeof *rows) : NULL;
    if (rows) {
        rows[0] = (wl_option_row){&help, KEY_HELP, NULL};
        for (size_t i = 0; i < r.count; i++) {
            rows[i + 1] = (wl_option_row){r.entries[i].option, 0, r.entries[i].heading};
            for (size_t k = 0; k < SHORTS; k++)
                if (strcmp(rows[i + 1].option->name, shorts[k].name) == 0) rows[i + 1].letter = (char)shorts[k].key;
        }
        wl_manual_print(word, command, rows, r.count + 1);
    } else if (status == WL_OK) {
        status = wl_fail(WL_NO_MACHINE, "no memory for the manual");
    }
    free(rows);
    free(r.entries);
    return status;
}

/* --- From entries to a line --- */

static wl_status read_seed(const char *text, uint64_t *seed) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno == ERANGE)
        return wl_fail(WL_BAD_USAGE, "option --seed: found '%.80s'; expected a whole number from 0 to %llu", text,
                       (unsigned long long)UINT64_MAX);
    *seed = value;
    return WL_OK;
}

static const char *common_value(const reader *r, const char *name) {
    const entry *e = find(r, name);
    return !e || e->origin != COMMON ? NULL : e->value ? e->value : e->option->default_value;
}

static wl_status fill_common(const reader *r, wl_line *line) {
    const char *seed = common_value(r, "seed");
    line->device = common_value(r, "device");
    line->device_given = line->device && find(r, "device")->value;
    line->out = common_value(r, "out");
    line->json = common_value(r, "json") != NULL;
    line->quiet = common_value(r, "quiet") != NULL;
    return seed ? read_seed(seed, &line->seed) : WL_OK;
}

static wl_status no_such_problem(const char *word, size_t length) {
    char names[256] = "";
    size_t count, used = 0;
    const wl_problem *const *problems = wl_problems(&count);
    for (size_t p = 0; p < count && used < sizeof names; p++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", p ? ", " : "", problems[p]->name);
    return wl_fail(WL_BAD_USAGE, "there is no problem '%.*s'; expected one of: %s", (int)length, word, names);
}

/* The problem that words[0], "lessons" or "lessons/03*", names; NULL when it is none. */
static const wl_problem *problem_of(const char *word) {
    char name[64];
    size_t length = strcspn(word, "/");
    if (length >= sizeof name) return NULL;
    memcpy(name, word, length);
    name[length] = 0;
    return wl_problem_named(name);
}

static const char **values_for(const wl_option *options, size_t count) {
    (void)options;
    return calloc(count ? count : 1, sizeof(const char *));
}

static wl_status fill_arguments(const reader *r, const wl_option *options, origin which, wl_arguments *arguments,
                                int *given) {
    arguments->options = options;
    arguments->count = option_count(options);
    arguments->values = values_for(options, arguments->count);
    if (!arguments->values) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    for (size_t i = 0; i < arguments->count; i++) {
        const entry *e = find(r, options[i].name);
        if (!e || e->origin != which || !e->value) continue;
        arguments->values[i] = e->value;
        ++*given;
    }
    return WL_OK;
}

static wl_status require_variant(const wl_problem *problem, const char *pattern) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t i = 0; i < count; i++)
        if (wl_variant_matches(variants[i], pattern)) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "there is no variant '%s'; 'warpladder list %s' names them all", pattern,
                   problem->name);
}

/* The words, separated by spaces. Several come from a shell that found folders where a pattern was meant: in the top folder
   lessons/0* is lessons/01_naive lessons/02_coalesced ..., with a '/' behind each where it was completed by the shell. */
static wl_status fill_pattern(wl_line *line) {
    size_t size = 1;
    for (int i = 0; i < line->count; i++) size += strlen(line->words[i]) + 1;
    char *at = line->pattern = malloc(size);
    if (!at) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    for (int i = 0; i < line->count; i++) {
        size_t length = strlen(line->words[i]);
        while (length > 1 && line->words[i][length - 1] == '/') length--;
        const wl_problem *problem = problem_of(line->words[i]);
        if (!problem) return no_such_problem(line->words[i], strcspn(line->words[i], "/"));
        if (line->problem && problem != line->problem)
            return wl_fail(WL_BAD_USAGE, "found '%s' beside '%s'; expected variants of one problem", line->words[i],
                           line->words[0]);
        line->problem = problem;
        if (i > 0) *at++ = ' ';
        memcpy(at, line->words[i], length);
        at[length] = 0;
        if (strchr(at, '/') && require_variant(problem, at) != WL_OK) return WL_BAD_USAGE;
        at += length;
    }
    return WL_OK;
}

/* An option that only other problems have. */
static wl_status refuse_strangers(const reader *r, const wl_line *line) {
    for (size_t i = 0; i < r->count; i++) {
        const entry *e = &r->entries[i];
        if (e->origin != OF_PROBLEM || !e->value) continue;
        if (!line->problem)
            return wl_fail(WL_BAD_USAGE, "option --%s: found without a problem; expected one before it, as in '%s %s'",
                           e->option->name, r->command->name, e->heading);
        int has = 0;
        for (size_t k = 0; k < line->of_problem.count; k++)
            has |= strcmp(line->of_problem.options[k].name, e->option->name) == 0;
        if (!has)
            return wl_fail(WL_BAD_USAGE, "option --%s: %s has none of that name; it is an option of %s",
                           e->option->name, line->problem->name, e->heading);
    }
    return WL_OK;
}

static wl_status fill(const reader *r, wl_line *line) {
    int ignored = 0;
    if (line->count < r->command->least)
        return wl_fail(WL_BAD_USAGE, "found no %s; expected one, as in '%.*s'", r->command->arguments,
                       (int)strcspn(r->command->example, "\n"), r->command->example);
    wl_status status = fill_common(r, line);
    if (status == WL_OK && (r->command->common & WL_TAKES_PROBLEM) && line->count > 0) status = fill_pattern(line);
    if (status == WL_OK) status = fill_arguments(r, r->command->options, OWN, &line->own, &ignored);
    if (status == WL_OK && line->problem)
        status = fill_arguments(r, line->problem->options, OF_PROBLEM, &line->of_problem, &line->of_problem_given);
    if (status == WL_OK) status = refuse_strangers(r, line);
    if (status == WL_OK && line->problem && line->problem->has_own_run && strcmp(r->command->name, "run") != 0 &&
        line->problem->has_own_run(&line->of_problem))
        return wl_fail(WL_BAD_USAGE, "found options of %s that only 'warpladder run' takes", line->problem->name);
    return status;
}

/* The line as it could be typed again, with what of the environment changes a CPU variant. */
static char *line_text(int argc, char **argv) {
    static const char plain[] = "%+,-./:=@_";
    static const char *const variables[] = {"WL_CPU_ISA", "OMP_NUM_THREADS"};
    size_t size = 1;
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        if (getenv(variables[v])) size += strlen(variables[v]) + strlen(getenv(variables[v])) + 2;
    for (int i = 0; i < argc; i++) size += 4 * strlen(argv[i]) + 3;
    char *text = malloc(size), *at = text;
    if (!text) return NULL;
    for (size_t v = 0; v < sizeof variables / sizeof *variables; v++)
        if (getenv(variables[v])) at += sprintf(at, "%s=%s ", variables[v], getenv(variables[v]));
    for (int i = 0; i < argc; i++) {
        int quote = i > 0 && *argv[i] == 0;
        for (const char *c = argv[i]; *c && i > 0; c++) quote |= !isalnum((unsigned char)*c) && !strchr(plain, *c);
        if (i > 0) *at++ = ' ';
        if (quote) *at++ = '\'';
        for (const char *c = argv[i]; *c; c++) {
            if (*c == '\'') {
                memcpy(at, "'\\''", 4);
                at += 4;
            } else {
                *at++ = *c;
            }
        }
        if (quote) *at++ = '\'';
    }
    *at = 0;
    return text;
}

wl_status wl_line_read(const wl_command *command, int argc, char **argv, wl_line *line, int *finished) {
    *line = (wl_line){0};
    *finished = 1;
    if (argc == 2 && wl_manual_answers(argv[1])) return print_manual(argv[1], command);
    reader r = {.command = command, .line = line};
    line->text = line_text(argc, argv); /* before argp reorders the words */
    wl_status status =
        line->text ? collect_options(&r, NULL) : wl_fail(WL_NO_MACHINE, "no memory for the command line");
    if (status == WL_OK) status = run_argp(&r, argc, argv);
    if (status == WL_OK && r.help) {
        status = print_help(command, line->count > 0 ? problem_of(line->words[0]) : NULL);
    } else if (status == WL_OK) {
        status = fill(&r, line);
        *finished = status != WL_OK;
    }
    free(r.entries);
    if (*finished) wl_line_free(line);
    return status;
}

void wl_line_free(wl_line *line) {
    free(line->own.values);
    free(line->of_problem.values);
    free(line->text);
    free(line->pattern);
    *line = (wl_line){0};
}

wl_status wl_argument_threads(const wl_arguments *arguments, int *threads) {
    if (!wl_argument_given(arguments, "threads")) return WL_OK;
    int64_t number;
    wl_status status = wl_argument_integer(arguments, "threads", 1, 4096, &number);
    if (status != WL_OK) return status;
    *threads = (int)number;
    wl_sim_set_workers(*threads);
    return WL_OK;
}

wl_status wl_argument_bytes(const wl_arguments *arguments, const char *name, size_t *bytes) {
    const char *text = wl_argument(arguments, name), *suffixes = "KMG", *suffix;
    if (text == NULL) return WL_OK;
    char *end;
    double number = isdigit((unsigned char)*text) ? strtod(text, &end) : 0;
    if (number > 0 && *end && (suffix = strchr(suffixes, toupper((unsigned char)*end))) != NULL) {
        number *= exp2(10.0 * (double)(suffix - suffixes + 1));
        end++;
    }
    if (!(number >= 1 && number < 0x1p60) || *end)
        return wl_fail(WL_BAD_USAGE, "option --%s: found '%.80s'; expected bytes, as in 500M or 4G", name, text);
    *bytes = (size_t)number;
    return WL_OK;
}

wl_status wl_refuse_same_file(const char *from, const char *to) {
    struct stat a, b;
    int known = strcmp(from, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(from, &a);
    if (known != 0 || stat(to, &b) != 0 || !S_ISREG(a.st_mode)) return WL_OK;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "%s: is a file that is read; expected another path for the output", to);
}

/* --- The end --- */

int wl_finish(const wl_command *command, wl_status status) {
    const int error = wl_write_error(stdout); /* also: what was printed before stays before */
    if (status != WL_OK) fprintf(stderr, "warpladder %s: %s\n", command->name, wl_error());
    if (error != 0) fprintf(stderr, "warpladder %s: standard output: %s\n", command->name, strerror(error));
    return status != WL_OK ? (int)status : error != 0 ? WL_NO_MACHINE : WL_OK;
}

int wl_shows_progress(const wl_line *line) { return !line->quiet && isatty(STDERR_FILENO); }
