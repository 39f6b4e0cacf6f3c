/* The papers, by name, and what their reproductions share: names of files, charts. */
#include "papers/common/reproduce.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
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
    char every[16 + 4 * WL_DEVICES_MOST];
    const int gpus = wl_devices_all_gpus(every, sizeof every, most);
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

wl_measure_options wl_reproduction_point_options(size_t samples, double most_seconds) {
    wl_measure_options options = wl_measure_defaults();
    options.least_samples = options.shared_rounds = samples;
    options.least_seconds = 0.05;
    options.most_seconds = most_seconds;
    options.cpu_share = 0;
    options.clockwork = wl_clockwork_real();
    return options;
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
        if (!asked->quiet) wl_print(stderr, "%s written; gnuplot is not installed, so its charts were left out\n", tsv);
        return WL_OK;
    }
    wl_status status = wl_chart_draw(script, tsv, "");
    if (status == WL_OK && in_terminal && !asked->json && !asked->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, script, tsv);
    }
    if (status == WL_OK && !asked->quiet) wl_print(stderr, "%s and its charts, .svg and .png, written\n", tsv);
    return status;
}

static wl_status draw_roofline(const wl_paper_request *asked, const char *tsv) {
    wl_status status = wl_chart_draw("roofline", tsv, "_roofline");
    if (status == WL_OK && !asked->json && !asked->quiet) {
        fputc('\n', stdout);
        status = wl_chart_print(stdout, "roofline", tsv);
    }
    return status;
}

void wl_reproduction_print_machines(FILE *stream, const wl_paper *paper, const char *machine, int has_gpu,
                                    const char *so) {
    const char *reason;
    fprintf(stream, "the paper's machine: %s\nthis machine: %s\n", wl_paper_header(paper, "short_machine"), machine);
    if (has_gpu) return;
    if (wl_gpu_count(&reason) == 0)
        fprintf(stream, "There is no GPU here (%s): %s.\n", reason, so);
    else
        fprintf(stream, "No GPU was asked for: %s.\n", so);
}

/* The header: machine, commit, seed, command, and whose figure stands beside what machine. */
static wl_status write_file(const wl_paper_request *asked, const char *path, const wl_reproduction_output *file,
                            const wl_reproduction_shown *shown) {
    wl_outfile out;
    WL_TRY(wl_outfile_open(path, &out));
    wl_results_header(out.stream, asked->text, asked->seed);
    fprintf(out.stream, "# machine: %s\n# paper: %s, %s\n# paper_machine: %s\n", shown->machine,
            wl_paper_header(file->paper, "short"), wl_paper_header(file->paper, "figure"),
            wl_paper_header(file->paper, "short_machine"));
    file->head(out.stream, shown->run, file->table);
    wl_rows_file(out.stream, file->rows, shown->run, file->table);
    return wl_outfile_commit(&out);
}

wl_status wl_reproduction_show(const wl_paper_request *asked, const wl_reproduction *which,
                               const wl_reproduction_shown *shown) {
    wl_status status = WL_OK;
    if (asked->json) {
        wl_put_text(stdout, "{\"reproduction\": ", which->name);
        wl_put_text(stdout, ", \"machine\": ", shown->machine);
        shown->print_json(stdout, shown->run);
        fputs("}\n", stdout);
    } else if (!asked->quiet) {
        shown->print(stdout, shown->run);
    }
    for (const wl_reproduction_output *file = shown->files; status == WL_OK && file < shown->files + shown->count;
         file++) {
        if (file->what == NULL) continue;
        char *path = wl_reproduction_file(asked, which, file->what);
        if (path == NULL) return wl_fail(WL_NO_MACHINE, "not enough memory for the files' names");
        status = write_file(asked, path, file, shown);
        if (status == WL_OK && file->script != NULL)
            status = wl_reproduction_draw(asked, file->script, path, file->in_terminal);
        else if (status == WL_OK && !asked->quiet)
            wl_print(stderr, "%s written\n", path);
        if (status == WL_OK && file->has_roofline && wl_chart_possible()) status = draw_roofline(asked, path);
        free(path);
    }
    return status;
}
