/* Reads placed on a reference tree and aligned to its alignment: the scoring phase, then the alignment phase. */
#ifndef TOOLS_ALIGN_READS_ALIGN_H
#define TOOLS_ALIGN_READS_ALIGN_H

#include "tools/align_reads/data.h"
#include "tools/align_reads/score/score.h"

typedef enum {
    PAPARA_PLUS,
    PAPARA_MINUS, // reverse complements
    PAPARA_BOTH,  // the one that fits better; plus if both fit alike
    PAPARA_AUTO   // plus; minus if a read is out of line and fits better there; with few reads, both
} papara_strand;

typedef struct {
    papara_data *data; // reads that fit better as reverse complements are turned in it
    papara_penalties penalties;
    papara_strand strand;     // amino acids: only PAPARA_PLUS
    int judge;                // estimate the score of unrelated reads, by scoring a few reads more
    size_t first_read, reads; // place only these reads and leave the others' results unset; 0 reads: all
    const wl_device *devices; // [device_count]; see papara_score_request for this and the next three
    size_t device_count;
    const char *pattern;
    size_t memory, most_reads;
    int threads; // of the CPU, for both phases; 0: all

    /* Called several times per second, always from papara_align's thread; may be NULL. `phase` is "scoring" or
       "aligning". */
    void (*progress)(void *user, const char *phase, double done, double seconds);
    void *user;
} papara_align_request;

typedef struct {
    papara_best *best; // [reads]; vectors are edges of data->tree
    int32_t *column;   // [letters of all reads]: read r's from data->start[r], see papara_trace
    papara_score_summary scoring;
    double alignment_seconds;
    papara_oddity inserted; // reads with letters without a site
    papara_oddity astray;   // reads without any letter on a site

    uint8_t *turned;   // [reads]: 1: it is the reverse complement of the file's read
    double chance;     // the score per letter of unrelated reads; 0: not estimated
    size_t tried;      // reads that were also scored as reverse complements for this,
    size_t fit_turned; // and how many of them fit better so
} papara_aligned;

/* On success free with papara_aligned_free. An alignment that does not cost what the scoring phase found:
   WL_CHECK_FAILED, with the read's name. Devices, threads and memory do not change the result. */
wl_status papara_align(const papara_align_request *request, papara_aligned *aligned);
void papara_aligned_free(papara_aligned *aligned);
/* Moves reads with a score per letter above `most` from both to data->left, on the file's strand. */
wl_status papara_aligned_limit(papara_data *data, papara_aligned *aligned, double most);

/* The alignment phase alone, for reads that have been scored. */
typedef struct {
    const papara_score_request *scored;
    const papara_best *best;       // [reads]
    const wl_sequences *sequences; // [reads]: their names, for messages; NULL: by number
    int threads;                   // 0: all
    void (*progress)(void *user, const char *phase, double done, double seconds); // as above
    void *user;
} papara_alignment;

/* column: [letters] as in papara_aligned, or NULL. WL_CHECK_FAILED as papara_align. */
wl_status papara_align_scored(const papara_alignment *request, int32_t *column);
#endif
