/* Memory of instances, whoever fills it in: readers and the generator. */
#include "distances/data.h"

#include <stdlib.h>
#include <string.h>

#include "distances/planes.h"
#include "harness/base/memory.h"

wl_status distances_data_allocate(const char *who, distances_data *data) {
    enum { LINE = 64 };
    const double planes = (double)data->planes + 1, count = (double)data->count,
                 available = (double)wl_memory_available();
    data->words = distances_words(data->sites);
    const double needed = 8 * planes * count * (double)data->words;
    if (needed < available) {
        data->bits =
            aligned_alloc(LINE, LINE + sizeof *data->bits * (size_t)(data->planes + 1) * data->count * data->words);
        data->names = calloc(data->count + 1, sizeof *data->names);
    }
    if (data->bits != NULL && data->names != NULL) return WL_OK;
    distances_data_free(data);
    return wl_fail(WL_NO_MACHINE, "%s: %.0f x %.0f sites need %.1f GB of memory; %.1f GB are free", who, count,
                   (double)data->sites, needed / 1e9, available / 1e9);
}

void distances_data_free(distances_data *data) {
    if (data == NULL) return;
    for (size_t i = 0; data->names != NULL && i < data->count; i++) free(data->names[i]);
    WL_FREE(data->names, data->bits, data->real);
    memset(data, 0, sizeof *data);
}

size_t distances_data_bytes(const distances_data *data) {
    if (data->real) return data->count * data->sites * sizeof *data->real;
    return data->count * (size_t)(data->planes + 1) * data->words * sizeof *data->bits;
}
