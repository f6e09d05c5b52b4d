"""What a CUDA source may hold that NVRTC and a compiler of the host cannot be brought to translate, said by file, line and name."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from archdef.programs import references
from archdef.programs.syntax import Source, Unsupported

_WAY_OUT: Final = "needs a compiler that knows CUDA (--compiler nvcc or clang)"
_HOST_LIBRARIES: Final = {b"thrust": "Thrust's algorithms for the host", b"cub": "CUB's algorithms for the host (cub::Device…)"}


def check(source: Source, cuda: int) -> None:
    """Refuse what cannot be translated, with the headers of a CUDA version. Raises Unsupported that names all of it."""
    found = [*_variables(source, cuda), *_lambdas(source), *_launches(source)]
    if found:
        raise Unsupported("\n".join(f"{source.where(at)}: {what}" for at, what in sorted(set(found))))


def check_host(host: Source) -> None:
    """Refuse algorithms of libraries that launch kernels of their own. Raises Unsupported."""
    for node in host.every("namespace_identifier"):
        if what := _HOST_LIBRARIES.get(host.text(node)):
            raise Unsupported(f"{host.where(node.start_byte)}: {what} {_WAY_OUT}")


def _variables(source: Source, cuda: int) -> Iterator[tuple[int, str]]:
    for item in source.all_items():
        at = item.core.start_byte
        if item.kind == "variable" and "managed" in item.spaces and (item.in_class or item.node.type == "template_declaration"):
            yield at, "a __managed__ variable of a class or a template needs CUDA's own compiler (--compiler nvcc)"
        if references.is_reference(source, item):
            if cuda > references.LAST_CUDA:
                yield at, (f"a texture or surface reference, which CUDA {references.LAST_CUDA} had last, and this is CUDA {cuda}: "
                           f"pip install 'archdef[cuda,build]' brings CUDA {references.LAST_CUDA}; or make it a texture object")
            elif item.node.type == "template_declaration":
                yield at, f"a template of texture or surface references {_WAY_OUT}"


def _lambdas(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.every("lambda_expression"):
        body = node.child_by_field_name("body")
        head = source.words(node.start_byte, body.start_byte if body is not None else node.end_byte)
        if head & {b"__device__", b"__host__"}:
            yield node.start_byte, f"a lambda for the device (--extended-lambda) {_WAY_OUT}"


def _launches(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.every("ERROR"):
        if b"<<<" in source.text(node):
            yield node.start_byte, "a launch whose parts cannot be told apart: kernel<<<grid, block, …>>>(…) was expected"
