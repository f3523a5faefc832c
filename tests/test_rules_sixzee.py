"""Sixzee by its rule sheet (freethedice.com): one test for each section, with the numbers printed there."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.match import Match, play_match, starting_player
from solver import InputError, Sheet, find_game
from tests.sheets import NUMBERS, dice, loaded, thrown

GAME = find_game("sixzee")
KINDS = ("three-of-a-kind", "four-of-a-kind", "five-of-a-kind")
PAIRS_AND_TRIPLES = ("3-2-1", "three-pairs", "two-triples")
STRAIGHTS = ("low-straight", "high-straight", "super-straight")
BOXES = (*NUMBERS, *KINDS, *PAIRS_AND_TRIPLES, *STRAIGHTS, "sixzee", "chance")
ALL_BUT_CHANCE = (
    "ones=4 twos=8 threes=12 fours=16 fives=20 sixes=24 three-of-a-kind=20 four-of-a-kind=21 five-of-a-kind=26 "
    "3-2-1=20 three-pairs=24 two-triples=27 low-straight=20 high-straight=30 super-straight=40 sixzee=60"
)

ROLLS = st.lists(st.integers(1, 6), min_size=6, max_size=6).map(tuple)


def points(roll: str, sheet: str = "") -> dict[str, int]:
    """What a roll scores in each open box."""
    return {place.box: place.points for place in Sheet.parse(GAME, sheet).placements(dice(roll))}


def total(sheet: str) -> int:
    return Sheet.parse(GAME, sheet).total


def play_round(match: Match, rolls: dict[str, str]) -> Match:
    """Every player in turn places the same roll in each box."""
    for box, roll in rolls.items():
        for _ in match.sheets:
            match = match.place(dice(roll), box)
    return match


def test_what_do_you_need_to_play_sixzee() -> None:
    """Any number of players from one, six six-sided dice, a scoresheet each; the highest die starts."""
    for players in (1, 2, 4, 1000):
        assert len(Match.start(GAME, players=players).sheets) == players
    with pytest.raises(InputError, match="players of Sixzee: 0 given, allowed are 1 or more"):
        Match.start(GAME, players=0)
    assert (GAME.dice, GAME.faces) == (6, 6)
    assert tuple(box.name for box in GAME.boxes) == BOXES
    assert len(GAME.columns) == 1
    match = Match.start(GAME, players=2).place(dice("666666"), "sixzee")
    assert [str(sheet) for sheet in match.sheets] == ["sixzee=60", ""]
    assert starting_player(3, loaded("253")) == 1
    tie = loaded("4414", "226")
    assert starting_player(4, tie) == 3
    assert thrown(tie) == [4, 3]


@pytest.mark.parametrize("rounds", [1, 6, 7, 20])
def test_any_number_of_rounds(rounds: int) -> None:
    """Most common is one round at a time, but any number of rounds can be played."""
    assert Match.start(GAME, players=2).rounds == 1
    assert Match.start(GAME, players=2, rounds=rounds).rounds == rounds


def test_turn_sequence() -> None:
    """All six dice first, twice more those not kept, then one empty box, filled for the rest of the round."""
    match = replace(Match.start(GAME, players=1), sheets=(Sheet.parse(GAME, ALL_BUT_CHANCE),))
    player = Mock(**{"keep.side_effect": [(6, 6), ()], "place.return_value": (0, "chance")})
    rng = loaded("626134", "1553", "234561")
    played = play_match(match, [player], rng)
    assert thrown(rng) == [6, 4, 6]
    assert [call.args[1:] for call in player.keep.call_args_list] == [
        ((1, 2, 3, 4, 6, 6), 2),
        ((1, 3, 5, 5, 6, 6), 1),
    ]
    assert str(played.sheets[0]) == ALL_BUT_CHANCE + " chance=21"

    content = Mock(**{"keep.side_effect": [(1, 2, 3, 4, 6, 6)], "place.return_value": (0, "chance")})
    rng = loaded("626134")
    assert str(play_match(match, [content], rng).sheets[0]) == ALL_BUT_CHANCE + " chance=22"
    assert thrown(rng) == [6]

    two = Match.start(GAME, players=2, first=1)
    assert two.player == 1
    two = two.place(dice("222222"), "ones")
    assert (two.player, str(two.sheets[1])) == (0, "ones=0")
    two = two.place(dice("123456"), "chance")
    with pytest.raises(InputError, match="cannot be placed in 'ones'"):
        two.place(dice("111111"), "ones")


def test_score_placement() -> None:
    """Any space that does not have a score, zero included."""
    assert tuple(points("134566")) == BOXES
    assert tuple(points("134566", "ones=0 chance=18")) == tuple(box for box in BOXES if box not in ("ones", "chance"))


@pytest.mark.parametrize(
    ("roll", "scores"),
    [
        ("111111", (6, 0, 0, 0, 0, 0)),
        ("112233", (2, 4, 6, 0, 0, 0)),
        ("444556", (0, 0, 0, 12, 10, 6)),
        ("123456", (1, 2, 3, 4, 5, 6)),
        ("666666", (0, 0, 0, 0, 0, 36)),
    ],
)
def test_ones_twos_threes_fours_fives_sixes(roll: str, scores: tuple[int, ...]) -> None:
    """Only the dice of that number are added up."""
    assert tuple(points(roll)[box] for box in NUMBERS) == scores


@given(ROLLS)
def test_number_boxes_share_out_the_dice(roll: tuple[int, ...]) -> None:
    """Every die counts in just one number box."""
    scores = {place.box: place.points for place in Sheet.empty(GAME).placements(roll)}
    assert sum(scores[box] for box in NUMBERS) == sum(roll)


@pytest.mark.parametrize(
    ("roll", "score"),
    [("333561", 21), ("333356", 23), ("333336", 21), ("333333", 18), ("444111", 15), ("334455", 0), ("123456", 0)],
)
def test_three_of_a_kind(roll: str, score: int) -> None:
    """At least three alike: all six dice added up."""
    assert points(roll)["three-of-a-kind"] == score


@pytest.mark.parametrize(
    ("roll", "score"), [("333356", 23), ("333336", 21), ("333333", 18), ("333666", 0), ("333561", 0)]
)
def test_four_of_a_kind(roll: str, score: int) -> None:
    """At least four alike: all six dice added up."""
    assert points(roll)["four-of-a-kind"] == score


@pytest.mark.parametrize(("roll", "score"), [("333336", 21), ("111116", 11), ("333333", 18), ("333366", 0)])
def test_five_of_a_kind(roll: str, score: int) -> None:
    """At least five alike: all six dice added up."""
    assert points(roll)["five-of-a-kind"] == score


@pytest.mark.parametrize(
    ("roll", "score"),
    [
        ("333221", 14),
        ("666554", 32),
        ("121314", 0),
        ("123123", 0),
        ("333222", 0),
        ("333322", 0),
        ("333321", 0),
        ("333331", 0),
        ("333333", 0),
        ("332211", 0),
    ],
)
def test_3_2_1(roll: str, score: int) -> None:
    """Three, two and one of three different numbers: all six dice added up."""
    assert points(roll)["3-2-1"] == score


@pytest.mark.parametrize(
    ("roll", "score"),
    [
        ("22-33-22", 14),
        ("11-22-33", 12),
        ("33-33-33", 18),
        ("222333", 0),
        ("112234", 0),
        ("222234", 0),
        ("123456", 0),
    ],
)
def test_three_pairs(roll: str, score: int) -> None:
    """Three pairs, which need not differ: all six dice added up; the three examples of the sheet."""
    assert points(roll)["three-pairs"] == score


@given(ROLLS)
def test_three_pairs_by_trying(roll: tuple[int, ...]) -> None:
    """Three pairs are there just when some order of the dice lays them out in pairs."""
    in_pairs = any(a == b and c == d and e == f for a, b, c, d, e, f in set(permutations(roll)))
    scores = {place.box: place.points for place in Sheet.empty(GAME).placements(roll)}
    assert scores["three-pairs"] == (sum(roll) if in_pairs else 0)


@pytest.mark.parametrize(
    ("roll", "score"), [("444-111", 15), ("555-555", 30), ("333-666", 27), ("444411", 0), ("444115", 0), ("123456", 0)]
)
def test_two_triples(roll: str, score: int) -> None:
    """Two triples, which need not differ: all six dice added up; the three examples of the sheet."""
    assert points(roll)["two-triples"] == score


@given(ROLLS)
def test_two_triples_by_trying(roll: tuple[int, ...]) -> None:
    """Two triples are there just when some order of the dice lays them out in triples."""
    in_triples = any(a == b == c and d == e == f for a, b, c, d, e, f in set(permutations(roll)))
    scores = {place.box: place.points for place in Sheet.empty(GAME).placements(roll)}
    assert scores["two-triples"] == (sum(roll) if in_triples else 0)


@pytest.mark.parametrize("row", ["1234", "2345", "3456"])
@pytest.mark.parametrize("others", ["11", "16", "25", "34", "44", "66"])
def test_low_straight(row: str, others: str) -> None:
    """1,2,3,4 or 2,3,4,5 or 3,4,5,6: 20 points."""
    assert points(others + row)["low-straight"] == 20


@pytest.mark.parametrize("roll", ["123566", "124556", "112233", "666666", "134166"])
def test_low_straight_anything_else(roll: str) -> None:
    """Without four in a row there is nothing to score."""
    assert points(roll)["low-straight"] == 0


@pytest.mark.parametrize(
    ("roll", "score"),
    [("123451", 30), ("234562", 30), ("543216", 30), ("123466", 0), ("134566", 0), ("123566", 0), ("555555", 0)],
)
def test_high_straight(roll: str, score: int) -> None:
    """1,2,3,4,5 or 2,3,4,5,6: 30 points."""
    assert points(roll)["high-straight"] == score


@pytest.mark.parametrize(("roll", "score"), [("123456", 40), ("642135", 40), ("123455", 0), ("223456", 0)])
def test_super_straight(roll: str, score: int) -> None:
    """1 to 6: 40 points."""
    assert points(roll)["super-straight"] == score


@pytest.mark.parametrize(("roll", "score"), [("111111", 60), ("444444", 60), ("666665", 0), ("333666", 0)])
def test_sixtzee(roll: str, score: int) -> None:
    """All six the same: 60 points."""
    assert points(roll)["sixzee"] == score


@given(ROLLS)
def test_chance(roll: tuple[int, ...]) -> None:
    """All the dice added up, which is never zero."""
    scores = {place.box: place.points for place in Sheet.empty(GAME).placements(roll)}
    assert scores["chance"] == sum(roll) >= 6


def test_scoring_zero() -> None:
    """A roll that does not match may be placed at any point, scores zero and fills the box."""
    for box in BOXES:
        if box == "chance":
            continue
        roll = "111335" if box not in ("ones", "threes", "fives", "three-of-a-kind", "3-2-1") else "224466"
        sheet = Sheet.empty(GAME).place(dice(roll), box)
        assert (str(sheet), sheet.turn, sheet.total) == (f"{box}=0", 1, 0)
        assert box not in {place.box for place in sheet.placements(dice(roll))}


@pytest.mark.parametrize(
    ("sheet", "score"),
    [
        ("ones=4 twos=8 threes=12 fours=16 fives=20 sixes=24", 84 + 30),
        ("ones=3 twos=8 threes=12 fours=16 fives=20 sixes=24", 83),
        ("ones=5 twos=8 threes=12 fours=16 fives=20 sixes=24", 85 + 30),
        ("ones=0 twos=8 threes=12 fours=16 fives=20 sixes=30", 86 + 30),
        ("ones=0 twos=0 threes=18 fours=16 fives=20 sixes=30", 84 + 30),
        ("fours=24 fives=30 sixes=30", 84 + 30),
        ("ones=3 twos=8 threes=12 fours=16 fives=20 sixes=24 chance=30", 113),
        ("ones=6 twos=12 threes=18 fours=24 fives=30 sixes=36", 126 + 30),
    ],
)
def test_numbers_bonus(sheet: str, score: int) -> None:
    """84 or more in ones to sixes adds 30, once, however the points are spread."""
    assert total(sheet) == score


@pytest.mark.parametrize(
    ("sheet", "score"),
    [
        ("three-of-a-kind=20 four-of-a-kind=21 five-of-a-kind=26", 67 + 30),
        ("three-of-a-kind=0 four-of-a-kind=21 five-of-a-kind=26", 47),
        ("three-of-a-kind=20 four-of-a-kind=0 five-of-a-kind=26", 46),
        ("three-of-a-kind=20 four-of-a-kind=21 five-of-a-kind=0", 41),
        ("three-of-a-kind=20 four-of-a-kind=21", 41),
    ],
)
def test_kinds_bonus(sheet: str, score: int) -> None:
    """More than zero in three, four and five of a kind adds 30."""
    assert total(sheet) == score


@pytest.mark.parametrize(
    ("sheet", "score"),
    [
        ("3-2-1=14 three-pairs=12 two-triples=27", 53 + 30),
        ("3-2-1=0 three-pairs=12 two-triples=27", 39),
        ("3-2-1=14 three-pairs=0 two-triples=27", 41),
        ("3-2-1=14 three-pairs=12 two-triples=0", 26),
        ("three-pairs=12 two-triples=27", 39),
    ],
)
def test_pairs_and_triples_bonus(sheet: str, score: int) -> None:
    """More than zero in 3-2-1, three pairs and two triples adds 30."""
    assert total(sheet) == score


@pytest.mark.parametrize(
    ("sheet", "score"),
    [
        ("low-straight=20 high-straight=30 super-straight=40", 90 + 30),
        ("low-straight=0 high-straight=30 super-straight=40", 70),
        ("low-straight=20 high-straight=0 super-straight=40", 60),
        ("low-straight=20 high-straight=30 super-straight=0", 50),
        ("low-straight=20 super-straight=40", 60),
    ],
)
def test_straights_bonus(sheet: str, score: int) -> None:
    """More than zero in low, high and super straight adds 30."""
    assert total(sheet) == score


def test_bonuses() -> None:
    """Four bonuses of 30, each for its own area and by itself."""
    sheet = Sheet.parse(GAME, "high-straight=30 super-straight=40")
    assert sheet.total == 70
    assert sheet.place(dice("123411"), "low-straight").total == 120
    assert sheet.place(dice("123511"), "low-straight").total == 70
    numbers, kinds, pairs, straights = 84 + 30, 20 + 21 + 26 + 30, 20 + 24 + 27 + 30, 20 + 30 + 40 + 30
    assert total(ALL_BUT_CHANCE) == numbers + kinds + pairs + straights + 60 == 492


JOKER = {
    "ones": 0,
    "twos": 0,
    "threes": 0,
    "fives": 0,
    "sixes": 0,
    "three-of-a-kind": 24,
    "four-of-a-kind": 24,
    "five-of-a-kind": 24,
    "3-2-1": 24,
    "three-pairs": 24,
    "two-triples": 24,
    "low-straight": 20,
    "high-straight": 30,
    "super-straight": 40,
    "chance": 24,
}
NO_JOKER = JOKER | {"fours": 24, "3-2-1": 0, "low-straight": 0, "high-straight": 0, "super-straight": 0}


@pytest.mark.parametrize(
    ("sheet", "scores"),
    [
        pytest.param("sixzee=60 fours=16", JOKER, id="joker"),
        pytest.param("sixzee=0 fours=16", JOKER, id="joker after a zero in sixzee"),
        pytest.param("sixzee=60 fours=0", JOKER, id="joker after a zero in fours"),
        pytest.param("", NO_JOKER | {"sixzee": 60}, id="both open"),
        pytest.param("sixzee=60", NO_JOKER, id="fours open"),
        pytest.param("sixzee=0", NO_JOKER, id="fours open, sixzee zero"),
        pytest.param(
            "fours=16",
            {box: score for box, score in NO_JOKER.items() if box != "fours"} | {"sixzee": 60},
            id="sixzee open",
        ),
        pytest.param(
            "sixzee=60 fives=20",
            {box: score for box, score in NO_JOKER.items() if box != "fives"},
            id="another number filled",
        ),
    ],
)
def test_sixzee_joker(sheet: str, scores: dict[str, int]) -> None:
    """A joker needs sixzee and its number box filled; every box may still be chosen."""
    assert points("444444", sheet) == scores


def test_sixzee_joker_is_six_alike() -> None:
    """Five alike are no joker."""
    scores = points("444445", "sixzee=60 fours=16 fives=20")
    assert [scores[box] for box in (*PAIRS_AND_TRIPLES, *STRAIGHTS)] == [0, 0, 0, 0, 0, 0]


def test_sixzee_joker_counts_for_the_bonuses() -> None:
    """A joker scores more than zero, which is all the bonuses ask for."""
    sheet = Sheet.parse(GAME, "fours=16 sixzee=0")
    for box in (*PAIRS_AND_TRIPLES, *STRAIGHTS):
        sheet = sheet.place(dice("444444"), box)
    assert sheet.total == 16 + (24 + 24 + 24 + 30) + (20 + 30 + 40 + 30)


@pytest.mark.parametrize(
    ("sheet", "paid"),
    [
        pytest.param("sixzee=60 fours=16", {*KINDS, *PAIRS_AND_TRIPLES, *STRAIGHTS, "chance"}, id="joker"),
        pytest.param(
            "sixzee=60", {"fours", *KINDS, "three-pairs", "two-triples", "chance"}, id="no joker, fours still open"
        ),
        pytest.param("sixzee=0 fours=16", set(), id="zero in sixzee"),
        pytest.param("sixzee=0", set(), id="zero in sixzee, fours open"),
        pytest.param("", set(), id="sixzee open"),
        pytest.param("fours=16", set(), id="sixzee open, fours filled"),
    ],
)
def test_sixzee_bonus(sheet: str, paid: set[str]) -> None:
    """100 more if sixzee holds points already and the roll scores where it is placed."""
    placements = Sheet.parse(GAME, sheet).placements(dice("444444"))
    assert {place.box: place.bonus for place in placements if place.bonus} == dict.fromkeys(paid, 100)
    assert all(place.gain == place.points + place.bonus for place in placements)


def test_sixzee_bonus_needs_a_sixzee() -> None:
    """Any other roll earns none."""
    assert {place.bonus for place in Sheet.parse(GAME, "sixzee=60").placements(dice("444443"))} == {0}


def test_sixzee_bonus_is_no_part_of_the_left_hand_side() -> None:
    """The 100 goes to the total, never towards the 84."""
    sheet = Sheet.parse(GAME, "twos=4 threes=12 fours=16 fives=20 sixes=24 sixzee=60").place(dice("111111"), "ones")
    assert sheet.number_total(0) == 82
    assert sheet.total == 60 + 82 + 100


def test_sixzee_bonus_in_this_round() -> None:
    """A bonus for each further sixzee, but a sixzee of an earlier round does not count."""
    rolls = {"sixzee": "666666", "sixes": "666666", **dict.fromkeys(BOXES, "666666")}
    match = play_round(Match.start(GAME, players=1, rounds=2), rolls)
    numbers, kinds, pairs, straights = 36, 3 * 36 + 30, 3 * 36 + 30, 20 + 30 + 40 + 30
    assert match.earlier == ((60 + numbers + kinds + pairs + straights + 36 + 11 * 100,),)
    assert {place.bonus for place in match.sheet.placements(dice("666666"))} == {0}


SCORED_ROUND = {
    "ones": "111123",
    "twos": "222213",
    "threes": "333312",
    "fours": "444412",
    "fives": "555512",
    "sixes": "666612",
    "three-of-a-kind": "666521",
    "four-of-a-kind": "555521",
    "five-of-a-kind": "555551",
    "3-2-1": "333221",
    "three-pairs": "112233",
    "two-triples": "333666",
    "low-straight": "123411",
    "high-straight": "234562",
    "super-straight": "123456",
    "sixzee": "111111",
    "chance": "665432",
}


def test_ending_the_round() -> None:
    """After 17 turns each the round ends, points and bonuses are added up and all spaces open again."""
    match = Match.start(GAME, players=2, rounds=2)
    turns = 0
    for box, roll in SCORED_ROUND.items():
        for _ in range(2):
            assert match.round == 1
            match = match.place(dice(roll), box)
            turns += 1
    assert turns == 34
    numbers, kinds, pairs, straights = 84 + 30, 26 + 23 + 26 + 30, 14 + 12 + 27 + 30, 20 + 30 + 40 + 30
    one_round = numbers + kinds + pairs + straights + 60 + 26
    assert (match.round, match.is_over) == (2, False)
    assert match.earlier == ((one_round, one_round),) == ((508, 508),)
    assert [str(sheet) for sheet in match.sheets] == ["", ""]
    assert play_round(match, SCORED_ROUND).is_over


def test_the_winner() -> None:
    """The most points over all rounds win."""
    match = Match.start(GAME, players=2, rounds=2)
    for number in range(2):
        for box, roll in SCORED_ROUND.items():
            match = match.place(dice(roll), box)
            worse = box == "super-straight" and number == 0
            match = match.place(dice("123455" if worse else roll), box)
    # A zero in super straight costs its 40 points and the bonus of 30.
    assert match.totals == (1016, 946)
    assert match.winners == (0,)


def by_the_sheet(roll: tuple[int, ...]) -> dict[str, int]:
    """An independent reading of the sheet for an empty scoresheet."""
    alike = sorted(Counter(roll).values())
    row = "".join(str(face) if face in roll else " " for face in range(1, 7))
    scores = {box: sum(die for die in roll if die == face) for face, box in enumerate(NUMBERS, start=1)}
    matches = {
        "three-of-a-kind": alike[-1] >= 3,
        "four-of-a-kind": alike[-1] >= 4,
        "five-of-a-kind": alike[-1] >= 5,
        "3-2-1": alike == [1, 2, 3],
        "three-pairs": alike in ([2, 2, 2], [2, 4], [6]),
        "two-triples": alike in ([3, 3], [6]),
        "chance": True,
    }
    scores |= {box: sum(roll) if match else 0 for box, match in matches.items()}
    scores["low-straight"] = 20 if any(part in row for part in ("1234", "2345", "3456")) else 0
    scores["high-straight"] = 30 if any(part in row for part in ("12345", "23456")) else 0
    scores["super-straight"] = 40 if row == "123456" else 0
    scores["sixzee"] = 60 if alike == [6] else 0
    return scores


@given(ROLLS)
def test_every_roll_in_every_box(roll: tuple[int, ...]) -> None:
    """Any roll in any order scores what the sheet says."""
    assert {place.box: place.points for place in Sheet.empty(GAME).placements(roll)} == by_the_sheet(roll)


@given(ROLLS.flatmap(lambda roll: st.tuples(st.just(roll), st.permutations(roll).map(tuple))))
def test_the_order_of_the_dice_does_not_matter(rolls: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    """A roll is what the dice show, wherever they lie."""
    roll, shuffled = rolls
    sheet = Sheet.parse(GAME, "sixzee=60 fours=16")
    assert sheet.placements(roll) == sheet.placements(shuffled)
