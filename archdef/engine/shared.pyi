from collections.abc import Sequence
from typing import Any

MAX_BANKS: int
MAX_WORDS: int

def passes(
    banks: dict[str, Any], addresses: Sequence[int], word_bytes: int, mask: int | None = None, load: bool = True,
) -> tuple[int, int]: ...
