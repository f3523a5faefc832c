"""What the rule tests share: dice as the sheets print them, and a generator that throws what a test wants."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np

NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")


def dice(text: str) -> tuple[int, ...]:
    """`1-1-5-3-1` or `11531` as thrown."""
    return tuple(int(face) for face in text.replace("-", ""))


def in_columns(scores: str, columns: str = "123") -> str:
    """The same scores in several columns."""
    return " ".join(f"{column}:{score}" for column in columns for score in scores.split())


def loaded(*throws: str) -> Mock:
    """A generator that throws just these dice."""
    rng = Mock(spec=np.random.Generator)
    rng.integers.side_effect = [np.array(dice(throw)) for throw in throws]
    return rng


def thrown(rng: Mock) -> list[int]:
    """How many dice were thrown each time."""
    return [call.kwargs["size"] for call in rng.integers.call_args_list]
