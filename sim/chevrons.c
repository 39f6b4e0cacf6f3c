/* chevrons [--preprocessed] IN OUT: rewrites the three things of CUDA C that are syntax, so that the host compiler can read a
   kernel file. Everything else is the business of sim/include.

     name<T><<<grid, block, bytes>>>(a, b);
       becomes  wl_sim_launch(wl_sim_shape(grid, block, bytes), name<T>, a, b);
     extern __shared__ int memory[];
       becomes  int (&memory)[] = *(int (*)[])wl_sim_dynamic_shared();
     __launch_bounds__(threads) name(int a) {
       becomes  __launch_bounds__(threads) name(int a) { wl_sim_bound(threads);

   Lines keep their numbers: errors and counters name the line of the .cu file.

   With --preprocessed, IN is what `g++ -E -DWL_SIM_TRANSLATING` wrote. Headers are part of it and macros are expanded, so launches
   in both are rewritten too. Its line markers say where each line comes from. The words that cuda_runtime.h leaves alone for
   WL_SIM_TRANSLATING, __shared__ and the like, are replaced here. A launch becomes

     ::wl_sim::launcher_of(wl_sim_shape(grid, block, bytes), name<T>)(a, b);

   or, where only the arguments can tell which function is meant, or some of them are left to their defaults, a call of a stub:

     ::wl_sim::configure(wl_sim_shape(grid, block, bytes)) ? (void)0 : wl_sim_kernel_name<T>(a, b);

   A variable of the device gets a section of its own, __attribute__((section("wl_device_1"))): cmake/symbol-table.sh. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chevrons.h"

static const char *path;
char *text; // the file
char *code; // the same with comments and literals blanked: where to look for syntax
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

void fail(size_t at, const char *format, ...) {
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

/* Where the literal ends that the quote at `i` begins: after its closing quote, or at the end of the line. */
size_t literal_end(size_t i) {
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
        if (preprocessed && text[i] == '#' && (i == 0 || text[i - 1] == '\n')) { // # 12 "file.cu" 2
            while (end < length && text[end] != '\n') end++;
        } else if (text[i] == '/' && text[i + 1] == '/') {
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
size_t matching(size_t open, char left, char right) {
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

/* The opening bracket of the closing one before `end`; `end` when there is none. */
static size_t opening(size_t end) {
    const char right = code[end - 1], left = right == ')' ? '(' : right == ']' ? '[' : '<';
    size_t depth = 0, brackets = 0;
    for (size_t i = end; i-- > 0;) {
        if (left == '<' && code[i] == ')') brackets++; // f<T, (4 > 3)>
        if (left == '<' && code[i] == '(' && brackets-- == 0) return end;
        if (brackets > 0) continue;
        if (code[i] == right) depth++;
        if (code[i] == left && --depth == 0) return i;
    }
    return end;
}

/* Where the callee that ends before `end` begins: name, ns::name, name<T, (4 > 3)>, kernels[i], (*kernel), this->kernel; `end` when
   there is none. */
static size_t callee_begin(size_t end) {
    size_t i = skip_space_back(end);
    while (i > 0 && code[i - 1] == ']') { // kernels[i][j]
        const size_t open = opening(i);
        if (open == i) return end;
        i = skip_space_back(open);
    }
    if (i > 0 &&
        code[i - 1] == ')') { // an expression in brackets, or the arguments of a function that returns a pointer
        const size_t open = opening(i), before = skip_space_back(open);
        const int keyword = follows(open, "return") || follows(open, "else") || follows(open, "do");
        if (open == i) return end;
        if (before == 0 || !is_name(code[before - 1]) || keyword) return open;
        i = before;
    }
    if (i > 0 && code[i - 1] == '>') {
        const size_t open = opening(i);
        if (open == i) return end;
        i = skip_space_back(open);
    }
    for (size_t name_end = i;;) {
        while (i > 0 && is_name(code[i - 1])) i--;
        if (i == name_end || isdigit((unsigned char)code[i])) return end;
        if (i < 2 || code[i - 1] != ':' || code[i - 2] != ':') break;
        name_end = i = i - 2;
        if (i == 0 || !is_name(code[i - 1])) break; // ::name
    }
    const size_t before = skip_space_back(i);
    const size_t dot = before > 0 && code[before - 1] == '.'                              ? 1
                       : before > 1 && code[before - 1] == '>' && code[before - 2] == '-' ? 2
                                                                                          : 0;
    if (dot == 0) return i;
    const size_t object = callee_begin(before - dot);
    return object == before - dot ? end : object;
}

void put(FILE *out, size_t from, size_t to) { fwrite(text + from, 1, to - from, out); }

/* [from, to) on one line, without markers of other lines. */
void put_line(FILE *out, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        while (i < to && text[i] == '#' && i > 0 && text[i - 1] == '\n') i += strcspn(text + i, "\n") + 1;
        if (i < to) fputc(text[i] == '\n' ? ' ' : text[i], out);
    }
}

/* `extern`, at `at`, and other specifiers around __shared__: the type after them, or 0 when it is no dynamic shared memory.
   *is_volatile: one of them says so. */
static size_t dynamic_shared_type(size_t at, int *is_volatile) {
    static const char *const attributes[] = {"__align__", "alignas", "__attribute__"};
    int shared = 0;
    size_t i = skip_space(at + strlen("extern"));
    *is_volatile = 0;
    for (size_t before = at; i != before;) {
        before = i;
        for (size_t a = 0; a < sizeof attributes / sizeof *attributes; a++)
            if (word_at(i, attributes[a])) i = skip_space(matching(i, '(', ')') + 1);
        if (word_at(i, "__device__")) i = skip_space(i + strlen("__device__"));
        if (word_at(i, "__shared__")) shared = 1, i = skip_space(i + strlen("__shared__"));
        if (word_at(i, "volatile")) *is_volatile = 1, i = skip_space(i + strlen("volatile"));
    }
    return shared ? i : 0;
}

/* extern __shared__ [__align__(16)] T name[]; at `at`, with T at `type`: returns the offset after it. The array may be one of arrays. */
static size_t rewrite_dynamic_shared(FILE *out, size_t at, size_t type, int is_volatile, int braces) {
    if (braces == 0 && !preprocessed) fail(at, "declare dynamic shared memory inside the kernel that uses it");
    size_t bracket = type;
    while (bracket < length && code[bracket] != '[' && code[bracket] != ';') bracket++;
    if (bracket == length || code[bracket] != '[') fail(at, "expected 'extern __shared__ TYPE NAME[];'");
    const size_t inner = matching(bracket, '[', ']') + 1; // [32][33], of name[][32][33]
    size_t end = skip_space(inner);
    while (code[end] == '[') end = skip_space(matching(end, '[', ']') + 1);
    if (code[end] != ';') fail(at, "expected 'extern __shared__ TYPE NAME[];', one array in a declaration");
    size_t name_end = skip_space_back(bracket), name = name_end;
    while (is_name(code[name - 1])) name--;
    if (is_volatile) fputs("volatile ", out);
    if (braces == 0) fputs("extern __thread ", out); // a name for all kernels: sim/program/dynamic.cpp
    put(out, type, name);
    if (braces > 0) fputs("(&", out);
    put(out, name, name_end);
    if (braces == 0) {
        fputs("[]", out);
        put_line(out, inner, end);
        fputs(" __asm__(\"wl_sim_dynamic_array\");", out);
    } else {
        fputs(")[]", out);
        put_line(out, inner, end);
        fputs(" = *(", out); // an array, whose address is its own
        if (is_volatile) fputs("volatile ", out);
        put(out, type, name);
        fputs("(*)[]", out);
        put_line(out, inner, end);
        fputs(")wl_sim_dynamic_shared();", out);
    }
    for (size_t i = at; i < end; i++)
        if (text[i] == '\n') fputc('\n', out);
    return end + 1;
}

// ---------------------------------------------------------------- stubs of kernels

/* add<<<1, 32>>>(a, b) may leave it to the arguments which add<T> it is, which of several functions of that name, and what the other
   parameters are, as a call may. So such a kernel gets a stub with its parameters, which is called as the kernel would be:

     template <typename T> void wl_sim_kernel_add(T *a, T *b, int n = 3) {
         ::wl_sim::launcher_of(::wl_sim::configured(), static_cast<void (*)(T *a, T *b, int n)>(&add<T>))(a, b, n);
     } */
typedef struct {
    char *name;
    int has_stub;       // else it is launched by its address
    int is_ambiguous;   // a template, or one of several functions of the name
    size_t open, close; // of the parameters where it is declared first
} kernel;
static kernel *kernels; // all that are declared in the file
static size_t kernel_count;
static char *stub;                  // to be written
static size_t stub_at;              // there
static size_t entry_at;             // the brace that opens a kernel's body; 0: none is to come
static size_t bound_from, bound_to; // the threads that its __launch_bounds__ promises; none: both are 0

static void *enough(void *memory) {
    if (memory == NULL) fail(0, "not enough memory");
    return memory;
}

static kernel *kernel_named(const char *name, size_t size) {
    for (size_t i = 0; i < kernel_count; i++)
        if (strlen(kernels[i].name) == size && strncmp(kernels[i].name, name, size) == 0) return &kernels[i];
    return NULL;
}

/* The end of the item of a list at `from`, which ends at `to`: a comma, or `to`. *value: where its default begins, or its end. */
static size_t item_end(size_t from, size_t to, size_t *value) {
    size_t depth = 0, i = from;
    *value = 0;
    for (; i < to; i++) {
        const char c = code[i];
        if (strchr("([{", c) || (c == '<' && *value == 0)) depth++;
        if (depth > 0 && (strchr(")]}", c) || (c == '>' && *value == 0 && code[i - 1] != '-'))) depth--;
        if (c == '=' && depth == 0 && *value == 0) *value = i;
        if (c == ',' && depth == 0) break;
    }
    if (*value == 0) *value = i;
    return i;
}

/* Is [from, to) a word that is no name: of a type, or before one? */
static int is_keyword(size_t from, size_t to) {
    static const char *const words[] = {"int",      "unsigned",     "signed",    "char", "short",   "long",
                                        "float",    "double",       "bool",      "void", "const",   "class",
                                        "volatile", "struct",       "union",     "enum", "wchar_t", "auto",
                                        "typename", "__restrict__", "__restrict"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == to - from && strncmp(code + from, words[i], to - from) == 0) return 1;
    return 0;
}

/* Is there more before a name than words like const? */
static int has_type(size_t from, size_t to) {
    static const char *const before[] = {"const", "volatile", "struct", "union", "enum"};
    while ((from = skip_space(from)) < to) {
        size_t w = 0;
        while (w < sizeof before / sizeof *before && !word_at(from, before[w])) w++;
        if (w == sizeof before / sizeof *before) return 1;
        from += strlen(before[w]);
    }
    return 0;
}

/* Where the parameter [from, to), without its default, has its name: [*name, *name_end), or, if both are the same, where one may be
   inserted. */
static void find_name(size_t from, size_t to, size_t *name, size_t *name_end) {
    size_t end = skip_space_back(to);
    for (size_t i = from; i + 1 < end; i++) { // int (*f)(int), float (&a)[4]
        const size_t star = skip_space(i + 1);
        if (code[i] != '(' || !strchr("*&", code[star])) continue;
        *name = *name_end = skip_space(star + 1);
        while (is_name(code[*name_end])) ++*name_end;
        return;
    }
    while (end > from && code[end - 1] == ']') end = skip_space_back(opening(end));
    size_t begin = end;
    while (begin > from && is_name(code[begin - 1])) begin--;
    const int is_one = begin < end && !is_keyword(begin, end) && !isdigit((unsigned char)code[begin]) &&
                       (begin == from || code[begin - 1] != ':') && has_type(from, begin);
    *name_end = end;
    *name = is_one ? begin : end;
}

/* A list of parameters [from, to), of a function or of a template, each with a name; `defaults`: with what they are if nothing is given. */
static void put_parameters(FILE *out, size_t from, size_t to, int defaults, const char *prefix) {
    size_t number = 0, value, name, name_end;
    for (size_t i = from; skip_space(i) < to; number++) {
        const size_t end = item_end(i, to, &value);
        const int empty = word_at(skip_space(i), "void") && skip_space(skip_space(i) + 4) == value;
        find_name(i, value, &name, &name_end);
        put_line(out, i, name_end);
        if (name == name_end && !empty) fprintf(out, " %s%zu", prefix, number);
        put_line(out, name_end, defaults ? end : value);
        if (end < to) fputs(", ", out);
        i = end < to ? end + 1 : to;
    }
}

/* Their names as arguments: "T, N, Rest...". */
static void put_arguments(FILE *out, size_t from, size_t to, const char *prefix) {
    size_t number = 0, value, name, name_end;
    for (size_t i = from; skip_space(i) < to; number++) {
        const size_t end = item_end(i, to, &value);
        int pack = 0;
        find_name(i, value, &name, &name_end);
        for (size_t p = i; p + 3 <= value; p++) pack |= strncmp(code + p, "...", 3) == 0;
        if (word_at(skip_space(i), "void") && skip_space(skip_space(i) + 4) == value) break;
        if (number > 0) fputs(", ", out);
        put(out, name, name_end);
        if (name == name_end) fprintf(out, "%s%zu", prefix, number);
        if (pack) fputs("...", out);
        i = end < to ? end + 1 : to;
    }
}

/* The declaration of a kernel. */
typedef struct {
    size_t begin, name, name_end, open, close; // of its parameters: the brackets
    size_t after;                              // the brace or semicolon
    size_t template_open, template_close;      // the brackets of its template; 0: it is none
    int is_special;                            // template <>, friend, or no name of its own: it has no stub
} declaration;

/* The kernel declared with __global__ at `at`; 0: it is none after all. */
static int read_kernel(size_t at, declaration *d) {
    size_t i = at + strlen("__global__");
    *d = (declaration){0};
    while (i < length && !strchr(";{}", code[i])) { // the name is what stands before the parameters
        if (code[i] == '(') {
            const int attribute =
                follows(i, "__launch_bounds__") || follows(i, "__attribute__") || follows(i, "alignas");
            if (!attribute) break;
            i = matching(i, '(', ')');
        }
        i++;
    }
    if (i >= length || code[i] != '(') return 0;
    d->open = i;
    d->close = matching(i, '(', ')');
    d->after = skip_space(d->close + 1);
    if (word_at(d->after, "noexcept")) d->after = skip_space(d->after + strlen("noexcept"));
    d->name = d->name_end = skip_space_back(i);
    d->is_special = code[d->name_end - 1] == '>'; // add<float>
    if (d->is_special) d->name = d->name_end = skip_space_back(opening(d->name_end));
    while (d->name > 0 && is_name(code[d->name - 1])) d->name--;
    d->begin = skip_space_back(at);
    while (d->begin > 0 && is_name(code[d->begin - 1])) { // static, inline
        while (d->begin > 0 && is_name(code[d->begin - 1])) d->begin--;
        d->is_special |= word_at(d->begin, "friend") || word_at(d->begin, "template");
        d->begin = skip_space_back(d->begin);
    }
    if (d->begin > 0 && code[d->begin - 1] == '>') {
        const size_t open = opening(d->begin);
        if (open < d->begin && follows(open, "template")) d->template_open = open, d->template_close = d->begin - 1;
        d->is_special |= skip_space(open + 1) == d->template_close; // it has the stub of the template
    }
    return d->name < d->name_end && strchr("{;", code[d->after]) != NULL;
}

static int has_default(const declaration *d) {
    size_t value;
    for (size_t i = d->open + 1; i < d->close;) {
        const size_t end = item_end(i, d->close, &value);
        if (value < end) return 1;
        i = end + 1;
    }
    return 0;
}

/* The words before a kernel that its stub has, too. */
static void put_linkage(FILE *out, const declaration *d) {
    for (size_t i = d->begin; i < d->name; i++) {
        if (i > 0 && is_name(code[i - 1])) continue;
        if (word_at(i, "static")) fputs(" static", out);
        if (word_at(i, "inline") || word_at(i, "__inline__")) fputs(" inline", out);
    }
    const size_t literal = d->begin; // extern "C"
    if (literal > 2 && text[literal - 1] == '"' && text[literal - 3] == '"' && code[literal - 1] == ' ')
        fputs(" extern \"C\"", out);
}

/* `defaults`: with those of its parameters; only the first declaration has them. */
static void put_stub_head(FILE *out, const declaration *d, int defaults) {
    if (d->template_open) {
        fputs(" template <", out);
        put_parameters(out, d->template_open + 1, d->template_close, defaults, "WL_t");
        fputs(">", out);
    }
    put_linkage(out, d);
    fputs(" void wl_sim_kernel_", out);
    put(out, d->name, d->name_end);
    fputs("(", out);
    put_parameters(out, d->open + 1, d->close, defaults, "wl_p");
    fputs(")", out);
}

static void make_stub(const declaration *d, int declared) {
    size_t size;
    free(stub);
    FILE *out = enough(open_memstream(&stub, &size));
    put_stub_head(out, d, !declared);
    if (code[d->after] == '{') {
        fputs(" { ::wl_sim::launcher_of(::wl_sim::configured(), static_cast<void (*)(", out);
        put_parameters(out, d->open + 1, d->close, 0, "wl_p");
        fputs(")>(&", out);
        put(out, d->name, d->name_end);
        if (d->template_open) {
            fputs("<", out);
            put_arguments(out, d->template_open + 1, d->template_close, "WL_t");
            fputs(">", out);
        }
        fputs("))(", out);
        put_arguments(out, d->open + 1, d->close, "wl_p");
        fputs("); }", out);
    } else {
        fputs(";", out);
    }
    fclose(out);
    stub_at = (code[d->after] == '{' ? matching(d->after, '{', '}') : d->after) + 1;
}

static int has_stub(const declaration *d) {
    const kernel *k = kernel_named(code + d->name, d->name_end - d->name);
    return k != NULL && k->has_stub && !d->is_special;
}

/* A kernel that launches itself needs its stub declared before it. [written, at) is not yet written; at `at` stands __global__. Returns
   what is written then, and whether the stub is declared. */
static size_t declare_stub(FILE *out, size_t written, size_t at, int *declared) {
    declaration d;
    *declared = 0;
    if (!read_kernel(at, &d) || code[d.after] != '{' || !has_stub(&d)) return written;
    const size_t end = matching(d.after, '{', '}');
    size_t use = d.after, begin = d.template_open ? skip_space_back(d.template_open) - strlen("template") : d.begin;
    while (use < end && (is_name(code[use - 1]) || strncmp(code + use, code + d.name, d.name_end - d.name) != 0 ||
                         code[skip_space(use + d.name_end - d.name)] != '<'))
        use++;
    if (use == end || begin < written) return written;
    put(out, written, begin);
    put_stub_head(out, &d, 1);
    fputs("; ", out);
    *declared = 1;
    return begin;
}

/* The kernel declared with __global__ at `at`: its stub, if it needs one, is written after it. `declared`: it is known already. */
static void note_kernel(size_t at, int declared) {
    declaration d;
    if (!read_kernel(at, &d)) return;
    entry_at = code[d.after] == '{' ? d.after : 0;
    bound_from = bound_to = 0;
    size_t word = at, value;
    while (word > 0 && !strchr(";{}", code[word - 1])) word--;
    while (word < d.name && !word_at(word, "__launch_bounds__")) word++;
    if (word < d.name) {
        bound_from = skip_space(word + strlen("__launch_bounds__")) + 1;
        bound_to = item_end(bound_from, matching(bound_from - 1, '(', ')'), &value);
    }
    if (has_stub(&d)) make_stub(&d, declared);
}

/* Does the brace at `i` open a namespace or extern "C"? Then what follows is not inside a function. */
static int opens_scope(size_t i) {
    while (i > 0 && (isspace((unsigned char)code[i - 1]) || is_name(code[i - 1]) || code[i - 1] == ':')) i--;
    i = skip_space(i);
    return (strncmp(code + i, "namespace", 9) == 0 && !is_name(code[i + 9])) ||
           (strncmp(code + i, "extern", 6) == 0 && !is_name(code[i + 6])) ||
           (strncmp(code + i, "inline namespace", 16) == 0);
}

/* Lists the kernels. Those need a stub which are templates, have defaults, or share their name with another function. */
static void find_kernels(void) {
    declaration d;
    for (size_t i = 0; i < length; i++) {
        if (code[i] != '_' || !word_at(i, "__global__") || (i > 0 && is_name(code[i - 1])) || !read_kernel(i, &d))
            continue;
        const char *name = code + d.name;
        const size_t size = d.name_end - d.name;
        if (kernel_named(name, size) == NULL) {
            kernels = enough(realloc(kernels, (kernel_count + 1) * sizeof *kernels));
            kernels[kernel_count++] = (kernel){enough(strndup(name, size)), 0, 0, d.open, d.close};
        }
        kernel *k = kernel_named(name, size);
        k->has_stub |= !d.is_special && (d.template_open || has_default(&d));
        k->is_ambiguous |= d.template_open > 0;
    }
    size_t declared = 0, braces = 0; // where the declaration began that is read; of functions and classes
    for (size_t i = 0; i < length && kernel_count > 0; i++) {
        if (code[i] == '{' && (braces > 0 || !opens_scope(i))) braces++;
        if (code[i] == '}' && braces > 0) braces--;
        if (strchr(";{}", code[i])) declared = i + 1;
        if (braces > 0 || !is_name(code[i]) || (i > 0 && (is_name(code[i - 1]) || strchr(":.~>", code[i - 1]))))
            continue;
        size_t end = i;
        while (is_name(code[end])) end++;
        kernel *k = code[skip_space(end)] == '(' ? kernel_named(code + i, end - i) : NULL;
        if (k == NULL) continue;
        size_t global = declared;
        while (global < i && !word_at(global, "__global__")) global++;
        const size_t open = skip_space(end), close = matching(open, '(', ')'), size = k->close - k->open;
        if (global == i || close - open != size || strncmp(code + k->open, code + open, size) != 0)
            k->has_stub = k->is_ambiguous = 1;
    }
}

/* [from, to) is a callee: its name is in [*name, *name_end). Is that of a kernel with a stub? */
static int names_stub(size_t from, size_t to, size_t *name, size_t *name_end) {
    size_t end = skip_space_back(to);
    if (end > from && code[end - 1] == '>') end = skip_space_back(opening(end));
    *name_end = *name = end;
    while (*name > from && is_name(code[*name - 1])) --*name;
    const kernel *k = kernel_named(code + *name, end - *name);
    return k != NULL && k->has_stub;
}

/* The launch of [callee, chevrons) in preprocessed text, up to the arguments of the call, which follow in brackets: arguments are
   converted as a call converts them. */
static void put_launcher(FILE *out, size_t callee, size_t chevrons, size_t shape_end) {
    size_t name, name_end;
    const int calls = names_stub(callee, chevrons, &name, &name_end);
    fputs(calls ? "::wl_sim::configure(wl_sim_shape(" : "::wl_sim::launcher_of(wl_sim_shape(", out);
    put(out, chevrons + 3, shape_end);
    if (calls) {
        fputs(")) ? (void)0 : ", out);
        put(out, callee, name);
        fputs("wl_sim_kernel_", out);
        put(out, name, chevrons);
        fputs("(", out);
    } else {
        fputs("), ", out);
        put(out, callee, chevrons);
        fputs(")(", out);
    }
}

/* The offset after the words `text`, of which a space in it is any white space, at `i`; 0: others stand there. */
static size_t after_words(size_t i, const char *words) {
    for (; *words; words++) {
        if (*words == ' ')
            i = skip_space(i);
        else if (code[i++] != *words)
            return 0;
    }
    return i;
}

/* A cast at `at` of a kernel to a void pointer, which loses the types of its parameters: [*name, returned) is the kernel's name, to be put
   into `known`. 0: it is none, or a template or overload that no type chooses. */
static size_t cast_kernel(size_t at, size_t *name) {
    static const char *const casts[] = {"( void * )",
                                        "( const void * )",
                                        "( void const * )",
                                        "( void * ) (",
                                        "reinterpret_cast < void * > (",
                                        "reinterpret_cast < const void * > ("};
    for (size_t c = 0; c < sizeof casts / sizeof *casts; c++) {
        size_t i = after_words(at, casts[c]);
        if (i == 0) continue;
        i = skip_space(i);
        if (code[i] == '&') i = skip_space(i + 1);
        size_t end = *name = i;
        for (i = end; is_name(code[i]) || strncmp(code + i, "::", 2) == 0; i += code[i] == ':' ? 2 : 1)
            if (code[i] == ':') end = i + 2;
        const kernel *k = kernel_named(code + end, i - end);
        if (k == NULL || at < k->open) continue; // before it is declared, the name is another's
        const size_t open = skip_space(i);
        if (code[open] == '<' && code[open + 1] != '<') return matching(open, '<', '>') + 1;
        return k->is_ambiguous ? 0 : i;
    }
    return 0;
}

// ---------------------------------------------------------------- launches

/* name<<<...>>>(...) whose "<<<" is at `chevrons`; [callee, chevrons) is not yet written. Returns the offset after it. */
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
    if (preprocessed) {
        put_launcher(out, callee, chevrons, close);
    } else {
        fputs("wl_sim_launch(wl_sim_shape(", out);
        put(out, chevrons + 3, close);
        fputs("), ", out);
        put(out, callee, chevrons);
        if (skip_space(open + 1) < end) fputs(", ", out);
    }
    for (size_t i = close + 3; i < open; i++)
        if (text[i] == '\n') fputc('\n', out); // lines keep their numbers
    return open + 1; // the arguments are read as all else: they may have a lambda with another launch in it
}

/* __launch_bounds__(threads, ...) name(...) { with the word at `at`: returns the offset after the brace, or after the word where
   no body follows. */
static size_t rewrite_bounds(FILE *out, size_t at) {
    const size_t word = at + strlen("__launch_bounds__"), open = skip_space(word);
    if (code[open] != '(') return put(out, at, word), word;
    const size_t close = matching(open, '(', ')');
    if (preprocessed) return close + 1; // the kernel's entry says it: note_kernel
    size_t parameters = close + 1, end = open + 1;
    while (parameters < length && code[parameters] != '(' && code[parameters] != ';') parameters++;
    if (parameters == length || code[parameters] != '(') return put(out, at, word), word;
    const size_t brace = skip_space(matching(parameters, '(', ')') + 1);
    if (code[brace] != '{') return put(out, at, word), word;
    for (size_t depth = 0; end < close && (depth > 0 || code[end] != ','); end++)
        depth += (size_t)(strchr("(<", code[end]) != NULL) - (size_t)(strchr(")>", code[end]) != NULL);
    put(out, at, brace + 1);
    fputs(" wl_sim_bound(", out);
    put(out, open + 1, end);
    fputs(");", out);
    return brace + 1;
}

/* Does __device__ at `at` begin the definition of a function outside of classes? In a header, each file that includes it has that
   function of its own, so it must not clash with the others. (Not so what is for the host as well.) */
static int is_function_of_its_own(size_t at, int braces) {
    static const char *const others[] = {"__host__", "inline",          "__inline__", "__inline",  "static",
                                         "extern",   "__forceinline__", "__global__", "constexpr", "template"};
    size_t begin = at, i = at;
    if (braces > 0) return 0;
    while (begin > 0 && !strchr(";{}>#\"", code[begin - 1])) begin--;
    if (begin > 0 && code[begin - 1] == '>') return 0; // a template
    for (i = begin; i < length && !strchr("(;={[", code[i]); i++) {
        const int word = is_name(code[i]) && (i == 0 || !is_name(code[i - 1]));
        for (size_t o = 0; word && o < sizeof others / sizeof *others; o++)
            if (word_at(i, others[o])) return 0;
        if (word && (word_at(i, "__attribute__") || word_at(i, "__align__"))) // __forceinline__ is one
            i = matching(i, '(', ')');
    }
    if (i >= length || code[i] != '(') return 0;
    return code[skip_space(matching(i, '(', ')') + 1)] == '{';
}

/* Does the declaration with a word of CUDA's at `at` define a variable? Not so a function, nor a variable that is defined elsewhere. */
static int defines_variable(size_t at) {
    size_t begin = at, i = at, angles = 0;
    while (begin > 0 && !strchr(";{}>#", code[begin - 1])) begin--;
    for (; i < length; i++) {
        if (strncmp(code + i, "__attribute__", 13) == 0 || strncmp(code + i, "__align__", 9) == 0 ||
            word_at(i, "alignas")) {
            i = matching(skip_space(i + strcspn(code + i, " \t\n(")), '(', ')');
            continue;
        }
        if (word_at(i, "operator") && !is_name(code[i - 1])) return 0;
        if (code[i] == '<') angles++;
        if (code[i] == '>' && angles > 0) angles--;
        if (angles == 0 && strchr("(;={[", code[i])) break;
    }
    if (i >= length) return 0;
    const size_t inside = skip_space(i + 1); // float (*p)[4], or what a constructor gets
    if (code[i] == '(' && !strchr("*&-+0123456789", code[inside]) && text[inside] != '\'' &&
        !word_at(inside, "nullptr"))
        return 0;
    for (size_t word = begin; word < i; word++)
        if (word_at(word, "extern") && (word == 0 || !is_name(code[word - 1])) && code[i] != '=') return 0;
    return 1;
}

/* Which memory a variable is in that is declared with one of the words at `at`; NULL: it is none, or another of its words says it. */
static const char *memory_of(size_t at) {
    static const char *const words[][2] = {
        {"__constant__", "wl_constant"}, {"__managed__", "wl_managed"}, {"__device__", "wl_device"}};
    size_t begin = at, end = at;
    while (begin > 0 && !strchr(";{}>#", code[begin - 1])) begin--;
    while (end < length && !strchr(";{=[(", code[end])) end++;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (size_t i = begin; i < end; i++)
            if (code[i] == '_' && (i == 0 || !is_name(code[i - 1])) && word_at(i, words[w][0]))
                return i == at && defines_variable(at) ? words[w][1] : NULL;
    return NULL;
}

/* The attribute that puts a variable into its memory. Each has a section of its own: g++ refuses constants and others in one. */
static void put_section(FILE *out, size_t at, int braces, const char *after) {
    static unsigned count;
    const char *memory = braces == 0 ? memory_of(at) : NULL;
    if (memory != NULL) fprintf(out, "__attribute__((section(\"%s_%u\")))%s", memory, ++count, after);
}

/* Is `at` in a line of the preprocessor's? */
static int in_directive(size_t at) {
    for (;;) {
        size_t line = at;
        while (line > 0 && text[line - 1] != '\n') line--;
        if (code[skip_space(line)] == '#') return 1;
        if (line < 2 || text[line - 2] != '\\') return 0;
        at = line - 1;
    }
}

/* A word of CUDA's at `at` that is a macro elsewhere. Returns the offset after it; `at` where there is none. */
static size_t rewrite_word(FILE *out, size_t written, size_t at, int braces) {
    if (word_at(at, "__shared__")) {
        size_t end = at + strlen("__shared__");
        const size_t alignment = skip_space(end);
        put(out, written, at);
        if (word_at(alignment, "alignas")) { // it has to come before `static`
            end = matching(skip_space(alignment + strlen("alignas")), '(', ')') + 1;
            put(out, alignment, end);
            fputc(' ', out);
        }
        fputs(follows(at, "static") ? "" : "static ", out);
        fputs("thread_local __attribute__((aligned(16)))", out);
        return end;
    }
    if (word_at(at, "asm") || word_at(at, "__asm__") || word_at(at, "__asm")) {
        size_t open = skip_space(at + strcspn(code + at, " \t\n("));
        if (word_at(open, "volatile") || word_at(open, "__volatile__"))
            open = skip_space(open + strcspn(code + open, " \t\n("));
        const size_t close = code[open] == '(' ? matching(open, '(', ')') : open;
        if (memchr(text + open, ';', close - open)) { // as instructions of PTX end
            put(out, written, at);
            put_ptx(out, open, close);
            return close + 1;
        }
    }
    if (word_at(at, "__device__")) {
        put(out, written, at);
        if (is_function_of_its_own(at, braces)) fputs("inline __attribute__((used))", out);
        put_section(out, at, braces, "");
        return at + strlen("__device__");
    }
    if (word_at(at, "__constant__") || word_at(at, "__managed__")) {
        put(out, written, at);
        put_section(out, at, braces, "");
        return at + strcspn(code + at, " \t\n(");
    }
    if (word_at(at, "__host__")) {
        put(out, written, at);
        return at + strlen("__host__");
    }
    if (word_at(at, "__global__")) {
        int declared;
        written = declare_stub(out, written, at, &declared);
        put(out, written, at);
        fputs("__attribute__((noinline))", out);
        note_kernel(at, declared);
        return at + strlen("__global__");
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

    if (preprocessed) find_kernels();
    size_t written = 0;
    int braces = 0;
    if (!preprocessed) fprintf(out, "#line 1 \"%s\"\n", path);
    for (size_t i = 0; i < length;) {
        if (stub != NULL && i >= stub_at) {
            put(out, written, i);
            written = i;
            fputs(stub, out);
            free(stub);
            stub = NULL;
        }
        if (entry_at > 0 && i > entry_at) {
            put(out, written, i);
            written = i;
            if (written == entry_at + 1)
                fputs(" wl_sim_bound(1024);", out); // not where __launch_bounds__ has said less
            entry_at = 0;
        }
        if (code[i] == '{' && (braces > 0 || !opens_scope(i))) braces++;
        if (code[i] == '}' && braces > 0) braces--;
        int word = i == 0 || !is_name(code[i - 1]);
        int is_volatile = 0;
        const size_t shared = word && word_at(i, "extern") ? dynamic_shared_type(i, &is_volatile) : 0;
        if (shared) {
            put(out, written, i);
            i = written = rewrite_dynamic_shared(out, i, shared, is_volatile, braces);
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
            if (word && !preprocessed && braces == 0 && word_at(i, "__device__") && !in_directive(i)) {
                put(out, written, i);
                written = i;
                put_section(out, i, braces, " ");
            }
            size_t name, end = i;
            if (preprocessed && (code[i] == '(' || word_at(i, "reinterpret_cast")) &&
                (end = cast_kernel(i, &name)) > 0) {
                put(out, written, name);
                fputs("::wl_sim::wl_known_kernel(", out);
                put(out, name, end);
                fputc(')', out);
            } else {
                end = word && preprocessed && (code[i] == '_' || word_at(i, "asm"))
                          ? rewrite_word(out, written, i, braces)
                          : i;
            }
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
