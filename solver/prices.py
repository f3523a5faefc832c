"""Prices: each column played by itself, a first strong player, and a proven bound on perfect play.

With T the turn operator (the mean over dice of the best final roll, exact), let every column c play alone through all
the turns of the game. On turn t it may place its final roll r and pay pi_t(r), or pass; but it has to be full at the
end. With w_c its multiplier,

    G_c(t, s) = T( r -> max( G_c(t+1, s), x_c(r) - pi_t(r) ) )
    x_c(r)    = max over open boxes b of w_c * points(b, r) + G_c(t+1, s after b)

**The bound.** For any prices whatever, the optimum of the game is at most

    D(pi) = sum over t of T(pi_t) + sum over c of G_c(0, empty)

Proof, by induction from the last turn, with D_t the sum of T(pi_u) over u >= t: suppose that the optimum V(t+1, .) is
at most D_{t+1} plus the sum of G_c(t+1, s_c). A final roll r that goes to column k brings

    points + V(t+1, after) <= D_{t+1} + x_k(r) + sum over c other than k of G_c(t+1, s_c)
                           <= D_{t+1} + pi_t(r) + sum over all c of max( G_c(t+1, s_c), x_c(r) - pi_t(r) )

and the right side no longer depends on k. T is monotone and T(f + g) <= T(f) + T(g), because a maximum of sums is at
most the sum of the maxima and a mean is linear; so V(t, .) <= D_{t+1} + T(pi_t) + sum over c of G_c(t, s_c).

A column with as many open boxes as turns are left must not pass (G_c(t+1, s) is -inf there). Real play never does: its
open boxes are as many as its turns, so the other columns are full then. Number and set bonuses belong to a column and
are in G_c. A joker or a repeat bonus hangs on the boxes of all columns; in G_c it hangs on the column's own, which
allows it no later than the real rules do, and a forced joker is taken as a free one: both can only raise G_c, which
does not fall when a box holds points instead of a zero.
Everything is float64; rounding is of the order of 1e-12 of the values, and the bound is rounded up by 1e-6.

**Better prices.** D is convex in pi. Its subgradient at (t, r) is the chance that the turn T(pi_t) ends with r, less
the mean number of columns that place r on turn t. The first part is computed, the second one sampled by playing the
columns; steps are scaled by the running size of the subgradients (Adam, Kingma and Ba 2015). The sample only chooses
where to go: the bound is evaluated anew, exactly, at every step, and the lowest one counts.

**A player.** Whoever places by the largest w * points + sum of G_c(t+1, .) plays well if the prices are what a final
roll is really worth. So the prices for play are the mean advantage that this player meets, again and again: the
largest x_c(r) - G_c(t+1, s_c) of its columns (a fixed point, reached in a few rounds). Jokers and repeat bonuses are
left out there, because a column alone would count on them far too much; learning puts them back.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf

import numpy as np
import numpy.typing as npt

from solver.dice import Dice
from solver.errors import InputError
from solver.joint import Joint, make_joint
from solver.policy import Source
from solver.rules import Game
from solver.solve import Progress, thread_count, workspaces
from solver.space import Plan, Space, compile_space

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

ROUNDS = 7
"""Rounds of prices for play: later ones are no better."""
MAX_ENTRIES = 250_000_000
"""Turns times columns times states of a column, as far as memory goes."""
_ROUND_GAMES = 1 << 13
_STEP_GAMES = 1 << 13
_PIECES = 16
_MARGIN = 1e-6


@dataclass(frozen=True, eq=False)
class Bound:
    """Prices `prices[turn, roll]` and the proven bound on the optimum that they give."""

    game: Game
    value: float
    prices: Floats
    curve: tuple[tuple[float, float], ...] = ()
    """Seconds and the bound of each step so far."""

    @property
    def shown(self) -> float:
        """The bound with two digits after the point, rounded up, so that what is shown is proven too."""
        return ceil(self.value * 100.0) / 100.0


def can_be_priced(game: Game) -> bool:
    """Whether the column programs fit into memory."""
    return game.turns * len(game.columns) * compile_space(game.column).states <= MAX_ENTRIES


class Columns:
    """The columns of a game, each by itself: `relaxed` with jokers and repeats by a column's own boxes, else without.

    `values[c, t, s]` is G_c(t, s) of the docstring above, the column counting once: times[c] is left out.
    """

    def __init__(self, game: Game, *, relaxed: bool, threads: int | None = None) -> None:
        column = game.column
        if column.wild is not None and column.wild.joker == "forced":
            column = replace(column, wild=replace(column.wild, joker="free"))
        self.game = game
        self.space: Space = compile_space(column)
        self.plan: Plan = self.space.plan
        if not relaxed:
            ordinary = np.tile(self.plan.kind_roll, (len(self.plan.kind_row), 1)).astype(np.int32)
            self.plan = self.plan._replace(outcome_repeat=np.zeros_like(self.plan.outcome_repeat), kind_row=ordinary)
        self.times = np.array(game.columns, dtype=np.float64)
        self.threads = thread_count(threads)
        self.values = np.full((len(game.columns), game.turns + 1, self.space.states), -inf)

    def solve(self, prices: Floats, report: Callable[[float], None] | None = None) -> None:
        """Fill in the values for these prices."""
        from solver import _kernels

        space = self.space
        full = int(self.plan.offset[-1])
        layers = list(reversed(space.masks_by_layer()[:-1]))
        with ThreadPoolExecutor(self.threads) as pool:
            for c, times in enumerate(self.times):
                values, own = self.values[c], prices / times
                values[:, full:] = space.final_values()

                def work(masks: npt.NDArray[np.int64], values: Floats = values, own: Floats = own) -> None:
                    _kernels.price_masks(self.plan, masks, own, values, *workspaces(space))

                for number, layer in enumerate(layers):
                    for _ in pool.map(work, [layer[piece::_PIECES] for piece in range(min(_PIECES, len(layer)))]):
                        pass
                    if report is not None:
                        report((c + (number + 1) / len(layers)) / len(self.times))

    def start_value(self) -> float:
        """The sum of G_c(0, empty)."""
        return float(self.values[:, 0][:, self.space.start] @ self.times)

    def count_placed(self, prices: Floats, games: int, rng: np.random.Generator) -> Floats:
        """How often, on average, the columns place each roll on each turn [turn, roll]; a sample of so many games."""
        counted = np.zeros(prices.shape)
        for c, times in enumerate(self.times):
            states = np.full((games, 1), self.space.start, dtype=np.int32)
            for turn in range(self.game.turns):
                source = self._source(self.values[c : c + 1, turn + 1])
                rolls, choices = self._play(states, np.ones(1), source, prices[turn] / times, rng)
                counted[turn] += np.bincount(rolls[choices >= 0], minlength=len(self.plan.chance))
        return counted / games

    def meet_advantages(self, games: int, rng: np.random.Generator) -> Floats:
        """Play whole sheets by the sum of the columns: the mean advantage of each final roll on each turn."""
        game, space, plan = self.game, self.space, self.plan
        states = np.full((games, len(self.times)), space.start, dtype=np.int32)
        met = np.zeros((game.turns, len(plan.chance)))
        for turn in range(game.turns):
            later = np.ascontiguousarray(self.values[:, turn + 1] * self.times[:, None])
            waiting = later[np.arange(len(self.times)), states].sum(axis=1)
            free = np.isfinite(waiting)
            finals = self._finals(states, self._source(later))
            if free.sum() >= 32:
                met[turn] = (finals[free] - waiting[free, None]).mean(axis=0)
            else:
                met[turn] = met[turn - 1]
            self._play(states, self.times, self._source(later), np.empty(0), rng)
        return met

    def _source(self, later: Floats) -> Source:
        return Source(later, self._no_joint)

    @cached_property
    def _no_joint(self) -> Joint:
        return make_joint(self.game, [])

    def _finals(self, states: Ints, source: Source) -> Floats:
        """What each final roll is worth in some positions."""
        from solver import _positions

        finals, values = np.empty((len(states), len(self.plan.chance))), np.empty(len(states))

        def work(part: slice) -> None:
            room = _positions.make_work(self.plan, states.shape[1])
            _positions.value_positions(self.plan, self.times, source, states[part], values[part], finals[part], room)

        self._in_threads(work, len(states))
        return finals

    def _play(
        self,
        states: Ints,
        times: Floats,
        source: Source,
        price: Floats,
        rng: np.random.Generator,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Play a turn; the states move on. The final rolls and the choices."""
        from solver import _positions

        plan, games = self.plan, len(states)
        throws = rng.integers(0, plan.faces, size=(games, plan.rolls, self.game.dice), dtype=np.uint8)
        values, rolls, choices = np.empty(games), np.empty(games, np.int64), np.empty(games, np.int64)
        gains, events = np.empty(games), np.empty(games, np.uint8)

        def work(p: slice) -> None:
            room = _positions.make_work(plan, states.shape[1])
            outputs = (values[p], rolls[p], choices[p], gains[p], events[p])
            _positions.play_positions(plan, times, source, price, states[p], throws[p], *outputs, room)

        self._in_threads(work, games)
        return rolls, choices

    def _in_threads(self, work: Callable[[slice], None], count: int) -> None:
        size = -(-count // self.threads)
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in pool.map(work, [slice(first, first + size) for first in range(0, count, size)]):
                pass


def find_play_prices(
    game: Game, *, seed: int = 0, threads: int | None = None, report: Callable[[float], None] | None = None
) -> tuple[Columns, Floats]:
    """The columns solved for prices that are what final rolls are worth to the player they lead to."""
    columns = Columns(game, relaxed=False, threads=threads)
    prices = np.zeros((game.turns, len(columns.plan.chance)))
    rng = np.random.default_rng([seed, 0])
    for number in range(ROUNDS):
        columns.solve(prices, lambda share, number=number: report((number + share) / ROUNDS) if report else None)  # type: ignore[misc]
        if number < ROUNDS - 1:
            met = columns.meet_advantages(_ROUND_GAMES, rng)
            prices = met if number == 0 else 0.5 * (prices + met)
    return columns, prices


def tighten_bound(
    game: Game,
    *,
    seconds: float = inf,
    steps: int | None = None,
    bound: Bound | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    keep: Callable[[Bound], None] | None = None,
) -> Bound:
    """A proven bound, made lower for about so many seconds or steps; goes on from a bound that was found before.

    `keep` is called with the bound after every step.
    """
    require_columns(game)
    report = progress or (lambda stage, share, note="": None)
    began = time.perf_counter()
    rng = np.random.default_rng([seed, len(bound.curve) if bound else 0])
    curve = list(bound.curve) if bound else []
    already, before = len(curve), curve[-1][0] if curve else 0.0
    if bound is None:
        prices = find_play_prices(game, seed=seed, threads=threads, report=lambda share: report("prices", share))[1]
        best, best_prices = inf, prices
    else:
        best, prices = bound.value, bound.prices
        best_prices = prices
    columns = Columns(game, relaxed=True, threads=threads)
    descent = _Descent(prices, begun=len(curve))
    while True:
        columns.solve(descent.prices)
        turns, ends = turn_values(columns.space.dice, game.rolls, descent.prices)
        value = float(turns.sum()) + columns.start_value() + _MARGIN
        elapsed = time.perf_counter() - began
        curve.append((before + elapsed, value))
        if value < best:
            best, best_prices = value, descent.prices
        found = Bound(game, best, best_prices, tuple(curve))
        if keep is not None:
            keep(found)
        over = elapsed >= seconds or len(curve) - already == steps
        report("bound", 1.0 if over else elapsed / seconds, f"{best:,.2f}")
        if over:
            return found
        descent.step(ends - columns.count_placed(descent.prices, _STEP_GAMES, rng))


class _Descent:
    """Steps against sampled subgradients, scaled by their running size and smaller with time."""

    def __init__(self, prices: Floats, begun: int) -> None:
        self.prices = prices
        self._mean, self._square = np.zeros_like(prices), np.zeros_like(prices)
        self._steps, self._begun = 0, begun

    def step(self, slope: Floats) -> None:
        self._steps += 1
        self._mean = 0.9 * self._mean + 0.1 * slope
        self._square = 0.99 * self._square + 0.01 * slope**2
        mean = self._mean / (1.0 - 0.9**self._steps)
        size = np.sqrt(self._square / (1.0 - 0.99**self._steps)) + 1e-4
        rate = 3.0 / (1.0 + (self._steps + self._begun) / 12.0)
        self.prices = self.prices - rate * mean / size


def require_columns(game: Game) -> None:
    """Refuse a game without columns to price, or with too many states."""
    if len(game.columns) < 2:
        raise InputError(f"{game.name} has one column: it is solved exactly and needs no bound.")
    if not can_be_priced(game):
        raise InputError(
            f"{game.name} is too large for a bound: turns times columns times states of a column are "
            f"{game.turns * len(game.columns) * compile_space(game.column).states:,}, at most {MAX_ENTRIES:,} fit."
        )


def turn_values(dice: Dice, rolls: int, prices: Floats) -> tuple[Floats, Floats]:
    """T(pi_t) for every turn, and the chance that such a turn ends with each roll [turn, roll]."""
    count, keeps = len(prices), len(dice.keeps)
    levels = list(zip(dice.level_start[:-1], dice.level_start[1:], strict=True))
    parts = [dice.fewer[dice.fewer_start[keep] : dice.fewer_start[keep + 1]] for keep in range(keeps)]
    walks: list[tuple[Floats, Floats]] = []
    held = prices
    for _ in range(rolls - 1):
        kept = np.empty((count, keeps))
        kept[:, dice.first_roll :] = held
        for start, end in reversed(levels[:-1]):
            kept[:, start:end] = kept[:, dice.more[start:end]].mean(axis=2)
        reach = kept.copy()
        for keep in range(1, keeps):
            reach[:, keep] = np.maximum(reach[:, keep], reach[:, parts[keep]].max(axis=1))
        walks.append((kept, reach))
        held = reach[:, dice.first_roll :]
    values = held @ dice.chance
    ends = np.tile(dice.chance, (count, 1))
    for kept, reach in reversed(walks):
        chance, stays = np.zeros((count, keeps)), np.zeros((count, keeps))
        chance[:, dice.first_roll :] = ends
        for keep in range(keeps - 1, -1, -1):
            moving = chance[:, keep].copy()
            own = kept[:, keep] >= reach[:, keep]
            stays[:, keep] = np.where(own, moving, 0.0)
            moving[own] = 0.0
            for part in parts[keep]:
                there = reach[:, part] >= reach[:, keep]
                chance[:, part] += np.where(there, moving, 0.0)
                moving[there] = 0.0
        for keep in range(dice.first_roll):
            for more in dice.more[keep]:
                stays[:, more] += stays[:, keep] / dice.faces
        ends = stays[:, dice.first_roll :]
    return values, ends
