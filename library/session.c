/* Sessions: where work is done, and what is kept between calls. */
#include "library/session.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

LIBRARY_API const char *warpladder_version(void) { return WL_VERSION; }

/* The harness speaks of an option where this library has an argument. */
static void keep_error(warpladder *session) {
    static const char option[] = "option --";
    const char *line = wl_error();
    if (strncmp(line, option, sizeof option - 1) == 0) line += sizeof option - 1;
    snprintf(session->error, sizeof session->error, "%s", line);
}

/* --- Calls ------------------------------------------------------------------------------------------------------- */

static void enter(warpladder *session) {
    session->error[0] = 0;
    free(session->notes);
    session->notes = NULL;
    session->noting = NULL;
    session->outside = uselocale(session->numbers);
    session->outside_threads = omp_get_max_threads();
}

wl_status library_begin(warpladder *session) {
    if (session == NULL || !session->is_open) return WL_BAD_USAGE;
    enter(session);
    if (session->threads > 0) omp_set_num_threads(session->threads);
    session->noting = open_memstream(&session->notes, &session->notes_length);
    return WL_OK;
}

warpladder_status library_end(warpladder *session, wl_status status) {
    if (status != WL_OK) keep_error(session);
    if (session->noting) fclose(session->noting);
    session->noting = NULL;
    omp_set_num_threads(session->outside_threads);
    uselocale(session->outside);
    return (warpladder_status)status;
}

wl_status library_options(const void *given, void *defaults) {
    size_t size, most;
    if (given == NULL) return WL_OK;
    memcpy(&size, given, sizeof size);
    memcpy(&most, defaults, sizeof most);
    if (size < sizeof size || size > most)
        return wl_fail(WL_BAD_USAGE,
                       "options: found a size of %zu bytes; expected %zu, which the header's initialiser sets", size,
                       most);
    memcpy(defaults, given, size);
    return WL_OK;
}

/* --- Sessions ---------------------------------------------------------------------------------------------------- */

static wl_status select_devices(warpladder *session, const char *device) {
    if (device == NULL) device = "auto";
    if (strcmp(device, "sim") == 0)
        return wl_fail(WL_BAD_USAGE,
                       "device: found 'sim'; expected auto, cpu, gpu or gpu:0,1, since the library has no "
                       "simulated device");
    return wl_devices_of_tool(device, &session->devices);
}

LIBRARY_API warpladder_status warpladder_open(const char *device, warpladder **opened) {
    warpladder *session = calloc(1, sizeof *session);
    *opened = session;
    if (session == NULL) return WARPLADDER_NO_MACHINE;
    session->numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    enter(session);
    const wl_status status = select_devices(session, device);
    session->is_open = status == WL_OK;
    return library_end(session, status);
}

LIBRARY_API void warpladder_close(warpladder *session) {
    if (session == NULL) return;
    for (size_t d = 0; session->is_open && d < session->devices.count; d++) wl_device_trim(&session->devices.items[d]);
    if (session->numbers) freelocale(session->numbers);
    free(session->notes);
    free(session);
}

LIBRARY_API const char *warpladder_error(const warpladder *session) {
    return session ? session->error : "there is no session";
}

LIBRARY_API const char *warpladder_notes(const warpladder *session) {
    return session && session->notes ? session->notes : "";
}

LIBRARY_API const char *warpladder_device_name(const warpladder *session) {
    return session && session->is_open ? session->devices.items[0].name : "";
}

static void use_threads(warpladder *session, int threads) {
    wl_device *first = &session->devices.items[0];
    session->threads = threads;
    if (first->backend == WL_CPU) first->multiprocessors = threads > 0 ? threads : session->outside_threads;
}

LIBRARY_API warpladder_status warpladder_set_threads(warpladder *session, int threads) {
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    wl_status status = WL_OK;
    if (threads < 0)
        status = wl_fail(WL_BAD_USAGE, "threads: found %d; expected 0 or more", threads);
    else
        use_threads(session, threads);
    return library_end(session, status);
}

LIBRARY_API warpladder_status warpladder_set_memory(warpladder *session, size_t bytes) {
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    session->memory = bytes;
    return library_end(session, WL_OK);
}
