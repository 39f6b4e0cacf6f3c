#include "cli/blame.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* --- Spelling ---------------------------------------------------------------------------------------------------- */

enum { WORD_MOST = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static int same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

size_t wl_spelling_distance(const char *a, const char *b) {
    const size_t m = strnlen(a, WORD_MOST - 1), n = strnlen(b, WORD_MOST - 1);
    size_t row[3][WORD_MOST], *above = row[0], *two_above = row[2], *here = row[1];
    for (size_t k = 0; k <= n; k++) above[k] = k;
    for (size_t i = 1; i <= m; i++) {
        here[0] = i;
        for (size_t k = 1; k <= n; k++) {
            here[k] = least(least(above[k], here[k - 1]) + 1, above[k - 1] + !same(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                here[k] = least(here[k], two_above[k - 2] + 1);
        }
        size_t *const oldest = two_above;
        two_above = above, above = here, here = oldest;
    }
    return above[n];
}

/* A third of the letters may be wrong, and one in any case; or the name begins with the word. */
int wl_is_closer(const char *word, const char *name, size_t *distance) {
    const size_t length = strlen(word);
    size_t found = wl_spelling_distance(word, name);
    if (length > 2 && strncmp(word, name, length) == 0) found = 1;
    if (length < 2 || found > 1 + (length - 1) / 4 || found >= *distance) return 0;
    *distance = found;
    return 1;
}

/* --- Options ----------------------------------------------------------------------------------------------------- */

/* The option of the command that a wrong one, "--thread" of this length, may mean; NULL: none. */
static const char *meant(const wl_reader *r, const char *word, size_t length) {
    char typed[WORD_MOST];
    size_t distance = SIZE_MAX;
    const char *closest = NULL;
    if (length < 2 || length - 2 >= sizeof typed || word[1] != '-') return NULL;
    memcpy(typed, word + 2, length - 2);
    typed[length - 2] = 0;
    for (size_t i = 0; i < r->count; i++)
        if (wl_is_closer(typed, r->entries[i].option->name, &distance)) closest = r->entries[i].option->name;
    return closest;
}

int wl_blame(const wl_reader *r, const char *word) {
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
    } else if (word[1] == 'h') {
        return 0;
    } else if ((match = wl_entry_short(r, word[1])) != NULL) {
        if (word[2]) return 0;
        length = strlen(word);
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
