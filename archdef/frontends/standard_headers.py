"""The headers of C that device code includes: NVRTC brings none, and has most of what they declare built in.

What the toolkit's wheels bring stays theirs; a header of the same name among the user's own comes first. Types are those of the
toolkit's headers for NVRTC, where 64-bit integers are ``long long``.
"""
from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_GUARD = "#pragma once\n"
_STDINT = "".join(f"typedef {kind} int{bits}_t;\ntypedef unsigned {plain} uint{bits}_t;\n" + "".join(
    f"typedef {kind} int_{form}{bits}_t;\ntypedef unsigned {plain} uint_{form}{bits}_t;\n" for form in ("least", "fast"))
    for bits, kind, plain in ((8, "signed char", "char"), (16, "short", "short"), (32, "int", "int"), (64, "long long", "long long"))) + (
    "typedef long long intptr_t;\ntypedef unsigned long long uintptr_t;\ntypedef long long intmax_t;\n"
    "typedef unsigned long long uintmax_t;\n")
_INTEGER_LIMITS = "".join(
    f"#define INT{name}_MIN (-{top - 1}{suffix} - 1)\n#define INT{name}_MAX {top - 1}{suffix}\n#define UINT{name}_MAX {2 * top - 1}{unsigned}\n"
    for name, bits, suffix, unsigned in (
        ("8", 8, "", ""), ("16", 16, "", ""), ("32", 32, "", "U"), ("64", 64, "LL", "ULL"), ("PTR", 64, "LL", "ULL"), ("MAX", 64, "LL", "ULL"))
    for top in (1 << bits - 1,)) + (
    "#define SIZE_MAX 18446744073709551615ULL\n#define PTRDIFF_MIN (-9223372036854775807LL - 1)\n#define PTRDIFF_MAX 9223372036854775807LL\n"
    + "".join(f"#define INT{b}_C(c) c{s}\n#define UINT{b}_C(c) c{u}\n" for b, s, u in (
        (8, "", ""), (16, "", ""), (32, "", "##U"), (64, "##LL", "##ULL"), ("MAX", "##LL", "##ULL"))))
_LIMITS = """#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
"""
_FLOAT = "#define FLT_RADIX 2\n#define DECIMAL_DIG 17\n" + "".join(f"#define {name} {value}\n" for name, value in {
    "FLT_MANT_DIG": 24, "FLT_DIG": 6, "FLT_DECIMAL_DIG": 9, "FLT_MIN_EXP": "(-125)", "FLT_MAX_EXP": 128, "FLT_MIN_10_EXP": "(-37)",
    "FLT_MAX_10_EXP": 38, "FLT_MAX": "3.402823466e+38f", "FLT_MIN": "1.175494351e-38f", "FLT_TRUE_MIN": "1.401298464e-45f",
    "FLT_EPSILON": "1.192092896e-07f", "DBL_MANT_DIG": 53, "DBL_DIG": 15, "DBL_DECIMAL_DIG": 17, "DBL_MIN_EXP": "(-1021)",
    "DBL_MAX_EXP": 1024, "DBL_MIN_10_EXP": "(-307)", "DBL_MAX_10_EXP": 308, "DBL_MAX": "1.7976931348623157e+308",
    "DBL_MIN": "2.2250738585072014e-308", "DBL_TRUE_MIN": "4.9406564584124654e-324", "DBL_EPSILON": "2.2204460492503131e-16"}.items())
_CONSTANTS = {"E": "2.7182818284590452354", "LOG2E": "1.4426950408889634074", "LOG10E": "0.43429448190325182765",
              "LN2": "0.69314718055994530942", "LN10": "2.30258509299404568402", "PI": "3.14159265358979323846",
              "PI_2": "1.57079632679489661923", "PI_4": "0.78539816339744830962", "1_PI": "0.31830988618379067154",
              "2_PI": "0.63661977236758134308", "2_SQRTPI": "1.12837916709551257390", "SQRT2": "1.41421356237309504880",
              "SQRT1_2": "0.70710678118654752440"}
_MATH = "".join(f"#ifndef {name}\n#define {name} {value}\n#endif\n" for name, value in {
    **{f"M_{name}": value for name, value in _CONSTANTS.items()}, "INFINITY": "(1.0f / 0.0f)", "NAN": "(0.0f / 0.0f)",
    "HUGE_VALF": "(1.0f / 0.0f)", "HUGE_VAL": "(1.0 / 0.0)"}.items())
_OFFSETOF = """#ifndef offsetof
#if __CUDACC_VER_MAJOR__ >= 13
#define offsetof(type, member) __builtin_offsetof(type, member)
#else
#define offsetof(type, member) ((size_t)&(((type *)0)->member))
#endif
#endif
"""
_FUNCTIONS = ("acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin "
              "fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nanf nearbyint "
              "nextafter pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc isfinite isinf isnan signbit abs")
_SINGLE = ("acosf acoshf asinf asinhf atanf atan2f atanhf cbrtf ceilf copysignf cosf coshf erff erfcf expf exp2f expm1f fabsf fdimf floorf "
           "fmaf fmaxf fminf fmodf frexpf hypotf ldexpf lgammaf logf log10f log1pf log2f logbf modff powf remainderf rintf roundf sinf "
           "sinhf sqrtf tanf tanhf tgammaf truncf")


def _std(names: str) -> str:
    """Declare names of the global namespace in ``std`` too."""
    return "namespace std {" + "".join(f" using ::{name};" for name in names.split()) + " }\n"


_TYPES = "#include <stdint.h>\ntypedef unsigned char u_char;\n" + "".join(
    f"typedef unsigned {kind} u{kind};\n" for kind in ("short", "int", "long"))
_PAIRS = {          # C's header → its text, and what the one of C++ has in namespace std
    "assert": ("", ""),
    "errno": ("", ""),
    "float": (_FLOAT, ""),
    "inttypes": ("#include <stdint.h>\n", ""),
    "limits": (_LIMITS, ""),
    "math": (_MATH, f"{_FUNCTIONS} {_SINGLE}"),
    "stdarg": ("", ""),
    "stdbool": ("", ""),
    "stddef": (_OFFSETOF, "size_t ptrdiff_t"),
    "stdint": (_STDINT + _INTEGER_LIMITS, " ".join(
        f"{sign}int{form}{bits}_t" for bits in (8, 16, 32, 64) for sign in ("", "u") for form in ("", "_least", "_fast"))
        + " intptr_t uintptr_t intmax_t uintmax_t"),
    "stdio": ("", "printf"),
    "stdlib": ("#include <sys/types.h>\n#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n", "malloc free abs labs llabs size_t"),
    "string": ("", "memcpy memset size_t"),
    "time": ("", "clock clock_t size_t"),
}
# Former names of what is built in: those of the wheels include others that only nvcc has.
_FORMER = ("common_functions.h", "device_double_functions.h", "device_functions.h", "host_defines.h", "math_functions.h")
_ALGORITHM = """namespace std {
template <typename T> constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> constexpr void swap(T &a, T &b) { T kept = a; a = b; b = kept; }
}
"""

HEADERS: dict[str, str] = {
    **{f"{name}.h": _GUARD + text for name, (text, _) in _PAIRS.items()},
    **{f"c{name}": f"{_GUARD}#include <{name}.h>\n{_std(inside) if inside else ''}" for name, (_, inside) in _PAIRS.items()},
    **dict.fromkeys(_FORMER, _GUARD),
    "algorithm": _GUARD + _ALGORITHM,
    "sys/types.h": _GUARD + _TYPES,     # a host's stdlib.h brings it, so kernels that nvcc compiles say uint and int64_t
}
"""Name, as a source includes it → text."""


def beside(folders: Iterable[Path]) -> dict[str, str]:
    """Give the headers of which the user has none of the same name in `folders`."""
    folders = tuple(folders)
    return {name: text for name, text in HEADERS.items() if not any((folder / name).is_file() for folder in folders)}
