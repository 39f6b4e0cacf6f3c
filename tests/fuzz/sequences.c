/* io/fasta: what is accepted must be what a second, much simpler reader finds in the same bytes. */
#include "io/fasta.h"

#include "tests/fuzz/target.h"

/* The next line of *rest without its line end; 0 at the end. */
static int next_line(const char **rest, const char *end, const char **line, size_t *length) {
    if (*rest == end) return 0;
    const char *stop = memchr(*rest, '\n', (size_t)(end - *rest));
    *line = *rest;
    *length = (size_t)((stop ? stop : end) - *rest);
    *rest = stop ? stop + 1 : end;
    if (*length > 0 && (*line)[*length - 1] == '\r') --*length;
    return 1;
}

/* Only for text that wl_sequences_read has accepted. */
static void require_same(const wl_sequences *sequences, const char *text, size_t size) {
    const char *rest = text, *end = text + size, *line;
    size_t length, number = 0, at = 0, record = SIZE_MAX, qualities = 0;
    int marker = 0, in_qualities = 0;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) rest += 3;
    while (next_line(&rest, end, &line, &length)) {
        number++;
        const wl_sequence *sequence = record == SIZE_MAX ? NULL : &sequences->items[record];
        if (in_qualities) {
            qualities += length;
            in_qualities = qualities < sequence->length;
            continue;
        }
        size_t blanks = 0;
        while (blanks < length && (line[blanks] == ' ' || line[blanks] == '\t')) blanks++;
        if (blanks == length) continue;
        if (marker == 0) marker = line[0];
        if (line[0] == marker) {
            REQUIRE(sequence == NULL || at == sequence->length);
            at = 0;
            record++;
            REQUIRE(record < sequences->count);
            sequence = &sequences->items[record];
            REQUIRE(sequence->line == number);
            size_t name = strlen(sequence->name), comment = strlen(sequence->comment);
            REQUIRE(name > 0 && name < length && memcmp(line + 1, sequence->name, name) == 0);
            const int joined =
                name + 1 < length && line[name + 1] == 0x01; /* NCBI's control-A is the comment's first */
            REQUIRE(name + 1 == length || line[name + 1] == ' ' || line[name + 1] == '\t' || joined);
            REQUIRE(comment == (name + 1 == length ? 0 : length - name - 2 + (size_t)joined));
            REQUIRE(memcmp(line + length - comment, sequence->comment, comment) == 0);
        } else if (line[0] == '+' && marker == '@') {
            REQUIRE(at == sequence->length);
            in_qualities = 1;
            qualities = 0;
        } else {
            for (size_t i = 0; i < length; i++)
                if (line[i] != ' ' && line[i] != '\t') REQUIRE(sequence->letters[at++] == line[i]);
        }
    }
    REQUIRE(record + 1 == sequences->count && !in_qualities);
    REQUIRE(at == sequences->items[record].length);
}

static wl_status try(const uint8_t *data, size_t size, const char *text, size_t text_size) {
    wl_sequences sequences;
    const char *path = fuzz_file(data, size);
    wl_status status = wl_sequences_read(path, &sequences);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return status;
    }
    REQUIRE(sequences.count > 0);
    for (size_t i = 0; i < sequences.count; i++)
        REQUIRE(sequences.items[i].length > 0 && strlen(sequences.items[i].letters) == sequences.items[i].length);
    char *calm = text ? fuzz_calm(text, text_size) : NULL;
    if (calm) require_same(&sequences, calm, text_size);
    free(calm);
    if (wl_sequences_require_equal_lengths(path, &sequences) != WL_OK) fuzz_require_refusal(WL_BAD_INPUT, path);
    wl_sequences_free(&sequences);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = fuzz_is_packed(data, size) ? NULL : (const char *)data;
    wl_status status = try(data, size, text, size);
    if (fuzz_also_packed(data, size)) {
        unsigned char *packed;
        size_t packed_size = fuzz_pack(data, size, &packed);
        REQUIRE(try(packed, packed_size, text, size) == status);
        free(packed);
    }
    return 0;
}
