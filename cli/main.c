/* warpladder: picks the command. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/call.h"
#include "cli/commands.h"
#include "cli/manual.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "harness/bench/device.h"

static const wl_command self = {.name = "--help"};

static int help(void) {
    printf("Usage: warpladder COMMAND [OPTION...]\n"
           "Ladders of GPU kernels for computational biology: checked, counted, timed.\n\n"
           "Commands:\n");
    size_t count;
    const wl_command *const *commands = wl_commands(&count);
    for (size_t i = 0; i < count; i++) printf("  %-14s  %s\n", commands[i]->name, commands[i]->brief);
    printf(
        "\n'warpladder COMMAND --help', or 'warpladder help COMMAND', explains one. Example:\n"
        "  warpladder run lessons --device auto --out results\n\n"
        "If an option is given twice, the last one counts.\n\n"
        "Exit codes: 0 done; 1 a check failed; 2 the command line is wrong; 3 an input file is wrong; 4 the machine\n"
        "lacks what was asked for.\n");
    return wl_finish(&self, WL_OK);
}

/* warpladder --man: the program's manual page. */
static int page(void) {
    size_t count;
    const wl_command *const *commands = wl_commands(&count);
    wl_manual_begin("warpladder", "ladders of GPU kernels for computational biology");
    printf(".B warpladder\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n"
           "Kernels of published systems, rebuilt one optimisation at a time: checked, counted and timed.\n"
           "Tools use the fastest kernels. Without a GPU, a simulated device runs the same kernels.\n.SH COMMANDS\n");
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n.BR warpladder\\-");
        wl_manual_text(commands[i]->name);
        printf(" (1)\n");
        wl_manual_text(commands[i]->brief);
        printf("\n");
    }
    printf(".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\na check failed\n.TP\n2\nthe command line is wrong\n.TP\n3\n"
           "an input file is wrong\n.TP\n4\nthe machine lacks what was asked for\n.SH ENVIRONMENT\n.TP\nWL_DATA\n"
           "the folder with plots/ in it, if not that of the installed program\n");
    return wl_finish(&self, WL_OK);
}

/* warpladder --words: what shells complete, a line for each command with its summary, and then all options of all. */
static int words(void) {
    size_t count;
    const wl_command *const *commands = wl_commands(&count);
    int code = WL_OK;
    for (size_t i = 0; i < count; i++) printf("\t%s\t\t\t%s\n", commands[i]->name, commands[i]->brief);
    for (size_t i = 0; i < count && code == WL_OK; i++) {
        char name[] = "warpladder", word[] = "--words", *line[] = {name, word, NULL};
        code = wl_command_call(commands[i], 2, line);
    }
    return code;
}

static const char *meant(const char *word) {
    size_t count;
    const wl_command *const *commands = wl_commands(&count);
    const char *closest = NULL;
    size_t distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (wl_is_closer(word, commands[i]->name, &distance)) closest = commands[i]->name;
    return closest;
}

static int usage(const char *found) {
    const char *like = found ? meant(found) : NULL;
    if (like) {
        wl_print(stderr, "warpladder: found the command '%s'; did you mean '%s'? 'warpladder --help' lists all\n",
                 found, like);
        return WL_BAD_USAGE;
    }
    size_t count;
    const wl_command *const *commands = wl_commands(&count);
    wl_print(stderr, "warpladder: found %s%s%s; expected", found ? "the command '" : "no command", found ? found : "",
             found ? "'" : "");
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s %s", i == 0 ? "" : i + 1 < count ? "," : " or", commands[i]->name);
    fputs(" (see 'warpladder --help')\n", stderr);
    return WL_BAD_USAGE;
}

/* Started with a standard stream closed, the next file that is opened would get its number, and a report would have in it
   what is said on standard error. Such a stream gets /dev/null, opened so that reading input or writing results fails. */
static void fill_streams(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int stream = 0; stream < 3; stream++)
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", modes[stream]) != stream) _exit(WL_NO_MACHINE);
}

static int call(const wl_command *command, int argc, char **argv) {
    char name[64];
    snprintf(name, sizeof name, "warpladder %s", command->name);
    argv[0] = name;
    return wl_command_call(command, argc, argv);
}

#define BLAST "2.12.0" // the version that the tests compare with

/* As blastp and the like: the command with what precedes the line's words. */
static int call_as(const wl_command *command, const wl_alias *alias, int argc, char **argv) {
    int count = 0;
    while (count < WL_ALIAS_WORDS && alias->words[count]) count++;
    char **line = calloc((size_t)(argc + count) + 1, sizeof *line);
    if (line == NULL) return wl_finish(command, wl_fail(WL_NO_MACHINE, "no memory for the command line"));
    for (int i = 0; i < count; i++) line[1 + i] = (char *)alias->words[i];
    for (int i = 1; i < argc; i++) line[count + i] = argv[i];
    const int is_version = argc == 2 && strcmp(argv[1], "-version") == 0; // scripts read BLAST's out of the first line
    if (is_version) printf("%s: %s+\n Package: %s, in place of blast %s\n", alias->name, BLAST, wl_version_text, BLAST);
    const int code = is_version ? wl_finish(command, WL_OK) : call(command, argc + count, line);
    free(line);
    return code;
}

/* The command that this name of the program stands for, as by a link; NULL: none. */
static const wl_command *called_as(const char *program, const wl_alias **alias) {
    size_t count;
    const wl_command *const *commands = wl_commands(&count);
    const char *slash = strrchr(program, '/');
    if (slash) program = slash + 1;
    for (size_t i = 0; i < count; i++)
        for (*alias = commands[i]->aliases; *alias && (*alias)->name; ++*alias)
            if (strcmp(program, (*alias)->name) == 0) return commands[i];
    return NULL;
}

int main(int argc, char **argv) {
    wl_devices_main(argv);
    fill_streams();
    wl_outfile_on_signals();
    const wl_alias *alias;
    const wl_command *by_name = argc > 0 ? called_as(argv[0], &alias) : NULL;
    if (by_name) return call_as(by_name, alias, argc, argv);
    if (argc < 2) return usage(NULL);
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        static char option[] = "--help";
        argv[1] = argv[2]; // help COMMAND WORD...: COMMAND --help WORD...
        argv[2] = option;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) return help();
    if (strcmp(argv[1], "--version") == 0) {
        puts(wl_version_text);
        return wl_finish(&self, WL_OK);
    }
    if (strcmp(argv[1], "--man") == 0) return page();
    if (strcmp(argv[1], "--words") == 0) return words();
    const wl_command *command = wl_command_named(argv[1]);
    if (command) return call(command, argc - 1, argv + 1);
    wl_fail(WL_BAD_USAGE, "%s", argv[1]); // makes it printable
    char found[128];
    snprintf(found, sizeof found, "%s", wl_error());
    return usage(found);
}
