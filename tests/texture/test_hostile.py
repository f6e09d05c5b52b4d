"""Whatever handles, coordinates, descriptions and micro-ops say, a launch ends in data or in a named error."""
from types import SimpleNamespace

import kernels
import numpy as np
import pytest
from archdef.engine.texture_table import TEXTURE_DTYPE
from hypothesis import given, settings
from hypothesis import strategies as st

import archdef
from archdef.engine import core
from archdef.errors import ArchdefError, GuestFault, LaunchError, PtxError
from archdef.lower.encoding import CONSTANT_ROW, MICRO_OP, NO_ROW, SPECIAL_ROW, Kind
from archdef.run import texture as handles

MACHINES = kernels.machines("texture", "texture_objects", "surface", "texture_layered", "texture_cubemap", "texture_gather")
pytestmark = pytest.mark.skipif(not MACHINES, reason="no installed architecture has all texture features")
DEVICE = archdef.Device(MACHINES[0]) if MACHINES else None
WORDS = st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2**31 - 1, 2**31, 2**32 - 1, 0x7F800000, 0xFF800000, 0x7FC00000]))
FETCHES = [f"{op} {{d}}, [{{t}}, {{{{{words}}}}}];" for op, words in (
    ("tex.1d.v4.f32.f32", "{0}"), ("tex.2d.v4.f32.f32", "{0}, {1}"), ("tex.3d.v4.f32.f32", "{0}, {1}, {2}, {2}"),
    ("tex.1d.v4.f32.s32", "%r6"), ("tex.2d.v4.f32.s32", "%r6, %r7"), ("tex.a2d.v4.f32.f32", "%r6, {0}, {1}, {1}"),
    ("tex.cube.v4.f32.f32", "{0}, {1}, {2}, {2}"), ("tld4.a.2d.v4.f32.f32", "{0}, {1}"),
    ("suld.b.2d.v4.b32.clamp", "%r6, %r7"), ("suld.b.3d.v4.b32.zero", "%r6, %r7, %r6, %r6"), ("suld.b.a2d.v4.b32.trap", "%r6, %r7, %r6, %r6"))]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FETCHES), st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=40), st.integers(0, 5), st.booleans(),
       st.sampled_from(["clamp", "wrap", "mirror", "border"]), st.sampled_from(["point", "linear"]))
def test_any_coordinate_of_any_texture(instruction, words, which, normalized, address, filter):
    data = DEVICE.to_device(np.arange(6 * 3 * 3 * 4, dtype="f4").reshape([(216,), (18, 12), (6, 6, 6), (24, 9), (6, 6, 6), (6, 6, 6)][which]))
    how = dict(layered=which in (3, 4), cube=which == 5)
    sampled = DEVICE.texture(data, **how, filter=filter, normalized=normalized, address=address)
    handle = DEVICE.surface(data, layered=how["layered"]) if instruction.startswith("su") and which != 5 else sampled
    prepare = "mov.b32 %r6, {0}; mov.b32 %r7, {1};"
    columns = [np.array(c, "u4").view("f4") for c in zip(*words)]
    try:
        kernels.run(DEVICE, kernels.kernel(prepare + instruction, "fff", 4), handle, columns, 4)
    except GuestFault as error:
        assert f"{handle.handle:#x}" in str(error)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(TEXTURE_DTYPE.names),
                       st.one_of(st.integers(-2, 9), st.integers(-2**63, 2**63 - 1), st.sampled_from([1 << 28, 1 << 40, 1 << 62])), max_size=4))
def test_a_description_that_leaves_its_memory_is_refused(changes):
    array = DEVICE.to_device(np.zeros((4, 8), "f4"))
    texture = DEVICE.texture(array, filter="linear")
    table = np.frombuffer(handles.of(DEVICE.memory).pack(), TEXTURE_DTYPE).copy()
    table = table[table["handle"] == texture.handle]
    for name, value in changes.items():
        table[name] = value
    x = DEVICE.to_device(np.array([3.5, 1e9, -1e9], "f4"))
    out = DEVICE.zeros((3, 4))
    program = DEVICE.compile(kernels.kernel("tex.2d.v4.f32.f32 {d}, [{t}, {{{0}, {0}}}];", "f", 4)).k.program
    buffer = b"".join(int(v).to_bytes(8, "little") for v in (texture.handle, out.address, 3, x.address))
    try:
        simulation = core.Simulation(DEVICE.machine, program, DEVICE.memory.engine, (1, 1, 1), (32, 1, 1), buffer,
                                     textures=table.tobytes())
    except ValueError as error:
        assert "texture" in str(error)
        return
    try:
        while simulation.advance():
            pass
    except GuestFault:
        pass


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_micro_ops_are_refused_or_run(seed):
    rng = np.random.default_rng(seed)
    ops = np.zeros(2, MICRO_OP)
    ops["issues"], ops["interval"], ops["latency"], ops["reconverge"] = 1, 1, 1, -1
    op = ops[0]
    op["kind"] = rng.choice([Kind.TEXTURE, Kind.SURFACE])
    for name, low, high in (("fn", 0, 8), ("combine", 0, 4), ("element", 0, 9), ("vec", 0, 5), ("count", -1, 6), ("offset", -1, 4),
                            ("width", 0, 9), ("flags", 0, 3), ("atomic_function", 0, 40)):
        op[name] = rng.integers(low, high)
    op["s"] = rng.choice([NO_ROW, -5, -4, -1, 0, 1, 2, 3, 7, 8, 2**30], 5, p=[.1, .02, .02, .3, .1, .1, .1, .1, .1, .03, .03])
    op["d"] = rng.choice([NO_ROW, -1, 0, 2, 4, 6, 7, 8], 4)
    ops[1]["kind"] = Kind.EXIT
    array = DEVICE.to_device(np.zeros((8, 8), "f4"))
    texture, surface = DEVICE.texture(array, filter="linear"), DEVICE.surface(array)
    constants = np.array([(0, 8, (texture if op["kind"] == Kind.TEXTURE else surface).handle), (0, 0, 0), (0, 4, 3)], CONSTANT_ROW)
    program = SimpleNamespace(entry="k", ops=ops, targets=np.zeros(0, np.int32), operands=np.zeros(0, np.int32), constants=constants, specials=np.zeros(0, SPECIAL_ROW),
                              rows=8, predicates=2, shared_bytes=0, local_bytes=0, statements=("a", "b"))
    try:
        simulation = core.Simulation(DEVICE.machine, program, DEVICE.memory.engine, (1, 1, 1), (32, 1, 1),
                                     textures=handles.of(DEVICE.memory).pack())
        while simulation.advance():
            pass
    except (core.ProgramError, GuestFault):
        pass


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("tex tld4 suld.b sust.b txq suq .1d .2d .3d .a2d .cube .level .v4 .f32 .s32 .u32 .b32 .b64 .trap .r .width "
                                "[%rd1, [t, {%f1, %f2} {%r1} , ] ; %r1 {%f1,%f2,%f3,%f4} {%r1,%r2,%r3,%r4} _ {_,_,_,_} [t]".split()),
                min_size=2, max_size=12))
def test_any_text_lowers_or_is_refused_with_its_place(words):
    text = f""".version 7.0
.target sm_50
.address_size 64
.global .texref t;
.visible .entry k() {{ .reg .f32 %f<5>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
{' '.join(words).replace(' .', '.')};
ret; }}"""
    try:
        assert DEVICE.compile(text).k.program
    except PtxError as error:
        assert error.line >= 1
    except ArchdefError:
        pass


def test_what_hardware_has_not_is_refused_in_python():
    array, whole = DEVICE.zeros((4, 8)), DEVICE.zeros((4, 8), "i4")
    for make, message in [
            (lambda: DEVICE.texture(whole, filter="linear"), "linear filtering gives floats"),
            (lambda: DEVICE.texture(array, filter="cubic"), "filter must be one of point, linear, got 'cubic'"),
            (lambda: DEVICE.texture(array, address="mirrored"), "address must be one of .*did you mean mirror"),
            (lambda: DEVICE.texture(array, read="normalized_float"), "integers of 8 or 16 bits, got float32"),
            (lambda: DEVICE.texture(array, channels=3), "channels must be one of 1, 2, 4, got 3"),
            (lambda: DEVICE.texture(array, channels=4), r"last axis .* length 4, got shape \(4, 8\)"),
            (lambda: DEVICE.texture(array, cube=True), "6 square faces"),
            (lambda: DEVICE.texture(array, layout="linear"), "one axis"),
            (lambda: DEVICE.texture(array, width=9), "width .*from 1 to 8"),
            (lambda: DEVICE.texture(np.zeros(4)), "copy it with to_device"),
            (lambda: DEVICE.texture(DEVICE.zeros(4, "f8")), "got float64"),
            (lambda: DEVICE.surface(DEVICE.zeros(0)), "needs texels")]:
        with pytest.raises(LaunchError, match=message):
            make()
