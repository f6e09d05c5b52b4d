/* The floating-point environment of lane arithmetic: rounding direction and flushing of subnormals.
 *
 * `fpenv` is MicroOp.fpenv: bits 0-1 rounding (0 nearest even, 1 toward zero, 2 down, 3 up), bit 2 flush subnormal inputs and
 * results to zero of the same sign. The host's own control word is saved before the first change and restored by the caller.
 */
#ifndef ARCHDEF_FPENV_H
#define ARCHDEF_FPENV_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

#define FPENV_DEFAULT 0x1f80u /* every exception masked, nearest even, subnormals kept */

static inline uint64_t save_fpenv(void) { return _mm_getcsr(); }
static inline void restore_fpenv(uint64_t saved) { _mm_setcsr((unsigned)saved); }
static inline void set_fpenv(int fpenv)
{
    static const unsigned rounding[4] = {0x0000, 0x6000, 0x2000, 0x4000};
    _mm_setcsr(FPENV_DEFAULT | rounding[fpenv & 3] | (fpenv & 4 ? 0x8040u : 0u)); /* flush to zero, denormals are zero */
}

#elif defined(__aarch64__)

static inline uint64_t save_fpenv(void)
{
    uint64_t control;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
    return control;
}
static inline void restore_fpenv(uint64_t saved) { __asm__ __volatile__("msr fpcr, %0" : : "r"(saved) : "memory"); }
static inline void set_fpenv(int fpenv)
{
    static const uint64_t rounding[4] = {0, 3u << 22, 2u << 22, 1u << 22};
    restore_fpenv(rounding[fpenv & 3] | (fpenv & 4 ? 1u << 24 : 0u));
}

#else
#error "lane arithmetic needs the rounding and flushing controls of x86-64 or AArch64"
#endif
#endif
