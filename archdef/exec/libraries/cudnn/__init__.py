"""cuDNN: convolutions of images. Reference: cudnn_ops.h and cudnn_cnn.h of cuDNN 9."""
from archdef.exec.libraries.cudnn import convolutions, descriptions, handles

__all__ = ["convolutions", "descriptions", "handles"]
