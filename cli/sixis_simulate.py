"""`rollwise simulate sixis`: many matches around a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.shared import PERCENTILES, json_option, progress_bars, show_json, show_table, split_strategies, tables_option
from cli.sixis_shared import cards_options, read_deal, read_deck

if TYPE_CHECKING:
    from sim.sixis.matches import Outcome

_ENDINGS = {
    "sixis": "the Sixis card was taken",
    "ended": "the mover ended it",
    "empty": "no card was left in the mover's reach",
    "waiting": "all waited, for ever or for 5,000 turns",
}


@click.command("simulate sixis")
@click.option("--players", type=int, default=2, show_default=True, help="Two to four.")
@click.option(
    "--strategies",
    default="patient",
    show_default=True,
    help="One for all or one for each player, the first one begins: optimal (two players of a given deal), learned, "
    "patient, greedy.",
)
@click.option("--rounds", type=int, default=1, show_default=True, help="Rounds of a match: 1, 3 or 5.")
@click.option(
    "--to",
    type=int,
    is_flag=False,
    flag_value=600,
    help="Instead of --rounds: a match ends with the round in which somebody has so many.  [600 if no number is given]",
)
@click.option("--teams", is_flag=True, help="Four players: opposite players add their points.")
@click.option(
    "--advanced-start", is_flag=True, help="The second player saves up to two dice first, the third three, ..."
)
@cards_options
@click.option("--deals", type=int, help="Random deals to play, if no cards are given.  [default: 20]")
@click.option("--games", type=int, default=100_000, show_default=True, help="Matches to play.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same games.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@tables_option
@json_option
def command(
    players: int,
    strategies: str,
    rounds: int,
    to: int | None,
    teams: bool,
    advanced_start: bool,
    cards: str | None,
    deal: int | None,
    deck: Path | None,
    deals: int | None,
    games: int,
    seed: int,
    threads: int | None,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Play many matches of Sixis: who wins from which seat, scores, how long rounds are and how they end.

    Player 1 begins; in matches of several rounds the start passes on clockwise, and every round has other cards unless
    they are given.

    Example: rollwise simulate sixis --players 3 --strategies patient,greedy,greedy --games 100000
    """
    from sim.sixis.matches import DEALS, Contest, play_contest
    from solver import InputError
    from solver.sixis.deal import require_players

    require_players(players)
    given = None
    if cards is not None or deal is not None:
        if deals is not None:
            raise InputError("--deals is for random deals: leave it out when the cards are given.")
        given, sides = read_deal(cards, deal, deck, players=players)
        if any(sides):
            raise InputError("a round begins with all cards blue: leave ':red' and ':gone' out.")
    contest = Contest(
        strategies=tuple(split_strategies(strategies)),
        players=players,
        games=games,
        rounds=rounds,
        to=to,
        teams=teams,
        advanced=advanced_start,
        deal=given,
        deals=DEALS if deals is None else deals,
        deck=read_deck(deck),
        seed=seed,
        tables=tables,
        threads=threads,
    )
    with progress_bars() as progress:
        outcome = play_contest(contest, progress=progress)
    if as_json:
        show_json(_facts(outcome))
    else:
        _show(outcome)


def _facts(outcome: Outcome) -> dict[str, Any]:
    contest = outcome.contest
    seats = []
    for player, name in enumerate(contest.names):
        rate, low, high = outcome.win_rate(player)
        scores = outcome.scores(player)
        facts = {"seat": player + 1, "strategy": name, "win": rate, "win_low": low, "win_high": high}
        facts |= {"mean": scores.mean, "sd": scores.sd, "se": scores.se}
        seats.append(facts | {"percentiles": {percent: scores.percentile(percent) for percent in PERCENTILES}})
    turns = outcome.turns
    facts = {
        "variant": "sixis",
        "players": contest.players,
        "strategies": list(contest.names),
        "cards": None if contest.deal is None else str(contest.deal),
        "deals": len(contest.tables_of_cards),
        "games": contest.games,
        "rounds": contest.rounds if contest.to is None else None,
        "to": contest.to,
        "teams": contest.teams,
        "advanced_start": contest.advanced,
        "seed": contest.seed,
        "seconds": outcome.seconds,
        "rounds_played": outcome.rounds,
        "seats": seats,
        "ties": outcome.ties,
        "turns": {"mean": turns.mean, "sd": turns.sd, "longest": int(turns.numbers[turns.counts > 0][-1])},
        "endings": {name: count / outcome.rounds for name, count in outcome.endings.items()},
    }
    if contest.players == 2:
        margins = outcome.margins
        facts["margin"] = {"mean": margins.mean, "sd": margins.sd, "se": margins.se}
    return facts


def _show(outcome: Outcome) -> None:
    contest = outcome.contest
    rounds = f"to {contest.to} points" if contest.to is not None else f"of {contest.rounds} rounds"
    what = "rounds" if contest.to is None and contest.rounds == 1 else f"matches {rounds}"
    where = f"cards {contest.deal}" if contest.deal is not None else f"{len(contest.tables_of_cards)} random deals"
    extra = ", advanced start" * contest.advanced + ", teams" * contest.teams
    click.echo(
        f"Sixis, {contest.players} players{extra}: {contest.games:,} {what}, {where}, seed {contest.seed}, ", nl=False
    )
    click.echo(f"in {outcome.seconds:.2f} s\n")
    rows = []
    for player, name in enumerate(contest.names):
        rate, low, high = outcome.win_rate(player)
        scores = outcome.scores(player)
        spread = [str(scores.percentile(percent)) for percent in (5, 50, 95)]
        wins = [f"{100 * rate:.2f} %", f"{100 * low:.2f} to {100 * high:.2f}"]
        rows.append([str(player + 1), name, *wins, f"{scores.mean:.2f}", f"{scores.se:.2f}", *spread])
    header = [
        "player",
        "strategy",
        "wins, ties shared",
        "95 % interval",
        "mean points",
        "standard error",
        "5 %",
        "half",
        "95 %",
    ]
    show_table(header, rows)
    if contest.players == 2:
        margins = outcome.margins
        click.echo(f"\nmargin of player 1: {margins.mean:.3f}, standard error {margins.se:.3f}")
    turns = outcome.turns
    click.echo(f"\na round lasts {turns.mean:.2f} turns on average, half of them at most {turns.percentile(50)}")
    for name, count in outcome.endings.items():
        if count:
            click.echo(f"{100 * count / outcome.rounds:.2f} % of rounds end because {_ENDINGS[name]}")
