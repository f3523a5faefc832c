"""Values that others have published."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from solver import Solution, find_game
from solver.space import compile_space


@pytest.mark.parametrize(
    ("name", "value"),
    [("hasbro", 254.58772873449593), ("verhoeff", 254.58960948196315), ("plain", 245.87077451411164)],
)
def test_expected_score(name: str, value: float, solution_of: Callable[[str], Solution]) -> None:
    assert solution_of(name).value == pytest.approx(value, abs=1e-9, rel=0)


def test_expected_score_of_yatzy_to_its_digits(solution_of: Callable[[str], Solution]) -> None:
    assert f"{solution_of('yatzy').value:.8f}" == "248.43998938"


@pytest.mark.parametrize(("name", "sd"), [("hasbro", 59.608), ("verhoeff", 59.6117)])
def test_standard_deviation_to_its_digits(name: str, sd: float, solution_of: Callable[[str], Solution]) -> None:
    digits = len(str(sd).split(".")[1])
    assert round(solution_of(name).sd, digits) == sd


def test_standard_deviation_depends_on_how_ties_are_broken(solution_of: Callable[[str], Solution]) -> None:
    """Published: 39.8207. Optimal policies that break ties in other ways range from 39.82009 to 39.82085 (always
    the smaller, or always the larger second moment); ours is one of them."""
    assert 39.82009 < solution_of("plain").sd < 39.82085


def test_reachable_states() -> None:
    """536,448 states of `hasbro` can be reached: 2,794 pairs of filled number boxes and capped total, times the 64
    subsets of the six other boxes, times open, zero or scored for the yahtzee box."""
    plan = compile_space(find_game("hasbro")).plan
    assert np.count_nonzero(plan.lane_of_total >= 0) * 64 * 3 == 536_448
