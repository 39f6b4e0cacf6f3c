/* One function for every kind, so that the compiler knows it. */
#ifndef DISTANCES_CPU_SIMD_FUNCTIONS_H
#define DISTANCES_CPU_SIMD_FUNCTIONS_H

#define NAME_OF(sum, complete, planes) count_##sum##_##complete##_##planes

#define FUNCTION(sum, complete, planes)                                                                               \
    static void NAME_OF(sum, complete, planes)(const unsigned char *rows, const unsigned char *columns, size_t words, \
                                               cpu_square *square) {                                                  \
        const cpu_kind kind = {sum, complete, planes, planes + !complete};                                            \
        count_square(kind, rows, columns, words, square);                                                             \
    }

#define EVERY_PLANES(sum, complete) \
    FUNCTION(sum, complete, 1)      \
    FUNCTION(sum, complete, 2)      \
    FUNCTION(sum, complete, 3)      \
    FUNCTION(sum, complete, 4)      \
    FUNCTION(sum, complete, 5)      \
    FUNCTION(sum, complete, 6)      \
    FUNCTION(sum, complete, 7)

EVERY_PLANES(DISTANCES_DIFFERENT, 0)
EVERY_PLANES(DISTANCES_DIFFERENT, 1)
EVERY_PLANES(DISTANCES_STEPS, 0)
EVERY_PLANES(DISTANCES_STEPS, 1)

#define NAMES_OF(sum, complete)                                                                                        \
    {                                                                                                                  \
        NULL, NAME_OF(sum, complete, 1), NAME_OF(sum, complete, 2), NAME_OF(sum, complete, 3),                         \
            NAME_OF(sum, complete, 4), NAME_OF(sum, complete, 5), NAME_OF(sum, complete, 6), NAME_OF(sum, complete, 7) \
    }

static const cpu_core core = {
    .count = {
        [DISTANCES_DIFFERENT] = {NAMES_OF(DISTANCES_DIFFERENT, 0), NAMES_OF(DISTANCES_DIFFERENT, 1)},
        [DISTANCES_STEPS] = {NAMES_OF(DISTANCES_STEPS, 0), NAMES_OF(DISTANCES_STEPS, 1)},
    }};

#endif
