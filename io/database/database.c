/* Opening a database, whatever it is. */
#include "io/database/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/timings.h"
#include "io/database/format.h"

#define EXPECTED "a .wdb file, FASTA or FASTQ"

static int ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), wanted = strlen(ending);
    return length >= wanted && strcasecmp(path + length - wanted, ending) == 0;
}

/* What a file is that people give by mistake; NULL for what the sequence reader shall look at. */
static const char *stranger(const char *path, const unsigned char *first, size_t count) {
    static const char *const blast[] = {".phr", ".pin", ".psq", ".pal", ".nhr", ".nin", ".nsq", ".nal"};
    static const unsigned char diamond[] = {0x6D, 0x18, 0xEE, 0x15, 0xA4, 0xF8, 0x4A, 0x02};
    if (count >= SW_WDB_MARK_BYTES && memcmp(first + 1, SW_WDB_MAGIC + 1, SW_WDB_MARK_BYTES - 1) == 0)
        return first[0] == (unsigned char)SW_WDB_MAGIC[0] || first[0] == (SW_WDB_MAGIC[0] & 0x7F)
                   ? "a .wdb file damaged by a transfer as text (copy it in binary mode)"
                   : NULL;
    if (count >= sizeof diamond && memcmp(first, diamond, sizeof diamond) == 0)
        return "a DIAMOND database (its sequences: 'diamond getseq -d')";
    int is_text = count > 0 && (first[0] == '>' || first[0] == '@');
    for (size_t i = 0; !is_text && i < sizeof blast / sizeof *blast; i++)
        if (ends_with(path, blast[i])) return "a part of a BLAST database (its sequences: 'blastdbcmd -entry all -db')";
    if (!is_text && ends_with(path, ".wdb") && !(count >= 2 && first[0] == 0x1F && first[1] == 0x8B))
        return "something that does not begin as a .wdb file does";
    return NULL;
}

static wl_status map(const char *path, int file, sw_alphabet alphabet, sw_database *database) {
    sw_database opened = {0};
    wl_mapped *mapped;
    WL_TRY(wl_mapped_open(path, file, &mapped));
    wl_status status = sw_wdb_verify(path, mapped->memory, mapped->bytes, alphabet, &opened);
    if (status != WL_OK) {
        wl_mapped_close(mapped);
        return status;
    }
    opened.file = mapped;
    opened.memory = mapped->memory;
    opened.mapped = mapped->bytes;
    *database = opened;
    return WL_OK;
}

static wl_status open_as(const char *path, const sw_reading *reading, sw_database *database) {
    struct stat found = {0};
    int is_input = strcmp(path, "-") == 0, file = -1;
    if (!is_input &&
        (stat(path, &found) != 0 || (S_ISREG(found.st_mode) && (file = open(path, O_RDONLY | O_CLOEXEC)) < 0)))
        return wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected " EXPECTED, path, strerror(errno));
    if (S_ISDIR(found.st_mode)) return wl_fail(WL_BAD_INPUT, "%s: is a directory; expected " EXPECTED, path);
    /* A pipe's first bytes come once: its reader alone looks at them. */
    if (file < 0) return sw_database_build_as(path, reading, database);

    unsigned char first[SW_WDB_MAGIC_BYTES];
    ssize_t count = pread(file, first, sizeof first, 0);
    const char *what = count > 0 ? stranger(path, first, (size_t)count) : NULL;
    wl_status status;
    if (count > 0 && memcmp(first, SW_WDB_MAGIC, (size_t)count) == 0) // fewer than eight: truncated, which map finds
        status = map(path, file, reading->alphabet, database);
    else if (count == 0 || what)
        status = wl_fail(WL_BAD_INPUT, "%s: %s%s; expected " EXPECTED, path, count ? "found " : "the file is empty",
                         count ? what : "");
    else
        status = sw_database_build_as(path, reading, database);
    close(file);
    return status;
}

wl_status sw_database_open_as(const char *path, const sw_reading *reading, sw_database *database) {
    const double begun = wl_timings_now();
    const wl_status status = open_as(path, reading, database);
    wl_timings_since(WL_PHASE_READ, begun, 0);
    return status;
}

int sw_database_is_mapped(const char *path) {
    struct stat found;
    unsigned char first[SW_WDB_MAGIC_BYTES];
    const int file = stat(path, &found) == 0 && S_ISREG(found.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    const ssize_t count = pread(file, first, sizeof first, 0);
    close(file);
    return count == sizeof first && memcmp(first, SW_WDB_MAGIC, sizeof first) == 0;
}

uint64_t sw_database_letters_about(const char *path) {
    enum { UNPACKED = 3 }; // proteins twice, nucleotides four times
    sw_wdb_header header;
    struct stat found;
    const int file = stat(path, &found) == 0 && S_ISREG(found.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return UINT64_MAX;
    const ssize_t count = pread(file, &header, sizeof header, 0);
    close(file);
    if (count == sizeof header && memcmp(header.magic, SW_WDB_MAGIC, SW_WDB_MAGIC_BYTES) == 0) return header.letters;
    const int packed = count > 1 && memcmp(&header, "\x1F\x8B", 2) == 0;
    return (uint64_t)found.st_size * (packed ? UNPACKED : 1);
}

void sw_database_close(sw_database *database) {
    if (database->mapped > 0)
        wl_mapped_close(database->file);
    else
        free(database->memory);
    *database = (sw_database){0};
}

const char *sw_database_comment(const sw_database *database, size_t sequence) {
    const char *name = sw_database_name(database, sequence);
    return name + strlen(name) + 1;
}

wl_status sw_database_refuse_blast(const char *path) {
    static const char *const parts[] = {"pin", "nin", "pal", "nal"};
    char name[4096];
    if (access(path, F_OK) == 0) return WL_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (snprintf(name, sizeof name, "%s.%s", path, parts[i]) >= (int)sizeof name || access(name, F_OK) != 0)
            continue;
        return wl_fail(
            WL_BAD_INPUT,
            "%s: found a database of BLAST's (%s); expected FASTA or a .wdb file, as from 'blastdbcmd -db %s "
            "-entry all | warpladder makedb - %s.wdb'",
            path, name, path, path);
    }
    return WL_OK;
}
