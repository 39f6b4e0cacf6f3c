#include "io/part.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/hash.h"
#include "harness/base/memory.h"

enum { VERSION = 2, ORDER = 0x01020304, ALIGN = 8 };
#define LAST UINT64_MAX // the trailer's number

/* As on a PNG's first line: a file that was taken for text on the way is found out. */
static const unsigned char magic[8] = {0x89, 'W', 'L', 'P', '\r', '\n', 0x1A, '\n'};

typedef struct {
    unsigned char magic[8];
    uint32_t version, order;
    wl_part_key key;
    uint64_t fields, field_bytes;
} header;

/* The name and the value follow, each with its 0, and zeros up to a multiple of ALIGN. */
typedef struct {
    uint32_t kind, name; // bytes with the 0
    uint64_t value;
} field_head;

typedef struct {
    uint64_t number, size;
} record_head;

typedef struct {
    record_head head; // LAST and what follows it
    uint64_t records, bytes, sum;
} trailer;

static size_t padded(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

/* --- Writing ----------------------------------------------------------------------------------------------------- */

static wl_status put(wl_part_writer *writer, const void *bytes, size_t size) {
    static const unsigned char zeros[ALIGN];
    errno = 0;
    if (fwrite(bytes, 1, size, writer->stream) != size ||
        fwrite(zeros, 1, padded(size) - size, writer->stream) != padded(size) - size)
        return wl_fail(WL_NO_MACHINE, "%s: cannot write: %s", writer->name, strerror(errno ? errno : EIO));
    writer->sum = wl_hash_join(writer->sum, wl_hash_bytes(bytes, size));
    writer->bytes += padded(size);
    return WL_OK;
}

static field_head head_of(const wl_part_field *field) {
    return (field_head){(uint32_t)field->kind, (uint32_t)strlen(field->name) + 1, strlen(field->value) + 1};
}

static size_t bytes_of(const field_head *head) { return sizeof *head + padded(head->name + head->value); }

wl_status wl_part_begin(FILE *stream, const char *name, const wl_part_key *key, const wl_part_field *fields,
                        size_t count, wl_part_writer *writer) {
    header head = {.version = VERSION, .order = ORDER, .key = *key, .fields = count};
    memcpy(head.magic, magic, sizeof magic);
    *writer = (wl_part_writer){.stream = stream, .name = name};
    pthread_mutex_init(&writer->lock, NULL);
    for (size_t i = 0; i < count; i++) {
        const field_head each = head_of(&fields[i]);
        head.field_bytes += bytes_of(&each);
    }
    char *memory = calloc(head.field_bytes + 1, 1), *at = memory;
    if (memory == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the request");
    for (size_t i = 0; i < count; i++) {
        const field_head each = head_of(&fields[i]);
        memcpy(at, &each, sizeof each);
        memcpy(at + sizeof each, fields[i].name, each.name);
        memcpy(at + sizeof each + each.name, fields[i].value, each.value);
        at += bytes_of(&each);
    }
    wl_status status = put(writer, &head, sizeof head);
    if (status == WL_OK) status = put(writer, memory, head.field_bytes);
    free(memory);
    return status;
}

wl_status wl_part_put(wl_part_writer *writer, uint64_t number, const void *bytes, size_t size) {
    const record_head head = {number, size};
    pthread_mutex_lock(&writer->lock);
    wl_status status = put(writer, &head, sizeof head);
    if (status == WL_OK) status = put(writer, bytes, size);
    writer->records++;
    pthread_mutex_unlock(&writer->lock);
    return status;
}

wl_status wl_part_end(wl_part_writer *writer, int complete) {
    wl_status status = WL_OK;
    if (complete) {
        const trailer last = {.head = {LAST, sizeof last - sizeof last.head},
                              .records = writer->records,
                              .bytes = writer->bytes + sizeof last,
                              .sum = writer->sum};
        status = put(writer, &last, sizeof last);
    }
    pthread_mutex_destroy(&writer->lock);
    return status;
}

wl_status wl_part_range_end(wl_part_range *range, int complete) {
    wl_status status = WL_OK;
    for (size_t i = 0; i < range->count; i++) {
        const wl_status end = wl_part_end(&range->writers[i], complete);
        if (status == WL_OK) status = end;
    }
    free(range->writers);
    return status;
}

wl_status wl_part_range_begin(FILE *const *streams, size_t count, const char *name, const wl_part_key *key,
                              const wl_part_field *fields, size_t field_count, wl_part_range *range) {
    *range = (wl_part_range){.first = key->part - 1, .parts = key->parts};
    range->writers = malloc(count * sizeof *range->writers);
    if (range->writers == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for %zu parts", count);
    wl_status status = WL_OK;
    for (wl_part_key of = *key; range->count < count && status == WL_OK; of.part++, range->count++)
        status = wl_part_begin(streams[range->count], name, &of, fields, field_count, &range->writers[range->count]);
    if (status != WL_OK) wl_part_range_end(range, 0);
    return status;
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

/* Where reading is. */
typedef struct {
    const wl_part *part;
    const unsigned char *at;
    size_t left;
    uint64_t sum;
} cursor;

static wl_status damaged(const wl_part *part, const char *why) {
    return wl_fail(WL_BAD_INPUT, "%s: %s; expected a whole part file: remove it and compute it again", part->name, why);
}

/* The next `size` bytes and their padding. */
static wl_status take(cursor *c, size_t size, const void **bytes) {
    if (size > c->left || padded(size) > c->left) return damaged(c->part, "ends too soon");
    for (size_t i = size; i < padded(size); i++)
        if (c->at[i] != 0) return damaged(c->part, "is damaged between two records");
    *bytes = c->at;
    c->sum = wl_hash_join(c->sum, wl_hash_bytes(c->at, size));
    c->at += padded(size);
    c->left -= padded(size);
    return WL_OK;
}

/* Reads the field that begins at `at`. Returns its bytes; 0: it is none. */
static size_t read_field(const char *at, size_t left, wl_part_field *field) {
    field_head head;
    if (left < sizeof head) return 0;
    memcpy(&head, at, sizeof head);
    left -= sizeof head;
    if (head.kind < WL_PART_OPTION || head.kind > WL_PART_SHOWN || head.name < 1 || head.value < 1 ||
        head.value > left || head.name > left || padded(head.name + head.value) > left)
        return 0;
    const char *name = at + sizeof head, *value = name + head.name;
    if (memchr(name, 0, head.name) != value - 1 || memchr(value, 0, head.value) != value + head.value - 1) return 0;
    for (const char *zero = value + head.value; zero < at + bytes_of(&head); zero++)
        if (*zero != 0) return 0;
    *field = (wl_part_field){(wl_part_kind)head.kind, name, value};
    return bytes_of(&head);
}

static wl_status read_header(cursor *c, wl_part *part) {
    const void *bytes = NULL;
    header head;
    if (c->left < sizeof magic || memcmp(c->at, magic, sizeof magic) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: is no part file; expected one that an option --part has made", part->name);
    WL_TRY(take(c, sizeof head, &bytes));
    memcpy(&head, bytes, sizeof head);
    if (head.version < VERSION && head.order == ORDER)
        return wl_fail(WL_BAD_INPUT,
                       "%s: is a file of an older format, %u, whose command line is not trusted; expected format %d: "
                       "remove it and compute it again",
                       part->name, head.version, VERSION);
    if (head.version != VERSION || head.order != ORDER)
        return wl_fail(WL_BAD_INPUT,
                       "%s: is a part file of another version or another kind of machine; expected version %d",
                       part->name, VERSION);
    if (memchr(head.key.tool, 0, sizeof head.key.tool) == NULL || head.key.part < 1 || head.key.part > head.key.parts)
        return damaged(part, "has a header that makes no sense");
    part->key = head.key;
    WL_TRY(take(c, head.field_bytes, &bytes));
    if (head.fields > head.field_bytes / sizeof(field_head)) return damaged(part, "has a header that makes no sense");
    part->fields = malloc((head.fields + 1) * sizeof *part->fields);
    if (part->fields == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory", part->name);
    const char *at = bytes;
    for (size_t left = head.field_bytes, read; part->field_count < head.fields; left -= read, at += read) {
        if ((read = read_field(at, left, &part->fields[part->field_count])) == 0)
            return damaged(part, "has a field that makes no sense");
        part->field_count++;
    }
    return at == (const char *)bytes + head.field_bytes ? WL_OK : damaged(part, "has a header that makes no sense");
}

static wl_status read_trailer(const cursor *c, const record_head *head, const wl_part *part) {
    trailer last;
    if (c->left != sizeof last || head->size != sizeof last - sizeof last.head)
        return damaged(part, "does not end where its records end");
    memcpy(&last, c->at, sizeof last);
    if (last.records != part->count || last.bytes != part->bytes || last.sum != c->sum)
        return damaged(part, "is damaged: its checksum is wrong");
    return WL_OK;
}

static wl_status read_records(cursor *c, wl_part *part) {
    for (;;) {
        record_head head;
        const void *bytes = NULL;
        if (c->left < sizeof head) return damaged(part, "ends too soon");
        memcpy(&head, c->at, sizeof head);
        if (head.number == LAST) return read_trailer(c, &head, part);
        WL_TRY(take(c, sizeof head, &bytes));
        WL_TRY(take(c, head.size, &bytes));
        if (!WL_GROW(part->records, part->count, 1))
            return wl_fail(WL_NO_MACHINE, "%s: not enough memory for its list of records", part->name);
        part->records[part->count++] = (wl_part_record){head.number, head.size, bytes};
    }
}

static int by_number(const void *left, const void *right) {
    const wl_part_record *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static wl_status read_all(wl_part *part) {
    cursor c = {.part = part, .at = part->memory, .left = part->bytes};
    WL_TRY(read_header(&c, part));
    WL_TRY(read_records(&c, part));
    if (part->count > 0) qsort(part->records, part->count, sizeof *part->records, by_number);
    for (size_t i = 1; i < part->count; i++)
        if (part->records[i].number == part->records[i - 1].number) return damaged(part, "has a record twice");
    return WL_OK;
}

static wl_status open_mapped(const char *path, int descriptor, wl_part *part) {
    struct stat found;
    if (fstat(descriptor, &found) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: cannot read: %s; expected a part file", path, strerror(errno));
    if (!S_ISREG(found.st_mode)) return wl_fail(WL_BAD_INPUT, "%s: is no regular file; expected a part file", path);
    if (found.st_size == 0) return wl_fail(WL_BAD_INPUT, "%s: is empty; expected a part file", path);
    WL_TRY(wl_mapped_open(path, descriptor, &part->mapped));
    part->memory = part->mapped->memory;
    part->bytes = part->mapped->bytes;
    return WL_OK;
}

static wl_status finish(wl_status status, wl_part *part) {
    if (status == WL_OK) status = read_all(part);
    if (status != WL_OK) wl_part_close(part);
    return status;
}

wl_status wl_part_open(const char *path, wl_part *part) {
    *part = (wl_part){.name = strdup(path)};
    if (part->name == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    wl_status status = descriptor < 0
                           ? wl_fail(WL_BAD_INPUT, "%s: cannot open: %s; expected a part file", path, strerror(errno))
                           : open_mapped(path, descriptor, part);
    if (descriptor >= 0) close(descriptor);
    return finish(status, part);
}

wl_status wl_part_take(const char *name, void *memory, size_t bytes, wl_part *part) {
    *part = (wl_part){.name = strdup(name), .memory = memory, .bytes = bytes};
    return finish(part->name ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for a name"), part);
}

void wl_part_close(wl_part *part) {
    if (part->mapped)
        wl_mapped_close(part->mapped);
    else
        free(part->memory);
    WL_FREE(part->name, part->fields, part->records);
    *part = (wl_part){0};
}

const wl_part_record *wl_part_find(const wl_part *part, uint64_t number) {
    const wl_part_record wanted = {.number = number};
    return part->count == 0 ? NULL : bsearch(&wanted, part->records, part->count, sizeof wanted, by_number);
}

/* --- All parts of a run ------------------------------------------------------------------------------------------ */

static int by_part(const void *left, const void *right) {
    const wl_part *a = left, *b = right;
    if (a->key.part != b->key.part) return a->key.part < b->key.part ? -1 : 1;
    return strcmp(a->name, b->name);
}

static wl_status compare(const wl_part *first, const wl_part *other) {
    const wl_part_key *a = &first->key, *b = &other->key;
    if (strcmp(a->tool, b->tool) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: is a part of %s, and %s of %s; expected parts of one run", other->name,
                       b->tool, first->name, a->tool);
    const char *differs = a->inputs != b->inputs     ? "inputs differ"
                          : a->options != b->options ? "options or versions differ"
                                                     : NULL;
    if (differs)
        return wl_fail(WL_BAD_INPUT, "%s: is a part of another run than %s: their %s; expected parts of one run",
                       other->name, first->name, differs);
    if (a->parts != b->parts)
        return wl_fail(WL_BAD_INPUT,
                       "%s: is one of %" PRIu64 " parts, and %s one of %" PRIu64 "; expected parts of one run",
                       other->name, b->parts, first->name, a->parts);
    return WL_OK;
}

static wl_status check(const wl_part *parts, size_t count) {
    if (count == 0) return wl_fail(WL_BAD_INPUT, "found no part files; expected all parts of a run");
    for (size_t i = 1; i < count; i++) WL_TRY(compare(&parts[0], &parts[i]));
    for (size_t i = 0; i < count; i++) {
        const uint64_t part = parts[i].key.part, expected = i > 0 ? parts[i - 1].key.part + 1 : 1;
        if (i > 0 && part == parts[i - 1].key.part)
            return wl_fail(WL_BAD_INPUT, "%s: is part %" PRIu64 " of %" PRIu64 ", as %s is; expected each part once",
                           parts[i].name, part, parts[i].key.parts, parts[i - 1].name);
        if (part != expected || (i + 1 == count && part != parts[i].key.parts))
            return wl_fail(WL_BAD_INPUT,
                           "part %" PRIu64 " of %" PRIu64 " is missing beside %s; expected all parts of the run",
                           part != expected ? expected : part + 1, parts[i].key.parts, parts[i].name);
    }
    return WL_OK;
}

wl_status wl_part_set_make(wl_part *parts, size_t count, wl_part_set *set) {
    *set = (wl_part_set){parts, count};
    if (count > 0) qsort(parts, count, sizeof *parts, by_part);
    const wl_status status = check(parts, count);
    if (status != WL_OK) wl_part_set_close(set);
    return status;
}

void wl_part_set_close(wl_part_set *set) {
    for (size_t i = 0; i < set->count; i++) wl_part_close(&set->items[i]);
    free(set->items);
    *set = (wl_part_set){0};
}

wl_status wl_part_set_record(const wl_part_set *set, size_t part, uint64_t number, const wl_part_record **record) {
    *record = wl_part_find(&set->items[part], number);
    if (*record) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: has no record %" PRIu64 "; expected one: compute this part again",
                   set->items[part].name, number);
}

wl_status wl_part_set_refuse(const wl_part_set *set, size_t part, uint64_t number) {
    return wl_fail(WL_BAD_INPUT, "%s: record %" PRIu64 " is none of this run; expected one: compute this part again",
                   set->items[part].name, number);
}
