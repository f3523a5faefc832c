"""Solved games on disk: one folder a game, an array and a manifest, never half of either.

The array is written beside its final place under a name that holds its checksum, then the manifest that names it
is renamed into place: that one rename is the moment a table changes. Whoever reads checks the manifest's own
checksum, the rules it was made for, and the array's checksum before a single value is used. A lock lets one
process at a time solve a game; readers need none, because a file they have opened stays theirs.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from solver.errors import RollwiseError
from solver.rules import Game
from solver.solve import METHOD, Progress, Solution, require_theta, solve_game
from solver.space import compile_space, count_states

FORMAT = 1
_MANIFEST = "manifest.json"


class TableMissingError(RollwiseError):
    """There is no table for this game yet."""


class TableRefusedError(RollwiseError):
    """There is a table, but it is damaged, or was made for other rules or by another version."""


def default_folder() -> Path:
    """`$ROLLWISE_TABLES`, or the user's cache directory."""
    chosen = os.environ.get("ROLLWISE_TABLES")
    return Path(chosen) if chosen else user_cache_path("rollwise") / "tables"


class TableStore:
    """The solved games of one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def path(self, game: Game, theta: float = 0.0) -> Path:
        """The folder of a game's table."""
        return self.folder / _name(game, theta)

    def size(self, game: Game) -> int:
        """Bytes that a game's table takes on disk, 0 if there is none."""
        try:
            return sum(file.stat().st_size for file in self.path(game).iterdir())
        except OSError:
            return 0

    def load(self, game: Game, *, theta: float = 0.0) -> Solution:
        """The stored solution, its values memory-mapped; refused unless every check holds."""
        for attempt in range(3):
            manifest = self._manifest(game, theta)
            try:
                return self._open(game, theta, manifest)
            except FileNotFoundError:
                # Another process may have replaced the table in between; then the manifest names another array.
                if attempt and manifest == self._manifest(game, theta):
                    break
            except OSError:
                raise self._refused(game, theta, "its array cannot be read") from None
        raise self._refused(game, theta, "its array is missing")

    def save(self, solution: Solution) -> Path:
        """Store a solution; the old table stays until the new one is complete. The caller holds the game's lock."""
        folder = self.path(solution.game, solution.theta)
        temporary = folder / "values.tmp"
        with _told(folder):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                with temporary.open("wb") as file:
                    values = np.ascontiguousarray(solution.values)
                    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(values))
                    file.write(values.data)
                    _flush(file)
                digest = _digest(temporary)
                array = folder / f"values-{digest[:16]}.npy"
                os.replace(temporary, array)
                facts = {
                    "format": FORMAT,
                    "variant": solution.game.name,
                    "fingerprint": solution.game.fingerprint,
                    "method": METHOD,
                    "states": solution.states,
                    "theta": solution.theta,
                    "value": solution.value,
                    "sd": None if solution.theta else solution.sd,
                    "seconds": round(solution.seconds, 3),
                    "array": array.name,
                    "sha256": digest,
                }
                temporary_manifest = folder / "manifest.tmp"
                with temporary_manifest.open("w", encoding="utf-8") as text:
                    json.dump(facts | {"checksum": _checksum(facts)}, text, indent=2)
                    _flush(text)
                os.replace(temporary_manifest, folder / _MANIFEST)
            finally:
                kept = self._named_array(folder)
                for stale in [*folder.glob("*.tmp"), *folder.glob("values-*.npy")]:
                    if stale.name != kept:
                        stale.unlink(missing_ok=True)
        return folder

    def solve(
        self,
        game: Game,
        *,
        theta: float = 0.0,
        force: bool = False,
        rebuild: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> Solution:
        """Load the table, or solve the game and store it if there is none.

        A table that is refused is replaced only with `rebuild`; `force` solves in any case. With a `theta` the
        objective is utility, and the table one of its own (see `solver.solve`).
        """
        compile_space(game)  # Refuses what cannot be solved before anything is written.
        require_theta(theta)
        found = None if force else self._load_if_good(game, theta, rebuild=rebuild)
        if found is not None:
            return found
        with self.lock(game, theta=theta, waiting=waiting):
            found = None if force else self._load_if_good(game, theta, rebuild=rebuild)
            if found is not None:
                return found
            self._require_room(game)
            self.save(solve_game(game, theta=theta, threads=threads, progress=progress))
            return self.load(game, theta=theta)

    def _load_if_good(self, game: Game, theta: float, *, rebuild: bool) -> Solution | None:
        try:
            return self.load(game, theta=theta)
        except TableMissingError:
            return None
        except TableRefusedError:
            if not rebuild:
                raise
            return None

    @contextmanager
    def lock(self, game: Game, *, theta: float = 0.0, waiting: Callable[[], None] | None = None) -> Iterator[None]:
        """Hold the game's lock; `waiting` is called once if another process has it."""
        with _told(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / f"{_name(game, theta)}.lock")
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

    def _manifest(self, game: Game, theta: float) -> dict[str, Any]:
        folder = self.path(game, theta)
        try:
            text = (folder / _MANIFEST).read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise TableMissingError(f"{game.name} is not solved yet: solve it with 'rollwise solve'.") from None
        except (OSError, UnicodeDecodeError):
            raise self._refused(game, theta, "its manifest cannot be read") from None
        try:
            manifest = json.loads(text)
            checksum = manifest.pop("checksum")
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            raise self._refused(game, theta, "its manifest is damaged") from None
        if checksum != _checksum(manifest):
            raise self._refused(game, theta, "its manifest is damaged")
        if manifest["format"] != FORMAT:
            raise self._refused(game, theta, f"it has format {manifest['format']} and this version reads {FORMAT}")
        if manifest["fingerprint"] != game.fingerprint or manifest.get("theta", 0.0) != theta:
            raise self._refused(game, theta, "it was made for other rules")
        return dict(manifest)

    def _open(self, game: Game, theta: float, manifest: dict[str, Any]) -> Solution:
        array = self.path(game, theta) / manifest["array"]
        if _digest(array) != manifest["sha256"]:
            raise self._refused(game, theta, "its array is damaged")
        values = np.load(array, mmap_mode="c", allow_pickle=False)
        if values.shape != (manifest["states"],) or values.dtype != np.float64 or len(values) != count_states(game):
            raise self._refused(game, theta, "its array has the wrong shape")
        sd = nan if theta else manifest["sd"]
        return Solution(game, values, manifest["value"], sd, manifest["seconds"], theta=theta)

    def _refused(self, game: Game, theta: float, reason: str) -> TableRefusedError:
        folder = self.path(game, theta)
        remedy = "delete that folder" if theta else "make it anew with 'rollwise solve'"
        return TableRefusedError(f"the table of {game.name} in '{folder}' cannot be used, {reason}: {remedy}.")

    def _named_array(self, folder: Path) -> str | None:
        try:
            named = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))["array"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return str(named)

    def _require_room(self, game: Game) -> None:
        needed = 8 * count_states(game) + 4096
        with _told(self.folder):
            free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise RollwiseError(
                f"the table of {game.name} needs {needed / 2**20:,.0f} MiB and '{self.folder}' has "
                f"{free / 2**20:,.0f} MiB left: make room or choose another folder with --tables."
            )


def _name(game: Game, theta: float) -> str:
    """The name of a table; no game can be called like a table for a theta, because of its two hyphens."""
    return f"{game.name}--utility{theta!r}" if theta else game.name


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turn what the file system says into one sentence."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        remedy = "make room or choose another folder with --tables" if full else "choose another folder with --tables"
        raise RollwiseError(f"cannot write to '{folder}': {error.strerror or error}; {remedy}.") from None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(facts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
