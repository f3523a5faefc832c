"""The best decision in any position, with every alternative beside it.

One turn is evaluated for one state with the two walks over keeps (see `solver._kernels`), here in numpy, so that
asking needs no compiler.

Ties: two options closer than 1e-9 are equally good. Among equal boxes the first on the sheet is chosen. Among
equal keeps, dice are put back one at a time from the roll until a best keep is reached, each time the lowest die
that still leaves a best keep; so keeping more dice is preferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.catalog import find_game
from solver.dice import Dice, Roll, make_dice
from solver.errors import InputError
from solver.rules import Game
from solver.sheet import Sheet
from solver.solve import Progress, Solution
from solver.space import TIE, Space, compile_space
from solver.tables import TableStore

Floats = npt.NDArray[np.float64]

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
    """Values within a turn: `held[n]` of every roll and `kept[n]` of every keep with n rolls left, and `reach[n]`,
    the best that some part of a keep is worth."""

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

    def __init__(self, solution: Solution) -> None:
        if solution.theta:
            raise InputError(f"advice is for the highest mean: this solution has the theta {solution.theta:g}, not 0.")
        self.solution = solution
        self.game = solution.game
        self._space: Space = compile_space(self.game)
        self._dice: Dice = self._space.dice
        self._fewer = _padded(self._dice)
        self._turn = lru_cache(maxsize=256)(self._evaluate)

    @classmethod
    def load(cls, variant: str, *, tables: Path | None = None, progress: Progress | None = None) -> Advisor:
        """The advisor for a variant or a rules file; solves the game first if there is no table yet."""
        return cls(TableStore(tables).solve(find_game(variant), progress=progress))

    def expect(self, sheet: Sheet | str = "") -> float:
        """Expected points from here to the end, before the turn's first roll."""
        state = self._state(_read_sheet(self.game, sheet))
        return float(self.solution.values[self._space.index(*state)]) - self._earned(state[2])

    def advise(self, sheet: Sheet | str, dice: Sequence[int] | str, *, rolls_left: int) -> Advice:
        """Rank every distinct keep, or every box if no rolls are left."""
        sheet, roll = read_question(self.game, sheet, dice, rolls_left)
        state = self._state(sheet)
        turn = self._turn(*state)
        ranked = self._rank_keeps(turn, roll, rolls_left) if rolls_left else self._rank_boxes(turn, sheet, roll)
        on_sheet, earned = sheet.total, self._earned(state[2])
        best = max(worth for worth, _ in ranked)
        options = tuple(
            Option(value=worth - earned, total=on_sheet + worth - earned, loss=best - worth, **choice)
            for worth, choice in ranked
        )
        value = best - earned
        return Advice(self.game, sheet, roll, rolls_left, value, on_sheet + value, options, self.solution.method)

    def _state(self, sheet: Sheet) -> tuple[int, int, int]:
        """Mask, word and number total of a sheet, as `Space.index` takes them."""
        return self._space.describe(sheet.columns[0])

    def _earned(self, number_total: int) -> int:
        """The number bonus, once reached: it is on the sheet, but part of every stored value."""
        bonus = self.game.number_bonus
        reached = bonus is not None and number_total >= bonus.threshold
        return bonus.points * self.game.columns[0] if bonus and reached else 0

    def _evaluate(self, mask: int, word: int, number_total: int) -> _Turn:
        plan, dice = self._space.plan, self._dice
        outcomes = self._outcome_values(mask, word, number_total)
        open_boxes = [box for box in range(plan.boxes) if not mask >> box & 1]
        reachable = plan.outcome_of[self._rows(mask)][:, open_boxes]
        held = [np.where(reachable >= 0, outcomes[reachable], -np.inf).max(axis=1)]
        kept, reach = [np.empty(0)], [np.empty(0)]
        levels = list(zip(dice.level_start[:-1], dice.level_start[1:], strict=True))
        for _ in range(plan.rolls - 1):
            expected = self._expect_keeps(held[-1])
            best = expected.copy()
            for start, end in levels[1:]:
                best[start:end] = np.maximum(best[start:end], best[self._fewer[start:end]].max(axis=1))
            kept.append(expected)
            reach.append(best)
            held.append(best[dice.first_roll :])
        return _Turn(outcomes, held, kept, reach)

    def _expect_keeps(self, by_roll: Floats) -> Floats:
        """The mean of a function of rolls, for every keep."""
        dice = self._dice
        expected = np.empty(len(dice.keeps))
        expected[dice.first_roll :] = by_roll
        for size in range(dice.dice - 1, -1, -1):
            start, end = dice.level_start[size], dice.level_start[size + 1]
            expected[start:end] = expected[dice.more[start:end]].mean(axis=1)
        return expected

    def _outcome_values(self, mask: int, word: int, number_total: int) -> Floats:
        """Points now and to come of every outcome in an open box, NaN for the others."""
        plan = self._space.plan
        later = np.full(len(plan.successor_box), np.nan)
        for successor, box in enumerate(plan.successor_box):
            if not mask >> int(box) & 1:
                later[successor] = self._after(mask, word, number_total, successor)
        repeats = plan.outcome_repeat * bool(word & plan.wild_bit)
        outcomes: Floats = later[plan.outcome_successor] + plan.outcome_points + repeats
        return outcomes

    def _after(self, mask: int, word: int, number_total: int, successor: int) -> float:
        """The value after a successor, with what a completed set pays."""
        plan = self._space.plan
        bit = 1 << int(plan.successor_box[successor])
        scored = bool(plan.successor_scored[successor])
        after = mask | bit
        paid = 0.0
        for s, set_mask in enumerate(map(int, plan.set_mask)):
            if set_mask & bit:
                if not scored:
                    word &= ~(1 << s)
                if after & set_mask == set_mask and word >> s & 1:
                    paid = float(plan.set_points[s])
        if bit == plan.wild_mask and scored:
            word |= plan.wild_bit
        total = number_total + int(plan.successor_shift[successor])
        return float(self.solution.values[self._space.index(after, word, total)]) + paid

    def _rows(self, mask: int) -> npt.NDArray[np.int64]:
        """For each roll its row of `outcome_of`."""
        rows = np.arange(len(self._space.plan.chance))
        rows[self._space.plan.kind_roll] = self._space.plan.kind_row[mask]
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
        mask = self._state(sheet)[0]
        row = int(self._rows(mask)[self._dice.index[roll] - self._dice.first_roll])
        placements = sheet.placements(roll)
        outcomes = [int(self._space.plan.outcome_of[row, self.game.box_index[place.box]]) for place in placements]
        worth = [float(turn.outcomes[outcome]) for outcome in outcomes]
        on_sheet = sheet.total
        ranked: list[_Ranked] = []
        for i in _rank(worth, prefer=None):
            place = placements[i]
            bonus = sheet.after(place).total - on_sheet - place.points * self.game.columns[0]
            ranked.append((worth[i], {"box": place.box, "points": place.points, "bonus": bonus}))
        return ranked


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
