"""What a kernel prints takes no more memory than its buffer allows, whatever its formats ask for; what is cut short is said."""
import numpy as np
import pytest

import archdef
from archdef.errors import GuestWarning
from archdef.run import printing

HEAD = """.version 8.5
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 8 .b8 format[{size}] = {{{text}}};
.visible .entry k(.param .u64 values)
{{ .reg .b64 %rd<3>; mov.u64 %rd1, format; ld.param.u64 %rd2, [values];
  {{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call (r), vprintf, (a, b); }} ret; }}
"""


def said(format_, values, threads=1, **options):
    device = archdef.Device("k40", **options)
    data = format_ + b"\0"
    kernel = device.compile(HEAD.format(size=len(data), text=", ".join(map(str, data)))).k
    given = device.to_device(np.asarray(values if not callable(values) else values(device), "u8"))
    return kernel[1, threads](given)


@pytest.mark.parametrize("format_", [b"%999999999d", b"%.999999999d", b"%0999999999999999999999d", b"%999999999s", b"%.999999999f", b"%-99999999x"])
def test_widths_and_precisions_are_held_and_told(format_):
    with pytest.warns(GuestWarning, match="1 call of printf was cut short"):
        run = said(format_ + b"|", [0])
    assert 8192 <= len(run.printed) <= 8200 and run.output.cut == 1 and "cut short" in run.warnings[0]


@pytest.mark.parametrize("width", [999999999, -999999999, -(1 << 31)])
def test_widths_from_the_values_are_held_too(width):
    with pytest.warns(GuestWarning, match="cut short"):
        run = said(b"%*d", [(width & 0xffffffff) | 7 << 32])
    assert len(run.printed) == 8192 and run.printed.strip() == "7"


def test_a_string_of_many_megabytes_is_cut_and_told():
    kept = []

    def values(device):
        kept.append(device.to_device(np.full(64 << 20, ord("x"), "u1")))
        kept[0].memory.write(kept[0].address + (64 << 20) - 1, bytes(1))
        return [kept[0].address]
    with pytest.warns(GuestWarning, match="a string for 65536"):
        run = said(b"%s|", values)
    assert run.printed == "x" * 65536 + "|"
    assert said(b"%.3s|", lambda d: [kept.append(d.to_device(np.full(1 << 20, ord("y"), "u1"))) or kept[-1].address]).output.cut == 0


def test_a_format_of_many_megabytes_is_cut_and_told():
    with pytest.warns(GuestWarning, match="a format has room for 8192"):
        run = said(b"z" * 100_000, [0])
    assert run.printed == "z" * 8192


@pytest.mark.filterwarnings("ignore::archdef.errors.GuestWarning")
def test_all_of_it_is_bounded_by_the_buffer():
    run = said(b"%8000d" * 32, [0] * 32, threads=1024)
    assert 8000 * 32 <= len(run.printed) <= printing.TEXT_PER_BYTE << 20 and run.output.lost == 1024 - len(run.output.calls) > 0
    small = said(b"%8000d" * 32, [0] * 32, threads=512, print_bytes=1 << 16)
    assert len(small.printed) <= printing.LEAST_TEXT and small.output.lost


def test_what_fits_is_not_told():
    run = said(b"%8192d%.2s", [1 << 32, 0])
    assert run.output.cut == run.output.lost == 0 and not run.warnings
