"""Are mistakes clear errors, and does nothing run for ever?"""
from __future__ import annotations

from archdef.errors import BudgetExceeded, GuestFault, LaunchError, PtxError
from archdef.spec.fields import with_article
from archdef.testing.checks.check import Broken, Subject, check, expect
from archdef.testing.checks.samples import kernel

_FILE = "mistake.ptx"


def _message(subject: Subject, attempt, error: type[Exception], words: tuple[str, ...]) -> None:
    try:
        attempt()
    except error as caught:
        lacking = [word for word in words if word not in str(caught)]
        expect(not lacking, f"the error does not say {', '.join(map(repr, lacking))}: {str(caught).splitlines()[0]}")
    else:
        raise Broken(f"{subject.architecture.name} takes it, instead of {with_article(error.__name__)}")


@check()
def an_unknown_instruction_is_a_clear_error(subject: Subject) -> None:
    """An instruction that nobody knows is refused with file, line, the instruction and a caret."""
    text = kernel("    frobnicate.u32 %r7, %r2;")
    line = 1 + text[:text.index("frobnicate")].count("\n")
    _message(subject, lambda: subject.device().compile(text)["k"].program, PtxError, (f":{line}:", "frobnicate", "^"))


_LIMITS = ("threads_per_block", "block_dimensions.x", "grid_dimensions.x", "shared_bytes_per_block")


@check(cases=lambda subject: list(_LIMITS))
def a_launch_past_a_limit_is_refused(subject: Subject, case: str) -> None:
    """A launch that asks for more than a limit allows names kernel, architecture, limit and value."""
    limits, architecture = subject.architecture.limits, subject.architecture
    x, y, _ = limits.block_dimensions
    if case == "threads_per_block":
        block = (x, min(y, limits.threads_per_block // x + 1), 1)
        if block[0] * block[1] <= limits.threads_per_block:     # no block within its dimensions is too large
            return
        launch, most = ((1,), block, 0), limits.threads_per_block
    elif case == "block_dimensions.x":
        launch, most = ((1,), (x + 1,), 0), x
    elif case == "grid_dimensions.x":
        launch, most = ((limits.grid_dimensions[0] + 1,), (1,), 0), limits.grid_dimensions[0]
    else:
        launch, most = ((1,), (1,), limits.shared_bytes_per_block + 1), limits.shared_bytes_per_block
    device = subject.device()
    out = device.zeros(4)
    _message(subject, lambda: device.compile(kernel("")).k[launch](out, out, 0), LaunchError, (architecture.name, case, str(most), "k"))


@check()
def an_access_out_of_bounds_is_a_fault(subject: Subject) -> None:
    """A store where nothing was allocated names kernel, instruction, block, thread and address; device memory stays readable."""
    device = subject.device()
    out = device.to_device([1, 2, 3])
    text = kernel("    mov.u64 %rd3, 4096; st.global.u32 [%rd3], %r2;")
    _message(subject, lambda: device.compile(text).k[(1,), (1,)](out, out, 0), GuestFault, ("k", "st.global.u32", "block", "thread", "0x1000"))
    expect(out.to_host().tolist() == [1, 2, 3], "device memory is not readable after a fault")


@check()
def a_kernel_that_never_ends_is_stopped(subject: Subject) -> None:
    """A loop without end stops at its budget with an error of its own."""
    device = subject.device()
    out, module = device.zeros(4), device.compile(kernel("L: add.u32 %r7, %r7, 1; bra L;"))
    _message(subject, lambda: module.k[(1,), (1,)].launch(out, out, 0, max_instructions=10_000), BudgetExceeded, ("k",))
