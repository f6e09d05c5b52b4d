"""Which files of the user's own a source includes, so that a changed header is not answered from the cache."""
from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from archdef.frontends import source as sources

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S+))', re.MULTILINE)


def included_names(source: Any) -> list[str]:
    """List the headers that C++ text, or the file of that name, includes: without folders, in their order."""
    if not sources.is_cuda(source):
        return []
    text = source if sources.is_text(source) else sources.text_of(Path(source))
    return [os.path.basename(quoted or angled) for quoted, angled, _ in _INCLUDE.findall(text or "")]


def user_files(text: str, folders: Iterable[Path]) -> dict[str, str] | None:
    """Map every included file that lies in `folders`, or beside the file that includes it, to its text.

    Files found nowhere there are the toolkit's own, which the compiler's version stands for. None if an include is a
    macro: then nothing is known.
    """
    folders = tuple(folders)
    found: dict[str, str] = {}
    todo = [(text, folders)]
    while todo:
        text, places = todo.pop()
        for quoted, angled, macro in _INCLUDE.findall(text):
            if macro:
                return None
            for place in places:
                path = place / (quoted or angled)
                if str(path) in found:
                    break
                if path.is_file():
                    body = path.read_text(encoding="utf-8", errors="replace")
                    found[str(path)] = body
                    todo.append((body, (path.parent, *folders)))
                    break
    return found
