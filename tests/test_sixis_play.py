"""Playing Sixis: the compiled player against the sheet in plain Python, matches, and the learned player."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from sim import _play
from sim.sixis.learn import learn_models
from sim.sixis.matches import Contest, Outcome, play_contest
from sim.sixis.play import ENDINGS, Rounds, play_rounds, round_key
from sim.sixis.table import Seat, Table
from solver import InputError
from solver.sixis.advice import DealAdvisor, ModelAdvisor
from solver.sixis.cards import load_deck
from solver.sixis.deal import Deal, deal_cards, read_cards, status
from solver.sixis.model import Model
from solver.sixis.round import Round, advanced_saves
from solver.sixis.tables import DealStore
from solver.sixis.ways import View, Way, greedy, patient
from tests.test_sixis_exact import SMALL_DECK

KEY = round_key(7)


def hand_written(deal: Deal) -> tuple[Seat, ...]:
    """`patient` and `greedy` by turns."""
    ways = (patient, greedy)
    return tuple(Seat(ways[seat % 2](View(deal, seat)), thrifty=seat % 2 == 0) for seat in range(deal.players))


def thrown(number: int, place: int, count: int, faces: int) -> tuple[int, ...]:
    """The dice of a turn, for whoever plays outside the compiled player."""
    dice = np.zeros(count, np.uint64)
    _play.throw(KEY, number, place, faces, dice)
    return tuple(map(int, dice))


def play_by_the_sheet(deal: Deal, seats: tuple[Seat, ...], number: int, *, advanced: bool) -> tuple[Round, int, str]:
    """One round, step by step, with the decisions that the seats' tables hold."""
    deck, dice = deal.deck, deal.deck.mathematics
    ways: list[Way] = [seat.way for seat in seats if seat.way is not None]
    saved: list[tuple[int, ...]] = [() for _ in seats]
    for seat in range(1, deal.players) if advanced else ():
        roll = tuple(sorted(thrown(number, -1 - seat, deck.dice, deck.faces)))
        parts = {part for size in range(advanced_saves(seat) + 1) for part in combinations(roll, size)}
        order = sorted(parts, key=lambda part: -dice.index[part])  # Of equal ones the last that dice list.
        saved[seat] = max(order, key=lambda part: ways[seat].first[dice.index[part]])
    position, turns = Round.start(deal, tuple(saved)), 0
    while turns < 500:
        seat = position.mover
        way, view = ways[seat], ways[seat].view
        if deal.must_end(position.sides, seat):
            return position.begin(), turns, "empty"
        own = status([position.sides[place] for place in view.places])
        if position.may_end:
            leads = position.scores[seat] > position.scores[1 - seat]
            bare = all(side == 2 for side in position.sides)
            if (seats[seat].thrifty and (leads or bare)) or way.throws[own, dice.index[position.saved[seat]]] == 2:
                return position.begin(end=True), turns, "ended"
        kept = position.saved[seat] if way.throws[own, dice.index[position.saved[seat]]] else ()
        rest = thrown(number, turns, deck.dice - len(kept), deck.faces)
        position = position.begin().rolled(tuple(sorted(kept + rest)))
        turns += 1
        row = dice.index[position.dice] - dice.first_roll
        act = int(way.acts[own, row])
        action = None
        if act:
            sixis = act == 1 + 2 * view.cards
            kind = "sixis" if sixis else "take" if act % 2 else "flip"
            place = -1 if sixis else view.places[(act - 1) // 2]
            (action,) = (found for found in position.actions() if (found.kind, found.place) == (kind, place))
        position = position.act(action)
        if position.over:
            return position, turns, "sixis"
        own = status([position.sides[place] for place in view.places])
        position = position.save(dice.keeps[way.saves[own, row]])
    return position, turns, "waiting"


@pytest.mark.parametrize("advanced", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_compiled_player_plays_by_the_sheet(players: int, advanced: bool) -> None:
    deal = deal_cards(5, players=players)
    seats = hand_written(deal)
    numbers = np.arange(150)
    played = play_rounds(Table(deal, seats), numbers, key=KEY, advanced=advanced)
    endings = set()
    for number in numbers:
        expected, turns, ending = play_by_the_sheet(deal, seats, int(number), advanced=advanced)
        assert tuple(played.scores[number]) == expected.scores
        assert (played.turns[number], ENDINGS[played.endings[number]]) == (turns, ending)
        endings.add(ending)
    assert endings >= ({"ended"} if players == 2 else {"empty"})


def same(left: Rounds, right: Rounds) -> bool:
    pairs = ((left.scores, right.scores), (left.turns, right.turns), (left.endings, right.endings))
    return all(np.array_equal(one, other) for one, other in pairs)


def test_threads_and_pieces_change_nothing() -> None:
    deal = deal_cards(2, players=3)
    table = Table(deal, hand_written(deal))
    numbers = np.arange(5_000)
    whole = play_rounds(table, numbers, key=KEY, threads=1)
    assert same(whole, play_rounds(table, numbers, key=KEY, threads=2))
    half = play_rounds(table, numbers[2_500:], key=KEY, threads=1)
    assert np.array_equal(half.scores, whole.scores[2_500:])
    assert not same(whole, play_rounds(table, numbers, key=KEY + 1))


def test_a_waiting_table_is_noticed() -> None:
    """Players who save everything and touch nothing: the round is called off as one in which nobody scores again."""
    deal = deal_cards(1, players=2)
    view = View(deal, 0)
    way = patient(view)
    way.acts[:] = 0
    way.saves[:] = np.arange(deal.deck.mathematics.first_roll, len(deal.deck.mathematics.keeps))
    way.throws[:] = 1
    played = play_rounds(Table(deal, (Seat(way), Seat(way))), np.arange(50), key=KEY)
    assert {ENDINGS[ending] for ending in played.endings} == {"waiting"}
    assert played.turns.max() <= 6 and not played.scores.any()


# Two players: the optimum


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deals")


@cache
def small_deal() -> Deal:
    return read_cards("one, pair / low, odd", deck=load_deck(SMALL_DECK))[0]


def contest(folder: Path, *strategies: str, **facts: object) -> Outcome:
    named = {"deal": small_deal(), "games": 100_000, "tables": folder, "seed": 1} | facts
    return play_contest(Contest(strategies=strategies, **named))  # type: ignore[arg-type]


@pytest.mark.parametrize("advanced", [False, True])
def test_optimal_play_brings_what_is_solved(folder: Path, advanced: bool) -> None:
    solved = DealStore(folder).solve(small_deal())
    margins = contest(folder, "optimal", advanced=advanced).margins
    assert abs(margins.mean - (solved.advanced if advanced else solved.value)) < 4.0 * margins.se


@pytest.mark.parametrize("other", ["greedy", "patient", "learned"])
def test_nobody_beats_the_optimum(folder: Path, other: str) -> None:
    """From either start, whoever plays against the optimum gets no more than it would itself."""
    value = DealStore(folder).solve(small_deal()).value
    first, second = contest(folder, "optimal", other).margins, contest(folder, other, "optimal").margins
    assert first.mean > value - 3.0 * first.se
    assert second.mean < value + 3.0 * second.se
    if other != "learned":
        assert first.mean - second.mean > 1.0


def test_the_optimum_plays_the_cards_in_any_order(folder: Path) -> None:
    deck = load_deck(SMALL_DECK)
    turned = read_cards("odd, low / pair, one", deck=deck)[0]
    value = DealStore(folder).solve(small_deal()).value
    margins = contest(folder, "optimal", deal=turned).margins
    assert abs(margins.mean - value) < 4.0 * margins.se


# The learned player


@cache
def models(players: int, *, teams: bool = False) -> tuple[Model, ...]:
    return learn_models(deal_cards(3, players=players), teams=teams, rounds=1_000)


def test_learning_twice_gives_the_same() -> None:
    again = learn_models(deal_cards(3, players=3), rounds=1_000)
    for one, other in zip(models(3), again, strict=True):
        assert np.array_equal(one.values, other.values)
    assert not np.array_equal(models(3)[0].values, models(3)[1].values)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("way", [greedy, patient])
def test_the_learned_player_wins_more_than_who_sat_there_before(players: int, way: object) -> None:
    """Seat by seat: the rate of wins against hand-written players is above what such a player has in that seat."""
    deal = deal_cards(3, players=players)
    hands = tuple(Seat(way(View(deal, seat)), thrifty=True) for seat in range(players))  # type: ignore[operator]
    numbers = np.arange(6_000)

    def wins(seats: tuple[Seat, ...], seat: int) -> float:
        scores = play_rounds(Table(deal, seats), numbers, key=KEY).scores
        best = scores == scores.max(axis=1, keepdims=True)
        return float((best / best.sum(axis=1, keepdims=True))[:, seat].mean())

    for seat, model in enumerate(models(players)):
        seats = (*hands[:seat], Seat(model.way, model=model), *hands[seat + 1 :])
        assert wins(seats, seat) > wins(hands, seat) + 0.02, f"seat {seat}"


def test_in_teams_the_partner_counts() -> None:
    alone, together = models(4), models(4, teams=True)
    assert tuple(alone[0].weights) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert tuple(together[0].weights) == (1.0, -1.0, 1.0)
    deal = deal_cards(3, players=4)
    seats = tuple(Seat(model.way, model=model) for model in together)
    lonely = tuple(Seat(model.way, model=model) for model in alone)
    mixed = (seats[0], lonely[1], seats[2], lonely[3])
    scores = play_rounds(Table(deal, mixed), np.arange(20_000), key=KEY).scores
    base = play_rounds(Table(deal, lonely), np.arange(20_000), key=KEY).scores
    margin, before = (array[:, [0, 2]].sum(axis=1) - array[:, [1, 3]].sum(axis=1) for array in (scores, base))
    error = np.sqrt((margin.var() + before.var()) / len(margin))
    assert margin.mean() > before.mean() - 2.0 * error


@pytest.mark.parametrize("players", [2, 3])
def test_advice_of_the_learned_player_is_what_it_plays(players: int) -> None:
    """Whole rounds by the advisor's best choices score as the compiled player does, up to ties."""
    deal = deal_cards(3, players=players)
    found = models(players)
    advisor = ModelAdvisor(found)
    seats = tuple(Seat(model.way, model=model) for model in found)
    numbers = np.arange(12)
    played = play_rounds(Table(deal, seats), numbers, key=KEY)
    same_rounds = 0
    for number in numbers:
        position, turns = Round.start(deal), 0
        while not position.over and turns < 200:
            choice = advisor.advise(position).choices[0]
            if position.step == "save":
                assert choice.save is not None
                position = position.save(choice.save)
            elif position.step == "act":
                position = position.act(choice.action)
            elif choice.kind == "end":
                position = position.begin(end=players == 2)
            else:
                kept = position.saved[position.mover] if choice.kind == "keep" else ()
                rest = thrown(int(number), turns, 6 - len(kept), 6)
                position, turns = position.begin().rolled(tuple(sorted(kept + rest))), turns + 1
        same_rounds += tuple(played.scores[number]) == position.scores
    assert same_rounds >= 10


def test_advice_knows_when_the_round_is_over() -> None:
    deal = deal_cards(3, players=3)
    position = Round(deal, (2,) * 9, ((),) * 3, (0, 0, 0))
    (choice,) = ModelAdvisor(models(3)).advise(position).choices
    assert choice.kind == "end"


def test_what_others_hold_matters_to_the_learned_player() -> None:
    """A flip is worth less if the next player holds the dice for the red side."""
    deal, _ = read_cards(
        "double-ones, low, high / two-pair, run-1-2-3, run-4-5-6 / double-twos, double-sixes, one-and-six"
    )
    advisor = ModelAdvisor(learn_models(deal, rounds=1_000))
    worth = []
    for other in ((), (1, 1, 1, 1)):
        position = Round(deal, (0,) * 9, ((), other, ()), (0, 0, 0), step="act", dice=(1, 1, 2, 3, 4, 6))
        (flip,) = (choice for choice in advisor.advise(position).choices if choice.text == "flip double-ones")
        worth.append(flip.value)
    assert worth[0] > worth[1] + 5.0


def test_against_the_exact_solution_the_learned_player_loses_little(folder: Path) -> None:
    """Six dice, four cards: what the learned player loses against the optimum, from both starts."""
    deal, _ = read_cards("double-ones, low / high, two-pair")
    value = DealStore(folder).solve(deal).value
    first = contest(folder, "learned", "optimal", deal=deal, games=40_000).margins
    second = contest(folder, "optimal", "learned", deal=deal, games=40_000).margins
    poor = contest(folder, "optimal", "greedy", deal=deal, games=40_000).margins
    loss = (value - first.mean + second.mean - value) / 2.0
    assert -3.0 * first.se < loss < 0.6 * (poor.mean - value)


# Matches


def test_several_rounds_pass_the_start_on() -> None:
    """Three players, three rounds: everybody starts once, so that equal players win equally often."""
    one = play_contest(Contest(strategies=("patient",), players=3, games=20_000, deals=6, seed=2))
    three = play_contest(Contest(strategies=("patient",), players=3, games=20_000, rounds=3, deals=6, seed=2))
    assert one.win_rate(0)[0] - one.win_rate(2)[0] > 0.1
    assert abs(three.win_rate(0)[0] - three.win_rate(2)[0]) < 0.05
    assert three.rounds == 3 * one.rounds
    assert sum(three.endings.values()) == three.rounds
    assert sum(three.win_rate(player)[0] for player in range(3)) == pytest.approx(1.0)


def test_a_match_to_a_total_ends_with_the_round_in_which_it_is_reached() -> None:
    played = play_contest(Contest(strategies=("patient",), players=2, games=2_000, to=600, deals=4, seed=2))
    assert (played.standing.max(axis=1) >= 600).all()
    assert played.standing.max() < 600 + 500
    assert played.rounds > 3 * 2_000


def test_teams_win_together() -> None:
    teams = play_contest(
        Contest(strategies=("patient", "greedy", "patient", "greedy"), players=4, games=5_000, deals=5, teams=True)
    )
    assert teams.win_rate(0)[0] == teams.win_rate(2)[0] > teams.win_rate(1)[0]
    assert teams.win_rate(0)[0] + teams.win_rate(1)[0] == pytest.approx(1.0)
    assert np.array_equal(teams.standing[:, 0], teams.totals[:, 0] + teams.totals[:, 2])


def test_the_same_seed_gives_the_same_matches() -> None:
    facts = {"strategies": ("patient", "greedy", "greedy"), "players": 3, "games": 3_000, "rounds": 3, "deals": 4}
    one, two = (play_contest(Contest(**facts, seed=4, threads=threads)) for threads in (1, 2))  # type: ignore[arg-type]
    other = play_contest(Contest(**facts, seed=5))  # type: ignore[arg-type]
    assert np.array_equal(one.totals, two.totals)
    assert not np.array_equal(one.totals, other.totals)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"players": 1}, "players: 1 given, Sixis is for 2 to 4"),
        ({"players": 5}, "players: 5 given"),
        ({"players": 3, "teams": True}, "teams: 3 players given, four play in teams"),
        ({"rounds": 2}, "rounds: 2 given, a match is 1, 3 or 5 rounds"),
        ({"rounds": 3, "to": 600}, "one or the other"),
        ({"to": 0}, "to: 0 given, allowed are 1 to"),
        ({"games": 0}, "games: 0 given"),
        ({"strategies": ("patient",) * 3}, "strategies: 3 given, allowed are one for all or 2"),
        ({"strategies": ("pateint",)}, "did you mean 'patient'"),
        ({"strategies": ("optimal",)}, "'optimal' plays a solved deal of two"),
        ({"strategies": ("optimal",), "players": 3, "deal": deal_cards(1, players=3)}, "'optimal' plays a solved deal"),
        ({"deal": deal_cards(1, players=3)}, "the cards lie for 3 players, 2 are to play"),
    ],
)
def test_impossible_matches_are_refused(facts: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Contest(**({"strategies": ("patient",)} | facts))  # type: ignore[arg-type]


def test_exact_advice_and_play_see_the_same_deal(folder: Path) -> None:
    """The advisor's first move is worth what optimal play brings."""
    advisor = DealAdvisor(DealStore(folder).solve(small_deal()))
    assert advisor.advise(Round.start(small_deal())).value == pytest.approx(advisor.solved.value, abs=2e-3)
