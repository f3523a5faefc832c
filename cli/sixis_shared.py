"""What the commands of Sixis share: cards, seats, saved dice, and who is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.shared import progress_bars, say_waiting

if TYPE_CHECKING:
    from solver.dice import Roll
    from solver.sixis.advice import SixisAdvisor
    from solver.sixis.cards import Deck
    from solver.sixis.deal import Deal

Command = TypeVar("Command", bound=Callable[..., Any])


def cards_options(command: Command) -> Command:
    """The cards on the table: named, or dealt."""
    options = [
        click.option("--cards", help="The cards, groups apart by '/': 'low, high / two-pair, run-1-2-3'."),
        click.option("--deal", type=int, metavar="SEED", help="Deal at random instead: same seed, same cards."),
        click.option(
            "--deck",
            type=click.Path(path_type=Path),
            help="A deck of your own, a TOML file like solver/sixis/deck.toml.",
        ),
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
    from solver.sixis.deal import BLUE, deal_cards, read_cards

    if (cards is None) == (deal is None):
        raise InputError("either --cards or --deal is needed, and not both: which cards lie on the table?")
    if cards is not None:
        return read_cards(cards, players=players, deck=read_deck(deck))
    assert deal is not None
    dealt = deal_cards(deal, players=2 if players is None else players, deck=read_deck(deck))
    return dealt, (BLUE,) * len(dealt.cards)


def seat_options(command: Command) -> Command:
    """Who sits where, and who is asked."""
    options = [
        click.option("--players", type=int, help="Three or four with --deal: how many play.  [default: 2]"),
        click.option(
            "--seat", type=int, default=1, show_default=True, help="Three and four players: the mover's seat."
        ),
        click.option("--teams", is_flag=True, help="Four players: opposite players add their points."),
        click.option("--learned", is_flag=True, help="Two players: ask the learned player, without solving the cards."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def other_saved_option(command: Command) -> Command:
    """What the others hold."""
    return click.option(
        "--other-saved",
        default="",
        help="Saved dice of the others, clockwise from the mover, with '/' between them.  [default: nothing]",
    )(command)


def check_seat(deal: Deal, seat: int) -> None:
    """Refuse a seat that is not at the table."""
    from solver import InputError

    if not 1 <= seat <= deal.players:
        raise InputError(f"seat: {seat} given, {deal.players} players sit in seats 1 to {deal.players}.")


@contextmanager
def open_advisor(deal: Deal, *, learned: bool, teams: bool, tables: Path | None) -> Iterator[SixisAdvisor]:
    """Who is asked: with two players the solved deal, solved now if it must be, else the learned player."""
    from solver import InputError
    from solver.sixis.advice import DealAdvisor, ModelAdvisor
    from solver.sixis.tables import DealStore

    if teams and deal.players != 4:
        raise InputError(f"teams: {deal.players} players given, four play in teams.")
    if learned and deal.players != 2:
        raise InputError("--learned is for two players: with more, the learned player is asked anyway.")
    with progress_bars() as progress:
        if deal.players == 2 and not learned:
            yield DealAdvisor(DealStore(tables).solve(deal, progress=progress, waiting=say_waiting))
            return
        from sim.sixis.learn import learn_models

        progress("compile", 0.0)
        yield ModelAdvisor(learn_models(deal, teams=teams, report=lambda share: progress("train", share)))


def read_saved(deal: Deal, mover: int, mine: str, others: str) -> tuple[Roll, ...]:
    """The saved dice of all seats; those of the others are told clockwise from the mover."""
    from solver import InputError

    told = [_read_dice(deal, part, "other-saved") for part in others.split("/")] if others.strip() else []
    if told and len(told) != deal.players - 1:
        raise InputError(f"--other-saved: {len(told)} given, {deal.players - 1} are needed, with '/' between them.")
    clockwise = [_read_dice(deal, mine, "saved"), *(told or [()] * (deal.players - 1))]
    return tuple(clockwise[(seat - mover) % deal.players] for seat in range(deal.players))


def _read_dice(deal: Deal, text: str, option: str) -> Roll:
    from solver import InputError

    deck = deal.deck
    faces = list(text.replace(",", " ").replace(" ", ""))
    for face in faces:
        if not (face.isascii() and face.isdigit() and 1 <= int(face) <= deck.faces):
            raise InputError(f"--{option} '{text}': '{face}' is not a face, a die shows 1 to {deck.faces}.")
    if len(faces) > deck.dice:
        raise InputError(f"--{option} '{text}': {len(faces)} dice given, at most {deck.dice} can be saved.")
    return tuple(sorted(map(int, faces)))
