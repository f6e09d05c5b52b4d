"""Which sources are MXMACA's, and what is said of those that are not device code alone?"""
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest

import archdef
from archdef import frontends, registry
from archdef.errors import CompileError
from archdef.frontends import Options, builtin, nvrtc
from archdef.frontends.finder import Finder

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif("c500" not in registry.names(), reason="archdef-xiyun is not installed")]

KERNEL = "__global__ void lanes(unsigned long long *out) { out[threadIdx.x] = __ballot_sync(~0ull, 1); }\n"


def answer(module):
    out = module.device.zeros(64, "u8")
    module.lanes[1, 64](out)
    return out.to_host()


@pytest.mark.parametrize("name, text, options", [
    ("k.maca", KERNEL, {}), ("k.cpp", "#include <mc_runtime.h>\n" + KERNEL, {}), ("k.cu", "#include <maca_fp16.h>\n" + KERNEL, {}),
    ("k.cc", '# include "common/maca_cooperative_groups.h"\n' + KERNEL, {}), ("k.cpp", KERNEL, {"compiler": "maca"})])
def test_a_file_is_mxmaca_by_its_suffix_its_headers_or_because_one_says_so(tmp_path, name, text, options):
    path = tmp_path / name
    path.write_text(text)
    module = archdef.Device("c500").compile(path, **options)
    assert np.array_equal(answer(module), np.full(64, 2**64 - 1, "u8"))
    assert "archdef_xiyun" not in module.compiled.ptx, "PTX says where it was made"


def test_text_that_includes_its_headers_is_mxmaca_and_other_text_is_not():
    device = archdef.Device("c500")
    assert np.array_equal(answer(device.compile("#include <mc_runtime_api.h>\n" + KERNEL)), np.full(64, 2**64 - 1, "u8"))
    assert frontends._FINDER.find("#include <cooperative_groups.h>\n" + KERNEL, Options()).name == "nvrtc"
    assert frontends._FINDER.find(KERNEL, Options()).name == "nvrtc"


def test_variables_have_the_types_of_the_source():
    module = archdef.Device("c500").compile("#include <mc_runtime.h>\n__constant__ float taps[5] = {1, 2}; __device__ int count = -3;\n" + KERNEL)
    assert {name: (s.dtype.str[1:], s.shape, s.to_host().tolist()) for name, s in module.symbols.items()} == {
        "taps": ("f4", (5,), [1, 2, 0, 0, 0]), "count": ("i4", (), -3)}


def test_a_header_can_be_claimed_by_any_plugin(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "gizmo_front_end.py").write_text('''
from archdef import hookimpl
class Gizmo:
    name, takes = "gizmo", "C++ with gizmo.h"
    def accepts(self, source, options): return True
    def missing(self): return None
    def compile(self, source, options): ...
@hookimpl
def archdef_frontends(): return [Gizmo()]
''')
    finder = Finder(builtin, [EntryPoint("gizmo", "gizmo_front_end", "archdef.frontends"),
                              EntryPoint("gizmo.h", "gizmo", "archdef.frontends.headers")])
    assert finder.names()[-1] == "gizmo" and "gizmo.h" not in finder.names()
    assert finder.find("#include <cuda_runtime.h>\n{}", Options()).name == "nvrtc" and "gizmo_front_end" not in sys.modules
    assert finder.find('#include "sub/gizmo.h"\n{}', Options()).name == "gizmo"
    assert finder.find("#include <gizmo.h>\n{}", Options(compiler="nvrtc")).name == "nvrtc"
    sys.modules.pop("gizmo_front_end", None)


@pytest.mark.parametrize("host, line, what", [
    ("int main() { return mcDeviceSynchronize(); }", 3, "`main`"), ("#include <iostream>", 3, "a header of the host's library"),
    ("void go(float *p) { mcMalloc((void **)&p, 4); }", 3, "a call of the runtime API"),
    ("void go(unsigned long long *p)\n{\n    lanes<<<grid(), 64>>>(p);\n    std::sort(p);\n}", 5, "a launch")])
def test_host_code_is_an_error_that_names_its_first_line_and_the_way_out(tmp_path, host, line, what):
    path = tmp_path / "both.maca"
    path.write_text(f"// lanes<<<1, 64>>>(p) would launch it\n{KERNEL}{host}\n")
    with pytest.raises(CompileError, match=rf"^both\.maca:{line}: {what} is host code: .*#ifndef __MACACC_RTC__.*module\.kernel\[grid, block\]"):
        archdef.Device("c500").compile(path)
    path.write_text(f"{KERNEL}#ifndef __MACACC_RTC__\n{host}\n#endif\n")
    archdef.Device("c500").compile(path)


def test_an_error_in_device_code_stays_what_it_is():
    with pytest.raises(CompileError, match=r"source\.maca\(2\): error: identifier \"oops\""):
        archdef.Device("c500").compile("#include <mc_runtime.h>\n__global__ void k(int *p) { *p = oops; }")


def test_a_warning_of_the_compiler_survives_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ARCHDEF_CACHE", str(tmp_path))
    text = "#include <mc_runtime.h>\n__global__ void k(int *p) { int never; *p = 1; }"
    first, second = (archdef.Device("c500").compile(text).compiled for _ in range(2))
    assert "never" in first.log and second.log == first.log and second.compiler.endswith("cached")


def test_its_own_headers_can_be_used_by_half_and_bfloat16_code():
    module = archdef.Device("c500").compile("""
#include <maca_bfloat16.h>
#include <cuda_fp16.h>
#include <cstdint>
__global__ void k(float *out)
{
    __half h = __shfl_xor_sync(-1, __float2half((float)threadIdx.x), 32);
    maca_bfloat16 b = __shfl_sync(-1, __float2bfloat16((float)threadIdx.x), 40);
    out[threadIdx.x] = __half2float(h) + 1000 * __bfloat162float(b);
}""")
    out = module.device.zeros(64, "f4")
    module.k[1, 64](out)
    assert np.array_equal(out.to_host(), (np.arange(64) ^ 32) + 40000)
