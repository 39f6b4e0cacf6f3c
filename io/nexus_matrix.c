/* NEXUS: the DATA or CHARACTERS block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "harness/base/memory.h"
#include "io/nexus.h"

/* What is known of the block. */
typedef struct {
    wl_nexus_reader *r;
    size_t taxa_count; // what the TAXA block says; 0: nothing
    size_t rows, columns;
    wl_nexus_format format;
    wl_alignment *made;
    size_t *filled; // [rows]: letters that are there
    int found;
} matrix;

/* --- MATRIX ------------------------------------------------------------------------------------------------------ */

static wl_status refuse_row(const matrix *m, const wl_nexus_word *where, size_t row, const char *what) {
    return WL_NEXUS_REFUSE(m->r, where,
                           "row '%.40s' (line %zu) has %s; expected %zu, as NCHAR says: correct NCHAR or the row",
                           m->made->rows[row].name, m->made->rows[row].line, what, m->columns);
}

/* Letters of a row as far as they go: to the line's end where rows are interleaved, else to the
   last column. There another row may follow in the line, but only after one that began in it. After
   a row of several lines, such letters are more often the rest of a row that is too long. */
static wl_status read_letters(matrix *m, size_t row) {
    wl_nexus_reader *r = m->r;
    char *letters = m->made->rows[row].letters, text[16], found[96];
    size_t line = m->made->rows[row].line, before = 0; // the line of the last letter, and letters before it
    for (;;) {
        const int complete = m->filled[row] == m->columns;
        const char *behind = r->next;
        wl_status status = wl_nexus_skip(r, m->format.interleaved || complete);
        if (status != WL_OK) return status;
        if (r->next == r->end || *r->next == ';' || *r->next == '\n' || *r->next == '\r') return WL_OK;
        const wl_nexus_word here = wl_nexus_here(r);
        if (complete && !m->format.interleaved && r->next == behind) return refuse_row(m, &here, row, "more letters");
        if (complete && !m->format.interleaved && here.line == m->made->rows[row].line) return WL_OK;
        if (complete && m->format.interleaved)
            return refuse_row(m, &here, row, "more letters, or another row in its last line");
        if (complete) { // likely the rows are too short, and the next one's name was taken for letters
            snprintf(found, sizeof found, "%zu letters before line %zu, and more than %zu with it", before, line,
                     m->columns);
            return refuse_row(m, &here, row, found);
        }
        if (here.line != line) before = m->filled[row], line = here.line;
        r->next++;
        char letter = m->format.letter_of[(unsigned char)*here.text];
        if ((*here.text == '{' || *here.text == '(') && letter == *here.text)
            status = wl_nexus_read_set(r, &m->format, &here, &letter);
        if (status != WL_OK) return status;
        if (letter <= ' ' || letter > '~')
            return WL_NEXUS_REFUSE(r, &here, "found %s; expected a letter",
                                   wl_bytes_show((unsigned char)*here.text, text));
        letters[m->filled[row]++] = (unsigned char)*here.text == m->format.match ? 0 : letter; // 0: the first row's
    }
}

/* A new row, its name copied. */
static wl_status begin_row(matrix *m, const wl_nexus_word *name, size_t row) {
    char *block = malloc(m->columns + 1 + name->length + 1);
    if (block == NULL) return wl_fail(WL_NO_MACHINE, "%s: not enough memory for %zu rows", m->r->path, m->rows);
    m->made->count = row + 1;
    block[m->columns] = 0;
    m->made->rows[row] = (wl_alignment_row){block + m->columns + 1, block, name->line};
    if (wl_nexus_copy(name, block + m->columns + 1) > 0) return WL_OK;
    return WL_NEXUS_REFUSE(m->r, name, "found %s as a row's name; expected a name", "''");
}

static int is_named(const matrix *m, const wl_nexus_word *name, size_t row) {
    const char *text = m->made->rows[row].name;
    size_t at = 0;
    for (size_t i = 0; i < name->length; i++, at++) {
        if (text[at] != name->text[i]) return 0;
        i += name->quoted && name->text[i] == '\'';
    }
    return text[at] == 0;
}

/* Which row a line is about. In interleaved files blocks after the first have the names once more, in the same order. */
static wl_status find_row(matrix *m, const wl_nexus_word *name, size_t lines, size_t *row) {
    *row = lines % m->rows;
    if (lines < m->rows) {
        if (!m->format.interleaved || lines == 0 || !is_named(m, name, 0)) return begin_row(m, name, *row);
        return WL_NEXUS_REFUSE(m->r, name, "found '%.*s' again after %zu rows; expected %zu, as NTAX says",
                               WL_NEXUS_TEXT(name), lines, m->rows);
    }
    if (!m->format.interleaved)
        return WL_NEXUS_REFUSE(m->r, name, "found '%.*s' after %zu row%s; expected ';', since NTAX says so",
                               WL_NEXUS_TEXT(name), m->rows, m->rows == 1 ? "" : "s");
    if (is_named(m, name, *row)) return WL_OK;
    return WL_NEXUS_REFUSE(m->r, name, "found '%.*s'; expected row '%.40s' once more (interleaved), or ';'",
                           WL_NEXUS_TEXT(name), m->made->rows[*row].name);
}

/* MATCHCHAR stands for what the first row has in that column. */
static wl_status copy_matches(const matrix *m) {
    const char *first = m->made->rows[0].letters;
    if (memchr(first, 0, m->columns))
        return wl_fail(WL_BAD_INPUT, "%s:%zu: found '%c' (MATCHCHAR) in the first row; expected letters", m->r->path,
                       m->made->rows[0].line, m->format.match);
    for (size_t r = 1; r < m->rows; r++) {
        char *letters = m->made->rows[r].letters, *at = letters;
        while ((at = memchr(at, 0, m->columns - (size_t)(at - letters))) != NULL) *at = first[at - letters];
    }
    return WL_OK;
}

static wl_status require_dimensions(matrix *m, const wl_nexus_word *command) {
    if (m->rows == 0) m->rows = m->taxa_count;
    if (m->rows == 0 || m->columns == 0)
        return WL_NEXUS_REFUSE(m->r, command, "found MATRIX without %s; expected DIMENSIONS NTAX=.. NCHAR=.. before it",
                               m->rows == 0 ? "NTAX" : "NCHAR");
    const size_t left = (size_t)(m->r->end - m->r->next);
    if (m->columns > left || m->rows > left / m->columns)
        return WL_NEXUS_REFUSE(
            m->r, command,
            "found DIMENSIONS of %zu rows of %zu letters; expected no more than the %zu bytes that the file has left",
            m->rows, m->columns, left);
    size_t room = 0, bytes = m->rows * (m->columns + sizeof *m->made->rows + sizeof *m->filled);
    if (!wl_memory_room(&room, bytes) || (m->made->rows = calloc(m->rows, sizeof *m->made->rows)) == NULL ||
        (m->filled = calloc(m->rows, sizeof *m->filled)) == NULL)
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory for an alignment of %zu rows and %zu columns", m->r->path,
                       m->rows, m->columns);
    m->made->columns = m->columns;
    return WL_OK;
}

static wl_status read_matrix(matrix *m, const wl_nexus_word *command) {
    wl_status status = require_dimensions(m, command);
    for (size_t lines = 0; status == WL_OK; lines++) {
        wl_nexus_word name;
        size_t row;
        status = wl_nexus_next(m->r, ";", &name);
        if (status != WL_OK || wl_nexus_says(&name, ";")) break;
        status = find_row(m, &name, lines, &row);
        const size_t before = status == WL_OK ? m->filled[row] : 0;
        if (status == WL_OK) status = read_letters(m, row);
        if (status == WL_OK && m->format.interleaved && m->filled[row] == before)
            return WL_NEXUS_REFUSE(m->r, &name, "found no letters behind '%.*s'; expected some in its line",
                                   WL_NEXUS_TEXT(&name));
    }
    if (status != WL_OK) return status;
    const wl_nexus_word here = wl_nexus_here(m->r);
    if (m->made->count < m->rows)
        return WL_NEXUS_REFUSE(m->r, &here, "the matrix ends after %zu row%s; expected %zu, as NTAX says",
                               m->made->count, m->made->count == 1 ? "" : "s", m->rows);
    for (size_t r = 0; r < m->rows; r++) {
        char text[64];
        snprintf(text, sizeof text, "%zu letter%s", m->filled[r], m->filled[r] == 1 ? "" : "s");
        if (m->filled[r] < m->columns) return refuse_row(m, &here, r, text);
    }
    m->found = 1;
    return copy_matches(m);
}

/* --- Blocks ------------------------------------------------------------------------------------------------------ */

static wl_status read_dimensions(matrix *m, size_t *rows, size_t *columns) {
    for (;;) {
        wl_nexus_word word;
        size_t ignored;
        wl_status status = wl_nexus_next(m->r, "=;", &word);
        if (status != WL_OK || wl_nexus_says(&word, ";")) return status;
        if (wl_nexus_says(&word, "NEWTAXA")) continue;
        if (!wl_nexus_says(&word, "NTAX") && !wl_nexus_says(&word, "NCHAR"))
            return WL_NEXUS_REFUSE(m->r, &word, "found '%.*s' in DIMENSIONS; expected NTAX=.. or NCHAR=..",
                                   WL_NEXUS_TEXT(&word));
        WL_TRY(wl_nexus_count(m->r, &word, wl_nexus_says(&word, "NTAX") ? rows : columns ? columns : &ignored));
    }
}

static wl_status read_block(matrix *m) {
    for (int ended = 0;;) {
        wl_nexus_word command;
        wl_status status = wl_nexus_next_command(m->r, &command, &ended);
        if (status != WL_OK || ended) return status;
        if (wl_nexus_says(&command, "DIMENSIONS"))
            status = read_dimensions(m, &m->rows, &m->columns);
        else if (wl_nexus_says(&command, "FORMAT"))
            status = wl_nexus_read_format(m->r, &m->format);
        else if (wl_nexus_says(&command, "ELIMINATE"))
            status =
                WL_NEXUS_REFUSE(m->r, &command, "found %s; expected a matrix of which all columns count", "ELIMINATE");
        else if (wl_nexus_says(&command, "MATRIX") && !m->found)
            status = read_matrix(m, &command);
        else
            status = wl_nexus_end_command(m->r, NULL);
        if (status != WL_OK) return status;
    }
}

static wl_status read_taxa(matrix *m) {
    for (int ended = 0;;) {
        wl_nexus_word command;
        wl_status status = wl_nexus_next_command(m->r, &command, &ended);
        if (status != WL_OK || ended) return status;
        WL_TRY(wl_nexus_says(&command, "DIMENSIONS") ? read_dimensions(m, &m->taxa_count, NULL)
                                                     : wl_nexus_end_command(m->r, NULL));
    }
}

static wl_status read_blocks(matrix *m) {
    for (;;) {
        wl_nexus_word name;
        wl_status status = wl_nexus_next_block(m->r, &name);
        if (status != WL_OK || name.length == 0) return status;
        const int has_matrix = wl_nexus_says(&name, "DATA") || wl_nexus_says(&name, "CHARACTERS");
        if (has_matrix && m->found)
            return WL_NEXUS_REFUSE(m->r, &name, "found a second matrix, in the block %.*s; expected one",
                                   WL_NEXUS_TEXT(&name));
        if (has_matrix) {
            status = read_block(m);
        } else {
            status = wl_nexus_says(&name, "TAXA") ? read_taxa(m) : wl_nexus_skip_block(m->r);
        }
        if (status != WL_OK) return status;
    }
}

wl_status wl_nexus_alignment(const char *path, const char *text, size_t size, wl_alignment *alignment) {
    wl_nexus_reader r;
    wl_alignment made = {0};
    matrix m = {.r = &r, .format = wl_nexus_default_format(), .made = &made};
    wl_status status = wl_nexus_open(&r, path, text, size);
    if (status == WL_OK) status = read_blocks(&m);
    if (status == WL_OK && !m.found)
        status = wl_fail(WL_BAD_INPUT, "%s: found no matrix in the file; expected a DATA or CHARACTERS block", path);
    free(m.filled);
    made.letters = m.format.type == WL_NEXUS_NUCLEOTIDES ? WL_LETTERS_NUCLEOTIDES
                   : m.format.type == WL_NEXUS_PROTEIN   ? WL_LETTERS_AMINO_ACIDS
                                                         : WL_LETTERS_UNSAID;
    if (status == WL_OK)
        *alignment = made;
    else
        wl_alignment_free(&made);
    return status;
}
