/* The same tables as --help, written for other readers: manual pages, and lines that shells complete from. */
#pragma once

#include "cli/options.h"

/* "warpladder 1.0.0" */
extern const char *const wl_version_text;

/* What a command answers, hidden from its --help, when `word` is its only word: "--man" is its manual page as roff, "--words" a
   tab-separated line for each option (command, option, argument, values, help) and one for its arguments, without an option.
   Prints nothing and returns 0 when `word` is neither. */
int wl_manual_answers(const char *word);
void wl_manual_print(const char *word, const wl_reader *reader);

/* The beginning of every page: its title, its name and the one line that `man -k` shows. */
void wl_manual_begin(const char *name, const char *line);
/* Text of a page, with what roff would take as its own made harmless. */
void wl_manual_text(const char *text);
