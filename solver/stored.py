"""Arrays and facts on disk: one folder, the arrays and a manifest, never half of either.

Each array is written beside its final place under a name that holds its checksum, then the manifest that names them
all is renamed into place: that one rename is the moment the folder changes. Whoever reads checks the manifest's own
checksum and those of the arrays before a single number is used.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from solver.errors import RollwiseError

Array = npt.NDArray[Any]

_MANIFEST = "manifest.json"


class MissingError(RollwiseError):
    """There is no manifest in the folder."""


class DamagedError(RollwiseError):
    """The folder holds something that cannot be used; the message is a reason, as in 'its array is damaged'."""


def save(folder: Path, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Store arrays and facts; what was in the folder before stays until the new ones are complete."""
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            named = {name: _save_array(folder, name, array) for name, array in arrays.items()}
            whole = {**facts, "arrays": named}
            temporary = folder / "manifest.tmp"
            with temporary.open("w", encoding="utf-8") as text:
                json.dump(whole | {"checksum": _checksum(whole)}, text, indent=2)
                _flush(text)
            os.replace(temporary, folder / _MANIFEST)
        finally:
            kept = _named_files(folder)
            for stale in [*folder.glob("*.tmp"), *folder.glob("*.npy")]:
                if stale.name not in kept:
                    stale.unlink(missing_ok=True)


def load_facts(folder: Path) -> dict[str, Any]:
    """The facts of a folder, checked."""
    try:
        text = (folder / _MANIFEST).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise MissingError(f"there is nothing in '{folder}'.") from None
    except (OSError, UnicodeDecodeError):
        raise DamagedError("its manifest cannot be read") from None
    try:
        facts = json.loads(text)
        checksum = facts.pop("checksum")
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise DamagedError("its manifest is damaged") from None
    if checksum != _checksum(facts):
        raise DamagedError("its manifest is damaged")
    return dict(facts)


def load_arrays(folder: Path, facts: Mapping[str, Any]) -> dict[str, Array]:
    """The arrays that the facts of a folder name, checked and memory-mapped."""
    arrays: dict[str, Array] = {}
    for name, found in facts.get("arrays", {}).items():
        path = folder / found["file"]
        try:
            if _digest(path) != found["sha256"]:
                raise DamagedError("its array is damaged")
            arrays[name] = np.load(path, mmap_mode="c", allow_pickle=False)
        except FileNotFoundError:
            raise DamagedError("its array is missing") from None
        except OSError:
            raise DamagedError("its array cannot be read") from None
    return arrays


def load(folder: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Facts and arrays of a folder."""
    for attempt in range(3):
        facts = load_facts(folder)
        try:
            return facts, load_arrays(folder, facts)
        except DamagedError:
            # Another process may have replaced them in between; then the manifest names other arrays.
            if attempt and facts == load_facts(folder):
                raise
    raise DamagedError("its array is missing")


def require_room(folder: Path, needed: int, what: str) -> None:
    """Refuse to begin what could not be stored."""
    with told(folder):
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    if free < needed:
        raise RollwiseError(
            f"{what} needs {needed / 2**20:,.0f} MiB and '{folder}' has {free / 2**20:,.0f} MiB left: "
            "make room or choose another folder with --tables."
        )


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn what the file system says into one sentence."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        remedy = "make room or choose another folder with --tables" if full else "choose another folder with --tables"
        raise RollwiseError(f"cannot write to '{folder}': {error.strerror or error}; {remedy}.") from None


@contextmanager
def locked(folder: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock of a folder, a file beside it; `waiting` is called once if another process has it."""
    with told(folder.parent):
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(f"{folder}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if waiting is not None:
                waiting()
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _save_array(folder: Path, name: str, array: Array) -> dict[str, str]:
    temporary = folder / f"{name}.tmp"
    with temporary.open("wb") as file:
        array = np.ascontiguousarray(array)
        np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
        file.write(array.data)
        _flush(file)
    digest = _digest(temporary)
    path = folder / f"{name}-{digest[:16]}.npy"
    os.replace(temporary, path)
    return {"file": path.name, "sha256": digest}


def _named_files(folder: Path) -> set[str]:
    try:
        facts = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return {found["file"] for found in facts["arrays"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
