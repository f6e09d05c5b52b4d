from enum import IntEnum

MAX_UNITS: int
MAX_SCHEDULERS: int
SCHEDULER_WARPS: int

class SchedulerPolicy(IntEnum):
    SCH_ROUND_ROBIN = 0
    SCH_GREEDY_OLDEST = 1
    SCH_OLDEST = 2
    SCH_TWO_LEVEL = 3
    SCH_WEIGHTED = 4
    SCH_GREEDY_ROUND_ROBIN = 5
    SCH_ASKED = 6

class CoalescingRule(IntEnum):
    CO_STRICT = 0
    CO_SHRINKING = 1
    CO_LINES = 2

class SumRule(IntEnum):
    SUM_NONE = 0
    SUM_ALIGNED = 1
    SUM_CHAINED = 2
    SUM_PAIRED = 3
