"""Timelines that tests write to files: of a session of a host, and of one launch."""
import numpy as np

import archdef
from archdef import TimelineWindow, registry
from archdef.host import Host

SOURCE = """
__global__ void sums(float *out, const float *in)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] * 2.0f;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
"""


def session():
    """Two streams with copies, kernels whose timelines are recorded, and events."""
    device = archdef.Device(registry.names()[0], host=Host())
    kernel = device.compile(SOURCE).sums
    for _ in range(2):
        stream, values, out = device.stream(), device.empty(256, "f4"), device.zeros(256, "f4")
        values.copy_from(np.ones(256, "f4"), stream)
        kernel[4, 64, 0, stream].launch(out, values, timeline=TimelineWindow("blocks"))
        out.copy_to(np.empty(256, "f4"), stream)
        stream.record()
    device.synchronize()
    return device.host.timeline()


def alone():
    """A launch with everything."""
    device = archdef.Device(registry.names()[0])
    return device.compile(SOURCE).sums[4, 64].launch(device.zeros(256, "f4"), device.zeros(256, "f4"), timeline=TimelineWindow("requests")).timeline()
