#include "io/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *left, const void *right) {
    return strcmp(((const wl_name *)left)->text, ((const wl_name *)right)->text);
}

static int by_text_and_index(const void *left, const void *right) {
    const wl_name *a = left, *b = right;
    const int order = by_text(a, b);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

void wl_names_sort(wl_name *names, size_t count) {
    if (count > 0) qsort(names, count, sizeof *names, by_text_and_index);
}

size_t wl_names_repeated(const wl_name *names, size_t count, size_t *again, size_t *first) {
    size_t repeated = 0;
    *again = SIZE_MAX;
    for (size_t i = 1; i < count; i++) {
        if (by_text(&names[i - 1], &names[i]) != 0) continue;
        repeated++;
        if (names[i].index >= *again) continue;
        *again = names[i].index;
        *first = names[i - 1].index;
    }
    return repeated;
}

static const wl_name *find(const wl_name *names, size_t count, const char *text) {
    const wl_name key = {text, 0};
    return count > 0 ? bsearch(&key, names, count, sizeof key, by_text) : NULL;
}

const wl_name *wl_names_find(const wl_name *names, size_t count, const char *label) {
    const wl_name *found = find(names, count, label);
    const size_t length = strlen(label);
    char *quoted = found ? NULL : malloc(length + 3);
    if (quoted == NULL) return found;
    quoted[0] = quoted[length + 1] = '"';
    memcpy(quoted + 1, label, length);
    quoted[length + 2] = '\0';
    found = find(names, count, quoted);
    free(quoted);
    return found;
}
