"""Texture fetches equal the numpy definition to the bit, for every geometry, format, filter and address mode."""
import kernels
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import archdef
from archdef.testing import texturing

MACHINES = kernels.machines("texture", "texture_objects", "texture_gather", "texture_cubemap", "texture_layered")
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has all texture features")
DTYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4"]
EDGES = np.array([0, -0.0, 0.5, 1, 1.5, -0.5, -1e-9, 2, 0.498046875, 0.5019531, 1e-40, 1e9, -1e9, 3e38, -3e38, np.inf, -np.inf,
                  np.nan, 0.99999994], "f4")


def texels(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def coordinates(rng, size, normalized, n):
    """Coordinates in and around the texture, on texel borders and centres among them, and special values."""
    x = rng.uniform(-1.5, 2.5, n) * (1 if normalized else size)
    snapped = np.round(x * (size if normalized else 1) * 512) / 512 / (size if normalized else 1)
    x = np.where(rng.random(n) < 0.3, snapped, x).astype("f4")
    return np.where(rng.random(n) < 0.1, rng.choice(EDGES, n), x).astype("f4")


def bits(values):
    """Bit patterns, NaNs all the same: which one a mean gives is nobody's promise."""
    values = np.ascontiguousarray(values)
    if values.dtype == np.float32:
        values = np.where(np.isnan(values), np.float32(np.nan), values)
    return values.view(np.uint32)


@st.composite
def cases(draw):
    axes = draw(st.integers(1, 3))
    dtype = draw(st.sampled_from(DTYPES))
    small = dtype in ("u1", "i1", "u2", "i2")
    read = draw(st.sampled_from(["element", "normalized_float"])) if small else "element"
    filterable = dtype[0] == "f" or read == "normalized_float"
    return dict(axes=axes, dtype=dtype, read=read, channels=draw(st.sampled_from([1, 2, 4])),
                filter=draw(st.sampled_from(["point", "linear"])) if filterable else "point",
                address=draw(st.lists(st.sampled_from(["clamp", "wrap", "mirror", "border"]), min_size=axes, max_size=axes)),
                normalized=draw(st.booleans()), shape=draw(st.lists(st.integers(1, 9), min_size=axes, max_size=axes)),
                seed=draw(st.integers(0, 2**32 - 1)))


DEVICES = {name: archdef.Device(name) for name in MACHINES}


@settings(max_examples=150, deadline=None)
@given(cases())
def test_a_fetch_is_the_definition_of_it(case):
    rng = np.random.default_rng(case["seed"])
    axes, n, device = case["axes"], 96, DEVICES[MACHINES[0]]
    data = texels(rng, (*case["shape"], case["channels"]), case["dtype"])
    xs = [coordinates(rng, size, case["normalized"], n) for size in case["shape"][::-1]]
    how = {name: case[name] for name in ("filter", "address", "normalized", "read")}
    array = device.to_device(data if case["channels"] > 1 else data[..., 0])
    handle = device.texture(array, channels=case["channels"], **how)
    form = {1: "1d.v4.u32.f32 {d}, [{t}, {{{0}}}];", 2: "2d.v4.u32.f32 {d}, [{t}, {{{0}, {1}}}];",
            3: "3d.v4.u32.f32 {d}, [{t}, {{{0}, {1}, {2}, {2}}}];"}[axes]
    got, _ = kernels.run(device, kernels.kernel("tex." + form, "f" * axes, 4), handle, xs, 4)
    expected = texturing.fetch(data, xs, **how)
    mask = ~np.isnan(expected) if expected.dtype.kind == "f" else True
    assert (np.where(mask, got[:, :case["channels"]], 0) == np.where(mask, bits(expected), 0)).all()
    assert not got[:, case["channels"]:].any()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(DTYPES), st.sampled_from([1, 2, 4]), st.integers(0, 3), st.booleans(),
       st.sampled_from(["clamp", "wrap", "mirror", "border"]))
def test_a_gather_is_the_definition_of_it(seed, dtype, channels, component, normalized, address):
    rng, device, n = np.random.default_rng(seed), DEVICES[MACHINES[0]], 64
    data = texels(rng, (5, 7, channels), dtype)
    x, y = coordinates(rng, 7, normalized, n), coordinates(rng, 5, normalized, n)
    handle = device.texture(device.to_device(data if channels > 1 else data[..., 0]), channels=channels, normalized=normalized,
                            address=address)
    source = kernels.kernel(f"tld4.{'rgba'[component]}.2d.v4.u32.f32 {{d}}, [{{t}}, {{{{{{0}}, {{1}}}}}}];", "ff", 4)
    got, _ = kernels.run(device, source, handle, [x, y], 4)
    assert (got == bits(texturing.gather(data, x, y, component=component, address=address, normalized=normalized))).all()


@pytest.mark.parametrize("geometry, shape", [("a1d", (4, 9)), ("a2d", (3, 5, 7))])
@pytest.mark.parametrize("filter", ["point", "linear"])
@pytest.mark.parametrize("device", MACHINES)
def test_a_layer_is_a_texture_of_its_own(device, geometry, shape, filter):
    rng, device, n = np.random.default_rng(5), DEVICES[device], 100
    data = texels(rng, (*shape, 1), "f4")
    layer = rng.integers(0, shape[0] + 3, n).astype("i4")
    xs = [coordinates(rng, size, False, n) for size in shape[:0:-1]]
    inputs = ", ".join(f"{{{k}}}" for k in (*range(len(shape)), *([len(shape) - 1] if geometry == "a2d" else [])))
    source = kernels.kernel(f"tex.{geometry}.v4.f32.f32 {{d}}, [{{t}}, {{{{{inputs}}}}}];", "s" + "f" * len(xs), 4, result="f32")
    handle = device.texture(device.to_device(data[..., 0]), layered=True, filter=filter)
    got, _ = kernels.run(device, source, handle, [layer, *xs], 4, "f4")
    for k in range(n):
        expected = texturing.fetch(data[min(layer[k], shape[0] - 1)], [x[k:k + 1] for x in xs], filter=filter)
        assert bits(got[k, 0]) == bits(expected[0, 0])


@pytest.mark.parametrize("form, cubes", [("cube", 1), ("acube", 2)])
@pytest.mark.parametrize("filter", ["point", "linear"])
def test_a_direction_finds_its_face(form, cubes, filter):
    rng, device, n = np.random.default_rng(6), DEVICES[MACHINES[0]], 200
    data = texels(rng, (6 * cubes, 4, 4, 1), "f4")
    x, y, z = rng.choice([-2, -1, -0.3, 0, 0.25, 1, 2], (3, n)).astype("f4")
    layer = rng.integers(0, cubes, n).astype("i4")
    handle = device.texture(device.to_device(data[..., 0]), cube=True, layered=cubes > 1, filter=filter, normalized=True)
    words = "{0}, {1}, {2}, {3}" if form == "acube" else "{1}, {2}, {3}, {3}"
    source = kernels.kernel(f"tex.{form}.v4.f32.f32 {{d}}, [{{t}}, {{{{{words}}}}}];", "sfff", 4, result="f32")
    got, _ = kernels.run(device, source, handle, [layer, x, y, z], 4, "f4")
    face, s, t = texturing.cube_face(x, y, z)
    for k in range(n):
        expected = texturing.fetch(data[6 * layer[k] + face[k]], [s[k:k + 1], t[k:k + 1]], filter=filter, normalized=True, centred=True)
        assert bits(got[k, 0]) == bits(expected[0, 0])


@pytest.mark.parametrize("layout", ["linear", "array"])
@pytest.mark.parametrize("device", kernels.machines("texture", "texture_objects"))
def test_an_integer_coordinate_names_a_texel(device, layout):
    device, data = archdef.Device(device), np.arange(1, 41, dtype="i4").reshape(20, 2)
    where = np.arange(-3, 23, dtype="i4")
    handle = device.texture(device.to_device(data), channels=2, layout=layout)
    source = kernels.kernel("tex.1d.v4.s32.s32 {d}, [{t}, {{{0}}}];", "s", 4)
    got, _ = kernels.run(device, source, handle, [where], 4, "i4")
    inside = (where >= 0) & (where < 20)
    assert (got[:, :2] == np.where(inside[:, None], data[np.clip(where, 0, 19)], 0)).all()


def test_the_definition_says_what_the_guide_says():
    row = np.array([[1.0], [2], [4], [8]], "f4")
    at = np.array([0, 0.5, 1, 1.5, 2.0, 3.5, 4, 9, -3], "f4")
    assert texturing.fetch(row, [at], filter="linear")[:, 0].tolist() == [1, 1, 1.5, 2, 3, 8, 8, 8, 1]
    assert texturing.fetch(row, [at])[:, 0].tolist() == [1, 1, 2, 2, 4, 8, 8, 8, 1]
    assert texturing.fetch(row, [at], address="border")[:, 0].tolist() == [1, 1, 2, 2, 4, 8, 0, 0, 0]
    unit = np.array([-0.125, 0, 0.3, 1, 1.3, 2.6], "f4")
    assert texturing.fetch(row, [unit], address="wrap", normalized=True)[:, 0].tolist() == [8, 1, 2, 1, 2, 4]
    assert texturing.fetch(row, [unit], address="mirror", normalized=True)[:, 0].tolist() == [1, 1, 2, 8, 4, 4]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from(["point", "linear"]), st.booleans(),
       st.lists(st.sampled_from(["clamp", "wrap", "mirror", "border"]), min_size=3, max_size=3),
       st.lists(st.integers(-8, 7), min_size=3, max_size=3), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_texel_offsets_move_the_texels_before_addresses_are_resolved(seed, axes, filter, normalized, address, offsets, shape):
    rng, device, n = np.random.default_rng(seed), DEVICES[MACHINES[0]], 96
    data = texels(rng, (*shape[:axes], 1), "f4")
    xs = [coordinates(rng, size, normalized, n) for size in shape[:axes][::-1]]
    how = dict(filter=filter, address=address[:axes], normalized=normalized)
    handle = device.texture(device.to_device(data[..., 0]), **how)
    at, moved = [(f"{{{k}}}", str(offsets[k])) for k in range(axes)], offsets[:axes]
    if axes == 3:
        at.append(at[-1])
    place, by = ("{{" + ", ".join(column) + "}}" for column in zip(*at))
    level = seed % 3
    source = kernels.kernel("tex" + ("", ".level", ".grad")[level] + f".{axes}d.v4.f32.f32 {{d}}, [{{t}}, {place}], "
                            + ("", "0f3F800000, ", f"{place}, {place}, ")[level] + f"{by};", "f" * axes, 4, result="f32")
    got, _ = kernels.run(device, source, handle, xs, 4, "f4")
    expected = texturing.fetch(data, xs, offsets=moved, **how)
    assert (bits(got[:, 0]) == bits(expected[:, 0])).all()
    if axes == 2:
        source = kernels.kernel(f"tld4.r.2d.v4.f32.f32 {{d}}, [{{t}}, {place}], {by};", "ff", 4, result="f32")
        got, _ = kernels.run(device, source, handle, xs, 4, "f4")
        expected = texturing.gather(data, *xs, address=address[:2], normalized=normalized, offsets=moved)
        assert (bits(got) == bits(expected)).all()


def test_integer_coordinates_take_offsets_too():
    device = DEVICES[MACHINES[0]]
    data = np.arange(35, dtype="f4").reshape(5, 7)
    x, y = (a.reshape(-1).astype("i4") for a in np.meshgrid(np.arange(-3, 10), np.arange(-3, 8)))
    source = kernels.kernel("tex.2d.v4.f32.s32 {d}, [{t}, {{{0}, {1}}}], {{2, -3}};", "ss", 4, result="f32")
    got, _ = kernels.run(device, source, device.texture(device.to_device(data)), [x, y], 4, "f4")
    inside = (x + 2 >= 0) & (x + 2 < 7) & (y - 3 >= 0) & (y - 3 < 5)
    assert (got[:, 0] == np.where(inside, data[np.clip(y - 3, 0, 4), np.clip(x + 2, 0, 6)], 0)).all()


@pytest.mark.parametrize("instruction, message", [
    ("tex.2d.v4.f32.f32 {d}, [{t}, {{{0}, {0}}}], {{8, 0}};", "must be -8 to 7, got 8"),
    ("tex.2d.v4.f32.f32 {d}, [{t}, {{{0}, {0}}}], {{%r1, 0}};", "not constants"),
    ("tex.2d.v4.f32.f32 {d}, [{t}, {{{0}, {0}}}], {{0, 0}}, {0};", "depth comparison"),
    ("tex.cube.v4.f32.f32 {d}, [{t}, {{{0}, {0}, {0}, {0}}}], {{0, 0, 0}};", "at most"),
    ("tex.level.2d.v4.f32.f32 {d}, [{t}, {{{0}, {0}}}];", "lacks its level")])
def test_offsets_that_no_fetch_has_are_errors(instruction, message):
    with pytest.raises(archdef.errors.PtxError, match=message):
        DEVICES[MACHINES[0]].compile(kernels.kernel(instruction, "f", 4, result="f32")).k.program


def test_a_gather_of_a_cube_takes_four_texels_of_the_face():
    rng, device, n = np.random.default_rng(8), DEVICES[MACHINES[0]], 100
    data = texels(rng, (12, 4, 4, 1), "f4")
    x, y, z = rng.uniform(-1, 1, (3, n)).astype("f4")
    layer = rng.integers(0, 2, n).astype("i4")
    handle = device.texture(device.to_device(data[..., 0]), cube=True, layered=True, normalized=True)
    source = kernels.kernel("tld4.r.acube.v4.f32.f32 {d}, [{t}, {{{0}, {1}, {2}, {3}}}];", "sfff", 4, result="f32")
    got, _ = kernels.run(device, source, handle, [layer, x, y, z], 4, "f4")
    face, s, t = texturing.cube_face(x, y, z)
    for k in range(n):
        expected = texturing.gather(data[6 * layer[k] + face[k]], s[k:k + 1], t[k:k + 1], normalized=True, centred=True)
        assert (bits(got[k]) == bits(expected[0])).all()
