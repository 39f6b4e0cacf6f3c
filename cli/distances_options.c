/* The options of `warpladder distances`. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "cli/distances.h"

const wl_option distances_tool_options[] = {
    {"output", "FILE", "-", "write the distances to FILE (also -o FILE), which is whole or absent"},
    {"layout", "L:auto tsv csv lower phylip list molten npy", "auto",
     "layout of the output: tsv or csv (square), lower (triangle), phylip, list (one line per pair), molten (both "
     "orders of a pair, and each with itself), npy (NumPy), or auto: by the name's end, .npy, .phy or .csv, else tsv"},
    {"blank-corner", NULL, NULL, "tsv: leave the corner cell empty"},
    {"csv", NULL, NULL, "write commas instead of tabs, in all layouts with tabs"},
    {"molten", NULL, NULL, "the same as --layout molten"},
    {"header", NULL, NULL, "list, molten, clusters: begin with a line of column names"},
    {"max-distance", "X", NULL, "list, molten: only pairs at most X apart"},
    {"compared", NULL, NULL, "list, molten: add a column with the number of sites compared"},
    {"clusters", "X", NULL,
     "write the number of each instance's cluster instead of distances: pairs at most X apart are in the same one "
     "(single linkage)"},
    {"digits", "N", "6", "significant digits in text, of distances that are not whole numbers"},
    {"measure", "M:differences alleles ibs euclidean2 manhattan p-distance jc69 k80 tn93 logdet", "differences",
     "differences (sites that differ), alleles (sum of differences of allele counts), ibs (share of alleles identical "
     "by state), euclidean2 (squared), manhattan, p-distance (differences / sites compared), or a model of "
     "nucleotides: jc69, k80, tn93 or logdet"},
    {"rescale", NULL, NULL,
     "multiply by sites / compared sites, so that pairs with many missing values are comparable"},
    {"input-format", "F:auto fasta phylip nexus vcf plink table", "auto",
     "format of the input: fasta, phylip or nexus (an alignment), vcf (or BCF), plink (.bed), table (numbers), or "
     "auto: by the file's first bytes"},
    {"present", "LETTERS", NULL,
     "compare these letters; all others are missing (default: ACGT; for amino acids all but X - . ? *)"},
    {"every-letter", NULL, NULL, "no letter is missing: a gap is compared like any other letter"},
    {"multiallelic", "M:split skip", "split",
     "a VCF record with several alternative alleles is one site for each of them, as bcftools norm -m- makes it "
     "(split), or left out (skip)"},
    {"keep-duplicates", NULL, NULL, "accept names that occur more than once, which are otherwise refused"},
    {"device", "D:auto cpu sim gpu", "auto",
     "cpu, sim (simulated), gpu, gpu:0,1 (two GPUs share the work), or auto: the GPU if there is one, else the CPU"},
    {"variant", "V", NULL,
     "compute with this stage of the ladder, such as distances/01* (default: the last that takes the input)"},
    WL_OPTION_THREADS,
    {"memory", "SIZE", NULL,
     "use at most SIZE of main memory and of each GPU, in bytes or with K, M or G. With -o FILE, a larger matrix is "
     "kept in FILE.tiles meanwhile (default: half of the free main memory, all free GPU memory)"},
    {"restart", NULL, NULL, "remove the FILE.tiles of an interrupted run and begin again, instead of continuing"},
    WL_OPTION_PART,
    {NULL, NULL, NULL, NULL},
};

static int given(const distances_job *job, const char *option) { return wl_argument_given(&job->line->own, option); }

/* --- What is compared -------------------------------------------------------------------------------------------- */

static wl_status read_measure(distances_job *job) {
    int value;
    WL_TRY(wl_argument_choice(&job->line->own, "measure", &value));
    job->request.measure = (distances_measure)value;
    job->request.rescale = given(job, "rescale");
    job->reading.integers_in_unary = value == DISTANCES_MANHATTAN;
    if ((value == DISTANCES_IBS || value >= DISTANCES_P) && job->request.rescale)
        return wl_fail(WL_BAD_USAGE,
                       "option --rescale: found with --measure %s, which is a proportion of compared sites as it is; "
                       "expected one of them",
                       wl_argument(&job->line->own, "measure"));
    return WL_OK;
}

static wl_status read_reading(distances_job *job) {
    int value;
    WL_TRY(wl_argument_choice(&job->line->own, "input-format", &value));
    distances_reading *reading = &job->reading;
    reading->format = (distances_format)value;
    reading->present = wl_argument(&job->line->own, "present");
    reading->every_letter = given(job, "every-letter");
    WL_TRY(wl_argument_choice(&job->line->own, "multiallelic", &reading->biallelic));
    reading->keep_duplicates = given(job, "keep-duplicates");
    if (reading->present && reading->every_letter)
        return wl_fail(WL_BAD_USAGE, "option --every-letter: found with --present; expected one of them");
    if (reading->present && *reading->present == 0)
        return wl_fail(WL_BAD_USAGE, "option --present: found no letter; expected letters, as in ACGT-");
    const char *of_letters = reading->present ? "present" : reading->every_letter ? "every-letter" : NULL;
    if (of_letters && value >= DISTANCES_VCF)
        return wl_fail(WL_BAD_USAGE, "option --%s: found with --input-format %s; expected an alignment", of_letters,
                       wl_argument(&job->line->own, "input-format"));
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

static wl_status choose_layout(distances_job *job) {
    int value;
    WL_TRY(wl_argument_choice(&job->line->own, "layout", &value));
    distances_layout *layout = &job->layout;
    const char *another = given(job, "molten") ? "molten" : given(job, "clusters") ? "clusters" : NULL;
    if (another && (value > 0 || (given(job, "molten") && given(job, "clusters"))))
        return wl_fail(WL_BAD_USAGE, "option --%s: found with --%s; expected one of them", another,
                       value > 0 ? "layout" : "clusters");
    layout->output = another               ? (given(job, "molten") ? DISTANCES_MOLTEN : DISTANCES_CLUSTERS)
                     : value == 0          ? output_of(job->output)
                     : value <= LAYOUT_CSV ? DISTANCES_TSV
                                           : (distances_output)(value - LAYOUT_CSV);
    layout->csv = given(job, "csv") || value == LAYOUT_CSV || (value == 0 && ends_with(job->output, ".csv"));
    return WL_OK;
}

/* Options that only some layouts have room for. */
static wl_status check_rooms(const distances_job *job) {
#define LAYOUT(name) (1 << DISTANCES_##name)
    static const struct {
        const char *option;
        int of;
        const char *names;
    } rooms[] = {{"blank-corner", LAYOUT(TSV), "--layout tsv or csv"},
                 {"csv", ~(LAYOUT(PHYLIP) | LAYOUT(NUMPY)), "--layout tsv, lower, list or molten, or --clusters"},
                 {"header", LAYOUT(LIST) | LAYOUT(MOLTEN) | LAYOUT(CLUSTERS), "--layout list or molten, or --clusters"},
                 {"max-distance", LAYOUT(LIST) | LAYOUT(MOLTEN), "--layout list or molten"},
                 {"compared", LAYOUT(LIST) | LAYOUT(MOLTEN), "--layout list or molten"}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (given(job, rooms[i].option) && !(rooms[i].of & 1 << job->layout.output))
            return wl_fail(WL_BAD_USAGE, "option --%s: found without %s; expected both", rooms[i].option,
                           rooms[i].names);
#undef LAYOUT
    return WL_OK;
}

static wl_status read_layout(distances_job *job) {
    const wl_arguments *own = &job->line->own;
    distances_layout *layout = &job->layout;
    int64_t digits;
    WL_TRY(choose_layout(job));
    WL_TRY(check_rooms(job));
    const char *limit = given(job, "clusters") ? "clusters" : given(job, "max-distance") ? "max-distance" : NULL;
    if (limit && job->request.measure == DISTANCES_IBS)
        return wl_fail(WL_BAD_USAGE,
                       "option --%s: found with --measure ibs, which is largest where pairs are most alike; expected a "
                       "distance",
                       limit);
    WL_TRY(wl_argument_integer(own, "digits", 1, 17, &digits));
    layout->most_distance = INFINITY;
    if (limit) WL_TRY(wl_argument_number(own, limit, 0, 1e300, &layout->most_distance));
    layout->digits = (int)digits;
    layout->blank_corner = given(job, "blank-corner");
    layout->header = given(job, "header");
    layout->corner = "warpladder " WL_VERSION;
    layout->with_compared = given(job, "compared");
    layout->clusters = &job->clusters;
    job->request.discard_compared = !layout->with_compared && layout->output != DISTANCES_CLUSTERS;
    return WL_OK;
}

/* --- Where it is done -------------------------------------------------------------------------------------------- */

wl_status distances_job_devices(distances_job *job) {
    return wl_devices_wait(&job->devices, &job->request.devices, &job->request.device_count);
}

/* That there is no such GPU is said before minutes of reading; PLINK's files are read in less than a context takes. */
static wl_status read_devices(distances_job *job) {
    const wl_arguments *own = &job->line->own;
    char text[64];
    job->request.pattern = wl_argument(own, "variant");
    WL_TRY(wl_argument_threads(own, &job->request.threads));
    job->layout.threads = job->reading.threads = job->request.threads;
    wl_devices_begin(wl_parts_device(job->line, text), &job->devices);
    const int is_soon = job->devices.has_thread && distances_names_plink(job->input);
    return is_soon && !wl_parts_wanted(job->line) ? WL_OK : distances_job_devices(job);
}

wl_status distances_job_options(distances_job *job) {
    job->input = job->line->words[0];
    job->output = wl_argument(&job->line->own, "output");
    wl_status status = read_measure(job);
    if (status == WL_OK) status = read_reading(job);
    if (status == WL_OK) status = read_layout(job);
    if (status == WL_OK) status = wl_argument_bytes(&job->line->own, "memory", &job->memory);
    if (status == WL_OK) status = read_devices(job);
    if (status == WL_OK && given(job, "restart") && strcmp(job->output, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "option --restart: found without a file for the output; expected -o FILE");
    job->reading.memory = job->request.device_memory = job->memory;
    return status;
}
