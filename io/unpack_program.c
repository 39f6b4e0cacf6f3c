#define _GNU_SOURCE // pipe2, environ
#include "io/unpack_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The marks of bzip2's first block, after the block size, a digit, are looked at too: a table may well begin with "BZh". */
static const char bzip2_begin[] = "BZh", bzip2_block[] = "1AY&SY";

const char *wl_packed_by(const unsigned char *first, size_t count) {
    if (count >= 6 && memcmp(first, "\xFD\x37zXZ\0", 6) == 0) return "xz";
    if (count >= 4 && memcmp(first, "\x28\xB5\x2F\xFD", 4) == 0) return "zstd";
    if (count >= WL_PACKED_LOOK && memcmp(first, bzip2_begin, 3) == 0 && memcmp(first + 4, bzip2_block, 6) == 0)
        return "bzip2";
    return NULL;
}

int wl_may_be_packed_by(unsigned char first) { return first == 0xFD || first == 0x28 || first == 'B'; }

static int write_all(int to, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        const ssize_t wrote = write(to, bytes, count);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return 0;
        bytes += wrote;
        count -= (size_t)wrote;
    }
    return 1;
}

/* What has been read of a pipe cannot be put back, so a child hands it on, and then the rest. This process may have threads, so the child
   makes nothing but system calls. It keeps one end alone of the pipes to and from the program. If
   the program ends early, so does the child, and nobody waits for either. */
static pid_t feed(const unsigned char *first, size_t count, int from, const int to[2], const int output[2]) {
    const pid_t child = fork();
    if (child != 0) return child;
    unsigned char bytes[4096];
    close(to[0]);
    close(output[0]);
    close(output[1]);
    ssize_t got = 0;
    signal(SIGPIPE, SIG_DFL);
    int going = write_all(to[1], first, count);
    while (going && ((got = read(from, bytes, sizeof bytes)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) going = write_all(to[1], bytes, (size_t)got);
    _exit(0);
}

/* The error number; 0: it runs. It says nothing: what it would say is known by its exit code. */
static int spawn(const char *program, int input, int output, pid_t *child) {
    char name[16], option[] = "-dc", *words[] = {name, option, NULL};
    posix_spawn_file_actions_t streams;
    posix_spawnattr_t how;
    sigset_t pipe_signal;
    snprintf(name, sizeof name, "%s", program);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    int error = posix_spawn_file_actions_init(&streams);
    if (error != 0) return error;
    error = posix_spawnattr_init(&how);
    if (error == 0) {
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigdefault(&how, &pipe_signal);
        posix_spawn_file_actions_adddup2(&streams, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        error = posix_spawnp(child, program, &streams, &how, words, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&streams);
    return error;
}

/* What the program is to read: the file from where it was, or a pipe that a child fills. -1: neither can be had. */
static int input_of(const unsigned char *first, size_t count, int file, const int output[2],
                    wl_unpack_program *started) {
    int ends[2];
    if (lseek(file, -(off_t)count, SEEK_CUR) >= 0) return fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    started->feeder = feed(first, count, file, ends, output);
    close(ends[1]);
    return ends[0];
}

wl_status wl_unpack_program_start(const char *name, const char *program, const unsigned char *first, size_t count,
                                  int *file, wl_unpack_program *started) {
    int output[2], input;
    *started = (wl_unpack_program){0};
    if (pipe2(output, O_CLOEXEC) != 0)
        return wl_fail(WL_NO_MACHINE, "%s: cannot make a pipe for %s: %s", name, program, strerror(errno));
    input = input_of(first, count, *file, output, started);
    const int error = input < 0 ? errno : spawn(program, input, output[1], &started->child);
    if (input >= 0) close(input);
    close(output[1]);
    if (error != 0) {
        close(output[0]);
        started->child = 0;
        wl_unpack_program_end(started);
        return wl_fail(WL_BAD_INPUT,
                       "%s: found %s data, and the program %s cannot be started: %s; expected it to be installed, or "
                       "plain or gzip data",
                       name, program, program, strerror(error));
    }
    started->program = program;
    close(*file);
    *file = output[0];
    return WL_OK;
}

wl_status wl_unpack_program_check(const char *name, wl_unpack_program *started) {
    int result = 0;
    while (started->child > 0 && waitpid(started->child, &result, 0) < 0 && errno == EINTR) continue;
    started->child = 0;
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: the %s data are damaged or truncated ('%s -dc' failed); expected an intact file",
                   name, started->program, started->program);
}

void wl_unpack_program_end(wl_unpack_program *started) {
    const pid_t children[] = {started->feeder, started->child};
    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        if (children[i] <= 0) continue;
        kill(children[i], SIGKILL); // nobody wants the rest
        while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR) continue;
    }
    *started = (wl_unpack_program){0};
}
