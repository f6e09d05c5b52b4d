"""Things of a program that graphs need until they are given up, such as arguments of host nodes: CUDA's user objects."""
from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import attrs

from archdef.host import Executable, Graph
from archdef.runtime.status import Refusal

Holder: TypeAlias = Graph | Executable


@attrs.define(eq=False)
class UserObject:
    """One, which the program wants to hear of when nobody needs it."""

    address: int
    destructor: int
    """Address of the program's function that is called with it then."""
    references: int


class UserObjects:
    """Which graphs hold which."""

    def __init__(self) -> None:
        self._held: dict[Holder, Counter[UserObject]] = {}

    def hold(self, holder: Holder, thing: UserObject, count: int, moved: bool) -> None:
        """Let a graph have references: of the program's own, which are moved, or more."""
        if not moved:
            thing.references += count
        self._held.setdefault(holder, Counter())[thing] += count

    def give_up(self, holder: Holder, thing: UserObject, count: int) -> None:
        """Take references of a graph away. Raises Refusal if it has fewer."""
        if self._held.get(holder, Counter())[thing] < count:
            raise Refusal("InvalidValue", f"a graph that has {self._held.get(holder, Counter())[thing]} references cannot give up {count}")
        self._held[holder][thing] -= count
        if not self._held[holder][thing]:
            del self._held[holder][thing]       # or `drop` would give it once more
        thing.references -= count

    def holds(self, holder: Holder) -> bool:
        """Say whether a graph holds any."""
        return bool(self._held.get(holder))

    def share(self, holder: Holder, other: Holder) -> None:
        """Let another graph hold all that one holds."""
        for thing, count in list(self._held.get(holder, Counter()).items()):
            self.hold(other, thing, count, moved=False)

    def replace(self, holder: Holder, other: Holder) -> list[UserObject]:
        """Let an executable graph hold what a graph holds, and nothing else; gives what nobody needs any more."""
        before = self._held.pop(holder, Counter())
        self.share(other, holder)
        return self._given_up(before)

    def drop(self, holder: Holder) -> list[UserObject]:
        """Forget a graph; gives what nobody needs any more."""
        return self._given_up(self._held.pop(holder, Counter()))

    @staticmethod
    def _given_up(held: Counter[UserObject]) -> list[UserObject]:
        for thing, count in held.items():
            thing.references -= count
        return [thing for thing in held if not thing.references]
