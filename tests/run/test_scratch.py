"""Memory that a launch allocates for a kernel besides its arguments, as front ends ask for it."""
import numpy as np
import pytest

from archdef import Device, frontends, registry
from archdef.errors import DeviceMemoryError
from archdef.frontends import Compiled, Interface
from archdef.hookspecs import hookimpl

pytestmark = pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")
PTX = """.version 6.0
.target sm_50
.address_size 64
.visible .entry reversed(.param .u64 out, .param .u64 scratch, .param .u64 none)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [scratch];
    ld.param.u64 %rd3, [none];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %rd4, %r2, 128;
    add.u64 %rd5, %rd2, %rd4;
    mul.wide.u32 %rd6, %r1, 4;
    add.u64 %rd7, %rd5, %rd6;
    mad.lo.u32 %r3, %r2, 100, %r1;
    st.global.u32 [%rd7], %r3;
    bar.sync 0;
    sub.u64 %rd8, %rd5, %rd6;
    ld.global.u32 %r4, [%rd8+124];
    cvt.u32.u64 %r5, %rd3;
    add.u32 %r4, %r4, %r5;
    add.u64 %rd9, %rd1, %rd4;
    add.u64 %rd10, %rd9, %rd6;
    st.global.u32 [%rd10], %r4;
    ret;
}
"""


class Scratching:
    name, takes = "scratching", "a file of test_scratch"
    bytes_per_block = 128

    def accepts(self, source, options):
        return str(source) == "x.scratching"

    def missing(self):
        return None

    def compile(self, source, options):
        return Compiled(PTX, "x.scratching.ptx", interfaces={"reversed": Interface(
            "reversed", lambda arguments, parameters: arguments, (32, 1, 1), scratch_bytes=(self.bytes_per_block, 0))})


class Plugin:
    @hookimpl
    def archdef_frontends(self):
        return [Scratching()]


@pytest.fixture
def plugin():
    plugin = Plugin()
    frontends.register(plugin)
    yield
    frontends.unregister(plugin)


@pytest.mark.parametrize("name", registry.names())
def test_each_block_has_its_own_for_as_long_as_the_launch_lasts(name, plugin):
    machine = Device(name)
    kernel = machine.compile("x.scratching").reversed
    wanted = [[100 * block + 31 - t for t in range(32)] for block in range(6)]
    out = machine.zeros((6, 32), "i4")
    before = machine.memory.taken("global")
    for _ in range(3):
        kernel[6](out)
        assert out.to_host().tolist() == wanted
    assert machine.memory.taken("global") <= before + 6 * 128 + 256, "what a launch took is given back"
    second = machine.zeros((6, 32), "i4")
    stream = machine.stream()
    for array in (out.zero(), second):
        kernel[6].on(stream)(array)
    machine.synchronize()
    assert out.to_host().tolist() == second.to_host().tolist() == wanted


def test_more_than_the_machine_has_is_refused(plugin, monkeypatch):
    monkeypatch.setattr(Scratching, "bytes_per_block", 1 << 40)
    machine = Device(registry.names()[0])
    with pytest.raises(DeviceMemoryError):
        machine.compile("x.scratching").reversed[6](machine.zeros((6, 32), "i4"))
    assert np.all(machine.zeros(4).to_host() == 0)
