"""Files and folders that are there as a whole or not at all."""
from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file, or replace it; nobody sees half of it, and an error leaves what was there."""
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], data: bytes, executable: bool = False) -> None:
    """Do the same with bytes, of a program if it is `executable`. What a link leads to is replaced, not the link; a device or a pipe is written to."""
    path = Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        with open(path, "wb") as device:
            device.write(data)
        return
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(made, (0o777 if executable else 0o666) & ~_umask())  # mkstemp makes files that only their owner can read
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)
        raise


@contextlib.contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary folder that becomes `path` when the block ends well, and disappears when it does not.

    Raises FileExistsError if there is something at `path` by then.
    """
    path = Path(path)
    made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        yield made
        made.chmod(0o777 & ~_umask())
        if os.path.lexists(path):  # renaming would replace an empty folder without a word
            raise FileExistsError(f"{path} exists")
        made.rename(path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
