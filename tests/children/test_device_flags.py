"""Flags, limits and attributes that kernels ask for get an H100's answers."""
from pathlib import Path

import pytest

import archdef
from archdef import registry

DATA = Path(__file__).parents[1] / "data/h100"
ANSWERS = (DATA / "device_flags.txt").read_text().splitlines()[1:]
SOURCE = (DATA / "device_flags.cu").read_text().partition("int main")[0]


@pytest.mark.skipif("h100" not in registry.names(), reason="the plugin of the measured machine is not installed")
def test_a_kernel_gets_the_hardwares_answers():
    run = archdef.Device("h100").compile(SOURCE).ask[1, 1]()
    assert "".join(call.text for call in run.output.calls).splitlines() == ANSWERS
