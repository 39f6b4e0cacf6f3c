/* Lab files: read with inih, sizes drawn by the seed. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/bench/problem.h"
#include "labs/record.h"
#include "sim/toolchain/toolchain.h"
#include "harness/base/memory.h"

/* ---- one value ---- */

typedef struct {
    wl_lab *lab;
    char wrong[256]; // what is wrong with the line; "": nothing
    uint64_t draws;  // ranges drawn so far
} reading;

static int wrong(reading *r, const char *what, const char *found) {
    snprintf(r->wrong, sizeof r->wrong, "found '%.100s'; expected %s", found, what);
    return 0;
}

static int set_text(char **to, const char *value) {
    free(*to);
    *to = strdup(value);
    return *to != NULL;
}

/* A text in several lines, because inih's lines have at most 200 letters. */
static int add_text(char **to, const char *value) {
    char *text;
    if (*to == NULL) return set_text(to, value);
    if (asprintf(&text, "%s %s", *to, value) < 0) return 0;
    free(*to);
    *to = text;
    return 1;
}

static int set_number(reading *r, double *to, const char *value) {
    const char *end;
    *to = wl_decimal(value, &end);
    if (end == value || *end != 0 || !isfinite(*to) || *to < 0) return wrong(r, "a number, 0 or more", value);
    return 1;
}

static int set_counter(reading *r, int *to, const char *value) {
    *to = wl_lab_counter_named(value);
    return *to != WL_LAB_NO_COUNTER || wrong(r, "a counter of 'warpladder explain --tsv' or of labs/README.md", value);
}

static int set_yes(reading *r, int *to, const char *value) {
    *to = strcmp(value, "yes") == 0;
    return *to || strcmp(value, "no") == 0 || wrong(r, "yes or no", value);
}

/* "--instances {5..40}" with a number drawn for each range. */
static char *drawn(reading *r, const char *text) {
    char *shape = NULL;
    size_t size;
    FILE *out = open_memstream(&shape, &size);
    if (out == NULL) return NULL;
    while (*text) {
        unsigned low, high;
        int length = 0;
        if (sscanf(text, "{%u..%u}%n", &low, &high, &length) == 2 && length > 0 && low <= high &&
            high - low < UINT32_MAX) {
            wl_random random = wl_random_stream(r->lab->seed, 1000 + r->draws++);
            fprintf(out, "%u", low + wl_random_below(&random, high - low + 1));
            text += length;
        } else {
            fputc(*text++, out);
        }
    }
    fclose(out);
    if (strpbrk(shape, "{}") == NULL) return shape;
    wrong(r, "{LOW..HIGH} for a size that is drawn", shape);
    free(shape);
    return NULL;
}

static int add_shape(reading *r, wl_lab_test *test, const char *value) {
    if (test->shape_count == WL_LAB_SHAPES) return wrong(r, "at most 32 shapes", value);
    test->shapes[test->shape_count] = drawn(r, value);
    return test->shapes[test->shape_count] != NULL && ++test->shape_count;
}

/* ---- the file ---- */

static int of_lab(reading *r, const char *name, const char *value) {
    wl_lab *lab = r->lab;
    if (strcmp(name, "title") == 0) return set_text(&lab->title, value);
    if (strcmp(name, "calls") == 0) return set_text(&lab->calls, value);
    if (strcmp(name, "steps") == 0) return set_text(&lab->steps, value);
    if (strcmp(name, "seconds") == 0) return set_number(r, &lab->seconds, value);
    if (strcmp(name, "barriers_for_all") == 0) return set_yes(r, &lab->barriers_for_all, value);
    if (strcmp(name, "race_credit") == 0)
        return set_number(r, &lab->race_credit, value) &&
               (lab->race_credit <= 1 || wrong(r, "a share from 0 to 1", value));
    if (strncmp(name, "hint_", 5) == 0) {
        const wl_lab_mistake kind = wl_lab_mistake_called(name + 5);
        return kind != WL_LAB_NO_MISTAKE ? add_text(&lab->hints[kind], value) : wrong(r, "a kind of mistake", name);
    }
    if (strcmp(name, "stage") == 0) {
        const char *slash = strchr(value, '/');
        if (slash == NULL) return wrong(r, "PROBLEM/STAGE", value);
        lab->problem = strndup(value, (size_t)(slash - value));
        return set_text(&lab->stage, slash + 1);
    }
    return wrong(r, "title, stage, calls, steps, seconds, barriers_for_all, race_credit or hint_KIND", name);
}

static int of_test(reading *r, wl_lab_test *test, const char *name, const char *value) {
    if (strcmp(name, "name") == 0) return set_text(&test->name, value);
    if (strcmp(name, "points") == 0) return set_number(r, &test->points, value);
    if (strcmp(name, "shapes") == 0) return add_shape(r, test, value);
    if (strcmp(name, "counter") == 0) return set_counter(r, &test->counter, value);
    if (strcmp(name, "most") == 0) return set_number(r, &test->most, value);
    if (strcmp(name, "least") == 0) return set_number(r, &test->least, value);
    if (strcmp(name, "hint") == 0) return add_text(&test->hint, value);
    if (strcmp(name, "hidden") == 0) return set_yes(r, &test->hidden, value);
    if (strcmp(name, "condition") == 0) return set_yes(r, &test->condition, value);
    if (strcmp(name, "per") == 0) {
        if (strcmp(value, "work") != 0) return set_counter(r, &test->per, value);
        test->per = WL_LAB_PER_WORK;
        return 1;
    }
    return wrong(r, "name, points, shapes, counter, per, most, least, hidden, condition or hint", name);
}

static int handle(void *user, const char *section, const char *name, const char *value) {
    reading *r = user;
    wl_lab *lab = r->lab;
    if (r->wrong[0]) return 0;
    if (strcmp(section, "lab") == 0) return of_lab(r, name, value);
    if (section[0] == 0) return wrong(r, "[lab] first", name);
    if (lab->count == 0 || strcmp(lab->tests[lab->count - 1].id, section) != 0) {
        for (size_t i = 0; i < lab->count; i++)
            if (strcmp(lab->tests[i].id, section) == 0) return wrong(r, "each section once", section);
        if (lab->count == WL_LAB_TESTS) return wrong(r, "at most 32 tests", section);
        lab->tests[lab->count++] = (wl_lab_test){
            .id = strdup(section), .counter = WL_LAB_NO_COUNTER, .per = WL_LAB_NO_COUNTER, .most = INFINITY};
    }
    return of_test(r, &lab->tests[lab->count - 1], name, value);
}

static wl_status complete(const wl_lab *lab, const char *path) {
    if (lab->title == NULL || lab->stage == NULL)
        return wl_fail(WL_BAD_INPUT, "%s: [lab] has no title or no stage", path);
    if (lab->count == 0) return wl_fail(WL_BAD_INPUT, "%s: there are no tests", path);
    const wl_problem *problem = wl_problem_named(lab->problem);
    if (problem == NULL) return wl_fail(WL_BAD_INPUT, "%s: stage: there is no problem %s", path, lab->problem);
    for (const wl_lab_test *t = lab->tests; t < lab->tests + lab->count; t++) {
        for (size_t i = 0; i < t->shape_count; i++) {
            wl_arguments arguments;
            if (wl_arguments_parse(problem->options, t->shapes[i], &arguments) != WL_OK)
                return wl_fail(WL_BAD_INPUT, "%s: [%s] shapes: %s", path, t->id, wl_error());
            free(arguments.values);
        }
        if (t->name == NULL || t->shape_count == 0)
            return wl_fail(WL_BAD_INPUT, "%s: [%s] has no name or no shapes", path, t->id);
        if ((t->counter == WL_LAB_NO_COUNTER) != (isinf(t->most) && t->least == 0))
            return wl_fail(WL_BAD_INPUT, "%s: [%s] has a counter without a limit, or a limit without one", path, t->id);
    }
    return WL_OK;
}

/* Titles and hints go to terminals, and anybody may have written the lab. */
static void tame(wl_lab *lab) {
    char *texts[] = {lab->name, lab->title};
    for (size_t i = 0; i < WL_LAB_MISTAKES; i++)
        if (lab->hints[i]) wl_lab_tame(lab->hints[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]) wl_lab_tame(texts[i]);
    for (wl_lab_test *t = lab->tests; t < lab->tests + lab->count; t++) {
        char *of_test[] = {t->id, t->name, t->hint};
        for (size_t i = 0; i < sizeof of_test / sizeof *of_test; i++)
            if (of_test[i]) wl_lab_tame(of_test[i]);
    }
}

wl_status wl_lab_read(const char *folder, uint64_t seed, wl_lab *lab) {
    *lab = (wl_lab){.seed = seed, .seconds = 60};
    reading r = {.lab = lab};
    char *path;
    const char *end = folder + strlen(folder);
    while (end > folder + 1 && end[-1] == '/') end--;
    const char *slash = memrchr(folder, '/', (size_t)(end - folder));
    lab->folder = strndup(folder, (size_t)(end - folder));
    lab->name = slash ? strndup(slash + 1, (size_t)(end - slash - 1)) : strdup(lab->folder);
    if (asprintf(&path, "%s/lab.ini", lab->folder) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    const int line = ini_parse(path, handle, &r);
    wl_status status =
        line == 0 ? complete(lab, path)
        : line < 0
            ? wl_fail(WL_BAD_INPUT, "%s: %s", path, strerror(errno))
            : wl_fail(WL_BAD_INPUT, "%s:%d: %s", path, line,
                      r.wrong[0] ? r.wrong : "expected [SECTION], NAME = VALUE or a comment, in at most 199 letters");
    free(path);
    tame(lab);
    return status;
}

static void free_test(wl_lab_test *t) {
    for (size_t i = 0; i < t->shape_count; i++) free(t->shapes[i]);
    WL_FREE(t->id, t->name, t->hint);
}

static void keep(wl_lab *lab, int (*wanted)(const wl_lab_test *t, const char *id), const char *id) {
    size_t kept = 0;
    for (size_t i = 0; i < lab->count; i++) {
        if (wanted(&lab->tests[i], id))
            lab->tests[kept++] = lab->tests[i];
        else
            free_test(&lab->tests[i]);
    }
    lab->count = kept;
}

static int is_visible(const wl_lab_test *t, const char *id) {
    (void)id;
    return !t->hidden;
}
static int is_called(const wl_lab_test *t, const char *id) { return strcmp(t->id, id) == 0; }

void wl_lab_drop_hidden(wl_lab *lab) {
    keep(lab, is_visible, NULL);
    lab->visible_only = 1;
}

wl_status wl_lab_keep(wl_lab *lab, const char *id) {
    keep(lab, is_called, id);
    lab->one_only = 1;
    return lab->count == 1 ? WL_OK : wl_fail(WL_BAD_USAGE, "%s has no test '%.80s'", lab->name, id);
}

void wl_lab_free(wl_lab *lab) {
    char *texts[] = {lab->name, lab->folder, lab->title, lab->problem, lab->stage, lab->calls, lab->steps};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    for (size_t i = 0; i < WL_LAB_MISTAKES; i++) free(lab->hints[i]);
    for (size_t i = 0; i < lab->count; i++) free_test(&lab->tests[i]);
    *lab = (wl_lab){0};
}

/* ---- labs by name ---- */

static int has_lab(const struct dirent *entry) { return isdigit((unsigned char)entry->d_name[0]); }

static wl_status labs_folder(char **folder) {
    char *tools;
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &tools));
    const int made = asprintf(folder, "%s/labs", tools);
    free(tools);
    return made < 0 ? wl_fail(WL_NO_MACHINE, "no memory for a path") : WL_OK;
}

wl_status wl_lab_names(char ***names) {
    char *folder;
    struct dirent **entries;
    WL_TRY(labs_folder(&folder));
    const int count = scandir(folder, &entries, has_lab, alphasort);
    free(folder);
    *names = calloc((size_t)(count < 0 ? 0 : count) + 1, sizeof **names);
    if (count < 0 || *names == NULL) return wl_fail(WL_NO_MACHINE, "the labs are not found; install the program whole");
    for (int i = 0; i < count; i++) {
        (*names)[i] = strdup(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return WL_OK;
}

/* Is it the name, the number or the stage of this lab? */
static int is_named(const char *lab, const char *folder, const char *name) {
    wl_lab read;
    char *path;
    char *end;
    if (strcmp(lab, name) == 0) return 1;
    if (strtoul(name, &end, 10) == strtoul(lab, NULL, 10) && end != name && *end == 0) return 1;
    if (strchr(name, '/') == NULL || asprintf(&path, "%s/%s", folder, lab) < 0) return 0;
    const int same = wl_lab_read(path, 0, &read) == WL_OK && strncmp(name, read.problem, strlen(read.problem)) == 0 &&
                     name[strlen(read.problem)] == '/' && strcmp(name + strlen(read.problem) + 1, read.stage) == 0;
    wl_lab_free(&read);
    free(path);
    return same;
}

wl_status wl_lab_find(const char *name, char **found) {
    char **names, *folder, all[512] = "";
    WL_TRY(labs_folder(&folder));
    *found = NULL;
    wl_status status = wl_lab_names(&names);
    for (char **lab = names; status == WL_OK && *lab; lab++) {
        if (*found == NULL && is_named(*lab, folder, name) && asprintf(found, "%s/%s", folder, *lab) < 0) *found = NULL;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", lab == names ? "" : ", ", *lab);
        free(*lab);
    }
    if (status == WL_OK) free(names);
    free(folder);
    if (status == WL_OK && *found == NULL)
        status = wl_fail(WL_BAD_USAGE, "found the lab '%.80s'; expected one of %s", name, all);
    return status;
}

wl_status wl_lab_solution(const wl_lab *lab, char **path) {
    char *tools;
    WL_TRY(wl_tools_find(WL_TOOLS_SIMULATOR, &tools));
    const int made = asprintf(path, "%s/%s/%s/kernel.cu", tools, lab->problem, lab->stage);
    free(tools);
    return made < 0 ? wl_fail(WL_NO_MACHINE, "no memory for a path") : WL_OK;
}

double wl_lab_points(const wl_lab *lab) {
    double sum = 0;
    for (const wl_lab_test *t = lab->tests; t < lab->tests + lab->count; t++) sum += t->points;
    return sum;
}

uint64_t wl_lab_seed(const char *text) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && *end == 0 && errno == 0) return number;
    uint64_t seed = 0;
    for (; *text; text++) seed = wl_random_mix(seed ^ (unsigned char)*text);
    return seed >> 1; // so that every reader of numbers takes it
}
