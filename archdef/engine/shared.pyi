from collections.abc import Sequence
from typing import Any

MAX_BANKS: int

def passes(
    banks: dict[str, Any], addresses: Sequence[int], word_bytes: int, mask: int | None = None,
) -> tuple[int, int]: ...
