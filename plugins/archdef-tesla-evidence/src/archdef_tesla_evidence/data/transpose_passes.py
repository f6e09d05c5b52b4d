"""The eight kernels of the transpose study, as its second column times them: many passes in one launch."""
import functools
from pathlib import Path
from runpy import run_path

from archdef.examples import Workload

PASSES = 4
"""Enough for what the first pass finds empty not to matter."""
ONE = run_path(str(Path(__file__).with_name("transpose_study.py")))
WORKLOAD = Workload("transpose_passes", "matrix transposes of Ruetsch and Micikevicius 2009, many passes in one launch",
                    Path(__file__).with_name("transpose_study.cu"), functools.partial(ONE["cases"], passes=PASSES), size=2048,
                    multiple=ONE["TILE"], size_means="rows and columns")
