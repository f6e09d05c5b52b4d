"""PTX of the ``.cu`` files of a public suite, made by nvcc: ``python tests/census/suite_ptx.py SUITE_FOLDER PTX_FOLDER [PART …]``.

Whole programs compile; what a suite calls that later toolkits no longer have gets its present name. Files that need what neither the suite nor
the toolkit has (OpenGL, texture references, generated headers) are listed with the compiler's first error and left out.
"""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path


from archdef.errors import CompileError
from archdef.frontends import Options, compile

TARGET = "compute_75"
"""As the census was made: the oldest that nvcc 13 has. One PTX serves all machines."""
HEADERS = (".h", ".cuh", ".hpp", ".inl", ".inc", ".cu", ".c", ".hxx", ".cpp")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)', re.MULTILINE)
SHARED = ("common", "include", "inc")
"""Folders whose headers a suite means by ``<name>``."""
RENAMED = Path(__file__).with_name("suite_renamed.h")


def main(suite: Path, out: Path, parts: list[str]) -> None:
    """Compile what has kernels of its own."""
    headers = _headers(suite)
    out.mkdir(parents=True, exist_ok=True)
    for source in sorted(path for part in parts or ["."] for path in (suite / part).rglob("*.cu")):
        made = out / (str(source.relative_to(suite)).replace(os.sep, "@") + ".ptx")
        if made.exists() or "__global__" not in source.read_text(errors="replace"):
            continue
        options = Options(compiler="nvcc", target=TARGET, include=_folders(source, headers),
                          extra=("--relocatable-device-code=true", f"--pre-include={RENAMED}", "--diag-suppress=20012"))
        try:
            text = compile(source, options).ptx.replace(f"{suite}{os.sep}", "")       # what is made of it must not say where
        except CompileError as error:
            text = ""
            print(f"{made.name}: {next((line for line in str(error).splitlines()[1:] if 'error' in line), str(error)[:200])}", flush=True)
        made.write_text(text)


def _headers(suite: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in suite.rglob("*"):
        if path.suffix in HEADERS and path.is_file():
            found.setdefault(path.name, []).append(path)
    return found


def _folders(source: Path, headers: dict[str, list[Path]]) -> list[str]:
    """Find the folders of the headers that a source needs: of several of one name, the one nearest to it."""
    folders, todo, seen = {}, [source], set()
    while todo:
        here = todo.pop()
        for bracket, included in INCLUDE.findall(here.read_text(errors="replace")):
            name = os.path.basename(included)
            candidates = [path for path in headers.get(name, []) if bracket == '"' or path.parent.name.lower() in SHARED or source.parent in path.parents]
            if name in seen or not candidates:
                continue
            seen.add(name)
            nearest = max(candidates, key=lambda path: len(os.path.commonpath([path, source])))
            folders[str(nearest.parent)] = folders[str(nearest.parent.parent)] = None
            todo.append(nearest)
    return list(folders)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:])
