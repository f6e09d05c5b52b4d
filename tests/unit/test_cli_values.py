"""Kernel arguments on the command line."""
import numpy as np
import pytest

from archdef.run.written import parse_argument, parse_shape

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize("text, number", [("1024", 1024), ("-3", -3), ("0x1f", 31), ("2.5", 2.5), ("1e-3", 1e-3),
                                          ("true", 1)])
def test_numbers(text, number):
    assert parse_argument(text).make(RANDOM) == number


@pytest.mark.parametrize("text, name, expected", [
    ("f4[3]", "", np.zeros(3, "f4")), ("out:f4[2,2]=ones", "out", np.ones((2, 2), "f4")),
    ("i4[4]=range", "", np.arange(4, dtype="i4")),
    ("x:f8[2]=2.5", "x", np.full(2, 2.5)), ("u1[2]=7", "", np.full(2, 7, "u1")),
    ("f4[3]=0.25,0.5,-1", "", np.array([0.25, 0.5, -1], "f4")), ("i8[2,2]=1,2,3,9007199254740993", "", np.array([[1, 2], [3, 2**53 + 1]]))])
def test_arrays(text, name, expected):
    value = parse_argument(text)
    made = value.make(RANDOM)
    assert value.name == name and made.dtype == expected.dtype
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("dtype", ["f4", "i4", "u8", "bool"])
def test_random_arrays_spread_over_their_type(dtype):
    made = parse_argument(f"x:{dtype}[1000]=random").make(RANDOM)
    assert made.dtype == dtype and len(np.unique(made)) > 1


def test_arrays_from_files(tmp_path):
    np.save(tmp_path / "in.npy", np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(parse_argument(f"in:@{tmp_path}/in.npy").make(RANDOM), [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize("text, message", [
    ("1O24", "'1O24' is no argument: give a number, an array such as"), ("zz9[3]", "unknown type 'zz9'"),
    ("f4[0]", "must be positive numbers"), ("f4[]", "must be positive numbers"),
    ("f4[2,x]", "must be positive numbers"),
    ("f4[2]=rnd", "cannot fill an array with 'rnd': use zeros, ones, range, random, a number, or numbers"),
    ("f4[2]=1,x", "cannot fill an array with '1,x'"), ("f4[2]=1,2,3", "'f4[2]=1,2,3' has 2 elements and 3 numbers"),
    ("a:@absent.npy", "no such file: absent.npy"), ("a:@" + 300 * "a" + ".npy", "cannot read aaa.*name too long")])
def test_what_is_wrong_is_said(text, message):
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        parse_argument(text)


@pytest.mark.parametrize("text, shape", [("64", (64, 1, 1)), ("16,8", (16, 8, 1)), ("4x4x2", (4, 4, 2)),
                                         ("(2, 3)", (2, 3, 1))])
def test_shapes(text, shape):
    assert parse_shape(text) == shape


@pytest.mark.parametrize("text", ["", "0", "1,2,3,4", "a", "4,-1"])
def test_wrong_shapes(text):
    with pytest.raises(ValueError, match="is no shape"):
        parse_shape(text)
