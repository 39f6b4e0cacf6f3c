#include "cli/put.h"

#include <math.h>

#include "io/json.h"

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
