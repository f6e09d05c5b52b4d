"""What is refused of a module before anybody asks for a kernel of it, and what is left to the kernel that has it?"""
import pytest

from archdef.errors import PtxError, UndefinedFunction, UnsupportedInstruction
from archdef.lower.unknown import check_known
from archdef.ptx import parse

MODULE = """.version {version}
.target sm_100
.address_size 64
.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);
.extern .func outside ();
.visible .entry in_order() {{ ret; }}
.visible .entry other() {{ .reg .b32 %r<4>; .reg .b64 %rd<2>; .param .b64 a; .param .b64 b; .param .b32 c; {code} ret; }}
"""


def check(code, version="8.0"):
    check_known(parse(MODULE.format(code=code, version=version), defer=True))


@pytest.mark.parametrize("code, error, message", [
    ("nonsense;", UnsupportedInstruction, "`nonsense` is not supported"),
    ("nonsense.u32 %r1, %r2;", UnsupportedInstruction, "`nonsense.u32` is not supported"),
    ("call outside;", UndefinedFunction, "`outside` has no body in this module"),
    ("add.u32 %r1, %r2, %r9;", PtxError, "register `%r9` is outside")])
def test_what_cannot_run_anywhere_is_refused_with_its_line(code, error, message):
    with pytest.raises(error, match=f"<ptx>:7:.*{message}"):
        check(code)


@pytest.mark.parametrize("code", [
    "add.bogus.u32 %r1, %r2, %r3;", "tcgen05.wait::ld.sync.aligned;", "call (c), vprintf, (a, b);", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.s32 %r1;"])
def test_what_a_kernel_alone_cannot_do_harms_no_other(code):
    check(code)


def test_instructions_of_a_version_that_came_later_may_have_any_name():
    check("nonsense;", "9.9")
