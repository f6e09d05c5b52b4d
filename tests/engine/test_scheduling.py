"""Which warp does each scheduling policy pick?"""
from archdef.engine import schedule
from archdef.engine.machine import SchedulerPolicy as P


def pick(policy, candidates, **state):
    tables = {k: state.pop(k) for k in ("policy_a", "policy_b", "shared_units") if k in state}
    return schedule.pick(tables, policy, candidates, **state)


def test_round_robin_takes_the_next_candidate_after_the_last_and_wraps():
    assert pick(P.SCH_ROUND_ROBIN, 0b10101, last=-1) == 0
    assert pick(P.SCH_ROUND_ROBIN, 0b10101, last=0) == 2
    assert pick(P.SCH_ROUND_ROBIN, 0b10101, last=2) == 4
    assert pick(P.SCH_ROUND_ROBIN, 0b10101, last=4) == 0
    assert pick(P.SCH_ROUND_ROBIN, 1 << 63, last=63) == 63


def test_greedy_stays_with_its_warp_then_takes_the_oldest():
    order = [5, 4, 3, 2, 1, 0]
    assert pick(P.SCH_GREEDY_OLDEST, 0b111, last=1, order=order) == 1
    assert pick(P.SCH_GREEDY_OLDEST, 0b101, last=1, order=order) == 2


def test_greedy_stays_with_its_warp_then_goes_round_downwards():
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b111, last=1) == 1
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b11101, last=1) == 0
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b11100, last=1) == 4
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 1 << 63 | 1, last=0) == 0
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 1 << 63 | 2, last=0) == 63
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b110, last=-1) == 2


def test_greedy_round_robin_serves_those_first_who_wait_for_what_schedulers_share():
    shared = dict(shared_units=0b10, memory=0b110)
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b1111, last=0, issued_at=[9, 8, 7, 0], **shared) == 2
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b1001, last=0, issued_at=[9, 8, 7, 0], **shared) == 0


def test_the_oldest_block_comes_first_once_a_warp_stalls():
    blocks = dict(policy_a=1, blocks=[0b0110, 0b1001])
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b1111, last=3, **blocks) == 3
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b0111, last=3, **blocks) == 2
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b0001, last=3, **blocks) == 0


def test_of_those_who_wait_for_what_schedulers_share_the_oldest_block_comes_first():
    state = dict(policy_a=1, blocks=[0b1000, 0b0111], shared_units=0b10, memory=0b1111, issued_at=[1, 2, 3, 9])
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b1111, **state) == 3
    assert pick(P.SCH_GREEDY_ROUND_ROBIN, 0b0111, **state) == 0      # of one block the longest waiting


def test_oldest_ignores_who_issued_last():
    assert pick(P.SCH_OLDEST, 0b111, last=2, order=[9, 1, 5]) == 1


def test_two_level_keeps_to_its_set_until_it_runs_dry():
    first = pick(P.SCH_TWO_LEVEL, 0b11110000, policy_a=2)
    assert first == 4


def test_weighted_prefers_memory_then_long_waiters():
    weights = dict(policy_a=16, policy_b=1, cycle=100)
    assert pick(P.SCH_WEIGHTED, 0b11, memory=0b10, issued_at=[95, 99], **weights) == 1
    assert pick(P.SCH_WEIGHTED, 0b11, memory=0b10, issued_at=[50, 99], **weights) == 0
