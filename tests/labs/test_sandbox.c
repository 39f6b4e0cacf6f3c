/* What a program in the sandbox can do to the machine, and to those who come after it: nothing. Skipped where there is no sandbox. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "labs/sandbox.h"
#include "sim/toolchain/toolchain.h"

/* Runs a shell's line in the sandbox. */
static wl_sandbox_end run(const char *line, wl_sandbox sandbox) {
    char shell[] = "sh", option[] = "-c", text[512], *words[] = {shell, option, text, NULL};
    wl_sandbox_end end;
    snprintf(text, sizeof text, "%s", line);
    sandbox.closed = 1;
    sandbox.user = wl_sandbox_user();
    if (sandbox.seconds == 0) sandbox.seconds = 20;
    assert_int_equal(wl_sandbox_run(words, &sandbox, &end), WL_OK);
    return end;
}

static void expect(const char *line, const char *said) {
    wl_sandbox_end end = run(line, (wl_sandbox){0});
    assert_string_equal(end.said, said);
    wl_sandbox_end_free(&end);
}

TEST(test_machine) {
    if (*wl_sandbox_lacks()) skip();
    expect("echo x >/tmp/x; cat /tmp/x", "x\n");
    expect("ls /tmp /home /root /work 2>/dev/null", "/tmp:\n");
    expect("for f in / /usr /dev /etc; do echo x 2>/dev/null >$f/stray && echo $f; done; true", "");
    expect("cat /proc/net/dev | grep -c :", "1\n"); /* the loop */
    expect("test $(ls -d /proc/[0-9]* | wc -l) -le 6 && echo few", "few\n");
    expect("dd if=/dev/zero of=/tmp/large bs=1M count=250 2>/dev/null; dd if=/dev/zero of=/tmp/more bs=1M count=250 "
           "2>/dev/null; "
           "test $(du -sm /tmp | cut -f 1) -le 256 && echo bounded",
           "bounded\n");
    expect("env | grep -c SECRET", "0\n");
}

/* Processes out of the program's group and session end with it, and their memory counts. */
TEST(test_processes) {
    char line[64];
    (void)state;
    if (*wl_sandbox_lacks()) skip();
    wl_sandbox_end end = run("setsid sh -c 'sleep 4321 & sleep 4321' >/dev/null 2>&1 & sleep 0.3", (wl_sandbox){0});
    assert_int_equal(end.code, 0);
    wl_sandbox_end_free(&end);
    usleep(100000);
    FILE *list = popen("ps -eo args", "r");
    while (fgets(line, sizeof line, list)) assert_null(strstr(line, "sleep 4321"));
    pclose(list);
    end = run("setsid sh -c 'a=x; while :; do a=$a$a; done' & setsid sh -c 'a=x; while :; do a=$a$a; done' & wait",
              (wl_sandbox){.memory = (size_t)200 << 20});
    assert_string_equal(end.ended, "it used too much memory");
    wl_sandbox_end_free(&end);
    end = run("sleep 30", (wl_sandbox){.seconds = 0.5});
    assert_string_equal(end.ended, "it took too long");
    wl_sandbox_end_free(&end);
}

/* The status of a process that has shut itself in and then does `what`. */
static int status_alone(int (*what)(void)) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(wl_sandbox_enter(1) == WL_OK ? what() : 99);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}
static int execute(void) { return execl("/bin/true", "true", (char *)NULL); }
static int fork_again(void) { return fork() < 0; }
static int write_file(void) { return open("/tmp/stray", O_WRONLY | O_CREAT, 0644) < 0; }
static int read_file(void) { return open("/proc/self/maps", O_RDONLY) >= 0; }
static int connect_out(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0; }
static int make_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
}
static int kill_parent(void) { return kill(getppid(), 0) < 0; }

TEST(test_alone) {
    assert_int_equal(WTERMSIG(status_alone(execute)), SIGSYS);
    int (*const refused[])(void) = {fork_again, write_file, connect_out, make_code, kill_parent, read_file};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(WEXITSTATUS(status_alone(refused[i])), 1);
}

/* A folder deeper than any path may be long is removed. */
TEST(test_deep_folder) {
    char *folder, *here = getcwd(NULL, 0);
    (void)state;
    assert_int_equal(wl_temporary_folder(&folder), WL_OK);
    assert_int_equal(chdir(folder), 0);
    for (int i = 0; i < 3000; i++) assert_true(mkdir("deeper", 0755) == 0 && chdir("deeper") == 0);
    assert_int_equal(chdir(here), 0);
    wl_remove_folder(folder);
    assert_int_not_equal(access(folder, F_OK), 0);
    free(folder);
    free(here);
}

int main(void) {
    setenv("SECRET", "x", 1);
    return run_all_tests(NULL, NULL);
}
