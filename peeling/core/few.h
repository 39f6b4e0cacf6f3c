/* Joins of four states: vectors lie along the columns, and what is done to a column is done lane by lane. Included once
   for each number type, after many.h; also needs
       look_up(table, sets, out)    OF(...): out[s] lane i = table[s][sets[i]], table REAL [CPU_FEW][CPU_FEW_SETS]

   A matrix: P [state][j], and then for each state and each set of states at a tip the sum of its probabilities; all
   2^BIAS times too large. */

/* sum_j P[s][j] F[j] of LANES columns from `column` on. */
INLINE void OF(few_sums)(const int tip, const cpu_child *child, size_t stride, size_t column, OF(vector) sum[CPU_FEW]) {
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
        sum[s] = f[0] * P[s * CPU_FEW];
        UNROLL(4)
        for (int j = 1; j < CPU_FEW; j++) sum[s] += f[j] * P[s * CPU_FEW + j];
    }
}

INLINE void OF(few_join)(const int tip0, const int tip1, const cpu_join *join) {
    const cpu_join j = *join; /* a copy: for all the compiler knows, what is stored might change *join */
    const cpu_child *a = &j.child[0], *b = &j.child[1];
    REAL *to = j.partials;
    for (size_t column = 0; column < j.columns; column += LANES) {
        OF(vector) x[CPU_FEW], y[CPU_FEW], most = {0};
        OF(few_sums)(tip0, a, j.stride, column, x);
        OF(few_sums)(tip1, b, j.stride, column, y);
        UNROLL(4)
        for (int s = 0; s < CPU_FEW; s++) {
            x[s] *= y[s];
            most = OF(larger)(most, x[s]);
        }
        OF(exponents) exponent = OF(exponents_of)(a, column) + OF(exponents_of)(b, column);
        if (!tip0) exponent -= BIAS;
        if (!tip1) exponent -= BIAS;
        const OF(vector) scale = OF(scale_of)(most, 0, &exponent);
        UNROLL(4)
        for (int s = 0; s < CPU_FEW; s++) *(OF(vector) *)(to + s * j.stride + column) = x[s] * scale;
        *(OF(exponents) *)(j.exponent + column) = exponent;
    }
}

static void OF(join_few)(const cpu_join *join) {
    const int tip0 = join->child[0].partials == NULL, tip1 = join->child[1].partials == NULL;
    if (!tip0 && !tip1) OF(few_join)(0, 0, join);
    if (tip0 && !tip1) OF(few_join)(1, 0, join);
    if (!tip0 && tip1) OF(few_join)(0, 1, join);
    if (tip0 && tip1) OF(few_join)(1, 1, join);
}

/* With a tip at the end of a branch below: sum_s f[s] F[s] (sum of P[s][j] over the tip's set). */
static void OF(root_branch)(const cpu_root *root) {
    const REAL *F = root->partials, *P = root->matrix, less = OF(two_to)(-BIAS);
    REAL f[CPU_FEW];
    for (int s = 0; s < CPU_FEW; s++) f[s] = (REAL)root->frequency[s] * less;
    for (size_t column = 0; column < root->columns; column += LANES) {
        OF(vector) seen[CPU_FEW], sum = {0};
        OF(look_up)(P + CPU_FEW * CPU_FEW, (const uint8_t *)root->code + column, seen);
        UNROLL(4)
        for (int s = 0; s < CPU_FEW; s++) sum += seen[s] * *(const OF(vector) *)(F + s * root->stride + column) * f[s];
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
    REAL *P = to, *sums = P + CPU_FEW * CPU_FEW;
    const REAL scale = OF(two_to)(BIAS);
    for (int s = 0; s < CPU_FEW; s++) {
        for (int j = 0; j < CPU_FEW; j++) {
            const double p = from[j * stride + s];
            P[s * CPU_FEW + j] = p > 0 ? (REAL)p * scale : 0;
        }
        REAL *sum = &sums[s * CPU_FEW_SETS];
        sum[0] = 0;
        for (int set = 1; set < CPU_FEW_SETS - 1; set++) /* of all but its lowest state, and that one */
            sum[set] = sum[set & (set - 1)] + P[s * CPU_FEW + __builtin_ctz((unsigned)set)];
        sum[CPU_FEW_SETS - 1] = scale;
    }
}
