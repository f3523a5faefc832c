"""Option values of random positions against the `yatzy-solver` package, an independent solver in Rust."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import yatzy_solver

from solver import Advisor, Game, Roll, Sheet, find_game
from tests.random_play import random_roll

CASES = [
    pytest.param("verhoeff", "american"),
    pytest.param("hasbro", "american+forced-joker", marks=pytest.mark.slow),
    pytest.param("plain", "american+no-bonus", marks=pytest.mark.slow),
    pytest.param("yatzy", "yatzy-scandinavian", marks=pytest.mark.slow),
]
PEER_NAMES = {"low-straight": "small_straight", "high-straight": "large_straight", "yahtzee": "five_of_a_kind"}


def peer_name(box: str) -> str:
    return PEER_NAMES.get(box, box.replace("-", "_"))


def play_both(game: Game, peer: Any, rng: random.Random) -> tuple[Sheet, Any]:
    """The same random game on our sheet and on the peer's card, stopped somewhere."""
    sheet, card = Sheet.empty(game), yatzy_solver.Game(peer)
    for _ in range(rng.randrange(game.turns)):
        roll = random_roll(game, rng)
        box = rng.choice(sheet.placements(roll)).box
        sheet = sheet.place(roll, box)
        card.score(list(roll), peer_name(box))
    return sheet, card


def peer_totals(solver: Any, card: Any, roll: Roll, rolls_left: int) -> dict[str, float]:
    """The expected final score of each of the peer's options, keyed as ours: `keep 3 3` or `score threes`."""
    situation = f"dice {' '.join(map(str, roll))} | rolls {rolls_left} | {card.state}"
    return {action: value + card.total for action, value in solver.option_values(situation)}


@pytest.mark.parametrize(("name", "peer_variant"), CASES)
def test_option_values_of_random_positions(name: str, peer_variant: str, advisor_of: Callable[[str], Advisor]) -> None:
    game, advisor, rng = find_game(name), advisor_of(name), random.Random(20260)
    peer = yatzy_solver.Variant(peer_variant)
    solver = yatzy_solver.Solver.build(peer)
    compared = 0
    for _ in range(400):
        sheet, card = play_both(game, peer, rng)
        roll = random_roll(game, rng)
        for rolls_left in range(game.rolls):
            expected = peer_totals(solver, card, roll, rolls_left)
            advice = advisor.advise(sheet, roll, rolls_left=rolls_left)
            for option in advice.options:
                if option.box is not None:
                    key = f"score {peer_name(option.box)}"
                elif len(option.keep or ()) == game.dice:
                    continue  # The peer has no keeping of all dice; it scores at once instead.
                else:
                    key = f"keep {' '.join(map(str, option.keep or ())) or '-'}"
                assert option.total == pytest.approx(expected[key], abs=1e-9), (str(sheet), roll, rolls_left, key)
                compared += 1
            assert advice.total == pytest.approx(max(expected.values()), abs=1e-9)
    assert compared > 10_000
