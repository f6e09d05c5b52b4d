"""People write kernel names as in the source."""
import pytest

from archdef.errors import LaunchError
from archdef.run.names import find, readable


@pytest.mark.parametrize("symbol, name", [
    ("transpose", "transpose"), ("_Z9transposePfS_ii", "transpose"), ("_ZN3sim4step6kernelEPf", "sim::step::kernel"),
    ("_Z4copyILi32EfEvPT0_", "copy"), ("_ZN3sim4copyILi32EEvPf", "sim::copy"), ("_ZL6hiddenPf", "hidden"),
    ("_Z99short", "_Z99short"), ("_Zfoo", "_Zfoo")])
def test_a_mangled_name_is_readable(symbol, name):
    assert readable(symbol) == name


def test_a_kernel_is_found_by_symbol_full_name_and_last_part():
    symbols = ("_ZN3sim4stepEPf", "_Z5checkPf")
    assert find("_Z5checkPf", symbols, "a.cu") == find("check", symbols, "a.cu") == "_Z5checkPf"
    assert find("sim::step", symbols, "a.cu") == find("step", symbols, "a.cu") == "_ZN3sim4stepEPf"


def test_an_ambiguous_name_lists_what_it_could_mean():
    message = "'copy' means 2 kernels of a.cu; use the full name of one: _Z4copyPf, _Z4copyPi"
    with pytest.raises(LaunchError, match=message):
        find("copy", ("_Z4copyPf", "_Z4copyPi"), "a.cu")


def test_an_unknown_name_gets_the_nearest_and_the_list():
    message = r"a.cu has no kernel 'padde' \(did you mean padded\?\); it has padded, naive"
    with pytest.raises(LaunchError, match=message):
        find("padde", ("_Z6paddedPf", "_Z5naivePf"), "a.cu")


def test_a_module_without_kernels_says_so():
    with pytest.raises(LaunchError, match="it has none at all"):
        find("f", (), "a.cu")
