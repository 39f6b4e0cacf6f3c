/* What is asked of an alignment of reads to a reference tree, and what is found: align.h does it. */
#pragma once

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

/* A read is out of line if its score per letter is above this share of an unrelated read's. Related reads are far below, reverse
   complements above. */
#define PAPARA_OUT_OF_LINE 0.75
int papara_out_of_line(const papara_data *data, const papara_aligned *aligned, size_t r);

/* The reads to place: first .. end - 1. */
void papara_align_range(const papara_align_request *request, size_t *first, size_t *end);
/* The same as a view. */
papara_reads papara_align_reads(const papara_align_request *request);
