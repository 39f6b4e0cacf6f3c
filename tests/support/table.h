/* A table by the name of its file. */
#pragma once

#include "io/table.h"

static inline wl_status table_read(const char *path, int highest, wl_table *table) {
    wl_bytes *bytes;
    wl_status status = wl_bytes_open(path, "a tab-separated table", &bytes);
    if (status != WL_OK) return status;
    status = wl_table_read_bytes(bytes, highest, table);
    wl_bytes_close(bytes);
    return status;
}
