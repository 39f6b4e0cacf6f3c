#include "peeling/work.h"

#include <string.h>

#include "peeling/model/generator.h"

const char *const peeling_precision_names[] = {"single", "double", NULL};

uint32_t peeling_levels(const peeling_work *work, uint32_t vectors, peeling_join *joins, uint32_t *first,
                        uint32_t *scratch) {
    uint32_t *level = scratch; // [vectors]; 0 of tips and of what was computed before
    uint32_t levels = 0;
    memset(level, 0, sizeof *level * vectors);
    memset(first, 0, sizeof *first * (work->join_count + (size_t)1));
    for (uint32_t j = 0; j < work->join_count; j++) {
        const peeling_join *join = &work->joins[j];
        const uint32_t a = level[join->child[0]], b = level[join->child[1]];
        const uint32_t here = level[join->to] = 1 + (a > b ? a : b);
        if (here > levels) levels = here;
        first[here]++; // how many joins there are of level `here`, and later where they end
    }
    for (uint32_t l = 1; l <= levels; l++) first[l] += first[l - 1];
    // From the last join to the first, so that joins of a level keep their order. Each level's end moves down to its
    // beginning, which is level l - 1 of those that count from 0.
    for (uint32_t j = work->join_count; j-- > 0;) joins[--first[level[work->joins[j].to]]] = work->joins[j];
    for (uint32_t l = 0; l < levels; l++) first[l] = first[l + 1];
    first[levels] = work->join_count;
    return levels;
}

double peeling_operations(const peeling_input *input) {
    const double R = input->model->rates, C = input->data.patterns, S = input->model->states;
    return input->work.join_count * R * C * S * (4 * S - 1) + input->work.edge_count * R * (2 * S * S * S + S * S);
}

double peeling_tip_additions(const peeling_data *data, uint32_t tip) {
    double additions = 0;
    for (uint32_t c = 0; c < data->patterns; c++)
        additions += __builtin_popcountll(data->set[data->code[(size_t)tip * data->patterns + c]]) - 1;
    return additions;
}

double peeling_operations_of(const peeling_input *input, const peeling_work *work, const double *additions) {
    const double R = input->model->rates, C = input->data.patterns, S = input->model->states;
    double operations = work->edge_count * R * (2 * S * S * S + S * S);
    for (uint32_t j = 0; j < work->join_count; j++) {
        operations += R * C * S; // the product of both children
        for (int child = 0; child < 2; child++) {
            const uint32_t v = work->joins[j].child[child];
            if (v >= input->data.tips)
                operations += R * C * S * (2 * S - 1);
            else
                operations += R * S * (additions ? additions[v] : peeling_tip_additions(&input->data, v));
        }
    }
    return operations;
}

double peeling_operations_done(const peeling_input *input) { return peeling_operations_of(input, &input->work, NULL); }
