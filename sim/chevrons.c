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

     ::wl_sim::launcher_of(wl_sim_shape(grid, block, bytes), name<T>)(a, b); */
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

/* Where the literal ends that the quote at `i` begins: after its closing quote, or at the end of the line. */
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

static void put(FILE *out, size_t from, size_t to) { fwrite(text + from, 1, to - from, out); }

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

/* extern __shared__ [__align__(16)] T name[]; at `at`, with T at `type`: returns the offset after it. */
static size_t rewrite_dynamic_shared(FILE *out, size_t at, size_t type, int is_volatile, int braces) {
    if (braces == 0 && !preprocessed) fail(at, "declare dynamic shared memory inside the kernel that uses it");
    size_t bracket = type;
    while (bracket < length && code[bracket] != '[' && code[bracket] != ';') bracket++;
    if (bracket == length || code[bracket] != '[') fail(at, "expected 'extern __shared__ TYPE NAME[];'");
    size_t end = skip_space(matching(bracket, '[', ']') + 1);
    if (code[end] != ';') fail(at, "expected 'extern __shared__ TYPE NAME[];', one array of one dimension");
    size_t name_end = skip_space_back(bracket), name = name_end;
    while (is_name(code[name - 1])) name--;
    if (is_volatile) fputs("volatile ", out);
    if (braces == 0) fputs("extern __thread ", out); // a name for all kernels: sim/program/dynamic.cpp
    put(out, type, name);
    if (braces > 0) fputs("(&", out);
    put(out, name, name_end);
    if (braces == 0) {
        fputs("[] __asm__(\"wl_sim_dynamic_array\");", out);
    } else {
        fputs(")[] = *(", out); /* an array, whose address is its own */
        if (is_volatile) fputs("volatile ", out);
        put(out, type, name);
        fputs("(*)[])wl_sim_dynamic_shared();", out);
    }
    for (size_t i = at; i < end; i++)
        if (text[i] == '\n') fputc('\n', out);
    return end + 1;
}

// ---------------------------------------------------------------- templates of kernels

/* add<<<1, 32>>>(a, b) may leave it to the arguments which add<T> it is, as a call may; a function's address cannot. So each
   template of a kernel gets a companion that the compiler can ask, which is never called:

     template <typename T> auto wl_sim_kernel_add(T *a, T *b) -> ::std::integral_constant<decltype(&add<T>), &add<T>>; */
static char **templates; // names of kernels that have a companion
static size_t template_count;
static char *companion;     // to be written
static size_t companion_at; // there

static void *enough(void *memory) {
    if (memory == NULL) fail(0, "not enough memory");
    return memory;
}

static int is_template(const char *name, size_t size) {
    for (size_t i = 0; i < template_count; i++)
        if (strlen(templates[i]) == size && strncmp(templates[i], name, size) == 0) return 1;
    return 0;
}

/* [from, to) on one line. */
static void put_line(FILE *out, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) fputc(text[i] == '\n' ? ' ' : text[i], out);
}

/* The names that a template's parameters [from, to) declare, as arguments: "T, N, Rest...". 0: one has no name. */
static int put_parameter_names(FILE *out, size_t from, size_t to) {
    size_t depth = 0, name_end = 0, value = 0, pack = 0;
    for (size_t i = from, begin = from; i <= to; i++) {
        const char c = i < to ? code[i] : ',';
        if (strchr("(<[{", c)) depth++;
        if (strchr(")>]}", c) && depth > 0) depth--;
        if (depth > 0 && i < to) continue;
        if (c == '=' && value == 0) value = i;
        if (strncmp(code + i, "...", 3) == 0 && i < to) pack = 1;
        if (c != ',') continue;
        name_end = skip_space_back(value ? value : i);
        size_t name = name_end;
        while (name > begin && is_name(code[name - 1])) name--;
        const size_t before = skip_space_back(name);
        if (name == name_end || before <= begin) return 0; // no name, or one word: "typename"
        if (begin != from) fputs(", ", out);
        put(out, name, name_end);
        if (pack) fputs("...", out);
        begin = i + 1, value = pack = 0;
    }
    return 1;
}

/* The kernel declared with __global__ at `at`, if it is a template: notes its name, and its companion for later. */
static void note_template(size_t at) {
    size_t close = skip_space_back(at), open, i = at + strlen("__global__"), name_end = 0;
    while (close > 0 && is_name(code[close - 1])) { // static, inline
        while (close > 0 && is_name(code[close - 1])) close--;
        close = skip_space_back(close);
    }
    if (close == 0 || code[close - 1] != '>' || (open = opening(close)) == close || !follows(open, "template")) return;
    while (i < length && !strchr(";{}", code[i])) { // the name is what stands before the parameters
        if (code[i] == '(') {
            const int attribute =
                follows(i, "__launch_bounds__") || follows(i, "__attribute__") || follows(i, "alignas");
            if (!attribute) {
                name_end = skip_space_back(i);
                break;
            }
            i = matching(i, '(', ')');
        }
        i++;
    }
    size_t name = name_end;
    while (name > 0 && is_name(code[name - 1])) name--;
    if (name == name_end) return;
    const size_t parameters_end = matching(i, '(', ')') + 1, after = skip_space(parameters_end);
    if (code[after] != '{' && code[after] != ';') return;
    char *arguments = NULL;
    size_t size;
    FILE *list = enough(open_memstream(&arguments, &size));
    const int named = put_parameter_names(list, open + 1, close - 1);
    fclose(list);
    if (named && skip_space(open + 1) < close - 1) { // not template <>, which has its companion from the template
        free(companion);
        FILE *memory = enough(open_memstream(&companion, &size));
        fputs(" template ", memory);
        put_line(memory, open, close);
        fputs(" auto wl_sim_kernel_", memory);
        put(memory, name, name_end);
        put_line(memory, i, parameters_end);
        fputs(" -> ::std::integral_constant<decltype(&", memory);
        for (int twice = 0; twice < 2; twice++) {
            put(memory, name, name_end);
            fprintf(memory, "<%s>%s", arguments, twice ? ">;" : "), &");
        }
        fclose(memory);
        companion_at = (code[after] == '{' ? matching(after, '{', '}') : after) + 1;
        templates = enough(realloc(templates, (template_count + 1) * sizeof *templates));
        templates[template_count++] = enough(strndup(code + name, name_end - name));
    }
    free(arguments);
}

/* [from, to) is a callee: the name of a kernel's template is in [*name, *name_end)? */
static int names_template(size_t from, size_t to, size_t *name, size_t *name_end) {
    size_t end = skip_space_back(to);
    if (end > from && code[end - 1] == '>') end = skip_space_back(opening(end));
    *name_end = *name = end;
    while (*name > from && is_name(code[*name - 1])) --*name;
    return is_template(code + *name, end - *name);
}

/* Do the arguments [from, to) have a lambda? It must not stand in decltype. */
static int has_lambda(size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const size_t before = skip_space_back(i);
        if (code[i] == '[' && before > 0 && strchr("(,{=?:", code[before - 1])) return 1;
    }
    return 0;
}

static void put_companion(FILE *out, size_t callee, size_t chevrons, size_t name) {
    put(out, callee, name);
    fputs("wl_sim_kernel_", out);
    put(out, name, chevrons);
}

/* The launch of [callee, chevrons) in preprocessed text, up to the arguments of the call, which follow in brackets: arguments are
   converted as a call converts them. */
static void put_launcher(FILE *out, size_t callee, size_t chevrons, size_t shape_end, size_t open, size_t end) {
    size_t name, name_end;
    const int deduced = names_template(callee, chevrons, &name, &name_end), lambda = has_lambda(open, end);
    fputs(deduced && lambda ? "::wl_sim::launcher_found(wl_sim_shape(" : "::wl_sim::launcher_of(wl_sim_shape(", out);
    put(out, chevrons + 3, shape_end);
    fputs("), ", out);
    if (deduced && lambda) {
        fputs("[](auto &&...wl_values) -> decltype(", out);
        put_companion(out, callee, chevrons, name);
        fputs("(::std::forward<decltype(wl_values)>(wl_values)...)) { return {}; }", out);
    } else if (deduced) {
        fputs("decltype(", out);
        put_companion(out, callee, chevrons, name);
        for (size_t i = open; i <= end; i++) fputc(text[i] == '\n' ? ' ' : text[i], out);
        fputs(")::value", out);
    } else {
        put(out, callee, chevrons);
    }
    fputs(")(", out);
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
        put_launcher(out, callee, chevrons, close, open, end);
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

/* Does __device__ at `at` begin the definition of a function outside of classes? In a header, each file that includes it has that
   function of its own, so it must not clash with the others. (Not so what is for the host as well.) */
static int is_function_of_its_own(size_t at, int braces) {
    static const char *const others[] = {"__host__",        "inline",     "static",    "extern",
                                         "__forceinline__", "__global__", "constexpr", "template"};
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
        if (word_at(open, "volatile")) open = skip_space(open + strlen("volatile"));
        if (code[open] == '(' &&
            memchr(text + open, ';', matching(open, '(', ')') - open)) // as instructions of PTX end
            fail(at, "inline PTX (asm) is not simulated");
    }
    if (word_at(at, "__device__")) {
        put(out, written, at);
        if (is_function_of_its_own(at, braces)) fputs("inline __attribute__((used))", out);
        return at + strlen("__device__");
    }
    if (word_at(at, "__host__")) {
        put(out, written, at);
        return at + strlen("__host__");
    }
    if (word_at(at, "__global__")) {
        put(out, written, at);
        fputs("__attribute__((noinline))", out);
        note_template(at);
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

    size_t written = 0;
    int braces = 0;
    if (!preprocessed) fprintf(out, "#line 1 \"%s\"\n", path);
    for (size_t i = 0; i < length;) {
        if (companion != NULL && i >= companion_at) {
            put(out, written, i);
            written = i;
            fputs(companion, out);
            free(companion);
            companion = NULL;
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
            const size_t end = word && preprocessed && (code[i] == '_' || word_at(i, "asm"))
                                   ? rewrite_word(out, written, i, braces)
                                   : i;
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
