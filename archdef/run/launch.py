"""One launch: check, pack the arguments, run the engine, wrap what it counted."""
from __future__ import annotations

import logging
import math
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from archdef import values
from archdef._logs import logger
from archdef.engine import core
from archdef.errors import EngineLimit, GuestFault, GuestWarning, HostError, Interrupted, LaunchError
from archdef.metrics import Counters, FunctionalCounters
from archdef.progress import Launches
from archdef.run import failures, footprint, limits, multicast, printing, texture
from archdef.run.arguments import pack
from archdef.run.array import DeviceArray
from archdef.run.foreign import is_foreign
from archdef.run.kept import Kept
from archdef.run.lanes import LaneWindow, Recorded
from archdef.run.loan import Loan
from archdef.run.record import record
from archdef.run.result import Run
from archdef.run.timeline import TimelineRecord, TimelineWindow

if TYPE_CHECKING:
    from archdef.host import Launched, Node, Stream
    from archdef.host.managed import Moved
    from archdef.run.children import ChildLaunch
    from archdef.lower.program import Program
    from archdef.run.images import Placed
    from archdef.run.module import Kernel
    from archdef.run.plan import Plan

_LOG = logger(__name__)
SLICE_MS = 50
"""The engine comes up for air this often, to look for Ctrl-C and to draw the progress bar."""


_Result = TypeVar("_Result", bound="Run | Launched")


class Launcher(Generic[_Result]):
    """A kernel with grid, block and dynamic shared memory; call it with the kernel's arguments.

    What it gives is a `Run`, or in a stream what stands for the `Run` to come.
    """

    def __init__(self, kernel: Kernel, grid: Any, block: Any, shared_bytes: int = 0, stream: Stream | None = None):
        self.kernel, self.stream = kernel, stream
        self.grid = limits.shape(kernel.name, "grid", grid)
        self.block = limits.shape(kernel.name, "block", block)
        if stream is not None and getattr(getattr(stream, "context", None), "memory", None) is None:
            raise HostError(f"a stream is made by Device.stream(), got {values.shown(stream)}")
        shared_bytes = values.whole(shared_bytes, f"dynamic shared memory of {kernel.name} in bytes", LaunchError)
        self.shared_bytes = shared_bytes + kernel.interface.shared_bytes

    def __call__(self, *arguments: Any) -> _Result:
        """Launch with the device's budgets: into the stream, if one was given, else wait for the end."""
        return self.launch(*arguments)

    def on(self, stream: Stream) -> Launcher[Launched]:
        """Give the same launch into a stream; kernels that fix their block themselves have no other way to name one."""
        return Launcher(self.kernel, self.grid, self.block, self.shared_bytes - self.kernel.interface.shared_bytes, stream)

    def of(self, kernel: Kernel) -> Launcher[Run]:
        """Give the same launch of another kernel, in no stream."""
        return Launcher(kernel, self.grid, self.block, self.shared_bytes - self.kernel.interface.shared_bytes)

    def cooperative(self, *arguments: Any, **options: Any) -> _Result:
        """Launch so that the whole grid may synchronise (``this_grid().sync()``); `options` are those of `launch`.

        Raises LaunchError also if not all blocks can be resident at once; it says how many can.
        """
        return self.launch(*arguments, cooperative=True, **options)

    def launch(self, *arguments: Any, max_instructions: int | None = None, max_cycles: int | None = None,
               progress: bool | None = None, cooperative: bool = False, lanes: LaneWindow | None = None,
               cluster: tuple[int, ...] | int | None = None, nonportable_cluster: bool = False,
               timeline: TimelineWindow | bool | None = None, keep: bool = False, functional: bool | None = None) -> _Result:
        """Launch, and wait for the end unless a stream was given. On a device that has streams, launches without one go into
        its default stream.

        max_instructions, max_cycles : budgets of this launch; None for the device's.
        progress                     : False: draw no bar; else one after half a second, if there is a terminal or a notebook to draw it on.
        cooperative                  : as `cooperative` does.
        lanes                        : warps whose lanes are traced cycle by cycle; `Run.lane_trace` has what they did.
        timeline                     : True, or what to record of what happens when; `Run.timeline()` has it.
        cluster                      : blocks of a cluster along x, y, z, which start together; None: what the kernel demands.
        nonportable_cluster          : allow more blocks than every machine with clusters has.
        keep                         : keep the arguments and a copy of device memory as it is before, for `archdef.advise(run)`.
        functional                   : True: execute it without timing it, which is faster; results are right, the `Run` has no cycles. None: as the
                                       device does.

        Arrays of other libraries, in host memory, are arguments too (numpy's, torch's on the CPU, what speaks DLPack): they are copied to the device
        for the launch, and back behind it, for which the host waits. Those that show memory of this device are used in place.

        Raises LaunchError, GuestFault, BudgetExceeded; Interrupted after Ctrl-C, with the `Run` so far. Device memory stays readable. What
        happens in a stream is raised by whoever next waits for it.
        """
        loan = self._loan(arguments)
        grid = self.prepare(*(loan.arguments if loan else arguments), max_instructions=max_instructions, max_cycles=max_cycles, progress=progress,
                            cooperative=cooperative, lanes=lanes, cluster=cluster, nonportable_cluster=nonportable_cluster, timeline=timeline,
                            functional=functional)
        device = self.kernel.module.device
        if values.flag(keep, "keep", LaunchError):
            grid.keep(loan.arguments if loan else arguments)
        if loan:
            loan.give(self.stream)
        result: Run | Launched | Node
        if self.stream is not None:
            result = device.context.launch(grid, self.stream)
        elif device.streams_in_use:
            result = cast("Launched", device.context.launch(grid, None)).result()      # the default stream makes no nodes
        else:
            result = grid.run()
        if loan:
            loan.take_back(self.stream)
        return cast("_Result", result)

    def _loan(self, arguments: Sequence[Any]) -> Loan | None:
        """Find the arrays of other libraries; None where there is none."""
        if not any(is_foreign(argument) for argument in arguments):
            return None
        kernel = self.kernel
        only_read = () if kernel.interface.arguments is not None else [said.pointer and said.constant for said in kernel.declared]
        return Loan(kernel.name, arguments, kernel.module.device.memory, only_read)

    def prepare(self, *arguments: Any, max_instructions: int | None = None, max_cycles: int | None = None,
                progress: bool | None = None, cooperative: bool = False, lanes: LaneWindow | None = None,
                cluster: tuple[int, ...] | int | None = None, nonportable_cluster: bool = False,
                timeline: TimelineWindow | bool | None = None, functional: bool | None = None) -> Grid:
        """Check a launch and pack its arguments, without starting it."""
        kernel, device = self.kernel, self.kernel.module.device
        architecture, name = device.architecture, kernel.name
        most_instructions = _budget(max_instructions, "max_instructions", device.max_instructions)
        most_cycles = _budget(max_cycles, "max_cycles", device.max_cycles)
        cooperative = values.flag(cooperative, "cooperative", LaunchError)
        nonportable_cluster = values.flag(nonportable_cluster, "nonportable_cluster", LaunchError)
        cluster = None if cluster is None else limits.shape(name, "cluster", cluster)
        progress = None if progress is None else values.flag(progress, "progress", LaunchError)
        if lanes is not None and not isinstance(lanes, LaneWindow):
            raise LaunchError(f"lanes must be an archdef.LaneWindow, got {values.shown(lanes)}")
        window = TimelineWindow.of(timeline)
        functional = None if functional is None else values.flag(functional, "functional", LaunchError)
        if functional and (lanes is not None or window is not None):
            raise LaunchError(f"{name} cannot be executed without timing and have its lanes or a timeline recorded, which is of times")
        limits.check_launch(name, architecture, self.grid, self.block)
        program = kernel.program
        limits.check_warp_size(name, architecture, program.statements, kernel.interface.warp_size)
        if (adapt := kernel.interface.arguments) is not None:
            arguments = (*adapt(arguments, program.parameter_layout), *self._scratch())
        parameters = pack(name, program.parameter_layout, arguments, device.memory, kernel.declared)
        plan = kernel.plan(self.block, self.shared_bytes)
        variables, resident = kernel.module.images.placed, plan.resident
        cluster = limits.check_cluster(name, architecture, program, self.grid, cluster, nonportable_cluster, resident)
        if cooperative:
            limits.check_cooperative(name, architecture, program, self.grid, resident)
        return Grid(self, arguments, parameters, program, plan, variables, cooperative, progress,
                    most_instructions, most_cycles, lanes, cluster, window, functional)

    def _scratch(self) -> list[DeviceArray | int]:
        """Give what the code wants besides its arguments, as long as the launch lasts. Raises DeviceMemoryError."""
        memory, blocks = self.kernel.module.device.memory, math.prod(self.grid)
        return [DeviceArray(memory, size * blocks, "u1") if size else 0 for size in self.kernel.interface.scratch_bytes]

    def __repr__(self) -> str:
        return f"<Launcher {values.cut(self.kernel.name)}[{self.grid}, {self.block}, {self.shared_bytes}]>"


def _budget(given: int | None, what: str, otherwise: int) -> int:
    return otherwise if given is None else values.whole(given, what, LaunchError, at_least=1)


class Grid:
    """A launch that was checked and packed, and can start at any time. It keeps what it was given alive until then."""

    def __init__(self, launcher: Launcher[Any], arguments: Sequence[object], parameters: bytes, program: Program, plan: Plan,
                 variables: Placed, cooperative: bool, progress: bool | None, max_instructions: int, max_cycles: int, lanes: LaneWindow | None = None,
                 cluster: tuple[int, int, int] | None = None, timeline: TimelineWindow | None = None, functional: bool | None = None):
        self.launcher, self.arguments, self.parameters, self.program = launcher, arguments, parameters, program
        self.plan, self.resident, self.variables, self.cooperative = plan, plan.resident, variables, cooperative
        self.progress, self.max_instructions, self.max_cycles = progress, max_instructions, max_cycles
        self.name, self.architecture = launcher.kernel.name, launcher.kernel.module.device.architecture
        self.among: tuple[int, int] | None = None
        """Its rank among so many grids that are launched together on several devices."""
        self.bound: Mapping[str, texture.Handle] = launcher.kernel.module.textures.bound     # of now: the references may be bound anew before it starts
        self.moved: Moved | None = None
        """Managed memory that had to move to the device for it."""
        self.lanes, self.cluster = lanes, cluster
        self.tracer = None if lanes is None else lanes.tracer(self.name, math.prod(launcher.grid), plan.resident.warps_per_block)
        self.timeline = timeline
        self.recorder = None if timeline is None else timeline.recorder(self.name, self.architecture.chip.multiprocessors)
        self.functional = functional
        """Whether it is to be executed without being timed; None: its device says so."""
        self._functional: bool | None = None
        self.children = launcher.kernel.children
        """What it can launch, None: it launches nothing."""
        self.engine: core.Session | None = None
        self.running: core.Grid | None = None
        """Session and grid of the engine, while it runs."""
        self.result: Run | None = None
        self.kept: Kept | None = None
        self._began = 0.0

    def keep(self, arguments: Sequence[object]) -> None:
        """Keep what it takes to launch it again, for the `Run`; `arguments` are as they were given. Raises LaunchError where that does not do."""
        if self.launcher.kernel.uses.allocates:
            raise LaunchError(f"{self.name} cannot be kept: it allocates device memory, which is not given back before it is launched again")
        options = dict(max_instructions=self.max_instructions, max_cycles=self.max_cycles, cooperative=self.cooperative, cluster=self.cluster,
                       nonportable_cluster=True)
        self.kept = Kept(self.launcher, arguments, options, self.bound)

    def again(self) -> Grid:
        """Give the same launch once more, not started."""
        return Grid(self.launcher, self.arguments, self.parameters, self.program, self.plan, self.variables, self.cooperative, self.progress,
                    self.max_instructions, self.max_cycles, self.lanes, self.cluster, self.timeline, self.functional)

    @property
    def _at_work(self) -> tuple[core.Session, core.Grid]:
        assert self.engine is not None, "started and not finished"
        assert self.running is not None, "started and not finished"
        return self.engine, self.running

    def is_functional(self) -> bool:
        """Say whether it is executed without being timed; its device, if that decides, is asked once.

        It is timed nevertheless where somebody else has a part in it: grids of other devices that wait for it, the host if it sees memory that
        kernels reach, or who wants what is recorded of times.
        """
        if self._functional is None:
            device = self.launcher.kernel.module.device
            wanted = device.executes_only(self.name) if self.functional is None else self.functional
            timed = self.functional is None and (self.lanes is not None or self.timeline is not None or bool(device.memory.shared_with_host))
            self._functional = wanted and not timed and self.among is None
        return self._functional

    def session(self, launches: int = 1) -> core.Session:
        """Make a session of the engine for it, and for others beside it; each may spend the budgets of this one."""
        device = self.launcher.kernel.module.device
        try:
            return core.Session(device.tables, device.memory.engine, min(self.max_instructions * launches, 1 << 62),
                                min(self.max_cycles * launches, 1 << 50), functional=self.is_functional())
        except MemoryError:
            raise EngineLimit(f"{device.architecture.label} as it is declared takes more memory than this computer has") from None

    def start(self, session: core.Session, earliest_cycle: int = 0) -> core.Grid:
        """Hand it to a session of the engine."""
        launcher, program, variables = self.launcher, self.program, self.variables
        kernel = launcher.kernel
        device = kernel.module.device
        if self.kept is not None:
            self.kept.begin()
        device.served.update(kernel.uses.calls)
        running = session.launch(
            program, launcher.grid, launcher.block, self.parameters, dynamic_shared_bytes=launcher.shared_bytes,
            allowed=self.plan.allowed,
            global_base=variables.global_base, const_base=variables.const_base, name=self.name, heap_bytes=device.heap_bytes,
            print_bytes=device.print_bytes, cooperative=self.cooperative, earliest_cycle=earliest_cycle, kernels=self.children,
            lane_trace=self.tracer, timeline=self.recorder, among=self.among, cluster=self.cluster, **self.plan.l1,
            textures=texture.of(device.memory).pack(self._textures()), multicast=multicast.spans(device.memory))
        self.engine, self.running, self._began = session, running, time.perf_counter()
        if _LOG.isEnabledFor(logging.DEBUG):
            _LOG.debug("%s launched on %s", self.name, self.architecture.label)
        return running

    def _textures(self) -> list[tuple[int, texture.Handle]]:
        if not self.bound:
            return []
        programs = self.children.programs if self.children is not None else [self.program]
        return list(dict.fromkeys(pair for each in programs for pair in texture.placed(self.bound, each, self.variables.global_base)))

    def _constants_written(self) -> bool:
        return self._at_work[1].constants_written and self.launcher.kernel.uses.reads_constants

    def _failures(self) -> tuple[failures.IgnoredFailure, ...]:
        return failures.ignored(self._at_work[1].ignored(), self.children.programs) if self.children is not None else ()

    def _memory_map(self) -> footprint.MemoryMap:
        kernel, program = self.launcher.kernel, self.program
        device = kernel.module.device
        shares = (self.resident.active_warps, device.memory.taken("global"), device.memory.taken("constant"), device.heap_bytes if kernel.uses.allocates else 0)
        if kernel.latest_map is None or kernel.latest_map[0] != shares:
            warps, in_global, constant, heap = shares
            kernel.latest_map = shares, footprint.memory_map(
                device.architecture, resident_warps=warps, local_bytes=program.local_bytes, global_bytes=in_global, constant_bytes=constant,
                parameter_bytes=program.parameter_bytes, heap_bytes=heap)
        return kernel.latest_map[1]

    def finish(self) -> Run:
        """Wrap what the engine has counted for it."""
        if self.kept is not None:
            self.kept.end()
        self.result = self._counted()
        self.engine = self.running = None
        run = self.result
        if _LOG.isEnabledFor(logging.INFO):
            took = "not timed" if run.functional else f"{run.cycles:,} cycles, {run.elapsed_s * 1e6:.3g} us simulated"
            _LOG.info("%s on %s, grid %s, block %s: %s in %.3f s", self.name, self.architecture.label, run.grid, run.block, took,
                      time.perf_counter() - self._began)
        record(self.result)
        for text in self.result.complaints:
            warnings.warn(f"{self.name} on {self.architecture.label}: {text}", GuestWarning, stacklevel=_outside())
        return self.result

    def _counted(self, interrupted: str = "") -> Run:
        """Make a `Run` of what has been counted until now; `interrupted` says how far it got, if this is not the end."""
        engine, running = self._at_work
        launcher, counted, program = self.launcher, engine.result(running), self.program
        launches: tuple[ChildLaunch, ...] = ()
        if self.children is not None:
            program, launches = self.children.together(program, running, counted), self.children.launched(running)
        counters = (FunctionalCounters if engine.functional else Counters).of(counted)
        return Run(kernel=self.name, architecture=self.architecture, grid=launcher.grid, block=launcher.block,
                   shared_bytes=self.plan.shared_bytes, registers=self.program.registers, occupancy=self.resident,
                   program=program, output=self.printed(), failures=self._failures(), launches=launches, memory_map=self._memory_map(),
                   counters=counters, sources=launcher.kernel.module.sources, moved=self.moved, constants_written=self._constants_written(),
                   recorded=None if self.lanes is None or self.tracer is None else Recorded(self.lanes, self.tracer.records(), self.tracer.lost),
                   timeline_record=self._timeline(int(counted["cycles"])), interrupted=interrupted,
                   kept=None if interrupted else self.kept)

    def _timeline(self, cycles: int) -> TimelineRecord | None:
        if self.timeline is None:
            return None
        kernels, programs = ([self.name], [self.program]) if self.children is None else (self.children.names, self.children.programs)
        return TimelineRecord.of(self.timeline, cycles, self._at_work[1], kernels, programs)

    def run(self) -> Run:
        """Run it alone from start to end. Raises what `Launcher.launch` does."""
        session = self.session()
        grid = self.start(session)
        try:
            with Launches(f"{self.architecture.label} {self.name}", session, [grid], self.progress) as bar:
                while session.advance(SLICE_MS):
                    bar.update()
        except KeyboardInterrupt:
            error = self.interrupted()
            session.cancel()
            raise error from None
        except GuestFault as fault:
            fault.printed = self.printed().text
            raise
        session.finished()
        return self.finish()

    def interrupted(self) -> Interrupted:
        """Say how far it had got when the user stopped it, with what was counted until then."""
        session, grid = self._at_work
        how_far = f"interrupted at cycle {session.cycle:,}, after {grid.blocks_done:,} of {grid.blocks:,} blocks"
        return Interrupted(f"{self.name} on {self.architecture.label} was {how_far}; device memory is as it was then", self._counted(how_far))

    def printed(self) -> printing.Output:
        """Give what it has printed, and show it where the device says so."""
        output = printing.read(*self._at_work[1].printed())
        stream = self.launcher.kernel.module.device.printf
        if stream is not None and (output.calls or output.lost):
            stream.write(output.text)
            for text in [output.lost_text] * bool(output.lost) + [output.cut_text] * bool(output.cut):
                stream.write(f"[{text}]\n")
            stream.flush()
        return output


def _outside() -> int:
    """Frames from the caller of this to the first that is none of archdef's: whom a warning is for."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "archdef":
        frame, level = frame.f_back, level + 1
    return level
