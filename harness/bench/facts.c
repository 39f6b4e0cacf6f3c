#include "harness/bench/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of `key` among "key\tvalue\n" lines, without its end; NULL: there is none. */
static const char *fact(const char *facts, const char *key, size_t *length) {
    const size_t size = strlen(key);
    for (const char *at = facts; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        if (strncmp(at, key, size) != 0 || at[size] != '\t') continue;
        *length = strcspn(at + size + 1, "\n");
        return at + size + 1;
    }
    return NULL;
}

static size_t lines_of(const char *facts) {
    size_t lines = 0;
    for (const char *at = facts; *at; at += strcspn(at, "\n"), at += *at == '\n') lines++;
    return lines;
}

/* Facts that may differ between machines of one kind. The earliest date is kept; all values of the others are listed. */
static int may_differ(const char *key) {
    static const char *const keys[] = {"date", "memory", "system", NULL};
    for (size_t i = 0; keys[i]; i++)
        if (strcmp(keys[i], key) == 0) return 1;
    return 0;
}

typedef struct {
    const char *const *facts, *const *names; /* [count] */
    size_t count;
} machines;

/* Is `one` among the values of "A; B; C"? */
static int is_listed(const char *list, const char *one) {
    const size_t size = strlen(one);
    for (const char *at = list; (at = strstr(at, one)) != NULL; at++)
        if ((at == list || (at - list >= 2 && strncmp(at - 2, "; ", 2) == 0)) && (at[size] == 0 || at[size] == ';'))
            return 1;
    return 0;
}

/* Writes the value of one fact of all machines. */
static wl_status join_fact(const machines *m, const char *key, FILE *stream) {
    const char *first = NULL, *value;
    size_t first_length = 0, length;
    char seen[1024] = "";
    for (size_t i = 0; i < m->count; i++) {
        value = fact(m->facts[i], key, &length);
        if (value == NULL) value = "nothing", length = strlen(value);
        const int same = first && length == first_length && strncmp(value, first, length) == 0;
        if (i > 0 && !same && !may_differ(key))
            return wl_fail(
                WL_BAD_INPUT,
                "%s: was measured where the header's '%s' is '%.*s', and %s where it is '%.*s'; expected parts "
                "from one kind of machine and one build",
                m->names[i], key, (int)length, value, m->names[0], (int)first_length, first);
        const int earlier = first && strcmp(key, "date") == 0 && strncmp(value, first, length) < 0;
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)length, value);
        if (first == NULL || earlier) {
            first = value;
            first_length = length;
        }
        if (!is_listed(seen, one) && strlen(seen) + strlen(one) + 3 < sizeof seen)
            sprintf(seen + strlen(seen), "%s%s", *seen ? "; " : "", one);
    }
    if (may_differ(key) && strcmp(key, "date") != 0)
        fprintf(stream, "%s\t%s\n", key, seen);
    else
        fprintf(stream, "%s\t%.*s\n", key, (int)first_length, first);
    return WL_OK;
}

/* Each fact of the first machine, and whether the others have the same ones. */
static wl_status join_all(const machines *m, FILE *stream) {
    const size_t lines = lines_of(m->facts[0]);
    char key[64];
    for (const char *at = m->facts[0]; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (sscanf(at, "%63[^\t\n]\t", key) == 1) WL_TRY(join_fact(m, key, stream));
    for (size_t i = 1; i < m->count; i++)
        if (lines_of(m->facts[i]) != lines)
            return wl_fail(
                WL_BAD_INPUT,
                "%s: was measured on a machine with other devices than %s; expected parts from one kind of machine",
                m->names[i], m->names[0]);
    return WL_OK;
}

wl_status wl_facts_join(const char *const *facts, const char *const *names, size_t count, char **joined) {
    const machines m = {facts, names, count};
    size_t size;
    *joined = NULL;
    FILE *stream = open_memstream(joined, &size);
    if (stream == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for what the machines are");
    const wl_status status = join_all(&m, stream);
    if (fclose(stream) != 0 && status == WL_OK)
        return wl_fail(WL_NO_MACHINE, "not enough memory for what the machines are");
    return status;
}
