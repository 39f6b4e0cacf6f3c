/* chevrons [--preprocessed] IN OUT: rewrites the three things of CUDA C that are syntax, so that the host compiler can read a
   kernel file. Everything else is the business of harness/sim/include.

     name<T><<<grid, block, bytes>>>(a, b);
       becomes  wl_sim_launch(wl_sim_shape(grid, block, bytes), name<T>, a, b);
     extern __shared__ int memory[];
       becomes  int *memory = (int *)wl_sim_dynamic_shared();
     __launch_bounds__(threads) name(int a) {
       becomes  __launch_bounds__(threads) name(int a) { wl_sim_bound(threads);

   Lines keep their numbers: errors and counters name the line of the .cu file.

   With --preprocessed, IN is what `g++ -E -DWL_SIM_TRANSLATING` wrote. Headers are part of it and macros are expanded, so launches
   in both are rewritten too. Its line markers say where each line comes from. The words that cuda_runtime.h leaves alone for
   WL_SIM_TRANSLATING, __shared__ and the like, are replaced here. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;
static char *text; /* the file */
static char *code; /* the same with comments and literals blanked: where to look for syntax */
static size_t length;
static int preprocessed;

/* Where `at` was written: the file, [*file_length], and the line. */
static size_t line_of(size_t at, const char **file, size_t *file_length) {
    size_t line = 1;
    *file = path;
    *file_length = strlen(path);
    for (size_t i = 0; i < at && i < length; i++) {
        if (preprocessed && (i == 0 || text[i - 1] == '\n') && text[i] == '#' &&
            text[i + 1] == ' ') { // # 12 "file.cu" 2
            char *name;
            const size_t number = strtoul(text + i + 2, &name, 10), end = i + strcspn(text + i, "\n");
            if (name < text + end && name[0] == ' ' && name[1] == '"' && end <= at) {
                *file = name + 2;
                *file_length = strcspn(name + 2, "\"\n");
                line = number;
                i = end;
                continue;
            }
        }
        line += text[i] == '\n';
    }
    return line;
}

static void fail(size_t at, const char *format, ...) {
    const char *file;
    size_t file_length;
    const size_t line = line_of(at, &file, &file_length);
    fprintf(stderr, "%.*s:%zu: ", (int)file_length, file, line);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void read_file(void) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail(0, "cannot be opened");
    size_t room = 1 << 16;
    text = malloc(room + 1);
    for (size_t got; text != NULL && (got = fread(text + length, 1, room - length, file)) > 0;) {
        length += got;
        if (length == room) text = realloc(text, (room *= 2) + 1);
    }
    if (text == NULL || ferror(file)) fail(0, "cannot be read");
    fclose(file);
    text[length] = '\0';
}

/* Is the quote at `i` one that separates digits, as in 1'000'000? */
static int separates_digits(size_t i) {
    size_t word = i;
    while (word > 0 && (isalnum((unsigned char)text[word - 1]) || strchr("_'.", text[word - 1]))) word--;
    return word < i && isdigit((unsigned char)text[word]);
}

/* Where the literal ends that the quote at `i` begins: behind its closing quote, or at the end of the line. */
static size_t literal_end(size_t i) {
    size_t end = i + 1;
    if (text[i] == '"' && i > 0 && text[i - 1] == 'R' &&
        (i == 1 || !isalnum((unsigned char)text[i - 2]) || strchr("8uUL", text[i - 2]))) { // R"mark( ... )mark"
        size_t open = i + strcspn(text + i, "(");
        for (; end < length; end++)
            if (text[end] == ')' && strncmp(text + end + 1, text + i + 1, open - i - 1) == 0 &&
                text[end + open - i] == '"')
                return end + open - i + 1;
        fail(i, "raw string without end");
    }
    while (end < length && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return end + (end < length && text[end] == text[i]);
}

/* Blank comments, strings, characters and backslashes before a line's end in `code`; newlines stay. */
static void blank_literals(void) {
    code = malloc(length + 1);
    if (code == NULL) fail(0, "not enough memory");
    memcpy(code, text, length + 1);
    for (size_t i = 0; i < length;) {
        size_t end = i + 1;
        if (text[i] == '/' && text[i + 1] == '/') {
            while (end < length && (text[end] != '\n' || text[end - 1] == '\\')) end++;
        } else if (text[i] == '/' && text[i + 1] == '*') {
            char *close = strstr(text + i + 2, "*/");
            if (close == NULL) fail(i, "comment without end");
            end = (size_t)(close - text) + 2;
        } else if (text[i] == '"' || (text[i] == '\'' && !separates_digits(i))) {
            end = literal_end(i);
        } else if (text[i] != '\\') {
            i = end;
            continue;
        }
        for (; i < end && i < length; i++)
            if (code[i] != '\n') code[i] = ' ';
    }
}

static size_t skip_space(size_t i) {
    while (i < length && isspace((unsigned char)code[i])) i++;
    return i;
}

/* The matching bracket of code[open], counting only that kind. */
static size_t matching(size_t open, char left, char right) {
    size_t depth = 0;
    for (size_t i = open; i < length; i++) {
        if (code[i] == left) depth++;
        if (code[i] == right && --depth == 0) return i;
    }
    fail(open, "'%c' without '%c'", left, right);
    return 0;
}

static int is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t skip_space_back(size_t i) {
    while (i > 0 && isspace((unsigned char)code[i - 1])) i--;
    return i;
}

/* Where the callee that ends before `end` begins: name, ns::name, name<T, (4 > 3)>; `end` when there is none. */
static size_t callee_begin(size_t end) {
    size_t i = skip_space_back(end), angles = 0, brackets = 0;
    if (i > 0 && code[i - 1] == '>') {
        do {
            i--;
            if (code[i] == ')') brackets++;
            if (code[i] == '(' && brackets-- == 0) return end;
            if (code[i] == '>' && brackets == 0) angles++;
            if (code[i] == '<' && brackets == 0) angles--;
        } while (i > 0 && angles > 0);
        i = skip_space_back(i);
    }
    for (size_t name_end = i;;) {
        while (i > 0 && is_name(code[i - 1])) i--;
        if (i == name_end || isdigit((unsigned char)code[i])) return end;
        if (i < 2 || code[i - 1] != ':' || code[i - 2] != ':') break;
        name_end = i = i - 2;
        if (i == 0 || !is_name(code[i - 1])) break; // ::name
    }
    size_t before = skip_space_back(i);
    int member = before > 0 && (code[before - 1] == '.' || (before > 1 && strncmp(code + before - 2, "->", 2) == 0));
    return member ? end : i;
}

static void put(FILE *out, size_t from, size_t to) { fwrite(text + from, 1, to - from, out); }

/* extern __shared__ [__align__(16)] T name[]; at `at`: returns the offset behind it. */
static size_t rewrite_dynamic_shared(FILE *out, size_t at, size_t shared, int braces) {
    if (braces == 0) fail(at, "declare dynamic shared memory inside the kernel that uses it");
    size_t type = skip_space(shared + strlen("__shared__"));
    if (strncmp(code + type, "__align__", 9) == 0 || strncmp(code + type, "alignas", 7) == 0)
        type = skip_space(matching(type, '(', ')') + 1);
    size_t bracket = type;
    while (bracket < length && code[bracket] != '[' && code[bracket] != ';') bracket++;
    if (bracket == length || code[bracket] != '[') fail(at, "expected 'extern __shared__ TYPE NAME[];'");
    size_t end = skip_space(matching(bracket, '[', ']') + 1);
    if (code[end] != ';') fail(at, "expected 'extern __shared__ TYPE NAME[];', one array of one dimension");
    size_t name_end = bracket;
    while (isspace((unsigned char)code[name_end - 1])) name_end--;
    size_t name = name_end;
    while (is_name(code[name - 1])) name--;
    put(out, type, name);
    fputc('*', out);
    put(out, name, name_end);
    fputs(" = (", out);
    put(out, type, name);
    fputs("*)wl_sim_dynamic_shared();", out);
    for (size_t i = at; i < end; i++)
        if (text[i] == '\n') fputc('\n', out);
    return end + 1;
}

/* name<<<...>>>(...) whose "<<<" is at `chevrons`; [callee, chevrons) is not yet written. Returns the offset behind. */
static size_t rewrite_launch(FILE *out, size_t callee, size_t chevrons) {
    size_t close = chevrons + 3, depth = 0;
    // Three closing brackets of templates look the same, but no arguments follow them.
    while (close < length &&
           !(depth == 0 && strncmp(code + close, ">>>", 3) == 0 && code[skip_space(close + 3)] == '(')) {
        if (code[close] == '(') depth++;
        if (code[close] == ')' && depth-- == 0) break;
        if (code[close] == ';' || strncmp(code + close, "<<<", 3) == 0) break;
        close++;
    }
    if (strncmp(code + close, ">>>", 3) != 0) fail(chevrons, "expected '>>>(' and the kernel's arguments after '<<<'");
    size_t open = skip_space(close + 3);
    size_t end = matching(open, '(', ')');
    fputs(preprocessed ? "::wl_sim::launch(wl_sim_shape(" : "wl_sim_launch(wl_sim_shape(", out); // no macros any more
    put(out, chevrons + 3, close);
    fputs("), ", out);
    put(out, callee, chevrons);
    if (skip_space(open + 1) < end) fputs(", ", out);
    for (size_t i = close + 3; i < open; i++)
        if (text[i] == '\n') fputc('\n', out); // lines keep their numbers
    put(out, open + 1, end + 1);
    return end + 1;
}

/* __launch_bounds__(threads, ...) name(...) { with the word at `at`: returns the offset after the brace, or after the word where
   no body follows. */
static size_t rewrite_bounds(FILE *out, size_t at) {
    const size_t word = at + strlen("__launch_bounds__"), open = skip_space(word);
    if (code[open] != '(') return put(out, at, word), word;
    const size_t close = matching(open, '(', ')');
    const size_t from = preprocessed ? close + 1 : at,
                 next = preprocessed ? close + 1 : word; // cuda_runtime.h drops it
    size_t parameters = close + 1, end = open + 1;
    while (parameters < length && code[parameters] != '(' && code[parameters] != ';') parameters++;
    if (parameters == length || code[parameters] != '(') return put(out, from, next), next;
    const size_t brace = skip_space(matching(parameters, '(', ')') + 1);
    if (code[brace] != '{') return put(out, from, next), next;
    for (size_t depth = 0; end < close && (depth > 0 || code[end] != ','); end++)
        depth += (size_t)(strchr("(<", code[end]) != NULL) - (size_t)(strchr(")>", code[end]) != NULL);
    put(out, from, brace + 1);
    fputs(" wl_sim_bound(", out);
    put(out, open + 1, end);
    fputs(");", out);
    return brace + 1;
}

/* Does the brace at `i` open a namespace or extern "C"? Then what follows is not inside a function. */
static int opens_scope(size_t i) {
    while (i > 0 && (isspace((unsigned char)code[i - 1]) || is_name(code[i - 1]) || code[i - 1] == ':')) i--;
    i = skip_space(i);
    return (strncmp(code + i, "namespace", 9) == 0 && !is_name(code[i + 9])) ||
           (strncmp(code + i, "extern", 6) == 0 && !is_name(code[i + 6])) ||
           (strncmp(code + i, "inline namespace", 16) == 0);
}

static int word_at(size_t i, const char *word) {
    const size_t size = strlen(word);
    return strncmp(code + i, word, size) == 0 && !is_name(code[i + size]);
}

/* The word before `i`: is it this one? */
static int follows(size_t i, const char *word) {
    const size_t end = skip_space_back(i), size = strlen(word);
    return end >= size && strncmp(code + end - size, word, size) == 0 &&
           (end == size || !is_name(code[end - size - 1]));
}

/* A word of CUDA's at `at` that is a macro elsewhere. Returns the offset after it; `at` where there is none. */
static size_t rewrite_word(FILE *out, size_t written, size_t at) {
    if (word_at(at, "__shared__")) {
        put(out, written, at);
        fputs(follows(at, "static") ? "" : "static ", out);
        fputs("thread_local __attribute__((aligned(16)))", out);
        return at + strlen("__shared__");
    }
    // The standard library has it as an attribute: __attribute__((__noinline__)).
    if (word_at(at, "__noinline__") && !follows(at, "(") && !follows(at, ",")) {
        put(out, written, at);
        fputs("__attribute__((noinline))", out);
        return at + strlen("__noinline__");
    }
    return at;
}

int main(int argc, char **argv) {
    preprocessed = argc == 4 && strcmp(argv[1], "--preprocessed") == 0;
    if (argc != 3 + preprocessed) {
        fprintf(stderr, "usage: chevrons [--preprocessed] IN OUT\n");
        return 2;
    }
    argv += preprocessed;
    path = argv[1];
    read_file();
    blank_literals();
    FILE *out = fopen(argv[2], "wb");
    if (out == NULL) fail(0, "%s cannot be written", argv[2]);

    size_t written = 0;
    int braces = 0;
    if (!preprocessed) fprintf(out, "#line 1 \"%s\"\n", path);
    for (size_t i = 0; i < length;) {
        if (code[i] == '{' && (braces > 0 || !opens_scope(i))) braces++;
        if (code[i] == '}' && braces > 0) braces--;
        int word = i == 0 || !is_name(code[i - 1]);
        if (word && strncmp(code + i, "extern", 6) == 0 && !is_name(code[i + 6]) &&
            strncmp(code + skip_space(i + 6), "__shared__", 10) == 0) {
            put(out, written, i);
            i = written = rewrite_dynamic_shared(out, i, skip_space(i + 6), braces);
        } else if (word && strncmp(code + i, "__launch_bounds__", 17) == 0 && !is_name(code[i + 17])) {
            put(out, written, i);
            written = rewrite_bounds(out, i);
            if (code[written - 1] == '{') braces++;
            i = written;
        } else if (strncmp(code + i, "<<<", 3) == 0 && !follows(i, "operator")) {
            size_t callee = callee_begin(i);
            if (callee == i || callee < written)
                fail(i, "expected a kernel's name before '<<<' (put another expression in a variable first)");
            put(out, written, callee);
            i = written = rewrite_launch(out, callee, i);
        } else {
            const size_t end = word && preprocessed && code[i] == '_' ? rewrite_word(out, written, i) : i;
            if (end > i) written = end;
            i = end > i ? end : i + 1;
        }
    }
    put(out, written, length);
    if (fclose(out) != 0) fail(0, "%s cannot be written", argv[2]);
    free(code);
    free(text);
    return 0;
}
