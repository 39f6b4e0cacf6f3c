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

static wl_status read_folder(const char *word, int (*is_problem)(const char *name), char **variant) {
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

void wl_folder_free(wl_folder_stages *stages) {
    for (size_t i = 0; i < stages->count; i++) free(stages->items[i].variant);
    free(stages->items);
    *stages = (wl_folder_stages){0};
}

wl_status wl_folder_add(wl_folder_stages *stages, const char *folder, int (*is_problem)(const char *name)) {
    char *variant;
    WL_TRY(read_folder(folder, is_problem, &variant));
    if (!WL_GROW(stages->items, stages->count, 1)) {
        free(variant);
        return wl_fail(WL_NO_MACHINE, "no memory for a stage");
    }
    stages->items[stages->count++] = (wl_folder_stage){folder, variant};
    for (size_t i = 0; i + 1 < stages->count; i++)
        if (strcmp(stages->items[i].variant, variant) == 0)
            return wl_fail(WL_BAD_USAGE, "found '%s' beside '%s': both are %s; expected folders of different names",
                           folder, stages->items[i].folder, variant);
    return WL_OK;
}

/* The stage's objects, one or two, into the folder `work`. */
static wl_status compile_stage(const wl_folder_stage *stage, size_t number, int for_gpu, const char *work,
                               wl_word_list *objects) {
    char *kernel = kernel_of(stage->folder), *problem = strdup(stage->variant);
    if (!kernel || !problem) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    char *name = strchr(problem, '/');
    *name++ = 0;
    wl_word(objects, "%s/%zu.sim.o", work, number);
    wl_status status = wl_stage_one_source(stage->folder);
    if (status == WL_OK) status = wl_stage_object(kernel, problem, name, NULL, objects->items[objects->count - 1]);
    if (status == WL_OK && for_gpu) {
        wl_word(objects, "%s/%zu.gpu.o", work, number);
        status = wl_stage_for_gpu(kernel, problem, name, objects->items[objects->count - 1]);
    }
    WL_FREE(kernel, problem);
    return status;
}

/* The published stages, "stages/lessons.o" of the tools. */
static wl_status add_ladder(const wl_folder_stages *stages, wl_word_list *objects) {
    const char *variant = stages->items[0].variant;
    char *file, *tools = NULL;
    if (asprintf(&file, "stages/%.*s.o", (int)strcspn(variant, "/"), variant) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for a path");
    const wl_status status = wl_tools_find(file, &tools);
    if (status == WL_OK) wl_word(objects, "%s/%s", tools, file);
    WL_FREE(file, tools);
    return status;
}

wl_status wl_folder_build(const wl_folder_stages *stages, int for_gpu, const char *program) {
    char *work;
    wl_word_list objects = {0};
    WL_TRY(wl_temporary_folder(&work));
    wl_status status = stages->with_ladder ? add_ladder(stages, &objects) : WL_OK;
    for (size_t i = 0; status == WL_OK && i < stages->count; i++)
        status = compile_stage(&stages->items[i], i, for_gpu, work, &objects);
    if (status == WL_OK) status = wl_stage_link((const char *const *)objects.items, objects.count, program);
    wl_words_free(&objects);
    wl_remove_folder(work);
    free(work);
    return status;
}

static const char *word_of(const wl_folder_stages *stages, const char *word) {
    for (size_t i = 0; i < stages->count; i++)
        if (strcmp(word, stages->items[i].folder) == 0) return stages->items[i].variant;
    return word;
}

wl_status wl_folder_call(const wl_folder_stages *stages, int for_gpu, const char *const *words, int *code) {
    char *work, *program;
    wl_word_list command = {0};
    WL_TRY(wl_temporary_folder(&work));
    if (asprintf(&program, "%s/warpladder", work) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_folder_build(stages, for_gpu, program);
    if (status == WL_OK) {
        wl_word(&command, "%s", program);
        for (; *words; words++) wl_word(&command, "%s", word_of(stages, *words));
        fflush(stdout);
        status = wl_run_command(command.items, NULL, NULL, code);
    }
    wl_words_free(&command);
    wl_remove_folder(work);
    WL_FREE(work, program);
    return status;
}
