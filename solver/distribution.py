"""The exact distribution of the final score under a policy, and what each box contributes: no sampling.

The policy turns each state into chances of outcomes. Forward, from the empty sheet, they give the chance of being in
each state, and so how often each box is filled with what and on which turn. Backward, over the states that are
reached, the chances of the points to come are those of the states after, shifted by what an outcome brings and
weighed by its chance. Ties are broken as everywhere (see `solver.advisor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import nan, sqrt
from types import ModuleType
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from solver.errors import InputError
from solver.policy import COMPLETES, PIECE, REPEAT, Decider, Policy
from solver.rules import Game
from solver.solve import METHOD, Progress, thread_count
from solver.space import compile_space, count_states

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
T = TypeVar("T")
R = TypeVar("R")

MAX_STATES = 3_000_000
"""Larger games would need too much memory for the distributions of a layer."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """Chances of final scores: `chances[s]` of exactly s points; sampled from so many games, or exact (None)."""

    game: Game
    chances: Floats
    method: str
    games: int | None = None
    rounds: int = 1

    @cached_property
    def mean(self) -> float:
        return float(self.chances @ np.arange(len(self.chances)))

    @cached_property
    def sd(self) -> float:
        """The standard deviation; of a sample its estimate, nan for a single game."""
        distance = np.arange(len(self.chances)) - self.mean
        variance = float(self.chances @ distance**2)
        if self.games == 1:
            return nan
        return sqrt(variance * self.games / (self.games - 1)) if self.games else sqrt(variance)

    @property
    def se(self) -> float:
        """The standard error of the mean, 0 if it is exact."""
        return self.sd / sqrt(self.games) if self.games else 0.0

    @property
    def source(self) -> str:
        """Where the chances come from, in words."""
        return f"{self.method}, {self.games:,} {'game' if self.games == 1 else 'games'}" if self.games else self.method

    def of_rounds(self, rounds: int) -> Distribution:
        """The sum of that many games."""
        chances = self.chances
        for _ in range(rounds - 1):
            chances = np.convolve(chances, self.chances)
        return replace(self, chances=chances, rounds=rounds)

    def percentile(self, percent: float) -> int:
        """The lowest score that at least this many percent of games do not exceed."""
        return int(np.searchsorted(np.cumsum(self.chances), percent / 100.0 - 1e-12))

    def against(self, *others: Distribution) -> tuple[float, float, float]:
        """The chances to win, to tie for most points and to lose against others whose dice are their own."""
        size = max(len(one.chances) for one in (self, *others))
        below, up_to = np.ones(size), np.ones(size)
        for other in others:
            at_most = np.concatenate((np.cumsum(other.chances), np.ones(size - len(other.chances))))
            below *= np.concatenate(([0.0], at_most[:-1]))
            up_to *= at_most
        own = np.concatenate((self.chances, np.zeros(size - len(self.chances))))
        win, most = float(own @ below), float(own @ up_to)
        return win, most - win, 1.0 - most

    def at_least(self, score: int) -> float:
        """The chance of that many points or more."""
        return float(self.chances[max(score, 0) :].sum())


@dataclass(frozen=True, eq=False)
class BoxFigures:
    """One box: mean points (with the multiplier of its column), how often it holds a zero, and on which turn it is
    filled. The box is named with its column where there are several."""

    box: str
    mean: float
    zero: float
    turns: Floats


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of a way to play, exact or sampled. Bonus chances are by name: `numbers`, or the name of a set."""

    distribution: Distribution
    boxes: tuple[BoxFigures, ...]
    bonus_chances: dict[str, float]
    repeats: float
    """How many repeat bonuses a game earns on average."""


def is_exact(game: Game) -> bool:
    """Whether exact figures are within reach: one column, and not too many states."""
    return len(game.columns) == 1 and count_states(game) <= MAX_STATES


def _require_exact(game: Game) -> None:
    """Refuse a game whose exact figures are out of reach."""
    compile_space(game)
    if not is_exact(game):
        states = count_states(game)
        raise InputError(
            f"{game.name} has {states:,} states: the exact distribution is computed for at most {MAX_STATES:,}."
        )


def exact_figures(policy: Policy, *, threads: int | None = None, progress: Progress | None = None) -> Figures:
    """The distribution of the final score and the figures of every box."""
    _require_exact(policy.game)
    report = progress or (lambda stage, share: None)
    report("compile", 0.0)
    flow = _Flow(policy, thread_count(threads))
    boxes, bonus_chances, repeats = flow.spread(lambda share: report("boxes", share))
    chances = flow.collect(lambda share: report("distribution", share))
    return Figures(Distribution(policy.game, chances, METHOD), boxes, bonus_chances, repeats)


def exact_moments(
    policy: Policy, *, threads: int | None = None, progress: Progress | None = None
) -> tuple[float, float]:
    """Only the mean and the deviation of the final score, which takes less time."""
    _require_exact(policy.game)
    report = progress or (lambda stage, share: None)
    report("compile", 0.0)
    flow = _Flow(policy, thread_count(threads))
    flow.spread(lambda share: report("boxes", share))
    return flow.moments()


class _Steps(NamedTuple):
    """What is done in some states: entries row by row, as `solver._flow` takes them."""

    states: Longs
    row_start: Longs
    after: npt.NDArray[np.int32]
    gain: npt.NDArray[np.int32]
    chances: Floats


class _Tally(NamedTuple):
    """What the games passing through some states do there, by outcome: how often it happens, how often a repeat
    bonus is paid with it, how often it completes a set."""

    happens: Floats
    repeats: Floats
    completes: Floats


class _Flow:
    """The two sweeps: forward for states and boxes, then backward over the states that are reached for scores."""

    def __init__(self, policy: Policy, threads: int) -> None:
        from solver import _flow  # Imported late, like all that needs numba.

        self._policy, self._threads = policy, threads
        self._times = policy.game.columns[0]
        self._flow: ModuleType = _flow
        self._reached = np.zeros(policy.space.states)
        self._layers: list[list[_Steps]] = []

    def spread(self, report: Callable[[float], None]) -> tuple[tuple[BoxFigures, ...], dict[str, float], float]:
        """The figures of every box, the chance of every bonus, and the mean number of repeat bonuses."""
        space, game = self._policy.space, self._policy.game
        plan = space.plan
        self._reached[space.start] = 1.0
        filled = np.zeros((plan.boxes, len(plan.outcome_points)))
        completed = np.zeros(len(plan.outcome_points))
        repeats = 0.0
        layer = np.array([space.start])
        for turn in range(plan.boxes):
            self._layers.append([])
            for steps, tally in self._map(self._follow_policy, np.array_split(layer, -(-len(layer) // PIECE))):
                self._flow.spread(steps.states, steps.row_start, steps.after, steps.chances, self._reached)
                self._layers[-1].append(steps)
                filled[turn] += tally.happens
                completed += tally.completes
                repeats += float(tally.repeats.sum())
            layer = np.unique(np.concatenate([steps.after for steps in self._layers[-1]]))
            report((turn + 1) / plan.boxes)
        boxes = []
        for b, box in enumerate(game.boxes):
            of_box = plan.outcome_box == b
            often, points = filled[:, of_box], self._times * plan.outcome_points[of_box]
            zero = float(often[:, points == 0].sum())
            boxes.append(BoxFigures(box.name, float((often @ points).sum()), zero, often.sum(axis=1)))
        bonuses = {}
        for bonus, set_mask in zip(game.set_bonuses, plan.set_mask, strict=True):
            bonuses[bonus.name] = float(completed[set_mask >> plan.outcome_box & 1 == 1].sum())
        if game.number_bonus is not None:
            reached_at_end = self._reached[int(plan.offset[-1]) :]
            bonuses["numbers"] = float(reached_at_end[space.final_values() > 0].sum())
        return tuple(boxes), bonuses, repeats

    def collect(self, report: Callable[[float], None]) -> Floats:
        """The chances of every final score."""
        space = self._policy.space
        plan = space.plan
        start = np.zeros(space.states, dtype=np.int64)
        length = np.zeros(space.states, dtype=np.int64)
        full = slice(int(plan.offset[-1]), space.states)
        final = self._times * space.final_values().astype(np.int64)
        length[full] = final + 1
        start[full] = np.cumsum(length[full]) - length[full]
        later = np.zeros(int(length[full].sum()))
        later[start[full] + final] = 1.0
        for count, layer in enumerate(reversed(self._layers), start=1):
            for steps in layer:
                self._flow.measure_scores(steps.states, steps.row_start, steps.after, steps.gain, length)
            states = np.concatenate([steps.states for steps in layer])
            start[states] = np.cumsum(length[states]) - length[states]
            scores = np.zeros(int(length[states].sum()))
            collect = partial(self._collect, start=start, length=length, later=later, scores=scores)
            for _ in self._map(collect, layer):
                pass
            later = scores
            report(count / plan.boxes)
        return later

    def moments(self) -> tuple[float, float]:
        """Mean and deviation of the final score, backwards: the variance of a turn and the mean of those after it."""
        space = self._policy.space
        means, variances = np.zeros(space.states), np.zeros(space.states)
        means[int(space.plan.offset[-1]) :] = self._times * space.final_values()
        for layer in reversed(self._layers):
            for states, row_start, after, gain, chances in layer:
                first = row_start[:-1]
                total = gain + means[after]
                means[states] = np.add.reduceat(chances * total, first)
                distance = total - np.repeat(means[states], np.diff(row_start))
                variances[states] = np.add.reduceat(chances * (variances[after] + distance**2), first)
        return float(means[space.start]), float(np.sqrt(variances[space.start]))

    def _collect(self, steps: _Steps, *, start: Longs, length: Longs, later: Floats, scores: Floats) -> None:
        self._flow.collect_scores(*steps, start, length, later, scores)

    def _follow_policy(self, states: Longs) -> tuple[_Steps, _Tally]:
        """What is done in some states that are reached."""
        plan = self._policy.space.plan
        decided = Decider(self._policy).decide(states[:, None].astype(np.int32))
        chances = np.zeros((len(states), len(plan.outcome_points)))
        self._flow.choice_chances(plan.chance, plan.more, plan.faces, decided.keep_of, decided.choice_of, chances)
        event = decided.event[:, 0]
        flow = self._reached[states, None] * chances
        repeats, completes = ((flow * (event & bit != 0)).sum(axis=0) for bit in (REPEAT, COMPLETES))
        rows, used = np.nonzero(chances)
        row_start = np.searchsorted(rows, np.arange(len(states) + 1))
        steps = _Steps(
            states, row_start, decided.after[rows, 0, used], decided.gain[rows, 0, used], chances[rows, used]
        )
        return steps, _Tally(flow.sum(axis=0), repeats, completes)

    def _map(self, work: Callable[[T], R], jobs: list[T]) -> Iterator[R]:
        """Results in the order of the jobs, whatever the number of threads."""
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(work, jobs)
