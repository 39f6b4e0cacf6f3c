/* Models of substitution: reversible Markov chains of nucleotides, amino acids and codons, whose rate varies over the
   columns. */
#pragma once

#include <stdint.h>

#include "harness/base/linkage.h"
#include "harness/base/error.h"
#include "peeling/model/generator.h"

WL_C_BEGIN

enum { PEELING_NAME = 64, PEELING_PARTS_MOST = 4 };

/* What a state is. */
typedef enum { PEELING_NUCLEOTIDES, PEELING_AMINO_ACIDS, PEELING_CODONS } peeling_alphabet;
/* NCBI's numbers 1 and 2; others are peeling_code_numbered's. */
typedef enum { PEELING_CODE_STANDARD, PEELING_CODE_VERTEBRATE_MITOCHONDRIAL } peeling_genetic_code;

typedef enum {
    PEELING_JC69,
    PEELING_K80,
    PEELING_HKY85,
    PEELING_GTR,
    PEELING_POISSON,   // amino acids, all alike
    PEELING_EMPIRICAL, // amino acids: rates that were published, or are of a file
    PEELING_GY94,      // codons: M0 of Goldman & Yang 1994 and Yang et al. 2000, with kappa and omega
    PEELING_MODELS
} peeling_model_kind;

/* Where frequencies come from that are not given. Of codons: F1x4, from those of nucleotides; F3x4, from those of
   nucleotides at the three positions; F61, each codon's own. */
typedef enum {
    PEELING_EQUAL,
    PEELING_GIVEN,
    PEELING_OBSERVED, // in the alignment; of codons this is F61
    PEELING_F1X4,
    PEELING_F3X4,
    PEELING_PUBLISHED // with the exchange rates
} peeling_frequencies;

/* "equal", "observed", "f1x4", "f3x4", "f61" or "published". False: another word. */
int peeling_frequencies_named(const char *word, peeling_frequencies *frequencies);
/* WL_BAD_USAGE: their sum is not 1, by more than 0.01; people round to two digits. */
wl_status peeling_frequencies_check(const double *frequency, int count);

/* Exchange rates and frequencies of the 20 amino acids in the order ARNDCQEGHILKMFPSTWYV. */
typedef struct {
    char name[24];
    const char *path; // of a file's: as it was given, in a text that outlives this; NULL: published
    int path_length;
    double exchange[190]; // row by row below the diagonal: R with A; N with A, R; .. V with all others
    double frequency[20];
} peeling_empirical;
/* The i-th of those that are published, by name; NULL: there are no more. For as long as the program runs. */
const peeling_empirical *peeling_empirical_at(size_t i);
/* By its name, the first `length` letters of `text`: "LG", "JTT-DCMut", in either case. NULL: none. */
const peeling_empirical *peeling_empirical_named(const char *text, size_t length);
/* From a file in PAML's layout. WL_BAD_INPUT: file and line. */
wl_status peeling_empirical_read(const char *path, peeling_empirical *made);

/* What a user has given a number for, as bits: the rest are defaults, or may be estimated. */
enum {
    PEELING_GIVEN_ALPHA = 1,
    PEELING_GIVEN_KAPPA = 2,
    PEELING_GIVEN_OMEGA = 4,
    PEELING_GIVEN_EXCHANGE = 8,
    PEELING_GIVEN_INVARIANT = 16,
    PEELING_GIVEN_RATES = 32 // free rates and their shares
};
#define PEELING_INVARIANT_MOST 0.999999

/* A model as a user asks for it. */
typedef struct {
    peeling_model_kind kind;
    const peeling_empirical *empirical; // of PEELING_EMPIRICAL; it outlives the settings
    peeling_genetic_code code;          // of codon models
    unsigned given;                     // bits
    int rates;                          // classes of columns that change; 1: all of them have the same rate
    int free_rates; // the classes have the rates and shares below, and are not of a gamma distribution
    double rate[PEELING_RATES_MOST], share[PEELING_RATES_MOST]; // of free_rates; of both only the ratios count
    int has_invariant;                                          // one more class, of columns that never change
    double invariant;   // its share of all columns, from 0 to PEELING_INVARIANT_MOST
    int median;         // the classes' medians (scaled to mean 1) in place of their means (Yang 1994)
    double alpha;       // the gamma distribution's shape, above 0
    double kappa;       // transition:transversion rate ratio: K80, HKY85, GY94
    double omega;       // non-synonymous:synonymous rate ratio: GY94
    double exchange[6]; // GTR: AC, AG, AT, CG, CT, GT; only their ratios count
    char alike[7];      // GTR: exchange rates of the same digit are equal, the first of them counts; "012345"
    const char *named;  // GTR, LG4M, LG4X: what it is called; NULL: as its kind. As long as the program runs
    int muse_gaut; // GY94: rates are those of MG94, with the frequency of the nucleotide that a codon gets, not the codon's
    double nucleotide[3][4]; // of MG94, whose codons' frequencies are products of these, unless they are PEELING_EQUAL
    int parts; // more than 1: each class of columns has exchange rates and frequencies of its own, of part
    const peeling_empirical *part[PEELING_PARTS_MOST];
    int variable_only;    // constant columns were left out of the data: Lewis 2001
    int free_frequencies; // they may be estimated, from those in the alignment on; nucleotides and amino acids
    peeling_frequencies frequencies; // of JC69, K80 and POISSON always PEELING_EQUAL
    /* The states' own, whatever `frequencies` says they come from; not for PEELING_EQUAL and
       PEELING_PUBLISHED. Any scale. */
    double frequency[PEELING_STATES_MOST];
} peeling_settings;

/* The defaults of a kind: kappa 2, omega 0.5 (GY94), exchange rates 1, alpha 0.5, one rate class, the standard code.
   The frequencies are PEELING_OBSERVED for HKY85 and GTR, PEELING_F3X4 for GY94, PEELING_PUBLISHED for empirical
   models, else PEELING_EQUAL. The empirical model is WAG, unless another is set. */
peeling_settings peeling_settings_of(peeling_model_kind kind);

/* "GTR+G4", "gy94", "M0+G" (M0 is GY94; +G is +G4), "TN93+F+I{0.2}+R3", in either case; docs/likelihood.md has all of them. Numbers in
   braces are not yet checked for more than 0. WL_BAD_USAGE, one line that names what is known; then *settings is as it was. */
wl_status peeling_model_parse(const char *text, peeling_settings *settings);
/* The same, of codons with this genetic code, or a file before the last '+': "mine.dat+G4", which has a '/' or ends with ".dat". It is
   read to *own, which, as the text, outlives the settings. */
wl_status peeling_model_parse_file(const char *text, peeling_genetic_code code, peeling_empirical *own,
                                   peeling_settings *settings);
/* "GTR+I+G4", without numbers and frequencies; returns text. */
const char *peeling_model_name(const peeling_settings *settings, char text[PEELING_NAME]);
/* The model with all of its numbers and frequencies, to twelve digits: as IQ-TREE writes them, "GTR{1,4,1,1,4}+F{..}+I{0.2}+G4{0.5}", or
   RAxML-NG, "GTR{1/4/1/1/4/1}+FU{..}+IU{0.2}+G4m{0.5}". peeling_model_parse reads both. Returns text. */
typedef enum { PEELING_LINE_IQTREE, PEELING_LINE_RAXML } peeling_line_style;
enum { PEELING_LINE = 4096 };
const char *peeling_model_line(const peeling_settings *settings, peeling_line_style style, char *text, size_t size);
/* Sets the exchange rates of GTR and its kind from so many numbers: all six; or one for each that differs, in the order of its pairs; or
   one fewer, that of G and T being 1. 0: another number of them. */
int peeling_settings_exchange(peeling_settings *settings, const double *number, int count);

/* A hash of all numbers that the model depends on, including those read from a file. */
uint64_t peeling_settings_hash(const peeling_settings *settings);

peeling_alphabet peeling_alphabet_of(peeling_model_kind kind);
/* 4, 20, and of codons 60 to 64. */
int peeling_states_of(const peeling_settings *settings);
/* Classes of columns: of those that change, and with +I the one that does not. */
int peeling_classes_of(const peeling_settings *settings);

/* A number of a model that may be estimated. */
typedef struct {
    char name[24];    // "alpha", "kappa", "omega", "AG", "invariant", "rate2", "share2"
    unsigned given;   // the bit of settings->given that says that the user gave it
    double low, high; // from where to where a model can be made with it
    double *value;    // in the settings
} peeling_model_parameter;
enum { PEELING_MODEL_PARAMETERS_MOST = 5 + 5 + 2 * PEELING_RATES_MOST };
/* Those that this model has, frequencies aside, given or not. Of numbers of which only ratios count one is left as it is: the exchange rate
   of G and T, and the last class's rate and share. Returns how many. */
int peeling_model_parameters(peeling_settings *settings, peeling_model_parameter list[PEELING_MODEL_PARAMETERS_MOST]);

/* LAPACK computes the eigenvectors, of the symmetric matrix similar to Q. Any thread may call it. On failure the model
   is undefined.

   WL_BAD_INPUT, one line, for each of these.
   A frequency is infinite, NaN or less than 1e-12 of all, or this kind of model does not have such frequencies. If a
   frequency is 0, the line says what to do; nothing is added to counts.
   An exchange rate is below 0, infinite or NaN.
   The value of kappa or omega is not from 0 to 1e6, or that of alpha, if there are classes, not from 0.001 to 1e6.
   So many rates are 0 that the chain does not reach every state.
   The rates differ so much that the chain takes 1e10 times as long as the fastest change to reach every state.

   WL_NO_MACHINE: LAPACK failed. */
wl_status peeling_model_make(const peeling_settings *settings, peeling_model *model);

/* A model whose classes have exchange rates of their own (LG4M, LG4X) is no peeling_model, and refused above as WL_BAD_INPUT; but each
   class is. Class `part`, from 0 to peeling_parts_of - 1, alone, of one rate, and its share of the columns. Of any other model part 0 is
   the model, of share 1. */
int peeling_parts_of(const peeling_settings *settings);
wl_status peeling_model_make_part(const peeling_settings *settings, int part, peeling_model *model, double *share);

/* The same model, decomposed with its states in reverse order: rounded otherwise, eigenvalues rising. What is not the same with
   both is rounding. */
wl_status peeling_model_make_again(const peeling_settings *settings, peeling_model *model);

/* The rate classes alone: rate [rates], rising, of equal share and mean 1, to twelve digits; below 1e-308 they are 0.
   The discrete gamma distribution of Yang 1994; alpha from 0.001 to 1e6. */
void peeling_gamma_rates(double alpha, int rates, int median, double *rate);

/* --- Letters ----------------------------------------------------------------------------------------------------- */

/* Nucleotides are numbered A C G T; amino acids in the order of ARNDCQEGHILKMFPSTWYV; codons in the order AAA, AAC,
   AAG, AAT, ACA .. TTT without the code's stop codons. */

/* The genetic code that NCBI gives this number, 1 to 33. 0: none has it, or it is not here. */
int peeling_code_numbered(int number, peeling_genetic_code *code);
int peeling_code_number(peeling_genetic_code code);
/* How many codons stand for an amino acid. */
int peeling_code_states(peeling_genetic_code code);

/* The codon of state `state` as three letters. */
void peeling_codon_letters(peeling_genetic_code code, int state, char letters[4]);
/* Sets nucleotide, and the frequency of every codon to the product of its letters', of [position][A, C, G, T]. */
void peeling_codon_frequencies(peeling_settings *settings, const double of[3][4]);
/* The amino acid that a codon stands for, 0..19. */
int peeling_codon_amino_acid(peeling_genetic_code code, int state);

/* The set of states, as bits, that a character of an alignment stands for: one letter, or three for codons; either
   case, U as T, IUPAC codes, '-', '?', '.', N (X for amino acids) the full set. 0: no such letter, or only stop
   codons. */
unsigned long long peeling_character(peeling_alphabet alphabet, peeling_genetic_code code, const char *letters);

WL_C_END
