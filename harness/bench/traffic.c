#include "harness/bench/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/grid.h"
#include "harness/bench/device.h"
#include "harness/bench/results.h"
#include "harness/base/outfile.h"

/* ---- counting ---- */

wl_status wl_traffic_count(wl_inputs *inputs, const char *pattern, int progress, wl_traffic *traffic) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    wl_device_list devices;
    wl_status status = wl_devices_select("sim", &devices);
    if (status != WL_OK) return status;
    const wl_device *device = &devices.items[devices.count - 1];
    wl_traffic made = {.problem = inputs->problem, .items = calloc(count + 1, sizeof *made.items)};
    if (made.items == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory to count in");
    inputs->problem->shape(inputs->inputs[0], made.shape, sizeof made.shape);
    made.work = inputs->problem->work(inputs->inputs[0]);
    for (size_t v = 0; status == WL_OK && v < count; v++) {
        if (variants[v]->backend != WL_SIM || !wl_variant_matches(variants[v], pattern)) continue;
        const wl_variant *before = wl_stage_before(variants[v], device, inputs->inputs[0]),
                         *next[] = {before, variants[v]};
        int has_before = made.count > 0 && made.items[made.count - 1].variant == before;
        for (size_t i = before == NULL || has_before; status == WL_OK && i < 2; i++) {
            if (progress) fprintf(stderr, "\rcounting %s/%s\033[K", next[i]->problem, next[i]->name);
            if (i == 0 && made.count == 0) made.first = 1;
            if (i == 0 && made.count > 0) continue; // a gap in the pattern: nothing to compare with, then
            status = wl_count_variant(inputs, next[i], device, NULL, &made.items[made.count]);
            if (status == WL_OK) made.items[made.count++].before = i == 1 ? before : NULL;
        }
    }
    if (progress) fputs("\r\033[K", stderr);
    if (status == WL_OK && made.count == 0)
        status = wl_fail(WL_BAD_USAGE, "no variant for the simulated device matches '%s'; 'warpladder list' names all",
                         pattern);
    if (status != WL_OK) {
        wl_traffic_free(&made);
        return status;
    }
    *traffic = made;
    return WL_OK;
}

void wl_traffic_free(wl_traffic *traffic) {
    for (size_t i = 0; i < traffic->count; i++) wl_count_free(&traffic->items[i]);
    free(traffic->items);
    *traffic = (wl_traffic){0};
}

wl_status wl_traffic_status(const wl_traffic *traffic) {
    int any = 0;
    for (size_t i = traffic->first; i < traffic->count; i++) {
        const wl_count *item = &traffic->items[i];
        if (wl_failed(&item->verdict))
            return wl_fail(WL_CHECK_FAILED, "the check of %s/%s on sim failed: %s", item->variant->problem,
                           item->variant->name, item->verdict.reason);
        any |= wl_passed(&item->verdict);
    }
    if (any) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "no variant takes this input; the first: %s",
                   wl_verdict_line(&traffic->items[traffic->first].verdict).text);
}

/* ---- for people ---- */

/* The order on the screen puts what belongs together side by side; files keep the counters' own order. */
static const size_t shown[WL_COUNTERS] = {0, 1, 2, 3, 4, 5, 9, 6, 7, 10, 8};
static const char *const heads[WL_COUNTERS] = {
    "load\nrequests",   "load\nsectors",      "store\nrequests",    "store\nsectors",
    "atomic\nrequests", "atomic\noperations", "shared\nrequests",   "shared\npasses",
    "barriers",         "atomic\naddresses",  "constant\nrequests",
};

static int is_counted(const wl_traffic *traffic, size_t counter) {
    for (size_t i = 0; i < traffic->count; i++)
        if (wl_counter(&traffic->items[i].total, counter) > 0) return 1;
    return 0;
}

/* What stands in a counter's cell, of what was counted in the stage before and now; `text` of at least 32 bytes, which is returned. */
typedef const char *cell_text(const wl_traffic *traffic, uint64_t before, uint64_t now, char *text);

/* A cell for each counter; those that are zero for all stay empty, and so unseen. */
static void put_counters(wl_grid *grid, const wl_traffic *traffic, const wl_sim_counters *before,
                         const wl_sim_counters *now, cell_text *cell) {
    char text[32];
    for (size_t c = 0; c < WL_COUNTERS; c++)
        wl_grid_put_if(grid, is_counted(traffic, shown[c]), heads[shown[c]], "%s",
                       cell(traffic, wl_counter(before, shown[c]), wl_counter(now, shown[c]), text));
}

static const char *number(const wl_traffic *traffic, uint64_t before, uint64_t now, char *text) {
    (void)traffic;
    (void)before;
    return wl_thousands(now, text);
}

static void print_launches(FILE *stream, const wl_traffic *traffic) {
    wl_grid grid = {.left = 2};
    for (size_t i = 0; i < traffic->count; i++) {
        const wl_count *item = &traffic->items[i];
        for (size_t k = 0; k < item->count; k++) {
            const wl_count_kernel *kernel = &item->kernels[k];
            const wl_sim_counters *counters = &kernel->launch.counters;
            char launches[48] = "";
            if (kernel->launches > 1) snprintf(launches, sizeof launches, ", %zu launches", kernel->launches);
            wl_grid_row(&grid);
            wl_grid_put(&grid, "per launch", "%s", k == 0 ? item->variant->name : "");
            wl_grid_put(&grid, "kernel", "%s%s", kernel->launch.kernel, launches);
            put_counters(&grid, traffic, counters, counters, number);
        }
        if (item->count == 1) continue;
        wl_grid_row(&grid);
        wl_grid_put(&grid, "per launch", "%s", item->count == 0 ? item->variant->name : "");
        /* Why a check failed is a long line, and the last that the command prints: not here, where it sets a width. */
        const char *word = item->count == 0 ? "no kernel" : "total";
        if (wl_failed(&item->verdict)) word = wl_verdict_word(&item->verdict);
        wl_grid_put(&grid, "kernel", "%s",
                    item->verdict.state == WL_UNSUPPORTED ? wl_verdict_line(&item->verdict).text : word);
        if (wl_passed(&item->verdict)) put_counters(&grid, traffic, &item->total, &item->total, number);
    }
    wl_grid_print(stream, &grid, "");
}

/* What memory moves for loads and stores: whole sectors. */
static double global_bytes(const wl_sim_counters *counters) {
    enum { SECTOR_BYTES = 32 };
    return SECTOR_BYTES * (double)(counters->global_load_sectors + counters->global_store_sectors);
}

static const char *per_unit(const wl_traffic *traffic, uint64_t before, uint64_t now, char *text) {
    (void)before;
    snprintf(text, 32, "%.3g", (double)now / traffic->work);
    return text;
}

static void print_per_unit(FILE *stream, const wl_traffic *traffic) {
    char title[64];
    const char *unit = traffic->problem->unit;
    snprintf(title, sizeof title, "per %.*s", wl_singular(unit), unit);
    wl_grid grid = {.left = 2};
    for (size_t i = 0; i < traffic->count; i++) {
        const wl_count *item = &traffic->items[i];
        if (!wl_passed(&item->verdict)) continue;
        wl_grid_row(&grid);
        wl_grid_put(&grid, title, "%s", item->variant->name);
        wl_grid_put(&grid, "global\nbytes", "%.3g", global_bytes(&item->total) / traffic->work);
        put_counters(&grid, traffic, &item->total, &item->total, per_unit);
    }
    if (grid.rows > 0) fputc('\n', stream);
    wl_grid_print(stream, &grid, "");
}

static const char *change(const wl_traffic *traffic, uint64_t before, uint64_t now, char *text) {
    (void)traffic;
    if (before == now) return now == 0 ? "-" : "same";
    if (before == 0 || now == 0) return before == 0 ? "new" : "gone";
    snprintf(text, 32, "x%.3g", (double)now / (double)before);
    return text;
}

static void print_changes(FILE *stream, const wl_traffic *traffic) {
    wl_grid grid = {.left = 2};
    for (size_t i = 1; i < traffic->count; i++) {
        const wl_count *item = &traffic->items[i], *before = item - 1;
        while (before > traffic->items && before->variant != item->before) before--;
        if (!item->before || before->variant != item->before || !wl_passed(&item->verdict) ||
            !wl_passed(&before->verdict))
            continue;
        wl_grid_row(&grid);
        wl_grid_put(&grid, "change from the stage before", "%s", item->variant->name);
        wl_grid_put(&grid, "", "%s", "");
        put_counters(&grid, traffic, &before->total, &item->total, change);
    }
    if (grid.rows > 0 && traffic->work > 0) {
        fputc('\n', stream);
        wl_grid_print(stream, &grid, "");
    }
    wl_grid_free(&grid);
}

void wl_traffic_print(FILE *stream, const wl_traffic *traffic) {
    print_launches(stream, traffic);
    if (traffic->work > 0) print_per_unit(stream, traffic);
    print_changes(stream, traffic);
}

/* ---- for programs ---- */

static void print_names(FILE *stream, const char *before) {
    fputs(before, stream);
    for (size_t c = 0; c < WL_COUNTERS; c++) fprintf(stream, "\t%s", wl_counter_name(c));
}

void wl_traffic_print_tsv(FILE *stream, const wl_traffic *traffic) {
    print_names(stream, "variant\tkernel");
    fputs("\tlaunches\tgrid\tblock\tshared_bytes\n", stream);
    for (size_t i = traffic->first; i < traffic->count; i++) {
        const wl_count *item = &traffic->items[i];
        for (size_t k = 0; k < item->count; k++) {
            const wl_sim_launch *launch = &item->kernels[k].launch;
            fprintf(stream, "%s\t%s", item->variant->name, launch->kernel);
            for (size_t c = 0; c < WL_COUNTERS; c++) fprintf(stream, "\t%" PRIu64, wl_counter(&launch->counters, c));
            fprintf(stream, "\t%zu\t%ux%ux%u\t%ux%ux%u\t%zu\n", item->kernels[k].launches, launch->grid[0],
                    launch->grid[1], launch->grid[2], launch->block[0], launch->block[1], launch->block[2],
                    launch->shared_bytes);
        }
    }
}

wl_status wl_traffic_write(const char *path, const wl_traffic *traffic, const wl_traffic_beside *beside,
                           const char *command, unsigned long long seed) {
    wl_outfile file;
    WL_TRY(wl_outfile_open(path, &file));
    wl_results_header(file.stream, command, seed);
    fprintf(file.stream, "# title: %s\n# shape: %s\n# unit: %s\n# work: %.0f\n", traffic->problem->title,
            traffic->shape, traffic->problem->unit, traffic->work);
    if (beside != NULL) fprintf(file.stream, "# paper: %s\n", beside->paper);
    print_names(file.stream, "variant\tkernels");
    fprintf(file.stream, "%s\n", beside != NULL ? "\tpaper_ms" : "");
    for (size_t i = traffic->first; i < traffic->count; i++) {
        const wl_count *item = &traffic->items[i];
        if (!wl_passed(&item->verdict)) continue;
        fprintf(file.stream, "\"%s\"\t\"", item->variant->name);
        for (size_t k = 0; k < item->count; k++)
            fprintf(file.stream, "%s%s", k > 0 ? ", " : "", item->kernels[k].launch.kernel);
        fputc('"', file.stream);
        for (size_t c = 0; c < WL_COUNTERS; c++) fprintf(file.stream, "\t%" PRIu64, wl_counter(&item->total, c));
        if (beside != NULL) {
            const double ms = beside->ms(beside->context, item->variant->name);
            fprintf(file.stream, isnan(ms) ? "\tNA" : "\t%.6g", ms);
        }
        fputc('\n', file.stream);
    }
    return wl_outfile_commit(&file);
}
