"""Random whole kernels leave the same memory on the engine and in the reference: any warp size, any passes, every installed machine, timed or not.

The same kernels each time; ``pytest -m long tests/oracle`` draws others until it is stopped, or for as many minutes as
``ARCHDEF_FUZZ_MINUTES`` says.
"""
import os
import time

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from archdef import registry
from archdef.lower import Options
from archdef.spec import ConvergenceBarriers, IpdomStack
from archdef.testing import equals_reference, reference, with_warp_size
from archdef.testing.kernels import launches

EXAMPLES = 3
"""Kernels of each test here."""
WIDTHS = (1, 4, 32, 33, 64)
SIZES = st.one_of(st.sampled_from([32, 1, 2, 4, 8, 16, 64]), st.integers(1, 64))
SWITCHES = [name for name, kind in Options.__annotations__.items() if kind == "bool"]
PASSES = st.one_of(st.just(Options()), st.just(Options(**dict.fromkeys(SWITCHES, False))),
                   st.builds(Options, **dict.fromkeys(SWITCHES, st.booleans())))
HERE = dict(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, max_examples=EXAMPLES)
BOTH = pytest.mark.parametrize("unstructured", [False, True], ids=["structured", "tangled"])


def check(architecture, size, data, unstructured):
    options = data.draw(PASSES, label="passes")
    launch = data.draw(launches(architecture.isa.features, size, unstructured), label="kernel")
    try:
        for functional in (False, True):
            equals_reference(with_warp_size(architecture, size), launch, options=options, max_steps=400_000, functional=functional)
    except reference.Wrong as error:
        assume("too many steps" not in str(error))
        raise


@BOTH
@pytest.mark.parametrize("width, reconvergence", [*((width, IpdomStack()) for width in WIDTHS), (32, ConvergenceBarriers()),
                                                  (64, ConvergenceBarriers())], ids=lambda v: getattr(v, "short_name", v))
@settings(**HERE)
@given(data=st.data())
def test_random_kernels_in_warps_of_any_width(width, reconvergence, unstructured, everything, data):
    check(everything.evolve({"warp.reconvergence": reconvergence}), width, data, unstructured)


@BOTH
@pytest.mark.parametrize("name", registry.names())
@settings(**HERE)
@given(data=st.data())
def test_random_kernels_on_installed_architectures(name, unstructured, data):
    architecture = registry.get(name)
    check(architecture, architecture.warp.size, data, unstructured)


@pytest.mark.long
def test_random_kernels_for_hours(everything):
    end = time.monotonic() + 60 * float(os.environ.get("ARCHDEF_FUZZ_MINUTES", "600"))
    architectures = [everything, *(registry.get(name) for name in registry.names())]
    drawn = 0

    @settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(data=st.data())
    def some(data):
        nonlocal drawn
        drawn += 1
        check(data.draw(st.sampled_from(architectures)), data.draw(SIZES), data, data.draw(st.booleans()))

    while time.monotonic() < end:
        some()
    print(f"{drawn} kernels")
