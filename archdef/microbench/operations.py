"""One step of a chain for every class of arithmetic: the PTX, its operands, and the classes of operation that it stands for."""
from __future__ import annotations

import struct
from collections.abc import Mapping

import attrs

from archdef.microbench.ptx import OLDEST


@attrs.frozen
class Step:
    """A piece of PTX that needs the result of the piece before it.

    ``{x}`` and ``{w}`` are the variables of a chain, ``{y}`` and ``{z}`` values that do not change; ``{all}`` names all lanes of a warp.
    """

    type: str
    """Of the variables: u32, u64, f32, f64."""
    text: str
    classes: tuple[str, ...]
    """Classes of operation on the way from one step to the next, one after the other."""
    values: tuple[float, float, float, float] = (3, 5, 7, 9)
    """x, w, y and z at the start."""
    features: tuple[str, ...] = ()
    lanes: bool = False
    """Whether lanes exchange values, so that all of them must be there."""
    lengths: tuple[int, int] = (32, 96)
    """Steps of the two pieces that are timed, which should fit the first instruction cache; fewer where one step is a routine of many
    instructions."""
    target: int = OLDEST
    version: str = "6.0"
    otherwise: tuple[str, str] = ("", "")
    """A feature, and the text for machines without it."""
    wide: str = ""
    """The text for warps of more than 32 lanes, if another."""

    @property
    def operations(self) -> int:
        """PTX instructions of a step that count."""
        return len(self.classes)

    @property
    def alike(self) -> bool:
        """Whether all of them are of one class, so that a step's cycles can be divided among them."""
        return len(set(self.classes)) == 1

    def body(self, features: frozenset[str], warp_lanes: int) -> str:
        """The text for a machine."""
        feature, text = self.otherwise
        if self.wide and warp_lanes > 32:
            return self.wide
        return text if feature and feature not in features else self.text

    def words(self) -> list[int]:
        """The start values as 64-bit words."""
        form = {"f32": "<f4x", "f64": "<d"}.get(self.type)
        if form is None:
            return [int(v) for v in self.values]
        return [int.from_bytes(struct.pack(form, v) if form == "<d" else struct.pack("<f", v) + bytes(4), "little") for v in self.values]


_ROUTINE = (4, 8)
_F = (1.0, 1.0, 0.5, 0.25)
_G = (1.5, 1.0, 1.01, 1.0)


def _steps() -> Mapping[str, Step]:
    u32, u64, f32, f64 = "u32", "u64", "f32", "f64"
    return {
        # ---------------------------------------------------------------------------------------------- 32-bit integers
        "add_s32": Step(u32, "add.s32 {x},{x},{w}; add.s32 {w},{w},{x};", ("int_add",) * 2),
        "mul_lo_s32": Step(u32, "mul.lo.s32 {x},{x},{y};", ("int_mul32",)),
        "mad_lo_s32": Step(u32, "mad.lo.s32 {x},{x},{y},{z};", ("int_mul32",)),
        "mul24_lo_s32": Step(u32, "mul24.lo.s32 {x},{x},{y};", ("int_mul24",)),
        "mul_hi_u32": Step(u32, "mul.hi.u32 {x},{x},{y};", ("int_mul_high",), (0x7fffffff, 5, 0xffffffff, 9)),
        "mad_wide_xor_u32": Step(u64, "{{.reg .u32 a,b,c,d; mov.b64 {{a,b}},{x}; xor.b32 a,a,b; mov.b64 {{c,d}},{y}; mad.wide.u32 {x},a,c,{z};}}",
                                 ("int_logic", "int_mul_wide"), (3, 5, 0x7ffff, 9)),
        "lop3_b32": Step(u32, "lop3.b32 {x},{x},{w},{y},0x96; lop3.b32 {w},{w},{x},{z},0xe8;", ("int_logic",) * 2),
        "shl_b32": Step(u32, "shl.b32 {x},{x},{y};", ("int_shift",), (3, 5, 1, 9)),
        "shr_s32": Step(u32, "shr.s32 {x},{x},{y};", ("int_shift",), (0x7fffffff, 5, 1, 9)),
        "min_max_s32": Step(u32, "min.s32 {x},{x},{y}; max.s32 {x},{x},{z};", ("int_minmax",) * 2, (3, 5, 7, 2)),
        "setp_selp_s32": Step(u32, "{{.reg .pred p; setp.lt.s32 p,{x},{y}; selp.b32 {x},{z},{w},p;}}", ("int_compare", "select")),
        "sad_u32": Step(u32, "sad.u32 {x},{x},{y},{z};", ("int_sad",)),
        "dp4a_s32": Step(u32, "dp4a.s32.s32 {x},{x},{y},{z};", ("int_dot",), target=61, features=("int_dot",)),
        "bfe_u32": Step(u32, "bfe.u32 {x},{x},{y},{z};", ("bit_field",), (0xffffffff, 5, 1, 30)),
        "popc_b32": Step(u32, "popc.b32 {x},{x};", ("bit_count",), (0xffff, 5, 7, 9)),
        "prmt_b32": Step(u32, "prmt.b32 {x},{x},{w},{y};", ("byte_permute",), (3, 5, 0x5410, 9)),
        "shf_l_wrap_b32": Step(u32, "shf.l.wrap.b32 {x},{x},{w},{y};", ("funnel_shift",), (3, 5, 1, 9)),
        "div_s32": Step(u32, "div.s32 {x},{x},{y};", ("int_div32",), (0x7fffffff, 5, 1, 9), lengths=_ROUTINE),
        "rem_s32": Step(u32, "rem.s32 {x},{x},{y};", ("int_div32",), (0x7ffffff, 5, 0x7fffffff, 9), lengths=_ROUTINE),
        "div_u32": Step(u32, "div.u32 {x},{x},{y};", ("int_div32",), (0x7fffffff, 5, 1, 9), lengths=_ROUTINE),
        "rem_u32": Step(u32, "rem.u32 {x},{x},{y};", ("int_div32",), (0x7ffffff, 5, 0x7fffffff, 9), lengths=_ROUTINE),
        # ---------------------------------------------------------------------------------------------- 64-bit integers
        "add_s64": Step(u64, "add.s64 {x},{x},{w}; add.s64 {w},{w},{x};", ("int64_add",) * 2),
        "and_add_b64": Step(u64, "and.b64 {x},{x},{y}; add.s64 {x},{x},{w};", ("int64_logic", "int64_add")),
        "min_max_s64": Step(u64, "min.s64 {x},{x},{y}; max.s64 {x},{x},{z};", ("int64_minmax",) * 2, (3, 5, 7, 2)),
        "shl_b64": Step(u64, "{{.reg .u32 a,b; mov.b64 {{a,b}},{y}; shl.b64 {x},{x},a;}}", ("int64_shift",), (3, 5, 1, 9)),
        "setp_selp_s64": Step(u64, "{{.reg .pred p; setp.lt.s64 p,{x},{y}; selp.b64 {x},{z},{w},p;}}", ("int64_compare", "select")),
        "mul_lo_s64": Step(u64, "mul.lo.s64 {x},{x},{y};", ("int64_mul",)),
        "div_s64": Step(u64, "div.s64 {x},{x},{y};", ("int64_div",), (1 << 60, 5, 1, 9), lengths=_ROUTINE),
        # --------------------------------------------------------------------------------------------- single precision
        "add_f32": Step(f32, "add.f32 {x},{x},{y};", ("fp32_add",), _F),
        "mul_f32": Step(f32, "mul.f32 {x},{x},{y};", ("fp32_mul",), (1.0, 1.0, 0.999, 0.25)),
        "fma_f32": Step(f32, "fma.rn.f32 {x},{x},{y},{y};", ("fp32_fma",), _F, otherwise=("fp32_fma", "mad.f32 {x},{x},{y},{y};")),
        "min_max_f32": Step(f32, "min.f32 {x},{x},{y}; max.f32 {x},{x},{z};", ("fp32_minmax",) * 2, (1.0, 1.0, 3.0, 2.0)),
        "setp_selp_f32": Step(f32, "{{.reg .pred p; setp.lt.f32 p,{x},{y}; selp.f32 {x},{z},{w},p;}}", ("fp32_compare", "select"), (3, 5, 7, 9)),
        "rcp_approx_ftz_f32": Step(f32, "rcp.approx.ftz.f32 {x},{x}; add.ftz.f32 {x},{x},{y};", ("fp32_rcp", "fp32_add"), (1.5, 1.0, 1.0, 1.0)),
        "rsqrt_approx_ftz_f32": Step(f32, "rsqrt.approx.ftz.f32 {x},{x};", ("fp32_rsqrt",), _G),
        "sqrt_approx_ftz_f32": Step(f32, "sqrt.approx.ftz.f32 {x},{x};", ("fp32_sqrt",), _G),
        "div_approx_ftz_f32": Step(f32, "div.approx.ftz.f32 {x},{y},{x};", ("fp32_div",), _G),
        "sin_approx_ftz_f32": Step(f32, "sin.approx.ftz.f32 {x},{x};", ("fp32_transcendental",), (0.7, 1.0, 1.0, 1.0)),
        "ex2_approx_ftz_f32": Step(f32, "ex2.approx.ftz.f32 {x},{x};", ("fp32_transcendental",), (-1.5, 1.0, 1.0, 1.0)),
        "lg2_approx_ftz_f32": Step(f32, "lg2.approx.ftz.f32 {x},{x};", ("fp32_transcendental",), _G),
        "div_rn_f32": Step(f32, "div.rn.f32 {x},{x},{y};", ("fp32_div_exact",), _G, lengths=_ROUTINE, features=("fp32_fma",)),
        "rcp_rn_f32": Step(f32, "rcp.rn.f32 {x},{x};", ("fp32_div_exact",), _G, lengths=_ROUTINE, features=("fp32_fma",)),
        "sqrt_rn_f32": Step(f32, "sqrt.rn.f32 {x},{x};", ("fp32_sqrt_exact",), _G, lengths=_ROUTINE, features=("fp32_fma",)),
        # --------------------------------------------------------------------------------------------- double precision
        "add_f64": Step(f64, "add.f64 {x},{x},{y};", ("fp64_add",), _F, ("fp64",)),
        "mul_f64": Step(f64, "mul.f64 {x},{x},{y};", ("fp64_mul",), (1.0, 1.0, 0.999, 0.25), ("fp64",)),
        "fma_f64": Step(f64, "fma.rn.f64 {x},{x},{y},{y};", ("fp64_fma",), _F, ("fp64",)),
        "min_max_f64": Step(f64, "min.f64 {x},{x},{y}; max.f64 {x},{x},{z};", ("fp64_minmax",) * 2, (1.0, 1.0, 3.0, 2.0), ("fp64",), lengths=_ROUTINE),
        "setp_selp_f64": Step(f64, "{{.reg .pred p; setp.lt.f64 p,{x},{y}; selp.f64 {x},{z},{w},p;}}", ("fp64_compare", "select"), (3, 5, 7, 9),
                              ("fp64",)),
        "div_rn_f64": Step(f64, "div.rn.f64 {x},{x},{y};", ("fp64_div",), _G, ("fp64",), lengths=_ROUTINE),
        "sqrt_rn_f64": Step(f64, "sqrt.rn.f64 {x},{x};", ("fp64_sqrt",), _G, ("fp64",), lengths=_ROUTINE),
        # ----------------------------------------------------------------------------------------------- half precision
        "add_f16x2": Step(u32, "add.rn.f16x2 {x},{x},{y};", ("fp16_add",), (0x3c003c00, 5, 0x10001000, 9), ("fp16",), target=53),
        "mul_f16x2": Step(u32, "mul.rn.f16x2 {x},{x},{y};", ("fp16_mul",), (0x3c003c00, 5, 0x3bff3bff, 9), ("fp16",), target=53),
        "fma_f16x2": Step(u32, "fma.rn.f16x2 {x},{x},{y},{y};", ("fp16_fma",), (0x3c003c00, 5, 0x38003800, 9), ("fp16",), target=53),
        "min_max_f16x2": Step(u32, "min.f16x2 {x},{x},{y}; max.f16x2 {x},{x},{z};", ("fp16_minmax",) * 2,
                              (0x3c003c00, 5, 0x42004200, 0x40004000), ("fp16_minmax",), target=80, version="7.0"),
        "fma_bf16x2": Step(u32, "fma.rn.bf16x2 {x},{x},{y},{y};", ("fp16_fma",), (0x3f803f80, 5, 0x3f003f00, 9), ("bf16",), target=80,
                           version="7.0"),
        "ex2_approx_f16x2": Step(u32, "ex2.approx.f16x2 {x},{x};", ("fp16_transcendental",), (0xbc00bc00, 5, 7, 9), ("fp16_transcendental",),
                                 target=75, version="7.0"),
        "tanh_approx_f32": Step(f32, "tanh.approx.f32 {x},{x};", ("fp32_transcendental",), _G, ("fp32_tanh",), target=75, version="7.0"),
        # -------------------------------------------------------------------------------------------------- conversions
        "cvt_s32_f32": Step(u32, "{{.reg .f32 f; cvt.rn.f32.s32 f,{x}; cvt.rzi.s32.f32 {x},f;}}", ("convert",) * 2, (77, 5, 7, 9)),
        "cvt_s32_f64": Step(u32, "{{.reg .f64 d; cvt.rn.f64.s32 d,{x}; cvt.rzi.s32.f64 {x},d;}}", ("convert64",) * 2, (77, 5, 7, 9), ("fp64",)),
        "cvt_s64_f32": Step(u64, "{{.reg .f32 f; cvt.rn.f32.s64 f,{x}; cvt.rzi.s64.f32 {x},f;}}", ("convert64",) * 2, (77, 5, 7, 9)),
        # ------------------------------------------------------------------------------------------- lanes of one warp
        "shfl_idx": Step(u32, "shfl.sync.idx.b32 {x},{x},{y},{clamp},{all};", ("shuffle",), (77, 5, 3, 9), ("shuffle",), True),
        "shfl_bfly": Step(u32, "shfl.sync.bfly.b32 {x},{x},1,{clamp},{all};", ("shuffle",), (77, 5, 3, 9), ("shuffle",), True),
        "setp_vote_any_selp": Step(u32, "{{.reg .pred p,q; setp.ne.u32 p,{x},{y}; vote.sync.any.pred q,p,{all}; selp.b32 {x},{z},{w},q;}}",
                                   ("int_compare", "vote", "select"), (77, 5, 3, 9), ("vote",), True,
                                   otherwise=("vote_ballot", "{{.reg .pred p,q; setp.ne.u32 p,{x},{y}; vote.any.pred q,p; "
                                                             "selp.b32 {x},{z},{w},q;}}")),
        "match_any_b32": Step(u32, "match.any.sync.b32 {x},{x},{all};", ("match",), (77, 5, 3, 9), ("match",), True, target=70,
                              wide="{{.reg .b64 m; .reg .b32 h; match.any.sync.b32 m,{x},{all}; mov.b64 {{{x},h}},m;}}"),
        "redux_add_s32": Step(u32, "redux.sync.add.s32 {x},{x},{all};", ("redux",), (77, 5, 3, 9), ("redux",), True, target=80, version="7.0"),
    }


STEPS = _steps()
"""Name → step."""
