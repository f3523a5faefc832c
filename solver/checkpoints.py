"""Training kept on disk, so that an interrupted one goes on where it was.

Two folders take turns, so that the checkpoint before the newest is still there while that one is written; one that was
cut in the middle, or damaged since, is passed over.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from solver import stored
from solver.endgame import BOOK_POSITIONS
from solver.learn import Learner, Training
from solver.rules import Game

FORMAT = 1
_SLOTS = ("one", "two")


class Checkpoints:
    """The checkpoints of one training, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.refused: list[str] = []
        """Why checkpoints were passed over by the last `load`."""

    def save(self, learner: Learner) -> None:
        """Keep a training; the newest checkpoint before this one stays."""
        facts = {
            "format": FORMAT,
            "fingerprint": learner.game.fingerprint,
            "seed": learner.seed,
            "batches": learner.batches,
            "seconds": learner.seconds,
            "before": learner.before,
            "seconds_before": learner.seconds_before,
            "goal": learner.goal,
        }
        arrays = {
            "tables": learner.tables,
            "seen": learner.seen,
            "joint": learner.joint.table,
            "joint_seen": learner.joint_seen,
        }
        stored.save(self._oldest(learner), facts, arrays)

    def load(self, learner: Learner) -> bool:
        """Put the newest good checkpoint into a learner of the same game and seed; whether there was one."""
        self.refused = []
        found = []
        for slot in _SLOTS:
            try:
                facts, arrays = stored.load(self.folder / slot)
            except stored.MissingError:
                continue
            except stored.DamagedError as error:
                self.refused.append(f"the checkpoint in '{self.folder / slot}' cannot be used, {error}")
                continue
            found.append((facts, arrays))
        for facts, arrays in sorted(found, key=lambda pair: -int(pair[0]["batches"])):
            made_for = (facts["format"], facts["fingerprint"], facts["seed"])
            fits = arrays["tables"].shape == learner.tables.shape and arrays["joint"].shape == learner.joint.table.shape
            if made_for != (FORMAT, learner.game.fingerprint, learner.seed) or not fits:
                continue
            learner.tables[:] = arrays["tables"]
            learner.seen[:] = arrays["seen"]
            learner.joint.table[:] = arrays["joint"]
            learner.joint_seen[:] = arrays["joint_seen"]
            for fact in ("batches", "seconds", "before", "seconds_before"):
                setattr(learner, fact, facts[fact])
            return True
        return False

    def clear(self) -> None:
        """The training is done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def goal(self, game: Game) -> Training | None:
        """How long the training that is kept was meant to take, None if there is none of this game."""
        for slot in _SLOTS:
            try:
                facts = stored.load_facts(self.folder / slot)
            except (stored.MissingError, stored.DamagedError):
                continue
            if (facts["format"], facts["fingerprint"]) == (FORMAT, game.fingerprint):
                games, minutes = facts["goal"]
                return Training(games=games, minutes=minutes, seed=facts["seed"])
        return None

    def room(self, game: Game) -> int:
        """Bytes that a training needs on disk: two checkpoints while a third is written, each with three numbers for
        every entry; the table and its book fit in what one of them takes."""
        return 9 * Learner.sizes(game) * np.dtype(np.float32).itemsize + 8 * BOOK_POSITIONS

    def _oldest(self, learner: Learner) -> Path:
        """The folder that a new checkpoint replaces: one that is none, or of another training, or the older one."""

        def age(slot: str) -> int:
            try:
                facts = stored.load_facts(self.folder / slot)
            except (stored.MissingError, stored.DamagedError):
                return -1
            same = (facts["fingerprint"], facts["seed"]) == (learner.game.fingerprint, learner.seed)
            return int(facts["batches"]) if same else -1

        return self.folder / min(_SLOTS, key=age)
