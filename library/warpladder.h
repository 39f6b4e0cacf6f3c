/* libwarpladder: Warpladder's tools as functions for other programs. docs/library.md shows their use.

   A session says where work is done, and keeps the error line and the notes of the last call that was made with it. All work takes
   a session. Different sessions may be used by different threads at the same time; one session, and what was made with it, belongs
   to one thread at a time. The library prints nothing, ends no process, and changes neither signals, locale nor the calling thread's
   OpenMP settings. On a GPU, it leaves the session's GPU as the calling thread's current device.

   Every function that can fail returns a warpladder_status. Matrices are row by row, indices begin at 0, and sizes are counts of
   elements unless a comment says bytes. Pointers to input are read during the call only, unless a comment says more. */
#ifndef WARPLADDER_H
#define WARPLADDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    WARPLADDER_OK = 0,
    WARPLADDER_CHECK_FAILED =
        1, /* a result is not what the library's own checks expect: a fault of ours, or of the machine */
    WARPLADDER_BAD_ARGUMENT = 2, /* an argument or option is wrong, whatever the data are */
    WARPLADDER_BAD_INPUT = 3,    /* the data, or a file, are wrong */
    WARPLADDER_NO_MACHINE = 4    /* the machine lacks what was asked for: no GPU, too little memory */
} warpladder_status;

/* "1.0.0": the version of the library that is in use. Static storage. */
const char *warpladder_version(void);

/* --- Sessions ---------------------------------------------------------------------------------------------------- */

typedef struct warpladder warpladder;

/* Open a session. `device`: "cpu"; "gpu", "gpu:1" or "gpu:0,1" (several share the work); or NULL or "auto", the first GPU where there is one
   and else the CPU. On failure *session is a session that only warpladder_error and warpladder_close take, or NULL where there is
   no memory. WARPLADDER_NO_MACHINE: there is no such GPU. */
warpladder_status warpladder_open(const char *device, warpladder **session);

/* Close a session and free it. First close what was made with it. NULL: nothing. */
void warpladder_close(warpladder *session);

/* Why the session's last call failed: one line, without its end, of what was found and what was expected. "" if it did not fail.
   The session owns the text, which the next call with this session changes. NULL: "there is no session". */
const char *warpladder_error(const warpladder *session);

/* What the last call found remarkable in its data, as the tools tell on standard error: one line for each note, "" where
   there is none. The session owns the text, which the next call with this session changes. */
const char *warpladder_notes(const warpladder *session);

/* What a session computes on, "NVIDIA H200" or the CPU's model; the session owns the text. */
const char *warpladder_device_name(const warpladder *session);

/* CPU threads that a call may use, 1 or more; 0, as at the beginning: OpenMP's choice, which is OMP_NUM_THREADS or all.
   WARPLADDER_BAD_ARGUMENT: less than 0. */
warpladder_status warpladder_set_threads(warpladder *session, int threads);

/* Bytes of memory that a call may take, of the machine for distances and of each GPU for all; 0, as at the beginning: what is free. */
warpladder_status warpladder_set_memory(warpladder *session, size_t bytes);

/* --- Distances between all pairs --------------------------------------------------------------------------------- */

typedef enum {
    WARPLADDER_DIFFERENCES = 0, /* sites that differ */
    WARPLADDER_ALLELES = 1,     /* difference of allele counts, summed over sites; of genotypes */
    WARPLADDER_IBS = 2,         /* identity by state, 1 - ALLELES / (2 compared); of genotypes */
    WARPLADDER_EUCLIDEAN2 = 3,  /* squared Euclidean; of numbers */
    WARPLADDER_MANHATTAN = 4,   /* of numbers */
    WARPLADDER_P_DISTANCE = 5,  /* differences / compared */
    WARPLADDER_JC69 = 6,        /* this and the next, of nucleotides: docs/distances.md */
    WARPLADDER_K80 = 7,
    WARPLADDER_TN93 = 8,
    WARPLADDER_LOGDET = 9
} warpladder_measure;

typedef struct {
    size_t size; /* bytes of this struct, as the caller was compiled; WARPLADDER_DISTANCE_OPTIONS sets it */
    warpladder_measure measure; /* of letters DIFFERENCES, or P_DISTANCE and what follows it */
    int rescale;      /* times sites / compared sites; not of proportions: IBS, P_DISTANCE and what follows it */
    int every_letter; /* no letter is missing: a gap is a letter as others are */
    const char
        *present; /* these letters are compared, all others are missing. NULL: A, C, G and T of nucleotides, and of
                                   amino acids all but X - . ? * */
} warpladder_distance_options;
#define WARPLADDER_DISTANCE_OPTIONS \
    { sizeof(warpladder_distance_options), WARPLADDER_DIFFERENCES, 0, 0, NULL }

/* The distances between all pairs of aligned sequences, letters [count][sites] without separators or terminators: either case, IUPAC's
   codes of nucleotides (U is T) or amino acids, '-', '.', '?' and '*'. Whether they are nucleotides or amino acids, the first 10,000
   letters say, as for `warpladder distances`. `options` may be NULL: the defaults. The caller owns the results: distance [count][count], symmetric, and compared
   [count][count] or NULL, the sites at which both sequences have a value. A distance is NaN where nothing was compared and it is rescaled.
   WARPLADDER_BAD_INPUT: a byte that no sequence has, no sequences or no sites. WARPLADDER_BAD_ARGUMENT: a measure that letters do
   not have. WARPLADDER_NO_MACHINE: memory is short. */
warpladder_status warpladder_distances_letters(warpladder *session, const warpladder_distance_options *options,
                                               const char *letters, size_t count, size_t sites, double *distance,
                                               uint32_t *compared);

/* The same of numbers, values [count][sites], NaN where one is missing. For ALLELES and IBS they are genotypes: 0, 1 or 2 of the counted
   allele. DIFFERENCES needs integers of 0 to 127. A distance is NaN where nothing was compared and it is a proportion or rescaled.
   WARPLADDER_BAD_INPUT: infinity, or a value that is no genotype. WARPLADDER_BAD_ARGUMENT: `present` or `every_letter`, or a measure
   that the values do not have. */
warpladder_status warpladder_distances_numbers(warpladder *session, const warpladder_distance_options *options,
                                               const double *values, size_t count, size_t sites, double *distance,
                                               uint32_t *compared);

#ifdef __cplusplus
}
#endif
#endif
