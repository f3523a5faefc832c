"""A second, plain form of the rules for several columns, on top of the oracle's boxes, and small games to use it on."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from tests.oracle import Dice, OracleGame, sub_keeps, throws
from tests.test_oracle import everything_game, number_bonus_game, wild_game

PaperSheet = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True)
class PaperPlacement:
    """A roll in an open box, and all the points that it brings now, the bonuses it completes included."""

    column: int
    box: int
    points: int
    gain: int


class Paper:
    """The rules of a sheet with several columns: a joker, or a repeat, needs the wild box of every column."""

    def __init__(self, oracle_game: OracleGame, columns: tuple[int, ...]) -> None:
        self.game, self.columns = oracle_game, columns
        self.names = list(oracle_game.boxes)
        self.empty: PaperSheet = ((None,) * len(self.names),) * len(columns)

    def placements(self, sheet: PaperSheet, dice: Dice) -> list[PaperPlacement]:
        """Everywhere the dice may go, box by box and within a box column by column."""
        game = self.game
        further, paid = False, False
        if game.wild is not None and len(set(dice)) == 1:
            wild = [column[self.names.index(game.wild)] for column in sheet]
            further = all(points is not None for points in wild)
            paid = all(points is not None and points > 0 for points in wild)
        open_boxes = [name for b, name in enumerate(self.names) if any(column[b] is None for column in sheet)]
        number_open = any(game.numbers.get(name) == dice[0] for name in open_boxes)
        others_open = any(name not in game.numbers for name in open_boxes)
        found = []
        for b, name in enumerate(self.names):
            if further and game.joker == "forced":
                if number_open and game.numbers.get(name) != dice[0]:
                    continue
                if not number_open and others_open and name in game.numbers:
                    continue
            joker = further and game.joker != "none" and not number_open and name in game.joker_points
            points = game.joker_points[name](dice) if joker else game.boxes[name](dice)
            bonus = game.repeat_bonus if paid and (points > 0 or not game.repeat_needs_points) else 0
            for c, times in enumerate(self.columns):
                if sheet[c][b] is None:
                    after = self.fill(sheet, c, b, points)[c]
                    earned = self.bonuses(after) - self.bonuses(sheet[c])
                    found.append(PaperPlacement(c, b, points, times * (points + bonus + earned)))
        return found

    def bonuses(self, column: tuple[int | None, ...]) -> int:
        """The number and set bonuses of a column, once."""
        written = dict(zip(self.names, column, strict=True))
        earned = 0
        if self.game.number_bonus is not None:
            threshold, points = self.game.number_bonus
            earned += points if sum(written[name] or 0 for name in self.game.numbers) >= threshold else 0
        for names, points in self.game.sets:
            earned += points if all((written[name] or 0) > 0 for name in names) else 0
        return earned

    @staticmethod
    def fill(sheet: PaperSheet, column: int, box: int, points: int) -> PaperSheet:
        filled = (*sheet[column][:box], points, *sheet[column][box + 1 :])
        return (*sheet[:column], filled, *sheet[column + 1 :])


SMALL_GAMES = {
    "number-bonus": number_bonus_game,
    "forced-joker": wild_game("forced", needs_points=False, rolls=2, repeat_bonus=10),
    "free-joker": wild_game("free", needs_points=True, rolls=3, repeat_bonus=7),
    "everything-forced": everything_game("forced", needs_points=True),
    "everything-free": everything_game("free", needs_points=False),
}


class PaperOracle:
    """Optimal play of a sheet with several columns, in fractions and on whole sheets."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.value = cache(self._value)

    def _value(self, sheet: PaperSheet) -> Fraction:
        """Mean points to come before a turn."""
        if all(points is not None for column in sheet for points in column):
            return Fraction(0)
        game = self.paper.game
        everything = throws(game.faces, game.dice)
        held = {}
        for roll in everything:
            options = self.paper.placements(sheet, roll)
            held[roll] = max(p.gain + self.value(self.paper.fill(sheet, p.column, p.box, p.points)) for p in options)
        for _ in range(game.rolls - 1):
            kept = {}
            for keep in {keep for roll in everything for keep in sub_keeps(roll)}:
                thrown = throws(game.faces, game.dice - len(keep))
                total = sum(ways * held[tuple(sorted(keep + more))] for more, ways in thrown.items())
                kept[keep] = Fraction(total, thrown.total())
            held = {roll: max(kept[keep] for keep in sub_keeps(roll)) for roll in everything}
        return Fraction(sum(ways * held[roll] for roll, ways in everything.items()), everything.total())
