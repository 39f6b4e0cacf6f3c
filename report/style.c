/* The page's head, style and end. Colours have a contrast of at least 4.5 to 1 on their grounds, light and dark. */
#include "report/page.h"

static const char style[] =
    ":root{color-scheme:light "
    "dark;--ink:#1b1b1b;--ground:#fff;--faint:#595959;--line:#bbb;--link:#0b57a4;--head:#eef2f6;"
    "--del:#fde4e1;--ins:#dff3e3}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#eaeaea;--ground:#16181b;--faint:#b4b4b4;--line:#555;--link:#8ec5ff;"
    "--head:#23282e;--del:#51201c;--ins:#16401f}.chart svg{filter:invert(.9) hue-rotate(180deg)}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:1rem;max-width:80rem;color:var(--ink);background:var(--ground);"
    "font:1rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "a{color:var(--link)}a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:3px solid var(--link);"
    "outline-offset:2px}\n"
    "h1{font-size:1.8rem}h2{border-top:2px solid var(--line);padding-top:1rem}h3{margin-bottom:.3rem}\n"
    "summary{cursor:pointer;padding:.4rem 0;color:var(--link)}details{margin:.3rem "
    "0}details>:not(summary){margin-left:.5rem}\n"
    ".wide{position:relative;overflow-x:auto;margin:.5rem 0}table{border-collapse:collapse;font-size:.875rem;"
    "font-variant-numeric:tabular-nums}caption{text-align:left;color:var(--faint)}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}"
    "thead th{background:var(--head)}td.n,th.n{text-align:right;white-space:nowrap}\n"
    ".chart svg{display:block;min-width:48rem;font-family:DejaVu Sans,Verdana,Arial,sans-serif}"
    ".chart "
    ".line{fill:none;color:black;stroke:currentColor;stroke-width:1;stroke-linecap:butt;stroke-linejoin:miter}.values "
    "ul{columns:26rem;column-gap:2rem;padding-left:1.2rem;font-size:.875rem}dl{display:grid;grid-template-columns:"
    "minmax(6rem,max-content) "
    "1fr;"
    "gap:.1rem 1rem;font-size:.875rem}dt{color:var(--faint)}dd{margin:0;min-width:0;overflow-wrap:anywhere}\n"
    ".from{color:var(--faint)}.diff{table-layout:fixed;width:100%;min-width:60rem}.diff td{font:.75rem/1.35 monospace;"
    "white-space:pre-wrap;border:0;padding:0 .4rem}.diff .del{background:var(--del)}.diff .ins{background:var(--ins)}"
    ".diff .none,.diff .gap{background:var(--head);color:var(--faint)}\n"
    ".del::before{content:\"removed: \"}.ins::before{content:\"added: \"}\n"
    ".sr,.del::before,.ins::before{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-"
    "space:nowrap}\n"
    "@media print{:root{--ink:#000;--ground:#fff;--faint:#444;--line:#999;--link:#000;--head:#eee;--del:#fde4e1;"
    "--ins:#dff3e3}.chart svg{filter:none;break-inside:avoid;min-width:0}nav{display:none}.wide{overflow:visible}}\n";

void report_begin(FILE *page, const char *command) {
    fprintf(page,
            "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=icon href=\"data:,\">\n"
            "<title>Warpladder: results</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><h1>Warpladder: "
            "results</h1>\n"
            "<p>Made by <code>",
            style);
    report_put(page, "%s</code>.</p></header>\n", command);
}

void report_end(FILE *page) { fputs("</main>\n</body>\n</html>\n", page); }
