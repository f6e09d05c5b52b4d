"""The notebook of the tutorial is what its cells give today; bars of progress show in notebooks."""
import importlib.util
import re
from pathlib import Path

import pytest

from archdef import registry
from archdef.frontends import nvrtc

nbclient = pytest.importorskip("nbclient", reason="needs the extra test")
nbformat = pytest.importorskip("nbformat", reason="needs the extra test")
pytest.importorskip("ipykernel", reason="needs the extra test")
pytest.importorskip("matplotlib", reason="plots need the extra plot")
DOCS = Path(__file__).parents[2] / "docs"
MOST_BYTES = 400_000


@pytest.fixture(scope="module")
def notebook():
    spec = importlib.util.spec_from_file_location("notebook", DOCS / "notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(made):
    """What cells gave, pictures and addresses of objects left out."""
    return [(cell["source"], [output["data"].get("text/html") for output in cell.get("outputs", ()) if "data" in output]) for cell in made["cells"]]


@pytest.mark.skipif(nvrtc.toolchain() is None or "gf100" not in registry.names(), reason="needs NVRTC and the GF100")
def test_the_notebook_is_what_its_cells_give(notebook):
    kept = nbformat.read(notebook.PATH, as_version=4)
    nbformat.validate(kept)
    assert results(kept) == results(notebook.executed()), "write it anew: python docs/notebook.py"


def test_the_notebook_is_small_and_every_plot_is_in_it(notebook):
    assert notebook.PATH.stat().st_size < MOST_BYTES
    kept = nbformat.read(notebook.PATH, as_version=4)
    for cell in kept.cells:
        kinds = [kind for output in cell.get("outputs", ()) for kind in output.get("data", ())]
        assert ("image/png" in kinds) == (cell.cell_type == "code" and cell.source.rstrip().endswith(";")), cell.source
        assert not any(output["output_type"] in ("error", "stream") for output in cell.get("outputs", ()))


def test_the_page_has_every_cell_and_picture(notebook, tmp_path):
    page = notebook.page(notebook.PATH, tmp_path)
    for _, text in notebook.CELLS:
        assert text in page
    pictures = re.findall(r"\((notebook-\d+\.png)\)", page)
    assert pictures and all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in pictures)


BAR = """
from archdef import progress
progress.PATIENCE_S = 0.0
with progress.Task("work") as task:
    task.counted(1, 4, "first of them")
    progress.DISPLAY._bars.refresh()
    shown = progress.DISPLAY.console().is_jupyter, progress.DISPLAY.busy
    left = task._left(0.25)
print(shown, left)
"""


def test_a_bar_is_shown_in_a_notebook_with_the_time_left():
    pytest.importorskip("ipywidgets", reason="rich draws bars in notebooks with it")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(BAR)], metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    nbclient.NotebookClient(made, timeout=120).execute()
    printed = "".join(output["text"] for output in made.cells[0].outputs if output.output_type == "stream")
    assert "(True, True)" in printed and "left" in printed
    assert any("application/vnd.jupyter.widget-view+json" in output.get("data", {}) for output in made.cells[0].outputs) or made.metadata.get("widgets")
