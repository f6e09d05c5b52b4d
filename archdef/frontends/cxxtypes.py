"""Types of C++ variables, by asking the compiler: PTX has arrays and structures as bytes, and integers without their sign.

The source is compiled once more with a table behind it, one row for each variable, that holds what `decltype` says of it.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import attrs

from archdef.errors import ArchdefError

_AXES = 8
_PLACE = "archdef-types"
_TRAITS = """
namespace archdef_types {
typedef unsigned long long word;
template <class T> struct kind { static const word value = 'V', lanes = 1; };
template <class T> struct kind<T *> { static const word value = 'u', lanes = 1; };
template <class T> struct kind<const T> : kind<T> {};
template <class T> struct kind<volatile T> : kind<T> {};
template <class T> struct kind<const volatile T> : kind<T> {};
%s
template <class T> struct element { typedef T type; };
template <class T, unsigned long N> struct element<T[N]> { typedef typename element<T>::type type; };
template <class T> struct plain { typedef T type; };
template <class T> struct plain<T &> { typedef T type; };
template <class T, unsigned A> struct axis { static const word value = 0; };
template <class T, unsigned long N> struct axis<T[N], 0> { static const word value = N; };
template <class T, unsigned long N, unsigned A> struct axis<T[N], A> { static const word value = axis<T, A - 1>::value; };
}
"""
_TYPE = "archdef_types::plain<decltype(({name}))>::type"      # in parentheses, as managed variables have to be
_ELEMENT = f"archdef_types::element<{_TYPE}>::type"
_ROW = (f'extern "C" __device__ unsigned long long archdef_type_{{n}}[] = {{{{archdef_types::kind<{_ELEMENT}>::value, '
        f"archdef_types::kind<{_ELEMENT}>::lanes, sizeof({_ELEMENT})"
        + "".join(f", archdef_types::axis<{_TYPE}, {a}>::value" for a in range(_AXES)) + "}};")
_SCALARS = {"b": ("bool",), "i": ("char", "signed char", "short", "int", "long", "long long"),
            "u": ("unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long"), "f": ("float", "double")}
_VECTORS = {"i": ("char", "short", "int", "long", "longlong"), "u": ("uchar", "ushort", "uint", "ulong", "ulonglong"), "f": ("float", "double")}


@attrs.frozen
class CxxType:
    """The type of a variable."""

    kind: str
    """numpy's letter: ``b i u f``; V for a structure."""
    bytes: int
    """Size of an element."""
    shape: tuple[int, ...]
    """Sizes of an array, the lanes of a vector type last."""


def ask(compile: Callable[[str], str], text: str, names: Iterable[str]) -> dict[str, CxxType]:
    """Ask for the types of variables of a source.

    compile : gives the PTX of a text. Raises CompileError.
    names   : of the variables, as the source has them, with their namespaces.

    Names that mean nothing at the end of the source are left out.
    """
    wanted = dict(enumerate(names, start=1))
    for _ in range(2):      # the second time without those that the compiler did not know
        if not wanted:
            break
        rows = "\n".join(f'#line {n} "{_PLACE}"\n' + _ROW.format(n=n, name=f"::{name}") for n, name in wanted.items())
        try:
            ptx = compile(f"{text}\n{_TRAITS % _specialised()}\n{rows}\n")
        except ArchdefError as error:
            unknown = {int(n) for n in re.findall(rf"{_PLACE}\((\d+)\): error", str(error))}
            wanted = {n: name for n, name in wanted.items() if n not in unknown} if unknown else {}
            continue
        return {name: found for n, name in wanted.items() if (found := _read(ptx, n)) is not None}
    return {}


def _specialised() -> str:
    lines = [f"template <> struct kind<{type}> {{ static const word value = '{kind}', lanes = 1; }};"
             for kind, types in _SCALARS.items() for type in types]
    lines += [f"template <> struct kind<{type}{n}> {{ static const word value = '{kind}', lanes = {n}; }};"
              for kind, types in _VECTORS.items() for type in types for n in (1, 2, 3, 4)]
    return "\n".join(lines)


def _read(ptx: str, n: int) -> CxxType | None:
    row = re.search(rf"\.[bu](8|64) archdef_type_{n}\[\d+\] = {{([\d, ]+)}}", ptx)
    if row is None:
        return None
    data = b"".join(int(number).to_bytes(int(row[1]) // 8, "little") for number in row[2].split(","))
    kind, lanes, size, *axes = (int.from_bytes(data[k:k + 8], "little") for k in range(0, 8 * (3 + _AXES), 8))
    shape = tuple(axis for axis in axes if axis)
    return CxxType(chr(kind), size // lanes, (*shape, lanes) if lanes > 1 else shape)
