/* warpladder align-reads: reads placed on a reference tree and aligned to its alignment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/parts.h"
#include "cli/message.h"
#include "harness/base/clock.h"
#include "harness/base/timings.h"
#include "harness/bench/device.h"
#include "tools/align_reads/notes.h"
#include "tools/align_reads/part.h"
#include "papara/options.h"

static const wl_option options[] = {
    {"tree", "FILE", NULL, "the reference tree, Newick or NEXUS; its tips have the names of the alignment's rows"},
    {"reference", "FILE", NULL, "the reference alignment: PHYLIP, FASTA or NEXUS"},
    {"reads", "FILE", NULL, "the reads: FASTA or FASTQ. Any of the three may be gzip; '-' is standard input"},
    {"output", "FILE", "-",
     "write the alignment to FILE (also -o FILE), first the reference, then the reads; the file is whole or absent"},
    {"format", "F:auto phylip fasta", "auto",
     "format of the output: phylip, fasta, or auto (the end of the name decides; standard output is phylip)"},
    {"input-format", "F:auto fasta phylip phylip-strict nexus", "auto",
     "format of the reference: auto, fasta, phylip (relaxed), phylip-strict (names of ten characters) or nexus"},
    {"protein", NULL, NULL, "reference and reads are amino acids"},
    {"strand", "S:plus minus both auto", "plus",
     "the strand of the reads: plus, minus (they are reverse complements), both (try both and keep the better one), or "
     "auto (plus; if a read fits no better than chance, minus too)"},
    {"bad-reads", "B:refuse skip", "refuse",
     "refuse the file, or skip reads that have no letters, more letters than there are sites, or the name of a row or "
     "of another read"},
    {"paired", NULL, NULL, "two reads of one name are a pair: the first is written as name/1, the second as name/2"},
    {"max-score-per-letter", "X", NULL, "leave out reads whose score divided by their number of letters is above X"},
    {"left-out", "FILE", NULL, "write the reads that are left out to FILE (FASTA), with the reason"},
    {"keep-insertions", NULL, NULL,
     "give letters without a site columns of their own; without this option they are left out"},
    {"split", NULL, NULL,
     "with -o out.fasta, write out.reference.fasta and out.reads.fasta with the same columns, for EPA-ng"},
    {"table", "FILE", NULL, "write each read's best edge, score and runner-up, tab-separated"},
    {"numbered-tree", "FILE", NULL, "write the tree with the numbers of its edges, as {N}, as in jplace files"},
    {"jplace", "FILE", NULL, "write each read's best edge and parsimony score as a .jplace file, for gappa and others"},
    {"mismatch", "N", "3", "the cost of a letter on a site without its state"},
    {"insertion", "N", "3", "the cost of a letter without a site"},
    {"gap-open", "N", "4", "the cost of the first site that a read skips"},
    {"gap-extend", "N", "1", "the cost of each further site"},
    {"cgap", "N", "3", "the cost of a letter on a site where the edge has a gap; skipping such a site costs nothing"},
    {"device", "D:auto cpu sim gpu hybrid", "auto",
     "cpu, sim (simulated), gpu, gpu:0,1 (several share the work), hybrid (all GPUs and the CPU), hybrid:0,1, or auto "
     "(the GPU if there is one, else the CPU)"},
    {"variant", "V", NULL,
     "score with this stage of the ladder, such as papara/05* (default: the last one that takes the input)"},
    WL_OPTION_THREADS,
    {"memory", "SIZE", NULL,
     "use at most SIZE of each GPU's memory, in bytes or with K, M or G (default: what is free)"},
    WL_OPTION_PART,
    {NULL, NULL, NULL, NULL},
};

/* Everything that it needs, from the command line. */
typedef struct {
    const wl_args *args;
    papara_files files;
    wl_device_list devices; // the CPU in front only if it is to score
    papara_align_request request;
    papara_data data;
    papara_outputs outputs;
    int keep_insertions;
    double most_per_letter; // INFINITY: no limit
    wl_progress progress;
    double begun;
} align_job;

/* --- Options ----------------------------------------------------------------------------------------------------- */

static wl_status read_files(align_job *j) {
    const wl_arguments *own = &j->args->own;
    static const char *const names[] = {"tree", "reference", "reads"};
    const char **paths[] = {&j->files.tree, &j->files.reference, &j->files.reads};
    int from_stdin = 0;
    for (size_t i = 0; i < 3; i++) {
        *paths[i] = wl_argument(own, names[i]);
        if (*paths[i] == NULL)
            return wl_fail(WL_BAD_USAGE, "option --%s: not given; expected --tree FILE --reference FILE --reads FILE",
                           names[i]);
        if (**paths[i] == 0)
            return wl_fail(WL_BAD_USAGE, "option --%s: is empty; expected the name of a file", names[i]);
        from_stdin += strcmp(*paths[i], "-") == 0;
    }
    if (from_stdin > 1)
        return wl_fail(WL_BAD_USAGE,
                       "options --tree, --reference, --reads: found '-' more than once; standard input can be "
                       "one of them");
    j->files.paired = wl_argument_given(own, "paired");
    j->files.alphabet = wl_argument_given(own, "protein") ? PAPARA_PROTEIN : PAPARA_DNA;
    int format;
    WL_TRY(wl_argument_choice(own, "input-format", &format));
    j->files.reference_format = (wl_alignment_format)format;
    return WL_OK;
}

static wl_status read_devices(align_job *j) {
    char room[64];
    const char *text = wl_parts_device(j->args, room);
    int hybrid = strcmp(text, "hybrid") == 0 || strncmp(text, "hybrid:", 7) == 0;
    WL_TRY(hybrid ? wl_devices_of_hybrid(text, &j->devices) : wl_devices_of_tool(text, &j->devices));
    j->request.devices = j->devices.items;
    j->request.device_count = j->devices.count;
    j->request.pattern = wl_argument(&j->args->own, "variant");
    return wl_argument_threads(&j->args->own, &j->request.threads);
}

static wl_status read_choices(align_job *j) {
    const wl_arguments *own = &j->args->own;
    int strand;
    WL_TRY(wl_argument_choice(own, "strand", &strand));
    WL_TRY(wl_argument_choice(own, "bad-reads", &j->files.skip_bad_reads));
    j->request.strand = (papara_strand)strand;
    if (strand != PAPARA_PLUS && j->files.alphabet == PAPARA_PROTEIN)
        return wl_fail(WL_BAD_USAGE,
                       "option --strand: found '%s' with --protein; expected plus: proteins have one strand",
                       wl_argument(own, "strand"));
    j->most_per_letter = INFINITY;
    if (wl_argument_given(own, "max-score-per-letter"))
        WL_TRY(wl_argument_number(own, "max-score-per-letter", 0, 1e9, &j->most_per_letter));
    j->keep_insertions = wl_argument_given(own, "keep-insertions");
    return WL_OK;
}

static wl_status read_options(align_job *j) {
    const wl_arguments *own = &j->args->own;
    WL_TRY(read_files(j));
    WL_TRY(read_choices(j));
    WL_TRY(papara_options_penalties(own, &j->request.penalties));
    WL_TRY(wl_argument_bytes(own, "memory", &j->request.memory));
    return read_devices(j);
}

static wl_status open_outputs(align_job *j) {
    static const wl_alignment_format format_of[] = {WL_ALIGNMENT_AUTO, WL_ALIGNMENT_PHYLIP, WL_ALIGNMENT_FASTA};
    const wl_arguments *own = &j->args->own;
    const char *const inputs[] = {j->files.tree, j->files.reference, j->files.reads};
    int format;
    WL_TRY(wl_argument_choice(own, "format", &format));
    const papara_outputs_request request = {.output = wl_argument(own, "output"),
                                            .format = format_of[format],
                                            .split = wl_argument_given(own, "split"),
                                            .table = wl_argument(own, "table"),
                                            .numbered_tree = wl_argument(own, "numbered-tree"),
                                            .jplace = wl_argument(own, "jplace"),
                                            .left_out = wl_argument(own, "left-out"),
                                            .command = j->args->text,
                                            .inputs = inputs,
                                            .input_count = sizeof inputs / sizeof *inputs};
    return papara_outputs_open(&request, &j->outputs);
}

/* --- Notes and the last line ------------------------------------------------------------------------------------- */

/* Prints the notes on the result, or those on the input if there is no result yet (aligned NULL). */
static void note(const align_job *j, const papara_aligned *aligned, const papara_layout *layout) {
    const papara_notes of = {&j->files,         &j->data,           &j->outputs,
                             j->request.strand, j->keep_insertions, wl_argument_given(&j->args->own, "left-out")};
    char *text = NULL;
    size_t size = 0;
    FILE *notes = j->args->quiet ? NULL : open_memstream(&text, &size);
    if (notes == NULL) return;
    if (aligned)
        papara_note_result(notes, &of, aligned, layout);
    else
        papara_note_input(notes, &of);
    fclose(notes);
    if (size > 0) wl_note(j->args, "%s", text);
    free(text);
}

static void summarise(const align_job *j, const papara_aligned *aligned) {
    const papara_data *data = &j->data;
    const papara_score_summary *scoring = &aligned->scoring;
    if (j->args->quiet) return;
    fprintf(stderr, "warpladder align-reads: %zu read%s, %llu letters; %zu taxa, %zu sites, %u edges; ",
            data->reads.count, wl_plural(data->reads.count), (unsigned long long)data->reads.letters,
            data->reference.count, data->reference.columns, data->tree.edges);
    int simulated = 0;
    for (size_t d = 0; d < j->request.device_count; d++) simulated |= j->request.devices[d].backend == WL_SIM;
    if (scoring->workers == 0)
        fputs("merged", stderr);
    else if (!simulated) // whose time says nothing
        fprintf(stderr, "scoring %.2f s, %.1f GCUPS, %.2f s of processor time, ", scoring->seconds,
                scoring->cells / scoring->seconds / 1e9, scoring->cpu_seconds);
    for (size_t w = 0; w < scoring->workers; w++) {
        const papara_worker_summary *worker = &scoring->worker[w];
        fprintf(stderr, "%s%s", w == 0 ? "on " : " and ", worker->name);
        if (scoring->workers > 1) fprintf(stderr, " (%.1f %%)", 100 * worker->cells / scoring->cells);
    }
    if (!simulated && scoring->workers > 0)
        fprintf(stderr, "; aligning %.2f s; %.2f s in all", aligned->alignment_seconds, wl_now() - j->begun);
    fputc('\n', stderr);
}

/* --- The work ---------------------------------------------------------------------------------------------------- */

static wl_status write_all(align_job *j, papara_aligned *aligned) {
    papara_layout layout;
    WL_TRY(papara_aligned_limit(&j->data, aligned, j->most_per_letter));
    WL_TRY(papara_layout_make(&j->data, aligned, j->keep_insertions, &layout));
    wl_progress_show(&j->progress, "writing");
    wl_status status = papara_outputs_write(&j->outputs, &j->data, aligned, &layout);
    wl_progress_show(&j->progress, "%s", "");
    if (status == WL_OK && !ferror(stdout)) {
        note(j, aligned, &layout);
        summarise(j, aligned);
    }
    papara_layout_free(&layout);
    return status;
}

/* --- In parts ---------------------------------------------------------------------------------------------------- */

static wl_status hash_inputs(void *context, uint64_t *hash) {
    const align_job *j = context;
    return papara_data_hash(&j->data, hash);
}

static wl_status compute_parts(void *context, const wl_part_range *of) {
    align_job *j = context;
    papara_aligned aligned = {0};
    size_t reads;
    WL_TRY(papara_align_parts(&j->request, of, &aligned.scoring, &reads));
    wl_progress_show(&j->progress, "%s", "");
    if (wl_parts_tells(j->args))
        wl_note(j->args, "part %zu of %zu: %zu of %zu reads", of->first + 1, of->parts, reads, j->data.reads.count);
    return WL_OK;
}

static wl_status merge_parts(void *context, const wl_part_set *set) {
    align_job *j = context;
    papara_aligned aligned;
    note(j, NULL, NULL);
    WL_TRY(papara_align_merge(&j->data, set, &aligned));
    const wl_status status = write_all(j, &aligned);
    papara_aligned_free(&aligned);
    return status;
}

static const wl_parts_tool parts = {.own = " output device variant threads memory ",
                                    .outputs = " table numbered-tree jplace left-out ",
                                    .inputs = " tree reference reads ",
                                    .hash = hash_inputs,
                                    .compute = compute_parts,
                                    .merge = merge_parts};

/* --- The whole --------------------------------------------------------------------------------------------------- */

static wl_status align_data(align_job *j) {
    papara_aligned aligned;
    note(j, NULL, NULL);
    wl_status status = papara_align(&j->request, &aligned);
    wl_progress_show(&j->progress, "%s", "");
    if (status != WL_OK) return status;
    const double begun = wl_timings_now();
    status = write_all(j, &aligned);
    wl_timings_since(WL_PHASE_WRITE, begun, 0);
    papara_aligned_free(&aligned);
    return status;
}

static wl_status align_reads(const wl_args *args) {
    align_job j = {.args = args, .begun = wl_now()};
    j.request = (papara_align_request){
        .data = &j.data, .penalties = PAPARA_PENALTIES, .judge = !args->quiet, .user = &j.progress};
    wl_status status = wl_parts_check(args, &parts);
    if (status == WL_OK) status = read_options(&j);
    if (status == WL_OK && wl_parts_writes(args)) status = open_outputs(&j);
    j.progress = wl_progress_begin(args, papara_outputs_to_stdout(&j.outputs), NULL);
    j.request.progress = j.progress.shows ? wl_progress_phase : NULL;
    if (status == WL_OK) {
        const double begun = wl_timings_now();
        wl_progress_show(&j.progress, "reading");
        status = papara_data_read(&j.files, &j.data);
        wl_timings_since(WL_PHASE_READ, begun, 0);
        wl_progress_show(&j.progress, "%s", "");
    }
    if (status == WL_OK) {
        status = wl_parts_wanted(args) ? wl_parts_run(args, &parts, &j) : align_data(&j);
        papara_data_free(&j.data);
    }
    papara_outputs_close(&j.outputs);
    return status;
}

static const wl_command command_align_reads = {
    .name = "align-reads",
    .brief = "place reads on a reference tree and align them to its alignment",
    .summary =
        "Score each read against every edge of a reference tree (PaPaRa: parsimony-based, phylogeny-aware alignment) "
        "and align it to the edge that it fits best. EPA-ng and RAxML can place the result, which is the same on every "
        "device.",
    .example = "warpladder align-reads --tree ref.nwk --reference ref.phy --reads reads.fasta.gz -o out.phy\n"
               "  warpladder align-reads --tree ref.nwk --reference ref.fasta --reads reads.fasta --split -o out.fasta "
               "--device hybrid",
    .options = options,
    .parts = &parts,
    .common = WL_TAKES_QUIET | WL_TAKES_FILES | WL_TAKES_TIMINGS,
    .run = align_reads,
};

WL_REGISTER_COMMAND(command_align_reads)
