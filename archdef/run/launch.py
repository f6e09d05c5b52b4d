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
    from archdef.run.module import Kernel

SLICE_MS = 50
"""The engine comes up for air this often, to look for Ctrl-C and to draw the progress bar."""


class Launcher:
    """A kernel with grid, block and dynamic shared memory; call it with the kernel's arguments."""

    def __init__(self, kernel: Kernel, grid, block, shared_bytes: int = 0):
        self.kernel = kernel
        self.grid = limits.shape(kernel.name, "grid", grid)
        self.block = limits.shape(kernel.name, "block", block)
        if not isinstance(shared_bytes, int) or shared_bytes < 0:
            raise LaunchError(f"dynamic shared memory of {kernel.name} must be a number of bytes, got {shared_bytes!r}")
        self.shared_bytes = shared_bytes + kernel.interface.shared_bytes

    def __call__(self, *arguments) -> Run:
        """Launch with the device's budgets."""
        return self.launch(*arguments)

    def cooperative(self, *arguments, **options) -> Run:
        """Launch so that the whole grid may synchronise (``this_grid().sync()``); `options` are those of `launch`.

        Raises LaunchError also if not all blocks can be resident at once; it says how many can.
        """
        return self.launch(*arguments, cooperative=True, **options)

    def launch(self, *arguments, max_instructions: int | None = None, max_cycles: int | None = None,
               progress: bool | None = None, cooperative: bool = False) -> Run:
        """Launch and wait for the end.

        max_instructions, max_cycles : budgets of this launch; None for the device's.
        progress                     : draw a bar once a second has passed; None: if stderr is a terminal.
        cooperative                  : as `cooperative` does.

        Raises LaunchError, GuestFault, BudgetExceeded; Interrupted after Ctrl-C. Device memory stays readable.
        """
        from archdef.engine import core

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
        simulation = core.Simulation(
            device.machine, program, device.memory.engine, self.grid, self.block, parameters, self.shared_bytes,
            tuple(resident.limits[of] for of in ("warps", "blocks", "registers", "shared")), max_instructions or device.max_instructions, max_cycles or device.max_cycles,
            variables.global_base, variables.const_base, name, heap_bytes=device.heap_bytes, print_bytes=device.print_bytes,
            textures=texture.of(device.memory).pack(kernel.module.textures.placed(program, variables.global_base)),
            cooperative=cooperative)
        blocks = math.prod(self.grid)
        try:
            with Progress(f"{architecture.label} {name}", blocks, progress) as bar:
                while simulation.advance(SLICE_MS):
                    bar.update(simulation.blocks_done)
        except KeyboardInterrupt:
            raise Interrupted(
                f"{name} on {architecture.label} was interrupted at cycle {simulation.cycle:,}, after "
                f"{simulation.blocks_done:,} of {blocks:,} blocks; device memory is as it was then") from None
        except GuestFault as fault:
            fault.printed = self._printed(simulation).text
            raise
        return Run(kernel=name, architecture=architecture, grid=self.grid, block=self.block, shared_bytes=shared,
                   registers=program.registers, occupancy=resident, counters=Counters.of(simulation.result()),
                   program=program, sources=kernel.module.sources, output=self._printed(simulation))

    def _printed(self, simulation) -> printing.Output:
        output = printing.read(*simulation.printed())
        stream = self.kernel.module.device.printf
        if stream is not None and (output.calls or output.lost):
            stream.write(output.text)
            if output.lost:
                stream.write(f"[{output.lost} calls of printf found the buffer full; Device(print_bytes=...) makes it larger]\n")
            stream.flush()
        return output

    def _occupancy(self, architecture, program, shared: int):
        try:
            return occupancy(architecture, threads=math.prod(self.block), registers=max(1, program.registers),
                             shared_bytes=shared)
        except LaunchError as error:
            raise LaunchError(f"cannot launch {self.kernel.name} on {error}") from None

    def __repr__(self) -> str:
        return f"<Launcher {self.kernel.name}[{self.grid}, {self.block}, {self.shared_bytes}]>"
