"""The shipped examples, at tiny sizes, leave the same memory on every installed machine and in the reference."""
import re

import numpy as np
import pytest

from archdef import registry
from archdef.examples.workload import Input, Output, workloads
from archdef.run import names
from archdef.testing import Launch, Mismatch, equals_reference, reference
from archdef.testing.templates import HEAD

CASES = [(workload, name) for workload in workloads() for name in registry.names()]
SMALLEST = {"divergence": 256, "matmul": 16, "reduction": 512, "transpose": 32, "vector_add": 300}


@pytest.mark.parametrize("functional", [False, True], ids=["timed", "functional"])
@pytest.mark.parametrize("workload, name", CASES, ids=lambda p: p if isinstance(p, str) else p.name)
def test_examples_equal_the_reference(workload, name, functional):
    architecture = registry.get(name)
    fused = "fp32_fma" in architecture.isa.features
    source = workload.source.with_suffix(".ptx")
    plain = workload.source.with_suffix(".nofma.ptx")
    text = (source if fused or not plain.exists() else plain).read_text()
    symbols = re.findall(r"\.entry\s+(\w+)", text)
    for case in workload.launches(architecture, SMALLEST[workload.name]):
        buffers = [np.zeros_like(a.expected) if isinstance(a, Output) else a.array if isinstance(a, Input) else a for a in case.arguments]
        entry = names.find(case.kernel, tuple(symbols), str(source))
        arguments = tuple(np.float32(b).tobytes() if isinstance(b, float) else b for b in buffers)
        launch = Launch(text, arguments, case.grid, case.block, entry, case.shared_bytes)
        equals_reference(architecture, launch, functional=functional)


def test_a_difference_is_found(everything):
    """Where shared memory shows up in the generic space is each side's own business, so a kernel that stores it cannot pass."""
    text = HEAD + """.visible .entry k(.param .u64 out)
{ .reg .b64 %rd<4>; .shared .align 8 .b8 sh[8]; ld.param.u64 %rd1, [out]; mov.u64 %rd2, sh; cvta.shared.u64 %rd3, %rd2; st.global.u64 [%rd1], %rd3; ret; }"""
    with pytest.raises(Mismatch, match="gizmo.*, 32 lanes: array 0 differs in 1 of 1 elements, first in element 0: engine 0x1000000"):
        equals_reference(everything, Launch(text, (np.zeros(1, "u8"),)))


def test_what_the_reference_does_not_know_is_an_error(everything):
    text = HEAD + ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; mov.u32 %r2, %clock; ret; }"
    with pytest.raises(reference.Unknown, match="line 4: `mov.u32 %r2, %clock;`: the reference has no special register %clock"):
        equals_reference(everything, Launch(text, (np.zeros(32, "u4"),)))
