"""Rules of thumb: tables of what the rest of a sheet is worth, written down instead of solved.

`greedy` sees nothing but the points of this turn. `heuristic` follows what a good player knows:

1. *Patience.* A box is worth what it scores when it is matched, times the chance to match it in time. That is the
   chance of a turn spent on it; with other boxes open, as if a third more of a turn were left for it for each of them,
   because a roll that misses one box can go to another.
2. *Three of a kind.* A number box brings about two dice of its number if it must be filled now, and nearly three
   while there are many other boxes to choose from.
3. *Pace.* The number bonus is as likely as the pace says: points so far and still to come by rule 2, against the
   points needed, give or take one die of each open number.
4. *Sets.* A set bonus still possible is worth its points times the chance to match all its open boxes by rule 1.
5. *Repeats.* Once the box for all dice alike holds points, every turn left may bring another repeat bonus; before
   that, so much is added to the worth of the box.

In a sheet with several columns a column's worth counts as often as the column.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver import Dice, Game, InputError, make_dice
from solver.solve import solve_values
from solver.space import compile_space

Floats = npt.NDArray[np.floating[Any]]

_SHARE = 0.35
"""Rule 1: how much of a turn another open box leaves for this one."""
_SLOPE = 1.6
"""Rule 3: from a normal to a logistic distribution."""
_BLOCK = 1 << 18


def greedy_tables(game: Game) -> Floats:
    """Nothing is worth anything but the number bonus, once it is reached."""
    return _tables(game, lambda states: [states.earned] * len(game.columns))


def heuristic_tables(game: Game) -> Floats:
    """What a good player expects of every state of a column, by the rules above."""
    dice = make_dice(game.dice, game.faces)
    found = [_match(game, dice, b) for b in range(len(game.boxes))]
    left = np.arange(len(game.boxes) + 1)
    tries = np.maximum(1.0 + _SHARE * (left - 1.0), 0.0)
    chance_of = np.array([1.0 - (1.0 - chance) ** tries for chance, _ in found])
    dice_of = {b: _number_dice(game, dice, b, left) for b, box in enumerate(game.boxes) if box.number is not None}

    def worth(states: _States) -> Floats:
        likely = np.where(states.is_open, chance_of[:, states.left], 0.0)
        coming, spread, total = np.zeros(len(states.left)), np.zeros(len(states.left)), np.zeros(len(states.left))
        for b, box in enumerate(game.boxes):
            if box.number is None:
                total += found[b][1] * likely[b]
            else:
                coming += np.where(states.is_open[b], box.number * dice_of[b][states.left], 0.0)
                spread += np.where(states.is_open[b], float(box.number) ** 2, 0.0)
        total += coming
        if game.number_bonus is not None:
            ahead = states.total + coming - game.number_bonus.threshold
            pace = 0.5 + 0.5 * np.tanh(0.5 * _SLOPE * (ahead + 0.5) / np.sqrt(np.maximum(spread, 1.0)))
            total += np.where(states.earned > 0.0, states.earned, game.number_bonus.points * pace * (spread > 0.0))
        for s, group in enumerate(game.set_bonuses):
            inside = [game.box_index[name] for name in group.boxes]
            begun = (~states.is_open[inside]).sum(axis=0)
            alive = (begun < len(inside)) & ((begun == 0) | (states.word >> s & 1 == 1))
            total += group.points * alive * np.where(states.is_open[inside], likely[inside], 1.0).prod(axis=0)
        if game.wild is not None and game.wild.repeat_bonus:
            b = game.box_index[game.wild.box]
            again = game.wild.repeat_bonus * found[b][0] * _SHARE * states.left
            total += again * np.where(states.is_open[b], 0.5 * likely[b], states.wild_scored)
        return np.where(states.left == 0, states.earned, total)

    return _tables(game, lambda states: [worth(states)] * len(game.columns))


def sheet_advice_tables(game: Game) -> Floats:
    """The advice of Dicegame's sheet: high scores to the last column, by `_high`, and the number bonus there and in
    the column before it, which is as good as earned on a pace of three of each number and lost ten points behind."""
    if len(game.columns) < 3:
        raise InputError(
            f"sheet-advice speaks of a second and a third column, {game.name} has {len(game.columns)}: "
            "it is for dicegame and other sheets with three columns."
        )
    dice = make_dice(game.dice, game.faces)
    high_of = np.array([_high(game, dice, b) for b in range(len(game.boxes))])
    pace_of = np.array([3.0 * (box.number or 0) for box in game.boxes])
    points = game.number_bonus.points if game.number_bonus else 0

    def by_column(states: _States) -> list[Floats]:
        high = high_of @ states.is_open
        ahead = states.total - pace_of @ ~states.is_open
        bonus = np.where(states.left == 0, states.earned, points * np.clip(1.0 + ahead / 10.0, 0.0, 1.0))
        return [high + states.earned] * (len(game.columns) - 2) + [high + bonus] * 2

    return _tables(game, by_column)


def column_by_column_tables(game: Game) -> Floats:
    """The columns one after the other, the last one first: whatever is filled out of turn is ruled out, and the rest is
    worth what the exact game of one column says."""
    columns, boxes = len(game.columns), len(game.boxes)
    if columns < 2:
        raise InputError(f"column-by-column is for sheets with several columns, {game.name} has one: play 'optimal'.")
    space = compile_space(game.column)
    values = solve_values(game.column)
    filled = np.bitwise_count(space.layout()[0]).astype(np.int64)
    tables = np.empty((game.turns + 1, columns, space.states), dtype=np.float32)
    for turn in range(game.turns + 1):
        for c, times in enumerate(game.columns):
            expected = min(max(turn - (columns - 1 - c) * boxes, 0), boxes)
            tables[turn, c] = np.where(filled == expected, times * values, -1e6)
    return tables


class _States(NamedTuple):
    """Some states of a column: which boxes are open [box, state] and how many, and what is remembered of the rest."""

    is_open: npt.NDArray[np.bool_]
    left: npt.NDArray[np.int64]
    word: npt.NDArray[np.int32]
    total: npt.NDArray[np.int32]
    earned: Floats
    wild_scored: npt.NDArray[np.bool_]


def _tables(game: Game, by_column: Callable[[_States], list[Floats]]) -> Floats:
    """A table for each column, times its multiplier, for every turn; made in blocks so that large games need little
    memory."""
    space = compile_space(game.column)
    bonus = game.number_bonus.points if game.number_bonus else 0
    boxes = np.arange(len(game.boxes))[:, None]
    tables = np.empty((len(game.columns), space.states))
    for first in range(0, space.states, _BLOCK):
        last = min(first + _BLOCK, space.states)
        mask, word, total = space.layout(first, last)
        is_open = mask >> boxes & 1 == 0
        earned = bonus * (total >= space.plan.threshold).astype(np.float64)
        scored = word & space.plan.wild_bit != 0
        found = by_column(_States(is_open, is_open.sum(axis=0), word, total, earned, scored))
        for table, times, worth in zip(tables, game.columns, found, strict=True):
            table[first:last] = times * worth
    return tables[None]


def _high(game: Game, dice: Dice, b: int) -> float:
    """A score that counts as high: three of a number; a kind made of fives; for the rest what a turn brings."""
    box = game.boxes[b]
    if box.number is not None:
        return 3.0 * box.number
    if box.points == "all" and box.groups:
        return 5.0 * game.dice - 3.0
    return turn_mean(dice, game.rolls, _points(game, dice, b))


def _match(game: Game, dice: Dice, b: int) -> tuple[float, float]:
    """The chance to match a box in a turn spent on it, and the mean points when it is matched."""
    points = _points(game, dice, b)
    mean = turn_mean(dice, game.rolls, points)
    chance = turn_mean(dice, game.rolls, (points > 0).astype(np.float64))
    return chance, mean / chance


def _number_dice(game: Game, dice: Dice, b: int, left: npt.NDArray[np.int64]) -> Floats:
    """Dice of its number that an open number box will hold, by how many boxes are open."""
    now = turn_mean(dice, game.rolls, _points(game, dice, b)) / (game.boxes[b].number or 1)
    later = 0.6 * game.dice
    dice_held: Floats = later - (later - now) * np.float64(0.8) ** (left - 1.0)
    return dice_held


def _points(game: Game, dice: Dice, b: int) -> Floats:
    """What every roll scores in a box."""
    return np.array([game.boxes[b].score(dice.counts(roll)) for roll in dice.rolls], dtype=np.float64)


def turn_mean(dice: Dice, rolls: int, by_roll: Floats) -> float:
    """The most that a turn brings on average, if the final roll is worth so much."""
    best = np.empty(len(dice.keeps))
    best[dice.first_roll :] = by_roll
    levels = list(pairwise(dice.level_start))
    for _ in range(rolls):
        for start, end in reversed(levels[:-1]):
            best[start:end] = best[dice.more[start:end]].mean(axis=1)
        mean = float(best[0])
        for start, end in levels[1:]:
            for keep in range(start, end):
                parts = dice.fewer[dice.fewer_start[keep] : dice.fewer_start[keep + 1]]
                best[keep] = max(best[keep], best[parts].max())
    return mean
