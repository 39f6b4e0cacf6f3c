#include "tools/distances/write/numbers.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Printing is what writing a matrix costs: printf takes 60 ns a number, four digits at a time from a table 2 to 3. */
enum { FOUR = 10000 };
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "text is put together in registers, and .npy says little-endian");
static char four_digits[FOUR][4]; // "0042"

static void fill_digits(void) {
    for (int i = 0; i < FOUR; i++)
        for (int place = 3, rest = i; place >= 0; place--, rest /= 10) four_digits[i][place] = (char)('0' + rest % 10);
}

void distances_numbers_ready(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_digits);
}

/* Below 10000, without leading zeros: four bytes are written whatever the length. */
static char *put_few(char *at, uint32_t number) {
    int length = 1 + (number >= 10) + (number >= 100) + (number >= 1000);
    uint32_t digits; // the first one lowest
    memcpy(&digits, four_digits[number], sizeof digits);
    digits >>= 8 * (4 - length);
    memcpy(at, &digits, sizeof digits);
    return at + length;
}

static char *put_four(char *at, uint32_t number) {
    memcpy(at, four_digits[number], 4);
    return at + 4;
}

char *distances_put_whole(char *at, uint64_t number) {
    if (number < FOUR) return put_few(at, (uint32_t)number);
    if (number < (uint64_t)FOUR * FOUR)
        at = put_few(at, (uint32_t)(number / FOUR));
    else
        at = distances_put_whole(at, number / FOUR);
    return put_four(at, (uint32_t)(number % FOUR));
}

/* --- Others ------------------------------------------------------------------------------------------------------ */

char *distances_put_real(char *at, double number, int digits) {
    if (isnan(number)) {
        memcpy(at, "nan", 3);
        return at + 3;
    }
    return at + snprintf(at, DISTANCES_NUMBER_MOST, "%.*g", digits, number);
}
