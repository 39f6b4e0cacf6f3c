/* chevrons IN.cu OUT.cpp: rewrites the two things of CUDA C that are syntax, so that the host compiler can read a
   kernel file. Everything else is the business of harness/sim/include.

     name<T><<<grid, block, bytes>>>(a, b);
       becomes  wl_sim_launch(wl_sim_shape(grid, block, bytes), name<T>, a, b);
     extern __shared__ int memory[];
       becomes  int *memory = (int *)wl_sim_dynamic_shared();

   Lines keep their numbers: errors and counters name the line of the .cu file. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *path;
static char *text; /* the file */
static char *code; /* the same with comments and literals blanked: where to look for syntax */
static size_t length;

static void fail(size_t at, const char *format, ...) {
    size_t line = 1;
    for (size_t i = 0; i < at && i < length; i++) line += text[i] == '\n';
    fprintf(stderr, "%s:%zu: ", path, line);
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

/* Blank comments, strings and characters in `code`; newlines stay. */
static void blank_literals(void) {
    code = malloc(length + 1);
    if (code == NULL) fail(0, "not enough memory");
    memcpy(code, text, length + 1);
    for (size_t i = 0; i < length;) {
        size_t end = i + 1;
        if (code[i] == '/' && code[i + 1] == '/') {
            while (end < length && text[end] != '\n') end++;
        } else if (code[i] == '/' && code[i + 1] == '*') {
            char *close = strstr(text + i + 2, "*/");
            if (close == NULL) fail(i, "comment without end");
            end = (size_t)(close - text) + 2;
        } else if (code[i] == '"' || (code[i] == '\'' && (i == 0 || !isalnum((unsigned char)text[i - 1])))) {
            while (end < length && text[end] != text[i] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
            end += end < length;
        } else {
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

static int is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == ':'; }

/* Where the callee that ends before `end` begins: name, ns::name, name<T, 4>. */
static size_t callee_begin(size_t end) {
    size_t i = end;
    while (i > 0 && isspace((unsigned char)code[i - 1])) i--;
    if (i > 0 && code[i - 1] == '>') {
        size_t depth = 0;
        while (i > 0) {
            i--;
            if (code[i] == '>') depth++;
            if (code[i] == '<' && --depth == 0) break;
        }
    }
    while (i > 0 && is_name(code[i - 1])) i--;
    return i;
}

static void put(FILE *out, size_t from, size_t to) { fwrite(text + from, 1, to - from, out); }

/* extern __shared__ [__align__(16)] T name[]; at `at`: returns the offset behind it. */
static size_t rewrite_dynamic_shared(FILE *out, size_t at, size_t shared, int braces) {
    if (braces == 0) fail(at, "declare dynamic shared memory inside the kernel that uses it");
    size_t type = skip_space(shared + strlen("__shared__"));
    if (strncmp(code + type, "__align__", 9) == 0) type = skip_space(matching(type + 9, '(', ')') + 1);
    size_t bracket = type, end;
    while (bracket < length && code[bracket] != '[' && code[bracket] != ';') bracket++;
    end = bracket;
    while (end < length && code[end] != ';') end++;
    if (end == length || code[bracket] != '[') fail(at, "expected 'extern __shared__ TYPE NAME[];'");
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
    while (close < length && !(depth == 0 && strncmp(code + close, ">>>", 3) == 0)) {
        if (code[close] == '(') depth++;
        if (code[close] == ')') depth--;
        close++;
    }
    if (close == length) fail(chevrons, "'<<<' without '>>>'");
    size_t open = skip_space(close + 3);
    if (open == length || code[open] != '(') fail(close, "expected the kernel's arguments in parentheses after '>>>'");
    size_t end = matching(open, '(', ')');
    fputs("wl_sim_launch(wl_sim_shape(", out);
    put(out, chevrons + 3, close);
    fputs("), ", out);
    put(out, callee, chevrons);
    if (skip_space(open + 1) < end) fputs(", ", out);
    put(out, open + 1, end + 1);
    return end + 1;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: chevrons IN.cu OUT.cpp\n");
        return 2;
    }
    path = argv[1];
    read_file();
    blank_literals();
    FILE *out = fopen(argv[2], "wb");
    if (out == NULL) fail(0, "%s cannot be written", argv[2]);

    size_t written = 0;
    int braces = 0;
    fprintf(out, "#line 1 \"%s\"\n", path);
    for (size_t i = 0; i < length;) {
        if (code[i] == '{') braces++;
        if (code[i] == '}') braces--;
        int word = i == 0 || !is_name(code[i - 1]);
        if (word && strncmp(code + i, "extern", 6) == 0 && !is_name(code[i + 6]) &&
            strncmp(code + skip_space(i + 6), "__shared__", 10) == 0) {
            put(out, written, i);
            i = written = rewrite_dynamic_shared(out, i, skip_space(i + 6), braces);
        } else if (strncmp(code + i, "<<<", 3) == 0) {
            size_t callee = callee_begin(i);
            if (callee == i || callee < written) fail(i, "expected a kernel's name before '<<<'");
            put(out, written, callee);
            i = written = rewrite_launch(out, callee, i);
        } else {
            i++;
        }
    }
    put(out, written, length);
    if (fclose(out) != 0) fail(0, "%s cannot be written", argv[2]);
    free(code);
    free(text);
    return 0;
}
