"""Strategies against each other: matches of several players, and every pair head to head.

The sheets let nobody see what another player's sheet is good for, so each strategy plays its own sheets, and a match
is who has most points after all rounds. The start roll is made as the sheets say; it changes nobody's points.

On the same dice (common random numbers) every player meets, on the same turn and roll, the same throws. The margin
between two players then varies less than with dice of their own, and its mean is known better for the same number of
matches. What is saved is 1 - var(a - b) / (var(a) + var(b)).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.batch import Batch, Job, make_key, play_job
from sim.files import records_writer
from sim.histogram import Histogram, Longs
from sim.match import START_DIE_FACES, Strategy, require_players
from sim.strategies import strategy_name
from solver import InputError
from solver.solve import Progress

if TYPE_CHECKING:
    import pandas as pd

_START = 1 << 32
"""The stream of the start rolls, beyond those of the players."""


@dataclass(frozen=True, eq=False)
class PlayerFigures:
    """One player over all matches. A tie is shared by all who have most points; `firsts` counts won start rolls."""

    strategy: str
    scores: Histogram
    wins: int
    ties: int
    firsts: int

    @property
    def losses(self) -> int:
        return self.scores.size - self.wins - self.ties


@dataclass(frozen=True, eq=False)
class PairFigures:
    """Two players head to head: the points of the one less those of the other, match by match."""

    one: str
    other: str
    places: tuple[int, int]
    """Which players they are, counted from 0."""
    margins: Histogram
    saved: float | None
    """The share of the margin's variance that the same dice save; None with dice of their own."""

    @property
    def wins(self) -> int:
        return int(self.margins.counts[self.margins.numbers > 0].sum())

    @property
    def ties(self) -> int:
        return int(self.margins.counts[self.margins.numbers == 0].sum())

    @property
    def losses(self) -> int:
        return self.margins.size - self.wins - self.ties


@dataclass(frozen=True, eq=False)
class Comparison:
    """All players, and all pairs of them. `table` tells whether all of them sat at one table."""

    batch: Batch
    same_dice: bool
    table: bool
    seconds: float
    players: tuple[PlayerFigures, ...]
    pairs: tuple[PairFigures, ...]


class _Counts(NamedTuple):
    """What some matches gave, all whole numbers; `totals[player, match]` and `first[match]` for the records."""

    scores: list[Histogram]
    margins: list[Histogram]
    wins: Longs
    ties: Longs
    firsts: Longs
    totals: Longs
    first: Longs

    def __add__(self, other: _Counts) -> _Counts:  # type: ignore[override]
        return _Counts(
            [one + two for one, two in zip(self.scores, other.scores, strict=True)],
            [one + two for one, two in zip(self.margins, other.margins, strict=True)],
            self.wins + other.wins,
            self.ties + other.ties,
            self.firsts + other.firsts,
            other.totals,
            other.first,
        )


def compare(
    batch: Batch,
    strategies: Sequence[str | Strategy],
    *,
    same_dice: bool = False,
    out: Path | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Play matches, one player for each strategy. With `out` every match is written to a file.

    Where the sheet allows fewer players than there are strategies, only the pairs are matches.
    """
    if len(strategies) < 2:
        raise InputError(f"strategies: {len(strategies)} given, two or more are needed for a match.")
    most = batch.game.max_players
    if most is not None and most < 2:
        require_players(batch.game, 2)
    table = most is None or len(strategies) <= most
    began = time.perf_counter()
    names = [strategy_name(batch.game, strategy) for strategy in strategies]
    streams = tuple(0 if same_dice else player for player in range(len(strategies)))
    counts: _Counts | None = None
    match = 0
    with ExitStack() as stack:
        write = stack.enter_context(records_writer(out)) if out is not None else None
        play = _count_matches if out is None else _play_matches
        run = batch.run(play, tuple(strategies), streams=streams, progress=progress)
        for part in run:
            if write is not None:
                write(_frame(names, part, match, table=table))
            match += len(part.first)
            counts = part if counts is None else counts + part
    assert counts is not None
    whole = (counts.wins.tolist(), counts.ties.tolist(), counts.firsts.tolist())
    return Comparison(
        batch,
        same_dice,
        table,
        time.perf_counter() - began,
        tuple(PlayerFigures(*facts) for facts in zip(names, counts.scores, *whole, strict=True)),
        tuple(
            PairFigures(names[a], names[b], (a, b), margins, _saved(counts, a, b, margins) if same_dice else None)
            for (a, b), margins in zip(combinations(range(len(names)), 2), counts.margins, strict=True)
        ),
    )


def _play_matches(job: Job) -> _Counts:
    """Play a job of matches and count how they end."""
    from sim import _play  # Imported late, like all that needs numba.

    played = play_job(job)
    totals = np.array([one.totals.reshape(job.games, job.rounds).sum(axis=1) for one in played], dtype=np.int64)
    top = totals == totals.max(axis=0)
    alone = top.sum(axis=0) == 1
    first = np.empty(job.games, dtype=np.int64)
    _play.start_rolls(np.uint64(make_key(job.seed, _START)), job.first, len(played), START_DIE_FACES, first)
    return _Counts(
        [Histogram.of(of_player) for of_player in totals],
        [Histogram.of(totals[a] - totals[b]) for a, b in combinations(range(len(played)), 2)],
        (top & alone).sum(axis=1),
        (top & ~alone).sum(axis=1),
        np.bincount(first, minlength=len(played)),
        totals,
        first,
    )


def _count_matches(job: Job) -> _Counts:
    """The same without what only records need, which is much to send from a worker."""
    played = _play_matches(job)
    return played._replace(totals=played.totals[:, :0], first=played.first[:0])


def _saved(counts: _Counts, a: int, b: int, margins: Histogram) -> float | None:
    apart = counts.scores[a].sd ** 2 + counts.scores[b].sd ** 2
    return 1.0 - margins.sd**2 / apart if apart > 0.0 else None


def _frame(names: list[str], part: _Counts, match: int, *, table: bool) -> pd.DataFrame:
    """A row for each match: its number (from 1), the points of each player; and if all of them sat at one table who
    started (from 1) and who has most points."""
    import pandas as pd

    columns: dict[str, npt.NDArray[np.generic]] = {"match": np.arange(match + 1, match + 1 + len(part.first))}
    if table:
        columns["first"] = (part.first + 1).astype(np.int16)
    for player, name in enumerate(names):
        columns[f"{player + 1}:{name}"] = part.totals[player].astype(np.int32)
    top = part.totals == part.totals.max(axis=0)
    for player, name in enumerate(names if table else []):
        columns[f"most:{player + 1}:{name}"] = top[player]
    return pd.DataFrame(columns)
