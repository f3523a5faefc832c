"""Learning to play a sheet with several columns: self-play, every visited position moved towards its exact turn.

The value of a position is the sum over columns of `tables[turn, column, state]` and of the joint tables of filled boxes
(`solver.joint`); the last turns come from a book of exact values (`solver.endgame`). The tables start from the columns
priced one by one (`solver.prices`), less at each turn what they are too high on average.

Games are played in batches, all games of a batch turn by turn. What a position is worth before its turn, given the
values after it, is exact (`solver._positions`), and the tables are moved towards it. The values after a turn are
entries of their own, so within a turn nothing depends on the order: the same seed gives the same tables, whatever the
number of threads.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from solver.endgame import BOOK_POSITIONS, book_layout, fill_book
from solver.errors import InputError
from solver.joint import make_joint
from solver.policy import Book, Policy, Source
from solver.prices import can_be_priced, find_play_prices
from solver.rules import Game
from solver.solve import METHOD as EXACT
from solver.solve import Progress, solve_values, thread_count
from solver.space import Space, compile_space, count_states

Singles = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

METHOD = "learned"
GAMES = 4_000_000
"""Games of a training unless others are asked for: good play in ten to fifteen minutes on two cores."""
BATCH = 1 << 12
COOLING = 0.5
"""The last part of the training, in which the rate falls to nothing."""
CHECK = 25
"""Batches of fresh games that measure the result."""
_KEEP_SECONDS = 180.0
_HALF = 1000.0


def _stages(game: Game) -> int:
    """Turns with tables of their own: all of them, or one for all in games too large for that."""
    return game.turns if can_be_priced(game) else 1


def method_for(game: Game) -> str:
    """How a game is solved: one with several columns is learned, unless a book holds all its positions."""
    columns = len(game.columns)
    return EXACT if columns == 1 or count_states(game.column) ** columns <= BOOK_POSITIONS else METHOD


@dataclass(frozen=True, kw_only=True)
class Training:
    """How long to train: so many games, or so many minutes."""

    games: int | None = None
    minutes: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.games is not None and self.minutes is not None:
            raise InputError("games and minutes are both given: state how long to train in one of them.")
        if self.games is not None and not 1 <= self.games <= 10**10:
            raise InputError(f"games is {self.games}: from 1 to {10**10:,} are allowed.")
        if self.minutes is not None and not 0.0 < self.minutes <= 100_000.0:
            raise InputError(f"minutes is {self.minutes:g}: more than 0 and at most 100,000 are allowed.")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"seed is {self.seed}: from 0 to {2**63 - 1} are allowed.")

    def share(self, learner: Learner) -> float:
        """How much of the training is done."""
        if self.minutes is not None:
            return learner.seconds / (60.0 * self.minutes)
        return learner.games / (self.games or GAMES)


@dataclass(frozen=True, eq=False)
class ColumnSolution:
    """A game with several columns, learned, or exact if its book holds every position.

    `value` is what the tables say of the empty sheet; `mean` and `sd` of the final score were measured by `checked`
    fresh games after the training. The joint tables are kept in half precision where that is enough.
    """

    game: Game
    tables: Singles
    joint: npt.NDArray[np.floating[Any]]
    book: Floats
    value: float
    mean: float
    sd: float
    checked: int
    games: int
    seconds: float
    seed: int
    method: str

    def __post_init__(self) -> None:
        shape = (len(self.game.columns), compile_space(self.game.column).states)
        stages = _stages(self.game)
        if self.tables.shape != (stages, *shape) or self.tables.dtype != np.float32:
            raise ValueError("these are not the tables of the game")

    @property
    def states(self) -> int:
        """States of the game; only its book's are solved."""
        return count_states(self.game)

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return self.sd / sqrt(self.checked)

    @cached_property
    def policy(self) -> Policy:
        """Play by these tables."""
        layout = book_layout(self.game, most=len(self.book))
        if len(self.book) != len(layout.values):
            raise ValueError("this is not the book of the game")
        joint = make_joint(self.game, table=self.joint)
        return Policy(self.game, self.tables, joint=joint, book=layout._replace(values=self.book))


class Learner:
    """Training in progress: everything that changes, and the batch of games that changes it.

    `tables[turn, column, state]` and `joint.table` are what is learned; `seen` and `joint_seen` remember for every
    entry the sum of its errors and of their sizes.
    """

    def __init__(
        self, game: Game, *, seed: int = 0, threads: int | None = None, book_positions: int = BOOK_POSITIONS
    ) -> None:
        self.game, self.seed, self.threads = game, seed, thread_count(threads)
        self._book_positions = book_positions
        self.space: Space = compile_space(game.column)
        self.joint = make_joint(game)
        self.joint_seen = np.zeros((*self.joint.table.shape, 2), dtype=np.float32)
        self.tables = np.zeros((_stages(game), len(game.columns), self.space.states), dtype=np.float32)
        self.seen = np.zeros((*self.tables.shape, 2), dtype=np.float32)
        self.batches = 0
        self.seconds = 0.0
        self.before, self.seconds_before = 0, 0.0
        """Games and seconds of earlier trainings that the tables come from."""
        self.goal: tuple[int | None, float | None] = (None, None)
        """Games or minutes that the training is meant to take."""
        self.rate = 1.0
        self._times = np.array(game.columns, dtype=np.float64)

    @cached_property
    def book(self) -> Book:
        return fill_book(self.game, book_layout(self.game, most=self._book_positions), threads=self.threads)

    @property
    def games(self) -> int:
        return self.batches * BATCH

    @property
    def policy(self) -> Policy:
        """Play by what is learned so far."""
        return Policy(self.game, self.tables, joint=self.joint, book=self.book)

    @staticmethod
    def sizes(game: Game) -> int:
        """How many entries the tables of a game have."""
        return _stages(game) * len(game.columns) * compile_space(game.column).states + len(make_joint(game).table)

    def adopt(self, solution: ColumnSolution) -> None:
        """Go on from tables that were learned before."""
        self.tables[:] = solution.tables
        self.joint.table[:] = solution.joint
        self.before, self.seconds_before = solution.games, solution.seconds

    def start(self, report: Callable[[float], None] | None = None) -> None:
        """Fill the tables with the columns priced one by one, or where that is too much with single-column values."""
        if len(self.tables) == 1:
            self.tables[0] = solve_values(self.game.column, threads=self.threads) * self._times[:, None]
            return
        columns, _ = find_play_prices(self.game, seed=self.seed, threads=self.threads, report=report)
        for turn in range(len(self.tables)):
            worth = columns.values[:, turn] * self._times[:, None]
            self.tables[turn] = np.where(np.isfinite(worth), worth, 0.0)
        expected, gains, earned = self._play(np.random.default_rng([self.seed, 1]), learn=False)
        coming = np.cumsum(gains.mean(axis=1)[::-1])[::-1] + earned.mean()
        for turn in range(len(self.tables)):
            self.tables[turn] -= np.float32((expected[turn] - coming[turn]) / len(self._times))

    def batch(self) -> Floats:
        """Play and learn from one batch; its final scores."""
        began = time.perf_counter()
        rng = np.random.default_rng([self.seed, 2, self.before // BATCH + self.batches])
        _, gains, earned = self._play(rng, learn=True)
        self.seconds += time.perf_counter() - began
        scores: Floats = gains.sum(axis=0) + earned
        return scores

    def _learn(self, visited: list[tuple[int, npt.NDArray[np.int32], Floats]]) -> None:
        """Move the tables towards what the positions of a batch were found to be worth, turn by turn."""
        from solver import _positions

        for turn, (stage, states, values) in enumerate(visited):
            if self.game.turns - turn > self.book.boxes:
                tables = (self.tables[stage], self.seen[stage], self.joint, self.joint_seen)
                _positions.learn_positions(self.space.plan, *tables, states, values, self.rate)
        self.batches += 1

    def check(self, number: int) -> Floats:
        """The final scores of a batch of fresh games, nothing learned from them."""
        _, gains, earned = self._play(np.random.default_rng([self.seed, 3, number]), learn=False)
        scores: Floats = gains.sum(axis=0) + earned
        return scores

    def value(self) -> float:
        """What the tables say of the empty sheet: its first turn, exactly."""
        from solver import _positions

        start = np.full((1, len(self._times)), self.space.start, dtype=np.int32)
        values, work = np.empty(1), _positions.make_work(self.space.plan, len(self._times))
        source = self.policy.source(0)
        _positions.value_positions(self.space.plan, self._times, source, start, values, np.empty((0, 0)), work)
        return float(values[0])

    def _play(self, rng: np.random.Generator, *, learn: bool) -> tuple[Floats, Floats, Floats]:
        """Play a batch: the mean of what the tables expected on each turn, gains[turn, game], and number bonuses."""
        from solver import _positions

        game, plan = self.game, self.space.plan
        states = np.full((BATCH, len(self._times)), self.space.start, dtype=np.int32)
        gains, expected = np.empty((game.turns, BATCH)), np.zeros(game.turns)
        values, events = np.empty(BATCH), np.empty(BATCH, np.uint8)
        rolls, choices = np.empty(BATCH, np.int64), np.empty(BATCH, np.int64)
        size = -(-BATCH // self.threads)
        parts = [slice(first, first + size) for first in range(0, BATCH, size)]
        works = [_positions.make_work(plan, len(self._times)) for _ in parts]
        policy, no_price = self.policy, np.empty(0)
        visited: list[tuple[int, npt.NDArray[np.int32], Floats]] = []
        with ThreadPoolExecutor(self.threads) as pool:
            for turn in range(game.turns):
                throws = rng.integers(0, plan.faces, size=(BATCH, plan.rolls, game.dice), dtype=np.uint8)
                stage = min(turn, len(self.tables) - 1)
                before = states.copy()
                expected[turn] = self.tables[stage, np.arange(len(self._times)), states].sum(axis=1, dtype=float).mean()
                source = policy.source(turn)

                def play(job: tuple[slice, object], turn: int = turn, source: Source = source, dice=throws) -> None:  # type: ignore[no-untyped-def]
                    p, work = job
                    outputs = (values[p], rolls[p], choices[p], gains[turn, p], events[p])
                    _positions.play_positions(plan, self._times, source, no_price, states[p], dice[p], *outputs, work)

                for _ in pool.map(play, zip(parts, works, strict=True)):
                    pass
                visited.append((stage, before, values.copy()))
            if learn:
                # In a thread of the pool, so that an interruption waits until all of the batch is learned.
                pool.submit(self._learn, visited).result()
        earned: Floats = self.space.final_values()[states - int(plan.offset[-1])] @ self._times
        return expected, gains, earned


def learn_game(
    game: Game,
    training: Training,
    *,
    before: ColumnSolution | None = None,
    checkpoints: Keeper | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    book_positions: int = BOOK_POSITIONS,
) -> ColumnSolution:
    """Train until the training is over; goes on from a checkpoint, or from a solution `before`.

    With a small `book_positions` even a small game is learned.
    """
    report = progress or (lambda stage, share, note="": None)
    report("compile", 0.0)
    learner = Learner(game, seed=training.seed, threads=threads, book_positions=book_positions)
    report("endgames", 0.0)
    exact = learner.book.boxes == game.turns
    if not exact:
        _train(learner, training, before, checkpoints, report)
        learner.joint.table[:] = _stored_joint(learner.joint.table)
    report("check", 0.0)
    scores = []
    for number in range(CHECK):
        scores.append(learner.check(number))
        report("check", (number + 1) / CHECK)
    totals = np.concatenate(scores)
    return ColumnSolution(
        game=game,
        tables=learner.tables,
        joint=_stored_joint(learner.joint.table),
        book=learner.book.values,
        value=learner.value(),
        mean=float(totals.mean()),
        sd=float(totals.std(ddof=1)),
        checked=len(totals),
        games=learner.before + learner.games,
        seconds=learner.seconds_before + learner.seconds,
        seed=training.seed,
        method=EXACT if exact else METHOD,
    )


def _stored_joint(table: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
    """Joint tables as they are stored: in half precision, unless their values are too large for it."""
    return table.astype(np.float16 if np.abs(table).max(initial=0.0) < _HALF else np.float32)


class Keeper(Protocol):
    """Keeps a training (`solver.checkpoints`)."""

    refused: list[str]

    def save(self, learner: Learner) -> None: ...

    def load(self, learner: Learner) -> bool: ...


def _train(
    learner: Learner,
    training: Training,
    before: ColumnSolution | None,
    checkpoints: Keeper | None,
    report: Callable[..., None],
) -> None:
    found = checkpoints is not None and checkpoints.load(learner)
    for reason in checkpoints.refused if checkpoints is not None else ():
        report("checkpoint", 0.0, reason)
    learner.goal = (training.games, training.minutes)
    if not found:
        if before is not None:
            learner.adopt(before)
        else:
            began = time.perf_counter()
            learner.start(lambda share: report("prices", share))
            learner.seconds += time.perf_counter() - began
    recent: deque[float] = deque(maxlen=50)
    kept = time.perf_counter()
    try:
        while (share := training.share(learner)) < 1.0:
            learner.rate = min(1.0, (1.0 - share) / COOLING)
            recent.append(float(learner.batch().mean()))
            note = f"{learner.games:,} games, mean {sum(recent) / len(recent):,.1f}"
            report("train", min(1.0, training.share(learner)), note)
            if checkpoints is not None and time.perf_counter() - kept > _KEEP_SECONDS:
                checkpoints.save(learner)
                kept = time.perf_counter()
    finally:
        if checkpoints is not None and learner.batches:
            checkpoints.save(learner)
