/* What a file is, and who reads it. */
#include <string.h>

#include "distances/rows.h"

wl_status distances_read(const char *path, const distances_reading *reading, FILE *notes, distances_data *data) {
    wl_bytes *bytes;
    wl_status status = wl_bytes_open(path, "an alignment in FASTA", &bytes);
    if (status != WL_OK) return status;
    distances_rows rows = {.file = wl_bytes_name(bytes), .reading = reading, .notes = notes, .place = "line"};
    status = distances_read_letters(&rows, bytes);
    if (status == WL_OK) status = distances_rows_finish(&rows, data);
    if (status != WL_OK) distances_rows_drop(&rows);
    wl_bytes_close(bytes);
    return status;
}
