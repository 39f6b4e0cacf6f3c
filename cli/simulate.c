/* warpladder simulate: a CUDA C++ program, compiled for the simulated device and run. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cc.h"
#include "cli/commands.h"
#include "harness/base/memory.h"
#include "sim/occupancy.h"

static const wl_option options[] = {
    {"report", "FILE", NULL, "write the report to FILE as JSON, instead of the tables"},
    {"interactive", "FILE", NULL, "write a page for the browser that shows the first blocks step by step"},
    {"gpu", "GPU", NULL, "report the occupancy on a GPU, such as H200, A100, RTX4090 or a compute capability, 8.6"},
    {"registers", "N", NULL, "registers per thread, for --gpu; or KERNEL=N,... (nvcc -Xptxas -v tells them)"},
    {"blocks", "N", NULL, "simulate the first N blocks of each launch"},
    {"seconds", "N", NULL, "stop after N seconds, and report what there is"},
    {"orders", "N", NULL, "run the program N times more, with blocks and warps in other orders, and tell what changes"},
    {"keep-going", NULL, NULL, "go on after a finding, as far as a GPU does, and count findings by kind and line"},
    {"suppress", "LIST", NULL, "kernels, or lines such as race.cu:6, whose findings are harmless, separated by commas"},
    WL_OPTIONS_CC,
    {NULL, NULL, NULL, NULL}};

/* A whole number, for the program's environment. */
static wl_status tell_number(const wl_args *args, const char *option, const char *variable) {
    double value;
    char text[32];
    if (!wl_argument_given(&args->own, option)) return WL_OK;
    WL_TRY(wl_argument_number(&args->own, option, 1, 1 << 30, &value));
    if (value != (long)value)
        return wl_fail(WL_BAD_USAGE, "option --%s: found '%s'; expected a whole number", option,
                       wl_argument(&args->own, option));
    snprintf(text, sizeof text, "%ld", (long)value);
    setenv(variable, text, 1);
    return WL_OK;
}

/* What the program's report reads of its environment (sim/program/report.cpp). */
static wl_status tell_report(const wl_args *args) {
    if (wl_argument_given(&args->own, "report")) setenv("WL_SIM_REPORT", wl_argument(&args->own, "report"), 1);
    if (wl_argument_given(&args->own, "interactive")) setenv("WL_SIM_PAGE", wl_argument(&args->own, "interactive"), 1);
    if (wl_argument_given(&args->own, "gpu")) setenv("WL_SIM_GPU", wl_argument(&args->own, "gpu"), 1);
    if (wl_argument_given(&args->own, "registers")) setenv("WL_SIM_REGISTERS", wl_argument(&args->own, "registers"), 1);
    if (wl_argument_given(&args->own, "keep-going")) setenv("WL_SIM_KEEP_GOING", "1", 1);
    if (wl_argument_given(&args->own, "suppress")) setenv("WL_SIM_SUPPRESS", wl_argument(&args->own, "suppress"), 1);
    if (args->quiet) setenv("WL_SIM_QUIET", "1", 1);
    WL_TRY(tell_number(args, "blocks", "WL_SIM_BLOCKS"));
    return tell_number(args, "seconds", "WL_SIM_LIMIT");
}

static void pass_on(int number) {
    if (wl_running_command > 0) kill((pid_t)wl_running_command, number);
}

/* The first line in which two files differ; 0: none. */
static size_t first_difference(const char *a, const char *b) {
    FILE *files[] = {fopen(a, "r"), fopen(b, "r")};
    char *lines[2] = {NULL, NULL};
    size_t rooms[2] = {0, 0}, number = 0, differs = 0;
    for (int more = files[0] != NULL && files[1] != NULL; more && !differs;) {
        ssize_t got[2];
        number++;
        for (int i = 0; i < 2; i++) got[i] = getline(&lines[i], &rooms[i], files[i]);
        more = got[0] > 0 || got[1] > 0;
        if (got[0] != got[1] || (got[0] > 0 && memcmp(lines[0], lines[1], (size_t)got[0]) != 0)) differs = number;
    }
    for (int i = 0; i < 2; i++) {
        if (files[i] != NULL) fclose(files[i]);
        free(lines[i]);
    }
    return differs;
}

static int print_file(const char *path) {
    char part[1 << 16];
    FILE *file = fopen(path, "r");
    for (size_t got; file != NULL && (got = fread(part, 1, sizeof part, file)) > 0;) fwrite(part, 1, got, stdout);
    return file == NULL || fclose(file) != 0;
}

/* Runs the program as usual and in `orders` others. The program is to print the same. */
static wl_status run_in_orders(const wl_word_list *words, const char *folder, int orders, int *code) {
    char *usual, *other;
    wl_status status = WL_OK;
    if (orders == 0) return wl_run_command(words->items, NULL, NULL, code);
    if (asprintf(&usual, "%s/usual.txt", folder) < 0 || asprintf(&other, "%s/other.txt", folder) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for a path");
    for (int order = 0; status == WL_OK && order <= orders; order++) {
        char text[16];
        int now;
        snprintf(text, sizeof text, "%d", order);
        setenv("WL_SIM_ORDER", text, 1);
        setenv("WL_SIM_OUTPUT", order ? other : usual, 1);
        if (order) setenv("WL_SIM_QUIET", "1", 1), unsetenv("WL_SIM_REPORT");
        status = wl_run_command(words->items, NULL, NULL, order ? &now : code);
        if (order == 0 && print_file(usual)) status = wl_fail(WL_NO_MACHINE, "%s: cannot be read", usual);
        if (order == 0 || status != WL_OK) continue;
        const size_t line = first_difference(usual, other);
        if (line > 0)
            status = wl_fail(WL_CHECK_FAILED,
                             "the program depends on the order of blocks or warps: line %zu of what it prints differs "
                             "in order %d (WL_SIM_ORDER=%d)",
                             line, order, order);
        else if (now != *code)
            status = wl_fail(WL_CHECK_FAILED,
                             "the program depends on the order of blocks or warps: its exit code is %d in order %d "
                             "(WL_SIM_ORDER=%d), not %d",
                             now, order, order, *code);
    }
    WL_FREE(usual, other);
    return status;
}

static wl_status simulate(const wl_args *args, const wl_cc *cc, char **arguments, int *code) {
    char *folder, *program = NULL;
    const char *gpu = wl_argument(&args->own, "gpu");
    if (gpu != NULL && wl_gpu_named(gpu) == NULL)
        return wl_fail(WL_BAD_USAGE,
                       "option --gpu: found '%.80s'; expected H200, H100, A100, L4, ... or a compute capability", gpu);
    WL_TRY(tell_report(args));
    double orders = 0;
    if (wl_argument_given(&args->own, "orders")) WL_TRY(wl_argument_number(&args->own, "orders", 1, 1000, &orders));
    WL_TRY(wl_temporary_folder(&folder));
    const char *first = args->words[0], *slash = strrchr(first, '/'), *name = slash ? slash + 1 : first;
    if (cc->output == NULL && asprintf(&program, "%s/%.*s", folder, (int)strcspn(name, "."), name) < 0) program = NULL;
    const char *path = cc->output ? cc->output : program;
    wl_status status = path ? wl_cc_build_line(cc, args, path) : wl_fail(WL_NO_MACHINE, "no memory");
    if (status == WL_OK) {
        wl_word_list words = {0};
        wl_word(&words, strchr(path, '/') ? "%s" : "./%s", path);
        while (*arguments) wl_word(&words, "%s", *arguments++);
        /* Signals that end the program leave us time to clean up. */
        static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
        void (*before[sizeof numbers / sizeof *numbers])(int);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            before[i] = signal(numbers[i], pass_on);
            if (before[i] == SIG_IGN) signal(numbers[i], SIG_IGN);
        }
        status = run_in_orders(&words, folder, (int)orders, code);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) signal(numbers[i], before[i]);
        wl_words_free(&words);
    }
    wl_remove_folder(folder);
    free(folder);
    free(program);
    return status;
}

static const wl_command command_simulate;
static int call(int argc, char **argv) { return wl_cc_call(&command_simulate, argc, argv, simulate); }

static const wl_command command_simulate = {
    .name = "simulate",
    .brief = "run a CUDA C++ program of your own on the simulated device",
    .arguments = "FILE.cu... [-- ARGUMENT...]",
    .summary = "Compile a CUDA C++ program for the simulated device and run it with the arguments after \"--\". The "
               "exit code is the program's, or 1 if something was found wrong. 'warpladder cc' keeps the program, and "
               "takes the same options.",
    .example = "warpladder simulate prog.cu\n"
               "  warpladder simulate prog.cu --report report.json -- 1024 7",
    .options = options,
    .common = WL_TAKES_QUIET,
    .least = 1,
    .most = WL_WORDS_MOST,
    .call = call,
};

WL_REGISTER_COMMAND(command_simulate)
