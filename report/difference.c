/* Lines of two kernels side by side, by their longest common subsequence. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "report/page.h"

enum { AROUND = 3 }; // equal lines that are shown before and after a change

typedef struct {
    char *text, **line;
    size_t count, room, since;
} lines;

static int split(const char *text, lines *l) {
    *l = (lines){.text = strdup(text)};
    if (l->text == NULL) return 0;
    for (char *at = l->text, *next; at != NULL && *at; at = next) {
        next = strchr(at, '\n');
        if (next != NULL) *next++ = 0;
        if (!wl_memory_grow(&l->since, &l->line, &l->room, l->count + 1, sizeof *l->line)) return 0;
        l->line[l->count++] = at;
    }
    return 1;
}

/* A row of the table: a line of each, NULL where it has none. */
typedef struct {
    const char *before, *after;
    int is_same;
} pair;

/* style.c says "removed" or "added" before a marked line, to those who hear the page. */
static void put_side(FILE *page, const char *line, const char *mark) {
    if (line == NULL) {
        fputs("<td class=none>", page);
        return;
    }
    fprintf(page, "<td%s>", mark);
    report_text(page, line);
}

static void put_pairs(FILE *page, const pair *pairs, size_t count) {
    size_t shown = 0;
    fputs("<table class=diff><thead><tr><th scope=col>the stage before</th><th scope=col>this "
          "stage</th></tr></thead><tbody>\n",
          page);
    for (size_t i = 0; i < count; i++) {
        const size_t first = i > AROUND ? i - AROUND : 0, last = i + AROUND < count ? i + AROUND : count - 1;
        int is_near = 0;
        for (size_t k = first; k <= last; k++) is_near |= !pairs[k].is_same;
        if (!is_near) continue;
        if (i > shown)
            fprintf(page, "<tr><td colspan=2 class=gap>%zu equal line%s\n", i - shown, i - shown == 1 ? "" : "s");
        shown = i + 1;
        fputs("<tr>", page);
        put_side(page, pairs[i].before, pairs[i].is_same ? "" : " class=del");
        put_side(page, pairs[i].after, pairs[i].is_same ? "" : " class=ins");
        fputc('\n', page);
    }
    fputs("</tbody></table>\n", page);
}

/* common[i][j]: the length of the longest common subsequence of a's lines from i on and b's from j on. */
static size_t align(const lines *a, const lines *b, const uint32_t *common, pair *pairs) {
    const size_t wide = b->count + 1;
    size_t i = 0, j = 0, count = 0,
           open = 0; // open: the first of the changed rows that has no line of the other side yet
    while (i < a->count || j < b->count) {
        if (i < a->count && j < b->count && strcmp(a->line[i], b->line[j]) == 0) {
            pairs[count++] = (pair){a->line[i++], b->line[j++], 1};
            open = count;
        } else if (i < a->count && (j == b->count || common[(i + 1) * wide + j] >= common[i * wide + j + 1])) {
            pairs[count++] = (pair){a->line[i++], NULL, 0};
        } else {
            while (open < count && pairs[open].after != NULL) open++;
            if (open < count)
                pairs[open++].after = b->line[j++];
            else {
                pairs[count++] = (pair){NULL, b->line[j++], 0};
                open = count;
            }
        }
    }
    return count;
}

int report_difference(FILE *page, const char *before, const char *after) {
    lines a = {0}, b = {0};
    uint32_t *common = NULL;
    pair *pairs = NULL;
    int done = split(before, &a);
    done = split(after, &b) && done;
    done = done && WL_ALLOCATE(WL_ZEROS(common, (a.count + 1) * (b.count + 1)), WL_ARRAY(pairs, a.count + b.count + 1));
    if (done) {
        const size_t wide = b.count + 1;
        for (size_t i = a.count; i-- > 0;)
            for (size_t j = b.count; j-- > 0;) {
                const uint32_t down = common[(i + 1) * wide + j], right = common[i * wide + j + 1];
                common[i * wide + j] = strcmp(a.line[i], b.line[j]) == 0 ? common[(i + 1) * wide + j + 1] + 1
                                       : down > right                    ? down
                                                                         : right;
            }
        put_pairs(page, pairs, align(&a, &b, common, pairs));
    }
    WL_FREE(a.text, a.line, b.text, b.line, common, pairs);
    return done;
}
