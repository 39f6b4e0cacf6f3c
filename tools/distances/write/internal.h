/* What the files that write the matrix share. */
#pragma once

#include "tools/distances/matrix/matrix.h"

/* Number the clusters from 1 in the order of their first instances, into cluster [count]. */
wl_status distances_clusters(distances_matrix *matrix, double most, int threads, size_t *cluster,
                             distances_cluster_count *found);

/* Names as a CSV file has them: those with a comma or a quotation mark in quotation marks. [count], to be freed with
   distances_names_free; NULL where there is no memory. */
char **distances_names_quoted(char *const *names, size_t count);
void distances_names_free(char **names, size_t count);
