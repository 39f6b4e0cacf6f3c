/* Random instances: mutants of one ancestor, each from a stream of its own, so that threads need no order among them. */
#include <stdio.h>
#include <stdlib.h>

#include "distances/planes.h"
#include "distances/data.h"
#include "harness/base/random.h"

enum { ANCESTOR_STREAM = 0, INSTANCE_STREAMS = 1 };

/* A share as a bound of 32 random bits. */
static uint64_t bound_of(double share) { return (uint64_t)(share * 4294967296.0 + 0.5); }

/* One of values other than `own`, each equally likely; of all where own is `values`. */
static uint8_t draw(uint32_t bits, int values, int own) {
    const uint32_t others = (uint32_t)(own < values ? values - 1 : values);
    const uint32_t drawn = (uint32_t)((uint64_t)bits * others >> 32);
    return (uint8_t)(drawn + (drawn >= (uint32_t)own));
}

static void draw_instance(const distances_recipe *recipe, size_t i, const uint8_t *ancestor, uint8_t *value) {
    const uint64_t missing = bound_of(recipe->missing), differs = bound_of(recipe->difference);
    const int independent = recipe->difference >= 1;
    wl_random random = wl_random_stream(recipe->seed, INSTANCE_STREAMS + i);
    for (uint64_t k = 0; k < recipe->sites; k++) {
        const uint64_t bits = wl_random_next(&random);
        if ((uint32_t)bits < missing)
            value[k] = DISTANCES_MISSING;
        else if (bits >> 32 < differs)
            value[k] = draw((uint32_t)(wl_random_next(&random) >> 32), recipe->values,
                            independent ? recipe->values : ancestor[k]);
        else
            value[k] = ancestor[k];
    }
}

/* Instances' names count from 1, as people do. */
static char *name_of(size_t i) {
    char text[32];
    const int length = snprintf(text, sizeof text, "random%zu", i + 1);
    char *name = malloc((size_t)length + 1);
    for (int c = 0; name != NULL && c <= length; c++) name[c] = text[c];
    return name;
}

/* ancestor [sites]. Returns whether there was memory for it all. */
static int fill(const distances_recipe *recipe, const uint8_t *ancestor, distances_data *data) {
    uint64_t missing = 0;
    int short_of_memory = 0;
    const size_t stride = (size_t)(data->planes + 1) * data->words;
#pragma omp parallel reduction(+ : missing, short_of_memory)
    {
        uint8_t *value = malloc(recipe->sites + 1); // [sites]
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < data->count; i++) {
            data->names[i] = name_of(i);
            short_of_memory += data->names[i] == NULL || value == NULL;
            if (value == NULL) continue;
            draw_instance(recipe, i, ancestor, value);
            missing +=
                distances_pack(data->sum, data->planes, data->sites, value, data->words, data->bits + i * stride);
        }
        free(value);
    }
    data->complete = missing == 0;
    return short_of_memory == 0;
}

wl_status distances_generate(const distances_recipe *recipe, distances_data *data) {
    const distances_sum sum = recipe->kind == DISTANCES_LETTERS ? DISTANCES_DIFFERENT : DISTANCES_STEPS;
    const int most = sum == DISTANCES_DIFFERENT ? 1 << DISTANCES_PLANES_MOST : DISTANCES_PLANES_MOST + 1;
    if (recipe->values < 2 || recipe->values > most)
        return wl_fail(WL_BAD_USAGE, "random values: found %d of them; expected 2 to %d", recipe->values, most);
    *data = (distances_data){.kind = recipe->kind,
                             .count = recipe->count,
                             .sites = recipe->sites,
                             .planes = distances_planes(sum, recipe->values),
                             .sum = sum};
    WL_TRY(distances_data_allocate("random instances", data));
    uint8_t *ancestor = malloc(recipe->sites + 1); // [sites]
    int filled = ancestor != NULL;
    if (filled) {
        wl_random random = wl_random_stream(recipe->seed, ANCESTOR_STREAM);
        for (uint64_t k = 0; k < recipe->sites; k++)
            ancestor[k] = draw((uint32_t)(wl_random_next(&random) >> 32), recipe->values, recipe->values);
        filled = fill(recipe, ancestor, data);
    }
    free(ancestor);
    if (filled) return WL_OK;
    distances_data_free(data);
    return wl_fail(WL_NO_MACHINE, "no memory for %zu random instances", recipe->count);
}
