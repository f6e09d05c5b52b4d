"""Does a timeline have every block, every cycle of every warp and everything that is counted, at its time, without changing any of it?"""
import gzip
import importlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import archdef
from archdef import TimelineWindow, registry
from archdef.cli import main
from archdef.errors import LaunchError
from archdef.frontends import nvrtc
from archdef.host import Host
from archdef.metrics.counters import STALLS
from archdef.run.levels import DETAILS

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SOURCE = """
__global__ void sums(float *out, const float *in, int n)
{
    __shared__ float s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    float v = 0;
    for (int k = i; k < n; k += stride)
        v += in[k * 7 % n] * in[k];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
"""
BLOCKS, N = 24, 1 << 13
SUMMED = ("requests", "bytes_read", "bytes_written", "row_hits", "row_misses", "l2_hits", "l2_misses", "busy_fs")


def launch(architecture, timeline=None, n=N, **options):
    device = archdef.Device(architecture)
    values, out = device.to_device(np.random.default_rng(1).random(n, "f4")), device.zeros(BLOCKS, "f4")
    return device.compile(SOURCE).sums[BLOCKS, 128].launch(out, values, n, timeline=timeline, **options)


@pytest.fixture(scope="module")
def small():
    """A machine of few multiprocessors, so that blocks follow each other."""
    return registry.get("gf100" if "gf100" in registry.names() else registry.names()[0]).evolve({"chip.multiprocessors": 3})


@pytest.fixture(scope="module")
def everything(small):
    return launch(small, TimelineWindow("warps", buckets=16, records=1 << 18))


def problems(trace):
    """What the Trace Event Format does not allow, or a viewer would not draw: spans of a thread that overlap without one lying in the other."""
    found, threads, processes = [], {}, {}
    for e in trace["traceEvents"]:
        if e["ph"] not in ("X", "i", "C", "M") or not isinstance(e["name"], str) or type(e["pid"]) is not int:
            found.append(("kind", e))
        elif e["ph"] == "M":
            if e["name"] not in ("process_name", "process_sort_index", "thread_name", "thread_sort_index"):
                found.append(("metadata", e))
            if e["name"] == "process_name":
                found += [("named twice", e)] * (e["pid"] in processes)
                processes[e["pid"]] = e["args"]["name"]
        elif not isinstance(e["ts"], (int, float)) or not e["ts"] >= 0 or e["pid"] not in processes:
            found.append(("time or process", e))
        elif e["ph"] == "C":
            found += [("value", e)] * (not e["args"] or not all(isinstance(v, (int, float)) and np.isfinite(v) for v in e["args"].values()))
        else:
            if threads.setdefault(e["tid"], e["pid"]) != e["pid"] or type(e["tid"]) is not int:
                found.append(("a thread of two processes", e))
            found += [("duration", e)] * (e["ph"] == "X" and not (isinstance(e["dur"], (int, float)) and e["dur"] >= 0))
    return found + [("overlap", *pair) for thread in threads for pair in overlaps(trace, thread)]


def overlaps(trace, thread, slack=2e-6):
    open_, found = [], []
    for e in sorted((e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == thread), key=lambda e: (e["ts"], -e["dur"])):
        while open_ and open_[-1]["ts"] + open_[-1]["dur"] <= e["ts"] + slack:
            open_.pop()
        if open_ and e["ts"] + e["dur"] > open_[-1]["ts"] + open_[-1]["dur"] + slack:
            found.append((open_[-1], e))
        open_.append(e)
    return found


# --------------------------------------------------------------------------------------------------------------- the same
@pytest.mark.parametrize("name", registry.names())
def test_nothing_that_is_counted_depends_on_what_is_recorded(name):
    without = launch(name)
    for detail in DETAILS:
        run = launch(name, TimelineWindow(detail, buckets=16))
        assert run.cycles == without.cycles
        for counters in ("statements", "multiprocessor", "partition", "issued"):
            assert np.array_equal(getattr(run.counters, counters), getattr(without.counters, counters)), (detail, counters)
        if detail == "kernels":
            assert (run.timeline().partitions["requests"].sum(axis=0) == without.partition["requests"]).all()


def test_requests_of_many_multiprocessors_come_in_the_same_order_when_they_are_recorded():
    """Which of equal requests is first may depend on how the engine divides time, so recording must not divide it otherwise."""
    name = "h100" if "h100" in registry.names() else registry.names()[-1]

    def run(timeline):
        device = archdef.Device(name)
        a, b = device.zeros(1 << 20, "f4"), device.zeros(1 << 20, "f4")
        return device.compile("__global__ void add(float *a, float *b) { int i = blockIdx.x * 256 + threadIdx.x; a[i] += b[i]; }").add[4096, 256].launch(
            a, b, timeline=timeline)

    without = run(None)
    for window in (TimelineWindow("warps", bucket_cycles=1), TimelineWindow(cycles=(777, 3333), bucket_cycles=250)):
        recorded = run(window)
        assert recorded.cycles == without.cycles
        assert np.array_equal(recorded.counters.statements, without.counters.statements)
        assert np.array_equal(recorded.counters.partition, without.counters.partition)


def test_what_runs_multiprocessors_without_a_timeline_has_nothing_of_it():
    """So that a launch that is not recorded pays nothing at its issues: the code that records is compiled beside it."""
    plain, recorded = (Path(importlib.import_module(f"archdef.engine.{name}").__file__).read_bytes() for name in ("sm", "sm_recorded"))
    assert b"timeline_elsewhere" in recorded and b"timeline_elsewhere" not in plain


def test_a_launch_that_is_not_recorded_says_how_to(small):
    run = launch(small)
    assert run.timeline_record is None
    with pytest.raises(LaunchError, match="timeline=True"):
        run.timeline()


# ------------------------------------------------------------------------------------------------------------------- sums
def test_sums_over_time_are_what_the_counters_have(everything):
    timeline, counters = everything.timeline(), everything.counters
    assert timeline.multiprocessors["issued"].sum() == counters.instructions
    assert timeline.multiprocessors["l1_hits"].sum() == counters.l1_hits > 0
    assert timeline.multiprocessors["l1_misses"].sum() == counters.l1_misses > 0
    for field in SUMMED:
        assert (timeline.partitions[field].sum(axis=0) == counters.partition[field]).all(), field
    assert timeline.activity["unit_issues"].sum() == counters.instructions
    assert dict(zip(STALLS, timeline.activity["stall_cycles"].sum(axis=(0, 1)).tolist(), strict=True)) == counters.stalls
    per_multiprocessor = timeline.activity["stall_cycles"].sum(axis=(0, 2))
    assert (per_multiprocessor == counters.multiprocessor["warp_cycles"]).all()


def test_resident_warps_are_near_what_each_multiprocessor_had(everything):
    """They count as they are at the end of an epoch."""
    have = everything.timeline().multiprocessors["warp_cycles"].sum(axis=0)
    assert have == pytest.approx(everything.counters.multiprocessor["warp_cycles"], rel=0.05)


def test_buckets_hold_the_time_and_no_more_than_asked_for(small, everything):
    timeline, narrow = everything.timeline(), launch(small, TimelineWindow(buckets=1 << 12)).timeline()
    assert len(timeline.begins) == len(timeline.multiprocessors) == len(timeline.activity) <= 16 < len(narrow.begins)
    assert timeline.lengths.sum() == narrow.lengths.sum() == everything.cycles
    assert (timeline.bucket_cycles // narrow.bucket_cycles).bit_count() == 1 and timeline.bucket_cycles % narrow.bucket_cycles == 0
    assert timeline.bucket_cycles * 16 >= everything.cycles > timeline.bucket_cycles * 8 - 2 * narrow.bucket_cycles
    assert launch(small, TimelineWindow(bucket_cycles=1000)).timeline().bucket_cycles == 1000


def test_wider_buckets_are_sums_of_narrow_ones(small):
    narrow = launch(small, TimelineWindow("units", buckets=1 << 12)).timeline()
    wide = launch(small, TimelineWindow("units", buckets=16)).timeline()
    factor = wide.bucket_cycles // narrow.bucket_cycles
    assert factor > 1
    starts = np.arange(0, len(narrow.begins), factor)
    for table in ("multiprocessors", "partitions", "activity"):
        for field in getattr(wide, table).dtype.names:
            assert (np.add.reduceat(getattr(narrow, table)[field], starts) == getattr(wide, table)[field]).all(), field


def test_a_window_is_a_part_of_the_whole(small):
    whole = launch(small, TimelineWindow("warps", buckets=1 << 12, records=1 << 18)).timeline()
    width = whole.bucket_cycles
    first, last = width * 10, width * 30
    part = launch(small, TimelineWindow("warps", cycles=(first, last), buckets=1 << 12, records=1 << 18)).timeline()
    assert part.bucket_cycles == width
    assert part.begins.tolist() == list(range(first, last, width))
    for table in ("multiprocessors", "partitions", "activity"):
        for field in getattr(part, table).dtype.names:
            assert (getattr(part, table)[field] == getattr(whole, table)[field][10:30]).all(), field
    for records in ("blocks", "issues"):
        every = getattr(whole, records)
        assert (getattr(part, records) == every[(every["end"] > first) & (every["begin"] < last)]).all()
    assert problems(part.to_dict()) == []


def over_buckets(timeline, stalls):
    """Stall cycles `[bucket, multiprocessor, stall]` of spans (multiprocessor, stall, begin, end), each divided among buckets by itself."""
    made = np.zeros((len(timeline.begins), len(timeline.multiprocessors[0]), len(STALLS)), np.int64)
    for bucket, begin in enumerate(timeline.begins):
        for sm, stall, first, last in stalls:
            np.add.at(made[bucket], (sm, stall), np.maximum(np.minimum(last, begin + timeline.bucket_cycles) - np.maximum(first, begin), 0))
    return made


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("buckets", [16, 1 << 10])
def test_sums_of_a_bucket_are_those_of_the_issues_in_it(name, buckets):
    """Each issue and wait is divided where buckets end, whichever of its parts that is in; narrow buckets end in all of them."""
    timeline = launch(name, TimelineWindow("warps", buckets=buckets, records=1 << 18), n=1 << 11).timeline()
    i, at = timeline.issues, list(STALLS).index
    assert timeline.lost == 0
    turn = i["since"] + i["throttled"]
    free = turn + i["unit_busy"]
    spans = [(i["multiprocessor"], i["cause"], i["begin"], i["since"])]
    spans += [(i["multiprocessor"], np.full(len(i), at(stall)), first, last) for stall, first, last in (
        ("memory_throttle", i["since"], turn), ("pipe_busy", turn, free), ("not_selected", free, i["issue"]), ("selected", i["issue"], i["end"]))]
    assert (over_buckets(timeline, spans) == timeline.activity["stall_cycles"]).all()


# ---------------------------------------------------------------------------------------------------------------- records
def test_every_block_is_there_once_in_a_place_of_its_own(everything):
    blocks = everything.timeline().blocks
    assert sorted(blocks["block"]) == list(range(BLOCKS))
    assert (np.bincount(blocks["multiprocessor"]) == everything.counters.multiprocessor["blocks"]).all()
    assert blocks["begin"].min() == everything.timeline_record.started
    assert blocks["end"].max() <= everything.cycles
    for place in {(b["multiprocessor"], b["slot"]) for b in blocks}:
        mine = np.sort(blocks[(blocks["multiprocessor"] == place[0]) & (blocks["slot"] == place[1])], order="begin")
        assert (mine["end"][:-1] <= mine["begin"][1:]).all()


def test_the_time_of_every_warp_is_told_without_gaps(everything):
    timeline = everything.timeline()
    issues = timeline.issues
    assert ((issues["begin"] <= issues["since"]) & (issues["since"] <= issues["issue"]) & (issues["issue"] <= issues["end"])).all()
    assert (issues["throttled"] + issues["unit_busy"] <= issues["issue"] - issues["since"]).all()
    warps = 128 // everything.architecture.warp.size
    for block in timeline.blocks:
        for warp in range(warps):
            mine = issues[issues["warp"] == block["block"] * warps + warp]
            assert mine["begin"][0] == block["begin"]
            assert (mine["begin"][1:] == mine["end"][:-1]).all()
            assert (mine["multiprocessor"] == block["multiprocessor"]).all() and len(set(mine["slot"])) == 1


def test_issues_agree_with_the_lanes_of_the_same_warp(small):
    run = launch(small, TimelineWindow("warps", records=1 << 18), lanes=archdef.LaneWindow([(2, 1)], (0, 1 << 20)))
    lanes, issues = run.lane_trace.of_warp(1, 2), run.timeline().issues
    mine = issues[issues["warp"] == 2 * (128 // small.warp.size) + 1]
    for field in ("begin", "issue", "end", "statement"):
        assert (lanes[field] == mine[field]).all()


def test_records_beyond_their_room_are_counted(small):
    timeline = launch(small, TimelineWindow("warps", records=10)).timeline()
    whole = launch(small, TimelineWindow("warps", records=1 << 18)).timeline()
    assert len(timeline.blocks) == len(timeline.issues) == 10
    assert timeline.lost == len(whole.blocks) + len(whole.issues) - 20
    assert whole.lost == 0
    assert timeline.activity["unit_issues"].sum() == whole.activity["unit_issues"].sum()


def test_chosen_multiprocessors_are_those_whose_warps_are_recorded(small):
    timeline = launch(small, TimelineWindow("warps", multiprocessors=[2, 0], records=1 << 18)).timeline()
    assert set(timeline.issues["multiprocessor"]) == {0, 2}
    assert set(timeline.blocks["multiprocessor"]) == {0, 1, 2}
    with pytest.raises(LaunchError, match="multiprocessor 3.*has 3"):
        launch(small, TimelineWindow(multiprocessors=3))


def test_each_level_of_detail_has_what_those_before_it_have(small):
    runs = [launch(small, TimelineWindow(detail)).timeline() for detail in DETAILS]
    assert [len(t.blocks) > 0 for t in runs] == [False, True, True, True, True]
    assert [t.activity is not None for t in runs] == [False, False, True, True, True]
    assert [len(t.issues) > 0 for t in runs] == [False, False, False, True, True]
    assert [len(t.requests) > 0 for t in runs] == [False, False, False, False, True]
    sizes = [len(json.dumps(t.to_dict())) for t in runs]
    assert sizes == sorted(set(sizes))


# -------------------------------------------------------------------------------------------------------------- the trace
@pytest.mark.parametrize("clock", ["cycles", "us"])
@pytest.mark.parametrize("detail", DETAILS)
def test_traces_follow_the_rules_of_their_format(small, detail, clock):
    trace = launch(small, TimelineWindow(detail)).timeline().to_dict(clock)
    assert problems(trace) == []
    assert json.loads(json.dumps(trace)) == json.loads(json.dumps(trace, allow_nan=False))


def test_the_rules_find_what_breaks_them(everything):
    def broken(event):
        return problems({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "p"}}, *event]})

    span = {"ph": "X", "name": "a", "cat": "c", "pid": 1, "tid": 1, "ts": 0, "dur": 10}
    assert broken([span, span | {"ts": 2, "dur": 3}]) == []
    assert broken([span, span | {"ts": 5}])
    assert broken([span | {"dur": -1}])
    assert broken([span, span | {"pid": 2}])
    assert broken([{"ph": "C", "name": "n", "pid": 1, "ts": 1, "args": {"x": float("nan")}}])
    assert broken([{"ph": "B", "name": "n", "pid": 1, "tid": 1, "ts": 1}])


def test_a_trace_shows_blocks_warps_and_their_waits(everything):
    events = everything.timeline().to_dict()["traceEvents"]
    by = {kind: [e for e in events if e.get("cat") == kind] for kind in ("kernel", "block", "warp", "issue", "wait")}
    assert [e["name"] for e in by["kernel"]] == ["sums"] and by["kernel"][0]["dur"] == everything.cycles
    assert len(by["block"]) == BLOCKS and "sums (23, 0, 0)" in {e["name"] for e in by["block"]}
    assert len(by["warp"]) == everything.counters.warps
    assert sum(e["dur"] for e in by["wait"] + by["issue"]) == sum(everything.counters.stalls.values())
    waited = {cause: sum(e["dur"] for e in by["wait"] if e["name"] == cause.replace("_", " ")) for cause in STALLS[1:]}
    assert waited == {cause: n for cause, n in everything.counters.stalls.items() if cause != "selected"}
    assert any(e["args"]["statement"].startswith("ld.") and ":" in e["args"]["line"] for e in by["wait"])


def test_files_are_the_same_for_the_same_launch_and_may_be_compressed(small, tmp_path):
    for name in ("a.json", "b.json", "a.json.gz", "b.json.gz"):
        launch(small, True).timeline().save(tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert json.loads(gzip.decompress((tmp_path / "a.json.gz").read_bytes())) == json.loads((tmp_path / "a.json").read_text())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.json.gz", "b.json", "b.json.gz"]


def test_a_run_with_its_timeline_can_be_pickled(everything):
    again = pickle.loads(pickle.dumps(everything))
    assert again.timeline().to_dict() == everything.timeline().to_dict()


# -------------------------------------------------------------------------------------------------------------- launching
@pytest.mark.parametrize("wrong", [dict(detail="lanes"), dict(cycles=(5, 5)), dict(cycles=7), dict(cycles=(-1, 5)), dict(buckets=3), dict(buckets=0),
                                   dict(bucket_cycles=0), dict(records=0), dict(multiprocessors=()), dict(multiprocessors=(-1,))])
def test_windows_that_make_no_sense_are_refused(wrong):
    with pytest.raises(LaunchError):
        TimelineWindow(**wrong)


@pytest.mark.parametrize("wrong", ["blocks", 1, {"detail": "blocks"}])
def test_the_option_is_true_or_a_window(small, wrong):
    with pytest.raises(LaunchError, match="TimelineWindow"):
        launch(small, wrong)


def stream_session(architecture, timeline):
    """Two streams whose kernels run together, with copies."""
    device = archdef.Device(architecture, host=Host())
    module = device.compile(SOURCE)
    launched = []
    for _ in range(2):
        stream, array, out = device.stream(), device.empty(N, "f4"), device.zeros(BLOCKS, "f4")
        array.copy_from(np.ones(N, "f4"), stream)
        launched.append(module.sums[BLOCKS, 128, 0, stream].launch(out, array, N, timeline=timeline))
        stream.record()
    device.synchronize()
    return device, [each.result() for each in launched]


def test_kernels_that_run_together_have_their_own_blocks(small):
    _, without = stream_session(small, None)
    _, runs = stream_session(small, TimelineWindow("warps", records=1 << 18))
    for run, other in zip(runs, without, strict=True):
        timeline = run.timeline()
        assert run.cycles == other.cycles and np.array_equal(run.counters.statements, other.counters.statements)
        assert sorted(timeline.blocks["block"]) == list(range(BLOCKS))
        assert timeline.activity["unit_issues"].sum() == run.counters.instructions
        assert dict(zip(STALLS, timeline.activity["stall_cycles"].sum(axis=(0, 1)).tolist(), strict=True)) == run.counters.stalls
        assert timeline.blocks["end"].max() <= run.cycles


def test_a_session_is_one_trace_with_the_blocks_of_its_kernels_at_their_time(small, tmp_path):
    device, runs = stream_session(small, TimelineWindow("blocks"))
    device.host.timeline().save(tmp_path / "session.json")
    trace = json.loads((tmp_path / "session.json").read_text())
    assert problems(trace) == []
    processes = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
    kernels = [s for s in device.host.timeline() if s.kind == "kernel"]
    assert len(kernels) == len(runs) == 2
    for number, span in enumerate(kernels, start=1):
        mine = {pid for pid, name in processes.items() if f"[{number}]: multiprocessor" in name}
        blocks = [e for e in trace["traceEvents"] if e.get("cat") == "block" and e["pid"] in mine]
        assert len(blocks) == BLOCKS
        assert min(e["ts"] for e in blocks) == pytest.approx(span.start_us, abs=1e-3)
        assert max(e["ts"] + e["dur"] for e in blocks) <= span.end_us + 1e-3
    assert {"copies", "kernels"} <= {e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}


ABLE = [name for name in registry.names() if "dynamic_parallelism" in registry.get(name).isa.features]
NESTED = """
__global__ void child(int *x) { atomicAdd(x + threadIdx.x, 1); }
__global__ void parent(int *x, int n) { if (threadIdx.x == 0) for (int i = 0; i < n; i++) child<<<2, 32>>>(x); }
"""


@pytest.mark.skipif(not ABLE, reason="no machine whose kernels launch others")
def test_blocks_of_launches_by_kernels_are_named_by_their_kernel():
    device = archdef.Device(ABLE[0])
    x = device.zeros(32, "i4")
    run = device.compile(NESTED).parent[1, 64].launch(x, 3, timeline=TimelineWindow("warps"))
    assert (x.copy_to_host() == 6).all() and len(run.launches) == 3
    timeline = run.timeline()
    trace = timeline.to_dict()
    assert problems(trace) == []
    names = [e["name"] for e in trace["traceEvents"] if e.get("cat") == "block"]
    assert sorted(names) == sorted(["parent (0, 0, 0)", *["child (0, 0, 0)", "child (1, 0, 0)"] * 3])
    assert [e["name"] for e in trace["traceEvents"] if e.get("cat") == "kernel"] == ["parent", "child", "child", "child"]
    issued = {e["name"] for e in trace["traceEvents"] if e.get("cat") == "issue"}
    assert any("atom" in text or "red." in text for text in issued)
    assert dict(zip(STALLS, timeline.activity["stall_cycles"].sum(axis=(0, 1)).tolist(), strict=True)) == run.counters.stalls


# -------------------------------------------------------------------------------------------------------- the command line
def command(tmp_path, *options):
    (tmp_path / "sums.cu").write_text('extern "C" ' + SOURCE.strip())
    return CliRunner().invoke(main, ["run", str(tmp_path / "sums.cu"), "sums", "-a", registry.names()[0], "-g", "4", "-b", "128", "--arg", "f4[4]",
                                     "--arg", "f4[512]=ones", "--arg", "512", *options])


def test_the_command_writes_a_trace(tmp_path):
    path = tmp_path / "trace.json.gz"
    result = command(tmp_path, "--timeline", str(path), "--timeline-detail", "warps", "--timeline-cycles", "100:")
    assert result.exit_code == 0, result.output
    trace = json.loads(gzip.decompress(path.read_bytes()))
    assert problems(trace) == []
    assert trace["otherData"]["kernel"] == "sums"
    assert {"issue", "wait", "block"} <= {e.get("cat") for e in trace["traceEvents"]}


@pytest.mark.parametrize("options, says", [
    (["--timeline", "trace.txt"], "does not end in"), (["--timeline", "none/trace.json"], "no folder"), (["--timeline-detail", "warps"], "--timeline"),
    (["--timeline", "trace.json", "--timeline-cycles", "9:9"], "FIRST:LAST"), (["--timeline", "trace.json", "--timeline-cycles", "9"], "FIRST:LAST")])
def test_the_command_refuses_what_it_cannot_write_before_it_runs(tmp_path, monkeypatch, options, says):
    monkeypatch.chdir(tmp_path)
    result = command(tmp_path, *options)
    assert result.exit_code and says in result.output
    assert not list(tmp_path.glob("*.json"))
