/* What BLAST makes of every pair of letters: J, U, O and the rest of the 27 by each of the eight matrices, IUPAC's 15
   nucleotides by several rewards and penalties, and a gap of every length up to five. Two sequences that are the same but for
   the letter in the middle align from end to end, so that their score less that of the ends is the pair's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/database/alphabet.h"
#include "sw/scoring/scoring.h"

static char folder[] = "/tmp/wl-blast-XXXXXX";
static size_t compared, failures;

static void check(int is_right, const char *what, char a, char b, int ours, int theirs) {
    compared++;
    if (!is_right && failures++ < 10) printf("%s: %c against %c scores %d, BLAST's %d\n", what, a, b, ours, theirs);
}

static void path_of(const char *name, char path[64]) { snprintf(path, 64, "%s/%s", folder, name); }

static FILE *open_file(const char *name) {
    char path[64];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    if (!file) {
        printf("cannot write %s\n", path);
        exit(1);
    }
    return file;
}

/* Run BLAST on q.fa and s.fa, and give every line of "query subject score first last gaps" to `see`. */
static void run(const char *command, void (*see)(void *context, int q, int s, int score, int gaps), void *context,
                int length) {
    char line[512];
    snprintf(line, sizeof line,
             "cd %s && %s -query q.fa -subject s.fa -evalue 1e9 -max_hsps 1 -max_target_seqs 500 "
             "-outfmt '6 qseqid sseqid score qstart qend gaps' 2>/dev/null",
             folder, command);
    FILE *blast = popen(line, "r");
    int q, s, score, first, last, gaps;
    while (blast && fscanf(blast, " q%d s%d %d %d %d %d", &q, &s, &score, &first, &last, &gaps) == 6)
        if (first == 1 && last == length) see(context, q, s, score, gaps);
    if (!blast || pclose(blast) != 0) {
        printf("this failed: %s\n", line);
        exit(1);
    }
}

typedef struct {
    const sw_scoring *scoring;
    const char *what;
    int ends;
    char seen[SW_CODES][SW_CODES];
} letters_check;

static void see_letters(void *context, int q, int s, int score, int gaps) {
    letters_check *c = context;
    if (gaps > 0) return;
    c->seen[q][s] = 1;
    check(score - c->ends == c->scoring->matrix[q][s], c->what, sw_letter(c->scoring->alphabet, q),
          sw_letter(c->scoring->alphabet, s), c->scoring->matrix[q][s], score - c->ends);
}

/* `end`: what stands on both sides of the letter. */
static void every_pair(const sw_scoring *scoring, const char *end, const char *command) {
    letters_check c = {.scoring = scoring, .what = command};
    int count = 0;
    while (sw_letter(scoring->alphabet, count) != '?') count++;
    for (int side = 0; side < 2; side++) {
        FILE *file = open_file(side ? "s.fa" : "q.fa");
        for (int a = 0; a < count; a++)
            fprintf(file, ">%c%d\n%s%c%s\n", side ? 's' : 'q', a, end, sw_letter(scoring->alphabet, a), end);
        fclose(file);
    }
    for (const char *at = end; *at; at++) {
        int code = sw_code(scoring->alphabet, *at);
        c.ends += 2 * scoring->matrix[code][code];
    }
    run(command, see_letters, &c, 2 * (int)strlen(end) + 1);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            if (!c.seen[a][b])
                check(0, "not reported", sw_letter(scoring->alphabet, a), sw_letter(scoring->alphabet, b), 0, 0);
}

typedef struct {
    const sw_scoring *scoring;
    const char *what;
    int ends;
} gap_check;

static void see_gap(void *context, int q, int s, int score, int gaps) {
    gap_check *c = context;
    (void)q;
    int ours = c->ends - c->scoring->gap_open - (s - 1) * c->scoring->gap_extend;
    if (gaps == s) check(score == ours, c->what, '-', (char)('0' + s), ours, score);
}

/* Subject k has k residues more than the query, in the middle: a gap of k, at BLAST's prices and at ours. */
static void every_gap(const sw_scoring *scoring, const char *end, const char *command) {
    gap_check c = {.scoring = scoring, .what = command};
    FILE *file = open_file("q.fa");
    fprintf(file, ">q0\n%s%s\n", end, end);
    fclose(file);
    file = open_file("s.fa");
    for (int k = 1; k <= 5; k++) fprintf(file, ">s%d\n%s%.*s%s\n", k, end, k, "GGGGG", end);
    fclose(file);
    for (const char *at = end; *at; at++) {
        int code = sw_code(scoring->alphabet, *at);
        c.ends += 2 * scoring->matrix[code][code];
    }
    size_t before = compared;
    run(command, see_gap, &c, 2 * (int)strlen(end));
    if (compared != before + 5) check(0, "gaps not reported", '-', '-', 5, (int)(compared - before));
}

static void require(wl_status status) {
    if (status == WL_OK) return;
    printf("%s\n", wl_error());
    exit(1);
}

int main(void) {
    static const int rewards[][4] = {
        /* match, mismatch, and gaps that BLAST has statistics for */
        {2, -3, 5, 2}, {1, -2, 5, 2}, {1, -1, 5, 2}, {4, -5, 12, 8}, {1, -4, 5, 2}, {5, -4, 25, 10}, {3, -4, 6, 3}};
    static const char *const protein = "WCWHWCWHWCWHWCWHWCWH";
    static const char *const dna = "ACGGTCATTAGCCATACGATTCGAGGACTTAACTGCAGTCA";
    if (system("command -v blastp >/dev/null && command -v blastn >/dev/null") != 0) {
        printf("skipped: ncbi-blast+ is not installed\n");
        return 0;
    }
    if (!mkdtemp(folder)) return 1;
    for (const char *const *name = sw_scoring_names(); *name; name++) {
        sw_scoring scoring;
        char command[200];
        require(sw_scoring_named(*name, &scoring));
        snprintf(command, sizeof command, "blastp -matrix %s -comp_based_stats 0 -seg no", *name);
        every_pair(&scoring, protein, command);
        every_gap(&scoring, protein, command); // without -gapopen: BLAST's defaults are ours
    }
    for (size_t i = 0; i < sizeof rewards / sizeof *rewards; i++) {
        sw_scoring scoring;
        char command[200];
        require(sw_scoring_nucleotide(rewards[i][0], rewards[i][1], &scoring));
        require(sw_scoring_gaps(rewards[i][2], rewards[i][3], &scoring));
        snprintf(command, sizeof command,
                 "blastn -task blastn -dust no -strand plus -reward %d -penalty %d -gapopen %d -gapextend %d",
                 rewards[i][0], rewards[i][1], rewards[i][2], rewards[i][3]);
        every_pair(&scoring, dna, command);
    }
    char remove[100];
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    if (system(remove) != 0) return 1;
    printf("%zu pairs of letters and gaps: %zu differ from BLAST's\n", compared, failures);
    return failures > 0;
}
