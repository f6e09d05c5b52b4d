"""One launch: check, pack the arguments, run the engine, wrap what it counted."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

from archdef.errors import GuestFault, Interrupted, LaunchError
from archdef.metrics import Counters
from archdef.occupancy import occupancy
from archdef.run import limits, printing, texture
from archdef.run.arguments import pack
from archdef.run.progress import Progress
from archdef.run.result import Run

if TYPE_CHECKING:
    from archdef.host import Launched, Stream
    from archdef.run.module import Kernel

SLICE_MS = 50
"""The engine comes up for air this often, to look for Ctrl-C and to draw the progress bar."""


class Launcher:
    """A kernel with grid, block and dynamic shared memory; call it with the kernel's arguments."""

    def __init__(self, kernel: Kernel, grid, block, shared_bytes: int = 0, stream: Stream | None = None):
        self.kernel, self.stream = kernel, stream
        self.grid = limits.shape(kernel.name, "grid", grid)
        self.block = limits.shape(kernel.name, "block", block)
        if not isinstance(shared_bytes, int) or shared_bytes < 0:
            raise LaunchError(f"dynamic shared memory of {kernel.name} must be a number of bytes, got {shared_bytes!r}")
        self.shared_bytes = shared_bytes + kernel.interface.shared_bytes

    def __call__(self, *arguments) -> Run | Launched:
        """Launch with the device's budgets: into the stream, if one was given, else wait for the end."""
        return self.launch(*arguments)

    def cooperative(self, *arguments, **options) -> Run | Launched:
        """Launch so that the whole grid may synchronise (``this_grid().sync()``); `options` are those of `launch`.

        Raises LaunchError also if not all blocks can be resident at once; it says how many can.
        """
        return self.launch(*arguments, cooperative=True, **options)

    def launch(self, *arguments, max_instructions: int | None = None, max_cycles: int | None = None,
               progress: bool | None = None, cooperative: bool = False) -> Run | Launched:
        """Launch, and wait for the end unless a stream was given. On a device that has streams, launches without one go into
        its default stream.

        max_instructions, max_cycles : budgets of this launch; None for the device's.
        progress                     : draw a bar once a second has passed; None: if stderr is a terminal.
        cooperative                  : as `cooperative` does.

        Raises LaunchError, GuestFault, BudgetExceeded; Interrupted after Ctrl-C. Device memory stays readable. What happens in
        a stream is raised by whoever next waits for it.
        """
        grid = self.prepare(*arguments, max_instructions=max_instructions, max_cycles=max_cycles, progress=progress,
                            cooperative=cooperative)
        device = self.kernel.module.device
        if self.stream is not None:
            return device.side.launch(grid, self.stream)
        if device.streams_in_use:
            return device.side.launch(grid, None).result()
        grid.run()
        return grid.result

    def prepare(self, *arguments, max_instructions: int | None = None, max_cycles: int | None = None,
                progress: bool | None = None, cooperative: bool = False) -> Grid:
        """Check a launch and pack its arguments, without starting it."""
        kernel, device = self.kernel, self.kernel.module.device
        architecture, name = device.architecture, kernel.name
        limits.check_launch(name, architecture, self.grid, self.block)
        program = kernel.program
        limits.check_warp_size(name, architecture, program, kernel.interface.warp_size)
        if (adapt := kernel.interface.arguments) is not None:
            arguments = adapt(arguments, program.parameter_layout)
        parameters = pack(name, program.parameter_layout, arguments, device.memory)
        limits.check_kernel(name, architecture, program, self.block)
        shared = program.shared_bytes + self.shared_bytes
        variables = kernel.module.images.of(program)
        resident = self._occupancy(architecture, program, shared)
        if cooperative:
            limits.check_cooperative(name, architecture, self.grid, resident)
        return Grid(self, arguments, parameters, program, shared, resident, variables, cooperative, progress,
                    max_instructions or device.max_instructions, max_cycles or device.max_cycles)

    def _occupancy(self, architecture, program, shared: int):
        try:
            return occupancy(architecture, threads=math.prod(self.block), registers=max(1, program.registers),
                             shared_bytes=shared)
        except LaunchError as error:
            raise LaunchError(f"cannot launch {self.kernel.name} on {error}") from None

    def __repr__(self) -> str:
        return f"<Launcher {self.kernel.name}[{self.grid}, {self.block}, {self.shared_bytes}]>"


class Grid:
    """A launch that was checked and packed, and can start at any time. It keeps what it was given alive until then."""

    def __init__(self, launcher: Launcher, arguments, parameters: bytes, program, shared: int, resident, variables, cooperative: bool,
                 progress: bool | None, max_instructions: int, max_cycles: int):
        self.launcher, self.arguments, self.parameters, self.program = launcher, arguments, parameters, program
        self.shared, self.resident, self.variables, self.cooperative = shared, resident, variables, cooperative
        self.progress, self.max_instructions, self.max_cycles = progress, max_instructions, max_cycles
        self.name = launcher.kernel.name
        self.cycles = 0
        """How far it got, SM cycles."""
        self.result: Run | None = None

    def run(self) -> None:
        """Run it from start to end; `result` is what it counted. Raises what `Launcher.launch` does."""
        from archdef.engine import core

        launcher, program, variables = self.launcher, self.program, self.variables
        kernel = launcher.kernel
        device, architecture = kernel.module.device, kernel.module.device.architecture
        simulation = core.Simulation(
            device.machine, program, device.memory.engine, launcher.grid, launcher.block, self.parameters, launcher.shared_bytes,
            self.resident.active_blocks, self.max_instructions, self.max_cycles, variables.global_base, variables.const_base,
            self.name, heap_bytes=device.heap_bytes, print_bytes=device.print_bytes,
            textures=texture.of(device.memory).pack(kernel.module.textures.placed(program, variables.global_base)),
            cooperative=self.cooperative)
        blocks = math.prod(launcher.grid)
        try:
            with Progress(f"{architecture.label} {self.name}", blocks, self.progress) as bar:
                while simulation.advance(SLICE_MS):
                    bar.update(simulation.blocks_done)
        except KeyboardInterrupt:
            raise Interrupted(
                f"{self.name} on {architecture.label} was interrupted at cycle {simulation.cycle:,}, after "
                f"{simulation.blocks_done:,} of {blocks:,} blocks; device memory is as it was then") from None
        except GuestFault as fault:
            fault.printed = self._printed(simulation).text
            raise
        finally:
            self.cycles = simulation.cycle
        self.result = Run(kernel=self.name, architecture=architecture, grid=launcher.grid, block=launcher.block, shared_bytes=self.shared,
                          registers=program.registers, occupancy=self.resident, counters=Counters.of(simulation.result()),
                          program=program, sources=kernel.module.sources, output=self._printed(simulation))
        self.cycles = self.result.cycles

    def _printed(self, simulation) -> printing.Output:
        output = printing.read(*simulation.printed())
        stream = self.launcher.kernel.module.device.printf
        if stream is not None and (output.calls or output.lost):
            stream.write(output.text)
            if output.lost:
                stream.write(f"[{output.lost} calls of printf found the buffer full; Device(print_bytes=...) makes it larger]\n")
            stream.flush()
        return output
