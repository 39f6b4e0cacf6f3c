/* Documents to pages: what the source tree has, at the same places, each with the site's frame. */
#define _GNU_SOURCE /* asprintf, scandir's versionsort */
#include "report/site.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/json.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "harness/bench/problem.h"
#include "plots/chart.h"
#include "report/markdown.h"
#include "report/page.h"

/* The style and the search, which the program has in it. */
#define PART(name, file)                                                                \
    __asm__(".section .rodata\n" #name ": .incbin \"" file "\"\n.byte 0\n.previous\n"); \
    extern const char name[] __attribute__((visibility("hidden")))
PART(site_style, WL_SITE_STYLE);
PART(site_script, WL_SITE_SCRIPT);

/* What a page is made of. */
typedef enum { MARKDOWN, SOURCE, FOLDER, PICTURE } kind;

typedef struct {
    char *source, *path; /* "docs/measuring.md", "docs/measuring.html"; both from the top folder on */
    char *title;
    kind kind;
    size_t chapter; /* of the contents, from 1; 0: only other pages lead there */
} leaf;

typedef struct {
    const char *folder;
    leaf *leaves; /* [count]: first those of the contents, in order, then as they are found */
    size_t count, room, since;
    const char *chapters[16];
    size_t chapter_count, contents;
    size_t dangling;
    FILE *index; /* for the search */
    int indexed;
} site;

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the pages"); }

/* --- Places -------------------------------------------------------------------------------------------------------- */

static int ends_with(const char *text, const char *end) {
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static int stat_source(const char *source, struct stat *found) {
    char *path = wl_data_path(source);
    const int exists = path != NULL && stat(path, found) == 0;
    free(path);
    return exists;
}

static int exists(const char *source) {
    struct stat found;
    return stat_source(source, &found);
}

/* "lessons/README.md" is lessons/index.html, "docs/a.md" docs/a.html, "sw/problem.h" sw/problem.h.html. */
static char *path_of(const char *source, kind kind) {
    char *path = NULL;
    const int base = (int)strlen(source);
    if (kind == PICTURE) return strdup(source);
    if (kind == FOLDER) return asprintf(&path, "%s/index.html", source) < 0 ? NULL : path;
    if (kind == SOURCE) return asprintf(&path, "%s.html", source) < 0 ? NULL : path;
    if (strcmp(source, "README.md") == 0 || ends_with(source, "/README.md"))
        return asprintf(&path, "%.*sindex.html", base - 9, source) < 0 ? NULL : path;
    return asprintf(&path, "%.*s.html", base - 3, source) < 0 ? NULL : path;
}

/* The address of `to` as seen from the page at `from`. */
static char *seen_from(const char *from, const char *to, const char *fragment) {
    size_t same = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') same = i + 1;
    char *address = NULL;
    size_t size;
    FILE *stream = open_memstream(&address, &size);
    if (stream == NULL) return NULL;
    for (const char *at = from + same; *at; at++)
        if (*at == '/') fputs("../", stream);
    fprintf(stream, "%s%s", to + same, fragment);
    return fclose(stream) == 0 ? address : (free(address), NULL);
}

/* `url` from the folder of `source`, without "." and ".."; NULL: it leads out of the tree. The caller frees it. */
static char *resolve(const char *source, const char *url) {
    const char *slash = strrchr(source, '/');
    char *joined = NULL, *rest = NULL, *clean = NULL;
    size_t depth = 0, starts[64];
    if (asprintf(&joined, "%.*s%s", slash == NULL ? 0 : (int)(slash - source + 1), source, url) < 0) return NULL;
    clean = calloc(strlen(joined) + 2, 1);
    for (char *part = clean == NULL ? NULL : strtok_r(joined, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (strcmp(part, ".") == 0) continue;
        if (strcmp(part, "..") == 0) {
            if (depth == 0) {
                free(clean);
                clean = NULL;
                break;
            }
            clean[starts[--depth]] = 0;
            continue;
        }
        if (depth == sizeof starts / sizeof *starts) break;
        starts[depth++] = strlen(clean);
        if (*clean) strcat(clean, "/");
        strcat(clean, part);
    }
    free(joined);
    return clean;
}

/* --- Which pages --------------------------------------------------------------------------------------------------- */

static leaf *leaf_of(const site *s, const char *source) {
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->leaves[i].source, source) == 0) return &s->leaves[i];
    return NULL;
}

/* Of a text without a title of its own, a lab's: that of the lab. */
static char *title_of_lab(const char *source) {
    char *beside = NULL, *path = NULL, *text = NULL, *title = NULL;
    const char *slash = strrchr(source, '/');
    if (slash != NULL && asprintf(&beside, "%.*s/lab.ini", (int)(slash - source), source) >= 0)
        path = wl_data_path(beside);
    if (path != NULL && wl_text_read(path, &text) == WL_OK) {
        const char *at = strstr(text, "\ntitle = ");
        if (at != NULL) title = strndup(at + 9, strcspn(at + 9, "\n"));
    }
    WL_FREE(beside, path, text);
    return title;
}

static char *title_of(const char *source, kind kind) {
    char *path = kind == MARKDOWN ? wl_data_path(source) : NULL, *text = NULL, *title = NULL;
    if (path != NULL && wl_text_read(path, &text) == WL_OK)
        title = *text == '#' ? markdown_title(text) : title_of_lab(source);
    WL_FREE(path, text);
    return title != NULL ? title : strdup(source);
}

/* The page of a file that exists; NULL: no memory. */
static leaf *add(site *s, const char *source, kind kind, size_t chapter) {
    leaf *known = leaf_of(s, source);
    if (known != NULL) return known;
    if (!wl_memory_grow(&s->since, &s->leaves, &s->room, s->count + 1, sizeof *s->leaves)) return NULL;
    leaf *l = &s->leaves[s->count];
    *l = (leaf){strdup(source), path_of(source, kind), title_of(source, kind), kind, chapter};
    if (l->source == NULL || l->path == NULL || l->title == NULL) return NULL;
    s->count++;
    return l;
}

/* What `source` is in the tree: a page, or none. */
static leaf *find(site *s, const char *source) {
    static const char *const pictures[] = {".svg", ".png", ".jpg", ".gif"};
    struct stat found;
    char *readme = NULL;
    leaf *l = NULL;
    if (!stat_source(*source ? source : ".", &found)) return NULL;
    if (S_ISDIR(found.st_mode)) {
        if (asprintf(&readme, "%s%sREADME.md", source, *source ? "/" : "") < 0) return NULL;
        l = exists(readme) ? add(s, readme, MARKDOWN, 0) : add(s, source, FOLDER, 0);
        free(readme);
        return l;
    }
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (ends_with(source, pictures[i])) return add(s, source, PICTURE, 0);
    return add(s, source, ends_with(source, ".md") ? MARKDOWN : SOURCE, 0);
}

static int is_shown(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* Files "folder/...end", or those of the folders in it: "folder/NN/end". */
static wl_status add_all(site *s, const char *folder, const char *end, int inner, size_t chapter) {
    char *path = wl_data_path(folder);
    struct dirent **entries = NULL;
    const int count = path == NULL ? 0 : scandir(path, &entries, is_shown, versionsort);
    wl_status status = WL_OK;
    for (int i = 0; i < count; i++) {
        char *source = NULL;
        const int wanted = inner ? isdigit((unsigned char)entries[i]->d_name[0]) : ends_with(entries[i]->d_name, end);
        if (status == WL_OK && wanted) {
            if (asprintf(&source, inner ? "%s/%s/%s" : "%s/%s", folder, entries[i]->d_name, end) < 0) source = NULL;
            if (source == NULL || (exists(source) && add(s, source, MARKDOWN, chapter) == NULL)) status = no_memory();
            free(source);
        }
        free(entries[i]);
    }
    WL_FREE(entries, path);
    return status;
}

static wl_status add_one(site *s, const char *source, size_t chapter) {
    if (!exists(source))
        return wl_fail(WL_BAD_INPUT,
                       "%s: is not there; expected the documents of the source tree, in which --site runs", source);
    return add(s, source, MARKDOWN, chapter) == NULL ? no_memory() : WL_OK;
}

static size_t chapter(site *s, const char *name) {
    s->chapters[s->chapter_count++] = name;
    return s->chapter_count;
}

/* A problem that a user has added need not have a page. */
static wl_status add_ladder(site *s, const char *problem, const char *name) {
    char readme[256];
    snprintf(readme, sizeof readme, "%s/README.md", problem);
    if (!exists(readme)) return WL_OK;
    const size_t at = chapter(s, name);
    WL_TRY(add_one(s, readme, at));
    return add_all(s, problem, "README.md", 1, at);
}

static wl_status choose(site *s) {
    size_t count, at = chapter(s, "Start");
    const wl_problem *const *problems = wl_problems(&count);
    WL_TRY(add_one(s, "README.md", at));
    WL_TRY(add_one(s, "docs/teaching.md", at));
    WL_TRY(add_ladder(s, "lessons", "Lessons"));
    at = chapter(s, "Labs");
    WL_TRY(add_one(s, "labs/README.md", at));
    WL_TRY(add_all(s, "labs", "page.md", 1, at));
    for (size_t i = 0; i < count && s->chapter_count < 10; i++)
        if (strcmp(problems[i]->name, "lessons") != 0) WL_TRY(add_ladder(s, problems[i]->name, problems[i]->title));
    at = chapter(s, "Documents");
    WL_TRY(add_all(s, "docs", ".md", 0, at));
    s->contents = s->count;
    return WL_OK;
}

/* --- Links --------------------------------------------------------------------------------------------------------- */

typedef struct {
    site *site;
    size_t leaf; /* its place: the array may move while links are followed */
} place;

static char *address_of(void *context, const char *url) {
    place *p = context;
    const char *source = p->site->leaves[p->leaf].source, *hash = strchr(url, '#');
    if (strstr(url, "://") != NULL || strncmp(url, "mailto:", 7) == 0 || *url == '#') return strdup(url);
    char *file = strndup(url, hash == NULL ? strlen(url) : (size_t)(hash - url));
    char *target = file == NULL ? NULL : resolve(source, file), *address = NULL;
    const leaf *to = NULL;
    if (target != NULL && strcmp(target, "results") == 0)
        address = seen_from(p->site->leaves[p->leaf].path, "report.html", "");
    else if (target != NULL && (to = find(p->site, target)) != NULL)
        address = seen_from(p->site->leaves[p->leaf].path, to->path, hash == NULL ? "" : hash);
    else {
        fprintf(stderr, "note: %s leads to %s, which is not there\n", source, url);
        p->site->dangling++;
    }
    WL_FREE(file, target);
    return address;
}

/* --- A page -------------------------------------------------------------------------------------------------------- */

static void put_link(FILE *page, const leaf *from, const leaf *to, const char *before, const char *more) {
    char *address = seen_from(from->path, to->path, "");
    fprintf(page, "<a%s href=\"", more);
    report_text(page, address == NULL ? "" : address);
    fprintf(page, "\">%s", before);
    report_put(page, "%s</a>", to->title);
    free(address);
}

static void put_contents(const site *s, FILE *page, const leaf *here) {
    fputs("<nav aria-label=Contents id=contents>\n", page);
    for (size_t c = 1; c <= s->chapter_count; c++) {
        fprintf(page, "<details%s><summary>", here->chapter == c || c == 1 ? " open" : "");
        report_put(page, "%s</summary><ul>\n", s->chapters[c - 1]);
        for (size_t i = 0; i < s->contents; i++) {
            if (s->leaves[i].chapter != c) continue;
            fputs("<li>", page);
            put_link(page, here, &s->leaves[i], "", &s->leaves[i] == here ? " aria-current=page" : "");
            fputc('\n', page);
        }
        fputs("</ul></details>\n", page);
    }
    char *address = seen_from(here->path, "report.html", "");
    fprintf(page, "<p><a href=\"%s\">All results</a></p></nav>\n", address == NULL ? "" : address);
    free(address);
}

static void put_head(const site *s, FILE *page, const leaf *here) {
    char *script = seen_from(here->path, "site.js", ""), *style = seen_from(here->path, "site.css", ""),
         *home = seen_from(here->path, "index.html", "");
    report_put(page,
               "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
               "content=\"width=device-width, initial-scale=1\">\n<link rel=icon href=\"data:,\">\n<title>%s",
               here->title);
    fprintf(
        page,
        " - Warpladder</title>\n<link rel=stylesheet href=\"%s\">\n<script src=\"%s\" defer></script>\n</head>\n"
        "<body>\n<a class=skip href=\"#main\">To the text</a>\n<header><a class=home href=\"%s\">Warpladder</a>\n"
        "<form role=search hidden><label for=search>Search</label> <input id=search type=search autocomplete=off "
        "aria-describedby=found><div id=found role=status></div><ol id=hits></ol></form></header>\n<div class=frame>\n",
        style, script, home);
    put_contents(s, page, here);
    fputs("<main id=main>\n", page);
    WL_FREE(script, style, home);
}

/* Of a stage: its access viewer, if the site has it. */
static void put_steps(const site *s, FILE *page, const leaf *here) {
    char name[256], *file = NULL, *address = NULL;
    if (sscanf(here->source, "%250[^R]README.md", name) != 1 || strchr(name, '/') == NULL) return;
    *strchr(name, '/') = '_';
    if (strchr(name, '/') == NULL) return;
    *strchr(name, '/') = 0;
    if (asprintf(&file, SITE_STEPS "/%s_steps.html", name) < 0) return;
    char *whole = NULL;
    if (asprintf(&whole, "%s/%s", s->folder, file) >= 0 && access(whole, R_OK) == 0 &&
        (address = seen_from(here->path, file, "")) != NULL)
        fprintf(page,
                "<p class=steps><a href=\"%s\">Step through this kernel</a>: a warp's lanes, addresses, sectors and "
                "banks, line by line.</p>\n",
                address);
    WL_FREE(file, whole, address);
}

static void put_neighbours(const site *s, FILE *page, const leaf *here) {
    const size_t at = (size_t)(here - s->leaves);
    if (at >= s->contents) return;
    fputs("<nav class=turn aria-label=Neighbours>", page);
    if (at > 0) put_link(page, here, here - 1, "Before: ", " rel=prev");
    if (at + 1 < s->contents) put_link(page, here, here + 1, "Next: ", " rel=next");
    fputs("</nav>\n", page);
}

/* A table may be wider than a telephone, a line of code too: both scroll by themselves, also by keys. */
static void put_scrolling(FILE *page, const char *html) {
    size_t tables = 0;
    for (const char *at = html; *at;) {
        const char *table = strstr(at, "<table>"), *pre = strstr(at, "<pre>");
        const char *next = table == NULL ? pre : pre == NULL || table < pre ? table : pre;
        if (next == NULL) {
            fputs(at, page);
            return;
        }
        fwrite(at, 1, (size_t)(next - at), page);
        if (next == pre) {
            fputs("<pre tabindex=0>", page);
            at = next + 5;
            continue;
        }
        const char *end = strstr(next, "</table>");
        if (end == NULL) end = next + strlen(next) - 8;
        fprintf(page, "<div class=wide tabindex=0 role=region aria-label=\"Table %zu\">%.*s</div>", ++tables,
                (int)(end + 8 - next), next);
        at = end + 8;
    }
}

static void put_section(void *context, const char *name, const char *title, const char *text) {
    place *p = context;
    site *s = p->site;
    const leaf *here = &s->leaves[p->leaf];
    fprintf(s->index, "%s[", s->indexed++ ? ",\n" : "");
    wl_json_text(s->index, here->path);
    fputc(',', s->index);
    wl_json_text(s->index, here->title);
    fputc(',', s->index);
    wl_json_text(s->index, name);
    fputc(',', s->index);
    wl_json_text(s->index, title);
    fputc(',', s->index);
    wl_json_text(s->index, text);
    fputc(']', s->index);
}

static wl_status put_text(site *s, FILE *page, size_t at) {
    place here = {s, at};
    char *path = wl_data_path(s->leaves[at].source), *text = NULL;
    if (path == NULL) return no_memory();
    wl_status status = wl_text_read(path, &text);
    free(path);
    if (status == WL_OK && s->leaves[at].kind == SOURCE) {
        report_put(page, "<h1>%s</h1>\n<pre tabindex=0><code>%s</code></pre>\n", s->leaves[at].source, text);
    } else if (status == WL_OK) {
        char *html = markdown_html(text, strlen(text), address_of, &here);
        status = html != NULL && markdown_sections(text, put_section, &here) ? WL_OK : no_memory();
        if (*text != '#') {
            report_put(page, "<h1>%s</h1>\n", s->leaves[at].title);
        }
        if (html != NULL) put_scrolling(page, html);
        free(html);
    }
    free(text);
    return status;
}

static void put_folder(const site *s, FILE *page, size_t at) {
    char *path = wl_data_path(s->leaves[at].source);
    struct dirent **entries = NULL;
    const int count = path == NULL ? 0 : scandir(path, &entries, is_shown, versionsort);
    report_put(page, "<h1>%s</h1>\n<p>This folder of the source tree has:</p><ul>\n", s->leaves[at].source);
    for (int i = 0; i < count; i++) {
        report_put(page, "<li>%s", entries[i]->d_name);
        free(entries[i]);
    }
    fputs("</ul>\n", page);
    WL_FREE(entries, path);
}

static wl_status open_in(const site *s, const char *name, wl_outfile *file) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", s->folder, name) < 0) return no_memory();
    const wl_status status = wl_outfile_open_making(path, file);
    free(path);
    return status;
}

static wl_status copy(const site *s, size_t at) {
    char *path = wl_data_path(s->leaves[at].source), part[1 << 16];
    FILE *from = path == NULL ? NULL : fopen(path, "rb");
    wl_outfile file;
    free(path);
    if (from == NULL) return wl_fail(WL_BAD_INPUT, "%s: cannot be read", s->leaves[at].source);
    wl_status status = open_in(s, s->leaves[at].path, &file);
    for (size_t got; status == WL_OK && (got = fread(part, 1, sizeof part, from)) > 0;)
        fwrite(part, 1, got, file.stream);
    fclose(from);
    return status == WL_OK ? wl_outfile_commit(&file) : status;
}

/* Its text first, since links may lead to new pages, and the array of them move. */
static wl_status write_leaf(site *s, size_t at) {
    char *text = NULL;
    size_t size;
    wl_outfile file;
    if (s->leaves[at].kind == PICTURE) return copy(s, at);
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL) return no_memory();
    wl_status status = WL_OK;
    if (s->leaves[at].kind == FOLDER)
        put_folder(s, stream, at);
    else
        status = put_text(s, stream, at);
    if (fclose(stream) != 0 && status == WL_OK) status = no_memory();
    if (status == WL_OK) status = open_in(s, s->leaves[at].path, &file);
    if (status == WL_OK) {
        const leaf *here = &s->leaves[at];
        put_head(s, file.stream, here);
        fwrite(text, 1, size, file.stream);
        put_steps(s, file.stream, here);
        put_neighbours(s, file.stream, here);
        fprintf(file.stream, "</main></div>\n<footer>Made from %s.</footer>\n</body>\n</html>\n", here->source);
        status = wl_outfile_commit(&file);
    }
    free(text);
    return status;
}

static wl_status write_fixed(const site *s, const char *name, const char *text) {
    wl_outfile file;
    WL_TRY(open_in(s, name, &file));
    fputs(text, file.stream);
    return wl_outfile_commit(&file);
}

static wl_status write_all(site *s) {
    wl_outfile index;
    WL_TRY(choose(s));
    WL_TRY(write_fixed(s, "site.css", site_style));
    WL_TRY(write_fixed(s, "site.js", site_script));
    WL_TRY(open_in(s, "search.js", &index));
    s->index = index.stream;
    fputs("window.siteIndex = [\n", s->index);
    wl_status status = WL_OK;
    for (size_t i = 0; i < s->count && status == WL_OK; i++) status = write_leaf(s, i);
    fputs("];\n", s->index);
    if (status == WL_OK) return wl_outfile_commit(&index);
    wl_outfile_discard(&index);
    return status;
}

wl_status site_write(const char *folder, size_t *pages, size_t *dangling) {
    site s = {.folder = folder};
    const wl_status status = write_all(&s);
    *pages = 0;
    for (size_t i = 0; i < s.count; i++) {
        *pages += s.leaves[i].kind != PICTURE;
        WL_FREE(s.leaves[i].source, s.leaves[i].path, s.leaves[i].title);
    }
    *dangling = s.dangling;
    free(s.leaves);
    return status;
}
