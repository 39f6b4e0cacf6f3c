/* What a user is told of a likelihood: as JSON, and in lines. */
#pragma once

#include "tools/likelihood/optimize/search.h"

/* One object in one line. `seconds`: of all of it. */
void peeling_report_json(FILE *stream, const peeling_search *search, double seconds);
/* Lines that begin with the program's name: models with their numbers, and how long it took. */
void peeling_report_lines(FILE *stream, const peeling_search *search, double seconds);
