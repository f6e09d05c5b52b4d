"""Surface loads and stores move the bytes that their coordinates name, and treat the rest as the instruction says."""
import kernels
import numpy as np
import pytest

import archdef
from archdef.errors import GuestFault
from archdef.testing import texturing

MACHINES = kernels.machines("surface", "texture_objects", "texture_layered")
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has surfaces")
SHAPES = {"1d": (12,), "2d": (5, 12), "3d": (3, 5, 12), "a1d": (4, 12), "a2d": (3, 5, 12)}
FORMS = {"1d": "{{{{{x}}}}}", "2d": "{{{{{x}, {y}}}}}", "3d": "{{{{{x}, {y}, {z}, {z}}}}}", "a1d": "{{{{{z}, {x}}}}}",
         "a2d": "{{{{{z}, {x}, {y}, {y}}}}}"}
TYPES = [("b8", 1), ("b8", 4), ("b16", 1), ("b16", 2), ("b32", 1), ("b32", 2), ("b32", 4), ("b64", 1), ("b64", 2)]
DTYPES = {"b8": "u1", "b16": "u2", "b32": "u4", "b64": "u8"}


def names(geometry):
    """Words of the coordinates, in order of the inputs z, y, x."""
    return FORMS[geometry].format(x="{2}", y="{1}", z="{0}")


def places(rng, geometry, bytes_, n, margin):
    """Inputs z, y, x (bytes), all different inside the surface, some outside if there is a margin."""
    shape = SHAPES[geometry]
    z, y = (shape[0], shape[1] if len(shape) == 3 else 1) if geometry in ("3d", "a1d", "a2d") else (1, shape[0] if geometry == "2d" else 1)
    columns = 12 * 4 // bytes_
    deep, high = (margin * used for used in (geometry in ("3d", "a1d", "a2d"), geometry in ("2d", "3d", "a2d")))
    spots = [(k, j, i) for k in range(-deep, z + deep) for j in range(-high, y + high) for i in range(-margin, columns + margin)]
    chosen = np.array(spots)[rng.permutation(len(spots))[:n]].astype("i4")
    return chosen[:, 0], chosen[:, 1], chosen[:, 2] * bytes_, (z, y, columns)


def registers(kind):
    return {"b8": "b16"}.get(kind, kind)


@pytest.mark.parametrize("kind, count", TYPES)
@pytest.mark.parametrize("geometry", SHAPES)
@pytest.mark.parametrize("boundary", ["trap", "clamp", "zero"])
def test_loads_and_stores(geometry, kind, count, boundary):
    rng, device = np.random.default_rng(1), archdef.Device(MACHINES[0])
    wide = int(kind[1:]) // 8 * count
    z, y, x, (depth, height, columns) = places(rng, geometry, wide, 90, 0 if boundary == "trap" else 2)
    data = rng.integers(0, 2**32, SHAPES[geometry], "u4")
    rows = data.reshape(depth, height, -1).view(DTYPES[kind]).reshape(depth, height, columns, count)
    outside = ((z < 0) | (z >= depth)) & (geometry in ("3d", "a1d", "a2d")) | ((y < 0) | (y >= height)) & (geometry in ("2d", "3d", "a2d"))
    outside |= (x < 0) | (x // wide >= columns)
    used = [np.clip(v, 0, top - 1) for v, top in ((z, depth), (y, height), (x // wide, columns))]
    if geometry[0] == "a":      # layers are unsigned
        used[0] = np.where(z < 0, depth - 1, used[0])
    surface_array = device.to_device(data)
    handle = device.surface(surface_array, layered=geometry[0] == "a")
    vector = f".v{count}" if count > 1 else ""
    register = registers(kind)
    source = kernels.kernel(f"suld.b.{geometry}{vector}.{kind}.{boundary} {{d}}, [{{t}}, {names(geometry)}];", "sss", count,
                            result=register)
    got, _ = kernels.run(device, source, handle, [z, y, x], count, DTYPES[register])
    expected = rows[used[0], used[1], used[2]]
    if boundary == "zero":
        expected = np.where(outside[:, None], 0, expected)
    assert (got == expected).all()

    values = rng.integers(0, 2**62, (len(x), count), "u8").astype(DTYPES[register])
    loads = "".join(f"ld.global.{register} %d{k}, [%rd9+{k * values.itemsize}];" for k in range(count))
    store = f"sust.b.{geometry}{vector}.{kind}.{boundary} [{{t}}, {names(geometry)}], {{d}};"
    source = kernels.kernel(loads + store, "sss", count, result=register)
    if boundary == "clamp":     # several lanes can hit one place; keep one of each
        _, first = np.unique(np.stack(used), axis=1, return_index=True)
        z, y, x, values, used = z[first], y[first], x[first], values[first], [u[first] for u in used]
    n = len(x)
    out = device.to_device(values)
    device.compile(source).k[-(-n // 64), 64](handle, out, n, *(device.to_device(v) for v in (z, y, x)))
    expected = rows.copy()
    for k in range(n):
        if boundary in {"clamp", "trap"} or not outside[k]:
            expected[used[0][k], used[1][k], used[2][k]] = values[k]
    assert (surface_array.to_host().reshape(-1).view("u1") == expected.reshape(-1).view("u1")).all()


@pytest.mark.parametrize("x, y, why", [(48, 0, "outside the surface"), (-4, 0, "outside the surface"), (0, 5, "outside the surface"),
                                       (0, -1, "outside the surface"), (2, 0, "not a multiple of the 4 bytes")])
def test_a_trap_names_handle_thread_and_line(x, y, why):
    device = archdef.Device(MACHINES[0])
    handle = device.surface(device.zeros((5, 12)))
    source = kernels.kernel("suld.b.2d.b32.trap {d}, [{t}, {{{0}, {1}}}];", "ss", 1)
    with pytest.raises(GuestFault, match=why) as caught:
        kernels.run(device, source, handle, [np.array([0, 4, x], "i4"), np.array([0, 1, y], "i4")], 1)
    assert caught.value.data["thread"] == (2, 0, 0) and caught.value.data["address"] == handle.handle
    assert f"{handle.handle:#x}" in str(caught.value) and "suld.b.2d.b32.trap" in str(caught.value)


def test_surfaces_and_textures_of_one_array_see_each_others_data_in_the_next_launch():
    device = archdef.Device(MACHINES[0])
    array = device.zeros(64)
    where = np.arange(64, dtype="i4")
    write = kernels.kernel("mov.b32 %d0, %r1; shl.b32 %r6, {0}, 2; sust.b.1d.b32.trap [{t}, {{%r6}}], {{%d0}};", "s", 1)
    _, first = kernels.run(device, write, device.surface(array), [where], 1)
    got, second = kernels.run(device, kernels.kernel("tex.1d.v4.u32.s32 {d}, [{t}, {{{0}}}];", "s", 4), device.texture(array), [where], 4)
    assert (got[:, 0] == where).all()
    assert not first.counters.texture_hazards and not second.counters.texture_hazards


# ------------------------------------------------------------------------------------------------------------- reductions
OPERATIONS = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or}
REDUCTIONS = [("add", "u32"), ("add", "s32"), ("add", "u64"), ("and", "b32"), ("or", "b32"),
              *((op, type) for op in ("min", "max") for type in ("u32", "s32", "u64", "s64"))]


@pytest.mark.parametrize("boundary", ["trap", "clamp", "zero"])
@pytest.mark.parametrize("geometry", ["1d", "2d", "3d"])
@pytest.mark.parametrize("op, kind", REDUCTIONS)
def test_reductions_of_bytes(op, kind, geometry, boundary):
    rng, device = np.random.default_rng(3), archdef.Device(MACHINES[0])
    dtype = {"u": "u", "b": "u", "s": "i"}[kind[0]] + str(int(kind[1:]) // 8)
    wide = np.dtype(dtype).itemsize
    z, y, x, (depth, height, columns) = places(rng, geometry, wide, 90, 0 if boundary == "trap" else 2)
    data = rng.integers(0, 2**32, SHAPES[geometry], "u4")
    expected = data.reshape(depth, height, -1).copy().view(dtype)
    values = rng.integers(0, 2**63, len(x), "u8").astype(dtype)
    array = device.to_device(data)
    body = f"ld.global.b{8 * wide} %d0, [%rd9]; sured.b.{op}.{geometry}.{kind}.{boundary} [{{t}}, {names(geometry)}], %d0;"
    out = device.to_device(values.view(f"u{wide}"))
    run = device.compile(kernels.kernel(body, "sss", 1, result=f"b{8 * wide}")).k[-(-len(x) // 64), 64](
        device.surface(array), out, len(x), *(device.to_device(v) for v in (z, y, x)))
    for k in range(len(x)):
        at = [(z[k], depth), (y[k], height), (x[k] // wide, columns)]
        if boundary == "zero" and any(not 0 <= v < size for v, size in at[{"1d": 2, "2d": 1, "3d": 0}[geometry]:]):
            continue
        place = tuple(np.clip(v, 0, size - 1) for v, size in at)
        expected[place] = OPERATIONS[op](expected[place], values[k])
    assert (array.to_host().reshape(-1).view("u1") == expected.reshape(-1).view("u1")).all()
    assert run.counters.atomics > 0 and not run.counters.surface_stores


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("dtype", ["u4", "i4"])
def test_a_reduction_of_texels_follows_their_format(op, dtype):
    rng, device = np.random.default_rng(4), archdef.Device(MACHINES[0])
    data, values = (rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (5, 12), dtype) for _ in range(2))
    array, out = device.to_device(data), device.to_device(values.view("u4"))
    x, y = (device.to_device(a.reshape(-1).astype("i4")) for a in np.meshgrid(np.arange(12), np.arange(5)))
    body = f"ld.global.b32 %d0, [%rd9]; sured.p.{op}.2d.b32.trap [{{t}}, {{{{{{0}}, {{1}}}}}}], %d0;"
    device.compile(kernels.kernel(body, "ss", 1)).k[1, 64](device.surface(array), out, 60, x, y)
    assert (array.to_host() == OPERATIONS[op](data, values)).all()


def test_many_reductions_of_one_texel_follow_each_other():
    device = archdef.Device(MACHINES[0])

    def cycles(where):
        array = device.zeros(64, "u4")
        body = "mov.b32 %d0, 1; sured.p.add.1d.b32.trap [{t}, {{{0}}}], %d0;"
        run = device.compile(kernels.kernel(body, "s", 1)).k[1, 64](device.surface(array), device.zeros(64, "u4"), 64, device.to_device(where))
        return run.cycles, array.to_host()
    apart, one = cycles(np.arange(64, dtype="i4")), cycles(np.zeros(64, "i4"))
    assert apart[1].tolist() == [1] * 64 and one[1].tolist() == [64] + [0] * 63
    assert one[0] > apart[0]


def test_a_reduction_of_texels_of_another_size_is_a_fault():
    device = archdef.Device(MACHINES[0])
    with pytest.raises(GuestFault, match="texels of another size than the 4 bytes"):
        kernels.run(device, kernels.kernel("sured.p.add.1d.b32.trap [{t}, {{{0}}}], %r1;", "s", 1), device.surface(device.zeros(64, "u2")),
                    [np.arange(4, dtype="i4")], 1)


# -------------------------------------------------------------------------------------------------------- formatted stores
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4"])
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("given", [1, 2, 4])
def test_a_formatted_store_converts_to_the_surfaces_format(dtype, channels, given):
    rng, device = np.random.default_rng(5), archdef.Device(MACHINES[0])
    shape = (16, 32) + ((channels,) if channels > 1 else ())
    array = device.zeros(shape, dtype)
    y, x = (a.reshape(-1).astype("i4") for a in np.mgrid[:16, :32])
    values = rng.integers(0, 2**32, (512, 4), "u4")
    small = rng.random((512, 4)) < 0.6
    if dtype[0] == "f":     # floats of every size, subnormal halves and ties among them
        chosen = (rng.standard_normal((512, 4)) * 2.0 ** rng.integers(-28, 20, (512, 4))).astype("f4").view("u4")
        values = np.where(small, np.where(rng.random((512, 4)) < 0.5, chosen & 0xFFFFF000, chosen), values)
    else:
        values = np.where(small, rng.integers(-40000, 70000, (512, 4)).astype("u4"), values)
    out = device.to_device(values)
    loads = "".join(f"ld.global.b32 %d{k}, [%rd9+{4 * k}];" for k in range(4))
    listed = ", ".join(f"%d{k}" for k in range(given))
    vector = f".v{given}" if given > 1 else ""
    body = loads + f"sust.p.2d{vector}.b32.trap [{{t}}, {{{{{{1}}, {{0}}}}}}], {{{{{listed}}}}};"
    device.compile(kernels.kernel(body, "ss", 4)).k[8, 64](device.surface(array, channels=channels), out, 512,
                                                           device.to_device(y), device.to_device(x))
    expected = np.zeros((512, channels), dtype)
    count = min(given, channels)
    expected[:, :count] = texturing.stored(values[:, :count].copy(), dtype)
    found = array.to_host().reshape(512, channels)
    assert (found.view(f"u{found.itemsize}") == expected.view(f"u{found.itemsize}")).all()


@pytest.mark.parametrize("boundary, where", [("clamp", 63), ("zero", None)])
def test_formatted_coordinates_count_texels(boundary, where):
    device = archdef.Device(MACHINES[0])
    array = device.zeros(64, "u2")
    kernels.run(device, kernels.kernel(f"mov.b32 %d0, 7; sust.p.1d.b32.{boundary} [{{t}}, {{{{{{0}}}}}}], {{{{%d0}}}};", "s", 1),
                device.surface(array), [np.array([5, 100], "i4")], 1)
    expected = np.zeros(64, "u2")
    expected[[5] if where is None else [5, where]] = 7
    assert (array.to_host() == expected).all()
