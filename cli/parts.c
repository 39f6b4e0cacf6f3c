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

static wl_parts_driver *driver; // NULL: an ordinary run

typedef struct {
    wl_part_field *items;
    size_t count;
} field_list;

void wl_parts_drive(wl_parts_driver *other) { driver = other; }

int wl_parts_wanted(const wl_args *args) { return driver || wl_argument_given(&args->own, "part"); }
int wl_parts_writes(const wl_args *args) { return driver ? driver->writes : !wl_argument_given(&args->own, "part"); }
int wl_parts_tells(const wl_args *args) { return driver == NULL && !args->quiet; }
int wl_parts_merge_threads(int threads) {
    if (driver == NULL || driver->merge_share <= 1) return threads;
    return driver->merge_share * (threads > 0 ? threads : wl_cpu_threads());
}

/* --- Options ----------------------------------------------------------------------------------------------------- */

static wl_status read_part(const wl_args *args, wl_part_key *key) {
    const char *text = wl_argument(&args->own, "part");
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

wl_status wl_parts_check(const wl_args *args, const wl_parts_tool *tool) {
    wl_part_key key;
    if (!wl_parts_wanted(args)) return WL_OK;
    const int part = wl_argument_given(&args->own, "part");
    if (driver && part)
        return wl_fail(WL_BAD_USAGE, "option --part: found in a run that makes its parts itself; expected none");
    if (part) WL_TRY(read_part(args, &key));
    const char *output = wl_argument(&args->own, "output");
    if (part && strcmp(output, "-") == 0)
        return wl_fail(WL_BAD_USAGE, "option --part: found without a file for the part; expected -o FILE");
    int from_stdin = args->count > 0 && strcmp(args->words[0], "-") == 0;
    for (size_t i = 0; i < args->own.count; i++) {
        const char *value = args->own.values[i];
        from_stdin |= value && lists(tool->inputs, args->own.options[i].name) && strcmp(value, "-") == 0;
    }
    if (!from_stdin) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "%s: found the input '-'; expected a file, which others read again",
                   part ? "option --part" : "a run in parts");
}

const char *wl_parts_device(const wl_args *args, char text[64]) {
    const char *given = wl_argument(&args->own, "device");
    if (driver && driver->only_merges) return "cpu";
    return driver == NULL || driver->gpu < 0 ? given : wl_devices_one(given, driver->gpu, text);
}

/* --- What a part is of ------------------------------------------------------------------------------------------- */

static uint64_t hash_options(const wl_args *args, const wl_parts_tool *tool) {
    uint64_t hash = wl_hash_text(WL_VERSION);
    for (size_t i = 0; i < args->own.count; i++) {
        const char *name = args->own.options[i].name, *value = wl_argument(&args->own, name);
        if (strcmp(name, "part") == 0 || lists(tool->own, name) || lists(tool->outputs, name) ||
            lists(tool->inputs, name))
            continue;
        hash = wl_hash_join(hash, wl_hash_text(name));
        hash = wl_hash_join(hash, value ? wl_hash_text(value) : 0);
    }
    return hash;
}

static wl_status make_key(const wl_args *args, const wl_parts_tool *tool, void *job, wl_part_key *key) {
    *key = (wl_part_key){.options = hash_options(args, tool), .part = 1, .parts = 1};
    snprintf(key->tool, sizeof key->tool, "%s", args->command->name);
    WL_TRY(tool->hash(job, &key->inputs));
    return wl_argument_given(&args->own, "part") ? read_part(args, key) : WL_OK;
}

/* --- Computing --------------------------------------------------------------------------------------------------- */

static wl_status put_field(field_list *list, wl_part_kind kind, const char *name, const char *value) {
    if (!WL_GROW(list->items, list->count, 1)) return wl_fail(WL_NO_MACHINE, "no memory for the request");
    list->items[list->count++] = (wl_part_field){kind, name, value};
    return WL_OK;
}

static wl_status put_request(const wl_args *args, const wl_parts_tool *tool, field_list *list) {
    for (size_t i = 0; i < args->own.count; i++) {
        const char *name = args->own.options[i].name, *value = args->own.values[i];
        if (value == NULL || strcmp(name, "part") == 0 || lists(tool->own, name)) continue;
        const int is_output = lists(tool->outputs, name);
        WL_TRY(put_field(list, is_output ? WL_PART_OUTPUT : WL_PART_OPTION, name, is_output ? "" : value));
    }
    for (int i = 0; i < args->count; i++) WL_TRY(put_field(list, WL_PART_INPUT, "", args->words[i]));
    return WL_OK;
}

/* Is this word of the line the option --name, perhaps shortened? If so, *next says whether its value follows in the next word. */
static int is_option(const char *word, const char *name, int *next) {
    const size_t length = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0 || length < 3 || strncmp(word + 2, name, length - 2) != 0) return 0;
    *next = word[length] == 0;
    return 1;
}

/* The place of the 'o' for --output in a word of letters, as in -o and -co; NULL: it has none. */
static const char *short_output(const wl_args *args, const char *word) {
    if (word[0] != '-' || word[1] == '-') return NULL;
    for (const char *at = word + 1; *at; at++) {
        if (*at == 'o') return at;
        for (size_t i = 0; i < args->own.count; i++) // what follows is its value
            if (wl_short_of(&args->own.options[i]) == *at && args->own.options[i].argument) return NULL;
    }
    return NULL;
}

/* The line's words for what quotes them, without --part and with a gap where the output is named. `room`: the letters before -o in its
   word. */
static wl_status put_shown(const wl_args *args, field_list *list, char *room) {
    int ended = 0, has_output = 0;
    for (int i = 1, next = 0; i < args->typed_count; i++) {
        const char *word = args->typed[i], *letter = ended ? NULL : short_output(args, word);
        if (!ended && is_option(word, "part", &next)) {
            i += next;
        } else if (letter || (!ended && is_option(word, "output", &next))) {
            if (letter && letter > word + 1) { // other letters'
                snprintf(room, (size_t)(letter - word) + 1, "%s", word);
                WL_TRY(put_field(list, WL_PART_SHOWN, "", room));
                room += letter - word + 1;
            }
            i += letter ? letter[1] == 0 : next;
            if (!has_output) WL_TRY(put_field(list, WL_PART_SHOWN, "output", "")); // of several the last counts
            has_output = 1;
        } else {
            ended |= strcmp(word, "--") == 0;
            WL_TRY(put_field(list, WL_PART_SHOWN, "", word));
        }
    }
    return WL_OK;
}

wl_status wl_parts_compute(const wl_args *args, FILE *const *streams, size_t count, const char *name,
                           const wl_parts_tool *tool, void *job, const wl_part_key *key) {
    wl_part_range range;
    field_list fields = {0};
    char *room = strdup(args->text); // which is longer than what is put there
    wl_status status = room ? put_request(args, tool, &fields) : wl_fail(WL_NO_MACHINE, "no memory for the request");
    if (status == WL_OK) status = put_shown(args, &fields, room);
    if (status == WL_OK) status = wl_part_range_begin(streams, count, name, key, fields.items, fields.count, &range);
    if (status == WL_OK) {
        status = tool->compute(job, &range);
        const wl_status end = wl_part_range_end(&range, status == WL_OK);
        if (status == WL_OK) status = end;
    }
    WL_FREE(room, fields.items);
    return status;
}

/* Whole or absent; nothing is computed when the file is there and is this part. */
static wl_status write_part(const wl_args *args, const char *path, const wl_parts_tool *tool, void *job,
                            const wl_part_key *key) {
    wl_outfile file;
    if (wl_part_is_there(path, key)) {
        wl_note(args, "%s: is there and whole: nothing to compute", path);
        return WL_OK;
    }
    WL_TRY(wl_outfile_open_making(path, &file)); // the folder of a job array is made by its first job
    wl_status status = wl_parts_compute(args, &file.stream, 1, path, tool, job, key);
    if (status == WL_OK) status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    return status;
}

wl_status wl_parts_run(const wl_args *args, const wl_parts_tool *tool, void *job) {
    wl_part_key key;
    WL_TRY(make_key(args, tool, job, &key));
    if (driver) return driver->run(driver, args, tool, job, &key);
    return write_part(args, wl_argument(&args->own, "output"), tool, job, &key);
}

/* --- Merging ----------------------------------------------------------------------------------------------------- */

static wl_status take_option(const wl_part *part, const wl_parts_tool *tool, const wl_part_field *field,
                             wl_args *args) {
    const int is_known =
        strcmp(field->name, "part") != 0 && !lists(tool->own, field->name) && !lists(tool->outputs, field->name);
    for (size_t i = 0; i < args->own.count && is_known; i++) {
        if (strcmp(args->own.options[i].name, field->name) != 0) continue;
        args->own.values[i] = field->value;
        return WL_OK;
    }
    return wl_fail(WL_BAD_INPUT, "%s: has a value for --%.40s, which no part of %s has; expected a whole part file",
                   part->name, field->name, args->command->name);
}

/* What depends on the machine, and all outputs, are named by merge's own line. */
static wl_status take_own(const wl_args *own, wl_args *args) {
    for (size_t i = 0; i < own->own.count; i++) {
        const char *name = own->own.options[i].name;
        size_t at = 0;
        if (own->own.values[i] == NULL) continue;
        while (at < args->own.count && strcmp(args->own.options[at].name, name) != 0) at++;
        if (at == args->own.count)
            return wl_fail(WL_BAD_USAGE, "option --%s: found with parts of %s, which has none; expected none", name,
                           args->command->name);
        args->own.values[at] = own->own.values[i];
    }
    return WL_OK;
}

static wl_status show(const wl_part *part, const char *output, wl_args *args) {
    char program[64];
    char **words = calloc(part->field_count + 4, sizeof *words);
    int count = 0, named = strcmp(output, "-") == 0;
    if (words == NULL) return wl_fail(WL_NO_MACHINE, "no memory for the command line");
    snprintf(program, sizeof program, "warpladder %s", args->command->name);
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
    args->text = wl_argfile_line(count, words);
    free(words);
    return args->text ? WL_OK : wl_fail(WL_NO_MACHINE, "no memory for the command line");
}

static wl_status take_fields(const wl_part *part, const wl_args *own, wl_args *args) {
    const wl_parts_tool *tool = args->command->parts;
    for (size_t i = 0; i < part->field_count; i++) {
        const wl_part_field *field = &part->fields[i];
        if (field->kind == WL_PART_OPTION) WL_TRY(take_option(part, tool, field, args));
        if (field->kind == WL_PART_INPUT) args->words[args->count++] = field->value;
    }
    if (args->count < args->command->least || args->count > args->command->most)
        return wl_fail(WL_BAD_INPUT, "%s: has %d inputs without an option, and %s takes %d; expected a whole part file",
                       part->name, args->count, args->command->name, args->command->least);
    WL_TRY(take_own(own, args));
    for (size_t i = 0; i < part->field_count; i++) {
        const wl_part_field *field = &part->fields[i];
        if (field->kind == WL_PART_OUTPUT && lists(tool->outputs, field->name) &&
            !wl_argument_given(&own->own, field->name))
            wl_note(own, "the parts were given --%s, which merge takes from its own line: --%s FILE writes that output",
                    field->name, field->name);
    }
    return show(part, wl_argument(&own->own, "output"), args);
}

wl_status wl_parts_line(const wl_part *part, const wl_command *command, const wl_args *own, wl_args *args) {
    *args = (wl_args){.command = command, .quiet = own->quiet, .make_folders = own->make_folders};
    args->own = (wl_arguments){.options = command->options, .count = wl_option_count(command->options)};
    args->own.values = calloc(args->own.count + 1, sizeof *args->own.values);
    args->words = calloc(part->field_count + 1, sizeof *args->words);
    const wl_status status = args->own.values && args->words ? take_fields(part, own, args)
                                                             : wl_fail(WL_NO_MACHINE, "no memory for the request");
    if (status != WL_OK) wl_args_free(args);
    return status;
}
