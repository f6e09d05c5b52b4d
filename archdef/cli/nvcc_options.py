"""Options of nvcc and mxcc in compile lines and makefiles: those that ``archdef build`` has under other names, and those that change nothing here."""
from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

_LISTS: Final = {"-Xcompiler": "-Xcompiler", "--host-option": "-Xcompiler", "--compiler-options": "-Xcompiler", "-Xptxas": "-Xptxas",
                 "--ptxas-options": "-Xptxas", "-Xlinker": "-Xlinker", "--linker-options": "-Xlinker"}
"""Options whose value is a list → what each of it follows here."""
_OPTION_FILES: Final = re.compile(r"(?:--options-file|-optf)(?:=(.*))?")
_MOST_FILES: Final = 100
_TARGETS: Final = re.compile(r"(?:-arch|--gpu-architecture|-gencode|--generate-code|-code|--gpu-code)(?:=(.*))?")
_NUMBER: Final = re.compile(r"(?:sm|compute|lto)_(\d+[af]?)")
_SAME: Final = {"--compile": ["-c"], "--device-c": ["-c", "-rdc=true"], "-dc": ["-c", "-rdc=true"], "--shared": ["-shared"],
                "-use_fast_math": ["--fast-math"], "--use_fast_math": ["--fast-math"], "-fast-math": ["--fast-math"], "--x": ["-x"],
                "--output-file": ["-o"], "--include-path": ["-I"], "--define-macro": ["-D"], "--relocatable-device-code=true": ["-rdc=true"],
                "--relocatable-device-code=false": ["-rdc=false"], "-xmaca": ["-x", "maca"], "-xcu": ["-x", "cu"], "--system-include": ["-I"],
                "-isystem": ["-I"], "-pg": ["-Xcompiler", "-pg"], "--profile": ["-Xcompiler", "-pg"], "-res-usage": ["--resource-usage"],
                "-V": ["--version"]}
"""Options → what they are here."""
_IDLE: Final = re.compile(r"-lineinfo|--generate-line-info|-m64|--machine(?:=64)?|-G|--device-debug|-?-cudart(?:=.*)?|-?-(?:expt-)?extended-lambda|"
                          r"-?-expt-relaxed-constexpr|-?-relaxed-constexpr|-?-default-stream=legacy|-?-threads(?:=.*)?|-t\d*|-t=\d+|"
                          r"-?-maca-path(?:=.*)?|-?-offload-arch(?:=.*)?|-w|--disable-warnings|-Wno-deprecated-gpu-targets|-Wreorder|-Wdefault-stream-launch|"
                          r"-Wmissing-launch-bounds|-Wext-lambda-captures-this|-v|--verbose|-Werror(?:=.*)?|--Werror(?:=.*)?|-dlto|--dlink-time-opt|"
                          r"-?-(?:diag|display-error|err-no|brief-diag)[\w-]*(?:=.*)?|-Xcudafe(?:=.*)?|-Xfatbin(?:=.*)?|--(?:cudafe|fatbin)-options(?:=.*)?|"
                          r"-?-(?:split-compile|compress-mode|no-compress|no-device-link|nodlink|time|objtemp)(?:=.*)?|--std-host|-?-src-in-ptx|"
                          r"-?-extra-device-vectorization|-dopt(?:=.*)?|--dopt(?:=.*)?")
"""Options that change nothing: lines are always known, there are 64 bits alone, what compilers translate is not asked for, device code is always optimised, and
files of several modules are linked when the program starts."""
_WITH_VALUE: Final = re.compile(r"--machine|-?-cudart|-?-threads|-t|-?-maca-path|-?-offload-arch|--?Werror|-?-diag-(?:suppress|error|warn)|-Xcudafe|-Xfatbin|"
                                r"--(?:cudafe|fatbin)-options|-?-(?:split-compile|compress-mode|time)")
"""Those of them whose value may follow as a word of its own."""
_NOTED: Final = {r"-k|-?-keep|-?-save-temps|-?-keep-dir(?:=.*)?|-?-keep-device-functions|-?-clean-targets":
                 "nothing is kept of what compilers make in between; archdef build -ptx writes the PTX"}
"""Options that are said to change nothing, with what stands for them."""
_PER_THREAD: Final = re.compile(r"-?-default-stream=per-thread")
_OF_THE_HOST: Final = re.compile(r"-W\w.*|-f(?!mad\b|tz\b|atbin\b)\w.*|-m(?!64|axrregcount\b)\w.*|-pthread")
_ANSWERS: Final = {
    r"-?-default-stream\b.*": "a stream is legacy or per-thread",
    r"-X\w+|--\w+-options": "what it changes is not known here",
    r"-?-dryrun|--dry-run": "archdef build has no steps that a shell could do",
    r"-E|--preprocess": "build with nvcc -E, or the host's compiler",
    r"-?-cubin": "simulated machines load PTX: -fatbin or -ptx writes it, and cuModuleLoad takes either",
    _OF_THE_HOST.pattern: "options of the host's compiler follow -Xcompiler"}
_FORWARD: Final = re.compile(r"-?-forward-unknown-(?:opts|to-host-(?:compiler|linker))")
_MAY_STAND_APART: Final = ("-default-stream", "--default-stream", "-keep-dir", "--keep-dir")


class BuildCommand(click.Command):
    """A command that knows compile lines of nvcc and mxcc."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite them first: click would take ``-lineinfo`` for a library, and ``-arch=sm_20`` for a machine."""
        return super().parse_args(ctx, list(_rewritten(args, ctx)))


def _rewritten(args: Sequence[str], ctx: click.Context) -> Iterator[str]:
    given = list(_joined(_opened(args, ctx)))
    forward = any(_FORWARD.fullmatch(word) for word in given)
    words = iter(given)
    for word in words:
        name, equals, value = word.partition("=")
        if name in _LISTS:
            yield from _listed(name, value if equals else next(words, ""))
        elif _IDLE.fullmatch(word):
            if _WITH_VALUE.fullmatch(word):
                next(words, "")
        elif _PER_THREAD.fullmatch(word):
            yield "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"
        elif targets := _TARGETS.fullmatch(word):
            yield from (part for number in _NUMBER.findall(next(words, "") if targets[1] is None else targets[1]) for part in ("--gpu-target", number))
        elif word in _SAME:
            yield from _SAME[word]
        elif _FORWARD.fullmatch(word):
            continue
        elif forward and _OF_THE_HOST.fullmatch(word):
            yield from ("-Xcompiler", word)
        else:
            yield from _answered(word, ctx)


def _listed(name: str, flags: str) -> Iterator[str]:
    """Give each word of a list by itself; a comma behind a backslash stays."""
    for flag in re.split(r"(?<!\\)[,\s]+", flags.strip("\"'")):
        if not flag:
            continue
        if _LISTS[name] == "-Xptxas":
            yield from ("--resource-usage",) if flag in ("-v", "--verbose") else ("-Xptxas", flag)
        else:
            yield from (_LISTS[name], flag.replace("\\,", ","))


def _answered(word: str, ctx: click.Context) -> Iterator[str]:
    """Say what stands for an option, or let it through."""
    for pattern, note in _NOTED.items():
        if re.fullmatch(pattern, word):
            click.echo(f"{word}: {note}", err=True)
            return
    for pattern, answer in _ANSWERS.items():
        if re.fullmatch(pattern, word):
            raise click.UsageError(f"{word} is an option of nvcc's; {answer}", ctx)
    yield word


def _joined(args: Iterator[str]) -> Iterator[str]:
    """Join options with the values that nvcc lets stand apart from them."""
    for word in args:
        yield f"{word}={next(args, '')}" if word in _MAY_STAND_APART else word


def _opened(args: Sequence[str], ctx: click.Context) -> Iterator[str]:
    """Put the words of files of options in their place."""
    left, opened = list(args), 0
    while left:
        word = left.pop(0)
        found = _OPTION_FILES.fullmatch(word)
        if not found and not (word.startswith("@") and len(word) > 1):
            yield word
            continue
        names = word[1:] if not found else found[1] if found[1] is not None else left.pop(0) if left else ""
        opened += 1
        if opened > _MOST_FILES:
            raise click.UsageError("files of options name each other without end", ctx)
        try:
            left[:0] = [part for name in names.split(",") for part in shlex.split(Path(name).read_text(encoding="utf-8"), comments=False)]
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise click.UsageError(f"options are to be in {names}: {error}", ctx) from None
