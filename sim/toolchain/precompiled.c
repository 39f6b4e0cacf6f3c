/* A small program takes most of its compilation for the simulated device's headers, which are the same every time. So g++ and clang read
   them once, and keep what they have read in files of the user's cache folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/folder.h"
#include "harness/base/hash.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "sim/toolchain/toolchain.h"

enum { MOST_FILES = 12, A_DAY = 24 * 3600 }; // g++'s files have 50 MB each, clang's 10 MB

/* The user's own folder, where nobody else can put a file. The caller frees it; NULL: there is none. */
static char *cache_folder(void) {
    struct stat found;
    char *folder = wl_cache_path("precompiled");
    if (folder != NULL && wl_make_folders(folder) == 0 && (mkdir(folder, 0700) == 0 || errno == EEXIST) &&
        stat(folder, &found) == 0 && found.st_uid == geteuid() && (found.st_mode & 022) == 0)
        return folder;
    free(folder);
    return NULL;
}

/* Deletes the files that have not been used for longest, and what processes that were killed have left. */
static void remove_oldest(const char *folder) {
    for (int again = 1; again;) {
        char *oldest = NULL;
        struct stat file, before = {0};
        size_t count = 0;
        DIR *open = opendir(folder);
        for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;) {
            char *path;
            if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0) continue;
            const int is_there = stat(path, &file) == 0, counts = is_there && S_ISREG(file.st_mode);
            if (is_there && strncmp(entry->d_name, ".warpladder-", 12) == 0 && time(NULL) - file.st_mtime > A_DAY)
                wl_remove_folder(path);
            count += (size_t)counts;
            if (counts && (oldest == NULL || file.st_mtime < before.st_mtime)) {
                free(oldest);
                oldest = path;
                before = file;
            } else {
                free(path);
            }
        }
        if (open != NULL) closedir(open);
        again = count > MOST_FILES && unlink(oldest) == 0;
        free(oldest);
    }
}

static void say_nothing(void *to, char *line) { (void)to, (void)line; }

/* Has `command` write `path`, which then is there as a whole. What cannot be made is an empty file, and tried again a day later. */
static void make(const wl_word_list *command, const char *folder, const char *path) {
    char *beside, *whole;
    int code = 0;
    if (wl_folder_beside(path, &beside) != WL_OK) return;
    if (asprintf(&whole, "%s/whole", beside) >= 0) {
        wl_word_list words = {0};
        wl_words_add(&words, (const char *const *)command->items);
        wl_word(&words, "%s", whole);
        const wl_status status = wl_run_command(words.items, say_nothing, NULL, &code);
        FILE *none = status == WL_OK && code > 0 && code < 127 ? fopen(whole, "w") : NULL;
        if (none != NULL) fclose(none);
        if (status == WL_OK && code < 127) rename(whole, path);
        wl_words_free(&words);
        free(whole);
    }
    wl_remove_folder(beside);
    free(beside);
    remove_oldest(folder);
}

char *wl_precompiled(const wl_word_list *command, uint64_t key, const char *suffix) {
    struct stat found;
    char *folder = cache_folder(), *path = NULL;
    if (folder == NULL) return NULL;
    if (asprintf(&path, "%s/%016llx.%s", folder, (unsigned long long)key, suffix) < 0) path = NULL;
    if (path != NULL && (stat(path, &found) != 0 || (found.st_size == 0 && time(NULL) - found.st_mtime > A_DAY)))
        make(command, folder, path);
    free(folder);
    if (path == NULL || (stat(path, &found) == 0 && found.st_size > 0 && utimensat(AT_FDCWD, path, NULL, 0) == 0))
        return path;
    free(path);
    return NULL;
}

/* Hashes a word, or the text of the file that @FILE names. */
static uint64_t hash_word(const char *word) {
    char *text = NULL;
    if (*word != '@' || wl_text_read(word + 1, &text) != WL_OK) return wl_hash_text(word);
    const uint64_t hash = wl_hash_text(text);
    free(text);
    return hash;
}

uint64_t wl_precompiled_key(const wl_word_list *command) {
    uint64_t key = 0;
    for (size_t i = 0; i < command->count; i++)
        if (strncmp(command->items[i], "-DWL_FOLDER_", 12) != 0) // which no header of the device looks at
            key = wl_hash_join(key, hash_word(command->items[i]));
    return key;
}

/* The lines of the device's headers in what chevrons has written, text[*from, *to): g++ names the program's file and folder, then come the
   headers, then the program, whose file is named once more. */
static int find_headers(const char *text, const char **from, const char **to) {
    char *begin;
    const char *name = strncmp(text, "# 0 \"", 5) == 0 ? text + 4 : NULL, *end = name ? strchr(name, '\n') : NULL;
    if (end == NULL || asprintf(&begin, "\n# 1 %.*s\n", (int)(end - name), name) < 0) return 0;
    *from = strncmp(end, "\n# 1 \"", 6) == 0 ? strchr(end + 1, '\n') : NULL;
    *to = *from ? strstr(*from, begin) : NULL;
    free(begin);
    if (*to == NULL) return 0;
    ++*from;
    ++*to;
    return 1;
}

static int write_text(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return 0;
    const int written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && written;
}

/* `path` with other letters at its end. */
static char *beside(const char *path, const char *end) {
    char *other;
    return asprintf(&other, "%s%s", path, end) < 0 ? NULL : other;
}

char *wl_precompiled_headers(const wl_word_list *compiler, const char *translated, char **precompiled) {
    char *text, *headers = beside(translated, ".headers"), *shorter = beside(translated, ".ii");
    const char *from = NULL, *to = NULL;
    FILE *file;
    int written = 0;
    *precompiled = NULL;
    if (headers != NULL && shorter != NULL && wl_text_read(translated, &text) == WL_OK) {
        if (find_headers(text, &from, &to) && write_text(headers, from, (size_t)(to - from))) {
            wl_word_list command = {0};
            wl_words_add(&command, (const char *const *)compiler->items);
            wl_words(&command, "-fpreprocessed", "-xc++-header");
            const uint64_t key = wl_hash_join(wl_precompiled_key(&command), wl_hash_bytes(from, (size_t)(to - from)));
            wl_words(&command, headers, "-o");
            *precompiled = wl_precompiled(&command, key, "gch");
            wl_words_free(&command);
        }
        if (*precompiled != NULL && (file = fopen(shorter, "w")) != NULL) {
            written = fwrite(text, 1, (size_t)(from - text), file) == (size_t)(from - text) &&
                      fprintf(file, "#pragma GCC pch_preprocess \"%s\"\n%s", *precompiled, to) >= 0;
            written = fclose(file) == 0 && written;
        }
        free(text);
    }
    free(headers);
    if (written) return shorter;
    WL_FREE(shorter, *precompiled);
    *precompiled = NULL;
    return NULL;
}
