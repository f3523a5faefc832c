"""`rollwise variants`: what there is."""

from __future__ import annotations

from pathlib import Path

import click

from cli.shared import byte_size, json_option, show_json, show_table, tables_option


@click.command("variants")
@tables_option
@json_option
def command(tables: Path | None, as_json: bool) -> None:
    """List the games: dice, boxes, states, how they are solved, and whether a table is stored.

    Example: rollwise variants --json
    """
    from solver import (
        ColumnSolution,
        TableMissingError,
        TableRefusedError,
        TableStore,
        count_states,
        find_game,
        method_for,
        variant_names,
    )

    store = TableStore(tables)
    rows = []
    for name in variant_names():
        game = find_game(name)
        value: float | None = None
        try:
            found = store.load(game)
            value = found.mean if isinstance(found, ColumnSolution) and found.method == "learned" else found.value
            solved = "yes"
        except TableMissingError:
            solved = "no"
        except TableRefusedError:
            solved = "damaged or outdated"
        rows.append(
            {
                "variant": name,
                "title": game.title,
                "summary": game.summary,
                "dice": game.dice,
                "boxes": len(game.boxes),
                "columns": len(game.columns),
                "states": count_states(game),
                "method": method_for(game),
                "solved": solved == "yes",
                "table": solved,
                "bytes": store.size(game),
                "value": value,
            }
        )
    rows.append(_sixis(tables))
    if as_json:
        show_json(rows)
        return
    show_table(
        ["variant", "dice", "boxes", "states", "method", "solved", "expected score", "table", "rules"],
        [
            [
                str(row["variant"]),
                str(row["dice"]),
                _boxes(row),
                f"{row['states']:,}" if int(str(row["states"])) < 10**12 else f"{row['states']:.1e}",
                str(row["method"]),
                str(row["table"]),
                "" if row["value"] is None else f"{row['value']:.4f}",
                byte_size(int(str(row["bytes"]))) if row["bytes"] else "",
                str(row["summary"]),
            ]
            for row in rows
        ],
    )
    click.echo(f"\nTables are in '{store.folder}'. House rules: give the path of a TOML file instead of a name.")


def _boxes(row: dict[str, object]) -> str:
    if row["columns"] == 0:
        return f"{row['boxes']} cards"
    return str(row["boxes"]) if row["columns"] == 1 else f"{row['columns']} x {row['boxes']}"


def _sixis(tables: Path | None) -> dict[str, object]:
    """The game with cards: it has no columns, its boxes are cards, and its states are those of eight cards for two."""
    from solver.sixis.cards import standard_deck
    from solver.sixis.tables import DealStore

    deck, store = standard_deck(), DealStore(tables)
    solved = store.solved()
    return {
        "variant": "sixis",
        "title": deck.title,
        "summary": "goal cards for 2 to 4 players: two players of a deal solved exactly, more learned",
        "dice": deck.dice,
        "boxes": len(deck.cards),
        "columns": 0,
        "states": 3**8 * len(deck.mathematics.keeps) ** 2,
        "method": "exact",
        "solved": bool(solved),
        "table": f"{len(solved)} deal{'s' * (len(solved) != 1)}" if solved else "no",
        "bytes": sum(solved),
        "value": None,
    }
