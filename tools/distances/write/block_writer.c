#include "tools/distances/write/block_writer.h"

#include <errno.h>

#include "harness/base/outfile.h"
#include "harness/base/thread.h"
#include "harness/base/timings.h"

#define SYNC_BYTES ((size_t)64 << 20) // written before the disk is told to begin with them

static int write_bytes(distances_writer *s, const void *bytes, size_t count) {
    return count > 0 && fwrite(bytes, count, 1, s->stream) == 0 ? errno ? errno : EIO : 0;
}

static void begin_sync(distances_writer *s, size_t more) {
    s->waiting += more;
    if (!s->to_disk || s->waiting < SYNC_BYTES) return;
    wl_outfile_begin_sync(s->stream);
    s->waiting = 0;
}

/* 0, or errno. */
static int write_block(distances_writer *s, const distances_written_block *block) {
    const double begun = wl_timings_now();
    size_t bytes = 0;
    int error = 0;
    for (size_t r = 0; r < block->rows && error == 0; r++) {
        error = write_bytes(s, block->text[r].bytes, block->text[r].length);
        bytes += block->text[r].length;
        if (error == 0) begin_sync(s, block->text[r].length);
    }
    for (size_t at = 0, count; at < block->bytes && error == 0; at += count) {
        count = block->bytes - at < SYNC_BYTES ? block->bytes - at : SYNC_BYTES;
        error = write_bytes(s, (const char *)block->numbers + at, count);
        bytes += count;
        if (error == 0) begin_sync(s, count);
    }
    wl_timings_since(WL_PHASE_WRITE, begun, (double)bytes);
    return error;
}

/* --- The thread -------------------------------------------------------------------------------------------------- */

static void *scribble(void *argument) {
    distances_writer *s = argument;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->given == s->written && !s->ends) pthread_cond_wait(&s->changed, &s->lock);
        if (s->given == s->written) break;
        const distances_written_block block = s->queue[s->written % DISTANCES_BLOCKS_MOST];
        const int writes = s->error == 0;
        pthread_mutex_unlock(&s->lock);
        const int error = writes ? write_block(s, &block) : 0;
        pthread_mutex_lock(&s->lock);
        if (s->error == 0) s->error = error;
        s->written++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void distances_writer_begin(distances_writer *s, int with_thread) {
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->has_thread = with_thread && wl_thread_start(&s->thread, scribble, s);
}

int distances_writer_give(distances_writer *s, const distances_written_block *block) {
    if (!s->has_thread) return s->error = s->error == 0 ? write_block(s, block) : s->error;
    pthread_mutex_lock(&s->lock);
    s->queue[s->given++ % DISTANCES_BLOCKS_MOST] = *block;
    pthread_cond_broadcast(&s->changed);
    while (s->given - s->written >= s->blocks) pthread_cond_wait(&s->changed, &s->lock);
    const int error = s->error;
    pthread_mutex_unlock(&s->lock);
    return error;
}

int distances_writer_end(distances_writer *s) {
    pthread_mutex_lock(&s->lock);
    s->ends = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->has_thread) pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    return s->error;
}
