/* io/table: what is accepted must come back the same when it is written out and read again. */
#include "tests/support/table.h"

#include "tests/fuzz/target.h"

static void require_whole(const wl_table *table, int highest) {
    int maximum = 0;
    REQUIRE(table->rows > 0 && table->columns > 0);
    for (size_t i = 0; i < table->rows * table->columns; i++)
        if (table->values[i] > maximum) maximum = table->values[i];
    REQUIRE(maximum == table->maximum && maximum <= highest);
    for (size_t i = 0; table->names && i < table->rows; i++) REQUIRE(*table->names[i]);
}

static void require_same_when_written(const wl_table *table, int highest) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out);
    /* With a header, lest the first row be taken for one, and names that are numbers for values. */
    for (size_t k = table->names ? 0 : 1; k <= table->columns; k++)
        fprintf(out, "%s%s", k == 0 ? "id" : "word", k < table->columns ? "\t" : "");
    for (size_t i = 0; i < table->rows; i++) {
        fprintf(out, "\n%s", table->names ? table->names[i] : "");
        for (size_t k = 0; k < table->columns; k++)
            fprintf(out, "%s%d", k || table->names ? "\t" : "", table->values[i * table->columns + k]);
    }
    fclose(out);
    wl_table again;
    REQUIRE(table_read(fuzz_file(text, size), highest, &again) == WL_OK);
    REQUIRE(again.rows == table->rows && again.columns == table->columns && again.maximum == table->maximum);
    REQUIRE(memcmp(again.values, table->values, table->rows * table->columns) == 0);
    REQUIRE(!again.names == !table->names);
    for (size_t i = 0; table->names && i < table->rows; i++) REQUIRE(strcmp(again.names[i], table->names[i]) == 0);
    wl_table_free(&again);
    free(text);
}

static wl_status try(const uint8_t *data, size_t size, int highest) {
    wl_table table;
    const char *path = fuzz_file(data, size);
    wl_status status = table_read(path, highest, &table);
    if (status != WL_OK) {
        fuzz_require_refusal(status, path);
        return status;
    }
    require_whole(&table, highest);
    require_same_when_written(&table, highest);
    wl_table_free(&table);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int limits[] = {2, 9, 255};
    int highest = limits[size % 3];
    wl_status status = try(data, size, highest);
    if (fuzz_also_packed(data, size)) {
        unsigned char *packed;
        size_t packed_size = fuzz_pack(data, size, &packed);
        REQUIRE(try(packed, packed_size, highest) == status);
        free(packed);
    }
    return 0;
}
