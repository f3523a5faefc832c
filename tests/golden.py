"""Golden numbers, one small file a variant. `make golden` writes them anew; look at the difference before you commit.

The digest covers every roll in every box in every joker regime, so a change of any rule of any variant shows.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from solver import Game, count_states, find_game, make_dice, solve_game, variant_names
from solver.scoring import Regime, outcome

FOLDER = Path(__file__).parent / "golden"


def scoring_digest(game: Game) -> str:
    """A digest of what every roll scores in every box, in every regime."""
    dice = make_dice(game.dice, game.faces)
    lines = []
    for regime in Regime:
        for roll in sorted(dice.rolls):
            if regime is not Regime.ORDINARY and len(set(roll)) > 1:
                continue
            for box in game.boxes:
                lines.append(f"{regime.name} {roll} {box.name} {outcome(game, box, dice.counts(roll), regime)}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def facts(game: Game) -> dict[str, Any]:
    """What can be said of a game without solving it."""
    return {
        "variant": game.name,
        "turns": game.turns,
        "states": count_states(game),
        "fingerprint": game.fingerprint,
        "scoring": scoring_digest(game),
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in variant_names():
        game = find_game(name)
        golden = facts(game)
        if len(game.columns) == 1:
            solution = solve_game(game)
            golden |= {"value": solution.value, "sd": solution.sd}
        (FOLDER / f"{name}.json").write_text(json.dumps(golden, indent=2) + "\n", encoding="utf-8")
        print(f"wrote the golden of {name}")


if __name__ == "__main__":
    main()
