/* The address from which other machines get Warpladder. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "labs/lab.h"
#include "sim/toolchain/toolchain.h"

static void keep_line(void *to, char *line) {
    char **first = to;
    if (*first == NULL) *first = strdup(line);
}

/* The remote `origin` of the repository of which `folder` is the top, or else its first remote. NULL: there is none. The caller frees. */
static char *remote_of(const char *folder) {
    static const char script[] =
        "cd \"$1\" 2>/dev/null && prefix=$(git rev-parse --show-prefix 2>/dev/null) && [ -z \"$prefix\" ] && "
        "remotes=$(git remote) && [ -n \"$remotes\" ] && "
        "git remote get-url \"$(echo \"$remotes\" | grep -x origin || echo \"$remotes\" | head -n 1)\" >&2";
    wl_word_list words = {0};
    char *said = NULL;
    int code = 0;
    wl_words(&words, "sh", "-c", script, "sh", folder);
    const wl_status status = wl_run_command(words.items, keep_line, &said, &code);
    wl_words_free(&words);
    if (status == WL_OK && code == 0) return said;
    free(said);
    return NULL;
}

/* "git@host:owner/name" and "ssh://git@host/owner/name" as "https://host/owner/name", which needs no key, and no address with a name or
   password of the one who makes the lab. NULL: other machines cannot get there. The caller frees. */
static char *public_address(const char *remote) {
    char *address = NULL;
    const char *scheme = strstr(remote, "://"), *host = scheme ? scheme + 3 : remote;
    const char *slash = strchr(host, '/'), *at = strchr(host, '@'), *colon = strchr(host, ':');
    if (at && (slash == NULL || at < slash)) host = at + 1;
    if (scheme == NULL) {
        if (colon == NULL || colon < host || (slash && slash < colon)) return NULL; // a path of this machine
        return asprintf(&address, "https://%.*s/%s", (int)(colon - host), host, colon + 1) < 0 ? NULL : address;
    }
    const int is_ssh = strncmp(remote, "ssh://", 6) == 0,
              is_web = strncmp(remote, "http", 4) == 0 || strncmp(remote, "git:", 4) == 0;
    if (slash == NULL || (!is_ssh && !is_web)) return NULL;
    if (is_web) return asprintf(&address, "%.*s%s", (int)(scheme + 3 - remote), remote, host) < 0 ? NULL : address;
    const size_t name = strcspn(host, ":/"); // without ssh's port
    return asprintf(&address, "https://%.*s%s", (int)name, host, slash) < 0 ? NULL : address;
}

wl_status wl_lab_source(char **address) {
    char *remote = remote_of(WL_SOURCE_DIR);
    *address = remote ? public_address(remote) : NULL;
    const wl_status status = *address
                                 ? WL_OK
                                 : wl_fail(WL_BAD_USAGE,
                                           "found %s%s; without --source URL, the git repository from which other "
                                           "machines get Warpladder, there is no "
                                           "notebook, workflow or devcontainer",
                                           remote ? "a git remote that other machines cannot reach: " : "no git remote",
                                           remote ? remote : "");
    free(remote);
    return status;
}
