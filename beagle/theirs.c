/* Where BEAGLE's own library is. It bears this library's name, so that the dynamic linker would find this one: it is looked for by path,
   in the folders where the client would find it. */
#include "beagle/theirs.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beagle/instance.h"

/* It calls functions of its own interface: RTLD_DEEPBIND, or it would get ours. Sanitizers refuse that, and need no such thing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MODE = RTLD_NOW | RTLD_LOCAL };
#else
enum { MODE = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };
#endif

static bg_theirs found;
static int is_found;

/* Takes `path`, which becomes this function's, if it is BEAGLE's own library. */
static int take(char *path) {
    bg_theirs theirs = {.path = path};
    void *library = path != NULL ? dlopen(path, MODE) : NULL;
    const char *(*citation)(void) = NULL, *(*version)(void) = NULL;
    if (library != NULL) {
        *(void **)&citation = dlsym(library, "beagleGetCitation");
        *(void **)&version = dlsym(library, "beagleGetVersion");
    }
    int is = citation != NULL && version != NULL && strstr(citation(), "Warpladder") == NULL;
#define FIND(name) *(void **)&theirs.name = is ? dlsym(library, "beagle" #name) : NULL;
#define REQUIRE(name) is = is && theirs.name != NULL;
    BG_CALLS(FIND)
    BG_CALLS_OF_4(FIND)
    BG_CALLS(REQUIRE)
    if (!is) {
        if (library != NULL) dlclose(library);
        free(path);
        return 0;
    }
    theirs.version = version();
    found = theirs;
    return is_found = 1;
}

static int take_from(const char *folder, int length, const char *below) {
    char *path = NULL;
    if (asprintf(&path, "%.*s%s/libhmsbeagle.so.1", length, folder, below) < 0) return 0;
    return access(path, R_OK) == 0 ? take(path) : (free(path), 0);
}

/* In the folder of `path`, a file. */
static int take_beside(const char *path, const char *below) {
    const char *end = strrchr(path, '/');
    return end != NULL && take_from(path, (int)(end - path), below);
}

static void look(void) {
    const char *named = getenv("WARPLADDER_BEAGLE_INSTALLED"), *folders = getenv("LD_LIBRARY_PATH");
    if (named != NULL && *named != '\0') {
        if (strcmp(named, "none") != 0 && !take(strdup(named)))
            bg_tell("%s: found no library of BEAGLE's at WARPLADDER_BEAGLE_INSTALLED", named);
        return;
    }
    while (folders != NULL && *folders != '\0') {
        const int length = (int)strcspn(folders, ":");
        if (length > 0 && take_from(folders, length, "")) return;
        folders += folders[length] == ':' ? length + 1 : length;
    }
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1); // conda's clients lie in bin/
    program[length < 0 ? 0 : length] = '\0';
    if (take_beside(program, "/../lib") || take_from("/usr/local/lib", INT_MAX, "")) return;
    Dl_info libc; // its folder is the system's
    if (dladdr((void *)(uintptr_t)getenv, &libc) != 0 && libc.dli_fname != NULL && take_beside(libc.dli_fname, ""))
        return;
    (void)(take_from("/usr/lib64", INT_MAX, "") || take_from("/usr/lib", INT_MAX, ""));
}

const bg_theirs *bg_find_theirs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return is_found ? &found : NULL;
}
