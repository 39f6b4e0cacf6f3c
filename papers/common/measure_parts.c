#include "papers/common/measure_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/facts.h"
#include "harness/bench/results.h"
#include "harness/bench/units.h"

/* Records beside those of the units. */
#define DEVICES (UINT64_C(1) << 62)
#define FACTS (DEVICES + 1)
#define UNITS (DEVICES + 2)

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

wl_status wl_measure_part(wl_measured_whole *whole, const void *context, size_t part, size_t parts,
                          wl_part_writer *writer, uint64_t *mine, uint64_t *all) {
    some_units u = {.units = {.is_mine = is_mine, .keep = keep}, .part = part, .parts = parts, .writer = writer};
    wl_units_drive(&u.units);
    wl_status status = whole(context);
    wl_units_drive(NULL);
    if (status == WL_OK && u.units.next == 0)
        status = wl_fail(WL_BAD_USAGE, "option --part: found with work that has no parts; expected none");
    if (status == WL_OK)
        status = wl_part_put(writer, DEVICES, u.units.devices, u.units.device_count * sizeof *u.units.devices);
    if (status == WL_OK) status = put_facts(writer);
    if (status == WL_OK) status = wl_part_put(writer, UNITS, &u.units.next, sizeof u.units.next);
    *mine = u.units.mine;
    *all = u.units.next;
    return status;
}

/* --- Facts of all parts ------------------------------------------------------------------------------------------ */

static wl_status facts_record(const wl_part_set *set, size_t part, const char **facts) {
    const wl_part_record *record;
    WL_TRY(wl_part_set_record(set, part, FACTS, &record));
    *facts = (const char *)record->bytes;
    return record->size > 0 && (*facts)[record->size - 1] == 0 ? WL_OK : wl_part_set_refuse(set, part, FACTS);
}

static wl_status join_facts(const wl_part_set *set, char **joined) {
    const char **facts = malloc(2 * set->count * sizeof *facts), **names = facts + set->count;
    wl_status status = facts ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory for what the machines are");
    for (size_t p = 0; p < set->count && status == WL_OK; p++) {
        names[p] = set->items[p].name;
        status = facts_record(set, p, &facts[p]);
    }
    if (status == WL_OK) status = wl_facts_join(facts, names, set->count, joined);
    free(facts);
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

wl_status wl_measure_merge(wl_measured_whole *whole, const void *context, const wl_part_set *set) {
    all_units u = {.units = {.recall = recall}, .set = set};
    char *facts = NULL;
    wl_status status = join_facts(set, &facts);
    if (status == WL_OK) status = read_devices(set, &u.units);
    if (status == WL_OK) status = check_units(set, 0);
    if (status == WL_OK) {
        wl_results_stand_in(facts);
        wl_units_drive(&u.units);
        status = whole(context);
        wl_units_drive(NULL);
        wl_results_stand_in(NULL);
    }
    if (status == WL_OK) status = check_units(set, u.units.next);
    free(facts);
    return status;
}
