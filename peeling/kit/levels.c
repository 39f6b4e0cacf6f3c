/* What a list of work amounts to: its levels, its operations. */
#include <string.h>

#include "peeling/problem.h"

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

/* At a tip, a set of k states is k - 1 additions for each state above. */
static double tip_operations(const peeling_data *data, uint32_t tip) {
    double additions = 0;
    for (uint32_t c = 0; c < data->patterns; c++)
        additions += __builtin_popcountll(data->set[data->code[(size_t)tip * data->patterns + c]]) - 1;
    return additions;
}

double peeling_operations_done(const peeling_input *input) {
    const double R = input->model->rates, C = input->data.patterns, S = input->model->states;
    double operations = input->work.edge_count * R * (2 * S * S * S + S * S);
    for (uint32_t j = 0; j < input->work.join_count; j++) {
        operations += R * C * S; // the product of both children
        for (int child = 0; child < 2; child++) {
            const uint32_t vector = input->work.joins[j].child[child];
            operations +=
                vector < input->data.tips ? R * S * tip_operations(&input->data, vector) : R * C * S * (2 * S - 1);
        }
    }
    return operations;
}
