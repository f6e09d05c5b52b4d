"""Lowering and the engine agree on every number and record at their border."""
import re
from pathlib import Path

import numpy as np
import pytest

from archdef.engine.program import layout
from archdef.lower import encoding

ENGINE = Path(__file__).parents[2] / "ext/archdef/engine"
TYPES = "".join((ENGINE / f"{name}.pxd").read_text() for name in ("types", "texture_ops", "matrix_ops"))
PREFIXES = {"OpKind": ("K_", encoding.Kind), "Space": ("SP_", encoding.Space), "OpFlag": ("FL_", encoding.Flag),
            "BranchOp": ("BR_", encoding.BranchOp), "EndOp": ("END_", encoding.EndOp), "Combine": ("CB_", encoding.Combine), "BarrierOp": ("BAR_", encoding.BarrierOp), "VoteOp": ("VOTE_", encoding.VoteOp),
            "ReduxOp": ("REDUX_", encoding.ReduxOp), "ShuffleOp": ("SHFL_", encoding.ShuffleOp),
            "CopyGroup": ("CG_", encoding.CopyGroup), "PhaseOp": ("MB_", encoding.PhaseOp),
            "SystemCall": ("SYS_", encoding.SystemCall), "Special": ("SR_", encoding.SpecialRegister),
            "ConstantKind": ("CK_", encoding.ConstantKind), "TextureOp": ("TX_", encoding.TextureOp),
            "TextureQuery": ("TQ_", encoding.TextureQuery), "SurfaceOp": ("SF_", encoding.SurfaceOp),
            "Boundary": ("SB_", encoding.Boundary), "MatrixOp": ("MX_", encoding.MatrixOp), "MatrixForm": ("MF_", encoding.MatrixForm)}
C_TYPES = {"uint8_t": "u1", "uint16_t": "<u2", "uint32_t": "<u4", "uint64_t": "<u8", "int32_t": "<i4", "int64_t": "<i8"}


def declared(kind: str, name: str) -> str:
    start = re.search(rf"{kind} {name}:.*\n", TYPES).end()
    return re.match(r"(?:(?:    .*)?\n)*", TYPES[start:]).group()


@pytest.mark.parametrize("name", PREFIXES)
def test_enumerators_are_the_engines(name):
    prefix, ours = PREFIXES[name]
    theirs = dict(re.findall(rf"^    {prefix}(\w+) = (\d+)", declared("cp?def enum", name), re.MULTILINE))
    assert {k: int(v) for k, v in theirs.items()} == {name: m.value for name, m in ours.__members__.items() if m.value >= 0}


@pytest.mark.parametrize("name, dtype", [("MicroOp", encoding.MICRO_OP), ("ConstantRow", encoding.CONSTANT_ROW),
                                         ("SpecialRow", encoding.SPECIAL_ROW)])
def test_records_are_the_engines(name, dtype):
    fields = re.findall(r"^    (\w+) (\w+)(?:\[(\d+)\])?", declared("cdef packed struct", name), re.MULTILINE)
    theirs = np.dtype([(field, C_TYPES[kind], int(n)) if n else (field, C_TYPES[kind]) for kind, field, n in fields])
    assert dtype == theirs
    assert dtype.itemsize == layout()[name]


def test_windows_are_the_engines():
    text = (ENGINE / "memory.pxd").read_text()
    theirs = {name: int(value, 0) for name, value in re.findall(r"^    (\w+) = (0x\w+)", text, re.MULTILINE)}
    assert (theirs["SHARED_WINDOW"], theirs["LOCAL_WINDOW"], theirs["WINDOW_BYTES"]) == (
        encoding.GENERIC_SHARED, encoding.GENERIC_LOCAL, encoding.GENERIC_WINDOW)
