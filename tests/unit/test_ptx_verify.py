"""Are the faults found that one statement alone does not show?"""

import attrs
import pytest
from ptx_text import HEADER, kernel

from archdef.errors import PtxError
from archdef.ptx import call_graph, parse, recursive, verify
from archdef.ptx.ir import Label, Predicate, Register, Symbol

FUNCTIONS = ".extern .func (.param .b32 r) g (.param .b64 f);\n.extern .func v (.param .b32 n, .param .b8 rest[]);\n"


@pytest.mark.parametrize(
    "text, message",
    [
        ("call (%r1), g, (%rd1, %rd2);", "`g` takes 1 argument, got 2"),
        ("call g, (%rd1);", "`g` returns 1 value, got 0 to put them in"),
        ("call v;", "`v` takes 2 arguments, got 0"),
        ("call a, (%r1);", "`a` is not a function"),
        ("call k, (%rd1, %r1);", "`k` is a kernel"),
    ],
)
def test_a_call_must_fit_its_callee(text, message):
    with pytest.raises(PtxError) as caught:
        verify(parse(kernel(text, before=FUNCTIONS)))
    assert message in caught.value.reason
    assert caught.value.line == 8


def test_an_open_parameter_list_takes_what_it_is_given():
    verify(parse(kernel("call v, (%r1); call v, (%r1, %r2, %r3);", before=FUNCTIONS)))


def test_a_kernel_needs_a_body():
    with pytest.raises(PtxError, match="kernel `k` has no body"):
        verify(parse(HEADER + ".extern .entry k();"))


def with_first(module, **changes):
    """Give the module with its kernel's first instruction changed, as code that builds IR by hand could."""
    function = module.functions["k"]
    body = (attrs.evolve(function.body[0], **changes), *function.body[1:])
    return attrs.evolve(module, functions={"k": attrs.evolve(function, body=body)})


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"operands": (Label("M"),)}, "unknown label `M`"),
        ({"opcode": "mov", "operands": (Register("%r7", "b32"),)}, "unknown register `%r7`"),
        ({"opcode": "mov", "operands": (Register("%r1", "f32"),)}, "register `%r1` is a .b32, used as a .f32"),
        ({"opcode": "mov", "operands": (Symbol("b"),)}, "unknown name `b`"),
        ({"guard": Predicate("%r1")}, "register `%r1` is a .b32, used as a .pred"),
    ],
)
def test_a_module_built_by_hand_is_checked_too(changes, message):
    module = parse(kernel("L: bra L; mov.b32 %r1, 1;"))
    verify(module)
    with pytest.raises(PtxError) as caught:
        verify(with_first(module, **changes))
    assert message in caught.value.reason


def test_recursion_is_found_through_other_functions():
    module = parse(
        HEADER + ".func c();\n.func a() { call c; ret; }\n.func b() { call a; ret; }\n.func c() { call b; ret; }\n"
        ".entry k() { call a; }"
    )
    graph = call_graph(module)
    assert graph["k"] == {"a"}
    assert sorted(recursive(graph)) == ["a", "b", "c"]
    assert recursive({"k": frozenset("ab"), "a": frozenset("b"), "b": frozenset()}) == ()
