"""The best decision in any position, with every alternative beside it.

One turn is evaluated for one position with the two walks over keeps (see `solver._kernels`), here in numpy, so that
asking about one column needs no compiler. A sheet with several columns is judged by learned tables, or exactly once few
enough positions can follow (`solver.endgame`); the advice says which.

Ties: two options closer than 1e-9 are equally good. Among equal boxes the first on the sheet is chosen. Among
equal keeps, dice are put back one at a time from the roll until a best keep is reached, each time the lowest die
that still leaves a best keep; so keeping more dice is preferred.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.catalog import find_game
from solver.dice import Dice, Roll, make_dice
from solver.endgame import Endgame, count_positions, solve_endgame
from solver.errors import InputError
from solver.learn import ColumnSolution
from solver.policy import Policy
from solver.rules import Game
from solver.sheet import Sheet
from solver.solve import METHOD as EXACT
from solver.solve import Progress, Solution
from solver.space import TIE, Space
from solver.tables import TableStore

Floats = npt.NDArray[np.float64]

ENDGAME_POSITIONS = 250_000
"""Positions that may follow for advice to be exact: about half a second on two cores."""
MAX_ENDGAME_BOXES = 16

_Ranked = tuple[float, dict[str, Any]]
"""What an option is worth as the table counts it, and the fields that say which option it is."""


@dataclass(frozen=True)
class Option:
    """One thing to do: dice to keep, or a box to fill.

    `value` is the expected number of points from here to the end, `total` the expected final score, `loss` what it
    is worth less than the best option. With a keep, `improve` is the chance that the next roll is worth more than
    the dice as they lie; with a box, `points` are written into it and `bonus` is paid on top at once.
    """

    value: float
    total: float
    loss: float
    keep: Roll | None = None
    improve: float | None = None
    box: str | None = None
    points: int | None = None
    bonus: int | None = None
    """Where there are several columns the box has its column in front, and `points` come before the multiplier."""


@dataclass(frozen=True)
class Advice:
    """All options of a position, best first, and what the best one is worth."""

    game: Game
    sheet: Sheet
    dice: Roll
    rolls_left: int
    value: float
    total: float
    options: tuple[Option, ...]
    method: str

    @property
    def best(self) -> Option:
        return self.options[0]


@dataclass(frozen=True, eq=False)
class _Turn:
    """Values within a turn: `outcomes[column, outcome]`, `held[n]` of every roll and `kept[n]` of every keep with n
    rolls left, and `reach[n]`, the best that some part of a keep is worth; and how the values after it are known."""

    method: str
    outcomes: Floats
    held: list[Floats]
    kept: list[Floats]
    reach: list[Floats]


class Advisor:
    """Answers questions about one solved game.

    >>> advisor = Advisor.load("yahtzee")
    >>> advice = advisor.advise("ones=3 yahtzee=50", "33356", rolls_left=2)
    >>> advice.best.keep
    (3, 3, 3)
    """

    def __init__(self, solution: Solution | ColumnSolution) -> None:
        if isinstance(solution, Solution) and solution.theta:
            raise InputError(f"advice is for the highest mean: this solution has the theta {solution.theta:g}, not 0.")
        self.solution = solution
        self.game = solution.game
        self._policy: Policy = solution.policy
        self._space: Space = self._policy.space
        self._dice: Dice = self._space.dice
        self._fewer = _padded(self._dice)
        self._turn = lru_cache(maxsize=256)(self._evaluate)
        self._endgame: Endgame | None = None

    @classmethod
    def load(cls, variant: str, *, tables: Path | None = None, progress: Progress | None = None) -> Advisor:
        """The advisor for a variant or a rules file; solves the game first if there is no table yet."""
        return cls(TableStore(tables).solve(find_game(variant), progress=progress))

    def expect(self, sheet: Sheet | str = "") -> float:
        """Expected points from here to the end, before the turn's first roll."""
        sheet = _read_sheet(self.game, sheet)
        if sheet.is_full:
            return 0.0
        turn = self._turn(self._policy.position(sheet))
        return float(turn.held[-1] @ self._dice.chance) - self._earned(sheet)

    def advise(self, sheet: Sheet | str, dice: Sequence[int] | str, *, rolls_left: int) -> Advice:
        """Rank every distinct keep, or every box if no rolls are left."""
        sheet, roll = read_question(self.game, sheet, dice, rolls_left)
        turn = self._turn(self._policy.position(sheet))
        ranked = self._rank_keeps(turn, roll, rolls_left) if rolls_left else self._rank_boxes(turn, sheet, roll)
        on_sheet, earned = sheet.total, self._earned(sheet)
        best = max(worth for worth, _ in ranked)
        options = tuple(
            Option(value=worth - earned, total=on_sheet + worth - earned, loss=best - worth, **choice)
            for worth, choice in ranked
        )
        value = best - earned
        return Advice(self.game, sheet, roll, rolls_left, value, on_sheet + value, options, turn.method)

    def _earned(self, sheet: Sheet) -> int:
        """Number bonuses, once reached: they are on the sheet, but part of every stored value."""
        bonus = self.game.number_bonus
        if bonus is None:
            return 0
        reached = [sheet.number_total(column) >= bonus.threshold for column in range(len(sheet.columns))]
        return sum(bonus.points * times for times, there in zip(self.game.columns, reached, strict=True) if there)

    def _evaluate(self, position: tuple[int, ...]) -> _Turn:
        plan, dice = self._space.plan, self._dice
        method, outcomes = self._outcome_values(position)
        masks = self._masks(position)
        reachable = plan.outcome_of[self._rows(masks)]
        best = np.full(reachable.shape, -np.inf)
        for column, mask in enumerate(masks):
            is_open = (mask >> np.arange(plan.boxes) & 1 == 0) & (reachable >= 0)
            best = np.where(is_open, np.maximum(best, outcomes[column, reachable]), best)
        held = [best.max(axis=1)]
        kept, reach = [np.empty(0)], [np.empty(0)]
        levels = list(zip(dice.level_start[:-1], dice.level_start[1:], strict=True))
        for _ in range(plan.rolls - 1):
            expected = self._expect_keeps(held[-1])
            reached = expected.copy()
            for start, end in levels[1:]:
                reached[start:end] = np.maximum(reached[start:end], reached[self._fewer[start:end]].max(axis=1))
            kept.append(expected)
            reach.append(reached)
            held.append(reached[dice.first_roll :])
        return _Turn(method, outcomes, held, kept, reach)

    def _expect_keeps(self, by_roll: Floats) -> Floats:
        """The mean of a function of rolls, for every keep."""
        dice = self._dice
        expected = np.empty(len(dice.keeps))
        expected[dice.first_roll :] = by_roll
        for size in range(dice.dice - 1, -1, -1):
            start, end = dice.level_start[size], dice.level_start[size + 1]
            expected[start:end] = expected[dice.more[start:end]].mean(axis=1)
        return expected

    def _outcome_values(self, position: tuple[int, ...]) -> tuple[str, Floats]:
        """Points now and to come of every outcome in every column, NaN where the box is filled; how they are known."""
        plan = self._space.plan
        method, worth = self._judge(position)
        _, words, _ = self._space.describe_states(np.array(position))
        repeats = plan.outcome_repeat * bool(np.all(words & plan.wild_bit))
        followed = [self._space.follow(state) for state in position]
        places = [
            (c, s) for c, of_column in enumerate(followed) for s, (after, _) in enumerate(of_column) if after >= 0
        ]
        afters = np.tile(np.array(position), (len(places), 1))
        afters[np.arange(len(places)), [c for c, _ in places]] = [followed[c][s][0] for c, s in places]
        later = np.full((len(position), len(plan.successor_box)), np.nan)
        for (c, s), found in zip(places, worth(afters), strict=True):
            later[c, s] = found + self.game.columns[c] * followed[c][s][1]
        times = np.array(self.game.columns)[:, None]
        return method, later[:, plan.outcome_successor] + times * (plan.outcome_points + repeats)

    def _judge(self, position: tuple[int, ...]) -> tuple[str, Callable[[npt.ArrayLike], Floats]]:
        """How positions after this one are valued."""
        if len(position) == 1 or self.solution.method == EXACT:
            return EXACT, self._policy.worth
        held = self._endgame
        if held is None or any(held.nest.local[column, state] < 0 for column, state in enumerate(position)):
            if _few(self._space, position) and count_positions(self.game, position) <= ENDGAME_POSITIONS:
                held = self._endgame = solve_endgame(self.game, position, most=ENDGAME_POSITIONS)
            else:
                return self.solution.method, self._policy.worth
        return EXACT, held.worth

    def _masks(self, position: Sequence[int]) -> list[int]:
        return [int(mask) for mask in np.searchsorted(self._space.plan.offset, position, side="right") - 1]

    def _rows(self, masks: Sequence[int]) -> npt.NDArray[np.int64]:
        """For each roll its row of `outcome_of`."""
        shared = masks[0]
        for mask in masks[1:]:
            shared &= mask
        rows = np.arange(len(self._space.plan.chance))
        rows[self._space.plan.kind_roll] = self._space.plan.kind_row[shared]
        return rows

    def _rank_keeps(self, turn: _Turn, roll: Roll, rolls_left: int) -> list[_Ranked]:
        dice, kept = self._dice, turn.kept[rolls_left]
        row = dice.index[roll]
        after = turn.held[rolls_left - 1]
        improve = self._expect_keeps((after > after[row - dice.first_roll] + TIE).astype(np.float64))
        choice = self._choose_keep(turn, row, rolls_left)
        parts = self._parts(row)
        order = _rank([float(kept[part]) for part in parts], prefer=parts.index(choice))
        return [
            (float(kept[part]), {"keep": dice.keeps[part], "improve": float(improve[part])})
            for part in (parts[i] for i in order)
        ]

    def _choose_keep(self, turn: _Turn, keep: int, rolls_left: int) -> int:
        """The keep that optimal play with the tie rule chooses."""
        dice, kept, reach = self._dice, turn.kept[rolls_left], turn.reach[rolls_left]
        best = reach[keep] - TIE
        while kept[keep] < best:
            parts = dice.fewer[dice.fewer_start[keep] : dice.fewer_start[keep + 1]]
            keep = next(int(part) for part in parts if reach[part] >= best)
        return keep

    def _parts(self, keep: int) -> list[int]:
        """Every distinct part of a keep, itself first, larger ones before smaller ones."""
        dice = self._dice
        found = [keep]
        for part in found:
            for smaller in dice.fewer[dice.fewer_start[part] : dice.fewer_start[part + 1]]:
                if smaller not in found:
                    found.append(int(smaller))
        return found

    def _rank_boxes(self, turn: _Turn, sheet: Sheet, roll: Roll) -> list[_Ranked]:
        masks = self._masks(self._policy.position(sheet))
        row = int(self._rows(masks)[self._dice.index[roll] - self._dice.first_roll])
        placements = sheet.placements(roll)
        outcomes = [int(self._space.plan.outcome_of[row, self.game.box_index[place.box]]) for place in placements]
        worth = [float(turn.outcomes[place.column, o]) for place, o in zip(placements, outcomes, strict=True)]
        on_sheet = sheet.total
        order = sorted(range(len(placements)), key=lambda i: self.game.box_index[placements[i].box])
        ranked: list[_Ranked] = []
        for i in (order[k] for k in _rank([worth[i] for i in order], prefer=None)):
            place = placements[i]
            bonus = sheet.after(place).total - on_sheet - place.points * self.game.columns[place.column]
            box = f"{place.column + 1}:{place.box}" if len(sheet.columns) > 1 else place.box
            ranked.append((worth[i], {"box": box, "points": place.points, "bonus": bonus}))
        return ranked


def _few(space: Space, position: Sequence[int]) -> bool:
    """Whether so few boxes are open that it is worth counting what can follow."""
    masks = np.searchsorted(space.plan.offset, position, side="right") - 1
    return int((space.plan.boxes - np.bitwise_count(masks)).sum()) <= MAX_ENDGAME_BOXES


def read_question(game: Game, sheet: Sheet | str, dice: Sequence[int] | str, rolls_left: int) -> tuple[Sheet, Roll]:
    """The sheet and the roll of a question, refused if there is nothing to decide or it cannot be."""
    sheet = _read_sheet(game, sheet)
    roll = make_dice(game.dice, game.faces).parse(dice if isinstance(dice, str) else ",".join(map(str, dice)))
    if rolls_left not in range(game.rolls):
        raise InputError(f"rolls left is {rolls_left}: from 0 to {game.rolls - 1} are allowed.")
    if sheet.is_full:
        raise InputError("the sheet is full: there is nothing left to decide.")
    return sheet, roll


def _read_sheet(game: Game, sheet: Sheet | str) -> Sheet:
    if isinstance(sheet, str):
        return Sheet.parse(game, sheet)
    if sheet.game is not game and sheet.game != game:
        raise InputError(f"the sheet is one of {sheet.game.name}, the question is about {game.name}.")
    return sheet


def _rank(values: list[float], *, prefer: int | None) -> list[int]:
    """Positions by falling value; equal ones in the order given, but `prefer` leads among its equals."""
    order = sorted(range(len(values)), key=lambda i: -values[i])
    ranked: list[int] = []
    while order:
        best = values[order[0]]
        equal = [i for i in order if values[i] >= best - TIE]
        ranked += sorted(equal, key=lambda i: (i != prefer, i))
        order = order[len(equal) :]
    return ranked


def _padded(dice: Dice) -> npt.NDArray[np.int32]:
    """`fewer` as a rectangle, filled up with the first entry of each row."""
    widths = np.diff(dice.fewer_start)
    columns = np.minimum(np.arange(dice.faces), np.maximum(widths - 1, 0)[:, None])
    flat = np.minimum(dice.fewer_start[:-1, None] + columns, len(dice.fewer) - 1)
    padded: npt.NDArray[np.int32] = dice.fewer[flat]
    return padded
