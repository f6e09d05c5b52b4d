"""What textures cost: tiles, hits and misses of both caches, and reads of what the same launch has written."""
import kernels
import numpy as np
import pytest

import archdef
from archdef.engine import core
from archdef.errors import SpecErrors
from archdef.pack import machine_tables
from archdef.run import texture as handles
from archdef.spec import RoundRobin

MACHINES = kernels.machines("texture", "texture_objects")
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has textures")
FETCH = kernels.kernel("tex.2d.v4.u32.s32 {d}, [{t}, {{{0}, {1}}}];", "ss", 4)


def fetched(device, layout, x, y, shape=(128, 128)):
    array = device.to_device(np.arange(np.prod(shape), dtype="u4").reshape(shape))
    got, run = kernels.run(device, FETCH, device.texture(array, layout=layout), [x.astype("i4"), y.astype("i4")], 4)
    assert (got[:, 0] == y * shape[1] + x).all()
    return run


@pytest.mark.parametrize("name", MACHINES)
def test_a_column_of_a_tiled_array_is_in_fewer_sectors_than_one_of_rows(name):
    device, column = archdef.Device(name), np.arange(64)
    tiled, rows = (fetched(device, layout, 0 * column, column).counters for layout in ("array", "pitch"))
    assert tiled.texture_transactions == 64 // device.architecture.caches.texture_tile_rows
    assert rows.texture_transactions == 64


@pytest.mark.parametrize("name", MACHINES)
def test_a_second_look_hits(name):
    device, n = archdef.Device(name), 64
    if device.architecture.caches.texture_l1 is None:
        pytest.skip("no texture cache")
    again = kernels.kernel("tex.2d.v4.u32.s32 {d}, [{t}, {{{0}, {1}}}]; st.global.b32 [%rd9], %d0; bar.sync 0;" * 2, "ss", 4)
    array, x = device.zeros((16, 16), "u4"), np.arange(n, dtype="i4") % 16
    _, run = kernels.run(device, again, device.texture(array), [x, np.arange(n, dtype="i4") // 16], 4)
    c = run.counters
    assert c.texture_hits + c.texture_misses == c.texture_transactions
    assert c.texture_misses == n * 4 // device.architecture.caches.texture_l1.sector_bytes
    assert run.metrics["tex_cache_hit_rate"] == pytest.approx(100 * c.texture_hits / c.texture_transactions)
    assert run.metrics["tex_cache_transactions"] == c.texture_transactions
    assert c.texture_loads == run.metrics["texture_requests"] == 4


@pytest.mark.parametrize("name", MACHINES)
def test_misses_go_on_to_the_declared_second_cache(name):
    device = archdef.Device(name)
    x, y = (v.reshape(-1) for v in np.meshgrid(np.arange(32), np.arange(32)))
    run = fetched(device, "array", x, y)
    partition, caches = run.partition, device.architecture.caches
    own = int((partition["texture_l2_hits"] + partition["texture_l2_misses"]).sum())
    assert (own > 0) == (caches.texture_l2 is not None)
    assert own <= run.counters.texture_misses


def test_a_line_longer_than_the_engines_is_kept_as_several():
    for name in MACHINES:
        table = machine_tables(archdef.Device(name).architecture)["caches"]
        for level in ("texture_l1", "texture_l2", "l2", "l1", "constant"):
            cache = table[level]
            assert cache["line_bytes"] <= 4 * cache["sector_bytes"]


@pytest.mark.parametrize("name", MACHINES)
def test_results_do_not_depend_on_the_length_of_epochs(name):
    device = archdef.Device(name)
    rng, n = np.random.default_rng(7), 256
    array, x, y = device.to_device(rng.random((64, 64), "f4")), *(rng.integers(-2, 66, n).astype("i4") for _ in range(2))
    texture, out = device.texture(array), device.zeros((n, 4), "u4")
    program = device.compile(FETCH).k.program
    keep = [device.to_device(v) for v in (x, y)]
    arguments = [texture.handle, out.address, n, *(k.address for k in keep)]
    buffer = b"".join(int(a).to_bytes(8, "little") for a in arguments)
    seen = set()
    for lookahead in (1, 7, 0):
        simulation = core.Simulation(device.machine, program, device.memory.engine, (8, 1, 1), (32, 1, 1), buffer, 0, 2,
                                     lookahead_cycles=lookahead, textures=handles.of(device.memory).pack())
        while simulation.advance():
            pass
        seen.add((simulation.result()["cycles"], out.to_host().tobytes()))
    assert len(seen) == 1


def sharing(name, multiprocessors=4, **more):
    """An architecture whose multiprocessors share a texture cache, two and two."""
    base = archdef.Device(name).architecture
    cache = base.caches.texture_l1
    if cache is None:
        pytest.skip("no texture cache")
    least = int(base.interconnect.response_latency_ns * base.clocks.shader_mhz / 1000) + 1
    return base.evolve({"caches.texture_l1.scope": "cluster", "caches.texture_l1.latency_cycles": max(cache.latency_cycles, least),
                        "chip.multiprocessors": multiprocessors, "chip.multiprocessors_per_cluster": 2, "chip.cluster_sizes": (),
                        "chip.block_launch.dispatch": RoundRobin(), **more})


@pytest.mark.parametrize("name", MACHINES)
def test_multiprocessors_that_share_a_texture_cache_fetch_what_both_read_once(name):
    shared = sharing(name)
    own = shared.evolve({"caches.texture_l1.scope": "multiprocessor"})
    x, misses = np.tile(np.arange(64, dtype="i4"), 4), {}
    for architecture in (shared, own):
        device = archdef.Device(architecture)
        array = device.to_device(np.arange(256, dtype="u4").reshape(4, 64))
        got, run = kernels.run(device, FETCH, device.texture(array, layout="pitch"), [x, 0 * x], 4)      # four blocks of 64 threads
        assert (got[:, 0] == x).all() and run.occupancy.active_blocks >= 1
        c = run.counters
        assert c.texture_hits + c.texture_misses == c.texture_transactions
        misses[architecture.caches.texture_l1.scope] = c.texture_misses
    sectors = 64 * 4 // shared.caches.texture_l1.sector_bytes
    assert misses == {"cluster": 2 * sectors, "multiprocessor": 4 * sectors}


@pytest.mark.parametrize("name", MACHINES)
def test_a_shared_texture_cache_gives_the_same_whatever_the_length_of_epochs(name):
    device = archdef.Device(sharing(name, **{"load_store.texture_pipeline.fetches_in_flight": 64}))
    rng, n = np.random.default_rng(8), 512
    array, x, y = device.to_device(rng.random((64, 64), "f4")), *(rng.integers(-2, 66, n).astype("i4") for _ in range(2))
    texture, out, keep = device.texture(array), device.zeros((n, 4), "u4"), [device.to_device(v) for v in (x, y)]
    buffer = b"".join(int(a).to_bytes(8, "little") for a in [texture.handle, out.address, n, *(k.address for k in keep)])
    seen = set()
    for lookahead in (1, 7, 0):
        simulation = core.Simulation(device.machine, device.compile(FETCH).k.program, device.memory.engine, (8, 1, 1), (64, 1, 1), buffer, 0, 2,
                                     lookahead_cycles=lookahead, textures=handles.of(device.memory).pack())
        while simulation.advance():
            pass
        seen.add((simulation.result()["cycles"], out.to_host().tobytes()))
    assert len(seen) == 1


def test_a_shared_texture_cache_is_no_nearer_than_the_network():
    with pytest.raises(SpecErrors) as caught:
        sharing(MACHINES[0]).derive({"caches.texture_l1.latency_cycles": 1}, name="near", title="Near")
    assert "latency_cycles must be at least interconnect.response_latency_ns" in str(caught.value.exceptions[0])


def test_reading_what_this_launch_has_written_is_reported():
    device, n = archdef.Device(MACHINES[0]), 64
    array = device.zeros(n, "u4")
    texture, where = device.texture(array, layout="linear"), np.arange(n, dtype="i4")
    keep = kernels.kernel("st.global.u32 [%rd9], %r1; bar.sync 0; tex.1d.v4.u32.s32 {{%d0, %d1, %d2, %d3}}, [{t}, {{{0}}}];"
                          " st.global.u32 [%rd9], %d0;", "s", 0)
    run = device.compile(keep).k[1, n](texture, array, n, device.to_device(where))
    assert run.counters.texture_hazards == n
    assert len(run.warnings) == 1 and "not coherent" in run.warnings[0]
    assert "warning: 64 reads through a texture" in str(run)
    assert run.to_dict()["warnings"] == list(run.warnings)


def test_writing_elsewhere_or_after_is_no_hazard():
    device, n = archdef.Device(MACHINES[0]), 64
    array, where = device.zeros(2 * n, "u4"), np.arange(n, dtype="i4")
    after = kernels.kernel("tex.1d.v4.u32.s32 {{%d0, %d1, %d2, %d3}}, [{t}, {{{0}}}]; st.global.u32 [%rd9], %d0;", "s", 0)
    run = device.compile(after).k[1, n](device.texture(array, layout="linear"), array, n, device.to_device(where))
    assert not run.counters.texture_hazards and run.warnings == ()
