"""Parsing and lowering take steps in proportion to the length of a program, whatever its shape; programs too long for that are refused by counting."""
import itertools
import random
import sys
import tracemalloc
from types import SimpleNamespace

import pytest
from program_shapes import HEAD, SHAPES, kernel

from archdef import ArchdefError, Device, registry
from archdef.lower import Options, lower, target
from archdef.lower.allocate import coalesce
from archdef.lower.pipeline import changed
from archdef.lower.size import check_text
from archdef.lower.spill import Spills, _Counted, _Offers, _slots
from archdef.ptx import parse

SIZE = 80
"""Instructions of the shorter of two programs."""
MOST = 2.3
"""Times as many steps as a program takes one of twice its length may take."""
SPILLING = ("pressure", "wide_pressure")
"""Shapes that spill: values are chosen in rounds, of which there are more or fewer."""
EVERYWHERE = ("chain", "elses", "loops", "mixed", "pointers", "switches")
"""Shapes that are tried on machines of each kind; one machine switches on the most passes, and has all."""


def steps(text: str, architecture) -> int:
    """Count the lines, and the turns of loops within lines, that parsing and lowering execute."""
    count = 0

    def local(frame, event, argument):
        nonlocal count
        count += event == "line"
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, argument: local)
    try:
        lower(parse(text), "k", architecture)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("machine, shape", [*(("h100", shape) for shape in SHAPES if shape not in SPILLING),
                                            *((machine, shape) for machine in ("g80", "v100") for shape in EVERYWHERE)])
def test_twice_the_program_takes_about_twice_the_steps(machine, shape):
    architecture = registry.get(machine)
    lower(parse(SHAPES[shape](SIZE)), "k", architecture)        # what is found out once for all programs
    counts = [steps(SHAPES[shape](size), architecture) for size in (SIZE, 2 * SIZE, 4 * SIZE)]
    assert counts[2] - counts[1] <= MOST * (counts[1] - counts[0])
    assert counts[1] > counts[0]


@pytest.mark.parametrize("shape", SPILLING)
def test_spilling_looks_at_each_operation_about_as_often_however_long_the_program_is(shape, monkeypatch):
    architecture, visits = registry.get("k40"), []
    counted = _Counted.__attrs_post_init__

    def noted(self):
        visits.append(len(self.code.ops))
        counted(self)

    monkeypatch.setattr(_Counted, "__attrs_post_init__", noted)
    often = []
    for size in (1000, 2000):
        visits.clear()
        program = lower(parse(SHAPES[shape](size)), "k", architecture)
        assert program.spilled_registers
        often.append(sum(visits) / len(program.ops))
    assert often[1] < 1.5 * often[0]


def test_of_many_values_alive_at_once_several_are_chosen_at_a_time(monkeypatch):
    """Each look at the offers goes through all of them: one for each value that is taken would be quadratic."""
    looks, cheapest = [], _Offers.cheapest

    def noted(self):
        found = cheapest(self)
        looks.append(len(found))
        return found

    monkeypatch.setattr(_Offers, "cheapest", noted)
    counts = []
    for size in (2000, 4000):
        looks.clear()
        program = lower(parse(SHAPES["wide_pressure"](size)), "k", registry.get("k40"))
        assert program.spilled_registers
        counts.append((len(looks), sum(looks)))
    assert counts[1][1] > 1.9 * counts[0][1] and counts[1][0] < 1.7 * counts[0][0]


@pytest.mark.parametrize("seed", range(5))
def test_values_that_are_alive_together_have_slots_of_their_own(seed):
    rng = random.Random(seed)
    chosen, unit = {}, SimpleNamespace(widths={v: rng.choice((4, 8)) for v in range(300)})
    for v in range(300):
        edges = sorted(rng.sample(range(1000), 2 * rng.randint(1, 4)))
        chosen[v] = [range(a, b) for a, b in zip(edges[::2], edges[1::2])]
    spills = Spills(0)
    slots = _slots(chosen, unit, spills)
    alive = {v: {place for span in spans for place in span} for v, spans in chosen.items()}
    for v, w in itertools.combinations(chosen, 2):
        apart = slots[v] + unit.widths[v] <= slots[w] or slots[w] + unit.widths[w] <= slots[v]
        assert apart or slots[v] == slots[w] and unit.widths[v] == unit.widths[w] and alive[v].isdisjoint(alive[w])
    assert spills.bytes < sum(unit.widths.values())


def test_values_of_one_span_take_no_more_slots_than_are_alive_at_once():
    rng, unit = random.Random(3), SimpleNamespace(widths=dict.fromkeys(range(400), 4))
    chosen = {v: [range(start := rng.randrange(2000), start + rng.randint(1, 90))] for v in range(400)}
    spills = Spills(0)
    _slots(chosen, unit, spills)
    assert spills.bytes == 4 * max(sum(place in spans[0] for spans in chosen.values()) for place in range(2100))


@pytest.mark.parametrize("shape", ["copies", "functions"])
def test_joining_twice_as_many_copies_takes_about_twice_the_memory(shape, monkeypatch):
    """Sets that grow with every copy that they are joined by do work that no trace of lines sees."""
    architecture, peaks = registry.get("k40"), []

    def measured(code, unit):
        if code.function.entry:
            tracemalloc.start()
        try:
            coalesce(code, unit)
            if code.function.entry:
                peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    monkeypatch.setattr(target, "PASSES", changed(target.PASSES, "coalesce", function=measured))
    for size in (3000, 6000):
        lower(parse(SHAPES[shape](size)), "k", architecture)
    assert len(peaks) == 2 and peaks[1] <= MOST * peaks[0]


@pytest.mark.parametrize("machine", ["k40", "h100"])
@pytest.mark.parametrize("shape", ["functions", "call_chain", "calls"])
def test_results_of_calls_live_from_the_call_on(machine, shape):
    """However many functions a kernel calls, one after the other or each the next, none of their results waits for its call."""
    architecture = registry.get(machine)
    few, many = (lower(parse(SHAPES[shape](size)), "k", architecture) for size in (800, 1600))
    assert few.registers == many.registers and not many.spilled_registers


@pytest.mark.parametrize("machine, options, way_out", [("g80", Options(), "limits.kernel_instructions"), ("h100", Options(max_instructions=100), "max_instructions")])
def test_a_kernel_that_is_too_long_is_refused_by_counting(machine, options, way_out):
    device = Device(registry.get(machine).evolve({"limits.kernel_instructions": 100}) if machine == "g80" else machine)
    text = SHAPES["straight"](200)
    with pytest.raises(ArchdefError, match=rf":4: kernel k has at least 2\d\d PTX instructions.*{way_out}"):
        device.compile(text.replace("add.s32", "addd.s32"), lowering=options)        # not parsed: it would say that there is no such instruction
    with pytest.raises(ArchdefError, match=rf"kernel k has at least 25\d PTX instructions.*{way_out}"):
        lower(parse(text, "k.ptx"), "k", device.architecture, options=options)


def test_what_is_no_instruction_does_not_count():
    text = HEAD + "// ;;;;;;;;;;\n/* ;;; */\n" + kernel([".reg .b32 %x; .loc 1 1 1", "{ .reg .b32 %y; mov.u32 %y, 1; }"] * 3, ".reg .b32 %r<4>;")
    assert check_text(text, "k.ptx", registry.get("h100"), 4) is None


def test_an_array_that_nobody_touches_takes_no_memory_of_the_host():
    text = HEAD + ".global .b8 X[1000000000];\n.global .u32 y = 7;\n" + kernel(
        ["ld.param.u64 %rd1, [out];", "ld.global.u32 %r1, [y];", "ld.global.u32 %r2, [X+999999996];", "add.s32 %r1, %r1, %r2;", "st.global.u32 [%rd1], %r1;"],
        ".reg .b32 %r<4>; .reg .b64 %rd<4>;")
    device = Device("h100")
    tracemalloc.start()
    try:
        module, out = device.compile(text), device.zeros(1, "uint32")
        module["k"][1, 1](out, 0)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert out.to_host()[0] == 7
