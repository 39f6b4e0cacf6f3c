/* What `warpladder align-reads` notes of its input and its result, a line each. */
#include "tools/align_reads/notes.h"

#include "harness/base/text.h"
#include "tools/align_reads/strand.h"

/* The name of the sequence; if there are several, their number and the first name. */
static const char *named(const papara_oddity *odd, const char *what, char text[160]) {
    if (odd->count == 1)
        snprintf(text, 160, "%s '%.80s'", what, odd->first);
    else
        snprintf(text, 160, "%zu %ss, the first of them '%.80s'", odd->count, what, odd->first);
    return text;
}

void papara_note_input(FILE *notes, const papara_notes *of) {
    const papara_data *data = of->data;
    const papara_oddity refused = papara_outputs_names_refused(of->outputs, data);
    char text[160];
    if (data->without.count > 0)
        fprintf(notes, "%s: only gaps in %s\n", of->files->reference, named(&data->without, "row", text));
    if (data->unknown.count > 0)
        fprintf(notes, "%s: only gaps and %c in %s\n", of->files->reference, data->alphabet == PAPARA_DNA ? 'N' : 'X',
                named(&data->unknown, "row", text));
    if (data->unusual.count > 0)
        fprintf(notes, "%s: %llu '.' or '?' taken for gaps in %s; '.' is written as '-'\n", of->files->reference,
                (unsigned long long)data->unusual.letters, named(&data->unusual, "row", text));
    if (data->dropped.count > 0)
        fprintf(notes, "%s: %llu '-', '.' or '?' left out of %s\n", of->files->reads,
                (unsigned long long)data->dropped.letters, named(&data->dropped, "read", text));
    if (refused.count > 0)
        fprintf(notes, "RAxML refuses %s: a name may have none of :,()[];' and at most 255 letters there\n",
                named(&refused, "name", text));
    if (data->alphabet == PAPARA_PROTEIN && data->bases >= 0.9)
        fprintf(notes, "%s: %.0f %% of the letters are A, C, G, T, U or N; --protein treats them as amino acids\n",
                of->files->reads, 100 * data->bases);
}

/* Reads that were left out, one note per reason. */
static void note_left(FILE *notes, const papara_notes *of) {
    static const char *const reasons[] = {[PAPARA_LEFT_EMPTY] = "without letters",
                                          [PAPARA_LEFT_UNKNOWN] = "with nothing but N, or X in proteins",
                                          [PAPARA_LEFT_LONG] = "with more letters than there are sites",
                                          [PAPARA_LEFT_ROW_NAME] = "with the name of a row",
                                          [PAPARA_LEFT_READ_NAME] = "with the name of another read",
                                          [PAPARA_LEFT_SCORE] = "with a score per letter above --max-score-per-letter"};
    const char *list = of->lists_left ? "" : "; --left-out lists them";
    char text[160];
    for (size_t reason = 1; reason < sizeof reasons / sizeof *reasons; reason++) {
        papara_oddity odd = {0};
        for (size_t i = 0; i < of->data->left_count; i++)
            if (of->data->left[i].reason == reason && odd.count++ == 0) odd.first = of->data->left[i].sequence.name;
        if (odd.count > 0) fprintf(notes, "left out %s, %s%s\n", named(&odd, "read", text), reasons[reason], list);
    }
}

static void note_strands(FILE *notes, const papara_notes *of, const papara_aligned *aligned) {
    papara_oddity odd = {0}, turned = {0};
    char text[160], other[96] = "";
    for (size_t r = 0; r < of->data->reads.count; r++) {
        const char *name = of->data->sequences.items[r].name;
        if (papara_out_of_line(of->data, aligned, r) && odd.count++ == 0) odd.first = name;
        if (aligned->turned[r] && turned.count++ == 0) turned.first = name;
    }
    if (turned.count > 0 && of->strand != PAPARA_MINUS)
        fprintf(notes, "aligned as reverse complement: %s; --table shows the strands\n", named(&turned, "read", text));
    if (odd.count == 0) return;
    if (of->strand <= PAPARA_MINUS && of->files->alphabet == PAPARA_DNA && aligned->fit_turned > 0)
        snprintf(other, sizeof other, "; %zu of %zu reads tried fit better on the other strand, see --strand",
                 aligned->fit_turned, aligned->tried);
    fprintf(notes, "%s: score per letter above %.2f; unrelated reads have about %.2f%s\n", named(&odd, "read", text),
            PAPARA_OUT_OF_LINE * aligned->chance, aligned->chance, other);
}

static void note_insertions(FILE *notes, const papara_notes *of, const papara_aligned *aligned,
                            const papara_layout *layout) {
    const papara_oddity *inserted = &aligned->inserted, *astray = &aligned->astray;
    unsigned long long letters = inserted->letters;
    char text[160];
    if (inserted->count > 0 && of->keeps_insertions)
        fprintf(notes, "added %zu column%s for %llu letter%s without a site, in %s\n", layout->added,
                wl_plural(layout->added), letters, wl_plural(letters), named(inserted, "read", text));
    else if (inserted->count > 0)
        fprintf(notes, "left out %llu letter%s without a site, in %s; --keep-insertions gives them columns\n", letters,
                wl_plural(letters), named(inserted, "read", text));
    if (astray->count > 0)
        fprintf(notes, "no letter fits any site in %s: %s\n", named(astray, "read", text),
                of->keeps_insertions ? "all are insertions" : "only gaps are written");
}

void papara_note_result(FILE *notes, const papara_notes *of, const papara_aligned *aligned,
                        const papara_layout *layout) {
    note_insertions(notes, of, aligned, layout);
    note_strands(notes, of, aligned);
    note_left(notes, of);
}
