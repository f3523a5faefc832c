"""The exact distribution of the final score: against published figures, and against brute force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from sim import write_scores
from solver import (
    Advisor,
    Box,
    Distribution,
    Figures,
    Game,
    InputError,
    NumberBonus,
    SetBonus,
    Sheet,
    Solution,
    Wild,
    exact_figures,
    find_game,
    solve_game,
)
from tests.conftest import HOUSE_RULES
from tests.test_golden import QUICK

SolutionOf = Callable[[str], Solution]


@pytest.fixture(scope="module")
def figures_of(solution_of: SolutionOf) -> Callable[[str], Figures]:
    return cache(lambda name: exact_figures(solution_of(name).policy))


def test_published_figures_of_hasbro(figures_of: Callable[[str], Figures]) -> None:
    figures = figures_of("hasbro")
    means = {box.box: round(box.mean, 4) for box in figures.boxes}
    published = {
        "threes": 8.5698,
        "sixes": 19.1903,
        "four-of-a-kind": 13.0919,
        "full-house": 22.5916,
        "high-straight": 32.7111,
        "yahtzee": 16.8686,
    }
    assert {box: means[box] for box in published} == published
    assert round(figures.bonus_chances["numbers"], 5) == 0.68122
    assert round(35 * figures.bonus_chances["numbers"], 4) == 23.8428
    assert round(100 * figures.repeats, 4) == 9.5801


def test_published_percentiles_of_hasbro(figures_of: Callable[[str], Figures]) -> None:
    """The published 99th percentile is 473. With our way of breaking ties 473 points or fewer have the chance
    0.98999928, a hair too little, so that ours is 474."""
    distribution = figures_of("hasbro").distribution
    assert [distribution.percentile(p) for p in (5, 25, 50, 75, 95)] == [180, 217, 248, 272, 388]
    assert 1.0 - distribution.at_least(474) == pytest.approx(0.99, abs=1e-6)
    assert distribution.percentile(99) == 474


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=[] if name in ("yahtzee", "hasbro") else [pytest.mark.slow]) for name in QUICK),
        pytest.param(str(HOUSE_RULES), marks=pytest.mark.slow),
    ],
)
def test_distribution_agrees_with_the_solver(
    name: str, figures_of: Callable[[str], Figures], solution_of: SolutionOf
) -> None:
    """Two ways to the mean and the deviation; and boxes and bonuses must add up to the score."""
    figures, solution = figures_of(name), solution_of(name)
    game, distribution = solution.game, figures.distribution
    assert distribution.chances.sum() == pytest.approx(1.0, abs=1e-13)
    assert (distribution.chances >= 0.0).all()
    assert distribution.mean == pytest.approx(solution.value, abs=1e-10)
    assert distribution.sd == pytest.approx(solution.sd, abs=1e-9)
    points = {"numbers": game.number_bonus.points} if game.number_bonus else {}
    points |= {bonus.name: bonus.points for bonus in game.set_bonuses}
    total = sum(box.mean for box in figures.boxes)
    total += sum(chance * points[name] for name, chance in figures.bonus_chances.items())
    total += figures.repeats * (game.wild.repeat_bonus if game.wild else 0)
    assert total == pytest.approx(solution.value, abs=1e-10)
    turns = np.array([box.turns for box in figures.boxes])
    assert np.allclose(turns.sum(axis=0), 1.0, atol=1e-12)
    assert np.allclose(turns.sum(axis=1), 1.0, atol=1e-12)


def small_game(rolls: int) -> Game:
    return Game(
        name="small",
        title="Small",
        dice=2,
        faces=3,
        rolls=rolls,
        number_bonus=NumberBonus(threshold=7, points=6),
        set_bonuses=(SetBonus(name="both", boxes=("run", "chance"), points=4),),
        wild=Wild(box="pair", joker="free", repeat_bonus=10),
        boxes=(
            Box(name="twos", number=2),
            Box(name="threes", number=3),
            Box(name="run", run=2, points=5, joker=True),
            Box(name="pair", groups=(2,), points=8),
            Box(name="chance"),
        ),
    )


@pytest.mark.parametrize("rolls", [1, 2, 3])
def test_distribution_by_playing_out_every_game(rolls: int) -> None:
    """Every sequence of rolls of a small game, decided by the advisor and added up on paper."""
    game = small_game(rolls)
    solution = solve_game(game, threads=1)
    advisor = Advisor(solution)
    throws = list(product(range(1, 4), repeat=2))

    def turn_ends(sheet: Sheet) -> dict[tuple[int, ...], float]:
        chances: dict[tuple[int, ...], float] = defaultdict(float)
        for throw in throws:
            chances[tuple(sorted(throw))] += 1 / len(throws)
        for rolls_left in range(rolls - 1, 0, -1):
            after: dict[tuple[int, ...], float] = defaultdict(float)
            for roll, chance in chances.items():
                keep = advisor.advise(sheet, roll, rolls_left=rolls_left).best.keep
                assert keep is not None
                others = list(product(range(1, 4), repeat=2 - len(keep)))
                for throw in others:
                    after[tuple(sorted(keep + throw))] += chance / len(others)
            chances = after
        return chances

    @cache
    def finals(sheet: Sheet) -> dict[int, float]:
        if sheet.is_full:
            return {sheet.total: 1.0}
        scores: dict[int, float] = defaultdict(float)
        for roll, chance in turn_ends(sheet).items():
            box = advisor.advise(sheet, roll, rolls_left=0).best.box
            assert box is not None
            for score, share in finals(sheet.place(roll, box)).items():
                scores[score] += chance * share
        return scores

    expected = finals(Sheet.empty(game))
    found = exact_figures(solution.policy, threads=1).distribution.chances
    assert {score for score, chance in enumerate(found) if chance > 0} == set(expected)
    assert all(found[score] == pytest.approx(chance, abs=1e-14, rel=1e-12) for score, chance in expected.items())


def test_one_thread_and_two_give_the_same_bits(solution_of: SolutionOf) -> None:
    one, two = (exact_figures(solution_of("plain").policy, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.distribution.chances, two.distribution.chances)
    assert [box.mean for box in one.boxes] == [box.mean for box in two.boxes]


def test_chances_of_matches_by_counting_all_pairs_and_triples() -> None:
    """Three players with a few scores each: all ways a match can end, added up one by one."""
    game = small_game(1)
    players = [
        Distribution(game, np.array(chances), "exact")
        for chances in ([0.2, 0.3, 0.5], [0.0, 0.25, 0.25, 0.0, 0.5], [0.6, 0.0, 0.4])
    ]
    for order in ((0, 1), (1, 0), (2, 1, 0), (0, 1, 2), (1, 1)):
        own, *others = (players[place] for place in order)
        ends = {"win": 0.0, "tie": 0.0, "loss": 0.0}
        for scores in product(range(5), repeat=len(order)):
            chance = 1.0
            for one, score in zip((own, *others), scores, strict=True):
                chance *= one.chances[score] if score < len(one.chances) else 0.0
            best = max(scores[1:])
            ends["win" if scores[0] > best else "tie" if scores[0] == best else "loss"] += chance
        assert own.against(*others) == pytest.approx(tuple(ends.values()), abs=1e-15)


def test_scores_file_holds_every_possible_score(tmp_path: Path, figures_of: Callable[[str], Figures]) -> None:
    distribution = figures_of("plain").distribution
    path = tmp_path / "scores.csv"
    write_scores(distribution, path)
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    assert np.array_equal(rows[:, 0], np.flatnonzero(distribution.chances))
    assert np.array_equal(rows[:, 1], distribution.chances[distribution.chances > 0])
    assert rows[-1, 2] == pytest.approx(1.0)
    assert rows[0, 3] == pytest.approx(1.0)


def test_a_game_too_large_is_refused() -> None:
    solution = Solution(find_game("sixzee"), np.empty(0), 0.0, 0.0, 0.0)
    with pytest.raises(InputError, match="the exact distribution is computed for at most 3,000,000"):
        exact_figures(solution.policy)
