/* A walk over the branches of a tree. At each one the vectors at both of its ends are those of the tree as it is, so that its length can
   be set by Newton's method; each step after it updates one vector.

   The vector above a branch has all that is not below it. As the chain is reversible, it is a join like others: of what is above the
   parent, and the sibling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "tools/likelihood/optimize/internal.h"

typedef struct optimize_step {
    uint32_t node;     // whose branch is set; WL_NO_NODE: `join` is computed
    uint32_t above;    // the vector above the branch
    peeling_join join; // of the vectors and matrices
} step;

/* The two nodes below the root are each other's vector above, and share one branch. */
static uint32_t matrix_of(const optimize_state *s, uint32_t node) { return node == s->other ? s->joined : node; }

typedef struct {
    uint32_t node, above, depth;
    int turn; // how many of its children are done
} frame;

static uint32_t depth_of(const peeling_tree *tree) {
    uint32_t *depth = calloc(tree->nodes, sizeof *depth), most = 0;
    if (depth == NULL) return tree->tips;
    for (uint32_t v = tree->nodes - 1; v-- > 0;) { // parents come before their children
        depth[v] = depth[tree->parent[v]] + 1;
        most = depth[v] > most ? depth[v] : most;
    }
    free(depth);
    return most;
}

uint32_t optimize_walk_partials(const peeling_tree *tree) { return depth_of(tree) + 1; }

static void set_branch(optimize_state *s, uint32_t node, uint32_t above) {
    if (s->tree->joined[node]) return; // it has none
    s->steps[s->step_count++] = (step){.node = node, .above = above};
}

static void join(optimize_state *s, uint32_t to, uint32_t one, uint32_t one_matrix, uint32_t other,
                 uint32_t other_matrix) {
    s->steps[s->step_count++] =
        (step){.node = WL_NO_NODE, .join = {.to = to, .child = {one, other}, .matrix = {one_matrix, other_matrix}}};
}

/* Vectors above branches are numbered after all others, by depth. */
static void walk_below(optimize_state *s, uint32_t top, uint32_t above, frame *stack) {
    const peeling_tree *tree = s->tree;
    uint32_t count = 0;
    if (top < tree->tips) return;
    stack[count++] = (frame){.node = top, .above = above};
    while (count > 0) {
        frame *f = &stack[count - 1];
        const uint32_t v = f->node, *child = tree->child[v];
        if (f->turn == 2) {
            join(s, v, child[0], matrix_of(s, child[0]), child[1], matrix_of(s, child[1]));
            count--;
            continue;
        }
        const uint32_t own = child[f->turn], sibling = child[1 - f->turn], to = s->ends + 1 + f->depth;
        f->turn++;
        join(s, to, f->above, matrix_of(s, v), sibling, matrix_of(s, sibling));
        set_branch(s, own, to);
        if (own < tree->tips) continue;
        stack[count] = (frame){.node = own, .above = to, .depth = f->depth + 1};
        count++;
    }
}

wl_status optimize_walk_open(optimize_state *s) {
    const peeling_tree *tree = s->tree;
    frame *stack = NULL;
    if (!WL_ALLOCATE(WL_ARRAY(s->steps, 4 * (size_t)tree->nodes), WL_ARRAY(stack, tree->nodes)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for a walk over %u branches", tree->nodes);
    s->ends = tree->nodes;
    set_branch(s, s->joined, s->other);
    walk_below(s, s->joined, s->other, stack);
    walk_below(s, s->other, s->joined, stack);
    free(stack);
    return WL_OK;
}

/* The matrix of node `set`, if there is one, and then `join`, if there is one. */
static wl_status update(const optimize_state *s, uint32_t set, const peeling_join *join) {
    for (size_t p = 0; p < s->count; p++) {
        const optimize_part *part = &s->parts[p];
        peeling_edge edge = {.matrix = set};
        peeling_work work = {
            .edges = &edge, .edge_count = set != WL_NO_NODE, .joins = join, .join_count = join != NULL};
        if (set != WL_NO_NODE) edge.length = part->scale * s->length[set];
        for (size_t k = 0; k < part->classes; k++) WL_TRY(part->engine->branches->update(part->state[k], &work));
    }
    return WL_OK;
}

static wl_status ends(const optimize_state *s, const step *branch) {
    for (size_t p = 0; p < s->count; p++) {
        const optimize_part *part = &s->parts[p];
        for (size_t k = 0; k < part->classes; k++)
            WL_TRY(part->engine->branches->ends(part->state[k], branch->above, branch->node, s->ends));
    }
    return WL_OK;
}

/* at [count], of all parts together. */
static wl_status slopes(const optimize_state *s, const double *length, int count, int heights, peeling_slopes *at) {
    memset(at, 0, (size_t)count * sizeof *at);
    for (size_t p = 0; p < s->count; p++)
        WL_TRY(optimize_part_slopes(&s->parts[p], s->ends, length, count, heights, at));
    return WL_OK;
}

/* Newton's method between lengths at which the likelihood rises and falls. Where it is not concave, or the step leads out of them, the
   next length is between them on a logarithmic scale. */
static wl_status climb(const optimize_state *s, double start, double precision, double *found) {
    double low = LENGTH_LOW, high = LENGTH_HIGH, length = fmin(fmax(start, low), high);
    for (int turn = 0; turn < 60; turn++) {
        peeling_slopes at;
        WL_TRY(slopes(s, &length, 1, 0, &at));
        const double slope = at.slope;
        if (slope > 0)
            low = length;
        else
            high = length;
        if (!(slope < 0) && length >= LENGTH_HIGH) break;
        if (!(slope > 0) && length <= LENGTH_LOW) break;
        double next = at.curvature < 0 ? length - slope / at.curvature : slope > 0 ? 4 * length : LENGTH_LOW;
        if (slope > 0 && length < 1e-3 && next < 3 * length && next > 1.5 * length)
            next = 10 * length; // far from the maximum
        if (next <= low)
            next = low == LENGTH_LOW && slope < 0 && length > 10 * LENGTH_LOW ? LENGTH_LOW : sqrt(low * high);
        if (next >= high) next = sqrt(low * high);
        const double gain = 0.5 * fabs(slope * (next - length)), moved = fabs(next - length);
        length = next;
        if (gain < precision || moved < 1e-12) break;
    }
    *found = length;
    return WL_OK;
}

/* A branch may have two best lengths: one for the columns that changed once, and one so long that its ends are independent. */
static wl_status best_length(const optimize_state *s, double start, double precision, int looks, double *best) {
    static const double others[] = {LENGTH_LOW, 1e-3, 0.05, 1, 10, LENGTH_HIGH};
    enum { OTHERS = sizeof others / sizeof *others };
    double length[1 + OTHERS];
    peeling_slopes at[1 + OTHERS], end;
    WL_TRY(climb(s, start, precision, best));
    if (!looks) return WL_OK;
    length[0] = *best;
    memcpy(length + 1, others, sizeof others);
    WL_TRY(slopes(s, length, 1 + OTHERS, 1, at));
    int highest = 0;
    for (int i = 1; i <= OTHERS; i++)
        if (at[i].height > at[highest].height) highest = i;
    if (highest == 0) return WL_OK;
    WL_TRY(climb(s, length[highest], precision, best));
    WL_TRY(slopes(s, best, 1, 1, &end));
    if (!(end.height > at[highest].height)) *best = length[highest];
    return WL_OK;
}

wl_status optimize_walk(optimize_state *s, double precision, int looks) {
    uint32_t set = WL_NO_NODE; // whose matrix is not that of its length yet
    for (uint32_t i = 0; i < s->step_count; i++) {
        const step *now = &s->steps[i];
        if (now->node == WL_NO_NODE) {
            WL_TRY(update(s, set, &now->join));
            set = WL_NO_NODE;
            continue;
        }
        double *length = &s->length[now->node];
        WL_TRY(ends(s, now));
        WL_TRY(best_length(s, *length, precision, looks, length));
        set = now->node;
    }
    return update(s, set, NULL);
}
