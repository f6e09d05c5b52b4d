"""Is the time of a launch in a row of them what a stream takes for one more?"""
import pytest

import archdef
from archdef.host import Host
from archdef.validate.builtin import of_run

TEXT = """.version 6.0
.target sm_20
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; st.global.u32 [%rd3], %r2;
    ret;
}"""


def series_us(name: str, launches: int) -> float:
    """Time between two events around so many launches in a stream, which is busy before, so that the host's calls do not count."""
    device = archdef.Device(name, host=Host())
    kernel, array, stream = device.compile(TEXT).k, device.zeros(256), device.stream()
    device.empty(1 << 22, "u4").fill_bytes(0, stream)
    first = stream.record()
    for _ in range(launches):
        kernel[(8,), (256,), 0, stream](array)
    last = stream.record()
    device.synchronize()
    return last.elapsed_since(first) * 1e6


@pytest.mark.parametrize("name", ["gt200", "v100"])
def test_a_launch_in_a_row_takes_as_long_as_a_stream_takes_for_one_more(name):
    if name not in archdef.architectures():
        pytest.skip(f"{name} is not installed")
    device = archdef.Device(name)
    given = of_run(device.compile(TEXT).k[(8,), (256,)].launch(device.zeros(256)))
    assert given["in_a_row_us"] == pytest.approx((series_us(name, 6) - series_us(name, 2)) / 4, rel=1e-3)
    assert given["in_a_row_us"] > given["elapsed_us"] + 1
