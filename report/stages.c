/* The stages of a ladder, from their READMEs and kernels. */
#define _GNU_SOURCE /* asprintf */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/bench/problem.h"
#include "plots/chart.h"
#include "report/page.h"

/* The text of problem/stage/name to *text, NULL where there is none. The caller frees it. */
static void read_of(const char *problem, const char *stage, const char *name, char **text) {
    char *relative = NULL, *path = NULL;
    *text = NULL;
    if (asprintf(&relative, "%s/%s/%s", problem, stage, name) >= 0) path = wl_data_path(relative);
    if (path != NULL && wl_text_read(path, text) != WL_OK) *text = NULL;
    free(path);
    free(relative);
}

/* Markdown within a line: **strong**, *stressed*, `code`, no comments, and of [words](address) the words. */
static void put_inline(FILE *page, const char *text, size_t length) {
    int strong = 0, code = 0, stressed = 0;
    char letter[5];
    for (size_t i = 0; i < length;) {
        if (text[i] == '`') {
            fputs(code ? "</code>" : "<code>", page);
            code = !code;
            i++;
        } else if (!code && strncmp(text + i, "**", 2) == 0) {
            fputs(strong ? "</strong>" : "<strong>", page);
            strong = !strong;
            i += 2;
        } else if (!code && text[i] == '*' && (stressed || (i + 1 < length && isalpha((unsigned char)text[i + 1])))) {
            fputs(stressed ? "</em>" : "<em>", page);
            stressed = !stressed;
            i++;
        } else if (!code && strncmp(text + i, "<!--", 4) == 0 && strstr(text + i, "-->") != NULL) {
            i = (size_t)(strstr(text + i, "-->") - text) + 3;
        } else if (!code && text[i] == '[' && memchr(text + i, ']', length - i) != NULL) {
            i++;
        } else if (!code && strncmp(text + i, "](", 2) == 0 && memchr(text + i, ')', length - i) != NULL) {
            i += (size_t)((const char *)memchr(text + i, ')', length - i) - (text + i)) + 1;
        } else {
            size_t bytes = wl_utf8_length((const unsigned char *)text + i);
            if (bytes == 0) bytes = 1;
            memcpy(letter, text + i, bytes);
            letter[bytes] = 0;
            report_text(page, letter);
            i += bytes;
        }
    }
    fputs(code ? "</code>" : "", page);
    fputs(stressed ? "</em>" : "", page);
    fputs(strong ? "</strong>" : "", page);
}

/* Paragraphs that begin with **Concept, **Predicted or **Found: idea, prediction and outcome. */
static void put_paragraphs(FILE *page, const char *readme) {
    static const char *const wanted[] = {"**Concept", "**Predicted", "**Found"};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        for (const char *at = readme; (at = strstr(at, wanted[w])) != NULL;) {
            const char *end = strstr(at, "\n\n");
            const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
            if (at == readme || at[-1] == '\n') {
                fputs("<p>", page);
                put_inline(page, at, length);
                fputs("</p>\n", page);
            }
            at += length;
        }
}

static void put_cells(FILE *page, const char *line, size_t length, const char *element) {
    fputs("<tr>", page);
    const char *end = line + length;
    for (const char *at = line + 1; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        if (bar == NULL) break;
        const char *from = at, *to = bar;
        while (from < to && *from == ' ') from++;
        while (to > from && to[-1] == ' ') to--;
        fprintf(page, "<%s%s>", element, element[1] == 'h' ? " scope=col" : "");
        put_inline(page, from, (size_t)(to - from));
        fprintf(page, "</%s>", element);
        at = bar + 1;
    }
    fputs("</tr>\n", page);
}

/* The README's table of counters, which the simulated device gave. */
static void put_counters(FILE *page, const char *readme, const char *stage) {
    const char *at = strstr(readme, "<!-- table: counters"), *end = at == NULL ? NULL : strstr(at, "<!-- end -->");
    if (end == NULL) return;
    int row = 0;
    fputs("<div class=wide tabindex=0 role=region aria-label=\"Counters of ", page);
    report_text(page, stage);
    fputs("\"><table><caption>Counted by the simulated device</caption>\n", page);
    while ((at = strchr(at, '\n')) != NULL && ++at < end) {
        const size_t length = strcspn(at, "\n");
        if (*at != '|') continue;
        if (row != 1) put_cells(page, at, length, row == 0 ? "th" : "td");
        row++;
    }
    fputs("</table></div>\n", page);
}

static void put_stage(FILE *page, const char *problem, const wl_variant *v, const wl_variant *before) {
    char *readme, *kernel, *former = NULL;
    read_of(problem, v->name, "README.md", &readme);
    read_of(problem, v->name, "kernel.cu", &kernel);
    if (before != NULL) read_of(problem, before->name, "kernel.cu", &former);
    fputs("<h4>", page);
    report_text(page, v->name);
    fputs("</h4>\n<p>", page);
    report_text(page, v->idea == NULL ? "" : v->idea);
    fputs(" <span class=from>(", page);
    report_text(page, v->source == NULL ? "Warpladder" : v->source);
    fputs(")</span></p>\n", page);
    if (readme != NULL) {
        put_paragraphs(page, readme);
        put_counters(page, readme, v->name);
    }
    if (former != NULL && kernel != NULL) {
        fputs("<details><summary>Kernel of ", page);
        report_text(page, v->name);
        fputs(" beside that of ", page);
        report_text(page, before->name);
        fputs("</summary><div class=wide tabindex=0 role=region aria-label=\"Kernels of ", page);
        report_text(page, before->name);
        fputs(" and ", page);
        report_text(page, v->name);
        fputs("\">\n", page);
        if (!report_difference(page, former, kernel)) fputs("<p>There was no memory for the comparison.</p>\n", page);
        fputs("</div></details>\n", page);
    }
    free(readme);
    free(kernel);
    free(former);
}

void report_stages(FILE *page, const char *problem) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count), *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const wl_variant *v = variants[i];
        if (strcmp(v->problem, problem) != 0 || v->backend != WL_SIM || !isdigit((unsigned char)v->name[0])) continue;
        if (before == NULL) {
            fputs("<details><summary>Stages of ", page);
            report_text(page, problem);
            fputs(": idea, counters, prediction, outcome, kernel</summary>\n", page);
        }
        put_stage(page, problem, v, before);
        before = v;
    }
    if (before != NULL) fputs("</details>\n", page);
}
