"""Options of nvcc and mxcc in compile lines and makefiles: those that ``archdef build`` has under other names, and those that change nothing here."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import click

_HOST: Final = ("-Xcompiler", "--host-option", "--compiler-options")
_TARGETS: Final = re.compile(r"(?:-arch|--gpu-architecture|-gencode|--generate-code|-code|--gpu-code)(?:=(.*))?")
_NUMBER: Final = re.compile(r"(?:sm|compute)_(\d+[af]?)")
_SAME: Final = {"--compile": ["-c"], "--device-c": ["-c", "-rdc=true"], "-dc": ["-c", "-rdc=true"], "--shared": ["-shared"],
                "-use_fast_math": ["--fast-math"], "--use_fast_math": ["--fast-math"], "-fast-math": ["--fast-math"], "--x": ["-x"],
                "--output-file": ["-o"], "--include-path": ["-I"], "--define-macro": ["-D"], "--relocatable-device-code=true": ["-rdc=true"],
                "--relocatable-device-code=false": ["-rdc=false"], "-xmaca": ["-x", "maca"], "-xcu": ["-x", "cu"], "-V": ["--version"]}
"""Options → what they are here."""
_IDLE: Final = re.compile(r"-lineinfo|--generate-line-info|-m64|--machine(?:=64)?|-G|--device-debug|-?-cudart(?:=.*)?|-?-(?:expt-)?extended-lambda|"
                          r"-?-expt-relaxed-constexpr|-Xptxas=-v|--ptxas-options=-v|--resource-usage|-?-default-stream=legacy|-?-threads(?:=.*)?|"
                          r"-?-maca-path(?:=.*)?|-?-offload-arch(?:=.*)?")
"""Options that change nothing: lines are always known, there are 64 bits alone, and what compilers translate is not asked for."""
_WITH_VALUE: Final = re.compile(r"--machine|-?-cudart|-?-threads|-?-maca-path|-?-offload-arch")
"""Those of them whose value may follow as a word of its own."""
_PER_THREAD: Final = re.compile(r"-?-default-stream=per-thread")
_ANSWERS: Final = {
    r"-ccbin\b.*|--compiler-bindir\b.*": "the variable CXX names the host's compiler",
    r"-dlink|--device-link": "archdef build links the objects itself",
    r"-?-(ftz|prec-div|prec-sqrt|maxrregcount)\b.*|-X(ptxas|nvlink|fatbin)\b.*|-?-(ptxas|nvlink)-options\b.*|-?-default-stream\b.*":
        "only nvcc has it: build with nvcc -gencode arch=compute_XX,code=compute_XX and run that program",
    r"-(ptx|cubin|fatbin)|--(ptx|cubin|fatbin)": "archdef lower FILE writes PTX",
    r"-w|-W\w.*|-f(?!mad\b)\w.*|-m(?!64)\w.*|-pthread": "options of the host's compiler follow -Xcompiler"}


class BuildCommand(click.Command):
    """A command that knows compile lines of nvcc and mxcc."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite them first: click would take ``-lineinfo`` for a library, and ``-arch=sm_20`` for a machine."""
        return super().parse_args(ctx, list(_rewritten(args, ctx)))


def _rewritten(args: Sequence[str], ctx: click.Context) -> Iterator[str]:
    words = iter(_joined(args))
    for word in words:
        name, equals, value = word.partition("=")
        if name in _HOST:
            flags = value if equals else next(words, "")
            yield from (part for flag in re.split(r"[,\s]+", flags) if flag for part in ("-Xcompiler", flag))
        elif _IDLE.fullmatch(word):
            if _WITH_VALUE.fullmatch(word):
                next(words, "")
        elif _PER_THREAD.fullmatch(word):
            yield "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"
        elif targets := _TARGETS.fullmatch(word):
            yield from (part for number in _NUMBER.findall(next(words, "") if targets[1] is None else targets[1]) for part in ("--gpu-target", number))
        elif word in _SAME:
            yield from _SAME[word]
        else:
            for pattern, answer in _ANSWERS.items():
                if re.fullmatch(pattern, word):
                    raise click.UsageError(f"{word} is an option of nvcc's; {answer}", ctx)
            yield word


def _joined(args: Sequence[str]) -> Iterator[str]:
    """Join options with the values that nvcc lets stand apart from them."""
    words = iter(args)
    for word in words:
        yield f"{word}={next(words, '')}" if word in ("-Xptxas", "--ptxas-options", "-default-stream", "--default-stream") else word
