"""Dicegame by its rule sheet (Brettspielnetz.de): one test for each section, with the numbers printed there."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.match import Match, play_match
from solver import InputError, Sheet, find_game
from tests.sheets import NUMBERS, dice, in_columns, loaded, thrown

GAME = find_game("dicegame")
BOXES = (
    *NUMBERS,
    "three-of-a-kind",
    "four-of-a-kind",
    "full-house",
    "small-straight",
    "large-straight",
    "five-of-a-kind",
    "chance",
)
SPACES = tuple((column, box) for column in range(3) for box in BOXES)
COLUMNS = pytest.mark.parametrize(("column", "times"), [(0, 1), (1, 2), (2, 3)])

ROLLS = st.lists(st.integers(1, 6), min_size=5, max_size=5).map(tuple)


def points(roll: str, sheet: str = "") -> dict[str, int]:
    """What a roll scores in each box, which is the same in every column where it is open."""
    scores: dict[str, int] = {}
    for place in Sheet.parse(GAME, sheet).placements(dice(roll)):
        assert scores.setdefault(place.box, place.points) == place.points
    return scores


def total(sheet: str) -> int:
    return Sheet.parse(GAME, sheet).total


@COLUMNS
@pytest.mark.parametrize(
    ("roll", "box", "score"),
    [
        ("66621", "sixes", 18),
        ("66621", "three-of-a-kind", 21),
        ("66661", "four-of-a-kind", 25),
        ("22333", "full-house", 25),
        ("12341", "small-straight", 30),
        ("12345", "large-straight", 40),
        ("44444", "five-of-a-kind", 50),
        ("66543", "chance", 24),
    ],
)
def test_object_of_the_board_game(column: int, times: int, roll: str, box: str, score: int) -> None:
    """Three columns for each player: the first counts once, the second twice, the third three times."""
    assert Sheet.empty(GAME).place(dice(roll), box, column=column).total == times * score


def test_object_of_the_board_game_two_players() -> None:
    """Dicegame is played with 2 players; one sheet alone is for practice."""
    assert len(Match.start(GAME, players=2).sheets) == 2
    assert len(Match.start(GAME, players=1).sheets) == 1
    for players in (0, 3):
        with pytest.raises(InputError, match=f"players of Dicegame: {players} given, allowed are 1 to 2"):
            Match.start(GAME, players=players)
    assert tuple(box.name for box in GAME.boxes) == BOXES
    assert (GAME.dice, GAME.faces) == (5, 6)


ALL_BUT_ONE_CHANCE = (
    in_columns(
        "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=20 four-of-a-kind=21 full-house=25 "
        "small-straight=30 large-straight=40 five-of-a-kind=50"
    )
    + " 1:chance=20 2:chance=22"
)


def test_rolling_the_dice() -> None:
    """Five dice, some of them again, and a second time: three attempts, or fewer, then the score is recorded."""
    match = replace(Match.start(GAME, players=1), sheets=(Sheet.parse(GAME, ALL_BUT_ONE_CHANCE),))
    some = Mock(**{"keep.side_effect": [(6, 6), (5, 5, 6, 6)], "place.return_value": (2, "chance")})
    rng = loaded("62613", "155", "6")
    played = play_match(match, [some], rng)
    assert thrown(rng) == [5, 3, 1]
    assert [call.args[1:] for call in some.keep.call_args_list] == [((1, 2, 3, 6, 6), 2), ((1, 5, 5, 6, 6), 1)]
    assert played.totals[0] - match.totals[0] == 3 * 28

    at_once = Mock(**{"keep.side_effect": [(1, 2, 3, 6, 6)], "place.return_value": (2, "chance")})
    rng = loaded("62613")
    assert play_match(match, [at_once], rng).totals[0] - match.totals[0] == 3 * 18
    assert thrown(rng) == [5]


def test_rolling_the_dice_recorded_for_good() -> None:
    """A recorded score, zero included, cannot be replaced later on."""
    match = Match.start(GAME, players=2).place(dice("22222"), "ones", 1)
    assert (match.player, str(match.sheets[0])) == (1, "2:ones=0")
    match = match.place(dice("12345"), "chance", 0)
    with pytest.raises(InputError, match="cannot be placed in '2:ones'"):
        match.place(dice("11111"), "ones", 1)
    left = {(place.column, place.box) for place in match.sheet.placements(dice("11111"))}
    assert left == set(SPACES) - {(1, "ones")}


@pytest.mark.parametrize(
    ("roll", "scores"),
    [
        ("66621", (1, 2, 0, 0, 0, 18)),
        ("66612", (1, 2, 0, 0, 0, 18)),
        ("11531", (3, 0, 3, 0, 5, 0)),
        ("22244", (0, 6, 0, 8, 0, 0)),
        ("55555", (0, 0, 0, 0, 25, 0)),
    ],
)
def test_possible_scores_upper_half(roll: str, scores: tuple[int, ...]) -> None:
    """The number of those dice times the value: 3 sixes score 18, but only on the sixes row."""
    assert tuple(points(roll)[box] for box in NUMBERS) == scores


@given(ROLLS)
def test_upper_half_shares_out_the_dice(roll: tuple[int, ...]) -> None:
    """Every die counts in just one row, once, twice and three times over the columns."""
    placements = Sheet.empty(GAME).placements(roll)
    assert sum(place.gain for place in placements if place.box in NUMBERS) == 6 * sum(roll)


@pytest.mark.parametrize(
    ("roll", "score"), [("6-6-6-2-1", 21), ("33336", 18), ("33333", 15), ("66655", 28), ("33456", 0), ("33445", 0)]
)
def test_three_of_a_kind(roll: str, score: int) -> None:
    """At least 3 dice alike: the total of the dice, so 6-6-6-2-1 scores 21."""
    assert points(roll)["three-of-a-kind"] == score


@pytest.mark.parametrize(("roll", "score"), [("33336", 18), ("66661", 25), ("33333", 15), ("33356", 0), ("33366", 0)])
def test_four_of_a_kind(roll: str, score: int) -> None:
    """At least 4 dice alike: the total of the dice."""
    assert points(roll)["four-of-a-kind"] == score


@pytest.mark.parametrize(
    ("roll", "score"), [("22333", 25), ("16161", 25), ("33333", 0), ("33332", 0), ("22334", 0), ("22234", 0)]
)
def test_full_house(roll: str, score: int) -> None:
    """3 dice alike and the 2 others alike but different from them: 25."""
    assert points(roll)["full-house"] == score


@pytest.mark.parametrize(
    ("roll", "score"),
    [("12341", 30), ("12346", 30), ("23455", 30), ("34561", 30), ("12345", 30), ("23456", 30)]
    + [("12356", 0), ("12456", 0), ("13451", 0), ("44444", 0)],
)
def test_small_straight(roll: str, score: int) -> None:
    """At least 4 straight dice, such as 1, 2, 3 and 4: 30."""
    assert points(roll)["small-straight"] == score


@pytest.mark.parametrize(
    ("roll", "score"), [("12345", 40), ("23456", 40), ("64253", 40), ("12346", 0), ("13456", 0), ("44444", 0)]
)
def test_large_straight(roll: str, score: int) -> None:
    """2, 3, 4, 5 and either 1 or 6: 40."""
    assert points(roll)["large-straight"] == score


@pytest.mark.parametrize(("roll", "score"), [("11111", 50), ("66666", 50), ("66665", 0), ("33322", 0)])
def test_five_of_a_kind(roll: str, score: int) -> None:
    """All dice alike: a massive 50."""
    assert points(roll)["five-of-a-kind"] == score


@given(ROLLS)
def test_chance(roll: tuple[int, ...]) -> None:
    """No requirements: the total of the dice."""
    scores = [place.points for place in Sheet.empty(GAME).placements(roll) if place.box == "chance"]
    assert scores == [sum(roll)] * 3


def test_possible_scores_a_game_which_has_just_started() -> None:
    """Two large straights in the 2nd and 3rd column are 200, a chance of 25 in the 3rd is 75."""
    glorfindel, bram = 0, 1
    match = Match.start(GAME, players=2, first=bram)
    match = match.place(dice("12345"), "large-straight", 1)
    match = match.place(dice("66652"), "chance", 2)
    match = match.place(dice("23456"), "large-straight", 2)
    assert str(match.sheets[glorfindel]) == "3:chance=25"
    assert str(match.sheets[bram]) == "2:large-straight=40 3:large-straight=40"
    assert match.totals == (75, 200)


@COLUMNS
def test_possible_scores_zero(column: int, times: int) -> None:
    """A roll that does not meet the requirements may be recorded and scores 0."""
    for box in BOXES:
        if box == "chance":
            continue
        roll = "11335" if box not in ("ones", "threes", "fives") else "22446"
        sheet = Sheet.empty(GAME).place(dice(roll), box, column=column)
        assert (str(sheet), sheet.turn, sheet.total) == (f"{times}:{box}=0", 1, 0)


def test_possible_scores_no_joker() -> None:
    """The sheet knows no joker and no bonus for a further five of a kind."""
    sheet = in_columns("fours=12 five-of-a-kind=50")
    scores = points("44444", sheet)
    assert [scores[box] for box in ("full-house", "small-straight", "large-straight")] == [0, 0, 0]
    assert {place.bonus for place in Sheet.parse(GAME, sheet).placements(dice("44444"))} == {0}
    with pytest.raises(InputError, match="no repeat bonus"):
        Sheet.parse(GAME, sheet + " bonus=100")


@COLUMNS
@pytest.mark.parametrize(
    ("scores", "once"),
    [
        ("ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18", 63 + 35),
        ("ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18", 62),
        ("ones=0 twos=6 threes=9 fours=12 fives=15 sixes=24", 66 + 35),
        ("fours=20 fives=25 sixes=18", 63 + 35),
        ("ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=30 chance=30", 122),
    ],
)
def test_bonus(column: int, times: int, scores: str, once: int) -> None:
    """At least 63 points in the upper six rows of a column: 35 points in that column."""
    assert total(in_columns(scores, str(column + 1))) == times * once


def test_bonus_of_each_column() -> None:
    """Three dice of every number are exactly 63; every column needs them for itself."""
    almost = "ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18"
    exactly = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"
    assert total(in_columns(almost)) == 62 + 124 + 186
    assert total(in_columns(exactly)) == (63 + 35) + (126 + 70) + (189 + 105)
    assert total(in_columns(almost, "13") + " " + in_columns(exactly, "2")) == 62 + (126 + 70) + 186


SCORED_COLUMN = {
    "ones": "11123",
    "twos": "22213",
    "threes": "33312",
    "fours": "44412",
    "fives": "55512",
    "sixes": "66612",
    "three-of-a-kind": "66651",
    "four-of-a-kind": "55551",
    "full-house": "22333",
    "small-straight": "12341",
    "large-straight": "23456",
    "five-of-a-kind": "11111",
    "chance": "66543",
}


def test_end_of_the_board_game() -> None:
    """The game ends with the form filled; the highest total wins, second and third column doubled and tripled."""
    match = Match.start(GAME, players=2)
    turns = 0
    for column in range(3):
        for box, roll in SCORED_COLUMN.items():
            assert not match.is_over
            # One player has a chance of 28 in the third column, the other in the first.
            match = match.place(dice("66664" if (column, box) == (2, "chance") else roll), box, column)
            match = match.place(dice("66664" if (column, box) == (0, "chance") else roll), box, column)
            turns += 1
    assert turns == 39
    assert match.is_over
    # A column is worth 63 + 35 + 24 + 21 + 25 + 30 + 40 + 50 + 24 = 312.
    assert match.totals == (6 * 312 + 3 * 4, 6 * 312 + 4) == (1884, 1876)
    assert match.winners == (0,)


def test_strategy() -> None:
    """The first five of a kind belongs in the third column, where it gains most."""
    best = max(Sheet.empty(GAME).placements(dice("66666")), key=lambda place: place.gain)
    assert (best.column, best.box, best.gain) == (2, "five-of-a-kind", 150)


@given(ROLLS.flatmap(lambda roll: st.tuples(st.just(roll), st.permutations(roll).map(tuple))))
def test_the_order_of_the_dice_does_not_matter(rolls: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """A roll is what the dice show, wherever they lie."""
    roll, shuffled = rolls
    assert Sheet.empty(GAME).placements(roll) == Sheet.empty(GAME).placements(shuffled)
