#include "harness/base/json.h"

#include <math.h>

#include "harness/base/error.h"

void wl_json_text(FILE *stream, const char *text) {
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        size_t length = wl_utf8_length(c);
        if (length == 0)
            fputs("\\ufffd", stream);
        else if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (wl_control_length(c) > 0)
            fprintf(stream, "\\u%04x", c[length - 1]); // U+0080 to U+009F end with a byte of that number
        else
            fwrite(c, 1, length, stream);
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
