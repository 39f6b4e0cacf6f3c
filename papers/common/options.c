/* The options of all papers' reproductions, together. */
#include <stdlib.h>
#include <string.h>

#include "papers/common/reproduce.h"

static int takes(const wl_reproduction *paper, const char *option) {
    for (const wl_option *o = paper->options; o != NULL && o->name != NULL; o++)
        if (strcmp(o->name, option) == 0) return 1;
    return 0;
}

/* "alachiotis2012, suchard2009": the papers that take an option. The caller frees it. */
static char *takers(const char *option) {
    char *names = NULL;
    size_t size;
    FILE *stream = open_memstream(&names, &size);
    if (stream == NULL) return NULL;
    int count = 0;
    for (const wl_reproduction *p = wl_reproductions(); p != NULL; p = p->next)
        if (takes(p, option)) fprintf(stream, "%s%s", count++ > 0 ? ", " : "", p->name);
    fclose(stream);
    return names;
}

const wl_option *wl_reproduction_options(void) {
    static wl_option *options;
    size_t most = 0, count = 0;
    if (options != NULL) return options;
    for (const wl_reproduction *p = wl_reproductions(); p != NULL; p = p->next)
        for (const wl_option *o = p->options; o != NULL && o->name != NULL; o++) most++;
    options = calloc(most + 1, sizeof *options);
    for (const wl_reproduction *p = wl_reproductions(); options != NULL && p != NULL; p = p->next)
        for (const wl_option *o = p->options; o != NULL && o->name != NULL; o++) {
            size_t known = 0;
            while (known < count && strcmp(options[known].name, o->name) != 0) known++;
            if (known < count) continue;
            char *names = takers(o->name), *help = NULL;
            options[count] = *o;
            if (names != NULL && asprintf(&help, "%s (%s)", o->help, names) >= 0) options[count++].help = help;
            free(names);
        }
    return options;
}

wl_status wl_reproduction_refuse(const wl_reproduction *which, const wl_arguments *own) {
    for (size_t i = 0; i < own->count; i++) {
        const char *option = own->options[i].name;
        if (!wl_argument_given(own, option) || takes(which, option)) continue;
        const wl_reproduction *other = wl_reproductions();
        while (!takes(other, option)) other = other->next;
        return wl_fail(WL_BAD_USAGE, "option --%s: found with %s; expected with %s", option, which->name, other->name);
    }
    return WL_OK;
}
