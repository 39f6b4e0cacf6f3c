/* Units of a long measurement: what the parts of a run share out, and what a merge puts together again.

   A sweep is a sequence of units, the same one in every process: a size, a row of a paper's table. A unit is measured as a whole by one
   process, its baselines among what is measured, so that ratios are of times from one machine. What it found is kept as bytes. */
#ifndef HARNESS_BENCH_UNITS_H
#define HARNESS_BENCH_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/bench/device.h"

enum { WL_UNITS_DEVICES = 4 };

/* Who measures which unit. There is none in an ordinary run, which measures all. */
typedef struct wl_units {
    /* One of the two. */
    int (*is_mine)(const struct wl_units *units, uint64_t number);
    wl_status (*recall)(struct wl_units *units, uint64_t number, const void **bytes, size_t *size);

    wl_status (*keep)(struct wl_units *units, uint64_t number, const void *bytes,
                      size_t size); /* of one that is mine */
    uint64_t next, mine;            /* units that have been asked for; and those of them that were mine */
    /* What wl_devices_select has found, call by call; with `recall`, what it finds. */
    wl_device_list devices[WL_UNITS_DEVICES];
    size_t device_calls, device_count;
} wl_units;
/* NULL: an ordinary run. */
void wl_units_drive(wl_units *units);
/* Are only some of the units measured here? Then nothing is shown of them. */
int wl_units_some(void);

typedef enum { WL_UNIT_MEASURE, WL_UNIT_LEAVE, WL_UNIT_RECALL } wl_unit_task;
/* What is to be done with the sweep's next unit. */
wl_unit_task wl_unit_next(uint64_t *number);
/* After WL_UNIT_MEASURE: what it found; forgotten in an ordinary run. */
wl_status wl_unit_keep(uint64_t number, const void *bytes, size_t size);
/* After WL_UNIT_RECALL. The bytes are at a multiple of 8 and stay until the end of the run. */
wl_status wl_unit_recall(uint64_t number, const void **bytes, size_t *size);

/* A unit that appends rows to an array. */
typedef struct {
    wl_status (*measure)(void *context);
    void *context;
    void *rows;    /* the address of the pointer to the array, which is from malloc or NULL */
    size_t *count; /* of the array */
    size_t size;   /* of a row */
    /* NULL: rows have no pointers. Else makes numbers of a row's pointers, or pointers of its numbers again; 0: there is no such. */
    int (*pack)(void *context, void *row, int unpacks);
} wl_unit_rows;
wl_status wl_unit_take(const wl_unit_rows *unit);
/* Room for a row more in an array of `count`; `rows`: the address of the pointer to it. */
wl_status wl_unit_room(void *rows, size_t count, size_t size);

/* For wl_devices_select: 1: the devices are known; 0: they have to be found. */
int wl_units_recall_devices(wl_device_list *devices);
void wl_units_note_devices(const wl_device_list *devices);

#endif
