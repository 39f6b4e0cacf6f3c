#include "cli/call.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/message.h"
#include "harness/base/outfile.h"
#include "harness/base/timings.h"
#include "harness/bench/device.h"
#include "sim/toolchain/folder.h"

void wl_note_formers(const wl_line *line) {
    for (size_t f = 0; f < wl_former_count; f++)
        if (line->formers >> f & 1)
            wl_note(line, "option --%s: is called --%s now; the old name works for one more version",
                    wl_formers[f].name, wl_formers[f].now);
    const char *left_out = wl_devices_left_out();
    if (*left_out) wl_note(line, "%s", left_out);
    if (line->ignored) wl_note(line, "options without a meaning here, left out: %s", line->ignored);
}

/* NULL: the command has no such option, or no value for it. */
static const char *value_of(const wl_line *line, const char *name) {
    for (size_t i = 0; i < line->own.count; i++)
        if (strcmp(line->own.options[i].name, name) == 0) return wl_argument(&line->own, name);
    return NULL;
}

/* --timings: with the largest of the files that are read, and the one that is written. */
static void tell_timings(const wl_line *line) {
    if (!wl_timings_wanted()) return;
    static const char *const inputs[] = {"db", "reads", "alignment"};
    const char *input = line->count > 0 ? line->words[0] : NULL, *output = value_of(line, "output");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && input == NULL; i++) input = value_of(line, inputs[i]);
    fflush(stdout);
    wl_timings_stop();
    wl_timings_measure(input, output && strcmp(output, "-") != 0 ? output : NULL);
    wl_timings_print(stderr);
}

/* A stage outside the tree: a program with it does the line. It is compiled for the GPU, too, if one of the line's devices is one. */
static wl_status call_folder(wl_line *line, int *code) {
    wl_device_list devices = {.count = 0};
    int for_gpu = 0;
    if (line->device) WL_TRY(wl_devices_select(line->device, &devices));
    for (size_t i = 0; i < devices.count; i++) for_gpu |= devices.items[i].backend == WL_GPU;
    line->typed[0] = line->command->name;
    return wl_folder_call(line->folder, line->pattern, for_gpu, line->typed, code);
}

/* *code: what a stage outside the tree ended with. */
static wl_status run(const wl_command *command, int argc, char **argv, int *code) {
    wl_argfile argfile;
    wl_line line;
    int finished = 1;
    wl_status status = wl_argfile_read(command->foreign, argc, argv, &argfile);
    if (status == WL_OK) status = wl_line_read(command, argfile.argc, argfile.argv, &line, &finished);
    if (!finished) {
        line.ignored = argfile.ignored;
        status = line.folder ? call_folder(&line, code) : command->run(&line);
        if (status == WL_OK) wl_note_formers(&line);
        if (status == WL_OK) tell_timings(&line);
        wl_line_free(&line);
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
    const int error = wl_write_error(stdout); /* also: what was printed before stays before */
    if (status != WL_OK) fprintf(stderr, "warpladder %s: %s\n", command->name, wl_error());
    if (error != 0) fprintf(stderr, "warpladder %s: standard output: %s\n", command->name, strerror(error));
    return status != WL_OK ? (int)status : error != 0 ? WL_NO_MACHINE : WL_OK;
}
