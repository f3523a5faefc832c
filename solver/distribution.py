"""The exact distribution of the final score under optimal play, and what each box contributes: no sampling.

The policy turns each state into chances of outcomes. Forward, from the empty sheet, they give the chance of being in
each state, and so how often each box is filled with what and on which turn. Backward, over the states that are
reached, the chances of the points to come are those of the states after, shifted by what an outcome brings and
weighed by its chance. Ties are broken as everywhere
(see `solver.advisor`); the mean does not depend on that, the rest does a little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from types import ModuleType
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from solver.errors import InputError
from solver.rules import Game
from solver.solve import Progress, Solution, load_kernels, thread_count
from solver.space import Space, compile_space, count_states

Floats = npt.NDArray[np.float64]
Masks = npt.NDArray[np.int64]
T = TypeVar("T")
R = TypeVar("R")

_PIECE_STATES = 2048

MAX_STATES = 3_000_000
"""Larger games would need too much memory for the distributions of a layer."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """Chances of final scores: `chances[s]` of exactly s points."""

    game: Game
    chances: Floats
    method: str

    @cached_property
    def mean(self) -> float:
        return float(self.chances @ np.arange(len(self.chances)))

    @cached_property
    def sd(self) -> float:
        distance = np.arange(len(self.chances)) - self.mean
        return float(np.sqrt(self.chances @ distance**2))

    def percentile(self, percent: float) -> int:
        """The lowest score that at least this many percent of games do not exceed."""
        return int(np.searchsorted(np.cumsum(self.chances), percent / 100.0 - 1e-12))

    def at_least(self, score: int) -> float:
        """The chance of that many points or more."""
        return float(self.chances[max(score, 0) :].sum())


@dataclass(frozen=True, eq=False)
class BoxFigures:
    """One box under optimal play: mean points, how often it holds a zero, and on which turn it is filled."""

    box: str
    mean: float
    zero: float
    turns: Floats


@dataclass(frozen=True, eq=False)
class Figures:
    """All exact figures of optimal play. Bonus chances are by name: `numbers`, or the name of a set."""

    distribution: Distribution
    boxes: tuple[BoxFigures, ...]
    bonus_chances: dict[str, float]
    repeats: float
    """How many repeat bonuses a game earns on average."""


def require_exact(game: Game) -> None:
    """Refuse a game whose exact figures are out of reach."""
    compile_space(game)
    states = count_states(game)
    if states > MAX_STATES:
        raise InputError(
            f"{game.name} has {states:,} states: the exact distribution is computed for at most {MAX_STATES:,}."
        )


def exact_figures(solution: Solution, *, threads: int | None = None, progress: Progress | None = None) -> Figures:
    """The distribution of the final score and the figures of every box."""
    game = solution.game
    require_exact(game)
    report = progress or (lambda stage, share: None)
    space = compile_space(game)
    report("compile", 0.0)
    flow = _Flow(space, np.asarray(solution.values), load_kernels(), thread_count(threads))
    boxes, bonus_chances, repeats = flow.spread(lambda share: report("boxes", share))
    chances = flow.collect(lambda share: report("distribution", share))
    return Figures(Distribution(game, chances, solution.method), boxes, bonus_chances, repeats)


class _Listed(NamedTuple):
    """What optimal play does in the states of some masks: outcomes with their chances, row by row."""

    masks: Masks
    row_start: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.int16]
    chances: Floats


class _Flow:
    """The two sweeps: forward for states and boxes, then backward over the states that are reached for scores."""

    def __init__(self, space: Space, values: Floats, kernels: ModuleType, threads: int) -> None:
        self._space, self._values, self._kernels, self._threads = space, values, kernels, threads
        self._sizes = np.diff(np.append(space.plan.offset, space.states))
        self._reached = np.zeros(space.states)
        self._listed: list[list[_Listed]] = []

    def spread(self, report: Callable[[float], None]) -> tuple[tuple[BoxFigures, ...], dict[str, float], float]:
        """The figures of every box, the chance of every bonus, and the mean number of repeat bonuses."""
        plan, space, game = self._space.plan, self._space, self._space.game
        self._reached[space.start] = 1.0
        filled = np.zeros((plan.boxes, len(plan.outcome_points)))
        repeats = np.zeros(1)
        completed = np.zeros(len(plan.set_mask))
        for turn, layer in enumerate(space.masks_by_layer()[:-1]):
            listed = []
            for masks, chances in self._map(self._chances, self._pieces(layer)):
                self._kernels.spread_chances(plan, masks, chances, self._reached, filled[turn], repeats, completed)
                rows, outcomes = np.nonzero(chances)
                row_start = np.searchsorted(rows, np.arange(len(chances) + 1))
                listed.append(_Listed(masks, row_start, outcomes.astype(np.int16), chances[rows, outcomes]))
            self._listed.append(listed)
            report((turn + 1) / plan.boxes)
        boxes = []
        for b, box in enumerate(game.boxes):
            of_box = plan.outcome_box == b
            often, points = filled[:, of_box], plan.outcome_points[of_box]
            zero = float(often[:, points == 0].sum())
            boxes.append(BoxFigures(box.name, float((often @ points).sum()), zero, often.sum(axis=1)))
        bonuses = {bonus.name: float(chance) for bonus, chance in zip(game.set_bonuses, completed, strict=True)}
        if game.number_bonus is not None:
            reached_at_end = self._reached[int(plan.offset[-1]) :]
            bonuses["numbers"] = float(reached_at_end[space.final_values() > 0].sum())
        return tuple(boxes), bonuses, float(repeats[0])

    def collect(self, report: Callable[[float], None]) -> Floats:
        """The chances of every final score."""
        plan, space = self._space.plan, self._space
        start = np.zeros(space.states, dtype=np.int64)
        length = np.zeros(space.states, dtype=np.int64)
        full = slice(int(plan.offset[-1]), space.states)
        final = space.final_values().astype(np.int64)
        length[full] = final + 1
        start[full] = np.cumsum(length[full]) - length[full]
        later = np.zeros(int(length[full].sum()))
        later[start[full] + final] = 1.0
        for count, listed in enumerate(reversed(self._listed), start=1):
            for part in listed:
                self._kernels.measure_scores(plan, part.masks, part.row_start, part.outcomes, length)
            states = np.concatenate([self._states(mask) for part in listed for mask in part.masks])
            start[states] = np.cumsum(length[states]) - length[states]
            scores = np.zeros(int(length[states].sum()))
            collect = partial(self._collect, start=start, length=length, later=later, scores=scores)
            for _ in self._map(collect, listed):
                pass
            later = scores
            report(count / plan.boxes)
        return later

    def _collect(self, part: _Listed, **arrays: npt.NDArray[np.generic]) -> None:
        self._kernels.collect_scores(self._space.plan, *part, *arrays.values())

    def _chances(self, masks: Masks) -> tuple[Masks, Floats]:
        space, kernels, plan = self._space, self._kernels, self._space.plan
        keeps, rerolls = len(space.dice.keeps), max(plan.rolls - 1, 1)
        chances = np.zeros((int(self._sizes[masks].sum()), len(plan.outcome_points)))
        expected, best = (kernels.workspace(rerolls * keeps).reshape(rerolls, keeps, -1) for _ in range(2))
        outcomes, successors = kernels.workspace(len(plan.outcome_points)), kernels.workspace(len(plan.successor_box))
        kernels.chances_of_masks(
            plan, masks, self._values, self._reached, chances, expected, best, outcomes, successors
        )
        return masks, chances

    def _states(self, mask: int) -> npt.NDArray[np.int64]:
        first = int(self._space.plan.offset[mask])
        return np.arange(first, first + int(self._sizes[mask]))

    def _pieces(self, layer: Masks) -> list[Masks]:
        """A layer cut so that the chances of a piece stay small."""
        before = np.cumsum(self._sizes[layer]) - self._sizes[layer]
        return np.split(layer, np.flatnonzero(np.diff(before // _PIECE_STATES)) + 1)

    def _map(self, work: Callable[[T], R], jobs: list[T]) -> Iterator[R]:
        """Results in the order of the jobs, whatever the number of threads."""
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(work, jobs)
