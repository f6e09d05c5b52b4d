"""Write docs/reference/data.md: every view of results with its columns.

python tests/docs/data_page.py
"""
from pathlib import Path

from archdef._views import OF
from archdef.data.subjects import find

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "data.md"
HEAD = """# Data

<!-- written by tests/docs/data_page.py -->

Every result has views: tables with columns that have a name, a type, a unit and a meaning. They are listed below, and are promised: a column that goes away,
or means something else, warns for a minor release before.

```python
from archdef import views

views(run)["lines"].to_pandas()                 # a DataFrame (archdef[pandas])
views(run)["lines"].to_arrow()                  # a pyarrow.Table (archdef[arrow])
views(run, other)["metrics"].save("m.parquet")  # several results of one kind are in one table
list(views(run))                                # which there are
```

Commands that print tables write views by `--data`, which may be repeated: `--data FILE` writes the first view of the command, `--data VIEW=FILE` another.
The kind of file is what its name ends in.

```sh
archdef compare transpose gt200 gf100 --data transpose.csv --data lines=lines.parquet
archdef archs --data fields=machines.parquet
```

| file | what it is |
|---|---|
| `.csv` | a line of names, then the rows, in UTF-8, with commas and points. What is missing is nothing; yes and no are `true` and `false` |
| `.json` | an object with `about`, `columns` (as below) and `rows`, a list each. What is missing, or infinite, is `null` |
| `.arrow` | Arrow's IPC format, also called Feather 2 (needs `archdef[arrow]`) |
| `.parquet` | Parquet (needs `archdef[arrow]`) |

Files are written as a whole or not at all. Types are Arrow's: `int64` stays whole also where a value is missing, which is null everywhere: in pandas, columns are
of the nullable types `Int64`, `Float64`, `boolean` and `string`; `pandas.read_parquet(…, dtype_backend="numpy_nullable")` gives the same back. An empty text is
missing.

Arrow and Parquet files and JSON say what they are: metadata of a field has `unit` and `description`, that of the schema (`about` in JSON, `DataFrame.attrs` in
pandas) `archdef.version`, `archdef.view`, `archdef.about` and, as lists in JSON, `archdef.architecture`, `archdef.kernel` and `archdef.launch` (grid, block, bytes of
shared memory). CSV has names alone; its rows name machine and kernel.

A unit is part of a column's name, but of counts, names, shares from 0 to 1, and where another column says it. `Run.to_pandas` and `Attribution.to_pandas` give tables
for a quick look, whose columns are those of `to_dict`.
"""
WHERE = {
    "archdef.run.result.Run": "`archdef run`, `archdef compare`; a launch in Python",
    "archdef.examples.comparison.Comparison": "`archdef compare`; `archdef.examples`",
    "archdef.baseline.difference.Difference": "`Run.compare`",
    "archdef.baseline.difference.Differences": "`archdef compare --baseline`",
    "archdef.attribution.result.Attribution": "`archdef attribute`; `archdef.attribute`",
    "archdef.advice.finding.Advices": "`archdef advise`; `archdef.advise`",
    "archdef.exec.account.Account": "`archdef exec`; `archdef.exec.run`",
    "archdef.spec.arch.Architecture": "`archdef archs`, `archdef roofline`; architectures in Python",
    "archdef.data.subjects.Described": "`archdef show`",
    "archdef.data.subjects.Compared": "`archdef diff`",
    "archdef.data.subjects.Occupied": "`archdef occupancy`; `archdef.data.Occupied(architecture, archdef.occupancy(…))`",
    "archdef.run.resources.Resources": "`archdef resources`; `Kernel.resources`",
    "archdef.report.lowered.Lowered": "`archdef lower`",
    "archdef.metrics.metric.Metric": "`archdef metrics`; `archdef.metrics.BUILT_IN`",
    "archdef.testing.conformance.Report": "`archdef check`; `archdef.testing.examine`",
    "archdef.validate.run.Report": "`archdef validate`; `archdef.validate`",
    "archdef.microbench.results.Results": "`archdef microbench`; `archdef.microbench`",
    "archdef.host.timeline.Timeline": "`device.host.timeline()`",
    "archdef.ncu.launch.Launch": "`--ncu` of `archdef run` and `compare`; `archdef.ncu.read`",
    "archdef.ncu.beside.Beside": "`--ncu` of `archdef run` and `compare`; `archdef.ncu.beside`",
}
"""Type → where results of it are from."""


def page() -> str:
    """Give the text of the page."""
    places: dict[str, list[str]] = {}
    modules: dict[str, str] = {}
    for kind, names in OF.items():
        for name, module in names.items():
            places.setdefault(name, []).append(WHERE[kind])
            modules[name] = module
    parts = [HEAD]
    for name, module in modules.items():
        view = find(module, name)
        where = "; ".join(dict.fromkeys(place for each in places[name] for place in each.split("; ")))
        parts.append(f"\n## {name}\n\n{view.about} From {where}.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n")
        parts += [f"| `{column.name}` | {column.dtype} | {column.unit} | {_cell(column.meaning)} |\n" for column in view.columns]
    return "".join(parts)


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
