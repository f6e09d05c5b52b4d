"""Does every value that a call of the runtime cannot take end in an error with the runtime's name and number, for every parameter of every call?"""
import inspect

import attrs
import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import ArchdefError, RuntimeApiError
from archdef.runtime import cuda, maca

ODD = (10**400, -10**5000, 1 << 62, 1 << 63, 1 << 64, -1, 0, 2, True, float("inf"), float("nan"), 1.5, "3", "", "\0", "\ud800", None, b"1", [], (), {},
       {1: 2}, ((),), ["a", 1], [1, 2, 3],
       range(3), object(), np.float64("nan"), np.int64(-1), np.int64(2), np.array([1, 2]), np.array(3), np.zeros(0), np.zeros(4, ">i4"), np.array([object()]),
       np.datetime64("nat"),
       memoryview(b"abc"), 3 + 2j, Ellipsis, type)
PTX = """.version 8.0
.target sm_50
.address_size 64
.const .align 4 .f32 taps[4]; .global .align 4 .u32 count;
.visible .entry k(.param .u64 p, .param .u32 n) { .reg .u64 %rd<3>; .reg .u32 %r<3>; mov.u64 %rd1, taps; ld.const.u32 %r1, [taps]; mov.u64 %rd2, count; st.global.u32 [%rd2], %r1; ret; }
"""
MACHINE = next((name for name in ("k40", "p100", "v100") if name in registry.names()), None)
VOCABULARIES = {"cuda": (cuda, "cuda"), "maca": (maca, "mc")}
SKIPPED = ("use", "default_stream_per_thread", "vocabulary")
"""What takes devices, of which a name makes a new one; and what makes a vocabulary."""


def calls():
    for name, (module, _) in VOCABULARIES.items():
        yield from (pytest.param(name, call, id=call) for call in sorted(dir(module))
                    if not call.startswith("_") and inspect.isroutine(getattr(module, call)) and call not in SKIPPED)


@pytest.fixture
def given():
    """Gives, for a vocabulary, a value that is right for each parameter."""
    def of(vocabulary, call=""):
        module, prefix = VOCABULARIES[vocabulary]
        device = archdef.Device(MACHINE, max_instructions=1000)
        module.use(device)
        code = device.compile(PTX)

        def values():
            pointer, event, other = getattr(module, prefix + "Malloc")(64), *(getattr(module, prefix + "EventCreate")() for _ in range(2))
            return dict(dst=pointer, src=pointer, pointer=pointer, array=np.zeros(8, "u1"), kernel=code.k, module=code, symbol=code.symbols["taps"], grid=1,
                        block=32, count=8, size=64,
                        stream=None, value=0, kind=4, flags=0, device=0, dst_device=0, src_device=0, peer=0, name="count", arguments=(pointer, 3), limit=2,
                        attribute=1, error=1, number=0,
                        type=7, rank=2, address=pointer, dims=(4, 4), strides=(16,), box=(4, 4), element_strides=(1, 1), function=int, block_size=32,
                        launches=[], event=event, start=event,
                        end=other, advice=1) | boxes(module, prefix, call, pointer)
        return values
    yield of
    for module, _ in VOCABULARIES.values():
        module.use()


def boxes(module, prefix, call, pointer):
    """Values that are right for the parameters of a call about rows, arrays and textures."""
    def made(name, *arguments, **named):
        return getattr(module, prefix + name)(*arguments, **named)
    extent, desc = made("Extent", 4, 2, 0), made("ChannelFormatDesc", 8, 0, 0, 0, 1)
    array = made("MallocArray", desc, 8, 4, 2)
    resource, how = made("ResourceDesc", resType=0, array=array), made("TextureDesc")
    rows = made("PitchedPtr", pointer, 16, 16, 4)
    parms = "Memcpy3DPeerParms" if "Peer" in call else "Memcpy3DParms"
    found = dict(desc=desc, extent=extent, width=8, height=4, pitch=8, dpitch=8, spitch=8, wOffset=0, hOffset=0, wOffsetDst=0, hOffsetDst=0, wOffsetSrc=0,
                 hOffsetSrc=0, resDesc=resource, texDesc=how, viewDesc=None, pitched=rows, levels=2, x=8, y=0, z=0, w=0, f=1,
                 p=made(parms, srcPtr=rows, dstArray=array, extent=made("Extent", 4, 2, 1)))
    if "Texture" in call:
        found["texObject"] = made("CreateTextureObject", resource, how)
    if "Surface" in call:
        found["surfObject"] = made("CreateSurfaceObject", resource)
    found |= {end: array for end, named in (("dst", "ToArray"), ("src", "FromArray")) if named in call}
    if "ArrayToArray" in call:
        found |= dict(dst=array, src=made("MallocArray", desc, 8, 4), count=4)
    return found | ({"array": array} if call.removeprefix(prefix) in ("ArrayGetInfo", "GetChannelDesc", "FreeArray") else {})


def tried(call, arguments):
    """Make a call. What is no archdef error goes on, also where the message cannot be shown."""
    try:
        call(*arguments)
    except RuntimeApiError as error:
        assert str(error).isprintable() or "\n" in str(error)
    except ArchdefError as error:
        raise AssertionError(f"an error without a number: {error!r}") from error


@pytest.mark.skipif(MACHINE is None, reason="no machine is installed")
@pytest.mark.parametrize("vocabulary, name", list(calls()))
def test_an_odd_argument_is_refused_with_the_runtimes_error(given, vocabulary, name):
    call, values = getattr(VOCABULARIES[vocabulary][0], name), given(vocabulary, name)
    parameters = [p for p in inspect.signature(call).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    for place, _parameter in enumerate(parameters):
        count = max(place + 1, sum(p.default is p.empty for p in parameters))
        good = values()
        for value in ODD:
            arguments = [good.get(p.name, 0) for p in parameters[:count]]
            arguments[place] = value
            tried(call, arguments)
        if "BeginCapture" in name:      # what was begun is over, or it would refuse what the next values are made by
            getattr(VOCABULARIES[vocabulary][0], VOCABULARIES[vocabulary][1] + "DeviceReset")()


@pytest.mark.skipif(MACHINE is None, reason="no machine is installed")
@pytest.mark.parametrize("name", ["Memcpy3D", "Memcpy3DPeer", "Memset3D", "Malloc3D", "Malloc3DArray", "MallocArray", "CreateTextureObject", "CreateSurfaceObject"])
def test_an_odd_field_of_a_structure_is_refused_with_the_runtimes_error(given, name):
    call, values = getattr(cuda, "cuda" + name), given("cuda", "cuda" + name)
    parameters = [p.name for p in inspect.signature(call).parameters.values() if p.default is p.empty]
    good = values()
    call(*(good.get(p, 0) for p in parameters))
    for parameter in (p for p in parameters if attrs.has(type(good[p])) and type(good[p]).__module__.endswith("structures")):
        for field in attrs.fields(type(good[parameter])):
            for value in ODD:
                tried(call, [attrs.evolve(good[p], **{field.name: value}) if p == parameter else good.get(p, 0) for p in parameters])


@pytest.mark.skipif(MACHINE is None, reason="no machine is installed")
def test_a_tensor_map_is_made_of_what_malloc_gave():
    cuda.use(archdef.Device(MACHINE))
    pointer = cuda.cudaMalloc(64)
    made = cuda.cuTensorMapEncodeTiled(7, 2, pointer, (4, 4), (16,), (4, 4), (1, 1))
    with_array = cuda.cuTensorMapEncodeTiled(7, 2, int(pointer), (4, 4), (16,), (4, 4), (1, 1))
    cuda.use()
    assert bytes(made) == bytes(with_array) and int.from_bytes(bytes(made)[:8], "little") == int(pointer)
