/* Numbers as text. */
#pragma once

#include <stdint.h>

enum { DISTANCES_NUMBER_MOST = 32 }; // bytes that a number takes at most, and one that is written a few bytes ahead

/* Before the first number is written, by one thread. */
void distances_numbers_ready(void);
/* Both return where the next byte goes; DISTANCES_NUMBER_MOST bytes must be free. */
char *distances_put_whole(char *at, uint64_t number);
char *distances_put_real(char *at, double number, int digits); // significant digits; "nan"
