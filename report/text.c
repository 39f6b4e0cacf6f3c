/* Text as HTML has it. */
#include <stdarg.h>
#include <string.h>

#include "harness/base/text.h"
#include "report/page.h"

void report_text(FILE *page, const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = wl_utf8_length(at);
        const char *name = *at == '&'   ? "&amp;"
                           : *at == '<' ? "&lt;"
                           : *at == '>' ? "&gt;"
                           : *at == '"' ? "&quot;"
                                        : NULL;
        if (name != NULL)
            fputs(name, page);
        else if (length == 0 || (wl_control_length(at) > 0 && *at != '\n' && *at != '\t'))
            fputs("\xEF\xBF\xBD", page);
        else
            fwrite(at, 1, length, page);
        at += length == 0 ? 1 : length;
    }
}

void report_put(FILE *page, const char *format, ...) {
    va_list texts;
    va_start(texts, format);
    for (const char *at = format, *next; (next = strstr(at, "%s")) != NULL; at = format = next + 2) {
        fwrite(at, 1, (size_t)(next - at), page);
        report_text(page, va_arg(texts, const char *));
    }
    fputs(format, page);
    va_end(texts);
}

void report_data(FILE *page, const char *type, const char *text) {
    fprintf(page, "data:%s;charset=utf-8,", type);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
            strchr("-_.~!*'(),;:@/?=+$", *at) != NULL)
            fputc(*at, page);
        else
            fprintf(page, "%%%02X", *at);
}
