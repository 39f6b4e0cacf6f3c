#include "cli/call.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/message.h"
#include "harness/base/outfile.h"
#include "harness/base/timings.h"
#include "harness/bench/device.h"

/* NULL: the command has no such option, or no value for it. */
static const char *value_of(const wl_args *args, const char *name) {
    for (size_t i = 0; i < args->own.count; i++)
        if (strcmp(args->own.options[i].name, name) == 0) return wl_argument(&args->own, name);
    return NULL;
}

/* --timings: with the largest of the files that are read, and the one that is written. */
static void tell_timings(const wl_args *args) {
    if (!wl_timings_wanted()) return;
    static const char *const inputs[] = {"db", "reads", "alignment"};
    const char *input = args->count > 0 ? args->words[0] : NULL, *output = value_of(args, "output");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && input == NULL; i++) input = value_of(args, inputs[i]);
    fflush(stdout);
    wl_timings_stop();
    wl_timings_measure(input, output && strcmp(output, "-") != 0 ? output : NULL);
    wl_timings_print(stderr);
}

void wl_tell_end(const wl_args *args) {
    for (size_t f = 0; f < wl_former_count; f++)
        if (args->formers >> f & 1)
            wl_note(args, "option --%s: is called --%s now; the old name works for one more version",
                    wl_formers[f].name, wl_formers[f].now);
    const char *left_out = wl_devices_left_out();
    if (*left_out) wl_note(args, "%s", left_out);
    if (args->ignored) wl_note(args, "options without a meaning here, left out: %s", args->ignored);
    tell_timings(args);
}

/* Stages outside the tree: a program with them does the line. They are compiled for the GPU, too, if one of the line's devices is one. */
static wl_status call_folder(wl_args *args, int *code) {
    wl_device_list devices = {.count = 0};
    int for_gpu = 0;
    if (args->device) WL_TRY(wl_devices_select(args->device, &devices));
    for (size_t i = 0; i < devices.count; i++) for_gpu |= devices.items[i].backend == WL_GPU;
    args->typed[0] = args->command->name;
    return wl_folder_call(&args->stages, for_gpu, args->typed, code);
}

/* *code: what a stage outside the tree ended with. */
static wl_status run(const wl_command *command, int argc, char **argv, int *code) {
    wl_argfile argfile;
    wl_args args;
    int finished = 1;
    wl_status status = wl_argfile_read(command->foreign, argc, argv, &argfile);
    if (status == WL_OK) status = wl_args_read(command, argfile.argc, argfile.argv, &args, &finished);
    if (!finished) {
        args.ignored = argfile.ignored;
        status = args.stages.count > 0 ? call_folder(&args, code) : command->run(&args);
        if (status == WL_OK) wl_tell_end(&args);
        wl_args_free(&args);
    }
    wl_argfile_free(&argfile);
    return status;
}

int wl_command_call(const wl_command *described, int argc, char **argv) {
    if (described->call) return described->call(argc, argv);
    wl_command command = *described;
    if (command.make_options) command.options = command.make_options();
    int code = WL_OK;
    const int own = wl_finish(&command, run(&command, argc, argv, &code));
    return own != WL_OK ? own : code;
}

/* --- The end --- */

int wl_finish(const wl_command *command, wl_status status) {
    const int error = wl_write_error(stdout); // also: what was printed before stays before
    if (status != WL_OK && *wl_error()) fprintf(stderr, "warpladder %s: %s\n", command->name, wl_error());
    if (error != 0) fprintf(stderr, "warpladder %s: standard output: %s\n", command->name, strerror(error));
    return status != WL_OK ? (int)status : error != 0 ? WL_NO_MACHINE : WL_OK;
}
