/* The names by which the skeletons of sw/cpu_simd and sw/core call the operations of sw/kit/vectors_*.h while BITS is 8, 16 or
   32. Include it before a skeleton, and again after it, which removes the names and BITS. */
#ifndef OF_BITS
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define LANES (VECTOR_BYTES * 8 / BITS)
#define CELL JOIN(JOIN(int, BITS), _t)
#define MOST JOIN(JOIN(INT, BITS), _MAX)
#define OF_BITS(name) JOIN(name, BITS)
#define ADD OF_BITS(add_)
#define SUB OF_BITS(sub_)
#define MAX OF_BITS(max_)
#define MAX_TOO OF_BITS(max_too_)
#define DECAY OF_BITS(decay_)
#define SPLAT OF_BITS(splat_)
#define WIDEN OF_BITS(widen_)
#define ANY_IS_ABOVE OF_BITS(any_above_)
#define FIRST OF_BITS(first_)
#define TO_NEXT OF_BITS(next_)
#else
#undef JOIN2
#undef JOIN
#undef LANES
#undef CELL
#undef MOST
#undef OF_BITS
#undef ADD
#undef SUB
#undef MAX
#undef MAX_TOO
#undef DECAY
#undef SPLAT
#undef WIDEN
#undef ANY_IS_ABOVE
#undef FIRST
#undef TO_NEXT
#undef BITS
#endif
