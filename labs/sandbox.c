#include "labs/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "sim/toolchain/toolchain.h"

enum { SAID_MOST = 1 << 16 };

/* ---- the last part of what a program says ---- */

typedef struct {
    char *text;
    size_t length, most;
} last_part;

/* The last `most` bytes of the output, or fewer. */
static void append(last_part *p, const char *bytes, size_t count) {
    char *text = realloc(p->text, p->length + count + 1);
    if (text == NULL) return;
    p->text = text;
    memcpy(text + p->length, bytes, count);
    p->length += count;
    if (p->length > p->most) {
        memmove(text, text + p->length - p->most, p->most);
        p->length = p->most;
    }
    text[p->length] = 0;
}

/* ---- limits ---- */

static void limit(int what, rlim_t most) {
    struct rlimit now;
    if (getrlimit(what, &now) != 0) return;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) most = now.rlim_max;
    setrlimit(what, &(struct rlimit){most, most});
}

/* ---- the sandbox ---- */

static const char *const kept[] = {"WL_SIM_STEPS", "WL_SIM_SECONDS", "OMP_NUM_THREADS", "LD_LIBRARY_PATH", "CLANG"};

/* The system's folders: some are links into /usr. */
static void show_system(wl_word_list *words) {
    static const char *const folders[] = {"/lib", "/lib64", "/lib32", "/bin", "/sbin"}, *const files[] = {
                                                                                            "/usr", "/etc/ld.so.cache",
                                                                                            "/etc/alternatives"};
    char target[256];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) wl_words(words, "--ro-bind-try", files[i], files[i]);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const ssize_t length = readlink(folders[i], target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        wl_words(words, length > 0 ? "--symlink" : "--ro-bind-try", length > 0 ? target : folders[i], folders[i]);
    }
}

/* bwrap's words before the program's own. */
static wl_word_list bubblewrap(const wl_sandbox *sandbox, char *const *program) {
    wl_word_list words = {0};
    wl_words(&words, "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
             "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--size", "268435456", "--tmpfs", "/tmp");
    show_system(&words);
    for (const char *const *path = sandbox->see; path && *path; path++) wl_words(&words, "--ro-bind", *path, *path);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (getenv(kept[i])) wl_words(&words, "--setenv", kept[i], getenv(kept[i]));
    wl_words(&words, "--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin", "--setenv", "LC_ALL", "C", "--remount-ro", "/",
             "--chdir", "/tmp", "--");
    for (; *program; program++) wl_word(&words, "%s", *program);
    return words;
}

unsigned wl_sandbox_user(void) {
    enum { FIRST = 20000, USERS = 40000 }; // within the range that containers map
    if (geteuid() != 0) return 0;
    unsigned user = (unsigned)getpid() % USERS;
    for (int tries = 0; tries < USERS && getpwuid(FIRST + user) != NULL; tries++) user = (user + 1) % USERS;
    return FIRST + user;
}

const char *wl_sandbox_lacks(void) {
    static char lacks[256];
    static int known;
    char program[] = "true", *words[] = {program, NULL};
    const wl_sandbox sandbox = {.seconds = 10, .closed = 1, .user = wl_sandbox_user()};
    wl_sandbox_end end = {0};
    if (known) return lacks;
    known = 1;
    if (wl_sandbox_run(words, &sandbox, &end) != WL_OK)
        snprintf(lacks, sizeof lacks, "%s", wl_error());
    else if (end.code != 0)
        snprintf(lacks, sizeof lacks, "%.*s", (int)strcspn(end.said, "\n"), end.said);
    wl_sandbox_end_free(&end);
    return lacks;
}

/* ---- within the sandbox ---- */

#define REFUSE(call, with) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, with)
#define ALLOW(call) REFUSE(call, SECCOMP_RET_ALLOW)
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i)) // its lower half, on machines that put it first
/* The call is allowed if its argument has all of these bits; or none. */
#define ALLOW_IF(call, argument, bits, all)                                                                         \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(argument)), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, (all) ? 0 : 1, (all) ? 1 : 0),                                   \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static int stay_alone(void) {
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(write),
        ALLOW(futex),
        ALLOW(munmap),
        ALLOW(madvise),
        ALLOW(brk),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigaction),
        ALLOW(rt_sigreturn),
        ALLOW(sched_yield),
        ALLOW(clock_gettime),
        ALLOW(timer_create),
        ALLOW(timer_settime),
        ALLOW(timer_delete),
        ALLOW(gettid),
        ALLOW(getpid),
        ALLOW(exit),
        ALLOW(exit_group),
        ALLOW(close),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(lseek),
        ALLOW(pread64),
        ALLOW(mremap),
        ALLOW(set_robust_list),
        ALLOW(sched_getaffinity),
        ALLOW(sigaltstack),
        ALLOW(prlimit64),
        ALLOW(getrandom),
        ALLOW(readlinkat),
        ALLOW(clock_nanosleep),
        ALLOW(sysinfo),
        ALLOW(getcwd),
#ifdef __NR_rseq
        ALLOW(rseq),
#endif
#ifdef __NR_readlink
        ALLOW(readlink),
#endif
        ALLOW_IF(mmap, 2, PROT_EXEC, 0),
        ALLOW_IF(mprotect, 2, PROT_EXEC, 0),
        ALLOW_IF(openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0),
        ALLOW_IF(clone, 0, CLONE_THREAD, 1),
#ifdef __NR_clone3
        REFUSE(clone3, SECCOMP_RET_ERRNO | ENOSYS), // then the C library takes clone, whose flags can be seen
#endif
        REFUSE(execve, SECCOMP_RET_KILL_PROCESS),
        REFUSE(execveat, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

wl_status wl_sandbox_enter(int alone) {
    enum { PROCESSES = 64 };
    limit(RLIMIT_NPROC, PROCESSES);
    if (alone && !stay_alone()) return wl_fail(WL_NO_MACHINE, "seccomp: %s", strerror(errno));
    return WL_OK;
}

/* ---- the child ---- */

/* 0, or an errno. */
static int confine(const wl_sandbox *sandbox) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 64);
    limit(RLIMIT_FSIZE, (rlim_t)256 << 20);
    if (sandbox->user == 0) return 0;
    limit(RLIMIT_NPROC, 256); // for another user it would count all processes of that user
    return setgroups(0, NULL) != 0 || setgid(sandbox->user) != 0 || setuid(sandbox->user) != 0 ? errno : 0;
}

/* If it cannot start, the parent gets the reason, so that the program's own exit code is not mistaken for it. */
_Noreturn static void give_up(int broken, int why) {
    if (write(broken, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

_Noreturn static void become(char *const *words, const wl_sandbox *sandbox, const int *said, const int *not_begun) {
    setpgid(0, 0);
    /* The pipes' ends may already have the numbers that they need. */
    const int err = fcntl(said[1], F_DUPFD_CLOEXEC, 16), broken = fcntl(not_begun[1], F_DUPFD_CLOEXEC, 16),
              out = sandbox->results ? fcntl(sandbox->results, F_DUPFD_CLOEXEC, 16) : -1,
              in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(in, 0) < 0 || dup2(err, 1) < 0 || dup2(err, 2) < 0 || (out >= 0 && dup2(out, WL_SANDBOX_RESULTS) < 0))
        give_up(broken, errno);
    if (sandbox->folder != NULL && chdir(sandbox->folder) != 0) give_up(broken, errno);
    limit(RLIMIT_CPU, (rlim_t)(sandbox->seconds * 64) + 1); // of all threads; the clock ends it earlier
    if (sandbox->address_space) limit(RLIMIT_AS, sandbox->address_space);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("LC_ALL", "C", 1);
    const int why = sandbox->closed ? confine(sandbox) : 0;
    if (why) give_up(broken, why);
    if (sandbox->closed) words = bubblewrap(sandbox, words).items;
    execvp(words[0], words);
    give_up(broken, errno);
}

/* ---- the parent ---- */

/* What a process and all that it has started use. Processes whose parent has ended are children of the sandbox's first one. */
static size_t memory_of(long process, int depth) {
    enum { DEEPEST = 16 };
    char path[64];
    size_t pages = 0, resident = 0, sum;
    long child;
    snprintf(path, sizeof path, "/proc/%ld/statm", process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%zu %zu", &pages, &resident) != 2) resident = 0;
    fclose(file);
    sum = resident * (size_t)sysconf(_SC_PAGESIZE);
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", process, process);
    file = depth < DEEPEST ? fopen(path, "r") : NULL;
    while (file != NULL && fscanf(file, "%ld", &child) == 1) sum += memory_of(child, depth + 1);
    if (file != NULL) fclose(file);
    return sum;
}

/* Reads until the end is closed or the program must be ended. */
static void watch(pid_t child, const wl_sandbox *sandbox, int said, last_part *to, wl_sandbox_end *end) {
    const double start = wl_now();
    for (int is_open = 1; is_open && end->ended == NULL;) {
        struct pollfd pipe_end = {.fd = said, .events = POLLIN};
        char bytes[4096];
        if (poll(&pipe_end, 1, 50) < 0 && errno != EINTR) break;
        if (pipe_end.revents != 0) {
            const ssize_t count = read(said, bytes, sizeof bytes);
            if (count > 0)
                append(to, bytes, (size_t)count);
            else if (count == 0 || errno != EINTR)
                is_open = 0;
        }
        if (wl_now() - start > sandbox->seconds) end->ended = "it took too long";
        if (sandbox->memory > 0 && memory_of(child, 0) > sandbox->memory) end->ended = "it used too much memory";
    }
    /* It may have closed its end and still run. */
    for (siginfo_t info = {0}; end->ended == NULL; usleep(10000)) {
        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child) break;
        if (wl_now() - start > sandbox->seconds) end->ended = "it took too long";
    }
    end->seconds = wl_now() - start;
}

wl_status wl_sandbox_run(char *const *words, const wl_sandbox *sandbox, wl_sandbox_end *end) {
    int said[2], not_begun[2], status = 0, why = 0;
    *end = (wl_sandbox_end){0};
    if (pipe2(said, O_CLOEXEC) != 0 || pipe2(not_begun, O_CLOEXEC) != 0)
        return wl_fail(WL_NO_MACHINE, "no pipe: %s", strerror(errno));
    fflush(NULL); // so that the child does not write the content of our buffers
    const pid_t child = fork();
    if (child == 0) become(words, sandbox, said, not_begun);
    close(said[1]), close(not_begun[1]);
    last_part text = {.most = SAID_MOST};
    append(&text, "", 0);
    if (child > 0) {
        setpgid(child, child); // whoever comes first
        watch(child, sandbox, said[0], &text, end);
        kill(-child, SIGKILL); // with bwrap ends the first process of the sandbox, and with that all of them
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    const int began = read(not_begun[0], &why, sizeof why) <= 0;
    close(said[0]), close(not_begun[0]);
    end->said = text.text;
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    const char *program = sandbox->closed ? "bwrap" : words[0];
    if (child < 0) return wl_fail(WL_NO_MACHINE, "%s cannot be run: %s", program, strerror(errno));
    if (!began && sandbox->closed && why == ENOENT)
        return wl_fail(WL_NO_MACHINE, "bubblewrap (bwrap) is not installed");
    if (!began) return wl_fail(WL_NO_MACHINE, "%s cannot be run: %s", program, strerror(why));
    return WL_OK;
}

void wl_sandbox_end_free(wl_sandbox_end *end) {
    free(end->said);
    *end = (wl_sandbox_end){0};
}
