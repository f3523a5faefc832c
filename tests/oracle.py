"""An independent oracle for small keep-and-score dice games: slow, exact, and written from the rule sheets.

It shares nothing with the production solver. A position is the sheet as it would be written on paper: the points
in every box and the repeat bonuses earned so far. Nothing is capped, merged or compressed. Keeps are all subsets
of the dice, re-rolls are all outcomes of the dice thrown again, every number is a `Fraction`.

Every mean is the expected FINAL SCORE, including everything already on the sheet. The points still to come are
that mean minus `written_total(sheet)`, which counts the bonuses the sheet has earned already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import lcm
from random import Random
from typing import Literal, NamedTuple

Dice = tuple[int, ...]
Joker = Literal["none", "free", "forced"]
Score = Callable[[Sequence[int]], int]


# The scoring spaces, in the words of the sheets.


def number(face: int) -> Score:
    """Count up the dice showing the number and add up only those."""
    return lambda dice: sum(die for die in dice if die == face)


def chance(dice: Sequence[int]) -> int:
    """Count up all the dice: the total is the score."""
    return sum(dice)


def fixed(points: int) -> Score:
    """What a joker scores in a box with a fixed score."""
    return lambda dice: points


def of_a_kind(count: int, points: int | None = None) -> Score:
    """At least that many of the same number: the total of all dice, or a fixed score."""

    def score(dice: Sequence[int]) -> int:
        if not any(dice.count(die) >= count for die in dice):
            return 0
        return sum(dice) if points is None else points

    return score


def split(*sizes: int, points: int | None = None) -> Score:
    """All dice fall into sets of these sizes, each of another number: a full house, or 3-2-1."""

    def score(dice: Sequence[int]) -> int:
        if sorted(Counter(dice).values()) != sorted(sizes):
            return 0
        return sum(dice) if points is None else points

    return score


def pairs_throughout(dice: Sequence[int]) -> int:
    """All dice can be separated into pairs, which need not differ: the total of all dice."""
    return sum(dice) if all(dice.count(die) % 2 == 0 for die in dice) else 0


def straight(length: int, points: int) -> Score:
    """At least one each of that many numbers in a row."""

    def score(dice: Sequence[int]) -> int:
        found = any(all(first + step in dice for step in range(length)) for first in dice)
        return points if found else 0

    return score


def containing(*faces: int, points: int | None = None) -> Score:
    """Each of these numbers is there: the total of all dice, or a fixed score."""

    def score(dice: Sequence[int]) -> int:
        if not all(face in dice for face in faces):
            return 0
        return sum(dice) if points is None else points

    return score


def best_pair(dice: Sequence[int]) -> int:
    """Scandinavian pair: the two dice of the highest pair, and no others."""
    return max((2 * die for die in dice if dice.count(die) >= 2), default=0)


def two_pairs(dice: Sequence[int]) -> int:
    """Scandinavian two pairs: the four dice of two pairs of different numbers, and no others."""
    paired = sorted({die for die in dice if dice.count(die) >= 2})
    return 2 * (paired[-1] + paired[-2]) if len(paired) >= 2 else 0


def best_triple(dice: Sequence[int]) -> int:
    """Scandinavian three of a kind: the three dice alike, and no others."""
    return max((3 * die for die in dice if dice.count(die) >= 3), default=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class OracleGame:
    """A small game. `boxes` are in sheet order and hold the number boxes too; `numbers` names their faces."""

    dice: int
    faces: int
    rolls: int
    boxes: dict[str, Score]
    numbers: dict[str, int] = field(default_factory=dict)
    number_bonus: tuple[int, int] | None = None
    sets: Sequence[tuple[tuple[str, ...], int]] = ()
    wild: str | None = None
    joker: Joker = "none"
    joker_points: dict[str, Score] = field(default_factory=dict)
    repeat_bonus: int = 0
    repeat_needs_points: bool = True


class OracleSheet(NamedTuple):
    """The points in every box in sheet order, None where open, and the repeat bonuses earned."""

    points: tuple[int | None, ...]
    repeat: int = 0


class Placed(NamedTuple):
    """What a roll scores in a box, and the repeat bonus that comes with it."""

    points: int
    bonus: int


class Moments(NamedTuple):
    """Expectation of the final score and of its square, when the rest is played by the policy."""

    mean: Fraction
    square: Fraction

    @property
    def variance(self) -> Fraction:
        return self.square - self.mean**2


def weighted_mean(weights: Sequence[int], values: Sequence[Fraction]) -> Fraction:
    """The exact mean, added up over one common denominator."""
    common = lcm(*(value.denominator for value in values))
    pairs = zip(weights, values, strict=True)
    total = sum(weight * value.numerator * (common // value.denominator) for weight, value in pairs)
    return Fraction(total, common * sum(weights))


@cache
def throws(faces: int, count: int) -> Counter[Dice]:
    """Every outcome of throwing so many dice, sorted, with the number of ways it comes up."""
    return Counter(tuple(sorted(dice)) for dice in product(range(1, faces + 1), repeat=count))


@cache
def sub_keeps(dice: Dice) -> frozenset[Dice]:
    """Every distinct part of sorted dice, from none to all of them."""
    return frozenset(part for size in range(len(dice) + 1) for part in combinations(dice, size))


def first_best(boxes: dict[str, Moments]) -> str:
    """The tie rule for boxes: of equally good ones the first on the sheet."""
    best = max(moments.mean for moments in boxes.values())
    return next(name for name, moments in boxes.items() if moments.mean == best)


def least_put_back(keeps: dict[Dice, Moments], dice: Dice) -> Dice:
    """The tie rule for keeps: while the dice held are no best keep, put back the lowest one that can be spared."""
    best = max(moments.mean for moments in keeps.values())
    best_keeps = {keep for keep, moments in keeps.items() if moments.mean == best}
    held = dice
    while held not in best_keeps:
        shorter = (held[:place] + held[place + 1 :] for place in range(len(held)))
        held = next(rest for rest in shorter if sub_keeps(rest) & best_keeps)
    return held


class Oracle:
    """Optimal play of a game by plain memoised recursion."""

    def __init__(self, game: OracleGame) -> None:
        self.game = game
        self.names = list(game.boxes)
        self.empty = OracleSheet((None,) * len(self.names))
        self._sheets: dict[OracleSheet, Moments] = {}
        self._kept: dict[OracleSheet, dict[tuple[Dice, int], Moments]] = {}
        self._rolled: dict[OracleSheet, dict[tuple[Dice, int], Moments]] = {}

    # The rules.

    def open_boxes(self, sheet: OracleSheet) -> list[str]:
        return [name for name, points in zip(self.names, sheet.points, strict=True) if points is None]

    def written(self, sheet: OracleSheet, name: str) -> int | None:
        return sheet.points[self.names.index(name)]

    def written_total(self, sheet: OracleSheet) -> int:
        """The score of the sheet as it stands, with each bonus whose condition is met by now."""
        total = sum(points or 0 for points in sheet.points) + sheet.repeat
        if self.game.number_bonus is not None:
            threshold, bonus = self.game.number_bonus
            if sum(self.written(sheet, name) or 0 for name in self.game.numbers) >= threshold:
                total += bonus
        for names, bonus in self.game.sets:
            if all((self.written(sheet, name) or 0) > 0 for name in names):
                total += bonus
        return total

    def placements(self, sheet: OracleSheet, dice: Dice) -> dict[str, Placed]:
        """Where the rules let the dice go, in sheet order, and what they score there."""
        game = self.game
        allowed = self.open_boxes(sheet)
        wild_points = None if game.wild is None else self.written(sheet, game.wild)
        wild_scored = wild_points is not None and wild_points > 0
        further = len(set(dice)) == 1 and wild_points is not None
        number_open = any(game.numbers.get(name) == dice[0] for name in allowed)
        if further and game.joker == "forced":
            if number_open:
                allowed = [name for name in allowed if game.numbers.get(name) == dice[0]]
            else:
                allowed = [name for name in allowed if name not in game.numbers] or allowed
        joker = further and game.joker != "none" and not number_open
        placed = {}
        for name in allowed:
            score = game.joker_points.get(name, game.boxes[name]) if joker else game.boxes[name]
            points = score(dice)
            paid = further and wild_scored and (points > 0 or not game.repeat_needs_points)
            placed[name] = Placed(points, game.repeat_bonus if paid else 0)
        return placed

    def place(self, sheet: OracleSheet, name: str, placed: Placed) -> OracleSheet:
        points = list(sheet.points)
        points[self.names.index(name)] = placed.points
        return OracleSheet(tuple(points), sheet.repeat + placed.bonus)

    # Optimal play.

    def before_turn(self, sheet: OracleSheet) -> Moments:
        """The final score from a sheet with no dice thrown yet."""
        if sheet not in self._sheets:
            if self.open_boxes(sheet):
                self._sheets[sheet] = self._thrown(sheet, (), self.game.rolls - 1)
                for memory in (self._kept, self._rolled):
                    memory.pop(sheet, None)
            else:
                total = Fraction(self.written_total(sheet))
                self._sheets[sheet] = Moments(total, total**2)
        return self._sheets[sheet]

    def box_options(self, sheet: OracleSheet, dice: Dice) -> dict[str, Moments]:
        """The final score for each box the dice may go to."""
        placements = self.placements(sheet, dice)
        return {name: self.before_turn(self.place(sheet, name, placed)) for name, placed in placements.items()}

    def keep_options(self, sheet: OracleSheet, dice: Dice, rolls_left: int) -> dict[Dice, Moments]:
        """The final score for each distinct keep, the other dice thrown again; `rolls_left` counts that throw."""
        return {keep: self.kept(sheet, keep, rolls_left) for keep in sub_keeps(tuple(sorted(dice)))}

    def chosen_box(self, sheet: OracleSheet, dice: Dice) -> str:
        """The best box by the tie rule."""
        return first_best(self.box_options(sheet, dice))

    def chosen_keep(self, sheet: OracleSheet, dice: Dice, rolls_left: int) -> Dice:
        """The best keep by the tie rule."""
        return least_put_back(self.keep_options(sheet, dice, rolls_left), tuple(sorted(dice)))

    def rolled(self, sheet: OracleSheet, dice: Dice, rolls_left: int) -> Moments:
        """The final score with these dice on the table."""
        memory = self._rolled.setdefault(sheet, {})
        key = (tuple(sorted(dice)), rolls_left)
        if key not in memory:
            if rolls_left == 0:
                boxes = self.box_options(sheet, dice)
                memory[key] = boxes[first_best(boxes)]
            else:
                keeps = self.keep_options(sheet, dice, rolls_left)
                memory[key] = keeps[least_put_back(keeps, key[0])]
        return memory[key]

    def kept(self, sheet: OracleSheet, keep: Dice, rolls_left: int) -> Moments:
        """The final score with these dice kept and the others about to be thrown."""
        memory = self._kept.setdefault(sheet, {})
        key = (keep, rolls_left)
        if key not in memory:
            memory[key] = self._thrown(sheet, keep, rolls_left - 1)
        return memory[key]

    def _thrown(self, sheet: OracleSheet, keep: Dice, rolls_left: int) -> Moments:
        """Throw all dice but the kept ones, with `rolls_left` more throws after that."""
        outcomes = throws(self.game.faces, self.game.dice - len(keep))
        results = [self.rolled(sheet, keep + dice, rolls_left) for dice in outcomes]
        ways = list(outcomes.values())
        mean = weighted_mean(ways, [result.mean for result in results])
        return Moments(mean, weighted_mean(ways, [result.square for result in results]))

    # Positions to ask about.

    def random_sheet(self, random: Random) -> OracleSheet:
        """An unfinished sheet reached by random legal moves, with dice all alike more often than by chance."""
        sheet = self.empty
        for _ in range(random.randrange(len(self.names))):
            placements = self.placements(sheet, self.random_dice(random))
            name = random.choice(list(placements))
            sheet = self.place(sheet, name, placements[name])
        return sheet

    def random_dice(self, random: Random) -> Dice:
        """Dice in no particular order, every third time all alike."""
        if random.randrange(3) == 0:
            return (random.randint(1, self.game.faces),) * self.game.dice
        return tuple(random.randint(1, self.game.faces) for _ in range(self.game.dice))

    def sheet_text(self, sheet: OracleSheet) -> str:
        """The sheet as words, `ones=3 chance=7 bonus=100`."""
        filled = zip(self.names, sheet.points, strict=True)
        words = [f"{name}={points}" for name, points in filled if points is not None]
        return " ".join(words + ([f"bonus={sheet.repeat}"] if sheet.repeat else []))
