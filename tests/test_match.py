"""Matches: who starts, turn order, rounds, totals, winners, and moves that are refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError, replace
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim import Match, play_match, starting_player
from solver import Box, Game, InputError, Roll, Sheet, find_game

YAHTZEE = find_game("yahtzee")
TRIPLE = find_game("triple-yahtzee")
TINY = Game(
    name="tiny",
    title="Tiny",
    dice=2,
    rolls=2,
    boxes=(Box(name="sixes", number=6), Box(name="chance")),
    max_rounds=3,
    max_players=4,
)
SCORESHEET_GAMES = ["yahtzee", "sixzee", "triple-yahtzee", "dicegame"]


class FirstOpen:
    """Keeps the highest dice, at most `size` of them, and fills the first open box."""

    def __init__(self, size: int) -> None:
        self.size = size

    def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
        return roll[-self.size :] if self.size else ()

    def place(self, sheet: Sheet, roll: Roll) -> tuple[int, str]:
        first = sheet.placements(roll)[0]
        return first.column, first.box


def loaded(*throws: tuple[int, ...]) -> Mock:
    """A generator that throws just these dice."""
    rng = Mock(spec=np.random.Generator)
    rng.integers.side_effect = [np.array(throw) for throw in throws]
    return rng


def thrown(rng: Mock) -> list[int]:
    """How many dice were thrown each time."""
    return [call.kwargs["size"] for call in rng.integers.call_args_list]


def play(match: Match, *moves: tuple[Roll, str]) -> Match:
    for roll, box in moves:
        match = match.place(roll, box)
    return match


@pytest.mark.parametrize(
    ("throws", "players", "starts", "sizes"),
    [
        ([(2, 6, 5)], 3, 1, [3]),
        ([(6, 6), (1, 4)], 2, 1, [2, 2]),
        ([(5, 5, 1, 5), (2, 3, 3), (6, 1)], 4, 1, [4, 3, 2]),
        ([(1, 1, 1), (4, 4, 4), (2, 1, 2), (3, 5)], 3, 2, [3, 3, 3, 2]),
    ],
)
def test_start_roll(throws: list[tuple[int, ...]], players: int, starts: int, sizes: list[int]) -> None:
    """The highest die starts; only the tied players roll again."""
    rng = loaded(*throws)
    assert starting_player(players, rng) == starts
    assert thrown(rng) == sizes


def test_start_roll_alone() -> None:
    """A single player has nobody to roll against."""
    rng = loaded()
    assert starting_player(1, rng) == 0
    assert thrown(rng) == []


@pytest.mark.parametrize("players", [2, 3, 5])
def test_start_roll_is_fair(players: int) -> None:
    """Every player starts equally often, to within five standard deviations."""
    rng = np.random.default_rng(2024)
    trials = 6000
    starts = Counter(starting_player(players, rng) for _ in range(trials))
    deviation = (trials * (1 / players) * (1 - 1 / players)) ** 0.5
    assert sorted(starts) == list(range(players))
    assert all(abs(count - trials / players) < 5 * deviation for count in starts.values())


def test_start_roll_without_players() -> None:
    with pytest.raises(InputError, match="players: 0 given, allowed are 1 or more"):
        starting_player(0, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("game", "players", "rounds", "first", "message"),
    [
        (YAHTZEE, 0, 1, 0, "players of Yahtzee: 0 given, allowed are 1 or more."),
        (TINY, 5, 1, 0, "players of Tiny: 5 given, allowed are 1 to 4."),
        (TINY, 2, 0, 0, "rounds of Tiny: 0 given, allowed are 1 to 3."),
        (TINY, 2, 4, 0, "rounds of Tiny: 4 given, allowed are 1 to 3."),
        (TRIPLE, 2, 2, 0, "rounds of Triple Yahtzee: 2 given, allowed is 1."),
        (TINY, 2, 1, 2, "first player: 2 given, allowed are 0 to 1."),
        (TINY, 2, 1, -1, "first player: -1 given, allowed are 0 to 1."),
    ],
)
def test_start_refuses(game: Game, players: int, rounds: int, first: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        Match.start(game, players=players, rounds=rounds, first=first)
    assert str(error.value) == message


def test_start_of_a_match() -> None:
    match = Match.start(TINY, players=3, rounds=2, first=1)
    assert (match.player, match.round, match.is_over) == (1, 1, False)
    assert match.sheet == Sheet.empty(TINY)
    assert match.totals == (0, 0, 0)


def test_turn_order() -> None:
    """The dice go round from the first player, who also opens the next round."""
    match = Match.start(TINY, players=3, rounds=2, first=2)
    order = []
    for box in ("chance", "sixes") * 2:
        for _ in range(3):
            order.append((match.round, match.player))
            match = match.place((1, 2), box)
    assert order == [(1, 2), (1, 0), (1, 1)] * 2 + [(2, 2), (2, 0), (2, 1)] * 2
    assert match.is_over


def test_a_match_is_immutable() -> None:
    match = Match.start(TINY, players=2)
    after = match.place((6, 6), "sixes")
    assert match == Match.start(TINY, players=2)
    assert [str(sheet) for sheet in after.sheets] == ["sixes=12", ""]
    with pytest.raises(FrozenInstanceError):
        match.rounds = 2  # type: ignore[misc]


def test_rounds() -> None:
    """A full round is added up and new sheets are dealt; the last one stays on the table."""
    moves: list[tuple[Roll, str]] = [((6, 6), "sixes"), ((6, 1), "sixes"), ((4, 4), "chance"), ((5, 1), "chance")]
    match = play(Match.start(TINY, players=2, rounds=2), *moves[:3])
    assert (match.round, match.totals) == (1, (20, 6))
    match = play(match, moves[3])
    assert (match.round, match.earlier, match.totals) == (2, ((20, 12),), (20, 12))
    assert match.sheets == (Sheet.empty(TINY), Sheet.empty(TINY))
    match = play(match, *moves)
    assert (match.round, match.is_over, match.totals) == (2, True, (40, 24))
    assert [str(sheet) for sheet in match.sheets] == ["sixes=12 chance=8", "sixes=6 chance=6"]


@pytest.mark.parametrize(
    ("chances", "winners"),
    [
        ([(5, 5), (4, 4), (3, 3)], (0,)),
        ([(4, 4), (5, 5), (5, 5)], (1, 2)),
        ([(1, 2), (1, 2), (1, 2)], (0, 1, 2)),
        ([(1, 1), (1, 2), (2, 2)], (2,)),
    ],
)
def test_winners(chances: list[Roll], winners: tuple[int, ...]) -> None:
    """The most points win, and tied players share the win."""
    match = play(Match.start(TINY, players=3), *[((1, 1), "sixes")] * 3, *[(roll, "chance") for roll in chances])
    assert match.winners == winners


def test_winners_over_all_rounds() -> None:
    """A round lost can be made up for."""
    first: list[tuple[Roll, str]] = [((6, 6), "sixes"), ((1, 1), "sixes"), ((1, 1), "chance"), ((1, 1), "chance")]
    second: list[tuple[Roll, str]] = [((1, 1), "sixes"), ((6, 6), "sixes"), ((1, 1), "chance"), ((1, 2), "chance")]
    match = play(Match.start(TINY, players=2, rounds=2), *first, *second)
    assert match.totals == (16, 17)
    assert match.winners == (1,)


def test_winners_before_the_end() -> None:
    match = Match.start(TINY, players=2, rounds=2)
    with pytest.raises(InputError, match="the match is in round 1 of 2: winners are known once it is over"):
        _ = match.winners


@pytest.mark.parametrize(
    ("roll", "box", "column", "message"),
    [
        ((6, 6), "sixes", 0, "cannot be placed in 'sixes': allowed are chance."),
        ((6, 6), "fives", 0, "cannot be placed in 'fives': allowed are chance."),
        ((6, 6), "chance", 1, "cannot be placed in '2:chance'"),
        ((6, 6), "chance", -1, "cannot be placed in '0:chance'"),
        ((6,), "chance", 0, "roll 6: 2 dice showing 1 to 6 are needed."),
        ((6, 6, 6), "chance", 0, "roll 6-6-6: 2 dice showing 1 to 6 are needed."),
        ((0, 6), "chance", 0, "roll 0-6: 2 dice showing 1 to 6 are needed."),
        ((6, 7), "chance", 0, "roll 6-7: 2 dice showing 1 to 6 are needed."),
        ((), "chance", 0, "roll nothing: 2 dice showing 1 to 6 are needed."),
    ],
)
def test_placing_refuses(roll: Roll, box: str, column: int, message: str) -> None:
    match = play(Match.start(TINY, players=1), ((6, 6), "sixes"))
    with pytest.raises(InputError) as error:
        match.place(roll, box, column)
    assert message in str(error.value)


def test_placing_after_the_end_refuses() -> None:
    match = play(Match.start(TINY, players=1), ((6, 6), "sixes"), ((6, 6), "chance"))
    with pytest.raises(InputError, match="the match is over"):
        match.place((6, 6), "chance")


def test_play_match_rolls_the_dice_not_kept() -> None:
    """All dice first, then those not kept, as often as the game allows."""
    rng = loaded((1, 6), (3,), (2, 4), (5,))
    match = play_match(Match.start(TINY, players=1), [FirstOpen(1)], rng)
    assert thrown(rng) == [2, 1, 2, 1]
    assert [str(sheet) for sheet in match.sheets] == ["sixes=6 chance=9"]


def test_play_match_asks_the_player_to_move() -> None:
    """Each player decides on their own sheet, and sees the roll sorted with the rolls left."""
    match = play(Match.start(TINY, players=2), ((6, 6), "sixes"), ((1, 1), "sixes"))
    one = Mock(**{"keep.return_value": (2, 5), "place.return_value": (0, "chance")})
    two = Mock(**{"keep.return_value": (), "place.return_value": (0, "chance")})
    rng = loaded((5, 2), (4, 3), (6, 1))
    played = play_match(match, [one, two], rng)
    one.keep.assert_called_once_with(match.sheets[0], (2, 5), 1)
    one.place.assert_called_once_with(match.sheets[0], (2, 5))
    two.keep.assert_called_once_with(match.sheets[1], (3, 4), 1)
    two.place.assert_called_once_with(match.sheets[1], (1, 6))
    assert thrown(rng) == [2, 2, 2]
    assert played.totals == (19, 7)


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ((5,), "cannot keep 5: only dice of the roll 1-6 can be kept."),
        ((6, 6), "cannot keep 6-6: only dice of the roll 1-6 can be kept."),
        ((1, 6, 6), "cannot keep 1-6-6: only dice of the roll 1-6 can be kept."),
    ],
)
def test_play_match_refuses_dice_that_were_not_rolled(keep: Roll, message: str) -> None:
    cheat = Mock(**{"keep.return_value": keep})
    with pytest.raises(InputError) as error:
        play_match(Match.start(TINY, players=1), [cheat], loaded((6, 1)))
    assert str(error.value) == message


def test_play_match_refuses_a_filled_box() -> None:
    stubborn = Mock(**{"keep.return_value": (1, 6), "place.return_value": (0, "sixes")})
    with pytest.raises(InputError, match="cannot be placed in 'sixes': allowed are chance"):
        play_match(Match.start(TINY, players=1), [stubborn], loaded((6, 1), (6, 1)))


@pytest.mark.parametrize("strategies", [0, 1, 3])
def test_play_match_needs_one_strategy_for_each_player(strategies: int) -> None:
    message = f"strategies: {strategies} given, one for each of the 2 players is needed."
    with pytest.raises(InputError, match=message):
        play_match(Match.start(TINY, players=2), [FirstOpen(2)] * strategies, np.random.default_rng(1))


def test_play_match_goes_on_from_any_turn() -> None:
    """A match can be handed over after its first turns; a finished one is left alone."""
    match = play(Match.start(TINY, players=2, rounds=2), ((6, 6), "sixes"))
    played = play_match(match, [FirstOpen(2)] * 2, np.random.default_rng(3))
    assert played.is_over
    assert played.round == 2
    assert play_match(played, [FirstOpen(2)] * 2, loaded()) == played


@pytest.mark.parametrize("name", SCORESHEET_GAMES)
def test_play_match_with_every_scoresheet_game(name: str) -> None:
    """Whole matches end with full sheets, and the same generator gives the same match."""
    game = find_game(name)
    match = Match.start(game, players=2)
    players = [FirstOpen(0), FirstOpen(3)]
    played = play_match(match, players, np.random.default_rng(5))
    assert [sheet.turn for sheet in played.sheets] == [game.turns, game.turns]
    assert played.totals == tuple(sheet.total for sheet in played.sheets)
    assert played.winners == tuple(i for i in range(2) if played.totals[i] == max(played.totals))
    assert play_match(match, players, np.random.default_rng(5)) == played


@settings(max_examples=25, deadline=None)
@given(
    players=st.integers(1, 4),
    rounds=st.integers(1, 3),
    first=st.integers(0, 3),
    size=st.integers(0, 2),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_match_ends_after_its_turns(players: int, rounds: int, first: int, size: int, seed: int) -> None:
    """Turns come to players x rounds x boxes, and the totals to the sum of the rounds."""
    start = Match.start(TINY, players=players, rounds=rounds, first=first % players)
    played = play_match(start, [FirstOpen(size)] * players, np.random.default_rng(seed))
    by_round = [*played.earlier, tuple(sheet.total for sheet in played.sheets)]
    assert len(by_round) == rounds
    assert played.totals == tuple(sum(totals[player] for totals in by_round) for player in range(players))
    assert set(played.winners) == {player for player in range(players) if played.totals[player] == max(played.totals)}


def test_an_unfinished_match_counts_what_is_written() -> None:
    """Totals include bonuses already earned on the current sheets."""
    sheet = Sheet.parse(YAHTZEE, "ones=3 twos=6 threes=9 fours=12 fives=15 sixes=18")
    match = replace(Match.start(YAHTZEE, players=2), sheets=(sheet, Sheet.empty(YAHTZEE)))
    assert match.totals == (98, 0)
