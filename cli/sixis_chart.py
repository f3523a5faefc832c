"""`rollwise chart KIND sixis`: pictures to play Sixis by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shared import json_option, progress_bars, show_json, split_strategies, tables_option
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

    from solver.sixis.cards import Deck

_KINDS = {
    "worth": "what acting on each card is worth, blue and red, by how many cards are left",
    "saves": "which dice to save for which cards",
    "start": "matches won by seat, without and with the advanced start",
}
_WORTH_DEALS = 20
_BY = {"exact": "the exact solution", "learned": "the learned player"}


@click.command("chart sixis", epilog="Kinds: " + "; ".join(f"{kind}, {what}" for kind, what in _KINDS.items()) + ".")
@click.argument("kind")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The picture to write: .png, .svg or .pdf.")
@cards_options
@seat_options
@other_saved_option
@click.option("--strategies", help="start: who plays.  [default: learned]")
@click.option("--deals", type=int, help="worth, start: random deals, if no cards are given.  [default: 20]")
@click.option("--games", type=int, default=20_000, show_default=True, help="start: rounds to play.")
@click.option("--seed", type=int, default=0, show_default=True, help="worth, start: same seed, same deals and rounds.")
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
    strategies: str | None,
    deals: int | None,
    games: int,
    seed: int,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Draw a chart of KIND for Sixis.

    With the cards of two players given, worth and saves are by the exact solution (solved first if there is no table
    yet), else by the learned player. A card's side is told behind its name, 'high:red', for saves.

    Example: rollwise chart saves sixis --cards "low, high:red / two-pair, double-ones" --out saves.png
    """
    from sim import check_out, save
    from solver import InputError
    from solver.errors import unknown
    from solver.sixis.deal import require_players

    if kind not in _KINDS:
        raise unknown("chart of Sixis", kind, _KINDS)
    require_players(2 if players is None else players)
    given = cards is not None or deal is not None
    if given and deals is not None:
        raise InputError("--deals is for random deals: leave it out when the cards are given.")
    if deals is not None and not 1 <= deals <= 1000:
        raise InputError(f"deals: {deals} given, allowed are 1 to 1,000.")
    if kind == "saves" and not given:
        raise InputError("the chart 'saves' is about cards on a table: --cards or --deal is needed.")
    if kind != "saves" and (seat != 1 or other_saved):
        raise InputError(f"--seat and --other-saved belong to the chart 'saves', '{kind}' has none.")
    if kind != "start" and strategies is not None:
        raise InputError(f"--strategies belongs to the chart 'start', '{kind}' has none.")
    if kind == "start" and (given or learned):
        raise InputError("the chart 'start' is about random deals: leave --cards, --deal and --learned out.")
    check_out(out)
    if kind == "start":
        names = split_strategies(strategies or "learned")
        figure = _start(players, names, deals, games, seed, read_deck(deck), teams=teams)
    elif given:
        dealt, sides = read_deal(cards, deal, deck, players=players)
        check_seat(dealt, seat)
        with open_advisor(dealt, learned=learned, teams=teams, tables=tables) as advisor:
            from sim.sixis.charts import saves_chart, worth_chart
            from sim.sixis.figures import act_worths, best_saves
            from solver.sixis.round import Round

            if kind == "saves":
                held = read_saved(dealt, seat - 1, "", other_saved)
                position = Round(dealt, sides, held, (0,) * dealt.players, seat - 1)
                figure = saves_chart(position, *best_saves(position, advisor), method=advisor.method)
            else:
                if any(sides):
                    raise InputError("the chart 'worth' is about whole rounds: leave ':red' and ':gone' out.")
                source = f"{_BY[advisor.method]}, {dealt.players} players: means over the turns of such play"
                figure = worth_chart(act_worths(dealt, advisor, seed=seed), dealt.deck, source=source)
    else:
        figure = _worth(players or 2, deals or _WORTH_DEALS, seed, read_deck(deck), teams=teams)
    save(figure, out)
    if as_json:
        show_json({"variant": "sixis", "chart": kind, "out": str(out), "bytes": out.stat().st_size})
    else:
        click.echo(f"Drew '{out}': {_KINDS[kind]}.")


def _worth(players: int, deals: int, seed: int, deck: Deck, *, teams: bool) -> Figure:
    from sim.sixis.charts import worth_chart
    from sim.sixis.figures import act_worths, pool_worths
    from sim.sixis.learn import learn_models
    from solver import InputError
    from solver.sixis.advice import ModelAdvisor
    from solver.sixis.deal import deal_cards

    if teams and players != 4:
        raise InputError(f"teams: {players} players given, four play in teams.")
    frames = []
    with progress_bars() as progress:
        progress("compile", 0.0)
        for number in range(deals):
            progress("train", number / deals)
            dealt = deal_cards((seed, number), players=players, deck=deck)
            frames.append(act_worths(dealt, ModelAdvisor(learn_models(dealt, teams=teams)), seed=seed))
    source = f"{_BY['learned']}, {players} players: means over the turns of such play, {deals} random deals"
    return worth_chart(pool_worths(frames), deck, source=source)


def _start(
    players: int | None, names: list[str], deals: int | None, games: int, seed: int, deck: Deck, *, teams: bool
) -> Figure:
    from sim.sixis.charts import start_chart
    from sim.sixis.matches import DEALS, Contest, play_contest

    tables = (players,) if players is not None else (4,) if teams else (2, 3, 4)
    outcomes = {}
    with progress_bars() as progress:
        for count in tables:
            for advanced in (False, True):
                contest = Contest(
                    strategies=tuple(names),
                    players=count,
                    games=games,
                    teams=teams,
                    advanced=advanced,
                    deals=deals or DEALS,
                    deck=deck,
                    seed=seed,
                )
                label = f"{count} players" + ", teams" * teams + f", {', '.join(names)}"
                outcomes[label + ", advanced" * advanced] = play_contest(contest, progress=progress)
    return start_chart(outcomes)
