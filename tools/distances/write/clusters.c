/* Single-linkage clusters: whoever is near enough to one of a cluster is of it. */
#include <stdlib.h>

#include "tools/distances/write/internal.h"
#include "harness/base/memory.h"

#define BLOCK_NUMBERS ((size_t)1 << 20) // of rows that are looked at together: threads are not called for less

/* A forest that all threads join trees of. An instance's parent is an earlier one or, of a root, itself. */
static size_t parent_of(const size_t *parent, size_t i) { return __atomic_load_n(&parent[i], __ATOMIC_RELAXED); }

/* The root of i's tree; those on the way are hung higher. */
static size_t root_of(size_t *parent, size_t i) {
    for (size_t up = parent_of(parent, i); up != i; up = parent_of(parent, i)) {
        const size_t higher = parent_of(parent, up);
        __atomic_store_n(&parent[i], higher, __ATOMIC_RELAXED);
        i = higher;
    }
    return i;
}

/* The earlier one of two roots stays one: a cluster's root is its first instance, whatever the order of joining. */
static void join(size_t *parent, size_t i, size_t j) {
    for (;;) {
        size_t a = root_of(parent, i), b = root_of(parent, j);
        if (a == b) return;
        const size_t earlier = a < b ? a : b, later = a < b ? b : a;
        size_t root = later; // unless another thread has hung it meanwhile
        if (__atomic_compare_exchange_n(&parent[later], &root, earlier, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
    }
}

/* Row i, of one kind or the other. */
static void join_near(size_t *parent, size_t i, size_t count, const double *distance, const uint32_t *sum,
                      double most) {
    for (size_t j = i + 1; j < count; j++)
        if ((sum ? sum[j] : distance[j]) <= most && parent_of(parent, i) != parent_of(parent, j)) join(parent, i, j);
}

static wl_status join_all(distances_matrix *matrix, double most, int threads, size_t *parent) {
    const size_t count = distances_matrix_count(matrix), within = distances_matrix_room(matrix) / (2 * sizeof(double));
    size_t rows = (within < BLOCK_NUMBERS ? within : BLOCK_NUMBERS) / count + 1;
    const int sums = distances_matrix_has_sums(matrix);
    void *numbers = malloc(rows * count * (sums ? sizeof(uint32_t) : sizeof(double))); // [rows][count]
    double *distance = sums ? NULL : numbers;
    uint32_t *sum = sums ? numbers : NULL;
    wl_status status =
        numbers ? WL_OK : wl_fail(WL_NO_MACHINE, "not enough memory for %zu rows of %zu distances", rows, count);
    for (size_t first = 0; first < count && status == WL_OK; first += rows) {
        if (rows > count - first) rows = count - first;
        status = sums ? distances_matrix_sums(matrix, first, rows, sum)
                      : distances_matrix_rows(matrix, first, rows, distance, NULL);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (rows > 1)
        for (size_t r = 0; r < (status == WL_OK ? rows : 0); r++)
            join_near(parent, first + r, count, sums ? NULL : distance + r * count, sums ? sum + r * count : NULL,
                      most);
    }
    free(numbers);
    return status;
}

wl_status distances_clusters(distances_matrix *matrix, double most, int threads, size_t *cluster,
                             distances_cluster_count *found) {
    const size_t count = distances_matrix_count(matrix);
    size_t *parent, *size;
    if (!WL_ALLOCATE(WL_ARRAY(parent, count), WL_ZEROS(size, count)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for clusters of %zu", count);
    for (size_t i = 0; i < count; i++) parent[i] = i;
    const wl_status status = join_all(matrix, most, threads, parent);
    *found = (distances_cluster_count){0};
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        const size_t root = root_of(parent, i);
        cluster[i] = root == i ? ++found->clusters : cluster[root];
        size[root]++;
    }
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        found->singles += size[i] == 1;
        if (size[i] > found->largest) found->largest = size[i];
    }
    WL_FREE(parent, size);
    return status;
}
