"""The toolkit that programs find when they compile while they run: its nvcc makes PTX where it is asked for machine code.

PyCUDA and CuPy start nvcc for their kernels and hand what it makes to the driver, as machine code. The driver takes PTX in its place, so that is what they
get. Everything else of the toolkit is the one that is installed.
"""
from __future__ import annotations

import contextlib
import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_ROOTS: Final = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT")
"""Variables that name a toolkit."""
_USUAL: Final = "/usr/local/cuda"
_PROFILE: Final = "nvcc.profile"
"""Lies beside the nvcc of a toolkit, and says where its other parts are."""
_SCRIPT: Final = """#!/bin/sh
# Starts nvcc, and has it make PTX where it is asked for machine code: archdef exec runs programs from PTX.
machine_code= named= source= folder= before=
for argument do
    case $before in -odir|--output-directory) folder=$argument/ ;; esac
    before=$argument
    case $argument in
        -cubin|--cubin) machine_code=1 ;;
        --version|-V) {nvcc} "$@" || exit; echo "PTX in place of machine code, by archdef exec"; exit ;;
        -o|-o=*|--output-file|--output-file=*) named=1 ;;
        -odir=*|--output-directory=*) folder=${{argument#*=}}/ ;;
        *.cu|*.c|*.cc|*.cpp|*.cxx) source=${{argument##*/}} ;;
    esac
done
if [ -z "$machine_code" ] || [ -z "$source" ]; then exec {nvcc} "$@"; fi
if [ -z "$named" ]; then set -- "$@" -o "$folder${{source%.*}}.cubin"; fi
exec {nvcc} "$@" -ptx
"""
"""What nvcc is made to do: the last of the options that say how far to compile counts. Its version tells apart what programs keep of its output."""


def placed(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Make a toolkit in a folder, of the one that programs find in an environment; gives the variables that lead to it, none where there is no nvcc."""
    changed = {}
    searched = environment.get("PATH", os.defpath)
    if (first := shutil.which("nvcc", path=searched)) is not None:
        made = _toolkit(folder / "searched", [first], searched)
        changed = {"PATH": f"{made.parent}{os.pathsep}{searched}", "NVCC": str(made)}
    roots = [environment[name] for name in _ROOTS if environment.get(name)] or ([] if first else [_USUAL])
    named = _words(environment.get("NVCC", "")) or next(([found] for each in roots if (found := shutil.which(f"{each}/bin/nvcc"))), [])
    if named and shutil.which(named[0], path=searched):
        changed["NVCC"] = str(_toolkit(folder / "named", named, searched))
    return changed


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:      # a quote is missing: whoever uses it will say so
        return []


def _toolkit(folder: Path, nvcc: list[str], searched: str) -> Path:
    """Make a folder that looks like the toolkit of an nvcc, which may be one of several words, and give the nvcc in it."""
    word = next((each for each in nvcc if Path(each).name == "nvcc"), nvcc[0])
    there = Path(shutil.which(word, path=searched) or word).absolute().parent
    (folder / "bin").mkdir(parents=True)
    if (there / _PROFILE).is_file():    # else it is a folder of all kinds of programs, such as /usr/bin
        _link(there, folder / "bin", without="nvcc")
        _link(there.parent, folder, without=there.name)
    made = folder / "bin" / "nvcc"
    made.write_text(_SCRIPT.format(nvcc=shlex.join(nvcc)), encoding="utf-8")
    made.chmod(0o755)
    return made


def _link(there: Path, here: Path, without: str) -> None:
    """Link all that a folder holds, but for one name."""
    with contextlib.suppress(OSError):      # a folder that may be searched, but not listed
        for each in there.iterdir():
            if each.name not in (without, "bin"):
                (here / each.name).symlink_to(each)
