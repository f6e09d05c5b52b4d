"""Random whole kernels leave the same memory on the engine and in the reference: any warp size, any passes, every installed machine.

All of it is opt-in for now: an H100 settled abs and neg of NaNs and 64-bit bit fields otherwise than the reference reads the manual
(`missing_forms.txt`), and 32-bit lane masks are refused on wider machines; the random kernels still use both.
``pytest -m long tests/oracle`` draws until it is stopped, or for as many minutes as ``ARCHDEF_FUZZ_MINUTES`` says.
"""
import collections
import os
import time

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from archdef import registry
from archdef.lower import Options
from archdef.testing import equals_reference, reference, with_warp_size
from archdef.testing.kernels import launches

pytestmark = pytest.mark.long

EXAMPLES = 60
SECONDS = 4
"""Time of each test here: what is drawn later passes unseen."""
SIZES = st.one_of(st.sampled_from([32, 1, 2, 4, 8, 16, 64]), st.integers(1, 64))
PASSES = st.one_of(st.just(Options()), st.just(Options(**dict.fromkeys(Options.__annotations__, False))),
                   st.builds(Options, **dict.fromkeys(Options.__annotations__, st.booleans())))


class Budget:
    """Ends a test's search after some seconds, but never the shrinking of what it has found."""

    def __init__(self, seconds: float):
        self.seconds, self.end, self.found = seconds, None, False

    def left(self) -> bool:
        self.end = self.end or time.monotonic() + self.seconds
        return self.found or time.monotonic() < self.end


BUDGETS = collections.defaultdict(lambda: Budget(SECONDS))


def check(architecture, data, unstructured, budget):
    """Draw first, whatever is left of the budget: hypothesis wants the same draws each time."""
    size = data.draw(SIZES, label="warp size")
    options = data.draw(PASSES, label="passes")
    launch = data.draw(launches(architecture.isa.features, size, unstructured), label="kernel")
    if not budget.left():
        return
    try:
        equals_reference(with_warp_size(architecture, size), launch, options=options, max_steps=400_000)
    except reference.Wrong as error:
        assume("too many steps" not in str(error))
        budget.found = True
        raise
    except Exception:
        budget.found = True
        raise


HERE = dict(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@pytest.mark.parametrize("unstructured", [False, True], ids=["structured", "tangled"])
@settings(max_examples=EXAMPLES * 3, **HERE)
@given(data=st.data())
def test_random_kernels_on_a_machine_with_every_feature(unstructured, everything, data):
    check(everything, data, unstructured, BUDGETS["everything", unstructured])


@pytest.mark.parametrize("unstructured", [False, True], ids=["structured", "tangled"])
@pytest.mark.parametrize("name", registry.names())
@settings(max_examples=EXAMPLES, **HERE)
@given(data=st.data())
def test_random_kernels_on_installed_architectures(name, unstructured, data):
    check(registry.get(name), data, unstructured, BUDGETS[name, unstructured])


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
        check(data.draw(st.sampled_from(architectures)), data, data.draw(st.booleans()), Budget(float("inf")))

    while time.monotonic() < end:
        some()
    print(f"{drawn} kernels")
