/* warpladder reproduce: a paper's figure, measured here. */
#define _GNU_SOURCE /* asprintf */
#include "papers/common/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "plots/chart.h"
#include "cli/commands.h"
#include "cli/line.h"

static const wl_reproduction *const reproductions[] = {&wl_reproduction_alachiotis2012, &wl_reproduction_ligowski2009,
                                                       &wl_reproduction_payne2010, &wl_reproduction_suchard2009, NULL};

static const wl_option options[] = {
    {"quick", NULL, NULL, "smaller data, a minute or two on a laptop (alachiotis2012, suchard2009)"},
    {"table", "N,N,...", NULL, "these tables only: 1, 2, 3, accuracy (alachiotis2012)"},
    {"extended", NULL, NULL,
     "the whole ladder, beyond the paper's stages, and what bounds each of them: a roofline (payne2010)"},
    {"size", "NxM", NULL, "with --extended: instances and attributes in place of the paper's (payne2010)"},
    {NULL, NULL, NULL, NULL},
};

static const wl_command command = {
    .name = "reproduce",
    .arguments = "[PAPER]",
    .summary = "Repeat a paper's run and set its numbers beside this machine's, as a table and charts; without PAPER, "
               "list the papers. Files go to --out, or else to out/. Where there is no GPU, the stages are counted on "
               "the simulated device instead of timed.",
    .example = "warpladder reproduce\n"
               "  warpladder reproduce payne2010 --out out\n"
               "  warpladder reproduce payne2010 --extended --size 4096x8192\n"
               "  warpladder reproduce alachiotis2012 --quick --table 1,3",
    .options = options,
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET,
    .least = 0,
    .most = 1,
};

static wl_status list(void) {
    for (size_t i = 0; reproductions[i] != NULL; i++)
        printf("%-14s %s\n", reproductions[i]->name, reproductions[i]->summary);
    return WL_OK;
}

static const wl_reproduction *named(const char *name) {
    for (size_t i = 0; reproductions[i] != NULL; i++)
        if (strcmp(reproductions[i]->name, name) == 0) return reproductions[i];
    return NULL;
}

/* ---- what reproductions share ---- */

char *wl_reproduction_file(const wl_line *line, const wl_reproduction *which, const char *what) {
    char *path;
    if (asprintf(&path, "%s/%s%s.tsv", line->out == NULL ? "out" : line->out, which->name, what) < 0) return NULL;
    return path;
}

wl_status wl_reproduction_try(const wl_line *line, const wl_reproduction *which) {
    char *path = wl_reproduction_file(line, which, "");
    wl_status status =
        path == NULL ? wl_fail(WL_NO_MACHINE, "not enough memory for the files' names") : wl_file_try(path);
    free(path);
    return status;
}

wl_status wl_reproduction_draw(const wl_line *line, const char *script, const char *tsv, int in_terminal) {
    wl_status status = wl_chart_draw(script, tsv, "");
    if (status == WL_OK && in_terminal && !line->json && !line->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, script, tsv);
    }
    if (status == WL_OK && !line->quiet) fprintf(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

wl_status wl_reproduction_draw_roofline(const wl_line *line, const char *tsv) {
    wl_status status = wl_chart_draw("roofline", tsv, "_roofline");
    if (status == WL_OK && !line->json && !line->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, "roofline", tsv);
    }
    return status;
}

/* ---- the command ---- */

/* Is `name` one of the words of `list`? */
static int has_word(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0) return 1;
    return 0;
}

/* An option that another paper's reproduction takes is no option here. */
static wl_status check_options(const wl_line *line, const wl_reproduction *which) {
    for (const wl_option *option = options; option->name != NULL; option++) {
        if (!wl_argument_given(&line->own, option->name) || has_word(which->takes, option->name)) continue;
        size_t takes_it = 0;
        while (!has_word(reproductions[takes_it]->takes, option->name)) takes_it++;
        return wl_fail(WL_BAD_USAGE, "option --%s: found with %s; expected with %s", option->name, which->name,
                       reproductions[takes_it]->name);
    }
    return WL_OK;
}

static wl_status run(const wl_line *line) {
    if (line->count == 0) return list();
    const wl_reproduction *which = named(line->words[0]);
    if (which == NULL)
        return wl_fail(WL_BAD_USAGE, "there is no reproduction '%.80s'; 'warpladder reproduce' lists them",
                       line->words[0]);
    wl_status status = check_options(line, which);
    return status == WL_OK ? which->run(line, which) : status;
}

int wl_command_reproduce(int argc, char **argv) {
    wl_line line;
    int finished;
    wl_status status = wl_line_read(&command, argc, argv, &line, &finished);
    if (status == WL_OK && !finished) status = run(&line);
    if (!finished) wl_line_free(&line);
    return wl_finish(&command, status);
}
