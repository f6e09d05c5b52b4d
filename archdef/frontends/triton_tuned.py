"""Kernels under ``triton.autotune`` and ``triton.heuristics``: one configuration is compiled, which the caller names.

``device.compile(kernel, signature=…, config=2)`` takes the third of the decorator's configurations; ``config=triton.Config(…)`` one of the
caller's own. Constants and settings that the caller gives hold before those of the configuration.
"""
from __future__ import annotations

from typing import Any

from archdef.errors import CompileError
from archdef.frontends.options import Options


def chosen(given: Any, options: Options) -> tuple[Any, Options]:
    """Give the function inside all decorators, and the options with what the decorators add. Raises CompileError."""
    settings = dict(options.settings)
    wanted = settings.pop("config", None)
    options = options.changed(settings=settings)
    used = wanted is None
    while hasattr(given.fn, "arg_names"):
        if hasattr(given, "configs"):
            options, used = _configured(given, options, wanted), True
        elif hasattr(given, "values"):
            options = _heuristics(given, options)
        given = given.fn
    if not used:
        raise CompileError(f"{given.fn.__name__} is not under @triton.autotune, got config={wanted!r}")
    return given, options


def _configured(tuner: Any, options: Options, wanted: Any) -> Options:
    name, configs = tuner.base_fn.__name__, list(tuner.configs)
    parameters = {n for config in configs for n in config.kwargs}
    if wanted is None and len(configs) > 1 and not parameters <= set(options.constants):
        listed = "".join(f"\n  config={k}: {config}" for k, config in enumerate(configs))
        raise CompileError(f"{name} is under @triton.autotune, which measures its configurations; choose one, or launch the kernel as Triton does, "
                           f"under archdef.triton.use, where they are measured in simulated time:{listed}")
    if wanted is None and len(configs) > 1:
        return options          # the caller has settled all that they differ in, but for settings such as num_warps
    if wanted is None:
        wanted = 0
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        if not 0 <= wanted < len(configs):
            raise CompileError(f"{name} has {len(configs)} configurations, 0 to {len(configs) - 1}, got config={wanted}")
        wanted = configs[wanted]
    if not hasattr(wanted, "all_kwargs"):
        raise CompileError(f"config must be the number of a configuration of {name}, or a triton.Config, got {wanted!r}")
    if wanted.pre_hook is not None:
        raise CompileError(f"the configuration {wanted} of {name} has a pre_hook, which changes arguments before a launch; archdef does not call "
                           "it: give a triton.Config without one, and the arguments as it would leave them")
    added = wanted.all_kwargs()
    constants = {n: value for n, value in added.items() if n in tuner.arg_names}
    settings = {n: value for n, value in added.items() if n not in constants}
    return options.changed(constants={**constants, **options.constants}, settings={**settings, **options.settings})


def _heuristics(decorated: Any, options: Options) -> Options:
    constants = dict(options.constants)
    for name, compute in decorated.values.items():
        if name in constants:
            continue
        try:
            constants[name] = compute({**constants, **options.settings})
        except Exception as error:
            raise CompileError(f"the heuristic of {name} cannot be computed from the constants {', '.join(constants) or '(none)'} alone "
                               f"({type(error).__name__}: {error}); give constants={{{name!r}: …}}") from error
    return options.changed(constants=constants)
