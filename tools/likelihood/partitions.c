#include "tools/likelihood/partitions.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/bytes.h"
#include "io/nexus.h"

enum { SHOWN = 60 };

/* A text between two places of the file. */
typedef struct {
    const char *begin, *end;
    size_t line;
} piece;

typedef struct {
    const char *path;
    size_t columns;
    peeling_partitions *made;
    uint32_t *owner; // [columns]: the partition that has it, from 1; 0: none
    piece *sets;     // [set_count], of NEXUS: names and ranges by turns
    size_t set_count;
} reader;

static wl_status refuse(const reader *r, const piece *at, const char *expected) {
    const size_t length = (size_t)(at->end - at->begin);
    return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%.*s'; expected %s", r->path, at->line,
                   (int)(length < SHOWN ? length : SHOWN), at->begin, expected);
}

static piece trimmed(piece text) {
    for (; text.begin < text.end && isspace((unsigned char)*text.begin); text.begin++) text.line += *text.begin == '\n';
    while (text.end > text.begin && isspace((unsigned char)text.end[-1])) text.end--;
    return text;
}

/* Text before the next `mark` outside of braces, and *rest after it. 0: there is none, and all text is before. */
static int cut_at(piece text, char mark, piece *before, piece *rest) {
    int depth = 0;
    *before = *rest = text;
    for (const char *at = text.begin; at < text.end; at++) {
        depth += (*at == '{') - (*at == '}');
        rest->line += *at == '\n';
        if (*at != mark || depth > 0) continue;
        before->end = at;
        rest->begin = at + 1;
        return 1;
    }
    rest->begin = rest->end;
    return 0;
}

static int same(const piece *text, const char *word) {
    const size_t length = (size_t)(text->end - text->begin);
    return strlen(word) == length && strncasecmp(text->begin, word, length) == 0;
}

static int same_text(const piece *text, const piece *other) {
    return text->end - text->begin == other->end - other->begin &&
           memcmp(text->begin, other->begin, (size_t)(text->end - text->begin)) == 0;
}

/* A copy, with each run of white space as one blank. */
static char *copied(const piece *text) {
    char *made = malloc((size_t)(text->end - text->begin) + 1), *to = made;
    if (made == NULL) return NULL;
    for (const char *at = text->begin; at < text->end; at++)
        if (!isspace((unsigned char)*at))
            *to++ = *at;
        else if (to > made && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return made;
}

/* --- Columns ----------------------------------------------------------------------------------------------------- */

/* A number, or '.', at *at. 0: none. */
static int number_at(const reader *r, const char **at, const char *end, size_t *number) {
    *number = 0;
    if (*at < end && **at == '.') {
        ++*at;
        *number = r->columns;
        return 1;
    }
    const char *begin = *at;
    for (; *at < end && isdigit((unsigned char)**at); ++*at)
        if (*number < SIZE_MAX / 16) *number = 10 * *number + (size_t)(**at - '0');
    return *at > begin;
}

static void skip_blanks(const char **at, const char *end) {
    while (*at < end && isspace((unsigned char)**at)) ++*at;
}

static wl_status add_range(reader *r, const piece *text, size_t first, size_t last, size_t step) {
    peeling_partition *to = &r->made->items[r->made->count - 1];
    if (first < 1 || last < first || last > r->columns || step < 1)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: partition %s: found columns %zu to %zu; expected them from 1 to %zu, rising", r->path,
                       text->line, to->name, first, last, r->columns);
    for (size_t c = first - 1; c < last; c += step) {
        if (r->owner[c] != 0)
            return wl_fail(WL_BAD_INPUT, "%s:%zu: partition %s: found column %zu, which %s has; expected it once",
                           r->path, text->line, to->name, c + 1, r->made->items[r->owner[c] - 1].name);
        r->owner[c] = (uint32_t)r->made->count;
        to->column[to->columns++] = c;
    }
    return WL_OK;
}

static wl_status read_ranges(reader *r, piece text, int depth);

/* The name of another charset, of NEXUS. */
static wl_status read_name(reader *r, const piece *text, const char **at, int depth) {
    piece name = {.begin = *at, .line = text->line};
    while (*at < text->end && !isspace((unsigned char)**at) && **at != ',') ++*at;
    name.end = *at;
    for (size_t i = 0; i < r->set_count; i += 2)
        if (same_text(&name, &r->sets[i]) && depth < 16) return read_ranges(r, r->sets[i + 1], depth + 1);
    return refuse(r, &name, "columns as in 1-100, 200-300\\3");
}

/* "1-100, 200-.\3 5"; at least one column, so that charsets that name one another many times end at a column that is there twice. */
static wl_status read_ranges(reader *r, piece text, int depth) {
    const peeling_partition *to = &r->made->items[r->made->count - 1];
    const size_t before = to->columns;
    const char *at = text.begin;
    for (skip_blanks(&at, text.end); at < text.end; skip_blanks(&at, text.end)) {
        size_t first, last, step = 1;
        if (*at == ',') {
            at++;
            continue;
        }
        const piece here = {.begin = at, .end = text.end, .line = text.line};
        if (!number_at(r, &at, text.end, &first)) {
            WL_TRY(read_name(r, &text, &at, depth));
            continue;
        }
        last = first;
        const char *after = at;
        skip_blanks(&after, text.end);
        if (after < text.end && *after == '-') {
            at = after + 1;
            skip_blanks(&at, text.end);
            if (!number_at(r, &at, text.end, &last)) return refuse(r, &here, "columns as in 1-100, 200-300\\3");
        }
        after = at;
        skip_blanks(&after, text.end);
        if (after < text.end && (*after == '\\' || *after == '/')) {
            at = after + 1;
            skip_blanks(&at, text.end);
            if (!number_at(r, &at, text.end, &step)) return refuse(r, &here, "columns as in 1-100, 200-300\\3");
        }
        if (at < text.end && !isspace((unsigned char)*at) && *at != ',')
            return refuse(r, &here, "columns as in 1-100, 200-300\\3");
        WL_TRY(add_range(r, &text, first, last, step));
    }
    return to->columns > before ? WL_OK : refuse(r, &text, "columns as in 1-100, 200-300\\3");
}

static wl_status add_partition(reader *r, const piece *name, const piece *model, const piece *ranges) {
    peeling_partitions *made = r->made;
    if (name->begin == name->end) return refuse(r, ranges, "a name before '='");
    if (model->begin == model->end) return refuse(r, name, "a model before the name");
    for (const char *at = name->begin; at < name->end; at++)
        if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at) || strchr("(){}[]:;,'\"", *at))
            return refuse(r, name, "a name without blanks, brackets, quotes and ':;,'");
    if (!WL_GROW(made->items, made->count, 1))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu partitions", r->path, made->count);
    peeling_partition *to = &made->items[made->count++];
    *to = (peeling_partition){.name = copied(name), .model = copied(model), .length = NAN, .line = name->line};
    to->column = malloc(r->columns * sizeof *to->column);
    if (!to->name || !to->model || !to->column)
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu columns", r->path, r->columns);
    for (size_t i = 0; i + 1 < made->count; i++)
        if (strcmp(made->items[i].name, to->name) == 0) return refuse(r, name, "each name once");
    WL_TRY(read_ranges(r, *ranges, 0));
    size_t *smaller = realloc(to->column, to->columns * sizeof *to->column);
    if (smaller) to->column = smaller;
    return WL_OK;
}

/* --- RAxML-NG ---------------------------------------------------------------------------------------------------- */

static wl_status read_lines(reader *r, piece text) {
    piece line = text, rest = text;
    while (rest.begin < rest.end) {
        piece model, name, ranges;
        cut_at(rest, '\n', &line, &rest);
        line = trimmed(line);
        if (line.begin == line.end || *line.begin == '#') continue;
        if (!cut_at(line, ',', &model, &name) || !cut_at(name, '=', &name, &ranges))
            return refuse(r, &line, "MODEL, name = 1-100, 200-300\\3");
        model = trimmed(model);
        name = trimmed(name);
        ranges = trimmed(ranges);
        WL_TRY(add_partition(r, &name, &model, &ranges));
    }
    return WL_OK;
}

/* --- NEXUS ------------------------------------------------------------------------------------------------------- */

/* The first word of a command, which is taken off. */
static piece word_of(piece *command) {
    piece word = *command = trimmed(*command);
    while (command->begin < command->end && !isspace((unsigned char)*command->begin) && *command->begin != '=')
        command->begin++;
    word.end = command->begin;
    return word;
}

/* "name = 1-100", as a name and ranges. */
static wl_status read_charset(reader *r, piece command) {
    piece name, ranges;
    if (!cut_at(command, '=', &name, &ranges)) return refuse(r, &command, "charset name = columns");
    name = trimmed(name);
    ranges = trimmed(ranges);
    for (const char *at = ranges.begin; at < ranges.end; at++)
        if (*at == ':') return refuse(r, &ranges, "columns of this alignment");
    for (size_t i = 0; i < r->set_count; i += 2)
        if (same_text(&name, &r->sets[i])) return refuse(r, &name, "each name once");
    if (!WL_GROW(r->sets, r->set_count, 2))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu charsets", r->path, r->set_count);
    r->sets[r->set_count++] = name;
    r->sets[r->set_count++] = ranges;
    return WL_OK;
}

/* IQ-TREE writes the sum of a partition's lengths in braces after its name. */
static piece without_braces(piece name, double *length) {
    *length = NAN;
    for (const char *at = name.begin; at < name.end; at++) {
        if (*at != '{') continue;
        *length = strtod(at + 1, NULL);
        name.end = at;
    }
    return trimmed(name);
}

/* "any = MODEL:name, MODEL:name" */
static wl_status read_charpartition(reader *r, piece command) {
    piece of, entry, rest, model, name;
    double length;
    if (!cut_at(command, '=', &of, &rest)) return refuse(r, &command, "charpartition any = MODEL:name, MODEL:name");
    for (int more = 1; more;) {
        more = cut_at(rest, ',', &entry, &rest);
        entry = trimmed(entry);
        if (!cut_at(entry, ':', &model, &name)) return refuse(r, &entry, "MODEL:name");
        model = trimmed(model);
        name = without_braces(trimmed(name), &length);
        const piece *ranges = NULL;
        for (size_t i = 0; i < r->set_count; i += 2)
            if (same_text(&name, &r->sets[i])) ranges = &r->sets[i + 1];
        if (ranges == NULL) return refuse(r, &name, "the name of a charset");
        WL_TRY(add_partition(r, &name, &model, ranges));
        r->made->items[r->made->count - 1].length = length;
    }
    return WL_OK;
}

/* Comments become blanks, in place. */
static void blank_comments(char *text) {
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '[';
        const int ends = depth > 0 && *text == ']';
        if (depth > 0 && *text != '\n') *text = ' ';
        depth -= ends;
    }
}

static wl_status read_nexus(reader *r, piece text) {
    int in_sets = 0;
    piece command, rest = text, last = {0};
    word_of(&rest); // #NEXUS
    while (cut_at(rest, ';', &command, &rest)) {
        const piece word = word_of(&command);
        if (same(&word, "begin")) {
            const piece block = word_of(&command);
            in_sets = same(&block, "sets");
        } else if (same(&word, "end") || same(&word, "endblock")) {
            in_sets = 0;
        } else if (in_sets && same(&word, "charset")) {
            WL_TRY(read_charset(r, command));
        } else if (in_sets && same(&word, "charpartition")) {
            if (last.begin) return refuse(r, &word, "one charpartition");
            last = command;
        }
    }
    if (last.begin == NULL)
        return wl_fail(WL_BAD_INPUT,
                       "%s: found no charpartition in a sets block; expected charpartition any = MODEL:name;", r->path);
    return read_charpartition(r, last);
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

wl_status peeling_partitions_read(const char *path, size_t columns, peeling_partitions *made) {
    wl_bytes *bytes;
    char *text;
    size_t size;
    reader r = {.columns = columns, .made = made};
    *made = (peeling_partitions){0};
    WL_TRY(wl_bytes_open(path, "partitions: MODEL, name = columns, or NEXUS", &bytes));
    wl_status status = wl_bytes_all(bytes, &text, &size);
    r.path = wl_path_shown(path);
    wl_bytes_close(bytes);
    if (status != WL_OK) return status;
    r.owner = calloc(columns + 1, sizeof *r.owner);
    made->is_nexus = wl_nexus_is(text, size);
    if (made->is_nexus) blank_comments(text);
    const piece all = {.begin = text, .end = text + strlen(text), .line = 1};
    if (r.owner == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu columns", r.path, columns);
    else
        status = made->is_nexus ? read_nexus(&r, all) : read_lines(&r, all);
    if (status == WL_OK && made->count == 0)
        status = wl_fail(WL_BAD_INPUT, "%s: found no partition; expected MODEL, name = 1-100", r.path);
    WL_FREE(text, r.owner, r.sets);
    if (status != WL_OK) peeling_partitions_free(made);
    return status;
}

void peeling_partitions_free(peeling_partitions *partitions) {
    for (size_t p = 0; p < partitions->count; p++) {
        const peeling_partition *one = &partitions->items[p];
        WL_FREE(one->name, one->model, one->column);
    }
    free(partitions->items);
    *partitions = (peeling_partitions){0};
}

wl_status peeling_partition_cut(const wl_alignment *alignment, const peeling_partition *partition, wl_alignment *made) {
    *made = (wl_alignment){.columns = partition->columns, .letters = alignment->letters};
    made->rows = calloc(alignment->count, sizeof *made->rows);
    for (; made->rows && made->count < alignment->count; made->count++) {
        const wl_alignment_row *from = &alignment->rows[made->count];
        wl_alignment_row *to = &made->rows[made->count];
        const size_t length = strlen(from->name) + 1;
        *to = (wl_alignment_row){.letters = malloc(partition->columns + 1 + length), .line = from->line};
        if (to->letters == NULL) break;
        for (size_t c = 0; c < partition->columns; c++) to->letters[c] = from->letters[partition->column[c]];
        to->letters[partition->columns] = '\0';
        to->name = memcpy(to->letters + partition->columns + 1, from->name, length);
    }
    if (made->count == alignment->count) return WL_OK;
    wl_alignment_free(made);
    return wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows of a partition", alignment->count);
}
