/* io/alignment's and io/newick's part for NEXUS files (Maddison, Swofford & Maddison 1997). */
#pragma once

#include "io/alignment.h"
#include "io/newick.h"

/* Does the text begin as a NEXUS file? White space may be before it. */
int wl_nexus_is(const char *text, size_t size);

/* The matrix of the DATA or CHARACTERS block of text [size], which a zero follows. `path` is for error lines. Names are not
   compared. Each row is one block of memory, row.letters. What is read and what is refused: io/alignment.h. */
wl_status wl_nexus_alignment(const char *path, const char *text, size_t size, wl_alignment *alignment);

/* The tree of that number, from 1, over all TREES blocks; 0: the only one. See io/newick.h. */
wl_status wl_nexus_tree(const char *path, const char *text, size_t size, size_t number, wl_newick *tree);

/* All of them, added to *trees [*count]. */
wl_status wl_nexus_trees(const char *path, const char *text, size_t size, wl_newick **trees, size_t *count);

/* --- Text: blocks, commands, words and comments (nexus_text.c) ------------------------------------------------------ */

typedef struct {
    const char *path;
    const char *next, *end;
    const char *line_begin;
    size_t line;
} wl_nexus_reader;

/* A word, or one of the bytes that end words. A quoted word's text is what is between the quotes, where '' is a '. */
typedef struct {
    const char *text;
    size_t length;
    int quoted;
    size_t line, column; // from 1
} wl_nexus_word;

enum { WL_NEXUS_SHOWN = 40 }; // bytes of a word in an error line

/* The formats are literals, so that the compiler checks them. */
#define WL_NEXUS_REFUSE(r, word, format, ...) \
    wl_fail(WL_BAD_INPUT, "%s:%zu:%zu: " format, (r)->path, (word)->line, (word)->column, __VA_ARGS__)
#define WL_NEXUS_TEXT(word) ((word)->length < WL_NEXUS_SHOWN ? (int)(word)->length : (int)WL_NEXUS_SHOWN), (word)->text

/* At what follows #NEXUS. WL_BAD_INPUT: the text does not begin so, or has a control character. */
wl_status wl_nexus_open(wl_nexus_reader *r, const char *path, const char *text, size_t size);

/* To the next byte that is neither white space nor in a comment, or with `in_line` a line's end; the text's end is such a byte. */
wl_status wl_nexus_skip(wl_nexus_reader *r, int in_line);
/* A word where the reader is, of length 1 for one of `ends`; no length at the text's end. */
wl_nexus_word wl_nexus_here(const wl_nexus_reader *r);
/* The next word; it ends at white space, '[' and the bytes of `ends`. At the text's end WL_BAD_INPUT. */
wl_status wl_nexus_next(wl_nexus_reader *r, const char *ends, wl_nexus_word *word);
/* Is it this, in either case, and not quoted? */
int wl_nexus_says(const wl_nexus_word *word, const char *text);
/* The text of a word to `to` [length + 1]; returns its length. */
size_t wl_nexus_copy(const wl_nexus_word *word, char *to);
/* The word `what` has as its value: "= word". */
wl_status wl_nexus_value(wl_nexus_reader *r, const wl_nexus_word *what, wl_nexus_word *value);
/* The same as a count from 1 on. */
wl_status wl_nexus_count(wl_nexus_reader *r, const wl_nexus_word *what, size_t *count);

/* Moves on past the ';' that ends the command; quoted texts may have line ends. *stop, if not NULL, is that ';'. */
wl_status wl_nexus_end_command(wl_nexus_reader *r, const char **stop);
/* The next block's name; no length at the text's end. */
wl_status wl_nexus_next_block(wl_nexus_reader *r, wl_nexus_word *name);
/* The next command of a block, its first word; none, and *ended, at the block's END. */
wl_status wl_nexus_next_command(wl_nexus_reader *r, wl_nexus_word *command, int *ended);
/* Past the block's END, whatever its commands are. */
wl_status wl_nexus_skip_block(wl_nexus_reader *r);

/* --- What the symbols of a matrix stand for (nexus_format.c) -------------------------------------------------------- */

typedef enum { WL_NEXUS_ANY, WL_NEXUS_NUCLEOTIDES, WL_NEXUS_PROTEIN } wl_nexus_datatype;

typedef struct {
    wl_nexus_datatype type;
    int interleaved;
    int match;           // MATCHCHAR, what the first row has; -1: none
    char letter_of[256]; // what a symbol is written as: itself, '-' for GAP, '?' for MISSING, and as EQUATE says
} wl_nexus_format;

wl_nexus_format wl_nexus_default_format(void);
/* The rest of a FORMAT command. */
wl_status wl_nexus_read_format(wl_nexus_reader *r, wl_nexus_format *format);
/* The rest of the set that `open`, '{' or '(', begins, as one letter. Uncertain or polymorphic, either is a column with more
   than one possible state. */
wl_status wl_nexus_read_set(wl_nexus_reader *r, const wl_nexus_format *format, const wl_nexus_word *open, char *letter);
