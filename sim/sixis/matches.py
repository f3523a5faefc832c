"""Matches of Sixis: strategies around a table, over one round, several, or to a total; what they win.

Player p sits in seat p in the first round, and the start passes on clockwise from round to round. With no deal given,
the rounds take turns with a number of random deals.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sim.histogram import Histogram, rate_interval
from sim.sixis.learn import learn_models
from sim.sixis.play import ENDINGS, play_rounds, round_key
from sim.sixis.table import Seat, Table
from solver.errors import InputError, unknown
from solver.sixis.cards import Deck, standard_deck
from solver.sixis.deal import Deal, deal_cards, require_players
from solver.sixis.round import MATCH_ROUNDS
from solver.sixis.tables import DealStore, SolvedDeal
from solver.sixis.ways import View, Way, greedy, patient
from solver.solve import Progress, thread_count

STRATEGIES = {
    "optimal": "two players of a solved deal: the highest expected margin, exact",
    "learned": "the best answer to what the others were seen to do in rounds played before; any number of players",
    "patient": "the most points of this turn and the next; ends the round when allowed and ahead, or no card is left",
    "greedy": "the most points of this turn; ends the round when allowed and ahead, or no card is left",
}
WAYS: dict[str, Callable[[View], Way]] = {"patient": patient, "greedy": greedy}
DEALS = 20
"""Random deals that the rounds of a batch take turns with, unless a number is given."""
MAX_GAMES = 100_000_000
MAX_TO = 10_000
_MAX_ROUNDS = 4096
_PIECE = 1 << 18

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Who plays what. One strategy is for all players; `to` is a total that ends the match instead of `rounds`."""

    strategies: tuple[str, ...]
    players: int = 2
    games: int = 100_000
    rounds: int = 1
    to: int | None = None
    teams: bool = False
    advanced: bool = False
    deal: Deal | None = None
    deals: int = DEALS
    deck: Deck | None = None
    seed: int = 0
    tables: Path | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        require_players(self.players)
        for name in self.strategies:
            if name not in STRATEGIES:
                raise unknown("strategy", name, STRATEGIES)
        if len(self.strategies) not in (1, self.players):
            count = len(self.strategies)
            raise InputError(f"strategies: {count} given, allowed are one for all or {self.players}, one each.")
        if self.teams and self.players != 4:
            raise InputError(f"teams: {self.players} players given, four play in teams.")
        if self.to is None and self.rounds not in MATCH_ROUNDS:
            raise InputError(f"rounds: {self.rounds} given, a match is 1, 3 or 5 rounds, or goes to a total.")
        if self.to is not None and self.rounds != 1:
            raise InputError("rounds and a total are both given: a match has one or the other.")
        limits = (("games", 1, MAX_GAMES), ("to", 1, MAX_TO), ("deals", 1, 10_000), ("seed", 0, 2**63 - 1))
        for field, low, high in limits:
            value = getattr(self, field)
            if value is not None and not low <= value <= high:
                raise InputError(f"{field}: {value} given, allowed are {low:,} to {high:,}.")
        if "optimal" in self.strategies and (self.players != 2 or self.deal is None):
            raise InputError("'optimal' plays a solved deal of two: name its cards, or a deal, and two players.")
        if self.deal is not None and self.deal.players != self.players:
            raise InputError(f"the cards lie for {self.deal.players} players, {self.players} are to play.")

    @cached_property
    def tables_of_cards(self) -> tuple[Deal, ...]:
        """The deals that rounds take turns with."""
        if self.deal is not None:
            return (self.deal,)
        deck = self.deck or standard_deck()
        return tuple(deal_cards((self.seed, place), players=self.players, deck=deck) for place in range(self.deals))

    @property
    def names(self) -> tuple[str, ...]:
        """The strategy of each player."""
        return self.strategies * self.players if len(self.strategies) == 1 else self.strategies


@dataclass(frozen=True, eq=False)
class Outcome:
    """What was played: totals of [match, player], lengths of rounds, and how rounds ended."""

    contest: Contest
    totals: Longs
    turns: Histogram
    endings: dict[str, int]
    rounds: int
    """Rounds in all matches together."""
    seconds: float
    playing: float
    """Seconds of the rounds alone, without learning and without making the players."""

    @cached_property
    def standing(self) -> Longs:
        """What decides: a player's total, or the team's."""
        return self.totals + np.roll(self.totals, 2, axis=1) if self.contest.teams else self.totals

    @cached_property
    def shares(self) -> npt.NDArray[np.float64]:
        """What part of each match a player won: 1, or a share of a tie. A team's win is a win of both."""
        best = self.standing == self.standing.max(axis=1, keepdims=True)
        parts = best.sum(axis=1, keepdims=True) / (2 if self.contest.teams else 1)
        return np.asarray(best / parts)

    def win_rate(self, player: int) -> tuple[float, float, float]:
        """The share of matches won, ties shared, with its 95 percent interval."""
        rate = float(self.shares[:, player].mean())
        low, high = rate_interval(round(rate * len(self.totals)), len(self.totals))
        return rate, low, high

    def scores(self, player: int) -> Histogram:
        """The totals of a player."""
        return Histogram.of(self.totals[:, player])

    @property
    def ties(self) -> float:
        """The share of matches that nobody wins alone."""
        best = (self.standing == self.standing.max(axis=1, keepdims=True)).sum(axis=1)
        return float((best > (2 if self.contest.teams else 1)).mean())

    @property
    def margins(self) -> Histogram:
        """Two players: the first one's total less the other's."""
        return Histogram.of(self.totals[:, 0] - self.totals[:, 1])


def play_contest(contest: Contest, *, progress: Progress | None = None) -> Outcome:
    """Play all matches of a contest."""
    report = progress or (lambda stage, share: None)
    report("compile", 0.0)
    solved = _solve(contest, progress) if "optimal" in contest.names else None
    began = time.perf_counter()
    deals = contest.tables_of_cards
    seating = _Seating(contest, report)
    ready = time.perf_counter()
    tables: dict[tuple[int, int], Table] = {}
    totals = np.zeros((contest.games, contest.players), np.int64)
    turns, endings, rounds = Histogram(0, np.zeros(1, np.int64)), np.zeros(len(ENDINGS), np.int64), 0
    active = np.arange(contest.games)
    key = round_key(contest.seed)
    for number in range(contest.rounds if contest.to is None else _MAX_ROUNDS):
        shift = number % contest.players
        for place, deal in enumerate(deals):
            games = active[(active + number) % len(deals) == place]
            if not len(games):
                continue
            table = tables.setdefault((place, shift), Table(deal, seating.seats(place, shift), solved))
            for first in range(0, len(games), _PIECE):
                part = games[first : first + _PIECE]
                ids = part * _MAX_ROUNDS + number
                played = play_rounds(table, ids, key=key, advanced=contest.advanced, threads=contest.threads)
                totals[part] += np.roll(played.scores, shift, axis=1)  # From seats to players.
                turns += Histogram.of(played.turns)
                endings += np.bincount(played.endings, minlength=len(ENDINGS))
                rounds += len(part)
                if contest.to is None:
                    report("play", rounds / (contest.games * contest.rounds))
        if contest.to is not None:
            standing = totals + np.roll(totals, 2, axis=1) if contest.teams else totals
            active = np.flatnonzero(standing.max(axis=1) < contest.to)
            report("play", 1.0 - len(active) / contest.games)
            if not len(active):
                break
    else:
        if contest.to is not None:
            raise InputError(f"nobody has {contest.to} points after {_MAX_ROUNDS:,} rounds: play to a smaller total.")
    counted = {name: int(count) for name, count in zip(ENDINGS, endings, strict=True)}
    ended = time.perf_counter()
    return Outcome(contest, totals, turns, counted, rounds, ended - began, ended - ready)


class _Seating:
    """Who plays what in the seats of every deal, made before the first round."""

    def __init__(self, contest: Contest, report: Progress) -> None:
        self.contest, deals = contest, contest.tables_of_cards
        self._made: dict[str, list[tuple[Seat, ...]]] = {}
        for name in dict.fromkeys(contest.names):
            if name == "learned":
                self._made[name] = []
                for place, deal in enumerate(deals):
                    report("train", place / len(deals))
                    models = learn_models(deal, teams=contest.teams, threads=contest.threads)
                    self._made[name].append(tuple(Seat(model.way, model=model) for model in models))
            elif name == "optimal":
                self._made[name] = [(Seat(None),) * deal.players for deal in deals]
            else:
                with ThreadPoolExecutor(thread_count(contest.threads)) as pool:
                    self._made[name] = list(pool.map(partial(_hand_written, WAYS[name]), deals))

    def seats(self, place: int, shift: int) -> tuple[Seat, ...]:
        """The player in each seat when the start has passed on `shift` times: player p sits in seat p - shift."""
        names, players = self.contest.names, self.contest.players
        return tuple(self._made[names[(seat + shift) % players]][place][seat] for seat in range(players))


def _hand_written(make: Callable[[View], Way], deal: Deal) -> tuple[Seat, ...]:
    """A hand-written player in every seat; seats that reach the same cards share their decisions."""
    views = [View(deal, seat) for seat in range(deal.players)]
    ways = {view.places: make(view) for view in {view.places: view for view in views}.values()}
    return tuple(Seat(ways[view.places], thrifty=True) for view in views)


def _solve(contest: Contest, progress: Progress | None) -> SolvedDeal:
    assert contest.deal is not None
    solved = DealStore(contest.tables).solve(contest.deal, threads=contest.threads, progress=progress)
    solved.check()
    return solved
