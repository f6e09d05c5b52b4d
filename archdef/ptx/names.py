"""What a name means at a place: registers, variables, labels, and the scopes that hold them."""

from __future__ import annotations

import attrs

from .ir import Operand, Predicate, Register, Special, Symbol, Vector
from .scan import words

TYPES = words(
    "pred b1 u2 s2 b2 u4 s4 b4 u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 b128 u16x2 s16x2 u8x4 s8x4 b8x16"
    " f16 f16x2 bf16 bf16x2 tf32 f32 f32x2 f64 e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m1x2 e2m3x2 e3m2x2 ue8m0x2"
    " b6x16_p32 b4x16_p64"
)
"""Every PTX type, as a modifier of an instruction can name it."""
REGISTER_TYPES = words("pred b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 b64 u64 s64 f64 b128")
VARIABLE_TYPES = words("b8 u8 s8 b16 u16 s16 f16 b32 u32 s32 f32 b64 u64 s64 f64 b128")

_THREE_DIMENSIONAL = words("tid ntid ctaid nctaid clusterid nclusterid cluster_ctaid cluster_nctaid")
_SCALAR = words(
    "laneid warpid nwarpid smid nsmid gridid lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi"
    " clock64 globaltimer globaltimer_lo globaltimer_hi total_smem_size aggr_smem_size dynamic_smem_size"
    " is_explicit_cluster cluster_ctarank cluster_nctarank current_graph_exec reserved_smem_offset_begin"
    " reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0 reserved_smem_offset_1"
)
SPECIALS = frozenset(
    [
        "WARP_SZ",
        *(f"%{name}{part}" for name in _THREE_DIMENSIONAL for part in ("", ".x", ".y", ".z", ".w")),
        *(f"%{name}" for name in _SCALAR),
        *(f"%envreg{n}" for n in range(32)),
        *(f"%pm{n}{half}" for n in range(8) for half in ("", "_64")),
    ]
)
"""Names that PTX defines itself."""
SINK = Vector((None,))
"""The sink ``_`` where it stands alone: a value that nobody wants."""

_INDEX_DIGITS = 10
"""Most digits of a numbered register: ``%r<…>`` counts to 2**32 at most."""


@attrs.define(slots=True, eq=False)
class Scope:
    """The names declared between two braces; `tag` keeps a nested scope's names apart from every other scope's."""

    parent: Scope | None = None
    tag: str = ""
    depth: int = 0
    names: dict[str, Operand] = attrs.Factory(dict)
    """Declared name → operand that stands for it."""
    ranges: dict[str, tuple[int, str]] = attrs.Factory(dict)
    """``%r`` → count and type of ``%r<count>``."""
    labels: dict[str, str] = attrs.Factory(dict)
    """Label as written → its unique name."""
    seen: dict[str, Operand] = attrs.Factory(dict)
    """Operands by the token that means them here; forgotten when a declaration may change a meaning."""

    def declare_register(self, name: str, type: str) -> bool:
        """Add a register; False if the scope has the name already."""
        unique = name + self.tag
        return self._declare(name, Predicate(unique) if type == "pred" else Register(unique, type))

    def declare_variable(self, name: str) -> bool:
        """Add a variable or function; False if the scope has the name already."""
        return self._declare(name, Symbol(name + self.tag))

    def declare_range(self, prefix: str, count: int, type: str) -> bool:
        """Add ``prefix<count>``; False if the scope has that prefix already."""
        if prefix in self.ranges:
            return False
        self.ranges[prefix] = count, type
        self.seen.clear()
        return True

    def find(self, name: str) -> Operand | None:
        """Give the operand that a name stands for, looking outwards through the scopes; None if nothing declares it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name) or scope._numbered(name)
            if found is not None:
                return found
            scope = scope.parent
        return Special(name) if name in SPECIALS else None

    def label(self, name: str) -> str | None:
        """Give the unique name of a label that is visible here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None

    def known(self) -> list[str]:
        """List the names that are visible here, for ``did you mean``."""
        names, scope = [], self
        while scope is not None:
            names += scope.names
            scope = scope.parent
        return names

    def range_of(self, name: str) -> str | None:
        """Give the range ``%r<9>`` that `name` has the prefix of, whether or not the number is inside."""
        scope, prefix = self, name.rstrip("0123456789")
        while scope is not None:
            if prefix in scope.ranges:
                return f"{prefix}<{scope.ranges[prefix][0]}>"
            scope = scope.parent
        return None

    def _declare(self, name: str, operand: Operand) -> bool:
        if name in self.names:
            return False
        self.names[name] = operand
        self.seen.clear()
        return True

    def _numbered(self, name: str) -> Operand | None:
        # `%r15` may be number 15 of `%r` or number 5 of `%r1`: every split is tried.
        if not self.ranges:
            return None
        digits = min(len(name) - len(name.rstrip("0123456789")), _INDEX_DIGITS)
        for length in range(digits, 0, -1):
            prefix, index = name[:-length], name[-length:]
            if prefix in self.ranges and (index[0] != "0" or length == 1):
                count, type = self.ranges[prefix]
                if int(index) < count:
                    unique = name + self.tag
                    operand = Predicate(unique) if type == "pred" else Register(unique, type)
                    self.names[name] = operand
                    return operand
        return None
