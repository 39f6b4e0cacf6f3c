/* Charts: result files drawn by the gnuplot scripts in plots/. */
#pragma once

#include <stdio.h>

#include "harness/base/error.h"

/* The path of one of the suite's data files, "plots/papers/payne2010_figure4.tsv": under $WL_DATA if that is set, else
   under share/warpladder of the prefix that the program is installed in, else under the source folder it was built from. The
   caller frees it; NULL when memory is short. */
char *wl_data_path(const char *name);

/* Can gnuplot be run? Without it a command leaves its charts out and says so; nothing else changes. */
int wl_chart_possible(void);

/* Draw `tsv` with plots/<script>.gp into .svg and .png files beside it, named like it and `suffix`: "" for the first chart of a
   file, "_roofline" for another. Both are whole or absent. WL_BAD_INPUT when it fails for lack of a column, with its name, WL_NO_MACHINE
   when gnuplot is missing or fails otherwise; the error line carries its own words. */
wl_status wl_chart_draw(const char *script, const char *tsv, const char *suffix);

/* The same, the SVG only, for a page that has the drawing in it: values as gnuplot's hypertext, or, of a drawing for a telephone, none. Error
   lines call the file `name`. */
typedef enum { WL_CHART_FILES, WL_CHART_PAGE, WL_CHART_TELEPHONE } wl_chart_place;
wl_status wl_chart_draw_for_page(const char *script, const char *tsv, const char *name, wl_chart_place place);

/* Draw it with characters on `stream`. */
wl_status wl_chart_print(FILE *stream, const char *script, const char *tsv);

/* Can `path` be written? Better found out before minutes of work than after. Leaves no file there. */
wl_status wl_file_try(const char *path);
