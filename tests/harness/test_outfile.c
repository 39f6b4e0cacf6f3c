/* io/outfile: whole or absent. */
#include <fcntl.h>
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "harness/base/outfile.h"
#include "tests/support/folder.h"

static void assert_holds(const char *path, const char *text) {
    char found[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    assert_string_equal(found, text);
}

static int entries(const char *path) {
    int count = 0;
    DIR *files = opendir(path);
    assert_non_null(files);
    for (struct dirent *entry; (entry = readdir(files));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(files);
    return count;
}

static void write_text(const char *path, const char *text) {
    wl_outfile file;
    assert_int_equal(wl_outfile_open(path, &file), WL_OK);
    fputs(text, file.stream);
    assert_int_equal(wl_outfile_commit(&file), WL_OK);
    wl_outfile_discard(&file);
}

TEST(appears_when_whole) {
    const char *path = in_folder("out.tsv");
    wl_outfile file;
    assert_int_equal(wl_outfile_open(path, &file), WL_OK);
    fputs("text\n", file.stream);
    fflush(file.stream);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(wl_outfile_commit(&file), WL_OK);
    assert_holds(path, "text\n");
    assert_int_equal(entries(folder), 1);
    wl_outfile_discard(&file);
    assert_holds(path, "text\n");
}

TEST(discard_leaves_nothing) {
    put(in_folder("old"), "old");
    wl_outfile file;
    assert_int_equal(wl_outfile_open(in_folder("old"), &file), WL_OK);
    fputs("new", file.stream);
    wl_outfile_discard(&file);
    assert_holds(in_folder("old"), "old");
    assert_int_equal(entries(folder), 1);
    wl_outfile nothing = {0};
    wl_outfile_discard(&nothing);
    assert_int_equal(wl_outfile_commit(&nothing), WL_OK);
}

TEST(makes_folders) {
    write_text(in_folder("a/b//c/out"), "text");
    assert_holds(in_folder("a/b/c/out"), "text");
}

/* Told to, it refuses a folder that is not there, and says which. */
TEST(refuses_folders) {
    wl_outfile file;
    wl_outfile_make_folders(0);
    assert_int_equal(wl_outfile_open(in_folder("a/b/out"), &file), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "/a; expected one, or --make-folders"));
    assert_int_equal(entries(folder), 0);
    write_text(in_folder("out"), "text");
    assert_int_equal(wl_outfile_open_making(in_folder("cache/out"), &file), WL_OK);
    assert_int_equal(wl_outfile_commit(&file), WL_OK);
    wl_outfile_make_folders(1);
    assert_int_equal(entries(folder), 2);
}

/* In another process: opens a file and waits to be killed. */
static pid_t begin_writing(const char *path) {
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        wl_outfile file;
        prctl(PR_SET_PDEATHSIG, SIGKILL); // where this test fails
        if (wl_outfile_open(path, &file) != WL_OK || write(ready[1], &byte, 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

/* What a killed process was writing goes when the next one writes there; what a living one writes stays. */
TEST(removes_orphans) {
    const pid_t killed = begin_writing(in_folder("a")), living = begin_writing(in_folder("b"));
    assert_int_equal(entries(folder), 2);
    kill(killed, SIGKILL);
    waitpid(killed, NULL, 0);
    put(in_folder(".warpladder-notes"), "mine");
    write_text(in_folder("c"), "text");
    assert_int_equal(entries(folder), 3); // the living one's, the notes and c
    assert_holds(in_folder(".warpladder-notes"), "mine");
    kill(living, SIGKILL);
    waitpid(living, NULL, 0);
}

TEST(relative_path) {
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    write_text("out", "text");
    write_text("deep/out", "text");
    assert_int_equal(chdir(before), 0);
    assert_holds(in_folder("out"), "text");
    assert_holds(in_folder("deep/out"), "text");
}

TEST(longest_name) {
    char name[256];
    memset(name, 'x', 255);
    name[255] = 0;
    write_text(in_folder(name), "text");
    assert_holds(in_folder(name), "text");
}

static mode_t mode_of(const char *path) {
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    return found.st_mode & 0777;
}

TEST(permissions) {
    mode_t before = umask(027);
    write_text(in_folder("new"), "text");
    assert_int_equal(mode_of(in_folder("new")), 0640);
    umask(before);
    put(in_folder("old"), "old");
    assert_int_equal(chmod(in_folder("old"), 0604), 0);
    write_text(in_folder("old"), "text");
    assert_int_equal(mode_of(in_folder("old")), 0604);
}

TEST(symbolic_links) {
    assert_int_equal(mkdir(in_folder("elsewhere"), 0777), 0);
    put(in_folder("elsewhere/target"), "old");
    assert_int_equal(symlink("elsewhere/target", in_folder("link")), 0);
    write_text(in_folder("link"), "new");
    struct stat link;
    assert_int_equal(lstat(in_folder("link"), &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_holds(in_folder("elsewhere/target"), "new");

    wl_outfile file;
    assert_int_equal(symlink("nowhere", in_folder("broken")), 0);
    assert_int_equal(wl_outfile_open(in_folder("broken"), &file), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "is a symbolic link that leads nowhere"));
}

static void refused(const char *path, const char *why) {
    wl_outfile file;
    assert_int_equal(wl_outfile_open(path, &file), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), why));
    assert_null(file.stream);
    assert_null(file.path);
    wl_outfile_discard(&file);
}

TEST(impossible_paths) {
    put(in_folder("file"), "text");
    refused("", "the name of the output file is empty");
    refused(folder, "is a directory; expected");
    refused(in_folder("new/"), "names a directory");
    refused(in_folder("file/below"), "Not a directory");
    char name[400];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    wl_outfile file;
    /* The temporary's name is short, so that only the last step can tell. */
    if (wl_outfile_open(in_folder(name), &file) == WL_OK) assert_int_equal(wl_outfile_commit(&file), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "File name too long"));
    assert_int_equal(entries(folder), 1);
}

TEST(write_protected) {
    if (geteuid() == 0) skip();
    put(in_folder("old"), "old");
    assert_int_equal(chmod(in_folder("old"), 0444), 0);
    refused(in_folder("old"), "Permission denied");
    assert_int_equal(mkdir(in_folder("locked"), 0555), 0);
    refused(in_folder("locked/new"), "Permission denied");
}

/* --- Directly written --------------------------------------------------------------------------------------------- */

TEST(devices) {
    struct stat found;
    write_text("/dev/null", "text");
    assert_int_equal(stat("/dev/null", &found), 0);
    assert_true(S_ISCHR(found.st_mode));

    wl_outfile file;
    assert_int_equal(wl_outfile_open("/dev/full", &file), WL_OK);
    fputs("text", file.stream);
    assert_int_equal(wl_outfile_commit(&file), WL_NO_MACHINE);
    assert_string_equal(wl_error(), "/dev/full: cannot write: No space left on device");
}

TEST(fifo) {
    const char *path = in_folder("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        char text[16] = "";
        FILE *file = fopen(path, "r");
        _exit(fgets(text, sizeof text, file) && strcmp(text, "text") == 0 ? 0 : 1);
    }
    write_text(path, "text");
    int result;
    waitpid(child, &result, 0);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
}

/* Standard output in a file: what was printed before and after stays, and nothing is renamed over it. */
TEST(standard_output) {
    static const char *const names[] = {"/dev/stdout", "-", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = in_folder("stdout");
        pid_t child = fork();
        if (child == 0) {
            wl_outfile file;
            if (!freopen(path, "w", stdout)) _exit(2);
            fputs("before ", stdout);
            if (wl_outfile_open(names[i], &file) != WL_OK) _exit(3);
            fputs("text ", file.stream);
            if (wl_outfile_commit(&file) != WL_OK) _exit(4);
            fputs("after", stdout);
            fflush(stdout);
            _exit(0);
        }
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
        assert_holds(path, "before text after");
    }
    assert_int_equal(entries(folder), 1);
}

/* --- A disk that gets full --------------------------------------------------------------------------------------- */

/* A file-size limit fails writes as a full disk does. `bytes` below and above stdio's buffer: the failure comes in
   fflush, or long before. */
TEST(full_disk) {
    static const size_t sizes[] = {2000, 2000000};
    for (size_t i = 0; i < 2; i++) {
        const char *path = in_folder("out");
        put(path, "old");
        pid_t child = fork();
        if (child == 0) {
            struct rlimit limit = {1000, 1000};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            wl_outfile file;
            if (wl_outfile_open(path, &file) != WL_OK) _exit(2);
            for (size_t k = 0; k < sizes[i]; k++) fputc('x', file.stream);
            if (wl_outfile_commit(&file) != WL_NO_MACHINE) _exit(3);
            _exit(strstr(wl_error(), ": cannot write: ") ? 0 : 4);
        }
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
        assert_holds(path, "old");
        assert_int_equal(entries(folder), 1);
    }
}

int main(void) { return run_each_test(make_folder, remove_folder); }
