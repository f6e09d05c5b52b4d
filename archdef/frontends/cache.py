"""Compiled PTX kept on disk under the hash of everything that went in. Losing any of it costs only time."""
from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def folder() -> Path | None:
    """Give the cache folder: ``$ARCHDEF_CACHE``, else in the user's cache directory; None if that is set but empty."""
    chosen = os.environ.get("ARCHDEF_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "archdef" / "ptx"


def key(*parts: str) -> str:
    """Hash `parts`; where one ends and the next begins counts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def get(name: str) -> str | None:
    """Read an entry, or None if it is missing or damaged."""
    base = folder()
    if base is None:
        return None
    try:
        text = (base / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    check, _, body = text.partition("\n")
    return body if check == key(body) else None


def put(name: str, body: str) -> None:
    """Write an entry in one step; a cache that cannot be written is no error."""
    base = folder()
    if base is None:
        return
    try:
        base.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=base)
    except OSError:
        return
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{key(body)}\n{body}")
        os.replace(temporary, base / name)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
