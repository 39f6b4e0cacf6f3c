#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static const wl_command *commands[MOST];
static size_t count;

/* As --help lists them; others come after these. */
static const char *const order[] = {"list",        "run",        "check",     "explain", "reproduce",
                                    "machine",     "compare",    "distances", "makedb",  "search",
                                    "align-reads", "likelihood", "simulate",  "cc",      "simulate-reads",
                                    "merge",       "lab",        "beagle",    "report"};

static size_t place_of(const wl_command *command) {
    size_t place = 0;
    while (place < sizeof order / sizeof *order && strcmp(order[place], command->name) != 0) place++;
    return place;
}

/* Constructors run before main, where nobody could handle an error. */
void wl_register_command(const wl_command *command) {
    if (count == MOST) abort();
    size_t at = count++;
    for (; at > 0 && place_of(commands[at - 1]) > place_of(command); at--) commands[at] = commands[at - 1];
    commands[at] = command;
}

const wl_command *const *wl_commands(size_t *found) {
    *found = count;
    return commands;
}

const wl_command *wl_command_named(const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}
