#include "cli/measure_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/bench/results.h"
#include "harness/bench/units.h"

/* Records beside those of the units. */
#define DEVICES (UINT64_C(1) << 62)
#define FACTS (DEVICES + 1)
#define UNITS (DEVICES + 2)

typedef struct {
    const wl_line *line;
    wl_status (*whole)(const wl_line *line);
} job;

/* --- What a run depends on --------------------------------------------------------------------------------------- */

static void join_text(uint64_t *hash, const char *text) { *hash = wl_hash_join(*hash, wl_hash_text(text)); }

/* Of a file that cannot be read, the run itself says what is wrong. */
static void join_file(uint64_t *hash, const char *path) {
    static unsigned char block[1 << 16];
    uint64_t content = 0;
    FILE *file = fopen(path, "rb");
    for (size_t size; file && (size = fread(block, 1, sizeof block, file)) > 0;)
        content = wl_hash_more(content, block, size);
    if (file) fclose(file);
    *hash = wl_hash_join(*hash, content);
}

static wl_status hash_inputs(void *context, uint64_t *hash) {
    const wl_line *line = ((const job *)context)->line;
    *hash = wl_hash_text(line->pattern);
    for (int i = 0; i < line->count; i++) join_text(hash, line->words[i]);
    join_text(hash, line->device);
    *hash = wl_hash_join(*hash, line->seed);
    for (size_t i = 0; i < line->of_problem.count; i++) {
        const wl_option *option = &line->of_problem.options[i];
        const char *value = line->of_problem.values[i];
        join_text(hash, value);
        if (value && option->argument && strncmp(option->argument, "FILE", 4) == 0) join_file(hash, value);
    }
    return WL_OK;
}

/* --- A part ------------------------------------------------------------------------------------------------------ */

typedef struct {
    wl_units units;
    size_t part, parts;
    wl_part_writer *writer;
} some_units;

/* Sizes mostly rise: by turns, each part gets some of all. */
static int is_mine(const wl_units *units, uint64_t number) {
    const some_units *u = (const some_units *)units; /* its first member */
    return number % u->parts == u->part;
}

static wl_status keep(wl_units *units, uint64_t number, const void *bytes, size_t size) {
    return wl_part_put(((some_units *)units)->writer, number, bytes, size);
}

static wl_status put_facts(wl_part_writer *writer) {
    char *facts = wl_results_facts();
    if (facts == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for what the machine is");
    const wl_status status = wl_part_put(writer, FACTS, facts, strlen(facts) + 1);
    free(facts);
    return status;
}

static wl_status compute(void *context, size_t part, size_t parts, wl_part_writer *writer) {
    const job *j = context;
    some_units u = {.units = {.is_mine = is_mine, .keep = keep}, .part = part, .parts = parts, .writer = writer};
    wl_units_drive(&u.units);
    wl_status status = j->whole(j->line);
    wl_units_drive(NULL);
    if (status == WL_OK && u.units.next == 0)
        status = wl_fail(WL_BAD_USAGE, "option --part: found with work that has no parts; expected none");
    if (status == WL_OK)
        status = wl_part_put(writer, DEVICES, u.units.devices, u.units.device_count * sizeof *u.units.devices);
    if (status == WL_OK) status = put_facts(writer);
    if (status == WL_OK) status = wl_part_put(writer, UNITS, &u.units.next, sizeof u.units.next);
    if (status == WL_OK && wl_parts_tells(j->line))
        fprintf(stderr, "warpladder %s: part %zu of %zu: %" PRIu64 " of %" PRIu64 " sizes or tables\n",
                j->line->command->name, part + 1, parts, u.units.mine, u.units.next);
    return status;
}

/* --- Facts of all parts ------------------------------------------------------------------------------------------ */

/* The value of `key` among "key\tvalue\n" lines, without its end; NULL: there is none. */
static const char *fact(const char *facts, const char *key, size_t *length) {
    const size_t size = strlen(key);
    for (const char *at = facts; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, key, size) != 0 || at[size] != '\t') continue;
        *length = strcspn(at + size + 1, "\n");
        return at + size + 1;
    }
    return NULL;
}

/* Facts that may differ between machines of one kind. Of dates the first counts, of the others all are listed. */
static int may_differ(const char *key) {
    static const char *const keys[] = {"date", "memory", "system", NULL};
    for (size_t i = 0; keys[i]; i++)
        if (strcmp(keys[i], key) == 0) return 1;
    return 0;
}

static wl_status facts_record(const wl_part_set *set, size_t part, const char **facts) {
    const wl_part_record *record;
    WL_TRY(wl_part_set_record(set, part, FACTS, &record));
    *facts = (const char *)record->bytes;
    return record->size > 0 && (*facts)[record->size - 1] == 0 ? WL_OK : wl_part_set_refuse(set, part, FACTS);
}

/* Writes the value of one fact of all parts. */
static wl_status join_fact(const wl_part_set *set, const char *key, FILE *stream) {
    const char *first = NULL, *facts, *value;
    size_t first_length = 0, length;
    char seen[1024] = "";
    for (size_t p = 0; p < set->count; p++) {
        WL_TRY(facts_record(set, p, &facts));
        value = fact(facts, key, &length);
        if (value == NULL) value = "nothing", length = strlen(value);
        const int same = first && length == first_length && strncmp(value, first, length) == 0;
        if (p > 0 && !same && !may_differ(key))
            return wl_fail(
                WL_BAD_INPUT,
                "%s: was measured where the header's '%s' is '%.*s', and %s where it is '%.*s'; expected parts "
                "from one kind of machine and one build",
                set->items[p].name, key, (int)length, value, set->items[0].name, (int)first_length, first);
        const int earlier = first && strcmp(key, "date") == 0 && strncmp(value, first, length) < 0;
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)length, value);
        if (first == NULL || earlier) {
            first = value;
            first_length = length;
        }
        if (strcmp(key, "date") != 0 && !strstr(seen, one) && strlen(seen) + strlen(one) + 3 < sizeof seen)
            sprintf(seen + strlen(seen), "%s%s", *seen ? "; " : "", one);
    }
    if (strcmp(key, "date") == 0)
        fprintf(stream, "date\t%.*s\n", (int)first_length, first);
    else
        fprintf(stream, "%s\t%s\n", key, seen);
    return WL_OK;
}

/* Each fact of the first part, and whether the others have the same ones. */
static wl_status join_all(const wl_part_set *set, FILE *stream) {
    const char *first, *facts;
    char key[64];
    WL_TRY(facts_record(set, 0, &first));
    size_t lines = 0, others;
    for (const char *at = first; *at; at += strcspn(at, "\n"), at += *at == '\n', lines++)
        if (sscanf(at, "%63[^\t\n]\t", key) == 1) WL_TRY(join_fact(set, key, stream));
    for (size_t p = 1; p < set->count; p++) {
        WL_TRY(facts_record(set, p, &facts));
        others = 0;
        for (const char *at = facts; *at; at++) others += *at == '\n';
        if (others != lines)
            return wl_fail(
                WL_BAD_INPUT,
                "%s: was measured on a machine with other devices than %s; expected parts from one kind of machine",
                set->items[p].name, set->items[0].name);
    }
    return WL_OK;
}

static wl_status join_facts(const wl_part_set *set, char **facts) {
    size_t size;
    *facts = NULL;
    FILE *stream = open_memstream(facts, &size);
    if (stream == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for what the machines are");
    const wl_status status = join_all(set, stream);
    if (fclose(stream) != 0 && status == WL_OK)
        return wl_fail(WL_NO_MACHINE, "not enough memory for what the machines are");
    return status;
}

/* --- Merging ----------------------------------------------------------------------------------------------------- */

typedef struct {
    wl_units units;
    const wl_part_set *set;
} all_units;

static wl_status recall(wl_units *units, uint64_t number, const void **bytes, size_t *size) {
    const all_units *u = (const all_units *)units; /* its first member */
    const wl_part_record *record;
    WL_TRY(wl_part_set_record(u->set, (size_t)(number % u->set->count), number, &record));
    *bytes = record->bytes;
    *size = record->size;
    return WL_OK;
}

static wl_status read_devices(const wl_part_set *set, wl_units *units) {
    const wl_part_record *record;
    WL_TRY(wl_part_set_record(set, 0, DEVICES, &record));
    units->device_count = record->size / sizeof *units->devices;
    if (record->size % sizeof *units->devices != 0 || units->device_count > WL_UNITS_DEVICES)
        return wl_part_set_refuse(set, 0, DEVICES);
    memcpy(units->devices, record->bytes, record->size);
    size_t variants;
    const wl_variant *const *known = wl_variants(&variants);
    for (size_t c = 0; c < units->device_count; c++) {
        wl_device_list *list = &units->devices[c];
        if (list->count == 0 || list->count > WL_DEVICES_MOST) return wl_part_set_refuse(set, 0, DEVICES);
        for (size_t d = 0; d < list->count; d++) {
            wl_device *device = &list->items[d];
            device->name[sizeof device->name - 1] = 0;
            if (device->backend >= WL_BACKENDS) return wl_part_set_refuse(set, 0, DEVICES);
            size_t v = 0;
            while (v < variants && known[v]->backend != device->backend) v++;
            if (v == variants)
                return wl_fail(WL_NO_MACHINE,
                               "this program has no variants for a %s; expected the program that computed the parts",
                               wl_backend_name(device->backend));
        }
    }
    return WL_OK;
}

static wl_status check_units(const wl_part_set *set, uint64_t asked) {
    for (size_t p = 0; p < set->count; p++) {
        const wl_part_record *record;
        uint64_t units;
        WL_TRY(wl_part_set_record(set, p, UNITS, &record));
        if (record->size != sizeof units) return wl_part_set_refuse(set, p, UNITS);
        memcpy(&units, record->bytes, sizeof units);
        if (asked > 0 && units != asked)
            return wl_fail(WL_BAD_INPUT, "%s: is of a run of %" PRIu64 " sizes or tables, which has %" PRIu64 " here",
                           set->items[p].name, units, asked);
    }
    return WL_OK;
}

static wl_status merge(void *context, const wl_part_set *set) {
    const job *j = context;
    all_units u = {.units = {.recall = recall}, .set = set};
    char *facts = NULL;
    wl_status status = join_facts(set, &facts);
    if (status == WL_OK) status = read_devices(set, &u.units);
    if (status == WL_OK) status = check_units(set, 0);
    if (status == WL_OK) {
        wl_results_stand_in(facts);
        wl_units_drive(&u.units);
        status = j->whole(j->line);
        wl_units_drive(NULL);
        wl_results_stand_in(NULL);
    }
    if (status == WL_OK) status = check_units(set, u.units.next);
    free(facts);
    return status;
}

static const wl_parts_tool tool = {
    .own = " output ", .inputs = " ", .hash = hash_inputs, .compute = compute, .merge = merge};

wl_status wl_measure_parts_run(const wl_line *line, wl_status (*whole)(const wl_line *line)) {
    job j = {line, whole};
    if (!wl_parts_wanted(line)) return whole(line);
    WL_TRY(wl_parts_check(line, &tool));
    return wl_parts_run(line, &tool, &j);
}
