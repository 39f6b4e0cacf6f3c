/* Names of models are read back as they are written, numbers in braces become the model that they say, and what is no name is
   refused. */
#include <math.h>

#include "tests/support/unit.h"
#include "harness/base/random.h"
#include "peeling/model/model.h"

TEST(names_are_read) {
    static const struct {
        const char *text;
        peeling_model_kind kind;
        int rates;
    } known[] = {{"JC69", PEELING_JC69, 1},
                 {"k80", PEELING_K80, 1},
                 {"HKY85+G", PEELING_HKY85, 4},
                 {"gtr+g4", PEELING_GTR, 4},
                 {"Poisson+G1", PEELING_POISSON, 1},
                 {"wag+G16", PEELING_EMPIRICAL, 16},
                 {"GY94+g", PEELING_GY94, 4},
                 {"m0+G64", PEELING_GY94, 64},
                 {"M0", PEELING_GY94, 1},
                 {"GTR+G04", PEELING_GTR, 4}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        peeling_settings settings;
        memset(&settings, 0x5a, sizeof settings);
        if (peeling_model_parse(known[k].text, &settings) != WL_OK) fail_msg("%s", wl_error());
        peeling_settings expected = peeling_settings_of(known[k].kind);
        assert_int_equal(settings.kind, known[k].kind);
        assert_int_equal(settings.rates, known[k].rates);
        assert_true(settings.kappa == expected.kappa && settings.frequencies == expected.frequencies);
    }
}

#define KNOWN \
    "known are JC69, K80, HKY85, F81, TN93, TIM, TVM, SYM, GTR and others of nucleotides, POISSON, WAG, LG and others"

#define CLASSES "expected 1 to 64, of which +I is one"

TEST(names_are_refused) {
    static const char *const unknown[] = {"",   "LGX",  "GTR4", " GTR", "GTR ",   "JCC",
                                          "GT", "WAGG", "+G4",  "M0\n", "HKY85G4"};
    static const char *const tails[] = {"+",
                                        "+II",
                                        "+G-4",
                                        "+I1",
                                        "+GG",
                                        "+G4 ",
                                        "+G 4",
                                        "+G4.5",
                                        "+4",
                                        "++G4",
                                        "+G\t",
                                        "+G4+G4",
                                        "+I+I",
                                        "+G4+R4",
                                        "+R4+G4",
                                        "+F+FQ",
                                        "+F1X4",
                                        "{1,2}",
                                        "{}",
                                        "{1,2,3,4}",
                                        "{1,2,3,4,5",
                                        "{1,2,3,4,5}x",
                                        "{1,,2,3,4}",
                                        "+I{}",
                                        "+I{0.1,0.2}",
                                        "+I{-0.1}",
                                        "+I{nan}",
                                        "+I{inf}",
                                        "+I{1e999}",
                                        "+G4{0.5,1}",
                                        "+R2{1,1}",
                                        "+R2{1,1,1}",
                                        "+R2{1,1,1,1,1}",
                                        "+R2{1/1}{1}",
                                        "+F{1,1,1}",
                                        "+F{1,1,1,1,1}",
                                        "{1,2,3,4,5}{1}",
                                        "+F{0.3,0.2,0.2,0.3}{1}"};
    /* Each part is known, and their sum is not: the line says which. */
    static const struct {
        const char *tail, *said;
    } limits[] = {{"+G0", CLASSES},
                  {"+G65", CLASSES},
                  {"+G100", CLASSES},
                  {"+G004", CLASSES},
                  {"+G4294967300", CLASSES},
                  {"+R0", CLASSES},
                  {"+R65+I", CLASSES},
                  {"+I+G64", CLASSES},
                  {"+I+ASC", "found +I and +ASC; expected one of them"},
                  {"+ASC+I{0.1}+G4", "found +I and +ASC; expected one of them"},
                  {"+F{0.4,0.3,0.3,0.3}", "found frequencies that sum to 1.3; expected 1"},
                  {"+FU{0.4/0.1/0.1/0.3}", "found frequencies that sum to 0.9; expected 1"},
                  {"+F{1,1,1,1}", "found frequencies that sum to 4; expected 1"}};
    peeling_settings settings, before;
    memset(&before, 0x5a, sizeof before);
    settings = before;
    for (size_t k = 0; k < sizeof unknown / sizeof unknown[0]; k++) {
        assert_int_equal(peeling_model_parse(unknown[k], &settings), WL_BAD_USAGE);
        assert_memory_equal(&settings, &before, sizeof settings);
        assert_non_null(strstr(wl_error(), "unknown model '"));
        assert_non_null(strstr(wl_error(), KNOWN));
        assert_null(strchr(wl_error(), '\n'));
    }
    for (size_t k = 0; k < sizeof tails / sizeof tails[0]; k++) {
        char text[60];
        snprintf(text, sizeof text, "gtr%s", tails[k]);
        assert_int_equal(peeling_model_parse(text, &settings), WL_BAD_USAGE);
        assert_memory_equal(&settings, &before, sizeof settings);
        assert_non_null(strstr(wl_error(), "is not what can follow GTR; "));
        assert_non_null(strstr(wl_error(), KNOWN));
    }
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        char text[60];
        snprintf(text, sizeof text, "gtr%s", limits[k].tail);
        assert_int_equal(peeling_model_parse(text, &settings), WL_BAD_USAGE);
        assert_memory_equal(&settings, &before, sizeof settings);
        if (strstr(wl_error(), limits[k].said) == NULL) fail_msg("%s: said %s", text, wl_error());
    }
    /* People round to two digits. */
    assert_int_equal(peeling_model_parse("GTR+F{0.33,0.33,0.17,0.17}", &settings), WL_OK);
    assert_int_equal(peeling_model_parse("GTR+F{0.334,0.333,0.167,0.167}", &settings), WL_OK);
}

/* Of texts put together at random, those that are read are written as something that is read as the same. */
TEST(names_at_random) {
    static const char *const pieces[] = {"JC69", "k80", "HKY85", "gtr", "Poisson", "WAG", "GY94", "m0", "+",
                                         "G",    "g",   "+G",    "+g",  "0",       "1",   "4",    "6",  "12",
                                         "64",   " ",   "\xff",  "%s",  "+I",      "+R",  "{1}",  "\n", ""};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    wl_random random = wl_random_stream(94, 0);
    int read = 0;
    for (int n = 0; n < 100000; n++) {
        char text[64] = "", name[PEELING_NAME], again[PEELING_NAME];
        const uint32_t count = 1 + wl_random_below(&random, 4);
        for (uint32_t k = 0; k < count; k++) strcat(text, pieces[wl_random_below(&random, k == 0 ? 10 : PIECES)]);
        peeling_settings settings, second;
        const wl_status status = peeling_model_parse(text, &settings);
        if (status != WL_OK) {
            assert_int_equal(status, WL_BAD_USAGE);
            continue;
        }
        read++;
        assert_true(settings.rates >= 1 && settings.rates <= PEELING_RATES_MOST);
        assert_int_equal(peeling_model_parse(peeling_model_name(&settings, name), &second), WL_OK);
        assert_true(second.kind == settings.kind && second.rates == settings.rates);
        assert_string_equal(peeling_model_name(&second, again), name);
    }
    assert_in_range(read, 5000, 90000);
    char *longest = malloc(100000);
    memset(longest, 'G', 99999);
    longest[99999] = 0;
    assert_int_equal(peeling_model_parse(longest, &(peeling_settings){0}), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), KNOWN));
    memcpy(longest, "GTR+G", 5);
    assert_int_equal(peeling_model_parse(longest, &(peeling_settings){0}), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), KNOWN));
    free(longest);
}

/* --- Numbers in braces ------------------------------------------------------------------------------------------- */

static peeling_settings parsed(const char *text) {
    peeling_settings settings;
    if (peeling_model_parse(text, &settings) != WL_OK) fail_msg("%s", wl_error());
    return settings;
}

static peeling_model made_of(const peeling_settings *settings) {
    peeling_model model = {0}; // all of its bytes are compared
    if (peeling_model_make(settings, &model) != WL_OK) fail_msg("%s", wl_error());
    return model;
}

static void same_model(const char *one, const char *other) {
    static peeling_model a, b;
    const peeling_settings first = parsed(one), second = parsed(other);
    a = made_of(&first);
    b = made_of(&second);
    const int S = a.states;
    if (a.states != b.states || a.rates != b.rates || memcmp(a.rate, b.rate, (size_t)a.rates * sizeof *a.rate) != 0 ||
        memcmp(a.share, b.share, (size_t)a.rates * sizeof *a.share) != 0 ||
        memcmp(a.right, b.right, (size_t)(S * S) * sizeof *a.right) != 0 ||
        memcmp(a.eigenvalue, b.eigenvalue, (size_t)S * sizeof *a.eigenvalue) != 0)
        fail_msg("%s is not %s", one, other);
}

/* The same model in the words of IQ-TREE, of RAxML-NG and of the options; and models that are special cases of GTR. */
TEST(one_model_in_many_words) {
    same_model("GTR{1,4,2,3,5,1}+FQ", "gtr{1/4/2/3/5}+FE");
    same_model("GTR{2,8,4,6,10,2}+F{0.1,0.2,0.3,0.4}+I{0.2}+G4{0.5}",
               "GTR{1/4/2/3/5/1}+FU{0.1/0.2/0.3/0.4}+IU{0.2}+G4m{0.5}");
    same_model("GTR{1,4,2,3,5}+FO{0.1,0.2,0.3,0.4}+R2{0.25,2,0.75,4}",
               "GTR{1,4,2,3,5}+F{0.1,0.2,0.3,0.4}+R2{2/4}{0.25/0.75}");
    same_model("GTR+FQ", "JC69");
    same_model("SYM{1,4,2,3,5}", "GTR{1,4,2,3,5}+FQ");
    same_model("SYM{1,4,1,1,4}+G3{0.7}", "K80{4}+G3{0.7}");
    same_model("HKY{4}+F{0.1,0.2,0.3,0.4}", "HKY85{0.5/2}+F{0.1,0.2,0.3,0.4}");
    same_model("TN93{3,5}+F{0.4,0.3,0.2,0.1}", "GTR{1,3,1,1,5,1}+F{0.4,0.3,0.2,0.1}");
    same_model("TrNe{3,5}", "SYM{1,3,1,1,5,1}");
    same_model("K3P{3,5}", "SYM{1,3,5,5,3,1}");
    same_model("TPM2{3,5}", "SYM{3,5,3,1,5,1}");
    same_model("TPM3{3,5}", "SYM{3,5,1,3,5,1}");
    same_model("TIMe{3,5,2}", "SYM{1,3,5,5,2,1}");
    same_model("TIM2e{3,5,2}", "SYM{3,5,3,1,2,1}");
    same_model("TIM3e{3,5,2}", "SYM{3,5,1,3,2,1}");
    same_model("TVMe{3,5,2,7}", "SYM{3,5,2,7,5,1}");
    same_model("F81+F{0.4,0.3,0.2,0.1}", "GTR+F{0.4,0.3,0.2,0.1}");
    same_model("LG+R1{1,7}", "LG");
    same_model("GY94{0.3,2.5}+FQ+G2", "M0{0.3,2.5}+FQ+G2");
}

TEST(given_are_those_with_numbers) {
    peeling_settings s = parsed("GTR+I+G4");
    assert_int_equal(s.given, 0);
    s = parsed("GTR{1,2,3,4,5}+I{0.1}+G4{2}");
    assert_int_equal(s.given, PEELING_GIVEN_EXCHANGE | PEELING_GIVEN_INVARIANT | PEELING_GIVEN_ALPHA);
    assert_true(s.exchange[1] == 2 && s.invariant == 0.1 && s.alpha == 2);
    s = parsed("GY94{0.3,4}+R2{1,1,1,3}");
    assert_int_equal(s.given, PEELING_GIVEN_OMEGA | PEELING_GIVEN_KAPPA | PEELING_GIVEN_RATES);
    assert_true(s.omega == 0.3 && s.kappa == 4 && s.rate[1] == 3);
}

/* Whatever is given, shares sum to 1 and the mean rate is 1; the columns that never change are the first class. */
TEST(classes_of_columns) {
    static const char *const names[] = {
        "JC+I{0.3}", "JC+I{0}+G4{0.4}", "LG+I{0.25}+G8", "HKY+FQ+R3{1,0,2,5,3,0.5}", "JC+I{0.6}+R2{7,1,2,30}",
        "WAG+R5",    "GY94+FQ+I+R2"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const peeling_settings settings = parsed(names[k]);
        static peeling_model model;
        model = made_of(&settings);
        double sum = 0, mean = 0;
        assert_int_equal(model.rates, settings.rates + settings.has_invariant);
        for (int r = 0; r < model.rates; r++) {
            sum += model.share[r];
            mean += model.share[r] * model.rate[r];
        }
        if (!(fabs(sum - 1) < 1e-14 && fabs(mean - 1) < 1e-14))
            fail_msg("%s: shares %.17g, mean %.17g", names[k], sum, mean);
        if (settings.has_invariant) assert_true(model.rate[0] == 0 && model.share[0] == settings.invariant);
    }
    peeling_settings settings = parsed("JC+I{1}");
    assert_int_equal(peeling_model_make(&settings, &(peeling_model){0}), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "the share of invariant columns is 1, and must be from 0 to 0.999999");
    settings = parsed("JC+R2{0,1,1,0}");
    assert_int_equal(peeling_model_make(&settings, &(peeling_model){0}), WL_BAD_INPUT);
    assert_string_equal(wl_error(), "no class of columns has both a share and a rate above 0");
}

/* A number that is listed changes the model, and none other is free: as many as the models' papers count. */
TEST(parameters_are_listed) {
    static const struct {
        const char *name;
        int count;
        const char *first;
    } known[] = {{"JC", 0, ""},           {"F81", 0, ""},           {"HKY", 1, "kappa"}, {"TN93", 2, "AG"},
                 {"K81", 2, "AG"},        {"TPM2", 2, "AC"},        {"TIM", 3, "AG"},    {"TVM", 4, "AC"},
                 {"SYM", 5, "AC"},        {"GTR+I+G4", 7, "alpha"}, {"GTR+R3", 9, "AC"}, {"JC+I+R2", 3, "invariant"},
                 {"GY94+G4", 3, "alpha"}, {"LG+R4", 6, "rate1"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        peeling_settings settings = parsed(known[k].name);
        for (int s = 0; s < PEELING_STATES_MOST; s++) settings.frequency[s] = 1 + s % 3;
        peeling_model_parameter list[PEELING_MODEL_PARAMETERS_MOST];
        const int count = peeling_model_parameters(&settings, list);
        if (count != known[k].count) fail_msg("%s: %d parameters, expected %d", known[k].name, count, known[k].count);
        if (count > 0) assert_string_equal(list[0].name, known[k].first);
        static peeling_model before, after;
        before = made_of(&settings);
        for (int p = 0; p < count; p++) {
            const double value = *list[p].value;
            *list[p].value = value * 0.7;
            after = made_of(&settings);
            if (memcmp(&before, &after, offsetof(peeling_model, right)) == 0)
                fail_msg("%s: %s changes nothing", known[k].name, list[p].name);
            const uint64_t changed = peeling_settings_hash(&settings);
            *list[p].value = value;
            if (changed == peeling_settings_hash(&settings))
                fail_msg("%s: %s is not in the hash", known[k].name, list[p].name);
        }
    }
}

/* Numbers of a file, and all that a name says, are in the hash; another copy of the same is the same. */
TEST(hashes) {
    static const char *const names[] = {"JC69",     "K80",    "HKY85",  "GTR",     "TN93",     "TIM",
                                        "POISSON",  "WAG",    "LG",     "LG4M",    "LG4X",     "GY94",
                                        "MG94",     "GTR+G4", "GTR+G8", "GTR+R4",  "GTR+I",    "GTR+ASC",
                                        "GTR+I+G4", "WAG+F",  "WAG+FQ", "GY94+G4", "HKY85{3}", "GTR+I{0.1}"};
    enum { NAMES = sizeof names / sizeof *names };
    uint64_t hash[NAMES];
    for (int i = 0; i < NAMES; i++) {
        peeling_settings settings, copy;
        assert_int_equal(peeling_model_parse(names[i], &settings), WL_OK);
        memset(&copy, 0x5A, sizeof copy); // what stands between the members does not count
        copy = settings;
        hash[i] = peeling_settings_hash(&settings);
        assert_int_equal(hash[i], peeling_settings_hash(&copy));
        for (int k = 0; k < i; k++)
            if (hash[k] == hash[i]) fail_msg("%s and %s have one hash", names[k], names[i]);
        copy.median = !copy.median;
        assert_int_not_equal(hash[i], peeling_settings_hash(&copy));
    }
    peeling_empirical own = *peeling_empirical_named("WAG", 3);
    peeling_settings settings = peeling_settings_of(PEELING_EMPIRICAL), codons = peeling_settings_of(PEELING_GY94);
    const uint64_t published = peeling_settings_hash(&settings), standard = peeling_settings_hash(&codons);
    settings.empirical = &own;
    assert_int_equal(published, peeling_settings_hash(&settings));
    own.exchange[189] *= 1 + 1e-15;
    assert_int_not_equal(published, peeling_settings_hash(&settings));
    own = *peeling_empirical_named("WAG", 3);
    own.frequency[19] *= 1 + 1e-15;
    assert_int_not_equal(published, peeling_settings_hash(&settings));
    codons.code = PEELING_CODE_VERTEBRATE_MITOCHONDRIAL;
    assert_int_not_equal(standard, peeling_settings_hash(&codons));
}

int main(void) { return run_all_tests(NULL, NULL); }
