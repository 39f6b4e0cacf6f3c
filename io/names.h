/* Names in order, so that equal ones are found. */
#pragma once

#include <stddef.h>

typedef struct {
    const char *text;
    size_t index; // of whatever has the name
} wl_name;

/* By text, and equal ones by index. */
void wl_names_sort(wl_name *names, size_t count);
/* Of sorted names: how many are the name of one with a lower index, too. *again: the lowest index of these; *first: that of the one
   before it with the same name. */
size_t wl_names_repeated(const wl_name *names, size_t count, size_t *again, size_t *first);
/* Of sorted names, the one of a tree's label; NULL: none. It may have the double quotes that the label had in its file. */
const wl_name *wl_names_find(const wl_name *names, size_t count, const char *label);
