#include "tools/align_reads/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *suffix;
    wl_alignment_format format;
} suffixes[] = {
    {".phy", WL_ALIGNMENT_PHYLIP}, {".phylip", WL_ALIGNMENT_PHYLIP}, {".fasta", WL_ALIGNMENT_FASTA},
    {".fas", WL_ALIGNMENT_FASTA},  {".fa", WL_ALIGNMENT_FASTA},      {".afa", WL_ALIGNMENT_FASTA},
    {".fna", WL_ALIGNMENT_FASTA},  {".faa", WL_ALIGNMENT_FASTA},
};

/* The suffix of a path's last part, or its end. */
static const char *suffix_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : path + strlen(path);
}

static wl_status choose_format(const papara_outputs_request *request, wl_alignment_format *format) {
    const char *path = request->output, *suffix = suffix_of(path);
    *format = request->format;
    if (*format != WL_ALIGNMENT_AUTO) return WL_OK;
    *format = WL_ALIGNMENT_PHYLIP;
    if (strcmp(path, "-") == 0) return WL_OK;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        *format = suffixes[i].format;
        if (strcasecmp(suffix, suffixes[i].suffix) == 0) return WL_OK;
    }
    return wl_fail(
        WL_BAD_USAGE,
        "option --output: found '%.200s'; expected a name that ends in .phy, .phylip, .fasta, .fas, .fa, .afa, "
        ".fna or .faa, or --format",
        path);
}

/* "out.phy" with "reads" between: "out.reads.phy". The caller frees it; NULL: no memory. */
static char *insert(const char *path, const char *part) {
    const char *suffix = suffix_of(path);
    char *made;
    return asprintf(&made, "%.*s.%s%s", (int)(suffix - path), path, part, suffix) < 0 ? NULL : made;
}

static wl_status add(papara_outputs *outputs, papara_output_kind kind, int rows, char *path) {
    if (path == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    outputs->items[outputs->count++] = (papara_output){.kind = kind, .rows = rows, .path = path};
    return WL_OK;
}

static wl_status name_all(const papara_outputs_request *request, papara_outputs *outputs) {
    const struct {
        const char *path;
        papara_output_kind kind;
    } more[] = {{request->table, PAPARA_OUTPUT_TABLE},
                {request->numbered_tree, PAPARA_OUTPUT_TREE},
                {request->jplace, PAPARA_OUTPUT_JPLACE},
                {request->left_out, PAPARA_OUTPUT_LEFT}};
    const char *output = request->output;
    wl_status status;
    if (!request->split) {
        status = add(outputs, PAPARA_OUTPUT_ROWS, PAPARA_ROWS_REFERENCE | PAPARA_ROWS_READS, strdup(output));
    } else {
        if (strcmp(output, "-") == 0)
            return wl_fail(WL_BAD_USAGE, "option --split: found without a file for the output; expected -o FILE");
        status = add(outputs, PAPARA_OUTPUT_ROWS, PAPARA_ROWS_REFERENCE, insert(output, "reference"));
        if (status == WL_OK) status = add(outputs, PAPARA_OUTPUT_ROWS, PAPARA_ROWS_READS, insert(output, "reads"));
    }
    for (size_t i = 0; i < sizeof more / sizeof *more && status == WL_OK; i++)
        if (more[i].path) status = add(outputs, more[i].kind, 0, strdup(more[i].path));
    return status;
}

static FILE *stream_of(const papara_output *output) {
    return strcmp(output->path, "-") == 0 ? stdout : output->file.stream;
}

/* Would two outputs that are written directly mix? "-" and /dev/stdout would; two may be /dev/null. */
static int is_same_stream(const papara_output *a, const papara_output *b) {
    struct stat of_a, of_b;
    int file = fileno(stream_of(a));
    if (strcmp(a->path, "-") == 0 && strcmp(b->path, "-") == 0) return 1; // open or not
    if (fstat(file, &of_a) != 0 || fstat(fileno(stream_of(b)), &of_b) != 0) return 0;
    return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino && (!S_ISCHR(of_a.st_mode) || isatty(file));
}

/* Will two open outputs be the same file in the end? Folders exist by now. */
static int is_same(const papara_output *a, const papara_output *b) {
    if (a->file.temporary == NULL && b->file.temporary == NULL) return is_same_stream(a, b);
    if (a->file.temporary == NULL || b->file.temporary == NULL) return 0;
    if (strcmp(a->path, b->path) == 0) return 1;
    const char *paths[2] = {a->file.path, b->file.path}, *last[2];
    struct stat folder[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(paths[i], '/');
        last[i] = slash ? slash + 1 : paths[i];
        char *name = slash ? strndup(paths[i], (size_t)(slash - paths[i]) + 1) : strdup(".");
        int found = name && stat(name, &folder[i]) == 0;
        free(name);
        if (!found) return 0;
    }
    return strcmp(last[0], last[1]) == 0 && folder[0].st_dev == folder[1].st_dev &&
           folder[0].st_ino == folder[1].st_ino;
}

wl_status papara_outputs_open(const papara_outputs_request *request, papara_outputs *outputs) {
    *outputs = (papara_outputs){.command = request->command};
    wl_status status = choose_format(request, &outputs->format);
    if (status == WL_OK) status = name_all(request, outputs);
    for (size_t i = 0; i < outputs->count && status == WL_OK; i++) {
        papara_output *output = &outputs->items[i];
        for (size_t k = 0; k < request->input_count && status == WL_OK; k++)
            status = wl_refuse_same_file(request->inputs[k], output->path);
        if (status == WL_OK && strcmp(output->path, "-") != 0) status = wl_outfile_open(output->path, &output->file);
        for (size_t k = 0; k < i && status == WL_OK; k++)
            if (is_same(output, &outputs->items[k]))
                status =
                    wl_fail(WL_BAD_USAGE, "%s: is the name of two outputs; expected names that differ", output->path);
    }
    return status;
}

/* The rule of RAxML 8.2.12. It refuses blanks too, but no name here has any. */
static void look_at(const char *name, papara_oddity *refused) {
    if (strpbrk(name, ":,()[];'") == NULL && strlen(name) < 256) return;
    if (refused->count++ == 0) refused->first = name;
}

papara_oddity papara_outputs_names_refused(const papara_outputs *outputs, const papara_data *data) {
    papara_oddity refused = {0};
    if (outputs->format == WL_ALIGNMENT_FASTA) return refused;
    for (size_t i = 0; i < data->reference.count; i++) look_at(data->name[i], &refused);
    for (size_t r = 0; r < data->sequences.count; r++) look_at(data->sequences.items[r].name, &refused);
    return refused;
}

static wl_status write_one(papara_outputs *outputs, const papara_output *output, const papara_data *data,
                           const papara_aligned *aligned, const papara_layout *layout) {
    FILE *stream = stream_of(output);
    switch (output->kind) {
        case PAPARA_OUTPUT_ROWS:
            return papara_write_alignment(stream, outputs->format, output->rows, data, aligned, layout);
        case PAPARA_OUTPUT_TABLE:
            papara_write_table(stream, data, aligned);
            return WL_OK;
        case PAPARA_OUTPUT_TREE:
            papara_tree_write_numbered(stream, &data->newick, &data->tree);
            return WL_OK;
        case PAPARA_OUTPUT_LEFT:
            papara_write_left(stream, data);
            return WL_OK;
        case PAPARA_OUTPUT_JPLACE:
            return papara_write_jplace(stream, data, aligned, outputs->command);
    }
    return WL_OK;
}

/* A full disk is noticed here, before any file gets its name. */
static wl_status flush(papara_output *output) {
    wl_outfile *file = &output->file;
    if (fflush(file->stream) != 0 || ferror(file->stream))
        return wl_outfile_commit(file); // says why, and gives no name
    if (file->temporary == NULL || fsync(fileno(file->stream)) == 0) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "%s: cannot write: %s", file->path, strerror(errno));
}

/* Appends "; new: a.tsv, b.nwk" to `text`: outputs first .. end - 1 whose bit in `named` is set. */
static void list(char *text, size_t size, const char *what, const papara_outputs *outputs, unsigned named, size_t first,
                 size_t end) {
    const char *before = what;
    for (size_t i = first; i < end; i++) {
        const size_t used = strlen(text);
        if (!(named >> i & 1)) continue;
        snprintf(text + used, size - used, "%s %s", before, outputs->items[i].path);
        before = ",";
    }
}

/* Renames one file after the other, the first output last. So if its file is new, all are, whatever ends the program. */
static wl_status give_names(papara_outputs *outputs) {
    unsigned named = 0; // one bit per output that gets its name here and is not written directly
    for (size_t i = 0; i < outputs->count; i++) named |= (outputs->items[i].file.temporary != NULL) << i;
    for (size_t i = outputs->count; i-- > 0;) {
        const wl_status status = wl_outfile_commit(&outputs->items[i].file);
        if (status == WL_OK) continue;
        char text[1024];
        snprintf(text, sizeof text, "%s", wl_error());
        list(text, sizeof text, "; new:", outputs, named, i + 1, outputs->count);
        list(text, sizeof text, "; as before:", outputs, named, 0, i);
        return wl_fail(status, "%s", text);
    }
    return WL_OK;
}

wl_status papara_outputs_write(papara_outputs *outputs, const papara_data *data, const papara_aligned *aligned,
                               const papara_layout *layout) {
    for (size_t i = 0; i < outputs->count; i++) {
        papara_output *output = &outputs->items[i];
        wl_status status = write_one(outputs, output, data, aligned, layout);
        if (status != WL_OK) return status;
        if (stream_of(output) != stdout)
            status = flush(output);
        else if (fflush(stdout) != 0 || ferror(stdout))
            return WL_OK;
        if (status != WL_OK) return status;
    }
    return give_names(outputs);
}

int papara_outputs_to_stdout(const papara_outputs *outputs) {
    for (size_t i = 0; i < outputs->count; i++)
        if (strcmp(outputs->items[i].path, "-") == 0) return 1;
    return 0;
}

void papara_outputs_close(papara_outputs *outputs) {
    for (size_t i = 0; i < outputs->count; i++) {
        wl_outfile_discard(&outputs->items[i].file);
        free(outputs->items[i].path);
    }
    outputs->count = 0;
}
