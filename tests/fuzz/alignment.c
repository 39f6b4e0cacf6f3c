/* io/alignment: of what is accepted every byte must be in a name or among the letters, as often as in the file, and it must
   come back the same when it is written and read again. */
#include "io/alignment.h"

#include "tests/fuzz/target.h"

static int is_letter(int byte) { return byte > ' ' && byte <= '~'; }

static void require_rows(const wl_alignment *a) {
    REQUIRE(a->count > 0 && a->columns > 0);
    for (size_t i = 0; i < a->count; i++) {
        const wl_alignment_row *row = &a->rows[i];
        REQUIRE(row->name[0] && row->line > 0 && strlen(row->letters) == a->columns);
        REQUIRE(i == 0 || row->line >= row[-1].line);
        for (const char *c = row->name; *c; c++) REQUIRE(!iscntrl((unsigned char)*c));
        for (const char *c = row->letters; *c; c++) REQUIRE(is_letter((unsigned char)*c));
    }
    for (size_t i = 0; i < a->count && i < 100; i++)
        for (size_t k = 0; k < i; k++) REQUIRE(strcmp(a->rows[i].name, a->rows[k].name) != 0);
}

/* In a PHYLIP file the letters are there once, and the names once, or once a block. */
static void require_all_bytes(const uint8_t *data, size_t size, const wl_alignment *a) {
    char *calm = fuzz_calm(data, size);
    size_t found[256] = {0}, letters[256] = {0}, names[256] = {0}, blocks = 0;
    const uint8_t *c = (const uint8_t *)calm, *end = c + size;
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) c += 3;
    while (isspace(*c)) c++;
    while (*c != '\n') c++; /* the header */
    for (; c < end; c++) found[*c]++;
    free(calm);
    for (size_t i = 0; i < a->count; i++) {
        for (const char *n = a->rows[i].name; *n; n++) names[(unsigned char)*n]++;
        for (const char *l = a->rows[i].letters; *l; l++) letters[(unsigned char)*l]++;
    }
    for (int byte = ' ' + 1; byte < 256; byte++) {
        if (names[byte] > 0 && blocks == 0) blocks = (found[byte] - letters[byte]) / names[byte];
        REQUIRE(found[byte] == letters[byte] + blocks * names[byte]);
    }
    REQUIRE(blocks >= 1);
}

static int names_have_blanks(const wl_alignment *a) {
    for (size_t i = 0; i < a->count; i++)
        if (strchr(a->rows[i].name, ' ')) return 1;
    return 0;
}

static int fasta_can_have(const wl_alignment *a) {
    static const char others[] = "-.*?";
    for (size_t i = 0; i < a->count; i++)
        for (const char *c = a->rows[i].letters; *c; c++)
            if (!isalpha((unsigned char)*c) && strchr(others, *c) == NULL) return 0;
    return 1;
}

static void require_same_when_written(const wl_alignment *a, wl_alignment_format format) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    wl_alignment_write_header(out, format, a->count, a->columns);
    for (size_t i = 0; i < a->count; i++)
        wl_alignment_write_row(out, format, a->rows[i].name, a->rows[i].letters, a->columns);
    fclose(out);
    wl_alignment again;
    REQUIRE(wl_alignment_read(fuzz_file(text, size), WL_ALIGNMENT_AUTO, &again) == WL_OK);
    REQUIRE(again.count == a->count && again.columns == a->columns);
    for (size_t i = 0; i < a->count; i++) {
        REQUIRE(strcmp(again.rows[i].name, a->rows[i].name) == 0);
        REQUIRE(strcmp(again.rows[i].letters, a->rows[i].letters) == 0);
    }
    wl_alignment_free(&again);
    free(text);
}

static wl_status try(const uint8_t *data, size_t size, wl_alignment_format format, int packed) {
    wl_alignment a;
    const char *path = fuzz_file(data, size);
    wl_status status = wl_alignment_read(path, format, &a);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return status;
    }
    require_rows(&a);
    const uint8_t *c = data;
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) c += 3;
    while (isspace(*c)) c++;
    if (!packed && isdigit(*c)) require_all_bytes(data, size, &a);
    if (!names_have_blanks(&a)) {
        require_same_when_written(&a, WL_ALIGNMENT_PHYLIP);
        if (fasta_can_have(&a)) require_same_when_written(&a, WL_ALIGNMENT_FASTA);
    }
    wl_alignment_free(&a);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int packed = fuzz_is_packed(data, size);
    wl_status status = try(data, size, WL_ALIGNMENT_AUTO, packed);
    try(data, size, WL_ALIGNMENT_PHYLIP, packed);
    try(data, size, WL_ALIGNMENT_PHYLIP_STRICT, packed);
    if (fuzz_also_packed(data, size)) {
        unsigned char *bytes;
        size_t packed_size = fuzz_pack(data, size, &bytes);
        REQUIRE(try(bytes, packed_size, WL_ALIGNMENT_AUTO, 1) == status);
        free(bytes);
    }
    return 0;
}
