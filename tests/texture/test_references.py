"""References, samplers of their own, references as parameters, queries: PTX that no CUDA C++ of today makes."""
import kernels
import numpy as np
import pytest

import archdef
from archdef.errors import MissingFeature, PtxError
from archdef.testing import texturing

MACHINES = kernels.machines("texture", "texture_objects")
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has textures")
ROW = np.array([1, 2, 4, 8], "f4")
X = np.array([0.1, 0.3, 0.55, 0.9, 1.2, -0.4], "f4")


@pytest.mark.parametrize("name", MACHINES)
def test_samplers_apart_from_textures(name):
    device = archdef.Device(name)
    source = kernels.kernel("tex.1d.v4.f32.f32 {d}, [{t}, s, {{{0}}}];", "f", 4, result="f32", head=".global .samplerref s;")
    module, texture = device.compile(source), device.texture(device.to_device(ROW))
    out = device.zeros((len(X), 4))
    for how in (dict(filter="linear", address="wrap", normalized=True), dict(filter="point", address="border")):
        module.textures["s"] = device.sampler(**how)
        module.k[1, 32](texture, out, len(X), device.to_device(X))
        assert (out.to_host()[:, 0] == texturing.fetch(ROW[:, None], [X], **how)[:, 0]).all()


@pytest.mark.parametrize("name", MACHINES)
def test_a_reference_by_name_and_by_its_address(name):
    device = archdef.Device(name)
    source = kernels.kernel("tex.1d.v4.f32.f32 {{%d0, _, _, _}}, [t, {{{0}}}]; mov.u64 %rd10, t;"
                            " tex.1d.v4.f32.f32 {{%d1, _, _, _}}, [%rd10, {{{0}}}];", "f", 2, result="f32", head=".global .texref t;")
    module, out = device.compile(source), device.zeros((len(X), 2))
    module.textures["t"] = device.texture(device.to_device(ROW), filter="linear", normalized=True)
    module.k[1, 32](0, out, len(X), device.to_device(X))
    expected = texturing.fetch(ROW[:, None], [X], filter="linear", normalized=True)
    assert (out.to_host() == expected).all()


def test_a_reference_as_a_parameter():
    device = archdef.Device(MACHINES[0])
    source = kernels.kernel("tex.1d.v4.f32.f32 {d}, [texture, {{{0}}}];", "f", 4, result="f32").replace(".param .u64 texture", ".param .texref texture")
    source = source.replace("ld.param.u64 %rd1, [texture];", "")
    got, _ = kernels.run(device, source, device.texture(device.to_device(ROW)), [4 * X], 4, "f4")
    assert (got[:, 0] == texturing.fetch(ROW[:, None], [4 * X])[:, 0]).all()


@pytest.mark.parametrize("query, value", [("width", 7), ("height", 5), ("depth", 3), ("array_size", 3), ("normalized_coords", 1),
                                          ("num_mipmap_levels", 1), ("channel_order", 0x10B2), ("channel_data_type", 0x10D2)])
def test_queries_of_textures(query, value):
    device = archdef.Device(MACHINES[-1])
    texture = device.texture(device.zeros((3, 5, 7, 2), "u1"), channels=2, layered=True, normalized=True, read="normalized_float")
    got, _ = kernels.run(device, kernels.kernel(f"txq.{query}.b32 %d0, [{{t}}];", "s", 1), texture, [np.zeros(3, "i4")], 1)
    assert (got == value).all()


def test_queries_of_surfaces():
    machines = kernels.machines("surface")
    if not machines:
        pytest.skip("no installed architecture has surfaces")
    device = archdef.Device(machines[0])
    got, _ = kernels.run(device, kernels.kernel("suq.width.b32 %d0, [{t}]; suq.channel_data_type.b32 %d1, [{t}];", "s", 2),
                         device.surface(device.zeros((5, 7), "i2")), [np.zeros(3, "i4")], 2)
    assert (got == [7, 0x10D8]).all()


def test_pitched_rows_and_part_of_them():
    device, data = archdef.Device(MACHINES[0]), np.arange(40, dtype="u4").reshape(5, 8)
    texture = device.texture(device.to_device(data), layout="pitch", width=6)
    x, y = (v.reshape(-1).astype("i4") for v in np.meshgrid(np.arange(8), np.arange(5)))
    got, _ = kernels.run(device, kernels.kernel("tex.2d.v4.u32.s32 {d}, [{t}, {{{0}, {1}}}];", "ss", 4), texture, [x, y], 4)
    assert (got[:, 0] == np.where(x < 6, data[y, x], 0)).all()


@pytest.mark.parametrize("instruction, message", [
    ("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [nothing, {%f0}];", "nothing"),
    ("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [in0, {%f0}], %f0;", "depth comparison"),
    ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];", "takes 2 coordinates, got 1"),
    ("tex.1d.v4.f32.f32 {%f1, %f2}, [%rd1, {%f0}];", "takes 4 registers, got 2"),
    ("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1+8, {%f0}];", "expected a texture"),
    ("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f0}];", "a handle is a 64-bit register"),
    ("tex.9d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];", "not supported; the nearest form known is `tex"),
    ("sust.b.1d.v2.b32.trap [%rd1, {%r1}], {%r1};", "takes 2 values, got 1"),
    ("sust.b.1d.v4.b64.trap [%rd1, {%r1}], {%rd1, %rd1, %rd1, %rd1};", "at most 16 bytes")])
def test_a_malformed_fetch_is_an_error_at_its_place(instruction, message):
    device = archdef.Device(kernels.machines("surface")[0] if kernels.machines("surface") else MACHINES[0])
    source = kernels.kernel(instruction.replace("{", "{{").replace("}", "}}"), "f", 1)
    line = next(k for k, text in enumerate(source.splitlines(), 1) if instruction in text)
    with pytest.raises(PtxError, match=message) as caught:
        assert device.compile(source).k.program
    assert caught.value.line == line


def test_a_machine_without_textures_says_so():
    device = archdef.Device(MACHINES[0])
    bare = device.architecture.evolve({"isa.features": device.architecture.isa.features - {
        "texture", "texture_objects", "texture_layered", "texture_cubemap", "texture_gather", "surface"}})
    source = kernels.kernel("tex.1d.v4.f32.f32 {d}, [{t}, {{{0}}}];", "f", 4, result="f32")
    with pytest.raises(MissingFeature, match="needs the feature texture"):
        assert archdef.Device(bare).compile(source).k.program


@pytest.mark.parametrize("device", MACHINES)
def test_samplers_and_surfaces_tell_how_they_were_made(device):
    device = archdef.Device(device)
    array = device.to_device(np.zeros((4, 8), "f4"))
    queries = ("filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2", "force_unnormalized_coords")
    body = "".join(f"txq.{query}.b32 %d{k}, [{{t}}];" for k, query in enumerate(queries))
    for made in (device.sampler(filter="linear", address=("wrap", "mirror", "border"), normalized=True),
                 device.texture(array, filter="linear", address=("wrap", "mirror", "border"), normalized=True)):
        got, _ = kernels.run(device, kernels.kernel(body, "s", 5), made, [np.zeros(3, "i4")], 5)
        assert got.tolist() == [[1, 0, 1, 4, 0]] * 3
    got, _ = kernels.run(device, kernels.kernel(body, "s", 5), device.sampler(), [np.zeros(1, "i4")], 5)
    assert got.tolist() == [[0, 3, 3, 3, 1]]


@pytest.mark.skipif(not kernels.machines("surface"), reason="no installed architecture has surfaces")
def test_handles_and_references_know_their_kind():
    device = archdef.Device(kernels.machines("surface")[0])
    array = device.to_device(np.zeros((4, 8), "f4"))
    kinds = ("texref", "surfref", "samplerref")
    body = "".join(f"istypep.{kind} %p2, {{t}}; selp.b32 %d{k}, 1, 0, %p2;".replace("%p2", "%p1") for k, kind in enumerate(kinds))
    expected = {"texture": [1, 0, 0], "surface": [0, 1, 0], "sampler": [0, 0, 1]}
    for made in (device.texture(array), device.surface(array), device.sampler()):
        got, _ = kernels.run(device, kernels.kernel(body, "s", 3), made, [np.zeros(1, "i4")], 3)
        assert got.tolist() == [expected[made.kind]]
    got, _ = kernels.run(device, kernels.kernel(body, "s", 3), 12345, [np.zeros(1, "i4")], 3)
    assert got.tolist() == [[0, 0, 0]]
    named = kernels.kernel(body.replace("{t}", "picture"), "s", 3, head=".global .surfref picture;")
    got, _ = kernels.run(device, named, 0, [np.zeros(1, "i4")], 3)
    assert got.tolist() == [[0, 1, 0]]
    layout = kernels.kernel("suq.memory_layout.b32 %d0, [{t}];", "s", 1)
    for flat, how in ((0, "array"), (1, "pitch")):
        got, _ = kernels.run(device, layout, device.surface(array, layout=how), [np.zeros(1, "i4")], 1)
        assert got.tolist() == [[flat]]
