"""The production solver against the oracle: every value and choice of small games with all the features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import sqrt
from random import Random

import pytest

from solver import Advisor, Box, Game, NumberBonus, SetBonus, Sheet, Wild, solve_game
from tests.oracle import (
    Dice,
    Joker,
    Moments,
    Oracle,
    OracleGame,
    OracleSheet,
    Score,
    best_pair,
    best_triple,
    chance,
    containing,
    fixed,
    number,
    of_a_kind,
    pairs_throughout,
    split,
    straight,
    two_pairs,
)

POSITIONS = 150
NUMBER_NAMES = ("ones", "twos", "threes", "fours")

ONES, TWOS, THREES, FOURS = (Box(name=name, number=face) for face, name in enumerate(NUMBER_NAMES, start=1))
CHANCE = Box(name="chance")


def number_scores(*names: str) -> dict[str, Score]:
    """The number boxes of these names, for an oracle game."""
    return {name: number(NUMBER_NAMES.index(name) + 1) for name in names}


def number_faces(*names: str) -> dict[str, int]:
    return {name: NUMBER_NAMES.index(name) + 1 for name in names}


def number_bonus_game() -> tuple[OracleGame, Game]:
    """Two dice, three rolls, a number bonus that takes care to reach."""
    oracle = OracleGame(
        dice=2,
        faces=3,
        rolls=3,
        boxes={**number_scores("ones", "twos", "threes"), "chance": chance},
        numbers=number_faces("ones", "twos", "threes"),
        number_bonus=(9, 10),
    )
    game = Game(
        name="number-bonus",
        title="Number bonus",
        dice=2,
        faces=3,
        rolls=3,
        boxes=(ONES, TWOS, THREES, CHANCE),
        number_bonus=NumberBonus(threshold=9, points=10),
    )
    return oracle, game


def set_bonus_game() -> tuple[OracleGame, Game]:
    """Three dice, a set bonus over three boxes, one box outside the set."""
    oracle = OracleGame(
        dice=3,
        faces=3,
        rolls=3,
        boxes={
            "pair": of_a_kind(2),
            "triple": of_a_kind(3, 12),
            "chance": chance,
            "straight": straight(3, 9),
            "twos": number(2),
        },
        numbers={"twos": 2},
        sets=[(("pair", "triple", "straight"), 15)],
    )
    game = Game(
        name="set-bonus",
        title="Set bonus",
        dice=3,
        faces=3,
        rolls=3,
        boxes=(
            Box(name="pair", groups=(2,)),
            Box(name="triple", groups=(3,), points=12),
            CHANCE,
            Box(name="straight", run=3, points=9),
            TWOS,
        ),
        set_bonuses=(SetBonus(name="all-three", boxes=("pair", "triple", "straight"), points=15),),
    )
    return oracle, game


def straights_game() -> tuple[OracleGame, Game]:
    """Three four-sided dice, straights of two lengths in one set, numbers that must be there, one roll to repeat."""
    oracle = OracleGame(
        dice=3,
        faces=4,
        rolls=2,
        boxes={
            "low-straight": straight(2, 5),
            "high-straight": straight(3, 8),
            "edges": containing(1, 4),
            "house": split(2, 1, points=6),
            "chance": chance,
        },
        sets=[(("low-straight", "high-straight"), 7)],
    )
    game = Game(
        name="straights",
        title="Straights",
        dice=3,
        faces=4,
        rolls=2,
        boxes=(
            Box(name="low-straight", run=2, points=5),
            Box(name="high-straight", run=3, points=8),
            Box(name="edges", includes=(1, 4)),
            Box(name="house", groups=(2, 1), points=6),
            CHANCE,
        ),
        set_bonuses=(SetBonus(name="straights", boxes=("low-straight", "high-straight"), points=7),),
    )
    return oracle, game


def matched_game() -> tuple[OracleGame, Game]:
    """Four dice, Scandinavian boxes in which only the matching dice count, and a number bonus."""
    oracle = OracleGame(
        dice=4,
        faces=3,
        rolls=2,
        boxes={
            "threes": number(3),
            "ones": number(1),
            "pair": best_pair,
            "two-pairs": two_pairs,
            "three-alike": best_triple,
        },
        numbers=number_faces("ones", "threes"),
        number_bonus=(10, 8),
    )
    game = Game(
        name="matched",
        title="Matched",
        dice=4,
        faces=3,
        rolls=2,
        boxes=(
            THREES,
            ONES,
            Box(name="pair", groups=(2,), points="matched"),
            Box(name="two-pairs", groups=(2, 2), points="matched"),
            Box(name="three-alike", groups=(3,), points="matched"),
        ),
        number_bonus=NumberBonus(threshold=10, points=8),
    )
    return oracle, game


def wild_game(
    joker: Joker, *, needs_points: bool, rolls: int = 3, repeat_bonus: int = 100
) -> Callable[[], tuple[OracleGame, Game]]:
    """Two dice, three number boxes with a bonus, doubles, and two boxes that take a joker."""

    def build() -> tuple[OracleGame, Game]:
        oracle = OracleGame(
            dice=2,
            faces=3,
            rolls=rolls,
            boxes={
                **number_scores("ones", "twos", "threes"),
                "doubles": of_a_kind(2, 5),
                "straight": straight(2, 4),
                "different": split(1, 1),
            },
            numbers=number_faces("ones", "twos", "threes"),
            number_bonus=(8, 6),
            wild="doubles",
            joker=joker,
            joker_points={"straight": fixed(4), "different": chance},
            repeat_bonus=repeat_bonus,
            repeat_needs_points=needs_points,
        )
        game = Game(
            name="wild",
            title="Wild",
            dice=2,
            faces=3,
            rolls=rolls,
            boxes=(
                ONES,
                TWOS,
                THREES,
                Box(name="doubles", groups=(2,), points=5),
                Box(name="straight", run=2, points=4, joker=True),
                Box(name="different", groups=(1, 1), joker=True),
            ),
            number_bonus=NumberBonus(threshold=8, points=6),
            wild=Wild(box="doubles", joker=joker, repeat_bonus=repeat_bonus, repeat_needs_points=needs_points),
        )
        return oracle, game

    return build


def missing_numbers_game(joker: Joker, *, needs_points: bool) -> Callable[[], tuple[OracleGame, Game]]:
    """Three dice, the wild box first, a box for one number only: other numbers have none to be filled first."""

    def build() -> tuple[OracleGame, Game]:
        oracle = OracleGame(
            dice=3,
            faces=3,
            rolls=2,
            boxes={
                "triple": of_a_kind(3, 10),
                "house": split(2, 1, points=7),
                "threes": number(3),
                "straight": straight(3, 8),
            },
            numbers=number_faces("threes"),
            sets=[(("house", "straight"), 9)],
            wild="triple",
            joker=joker,
            joker_points={"house": fixed(7), "straight": fixed(8)},
            repeat_bonus=20,
            repeat_needs_points=needs_points,
        )
        game = Game(
            name="missing-numbers",
            title="Missing numbers",
            dice=3,
            faces=3,
            rolls=2,
            boxes=(
                Box(name="triple", groups=(3,), points=10),
                Box(name="house", groups=(2, 1), points=7, joker=True),
                THREES,
                Box(name="straight", run=3, points=8, joker=True),
            ),
            set_bonuses=(SetBonus(name="both", boxes=("house", "straight"), points=9),),
            wild=Wild(box="triple", joker=joker, repeat_bonus=20, repeat_needs_points=needs_points),
        )
        return oracle, game

    return build


def everything_game(joker: Joker, *, needs_points: bool) -> Callable[[], tuple[OracleGame, Game]]:
    """Two dice, boxes in no tidy order, a number bonus, two set bonuses and a wild box together."""

    def build() -> tuple[OracleGame, Game]:
        oracle = OracleGame(
            dice=2,
            faces=3,
            rolls=2,
            boxes={
                "threes": number(3),
                "straight": straight(2, 4),
                "doubles": of_a_kind(2, 6),
                "has-one": containing(1, points=3),
                "ones": number(1),
                "different": split(1, 1),
                "outer": containing(1, 3, points=5),
            },
            numbers=number_faces("threes", "ones"),
            number_bonus=(7, 5),
            sets=[(("straight", "has-one"), 4), (("different", "outer"), 6)],
            wild="doubles",
            joker=joker,
            joker_points={"straight": fixed(4), "different": chance, "outer": fixed(5)},
            repeat_bonus=10,
            repeat_needs_points=needs_points,
        )
        game = Game(
            name="everything",
            title="Everything",
            dice=2,
            faces=3,
            rolls=2,
            boxes=(
                THREES,
                Box(name="straight", run=2, points=4, joker=True),
                Box(name="doubles", groups=(2,), points=6),
                Box(name="has-one", includes=(1,), points=3),
                ONES,
                Box(name="different", groups=(1, 1), joker=True),
                Box(name="outer", includes=(1, 3), points=5, joker=True),
            ),
            number_bonus=NumberBonus(threshold=7, points=5),
            set_bonuses=(
                SetBonus(name="first", boxes=("straight", "has-one"), points=4),
                SetBonus(name="second", boxes=("different", "outer"), points=6),
            ),
            wild=Wild(box="doubles", joker=joker, repeat_bonus=10, repeat_needs_points=needs_points),
        )
        return oracle, game

    return build


def four_dice_game() -> tuple[OracleGame, Game]:
    """Four dice, Sixzee's pairs that need not differ, a kinds bonus, and a joker worth the dice."""
    oracle = OracleGame(
        dice=4,
        faces=3,
        rolls=2,
        boxes={
            "twos": number(2),
            "three-alike": of_a_kind(3, 9),
            "pairs": pairs_throughout,
            "four-alike": of_a_kind(4, 30),
            "house": split(2, 1, 1, points=8),
        },
        numbers=number_faces("twos"),
        number_bonus=(6, 5),
        sets=[(("three-alike", "pairs", "house"), 12)],
        wild="four-alike",
        joker="free",
        joker_points={"pairs": chance, "house": fixed(8)},
        repeat_bonus=100,
        repeat_needs_points=True,
    )
    game = Game(
        name="four-dice",
        title="Four dice",
        dice=4,
        faces=3,
        rolls=2,
        boxes=(
            TWOS,
            Box(name="three-alike", groups=(3,), points=9),
            Box(name="pairs", groups=(2, 2), distinct=False, joker=True),
            Box(name="four-alike", groups=(4,), points=30),
            Box(name="house", groups=(2, 1, 1), points=8, joker=True),
        ),
        number_bonus=NumberBonus(threshold=6, points=5),
        set_bonuses=(SetBonus(name="kinds", boxes=("three-alike", "pairs", "house"), points=12),),
        wild=Wild(box="four-alike", joker="free", repeat_bonus=100, repeat_needs_points=True),
    )
    return oracle, game


def one_die_game() -> tuple[OracleGame, Game]:
    """One die, which is always all alike: every roll after the wild box is a further one."""
    oracle = OracleGame(
        dice=1,
        faces=4,
        rolls=2,
        boxes={**number_scores("fours", "twos", "ones"), "any": of_a_kind(1, 2), "four": containing(4, points=6)},
        numbers=number_faces("fours", "twos", "ones"),
        number_bonus=(6, 3),
        wild="any",
        joker="forced",
        joker_points={"four": fixed(6)},
        repeat_bonus=1,
        repeat_needs_points=False,
    )
    game = Game(
        name="one-die",
        title="One die",
        dice=1,
        faces=4,
        rolls=2,
        boxes=(
            FOURS,
            TWOS,
            ONES,
            Box(name="any", groups=(1,), points=2),
            Box(name="four", includes=(4,), points=6, joker=True),
        ),
        number_bonus=NumberBonus(threshold=6, points=3),
        wild=Wild(box="any", joker="forced", repeat_bonus=1, repeat_needs_points=False),
    )
    return oracle, game


def one_roll_game() -> tuple[OracleGame, Game]:
    """No dice to keep: one roll a turn, six-sided dice, all the skill in the boxes."""
    oracle = OracleGame(
        dice=2,
        faces=6,
        rolls=1,
        boxes={"chance": chance, "pair": of_a_kind(2), "fours": number(4), "straight": straight(2, 10)},
        numbers=number_faces("fours"),
        number_bonus=(4, 5),
        sets=[(("pair", "straight"), 20)],
    )
    game = Game(
        name="one-roll",
        title="One roll",
        dice=2,
        faces=6,
        rolls=1,
        boxes=(CHANCE, Box(name="pair", groups=(2,)), FOURS, Box(name="straight", run=2, points=10)),
        number_bonus=NumberBonus(threshold=4, points=5),
        set_bonuses=(SetBonus(name="both", boxes=("pair", "straight"), points=20),),
    )
    return oracle, game


def tied_boxes_game() -> tuple[OracleGame, Game]:
    """Boxes worth the same on average that differ in spread: which one gets the zero shows in the deviation."""
    oracle = OracleGame(
        dice=2,
        faces=3,
        rolls=1,
        boxes={"outer": containing(1, 3, points=9), "chance": chance, "doubles": of_a_kind(2, 6), "again": chance},
    )
    game = Game(
        name="tied-boxes",
        title="Tied boxes",
        dice=2,
        faces=3,
        rolls=1,
        boxes=(
            Box(name="outer", includes=(1, 3), points=9),
            CHANCE,
            Box(name="doubles", groups=(2,), points=6),
            Box(name="again"),
        ),
    )
    return oracle, game


GAMES: dict[str, Callable[[], tuple[OracleGame, Game]]] = {
    "number-bonus": number_bonus_game,
    "set-bonus": set_bonus_game,
    "straights": straights_game,
    "matched": matched_game,
    "free-joker-as-on-the-sheet": wild_game("free", needs_points=True),
    "free-joker-paid-anywhere": wild_game("free", needs_points=False, rolls=2, repeat_bonus=7),
    "forced-joker-paid-anywhere": wild_game("forced", needs_points=False),
    "forced-joker-needs-points": wild_game("forced", needs_points=True, rolls=2, repeat_bonus=7),
    "no-joker-with-repeat-bonus": wild_game("none", needs_points=True, rolls=2, repeat_bonus=7),
    "no-joker-paid-anywhere": wild_game("none", needs_points=False, rolls=2, repeat_bonus=7),
    "joker-without-repeat-bonus": wild_game("free", needs_points=True, rolls=2, repeat_bonus=0),
    "missing-numbers-free": missing_numbers_game("free", needs_points=True),
    "missing-numbers-forced": missing_numbers_game("forced", needs_points=False),
    "everything-free": everything_game("free", needs_points=True),
    "everything-forced": everything_game("forced", needs_points=False),
    "four-dice": four_dice_game,
    "one-die": one_die_game,
    "one-roll": one_roll_game,
    "tied-boxes": tied_boxes_game,
}


@dataclass(frozen=True)
class Position:
    """A sheet in the middle of a game, dice on the table, and rolls left."""

    sheet: OracleSheet
    dice: Dice
    rolls_left: int


class Case:
    """One game, solved by both sides."""

    def __init__(self, name: str) -> None:
        oracle_game, self.game = GAMES[name]()
        self.oracle = Oracle(oracle_game)
        self.final = self.oracle.before_turn(self.oracle.empty)
        self.solution = solve_game(self.game, threads=1)
        self.advisor = Advisor(self.solution)
        self.positions = self._random_positions(Random(name))

    def _random_positions(self, random: Random) -> list[Position]:
        oracle, rolls = self.oracle, self.oracle.game.rolls
        first = [Position(oracle.empty, oracle.random_dice(random), rolls_left) for rolls_left in range(rolls)]
        return first + [
            Position(oracle.random_sheet(random), oracle.random_dice(random), random.randrange(rolls))
            for _ in range(POSITIONS)
        ]

    def production_sheet(self, position: Position) -> Sheet:
        return Sheet.parse(self.game, self.oracle.sheet_text(position.sheet))

    def describe(self, position: Position) -> str:
        return f"'{self.oracle.sheet_text(position.sheet)}' dice {position.dice} rolls left {position.rolls_left}"

    def options(self, position: Position) -> dict[Dice | str, Moments]:
        """The options of the oracle: a keep, or the name of a box."""
        if position.rolls_left:
            return dict(self.oracle.keep_options(position.sheet, position.dice, position.rolls_left).items())
        return dict(self.oracle.box_options(position.sheet, position.dice).items())

    def choice(self, position: Position) -> Dice | str:
        if position.rolls_left:
            return self.oracle.chosen_keep(position.sheet, position.dice, position.rolls_left)
        return self.oracle.chosen_box(position.sheet, position.dice)


@cache
def solved(name: str) -> Case:
    return Case(name)


@pytest.fixture(params=GAMES)
def case(request: pytest.FixtureRequest) -> Case:
    return solved(request.param)


def close(actual: float, exact: Fraction, scale: Fraction) -> bool:
    """Equal within 1e-12 of the final score the number is a part of."""
    return abs(Fraction(actual) - exact) <= Fraction(1, 10**12) * max(scale, Fraction(1))


def option_name(keep: Dice | None, box: str | None) -> Dice | str:
    """An option of the advisor as the oracle names it: a sorted keep or a box, never both."""
    assert (keep is None) != (box is None)
    return box if box is not None else tuple(sorted(keep or ()))


def test_expected_final_score(case: Case) -> None:
    assert close(case.solution.value, case.final.mean, case.final.mean)


def test_standard_deviation(case: Case) -> None:
    assert case.solution.sd == pytest.approx(sqrt(case.final.variance), rel=0, abs=1e-9)


def test_placements(case: Case) -> None:
    """Where a roll may go, its points and its repeat bonus, and what the sheet is worth before."""
    for position in case.positions:
        sheet = case.production_sheet(position)
        found = {place.box: (place.points, place.bonus) for place in sheet.placements(tuple(sorted(position.dice)))}
        expected = case.oracle.placements(position.sheet, position.dice)
        assert found == expected and list(found) == list(expected), case.describe(position)
        assert sheet.total == case.oracle.written_total(position.sheet), case.describe(position)


def test_every_option_of_random_positions(case: Case) -> None:
    """The same options, each with its exact value and loss, best first."""
    for position in case.positions:
        where = case.describe(position)
        advice = case.advisor.advise(case.production_sheet(position), position.dice, rolls_left=position.rolls_left)
        expected = case.options(position)
        best = max(moments.mean for moments in expected.values())
        written = case.oracle.written_total(position.sheet)
        names = [option_name(option.keep, option.box) for option in advice.options]
        assert len(names) == len(expected) and set(names) == set(expected), where
        for name, option in zip(names, advice.options, strict=True):
            mean = expected[name].mean
            assert close(option.value, mean - written, mean), f"{where}: {name} is {option.value}, not {mean - written}"
            assert close(option.loss, best - mean, mean), f"{where}: {name} loses {option.loss}, not {best - mean}"
        means = [float(expected[name].mean) for name in names]
        assert means == pytest.approx(sorted(means, reverse=True), rel=1e-12), where


def test_value_and_total_of_random_positions(case: Case) -> None:
    for position in case.positions:
        advice = case.advisor.advise(case.production_sheet(position), position.dice, rolls_left=position.rolls_left)
        final = case.oracle.rolled(position.sheet, position.dice, position.rolls_left).mean
        assert close(advice.value, final - case.oracle.written_total(position.sheet), final), case.describe(position)
        assert close(advice.total, final, final), case.describe(position)


def test_choice_of_random_positions(case: Case) -> None:
    """The first option is the one the tie rule picks."""
    for position in case.positions:
        advice = case.advisor.advise(case.production_sheet(position), position.dice, rolls_left=position.rolls_left)
        first = advice.options[0]
        assert option_name(first.keep, first.box) == case.choice(position), case.describe(position)


@pytest.mark.slow
def test_positions_exercise_the_rules() -> None:
    """Over all games the random sheets hold repeat bonuses, jokers, forced placements and ties."""
    seen = set()
    for name in GAMES:
        case = solved(name)
        rules = case.oracle.game
        for position in case.positions:
            placements = case.oracle.placements(position.sheet, position.dice)
            means = [moments.mean for moments in case.options(position).values()]
            joker = any(placed.points != rules.boxes[box](position.dice) for box, placed in placements.items())
            seen |= {"repeat bonus earned"} if position.sheet.repeat else set()
            seen |= {f"{rules.joker} joker"} if joker else set()
            seen |= {"forced"} if len(placements) < len(case.oracle.open_boxes(position.sheet)) else set()
            seen |= {"paid for a zero"} if any(p.bonus and not p.points for p in placements.values()) else set()
            if means.count(max(means)) > 1:
                seen.add("tied keeps" if position.rolls_left else "tied boxes")
    expected = {"repeat bonus earned", "free joker", "forced joker", "forced", "paid for a zero"}
    assert seen == expected | {"tied keeps", "tied boxes"}


# The oracle itself, against what can be worked out by hand or is printed on the rule sheet.


def single_box(score: Score, *, dice: int, rolls: int, faces: int = 6) -> Oracle:
    return Oracle(OracleGame(dice=dice, faces=faces, rolls=rolls, boxes={"box": score}))


@pytest.mark.parametrize(
    ("score", "dice", "rolls", "mean", "variance"),
    [
        pytest.param(chance, 1, 1, Fraction(7, 2), Fraction(35, 12), id="one-die-chance"),
        pytest.param(chance, 1, 2, Fraction(17, 4), None, id="one-die-chance-two-rolls"),
        pytest.param(chance, 1, 3, Fraction(14, 3), None, id="one-die-chance-three-rolls"),
        pytest.param(chance, 2, 1, Fraction(7), Fraction(35, 6), id="two-dice-chance"),
        pytest.param(chance, 2, 3, Fraction(28, 3), None, id="two-dice-chance-three-rolls"),
        pytest.param(number(3), 2, 1, Fraction(1), Fraction(5, 2), id="threes"),
        pytest.param(number(1), 2, 2, Fraction(22, 36), 2 * Fraction(11 * 25, 36**2), id="ones-two-rolls"),
        pytest.param(of_a_kind(2, 36), 2, 2, Fraction(11), Fraction(11 * 25), id="doubles-two-rolls"),
        pytest.param(straight(2, 18), 2, 1, Fraction(5), Fraction(65), id="straight"),
    ],
)
def test_oracle_single_box(score: Score, dice: int, rolls: int, mean: Fraction, variance: Fraction | None) -> None:
    oracle = single_box(score, dice=dice, rolls=rolls)
    final = oracle.before_turn(oracle.empty)
    assert final.mean == mean
    assert variance is None or final.variance == variance


def test_oracle_set_bonus() -> None:
    """The first roll fits a box; the second fits the other half of the time, for 2 and the bonus of 10."""
    boxes = {"one": containing(1, points=2), "two": containing(2, points=2)}
    oracle = Oracle(OracleGame(dice=1, faces=2, rolls=1, boxes=boxes, sets=[(("one", "two"), 10)]))
    assert oracle.before_turn(oracle.empty) == Moments(Fraction(8), Fraction(2**2 + 14**2, 2))


def test_oracle_number_bonus() -> None:
    """Two coins, total 3 needed: a 1 goes to ones and hopes for a 2, or the other way round."""
    boxes = number_scores("ones", "twos")
    numbers = number_faces("ones", "twos")
    oracle = Oracle(OracleGame(dice=1, faces=2, rolls=1, boxes=boxes, numbers=numbers, number_bonus=(3, 10)))
    assert oracle.before_turn(oracle.empty).mean == Fraction(1, 2) * (1 + 6) + Fraction(1, 2) * (2 + Fraction(11, 2))


def test_oracle_repeat_bonus() -> None:
    """Always alike: the wild box first, then chance with the bonus."""
    boxes = {"chance": chance, "any": of_a_kind(1, 5)}
    oracle = Oracle(OracleGame(dice=1, faces=2, rolls=1, boxes=boxes, wild="any", repeat_bonus=100))
    assert oracle.before_turn(oracle.empty) == Moments(Fraction(213, 2), Fraction(106**2 + 107**2, 2))
    assert oracle.chosen_box(oracle.empty, (2,)) == "any"


def test_oracle_tie_rule_for_boxes() -> None:
    oracle = Oracle(OracleGame(dice=1, faces=2, rolls=1, boxes={"second": chance, "first": chance}))
    assert oracle.chosen_box(oracle.empty, (1,)) == "second"


@pytest.mark.parametrize(
    ("score", "faces", "dice", "keep"),
    [
        pytest.param(chance, 3, (2, 2), (2, 2), id="all-kept-when-a-throw-is-worth-the-same"),
        pytest.param(chance, 3, (2, 1), (2,), id="only-the-die-that-loses-is-put-back"),
        pytest.param(of_a_kind(2, 5), 3, (2, 1), (2,), id="lowest-face-put-back-first"),
        pytest.param(of_a_kind(3, 5), 3, (1, 3, 2), (3,), id="two-lowest-put-back"),
        pytest.param(number(1), 3, (2, 2), (), id="none-kept"),
        pytest.param(containing(1, 2, points=5), 3, (3, 1, 1), (1,), id="one-of-two-alike-put-back"),
        pytest.param(number(1), 3, (1, 2), (1,), id="lowest-face-stays-if-needed"),
    ],
)
def test_oracle_tie_rule_for_keeps(score: Score, faces: int, dice: Dice, keep: Dice) -> None:
    oracle = single_box(score, dice=len(dice), rolls=2, faces=faces)
    assert oracle.chosen_keep(oracle.empty, dice, 1) == keep


YAHTZEE_NUMBERS = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}


def yahtzee(joker: Joker, *, needs_points: bool) -> Oracle:
    """The sheet of the real game, to ask for placements only."""
    return Oracle(
        OracleGame(
            dice=5,
            faces=6,
            rolls=3,
            boxes={
                **{name: number(face) for name, face in YAHTZEE_NUMBERS.items()},
                "three-of-a-kind": of_a_kind(3),
                "four-of-a-kind": of_a_kind(4),
                "full-house": split(3, 2, points=25),
                "low-straight": straight(4, 30),
                "high-straight": straight(5, 40),
                "yahtzee": of_a_kind(5, 50),
                "chance": chance,
            },
            numbers=YAHTZEE_NUMBERS,
            number_bonus=(63, 35),
            wild="yahtzee",
            joker=joker,
            joker_points={"full-house": fixed(25), "low-straight": fixed(30), "high-straight": fixed(40)},
            repeat_bonus=100,
            repeat_needs_points=needs_points,
        )
    )


def filled(oracle: Oracle, **points: int) -> OracleSheet:
    """A sheet with these boxes filled, underscores for hyphens."""
    return OracleSheet(tuple(points.get(name.replace("-", "_")) for name in oracle.names))


@pytest.mark.parametrize(
    ("dice", "expected"),
    [
        ((1, 1, 5, 3, 1), {"ones": 3, "threes": 3, "fives": 5, "twos": 0, "fours": 0, "sixes": 0}),
        ((3, 3, 4, 1, 3), {"ones": 1, "threes": 9, "fours": 4, "three-of-a-kind": 14, "four-of-a-kind": 0}),
        ((6, 6, 6, 2, 6), {"twos": 2, "sixes": 24, "four-of-a-kind": 26, "full-house": 0, "chance": 26}),
        ((2, 5, 2, 5, 2), {"full-house": 25, "three-of-a-kind": 16, "yahtzee": 0}),
        ((4, 3, 6, 5, 3), {"low-straight": 30, "high-straight": 0}),
        ((5, 3, 2, 4, 6), {"low-straight": 30, "high-straight": 40}),
        ((4, 4, 4, 4, 4), {"yahtzee": 50, "fours": 20, "full-house": 0, "low-straight": 0, "four-of-a-kind": 20}),
    ],
    ids=str,
)
def test_oracle_scores_the_examples_of_the_sheet(dice: Dice, expected: dict[str, int]) -> None:
    oracle = yahtzee("free", needs_points=True)
    placed = oracle.placements(oracle.empty, dice)
    assert {name: placed[name].points for name in expected} == expected
    assert all(found.bonus == 0 for found in placed.values())


def test_oracle_free_joker() -> None:
    """Full house and straights take 44444 once yahtzee and fours are filled, with the bonus if yahtzee scored."""
    oracle = yahtzee("free", needs_points=True)
    fours = (4,) * 5
    joker = oracle.placements(filled(oracle, fours=8, yahtzee=50), fours)
    assert joker["ones"] == (0, 0)
    assert joker["three-of-a-kind"] == joker["chance"] == (20, 100)
    assert [joker[name] for name in ("full-house", "low-straight", "high-straight")] == [
        (25, 100),
        (30, 100),
        (40, 100),
    ]
    assert oracle.placements(filled(oracle, fours=8, yahtzee=0), fours)["high-straight"] == (40, 0)
    number_open = oracle.placements(filled(oracle, yahtzee=50), fours)
    assert number_open["high-straight"] == (0, 0) and number_open["fours"] == (20, 100)
    assert oracle.placements(filled(oracle, fours=8), fours)["full-house"] == (0, 0)


def test_oracle_forced_joker() -> None:
    """Its number box first, then the lower boxes as a joker, then a zero; paid wherever it is placed."""
    oracle = yahtzee("forced", needs_points=False)
    fours = (4,) * 5
    assert oracle.placements(filled(oracle, yahtzee=50), fours) == {"fours": (20, 100)}
    lower = oracle.placements(filled(oracle, yahtzee=0, fours=8), fours)
    assert set(lower) == set(oracle.names[6:]) - {"yahtzee"} and lower["full-house"] == (25, 0)
    last = OracleSheet((None, None, 9, 8, 5, 6, 0, 0, 0, 0, 0, 50, 0))
    assert oracle.placements(last, fours) == {"ones": (0, 100), "twos": (0, 100)}
    assert len(oracle.placements(filled(oracle, fours=8), fours)) == 12


def test_oracle_written_total() -> None:
    oracle = yahtzee("free", needs_points=True)
    upper = filled(oracle, ones=3, twos=6, threes=9, fours=12, fives=15, sixes=18, yahtzee=50)
    assert oracle.written_total(upper) == 63 + 35 + 50
    assert oracle.written_total(upper._replace(repeat=200)) == 63 + 35 + 50 + 200
    short = filled(oracle, ones=2, twos=6, threes=9, fours=12, fives=15, sixes=18)
    assert oracle.written_total(short) == 62
