/* Part files: what one of N parts of a run has computed, as numbered records, until 'warpladder merge' makes the output of them.

   A file is a header (magic, version, tool, hashes of options and inputs, part I of N), the fields of the request, the records, and a
   trailer with their number, the file's size and a checksum. Numbers are in the byte order of the machine, which the header tells. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/mapped.h"

enum { WL_PART_TOOL = 32 };

/* What a part is of. */
typedef struct {
    char tool[WL_PART_TOOL];  // "search"
    uint64_t options, inputs; // hashes of what the result depends on
    uint64_t part, parts;     // 1 .. parts
} wl_part_key;

/* What was asked for, field by field. A part comes from anywhere, so nobody reads a field as a piece of a command line, and none says where
   an output goes. */
typedef enum {
    WL_PART_OPTION = 1, // `value` of the option `name`, on which the result depends
    WL_PART_INPUT,      // `value`: an input file without an option
    WL_PART_OUTPUT,     // the option `name`, of a further output, was given
    WL_PART_SHOWN, // `value`: a word of the command line as outputs quote it; the name "output": the output follows there
} wl_part_kind;

typedef struct {
    wl_part_kind kind;
    const char *name, *value; // "" where the kind has none
} wl_part_field;

/* --- Writing ----------------------------------------------------------------------------------------------------- */

typedef struct {
    FILE *stream;
    const char *name;     // for error lines
    pthread_mutex_t lock; // of all below
    uint64_t sum, records, bytes;
} wl_part_writer;

/* `fields` [count]. End with wl_part_end. WL_NO_MACHINE when writing is seen to fail; what the
   stream still holds, whoever closes it finds out. */
wl_status wl_part_begin(FILE *stream, const char *name, const wl_part_key *key, const wl_part_field *fields,
                        size_t count, wl_part_writer *writer);
/* Each number once, in any order. Any thread. */
wl_status wl_part_put(wl_part_writer *writer, uint64_t number, const void *bytes, size_t size);
/* The trailer. Without `complete` there is none, and nobody reads the file. */
wl_status wl_part_end(wl_part_writer *writer, int complete);

/* Parts that one process computes together, counted from 0: first .. first + count - 1 of `parts`. */
typedef struct {
    size_t first, count, parts;
    wl_part_writer *writers; // [count]
} wl_part_range;

/* Writers of `count` parts from key->part on, each to its stream; `fields` as of wl_part_begin. On success end with wl_part_range_end. */
wl_status wl_part_range_begin(FILE *const *streams, size_t count, const char *name, const wl_part_key *key,
                              const wl_part_field *fields, size_t field_count, wl_part_range *range);
wl_status wl_part_range_end(wl_part_range *range, int complete);

/* --- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t number, size;
    const unsigned char *bytes; // [size], at a multiple of 8
} wl_part_record;

typedef struct {
    char *name; // for error lines
    wl_part_key key;
    wl_part_field *fields;   // [field_count]
    wl_part_record *records; // [count], by number
    size_t field_count, count;
    void *memory; // [bytes], the file
    size_t bytes;
    wl_mapped *mapped; // the file; NULL: it is from malloc
} wl_part;

/* Open a part file and look at every byte of it. Truncated, damaged or no part file: WL_BAD_INPUT, with what was found. On success
   close with wl_part_close. */
wl_status wl_part_open(const char *path, wl_part *part);
/* The same of a file in memory from malloc, which belongs to the part from now on, also after a failure. */
wl_status wl_part_take(const char *name, void *memory, size_t bytes, wl_part *part);
void wl_part_close(wl_part *part);
/* Is `path` a whole part of this key? */
int wl_part_is_there(const char *path, const wl_part_key *key);
/* NULL: there is none of that number. */
const wl_part_record *wl_part_find(const wl_part *part, uint64_t number);

/* --- All parts of a run ------------------------------------------------------------------------------------------ */

typedef struct {
    wl_part *items; // [count]: number i is part i + 1 of the run
    size_t count;
} wl_part_set;

/* Take over parts [count], in any order, also after a failure. WL_BAD_INPUT, by name: parts of different runs, a part that is
   missing, a part that is there twice. On success close with wl_part_set_close. */
wl_status wl_part_set_make(wl_part *parts, size_t count, wl_part_set *set);
/* The same of files and folders [count], of which all files that end in .part are taken. WL_BAD_INPUT, too: a folder that cannot be
   opened or has no such file, and what wl_part_open refuses. */
wl_status wl_part_set_open(const char *const *paths, size_t count, wl_part_set *set);
void wl_part_set_close(wl_part_set *set);
/* The record of part `part` (from 0), which has to be there: WL_BAD_INPUT where it is not. */
wl_status wl_part_set_record(const wl_part_set *set, size_t part, uint64_t number, const wl_part_record **record);
/* WL_BAD_INPUT: the checksum is right, and what the record says is not. */
wl_status wl_part_set_refuse(const wl_part_set *set, size_t part, uint64_t number);
