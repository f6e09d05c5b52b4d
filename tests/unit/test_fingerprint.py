"""A Python function is known again by everything that it refers to."""
import math
import types

import numpy as np
import pytest

from archdef.frontends.fingerprint import fingerprint

LIBRARIES = ("math", "numpy", "builtins")
SIZE, TABLE = 8, np.arange(3)


def helper(x):
    return x + SIZE


def subject(x):
    return helper(x) * math.pi + TABLE[0] + len(x)


def recursive(n):
    return n and recursive(n - 1)


def mark(function):
    return fingerprint(function, LIBRARIES)


def test_the_same_function_gives_the_same_mark():
    assert mark(subject) and mark(subject) == mark(subject) != mark(helper)
    assert mark(recursive)


@pytest.mark.parametrize("name, value", [("SIZE", 9), ("SIZE", 8.0), ("TABLE", np.arange(3.0)), ("TABLE", np.arange(1, 4)),
                                         ("helper", lambda x: x), ("math", np)])
def test_what_it_names_counts_however_far_away(monkeypatch, name, value):
    before = mark(subject)
    monkeypatch.setitem(globals(), name, value)
    assert mark(subject) not in (None, before)


def test_closures_and_defaults_count():
    def make(k, d):
        def inner(x, y=d):
            return x * k + y
        return inner
    assert len({mark(make(k, d)) for k in (1, 2) for d in (1, 2)}) == 4


def test_a_decorated_function_counts_by_what_is_inside(monkeypatch):
    before = mark(subject)
    monkeypatch.setitem(globals(), "helper", types.SimpleNamespace(py_func=helper, targetoptions={"inline": True}))
    assert mark(subject) not in (None, before)


@pytest.mark.parametrize("unknown", [types.ModuleType("mine"), object(), {"a": 1}])
def test_what_cannot_be_written_down_gives_no_mark(monkeypatch, unknown):
    monkeypatch.setitem(globals(), "TABLE", unknown)
    assert mark(subject) is None
