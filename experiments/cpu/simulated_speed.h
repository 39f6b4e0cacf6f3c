/* What the simulated programs and their plain twins have in common: inputs, repetitions and the line that each prints. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static inline double user_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

/* Bytes of memory that the process has now, without those of files. */
static inline double resident_bytes(void) {
    long size = 0, resident = 0, of_files = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld %ld", &size, &resident, &of_files) != 3) exit(1);
    fclose(file);
    return 4096.0 * (double)(resident - of_files);
}

/* Letters for the histogram, which come in no order. */
static inline void fill_letters(unsigned char *letters, int n) {
    for (int i = 0; i < n; i++) letters[i] = (unsigned char)((unsigned)i * 2654435761u >> 20);
}
