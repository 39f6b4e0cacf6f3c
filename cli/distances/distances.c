/* warpladder distances: the distances between all instances of a file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/parts.h"
#include "cli/message.h"
#include "harness/base/text.h"
#include "tools/distances/matrix/store.h"
#include "tools/distances/options.h"
#include "harness/base/clock.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/outroom.h"
#include "harness/base/timings.h"
#include "harness/base/cpu.h"
#include "harness/bench/device.h"

static const wl_option options[] = {
    {"output", "FILE", "-", "write the distances to FILE (also -o FILE), which is whole or absent"},
    {"layout", "L:auto tsv csv lower phylip list molten npy phylip-strict", "auto",
     "layout of the output: tsv or csv (square), lower (triangle), phylip, list (one line per pair), molten (both "
     "orders of a pair, and each with itself), npy (NumPy), phylip-strict (names of ten characters, as PHYLIP's own "
     "programs read them), or auto: by the name's end, .npy, .phy or .csv, else tsv"},
    {"blank-corner", NULL, NULL, "tsv: leave the corner cell empty"},
    {"csv", NULL, NULL, "write commas instead of tabs, in all layouts with tabs"},
    {"molten", NULL, NULL, "the same as --layout molten"},
    {"header", NULL, NULL, "list, molten, clusters: begin with a line of column names"},
    {"max-distance", "X", NULL, "list, molten: only pairs at most X apart"},
    {"only", "NAME", NULL, "compare one instance with all others, instead of all pairs"},
    {"min-compared", "N", "0",
     "a pair with fewer compared sites has no distance (nan) and is not near; without a site it is never near"},
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
    {"input-format", "F:auto fasta phylip phylip-strict nexus vcf plink table cgmlst", "auto",
     "format of the input: fasta, phylip (relaxed, or strict where that does not fit), phylip-strict (names of ten "
     "characters) or nexus (an alignment), vcf (or BCF), plink (.bed), table (numbers), cgmlst "
     "(a table of allele numbers), or auto: by the file's first bytes"},
    {"names", NULL, NULL, "table: the first column has names, even if they look like numbers"},
    {"nucleotide", NULL, NULL, "letters are nucleotides (default: what the file says, or what most letters are)"},
    {"protein", NULL, NULL, "letters are amino acids, or any other symbols"},
    {"present", "LETTERS", NULL,
     "compare these letters; all others are missing (default: ACGT; for amino acids all but X - . ? *)"},
    {"every-letter", NULL, NULL, "no letter is missing: a gap is compared like any other letter"},
    {"multiallelic", "M:split skip", "split",
     "a VCF record with several alternative alleles is one site for each of them, as bcftools norm -m- makes it "
     "(split), or left out (skip)"},
    {"ploidy", "N", "0",
     "VCF: compare genotypes of N alleles, 1 to 7; others are left out, but haploid ones include those of equal "
     "alleles "
     "(default, 0: what most genotypes have)"},
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

/* Everything that it needs, from the command line. */
typedef struct {
    const wl_args *args;
    const char *input, *output; // "-": the standard streams
    distances_reading reading;
    wl_device_startup devices;
    distances_request request;
    distances_layout layout;
    distances_cluster_count clusters;
    size_t memory; // --memory; 0: not given
    char *notes;   // of what was read, for the end: nobody wants them where there is no result
    wl_progress progress;
    double begun;

    wl_outfile file; // of the output; all zero: standard output
    char *store;     // beside the output; NULL: there can be none
} distances_job;

/* --- Options ----------------------------------------------------------------------------------------------------- */

static wl_status wait_for_devices(distances_job *job) {
    return wl_devices_wait(&job->devices, &job->request.devices, &job->request.device_count);
}

/* That there is no such GPU is said before minutes of reading; PLINK's files are read in less than a context takes. */
static wl_status read_devices(distances_job *job) {
    const wl_arguments *own = &job->args->own;
    char text[64];
    job->request.pattern = wl_argument(own, "variant");
    WL_TRY(wl_argument_threads(own, &job->request.threads));
    job->layout.threads = job->reading.threads = job->request.threads;
    wl_devices_begin(wl_parts_device(job->args, text), &job->devices);
    const int is_soon = job->devices.has_thread && distances_names_plink(job->input);
    return is_soon && !wl_parts_wanted(job->args) ? WL_OK : wait_for_devices(job);
}

static wl_status read_options(distances_job *job) {
    job->input = job->args->words[0];
    job->reading.second = job->args->count > 1 ? job->args->words[1] : NULL;
    job->output = wl_argument(&job->args->own, "output");
    job->layout.clusters = &job->clusters;
    wl_status status = distances_options(&job->args->own, job->output, &job->request, &job->reading, &job->layout);
    if (status == WL_OK) status = wl_argument_bytes(&job->args->own, "memory", &job->memory);
    if (status == WL_OK) status = read_devices(job);
    if (status == WL_OK && wl_argument_given(&job->args->own, "restart") && strcmp(job->output, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "option --restart: found without a file for the output; expected -o FILE");
    job->reading.memory = job->request.device_memory = job->memory;
    return status;
}

/* --- Files ------------------------------------------------------------------------------------------------------- */

/* What can be wrong with the output's name is found out before hours of work. */
static wl_status open_output(distances_job *job) {
    if (strcmp(job->output, "-") == 0) {
        if (job->layout.output != DISTANCES_NUMPY || !isatty(STDOUT_FILENO)) return WL_OK;
        return wl_fail(WL_BAD_USAGE, "option --layout: found npy, which no terminal shows; expected -o FILE");
    }
    wl_status status = distances_refuse_output(job->input, job->output);
    if (status == WL_OK && job->reading.second) status = distances_refuse_output(job->reading.second, job->output);
    if (status == WL_OK) status = wl_outfile_open(job->output, &job->file);
    if (status != WL_OK || job->file.temporary == NULL) return status; // a FIFO has no place beside it
    if (asprintf(&job->store, "%s.tiles", job->file.path) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    status = distances_refuse_output(job->input, job->store);
    if (status == WL_OK && wl_argument_given(&job->args->own, "restart") && distances_store_exists(job->store))
        status = distances_store_remove(job->store);
    job->request.store = job->store;
    return status;
}

/* --- The work ---------------------------------------------------------------------------------------------------- */

static wl_status read_data(distances_job *job, distances_data *data) {
    size_t length = 0;
    FILE *stream = job->args->quiet ? NULL : open_memstream(&job->notes, &length);
    wl_progress_show(&job->progress, "reading");
    const double begun = wl_timings_now(), counted = wl_timings_spent(WL_PHASE_READ) + wl_timings_spent(WL_PHASE_PACK);
    wl_status status = distances_read(job->input, &job->reading, stream, data);
    /* A reader that tells its parts apart has counted them. */
    const double parts = wl_timings_spent(WL_PHASE_READ) + wl_timings_spent(WL_PHASE_PACK) - counted;
    wl_timings_since(WL_PHASE_READ, begun + parts, 0);
    wl_progress_show(&job->progress, "%s", "");
    if (stream && status == WL_OK) distances_names_note(data->names, data->count, &job->layout, stream);
    if (stream) fclose(stream);
    return status;
}

/* Whatever would be found out after hours. */
static wl_status check_data(const distances_job *job, const distances_data *data) {
    WL_TRY(distances_options_fit(&job->args->own, wl_path_shown(job->input), &job->request, data));
    return distances_names_check(data->names, data->count, &job->layout);
}

static wl_status write_matrix(distances_job *job, distances_matrix *matrix, const distances_data *data) {
    FILE *stream = job->file.stream ? job->file.stream : stdout;
    wl_progress_show(&job->progress, "writing");
    wl_status status = distances_write(matrix, data->names, &job->layout, stream);
    wl_progress_show(&job->progress, "%s", "");
    if (job->file.stream == NULL) return wl_write_error(stdout) ? WL_OK : status; // which wl_finish sees
    const double begun = wl_timings_now();
    if (status == WL_OK) status = wl_outfile_commit(&job->file);
    wl_timings_since(WL_PHASE_WRITE, begun, 0);
    if (status == WL_OK || job->file.path == NULL) return status;
    return wl_fail(status, "%s: %s", job->output, wl_error());
}

static void tell_notes(const distances_job *job) {
    const distances_cluster_count *found = &job->clusters;
    if (job->notes) wl_note(job->args, "%s", job->notes);
    if (job->layout.output == DISTANCES_CLUSTERS)
        wl_note(job->args, "%zu cluster%s, of which %zu %s one member; the largest has %zu", found->clusters,
                wl_plural(found->clusters), found->singles, found->singles == 1 ? "has" : "have", found->largest);
}

static void summarise(const distances_job *job, const distances_data *data, const distances_summary *summary) {
    if (job->args->quiet) return;
    const double split = (double)data->split, count = (double)data->count;
    const double pairs = data->split ? split * (count - split) : 0.5 * count * (count - 1);
    fprintf(stderr, "warpladder distances: %zu instance%s, %llu site%s, %.0f pair%s; ", data->count,
            wl_plural(data->count), (unsigned long long)data->sites, wl_plural(data->sites), pairs,
            pairs == 1 ? "" : "s");
    if (summary->resumed > 0)
        fprintf(stderr, "resumed: %zu of %zu tiles were finished; ", summary->resumed, summary->tiles);
    if (job->request.devices[0].backend == WL_SIM) // whose time says nothing
        fprintf(stderr, "computed on %s\n", summary->devices);
    else if (job->request.share || summary->comparisons <= 0) // one instance, or all was there
        fprintf(stderr, job->request.share ? "merged; %.2f s in all\n" : "nothing to compute; %.2f s in all\n",
                wl_now() - job->begun);
    else
        fprintf(stderr, "computed in %.2f s (%.2f s in kernels), %.3g comparisons/s on %s; %.2f s in all\n",
                summary->seconds, summary->kernel_seconds, summary->comparisons / summary->seconds, summary->devices,
                wl_now() - job->begun);
}

static wl_status compute(distances_job *job) {
    distances_matrix *matrix;
    distances_summary summary = {0};
    const distances_data *data = job->request.data;
    if (job->store && distances_store_exists(job->store))
        wl_note(job->args, "%s: found; continuing with its finished tiles", job->store);
    wl_progress_show(&job->progress, "computing");
    /* A regular file keeps nothing after a failure, so it gets its first rows while the last ones are computed. A pipe waits for all, but
       for those that are not kept. */
    const int together = job->request.once || wl_outroom_place(job->file.stream ? job->file.stream : stdout) >= 0;
    wl_status status = together ? distances_compute_begin(&job->request, &matrix)
                                : distances_compute(&job->request, &matrix, &summary);
    wl_progress_show(&job->progress, "%s", "");
    if (status != WL_OK) return status;
    job->layout.to_disk = job->file.temporary != NULL;
    status = write_matrix(job, matrix, data);
    if (together) {
        const wl_status computed =
            status == WL_OK ? distances_compute_end(matrix, &summary) : distances_compute_so_far(matrix);
        if (computed != WL_OK) status = computed; // and its line
    }
    const int on_disk = distances_matrix_on_disk(matrix);
    /* Where the output could not be written, the same command writes it when there is room. */
    distances_matrix_close(matrix, status == WL_OK);
    if (status == WL_OK && !ferror(stdout)) {
        tell_notes(job);
        summarise(job, data, &summary);
    }
    if (status != WL_OK && on_disk)
        return wl_fail(status, "%s; %s keeps what was computed: repeat the command to continue", wl_error(),
                       job->store);
    return status;
}

/* --- In parts ---------------------------------------------------------------------------------------------------- */

static wl_status hash_inputs(void *context, uint64_t *hash) {
    const distances_job *job = context;
    *hash = distances_data_hash(job->request.data, job->request.threads > 0 ? job->request.threads : wl_cpu_threads());
    return WL_OK;
}

static void summarise_part(const distances_job *job, const wl_part_range *range, const distances_summary *summary) {
    if (!wl_parts_tells(job->args)) return;
    fprintf(stderr, "warpladder distances: part %zu of %zu: %zu of %zu tiles", range->first + 1, range->parts,
            summary->tiles - summary->resumed, summary->tiles);
    if (job->request.devices[0].backend == WL_SIM || summary->comparisons <= 0) // whose time says nothing
        fprintf(stderr, " on %s\n", summary->devices);
    else
        fprintf(stderr, " in %.2f s, %.3g comparisons/s on %s\n", summary->seconds,
                summary->comparisons / summary->seconds, summary->devices);
}

static wl_status compute_parts(void *context, const wl_part_range *range) {
    distances_job *job = context;
    const distances_share share = {.parts = range->parts, .range = range};
    distances_request request = job->request;
    distances_summary summary;
    distances_matrix *matrix;
    request.share = &share;
    request.store = NULL;
    WL_TRY(distances_compute(&request, &matrix, &summary));
    distances_matrix_close(matrix, 0);
    wl_progress_show(&job->progress, "%s", "");
    summarise_part(job, range, &summary);
    return WL_OK;
}

static wl_status merge_parts(void *context, const wl_part_set *set) {
    distances_job *job = context;
    const distances_share share = {.parts = set->count, .set = set};
    job->request.share = &share;
    const wl_status status = compute(job);
    job->request.share = NULL;
    return status;
}

static const wl_parts_tool parts = {.own = " output device variant threads memory restart ",
                                    .outputs = " ",
                                    .inputs = " ",
                                    .hash = hash_inputs,
                                    .compute = compute_parts,
                                    .merge = merge_parts};

/* --- The whole --------------------------------------------------------------------------------------------------- */

static wl_status distances(const wl_args *args) {
    distances_data data;
    distances_job job = {.args = args, .begun = wl_now(), .request.data = &data};
    wl_status status = wl_parts_check(args, &parts);
    if (status == WL_OK) status = read_options(&job);
    if (status == WL_OK && wl_parts_writes(args)) status = open_output(&job);
    job.progress = wl_progress_begin(args, job.file.stream == NULL, "computing");
    job.request.progress = job.progress.shows ? wl_progress_share : NULL;
    job.request.user = &job.progress;
    if (status == WL_OK) status = read_data(&job, &data);
    if (status == WL_OK) {
        status = wait_for_devices(&job);
        job.request.split = data.split;
        if (status == WL_OK) status = distances_options_memory(job.memory, &data, &job.request);
        if (status == WL_OK) status = check_data(&job, &data);
        if (status == WL_OK) status = wl_parts_wanted(args) ? wl_parts_run(args, &parts, &job) : compute(&job);
        distances_data_free(&data);
    }
    wl_devices_drop(&job.devices);
    wl_outfile_discard(&job.file);
    WL_FREE(job.store, job.notes);
    return status;
}

static const wl_command command_distances = {
    .name = "distances",
    .brief = "distances between all sequences, genotypes or rows of numbers of a file",
    .arguments = "INPUT [INPUT2]",
    .summary =
        "Compare all pairs of an alignment's sequences, of genotypes or of rows of numbers, or those of INPUT with "
        "those of INPUT2, two alignments or tables. INPUT is FASTA, "
        "PHYLIP, NEXUS, VCF, BCF, PLINK's .bed, or a table. All but PLINK's may be gzip, and '-' is standard "
        "input. Missing values are left out pair by pair. All devices give the same result. After an "
        "interruption, repeat the command to continue.",
    .example = "warpladder distances alignment.fasta.gz > distances.tsv\n"
               "  warpladder distances genomes.fasta --layout list --max-distance 12 -o close.tsv\n"
               "  warpladder distances genomes.fasta --clusters 12 -o clusters.tsv\n"
               "  warpladder distances new.fasta genomes.fasta --layout list --max-distance 12\n"
               "  warpladder distances cohort.bed --measure alleles --device gpu:0,1 -o cohort.npy",
    .options = options,
    .parts = &parts,
    .common = WL_TAKES_QUIET | WL_TAKES_FILES | WL_TAKES_TIMINGS,
    .least = 1,
    .most = 2,
    .run = distances,
};

WL_REGISTER_COMMAND(command_distances)
