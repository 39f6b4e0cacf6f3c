/* Bit logic for vectors whose instructions take two operands, for the cores that have nothing better. */
#ifndef DISTANCES_CPU_SIMD_PLAIN_LOGIC_H
#define DISTANCES_CPU_SIMD_PLAIN_LOGIC_H

#define DIFFER(t, a, b) ((t) | ((a) ^ (b)))
#define APART(a, b, both) (((a) ^ (b)) & (both))

/* A carry-save adder; `odd` is used twice: five instructions, not six. */
#define ADD_BITS(a, b, sum, carry)             \
    do {                                       \
        vector odd = (a) ^ (b);                \
        (carry) = ((a) & (b)) | (odd & (sum)); \
        (sum) ^= odd;                          \
    } while (0)

/* Two columns' sums, counters and operands are what 16 registers hold. */
#define COLUMNS 2

#endif
