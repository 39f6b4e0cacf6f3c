/* Partition files in NEXUS. */
#include <math.h>
#include <stdlib.h>

#include "harness/base/memory.h"
#include "io/nexus.h"
#include "tools/likelihood/partitions_internal.h"

/* "name = 1-100", as a name and ranges. */
static wl_status read_charset(partitions_reader *r, partitions_piece command) {
    partitions_piece name, ranges;
    if (!partitions_cut_at(command, '=', &name, &ranges))
        return partitions_refuse(r, &command, "charset name = columns");
    name = partitions_trimmed(name);
    ranges = partitions_trimmed(ranges);
    for (const char *at = ranges.begin; at < ranges.end; at++)
        if (*at == ':') return partitions_refuse(r, &ranges, "columns of this alignment");
    for (size_t i = 0; i < r->set_count; i += 2)
        if (partitions_same_text(&name, &r->sets[i])) return partitions_refuse(r, &name, "each name once");
    if (!WL_GROW(r->sets, r->set_count, 2))
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu charsets", r->path, r->set_count);
    r->sets[r->set_count++] = name;
    r->sets[r->set_count++] = ranges;
    return WL_OK;
}

/* IQ-TREE writes the sum of a partition's lengths in braces after its name. */
static partitions_piece without_braces(partitions_piece name, double *length) {
    *length = NAN;
    for (const char *at = name.begin; at < name.end; at++) {
        if (*at != '{') continue;
        *length = strtod(at + 1, NULL);
        name.end = at;
    }
    return partitions_trimmed(name);
}

static wl_status add_charset(partitions_reader *r, const partitions_piece *name, const partitions_piece *model) {
    for (size_t i = 0; i < r->set_count; i += 2)
        if (partitions_same_text(name, &r->sets[i])) return partitions_add(r, name, model, &r->sets[i + 1]);
    return partitions_refuse(r, name, "the name of a charset");
}

/* "any = MODEL:name, MODEL:name" */
static wl_status read_charpartition(partitions_reader *r) {
    partitions_piece of, entry, rest, model, name;
    double length;
    if (!partitions_cut_at(r->charpartition, '=', &of, &rest))
        return partitions_refuse(r, &r->charpartition, "charpartition any = MODEL:name, MODEL:name");
    for (int more = 1; more;) {
        more = partitions_cut_at(rest, ',', &entry, &rest);
        entry = partitions_trimmed(entry);
        if (!partitions_cut_at(entry, ':', &model, &name)) return partitions_refuse(r, &entry, "MODEL:name");
        model = partitions_trimmed(model);
        name = without_braces(partitions_trimmed(name), &length);
        WL_TRY(add_charset(r, &name, &model));
        r->made->items[r->made->count - 1].length = length;
    }
    return WL_OK;
}

/* MrBayes' "any = 2: name, name", whose models are elsewhere. */
static wl_status read_partition(partitions_reader *r) {
    partitions_piece of, count, name, rest;
    if (!partitions_cut_at(r->partition, '=', &of, &rest) || !partitions_cut_at(rest, ':', &count, &rest))
        return partitions_refuse(r, &r->partition, "partition any = 2: name, name");
    for (int more = 1; more;) {
        more = partitions_cut_at(rest, ',', &name, &rest);
        name = partitions_trimmed(name);
        WL_TRY(add_charset(r, &name, NULL));
    }
    return WL_OK;
}

/* Comments become blanks, in place. */
static void blank_comments(char *text, const char *end) {
    int depth = 0;
    for (; text < end; text++) {
        depth += *text == '[';
        const int ends = depth > 0 && *text == ']';
        if (depth > 0 && *text != '\n') *text = ' ';
        depth -= ends;
    }
}

/* The commands of a block that may have sets; of others none is. */
static wl_status read_block(partitions_reader *r, wl_nexus_reader *n, char *text) {
    for (int ended = 0;;) {
        const char *stop;
        wl_nexus_word word;
        WL_TRY(wl_nexus_next_command(n, &word, &ended));
        if (ended) return WL_OK;
        partitions_piece command = {.begin = n->next, .line = n->line};
        WL_TRY(wl_nexus_end_command(n, &stop));
        command.end = stop;
        blank_comments(text + (command.begin - text), stop);
        command = partitions_trimmed(command);
        if (wl_nexus_says(&word, "charset")) WL_TRY(read_charset(r, command));
        if (wl_nexus_says(&word, "partition")) r->partition = command;
        if (!wl_nexus_says(&word, "charpartition")) continue;
        if (r->charpartition.begin) return partitions_refuse(r, &command, "one charpartition");
        r->charpartition = command;
    }
}

wl_status partitions_read_nexus(partitions_reader *r, char *text, size_t size) {
    static const char *const blocks[] = {"SETS", "MRBAYES", "PAUP", "ASSUMPTIONS"};
    wl_nexus_reader n;
    WL_TRY(wl_nexus_open(&n, r->path, text, size));
    for (;;) {
        wl_nexus_word name;
        WL_TRY(wl_nexus_next_block(&n, &name));
        if (name.length == 0) break;
        int has_sets = 0;
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) has_sets |= wl_nexus_says(&name, blocks[i]);
        WL_TRY(has_sets ? read_block(r, &n, text) : wl_nexus_skip_block(&n));
    }
    if (r->charpartition.begin) return read_charpartition(r);
    if (r->partition.begin) return read_partition(r);
    for (size_t i = 0; i < r->set_count; i += 2) WL_TRY(partitions_add(r, &r->sets[i], NULL, &r->sets[i + 1]));
    return WL_OK;
}
