#include "cli/manual.h"

#include <stdio.h>
#include <string.h>

const char *const wl_version_text = "warpladder " WL_VERSION;

/* The letters of an option's argument, "L" of "L:auto tsv". */
static int name_length(const wl_option *option) { return option->argument ? (int)strcspn(option->argument, ":") : 0; }

/* What may be chosen, "auto tsv"; "" when anything may. */
static const char *values_of(const wl_option *option) {
    const char *colon = option->argument ? strchr(option->argument, ':') : NULL;
    return colon ? colon + 1 : "";
}

static const wl_option help = {"help", NULL, NULL, "print this"},
                       version = {"version", NULL, NULL, "print the program's version"};

static int letter_of(const wl_option *option) { return option == &help ? 'h' : wl_short_of(option); }

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

static void print_option(const wl_option *option) {
    const int letter = letter_of(option);
    printf(".TP\n\\fB");
    if (letter) printf("\\-%c\\fR, \\fB", letter);
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

static void print_page(const wl_reader *r) {
    const wl_command *command = r->command;
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
    print_option(&help);
    print_option(&version);
    for (const wl_entry *e = r->entries; e < r->entries + r->count; e++) {
        if (e->heading && e->heading != heading) printf(".SS Options of %s\n", heading = e->heading);
        print_option(e->option);
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

static void print_option_words(const char *command, const wl_option *option) {
    const int letter = letter_of(option);
    for (int is_short = 0; is_short <= (letter != 0); is_short++) {
        printf(is_short ? "%s\t-%c" : "%s", command, letter);
        if (!is_short) printf("\t--%s", option->name);
        printf("\t%.*s\t%s\t%s\n", name_length(option), option->argument ? option->argument : "", values_of(option),
               option->help);
    }
}

int wl_manual_answers(const char *word) { return strcmp(word, "--man") == 0 || strcmp(word, "--words") == 0; }

void wl_manual_print(const char *word, const wl_reader *r) {
    const wl_command *command = r->command;
    if (strcmp(word, "--man") == 0) print_page(r);
    if (strcmp(word, "--words") != 0) return;
    printf("%s\t\t%s\t\t\n", command->name, command->arguments ? command->arguments : "");
    print_option_words(command->name, &help);
    print_option_words(command->name, &version);
    for (size_t i = 0; i < r->count; i++) print_option_words(command->name, r->entries[i].option);
}
