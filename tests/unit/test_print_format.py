"""What kernels print is formatted as the C library of this host does it."""
import ctypes
import math
import struct
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archdef.run import printing

INT, LONG, FLOAT, STRING, NULL = range(5)
C = ctypes.CDLL(None) if sys.platform == "linux" else None
pytestmark = pytest.mark.skipif(C is None, reason="compares with glibc")


def bits(number: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def theirs(template: str, *arguments) -> str:
    made = [ctypes.c_double(a) if isinstance(a, float) else ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_longlong(a)
            for a in arguments]
    buffer = ctypes.create_string_buffer(20000)
    C.snprintf(buffer, 20000, template.encode(), *made)
    return buffer.value.decode("utf-8", "replace")


def ours(template: str, *arguments) -> str:
    values = []
    for a in arguments:
        values.append((FLOAT, bits(a)) if isinstance(a, float) else (STRING, a) if isinstance(a, bytes) else
                      (LONG if "l" in template else INT, a & (1 << 64) - 1 if "l" in template else a & 0xFFFFFFFF))
    return printing.formatted(template.encode(), values)


FLAGS = st.text("-+ #0", max_size=3)
WIDTH = st.one_of(st.just(""), st.integers(0, 30).map(str))
PRECISION = st.one_of(st.just(""), st.just("."), st.integers(0, 25).map(lambda n: f".{n}"))


@settings(deadline=None)
@given(FLAGS, WIDTH, PRECISION, st.sampled_from(["", "h", "hh"]), st.sampled_from("diuoxX"), st.integers(-2**31, 2**32 - 1))
def test_integers(flags, width, precision, size, letter, number):
    template = f"[%{flags}{width}{precision}{size}{letter}]"
    assert ours(template, number) == theirs(template, number)


@settings(deadline=None)
@given(FLAGS, WIDTH, PRECISION, st.sampled_from(["l", "ll"]), st.sampled_from("diuoxX"), st.integers(-2**63, 2**63 - 1))
def test_long_integers(flags, width, precision, size, letter, number):
    template = f"[%{flags}{width}{precision}{size}{letter}]"
    assert ours(template, number) == theirs(template, number)


@settings(deadline=None)
@given(FLAGS, WIDTH, PRECISION, st.sampled_from("fFeEgGaA"), st.floats())
def test_floats(flags, width, precision, letter, number):
    if math.isnan(number):
        number = math.nan
    template = f"[%{flags}{width}{precision}{letter}]"
    assert ours(template, number) == theirs(template, number)


@settings(deadline=None)
@given(st.sampled_from(["", "-"]), WIDTH, PRECISION, st.binary(max_size=20).filter(lambda b: 0 not in b))
def test_strings(flags, width, precision, text):
    template = f"[%{flags}{width}{precision}s]"
    assert ours(template, text) == theirs(template, text)


def test_stars_take_their_numbers_from_the_values():
    assert printing.formatted(b"[%*d|%-*.*f]", [(INT, 6), (INT, 42), (INT, 8), (INT, 2), (FLOAT, bits(3.14159))]) == "[    42|3.14    ]"
    assert printing.formatted(b"[%*d]", [(INT, 0xFFFFFFFC), (INT, 7)]) == "[7   ]"  # a negative width aligns left


def test_what_c_leaves_open_is_harmless():
    assert printing.formatted(b"%d %s", [(INT, 1)]) == "1 %s"          # too few values: as written
    assert printing.formatted(b"100%% %", []) == "100% %"
    assert printing.formatted(b"%s", [(NULL, 0)]) == "(null)"
    assert printing.formatted(b"%p", [(LONG, 0x100000010)]) == "0x100000010"
    assert len(printing.formatted(b"%" + b"9" * 5000 + b"d", [(INT, 1)])) == 8192
    assert printing.formatted(b"%c", [(INT, 65)]) == "A"
    assert printing.formatted(b"%y", []) == "%y"


@settings(deadline=None)
@given(st.binary(max_size=40), st.lists(st.one_of(st.tuples(st.sampled_from([INT, LONG, FLOAT]), st.integers(0, 2**64 - 1)),
                                                  st.tuples(st.just(STRING), st.binary(max_size=5)))))
def test_any_format_and_any_values_give_text(template, values):
    assert isinstance(printing.formatted(template, values), str)
