#include "cli/diagnose.h"

#include <stdint.h>
#include <string.h>

#include "harness/base/text.h"

/* The option of the command that a wrong one, "--thread" of this length, may mean; NULL: none. */
static const char *meant(const wl_reader *r, const char *word, size_t length) {
    char typed[64];
    size_t distance = SIZE_MAX;
    const char *closest = NULL;
    if (length < 2 || length - 2 >= sizeof typed || word[1] != '-') return NULL;
    memcpy(typed, word + 2, length - 2);
    typed[length - 2] = 0;
    for (size_t i = 0; i < r->count; i++)
        if (wl_is_closer(typed, r->entries[i].option->name, &distance)) closest = r->entries[i].option->name;
    return closest;
}

int wl_diagnose(const wl_reader *r, const char *word) {
    const wl_entry *match = NULL, *second = NULL;
    if (!word || word[0] != '-' || word[1] == 0) return 0;
    size_t length = strcspn(word, "=");
    if (word[1] == '-') {
        for (size_t i = 0; i < r->count; i++) {
            const char *name = r->entries[i].option->name;
            if (strncmp(name, word + 2, length - 2) != 0) continue;
            if (name[length - 2] == 0) {
                match = &r->entries[i];
                second = NULL;
                break;
            }
            if (match) second = &r->entries[i];
            if (!match) match = &r->entries[i];
        }
    } else {
        const char *letter = word + 1; // flags, and then an option whose value may be the rest
        for (; *letter; letter++) {
            match = wl_entry_short(r, *letter);
            if (*letter != 'h' && (match == NULL || match->option->argument)) break;
        }
        if (*letter == 0 || (match && letter[1])) return 0;
        if (match) length = strlen(word);
    }
    const char *name = match ? match->option->name : "", *argument = match ? match->option->argument : NULL;
    const char *like = match ? NULL : meant(r, word, length);
    if (second)
        wl_fail(WL_BAD_USAGE, "option %.*s could be --%s or --%s", (int)length, word, name, second->option->name);
    else if (like)
        wl_fail(WL_BAD_USAGE, "unknown option %.*s; did you mean --%s? 'warpladder %s --help' lists all", (int)length,
                word, like, r->command->name);
    else if (!match)
        wl_fail(WL_BAD_USAGE, "unknown option %.*s; 'warpladder %s --help' lists those there are", (int)length, word,
                r->command->name);
    else if (argument && !word[length])
        wl_fail(WL_BAD_USAGE, "option --%s: the value is missing; expected --%s %.*s", name, name,
                (int)strcspn(argument, ":"), argument);
    else if (!argument && word[length])
        wl_fail(WL_BAD_USAGE, "option --%s: found the value '%s'; expected none", name, word + length + 1);
    else
        return 0;
    return 1;
}
