"""Audits of the solver itself: nothing is read before it is solved, threads change nothing, more is never less."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from solver import (
    Advisor,
    Box,
    Game,
    InputError,
    NumberBonus,
    SetBonus,
    Sheet,
    Solution,
    find_game,
    load_game,
    solve_game,
)
from solver import _kernels as kernels
from solver.solve import workspaces
from solver.space import compile_space
from tests.conftest import HOUSE_RULES
from tests.random_play import random_sheet
from tests.test_golden import QUICK

SOLVED = [*QUICK, str(HOUSE_RULES)]


@pytest.mark.parametrize("name", SOLVED)
def test_every_state_is_solved(name: str, solution_of: Callable[[str], Solution]) -> None:
    """The table starts as NaN, and a NaN that is read stays one."""
    assert np.isfinite(solution_of(name).values).all()


def test_a_state_read_before_it_is_solved_turns_into_nan() -> None:
    """The poison works: the kernel on a layer whose successors are missing gives NaN only."""
    space = compile_space(find_game("yahtzee"))
    values = np.full(space.states, np.nan)
    masks = space.masks_by_layer()[11][:3]
    kernels.solve_masks(space.plan, masks, 0.0, values, *workspaces(space))
    assert np.isnan(values).all()


def test_kernel_writes_only_the_states_of_its_masks(solution_of: Callable[[str], Solution]) -> None:
    space = compile_space(find_game("yahtzee"))
    values = np.array(solution_of("yahtzee").values)
    mask = 0b0110101010101
    start, end = space.plan.offset[mask], space.plan.offset[mask + 1]
    values[start:end] = np.nan
    before = values.copy()
    kernels.solve_masks(space.plan, np.array([mask]), 0.0, values, *workspaces(space))
    assert np.array_equal(values[start:end], solution_of("yahtzee").values[start:end])
    values[start:end] = np.nan
    assert np.array_equal(values, before, equal_nan=True)


@pytest.mark.parametrize("name", ["yahtzee", "hasbro", "yatzy"])
def test_one_thread_and_two_give_the_same_bits(name: str) -> None:
    one, two = (solve_game(find_game(name), threads=threads) for threads in (1, 2))
    assert np.array_equal(one.values.view(np.int64), two.values.view(np.int64))
    assert (one.value, one.sd) == (two.value, two.sd)


def test_threads_must_be_positive() -> None:
    with pytest.raises(InputError, match="threads is 0"):
        solve_game(find_game("plain"), threads=0)


@pytest.mark.parametrize("name", SOLVED)
def test_value_never_falls_when_the_number_total_rises(name: str, solution_of: Callable[[str], Solution]) -> None:
    space, values = compile_space(find_game(name)), solution_of(name).values
    plan = space.plan
    for mask in range(1 << plan.boxes):
        lanes = int(plan.lane_count[plan.number_index[mask]])
        words = 1 << int(plan.active[mask]).bit_count()
        block = values[plan.offset[mask] : plan.offset[mask] + lanes * words].reshape(words, lanes)
        assert (np.diff(block, axis=1) >= 0).all()


@pytest.mark.parametrize("name", SOLVED)
def test_value_never_falls_when_a_box_holds_points(name: str, solution_of: Callable[[str], Solution]) -> None:
    """A word with one bit more (a set unbroken, the wild box scored) is worth no less. This is why the solver may let
    "the best zero" stand for all zeros (see `_list_worthwhile`)."""
    space, values = compile_space(find_game(name)), solution_of(name).values
    plan = space.plan
    for mask in range(1 << plan.boxes):
        words = 1 << int(plan.active[mask]).bit_count()
        lanes = int(plan.lane_count[plan.number_index[mask]])
        block = values[plan.offset[mask] : plan.offset[mask] + lanes * words].reshape(words, lanes)
        for word in range(words):
            for bit in range(words.bit_length() - 1):
                assert (block[word | 1 << bit] >= block[word]).all()


def test_lanes_merge_only_totals_that_no_future_tells_apart() -> None:
    """By brute force: two totals share a lane exactly if every completion of the numbers gives both the bonus or
    neither."""
    game = Game(
        name="small",
        title="Small",
        dice=3,
        faces=4,
        number_bonus=NumberBonus(threshold=17, points=10),
        boxes=tuple(Box(name=f"n{n}", number=n) for n in range(1, 5)),
    )
    plan = compile_space(game).plan
    for mask in range(16):
        sums = {0}
        for number in (n for n in range(1, 5) if not mask >> (n - 1) & 1):
            sums = {total + number * count for total in sums for count in range(4)}
        occurring = [total for total in range(18) if plan.lane_of_total[mask, total] >= 0]
        futures = {total: tuple(total + more >= 17 for more in sorted(sums)) for total in occurring}
        for first in occurring:
            for second in occurring:
                same_lane = plan.lane_of_total[mask, first] == plan.lane_of_total[mask, second]
                assert same_lane == (futures[first] == futures[second])


@pytest.mark.parametrize("name", SOLVED)
def test_advisor_and_kernel_agree_on_random_positions(name: str, advisor_of: Callable[[str], Advisor]) -> None:
    """The advisor evaluates a turn on its own, in numpy; averaged over first rolls it must give the table's value."""
    advisor = advisor_of(name)
    game, rng = advisor.game, random.Random(7)
    space = compile_space(game)
    for _ in range(150):
        sheet = random_sheet(game, rng)
        state = space.describe(sheet.columns[0])
        first_roll = advisor._turn((space.index(*state),)).held[game.rolls - 1]
        value = float(space.plan.chance @ first_roll)
        assert value == pytest.approx(float(advisor.solution.values[space.index(*state)]), abs=1e-11, rel=1e-13)


@pytest.mark.slow
def test_audits_of_sixzee(advisor_of: Callable[[str], Advisor], solution_of: Callable[[str], Solution]) -> None:
    test_every_state_is_solved("sixzee", solution_of)
    test_value_never_falls_when_the_number_total_rises("sixzee", solution_of)
    test_value_never_falls_when_a_box_holds_points("sixzee", solution_of)
    test_advisor_and_kernel_agree_on_random_positions("sixzee", advisor_of)


def test_regimes_of_masks_are_those_of_sheets() -> None:
    """The compiled form of `Sheet.regime` against itself, on random sheets and every roll of all dice alike."""
    rng = random.Random(4)
    for name in SOLVED:
        game = find_game(name)
        space = compile_space(game)
        for _ in range(200):
            sheet = random_sheet(game, rng)
            mask = sum(1 << box for box, points in enumerate(sheet.columns[0]) if points is not None)
            for face in range(1, game.faces + 1):
                regime = sheet.regime((face,) * game.dice)
                kind = space.dice.kind_roll(face)
                row = kind if regime == 0 else len(space.dice.rolls) + (regime - 1) * game.faces + face - 1
                assert space.plan.kind_row[mask, face - 1] == row


def test_a_single_column_may_have_a_multiplier(advisor_of: Callable[[str], Advisor]) -> None:
    """Everything is worth three times as much, what is on the sheet and what is to come."""
    single = advisor_of("yahtzee")
    triple = Advisor(solve_game(replace(single.game, columns=(3,))))
    assert triple.solution.value == pytest.approx(3 * single.solution.value, rel=1e-13)
    assert triple.solution.sd == pytest.approx(3 * single.solution.sd, rel=1e-11)
    rng = random.Random(5)
    for _ in range(40):
        sheet = random_sheet(single.game, rng)
        words = [word for word in str(sheet).split() if not word.startswith("bonus")]
        for rolls_left in range(3):
            once = single.advise(" ".join(words), "44445", rolls_left=rolls_left)
            thrice = triple.advise(" ".join(words), "44445", rolls_left=rolls_left)
            assert thrice.total == pytest.approx(3 * once.total, rel=1e-12)
            assert {(o.keep, o.box, o.points) for o in thrice.options} == {
                (o.keep, o.box, o.points) for o in once.options
            }
            bonuses = {option.box: option.bonus for option in once.options if option.bonus}
            assert {o.box: o.bonus for o in thrice.options if o.bonus} == {b: 3 * p for b, p in bonuses.items()}


def test_house_rules_example_is_solved(advisor_of: Callable[[str], Advisor]) -> None:
    """A larger game than Yahtzee in everything must be worth more than its parts alone."""
    advisor = advisor_of(str(HOUSE_RULES))
    assert advisor.game == load_game(HOUSE_RULES)
    assert 200 < advisor.solution.value < 300
    assert advisor.expect(Sheet.empty(advisor.game)) == pytest.approx(advisor.solution.value, abs=1e-10)


def test_a_game_that_is_always_worth_the_same_has_no_deviation() -> None:
    """Both boxes score 8 with any dice, and both sets are completed: 21 points, always."""
    game = Game(
        name="constant",
        title="Constant",
        dice=3,
        faces=3,
        rolls=2,
        boxes=(Box(name="left", points=8), Box(name="right", points=8)),
        set_bonuses=(SetBonus(name="a", boxes=("left",), points=4), SetBonus(name="b", boxes=("right",), points=1)),
    )
    solution = solve_game(game, threads=1)
    assert solution.value == pytest.approx(21.0, abs=1e-12)
    assert solution.sd < 1e-12
