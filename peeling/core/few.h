/* Joins of four states: vectors lie along the columns, and what is done to a column is done lane by lane. Included once
   for each number type, after many.h; also needs
       look_up(table, sets, out)    OF(...): out[s] lane i = table[s][sets[i]], table REAL [CPU_FEW][CPU_FEW_SETS]
       any_below(a, b)              OF(...): in any lane a is less than b
       FEW_KEPT, STAY(vector)       whether a matrix is kept in registers, and what makes the compiler do so
       FEW_BIAS, FEW_LEAST          see below

   A matrix: P [state][j], and then for each state and each set of states at a tip the sum of its probabilities; all
   2^FEW_BIAS times too large. */

/* sum_j P[s][j] F[j] of LANES columns from `column` on; `p` is P, where the caller keeps it in registers, or NULL. */
INLINE void OF(few_sums)(const int tip, const cpu_child *child, const OF(vector) * p, size_t stride, size_t column,
                         OF(vector) sum[CPU_FEW]) {
    const REAL *P = child->matrix;
    if (tip) {
        OF(look_up)(P + CPU_FEW * CPU_FEW, (const uint8_t *)child->code + column, sum);
        return;
    }
    const REAL *F = (const REAL *)child->partials + column;
    OF(vector) f[CPU_FEW];
    UNROLL(4)
    for (int j = 0; j < CPU_FEW; j++) f[j] = *(const OF(vector) *)(F + j * stride);
    UNROLL(4)
    for (int s = 0; s < CPU_FEW; s++) {
        sum[s] = p != NULL ? f[0] * p[s * CPU_FEW] : f[0] * P[s * CPU_FEW];
        UNROLL(4)
        for (int j = 1; j < CPU_FEW; j++) sum[s] += p != NULL ? f[j] * p[s * CPU_FEW + j] : f[j] * P[s * CPU_FEW + j];
    }
}

/* Scaling takes as long as a tenth of a join, and numbers of 64 bits rarely need it: FEW_LEAST is how small a column's sum may be without.
   One child's matrix is kept in registers, if there are so many: a load for each product would take longer than the product. */
INLINE void OF(few_join)(const int tip0, const int tip1, const cpu_join *join) {
    const cpu_join j = *join; // a copy: for all the compiler knows, what is stored might change *join
    const cpu_child *a = &j.child[0], *b = &j.child[1];
    const OF(vector) zero = {0}, least = zero + FEW_LEAST;
    REAL *to = j.partials;
    OF(vector) p[CPU_FEW * CPU_FEW];
    if (FEW_KEPT && !tip0) UNROLL(16)
    for (int i = 0; i < CPU_FEW * CPU_FEW; i++) {
        p[i] = zero + ((const REAL *)a->matrix)[i];
        STAY(p[i]);
    }
    for (size_t column = 0; column < j.columns; column += LANES) {
        OF(vector) x[CPU_FEW], y[CPU_FEW];
        OF(few_sums)(tip0, a, FEW_KEPT && !tip0 ? p : NULL, j.stride, column, x);
        OF(few_sums)(tip1, b, NULL, j.stride, column, y);
        UNROLL(4)
        for (int s = 0; s < CPU_FEW; s++) x[s] *= y[s];
        OF(exponents) exponent = (OF(exponents)){0} - 2 * FEW_BIAS;
        if (!tip0) exponent += *(const OF(exponents) *)(a->exponent + column);
        if (!tip1) exponent += *(const OF(exponents) *)(b->exponent + column);
        if (__builtin_expect(OF(any_below)((x[0] + x[1]) + (x[2] + x[3]), least), FEW_BIAS > 0)) {
            OF(vector) most = x[0];
            UNROLL(4)
            for (int s = 1; s < CPU_FEW; s++) most = OF(larger)(most, x[s]);
            const OF(vector) scale = OF(scale_of)(most, 0, &exponent);
            UNROLL(4)
            for (int s = 0; s < CPU_FEW; s++) x[s] *= scale;
        }
        UNROLL(4)
        for (int s = 0; s < CPU_FEW; s++) *(OF(vector) *)(to + s * j.stride + column) = x[s];
        *(OF(exponents) *)(j.exponent + column) = exponent;
    }
}

static void OF(join_few)(const cpu_join *join) {
    const int tip0 = join->child[0].partials == NULL, tip1 = join->child[1].partials == NULL;
    if (!tip0 && !tip1) OF(few_join)(0, 0, join);
    if (!tip0 && tip1) OF(few_join)(0, 1, join);
    if (tip0 && !tip1) {
        cpu_join turned = *join;
        turned.child[0] = join->child[1];
        turned.child[1] = join->child[0];
        OF(few_join)(0, 1, &turned);
    }
    if (tip0 && tip1) OF(few_join)(1, 1, join);
}

/* With a tip at the end of a branch below: sum_s f[s] F[s] (sum of P[s][j] over the tip's set). */
static void OF(root_branch)(const cpu_root *root) {
    const REAL *F = root->partials, *P = root->matrix, less = OF(two_to)(-FEW_BIAS);
    REAL f[CPU_FEW];
    for (int s = 0; s < CPU_FEW; s++) f[s] = (REAL)root->frequency[s] * less;
    for (size_t column = 0; column < root->columns; column += LANES) {
        OF(vector) seen[CPU_FEW], sum = {0};
        OF(look_up)(P + CPU_FEW * CPU_FEW, (const uint8_t *)root->code + column, seen);
        UNROLL(4)
        for (int s = 0; s < CPU_FEW; s++) sum += seen[s] * *(const OF(vector) *)(F + s * root->stride + column) * f[s];
        if (sizeof(REAL) == sizeof(double) && column + LANES <= root->columns)
            memcpy(root->sum + column, &sum, sizeof sum);
        else
            for (size_t c = 0; c < LANES && column + c < root->columns; c++) root->sum[column + c] = sum[c];
    }
}

static void OF(root_few)(const cpu_root *root) {
    const REAL *F = root->partials;
    if (root->code != NULL) {
        OF(root_branch)(root);
        return;
    }
    for (size_t c = 0; c < root->columns; c++) root->sum[c] = root->frequency[0] * F[c];
    for (int s = 1; s < CPU_FEW; s++)
        for (size_t c = 0; c < root->columns; c++) root->sum[c] += root->frequency[s] * F[s * root->stride + c];
}

/* `from` [j][s], as for the others. */
static void OF(store_few)(const double *from, size_t stride, void *to) {
    typedef REAL row __attribute__((vector_size(8 * sizeof(REAL)), may_alias, aligned(sizeof(REAL))));
    const row has[3] = {{0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};
    REAL *P = to;
    const REAL scale = OF(two_to)(FEW_BIAS);
    for (int s = 0; s < CPU_FEW; s++) {
        for (int j = 0; j < CPU_FEW; j++) {
            const double p = from[j * stride + s];
            P[s * CPU_FEW + j] = p > 0 ? (REAL)p * scale : 0;
        }
        /* Sets without the last state, then those with it; all four add up to 1. */
        const REAL *p = P + s * CPU_FEW;
        row *sums = (row *)(P + CPU_FEW * CPU_FEW + s * CPU_FEW_SETS);
        sums[0] = has[0] * p[0] + has[1] * p[1] + has[2] * p[2];
        sums[1] = sums[0] + p[3];
        P[CPU_FEW * CPU_FEW + s * CPU_FEW_SETS + CPU_FEW_SETS - 1] = scale;
    }
}
