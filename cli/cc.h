/* What `warpladder cc` and `warpladder simulate` have in common: nvcc's options. */
#pragma once

#include "cli/args.h"
#include "sim/toolchain/toolchain.h"

/* The rows of nvcc's options in a command's table. */
#define WL_OPTIONS_CC                                                                                              \
    {"output", "FILE", NULL, "the program, or the object file with -c (default: a.out)"},                          \
        {"include-path", "DIR", NULL, "look for headers in DIR; may be repeated"},                                 \
        {"define-macro", "NAME[=TEXT]", NULL, "define a macro; may be repeated"},                                  \
        {"undefine-macro", "NAME", NULL, "undefine a macro; may be repeated"},                                     \
        {"std", "STANDARD", "c++17", "the C++ standard; the simulated device needs C++17 or later"},               \
        {"library", "NAME", NULL, "link with libNAME; may be repeated"},                                           \
        {"library-path", "DIR", NULL, "look for libraries in DIR; may be repeated"},                               \
        {"compiler-options", "WORDS", NULL, "nvcc's -Xcompiler: for g++, separated by commas; may be repeated"}, { \
        "verbose", NULL, NULL, "print each command that is run, and the options that have no effect here"          \
    }

/* Builds the program of a line. WL_BAD_USAGE where `output` is one of its files. */
wl_status wl_cc_build_line(const wl_cc *cc, const wl_args *args, const char *output);

/* A command of such a line: `run` what it builds, with the words after "--"; NULL: it is built, and no more. */
typedef wl_status wl_cc_run(const wl_args *args, const wl_cc *cc, char **arguments, int *code);
int wl_cc_call(const wl_command *command, int argc, char **argv, wl_cc_run *run);
