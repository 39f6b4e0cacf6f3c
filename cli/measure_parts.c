#include "cli/measure_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/hash.h"
#include "papers/common/measure_parts.h"

typedef struct {
    const wl_line *line;
    wl_status (*whole)(const wl_line *line);
} job;

static wl_status whole(const void *context) {
    const job *j = context;
    return j->whole(j->line);
}

static void join_text(uint64_t *hash, const char *text) { *hash = wl_hash_join(*hash, wl_hash_text(text)); }

/* Of a file that cannot be read, the run itself says what is wrong. */
static void join_file(uint64_t *hash, const char *path) {
    static unsigned char block[1 << 16];
    uint64_t content = 0;
    FILE *file = fopen(path, "rb");
    for (size_t size; file && (size = fread(block, 1, sizeof block, file)) > 0;)
        content = wl_hash_more(content, block, size);
    if (file) fclose(file);
    *hash = wl_hash_join(*hash, content);
}

static wl_status hash_inputs(void *context, uint64_t *hash) {
    const wl_line *line = ((const job *)context)->line;
    *hash = wl_hash_text(line->pattern);
    for (int i = 0; i < line->count; i++) join_text(hash, line->words[i]);
    join_text(hash, line->device);
    *hash = wl_hash_join(*hash, line->seed);
    for (size_t i = 0; i < line->of_problem.count; i++) {
        const wl_option *option = &line->of_problem.options[i];
        const char *value = line->of_problem.values[i];
        join_text(hash, value);
        if (value && option->argument && strncmp(option->argument, "FILE", 4) == 0) join_file(hash, value);
    }
    return WL_OK;
}

static wl_status compute(void *context, size_t part, size_t parts, wl_part_writer *writer) {
    const wl_line *line = ((const job *)context)->line;
    uint64_t mine, all;
    WL_TRY(wl_measure_part(whole, context, part, parts, writer, &mine, &all));
    if (wl_parts_tells(line))
        fprintf(stderr, "warpladder %s: part %zu of %zu: %" PRIu64 " of %" PRIu64 " sizes or tables\n",
                line->command->name, part + 1, parts, mine, all);
    return WL_OK;
}

static wl_status merge(void *context, const wl_part_set *set) { return wl_measure_merge(whole, context, set); }

static const wl_parts_tool tool = {
    .own = " output ", .inputs = " ", .hash = hash_inputs, .compute = compute, .merge = merge};

wl_status wl_measure_parts_run(const wl_line *line, wl_status (*command)(const wl_line *line)) {
    job j = {line, command};
    if (!wl_parts_wanted(line)) return command(line);
    WL_TRY(wl_parts_check(line, &tool));
    return wl_parts_run(line, &tool, &j);
}
