/* warpladder cc: a CUDA C++ program for the simulated device. */
#include "cli/cc.h"

#include <stdlib.h>
#include <string.h>

#include "cli/call.h"
#include "cli/commands.h"
#include "cli/words.h"
#include "harness/base/outfile.h"

static const wl_option options[] = {
    WL_OPTIONS_CC, {"compile", NULL, NULL, "make object files, no program"}, {NULL, NULL, NULL, NULL}};

wl_status wl_cc_build_line(const wl_cc *cc, const wl_args *args, const char *output) {
    for (int i = 0; output != NULL && i < args->count; i++) WL_TRY(wl_refuse_same_file(args->words[i], output));
    return wl_cc_build(cc, args->words, args->count, output);
}

/* A stage's folder becomes Warpladder with that stage, whose commands then need no compiler. */
static wl_status build_line(const wl_cc *cc, const wl_args *args) {
    const char *output = cc->output ? cc->output : "a.out";
    wl_folder_stages stages = {0};
    if (args->count != 1 || !wl_folder_is_stage(args->words[0])) return wl_cc_build_line(cc, args, cc->output);
    wl_status status = wl_folder_add(&stages, args->words[0], wl_line_is_problem);
    if (status == WL_OK) status = wl_folder_build(&stages, 0, output);
    wl_folder_free(&stages);
    return status;
}

int wl_cc_call(const wl_command *command, int argc, char **argv, wl_cc_run *run) {
    static char *none[] = {NULL};
    wl_args args;
    wl_cc cc = {0};
    int finished = 1, code = 0;
    char **arguments = none;
    wl_status status = wl_cc_read(&argc, argv, &cc);
    for (int i = 1; run != NULL && i < argc; i++)
        if (strcmp(argv[i], "--") == 0) arguments = argv + i + 1, argv[i] = NULL, argc = i;
    if (status == WL_OK) status = wl_args_read(command, argc, argv, &args, &finished);
    if (status == WL_OK && !finished) status = run ? run(&args, &cc, arguments, &code) : build_line(&cc, &args);
    if (!finished) wl_args_free(&args);
    wl_cc_free(&cc);
    const int ours = wl_finish(command, status);
    return ours != WL_OK ? ours : code;
}

static const wl_command command_cc;
static int call(int argc, char **argv) { return wl_cc_call(&command_cc, argc, argv, NULL); }

static const wl_command command_cc = {
    .name = "cc",
    .brief = "compile a CUDA C++ program for the simulated device",
    .arguments = "FILE.cu... | DIR",
    .summary = "Compile a CUDA C++ program for the simulated device, with the host's g++. The program runs without a "
               "GPU and ends with a report: what was found wrong, and what each kernel and source line did to memory. "
               "nvcc's options are taken; those that mean nothing here, such as -arch and -O, have no effect. Files "
               "for the linker (.o, .a, .so) may be given too. A folder DIR with a stage's kernel.cu becomes a program "
               "that checks and explains this stage; then -o alone has a meaning.",
    .example = "warpladder cc prog.cu -o prog && ./prog\n"
               "  warpladder cc -I include main.cpp kernels.cu -o prog -lm\n"
               "  warpladder cc my_stage -o mine && ./mine check lessons/my_stage --device sim",
    .options = options,
    .least = 1,
    .most = WL_WORDS_MOST,
    .call = call,
};

WL_REGISTER_COMMAND(command_cc)
