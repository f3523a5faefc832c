"""Dice mathematics against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import InputError, make_dice


@pytest.mark.parametrize(("dice", "faces", "rolls", "keeps"), [(5, 6, 252, 462), (6, 6, 462, 924), (2, 3, 6, 10)])
def test_numbers_of_rolls_and_keeps(dice: int, faces: int, rolls: int, keeps: int) -> None:
    table = make_dice(dice, faces)
    assert (len(table.rolls), len(table.keeps)) == (rolls, keeps)


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (3, 4), (5, 6)])
def test_chances_are_those_of_all_sequences(dice: int, faces: int) -> None:
    table = make_dice(dice, faces)
    counted = Counter(tuple(sorted(thrown)) for thrown in product(range(1, faces + 1), repeat=dice))
    expected = [counted[roll] / faces**dice for roll in table.rolls]
    assert np.allclose(table.chance, expected, rtol=0, atol=1e-15)


@given(st.data())
def test_lattice_edges_add_and_remove_one_die(data: st.DataObject) -> None:
    table = make_dice(4, 5)
    row = data.draw(st.integers(0, len(table.keeps) - 1))
    keep = table.keeps[row]
    fewer = [table.keeps[i] for i in table.fewer[table.fewer_start[row] : table.fewer_start[row + 1]]]
    assert len(fewer) == len(set(keep))
    removed = [next(iter((Counter(keep) - Counter(part)).elements())) for part in fewer]
    assert removed == sorted(set(keep))
    if len(keep) < 4:
        more = [table.keeps[i] for i in table.more[row]]
        assert more == [tuple(sorted((*keep, face))) for face in range(1, 6)]


@given(st.lists(st.integers(1, 6), min_size=5, max_size=5))
def test_all_ways_of_writing_dice(faces: list[int]) -> None:
    table = make_dice(5, 6)
    expected = tuple(sorted(faces))
    assert table.parse("".join(map(str, faces))) == expected
    assert table.parse(", ".join(map(str, faces))) == expected
    assert table.parse(" ".join(map(str, faces))) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1234", "4 dice given, the game is played with 5"),
        ("123456", "6 dice given"),
        ("12347", "'7' is not a face, a die shows 1 to 6"),
        ("1234x", "'x' is not a face"),
        ("", "0 dice given"),
        ("1,2,3,4,", "'' is not a face"),
        ("1,2,3,4,0", "'0' is not a face"),
        ("1,2,3,4,11", "'11' is not a face"),
        ("1234²", "'²' is not a face"),
    ],
)
def test_bad_dice(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        make_dice(5, 6).parse(text)
