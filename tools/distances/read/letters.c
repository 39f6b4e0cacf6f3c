/* An alignment: which letters are compared, and the code that each gets. Letters go to planes as they are read; what is kept as
   text are the first sequences, by which nucleotides are told from amino acids. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/distances/read/letters.h"
#include "harness/base/memory.h"

enum { MISSING = DISTANCES_LETTER_MISSING, UNSEEN = DISTANCES_LETTER_UNSEEN, REFUSED = DISTANCES_LETTER_REFUSED };

#define ENOUGH_LETTERS 10000            // by which nucleotides are told from amino acids
#define ENOUGH_FOR_CODES 40             // letters, which a protein has others among than nucleotides' codes;
#define ENOUGH_FOR_ANY_CODES 100        // certainly, however few are A, C, G, T, U or N
#define ENOUGH_BYTES ((size_t)16 << 20) // of gaps, should there be no letters
#define PLANES_OF_BASES 2
#define SHOWN 40 // bytes of a name in an error line

/* IUPAC's nucleotides, gaps and unknowns, U being written as T. Programs that mask write X. */
static const char nucleotides[] = "ACGTRYSWKMBDHVNX-.?*";
static const char no_residue[] = "X-.?*";

typedef distances_kept kept;
typedef distances_letters reader;

static wl_status no_memory(const reader *r) {
    return wl_fail(WL_NO_MACHINE, "%s: not enough memory after %zu sequences", r->rows->file, r->rows->data.count);
}

/* --- Letters ----------------------------------------------------------------------------------------------------- */

/* The letter that it is compared as: either case, and with nucleotides U is T. */
static int same_as(const reader *r, int letter) {
    letter = toupper(letter);
    return r->are_nucleotides && letter == 'U' ? 'T' : letter;
}

static int is_compared(const reader *r, int letter) {
    const distances_reading *reading = r->rows->reading;
    if (reading->every_letter) return 1;
    if (reading->present) {
        for (const char *c = reading->present; *c; c++)
            if (same_as(r, (unsigned char)*c) == letter) return 1;
        return 0;
    }
    return r->are_nucleotides ? strchr("ACGT", letter) != NULL : strchr(no_residue, letter) == NULL;
}

/* A, C, G and T, and nothing else? */
static int compares_bases(const reader *r) {
    for (const char *c = nucleotides; *c; c++)
        if (is_compared(r, *c) != (strchr("ACGT", *c) != NULL)) return 0;
    return 1;
}

static void give_code(reader *r, int letter) {
    uint8_t code = (uint8_t)(DISTANCES_PRESENT | r->codes++);
    for (int other = 1; other < 256; other++)
        if (same_as(r, other) == letter) r->table[other] = code;
}

/* Nucleotides or amino acids? As lessons/problem.h says: most letters are both, and A, C, G, T and N make up about a
   quarter of real proteins. An alignment of variable sites only may have many more ambiguity codes than a fifth, one for each
   heterozygote; a third of a protein's letters are E, F, I, L, P or Q, which are no codes. */
static void guess(reader *r) {
    const int usual = 5 * r->bases >= 4 * r->seen;
    const int codes = r->no_codes == 0 &&
                      (r->seen >= ENOUGH_FOR_ANY_CODES || (r->seen >= ENOUGH_FOR_CODES && 2 * r->bases >= r->seen));
    r->are_nucleotides = usual || codes;
    if (!usual)
        distances_rows_note(
            r->rows, "letters are taken as %s: only %llu of the first %llu are A, C, G, T, U or N%s",
            codes ? "nucleotides" : "amino acids", (unsigned long long)r->bases, (unsigned long long)r->seen,
            codes ? ", but all are codes of nucleotides (--protein, if not)" : " (--nucleotide, if not)");
}

static void decide(reader *r) {
    const wl_alignment_letters asked = r->rows->reading->letters, said = asked != WL_LETTERS_UNSAID ? asked : r->said;
    r->decided = 1;
    if (said == WL_LETTERS_UNSAID)
        guess(r);
    else
        r->are_nucleotides = said == WL_LETTERS_NUCLEOTIDES;
    for (int byte = 1; byte < 256; byte++) {
        int letter = same_as(r, byte);
        if (r->are_nucleotides && strchr(nucleotides, letter) == NULL)
            r->table[byte] = REFUSED;
        else
            r->table[byte] = is_compared(r, letter) ? UNSEEN : MISSING;
    }
    /* The usual planes hold A 0, C 1, G 2, T 3, whatever comes first. */
    for (const char *c = "ACGT"; r->are_nucleotides && *c; c++)
        if (r->table[(unsigned char)*c] == UNSEEN) give_code(r, *c);
}

/* A letter without a code. */
static wl_status meet(reader *r, const kept *sequence, size_t k) {
    int letter = (unsigned char)sequence->letters[k];
    if (r->table[letter] == REFUSED)
        return wl_fail(WL_BAD_INPUT,
                       "%s:%zu: unknown letter '%c' at position %zu of sequence '%.*s'; expected nucleotides (%s, U)%s",
                       r->rows->file, sequence->line, letter, k + 1, SHOWN, sequence->name, nucleotides,
                       r->rows->reading->letters == WL_LETTERS_NUCLEOTIDES
                           ? ""
                           : ", as the first sequences have: if they are amino "
                             "acids or other symbols, use --protein");
    give_code(r, same_as(r, letter));
    int planes = r->rows->data.planes;
    while (r->codes > 1 << planes) planes++;
    return distances_rows_widen(r->rows, planes);
}

/* --- Sequences --------------------------------------------------------------------------------------------------- */

static wl_status begin_rows(reader *r, const kept *sequence) {
    distances_rows_shape(r->rows, sequence->length, PLANES_OF_BASES);
    r->first_line = sequence->line;
    size_t bytes = r->rows->data.words * 64;
    wl_status status = distances_rows_memory(r->rows, bytes);
    if (status == WL_OK && (r->row = calloc(bytes, 1)) == NULL) status = no_memory(r);
    return status;
}

void distances_letters_count_missing(const char *letters, const uint8_t *row, size_t length, uint64_t *missing) {
    const uint8_t *end = row + length, *at = row;
    while ((at = memchr(at, MISSING, (size_t)(end - at)))) // from run to run
        for (; at < end && *at == MISSING; at++) missing[(unsigned char)letters[at - row]]++;
}

/* (Bytes may alias anything: without `restrict` each letter reads its pointers again, which takes 1 ns and not 0.4.) */
uint8_t distances_letters_encode(const uint8_t *restrict table, const unsigned char *restrict letters, size_t length,
                                 uint8_t *restrict row, uint8_t *restrict every) {
    uint8_t any = 0, all = *every;
    for (size_t k = 0; k < length; k++) {
        const uint8_t code = table[letters[k]];
        row[k] = code;
        any |= code;
        all &= code;
    }
    *every = all;
    return any;
}

static wl_status add(reader *r, const kept *sequence) {
    distances_rows *rows = r->rows;
    wl_status status = rows->data.count == 0 ? begin_rows(r, sequence) : WL_OK;
    if (status != WL_OK) return status;
    if (sequence->length != rows->data.sites)
        return wl_fail(
            WL_BAD_INPUT, "%s:%zu: sequence '%.*s' has %zu letters; expected %llu, as '%.*s' in line %zu%s%s has",
            rows->file, sequence->line, SHOWN, sequence->name, sequence->length, (unsigned long long)rows->data.sites,
            SHOWN, rows->data.names[0], r->first_line, rows->before ? " of " : "", rows->before ? rows->before : "");
    const unsigned char *letters = (const unsigned char *)sequence->letters;
    uint8_t every = DISTANCES_PRESENT,
            all = distances_letters_encode(r->table, letters, sequence->length, r->row, &every);
    for (size_t k = 0; (all & UNSEEN) && k < sequence->length; k++) {
        if (r->table[letters[k]] & UNSEEN && (status = meet(r, sequence, k)) != WL_OK) return status;
        r->row[k] = r->table[letters[k]];
    }
    if (!every) distances_letters_count_missing(sequence->letters, r->row, sequence->length, r->missing);
    status = distances_rows_name(rows, sequence->name, strlen(sequence->name), sequence->line);
    return status == WL_OK ? distances_rows_codes(rows, r->row) : status;
}

static wl_status add_first(reader *r) {
    wl_status status = WL_OK;
    decide(r);
    for (size_t i = 0; i < r->first_count && status == WL_OK; i++) {
        kept *sequence = &r->first[i];
        status = add(r, sequence);
        distances_rows_return(r->rows, sequence->length + strlen(sequence->name) + 2);
        free(sequence->letters);
        sequence->letters = NULL;
    }
    return status;
}

static wl_status keep(reader *r, const wl_sequence *sequence) {
    if (!WL_GROW(r->first, r->first_count, 1)) return no_memory(r);
    size_t name = strlen(sequence->name) + 1, letters = sequence->length + 1;
    WL_TRY(distances_rows_memory(r->rows, letters + name));
    r->first_bytes += letters + name;
    char *block = malloc(letters + name);
    if (block == NULL) return no_memory(r);
    memcpy(block, sequence->letters, letters);
    memcpy(block + letters, sequence->name, name);
    r->first[r->first_count++] = (kept){block + letters, block, sequence->length, sequence->line};
    for (size_t k = 0; k < sequence->length; k++) {
        unsigned char letter = (unsigned char)sequence->letters[k];
        r->seen += isalpha(letter) != 0 && letter != 'X' && letter != 'x'; // which both kinds of letters have
        r->bases += strchr("ACGTUNacgtun", letter) != NULL;
        r->no_codes +=
            isalpha(letter) != 0 && letter != 'U' && letter != 'u' && strchr(nucleotides, toupper(letter)) == NULL;
    }
    return r->seen >= ENOUGH_LETTERS || r->first_bytes >= ENOUGH_BYTES ? add_first(r) : WL_OK;
}

wl_status distances_letters_take(void *context, const wl_sequence *sequence) {
    reader *r = context;
    if (!r->decided) return keep(r, sequence);
    const kept same = {sequence->name, sequence->letters, sequence->length, sequence->line};
    return add(r, &same);
}

/* "'N' 12, '-' 3": the letters that were missing, in the order of their codes. */
static void note_missing(const reader *r) {
    char text[1024];
    size_t used = 0;
    for (int byte = 0; byte < 256 && used < sizeof text - 40; byte++)
        if (r->missing[byte] > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s'%c' %llu", used ? ", " : "", byte,
                                     (unsigned long long)r->missing[byte]);
    if (used > 0) distances_rows_note(r->rows, "letters taken as missing: %s", text);
}

/* --- From beginning to end --------------------------------------------------------------------------------------- */

distances_letters distances_letters_begin(distances_rows *rows) {
    rows->data.kind = DISTANCES_LETTERS;
    rows->data.sum = DISTANCES_DIFFERENT;
    return (reader){.rows = rows};
}

wl_status distances_letters_end(distances_letters *r, wl_status status) {
    distances_rows *rows = r->rows;
    if (status == WL_OK && !r->decided) status = add_first(r);
    rows->data.nucleotides = r->are_nucleotides && compares_bases(r);
    if (status == WL_OK) note_missing(r);
    for (size_t i = 0; i < r->first_count; i++) free(r->first[i].letters);
    free(r->first);
    if (r->row) distances_rows_return(rows, rows->data.words * 64);
    free(r->row);
    return status;
}
