"""Random legal positions, reached by placing random rolls in random boxes."""

from __future__ import annotations

import random

from solver import Game, Roll, Sheet


def random_roll(game: Game, rng: random.Random) -> Roll:
    """Dice as thrown, but one time in four all alike, so that jokers and repeats are met often."""
    if rng.random() < 0.25:
        return (rng.randint(1, game.faces),) * game.dice
    return tuple(sorted(rng.randint(1, game.faces) for _ in range(game.dice)))


def random_sheet(game: Game, rng: random.Random, *, turns: int | None = None) -> Sheet:
    """A sheet with some boxes filled, but never all of them."""
    sheet = Sheet.empty(game)
    for _ in range(rng.randrange(game.turns) if turns is None else turns):
        roll = random_roll(game, rng)
        place = rng.choice(sheet.placements(roll))
        sheet = sheet.place(roll, place.box, column=place.column)
    return sheet
