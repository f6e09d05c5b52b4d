"""Do programs see rows, arrays, textures and surfaces as CUDA's headers describe them?"""
import pytest
from fat import binary, entry

from archdef import exec as programs
from archdef import registry

MACHINES = [name for name in ("gt200", "v100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
PLACE = """
    .reg .b32 %r<4>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r3, %r2, 12, %r1; mul.wide.u32 %rd1, %r3, 4;
    ld.param.u64 %rd2, [out]; add.s64 %rd3, %rd2, %rd1; ld.param.u64 %rd4, [handle];
    cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2; add.f32 %f3, %f1, 0f3F000000; add.f32 %f4, %f2, 0f3F000000;
"""


def kernel(name, body):
    return f".visible .entry {name}(.param .u64 out, .param .u64 handle)\n{{{PLACE}{body}\n    ret;\n}}\n"


CODE = ".version 6.0\n.target sm_30\n.address_size 64\n.global .texref image;\n" + "".join((
    kernel("fetch", "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd4, {%f3, %f4}]; st.global.f32 [%rd3], %f5;"),
    kernel("fetch_row", "tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [%rd4, {%r1}]; st.global.f32 [%rd3], %f5;"),
    kernel("referenced", "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [image, {%f3, %f4}]; st.global.f32 [%rd3], %f5;"),
    kernel("store", "mad.lo.u32 %r3, %r2, 10, %r1; cvt.rn.f32.u32 %f5, %r3; mov.b32 %r3, %f5; shl.b32 %r1, %r1, 2;"
                    " sust.b.2d.b32.trap [%rd4, {%r1, %r2}], {%r3};")))
FAT = binary(entry(CODE.encode(), target=30))
FEATURES = {"objects": "texture_objects", "mipmaps": "texture_objects", "references": "texture", "surfaces": "surface"}
WRONG = """cudaMallocArray, three channels            cudaErrorInvalidChannelDescriptor
cudaMallocArray, channels of two sizes                cudaErrorInvalidChannelDescriptor
cudaMallocArray, no width                             cudaErrorInvalidValue
cudaMallocArray, more than there is                   cudaErrorMemoryAllocation
cudaMallocArray, sparse                               cudaErrorNotSupported
cudaMalloc3DArray, a cubemap of oblong faces          cudaErrorInvalidValue
cudaMallocMipmappedArray, more than there is          cudaErrorMemoryAllocation
cudaFreeArray, linear memory                          cudaErrorInvalidResourceHandle
cudaMemcpy2DToArray, past the end of rows             cudaErrorInvalidValue
cudaMemcpy2DToArray, rows over each other             cudaErrorInvalidPitchValue
cudaMemcpy2DToArray, part of an element               cudaErrorInvalidValue
cudaMemcpy2DToArray, the wrong direction              cudaErrorInvalidMemcpyDirection
cudaMemcpy2DToArray, no memory                        cudaErrorInvalidValue
cudaMemcpyToArray, past the end                       cudaErrorInvalidValue
cudaMemcpy3D, array and pointer                       cudaErrorInvalidValue
cudaMemcpy3D, past the end                            cudaErrorInvalidValue
cudaMemcpy3D, no structure                            cudaErrorInvalidValue
cudaMemcpy2D, rows very far apart                     cudaErrorInvalidValue
cudaMemcpy2D, past the end                            cudaErrorInvalidValue
cudaMemset2D, rows over each other                    cudaErrorInvalidPitchValue
cudaMemset2D, rows very far apart                     cudaErrorInvalidValue
cudaMallocPitch, more than there is                   cudaErrorMemoryAllocation
cudaCreateTextureObject, no array                     cudaErrorInvalidResourceHandle
cudaCreateTextureObject, no mipmaps                   cudaErrorInvalidResourceHandle
cudaCreateTextureObject, the host's memory            cudaErrorInvalidValue
cudaCreateTextureObject, past the end                 cudaErrorInvalidValue
cudaCreateTextureObject, rows at odd distances        cudaErrorInvalidPitchValue
cudaCreateTextureObject, unknown mode                 cudaErrorInvalidValue
cudaCreateTextureObject, a coloured border            cudaErrorNotSupported
cudaCreateTextureObject, a view                       cudaErrorNotSupported
cudaCreateTextureObject, no structure                 cudaErrorInvalidValue
cudaDestroyTextureObject, no texture                  cudaErrorInvalidValue
cudaBindTextureToArray, no reference                  cudaErrorInvalidTexture
cudaBindTextureToArray, another format                cudaErrorInvalidValue
a launch with a texture of an array that was freed    cudaErrorLaunchFailure"""


def run(command, machine, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, machine, output=output)
        output.seek(0)
        return found, output.read()


@pytest.mark.parametrize("part", ["rows", "boxes", "arrays", "objects", "references", "surfaces", "mipmaps"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_part_of_the_runtime_does_what_it_shall(build, machine, part, tmp_path):
    if part in FEATURES and FEATURES[part] not in registry.described(machine).isa.features:
        pytest.skip(f"{machine} has no {part}")
    found, printed = run([build("textures", fat=FAT), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == {}


def test_a_copy_of_rows_is_one_copy_of_their_bytes(build, tmp_path):
    found, _ = run([build("textures", fat=FAT), "rows"], MACHINES[0], tmp_path)
    assert {each.name: (each.copies, each.nbytes) for each in found.copies} == {
        "copy to device": (1, 40), "copy to host": (1, 40), "memset": (1, 6)}


@pytest.mark.parametrize("machine, part, why", [("c500", "objects", "has no texture objects"), ("gt200", "surfaces", "has no surfaces")])
def test_a_machine_without_them_says_so(build, machine, part, why, tmp_path):
    if machine not in MACHINES:
        pytest.skip("needs the plugins of this repository")
    found, printed = run([build("textures", fat=FAT), part], machine, tmp_path)
    assert "cudaErrorNotSupported" in printed and found.exit_code == 1 and any(why in text for text in found.failures)


def test_each_wrong_call_gets_a_status_of_its_own(build, tmp_path):
    if "v100" not in MACHINES:
        pytest.skip("needs the plugins of this repository")
    _, printed = run([build("textures", fat=FAT), "wrong"], "v100", tmp_path)
    calls, expected = zip(*(line.rsplit(None, 1) for line in WRONG.splitlines()), strict=True)
    assert list(zip(calls, printed.splitlines(), strict=False)) == list(zip(calls, expected, strict=True))
    assert printed.endswith("PASSED\n")
    assert run([build("textures", fat=FAT), "no_texture"], "v100", tmp_path)[1] == "cudaErrorLaunchFailure\nPASSED\n"
