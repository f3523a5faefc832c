"""A deal: which cards lie where, who reaches which, and a table of them in the middle of a round.

Two players have two groups of four cards, one on each side of the Sixis card, and reach all of them. Three players have
three arms of three cards, four players four; arm i lies between seat i and the next one clockwise, so that seat p
reaches the arms p - 1 and p. A deal with fewer cards is allowed, with at least one in every group.

A card's side is 0 (blue), 1 (red) or 2 (gone). What the future needs to know of the cards in someone's reach is one
number, the *status*: their sides as digits of base three, the first card lowest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from solver.errors import InputError, unknown
from solver.sixis.cards import Card, Deck, card_facts, fingerprint, standard_deck

BLUE, RED, GONE = 0, 1, 2
SIDES = ("blue", "red", "gone")
GROUP_CARDS = {2: 4, 3: 3, 4: 3}
"""Cards in a group, by the number of players."""


@dataclass(frozen=True)
class Deal:
    """The cards of a round in their groups."""

    deck: Deck
    groups: tuple[tuple[Card, ...], ...]

    @property
    def players(self) -> int:
        return len(self.groups)

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        return tuple(card for group in self.groups for card in group)

    @cached_property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The places of each group's cards among all cards."""
        found, first = [], 0
        for group in self.groups:
            found.append(tuple(range(first, first + len(group))))
            first += len(group)
        return tuple(found)

    def reach(self, seat: int) -> tuple[int, ...]:
        """The places of the cards that a seat can act on."""
        if self.players == 2:
            return self.places[0] + self.places[1]
        return self.places[seat - 1] + self.places[seat]

    def may_end(self, sides: Sequence[int]) -> bool:
        """Two players: whether the mover may end the round at the start of a turn."""
        no_blue = all(side != BLUE for side in sides)
        return no_blue or any(all(sides[place] == GONE for place in group) for group in self.places)

    def must_end(self, sides: Sequence[int], seat: int) -> bool:
        """Three and four players: whether the round is over when this seat's turn begins."""
        return self.players > 2 and all(sides[place] == GONE for place in self.reach(seat))

    @cached_property
    def canonical(self) -> Deal:
        """The same game with its cards in order: where in a group a card lies does not matter, nor, for two players,
        which group is on which side."""
        groups = [tuple(sorted(group, key=lambda card: card.name)) for group in self.groups]
        if self.players == 2:
            groups.sort(key=lambda group: [card.name for card in group])
        return Deal(self.deck, tuple(groups))

    @property
    def fingerprint(self) -> str:
        """A digest of every fact of the deal that can change a value."""
        groups = [[card.name for card in group] for group in self.canonical.groups]
        return fingerprint([*card_facts(self.deck, (name for group in groups for name in group)), groups])

    def rearrange(self, sides: Sequence[int], other: Deal) -> tuple[int, ...]:
        """The sides of this deal's cards in the order of another deal with the same cards."""
        by_name = {card.name: side for card, side in zip(self.cards, sides, strict=True)}
        return tuple(by_name[card.name] for card in other.cards)

    def text(self, sides: Sequence[int]) -> str:
        """The cards as `read_cards` reads them, with the sides that are not blue."""
        words = [card.name + f":{SIDES[side]}" * (side != BLUE) for card, side in zip(self.cards, sides, strict=True)]
        return " / ".join(", ".join(words[place] for place in places) for places in self.places)

    def __str__(self) -> str:
        return self.text((BLUE,) * len(self.cards))


def status(sides: Sequence[int]) -> int:
    """The sides of some cards as one number."""
    return sum(side * 3**place for place, side in enumerate(sides))


def sides_of(number: int, cards: int) -> tuple[int, ...]:
    """The inverse of `status`."""
    return tuple(number // 3**place % 3 for place in range(cards))


def deal_cards(seed: int | Sequence[int], *, players: int = 2, deck: Deck | None = None) -> Deal:
    """A random deal: same seed, same cards."""
    deck = deck or standard_deck()
    require_players(players)
    each = GROUP_CARDS[players]
    if len(deck.cards) < each * players:
        raise InputError(f"the deck has {len(deck.cards)} cards: {each * players} are needed for {players} players.")
    for number in [seed] if isinstance(seed, int) else seed:
        if number < 0:
            raise InputError(f"deal {number}: a seed is a whole number from 0 on.")
    order = np.random.default_rng(seed).permutation(len(deck.cards))
    groups = (order[group * each : (group + 1) * each] for group in range(players))
    return Deal(deck, tuple(tuple(deck.cards[place] for place in group) for group in groups))


def read_cards(text: str, *, players: int | None = None, deck: Deck | None = None) -> tuple[Deal, tuple[int, ...]]:
    """Read `double-ones, low:red / high, two-pair:gone`: the deal and the side of each card, blue unless it is told."""
    deck = deck or standard_deck()
    groups: list[tuple[Card, ...]] = []
    sides: list[int] = []
    for part in text.split("/"):
        group: list[Card] = []
        for word in filter(None, (word.strip() for word in part.split(","))):
            name, told, side = (part.strip() for part in word.partition(":"))
            if told and side not in SIDES:
                raise InputError(f"cards: {unknown('side', side, SIDES)}")
            card = deck.card(name)
            if any(card in other for other in (*groups, group)):
                raise InputError(f"cards: '{card.name}' is given twice, every card is in the deck once.")
            group.append(card)
            sides.append(SIDES.index(side) if side else BLUE)
        groups.append(tuple(group))
    count = len(groups)
    wanted = "two groups with '/' between them, three or four for as many players"
    if count not in GROUP_CARDS:
        raise InputError(f"cards: {count} {'group' if count == 1 else 'groups'} given, allowed are {wanted}.")
    if players is not None and count != players:
        raise InputError(f"cards: {count} groups given, {players} players need {players}.")
    each = GROUP_CARDS[count]
    for number, cards in enumerate(groups, start=1):
        if not 1 <= len(cards) <= each:
            raise InputError(f"cards: group {number} has {len(cards)} cards, allowed are 1 to {each}.")
    return Deal(deck, tuple(groups)), tuple(sides)


def require_players(players: int) -> None:
    """Refuse what the sheet does not allow."""
    if players not in GROUP_CARDS:
        raise InputError(f"players: {players} given, Sixis is for 2 to 4.")
