#include "harness/base/json.h"

#include <math.h>

/* Bytes of the UTF-8 character at `text`, 0 when it is not one: overlong forms and surrogates are not. */
static int utf8_length(const unsigned char *text) {
    int length = text[0] < 0x80                      ? 1
                 : text[0] >= 0xC2 && text[0] < 0xE0 ? 2
                 : text[0] >= 0xE0 && text[0] < 0xF0 ? 3
                 : text[0] >= 0xF0 && text[0] < 0xF5 ? 4
                                                     : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0; // also at the string's end
    if (text[0] == 0xE0 && text[1] < 0xA0) return 0;
    if (text[0] == 0xED && text[1] >= 0xA0) return 0;
    if (text[0] == 0xF0 && text[1] < 0x90) return 0;
    if (text[0] == 0xF4 && text[1] >= 0x90) return 0;
    return length;
}

void wl_json_text(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = utf8_length(c);
        if (length == 0)
            fputs("\\ufffd", stream);
        else if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c < ' ' || *c == 0x7F)
            fprintf(stream, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)length, stream);
        c += length > 0 ? length : 1;
    }
    fputc('"', stream);
}

void wl_put_number(FILE *stream, const char *before, double number, const char *none) {
    if (isfinite(number))
        fprintf(stream, "%s%.6g", before, number);
    else
        fprintf(stream, "%s%s", before, none);
}

void wl_put_text(FILE *stream, const char *before, const char *text) {
    fputs(before, stream);
    wl_json_text(stream, text);
}
