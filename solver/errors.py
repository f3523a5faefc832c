"""The one error a user can cause: bad input, told in one sentence."""

from collections.abc import Iterable
from difflib import get_close_matches


class RollwiseError(Exception):
    """Something outside the program stands in the way (a full disk, a damaged table)."""


class InputError(RollwiseError, ValueError):
    """What the user gave is wrong; the message names it and what is allowed."""


def unknown(kind: str, given: str, allowed: Iterable[str]) -> InputError:
    """The error for a name that is not in the list, with the nearest one suggested."""
    names = list(allowed)
    close = get_close_matches(given, names, n=1)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return InputError(f"unknown {kind} '{given}': {hint}allowed are {', '.join(names)}.")
