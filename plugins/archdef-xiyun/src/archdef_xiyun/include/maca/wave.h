// What the lanes of a wave do together, with masks of 64 bits. Included before every MXMACA source, as its compiler knows these names.
//
// The forms below are archdef's: PTX has 32-bit masks only. `mx.shfl` takes the width of a segment in lanes, WARP_SZ is the machine's.
// A mask is converted to 64 bits as C++ converts: 0xffffffff names lanes 0 to 31, -1 all of them.
#pragma once

typedef unsigned long long __mx_mask;
#define __MX_INLINE __device__ __forceinline__
#define __MX_EVERYONE 0xffffffffffffffffull
#define waveSize warpSize

__MX_INLINE unsigned __lane_id() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
#define __MX_LANEMASK(which) \
    __MX_INLINE __mx_mask __lanemask64_##which() { __mx_mask r; asm("mov.u64 %0, %%lanemask_" #which ";" : "=l"(r)); return r; } \
    __MX_INLINE __mx_mask __lanemask_##which() { return __lanemask64_##which(); }
__MX_LANEMASK(eq) __MX_LANEMASK(lt) __MX_LANEMASK(le) __MX_LANEMASK(gt) __MX_LANEMASK(ge)
#undef __MX_LANEMASK

// --------------------------------------------------------------------------------------------------------------------- barriers
__MX_INLINE void __mx_syncwave() { asm volatile("bar.warp.sync -1;" ::: "memory"); }
__MX_INLINE void __mx_syncwave(__mx_mask mask) { asm volatile("bar.warp.sync %0;" :: "l"(mask) : "memory"); }

// ------------------------------------------------------------------------------------------------------------------------ votes
__MX_INLINE __mx_mask __mx_activemask() { __mx_mask r; asm volatile("activemask.b64 %0;" : "=l"(r)); return r; }

__MX_INLINE __mx_mask __mx_ballot_sync(__mx_mask mask, int holds)
{
    __mx_mask r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b64 %0, p, %2; }" : "=l"(r) : "r"(holds), "l"(mask));
    return r;
}

#define __MX_VOTE(mode) \
    __MX_INLINE int __mx_##mode##_sync(__mx_mask mask, int holds) \
    { \
        int r; \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." #mode ".pred q, p, %2; selp.s32 %0, 1, 0, q; }" \
                     : "=r"(r) : "r"(holds), "l"(mask)); \
        return r; \
    } \
    __MX_INLINE int __mx_##mode(int holds) { return __mx_##mode##_sync(__mx_activemask(), holds); }
__MX_VOTE(any) __MX_VOTE(all) __MX_VOTE(uni)
#undef __MX_VOTE
__MX_INLINE __mx_mask __mx_ballot(int holds) { return __mx_ballot_sync(__mx_activemask(), holds); }

// --------------------------------------------------------------------------------------------------------------------- shuffles
// A lane that the mask does not name keeps its own value.
template <class T> struct __mx_words {
    enum : unsigned { count = (sizeof(T) + 3) / 4 };
    unsigned word[count];
    __MX_INLINE __mx_words(const T &value)
    {
        if (sizeof(T) % 4)
            word[count - 1] = 0;
        memcpy(word, &value, sizeof(T));
    }
    __MX_INLINE T value() const { T r; memcpy(&r, word, sizeof(T)); return r; }
};

__MX_INLINE bool __mx_named(__mx_mask mask) { return mask == __MX_EVERYONE || (mask >> __lane_id() & 1); }

#define __MX_SHUFFLE(name, mode, Lane) \
    template <class T> __MX_INLINE T __mx_##name##_sync(__mx_mask mask, T value, Lane lane) \
    { \
        __mx_words<T> w(value); \
        _Pragma("unroll") \
        for (unsigned i = 0; i < w.count; ++i) { \
            unsigned r; \
            asm volatile("mx.shfl.sync." mode ".b32 %0, %1, %2, WARP_SZ, %3;" : "=r"(r) : "r"(w.word[i]), "r"(lane), "l"(mask)); \
            w.word[i] = __mx_named(mask) ? r : w.word[i]; \
        } \
        return w.value(); \
    } \
    template <class T> __MX_INLINE T __mx_##name##_sync(__mx_mask mask, T value, Lane lane, int width) \
    { \
        __mx_words<T> w(value); \
        _Pragma("unroll") \
        for (unsigned i = 0; i < w.count; ++i) { \
            unsigned r; \
            asm volatile("mx.shfl.sync." mode ".b32 %0, %1, %2, %4, %3;" \
                         : "=r"(r) : "r"(w.word[i]), "r"(lane), "l"(mask), "r"(width)); \
            w.word[i] = __mx_named(mask) ? r : w.word[i]; \
        } \
        return w.value(); \
    } \
    template <class T> __MX_INLINE T __mx_##name(T value, Lane lane) { return __mx_##name##_sync(__MX_EVERYONE, value, lane); } \
    template <class T> __MX_INLINE T __mx_##name(T value, Lane lane, int width) \
    { return __mx_##name##_sync(__MX_EVERYONE, value, lane, width); }
__MX_SHUFFLE(shfl, "idx", int)
__MX_SHUFFLE(shfl_up, "up", unsigned)
__MX_SHUFFLE(shfl_down, "down", unsigned)
__MX_SHUFFLE(shfl_xor, "bfly", int)
#undef __MX_SHUFFLE

// ---------------------------------------------------------------------------------------------------------------------- matches
__MX_INLINE __mx_mask __mx_match_any_word(__mx_mask mask, unsigned value)
{ __mx_mask r; asm volatile("match.any.sync.b32 %0, %1, %2;" : "=l"(r) : "r"(value), "l"(mask)); return r; }
__MX_INLINE __mx_mask __mx_match_any_word(__mx_mask mask, __mx_mask value)
{ __mx_mask r; asm volatile("match.any.sync.b64 %0, %1, %2;" : "=l"(r) : "l"(value), "l"(mask)); return r; }
__MX_INLINE __mx_mask __mx_match_all_word(__mx_mask mask, unsigned value, int *all)
{
    __mx_mask r;
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=l"(r), "=r"(*all) : "r"(value), "l"(mask));
    return r;
}
__MX_INLINE __mx_mask __mx_match_all_word(__mx_mask mask, __mx_mask value, int *all)
{
    __mx_mask r;
    asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=l"(r), "=r"(*all) : "l"(value), "l"(mask));
    return r;
}
template <unsigned bytes> struct __mx_bits { typedef unsigned type; };
template <> struct __mx_bits<8> { typedef __mx_mask type; };
template <class T> __MX_INLINE typename __mx_bits<sizeof(T)>::type __mx_bits_of(T value)
{
    static_assert(sizeof(T) <= 8, "lanes match values of up to 64 bits");
    typename __mx_bits<sizeof(T)>::type r = 0;
    memcpy(&r, &value, sizeof(T));
    return r;
}
template <class T> __MX_INLINE __mx_mask __mx_match_any_sync(__mx_mask mask, T value) { return __mx_match_any_word(mask, __mx_bits_of(value)); }
template <class T> __MX_INLINE __mx_mask __mx_match_all_sync(__mx_mask mask, T value, int *all)
{ return __mx_match_all_word(mask, __mx_bits_of(value), all); }

// ------------------------------------------------------------------------------------------------------------------- reductions
// A C500 has no instruction for them: a butterfly over a whole wave, else one member after the other.
#define __MX_REDUCE(name, combine) \
    template <class T> __MX_INLINE T __mx_reduce_##name##_sync(__mx_mask mask, T value) \
    { \
        if (mask == __MX_EVERYONE && __mx_activemask() == (waveSize == 64 ? __MX_EVERYONE : (1ull << (waveSize & 63)) - 1)) { \
            for (int step = waveSize / 2; step > 0; step /= 2) { \
                T a = value, b = __mx_shfl_xor_sync(__MX_EVERYONE, value, step); \
                value = combine; \
            } \
            return value; \
        } \
        __mx_mask left = mask & __mx_activemask(); \
        T total = __mx_shfl_sync(mask, value, __ffsll(left) - 1); \
        for (left &= left - 1; left; left &= left - 1) { \
            T a = total, b = __mx_shfl_sync(mask, value, __ffsll(left) - 1); \
            total = combine; \
        } \
        return total; \
    }
__MX_REDUCE(add, a + b) __MX_REDUCE(min, a < b ? a : b) __MX_REDUCE(max, a > b ? a : b)
__MX_REDUCE(and, a & b) __MX_REDUCE(or, a | b) __MX_REDUCE(xor, a ^ b)
#undef __MX_REDUCE

#include <maca/names.h>
