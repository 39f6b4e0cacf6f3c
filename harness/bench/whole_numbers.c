/* Comparing results of whole numbers. */
#include <inttypes.h>
#include <stdio.h>

#include "harness/bench/expected.h"

int wl_is_poison(const void *memory, size_t bytes) {
    const unsigned char *at = memory;
    size_t i = 0;
    while (i < bytes && at[i] == WL_POISON_BYTE) i++;
    return i == bytes;
}

static const char *diagnosis(const wl_whole_numbers *numbers, const void *input, int64_t expected, int64_t found) {
    const uint32_t difference = (uint32_t)(found - expected), bits = (uint32_t)found;
    if (wl_is_poison(&bits, sizeof bits)) return " (never written)";
    if (wl_is_poison(&difference, sizeof difference)) return " (added to memory that was never set to zero)";
    return numbers->diagnosis ? numbers->diagnosis(input, expected, found) : "";
}

size_t wl_compare_whole(const wl_whole_numbers *numbers, const void *input, const void *expected, const void *actual,
                        char *first, size_t size) {
    const uint32_t *should = expected, *is = actual;
    size_t wrong = 0;
    for (size_t element = 0; element < numbers->count; element++) {
        if (is[element] == should[element] || wrong++ > 0) continue;
        char place[96];
        const int64_t wanted = numbers->is_unsigned ? (int64_t)should[element] : (int32_t)should[element];
        const int64_t found = numbers->is_unsigned ? (int64_t)is[element] : (int32_t)is[element];
        numbers->place(input, element, place, sizeof place);
        snprintf(first, size, "%s: expected %" PRId64 ", found %" PRId64 "%s", place, wanted, found,
                 diagnosis(numbers, input, wanted, found));
    }
    return wrong;
}
