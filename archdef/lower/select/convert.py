"""Builder for conversions between numbers: ``cvt``."""
from __future__ import annotations

from archdef.lower.encoding import Kind
from archdef.lower.select.selection import Selection, builds, lane_bytes
from archdef.lower.virtual import ABSORBED, mov
from archdef.ptx import ir
from archdef.ptx.table import Match

_SMALL = frozenset(("f16", "bf16"))
"""Types whose conversions round by themselves, whatever the environment."""


@builds("convert")
def convert(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cvt``: one lane function, or two where half precision or saturation asks for it."""
    to, from_ = m.bound["type"], m.bound["type2"]
    for type, feature in (("f64", "fp64"), ("bf16", "bf16")):
        if type in (to, from_):
            s.need(feature)
    source = s.value(i.operands[1], from_)
    d, finish = s.destination(i.operands[0], to)
    steps = _steps(s, to, from_, m.bound)
    operation = "convert64" if "64" in to + from_ else "convert"
    environment = 0 if _SMALL & {to, from_} else s.environment(m.bound)
    for fn, width, charge in steps[:-1]:
        source = s.temporary(fn, [source], width, charge or operation, fpenv=environment)
    fn, width, charge = steps[-1]
    s.emit(Kind.ALU, fn, [d], [source], charge or operation, width=width, fpenv=environment)
    finish()


def _steps(s: Selection, to: str, from_: str, bound: dict[str, str]) -> list[tuple[str, int, str | None]]:
    """List the lane functions of a conversion, with lane bytes of the result and a charge other than the usual one."""
    whole, sat, width = bound["whole"], bound["sat"], lane_bytes(to)
    integer = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}
    if to in integer and from_ in integer:
        if sat:
            return [(f"cvt_sat_{to}_{from_}", width, None)]
        if to[1:] == from_[1:] and to[1:] in ("32", "64"):
            return [(mov(width), width, "move")]
        return [(f"cvt_{to}_{from_}", width, _moved(to, from_))]
    if to in integer:
        if not whole:
            raise s.fault(f"a conversion from {from_} to {to} needs .rni, .rzi, .rmi or .rpi")
        first = [(f"cvt_f32_{from_}", 4, None)] if from_ in _SMALL else []
        return [*first, (f"cvt_{whole}_{to}_{'f32' if first else from_}", width, None)]
    if from_ in integer:
        if to not in _SMALL:
            return [(f"cvt_{to}_{from_}", width, None), *([(f"sat_{to}", width, f"fp{to[1:]}_add")] if sat else [])]
        rounded = f"cvt_{bound['rnd'] or 'rn'}_{to}"
        if sat:
            return [(f"cvt_f32_{from_}", 4, None), ("sat_f32", 4, "fp32_add"), (f"{rounded}_f32", 4, None)]
        return [(f"{rounded}_{from_}", 4, None)]
    return _among_floats(to, from_, whole, bound)


def _moved(to: str, from_: str) -> str:
    """Give what converting integers of which one has 64 bits comes to: those are pairs of registers."""
    if "64" not in to + from_:
        return "convert"
    if from_[1:] == "64":
        return ABSORBED if to[1:] == "32" else "convert"
    return "convert" if from_[1:] != "32" else "int_shift" if from_[0] == "s" else "move"


def _among_floats(to: str, from_: str, whole: str, bound: dict[str, str]) -> list[tuple[str, int, str | None]]:
    sat, ftz, width = bound["sat"], bound["_ftz"], lane_bytes(to)
    working = "f64" if "f64" in (to, from_) and to != "f32" else "f32"
    steps: list[tuple[str, int, str | None]] = []
    if from_ in _SMALL and (to != from_ or whole or sat):
        steps.append((f"cvt_{working}_{from_}", lane_bytes(working), None))
        if (from_, to) == ("bf16", "f32") and ftz and not whole:
            steps.append(("flush_f32", 4, None))
    elif to != from_ and to not in _SMALL:
        steps.append((f"cvt{ftz if (from_, to) == ('f32', 'f64') else ''}_{to}_{from_}", width, None))
    elif to == "bf16" and ftz and from_ == "f32":  # to f16 the hardware does not flush: it rounds subnormals as they are
        steps.append(("flush_f32", 4, None))
    if whole:
        steps.append((f"{whole}{ftz if working == 'f32' else ''}_{working}", lane_bytes(working), None))
    if sat:
        steps.append((f"sat_{working}", lane_bytes(working), None))
    if to in _SMALL and (from_ != to or steps):
        steps.append((f"cvt_{bound['rnd'] or 'rn'}_{to}_{working}", 4, None))
    if not steps and to in _SMALL:
        steps.append((f"canonical_{to}", 4, None))
    if not steps:
        steps.append(("flush_f32", 4, None) if ftz else (mov(width), width, "move"))
    return steps
