#include "sim/toolchain/folder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "sim/toolchain/toolchain.h"

static char *kernel_of(const char *folder) {
    char *path;
    return asprintf(&path, "%s/kernel.cu", folder) < 0 ? NULL : path;
}

int wl_folder_is_stage(const char *word) {
    char *path = kernel_of(word);
    const int is_stage = path != NULL && access(path, R_OK) == 0;
    free(path);
    return is_stage;
}

/* "ladder" of `#include "ladder/kit/device.h"`, in place; NULL: the line includes nothing of a folder. */
static char *included(char *line) {
    line += strspn(line, " \t");
    if (*line++ != '#') return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0) return NULL;
    line += 7 + strspn(line + 7, " \t");
    if (*line++ != '"') return NULL;
    char *slash = strpbrk(line, "/\"");
    if (slash == NULL || *slash != '/') return NULL;
    *slash = 0;
    return line;
}

static char *name_of(const char *folder) {
    char *path = realpath(folder, NULL), *slash = path ? strrchr(path, '/') : NULL, *name = NULL;
    if (slash) name = strdup(slash + 1);
    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    free(path);
    return name;
}

wl_status wl_folder_read(const char *word, int (*is_problem)(const char *name), char **variant) {
    char *path = kernel_of(word), *name = name_of(word), *line = NULL, *problem = NULL;
    size_t room = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    wl_status status = WL_OK;
    *variant = NULL;
    while (file && !problem && getline(&line, &room, file) > 0) {
        problem = included(line);
        if (problem && !is_problem(problem)) problem = NULL;
    }
    if (!file || !name)
        status = wl_fail(WL_BAD_INPUT, "%s/kernel.cu: cannot be read: %s", word, strerror(errno));
    else if (!problem)
        status =
            wl_fail(WL_BAD_INPUT,
                    "%s: found no header of a problem; expected one, as in '#include \"PROBLEM/kit/device.h\"'", path);
    else if (asprintf(variant, "%s/%s", problem, name) < 0)
        status = wl_fail(WL_NO_MACHINE, "no memory for a variant's name");
    if (file) fclose(file);
    WL_FREE(path, name, line);
    return status;
}

wl_status wl_folder_build(const char *folder, const char *variant, const char *object, const char *program) {
    char *kernel = kernel_of(folder), *problem = strdup(variant);
    wl_status status = WL_OK;
    if (!kernel || !problem) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    char *name = strchr(problem, '/');
    *name++ = 0;
    if (object) status = wl_stage_for_gpu(kernel, problem, name, object);
    if (status == WL_OK) status = wl_stage_build(kernel, problem, name, NULL, object, program);
    WL_FREE(kernel, problem);
    return status;
}

wl_status wl_folder_call(const char *folder, const char *variant, int for_gpu, const char *const *words, int *code) {
    char *work, *program, *object;
    wl_word_list command = {0};
    WL_TRY(wl_temporary_folder(&work));
    if (asprintf(&program, "%s/warpladder", work) < 0 || asprintf(&object, "%s/gpu.o", work) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_folder_build(folder, variant, for_gpu ? object : NULL, program);
    if (status == WL_OK) {
        wl_word(&command, "%s", program);
        for (; *words; words++) wl_word(&command, "%s", strcmp(*words, folder) == 0 ? variant : *words);
        fflush(stdout);
        status = wl_run_command(command.items, NULL, NULL, code);
    }
    wl_words_free(&command);
    wl_remove_folder(work);
    WL_FREE(work, program, object);
    return status;
}
