/* What `warpladder distances` tells people, beside the data. */
#include <ctype.h>
#include <stdarg.h>

#include "cli/distances.h"
#include "harness/base/clock.h"

void distances_note_lines(const distances_job *job, const char *text, size_t length) {
    if (job->line->quiet) return;
    int begins = 1;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (begins) fputs("warpladder distances: note: ", stderr);
        begins = byte == '\n';
        /* Names are anybody's text, and a terminal obeys control characters. */
        if (iscntrl(byte) && !begins)
            fprintf(stderr, "\\x%02x", byte);
        else
            fputc(byte, stderr);
    }
    if (!begins) fputc('\n', stderr);
}

void distances_note(const distances_job *job, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0) distances_note_lines(job, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

void distances_show(const distances_job *job, const char *what) {
    if (job->progress) fprintf(stderr, "\r%s\033[K", what);
}

void distances_show_progress(void *user, double done, double seconds) {
    distances_job *job = user;
    double now = wl_now();
    if (now - job->shown < 0.2) return;
    job->shown = now;
    fprintf(stderr, "\rcomputing: %.1f %%", 100 * done);
    if (done > 0) fprintf(stderr, ", %.0f s left", seconds / done - seconds);
    fputs("\033[K", stderr);
}

void distances_summarise(const distances_job *job, const distances_data *data, const distances_summary *summary) {
    if (job->line->quiet) return;
    double pairs = 0.5 * (double)data->count * (double)(data->count - 1);
    fprintf(stderr, "warpladder distances: %zu instance%s, %llu site%s, %.0f pair%s; ", data->count,
            data->count == 1 ? "" : "s", (unsigned long long)data->sites, data->sites == 1 ? "" : "s", pairs,
            pairs == 1 ? "" : "s");
    if (summary->resumed > 0)
        fprintf(stderr, "resumed: %zu of %zu tiles were finished; ", summary->resumed, summary->tiles);
    int simulated = 0; // whose time says nothing
    for (size_t d = 0; d < job->request.device_count; d++) simulated |= job->request.devices[d].backend == WL_SIM;
    if (simulated)
        fprintf(stderr, "computed on %s\n", summary->devices);
    else if (summary->comparisons <= 0) // one instance, or all was there
        fprintf(stderr, "nothing to compute; %.2f s in all\n", wl_now() - job->begun);
    else
        fprintf(stderr, "computed in %.2f s (%.2f s in kernels), %.3g comparisons/s on %s; %.2f s in all\n",
                summary->seconds, summary->kernel_seconds, summary->comparisons / summary->seconds, summary->devices,
                wl_now() - job->begun);
}
