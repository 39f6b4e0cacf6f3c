/* What `warpladder cc` and `warpladder simulate` have in common: nvcc's options, and how a program is built for the simulated device. */
#ifndef WL_CLI_CC_H
#define WL_CLI_CC_H

#include "cli/line.h"

/* Words that grow. `items` ends with NULL, as execvp wants it. */
typedef struct {
    char **items;
    size_t count;
} wl_word_list;

/* Appends a copy, printf format. When memory is short, the process ends with WL_NO_MACHINE. */
void wl_word(wl_word_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wl_words_free(wl_word_list *list);

typedef struct {
    wl_word_list compile; /* for the compiler: -I, -D, ... */
    wl_word_list link;    /* for the linker, after the objects: -l, -L, ... */
    wl_word_list ignored; /* options that mean nothing here; named with --verbose */
    const char *standard; /* "c++20"; NULL: C++17 */
    const char *language; /* -x; NULL: each file's suffix says it */
    const char *output;   /* NULL: a.out, or FILE.o with -c */
    const char *compiler; /* -ccbin; NULL: g++ */
    int objects_only;     /* -c */
    int verbose;
} wl_cc;

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

/* Takes nvcc's options out of a line. What remains, *count words, stays in argv for wl_line_read. Words from "--" on are not looked
   at. wl_cc_free frees. */
wl_status wl_cc_read(int *count, char **argv, wl_cc *cc);
void wl_cc_free(wl_cc *cc);

/* Builds `output` from sources, objects and libraries. Temporary files go to a folder of their own, which is removed. */
wl_status wl_cc_build(const wl_cc *cc, const char *const *files, int count, const char *output);

/* A new folder for temporary files, and its end with all that is in it. The caller frees the path. */
wl_status wl_temporary_folder(char **path);
void wl_remove_folder(const char *path);

/* Runs a command and hands what it says on standard error to `say`, line by line without the newline; NULL: it goes to standard
   error. `*code` is its exit code, 127 when it could not be started. */
wl_status wl_run_command(char *const *words, void (*say)(void *to, char *line), void *to, int *code);

/* WL_BAD_INPUT with the place and name where what `g++ -E` wrote includes a header of a CUDA toolkit that clashes with those in the
   folder `ours`. */
wl_status wl_refuse_toolkit(const char *preprocessed, const char *ours);

/* Passes a compiler's or linker's messages on. What is missing in the simulated device is told in one line by its name. */
typedef struct {
    wl_word_list told; /* names that have been told */
    int quiet;         /* what follows explains something that was told otherwise */
} wl_messages;
void wl_message(void *messages, char *line);

#endif
