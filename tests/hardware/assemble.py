"""Which forms the vendor's assembler accepts, and their machine code: no GPU is needed for this."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kernel import Form, module

BATCH = 96
"""Forms per module."""


def ptxas() -> str | None:
    """The assembler: on the path, in the toolkit, or in the wheel nvidia-cuda-nvcc."""
    found = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    if not found:
        try:
            import nvidia
            found = next((str(p) for root in nvidia.__path__ for p in Path(root).glob("*/bin/ptxas")), None)
        except ImportError:
            pass
    return found


def assemble(forms: list[Form], program: str) -> tuple[list[Form], bytes]:
    """Drop the forms that the assembler refuses until the rest is a cubin."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "m.ptx"), Path(folder, "m.cubin")
        while forms:
            text = module(forms)
            source.write_text(text)
            done = subprocess.run([program, "-arch=sm_90", "-o", cubin, source], capture_output=True, text=True)
            if done.returncode == 0:
                return forms, cubin.read_bytes()
            starts = [k for k, line in enumerate(text.splitlines(), 1) if line.startswith(".visible .entry")]
            bad = {sum(start <= int(n) for start in starts) - 1 for n in re.findall(r"line (\d+)", done.stderr)}
            if not bad:
                raise RuntimeError(done.stderr)
            forms = [form for k, form in enumerate(forms) if k not in bad]
    return [], b""


def assemble_all(forms: list[Form]) -> list[tuple[list[Form], bytes]]:
    """Cubins of all acceptable forms."""
    program = ptxas()
    batches = [forms[k:k + BATCH] for k in range(0, len(forms), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [made for made in pool.map(lambda batch: assemble(batch, program), batches) if made[0]]
