/* Writing a .wdb file, from its first byte to its last, so that it can also go into a pipe. */
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "harness/base/outfile.h"
#include "io/database/format.h"

typedef struct {
    wl_outfile *file;
    const sw_watch *watch;
    uint64_t done, all;
} writer;

static wl_status put(writer *w, const void *memory, uint64_t bytes) {
    enum { SLICE = 1 << 22 };
    const char *from = memory;
    for (uint64_t at = 0; at < bytes; at += SLICE) {
        size_t slice = bytes - at < SLICE ? (size_t)(bytes - at) : SLICE;
        if (fwrite(from + at, 1, slice, w->file->stream) != slice)
            return wl_fail(WL_NO_MACHINE, "%s: cannot write %llu bytes: %s", w->file->path, (unsigned long long)w->all,
                           strerror(errno));
        w->done += slice;
        if (w->watch) w->watch->report(w->watch->context, "writing", w->done, w->all);
    }
    return WL_OK;
}

static const char zeros[SW_WDB_PAGE];

static uint64_t zeros_behind(uint64_t bytes) { return sw_wdb_padded(bytes) - bytes; }

wl_status sw_database_write(wl_outfile *file, const sw_database *database, const sw_watch *watch, uint64_t *bytes) {
    if (database->set.count == 0)
        return wl_fail(WL_BAD_INPUT, "%s: the database has no sequence; expected at least one", file->path);
    const void *const memory[SW_WDB_SECTIONS] = {
        [SW_WDB_LENGTHS] = database->set.length, [SW_WDB_STARTS] = database->set.start,
        [SW_WDB_ORDER] = database->order,        [SW_WDB_RESIDUES] = database->set.residues,
        [SW_WDB_NAMES] = database->name_at,      [SW_WDB_TEXT] = database->text,
    };
    sw_wdb_header header;
    sw_wdb_header_make(database, sw_set_bytes(&database->set), &header);
    writer w = {.file = file, .watch = watch, .all = header.file_bytes};
    wl_status status = WL_OK;
    for (int i = 0; status == WL_OK && i < SW_WDB_SECTIONS; i++) {
        sw_wdb_section *section = &header.section[i];
        status = sw_wdb_crc(memory[i], section->bytes, &section->crc);
        section->crc = (uint32_t)crc32(section->crc, (const Bytef *)zeros, (uInt)zeros_behind(section->bytes));
    }
    header.crc = sw_wdb_header_crc(&header);
    if (status == WL_OK) status = put(&w, &header, sizeof header);
    for (int i = 0; status == WL_OK && i < SW_WDB_SECTIONS; i++) {
        status = put(&w, memory[i], header.section[i].bytes);
        if (status == WL_OK) status = put(&w, zeros, zeros_behind(header.section[i].bytes));
    }
    if (status == WL_OK && bytes) *bytes = w.all;
    return status;
}
