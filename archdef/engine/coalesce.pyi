from collections.abc import Sequence
from typing import Any

MAX_TRANSACTIONS: int

def transactions(
    rule: dict[str, Any], addresses: Sequence[int], word_bytes: int, mask: int | None = None,
) -> list[tuple[int, int, int]]: ...
