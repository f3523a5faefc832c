"""Training kept on disk, so that an interrupted one goes on where it was.

Two folders take turns, so that the checkpoint before the newest is still there while that one is written; one that was
cut in the middle, or damaged since, is passed over.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from solver import stored
from solver.learn import Learner
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
        }
        arrays = {
            "tables": learner.tables,
            "seen": learner.seen,
            "joint": learner.joint.table,
            "joint_seen": learner.joint_seen,
        }
        stored.save(self._oldest(), facts, arrays)

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
            if made_for != (FORMAT, learner.game.fingerprint, learner.seed):
                continue
            learner.tables[:] = arrays["tables"]
            learner.seen[:] = arrays["seen"]
            learner.joint.table[:] = arrays["joint"]
            learner.joint_seen[:] = arrays["joint_seen"]
            learner.batches, learner.seconds, learner.before = facts["batches"], facts["seconds"], facts["before"]
            return True
        return False

    def clear(self) -> None:
        """The training is done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def room(self, game: Game) -> int:
        """Bytes that a training needs on disk: two checkpoints and the table."""
        learner = Learner.sizes(game)
        return 8 * learner * np.dtype(np.float32).itemsize

    def _batches(self, slot: str) -> int:
        """How far a checkpoint says that it is; -1 if it does not say."""
        try:
            return int(stored.load_facts(self.folder / slot).get("batches", -1))
        except (stored.MissingError, stored.DamagedError):
            return -1

    def _oldest(self) -> Path:
        return self.folder / min(_SLOTS, key=self._batches)
