#define _GNU_SOURCE /* asprintf */
#include "peeling/chain/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"

static wl_status open_file(const char *folder, const char *name, const char *ending, wl_outfile *file) {
    char *path;
    if (asprintf(&path, "%s/%s.%s", folder, name, ending) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a name");
    const wl_status status = wl_outfile_open_making(path, file);
    free(path);
    return status;
}

/* A file under its name, to be written to from byte `from` on. */
static wl_status grow_file(const char *folder, const char *name, const char *ending, int replaces, const uint64_t *from,
                           wl_outfile *file) {
    wl_status status = WL_OK;
    char *path;
    if (asprintf(&path, "%s/%s.%s", folder, name, ending) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a name");
    if (from == NULL && !replaces && access(path, F_OK) == 0)
        status =
            wl_fail(WL_BAD_USAGE, "%s: is there already; expected --overwrite, or --resume to go on with it", path);
    if (status == WL_OK && from == NULL) { /* an empty one, and its folders */
        status = wl_outfile_open_making(path, file);
        if (status == WL_OK) status = wl_outfile_commit(file);
    }
    *file = (wl_outfile){0};
    struct stat found;
    if (status == WL_OK && (file->stream = fopen(path, "r+")) == NULL)
        status = wl_fail(WL_BAD_USAGE, "%s: cannot be written: %s", path, strerror(errno));
    if (status == WL_OK && from != NULL &&
        (fstat(fileno(file->stream), &found) != 0 || (uint64_t)found.st_size < *from))
        status = wl_fail(WL_BAD_INPUT, "%s: is shorter than when the chain was saved; expected at least %llu bytes",
                         path, (unsigned long long)*from);
    if (status == WL_OK && from != NULL &&
        (ftruncate(fileno(file->stream), (off_t)*from) != 0 || fseeko(file->stream, (off_t)*from, SEEK_SET) != 0))
        status = wl_fail(WL_BAD_USAGE, "%s: cannot be cut to %llu bytes: %s", path, (unsigned long long)*from,
                         strerror(errno));
    if (status == WL_OK && (file->path = strdup(path)) == NULL) status = wl_fail(WL_NO_MACHINE, "no memory for a name");
    if (status != WL_OK && file->stream != NULL) {
        fclose(file->stream);
        file->stream = NULL;
    }
    free(path);
    return status;
}

/* NEXUS has more punctuation than Newick: DendroPy does not read a name with '=' or '\\' in it unless it is quoted. */
static void write_name(FILE *stream, const char *name) {
    if (strpbrk(name, "=\\/*`+<>") == NULL) {
        wl_newick_write_label(stream, name);
        return;
    }
    putc('\'', stream);
    for (; *name; name++) fputs(*name == '\'' ? "\'\'" : (char[]){*name, 0}, stream);
    putc('\'', stream);
}

static void write_heads(peeling_trace *trace, const char **names, const peeling_settings *settings) {
    char model[PEELING_NAME];
    fprintf(trace->log.stream, "# warpladder %s, model %s\n", WL_VERSION, peeling_model_name(settings, model));
    fputs("state\tposterior\tlikelihood\tprior\ttreeLength", trace->log.stream);
    for (int p = 0; p < PEELING_PARAMETERS; p++)
        if (peeling_has_parameter(settings, p)) fprintf(trace->log.stream, "\t%s", peeling_chain_parameters[p].name);
    putc('\n', trace->log.stream);
    fputs("#NEXUS\nbegin trees;\n\ttranslate\n", trace->trees.stream);
    for (uint32_t t = 0; t < trace->tips; t++) {
        fprintf(trace->trees.stream, "\t\t%u ", t + 1);
        if (names)
            write_name(trace->trees.stream, names[t]);
        else
            fprintf(trace->trees.stream, "taxon%u", t + 1);
        fputs(t + 1 < trace->tips ? ",\n" : ";\n", trace->trees.stream);
    }
}

/* In trees a tip is its number. One block of memory: pointers, then texts. */
static const char **make_numbers(uint32_t tips) {
    enum { DIGITS = 12 };
    const char **numbers = malloc(tips * (sizeof *numbers + DIGITS));
    if (!numbers) return NULL;
    char *text = (char *)(numbers + tips);
    for (uint32_t t = 0; t < tips; t++) {
        snprintf(text + (size_t)t * DIGITS, DIGITS, "%u", t + 1);
        numbers[t] = text + (size_t)t * DIGITS;
    }
    return numbers;
}

wl_status peeling_trace_open(const char *folder, const char *name, const char **names, uint32_t tips, uint64_t every,
                             const peeling_settings *settings, peeling_trace *trace) {
    *trace = (peeling_trace){.every = every, .tips = tips, .names = make_numbers(tips)};
    wl_status status = trace->names ? open_file(folder, name, "log", &trace->log)
                                    : wl_fail(WL_NO_MACHINE, "no memory for %u names", tips);
    if (status == WL_OK) status = open_file(folder, name, "trees", &trace->trees);
    if (status == WL_OK)
        write_heads(trace, names, settings);
    else
        peeling_trace_discard(trace);
    return status;
}

wl_status peeling_trace_grow(const char *folder, const char *name, const char **names, uint32_t tips, uint64_t every,
                             const peeling_settings *settings, int replaces, const uint64_t *from,
                             peeling_trace *trace) {
    *trace = (peeling_trace){.every = every, .tips = tips, .grows = 1, .names = make_numbers(tips)};
    wl_status status = trace->names ? grow_file(folder, name, "log", replaces, from, &trace->log)
                                    : wl_fail(WL_NO_MACHINE, "no memory for %u names", tips);
    if (status == WL_OK) status = grow_file(folder, name, "trees", replaces, from ? from + 1 : NULL, &trace->trees);
    if (status != WL_OK)
        peeling_trace_discard(trace);
    else if (from == NULL)
        write_heads(trace, names, settings);
    return status;
}

/* A full disk is noticed now and not after days; the commit of such a file says what is wrong. */
static wl_status look_at(peeling_trace *trace) {
    wl_outfile *failed = ferror(trace->log.stream) ? &trace->log : ferror(trace->trees.stream) ? &trace->trees : NULL;
    return failed ? wl_outfile_commit(failed) : WL_OK;
}

/* At most once a second: who watches sees no more, and a line of a fast chain costs less than writing it. */
static void show(peeling_trace *trace) {
    const double now = wl_now();
    if (!trace->grows || now - trace->shown < 1) return;
    fflush(trace->log.stream);
    fflush(trace->trees.stream);
    trace->shown = now;
}

wl_status peeling_trace_sync(peeling_trace *trace, uint64_t bytes[2]) {
    wl_outfile *const files[] = {&trace->log, &trace->trees};
    for (int i = 0; i < 2; i++) {
        if (fflush(files[i]->stream) != 0) return wl_outfile_commit(files[i]);
        fsync(fileno(files[i]->stream));
        bytes[i] = (uint64_t)ftello(files[i]->stream);
    }
    return WL_OK;
}

wl_status peeling_trace_note(peeling_trace *trace, const peeling_chain *chain) {
    const peeling_chain_now *now = peeling_chain_here(chain);
    if (now->step % trace->every != 0) return WL_OK;
    peeling_tree tree;
    WL_TRY(peeling_chain_tree(chain, 0, &tree));
    fprintf(trace->log.stream, "%llu\t%.10g\t%.10g\t%.10g\t%.8g", (unsigned long long)now->step,
            now->log_likelihood + now->log_prior, now->log_likelihood, now->log_prior, peeling_chain_length(chain));
    for (int p = 0; p < PEELING_PARAMETERS; p++)
        if (peeling_has_parameter(&now->settings, p))
            fprintf(trace->log.stream, "\t%.8g", peeling_parameter_shown(&now->settings, p));
    putc('\n', trace->log.stream);
    fprintf(trace->trees.stream, "tree STATE_%llu [&lnP=%.10g] = [&U] ", (unsigned long long)now->step,
            now->log_likelihood + now->log_prior);
    peeling_tree_write(trace->trees.stream, &tree, trace->names);
    peeling_tree_free(&tree);
    show(trace);
    return look_at(trace);
}

wl_status peeling_trace_close(peeling_trace *trace) {
    fputs("end;\n", trace->trees.stream);
    wl_status status = wl_outfile_commit(&trace->log);
    if (status == WL_OK) status = wl_outfile_commit(&trace->trees);
    peeling_trace_discard(trace);
    return status;
}

void peeling_trace_discard(peeling_trace *trace) {
    wl_outfile_discard(&trace->log);
    wl_outfile_discard(&trace->trees);
    free(trace->names);
    *trace = (peeling_trace){0};
}
