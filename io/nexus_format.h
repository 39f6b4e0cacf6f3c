/* NEXUS: what the symbols of a matrix stand for. */
#ifndef WL_IO_NEXUS_FORMAT_H
#define WL_IO_NEXUS_FORMAT_H

#include "io/nexus_text.h"

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

#endif
