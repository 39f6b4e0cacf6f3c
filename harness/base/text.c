#include "harness/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

wl_status wl_text_read(const char *path, char **text) {
    FILE *file = fopen(path, "r");
    size_t room = 0;
    *text = NULL;
    if (file == NULL) return wl_fail(WL_BAD_INPUT, "%s: %s", path, strerror(errno));
    const ssize_t length = getdelim(text, &room, 0, file);
    const int failed = ferror(file) || (length < 0 && room == 0);
    fclose(file);
    if (!failed && length <= 0) **text = 0; // an empty file
    if (!failed && (length <= 0 || (*text)[length - 1] != 0)) return WL_OK;
    free(*text);
    *text = NULL;
    return failed ? wl_fail(WL_BAD_INPUT, "%s: cannot be read", path)
                  : wl_fail(WL_BAD_INPUT, "%s: found a byte 0; expected text", path);
}

char *wl_text_field(char **at) {
    char *field = *at, *tab = field + strcspn(field, "\t");
    *at = *tab ? tab + 1 : NULL;
    *tab = 0;
    const size_t length = strlen(field);
    if (length < 2 || field[0] != '"' || field[length - 1] != '"') return field;
    char *to = field;
    field[length - 1] = 0;
    for (const char *from = field + 1; *from; from++) { // a quote within is there twice
        if (from[0] == '"' && from[1] == '"') from++;
        *to++ = *from;
    }
    *to = 0;
    return field;
}

static size_t digits(const char *text) { return strspn(text, "0123456789"); }

double wl_decimal(const char *text, const char **end) {
    const char *at = text + (*text == '+' || *text == '-');
    const size_t whole = digits(at), part = at[whole] == '.' ? digits(at + whole + 1) : 0;
    *end = text;
    if (whole + part == 0) return (double)NAN;
    at += whole + (at[whole] == '.') + part;
    const size_t sign = *at == 'e' || *at == 'E' ? 1 + (at[1] == '+' || at[1] == '-') : 0;
    if (sign > 0 && digits(at + sign) > 0) at += sign + digits(at + sign);
    *end = at;
    return strtod(text, NULL);
}

/* --- Text that anybody may have written -------------------------------------------------------------------------- */

size_t wl_put_character(FILE *stream, const char *at) {
    const unsigned char *text = (const unsigned char *)at;
    const size_t control = wl_control_length(text), length = wl_utf8_length(text);
    for (size_t i = 0; i < control; i++) fprintf(stream, "\\x%02X", text[i]);
    if (control > 0) return control;
    fwrite(at, 1, length > 0 ? length : 1, stream);
    return length > 0 ? length : 1;
}

void wl_put_shown(FILE *stream, const char *text, const char *kept) {
    while (*text)
        if (strchr(kept, *text))
            fputc(*text++, stream);
        else
            text += wl_put_character(stream, text);
}

void wl_put_plain(FILE *stream, const char *text, size_t length) {
    for (const char *end = text + length; text < end;) {
        const size_t control = wl_control_length((const unsigned char *)text);
        if (control > 0) fputc(' ', stream);
        text += control > 0 ? control : wl_put_character(stream, text);
    }
}

void wl_print(FILE *stream, const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    wl_put_shown(stream, text ? text : "no memory for a line\n", "\n\t");
    free(text);
}

/* How many bytes at the beginning are ASCII, in whole words. */
static size_t ascii(const char *text, size_t length) {
    size_t at = 0;
    for (uint64_t word; length - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080)) break;
    }
    return at;
}

void wl_text_calm(char *text, size_t length, const char *kept, char with) {
    for (size_t at = kept ? 0 : ascii(text, length); at < length;) {
        const unsigned char *here = (const unsigned char *)text + at;
        const size_t control = wl_control_length(here), bytes = wl_utf8_length(here);
        if (control > 0 && (*here >= 0x80 || (kept && !strchr(kept, *here)))) memset(text + at, with, control);
        at += bytes > 0 ? bytes : 1;
        if (!kept && *here < 0x80) at += ascii(text + at, length - at);
    }
}

int wl_is_formula(const char *text) {
    const char *end;
    if (*text == 0 || !strchr("=+-@\t\r", *text)) return 0;
    wl_decimal(text, &end);
    return end == text || *end != 0; // a number is none
}

void wl_put_csv(FILE *stream, const char *text, int always) {
    const int guards = wl_is_formula(text), quotes = always || guards || strpbrk(text, ",\"\r\n");
    if (quotes) fputc('"', stream);
    if (guards) fputc('\'', stream);
    while (*text) {
        if (*text == '"') fputc('"', stream);
        text += wl_put_character(stream, text);
    }
    if (quotes) fputc('"', stream);
}

int wl_string_room(wl_string *text, size_t more) {
    size_t since = 0; // a large text asks whether there is memory, each time that it grows
    return wl_memory_grow(&since, &text->bytes, &text->room, text->length + more + 1, 1);
}

const char *wl_plural(size_t count) { return count == 1 ? "" : "s"; }

const char *wl_path_shown(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* --- Spelling ---------------------------------------------------------------------------------------------------- */

enum { WORD_MOST = 64 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static int same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Letters that are wrong, missing or too many, and neighbours that have changed places. Of long words the first 63 letters count. */
static size_t spelling_distance(const char *a, const char *b) {
    const size_t m = strnlen(a, WORD_MOST - 1), n = strnlen(b, WORD_MOST - 1);
    size_t row[3][WORD_MOST], *above = row[0], *two_above = row[2], *here = row[1];
    for (size_t k = 0; k <= n; k++) above[k] = k;
    for (size_t i = 1; i <= m; i++) {
        here[0] = i;
        for (size_t k = 1; k <= n; k++) {
            here[k] = least(least(above[k], here[k - 1]) + 1, above[k - 1] + !same(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                here[k] = least(here[k], two_above[k - 2] + 1);
        }
        size_t *const oldest = two_above;
        two_above = above, above = here, here = oldest;
    }
    return above[n];
}

/* A third of the letters may be wrong, and one in any case; or the name begins with the word. */
int wl_is_closer(const char *word, const char *name, size_t *distance) {
    const size_t length = strlen(word);
    size_t found = spelling_distance(word, name);
    if (length > 2 && strncmp(word, name, length) == 0) found = 1;
    if (length < 2 || found > 1 + (length - 1) / 4 || found >= *distance) return 0;
    *distance = found;
    return 1;
}
