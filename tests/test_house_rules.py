"""Rules from a user's file: what is accepted, and how each mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from solver import InputError, find_game, load_game, variant_names
from tests.conftest import HOUSE_RULES

SMALL = """
title = "Small"
dice = 2
faces = 3
boxes = [{ name = "ones", number = 1 }, { name = "pair", groups = [2], points = 9 }, { name = "chance" }]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_shipped_example_is_valid() -> None:
    game = load_game(HOUSE_RULES)
    assert game.name == "house-rules"
    assert len(game.boxes) == 14


def test_shipped_variants_are_found_by_name() -> None:
    assert variant_names()[:4] == ("yahtzee", "sixzee", "triple-yahtzee", "dicegame")
    assert {find_game(name).name for name in variant_names()} == set(variant_names())


def test_a_base_gives_what_is_not_stated(tmp_path: Path) -> None:
    game = load_game(write(tmp_path, 'base = "yahtzee"\nrolls = 4\ncolumns = [1, 1]'))
    assert (game.name, game.rolls, game.columns, game.title) == ("small", 4, (1, 1), "Yahtzee")
    assert game.boxes == find_game("yahtzee").boxes


def test_what_a_base_has_can_be_left_out(tmp_path: Path) -> None:
    text = 'base = "yahtzee"\nnumber_bonus = false\nwild = false\nboxes = [{ name = "chance" }]'
    game = load_game(write(tmp_path, text))
    assert (game.number_bonus, game.wild, len(game.boxes)) == (None, None, 1)


def test_a_file_whose_name_cannot_name_a_game(tmp_path: Path) -> None:
    path = tmp_path / "My Rules.toml"
    path.write_text(SMALL, encoding="utf-8")
    with pytest.raises(InputError, match="the file's name cannot name the game: state one"):
        load_game(path)
    path.write_text(SMALL + "name = 'my-rules'", encoding="utf-8")
    assert load_game(path).name == "my-rules"


def test_titles_do_not_change_the_fingerprint_and_rules_do(tmp_path: Path) -> None:
    plain = load_game(write(tmp_path, SMALL)).fingerprint
    assert load_game(write(tmp_path, SMALL.replace("Small", "Other"))).fingerprint == plain
    assert load_game(write(tmp_path, SMALL.replace("points = 9", "points = 8"))).fingerprint != plain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("dice = 2", "dice = 0"), "dice is 0: a whole number from 1 to 8"),
        (("dice = 2", "dice = true"), "dice is True"),
        (("dice = 2", "dice = 2.5"), "dice is 2.5"),
        (("dice = 2", "dise = 2"), "unknown field 'dise': did you mean 'dice'"),
        (("dice = 2", "rolls = 9"), "rolls is 9"),
        (("dice = 2", "base = 'yatze'"), "unknown base 'yatze': did you mean 'yahtzee'"),
        (('title = "Small"', ""), "title is missing"),
        (('title = "Small"', "title = 5"), "title is 5: a text is needed"),
        (("dice = 2", f"dice = {'9' * 5000}"), "is not valid TOML"),
        (("dice = 2", f"dice = {'[' * 5000}"), "is not valid TOML"),
        (("dice = 2", "dice = 2\nset_bonuses = [{name = 's', boxes = [['pair']], points = 1}]"), "an entry of boxes"),
        (("dice = 2", "dice = 2\nset_bonuses = [{name = 'numbers', boxes = ['pair'], points = 1}]"), "is taken"),
        (("dice = 2", "dice = 2\nset_bonuses = 'pair'"), "set_bonuses is 'pair': a list of tables"),
        (("dice = 2", f"dice = 2\nname = '{'x' * 61}'"), "60 at most"),
        (("number = 1", "number = 4"), "box 'ones': the number 4 is not on a die with 3 faces"),
        (("number = 1", "nummer = 1"), r"boxes\[1\]: unknown field 'nummer': did you mean 'number'"),
        (("number = 1", "number = 1, points = 5"), "box 'ones': a box with a number takes no other"),
        (("groups = [2]", "groups = 2"), r"boxes\[2\]: groups is 2: a list is needed"),
        (("groups = [2]", "groups = [3]"), "box 'pair': groups needs 3 dice, the game has 2"),
        (("number = 1", "number = 1, distinct = false"), "box 'ones': a box with a number takes no other"),
        (("groups = [2]", "run = 3"), "box 'pair': no roll of 2 dice"),
        (("groups = [2]", "groups = [2], includes = [1, 2]"), "box 'pair': no roll of 2 dice"),
        (("groups = [2]", "groups = [2], joker = true"), "box 'pair': joker is set but the game has no"),
        (("points = 9", "points = 'sum'"), "box 'pair': points is 'sum'"),
        (("points = 9", "points = 0"), "box 'pair': points is 0"),
        (("points = 9", "distinct = 1"), "box 'pair': distinct is 1: true or false"),
        (('name = "pair"', 'name = "ones"'), "box 'ones' is there twice"),
        (('name = "pair"', 'name = "The Pair"'), "box name is 'The Pair'"),
        (('name = "pair"', 'name = "bonus"'), "box name 'bonus' is taken"),
        (('name = "pair", ', ""), r"boxes\[2\]: name is missing"),
        (("dice = 2", "dice = 2\ncolumns = [1, 0]"), "an entry of columns is 0"),
        (("dice = 2", "dice = 2\ncolumns = []"), "columns has 0 entries"),
        (("dice = 2", "dice = 2\ncolumns = 3"), "columns is 3: a list is needed"),
        (("dice = 2", "dice = 2\nnumber_bonus = {threshold = 3, points = 5}"), "the number boxes hold at most 2"),
        (("dice = 2", "dice = 2\nnumber_bonus = {threshold = 2}"), "number_bonus: points is missing"),
        (("dice = 2", "dice = 2\nnumber_bonus = 35"), "number_bonus is 35: a table of fields is needed"),
        (("dice = 2", "dice = 2\nset_bonuses = [{name = 's', boxes = ['x'], points = 1}]"), "there is no box 'x'"),
        (("dice = 2", "dice = 2\nset_bonuses = [{name = 's', boxes = ['ones'], points = 1}]"), "is a number box"),
        (("dice = 2", "dice = 2\nwild = {box = 'chance'}"), "must be the one for all 2 dice alike"),
        (("dice = 2", "dice = 2\nwild = {box = 'yahtzee'}"), "wild: box is 'yahtzee': there is no such box"),
        (("dice = 2", "dice = 2\nwild = {box = 'pair', joker = 'maybe'}"), "wild: joker is 'maybe'"),
        (("dice = 2", "dice = 2\nname = 'yahtzee'"), "name 'yahtzee' is taken by a shipped variant"),
        (("dice = 2", "dice = "), "is not valid TOML"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in SMALL
    with pytest.raises(InputError, match=message) as raised:
        load_game(write(tmp_path, SMALL.replace(*change, 1)))
    assert "small.toml" in str(raised.value)


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"cannot read the rules file 'nowhere\.toml'"):
        find_game("nowhere.toml")


def test_an_unknown_variant_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'sixzee'"):
        find_game("sixze")
