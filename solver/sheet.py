"""A scoresheet in the middle of a game: what is filled, what a roll would score, what it adds up to.

This is the plain, readable side of the rules, for any number of columns. The solver uses its own compiled
form; both take the points of a roll from `solver.scoring`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from solver.dice import Roll, make_dice
from solver.errors import InputError, unknown
from solver.rules import Box, Game
from solver.scoring import Outcome, Regime, outcome

Column = tuple[int | None, ...]

_WORD = re.compile(r"(?:([0-9]{1,6}):)?([a-z0-9-]+)=([0-9]{1,6})")


@dataclass(frozen=True)
class Placement:
    """A roll in an open box: `points` as written, `bonus` for a repeat, `gain` for all of it multiplied."""

    column: int
    box: str
    points: int
    bonus: int
    gain: int


@dataclass(frozen=True)
class Sheet:
    """An immutable sheet. `columns[c][b]` holds the points of a box before the multiplier, or None if open."""

    game: Game
    columns: tuple[Column, ...]
    repeat_bonus: int = 0

    @classmethod
    def empty(cls, game: Game) -> Sheet:
        return cls(game, ((None,) * len(game.boxes),) * len(game.columns))

    @classmethod
    def parse(cls, game: Game, text: str) -> Sheet:
        """Read `"ones=3 full-house=25 bonus=100"`; `"2:ones=3"` names the column where there are several."""
        columns: list[list[int | None]] = [[None] * len(game.boxes) for _ in game.columns]
        repeat_bonus: int | None = None
        for word in re.split(r"[\s,]+", text.strip()):
            if not word:
                continue
            match = _WORD.fullmatch(word)
            if match is None:
                raise InputError(f"sheet: '{word}' is not of the form box=points, as in ones=3.")
            prefix, name, points = match[1], match[2], int(match[3])
            if name == "bonus":
                if prefix is not None or repeat_bonus is not None:
                    raise InputError(f"sheet: '{word}': bonus is given once, without a column.")
                repeat_bonus = points
                continue
            column = _column(game, word, prefix)
            if name not in game.box_index:
                raise InputError(f"sheet: {unknown('box', name, game.box_index)}")
            if columns[column][game.box_index[name]] is not None:
                raise InputError(f"sheet: box '{word.split('=')[0]}' is given twice.")
            columns[column][game.box_index[name]] = points
        sheet = cls(game, tuple(tuple(column) for column in columns), repeat_bonus or 0)
        sheet._check_points()
        sheet._check_repeat_bonus()
        return sheet

    def __str__(self) -> str:
        words = [f"{self._label(c, b)}={points}" for c, b, points in self._filled()]
        return " ".join(words + [f"bonus={self.repeat_bonus}"] * bool(self.repeat_bonus))

    @property
    def is_full(self) -> bool:
        return self.turn == self.game.turns

    @property
    def turn(self) -> int:
        """How many boxes are filled."""
        return sum(1 for _ in self._filled())

    def is_open(self, box: int) -> bool:
        """Whether a box is open in any column."""
        return any(column[box] is None for column in self.columns)

    def number_total(self, column: int) -> int:
        """Points in the number boxes of a column, without multiplier and bonuses."""
        scores = zip(self.game.boxes, self.columns[column], strict=True)
        return sum(points or 0 for box, points in scores if box.number is not None)

    def bonuses(self, column: int) -> int:
        """Number and set bonuses a column has earned, before the multiplier."""
        game, scores = self.game, self.columns[column]
        earned = 0
        if game.number_bonus is not None and self.number_total(column) >= game.number_bonus.threshold:
            earned += game.number_bonus.points
        for bonus in game.set_bonuses:
            if all(scores[game.box_index[name]] for name in bonus.boxes):
                earned += bonus.points
        return earned

    def column_total(self, column: int) -> int:
        """All points of a column with its bonuses and its multiplier, without repeat bonuses."""
        points = sum(score or 0 for score in self.columns[column])
        return self.game.columns[column] * (points + self.bonuses(column))

    @property
    def total(self) -> int:
        """What the sheet is worth now."""
        return sum(self.column_total(column) for column in range(len(self.columns))) + self.repeat_bonus

    def regime(self, roll: Roll) -> Regime:
        """How the filled boxes allow this roll to be placed."""
        game = self.game
        if game.wild is None or len(set(roll)) > 1 or self.is_open(game.box_index[game.wild.box]):
            return Regime.ORDINARY
        if any(box.number == roll[0] and self.is_open(index) for index, box in enumerate(game.boxes)):
            return Regime.NUMBER_OPEN
        if any(box.number is None and self.is_open(index) for index, box in enumerate(game.boxes)):
            return Regime.JOKER
        return Regime.NUMBERS_ONLY

    def placements(self, roll: Roll) -> list[Placement]:
        """Everywhere the rules let this roll go, in the order of the sheet."""
        self._require_roll(roll)
        counts = make_dice(self.game.dice, self.game.faces).counts(roll)
        regime = self.regime(roll)
        found = []
        for c, column in enumerate(self.columns):
            for box, points in zip(self.game.boxes, column, strict=True):
                scored = outcome(self.game, box, counts, regime) if points is None else None
                if scored is not None:
                    found.append(self._placement(c, box.name, scored))
        return found

    def place(self, roll: Roll, box: str, *, column: int = 0) -> Sheet:
        """The sheet after the roll went to a box."""
        placements = self.placements(roll)
        for placement in placements:
            if (placement.column, placement.box) == (column, box):
                return self.after(placement)
        allowed = ", ".join(self._label(place.column, self.game.box_index[place.box]) for place in placements)
        where = f"{column + 1}:{box}" if column or len(self.columns) > 1 else box
        raise InputError(
            f"the roll cannot be placed in '{where}': allowed are {allowed or 'no boxes, all are filled'}."
        )

    def after(self, placement: Placement) -> Sheet:
        """The sheet after one of its own placements."""
        column = placement.column
        scores = list(self.columns[column])
        scores[self.game.box_index[placement.box]] = placement.points
        columns = (*self.columns[:column], tuple(scores), *self.columns[column + 1 :])
        repeat_bonus = self.repeat_bonus + placement.bonus * self.game.columns[column]
        return replace(self, columns=columns, repeat_bonus=repeat_bonus)

    def _require_roll(self, roll: Roll) -> None:
        game = self.game
        if len(roll) != game.dice or any(face not in range(1, game.faces + 1) for face in roll):
            shown = "-".join(map(str, roll)) or "nothing"
            raise InputError(f"roll {shown}: {game.dice} dice showing 1 to {game.faces} are needed.")

    def _placement(self, column: int, box: str, scored: Outcome) -> Placement:
        wild = self.game.wild
        bonus = wild.repeat_bonus if wild and scored.repeat and self._wild_scored() else 0
        gain = self.game.columns[column] * (scored.points + bonus)
        return Placement(column, box, scored.points, bonus, gain)

    def _wild_scored(self) -> bool:
        """Whether every wild box holds more than zero points."""
        assert self.game.wild is not None
        index = self.game.box_index[self.game.wild.box]
        return all(column[index] for column in self.columns)

    def _filled(self) -> Iterator[tuple[int, int, int]]:
        for c, column in enumerate(self.columns):
            for b, points in enumerate(column):
                if points is not None:
                    yield c, b, points

    def _label(self, column: int, box: int) -> str:
        name = self.game.boxes[box].name
        return f"{column + 1}:{name}" if len(self.columns) > 1 else name

    def _check_points(self) -> None:
        """A filled box holds what an ordinary roll scores, or a joker if the sheet allows for one."""
        game = self.game
        for c, b, points in self._filled():
            ordinary = _ordinary_points(game.boxes[b], game.dice, game.faces)
            if points in ordinary:
                continue
            jokers = {scored for face in range(1, game.faces + 1) for scored in self._kind_points(b, face)}
            if points not in jokers:
                allowed = _ranges(ordinary | jokers)
                raise InputError(f"sheet: {self._label(c, b)}={points} cannot be: allowed are {allowed}.")

    def _kind_points(self, b: int, face: int) -> set[int]:
        """What a box can hold from all dice showing `face` after every wild box was filled."""
        game, box = self.game, self.game.boxes[b]
        if game.wild is None or box.name == game.wild.box or self.is_open(game.box_index[game.wild.box]):
            return set()
        counts = [game.dice if other == face else 0 for other in range(1, game.faces + 1)]
        latest = self.regime((face,) * game.dice)
        scored = [outcome(game, box, counts, regime) for regime in Regime if Regime.ORDINARY < regime <= latest]
        return {found.points for found in scored if found is not None}

    def _check_repeat_bonus(self) -> None:
        bonus, wild = self.repeat_bonus, self.game.wild
        if not bonus:
            return
        if wild is None or not wild.repeat_bonus:
            raise InputError(f"sheet: bonus={bonus}: this game has no repeat bonus.")
        if bonus % wild.repeat_bonus:
            raise InputError(f"sheet: bonus={bonus}: a multiple of {wild.repeat_bonus} is needed.")
        if not self._wild_scored():
            raise InputError(f"sheet: bonus={bonus} needs points in the {wild.box} box, which holds none.")
        possible = {0}
        for c, b, points in self._filled():
            if self._may_hold_repeat(b, points):
                possible |= {earned + wild.repeat_bonus * self.game.columns[c] for earned in possible}
        if bonus not in possible:
            allowed = ", ".join(map(str, sorted(possible)))
            raise InputError(f"sheet: bonus={bonus} cannot be: the filled boxes allow for {allowed}.")

    def _may_hold_repeat(self, b: int, points: int) -> bool:
        wild = self.game.wild
        assert wild is not None
        paid = points > 0 or not wild.repeat_needs_points
        return paid and any(points in self._kind_points(b, face) for face in range(1, self.game.faces + 1))


@cache
def _ordinary_points(box: Box, dice: int, faces: int) -> frozenset[int]:
    """What rolls score in a box without a joker."""
    rolls = make_dice(dice, faces)
    return frozenset(box.score(rolls.counts(roll)) for roll in rolls.rolls)


def _column(game: Game, word: str, prefix: str | None) -> int:
    several = len(game.columns) > 1
    if prefix is None and several:
        raise InputError(f"sheet: '{word}' needs its column in front, as in 1:{word}.")
    column = int(prefix or 1)
    if not 1 <= column <= len(game.columns):
        allowed = f"columns 1 to {len(game.columns)}" if several else "one column"
        raise InputError(f"sheet: '{word}': the sheet has {allowed}.")
    return column - 1


def _ranges(numbers: Iterable[int]) -> str:
    """`{0, 5, 6, 7}` as `0, 5 to 7`."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts)
