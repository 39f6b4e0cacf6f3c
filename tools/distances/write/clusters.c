/* Single-linkage clusters: whoever is near enough to one of a cluster is of it. Pairs without a compared site are not near, whose
   count of differences is 0: an instance without values would join all. */
#include <stdlib.h>

#include "tools/distances/write/internal.h"
#include "harness/base/memory.h"

/* The root of i's tree, to which all on the way are hung. */
static size_t root_of(size_t *parent, size_t i) {
    size_t root = i;
    while (parent[root] != root) root = parent[root];
    while (parent[i] != root) {
        const size_t next = parent[i];
        parent[i] = root;
        i = next;
    }
    return root;
}

/* The earlier one of two roots stays one: a cluster's root is its first instance. */
static void join(size_t *parent, size_t i, size_t j) {
    const size_t a = root_of(parent, i), b = root_of(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

wl_status distances_clusters(distances_matrix *matrix, double most, size_t *cluster, distances_cluster_count *found) {
    const size_t count = distances_matrix_count(matrix);
    size_t *parent = malloc(count * sizeof *parent), *size = calloc(count, sizeof *size);
    double *distance = malloc(count * sizeof *distance);
    uint32_t *compared = malloc(count * sizeof *compared);
    wl_status status = parent && size && distance && compared
                           ? WL_OK
                           : wl_fail(WL_NO_MACHINE, "not enough memory for clusters of %zu", count);
    for (size_t i = 0; i < count && status == WL_OK; i++) parent[i] = i;
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        status = distances_matrix_row(matrix, i, distance, compared);
        for (size_t j = i + 1; j < count && status == WL_OK; j++)
            if (distance[j] <= most && compared[j] > 0) join(parent, i, j);
    }
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
    WL_FREE(parent, size, distance, compared);
    return status;
}
