"""Chances flowing through a policy: kernels over flat arrays that know nothing of rules or state spaces.

A row is a state. Its choices are listed as entries `row_start[row] : row_start[row + 1]`, each with its chance, the
state after it and the points it brings.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**_OPTIONS)
def choice_chances(chance, more, faces, keep_of, choice_of, chances):
    """The chance of each choice at the end of a turn, for each row of a policy.

    `chance` is that of each first roll, `more` the lattice of keeps, `chances` (rows, choices) holds zeros before.
    """
    rolls = chance.shape[0]
    first_roll = more.shape[0] // faces
    weight = np.empty(first_roll + rolls)
    for row in range(choice_of.shape[0]):
        weight[first_roll:] = chance
        for n in range(keep_of.shape[1] - 1, -1, -1):
            weight[:first_roll] = 0.0
            for roll in range(rolls):
                keep = keep_of[row, n, roll]
                if keep < first_roll:
                    weight[keep] += weight[first_roll + roll]
                    weight[first_roll + roll] = 0.0
            for keep in range(first_roll):
                share = weight[keep] / faces
                for face in range(faces):
                    weight[more[keep * faces + face]] += share
        for roll in range(rolls):
            chances[row, choice_of[row, roll]] += weight[first_roll + roll]


@njit(**_OPTIONS)
def spread(states, row_start, after, chances, reached):
    """Move the chance of being in each state on to the states after it."""
    for row in range(states.shape[0]):
        for entry in range(row_start[row], row_start[row + 1]):
            reached[after[entry]] += reached[states[row]] * chances[entry]


@njit(**_OPTIONS)
def measure_scores(states, row_start, after, gain, length):
    """How many scores can still come from each state, zero counted, given those of the states after it."""
    for row in range(states.shape[0]):
        longest = 0
        for entry in range(row_start[row], row_start[row + 1]):
            longest = max(longest, gain[entry] + length[after[entry]])
        length[states[row]] = longest


@njit(**_OPTIONS)
def _add_scaled(target, source, scale):
    """Indices that cannot be negative let the compiler use vectors."""
    for place in range(source.shape[0]):
        target[place] += scale * source[place]


@njit(**_OPTIONS)
def collect_scores(states, row_start, after, gain, chances, start, length, later, scores):
    """The chances of the points to come from each state, out of those of the states after it.

    Those of state s are `scores[start[s] : start[s] + length[s]]`; `later` holds the ones of the layer after.
    """
    for row in range(states.shape[0]):
        place = start[states[row]]
        for entry in range(row_start[row], row_start[row + 1]):
            source, size = start[after[entry]], length[after[entry]]
            target = place + gain[entry]
            _add_scaled(scores[target : target + size], later[source : source + size], chances[entry])
