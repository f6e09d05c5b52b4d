from collections.abc import Sequence
from typing import Any

def pick(
    machine: dict[str, Any], policy: int, candidates: int, cycle: int = 0, *, last: int = -1, memory: int = 0,
    order: Sequence[int] = (), issued_at: Sequence[int] = (), blocks: Sequence[int] = (),
) -> int: ...
