#include <string.h>
#include <strings.h>

#include "io/bytes.h"
#include "io/nexus.h"

static const char header[] = "#NEXUS";

static int is_white(int byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

int wl_nexus_is(const char *text, size_t size) {
    const char *end = text + size;
    while (text < end && is_white((unsigned char)*text)) text++;
    return (size_t)(end - text) >= strlen(header) && strncasecmp(text, header, strlen(header)) == 0;
}

wl_nexus_word wl_nexus_here(const wl_nexus_reader *r) {
    return (wl_nexus_word){
        .text = r->next, .length = r->next < r->end, .line = r->line, .column = (size_t)(r->next - r->line_begin) + 1};
}

static wl_status refuse_end(const wl_nexus_reader *r, const char *expected) {
    const wl_nexus_word here = wl_nexus_here(r);
    return WL_NEXUS_REFUSE(r, &here, "the text ends; expected %s", expected);
}

/* One byte further. Lines end with '\n', "\r\n" or, in files as old as the format, '\r'. */
static void step(wl_nexus_reader *r) {
    const char byte = *r->next++;
    if (byte != '\n' && !(byte == '\r' && (r->next == r->end || *r->next != '\n'))) return;
    r->line++;
    r->line_begin = r->next;
}

/* What no part of such a file may have. */
static wl_status screen(wl_nexus_reader r) {
    char text[16];
    for (; r.next < r.end; step(&r)) {
        const unsigned char byte = (unsigned char)*r.next;
        if (is_white(byte) || (byte >= ' ' && byte != 0x7F)) continue;
        const wl_nexus_word here = wl_nexus_here(&r);
        return WL_NEXUS_REFUSE(&r, &here, "found %s; expected text", wl_bytes_show(byte, text));
    }
    return WL_OK;
}

wl_status wl_nexus_open(wl_nexus_reader *r, const char *path, const char *text, size_t size) {
    *r = (wl_nexus_reader){.path = path, .next = text, .end = text + size, .line_begin = text, .line = 1};
    if (!wl_nexus_is(text, size))
        return wl_fail(WL_BAD_INPUT, "%s: found no '%s' at the beginning; expected a NEXUS file", path, header);
    wl_status status = screen(*r);
    while (is_white((unsigned char)*r->next)) step(r);
    r->next += strlen(header);
    return status;
}

static wl_status skip_comment(wl_nexus_reader *r) {
    const wl_nexus_word begin = wl_nexus_here(r);
    size_t depth = 0;
    do {
        if (r->next == r->end) return WL_NEXUS_REFUSE(r, &begin, "the comment is not closed; expected %s", "']'");
        depth += *r->next == '[';
        depth -= *r->next == ']';
        step(r);
    } while (depth > 0);
    return WL_OK;
}

wl_status wl_nexus_skip(wl_nexus_reader *r, int in_line) {
    while (r->next < r->end && (is_white((unsigned char)*r->next) || *r->next == '[')) {
        if (*r->next == '[') {
            WL_TRY(skip_comment(r));
        } else if (in_line && (*r->next == '\n' || *r->next == '\r')) {
            break;
        } else {
            step(r);
        }
    }
    return WL_OK;
}

/* Moves on past the closing quote, which in what is skipped may be in a later line: notes have paragraphs. */
static wl_status skip_long_quoted(wl_nexus_reader *r) {
    const wl_nexus_word begin = wl_nexus_here(r);
    step(r);
    for (;; step(r)) {
        if (r->next == r->end)
            return WL_NEXUS_REFUSE(r, &begin, "the quoted text is not closed; expected a second %s", "\"'\"");
        if (*r->next != '\'') continue;
        if (r->next + 1 == r->end || r->next[1] != '\'') break;
        step(r);
    }
    step(r);
    return WL_OK;
}

/* Moves on past the closing quote. */
static wl_status skip_quoted(wl_nexus_reader *r, wl_nexus_word *word) {
    *word = wl_nexus_here(r);
    word->quoted = 1;
    word->text = ++r->next;
    for (;; r->next++) {
        if (r->next == r->end || *r->next == '\n' || *r->next == '\r')
            return WL_NEXUS_REFUSE(r, word, "the quoted word is not closed in its line; expected a second %s", "\"'\"");
        if (*r->next == '\t') return WL_NEXUS_REFUSE(r, word, "found a tab in the quoted word; expected %s", "none");
        if (*r->next != '\'') continue;
        if (r->next + 1 == r->end || r->next[1] != '\'') break;
        r->next++;
    }
    word->length = (size_t)(r->next++ - word->text);
    return WL_OK;
}

static int ends_word(int byte, const char *ends) {
    return is_white(byte) || byte == '[' || (byte != 0 && strchr(ends, byte) != NULL);
}

wl_status wl_nexus_next(wl_nexus_reader *r, const char *ends, wl_nexus_word *word) {
    WL_TRY(wl_nexus_skip(r, 0));
    if (r->next == r->end) return refuse_end(r, "';' and 'END;'");
    if (*r->next == '\'') return skip_quoted(r, word);
    *word = wl_nexus_here(r);
    r->next++;
    if (ends_word((unsigned char)*word->text, ends)) return WL_OK;
    while (r->next < r->end && !ends_word((unsigned char)*r->next, ends)) r->next++;
    word->length = (size_t)(r->next - word->text);
    return WL_OK;
}

int wl_nexus_says(const wl_nexus_word *word, const char *text) {
    return !word->quoted && word->length == strlen(text) && strncasecmp(word->text, text, word->length) == 0;
}

size_t wl_nexus_copy(const wl_nexus_word *word, char *to) {
    size_t length = 0;
    for (size_t i = 0; i < word->length; i++) {
        to[length++] = word->text[i];
        i += word->quoted && word->text[i] == '\'';
    }
    to[length] = 0;
    return length;
}

wl_status wl_nexus_value(wl_nexus_reader *r, const wl_nexus_word *what, wl_nexus_word *value) {
    wl_status status = wl_nexus_next(r, "=;,\"", value);
    if (status != WL_OK) return status;
    if (!wl_nexus_says(value, "="))
        return WL_NEXUS_REFUSE(r, value, "found '%.*s' after '%.*s'; expected '='", WL_NEXUS_TEXT(value),
                               WL_NEXUS_TEXT(what));
    status = wl_nexus_next(r, "=;,\"", value);
    if (status == WL_OK && wl_nexus_says(value, ";"))
        return WL_NEXUS_REFUSE(r, value, "found ';' after '%.*s='; expected its value", WL_NEXUS_TEXT(what));
    return status;
}

wl_status wl_nexus_count(wl_nexus_reader *r, const wl_nexus_word *what, size_t *count) {
    wl_nexus_word value;
    WL_TRY(wl_nexus_value(r, what, &value));
    size_t digits = 0;
    *count = 0;
    while (digits < value.length && digits < 18 && value.text[digits] >= '0' && value.text[digits] <= '9')
        *count = 10 * *count + (size_t)(value.text[digits++] - '0');
    if (digits == value.length && *count > 0) return WL_OK;
    return WL_NEXUS_REFUSE(r, &value, "found '%.*s' as %.*s; expected a number from 1 to 1e18 - 1",
                           WL_NEXUS_TEXT(&value), WL_NEXUS_TEXT(what));
}

wl_status wl_nexus_end_command(wl_nexus_reader *r, const char **stop) {
    int in_word = 0; // where a quote is an apostrophe
    while (r->next < r->end) {
        const char byte = *r->next;
        if (byte == '[') {
            WL_TRY(skip_comment(r));
            continue;
        }
        if (byte == '\'' && !in_word) {
            WL_TRY(skip_long_quoted(r));
            continue;
        }
        if (stop) *stop = r->next;
        in_word = !ends_word((unsigned char)byte, "()=,:;");
        step(r);
        if (byte == ';') return WL_OK;
    }
    return refuse_end(r, "';'");
}

wl_status wl_nexus_next_block(wl_nexus_reader *r, wl_nexus_word *name) {
    WL_TRY(wl_nexus_skip(r, 0));
    *name = wl_nexus_here(r);
    if (r->next == r->end) return WL_OK;
    wl_nexus_word begin;
    WL_TRY(wl_nexus_next(r, ";", &begin));
    if (!wl_nexus_says(&begin, "BEGIN"))
        return WL_NEXUS_REFUSE(r, &begin, "found '%.*s'; expected 'BEGIN' and a block's name", WL_NEXUS_TEXT(&begin));
    wl_status status = wl_nexus_next(r, ";", name);
    if (status == WL_OK && wl_nexus_says(name, ";"))
        return WL_NEXUS_REFUSE(r, name, "found ';' after '%.*s'; expected a block's name", WL_NEXUS_TEXT(&begin));
    return status == WL_OK ? wl_nexus_end_command(r, NULL) : status;
}

wl_status wl_nexus_next_command(wl_nexus_reader *r, wl_nexus_word *command, int *ended) {
    wl_status status;
    do { // which may be empty
        status = wl_nexus_next(r, ";=", command);
    } while (status == WL_OK && wl_nexus_says(command, ";"));
    *ended = status == WL_OK && (wl_nexus_says(command, "END") || wl_nexus_says(command, "ENDBLOCK"));
    return *ended ? wl_nexus_end_command(r, NULL) : status;
}

wl_status wl_nexus_skip_block(wl_nexus_reader *r) {
    for (int ended = 0; !ended;) {
        wl_nexus_word command;
        WL_TRY(wl_nexus_next_command(r, &command, &ended));
        if (!ended) WL_TRY(wl_nexus_end_command(r, NULL));
    }
    return WL_OK;
}
