"""The cosine transform that a 9800 GT was timed by computes one."""
from importlib.resources import files

import archdef
import numpy as np


def test_each_square_of_8_by_8_is_transformed():
    device, side = archdef.Device("g92"), 64
    image = np.random.default_rng(0).random((side, side), dtype="f4")
    out = device.zeros((side, side), "f4")
    module = device.compile(str(files("archdef_tesla_evidence") / "data" / "dct.cu"))
    module.dct[(side // 32, side // 16), (8, 4, 2)](out, device.to_device(image), side)
    order = np.arange(8)
    cosines = np.cos((2 * order + 1) * order[:, None] * np.pi / 16) / 2
    cosines[0] /= np.sqrt(2)
    squares = image.astype("f8").reshape(side // 8, 8, side // 8, 8)
    expected = np.einsum("ij,ajbk,lk->aibl", cosines, squares, cosines).reshape(side, side)
    assert np.allclose(out.to_host(), expected, rtol=0, atol=4e-6)
