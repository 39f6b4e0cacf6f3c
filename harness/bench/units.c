#include "harness/bench/units.h"

#include <stdlib.h>
#include <string.h>

static wl_units *driver; /* NULL: an ordinary run */

void wl_units_drive(wl_units *units) { driver = units; }

int wl_units_some(void) { return driver && driver->is_mine; }

wl_unit_task wl_unit_next(uint64_t *number) {
    *number = driver ? driver->next++ : 0;
    if (!driver) return WL_UNIT_MEASURE;
    if (!driver->is_mine) return WL_UNIT_RECALL;
    if (!driver->is_mine(driver, *number)) return WL_UNIT_LEAVE;
    driver->mine++;
    return WL_UNIT_MEASURE;
}

wl_status wl_unit_keep(uint64_t number, const void *bytes, size_t size) {
    return driver ? driver->keep(driver, number, bytes, size) : WL_OK;
}

wl_status wl_unit_recall(uint64_t number, const void **bytes, size_t *size) {
    return driver->recall(driver, number, bytes, size);
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "not enough memory for the rows of a unit"); }

wl_status wl_unit_room(void *rows, size_t count, size_t size) {
    void *old;
    memcpy(&old, rows, sizeof old);
    void *more = realloc(old, (count + 1) * size);
    if (more == NULL) return no_memory();
    memcpy(rows, &more, sizeof more);
    return WL_OK;
}

/* Rows from `first` on. */
static wl_status keep_rows(const wl_unit_rows *unit, uint64_t number, size_t first) {
    const unsigned char *rows;
    memcpy(&rows, unit->rows, sizeof rows);
    const size_t count = *unit->count - first;
    unsigned char *packed = malloc(count * unit->size + 1);
    if (packed == NULL) return no_memory();
    if (count > 0) memcpy(packed, rows + first * unit->size, count * unit->size);
    for (size_t i = 0; i < count && unit->pack; i++) unit->pack(unit->context, packed + i * unit->size, 0);
    const wl_status status = wl_unit_keep(number, packed, count * unit->size);
    free(packed);
    return status;
}

static wl_status recall_rows(const wl_unit_rows *unit, uint64_t number) {
    const void *bytes;
    size_t size;
    unsigned char *more;
    WL_TRY(wl_unit_recall(number, &bytes, &size));
    const size_t count = size / unit->size;
    WL_TRY(wl_unit_room(unit->rows, *unit->count + count, unit->size));
    memcpy(&more, unit->rows, sizeof more);
    if (size > 0) memcpy(more + *unit->count * unit->size, bytes, size);
    int right = size % unit->size == 0;
    for (size_t i = 0; right && i < count && unit->pack; i++)
        right = unit->pack(unit->context, more + (*unit->count + i) * unit->size, 1);
    if (!right)
        return wl_fail(WL_BAD_INPUT, "a unit's rows are none of this program's; expected parts of this program");
    *unit->count += count;
    return WL_OK;
}

wl_status wl_unit_take(const wl_unit_rows *unit) {
    const size_t first = *unit->count;
    uint64_t number;
    switch (wl_unit_next(&number)) {
        case WL_UNIT_LEAVE:
            return WL_OK;
        case WL_UNIT_RECALL:
            return recall_rows(unit, number);
        default:
            break;
    }
    WL_TRY(unit->measure(unit->context));
    return keep_rows(unit, number, first);
}

/* --- Devices ----------------------------------------------------------------------------------------------------- */

int wl_units_recall_devices(wl_device_list *devices) {
    if (!driver || !driver->recall || driver->device_count == 0) return 0;
    const size_t last = driver->device_count - 1, call = driver->device_calls++;
    *devices = driver->devices[call < last ? call : last];
    return 1;
}

void wl_units_note_devices(const wl_device_list *devices) {
    if (driver && driver->is_mine && driver->device_count < WL_UNITS_DEVICES)
        driver->devices[driver->device_count++] = *devices;
}
