/* What planes.c needs of an instruction set: a function for every number of planes. */
#pragma once

#include "allpairs/planes/planes.h"

enum { PANEL = WL_PLANES_PANEL, WORD_BYTES = WL_PLANES_WORD_BYTES };

typedef uint32_t planes_square[PANEL][PANEL]; // [row][column]

/* Add to `distance` and, unless nothing is missing, to `compared` what `words` words of panel `rows` and panel `columns` have. */
typedef void planes_count(const unsigned char *rows, const unsigned char *columns, size_t words, planes_square distance,
                          planes_square compared);
/* As wl_planes_pack, for complete values. */
typedef void planes_pack(const int *values, size_t count, size_t words, unsigned char *out);

/* What of a pair is counted: with missing values the distance and the sites compared, or the distance alone; or nothing is missing. */
enum { PLANES_BOTH, PLANES_COMPLETE, PLANES_DISTANCE, PLANES_COUNTED };

/* What takes longest to compile, and lessons do not need: [steps][counted][planes]; [0][PLANES_COMPLETE] and [][][0] are not used. */
typedef struct {
    planes_count *count[2][PLANES_COUNTED][WL_PLANES_MOST + 1];
} planes_more;

typedef struct {
    planes_count *count[WL_PLANES_MOST + 1]; // [planes]: different values, complete
    planes_pack *pack[WL_PLANES_MOST + 1];   // [planes]
    const planes_more *more;                 // NULL: not in this program
} planes_core;
