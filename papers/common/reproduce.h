/* Reproductions: a paper's run, repeated here, beside the paper's own table. */
#pragma once

#include <stdio.h>

#include "harness/base/outfile.h"
#include "papers/common/rows.h"
#include "papers/common/table.h"
#include "harness/bench/traffic.h"
#include "harness/bench/measure.h"

enum { WL_SERIALS_MOST = 4 };

/* What a row of the table is. */
typedef enum { WL_ROW_SERIAL, WL_ROW_BEST_CPU, WL_ROW_STAGE } wl_reproduced_kind;

/* One method of the paper, or one more CPU baseline. A number there is none of is NaN. */
typedef struct {
    wl_reproduced_kind kind;
    char method[64];             // the paper's word for it
    const wl_variant *variant;   // NULL: a method of the paper that the suite does not have
    const wl_measurement *timed; // NULL: not timed here
    const wl_count *counted;     // NULL: not counted here
    double paper_ms, paper_speedup;
    double mean_ms, deviation_ms;                         // of the data sets' median kernel times
    double total_ms;                                      // median, with preparing and copies
    size_t datasets;                                      // how many were timed
    wl_ratio over_serial[WL_SERIALS_MOST], over_best_cpu; // of kernel times
} wl_reproduced_row;

typedef struct {
    const wl_problem *problem;
    wl_paper paper;
    wl_measurements measurements;
    wl_traffic traffic;      // count 0: nothing was counted
    wl_reproduced_row *rows; // [count]: serial CPU codes, the best CPU code, the paper's stages
    size_t count, serials;   // rows 0 .. serials - 1 are the serial codes
    char shape[96];
    double work;       // of one data set
    char machine[300]; // "NVIDIA H200; AMD EPYC 9R14, 2 threads"
    int has_gpu;       // the stages were timed
    int counts;        // the stages were counted on the simulated device
    uint64_t seed;
    int extended;   // all stages there are, not the paper's alone
    int other_size; // --size was given: the paper's numbers are not about it
    size_t datasets;
} wl_reproduced;

/* A table of stages to repeat: what wl_reproduce_stages runs. */
typedef struct {
    const char *table;   // under plots/papers/
    const char *problem; // its options are set from the table's header lines of the same names
    const char *pattern; // the variants that are the paper's stages
    const char *ladder;  // those of --extended: all there are
    const char *size[2]; // the options that --size=NxM gives, "instances" and "attributes"
    /* What the measured numbers say about the paper's; NULL: nothing more. */
    void (*audit)(FILE *stream, const wl_reproduced *reproduced);
} wl_stage_table;

/* What is asked of a reproduction: the common options of the command line, and the paper's own. */
typedef struct {
    const char *device; // see wl_devices_select
    int device_given;   // 0: `device` is the default
    uint64_t seed;
    const char *out; // the folder of the files; NULL: out/
    int json, quiet;
    int progress;     // tell how far it is on standard error
    wl_arguments own; // of all papers' options; those of other papers are not given
    const char *text; // the command line, for result headers
} wl_paper_request;

/* A paper that can be reproduced. It registers itself: adding a paper is adding a folder. */
typedef struct wl_reproduction {
    const char *name; // "payne2010": also the chart's script and the result files' name
    const char *summary;
    wl_status (*run)(const wl_paper_request *asked, const struct wl_reproduction *which);
    const void *plan; // what `run` needs: a wl_stage_table of wl_reproduce_stages
    /* Ends with a zero entry; NULL: none. Papers may share an option, with the same help. */
    const wl_option *options;
    struct wl_reproduction *next; // in the order of names; the registry's
} wl_reproduction;

void wl_register_reproduction(wl_reproduction *reproduction);
#define WL_REGISTER_REPRODUCTION(descriptor) \
    __attribute__((constructor)) static void wl_register_this(void) { wl_register_reproduction(&(descriptor)); }
/* The first of all, by name. */
const wl_reproduction *wl_reproductions(void);
/* Every paper's options, each once, with the papers that take it in its help. They are made once. */
const wl_option *wl_reproduction_options(void);
/* WL_BAD_USAGE where an option is given that only other papers' reproductions take. */
wl_status wl_reproduction_refuse(const wl_reproduction *which, const wl_arguments *own);

/* "out/payne2010.tsv" of "", "out/payne2010_traffic.tsv" of "_traffic". The caller frees it; NULL when memory is short. */
char *wl_reproduction_file(const wl_paper_request *asked, const wl_reproduction *which, const char *what);
/* Can the result file be written? Better found out before the measurement than after it. */
wl_status wl_reproduction_try(const wl_paper_request *asked, const wl_reproduction *which);
/* The devices asked for: the CPU first, and at most `most` GPUs; without --device, all GPUs up to that many. *simulated (may be NULL)
   says whether stages are to be counted on the simulated device. It is no item of the list, since nothing can be timed there. */
wl_status wl_reproduction_devices(const wl_paper_request *asked, size_t most, wl_device_list *devices, int *simulated);
/* For one number of many: a second or so, not the fifteen of `run`. */
wl_measure_options wl_reproduction_point_options(size_t samples, double most_seconds);
/* "2 x NVIDIA H200; AMD EPYC 9R14, 32 threads", of such a list. */
void wl_reproduction_machine(const wl_device_list *devices, char *text, size_t size);

/* "the paper's machine: ...", "this machine: ..." and, where no GPU takes part, why, and what follows: "only CPU codes are timed". */
void wl_reproduction_print_machines(FILE *stream, const wl_paper *paper, const char *machine, int has_gpu,
                                    const char *so);

/* A result file, and the chart of it. */
typedef struct {
    const char *what;   // of its name, see wl_reproduction_file; NULL: not written this time
    const char *script; // plots/<script>.gp; NULL: no chart
    int in_terminal;    // the terminal shows the chart, too
    int has_roofline;   // "<file>_roofline", too, of the columns operations, bytes, rate_per_s and bandwidth
    const wl_paper *paper;
    void (*head)(FILE *stream, const void *run, int table); // header lines after the common ones
    wl_rows_of *rows;
    int table; // passed to both
} wl_reproduction_output;

/* Print what a reproduction found, for people or as JSON, then write its files and draw them: <file>.svg and .png. Without gnuplot a
   note says that the charts were left out. */
typedef struct {
    const void *run; // passed to the functions
    const char *machine;
    void (*print)(FILE *stream, const void *run);
    void (*print_json)(FILE *stream, const void *run); // more fields, each after a comma
    const wl_reproduction_output *files;               // [count]
    size_t count;
} wl_reproduction_shown;

wl_status wl_reproduction_show(const wl_paper_request *asked, const wl_reproduction *which,
                               const wl_reproduction_shown *shown);

/* Charts of a file that was written otherwise. */
wl_status wl_reproduction_draw(const wl_paper_request *asked, const char *script, const char *tsv, int in_terminal);

/* ---- a table of stages ---- */

/* Repeat the wl_stage_table `which->plan`, show it and write its files. */
wl_status wl_reproduce_stages(const wl_paper_request *asked, const wl_reproduction *which);

/* Fill the rows from the paper, the measurements and the counts. WL_NO_MACHINE when memory is short. */
wl_status wl_reproduced_fill(wl_reproduced *reproduced);

/* What is written from a wl_reproduced: the table for people; a result file's header and rows; and JSON's fields. */
void wl_reproduced_print(FILE *stream, const wl_reproduced *reproduced);
void wl_reproduced_head(FILE *stream, const void *reproduced, int table);
wl_rows_of wl_reproduced_rows;
void wl_reproduced_print_json(FILE *stream, const void *reproduced);
