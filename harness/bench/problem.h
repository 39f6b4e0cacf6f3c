/* What a problem is: how its inputs are made or read, its serial reference, and how results are compared.
   The harness knows problems only through this descriptor. */
#pragma once

#include <stdio.h>

#include "harness/bench/variant.h"

/* A command-line option of a problem: --name=ARG. */
typedef struct {
    const char *name;
    const char *argument;      // "N", "FILE", or with the values it may have, which shells complete: "L:auto tsv lower"
    const char *default_value; // NULL: none
    const char *help;
} wl_option;

/* The values given, in the order of the problem's options; NULL where nothing was given. */
typedef struct {
    const wl_option *options; // [count]
    const char **values;      // [count]
    size_t count;
} wl_arguments;

/* The value given for `name`, or its default, or NULL. Asking for a name the problem does not have aborts. */
const char *wl_argument(const wl_arguments *arguments, const char *name);
int wl_argument_given(const wl_arguments *arguments, const char *name);
/* The same as a whole number in [low, high]; anything else is WL_BAD_USAGE with a line that names the option. */
wl_status wl_argument_integer(const wl_arguments *arguments, const char *name, int64_t low, int64_t high,
                              int64_t *value);
/* The same as a number with a fraction; "inf" is one where high is infinite. */
wl_status wl_argument_number(const wl_arguments *arguments, const char *name, double low, double high, double *value);
/* Bytes from an option's text, "800", "64K", "1.5G"; anything else is WL_BAD_USAGE. Not given: *bytes stays as it is. */
wl_status wl_argument_bytes(const wl_arguments *arguments, const char *name, size_t *bytes);
/* The text of --seed; anything but a whole number is WL_BAD_USAGE. */
wl_status wl_argument_seed(const char *text, uint64_t *seed);
/* The place of the value among those that the option's row lists, "F:auto tsv"; any other value is WL_BAD_USAGE. */
wl_status wl_argument_choice(const wl_arguments *arguments, const char *name, int *place);
/* The same among `words`, with blanks between them. */
wl_status wl_argument_choice_of(const wl_arguments *arguments, const char *name, const char *words, int *place);

/* WL_BAD_USAGE where `option` is given without `other`, or with it. */
wl_status wl_argument_refuse_without(const wl_arguments *arguments, const char *option, const char *other);
wl_status wl_argument_refuse_both(const wl_arguments *arguments, const char *option, const char *other);

/* "144,375": whole numbers from 1 to `high`, at most `most` of them, into values [most]. `example` is for the error's line. */
wl_status wl_argument_list(const wl_arguments *arguments, const char *name, uint32_t high, size_t most,
                           const char *example, uint32_t *values, size_t *count);

/* Values from text, "--instances 1 --attributes=3", an option without an argument as its name alone. WL_BAD_USAGE
   when the text has what `options` do not. On success free(parsed->values) frees all of it. */
wl_status wl_arguments_parse(const wl_option *options, const char *text, wl_arguments *parsed);
/* What was given, with the values of `small` (NULL: none) wherever nothing was: a shape small enough to draw, or to count. A file brings
   its own shape. On success the caller frees parsed->values, which point into `given`, too. */
wl_status wl_arguments_small(const wl_arguments *given, const char *small, wl_arguments *parsed);

struct wl_own_run;

typedef struct wl_problem {
    const char *name;         // "lessons"
    const char *title;        // "All-pairs distance"
    const char *unit;         // what work counts: "comparisons"
    const wl_option *options; // ends with a zero entry

    /* Optional (NULL: one): how many inputs these arguments stand for (the paper's 25 data sets), or fail. See wl_input_count. */
    wl_status (*input_count)(const wl_arguments *arguments, size_t *count);
    /* Make or read input `index` of input_count; random data depends on `seed` and `index` only. */
    wl_status (*input_create)(const wl_arguments *arguments, uint64_t seed, size_t index, void **input);
    void (*input_free)(void *input);
    /* Optional (NULL): whether the inputs of these arguments differ in size. Then each gets result rows of its own; else one
       row is about all of them together. */
    int (*unequal_inputs)(const wl_arguments *arguments);

    /* "112x512": into `text` of `size` bytes. */
    void (*shape)(const void *input, char *text, size_t size);
    /* How much work one run is, in `unit`. */
    double (*work)(const void *input);
    /* Optional (NULL: all): how much of `work` has to be done where a paper counts more than that. */
    double (*work_done)(const void *input);

    /* Result memory: bytes of the output of `input`. */
    size_t (*output_size)(const void *input);

    /* The serial reference computes its result in independent slices of equal work (for lessons: one instance
       against all); slice s writes its own part of `output` only. The harness runs slices in parallel to check,
       and times a prefix of them on one thread as the serial baseline. */
    size_t (*slices)(const void *input);
    void (*reference)(const void *input, size_t first_slice, size_t slice_count, void *output);

    /* Compare `actual` with `expected` (both output_size bytes) so that NaN, poison and stale values fail. Returns the
       number of wrong elements and describes the first one: coordinates, expected, actual. */
    size_t (*compare)(const void *input, const void *expected, const void *actual, char *first, size_t size);

    /* Optional (NULL, 0): inputs of more than fast_oracle_work are too large for the serial reference to compute whole.
       Of these the result that others are checked against is that of the CPU variant fast_oracle ("cpu_simd"), which
       itself must agree with the reference on a sample of slices (harness/bench/expected.h). */
    const char *fast_oracle;
    double fast_oracle_work;

    /* The awkward shapes `check` tries: argument strings "--instances 1 --attributes 3" ..., NULL-terminated. */
    const char *const *check_shapes;

    /* Optional (NULL): shapes, likewise, where counts and indices overflow that are too narrow. They are for the simulated device, and
       for the variants whose blocks take few steps there. See wl_try_long. */
    const char *const *long_shapes;

    /* Optional (NULL), for `explain --figure`: the table that `variant` keeps in the first memory it loads from, element
       (row, column) at byte element_bytes * (columns * row + column). *rows = 0: not a table. The names say what a
       row and a column are ("attributes"). Without it the figure shows memory by address only. */
    wl_status (*figure_layout)(const void *input, const char *variant, size_t *rows, size_t *columns,
                               size_t *element_bytes, const char **row_name, const char **column_name);
    /* Optional (NULL): what the simulated device is given, and `check` on a CPU, where no option of the problem is: the
       default shape is a GPU's, and would take it minutes. "--subjects 20". */
    const char *small_arguments;
    /* Optional (NULL): a shape small enough to draw, "--instances 8 --attributes 16". */
    const char *figure_arguments;
    /* Optional (NULL: figure_arguments): a shape for `explain --interactive`, whose warps are full. */
    const char *page_arguments;
    /* Optional (NULL): the same for stages that do not take that shape. */
    const char *other_arguments;

    /* Optional (NULL): the option ("chain") that asks `run` for other work than one run of each variant: a tool does that work, and
       registers it by wl_register_own_run. */
    const char *own_run_option;

    /* The serial CPU variant that speedup_serial compares with: "serial_O3". NULL: none, and no speedup_serial. */
    const char *serial_baseline;

    /* Optional (NULL): whether the result of this input is the input, byte for byte, as the transpose of a single row. Then it may lie in
       device memory before the first launch. */
    int (*result_is_input)(const void *input);

    /* Optional (NULL): shapes from which numbers of 32 bits are estimated (harness/bench/ranges.h): a small one, it with one option doubled
       each, after the word "larger" one at which what goes on growing is larger than shared memory, and after the word "largest" the largest
       one that the problem permits. Then, for other variants, the same again. */
    const char *const *range_shapes;

    /* Optional (NULL): shapes whose results have many words, each of which depends on much of the
       input. For each variant, wl_try_mixed gets the first that it takes. */
    const char *const *mixed_shapes;
} wl_problem;

/* wl_problem.compare of a result of whole numbers. */
typedef struct {
    size_t count;    // elements of 32 bits in the result
    int is_unsigned; // they are uint32_t, else int32_t
    /* Where an element is: "score[query=2][subject=7]". */
    void (*place)(const void *input, size_t element, char *text, size_t size);
    /* Optional (NULL): what the wrong value tells about the mistake, " (wrapped at 16 bits)"; "" is nothing. Poison is known without it. */
    const char *(*diagnosis)(const void *input, int64_t expected, int64_t found);
} wl_whole_numbers;

size_t wl_compare_whole(const wl_whole_numbers *numbers, const void *input, const void *expected, const void *actual,
                        char *first, size_t size);

/* How many inputs the arguments stand for. */
wl_status wl_input_count(const wl_problem *problem, const wl_arguments *arguments, size_t *count);

void wl_register_problem(const wl_problem *problem);
#define WL_REGISTER_PROBLEM(descriptor) \
    __attribute__((constructor)) static void wl_register_this_problem(void) { wl_register_problem(&(descriptor)); }

/* The work that own_run_option asks for (see wl_own_run in harness/bench/measure.h). WL_OK also if single variants fail or are
   unsupported: their rows say so. A ladder does not know the tool that does this work. */
typedef wl_status wl_own_run_function(struct wl_own_run *run);
void wl_register_own_run(const char *problem, wl_own_run_function *run);
#define WL_REGISTER_OWN_RUN(problem, function) \
    __attribute__((constructor)) static void wl_register_this_run(void) { wl_register_own_run((problem), (function)); }
/* NULL: no tool that is loaded does it. */
wl_own_run_function *wl_own_run_of(const wl_problem *problem);
/* Do these arguments ask for it? */
int wl_own_run_asked(const wl_problem *problem, const wl_arguments *arguments);

/* All problems, sorted by name; and one by name, NULL when there is none. */
const wl_problem *const *wl_problems(size_t *count);
const wl_problem *wl_problem_named(const char *name);
/* The names of all, "lessons, sw", into `names`, which is returned. */
const char *wl_problem_names(char *names, size_t size);
