/* Sets of sequences: encoded, sorted and laid out as the header says, and refused by the letter that is wrong. */
#include "tests/support/unit.h"
#include "io/database/set.h"

static wl_sequence items[] = {
    {"first", "one", "ACd", 3, 1, NULL},      {"second", "", "WWWWWWW", 7, 3, NULL},
    {"third", "three", "*uX", 3, 5, NULL},    {"fourth", "", "KLMNA", 5, 7, NULL},
    {"fifth", "last one", "bzj", 3, 9, NULL},
};
static const wl_sequences sequences = {items, 5};

/* What kernels rely on: starts, ends, sums, the longest. */
static void require_layout(const sw_set *set) {
    uint64_t letters = 0, at = set->count > 0 ? set->start[0] : 0;
    uint32_t longest = 0;
    for (size_t s = 0; s < set->count; s++) {
        assert_int_equal(set->start[s], at);
        assert_int_equal(set->start[s] % SW_ALIGN, 0);
        at += sw_pitch(set->length[s]);
        assert_true(at - set->start[s] - set->length[s] >= SW_ENDS);
        for (uint64_t i = set->start[s] + set->length[s]; i < at; i++) assert_int_equal(set->residues[i], SW_END);
        letters += set->length[s];
        if (set->length[s] > longest) longest = set->length[s];
    }
    assert_int_equal(set->letters, letters);
    assert_int_equal(set->longest, longest);
    assert_int_equal(sw_set_bytes(set), set->count > 0 ? at - set->start[0] : 0);
}

static void require_sequence(const sw_owned_set *owned, size_t s, const wl_sequence *sequence) {
    assert_int_equal(owned->set.length[s], sequence->length);
    assert_string_equal(owned->name[s], sequence->name);
    assert_string_equal(owned->comment[s], sequence->comment);
    for (size_t k = 0; k < sequence->length; k++)
        assert_int_equal(owned->set.residues[owned->set.start[s] + k], sw_code(SW_PROTEIN, sequence->letters[k]));
}

TEST(encoded_in_either_order) {
    static const size_t sorted[] = {1, 3, 0, 2, 4}; // longest first, equal lengths as given
    for (int longest_first = 0; longest_first < 2; longest_first++) {
        sw_owned_set owned;
        assert_int_equal(sw_set_encode("file", &sequences, SW_PROTEIN, longest_first, &owned), WL_OK);
        assert_int_equal(owned.set.count, 5);
        require_layout(&owned.set);
        for (size_t s = 0; s < 5; s++) {
            size_t from = longest_first ? sorted[s] : s;
            assert_int_equal(owned.order[s], from);
            require_sequence(&owned, s, &items[from]);
        }
        sw_owned_set_free(&owned);
    }
}

TEST(parts_are_views) {
    sw_owned_set owned;
    assert_int_equal(sw_set_encode("file", &sequences, SW_PROTEIN, 1, &owned), WL_OK);
    for (size_t first = 0; first <= 5; first++)
        for (size_t count = 0; first + count <= 5; count++) {
            sw_set part = sw_set_part(&owned.set, first, count);
            assert_int_equal(part.count, count);
            assert_ptr_equal(part.residues, owned.set.residues);
            require_layout(&part);
        }
    sw_owned_set_free(&owned);
}

TEST(room_for_sequences) {
    static const uint32_t lengths[] = {1, 2, 3, 4, 5, 1000, 63, 64, 65};
    sw_owned_set owned;
    assert_int_equal(sw_set_allocate(9, lengths, &owned), WL_OK);
    for (size_t s = 0; s < 9; s++) {
        assert_int_equal(owned.set.length[s], lengths[s]);
        assert_string_equal(owned.name[s], "");
        memset((uint8_t *)owned.set.residues + owned.set.start[s], 7, lengths[s]);
    }
    require_layout(&owned.set); // the ends are not what was written through
    sw_owned_set_free(&owned);
    assert_int_equal(sw_set_allocate(0, NULL, &owned), WL_OK);
    require_layout(&owned.set);
    sw_owned_set_free(&owned);
    uint32_t too_much[4096];
    for (size_t s = 0; s < 4096; s++) too_much[s] = SW_LENGTH_MOST; // 4 TiB
    assert_int_equal(sw_set_allocate(4096, too_much, &owned), WL_NO_MACHINE);
}

TEST(wrong_letters_are_named) {
    wl_sequence wrong[] = {{"good", "", "ACGTN", 5, 1, NULL}, {"odd", "", "ACG-", 4, 4, NULL}};
    const wl_sequences both = {wrong, 2};
    sw_owned_set owned;
    assert_int_equal(sw_set_encode("a.fa", &both, SW_PROTEIN, 1, &owned), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), "a.fa:4: found '-' at position 4 of sequence 'odd'; expected amino acids"));
    wrong[1].letters = "ACGE";
    assert_int_equal(sw_set_encode("a.fa", &both, SW_NUCLEOTIDE, 0, &owned), WL_BAD_INPUT);
    assert_non_null(strstr(wl_error(), "a.fa:4: found 'E' at position 4 of sequence 'odd'; expected nucleotides"));
    wrong[1].letters = "ACGu";
    assert_int_equal(sw_set_encode("a.fa", &both, SW_NUCLEOTIDE, 0, &owned), WL_OK);
    assert_int_equal(owned.set.residues[owned.set.start[1] + 3], sw_code(SW_NUCLEOTIDE, 'T'));
    sw_owned_set_free(&owned);
}

int main(void) { return run_all_tests(NULL, NULL); }
