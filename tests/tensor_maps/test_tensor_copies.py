"""Copies by tensor maps do what the text says: compared with the model, on random maps, wherever the map lies."""
import random

import numpy as np
import pytest
from tensor_boxes import EXPECT, HEAD, LOAD, WAIT, WINDOW, device, listed, run, text, vector
from lowering import lowered, machine

from archdef.errors import GuestFault, LaunchError, MissingFeature, UnsupportedInstruction
from archdef.run.tensor_map import OF_DTYPE, TYPES, Layout, encode_pixels, encode_tiles
from archdef.testing import tensor_copies as model

TENSOR, FIRST = 1 << 17, 1024
"""Bytes of memory, and where in it the tensor begins."""


def tiles(rng: random.Random, negative: bool = True) -> tuple[model.Map, list[int], tuple[int, ...]]:
    """Draw a map of tiles and coordinates."""
    while True:
        rank, type, swizzle = rng.randint(1, 5), rng.choice(list(TYPES)), rng.choice([0, 32, 64, 128])
        interleave = rng.choice([0, 0, 0, 16, 32]) if rank > 2 else 0
        size, most = TYPES[type][1], 24 if rank < 4 else 8
        dims = tuple(rng.randint(1, most) for _ in range(rank))
        strides, last = [], -(-dims[0] * (interleave or size) // 32) * 32
        for extent in dims[1:]:
            strides.append(last + rng.choice([0, 0, 32]))
            last = strides[-1] * extent
        unit = max(16 // size, 1)
        row = rng.randint(1, 8) if interleave else unit * rng.randint(1, (swizzle or 96) // 16)
        box = (row, *(rng.randint(1, 4) for _ in dims[1:]))
        steps = tuple(rng.choice([1, 1, 1, 2, 3]) for _ in dims)
        map = model.Map(type, dims, tuple(strides), steps, box, swizzle=swizzle, interleave=interleave,
                        nan=rng.random() < .5 and TYPES[type][0] > 5)
        low = [-extent if negative and rng.random() < .5 else 0 for extent in box]
        coordinates = [rng.randint(least, extent) for least, extent in zip(low, dims)]
        if not interleave:
            coordinates[0] -= coordinates[0] % unit
        if last < TENSOR - FIRST and model.line(map) * map.unit * np.prod(box[1:]) < 1024 and (negative or min(coordinates) >= 0):
            return map, coordinates, ()


def pixels(rng: random.Random) -> tuple[model.Map, list[int], tuple[int, ...]]:
    """Draw a map of pixels, coordinates and offsets."""
    while True:
        rank, type, swizzle = rng.randint(3, 5), rng.choice(list(TYPES)), rng.choice([0, 32, 64, 128])
        size = TYPES[type][1]
        dims = tuple(rng.randint(1, 8) for _ in range(rank))
        strides, last = [], -(-dims[0] * size // 16) * 16
        for extent in dims[1:]:
            strides.append(last + rng.choice([0, 0, 16]))
            last = strides[-1] * extent
        unit = max(16 // size, 1)
        lower, upper = (tuple(rng.randint(-3, 3) for _ in range(rank - 2)) for _ in range(2))
        if any(extent + high - low <= 0 for extent, low, high in zip(dims[1:], lower, upper)):
            continue
        map = model.Map(type, dims, tuple(strides), (1, *(rng.choice([1, 1, 2]) for _ in lower), 1), (), lower, upper,
                        unit * rng.randint(1, (swizzle or 64) // 16), rng.randint(1, 24), swizzle, nan=rng.random() < .5 and TYPES[type][0] > 5)
        spatial = [rng.randint(low, extent + high - 1) for extent, low, high in zip(dims[1:], lower, upper)]
        if last < TENSOR - FIRST:
            return map, [unit * rng.randint(-1, 1), *spatial, rng.randint(0, dims[-1])], tuple(rng.randint(0, 4) for _ in lower)


def encoded(map: model.Map, address: int) -> bytes:
    layout = Layout(map.type, address, map.dims, map.strides, map.steps, map.interleave, map.swizzle, map.nan)
    return encode_tiles(layout, map.box) if map.box else encode_pixels(layout, map.lower, map.upper, map.channels, map.pixels)


def bytes_of(map: model.Map) -> int:
    return sum(1 for _ in model.rows(map, (0,) * len(map.dims), (0,) * 3)) * model.line(map) * map.unit


def drawn(seed: int):
    source = np.random.default_rng(seed)
    return source.integers(0, 256, TENSOR, "u1"), source.integers(0, 256, WINDOW, "u1")


@pytest.mark.parametrize("draw", [tiles, pixels])
def test_boxes_arrive_as_the_model_says(draw):
    for seed in range(120):
        rng = random.Random(seed)
        map, coordinates, offsets = draw(rng)
        tensor, window = drawn(seed)
        start = 128 * rng.randrange(8)
        array = device().to_device(tensor)
        found = run(text(len(map.dims), draw is pixels, "load"), encoded(map, array.address + FIRST), window, coordinates, offsets, start, bytes_of(map))
        padded = np.append(window, np.zeros(1 << 16, "u1"))
        model.load(map, tensor[FIRST:], padded, coordinates, offsets, start)
        assert np.array_equal(found, padded[:WINDOW]), (seed, map, coordinates, offsets, start)
        array.free()


@pytest.mark.parametrize("op", ["", "add", "xor", "max"])
def test_boxes_are_stored_and_combined_as_the_model_says(op):
    for seed in range(50):
        rng = random.Random(1000 + seed)
        map, coordinates, _ = tiles(rng, negative=False)
        if op and map.type not in ("u32", "s32", "u64"):
            continue
        dtype = {"u32": "<u4", "s32": "<i4", "u64": "<u8"}.get(map.type)
        tensor, window = drawn(seed)
        array = device().to_device(tensor)
        run(text(len(map.dims), False, "reduce" if op else "store", op), encoded(map, array.address + FIRST), window, coordinates)
        expected = np.append(tensor, np.zeros(1 << 16, "u1"))

        def combined(old, new):
            with np.errstate(over="ignore"):
                both = {"add": np.add, "xor": np.bitwise_xor, "max": np.maximum}[op](old.copy().view(dtype), new.copy().view(dtype))
            return both.view("u1")
        model.store(map, expected[FIRST:], np.append(window, np.zeros(1 << 16, "u1")), coordinates, change=combined if op else None)
        assert np.array_equal(array.to_host(), expected[:TENSOR]), (seed, map, coordinates)
        array.free()


# -------------------------------------------------------------------------------------------------------------------- where maps lie
PLAIN = model.Map("f32", (32, 16), (128,), (1, 1), (16, 8))


def loaded(source: str, map: bytes, array, window) -> bool:
    """Say whether the plain box at (16, 4) arrives."""
    found = run(source, map, window, [16, 4], bytes_=512)
    return np.array_equal(found[:512].view("f4").reshape(8, 16), array.to_host().reshape(16, 32)[4:12, 16:])


def plain():
    array = device().to_device(np.arange(512, dtype="f4").reshape(16, 32))
    return array, device().tensor_map(array, box=(16, 8)), np.zeros(WINDOW, "u1")


def test_a_map_lies_in_parameters_global_or_constant_memory():
    array, map, window = plain()
    assert loaded(text(2, False, "load"), map, array, window)
    copy = "".join(f"ld.param.b64 %rd8, [map+{8 * k}]; st.global.b64 [held+{8 * k}], %rd8;\n" for k in range(16))
    proxy = "fence.proxy.tensormap::generic.acquire.gpu [%rd9], 128;\n"
    assert loaded(text(2, False, "load", before=copy + "mov.u64 %rd9, held; " + proxy, map="%rd9"), map, array, window)
    assert loaded(text(2, False, "load", before=copy, map="held"), map, array, window)
    module = device().compile(text(2, False, "load", before="mov.u64 %rd9, kept; cvta.const.u64 %rd9, %rd9;\n", map="%rd9"))
    module.symbols["kept"].copy_from_host(np.frombuffer(bytes(map), "u1"))
    out = device().zeros(WINDOW, "u1")
    module.k[1, 32](bytes(128), device().to_device(window), out, device().to_device(np.array([16, 4], "i4")), 0, 512)
    assert np.array_equal(out.to_host()[:512].view("f4").reshape(8, 16), array.to_host()[4:12, 16:])


def test_a_kernel_makes_a_map_and_copies_by_it():
    """As CUTLASS does for groups of products: changed in shared memory, then copied by a whole warp."""
    array, map, window = plain()
    other = device().to_device(np.arange(512, dtype="f4").reshape(16, 32) + 1000)
    body = HEAD.replace("mov.u32 %r1, %tid.x; mov.u32 %r2, sh;", "mov.u32 %r1, %tid.x; mov.u32 %r2, sh; mov.u32 %r30, sh;"
                        + "".join(f"ld.param.b64 %rd8, [map+{8 * k}]; st.shared.b64 [%r30+{8 * k}], %rd8;\n" for k in range(16))
                        + f"mov.u64 %rd10, {other.address}; tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r30], %rd10;\n"
                        + "bar.sync 0; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [held], [%r30], 128;\n")
    source = (body + listed(2, False) + EXPECT + f"{LOAD.format(rank=2, mode='')} [%r12], [held, {vector('%r', 20, 2)}], [%r7];\n{WAIT}"
              + text(2, False, "load").partition(WAIT)[2])
    assert loaded(source, map, other, window) and not loaded(source, map, array, window)


def test_the_mask_of_blocks_and_hints():
    array, map, window = plain()
    name = LOAD.format(rank=2, mode="") + ".multicast::cluster"
    assert loaded(text(2, False, "load", before="mov.u16 %h7, 1;\n", name=name), map, array, window)
    with pytest.raises(GuestFault, match="rank 1 of a cluster of 1 blocks"):
        loaded(text(2, False, "load", before="mov.u16 %h7, 3;\n", name=name), map, array, window)
    hinted = text(2, False, "load").replace(LOAD.format(rank=2, mode=".tile"), LOAD.format(rank=2, mode=".tile") + ".L2::cache_hint").replace(
        ", [%r7];\nSPIN", ", [%r7], %rd11;\nSPIN").replace("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x; mov.u64 %rd11, 0;")
    assert "%rd11;\nSPIN" in hinted and loaded(hinted, map, array, window)
    assert loaded(text(2, False, "load", name=LOAD.format(rank=2, mode="").replace("shared::cluster", "shared::cta")), map, array, window)


def test_every_byte_of_the_box_counts():
    """Of a box that lies outside of the tensor altogether, too."""
    _array, map, window = plain()
    found = run(text(2, False, "load"), map, window + 1, [-16, 40], bytes_=512)
    assert not found[:512].any() and found[512:].all()


def test_memory_is_asked_for_what_lies_inside():
    _array, map, window = plain()
    for first, sectors in ((0, 16), (24, 8), (32, 0)):
        d = device()
        out = d.zeros(WINDOW, "u1")
        result = d.compile(text(2, False, "load")).k[1, 32](map, d.to_device(window), out, d.to_device(np.array([first, 0], "i4")), 0, 512)
        line = next(s for s in result.statements if s.text.startswith("cp.async.bulk.tensor"))
        assert line.counters.global_load_transactions == sectors and line.counters.global_loads == 1


@pytest.mark.parametrize("action, lanes, times", [("store", "0", 1), ("store", "3", 4), ("reduce", "0", 32)])
def test_boxes_that_lanes_store_alike_are_stored_once(action, lanes, times):
    """One UTMASTG for all lanes that agree in every operand, but one UTMAREDG for each lane (ptxas 13.0 for sm_90)."""
    d = device()
    array = d.zeros((32, 32), "i4")
    map, window = d.tensor_map(array, box=(16, 4)), np.ones(WINDOW // 4, "i4")
    own = f"and.b32 %r30, %r1, {lanes}; shl.b32 %r30, %r30, 2; add.u32 %r21, %r21, %r30;\n"
    source = text(2, False, action, "add", before=own).replace("@%p2 bra DONE;", "")
    result = d.compile(source).k[1, 32](map, d.to_device(window), d.zeros(WINDOW, "u1"), d.to_device(np.zeros(2, "i4")), 0, 0)
    line = next(s for s in result.statements if "async.bulk.tensor" in s.text).counters
    assert line.global_store_transactions + line.atomic_transactions == times * 4 * 64 // 32
    expected = np.zeros((32, 32), "i4")
    expected[:4 * (int(lanes) + 1), :16] = 32 if action == "reduce" else 1
    assert np.array_equal(array.to_host(), expected)


def test_prefetches_change_nothing():
    array, map, window = plain()
    body = "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd6, {%r20, %r21}]; prefetch.tensormap [%rd6];\n"
    assert loaded(text(2, False, "load", before=body), map, array, window)


# ------------------------------------------------------------------------------------------------------------------------- refusals
@pytest.mark.parametrize("change, message", [
    (dict(box=(3, 8)), "multiple of 16 bytes"), (dict(box=(300, 8)), "box must be 1 to 256"), (dict(box=(16,)), "2 numbers are wanted as box"),
    (dict(box=(32, 8), swizzle=64), "longer than the 64 bytes of the swizzle"), (dict(box=(16, 8), swizzle=48), "swizzle must be one of"),
    (dict(box=(16, 8), interleave=16), "3 to 5 dimensions"), (dict(box=(16, 8), element_strides=(1, 9)), "element stride must be 1 to 8"),
    (dict(box=(16, 8), strides=(120,)), "stride must be .* a multiple of 16"), (dict(box=(16, 8), strides=(1 << 40,)), "stride must be"),
    (dict(box=(16, 8), oob_fill="one"), "oob_fill is zero or nan"), (dict(box=(16, 8), type="s32", oob_fill="nan"), "have no NaN"),
    (dict(box=(256, 256)), "262144 bytes"), (dict(), "give either box"), (dict(box=(16, 8), type="f8"), "elements of type"),
    (dict(box=(16, "a")), "box must be 1 to 256"), (dict(box=(16, 8), l2_promotion=5), "L2 promotion"),
    (dict(lower=(0,), upper=(0,), channels=16, pixels=8), "3 to 5 dimensions")])
def test_what_the_driver_refuses(change, message):
    array, _, _ = plain()
    with pytest.raises(LaunchError, match=message):
        device().tensor_map(array, **change)


def test_numpys_types_are_known():
    for code, name in OF_DTYPE.items():
        array = device().zeros((4, 16), code)
        assert len(bytes(device().tensor_map(array, box=(16, 4)))) == 128, name


@pytest.mark.parametrize("instruction, message", [
    ("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r12], [%rd6, {%r1, %r1, %r1, %r1, %r1}], [%r7];", "Blackwell"),
    ("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd6, {%r1, %r1, %r1, %r1, %r1}], [%r12];", "Blackwell"),
    ("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [%r12], [%rd6, {%r1, %r1, %r1}], [%r7], {%h1, %h1};", "Blackwell")])
def test_what_came_later_is_refused_by_name(instruction, message):
    with pytest.raises(UnsupportedInstruction, match=message):
        run(text(2, False, "load", before=instruction + "\n"), bytes(128), np.zeros(WINDOW, "u1"), [0, 0])


def test_a_machine_without_bulk_copies_refuses():
    with pytest.raises(MissingFeature, match="bulk_copies"):
        lowered(text(2, False, "store"), machine(without=["bulk_copies"]))
