"""`rollwise chart KIND sixis`: pictures to play Sixis by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shared import json_option, progress_bars, show_json, tables_option
from cli.sixis_shared import (
    cards_options,
    check_seat,
    open_advisor,
    other_saved_option,
    read_deal,
    read_deck,
    read_saved,
    seat_options,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from solver.sixis.advice import SixisAdvisor
    from solver.sixis.cards import Deck
    from solver.sixis.deal import Deal
    from solver.sixis.round import Round

_KINDS = {
    "worth": "what acting on each card is worth, blue and red, by how many cards are left",
    "saves": "which dice to save for which cards",
    "start": "matches won by seat, without and with the advanced start",
}
_BY = {
    "exact": "the exact solution, two players",
    "learned": "the learned player's own estimates, which are poor for flips; {} players",
}


@click.command("chart", epilog="Kinds: " + "; ".join(f"{kind}, {what}" for kind, what in _KINDS.items()) + ".")
@click.argument("kind", metavar="KIND sixis")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The picture to write: .png, .svg or .pdf.")
@cards_options
@seat_options
@other_saved_option
@click.option("--strategy", help="start: who plays, in every seat: learned, patient or greedy.  [default: learned]")
@click.option("--deals", type=int, help="start: random deals to play.  [default: 20]")
@click.option("--games", type=int, help="start: rounds to play.  [default: 20,000]")
@click.option("--seed", type=int, help="start: same seed, same deals and rounds.  [default: 0]")
@tables_option
@json_option
def command(
    kind: str,
    out: Path,
    cards: str | None,
    deal: int | None,
    deck: Path | None,
    players: int | None,
    seat: int,
    teams: bool,
    learned: bool,
    other_saved: str,
    strategy: str | None,
    deals: int | None,
    games: int | None,
    seed: int | None,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Draw a chart of KIND for Sixis.

    worth and saves are about cards on a table: for two players by the exact solution (solved first if there is no table
    yet), else by the learned player. A card's side is told behind its name, 'high:red', for saves. start plays random
    deals: with the learned player some minutes.

    Example: rollwise chart saves sixis --cards "low, high:red / two-pair, double-ones" --out saves.png
    """
    from sim import check_out, save
    from solver import InputError
    from solver.errors import unknown

    if kind not in _KINDS:
        raise unknown("chart of Sixis", kind, _KINDS)
    check_out(out)
    if kind == "start":
        if cards is not None or deal is not None or learned or seat != 1 or other_saved:
            raise InputError(
                "the chart 'start' is about random deals: "
                "leave --cards, --deal, --learned, --seat and --other-saved out."
            )
        figure = _start(players, strategy, deals, games, seed, read_deck(deck), teams=teams)
    else:
        told = {"--strategy": strategy, "--deals": deals, "--games": games, "--seed": seed}
        for option, value in told.items():
            if value is not None:
                raise InputError(f"{option} belongs to the chart 'start', '{kind}' has none.")
        dealt, sides = read_deal(cards, deal, deck, players=players)
        check_seat(dealt, seat)
        position = _position(kind, dealt, sides, seat - 1, other_saved)
        with open_advisor(dealt, learned=learned, teams=teams, tables=tables) as advisor:
            figure = _saves(position, advisor) if kind == "saves" else _worth(dealt, advisor)
    save(figure, out)
    if as_json:
        show_json({"variant": "sixis", "chart": kind, "out": str(out), "bytes": out.stat().st_size})
    else:
        click.echo(f"Drew '{out}': {_KINDS[kind]}.")


def _position(kind: str, deal: Deal, sides: tuple[int, ...], mover: int, other_saved: str) -> Round:
    """The position that the options describe, for either chart."""
    from solver import InputError
    from solver.sixis.deal import GONE
    from solver.sixis.round import Round

    if kind == "worth":
        if any(sides):
            raise InputError("the chart 'worth' is about whole rounds: leave ':red' and ':gone' out.")
        if mover or other_saved:
            raise InputError("--seat and --other-saved belong to the chart 'saves', 'worth' has none.")
    if all(sides[place] == GONE for place in deal.reach(mover)):
        raise InputError("no card is left in reach: there is nothing to save dice for.")
    return Round(deal, sides, read_saved(deal, mover, "", other_saved), (0,) * deal.players, mover)


def _saves(position: Round, advisor: SixisAdvisor) -> Figure:
    from sim.sixis import best_saves, saves_chart

    return saves_chart(position, *best_saves(position, advisor), method=advisor.method)


def _worth(deal: Deal, advisor: SixisAdvisor) -> Figure:
    from sim.sixis import act_worths, worth_chart

    source = _BY[advisor.method].format(deal.players)
    return worth_chart(act_worths(deal, advisor), deal.deck, source=f"{source}: means over the turns of such play")


def _start(
    players: int | None,
    strategy: str | None,
    deals: int | None,
    games: int | None,
    seed: int | None,
    deck: Deck,
    *,
    teams: bool,
) -> Figure:
    from sim.sixis import Contest, play_contest, start_chart
    from sim.sixis.matches import DEALS, WAYS
    from solver.errors import unknown

    name = "learned" if strategy is None else strategy
    if name not in ("learned", *WAYS):
        raise unknown("strategy of the chart 'start'", name, ("learned", *WAYS))
    contests = [
        Contest(
            strategies=(name,),
            players=count,
            games=20_000 if games is None else games,
            teams=teams,
            advanced=advanced,
            deals=DEALS if deals is None else deals,
            deck=deck,
            seed=seed or 0,
        )
        for count in ((players,) if players is not None else (4,) if teams else (2, 3, 4))
        for advanced in (False, True)
    ]
    with progress_bars() as progress:
        return start_chart([play_contest(contest, progress=progress) for contest in contests])
