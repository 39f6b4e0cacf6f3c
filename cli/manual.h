/* The same tables as --help, written for other readers: manual pages, and lines that shells complete from. */
#pragma once

#include "cli/options.h"

/* "warpladder 1.0.0" */
extern const char *const wl_version_text;

/* A command answers two words that its --help does not show, if one of them is its only word. The word "--man" prints its manual page
   as roff. The word "--words" prints a tab-separated line for each option (command, option, argument, values, help) and one for its
   arguments, without an option. For any other `word`, wl_manual_answers returns 0, and wl_manual_print prints nothing. */
int wl_manual_answers(const char *word);
void wl_manual_print(const char *word, const wl_reader *reader);

/* The beginning of every page: its title, its name and the one line that `man -k` shows. */
void wl_manual_begin(const char *name, const char *line);
/* Text of a page, with what roff would take as its own made harmless. */
void wl_manual_text(const char *text);
