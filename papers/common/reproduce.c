/* The papers, by name, and what their reproductions share: names of files, charts. */
#define _GNU_SOURCE /* asprintf */
#include "papers/common/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "harness/bench/device.h"
#include "harness/bench/results.h"
#include "plots/chart.h"

static wl_reproduction *first;

void wl_register_reproduction(wl_reproduction *reproduction) {
    wl_reproduction **at = &first;
    while (*at != NULL && strcmp((*at)->name, reproduction->name) < 0) at = &(*at)->next;
    reproduction->next = *at;
    *at = reproduction;
}

const wl_reproduction *wl_reproductions(void) { return first; }

char *wl_reproduction_file(const wl_paper_request *asked, const wl_reproduction *which, const char *what) {
    char *path;
    if (asprintf(&path, "%s/%s%s.tsv", asked->out == NULL ? "out" : asked->out, which->name, what) < 0) return NULL;
    return path;
}

wl_status wl_reproduction_try(const wl_paper_request *asked, const wl_reproduction *which) {
    char *path = wl_reproduction_file(asked, which, "");
    wl_status status =
        path == NULL ? wl_fail(WL_NO_MACHINE, "not enough memory for the files' names") : wl_file_try(path);
    free(path);
    return status;
}

wl_status wl_reproduction_devices(const wl_paper_request *asked, size_t most, wl_device_list *devices, int *simulated) {
    wl_device_list all;
    char every[16 + 4 * WL_DEVICES_MOST] = "gpu:0";
    const int gpus = wl_gpu_count(NULL);
    for (int g = 1; g < gpus && (size_t)g < most && g < WL_DEVICES_MOST - 1; g++)
        snprintf(every + strlen(every), sizeof every - strlen(every), ",%d", g);
    wl_status status = wl_devices_select(asked->device_given || gpus == 0 ? asked->device : every, &all);
    devices->count = 0;
    if (simulated != NULL) *simulated = 0;
    for (size_t i = 0; status == WL_OK && i < all.count; i++) {
        const int is_sim = all.items[i].backend == WL_SIM;
        if (is_sim && simulated != NULL) *simulated = 1;
        if (!is_sim && devices->count <= most) devices->items[devices->count++] = all.items[i];
    }
    return status;
}

void wl_reproduction_machine(const wl_device_list *devices, char *text, size_t size) {
    const wl_device *cpu = &devices->items[0];
    const size_t gpus = devices->count - 1;
    char several[32] = "";
    if (gpus > 1) snprintf(several, sizeof several, "%zu x ", gpus);
    snprintf(text, size, "%s%s%s%s, %d thread%s", several, gpus > 0 ? cpu[1].name : "", gpus > 0 ? "; " : "", cpu->name,
             cpu->multiprocessors, cpu->multiprocessors == 1 ? "" : "s");
}

wl_status wl_reproduction_draw(const wl_paper_request *asked, const char *script, const char *tsv, int in_terminal) {
    if (!wl_chart_possible()) {
        if (!asked->quiet) fprintf(stderr, "%s written; gnuplot is not installed, so its charts were left out\n", tsv);
        return WL_OK;
    }
    wl_status status = wl_chart_draw(script, tsv, "");
    if (status == WL_OK && in_terminal && !asked->json && !asked->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, script, tsv);
    }
    if (status == WL_OK && !asked->quiet) fprintf(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

wl_status wl_reproduction_draw_roofline(const wl_paper_request *asked, const char *tsv) {
    wl_status status = wl_chart_draw("roofline", tsv, "_roofline");
    if (status == WL_OK && !asked->json && !asked->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, "roofline", tsv);
    }
    return status;
}

wl_status wl_reproduction_open(const char *path, const char *command, unsigned long long seed, const wl_paper *paper,
                               const char *machine, wl_outfile *file) {
    wl_status status = wl_outfile_open(path, file);
    if (status != WL_OK) return status;
    wl_results_header(file->stream, command, seed);
    fprintf(file->stream, "# machine: %s\n# paper: %s, %s\n# paper_machine: %s\n", machine,
            wl_paper_header(paper, "short"), wl_paper_header(paper, "figure"), wl_paper_header(paper, "short_machine"));
    return WL_OK;
}
