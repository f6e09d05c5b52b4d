"""Code for warps of 32 lanes on a machine whose warps have more.

Whoever divides the index of a thread by 32 means warps. Where a warp has 64 lanes, two such groups share one: branches that were to send whole warps one way
split them, and of blocks of 32 threads half of the lanes do not exist. The launch runs again on a machine with as many lanes a cycle whose warps have 32 lanes:
what is then gained is what the assumption costs, and about what code for the warps that there are gains.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from archdef.advice.finding import Finding, Rule, Supposed
from archdef.formatting import count, percent

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run
    from archdef.spec import Architecture

NAME: Final = "assumes-32-lanes"
LANES: Final = 32
"""What is assumed."""
OFTEN: Final = 0.25
"""Part of a branch's executions that must split warps, for it to be looked at."""
_REGISTER: Final = re.compile(r"%\w+")
_GUARD: Final = re.compile(r"^@!?(%\w+)\s+")
_INDEX: Final = re.compile(r"mov\.[usb]32\s+(%\w+),\s*%tid\.x\b")
_BY_32: Final = re.compile(r"(?:(?:shr|bfe)\.[usb]32\s+%\w+,\s*%\w+,\s*5\b|and\.b32\s+%\w+,\s*%\w+,\s*(?:31|32|-32|96|992)\b"
                           r"|setp\.\w+\.[us]32\s+%\w+,\s*%\w+,\s*(?:31|32)\b)")
"""What divides an index by 32: a shift, a mask, a comparison."""
_SIGN: Final = re.compile(r"shr\.s32\s+%\w+,\s*%\w+,\s*31\b")
_ROUNDING: Final = re.compile(r"shr\.u32\s+%\w+,\s*%\w+,\s*27\b")


def find(run: Run) -> Iterator[Finding]:
    """Find blocks of 32 threads, and branches on an index over 32 that split warps."""
    machine, threads = run.architecture, run.block[0] * run.block[1] * run.block[2]
    size, words = machine.warp.size, machine.words
    if size <= LANES:
        return
    supposed = Supposed(f"{words.warp}s had {LANES} lanes, twice as many of them", architecture=_narrow(machine), certain=False)
    if threads <= LANES:
        yield Finding(NAME, supposed, {"threads_of_a_block": threads, "lanes_of_a_warp": size},
                      f"{words.block}s have {threads} threads, a {words.warp} has {size} lanes: {percent(100 * (1 - threads / size))} of them do not exist",
                      f"give a {words.block} {size} threads or a multiple; take the size from warpSize instead of writing {LANES}")
        return
    line = _split_by_32(run)
    if line is not None:
        c = line.counters
        yield Finding(NAME, supposed, {"divergent_branches": c.divergent_branches, "branches": c.branches, "lanes_of_a_warp": size},
                      f"{count(c.divergent_branches)} of {count(c.branches)} branches on an index over {LANES} split {words.warp}s of {size} lanes",
                      f"divide by {size}, or by warpSize, instead of {LANES}, in all that is done for each {words.warp}", line)


def _split_by_32(run: Run) -> Cost | None:
    """Give the line whose branch splits warps most often, of those that depend on an index over 32."""
    derived = _derived(run)
    wanted = set()
    for statement, cost in zip(run.program.statements, run.statements, strict=True):
        guard = _GUARD.match(statement.text)
        if guard and guard[1] in derived and cost.counters.divergent_branches > OFTEN * max(1, cost.counters.branches):
            wanted.add(run.place(statement))
    lines = [line for line in run.lines if (line.file, line.line) in wanted]
    return max(lines, key=lambda line: line.counters.divergent_branches, default=None)


def _derived(run: Run) -> set[str]:
    """Registers that are made of nothing but a thread's index over 32, the index, and constants."""
    index: set[str] = set()
    rounding: set[str] = set()      # what compilers add before they shift a signed index, nothing as it is not negative
    constant: set[str] = set()
    derived: set[str] = set()
    for statement in run.program.statements:
        text = statement.text
        by_32 = _BY_32.match(text)
        to, *sources = _REGISTER.findall(text) or [""]
        if _INDEX.match(text):
            index.add(to)
        elif by_32 is not None and sources[0] in index:
            derived.add(to)
        elif (_SIGN.match(text) and sources[0] in index) or (_ROUNDING.match(text) and sources[0] in rounding):
            rounding.add(to)
        elif text.startswith("add.") and set(sources) <= index | rounding and index & set(sources):
            index.add(to)
        elif not text.startswith(("@", "ld", "st", "atom")):
            if not sources and text.startswith("mov."):
                constant.add(to)
            elif derived & set(sources) and set(sources) <= derived | index | constant:
                derived.add(to)
    return derived


def _narrow(machine: Architecture) -> Architecture:
    """Give the machine with warps of 32 lanes, more often, and more of them."""
    by, schedulers = machine.warp.size // LANES, machine.schedulers
    return machine.evolve({"warp.size": LANES, "limits.warps_per_multiprocessor": machine.limits.warps_per_multiprocessor * by,
                           "schedulers.issue_interval_cycles": max(1, schedulers.issue_interval_cycles // by),
                           "schedulers.instruction_gap_cycles": max(1, schedulers.instruction_gap_cycles // by)})


RULE: Final = Rule(NAME, "Code for warps of 32 lanes where warps have more.", find)
