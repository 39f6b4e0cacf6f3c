/* warpladder check: variants against the reference, at shapes chosen to be awkward. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "harness/bench/check_shapes.h"

static const wl_option options[] = {
    {"quick", NULL, NULL, "leave out the default shape and those with large results, for a quick answer"},
    {"verbose", NULL, NULL, "print a line for each shape"},
    {NULL, NULL, NULL, NULL},
};

static void print_tally(const wl_check_tally *t) {
    printf("%s/%s %s: ", t->variant->problem, t->variant->name, wl_backend_name(t->variant->backend));
    if (t->failed)
        printf("%s: at %s: %s", wl_verdict_word(&t->verdict), t->where, t->verdict.reason);
    else if (t->ok == 0)
        printf("%s", wl_verdict_line(&t->verdict).text);
    else if (t->unsupported > 0)
        printf("ok, %zu shapes; %zu more are not supported (%s: %s)", t->ok, t->unsupported, t->where,
               t->verdict.reason);
    else
        printf("ok, %zu shape%s", t->ok, t->ok == 1 ? "" : "s");
    if (t->ok > 0 && t->too_large > 0) printf("; %zu larger ones are left out (--quick)", t->too_large);
    if (t->ok > 0 && t->left_out > 0) printf("; %zu not tried (%s)", t->left_out, t->why_left_out);
    putchar('\n');
}

static wl_status check_problem(const wl_args *args, const wl_check_request *request) {
    wl_check_tallies tallies;
    wl_status status = wl_check_problem(request, &tallies);
    if (request->progress) fputs("\r\033[K", stderr);
    if (status != WL_OK) return status;
    for (size_t i = 0; i < tallies.count && !args->quiet; i++) print_tally(&tallies.items[i]);
    status = wl_check_tallies_status(&tallies, !args->quiet);
    free(tallies.items);
    return status;
}

/* All problems are looked at even if one fails; a failed check outweighs what a machine lacks. */
static wl_status check(const wl_args *args) {
    size_t count;
    const wl_problem *const *problems = wl_problems(&count);
    wl_device_list devices;
    char said[1024];
    const int quick = wl_argument_given(&args->own, "quick");
    if (quick && args->of_problem_given > 0)
        return wl_fail(WL_BAD_USAGE, "option --quick: found with a shape; expected one or the other");
    wl_status worst = wl_devices_select(args->device, &devices);
    if (worst != WL_OK) return worst;
    for (size_t p = 0; p < count; p++) {
        if (args->problem && problems[p] != args->problem) continue;
        const wl_check_request request = {.problem = problems[p],
                                          .pattern = args->pattern,
                                          .device = args->device,
                                          .devices = &devices,
                                          .shape = args->of_problem_given > 0 ? &args->of_problem : NULL,
                                          .seed = args->seed,
                                          .quick = quick,
                                          .also_unseen = !args->seed_given,
                                          .lines = wl_argument_given(&args->own, "verbose") ? stdout : NULL,
                                          .progress = wl_shows_progress(args)};
        wl_status status = check_problem(args, &request);
        if (status == WL_OK || (worst != WL_OK && worst != WL_NO_MACHINE)) continue;
        worst = status;
        snprintf(said, sizeof said, "%s", wl_error());
    }
    return worst == WL_OK ? WL_OK : wl_fail(worst, "%s", said);
}

static const wl_command command_check = {
    .name = "check",
    .brief = "compare variants with the reference at awkward shapes",
    .arguments = "[PROBLEM[/VARIANT]|DIR]...",
    .summary =
        "Compare the results of variants with those of the serial reference: at the problem's awkward shapes and its "
        "default, or at the shape that options of the problem give. DIR is a folder with a kernel.cu of your own.",
    .example = "warpladder check lessons/03_char4 --device sim\n"
               "  warpladder check lessons --instances 33 --attributes 5 --verbose",
    .options = options,
    .common = WL_TAKES_DEVICE | WL_TAKES_SEED | WL_TAKES_QUIET | WL_TAKES_PROBLEM,
    .most = WL_WORDS_MOST,
    .run = check,
};

WL_REGISTER_COMMAND(command_check)
