"""Random whole kernels leave the same memory on the engine and in the reference: any warp size, any passes, every installed machine.

``pytest -m long tests/oracle`` draws until it is stopped, or for as many minutes as ``ARCHDEF_FUZZ_MINUTES`` says.
"""
import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archdef import registry
from archdef.lower import Options
from archdef.testing import equals_reference, with_warp_size
from archdef.testing.kernels import launches

EXAMPLES = 40
SIZES = st.one_of(st.sampled_from([32, 1, 2, 4, 8, 16, 64]), st.integers(1, 64))
PASSES = st.one_of(st.just(Options()), st.just(Options(**dict.fromkeys(Options.__annotations__, False))),
                   st.builds(Options, **dict.fromkeys(Options.__annotations__, st.booleans())))


def check(architecture, data, unstructured):
    size = data.draw(SIZES, label="warp size")
    architecture = with_warp_size(architecture, size)
    options = data.draw(PASSES, label="passes")
    launch = data.draw(launches(architecture.isa.features, size, unstructured), label="kernel")
    equals_reference(architecture, launch, options=options)


HERE = dict(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@pytest.mark.parametrize("unstructured", [False, True], ids=["structured", "tangled"])
@settings(max_examples=EXAMPLES * 3, **HERE)
@given(data=st.data())
def test_random_kernels_on_a_machine_with_every_feature(unstructured, everything, data):
    check(everything, data, unstructured)


@pytest.mark.parametrize("unstructured", [False, True], ids=["structured", "tangled"])
@pytest.mark.parametrize("name", registry.names())
@settings(max_examples=EXAMPLES, **HERE)
@given(data=st.data())
def test_random_kernels_on_installed_architectures(name, unstructured, data):
    check(registry.get(name), data, unstructured)


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
        check(data.draw(st.sampled_from(architectures)), data, data.draw(st.booleans()))

    while time.monotonic() < end:
        some()
    print(f"{drawn} kernels")
