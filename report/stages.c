/* The stages of a ladder, from their READMEs and kernels. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/bench/problem.h"
#include "plots/chart.h"
#include "report/markdown.h"
#include "report/page.h"
#include "harness/base/memory.h"

/* The text of problem/stage/name to *text, NULL where there is none. The caller frees it. */
static void read_of(const char *problem, const char *stage, const char *name, char **text) {
    char *relative = NULL, *path = NULL;
    *text = NULL;
    if (asprintf(&relative, "%s/%s/%s", problem, stage, name) >= 0) path = wl_data_path(relative);
    if (path != NULL && wl_text_read(path, text) != WL_OK) *text = NULL;
    WL_FREE(path, relative);
}

static void put_markdown(FILE *page, const char *text, size_t length) {
    char *html = markdown_html(text, length);
    fputs(html == NULL ? "<p>There was no memory for this text.</p>\n" : html, page);
    free(html);
}

/* Paragraphs that begin with **Concept, **Predicted or **Found: idea, prediction and outcome. */
static void put_paragraphs(FILE *page, const char *readme) {
    static const char *const wanted[] = {"**Concept", "**Predicted", "**Found"};
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
        for (const char *at = readme; (at = strstr(at, wanted[w])) != NULL;) {
            const char *end = strstr(at, "\n\n");
            const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
            if (at == readme || at[-1] == '\n') put_markdown(page, at, length);
            at += length;
        }
}

/* The README's table of counters, which the simulated device gave. */
static void put_counters(FILE *page, const char *readme, const char *stage) {
    const char *at = strstr(readme, "<!-- table: counters"), *end = at == NULL ? NULL : strstr(at, "<!-- end -->");
    if (end == NULL || (at = strchr(at, '\n')) == NULL) return;
    report_put(page,
               "<div class=wide tabindex=0 role=region aria-label=\"Counters of %s\"><p class=from>Counted by the "
               "simulated device</p>\n",
               stage);
    put_markdown(page, at, (size_t)(end - at));
    fputs("</div>\n", page);
}

static void put_stage(FILE *page, const char *problem, const wl_variant *v, const wl_variant *before) {
    char *readme, *kernel, *former = NULL;
    read_of(problem, v->name, "README.md", &readme);
    read_of(problem, v->name, "kernel.cu", &kernel);
    if (before != NULL) read_of(problem, before->name, "kernel.cu", &former);
    report_put(page, "<details class=stage><summary>%s: %s <span class=from>(%s)</span></summary>\n", v->name,
               v->idea == NULL ? "" : v->idea, v->source == NULL ? "Warpladder" : v->source);
    if (readme != NULL) {
        put_paragraphs(page, readme);
        put_counters(page, readme, v->name);
    }
    if (former != NULL && kernel != NULL) {
        report_put(page, "<div class=wide tabindex=0 role=region aria-label=\"Kernels of %s and %s\">\n", before->name,
                   v->name);
        if (!report_difference(page, former, kernel)) fputs("<p>There was no memory for the comparison.</p>\n", page);
        fputs("</div>\n", page);
    }
    fputs("</details>\n", page);
    WL_FREE(readme, kernel, former);
}

void report_stages(FILE *page, const char *problem) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count), *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const wl_variant *v = variants[i];
        if (strcmp(v->problem, problem) != 0 || v->backend != WL_SIM || !isdigit((unsigned char)v->name[0])) continue;
        if (before == NULL)
            fputs("<p>Each opens its prediction and outcome, its counters, and its kernel beside the one before.</p>\n",
                  page);
        put_stage(page, problem, v, before);
        before = v;
    }
}
