"""Does every field mean something? Each is given every kind of value that its rule allows: it shows, it is refused by name, or it is an exception.

The exceptions, each with its reason, are in exceptions.txt. A deterministic sample runs with every test run, all fields of all machines with ``-m long``:

    pytest -m long tests/fields -k v100
"""
import re
import zlib
from pathlib import Path

import pytest
from probes import PROBE_KINDS
from variants import MACHINES
from verdicts import base, excepted, judge, paths

from archdef import registry
from archdef.spec import ByteMasks, Cache, L2Partitions, LoadStorePipeline, RequestCoalescer, SerialMatch
from archdef_sass import Sass

LINES = [line.partition(" : ") for line in Path(__file__).with_name("exceptions.txt").read_text(encoding="utf-8").splitlines()
         if line and not line.startswith("#")]
EXCEPTIONS = {pattern: reason.strip() for pattern, _, reason in LINES}
DRAWN = 2
"""Fields of each; which, depends on the description, so that they change with it."""
SAMPLED = tuple(name for name in ("c500", "gf100", "gt200", "k40", "v100") if name in MACHINES)
"""Machines of which fields are drawn for every test run: one of each kind."""
GROUPS = ("chip", "limits", "clocks", "schedulers", "units", "shared", "coalescing", "caches", "texture", "load_store", "interconnect", "dram",
          "device_launches", "block_clusters", "host_link", "warp", "isa.assembler", "isa.matrix", "isa.warpgroup", "isa.operations", "isa.forms", "")
"""Beginnings of paths; the last is all that is left: names, and what stands in `isa` itself."""

pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def unnoticed(name, path, tried):
    """The values that nobody notices, refuses or excuses."""
    counted = [variant for variant in tried if excepted(EXCEPTIONS, name, variant) is None]
    return [f"{name}.{path} = {variant.value!r} ({variant.kind})" for variant in judge(name, path, counted).unseen]


def group_of(path):
    return next(group for group in GROUPS if path.startswith(f"{group}.") or path == group or not group)


def drawn(name):
    """The fields of which a number, made of path and description, is least; of parts in which a cheap probe notices nearly everything."""
    described = repr(registry.get(name).evolve({})).encode()
    seed = zlib.crc32(described)
    chosen = [path for path, tried in paths(name).items() if path.startswith(("clocks.", "dram.", "limits.", "schedulers.", "shared.", "host_link."))
              and not any(excepted(EXCEPTIONS, name, v) for v in tried)]
    return sorted(chosen, key=lambda path: zlib.crc32(path.encode(), seed))[:DRAWN]


def test_probes_see_nothing_where_nothing_changed():
    """A probe that depended on anything but the machine would notice every field."""
    same = registry.get("gf100").evolve({"title": "another name"})
    for probe in ("limits", "properties", "sample stream", "gather", "banks", "feature atomics_global", "transpose", "host"):
        assert PROBE_KINDS[probe](same) == base("gf100", probe), probe


@pytest.mark.parametrize("name", SAMPLED)
def test_fields_drawn_by_chance_mean_something(name):
    found = [line for path in drawn(name) for line in unnoticed(name, path, paths(name)[path])]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name, path, value", [
    ("gf100", "caches.l1.scope", "chip"), ("gf100", "caches.l1.write", "back"), ("gf100", "caches.l2.scope", "cluster"), ("gt200", "units.sp.scope", "exclusive"),
    ("gt200", "coalescing.load", "lines"), ("gt200", "coalescing.load.smallest_bytes", 64), ("g80", "caches.unified_l1_shared", True),
    ("gt200", "caches.constant", None), ("gt200", "caches.instruction", None), ("gt200", "isa.serial_match", SerialMatch(value_cycles=3)), ("g80", "schedulers.issue_width", 3), ("gt200", "schedulers.issue_width", 4), ("c500", "schedulers.issue_width", 5),
    ("k40", "isa.operations.int_dot.latency_cycles", 30), ("g80", "isa.operations.call.issues", 3),
    ("c500", "isa.instruction_bytes", 16), ("k40", "isa.branch_costs.convergence_cycles", 9), ("k40", "isa.assembler", Sass(operand_read_cycles=9)), ("k40", "caches.instruction", Cache(
        size_bytes=4096, line_bytes=256, sector_bytes=256, ways=4, latency_cycles=0, misses_in_flight=4, write="evict", scope="multiprocessor")),
    ("gf100", "load_store.pipeline", LoadStorePipeline(stores_in_a_row=True)), ("gt200", "load_store.replay.on_reservation_fail", True), ("gt200",
                                                                                                                                          "load_store.pipeline",
                                                                                                                                          LoadStorePipeline(arbitration="random")),
    ("g80", "load_store.atomic_cycles", 9), ("gt200", "interconnect.l2_partitions", L2Partitions(count=2)), ("gt200", "interconnect.request_coalescer", RequestCoalescer(requests=2)), ("g80", "interconnect.byte_masks", ByteMasks(mask_bytes=4)),
    ("gt200", "caches.instruction_l2.sector_bytes", 128), ("h100", "caches.constant_uniform.sector_bytes", 32), ("k40", "caches.l1.sector_bytes", 32),
    ("p100", "caches.l1.line_bytes", 64), ("c500", "caches.texture_tile_rows", 4), ("h100", "device_launches.virtual_us", 1),
    ("h100", "isa.forms.shared_add_f32.shared_atomic.bank_passes", 2), ("h100", "isa.forms.shared_add_f32.interval_cycles", 2),
    ("gt200", "limits.stack_bytes_per_thread", 2048),
    ("c500", "isa.branch_costs.untaken_cycles", 10), ("gt200", "caches.texture_l2.fetch_bytes", 16), ("g80", "isa.assembler", Sass(merged_atomics=(5, 11))),
    ("v100", "isa.matrix.groups.products", 2), ("v100", "isa.matrix.groups.result_bits", 11), ("v100", "isa.matrix.groups_f16.products", 8)])
def test_a_value_that_was_ignored_is_refused(name, path, value):
    with pytest.raises(ExceptionGroup) as caught:
        registry.get(name).evolve({path: value})
    assert any(path.removesuffix(".smallest_bytes") in str(fault) for fault in caught.value.exceptions)


def test_exceptions_have_reasons_and_name_fields():
    known = [(name, path) for name in MACHINES for path in paths(name)]
    for pattern, reason in EXCEPTIONS.items():
        path = re.sub(r" = .*", "", pattern.rpartition(" :: ")[2])
        assert len(reason) > 20, pattern
        assert any(re.fullmatch(_as_expression(path), at) for _, at in known), f"{pattern} names no field of any machine"


def _as_expression(pattern):
    import fnmatch

    return fnmatch.translate(pattern)


@pytest.mark.long
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group or "names and isa")
@pytest.mark.parametrize("name", MACHINES)
def test_every_field_means_something(name, group):
    found = [line for path, tried in paths(name).items() if group_of(path) == group for line in unnoticed(name, path, tried)]
    assert not found, "\n".join(found)
