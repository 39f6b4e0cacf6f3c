/* Lists of words, commands that are run, and folders for temporary files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

void wl_words_free(wl_word_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
    *list = (wl_word_list){0};
}

wl_status wl_temporary_folder(char **path) {
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] == 0) parent = "/tmp";
    if (asprintf(path, "%s/warpladder-XXXXXX", parent) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    if (mkdtemp(*path) != NULL) return WL_OK;
    wl_fail(WL_NO_MACHINE, "%s: no folder for temporary files: %s", *path, strerror(errno));
    free(*path);
    *path = NULL;
    return WL_NO_MACHINE;
}

/* Deletes what is in the folder `from`. Folders that are not empty are moved to the folder `up`, if it is another one, and counted. So no
   path gets too long, however deep they are. */
static size_t empty_folder(int from, int up, size_t *moved) {
    char name[32];
    size_t left = 0;
    DIR *folder = fdopendir(from);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (unlinkat(from, entry->d_name, 0) == 0 || unlinkat(from, entry->d_name, AT_REMOVEDIR) == 0) continue;
        left++;
        if (up < 0) continue;
        do snprintf(name, sizeof name, ".%zu", ++*moved);
        while (faccessat(up, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        renameat(from, entry->d_name, up, name);
    }
    if (folder != NULL) closedir(folder);
    return left;
}

/* Empties each folder that is left in `path`. Returns how many there were. */
static size_t empty_those_in(const char *path, size_t *moved) {
    struct dirent **entries;
    size_t folders = 0;
    const int up = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
              count = scandir(path, &entries, NULL, NULL);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            fchmodat(up, name, 0700, 0);
            const int inner = openat(up, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner >= 0) empty_folder(inner, up, moved);
            folders += inner >= 0 && unlinkat(up, name, AT_REMOVEDIR) == 0;
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    if (up >= 0) close(up);
    return folders;
}

void wl_remove_folder(const char *path) {
    size_t moved = 0;
    const int top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top >= 0) empty_folder(top, -1, &moved);
    while (empty_those_in(path, &moved) > 0) {
    }
    rmdir(path);
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

wl_status wl_run_command(char *const *words, void (*say)(void *to, char *line), void *to, int *code) {
    int ends[2] = {-1, -1}, status;
    if (say != NULL && pipe2(ends, O_CLOEXEC) != 0) return wl_fail(WL_NO_MACHINE, "no pipe: %s", strerror(errno));
    fflush(NULL); /* the child must not write what is still in our buffers */
    const pid_t child = fork();
    if (child == 0) {
        if (say != NULL && (dup2(ends[1], 2) < 0 || setenv("LC_ALL", "C", 1) != 0))
            _exit(127); /* messages in English */
        execvp(words[0], words);
        _exit(127);
    }
    if (say != NULL) close(ends[1]);
    if (say != NULL && child > 0) hand_lines(ends[0], say, to);
    if (child < 0) return wl_fail(WL_NO_MACHINE, "%s cannot be run: %s", words[0], strerror(errno));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return wl_fail(WL_NO_MACHINE, "%s: %s", words[0], strerror(errno));
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return WL_OK;
}
