/* warpladder beagle: starts a client of BEAGLE, such as MrBayes or BEAST, with this suite's library in BEAGLE's place. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beagle/interface.h"
#include "cli/commands.h"
#include "harness/base/text.h"
#include "sim/toolchain/toolchain.h"
#include "harness/base/memory.h"

static const char LIBRARY[] = "beagle/libhmsbeagle.so.1";

static const wl_option options[] = {
    {"threads", "N", NULL, "threads the library may use (default: all processors)"},
    {"installed", "FILE", NULL,
     "BEAGLE's own library, for what it does faster and for what this one refuses; or "
     "'none' (default: the installed one, if there is one)"},
    {"verbose", NULL, NULL, "print a line for each request that is refused or handed on"},
    {NULL, NULL, NULL, NULL}};

/* `path` before what the variable has. */
static int put_first(const char *variable, const char *path) {
    const char *old = getenv(variable);
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", path, old && *old ? ":" : "", old ? old : "") < 0) return 0;
    const int done = setenv(variable, text, 1) == 0;
    free(text);
    return done;
}

/* What the library runs on. */
static wl_status list(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    BeagleResourceList *(*resources)(void) = NULL;
    if (library != NULL) *(void **)&resources = dlsym(library, "beagleGetResourceList");
    if (resources == NULL) return wl_fail(WL_NO_MACHINE, "%s: %s", path, dlerror());
    wl_print(stdout, "library  %s\n", path);
    const BeagleResourceList *found = resources();
    for (int i = 0; i < found->length; i++)
        wl_print(stdout, "resource %d  %s: %s\n", i, found->list[i].name, found->list[i].description);
    dlclose(library);
    return WL_OK;
}

/* Returns only where the client cannot be started. LD_PRELOAD is for clients that name their own folder of libraries (conda's). Blanks
   separate its paths, so a path with one gives way to its last part, which LD_LIBRARY_PATH finds. */
static wl_status start(const wl_args *args, const char *folder, const char *path) {
    static const struct {
        const char *option, *variable;
    } passed[] = {{"threads", "OMP_NUM_THREADS"},
                  {"installed", "WARPLADDER_BEAGLE_INSTALLED"},
                  {"verbose", "WARPLADDER_BEAGLE_VERBOSE"}};
    const char *installed = wl_argument_given(&args->own, "installed") ? wl_argument(&args->own, "installed") : "none";
    if (strcmp(installed, "none") != 0 && access(installed, R_OK) != 0)
        return wl_fail(WL_BAD_USAGE, "option --installed: %s: %s; expected BEAGLE's libhmsbeagle.so.1, or none",
                       wl_path_shown(installed), strerror(errno));
    if (strpbrk(folder, ":;"))
        return wl_fail(WL_NO_MACHINE,
                       "%s: a ':' or ';' in its path keeps this library from clients; install it elsewhere", path);
    int done = put_first("LD_LIBRARY_PATH", folder) &&
               put_first("LD_PRELOAD", strpbrk(path, " \t\n") ? strrchr(path, '/') + 1 : path);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (done && wl_argument_given(&args->own, passed[i].option))
            done = setenv(passed[i].variable, wl_argument(&args->own, passed[i].option), 1) == 0;
    if (!done) return wl_fail(WL_NO_MACHINE, "not enough memory for the client's environment");
    execvp(args->words[0], (char *const *)args->words);
    return wl_fail(errno == ENOENT ? WL_BAD_USAGE : WL_NO_MACHINE,
                   "%s: %s; expected a client of BEAGLE, such as mb or beast-mcmc", args->words[0], strerror(errno));
}

static wl_status run(const wl_args *args) {
    char *tools = NULL, *folder = NULL, *path = NULL;
    int64_t threads;
    for (const wl_option *o = options; o->name; o++)
        if (args->count == 0 && wl_argument_given(&args->own, o->name))
            return wl_fail(WL_BAD_USAGE, "option --%s: found without a client that it is for; expected -- CLIENT",
                           o->name);
    if (wl_argument_given(&args->own, "threads"))
        WL_TRY(wl_argument_integer(&args->own, "threads", 1, INT32_MAX, &threads));
    WL_TRY(wl_tools_find(LIBRARY, &tools));
    wl_status status = WL_OK;
    if (asprintf(&folder, "%s/beagle", tools) < 0 || asprintf(&path, "%s/%s", tools, LIBRARY) < 0)
        status = wl_fail(WL_NO_MACHINE, "not enough memory for a path");
    if (status == WL_OK) status = args->count == 0 ? list(path) : start(args, folder, path);
    WL_FREE(tools, folder, path);
    return status;
}

static const wl_command command_beagle = {
    .name = "beagle",
    .brief = "start MrBayes, BEAST or another client of BEAGLE on these kernels",
    .arguments = "[-- CLIENT [ARGUMENT...]]",
    .summary =
        "Start a client of the BEAGLE library with this suite's library in its place: the client's results are the "
        "same, and it ends earlier. Without a client, print where the library is and what it runs on.",
    .example = "warpladder beagle -- mb primates.nex\n"
               "  warpladder beagle --threads 4 -- beast-mcmc -beagle_CPU data.xml",
    .options = options,
    .most = WL_WORDS_MOST - 1,
    .run = run,
};

WL_REGISTER_COMMAND(command_beagle)
