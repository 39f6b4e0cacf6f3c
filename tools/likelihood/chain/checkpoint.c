#include "tools/likelihood/chain/checkpoint.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/outfile.h"

/* Records. */
enum { STATE = 1, CHILDREN, PARENTS, LENGTHS, MORE };

wl_status peeling_checkpoint_write(const char *path, const wl_part_key *key, const peeling_chain *chain,
                                   const void *more, size_t more_bytes) {
    wl_outfile file;
    wl_part_writer writer;
    peeling_chain_state state;
    const peeling_tree *tree = peeling_chain_save(chain, &state);
    WL_TRY(wl_outfile_open_making(path, &file));
    wl_status status = wl_part_begin(file.stream, path, key, NULL, 0, &writer);
    if (status == WL_OK) {
        status = wl_part_put(&writer, STATE, &state, sizeof state);
        if (status == WL_OK) status = wl_part_put(&writer, CHILDREN, tree->child, tree->nodes * sizeof *tree->child);
        if (status == WL_OK) status = wl_part_put(&writer, PARENTS, tree->parent, tree->nodes * sizeof *tree->parent);
        if (status == WL_OK) status = wl_part_put(&writer, LENGTHS, tree->length, tree->nodes * sizeof *tree->length);
        if (status == WL_OK) status = wl_part_put(&writer, MORE, more, more_bytes);
        const wl_status ended = wl_part_end(&writer, status == WL_OK);
        if (status == WL_OK) status = ended;
    }
    if (status == WL_OK) status = wl_outfile_commit(&file);
    wl_outfile_discard(&file);
    return status;
}

wl_status peeling_checkpoint_read(const char *path, const wl_part_key *key, size_t more_bytes,
                                  peeling_checkpoint *checkpoint) {
    *checkpoint = (peeling_checkpoint){0};
    if (access(path, F_OK) != 0 && errno == ENOENT) return WL_OK;
    WL_TRY(wl_part_open(path, &checkpoint->part));
    checkpoint->found = 1;
    const wl_part *part = &checkpoint->part;
    if (strcmp(part->key.tool, key->tool) != 0)
        return wl_fail(WL_BAD_INPUT, "%s: is a part of '%.32s'; expected a chain's checkpoint", path, part->key.tool);
    if (part->key.inputs != key->inputs || part->key.options != key->options)
        return wl_fail(
            WL_BAD_INPUT, "%s: is of a chain with other %s; expected the files and options of this one", path,
            part->key.inputs != key->inputs ? "input files" : "options, or of another version of this program");
    const wl_part_record *state = wl_part_find(part, STATE), *more = wl_part_find(part, MORE);
    if (!state || !more || state->size != sizeof *checkpoint->state || more->size != more_bytes)
        return wl_fail(WL_BAD_INPUT, "%s: is a checkpoint of another version of this program", path);
    checkpoint->state = (const peeling_chain_state *)(const void *)state->bytes;
    checkpoint->more = more->bytes;
    checkpoint->more_bytes = more_bytes;
    return WL_OK;
}

wl_status peeling_checkpoint_restore(const peeling_checkpoint *checkpoint, peeling_chain *chain) {
    const wl_part *part = &checkpoint->part;
    const wl_part_record *children = wl_part_find(part, CHILDREN), *parents = wl_part_find(part, PARENTS),
                         *lengths = wl_part_find(part, LENGTHS);
    if (!children || !parents || !lengths)
        return wl_fail(WL_BAD_INPUT, "%s: is a checkpoint of another version of this program", part->name);
    const size_t nodes = lengths->size / sizeof(double);
    if (children->size != nodes * 2 * sizeof(uint32_t) || parents->size != nodes * sizeof(uint32_t))
        return wl_fail(WL_BAD_INPUT, "%s: has %zu branch lengths, and not as many nodes", part->name, nodes);
    const peeling_tree tree = {.tips = (uint32_t)(nodes + 1) / 2,
                               .nodes = (uint32_t)nodes,
                               .child = (uint32_t(*)[2])(void *)children->bytes,
                               .parent = (uint32_t *)(void *)parents->bytes,
                               .length = (double *)(void *)lengths->bytes};
    return peeling_chain_restore(chain, checkpoint->state, &tree);
}

void peeling_checkpoint_close(peeling_checkpoint *checkpoint) {
    if (checkpoint->found) wl_part_close(&checkpoint->part);
    *checkpoint = (peeling_checkpoint){0};
}
