/* io/table: the corpus, limits of the values, and sizes across the buffers' ends. */
#include "tests/support/corpus.h"

#include "tests/support/table.h"

static wl_status describe(const char *path, corpus_text *description) {
    wl_table table;
    wl_status status = table_read(path, 2, &table);
    if (status != WL_OK) return status;
    FILE *out = description->stream;
    fprintf(out, "%zux%zu to %d:", table.rows, table.columns, table.maximum);
    for (size_t i = 0; i < table.rows; i++) {
        fputs(i ? "; " : " ", out);
        if (table.names) corpus_put(description, table.names[i]);
        for (size_t k = 0; k < table.columns; k++)
            fprintf(out, "%s%d", k || table.names ? " " : "", table.values[i * table.columns + k]);
    }
    wl_table_free(&table);
    return WL_OK;
}

TEST(corpus) { corpus_check("table", describe); }

TEST(no_files) {
    wl_table table;
    assert_int_equal(table_read("/nowhere/a.tsv", 2, &table), WL_BAD_INPUT);
    assert_string_equal(wl_error(),
                        "/nowhere/a.tsv: cannot open: No such file or directory; expected a tab-separated table");
    assert_int_equal(table_read("/tmp", 2, &table), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "/tmp: is a directory; expected a tab-separated table");
    assert_int_equal(table_read("/dev/zero", 2, &table), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "/dev/zero:1:1: found byte 0x00; expected text");
}

/* A temporary file, which the caller unlinks. */
static FILE *temporary(char path[32]) {
    strcpy(path, "/tmp/wl-test-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    return file;
}

TEST(highest) {
    char path[32];
    FILE *file = temporary(path);
    fputs("0\t1\t255\n", file);
    fclose(file);
    wl_table table;
    assert_int_equal(table_read(path, 255, &table), WL_OK);
    assert_int_equal(table.maximum, 255);
    assert_int_equal(table.values[2], 255);
    wl_table_free(&table);
    assert_int_equal(table_read(path, 254, &table), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), ":1: column 3: found '255'; expected a whole number from 0 to 254"));
    unlink(path);
}

static int value(size_t row, size_t column) { return (int)((row * 5 + column * 3 + column / 7) % 3); }

TEST(sizes) {
    static const size_t shapes[][2] = {{1, 1},     {1, 32767}, {1, 32768}, {1, 32769}, {2, 65536},
                                       {16, 4096}, {17, 4097}, {1000, 33}, {100000, 1}};
    for (int named = 0; named < 2; named++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            size_t rows = shapes[s][0], columns = shapes[s][1];
            char path[32], name[32];
            FILE *file = temporary(path);
            for (size_t i = 0; i < rows; i++) {
                if (named) fprintf(file, "row%zu\t", i);
                for (size_t k = 0; k < columns; k++) fprintf(file, "%d%c", value(i, k), k + 1 < columns ? '\t' : '\n');
            }
            fclose(file);
            wl_table table;
            assert_int_equal(table_read(path, 2, &table), WL_OK);
            assert_int_equal(table.rows, rows);
            assert_int_equal(table.columns, columns);
            for (size_t i = 0; i < rows; i++) {
                snprintf(name, sizeof name, "row%zu", i);
                if (named) assert_string_equal(table.names[i], name);
                for (size_t k = 0; k < columns; k++) assert_int_equal(table.values[i * columns + k], value(i, k));
            }
            if (!named) assert_null(table.names);
            wl_table_free(&table);
            unlink(path);
        }
}

int main(void) { return run_all_tests(NULL, NULL); }
