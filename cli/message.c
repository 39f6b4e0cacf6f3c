#include "cli/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/text.h"

void wl_note_list(const char *command, const char *format, va_list arguments) {
    char *text;
    if (vasprintf(&text, format, arguments) < 0) return;
    int begins = 1;
    for (const char *at = text; *at;) {
        if (begins) fprintf(stderr, "warpladder %s: note: ", command);
        begins = *at == '\n';
        if (begins)
            fputc(*at++, stderr);
        else
            at += wl_put_character(stderr, at);
    }
    if (!begins) fputc('\n', stderr);
    free(text);
}

void wl_note(const wl_args *args, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!args->quiet) wl_note_list(args->command->name, format, arguments);
    va_end(arguments);
}

void wl_note_left_out(const wl_args *args, const char *path, const wl_left_out *left_out) {
    char text[WL_LEFT_OUT_TEXT];
    if (wl_left_out_count(left_out) > 0) wl_note(args, "%s: %s", wl_path_shown(path), wl_left_out_show(left_out, text));
}

int wl_shows_progress(const wl_args *args) { return !args->quiet && isatty(STDERR_FILENO); }

wl_progress wl_progress_begin(const wl_args *args, int data_to_stdout, const char *phase) {
    return (wl_progress){.shows = wl_shows_progress(args) && !(data_to_stdout && isatty(STDOUT_FILENO)),
                         .phase = phase};
}

void wl_progress_show(const wl_progress *progress, const char *format, ...) {
    if (!progress->shows) return;
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    fputc('\r', stderr);
    if (text) wl_put_shown(stderr, text, "");
    fputs("\033[K", stderr);
    free(text);
}

void wl_progress_phase(void *progress, const char *phase, double done, double seconds) {
    wl_progress *p = progress;
    const double now = wl_now();
    if (!p->shows || now - p->shown < 0.2) return;
    p->shown = now;
    fprintf(stderr, "\r%s: %.1f %%", phase, 100 * done);
    if (done > 0) fprintf(stderr, ", %.0f s left", seconds / done - seconds);
    fputs("\033[K", stderr);
}

void wl_progress_share(void *progress, double done, double seconds) {
    wl_progress_phase(progress, ((const wl_progress *)progress)->phase, done, seconds);
}
