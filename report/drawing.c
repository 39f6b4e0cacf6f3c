/* What gnuplot drew, as part of a page. */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

/* From `from` on, whether `text` begins there. */
static int begins(const char *from, const char *text) { return strncmp(from, text, strlen(text)) == 0; }

/* gnuplot's hypertext, <g onmousemove="gnuplot_svg.showHypertext(evt,'TEXT')" ...><title> </title>, is for a script that a page does not
   have. Its TEXT of *length bytes; *after: what comes after it. NULL: it is none. */
static const char *hypertext(const char *at, size_t *length, const char **after) {
    static const char before[] = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'", empty[] = "<title> </title>";
    if (!begins(at, before)) return NULL;
    const char *text = at + sizeof before - 1, *end = strstr(text, "')\""), *title = strstr(text, empty);
    if (end == NULL || title == NULL || end > title) return NULL;
    *length = (size_t)(end - text);
    *after = title + sizeof empty - 1;
    return text;
}

/* What is left out: names that all drawings have, titles that say nothing, groups without anything, marks that a drawing does not use. */
static const char *skip(const char *at) {
    static const char group[] = "stroke-linejoin=\"miter\">";
    if (begins(at, "<title>Gnuplot") || begins(at, "<title>gnuplot_plot")) return strstr(at, "</title>") + 8;
    if (begins(at, "<defs>")) {
        const char *end = strstr(at, "</defs>");
        return strstr(end, "href='#") || strstr(end, "url(#") ? NULL : end + 7;
    }
    if (begins(at, "<desc>")) return strstr(at, "</desc>") + 7;
    if (begins(at, "id=\"gnuplot_")) return at + 4 + strcspn(at + 4, "\"") + 1;
    if (begins(at, "xmlns")) return strpbrk(at, "\"") + 1 + strcspn(strpbrk(at, "\"") + 1, "\"") + 1;
    if (begins(at, "<g fill=\"none\"")) {
        const char *end = strstr(at, group), *close = strchr(at, '>');
        if (end == NULL || close != end + sizeof group - 2) return NULL;
        close += 1 + strspn(close + 1, " \t\n");
        if (begins(close, "</g>")) return close + 4;
    }
    return NULL;
}

/* What gnuplot repeats in thousands of elements; the page's style has it once (report/style.c). NULL: `at` is none of it. */
static const char *styled(const char *at, const char **shorter) {
    static const struct {
        const char *said, *shorter;
    } repeated[] = {
        {"fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
         "stroke-linejoin=\"miter\"",
         "class=line"},
        {"fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"0.70\" stroke-linecap=\"butt\" "
         "stroke-linejoin=\"miter\"",
         "class=\"line thin\""},
        {" stroke=\"none\" fill=\"rgb(51,51,51)\"", " class=ink"},
        {" font-family=\"DejaVu Sans,Verdana,Arial,sans-serif\"", ""},
        {" font-family=\"DejaVu Sans\"", ""},
        {" font-size=\"12.00\"", ""}, // the drawing's own
        {"'rgb(  0,   0,   0)'", "'#000'"},
        {"'rgb( 51,  51,  51)'", "'#333'"},
        {"'rgb(221, 221, 221)'", "'#ddd'"},
        {"xlink:", ""},
    };
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        if (!begins(at, repeated[i].said)) continue;
        *shorter = repeated[i].shorter;
        return at + strlen(repeated[i].said);
    }
    return NULL;
}

/* How many letters of the point and two digits at `at` a place needs: none of ".00", two of ".50"; 3 where it is no such number. */
static size_t decimals(const char *at) {
    if (strspn(at + 1, "0123456789") != 2 || at[2] != '0') return 3;
    return at[1] == '0' ? 0 : 2;
}

void report_drawing(FILE *page, const char *svg, const char *says, size_t number) {
    const char *at = strstr(svg, "<svg");
    if (at == NULL) return;
    report_put(page, "<svg role=img font-size=12 aria-label=\"%s\" ", says);
    int in_tag = 1;
    for (at += 4; *at;) {
        size_t length;
        const char *next = NULL, *shorter, *text = hypertext(at, &length, &next);
        if (text != NULL)
            fprintf(page, "<g><title>%.*s</title>", (int)length, text);
        else if ((next = skip(at)) == NULL && (next = styled(at, &shorter)) != NULL)
            fputs(shorter, page);
        if (next != NULL) {
            at = next;
            continue;
        }
        if (strchr(" \t\n", *at) != NULL) { // of many blanks one, and between elements none
            const size_t blanks = strspn(at, " \t\n");
            if ((at[-1] != '>' || at[blanks] != '<') && !begins(at + blanks, "'/>")) fputc(' ', page);
            at += blanks;
            continue;
        }
        const char *name = begins(at, "id='")      ? "id='"
                           : begins(at, "href='#") ? "href='#"
                           : begins(at, "url(#")   ? "url(#"
                                                   : NULL;
        if (name != NULL) { // a mark or a filter of this drawing
            fprintf(page, "%sc%zu", name, number);
            at += strlen(name);
        } else if (in_tag && *at == '.' && (length = decimals(at)) < 3) {
            fprintf(page, "%.*s", (int)length, at);
            at += 3;
        } else {
            in_tag = *at == '<' || (in_tag && *at != '>');
            fputc(*at++, page);
        }
    }
}

void report_values(FILE *page, const char *svg, size_t number) {
    size_t count = 0, length;
    for (const char *at = svg, *after, *text; (at = strstr(at, "<g onmousemove=")) != NULL; at++) {
        if ((text = hypertext(at, &length, &after)) == NULL) continue;
        if (count++ == 0) fprintf(page, "<details class=values><summary>Values of chart %zu</summary><ul>\n", number);
        fprintf(page, "<li>%.*s\n", (int)length, text);
    }
    if (count > 0) fputs("</ul></details>\n", page);
}
