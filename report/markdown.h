/* Markdown to HTML, by GitHub's form of cmark with its tables. */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include <stddef.h>

/* The address to write for `url`, which the caller of this frees; NULL: none, the link's words stay. */
typedef char *markdown_address(void *context, const char *url);

/* HTML of `length` bytes of text, in which headings have the names that GitHub gives them; NULL: no memory. The caller frees it. */
char *markdown_html(const char *text, size_t length, markdown_address *address, void *context);
/* What stands in the first heading, as plain text; NULL: there is none. The caller frees it. */
char *markdown_title(const char *text);
/* For a search: each heading with the plain text below it, until the next. The texts are the callee's only during the call. */
typedef void markdown_section(void *context, const char *name, const char *title, const char *text);
int markdown_sections(const char *text, markdown_section *take, void *context);

#endif
