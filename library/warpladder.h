/* libwarpladder: Warpladder's tools as functions for other programs. docs/library.md shows how to use it.

   A session says where work is done. It keeps the error line and the notes of the last call that was made with it.
   Threads may work at the same time, each with a session of its own. A session, and what was made with it, belongs to
   one thread at a time. The library prints nothing, ends no process, and leaves signals, the locale and the calling
   thread's OpenMP settings as they are. On a GPU, it makes the session's GPU the calling thread's current device.

   Every function that can fail returns a warpladder_status. Pointers must not be NULL unless a comment says that they
   may. Matrices are stored row by row, numbers of things begin at 0, and sizes count elements unless a comment says
   bytes. The library reads its input during the call only, and copies what it keeps. */
#ifndef WARPLADDER_H
#define WARPLADDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    WARPLADDER_OK = 0,
    WARPLADDER_CHECK_FAILED = 1, /* the library's own check of a result failed: a fault of ours, or of the machine */
    WARPLADDER_BAD_ARGUMENT = 2, /* an argument or an option is wrong, whatever the data are */
    WARPLADDER_BAD_INPUT = 3,    /* the data or a file are wrong */
    WARPLADDER_NO_MACHINE = 4    /* the machine lacks what was asked for: there is no GPU, or too little memory */
} warpladder_status;

/* The version of the library that is in use, as in "1.0.0". Static storage. */
const char *warpladder_version(void);

/* --- Sessions ---------------------------------------------------------------------------------------------------- */

typedef struct warpladder warpladder;

/* Open a session. `device` is "cpu", "gpu", "gpu:1", or "gpu:0,1" for several GPUs that share the work; "auto" or NULL
   is the first GPU where there is one, and else the CPU. Close *session with warpladder_close, also after a failure:
   then warpladder_error says what is wrong, and all else refuses the session. *session is NULL where there is no
   memory for it.
   WARPLADDER_BAD_ARGUMENT: `device` is none. WARPLADDER_NO_MACHINE: there is no such GPU. */
warpladder_status warpladder_open(const char *device, warpladder **session);

/* Close a session, and give back the memory of its GPUs that was kept for its next call. What was made with it must be
   closed before, except databases, hits and alignments. NULL is allowed. */
void warpladder_close(warpladder *session);

/* Why the session's last call failed: one line, without a line end, that says what was found and what was expected.
   "" if it did not fail. The text belongs to the session and lasts until its next call. NULL is allowed. */
const char *warpladder_error(const warpladder *session);

/* What a user should know about the last call's data, such as which letters were taken as missing: a line for each
   note, "" if there is none. The text belongs to the session and lasts until its next call. */
const char *warpladder_notes(const warpladder *session);

/* The name of the session's first device: "NVIDIA H200", or the CPU's model. The text belongs to the session. */
const char *warpladder_device_name(const warpladder *session);

/* Let each call use this many CPU threads. 0, the default, leaves the number to OpenMP: OMP_NUM_THREADS, or all. A
   likelihood keeps the number that it was opened with. WARPLADDER_BAD_ARGUMENT: less than 0. */
warpladder_status warpladder_set_threads(warpladder *session, int threads);

/* Let each call take at most this many bytes of memory: of each GPU, and for distances of the machine too. 0, the
   default: what is free. */
warpladder_status warpladder_set_memory(warpladder *session, size_t bytes);

/* --- Options ----------------------------------------------------------------------------------------------------- */

/* Each struct of options begins with its size in bytes, which its initialiser sets:

       warpladder_search_options options = WARPLADDER_SEARCH_OPTIONS;

   Where a function takes options, NULL means the defaults, which are those of the initialiser. A later library takes
   the smaller struct of an earlier header; an earlier library refuses the larger struct of a later header. */

/* --- Distances between all pairs --------------------------------------------------------------------------------- */

typedef enum {
    WARPLADDER_DIFFERENCES = 0, /* sites that differ */
    WARPLADDER_ALLELES = 1,     /* genotypes: the difference of allele counts, summed over sites */
    WARPLADDER_IBS = 2,         /* genotypes: identity by state, 1 - ALLELES / (2 compared) */
    WARPLADDER_EUCLIDEAN2 = 3,  /* numbers: the squared Euclidean distance */
    WARPLADDER_MANHATTAN = 4,   /* numbers */
    WARPLADDER_P_DISTANCE = 5,  /* letters: differences / compared */
    WARPLADDER_JC69 = 6,        /* nucleotides, as the next ones: docs/distances.md */
    WARPLADDER_K80 = 7,
    WARPLADDER_TN93 = 8,
    WARPLADDER_LOGDET = 9
} warpladder_measure;

typedef struct {
    size_t size;
    warpladder_measure measure;
    /* Multiply by sites / compared sites. Not with IBS or a measure from P_DISTANCE on, which are proportions. */
    int rescale;
    /* No letter is missing: a gap is a letter like any other. */
    int every_letter;
    /* Compare these letters and take all others as missing. NULL: of nucleotides A, C, G and T; of amino acids all
       but X, '-', '.', '?' and '*'. */
    const char *present;
} warpladder_distance_options;
#define WARPLADDER_DISTANCE_OPTIONS \
    { sizeof(warpladder_distance_options), WARPLADDER_DIFFERENCES, 0, 0, NULL }

/* Compute the distances between all pairs of aligned sequences, letters [count][sites] without anything between them:
   nucleotides (IUPAC's codes; U is T) or amino acids, in either case, and '-', '.', '?' and '*'. The first 10,000
   letters show whether they are nucleotides. The results go to distance [count][count], which is symmetric, and to
   compared [count][count], the number of sites at which both sequences have a value; `compared` may be NULL. A distance
   is NaN where nothing was compared and the measure is a proportion or is rescaled.
   WARPLADDER_BAD_INPUT: a byte that no sequence has, no sequence, or no site. WARPLADDER_BAD_ARGUMENT: a measure that
   letters do not have. WARPLADDER_NO_MACHINE: memory is short. */
warpladder_status warpladder_distances_letters(warpladder *session, const warpladder_distance_options *options,
                                               const char *letters, size_t count, size_t sites, double *distance,
                                               uint32_t *compared);

/* The same of values [count][sites], NaN where a value is missing. With ALLELES and IBS, values are genotypes: 0, 1 or
   2 copies of the counted allele. DIFFERENCES needs integers from 0 to 127.
   WARPLADDER_BAD_INPUT: infinity, or a value that is no genotype. WARPLADDER_BAD_ARGUMENT: options that are for letters,
   or a measure that the values do not have. */
warpladder_status warpladder_distances_numbers(warpladder *session, const warpladder_distance_options *options,
                                               const double *values, size_t count, size_t sites, double *distance,
                                               uint32_t *compared);

/* --- Sequences with names ---------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;    /* a string; NULL: the sequence's number, from 1 */
    const char *letters; /* [length]: letters, '-', '.', '*' and '?'; no terminator is needed */
    size_t length;       /* 1 to 2^30 */
} warpladder_sequence;

/* --- Search of a database ---------------------------------------------------------------------------------------- */

/* The sequences that are searched. Searches only read it, so threads may share it. */
typedef struct warpladder_database warpladder_database;

/* Open a file: FASTA or FASTQ, plain or gzip, or a .wdb file of `warpladder makedb`, which is mapped and must stay as it
   is. nucleotide: 0 for proteins. On success close *database with warpladder_database_close; on failure it is NULL.
   WARPLADDER_BAD_INPUT: the file cannot be read; the error line names the file and the line. */
warpladder_status warpladder_database_open(warpladder *session, const char *path, int nucleotide,
                                           warpladder_database **database);
/* The same from sequences [count], at least one. The error line calls the second one "database:2". */
warpladder_status warpladder_database_make(warpladder *session, const warpladder_sequence *sequences, size_t count,
                                           int nucleotide, warpladder_database **database);
/* Close a database when nobody searches it, and nobody looks at the names in hits of it. NULL is allowed. */
void warpladder_database_close(warpladder_database *database);

/* The number of sequences, and of letters in all of them. */
size_t warpladder_database_count(const warpladder_database *database);
uint64_t warpladder_database_letters(const warpladder_database *database);

typedef struct {
    size_t size;
    /* Proteins: a matrix that `warpladder search --help` lists, or a file in NCBI's format. NULL: BLOSUM62. */
    const char *matrix;
    /* A gap of k residues costs gap_open + k * gap_extend. -1: BLAST's costs for the matrix; of nucleotides 5 and 2. */
    int gap_open, gap_extend;
    /* Nucleotides: the score of equal bases, 1 to 127, and of different bases, -127 to -1. */
    int match, mismatch;
    /* Nucleotides: search with the query (0), with its reverse complement (1), or with both (2). */
    int minus_strand;
    /* Proteins: E-values with the finite-size correction, as blastp has them. */
    int finite_size;
    /* Compute no alignments: hits have no positions and no paths. This is faster. */
    int without_paths;
    /* A hit has at least this score, 1 or more. */
    int least_score;
    /* A query has at most so many hits, 1 or more. */
    size_t most_hits;
    /* A hit has at most this E-value, where there is one. */
    double highest_evalue;
} warpladder_search_options;
#define WARPLADDER_SEARCH_OPTIONS \
    { sizeof(warpladder_search_options), NULL, -1, -1, 2, -3, 2, 0, 0, 1, 500, 10.0 }

/* A sequence of the database that is like a query. A stretch of a sequence is [start, end): `end` is the position after
   its last letter. */
typedef struct {
    size_t query;     /* which of the queries */
    size_t subject;   /* which of the database's sequences, in the order of its input */
    const char *name; /* the subject's; it belongs to the database */
    int score;
    int strand;          /* 1, or -1 if the query's reverse complement was aligned */
    double bits, evalue; /* NaN if nobody has published statistics for the scores */
    /* Positions in the sequences as they were given. All that follows is 0 or NULL without paths. */
    size_t query_start, query_end, subject_start, subject_end;
    size_t columns, identities, positives, gap_openings, gap_residues;
    /* [columns], a string, from the subject's start to its end: 'M' for a pair, 'I' for a residue of the query against a
       gap, 'D' for a residue of the subject. It belongs to the hits. */
    const char *path;
} warpladder_hit;

typedef struct warpladder_hits warpladder_hits;

/* Search the database with queries [count] by exact Smith-Waterman with affine gaps. The hits are in the order of the
   queries, and those of one query from the best to the worst. They are the same on every device. On success close *hits
   with warpladder_hits_close; on failure it is NULL.
   WARPLADDER_BAD_ARGUMENT: an option is out of its range, or there are no statistics for finite_size.
   WARPLADDER_BAD_INPUT: a letter that is none; the error line calls the second query "queries:2".
   WARPLADDER_CHECK_FAILED: an alignment does not have the score that the scan found. */
warpladder_status warpladder_search(warpladder *session, const warpladder_search_options *options,
                                    const warpladder_database *database, const warpladder_sequence *queries,
                                    size_t count, warpladder_hits **hits);
/* NULL is allowed. */
void warpladder_hits_close(warpladder_hits *hits);
/* All hits, [*count]. They belong to `hits`. */
const warpladder_hit *warpladder_hits_items(const warpladder_hits *hits, size_t *count);

/* --- Likelihoods of a tree --------------------------------------------------------------------------------------- */

/* A model of substitution. A parameter that the model does not have is ignored. */
typedef struct {
    size_t size;
    /* As `warpladder likelihood --model` takes it: "HKY85", "WAG", "GY94". "GTR+G4" has four classes of rates. */
    const char *name;
    /* The shape of the gamma distribution of the rates, 0.001 to 1e6. */
    double alpha;
    /* K80, HKY85, GY94: transitions over transversions. */
    double kappa;
    /* GY94: non-synonymous over synonymous. */
    double omega;
    /* GTR: AC, AG, AT, CG, CT, GT. Only their ratios count. */
    double exchange[6];
    /* "equal", "observed", "published", or of codons "f1x4", "f3x4" or "f61". NULL: the model's default. */
    const char *frequencies;
    /* [states], in place of `frequencies` unless NULL: of A, C, G, T; of amino acids in the order ARNDCQEGHILKMFPSTWYV;
       of sense codons in the order AAA, AAC, .. TTT. Their sum is 1. */
    const double *own_frequencies;
    /* Rates are the classes' medians, scaled to mean 1, and not the classes' means. */
    int median;
    /* GY94: the vertebrate mitochondrial code. */
    int mitochondrial;
} warpladder_model;
#define WARPLADDER_MODEL \
    { sizeof(warpladder_model), "JC69", 0.5, 2.0, 0.5, {1, 1, 1, 1, 1, 1}, NULL, NULL, 0, 0 }

/* An alignment on a tree with a model, laid out on the session's devices: opened once, evaluated often. It reports errors
   through its session. On a GPU it belongs to the thread that opened it. */
typedef struct warpladder_likelihood warpladder_likelihood;

/* Lay out rows [count], all of the same length, on a tree: `newick` is a string in Newick format whose tips have the
   rows' names and whose branches have lengths. A model of NULL is JC69. single: compute in single precision. On success
   close *likelihood with warpladder_likelihood_close; on failure it is NULL. On a GPU that the stages were not measured
   on, they are timed once, and the choice is kept in the user's cache folder (docs/likelihood.md).
   WARPLADDER_BAD_INPUT: rows or tree are wrong, or do not fit; the error line calls the second row "alignment:2", and
   names line and column of the tree. WARPLADDER_BAD_ARGUMENT: the model is wrong, whatever the alignment is. */
warpladder_status warpladder_likelihood_open(warpladder *session, const warpladder_model *model,
                                             const warpladder_sequence *rows, size_t count, const char *newick,
                                             int single, warpladder_likelihood **likelihood);
/* Before its session. NULL is allowed. */
void warpladder_likelihood_close(warpladder_likelihood *likelihood);

/* The number of nodes of the rooted binary tree, 2 * count - 1. Node i < count is the tip of row i. Every other node comes
   after its children, so the root is the last. A node of `newick` with more than two children has become several nodes,
   with branches of length 0 between them. */
size_t warpladder_likelihood_nodes(const warpladder_likelihood *likelihood);
/* The number of columns. A codon model's have three letters each. */
size_t warpladder_likelihood_columns(const warpladder_likelihood *likelihood);
/* Write each node's parent, UINT32_MAX for the root, to parent [nodes], and the length of the branch between the two to
   length [nodes]. Either may be NULL. */
void warpladder_likelihood_tree(const warpladder_likelihood *likelihood, uint32_t *parent, double *length);

/* Change the branches' lengths to length [nodes]: expected substitutions per column, 0 or more. The root's is ignored. The
   next evaluation computes only the branches that differ and the nodes above them.
   WARPLADDER_BAD_ARGUMENT: a length that is none; then all stay. */
warpladder_status warpladder_likelihood_set_lengths(warpladder_likelihood *likelihood, const double *length);
/* Change the model to one with the same states and as many classes of rates. WARPLADDER_BAD_ARGUMENT: it is another, or
   wrong; then the old one stays. */
warpladder_status warpladder_likelihood_set_model(warpladder_likelihood *likelihood, const warpladder_model *model);
/* Write the natural logarithm of the likelihood to *total, and each column's to column [columns], which may be NULL.
   -infinity: the data cannot be. */
warpladder_status warpladder_likelihood_evaluate(warpladder_likelihood *likelihood, double *total, double *column);

/* --- Reads aligned to a reference tree --------------------------------------------------------------------------- */

typedef struct {
    size_t size;
    /* Reference and reads are amino acids. */
    int protein;
    /* Letters of reads that no site fits get columns of their own. Without it they are left out. */
    int keep_insertions;
    /* Costs, as of `warpladder align-reads`: 0 to 255 each, and gap_open not below gap_extend. */
    int mismatch, insertion, gap_open, gap_extend, cgap;
} warpladder_read_options;
#define WARPLADDER_READ_OPTIONS \
    { sizeof(warpladder_read_options), 0, 0, 3, 3, 4, 1, 3 }

/* Where a read belongs: the number of the edge that it fits best, the next best edge, and their scores. A lower score is a
   better fit. Edges are counted in post-order, as EPA-ng, pplacer and RAxML count them. */
typedef struct {
    uint32_t edge, second_edge;
    int score, second_score;
} warpladder_placement;

typedef struct warpladder_alignment warpladder_alignment;

/* Align reads [reads_count] to reference rows [reference_count], all of the same length, by PaPaRa. `newick` is a string in
   Newick format whose tips have the rows' names. The result is the same on every device. On success close *alignment with
   warpladder_alignment_close; on failure it is NULL.
   WARPLADDER_BAD_INPUT: rows, tree or reads are wrong, or do not fit, or a read is nothing but N (proteins: X); the error line calls the
   second read "reads:2". */
warpladder_status warpladder_align_reads(warpladder *session, const warpladder_read_options *options,
                                         const warpladder_sequence *reference, size_t reference_count,
                                         const char *newick, const warpladder_sequence *reads, size_t reads_count,
                                         warpladder_alignment **alignment);
/* NULL is allowed. */
void warpladder_alignment_close(warpladder_alignment *alignment);

/* What follows belongs to the alignment. [reads_count]: */
const warpladder_placement *warpladder_alignment_placements(const warpladder_alignment *alignment);
/* The number of columns of the new alignment. */
size_t warpladder_alignment_columns(const warpladder_alignment *alignment);
/* The new alignment: [reference_count + reads_count][columns] letters without terminators, first the reference. */
const char *warpladder_alignment_letters(const warpladder_alignment *alignment);
/* The tree as a string with the numbers of its edges: {N} after each length, as in jplace files. */
const char *warpladder_alignment_tree(const warpladder_alignment *alignment);

#ifdef __cplusplus
}
#endif
#endif
