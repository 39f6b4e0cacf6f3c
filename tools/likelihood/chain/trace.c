#include "tools/likelihood/chain/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/hash.h"

static wl_status open_file(const char *folder, const char *name, const char *ending, wl_outfile *file) {
    char *path;
    if (asprintf(&path, "%s/%s.%s", folder, name, ending) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a name");
    const wl_status status = wl_outfile_open_making(path, file);
    free(path);
    return status;
}

/* --- Files that grow --------------------------------------------------------------------------------------------- */

/* `hash` of what stands before byte `from` becomes that of what stands before byte `to`. False: the file cannot be read. */
static int hash_file(FILE *stream, uint64_t from, uint64_t to, uint64_t *hash) {
    unsigned char block[1 << 13];
    while (from < to) {
        const size_t wanted = to - from < sizeof block ? (size_t)(to - from) : sizeof block;
        const ssize_t found = pread(fileno(stream), block, wanted, (off_t)from);
        if (found < 0 && errno == EINTR) continue;
        if (found <= 0) return 0;
        *hash = wl_hash_more(*hash, block, (size_t)found);
        from += (uint64_t)found;
    }
    return 1;
}

/* An open file that is this process's alone until it ends. Where the file system has no locks, nothing is refused. */
static wl_status open_locked(const char *path, FILE **stream) {
    struct stat found;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    *stream = descriptor < 0 ? NULL : fdopen(descriptor, "r+");
    if (*stream == NULL) {
        const int error = errno;
        if (descriptor >= 0) close(descriptor);
        return wl_fail(WL_BAD_USAGE, "%s: cannot be written: %s", path, strerror(error));
    }
    if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode))
        return wl_fail(WL_BAD_USAGE, "%s: is no regular file; expected one that can grow", path);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return wl_fail(WL_BAD_USAGE, "%s: another process writes to it; expected a folder for each chain", path);
    return WL_OK;
}

/* Is in the file what it is to go on after? */
static wl_status look_into(const char *path, FILE *stream, int replaces, uint64_t bytes, uint64_t hash) {
    struct stat found;
    uint64_t here = 0;
    if (fstat(fileno(stream), &found) != 0)
        return wl_fail(WL_BAD_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    if (bytes == 0 && found.st_size > 0 && !replaces)
        return wl_fail(WL_BAD_USAGE,
                       "%s: is there already; expected --overwrite, or --resume to go on from its checkpoint", path);
    if ((uint64_t)found.st_size < bytes)
        return wl_fail(WL_BAD_INPUT, "%s: is shorter than when the chain was saved; expected at least %llu bytes", path,
                       (unsigned long long)bytes);
    if (!hash_file(stream, 0, bytes, &here))
        return wl_fail(WL_BAD_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    if (here == hash) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s: has another beginning than when the chain was saved; expected the chain's own",
                   path);
}

static wl_status grow_file(const char *folder, const char *name, const char *ending, int replaces, uint64_t bytes,
                           uint64_t hash, wl_outfile *file) {
    char *path;
    if (asprintf(&path, "%s/%s.%s", folder, name, ending) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a name");
    /* Makes the folder, and says in the usual words what is wrong with the path. */
    wl_status status = wl_outfile_open_making(path, file);
    wl_outfile_discard(file);
    if (status == WL_OK) status = open_locked(path, &file->stream);
    if (status == WL_OK) status = look_into(path, file->stream, replaces, bytes, hash);
    if (status == WL_OK && (file->path = strdup(path)) == NULL) status = wl_fail(WL_NO_MACHINE, "no memory for a name");
    free(path);
    return status;
}

static wl_status cut_file(wl_outfile *file, uint64_t bytes) {
    if (ftruncate(fileno(file->stream), (off_t)bytes) == 0 && fseeko(file->stream, (off_t)bytes, SEEK_SET) == 0)
        return WL_OK;
    return wl_fail(WL_BAD_USAGE, "%s: cannot be cut to %llu bytes: %s", file->path, (unsigned long long)bytes,
                   strerror(errno));
}

static wl_status sync_file(wl_outfile *file, uint64_t *bytes, uint64_t *hash) {
    if (fflush(file->stream) != 0) return wl_outfile_commit(file); // which says why
    const off_t end = ftello(file->stream);
    if (end < 0 || fsync(fileno(file->stream)) != 0 || !hash_file(file->stream, *bytes, (uint64_t)end, hash))
        return wl_fail(WL_NO_MACHINE, "%s: cannot be brought to the disk: %s", file->path, strerror(errno));
    *bytes = (uint64_t)end;
    return WL_OK;
}

/* --- Texts ------------------------------------------------------------------------------------------------------- */

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

wl_status peeling_trace_grow(const char *folder, const char *name, uint32_t tips, uint64_t every, int replaces,
                             const peeling_trace_mark *from, peeling_trace *trace) {
    *trace = (peeling_trace){.every = every, .tips = tips, .grows = 1, .names = make_numbers(tips)};
    if (from) trace->mark = *from;
    replaces |= from != NULL; // what came after it
    const peeling_trace_mark *m = &trace->mark;
    wl_status status = trace->names ? grow_file(folder, name, "log", replaces, m->bytes[0], m->hash[0], &trace->log)
                                    : wl_fail(WL_NO_MACHINE, "no memory for %u names", tips);
    if (status == WL_OK) status = grow_file(folder, name, "trees", replaces, m->bytes[1], m->hash[1], &trace->trees);
    if (status != WL_OK) peeling_trace_discard(trace);
    return status;
}

wl_status peeling_trace_cut(peeling_trace *trace) {
    WL_TRY(cut_file(&trace->log, trace->mark.bytes[0]));
    return cut_file(&trace->trees, trace->mark.bytes[1]);
}

void peeling_trace_start(peeling_trace *trace, const char **names, const peeling_settings *settings) {
    write_heads(trace, names, settings);
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

wl_status peeling_trace_sync(peeling_trace *trace) {
    WL_TRY(sync_file(&trace->log, &trace->mark.bytes[0], &trace->mark.hash[0]));
    return sync_file(&trace->trees, &trace->mark.bytes[1], &trace->mark.hash[1]);
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
