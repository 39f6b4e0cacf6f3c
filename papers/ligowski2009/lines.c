/* Who takes part in Figure 4: the variants on each device. */
#include <ctype.h>
#include <string.h>

#include "papers/ligowski2009/paper.h"

static void add_line(ligowski_run *run, const wl_variant *variant, size_t device, size_t devices_used) {
    for (size_t i = 0; i < run->line_count; i++)
        if (run->lines[i].variant == variant && run->lines[i].devices_used == devices_used) return;
    if (run->line_count == LIGOWSKI_LINES_MOST) return;
    run->lines[run->line_count++] =
        (ligowski_line){.variant = variant, .devices = &run->devices.items[device], .devices_used = devices_used};
}

static int is_stage(const wl_variant *variant, const ligowski_run *run) {
    return variant->backend == WL_GPU && strcmp(variant->problem, run->problem->name) == 0 &&
           isdigit((unsigned char)variant->name[0]);
}

/* The last stage that runs on this GPU, and of which it is known that it is the fastest for such an input. */
static const wl_variant *last_stage(const ligowski_run *run, const sw_input *input) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count), *last = NULL;
    for (size_t v = 0; v < count; v++) /* sorted by name */
        if (is_stage(variants[v], run) && wl_variant_is_faster(variants[v], &run->devices.items[1], input) &&
            (variants[v]->supports == NULL || variants[v]->supports(&run->devices.items[1], input) == NULL))
            last = variants[v];
    return last;
}

void ligowski_choose_lines(ligowski_run *run, const sw_input *input) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    const char *paper = wl_paper_header(&run->figure, "variant"), *peer = wl_paper_header(&run->figure, "peer_variant");
    for (size_t v = 0; v < count; v++) {
        if (variants[v]->backend != WL_CPU || strcmp(variants[v]->problem, run->problem->name) != 0) continue;
        int is_baseline = strcmp(variants[v]->name, run->problem->serial_baseline) == 0;
        if (is_baseline || variants[v]->launch_slices == NULL) add_line(run, variants[v], 0, 1);
    }
    if (run->devices.count == 1) return;
    const wl_variant *last = last_stage(run, input);
    for (size_t v = 0; v < count; v++)
        if (is_stage(variants[v], run) && (variants[v] == last || strcmp(variants[v]->name, paper) == 0 ||
                                           (peer != NULL && strcmp(variants[v]->name, peer) == 0)))
            add_line(run, variants[v], 1, 1);
    for (size_t v = 0; run->devices.count > 2 && v < count; v++)
        if (is_stage(variants[v], run) && (variants[v] == last || strcmp(variants[v]->name, paper) == 0))
            add_line(run, variants[v], 1, 2);
}
