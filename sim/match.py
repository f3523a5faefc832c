"""A whole match as the rule sheets describe it: who starts, whose turn it is, rounds, totals and winners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from solver.dice import Roll
from solver.errors import InputError
from solver.rules import Game
from solver.sheet import Sheet

START_DIE_FACES = 6


class Strategy(Protocol):
    """Whatever decides for a player: which dice to keep, and where the final roll goes."""

    def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
        """The dice to keep; the others are rolled again, and keeping the whole roll ends the rolling."""

    def place(self, sheet: Sheet, roll: Roll) -> tuple[int, str]:
        """The column (counted from 0) and the name of the box for the final roll."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match between two turns. Only a match that is over holds nothing but full sheets."""

    game: Game
    rounds: int
    first: int
    sheets: tuple[Sheet, ...]
    """One sheet for each player, for the round being played."""
    earlier: tuple[tuple[int, ...], ...] = ()
    """The totals of every player, one entry for each round before this one."""

    @classmethod
    def start(cls, game: Game, *, players: int, rounds: int = 1, first: int = 0) -> Match:
        """A match with nothing filled; players count from 0 and `first` opens every round."""
        require_players(game, players)
        require_rounds(game, rounds)
        _require_between(first, 0, players - 1, "first player")
        return cls(game=game, rounds=rounds, first=first, sheets=(Sheet.empty(game),) * players)

    @property
    def player(self) -> int:
        """The player to move."""
        return (self.first + sum(sheet.turn for sheet in self.sheets)) % len(self.sheets)

    @property
    def sheet(self) -> Sheet:
        """The sheet of the player to move."""
        return self.sheets[self.player]

    @property
    def round(self) -> int:
        """The round being played, counted from 1; the last one once the match is over."""
        return len(self.earlier) + 1

    @property
    def is_over(self) -> bool:
        return all(sheet.is_full for sheet in self.sheets)

    @property
    def totals(self) -> tuple[int, ...]:
        """The points of every player so far: earlier rounds and the current sheets."""
        return tuple(map(sum, zip(*self.earlier, self._round_totals, strict=True)))

    @property
    def winners(self) -> tuple[int, ...]:
        """The players with the most points; several if they are tied."""
        if not self.is_over:
            raise InputError(f"the match is in round {self.round} of {self.rounds}: winners are known once it is over.")
        most = max(self.totals)
        return tuple(player for player, total in enumerate(self.totals) if total == most)

    def place(self, roll: Roll, box: str, column: int = 0) -> Match:
        """Fill a box of the player to move and pass the dice on; full sheets make room for the next round."""
        if self.is_over:
            raise InputError("the match is over: no box is left to place the roll in.")
        filled = self.sheet.place(roll, box, column=column)
        sheets = tuple(filled if player == self.player else sheet for player, sheet in enumerate(self.sheets))
        after = replace(self, sheets=sheets)
        if not after.is_over or self.round == self.rounds:
            return after
        empty = (Sheet.empty(self.game),) * len(sheets)
        return replace(after, sheets=empty, earlier=(*self.earlier, after._round_totals))

    @property
    def _round_totals(self) -> tuple[int, ...]:
        return tuple(sheet.total for sheet in self.sheets)


def require_rounds(game: Game, rounds: int) -> None:
    """Refuse more rounds than the sheet allows."""
    _require_between(rounds, 1, game.max_rounds, f"rounds of {game.title}")


def require_players(game: Game, players: int) -> None:
    """Refuse more players than the sheet allows."""
    _require_between(players, 1, game.max_players, f"players of {game.title}")


def starting_player(players: int, rng: np.random.Generator) -> int:
    """Everybody rolls a die and the highest starts; tied players roll again among themselves."""
    _require_between(players, 1, None, "players")
    tied = list(range(players))
    while len(tied) > 1:
        thrown = _throw(len(tied), START_DIE_FACES, rng)
        highest = max(thrown)
        tied = [player for player, die in zip(tied, thrown, strict=True) if die == highest]
    return tied[0]


def play_match(match: Match, strategies: Sequence[Strategy], rng: np.random.Generator) -> Match:
    """Play a match to its end, one strategy for each player; an illegal move is refused."""
    if len(strategies) != len(match.sheets):
        players = len(match.sheets)
        raise InputError(f"strategies: {len(strategies)} given, one for each of the {players} players is needed.")
    while not match.is_over:
        strategy = strategies[match.player]
        roll = _roll_dice(match.sheet, strategy, rng)
        column, box = strategy.place(match.sheet, roll)
        match = match.place(roll, box, column)
    return match


def _roll_dice(sheet: Sheet, strategy: Strategy, rng: np.random.Generator) -> Roll:
    """The rolling part of a turn: all dice first, then the dice not kept, until all are kept or no roll is left."""
    dice, faces = sheet.game.dice, sheet.game.faces
    roll = tuple(sorted(_throw(dice, faces, rng)))
    for rolls_left in range(sheet.game.rolls - 1, 0, -1):
        keep = strategy.keep(sheet, roll, rolls_left)
        if not Counter(keep) <= Counter(roll):
            raise InputError(f"cannot keep {_text(keep)}: only dice of the roll {_text(roll)} can be kept.")
        if len(keep) == dice:
            break
        roll = tuple(sorted((*keep, *_throw(dice - len(keep), faces, rng))))
    return roll


def _throw(dice: int, faces: int, rng: np.random.Generator) -> list[int]:
    return [int(face) for face in rng.integers(1, faces, size=dice, endpoint=True)]


def _require_between(value: int, low: int, high: int | None, what: str) -> None:
    if value < low or (high is not None and value > high):
        allowed = f"are {low} or more" if high is None else f"are {low} to {high}" if high > low else f"is {low}"
        raise InputError(f"{what}: {value} given, allowed {allowed}.")


def _text(dice: Roll) -> str:
    return "-".join(map(str, dice)) or "nothing"
