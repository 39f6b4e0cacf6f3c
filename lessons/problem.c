/* The problem `lessons`: random data of the paper's shape, alignments and tables as input, and how distances are
   compared. The serial reference is in reference.c. */
#include "lessons/problem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/problem.h"
#include "harness/base/random.h"
#include "harness/base/memory.h"
#include "io/fasta.h"
#include "io/table.h"

#define MOST_INSTANCES 1048576 // 4 TiB of distances; the tiles of 64 x 64 can still be numbered in 31 bits
#define MOST_ATTRIBUTES ((int64_t)1 << 30)
#define MOST_LETTERS 128 // lessons 03 to 05 keep them in a char

static const wl_option options[] = {
    {"instances", "N", "112", "instances of each random data set, 0 to 1048576"},
    {"attributes", "N", "512", "attributes of each instance, 0 to 1073741824"},
    {"alphabet", "N", "3", "how many values an attribute can take, 2 to 128; for a table: values 0 to N-1"},
    {"datasets", "N", NULL,
     "random data sets; default 25 for the paper's shape (neither --instances nor --attributes), else 1"},
    {"input", "FILE", NULL,
     "compare the rows of FILE: an alignment (FASTA or FASTQ; letters are equal in either case, and U to T) or a "
     "tab-separated table; may be gzip, '-' is standard input"},
    {NULL, NULL, NULL, NULL},
};

static wl_status input_count(const wl_arguments *arguments, size_t *count) {
    *count = 1;
    if (wl_argument_given(arguments, "input")) {
        static const char *const random_only[] = {"instances", "attributes", "datasets"};
        for (size_t i = 0; i < sizeof random_only / sizeof *random_only; i++)
            if (wl_argument_given(arguments, random_only[i]))
                return wl_fail(WL_BAD_USAGE,
                               "option --%s: found beside --input; expected one or the other: a file has its own shape",
                               random_only[i]);
        return WL_OK;
    }
    if (wl_argument_given(arguments, "datasets")) {
        int64_t datasets;
        wl_status status = wl_argument_integer(arguments, "datasets", 1, 1000000, &datasets);
        if (status == WL_OK) *count = (size_t)datasets;
        return status;
    }
    if (!wl_argument_given(arguments, "instances") && !wl_argument_given(arguments, "attributes")) *count = 25;
    return WL_OK;
}

/* --- Making inputs ----------------------------------------------------------------------------------------------- */

static void input_free(void *input) {
    lessons_input *in = input;
    if (in == NULL) return;
    for (int i = 0; in->names && i < in->instances; i++) free(in->names[i]);
    WL_FREE(in->names, (int *)in->data, in);
}

/* An input with memory for its data. The data, a variant's copy, and two results (the reference's and the variant's)
   must fit; `who` begins the error line otherwise. */
static wl_status allocate(const char *who, size_t instances, size_t attributes, lessons_input **input, int **data) {
    double values = (double)instances * (double)attributes, pairs = (double)instances * (double)instances;
    double needed = sizeof(int) * 2 * (values + pairs), available = (double)wl_memory_available();
    lessons_input *in = NULL;
    *data = NULL;
    if (needed < available) {
        in = calloc(1, sizeof *in);
        *data = malloc(values > 0 ? sizeof(int) * instances * attributes : 1);
    }
    if (in == NULL || *data == NULL) {
        WL_FREE(in, *data);
        return wl_fail(WL_NO_MACHINE, "%s: %zu x %zu need %.1f GB of memory; %.1f GB are free", who, instances,
                       attributes, needed / 1e9, available / 1e9);
    }
    in->instances = (int)instances;
    in->attributes = (int)attributes;
    in->data = *data;
    *input = in;
    return WL_OK;
}

static wl_status create_random(const wl_arguments *arguments, uint64_t seed, size_t index, lessons_input **input) {
    int64_t instances, attributes, alphabet;
    WL_TRY(wl_argument_integer(arguments, "instances", 0, MOST_INSTANCES, &instances));
    WL_TRY(wl_argument_integer(arguments, "attributes", 0, MOST_ATTRIBUTES, &attributes));
    WL_TRY(wl_argument_integer(arguments, "alphabet", 2, MOST_LETTERS, &alphabet));
    int *data; // [instances][attributes]
    WL_TRY(allocate("options --instances and --attributes", (size_t)instances, (size_t)attributes, input, &data));
    (*input)->alphabet = (int)alphabet;
    wl_random random = wl_random_stream(seed, index);
    for (size_t k = 0; k < (size_t)(instances * attributes); k++)
        data[k] = (int)wl_random_below(&random, (uint32_t)alphabet);
    return WL_OK;
}

/* --- Reading inputs ---------------------------------------------------------------------------------------------- */

/* IUPAC's nucleotides, gaps and unknowns. RNA's U is written as the T it stands for: the same base in another
   molecule. */
static const char nucleotides[] = "ACGTURYSWKMBDHVN-.?";

/* Nucleotides or amino acids? Most letters are both, so the share of plain bases decides: A, C, G, T and N make up
   about a quarter of real proteins, and three quarters of the most one-sided ones (silk). Amino acids have no
   unknown letter: with B, J, O, U, X and Z the whole alphabet is in use. */
static int are_nucleotides(const wl_sequences *sequences) {
    size_t bases = 0, letters = 0;
    for (size_t i = 0; i < sequences->count; i++)
        for (const char *c = sequences->items[i].letters; *c; c++) {
            letters += isalpha((unsigned char)*c) != 0;
            bases += strchr("ACGTUNacgtun", *c) != NULL;
        }
    return 5 * bases >= 4 * letters;
}

/* Give every letter that occurs a small code, in the order of the alphabet, so that a plain alignment of A, C, G, T
   takes two bits and not five. Upper and lower case are the same letter. */
static wl_status encode(const char *file, const wl_sequences *sequences, lessons_input *input, int *data) {
    int only_nucleotides = are_nucleotides(sequences), code[256], letters = 0;
    char seen[256] = {0};
    for (size_t i = 0; i < sequences->count; i++) {
        const wl_sequence *sequence = &sequences->items[i];
        for (size_t k = 0; k < sequence->length; k++) {
            int letter = toupper((unsigned char)sequence->letters[k]);
            if (only_nucleotides && !strchr(nucleotides, letter))
                return wl_fail(
                    WL_BAD_INPUT,
                    "%s:%zu: unknown letter '%c' at position %zu of sequence '%.40s'; expected nucleotides (%s)", file,
                    sequence->line, letter, k + 1, sequence->name, nucleotides);
            seen[only_nucleotides && letter == 'U' ? 'T' : letter] = 1;
        }
    }
    for (int letter = 0; letter < 256; letter++)
        if (seen[letter]) code[letter] = letters++;
    if (only_nucleotides && seen['T']) code['U'] = code['T'];
    for (size_t i = 0; i < sequences->count; i++)
        for (size_t k = 0; k < sequences->items[i].length; k++)
            *data++ = code[toupper((unsigned char)sequences->items[i].letters[k])];
    input->alphabet = letters < 2 ? 2 : letters;
    return WL_OK;
}

static wl_status too_many(const char *file, size_t instances) {
    return wl_fail(WL_BAD_INPUT, "%s: found %zu instances; expected at most %d", file, instances, MOST_INSTANCES);
}

/* `file` for error lines. */
static wl_status from_sequences(const char *file, wl_sequences *sequences, lessons_input **input) {
    int *data; // [instances][attributes]
    if (sequences->count > MOST_INSTANCES) return too_many(file, sequences->count);
    WL_TRY(wl_sequences_require_equal_lengths(file, sequences));
    WL_TRY(allocate(file, sequences->count, sequences->items[0].length, input, &data));
    wl_status status = encode(file, sequences, *input, data);
    char **names = calloc(sequences->count, sizeof *names);
    (*input)->names = names;
    for (size_t i = 0; names && i < sequences->count; i++)
        if ((names[i] = strdup(sequences->items[i].name)) == NULL) break;
    if (status == WL_OK && (names == NULL || names[sequences->count - 1] == NULL))
        status = wl_fail(WL_NO_MACHINE, "%s: not enough memory for the names", file);
    if (status == WL_OK) return WL_OK;
    input_free(*input);
    return status;
}

static wl_status from_table(const char *file, wl_table *table, int highest, lessons_input **input) {
    int *data; // [instances][attributes]
    if (table->rows > MOST_INSTANCES) return too_many(file, table->rows);
    if (table->columns > MOST_ATTRIBUTES)
        return wl_fail(WL_BAD_INPUT, "%s: found %zu attributes; expected at most %lld", file, table->columns,
                       (long long)MOST_ATTRIBUTES);
    WL_TRY(allocate(file, table->rows, table->columns, input, &data));
    for (size_t k = 0; k < table->rows * table->columns; k++) data[k] = table->values[k];
    (*input)->alphabet = highest + 1;
    (*input)->names = table->names;
    table->names = NULL; // handed over
    return WL_OK;
}

#define EXPECTED_FILE "an alignment (FASTA or FASTQ) or a tab-separated table"

/* What the file is, its first byte says: a name may end in anything, and standard input has none. */
static wl_status read_open(const wl_arguments *arguments, wl_bytes *bytes, lessons_input **input) {
    const char *file = wl_bytes_name(bytes);
    int first;
    wl_status status = wl_bytes_first(bytes, &first);
    if (status != WL_OK) return status;
    if (first < 0) return wl_fail(WL_BAD_INPUT, "%s: found nothing in the file; expected " EXPECTED_FILE, file);
    if (first == '>' || first == '@') {
        wl_sequences sequences;
        if (wl_argument_given(arguments, "alphabet"))
            return wl_fail(WL_BAD_USAGE,
                           "option --alphabet: found beside an alignment, %s; expected it with random data or a table",
                           file);
        WL_TRY(wl_sequences_read_bytes(bytes, &sequences));
        status = from_sequences(file, &sequences, input);
        wl_sequences_free(&sequences);
        return status;
    }
    int64_t alphabet;
    wl_table table;
    status = wl_argument_integer(arguments, "alphabet", 2, MOST_LETTERS, &alphabet);
    if (status == WL_OK) status = wl_table_read_bytes(bytes, (int)alphabet - 1, &table);
    if (status != WL_OK) return status;
    status = from_table(file, &table, (int)alphabet - 1, input);
    wl_table_free(&table);
    return status;
}

static wl_status read_input(const wl_arguments *arguments, lessons_input **input) {
    wl_bytes *bytes;
    WL_TRY(wl_bytes_open(wl_argument(arguments, "input"), EXPECTED_FILE, &bytes));
    wl_status status = read_open(arguments, bytes, input);
    wl_bytes_close(bytes);
    return status;
}

static wl_status input_create(const wl_arguments *arguments, uint64_t seed, size_t index, void **input) {
    size_t count;
    lessons_input *in = NULL;
    wl_status status = input_count(arguments, &count); // which also says what does not go together
    if (status != WL_OK) return status;
    status =
        wl_argument_given(arguments, "input") ? read_input(arguments, &in) : create_random(arguments, seed, index, &in);
    if (status == WL_OK) *input = in;
    return status;
}

char *lessons_char_rows(const lessons_input *input, size_t *pitch) {
    size_t attributes = (size_t)input->attributes, instances = (size_t)input->instances;
    *pitch = (attributes + 3) / 4 * 4;
    char *rows = calloc(instances * *pitch + 1, 1); // an empty input has a row pointer too
    if (rows == NULL) return NULL;
    for (size_t i = 0; i < instances; i++)
        for (size_t k = 0; k < attributes; k++) rows[i * *pitch + k] = (char)input->data[i * attributes + k];
    return rows;
}

/* --- Results ----------------------------------------------------------------------------------------------------- */

static void shape(const void *input, char *text, size_t size) {
    const lessons_input *in = input;
    snprintf(text, size, "%dx%d", in->instances, in->attributes);
}

static double work(const void *input) {
    const lessons_input *in = input;
    return (double)in->instances * in->instances * in->attributes;
}

static size_t output_size(const void *input) {
    const lessons_input *in = input;
    return sizeof(int) * (size_t)in->instances * (size_t)in->instances;
}

static size_t slices(const void *input) { return (size_t)((const lessons_input *)input)->instances; }

static void place(const void *input, size_t element, char *text, size_t size) {
    const size_t instances = slices(input);
    snprintf(text, size, "distance[i=%zu][j=%zu]", element % instances, element / instances);
}

static size_t compare(const void *input, const void *expected, const void *actual, char *first, size_t size) {
    const wl_whole_numbers numbers = {.count = slices(input) * slices(input), .place = place};
    return wl_compare_whole(&numbers, input, expected, actual, first, size);
}

/* --- Shapes ------------------------------------------------------------------------------------------------------ */

/* shapes.txt says why each is there. */
static const char *const check_shapes[] = {
#include "lessons/shapes.rows"
    NULL,
};

static const char *const mixed_shapes[] = {
    "--instances 9 --attributes 131 --alphabet 2",
    NULL,
};

static const char *const range_shapes[] = {
#include "lessons/range_shapes.rows"
    NULL,
};

static const char *const long_shapes[] = {
#include "lessons/long_shapes.rows"
    NULL,
};

/* --- The figure -------------------------------------------------------------------------------------------------- */

/* The paper's Figure 3: the naive kernel's data are a table of attributes by instances, the later ones' are transposed,
   and from the third on in characters with padded rows. */
static wl_status figure_layout(const void *input, const char *variant, size_t *rows, size_t *columns,
                               size_t *element_bytes, const char **row_name, const char **column_name) {
    const lessons_input *in = input;
    size_t instances = (size_t)in->instances, attributes = (size_t)in->attributes;
    int stage = atoi(variant);
    *rows = stage == 1 ? attributes : instances;
    *columns = stage == 1 ? instances : stage == 2 ? attributes : (attributes + 3) / 4 * 4;
    *element_bytes = stage <= 2 ? sizeof(int) : 1;
    *row_name = stage == 1 ? "attributes" : "instances";
    *column_name = stage == 1 ? "instances" : "attributes";
    if (stage < 1 || stage > 5) *rows = 0; // its layout is its own affair
    return WL_OK;
}

static const wl_problem lessons = {
    .name = "lessons",
    .title = "All-pairs distance",
    .unit = "comparisons",
    .options = options,
    .input_count = input_count,
    .input_create = input_create,
    .input_free = input_free,
    .shape = shape,
    .work = work,
    .output_size = output_size,
    .slices = slices,
    .reference = lessons_reference,
    .compare = compare,
    .check_shapes = check_shapes,
    .range_shapes = range_shapes,
    .mixed_shapes = mixed_shapes,
    .long_shapes = long_shapes,
    .figure_layout = figure_layout,
    .figure_arguments = "--instances 8 --attributes 16",
    .page_arguments = "--instances 4 --attributes 512",
    .serial_baseline = "serial_O3",
};

WL_REGISTER_PROBLEM(lessons)
