/* distances_read of VCF: the input is records of three samples, whose header is always the same. Values must be those that the
   genotypes' text has, where all of it is of the plainest kind; else whole data, or a refusal. */
#include "tests/fuzz/distances.h"

enum { SAMPLES = 3, FIXED = 9 };
static const char header[] =
    "##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"genotype\">\n"
    "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"depth\">\n"
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tx\ty\tz\n";

/* A record "1<TAB>5<TAB>.<TAB>A<TAB>G<TAB>.<TAB>.<TAB>.<TAB>GT", and genotypes of two digits 0 and 1: its values. */
static const char *plain_record(const char *line, int value[SAMPLES]) {
    static const char begin[] = "1\t5\t.\tA\tG\t.\t.\t.\tGT";
    if (strncmp(line, begin, sizeof begin - 1) != 0) return NULL;
    line += sizeof begin - 1;
    for (int i = 0; i < SAMPLES; i++, line += 4) {
        if (line[0] != '\t' || (line[1] != '0' && line[1] != '1') || strchr("/|", line[2]) == NULL || line[2] == 0)
            return NULL;
        if (line[3] != '0' && line[3] != '1') return NULL;
        value[i] = (line[1] == '1') + (line[3] == '1');
    }
    return *line == '\n' ? line + 1 : NULL;
}

/* If all of the records are plain ones, they are the sites, in their order. */
static void require_plain(const distances_data *data, const char *text) {
    int value[SAMPLES];
    uint64_t sites = 0;
    for (const char *at = text; *at; sites++)
        if ((at = plain_record(at, value)) == NULL) return;
    REQUIRE(data->kind == DISTANCES_GENOTYPES && data->sites == sites);
    uint8_t *found = malloc(SAMPLES * data->sites); // [SAMPLES][sites]
    REQUIRE(found);
    for (size_t i = 0; i < SAMPLES; i++) fuzz_unpack(data, i, found + i * data->sites);
    for (uint64_t k = 0; k < sites; k++) {
        text = plain_record(text, value);
        for (size_t i = 0; i < SAMPLES; i++) REQUIRE(found[i * data->sites + k] == value[i]);
    }
    free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const distances_reading reading = {.biallelic = size % 3 == 0};
    char *text = malloc(sizeof header + size);
    REQUIRE(text);
    memcpy(text, header, sizeof header - 1);
    memcpy(text + sizeof header - 1, bytes, size);
    text[sizeof header - 1 + size] = 0;
    const char *path = fuzz_file((const uint8_t *)text, sizeof header - 1 + size);
    distances_data data;
    wl_status status = fuzz_read(path, &reading, &data);
    if (status == WL_OK) {
        REQUIRE(data.count == SAMPLES && (data.kind == DISTANCES_GENOTYPES || data.kind == DISTANCES_HAPLOID));
        fuzz_require_whole(&data, &reading);
        if (memchr(bytes, 0, size) == NULL) require_plain(&data, text + sizeof header - 1);
        distances_data_free(&data);
    } else {
        fuzz_require_refusal(status, path);
    }
    free(text);
    return 0;
}
