"""People write kernel names as in the source."""
import pytest

from archdef.errors import LaunchError
from archdef.run.names import find, is_variable, readable


@pytest.mark.parametrize("symbol, name", [
    ("transpose", "transpose"), ("_Z9transposePfS_ii", "transpose"), ("_ZN3sim4step6kernelEPf", "sim::step::kernel"),
    ("_Z4copyILi32EfEvPT0_", "copy"), ("_ZN3sim4copyILi32EEvPf", "sim::copy"), ("_ZL6hiddenPf", "hidden"),
    ("_Z99short", "_Z99short"), ("_Zfoo", "_Zfoo"), ("_ZN2ns4tapsE", "ns::taps"), ("_ZZ6kernelPfE5calls", "kernel::calls"),
    ("_ZZN2ns4stepEPfE5calls_0", "ns::step::calls"), ("_ZZ6kernel", "_ZZ6kernel"), ("_ZZ6kernelPfE99calls", "_ZZ6kernelPfE99calls"),
    ("_ZN2ns15_INTERNAL_0_a_b12_GLOBAL__N_05stepsE", "ns::steps")])
def test_a_mangled_name_is_readable(symbol, name):
    assert readable(symbol) == name


@pytest.mark.parametrize("symbol, named", [
    ("taps", True), ("_ZN2ns4tapsE", True), ("_Z2tvILi4EE", False), ("_ZN2ns2tvILi4EEE", False), ("_ZZ6kernelPfE5calls", False), ("$str", False)])
def test_a_variable_that_a_source_can_name_is_told_from_others(symbol, named):
    assert is_variable(symbol) == named


def test_a_kernel_is_found_by_symbol_full_name_and_last_part():
    symbols = ("_ZN3sim4stepEPf", "_Z5checkPf")
    assert find("_Z5checkPf", symbols, "a.cu") == find("check", symbols, "a.cu") == "_Z5checkPf"
    assert find("sim::step", symbols, "a.cu") == find("step", symbols, "a.cu") == "_ZN3sim4stepEPf"
    assert find("b::c", ["_ZN1a1b1cE", "_ZN1a1x1cE"], "a.cu") == "_ZN1a1b1cE"


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
