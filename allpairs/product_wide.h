/* A tile of 128 x 128 ACROSS sums by two warpgroups (ACROSS: 1 or 2), which write the tile before while the tensor cores multiply. Matrices
   and lines are those of allpairs/product_units.h, but 16 instances are in another order (wl_wide_row), and a line of a tile has
   ACROSS tiles of columns.

   At a tile's end a thread packs two of its sums in a register, 16 bits each. It writes them in parts of 16 columns between the lines
   of the next tile: products need no instructions while they are under way. */
#ifndef ALLPAIRS_PRODUCT_WIDE_H
#define ALLPAIRS_PRODUCT_WIDE_H

#include "allpairs/product_units.h"

enum {
    WL_WIDE_PART = 16,                           /* columns */
    WL_WIDE_PARTS = WL_UNIT_TILE / WL_WIDE_PART, /* of 128 columns */
    WL_WIDE_PACKED = WL_WARPGROUP_SUMS / 2,      /* registers for 128 columns */
    WL_WIDE_STAGES = 6 * WL_UNIT_STAGE,          /* bytes of all stages */
    WL_WIDE_BARRIERS = 2 * 6 * (int)sizeof(wl_mbarrier),
    WL_WIDE_SHARED = WL_UNIT_ALIGN + WL_WIDE_STAGES + WL_WIDE_BARRIERS,
    WL_WIDE_THREADS = WL_UNIT_THREADS + WL_WARPGROUP, /* a third warpgroup copies, and gives the others registers */
    WL_WIDE_REGISTERS = 232,
    WL_WIDE_REGISTERS_LEFT = 40
};

/* The row of a unit that an instance takes. In a part, lane % 4 = q then has the sums of columns 4q to 4q + 3: 16 bytes side by side. */
static __device__ __forceinline__ size_t wl_wide_row(size_t instance) {
    return instance / 16 * 16 + instance / 2 % 2 * 8 + instance / 4 % 4 * 2 + instance % 2;
}

/* --- Which tile is next ---------------------------------------------------------------------------------------------- */

/* Row j and columns i, counted in tiles of 128. Bit k: columns i[k] are written; are written mirrored, too. */
template <int ACROSS> struct wl_wide_place { unsigned j, i[ACROSS], written, mirrored; };

/* A symmetric matrix of `tiles` x `tiles`: the columns stand in a ring, and each row has those up to half the ring after it. So all rows
   have the same number of tiles, and every pair is in one of them. */
template <int ACROSS> static __host__ __device__ inline unsigned wl_wide_symmetric_pairs(unsigned tiles) {
    return (tiles / 2 + ACROSS) / ACROSS;
}
template <int ACROSS>
static __device__ __forceinline__ wl_wide_place<ACROSS> wl_wide_symmetric(unsigned t, unsigned tiles) {
    const uint2 at = wl_unit_any(t, tiles, wl_wide_symmetric_pairs<ACROSS>(tiles));
    wl_wide_place<ACROSS> place = {at.x, {0}, 0, 0};
#pragma unroll
    for (int k = 0; k < ACROSS; k++) {
        const unsigned after = ACROSS * at.y + k, i = at.x + after;
        place.i[k] = i < tiles ? i : i - tiles;
        if (2 * after > tiles || (2 * after == tiles && 2 * at.x >= tiles)) continue; // half a ring: from one side
        place.written |= 1u << k;
        if (after > 0) place.mirrored |= 1u << k;
    }
    return place;
}
/* Any matrix. */
template <int ACROSS> static __host__ __device__ inline unsigned wl_wide_pairs(unsigned across) {
    return (across + ACROSS - 1) / ACROSS;
}
template <int ACROSS>
static __device__ __forceinline__ wl_wide_place<ACROSS> wl_wide_any(unsigned t, unsigned down, unsigned across) {
    const uint2 at = wl_unit_any(t, down, wl_wide_pairs<ACROSS>(across));
    wl_wide_place<ACROSS> place = {at.x, {0}, 0, 0};
#pragma unroll
    for (int k = 0; k < ACROSS; k++) {
        const unsigned i = ACROSS * at.y + k;
        place.i[k] = i < across ? i : across - 1;
        if (i < across) place.written |= 1u << k;
    }
    return place;
}

/* --- Lines ----------------------------------------------------------------------------------------------------------- */

template <int ACROSS> struct wl_wide_ring {
    static const int BYTES = (1 + ACROSS) * WL_UNIT_SIDE * WL_UNIT, COUNT = WL_WIDE_STAGES / BYTES;
    char *stages;              // [COUNT][BYTES]
    wl_mbarrier *full, *empty; // [COUNT]
    int stage;                 // of this thread's next line, and the parity of its barriers
    unsigned parity;
};

/* All threads of the block, first; `memory` has WL_WIDE_SHARED bytes. The threads from WL_UNIT_THREADS on are to copy. */
template <int ACROSS> static __device__ __forceinline__ wl_wide_ring<ACROSS> wl_wide_begin(void *memory) {
    typedef wl_wide_ring<ACROSS> ring;
    char *stages = wl_unit_stages(memory);
    wl_mbarrier *full = (wl_mbarrier *)(stages + WL_WIDE_STAGES), *empty = full + ring::COUNT;
    if (threadIdx.x == 0) {
        for (int s = 0; s < ring::COUNT; s++) wl_mbarrier_init(&full[s], 1), wl_mbarrier_init(&empty[s], WL_UNIT_SIDE);
        wl_mbarrier_publish();
    }
    __syncthreads();
    const int copies = threadIdx.x >= WL_UNIT_THREADS; // for it, at first all stages count as emptied
    return {stages, full, empty, 0, (unsigned)copies};
}
template <int ACROSS> static __device__ __forceinline__ void wl_wide_next(wl_wide_ring<ACROSS> *r) {
    if (++r->stage == r->COUNT) r->stage = 0, r->parity ^= 1;
}

/* One thread: copies the lines of a tile, each as soon as a stage is empty. */
template <int ACROSS>
static __device__ __forceinline__ void wl_wide_copy(wl_wide_ring<ACROSS> *r, const char *rows, const char *columns,
                                                    int lines, const wl_wide_place<ACROSS> &place) {
#pragma unroll 1 // for few registers
    for (int line = 0; line < lines; line++, wl_wide_next(r)) {
        wl_mbarrier *full = &r->full[r->stage];
        char *stage = r->stages + r->stage * r->BYTES;
        wl_mbarrier_wait(&r->empty[r->stage], r->parity);
        wl_mbarrier_expect(full, r->BYTES);
        wl_unit_copy_side(stage, full, rows, lines, place.j, line);
#pragma unroll
        for (int k = 0; k < ACROSS; k++)
            wl_unit_copy_side(stage + (k + 1) * WL_UNIT_SIDE * WL_UNIT, full, columns, lines, place.i[k], line);
    }
}

/* The threads that multiply: add the products of the next `lines` lines to this warpgroup's sums. Meanwhile write(0) to
   write(ACROSS * WL_WIDE_PARTS - 1). */
template <int ACROSS, typename Write>
static __device__ __forceinline__ void wl_wide_multiply(wl_wide_ring<ACROSS> *r, int (&sum)[ACROSS * WL_WARPGROUP_SUMS],
                                                        int lines, const Write &write) {
    const int warpgroup = threadIdx.x / WL_WARPGROUP;
    const int speaks = threadIdx.x % WL_WARPGROUP == 0; // arrives for its warpgroup
    int line = 0, last = 0;
#pragma unroll
    for (int part = 0; part < ACROSS * WL_WIDE_PARTS; part++) { // the compiler has to know the registers of each part
#pragma unroll 1
        for (const int until = lines * (part + 1) / (ACROSS * WL_WIDE_PARTS); line < until; line++, wl_wide_next(r)) {
            wl_mbarrier_wait(&r->full[r->stage], r->parity);
            wl_unit_multiply(sum, r->stages + r->stage * r->BYTES, warpgroup);
            wl_warpgroup_wait<1>(); // the line before has been multiplied
            if (line > 0 && speaks) wl_mbarrier_arrive(&r->empty[last]);
            last = r->stage;
        }
        write(part);
    }
    wl_warpgroup_finish(sum);
    if (lines > 0 && speaks) wl_mbarrier_arrive(&r->empty[last]);
}

/* --- Writing --------------------------------------------------------------------------------------------------------- */

/* Two neighbouring sums in one word, each modulo 2^16; or both whole. */
static __device__ __forceinline__ uint32_t wl_wide_pack(int first, int second) {
    return ((unsigned)first & 0xffff) | (unsigned)second << 16;
}
/* Four neighbours. */
static __device__ __forceinline__ int4 wl_wide_four(uint32_t a, uint32_t b) {
    return make_int4((int)(a & 0xffff), (int)(a >> 16), (int)(b & 0xffff), (int)(b >> 16));
}
static __device__ __forceinline__ int4 wl_wide_four(int2 a, int2 b) { return make_int4(a.x, a.y, b.x, b.y); }

/* 8 x 8 numbers, two in each lane as in a sum's tile: the same of the transposed numbers. */
static __device__ __forceinline__ uint32_t wl_wide_transposed(uint32_t two) {
    const int lane = threadIdx.x % 32, from = 8 * (lane % 4) + lane / 8;
    const uint32_t first = __shfl_sync(~0u, two, from), second = __shfl_sync(~0u, two, from + 4);
    return lane / 4 % 2 ? first >> 16 | (second & 0xffff0000) : (first & 0xffff) | second << 16;
}
static __device__ __forceinline__ int2 wl_wide_transposed(int2 two) {
    const int lane = threadIdx.x % 32, from = 8 * (lane % 4) + lane / 8;
    const int2 first = make_int2(__shfl_sync(~0u, two.x, from), __shfl_sync(~0u, two.y, from));
    const int2 second = make_int2(__shfl_sync(~0u, two.x, from + 4), __shfl_sync(~0u, two.y, from + 4));
    return lane / 4 % 2 ? make_int2(first.y, second.y) : make_int2(first.x, second.x);
}

/* This thread's first row among its warp's 16; its second is two further on. */
static __device__ __forceinline__ unsigned wl_wide_one(void) {
    const unsigned lane = threadIdx.x % 32;
    return lane / 8 * 4 + lane / 4 % 2;
}

/* Part `part` of a tile, and mirrored: store(row, column, four) of four neighbours at a multiple of four; the last of them may be beyond
   the last column. two(k): this thread's sums 2k and 2k + 1. */
template <int ACROSS, typename Two, typename Store>
static __device__ __forceinline__ void wl_wide_write(int part, const wl_wide_place<ACROSS> &place, size_t rows,
                                                     size_t columns, const Two &two, const Store &store) {
    const unsigned tile = part / WL_WIDE_PARTS;
    unsigned first_j = place.j * WL_UNIT_TILE + threadIdx.x / 32 * WL_WIDE_PART; // of the warp's 16 rows
#ifndef WL_SIMULATED
    __asm__ volatile("" : "+r"(first_j)); // addresses of later parts are not to be in registers already
#endif
    const unsigned first_i = place.i[tile] * WL_UNIT_TILE + part % WL_WIDE_PARTS * WL_WIDE_PART;
    const unsigned one = wl_wide_one(), four = threadIdx.x % 4 * 4; // of 16 rows or columns
    if (place.written >> tile & 1)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned j = first_j + one + 2 * h, i = first_i + four;
            if (j < rows && i < columns) store(j, i, wl_wide_four(two(4 * part + h), two(4 * part + 2 + h)));
        }
    if (place.mirrored >> tile & 1)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const unsigned i = first_i + one + 2 * h, j = first_j + four;
            const auto first = wl_wide_transposed(two(4 * part + 2 * h));
            const auto second = wl_wide_transposed(two(4 * part + 2 * h + 1));
            if (i < columns && j < rows) store(i, j, wl_wide_four(first, second));
        }
}

/* Four numbers, as far as there are so many columns. FOURS: `columns` is a multiple of 4, which makes the code shorter. */
template <int FOURS>
static __device__ __forceinline__ void wl_wide_store(int *to, size_t columns, size_t row, size_t column, int4 numbers) {
    int *at = to + columns * row + column;
    if (FOURS || columns % 4 == 0) {
        *(int4 *)at = numbers;
        return;
    }
    at[0] = numbers.x;
    if (column + 1 < columns) at[1] = numbers.y;
    if (column + 2 < columns) at[2] = numbers.z;
    if (column + 3 < columns) at[3] = numbers.w;
}

#endif
