/* sw/scoring_file: what is accepted must be a scoring that kernels can use, and come back the same when it is written out
   in NCBI's format and read again. */
#include "io/database/alphabet.h"
#include "sw/scoring/scoring.h"

#include "tests/fuzz/target.h"

static void require_usable(const sw_scoring *scoring) {
    REQUIRE(scoring->alphabet == SW_PROTEIN && *scoring->name);
    REQUIRE(scoring->lowest >= -SW_SCORE_MOST && scoring->highest <= SW_SCORE_MOST);
    REQUIRE(scoring->gap_open == 12 && scoring->gap_extend == 1);
    for (int a = 0; a < SW_CODES; a++)
        for (int b = 0; b < SW_CODES; b++) {
            int score = scoring->matrix[a][b];
            if (a < SW_LETTERS && b < SW_LETTERS)
                REQUIRE(score >= scoring->lowest && score <= scoring->highest);
            else
                REQUIRE(score == -SW_SCORE_MOST);
        }
}

static void require_same_when_written(const sw_scoring *scoring) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    fputs("# written by the test\n", out);
    for (int b = 0; b < SW_LETTERS; b++) fprintf(out, "  %c", sw_letter(SW_PROTEIN, b));
    for (int a = 0; a < SW_LETTERS; a++) {
        fprintf(out, "\n%c", sw_letter(SW_PROTEIN, a));
        for (int b = 0; b < SW_LETTERS; b++) fprintf(out, " %d", scoring->matrix[a][b]);
    }
    fclose(out);
    sw_scoring again;
    REQUIRE(sw_scoring_named(fuzz_file(text, size), &again) == WL_OK);
    REQUIRE(memcmp(again.matrix, scoring->matrix, sizeof again.matrix) == 0);
    REQUIRE(again.lowest == scoring->lowest && again.highest == scoring->highest);
    free(text);
}

static wl_status try(const uint8_t *data, size_t size) {
    sw_scoring scoring;
    const char *path = fuzz_file(data, size);
    wl_status status = sw_scoring_named(path, &scoring);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return status;
    }
    require_usable(&scoring);
    require_same_when_written(&scoring);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wl_status status = try(data, size);
    if (fuzz_also_packed(data, size)) {
        unsigned char *packed;
        size_t packed_size = fuzz_pack(data, size, &packed);
        REQUIRE(try(packed, packed_size) == status);
        free(packed);
    }
    return 0;
}
