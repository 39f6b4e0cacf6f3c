#include "cli/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/options.h"
#include "harness/base/argfile.h"
#include "harness/base/cpu.h"
#include "harness/base/hash.h"
#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/bench/device.h"

static wl_parts_driver *driver; /* NULL: an ordinary run */

typedef struct {
    wl_part_field *items;
    size_t count;
} field_list;

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
    for (const char *at = list; *word && (at = strstr(at, word)) != NULL; at++)
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

const char *wl_parts_device(const wl_line *line, char text[64]) {
    const char *given = wl_argument(&line->own, "device");
    if (driver && driver->only_merges) return "cpu";
    return driver == NULL || driver->gpu < 0 ? given : wl_devices_one(given, driver->gpu, text);
}

/* --- What a part is of ------------------------------------------------------------------------------------------- */

static uint64_t hash_options(const wl_line *line, const wl_parts_tool *tool) {
    uint64_t hash = wl_hash_text(WL_VERSION);
    for (size_t i = 0; i < line->own.count; i++) {
        const char *name = line->own.options[i].name, *value = wl_argument(&line->own, name);
        if (strcmp(name, "part") == 0 || lists(tool->own, name) || lists(tool->outputs, name) ||
            lists(tool->inputs, name))
            continue;
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

static wl_status put_field(field_list *list, wl_part_kind kind, const char *name, const char *value) {
    if (!WL_GROW(list->items, list->count, 1)) return wl_fail(WL_NO_MACHINE, "no memory for the request");
    list->items[list->count++] = (wl_part_field){kind, name, value};
    return WL_OK;
}

static wl_status put_request(const wl_line *line, const wl_parts_tool *tool, field_list *list) {
    for (size_t i = 0; i < line->own.count; i++) {
        const char *name = line->own.options[i].name, *value = line->own.values[i];
        if (value == NULL || strcmp(name, "part") == 0 || lists(tool->own, name)) continue;
        const int is_output = lists(tool->outputs, name);
        WL_TRY(put_field(list, is_output ? WL_PART_OUTPUT : WL_PART_OPTION, name, is_output ? "" : value));
    }
    for (int i = 0; i < line->count; i++) WL_TRY(put_field(list, WL_PART_INPUT, "", line->words[i]));
    return WL_OK;
}

/* Of a word of the line: is it the option --name, perhaps shortened, and does its value follow in the next word? */
static int is_option(const char *word, const char *name, int *next) {
    const size_t length = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0 || length < 3 || strncmp(word + 2, name, length - 2) != 0) return 0;
    *next = word[length] == 0;
    return 1;
}

/* The place of the 'o' for --output in a word of letters, as in -o and -co; NULL: it has none. */
static const char *short_output(const wl_line *line, const char *word) {
    if (word[0] != '-' || word[1] == '-') return NULL;
    for (const char *at = word + 1; *at; at++) {
        if (*at == 'o') return at;
        for (size_t i = 0; i < line->own.count; i++) /* what follows is its value */
            if (wl_short_of(&line->own.options[i]) == *at && line->own.options[i].argument) return NULL;
    }
    return NULL;
}

/* The line's words for what quotes them, without --part and with a gap where the output is named. `room`: the letters before -o in its
   word. */
static wl_status put_shown(const wl_line *line, field_list *list, char *room) {
    int ended = 0, has_output = 0;
    for (int i = 1, next = 0; i < line->typed_count; i++) {
        const char *word = line->typed[i], *letter = ended ? NULL : short_output(line, word);
        if (!ended && is_option(word, "part", &next)) {
            i += next;
        } else if (letter || (!ended && is_option(word, "output", &next))) {
            if (letter && letter > word + 1) { /* other letters' */
                snprintf(room, (size_t)(letter - word) + 1, "%s", word);
                WL_TRY(put_field(list, WL_PART_SHOWN, "", room));
                room += letter - word + 1;
            }
            i += letter ? letter[1] == 0 : next;
            if (!has_output) WL_TRY(put_field(list, WL_PART_SHOWN, "output", "")); /* of several the last counts */
            has_output = 1;
        } else {
            ended |= strcmp(word, "--") == 0;
            WL_TRY(put_field(list, WL_PART_SHOWN, "", word));
        }
    }
    return WL_OK;
}

wl_status wl_parts_compute(const wl_line *line, FILE *stream, const char *name, const wl_parts_tool *tool, void *job,
                           const wl_part_key *key) {
    wl_part_writer writer;
    field_list fields = {0};
    char *room = strdup(line->text); /* which is longer than what is put there */
    wl_status status = room ? put_request(line, tool, &fields) : wl_fail(WL_NO_MACHINE, "no memory for the request");
    if (status == WL_OK) status = put_shown(line, &fields, room);
    if (status == WL_OK) {
        status = wl_part_begin(stream, name, key, fields.items, fields.count, &writer);
        if (status == WL_OK) status = tool->compute(job, key->part - 1, key->parts, &writer);
        const wl_status end = wl_part_end(&writer, status == WL_OK);
        if (status == WL_OK) status = end;
    }
    WL_FREE(room, fields.items);
    return status;
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

static wl_status take_option(const wl_part *part, const wl_parts_tool *tool, const wl_part_field *field,
                             wl_line *line) {
    const int is_known =
        strcmp(field->name, "part") != 0 && !lists(tool->own, field->name) && !lists(tool->outputs, field->name);
    for (size_t i = 0; i < line->own.count && is_known; i++) {
        if (strcmp(line->own.options[i].name, field->name) != 0) continue;
        line->own.values[i] = field->value;
        return WL_OK;
    }
    return wl_fail(WL_BAD_INPUT, "%s: has a value for --%.40s, which no part of %s has; expected a whole part file",
                   part->name, field->name, line->command->name);
}

/* What depends on the machine, and all outputs, are named by merge's own line. */
static wl_status take_own(const wl_line *own, wl_line *line) {
    for (size_t i = 0; i < own->own.count; i++) {
        const char *name = own->own.options[i].name;
        size_t at = 0;
        if (own->own.values[i] == NULL) continue;
        while (at < line->own.count && strcmp(line->own.options[at].name, name) != 0) at++;
        if (at == line->own.count)
            return wl_fail(WL_BAD_USAGE, "option --%s: found with parts of %s, which has none; expected none", name,
                           line->command->name);
        line->own.values[at] = own->own.values[i];
    }
    return WL_OK;
}

static wl_status show(const wl_part *part, const char *output, wl_line *line) {
    char program[64];
    char **words = calloc(part->field_count + 4, sizeof *words);
    int count = 0, named = strcmp(output, "-") == 0;
    if (words == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    snprintf(program, sizeof program, "warpladder %s", line->command->name);
    words[count++] = program;
    for (size_t i = 0; i <= part->field_count; i++) {
        const wl_part_field *field = i < part->field_count ? &part->fields[i] : NULL;
        const int is_shown = field && field->kind == WL_PART_SHOWN, is_output = is_shown && *field->name;
        if (is_shown && !is_output) words[count++] = (char *)field->value;
        if (named || (field && !is_output)) continue;
        words[count++] = (char *)"-o";
        words[count++] = (char *)output;
        named = 1;
    }
    line->text = wl_argfile_line(count, words);
    free(words);
    return line->text ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for the command line");
}

static wl_status take_fields(const wl_part *part, const wl_line *own, wl_line *line) {
    const wl_parts_tool *tool = line->command->parts;
    for (size_t i = 0; i < part->field_count; i++) {
        const wl_part_field *field = &part->fields[i];
        if (field->kind == WL_PART_OPTION) WL_TRY(take_option(part, tool, field, line));
        if (field->kind == WL_PART_INPUT) line->words[line->count++] = field->value;
    }
    if (line->count < line->command->least || line->count > line->command->most)
        return wl_fail(WL_BAD_INPUT, "%s: has %d inputs without an option, and %s takes %d; expected a whole part file",
                       part->name, line->count, line->command->name, line->command->least);
    WL_TRY(take_own(own, line));
    for (size_t i = 0; i < part->field_count; i++) {
        const wl_part_field *field = &part->fields[i];
        if (field->kind == WL_PART_OUTPUT && lists(tool->outputs, field->name) &&
            !wl_argument_given(&own->own, field->name))
            wl_note(own, "the parts were given --%s, which merge takes from its own line: --%s FILE writes that output",
                    field->name, field->name);
    }
    return show(part, wl_argument(&own->own, "output"), line);
}

wl_status wl_parts_line(const wl_part *part, const wl_command *command, const wl_line *own, wl_line *line) {
    *line = (wl_line){.command = command, .quiet = own->quiet, .make_folders = own->make_folders};
    line->own = (wl_arguments){.options = command->options, .count = wl_option_count(command->options)};
    line->own.values = calloc(line->own.count + 1, sizeof *line->own.values);
    line->words = calloc(part->field_count + 1, sizeof *line->words);
    const wl_status status = line->own.values && line->words ? take_fields(part, own, line)
                                                             : wl_fail(WL_NO_MACHINE, "no memory for the request");
    if (status != WL_OK) wl_line_free(line);
    return status;
}
