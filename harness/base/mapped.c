#include "harness/base/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/memory.h"

static wl_mapped *all; // mapped files, by a list
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

wl_status wl_mapped_open(const char *name, int file, wl_mapped **mapped) {
    struct stat found;
    wl_mapped *m = calloc(1, sizeof *m);
    *mapped = NULL;
    if (m) m->name = strdup(name);
    m = m && m->name ? m : (free(m), NULL);
    if (m == NULL) return wl_fail(WL_NO_MACHINE, "%s: no memory for its name", name);
    m->bytes = fstat(file, &found) == 0 && found.st_size > 0 ? (size_t)found.st_size : 0;
    m->memory = m->bytes > 0 ? mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (m->memory == MAP_FAILED) {
        const wl_status status =
            wl_fail(WL_NO_MACHINE, "%s: cannot map its %zu bytes: %s", name, m->bytes, strerror(errno));
        WL_FREE(m->name, m);
        return status;
    }
    m->device = found.st_dev;
    m->number = found.st_ino;
    pthread_mutex_lock(&lock);
    m->after = all;
    if (all) all->before = m;
    all = m;
    pthread_mutex_unlock(&lock);
    *mapped = m;
    return WL_OK;
}

void wl_mapped_close(wl_mapped *m) {
    if (m == NULL) return;
    pthread_mutex_lock(&lock);
    if (m->after) m->after->before = m->before;
    *(m->before ? &m->before->after : &all) = m->after;
    pthread_mutex_unlock(&lock);
    munmap(m->memory, m->bytes);
    WL_FREE(m->name, m);
}

wl_status wl_mapped_whole(void) {
    wl_status status = WL_OK;
    struct stat found;
    pthread_mutex_lock(&lock);
    for (const wl_mapped *m = all; m && status == WL_OK; m = m->after)
        if (stat(m->name, &found) == 0 && found.st_dev == m->device && found.st_ino == m->number &&
            (size_t)found.st_size < m->bytes)
            status = wl_fail(WL_BAD_INPUT, "%s: became shorter while it was read; expected a file that stays", m->name);
    pthread_mutex_unlock(&lock);
    return status;
}

/* --- Faults ------------------------------------------------------------------------------------------------------ */

static void (*before_end)(void);

/* All of this runs within a signal's handler, so it uses system calls only. */

/* A line of /proc/self/maps, "55e0-55f0 r--p 0 08:02 17 /path", cut off at the room's end. False: there is no more. */
static int next_line(int file, char *line, size_t room) {
    size_t used = 0;
    for (char c; read(file, &c, 1) == 1;) {
        if (c == '\n') {
            line[used] = 0;
            return 1;
        }
        if (used + 1 < room) line[used++] = c;
    }
    return 0;
}

static uintptr_t read_address(const char **at) {
    uintptr_t value = 0;
    for (; (**at >= '0' && **at <= '9') || (**at >= 'a' && **at <= 'f'); ++*at)
        value = value << 4 | (uintptr_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
    return value;
}

/* The path of the file that is mapped at `address`, in `line`; NULL: none is. */
static const char *file_at(uintptr_t address, char *line, size_t room) {
    const char *path = NULL;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (file >= 0 && path == NULL && next_line(file, line, room)) {
        const char *at = line;
        const uintptr_t first = read_address(&at);
        if (*at++ != '-' || address < first || address >= read_address(&at)) continue;
        path = strchr(at, '/');
        if (path == NULL || strncmp(path, "/dev/", 5) == 0) break;
    }
    if (file >= 0) close(file);
    return path && strncmp(path, "/dev/", 5) != 0 ? path : NULL;
}

static void say(const char *text, size_t length) {
    if (write(STDERR_FILENO, text, length) < 0) { // nobody is left to be told
    }
}

static void fault(int number, siginfo_t *info, void *context) {
    static const char name[] = "\nwarpladder: ",
                      why[] = ": became shorter while it was read, or its disk failed; expected a file that stays\n";
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    char line[4352];
    (void)context;
    const char *path = file_at((uintptr_t)info->si_addr, line, sizeof line);
    if (path == NULL) { // another fault: the instruction meets it again, and nobody handles it
        signal(number, SIG_DFL);
        return;
    }
    while (atomic_flag_test_and_set(&is_told)) pause(); // another thread is at it
    before_end();
    const size_t shown = isatty(STDERR_FILENO) ? 0 : 1; // on a terminal there may be a line of progress
    say(name + shown, sizeof name - 1 - shown);
    while (*path) {
        const size_t control = wl_control_length((const unsigned char *)path);
        say(control ? "?" : path, 1);
        path += control ? control : 1;
    }
    say(why, sizeof why - 1);
    _exit(WL_BAD_INPUT);
}

void wl_mapped_on_fault(void (*at_end)(void)) {
    struct sigaction action = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
    before_end = at_end;
    sigaction(SIGBUS, &action, NULL);
}
