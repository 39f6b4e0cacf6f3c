/* Powers of two, made of the bits of a number's exponent. Included once for each number type. */

INLINE REAL OF(two_to)(int exponent) {
    const union {
        OF(whole) bits;
        REAL number;
    } x = {(OF(whole))(exponent + EXPONENT_ZERO) << FRACTION_BITS};
    return x.number;
}

/* The powers of two that bring the numbers `most` to [2^bias, 2^(bias + 1)), and taken off `exponent`. A column of
   zeros stays one; and no scale is so large that a further 2^BIAS is too much. */
INLINE OF(vector) OF(scale_of)(OF(vector) most, int bias, OF(exponents) * exponent) {
    const int largest = 2 * EXPONENT_ZERO - BIAS - 1;
    const OF(integers) wanted = 2 * EXPONENT_ZERO + bias - ((OF(integers))most >> FRACTION_BITS);
    const OF(integers) too_large = wanted > largest;
    const OF(integers) power = (wanted & ~too_large) | (largest & too_large);
    *exponent -= __builtin_convertvector(power - EXPONENT_ZERO, OF(exponents));
    return (OF(vector))(power << FRACTION_BITS);
}

/* Lane i: the largest of row[i]'s lanes. Each step halves what is left of every row, and puts two rows' halves into one
   vector. */
INLINE OF(vector) OF(largest_of_rows)(const OF(vector) row[LANES]) {
    OF(vector) rows[LANES];
    for (int i = 0; i < LANES; i++) rows[i] = row[i];
    OF(integers) lane;
    for (int i = 0; i < LANES; i++) lane[i] = i;
    UNROLL(4)
    for (int step = 1; step < LANES; step *= 2) {
        const OF(integers) odd = (lane & step) != 0; // such lanes get the second row's
        const OF(integers) low = (lane & ~step) + (odd & LANES), high = (lane | step) + (odd & LANES);
        UNROLL(8)
        for (int i = 0; i < LANES / 2 / step; i++)
            rows[i] = OF(larger)(__builtin_shuffle(rows[2 * i], rows[2 * i + 1], low),
                                 __builtin_shuffle(rows[2 * i], rows[2 * i + 1], high));
    }
    return rows[0];
}

INLINE OF(exponents) OF(exponents_of)(const cpu_child *child, size_t column) {
    if (child->partials == NULL) return (OF(exponents)){0} - BIAS;
    return *(const OF(exponents) *)(child->exponent + column);
}

/* The scales and exponents of a join's columns, of which join->scratch has the largest number. */
INLINE void OF(settle)(const cpu_join *join) {
    const OF(vector) *largest = join->scratch;
    const cpu_child *a = &join->child[0], *b = &join->child[1];
    for (size_t column = 0; column < join->columns; column += LANES) {
        OF(exponents) exponent = OF(exponents_of)(a, column) + OF(exponents_of)(b, column);
        *(OF(vector) *)((REAL *)join->scale + column) =
            OF(scale_of)(OF(largest_of_rows)(largest + column), BIAS, &exponent);
        *(OF(exponents) *)(join->exponent + column) = exponent;
    }
}
