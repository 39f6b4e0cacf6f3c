/* From CUDA C++ to a program for the simulated device. lib/warpladder beside this program, or beside its folder, has what that takes
   (cmake/Toolchain.cmake). Each .cu file is preprocessed, translated by chevrons, and compiled by the script that the suite's own
   kernels are compiled by; its headers are part of what is translated, and line markers keep the places. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "sim/toolchain/toolchain.h"
#include "harness/base/memory.h"

typedef struct {
    const wl_cc *cc;
    const char *compiler;
    char *tools; // lib/warpladder
    char *work;  // for temporary files
    FILE *said;  // what the compiler says; NULL: standard error
} build;

wl_status wl_tools_find(const char *file, char **found) {
    static const char *const places[] = {"lib/warpladder", "../lib/warpladder"};
    char *program = realpath("/proc/self/exe", NULL);
    char *slash = program == NULL ? NULL : strrchr(program, '/');
    *found = NULL;
    for (size_t i = 0; slash != NULL && i < sizeof places / sizeof *places && *found == NULL; i++) {
        char *folder, *library;
        if (asprintf(&folder, "%.*s/%s", (int)(slash - program), program, places[i]) < 0) break;
        if (asprintf(&library, "%s/%s", folder, file) < 0) library = NULL;
        if (library != NULL && access(library, R_OK) == 0) *found = realpath(folder, NULL);
        WL_FREE(library, folder);
    }
    free(program);
    if (*found != NULL) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "lib/warpladder/%s: not found beside this program; install it whole", file);
}

wl_status wl_tools_folders(char ***folders) {
    char *tools;
    size_t count = 0;
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &tools));
    *folders = calloc(WL_TOOLS_FOLDERS + 2, sizeof **folders);
    DIR *folder = opendir(tools);
    if (*folders == NULL || folder == NULL) return wl_fail(WL_NO_MACHINE, "%s: %s", tools, strerror(errno));
    (*folders)[count++] = tools;
    for (struct dirent *entry; count < WL_TOOLS_FOLDERS && (entry = readdir(folder)) != NULL;) {
        char *path, target[1];
        if (asprintf(&path, "%s/%s", tools, entry->d_name) < 0) continue;
        if (readlink(path, target, sizeof target) > 0 && ((*folders)[count] = realpath(path, NULL)) != NULL) count++;
        free(path);
    }
    closedir(folder);
    return WL_OK;
}

/* Runs one command of the build, which compiles `file` or, NULL, links; frees its words. A command that fails makes the input wrong. */
static wl_status run(const build *b, wl_word_list *command, const char *file) {
    wl_messages messages = {.to = b->said ? b->said : stderr};
    int code = 0;
    if (b->cc->verbose) {
        for (size_t i = 0; i < command->count; i++) wl_print(stderr, "%s%s", i ? " " : "", command->items[i]);
        fputc('\n', stderr);
    }
    wl_status status = wl_run_command(command->items, wl_message, &messages, &code);
    if (status == WL_OK && code == 127)
        status = wl_fail(WL_NO_MACHINE,
                         "%s is not found; programs for the simulated device are compiled by g++ and "
                         "binutils, which have to be installed",
                         b->compiler);
    else if (status == WL_OK && code != 0 && file == NULL)
        status = wl_fail(WL_BAD_INPUT, "the program does not link for the simulated device");
    else if (status == WL_OK && code != 0)
        status = wl_fail(WL_BAD_INPUT, "%s: does not compile for the simulated device", file);
    wl_words_free(&messages.told);
    wl_words_free(command);
    return status;
}

static void copy_words(wl_word_list *to, const wl_word_list *from) {
    for (size_t i = 0; i < from->count; i++) wl_word(to, "%s", from->items[i]);
}

/* The simulated device's headers are C++17. */
static const char *standard_of(const wl_cc *cc) {
    static const char *const older[] = {"98", "03", "0x", "11", "1y", "14"};
    const char *year = cc->standard ? strrchr(cc->standard, '+') : NULL;
    for (size_t i = 0; year != NULL && i < sizeof older / sizeof *older; i++)
        if (strcmp(year + 1, older[i]) == 0) return "gnu++17";
    return cc->standard ? cc->standard : "gnu++17";
}

/* The beginning of each compilation. */
static void compiler(const build *b, wl_word_list *command, int instrumented) {
    wl_words(command, b->compiler, "-fdiagnostics-plain-output");
    if (instrumented) wl_word(command, "@%s/compile-flags", b->tools);
    wl_words(command, "-g", "-gno-statement-frontiers"); // else the debugger stops at few of the lines
    wl_word(command, "-std=%s", standard_of(b->cc));
    if (!instrumented) wl_word(command, "-O2");
}

static void headers(const build *b, wl_word_list *command) {
    wl_word(command, "-DWL_SIMULATED");
    wl_word(command, "-I%s/sim/include", b->tools); // ours first: not the toolkit's of the same names
    wl_word(command, "-I%s/forwards", b->tools);
    copy_words(command, &b->cc->compile);
}

/* The shell with one of the suite's own scripts, whose words follow. */
static void script(const build *b, wl_word_list *command, const char *name) {
    wl_word(command, "sh");
    wl_word(command, "%s/%s", b->tools, name);
}

/* What chevrons has written for `file`. */
static wl_status compile_translated(const build *b, const char *file, const char *translated, const char *object) {
    wl_word_list command = {0};
    script(b, &command, "symbol-table.sh");
    wl_words(&command, "gcc", "readelf", "objcopy", "ld", b->tools); // the last is where sim/symbols.h is
    compiler(b, &command, 1);
    copy_words(&command, &b->cc->compile);
    wl_words(&command, "-c", translated, "-o", object);
    return run(b, &command, file);
}

/* The same with headers that are *precompiled, which the caller frees. False: whether the headers or the program is to blame, the usual way has to tell. */
static int compile_quickly(const build *b, const char *file, const char *translated, const char *object,
                           char **precompiled) {
    wl_word_list command = {0};
    char *said = NULL;
    size_t length;
    build own = *b;
    compiler(b, &command, 1);
    copy_words(&command, &b->cc->compile);
    char *shorter = wl_precompiled_headers(&command, translated, precompiled);
    wl_words_free(&command);
    if (shorter == NULL) return 0;
    own.said = open_memstream(&said, &length);
    const int compiled = compile_translated(&own, file, shorter, object) == WL_OK;
    if (own.said != NULL) fclose(own.said);
    if (compiled && said != NULL) fputs(said, b->said ? b->said : stderr);
    WL_FREE(shorter, said);
    return compiled;
}

/* A .cu file, by g++ alone. */
static wl_status translate_cuda(const build *b, const char *file, const char *object) {
    char *plain, *translated, *precompiled = NULL;
    if (asprintf(&plain, "%s/plain.ii", b->work) < 0 || asprintf(&translated, "%s/translated.ii", b->work) < 0)
        return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_word_list command = {0};
    compiler(b, &command, 1);
    wl_words(&command, "-E", "-DWL_SIM_TRANSLATING");
    headers(b, &command);
    wl_words(&command, "-include", "cuda_runtime.h", "-xc++", file, "-o", plain);
    wl_status status = run(b, &command, file);
    if (status == WL_OK) status = wl_refuse_toolkit(plain, b->tools);
    if (status == WL_OK) {
        wl_word(&command, "%s/chevrons", b->tools);
        wl_words(&command, "--preprocessed", plain, translated);
        status = run(b, &command, file);
    }
    if (status == WL_OK && !compile_quickly(b, file, translated, object, &precompiled)) {
        status = compile_translated(b, file, translated, object);
        // Damaged, or of another g++: for a day, as what cannot be made (wl_precompiled).
        if (status == WL_OK && precompiled != NULL && truncate(precompiled, 0) != 0) unlink(precompiled);
    }
    WL_FREE(plain, translated, precompiled);
    return status;
}

/* A .cu file. If it breaks a rule of CUDA's, what g++ says is left out: it means the same mistake, and has less to say. */
static wl_status compile_cuda(const build *b, const char *file, const char *object) {
    char *said = NULL;
    size_t length;
    build own = *b;
    wl_rules *rules = wl_rules_begin(b->tools, &b->cc->compile, standard_of(b->cc), file);
    own.said = open_memstream(&said, &length);
    wl_status status = translate_cuda(&own, file, object);
    if (own.said != NULL) fclose(own.said);
    if (rules == NULL && status != WL_NO_MACHINE) wl_rules_tell_missing(); // without g++ nothing else matters
    const size_t broken = wl_rules_end(rules);
    if (broken > 0)
        status = wl_fail(WL_BAD_INPUT, "%s: CUDA C++ does not allow this", file);
    else if (said != NULL)
        fputs(said, stderr);
    free(said);
    return status;
}

/* Host code, which the compiler takes as it is. */
static wl_status compile_host(const build *b, const char *file, const char *object, int c) {
    wl_word_list command = {0};
    if (c) {
        wl_words(&command, "gcc", "-g", "-O2");
    } else {
        compiler(b, &command, 0);
    }
    wl_word(&command, "-DWL_SIM_HOST_CODE");
    headers(b, &command);
    wl_words(&command, "-c", c ? "-xc" : "-xc++", file, "-o", object);
    return run(b, &command, file);
}

/* The language of a file, "cu", "c++" or "c"; NULL: it is for the linker. */
static const char *language_of(const wl_cc *cc, const char *file) {
    static const char *const suffixes[][2] = {
        {".cu", "cu"}, {".cpp", "c++"}, {".cc", "c++"}, {".cxx", "c++"}, {".c", "c"}};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot != NULL && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(dot, suffixes[i][0]) == 0) return cc->language ? cc->language : suffixes[i][1];
    return NULL;
}

/* Said here in one line: the compiler and the linker take several. */
static wl_status require_file(const char *file) {
    struct stat found;
    const int known = stat(file, &found) == 0 && access(file, R_OK) == 0;
    if (known && !S_ISDIR(found.st_mode)) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: cannot be read: %s", file, strerror(known ? EISDIR : errno));
}

static wl_status compile(const build *b, const char *file, const char *object) {
    const char *language = language_of(b->cc, file);
    if (strcmp(language, "cu") == 0) return compile_cuda(b, file, object);
    return compile_host(b, file, object, strcmp(language, "c") == 0);
}

static wl_status link_to(const build *b, const wl_word_list *objects, const char *flags, const char *output) {
    wl_word_list command = {0};
    wl_words(&command, b->compiler, "-o", output);
    copy_words(&command, objects);
    copy_words(&command, &b->cc->link);
    wl_word(&command, "@%s/%s", b->tools, flags);
    return run(b, &command, NULL);
}

/* A program that was there stays until the new one is whole: a linker that fails leaves none. */
static wl_status link_program(const build *b, const wl_word_list *objects, const char *flags, const char *output) {
    struct stat there;
    char *folder, *whole = NULL;
    if (stat(output, &there) != 0 || !S_ISREG(there.st_mode)) return link_to(b, objects, flags, output);
    WL_TRY(wl_folder_beside(output, &folder));
    wl_status status = asprintf(&whole, "%s/program", folder) < 0 ? wl_fail(WL_NO_MACHINE, "no memory for a path")
                                                                  : link_to(b, objects, flags, whole);
    if (status == WL_OK && rename(whole, output) != 0)
        status = wl_fail(WL_NO_MACHINE, "%s: cannot write: %s", output, strerror(errno));
    wl_remove_folder(folder);
    WL_FREE(folder, whole);
    return status;
}

/* "prog.o" of "src/prog.cu", as -c names it. */
static char *object_name(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    char *object;
    return asprintf(&object, "%.*s.o", (int)(dot ? (size_t)(dot - name) : strlen(name)), name) < 0 ? NULL : object;
}

static wl_status build_files(const build *b, const char *const *files, int count, const char *output) {
    wl_word_list objects = {0};
    /* First, so that its constructors run before the program's, and its report comes after the program's destructors. */
    wl_word(&objects, "-Wl,--whole-archive");
    wl_word(&objects, "%s/libwarpladder-sim.a", b->tools);
    wl_word(&objects, "-Wl,--no-whole-archive");
    wl_status status = WL_OK;
    for (int i = 0; status == WL_OK && i < count; i++) status = require_file(files[i]);
    for (int i = 0; status == WL_OK && i < count; i++) {
        if (language_of(b->cc, files[i]) == NULL) {
            wl_word(&objects, "%s", files[i]);
        } else if (b->cc->objects_only) {
            char *name = output ? NULL : object_name(files[i]);
            status = compile(b, files[i], output ? output : name);
            free(name);
        } else {
            wl_word(&objects, "%s/%d.o", b->work, i);
            status = compile(b, files[i], objects.items[objects.count - 1]);
        }
    }
    if (status == WL_OK && !b->cc->objects_only)
        status = link_program(b, &objects, "link-flags", output ? output : "a.out");
    wl_words_free(&objects);
    return status;
}

wl_status wl_cc_build(const wl_cc *cc, const char *const *files, int count, const char *output) {
    build b = {.cc = cc, .compiler = cc->compiler ? cc->compiler : "g++"};
    if (cc->objects_only && output != NULL && count > 1)
        return wl_fail(WL_BAD_USAGE, "found -o with -c and %d files; expected one file", count);
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &b.tools));
    wl_status status = wl_temporary_folder(&b.work);
    if (status == WL_OK) {
        for (size_t i = 0; cc->verbose && i < cc->ignored.count; i++)
            wl_print(stderr, "option %s has no effect on the simulated device\n", cc->ignored.items[i]);
        status = build_files(&b, files, count, output);
        wl_remove_folder(b.work);
    }
    WL_FREE(b.work, b.tools);
    return status;
}

/* Refuses kernels that do what the rules do not allow. */
static wl_status check_kernels(const build *b, const char *kernel, const wl_stage_rules *rules, const char *object) {
    wl_word_list command = {0};
    script(b, &command, "kernel-check.sh");
    wl_words(&command, "objdump", "nm", object, rules->calls, rules->kernels);
    return run(b, &command, kernel);
}

static wl_status seal(const build *b, const char *kernel, const char *object, const char *sealed) {
    wl_word_list command = {0};
    script(b, &command, "private-objects.sh");
    wl_words(&command, "ld", "nm", "objcopy", sealed, object);
    return run(b, &command, kernel);
}

/* The stage's file as an object, and sealed. */
static wl_status seal_stage(const build *b, const char *kernel, const wl_stage_rules *rules, const char *sealed) {
    wl_word_list objects = {0};
    wl_word(&objects, "%s/stage.o", b->work);
    wl_status status = compile_cuda(b, kernel, objects.items[0]);
    if (status == WL_OK && rules != NULL) status = check_kernels(b, kernel, rules, objects.items[0]);
    if (status == WL_OK) status = seal(b, kernel, objects.items[0], sealed);
    wl_words_free(&objects);
    return status;
}

static void name_stage(wl_word_list *words, const char *problem, const char *name, const char *backend) {
    wl_word(words, "-DWL_FOLDER_PROBLEM=\"%s\"", problem);
    wl_word(words, "-DWL_FOLDER_NAME=\"%s\"", name);
    wl_word(words, "-DWL_FOLDER_BACKEND=%s", backend);
}

wl_status wl_stage_object(const char *kernel, const char *problem, const char *name, const wl_stage_rules *rules,
                          const char *object) {
    wl_cc cc = {0};
    build b = {.cc = &cc, .compiler = "g++"};
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &b.tools));
    wl_status status = wl_temporary_folder(&b.work);
    if (status == WL_OK) {
        wl_word(&cc.compile, "-I%s", b.tools);
        if (rules != NULL) wl_word(&cc.compile, "@%s/labs/compile-flags", b.tools);
        wl_word(&cc.compile, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
        name_stage(&cc.compile, problem, name, "WL_SIM");
        wl_word(&cc.compile, "-Wall");
        wl_word(&cc.compile, "-Wextra");
        wl_word(&cc.compile, "-Wno-unused"); // a stub uses little
        wl_word(&cc.compile, "-Wno-unused-parameter");
        wl_word(&cc.compile, "-Wno-unknown-pragmas");
        wl_word(&cc.compile, "-Wno-missing-field-initializers");
        status = seal_stage(&b, kernel, rules, object);
        wl_remove_folder(b.work);
    }
    wl_words_free(&cc.compile);
    WL_FREE(b.work, b.tools);
    return status;
}

wl_status wl_stage_one_source(const char *folder) {
    const wl_cc cc = {0};
    build b = {.cc = &cc};
    char *said = NULL;
    size_t length = 0;
    wl_word_list command = {0};
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &b.tools));
    b.said = open_memstream(&said, &length);
    script(&b, &command, "one-source.sh");
    wl_word(&command, "%s", folder);
    wl_status status = run(&b, &command, folder);
    if (b.said != NULL) fclose(b.said);
    if (status == WL_BAD_INPUT && length > 0) status = wl_fail(WL_BAD_INPUT, "%.*s", (int)strcspn(said, "\n"), said);
    WL_FREE(said, b.tools);
    return status;
}

wl_status wl_stage_link(const char *const *objects, size_t count, const char *output) {
    const wl_cc cc = {0};
    build b = {.cc = &cc, .compiler = "g++"};
    wl_word_list all = {0};
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &b.tools));
    wl_word(&all, "%s/warpladder-labs.o", b.tools);
    for (size_t i = 0; i < count; i++) wl_word(&all, "%s", objects[i]);
    const wl_status status = link_program(&b, &all, "labs-link-flags", output);
    wl_words_free(&all);
    free(b.tools);
    return status;
}

wl_status wl_stage_build(const char *kernel, const char *problem, const char *name, const wl_stage_rules *rules,
                         const char *output) {
    char *folder, *object;
    WL_TRY(wl_temporary_folder(&folder));
    wl_status status =
        asprintf(&object, "%s/sealed.o", folder) < 0 ? wl_fail(WL_NO_MACHINE, "no memory for a path") : WL_OK;
    if (status == WL_OK) status = wl_stage_object(kernel, problem, name, rules, object);
    if (status == WL_OK) status = wl_stage_link((const char *const[]){object}, 1, output);
    wl_remove_folder(folder);
    WL_FREE(folder, object);
    return status;
}

wl_status wl_stage_for_gpu(const char *kernel, const char *problem, const char *name, const char *object) {
    wl_cc cc = {0};
    build b = {.cc = &cc, .compiler = "nvcc"};
    wl_word_list command = {0};
    char *flags = NULL, *plain = NULL;
    WL_TRY(wl_tools_find("gpu-flags", &b.tools)); // nvcc's path and options
    if (asprintf(&flags, "%s/gpu-flags", b.tools) < 0 || asprintf(&plain, "%s.plain", object) < 0)
        return wl_fail(WL_NO_MACHINE, "not enough memory for a path");
    FILE *file = fopen(flags, "r");
    char line[4096];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        wl_word(&command, "%.*s", (int)strcspn(line, "\n"), line);
    if (file != NULL) fclose(file);
    wl_word(&command, "-I%s", b.tools);
    name_stage(&command, problem, name, "WL_GPU");
    wl_words(&command, "-c", "-o", plain, kernel);
    wl_status status = file == NULL ? wl_fail(WL_NO_MACHINE, "%s: cannot be read", flags) : run(&b, &command, kernel);
    if (status == WL_OK) status = seal(&b, kernel, plain, object);
    unlink(plain);
    WL_FREE(flags, plain, b.tools);
    return status;
}
