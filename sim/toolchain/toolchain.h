/* From CUDA C++ to a program for the simulated device: what `warpladder cc`, `simulate` and `lab` build with. */
#pragma once

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/folder.h"

/* Words that grow. `items` ends with NULL, as execvp wants it. */
typedef struct {
    char **items;
    size_t count;
} wl_word_list;

/* Appends a copy, printf format. When memory is short, the process ends with WL_NO_MACHINE. */
void wl_word(wl_word_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of several words. */
#define wl_words(list, ...) wl_words_add((list), (const char *const[]){__VA_ARGS__, NULL})
void wl_words_add(wl_word_list *list, const char *const *words);
void wl_words_free(wl_word_list *list);

typedef struct {
    wl_word_list compile; // for the compiler: -I, -D, ...
    wl_word_list link;    // for the linker, after the objects: -l, -L, ...
    wl_word_list ignored; // options that mean nothing here; named with --verbose
    const char *standard; // "c++20"; NULL: C++17
    const char *language; // -x; NULL: each file's suffix says it
    const char *output;   // NULL: a.out, or FILE.o with -c
    const char *compiler; // -ccbin; NULL: g++
    int objects_only;     // -c
    int verbose;
} wl_cc;

/* Takes nvcc's options out of a line. What remains, *count words, stays in argv. Words from "--" on are not looked at. wl_cc_free
   frees. */
wl_status wl_cc_read(int *count, char **argv, wl_cc *cc);
void wl_cc_free(wl_cc *cc);

/* lib/warpladder, beside this program or beside its folder, if it has `file`. The caller frees the path. */
wl_status wl_tools_find(const char *file, char **folder);
#define WL_TOOLS_SIMULATOR "libwarpladder-sim.a" // the file that all which is built for the simulated device needs

/* Builds `output` from sources, objects and libraries. Temporary files go to a folder of their own, which is removed. */
wl_status wl_cc_build(const wl_cc *cc, const char *const *files, int count, const char *output);

/* What the kernels of a stage may do that a stranger has written: cmake/kernel-check.sh says it. */
typedef struct {
    const char *kernels; // their names, separated by blanks
    const char *calls;   // an extended regular expression: the functions that they may call
} wl_stage_rules;

/* WL_BAD_INPUT: the stage in `folder` may be other code on a GPU: cmake/one-source.sh. */
wl_status wl_stage_one_source(const char *folder);

/* Compiles the stage `kernel` (a .cu file), which becomes variant problem/name of the simulated device, into the object file `object`,
   sealed as the suite's own are (cmake/private-objects.sh). `rules` (NULL: none) are for a stranger's. */
wl_status wl_stage_object(const char *kernel, const char *problem, const char *name, const wl_stage_rules *rules,
                          const char *object);

/* Links `output`: all of Warpladder but its ladders' stages, and the `count` object files of stages. */
wl_status wl_stage_link(const char *const *objects, size_t count, const char *output);

/* Both: `output`, a program with this one stage. */
wl_status wl_stage_build(const char *kernel, const char *problem, const char *name, const wl_stage_rules *rules,
                         const char *output);

/* The same kernel for the GPU: compiled by nvcc as the suite's own stages are and sealed, into the object file `object`. WL_NO_MACHINE: this Warpladder was built without CUDA, or there is no nvcc. */
wl_status wl_stage_for_gpu(const char *kernel, const char *problem, const char *name, const char *object);

/* lib/warpladder and the folders that its links lead to: all that building needs besides the system. At most WL_TOOLS_FOLDERS; the list
   ends with NULL, and has room for one more. The caller frees each and the list. */
enum { WL_TOOLS_FOLDERS = 32 };
wl_status wl_tools_folders(char ***folders);

/* Runs a command and hands what it says on standard error to `say`, line by line without the newline; NULL: it goes to standard
   error. `*code` is its exit code, 127 when it could not be started. */
extern volatile sig_atomic_t wl_running_command; // the process that it waits for; 0: none
wl_status wl_run_command(char *const *words, void (*say)(void *to, char *line), void *to, int *code);

/* The file that `command`, with the file's path after its last word, makes of headers: it is kept in the user's cache folder under `key`
   and `suffix`, and made if it is not there. The caller frees the path; NULL: there is no such folder, or the command fails. */
char *wl_precompiled(const wl_word_list *command, uint64_t key, const char *suffix);
/* A key of the words of the command, and of the texts that its words @FILE name. */
uint64_t wl_precompiled_key(const wl_word_list *command);
/* The same program as `translated`, which chevrons has written, but with a file *precompiled in place of the device's headers. `compiler`:
   the command that compiles it, without files. Returns the path of what to compile, beside `translated`. The caller frees both; NULL: there
   is none. */
char *wl_precompiled_headers(const wl_word_list *compiler, const char *translated, char **precompiled);

/* WL_BAD_INPUT with the place and name where what `g++ -E` wrote includes a header of a CUDA toolkit that clashes with those in the
   folder `ours`. */
wl_status wl_refuse_toolkit(const char *preprocessed, const char *ours);

/* Begins to check a .cu file against the rules of CUDA C++, with the options of its compilation, beside what else is done. NULL: there is
   no clang, which wl_rules_tell_missing says once. */
typedef struct wl_rules wl_rules;
wl_rules *wl_rules_begin(const char *tools, const wl_word_list *options, const char *standard, const char *file);
void wl_rules_tell_missing(void);
/* Waits for the end of it, tells which rules the file breaks, and returns how many. NULL breaks none. */
size_t wl_rules_end(wl_rules *rules);

/* Passes a compiler's or linker's messages on. What is missing in the simulated device is told in one line by its name. */
typedef struct {
    wl_word_list told; // names that have been told
    int quiet;         // what follows explains something that was told otherwise
    FILE *to;
} wl_messages;
void wl_message(void *messages, char *line);
