"""Source lines of two runs, aligned: which are the same, changed, moved, added and removed, and what each cost before and after."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import attrs

from archdef.baseline.saved import PlainRun

PlainLine: TypeAlias = Mapping[str, Any]
_ALIKE = 0.6
"""Two lines of which less is in common (`difflib`'s ratio) are another line each, not one that was changed."""


@attrs.frozen
class LineChange:
    """What became of one source line."""

    kind: str
    """``same``, ``changed``: another text; ``moved``: the same text elsewhere among the others; ``added``; ``removed``."""
    before: PlainLine | None
    """As `Run.to_dict` has it under ``lines``; None: it was not there."""
    after: PlainLine | None
    """None: it is there no more."""

    @property
    def cycles(self) -> tuple[int, int]:
        """Warp cycles spent on it, before and after."""
        return _cycles(self.before), _cycles(self.after)

    @property
    def change(self) -> int:
        """Warp cycles more than before."""
        before, after = self.cycles
        return after - before

    @property
    def causes(self) -> dict[str, int]:
        """Cause → warp cycles more than before, the greatest change first; ``selected`` is issuing."""
        before, after = (line.get("stalls", {}) if line is not None else {} for line in (self.before, self.after))
        changes = {cause: after.get(cause, 0) - before.get(cause, 0) for cause in dict.fromkeys([*before, *after])}
        return dict(sorted(((cause, change) for cause, change in changes.items() if change), key=lambda one: -abs(one[1])))

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        sides = {side: None if line is None else {"file": line["file"], "line": line["line"], "text": line["text"], "warp_cycles": line["warp_cycles"],
                                                  "instructions": line.get("instructions")}
                 for side, line in (("before", self.before), ("after", self.after))}
        return {"kind": self.kind, **sides, "change": self.change, "causes": self.causes}


def _cycles(line: PlainLine | None) -> int:
    return 0 if line is None else int(line["warp_cycles"])


def aligned(before: PlainRun, after: PlainRun) -> tuple[LineChange, ...]:
    """Align the source lines of two runs, file by file; the greatest change of warp cycles comes first.

    Files of one name belong together, those that are left over in their order. Lines are aligned by their texts; where there is no text, by number.
    """
    old, new = _by_file(before), _by_file(after)
    pairs = [(name, name) for name in old if name in new]
    pairs += zip([name for name in old if name not in new], [name for name in new if name not in old], strict=False)
    known = {name for pair in pairs for name in pair}
    found = [change for one, other in pairs for change in _aligned(old[one], new[other])]
    found += [LineChange("removed", line, None) for name, lines in old.items() if name not in known for line in lines]
    found += [LineChange("added", None, line) for name, lines in new.items() if name not in known for line in lines]
    return tuple(sorted(found, key=lambda change: -abs(change.change)))


def _by_file(run: PlainRun) -> dict[str, list[PlainLine]]:
    files: dict[str, list[PlainLine]] = {}
    for line in sorted(run["lines"], key=lambda line: (line["file"], line["line"])):
        files.setdefault(line["file"], []).append(line)
    return files


def _key(line: PlainLine) -> str:
    """Give what a line is known by: its words; its number where it has none."""
    return " ".join(str(line["text"]).split()) or f"line {line['line']}"


def _aligned(old: Sequence[PlainLine], new: Sequence[PlainLine]) -> list[LineChange]:
    found: list[LineChange] = []
    removed: list[PlainLine] = []
    added: list[PlainLine] = []
    for tag, a, z, first, last in SequenceMatcher(None, list(map(_key, old)), list(map(_key, new)), autojunk=False).get_opcodes():
        if tag == "equal":
            found += [LineChange("same", one, other) for one, other in zip(old[a:z], new[first:last], strict=True)]
            continue
        changed = _changed(old[a:z], new[first:last])
        found += [LineChange("changed", one, other) for one, other in changed]
        removed += [line for line in old[a:z] if all(line is not one for one, _ in changed)]
        added += [line for line in new[first:last] if all(line is not other for _, other in changed)]
    for line in removed:
        elsewhere = next((other for other in added if _key(other) == _key(line)), None)
        if elsewhere is not None:
            added = [other for other in added if other is not elsewhere]
        found.append(LineChange("removed" if elsewhere is None else "moved", line, elsewhere))
    return found + [LineChange("added", None, line) for line in added]


def _changed(old: Sequence[PlainLine], new: Sequence[PlainLine]) -> list[tuple[PlainLine, PlainLine]]:
    """Pair lines of two stretches that have much in common, those that have most first; no pair crosses another."""
    alike = sorted(((-ratio, k, n) for k, line in enumerate(old) for n, other in enumerate(new) if (ratio := _ratio(_key(line), _key(other))) >= _ALIKE))
    taken: list[tuple[int, int]] = []
    for _, k, n in alike:
        if all((k < i and n < j) or (k > i and n > j) for i, j in taken):
            taken.append((k, n))
    return [(old[k], new[n]) for k, n in sorted(taken)]


def _ratio(one: str, other: str) -> float:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0
