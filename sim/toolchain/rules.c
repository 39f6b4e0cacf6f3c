/* The rules of CUDA C++: which side of a program may call, read and declare what. g++ does not know them, so clang checks each .cu file
   while g++ compiles it. Clang's other errors are left out: g++ judges whether the rest of a program is right. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "sim/toolchain/toolchain.h"

struct wl_rules {
    pthread_t thread;
    int started;
    wl_word_list command, said; // without the file
    char *ours, *file;          // the folder of our headers; the program's
    int are_usual;              // the options
    int code;
};

/* Debian's clang, one with a version in its name ("clang-16"), or what CLANG says. NULL: there is none. The caller frees it. */
static char *find_clang(void) {
    enum { NEWEST = 30, OLDEST = 14 };
    const char *path = getenv("PATH"), *chosen = getenv("CLANG");
    if (chosen != NULL) return *chosen ? strdup(chosen) : NULL;
    for (int version = NEWEST + 1; version >= OLDEST; version--) {
        for (const char *folder = path; folder != NULL && *folder;) {
            const size_t length = strcspn(folder, ":");
            char name[4096], number[16] = "";
            if (version <= NEWEST) snprintf(number, sizeof number, "-%d", version);
            snprintf(name, sizeof name, "%.*s/clang%s", (int)length, folder, number);
            if (length > 0 && access(name, X_OK) == 0) return strdup(name);
            folder += length + (folder[length] == ':');
        }
    }
    return NULL;
}

/* The options of g++ that say where headers are and which macros are set: clang knows few of the others. */
static void copy_headers(wl_word_list *to, const wl_word_list *from) {
    for (size_t i = 0; i < from->count; i++) {
        const char *word = from->items[i];
        const int pair = !strcmp(word, "-include") || !strcmp(word, "-isystem") || !strcmp(word, "-iquote");
        if (word[0] != '-' || !(pair || strchr("IDU", word[1]))) continue;
        wl_word(to, "%s", word);
        if ((pair || word[2] == 0) && i + 1 < from->count) wl_word(to, "%s", from->items[++i]);
    }
}

/* Are these options' macros our own, of which there are few sets? Others' are not worth a file each. */
static int are_usual(const wl_word_list *options) {
    for (size_t i = 0; i < options->count; i++) {
        const char *word = options->items[i];
        const int ours =
            strncmp(word, "-DWL_FOLDER_", 12) == 0 || strcmp(word, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM") == 0;
        if (!ours && (strncmp(word, "-D", 2) == 0 || strncmp(word, "-U", 2) == 0 || strncmp(word, "-i", 2) == 0))
            return 0;
    }
    return 1;
}

static void keep_line(void *to, char *line) { wl_word(to, "%s", line); }

static int run_clang(wl_rules *rules, wl_word_list *command) {
    int code;
    wl_word(command, "%s", rules->file);
    if (wl_run_command(command->items, keep_line, &rules->said, &code) != WL_OK) code = 127;
    wl_words_free(command);
    return code;
}

static int has_line(const wl_word_list *said, const char *text) {
    for (size_t i = 0; i < said->count; i++)
        if (strstr(said->items[i], text) != NULL) return 1;
    return 0;
}

/* One side of the program, with precompiled headers. False: there are none, or they do not fit any more. */
static int check_side(wl_rules *rules, const char *side) {
    wl_word_list command = {0}, with = {0};
    wl_words_add(&command, (const char *const *)rules->command.items);
    wl_word(&command, "--cuda-%s-only", side);
    wl_words_add(&with, (const char *const *)command.items);
    const uint64_t key = wl_precompiled_key(&command);
    wl_word(&command, "%s/sim/include/cuda_runtime.h", rules->ours);
    wl_words(&command, "-Xclang", "-emit-pch", "-Xclang", "-o", "-Xclang");
    char *path = wl_precompiled(&command, key, "pch");
    wl_words_free(&command);
    int fits = path != NULL;
    if (fits) {
        wl_words(&with, "-Xclang", "-include-pch", "-Xclang", path);
        rules->code = run_clang(rules, &with);
        fits =
            rules->code == 0 || !(has_line(&rules->said, "PCH file") || has_line(&rules->said, "precompiled header"));
        if (!fits) unlink(path); // the headers have changed, or clang
    }
    wl_words_free(&with);
    free(path);
    return fits;
}

/* Both sides, as clang does it: the host's if there is nothing to say about the device's. */
static void *check(void *of) {
    wl_rules *rules = of;
    if (rules->are_usual && check_side(rules, "device") && (rules->code != 0 || check_side(rules, "host"))) return NULL;
    wl_words_free(&rules->said);
    wl_words(&rules->command, "-include", "cuda_runtime.h");
    rules->code = run_clang(rules, &rules->command);
    return NULL;
}

void wl_rules_tell_missing(void) {
    static int told;
    if (!told++)
        fputs("clang is not found, so what C++ allows and CUDA forbids is not checked (Debian: apt install clang)\n",
              stderr);
}

wl_rules *wl_rules_begin(const char *tools, const wl_word_list *options, const char *standard, const char *file) {
    char *clang = find_clang();
    if (clang == NULL) return NULL;
    wl_rules *rules = calloc(1, sizeof *rules);
    if (rules == NULL) return free(clang), NULL;
    rules->ours = strdup(tools);
    wl_words(&rules->command, clang, "-x", "cuda", "-fsyntax-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80",
             "-Wno-everything", "-ferror-limit=0", "-fno-spell-checking", "-DWL_SIM_RULES", "-DWL_SIMULATED");
    free(clang);
    wl_word(&rules->command, "-std=%s", standard);
    wl_word(&rules->command, "-I%s/sim/include", tools);
    wl_word(&rules->command, "-I%s/forwards", tools);
    copy_headers(&rules->command, options);
    rules->file = strdup(file);
    rules->are_usual = are_usual(options);
    rules->started = pthread_create(&rules->thread, NULL, check, rules) == 0;
    return rules;
}

// ---------------------------------------------------------------- what clang says

static int any_in(const char *line, const char *const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strstr(line, texts[i]) != NULL) return 1;
    return 0;
}
#define ANY_IN(line, texts) any_in(line, texts, sizeof texts / sizeof *texts)

/* Is the error about a rule of CUDA's by itself? */
static int breaks_rule(const char *line) {
    static const char *const rules[] = {"error: reference to __",
                                        "error: cannot use 'throw' in __",
                                        "error: cannot use 'try' in __",
                                        "error: cannot use variable-length arrays in __",
                                        "error: initialization is not supported for __shared__",
                                        "error: dynamic initialization is not supported for",
                                        "error: kernel call to non-global function",
                                        "must have void return type"};
    static const char *const nested[] = {"error: reference to __global__ function",
                                         "function 'cudaConfigureCall' in __",
                                         "function '__cudaPushCallConfiguration' in __"};
    if (ANY_IN(line, nested)) return 0; // a kernel may launch one, which clang does not know
    return ANY_IN(line, rules) || (strstr(line, "error: call to global function") && strstr(line, "not configured"));
}

/* Does the note say that an error comes from such a rule: of the functions of that name, one is for the other side? */
static int is_wrong_side(const char *line) {
    return strstr(line, "note: candidate ") && strstr(line, ": call to __") && !strstr(line, "call to __global__");
}

static int begins_message(const char *line) {
    static const char *const begins[] = {": error: ", ": note: ", ": fatal error: ", ": warning: "};
    return ANY_IN(line, begins) || strncmp(line, "In file included from ", 22) == 0 ||
           strstr(line, " generated when compiling for ") != NULL;
}

/* The first line after the message that begins at `from`. */
static size_t message_end(const wl_word_list *said, size_t from) {
    size_t end = from + 1;
    while (end < said->count && !begins_message(said->items[end])) end++;
    return end;
}

static int told_before(const wl_word_list *said, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(said->items[i], said->items[at]) == 0) return 1;
    return 0;
}

/* In a header of ours or of the system's: a program calls what it may call, and that is not told the same way on both sides. */
static int is_elsewhere(const wl_rules *rules, const char *line) {
    return strncmp(line, rules->ours, strlen(rules->ours)) == 0 || strncmp(line, "/usr/", 5) == 0;
}

static void put(const wl_word_list *said, size_t from, size_t to) {
    for (; from < to; from++) fprintf(stderr, "%s\n", said->items[from]);
}

/* Errors that leave open what to write instead. `error`: in its text. */
static const struct {
    const char *error, *advice;
} ADVICE[] = {
    {"error: call to global function", "a kernel is launched with name<<<blocks, threads>>>(arguments)"},
    {"error: kernel call to non-global function", "a kernel begins with __global__"},
    {"call to 'threadIdx'", "threadIdx is there in functions that begin with __global__ or __device__"},
    {"call to 'blockIdx'", "blockIdx is there in functions that begin with __global__ or __device__"},
};

/* Tells what to write instead of the error `line`. Returns whether that is known. */
static int advise(const char *line) {
    for (size_t i = 0; i < sizeof ADVICE / sizeof *ADVICE; i++)
        if (strstr(line, ADVICE[i].error)) return fprintf(stderr, "note: %s\n", ADVICE[i].advice) > 0;
    return 0;
}

/* Tells the error at `at` if it is one of a rule. Returns whether it is. */
static int tell(const wl_rules *rules, size_t at) {
    static const char *const useful[] = {"declared here", "called by"};
    const wl_word_list *said = &rules->said;
    const size_t end = message_end(said, at);
    size_t side = 0;
    for (size_t note = end; note < said->count && !side; note = message_end(said, note)) {
        if (strstr(said->items[note], ": error: ") || strstr(said->items[note], " generated when")) break;
        if (is_wrong_side(said->items[note])) side = note;
    }
    if (!side && !breaks_rule(said->items[at])) return 0;
    put(said, at, end);
    if (advise(said->items[at])) return 1;
    const char *reason = side ? strstr(said->items[side], ": call to __") : NULL;
    if (side && is_elsewhere(rules, said->items[side]))
        fprintf(stderr, "note: %s\n", reason + 2); // where the other side's function stands is no help
    else if (side)
        put(said, side, message_end(said, side));
    for (size_t note = end; !side && note < said->count && strstr(said->items[note], ": note: ");
         note = message_end(said, note))
        if (ANY_IN(said->items[note], useful)) put(said, note, message_end(said, note));
    return 1;
}

size_t wl_rules_end(wl_rules *rules) {
    size_t broken = 0;
    if (rules == NULL) return 0;
    if (rules->started) pthread_join(rules->thread, NULL);
    const wl_word_list *said = &rules->said;
    for (size_t i = 0; i < said->count; i++) {
        const char *line = said->items[i];
        if (strstr(line, ": error: ") == NULL || is_elsewhere(rules, line) || told_before(said, i)) continue;
        broken += (size_t)tell(rules, i);
    }
    wl_words_free(&rules->command);
    wl_words_free(&rules->said);
    WL_FREE(rules->ours, rules->file);
    free(rules);
    return broken;
}
