#include "harness/base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/folder.h"
#include "harness/base/mapped.h"

/* The user's mistake, or the machine's shortcoming? */
static wl_status fail_errno(const char *path, const char *what, int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
        case EIO:
        case ENOMEM:
        case EMFILE:
        case ENFILE:
        case EPIPE:
            return wl_fail(WL_NO_MACHINE, "%s: %s: %s", path, what, strerror(error));
        default:
            return wl_fail(WL_BAD_USAGE, "%s: %s: %s; expected a path that can be written", path, what,
                           strerror(error));
    }
}

/* --- Temporary files that a signal must take along --- */

/* Fixed memory: the handler may run while another thread frees what it has. */
static struct {
    atomic_int state; // 0 free, 1 being written, 2 a file's
    char path[4096];
} temporaries[8];
enum { TEMPORARIES = sizeof temporaries / sizeof *temporaries };

static void remember(const char *path) {
    for (int i = 0; i < TEMPORARIES && strlen(path) < sizeof temporaries->path; i++) {
        int empty = 0;
        if (!atomic_compare_exchange_strong(&temporaries[i].state, &empty, 1)) continue;
        strcpy(temporaries[i].path, path);
        atomic_store(&temporaries[i].state, 2);
        return;
    }
}

static void forget(const char *path) {
    for (int i = 0; i < TEMPORARIES; i++)
        if (atomic_load(&temporaries[i].state) == 2 && strcmp(temporaries[i].path, path) == 0)
            atomic_store(&temporaries[i].state, 0);
}

static volatile sig_atomic_t quietly;

static void remove_temporaries(void) {
    for (int i = 0; i < TEMPORARIES; i++)
        if (atomic_load(&temporaries[i].state) == 2) unlink(temporaries[i].path);
}

static void remove_and_die(int number) {
    remove_temporaries();
    /* On a terminal there may be a line of progress, and there is "^C". */
    static const char line[] = "\nwarpladder: interrupted\n";
    int shown = isatty(STDERR_FILENO) ? 0 : 1;
    if (number == SIGPIPE || quietly) { // a reader such as `head` has all that it wanted
    } else if (write(STDERR_FILENO, line + shown, sizeof line - 1 - shown) < 0) { // nobody is left to be told
    }
    signal(number, SIG_DFL);
    raise(number); // arrives when this returns
}

void wl_outfile_on_signals_quietly(void) {
    wl_outfile_on_signals();
    quietly = 1;
}

void wl_outfile_on_signals(void) {
    static const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before, action = {.sa_handler = remove_and_die};
        sigaction(numbers[i], NULL, &before);
        if (before.sa_handler == SIG_DFL) sigaction(numbers[i], &action, NULL); // nohup's SIG_IGN stays
    }
    wl_mapped_on_fault(remove_temporaries);
    signal(SIGXFSZ, SIG_IGN); // a write beyond `ulimit -f` fails instead, as on a full disk
}

/* --- Opening --- */

/* The open file that a name like /dev/stdout stands for, -1 for other names. Opening such a name a second time would
   start at offset 0, over what has been written there. */
static int own_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], length) != 0 || path[length] < '0' || path[length] > '9') continue;
        long number = strtol(path + length, &end, 10);
        if (*end == 0 && number <= 1 << 20) return (int)number;
    }
    return -1;
}

/* The folder part of `path` with its '/', "" for none; the caller frees it. NULL when memory is short. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = malloc(length + 1);
    if (folder == NULL) return NULL;
    memcpy(folder, path, length);
    folder[length] = 0;
    return folder;
}

static int makes_folders = 1;

void wl_outfile_make_folders(int makes) { makes_folders = makes; }

/* WL_BAD_USAGE with the first folder that is not there. */
static wl_status require_folders(const char *path, char *folder) {
    struct stat found;
    for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (slash == folder) continue;
        *slash = 0;
        const int missing = stat(folder, &found) != 0 && errno == ENOENT;
        wl_status status = WL_OK;
        if (missing)
            status = wl_fail(WL_BAD_USAGE, "%s: found no folder %s; expected one, or --make-folders to make it", path,
                             folder);
        *slash = '/';
        WL_TRY(status);
    }
    return WL_OK;
}

/* --- What killed processes have left --- */

/* Each process locks its temporary files until they have their final names, and its end, whatever it is, unlocks them. So one that can be
   locked has no owner. A process's number would say less: another container has the same ones. */
static const char lead[] = ".warpladder-", trail[] = ".tmp";

static int is_temporary(const char *name) {
    const size_t length = strlen(name);
    return length > sizeof lead + sizeof trail - 2 && strncmp(name, lead, sizeof lead - 1) == 0 &&
           strcmp(name + length - (sizeof trail - 1), trail) == 0;
}

static void remove_orphans(const char *folder) {
    DIR *entries = opendir(*folder ? folder : ".");
    if (entries == NULL) return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        struct stat found;
        if (!is_temporary(entry->d_name)) continue;
        const int file = openat(dirfd(entries), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0) continue;
        if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
        close(file);
    }
    closedir(entries);
}

/* False where another process has found the new file without a lock and removes it. */
static int lock(int descriptor) {
    struct stat found;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK; // no locks here: nobody removes it
    return fstat(descriptor, &found) != 0 || found.st_nlink > 0;
}

static wl_status open_directly(const char *path, wl_outfile *file) {
    int own = own_descriptor(path), descriptor;
    if (own >= 0) {
        fflush(own == STDERR_FILENO ? stderr : stdout); // what was printed before stays before
        descriptor = fcntl(own, F_DUPFD_CLOEXEC, 0);
    } else {
        descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    }
    file->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file->stream) return WL_OK;
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    return fail_errno(path, "cannot write", error);
}

/* A file that did not exist before, beside the target: rename works within one file system only. */
static wl_status open_temporary(wl_outfile *file, const struct stat *old, int makes) {
    static atomic_uint counter;
    char *folder = folder_of(file->path);
    size_t size = folder ? strlen(folder) + 64 : 0;
    file->temporary = malloc(size ? size : 1);
    if (folder == NULL || file->temporary == NULL) {
        free(folder);
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory to write it", file->path);
    }
    const wl_status status = makes ? WL_OK : require_folders(file->path, folder);
    if (status != WL_OK) {
        free(folder);
        free(file->temporary); // there is no such file
        file->temporary = NULL;
        return status;
    }
    int error = makes ? wl_make_folders(folder) : 0, descriptor = -1;
    if (error == 0) {
        remove_orphans(folder);
        do { // another process in another container may have this one's number
            if (descriptor >= 0) close(descriptor);
            snprintf(file->temporary, size, "%s%s%ld-%u%s", folder, lead, (long)getpid(), atomic_fetch_add(&counter, 1),
                     trail);
            descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        } while (descriptor < 0 ? errno == EEXIST : !lock(descriptor));
        error = descriptor < 0 ? errno : 0;
    }
    free(folder);
    if (error == 0 && old) fchmod(descriptor, old->st_mode & 0777); // else what the umask leaves
    if (error == 0 && (file->stream = fdopen(descriptor, "w")) == NULL) {
        error = errno;
        close(descriptor);
        unlink(file->temporary);
    }
    if (error == 0) {
        remember(file->temporary);
        return WL_OK;
    }
    free(file->temporary); // there is no such file
    file->temporary = NULL;
    return fail_errno(file->path, "cannot create", error);
}

static wl_status open_file(const char *path, int makes, wl_outfile *file) {
    *file = (wl_outfile){0};
    if (*path == 0) return wl_fail(WL_BAD_USAGE, "the name of the output file is empty; expected a path");
    struct stat found;
    int exists = stat(path, &found) == 0;
    if (own_descriptor(path) < 0 && exists && S_ISDIR(found.st_mode))
        return wl_fail(WL_BAD_USAGE, "%s: is a directory; expected the path of a file", path);
    if (path[strlen(path) - 1] == '/')
        return wl_fail(WL_BAD_USAGE, "%s: names a directory; expected the path of a file", path);
    int direct = own_descriptor(path) >= 0 || strncmp(path, "/proc/", 6) == 0 || (exists && !S_ISREG(found.st_mode));
    /* Where links lead, so that the temporary is beside the file and not beside the link. */
    file->path = exists && !direct ? realpath(path, NULL) : strdup(path);
    if (file->path == NULL) return fail_errno(path, "cannot write", errno);
    struct stat link;
    wl_status status;
    if (!exists && !direct && lstat(path, &link) == 0)
        status = wl_fail(WL_BAD_USAGE, "%s: is a symbolic link that leads nowhere; expected a path that can be written",
                         path);
    else if (exists && access(path, W_OK) != 0 && own_descriptor(path) < 0)
        status = fail_errno(path, "cannot write", errno); // rename would replace a write-protected file
    else
        status = direct ? open_directly(path, file) : open_temporary(file, exists ? &found : NULL, makes);
    if (status != WL_OK) wl_outfile_discard(file);
    return status;
}

wl_status wl_outfile_open(const char *path, wl_outfile *file) { return open_file(path, makes_folders, file); }

wl_status wl_outfile_open_making(const char *path, wl_outfile *file) { return open_file(path, 1, file); }

int wl_write_error(FILE *stream) {
    int failed_before = ferror(stream);
    errno = 0;
    if (fflush(stream) != 0 && errno != 0) return errno;
    if (!failed_before && !ferror(stream)) return 0;
    /* stdio has forgotten why; another write meets the same obstacle. */
    if (write(fileno(stream), "\n", 1) < 0) return errno;
    return EIO;
}

/* A rename lasts once its folder is on the disk. Not all file systems can do that; the file is whole either way. */
static void sync_folder(const char *path) {
    char *folder = folder_of(path);
    if (folder == NULL) return;
    int descriptor = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

void wl_outfile_begin_sync(FILE *stream) {
#ifdef __linux__
    sync_file_range(fileno(stream), 0, 0, SYNC_FILE_RANGE_WRITE); // a hint: where it fails, commit waits longer
#else
    (void)stream;
#endif
}

wl_status wl_outfile_commit(wl_outfile *file) {
    const wl_status whole = wl_mapped_whole(); // else what was written need not be right
    if (whole != WL_OK) wl_outfile_discard(file);
    if (file->stream == NULL) return whole;
    int error = wl_write_error(file->stream);
    if (error == 0 && file->temporary && fsync(fileno(file->stream)) != 0) error = errno;
    /* The lock holds until the file has its final name. */
    const int locked = file->temporary ? fcntl(fileno(file->stream), F_DUPFD_CLOEXEC, 0) : -1;
    if (fclose(file->stream) != 0 && error == 0) error = errno;
    file->stream = NULL;
    wl_status status = WL_OK;
    if (error != 0) {
        status = fail_errno(file->path, "cannot write", error);
    } else if (file->temporary) {
        if (rename(file->temporary, file->path) != 0) {
            status = fail_errno(file->path, "cannot rename the finished file to this", errno);
        } else {
            forget(file->temporary);
            free(file->temporary);
            file->temporary = NULL;
            sync_folder(file->path);
        }
    }
    wl_outfile_discard(file);
    if (locked >= 0) close(locked);
    return status;
}

void wl_outfile_discard(wl_outfile *file) {
    if (file->stream) fclose(file->stream);
    if (file->temporary) {
        unlink(file->temporary);
        forget(file->temporary);
    }
    free(file->temporary);
    free(file->path);
    *file = (wl_outfile){0};
}

wl_status wl_refuse_same_file(const char *from, const char *to) {
    struct stat a, b;
    int known = strcmp(from, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(from, &a);
    if (known != 0 || stat(to, &b) != 0 || !S_ISREG(a.st_mode)) return WL_OK;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "%s: is a file that is read; expected another path for the output", to);
}
