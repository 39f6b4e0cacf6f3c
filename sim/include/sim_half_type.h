/* The class of a 16-bit floating-point number, __half or __nv_bfloat16, and of a pair of them. Included twice, by
   cuda_fp16.h and by cuda_bf16.h, with these macros defined:

     WL_T, WL_T2, WL_RAW, WL_RAW2   the type, its pair, and their plain structs of bits
     WL_F                           its format (sim_half_formats.h)

   The conversions are those of CUDA's own class, no more, so that what compiles here compiles there. */

struct alignas(2) WL_RAW {
    unsigned short x;
};
struct alignas(4) WL_RAW2 {
    unsigned short x, y;
};

#define WL_MEMBER inline __attribute__((always_inline))

struct alignas(2) WL_T {
    unsigned short wl_bits; // CUDA's is protected; a public one may be copied by memcpy without a warning

    /* CUDA's leaves the bits alone. Setting them lets g++ put arrays in shared memory without a guard variable, which
       the simulator would take for an access of the kernel's. Clang, which only checks the language, permits none there. */
#ifdef __clang__
    WL_T() = default;
#else
    constexpr WL_T() : wl_bits(0) {}
#endif
    WL_MEMBER WL_T(const WL_RAW &raw) : wl_bits(raw.x) {}
    WL_MEMBER operator WL_RAW() const { return WL_RAW{wl_bits}; }

    /* To nearest, ties to even. Integers of 32 bits are exact in double, longer ones rounded to odd first. */
    WL_MEMBER WL_T(const float x) : wl_bits((unsigned short)WL_F::round(x)) {}
    WL_MEMBER WL_T(const double x) : wl_bits((unsigned short)WL_F::round(wl_to_odd_float(x))) {}
    WL_MEMBER WL_T(const short x) : WL_T((double)x) {}
    WL_MEMBER WL_T(const unsigned short x) : WL_T((double)x) {}
    WL_MEMBER WL_T(const int x) : WL_T((double)x) {}
    WL_MEMBER WL_T(const unsigned int x) : WL_T((double)x) {}
    WL_MEMBER WL_T(const long x) : WL_T(wl_signed_to_odd_double(x)) {}
    WL_MEMBER WL_T(const unsigned long x) : WL_T(wl_to_odd_double(x)) {}
    WL_MEMBER WL_T(const long long x) : WL_T(wl_signed_to_odd_double(x)) {}
    WL_MEMBER WL_T(const unsigned long long x) : WL_T(wl_to_odd_double(x)) {}

    /* Towards zero, within the integer's range; NaN as everywhere in sim_convert.h. */
    WL_MEMBER operator float() const { return WL_F::value(wl_bits); }
    WL_MEMBER operator signed char() const {
        return wl_to_integer<signed char, WL_RZ>(WL_F::value(wl_bits), -128, 127, 128, 0);
    }
    WL_MEMBER operator unsigned char() const {
        return wl_to_integer<unsigned char, WL_RZ>(WL_F::value(wl_bits), 0, 255, 256, 0);
    }
    WL_MEMBER operator char() const { return (char)-1 < 0 ? (char)(signed char)*this : (char)(unsigned char)*this; }
    WL_MEMBER operator short() const {
        return wl_to_integer<short, WL_RZ>(WL_F::value(wl_bits), INT16_MIN, INT16_MAX, 0x1p15, 0);
    }
    WL_MEMBER operator unsigned short() const {
        return wl_to_integer<unsigned short, WL_RZ>(WL_F::value(wl_bits), 0, UINT16_MAX, 0x1p16, 0);
    }
    WL_MEMBER operator int() const { return WL_TO_INT(WL_RZ, WL_F::value(wl_bits), 0); }
    WL_MEMBER operator unsigned int() const { return WL_TO_UINT(WL_RZ, WL_F::value(wl_bits), 0u); }
    WL_MEMBER operator long() const { return (long)WL_TO_LL(WL_RZ, WL_F::value(wl_bits)); }
    WL_MEMBER operator unsigned long() const { return (unsigned long)WL_TO_ULL(WL_RZ, WL_F::value(wl_bits)); }
    WL_MEMBER operator long long() const { return WL_TO_LL(WL_RZ, WL_F::value(wl_bits)); }
    WL_MEMBER operator unsigned long long() const { return WL_TO_ULL(WL_RZ, WL_F::value(wl_bits)); }
    WL_MEMBER operator bool() const { return (wl_bits & 0x7fff) != 0; }
};

/* Two numbers in a word, x in its low half. */
struct alignas(4) WL_T2 {
    WL_T x, y;
#ifdef __clang__
    WL_T2() = default;
#else
    constexpr WL_T2() {}
#endif
    WL_MEMBER WL_T2(const WL_T &low, const WL_T &high) : x(low), y(high) {}
    WL_MEMBER WL_T2(const WL_RAW2 &raw) : x(WL_RAW{raw.x}), y(WL_RAW{raw.y}) {}
    WL_MEMBER operator WL_RAW2() const { return WL_RAW2{((WL_RAW)x).x, ((WL_RAW)y).x}; }
};

#undef WL_MEMBER
