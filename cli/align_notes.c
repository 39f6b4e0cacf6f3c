/* The notes and the last line that `warpladder align-reads` prints on standard error. */
#include <stdio.h>

#include "cli/align_reads.h"
#include "harness/base/clock.h"

/* The name of the sequence; if there are several, their number and the first name. */
static const char *of(const papara_oddity *odd, const char *what, char text[160]) {
    if (odd->count == 1)
        snprintf(text, 160, "%s '%.80s'", what, odd->first);
    else
        snprintf(text, 160, "%zu %ss, the first of them '%.80s'", odd->count, what, odd->first);
    return text;
}

void align_note_input(const align_job *j) {
    const papara_data *data = &j->data;
    const papara_oddity refused = papara_outputs_names_refused(&j->outputs, data);
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
        wl_note(j->line, "%s: %.0f %% of the letters are A, C, G, T, U or N; --protein treats them as amino acids",
                j->files.reads, 100 * data->bases);
}

/* Reads that were left out, one note per reason. */
static void note_left(const align_job *j) {
    static const char *const reasons[] = {[PAPARA_LEFT_EMPTY] = "without letters",
                                          [PAPARA_LEFT_LONG] = "with more letters than there are sites",
                                          [PAPARA_LEFT_ROW_NAME] = "with the name of a row",
                                          [PAPARA_LEFT_READ_NAME] = "with the name of another read",
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

static void note_strands(const align_job *j, const papara_aligned *aligned) {
    papara_oddity odd = {0}, turned = {0};
    char text[160], other[96] = "";
    for (size_t r = 0; r < j->data.reads.count; r++) {
        const char *name = j->data.sequences.items[r].name;
        if (papara_out_of_line(&j->data, aligned, r) && odd.count++ == 0) odd.first = name;
        if (aligned->turned[r] && turned.count++ == 0) turned.first = name;
    }
    if (turned.count > 0 && j->request.strand != PAPARA_MINUS)
        wl_note(j->line, "aligned as reverse complement: %s; --table shows the strands", of(&turned, "read", text));
    if (odd.count == 0) return;
    if (j->request.strand <= PAPARA_MINUS && j->files.alphabet == PAPARA_DNA && aligned->fit_turned > 0)
        snprintf(other, sizeof other, "; %zu of %zu reads tried fit better on the other strand, see --strand",
                 aligned->fit_turned, aligned->tried);
    wl_note(j->line, "%s: score per letter above %.2f; unrelated reads have about %.2f%s", of(&odd, "read", text),
            PAPARA_OUT_OF_LINE * aligned->chance, aligned->chance, other);
}

static void note_insertions(const align_job *j, const papara_aligned *aligned, const papara_layout *layout) {
    const papara_oddity *inserted = &aligned->inserted, *astray = &aligned->astray;
    unsigned long long letters = inserted->letters;
    char text[160];
    if (inserted->count > 0 && j->keep_insertions)
        wl_note(j->line, "added %zu column%s for %llu letter%s without a site, in %s", layout->added,
                wl_plural(layout->added), letters, wl_plural(letters), of(inserted, "read", text));
    else if (inserted->count > 0)
        wl_note(j->line, "left out %llu letter%s without a site, in %s; --keep-insertions gives them columns", letters,
                wl_plural(letters), of(inserted, "read", text));
    if (astray->count > 0)
        wl_note(j->line, "no letter fits any site in %s: %s", of(astray, "read", text),
                j->keep_insertions ? "all are insertions" : "only gaps are written");
}

static void summarise(const align_job *j, const papara_aligned *aligned) {
    const papara_data *data = &j->data;
    const papara_score_summary *scoring = &aligned->scoring;
    if (j->line->quiet) return;
    fprintf(stderr, "warpladder align-reads: %zu read%s, %llu letters; %zu taxa, %zu sites, %u edges; ",
            data->reads.count, wl_plural(data->reads.count), (unsigned long long)data->reads.letters,
            data->reference.count, data->reference.columns, data->tree.edges);
    int simulated = 0;
    for (size_t d = 0; d < j->request.device_count; d++) simulated |= j->request.devices[d].backend == WL_SIM;
    if (scoring->workers == 0)
        fputs("merged", stderr);
    else if (!simulated) /* whose time says nothing */
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

void align_note_result(const align_job *j, const papara_aligned *aligned, const papara_layout *layout) {
    note_insertions(j, aligned, layout);
    note_strands(j, aligned);
    note_left(j);
    summarise(j, aligned);
}
