from enum import IntEnum

class PolicyKind(IntEnum):
    PK_SCHEDULER = 0
    PK_PARTITION = 1
    PK_BANKS = 2
    PK_COALESCING = 3
    PK_REPLACEMENT = 4
    PK_DISPATCH = 5
    PK_BRANCH = 6
    PK_THROTTLE = 7
    PK_ADMISSION = 8
    PK_PREFETCHER = 9
    PK_VICTIM_CACHE = 10
    PK_DRAM = 16
    PK_PLACEMENT = 17
    PK_TOPOLOGY = 18

def sizes() -> dict[PolicyKind, tuple[int, int]]: ...
