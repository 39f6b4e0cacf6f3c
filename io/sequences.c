/* Two parts: a screen, which checks the text and takes out what kseq stumbles over, and kseq itself, which reads
   through the screen. */
#include "io/sequences.h"

#include <ctype.h>
#include <htslib/kseq.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

#define EXPECTED "FASTA or FASTQ"
#define LONGEST_SEQUENCE ((size_t)1 << 30) /* kseq's lengths are int */
#define LONGEST_HEADER ((size_t)16 << 20)
#define NAME_SHOWN 40 /* bytes of a name in an error line */

/* The part of the text that the next byte belongs to. */
typedef enum {
    BEFORE,     /* nothing but blanks yet */
    NAME_START, /* right after '>' or '@' */
    NAME,
    COMMENT,       /* the rest of the header line */
    LETTERS_START, /* a line that may be letters, or begin something else */
    LETTERS,
    PLUS, /* the rest of a FASTQ record's '+' line */
    QUALITY_START,
    QUALITY,
    AFTER, /* a FASTQ record is complete: the next line is a header */
} part;

/* kseq's buffers, in the order they are grown in. */
enum { HEADER_NAME, HEADER_COMMENT, SEQUENCE, QUALITIES, TEXTS };

typedef struct {
    wl_bytes *bytes;
    size_t *lines; /* of the headers seen: [headers], those before [taken] done with; the text follows from kseq */
    size_t headers, taken, capacity;
    kstring_t *texts[TEXTS]; /* kseq's */
    wl_status status;        /* once not WL_OK, kseq is told that the file is at its end */

    int marker; /* '>' or '@', as the first header has it; -1 before */
    part part;
    int carriage_return; /* the byte before was one: only a line end may follow */
    size_t line, column; /* of the byte being looked at, from 1 */
    size_t header_length, letters, letter_lines, qualities;
    char name[NAME_SHOWN + 1];
    size_t name_length;
    size_t room;
} screen;

static int screen_read(screen *s, unsigned char *buffer, int size);

#define SCOPE static __attribute__((unused))
KSEQ_INIT2(SCOPE, screen *, screen_read)

/* --- The screen -------------------------------------------------------------------------------------------------- */

/* The formats are literals, so that the compiler checks them; `s` and the place go in front. */
#define REFUSE(s, format, ...) \
    ((s)->status =             \
         wl_fail(WL_BAD_INPUT, "%s:%zu:%zu: " format, wl_bytes_name((s)->bytes), (s)->line, (s)->column, __VA_ARGS__))
#define REFUSE_LINE(s, format, ...) \
    ((s)->status = wl_fail(WL_BAD_INPUT, "%s:%zu: " format, wl_bytes_name((s)->bytes), (s)->line, __VA_ARGS__))

static wl_status no_memory_at(const wl_bytes *bytes, size_t line) {
    return wl_fail(WL_NO_MACHINE, "%s:%zu: not enough memory for the sequences up to this line", wl_bytes_name(bytes),
                   line);
}

static void no_memory(screen *s) { s->status = no_memory_at(s->bytes, s->line); }

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

/* A name goes into error lines and into tables, so it has nothing that steers a terminal. */
static int is_control(int byte) { return byte < 0x20 || byte == 0x7F; }

/* Room for one header more. The screen is ahead of kseq by no more headers than a chunk holds. */
static int reserve_header(screen *s) {
    if (s->headers < s->capacity) return 1;
    if (s->taken > 0) {
        s->headers -= s->taken;
        memmove(s->lines, s->lines + s->taken, s->headers * sizeof *s->lines);
        s->taken = 0;
        return 1;
    }
    size_t capacity = s->capacity ? 2 * s->capacity : 64;
    size_t *lines =
        wl_memory_room(&s->room, capacity * sizeof *lines) ? realloc(s->lines, capacity * sizeof *lines) : NULL;
    if (lines == NULL) return 0;
    s->lines = lines;
    s->capacity = capacity;
    return 1;
}

static void start_header(screen *s) {
    if (!reserve_header(s)) {
        no_memory(s);
        return;
    }
    s->lines[s->headers++] = s->line;
    s->part = NAME_START;
    s->header_length = s->letters = s->letter_lines = s->qualities = s->name_length = 0;
}

/* A record without letters is refused where the next thing begins. */
static int has_letters(screen *s) {
    if (s->letters > 0) return 1;
    size_t header = s->lines[s->headers - 1];
    s->status = wl_fail(WL_BAD_INPUT, "%s:%zu: sequence '%s' has no letters; expected at least one",
                        wl_bytes_name(s->bytes), header, s->name);
    return 0;
}

static void header_byte(screen *s, int byte) {
    char shown[16];
    if (++s->header_length > LONGEST_HEADER) {
        REFUSE_LINE(s, "the header of '%s' is longer than %zu bytes; expected a shorter one", s->name, LONGEST_HEADER);
        return;
    }
    if (s->part == NAME_START && (byte == ' ' || byte == '\t' || byte == '\n')) {
        REFUSE_LINE(s, "found a header without a name; expected a name right after '%c'", s->marker);
        return;
    }
    if (byte == '\n') {
        s->part = LETTERS_START;
        return;
    }
    if (is_white(byte)) {
        s->part = COMMENT;
        return;
    }
    /* NCBI joins the header lines of identical sequences with control-A. */
    if (is_control(byte) && !(byte == 0x01 && s->part == COMMENT)) {
        REFUSE(s, "found %s in a header; expected text", wl_bytes_show(byte, shown));
        return;
    }
    if (s->part == COMMENT) return;
    s->part = NAME;
    if (s->name_length < NAME_SHOWN) s->name[s->name_length++] = (char)byte;
    s->name[s->name_length] = 0;
}

/* Returns whether the byte goes to kseq. */
static int letters_byte(screen *s, int byte) {
    char shown[16];
    if (byte == '\n') {
        int was_blank = s->part == LETTERS_START;
        s->part = LETTERS_START;
        s->letter_lines += !was_blank;
        return !was_blank;
    }
    if (s->part == LETTERS_START && byte == '>' && s->marker == '>') {
        if (has_letters(s)) start_header(s);
        return 1;
    }
    if (s->part == LETTERS_START && byte == '+' && s->marker == '@') {
        if (has_letters(s)) s->part = PLUS;
        return 1;
    }
    s->part = LETTERS;
    if (is_white(byte)) return 0;
    if (!letters_allowed[byte]) {
        REFUSE(s, "found %s in sequence '%s'; expected a letter, '-', '.', '*' or '?'%s", wl_bytes_show(byte, shown),
               s->name, s->marker == '@' ? ", or the '+' line of a FASTQ record" : "");
        return 0;
    }
    if (++s->letters > LONGEST_SEQUENCE)
        REFUSE_LINE(s, "sequence '%s' is longer than %zu letters; expected a shorter one", s->name, LONGEST_SEQUENCE);
    return 1;
}

static int quality_byte(screen *s, int byte) {
    char shown[16];
    if (byte == '\n') {
        int was_blank = s->part == QUALITY_START;
        s->part = s->qualities == s->letters ? AFTER : QUALITY_START;
        /* Else the next record would be taken for more qualities, and the wrong line be blamed. */
        if (s->part == QUALITY_START && s->letter_lines == 1 && !was_blank)
            REFUSE_LINE(s, "'%s' has %zu letters but %zu qualities; expected as many", s->name, s->letters,
                        s->qualities);
        return !was_blank;
    }
    s->part = QUALITY;
    if (byte <= 0x20 || byte >= 0x7F) {
        REFUSE(s, "found %s in the qualities of '%s'; expected printable characters", wl_bytes_show(byte, shown),
               s->name);
        return 0;
    }
    if (++s->qualities > s->letters) {
        REFUSE(s, "'%s' has more qualities than its %zu letters; expected as many", s->name, s->letters);
        return 0;
    }
    return 1;
}

/* Between records, and before the first. */
static int between_byte(screen *s, int byte) {
    char shown[16];
    if (byte == '\n' || is_white(byte)) return 0;
    if (s->part == BEFORE && (byte == '>' || byte == '@')) s->marker = byte;
    if (byte == s->marker && s->column == 1) {
        start_header(s);
        return 1;
    }
    if (s->part == BEFORE)
        REFUSE(s, "found %s before the first header; expected '>' (FASTA) or '@' (FASTQ) where a line begins",
               wl_bytes_show(byte, shown));
    else
        REFUSE(s, "found %s after the last quality of '%s'; expected '@' where a line begins",
               wl_bytes_show(byte, shown), s->name);
    return 0;
}

/* Returns whether the byte goes to kseq. */
static int screen_byte(screen *s, int byte) {
    s->column++;
    if (s->carriage_return && byte != '\n') {
        REFUSE(s, "found a carriage return inside a line; expected line ends '\\n' or '\\r\\n'%s", "");
        return 0;
    }
    s->carriage_return = byte == '\r';
    if (byte == '\r') return 0;
    int keep = 1;
    switch (s->part) {
        case NAME_START:
        case NAME:
        case COMMENT:
            header_byte(s, byte);
            break;
        case LETTERS_START:
        case LETTERS:
            keep = letters_byte(s, byte);
            break;
        case PLUS:
            if (byte == '\n') s->part = QUALITY_START;
            break;
        case QUALITY_START:
        case QUALITY:
            keep = quality_byte(s, byte);
            break;
        case BEFORE:
        case AFTER:
            keep = between_byte(s, byte);
            break;
    }
    if (byte == '\n') {
        s->line++;
        s->column = 0;
    }
    return keep;
}

/* How many bytes from here on are letters, which have then been screened. Nearly all of a file is: 300 MB take 0.45 s of
   processor time this way and 1.2 s byte by byte. */
static size_t letters_run(screen *s, const unsigned char *bytes, size_t count) {
    size_t room = LONGEST_SEQUENCE - s->letters, run = 0;
    if (count > room) count = room;
    while (run < count && letters_allowed[bytes[run]]) run++;
    s->letters += run;
    s->column += run;
    return run;
}

static void screen_end(screen *s) {
    switch (s->part) {
        case BEFORE:
            s->status = wl_fail(WL_BAD_INPUT, "%s: found no sequence in the file; expected %s", wl_bytes_name(s->bytes),
                                EXPECTED);
            break;
        case NAME_START:
            header_byte(s, '\n');
            break;
        case NAME:
        case COMMENT:
            has_letters(s);
            break;
        case LETTERS_START:
        case LETTERS:
            if (has_letters(s) && s->marker == '@')
                REFUSE_LINE(s, "the file ends in FASTQ record '%s'; expected a '+' line and %zu qualities", s->name,
                            s->letters);
            break;
        case PLUS:
        case QUALITY_START:
        case QUALITY:
            if (s->qualities < s->letters)
                REFUSE_LINE(s, "the file ends after %zu qualities of '%s'; expected %zu", s->qualities, s->name,
                            s->letters);
            break;
        case AFTER:
            break;
    }
}

/* kseq does not look whether it gets memory. It needs at most `more` bytes more in each of its texts until it reads
   again, and 2 to end it with, and makes the qualities' memory as large as the letters'; having all that beforehand,
   it never asks. */
static int reserve(screen *s, size_t more) {
    for (int i = 0; i < TEXTS; i++) {
        kstring_t *text = s->texts[i];
        size_t needed = text->l + more + 2;
        if (i == QUALITIES && s->marker == '@' && needed < s->texts[SEQUENCE]->m) needed = s->texts[SEQUENCE]->m;
        if (needed <= text->m) continue;
        if (!wl_memory_room(&s->room, needed + needed / 2) || ks_resize(text, needed) < 0) return 0;
    }
    return 1;
}

/* kseq's source of bytes. */
static int screen_read(screen *s, unsigned char *buffer, int size) {
    size_t used = 0;
    while (used == 0 && s->status == WL_OK) {
        const unsigned char *chunk;
        size_t count;
        s->status = wl_bytes_chunk(s->bytes, &chunk, &count);
        if (s->status != WL_OK) break;
        if (count == 0) {
            screen_end(s);
            break;
        }
        for (size_t i = 0; i < count && s->status == WL_OK; i++) {
            if (s->part == LETTERS && !s->carriage_return) {
                size_t run = letters_run(s, chunk + i, count - i);
                memcpy(buffer + used, chunk + i, run);
                used += run;
                i += run;
                if (i == count) break;
            }
            if (screen_byte(s, chunk[i])) buffer[used++] = chunk[i];
        }
    }
    (void)size; /* WL_BYTES_CHUNK, and no chunk is longer */
    if (s->status == WL_OK && !reserve(s, used)) no_memory(s);
    return s->status == WL_OK ? (int)used : 0;
}

/* --- Reading ----------------------------------------------------------------------------------------------------- */

wl_status wl_sequences_each(wl_bytes *bytes, wl_sequence_taker *take, void *context) {
    screen s = {.bytes = bytes, .marker = -1, .line = 1};
    /* Not kseq_init, which does not look at what malloc returns. */
    kstream_t stream = {.f = &s, .bufsize = WL_BYTES_CHUNK, .buf = malloc(WL_BYTES_CHUNK)};
    kseq_t reader = {.f = &stream};
    s.texts[HEADER_NAME] = &reader.name;
    s.texts[HEADER_COMMENT] = &reader.comment;
    s.texts[SEQUENCE] = &reader.seq;
    s.texts[QUALITIES] = &reader.qual;
    wl_status taken = WL_OK;
    int more =
        0; /* kseq has one without a header: an error of the screen, as one too few is, and wrong names otherwise */
    if (stream.buf == NULL || !reserve(&s, 256)) no_memory(&s);
    while (s.status == WL_OK && taken == WL_OK && kseq_read(&reader) >= 0 && s.status == WL_OK) {
        more = s.taken == s.headers;
        if (more) break;
        const wl_sequence sequence = {.name = reader.name.s,
                                      .comment = reader.comment.l > 0 ? reader.comment.s : (char[]){0},
                                      .letters = reader.seq.s,
                                      .length = reader.seq.l,
                                      .line = s.lines[s.taken++]};
        taken = take(context, &sequence);
    }
    if (s.status == WL_OK && taken == WL_OK && (more || s.taken != s.headers))
        s.status = wl_fail(WL_BAD_INPUT, "%s: kseq does not find as many sequences as there are headers",
                           wl_bytes_name(bytes));
    free(stream.buf);
    free(s.lines);
    for (int i = 0; i < TEXTS; i++) free(s.texts[i]->s);
    if (s.status == WL_OK) s.status = taken;
    return s.status == WL_BAD_INPUT ? wl_bytes_blame(bytes) : s.status;
}

typedef struct {
    wl_bytes *bytes;
    wl_sequences all;
    size_t capacity, room;
} keeper;

static wl_status keep(void *context, const wl_sequence *sequence) {
    keeper *k = context;
    if (k->all.count == k->capacity) {
        size_t capacity = k->capacity ? 2 * k->capacity : 64, size = capacity * sizeof *k->all.items;
        wl_sequence *items = wl_memory_room(&k->room, size) ? realloc(k->all.items, size) : NULL;
        if (items == NULL) return no_memory_at(k->bytes, sequence->line);
        k->all.items = items;
        k->capacity = capacity;
    }
    size_t name = strlen(sequence->name) + 1, comment = strlen(sequence->comment) + 1, letters = sequence->length + 1;
    /* One block for all three: wl_sequences_free frees `letters`. */
    char *block = wl_memory_room(&k->room, letters + name + comment) ? malloc(letters + name + comment) : NULL;
    if (block == NULL) return no_memory_at(k->bytes, sequence->line);
    wl_sequence *copy = &k->all.items[k->all.count++];
    *copy = *sequence;
    copy->letters = memcpy(block, sequence->letters, letters);
    copy->name = memcpy(block + letters, sequence->name, name);
    copy->comment = memcpy(block + letters + name, sequence->comment, comment);
    return WL_OK;
}

wl_status wl_sequences_read_bytes(wl_bytes *bytes, wl_sequences *sequences) {
    keeper k = {.bytes = bytes};
    wl_status status = wl_sequences_each(bytes, keep, &k);
    if (status == WL_OK)
        *sequences = k.all;
    else
        wl_sequences_free(&k.all);
    return status;
}

wl_status wl_sequences_read(const char *path, wl_sequences *sequences) {
    wl_bytes *bytes;
    wl_status status = wl_bytes_open(path, EXPECTED, &bytes);
    if (status != WL_OK) return status;
    status = wl_sequences_read_bytes(bytes, sequences);
    wl_bytes_close(bytes);
    return status;
}

void wl_sequences_free(wl_sequences *sequences) {
    for (size_t i = 0; i < sequences->count; i++) free(sequences->items[i].letters);
    free(sequences->items);
    *sequences = (wl_sequences){NULL, 0};
}

wl_status wl_sequences_require_equal_lengths(const char *path, const wl_sequences *sequences) {
    const wl_sequence *first = sequences->items;
    for (size_t i = 1; i < sequences->count; i++) {
        const wl_sequence *sequence = &sequences->items[i];
        if (sequence->length != first->length)
            return wl_fail(WL_BAD_INPUT,
                           "%s:%zu: sequence '%.*s' has %zu letters; expected %zu, as '%.*s' in line %zu has",
                           strcmp(path, "-") == 0 ? "standard input" : path, sequence->line, NAME_SHOWN, sequence->name,
                           sequence->length, first->length, NAME_SHOWN, first->name, first->line);
    }
    return WL_OK;
}
