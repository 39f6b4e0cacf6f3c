#define _GNU_SOURCE /* asprintf */
#include "cli/folder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/bench/device.h"
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

/* The problem in `#include "lessons/kit/device.h"`; NULL: this line includes none's header. */
static const wl_problem *included(const char *line) {
    char name[64];
    line += strspn(line, " \t");
    if (*line++ != '#') return NULL;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0) return NULL;
    line += 7 + strspn(line + 7, " \t");
    const size_t length = *line == '"' ? strcspn(line + 1, "/\"") : 0;
    if (length == 0 || length >= sizeof name || line[1 + length] != '/') return NULL;
    memcpy(name, line + 1, length);
    name[length] = 0;
    return wl_problem_named(name);
}

/* Without '/' at its end. */
static char *name_of(const char *folder) {
    char *path = realpath(folder, NULL), *slash = path ? strrchr(path, '/') : NULL, *name = NULL;
    if (slash) name = strdup(slash + 1);
    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    free(path);
    return name;
}

wl_status wl_folder_read(const char *word, const wl_problem **problem, char **variant) {
    char *path = kernel_of(word), *name = name_of(word), *line = NULL;
    size_t room = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    wl_status status = WL_OK;
    *problem = NULL;
    *variant = NULL;
    while (file && *problem == NULL && getline(&line, &room, file) > 0) *problem = included(line);
    if (!file || !name)
        status = wl_fail(WL_BAD_INPUT, "%s/kernel.cu: cannot be read: %s", word, strerror(errno));
    else if (*problem == NULL)
        status =
            wl_fail(WL_BAD_INPUT,
                    "%s: found no header of a problem; expected one, as in '#include \"lessons/kit/device.h\"'", path);
    else if (asprintf(variant, "%s/%s", (*problem)->name, name) < 0)
        status = wl_fail(WL_NO_MACHINE, "no memory for a variant's name");
    if (file) fclose(file);
    WL_FREE(path, name, line);
    return status;
}

/* Is a GPU asked for, or found by `auto`? */
static int wants_gpu(const wl_line *line) {
    wl_device_list devices;
    if (line->device == NULL) return 0; /* explain counts on the simulated device */
    if (strncmp(line->device, "gpu", 3) == 0) return 1;
    if (strcmp(line->device, "auto") != 0 || wl_devices_select("auto", &devices) != WL_OK) return 0;
    for (size_t i = 0; i < devices.count; i++)
        if (devices.items[i].backend == WL_GPU) return 1;
    return 0;
}

static wl_status build(const wl_line *line, const char *folder, const char *variant, const char *work, char **program) {
    const char *name = strchr(variant, '/') + 1;
    char *kernel = kernel_of(folder), *object = NULL;
    wl_status status = WL_OK;
    if (!kernel || asprintf(program, "%s/warpladder", work) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    if (wants_gpu(line)) {
        if (asprintf(&object, "%s/gpu.o", work) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
        status = wl_stage_for_gpu(kernel, line->problem->name, name, object);
    }
    if (status == WL_OK) status = wl_stage_build(kernel, line->problem->name, name, NULL, object, *program);
    WL_FREE(kernel, object);
    return status;
}

wl_status wl_folder_call(const wl_line *line, const char *folder, const char *variant, int *code) {
    char *work, *program = NULL;
    wl_word_list words = {0};
    WL_TRY(wl_temporary_folder(&work));
    wl_status status = build(line, folder, variant, work, &program);
    if (status == WL_OK) {
        wl_word(&words, "%s", program);
        wl_word(&words, "%s", line->command->name);
        for (int i = 1; i < line->typed_count; i++)
            wl_word(&words, "%s", strcmp(line->typed[i], folder) == 0 ? variant : line->typed[i]);
        fflush(stdout);
        status = wl_run_command(words.items, NULL, NULL, code);
    }
    wl_words_free(&words);
    wl_remove_folder(work);
    WL_FREE(work, program);
    return status;
}
