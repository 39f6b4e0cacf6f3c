/* The page of results: one HTML file that needs no other. */
#pragma once

#include <stdio.h>

#include "harness/base/error.h"
#include "harness/bench/result_file.h"

/* Result files, or folders with *.tsv, to DIR/report.html. `command` is the line that asked for it. *missing is set where gnuplot could
   not be run and the page has no charts. */
wl_status report_write(const char *const *paths, size_t count, const char *folder, const char *command, int *missing);

/* --- Parts of the page ------------------------------------------------------------------------------------------- */

/* Text, safe within an element and within quotes; what is no UTF-8, and control characters, become U+FFFD. */
void report_text(FILE *page, const char *text);
/* HTML, in which each %s stands for a text that report_text makes safe. */
void report_put(FILE *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A data: address with the text in it. */
void report_data(FILE *page, const char *type, const char *text);

/* A chart of gnuplot's, with the values where the mouse is. `number`: no other drawing of the page has it. */
void report_drawing(FILE *page, const char *svg, const char *says, size_t number);
/* The same values as a list that opens by click, key or touch, and that a screen reader reads. */
void report_values(FILE *page, const char *svg, size_t number);

/* The table of a file of `run`; the first rows of any other. What all rows say is said once, above. */
void report_ladder(FILE *page, const wl_result_file *table);
void report_rows(FILE *page, const wl_result_file *table);

/* The ladder's stages: idea, what the README says, and the difference to the kernel before. */
void report_stages(FILE *page, const char *problem);
/* Two texts side by side, what is the same left out but for some lines around it. 0: no memory. */
int report_difference(FILE *page, const char *before, const char *after);

/* Head with style, and the end. */
void report_begin(FILE *page, const char *command);
void report_end(FILE *page);
