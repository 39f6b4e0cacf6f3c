/* Arrays and texts that grow. */
#include "tests/support/unit.h"
#include "harness/base/memory.h"
#include "harness/base/text.h"

/* One item at a time, and several. */
TEST(arrays_grow) {
    for (size_t step = 1; step < 9; step++) {
        size_t *items = NULL, count = 0;
        assert_true(WL_GROW(items, count, 0));
        assert_null(items);
        while (count < 1000) {
            assert_true(WL_GROW(items, count, step));
            for (size_t i = 0; i < step; i++, count++) items[count] = count * count;
        }
        for (size_t i = 0; i < count; i++) assert_int_equal(items[i], i * i);
        free(items);
    }
}

/* A stack's count falls and rises. */
TEST(arrays_shrink_and_grow) {
    size_t *items = NULL, count = 0;
    for (size_t round = 0; round < 300; round++) {
        for (size_t i = 0; i <= round % 17; i++) {
            assert_true(WL_GROW(items, count, 1));
            items[count] = count;
            count++;
        }
        for (size_t i = 0; i < count; i++) assert_int_equal(items[i], i);
        count -= count < round % 15 ? count : round % 15;
    }
    free(items);
}

TEST(too_much_is_refused) {
    size_t *items = NULL;
    assert_true(WL_GROW(items, 0, 3));
    items[2] = 7;
    assert_false(WL_GROW(items, 3, SIZE_MAX - 2));
    assert_false(WL_GROW(items, 3, SIZE_MAX / 8));
    assert_false(WL_GROW(items, 3, wl_memory_total() / 4)); /* of eight bytes each */
    assert_int_equal(items[2], 7);
    free(items);
}

TEST(texts_grow) {
    wl_string text = {0};
    assert_true(wl_string_add(&text, "", 0));
    assert_string_equal(text.bytes, "");
    for (int i = 0; i < 1000; i++) assert_true(wl_string_add(&text, "abc", 3));
    assert_int_equal(text.length, 3000);
    assert_int_equal(strlen(text.bytes), 3000);
    assert_string_equal(text.bytes + 2994, "abcabc");
    text.length = 0;
    assert_true(wl_string_add(&text, "again", 5));
    assert_string_equal(text.bytes, "again");
    free(text.bytes);
}

int main(void) { return run_all_tests(NULL, NULL); }
