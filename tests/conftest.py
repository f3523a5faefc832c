"""Fixtures that several topics share: each game is solved once a run, and only when asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from solver import Advisor, Solution, find_game, solve_game

HOUSE_RULES = Path(__file__).parent.parent / "examples" / "house-rules.toml"


@cache
def _solution(name: str) -> Solution:
    return solve_game(find_game(name))


@cache
def _advisor(name: str) -> Advisor:
    return Advisor(_solution(name))


@pytest.fixture(scope="session")
def solution_of() -> Callable[[str], Solution]:
    """The solution of a game by name."""
    return _solution


@pytest.fixture(scope="session")
def advisor_of() -> Callable[[str], Advisor]:
    """The advisor of a game by name."""
    return _advisor
