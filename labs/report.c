/* A class's tables as CSV and as a page. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "labs/class.h"

typedef struct {
    const char *id, *reason;
    double points, all;
} mark;
typedef struct {
    const char *student, *lab, *reason;
    double score, points;
    mark marks[WL_LAB_TESTS];
    size_t count;
} row;
typedef struct {
    const char *lab, *student, *other, *words, *structure, *tokens, *other_tokens;
} pair;
typedef struct {
    row *rows;
    size_t count;
    pair *pairs; // the first of a lab has its line of the median as its student, and no other
    size_t pair_count;
    char **texts; // rows and pairs point into them
    size_t text_count;
} classes;

/* ---- reading ---- */

/* A number from 0 to `most`; -1: it is none. */
static double number_of(const char *text, double most) {
    const char *end;
    const double number = wl_decimal(text, &end);
    return end != text && *end == 0 && number >= 0 && number <= most ? number : -1;
}

/* Cuts a line at its tabs, into at most `most` fields. */
static size_t split(char *line, char **field, size_t most) {
    size_t fields = 0;
    for (char *at = line, *tab; at && fields < most; at = tab) {
        field[fields++] = at;
        tab = strchr(at, '\t');
        if (tab) *tab++ = 0;
    }
    return fields;
}

/* A name as wl_lab_line wrote it. */
static const char *name_of(const char *text) { return *text == '\'' && wl_is_formula(text + 1) ? text + 1 : text; }

enum { BEFORE_TESTS = 6 };
static const double MOST_POINTS = 1e6;

/* "right=20/30 race at 5x9" */
static int read_mark(char *text, mark *m) {
    char *equal = strchr(text, '='), *slash = equal ? strchr(equal, '/') : NULL,
         *blank = slash ? strchr(slash, ' ') : NULL;
    if (blank == NULL) return 0;
    *equal = *slash = *blank = 0;
    *m = (mark){text, blank + 1, 0, number_of(slash + 1, MOST_POINTS)};
    m->points = number_of(equal + 1, m->all);
    return m->all >= 0 && m->points >= 0;
}

static wl_status read_row(char *line, const char *path, size_t number, row *r) {
    char *field[BEFORE_TESTS + WL_LAB_TESTS];
    const size_t fields = split(line, field, BEFORE_TESTS + WL_LAB_TESTS);
    if (fields <= BEFORE_TESTS)
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found %zu fields; expected more than %d", path, number, fields,
                       BEFORE_TESTS);
    *r = (row){
        name_of(field[0]), field[1], field[5], 0, number_of(field[3], MOST_POINTS), .count = fields - BEFORE_TESTS};
    r->score = number_of(field[2], r->points);
    if (r->points < 0 || r->score < 0)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: found a score of '%.40s' of '%.40s' points; expected one from 0 to all of them", path,
                       number, field[2], field[3]);
    for (size_t i = 0; i < r->count; i++)
        if (!read_mark(field[BEFORE_TESTS + i], &r->marks[i]))
            return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%.40s'; expected TEST=POINTS/ALL REASON", path, number,
                           field[BEFORE_TESTS + i]);
    return WL_OK;
}

static wl_status read_text(classes *c, const char *folder, const char *name, char **path, char **text) {
    if (asprintf(path, "%s/%s", folder, name) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    WL_TRY(wl_text_read(*path, text));
    if (!WL_GROW(c->texts, c->text_count, 1)) {
        free(*text);
        return wl_fail(WL_NO_MACHINE, "no memory for a class");
    }
    c->texts[c->text_count++] = *text;
    wl_lab_tame(*text);
    return WL_OK;
}

static wl_status add_pairs(classes *c, const char *folder, const char *lab) {
    enum { FIELDS = 6 };
    char *path = NULL, *text, *rest = NULL, *field[FIELDS];
    wl_status status = read_text(c, folder, "similar.tsv", &path, &text);
    static const char median[] = "# median: ";
    char *line = status == WL_OK ? strtok_r(text, "\n", &rest) : NULL;
    if (status == WL_OK && (line == NULL || strncmp(line, median, strlen(median)) != 0 || !strtok_r(NULL, "\n", &rest)))
        status = wl_fail(WL_BAD_INPUT, "%s:1: expected '%s' and, in line 2, names of columns", path, median);
    if (status == WL_OK && WL_GROW(c->pairs, c->pair_count, 1))
        c->pairs[c->pair_count++] = (pair){lab, line + strlen(median), NULL, "", "", "", ""};
    for (size_t number = 3; status == WL_OK && (line = strtok_r(NULL, "\n", &rest)) != NULL; number++) {
        if (split(line, field, FIELDS) != FIELDS)
            status = wl_fail(WL_BAD_INPUT, "%s:%zu: expected %d fields", path, number, FIELDS);
        else if (!WL_GROW(c->pairs, c->pair_count, 1))
            status = wl_fail(WL_NO_MACHINE, "no memory for a class");
        else
            c->pairs[c->pair_count++] =
                (pair){lab, name_of(field[0]), name_of(field[1]), field[2], field[3], field[4], field[5]};
    }
    free(path);
    return status;
}

static wl_status add_folder(classes *c, const char *folder) {
    char *path = NULL, *text, *rest = NULL;
    wl_status status = read_text(c, folder, "class.tsv", &path, &text);
    char *line = status == WL_OK ? strtok_r(text, "\n", &rest) : NULL;
    if (status == WL_OK && (line == NULL || strcmp(line, wl_lab_class_head) != 0))
        status = wl_fail(WL_BAD_INPUT, "%s:1: found no table of a class; expected the columns that 'lab grade' writes",
                         path);
    const size_t before = c->count;
    for (size_t number = 2; status == WL_OK && (line = strtok_r(NULL, "\n", &rest)) != NULL; number++)
        status = WL_GROW(c->rows, c->count, 1) ? read_row(line, path, number, &c->rows[c->count++])
                                               : wl_fail(WL_NO_MACHINE, "no memory for a class");
    free(path);
    return status == WL_OK && c->count > before ? add_pairs(c, folder, c->rows[before].lab) : status;
}

/* ---- what a class shows of a test ---- */

static const mark *mark_of(const row *r, const char *id) {
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->marks[i].id, id) == 0) return &r->marks[i];
    return NULL;
}

static int is_passed(const mark *m) { return strcmp(m->reason, "ok") == 0; }

/* A reason without the shape, which each student has another of. */
static size_t kind_length(const char *reason) {
    const char *at = strstr(reason, " at ");
    return at ? (size_t)(at - reason) : strlen(reason);
}

typedef struct {
    const char *text; // kind_length of it
    size_t how_often;
} cause;
typedef struct {
    size_t students, passed;
    cause *causes; // [count], which the caller frees, of those who have not passed, the most common first
    size_t count;
} success;

static int by_frequency(const void *a, const void *b) {
    const size_t x = ((const cause *)a)->how_often, y = ((const cause *)b)->how_often;
    return (x < y) - (x > y);
}

static success success_of(const classes *c, const char *lab, const char *id) {
    success s = {0};
    for (const row *r = c->rows; r < c->rows + c->count; r++) {
        const mark *m = strcmp(r->lab, lab) == 0 ? mark_of(r, id) : NULL;
        if (m == NULL) continue;
        s.students++;
        s.passed += is_passed(m);
        const size_t length = kind_length(m->reason);
        size_t k = 0;
        while (k < s.count &&
               (kind_length(s.causes[k].text) != length || strncmp(s.causes[k].text, m->reason, length) != 0))
            k++;
        if (!is_passed(m) && k == s.count && WL_GROW(s.causes, s.count, 1)) s.causes[s.count++] = (cause){m->reason, 0};
        if (!is_passed(m) && k < s.count) s.causes[k].how_often++;
    }
    if (s.count > 0) qsort(s.causes, s.count, sizeof *s.causes, by_frequency);
    return s;
}

/* ---- CSV ---- */

static void put_fields(FILE *out, const char *const *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', out);
        wl_put_csv(out, fields[i], 1);
    }
}

/* The names of all tests, in the order in which rows have them; [*count], which the caller frees. */
static const char **tests_of(const classes *c, const char *lab, size_t *count) {
    const char **ids = NULL;
    *count = 0;
    for (const row *r = c->rows; r < c->rows + c->count; r++)
        for (size_t i = 0; i < r->count && (lab == NULL || strcmp(r->lab, lab) == 0); i++) {
            size_t k = 0;
            while (k < *count && strcmp(ids[k], r->marks[i].id) != 0) k++;
            if (k == *count && WL_GROW(ids, *count, 1)) ids[(*count)++] = r->marks[i].id;
        }
    return ids;
}

static void put_students(FILE *out, const classes *c) {
    size_t count;
    char head[64];
    const char **ids = tests_of(c, NULL, &count);
    fputs("student,lab,score,points,reason", out);
    for (size_t i = 0; i < count; i++) {
        fputc(',', out);
        wl_put_csv(out, ids[i], 1);
        fputc(',', out);
        snprintf(head, sizeof head, "%s reason", ids[i]);
        wl_put_csv(out, head, 1);
    }
    fputc('\n', out);
    for (const row *r = c->rows; r < c->rows + c->count; r++) {
        put_fields(out, (const char *[]){r->student, r->lab}, 2);
        fprintf(out, ",%g,%g,", r->score, r->points);
        wl_put_csv(out, r->reason, 1);
        for (size_t i = 0; i < count; i++) {
            const mark *m = mark_of(r, ids[i]);
            if (m)
                fprintf(out, ",%g,", m->points);
            else
                fputs(",,", out);
            wl_put_csv(out, m ? m->reason : "", 1);
        }
        fputc('\n', out);
    }
    free(ids);
}

static int is_first_of_lab(const classes *c, size_t i) {
    size_t before = 0;
    while (strcmp(c->rows[before].lab, c->rows[i].lab) != 0) before++;
    return before == i;
}

static void put_by_test(FILE *out, const classes *c) {
    fputs("lab,test,points,passed,submissions,commonest reason,how often\n", out);
    for (size_t i = 0; i < c->count; i++) {
        if (!is_first_of_lab(c, i)) continue;
        size_t count;
        const char **ids = tests_of(c, c->rows[i].lab, &count);
        for (size_t k = 0; k < count; k++) {
            const success s = success_of(c, c->rows[i].lab, ids[k]);
            const mark *m = mark_of(&c->rows[i], ids[k]);
            put_fields(out, (const char *[]){c->rows[i].lab, ids[k]}, 2);
            const cause most = s.count > 0 ? s.causes[0] : (cause){"", 0};
            fprintf(out, ",%g,%zu,%zu,\"%.*s\",%zu\n", m ? m->all : 0, s.passed, s.students,
                    (int)kind_length(most.text), most.text, most.how_often);
            free(s.causes);
        }
        free(ids);
    }
}

static void put_similar(FILE *out, const classes *c) {
    fputs("lab,student,other,same words,same structure,tokens,other tokens\n", out);
    for (const pair *p = c->pairs; p < c->pairs + c->pair_count; p++) {
        if (p->other == NULL) continue;
        put_fields(
            out, (const char *[]){p->lab, p->student, p->other, p->words, p->structure, p->tokens, p->other_tokens}, 7);
        fputc('\n', out);
    }
}

/* ---- the page ---- */

static void put_html(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static void put_cell(FILE *out, const char *tag, const char *text) {
    fprintf(out, "<%s>", tag);
    put_html(out, text);
    fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

static void put_bar(FILE *out, double share) { fprintf(out, "<span style=\"width:%.1fem\"></span> ", 12 * share); }

/* How many students have which tenth of a lab's points. */
static void put_distribution(FILE *out, const classes *c, const char *lab) {
    enum { TENTHS = 10 };
    size_t of[TENTHS] = {0}, students = 0, most = 1;
    double sum = 0, points = 0;
    for (const row *r = c->rows; r < c->rows + c->count; r++) {
        if (strcmp(r->lab, lab) != 0) continue;
        const int tenth = r->points > 0 ? (int)(TENTHS * r->score / r->points) : 0;
        of[tenth < TENTHS ? tenth : TENTHS - 1]++;
        students++;
        sum += r->score;
        points = r->points;
    }
    for (int i = 0; i < TENTHS; i++) most = of[i] > most ? of[i] : most;
    put_cell(out, "h2", lab);
    fprintf(out, "<p>%zu submissions, mean %.1f of %g points.</p>\n<table><caption>Share of the points</caption>\n",
            students, students ? sum / (double)students : 0, points);
    for (int i = 0; i < TENTHS; i++) {
        fprintf(out, "<tr><th scope=row>%d to %d %%</th><td>", 10 * i, 10 * (i + 1));
        put_bar(out, (double)of[i] / (double)most);
        fprintf(out, "%zu</td></tr>\n", of[i]);
    }
    fputs("</table>\n", out);
}

static const char *long_name(const wl_lab *lab, const char *id) {
    for (size_t i = 0; i < lab->count; i++)
        if (strcmp(lab->tests[i].id, id) == 0) return lab->tests[i].name;
    return "";
}

static void put_success(FILE *out, const classes *c, const char *lab, const char *const *ids, size_t count) {
    wl_lab of_lab = {0};
    char *folder = NULL;
    if (wl_lab_find(lab, &folder) == WL_OK) wl_lab_read(folder, 1, &of_lab); // else names are short
    fputs("<div class=wide><table><caption>Who passed each test, and why the others did not. What the compiler or the "
          "simulated device said is in NAME.txt.</caption>\n<tr><th scope=col>test</th><th scope=col>what is "
          "tested</th><th scope=col>passed</th><th scope=col>reasons</th></tr>\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const success s = success_of(c, lab, ids[i]);
        fputs("<tr>", out);
        put_cell(out, "th scope=row", ids[i]);
        put_cell(out, "td", long_name(&of_lab, ids[i]));
        fputs("<td>", out);
        put_bar(out, s.students ? (double)s.passed / (double)s.students : 0);
        fprintf(out, "%zu of %zu</td><td>", s.passed, s.students);
        for (size_t k = 0; k < s.count; k++) {
            char *kind = strndup(s.causes[k].text, kind_length(s.causes[k].text));
            fputs(k ? ", " : "", out);
            put_html(out, kind ? kind : "");
            fprintf(out, " (%zu)", s.causes[k].how_often);
            free(kind);
        }
        fputs("</td></tr>\n", out);
        free(s.causes);
    }
    fputs("</table></div>\n", out);
    wl_lab_free(&of_lab);
    free(folder);
}

static void put_marks(FILE *out, const classes *c, const char *lab, const char *const *ids, size_t count) {
    fputs("<div class=wide><table><caption>Points of each student, and what cost them</caption>\n<tr><th "
          "scope=col>student</th>"
          "<th scope=col>score</th><th scope=col>first reason</th>",
          out);
    for (size_t i = 0; i < count; i++) {
        fputs("<th scope=col>", out);
        put_html(out, ids[i]);
        const row *r = c->rows;
        while (strcmp(r->lab, lab) != 0) r++;
        const mark *m = mark_of(r, ids[i]);
        if (m) fprintf(out, "<small>of %g</small>", m->all);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    for (const row *r = c->rows; r < c->rows + c->count; r++) {
        if (strcmp(r->lab, lab) != 0) continue;
        fputs("<tr>", out);
        put_cell(out, "th scope=row", r->student);
        fprintf(out, "<td>%g of %g</td>", r->score, r->points);
        put_cell(out, "td", r->reason);
        for (size_t i = 0; i < count; i++) {
            const mark *m = mark_of(r, ids[i]);
            const char *kind = m == NULL       ? ""
                               : is_passed(m)  ? " class=ok"
                               : m->points > 0 ? " class=part"
                                               : " class=no";
            fprintf(out, "<td%s>", kind);
            if (m && m->all == 0) fputs(is_passed(m) ? "passed" : "failed ", out);
            if (m && m->all > 0) fprintf(out, "%g%s", m->points, is_passed(m) ? "" : " ");
            if (m && !is_passed(m)) {
                fputs("<small>", out);
                put_html(out, m->reason);
                fputs("</small>", out);
            }
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static int by_likeness(const void *a, const void *b) {
    const pair *x = a, *y = b;
    const int structure = strcmp(y->structure, x->structure);
    return structure ? structure : strcmp(y->words, x->words);
}

static void put_pairs(FILE *out, const classes *c, const char *lab) {
    enum { SHOWN = 40 };
    size_t shown = 0;
    const char *median = "";
    for (const pair *p = c->pairs; p < c->pairs + c->pair_count; p++)
        if (strcmp(p->lab, lab) == 0 && p->other == NULL) median = p->student;
    fputs("<div class=wide><table><caption>Kernels that are alike, the most alike first (at most 40 pairs). A lab has "
          "few right "
          "answers, so compare with the median: ",
          out);
    put_html(out, median);
    fputs(". Equal structure with other words is what renaming leaves.</caption>\n<tr><th scope=col>student</th><th "
          "scope=col>other</th><th scope=col>same structure</th><th scope=col>same words</th><th "
          "scope=col>tokens</th></tr>\n",
          out);
    for (const pair *p = c->pairs; p < c->pairs + c->pair_count && shown < SHOWN; p++) {
        if (strcmp(p->lab, lab) != 0 || p->other == NULL) continue;
        shown++;
        fputs("<tr>", out);
        put_cell(out, "th scope=row", p->student);
        put_cell(out, "th scope=row", p->other);
        put_cell(out, "td", p->structure);
        put_cell(out, "td", p->words);
        fputs("<td>", out);
        put_html(out, p->tokens);
        fputs(", ", out);
        put_html(out, p->other_tokens);
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void put_page(FILE *out, const classes *c) {
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>Labs</title>\n"
          "<meta name=viewport content=\"width=device-width\">\n"
          "<style>:root{color-scheme:light dark;--ok:#dff3e3;--part:#fff1cf;--no:#fde4e1;--line:#bbb}"
          "@media(prefers-color-scheme:dark){:root{--ok:#16401f;--part:#4a3a10;--no:#51201c;--line:#555}}"
          "body{font-family:sans-serif;max-width:80em;margin:auto;padding:1em}.wide{overflow-x:auto}"
          "table{border-collapse:collapse;margin:1em 0}caption{text-align:left;padding:.3em 0}"
          "th{text-align:left;font-weight:normal}th,td{padding:.2em .6em;border-bottom:1px solid "
          "var(--line);vertical-align:top}"
          "th[scope=col]{font-weight:bold}td span{display:inline-block;height:1em;background:#36c}"
          ".ok{background:var(--ok)}.part{background:var(--part)}.no{background:var(--no)}small{display:block;min-"
          "width:6em}</style>"
          "</head><body>\n<h1>Labs</h1>\n",
          out);
    for (size_t i = 0; i < c->count; i++) {
        if (!is_first_of_lab(c, i)) continue;
        size_t count;
        const char *lab = c->rows[i].lab, **ids = tests_of(c, lab, &count);
        put_distribution(out, c, lab);
        put_success(out, c, lab, ids, count);
        put_marks(out, c, lab, ids, count);
        put_pairs(out, c, lab);
        free(ids);
    }
    fputs("</body></html>\n", out);
}

wl_status wl_lab_report(const char *const *folders, size_t count, wl_lab_table table, FILE *out, const char *page) {
    static void (*const writers[])(FILE *, const classes *) = {put_students, put_by_test, put_similar};
    classes c = {0};
    wl_outfile file;
    wl_status status = WL_OK;
    for (size_t i = 0; status == WL_OK && i < count; i++) status = add_folder(&c, folders[i]);
    if (c.pair_count > 0) qsort(c.pairs, c.pair_count, sizeof *c.pairs, by_likeness);
    if (status == WL_OK && page != NULL) {
        status = wl_outfile_open(page, &file);
        if (status == WL_OK) {
            put_page(file.stream, &c);
            status = wl_outfile_commit(&file);
        }
    }
    if (status == WL_OK) writers[table](out, &c);
    for (size_t i = 0; i < c.text_count; i++) free(c.texts[i]);
    WL_FREE(c.texts, c.rows, c.pairs);
    return status;
}
