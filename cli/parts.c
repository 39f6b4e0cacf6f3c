#include "cli/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "harness/base/cpu.h"
#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "harness/bench/device.h"

static wl_parts_driver *driver; /* NULL: an ordinary run */

void wl_parts_drive(wl_parts_driver *other) { driver = other; }

int wl_parts_wanted(const wl_line *line) { return driver || wl_argument_given(&line->own, "part"); }
int wl_parts_writes(const wl_line *line) { return driver ? driver->writes : !wl_argument_given(&line->own, "part"); }
int wl_parts_tells(const wl_line *line) { return driver == NULL && !line->quiet; }
int wl_parts_merge_threads(int threads) {
    if (driver == NULL || driver->merge_share <= 1) return threads;
    return driver->merge_share * (threads > 0 ? threads : wl_cpu_threads());
}

/* --- Options ----------------------------------------------------------------------------------------------------- */

static wl_status read_part(const wl_line *line, wl_part_key *key) {
    const char *text = wl_argument(&line->own, "part");
    char *slash, *end;
    const int is_number = *text >= '0' && *text <= '9';
    key->part = is_number ? strtoull(text, &slash, 10) : 0;
    if (is_number && *slash == '/' && slash[1] >= '0' && slash[1] <= '9') {
        key->parts = strtoull(slash + 1, &end, 10);
        if (*end == 0 && key->part >= 1 && key->part <= key->parts && key->parts <= 1000000) return WL_OK;
    }
    return wl_fail(WL_BAD_USAGE, "option --part: found '%.80s'; expected I/N, as in 1/4 to 4/4, N at most 1000000",
                   text);
}

/* Has `list` the word? */
static int lists(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if (at > list && at[-1] == ' ' && at[length] == ' ') return 1;
    return 0;
}

wl_status wl_parts_check(const wl_line *line, const wl_parts_tool *tool) {
    wl_part_key key;
    if (!wl_parts_wanted(line)) return WL_OK;
    const int part = wl_argument_given(&line->own, "part");
    if (driver && part)
        return wl_fail(WL_BAD_USAGE, "option --part: found in a run that makes its parts itself; expected none");
    if (part) WL_TRY(read_part(line, &key));
    const char *output = wl_argument(&line->own, "output");
    if (part && strcmp(output, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "option --part: found without a file for the part; expected -o FILE");
    int from_stdin = line->count > 0 && strcmp(line->words[0], "-") == 0;
    for (size_t i = 0; i < line->own.count; i++) {
        const char *value = line->own.values[i];
        from_stdin |= value && lists(tool->inputs, line->own.options[i].name) && strcmp(value, "-") == 0;
    }
    if (!from_stdin) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "%s: found the input '-'; expected a file, which others read again",
                   part ? "option --part" : "a run in parts");
}

/* "gpu" and "hybrid" stand for all GPUs, of which this process takes one, as of a list. */
static const char *one_of(const char *kind, const char *given, char text[64]) {
    const char *list = given + strlen(kind);
    if (*list == 0) {
        const int count = wl_gpu_count(NULL);
        if (count == 0) return given; /* which is refused in the usual words */
        snprintf(text, 64, "%s:%d", kind, driver->gpu % count);
        return text;
    }
    if (list[0] != ':' || list[1] < '0' || list[1] > '9') return given;
    int count = 1;
    for (const char *at = list; *at; at++) count += *at == ',';
    list++;
    for (int skip = driver->gpu % count; skip > 0; skip--) list = strchr(list, ',') + 1;
    snprintf(text, 64, "%s:%.*s", kind, (int)strcspn(list, ","), list);
    return text;
}

const char *wl_parts_device(const wl_line *line, char text[64]) {
    const char *given = wl_argument(&line->own, "device");
    if (driver && driver->only_merges) return "cpu";
    if (driver == NULL || driver->gpu < 0) return given;
    if (strcmp(given, "auto") == 0) return wl_gpu_count(NULL) > 0 ? one_of("gpu", "gpu", text) : given;
    if (strncmp(given, "gpu", 3) == 0) return one_of("gpu", given, text);
    if (strncmp(given, "hybrid", 6) == 0) return one_of("hybrid", given, text);
    return given;
}

/* --- What a part is of ------------------------------------------------------------------------------------------- */

static uint64_t hash_options(const wl_line *line, const wl_parts_tool *tool) {
    uint64_t hash = wl_hash_text(WL_VERSION);
    for (size_t i = 0; i < line->own.count; i++) {
        const char *name = line->own.options[i].name, *value = wl_argument(&line->own, name);
        if (strcmp(name, "part") == 0 || lists(tool->own, name) || lists(tool->inputs, name)) continue;
        hash = wl_hash_join(hash, wl_hash_text(name));
        hash = wl_hash_join(hash, value ? wl_hash_text(value) : 0);
    }
    return hash;
}

static wl_status make_key(const wl_line *line, const wl_parts_tool *tool, void *job, wl_part_key *key) {
    *key = (wl_part_key){.options = hash_options(line, tool), .part = 1, .parts = 1};
    snprintf(key->tool, sizeof key->tool, "%s", line->command->name);
    WL_TRY(tool->hash(job, &key->inputs));
    return wl_argument_given(&line->own, "part") ? read_part(line, key) : WL_OK;
}

/* --- Computing --------------------------------------------------------------------------------------------------- */

/* Of a word of the line: is it the option --name, perhaps shortened, and does its value follow in the next word? */
static int is_option(const char *word, const char *name, char letter, int *next) {
    const size_t length = strcspn(word, "=");
    *next = 0;
    if (letter && word[0] == '-' && word[1] == letter) {
        *next = word[2] == 0;
        return 1;
    }
    if (strncmp(word, "--", 2) != 0 || length < 3 || strncmp(word + 2, name, length - 2) != 0) return 0;
    *next = word[length] == 0;
    return 1;
}

wl_status wl_parts_compute(const wl_line *line, FILE *stream, const char *name, const wl_parts_tool *tool, void *job,
                           const wl_part_key *key) {
    wl_part_writer writer;
    const char **words = malloc(((size_t)line->typed_count + 1) * sizeof *words);
    size_t count = 0;
    int next;
    if (words == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    for (int i = 1; i < line->typed_count; i++)
        if (is_option(line->typed[i], "part", 0, &next))
            i += next;
        else
            words[count++] = line->typed[i];
    wl_status status = wl_part_begin(stream, name, key, words, count, &writer);
    if (status == WL_OK) status = tool->compute(job, key->part - 1, key->parts, &writer);
    const wl_status end = wl_part_end(&writer, status == WL_OK);
    free(words);
    return status == WL_OK ? end : status;
}

/* Whole or absent; nothing is computed when the file is there and is this part. */
static wl_status write_part(const wl_line *line, const char *path, const wl_parts_tool *tool, void *job,
                            const wl_part_key *key) {
    wl_outfile file;
    if (wl_part_is_there(path, key)) {
        wl_note(line, "%s: is there and whole: nothing to compute", path);
        return WL_OK;
    }
    WL_TRY(wl_outfile_open_making(path, &file)); /* the folder of a job array is made by its first job */
    wl_status status = wl_parts_compute(line, file.stream, path, tool, job, key);
    if (status == WL_OK) status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    return status;
}

wl_status wl_parts_run(const wl_line *line, const wl_parts_tool *tool, void *job) {
    wl_part_key key;
    WL_TRY(make_key(line, tool, job, &key));
    if (driver) return driver->run(driver, line, tool, job, &key);
    return write_part(line, wl_argument(&line->own, "output"), tool, job, &key);
}

/* --- Merging ----------------------------------------------------------------------------------------------------- */

char **wl_parts_words(const wl_part *part, const char *program, const char *output, int *count) {
    char **words = calloc(part->word_count + 4, sizeof *words);
    int next, named = output == NULL;
    *count = 0;
    if (words == NULL) return NULL;
    words[(*count)++] = (char *)program;
    for (size_t i = 0; i < part->word_count; i++) {
        if (!is_option(part->words[i], "output", 'o', &next)) {
            words[(*count)++] = (char *)part->words[i];
            continue;
        }
        i += (size_t)next;
        if (named) continue; /* of several the last counts, and here they are all the same */
        words[(*count)++] = (char *)"-o";
        words[(*count)++] = (char *)output;
        named = 1;
    }
    if (named) return words;
    words[(*count)++] = (char *)"-o";
    words[(*count)++] = (char *)output;
    return words;
}
