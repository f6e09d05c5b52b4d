"""Do grids of several devices that are launched together know each other, wait for each other, and say so when one never comes?"""
import functools
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.engine import core
from archdef.errors import GuestFault, RuntimeApiError
from archdef.frontends import nvrtc
from archdef.host import current
from archdef.runtime import cuda

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = Path(__file__).with_name("multi_grid.cu")
ABLE = [name for name in registry.names() if "cooperative_launch" in registry.get(name).isa.features]
UNABLE = [name for name in registry.names() if name not in ABLE]
GROUPS = [pair for pair in (("p2000", "v100"), ("v100", "v100"), ("v100", "p2000", "c500"), ("h100", "h100", "h100", "h100"), ("p2000",))
          if set(pair) <= set(ABLE)]
together = pytest.mark.parametrize("names", GROUPS, ids="-".join)


@pytest.fixture(autouse=True)
def devices_are_forgotten():
    yield
    cuda.use()


class Several:
    """Devices, a stream and memory on each."""

    def __init__(self, *names, count=1024):
        self.devices = cuda.use(*[archdef.Device(name) for name in names])
        self.module, self.streams, self.memory = self.devices[0].compile(SOURCE, target="compute_60"), [], []
        for number in range(len(names)):
            cuda.cudaSetDevice(number)
            self.streams.append(cuda.cudaStreamCreate())
            self.memory.append(cuda.cudaMalloc(4 * count))
            cuda.cudaMemset(self.memory[-1], 0)

    def __call__(self, kernel, *more, grid=2, block=64, flags=0):
        """Launch, `more` behind the memory: one list of arguments for each device, or none."""
        arguments = [(memory, *(more[rank] if more else ())) for rank, memory in enumerate(self.memory)]
        return cuda.cudaLaunchCooperativeKernelMultiDevice(
            [(self.module[kernel], grid, block, given, 0, stream) for given, stream in zip(arguments, self.streams, strict=True)], flags)

    def array(self, rank, values):
        """Copy an array to a device."""
        pointer = cuda.cudaSetDevice(rank) or cuda.cudaMalloc(np.asarray(values).nbytes)
        cuda.cudaMemcpy(pointer, np.ascontiguousarray(values))
        return pointer

    def read(self, pointer, count, dtype="u4"):
        values = np.zeros(count, dtype)
        cuda.cudaMemcpy(values, pointer)
        return values


@together
def test_each_thread_knows_its_rank_among_all_grids(names):
    several = Several(*names)
    for launched in several("ranks"):
        launched.result()
    for rank, memory in enumerate(several.memory):
        found = several.read(memory, 5 * 128).reshape(128, 5)
        expected = np.array([[1, rank, len(names), 128 * rank + thread, 128 * len(names)] for thread in range(128)])
        assert np.array_equal(found, expected)


def run_turns(names, work):
    """Run `turns`; seconds of each grid, and the time at which each left each barrier, in seconds from the launch."""
    several = Several(*names)
    turns = len(work[0])
    times = [several.array(rank, np.zeros(turns, "u8")) for rank in range(len(names))]
    launched = several("turns", *[(several.array(rank, np.array(work[rank], "i4")), turns, times[rank]) for rank in range(len(names))])
    runs = [each.result() for each in launched]
    for rank, memory in enumerate(several.memory):
        assert (several.read(memory, 128) == sum(work[rank])).all()
    return runs, [several.read(time, turns, "u8") for time in times]


@together
def test_nobody_leaves_the_barrier_before_the_last_has_come(names):
    n = len(names)
    work = [[300 if turn % n == rank else 5 for turn in range(2 * n)] for rank in range(n)]
    alone = []
    for rank in range(n):       # time of the long turn on each machine, with nobody to wait for
        runs, _ = run_turns((names[rank],), [[300]])
        alone.append(runs[0].elapsed_s)
    runs, _ = run_turns(names, work)
    for run in runs:            # each waits for every long turn, its own or another's
        assert run.elapsed_s > 2 * sum(alone) * 0.9
        if n > 1:
            assert run.counters.stalls["barrier"] > 0.2 * sum(run.counters.stalls.values())


@together
def test_times_are_the_same_again_and_for_short_epochs(names, monkeypatch):
    work = [[20 * (rank + 1), 40, 7] for rank in range(len(names))]
    found = [run_turns(names, work) for _ in range(2)]
    monkeypatch.setattr(core, "Session", functools.partial(core.Session, lookahead_cycles=13))
    found.append(run_turns(names, work))
    first = found[0]
    for runs, times in found[1:]:
        assert [run.cycles for run in runs] == [run.cycles for run in first[0]]
        assert all(np.array_equal(a, b) for a, b in zip(times, first[1], strict=True))


def end_of(stream, what):
    return max(span.end for span in current().timeline().spans if span.name == what and span.stream == stream.label and span.place == stream.context.label)


@pytest.mark.parametrize("flags", [0, 1, 2, 3])
@pytest.mark.skipif(("p2000", "v100") not in GROUPS, reason="needs two machines")
def test_streams_wait_before_and_behind_unless_flags_say_no(flags):
    several = Several("p2000", "v100")
    slow = several.module.without
    cuda.cudaSetDevice(0)
    cuda.cudaLaunchKernel(slow, 1, 32, (several.memory[0], 3000), 0, several.streams[0])
    launched = several("ranks", flags=flags)
    events = []
    for number, stream in enumerate(several.streams):
        cuda.cudaSetDevice(number)
        events.append(cuda.cudaEventCreate())
        cuda.cudaEventRecord(events[-1], stream)
    for each in launched:
        each.result()
    cuda.cudaSetDevice(0)
    cuda.cudaDeviceSynchronize()
    cuda.cudaSetDevice(1)
    cuda.cudaDeviceSynchronize()
    before, kernel = end_of(several.streams[0], "without"), [end_of(stream, "ranks") for stream in several.streams]
    assert kernel[0] > before and (kernel[1] > before) == (not flags & cuda.cudaCooperativeLaunchMultiDeviceNoPreSync)
    recorded = [event.operation.end for event in events]
    if not flags & cuda.cudaCooperativeLaunchMultiDeviceNoPostSync:
        assert min(recorded) >= max(kernel)
    elif flags & cuda.cudaCooperativeLaunchMultiDeviceNoPreSync:
        assert recorded[1] < kernel[0]


@together
def test_threads_that_have_ended_are_not_waited_for(names):
    several = Several(*names)
    for launched in several("some_leave", block=96):
        launched.result()
    for memory in several.memory:
        thread = np.arange(192) % 96
        assert np.array_equal(several.read(memory, 192), (thread % 3 != 1) & (thread < 64))


@together
def test_lanes_may_come_to_the_barrier_from_different_places_where_they_are_independent(names):
    several = Several(*names)
    independent = [registry.get(name).warp.reconvergence.independent for name in names]
    if all(independent):
        for launched in several("two_places"):
            launched.result()
        assert all(np.array_equal(several.read(memory, 128), 2 - np.arange(128) % 2) for memory in several.memory)
        return
    if len(names) == 1:         # each side of the branch arrives for the whole warp, in every warp alike
        several("two_places")[0].result()
        return
    with pytest.raises(GuestFault, match="no warp can go on"):
        several("two_places")[independent.index(False)].result()


DEADLOCKS = {"only_grid_0": (0, ["grid 0 on .* waits for the others", "grid 1 on .* has ended"]),
             "one_more_turn": (1, ["grid 0 on .* has ended", "grid 1 on .* waits for the others"]),
             "grid_1_fails": (0, ["grid 0 on .* waits for the others", "grid 1 on .* has ended with an error"])}


@pytest.mark.parametrize("kernel", DEADLOCKS)
@pytest.mark.parametrize("names", [names for names in GROUPS if len(names) > 1], ids="-".join)
def test_a_grid_that_never_comes_is_a_deadlock_that_tells_of_every_grid(names, kernel):
    several = Several(*names)
    rank, stories = DEADLOCKS[kernel]
    launched = several(kernel)
    with pytest.raises(GuestFault, match=f"(?s)kernel {kernel}.* waits at the barrier of its grid.*") as error:
        launched[rank].result()
    for story in stories:
        assert error.match(story)
    assert error.value.data["barrier"] == "grid" and error.value.data["waiting"]
    if kernel == "one_more_turn":
        assert (several.read(several.memory[0], 128) == 1).all()
    for number in range(len(names)):        # the devices go on
        cuda.cudaSetDevice(number)
        try:
            cuda.cudaDeviceSynchronize()
        except RuntimeApiError as left:
            assert "no warp can go on" in str(left) or "outside" in str(left)
    for again in several("ranks"):
        assert again.result().cycles


@together
def test_a_block_that_never_comes_is_a_deadlock_of_its_own_device(names):
    several = Several(*names)
    with pytest.raises(GuestFault, match=r"block \(0, 0, 0\) waits at a barrier that not all blocks of its grid, or of the grids"):
        several("only_block_0")[0].result()


def test_a_grid_that_was_launched_alone_has_no_such_group():
    for name in ABLE:
        device = archdef.Device(name)
        module, what = device.compile(SOURCE, target="compute_60"), device.zeros((128, 5), "u4")
        for launch in (module.ranks[2, 64], module.ranks[2, 64].cooperative):
            launch(what)
            assert (what.to_host()[:, 0] == 0).all()
        with pytest.raises(GuestFault, match="kernel nobody_else.*trap"):
            module.nobody_else[2, 64].cooperative(what)


@pytest.mark.skipif(not UNABLE or not ABLE, reason="needs a machine with and one without")
def test_a_device_without_cooperative_launches_is_refused_by_name():
    several = Several(ABLE[0], UNABLE[0])
    with pytest.raises(RuntimeApiError, match="does not declare the feature cooperative_launch|needs the feature") as error:
        several("ranks")
    assert error.value.name == ("cudaErrorNoKernelImageForDevice" if "needs the feature" in str(error.value) else "cudaErrorNotSupported")
    assert not current().together


@pytest.mark.skipif(len(ABLE) < 2, reason="needs two machines")
def test_more_blocks_than_the_smallest_device_holds_are_refused():
    several = Several(*ABLE[:2])
    most = []
    for number in range(2):
        cuda.cudaSetDevice(number)
        most.append(cuda.cudaOccupancyMaxActiveBlocksPerMultiprocessor(several.module.nobody_else, 64)
                    * cuda.cudaGetDeviceProperties().multiProcessorCount)
    with pytest.raises(RuntimeApiError, match=f"all blocks must be resident at once, at most {min(most)}") as error:
        several("nobody_else", grid=min(most) + 1)
    assert error.value.name == "cudaErrorCooperativeLaunchTooLarge"
    with pytest.raises(RuntimeApiError, match="there is no flag 4"):
        several("nobody_else", flags=4)


@pytest.mark.parametrize("name", ABLE)
def test_the_runtimes_own_barrier_of_one_grid_keeps_blocks_in_step(name):
    device = archdef.Device(name)
    module = device.compile(SOURCE, target="compute_60")
    x, what = device.to_device(np.ones(512, "i4")), device.zeros((512,), "u4")
    module.whole_grid[4, 128].cooperative(x, 6, what)
    assert (what.to_host() == 0).all() and (x.to_host() == 1 + sum(range(6))).all()
    module.whole_grid[1, 128](x, 2, what)       # not launched for it: the calls say so, and nobody waits
    assert set(what.to_host()[:1].tolist()) == {2}
