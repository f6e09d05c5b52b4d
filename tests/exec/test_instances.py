"""Are instances of one template told apart in an account, by what differs between them, and is a table of long names right where there is little room?"""
import pytest
from fat import HEAD, binary, entry
from test_foreign_programs import run

from archdef import registry
from archdef.console import text
from archdef.exec import instances
from archdef.exec.account import Account
from archdef.exec.instances import told_apart
from archdef.exec.tally import KernelTotal
from archdef.frontends.demangling import demangled
from archdef.run import names

SYMBOLS = ("_Z6scalesILi16ELb0EEvPf", "_Z6scalesILi16ELb1EEvPf", "_Z5storePf", "_Z5storePi")
FAT = binary(entry((HEAD + "\n".join(f".visible .entry {symbol}(.param .u64 p) {{ ret; }}" for symbol in SYMBOLS)).encode()))
needs_demangler = pytest.mark.skipif(demangled("_Z1kv") is None, reason="no C++ library that takes names apart")


def apart(*symbols):
    found = told_apart({symbol: names.readable(symbol) for symbol in symbols})
    return [found[symbol] for symbol in symbols]


@needs_demangler
@pytest.mark.parametrize("symbols, expected", [
    (["_ZN1w1rIfLi64EdLb1EEEvPT_", "_ZN1w1rIfLi64EdLb0EEEvPT_"], ["w::r<…, true>", "w::r<…, false>"]),
    (["_Z1sILi16EEvPf", "_Z1sILi32EEvPf", "_Z5plainPf", "plain_c"], ["s<16>", "s<32>", "plain", "plain_c"]),
    (["_Z1kIN3aaa3bbbIiLi3EEEfEvv", "_Z1kIN3aaa3bbbIiLi4EEEfEvv"], ["k<aaa::bbb<…, 3>, …>", "k<aaa::bbb<…, 4>, …>"]),
    (["_Z1kILi1ELi2ELi3EEvv", "_Z1kILi0ELi2ELi4EEvv"], ["k<1, …, 3>", "k<0, …, 4>"]),
    (["_Z1kPf", "_Z1kPi"], ["k(float*)", "k(int*)"]), (["_Z1kIfEvT_", "_Z1kv"], ["k<float>", "k<>"]),
    (["_Z1kIXX", "_Z1kIYY"], ["k (_Z1kIXX)", "k (_Z1kIYY)"])])
def test_names_have_what_differs(symbols, expected):
    assert apart(*symbols) == expected


def test_names_differ_where_nothing_takes_them_apart(monkeypatch):
    monkeypatch.setattr(instances, "demangled", lambda symbol: None)
    assert apart("_Z1sILi16EEvPf", "_Z1sILi32EEvPf") == ["s (_Z1sILi16EEvPf)", "s (_Z1sILi32EEvPf)"]


@needs_demangler
@pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")
def test_an_account_has_a_row_for_each_instance(build, tmp_path):
    found, _ = run([build("instances", fat=FAT)], "gt200", tmp_path)
    assert {each.kernel: each.launches for each in found.kernels} == {"scales<…, false>": 1, "scales<…, true>": 2, "store(float*)": 3, "store(int*)": 4}
    assert {each.kernel: each.symbol for each in found.kernels}["scales<…, true>"] == SYMBOLS[1]
    assert all(each.longest.kernel == each.kernel for each in found.kernels)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_a_table_of_long_names_has_room(columns):
    long = "a_library::version_20_05_20::detail::kernel_of_some_agent<…, a_library::version_20_05_20::policy<…, {}>, …>"
    totals = tuple(KernelTotal(long.format(number), "gt200", launches=12_345, timed=12_345, seconds=1e-3, cycles=10**9) for number in (700, 800))
    said = text(Account(("./program",), "gt200", 0, totals, (), 2e-3, 2e-3, {}, (), ()), columns)
    assert max(map(len, said.splitlines())) <= columns
    assert "700" in said and "800" in said
