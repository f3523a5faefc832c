"""Writing results to files: checked before the work, and whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from solver import Distribution, InputError


def check_file(path: Path, endings: Sequence[str], kind: str) -> None:
    """Refuse a file that could not be written, before anything is computed."""
    if path.suffix.lstrip(".").lower() not in endings:
        allowed = ", ".join(f".{ending}" for ending in endings)
        raise InputError(f"'{path}' does not end in a {kind} format: allowed are {allowed}.")
    if not path.parent.is_dir():
        raise InputError(f"the folder '{path.parent}' does not exist: make it first or choose another.")
    if path.is_dir():
        raise InputError(f"'{path}' is a folder: name a file.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"'{path}' cannot be written: choose a file or folder of your own.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place once everything is written."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror or error}.") from None


def check_scores_file(path: Path) -> None:
    check_file(path, ("csv",), "table")


def write_scores(distribution: Distribution, path: Path) -> None:
    """Every score with its chance, and the chances of that many points or fewer and or more."""
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write("score,chance,at_most,at_least\n")
        at_most = distribution.chances.cumsum()
        at_least = distribution.chances[::-1].cumsum()[::-1]
        for score, chance in enumerate(distribution.chances):
            if chance > 0.0:
                file.write(f"{score},{float(chance)!r},{float(at_most[score])!r},{float(at_least[score])!r}\n")
