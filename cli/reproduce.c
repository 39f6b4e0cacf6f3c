/* warpladder reproduce: a paper's figure, measured here. */
#include "papers/common/reproduce.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "harness/base/grid.h"

static wl_status list(void) {
    wl_grid grid = {.left = 2};
    for (const wl_reproduction *p = wl_reproductions(); p != NULL; p = p->next) {
        wl_grid_row(&grid);
        wl_grid_put(&grid, NULL, "%s", p->name);
        wl_grid_put(&grid, NULL, "%s", p->summary);
    }
    wl_grid_print(stdout, &grid, "");
    return WL_OK;
}

/* Options of the list, which has none. */
static wl_status refuse_options(const wl_args *args) {
    const char *given = args->device_given ? "device"
                        : args->seed_given ? "seed"
                        : args->out        ? "out"
                        : args->json       ? "json"
                                           : NULL;
    for (size_t i = 0; i < args->own.count && given == NULL; i++)
        if (args->own.values[i]) given = args->own.options[i].name;
    if (given == NULL) return WL_OK;
    return wl_fail(WL_BAD_USAGE,
                   "option --%s: found without a paper; expected one, as 'warpladder reproduce' lists them", given);
}

static wl_status run(const wl_args *args) {
    if (args->count == 0) {
        WL_TRY(refuse_options(args));
        return list();
    }
    const wl_reproduction *which = wl_reproductions();
    while (which != NULL && strcmp(which->name, args->words[0]) != 0) which = which->next;
    if (which == NULL)
        return wl_fail(WL_BAD_USAGE, "there is no reproduction '%.80s'; 'warpladder reproduce' lists them",
                       args->words[0]);
    WL_TRY(wl_reproduction_refuse(which, &args->own));
    const wl_paper_request asked = {.device = args->device,
                                    .device_given = args->device_given,
                                    .seed = args->seed,
                                    .out = args->out,
                                    .json = args->json,
                                    .quiet = args->quiet,
                                    .progress = wl_shows_progress(args),
                                    .own = args->own,
                                    .text = args->text};
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
    .make_options = wl_reproduction_options,
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_OUT | WL_TAKES_JSON | WL_TAKES_QUIET,
    .most = 1,
    .run = run,
};

WL_REGISTER_COMMAND(command_reproduce)
