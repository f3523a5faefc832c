"""Yahtzee by its rule sheet (freethedice.com): one test for each section, with the numbers printed there."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.match import Match, play_match, starting_player
from solver import Advisor, InputError, Sheet, find_game, solve_game
from tests.sheets import NUMBERS, dice, loaded, thrown

GAME = find_game("yahtzee")
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
ALL_BUT_ONES = (
    "twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=20 four-of-a-kind=21 full-house=25 "
    "low-straight=30 high-straight=40 chance=22"
)
ALL_BUT_CHANCE = (
    "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=20 four-of-a-kind=21 full-house=25 "
    "low-straight=30 high-straight=40 yahtzee=50"
)

ROLLS = st.lists(st.integers(1, 6), min_size=5, max_size=5).map(tuple)


def points(roll: str, sheet: str = "") -> dict[str, int]:
    """What a roll scores in each open box."""
    return {place.box: place.points for place in Sheet.parse(GAME, sheet).placements(dice(roll))}


def bonuses(roll: str, sheet: str) -> dict[str, int]:
    """The yahtzee bonus a roll earns in each open box."""
    return {place.box: place.bonus for place in Sheet.parse(GAME, sheet).placements(dice(roll))}


def total(sheet: str) -> int:
    return Sheet.parse(GAME, sheet).total


def last_turn(sheet: str) -> Match:
    return replace(Match.start(GAME, players=1), sheets=(Sheet.parse(GAME, sheet),))


def play_round(match: Match, rolls: dict[str, str]) -> Match:
    """Every player in turn places the same roll in each box."""
    for box, roll in rolls.items():
        for _ in match.sheets:
            match = match.place(dice(roll), box)
    return match


def test_how_many_people_can_play_yahtzee() -> None:
    """From one (solitaire) up to infinity."""
    for players in (1, 2, 4, 1000):
        assert len(Match.start(GAME, players=players).sheets) == players
    with pytest.raises(InputError, match="players of Yahtzee: 0 given, allowed are 1 or more"):
        Match.start(GAME, players=0)


def test_what_do_you_need_to_play_yahtzee() -> None:
    """Five six-sided dice, a scoresheet for each player, and usually one round, up to 6."""
    assert (GAME.dice, GAME.faces) == (5, 6)
    assert tuple(box.name for box in GAME.boxes) == BOXES
    assert len(GAME.columns) == 1
    match = Match.start(GAME, players=2).place(dice("66666"), "yahtzee")
    assert [str(sheet) for sheet in match.sheets] == ["yahtzee=50", ""]
    assert Match.start(GAME, players=2).rounds == 1
    assert Match.start(GAME, players=2, rounds=6).rounds == 6
    with pytest.raises(InputError, match="rounds of Yahtzee: 7 given, allowed are 1 to 6"):
        Match.start(GAME, players=2, rounds=7)


def test_start() -> None:
    """The highest die starts, tied players roll again, and players take turns."""
    assert starting_player(3, loaded("253")) == 1
    tie = loaded("5255", "161")
    assert starting_player(4, tie) == 2
    assert thrown(tie) == [4, 3]
    match = Match.start(GAME, players=3, first=1)
    order = []
    for box in ("ones", "ones", "ones", "twos", "twos", "twos"):
        order.append(match.player)
        match = match.place(dice("12345"), box)
    assert order == [1, 2, 0, 1, 2, 0]


def test_how_to_play_a_turn_of_yahtzee() -> None:
    """All five dice first, then none, some or all of them again, twice at most, then an empty box."""
    some_then_all = Mock(**{"keep.side_effect": [(6, 6), ()], "place.return_value": (0, "chance")})
    rng = loaded("62613", "155", "23456")
    match = play_match(last_turn(ALL_BUT_CHANCE), [some_then_all], rng)
    assert thrown(rng) == [5, 3, 5]
    assert [call.args[1:] for call in some_then_all.keep.call_args_list] == [
        ((1, 2, 3, 6, 6), 2),
        ((1, 5, 5, 6, 6), 1),
    ]
    assert str(match.sheets[0]) == ALL_BUT_CHANCE + " chance=20"

    none = Mock(**{"keep.side_effect": [(1, 2, 3, 6, 6)], "place.return_value": (0, "chance")})
    rng = loaded("62613")
    match = play_match(last_turn(ALL_BUT_CHANCE), [none], rng)
    assert thrown(rng) == [5]
    assert str(match.sheets[0]) == ALL_BUT_CHANCE + " chance=18"

    one_die = Mock(**{"keep.side_effect": [(2, 3, 6, 6), (2, 3, 6, 6)], "place.return_value": (0, "chance")})
    rng = loaded("62613", "4", "5")
    match = play_match(last_turn(ALL_BUT_CHANCE), [one_die], rng)
    assert thrown(rng) == [5, 1, 1]
    assert str(match.sheets[0]) == ALL_BUT_CHANCE + " chance=22"

    zero = Match.start(GAME, players=2).place(dice("22222"), "ones")
    assert (zero.player, str(zero.sheets[0])) == (1, "ones=0")
    again = zero.place(dice("12345"), "chance")
    with pytest.raises(InputError, match="cannot be placed in 'ones'"):
        again.place(dice("11111"), "ones")


def test_score_placement() -> None:
    """Any space without a score, zero included, and only the spaces of this round."""
    assert tuple(points("13456")) == BOXES
    assert tuple(points("13456", "ones=0 chance=18")) == tuple(box for box in BOXES if box not in ("ones", "chance"))
    match = play_round(Match.start(GAME, players=1, rounds=2), dict.fromkeys(BOXES, "12345"))
    assert match.round == 2
    assert tuple(place.box for place in match.sheet.placements(dice("12345"))) == BOXES
    match = match.place(dice("12345"), "ones")
    with pytest.raises(InputError, match="cannot be placed in 'ones'"):
        match.place(dice("12345"), "ones")


@pytest.mark.parametrize(
    ("roll", "scores"),
    [
        ("1-1-5-3-1", (3, 0, 3, 0, 5, 0)),
        ("3-3-4-1-3", (1, 0, 9, 4, 0, 0)),
        ("6-6-6-2-6", (0, 2, 0, 0, 0, 24)),
    ],
)
def test_ones_twos_threes_fours_fives_sixes(roll: str, scores: tuple[int, ...]) -> None:
    """Only the dice of that number are added up; the three examples of the sheet."""
    assert tuple(points(roll)[box] for box in NUMBERS) == scores


@given(ROLLS)
def test_number_boxes_share_out_the_dice(roll: tuple[int, ...]) -> None:
    """Every die counts in just one number box."""
    scores = {place.box: place.points for place in Sheet.empty(GAME).placements(roll)}
    assert sum(scores[box] for box in NUMBERS) == sum(roll)


@pytest.mark.parametrize(
    ("roll", "score"),
    [("33356", 20), ("33336", 18), ("33333", 15), ("66655", 28), ("11124", 9), ("33456", 0), ("33445", 0)],
)
def test_three_of_a_kind(roll: str, score: int) -> None:
    """At least three alike: all of the dice added up, else 0."""
    assert points(roll)["three-of-a-kind"] == score


@pytest.mark.parametrize(
    ("roll", "score"),
    [("33336", 18), ("66661", 25), ("33333", 15), ("33356", 0), ("33366", 0), ("12345", 0)],
)
def test_four_of_a_kind(roll: str, score: int) -> None:
    """At least four alike: all of the dice added up, else 0."""
    assert points(roll)["four-of-a-kind"] == score


@pytest.mark.parametrize(
    ("roll", "score"),
    [("22333", 25), ("33222", 25), ("16161", 25), ("33333", 0), ("33332", 0), ("22334", 0), ("22234", 0)],
)
def test_full_house(roll: str, score: int) -> None:
    """Two of one number and three of another: 25, anything else 0; five alike are not two numbers."""
    assert points(roll)["full-house"] == score


@pytest.mark.parametrize("row", ["1234", "2345", "3456"])
@pytest.mark.parametrize("fifth", "123456")
def test_low_straight(row: str, fifth: str) -> None:
    """Four numbers in a row, whatever the fifth die shows: 30."""
    assert points(row + fifth)["low-straight"] == 30
    assert points(fifth + row[::-1])["low-straight"] == 30


@pytest.mark.parametrize("roll", ["12356", "12456", "12335", "13451", "11223", "66666", "12466"])
def test_low_straight_anything_else(roll: str) -> None:
    """Anything else scores 0."""
    assert points(roll)["low-straight"] == 0


@pytest.mark.parametrize(
    ("roll", "score"),
    [("12345", 40), ("23456", 40), ("64253", 40), ("12346", 0), ("13456", 0), ("12344", 0), ("12356", 0), ("55555", 0)],
)
def test_high_straight(roll: str, score: int) -> None:
    """1,2,3,4,5 or 2,3,4,5,6: 40, anything else 0."""
    assert points(roll)["high-straight"] == score


@pytest.mark.parametrize(
    ("roll", "score"), [("11111", 50), ("44444", 50), ("66666", 50), ("66665", 0), ("33322", 0), ("12345", 0)]
)
def test_yahtzee(roll: str, score: int) -> None:
    """All five the same: 50, anything else 0."""
    assert points(roll)["yahtzee"] == score


@pytest.mark.parametrize(("roll", "score"), [("11111", 5), ("12346", 16), ("66666", 30), ("25252", 16)])
def test_chance(roll: str, score: int) -> None:
    """All the dice added up."""
    assert points(roll)["chance"] == score


@given(ROLLS)
def test_chance_is_never_zero(roll: tuple[int, ...]) -> None:
    """It is impossible to score zero in chance."""
    scores = {place.box: place.points for place in Sheet.empty(GAME).placements(roll)}
    assert scores["chance"] == sum(roll) >= 5


def test_scoring_zero() -> None:
    """A roll that does not match may be placed anyway, scores zero and fills the box."""
    for box in BOXES:
        if box == "chance":
            continue
        roll = "11335" if box not in ("ones", "threes", "fives") else "22446"
        sheet = Sheet.empty(GAME).place(dice(roll), box)
        assert (str(sheet), sheet.turn, sheet.total) == (f"{box}=0", 1, 0)
        assert box not in {place.box for place in sheet.placements(dice(roll))}


@pytest.mark.parametrize(
    ("sheet", "score"),
    [
        ("ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18", 63 + 35),
        ("ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18", 62),
        ("ones=4 twos=6 threes=9 fours=12 fives=15 sixes=18", 64 + 35),
        ("ones=0 twos=6 threes=9 fours=12 fives=15 sixes=24", 66 + 35),
        ("ones=0 twos=0 threes=12 fours=12 fives=15 sixes=24", 63 + 35),
        ("fours=20 fives=25 sixes=18", 63 + 35),
        ("threes=9 fours=12 fives=15 sixes=18", 54),
        ("ones=2 twos=6 threes=9 fours=12 fives=15 sixes=18 three-of-a-kind=30 chance=30", 122),
        ("ones=5 twos=10 threes=15 fours=20 fives=25 sixes=30", 105 + 35),
    ],
)
def test_left_hand_bonus(sheet: str, score: int) -> None:
    """63 or more in ones to sixes adds 35, once, however the points are spread."""
    assert total(sheet) == score


def test_left_hand_bonus_comes_by_itself() -> None:
    """The bonus is scored automatically by the placement that reaches 63."""
    sheet = Sheet.parse(GAME, "twos=6 threes=9 fours=12 fives=15 sixes=18")
    assert sheet.total == 60
    assert sheet.place(dice("11124"), "ones").total == 98
    assert sheet.place(dice("11234"), "ones").total == 62


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
NO_JOKER = JOKER | {"fours": 20, "full-house": 0, "low-straight": 0, "high-straight": 0}


@pytest.mark.parametrize(
    ("sheet", "scores"),
    [
        pytest.param("yahtzee=50 fours=12", JOKER, id="joker"),
        pytest.param("yahtzee=0 fours=12", JOKER, id="joker after a zero in yahtzee"),
        pytest.param("yahtzee=50 fours=0", JOKER, id="joker after a zero in fours"),
        pytest.param("", NO_JOKER | {"yahtzee": 50}, id="both open"),
        pytest.param("yahtzee=50", NO_JOKER, id="fours open"),
        pytest.param("yahtzee=0", NO_JOKER, id="fours open, yahtzee zero"),
        pytest.param(
            "fours=12",
            {box: score for box, score in NO_JOKER.items() if box != "fours"} | {"yahtzee": 50},
            id="yahtzee open",
        ),
        pytest.param(
            "yahtzee=50 fives=15",
            {box: score for box, score in NO_JOKER.items() if box != "fives"},
            id="another number filled",
        ),
    ],
)
def test_yahtzee_joker(sheet: str, scores: dict[str, int]) -> None:
    """A joker needs yahtzee and its number box filled; every box may still be chosen."""
    assert points("44444", sheet) == scores


def test_yahtzee_joker_is_five_alike() -> None:
    """Four alike are no joker."""
    scores = points("44445", "yahtzee=50 fours=12 fives=15")
    assert [scores[box] for box in ("full-house", "low-straight", "high-straight")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("sheet", "paid"),
    [
        pytest.param(
            "yahtzee=50 fours=12",
            {"three-of-a-kind", "four-of-a-kind", "full-house", "low-straight", "high-straight", "chance"},
            id="joker",
        ),
        pytest.param(
            "yahtzee=50", {"fours", "three-of-a-kind", "four-of-a-kind", "chance"}, id="no joker, fours still open"
        ),
        pytest.param("yahtzee=0 fours=12", set(), id="zero in yahtzee"),
        pytest.param("yahtzee=0", set(), id="zero in yahtzee, fours open"),
        pytest.param("", set(), id="yahtzee open"),
        pytest.param("fours=12", set(), id="yahtzee open, fours filled"),
    ],
)
def test_yahtzee_bonus(sheet: str, paid: set[str]) -> None:
    """100 more if yahtzee holds points already and the roll scores where it is placed."""
    earned = bonuses("44444", sheet)
    assert {box: bonus for box, bonus in earned.items() if bonus} == dict.fromkeys(paid, 100)


def test_yahtzee_bonus_needs_a_yahtzee() -> None:
    """Any other roll earns none."""
    assert set(bonuses("44443", "yahtzee=50").values()) == {0}


def test_yahtzee_bonus_needs_points_in_this_round() -> None:
    """A yahtzee scored in an earlier round does not count."""
    match = play_round(Match.start(GAME, players=1, rounds=2), dict.fromkeys(BOXES, "66666"))
    assert {place.bonus for place in match.sheet.placements(dice("66666"))} == {0}


def test_yahtzee_bonus_is_no_part_of_the_left_hand_side() -> None:
    """The 100 goes to the total, never towards the 63."""
    before = Sheet.parse(GAME, "twos=2 threes=9 fours=12 fives=15 sixes=18 yahtzee=50")
    sheet = before.place(dice("11111"), "ones")
    assert sheet.number_total(0) == 61
    assert sheet.total == 50 + 61 + 100


def test_yahtzee_bonus_has_no_upper_limit() -> None:
    """Thirteen yahtzees: twelve bonuses, and the highest total there is."""
    order = ("yahtzee", *NUMBERS, *(box for box in LOWER if box != "yahtzee"))
    rolls = dict.fromkeys(order, "66666") | {box: str(i) * 5 for i, box in enumerate(NUMBERS, start=1)}
    match = play_round(Match.start(GAME, players=1), rolls)
    assert match.sheets[0].repeat_bonus == 1200
    assert match.totals == (1575,)


@pytest.fixture(scope="module")
def advisor() -> Advisor:
    return Advisor(solve_game(GAME))


@pytest.mark.parametrize("yahtzee", [50, 0])
@pytest.mark.parametrize("rolls_left", [2, 1])
def test_a_note_about_yahtzees(advisor: Advisor, yahtzee: int, rolls_left: int) -> None:
    """With only ones left there is no reason to keep any of 5-5-5-5-5: it scores 0 there, without a bonus."""
    sheet = Sheet.parse(GAME, f"{ALL_BUT_ONES} yahtzee={yahtzee}")
    assert sheet.turn == 12
    assert [(place.box, place.points, place.bonus) for place in sheet.placements(dice("55555"))] == [("ones", 0, 0)]
    advice = advisor.advise(sheet, "55555", rolls_left=rolls_left)
    assert advice.options[0].keep == ()
    assert all(option.loss > 0.1 for option in advice.options[1:])


SCORED_ROUND = {
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


def test_ending_the_round() -> None:
    """After 13 turns each the round ends, points and bonuses are added up and all spaces open again."""
    match = Match.start(GAME, players=2, rounds=2)
    turns = 0
    for box, roll in SCORED_ROUND.items():
        for _ in range(2):
            assert match.round == 1
            match = match.place(dice(roll), box)
            turns += 1
    assert turns == 26
    one_round = 63 + 35 + 24 + 21 + 25 + 30 + 40 + 50 + 24
    assert (match.round, match.is_over) == (2, False)
    assert match.earlier == ((one_round, one_round),) == ((312, 312),)
    assert [str(sheet) for sheet in match.sheets] == ["", ""]
    match = play_round(match, SCORED_ROUND)
    assert match.is_over
    with pytest.raises(InputError, match="the match is over"):
        match.place(dice("11111"), "ones")


def test_the_winner() -> None:
    """The most points over all rounds win."""
    match = Match.start(GAME, players=2, rounds=2)
    for number in range(2):
        for box, roll in SCORED_ROUND.items():
            match = match.place(dice(roll), box)
            with pytest.raises(InputError, match="winners are known once it is over"):
                _ = match.winners
            better = box == "chance" and number == 1
            match = match.place(dice("66666" if better else roll), box)
    # 66666 in chance is 30 points and, with a yahtzee scored before, 100 more; the others had 24 there.
    assert match.totals == (624, 730)
    assert match.winners == (1,)


def by_the_sheet(roll: tuple[int, ...]) -> dict[str, int]:
    """An independent reading of the sheet for an empty scoresheet."""
    alike = sorted(Counter(roll).values())
    row = "".join(str(face) if face in roll else " " for face in range(1, 7))
    scores = {box: sum(die for die in roll if die == face) for face, box in enumerate(NUMBERS, start=1)}
    scores["three-of-a-kind"] = sum(roll) if alike[-1] >= 3 else 0
    scores["four-of-a-kind"] = sum(roll) if alike[-1] >= 4 else 0
    scores["full-house"] = 25 if alike == [2, 3] else 0
    scores["low-straight"] = 30 if any(part in row for part in ("1234", "2345", "3456")) else 0
    scores["high-straight"] = 40 if any(part in row for part in ("12345", "23456")) else 0
    scores["yahtzee"] = 50 if alike == [5] else 0
    scores["chance"] = sum(roll)
    return scores


@given(ROLLS)
def test_every_roll_in_every_box(roll: tuple[int, ...]) -> None:
    """Any roll in any order scores what the sheet says."""
    assert {place.box: place.points for place in Sheet.empty(GAME).placements(roll)} == by_the_sheet(roll)


@given(ROLLS.flatmap(lambda roll: st.tuples(st.just(roll), st.permutations(roll).map(tuple))))
def test_the_order_of_the_dice_does_not_matter(rolls: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """A roll is what the dice show, wherever they lie."""
    roll, shuffled = rolls
    sheet = Sheet.parse(GAME, "yahtzee=50 fours=12")
    assert sheet.placements(roll) == sheet.placements(shuffled)
