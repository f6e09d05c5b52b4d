"""Hand-made micro-op programs for engine tests: what lowering would give, without lowering."""
from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from archdef.engine import lanes
from archdef.lower.encoding import CONSTANT_ROW, MICRO_OP, NO_ROW, SPECIAL_ROW, ConstantKind, Kind, SpecialRegister

ALU = {name: i for i, name in enumerate(lanes.alu_names())}
COMPARE = {name: i for i, name in enumerate(lanes.compare_names())}
ATOMIC = {name: i for i, name in enumerate(lanes.atomic_names())}


class Assembler:
    """Collects micro-ops, constants and special rows; `program()` packs them. Every op is one statement."""

    def __init__(self, unit: int = 0, latency: int = 10, interval: int = 1):
        self.ops, self.constants, self.specials, self.labels = [], [], [], {}
        self.rows, self.predicates, self.targets = 0, 2, []
        self.defaults = dict(unit=unit, latency=latency, interval=interval)

    def row(self) -> int:
        self.rows += 1
        return self.rows - 1

    def pair(self) -> int:
        """Two adjacent rows, the first even: a 64-bit value."""
        self.rows += self.rows % 2 + 2
        return self.rows - 2

    def predicate(self) -> int:
        """A predicate as a source (not negated)."""
        self.predicates += 1
        return 2 * (self.predicates - 1)

    def constant(self, value: int, width: int = 4, kind: int = ConstantKind.IMMEDIATE) -> int:
        if width == 8 and len(self.constants) % 2:
            self.constants.append((ConstantKind.IMMEDIATE, 4, 0))     # a 64-bit value begins in an even row
        self.constants.append((kind, width, value % 2**64))
        if width == 8:
            self.constants.append((kind, 0, 0))
        return -1 - (len(self.constants) - (2 if width == 8 else 1))

    def parameter(self, offset: int, width: int = 8) -> int:
        return self.constant(offset, width, ConstantKind.PARAMETER)

    def special(self, which: SpecialRegister) -> int:
        row = self.row()
        self.specials.append((which, row))
        return row

    def wide(self, value: int) -> int:
        return self.constant(value, 8)

    def label(self, name: str) -> None:
        self.labels[name] = len(self.ops)

    def op(self, kind: Kind, *, d=(), s=(), **fields) -> int:
        """Append an op; `target` and `reconverge` may be label names."""
        made = dict(self.defaults, kind=kind, issues=1, width=4, element=4, vec=1, reconverge=-1) | fields
        made["d"] = [*d, *[NO_ROW] * 4][:4]
        made["s"] = [*s, *[NO_ROW] * 5][:5]
        if "guard_predicate" in fields:
            made["guard"] = 1
        self.ops.append(made)
        return len(self.ops) - 1

    def alu(self, name: str, d: int, *s: int, width: int = 4, **fields) -> int:
        return self.op(Kind.ALU, fn=ALU[name], d=(d,), s=s, width=width, **fields)

    def setp(self, name: str, p: int, a: int, b: int, **fields) -> int:
        return self.op(Kind.SETP, fn=COMPARE[name], d=(p >> 1, -1), s=(a, b), **fields)

    def exit(self, **fields) -> int:
        return self.op(Kind.EXIT, **fields)

    def program(self, *, shared_bytes: int = 0, local_bytes: int = 0) -> SimpleNamespace:
        ops = np.zeros(len(self.ops), MICRO_OP)
        for i, made in enumerate(self.ops):
            for name, value in made.items():
                ops[i][name] = self.labels[value] if isinstance(value, str) else value
            ops[i]["statement"] = i
        return SimpleNamespace(
            entry="hand", ops=ops, targets=np.array([self.labels[t] for t in self.targets], np.int32),
            operands=np.zeros(0, np.int32), constants=np.array(self.constants, CONSTANT_ROW), specials=np.array(self.specials, SPECIAL_ROW), rows=self.rows,
            predicates=self.predicates, shared_bytes=shared_bytes, local_bytes=local_bytes,
            statements=tuple(f"op {i}" for i in range(len(self.ops))))
