"""Every measured texture and surface case gives on the engine, bit for bit, what it gave on the hardware."""
import engine_textures
import numpy as np
import pytest
from engine import machine
from forms import TEXTURES as BUILDERS
from forms import row_of
from outputs import TEXTURES, known
from textures import LEFT_OUT, cases, texels

from archdef.ptx.table import TABLE
from archdef.registry import names
from archdef.testing import texturing

pytestmark = pytest.mark.skipif("h100" not in names(), reason="the plugin of the measured machine is not installed")
FAMILIES = sorted({name.partition("/")[0] for name in cases()})


@pytest.mark.parametrize("family", FAMILIES)
def test_outputs_equal_the_hardwares(family):
    here = {name: case for name, case in cases().items() if name.partition("/")[0] == family}
    got, wrong = engine_textures.run(here.values(), machine()), {}
    for name, case in here.items():
        text = got[name] if isinstance(got[name], str) else engine_textures.differ(case, got[name], known(TEXTURES)[name][1])
        if text:
            wrong[name] = text
    assert wrong == {}


def test_every_case_is_measured_as_it_is_today():
    assert set(known(TEXTURES)) == set(cases())
    changed = [name for name, case in cases().items() if known(TEXTURES)[name][0] != case.fingerprint()]
    assert changed == [], "kernel, texels or coordinates changed: measure again"


def test_every_row_has_a_case():
    rows = {row.form for row in TABLE if row.builder in BUILDERS}
    assert {row_of(case.form) for case in cases().values()} == rows
    assert all(len(reason) > 10 for reason in LEFT_OUT.values())


@pytest.mark.parametrize("name", [n for n, c in cases().items() if n.startswith(("filter/", "modes/", "position/", "address/", "conversion/", "row/"))])
def test_the_definition_in_numpy_is_the_hardwares_too(name):
    case = cases()[name]
    from textures import AXES, coordinates
    axes, want = AXES[case.geometry], np.frombuffer(known(TEXTURES)[name][1], np.uint32).reshape(-1, 4)
    data = texels(case).reshape(case.shape[3 - axes:])
    xs = [c.view(np.float32) for c in coordinates(case)[:axes]]
    found = texturing.fetch(data, xs, filter=case.filter, address=case.address, normalized=case.normalized, read=case.read)
    assert (np.ascontiguousarray(found).view(np.uint32) == want[:, :case.shape[3]]).all()
