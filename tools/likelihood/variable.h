/* likelihood.c's and variable.c's: +ASC. */
#pragma once

#include "tools/likelihood/likelihood.h"

/* Letters as columns, and the constant ones of request->constant. */
wl_status likelihood_make_columns(const peeling_likelihood_request *request, const wl_alignment *alignment,
                                  peeling_columns *columns);
/* Columns in which all rows may have the same state are refused, or, with request->drops_constant, left out. */
wl_status likelihood_look_for_constant(const peeling_likelihood_request *request, const wl_alignment *alignment,
                                       peeling_likelihood *made);
/* To the input: a pattern for each state that all tips have. */
wl_status likelihood_add_constant(peeling_likelihood *made);
