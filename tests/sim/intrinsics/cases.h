/* Every function of one thread that is checked, once.

     X(id, kinds, expression)

   id           names the case in the golden file: the function's name, with its operand type where it has several
   kinds        a letter an operand (operands.h): w 32-bit word, q 64-bit word, f float, d double, h half, p pair of
                halves, b bfloat16, r pair of bfloat16
   expression   of the operands' bits a, b, c, through the readers of intrinsics.cu: I, U, L, M, F, D, H, P, B, R

   main.c makes the operands and hashes the results; intrinsics.cu evaluates the expressions on the device. Functions
   that are approximate by design come last, in APPROXIMATE_CASES: they are compared with a double reference. */
#pragma once

/* A line a case. */
// clang-format off

// ---------------------------------------------------------------- integers

#define INTEGER_CASES(X)                                                     \
    X(__popc, "w", __popc(U(a)))                                             \
    X(__popcll, "q", __popcll(M(a)))                                         \
    X(__clz, "w", __clz(I(a)))                                               \
    X(__clzll, "q", __clzll(L(a)))                                           \
    X(__ffs, "w", __ffs(I(a)))                                               \
    X(__ffsll, "q", __ffsll(L(a)))                                           \
    X(__brev, "w", __brev(U(a)))                                             \
    X(__brevll, "q", __brevll(M(a)))                                         \
    X(__byte_perm, "www", __byte_perm(U(a), U(b), U(c)))                     \
    X(__funnelshift_l, "www", __funnelshift_l(U(a), U(b), U(c)))             \
    X(__funnelshift_r, "www", __funnelshift_r(U(a), U(b), U(c)))             \
    X(__funnelshift_lc, "www", __funnelshift_lc(U(a), U(b), U(c)))           \
    X(__funnelshift_rc, "www", __funnelshift_rc(U(a), U(b), U(c)))           \
    X(__mulhi, "ww", __mulhi(I(a), I(b)))                                    \
    X(__umulhi, "ww", __umulhi(U(a), U(b)))                                  \
    X(__mul64hi, "qq", __mul64hi(L(a), L(b)))                                \
    X(__umul64hi, "qq", __umul64hi(M(a), M(b)))                              \
    X(__mul24, "ww", __mul24(I(a), I(b)))                                    \
    X(__umul24, "ww", __umul24(U(a), U(b)))                                  \
    X(__hadd_int, "ww", __hadd(I(a), I(b)))                                  \
    X(__rhadd, "ww", __rhadd(I(a), I(b)))                                    \
    X(__uhadd, "ww", __uhadd(U(a), U(b)))                                    \
    X(__urhadd, "ww", __urhadd(U(a), U(b)))                                  \
    X(__sad, "www", __sad(I(a), I(b), U(c)))                                 \
    X(__usad, "www", __usad(U(a), U(b), U(c)))                               \
    X(__dp4a_int, "www", __dp4a(I(a), I(b), I(c)))                           \
    X(__dp4a_uint, "www", __dp4a(U(a), U(b), U(c)))                          \
    X(__dp4a_char4, "www", __dp4a(as_char4(a), as_char4(b), I(c)))           \
    X(__dp4a_uchar4, "www", __dp4a(as_uchar4(a), as_uchar4(b), U(c)))        \
    X(__dp2a_lo_int, "www", __dp2a_lo(I(a), I(b), I(c)))                     \
    X(__dp2a_lo_uint, "www", __dp2a_lo(U(a), U(b), U(c)))                    \
    X(__dp2a_lo_short2, "www", __dp2a_lo(as_short2(a), as_char4(b), I(c)))   \
    X(__dp2a_lo_ushort2, "www", __dp2a_lo(as_ushort2(a), as_uchar4(b), U(c))) \
    X(__dp2a_hi_int, "www", __dp2a_hi(I(a), I(b), I(c)))                     \
    X(__dp2a_hi_uint, "www", __dp2a_hi(U(a), U(b), U(c)))                    \
    X(__dp2a_hi_short2, "www", __dp2a_hi(as_short2(a), as_char4(b), I(c)))   \
    X(__dp2a_hi_ushort2, "www", __dp2a_hi(as_ushort2(a), as_uchar4(b), U(c)))

#define MIN_MAX_OF(X, name)                                \
    X(name##_int, "ww", name(I(a), I(b)))                  \
    X(name##_uint, "ww", name(U(a), U(b)))                 \
    X(name##_mixed, "ww", name(I(a), U(b)))                \
    X(name##_longlong, "qq", name(L(a), L(b)))             \
    X(name##_ulonglong, "qq", name(M(a), M(b)))            \
    X(name##_float, "ff", name(F(a), F(b)))                \
    X(name##_double, "dd", name(D(a), D(b)))               \
    X(name##_float_double, "fd", name(F(a), D(b)))
#define MIN_MAX_CASES(X)                       \
    MIN_MAX_OF(X, min)                         \
    MIN_MAX_OF(X, max)                         \
    X(umin, "ww", umin(U(a), U(b)))            \
    X(umax, "ww", umax(U(a), U(b)))            \
    X(llmin, "qq", llmin(L(a), L(b)))          \
    X(ullmax, "qq", ullmax(M(a), M(b)))

// ---------------------------------------------------------------- two halves or four bytes in a word

#define WORD_1(X, name) X(name, "w", name(U(a)))
#define WORD_2(X, name) X(name, "ww", name(U(a), U(b)))
#define WORD_3(X, name) X(name, "www", name(U(a), U(b), U(c)))
#define SIMD_COMPARISON(X, relation, n) WORD_2(X, __vcmp##relation##n) WORD_2(X, __vset##relation##n)
#define SIMD_OF(X, n)                                                                                        \
    WORD_2(X, __vadd##n) WORD_2(X, __vaddss##n) WORD_2(X, __vaddus##n) WORD_2(X, __vsub##n)                  \
    WORD_2(X, __vsubss##n) WORD_2(X, __vsubus##n) WORD_1(X, __vabs##n) WORD_1(X, __vabsss##n)                \
    WORD_1(X, __vneg##n) WORD_1(X, __vnegss##n) WORD_2(X, __vavgs##n) WORD_2(X, __vavgu##n)                  \
    WORD_2(X, __vhaddu##n) WORD_2(X, __vmaxs##n) WORD_2(X, __vmaxu##n) WORD_2(X, __vmins##n)                 \
    WORD_2(X, __vminu##n) WORD_2(X, __vabsdiffs##n) WORD_2(X, __vabsdiffu##n) WORD_2(X, __vsads##n)          \
    WORD_2(X, __vsadu##n) SIMD_COMPARISON(X, eq, n) SIMD_COMPARISON(X, ne, n) SIMD_COMPARISON(X, lts, n)     \
    SIMD_COMPARISON(X, ltu, n) SIMD_COMPARISON(X, les, n) SIMD_COMPARISON(X, leu, n)                         \
    SIMD_COMPARISON(X, gts, n) SIMD_COMPARISON(X, gtu, n) SIMD_COMPARISON(X, ges, n) SIMD_COMPARISON(X, geu, n)
#define SIMD_CASES(X) SIMD_OF(X, 2) SIMD_OF(X, 4)

// ---------------------------------------------------------------- DPX

#define INT_2(X, name) X(name, "ww", name(I(a), I(b)))
#define INT_3(X, name) X(name, "www", name(I(a), I(b), I(c)))
#define DPX_OF(X, name)                                                                             \
    INT_3(X, name##_s32) INT_3(X, name##_s32_relu) WORD_3(X, name##_u32) WORD_3(X, name##_s16x2)    \
    WORD_3(X, name##_s16x2_relu) WORD_3(X, name##_u16x2)
#define DPX_PREDICATE(X, name)                                  \
    X(name##_s32, "ww", name##_s32_and_predicate(I(a), I(b)))      \
    X(name##_u32, "ww", name##_u32_and_predicate(U(a), U(b)))      \
    X(name##_s16x2, "ww", name##_s16x2_and_predicates(U(a), U(b))) \
    X(name##_u16x2, "ww", name##_u16x2_and_predicates(U(a), U(b)))
#define DPX_CASES(X)                                                                                    \
    DPX_OF(X, __vimax3) DPX_OF(X, __vimin3) DPX_OF(X, __viaddmax) DPX_OF(X, __viaddmin)                 \
    INT_2(X, __vimax_s32_relu) INT_2(X, __vimin_s32_relu) WORD_2(X, __vimax_s16x2_relu)                 \
    WORD_2(X, __vimin_s16x2_relu) DPX_PREDICATE(X, __vibmax) DPX_PREDICATE(X, __vibmin)

// ---------------------------------------------------------------- conversions

#define CONVERSIONS_OF(X, mode)                             \
    X(__float2int_##mode, "f", __float2int_##mode(F(a)))    \
    X(__float2uint_##mode, "f", __float2uint_##mode(F(a)))  \
    X(__float2ll_##mode, "f", __float2ll_##mode(F(a)))      \
    X(__float2ull_##mode, "f", __float2ull_##mode(F(a)))    \
    X(__double2int_##mode, "d", __double2int_##mode(D(a)))  \
    X(__double2uint_##mode, "d", __double2uint_##mode(D(a))) \
    X(__double2ll_##mode, "d", __double2ll_##mode(D(a)))    \
    X(__double2ull_##mode, "d", __double2ull_##mode(D(a)))  \
    X(__double2float_##mode, "d", __double2float_##mode(D(a))) \
    X(__int2float_##mode, "w", __int2float_##mode(I(a)))    \
    X(__uint2float_##mode, "w", __uint2float_##mode(U(a)))  \
    X(__ll2float_##mode, "q", __ll2float_##mode(L(a)))      \
    X(__ull2float_##mode, "q", __ull2float_##mode(M(a)))    \
    X(__ll2double_##mode, "q", __ll2double_##mode(L(a)))    \
    X(__ull2double_##mode, "q", __ull2double_##mode(M(a)))
#define CONVERSION_CASES(X)                                                  \
    CONVERSIONS_OF(X, rn) CONVERSIONS_OF(X, rz) CONVERSIONS_OF(X, ru) CONVERSIONS_OF(X, rd) \
    X(__int2double_rn, "w", __int2double_rn(I(a)))                           \
    X(__uint2double_rn, "w", __uint2double_rn(U(a)))                         \
    X(__float_as_int, "f", __float_as_int(F(a)))                             \
    X(__float_as_uint, "f", __float_as_uint(F(a)))                           \
    X(__int_as_float, "w", __int_as_float(I(a)))                             \
    X(__uint_as_float, "w", __uint_as_float(U(a)))                           \
    X(__double_as_longlong, "d", __double_as_longlong(D(a)))                 \
    X(__longlong_as_double, "q", __longlong_as_double(L(a)))                 \
    X(__double2hiint, "d", __double2hiint(D(a)))                             \
    X(__double2loint, "d", __double2loint(D(a)))                             \
    X(__hiloint2double, "ww", __hiloint2double(I(a), I(b)))

// ---------------------------------------------------------------- float and double arithmetic

#define ARITHMETIC_OF(X, mode)                                      \
    X(__fadd_##mode, "ff", __fadd_##mode(F(a), F(b)))               \
    X(__fsub_##mode, "ff", __fsub_##mode(F(a), F(b)))               \
    X(__fmul_##mode, "ff", __fmul_##mode(F(a), F(b)))               \
    X(__fmaf_##mode, "fff", __fmaf_##mode(F(a), F(b), F(c)))        \
    X(__fdiv_##mode, "ff", __fdiv_##mode(F(a), F(b)))               \
    X(__frcp_##mode, "f", __frcp_##mode(F(a)))                      \
    X(__fsqrt_##mode, "f", __fsqrt_##mode(F(a)))
#define FLOAT_CASES(X)                                              \
    ARITHMETIC_OF(X, rn) ARITHMETIC_OF(X, rz) ARITHMETIC_OF(X, ru) ARITHMETIC_OF(X, rd) \
    X(__frsqrt_rn, "f", __frsqrt_rn(F(a)))                          \
    X(__saturatef, "f", __saturatef(F(a)))                          \
    X(__dadd_rn, "dd", __dadd_rn(D(a), D(b)))                       \
    X(__dsub_rn, "dd", __dsub_rn(D(a), D(b)))                       \
    X(__dmul_rn, "dd", __dmul_rn(D(a), D(b)))                       \
    X(__fma_rn, "ddd", __fma_rn(D(a), D(b), D(c)))                  \
    X(__ddiv_rn, "dd", __ddiv_rn(D(a), D(b)))                       \
    X(__drcp_rn, "d", __drcp_rn(D(a)))                              \
    X(__dsqrt_rn, "d", __dsqrt_rn(D(a)))                            \
    X(ldexpf, "fw", ldexpf(F(a), (int)(b % 512) - 256))             \
    X(ldexp, "dw", ldexp(D(a), (int)(b % 4096) - 2048))

// ---------------------------------------------------------------- half and bfloat16

/* What both formats have. S: suffix of the id; s, v: kinds of one and of a pair; T, V: their readers. */
#define HALF_1(X, S, s, v, T, V, name, name2) X(name##S, s, name(T(a))) X(name2##S, v, name2(V(a)))
#define HALF_2(X, S, s, v, T, V, name, name2) X(name##S, s s, name(T(a), T(b))) X(name2##S, v v, name2(V(a), V(b)))
#define HALF_3(X, S, s, v, T, V, name, name2) \
    X(name##S, s s s, name(T(a), T(b), T(c))) X(name2##S, v v v, name2(V(a), V(b), V(c)))
#define HALF_COMPARISON(X, S, s, v, T, V, name)                         \
    X(__h##name##S, s s, __h##name(T(a), T(b)))                         \
    X(__h##name##2##S, v v, __h##name##2(V(a), V(b)))                   \
    X(__h##name##2_mask##S, v v, __h##name##2_mask(V(a), V(b)))         \
    X(__hb##name##2##S, v v, __hb##name##2(V(a), V(b)))
#define HALF_COMMON(X, S, s, v, T, V)                                   \
    HALF_1(X, S, s, v, T, V, __hneg, __hneg2)                           \
    HALF_1(X, S, s, v, T, V, __habs, __habs2)                           \
    HALF_2(X, S, s, v, T, V, __hadd, __hadd2)                           \
    HALF_2(X, S, s, v, T, V, __hsub, __hsub2)                           \
    HALF_2(X, S, s, v, T, V, __hmul, __hmul2)                           \
    HALF_2(X, S, s, v, T, V, __hadd_rn, __hadd2_rn)                     \
    HALF_2(X, S, s, v, T, V, __hsub_rn, __hsub2_rn)                     \
    HALF_2(X, S, s, v, T, V, __hmul_rn, __hmul2_rn)                     \
    HALF_2(X, S, s, v, T, V, __hadd_sat, __hadd2_sat)                   \
    HALF_2(X, S, s, v, T, V, __hsub_sat, __hsub2_sat)                   \
    HALF_2(X, S, s, v, T, V, __hmul_sat, __hmul2_sat)                   \
    HALF_3(X, S, s, v, T, V, __hfma, __hfma2)                           \
    HALF_3(X, S, s, v, T, V, __hfma_sat, __hfma2_sat)                   \
    HALF_3(X, S, s, v, T, V, __hfma_relu, __hfma2_relu)                 \
    X(__hcmadd##S, v v v, __hcmadd(V(a), V(b), V(c)))                   \
    HALF_2(X, S, s, v, T, V, __hmax, __hmax2)                           \
    HALF_2(X, S, s, v, T, V, __hmin, __hmin2)                           \
    HALF_2(X, S, s, v, T, V, __hmax_nan, __hmax2_nan)                   \
    HALF_2(X, S, s, v, T, V, __hmin_nan, __hmin2_nan)                   \
    HALF_1(X, S, s, v, T, V, htrunc, h2trunc)                           \
    HALF_1(X, S, s, v, T, V, hceil, h2ceil)                             \
    HALF_1(X, S, s, v, T, V, hfloor, h2floor)                           \
    HALF_1(X, S, s, v, T, V, hrint, h2rint)                             \
    HALF_1(X, S, s, v, T, V, __hisnan, __hisnan2)                       \
    X(__hisinf##S, s, __hisinf(T(a)))                                   \
    HALF_COMPARISON(X, S, s, v, T, V, eq) HALF_COMPARISON(X, S, s, v, T, V, ne)   \
    HALF_COMPARISON(X, S, s, v, T, V, lt) HALF_COMPARISON(X, S, s, v, T, V, le)   \
    HALF_COMPARISON(X, S, s, v, T, V, gt) HALF_COMPARISON(X, S, s, v, T, V, ge)   \
    HALF_COMPARISON(X, S, s, v, T, V, equ) HALF_COMPARISON(X, S, s, v, T, V, neu) \
    HALF_COMPARISON(X, S, s, v, T, V, ltu) HALF_COMPARISON(X, S, s, v, T, V, leu) \
    HALF_COMPARISON(X, S, s, v, T, V, gtu) HALF_COMPARISON(X, S, s, v, T, V, geu) \
    X(__low2float##S, v, __low2float(V(a)))                             \
    X(__high2float##S, v, __high2float(V(a)))                           \
    X(__lowhigh2highlow##S, v, __lowhigh2highlow(V(a)))

#define HALF_CONVERSIONS_OF(X, mode)                                \
    X(__float2half_##mode, "f", __float2half_##mode(F(a)))          \
    X(__short2half_##mode, "w", __short2half_##mode((short)I(a)))   \
    X(__ushort2half_##mode, "w", __ushort2half_##mode((unsigned short)U(a))) \
    X(__int2half_##mode, "w", __int2half_##mode(I(a)))              \
    X(__uint2half_##mode, "w", __uint2half_##mode(U(a)))            \
    X(__ll2half_##mode, "q", __ll2half_##mode(L(a)))                \
    X(__ull2half_##mode, "q", __ull2half_##mode(M(a)))              \
    X(__half2short_##mode, "h", __half2short_##mode(H(a)))          \
    X(__half2ushort_##mode, "h", __half2ushort_##mode(H(a)))        \
    X(__half2int_##mode, "h", __half2int_##mode(H(a)))              \
    X(__half2uint_##mode, "h", __half2uint_##mode(H(a)))            \
    X(__half2ll_##mode, "h", __half2ll_##mode(H(a)))                \
    X(__half2ull_##mode, "h", __half2ull_##mode(H(a)))
#define HALF_CASES(X)                                                               \
    HALF_COMMON(X, , "h", "p", H, P)                                                \
    HALF_CONVERSIONS_OF(X, rn) HALF_CONVERSIONS_OF(X, rz) HALF_CONVERSIONS_OF(X, ru) HALF_CONVERSIONS_OF(X, rd) \
    X(__half2float, "h", __half2float(H(a)))                                        \
    X(__half22float2, "p", __half22float2(P(a)))                                    \
    X(__float2half, "f", __float2half(F(a)))                                        \
    X(__double2half, "d", __double2half(D(a)))                                      \
    X(__float2half2_rn, "f", __float2half2_rn(F(a)))                                \
    X(__floats2half2_rn, "ff", __floats2half2_rn(F(a), F(b)))                       \
    X(__float22half2_rn, "ff", __float22half2_rn(make_float2(F(a), F(b))))          \
    X(__half2char_rz, "h", (int)__half2char_rz(H(a)))                               \
    X(__half2uchar_rz, "h", (int)__half2uchar_rz(H(a)))                             \
    X(__half_from_long_long, "q", __half(L(a)))                                     \
    X(__half_from_double, "d", __half(D(a)))                                        \
    X(__half_to_bool, "h", (bool)H(a))                                              \
    X(__half_as_ushort, "h", __half_as_ushort(H(a)))                                \
    X(__half_as_short, "h", __half_as_short(H(a)))                                  \
    X(__halves2half2, "hh", __halves2half2(H(a), H(b)))                             \
    X(__half2half2, "h", __half2half2(H(a)))                                        \
    X(__low2half, "p", __low2half(P(a)))                                            \
    X(__high2half, "p", __high2half(P(a)))                                          \
    X(__low2half2, "p", __low2half2(P(a)))                                          \
    X(__high2half2, "p", __high2half2(P(a)))                                        \
    X(__lows2half2, "pp", __lows2half2(P(a), P(b)))                                 \
    X(__highs2half2, "pp", __highs2half2(P(a), P(b)))                               \
    X(half2_operators, "ppp", -(P(a) + P(b)) - P(c)) /* no product: nvcc would fuse it */

#define BFLOAT16_CONVERSIONS_OF(X, mode)                                 \
    X(__float2bfloat16_##mode, "f", __float2bfloat16_##mode(F(a)))       \
    X(__int2bfloat16_##mode, "w", __int2bfloat16_##mode(I(a)))           \
    X(__uint2bfloat16_##mode, "w", __uint2bfloat16_##mode(U(a)))         \
    X(__bfloat162int_##mode, "b", __bfloat162int_##mode(B(a)))           \
    X(__bfloat162uint_##mode, "b", __bfloat162uint_##mode(B(a)))
#define BFLOAT16_CASES(X)                                                           \
    HALF_COMMON(X, _bf16, "b", "r", B, R)                                           \
    BFLOAT16_CONVERSIONS_OF(X, rn) BFLOAT16_CONVERSIONS_OF(X, rz)                   \
    BFLOAT16_CONVERSIONS_OF(X, ru) BFLOAT16_CONVERSIONS_OF(X, rd)                   \
    X(__bfloat162float, "b", __bfloat162float(B(a)))                                \
    X(__bfloat1622float2, "r", __bfloat1622float2(R(a)))                            \
    X(__float2bfloat16, "f", __float2bfloat16(F(a)))                                \
    X(__double2bfloat16, "d", __double2bfloat16(D(a)))                              \
    X(__floats2bfloat162_rn, "ff", __floats2bfloat162_rn(F(a), F(b)))               \
    X(__bfloat16_as_ushort, "b", __bfloat16_as_ushort(B(a)))                        \
    X(__halves2bfloat162, "bb", __halves2bfloat162(B(a), B(b)))                     \
    X(__low2bfloat16, "r", __low2bfloat16(R(a)))                                    \
    X(__high2bfloat162, "r", __high2bfloat162(R(a)))                                \
    X(__lows2bfloat162, "rr", __lows2bfloat162(R(a), R(b)))

#define EXACT_CASES(X)                                                                                       \
    INTEGER_CASES(X) MIN_MAX_CASES(X) SIMD_CASES(X) DPX_CASES(X) CONVERSION_CASES(X) FLOAT_CASES(X)          \
    HALF_CASES(X) BFLOAT16_CASES(X)

// ---------------------------------------------------------------- approximations

/* X(id, kinds, expression, reference, relative, absolute): the result, a float, may differ from the double `reference`
   of x (and y) by relative * |reference| + absolute. Kinds: m a float within [-3, 3], n one within [0.01, 1000]; e and
   k the same as halves. Tolerances: CUDA Programming Guide, mathematical functions; of halves, one unit in the last
   place (2^-10) or two. */
#define APPROXIMATE_CASES(X)                                                                          \
    X(__expf, "m", __expf(F(a)), exp(x), 0x1p-20, 0)                                                  \
    X(__exp10f, "m", __exp10f(F(a)), pow(10, x), 0x1p-19, 0)                                          \
    X(__logf, "n", __logf(F(a)), log(x), 0x1p-21, 0x1p-21)                                            \
    X(__log2f, "n", __log2f(F(a)), log2(x), 0x1p-21, 0x1p-21)                                         \
    X(__log10f, "n", __log10f(F(a)), log10(x), 0x1p-21, 0x1p-21)                                      \
    X(__powf, "nm", __powf(F(a), F(b)), pow(x, y), 0x1p-16, 0)                                        \
    X(__sinf, "m", __sinf(F(a)), sin(x), 0, 0x1p-21)                                                  \
    X(__cosf, "m", __cosf(F(a)), cos(x), 0, 0x1p-21)                                                  \
    X(__tanf, "m", __tanf(0.25f * F(a)), tan(0.25 * x), 0x1p-19, 0x1p-20)                             \
    X(__sincosf, "m", sine_times_cosine(F(a)), sin(x) * cos(x), 0, 0x1p-20)                           \
    X(__fdividef, "nn", __fdividef(F(a), F(b)), x / y, 0x1p-22, 0)                                    \
    X(fdividef, "nn", fdividef(F(a), F(b)), x / y, 0x1p-23, 0)                                        \
    X(rsqrtf, "n", rsqrtf(F(a)), 1 / sqrt(x), 0x1p-22, 0)                                             \
    X(rcbrtf, "n", rcbrtf(F(a)), 1 / cbrt(x), 0x1p-22, 0)                                             \
    X(sinpif, "m", sinpif(F(a)), sin(3.14159265358979323846 * x), 0x1p-21, 0x1p-50)                   \
    X(cospif, "m", cospif(F(a)), cos(3.14159265358979323846 * x), 0x1p-21, 0x1p-50)                   \
    X(expf, "m", expf(F(a)), exp(x), 0x1p-21, 0)                                                      \
    X(exp2f, "m", exp2f(F(a)), exp2(x), 0x1p-21, 0)                                                   \
    X(exp10f, "m", exp10f(F(a)), pow(10, x), 0x1p-21, 0)                                              \
    X(logf, "n", logf(F(a)), log(x), 0x1p-22, 0x1p-24)                                                \
    X(sqrtf, "n", sqrtf(F(a)), sqrt(x), 0x1p-23, 0)                                                   \
    X(powf, "nm", powf(F(a), F(b)), pow(x, y), 0x1p-19, 0)                                            \
    X(hypotf, "nn", hypotf(F(a), F(b)), hypot(x, y), 0x1p-21, 0)                                      \
    X(__hdiv, "ek", __half2float(__hdiv(H(a), H(b))), x / y, 0x1p-10, 0x1p-24)                        \
    X(hsqrt, "k", __half2float(hsqrt(H(a))), sqrt(x), 0x1p-10, 0)                                     \
    X(hrsqrt, "k", __half2float(hrsqrt(H(a))), 1 / sqrt(x), 0x1p-10, 0)                               \
    X(hrcp, "k", __half2float(hrcp(H(a))), 1 / x, 0x1p-10, 0x1p-24)                                   \
    X(hlog, "k", __half2float(hlog(H(a))), log(x), 0x1p-9, 0x1p-12)                                   \
    X(hlog2, "k", __half2float(hlog2(H(a))), log2(x), 0x1p-9, 0x1p-12)                                \
    X(hlog10, "k", __half2float(hlog10(H(a))), log10(x), 0x1p-9, 0x1p-12)                             \
    X(hexp, "e", __half2float(hexp(H(a))), exp(x), 0x1p-9, 0)                  \
    X(hexp2, "e", __half2float(hexp2(H(a))), exp2(x), 0x1p-9, 0)               \
    X(hexp10, "e", __half2float(hexp10(H(a))), pow(10, x), 0x1p-9, 0)          \
    X(hsin, "e", __half2float(hsin(H(a))), sin(x), 0x1p-9, 0x1p-11)            \
    X(hcos, "e", __half2float(hcos(H(a))), cos(x), 0x1p-9, 0x1p-11)            \
    X(htanh, "e", __half2float(htanh(H(a))), tanh(x), 0x1p-9, 0)

// ---------------------------------------------------------------- tensor cores

/* X(id, per): `per` elements a register; 0 for m8n8k4, which has one double. */
#define MATRIX_CASES(X)            \
    X(wl_mma_m16n8k32_s8, 4)       \
    X(wl_mma_m16n8k32_u8, 4)       \
    X(wl_mma_m16n8k256_b1, 32)     \
    X(wl_mma_m16n8k16_f16, 2)      \
    X(wl_mma_m16n8k8_tf32, 1)      \
    X(wl_mma_m8n8k4_f64, 0)
// clang-format on
