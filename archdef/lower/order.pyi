from collections.abc import Mapping, Sequence

class Plan:
    def __init__(
        self, *, behind: Sequence[Mapping[int, bool]], missing: Sequence[int], latency: Sequence[int], slots: Sequence[int], unit: Sequence[int],
        held: Sequence[float], is_load: Sequence[bool], is_memory: Sequence[bool], written_words: Sequence[int], read: Sequence[Sequence[int]],
        written: Sequence[Sequence[int]], size: Sequence[int], left: Sequence[int], words: int, predicates: int, patience: int,
        operand_read_cycles: int, most_predicates: int) -> None: ...
    def order(self, most: int, ahead: int) -> tuple[list[int], float, bool]: ...
