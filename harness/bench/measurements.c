#include "harness/bench/measurements.h"

#include <math.h>
#include <stdlib.h>

#include "harness/base/memory.h"
#include "harness/base/outfile.h"
#include "harness/base/stats.h"

wl_measure_options wl_measure_defaults(void) {
    return (wl_measure_options){.noise = 0.005,
                                .least_samples = 10,
                                .least_seconds = 0.5,
                                .most_seconds = 15,
                                .most_samples = 200000,
                                .turn_seconds = 0.02,
                                .cpu_share = 0.5,
                                .shared_rounds = 30,
                                .energy_seconds = 0.5,
                                .least_clock = 0.75};
}

wl_ratio wl_speedup(const wl_measurement *baseline, const wl_measurement *m) {
    if (!baseline || !wl_passed(&baseline->row.verdict) || !wl_passed(&m->row.verdict))
        return (wl_ratio){NAN, NAN, NAN};
    /* A round pairs samples taken under the same conditions. A CPU and a GPU share no conditions, so pairing their samples would only
       add the CPU's noise. Speedup and interval come from the rounds, since the samples of one round depend on each other. */
    if (baseline->variant->backend == WL_CPU && m->variant->backend != WL_CPU)
        return wl_ratio_of_quartile(baseline->round_ms, baseline->rounds, m->round_ms, m->rounds);
    size_t rounds = baseline->rounds < m->rounds ? baseline->rounds : m->rounds;
    return wl_ratio_of(baseline->round_ms, m->round_ms, rounds);
}

void wl_measurements_free(wl_measurements *measurements) {
    for (size_t i = 0; i < measurements->count; i++) {
        WL_FREE(measurements->items[i].samples, measurements->items[i].round_ms);
    }
    free(measurements->items);
    *measurements = (wl_measurements){0};
}

wl_row *wl_measurements_rows(const wl_measurements *measurements) {
    wl_row *rows = malloc((measurements->count ? measurements->count : 1) * sizeof *rows);
    for (size_t i = 0; rows && i < measurements->count; i++) rows[i] = measurements->items[i].row;
    return rows;
}

wl_status wl_measurements_write_samples(const wl_measurements *measurements, const char *path) {
    wl_outfile file;
    WL_TRY(wl_outfile_open(path, &file));
    fputs("variant\tbackend\tdevice\tround\tdataset\tkernel_ms\tclock\tdiscarded\n", file.stream);
    for (size_t i = 0; i < measurements->count; i++) {
        const wl_measurement *m = &measurements->items[i];
        for (size_t k = 0; k < m->sample_count; k++) {
            const wl_sample *sample = &m->samples[k];
            fprintf(file.stream, "%s\t%s\t%s\t%u\t%u\t%.6g\t", m->row.name, m->row.backend, m->row.device,
                    sample->round, sample->dataset, sample->ms);
            if (isnan(sample->clock))
                fputs("NA", file.stream);
            else
                fprintf(file.stream, "%.4f", sample->clock);
            fprintf(file.stream, "\t%d\n", sample->discarded);
        }
    }
    return wl_outfile_commit(&file);
}

wl_status wl_rows_status(const wl_row *rows, size_t count) {
    size_t unsupported = 0;
    for (size_t i = 0; i < count; i++) {
        if (wl_failed(&rows[i].verdict))
            return wl_fail(WL_CHECK_FAILED, "%s/%s on %s: %s", rows[i].problem, rows[i].name, rows[i].backend,
                           wl_verdict_line(&rows[i].verdict).text);
        unsupported += rows[i].verdict.state == WL_UNSUPPORTED;
    }
    if (count == 0 || unsupported < count) return WL_OK;
    return wl_fail(WL_NO_MACHINE, "%s/%s: %s", rows[0].problem, rows[0].name, wl_verdict_line(&rows[0].verdict).text);
}

wl_status wl_measurements_status(const wl_measurements *measurements) {
    wl_row *rows = wl_measurements_rows(measurements);
    if (!rows) return wl_fail(WL_NO_MACHINE, "no memory for the result rows");
    const wl_status status = wl_rows_status(rows, measurements->count);
    free(rows);
    return status;
}
