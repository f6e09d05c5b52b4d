"""Every form of every row of the instruction table, as a small kernel with edge and random operands.

The forms come from the table itself, so a new row is tried by being there. How a form's kernel looks depends on the row's builder
(`archdef.testing.templates`); a builder without a template makes a form without a kernel, which tests report.
"""
from __future__ import annotations

import itertools
import random
import re
import zlib
from collections.abc import Iterator

import attrs

from archdef.ptx import table
from archdef.testing import templates, templates_async, templates_bulk, templates_images, templates_multicast  # noqa: F401  modules that register templates
from archdef.testing.compare import Launch

LIMIT = 64
"""Most combinations of a row that are all tried; of rows with more, every alternative and a sample."""
SAMPLE = {"atomic": 4, "load": 16, "store": 16, "multimem_load": 8, "multimem_store": 8, "multimem_reduce": 8, "set": 16, "compare": 48}
"""Size of that sample by builder, where it is not `LIMIT`: orderings and hints, which change no value, need few."""


UNCOMPARED = {
    r"(txq|suq)\.channel_(data_type|order)\.b32": "the numbers are an enumeration of the driver's: PTX does not say them",
    r"txq\.(filter_mode|addr_mode_[012]|force_unnormalized_coords)\.b32": "of a sampler: tests/texture/test_references.py",
    r"suq\.memory_layout\.b32": "tests/texture/test_references.py"}
"""Regular expression of the whole dotted form → why it cannot be compared with the reference."""


@attrs.frozen(eq=False)
class Form:
    """One spelling of a row."""

    row: table.Row
    modifiers: tuple[str, ...]
    types: tuple[str, ...]
    lanes: int = 32
    """Lanes of the warps that the kernel is for: beyond 32, lane masks are 64-bit registers."""

    @property
    def name(self) -> str:
        """The dotted opcode, as PTX writes it."""
        return ".".join((self.row.opcode, *self.modifiers, *self.types))

    @property
    def seed(self) -> int:
        """A number of its own, the same in every process."""
        return zlib.crc32(self.name.encode())

    @property
    def bound(self) -> dict[str, str]:
        """What the row's groups are bound to."""
        return self.row.bind(self.modifiers, self.types)

    @property
    def comparable(self) -> bool:
        """Whether the kernel has one right answer, and the reference knows it, in warps of this many lanes."""
        if any(re.fullmatch(pattern, self.name) for pattern in UNCOMPARED):
            return False
        if self.lanes > 32 and self.types == ("b32",) and self.row.builder in ("vote", "active_mask"):
            return False        # a mask of 32 bits cannot tell the lanes
        if self.lanes != 32 and "arrive" in self.modifiers and self.row.opcode != "mbarrier":
            return False        # a counted barrier counts whole warps: the kernel is written for 32 lanes
        return not (self.row.builder.startswith("shuffle") and templates.THREADS % self.lanes)     # what a lane reads that is not there

    @property
    def has_kernel(self) -> bool:
        """Whether `launch` makes one: a template fits the row's builder."""
        return self.row.builder in templates.TEMPLATES

    def launch(self) -> Launch | None:
        """Make the kernel; None if no template fits the row's builder."""
        template = templates.TEMPLATES.get(self.row.builder)
        return template(self) if template else None


def forms(rows=table.TABLE) -> Iterator[Form]:
    """Give the forms of rows, in the table's order, each once."""
    seen = set()
    for row in rows:
        for modifiers, types in _spellings(row):
            form = Form(row, modifiers, types)
            key = row.opcode, frozenset(modifiers), types
            if key not in seen and row.bind(modifiers, types) is not None and legal(form):
                seen.add(key)
                yield form


def _spellings(row: table.Row) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    types = [sorted(s) for s in row.type_sets]
    groups = [[*([""] if g.optional else []), *g.meanings] for g in row.groups]
    count = 1
    for choice in (*types, *groups):
        count *= len(choice)
    if count <= min(LIMIT, 4 * SAMPLE.get(row.builder, LIMIT)):
        for picked in itertools.product(*groups):
            for t in itertools.product(*types):
                yield tuple(filter(None, picked)), t
        return
    base = [g[0] for g in groups]
    for t in itertools.product(*types):
        yield tuple(filter(None, base)), t
    source = random.Random(zlib.crc32(row.form.encode()))
    for k, group in enumerate(groups):
        for word in group:
            picked = [*base[:k], word, *base[k + 1:]]
            yield tuple(filter(None, picked)), tuple(source.choice(t) for t in types)
    if row.opcode == "cvt":
        for t in itertools.product(*types):
            for picked in itertools.product(*groups):
                if source.random() < 0.7:
                    yield tuple(filter(None, picked)), t
    for _ in range(SAMPLE.get(row.builder, LIMIT)):
        yield tuple(filter(None, (source.choice(g) for g in groups))), tuple(source.choice(t) for t in types)


# -------------------------------------------------------------------------------------------------------- what PTX excludes
_WHOLE = {"rni", "rzi", "rmi", "rpi"}
_ROUND = {"rn", "rz", "rm", "rp"}
_EXACT = {"f16": ("f16", "f32", "f64"), "bf16": ("bf16", "f32", "f64"), "f32": ("f32", "f64"), "f64": ("f64",)}
"""Float types and those that hold all their numbers."""


def legal(form: Form) -> bool:
    """Leave out what the table's row allows but PTX does not, although each word is allowed by itself."""
    check = _RULES.get(form.row.opcode)
    return check is None or check(set(form.modifiers), form.types)


def _convert(words: set[str], types: tuple[str, ...]) -> bool:
    to, from_, *_ = types
    if words & {"pack", "relu", "satfinite"} or to in ("f16x2", "bf16x2", "tf32", "ue8m0x2"):
        return True                                          # rows of their own that say it all
    to_float, from_float = to in _EXACT, from_ in _EXACT
    if "ftz" in words and "f32" not in types or "sat" in words and "bf16" in types:
        return False
    if to_float and from_float:
        narrows = to not in _EXACT[from_]
        return bool(words & _ROUND) == narrows and not (words & _WHOLE and to != from_)
    if to_float:
        return bool(words & _ROUND) and not words & _WHOLE
    if from_float:
        return bool(words & _WHOLE) and not words & _ROUND
    return not words & (_WHOLE | _ROUND | {"ftz"})


def _access(words: set[str], types: tuple[str, ...]) -> bool:
    return not ("v4" in words and types[0].endswith("64"))


def _store(words: set[str], types: tuple[str, ...]) -> bool:
    return _access(words, types) and not words & {"const", "param", "param::entry", "param::func", "nc"}


def _load(words: set[str], types: tuple[str, ...]) -> bool:
    return _access(words, types) and "param::func" not in words


def _set(words: set[str], types: tuple[str, ...]) -> bool:
    if "ftz" in words and types[1] == "bf16":
        return False
    if types[1][0] == "s":
        return not words & {"lo", "ls", "hi", "hs"}
    return types[1][0] != "b" or bool(words & {"eq", "ne"})


def _atomic(words: set[str], types: tuple[str, ...]) -> bool:
    return "ftz" not in words  # whether an f32 addition flushes depends on the memory, not on a modifier


def _surface(words: set[str], types: tuple[str, ...]) -> bool:
    return not ("v4" in words and types[0] == "b64")


def _multicast(words: set[str], types: tuple[str, ...]) -> bool:
    return bool(words & {"relaxed", "acquire", "release"}) == bool(words & {"cta", "cluster", "gpu", "sys"})


_RULES = {"multimem": _multicast, "suld": _surface, "sust": _surface, "cvt": _convert, "ld": _load, "ldu": _access,
          "st": _store, "set": _set, "atom": _atomic, "red": _atomic}
