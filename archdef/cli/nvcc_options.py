"""Options of nvcc that ``archdef build`` has not, and what stands for them: compile lines of books are typed as they are."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import click

_HOST: Final = ("-Xcompiler", "--host-option")
_ANSWERS: Final = {
    r"-arch\b.*|--gpu-architecture\b.*|-gencode\b.*|--generate-code\b.*|-code\b.*": "the machine says what is compiled for: -a NAME",
    r"-lineinfo|--generate-line-info": "leave it out: line numbers are always kept",
    r"-m64|--machine\b.*": "leave it out: all programs are of 64 bits",
    r"-G|--device-debug": "leave it out: there is no debugger of the device",
    r"-?-use_fast_math|-?-(ftz|prec-div|prec-sqrt|maxrregcount|default-stream|extended-lambda|expt-\S*)\b.*|-X(ptxas|nvlink)|-cudart\b.*|--cudart\b.*":
        "only nvcc has it: build with nvcc -gencode arch=compute_XX,code=compute_XX and run that program",
    r"-w|-W\w.*|-f(?!mad\b)\w.*|-m(?!64)\w.*|-pthread": "options of the host's compiler follow -Xcompiler"}


class BuildCommand(click.Command):
    """A command that says of nvcc's options what stands for them here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for them first: click would take ``-lineinfo`` for a library, and ``-arch=sm_20`` for a machine."""
        for option in _own(args):
            for pattern, answer in _ANSWERS.items():
                if re.fullmatch(pattern, option):
                    raise click.UsageError(f"{option} is an option of nvcc's; {answer}", ctx)
        return super().parse_args(ctx, args)


def _own(args: Sequence[str]) -> list[str]:
    """List the options that are not the value of one that passes them on."""
    return [each for before, each in zip(("", *args), args, strict=False) if each.startswith("-") and before not in _HOST]
