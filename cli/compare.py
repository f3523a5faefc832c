"""`rollwise compare`: strategies against each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cli.shared import (
    batch_options,
    json_option,
    open_batch,
    progress_bars,
    show_json,
    show_table,
    split_strategies,
    variant_argument,
)

if TYPE_CHECKING:
    from sim import Comparison, PairFigures, PlayerFigures
    from solver import Distribution

_MARGINS = (5, 25, 50, 75, 95)
_ENDS = ("win", "tie", "loss")


class Exact(NamedTuple):
    """What is known without sampling, by strategy: whole distributions, or mean and deviation only."""

    distributions: dict[str, Distribution]
    moments: dict[str, tuple[float, float] | None]


@click.command("compare")
@variant_argument
@click.option("--strategies", required=True, help="Who plays, as in optimal,greedy,sloppy:0.1; one player for each.")
@click.option("--players", type=int, help="So many players; with a single strategy all of them play it.")
@batch_options(games=100_000)
@click.option(
    "--same-dice",
    is_flag=True,
    help="The same throws (and chance decisions) for all; tells the variance saved.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write every match to a .parquet, .csv or .jsonl file.")
@click.option("--no-exact", is_flag=True, help="Leave out the exact figures, which take some seconds.")
@json_option
def command(
    variant: str,
    strategies: str,
    players: int | None,
    same_dice: bool,
    out: Path | None,
    no_exact: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Play matches of VARIANT: who wins how often, and by how much.

    Rates and means come with 95 percent intervals. Every pair is told head to head too. Where exact figures can be
    computed they stand beside the sampled ones; of wins only with dice of their own.

    Example: rollwise compare yahtzee --strategies optimal,greedy,safe --games 1000000 --same-dice
    """
    from sim import check_records_file, compare, exact_for, known_moments
    from sim.match import require_players
    from solver import InputError, find_game

    game = find_game(variant)
    names = split_strategies(strategies)
    if players is not None and len(names) not in (1, players):
        raise InputError(
            f"players is {players} and {len(names)} strategies are given: one for each is needed, or one for all."
        )
    if players is not None:
        require_players(game, players)
        names = names if len(names) == players else names * players
    if out is not None:
        check_records_file(out)
    with progress_bars() as progress, open_batch(game, **options) as batch:
        comparison = compare(batch, names, same_dice=same_dice, out=out, progress=progress)
        found = {} if no_exact else {name: exact_for(batch, name, progress=progress) for name in set(names)}
        moments = {} if no_exact else {name: known_moments(batch, name) for name in set(names)}
    exact = Exact({name: figures.distribution for name, figures in found.items() if figures is not None}, moments)
    if as_json:
        show_json(_facts(comparison, exact, out))
    else:
        _show(comparison, exact)
        if out is not None:
            click.echo(f"\nWrote '{out}'.")


def _facts(comparison: Comparison, exact: Exact, out: Path | None) -> dict[str, Any]:
    batch = comparison.batch
    return {
        "variant": batch.game.name,
        "games": batch.games,
        "rounds": batch.rounds,
        "seed": batch.seed,
        "seconds": comparison.seconds,
        "same_dice": comparison.same_dice,
        "table": comparison.table,
        "method": "sampled",
        "players": [
            {
                "strategy": player.strategy,
                "mean": player.scores.mean,
                "sd": player.scores.sd,
                "se": player.scores.se,
                "firsts": player.firsts if comparison.table else None,
                **(_outcomes(player) if comparison.table else dict.fromkeys(_ENDS)),
                "exact": _exact_player(comparison, exact, place),
            }
            for place, player in enumerate(comparison.players)
        ],
        "pairs": [
            {
                "players": [place + 1 for place in pair.places],
                "one": pair.one,
                "other": pair.other,
                **_outcomes(pair),
                "margin": {
                    "mean": pair.margins.mean,
                    "sd": pair.margins.sd,
                    "se": pair.margins.se,
                    "percentiles": {percent: pair.margins.percentile(percent) for percent in _MARGINS},
                },
                "variance_saved": pair.saved,
                "exact": _exact_pair(comparison, exact, pair),
            }
            for pair in comparison.pairs
        ],
        "out": None if out is None else str(out),
    }


def _exact_player(comparison: Comparison, exact: Exact, place: int) -> dict[str, float | None] | None:
    """Mean and deviation; and with dice of their own how the matches end, if all players are known exactly."""
    names = [player.strategy for player in comparison.players]
    own = exact.distributions.get(names[place])
    moments = (own.mean, own.sd) if own is not None else exact.moments.get(names[place])
    if moments is None:
        return None
    facts: dict[str, float | None] = {"mean": moments[0], "sd": moments[1], **dict.fromkeys(_ENDS)}
    others = [exact.distributions.get(name) for other, name in enumerate(names) if other != place]
    known = [other for other in others if other is not None]
    if own is not None and comparison.table and not comparison.same_dice and len(known) == len(others):
        facts |= dict(zip(_ENDS, own.against(*known), strict=True))
    return facts


def _exact_pair(comparison: Comparison, exact: Exact, pair: PairFigures) -> dict[str, float | None] | None:
    one, other = exact.distributions.get(pair.one), exact.distributions.get(pair.other)
    if one is None or other is None:
        return None
    facts: dict[str, float | None] = {"margin": one.mean - other.mean, **dict.fromkeys(_ENDS)}
    if not comparison.same_dice:
        facts |= dict(zip(_ENDS, one.against(other), strict=True))
    return facts


def _outcomes(side: PlayerFigures | PairFigures) -> dict[str, Any]:
    from sim import rate_interval

    counts = {"win": side.wins, "tie": side.ties, "loss": side.losses}
    size = sum(counts.values())
    return {
        name: {"rate": count / size, "interval": list(rate_interval(count, size))} for name, count in counts.items()
    }


def _show(comparison: Comparison, exact: Exact) -> None:
    from sim.histogram import Z95

    batch, players = comparison.batch, comparison.players
    rounds = f" of {batch.rounds} rounds" if batch.rounds > 1 else ""
    dice = "the same dice for all" if comparison.same_dice else "dice of their own"
    matches = f"{batch.games:,} {'match' if batch.games == 1 else 'matches'}"
    click.echo(f"{batch.game.title}: {matches}{rounds}, {dice}, seed {batch.seed}, in {comparison.seconds:.2f} s")
    click.echo("Intervals (+-, in brackets) hold 95 percent.\n")
    header = ["player", "strategy", "mean", "+-", "deviation"]
    header += ["wins", "ties", "losses", "starts"] if comparison.table else []
    show_table(
        header,
        [
            [
                str(number),
                player.strategy,
                f"{player.scores.mean:.3f}",
                _known(f"{Z95 * player.scores.se:.3f}"),
                _known(f"{player.scores.sd:.2f}"),
                *((*_rates(player), f"{100 * player.firsts / batch.games:.1f} %") if comparison.table else ()),
            ]
            for number, player in enumerate(players, start=1)
        ],
    )
    _show_exact_players(comparison, exact)
    if comparison.table and len(players) == 2:
        click.echo("\nThe margin, points of the first less those of the second:\n")
    elif comparison.table:
        click.echo("\nHead to head, the margin being points of the first less those of the second:\n")
    else:
        most = batch.game.max_players
        click.echo(f"\nAt most {most} play at one table, so the matches are head to head:\n")
    names = [player.strategy for player in players]
    label = names if len(set(names)) == len(names) else [f"{place + 1} {name}" for place, name in enumerate(names)]
    header = ["pair", "wins", "ties", "losses", "margin", "+-", "deviation", "5 % to 95 %"]
    show_table(
        header
        + (
            ["variance saved"]
            if comparison.same_dice
            else ["exact wins / ties / losses"]
            if exact.distributions
            else []
        ),
        [
            [
                " - ".join(label[place] for place in pair.places),
                *_rates(pair),
                f"{pair.margins.mean:+.3f}",
                _known(f"{Z95 * pair.margins.se:.3f}"),
                _known(f"{pair.margins.sd:.2f}"),
                f"{pair.margins.percentile(5)} to {pair.margins.percentile(95)}",
                *(
                    [_saved(pair)]
                    if comparison.same_dice
                    else [_exact_rates(comparison, exact, pair)]
                    if exact.distributions
                    else []
                ),
            ]
            for pair in comparison.pairs
        ],
    )


def _show_exact_players(comparison: Comparison, exact: Exact) -> None:
    """The exact figures of the players, as far as they are known."""
    rows = []
    for place, player in enumerate(comparison.players):
        facts = _exact_player(comparison, exact, place)
        if facts is not None:
            rates = ["" if facts[name] is None else f"{100 * (facts[name] or 0.0):.3f} %" for name in _ENDS]
            rows.append([str(place + 1), player.strategy, f"{facts['mean']:.4f}", f"{facts['sd']:.4f}", *rates])
    if rows:
        click.echo("\nExact, without sampling:\n")
        show_table(["player", "strategy", "mean", "deviation", "wins", "ties", "losses"], rows)


def _rates(side: PlayerFigures | PairFigures) -> list[str]:
    texts = []
    for found in _outcomes(side).values():
        low, high = (100 * end for end in found["interval"])
        texts.append(f"{100 * found['rate']:.2f} % ({low:.2f}-{high:.2f})")
    return texts


def _exact_rates(comparison: Comparison, exact: Exact, pair: PairFigures) -> str:
    facts = _exact_pair(comparison, exact, pair)
    return "" if facts is None else " / ".join(f"{100 * (facts[name] or 0.0):.3f}" for name in _ENDS)


def _known(number: str) -> str:
    """A number that a single match cannot tell is left out."""
    return "" if number == "nan" else number


def _saved(pair: PairFigures) -> str:
    return "" if pair.saved is None else f"{100 * pair.saved:.1f} %"
