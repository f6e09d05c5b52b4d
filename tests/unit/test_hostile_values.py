"""Does every value that an argument cannot take end in an ArchdefError, wherever it enters?"""
import json

import archdef
import attrs
import numpy as np
import pytest
from archdef import files, frontends, registry, values
from archdef.errors import ArchdefError, CompileError, DescriptionFileError, DeviceMemoryError, LaunchError, PtxError, SpecErrors, UnknownArchitecture
from archdef.frontends import Options
from archdef.ptx.names import TYPES
from archdef.ptx.table import bits_of
from small_machine import gizmo

PTX = """.version 6.0
.target sm_50
.address_size 64
.const .align 4 .f32 taps[4]; .global .align 4 .u32 count; .global .align 16 .b8 blob[48];
.visible .entry k(.param .u64 p, .param .u32 n, .param .f32 f, .param .b16 h, .param .align 4 .b8 s[12])
{ .reg .u64 %rd<3>; .reg .u32 %r<3>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; st.global.u32 [%rd1], %r1;
  mov.u64 %rd2, blob; ld.const.u32 %r2, [taps]; st.global.u32 [%rd2], %r2; mov.u64 %rd2, count; st.global.u32 [%rd2], %r2; ret; }
"""
ODD = [10**400, -10**400, 10**5000, 1 << 62, 1 << 63, (1 << 63) - 1, 1 << 64, -1, 0, True, float("inf"), float("nan"), 1.5, 1e300, 1e-300, "3", "x", "",
       None, b"1", [], (), {}, object(), np.float64("nan"), np.int64(-1), np.int64(2), np.array([1, 2]), np.array(3), 3 + 2j, "\0", "\ud800",
       "\x1b[31m", ["a", 1], {"a": object()}, {1: 2}, ((),), lambda: 1, np.zeros(0), np.zeros(4, ">i4"), np.array([object()]), range(3), [1, 2, 3],
       np.datetime64("nat"),
       memoryview(b"abc"), Ellipsis, type]
MACHINE = gizmo()
DEVICE = archdef.Device(MACHINE)
MODULE = DEVICE.compile(PTX)
ARRAY = DEVICE.zeros(16)
PIXELS = DEVICE.zeros((4, 4, 4, 4))
MAP = dict(box=(4, 1)), dict(lower=(0, 0), upper=(0, 0), channels=4, pixels=4)
GOOD = (ARRAY, 1, 1.0, 0, bytes(12))
FIELDS = sorted({(type(rule).__name__, getattr(rule, "whole", None), rule.optional): path for path, _, rule in MACHINE.walk()}.values())
"""A field of every kind."""
FIELDS += ["evidence", "changes", "isa.operations.none", "units.none"]


def launched(grid=1, block=32, *more, arguments=GOOD, **options):
    return MODULE.k[(grid, block, *more)].launch(*arguments, **options)


RECORDED = launched(timeline=True)


def argument(position):
    return lambda value: launched(arguments=[*GOOD[:position], value, *GOOD[position + 1:]])


def mapped(name, pixels, listed=False):
    array, given = PIXELS if pixels else DEVICE.zeros((16, 16)), MAP[pixels]
    return lambda value: DEVICE.tensor_map(array, **{**given, name: (value, value) if listed else value})


def on_device(option):
    return lambda value: archdef.Device(MACHINE, **{option: value}).compile(PTX).k[1, 32]


TAKES = {
    "Device": archdef.Device, **{f"Device {name}": on_device(name) for name in ("max_instructions", "max_cycles", "heap_bytes", "print_bytes", "printf", "host")},
    **{f"launch {name}": lambda value, name=name: launched(**{name: value})
       for name in ("max_instructions", "max_cycles", "cooperative", "lanes", "progress", "timeline")},
    "grid": lambda v: launched(v) if not isinstance(v, int) or v < 99 else launched((1, v)), "grid axis": lambda v: launched((1, v)),
    "block": lambda v: launched(1, v), "block axis": lambda v: launched(1, (1, v)),
    "shared bytes": lambda v: launched(1, 32, v), "stream": lambda v: launched(1, 32, 0, v), "on": lambda v: MODULE.k[1, 32].on(v),
    "kernel": lambda v: MODULE[v], "configuration": lambda v: MODULE.k[v],
    **{f"argument {position}": argument(position) for position in range(1, 5)},
    "pointer": lambda v: isinstance(v, (int, np.integer)) or argument(0)(v),
    **{f"{name} {what}": lambda v, name=name, place=place: getattr(DEVICE, name)(*place(v))
       for name in ("empty", "zeros") for what, place in (("shape", lambda v: (v,)), ("axis", lambda v: ((v, 2),)), ("dtype", lambda v: (3, v)))},
    "pinned shape": lambda v: DEVICE.pinned((v, 1 << 50)), "pinned dtype": lambda v: DEVICE.pinned(2, v),
    "to_device": DEVICE.to_device, "empty_like": DEVICE.empty_like,
    **{name: getattr(ARRAY, name) for name in ("copy_from_host", "copy_to_host", "copy_from", "copy_to", "fill_bytes", "zero")},
    "copy stream": lambda v: ARRAY.copy_from(np.zeros(16, "f4"), v), "fill stream": lambda v: ARRAY.fill_bytes(0, v),
    "stream blocking": DEVICE.stream, "stream label": lambda v: DEVICE.stream(label=v),
    "can_access_peer": DEVICE.can_access_peer, "enable_peer": DEVICE.enable_peer,
    "compile": DEVICE.compile, "compile list": lambda v: DEVICE.compile([v]), "compile options": lambda v: DEVICE.compile(PTX, v),
    "lowering": lambda v: DEVICE.compile(PTX, lowering=v),
    **{f"option {field.name}": lambda v, name=field.name: DEVICE.compile(PTX, **{name: v}) for field in attrs.fields(Options)},
    **{f"texture {name}": lambda v, name=name: DEVICE.texture(DEVICE.zeros((4, 4)), **{name: v})
       for name in ("filter", "address", "normalized", "read", "layered", "cube", "channels", "layout", "width")},
    "texture": DEVICE.texture, "surface": DEVICE.surface,
    **{f"sampler {name}": lambda v, name=name: DEVICE.sampler(**{name: v}) for name in ("filter", "address", "normalized")},
    "occupancy": lambda v: archdef.occupancy(v, threads=32, registers=8),
    **{f"occupancy {name}": lambda v, name=name: archdef.occupancy(MACHINE, **{"threads": 32, "registers": 8, name: v})
       for name in ("threads", "registers", "shared_bytes")},
    **{f"evolve {path}": lambda v, path=path: MACHINE.evolve({path: v}) for path in FIELDS},
    "evolve": MACHINE.evolve, "field": lambda v: MACHINE[v], "evidence_for": MACHINE.evidence_for, "unit": MACHINE.unit,
    "interval_cycles": MACHINE.interval_cycles, "derive": lambda v: MACHINE.derive(v, name="other"),
    **{f"derive {name}": lambda v, name=name: MACHINE.derive({}, **{"name": "other", name: v})
       for name in ("name", "evidence", "title", "aliases", "vocabulary", "compute_capability", "family")},
    "architecture": archdef.architecture, "register": registry.register,
    "load": archdef.load, "loads": files.loads, "format": lambda v: files.loads("", v), "dumps format": lambda v: files.dumps(MACHINE, v),
    "unregister": registry.unregister, "front end": frontends.register, "no front end": frontends.unregister,
    **{name: getattr(registry.REGISTRY, name) for name in ("get", "package", "experiments")}, "symbols": lambda v: MODULE.symbols[v],
    **{f"{name} of {symbol}": getattr(MODULE.symbols[symbol], name) for symbol in ("taps", "count", "blob")
       for name in ("copy_from_host", "copy_to_host", "copy_from", "copy_to", "fill_bytes", "zero", "view")},
    **{f"shape of {symbol}": lambda v, symbol=symbol: MODULE.symbols[symbol].view("u1", v) for symbol in ("taps", "blob")},
    "tensor_map": lambda v: DEVICE.tensor_map(v, box=(4, 1)),
    **{f"tensor_map {name}{' of pixels' * pixels}{', each' * listed}": mapped(name, pixels, listed) for pixels in (False, True) for listed in (False, True)
       for name in ("box", "lower", "upper", "channels", "pixels", "type", "shape", "strides", "element_strides", "interleave", "swizzle", "oob_fill",
                    "l2_promotion")},
    "event": lambda v: DEVICE.stream().record(v) if v is not None else None, "event to wait for": lambda v: DEVICE.stream().wait_event(v),
    "earlier event": lambda v: DEVICE.event().elapsed_since(v), "seconds of a call": lambda v: DEVICE.stream().call(int, seconds=v),
    "LaneWindow warps": archdef.LaneWindow, "LaneWindow cycles": lambda v: archdef.LaneWindow(cycles=v),
    "LaneWindow cycle": lambda v: archdef.LaneWindow(cycles=(0, v)), "LaneWindow records": lambda v: archdef.LaneWindow(records=v),
    **{f"TimelineWindow {name}": lambda value, name=name: archdef.TimelineWindow(**{name: value})
       for name in ("detail", "cycles", "multiprocessors", "buckets", "bucket_cycles", "records")},
    "TimelineWindow cycle": lambda v: archdef.TimelineWindow(cycles=(0, v)), "TimelineWindow multiprocessor": lambda v: archdef.TimelineWindow(multiprocessors=[v]),
    "clock of a trace": RECORDED.timeline().to_dict}


@pytest.mark.parametrize("place", TAKES)
@pytest.mark.filterwarnings("ignore")
def test_what_a_place_cannot_take_it_refuses_by_an_archdef_error(place):
    for value in ODD:
        try:
            TAKES[place](value)
        except ArchdefError as error:
            assert "Traceback" not in str(error)


@pytest.mark.parametrize("option", ["max_instructions", "max_cycles"])
def test_a_budget_of_nothing_is_refused_and_not_the_default(option):
    for use in (lambda: launched(**{option: 0}), lambda: archdef.Device(MACHINE, **{option: 0})):
        with pytest.raises(LaunchError, match=f"{option} must be a whole number of at least 1, got 0"):
            use()


def test_none_means_the_devices_budget():
    assert launched(max_instructions=None, max_cycles=None).kernel == "k"


@pytest.mark.parametrize("grid", [float("inf"), float("nan"), 1.5, "3", -1, 0, True, (1, True), (1, 1, 1, 1), ()])
def test_a_grid_is_whole_positive_numbers(grid):
    with pytest.raises(LaunchError, match="grid of k must be one to three positive whole numbers, got") as caught:
        launched(grid)
    assert caught.value.kind == "shape"


@pytest.mark.parametrize("byte", [-1, 256, 1.5, "1"])
def test_bytes_are_0_to_255(byte):
    with pytest.raises(DeviceMemoryError, match="from 0 to 255, got"):
        ARRAY.fill_bytes(byte)


@pytest.mark.parametrize("given", [None, 3, b"gizmo"])
def test_what_names_no_architecture_is_an_unknown_one(given):
    for use in (archdef.Device, lambda given: archdef.occupancy(given, threads=1, registers=1)):
        with pytest.raises(UnknownArchitecture, match="the name of an installed one, or an archdef.Architecture, got"):
            use(given)


# --------------------------------------------------------------------------------------------------------------- arrays
@pytest.mark.parametrize("host", [
    np.arange(6, dtype=">i4"), np.arange(6, dtype=">f8").reshape(2, 3).T, np.arange(12, dtype="f4")[::2], np.arange(12, dtype=">u2")[::-3],
    np.broadcast_to(np.float32(2), (3, 3)), np.array([(1, 2.5), (3, 4.5)], dtype=[("n", ">i2"), ("x", ">f4")]),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(4, dtype="<i8")])
def test_arrays_of_any_layout_arrive_as_the_kernel_reads_them(host):
    host.flags.writeable = False
    native = np.ascontiguousarray(host.astype(host.dtype.newbyteorder("<")))
    array = DEVICE.to_device(host)
    assert array.dtype == native.dtype and array.to_host().tobytes() == native.tobytes()
    for same in (DEVICE.empty_like(host), DEVICE.empty(host.shape, host.dtype)):
        assert same.copy_from_host(host).to_host().tobytes() == native.tobytes()
    out = np.zeros(host.shape, host.dtype)
    assert array.copy_to_host(out).tolist() == host.tolist()
    with pytest.raises(DeviceMemoryError, match="the array is read-only"):
        array.copy_to_host(host)


def test_structures_by_value_arrive_little_endian():
    from archdef.run.arguments import pack

    record = np.array([(1, 2, 3)], dtype=[("a", ">i4"), ("b", ">i4"), ("c", ">f4")])
    layout = [p for p in MODULE.k.parameters if p.name == "s"]
    layout = [attrs.evolve(layout[0], offset=0)] if attrs.has(type(layout[0])) else layout
    for given in (record[0], record.reshape(())):
        assert pack("k", layout, [given], DEVICE.memory)[-12:] == np.array([1, 2, np.float32(3).view("i4")], "<i4").tobytes()


def test_a_tensor_map_of_memory_that_was_given_back_is_refused():
    array = DEVICE.zeros((16, 16))
    assert DEVICE.tensor_map(array, box=(4, 1))
    array.free()
    with pytest.raises(LaunchError, match="the device array was freed"):
        DEVICE.tensor_map(array, box=(4, 1))


def test_masked_elements_are_refused():
    with pytest.raises(DeviceMemoryError, match="fill them first"):
        DEVICE.to_device(np.ma.array([1, 2], mask=[False, True]))


# -------------------------------------------------------------------------------------------------------- files and texts
@pytest.mark.parametrize("text, format, message", [
    ('{"name": "a", "name": "b"}', "json", "the key 'name' is there twice"), ('name = "a"\nname = "b"', "toml", "not well formed TOML"),
    ('{"warp": {"size": 1, "size": 2}}', "json", "the key 'size' is there twice"), ("[" * 900 + "]" * 900, "json", "deep|recursion"),
    ("[" * 90000, "json", "not well formed"), ('{"a":' * 200 + "1" + "}" * 200, "json", "more than 30 deep"),
    ("a = " + "[" * 100 + "]" * 100, "toml", "more than 30 deep"), ('name = "a\0b"', "toml", "NUL"), ('name = "\ud800"', "toml", "lone surrogate"),
    ("1" * 5000, "json", "not well formed")])
def test_texts_that_hold_no_description_are_refused(text, format, message):
    with pytest.raises(DescriptionFileError, match=message):
        files.loads(text, format)


@pytest.mark.parametrize("value", ["1e300", "-1e300", "18446744073709551616", "NaN", "Infinity", "-Infinity", "1e-300", "1" + "0" * 400])
def test_numbers_that_no_machine_has_are_refused_by_their_path(value):
    data = json.loads(files.dumps(MACHINE, "json"))
    paths = [path for path, number, _ in MACHINE.leaves() if isinstance(number, (int, float)) and not isinstance(number, bool)]
    for path in paths:
        *way, last = path.split(".")
        place = data
        for segment in way:
            place = place[segment]
        place[last] = "HERE"
    with pytest.raises(SpecErrors) as caught:
        files.loads(json.dumps(data).replace('"HERE"', value), "json")
    assert {fault.path.removeprefix("gizmo.") for fault in caught.value.exceptions} >= set(paths)


def test_a_chain_of_bases_has_an_end(tmp_path):
    (tmp_path / "m0.json").write_text(files.dumps(MACHINE, "json"))
    for number in range(1, 1500):
        (tmp_path / f"m{number}.json").write_text(json.dumps({"name": f"m{number}", "base": f"m{number - 1}.json"}))
    assert archdef.load(tmp_path / "m5.json").name == "m5"
    with pytest.raises(DescriptionFileError, match="more than 50 bases"):
        archdef.load(tmp_path / "m1499.json")


@pytest.mark.parametrize("name", ["a\0b.ptx", "\ud800.cu", "x\0"])
def test_names_that_no_file_has_are_refused(name):
    with pytest.raises(CompileError, match="NUL|surrogate"):
        DEVICE.compile(name)
    with pytest.raises(DescriptionFileError, match="NUL|surrogate"):
        archdef.load(name)


@pytest.mark.parametrize("text", ["__global__ void k() {}\0", "__global__ void k() {} // \ud800", PTX + "\0", PTX + "// \ud800"])
def test_sources_hold_no_nul_and_no_half_characters(tmp_path, text):
    with pytest.raises(CompileError, match="NUL|surrogate"):
        DEVICE.compile(text)
    file = tmp_path / ("k.ptx" if ".entry" in text else "k.cu")
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(CompileError):
        DEVICE.compile(str(file))


@pytest.mark.parametrize("prefix", ["_Z", "_ZN", "_ZZ1kE"])
def test_mangled_names_of_any_length_are_names(prefix):
    name = f"{prefix}{'9' * 5000}x"
    module = DEVICE.compile(f".version 6.0\n.target sm_50\n.address_size 64\n.global .u32 {name}g;\n.visible .entry {name}() {{ ret; }}\n")
    assert list(module.kernels) == [name] and list(module.symbols) == [name + "g"] and module[name][1, 1]().kernel


# ------------------------------------------------------------------------------------------------------------------ PTX
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
BODY = (".visible .entry k(.param .u64 p) {{ .reg .b16 %rs<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .f32 %f<3>; .reg .f64 %fd<3>; "
        "ld.param.u64 %rd1, [p]; {} st.global.u32 [%rd1], %r1; ret; }}")
OPERATIONS = ("ld.param{} {}, [p];", "ld.global{} {}, [%rd1];", "st.global{} [%rd1], {};", "mov{} {}, 1;", "add{} {}, {}, {};", "cvt.u32{} %r1, {};",
              "cvt.rn{}.f32 {}, %f1;", "atom.global.add{} {}, [%rd1], {};", "abs{} {}, {};", "setp.eq{} %p, {}, {};", "ld.param.v4{} {{{}, {}, {}, {}}}, [p];")
SIZES = ("0", "-1", "1<<62", "4611686018427387903", "9223372036854775807", "9223372036854775808", "18446744073709551615", "1" + "0" * 400, "1.5", "(1/0)", "")


def refused_or_lowered(text):
    try:
        assert archdef.Device("h100").compile(HEAD + text).k.program
    except ArchdefError as error:
        assert str(error)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_type_does_worse_than_a_named_error(operation):
    for type in sorted(TYPES):
        for register in ("%rs1", "%r1", "%rd1", "%f1"):
            refused_or_lowered(BODY.format(operation.replace("{}", "." + type, 1).replace("{}", register).replace("{{", "{").replace("}}", "}")))


def test_every_type_has_a_width():
    assert all(1 <= bits_of(type) <= 128 for type in TYPES)


@pytest.mark.parametrize("size", SIZES)
def test_no_size_does_worse_than_a_named_error(size):
    for space in ("global", "const", "shared", "local"):
        refused_or_lowered(f".visible .entry k() {{ .{space} .b64 X[{size}]; .reg .b32 %r<3>; ld.{space}.b32 %r1, [X]; ret; }}")
    refused_or_lowered(f".global .b8 X[{size}][{size}];\n" + BODY.format(f"ld.global.u32 %r1, [X+{size}];"))
    refused_or_lowered(f".visible .entry k(.param .align 8 .b8 q[{size}]) {{ .reg .b32 %r<3>; ld.param.b32 %r1, [q+{size}]; ret; }}")
    for directive in ("maxntid", "reqntid", "maxnreg", "minnctapersm", "reqnctapercluster"):
        refused_or_lowered(f".visible .entry k() .maxntid 64 .{directive} {size} {{ ret; }}")


def test_a_variable_larger_than_any_memory_is_refused_where_it_stands():
    with pytest.raises(PtxError, match="<ptx>:4:.*`X` takes more than 1,099,511,627,776 bytes, which no machine has"):
        archdef.Device("h100").compile(HEAD + ".global .b8 X[1 << 62];\n" + BODY.format(""))


# --------------------------------------------------------------------------------------------------------------- helpers
def test_values_are_shown_whatever_they_hold():
    class Broken:
        def __repr__(self):
            raise RuntimeError("boom")

    assert values.shown(10**5000) == "2^16609 and more" and values.shown(-10**5000) == "-2^16609 and more"
    assert values.shown(Broken()) == "a Broken (RuntimeError from its repr)"
    assert values.shown("\x1b[2J\u202e\ud800") == r"'\x1b[2J\u202e\ud800'" and len(values.shown("a" * 10_000)) == values.MOST_SHOWN
    assert values.printable("a\x1b]0;b\x07\n\tc\x9b\u2028") == "a\\x1b]0;b\\x07\n\tc\\x9b\\u2028"
