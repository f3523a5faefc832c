"""The advisor: options, totals, chances, ties, and play that earns what it promises."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import Match, play_match
from solver import Advisor, Box, Game, InputError, NumberBonus, Sheet, Wild, find_game, solve_game
from tests.advised import Advised
from tests.random_play import random_roll, random_sheet

AdvisorOf = Callable[[str], Advisor]


def test_options_are_every_distinct_keep(advisor_of: AdvisorOf) -> None:
    options = advisor_of("yahtzee").advise("", "33356", rolls_left=2).options
    keeps = [option.keep for option in options]
    assert len(keeps) == len(set(keeps)) == 4 * 2 * 2
    assert keeps[0] == (3, 3, 3)


def test_options_with_no_rolls_left_are_the_open_boxes(advisor_of: AdvisorOf) -> None:
    options = advisor_of("yahtzee").advise("ones=3 chance=20", "33356", rolls_left=0).options
    boxes = {box.name for box in find_game("yahtzee").boxes} - {"ones", "chance"}
    assert {option.box for option in options} == boxes


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(["yahtzee", "hasbro", "yatzy"]))
def test_what_holds_of_every_advice(seed: int, name: str, advisor_of: AdvisorOf) -> None:
    advisor, rng = advisor_of(name), random.Random(seed)
    game = advisor.game
    sheet, roll = random_sheet(game, rng), random_roll(game, rng)
    standing = [advisor.advise(sheet, roll, rolls_left=rolls_left) for rolls_left in range(game.rolls)]
    for advice in standing:
        values = [option.value for option in advice.options]
        assert advice.best.loss <= 1e-9
        assert max(values) == advice.value
        assert advice.total == pytest.approx(sheet.total + advice.value)
        for option, after in zip(advice.options, advice.options[1:], strict=False):
            assert option.value >= after.value - 1e-9
            assert option.loss == pytest.approx(advice.value - option.value, abs=1e-9)
    fewer, more = standing[0], standing[1]
    assert more.value >= fewer.value - 1e-9, "a further roll can be left unused"
    whole = next(option for option in more.options if option.keep == roll)
    assert whole.value == pytest.approx(fewer.value, abs=1e-12)
    assert whole.improve == 0.0


def test_keep_values_are_means_over_all_outcomes(advisor_of: AdvisorOf) -> None:
    """The value of a keep by listing every way the other dice can fall, and asking again for each."""
    advisor, sheet, roll = advisor_of("yahtzee"), "sixes=18 yahtzee=50 chance=20", "11466"
    stay = advisor.advise(sheet, roll, rolls_left=0).value
    for option in advisor.advise(sheet, roll, rolls_left=1).options:
        keep = option.keep or ()
        if len(keep) < 3:
            continue
        falls = [tuple(sorted(keep + fall)) for fall in product(range(1, 7), repeat=5 - len(keep))]
        values = [advisor.advise(sheet, fall, rolls_left=0).value for fall in falls]
        assert option.value == pytest.approx(np.mean(values), abs=1e-11)
        assert option.improve == pytest.approx(np.mean([value > stay + 1e-9 for value in values]), abs=1e-12)


def test_total_counts_the_number_bonus_once_it_is_earned(advisor_of: AdvisorOf) -> None:
    """63 points of numbers with ones open: the bonus is on the sheet, and no longer to come."""
    advisor = advisor_of("plain")
    sheet = "twos=8 threes=12 fours=12 fives=15 sixes=18"
    rest = " three-of-a-kind=20 four-of-a-kind=0 full-house=25 low-straight=30 high-straight=0 yahtzee=0 chance=20"
    advice = advisor.advise(sheet + rest, "11166", rolls_left=0)
    assert advice.sheet.total == 65 + 35 + 95
    assert (advice.value, advice.total) == (3.0, 198.0)


def test_total_counts_the_number_bonus_when_it_is_earned_now(advisor_of: AdvisorOf) -> None:
    sheet = "twos=6 threes=9 fours=12 fives=15 sixes=18"
    rest = " three-of-a-kind=0 four-of-a-kind=0 full-house=0 low-straight=0 high-straight=0 yahtzee=0 chance=5"
    advice = advisor_of("plain").advise(sheet + rest, "11166", rolls_left=0)
    assert (advice.best.points, advice.best.bonus, advice.value, advice.total) == (3, 35, 38.0, 103.0)


def test_bonus_earned_only_shifts_the_total(advisor_of: AdvisorOf) -> None:
    advisor, sheet = advisor_of("yahtzee"), "yahtzee=50 fours=20"
    plain = advisor.advise(sheet, "33356", rolls_left=1)
    richer = advisor.advise(sheet + " bonus=100", "33356", rolls_left=1)
    assert [option.value for option in richer.options] == [option.value for option in plain.options]
    assert richer.total == plain.total + 100


def test_repeat_bonus_is_shown_where_it_is_paid(advisor_of: AdvisorOf) -> None:
    """With yahtzee and fours filled, 44444 is a joker: high straight pays 40 and the bonus 100."""
    advice = advisor_of("yahtzee").advise("yahtzee=50 fours=12", "44444", rolls_left=0)
    shown = {option.box: (option.points, option.bonus) for option in advice.options}
    assert shown["high-straight"] == (40, 100)
    assert shown["ones"] == (0, 0)


def test_forced_joker_leaves_only_the_number_box(advisor_of: AdvisorOf) -> None:
    advice = advisor_of("hasbro").advise("yahtzee=50", "44444", rolls_left=0)
    assert [option.box for option in advice.options] == ["fours"]


def test_ties_between_boxes_go_to_the_first_on_the_sheet() -> None:
    game = Game(name="twins", title="Twins", dice=1, faces=2, rolls=1, boxes=(Box(name="left"), Box(name="right")))
    advice = Advisor(solve_game(game, threads=1)).advise("", "2", rolls_left=0)
    assert [option.box for option in advice.options] == ["left", "right"]


def test_ties_between_keeps_keep_more_dice_and_put_back_the_lowest() -> None:
    """Only three alike count. From 1-2-3 one die or none is equally good to keep; the rule puts back 1, then 2."""
    game = Game(
        name="triple", title="Triple", dice=3, faces=3, rolls=2, boxes=(Box(name="triple", groups=(3,), points=9),)
    )
    advice = Advisor(solve_game(game, threads=1)).advise("", "123", rolls_left=1)
    assert advice.best.keep == (3,)
    tied = [option.keep for option in advice.options if option.loss < 1e-9]
    assert set(tied) == {(1,), (2,), (3,), ()}


def test_a_game_without_numbers_or_bonuses_can_be_asked() -> None:
    game = Game(
        name="tiny",
        title="Tiny",
        dice=2,
        faces=4,
        rolls=2,
        boxes=(Box(name="pair", groups=(2,), points=7), Box(name="sum")),
        wild=Wild(box="pair", joker="none", repeat_bonus=5),
    )
    advisor = Advisor(solve_game(game, threads=1))
    assert advisor.advise("pair=7", "44", rolls_left=0).value == 8 + 5


@pytest.mark.parametrize("rolls_left", [-1, 3])
def test_rolls_left_must_be_possible(rolls_left: int, advisor_of: AdvisorOf) -> None:
    with pytest.raises(InputError, match=f"rolls left is {rolls_left}: from 0 to 2 are allowed"):
        advisor_of("yahtzee").advise("", "33356", rolls_left=rolls_left)


def test_a_sheet_of_another_game_is_refused(advisor_of: AdvisorOf) -> None:
    with pytest.raises(InputError, match="the sheet is one of hasbro, the question is about yahtzee"):
        advisor_of("yahtzee").advise(Sheet.empty(find_game("hasbro")), "33356", rolls_left=0)


def test_a_full_sheet_has_nothing_to_decide(advisor_of: AdvisorOf) -> None:
    game = find_game("yahtzee")
    full = random_sheet(game, random.Random(1), turns=13)
    with pytest.raises(InputError, match="the sheet is full"):
        advisor_of("yahtzee").advise(full, "33356", rolls_left=0)


def small_game() -> Game:
    """Three dice and all bonuses, quick to play."""
    return Game(
        name="small",
        title="Small",
        dice=3,
        faces=4,
        number_bonus=NumberBonus(threshold=9, points=12),
        wild=Wild(box="triple", joker="free", repeat_bonus=20),
        boxes=(
            Box(name="twos", number=2),
            Box(name="threes", number=3),
            Box(name="run", run=3, points=15, joker=True),
            Box(name="triple", groups=(3,), points=25),
            Box(name="chance"),
        ),
    )


def test_optimal_play_earns_its_value_and_deviation() -> None:
    """4,000 games: the mean within four standard errors, the deviation within five percent."""
    solution = solve_game(small_game(), threads=1)
    player, rng = Advised(Advisor(solution)), np.random.default_rng(11)
    totals = [play_match(Match.start(solution.game, players=1), [player], rng).totals[0] for _ in range(4000)]
    assert abs(np.mean(totals) - solution.value) < 4 * solution.sd / np.sqrt(len(totals))
    assert np.std(totals) == pytest.approx(solution.sd, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "games"), [("yahtzee", 1500), ("sixzee", 500)])
def test_optimal_play_of_whole_games_earns_its_value(name: str, games: int, advisor_of: AdvisorOf) -> None:
    advisor, rng = advisor_of(name), np.random.default_rng(12)
    player, solution = Advised(advisor), advisor.solution
    totals = [play_match(Match.start(advisor.game, players=1), [player], rng).totals[0] for _ in range(games)]
    assert abs(np.mean(totals) - solution.value) < 4 * solution.sd / np.sqrt(games)


def test_an_advisor_refuses_the_values_of_a_utility() -> None:
    game = Game(name="tiny", title="Tiny", dice=1, faces=2, rolls=2, boxes=(Box(name="chance"),))
    with pytest.raises(InputError, match="advice is for the highest mean: this solution has the theta"):
        Advisor(solve_game(game, theta=0.1))
