from enum import IntEnum

import numpy as np

TEXTURE_DTYPE: np.dtype

class TextureKind(IntEnum):
    TK_TEXTURE = 0
    TK_SURFACE = 1
    TK_SAMPLER = 2

class TexelFormat(IntEnum):
    TF_U8 = 0
    TF_S8 = 1
    TF_U16 = 2
    TF_S16 = 3
    TF_U32 = 4
    TF_S32 = 5
    TF_F16 = 6
    TF_F32 = 7

class AddressMode(IntEnum):
    AM_CLAMP = 0
    AM_WRAP = 1
    AM_MIRROR = 2
    AM_BORDER = 3
MOST_EXTENT: int
