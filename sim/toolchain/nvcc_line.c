/* nvcc's options, in the spellings that nvcc knows: -I DIR, -IDIR, --include-path DIR, -arch=sm_90, -arch sm_90. */
#include <stdlib.h>
#include <string.h>

#include "sim/toolchain/toolchain.h"

typedef enum {
    COMPILE,
    LINK,
    HOST,
    LINKER,
    OUTPUT,
    OBJECTS,
    LANGUAGE,
    STANDARD,
    THREADS,
    COMPILER,
    STREAM,
    VERBOSE,
    IGNORED
} meaning;
typedef enum { NONE, JOINED, VALUE } form; // JOINED: -IDIR or -I DIR. VALUE: -std=X or -std X

static const struct {
    const char *brief, *full; // full: with two dashes
    form form;
    meaning meaning;
} table[] = {
    {"-I", "--include-path", JOINED, COMPILE},
    {"-D", "--define-macro", JOINED, COMPILE},
    {"-U", "--undefine-macro", JOINED, COMPILE},
    {"-include", "--pre-include", VALUE, COMPILE},
    {"-isystem", "--system-include", VALUE, COMPILE},
    {"-iquote", "", VALUE, COMPILE},
    {"-w", "--disable-warnings", NONE, COMPILE},
    {"-l", "--library", JOINED, LINK},
    {"-L", "--library-path", JOINED, LINK},
    {"-Xcompiler", "--compiler-options", VALUE, HOST},
    {"-Xlinker", "--linker-options", VALUE, LINKER},
    {"-o", "--output-file", JOINED, OUTPUT},
    {"", "--output", VALUE, OUTPUT},
    {"-pthread", "", NONE, THREADS},
    {"-c", "--compile", NONE, OBJECTS},
    {"-dc", "--device-c", NONE, OBJECTS},
    {"-dw", "--device-w", NONE, OBJECTS},
    {"-x", "--x", VALUE, LANGUAGE},
    {"-std", "--std", VALUE, STANDARD},
    {"-ccbin", "--compiler-bindir", VALUE, COMPILER},
    {"-default-stream", "--default-stream", VALUE, STREAM},
    {"-v", "--verbose", NONE, VERBOSE},
    {"-g", "--debug", NONE, IGNORED}, // lines are always known
    {"-G", "--device-debug", NONE, IGNORED},
    {"-lineinfo", "--generate-line-info", NONE, IGNORED},
    {"-O", "--optimize", JOINED, IGNORED}, // other optimisation would move the accesses that are counted
    {"-Ofc", "--Ofast-compile", VALUE, IGNORED},
    {"-dopt", "--dopt", VALUE, IGNORED},
    {"-arch", "--gpu-architecture", VALUE, IGNORED},
    {"-code", "--gpu-code", VALUE, IGNORED},
    {"-gencode", "--generate-code", VALUE, IGNORED},
    {"-rdc", "--relocatable-device-code", VALUE, IGNORED},
    {"-maxrregcount", "--maxrregcount", VALUE, IGNORED},
    {"-Xptxas", "--ptxas-options", VALUE, IGNORED},
    {"-Xnvlink", "--nvlink-options", VALUE, IGNORED},
    {"-Xcudafe", "--cudafe-options", VALUE, IGNORED},
    {"-diag-suppress", "--diag-suppress", VALUE, IGNORED},
    {"-diag-error", "--diag-error", VALUE, IGNORED},
    {"-diag-warn", "--diag-warn", VALUE, IGNORED},
    {"-Werror", "--Werror", VALUE, IGNORED},
    {"-t", "--threads", VALUE, IGNORED},
    {"-split-compile", "--split-compile", VALUE, IGNORED},
    {"-cudart", "--cudart", VALUE, IGNORED},
    {"-cudadevrt", "--cudadevrt", VALUE, IGNORED},
    {"-m", "--machine", VALUE, IGNORED},
    {"-m64", "", NONE, IGNORED},
    {"-fmad", "--fmad", VALUE, IGNORED},
    {"-ftz", "--ftz", VALUE, IGNORED},
    {"-prec-div", "--prec-div", VALUE, IGNORED},
    {"-prec-sqrt", "--prec-sqrt", VALUE, IGNORED},
    {"-use_fast_math", "--use_fast_math", NONE, IGNORED},
    {"-restrict", "--restrict", NONE, IGNORED},
    {"-extended-lambda", "--extended-lambda", NONE, IGNORED},
    {"-expt-extended-lambda", "--expt-extended-lambda", NONE, IGNORED},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", NONE, IGNORED},
    {"-res-usage", "--resource-usage", NONE, IGNORED},
    {"-extra-device-vectorization", "--extra-device-vectorization", NONE, IGNORED},
    {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", NONE, IGNORED},
    {"-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets", NONE, IGNORED},
    {"-Wreorder", "--Wreorder", NONE, IGNORED},
    {"-keep", "--keep", NONE, IGNORED},
    {"-MD", "--generate-dependencies-with-compile", NONE, IGNORED},
    {"-MMD", "--generate-nonsystem-dependencies-with-compile", NONE, IGNORED},
    {"-MP", "--generate-dependency-targets", NONE, IGNORED},
    {"-MF", "--dependency-output", VALUE, IGNORED},
    {"-MT", "--dependency-target-name", VALUE, IGNORED},
    {"-time", "--time", VALUE, IGNORED},
};
enum { ROWS = sizeof table / sizeof *table };

/* Does `word` spell row `i`? Then *value is the value in it, NULL when the value is the next word or there is none. */
static int spells(const char *word, size_t i, const char **value) {
    *value = NULL;
    for (int full = 0; full < 2; full++) {
        const char *name = full ? table[i].full : table[i].brief;
        const size_t length = strlen(name);
        if (length == 0 || strncmp(word, name, length) != 0) continue;
        if (word[length] == 0) return 1;
        if (table[i].form == NONE) continue;
        if (word[length] == '=' && (full || table[i].form == VALUE)) return *value = word + length + 1, 1;
        if (!full && table[i].form == JOINED) return *value = word + length, 1;
    }
    return 0;
}

/* Whole names come before joined values: -lineinfo is not the library "ineinfo". ROWS: none. */
static size_t row_of(const char *word, const char **value) {
    for (int joined = 0; joined < 2; joined++)
        for (size_t row = 0; row < ROWS; row++)
            if ((table[row].form == JOINED) == joined && spells(word, row, value)) return row;
    return ROWS;
}

static void each_word(wl_word_list *list, const char *before, const char *text) {
    while (*text) {
        const size_t length = strcspn(text, ", ");
        if (length > 0) wl_word(list, "%s%.*s", before, (int)length, text);
        text += length + (text[length] != 0);
    }
}

/* CUDA's libraries are part of the simulated device, or their headers say that they are not there. The toolkit's would need a GPU. */
static int is_cuda_library(const char *value) {
    static const char *const libraries[] = {"cuda",    "cudart",     "cudadevrt", "cublas", "cublasLt",  "curand",
                                            "cufft",   "cufftw",     "cusparse",  "cudnn",  "cusolver",  "cusolverMg",
                                            "nvrtc",   "nvJitLink",  "nvjpeg",    "nccl",   "nvidia-ml", "cufile",
                                            "culibos", "nvToolsExt", "cutensor"};
    const size_t length = strlen(value), rest = strlen("_static");
    const size_t size = length > rest && strcmp(value + length - rest, "_static") == 0 ? length - rest : length;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strlen(libraries[i]) == size && strncmp(value, libraries[i], size) == 0) return 1;
    return strncmp(value, "npp", 3) == 0;
}

static wl_status take(wl_cc *cc, size_t row, const char *word, const char *value) {
    const char *name = table[row].brief;
    const int given = table[row].meaning == LINK && strcmp(name, "-l") == 0 && is_cuda_library(value);
    switch (given ? IGNORED : table[row].meaning) {
        case COMPILE:
            if (table[row].form == VALUE) wl_word(&cc->compile, "%s", name), wl_word(&cc->compile, "%s", value);
            if (table[row].form != VALUE) wl_word(&cc->compile, "%s%s", name, value ? value : "");
            break;
        case LINK:
            wl_word(&cc->link, "%s%s", name, value);
            break;
        case HOST:
            each_word(&cc->compile, "", value);
            each_word(&cc->link, "", value);
            break;
        case LINKER:
            each_word(&cc->link, "-Wl,", value);
            break;
        case OUTPUT:
            cc->output = value;
            break;
        case OBJECTS:
            cc->objects_only = 1;
            break;
        case LANGUAGE:
            if (strcmp(value, "cu") != 0 && strcmp(value, "c++") != 0 && strcmp(value, "c") != 0)
                return wl_fail(WL_BAD_USAGE, "option -x: found '%.80s'; expected cu, c++ or c", value);
            cc->language = value;
            break;
        case STANDARD:
            cc->standard = value;
            break;
        case THREADS:
            wl_word(&cc->link, "-pthread");
            break;
        case COMPILER:
            cc->compiler = value;
            break;
        case STREAM:
            if (strcmp(value, "per-thread") == 0)
                wl_word(&cc->compile, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
            else if (strcmp(value, "legacy") != 0 && strcmp(value, "null") != 0)
                return wl_fail(WL_BAD_USAGE, "option --default-stream: found '%.80s'; expected legacy or per-thread",
                               value);
            break;
        case VERBOSE:
            cc->verbose = 1;
            break;
        case IGNORED:
            wl_word(&cc->ignored, "%s", word);
            break;
    }
    return WL_OK;
}

wl_status wl_cc_read(int *count, char **argv, wl_cc *cc) {
    *cc = (wl_cc){0};
    int kept = 1, i = 1;
    for (; i < *count && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i], *value = NULL;
        const size_t row = word[0] == '-' ? row_of(word, &value) : ROWS;
        if (row < ROWS) {
            const int optional = strcmp(table[row].brief, "-O") == 0;
            if (table[row].form != NONE && value == NULL) {
                if (!optional && i + 1 == *count) return wl_fail(WL_BAD_USAGE, "option %s: the value is missing", word);
                value = optional ? "" : argv[++i];
            }
            WL_TRY(take(cc, row, word, value));
        } else if (word[0] == '-' && word[1] && strchr("Wfm", word[1]) && word[2]) { // g++'s own
            if (strncmp(word, "-Wl,", 4) != 0) wl_word(&cc->compile, "%s", word);
            if (word[1] != 'W' || strncmp(word, "-Wl,", 4) == 0) wl_word(&cc->link, "%s", word);
        } else {
            argv[kept++] = argv[i];
        }
    }
    while (i < *count) argv[kept++] = argv[i++];
    argv[ *count = kept] = NULL;
    return WL_OK;
}

void wl_cc_free(wl_cc *cc) {
    wl_words_free(&cc->compile);
    wl_words_free(&cc->link);
    wl_words_free(&cc->ignored);
}
