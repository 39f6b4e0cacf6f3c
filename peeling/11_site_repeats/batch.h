/* What a block has in shared memory of a batch of joins, and how it gets there. */
#pragma once

#include "harness/device/copy_async.h"
#include "peeling/11_site_repeats/tables.h"

/* How a block is used: `lanes` threads have K patterns each, in `rows` rows with a rate class each, one after the other. The matrices,
   tables and codes of up to `joins` joins, with `entries` of tables, are in shared memory together: a batch. */
typedef struct {
    uint32_t lanes, rows, K, joins, entries;
} layout;

/* A batch in shared memory. There are two, so that one comes while the joins of the other are computed. */
template <typename real> struct batch {
    quad<real> *T; // [rows][entries]
    quad<real> *P; // [rows][joins][2][j]
    uint4 *list;   // [rows][joins]
    uint8_t *code; // [2 joins][lanes * K]
    uint4 *end;
};
template <typename real> static __host__ __device__ __forceinline__ batch<real> batch_at(void *memory, layout block) {
    batch<real> at;
    at.T = (quad<real> *)memory;
    at.P = at.T + block.rows * block.entries;
    at.list = (uint4 *)(at.P + block.rows * block.joins * PAIR);
    at.code = (uint8_t *)(at.list + block.rows * block.joins);
    at.end = (uint4 *)(at.code + 2 * block.joins * block.lanes * block.K);
    return at;
}

template <typename real>
static __device__ __forceinline__ void copy(quad<real> *to, const quad<real> *from, uint32_t count) {
    for (uint32_t i = threadIdx.x; i < count * (sizeof *to / 16); i += blockDim.x)
        wl_copy_async16((uint4 *)to + i, (const uint4 *)from + i);
}
/* What a thread copies of a batch's codes: 16 bytes of every table number table + n * apart. */
typedef struct {
    uint32_t words, word, table, apart;
} share;
/* Starts copying batch c for the block's rows, whose first rate class is r0. */
template <typename real>
static __device__ __forceinline__ void fetch(const peeling_task *task, const peeling_tables *on, layout block,
                                             share mine, batch<real> to, uint32_t c, uint32_t r0, size_t tile0) {
    const peeling_batch from = on->batch[c], next = on->batch[c + 1];
    const uint32_t count = next.join - from.join, tables = next.table - from.table;
    for (uint32_t row = 0; row < block.rows && r0 + row < task->rates; row++) {
        const size_t T0 = (r0 + row) * (size_t)on->entries + from.entry,
                     join0 = (r0 + row) * (size_t)on->joins + from.join;
        copy(to.T + row * block.entries, (const quad<real> *)on->T + T0, next.entry - from.entry);
        copy(to.P + row * block.joins * PAIR, (const quad<real> *)on->P + join0 * PAIR, count * PAIR);
        for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
            wl_copy_async16(to.list + row * block.joins + i, on->list + join0 + i);
    }
    const uint8_t *code = on->code + from.table * on->row + tile0;
    for (uint32_t t = mine.table; t < tables; t += mine.apart)
        wl_copy_async16((uint4 *)to.code + t * mine.words + mine.word, code + t * on->row + mine.word * 16);
}
