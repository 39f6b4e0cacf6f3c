#include "io/fasta.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

#define EXPECTED "FASTA or FASTQ"
#define LONGEST_SEQUENCE ((size_t)1 << 30) // what sequences.h promises
#define LONGEST_HEADER ((size_t)16 << 20)
#define NAME_SHOWN 40 // bytes of a name in an error line

/* The part of the text that the next byte belongs to. */
typedef enum {
    BEFORE,     // nothing but blanks yet
    NAME_START, // right after '>' or '@'
    NAME,
    COMMENT,       // the rest of the header line
    LETTERS_START, // a line that may be letters, or begin something else
    LETTERS,
    PLUS, // the rest of a FASTQ record's '+' line
    QUALITY_START,
    QUALITY,
    AFTER, // a FASTQ record is complete, or a FASTA record that an empty line ends: the next line is a header
} part;

typedef struct {
    wl_bytes *bytes;
    wl_sequence_taker *take;
    void *context;
    int takes_empty;
    int blank_ends;   // an empty line ends a FASTA record
    size_t given;     // records
    wl_status status; // once not WL_OK, reading ends

    int marker; // '>' or '@', as the first header has it; -1 before
    part part;
    int carriage_return; // the byte before was one: only a line end may follow
    size_t line, column; // of the byte being looked at, from 1
    size_t header_line, header_length, letter_lines, qualities;
    wl_string name, comment, letters, quality; // of the record being read
    int is_left_out;                           // that record has been counted in wl_bytes_left_out
} reader;

/* The formats are literals, so that the compiler checks them; `s` and the place go in front. */
#define REFUSE(s, format, ...) \
    ((s)->status =             \
         wl_fail(WL_BAD_INPUT, "%s:%zu:%zu: " format, wl_bytes_name((s)->bytes), (s)->line, (s)->column, __VA_ARGS__))
#define REFUSE_LINE(s, format, ...) \
    ((s)->status = wl_fail(WL_BAD_INPUT, "%s:%zu: " format, wl_bytes_name((s)->bytes), (s)->line, __VA_ARGS__))

#define SHOWN(s) NAME_SHOWN, (s)->name.bytes

static wl_status no_memory_at(const wl_bytes *bytes, size_t line) {
    return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory for the sequences up to this line", wl_bytes_name(bytes),
                   line);
}

static int is_white(int byte) { return byte == ' ' || byte == '\t'; }

/* The bytes a sequence is made of. */
static const char letters_allowed[256] = {
    ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1, ['I'] = 1, ['J'] = 1,
    ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1, ['O'] = 1, ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1,
    ['U'] = 1, ['V'] = 1, ['W'] = 1, ['X'] = 1, ['Y'] = 1, ['Z'] = 1, ['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1,
    ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1, ['i'] = 1, ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1,
    ['o'] = 1, ['p'] = 1, ['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1,
    ['y'] = 1, ['z'] = 1, ['-'] = 1, ['.'] = 1, ['*'] = 1, ['?'] = 1,
};

int wl_sequence_has(unsigned char byte) { return letters_allowed[byte]; }

/* A name goes into error lines and into tables, so it has nothing that steers a terminal. */
static int is_control(int byte) { return byte < 0x20 || byte == 0x7F; }

static void append(reader *s, wl_string *to, const void *bytes, size_t count) {
    if (!wl_string_add(to, bytes, count)) s->status = no_memory_at(s->bytes, s->line);
}

static void append_byte(reader *s, wl_string *to, int byte) { append(s, to, &(char){(char)byte}, 1); }

/* Whether a record with this fault is left out; it counts once. */
static int leave_out(reader *s, wl_record_fault fault) {
    if (!s->is_left_out) s->is_left_out = wl_leave_out(wl_bytes_left_out(s->bytes), fault, s->header_line);
    return s->is_left_out;
}

static void start_header(reader *s) {
    s->is_left_out = 0;
    s->header_line = s->line;
    s->part = NAME_START;
    s->header_length = s->letter_lines = s->qualities = 0;
    s->name.length = s->comment.length = s->letters.length = s->quality.length = 0;
    append(s, &s->name, "", 0); // a record may have none of the three
    append(s, &s->comment, "", 0);
    append(s, &s->letters, "", 0);
    append(s, &s->quality, "", 0);
}

/* The record is complete. */
static void give(reader *s) {
    if (s->is_left_out) return;
    s->given++;
    const wl_sequence sequence = {.name = s->name.bytes,
                                  .comment = s->comment.bytes,
                                  .letters = s->letters.bytes,
                                  .quality = s->marker == '@' ? s->quality.bytes : NULL,
                                  .length = s->letters.length,
                                  .line = s->header_line};
    s->status = s->take(s->context, &sequence);
}

/* A record without letters is refused where the next thing begins. */
static int has_letters(reader *s) {
    if (s->letters.length > 0 || s->takes_empty || leave_out(s, WL_RECORD_EMPTY)) return 1;
    s->status = wl_fail(WL_BAD_INPUT, "%s:%zu: sequence '%.*s' has no letters; expected at least one",
                        wl_bytes_name(s->bytes), s->header_line, SHOWN(s));
    return 0;
}

static void header_byte(reader *s, int byte) {
    char shown[16];
    if (++s->header_length > LONGEST_HEADER) {
        REFUSE_LINE(s, "the header of '%.*s' is longer than %zu bytes; expected a shorter one", SHOWN(s),
                    LONGEST_HEADER);
        return;
    }
    if (s->part == NAME_START && (byte == ' ' || byte == '\t' || byte == '\n')) {
        s->part = COMMENT;
        if (!leave_out(s, WL_RECORD_NAMELESS)) {
            REFUSE_LINE(s, "found a header without a name; expected a name right after '%c'%s", s->marker,
                        byte == '\n' ? "" : ": delete the blank between them");
            return;
        }
    }
    if (byte == '\n') {
        s->part = LETTERS_START;
        wl_text_calm(s->name.bytes, s->name.length, NULL, '_');
        wl_text_calm(s->comment.bytes, s->comment.length, NULL, '_');
        return;
    }
    if (is_white(byte) && s->part == NAME) {
        s->part = COMMENT;
        return;
    }
    /* NCBI joins the header lines of identical sequences with control-A, which ends the name where no title is between. */
    if (byte == 0x01 && s->part == NAME) s->part = COMMENT;
    if (is_control(byte) && !(s->part == COMMENT && (byte == 0x01 || byte == '\t')) && !leave_out(s, WL_RECORD_ODD)) {
        REFUSE(s, "found %s in a header; expected text", wl_bytes_show(byte, shown));
        return;
    }
    if (s->part == COMMENT) {
        append_byte(s, &s->comment, byte);
        return;
    }
    s->part = NAME;
    append_byte(s, &s->name, byte);
}

static void letters_byte(reader *s, int byte) {
    char shown[16];
    if (byte == '\n' && s->part == LETTERS_START && s->blank_ends && s->marker == '>' && s->letters.length > 0) {
        s->part = AFTER;
        give(s);
    } else if (byte == '\n') {
        s->letter_lines += s->part == LETTERS;
        s->part = LETTERS_START;
    } else if (s->part == LETTERS_START && byte == '>' && s->marker == '>') {
        if (has_letters(s)) give(s);
        if (s->status == WL_OK) start_header(s);
    } else if (s->part == LETTERS_START && byte == '+' && s->marker == '@') {
        if (has_letters(s)) s->part = PLUS;
    } else {
        s->part = LETTERS;
        if (is_white(byte)) return;
        if (!letters_allowed[byte] && !leave_out(s, WL_RECORD_ODD))
            REFUSE(s, "found %s in sequence '%.*s'; expected %s%s", wl_bytes_show(byte, shown), SHOWN(s),
                   wl_bytes_letters(s->bytes), s->marker == '@' ? ", or the '+' line of a FASTQ record" : "");
        else if (s->letters.length == LONGEST_SEQUENCE)
            REFUSE_LINE(s, "sequence '%.*s' is longer than %zu letters; expected a shorter one", SHOWN(s),
                        LONGEST_SEQUENCE);
        else
            append_byte(s, &s->letters, byte);
    }
}

static void quality_byte(reader *s, int byte) {
    char shown[16];
    if (byte == '\n') {
        int was_blank = s->part == QUALITY_START;
        s->part = s->qualities == s->letters.length ? AFTER : QUALITY_START;
        /* Else the next record would be taken for more qualities, and the wrong line be blamed. */
        if (s->part == QUALITY_START && s->letter_lines == 1 && !was_blank)
            REFUSE_LINE(s, "'%.*s' has %zu letters but %zu qualities; expected as many", SHOWN(s), s->letters.length,
                        s->qualities);
        if (s->part == AFTER) give(s);
        return;
    }
    s->part = QUALITY;
    if (byte <= 0x20 || byte >= 0x7F)
        REFUSE(s, "found %s in the qualities of '%.*s'; expected printable characters", wl_bytes_show(byte, shown),
               SHOWN(s));
    else if (++s->qualities > s->letters.length)
        REFUSE(s, "'%.*s' has more qualities than its %zu letters; expected as many", SHOWN(s), s->letters.length);
    else
        append_byte(s, &s->quality, byte);
}

/* Between records, and before the first. */
static void between_byte(reader *s, int byte) {
    char shown[16];
    if (byte == '\n' || is_white(byte)) return;
    if (s->part == BEFORE && (byte == '>' || byte == '@')) s->marker = byte;
    if (byte == s->marker && s->column == 1) {
        start_header(s);
        return;
    }
    if (s->part == BEFORE)
        REFUSE(s, "found %s before the first header; expected '>' (FASTA) or '@' (FASTQ) where a line begins",
               wl_bytes_show(byte, shown));
    else
        REFUSE(s, "found %s after the %s of '%.*s'; expected '%c' where a line begins", wl_bytes_show(byte, shown),
               s->marker == '@' ? "last quality" : "empty line that ends the letters", SHOWN(s), s->marker);
}

static void read_byte(reader *s, int byte) {
    s->column++;
    if (s->carriage_return && byte != '\n') {
        REFUSE(s, "found a carriage return inside a line; expected line ends '\\n' or '\\r\\n'%s", "");
        return;
    }
    s->carriage_return = byte == '\r';
    if (byte == '\r') return;
    switch (s->part) {
        case NAME_START:
        case NAME:
        case COMMENT:
            header_byte(s, byte);
            break;
        case LETTERS_START:
        case LETTERS:
            letters_byte(s, byte);
            break;
        case PLUS:
            if (byte == '\n') s->part = QUALITY_START;
            break;
        case QUALITY_START:
        case QUALITY:
            quality_byte(s, byte);
            break;
        case BEFORE:
        case AFTER:
            between_byte(s, byte);
            break;
    }
    if (byte == '\n') {
        s->line++;
        s->column = 0;
    }
}

/* Takes the letters from here on and returns how many. Nearly all of a file is letters, and byte by byte takes three times as
   long. */
static size_t letters_run(reader *s, const unsigned char *bytes, size_t count) {
    size_t room = LONGEST_SEQUENCE - s->letters.length, run = 0;
    if (count > room) count = room;
    while (run < count && letters_allowed[bytes[run]]) run++;
    append(s, &s->letters, bytes, run);
    s->column += run;
    return run;
}

static int may_leave_none(const reader *s) {
    const wl_left_out *left_out = wl_bytes_left_out(s->bytes);
    return left_out != NULL && left_out->may_leave_none;
}

static void read_end(reader *s) {
    switch (s->part) {
        case BEFORE:
            if (may_leave_none(s)) break;
            s->status = wl_fail(WL_BAD_INPUT, "%s: found no sequence in the file; expected %s", wl_bytes_name(s->bytes),
                                EXPECTED);
            break;
        case NAME_START:
            header_byte(s, '\n');
            break;
        case NAME:
        case COMMENT:
        case LETTERS_START:
        case LETTERS:
            if (!has_letters(s)) break;
            if (s->marker == '@')
                REFUSE_LINE(s, "the file ends in FASTQ record '%.*s'; expected a '+' line and %zu qualities", SHOWN(s),
                            s->letters.length);
            else
                give(s);
            break;
        case PLUS:
        case QUALITY_START:
        case QUALITY:
            if (s->qualities < s->letters.length)
                REFUSE_LINE(s, "the file ends after %zu qualities of '%.*s'; expected %zu", s->qualities, SHOWN(s),
                            s->letters.length);
            else
                give(s);
            break;
        case AFTER:
            break;
    }
}

static wl_status read_each(reader s) {
    wl_bytes *const bytes = s.bytes;
    const unsigned char *chunk;
    size_t count = 1;
    s.marker = -1;
    s.line = 1;
    while (s.status == WL_OK && count > 0) {
        s.status = wl_bytes_chunk(bytes, &chunk, &count);
        if (s.status == WL_OK && count == 0) read_end(&s);
        if (s.status == WL_OK && count == 0 && s.given == 0)
            s.status = wl_refuse_all_left_out(wl_bytes_name(bytes), wl_bytes_left_out(bytes));
        for (size_t i = 0; i < count && s.status == WL_OK; i++) {
            if (s.part == LETTERS && !s.carriage_return) i += letters_run(&s, chunk + i, count - i);
            if (i < count && s.status == WL_OK) read_byte(&s, chunk[i]);
        }
    }
    WL_FREE(s.name.bytes, s.comment.bytes, s.letters.bytes, s.quality.bytes);
    return s.status == WL_BAD_INPUT ? wl_bytes_diagnose(bytes) : s.status;
}

wl_status wl_sequences_each(wl_bytes *bytes, wl_sequence_taker *take, void *context) {
    return read_each((reader){.bytes = bytes, .take = take, .context = context});
}

wl_status wl_sequences_each_at_once(wl_bytes *bytes, wl_sequence_taker *take, void *context) {
    return read_each((reader){.bytes = bytes, .take = take, .context = context, .blank_ends = 1});
}

typedef struct {
    wl_bytes *bytes;
    wl_sequences all;
    size_t room;
} keeper;

static wl_status keep(void *context, const wl_sequence *sequence) {
    keeper *k = context;
    if (!WL_GROW(k->all.items, k->all.count, 1) || !wl_sequence_copy(sequence, &k->room, &k->all.items[k->all.count]))
        return no_memory_at(k->bytes, sequence->line);
    k->all.count++;
    return WL_OK;
}

static wl_status read_all(wl_bytes *bytes, int takes_empty, wl_sequences *sequences) {
    keeper k = {.bytes = bytes};
    wl_status status = read_each((reader){.bytes = bytes, .take = keep, .context = &k, .takes_empty = takes_empty});
    if (status == WL_OK)
        *sequences = k.all;
    else
        wl_sequences_free(&k.all);
    return status;
}

wl_status wl_sequences_read_bytes(wl_bytes *bytes, wl_sequences *sequences) { return read_all(bytes, 0, sequences); }

static wl_status read_path(const char *path, int takes_empty, wl_sequences *sequences) {
    wl_bytes *bytes;
    WL_TRY(wl_bytes_open(path, EXPECTED, &bytes));
    wl_status status = read_all(bytes, takes_empty, sequences);
    wl_bytes_close(bytes);
    return status;
}

wl_status wl_sequences_read(const char *path, wl_sequences *sequences) { return read_path(path, 0, sequences); }

wl_status wl_sequences_read_with_empty(const char *path, wl_sequences *sequences) {
    return read_path(path, 1, sequences);
}
