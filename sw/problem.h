/* Smith-Waterman: the score of the best local alignment of every query with every sequence of a database
   (Ligowski & Rudnicki 2009). */
#pragma once

#include "harness/base/resident.h"
#include "harness/bench/variant.h"
#include "io/database/view.h"
#include "sw/scoring/scheme.h"

/* What every variant gets, from the harness and from `search` alike. Only views: the caller keeps the memory until the
   variant's state is released. The result is int score[queries.count][database.count].

   The paper's recurrence, i over the query's rows and j over the subject's columns, out-of-range H zero and E, F minus infinity:
     E[i][j] = max(E[i][j-1] - gap_extend, H[i][j-1] - gap_open)
     F[i][j] = max(F[i-1][j] - gap_extend, H[i-1][j] - gap_open)
     H[i][j] = max(0, E[i][j], F[i][j], H[i-1][j-1] + matrix[query[i]][subject[j]])
   The score of a pair is the largest H. */
typedef struct {
    sw_scoring scoring;
    sw_set queries;  // in the order given; lengths 1 .. SW_LENGTH_MOST
    sw_set database; // longest first
    // Where a GPU's stage keeps a copy of the database's residues for the next input; NULL: nowhere.
    wl_resident *resident;
} sw_input;
