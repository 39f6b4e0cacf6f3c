#define _GNU_SOURCE /* unshare, pipe2 */
#include "labs/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"

enum { SAID_MOST = 1 << 16, RESULTS_MOST = 1 << 22 };

/* ---- what grows ---- */

typedef struct {
    char *text;
    size_t length, most;
} grown;

/* The last `most` bytes of the output, or fewer. */
static void append(grown *g, const char *bytes, size_t count) {
    char *text = realloc(g->text, g->length + count + 1);
    if (text == NULL) return;
    g->text = text;
    memcpy(text + g->length, bytes, count);
    g->length += count;
    if (g->length > g->most) {
        memmove(text, text + g->length - g->most, g->most);
        g->length = g->most;
    }
    text[g->length] = 0;
}

/* ---- the child ---- */

static void limit(int what, rlim_t most) {
    struct rlimit now;
    if (getrlimit(what, &now) != 0) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
    setrlimit(what, &(struct rlimit){most, most});
}

/* Namespaces without network. An unprivileged process needs a user namespace first, which some systems forbid. */
static int leave_network(void) {
    return unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) == 0;
}

unsigned wl_sandbox_user(void) {
    enum { FIRST = 20000, USERS = 40000 }; /* within the range that containers map */
    if (geteuid() != 0) return 0;
    unsigned user = (unsigned)getpid() % USERS;
    for (int tries = 0; tries < USERS && getpwuid(FIRST + user) != NULL; tries++) user = (user + 1) % USERS;
    return FIRST + user; /* used by nobody else: its leftover processes are ended */
}

const char *wl_sandbox_lacks(void) {
    static char lacks[128];
    static int known;
    if (known) return lacks;
    const pid_t child = fork();
    int status = 0;
    if (child == 0) _exit(leave_network() ? 0 : 1);
    if (child > 0) waitpid(child, &status, 0);
    snprintf(
        lacks, sizeof lacks, "%s%s%s", status == 0 ? "" : "the network is not cut off",
        status != 0 && geteuid() != 0 ? "; " : "",
        geteuid() == 0 ? "" : "submissions run as this user, for whom the limits on files hold, but not as another");
    known = 1;
    return lacks;
}

/* 0, or an errno. */
static int confine(const wl_sandbox *sandbox) {
    static const char *const kept[] = {"PATH", "WL_SIM_STEPS", "WL_SIM_SECONDS", "OMP_NUM_THREADS", "LD_LIBRARY_PATH"};
    enum { KEPT = sizeof kept / sizeof *kept };
    const char *values[KEPT];
    const int is_root = geteuid() == 0;
    for (int i = 0; i < KEPT; i++) values[i] = getenv(kept[i]);
    for (int i = 0; i < KEPT; i++) values[i] = values[i] ? strdup(values[i]) : NULL;
    clearenv();
    for (int i = 0; i < KEPT; i++)
        if (values[i]) setenv(kept[i], values[i], 1);
    setenv("TMPDIR", sandbox->folder, 1);
    const int has_namespace = leave_network();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_FSIZE, (rlim_t)256 << 20);
    if (is_root || has_namespace) limit(RLIMIT_NPROC, 256); /* otherwise it would count all processes of this user */
    if (is_root && (setgroups(0, NULL) != 0 || setgid(sandbox->user) != 0 || setuid(sandbox->user) != 0)) return errno;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return 0;
}

/* If it cannot start, the parent gets the reason, so that the program's own exit code is not mistaken for it. */
_Noreturn static void give_up(int broken, int why) {
    if (write(broken, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

_Noreturn static void become(char *const *words, const wl_sandbox *sandbox, const int *input, const int *results,
                             const int *said, const int *not_begun) {
    setpgid(0, 0);
    /* The pipes' ends may already have the numbers that they need. */
    const int in = fcntl(input[0], F_DUPFD_CLOEXEC, 16), out = fcntl(results[1], F_DUPFD_CLOEXEC, 16),
              err = fcntl(said[1], F_DUPFD_CLOEXEC, 16), broken = fcntl(not_begun[1], F_DUPFD_CLOEXEC, 16);
    if (dup2(in, 0) < 0 || dup2(err, 1) < 0 || dup2(err, 2) < 0 || dup2(out, WL_SANDBOX_RESULTS) < 0)
        give_up(broken, errno);
    if (sandbox->folder != NULL && chdir(sandbox->folder) != 0) give_up(broken, errno);
    limit(RLIMIT_CPU, (rlim_t)(sandbox->seconds * 64) + 1); /* of all threads; the clock ends it earlier */
    if (sandbox->address_space) limit(RLIMIT_AS, sandbox->address_space);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int why = sandbox->sandboxed ? confine(sandbox) : 0;
    if (why) give_up(broken, why);
    setenv("LC_ALL", "C", 1);
    execvp(words[0], words);
    give_up(broken, errno);
}

/* ---- the parent ---- */

static size_t memory_of(pid_t child) {
    char path[64];
    size_t pages = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%zu %zu", &pages, &resident) != 2) resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Reads until both ends are closed or the program must be ended. */
static void watch(pid_t child, const wl_sandbox *sandbox, int results, int said, grown *to_results, grown *to_said,
                  wl_sandbox_end *end) {
    struct pollfd ends[] = {{.fd = results, .events = POLLIN}, {.fd = said, .events = POLLIN}};
    grown *to[] = {to_results, to_said};
    const double start = wl_now();
    int open = 2;
    while (open > 0 && end->ended == NULL) {
        if (poll(ends, 2, 50) < 0 && errno != EINTR) break;
        for (int i = 0; i < 2; i++) {
            char bytes[4096];
            if (ends[i].fd < 0 || ends[i].revents == 0) continue;
            const ssize_t count = read(ends[i].fd, bytes, sizeof bytes);
            if (count > 0)
                append(to[i], bytes, (size_t)count);
            else if (count == 0 || errno != EINTR)
                ends[i].fd = -1, open--;
        }
        if (wl_now() - start > sandbox->seconds) end->ended = "it took too long";
        if (sandbox->memory > 0 && memory_of(child) > sandbox->memory) end->ended = "it used too much memory";
    }
    /* It may have closed its ends and still run. */
    for (siginfo_t info = {0}; end->ended == NULL; usleep(10000)) {
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child) break;
        if (wl_now() - start > sandbox->seconds) end->ended = "it took too long";
    }
    end->seconds = wl_now() - start;
}

/* Ends all processes that run as the submission's user, in whatever group. */
static void sweep(uid_t user) {
    int status;
    const pid_t child = user > 0 && geteuid() == 0 ? fork() : -1;
    if (child == 0) _exit(setuid(user) == 0 && kill(-1, SIGKILL) == 0);
    if (child > 0) waitpid(child, &status, 0);
}

wl_status wl_sandbox_run(char *const *words, const wl_sandbox *sandbox, wl_sandbox_end *end) {
    int input[2], results[2], said[2], not_begun[2], status = 0, why = 0;
    *end = (wl_sandbox_end){0};
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(results, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0 ||
        pipe2(not_begun, O_CLOEXEC) != 0)
        return wl_fail(WL_NO_MACHINE, "no pipe: %s", strerror(errno));
    fflush(NULL); /* so that the child does not write the content of our buffers */
    const pid_t child = fork();
    if (child == 0) become(words, sandbox, input, results, said, not_begun);
    close(input[0]), close(results[1]), close(said[1]), close(not_begun[1]);
    grown to_results = {.most = RESULTS_MOST}, to_said = {.most = SAID_MOST};
    append(&to_results, "", 0);
    append(&to_said, "", 0);
    if (child > 0) {
        setpgid(child, child); /* whoever comes first */
        void (*pipe_signal)(int) = signal(SIGPIPE, SIG_IGN);
        if (sandbox->input != NULL && write(input[1], sandbox->input, strlen(sandbox->input)) < 0)
            errno = 0; /* it did not read */
        signal(SIGPIPE, pipe_signal);
    }
    close(input[1]);
    if (child > 0) {
        watch(child, sandbox, results[0], said[0], &to_results, &to_said, end);
        kill(-child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (sandbox->sandboxed) sweep(sandbox->user);
    }
    const int began = read(not_begun[0], &why, sizeof why) <= 0;
    close(results[0]), close(said[0]), close(not_begun[0]);
    end->results = to_results.text;
    end->said = to_said.text;
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (child < 0) return wl_fail(WL_NO_MACHINE, "%s cannot be run: %s", words[0], strerror(errno));
    if (!began)
        return wl_fail(WL_NO_MACHINE, "%s cannot be run: %s%s", words[0], strerror(why),
                       sandbox->user ? "; submissions run as a user of their own, who must be able to read it" : "");
    return WL_OK;
}

void wl_sandbox_end_free(wl_sandbox_end *end) {
    free(end->results);
    free(end->said);
    *end = (wl_sandbox_end){0};
}
