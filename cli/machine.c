/* warpladder machine: what this machine is, and what it can do at most. */
#include "harness/bench/machine.h"

#include <math.h>
#include <stdio.h>

#include "cli/commands.h"
#include "harness/base/grid.h"
#include "harness/bench/device.h"
#include "harness/gpu/gpu.h"
#include "harness/probes/rates.h"
#include "harness/base/json.h"

static const wl_option options[] = {
    {"measure", NULL, NULL, "measure memory bandwidth and instruction rates, about one second per device"},
    {NULL, NULL, NULL, NULL},
};

typedef struct {
    int json, started;
    wl_grid grid;
} printer;

static void fact(void *context, const char *key, const char *value) {
    printer *p = context;
    if (!p->json) {
        wl_grid_row(&p->grid);
        wl_grid_put(&p->grid, NULL, "%s", key);
        wl_grid_put(&p->grid, NULL, "%s", value);
        return;
    }
    printf("%s\n  ", p->started ? "," : "{");
    p->started = 1;
    wl_json_text(stdout, key);
    wl_put_text(stdout, ": ", value);
}

static void number(printer *p, const char *prefix, const char *what, double value, double scale, const char *unit) {
    char key[96], text[64];
    if (!isfinite(value)) return;
    snprintf(key, sizeof key, "%s_%s", prefix, what);
    if (p->json) {
        printf("%s\n  \"%s\": %.6g", p->started ? "," : "{", key, value);
        p->started = 1;
        return;
    }
    snprintf(text, sizeof text, "%.4g %s", value / scale, unit);
    fact(p, key, text);
}

static void print_rates(printer *p, const wl_device *device, const char *prefix) {
    const wl_rates *rates = wl_rates_of(device, WL_RATES);
    number(p, prefix, "copy_bandwidth", rates->bandwidth, 1e9, "GB/s, read plus written");
    for (int r = WL_RATE_NONE + 1; r < WL_RATES; r++)
        number(p, prefix, wl_rate_name((wl_rate)r), rates->operations[r], 1e9, "G operations/s");
    double seconds = NAN;
    if (device->backend == WL_GPU && wl_gpu_empty_seconds(device, &seconds) == WL_OK)
        number(p, prefix, "empty_kernel", seconds, 1e-6, "us between events around an empty kernel");
}

static wl_status measure(printer *p) {
    wl_device_list devices;
    char request[96] = "cpu";
    wl_devices_all_gpus(request, sizeof request, WL_DEVICES_MOST);
    wl_status status = wl_devices_select(request, &devices);
    for (size_t d = 0; status == WL_OK && d < devices.count; d++) {
        char prefix[24] = "cpu";
        const wl_device *device = &devices.items[d];
        if (device->backend == WL_GPU)
            snprintf(prefix, sizeof prefix, device->ordinal ? "gpu%d" : "gpu", device->ordinal);
        print_rates(p, device, prefix);
    }
    return status;
}

static wl_status machine(const wl_args *args) {
    printer p = {.json = args->json, .grid = {.left = 2}};
    wl_machine_facts(fact, &p);
    wl_build_facts(fact, &p);
    wl_status status = wl_argument_given(&args->own, "measure") ? measure(&p) : WL_OK;
    if (args->json) puts("\n}");
    wl_grid_print(stdout, &p.grid, "");
    return status;
}

static const wl_command command_machine = {
    .name = "machine",
    .brief = "describe this machine and, with --measure, its bandwidth and rates",
    .summary = "Describe this machine and this program, as the header of a result file does.",
    .example = "warpladder machine --measure",
    .options = options,
    .common = WL_TAKES_JSON,
    .run = machine,
};

WL_REGISTER_COMMAND(command_machine)
