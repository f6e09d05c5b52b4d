from enum import IntEnum

class Stall(IntEnum):
    ST_SELECTED = 0
    ST_ALU_DEPENDENCY = 1
    ST_MEMORY_DEPENDENCY = 2
    ST_SHARED_DEPENDENCY = 3
    ST_CONSTANT_DEPENDENCY = 4
    ST_BARRIER = 5
    ST_BRANCH = 6
    ST_PIPE_BUSY = 7
    ST_MEMORY_THROTTLE = 8
    ST_NOT_SELECTED = 9
    ST_LAUNCH = 10
    ST_FETCH = 11
    ST_REGISTERS = 12
    STALLS = 13

class LanePart(IntEnum):
    LN_FIRST = 0
    LN_SECOND = 1
    LN_STALLED = 2
    LN_ABSENT = 3
    LANE_PARTS = 4
