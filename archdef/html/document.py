"""The report as one file: templates filled with the model, the library of charts and the script inside, nothing loaded from elsewhere."""
from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import importlib.resources
import importlib.util
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from archdef.errors import ArchdefError, MissingExtra
from archdef.files.atomic import write_text
from archdef.frontends import cache
from archdef.formatting import count, metric, percent, seconds, size, three
from archdef.html.charts import CAUSES, named
from archdef.html.colours import rules
from archdef.html.data import data
from archdef.html.model import Shown, model
from archdef.html.view import view

_LIBRARY = "window.vegaEmbed = vegaEmbed;"


def save(shown: Sequence[Shown], path: str | os.PathLike[str], title: str = "", failures: Sequence[str] = ()) -> Path:
    """Write a report. Raises MissingExtra without the packages that it takes, ArchdefError for another kind of file."""
    path = check(path)
    write_text(path, document(shown, title, failures))
    return path


def check(path: str | os.PathLike[str]) -> Path:
    """Give the path of a report. Raises what `save` would, before the work that it shall show."""
    path = Path(path)
    if path.suffix not in (".html", ".htm"):
        raise ArchdefError(f"{path}: reports are .html files")
    for package, distribution in (("jinja2", "jinja2"), ("pygments", "pygments"), ("vl_convert", "vl-convert-python")):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra("a report", distribution, "report")
    return path


def document(shown: Sequence[Shown], title: str = "", failures: Sequence[str] = ()) -> str:
    """Give the text of a report. Raises MissingExtra without the packages that it takes."""
    if not shown and not failures:
        raise ArchdefError("a report needs at least one launch")
    library, environment = _library(), _environment()
    content = model(shown, title or _title(shown), failures)
    script = _text("report.js")
    packed, content["runs"] = data(content), [view(run) for run in content["runs"]]
    page: str = environment.get_template("report.html").render(
        **content, style=_text("report.css") + rules(), library=library, script=script, hashes=[_hash(library), _hash(script)],
        data=packed, causes=CAUSES, named=named)
    return page


def _title(shown: Sequence[Shown]) -> str:
    """Name kernels and machines."""
    kernels, machines = (", ".join(dict.fromkeys(names)) for names in ([one.run.kernel for one in shown], [one.run.architecture.name for one in shown]))
    return f"{kernels} on {machines}"


def _library() -> str:
    """Give Vega-Embed, Vega-Lite and Vega as one script; making it takes seconds, so it is kept beside compiled PTX."""
    import vl_convert

    entry = cache.key("script of reports", importlib.metadata.version("vl-convert-python"), _LIBRARY)
    made: str | None = cache.get(entry)
    if made is None:
        made = vl_convert.javascript_bundle(_LIBRARY)
        cache.put(entry, made)
    return made.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(loader=jinja2.FunctionLoader(_text), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                                     undefined=jinja2.StrictUndefined)
    environment.filters |= {"count": count, "percent": percent, "seconds": seconds, "size": size, "three": three, "metric": metric, "cause": _cause,
                            "bytes": _bytes, "prose": _prose, "base": lambda name: name.rpartition("/")[2]}
    return environment


def _text(name: str) -> str:
    return (importlib.resources.files("archdef.html") / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Give the name by which the page's policy allows a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _cause(cause: str) -> str:
    return "issuing" if cause == "selected" else cause.replace("_", " ")


def _bytes(value: float | None) -> str:
    """Give bytes with three digits: ``1.25 MB``."""
    if value is None:
        return "-"
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{three(value / scale)} {unit}"
    return f"{value:.0f} B"


def _prose(text: str) -> str:
    """Turn a docstring's line into HTML: names between back quotes become code."""
    from markupsafe import Markup, escape

    made: str = Markup("".join(f"<code>{part}</code>" if k % 2 else str(part) for k, part in enumerate(re.split(r"`+", str(escape(text))))))  # noqa: S704  escaped
    return made
