"""Surface loads and stores move the bytes that their coordinates name, and treat the rest as the instruction says."""
import kernels
import numpy as np
import pytest

import archdef
from archdef.errors import GuestFault

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
        if boundary == "clamp" or boundary == "trap" or not outside[k]:
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
