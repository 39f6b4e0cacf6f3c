/* Reads of a pair have one name in many files. Outputs need two. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"
#include "io/names.h"
#include "tools/align_reads/bad_reads.h"

enum { ADDED = 3 }; // "/1" and a zero

static char *numbered(char *to, wl_sequence *read, char number) {
    const size_t length = strlen(read->name);
    memcpy(to, read->name, length);
    memcpy(to + length, (char[ADDED]){'/', number}, ADDED);
    read->name = to;
    return to + length + ADDED;
}

wl_status papara_name_pairs(const papara_files *files, papara_data *data) {
    const size_t count = data->sequences.count;
    wl_sequence *reads = data->sequences.items;
    size_t bytes = 0;
    for (size_t r = 0; r < count; r++) bytes += strlen(reads[r].name) + ADDED;
    wl_name *all = malloc(count * sizeof *all);
    char *to = data->pair_names = malloc(bytes);
    if (all == NULL || to == NULL) {
        free(all);
        return wl_fail(WL_NO_MACHINE, "%s: not enough memory", wl_path_shown(files->reads));
    }
    for (size_t r = 0; r < count; r++) all[r] = (wl_name){reads[r].name, r};
    wl_names_sort(all, count);
    for (size_t i = 0, end; i < count; i = end) { // equal names are in the order of the file
        for (end = i + 1; end < count && strcmp(all[end].text, all[i].text) == 0; end++) continue;
        if (end - i != 2) continue;
        to = numbered(to, &reads[all[i].index], '1');
        to = numbered(to, &reads[all[i + 1].index], '2');
    }
    free(all);
    return WL_OK;
}
