"""Exponential utility: against brute force on small games, against its own exact distribution, and in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import exp, fsum, inf, isnan, log, nan
from pathlib import Path

import numpy as np
import pytest

from sim import THETAS, find_strategy
from solver import (
    Box,
    Distribution,
    Figures,
    Game,
    InputError,
    Sheet,
    Solution,
    TableMissingError,
    TableRefusedError,
    TableStore,
    exact_figures,
    exact_moments,
    find_game,
    solve_game,
    tables,
)
from tests.oracle import Dice, Oracle, OracleGame, OracleSheet, sub_keeps, throws
from tests.test_oracle import everything_game, number_bonus_game, set_bonus_game, wild_game

SolutionOf = Callable[[str], Solution]

BRUTE_THETAS = (-0.2, -0.05, 0.01, 0.1)
SAFE, BOLD = -0.035, 0.015

GAMES = {
    "number-bonus": number_bonus_game,
    "set-bonus": set_bonus_game,
    "forced-joker": wild_game("forced", needs_points=False, rolls=1),
    "free-joker": wild_game("free", needs_points=True, rolls=2, repeat_bonus=40),
    "no-joker": wild_game("none", needs_points=False, rolls=3),
    "everything-forced": everything_game("forced", needs_points=False),
    "everything-free": everything_game("free", needs_points=True),
}


class UtilityOracle(Oracle):
    """The oracle's rules, played for the mean of exp(theta * final score): high for theta > 0, low for theta < 0."""

    def __init__(self, oracle_game: OracleGame) -> None:
        super().__init__(oracle_game)
        self.moves: dict[OracleSheet, dict[Dice, list[OracleSheet]]] = {}
        """For every sheet that can be reached and every roll, the sheets after it; later sheets come first."""
        self._explore(self.empty)

    def sure_points(self, theta: float) -> dict[OracleSheet, float]:
        """For every sheet the final score that would be worth as much, if it were certain, as the best play."""
        best = max if theta > 0 else min
        utilities: dict[OracleSheet, float] = {}
        for sheet, moves in self.moves.items():
            if not moves:
                utilities[sheet] = exp(theta * self.written_total(sheet))
                continue
            held = {dice: best(utilities[after] for after in sheets) for dice, sheets in moves.items()}
            for _ in range(self.game.rolls - 1):
                kept = {keep: self._throw(keep, held) for keep in {keep for dice in moves for keep in sub_keeps(dice)}}
                held = {dice: best(kept[keep] for keep in sub_keeps(dice)) for dice in moves}
            utilities[sheet] = self._throw((), held)
        return {sheet: log(utility) / theta for sheet, utility in utilities.items()}

    def _explore(self, sheet: OracleSheet) -> None:
        moves = {}
        for dice in throws(self.game.faces, self.game.dice) if self.open_boxes(sheet) else ():
            placements = self.placements(sheet, dice).items()
            moves[dice] = [self.place(sheet, name, placed) for name, placed in placements]
            for after in moves[dice]:
                if after not in self.moves:
                    self._explore(after)
        self.moves[sheet] = moves

    def _throw(self, keep: Dice, held: dict[Dice, float]) -> float:
        chances = last_rolls(keep, self.game.dice, self.game.faces)
        return sum(chance * held[roll] for roll, chance in chances.items())


@cache
def last_rolls(keep: Dice, dice: int, faces: int) -> dict[Dice, float]:
    """Every roll that a keep may become, with its chance."""
    thrown = throws(faces, dice - len(keep))
    return {tuple(sorted(keep + more)): ways / thrown.total() for more, ways in thrown.items()}


def sure_points_of(distribution: Distribution, theta: float) -> float:
    """log(mean of exp(theta * score)) / theta, by the chances of scores alone."""
    scores = np.flatnonzero(distribution.chances)
    largest = max(theta * score for score in scores)
    total = fsum(distribution.chances[score] * exp(theta * score - largest) for score in scores)
    return float((largest + log(total)) / theta)


@cache
def yahtzee_figures(theta: float) -> tuple[Solution, Figures]:
    """Yahtzee played for utility: the solution and the exact figures."""
    solution = solve_game(find_game("yahtzee"), theta=theta)
    return solution, exact_figures(solution.policy)


@pytest.mark.parametrize("name", GAMES)
def test_every_sheet_has_the_sure_points_of_brute_force(name: str) -> None:
    """Every sheet that can be reached, the empty one among them. A stored value leaves out what is on the sheet,
    except for the number bonus."""
    oracle_game, game = GAMES[name]()
    oracle = UtilityOracle(oracle_game)
    sheets = list(oracle.moves)
    assert len(sheets) > 100
    policy = solve_game(game, threads=1).policy
    states = [policy.position(Sheet(game, (sheet.points,), sheet.repeat))[0] for sheet in sheets]
    on_sheet = [oracle.written_total(sheet) - number_bonus_on(oracle, sheet) for sheet in sheets]
    for theta in BRUTE_THETAS:
        sure_points = oracle.sure_points(theta)
        solution = solve_game(game, theta=theta, threads=1)
        assert solution.value == pytest.approx(sure_points[oracle.empty], abs=1e-9, rel=0), theta
        expected = np.array([sure_points[sheet] for sheet in sheets]) - on_sheet
        wrong = np.flatnonzero(~(np.abs(solution.values[states] - expected) <= 1e-9))
        assert not wrong.size, (theta, oracle.sheet_text(sheets[wrong[0]]), expected[wrong[0]])


def number_bonus_on(oracle: Oracle, sheet: OracleSheet) -> int:
    """The number bonus that a sheet has reached."""
    if oracle.game.number_bonus is None:
        return 0
    threshold, points = oracle.game.number_bonus
    written = sum(oracle.written(sheet, name) or 0 for name in oracle.game.numbers)
    return points if written >= threshold else 0


@pytest.mark.parametrize("theta", BRUTE_THETAS)
@pytest.mark.parametrize("name", GAMES)
def test_the_distribution_of_utility_play_gives_back_its_sure_points(name: str, theta: float) -> None:
    """A closed loop: the values say what the policy is worth, the policy's own distribution must agree."""
    _, game = GAMES[name]()
    solution = solve_game(game, theta=theta, threads=1)
    distribution = exact_figures(solution.policy, threads=1).distribution
    assert distribution.chances.sum() == pytest.approx(1.0, abs=1e-13)
    assert sure_points_of(distribution, theta) == pytest.approx(solution.value, abs=1e-9, rel=0)


@pytest.mark.parametrize("theta", [SAFE, pytest.param(BOLD, marks=pytest.mark.slow)])
def test_the_distribution_of_yahtzee_gives_back_its_sure_points(theta: float) -> None:
    solution, figures = yahtzee_figures(theta)
    assert sure_points_of(figures.distribution, theta) == pytest.approx(solution.value, abs=1e-9, rel=0)


@pytest.mark.slow
@pytest.mark.parametrize("theta", [-0.2, -0.1, 0.05, 0.1, 0.2])
def test_the_distribution_of_yahtzee_gives_back_its_sure_points_for_large_thetas(theta: float) -> None:
    """Out here scores of more than a thousand points carry the utility, so that less is left of the digits."""
    solution = solve_game(find_game("yahtzee"), theta=theta)
    distribution = exact_figures(solution.policy).distribution
    assert sure_points_of(distribution, theta) == pytest.approx(solution.value, abs=1e-8, rel=0)


@pytest.mark.parametrize("name", GAMES)
def test_sure_points_near_theta_zero(name: str) -> None:
    """To first order they are the mean plus theta / 2 variances; so they lie at either side of the mean."""
    _, game = GAMES[name]()
    plain = solve_game(game, threads=1)
    shift = 1e-6 / 2 * plain.sd**2
    for theta in (-1e-6, 1e-6):
        found = solve_game(game, theta=theta, threads=1).value - plain.value
        assert found == pytest.approx(np.sign(theta) * shift, rel=0.02), theta


def test_sure_points_of_yahtzee_near_theta_zero(solution_of: SolutionOf) -> None:
    plain, near = solution_of("yahtzee"), solve_game(find_game("yahtzee"), theta=1e-6)
    assert near.value - plain.value == pytest.approx(1e-6 / 2 * plain.sd**2, rel=0.02)
    assert np.nanmax(np.abs(near.values - plain.values)) < 0.01


@pytest.mark.parametrize("name", GAMES)
def test_sure_points_grow_with_theta(name: str) -> None:
    _, game = GAMES[name]()
    thetas = (-0.2, -0.1, -0.05, -0.01, 0.0, 0.01, 0.05, 0.1, 0.2)
    solutions = [solve_game(game, theta=theta, threads=1) for theta in thetas]
    assert all(np.all(np.isfinite(solution.values)) for solution in solutions)
    assert all(one.value < other.value for one, other in pairwise(solutions))
    assert all(np.all(one.values <= two.values + 1e-9) for one, two in pairwise(solutions))


@pytest.mark.parametrize("name", GAMES)
def test_moments_of_small_games(name: str) -> None:
    """Two ways to mean and deviation, and no theta has a better mean than zero."""
    _, game = GAMES[name]()
    best = solve_game(game, threads=1)
    means = []
    for theta in (-0.2, -0.05, 0.0, 0.01, 0.1):
        policy = solve_game(game, theta=theta, threads=1).policy
        mean, deviation = exact_moments(policy, threads=1)
        distribution = exact_figures(policy, threads=1).distribution
        assert mean == pytest.approx(distribution.mean, abs=1e-9, rel=0)
        assert deviation == pytest.approx(distribution.sd, abs=1e-9, rel=0)
        means.append(mean)
    assert means[2] == pytest.approx(best.value, abs=1e-9, rel=0)
    assert max(means) <= best.value + 1e-9
    assert min(means) < best.value - 1e-3, "no theta changes anything: the game is too small for this test"


def test_moments_of_yahtzee(solution_of: SolutionOf) -> None:
    """The deviation grows with theta, and no theta has a better mean than zero."""
    plain = solution_of("yahtzee")
    safe, bold = (yahtzee_figures(theta)[1].distribution for theta in (SAFE, BOLD))
    assert safe.sd < plain.sd - 1.0
    assert plain.sd + 1.0 < bold.sd
    assert max(safe.mean, bold.mean) < plain.value - 1.0
    mean, deviation = exact_moments(yahtzee_figures(SAFE)[0].policy)
    assert mean == pytest.approx(safe.mean, abs=1e-9, rel=0)
    assert deviation == pytest.approx(safe.sd, abs=1e-9, rel=0)


@pytest.mark.slow
def test_the_whole_frontier_of_yahtzee() -> None:
    """For all thetas of the chart: deviations rise, and the mean rises up to zero and falls from there."""
    moments = [exact_moments(solve_game(find_game("yahtzee"), theta=theta).policy) for theta in THETAS]
    means, deviations = [mean for mean, _ in moments], [deviation for _, deviation in moments]
    top = THETAS.index(0.0)
    assert deviations == sorted(deviations)
    assert means == sorted(means[: top + 1]) + sorted(means[top + 1 :], reverse=True)


@pytest.mark.parametrize("theta", [-0.1, -0.02, 0.03, 0.1])
def test_a_column_counting_twice_doubles_theta(theta: float) -> None:
    """The utility of doubled points is the utility of the points for twice the theta."""
    _, game = everything_game("free", needs_points=True)()
    doubled = solve_game(replace(game, columns=(2,)), theta=theta, threads=1)
    single = solve_game(game, theta=2 * theta, threads=1)
    assert np.allclose(doubled.values, 2 * single.values, rtol=0, atol=1e-9)
    chances = exact_figures(doubled.policy, threads=1).distribution.chances
    assert np.allclose(chances[::2], exact_figures(single.policy, threads=1).distribution.chances, rtol=0, atol=1e-12)
    assert not chances[1::2].any()


@pytest.mark.parametrize("theta", [-0.05])
def test_one_thread_and_two_give_the_same_bits(theta: float) -> None:
    game = find_game("plain")
    one, two = (solve_game(game, theta=theta, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.values, two.values)


def test_a_solution_for_utility_has_no_deviation() -> None:
    """It would be that of another objective; who asks must measure the policy."""
    _, game = number_bonus_game()
    assert isnan(solve_game(game, theta=0.1, threads=1).sd)
    assert solve_game(game, threads=1).sd > 0.0


@pytest.mark.parametrize(
    "theta",
    [-0.2, 0.2],
)
def test_house_rules_with_many_points(theta: float) -> None:
    """The largest number of points that a box may have, for the largest thetas."""
    pair = Box(name="pair", groups=(2,), points=10_000)
    game = Game(name="large", title="Large", dice=2, faces=6, rolls=2, boxes=(pair, Box(name="chance")))
    solution = solve_game(game, theta=theta, threads=1)
    distribution = exact_figures(solution.policy, threads=1).distribution
    assert np.all(np.isfinite(solution.values))
    assert solution.value == pytest.approx(sure_points_of(distribution, theta), abs=1e-9, rel=0)


# What is refused.


@pytest.mark.parametrize("theta", [nan, inf, -inf, 0.2000001, -0.3, 5.0])
def test_a_bad_theta_is_refused(theta: float, tmp_path: Path) -> None:
    _, game = number_bonus_game()
    with pytest.raises(InputError, match=r"^theta is \S+: from -0\.2 to 0\.2 are allowed\.$"):
        solve_game(game, theta=theta)
    with pytest.raises(InputError, match=r"^theta is \S+: from -0\.2 to 0\.2 are allowed\.$"):
        TableStore(tmp_path / "tables").solve(game, theta=theta)
    assert not (tmp_path / "tables").exists()


@pytest.mark.parametrize("theta", [-0.2, 0.2])
def test_the_largest_thetas_are_allowed(theta: float) -> None:
    _, game = number_bonus_game()
    assert solve_game(game, theta=theta).theta == theta


@pytest.mark.parametrize("word", ["nan", "inf", "0.3", "-1e9", "", "x", "0,1"])
def test_a_bad_theta_of_a_strategy_is_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        find_strategy(f"utility:{word}", find_game("yahtzee"), tables=tmp_path)
    assert str(error.value) == f"strategy 'utility:{word}': a theta from -0.2 to 0.2 is needed after the colon."


# Stored tables.


def test_tables_for_thetas_lie_beside_the_ordinary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is stored once, loaded again to the last bit, and none replaces another."""
    _, game = everything_game("free", needs_points=True)()
    store = TableStore(tmp_path)
    thetas = (0.0, -0.05, 0.05, 0.1)
    made = {theta: store.solve(game, theta=theta) for theta in thetas}
    assert len({store.path(game, theta) for theta in thetas}) == len(thetas)
    assert len({solution.value for solution in made.values()}) == len(thetas)

    def no_solving(*given: object, **named: object) -> Solution:
        raise AssertionError("the table is there, nothing is to be solved")

    monkeypatch.setattr(tables, "solve_game", no_solving)
    for theta in thetas:
        for found in (store.load(game, theta=theta), store.solve(game, theta=theta)):
            fresh = solve_game(game, theta=theta)
            assert np.array_equal(found.values, fresh.values)
            assert (found.value, found.theta) == (fresh.value, theta)
            assert isnan(found.sd) if theta else found.sd == fresh.sd


def test_a_table_for_a_theta_is_no_ordinary_table(tmp_path: Path) -> None:
    """Neither is found under the name of the other, nor accepted in its place."""
    _, game = number_bonus_game()
    store = TableStore(tmp_path)
    store.solve(game, theta=0.1)
    for theta in (0.0, -0.1, 0.1000001):
        with pytest.raises(TableMissingError):
            store.load(game, theta=theta)
    store.path(game, 0.1).rename(store.path(game))
    with pytest.raises(TableRefusedError, match="it was made for other rules"):
        store.load(game)
    store.path(game).rename(store.path(game, -0.1))
    with pytest.raises(TableRefusedError, match="it was made for other rules"):
        store.load(game, theta=-0.1)


def test_a_damaged_table_for_a_theta_leaves_the_ordinary_one_alone(tmp_path: Path) -> None:
    _, game = number_bonus_game()
    store = TableStore(tmp_path)
    value = store.solve(game).value
    store.solve(game, theta=0.1)
    (array,) = store.path(game, 0.1).glob("*.npy")
    array.write_bytes(array.read_bytes()[:-8] + bytes(8))
    with pytest.raises(TableRefusedError, match="its array is damaged: delete that folder"):
        store.solve(game, theta=0.1)
    assert store.solve(game).value == value
    assert store.solve(game, theta=0.1, rebuild=True).value == solve_game(game, theta=0.1).value


def test_strategies_store_their_tables(tmp_path: Path) -> None:
    """`utility:T`, `safe` and `bold` solve once; a theta of zero is the ordinary table."""
    _, game = number_bonus_game()
    for text, theta in (("utility:0.05", 0.05), ("safe", SAFE), ("bold", BOLD), ("utility:-0.0", 0.0)):
        find_strategy(text, game, tables=tmp_path)
        assert TableStore(tmp_path).load(game, theta=theta).value == solve_game(game, theta=theta).value
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 4
