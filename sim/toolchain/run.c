/* Lists of words, and commands that are run. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/toolchain/toolchain.h"

void wl_word(wl_word_list *list, const char *format, ...) {
    va_list arguments;
    char *word;
    va_start(arguments, format);
    char **items = realloc(list->items, (list->count + 2) * sizeof *items);
    if (items == NULL || vasprintf(&word, format, arguments) < 0) {
        fputs("warpladder: no memory for a command\n", stderr);
        exit(WL_NO_MACHINE);
    }
    va_end(arguments);
    items[list->count++] = word;
    items[list->count] = NULL;
    list->items = items;
}

void wl_words_add(wl_word_list *list, const char *const *words) {
    for (; *words != NULL; words++) wl_word(list, "%s", *words);
}

void wl_words_free(wl_word_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
    *list = (wl_word_list){0};
}

static void hand_lines(int from, void (*say)(void *to, char *line), void *to) {
    FILE *stream = fdopen(from, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (stream != NULL && (length = getline(&line, &room, stream)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        say(to, line);
    }
    free(line);
    if (stream != NULL)
        fclose(stream);
    else
        close(from);
}

volatile sig_atomic_t wl_running_command;

wl_status wl_run_command(char *const *words, void (*say)(void *to, char *line), void *to, int *code) {
    int ends[2] = {-1, -1}, status;
    if (say != NULL && pipe2(ends, O_CLOEXEC) != 0) return wl_fail(WL_NO_MACHINE, "no pipe: %s", strerror(errno));
    fflush(NULL); // the child must not write what is still in our buffers
    const pid_t child = fork();
    if (child == 0) {
        if (say != NULL && (dup2(ends[1], 2) < 0 || setenv("LC_ALL", "C", 1) != 0)) _exit(127); // messages in English
        execvp(words[0], words);
        _exit(127);
    }
    if (say != NULL) close(ends[1]);
    if (say != NULL && child > 0) hand_lines(ends[0], say, to);
    if (child < 0) return wl_fail(WL_NO_MACHINE, "%s cannot be run: %s", words[0], strerror(errno));
    wl_running_command = child;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return wl_fail(WL_NO_MACHINE, "%s: %s", words[0], strerror(errno));
    wl_running_command = 0;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return WL_OK;
}
