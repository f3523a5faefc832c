"""Sheets as text: legal ones are read, illegal ones refused with one sentence."""

from __future__ import annotations

import random

import pytest

from solver import InputError, Sheet, find_game, variant_names
from tests.random_play import random_sheet


@pytest.mark.parametrize("name", variant_names())
def test_every_position_of_play_can_be_written_and_read(name: str) -> None:
    game, rng = find_game(name), random.Random(3)
    for _ in range(150):
        sheet = random_sheet(game, rng)
        assert Sheet.parse(game, str(sheet)) == sheet


def test_spaces_commas_and_order_do_not_matter() -> None:
    game = find_game("yahtzee")
    assert Sheet.parse(game, " twos=4,  ones=3 ") == Sheet.parse(game, "ones=3 twos=4")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("yahtzee", "ones=7", "ones=7 cannot be: allowed are 0 to 5"),
        ("yahtzee", "twos=3", "twos=3 cannot be: allowed are 0, 2, 4, 6, 8, 10"),
        ("yahtzee", "full-house=20", "full-house=20 cannot be: allowed are 0, 25"),
        ("yahtzee", "chance=4", "chance=4 cannot be: allowed are 5 to 30"),
        ("yahtzee", "ones=3 ones=3", "box 'ones' is given twice"),
        ("yahtzee", "one=3", "unknown box 'one': did you mean 'ones'"),
        ("yahtzee", "ones", "'ones' is not of the form box=points"),
        ("yahtzee", "ones=-1", "'ones=-1' is not of the form"),
        ("yahtzee", "2:ones=1", "the sheet has one column"),
        ("yahtzee", "bonus=100", "needs points in the yahtzee box"),
        ("yahtzee", "yahtzee=0 ones=5 bonus=100", "needs points in the yahtzee box"),
        ("yahtzee", "yahtzee=50 ones=5 bonus=50", "a multiple of 100 is needed"),
        ("yahtzee", "yahtzee=50 ones=5 bonus=200", "the filled boxes allow for 0, 100"),
        ("yahtzee", "yahtzee=50 ones=3 bonus=100", "the filled boxes allow for 0"),
        ("yahtzee", "yahtzee=50 bonus=0 bonus=0", "bonus is given once"),
        ("plain", "yahtzee=50 ones=5 bonus=100", "this game has no repeat bonus"),
        ("yahtzee", f"ones={'1' * 5000}", "is not of the form"),
        ("yahtzee", "ones=٣", "is not of the form"),
        ("triple-yahtzee", "1:yahtzee=50 2:yahtzee=50 3:yahtzee=50 3:ones=5 bonus=100", "allow for 0, 300"),
        ("yatzy", "bonus=100", "this game has no repeat bonus"),
        ("sixzee", "3-2-1=6", "3-2-1=6 cannot be"),
        ("sixzee", "3-2-1=6 sixzee=60", "3-2-1=6 cannot be"),
        ("triple-yahtzee", "ones=3", "needs its column in front, as in 1:ones=3"),
        ("triple-yahtzee", "4:ones=3", "the sheet has columns 1 to 3"),
        ("triple-yahtzee", "1:yahtzee=50 2:yahtzee=50 1:ones=5 bonus=100", "needs points in the yahtzee box"),
    ],
)
def test_an_illegal_sheet_is_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Sheet.parse(find_game(name), text)


def test_points_only_a_joker_can_score_need_the_boxes_a_joker_needs() -> None:
    """111111 scores 6 in 3-2-1, once sixzee and ones are filled; no other roll does."""
    game = find_game("sixzee")
    assert Sheet.parse(game, "3-2-1=6 sixzee=0 ones=3").total == 9


def test_a_repeat_bonus_beside_a_zero_needs_rules_that_pay_it_there() -> None:
    """By `verhoeff` any zero can have earned +100, by `hasbro` only one that was forced, by the sheet none."""
    text = "yahtzee=50 twos=4 ones=0 bonus=100"
    lower = "three-of-a-kind=0 four-of-a-kind=0 full-house=0 low-straight=0 high-straight=0 chance=11"
    assert Sheet.parse(find_game("verhoeff"), text).total == 154
    assert Sheet.parse(find_game("hasbro"), f"{text} {lower}").total == 165
    for name, sheet in [("hasbro", text), ("yahtzee", text), ("yahtzee", f"{text} {lower}")]:
        with pytest.raises(InputError, match=r"the filled boxes allow for 0\."):
            Sheet.parse(find_game(name), sheet)
