/* The page's head, style and end. Colours have a contrast of at least 4.5 to 1 on their grounds, light and dark. */
#include "harness/base/text.h"
#include "report/page.h"

extern const wl_named_text report_styles[]; // style.css

void report_begin(FILE *page, const char *command) {
    fprintf(page,
            "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=icon href=\"data:,\">\n"
            "<title>Warpladder: results</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><h1>Warpladder: "
            "results</h1>\n"
            "<p>Made by <code>",
            report_styles[0].text);
    report_put(page, "%s</code>.</p></header>\n", command);
}

void report_end(FILE *page) { fputs("</main>\n</body>\n</html>\n", page); }
