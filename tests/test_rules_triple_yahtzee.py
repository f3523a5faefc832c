"""Triple Yahtzee by its rule sheet (freethedice.com): one test for each section, with the numbers printed there."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.match import Match, play_match, starting_player
from solver import InputError, Sheet, find_game
from tests.sheets import NUMBERS, dice, in_columns, loaded, thrown

GAME = find_game("triple-yahtzee")
LOWER = (
    "three-of-a-kind",
    "four-of-a-kind",
    "full-house",
    "low-straight",
    "high-straight",
    "yahtzee",
    "chance",
)
BOXES = NUMBERS + LOWER
SPACES = tuple((column, box) for column in range(3) for box in BOXES)
COLUMNS = pytest.mark.parametrize(("column", "times"), [(0, 1), (1, 2), (2, 3)])

ROLLS = st.lists(st.integers(1, 6), min_size=5, max_size=5).map(tuple)


def points(roll: str, column: int = 0, sheet: str = "") -> dict[str, int]:
    """What a roll scores in each open box of a column, before the multiplier."""
    placements = Sheet.parse(GAME, sheet).placements(dice(roll))
    return {place.box: place.points for place in placements if place.column == column}


def gain(roll: str, column: int, box: str, sheet: str = "") -> int:
    """What a placement adds to the total, without the left hand bonus."""
    placements = Sheet.parse(GAME, sheet).placements(dice(roll))
    return next(place.gain for place in placements if (place.column, place.box) == (column, box))


def total(sheet: str) -> int:
    return Sheet.parse(GAME, sheet).total


def test_how_many_people_can_play_triple_yahtzee() -> None:
    """From one (solitaire) up to infinity."""
    for players in (1, 2, 4, 1000):
        assert len(Match.start(GAME, players=players).sheets) == players
    with pytest.raises(InputError, match="players of Triple Yahtzee: 0 given, allowed are 1 or more"):
        Match.start(GAME, players=0)


def test_what_do_you_need_to_play_triple_yahtzee() -> None:
    """Five six-sided dice and a scoresheet for each player."""
    assert (GAME.dice, GAME.faces) == (5, 6)
    assert tuple(box.name for box in GAME.boxes) == BOXES
    match = Match.start(GAME, players=2).place(dice("66666"), "yahtzee", 2)
    assert [str(sheet) for sheet in match.sheets] == ["3:yahtzee=50", ""]


def test_start() -> None:
    """The highest die starts, tied players roll again, and players take turns."""
    assert starting_player(3, loaded("253")) == 1
    tie = loaded("6266", "551", "13")
    assert starting_player(4, tie) == 2
    assert thrown(tie) == [4, 3, 2]
    match = Match.start(GAME, players=2, first=1)
    order = []
    for column in (0, 0, 1, 1):
        order.append(match.player)
        match = match.place(dice("12345"), "ones", column)
    assert order == [1, 0, 1, 0]


ALL_BUT_ONE_CHANCE = (
    in_columns(
        "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=20 four-of-a-kind=21 full-house=25 "
        "low-straight=30 high-straight=40 yahtzee=50"
    )
    + " 1:chance=20 3:chance=22"
)


def test_how_to_play_a_turn_of_triple_yahtzee() -> None:
    """All five dice first, then none, some or all of them again, twice at most, then an empty box."""
    match = replace(Match.start(GAME, players=1), sheets=(Sheet.parse(GAME, ALL_BUT_ONE_CHANCE),))
    some_then_all = Mock(**{"keep.side_effect": [(6, 6), ()], "place.return_value": (1, "chance")})
    rng = loaded("62613", "155", "23456")
    played = play_match(match, [some_then_all], rng)
    assert thrown(rng) == [5, 3, 5]
    assert [call.args[1:] for call in some_then_all.keep.call_args_list] == [
        ((1, 2, 3, 6, 6), 2),
        ((1, 5, 5, 6, 6), 1),
    ]
    assert played.totals[0] - match.totals[0] == 2 * 20

    none = Mock(**{"keep.side_effect": [(1, 2, 3, 6, 6)], "place.return_value": (1, "chance")})
    rng = loaded("62613")
    assert play_match(match, [none], rng).totals[0] - match.totals[0] == 2 * 18
    assert thrown(rng) == [5]

    zero = Match.start(GAME, players=2).place(dice("22222"), "ones", 1)
    assert (zero.player, str(zero.sheets[0])) == (1, "2:ones=0")
    again = zero.place(dice("12345"), "chance", 0)
    with pytest.raises(InputError, match="cannot be placed in '2:ones'"):
        again.place(dice("11111"), "ones", 1)
    assert str(again.place(dice("11111"), "ones", 0).sheets[0]) == "1:ones=5 2:ones=0"


def test_score_placement() -> None:
    """ANY open space of any column, at any time; a zero fills a space."""
    placements = Sheet.empty(GAME).placements(dice("13456"))
    assert tuple((place.column, place.box) for place in placements) == SPACES
    placements = Sheet.parse(GAME, "1:ones=0 3:chance=18").placements(dice("13456"))
    filled = [(0, "ones"), (2, "chance")]
    assert tuple((place.column, place.box) for place in placements) == tuple(s for s in SPACES if s not in filled)


@COLUMNS
@pytest.mark.parametrize(
    ("roll", "box", "score"),
    [
        ("66626", "sixes", 24),
        ("33356", "three-of-a-kind", 20),
        ("66661", "four-of-a-kind", 25),
        ("22333", "full-house", 25),
        ("12341", "low-straight", 30),
        ("12345", "high-straight", 40),
        ("44444", "yahtzee", 50),
        ("66543", "chance", 24),
    ],
)
def test_triple_yahtzee_column_multipliers(column: int, times: int, roll: str, box: str, score: int) -> None:
    """Scores count once in the first column, doubled in the second and tripled in the third."""
    assert gain(roll, column, box) == times * score
    assert Sheet.empty(GAME).place(dice(roll), box, column=column).total == times * score


@COLUMNS
@pytest.mark.parametrize(
    ("roll", "scores"),
    [
        ("1-1-5-3-1", (3, 0, 3, 0, 5, 0)),
        ("3-3-4-1-3", (1, 0, 9, 4, 0, 0)),
        ("6-6-6-2-6", (0, 2, 0, 0, 0, 24)),
    ],
)
def test_ones_twos_threes_fours_fives_sixes(column: int, times: int, roll: str, scores: tuple[int, ...]) -> None:
    """Only the dice of that number are added up; the three examples of the sheet, in every column."""
    assert tuple(points(roll, column)[box] for box in NUMBERS) == scores
    assert tuple(gain(roll, column, box) for box in NUMBERS) == tuple(times * score for score in scores)


@given(ROLLS)
def test_number_boxes_share_out_the_dice(roll: tuple[int, ...]) -> None:
    """Every die counts in just one number box, once, twice and three times over the columns."""
    placements = Sheet.empty(GAME).placements(roll)
    assert sum(place.gain for place in placements if place.box in NUMBERS) == 6 * sum(roll)


@pytest.mark.parametrize(
    ("roll", "score"), [("33356", 20), ("33336", 18), ("33333", 15), ("66655", 28), ("33456", 0), ("33445", 0)]
)
def test_three_of_a_kind(roll: str, score: int) -> None:
    """At least three alike: all of the dice added up, else 0."""
    assert [points(roll, column)["three-of-a-kind"] for column in range(3)] == [score] * 3


@pytest.mark.parametrize(("roll", "score"), [("33336", 18), ("66661", 25), ("33333", 15), ("33356", 0), ("33366", 0)])
def test_four_of_a_kind(roll: str, score: int) -> None:
    """At least four alike: all of the dice added up, else 0."""
    assert [points(roll, column)["four-of-a-kind"] for column in range(3)] == [score] * 3


@pytest.mark.parametrize(
    ("roll", "score"), [("22333", 25), ("16161", 25), ("33333", 0), ("33332", 0), ("22334", 0), ("22234", 0)]
)
def test_full_house(roll: str, score: int) -> None:
    """Two of one number and three of another: 25, anything else 0; five alike are not two numbers."""
    assert [points(roll, column)["full-house"] for column in range(3)] == [score] * 3


@pytest.mark.parametrize("row", ["1234", "2345", "3456"])
@pytest.mark.parametrize("fifth", "123456")
def test_low_straight(row: str, fifth: str) -> None:
    """Four numbers in a row, whatever the fifth die shows: 30."""
    assert [points(fifth + row, column)["low-straight"] for column in range(3)] == [30] * 3


@pytest.mark.parametrize("roll", ["12356", "12456", "12335", "13451", "66666"])
def test_low_straight_anything_else(roll: str) -> None:
    """Anything else scores 0."""
    assert [points(roll, column)["low-straight"] for column in range(3)] == [0] * 3


@pytest.mark.parametrize(
    ("roll", "score"), [("12345", 40), ("23456", 40), ("64253", 40), ("12346", 0), ("13456", 0), ("55555", 0)]
)
def test_high_straight(roll: str, score: int) -> None:
    """1,2,3,4,5 or 2,3,4,5,6: 40, anything else 0."""
    assert [points(roll, column)["high-straight"] for column in range(3)] == [score] * 3


@pytest.mark.parametrize(("roll", "score"), [("11111", 50), ("66666", 50), ("66665", 0), ("33322", 0)])
def test_yahtzee(roll: str, score: int) -> None:
    """All five the same: 50, anything else 0."""
    assert [points(roll, column)["yahtzee"] for column in range(3)] == [score] * 3


@given(ROLLS)
def test_chance(roll: tuple[int, ...]) -> None:
    """All the dice added up, which is never zero."""
    scores = [place.points for place in Sheet.empty(GAME).placements(roll) if place.box == "chance"]
    assert scores == [sum(roll)] * 3
    assert min(scores) >= 5


@COLUMNS
def test_scoring_zero(column: int, times: int) -> None:
    """A roll that does not match may be placed anyway, scores zero and fills the box of that column."""
    for box in BOXES:
        if box == "chance":
            continue
        roll = "11335" if box not in ("ones", "threes", "fives") else "22446"
        sheet = Sheet.empty(GAME).place(dice(roll), box, column=column)
        assert (str(sheet), sheet.turn, sheet.total) == (f"{times}:{box}=0", 1, 0)
        left = {(place.column, place.box) for place in sheet.placements(dice(roll))}
        assert left == set(SPACES) - {(column, box)}


@COLUMNS
@pytest.mark.parametrize(
    ("scores", "once"),
    [
        ("ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18", 63 + 35),
        ("ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18", 62),
        ("ones=0 twos=6 threes=9 fours=12 fives=15 sixes=24", 66 + 35),
        ("ones=0 twos=0 threes=12 fours=12 fives=15 sixes=24", 63 + 35),
        ("fours=20 fives=25 sixes=18", 63 + 35),
        ("fives=25 sixes=30", 55),
        ("ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=30 chance=30", 122),
    ],
)
def test_left_hand_bonus(column: int, times: int, scores: str, once: int) -> None:
    """63 in ones to sixes of a column, doubled and tripled like the bonus of 35 itself."""
    assert total(in_columns(scores, str(column + 1))) == times * once


def test_left_hand_bonus_of_each_column() -> None:
    """Every column needs the 63 for itself: 63, 126 and 189 as written into it."""
    almost = "ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18"
    reached = "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18"
    assert total(in_columns(almost)) == 62 + 124 + 186
    assert total(in_columns(reached)) == (63 + 35) + (126 + 70) + (189 + 105)
    assert total(in_columns(almost, "12") + " " + in_columns(reached, "3")) == 62 + 124 + (189 + 105)


JOKER = {
    "ones": 0,
    "twos": 0,
    "threes": 0,
    "fives": 0,
    "sixes": 0,
    "three-of-a-kind": 20,
    "four-of-a-kind": 20,
    "full-house": 25,
    "low-straight": 30,
    "high-straight": 40,
    "chance": 20,
}
NO_JOKER = JOKER | {"full-house": 0, "low-straight": 0, "high-straight": 0}


@COLUMNS
@pytest.mark.parametrize("yahtzee", [50, 0])
@pytest.mark.parametrize("fours", [12, 0])
def test_yahtzee_joker(column: int, times: int, yahtzee: int, fours: int) -> None:
    """With all three yahtzee spaces and all three fours filled, zeros included, 44444 is a joker."""
    sheet = in_columns(f"yahtzee={yahtzee} fours={fours}")
    assert points("44444", column, sheet) == JOKER
    bonus = 100 if yahtzee else 0
    paid = {box: times * (score + bonus) if score else 0 for box, score in JOKER.items()}
    assert {box: gain("44444", column, box, sheet) for box in JOKER} == paid


@pytest.mark.parametrize("open_column", [1, 2, 3])
def test_yahtzee_joker_needs_every_column(open_column: int) -> None:
    """One open yahtzee space, or one open space of its number, and the roll scores normally."""
    others = "123".replace(str(open_column), "")
    yahtzee_open = in_columns("fours=12") + " " + in_columns("yahtzee=50", others)
    number_open = in_columns("yahtzee=50") + " " + in_columns("fours=12", others)
    for column in range(3):
        here = column == open_column - 1
        assert points("44444", column, yahtzee_open) == NO_JOKER | ({"yahtzee": 50} if here else {})
        assert points("44444", column, number_open) == NO_JOKER | ({"fours": 20} if here else {})


def test_yahtzee_bonus() -> None:
    """A joker in high straight of the third column: 40 plus 100, tripled, is 420 points. Wow!"""
    sheet = Sheet.parse(GAME, in_columns("yahtzee=50 fours=12"))
    assert sheet.place(dice("44444"), "high-straight", column=2).total - sheet.total == 420
    assert sheet.place(dice("44444"), "high-straight", column=1).total - sheet.total == 280
    assert sheet.place(dice("44444"), "high-straight", column=0).total - sheet.total == 140
    assert sheet.place(dice("44444"), "full-house", column=2).total - sheet.total == 375
    assert sheet.place(dice("44444"), "ones", column=2).total - sheet.total == 0


@pytest.mark.parametrize("column", [1, 2, 3])
def test_yahtzee_bonus_needs_points_in_all_yahtzee_boxes(column: int) -> None:
    """One zero, or one open box, among the three yahtzee boxes and there is no bonus."""
    others = "123".replace(str(column), "")
    for sheet in (
        f"{in_columns('yahtzee=50', others)} {column}:yahtzee=0 {in_columns('fours=12')}",
        f"{in_columns('yahtzee=50', others)} {in_columns('fours=12')}",
        in_columns("yahtzee=50", others),
    ):
        assert {place.bonus for place in Sheet.parse(GAME, sheet).placements(dice("44444"))} == {0}
    zero = f"{in_columns('yahtzee=50', others)} {column}:yahtzee=0 {in_columns('fours=12')}"
    assert gain("44444", 2, "high-straight", zero) == 120


def test_yahtzee_bonus_without_a_joker() -> None:
    """The bonus needs no joker, only points where the roll is placed."""
    sheet = in_columns("yahtzee=50") + " 1:fours=12"
    assert gain("44444", 1, "fours", sheet) == 2 * (20 + 100)
    assert gain("44444", 2, "chance", sheet) == 3 * (20 + 100)
    assert gain("44444", 2, "high-straight", sheet) == 0
    assert gain("44443", 2, "four-of-a-kind", sheet) == 3 * 19


def test_yahtzee_bonus_is_no_part_of_the_left_hand_side() -> None:
    """The 100 goes to the total, never towards the 63."""
    scores = "twos=2 threes=9 fours=12 fives=15 sixes=18"
    sheet = Sheet.parse(GAME, f"{in_columns('yahtzee=50')} {in_columns(scores, '2')}")
    sheet = sheet.place(dice("11111"), "ones", column=1)
    assert sheet.number_total(1) == 61
    assert sheet.total == 300 + 2 * (61 + 100)


def test_yahtzee_bonus_has_no_upper_limit() -> None:
    """39 yahtzees: 36 bonuses, each multiplied, and the highest total there is."""
    sheet = Sheet.empty(GAME)
    rolls = {"yahtzee": "66666"} | {box: str(i) * 5 for i, box in enumerate(NUMBERS, start=1)}
    rolls |= {box: "66666" for box in LOWER if box != "yahtzee"}
    for box, roll in rolls.items():
        for column in range(3):
            sheet = sheet.place(dice(roll), box, column=column)
    assert sheet.repeat_bonus == (1 + 2 + 3) * 1200
    assert sheet.total == (1 + 2 + 3) * 1575


@pytest.mark.parametrize("column", [1, 2, 3])
@pytest.mark.parametrize("yahtzee", [50, 0])
def test_a_note_about_yahtzees(column: int, yahtzee: int) -> None:
    """With only ones left after 38 turns, 5-5-5-5-5 scores zero there and earns no bonus."""
    others = "123".replace(str(column), "")
    text = in_columns(
        "twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=20 four-of-a-kind=21 full-house=25 "
        f"low-straight=30 high-straight=40 yahtzee={yahtzee} chance=22"
    )
    sheet = Sheet.parse(GAME, f"{text} {in_columns('ones=3', others)}")
    assert sheet.turn == 38
    (only,) = sheet.placements(dice("55555"))
    assert (only.column, only.box, only.points, only.bonus, only.gain) == (column - 1, "ones", 0, 0, 0)
    assert sheet.place(dice("55555"), "ones", column=column - 1).total == sheet.total
    (ones,) = sheet.placements(dice("11234"))
    assert ones.gain == 2 * column


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
    "low-straight": "12341",
    "high-straight": "23456",
    "yahtzee": "11111",
    "chance": "66543",
}


def test_ending_the_game() -> None:
    """After 39 turns each the scores are added up, and the most total points win."""
    match = Match.start(GAME, players=2)
    turns = 0
    for column in range(3):
        for box, roll in SCORED_COLUMN.items():
            assert not match.is_over
            match = match.place(dice(roll), box, column)
            better = (column, box) == (2, "chance")
            match = match.place(dice("66664" if better else roll), box, column)
            turns += 1
    assert turns == 39
    assert match.is_over
    # A column is worth 63 + 35 + 24 + 21 + 25 + 30 + 40 + 50 + 24; the better chance is 28.
    assert match.totals == (6 * 312, 6 * 312 + 3 * 4) == (1872, 1884)
    assert match.winners == (1,)


@given(ROLLS.flatmap(lambda roll: st.tuples(st.just(roll), st.permutations(roll).map(tuple))))
def test_the_order_of_the_dice_does_not_matter(rolls: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """A roll is what the dice show, wherever they lie."""
    roll, shuffled = rolls
    sheet = Sheet.parse(GAME, in_columns("yahtzee=50 fours=12"))
    assert sheet.placements(roll) == sheet.placements(shuffled)
