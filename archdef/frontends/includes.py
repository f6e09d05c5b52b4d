"""Which files of the user's own a source includes, so that a changed header is not answered from the cache."""
from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>|(\S+))', re.MULTILINE)


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
