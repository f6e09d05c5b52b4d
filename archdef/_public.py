"""The public interface: the modules whose `__all__` is promised, and single names that lie elsewhere.

`docs/reference/api.md` is written from it; tests hold the two, and the code, together. Everything else may change without notice.
"""
from __future__ import annotations

MODULES: dict[str, str] = {
    "archdef": "What most programs need.",
    "archdef.spec": "What a declaration is made of.",
    "archdef.hookspecs": "What a plugin implements.",
    "archdef.registry": "Installed architectures, and those registered in this process.",
    "archdef.files": "Descriptions as TOML and JSON files.",
    "archdef.page": "Pages and block diagrams of architectures.",
    "archdef.plot": "Plots of launches and machines by matplotlib; `Run.plot` has those of one launch.",
    "archdef.policies": "Policies in compiled form; `archdef.policies.jit`, which needs Numba, compiles them from Python.",
    "archdef.scaffold": "New plugins.",
    "archdef.validate": "Reference cases of hardware's figures, run and judged.",
    "archdef.testing": "The conformance suite, and comparisons with the reference interpreter.",
    "archdef.testing.reference": "The reference interpreter, written from the PTX manual alone.",
    "archdef.testing.latency": "Latencies that follow from a declaration.",
    "archdef.frontends": "Compilers, and how a plugin brings one.",
    "archdef.host": "Streams, events and the timeline of simulated time.",
    "archdef.lower.pipeline": "Passes of lowering: what each needs of the code, and the order that follows.",
    "archdef.lower.target": "Targets of lowering, from which a plugin's own derives.",
    "archdef.metrics": "Metrics, and how they follow from counters.",
    "archdef.microbench": "Microbenchmarks of simulated machines and of real ones.",
    "archdef.advice": "What to change in a kernel, and what that gains.",
    "archdef.attribution": "Where a speed-up comes from, by groups of rules.",
    "archdef.baseline": "Runs that were kept, and what has changed since.",
    "archdef.data": "Results as tables for pandas, Arrow, Parquet, CSV and JSON.",
    "archdef.ncu": "Exports of Nsight Compute, laid beside the model's counters.",
    "archdef.exec": "Programs that were compiled for CUDA, on simulated devices.",
    "archdef.programs": "Programs built from CUDA or MXMACA sources, with the toolkit or without.",
    "archdef.examples": "Workloads that `archdef compare` runs.",
    "archdef.examples.command": "Examples that are commands of tables.",
    "archdef.formatting": "Numbers as tables show them.",
    "archdef.runtime.cuda": "The runtime API under CUDA's names.",
    "archdef.runtime.maca": "The runtime API under MXMACA's names.",
    "archdef.triton": "Triton programs on simulated devices.",
    "archdef.errors": "Everything that archdef raises on purpose, and its warnings.",
}
"""Module → what it is for."""

GIVEN: dict[str, str] = {
    "archdef.run.array.DeviceArray": "`Device.to_device`, `Device.empty`, `Device.zeros`",
    "archdef.run.managed.ManagedArray": "`Device.managed`",
    "archdef.host.managed.Moved": "`Run.moved`",
    "archdef.run.module.Module": "`Device.compile`",
    "archdef.run.module.Kernel": "an attribute of a module",
    "archdef.run.symbols.Symbol": "`Module.symbols`",
    "archdef.run.result.Run": "a launch",
    "archdef.plot.of_run.RunPlots": "`Run.plot`",
    "archdef.run.timeline.RunTimeline": "`Run.timeline`",
    "archdef.run.why.Reason": "`RunTimeline.why`",
    "archdef.run.causes.Reason": "`Run.reasons`",
    "archdef.run.texture.Handle": "`Device.texture`, `Device.surface`, `Device.sampler`",
    "archdef.spec.fields.integer": "numbers of a policy of your own",
    "archdef.spec.fields.integers": "numbers of a policy of your own",
    "archdef.spec.fields.real": "numbers of a policy of your own",
    "archdef.spec.fields.flag": "numbers of a policy of your own",
    "archdef.spec.fields.choice": "numbers of a policy of your own",
    "archdef.policies.jit.cfunc": "policies compiled by Numba",
    "archdef.policies.jit.int64s": "policies compiled by Numba",
    "archdef.policies.jit.uint64s": "policies compiled by Numba",
    "archdef.policies.jit.lowest_bit": "policies compiled by Numba",
    "archdef.lower.Options": "programs make it, for `Device.compile(…, lowering=…)`",
    "archdef.occupancy.Occupancy": "`archdef.occupancy`",
}
"""Type or function that lies elsewhere → where programs get it from, or what it is for. Their documented attributes are promised too."""
