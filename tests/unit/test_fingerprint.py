"""A Python function is known again by everything that it refers to."""
import collections
import enum
import math
import sys
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


@pytest.mark.parametrize("unknown", [types.ModuleType("mine"), object(), {"a": object()}, np.random.default_rng(1), np.random.RandomState(1).rand,
                                     enum.Enum("Color", "RED"), np.array([object()]), np.vectorize(abs)])
def test_what_cannot_be_written_down_gives_no_mark(monkeypatch, unknown):
    monkeypatch.setitem(globals(), "TABLE", unknown)
    assert mark(subject) is None


def made_by_a_library(monkeypatch, text, *arguments):
    """Run `text`, which defines make, in a module of a library, and give what that makes of each of `arguments`."""
    module = types.ModuleType("numpy.made_for_a_test")
    exec(compile(text, "made.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module, [module.make(argument) for argument in arguments]


def test_what_a_library_makes_counts_by_its_contents(monkeypatch):
    """As numba's factory of reductions, whose functions all have the same name."""
    _, made = made_by_a_library(monkeypatch, """
def make(operation):
    def reduce(x, y):
        return operation(x, y)
    return reduce
def known(x):
    return x
""", lambda a, b: a + b, lambda a, b: a * b, np.add, np.multiply)
    assert len({mark(f) for f in made} - {None}) == 4
    decorated = [types.SimpleNamespace(py_func=f, targetoptions={"device": True}) for f in made]
    marks = set()
    for inner in (*made, *decorated):
        monkeypatch.setitem(globals(), "helper", inner)
        marks.add(mark(subject))
    assert len(marks - {None}) == 8


def test_what_a_library_gives_by_name_is_known_by_it_until_something_else_has_that_name(monkeypatch):
    module, _ = made_by_a_library(monkeypatch, "def make(x): return x\ndef known(x): return x\nBARE = object()")
    monkeypatch.setitem(globals(), "helper", module.known)
    before = mark(subject)
    old = module.known
    module.known = lambda x: -x
    assert before and mark(subject) not in (None, before), "the object is not what the name gives any more"
    module.known = old
    assert mark(subject) == before


def test_options_of_the_decorator_count_by_their_contents(monkeypatch):
    def decorated(option):
        return types.SimpleNamespace(py_func=helper, targetoptions={"link": option})
    marks = []
    for option in (1, 2, [1], object()):
        monkeypatch.setitem(globals(), "helper", decorated(option) if option != 1 else helper)
        marks.append(mark(subject))
        monkeypatch.undo()
    assert marks[3] is None and len(set(marks)) == 4


def test_which_of_two_functions_is_met_again_counts(monkeypatch):
    def first(x):
        return x

    def second(x):
        return x + 1
    marks = []
    for third in (first, second):
        monkeypatch.setitem(globals(), "TABLE", (first, second, third))
        marks.append(mark(subject))
    assert None not in marks and marks[0] != marks[1]


def test_keyword_defaults_and_fields_count():
    def make(k, one):
        def inner(x, *, y=k):
            return x * y + one.a
        return inner
    one, other = (collections.namedtuple("Pair", fields)(1, 2) for fields in ("a b", "b a"))  # noqa: PYI024  their names differ
    assert len({mark(make(k, p)) for k in (1, 1.0, True) for p in (one, other)} - {None}) == 6


def test_layouts_of_arrays_count():
    table = np.arange(6, dtype="i4").reshape(2, 3)
    def make(array):
        return lambda x: array[0, x]
    assert len({mark(make(a)) for a in (table, np.asfortranarray(table), table.astype("u4"), table.view("f4"), table.T)} - {None}) == 5
