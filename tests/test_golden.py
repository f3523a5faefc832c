"""Every variant has a golden file, and agrees with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from solver import Solution, find_game, variant_names
from tests.golden import FOLDER, facts

EXACT = [name for name in variant_names() if len(find_game(name).columns) == 1]
QUICK = [name for name in EXACT if name != "sixzee"]


def golden(name: str) -> dict[str, Any]:
    path = FOLDER / f"{name}.json"
    assert path.exists(), f"{name} has no golden file: make it with 'make golden'"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("name", variant_names())
def test_rules_are_those_of_the_golden(name: str) -> None:
    stored = golden(name)
    assert facts(find_game(name)) == {key: stored[key] for key in facts(find_game(name))}


def test_no_golden_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(variant_names())


def check_solution(solution: Solution) -> None:
    stored = golden(solution.game.name)
    assert solution.value == pytest.approx(stored["value"], abs=1e-10, rel=0)
    assert solution.sd == pytest.approx(stored["sd"], abs=1e-9, rel=0)
    assert solution.states == stored["states"]


@pytest.mark.parametrize("name", QUICK)
def test_solution_is_that_of_the_golden(name: str, solution_of: Callable[[str], Solution]) -> None:
    check_solution(solution_of(name))


@pytest.mark.slow
def test_sixzee_solution_is_that_of_the_golden(solution_of: Callable[[str], Solution]) -> None:
    check_solution(solution_of("sixzee"))
