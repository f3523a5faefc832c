"""Solved games on disk: one folder a game (`solver.stored` keeps it whole), checked before a single value is used.

A table is refused unless it was made for the same rules by the same version. A lock lets one process at a time solve a
game; readers need none, because a file they have opened stays theirs. Proven bounds lie beside the tables, in folders
of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from math import nan
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from platformdirs import user_cache_path

from solver import stored
from solver.checkpoints import Checkpoints
from solver.errors import InputError, RollwiseError
from solver.learn import ColumnSolution, Training, learn_game
from solver.prices import Bound, require_columns, tighten_bound
from solver.rules import Game
from solver.solve import Progress, Solution, require_theta, solve_game
from solver.space import compile_space, count_states

FORMAT = 2

Found = TypeVar("Found")


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

    def checkpoints(self, game: Game, seed: int = 0) -> Checkpoints:
        """Where the training of a game is kept until it is done."""
        return Checkpoints(self.folder / f"{game.name}--training{seed}")

    def load(self, game: Game, *, theta: float = 0.0) -> Solution | ColumnSolution:
        """The stored solution, its arrays memory-mapped; refused unless every check holds."""
        facts, arrays = self._read(game, self.path(game, theta), theta)
        try:
            return _unpack(game, theta, facts, arrays)
        except (KeyError, ValueError):
            raise self._refused(game, self.path(game, theta), theta, "its array has the wrong shape") from None

    def save(self, solution: Solution | ColumnSolution) -> Path:
        """Store a solution; the old table stays until the new one is complete. The caller holds the game's lock."""
        game = solution.game
        theta = solution.theta if isinstance(solution, Solution) else 0.0
        facts, arrays = _pack(solution)
        stored.save(self.path(game, theta), _about(game) | {"theta": theta} | facts, arrays)
        return self.path(game, theta)

    def solve(
        self,
        game: Game,
        *,
        theta: float = 0.0,
        force: bool = False,
        rebuild: bool = False,
        training: Training | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> Solution | ColumnSolution:
        """Load the table, or solve the game and store it if there is none.

        A table that is refused is replaced only with `rebuild`; `force` solves in any case. With a `theta` the
        objective is utility, and the table one of its own (see `solver.solve`). Games with several columns are
        learned; with a `training` a table that is there is trained further.
        """
        compile_space(game.column)  # Refuses what cannot be solved before anything is written.
        require_theta(theta)
        if theta and len(game.columns) > 1:
            raise InputError(f"{game.name} has {len(game.columns)} columns: utility is solved for games with one.")
        if training is not None and len(game.columns) == 1:
            raise InputError(f"{game.name} has one column: it is solved exactly, games and minutes are for learning.")
        again = force or training is not None
        found = None if again else self._load_if_good(game, theta, rebuild=rebuild)
        if found is not None:
            return found
        with self.lock(game, theta=theta, waiting=waiting):
            found = None if force else self._load_if_good(game, theta, rebuild=rebuild)
            if found is not None and training is None:
                return found
            if len(game.columns) == 1:
                stored.require_room(self.folder, 8 * count_states(game) + 4096, f"the table of {game.name}")
                self.save(solve_game(game, theta=theta, threads=threads, progress=progress))
            else:
                training = training or self.checkpoints(game).goal(game) or Training()
                self._learn(game, found, training, force, threads, progress)
            return self.load(game, theta=theta)

    def _learn(
        self,
        game: Game,
        before: Solution | ColumnSolution | None,
        training: Training,
        force: bool,
        threads: int | None,
        progress: Progress | None,
    ) -> None:
        checkpoints = self.checkpoints(game, training.seed)
        if force:
            checkpoints.clear()
        assert before is None or isinstance(before, ColumnSolution)
        stored.require_room(self.folder, checkpoints.room(game), f"the training of {game.name}")
        solution = learn_game(
            game, training, before=before, checkpoints=checkpoints, threads=threads, progress=progress
        )
        self.save(solution)
        checkpoints.clear()

    def load_bound(self, game: Game) -> Bound | None:
        """The bound that was proven before, None if there is none."""
        folder = self._bound_path(game)
        try:
            facts, arrays = self._read(game, folder, 0.0)
        except TableMissingError:
            return None
        curve = tuple((float(seconds), float(value)) for seconds, value in arrays["curve"])
        return Bound(game, facts["value"], np.array(arrays["prices"]), curve)

    def tighten_bound(
        self,
        game: Game,
        *,
        seconds: float,
        force: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
        waiting: Callable[[], None] | None = None,
    ) -> Bound:
        """Find a bound, or make the one that is there lower; stored after every step."""
        require_columns(game)
        with self.lock(game, waiting=waiting):
            before = None if force else self.load_bound(game)
            return tighten_bound(
                game, seconds=seconds, bound=before, threads=threads, progress=progress, keep=self._save_bound
            )

    def _save_bound(self, bound: Bound) -> None:
        facts = _about(bound.game) | {"theta": 0.0, "value": bound.value}
        arrays = {"prices": bound.prices, "curve": np.array(bound.curve)}
        stored.save(self._bound_path(bound.game), facts, arrays)

    def _bound_path(self, game: Game) -> Path:
        return self.folder / f"{game.name}--bound"

    def _load_if_good(self, game: Game, theta: float, *, rebuild: bool) -> Solution | ColumnSolution | None:
        try:
            return self.load(game, theta=theta)
        except TableMissingError:
            return None
        except TableRefusedError:
            if not rebuild:
                raise
            return None

    def lock(
        self, game: Game, *, theta: float = 0.0, waiting: Callable[[], None] | None = None
    ) -> AbstractContextManager[None]:
        """Hold the game's lock; `waiting` is called once if another process has it."""
        return stored.locked(self.folder / _name(game, theta), waiting)

    def _read(self, game: Game, folder: Path, theta: float) -> tuple[dict[str, Any], dict[str, stored.Array]]:
        """Facts and arrays of a folder, refused unless they were made for these rules by this version."""
        try:
            facts = stored.load_facts(folder)
            if facts["format"] != FORMAT:
                reason = f"it has format {facts['format']} and this version reads {FORMAT}"
                raise self._refused(game, folder, theta, reason)
            if facts["fingerprint"] != game.fingerprint or facts["theta"] != theta:
                raise self._refused(game, folder, theta, "it was made for other rules")
            return stored.load(folder)
        except stored.MissingError:
            raise TableMissingError(f"{game.name} is not solved yet: solve it with 'rollwise solve'.") from None
        except stored.DamagedError as error:
            raise self._refused(game, folder, theta, str(error)) from None

    def _refused(self, game: Game, folder: Path, theta: float, reason: str) -> TableRefusedError:
        what, remedy = "table", "delete that folder" if theta else "make it anew with 'rollwise solve'"
        if folder == self._bound_path(game):
            what, remedy = "bound", "begin anew with 'rollwise bound --force'"
        return TableRefusedError(f"the {what} of {game.name} in '{folder}' cannot be used, {reason}: {remedy}.")


def _about(game: Game) -> dict[str, Any]:
    """What every manifest says of its game."""
    return {"format": FORMAT, "variant": game.name, "fingerprint": game.fingerprint}


def _pack(solution: Solution | ColumnSolution) -> tuple[dict[str, Any], dict[str, stored.Array]]:
    """A solution as facts and arrays."""
    facts: dict[str, Any] = {
        "method": solution.method,
        "states": solution.states,
        "value": solution.value,
        "sd": solution.sd if solution.sd == solution.sd else None,
        "seconds": round(solution.seconds, 3),
    }
    if isinstance(solution, Solution):
        return facts, {"values": solution.values}
    facts |= {"mean": solution.mean, "checked": solution.checked, "games": solution.games, "seed": solution.seed}
    return facts, {"tables": solution.tables, "joint": solution.joint, "book": solution.book}


def _unpack(
    game: Game, theta: float, facts: dict[str, Any], arrays: dict[str, stored.Array]
) -> Solution | ColumnSolution:
    """The solution again; a ValueError if the arrays are not those of the game."""
    sd = nan if facts["sd"] is None else facts["sd"]
    if len(game.columns) > 1:
        kept = ("value", "mean", "checked", "games", "seconds", "seed", "method")
        tables, joint, book = (arrays[name] for name in ("tables", "joint", "book"))
        solution = ColumnSolution(game, tables, joint, book, sd=sd, **{name: facts[name] for name in kept})
        assert solution.policy.game is game  # Made now, so that arrays of another size are refused.
        return solution
    values = arrays["values"]
    if values.shape != (count_states(game),) or values.dtype != np.float64:
        raise ValueError
    return Solution(game, values, facts["value"], sd, facts["seconds"], theta=theta)


def _name(game: Game, theta: float) -> str:
    """The name of a table; no game can be called like a table for a theta, because of its two hyphens."""
    return f"{game.name}--utility{theta!r}" if theta else game.name
