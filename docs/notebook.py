"""The notebook of the tutorial: its cells, and how it is executed. ``python docs/notebook.py`` writes docs/tutorial/notebook.ipynb anew.

It takes nbclient, nbformat and ipykernel; showing it (`page`) takes nothing.
"""
from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path

PATH = Path(__file__).parent / "tutorial" / "notebook.ipynb"
CELLS = (
    ("markdown", "# A kernel in a notebook\n\nWhich line of a transposition costs the most on a GF100, and why? "
                 "This page is `docs/tutorial/notebook.ipynb`, as it was executed."),
    ("code", "import archdef\nfrom archdef import plot\n\nmachine = archdef.architecture('gf100')\nmachine"),
    ("markdown", "CUDA C++ is compiled and launched as in any program; the option `timeline` keeps when which block ran."),
    ("code", "SOURCE = '''\n__global__ void transpose(float *out, const float *in, int n)\n{\n"
             "    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
             "    float value = in[y * n + x];\n    out[x * n + y] = value;\n}\n'''\nn = 256\ndevice = archdef.Device(machine)\na = device.zeros(n * n, 'f4')\n"
             "b = device.empty_like(a)\nkernel = device.compile(SOURCE).transpose\n"
             "run = kernel[(n // 16, n // 16), (16, 16)].launch(b, a, n, timeline=True)\nrun"),
    ("markdown", "Most cycles are spent on the line of the store: its warps wait for the value that they load, and then for room in the memory system,"
                 " as their lanes write to places far apart."),
    ("code", "run.plot.lines();"),
    ("code", "run.plot.timeline();"),
    ("markdown", "How full is a multiprocessor, and how full with blocks of another size?"),
    ("code", "run.occupancy"),
    ("code", "run.plot.occupancy(over='threads');"),
    ("markdown", "The same launch with twice the partitions, and what the two descriptions differ in:"),
    ("code", "from archdef.report.differing import differences\n\nwider = machine.evolve({'dram.partitions': 12})\ndifferences(machine, wider)"),
    ("code", "other = archdef.Device(wider)\na, b = other.zeros(n * n, 'f4'), other.zeros(n * n, 'f4')\n"
             "again = other.compile(SOURCE).transpose[(n // 16, n // 16), (16, 16)](b, a, n)\nplot.compare([run, again]);"),
)
"""Kind and text of each cell."""


def executed():
    """Make the notebook and carry its cells out. Raises CellExecutionError if one fails."""
    import nbclient
    import nbformat

    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    for number, (kind, text) in enumerate(CELLS):
        cell = nbformat.v4.new_markdown_cell(text) if kind == "markdown" else nbformat.v4.new_code_cell(text)
        cell["id"] = f"cell-{number}"
        made.cells.append(cell)
    with tempfile.TemporaryDirectory() as folder:       # not beside the sources, which would stand for what is installed
        nbclient.NotebookClient(made, timeout=300, record_timing=False, resources={"metadata": {"path": folder}}).execute()
    made.metadata.pop("language_info", None)    # of the Python that executed it
    return made


def page(notebook: Path, folder: Path) -> str:
    """Give the notebook as Markdown, its pictures as files in `folder`."""
    parts = []
    for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for data in (output["data"] for output in cell.get("outputs", ()) if "data" in output):
            if "image/png" in data:
                (folder / f"notebook-{number}.png").write_bytes(base64.b64decode(data["image/png"]))
                parts.append(f"![Plot of the cell above](notebook-{number}.png)")
            elif "text/html" in data:
                parts.append("```{raw} html\n" + "".join(data["text/html"]) + "\n```")
            else:
                parts.append("```text\n" + "".join(data["text/plain"]) + "\n```")
    return "\n\n".join([*parts, ""])


if __name__ == "__main__":
    import nbformat

    PATH.write_text(nbformat.writes(executed()) + "\n", encoding="utf-8")
