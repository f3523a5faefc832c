"""One strategy over many games: figures, records, and the exact figures beside them where there are any."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.batch import Batch, Job, play_job
from sim.files import records_writer
from sim.histogram import Histogram
from sim.match import Strategy
from sim.played import Longs, Played, bonus_labels, box_labels, record_frame
from sim.strategies import Tabled, strategy_name
from solver import BoxFigures, Distribution, Figures, Game, exact_figures, is_exact
from solver.solve import Progress
from solver.space import compile_space

if TYPE_CHECKING:
    import pandas as pd

SAMPLED = "sampled"


@dataclass(frozen=True, eq=False)
class Summary:
    """What a batch of games gave. `scores` counts final scores, all rounds of a game together."""

    game: Game
    strategy: str
    games: int
    rounds: int
    seed: int
    seconds: float
    scores: Histogram
    tally: Longs
    number_bonuses: Longs
    records: pd.DataFrame | None = None

    @cached_property
    def figures(self) -> Figures:
        """The same figures as the exact ones, by counting. Boxes and bonuses are those of one sheet."""
        game = self.game
        plan = compile_space(game.column).plan
        outcomes, sheets = len(plan.outcome_points), self.games * self.rounds
        placed, repeats, completed = (self.tally[:, kind] for kind in range(3))
        labels = iter(box_labels(game))
        boxes = []
        for c, times in enumerate(game.columns):
            for b in range(len(game.boxes)):
                chosen = c * outcomes + np.flatnonzero(plan.outcome_box == b)
                points = times * plan.outcome_points[plan.outcome_box == b]
                often = placed[:, chosen]
                mean, zero = (often @ points).sum() / sheets, often[:, points == 0].sum() / sheets
                boxes.append(BoxFigures(next(labels), float(mean), float(zero), often.sum(axis=1) / sheets))
        counts: list[int] = []
        for c in range(len(game.columns)):
            if game.number_bonus is not None:
                counts.append(int(self.number_bonuses[c]))
            for set_mask in plan.set_mask:
                inside = np.flatnonzero(set_mask >> plan.outcome_box & 1)
                counts.append(int(completed[:, c * outcomes + inside].sum()))
        chances = {name: count / sheets for name, count in zip(bonus_labels(game), counts, strict=True)}
        distribution = Distribution(game, self.scores.chances(), SAMPLED, self.games, self.rounds)
        return Figures(distribution, tuple(boxes), chances, float(repeats.sum()) / sheets)


def simulate(
    batch: Batch,
    strategy: str | Strategy,
    *,
    records: bool = False,
    out: Path | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Play a batch with one strategy.

    With `records` the summary holds a table with a row for each sheet; with `out` the same goes to a file.

    >>> summary = simulate(Batch(game=find_game("yahtzee"), games=10_000, seed=1), "optimal", records=True)
    >>> summary.records["total"].mean()
    """
    began = time.perf_counter()
    frames: list[pd.DataFrame] = []
    scores: Histogram | None = None
    tally, number_bonuses = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    recorded = records or out is not None
    play: Callable[[Job], tuple[Played, Histogram]] = _play_recorded if recorded else _play_counted
    first = 0
    with ExitStack() as stack:
        write = stack.enter_context(records_writer(out)) if out is not None else None
        for played, counted in batch.run(play, (strategy,), streams=(0,), recorded=recorded, progress=progress):
            if recorded:
                frame = record_frame(batch.game, played, first=first, rounds=batch.rounds)
                first += len(played.totals) // batch.rounds
                if records:
                    frames.append(frame)
                if write is not None:
                    write(frame)
            scores = counted if scores is None else scores + counted
            tally = tally + played.tally if tally.size else played.tally
            number_bonuses = number_bonuses + played.number_bonuses if number_bonuses.size else played.number_bonuses
    assert scores is not None
    return Summary(
        batch.game,
        strategy_name(batch.game, strategy),
        batch.games,
        batch.rounds,
        batch.seed,
        time.perf_counter() - began,
        scores,
        tally,
        number_bonuses,
        _joined(frames),
    )


def exact_for(batch: Batch, strategy: str | Strategy, *, progress: Progress | None = None) -> Figures | None:
    """The exact figures of a strategy, None where they are out of reach: several columns, too many states, chance
    decisions, or a class in plain Python."""
    if not is_exact(batch.game):
        return None
    (found,) = batch.prepare((strategy,), progress=progress)
    if not isinstance(found, Tabled) or found.noise:
        return None
    figures = exact_figures(found.policy, threads=batch.threads, progress=progress)
    whole = figures.distribution.of_rounds(batch.rounds)
    return Figures(whole, figures.boxes, figures.bonus_chances, figures.repeats)


def known_moments(
    batch: Batch, strategy: str | Strategy, *, progress: Progress | None = None
) -> tuple[float, float] | None:
    """Mean and deviation of the final score as solved with the table, where it knows them."""
    (found,) = batch.prepare((strategy,), progress=progress)
    if not isinstance(found, Tabled) or found.solution is None or found.noise or found.solution.theta:
        return None
    return batch.rounds * found.solution.value, sqrt(batch.rounds) * found.solution.sd


def measure(batch: Batch, strategy: str | Strategy, *, progress: Progress | None = None) -> Figures:
    """The figures of a strategy: exact where they can be, else sampled by the batch."""
    exact = exact_for(batch, strategy, progress=progress)
    return exact if exact is not None else simulate(batch, strategy, progress=progress).figures


def _play_counted(job: Job) -> tuple[Played, Histogram]:
    """Play a job and give back counts only."""
    (played,) = play_job(job)
    return played._replace(totals=played.totals[:0], codes=played.codes[:0]), _scores(played, job)


def _play_recorded(job: Job) -> tuple[Played, Histogram]:
    (played,) = play_job(job)
    return played, _scores(played, job)


def _scores(played: Played, job: Job) -> Histogram:
    return Histogram.of(played.totals.reshape(job.games, job.rounds).sum(axis=1))


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame | None:
    if not frames:
        return None
    import pandas as pd

    return pd.concat(frames, ignore_index=True)
