"""Sixis for two, solved exactly: against an oracle that shares no code, in its tables, and in its advice."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from solver import InputError, RollwiseError, TableMissingError, TableRefusedError
from solver.sixis.advice import DealAdvisor
from solver.sixis.cards import Card, Deck, Side, load_deck
from solver.sixis.deal import Deal, deal_cards, read_cards, sides_of, status
from solver.sixis.exact import Opening, PackedStatus, solve_deal
from solver.sixis.round import Round
from solver.sixis.tables import DealStore, SolvedDeal
from tests.sixis_oracle import CalledOff, Faces, PlainCard, PlainGame, Sides

SMALL_DECK = Path(__file__).parent / "small-deck.toml"

# What the cards of small-deck.toml ask for, written again in plain Python.
PLAIN = {
    "one": PlainCard(lambda dice: 1 in dice, 5, lambda dice: dice.count(1) >= 2, 20),
    "pair": PlainCard(lambda dice: len(set(dice)) < 3, 7, lambda dice: len(set(dice)) < 3 and sum(dice) >= 6, 25),
    "low": PlainCard(lambda dice: sum(dice) <= 5, 8, lambda dice: sum(dice) <= 4, 19),
    "odd": PlainCard(lambda dice: 2 not in dice or dice.count(2) == 1, 6, lambda dice: 2 not in dice, 17),
    "high": PlainCard(lambda dice: sum(dice) >= 7, 8, lambda dice: sum(dice) >= 8, 22),
    "three": PlainCard(lambda dice: 3 in dice, 5, lambda dice: dice.count(3) >= 2, 20),
}
DEALS = ("one / pair", "low / odd, one", "pair, low / odd", "high, three / low")


def waiting_game(rare: Faces, red: int, high: int, points: int, last: Faces, sixis: int) -> tuple[Deal, PlainGame]:
    """A card that hardly brings points blue and many red, for the same rare dice: nobody wants to turn it over."""
    cards = (
        Card("rare", Side(points=1, faces=rare), Side(points=red, faces=rare)),
        Card("high", Side(points=points, at_least=high), Side(points=0, at_least=9)),
        Card("last", Side(points=1, faces=last), Side(points=1, faces=last)),
    )
    deal = Deal(Deck("waiting", 3, 3, Side(points=sixis, groups=(3,)), cards), (cards[:1], cards[1:]))
    plain = (
        (PlainCard(lambda dice: dice == rare, 1, lambda dice: dice == rare, red),),
        (
            PlainCard(lambda dice: sum(dice) >= high, points, lambda dice: sum(dice) == 9, 0),
            PlainCard(lambda dice: dice == last, 1, lambda dice: dice == last, 1),
        ),
    )
    return deal, PlainGame(3, 3, plain, sixis)


WAITING = ((1, 1, 2), 100, 7, 60, (2, 3, 3), 10)


@cache
def game(text: str) -> tuple[Deal, PlainGame]:
    """A deal of the small deck and the same as plain facts; `waiting` is the waiting game."""
    if text == "waiting":
        return waiting_game(*WAITING)
    deal, _ = read_cards(text, deck=load_deck(SMALL_DECK))
    return deal, PlainGame(3, 3, tuple(tuple(PLAIN[card.name] for card in group) for group in deal.groups), 30)


@cache
def solved(text: str) -> tuple[Opening, dict[int, PackedStatus]]:
    """The exact solution of a game, all statuses."""
    kept: dict[int, PackedStatus] = {}
    opening = solve_deal(game(text)[0], tolerance=1e-10, keep=lambda packed: kept.__setitem__(packed.number, packed))
    return opening, kept


class Limit:
    """What the oracle says when the chance that the round is called off goes to 0."""

    def __init__(self, plain: PlainGame) -> None:
        self.plain = plain
        self.one, self.two = CalledOff(plain, 1e-5), CalledOff(plain, 2e-5)

    def values(self, sides: Sides) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = 2.0 * self.one.values(sides) - self.two.values(sides)
        return found


@cache
def limit(text: str) -> Limit:
    return Limit(game(text)[1])


def in_our_order(deal: Deal, plain: PlainGame) -> list[int]:
    """Where the oracle's saved dice stand in ours."""
    return [deal.deck.mathematics.index[save] for save in plain.saves]


def words(sides: tuple[int, ...]) -> Sides:
    return tuple(("blue", "red", "gone")[side] for side in sides)


@pytest.mark.parametrize("text", [*DEALS, "waiting"])
def test_the_opening_agrees_with_the_oracle(text: str) -> None:
    deal, plain = game(text)
    opening, _ = solved(text)
    assert opening.residual < 1e-9
    expected = limit(text).values(words((0,) * len(deal.cards)))
    np.testing.assert_allclose(opening.values[in_our_order(deal, plain)], expected[0], atol=1e-6)


@pytest.mark.parametrize("text", [*DEALS, "waiting"])
def test_every_status_agrees_with_the_oracle_as_far_as_it_is_stored(text: str) -> None:
    deal, plain = game(text)
    order = in_our_order(deal, plain)
    _, kept = solved(text)
    assert len(kept) == 3 ** len(deal.cards)
    for number, packed in kept.items():
        expected = limit(text).values(words(sides_of(number, len(deal.cards))))
        ours = packed.low + packed.unit * packed.values[order]
        places = [order.index(save) for save in packed.saves]
        np.testing.assert_allclose(ours, expected[:, places], atol=packed.unit / 2 + 1e-6)


def test_with_an_advanced_start_the_second_player_saves_the_best_two_dice() -> None:
    plain = game("pair, low / odd")[1]
    oracle, opening = limit("pair, low / odd"), solved("pair, low / odd")[0]
    values = oracle.values(("blue",) * 3)[0]
    place = {save: number for number, save in enumerate(plain.saves)}
    expected = 0.0
    for roll, chance in plain.throws(()).items():
        allowed = {part for part in plain.saves if len(part) <= 2 and all(part.count(f) <= roll.count(f) for f in part)}
        expected += chance * min(values[place[part]] for part in allowed)
    assert opening.advanced == pytest.approx(expected, abs=1e-6)
    assert opening.advanced < opening.value


def test_where_both_wait_the_value_is_zero_though_more_turns_swing() -> None:
    """A horizon of so many turns never settles: the last one to wait gets away with it."""
    deal, plain = game("waiting")
    both = plain.saves.index((1, 1, 2))
    horizon = CalledOff(plain, 0.0)
    even, odd = (horizon.after_turns(turns)(("blue",) * 3)[both, both] for turns in (200, 201))
    assert abs(even - odd) > 1.0
    keep = deal.deck.mathematics.index[(1, 1, 2)]
    packed = solved("waiting")[1][0]
    column = list(packed.saves).index(keep)
    assert packed.low + packed.unit * packed.values[keep, column] == pytest.approx(0.0, abs=packed.unit)
    assert limit("waiting").values(("blue",) * 3)[both, both] == pytest.approx(0.0, abs=1e-9)


def test_the_residual_is_below_the_tolerance_and_values_within_it() -> None:
    fine = solved("pair, low / odd")[0]
    rough = solve_deal(game("pair, low / odd")[0], tolerance=1e-4)
    assert 1e-10 < rough.residual < 1e-4
    assert rough.sweeps < fine.sweeps
    assert np.abs(rough.values - fine.values).max() < 1e-3


def test_more_threads_change_nothing() -> None:
    deal = game("low / odd, one")[0]
    one, three = {}, {}
    first = solve_deal(deal, threads=1, keep=lambda packed: one.__setitem__(packed.number, packed.values.tobytes()))
    second = solve_deal(deal, threads=3, keep=lambda packed: three.__setitem__(packed.number, packed.values.tobytes()))
    assert np.array_equal(first.values, second.values)
    assert one == three


def test_where_a_card_lies_in_its_group_does_not_matter() -> None:
    deck = load_deck(SMALL_DECK)
    deals = [read_cards(text, deck=deck)[0] for text in ("pair, low / odd", "low, pair / odd", "odd / low, pair")]
    assert len({deal.fingerprint for deal in deals}) == 1
    values = [solve_deal(deal, tolerance=1e-10).value for deal in deals]
    assert values == pytest.approx([values[0]] * 3, abs=1e-9)
    other = read_cards("pair / low, odd", deck=deck)[0]
    assert other.fingerprint != deals[0].fingerprint


@pytest.mark.parametrize("points", [0, 10])
def test_a_sixis_card_that_is_worth_nothing(points: int) -> None:
    """Where nothing can be won any more the value is 0, whatever the thread solved before."""
    cards = (
        Card("five", Side(points=5, faces=(1,)), Side(points=9, faces=(2,))),
        Card("none", Side(points=0), Side(points=0)),
    )
    deal = Deal(Deck("tiny", 1, 2, Side(points=points, groups=(1,)), cards), (cards[:1], cards[1:]))
    nothing = PlainCard(lambda dice: True, 0, lambda dice: True, 0)
    plain = PlainGame(1, 2, ((PlainCard(lambda dice: 1 in dice, 5, lambda dice: 2 in dice, 9),), (nothing,)), points)
    expected = Limit(plain).values(("blue", "blue"))[0]
    for threads in (1, 2):
        opening = solve_deal(deal, tolerance=1e-10, threads=threads)
        np.testing.assert_allclose(opening.values[in_our_order(deal, plain)], expected, atol=1e-6)
    if not points:
        assert opening.value == pytest.approx(2.5, abs=1e-6)


def test_three_players_are_not_solved_exactly() -> None:
    with pytest.raises(InputError, match="only games of two players are solved exactly"):
        solve_deal(deal_cards(1, players=3))


# Tables


@pytest.fixture
def store(tmp_path: Path) -> DealStore:
    """A folder with one solved deal."""
    found = DealStore(tmp_path)
    found.solve(game("pair, low / odd")[0])
    return found


def values_file(store: DealStore) -> Path:
    return next(store.path(game("pair, low / odd")[0]).glob("values-*.bin"))


def test_what_is_solved_is_loaded(store: DealStore, monkeypatch: pytest.MonkeyPatch) -> None:
    deal = game("pair, low / odd")[0]
    monkeypatch.setattr("solver.sixis.tables.solve_deal", None)
    found = store.solve(deal)
    assert found.value == pytest.approx(solved("pair, low / odd")[0].value, abs=1e-3)
    assert found.statuses == 27 and found.states == 27 * 20**2
    found.check()


def test_a_missing_deal_is_told(tmp_path: Path) -> None:
    with pytest.raises(TableMissingError, match="rollwise solve sixis"):
        DealStore(tmp_path).load(game("one / pair")[0])


def test_a_flipped_byte_is_found_when_its_status_is_read(store: DealStore) -> None:
    path = values_file(store)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(TableRefusedError, match=r"damaged.*--force"):
        store.load(game("pair, low / odd")[0]).check()


def test_a_truncated_table_is_refused_and_made_anew_on_request(store: DealStore) -> None:
    deal, path = game("pair, low / odd")[0], values_file(store)
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(TableRefusedError, match="wrong size"):
        store.load(deal)
    store.solve(deal, rebuild=True).check()


def test_a_lost_file_is_refused(store: DealStore) -> None:
    values_file(store).unlink()
    with pytest.raises(TableRefusedError, match="missing"):
        store.load(game("pair, low / odd")[0])


def test_a_table_for_other_cards_is_refused(store: DealStore) -> None:
    other = game("one / pair")[0]
    store.path(game("pair, low / odd")[0]).rename(store.path(other))
    with pytest.raises(TableRefusedError, match="other cards"):
        store.load(other)


def test_an_interruption_leaves_the_old_table(store: DealStore) -> None:
    deal = game("pair, low / odd")[0]
    before = store.load(deal).value

    def stop(stage: str, share: float, note: str = "") -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.solve(deal, force=True, progress=stop)
    found = store.load(deal)
    found.check()
    assert found.value == before
    assert not list(store.path(deal).glob("*.tmp"))


def test_two_solves_at_once_solve_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*words: object, **options: object) -> Opening:
        calls.append(1)
        return solve_deal(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("solver.sixis.tables.solve_deal", counted)
    stores = [DealStore(tmp_path) for _ in range(2)]
    workers = [threading.Thread(target=found.solve, args=(game("low / odd, one")[0],)) for found in stores]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(calls) == 1


def test_too_little_room_is_told_before_solving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.stored.shutil.disk_usage", lambda folder: Usage(free=10))
    with pytest.raises(RollwiseError, match=r"the table of these cards needs .* --tables"):
        DealStore(tmp_path).solve(game("one / pair")[0])


@dataclasses.dataclass
class Usage:
    free: int


# Advice


@pytest.fixture(scope="module")
def advisor_for(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], DealAdvisor]:
    """The advisor of a game by its text."""
    folder = tmp_path_factory.mktemp("deals")

    @cache
    def found(text: str) -> DealAdvisor:
        return DealAdvisor(DealStore(folder).solve(game(text)[0]))

    return found


@pytest.mark.parametrize("text", ["pair, low / odd", "waiting"])
def test_every_step_of_a_turn_agrees_with_the_oracle(text: str, advisor_for: Callable[[str], DealAdvisor]) -> None:
    """All positions of a handful of statuses: what each choice is worth, at each step."""
    deal, plain = game(text)
    advisor, oracle = advisor_for(text), limit(text)
    near = 0.002 + advisor.error
    saves = plain.saves[:: 3 if text == "waiting" else 2]
    for number in range(0, 27, 4):
        sides = sides_of(number, len(deal.cards))
        at = words(sides)
        ending = oracle.one.ending(oracle.values(at))
        acting = oracle.one.acting(at, lambda after: oracle.one.ending(oracle.values(after)))
        throwing = oracle.one.thrown @ np.maximum(acting, ending)
        for other, mine in product(saves, repeat=2):
            row, column = plain.saves.index(mine), plain.saves.index(other)
            position = Round(deal, sides, (mine, other), (0, 0))
            worth = {choice.text.split(",")[0]: choice.value for choice in advisor.advise(position).choices}
            assert max(worth.values()) == pytest.approx(oracle.values(at)[row, column], abs=near)
            assert worth["roll all dice"] == pytest.approx(throwing[0, column], abs=near)
            assert ("end the round" in worth) == plain.may_end(at)
        for roll in plain.rolls[::3]:
            position = Round(deal, sides, ((), other), (0, 0), step="act", dice=roll)
            worth = {choice.text: choice.value for choice in advisor.advise(position).choices}
            row = plain.rolls.index(roll)
            assert worth.pop("leave all cards") == pytest.approx(ending[row, column], abs=near)
            best = max(worth.values(), default=-np.inf)
            assert best == pytest.approx(acting[row, column], abs=near)
            found = advisor.advise(dataclasses.replace(position, step="save"))
            assert found.value == pytest.approx(ending[row, column], abs=near)
            assert all(choice.loss >= 0.0 for choice in found.choices)


def test_the_cards_may_be_given_in_any_order(advisor_for: Callable[[str], DealAdvisor]) -> None:
    advisor = advisor_for("pair, low / odd")
    deck = load_deck(SMALL_DECK)
    answers = []
    for text in ("pair:red, low / odd:gone", "odd:gone / low, pair:red"):
        deal, sides = read_cards(text, deck=deck)
        position = Round(deal, sides, ((1,), (2, 2)), (0, 0), step="act", dice=(1, 1, 2))
        answers.append({choice.text: choice.value for choice in advisor.advise(position).choices})
    assert answers[0] == answers[1]


def test_numbers_of_statuses_go_there_and_back() -> None:
    for number in range(3**4):
        assert status(sides_of(number, 4)) == number


def test_a_solved_deal_is_the_same_after_the_detour_over_the_disk(store: DealStore) -> None:
    found: SolvedDeal = store.load(game("pair, low / odd")[0])
    saves, values = found.status(0)
    opening = found.opening
    for place, save in enumerate(saves):
        assert values[0, place] == pytest.approx(opening[save], abs=found.error)


# Full size


def test_a_deal_of_two_cards_with_six_dice_by_play(tmp_path: Path) -> None:
    """Six dice: the sampled margin of optimal play is the solved one, from either start."""
    from sim.sixis.matches import Contest, play_contest

    deal, _ = read_cards("two-pair / low")
    value = DealStore(tmp_path).solve(deal)
    for advanced, expected in ((False, value.value), (True, value.advanced)):
        contest = Contest(strategies=("optimal",), deal=deal, games=60_000, advanced=advanced, tables=tmp_path, seed=3)
        margins = play_contest(contest).margins
        assert abs(margins.mean - expected) < 4.0 * margins.se
