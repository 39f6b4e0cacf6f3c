/* Trees in Newick format, and in NEXUS files. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

#define WL_NO_NODE UINT32_MAX

/* As in the file, rooted where the text is. Nodes are in the order in which the text begins them: node 0 is the root, a parent
   comes before its children, siblings are in order. So loops over 0 .. nodes - 1 and back do what recursion would. */
typedef struct {
    uint32_t nodes, tips;
    uint32_t *parent;       // [nodes]; WL_NO_NODE for the root
    uint32_t *first_child;  // [nodes]; WL_NO_NODE for a tip
    uint32_t *next_sibling; // [nodes]; WL_NO_NODE for the last one
    double *length;         // [nodes], of the edge to the parent; NaN where none is given
    char **label;           // [nodes]; "" where there is none, which only inner nodes may have
    size_t *line;           // [nodes], of the file, from 1: where the label, or the node, is
} wl_newick;

/* Read the one tree of `path` ("-": standard input; gzip or plain). Labels are quoted with '...'
   ('' is a quote) or "..." and may then have any printable characters. PAML's "#1" and "$1" after a
   label or a length, and the two counts before a file's first tree, are skipped. Unquoted ones stay as they are (an
   underscore stays one), and end at white space or any of ( ) [ ] : ; , '. Comments in [..], nested
   ones too, white space and line ends may be anywhere outside labels and lengths. Edges may have
   lengths, with exponents and negative ones (the caller checks these), and the root its own. Inner
   nodes may have labels, "" among them, and one child or many. A tree of one tip, any depth
   (without recursion) and a missing last line end are accepted.
   WL_BAD_INPUT: one line with file, line and column, what was found and what was expected. Refused
   are an empty file, a tip without a name, unbalanced parentheses, and quotes (to the line's end)
   or comments left open. So are a missing ';', text after it (a second tree), and two labels in a
   row (a name with blanks that is not quoted). A length that is no decimal number or beyond a
   double, and control characters are refused, too.

   A NEXUS file begins with #NEXUS. Its trees are the TREE and UTREE commands of TREES blocks, each
   with the text above, whatever [&R] or [&U] says; TRANSLATE's names are put in for tips' labels,
   and without TRANSLATE those of TAXLABELS for numbers. Labels and names are compared as they are,
   in upper and lower case, with '_' for '_'. Other blocks and commands are skipped. WL_NO_MACHINE:
   memory is short. On success free with wl_newick_free; else nothing is to be freed. */
wl_status wl_newick_read(const char *path, wl_newick *tree);
/* The same of a file with several trees: the one of that number, from 1, in Newick or NEXUS. Fewer trees: WL_BAD_INPUT. What follows
   it is not read. 0: the only one, as wl_newick_read. */
wl_status wl_newick_read_number(const char *path, size_t number, wl_newick *tree);
/* The same from text [size] in memory; `path` is for error lines. */
wl_status wl_newick_parse_number(const char *path, const char *text, size_t size, size_t number, wl_newick *tree);
wl_status wl_newick_parse(const char *path, const char *text, size_t size, wl_newick *tree);
/* io/nexus.h's: one tree, its ';' the last of text [size], which begins in that line and column (from 1) of `path`. As wl_newick_parse. */
wl_status wl_newick_parse_part(const char *path, size_t line, size_t column, const char *text, size_t size,
                               wl_newick *tree);
void wl_newick_free(wl_newick *tree);
/* All trees of a file, at least one: *trees [*count], to be freed with wl_newick_free_all. */
wl_status wl_newick_read_all(const char *path, wl_newick **trees, size_t *count);
void wl_newick_free_all(wl_newick *trees, size_t count);

/* Is a label what another file spells `name`? In upper or lower case, with blanks or '_', and in FASTA ending at its first blank. For hints: such names are not the same. */
int wl_newick_is_spelt_like(const char *label, const char *name);

/* A label as a tree in Newick format has it: quoted where it must be, in jplace files too, whose own characters are braces. */
void wl_newick_write_label(FILE *stream, const char *label);
