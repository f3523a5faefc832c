"""The compiled player: dice by counting, and one turn of many games by decisions that were made before.

Nothing here knows rules. Dice come from a hash of (key, sheet, place in the game): no generator is carried along, so
that games can be played in any order, in any chunks and on any machine, and are the same. The hash is the output
function of SplitMix64 (Steele, Lea and Flood, 2014), once to find a sheet's own sequence and once for a place in it.

A turn takes 2 * rolls places: the first half for dice, the second half for chance decisions of a sloppy player.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}

_STEP = np.uint64(0x9E3779B97F4A7C15)


@intrinsic
def _multiply_high(typing_context, left, right):
    """The upper 64 bits of the product of two unsigned 64-bit numbers."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), generate


@njit(**_OPTIONS)
def _mix(word):
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit(**_OPTIONS)
def _sequence(key, sheet):
    return _mix(key + np.uint64(sheet + 1) * _STEP)


@njit(**_OPTIONS)
def _word(sequence, place):
    return _mix(sequence + np.uint64(place + 1) * _STEP)


@njit(**_OPTIONS)
def throw(key, sheet, place, faces, thrown):
    """Fill `thrown` with dice, for whoever plays outside these kernels: the same dice as inside."""
    word = _word(_sequence(np.uint64(key), sheet), place)
    for die in range(thrown.shape[0]):
        thrown[die] = _multiply_high(word, np.uint64(faces)) + np.uint64(1)
        word *= np.uint64(faces)


@njit(**_OPTIONS)
def throw_turn(key, first_sheet, turn, faces, throws):
    """All dice that a turn of some sheets may need: `throws[sheet, roll, die]`, faces from 0; a re-roll of few takes
    the first ones. The same dice as everywhere."""
    sheets, rolls, dice = throws.shape
    for sheet in range(sheets):
        sequence = _sequence(key, first_sheet + sheet)
        for again in range(rolls):
            word = _word(sequence, turn * 2 * rolls + again)
            for die in range(dice):
                throws[sheet, again, die] = _multiply_high(word, np.uint64(faces))
                word *= np.uint64(faces)


@njit(**_OPTIONS)
def _roll(more, faces, jump, jump_start, jump_count, keep, word):
    """The roll that a keep becomes: each missing die is the next digit of the word.

    Dice are added one at a time until few enough are missing for the table of all their throws.
    """
    while jump_count[keep] == 0:
        keep = more[keep * faces + np.int64(_multiply_high(word, np.uint64(faces)))]
        word *= np.uint64(faces)
    return jump[jump_start[keep] + np.int64(_multiply_high(word, jump_count[keep]))]


@njit(**_OPTIONS)
def _random_keep(more, faces, dice, faces_of_roll, roll, word):
    """Each die of the roll is kept or not with equal chance."""
    keep = 0
    for die in range(dice):
        if word >> np.uint64(die) & np.uint64(1):
            keep = more[keep * faces + faces_of_roll[roll, die]]
    return keep


@njit(**_OPTIONS)
def _random_placement(outcome_of, after, row, outcome_row, word):
    """Each placement that the rules allow has equal chance."""
    columns, outcomes, boxes = after.shape[1], after.shape[2], outcome_of.shape[1]
    chosen = np.int64(-1)
    for _ in range(2):
        legal = 0
        for column in range(columns):
            for box in range(boxes):
                outcome = outcome_of[outcome_row, box]
                if outcome >= 0 and after[row, column, outcome] >= 0:
                    if legal == chosen:
                        return column * outcomes + outcome
                    legal += 1
        chosen = np.int64(_multiply_high(word, np.uint64(legal)))
    return -1


@njit(**_OPTIONS)
def _key(states, game, keys):
    key = states[0, game]
    for column in range(1, states.shape[0]):
        key = (key * 0x9E3779B1 + states[column, game]) & 0x7FFFFFFF
    return key & (keys - 1)


@njit(**_OPTIONS)
def arrange(states, ids, totals, next_states, next_ids, next_totals, places, group_start):
    """Put games in the same position side by side, by counting; returns the number of groups.

    Positions are told apart by a key, of which there are as many as `places`, a power of two. Two positions with the
    same key may lie mixed: they then form more groups than needed, but a group never holds two positions.
    """
    columns, count = states.shape
    places[:] = 0
    for game in range(count):
        places[_key(states, game, places.shape[0])] += 1
    before = 0
    for key in range(places.shape[0]):
        before, places[key] = before + places[key], before
    for game in range(count):
        key = _key(states, game, places.shape[0])
        place = places[key]
        places[key] = place + 1
        for column in range(columns):
            next_states[column, place] = states[column, game]
        next_ids[place] = ids[game]
        next_totals[place] = totals[game]
    groups = 0
    for game in range(count):
        new = game == 0
        for column in range(columns):
            new |= next_states[column, game] != next_states[column, game - 1]
        if new:
            group_start[groups] = game
            groups += 1
    group_start[groups] = count
    return groups


@njit(**_OPTIONS)
def play_turn(table, key, first_sheet, turn, noise, decisions, group_start, ids, states, totals, tally, codes):
    """Play a turn of the games in some positions, row by row of the decisions.

    Row r holds the games from `group_start[r]` to `group_start[r + 1]`. Their `states[column, game]` and `totals` move
    on; `tally[0, choice]` counts the choices, `tally[1]` and `tally[2]` those with a repeat bonus and
    with a completed set. `codes[id, turn]`, if wanted, becomes twice the choice, plus one for a repeat bonus.
    With `noise` each decision is a random one with that chance.
    """
    more, faces, jump, jump_start, jump_count, faces_of_roll, outcome_of, kind_roll = table
    keep_of, choice_of, after, gain, event, kind_rows = decisions
    first_roll = more.shape[0] // faces
    rerolls, outcomes, dice = keep_of.shape[1], after.shape[2], faces_of_roll.shape[1]
    rolls = rerolls + 1
    for row in range(group_start.shape[0] - 1):
        for game in range(group_start[row], group_start[row + 1]):
            sequence = _sequence(key, first_sheet + ids[game])
            place = turn * 2 * rolls
            roll = _roll(more, faces, jump, jump_start, jump_count, 0, _word(sequence, place)) - first_roll
            for again in range(1, rolls):
                keep = np.int64(keep_of[row, rerolls - again, roll])
                if noise > 0.0:
                    word = _word(sequence, place + rolls + again)
                    if (word >> np.uint64(11)) * 2.0**-53 < noise:
                        keep = _random_keep(more, faces, dice, faces_of_roll, roll, _mix(word))
                word = _word(sequence, place + again)
                roll = _roll(more, faces, jump, jump_start, jump_count, keep, word) - first_roll
            choice = np.int64(choice_of[row, roll])
            if noise > 0.0:
                word = _word(sequence, place + rolls)
                if (word >> np.uint64(11)) * 2.0**-53 < noise:
                    outcome_row = roll
                    face = faces_of_roll[roll, 0]
                    if roll == kind_roll[face]:
                        outcome_row = kind_rows[row, face]
                    choice = _random_placement(outcome_of, after, row, outcome_row, _mix(word))
            column = choice // outcomes
            outcome = choice - column * outcomes
            states[column, game] = after[row, column, outcome]
            totals[game] += gain[row, column, outcome]
            happened = event[row, column, outcome]
            tally[0, choice] += 1
            if happened:
                tally[1, choice] += happened & 1
                tally[2, choice] += happened >> 1
            if codes.shape[0]:
                codes[ids[game], turn] = 2 * choice + (happened & 1)


@njit(**_OPTIONS)
def start_rolls(key, first_match, players, faces, firsts):
    """Who starts each match: everybody rolls a die and the highest starts, tied players roll again."""
    tied = np.empty(players, np.bool_)
    for match in range(firsts.shape[0]):
        sequence = _sequence(key, first_match + match)
        tied[:] = True
        left, place = players, 0
        while left > 1:
            highest, left = np.uint64(0), 0
            for player in range(players):
                if tied[player]:
                    die = _multiply_high(_word(sequence, place + player), np.uint64(faces))
                    if die > highest:
                        tied[:player] = False
                        highest, left = die, 0
                    tied[player] = die == highest
                    left += die == highest
            place += players
        for player in range(players):
            if tied[player]:
                firsts[match] = player
