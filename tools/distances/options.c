/* The options of `warpladder distances` that say what is read, compared and written. */
#include "tools/distances/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/memory.h"
#include "harness/base/outfile.h"

/* --- What is compared -------------------------------------------------------------------------------------------- */

static wl_status read_measure(const wl_arguments *own, distances_request *request, distances_reading *reading) {
    int value;
    WL_TRY(wl_argument_choice(own, "measure", &value));
    request->measure = (distances_measure)value;
    request->rescale = wl_argument_given(own, "rescale");
    reading->integers_in_unary = value == DISTANCES_MANHATTAN;
    reading->equality = value == DISTANCES_COUNT || value == DISTANCES_P;
    if ((value == DISTANCES_IBS || value >= DISTANCES_P) && request->rescale)
        return wl_fail(WL_BAD_USAGE,
                       "option --rescale: found with --measure %s, which is a proportion of compared sites as it is; "
                       "expected one of them",
                       wl_argument(own, "measure"));
    return WL_OK;
}

static const char *letters_only(const wl_arguments *own) {
    static const char *const names[] = {"present", "every-letter", "nucleotide", "protein"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wl_argument_given(own, names[i])) return names[i];
    return NULL;
}

static wl_status read_reading(const wl_arguments *own, distances_reading *reading) {
    int value;
    WL_TRY(wl_argument_choice(own, "input-format", &value));
    reading->format = (distances_format)value;
    reading->present = wl_argument(own, "present");
    reading->every_letter = wl_argument_given(own, "every-letter");
    const int nucleotide = wl_argument_given(own, "nucleotide"), protein = wl_argument_given(own, "protein");
    reading->letters = nucleotide ? WL_LETTERS_NUCLEOTIDES : protein ? WL_LETTERS_AMINO_ACIDS : WL_LETTERS_UNSAID;
    if (nucleotide && protein)
        return wl_fail(WL_BAD_USAGE, "option --nucleotide: found with --protein; expected one of them");
    WL_TRY(wl_argument_choice(own, "multiallelic", &reading->biallelic));
    reading->names = wl_argument_given(own, "names");
    int64_t ploidy;
    WL_TRY(wl_argument_integer(own, "ploidy", 0, DISTANCES_PLOIDY_MOST, &ploidy));
    reading->ploidy = (int)ploidy;
    reading->keep_duplicates = wl_argument_given(own, "keep-duplicates");
    if (reading->present && reading->every_letter)
        return wl_fail(WL_BAD_USAGE, "option --every-letter: found with --present; expected one of them");
    if (reading->present && *reading->present == 0)
        return wl_fail(WL_BAD_USAGE, "option --present: found no letter; expected letters, as in ACGT-");
    const char *of_letters = letters_only(own);
    if (of_letters && value >= DISTANCES_VCF)
        return wl_fail(WL_BAD_USAGE, "option --%s: found with --input-format %s; expected an alignment", of_letters,
                       wl_argument(own, "input-format"));
    return WL_OK;
}

/* --- How it is written ------------------------------------------------------------------------------------------- */

static int ends_with(const char *path, const char *end) {
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcasecmp(path + length - tail, end) == 0;
}

/* The values of --layout: auto, tsv, csv, and then distances_output's after DISTANCES_TSV. */
enum { LAYOUT_CSV = 2 };

static distances_output output_of(const char *path) {
    if (ends_with(path, ".npy")) return DISTANCES_NUMPY;
    return ends_with(path, ".phy") || ends_with(path, ".phylip") ? DISTANCES_PHYLIP : DISTANCES_TSV;
}

static wl_status choose_layout(const wl_arguments *own, const char *output, distances_layout *layout) {
    int value;
    WL_TRY(wl_argument_choice(own, "layout", &value));
    const char *another = wl_argument_given(own, "molten")     ? "molten"
                          : wl_argument_given(own, "clusters") ? "clusters"
                                                               : NULL;
    if (another && (value > 0 || (wl_argument_given(own, "molten") && wl_argument_given(own, "clusters"))))
        return wl_fail(WL_BAD_USAGE, "option --%s: found with --%s; expected one of them", another,
                       value > 0 ? "layout" : "clusters");
    layout->output = another               ? (wl_argument_given(own, "molten") ? DISTANCES_MOLTEN : DISTANCES_CLUSTERS)
                     : value == 0          ? output_of(output)
                     : value <= LAYOUT_CSV ? DISTANCES_TSV
                                           : (distances_output)(value - LAYOUT_CSV);
    layout->csv = wl_argument_given(own, "csv") || value == LAYOUT_CSV || (value == 0 && ends_with(output, ".csv"));
    return WL_OK;
}

/* Options that only some layouts have room for. */
static wl_status check_rooms(const wl_arguments *own, distances_output output) {
#define LAYOUT(name) (1 << DISTANCES_##name)
    static const struct {
        const char *option;
        int of;
        const char *names;
    } rooms[] = {{"blank-corner", LAYOUT(TSV), "--layout tsv or csv"},
                 {"csv", ~(LAYOUT(PHYLIP) | LAYOUT(PHYLIP_STRICT) | LAYOUT(NUMPY)),
                  "--layout tsv, lower, list or molten, or --clusters"},
                 {"header", LAYOUT(LIST) | LAYOUT(MOLTEN) | LAYOUT(CLUSTERS), "--layout list or molten, or --clusters"},
                 {"max-distance", LAYOUT(LIST) | LAYOUT(MOLTEN), "--layout list or molten"},
                 {"compared", LAYOUT(LIST) | LAYOUT(MOLTEN), "--layout list or molten"}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (wl_argument_given(own, rooms[i].option) && !(rooms[i].of & 1 << output))
            return wl_fail(WL_BAD_USAGE, "option --%s: found without %s; expected both", rooms[i].option,
                           rooms[i].names);
#undef LAYOUT
    return WL_OK;
}

/* No pair is near that has nothing in common. */
static wl_status read_min_compared(const wl_arguments *own, int limited, distances_request *request) {
    int64_t least;
    WL_TRY(wl_argument_integer(own, "min-compared", 0, DISTANCES_SITES_MOST, &least));
    request->min_compared = least == 0 && limited ? 1 : (uint64_t)least;
    return WL_OK;
}

static wl_status read_layout(const wl_arguments *own, const char *output, distances_request *request,
                             distances_layout *layout) {
    int64_t digits;
    WL_TRY(choose_layout(own, output, layout));
    WL_TRY(check_rooms(own, layout->output));
    const char *limit = wl_argument_given(own, "clusters")       ? "clusters"
                        : wl_argument_given(own, "max-distance") ? "max-distance"
                                                                 : NULL;
    if (limit && request->measure == DISTANCES_IBS)
        return wl_fail(WL_BAD_USAGE,
                       "option --%s: found with --measure ibs, which is largest where pairs are most alike; expected a "
                       "distance",
                       limit);
    WL_TRY(wl_argument_integer(own, "digits", 1, 17, &digits));
    layout->most_distance = INFINITY;
    if (limit) WL_TRY(wl_argument_number(own, limit, 0, 1e300, &layout->most_distance));
    layout->digits = (int)digits;
    layout->blank_corner = wl_argument_given(own, "blank-corner");
    layout->header = wl_argument_given(own, "header");
    layout->corner = "warpladder " WL_VERSION;
    layout->with_compared = wl_argument_given(own, "compared");
    request->discard_compared = !layout->with_compared;
    request->once = layout->output == DISTANCES_LIST || layout->output == DISTANCES_CLUSTERS;
    return read_min_compared(own, limit != NULL, request);
}

/* Rows and columns that are not the same instances. */
static wl_status read_sides(const wl_arguments *own, const distances_layout *layout, distances_request *request,
                            distances_reading *reading) {
    reading->only = wl_argument(own, "only");
    if (reading->only == NULL && reading->second == NULL) return WL_OK;
    const char *what = reading->second ? "two inputs" : "--only";
    if (reading->only && reading->second)
        return wl_fail(WL_BAD_USAGE, "option --only: found with two inputs; expected one of them");
    if (wl_argument_given(own, "part"))
        return wl_fail(WL_BAD_USAGE, "option --part: found with %s; expected all pairs of one input", what);
    if (layout->output == DISTANCES_CLUSTERS)
        return wl_fail(WL_BAD_USAGE, "option --clusters: found with %s; expected all pairs of one input", what);
    if (layout->output == DISTANCES_LOWER || layout->output == DISTANCES_PHYLIP ||
        layout->output == DISTANCES_PHYLIP_STRICT)
        return wl_fail(WL_BAD_USAGE,
                       "option --layout: found lower or phylip with %s; expected tsv, csv, list, molten or npy", what);
    request->once = 1;
    return WL_OK;
}

wl_status distances_options(const wl_arguments *own, const char *output, distances_request *request,
                            distances_reading *reading, distances_layout *layout) {
    WL_TRY(read_measure(own, request, reading));
    WL_TRY(read_reading(own, reading));
    WL_TRY(read_layout(own, output, request, layout));
    return read_sides(own, layout, request, reading);
}

wl_status distances_refuse_output(const char *input, const char *path) {
    static const char *const ends[] = {".bed", ".bim", ".fam"};
    wl_status status = wl_refuse_same_file(input, path);
    size_t stem = strlen(input);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (stem > 4 && strcmp(input + stem - 4, ends[i]) == 0) {
            stem -= 4;
            break;
        }
    for (size_t i = 0; i < sizeof ends / sizeof *ends && status == WL_OK; i++) {
        char *other;
        if (asprintf(&other, "%.*s%s", (int)stem, input, ends[i]) < 0)
            return wl_fail(WL_NO_MACHINE, "no memory for a path");
        status = wl_refuse_same_file(other, path);
        free(other);
    }
    return status;
}

/* --- Which data they fit ----------------------------------------------------------------------------------------- */

wl_status distances_options_fit(const wl_arguments *own, const char *name, const distances_request *request,
                                const distances_data *data) {
    static const char *const kinds[] = {"an alignment", "genotypes",         "integers",
                                        "real numbers", "haploid genotypes", "allele numbers"};
    enum {
        LETTERS = 1 << DISTANCES_LETTERS,
        RECORDS = 1 << DISTANCES_GENOTYPES | 1 << DISTANCES_HAPLOID,
        TABLES = 1 << DISTANCES_INTEGERS | 1 << DISTANCES_REALS | 1 << DISTANCES_CATEGORIES
    };
    static const struct {
        const char *option;
        int of;
        const char *expected;
    } rooms[] = {{"present", LETTERS, "an alignment"},
                 {"every-letter", LETTERS, "an alignment"},
                 {"nucleotide", LETTERS, "an alignment"},
                 {"protein", LETTERS, "an alignment"},
                 {"multiallelic", RECORDS, "VCF or BCF"},
                 {"ploidy", RECORDS, "VCF or BCF"},
                 {"names", TABLES, "a table"}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (wl_argument_given(own, rooms[i].option) && !(rooms[i].of & 1 << data->kind))
            return wl_fail(WL_BAD_INPUT, "option --%s: %s has %s; expected %s", rooms[i].option, name,
                           kinds[data->kind], rooms[i].expected);
    return distances_fit(name, data, request->measure);
}

wl_status distances_options_memory(size_t memory, const distances_data *data, distances_request *request) {
    if (memory == 0) return WL_OK;
    const size_t taken = distances_data_bytes(data);
    char found[WL_MEMORY_TEXT], needed[WL_MEMORY_TEXT];
    if (taken >= memory)
        return wl_fail(WL_NO_MACHINE, "option --memory: found %s; expected more than the %s that the data take",
                       wl_memory_show((double)memory, found), wl_memory_show((double)taken, needed));
    request->memory = memory - taken;
    return WL_OK;
}
