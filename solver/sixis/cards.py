"""The deck of Sixis as data: goal cards with a blue and a red side, read from a TOML file and validated.

`deck.toml` beside this file is the standard deck and explains the fields; a user's own deck has the same ones.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.dice import Dice, Roll, make_dice
from solver.errors import InputError, unknown
from solver.rules import is_name

STANDARD = Path(__file__).parent / "deck.toml"
MAX_DICE = 6
MAX_FACES = 6
MAX_POINTS = 1000


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a card: its points, and what the dice must show. Everything that is stated must hold."""

    points: int
    faces: tuple[int, ...] = ()
    odd: int = 0
    even: int = 0
    groups: tuple[int, ...] = ()
    """So many alike, each group of another number."""
    at_most: int | None = None
    at_least: int | None = None

    def matches(self, roll: Roll) -> bool:
        """Whether these dice satisfy the side; dice beyond what it needs never hurt."""
        counts = Counter(roll)
        alike = sorted(counts.values(), reverse=True)
        groups = sorted(self.groups, reverse=True)
        return (
            Counter(self.faces) <= counts
            and sum(face % 2 for face in roll) >= self.odd
            and sum(1 - face % 2 for face in roll) >= self.even
            and len(alike) >= len(groups)
            and all(have >= need for have, need in zip(alike, groups, strict=False))
            and (self.at_most is None or sum(roll) <= self.at_most)
            and (self.at_least is None or sum(roll) >= self.at_least)
        )


@dataclass(frozen=True)
class Card:
    """A goal card."""

    name: str
    blue: Side
    red: Side

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.blue, self.red


@dataclass(frozen=True)
class Deck:
    """All cards of a game, and its dice."""

    title: str
    dice: int
    faces: int
    sixis: Side
    cards: tuple[Card, ...]

    @cached_property
    def mathematics(self) -> Dice:
        """All rolls and saved dice of this deck."""
        return make_dice(self.dice, self.faces)

    def matching(self, side: Side) -> npt.NDArray[np.bool_]:
        """Whether each roll satisfies a side."""
        return _matching(side, self.mathematics)

    def card(self, name: str) -> Card:
        """The card of that name."""
        for card in self.cards:
            if card.name == name:
                return card
        raise unknown("card", name, (card.name for card in self.cards))


@cache
def _matching(side: Side, dice: Dice) -> npt.NDArray[np.bool_]:
    found = np.array([side.matches(roll) for roll in dice.rolls])
    found.setflags(write=False)
    return found


def fingerprint(parts: Iterable[Any]) -> str:
    """A digest of every fact given."""
    return hashlib.sha256(json.dumps(list(parts), sort_keys=True).encode()).hexdigest()


def card_facts(deck: Deck, names: Iterable[str]) -> list[Any]:
    """The facts of a game with these cards that can change a value."""
    return [deck.dice, deck.faces, asdict(deck.sixis), *(asdict(deck.card(name)) for name in names)]


@cache
def standard_deck() -> Deck:
    """The deck that is shipped."""
    return load_deck(STANDARD)


def load_deck(path: Path) -> Deck:
    """Read a deck; whatever is wrong with it is told with the file and the field."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the deck '{path}': {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"'{path}' is not valid TOML: {error}.") from None
    try:
        return _deck(table)
    except InputError as error:
        raise InputError(f"in '{path}': {error}") from None


def _deck(table: dict[str, Any]) -> Deck:
    known = [field.name for field in fields(Deck)]
    _known_keys(table, known, "")
    for key in known:
        _require(key in table, f"{key} is missing.")
    _require(isinstance(table["title"], str), f"title is {table['title']!r}: a text is needed.")
    dice = _whole(table["dice"], 1, MAX_DICE, "dice")
    faces = _whole(table["faces"], 2, MAX_FACES, "faces")
    sixis = _side(table["sixis"], dice, faces, "sixis")
    _require(isinstance(table["cards"], list) and table["cards"], "cards: a list of at least one card is needed.")
    cards: list[Card] = []
    for number, entry in enumerate(table["cards"], start=1):
        where = f"cards[{number}]"
        _require(isinstance(entry, Mapping), f"{where} is {entry!r}: a table of fields is needed.")
        _known_keys(entry, ("name", "blue", "red"), f"{where}: ")
        name = entry.get("name")
        _require(is_name(name), f"{where}: name is {name!r}: lower-case words joined by hyphens are needed.")
        _require(all(card.name != name for card in cards), f"{where}: the name '{name}' is there already.")
        for side in ("blue", "red"):
            _require(side in entry, f"{where} ({name}): {side} is missing.")
        blue, red = (_side(entry[side], dice, faces, f"{where} ({name}), {side}") for side in ("blue", "red"))
        cards.append(Card(str(name), blue, red))
    return Deck(table["title"], dice, faces, sixis, tuple(cards))


def _side(value: Any, dice: int, faces: int, where: str) -> Side:
    _require(isinstance(value, Mapping), f"{where} is {value!r}: a table of fields is needed.")
    _known_keys(value, [field.name for field in fields(Side)], f"{where}: ")
    _require("points" in value, f"{where}: points is missing.")
    limits = {
        "points": (0, MAX_POINTS),
        "odd": (0, dice),
        "even": (0, dice),
        "at_most": (dice, dice * faces),
        "at_least": (dice, dice * faces),
    }
    found: dict[str, Any] = {key: _whole(value[key], *limits[key], f"{where}: {key}") for key in limits if key in value}
    for key, high in (("faces", faces), ("groups", dice)):
        if key in value:
            _require(isinstance(value[key], list), f"{where}: {key} is {value[key]!r}: a list is needed.")
            found[key] = tuple(sorted(_whole(number, 1, high, f"{where}: {key}") for number in value[key]))
    side = Side(**found)
    _require(any(map(side.matches, make_dice(dice, faces).rolls)), f"{where}: no roll of {dice} dice can satisfy it.")
    return side


def _known_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise InputError(f"{where}{unknown('field', key, known)}")


def _whole(value: object, low: int, high: int, field: str) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    _require(whole, f"{field} is {value!r}: a whole number from {low} to {high} is needed.")
    assert isinstance(value, int)
    return value


def _require(condition: Any, message: str) -> None:
    if not condition:
        raise InputError(message)
