/* Markdown to HTML, by GitHub's form of cmark with its tables. */
#pragma once

#include <stddef.h>

/* HTML of `length` bytes of text. A link leads into the source tree, so only its words stay. NULL: no memory. The caller frees it. */
char *markdown_html(const char *text, size_t length);
