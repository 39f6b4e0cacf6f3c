/* Around gnuplot: charts are whole or absent, odd folders are no trouble, and a failure says what gnuplot said. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "plots/chart.h"

static char folder[] = "/tmp/warpladder chart's \"XXXXXX";

static char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *contents) {
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(contents, file);
    fclose(file);
}

static int exists(const char *name) { return access(in_folder(name), F_OK) == 0; }

/* A data folder of our own, with a script that draws one point and one that fails half-way. */
static int set_up(void **state) {
    (void)state;
    if (mkdtemp(folder) == NULL || mkdir(in_folder("plots"), 0700) != 0) return -1;
    write_file("plots/good.gp", "if (exists('terminal') && terminal eq 'dumb') { print \"\\nplain   \"; exit }\n"
                                "set terminal svg; set output output.'.svg'; plot input with points\n"
                                "set terminal pngcairo; set output output.'.png'; plot input with points\n");
    write_file("plots/bad.gp", "set terminal svg; set output output.'.svg'; plot input with points\n"
                               "set output; no_such_command 7\n");
    write_file("points.tsv", "1\t2\n3\t4\n");
    return setenv("WL_DATA", folder, 1);
}

TEST(data_is_found_where_it_is_said_to_be) {
    char *path = wl_data_path("plots/style.gp");
    assert_string_equal(path, in_folder("plots/style.gp"));
    free(path);
    unsetenv("WL_DATA");
    path = wl_data_path("plots/style.gp");
    assert_int_equal(access(path, R_OK), 0);
    free(path);
    setenv("WL_DATA", folder, 1);
}

TEST(a_chart_is_two_files) {
    if (!wl_chart_possible()) skip();
    char *path = strdup(in_folder("points.tsv"));
    assert_int_equal(wl_chart_draw("good", path, ""), WL_OK);
    assert_true(exists("points.svg") && exists("points.png"));
    assert_int_equal(wl_chart_draw("good", path, "_again"), WL_OK);
    assert_true(exists("points_again.svg") && exists("points_again.png"));
    free(path);
}

TEST(a_chart_that_fails_leaves_the_old_one) {
    if (!wl_chart_possible()) skip();
    char *path = strdup(in_folder("points.tsv"));
    remove(in_folder("points.png"));
    write_file("points.png", "old");
    assert_int_equal(wl_chart_draw("bad", path, ""), WL_NO_MACHINE);
    assert_non_null(strstr(wl_error(), "points.tsv"));
    assert_non_null(strstr(wl_error(), "invalid command"));
    struct stat status;
    assert_int_equal(stat(in_folder("points.png"), &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(wl_chart_draw("no_such_script", path, ""), WL_NO_MACHINE);
    free(path);
}

TEST(characters_come_without_blank_edges) {
    if (!wl_chart_possible()) skip();
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_int_equal(wl_chart_print(stream, "good", in_folder("points.tsv")), WL_OK);
    fclose(stream);
    assert_string_equal(text, "plain\n");
    free(text);
}

/* A name is data, whatever a shell or gnuplot would do with it, and whatever the folder has by the charts' names. nothing_else_was_left finds what
   a command would have made. */
TEST(a_name_is_data) {
    static const char *const names[] = {
        "a`touch one`", "$(touch two)",        "it's",         "q\"; !touch three; \"", "-dash",
        "@at",          "<touch four;",        "|touch five;", "new\n!touch six\n",     "$data",
        "%s%n",         "\033]0;x\007\302\233"};
    if (!wl_chart_possible()) skip();
    write_file("victim", "kept");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char tsv[64], svg[64], png[64];
        snprintf(tsv, sizeof tsv, "%s.tsv", names[i]);
        snprintf(svg, sizeof svg, "%s.svg", names[i]);
        snprintf(png, sizeof png, "%s.png", names[i]);
        write_file(tsv, "1\t2\n3\t4\n");
        char *path = strdup(in_folder(tsv)), *link = strdup(in_folder(svg));
        assert_int_equal(symlink("victim", link), 0);
        assert_int_equal(wl_chart_draw("good", path, ""), WL_OK);
        struct stat found;
        assert_int_equal(lstat(link, &found), 0);
        assert_true(S_ISREG(found.st_mode) && found.st_size > 100);
        assert_true(exists(png));
        const char *const made[] = {tsv, svg, png};
        for (size_t k = 0; k < 3; k++) assert_int_equal(remove(in_folder(made[k])), 0);
        free(path);
        free(link);
    }
    struct stat victim;
    assert_int_equal(stat(in_folder("victim"), &victim), 0);
    assert_int_equal(victim.st_size, 4);
    remove(in_folder("victim"));
}

TEST(only_tsv_files_are_drawn) {
    assert_int_equal(wl_chart_draw("good", "/tmp/a.txt", ""), WL_BAD_USAGE);
    assert_int_equal(wl_chart_draw("good", "/tmp/it's.tsv", ""), WL_BAD_USAGE);
    assert_int_equal(wl_chart_draw("good", ".tsv", ""), WL_BAD_USAGE);
}

TEST(a_place_that_cannot_be_written_is_found_out) {
    assert_int_equal(wl_file_try(in_folder("new.tsv")), WL_OK);
    assert_false(exists("new.tsv"));
    assert_int_equal(wl_file_try(in_folder("points.tsv/new.tsv")), WL_BAD_USAGE);
}

/* The last test, since cmocka succeeds even if a group's tear-down fails. */
TEST(nothing_else_was_left) {
    static const char *const names[] = {"plots/good.gp", "plots/bad.gp",     "points.tsv",       "points.svg",
                                        "points.png",    "points_again.svg", "points_again.png", "plots"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    assert_int_equal(rmdir(folder), 0);
}

int main(void) { return run_all_tests(set_up, NULL); }
