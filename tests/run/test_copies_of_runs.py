"""Is a run that was pickled, or copied, the same run, whatever was read of it before, and in another process?"""
import copy
import math
import multiprocessing
import pickle

import attrs
import numpy as np
import pytest

import archdef
from archdef.metrics import Metric, Metrics
from archdef.run.result import Run

PTX = """
.version 6.0
.target sm_20
.address_size 64
.visible .entry scale(.param .u64 p) {
.reg .u64 %p, %o; .reg .u32 %t, %b, %w; .reg .f32 %a; .reg .pred %c;
.shared .align 4 .b8 s[512];
ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %w, %ntid.x;
mad.lo.u32 %t, %b, %w, %t; mul.wide.u32 %o, %t, 4; add.u64 %p, %p, %o;
ld.global.f32 %a, [%p];
and.b32 %t, %t, 1; setp.eq.u32 %c, %t, 0; @%c bra ON;
mul.f32 %a, %a, %a; add.f32 %a, %a, %a; mul.f32 %a, %a, %a; add.f32 %a, %a, %a; mul.f32 %a, %a, %a; add.f32 %a, %a, %a; mul.f32 %a, %a, %a;
ON:
st.global.f32 [%p], %a;
ret;
}
"""
PUBLIC = sorted({name for name in dir(Run) if not name.startswith("_")} - {"compare", "place", "report", "timeline", "to_pandas", "why"})
"""But what takes another run, a statement or a file, or needs an option or a package."""


@pytest.fixture
def run():
    device = archdef.Device("gf100")
    return device.compile(PTX).scale[8, 64].launch(device.to_device(np.ones(512, "f4")), lanes=archdef.LaneWindow())


def read(run):
    """Read, or call, all that a run has."""
    for name in PUBLIC:
        value = getattr(run, name)
        if name == "metrics_of":
            value(run.counters)
        elif callable(value):
            value()


def figures(run):
    """Give every figure of a run as plain data."""
    return run.to_dict(), str(run), repr(run), [line.to_dict() for line in run.statements], run.cpi_stack, run.lane_trace.to_dict()


def figures_in_another_process(pickled):
    """Give the figures of a pickled run."""
    return pickle.dumps(figures(pickle.loads(pickled)))


@pytest.mark.parametrize("copied", [lambda run: pickle.loads(pickle.dumps(run)), copy.deepcopy, copy.copy], ids=["pickled", "copied deep", "copied"])
def test_a_copy_of_a_run_has_the_same_figures_whatever_was_read_before(run, copied):
    fresh = figures(copied(run))
    read(run)
    assert {"metrics", "bounds", "roofline", "reasons", "lines", "lane_trace", "warp_contents"} <= set(vars(run))      # now it has more than its fields
    assert figures(copied(run)) == fresh == figures(run)


def test_a_copy_works_out_its_metrics_anew(run):
    read(run)
    assert set(vars(pickle.loads(pickle.dumps(run)))) == {field.name for field in attrs.fields(Run)}


def test_another_process_finds_the_same_figures(run):
    read(run)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pickle.loads(pool.apply(figures_in_another_process, [pickle.dumps(run)])) == figures(run)


@pytest.mark.parametrize("name", [name for name in PUBLIC if isinstance(getattr(Run, name), property) or hasattr(getattr(Run, name), "attrname")])
def test_what_a_run_works_out_can_be_pickled_by_itself(run, name):
    value = getattr(run, name)
    assert type(pickle.loads(pickle.dumps(value))) is type(value)


def seconds_of(measurement):
    """Give the seconds of a launch: a metric that a plugin might bring."""
    return measurement.counters.elapsed_s


def test_metrics_of_ones_own_go_along(run):
    own = Metrics(run.metrics.measurement, [Metric("seconds", "s", "Seconds.", "elapsed_s", seconds_of)])
    copied = pickle.loads(pickle.dumps(own))
    assert dict(copied) == dict(own) == {"seconds": run.elapsed_s}
    assert all(value is None or math.isfinite(value) for value in pickle.loads(pickle.dumps(run.metrics)).values())
