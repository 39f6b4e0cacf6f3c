/* Distances between all pairs of what the caller has in memory. */
#include "tools/distances/matrix/matrix.h"
#include "library/session.h"

static wl_status check(const warpladder_distance_options *options, int are_letters) {
    const int of_letters = options->present || options->every_letter;
    if ((unsigned)options->measure > WARPLADDER_LOGDET)
        return wl_fail(WL_BAD_USAGE, "measure: found %d; expected one of warpladder_measure", (int)options->measure);
    if (options->rescale && (options->measure == WARPLADDER_IBS || options->measure >= WARPLADDER_P_DISTANCE))
        return wl_fail(WL_BAD_USAGE, "rescale: found with a measure that is a proportion of compared sites as it is; "
                                     "expected one of them");
    if (!are_letters && of_letters)
        return wl_fail(WL_BAD_USAGE, "present, every_letter: found with numbers; expected letters");
    if (options->present && (options->every_letter || *options->present == 0))
        return wl_fail(WL_BAD_USAGE, "present: found %s; expected letters, as in \"ACGT-\"",
                       options->every_letter ? "every_letter, too" : "no letter");
    return WL_OK;
}

static wl_status write_rows(distances_matrix *matrix, size_t count, double *distance, uint32_t *compared) {
    wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = distances_matrix_row(matrix, i, distance + i * count, compared ? compared + i * count : NULL);
    return status;
}

static wl_status compute(const warpladder *session, const warpladder_distance_options *options,
                         const distances_data *data, double *distance, uint32_t *compared) {
    static const distances_measure measures[] = {[WARPLADDER_DIFFERENCES] = DISTANCES_COUNT,
                                                 [WARPLADDER_ALLELES] = DISTANCES_ALLELES,
                                                 [WARPLADDER_IBS] = DISTANCES_IBS,
                                                 [WARPLADDER_EUCLIDEAN2] = DISTANCES_EUCLIDEAN2,
                                                 [WARPLADDER_MANHATTAN] = DISTANCES_MANHATTAN,
                                                 [WARPLADDER_P_DISTANCE] = DISTANCES_P,
                                                 [WARPLADDER_JC69] = DISTANCES_JC69,
                                                 [WARPLADDER_K80] = DISTANCES_K80,
                                                 [WARPLADDER_TN93] = DISTANCES_TN93,
                                                 [WARPLADDER_LOGDET] = DISTANCES_LOGDET};
    const distances_request request = {.data = data,
                                       .measure = measures[options->measure],
                                       .rescale = options->rescale,
                                       .discard_compared = compared == NULL,
                                       .devices = session->devices.items,
                                       .device_count = session->devices.count,
                                       .memory = session->memory,
                                       .device_memory = session->memory,
                                       .threads = session->threads};
    distances_matrix *matrix;
    distances_summary summary;
    WL_TRY(distances_compute(&request, &matrix, &summary));
    const wl_status status = write_rows(matrix, data->count, distance, compared);
    distances_matrix_close(matrix, 1);
    return status;
}

/* What is compared, either of the two. */
typedef struct {
    const char *letters;
    const double *values;
    size_t count, sites;
} compared_rows;

static wl_status read_rows(const warpladder *session, const warpladder_distance_options *options,
                           const compared_rows *rows, distances_data *data) {
    const distances_reading reading = {.present = options->present,
                                       .every_letter = options->every_letter,
                                       .integers_in_unary = options->measure == WARPLADDER_MANHATTAN,
                                       .memory = session->memory};
    const int are_genotypes = options->measure == WARPLADDER_ALLELES || options->measure == WARPLADDER_IBS;
    if (rows->letters)
        return distances_of_letters(rows->letters, rows->count, rows->sites, &reading, session->noting, data);
    return distances_of_numbers(rows->values, rows->count, rows->sites, are_genotypes, &reading, data);
}

static wl_status distances(const warpladder *session, const warpladder_distance_options *given,
                           const compared_rows *rows, double *distance, uint32_t *compared) {
    warpladder_distance_options options = WARPLADDER_DISTANCE_OPTIONS;
    distances_data data;
    WL_TRY(library_options(given, &options));
    WL_TRY(check(&options, rows->letters != NULL));
    if ((rows->letters == NULL && rows->values == NULL) || distance == NULL)
        return wl_fail(WL_BAD_USAGE, "%s: found NULL; expected an array", distance ? "the data" : "distance");
    WL_TRY(read_rows(session, &options, rows, &data));
    const wl_status status = compute(session, &options, &data, distance, compared);
    distances_data_free(&data);
    return status;
}

LIBRARY_API warpladder_status warpladder_distances_letters(warpladder *session,
                                                           const warpladder_distance_options *options,
                                                           const char *letters, size_t count, size_t sites,
                                                           double *distance, uint32_t *compared) {
    const compared_rows rows = {.letters = letters, .count = count, .sites = sites};
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    return library_end(session, distances(session, options, &rows, distance, compared));
}

LIBRARY_API warpladder_status warpladder_distances_numbers(warpladder *session,
                                                           const warpladder_distance_options *options,
                                                           const double *values, size_t count, size_t sites,
                                                           double *distance, uint32_t *compared) {
    const compared_rows rows = {.values = values, .count = count, .sites = sites};
    if (library_begin(session) != WL_OK) return WARPLADDER_BAD_ARGUMENT;
    return library_end(session, distances(session, options, &rows, distance, compared));
}
