"""Rules of thumb: tables that say what is left of a sheet is worth, written down instead of solved.

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

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from solver import Dice, Game, InputError
from solver.space import Space, compile_space

Floats = npt.NDArray[np.float64]

_SHARE = 0.35
"""Rule 1: how much of a turn another open box leaves for this one."""
_SLOPE = 1.6
"""Rule 3: from a normal to a logistic distribution."""


def greedy_tables(game: Game) -> Floats:
    """Nothing is worth anything but the number bonus, once it is reached."""
    space = compile_space(game.column)
    _, _, total = space.layout()
    return _by_column(game, _earned(space, total))


def heuristic_tables(game: Game) -> Floats:
    """What a good player expects of every state of a column, by the rules above."""
    space = compile_space(game.column)
    mask, word, total = space.layout()
    boxes = range(len(game.boxes))
    is_open = [(mask >> box & 1) == 0 for box in boxes]
    left = sum(flag.astype(np.int8) for flag in is_open)
    worth = np.zeros(len(mask))
    coming, spread = np.zeros(len(mask)), np.zeros(len(mask))
    chances = []
    for b, box in enumerate(game.boxes):
        chance, points = _match(game, space.dice, b)
        tries = np.where(is_open[b], 1.0 + _SHARE * (left - 1.0), 0.0)
        chances.append(1.0 - (1.0 - chance) ** tries)
        if box.number is None:
            worth += points * chances[b]
        else:
            dice = np.where(is_open[b], _number_dice(game, space.dice, b, left), 0.0)
            coming += box.number * dice
            spread += np.where(is_open[b], float(box.number) ** 2, 0.0)
    worth += coming
    bonus = game.number_bonus
    if bonus is not None:
        ahead = total + coming - bonus.threshold
        likely = 0.5 + 0.5 * np.tanh(0.5 * _SLOPE * (ahead + 0.5) / np.sqrt(np.maximum(spread, 1.0)))
        likely = np.where(total >= bonus.threshold, 1.0, np.where(spread > 0.0, likely, 0.0))
        worth += bonus.points * likely
    for s, group in enumerate(game.set_bonuses):
        inside = [game.box_index[name] for name in group.boxes]
        begun = sum((~is_open[b]).astype(np.int8) for b in inside)
        alive = (begun == 0) | (word >> s & 1 == 1)
        likely = np.where(alive & (begun < len(inside)), 1.0, 0.0)
        for b in inside:
            likely *= np.where(is_open[b], chances[b], 1.0)
        worth += group.points * likely
    if game.wild is not None and game.wild.repeat_bonus:
        b = game.box_index[game.wild.box]
        chance, _ = _match(game, space.dice, b)
        scored = (~is_open[b]) & (word & space.plan.wild_bit != 0)
        again = game.wild.repeat_bonus * chance * _SHARE * left
        worth += np.where(scored, again, np.where(is_open[b], 0.5 * again * chances[b], 0.0))
    worth[left == 0] = _earned(space, total)[left == 0]
    return _by_column(game, worth)


def sheet_advice_tables(game: Game) -> Floats:
    """The advice of Dicegame's sheet: high scores to the last column, by `_high`, and the number bonus there and in
    the column before it, which is as good as earned on a pace of three of each number and lost ten points behind."""
    if len(game.columns) < 3:
        raise InputError(
            f"sheet-advice speaks of a second and a third column, {game.name} has {len(game.columns)}: "
            "it is for dicegame and other sheets with three columns."
        )
    space = compile_space(game.column)
    mask, _, total = space.layout()
    is_open = [(mask >> box & 1) == 0 for box in range(len(game.boxes))]
    high = sum(np.where(is_open[b], _high(game, space.dice, b), 0.0) for b in range(len(game.boxes)))
    pace = sum(np.where(is_open[b], 0, 3 * (box.number or 0)) for b, box in enumerate(game.boxes))
    points = game.number_bonus.points if game.number_bonus else 0
    likely = np.clip(1.0 + (total - pace) / 10.0, 0.0, 1.0)
    full = ~np.any(is_open, axis=0)
    bonus = np.where(full, _earned(space, total), points * likely)
    counted = [c >= len(game.columns) - 2 for c in range(len(game.columns))]
    return np.array(
        [
            times * (high + (bonus if c else _earned(space, total)))
            for c, times in zip(counted, game.columns, strict=True)
        ]
    )


def _high(game: Game, dice: Dice, b: int) -> float:
    """A score that counts as high: three of a number; a kind made of fives; for the rest what a turn brings."""
    box = game.boxes[b]
    if box.number is not None:
        return 3.0 * box.number
    if box.points == "all" and box.groups:
        return 5.0 * game.dice - 3.0
    return turn_mean(dice, game.rolls, _points(game, dice, b))


def _by_column(game: Game, worth: Floats) -> Floats:
    return np.array(game.columns, dtype=np.float64)[:, None] * worth


def _earned(space: Space, total: npt.NDArray[np.int32]) -> Floats:
    bonus = space.game.number_bonus
    return (bonus.points if bonus else 0) * (total >= space.plan.threshold).astype(np.float64)


def _match(game: Game, dice: Dice, b: int) -> tuple[float, float]:
    """The chance to match a box in a turn spent on it, and the mean points when it is matched."""
    points = _points(game, dice, b)
    mean = turn_mean(dice, game.rolls, points)
    chance = turn_mean(dice, game.rolls, (points > 0).astype(np.float64))
    return chance, mean / chance


def _number_dice(game: Game, dice: Dice, b: int, left: npt.NDArray[np.int8]) -> Floats:
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
