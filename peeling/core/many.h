/* Joins where vectors lie along the states. Included once for each number type; the including file defines
       REAL, OF(name)               the type, and name_TYPE
       vector, integers             OF(...): a vector of them, and of integers as wide
       LANES, ACCUMULATORS          numbers in a vector, and vectors that a block keeps in registers
       larger(a, b)                 OF(...): lane by lane */

/* Columns and states are cut into blocks: PANEL vectors of states by as many columns as registers hold. P's column j is
   loaded once for all the block's columns, F[c][j] once for all its states. */
#define COLUMNS_AT_ONCE(panel) (ACCUMULATORS / (panel))

INLINE void OF(sums)(const int panel, const size_t states, const size_t padded, const OF(vector) * P, const REAL *F,
                     OF(vector) sum[ACCUMULATORS]) {
    UNROLL(24)
    for (int i = 0; i < ACCUMULATORS; i++) sum[i] = (OF(vector)){0};
    for (size_t j = 0; j < states; j++, P += panel) {
        UNROLL(24)
        for (int c = 0; c < COLUMNS_AT_ONCE(panel); c++) {
            UNROLL(4)
            for (int v = 0; v < panel; v++) sum[c * panel + v] += P[v] * F[c * padded + j];
        }
    }
}

/* So many vectors of states in the next panel. */
INLINE size_t OF(panel)(size_t left) { return left == 5 ? 3 : left > 4 ? 4 : left; }

/* The probabilities of what a tip shows, for each state of the panel above it. */
INLINE const OF(vector) * OF(seen)(const cpu_join *join, const cpu_child *tip, const OF(vector) * P, const int panel,
                                   OF(vector) * scratch, size_t column) {
    const uint16_t code = ((const uint16_t *)tip->code)[column];
    if (code < join->states) return P + (size_t)code * panel;
    const uint64_t all = ~(uint64_t)0 >> (64 - join->states), set = join->set[code] & all;
    const int is_missing = set == all && !isnan(tip->missing);
    for (int v = 0; v < panel; v++) scratch[v] = (OF(vector)){0} + (is_missing ? (REAL)(1 + tip->missing) : 0);
    for (uint64_t left = is_missing ? 0 : set; left != 0; left &= left - 1)
        for (int v = 0; v < panel; v++) scratch[v] += P[(size_t)__builtin_ctzll(left) * panel + v];
    return scratch;
}

/* One child's share of a panel, all columns. The panel begins `before` vectors into the states. */
INLINE void OF(pass)(const int panel, const size_t padded, const cpu_join *join, const cpu_child *child,
                     const cpu_child *other, cpu_turn turn, size_t before) {
    const OF(vector) *P = (const OF(vector) *)child->matrix + before * join->states;
    const OF(vector) *tip = (const OF(vector) *)other->matrix + before * join->states;
    const REAL *F = child->partials, *scale = child->scale, more = turn == TIMES_TIP ? OF(two_to)(BIAS) : 1;
    OF(vector) *largest = join->scratch, *scratch = largest + join->stride;
    REAL *to = (REAL *)join->partials + before * LANES;
    for (size_t column = 0; column < join->columns; column += COLUMNS_AT_ONCE(panel)) {
        OF(vector) sum[ACCUMULATORS];
        OF(sums)(panel, join->states, padded, P, F + column * padded, sum);
        UNROLL(24)
        for (int c = 0; c < COLUMNS_AT_ONCE(panel); c++) {
            OF(vector) *out = (OF(vector) *)(to + (column + c) * padded), most = {0};
            const OF(vector) *factor = out;
            const REAL scaled = scale[column + c] * more;
            if (turn == TIMES_TIP) factor = OF(seen)(join, other, tip, panel, scratch, column + c);
            UNROLL(4)
            for (int v = 0; v < panel; v++) {
                OF(vector) x = sum[c * panel + v] * scaled;
                if (turn != KEEP) x *= factor[v];
                out[v] = x;
                most = OF(larger)(most, x);
            }
            if (turn != KEEP) largest[column + c] = before == 0 ? most : OF(larger)(largest[column + c], most);
        }
    }
}

/* Both children are tips. */
INLINE void OF(tips)(const int panel, const size_t padded, const cpu_join *join, size_t before) {
    const OF(vector) * P[2];
    for (int i = 0; i < 2; i++) P[i] = (const OF(vector) *)join->child[i].matrix + before * join->states;
    OF(vector) *largest = join->scratch, *scratch = largest + join->stride;
    for (size_t column = 0; column < join->columns; column++) {
        const OF(vector) *a = OF(seen)(join, &join->child[0], P[0], panel, scratch, column);
        const OF(vector) *b = OF(seen)(join, &join->child[1], P[1], panel, scratch + panel, column);
        OF(vector) *out = (OF(vector) *)((REAL *)join->partials + column * padded + before * LANES), most = {0};
        UNROLL(4)
        for (int v = 0; v < panel; v++) {
            out[v] = a[v] * OF(two_to)(2 * BIAS) * b[v];
            most = OF(larger)(most, out[v]);
        }
        largest[column] = before == 0 ? most : OF(larger)(largest[column], most);
    }
}

INLINE void OF(panel_of)(const int panel, const size_t padded, const cpu_join *join, size_t before) {
    const cpu_child *a = &join->child[0], *b = &join->child[1];
    if (a->partials == NULL && b->partials == NULL) {
        OF(tips)(panel, padded, join, before);
    } else if (a->partials == NULL) {
        OF(pass)(panel, padded, join, b, a, TIMES_TIP, before);
    } else if (b->partials == NULL) {
        OF(pass)(panel, padded, join, a, b, TIMES_TIP, before);
    } else {
        OF(pass)(panel, padded, join, a, b, KEEP, before);
        OF(pass)(panel, padded, join, b, a, TIMES_KEPT, before);
    }
}

INLINE void OF(join_of)(const size_t padded, const cpu_join *join) {
    size_t left = padded / LANES, before = 0;
    while (left > 0) {
        const size_t panel = OF(panel)(left);
        PANELS(panel, OF(panel_of), padded, join, before);
        before += panel;
        left -= panel;
    }
    OF(settle)(join);
}

/* Addresses are simpler where the number of states is known. */
static void OF(join)(const cpu_join *join) {
    enum { TWENTY = (20 + LANES - 1) / LANES * LANES };
    if (join->padded == 64) {
        OF(join_of)(64, join);
    } else if (join->padded == TWENTY) {
        OF(join_of)(TWENTY, join);
    } else {
        OF(join_of)(join->padded, join);
    }
}

/* With a tip at the end of a branch below; `matrix` is P's columns as doubles here, [states][padded to vectors of them]. */
static void OF(root_tip)(const cpu_root *root) {
    enum { DOUBLES = VECTOR_BYTES / 8 };
    const REAL *F = root->partials, *scale = root->scale;
    const size_t row = (root->states + DOUBLES - 1) / DOUBLES * DOUBLES;
    for (size_t c = 0; c < root->columns; c++, F += root->padded) {
        const uint16_t code = ((const uint16_t *)root->code)[c];
        const double *seen = (const double *)root->matrix + code * row;
        double sum[4] = {0};
        for (size_t s = 0; s < root->states; s++)
            sum[s % 4] += root->frequency[s] * F[s] * (code < root->states ? seen[s] : 1 + root->missing);
        root->sum[c] = (sum[0] + sum[1] + (sum[2] + sum[3])) * scale[c];
    }
}

static void OF(root)(const cpu_root *root) {
    const REAL *F = root->partials, *scale = root->scale;
    if (root->code != NULL) {
        OF(root_tip)(root);
        return;
    }
    for (size_t c = 0; c < root->columns; c++, F += root->padded) {
        double sum[4] = {0};
        for (size_t s = 0; s < root->states; s++) sum[s % 4] += root->frequency[s] * F[s];
        root->sum[c] = (sum[0] + sum[1] + (sum[2] + sum[3])) * scale[c];
    }
}

static void OF(store)(size_t states, const double *from, size_t stride, double lowest, void *to) {
    size_t left = (states + LANES - 1) / LANES, before = 0;
    REAL *next = to;
    while (left > 0) {
        const size_t panel = OF(panel)(left), width = panel * LANES;
        for (size_t j = 0; j < states; j++, next += width) {
            const double *row = from + j * stride + before;
            for (size_t s = 0; s < width; s++)
                next[s] = before + s >= states ? 0 : row[s] > lowest ? (REAL)row[s] : (REAL)lowest;
        }
        before += width;
        left -= panel;
    }
}
