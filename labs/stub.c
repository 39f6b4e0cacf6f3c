/* Regions between marks, as in nbgrader. The solution without its regions is the stub. A submission's regions replace the solution's. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "labs/lab.h"

/* The end of the file's opening comment and of its line; the text itself if there is no such comment. */
static const char *after_comment(const char *text) {
    const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text, "*/") : NULL;
    if (end == NULL) return text;
    end += 2;
    return *end == '\n' ? end + 1 : end;
}

/* ---- regions ---- */

enum { REGIONS = 16 };
typedef struct {
    const char *begin, *text, *end,
        *behind; // the first mark's line, the text between the marks, the last mark's line, the line after it
    size_t line; // of `text`, from 1
} region;

static const char *marked(const char *line, const char *mark) {
    static const char *const of[] = {" SOLUTION", " YOUR CODE"};
    const size_t length = strcspn(line, "\n");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char words[32];
        snprintf(words, sizeof words, "%s%s", mark, of[i]);
        const char *at = memmem(line, length, words, strlen(words));
        if (at) return at + strlen(words);
    }
    return NULL;
}

/* The regions of a file; -1: marks without a counterpart. */
static int find_regions(const char *text, region found[REGIONS]) {
    int count = 0, within = 0;
    size_t number = 1;
    for (const char *line = text; *line; number++) {
        const char *next = line + strcspn(line, "\n");
        next += *next == '\n';
        const int begins = marked(line, "BEGIN") != NULL, ends = marked(line, "END") != NULL;
        if (begins + ends > 1 || (begins && (within || count == REGIONS)) || (ends && !within)) return -1;
        if (begins) found[count] = (region){.begin = line, .text = next, .line = number + 1};
        if (ends) found[count].end = line, found[count++].behind = next;
        within = begins || (within && !ends);
        line = next;
    }
    return within ? -1 : count;
}

static int whole_region(const wl_lab *lab, const char *text, region found[REGIONS]) {
    const int count = find_regions(text, found);
    if (count > 0) return count;
    wl_fail(WL_BAD_INPUT, "%s/%s/kernel.cu: found BEGIN SOLUTION and END SOLUTION that do not pair; expected regions",
            lab->problem, lab->stage);
    return 0;
}

wl_status wl_lab_stub(const wl_lab *lab, const char *text, char **stub) {
    region regions[REGIONS];
    size_t size;
    const int count = whole_region(lab, text, regions);
    if (count == 0) return WL_BAD_INPUT;
    FILE *out = open_memstream(stub, &size);
    if (out == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the stub");
    fprintf(out,
            "/* Lab %s: %s. README.md says what to do, ./check says what is missing.\n"
            "   Only the lines between the marks count. Leave the marks in. */\n",
            lab->name, lab->title);
    const char *from = after_comment(text);
    for (const region *r = regions; r < regions + count; from = r++->behind) {
        const int indent = (int)strspn(r->begin, " \t");
        const char *says = marked(r->begin, "BEGIN");
        fwrite(from, 1, (size_t)(r->begin - from), out);
        fprintf(out, "%.*s// BEGIN YOUR CODE%.*s\n\n%.*s// END YOUR CODE\n", indent, r->begin, (int)strcspn(says, "\n"),
                says, indent, r->begin);
    }
    fputs(from, out);
    return fclose(out) == 0 ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for the stub");
}

/* ---- a submission's regions in the lab's own file ---- */

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Why a word is not allowed; NULL: it is allowed. */
static const char *refused_word(const char *word, size_t length) {
    /* typedef, using and the like make types that are larger than what lies there: labs/README.md */
    static const char *const words[] = {
        "asm",      "_Pragma", "extern",   "alloca",     "throw",     "try",   "catch",  "typedef", "using",   "std",
        "decltype", "typeof",  "__typeof", "__typeof__", "__gnu_cxx", "union", "struct", "class",   "template"};
    static const char *const beginnings[] = {"wl_",          "WL_",      "__builtin_", "_GLOBAL_", "__tsan_",
                                             "__sanitizer_", "__ubsan_", "__asan_",    "__asm",    "__attribute",
                                             "__declspec",   "__cxa_",   "__pragma",   "__label__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0) return words[i];
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (length >= strlen(beginnings[i]) && strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return beginnings[i];
    return NULL;
}

static const char *refused_sign(const char *at) {
    static const char *const signs[] = {"%:", "<%", "%>", "<:", ":>", "\\", "??", "R\""};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(at, signs[i], strlen(signs[i])) == 0) return signs[i];
    return NULL;
}

/* The end of a comment or a literal that begins at `at`; `at` itself: none begins there. NULL: it does not end. */
static const char *passed_over(const char *at, const char *end) {
    if (strncmp(at, "//", 2) == 0) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        return line ? line : end;
    }
    if (strncmp(at, "/*", 2) == 0) {
        const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        return close ? close + 2 : NULL;
    }
    if (*at != '"' && *at != '\'') return at;
    for (const char *c = at + 1; c < end && *c != '\n'; c += 1 + (*c == '\\'))
        if (*c == *at) return c + 1;
    return NULL;
}

static int is_unroll(const char *line) {
    int length = 0;
    return sscanf(line, "# pragma unroll%n", &length) == 0 && length > 0 &&
           line[length + (int)strspn(line + length, " \t0123456789")] == '\n';
}

/* The length of a word or a number at `at`. The marks in a number such as 1'000 begin no character. */
static size_t word_length(const char *at) {
    size_t length = 0;
    while (is_word(at[length]) || (isdigit((unsigned char)*at) && at[length] == '\'' && is_word(at[length + 1])))
        length++;
    return length;
}

/* The number of a line that continues in the next one, so that comments and directives end later than they seem to. 0: none. */
static size_t continued_line(const region *r) {
    size_t line = r->line;
    char last = 0;
    for (const char *at = r->text; at < r->end; at++) {
        if (*at == '\n') {
            if (last == '\\') return line;
            line++;
            last = 0;
        } else if (!isspace((unsigned char)*at)) {
            last = *at;
        }
    }
    return 0;
}

/* The next token's first character from `at` on; `end`: there is none. */
static const char *next_token(const char *at, const char *end) {
    while (at < end) {
        const char *after = isspace((unsigned char)*at) ? at + 1 : passed_over(at, end);
        if (after == NULL || after == at || *at == '"' || *at == '\'') return at;
        at = after;
    }
    return end;
}

const char *wl_lab_token(const char **at, const char *end, size_t *length) {
    const char *token = next_token(*at, end);
    if (token == end) return NULL;
    const char *behind = passed_over(token, end); // of a string, which does not have to end
    *length = behind && behind > token ? (size_t)(behind - token) : is_word(*token) ? word_length(token) : 1;
    *at = token + *length;
    return token;
}

/* Does what stands in the parentheses before `bracket` begin with * or &, as in long (*p)[9]? */
static int is_type_of_array(const char *text, const char *bracket) {
    const char *at = bracket;
    int depth = 0;
    while (at > text && isspace((unsigned char)at[-1])) at--;
    if (at == text || at[-1] != ')') return 0;
    do at--, depth += (*at == ')') - (*at == '(');
    while (at > text && depth > 0);
    return depth == 0 && strchr("*&", *next_token(at + 1, bracket)) != NULL;
}

/* Allows the statements of a kernel and nothing that reaches beyond them. */
static wl_status check_region(const region *r, const char *name) {
    char open[256];

    size_t depth = 0, line = continued_line(r);
    if (line > 0) return wl_fail(WL_BAD_INPUT, "%s:%zu: found a line that ends with a backslash", name, line);
    line = r->line;
    for (const char *at = r->text; at < r->end;) {
        const char *behind = passed_over(at, r->end), *found = refused_sign(at);
        if (behind == NULL)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: a comment or a string does not end in the region", name, line);
        if (behind > at) {
            for (; at < behind; at++) line += *at == '\n';
            continue;
        }
        if (found) return wl_fail(WL_BAD_INPUT, "%s:%zu: found %s, which a lab does not allow", name, line, found);
        if (*at == '#') {
            if (!is_unroll(at))
                return wl_fail(WL_BAD_INPUT, "%s:%zu: found a line with #; a lab allows only #pragma unroll", name,
                               line);
            at += strcspn(at, "\n");
        } else if (is_word(*at)) {
            const size_t length = word_length(at);
            found = refused_word(at, length);
            if (at[length] == '"' && at[length - 1] == 'R') found = "R\""; // u8R, LR: a string with an end of its own
            if (found)
                return wl_fail(WL_BAD_INPUT, "%s:%zu: found %.*s, which a lab does not allow", name, line, (int)length,
                               at);
            at += length;
        } else {
            const char *pair = strchr("({[", *at), *close = strchr(")}]", *at);
            if (pair && depth == sizeof open) return wl_fail(WL_BAD_INPUT, "%s:%zu: brackets too deep", name, line);
            if (*at == '[' && *next_token(at + 1, r->end) == '[')
                return wl_fail(WL_BAD_INPUT, "%s:%zu: found an attribute, which a lab does not allow", name, line);
            if (*at == '[' && is_type_of_array(r->text, at))
                return wl_fail(WL_BAD_INPUT,
                               "%s:%zu: found a pointer or reference to an array, which a lab does not allow", name,
                               line);
            if (pair) open[depth++] = ")}]"[strchr("({[", *at) - "({["];
            if (close && (depth == 0 || open[--depth] != *at))
                return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%c' without its counterpart in the region", name, line,
                               *at);
            line += *at++ == '\n';
        }
    }
    if (depth > 0)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: expected '%c' before the region ends", name, line, open[depth - 1]);
    return WL_OK;
}

/* Is there a word outside of the regions that the lab's own file does not have there? */
static int differs_outside(const char *text, const region *regions, int count, const char *own,
                           const region *own_regions) {
    const char *a = after_comment(text), *b = after_comment(own);
    for (int i = 0; i <= count; i++) {
        const size_t first = i < count ? (size_t)(regions[i].begin - a) : strlen(a),
                     second = i < count ? (size_t)(own_regions[i].begin - b) : strlen(b);
        if (first != second || memcmp(a, b, first) != 0) return 1;
        if (i < count) a = regions[i].behind, b = own_regions[i].behind;
    }
    return 0;
}

/* ---- kernels ---- */

/* The name after __global__: the last word before the parameters. */
static const char *kernel_name(const char *at, size_t *length) {
    static const char bounds[] = "__launch_bounds__";
    const char *word = at;
    *length = 0;
    while (*at && *at != ';' && *at != '{') {
        if (is_word(*at)) {
            word = at;
            for (*length = 0; is_word(at[*length]);) ++*length;
            at += *length;
        } else if (*at != '(') {
            at++;
        } else if (*length == strlen(bounds) && strncmp(word, bounds, *length) == 0) {
            int depth = 0;
            do depth += (*at == '(') - (*at == ')');
            while (*++at && depth > 0);
        } else {
            return word;
        }
    }
    return NULL;
}

wl_status wl_lab_kernels(const wl_lab *lab, char **names) {
    static const char mark[] = "__global__";
    char *path, *text;
    size_t size, length;
    WL_TRY(wl_lab_solution(lab, &path));
    wl_status status = wl_text_read(path, &text);
    free(path);
    if (status != WL_OK) return status;
    FILE *out = open_memstream(names, &size);
    if (out == NULL) return free(text), wl_fail(WL_NO_MACHINE, "no memory for names");
    for (const char *at = text; (at = strstr(at, mark)) != NULL;) {
        at += strlen(mark);
        const char *name = kernel_name(at, &length);
        if (name) fprintf(out, "%s%.*s", ftell(out) > 0 ? " " : "", (int)length, name);
    }
    free(text);
    return fclose(out) == 0 ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for names");
}

char *wl_lab_written(const char *submission) {
    region regions[REGIONS];
    char *written = NULL;
    size_t size;
    const int count = find_regions(submission, regions);
    FILE *out = count > 0 ? open_memstream(&written, &size) : NULL;
    for (int i = 0; out && i < count; i++)
        fprintf(out, "%.*s", (int)(regions[i].end - regions[i].text), regions[i].text);
    if (out) fclose(out);
    return written;
}

static int is_empty(const region *r) { return next_token(r->text, r->end) == r->end; }

wl_status wl_lab_splice(const wl_lab *lab, const char *submission, const char *name, char **kernel, int *changed,
                        int *empty) {
    region regions[REGIONS], own_regions[REGIONS];
    char *path, *own = NULL;
    size_t size, line = 1;
    WL_TRY(wl_lab_solution(lab, &path));
    wl_status status = wl_text_read(path, &own);
    free(path);
    if (status != WL_OK) return status;
    const int expected = whole_region(lab, own, own_regions), count = find_regions(submission, regions);
    if (expected == 0) status = WL_BAD_INPUT;
    if (status == WL_OK && count != expected)
        status =
            wl_fail(WL_BAD_INPUT, "%s: found %d of the regions between BEGIN YOUR CODE and END YOUR CODE; expected %d",
                    name, count < 0 ? 0 : count, expected);
    for (int i = 0; status == WL_OK && i < count; i++) status = check_region(&regions[i], name);
    *empty = 1;
    for (int i = 0; i < count; i++) *empty &= is_empty(&regions[i]);
    FILE *out = status == WL_OK ? open_memstream(kernel, &size) : NULL;
    if (status == WL_OK && out == NULL) status = wl_fail(WL_NO_MACHINE, "no memory for a kernel");
    if (status == WL_OK) {
        const char *from = own;
        *changed = differs_outside(submission, regions, count, own, own_regions);
        for (int i = 0; i <= count; i++) {
            const char *to = i < count ? own_regions[i].begin : own + strlen(own);
            fprintf(out, "#line %zu \"%s.cu\"\n%.*s", line, lab->stage, (int)(to - from), from);
            if (i == count) break;
            fprintf(out, "#line %zu \"kernel.cu\"\n%.*s", regions[i].line, (int)(regions[i].end - regions[i].text),
                    regions[i].text);
            for (; from < own_regions[i].behind; from++) line += *from == '\n';
        }
        if (fclose(out) != 0) status = wl_fail(WL_NO_MACHINE, "no memory for a kernel");
    }
    free(own);
    return status;
}
