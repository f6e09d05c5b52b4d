"""A compiled module on a device, and its kernels."""
from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

import attrs

from archdef import lower, ptxas, values
from archdef._logs import logger
from archdef.errors import CompileError, LaunchError, PtxError
from archdef.frontends import Compiled, Interface, signatures
from archdef.frontends.signatures import Declared
from archdef.lower.size import check_text
from archdef.ptx import ir, parse
from archdef.ptx.conditions import with_conditions
from archdef.ptx.link import extend, link
from archdef.run import limits, names, resources
from archdef.run.children import Kernels
from archdef.run.images import Images
from archdef.run.launch import Launcher
from archdef.run.plan import MOST_PLANS, Plan, Uses
from archdef.run.symbols import Symbols
from archdef.run.texture import References

if TYPE_CHECKING:
    from archdef.device import Device
    from archdef.host import Launched, Stream
    from archdef.lower.program import Program
    from archdef.lower.records import Parameter
    from archdef.run.footprint import MemoryMap
    from archdef.run.resources import Resources
    from archdef.run.result import Run
    from archdef.spec import Architecture


_LOG = logger(__name__)


class Module:
    """The kernels of one source on one device: ``module.transpose`` or ``module["transpose"]``."""

    def __init__(self, device: Device, compiled: Sequence[Compiled], registers: str = "liveness",
                 lowering: lower.Options | None = None, place: Callable[[ir.Variable], int] | None = None):
        """Parse and link `compiled`.

        registers : who counts registers per thread, as `Options.registers` says.
        lowering  : which passes lowering runs; None for all.
        place     : says where each managed variable lies, which the caller allocates; None: among the others.
        """
        self.device, self.units, self.registers_from, self.lowering = device, tuple(compiled), registers, lowering
        for unit in self.units:
            check_text(unit.ptx, unit.file, device.architecture, (lowering or lower.Options()).max_instructions)
        self.ptx = with_conditions(link(parse(unit.ptx, unit.file, defer=True) for unit in self.units))
        """The parsed PTX, of all units linked together."""
        self.compiled = self.units[0] if len(self.units) == 1 else Compiled(
            "\n".join(unit.ptx for unit in self.units), self.ptx.file, compiler=", ".join({u.compiler: None for u in self.units}),
            log="\n".join(unit.log for unit in self.units if unit.log),
            interfaces={name: interface for unit in self.units for name, interface in unit.interfaces.items()},
            instances={name: symbol for unit in self.units for name, symbol in unit.instances.items()})
        self._kernels: dict[str, Kernel] = {}
        self.images = Images(self.ptx, device.memory)
        if place is not None and (places := {v.name: place(v) for v in self.ptx.variables.values() if v.managed and not v.extern}):
            whole, self.ptx = self.ptx, attrs.evolve(self.ptx, variables={n: v for n, v in self.ptx.variables.items() if n not in places})
            self.images = Images(self.ptx, device.memory)
            self.images.placed      # noqa: B018  # the others first: a place apart is a distance from theirs
            self.ptx = self.images.extend(whole, places)
        """The module's variables in device memory."""
        self.symbols = Symbols(self)
        """The module's ``__constant__`` and ``__device__`` variables: ``module.symbols["taps"].copy_from_host(taps)``."""
        self.textures = References(self)
        """What its texture references stand for: ``module.textures["name"] = texture``."""
        self._lock = threading.RLock()
        device.modules.add(self)

    def forget(self) -> None:
        """Lower kernels anew at their next launch, since the machine has changed."""
        with self._lock:
            for kernel in self._kernels.values():
                kernel.forget()

    def on(self, architecture: Architecture, lowering: lower.Options) -> Module:
        """Give the module as it is for another machine with the same memory: its variables lie where they do."""
        other = copy.copy(self)
        other.device, other.lowering = self.device.beside(architecture), lowering
        other._kernels, other._lock = {}, threading.RLock()
        other.__dict__.pop("assembled", None)
        other.device.modules.add(other)
        return other

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels, as the PTX has them."""
        return tuple(name for name, function in self.ptx.functions.items() if function.entry and function.defined)

    def __getitem__(self, name: str) -> Kernel:
        """Give a kernel by its name; an instance of a template, such as ``reduce<512>``, is compiled when it is first asked for.

        Raises LaunchError for a name that the module does not have, CompileError for an instance that cannot be made.
        """
        with self._lock:
            symbol = self._instance(name) if names.is_instance(name) and name not in self.kernels else None
            if symbol is None:
                try:
                    symbol = names.find(name, self.kernels, self.compiled.file, self._bare)
                except LaunchError as error:
                    raise self._or_template(name, error) from None
            if symbol not in self._kernels:
                self._kernels[symbol] = Kernel(self, symbol)
            return self._kernels[symbol]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except LaunchError as error:
            raise AttributeError(str(error)) from None

    def _instance(self, name: str) -> str | None:
        """Give the symbol of an instance of a template; None if the front end makes none."""
        known = {names.spelled(made): symbol for made, symbol in self.compiled.instances.items()}
        if (symbol := known.get(names.spelled(name))) is not None:
            return symbol
        if self.compiled.again is None:
            raise LaunchError(f"{self.compiled.file} has no kernel {name!r}, and an instance of a template cannot be made by its name "
                              f"{'in several sources that are linked' if len(self.units) > 1 else f'by {self.compiled.compiler}'}: "
                              f"instantiate it in the source", "name")
        wanted = (*self.compiled.instances, name)
        try:
            made = self.compiled.again(wanted)
        except CompileError as error:
            raise CompileError(f"{self.compiled.file} has no kernel {name!r}, and it cannot be made of a template:\n{error}") from error
        self._extend(made)
        return made.instances[name]

    def _or_template(self, name: str, error: LaunchError) -> LaunchError:
        """Give the error for a name that is not there; where the source has a template of that name, it says so."""
        if self.compiled.again is None or not names.is_template(name, self.compiled.source_text or ""):
            return error
        return LaunchError(f"{self.compiled.file} has no kernel {name!r}; {name} is a template: give its arguments, such as "
                           f"module['{name}<…>']", "name")

    def _extend(self, made: Compiled) -> None:
        self.ptx = self.images.extend(extend(self.ptx, parse(made.ptx, made.file, defer=True)))
        self.compiled = attrs.evolve(made, source=self.compiled.source)
        self.units = (self.compiled,)
        self.textures.extend(self.ptx)
        for found in ("assembled", "sources"):
            self.__dict__.pop(found, None)

    def _bare(self, symbol: str) -> str:
        """Give a kernel's name as its author wrote it, without the arguments of a template."""
        return names.readable(symbol) if symbol in self.compiled.instances.values() else self._called(symbol)

    def _called(self, symbol: str) -> str:
        """Give a kernel's name as its author wrote it."""
        interface = self.compiled.interfaces.get(symbol)
        return interface.name if interface else names.readable(symbol)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *map(self._called, self.kernels)]

    def __repr__(self) -> str:
        kernels = values.cut(", ".join(map(self._called, self.kernels)), 120)
        return f"<Module {values.cut(self.compiled.file)} on {values.cut(self.device.architecture.label)}: {kernels}>"

    @property
    def resources(self) -> dict[str, Resources]:
        """What each kernel takes, by its name: registers, stack, spills, shared memory, constant banks."""
        return {self._called(symbol): self[symbol].resources for symbol in self.kernels}

    @functools.cached_property
    def assembled(self) -> dict[str, ptxas.Usage]:
        """What ptxas says of each kernel, by symbol, for the target nearest to the machine. Raises CompileError."""
        machine = self.device.architecture
        return ptxas.usage(self.compiled.ptx, self.compiled.file, machine.compute_capability,
                           machine.limits.registers_per_thread)

    @functools.cached_property
    def sources(self) -> dict[str, tuple[str, ...]]:
        """File name → its lines, for listings."""
        found = {self.compiled.file: self.ptx.lines}
        for unit in self.units:
            if unit.source_text is not None:
                found[unit.file.removesuffix(".ptx")] = tuple(unit.source_text.splitlines())
        return found


class Kernel:
    """A kernel, lowered for the device's architecture at its first use; ``kernel[grid, block](…)`` launches it."""

    def __init__(self, module: Module, symbol: str):
        self.module, self.symbol = module, symbol
        self.interface = module.compiled.interfaces.get(symbol) or Interface(names.readable(symbol))
        """How it is called, where that differs from its PTX parameters."""
        self.name = self.interface.name
        self._lock = threading.RLock()
        self._plans: dict[tuple[tuple[int, int, int], int], Plan] = {}
        self.latest_map: tuple[tuple[int, ...], MemoryMap] | None = None
        """Shares of device memory as its latest launch found them, and what they depend on: mostly, those of the next one."""

    @functools.cached_property
    def program(self) -> Program:
        """The kernel in the engine's terms: packed operations, registers, shared memory, statements."""
        with self._lock:
            options = self.module.lowering or lower.Options()
            if options.spill:
                options = attrs.evolve(options, spill=resources.spills(self.module, self.symbol))
            try:
                program = lower.lower(self.module.ptx, self.symbol, self.module.device.architecture, options=options)
            except PtxError:        # where the warp is of the wrong size, that says more than what came of it
                code = (i for f in self.module.ptx.functions.values() if f.name == self.symbol or not f.entry for i in f.body)
                limits.check_warp_size(self.name, self.module.device.architecture, code, self.interface.warp_size)
                raise
            _LOG.debug("%s lowered for %s: %d micro-ops", self.name, self.module.device.architecture.label, len(program.ops))
            return resources.settle(program, self.module, self.symbol)

    @functools.cached_property
    def declared(self) -> tuple[Declared, ...]:
        """What its author declared its parameters as, as far as symbol and source tell."""
        if self.interface.arguments is not None or self.interface.declared:
            return self.interface.declared
        return signatures.declared(self.symbol, self.name, "\n".join(unit.source_text for unit in self.module.units if unit.source_text is not None))

    def forget(self) -> None:
        """Forget how it was lowered."""
        for name in ("program", "children", "resources", "uses"):
            self.__dict__.pop(name, None)
        self._plans, self.latest_map = {}, None

    @functools.cached_property
    def children(self) -> Kernels | None:
        """What it can launch, with what that can launch, and what the device runtime tells it; None if it never asks."""
        return Kernels(self) if self.program.launches or self.program.calls_runtime else None

    @functools.cached_property
    def uses(self) -> Uses:
        """What it and those that it launches ask of the device."""
        return Uses.of(self)

    def plan(self, block: tuple[int, int, int], dynamic_shared_bytes: int) -> Plan:
        """Say how such blocks run on the multiprocessors. Raises LaunchError if they cannot."""
        plans, key = self._plans, (block, dynamic_shared_bytes)
        if (found := plans.get(key)) is None:
            if len(plans) >= MOST_PLANS:
                plans.clear()
            found = plans[key] = Plan.of(self, block, dynamic_shared_bytes)
        return found

    @functools.cached_property
    def resources(self) -> Resources:
        """What the kernel takes: registers, stack, spills, shared memory, constant banks."""
        return resources.of(self)

    @property
    def registers(self) -> int:
        """Registers per thread."""
        return self.program.registers

    @property
    def shared_bytes(self) -> int:
        """Static shared memory per block, bytes."""
        return self.program.shared_bytes

    @property
    def local_bytes(self) -> int:
        """Local memory per thread, bytes."""
        return self.program.local_bytes

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters in order: ``name``, ``offset``, ``type``, ``bytes``."""
        return tuple(self.program.parameter_layout)

    @overload
    def __getitem__(self, configuration: tuple[Any, Any, Any, Stream]) -> Launcher[Launched]: ...

    @overload
    def __getitem__(self, configuration: Any) -> Launcher[Run]: ...

    def __getitem__(self, configuration: Any) -> Launcher[Any]:
        given = configuration if isinstance(configuration, tuple) else (configuration,)
        if self.interface.block is not None:
            if not any(isinstance(part, tuple) for part in given):
                return Launcher(self, given, self.interface.block)
            if len(given) == 1:
                return Launcher(self, given[0], self.interface.block)
        if not 2 <= len(given) <= 4:
            raise LaunchError(f"launch {self.name} as kernel[grid, block], kernel[grid, block, shared_bytes] or "
                              f"kernel[grid, block, shared_bytes, stream]")
        return Launcher(self, *given)

    def __call__(self, *arguments: object) -> NoReturn:
        raise LaunchError(f"{self.name} needs a launch configuration: kernel[grid, block](…)")

    def __repr__(self) -> str:
        module = self.module
        return f"<Kernel {values.cut(self.name)} of {values.cut(module.compiled.file)} on {values.cut(module.device.architecture.label)}>"
