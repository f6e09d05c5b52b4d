"""Rules of make that say which files a source includes: what ``-M`` and its kin ask for."""
from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, Final

from archdef.frontends import nvcc, nvrtc
from archdef.programs import languages, translating, with_clang
from archdef.programs.builder import Plan, host_compiler
from archdef.programs.linking import output

_BREAK: Final = re.compile(r"\\\n\s*")
_NAMES: Final = re.compile(r"(?:\\\s|\S)+")
"""In such a rule; a blank in a name stands behind a backslash."""


def rules(plan: Plan, target: str, system: bool = True, phony: bool = False) -> str:
    """Give the rule for make of each source of a plan: what it includes.

    target : what they make.
    system : whether headers of the system and of CUDA are named.
    phony  : whether each header gets an empty rule, so that make goes on where it is gone.

    Raises CompileError.
    """
    sources = [path for path in plan.files if languages.language(path, plan.settings.language)]
    with tempfile.TemporaryDirectory(prefix="archdef-build-") as base:
        return "".join(_rule(plan, path, target, system, Path(base), phony) for path in sources)


def _rule(plan: Plan, path: Path, target: str, system: bool, folder: Path, phony: bool) -> str:
    kind = "-M" if system else "-MM"
    if isinstance(plan.chain, nvcc.Toolchain):
        said = output([str(plan.chain.path), kind, f"-std={plan.settings.standard}", "-arch", plan.target, *(f"-I{each}" for each in plan.settings.include),
                       *(f"-D{each}" for each in plan.settings.defines), str(path)], f"{path} does not preprocess")
    else:
        cuda, compiler = _host_side(plan.chain, plan)
        said = output([compiler, kind, *translating.host_flags(path, cuda, compiler, folder, plan.settings), str(path)], f"{path} does not preprocess")
    files = [each for each in _NAMES.findall(_BREAK.sub(" ", said).partition(":")[2]) if not each.startswith(str(folder))]
    rule = f"{target}: " + " \\\n  ".join(files) + "\n"
    return rule + "".join(f"{each}:\n" for each in files[1:]) if phony else rule


def _host_side(chain: Any, plan: Plan) -> tuple[nvrtc.Toolchain, str]:
    """Give whose headers are read, and the preprocessor."""
    if isinstance(chain, with_clang.Toolchain):
        return chain.cuda, str(chain.path)
    return chain, host_compiler(plan.settings)
