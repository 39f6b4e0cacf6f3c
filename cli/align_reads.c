/* warpladder align-reads: reads placed on a reference tree and aligned to its alignment. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/align_outputs.h"
#include "cli/commands.h"
#include "cli/tell.h"
#include "harness/bench/device.h"
#include "harness/base/clock.h"
#include "papara/align/align.h"
#include "papara/options.h"

static const wl_option options[] = {
    {"tree", "FILE", NULL, "the reference tree, Newick or NEXUS, its tips named as the alignment's rows"},
    {"reference", "FILE", NULL, "the reference alignment: PHYLIP, FASTA or NEXUS"},
    {"reads", "FILE", NULL, "the reads: FASTA or FASTQ. Any of the three may be gzip; '-' is standard input"},
    {"output", "FILE", "-",
     "where the alignment goes (also -o FILE), references first and then reads; the file is whole or absent"},
    {"format", "F:auto phylip fasta", "auto",
     "of the output: phylip, fasta, or auto: by the name's end; standard output is phylip"},
    {"input-format", "F:auto fasta phylip phylip-strict", "auto",
     "of the reference: auto, fasta, phylip (relaxed) or phylip-strict (names of ten characters)"},
    {"protein", NULL, NULL, "reference and reads are amino acids"},
    {"strand", "S:plus minus both auto", "plus",
     "which strand the reads are of: plus, minus (they are reverse complements), both (the one that fits better), or "
     "auto: plus, and "
     "minus for reads that fit plus no better than chance"},
    {"bad-reads", "B:refuse skip", "refuse",
     "what happens to reads without letters, with more than there are sites, or with a name that a row or another read "
     "has: refuse the "
     "file, or skip them"},
    {"max-score-per-letter", "X", NULL, "leave out reads whose score, divided by their letters, is above X"},
    {"left-out", "FILE", NULL, "write the reads that are left out to FILE (FASTA), with the reason"},
    {"keep-insertions", NULL, NULL,
     "letters of reads that no site fits get columns of their own; without it they are left out"},
    {"split", NULL, NULL,
     "with -o out.fasta: write out.reference.fasta and out.reads.fasta, of the same columns, for EPA-ng"},
    {"table", "FILE", NULL, "write each read's best edge, score and runner-up, tab-separated"},
    {"numbered-tree", "FILE", NULL, "write the tree with the numbers of its edges, {N} as in jplace files"},
    {"jplace", "FILE", NULL, "write each read's best edge and parsimony score as a .jplace file, for gappa and others"},
    {"mismatch", "N", "3", "the cost of a letter on a site without its state"},
    {"insertion", "N", "3", "the cost of a letter without a site"},
    {"gap-open", "N", "4", "the cost of the first site that a read skips"},
    {"gap-extend", "N", "1", "the cost of each site more"},
    {"cgap", "N", "3", "the cost of a letter on a site where the edge has a gap; to skip such a site costs nothing"},
    {"device", "D:auto cpu sim gpu hybrid", "auto",
     "cpu, sim (simulated), gpu, gpu:0,1 (several share the work), hybrid (all GPUs and the CPU), hybrid:0,1, or auto: "
     "the GPU where there is one, else the CPU"},
    {"variant", "V", NULL, "score with this stage of the ladder, as in papara/05* (default: the last that can)"},
    WL_OPTION_THREADS,
    {"memory", "SIZE", NULL,
     "take at most so much of the memory of each GPU, bytes or with K, M or G (default: what is free)"},
    {NULL, NULL, NULL, NULL},
};

/* Everything that it needs, from the command line. */
typedef struct {
    const wl_line *line;
    papara_files files;
    wl_device_list devices; // the CPU in front only if it is to score
    papara_align_request request;
    papara_data data;
    align_outputs outputs;
    int keep_insertions;
    double most_per_letter; // INFINITY: no limit
    wl_progress progress;
    double begun;
} job;

/* --- Options ----------------------------------------------------------------------------------------------------- */

static wl_status read_files(job *j) {
    const wl_arguments *own = &j->line->own;
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
    j->files.alphabet = wl_argument_given(own, "protein") ? PAPARA_PROTEIN : PAPARA_DNA;
    static const char *const formats[] = {"auto", "fasta", "phylip", "phylip-strict", NULL};
    int format;
    WL_TRY(wl_argument_choice(own, "input-format", formats, &format));
    j->files.reference_format = (wl_alignment_format)format;
    return WL_OK;
}

/* "hybrid", "hybrid:0,1", as wl_devices_select knows GPUs; and "hybrid:sim", for machines that have none. */
static wl_status select_hybrid(const char *text, wl_device_list *devices) {
    char all[8 + 4 * WL_DEVICES_MOST] = "gpu";
    const char *reason = "", *list = text + strlen("hybrid");
    if (strcmp(list, ":sim") == 0) return wl_devices_select("sim", devices);
    if (*list == ':') {
        if (snprintf(all, sizeof all, "gpu%s", list) >= (int)sizeof all)
            return wl_fail(WL_BAD_USAGE, "option --device: '%.80s' names too many GPUs", text);
    } else {
        int count = wl_gpu_count(&reason);
        if (count == 0) return wl_fail(WL_NO_MACHINE, "option --device hybrid: no GPU: %s", reason);
        size_t used = 3;
        for (int i = 0; i < count && i < WL_DEVICES_MOST - 1; i++)
            used += (size_t)snprintf(all + used, sizeof all - used, "%c%d", i == 0 ? ':' : ',', i);
    }
    return wl_devices_select(all, devices);
}

static wl_status read_devices(job *j) {
    const char *text = wl_argument(&j->line->own, "device");
    int hybrid = strcmp(text, "hybrid") == 0 || strncmp(text, "hybrid:", 7) == 0;
    WL_TRY(hybrid ? select_hybrid(text, &j->devices) : wl_devices_of_tool(text, &j->devices));
    j->request.devices = j->devices.items;
    j->request.device_count = j->devices.count;
    j->request.pattern = wl_argument(&j->line->own, "variant");
    return wl_argument_threads(&j->line->own, &j->request.threads);
}

static wl_status read_choices(job *j) {
    static const char *const strands[] = {"plus", "minus", "both", "auto", NULL}, *const bad[] = {"refuse", "skip",
                                                                                                  NULL};
    const wl_arguments *own = &j->line->own;
    int strand;
    WL_TRY(wl_argument_choice(own, "strand", strands, &strand));
    WL_TRY(wl_argument_choice(own, "bad-reads", bad, &j->files.skip_bad_reads));
    j->request.strand = (papara_strand)strand;
    if (strand != PAPARA_PLUS && j->files.alphabet == PAPARA_PROTEIN)
        return wl_fail(WL_BAD_USAGE,
                       "option --strand: found '%s' with --protein; expected plus: proteins have one strand",
                       strands[strand]);
    j->most_per_letter = INFINITY;
    if (wl_argument_given(own, "max-score-per-letter"))
        WL_TRY(wl_argument_number(own, "max-score-per-letter", 0, 1e9, &j->most_per_letter));
    j->keep_insertions = wl_argument_given(own, "keep-insertions");
    return WL_OK;
}

static wl_status read_options(job *j) {
    const wl_arguments *own = &j->line->own;
    wl_status status = read_files(j);
    if (status == WL_OK) status = read_choices(j);
    if (status == WL_OK) status = papara_options_penalties(own, &j->request.penalties);
    if (status == WL_OK) status = wl_argument_bytes(own, "memory", &j->request.memory);
    if (status == WL_OK) status = read_devices(j);
    return status;
}

/* --- For people, beside the data --------------------------------------------------------------------------------- */

/* Of one sequence its name, of several the first one's. */
static const char *of(const papara_oddity *odd, const char *what, char text[160]) {
    if (odd->count == 1)
        snprintf(text, 160, "%s '%.80s'", what, odd->first);
    else
        snprintf(text, 160, "%zu %ss, the first of them '%.80s'", odd->count, what, odd->first);
    return text;
}

static void note_input(const job *j) {
    const papara_data *data = &j->data;
    const papara_oddity refused = align_outputs_names_refused(&j->outputs, data);
    char text[160];
    if (data->without.count > 0)
        wl_note(j->line, "%s: only gaps in %s", j->files.reference, of(&data->without, "row", text));
    if (data->unusual.count > 0)
        wl_note(j->line, "%s: %llu '.' or '?' taken for gaps in %s; '.' is written as '-'", j->files.reference,
                (unsigned long long)data->unusual.letters, of(&data->unusual, "row", text));
    if (data->dropped.count > 0)
        wl_note(j->line, "%s: %llu '-', '.' or '?' left out of %s", j->files.reads,
                (unsigned long long)data->dropped.letters, of(&data->dropped, "read", text));
    if (refused.count > 0)
        wl_note(j->line, "RAxML refuses %s: a name may have none of :,()[];' and at most 255 letters there",
                of(&refused, "name", text));
    if (data->alphabet == PAPARA_PROTEIN && data->bases >= 0.9)
        wl_note(
            j->line,
            "%s: %.0f %% of the letters are A, C, G, T, U or N, and they are taken for amino acids, as --protein says",
            j->files.reads, 100 * data->bases);
}

/* What is not in the alignment, by reason. */
static void note_left(const job *j) {
    static const char *const reasons[] = {[PAPARA_LEFT_EMPTY] = "without letters",
                                          [PAPARA_LEFT_LONG] = "with more letters than there are sites",
                                          [PAPARA_LEFT_ROW_NAME] = "named as a row",
                                          [PAPARA_LEFT_READ_NAME] = "named as another read",
                                          [PAPARA_LEFT_SCORE] = "with a score per letter above --max-score-per-letter"};
    const char *list = wl_argument_given(&j->line->own, "left-out") ? "" : "; --left-out lists them";
    char text[160];
    for (size_t reason = 1; reason < sizeof reasons / sizeof *reasons; reason++) {
        papara_oddity odd = {0};
        for (size_t i = 0; i < j->data.left_count; i++)
            if (j->data.left[i].reason == reason && odd.count++ == 0) odd.first = j->data.left[i].sequence.name;
        if (odd.count > 0) wl_note(j->line, "left out %s, %s%s", of(&odd, "read", text), reasons[reason], list);
    }
}

static void note_strands(const job *j, const papara_aligned *aligned) {
    papara_oddity odd = {0}, turned = {0};
    char text[160], other[96] = "";
    for (size_t r = 0; r < j->data.reads.count; r++) {
        const char *name = j->data.sequences.items[r].name;
        if (papara_out_of_line(&j->data, aligned, r) && odd.count++ == 0) odd.first = name;
        if (aligned->turned[r] && turned.count++ == 0) turned.first = name;
    }
    if (turned.count > 0 && j->request.strand != PAPARA_MINUS)
        wl_note(j->line, "aligned as reverse complement: %s; --table tells strands", of(&turned, "read", text));
    if (odd.count == 0) return;
    if (j->request.strand <= PAPARA_MINUS && j->files.alphabet == PAPARA_DNA && aligned->fit_turned > 0)
        snprintf(other, sizeof other, "; %zu of %zu reads tried fit better on the other strand, see --strand",
                 aligned->fit_turned, aligned->tried);
    wl_note(j->line, "a score per letter above %.2f, where chance gives %.2f: %s%s",
            PAPARA_OUT_OF_LINE * aligned->chance, aligned->chance, of(&odd, "read", text), other);
}

static void note_result(const job *j, const papara_aligned *aligned, const papara_layout *layout) {
    const papara_oddity *inserted = &aligned->inserted, *astray = &aligned->astray;
    unsigned long long letters = inserted->letters;
    char text[160];
    if (inserted->count > 0 && j->keep_insertions)
        wl_note(j->line, "%zu column%s added for %llu letter%s that no site fits, in %s", layout->added,
                wl_plural(layout->added), letters, wl_plural(letters), of(inserted, "read", text));
    else if (inserted->count > 0)
        wl_note(j->line, "%llu letter%s that no site fits left out of %s; --keep-insertions gives them columns",
                letters, wl_plural(letters), of(inserted, "read", text));
    if (astray->count > 0)
        wl_note(j->line, "no letter fits any site in %s: %s", of(astray, "read", text),
                j->keep_insertions ? "all are insertions" : "only gaps are written");
}

static void summarise(const job *j, const papara_aligned *aligned) {
    const papara_data *data = &j->data;
    const papara_score_summary *scoring = &aligned->scoring;
    if (j->line->quiet) return;
    fprintf(stderr, "warpladder align-reads: %zu read%s, %llu letters; %zu taxa, %zu sites, %u edges; ",
            data->reads.count, wl_plural(data->reads.count), (unsigned long long)data->reads.letters,
            data->reference.count, data->reference.columns, data->tree.edges);
    int simulated = 0;
    for (size_t d = 0; d < j->request.device_count; d++) simulated |= j->request.devices[d].backend == WL_SIM;
    if (!simulated) /* whose time says nothing */
        fprintf(stderr, "scoring %.2f s, %.1f GCUPS, %.2f s of processor time, ", scoring->seconds,
                scoring->cells / scoring->seconds / 1e9, scoring->cpu_seconds);
    for (size_t w = 0; w < scoring->workers; w++) {
        const papara_worker_summary *worker = &scoring->worker[w];
        fprintf(stderr, "%s%s", w == 0 ? "on " : " and ", worker->name);
        if (scoring->workers > 1) fprintf(stderr, " (%.1f %%)", 100 * worker->cells / scoring->cells);
    }
    if (!simulated)
        fprintf(stderr, "; aligning %.2f s; %.2f s in all", aligned->alignment_seconds, wl_now() - j->begun);
    fputc('\n', stderr);
}

/* --- The work ---------------------------------------------------------------------------------------------------- */

static wl_status write_all(job *j, papara_aligned *aligned) {
    papara_layout layout;
    WL_TRY(papara_aligned_limit(&j->data, aligned, j->most_per_letter));
    WL_TRY(papara_layout_make(&j->data, aligned, j->keep_insertions, &layout));
    wl_progress_show(&j->progress, "writing");
    wl_status status = align_outputs_write(&j->outputs, &j->data, aligned, &layout);
    wl_progress_show(&j->progress, "%s", "");
    if (status == WL_OK && !ferror(stdout)) {
        note_result(j, aligned, &layout);
        note_strands(j, aligned);
        note_left(j);
        summarise(j, aligned);
    }
    papara_layout_free(&layout);
    return status;
}

static wl_status align_data(job *j) {
    papara_aligned aligned;
    note_input(j);
    wl_status status = papara_align(&j->request, &aligned);
    wl_progress_show(&j->progress, "%s", "");
    if (status != WL_OK) return status;
    status = write_all(j, &aligned);
    papara_aligned_free(&aligned);
    return status;
}

static wl_status align_reads(const wl_line *line) {
    job j = {.line = line, .begun = wl_now()};
    j.request = (papara_align_request){
        .data = &j.data, .penalties = PAPARA_PENALTIES, .judge = !line->quiet, .user = &j.progress};
    wl_status status = read_options(&j);
    const char *const inputs[] = {j.files.tree, j.files.reference, j.files.reads};
    if (status == WL_OK) status = align_outputs_open(line, inputs, sizeof inputs / sizeof *inputs, &j.outputs);
    j.progress = wl_progress_begin(line, align_outputs_to_stdout(&j.outputs), NULL);
    j.request.progress = j.progress.shows ? wl_progress_phase : NULL;
    if (status == WL_OK) {
        wl_progress_show(&j.progress, "reading");
        status = papara_data_read(&j.files, &j.data);
        wl_progress_show(&j.progress, "%s", "");
    }
    if (status == WL_OK) {
        status = align_data(&j);
        papara_data_free(&j.data);
    }
    align_outputs_close(&j.outputs);
    return status;
}

const wl_command wl_command_align_reads = {
    .name = "align-reads",
    .brief = "place reads on a reference tree and align them to its alignment",
    .summary =
        "Score each read against every edge of a reference tree (PaPaRa: parsimony-based, phylogeny-aware alignment) "
        "and align it to the edge that it fits best. The result is what EPA-ng and RAxML place, and the same on every "
        "device.",
    .example = "warpladder align-reads --tree ref.nwk --reference ref.phy --reads reads.fasta.gz -o out.phy\n"
               "  warpladder align-reads --tree ref.nwk --reference ref.fasta --reads reads.fasta --split -o out.fasta "
               "--device hybrid",
    .options = options,
    .common = WL_TAKES_QUIET,
    .run = align_reads,
};
