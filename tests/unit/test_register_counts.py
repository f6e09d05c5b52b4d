"""setmaxnreg: what it takes, and that values may then take as many registers as a warp group asked for."""
import pytest
from lowering import kernel, lowered, machine

from archdef.errors import MissingFeature, PtxError


def busy(count, statement, directives=".maxnreg 40"):
    """A kernel whose `count` values are alive at once."""
    body = "\n".join(["ld.param.u64 %rd1, [out];", statement, *(f"ld.global.u32 %v{k}, [%rd1+{4 * k}];" for k in range(count)), "bar.sync 0;",
                      *(f"st.global.u32 [%rd1+{4 * k}], %v{(k + 7) % count};" for k in range(count))])
    text = kernel(f".reg .b32 %v<{count}>;\n{body}")
    return text.replace(")\n{", f")\n{directives}\n{{", 1)


def test_values_may_take_what_was_asked_for():
    spilled = lowered(busy(100, ""))
    free = lowered(busy(100, "setmaxnreg.inc.sync.aligned.u32 160;"))
    less = lowered(busy(100, "setmaxnreg.inc.sync.aligned.u32 64;"))
    assert spilled.spilled_registers > less.spilled_registers > free.spilled_registers == 0
    assert free.spill_load_bytes == 0 and free.registers == spilled.registers == 40, "blocks start with what the directive says"


def test_giving_registers_back_adds_none():
    assert lowered(busy(100, "setmaxnreg.dec.sync.aligned.u32 32;")).spilled_registers == lowered(busy(100, "")).spilled_registers


@pytest.mark.parametrize("count", ["16", "20", "25", "257", "264", "0", "-8", "%r1", "24.0"])
def test_other_counts_are_refused(count):
    with pytest.raises(PtxError, match=r"setmaxnreg takes a (multiple of 8 from 24 to 256, got|constant)"):
        lowered(busy(4, f"setmaxnreg.inc.sync.aligned.u32 {count};"))


@pytest.mark.parametrize("count", [24, 40, 232, 256])
def test_multiples_of_eight_are_taken(count):
    assert lowered(busy(4, f"setmaxnreg.inc.sync.aligned.u32 {count};")).warnings == ()


def test_a_kernel_that_does_not_say_what_it_starts_with_is_warned():
    for directives in ("", ".maxntid 384", ".reqntid 384"):
        (warning,) = lowered(busy(4, "setmaxnreg.inc.sync.aligned.u32 40;", directives=directives)).warnings
        assert "setmaxnreg has no effect" in warning


def test_machines_before_9_0_refuse_it():
    with pytest.raises(MissingFeature, match="register_reallocation"):
        lowered(busy(4, "setmaxnreg.inc.sync.aligned.u32 40;"), machine(without=["register_reallocation"]))
