/* How large tiles are, and whether the matrix fits into memory. */
#include <math.h>

#include "tools/distances/matrix/internal.h"
#include "harness/base/cpu.h"
#include "harness/bench/pool.h"
#include "harness/base/memory.h"

enum {
    STEP = 64, // sides are a multiple of it, where they can be: kernels' tiles are
    PAGE = 4096,
    SIDE_LEAST = 32, // whatever the memory
    SIDE_MOST = 8192,
    SIDE_FULL = 4096,        // fills a GPU several times over; the most where instances stay on the device
    SIDE_FULL_SHARED = 2048, // the same, where devices should finish together
    SIDE_CPU_LEAST = 128,    // from here on laying out costs little
    LAID_OUT = 3,            // times the planes: with what stages make of them
    TILES_A_WORKER = 4,
    BAND_ROWS = 64,  // that are gathered at least when rows are read, where memory is no matter
    STRIP_LEAST = 16 // rows of a tile, where rows are read once and in order
};
/* A row of tiles, where rows are read once and in order: with two processors, 70,000 sequences of 60 sites took no less time in larger
   ones. A GPU has more to do at a time. */
#define STRIP_BYTES 32e6
#define STRIP_BYTES_GPU 128e6
#define LAID_OUT_BYTES 32e6 // of a tile's columns by CPU variants
/* Comparisons per second, for guesses only: the values are rather too low. */
#define RATE_GPU 1e14
#define RATE_CORE 3e10
#define RATE_SIM 1e7
#define RATE_REAL 1e9
/* The work of a tile on CPUs: little, so that progress is seen and a run that is killed loses little. */
#define TILE_SECONDS 1.0

static size_t row_bytes(const distances_data *data) {
    return data->real ? data->sites * sizeof(double) : (size_t)(data->planes + 1) * data->words * sizeof(uint64_t);
}

static int by_variants(const distances_plan *plan) { return distances_by_variants(plan->stored); }

/* Planes that a model's runs are given, beside those of the data; and how many runs there are. */
static double views(const distances_plan *plan) { return distances_model_counts(plan->stored) > 0 ? 2 : 1; }
static double runs(const distances_plan *plan) { return fmax(distances_model_counts(plan->stored), 1); }

static size_t device_memory(const distances_request *request, const wl_device *device) {
    size_t memory = device->memory_free;
    if (request->device_memory > 0 && memory > request->device_memory) memory = request->device_memory;
    return memory / wl_pool_workers(device);
}

/* The largest side with `linear` * side + `square` * side^2 <= bytes. */
static double side_within(double linear, double square, double bytes) {
    return (sqrt(linear * linear + 4 * square * bytes) - linear) / (2 * square);
}

/* Bytes per pair of the results that a worker holds: [2][rows][columns] as variants and real.c write them. */
static double pair_bytes(const distances_plan *plan) {
    if (distances_model_counts(plan->stored) > 0) return (double)distances_model_bytes(plan->stored);
    return (double)distances_stored_bytes(plan->stored) + sizeof(uint32_t);
}

double distances_plan_work_bytes(const distances_plan *plan, size_t side) {
    return (double)plan->workers * pair_bytes(plan) * (double)side * (double)side;
}

int distances_stays(const distances_data *data, size_t memory) {
    enum { SHARE = 16 };
    return data->count * row_bytes(data) <= memory / SHARE;
}

/* By memory: a quarter of the main memory for results under way, another for what CPU variants lay out, and what a device has for
   its part. */
static double side_most(const distances_request *request, const distances_plan *plan) {
    double quarter = (double)plan->memory / 4;
    double side = fmin(sqrt(quarter / (double)plan->workers / pair_bytes(plan)), SIDE_MOST);
    double result = pair_bytes(plan), rows = 2 * (double)row_bytes(request->data) * views(plan);
    for (size_t d = 0; d < request->device_count && by_variants(plan); d++) {
        double share = 0.9 * (double)device_memory(request, &request->devices[d]);
        int on_cpu = request->devices[d].backend == WL_CPU;
        side = fmin(side, on_cpu ? quarter / rows : side_within(LAID_OUT * rows, result, share));
        /* Smaller tiles make no more copies then, and the first rows are there sooner. */
        if (!on_cpu && distances_stays(request->data, (size_t)share)) side = fmin(side, SIDE_FULL);
    }
    return fmax(side, SIDE_LEAST);
}

/* Results under way, and what CPU variants lay out: both sides of a tile, or the one side of the only tile. */
static double needed_least(const distances_request *request, const distances_plan *plan) {
    const size_t count = request->data->count, side = count < SIDE_LEAST ? count : SIDE_LEAST;
    double bytes = distances_plan_work_bytes(plan, side);
    for (size_t d = 0; d < request->device_count && by_variants(plan); d++)
        if (request->devices[d].backend == WL_CPU)
            bytes += (side < count ? 2.0 : 1.0) * (double)side * (double)row_bytes(request->data) * views(plan);
    return bytes;
}

typedef struct {
    size_t gpus, cpus;
    double rate; // of all devices, comparisons per second
} pool;

static pool count_pool(const distances_request *request, const distances_plan *plan, int threads) {
    pool c = {0};
    if (!by_variants(plan)) return (pool){.cpus = 1, .rate = RATE_REAL * threads};
    for (size_t d = 0; d < request->device_count; d++) {
        wl_backend backend = request->devices[d].backend;
        c.gpus += backend == WL_GPU;
        c.cpus += backend == WL_CPU;
        c.rate += backend == WL_GPU ? RATE_GPU : backend == WL_CPU ? RATE_CORE * threads : RATE_SIM;
    }
    return c;
}

/* By work: large where a GPU wants to be filled, a second's work on others, and as many tiles as balance needs. */
static double side_wanted(const distances_request *request, const distances_plan *plan, const pool *pool) {
    double n = (double)request->data->count;
    if (pool->gpus == 0) return fmax(sqrt(TILE_SECONDS * pool->rate / (double)request->data->sites), SIDE_CPU_LEAST);
    double least = pool->gpus > 1 ? SIDE_FULL_SHARED : SIDE_FULL;
    double across = ceil(sqrt(2.0 * TILES_A_WORKER * (double)plan->workers));
    return fmax(n / across, least);
}

/* Bytes that a pair takes in memory or in a store. */
static size_t kept_bytes(const distances_plan *plan) {
    return distances_stored_bytes(plan->stored) + (plan->keep_compared ? sizeof(uint32_t) : 0);
}

/* Columns of a tile with so many rows: by work, balance and memory. */
static double wide_most(const distances_request *request, const distances_plan *plan, const pool *pool, double side) {
    const double row = (double)row_bytes(request->data) * views(plan), columns = (double)plan->grid.columns;
    double wide = plan->workers > 1 ? ceil(columns / (double)(2 * plan->workers)) : columns;
    if (pool->gpus == 0) wide = fmin(wide, TILE_SECONDS * pool->rate / (double)request->data->sites / side);
    for (size_t d = 0; d < request->device_count && by_variants(plan); d++) {
        const double share = 0.9 * (double)device_memory(request, &request->devices[d]);
        const int on_cpu = request->devices[d].backend == WL_CPU;
        wide =
            fmin(wide, on_cpu ? fmin(LAID_OUT_BYTES, (double)plan->memory / 4) / row
                              : (share / (LAID_OUT * row) - side) / (1 + side * pair_bytes(plan) / (LAID_OUT * row)));
    }
    return wide;
}

/* Strips of the matrix: a row of tiles is in memory while its rows are read, and another one where devices work meanwhile. */
static void plan_strips(const distances_request *request, distances_plan *plan, const pool *pool) {
    const size_t count = request->data->count, split = request->split;
    distances_grid *grid = &plan->grid;
    *grid = (distances_grid){
        .rows = split ? split : count, .columns = count - split, .first = split, .is_triangle = split == 0};
    const double strip = fmin(pool->gpus > 0 ? STRIP_BYTES_GPU : STRIP_BYTES, (double)plan->memory / 8);
    const double rows = fmax(strip / ((double)kept_bytes(plan) * (double)grid->columns), STRIP_LEAST);
    grid->side = (size_t)fmin(fmin(rows, SIDE_FULL), (double)grid->rows);
    const double wide = wide_most(request, plan, pool, (double)grid->side) / (double)grid->side;
    grid->wide = (wide < 1 ? 1 : (size_t)wide) * grid->side;
    grid->down = (grid->rows + grid->side - 1) / grid->side;
    grid->across = (grid->columns + grid->wide - 1) / grid->wide;
    plan->tile_bytes = (kept_bytes(plan) * grid->side * grid->wide + PAGE - 1) / PAGE * PAGE;
    plan->ring = pool->gpus > 0 ? 2 * grid->across : grid->across;
    plan->fits = 1;
}

void distances_plan_side(const distances_request *request, distances_plan *plan, size_t side) {
    const distances_data *data = request->data;
    plan->grid = distances_grid_square(data->count, side);
    plan->tile_bytes = (kept_bytes(plan) * side * side + PAGE - 1) / PAGE * PAGE;
    double rows = data->count < BAND_ROWS ? (double)data->count : BAND_ROWS;
    double band = 2 * rows * (double)(distances_stored_bytes(plan->stored) + sizeof(uint32_t)) * (double)data->count;
    double matrix = (double)distances_tiles(&plan->grid) * (double)plan->tile_bytes;
    plan->fits = matrix + fmax(band, distances_plan_work_bytes(plan, side)) <= (double)plan->memory;
}

static double pairs_of(const distances_request *request) {
    const double count = (double)request->data->count, split = (double)request->split;
    return request->split ? split * (count - split) : count * count / 2;
}

/* From here on a run that has a store uses it although memory would do: that much work is worth keeping. */
#define LONG_SECONDS 60.0
/* But where rows are read once and the matrix is kept for nothing else, keeping it should take less than a share of the time, by what a
   disk writes per second. */
#define KEEPING_SHARE 0.25
#define DISK_RATE 2e8

int distances_plan_keeps(const distances_request *request, const distances_plan *plan) {
    if (request->store == NULL || request->split > 0) return 0;
    if (distances_store_exists(request->store)) return 1;
    const double keeping = pairs_of(request) * (double)kept_bytes(plan) / DISK_RATE;
    return plan->seconds > LONG_SECONDS && request->share == NULL &&
           (!request->once || keeping < KEEPING_SHARE * plan->seconds);
}

distances_plan distances_plan_make(const distances_request *request, distances_stored stored) {
    const distances_data *data = request->data;
    int needed =
        request->rescale || distances_by_compared(request->measure) || distances_may_lack(data, request->min_compared);
    int threads = request->threads > 0 ? request->threads : wl_cpu_threads();
    distances_plan plan = {.stored = stored,
                           .keep_compared = !data->complete && (needed || !request->discard_compared),
                           .memory = request->memory > 0 ? request->memory : wl_memory_available() / 2};
    for (size_t d = 0; d < request->device_count; d++) plan.workers += wl_pool_workers(&request->devices[d]);
    if (!by_variants(&plan)) plan.workers = 1;
    plan.needed = needed_least(request, &plan);
    pool pool = count_pool(request, &plan, threads);
    plan.seconds = runs(&plan) * pairs_of(request) * (double)data->sites / pool.rate;
    if (request->once && request->share == NULL && !distances_plan_keeps(request, &plan)) {
        plan_strips(request, &plan, &pool);
        return plan;
    }
    double n = (double)data->count, most = side_most(request, &plan);
    double side = fmin(fmin(side_wanted(request, &plan, &pool), most), n);
    /* Tiles of nearly one size: the last ones would be slim else. */
    double even = ceil(n / ceil(n / side)), stepped = ceil(even / STEP) * STEP;
    side = stepped <= most && stepped < n ? stepped : fmin(even, floor(side));
    distances_plan_side(request, &plan, side < 1 ? 1 : (size_t)side);
    return plan;
}
