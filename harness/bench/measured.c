/* Measurements as the bytes of a unit. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench/measured.h"
#include "harness/bench/units.h"

/* Before each measurement's row, samples and rounds; all of them are multiples of 8 bytes long. */
typedef struct {
    uint64_t row_size, device, samples, rounds;
} head;

_Static_assert(sizeof(wl_row) % 8 == 0 && sizeof(wl_sample) % 8 == 0, "records stay aligned");

wl_status wl_measurements_keep(uint64_t unit, const wl_measurements *measurements) {
    char *bytes = NULL;
    size_t size;
    FILE *stream = open_memstream(&bytes, &size);
    if (stream == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the measurements");
    for (size_t i = 0; i < measurements->count; i++) {
        const wl_measurement *m = &measurements->items[i];
        const head h = {sizeof(wl_row), (uint64_t)(m->device - measurements->devices.items), m->sample_count,
                        m->rounds};
        fwrite(&h, sizeof h, 1, stream);
        fwrite(&m->row, sizeof m->row, 1, stream);
        if (h.samples > 0) fwrite(m->samples, sizeof *m->samples, m->sample_count, stream);
        if (h.rounds > 0) fwrite(m->round_ms, sizeof *m->round_ms, m->rounds, stream);
    }
    wl_status status = fclose(stream) == 0 ? wl_unit_keep(unit, bytes, size)
                                           : wl_fail(WL_NO_MACHINE, "not enough memory for the measurements");
    free(bytes);
    return status;
}

/* --- And back ---------------------------------------------------------------------------------------------------- */

static wl_status refuse(void) {
    return wl_fail(WL_BAD_INPUT, "a unit's measurements are none of this program's; expected parts of this program");
}

/* The variant that a row names; and texts that end, whatever the bytes are. */
static wl_status restore_row(wl_row *row) {
    char *const ends[] = {&row->problem[sizeof row->problem - 1],
                          &row->name[sizeof row->name - 1],
                          &row->backend[sizeof row->backend - 1],
                          &row->device[sizeof row->device - 1],
                          &row->instruction_set[sizeof row->instruction_set - 1],
                          &row->verdict.reason[sizeof row->verdict.reason - 1],
                          &row->verdict.checked_by[sizeof row->verdict.checked_by - 1],
                          &row->shape[sizeof row->shape - 1],
                          &row->cache[sizeof row->cache - 1],
                          &row->stop_reason[sizeof row->stop_reason - 1],
                          &row->limit[sizeof row->limit - 1],
                          &row->rate[sizeof row->rate - 1]};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) *ends[i] = 0;
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++) {
        row->variant = variants[v];
        if (strcmp(variants[v]->problem, row->problem) == 0 && strcmp(variants[v]->name, row->name) == 0 &&
            strcmp(wl_backend_name(variants[v]->backend), row->backend) == 0)
            return WL_OK;
    }
    return wl_fail(WL_NO_MACHINE,
                   "this program has no variant %s/%s for %s; expected the program that computed the parts",
                   row->problem, row->name, row->backend);
}

static wl_status restore(const unsigned char **at, size_t *left, wl_measurements *measurements) {
    wl_measurement *m = &measurements->items[measurements->count];
    head h;
    if (*left < sizeof h + sizeof m->row) return refuse();
    memcpy(&h, *at, sizeof h);
    memcpy(&m->row, *at + sizeof h, sizeof m->row);
    *at += sizeof h + sizeof m->row;
    *left -= sizeof h + sizeof m->row;
    if (h.row_size != sizeof m->row || h.device >= measurements->devices.count ||
        h.samples > *left / sizeof *m->samples)
        return refuse();
    const size_t sample_bytes = h.samples * sizeof *m->samples;
    if (h.rounds > (*left - sample_bytes) / sizeof *m->round_ms) return refuse();
    const size_t round_bytes = h.rounds * sizeof *m->round_ms;
    WL_TRY(restore_row(&m->row));
    m->variant = m->row.variant;
    m->device = &measurements->devices.items[h.device];
    m->sample_count = h.samples;
    m->rounds = h.rounds;
    m->samples = malloc(sample_bytes + 1);
    m->round_ms = malloc(round_bytes + 1);
    measurements->count++; /* from now on what it has is freed */
    if (!m->samples || !m->round_ms) return wl_fail(WL_NO_MACHINE, "not enough memory for the measurements");
    if (sample_bytes > 0) memcpy(m->samples, *at, sample_bytes);
    if (round_bytes > 0) memcpy(m->round_ms, *at + sample_bytes, round_bytes);
    *at += sample_bytes + round_bytes;
    *left -= sample_bytes + round_bytes;
    return WL_OK;
}

wl_status wl_measurements_recall(uint64_t unit, const wl_device_list *devices, wl_measurements *measurements) {
    const void *bytes;
    size_t left;
    WL_TRY(wl_unit_recall(unit, &bytes, &left));
    const unsigned char *at = bytes;
    measurements->count = 0;
    measurements->devices = *devices;
    measurements->items = calloc(left / (sizeof(head) + sizeof(wl_row)) + 1, sizeof *measurements->items);
    if (!measurements->items) return wl_fail(WL_NO_MACHINE, "not enough memory for the measurements");
    while (left > 0) {
        const wl_status status = restore(&at, &left, measurements);
        if (status == WL_OK) continue;
        wl_measurements_free(measurements);
        return status;
    }
    return WL_OK;
}
