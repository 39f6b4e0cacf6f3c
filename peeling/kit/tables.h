/* Tables of repeated columns (repeats.h) on the device, for stages of four states. */
#pragma once

#include "peeling/kit/repeats.h"
#include "peeling/kit/stage.h"
#include "peeling/problem.h"

/* What is on the device besides the task (repeats.h). */
typedef struct {
    uint32_t tables, entries, batches, joins;
    size_t row;
    uint8_t *code;        // [tables][row]
    peeling_entry *entry; // [entries]
    peeling_step *step;
    uint32_t *first;        // [tables + 1] into the entries
    uint32_t *first_step;   // [tables + 1]
    peeling_batch *batch;   // [batches + 1]
    peeling_reader *reader; // [tables]
    void *T;                // real [rates][entries][4]
    int *exponent;          // [rates][entries]
    uint4 *list;            // [rates][joins]: the joins, as the kernel reads them
    void *P;                // real [rates][joins][2][4][4]: their matrices
    double *total;          // [blocks]
} peeling_tables;

/* Where each piece of `own` is, and how long all are together. */
static size_t peeling_tables_lay_out(const peeling_input *in, const peeling_task *task, char *own, peeling_tables *on) {
    const size_t tips = task->tips, codes = in->data.codes < 256 ? in->data.codes : 256, rates = task->rates;
    const size_t subtrees = 2 * tips, entries = tips * (codes + peeling_repeats_most(task->patterns));
    size_t used = 0;
    const auto piece = [&](size_t bytes) {
        char *at = own ? own + used : NULL;
        used += (bytes + 15) / 16 * 16;
        return (void *)at;
    };
    on->row = ((size_t)task->patterns + PEELING_ROW - 1) / PEELING_ROW * PEELING_ROW;
    on->code = (uint8_t *)piece(tips * on->row);
    on->T = piece(rates * entries * 4 * peeling_real(in));
    on->exponent = (int *)piece(rates * entries * sizeof(int));
    on->list = (uint4 *)piece(rates * tips * sizeof(uint4));
    on->P = piece(rates * tips * 2 * 16 * peeling_real(in));
    on->total = (double *)piece(((size_t)task->patterns / PEELING_WARP + 1) * sizeof(double));
    on->entry = (peeling_entry *)piece(entries * sizeof(peeling_entry));
    on->step = (peeling_step *)piece(subtrees * sizeof(peeling_step));
    on->first = (uint32_t *)piece(subtrees * sizeof(uint32_t));
    on->first_step = (uint32_t *)piece(subtrees * sizeof(uint32_t));
    on->batch = (peeling_batch *)piece(subtrees * sizeof(peeling_batch));
    on->reader = (peeling_reader *)piece(tips * sizeof(peeling_reader));
    return used;
}
static peeling_tables peeling_tables_of(const peeling_state *s) {
    peeling_tables on = {s->repeats->tables, s->repeats->entries, s->repeats->batches, s->repeats->joins};
    peeling_tables_lay_out(s->input, &s->task, (char *)s->own, &on);
    return on;
}
static size_t peeling_tables_bytes(const peeling_input *in, const peeling_task *task) {
    peeling_tables on;
    return peeling_tables_lay_out(in, task, NULL, &on);
}

/* Copies s->repeats, cut into batches, to the device. */
static wl_status peeling_tables_upload(peeling_state *s) {
    const peeling_repeats *r = s->repeats;
    const peeling_tables on = peeling_tables_of(s);
    wl_status status = WL_OK;
    const auto copy = [&](const void *to, const void *from, size_t bytes) {
        if (status == WL_OK && bytes > 0) status = wl_transfer((void *)to, from, bytes, cudaMemcpyHostToDevice);
    };
    copy(on.code, r->code, r->tables * on.row);
    copy(on.entry, r->entry, r->entries * sizeof *r->entry);
    copy(on.step, r->step, r->steps * sizeof *r->step);
    copy(on.first, r->first, (r->tables + (size_t)1) * sizeof *r->first);
    copy(on.first_step, r->first_step, (r->tables + (size_t)1) * sizeof *r->first_step);
    copy(on.batch, r->batch, (r->batches + (size_t)1) * sizeof *r->batch);
    copy(on.reader, r->reader, r->tables * sizeof *r->reader);
    return status;
}
