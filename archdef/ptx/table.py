"""The instruction table: what archdef can execute, one row per form.

Adding an instruction is adding a row. A row says which modifiers and types it takes, what its operands are, which *builder*
(`archdef.lower`) makes micro-ops of it, which lane function computes it, which class of operation it is charged as and which
features it needs.

- **types**, one word per type of the instruction, alternatives split by ``|``: ``"s32|u32 f32"``.
- **modifiers**, in any order, each at most once: ``"lo"`` must be there, ``"ftz?"`` may, ``"cmp=eq|ne"`` is one of several,
  bound to a name; ``hi>gt`` is spelled ``hi`` and means ``gt``. An unnamed group is bound to its first alternative's name.
- **operands**: ``d`` a destination, ``p`` a predicate destination, other letters sources, each optionally with its type
  (``b:u32``; without one it is the instruction's first type); ``?`` marks what may be left out.
- **fn, operation** and operands' types are patterns over what was bound: ``{type}`` and ``{type2}``, ``{b}`` the untyped name of
  the same width (``b32``), ``{unsigned}`` the same as an unsigned type if it was untyped, ``{bits}``, ``{twice}`` the type of twice the
  width, ``{w}`` (``64`` for 64-bit types, else empty), every group's name, and ``{_name}``, which is the same with an underscore
  in front unless it is empty. An operation may be a multiple: ``"int_add*2"``.
- **features**, split by blanks, must all be declared by the architecture.
"""
from __future__ import annotations

from typing import Any

import attrs

from archdef.errors import UnsupportedInstruction, nearest
from archdef.ptx.ir import Instruction, Module, Where
from archdef.ptx.names import TYPES


@attrs.frozen(slots=True)
class Group:
    """Alternatives of one place among the modifiers."""

    name: str
    meanings: dict[str, str]
    """Spelling → meaning."""
    optional: bool


@attrs.frozen(slots=True)
class Operand:
    """One operand of a row."""

    letter: str
    type: str
    """Pattern, as in `Row.fn`."""
    optional: bool


@attrs.define(slots=True, eq=False)
class Row:
    """One form of an instruction."""

    opcode: str
    types: str
    modifiers: str
    operands: str
    builder: str
    fn: str = ""
    operation: str = ""
    features: str = ""
    type_sets: tuple[frozenset[str], ...] = ()
    groups: tuple[Group, ...] = ()
    operand_list: tuple[Operand, ...] = ()

    def __attrs_post_init__(self):
        self.type_sets = tuple(frozenset(word.split("|")) for word in self.types.split())
        self.groups = tuple(_group(word) for word in self.modifiers.split())
        self.operand_list = tuple(_operand(word) for word in self.operands.split())

    def bind(self, modifiers: tuple[str, ...], types: tuple[str, ...]) -> dict[str, str] | None:
        """Match modifiers (types left out) and types; give what the groups are bound to, or None."""
        if len(types) != len(self.type_sets) or any(t not in s for t, s in zip(types, self.type_sets)):
            return None
        bound = dict.fromkeys((g.name for g in self.groups), "")
        for modifier in modifiers:
            for group in self.groups:
                if modifier in group.meanings and not bound[group.name]:
                    bound[group.name] = group.meanings[modifier]
                    break
            else:
                return None
        if any(not g.optional and not bound[g.name] for g in self.groups):
            return None
        return bound

    @property
    def form(self) -> str:
        """The row as a person writes it: ``add{.rnd}{.ftz}{.sat}.f32``."""
        words = [self.opcode]
        for group in self.groups:
            spelled = "." + group.name if len(group.meanings) > 1 else "." + next(iter(group.meanings))
            words.append("{" + spelled + "}" if group.optional else spelled)
        words += ["." + word for word in self.types.split()]
        return "".join(words)


@attrs.frozen(slots=True)
class Match:
    """A row, and what an instruction bound in it."""

    row: Row
    bound: dict[str, str]
    fn: str
    operation: str
    times: int
    features: tuple[str, ...]
    operands: tuple[tuple[str, str], ...]
    """Letter and type of each operand that the row lists."""
    least: int
    """Fewest operands."""


def _group(word: str) -> Group:
    optional = word.endswith("?")
    name, found, alternatives = word.rstrip("?").rpartition("=")
    meanings = {}
    for alternative in alternatives.split("|"):
        spelled, renamed, meaning = alternative.partition(">")
        meanings[spelled] = meaning if renamed else spelled
    return Group(name if found else next(iter(meanings)), meanings, optional)


def _operand(word: str) -> Operand:
    letter, _, type = word.rstrip("?").partition(":")
    return Operand(letter, type or "{type}", word.endswith("?"))


_BITS_OF = {"pred": 1, "tf32": 32, "f16x2": 32, "bf16x2": 32, "u16x2": 32, "s16x2": 32, "f32x2": 64, "e4m3": 8, "e5m2": 8, "ue8m0x2": 16,
            "e4m3x2": 16, "e5m2x2": 16, "e4m3x4": 32, "e5m2x4": 32, "e2m1x2": 8, "e2m3x2": 16, "e3m2x2": 16,
            "u8x4": 32, "s8x4": 32, "b8x16": 128, "b6x16_p32": 128, "b4x16_p64": 128}
_TWICE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def bits_of(type: str) -> int:
    """Give the width of a scalar type in bits; a predicate has 1."""
    return _BITS_OF.get(type) or int(type.lstrip("usbf"))


def _names(types: tuple[str, ...], bound: dict[str, str]) -> dict[str, str]:
    names = {"type": ""}
    for position, type in enumerate(types):
        suffix = str(position + 1) if position else ""
        names["type" + suffix] = type
        if position == 0:
            bits = bits_of(type) if type.lstrip("usbf").isdigit() or type == "pred" else 32
            names.update(bits=str(bits), b=f"b{bits}", w="64" if bits == 64 else "", twice=_TWICE.get(type, type))
            names["unsigned"] = f"u{bits}" if type[0] == "b" and type[1].isdigit() else type
    for name, value in bound.items():
        names[name] = value
        names["_" + name] = "_" + value if value else ""
    return names


# ---------------------------------------------------------------------------------------------------------------- rows
_INT = "u16|s16|u32|s32|u64|s64"
_INT16, _INT32, _INT64 = "u16|s16", "u32|s32", "u64|s64"
_BITS = "b16|b32|b64"
_SCALAR = f"{_BITS}|{_INT}|f32|f64"
_HALF, _BRAIN = "f16|f16x2", "bf16|bf16x2"
_ROUND = "rnd=rn|rz|rm|rp"
_ORDER = "cmp=eq|ne|lt|le|gt|ge|lo>lt|ls>le|hi>gt|hs>ge"
_SIGNED_ORDER = "cmp=eq|ne|lt|le|gt|ge"
_FLOAT_ORDER = "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
_NUMBER = "u8|s8|u16|s16|u32|s32|u64|s64|f32|f64|f16|bf16"
_SET, _SET16 = "u32|s32|f32|f16|bf16", "u16|s16|u32|s32|f32"
_COMBINE = "bool=and|or|xor"
_ORDERING = "order=weak|volatile|relaxed|acquire|release|acq_rel|sc? mmio?"
_SCOPE = "scope=cta|cluster|gpu|sys?"
_REQUIRED_SCOPE = "scope=cta|cluster|gpu|sys"
_RESTRICTED = "restrict=sync_restrict::shared::cta|sync_restrict::shared::cluster scope=cluster"
_PRIORITIES = "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged"
_HINTS = ("cache=ca|cg|cs|lu|cv|wb|wt|nc? nc? evict1=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"
          "L1::no_allocate|L2::evict_normal|L2::evict_first|L2::evict_last? hint=L2::cache_hint? "
          "fetch=L2::64B|L2::128B|L2::256B?")
_MEMORY = ("space=global|shared|local|const|param|shared::cta>shared|shared::cluster>shared|param::entry>param|param::func>param? "
           f"{_ORDERING} {_SCOPE}")
_DATA = "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64"
_PHASE_SPACE = "space=shared|shared::cta>shared|shared::cluster>shared?"
_PHASE = f"order=release|acquire|relaxed? scope=cta|cluster? {_PHASE_SPACE}"
_GEOMETRY = "geometry=1d|2d|3d|a1d|a2d|cube|acube"
_SURFACE_LOAD = "geometry=1d|2d|3d|a1d|a2d boundary=trap|clamp|zero cache=ca|cg|cs|cv?"
_SURFACE_STORE = "geometry=1d|2d|3d|a1d|a2d boundary=trap|clamp|zero cache=wb|cg|cs|wt?"
_SHARED = "space=shared|shared::cta>shared?"
_WMMA = "sync aligned?"
_TILE = "space=global|shared|shared::cta>shared?"
_LAYOUT = "layout=row|col"
_LAYOUTS = "alayout=row|col blayout=row|col"
_LARGE = "shape=m16n16k16|m32n8k16|m8n32k16"
_MMA = "sync aligned"


def _group_shapes(deep: int, integers: bool = False) -> str:
    """List the shapes of products of four warps."""
    return "shape=" + "|".join(f"m64n{n}k{deep}" for n in range(8, 257, 8) if not integers or n <= 24 or n % 16 == 0)


_SURFACE_RED = "geometry=1d|2d|3d boundary=trap|clamp|zero"
_COUNTED = "done=mbarrier::complete_tx::bytes"
_TO_CLUSTER, _TO_BLOCK = "to=shared::cluster from=global", "to=shared::cta from=global"
_TO_GLOBAL = "async bulk to=global from=shared::cta bulk_group hint=L2::cache_hint?"
_RANKS, _PIXEL_RANKS = "rank=1d|2d|3d|4d|5d", "rank=3d|4d|5d"
_SPREAD, _HINT = "multicast=multicast::cluster?", "hint=L2::cache_hint?"
_BOX_OUT = "to=global from=shared::cta bulk_group hint=L2::cache_hint?"
_BOX_OPERATIONS = "op=add|min|max|inc|dec|and|or|xor"
_MAP_SPACE = "space=global|shared::cta>shared?"
_MAP_LISTS = "list=box_dim|global_dim|element_stride"
_ASYNC_RED = f"order=relaxed scope=cluster space=shared::cluster>shared? {_COUNTED}"
_WITHIN = f"async bulk to=shared::cluster from=shared::cta {_COUNTED}"
_MULTI_LOAD, _MULTI_STORE, _MULTI_RED = (f"order={orders}? {_SCOPE} space=global?" for orders in (
    "weak|relaxed|acquire", "weak|relaxed|release", "relaxed|release"))
_NARROW4, _NARROW2, _NARROW1 = "e4m3x4|e5m2x4", "e4m3x2|e5m2x2", "e4m3|e5m2"

_ATOMIC_SPACE = f"space=global|shared|shared::cta>shared|shared::cluster>shared? {_ORDERING} {_SCOPE} hint=L2::cache_hint?"

TABLE: tuple[Row, ...] = (
    # ------------------------------------------------------------------------------------------------ integer arithmetic
    Row("add", _INT, "", "d a b", "alu", "add_{b}", "int{w}_add"),
    Row("add", "s32", "sat", "d a b", "alu", "add_sat_s32", "int_add"),
    Row("sub", _INT, "", "d a b", "alu", "sub_{b}", "int{w}_add"),
    Row("sub", "s32", "sat", "d a b", "alu", "sub_sat_s32", "int_add"),
    Row("add", f"{_INT32}|{_INT64}", "cc", "d a b", "carry", "add_{b}", "int{w}_add"),
    Row("addc", f"{_INT32}|{_INT64}", "cc?", "d a b", "carry", "addc_{b}", "int{w}_add"),
    Row("sub", f"{_INT32}|{_INT64}", "cc", "d a b", "carry", "sub_{b}", "int{w}_add"),
    Row("subc", f"{_INT32}|{_INT64}", "cc?", "d a b", "carry", "subc_{b}", "int{w}_add"),
    Row("mul", _INT16, "half=lo", "d a b", "alu", "mul_lo_b16", "int_mul16"),
    Row("mul", _INT16, "half=hi", "d a b", "alu", "mul_hi_{type}", "int_mul16"),
    Row("mul", _INT16, "wide", "d:{twice} a b", "alu", "mul_wide_{type}", "int_mul16"),
    Row("mul", _INT32, "half=lo", "d a b", "alu", "mul_lo_b32", "int_mul32"),
    Row("mul", _INT32, "half=hi", "d a b", "alu", "mul_hi_{type}", "int_mul_high"),
    Row("mul", _INT32, "wide", "d:{twice} a b", "alu", "mul_wide_{type}", "int_mul_wide"),
    Row("mul", _INT64, "half=lo", "d a b", "alu", "mul_lo_b64", "int64_mul"),
    Row("mul", _INT64, "half=hi", "d a b", "alu", "mul_hi_{type}", "int64_mul*2"),
    Row("mad", _INT16, "half=lo", "d a b c", "alu", "mad_lo_b16", "int_mul16"),
    Row("mad", _INT16, "half=hi", "d a b c", "alu", "mad_hi_{type}", "int_mul16"),
    Row("mad", _INT16, "wide", "d:{twice} a b c:{twice}", "alu", "mad_wide_{type}", "int_mul16"),
    Row("mad", _INT32, "half=lo", "d a b c", "alu", "mad_lo_b32", "int_mul32"),
    Row("mad", _INT32, "half=hi", "d a b c", "alu", "mad_hi_{type}", "int_mul_high"),
    Row("mad", "s32", "half=hi sat", "d a b c", "alu", "mad_hi_sat_s32", "int_mul_high"),
    Row("mad", _INT32, "wide", "d:{twice} a b c:{twice}", "alu", "mad_wide_{type}", "int_mul_wide"),
    Row("mad", _INT64, "half=lo", "d a b c", "alu", "mad_lo_b64", "int64_mul"),
    Row("mad", _INT64, "half=hi", "d a b c", "alu", "mad_hi_{type}", "int64_mul*2"),
    Row("mad", _INT32, "half=lo cc", "d a b c", "carry", "mad_lo_b32", "int_mul32", "carry_chain"),
    Row("mad", _INT32, "half=hi cc", "d a b c", "carry", "mad_hi_{type}", "int_mul_high", "carry_chain"),
    Row("mad", _INT64, "half=lo cc", "d a b c", "carry", "mad_lo_b64", "int64_mul", "carry_chain"),
    Row("mad", _INT64, "half=hi cc", "d a b c", "carry", "mad_hi_{type}", "int64_mul*2", "carry_chain"),
    Row("madc", _INT32, "half=lo cc?", "d a b c", "carry", "madc_lo_b32", "int_mul32", "carry_chain"),
    Row("madc", _INT32, "half=hi cc?", "d a b c", "carry", "madc_hi_{type}", "int_mul_high", "carry_chain"),
    Row("madc", _INT64, "half=lo cc?", "d a b c", "carry", "madc_lo_b64", "int64_mul", "carry_chain"),
    Row("madc", _INT64, "half=hi cc?", "d a b c", "carry", "madc_hi_{type}", "int64_mul*2", "carry_chain"),
    Row("mul24", _INT32, "half=lo|hi", "d a b", "alu", "mul24_{half}_{type}", "int_mul24"),
    Row("mad24", _INT32, "half=lo|hi", "d a b c", "alu", "mad24_{half}_{type}", "int_mul24"),
    Row("mad24", "s32", "half=hi sat", "d a b c", "alu", "mad24_hi_sat_s32", "int_mul24"),
    Row("sad", f"{_INT16}|{_INT32}", "", "d a b c", "alu", "sad_{type}", "int_sad"),
    Row("sad", _INT64, "", "d a b c", "alu", "sad_{type}", "int64_add*3"),
    Row("div", f"{_INT16}|{_INT32}", "", "d a b", "alu", "div_{type}", "int_div32"),
    Row("div", _INT64, "", "d a b", "alu", "div_{type}", "int64_div"),
    Row("rem", f"{_INT16}|{_INT32}", "", "d a b", "alu", "rem_{type}", "int_div32"),
    Row("rem", _INT64, "", "d a b", "alu", "rem_{type}", "int64_div"),
    Row("neg", "s16|s32|s64", "", "d a", "alu", "neg_{type}", "int{w}_add"),
    Row("abs", "s16|s32|s64", "", "d a", "alu", "abs_{type}", "int{w}_minmax"),
    Row("min", _INT, "", "d a b", "alu", "min_{type}", "int{w}_minmax"),
    Row("max", _INT, "", "d a b", "alu", "max_{type}", "int{w}_minmax"),
    Row("dp4a", "u32|s32 u32|s32", "", "d a b:{type2} c", "alu", "dp4a_{type}_{type2}", "int_dot", "int_dot"),
    Row("dp2a", "u32|s32 u32|s32", "half=lo|hi", "d a b:{type2} c", "alu", "dp2a_{half}_{type}_{type2}", "int_dot", "int_dot"),
    Row("add", "u16x2|s16x2", "", "d a b", "alu", "add_b16x2", "int_add", "int16x2"),
    Row("min", "u16x2|s16x2", "", "d a b", "alu", "min_{type}", "int_minmax", "int16x2"),
    Row("max", "u16x2|s16x2", "", "d a b", "alu", "max_{type}", "int_minmax", "int16x2"),
    Row("min", "s16x2|s32", "relu", "d a b", "alu", "min_relu_{type}", "int_minmax", "int16x2"),
    Row("max", "s16x2|s32", "relu", "d a b", "alu", "max_relu_{type}", "int_minmax", "int16x2"),
    # video instructions: operands may be bytes or halves of a register (`Instruction.selectors`)
    *(Row(op, f"{_INT32} {_INT32} {_INT32}", "sat? second=add|min|max?", "d a:{type2} b:{type3} c:{type}?", "video", f"video_{op}", "int_sad*3")
      for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax")),
    *(Row(op, f"{_INT32} {_INT32} u32", "sat? mode=clamp|wrap second=add|min|max?", "d a:{type2} b:{type3} c:{type}?", "video", f"video_{op}",
          "int_sad*3") for op in ("vshl", "vshr")),
    Row("vset", f"{_INT32} {_INT32}", f"{_SIGNED_ORDER} second=add|min|max?", "d:u32 a:{type} b:{type2} c:u32?", "video", "video_vset", "int_sad*3"),
    Row("vmad", f"{_INT32} {_INT32} {_INT32}", "po? sat? scale=shr7|shr15?", "d a:{type2} b:{type3} c:{type}", "video", "video_vmad",
        "int_mul32*3"),
    *(Row(f"{op}{lanes}", f"{_INT32} {_INT32} {_INT32}", "then=sat|add?", "d a:{type2} b:{type3} c", "video_lanes", f"video{lanes}_{op}",
          f"int_sad*{lanes}") for lanes in (2, 4) for op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax")),
    *(Row(f"vset{lanes}", f"{_INT32} {_INT32}", f"{_SIGNED_ORDER} then=add?", "d:u32 a:{type} b:{type2} c:u32", "video_lanes",
          f"video{lanes}_vset_" + "{cmp}", f"int_sad*{lanes}") for lanes in (2, 4)),
    # ---------------------------------------------------------------------------------------------------- logic and bits
    Row("and", "pred", "", "p a b", "predicate", "and", "predicate"),
    Row("or", "pred", "", "p a b", "predicate", "or", "predicate"),
    Row("xor", "pred", "", "p a b", "predicate", "xor", "predicate"),
    Row("not", "pred", "", "p a", "predicate", "not", "predicate"),
    Row("and", _BITS, "", "d a b", "alu", "and_{b}", "int{w}_logic"),
    Row("or", _BITS, "", "d a b", "alu", "or_{b}", "int{w}_logic"),
    Row("xor", _BITS, "", "d a b", "alu", "xor_{b}", "int{w}_logic"),
    Row("not", _BITS, "", "d a", "alu", "not_{b}", "int{w}_logic"),
    Row("cnot", _BITS, "", "d a", "alu", "cnot_{b}", "int{w}_compare"),
    Row("lop3", "b32", "", "d a b c e:u32", "alu", "lop3_b32", "int_logic"),
    Row("shl", _BITS, "", "d a b:u32", "alu", "shl_{b}", "int{w}_shift"),
    Row("shr", f"{_INT}|{_BITS}", "", "d a b:u32", "alu", "shr_{unsigned}", "int{w}_shift"),
    Row("shf", "b32", "side=l|r mode=clamp|wrap", "d a b c:u32", "alu", "shf_{side}_{mode}_b32", "funnel_shift", "funnel_shift"),
    Row("popc", "b32", "", "d:u32 a", "alu", "popc_b32", "bit_count", "bit_operations"),
    Row("popc", "b64", "", "d:u32 a", "alu", "popc_b64", "bit_count*2", "bit_operations"),
    Row("clz", "b32", "", "d:u32 a", "alu", "clz_b32", "bit_count", "bit_operations"),
    Row("clz", "b64", "", "d:u32 a", "alu", "clz_b64", "bit_count*2", "bit_operations"),
    Row("bfind", _INT32, "shiftamt?", "d:u32 a", "alu", "bfind{_shiftamt}_{type}", "bit_count", "bit_operations"),
    Row("bfind", _INT64, "shiftamt?", "d:u32 a", "alu", "bfind{_shiftamt}_{type}", "bit_count*2", "bit_operations"),
    Row("brev", "b32", "", "d a", "alu", "brev_b32", "bit_field", "bit_operations"),
    Row("brev", "b64", "", "d a", "alu", "brev_b64", "bit_field*2", "bit_operations"),
    Row("bfe", _INT32, "", "d a b:u32 c:u32", "alu", "bfe_{type}", "bit_field", "bit_operations"),
    Row("bfe", _INT64, "", "d a b:u32 c:u32", "alu", "bfe_{type}", "bit_field*2", "bit_operations"),
    Row("bfi", "b32", "", "d a b c:u32 e:u32", "alu", "bfi_b32", "bit_field", "bit_operations"),
    Row("bfi", "b64", "", "d a b c:u32 e:u32", "alu", "bfi_b64", "bit_field*2", "bit_operations"),
    Row("bmsk", "b32", "mode=clamp|wrap", "d a b", "alu", "bmsk_{mode}_b32", "bit_field", "bit_masks"),
    Row("szext", _INT32, "mode=clamp|wrap", "d a b:u32", "alu", "szext_{mode}_{type}", "bit_field", "bit_masks"),
    Row("fns", "b32", "", "d a b c", "alu", "fns_b32", "bit_count*4", "bit_operations"),
    Row("prmt", "b32", "mode=f4e|b4e|rc8|ecl|ecr|rc16?", "d a b c", "alu", "prmt{_mode}_b32", "byte_permute", "byte_permute"),
    # ---------------------------------------------------------------------------------------------------- floating point
    Row("add", "f32", f"{_ROUND}? ftz? sat?", "d a b", "alu", "add{_sat}_f32", "fp32_add"),
    Row("sub", "f32", f"{_ROUND}? ftz? sat?", "d a b", "alu", "sub{_sat}_f32", "fp32_add"),
    Row("mul", "f32", f"{_ROUND}? ftz? sat?", "d a b", "alu", "mul{_sat}_f32", "fp32_mul"),
    Row("fma", "f32", f"{_ROUND} ftz? sat?", "d a b c", "alu", "fma{_sat}_f32", "fp32_fma", "fp32_fma"),
    Row("mad", "f32", f"{_ROUND}? ftz? sat?", "d a b c", "mad", "{sat}", "fp32_fma"),
    Row("div", "f32", f"{_ROUND} ftz?", "d a b", "alu", "div_f32", "fp32_div_exact"),
    Row("div", "f32", "approx ftz?", "d a b", "alu", "div_approx_f32", "fp32_div"),
    Row("div", "f32", "full ftz?", "d a b", "alu", "div_f32", "fp32_div"),
    Row("rcp", "f32", f"{_ROUND} ftz?", "d a", "alu", "rcp_f32", "fp32_div_exact"),
    Row("rcp", "f32", "approx ftz?", "d a", "alu", "rcp_f32", "fp32_rcp"),
    Row("sqrt", "f32", f"{_ROUND} ftz?", "d a", "alu", "sqrt_f32", "fp32_sqrt_exact"),
    Row("sqrt", "f32", "approx ftz?", "d a", "alu", "sqrt_f32", "fp32_sqrt"),
    Row("rsqrt", "f32", "approx ftz?", "d a", "alu", "rsqrt_f32", "fp32_rsqrt"),
    Row("sin", "f32", "approx ftz?", "d a", "alu", "sin_f32", "fp32_transcendental"),
    Row("cos", "f32", "approx ftz?", "d a", "alu", "cos_f32", "fp32_transcendental"),
    Row("lg2", "f32", "approx ftz?", "d a", "alu", "lg2_f32", "fp32_transcendental"),
    Row("ex2", "f32", "approx ftz?", "d a", "alu", "ex2_f32", "fp32_transcendental"),
    Row("tanh", "f32", "approx", "d a", "alu", "tanh_f32", "fp32_transcendental", "fp32_tanh"),
    Row("min", "f32", "ftz?", "d a b", "alu", "min{_ftz}_f32", "fp32_minmax"),
    Row("min", "f32", "ftz? nan=NaN>nan", "d a b", "alu", "min{_ftz}{_nan}_f32", "fp32_minmax", "minmax_nan"),
    Row("max", "f32", "ftz?", "d a b", "alu", "max{_ftz}_f32", "fp32_minmax"),
    Row("max", "f32", "ftz? nan=NaN>nan", "d a b", "alu", "max{_ftz}{_nan}_f32", "fp32_minmax", "minmax_nan"),
    Row("min", "f32", "ftz? nan=NaN>nan? xorsign abs", "d a b", "alu", "min{_ftz}{_nan}_xorsign_f32", "fp32_minmax",
        "minmax_xorsign"),
    Row("max", "f32", "ftz? nan=NaN>nan? xorsign abs", "d a b", "alu", "max{_ftz}{_nan}_xorsign_f32", "fp32_minmax",
        "minmax_xorsign"),
    Row("abs", "f32", "ftz?", "d a", "alu", "abs{_ftz}_f32", "fp32_add"),
    Row("neg", "f32", "ftz?", "d a", "alu", "neg{_ftz}_f32", "fp32_add"),
    Row("copysign", "f32", "", "d a b", "alu", "copysign_f32", "int_logic"),
    Row("testp", "f32", "class=finite|infinite|number|notanumber|normal|subnormal", "p a", "compare", "{class}_f32",
        "fp32_compare"),
    Row("add", "f64", f"{_ROUND}?", "d a b", "alu", "add_f64", "fp64_add", "fp64"),
    Row("sub", "f64", f"{_ROUND}?", "d a b", "alu", "sub_f64", "fp64_add", "fp64"),
    Row("mul", "f64", f"{_ROUND}?", "d a b", "alu", "mul_f64", "fp64_mul", "fp64"),
    Row("fma", "f64", _ROUND, "d a b c", "alu", "fma_f64", "fp64_fma", "fp64"),
    Row("mad", "f64", f"{_ROUND}?", "d a b c", "alu", "fma_f64", "fp64_fma", "fp64"),
    Row("div", "f64", _ROUND, "d a b", "alu", "div_f64", "fp64_div", "fp64"),
    Row("rcp", "f64", _ROUND, "d a", "alu", "rcp_f64", "fp64_div", "fp64"),
    Row("rcp", "f64", "approx ftz", "d a", "alu", "rcp_coarse_f64", "fp32_rcp", "fp64"),
    Row("sqrt", "f64", _ROUND, "d a", "alu", "sqrt_f64", "fp64_sqrt", "fp64"),
    Row("rsqrt", "f64", "approx", "d a", "alu", "rsqrt_f64", "fp64_sqrt", "fp64"),
    Row("rsqrt", "f64", "approx ftz", "d a", "alu", "rsqrt_coarse_f64", "fp32_rsqrt", "fp64"),
    Row("min", "f64", "", "d a b", "alu", "min_f64", "fp64_minmax", "fp64"),
    Row("max", "f64", "", "d a b", "alu", "max_f64", "fp64_minmax", "fp64"),
    Row("abs", "f64", "", "d a", "alu", "abs_f64", "fp64_add", "fp64"),
    Row("neg", "f64", "", "d a", "alu", "neg_f64", "fp64_add", "fp64"),
    Row("copysign", "f64", "", "d a b", "alu", "copysign_f64", "int_logic", "fp64"),
    Row("testp", "f64", "class=finite|infinite|number|notanumber|normal|subnormal", "p a", "compare", "{class}_f64",
        "fp64_compare", "fp64"),
    # ------------------------------------------------------------------------------------- 16-bit floats, single and in pairs
    Row("add", _HALF, "rnd=rn? ftz? sat?", "d a b", "alu", "add{_ftz}{_sat}_{type}", "fp16_add", "fp16"),
    Row("sub", _HALF, "rnd=rn? ftz? sat?", "d a b", "alu", "sub{_ftz}{_sat}_{type}", "fp16_add", "fp16"),
    Row("mul", _HALF, "rnd=rn? ftz? sat?", "d a b", "alu", "mul{_ftz}{_sat}_{type}", "fp16_mul", "fp16"),
    Row("fma", _HALF, "rnd=rn ftz? sat?", "d a b c", "alu", "fma{_ftz}{_sat}_{type}", "fp16_fma", "fp16"),
    Row("fma", _HALF, "rnd=rn ftz? relu", "d a b c", "alu", "fma{_ftz}_relu_{type}", "fp16_fma", "fp16_minmax"),
    Row("neg", _HALF, "ftz?", "d a", "alu", "neg{_ftz}_{type}", "fp16_add", "fp16"),
    Row("abs", _HALF, "ftz?", "d a", "alu", "abs{_ftz}_{type}", "fp16_add", "fp16"),
    Row("min", _HALF, "ftz? nan=NaN>nan?", "d a b", "alu", "min{_ftz}{_nan}_{type}", "fp16_minmax", "fp16_minmax"),
    Row("max", _HALF, "ftz? nan=NaN>nan?", "d a b", "alu", "max{_ftz}{_nan}_{type}", "fp16_minmax", "fp16_minmax"),
    Row("min", _HALF, "ftz? nan=NaN>nan? xorsign abs", "d a b", "alu", "min{_ftz}{_nan}_xorsign_{type}", "fp16_minmax",
        "fp16_minmax minmax_xorsign"),
    Row("max", _HALF, "ftz? nan=NaN>nan? xorsign abs", "d a b", "alu", "max{_ftz}{_nan}_xorsign_{type}", "fp16_minmax",
        "fp16_minmax minmax_xorsign"),
    Row("ex2", _HALF, "approx", "d a", "alu", "ex2_{type}", "fp16_transcendental", "fp16_transcendental"),
    Row("tanh", _HALF, "approx", "d a", "alu", "tanh_{type}", "fp16_transcendental", "fp16_transcendental"),
    Row("add", _BRAIN, "rnd=rn?", "d a b", "alu", "add_{type}", "fp16_add", "bf16"),
    Row("sub", _BRAIN, "rnd=rn?", "d a b", "alu", "sub_{type}", "fp16_add", "bf16"),
    Row("mul", _BRAIN, "rnd=rn?", "d a b", "alu", "mul_{type}", "fp16_mul", "bf16"),
    Row("fma", _BRAIN, "rnd=rn relu?", "d a b c", "alu", "fma{_relu}_{type}", "fp16_fma", "bf16"),
    Row("neg", _BRAIN, "", "d a", "alu", "neg_{type}", "fp16_add", "bf16"),
    Row("abs", _BRAIN, "", "d a", "alu", "abs_{type}", "fp16_add", "bf16"),
    Row("min", _BRAIN, "nan=NaN>nan?", "d a b", "alu", "min{_nan}_{type}", "fp16_minmax", "bf16"),
    Row("max", _BRAIN, "nan=NaN>nan?", "d a b", "alu", "max{_nan}_{type}", "fp16_minmax", "bf16"),
    Row("min", _BRAIN, "nan=NaN>nan? xorsign abs", "d a b", "alu", "min{_nan}_xorsign_{type}", "fp16_minmax",
        "bf16 minmax_xorsign"),
    Row("max", _BRAIN, "nan=NaN>nan? xorsign abs", "d a b", "alu", "max{_nan}_xorsign_{type}", "fp16_minmax",
        "bf16 minmax_xorsign"),
    Row("ex2", _BRAIN, "approx ftz", "d a", "alu", "ex2_{type}", "fp16_transcendental", "bf16 fp16_transcendental"),
    Row("tanh", _BRAIN, "approx", "d a", "alu", "tanh_{type}", "fp16_transcendental", "bf16 fp16_transcendental"),
    Row("setp", "f16", f"{_FLOAT_ORDER} ftz?", "p a b", "compare", "{cmp}{_ftz}_f16", "fp16_compare", "fp16"),
    Row("setp", "f16", f"{_FLOAT_ORDER} {_COMBINE} ftz?", "p a b c:pred", "compare", "{cmp}{_ftz}_f16", "fp16_compare", "fp16"),
    Row("setp", "bf16", _FLOAT_ORDER, "p a b", "compare", "{cmp}_bf16", "fp16_compare", "bf16"),
    Row("setp", "bf16", f"{_FLOAT_ORDER} {_COMBINE}", "p a b c:pred", "compare", "{cmp}_bf16", "fp16_compare", "bf16"),
    Row("setp", "f16x2", f"{_FLOAT_ORDER} ftz?", "p a b", "compare_pair", "{cmp}{_ftz}", "fp16_compare", "fp16"),
    Row("setp", "f16x2", f"{_FLOAT_ORDER} {_COMBINE} ftz?", "p a b c:pred", "compare_pair", "{cmp}{_ftz}", "fp16_compare", "fp16"),
    Row("setp", "bf16x2", _FLOAT_ORDER, "p a b", "compare_pair", "{cmp}", "fp16_compare", "bf16"),
    Row("setp", "bf16x2", f"{_FLOAT_ORDER} {_COMBINE}", "p a b c:pred", "compare_pair", "{cmp}", "fp16_compare", "bf16"),
    Row("set", f"{_SET16}|f16|bf16 f16|bf16", f"{_FLOAT_ORDER} ftz?", "d a:{type2} b:{type2}", "set", "{cmp}", "fp16_compare"),
    Row("set", f"{_SET16}|f16|bf16 f16|bf16", f"{_FLOAT_ORDER} {_COMBINE} ftz?", "d a:{type2} b:{type2} c:pred", "set", "{cmp}",
        "fp16_compare"),
    Row("set", "u32|s32|f16x2 f16x2", f"{_FLOAT_ORDER} ftz?", "d a:{type2} b:{type2}", "set_pair", "{cmp}{_ftz}", "fp16_compare",
        "fp16"),
    Row("set", "u32|s32|f16x2 f16x2", f"{_FLOAT_ORDER} {_COMBINE} ftz?", "d a:{type2} b:{type2} c:pred", "set_pair", "{cmp}{_ftz}",
        "fp16_compare", "fp16"),
    Row("set", "u32|s32|bf16x2 bf16x2", _FLOAT_ORDER, "d a:{type2} b:{type2}", "set_pair", "{cmp}", "fp16_compare", "bf16"),
    Row("set", "u32|s32|bf16x2 bf16x2", f"{_FLOAT_ORDER} {_COMBINE}", "d a:{type2} b:{type2} c:pred", "set_pair", "{cmp}",
        "fp16_compare", "bf16"),
    # -------------------------------------------------------------------------------------------- comparison, selection
    Row("setp", _BITS, "cmp=eq|ne", "p a b", "compare", "{cmp}_{unsigned}", "int{w}_compare"),
    Row("setp", _BITS, f"cmp=eq|ne {_COMBINE}", "p a b c:pred", "compare", "{cmp}_{unsigned}", "int{w}_compare"),
    Row("setp", "u16|u32|u64", _ORDER, "p a b", "compare", "{cmp}_{type}", "int{w}_compare"),
    Row("setp", "u16|u32|u64", f"{_ORDER} {_COMBINE}", "p a b c:pred", "compare", "{cmp}_{type}", "int{w}_compare"),
    Row("setp", "s16|s32|s64", _SIGNED_ORDER, "p a b", "compare", "{cmp}_{type}", "int{w}_compare"),
    Row("setp", "s16|s32|s64", f"{_SIGNED_ORDER} {_COMBINE}", "p a b c:pred", "compare", "{cmp}_{type}", "int{w}_compare"),
    Row("setp", "f32", f"{_FLOAT_ORDER} ftz?", "p a b", "compare", "{cmp}_f32", "fp32_compare"),
    Row("setp", "f32", f"{_FLOAT_ORDER} {_COMBINE} ftz?", "p a b c:pred", "compare", "{cmp}_f32", "fp32_compare"),
    Row("setp", "f64", _FLOAT_ORDER, "p a b", "compare", "{cmp}_f64", "fp64_compare", "fp64"),
    Row("setp", "f64", f"{_FLOAT_ORDER} {_COMBINE}", "p a b c:pred", "compare", "{cmp}_f64", "fp64_compare", "fp64"),
    Row("set", f"{_SET} b16|b32|b64", "cmp=eq|ne", "d a:{type2} b:{type2}", "set", "{cmp}", "int_compare"),
    Row("set", f"{_SET} u16|u32|u64", _ORDER, "d a:{type2} b:{type2}", "set", "{cmp}", "int_compare"),
    Row("set", f"{_SET} s16|s32|s64", _SIGNED_ORDER, "d a:{type2} b:{type2}", "set", "{cmp}", "int_compare"),
    Row("set", f"{_SET} f32", f"{_FLOAT_ORDER} ftz?", "d a:{type2} b:{type2}", "set", "{cmp}", "fp32_compare"),
    Row("set", f"{_SET} f64", _FLOAT_ORDER, "d a:{type2} b:{type2}", "set", "{cmp}", "fp64_compare", "fp64"),
    Row("set", f"{_SET} {_BITS}|{_INT}", f"{_ORDER} {_COMBINE}", "d a:{type2} b:{type2} c:pred", "set", "{cmp}", "int_compare"),
    Row("set", f"{_SET} f32", f"{_FLOAT_ORDER} {_COMBINE} ftz?", "d a:{type2} b:{type2} c:pred", "set", "{cmp}", "fp32_compare"),
    Row("set", f"{_SET} f64", f"{_FLOAT_ORDER} {_COMBINE}", "d a:{type2} b:{type2} c:pred", "set", "{cmp}", "fp64_compare",
        "fp64"),
    Row("selp", "b16|b32|u16|s16|u32|s32|f32", "", "d a b c:pred", "select", "", "select"),
    Row("selp", "b64|u64|s64|f64", "", "d a b c:pred", "select", "", "select*2"),
    Row("slct", f"{_SCALAR} s32", "", "d a b c:{type2}", "alu", "slct_{slot}_s32", "select"),
    Row("slct", f"{_SCALAR} f32", "ftz?", "d a b c:{type2}", "alu", "slct_{slot}_f32", "select"),
    # -------------------------------------------------------------------------------------------------- move and convert
    Row("mov", f"{_SCALAR}|f16", "", "d a", "move", "", "move"),
    Row("mov", "pred", "", "p a", "predicate", "mov", "predicate"),
    Row("mov", "b128", "", "d a", "move128", "", "move"),
    Row("cvt", f"{_NUMBER} {_NUMBER}",
        f"{_ROUND}? whole=rni|rzi|rmi|rpi? ftz? sat?", "d a:{type2}", "convert", "", "convert"),
    Row("cvt", "f16 f32", "rnd=rn|rz relu satfinite?", "d a:f32", "alu", "cvt_{rnd}_relu{_satfinite}_f16_f32", "convert", "fp16_minmax"),
    Row("cvt", "f16 f32", "rnd=rn|rz satfinite", "d a:f32", "alu", "cvt_{rnd}_satfinite_f16_f32", "convert", "fp16_minmax"),
    Row("cvt", "bf16 f32", "rnd=rn|rz relu satfinite?", "d a:f32", "alu", "cvt_{rnd}_relu{_satfinite}_bf16_f32", "convert", "bf16"),
    Row("cvt", "bf16 f32", "rnd=rn|rz satfinite", "d a:f32", "alu", "cvt_{rnd}_satfinite_bf16_f32", "convert", "bf16"),
    Row("cvt", "f16x2 f32", "rnd=rn|rz relu? satfinite?", "d a:f32 b:f32", "alu", "cvt_{rnd}{_relu}{_satfinite}_f16x2_f32",
        "convert", "fp16_minmax"),
    Row("cvt", "bf16x2 f32", "rnd=rn|rz relu? satfinite?", "d a:f32 b:f32", "alu", "cvt_{rnd}{_relu}{_satfinite}_bf16x2_f32",
        "convert", "bf16"),
    Row("cvt", "tf32 f32", "rnd=rn|rz|rna relu? satfinite?", "d a:f32", "alu", "cvt_{rnd}{_relu}{_satfinite}_tf32_f32", "convert",
        "tf32"),
    Row("cvt", "e4m3x2|e5m2x2 f32", "rnd=rn satfinite relu?", "d:b16 a:f32 b:f32", "alu", "cvt_rn{_relu}_{type}_f32", "convert", "fp8"),
    Row("cvt", "e4m3x2|e5m2x2 f16x2", "rnd=rn satfinite relu?", "d:b16 a:b32", "alu", "cvt_rn{_relu}_{type}_f16x2", "convert", "fp8"),
    Row("cvt", "f16x2 e4m3x2|e5m2x2", "rnd=rn relu?", "d:b32 a:b16", "alu", "cvt_rn{_relu}_f16x2_{type2}", "convert", "fp8"),
    Row("cvt", "e2m3x2|e3m2x2 f32", "rnd=rn satfinite relu?", "d:b16 a:f32 b:f32", "alu", "cvt_rn{_relu}_{type}_f32", "convert", "fp4_fp6"),
    Row("cvt", "f16x2 e2m3x2|e3m2x2", "rnd=rn relu?", "d:b32 a:b16", "alu", "cvt_rn{_relu}_f16x2_{type2}", "convert", "fp4_fp6"),
    Row("cvt", "e2m1x2 f32", "rnd=rn satfinite relu?", "d:b8 a:f32 b:f32", "alu", "cvt_rn{_relu}_{type}_f32", "convert", "fp4_fp6"),
    Row("cvt", "f16x2 e2m1x2", "rnd=rn relu?", "d:b32 a:b8", "alu", "cvt_rn{_relu}_f16x2_{type2}", "convert", "fp4_fp6"),
    Row("cvt", "ue8m0x2 f32", "rnd=rz|rp satfinite?", "d:b16 a:f32 b:f32", "alu", "cvt_{rnd}{_satfinite}_ue8m0x2_f32", "convert", "fp4_fp6"),
    Row("cvt", "ue8m0x2 bf16x2", "rnd=rz|rp satfinite?", "d:b16 a:b32", "alu", "cvt_{rnd}{_satfinite}_ue8m0x2_bf16x2", "convert", "fp4_fp6"),
    Row("cvt", "bf16x2 ue8m0x2", "rnd=rn", "d:b32 a:b16", "alu", "cvt_rn_bf16x2_ue8m0x2", "convert", "fp4_fp6"),
    Row("cvt", "u16|s16 s32", "pack sat", "d:b32 a:s32 b:s32", "alu", "cvt_pack_{type}", "convert", "convert_pack"),
    Row("cvt", "u8|s8|u4|s4|u2|s2 s32 b32", "pack sat", "d:b32 a:s32 b:s32 c:b32", "alu", "cvt_pack_{type}", "convert", "convert_pack"),
    Row("cvta", "u32|u64", "to? space=global|shared|local|const|param|shared::cta>shared|shared::cluster>shared|"
        "param::entry>param", "d a", "generic_address", "", "int{w}_add"),
    Row("isspacep", "", "space=global|shared|local|const|param|shared::cta>shared|shared::cluster|"
        "param::entry>param", "p a:u64", "space_test", "", "int64_compare"),
    # ------------------------------------------------------------------------------------------------------------ memory
    Row("ld", _DATA, f"{_MEMORY} {_HINTS} vec=v2|v4?", "d a e?", "load", "", ""),
    Row("ldu", _DATA, "space=global? vec=v2|v4?", "d a", "load", "", ""),
    Row("st", _DATA, f"{_MEMORY} {_HINTS} vec=v2|v4?", "a b e?", "store", "", ""),
    Row("ld", "b128", f"{_MEMORY} {_HINTS}", "d a e?", "load", "", ""),
    Row("st", "b128", f"{_MEMORY} {_HINTS}", "a b e?", "store", "", ""),
    Row("atom", "u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=add", "d a b e?", "atomic", "add_{b}"),
    Row("atom", "b32|b64|u32|s32|u64|s64|f32|f64", f"{_ATOMIC_SPACE} op=exch", "d a b e?", "atomic", "exch_{b}"),
    Row("atom", "b32|b64|u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=cas", "d a b c e?", "atomic", "cas_{b}"),
    Row("atom", "u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=min|max", "d a b e?", "atomic", "{op}_{type}"),
    Row("atom", "b32|b64|u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=and|or|xor", "d a b e?", "atomic", "{op}_{b}"),
    Row("atom", "u32", f"{_ATOMIC_SPACE} op=inc|dec", "d a b e?", "atomic", "{op}_u32"),
    Row("atom", "f32", f"{_ATOMIC_SPACE} op=add", "d a b e?", "atomic", "add_f32", "", "atomics_float_add"),
    Row("atom", "f64", f"{_ATOMIC_SPACE} op=add", "d a b e?", "atomic", "add_f64", "", "atomics_double_add"),
    Row("atom", "b16", f"{_ATOMIC_SPACE} op=cas", "d a b c e?", "atomic", "cas_b16", "", "atomics_16"),
    Row("atom", "f16x2", f"{_ATOMIC_SPACE} op=add noftz", "d a b e?", "atomic", "add_f16x2", "", "atomics_half_add"),
    Row("atom", "f16", f"{_ATOMIC_SPACE} op=add noftz", "d a b e?", "atomic", "add_f16", "", "atomics_half_add atomics_16"),
    Row("atom", _BRAIN, f"{_ATOMIC_SPACE} op=add noftz", "d a b e?", "atomic", "add_{type}", "", "atomics_bfloat_add"),
    Row("atom", "f32", f"{_ATOMIC_SPACE} op=add vec=v2|v4", "d a b e?", "atomic", "add_f32", "", "atomics_vector"),
    Row("atom", f"{_HALF}|{_BRAIN}", f"{_ATOMIC_SPACE} op=add|min|max noftz vec=v2|v4", "d a b e?", "atomic", "{op}_{type}", "",
        "atomics_vector atomics_half_add"),
    Row("red", "u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=add", "a b e?", "atomic", "add_{b}"),
    Row("red", "u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=min|max", "a b e?", "atomic", "{op}_{type}"),
    Row("red", "b32|b64|u32|s32|u64|s64", f"{_ATOMIC_SPACE} op=and|or|xor", "a b e?", "atomic", "{op}_{b}"),
    Row("red", "u32", f"{_ATOMIC_SPACE} op=inc|dec", "a b e?", "atomic", "{op}_u32"),
    Row("red", "f32", f"{_ATOMIC_SPACE} op=add", "a b e?", "atomic", "add_f32", "", "atomics_float_add"),
    Row("red", "f64", f"{_ATOMIC_SPACE} op=add", "a b e?", "atomic", "add_f64", "", "atomics_double_add"),
    Row("red", "f16x2", f"{_ATOMIC_SPACE} op=add noftz", "a b e?", "atomic", "add_f16x2", "", "atomics_half_add"),
    Row("red", "f16", f"{_ATOMIC_SPACE} op=add noftz", "a b e?", "atomic", "add_f16", "", "atomics_half_add atomics_16"),
    Row("red", _BRAIN, f"{_ATOMIC_SPACE} op=add noftz", "a b e?", "atomic", "add_{type}", "", "atomics_bfloat_add"),
    Row("red", "f32", f"{_ATOMIC_SPACE} op=add vec=v2|v4", "a b e?", "atomic", "add_f32", "", "atomics_vector"),
    Row("red", f"{_HALF}|{_BRAIN}", f"{_ATOMIC_SPACE} op=add|min|max noftz vec=v2|v4", "a b e?", "atomic", "{op}_{type}", "",
        "atomics_vector atomics_half_add"),
    Row("cp", "", "async cache=ca|cg space=shared|shared::cta>shared from=global hint=L2::cache_hint? fetch=L2::64B|L2::128B|L2::256B?",
        "a b n:u32 c:u32? e?", "copy_async", "", "load_global", "cp_async"),
    Row("cp", "", "async commit_group", "", "copy_group", "commit", "move", "cp_async"),
    Row("cp", "", "async wait_group", "n:u32", "copy_group", "wait", "move", "cp_async"),
    Row("cp", "", "async wait_all", "", "copy_group", "wait_all", "move", "cp_async"),
    Row("cp", "b64", f"async mbarrier arrive noinc? {_PHASE_SPACE}", "a", "copy_arrive", "", "atomic_shared", "cp_async mbarrier"),
    Row("cp", "", f"async bulk {_TO_CLUSTER} {_COUNTED} {_SPREAD} {_HINT}", "a b n:u32 m c:u16? e?", "bulk_copy", "to_shared", "bulk_copy",
        "bulk_copies mbarrier_tx"),
    Row("cp", "", f"async bulk {_TO_BLOCK} {_COUNTED} {_HINT}", "a b n:u32 m e?", "bulk_copy", "to_shared", "bulk_copy", "bulk_copies mbarrier_tx"),
    Row("cp", "", _WITHIN, "a b n:u32 m", "bulk_copy", "within", "bulk_copy", "bulk_copies mbarrier_tx"),
    Row("cp", "", _TO_GLOBAL, "a b n:u32 e?", "bulk_copy", "to_global", "bulk_copy", "bulk_copies"),
    Row("cp", "u32|s32|u64", f"reduce {_WITHIN} op=add", "a b n:u32 m", "bulk_copy", "add_{b}", "bulk_copy", "bulk_copies mbarrier_tx"),
    Row("cp", "u32|s32", f"reduce {_WITHIN} op=min|max", "a b n:u32 m", "bulk_copy", "{op}_{type}", "bulk_copy",
        "bulk_copies mbarrier_tx"),
    Row("cp", "u32", f"reduce {_WITHIN} op=inc|dec", "a b n:u32 m", "bulk_copy", "{op}_u32", "bulk_copy", "bulk_copies mbarrier_tx"),
    Row("cp", "b32", f"reduce {_WITHIN} op=and|or|xor", "a b n:u32 m", "bulk_copy", "{op}_b32", "bulk_copy", "bulk_copies mbarrier_tx"),
    Row("cp", "u32|s32|u64", f"reduce {_TO_GLOBAL} op=add", "a b n:u32 e?", "bulk_copy", "add_{b}", "bulk_copy", "bulk_copies"),
    # sums in single precision keep subnormals, unlike those of red on global memory (an H100 does)
    Row("cp", "f32", f"reduce {_TO_GLOBAL} op=add", "a b n:u32 e?", "bulk_copy", "add_f32", "bulk_copy", "bulk_copies"),
    Row("cp", "f64", f"reduce {_TO_GLOBAL} op=add", "a b n:u32 e?", "bulk_copy", "add_raw_f64", "bulk_copy", "bulk_copies"),
    Row("cp", "f16|bf16", f"reduce {_TO_GLOBAL} op=add noftz", "a b n:u32 e?", "bulk_copy", "add_{type}", "bulk_copy", "bulk_copies"),
    Row("cp", "u32|s32|u64|s64|f16|bf16", f"reduce {_TO_GLOBAL} op=min|max", "a b n:u32 e?", "bulk_copy", "{op}_{type}", "bulk_copy",
        "bulk_copies"),
    Row("cp", "u32", f"reduce {_TO_GLOBAL} op=inc|dec", "a b n:u32 e?", "bulk_copy", "{op}_u32", "bulk_copy", "bulk_copies"),
    Row("cp", "b32|b64", f"reduce {_TO_GLOBAL} op=and|or|xor", "a b n:u32 e?", "bulk_copy", "{op}_{b}", "bulk_copy", "bulk_copies"),
    Row("cp", "", f"async bulk tensor {_RANKS} mode=tile? {_TO_CLUSTER} {_COUNTED} {_SPREAD} {_HINT}", "a b v m n:u16? e?", "tensor_copy", "", "bulk_copy",
        "bulk_copies mbarrier_tx"),
    Row("cp", "", f"async bulk tensor {_RANKS} mode=tile? {_TO_BLOCK} {_COUNTED} {_HINT}", "a b v m e?", "tensor_copy", "", "bulk_copy",
        "bulk_copies mbarrier_tx"),
    Row("cp", "", f"async bulk tensor {_PIXEL_RANKS} mode=im2col {_TO_CLUSTER} {_COUNTED} {_SPREAD} {_HINT}", "a b v m o n:u16? e?", "tensor_copy", "",
        "bulk_copy", "bulk_copies mbarrier_tx"),
    Row("cp", "", f"async bulk tensor {_PIXEL_RANKS} mode=im2col {_TO_BLOCK} {_COUNTED} {_HINT}", "a b v m o e?", "tensor_copy", "", "bulk_copy",
        "bulk_copies mbarrier_tx"),
    Row("cp", "", f"async bulk tensor {_RANKS} mode=tile? {_BOX_OUT}", "a v b e?", "tensor_copy", "", "bulk_copy", "bulk_copies"),
    Row("cp", "", f"async bulk tensor {_PIXEL_RANKS} mode=im2col_no_offs {_BOX_OUT}", "a v b e?", "tensor_copy", "", "bulk_copy", "bulk_copies"),
    Row("cp", "", f"reduce async bulk tensor {_RANKS} {_BOX_OPERATIONS} mode=tile? {_BOX_OUT}", "a v b e?", "tensor_copy", "", "bulk_copy",
        "bulk_copies"),
    Row("cp", "", f"reduce async bulk tensor {_PIXEL_RANKS} {_BOX_OPERATIONS} mode=im2col_no_offs {_BOX_OUT}", "a v b e?", "tensor_copy", "",
        "bulk_copy", "bulk_copies"),
    Row("cp", "", f"async bulk prefetch tensor {_RANKS} level=L2 from=global mode=tile? hint=L2::cache_hint?", "a v e?", "hint", "", "",
        "bulk_copies"),
    Row("cp", "", f"async bulk prefetch tensor {_PIXEL_RANKS} level=L2 from=global mode=im2col hint=L2::cache_hint?", "a v o e?", "hint", "", "",
        "bulk_copies"),
    Row("tensormap", "b32", f"replace tile {_MAP_LISTS} {_MAP_SPACE} b1024", "a n b", "map_replace", "", "", "bulk_copies"),
    Row("tensormap", "b64", f"replace tile field=global_stride {_MAP_SPACE} b1024", "a n b", "map_replace", "", "", "bulk_copies"),
    Row("tensormap", "b64", f"replace tile field=global_address {_MAP_SPACE} b1024", "a b", "map_replace", "", "", "bulk_copies"),
    Row("tensormap", "b32", f"replace tile field=rank|elemtype|interleave_layout|swizzle_mode|fill_mode {_MAP_SPACE} b1024", "a b", "map_replace", "",
        "", "bulk_copies"),
    Row("tensormap", "", f"cp_fenceproxy to=global from=shared::cta kind=tensormap::generic order=release {_REQUIRED_SCOPE} sync aligned", "a b n",
        "map_copy", "", "", "bulk_copies"),
    Row("cp", "", "async bulk prefetch level=L2 from=global hint=L2::cache_hint?", "a n:u32 e?", "hint", "", "", "bulk_copies"),
    Row("cp", "", "async bulk commit_group", "", "bulk_group", "bulk_commit", "move", "bulk_copies"),
    Row("cp", "", "async bulk wait_group read?", "n:u32", "bulk_group", "bulk_wait{_read}", "move", "bulk_copies"),
    Row("st", "b32|u32|s32|f32|b64|u64|s64|f64", f"async weak? space=shared::cluster>shared? {_COUNTED} vec=v2|v4?", "a b m", "store_async", "",
        "store_shared", "mbarrier_tx"),
    Row("red", "u32|s32|u64", f"async {_ASYNC_RED} op=add", "a b m", "atomic_async", "add_{b}", "atomic_shared", "mbarrier_tx"),
    Row("red", "u32|s32", f"async {_ASYNC_RED} op=min|max", "a b m", "atomic_async", "{op}_{type}", "atomic_shared", "mbarrier_tx"),
    Row("red", "u32", f"async {_ASYNC_RED} op=inc|dec", "a b m", "atomic_async", "{op}_u32", "atomic_shared", "mbarrier_tx"),
    Row("red", "b32", f"async {_ASYNC_RED} op=and|or|xor", "a b m", "atomic_async", "{op}_b32", "atomic_shared", "mbarrier_tx"),
    Row("mbarrier", "b64", f"init {_PHASE_SPACE}", "a b:u32", "phase", "init", "atomic_shared", "mbarrier"),
    Row("mbarrier", "b64", f"inval {_PHASE_SPACE}", "a", "phase", "invalidate", "atomic_shared", "mbarrier"),
    Row("mbarrier", "b64", f"arrive noComplete? {_PHASE}", "d a b:u32?", "phase_arrive", "arrive", "atomic_shared", "mbarrier"),
    Row("mbarrier", "b64", f"arrive_drop noComplete? {_PHASE}", "d a b:u32?", "phase_arrive", "arrive_drop", "atomic_shared", "mbarrier"),
    Row("mbarrier", "b64", f"arrive expect_tx {_PHASE}", "d a b:u32", "phase_arrive", "arrive_expect", "atomic_shared",
        "mbarrier mbarrier_tx"),
    Row("mbarrier", "b64", f"expect_tx {_PHASE}", "a b:u32", "phase", "expect", "atomic_shared", "mbarrier mbarrier_tx"),
    Row("mbarrier", "b64", f"complete_tx {_PHASE}", "a b:u32", "phase", "complete", "atomic_shared", "mbarrier mbarrier_tx"),
    Row("mbarrier", "b64", f"test_wait {_PHASE}", "p a b", "phase_test", "test", "atomic_shared", "mbarrier"),
    Row("mbarrier", "b64", f"test_wait parity {_PHASE}", "p a b:u32", "phase_test", "test_parity", "atomic_shared", "mbarrier"),
    Row("mbarrier", "b64", f"try_wait {_PHASE}", "p a b e:u32?", "phase_test", "test", "atomic_shared", "mbarrier mbarrier_tx"),
    Row("mbarrier", "b64", f"try_wait parity {_PHASE}", "p a b:u32 e:u32?", "phase_test", "test_parity", "atomic_shared",
        "mbarrier mbarrier_tx"),
    Row("mbarrier", "b64", "pending_count", "d:u32 a", "phase_count", "", "int64_shift", "mbarrier"),
    Row("membar", "", "level=cta|gl|sys", "", "fence", "", "fence"),
    Row("membar", "", "proxy kind=alias|async space=global|shared::cta>shared|shared::cluster>shared?", "", "hint"),
    Row("fence", "", f"order=sc|acq_rel|acquire|release? {_REQUIRED_SCOPE}", "", "fence", "", "fence"),
    Row("fence", "", f"order=acquire|release {_RESTRICTED}", "", "fence", "", "fence"),
    Row("fence", "", "mbarrier_init order=release scope=cluster", "", "fence", "", "fence"),
    Row("fence", "", "proxy kind=alias|async|async::generic space=global|shared::cta>shared|shared::cluster>shared?", "", "hint"),
    Row("fence", "", f"proxy kind=async::generic order=acquire|release {_RESTRICTED}", "", "hint"),
    Row("fence", "", f"proxy kind=tensormap::generic order=release {_REQUIRED_SCOPE}", "", "hint"),
    Row("fence", "", f"proxy kind=tensormap::generic order=acquire {_REQUIRED_SCOPE}", "a b", "hint"),
    Row("prefetch", "", "space=global|local? level=L1|L2|L2::evict_last|L2::evict_normal", "a", "hint"),
    Row("prefetch", "", "tensormap space=const|param?", "a", "hint"),
    Row("prefetchu", "", "level=L1", "a", "hint"),
    Row("applypriority", "", "space=global? evict=L2::evict_normal", "a b", "hint"),
    Row("discard", "", "space=global? level=L2", "a b", "hint"),
    Row("createpolicy", "b64", f"fractional primary={_PRIORITIES} secondary={_PRIORITIES}?", "d a:f32?", "policy", "", "move"),
    Row("createpolicy", "b64", f"range space=global? primary={_PRIORITIES} secondary={_PRIORITIES}?", "d a b:u32 c:u32", "policy", "",
        "move"),
    Row("createpolicy", "b64", "cvt level=L2", "d a", "policy", "", "move"),
    Row("nanosleep", "u32", "", "a", "hint"),
    Row("griddepcontrol", "", "action=wait|launch_dependents", "", "hint"),
    Row("setmaxnreg", "u32", "way=inc|dec sync aligned", "a", "register_count", "", "", "register_reallocation"),
    Row("pmevent", "", "mask?", "a", "hint"),
    # --------------------------------------------------------------------------------------------------- multicast addresses
    *(row for op, types in (("op=and|or|xor", "b32|b64"), ("op=add", "u32|s32|u64"), ("op=min|max", "u32|s32|u64|s64"), ("op=add", "f64")) for row in (
        Row("multimem", types, f"ld_reduce {_MULTI_LOAD} {op}", "d a", "multimem_load", "", "", "multimem"),
        Row("multimem", types, f"red {_MULTI_RED} {op}", "a b", "multimem_reduce",
            "{op}_{b}" if types[0] == "b" or types == "u32|s32|u64" else "{op}_{type}", "", "multimem"))),
    Row("multimem", "f32", f"ld_reduce {_MULTI_LOAD} op=add vec=v2|v4?", "d a", "multimem_load", "", "", "multimem"),
    Row("multimem", "f32", f"red {_MULTI_RED} op=add vec=v2|v4?", "a b", "multimem_reduce", "add_f32", "", "multimem"),
    *(row for types, vec in (("f16x2|bf16x2", "vec=v2|v4?"), ("f16|bf16", "vec=v2|v4|v8")) for row in (
        Row("multimem", types, f"ld_reduce {_MULTI_LOAD} op=add acc=acc::f32? {vec}", "d a", "multimem_load", "", "", "multimem"),
        Row("multimem", types, f"ld_reduce {_MULTI_LOAD} op=min|max {vec}", "d a", "multimem_load", "", "", "multimem"),
        Row("multimem", types, f"red {_MULTI_RED} op=add {vec}", "a b", "multimem_reduce", "{op}_{type}", "", "multimem"),
        Row("multimem", types, f"red {_MULTI_RED} op=min|max {vec.rstrip('?')}", "a b", "multimem_reduce", "{op}_{type}", "", "multimem"))),
    Row("multimem", "b32|b64|u32|s32|u64|s64|f64", f"st {_MULTI_STORE}", "a b", "multimem_store", "", "", "multimem"),
    Row("multimem", "f32|f16x2|bf16x2", f"st {_MULTI_STORE} vec=v2|v4?", "a b", "multimem_store", "", "", "multimem"),
    Row("multimem", "f16|bf16", f"st {_MULTI_STORE} vec=v2|v4|v8", "a b", "multimem_store", "", "", "multimem"),
    *(row for types, vec in ((_NARROW4, "vec=v2|v4?"), (_NARROW2, "vec=v2|v4|v8"), (_NARROW1, "vec=v4|v8")) for row in (
        Row("multimem", types, f"ld_reduce {_MULTI_LOAD} op=add acc=acc::f16? {vec}", "d a", "multimem_load", "", "", "multimem_fp8"),
        Row("multimem", types, f"ld_reduce {_MULTI_LOAD} op=min|max {vec}", "d a", "multimem_load", "", "", "multimem_fp8"),
        Row("multimem", types, f"st {_MULTI_STORE} {vec}", "a b", "multimem_store", "", "", "multimem_fp8"))),
    # ---------------------------------------------------------------------------------------------------------- control
    Row("bra", "", "uni?", "a", "branch", "", "branch"),
    Row("brx", "", "idx uni?", "a b", "branch_indexed", "", "branch"),
    Row("call", "", "uni?", "a b?", "call", "", "call"),
    Row("alloca", "u32|u64", "", "d a c?", "alloca", "", "", "device_calls"),
    Row("stacksave", "u32|u64", "", "d", "stack_save", "", "", "device_calls"),
    Row("stackrestore", "u32|u64", "", "a", "stack_restore", "", "", "device_calls"),
    Row("ret", "", "uni?", "", "return", "", "exit"),
    Row("exit", "", "", "", "exit", "", "exit"),
    Row("trap", "", "", "", "trap", "", "exit"),
    Row("brkpt", "", "", "", "trap", "", "exit"),
    Row("bar", "", "cta? sync", "a:u32 b:u32?", "barrier", "sync", "barrier"),
    Row("bar", "", "cta? arrive", "a:u32 b:u32", "barrier", "arrive", "barrier", "barrier_count"),
    Row("bar", "u32", "cta? red op=popc", "d a:u32 b:u32 c:pred?", "barrier_reduce", "popc", "barrier", "barrier_reduce"),
    Row("bar", "pred", "cta? red op=and|or", "p a:u32 b:u32 c:pred?", "barrier_reduce", "{op}", "barrier", "barrier_reduce"),
    Row("bar", "", "warp sync", "a:u32", "barrier_warp", "", "barrier"),
    Row("barrier", "", "cta? sync aligned?", "a:u32 b:u32?", "barrier", "sync", "barrier"),
    Row("barrier", "", "cta? arrive aligned?", "a:u32 b:u32", "barrier", "arrive", "barrier", "barrier_count"),
    Row("barrier", "u32", "cta? red op=popc aligned?", "d a:u32 b:u32 c:pred?", "barrier_reduce", "popc", "barrier", "barrier_reduce"),
    Row("barrier", "pred", "cta? red op=and|or aligned?", "p a:u32 b:u32 c:pred?", "barrier_reduce", "{op}", "barrier", "barrier_reduce"),
    Row("barrier", "", "cluster arrive order=release|relaxed? aligned?", "", "barrier_cluster", "cluster_arrive", "barrier", "clusters"),
    Row("barrier", "", "cluster wait order=acquire? aligned?", "", "barrier_cluster", "cluster_wait", "barrier", "clusters"),
    Row("mapa", "u32|u64", "space=shared::cluster?", "d a b:u32", "map_rank", "", "select", "clusters"),
    Row("getctarank", "u32|u64", "space=shared::cluster?", "d:u32 a", "rank_of", "", "move", "clusters"),
    # ------------------------------------------------------------------------------------------------------------- warp
    Row("vote", "pred", "mode=all|any|uni sync?", "p a:pred m:u32?", "vote", "{mode}", "vote", "vote"),
    Row("vote", "b32", "mode=ballot sync?", "d a:pred m:u32?", "vote", "ballot", "vote", "vote_ballot"),
    Row("vote", "b64", "mode=ballot sync?", "d a:pred m:u64?", "vote", "ballot", "vote", "vote_ballot"),
    Row("activemask", "b32", "", "d", "active_mask", "", "vote", "vote_ballot"),
    Row("activemask", "b64", "", "d", "active_mask", "", "vote", "vote_ballot"),
    Row("shfl", "b32", "mode=up|down|bfly|idx sync?", "d a b:u32 c:u32 m:u32?", "shuffle", "{mode}", "shuffle", "shuffle"),
    Row("mx", "b32", "shfl mode=up|down|bfly|idx sync?", "d a b:u32 c:u32 m:u64?", "shuffle_width", "{mode}", "shuffle", "shuffle"),
    Row("mxlanes", "u32", "", "a", "lanes_needed"),
    Row("redux", "u32|s32", "op=add|min|max sync", "d a m:u32", "redux", "{op}", "redux", "redux"),
    Row("redux", "b32", "op=and|or|xor sync", "d a m:u32", "redux", "{op}", "redux", "redux"),
    Row("elect", "", "sync", "d:b32 m:u32", "elect", "", "vote", "elect"),
    Row("match", "b32|b64", "mode=any sync?", "d:u32 a m:u32", "match", "any", "match", "match"),
    Row("match", "b32|b64", "mode=all sync?", "d:u32 a m:u32", "match", "all", "match", "match"),
    # --------------------------------------------------------------------------------------------------------- matrices
    Row("ldmatrix", "b16", f"sync aligned m8n8 num=x1|x2|x4 trans? {_SHARED}", "d a", "matrix_load", "", "load_matrix", "matrix_tiles"),
    Row("stmatrix", "b16", f"sync aligned m8n8 num=x1|x2|x4 trans? {_SHARED}", "a d", "matrix_store", "", "store_matrix",
        "matrix_tiles_store"),
    Row("movmatrix", "b16", "sync aligned m8n8 trans", "d a", "matrix_transpose", "", "matrix_transpose", "matrix_tiles"),
    Row("mma", "f16 f16 f16 f16", f"{_MMA} shape=m16n8k8 row col", "d a b c", "matrix_product", "f16", "matrix_f16_{shape}",
        "matrix_m16n8k8"),
    Row("mma", "f32 f16 f16 f32", f"{_MMA} shape=m16n8k8 row col", "d a b c", "matrix_product", "f16", "matrix_f16_{shape}",
        "matrix_m16n8k8"),
    Row("mma", "f16 f16 f16 f16", f"{_MMA} shape=m16n8k16 row col", "d a b c", "matrix_product", "f16", "matrix_f16_{shape}",
        "matrix_tall"),
    Row("mma", "f32 f16 f16 f32", f"{_MMA} shape=m16n8k16 row col", "d a b c", "matrix_product", "f16", "matrix_f16_{shape}",
        "matrix_tall"),
    Row("mma", "f16|f32 f16 f16 f16", f"{_MMA} shape=m8n8k4 {_LAYOUTS}", "d a b c", "matrix_product", "groups", "matrix_f16_{shape}",
        "matrix"),
    Row("mma", "f32 f16 f16 f32", f"{_MMA} shape=m8n8k4 {_LAYOUTS}", "d a b c", "matrix_product", "groups", "matrix_f16_{shape}", "matrix"),
    Row("mma", "f32 bf16 bf16 f32", f"{_MMA} shape=m16n8k8|m16n8k16 row col", "d a b c", "matrix_product", "bf16", "matrix_f16_{shape}",
        "matrix_bf16"),
    Row("mma", "f32 tf32 tf32 f32", f"{_MMA} shape=m16n8k4|m16n8k8 row col", "d a b c", "matrix_product", "tf32", "matrix_tf32_{shape}",
        "matrix_tf32"),
    Row("mma", "f64 f64 f64 f64", f"{_MMA} shape=m8n8k4 row col {_ROUND}?", "d a b c", "matrix_product", "f64", "matrix_f64_{shape}",
        "matrix_f64"),
    Row("mma", "f64 f64 f64 f64", f"{_MMA} shape=m16n8k4|m16n8k8|m16n8k16 row col {_ROUND}?", "d a b c", "matrix_product", "f64",
        "matrix_f64_{shape}", "matrix_f64_tall"),
    Row("mma", "s32 u8|s8 u8|s8 s32", f"{_MMA} shape=m8n8k16 row col satfinite?", "d a b c", "matrix_product", "integer",
        "matrix_int8_{shape}", "matrix_int8"),
    Row("mma", "s32 u8|s8 u8|s8 s32", f"{_MMA} shape=m16n8k16|m16n8k32 row col satfinite?", "d a b c", "matrix_product", "integer",
        "matrix_int8_{shape}", "matrix_int8 matrix_tall"),
    Row("mma", "s32 u4 u4 s32", f"{_MMA} shape=m8n8k32 row col satfinite?", "d a b c", "matrix_product", "integer", "matrix_u4_{shape}",
        "matrix_int4"),
    Row("mma", "s32 u4 u4 s32", f"{_MMA} shape=m16n8k32|m16n8k64 row col satfinite?", "d a b c", "matrix_product", "integer",
        "matrix_u4_{shape}", "matrix_int4 matrix_tall"),
    Row("mma", "s32 u4 s4 s32", f"{_MMA} shape=m8n8k32 row col satfinite?", "d a b c", "matrix_product", "integer", "matrix_s4_{shape}",
        "matrix_int4"),
    Row("mma", "s32 u4 s4 s32", f"{_MMA} shape=m16n8k32|m16n8k64 row col satfinite?", "d a b c", "matrix_product", "integer",
        "matrix_s4_{shape}", "matrix_int4 matrix_tall"),
    Row("mma", "s32 s4 u4|s4 s32", f"{_MMA} shape=m8n8k32 row col satfinite?", "d a b c", "matrix_product", "integer", "matrix_s4_{shape}",
        "matrix_int4"),
    Row("mma", "s32 s4 u4|s4 s32", f"{_MMA} shape=m16n8k32|m16n8k64 row col satfinite?", "d a b c", "matrix_product", "integer",
        "matrix_s4_{shape}", "matrix_int4 matrix_tall"),
    Row("mma", "s32 b1 b1 s32", f"{_MMA} shape=m8n8k128 row col op=xor popc", "d a b c", "matrix_product", "bits_xor", "matrix_xor_{shape}",
        "matrix_bits"),
    Row("mma", "s32 b1 b1 s32", f"{_MMA} shape=m16n8k128|m16n8k256 row col op=xor popc", "d a b c", "matrix_product", "bits_xor",
        "matrix_xor_{shape}", "matrix_bits matrix_tall"),
    Row("mma", "s32 b1 b1 s32", f"{_MMA} shape=m8n8k128 row col op=and popc", "d a b c", "matrix_product", "bits_and", "matrix_and_{shape}",
        "matrix_bits_and"),
    Row("mma", "s32 b1 b1 s32", f"{_MMA} shape=m16n8k128|m16n8k256 row col op=and popc", "d a b c", "matrix_product", "bits_and",
        "matrix_and_{shape}", "matrix_bits_and matrix_tall"),
    # fragments of a, b, c, d are opaque; class: that of one of the products that it is made of
    # products of four warps
    Row("wgmma", "", f"fence {_MMA}", "", "group_of_products", "fence", "warpgroup_fence", "matrix_warpgroup"),
    Row("wgmma", "", f"commit_group {_MMA}", "", "group_of_products", "commit", "warpgroup_wait", "matrix_warpgroup"),
    Row("wgmma", "", f"wait_group {_MMA}", "n:u32", "group_of_products", "wait", "warpgroup_wait", "matrix_warpgroup"),
    Row("wgmma", "f16|f32 f16 f16", f"mma_async {_MMA} {_group_shapes(16)}", "d a b p:pred n n n? n?", "group_product", "f16", "warpgroup_f16",
        "matrix_warpgroup"),
    Row("wgmma", "f32 bf16 bf16", f"mma_async {_MMA} {_group_shapes(16)}", "d a b p:pred n n n? n?", "group_product", "bf16", "warpgroup_f16",
        "matrix_warpgroup matrix_bf16"),
    Row("wgmma", "f32 tf32 tf32", f"mma_async {_MMA} {_group_shapes(8)}", "d a b p:pred n n", "group_product", "tf32", "warpgroup_tf32",
        "matrix_warpgroup matrix_tf32"),
    Row("wgmma", "s32 u8|s8 u8|s8", f"mma_async {_MMA} {_group_shapes(32, True)} satfinite?", "d a b p:pred", "group_product", "integer",
        "warpgroup_int8", "matrix_warpgroup matrix_int8"),
    Row("wgmma", "f16|f32 e4m3|e5m2 e4m3|e5m2", f"mma_async {_MMA} {_group_shapes(32)}", "d a b p:pred n n", "group_product", "{type2}",
        "warpgroup_fp8", "matrix_warpgroup matrix_fp8"),
    Row("wmma", "f16", f"load part=a|b|c {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix"),
    Row("wmma", "f32", f"load part=c {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix"),
    Row("wmma", "f16|f32", f"store part=d {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "a d n:u32?", "wmma_store", "", "", "matrix"),
    Row("wmma", "f16|f32 f16|f32", f"mma {_WMMA} {_LAYOUTS} {_LARGE}", "d a b c", "wmma_product", "f16", "matrix_f16_m16n8k16", "matrix"),
    Row("wmma", "bf16", f"load part=a|b {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_bf16"),
    Row("wmma", "f32 bf16 bf16 f32", f"mma {_WMMA} {_LAYOUTS} {_LARGE}", "d a b c", "wmma_product", "bf16", "matrix_f16_m16n8k16",
        "matrix_bf16"),
    Row("wmma", "u8|s8", f"load part=a|b {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_int8"),
    Row("wmma", "s32", f"load part=c {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_int8"),
    Row("wmma", "s32", f"store part=d {_WMMA} {_LAYOUT} {_LARGE} {_TILE}", "a d n:u32?", "wmma_store", "", "", "matrix_int8"),
    Row("wmma", "s32 u8 u8 s32", f"mma {_WMMA} {_LAYOUTS} {_LARGE} satfinite?", "d a b c", "wmma_product", "integer",
        "matrix_int8_m16n8k16", "matrix_int8"),
    Row("wmma", "s32 s8 s8 s32", f"mma {_WMMA} {_LAYOUTS} {_LARGE} satfinite?", "d a b c", "wmma_product", "integer",
        "matrix_int8_m16n8k16", "matrix_int8"),
    Row("wmma", "tf32", f"load part=a|b {_WMMA} {_LAYOUT} shape=m16n16k8 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_tf32"),
    Row("wmma", "f32", f"load part=c {_WMMA} {_LAYOUT} shape=m16n16k8 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_tf32"),
    Row("wmma", "f32", f"store part=d {_WMMA} {_LAYOUT} shape=m16n16k8 {_TILE}", "a d n:u32?", "wmma_store", "", "", "matrix_tf32"),
    Row("wmma", "f32 tf32 tf32 f32", f"mma {_WMMA} {_LAYOUTS} shape=m16n16k8", "d a b c", "wmma_product", "tf32", "matrix_tf32_m16n8k4",
        "matrix_tf32"),
    Row("wmma", "f64", f"load part=a|b|c {_WMMA} {_LAYOUT} shape=m8n8k4 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_f64"),
    Row("wmma", "f64", f"store part=d {_WMMA} {_LAYOUT} shape=m8n8k4 {_TILE}", "a d n:u32?", "wmma_store", "", "", "matrix_f64"),
    Row("wmma", "f64 f64 f64 f64", f"mma {_WMMA} {_LAYOUTS} shape=m8n8k4 {_ROUND}?", "d a b c", "wmma_product", "f64", "matrix_f64_m8n8k4",
        "matrix_f64"),
    Row("wmma", "u4|s4", f"load part=a {_WMMA} layout=row shape=m8n8k32 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_int4"),
    Row("wmma", "u4|s4", f"load part=b {_WMMA} layout=col shape=m8n8k32 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_int4"),
    Row("wmma", "s32", f"load part=c {_WMMA} {_LAYOUT} shape=m8n8k32 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_int4"),
    Row("wmma", "s32", f"store part=d {_WMMA} {_LAYOUT} shape=m8n8k32 {_TILE}", "a d n:u32?", "wmma_store", "", "", "matrix_int4"),
    Row("wmma", "s32 u4 u4 s32", f"mma {_WMMA} row col shape=m8n8k32 satfinite?", "d a b c", "wmma_product", "integer", "matrix_u4_{shape}",
        "matrix_int4"),
    Row("wmma", "s32 s4 s4 s32", f"mma {_WMMA} row col shape=m8n8k32 satfinite?", "d a b c", "wmma_product", "integer", "matrix_s4_{shape}",
        "matrix_int4"),
    Row("wmma", "b1", f"load part=a {_WMMA} layout=row shape=m8n8k128 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_bits"),
    Row("wmma", "b1", f"load part=b {_WMMA} layout=col shape=m8n8k128 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_bits"),
    Row("wmma", "s32", f"load part=c {_WMMA} {_LAYOUT} shape=m8n8k128 {_TILE}", "d a n:u32?", "wmma_load", "", "", "matrix_bits"),
    Row("wmma", "s32", f"store part=d {_WMMA} {_LAYOUT} shape=m8n8k128 {_TILE}", "a d n:u32?", "wmma_store", "", "", "matrix_bits"),
    Row("wmma", "s32 b1 b1 s32", f"mma op=xor popc {_WMMA} row col shape=m8n8k128", "d a b c", "wmma_product", "bits_xor",
        "matrix_xor_{shape}", "matrix_bits"),
    Row("wmma", "s32 b1 b1 s32", f"mma op=and popc {_WMMA} row col shape=m8n8k128", "d a b c", "wmma_product", "bits_and",
        "matrix_and_{shape}", "matrix_bits_and"),
    # --------------------------------------------------------------------------------------------- textures and surfaces
    # operands are those inside the brackets one after the other; what follows them (level, gradients) is optional
    Row("tex", "f32|u32|s32 f32", f"mip=base|level|grad? {_GEOMETRY} vec=v4", "d a b c? e? f? g? h?", "texture", "", "load_texture",
        "texture"),
    Row("tex", "f32|u32|s32 s32", "mip=base|level? geometry=1d|2d|3d|a1d|a2d vec=v4", "d a b c? e? f? g?", "texture", "", "load_texture",
        "texture"),
    Row("tld4", "f32|u32|s32 f32", "component=r|g|b|a geometry=2d|a2d|cube|acube vec=v4", "d a b c? e? f?", "texture_gather", "", "load_texture",
        "texture_gather"),
    Row("txq", "b32", "query=width|height|depth|array_size|channel_data_type|channel_order|normalized_coords|"
        "num_mipmap_levels|num_samples|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|force_unnormalized_coords", "d a", "texture_query",
        "", "load_texture", "texture"),
    Row("txq", "b32", "level query=width|height|depth", "d a b", "texture_query", "", "load_texture", "texture"),
    Row("suq", "b32", "query=width|height|depth|array_size|channel_data_type|channel_order|memory_layout", "d a", "texture_query", "surface",
        "load_surface", "surface"),
    Row("suld", "b8|b16|b32|b64", f"raw=b {_SURFACE_LOAD} vec=v2|v4?", "d a b", "surface_load", "", "load_surface", "surface"),
    Row("sust", "b8|b16|b32|b64", f"raw=b {_SURFACE_STORE} vec=v2|v4?", "a b d", "surface_store", "", "store_surface", "surface"),
    Row("sust", "b32", f"formatted=p {_SURFACE_STORE} vec=v2|v4?", "a b d", "surface_formatted", "", "store_surface", "surface"),
    Row("sured", "u32|s32|u64", f"raw=b op=add {_SURFACE_RED}", "a b d", "surface_reduce", "add_{b}", "store_surface", "surface"),
    Row("sured", "u32|s32|u64|s64", f"raw=b op=min|max {_SURFACE_RED}", "a b d", "surface_reduce", "{op}_{type}", "store_surface", "surface"),
    Row("sured", "b32", f"raw=b op=and|or {_SURFACE_RED}", "a b d", "surface_reduce", "{op}_b32", "store_surface", "surface"),
    Row("sured", "b32", f"raw=p op=add|and|or {_SURFACE_RED}", "a b d", "surface_reduce", "{op}_{b}", "store_surface", "surface"),
    Row("sured", "b32|b64", f"raw=p extreme=min|max {_SURFACE_RED}", "a b d", "surface_reduce", "{extreme}_u{bits}", "store_surface", "surface"),
    Row("istypep", "", "kind=texref|surfref|samplerref", "p a", "kind_test", "", "load_texture", "texture"),
)


def _by_opcode() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in TABLE:
        found.setdefault(row.opcode, []).append(row)
    return found


ROWS: dict[str, list[Row]] = _by_opcode()
"""Opcode → its rows."""
_MATCHES: dict[tuple[str, tuple[str, ...]], Match] = {}


def find(opcode: str, modifiers: tuple[str, ...]) -> Match | None:
    """Match an opcode and its dotted words, types among them; None if no row takes them."""
    key = opcode, modifiers
    if key in _MATCHES:
        return _MATCHES[key]
    types = tuple(m for m in modifiers if m in TYPES)
    others = tuple(m for m in modifiers if m not in TYPES)
    for row in ROWS.get(opcode, ()):
        bound = row.bind(others, types)
        if bound is not None:
            names = _names(types, bound)
            names["slot"] = "b64" if names.get("w") else "b32"
            operation, _, times = row.operation.format_map(names).partition("*")
            listed = row.operand_list
            match = _MATCHES[key] = Match(row, names, row.fn.format_map(names), operation, int(times or 1),
                                          tuple(row.features.split()),
                                          tuple((o.letter, o.type.format_map(names)) for o in listed),
                                          sum(not o.optional for o in listed))
            return match
    return None


def match(instruction: Instruction, module: Module) -> Match:
    """Match an instruction, or say which known form comes nearest."""
    found = find(instruction.opcode, instruction.modifiers)
    if found is None:
        raise unsupported(instruction, module, _advice(instruction))
    return found


def source(where: Where) -> str:
    """Give the source line in words that follow a message, nothing if it is not known."""
    return f" (from {where.file}:{where.source_line})" if where.file and where.source_line else ""


def unsupported(instruction: Instruction, module: Module, why: str = "") -> UnsupportedInstruction:
    """Make the error for an instruction that cannot be executed."""
    written = ".".join((instruction.opcode, *instruction.modifiers))
    return UnsupportedInstruction(f"`{written}` is not supported{source(instruction.where)}{why}", **place(instruction, module))


def place(instruction: Instruction, module: Module) -> dict[str, Any]:
    """Say where an instruction stands, in the terms of `PtxError`."""
    where = instruction.where
    text = module.lines[where.line - 1] if 0 < where.line <= len(module.lines) else instruction.text
    file, line = module.place(where.line)
    return {"file": file, "line": line, "column": where.column, "text": text}


REFUSED = {
    "tile::gather4": "rows gathered by index came with Blackwell; machines here have tiles and pixels (im2col)",
    "tile::scatter4": "rows scattered by index came with Blackwell; machines here have tiles and pixels (im2col)",
    "im2col::w": "this kind of pixels came with Blackwell; machines here have im2col",
    "im2col::w::128": "this kind of pixels came with Blackwell; machines here have im2col",
    "cta_group::1": "pairs of blocks came with Blackwell",
    "cta_group::2": "pairs of blocks came with Blackwell",
}
"""Modifier → why no form with it is known."""


def _advice(instruction: Instruction) -> str:
    for modifier in instruction.modifiers:
        if modifier in REFUSED:
            return f": {REFUSED[modifier]}"
    rows = ROWS.get(instruction.opcode)
    if rows is None:
        return nearest(instruction.opcode, ROWS)

    def distance(row: Row) -> int:
        known = {spelled for group in row.groups for spelled in group.meanings}
        others = [m for m in instruction.modifiers if m not in TYPES]
        fits = len(instruction.types) == len(row.type_sets) and all(
            t in s for t, s in zip(instruction.types, row.type_sets))
        return sum(m not in known for m in others) + (0 if fits else 2)

    return f"; the nearest form known is `{min(rows, key=distance).form}`"
