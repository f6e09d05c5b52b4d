"""A launch, or several beside each other, as an HTML file to look at."""
from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from archdef import html
from archdef.run.explain import costliest, why

if TYPE_CHECKING:
    from archdef.html.advised import Advised
    from archdef.html.model import Shown
    from archdef.run.result import Run


def shown(run: Run, checked: str = "", advice: Sequence[Advised] | None = None) -> Shown:
    """Put a launch beside the reason for the time that it took; `checked` says whether its output was right, `advice` what to change."""
    return html.model.Shown(run, why(run), costliest(run), checked, advice)


def save(runs: Sequence[Run], path: str | os.PathLike[str]) -> Path:
    """Write a report about some launches."""
    return html.document.save([shown(run) for run in runs], path)
