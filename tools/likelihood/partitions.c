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
#include "tools/likelihood/partitions_internal.h"

enum { SHOWN = 60 };

wl_status partitions_refuse(const partitions_reader *r, const partitions_piece *at, const char *expected) {
    const size_t length = (size_t)(at->end - at->begin);
    return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%.*s'; expected %s", r->path, at->line,
                   (int)(length < SHOWN ? length : SHOWN), at->begin, expected);
}

partitions_piece partitions_trimmed(partitions_piece text) {
    for (; text.begin < text.end && isspace((unsigned char)*text.begin); text.begin++) text.line += *text.begin == '\n';
    while (text.end > text.begin && isspace((unsigned char)text.end[-1])) text.end--;
    return text;
}

int partitions_cut_at(partitions_piece text, char mark, partitions_piece *before, partitions_piece *rest) {
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

static int same(const partitions_piece *text, const char *word) {
    const size_t length = (size_t)(text->end - text->begin);
    return strlen(word) == length && strncasecmp(text->begin, word, length) == 0;
}

int partitions_same_text(const partitions_piece *text, const partitions_piece *other) {
    return text->end - text->begin == other->end - other->begin &&
           memcmp(text->begin, other->begin, (size_t)(text->end - text->begin)) == 0;
}

/* A copy, with each run of white space as one blank. */
static char *copied(const partitions_piece *text) {
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
static int number_at(const partitions_reader *r, const char **at, const char *end, size_t *number) {
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

static wl_status add_range(partitions_reader *r, const partitions_piece *text, size_t first, size_t last, size_t step) {
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

static wl_status read_ranges(partitions_reader *r, partitions_piece text, int depth);

/* The name of another charset, of NEXUS. */
static wl_status read_name(partitions_reader *r, const partitions_piece *text, const char **at, int depth) {
    partitions_piece name = {.begin = *at, .line = text->line};
    while (*at < text->end && !isspace((unsigned char)**at) && **at != ',') ++*at;
    name.end = *at;
    for (size_t i = 0; i < r->set_count; i += 2)
        if (partitions_same_text(&name, &r->sets[i]) && depth < 16) return read_ranges(r, r->sets[i + 1], depth + 1);
    return partitions_refuse(r, &name, "columns as in 1-100, 200-300\\3");
}

/* "1-100, 200-.\3 5"; at least one column, so that charsets that name one another many times end at a column that is there twice. */
static wl_status read_ranges(partitions_reader *r, partitions_piece text, int depth) {
    const peeling_partition *to = &r->made->items[r->made->count - 1];
    const size_t before = to->columns;
    const char *at = text.begin;
    for (skip_blanks(&at, text.end); at < text.end; skip_blanks(&at, text.end)) {
        size_t first, last, step = 1;
        if (*at == ',') {
            at++;
            continue;
        }
        const partitions_piece here = {.begin = at, .end = text.end, .line = text.line};
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
            if (!number_at(r, &at, text.end, &last))
                return partitions_refuse(r, &here, "columns as in 1-100, 200-300\\3");
        }
        after = at;
        skip_blanks(&after, text.end);
        if (after < text.end && (*after == '\\' || *after == '/')) {
            at = after + 1;
            skip_blanks(&at, text.end);
            if (!number_at(r, &at, text.end, &step))
                return partitions_refuse(r, &here, "columns as in 1-100, 200-300\\3");
        }
        if (at < text.end && !isspace((unsigned char)*at) && *at != ',')
            return partitions_refuse(r, &here, "columns as in 1-100, 200-300\\3");
        WL_TRY(add_range(r, &text, first, last, step));
    }
    return to->columns > before ? WL_OK : partitions_refuse(r, &text, "columns as in 1-100, 200-300\\3");
}

/* --- Models ------------------------------------------------------------------------------------------------------ */

/* "DNA", "AA" or "CODON2", as RAxML, PartitionFinder and IQ-TREE have them. 0: no such word. */
static int read_type(const partitions_piece *word, peeling_partition *to) {
    static const struct {
        const char *word;
        int type;
    } types[] = {{"DNA", PEELING_NUCLEOTIDES},
                 {"AA", PEELING_AMINO_ACIDS},
                 {"PROT", PEELING_AMINO_ACIDS},
                 {"PROTEIN", PEELING_AMINO_ACIDS},
                 {"CODON", PEELING_CODONS}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (same(word, types[i].word)) {
            to->type = types[i].type;
            return 1;
        }
    const partitions_piece codon = {word->begin, word->begin + strlen("CODON"), word->line};
    if (word->end - word->begin > 7 || word->end <= codon.end || !same(&codon, "CODON")) return 0;
    if (!peeling_code_numbered(atoi(codon.end), &to->code)) return 0;
    to->type = PEELING_CODONS;
    return 1;
}

/* Takes RAxML-NG's factor of the lengths out of a model: "+BU{1.2}"; it estimates one for "+B" and "+BO". 0: not a factor. */
static int take_factor(char *model, double *factor) {
    for (char *at = model; (at = strchr(at, '+')) != NULL; at++) {
        if (at[1] != 'B' || (at[2] && !strchr("UO+{", at[2]))) continue;
        char *end = at + 2 + (at[2] == 'U' || at[2] == 'O');
        *factor = 1;
        if (*end == '{') {
            *factor = strtod(end + 1, &end);
            if (*end++ != '}') return 0;
        }
        if ((*end && *end != '+') || !(*factor > 0) || isinf(*factor)) return 0;
        memmove(at, end, strlen(end) + 1);
        break;
    }
    return 1;
}

static wl_status take_model(const partitions_reader *r, const partitions_piece *model, peeling_partition *to) {
    if (model == NULL || read_type(model, to)) return WL_OK;
    to->model = copied(model);
    if (to->model == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for a model", r->path);
    return take_factor(to->model, &to->factor) ? WL_OK : partitions_refuse(r, model, "a factor above 0 in +BU{..}");
}

/* "CODON2, 1-300" begins with what the columns are. */
static partitions_piece without_type(partitions_piece ranges, peeling_partition *to) {
    partitions_piece type, rest;
    if (partitions_cut_at(ranges, ',', &type, &rest)) {
        type = partitions_trimmed(type);
        if (read_type(&type, to)) return partitions_trimmed(rest);
    }
    return ranges;
}

wl_status partitions_add(partitions_reader *r, const partitions_piece *name, const partitions_piece *model,
                         const partitions_piece *ranges) {
    peeling_partitions *made = r->made;
    if (name->begin == name->end) return partitions_refuse(r, ranges, "a name before '='");
    if (model && model->begin == model->end) return partitions_refuse(r, name, "a model before the name");
    for (const char *at = name->begin; at < name->end; at++)
        if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at) || strchr("(){}[]:;,'\"", *at))
            return partitions_refuse(r, name, "a name without blanks, brackets, quotes and ':;,'");
    if (!WL_GROW(made->items, made->count, 1))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu partitions", r->path, made->count);
    peeling_partition *to = &made->items[made->count++];
    *to = (peeling_partition){.name = copied(name), .type = -1, .length = NAN, .factor = NAN, .line = name->line};
    to->column = malloc(r->columns * sizeof *to->column);
    if (!to->name || !to->column)
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu columns", r->path, r->columns);
    WL_TRY(take_model(r, model, to));
    for (size_t i = 0; i + 1 < made->count; i++)
        if (strcmp(made->items[i].name, to->name) == 0) return partitions_refuse(r, name, "each name once");
    WL_TRY(read_ranges(r, without_type(*ranges, to), 0));
    size_t *smaller = realloc(to->column, to->columns * sizeof *to->column);
    if (smaller) to->column = smaller;
    return WL_OK;
}

/* --- RAxML ---------------------------------------------------------------------------------------------------- */

static wl_status read_lines(partitions_reader *r, partitions_piece text) {
    partitions_piece line = text, rest = text;
    while (rest.begin < rest.end) {
        partitions_piece model, name, ranges;
        partitions_cut_at(rest, '\n', &line, &rest);
        line = partitions_trimmed(line);
        if (line.begin == line.end || *line.begin == '#') continue;
        if (!partitions_cut_at(line, ',', &model, &name) || !partitions_cut_at(name, '=', &name, &ranges))
            return partitions_refuse(r, &line, "MODEL, name = 1-100, 200-300\\3");
        model = partitions_trimmed(model);
        name = partitions_trimmed(name);
        ranges = partitions_trimmed(ranges);
        WL_TRY(partitions_add(r, &name, &model, &ranges));
    }
    return WL_OK;
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

wl_status peeling_partitions_read(const char *path, size_t columns, peeling_partitions *made) {
    wl_bytes *bytes;
    char *text;
    size_t size;
    partitions_reader r = {.columns = columns, .made = made};
    *made = (peeling_partitions){0};
    WL_TRY(wl_bytes_open(path, "partitions: MODEL, name = columns, or NEXUS", &bytes));
    wl_status status = wl_bytes_all(bytes, &text, &size);
    r.path = wl_path_shown(path);
    wl_bytes_close(bytes);
    if (status != WL_OK) return status;
    r.owner = calloc(columns + 1, sizeof *r.owner);
    made->is_nexus = wl_nexus_is(text, size);
    const partitions_piece all = {.begin = text, .end = text + size, .line = 1};
    if (r.owner == NULL)
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu columns", r.path, columns);
    else
        status = made->is_nexus ? partitions_read_nexus(&r, text, size) : read_lines(&r, all);
    if (status == WL_OK && made->count == 0)
        status =
            wl_fail(WL_BAD_INPUT,
                    "%s: found no partition; expected MODEL, name = 1-100, or in NEXUS charset name = 1-100;", r.path);
    WL_FREE(text, r.owner, r.sets);
    if (status != WL_OK) peeling_partitions_free(made);
    return status;
}

int peeling_partitions_are_scaled(const peeling_partitions *partitions) {
    double first = NAN;
    for (size_t p = 0; p < partitions->count; p++) {
        const peeling_partition *one = &partitions->items[p];
        if (fabs(one->factor - 1) > 0 || fabs(one->length - first) > 1e-6 * first) return 1; // of NaN neither
        if (isnan(first)) first = one->length;
    }
    return 0;
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
