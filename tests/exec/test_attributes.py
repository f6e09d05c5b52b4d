"""Launch attributes, questions about streams and devices, pools, and ranges of NVTX: does each mean what it says, on every kind of machine?"""
import pytest

from archdef import exec as programs
from archdef import registry
from archdef.exec.cuda_runtime import devices
from archdef.run.properties import ATTRIBUTES

MACHINES = [name for name in ("gt200", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")


def run(command, machine, tmp_path):
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(command, machine, output=output)
        output.seek(0)
        return found, output.read()


@pytest.mark.parametrize("part", ["launches", "asked", "pools"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_part_does_what_it_shall(build, machine, part, tmp_path):
    found, printed = run([build("attributes"), part], machine, tmp_path)
    assert printed == "PASSED\n" and found.exit_code == 0 and found.missing == ({"cudaIpcGetMemHandle": 1} if part == "pools" else {})
    if part == "launches":
        assert any("ProgrammaticEvent" in failure for failure in found.failures)


def test_ranges_and_marks_of_a_program_are_in_its_timeline(build, tmp_path):
    found, printed = run([build("attributes"), "ranges"], MACHINES[0], tmp_path)
    assert printed == "PASSED\n" and found.missing == {}
    spans = {span.name: span for span in found.timelines[0].of("host", "ranges")}
    assert set(spans) == {"outer", "crossing", "inner", "library: known", "left open"}
    outer, inner, known, crossing = (spans[name] for name in ("outer", "inner", "library: known", "crossing"))
    (fill,) = found.timelines[0].of(kind="memset")
    assert outer.start <= crossing.start <= inner.start < known.start < known.end <= inner.end <= outer.end <= crossing.end
    assert inner.start <= fill.start and fill.end <= known.end
    (mark,) = found.timelines[0].of("host", "marks")
    assert mark.name == "mark" and inner.start < mark.start <= known.start
    events = found.timelines[0].to_chrome()["traceEvents"]
    assert {"outer", "inner", "library: known"} <= {event.get("name") for event in events}


def test_programs_that_have_nvtx_by_its_headers_alone_are_heard_too(build, tmp_path):
    found, printed = run([build("attributes"), "injected"], MACHINES[0], tmp_path)
    assert printed == "PASSED\n" and [span.name for span in found.timelines[0].of("host", "ranges")] == ["by headers"]


def test_every_attribute_of_cuda_13_is_answered():
    """They are numbered in a row. deviceQueryDrv of cuda-samples asks for most of them, and ends at the first that is refused."""
    assert {number for number, _ in ATTRIBUTES.values()} | devices.CONSTANT_ATTRIBUTES.keys() >= {*range(1, 149)}
