"""Sixis by its rule sheet v1.5 (Asmadi Games), section by section; the cards by the table of the published deck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from sim.histogram import Histogram
from sim.sixis import matches
from sim.sixis.matches import Contest, Outcome, play_contest
from sim.sixis.play import Rounds
from solver import InputError
from solver.sixis.cards import STANDARD, load_deck, standard_deck
from solver.sixis.deal import BLUE, GONE, RED, deal_cards, read_cards
from solver.sixis.round import Action, Round, advanced_saves
from tests.sheets import NUMBERS, dice, loaded, thrown

Faces = tuple[int, ...]
Needs = Callable[[Faces], bool]

ROLLS = tuple(combinations_with_replacement(range(1, 7), 6))


def show(*wanted: int) -> Needs:
    """Among the dice are these."""
    return lambda roll: all(roll.count(face) >= wanted.count(face) for face in wanted)


def twice(roll: Faces) -> int:
    """How many different numbers show two times or more."""
    return sum(roll.count(face) >= 2 for face in range(1, 7))


def odd(roll: Faces) -> int:
    return len([face for face in roll if face in (1, 3, 5)])


def full_house(roll: Faces) -> bool:
    return any(show(a, a, a, b, b)(roll) for a in range(1, 7) for b in range(1, 7) if a != b)


CARDS: dict[str, tuple[int, Needs, int, Needs]] = {
    **{f"double-{name}": (20, show(face, face), 50, show(*[face] * 4)) for face, name in enumerate(NUMBERS, start=1)},
    "one-and-six": (15, show(1, 6), 50, show(1, 1, 6, 6)),
    "two-and-five": (15, show(2, 5), 50, show(2, 2, 5, 5)),
    "three-and-four": (15, show(3, 4), 50, show(3, 3, 4, 4)),
    "run-1-2-3": (25, show(1, 2, 3), 60, show(1, 2, 3, 4, 5)),
    "run-4-5-6": (25, show(4, 5, 6), 60, show(2, 3, 4, 5, 6)),
    "four-dice-odd": (15, lambda roll: odd(roll) >= 4, 65, lambda roll: odd(roll) == 6),
    "four-dice-even": (15, lambda roll: odd(roll) <= 2, 65, lambda roll: odd(roll) == 0),
    "three-of-a-kind": (15, lambda roll: any(roll.count(face) >= 3 for face in roll), 55, full_house),
    "two-pair": (20, lambda roll: twice(roll) >= 2, 80, lambda roll: twice(roll) == 3),
    "low": (20, lambda roll: sum(roll) <= 18, 60, lambda roll: sum(roll) <= 12),
    "high": (20, lambda roll: sum(roll) >= 24, 60, lambda roll: sum(roll) >= 30),
}

TWO = "low, two-pair, double-ones, one-and-six / high, run-1-2-3, double-sixes, three-of-a-kind"
THREE = "low, two-pair, double-ones / high, run-1-2-3, double-sixes / two-and-five, double-twos, double-fives"
FOUR = f"{THREE} / three-and-four, double-threes, double-fours"
FIRST, SECOND = TWO.split(" / ")
TEAMS = {"to": 600, "players": 4, "teams": True}
LAST = "three-and-four double-threes"
SIXIS = Action("sixis", points=60)


def opened(cards: str, **facts: Any) -> Round:
    """A round at the beginning of a turn."""
    deal, sides = read_cards(cards)
    return replace(Round.start(deal), sides=sides, **facts)


def acting(cards: str, roll: str, **facts: Any) -> Round:
    """A round in which the mover has rolled these dice."""
    return opened(cards, **facts).begin().rolled(dice(roll))


def place(game: Round, name: str) -> int:
    return [card.name for card in game.deal.cards].index(name)


def side(game: Round, name: str) -> int:
    return game.sides[place(game, name)]


def take(game: Round, name: str) -> Action:
    """To take the card for the points that the table states for the side that is up."""
    blue, _, red, _ = CARDS[name]
    return Action("take", place(game, name), red if side(game, name) == RED else blue)


def flip(game: Round, name: str) -> Action:
    return Action("flip", place(game, name))


def passing(game: Round, roll: str = "123456", keep: str = "") -> Round:
    """A whole turn that touches no card."""
    return game.begin().rolled(dice(roll)).act(None).save(dice(keep))


def bare(cards: str, *, side: str = "gone") -> str:
    """The same cards, all gone, or all on one side."""
    return " / ".join(", ".join(f"{name.strip()}:{side}" for name in group.split(",")) for group in cards.split("/"))


def test_the_deck_has_seventeen_goal_cards_and_the_sixis_card_for_six_dice() -> None:
    deck = load_deck(STANDARD)
    assert deck == standard_deck()
    assert len(CARDS) == 17
    assert [card.name for card in deck.cards] == list(CARDS)
    assert (deck.dice, deck.faces, deck.sixis.points) == (6, 6, 60)
    assert [roll for roll in ROLLS if deck.sixis.matches(roll)] == [(face,) * 6 for face in range(1, 7)]


@pytest.mark.parametrize("name", CARDS)
def test_goal_cards_have_a_blue_side_and_a_red_side_worth_more(name: str) -> None:
    card = standard_deck().card(name)
    blue_points, blue, red_points, red = CARDS[name]
    assert (card.blue.points, card.red.points) == (blue_points, red_points)
    assert len(ROLLS) == 462
    for roll in ROLLS:
        assert card.blue.matches(roll) == blue(roll), roll
        assert card.red.matches(roll) == red(roll), roll
        assert card.red.matches(roll[::-1]) == red(roll), roll


@pytest.mark.parametrize(
    ("name", "rolls", "satisfied"),
    [
        ("three-of-a-kind", "555551 555554 555555 555432 554433", False),
        ("three-of-a-kind", "555544 555444 555443", True),
        ("two-pair", "555544 555444 555555 555443", False),
        ("two-pair", "665544", True),
    ],
)
def test_clarifications(name: str, rolls: str, satisfied: bool) -> None:
    """The sets of the red sides, a full house and three pair, are of distinct numbers."""
    red = standard_deck().card(name).red
    assert [red.matches(dice(roll)) for roll in rolls.split()] == [satisfied] * len(rolls.split())


@pytest.mark.parametrize(("players", "group"), [(2, 4), (3, 3), (4, 3)])
def test_setup_deals_different_cards_at_random_all_blue(players: int, group: int) -> None:
    seen: set[tuple[int, str]] = set()
    for seed in range(100):
        deal = deal_cards(seed, players=players)
        assert deal == deal_cards(seed, players=players)
        assert [len(cards) for cards in deal.groups] == [group] * players
        names = [card.name for card in deal.cards]
        assert len(set(names)) == group * players
        assert set(Round.start(deal).sides) == {BLUE}
        seen.update(enumerate(names))
    assert len(seen) > 16 * group * players, "nearly every card can lie in every place"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_setup_gives_two_players_all_cards_and_more_players_the_six_beside_the_seat(players: int) -> None:
    deal = deal_cards(0, players=players)
    reach = [set(deal.reach(seat)) for seat in range(players)]
    for seat, mine in enumerate(reach):
        assert len(mine) == (8 if players == 2 else 6)
        shared = mine & reach[(seat + 1) % players]
        assert shared == mine if players == 2 else shared in map(set, deal.places), "neighbours share one arm"
        assert players < 4 or not mine & reach[(seat + 2) % 4], "opposite players share none"


@pytest.mark.parametrize(("cards", "order"), [(TWO, [0, 1, 0]), (THREE, [0, 1, 2, 0]), (FOUR, [0, 1, 2, 3, 0])])
def test_play_passes_clockwise_at_the_end_of_each_turn(cards: str, order: list[int]) -> None:
    """Also if nobody acts. The steps of a turn come in their order."""
    game, movers = opened(cards), []
    for _ in order:
        movers.append(game.mover)
        game = passing(game)
    assert (movers, game.sides) == (order, opened(cards).sides)
    for early in (lambda: game.rolled(dice("111111")), lambda: game.act(None), lambda: game.begin().save(())):
        with pytest.raises(InputError, match="not next"):
            early()


def test_step_1_the_round_is_over_if_only_the_sixis_card_is_available() -> None:
    """It ends on the turn of the player whose six cards are gone, while other cards are still there."""
    cards = bare(THREE).replace("double-fives:gone", "double-fives:red")
    assert [opened(cards, mover=seat).begin().over for seat in range(3)] == [False, True, False]
    with pytest.raises(InputError, match="the round is over"):
        opened(cards, mover=1, saved=((), dice("666666"), ())).begin().rolled(dice("666666"))
    before = passing(opened(cards))
    assert (before.over, before.begin().over) == (False, True)


@pytest.mark.parametrize("cards", [THREE, FOUR])
def test_step_1_three_or_four_players_cannot_end_a_round_otherwise(cards: str) -> None:
    game = opened(bare(cards, side="red"))
    assert not game.begin().over
    with pytest.raises(InputError) as caught:
        game.begin(end=True)
    assert "a blue card is left" not in str(caught.value), "no card is blue: the sentence names what is not wrong"


@pytest.mark.parametrize(("saved", "rest"), [("", "123456"), ("5", "12346"), ("1155", "36"), ("112355", "")])
def test_step_2_saved_dice_are_kept_or_all_dice_are_rolled(saved: str, rest: str) -> None:
    """Step 3: all dice but the saved ones are rolled."""
    game = opened(TWO, saved=(dice(saved), dice("66"))).begin()
    rng = loaded(rest)
    assert game.roll(rng, keep=True).dice == tuple(sorted(dice(saved + rest)))
    assert thrown(rng) == [6 - len(saved)]
    rng = loaded("234566")
    assert game.roll(rng, keep=False).dice == dice("234566")
    assert thrown(rng) == [6]


@pytest.mark.parametrize("roll", ["11", "1234566", "123457"])
def test_step_3_refuses_what_six_dice_cannot_show(roll: str) -> None:
    with pytest.raises(InputError, match="dice"):
        opened(TWO).begin().rolled(dice(roll))


def test_step_4_a_blue_card_is_taken_for_points_or_flipped() -> None:
    """By rolled and saved dice together; one or the other in a turn, and one card only."""
    game = opened(TWO, saved=(dice("1"), ())).begin().roll(loaded("12336"), keep=True)
    names = ("low", "two-pair", "double-ones", "one-and-six", "run-1-2-3")
    assert set(game.actions()) == {act(game, name) for act in (take, flip) for name in names}
    taken = game.act(take(game, "run-1-2-3"))
    assert (taken.scores, side(taken, "run-1-2-3")) == ((25, 0), GONE)
    flipped = game.act(flip(game, "low"))
    assert (flipped.scores, side(flipped, "low")) == ((0, 0), RED)
    for done, again in ((taken, take(game, "low")), (taken, flip(game, "low")), (flipped, flip(game, "two-pair"))):
        assert sum(old != new for old, new in zip(game.sides, done.sides, strict=True)) == 1
        with pytest.raises(InputError, match="not next"):
            done.act(again)
    assert game.act(None).sides == game.sides


def test_step_4_a_card_is_not_flipped_and_taken_in_one_turn_even_with_the_dice_of_its_red_side() -> None:
    game = acting(TWO, "111166")
    flipped = game.act(flip(game, "double-ones"))
    with pytest.raises(InputError, match="not next"):
        flipped.act(take(flipped, "double-ones"))
    assert Action("take", place(game, "double-ones"), 50) not in game.actions()
    other = flipped.save(dice("1111")).begin().rolled(dice("111123"))
    assert other.act(take(other, "double-ones")).scores == (0, 50), "the other player may take it"


def test_step_4_a_red_card_is_only_taken_for_its_red_points_by_its_red_requirement() -> None:
    cards = TWO.replace("double-ones", "double-ones:red")
    lacking, enough = acting(cards, "111234"), acting(cards, "111123", scores=(7, 3))
    spot = place(enough, "double-ones")
    assert not [action for action in lacking.actions() if action.place == spot]
    assert [action for action in enough.actions() if action.place == spot] == [Action("take", spot, 50)]
    assert enough.act(take(enough, "double-ones")).scores == (57, 3)
    for action in (Action("flip", spot), Action("take", spot, 20)):
        with pytest.raises(InputError, match="the dice 111123 do not allow"):
            enough.act(action)


@pytest.mark.parametrize(
    ("cards", "names"),
    [
        (TWO, ["low two-pair three-of-a-kind"] * 2),
        (TWO.replace("low", "low:gone"), ["two-pair three-of-a-kind"] * 2),
        (THREE, ["double-twos low two-pair", "low two-pair", "double-twos"]),
        (FOUR, [f"low two-pair {LAST}", "low two-pair", "double-twos", f"double-twos {LAST}"]),
    ],
)
def test_step_4_cards_out_of_reach_or_gone_or_of_other_dice_cannot_be_touched(cards: str, names: list[str]) -> None:
    """The first group lies between the first seat and the next one clockwise."""
    for seat, mine in enumerate(names):
        game = acting(cards, "222334", mover=seat)
        assert {game.deal.cards[action.place].name for action in game.actions()} == set(mine.split())
        for name in {card.name for card in game.deal.cards} - set(mine.split()):
            for action in (take(game, name), flip(game, name)):
                with pytest.raises(InputError, match="do not allow"):
                    game.act(action)


@pytest.mark.parametrize("cards", [TWO, THREE, FOUR, bare(TWO)])
@pytest.mark.parametrize("face", "16")
def test_step_4_six_of_a_kind_may_take_the_sixis_card_which_ends_the_round_at_once(cards: str, face: str) -> None:
    """Two players may go for it even when all other cards are gone."""
    game = acting(cards, face * 6, mover=1, scores=(20, 15, 0, 0)[: cards.count("/") + 1])
    over = game.act(SIXIS)
    assert (over.over, over.scores[:2]) == (True, (20, 75))
    with pytest.raises(InputError, match="the round is over"):
        over.save(())
    assert not game.act(None).over, "nobody must take it"
    with pytest.raises(InputError, match="do not allow"):
        acting(cards, face * 5 + "3").act(SIXIS)


@pytest.mark.parametrize("keep", ["", "2", "11", "255", "112255", "525121"])
def test_step_5_any_or_all_dice_are_saved_and_locked_in_for_the_next_turn(keep: str) -> None:
    game = passing(opened(TWO), "112255", keep)
    assert game.saved == (tuple(sorted(dice(keep))), ())
    rng = loaded("6" * (6 - len(keep)))
    again = passing(game, "333333", "33").begin().roll(rng, keep=True)
    assert again.dice == tuple(sorted(dice(keep.ljust(6, "6"))))
    assert again.act(None).save(()).saved == ((), dice("33")), "what is not saved again is free"


@pytest.mark.parametrize("keep", ["3", "111", "1122556"])
def test_step_5_other_dice_cannot_be_saved(keep: str) -> None:
    game = acting(TWO, "112255").act(None)
    with pytest.raises(InputError, match=f"cannot save {keep}: only dice of the roll 112255"):
        game.save(dice(keep))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ending_the_round_counts_the_points_of_the_claimed_cards(players: int) -> None:
    """Rounds of players who do anything that is allowed, one card of theirs a turn, until these are gone."""
    rng = np.random.default_rng(players)
    for seed in range(5):
        game, claimed = Round.start(deal_cards(seed, players=players)), 0
        while not game.over:
            reach = set(game.deal.reach(game.mover))
            gone = all(game.sides[spot] == GONE for spot in reach)
            before, game = game, game.begin(end=players == 2 and gone)
            assert game.over == gone
            if not gone:
                game = game.roll(rng, keep=bool(rng.integers(2)))
                action = rng.choice(np.array([*game.actions(), None]))
                game = game.act(action)
                changed = {spot for spot, now in enumerate(game.sides) if now != before.sides[spot]}
                assert changed == ({action.place} & reach if action and action != SIXIS else set())
                if action and action.kind != "flip":
                    claimed += 60 if action == SIXIS else take(before, game.deal.cards[action.place].name).points
                game = game if game.over else game.save(tuple(die for die in game.dice if rng.integers(2)))
        assert sum(game.scores) == claimed


@pytest.mark.parametrize(
    ("cards", "allowed"),
    [
        (TWO, False),
        (bare(TWO, side="red"), True),
        (bare(TWO), True),
        (f"{bare(FIRST)} / {SECOND}", True),
        (f"{FIRST} / {bare(SECOND)}", True),
        (f"{bare(FIRST, side='red')} / {bare(SECOND)}", True),
        (bare(TWO, side="red").replace("low:red", "low:gone").replace("high:red", "high:gone"), True),
        (bare(TWO, side="red").replace("low:red", "low"), False),
        (f"{bare(FIRST, side='red')} / {SECOND}", False),
        (bare(TWO).replace("low:gone", "low:red").replace("high:gone", "high"), False),
    ],
)
def test_special_rules_for_two_players(cards: str, allowed: bool) -> None:
    """All cards red, or all on one side of the Sixis card gone: the round may be ended, and need not."""
    game = opened(cards, scores=(35, 20))
    assert game.may_end == allowed
    assert not game.begin().over
    if allowed:
        assert (game.begin(end=True).over, game.begin(end=True).scores) == (True, (35, 20))
    else:
        with pytest.raises(InputError, match="cannot be ended"):
            game.begin(end=True)


def shares(totals: list[int], *, teams: bool = False) -> list[float]:
    """What part of a match that ends with these totals each player wins."""
    contest = Contest(strategies=("greedy",), players=len(totals), teams=teams)
    outcome = Outcome(contest, np.array([totals]), Histogram.of(np.zeros(1, np.int64)), {}, 1, 0.0, 0.0)
    found: list[float] = outcome.shares[0].tolist()
    return found


def test_highest_score_wins_and_ties_are_shared() -> None:
    assert shares([50, 35]) == [1, 0]
    assert shares([35, 20, 90, 15]) == [0, 0, 1, 0]
    assert shares([20, 35, 35]) == [0, 0.5, 0.5]
    assert shares([0, 0]) == [0.5, 0.5]


def test_team_play_adds_the_scores_of_opposite_partners() -> None:
    assert shares([90, 60, 10, 50], teams=True) == [0, 1, 0, 1]
    assert shares([50, 60, 60, 50], teams=True) == [0.5, 0.5, 0.5, 0.5]
    with pytest.raises(InputError, match="teams: 3 players given"):
        shares([1, 2, 3], teams=True)


@pytest.mark.parametrize(
    ("facts", "rounds"),
    [*(({"rounds": rounds}, rounds) for rounds in (1, 3, 5)), ({"to": 600}, 6), ({"to": 601}, 7), (TEAMS, 3)],
)
def test_sets_are_of_three_or_five_rounds_or_to_a_set_total(
    facts: dict[str, Any], rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody has 100 points in every round; a total of 600 is the usual one, and partners add theirs."""
    contest = Contest(strategies=("greedy",), games=3, deals=1, **facts)

    def hundreds(table: object, numbers: np.ndarray, **_: object) -> Rounds:
        ones = np.ones(len(numbers), np.int64)
        return Rounds(np.full((len(numbers), contest.players), 100), ones, ones)

    monkeypatch.setattr(matches, "play_rounds", hundreds)
    monkeypatch.setattr(matches._Seating, "seats", lambda *_: ())
    outcome = play_contest(contest)
    assert outcome.rounds == 3 * rounds
    assert outcome.totals.tolist() == [[100 * rounds] * contest.players] * 3


def test_advanced_start_lets_later_players_save_some_dice_first() -> None:
    assert [advanced_saves(seat) for seat in range(4)] == [0, 2, 3, 4]
    game = Round.start(read_cards(FOUR)[0], ((), dice("66"), dice("555"), dice("4444")))
    rng = loaded("1234")
    assert passing(game).begin().roll(rng, keep=True).dice == dice("123466")
    assert thrown(rng) == [4]


@pytest.mark.parametrize("saved", [("1", "", "", ""), ("", "666", "", ""), ("", "", "5555", ""), ("", "", "", "44444")])
def test_advanced_start_refuses_more_saved_dice(saved: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="save"):
        Round.start(read_cards(FOUR)[0], tuple(map(dice, saved)))


@pytest.mark.parametrize(
    ("cards", "players", "wrong"),
    [
        ("low, doble-ones / high", None, "unknown card 'doble-ones': did you mean 'double-ones'"),
        ("low, low / high", None, "'low' is given twice"),
        ("low / high, low:red", None, "'low' is given twice"),
        ("low, high, two-pair, run-1-2-3, run-4-5-6 / double-ones", None, "group 1 has 5 cards, allowed are 1 to 4"),
        ("low / high / two-pair, run-1-2-3, run-4-5-6, double-ones", None, "group 3 has 4 cards, allowed are 1 to 3"),
        ("low, high /", None, "group 2 has 0 cards"),
        ("low, high", None, "1 group given"),
        ("low / high / two-pair / run-1-2-3 / run-4-5-6", None, "5 groups given"),
        ("low / high", 3, "2 groups given, 3 players need 3"),
        ("low / high / two-pair", 2, "3 groups given, 2 players need 2"),
        ("low:rde / high", None, "unknown side 'rde': did you mean 'red'"),
    ],
)
def test_bad_cards_are_refused(cards: str, players: int | None, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        read_cards(cards, players=players)


@pytest.mark.parametrize("players", [0, 1, 5])
def test_players_are_two_to_four(players: int) -> None:
    with pytest.raises(InputError, match=f"players: {players} given, Sixis is for 2 to 4"):
        deal_cards(0, players=players)


@pytest.mark.parametrize(
    ("facts", "wrong"),
    [
        ({"players": 1}, "players: 1 given, Sixis is for 2 to 4"),
        ({"players": 5}, "players: 5 given, Sixis is for 2 to 4"),
        ({"rounds": 2}, "rounds: 2 given, a match is 1, 3 or 5 rounds"),
        ({"players": 3, "teams": True}, "teams: 3 players given, four play in teams"),
        ({"to": 0}, "to: 0 given"),
        ({"rounds": 3, "to": 600}, "one or the other"),
    ],
)
def test_bad_matches_are_refused(facts: dict[str, Any], wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        Contest(strategies=("greedy",), **facts)
