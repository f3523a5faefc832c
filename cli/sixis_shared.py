"""What the commands of Sixis share: their cards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from solver.sixis.cards import Deck
    from solver.sixis.deal import Deal

Command = TypeVar("Command", bound=Callable[..., Any])


def cards_options(command: Command) -> Command:
    """The cards on the table: named, or dealt."""
    options = [
        click.option("--cards", help="The cards, groups apart by '/': 'low, high / two-pair, run-1-2-3'."),
        click.option("--deal", type=int, metavar="SEED", help="Deal at random instead: same seed, same cards."),
        click.option("--deck", type=click.Path(path_type=Path), help="A deck of your own, a TOML file."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_deck(path: Path | None) -> Deck:
    """The deck asked for, else the standard one."""
    from solver.sixis.cards import load_deck, standard_deck

    return standard_deck() if path is None else load_deck(path)


def read_deal(
    cards: str | None, deal: int | None, deck: Path | None, *, players: int | None = None
) -> tuple[Deal, tuple[int, ...]]:
    """The deal that the options name, and the sides of its cards."""
    from solver import InputError
    from solver.sixis.deal import BLUE, deal_cards, read_cards, require_players

    if (cards is None) == (deal is None):
        raise InputError("either --cards or --deal is needed, and not both: which cards lie on the table?")
    if cards is not None:
        return read_cards(cards, players=players, deck=read_deck(deck))
    require_players(players or 2)
    assert deal is not None
    dealt = deal_cards(deal, players=players or 2, deck=read_deck(deck))
    return dealt, (BLUE,) * len(dealt.cards)
