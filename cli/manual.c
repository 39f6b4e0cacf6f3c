#include "cli/manual.h"

#include <stdio.h>
#include <string.h>

#ifndef WL_VERSION
#define WL_VERSION "unknown"
#endif

/* The letters of an option's argument, "L" of "L:auto tsv". */
static int name_length(const wl_option *option) { return option->argument ? (int)strcspn(option->argument, ":") : 0; }

/* What may be chosen, "auto tsv"; "" when anything may. */
static const char *values_of(const wl_option *option) {
    const char *colon = option->argument ? strchr(option->argument, ':') : NULL;
    return colon ? colon + 1 : "";
}

void wl_manual_text(const char *text) {
    int line_begins = 1;
    for (; *text; text++) {
        if (line_begins && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        line_begins = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else
            putchar(*text);
    }
}

void wl_manual_begin(const char *name, const char *line) {
    printf(".TH %s 1 \"\" \"warpladder %s\" \"Warpladder\"\n.SH NAME\n", name, WL_VERSION);
    wl_manual_text(name);
    printf(" \\- ");
    wl_manual_text(line);
    printf("\n.SH SYNOPSIS\n");
}

static void print_option(const wl_option_row *row) {
    const wl_option *option = row->option;
    printf(".TP\n\\fB");
    if (row->letter) printf("\\-%c\\fR, \\fB", row->letter);
    printf("\\-\\-");
    wl_manual_text(option->name);
    printf("\\fR");
    if (option->argument) printf("=\\fI%.*s\\fR", name_length(option), option->argument);
    printf("\n");
    wl_manual_text(option->help);
    if (option->default_value) {
        printf(" (default: ");
        wl_manual_text(option->default_value);
        printf(")");
    }
    printf("\n");
}

static void print_page(const wl_command *command, const wl_option_row *rows, size_t count) {
    char name[64], line[160];
    snprintf(name, sizeof name, "warpladder-%s", command->name);
    /* The summary up to the end of its first sentence or clause. */
    int length = (int)strcspn(command->summary, ".:;\n");
    snprintf(line, sizeof line, "%.*s", length, command->summary);
    wl_manual_begin(name, line);
    printf(".B warpladder ");
    wl_manual_text(command->name);
    printf("\n[\\fIOPTION\\fR...]");
    if (command->arguments) {
        printf(" ");
        wl_manual_text(command->arguments);
    }
    printf("\n.SH DESCRIPTION\n");
    wl_manual_text(command->summary);
    printf("\n.SH OPTIONS\n");
    const char *heading = NULL;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].heading && rows[i].heading != heading) printf(".SS Options of %s\n", heading = rows[i].heading);
        print_option(&rows[i]);
    }
    printf(".SH EXAMPLES\n.nf\n");
    for (const char *at = command->example; *at;) {
        char one[512];
        size_t end = strcspn(at, "\n"), blanks = strspn(at, " ");
        snprintf(one, sizeof one, "%.*s", (int)(end - blanks), at + blanks);
        wl_manual_text(one);
        printf("\n");
        at += end + (at[end] != 0);
    }
    printf(".fi\n.SH SEE ALSO\n.BR warpladder (1),\nwhich lists the exit codes\n");
}

static void print_words(const wl_command *command, const wl_option_row *rows, size_t count) {
    printf("%s\t\t%s\t\t\n", command->name, command->arguments ? command->arguments : "");
    for (size_t i = 0; i < count; i++) {
        const wl_option *option = rows[i].option;
        printf("%s\t--%s\t%.*s\t%s\t%s\n", command->name, option->name, name_length(option),
               option->argument ? option->argument : "", values_of(option), option->help);
        if (rows[i].letter)
            printf("%s\t-%c\t%.*s\t%s\t%s\n", command->name, rows[i].letter, name_length(option),
                   option->argument ? option->argument : "", values_of(option), option->help);
    }
}

int wl_manual_answers(const char *word) { return strcmp(word, "--man") == 0 || strcmp(word, "--words") == 0; }

void wl_manual_print(const char *word, const wl_command *command, const wl_option_row *rows, size_t count) {
    if (strcmp(word, "--man") == 0) print_page(command, rows, count);
    if (strcmp(word, "--words") == 0) print_words(command, rows, count);
}
