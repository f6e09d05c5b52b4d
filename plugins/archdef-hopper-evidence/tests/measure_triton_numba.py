"""Make the PTX of the set triton-numba-2026-11-22, ``triton_numba_2026_11_22_ptx.tar.xz``: by Triton for compute_80 and by Numba for compute_90.

Both must be installed. The rest is `measure_sets`'s: ``assemble``, ``launch`` and ``collect`` of ``triton_numba_2026_11_22``.
"""
from __future__ import annotations

import importlib.util
import io
import re
import tarfile
from pathlib import Path

from archdef.frontends.numba_cuda import Numba
from archdef.frontends.options import Options
from archdef.frontends.triton_jit import Triton
from archdef_hopper_evidence.calibration import DATA


def _module(name: str):
    spec = importlib.util.spec_from_file_location(name, str(DATA / f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _bare(text: str, kernel: str) -> str:
    """The code alone, under the kernel's own name: no lines of sources, no sections for debuggers."""
    name = re.search(r"\.entry\s+([\w$]+)", text)[1]
    text = re.sub(r"(?s)\n\s*\.section\b.*?\n\s*\}", "", text).replace(name, kernel)
    text = re.sub(r"(?m)^\s*(\.loc\s|\.file\s|//|\$L__\w*(tmp|func)\w*:).*\n", "", text)
    text = re.sub(r"[ \t]*//.*", "", text)
    text = re.sub(r"(?m)^\.version 9\.\d", ".version 9.0", text)  # that of CUDA 13.0, with which it was assembled
    for k, environment in enumerate(dict.fromkeys(re.findall(r"\b_ZN08NumbaEnv\w+", text))):
        text = text.replace(environment, f"NumbaEnv{k}")
    return re.sub(r"\n{2,}", "\n", text.replace(", debug", ""))


def triton() -> dict[str, str]:
    """Kernel → PTX."""
    made, module = {}, _module("triton_numba_2026_11_22_triton")
    for kernel, (types, constants, warps) in module.BUILD.items():
        function = getattr(module, kernel)
        names = [n for n in function.arg_names if n not in constants]
        compiled = Triton().compile(function, Options(signature=dict(zip(names, types.split(), strict=True)), constants=constants,
                                                      settings={"num_warps": warps}, target="compute_80"))
        held = next(iter(compiled.interfaces.values()))
        print(f"{kernel}: {held.block[0]} threads, {held.shared_bytes} bytes")
        made[kernel] = _bare(compiled.ptx, kernel)
    return made


def numba() -> dict[str, str]:
    """Kernel → PTX."""
    from numba import types
    from numba.core import sigutils
    from numba.cuda.random import xoroshiro128p_type

    made, module = {}, _module("triton_numba_2026_11_22_numba")
    for kernel, kinds in module.BUILD.items():
        known = {name: getattr(types, name) for name in types.__all__ if isinstance(getattr(types, name, None), types.Type)}
        known["S"] = types.Array(xoroshiro128p_type, 1, "C")
        signature = sigutils.normalize_signature(eval(f"void({kinds})", known | {"void": types.void}))[0]
        made[kernel] = _bare(Numba().compile(getattr(module, kernel), Options(signature=signature, target="compute_90")).ptx, kernel)
    return made


if __name__ == "__main__":
    with tarfile.open(str(Path(str(DATA)) / "triton_numba_2026_11_22_ptx.tar.xz"), "w:xz") as archive:
        for kernel, text in (triton() | numba()).items():
            entry = tarfile.TarInfo(f"{kernel}.ptx")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
