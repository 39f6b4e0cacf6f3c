/* Text that grows, and numbers in it. */
#ifndef TOOLS_DISTANCES_WRITE_TEXT_H
#define TOOLS_DISTANCES_WRITE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *bytes; // [room]; free() it
    size_t length, room;
} distances_text;

/* Room for `more` bytes behind what is there. 0: no memory. */
int distances_text_room(distances_text *text, size_t more);

enum { DISTANCES_NUMBER_MOST = 32 }; // bytes that a number takes at most, and one that is written a few bytes ahead

/* Before the first number is written, by one thread. */
void distances_numbers_ready(void);
/* Both return where the next byte goes; DISTANCES_NUMBER_MOST bytes must be free. */
char *distances_put_whole(char *at, uint64_t number);
char *distances_put_real(char *at, double number, int digits); // significant digits; "nan"

#endif
