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
Longs = npt.NDArray[np.int64]
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
    flow = _Flow(space, np.asarray(solution.values), thread_count(threads))
    boxes, bonus_chances, repeats = flow.spread(lambda share: report("boxes", share))
    chances = flow.collect(lambda share: report("distribution", share))
    return Figures(Distribution(game, chances, solution.method), boxes, bonus_chances, repeats)


class _Steps(NamedTuple):
    """What optimal play does in some states: entries row by row, as `solver._flow` takes them."""

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

    def __init__(self, space: Space, values: Floats, threads: int) -> None:
        from solver import _flow  # Imported late, like all that needs numba.

        self._space, self._values, self._threads = space, values, threads
        self._kernels: ModuleType = load_kernels()
        self._flow: ModuleType = _flow
        self._sizes = np.diff(np.append(space.plan.offset, space.states))
        self._reached = np.zeros(space.states)
        self._layers: list[list[_Steps]] = []

    def spread(self, report: Callable[[float], None]) -> tuple[tuple[BoxFigures, ...], dict[str, float], float]:
        """The figures of every box, the chance of every bonus, and the mean number of repeat bonuses."""
        plan, space, game = self._space.plan, self._space, self._space.game
        self._reached[space.start] = 1.0
        filled = np.zeros((plan.boxes, len(plan.outcome_points)))
        completed = np.zeros(len(plan.outcome_points))
        repeats = 0.0
        for turn, layer in enumerate(space.masks_by_layer()[:-1]):
            self._layers.append([])
            for steps, tally in self._map(self._follow_policy, self._pieces(layer)):
                self._flow.spread(steps.states, steps.row_start, steps.after, steps.chances, self._reached)
                self._layers[-1].append(steps)
                filled[turn] += tally.happens
                completed += tally.completes
                repeats += float(tally.repeats.sum())
            report((turn + 1) / plan.boxes)
        boxes = []
        for b, box in enumerate(game.boxes):
            of_box = plan.outcome_box == b
            often, points = filled[:, of_box], plan.outcome_points[of_box]
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
        plan, space = self._space.plan, self._space
        start = np.zeros(space.states, dtype=np.int64)
        length = np.zeros(space.states, dtype=np.int64)
        full = slice(int(plan.offset[-1]), space.states)
        final = space.final_values().astype(np.int64)
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

    def _collect(self, steps: _Steps, *, start: Longs, length: Longs, later: Floats, scores: Floats) -> None:
        self._flow.collect_scores(*steps, start, length, later, scores)

    def _follow_policy(self, masks: Masks) -> tuple[_Steps, _Tally]:
        """What optimal play does in the states of some masks, as far as they are reached."""
        space, kernels, plan = self._space, self._kernels, self._space.plan
        rolls, keeps, rerolls = len(plan.chance), len(space.dice.keeps), plan.rolls - 1
        states = np.concatenate([np.arange(plan.offset[mask], plan.offset[mask] + self._sizes[mask]) for mask in masks])
        wanted = self._reached[states] > 0.0
        keep_of = np.zeros((len(states), rerolls, rolls), dtype=np.int16)
        outcome_of = np.zeros((len(states), rolls), dtype=np.int16)
        tables = max(rerolls, 1)
        expected, best = (kernels.workspace(tables * keeps).reshape(tables, keeps, -1) for _ in range(2))
        outcomes, successors = kernels.workspace(len(plan.outcome_points)), kernels.workspace(len(plan.successor_box))
        kernels.policy_of_masks(
            plan, masks, self._values, wanted, keep_of, outcome_of, expected, best, outcomes, successors
        )
        shape = (len(states), len(plan.outcome_points))
        chances = np.zeros(shape)
        self._flow.outcome_chances(plan.chance, plan.more, plan.faces, keep_of, outcome_of, wanted, chances)
        after, gain = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        repeats, completes = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        kernels.steps_of_masks(plan, masks, after, gain, repeats, completes)
        flow = self._reached[states, None] * chances
        tally = _Tally(flow.sum(axis=0), (flow * repeats).sum(axis=0), (flow * completes).sum(axis=0))
        rows, used = np.nonzero(chances)
        row_start = np.searchsorted(rows, np.arange(len(states) + 1))
        return _Steps(states, row_start, after[rows, used], gain[rows, used], chances[rows, used]), tally

    def _pieces(self, layer: Masks) -> list[Masks]:
        """A layer cut so that the arrays of a piece stay small."""
        before = np.cumsum(self._sizes[layer]) - self._sizes[layer]
        return np.split(layer, np.flatnonzero(np.diff(before // _PIECE_STATES)) + 1)

    def _map(self, work: Callable[[T], R], jobs: list[T]) -> Iterator[R]:
        """Results in the order of the jobs, whatever the number of threads."""
        with ThreadPoolExecutor(self._threads) as pool:
            yield from pool.map(work, jobs)
