/* The thread that writes blocks of rows, in order, while others lay out the next. */
#pragma once

#include <pthread.h>
#include <stdio.h>

#include "harness/base/text.h"

/* What is written of a block of rows: a text of each, or numbers as they are. */
typedef struct {
    const wl_string *text; // [rows]
    size_t rows;
    void *numbers; // [bytes]
    size_t bytes;
} distances_written_block;

/* Blocks of rows take turns: some are laid out by all threads while this one writes those before. With two of them, the one that writes
   would wait for a thread to wake up at each block. */
enum { DISTANCES_BLOCKS_MOST = 4 };
typedef struct {
    FILE *stream;
    int to_disk;   // the disk shall begin with what has been written
    size_t blocks; // that there is memory for

    int has_thread;
    pthread_t thread;
    size_t waiting; // bytes that the disk does not know of yet
    pthread_mutex_t lock;
    pthread_cond_t changed;
    distances_written_block queue[DISTANCES_BLOCKS_MOST]; // number n is in queue[n % DISTANCES_BLOCKS_MOST]
    size_t given, written;
    int ends;
    int error; // errno of the first write that failed: what comes after that is not written
} distances_writer;

/* stream, to_disk and blocks are set, and all else is zero. Without a thread whoever lays a block out writes it. */
void distances_writer_begin(distances_writer *writer, int with_thread);
/* Hand over the next block, and wait until there is memory for the one after it. Returns errno of a write that failed, or 0. */
int distances_writer_give(distances_writer *writer, const distances_written_block *block);
/* Wait until all is written. As above. */
int distances_writer_end(distances_writer *writer);
