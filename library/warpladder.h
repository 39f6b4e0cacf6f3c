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

/* CPU threads that a call may use, 1 or more; 0, as at the beginning: OpenMP's choice, which is OMP_NUM_THREADS or all. What is open
   already keeps its number.
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

/* --- Sequences with names ------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name;    /* a string; NULL: the sequence's number, from 1 */
    const char *letters; /* [length], each a letter, '-', '.', '*' or '?'; no terminator is needed */
    size_t length;       /* 1 to 2^30 */
} warpladder_sequence;

/* --- Search of a database ------------------------------------------------------------------------------------------ */

/* The sequences that are searched. It is only read, so several sessions may use one at the same time. */
typedef struct warpladder_database warpladder_database;

/* Open a file: FASTA or FASTQ, plain or gzip, or a .wdb file of `warpladder makedb`, which is mapped. nucleotide: 0 for proteins.
   The file may go when this returns, unless it is a .wdb file. On success close with warpladder_database_close; on failure
   *database is NULL. WARPLADDER_BAD_INPUT: the file cannot be read; the error line names file and line. */
warpladder_status warpladder_database_open(warpladder *session, const char *path, int nucleotide,
                                           warpladder_database **database);
/* The same from sequences [count] in memory, at least one, which are copied. */
warpladder_status warpladder_database_make(warpladder *session, const warpladder_sequence *sequences, size_t count,
                                           int nucleotide, warpladder_database **database);
/* When no search uses it any more, and no hits of it are looked at. NULL: nothing. */
void warpladder_database_close(warpladder_database *database);

/* How many sequences there are, and letters in all of them. */
size_t warpladder_database_count(const warpladder_database *database);
uint64_t warpladder_database_letters(const warpladder_database *database);

typedef struct {
    size_t size; /* bytes of this struct; WARPLADDER_SEARCH_OPTIONS sets it */
    const char *
        matrix; /* of proteins: BLOSUM62 (NULL), another name that `warpladder search --help` lists, or a file in NCBI's format */
    int gap_open; /* a gap of k residues costs gap_open + k * gap_extend; -1: BLAST's costs for the matrix; of nucleotides 5, 2 */
    int gap_extend;
    int match, mismatch; /* of nucleotides: 1 to 127, -127 to -1 */
    int minus_strand;    /* of nucleotides: search with the query (0), its reverse complement (1), or both (2) */
    int finite_size;     /* of proteins: E-values with the finite-size correction, which are blastp's */
    int without_paths;   /* no alignments: hits have names, scores and E-values only, which is faster */
    int least_score;     /* lower scores are no hits; at least 1 */
    size_t most_hits;    /* of a query; at least 1 */
    double highest_evalue;
} warpladder_search_options;
#define WARPLADDER_SEARCH_OPTIONS \
    { sizeof(warpladder_search_options), NULL, -1, -1, 2, -3, 2, 0, 0, 1, 500, 10.0 }

/* A sequence of the database that is like a query. Positions count from 0, and an end is behind the last. */
typedef struct {
    size_t query;     /* which of the queries, from 0 */
    size_t subject;   /* which of the database's sequences in the order of its input, from 0 */
    const char *name; /* the subject's; the database owns it */
    int score;
    int strand;          /* 1, or -1 where the query's reverse complement was aligned */
    double bits, evalue; /* NaN where no statistics are published for the scores */
    size_t query_start, query_end, subject_start,
        subject_end; /* in the sequences as they were given; 0 without paths */
    size_t columns, identities, positives, gap_openings, gap_residues;
    const char *
        path; /* [columns], in the direction of the subject: 'M' a pair, 'I' a residue of the query against a gap, 'D' one of the
                         subject; a string that the hits own; NULL without paths */
} warpladder_hit;

typedef struct warpladder_hits warpladder_hits;

/* Search the database with queries [count], by exact Smith-Waterman with affine gaps. Hits are in the order of the queries, and of one query
   best first; the result is the same on every device. On success close *hits with warpladder_hits_close; on failure it is NULL.
   WARPLADDER_BAD_ARGUMENT: an option is out of its range, or there is no statistics for finite_size. WARPLADDER_BAD_INPUT: a letter that
   is none; the error line says "queries:2" of the second one. WARPLADDER_CHECK_FAILED: an alignment does not have the score that was found. */
warpladder_status warpladder_search(warpladder *session, const warpladder_search_options *options,
                                    const warpladder_database *database, const warpladder_sequence *queries,
                                    size_t count, warpladder_hits **hits);
void warpladder_hits_close(warpladder_hits *hits); /* NULL: nothing */
/* All hits [*count], which `hits` owns. */
const warpladder_hit *warpladder_hits_items(const warpladder_hits *hits, size_t *count);

/* --- Likelihoods of a tree ----------------------------------------------------------------------------------------- */

/* A model of substitution with its parameters. Whoever has no such parameter ignores it. */
typedef struct {
    size_t size; /* bytes of this struct; WARPLADDER_MODEL sets it */
    const char
        *name; /* "GTR+G4", "GY94", ..: as `warpladder likelihood --model` has them; +G4: four gamma classes of rates */
    double alpha;            /* shape of the gamma distribution: 0.001 to 1e6 */
    double kappa;            /* transitions over transversions: K80, HKY85, GY94 */
    double omega;            /* non-synonymous over synonymous: GY94 */
    double exchange[6];      /* GTR: AC, AG, AT, CG, CT, GT; only their ratios count */
    const char *frequencies; /* NULL: the model's default; "equal", "observed", "f1x4", "f3x4", "f61" or "published" */
    const double
        *own_frequencies; /* [states], instead of `frequencies`; NULL: none. A, C, G, T; amino acids in the order
                                     ARNDCQEGHILKMFPSTWYV; sense codons in that of AAA, AAC, .. TTT */
    int median;           /* rates are the classes' medians, scaled to mean 1, and not their means */
    int mitochondrial;    /* GY94: the vertebrate mitochondrial code */
} warpladder_model;
#define WARPLADDER_MODEL \
    { sizeof(warpladder_model), "JC69", 0.5, 2.0, 0.5, {1, 1, 1, 1, 1, 1}, NULL, NULL, 0, 0 }

/* An alignment on a tree with a model, laid out on the session's devices: made once, evaluated often. On a GPU it belongs to the thread that
   opened it. */
typedef struct warpladder_likelihood warpladder_likelihood;

/* Lay out rows [count], all of one length, on the tree `newick`, a string in Newick format whose tips are named as the rows and whose branches
   have lengths. All of it is copied. single: compute in single precision. On success close with warpladder_likelihood_close; on
   failure *likelihood is NULL. WARPLADDER_BAD_INPUT: rows or tree are wrong or do not fit; the error line says "alignment:2" of the second
   row, and line and column of the tree. WARPLADDER_BAD_ARGUMENT: the model is wrong, whatever the alignment. */
warpladder_status warpladder_likelihood_open(warpladder *session, const warpladder_model *model,
                                             const warpladder_sequence *rows, size_t count, const char *newick,
                                             int single, warpladder_likelihood **likelihood);
void warpladder_likelihood_close(warpladder_likelihood *likelihood); /* before its session; NULL: nothing */

/* Nodes of the rooted binary tree, 2 * rows - 1. 0 .. rows - 1 are the rows' tips; a parent comes after its children, and the root is
   last. What has more than two branches in `newick` has become nodes with branches of length 0 between them. */
size_t warpladder_likelihood_nodes(const warpladder_likelihood *likelihood);
/* Columns of the alignment; of a codon model they have three letters each. */
size_t warpladder_likelihood_columns(const warpladder_likelihood *likelihood);
/* Of each node its parent, UINT32_MAX for the root, and the length of the branch between: [nodes] each, either may be NULL. */
void warpladder_likelihood_tree(const warpladder_likelihood *likelihood, uint32_t *parent, double *length);

/* Other lengths [nodes] of the branches, in expected substitutions for each column: 0 or more; the root's is ignored. What the next evaluation
   computes is what has changed: the branches, and the nodes above them. WARPLADDER_BAD_ARGUMENT: a length that is none. */
warpladder_status warpladder_likelihood_set_lengths(warpladder_likelihood *likelihood, const double *length);
/* Another model with as many states and rate classes. WARPLADDER_BAD_ARGUMENT: it has others; then the old one stays. */
warpladder_status warpladder_likelihood_set_model(warpladder_likelihood *likelihood, const warpladder_model *model);
/* The natural logarithm of the likelihood into *total, and of each column's into column [columns] or NULL. -infinity where the data are
   impossible. Errors are the session's. */
warpladder_status warpladder_likelihood_evaluate(warpladder_likelihood *likelihood, double *total, double *column);

/* --- Reads aligned to a reference tree ------------------------------------------------------------------------------ */

typedef struct {
    size_t size;         /* bytes of this struct; WARPLADDER_READ_OPTIONS sets it */
    int protein;         /* reference and reads are amino acids */
    int keep_insertions; /* letters of reads that no site fits get columns of their own; else they are left out */
    int mismatch, insertion, gap_open, gap_extend, cgap; /* costs, as of `warpladder align-reads`, 0 to 255 each */
} warpladder_read_options;
#define WARPLADDER_READ_OPTIONS \
    { sizeof(warpladder_read_options), 0, 0, 3, 3, 4, 1, 3 }

/* Where a read belongs: the edge of the tree that it fits best, and the next best. A lower score fits better. */
typedef struct {
    uint32_t edge, second_edge; /* second_edge: UINT32_MAX where there is but one edge */
    int score, second_score;
} warpladder_placement;

typedef struct warpladder_alignment warpladder_alignment;

/* Align reads [reads_count] to reference rows [reference_count], all of one length, on the tree `newick`, whose tips are named as the rows
   (PaPaRa). The result is the same on every device. On success close *alignment with warpladder_alignment_close; on failure it is NULL.
   WARPLADDER_BAD_INPUT: rows, tree or reads are wrong or do not fit; the error line says "reads:2" of the second read. */
warpladder_status warpladder_align_reads(warpladder *session, const warpladder_read_options *options,
                                         const warpladder_sequence *reference, size_t reference_count,
                                         const char *newick, const warpladder_sequence *reads, size_t reads_count,
                                         warpladder_alignment **alignment);
void warpladder_alignment_close(warpladder_alignment *alignment); /* NULL: nothing */

/* [reads], owned by the alignment. */
const warpladder_placement *warpladder_alignment_placements(const warpladder_alignment *alignment);
/* Columns of the new alignment. */
size_t warpladder_alignment_columns(const warpladder_alignment *alignment);
/* The new alignment, rows of the reference first and then of the reads: [reference_count + reads_count][columns] letters without
   terminators, owned by the alignment. */
const char *warpladder_alignment_letters(const warpladder_alignment *alignment);
/* The tree with the numbers of its edges, {N} behind each length as in jplace files: a string, owned by the alignment. */
const char *warpladder_alignment_tree(const warpladder_alignment *alignment);

#ifdef __cplusplus
}
#endif
#endif
