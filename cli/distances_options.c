/* The options of `warpladder distances`. */
#include <string.h>

#include "cli/distances.h"
#include "distances/options.h"

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
    job->layout.clusters = &job->clusters;
    wl_status status = distances_options(&job->line->own, job->output, &job->request, &job->reading, &job->layout);
    if (status == WL_OK) status = wl_argument_bytes(&job->line->own, "memory", &job->memory);
    if (status == WL_OK) status = read_devices(job);
    if (status == WL_OK && wl_argument_given(&job->line->own, "restart") && strcmp(job->output, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "option --restart: found without a file for the output; expected -o FILE");
    job->reading.memory = job->request.device_memory = job->memory;
    return status;
}
