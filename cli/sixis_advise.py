"""`rollwise advise sixis`: what to do at any step of a turn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shared import json_option, show_json, show_table, tables_option
from cli.sixis_shared import (
    cards_options,
    check_seat,
    open_advisor,
    other_saved_option,
    read_deal,
    read_saved,
    seat_options,
)

if TYPE_CHECKING:
    from solver.sixis.advice import Choice
    from solver.sixis.deal import Deal
    from solver.sixis.round import Round

_STEPS = ("begin", "act", "save")


@click.command("advise sixis")
@cards_options
@click.option(
    "--step", default=None, help="begin: keep the saved dice, roll all or end; act: which card; save: which dice."
)
@click.option("--dice", help="act and save: the six dice as they lie, 113556.")
@click.option("--saved", default="", help="begin: the mover's saved dice, 55.  [default: nothing]")
@other_saved_option
@seat_options
@click.option("--top", type=click.IntRange(min=1), help="Show only the best options.  [default: 10; all with --json]")
@tables_option
@json_option
def command(
    cards: str | None,
    deal: int | None,
    deck: Path | None,
    step: str | None,
    dice: str | None,
    saved: str,
    other_saved: str,
    players: int | None,
    seat: int,
    teams: bool,
    learned: bool,
    top: int | None,
    tables: Path | None,
    as_json: bool,
) -> None:
    """Rank what can be done at a step of a turn of Sixis, by the expected margin from here to the end.

    A card's side is told behind its name: 'low, high:red / two-pair:gone, run-1-2-3'. With two groups of cards, two
    players, advice is exact, and the cards are solved first if there is no table yet. With three or four it is by the
    learned player, who learns the cards in some seconds: its estimate of the points from here to the end, less the mean
    of the others' (in teams: the team's less the other team's); too high by some points, so go by the order. Group 1
    lies between seat 1 and seat 2, the last one between the last seat and seat 1. Without --step it is 'act' if dice
    are given, else 'begin'.

    Example: rollwise advise sixis --cards "low, high:red / two-pair, double-ones" --dice 111266 --other-saved 66
    """
    dealt, sides = read_deal(cards, deal, deck, players=players)
    check_seat(dealt, seat)
    position = _position(dealt, sides, seat - 1, step, dice, saved, other_saved)
    with open_advisor(dealt, learned=learned, teams=teams, tables=tables) as advisor:
        advice = advisor.advise(position)
    exact = advice.method == "exact"
    choices = advice.choices[: top if top or as_json else 10]
    if as_json:
        show_json(
            {
                "variant": "sixis",
                "players": dealt.players,
                "cards": dealt.text(sides),
                "seat": seat,
                "teams": teams,
                "step": position.step,
                "dice": "".join(map(str, position.dice)),
                "saved": ["".join(map(str, held)) for held in position.saved],
                "value": advice.value,
                "total": advice.value,
                "method": advice.method,
                "stored_error": advice.error if exact else None,
                "options": [_facts(choice, position) for choice in choices],
            }
        )
        return
    shown = f", dice {' '.join(map(str, position.dice))}" if position.dice else ""
    who = "two players" if dealt.players == 2 else f"seat {seat} of {dealt.players}" + ", teams" * teams
    how = f"exact, values to within {advice.error:.4f}" if exact else "by the learned player"
    click.echo(f"Sixis, {who}{shown} ({how})")
    click.echo(f"Cards: {dealt.text(sides)}\n")
    click.echo(f"Best: {choices[0].text}.\n")
    show_table(
        ["option", "expected margin" if exact else "margin, estimated", "loss"],
        [[choice.text, f"{choice.value:.3f}", f"{choice.loss:.3f}"] for choice in choices],
    )
    hidden = len(advice.choices) - len(choices)
    if hidden:
        click.echo(f"... and {hidden} more (--top {len(advice.choices)} shows all)")
    if not exact:
        click.echo("\nThe learned player's own estimates are too high by some points; go by their order.")


def _facts(choice: Choice, position: Round) -> dict[str, object]:
    facts: dict[str, object] = {
        "option": choice.text,
        "action": choice.kind,
        "value": choice.value,
        "loss": choice.loss,
    }
    if choice.kind == "save":
        facts["keep"] = "".join(map(str, choice.save or ()))
    elif choice.kind in ("keep", "roll"):
        facts["keep"] = "".join(map(str, position.saved[position.mover])) if choice.kind == "keep" else ""
    elif choice.action is not None:
        facts["card"] = "sixis" if choice.action.place < 0 else position.deal.cards[choice.action.place].name
        facts["points"] = choice.action.points
    return facts


def _position(
    deal: Deal, sides: tuple[int, ...], mover: int, step: str | None, dice: str | None, saved: str, other_saved: str
) -> Round:
    """The position that the options describe."""
    from solver import InputError
    from solver.errors import unknown
    from solver.sixis.round import Round

    step = ("begin" if dice is None else "act") if step is None else step
    if step not in _STEPS:
        raise unknown("step", step, _STEPS)
    held, scores = read_saved(deal, mover, saved, other_saved), (0,) * deal.players
    mine = held[mover]
    if step == "begin":
        if dice is not None:
            raise InputError("step 'begin' comes before the roll: leave --dice out.")
        return Round(deal, sides, held, scores, mover)
    if deal.must_end(sides, mover):
        raise InputError(f"the round is over when seat {mover + 1} is to move: no card is left in its reach.")
    if dice is None:
        raise InputError(f"step '{step}' needs the dice: --dice 113556.")
    roll = deal.deck.mathematics.parse(dice)
    missing = [face for face in set(mine) if mine.count(face) > roll.count(face)]
    if missing:
        raise InputError(
            f"saved dice {saved} do not fit the roll {dice}: it shows {roll.count(missing[0])} dice with "
            f"{missing[0]}. Leave --saved out if all dice were rolled."
        )
    return Round(deal, sides, held, scores, mover, step=step, dice=roll)
