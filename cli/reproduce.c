/* warpladder reproduce: a paper's figure, measured here. */
#include "papers/common/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"

static int takes(const wl_reproduction *paper, const char *option) {
    for (const wl_option *o = paper->options; o != NULL && o->name != NULL; o++)
        if (strcmp(o->name, option) == 0) return 1;
    return 0;
}

/* "alachiotis2012, suchard2009": the papers that take an option. The caller frees it. */
static char *takers(const char *option) {
    char *names = NULL;
    size_t size;
    FILE *stream = open_memstream(&names, &size);
    if (stream == NULL) return NULL;
    int count = 0;
    for (const wl_reproduction *p = wl_reproductions(); p != NULL; p = p->next)
        if (takes(p, option)) fprintf(stream, "%s%s", count++ > 0 ? ", " : "", p->name);
    fclose(stream);
    return names;
}

/* Every paper's options, each once, with the papers that take it in its help. They are made once. */
static const wl_option *all_options(void) {
    static wl_option *options;
    size_t most = 0, count = 0;
    if (options != NULL) return options;
    for (const wl_reproduction *p = wl_reproductions(); p != NULL; p = p->next)
        for (const wl_option *o = p->options; o != NULL && o->name != NULL; o++) most++;
    options = calloc(most + 1, sizeof *options);
    for (const wl_reproduction *p = wl_reproductions(); options != NULL && p != NULL; p = p->next)
        for (const wl_option *o = p->options; o != NULL && o->name != NULL; o++) {
            size_t known = 0;
            while (known < count && strcmp(options[known].name, o->name) != 0) known++;
            if (known < count) continue;
            char *names = takers(o->name), *help = NULL;
            options[count] = *o;
            if (names != NULL && asprintf(&help, "%s (%s)", o->help, names) >= 0) options[count++].help = help;
            free(names);
        }
    return options;
}

static wl_status list(void) {
    for (const wl_reproduction *p = wl_reproductions(); p != NULL; p = p->next)
        printf("%-14s %s\n", p->name, p->summary);
    return WL_OK;
}

/* An option that another paper's reproduction takes is no option here. */
static wl_status check_options(const wl_line *line, const wl_reproduction *which) {
    for (size_t i = 0; i < line->own.count; i++) {
        const char *option = line->own.options[i].name;
        if (!wl_argument_given(&line->own, option) || takes(which, option)) continue;
        const wl_reproduction *other = wl_reproductions();
        while (!takes(other, option)) other = other->next;
        return wl_fail(WL_BAD_USAGE, "option --%s: found with %s; expected with %s", option, which->name, other->name);
    }
    return WL_OK;
}

/* Of the list alone. */
static wl_status refuse_options(const wl_line *line) {
    const char *given = line->device_given ? "device"
                        : line->seed_given ? "seed"
                        : line->out        ? "out"
                        : line->json       ? "json"
                                           : NULL;
    for (size_t i = 0; i < line->own.count && given == NULL; i++)
        if (line->own.values[i]) given = line->own.options[i].name;
    if (given == NULL) return WL_OK;
    return wl_fail(WL_BAD_USAGE,
                   "option --%s: found without a paper; expected one, as 'warpladder reproduce' lists them", given);
}

static wl_status run(const wl_line *line) {
    if (line->count == 0) {
        WL_TRY(refuse_options(line));
        return list();
    }
    const wl_reproduction *which = wl_reproductions();
    while (which != NULL && strcmp(which->name, line->words[0]) != 0) which = which->next;
    if (which == NULL)
        return wl_fail(WL_BAD_USAGE, "there is no reproduction '%.80s'; 'warpladder reproduce' lists them",
                       line->words[0]);
    WL_TRY(check_options(line, which));
    const wl_paper_request asked = {.device = line->device,
                                    .device_given = line->device_given,
                                    .seed = line->seed,
                                    .out = line->out,
                                    .json = line->json,
                                    .quiet = line->quiet,
                                    .progress = wl_shows_progress(line),
                                    .own = line->own,
                                    .text = line->text};
    return which->run(&asked, which);
}

static const wl_command command_reproduce = {
    .name = "reproduce",
    .brief = "compare a paper's numbers with this machine's",
    .arguments = "[PAPER]",
    .summary =
        "Repeat a paper's run and show its numbers beside this machine's, as a table and charts. Without PAPER, list "
        "the papers. Files go to --out, or else to out/. Without a GPU, the stages are counted on the simulated "
        "device instead of timed.",
    .example = "warpladder reproduce\n"
               "  warpladder reproduce payne2010 --out out\n"
               "  warpladder reproduce payne2010 --extended --size 4096x8192\n"
               "  warpladder reproduce alachiotis2012 --quick --table 1,3",
    .make_options = all_options,
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET,
    .most = 1,
    .run = run,
};

WL_REGISTER_COMMAND(command_reproduce)
