"""The compiled player of Sixis: whole rounds, two to four seats, each by decisions made before or by a solved deal.

Dice come from a hash of (key, round, turn), so that rounds are the same in any order and in any threads.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
from __future__ import annotations

import numpy as np
from numba import njit

from sim._play import _multiply_high, _sequence, _word
from sim.sixis.table import MODELLED, SOLVED, TABLED
from solver._lanes import OPTIONS
from solver.sixis._ways import foresee

SIXIS, ENDED, EMPTY, WAITING = 0, 1, 2, 3
"""How a round ends: the Sixis card, the mover says so, no card in reach, everybody waits."""
_LONGEST = 5_000
_FULL, _OWN = 4, 1
"""What a case counts. Who flipped a card has the dice for its red side, which says little of how safe a card is that
the viewer flips; yet such cards lie there, so the case counts, but less."""


@njit(**OPTIONS)
def _throw(table, keep, word):
    """The roll that a keep becomes: each missing die is the next digit of the word."""
    faces = np.uint64(table.faces)
    while keep < table.first_roll:
        keep = table.more[keep * table.faces + np.int64(_multiply_high(word, faces))]
        word *= faces
    return keep


@njit(**OPTIONS)
def _held(solved, number, mine, save):
    """V(mine, save) of a status; nan if the table does not hold that save."""
    place = solved.place[number, save]
    if place < 0:
        return np.nan
    count = solved.held[number]
    packed = solved.values[solved.keeps * solved.start[number] + mine * count + place]
    return solved.low[number] + solved.unit[number] * packed


@njit(**OPTIONS)
def _end_turn(table, solved, number, other, roll):
    """W(r, o) and the save that brings it."""
    best, chosen = -np.inf, 0
    for entry in range(table.part_start[roll], table.part_start[roll + 1]):
        save = table.parts[entry]
        value = _held(solved, number, other, save)
        if -value > best:
            best, chosen = -value, save
    return best, chosen


@njit(**OPTIONS)
def _end_turns(table, solved, number, other, worth):
    """W(r, o) for all rolls, in the rows of the rolls."""
    keeps = worth.shape[0]
    for save in range(keeps):
        value = _held(solved, number, other, save)
        best = -np.inf if np.isnan(value) else -value
        for edge in range(table.fewer_start[save], table.fewer_start[save + 1]):
            best = max(best, worth[table.fewer[edge]])
        worth[save] = best


@njit(**OPTIONS)
def _turn_values(table, solved, sides, number, other, worth, rows):
    """T[U(., o) | keep m] for all m, in `rows`: for dice o that the table does not hold."""
    rolls = table.sixis.shape[0]
    _end_turns(table, solved, number, other, worth)
    for roll in range(rolls):
        keep = table.first_roll + roll
        rows[keep] = max(worth[keep], table.sixis_points) if table.sixis[roll] else worth[keep]
    for card in range(sides.shape[0]):
        side = sides[card]
        if side == 2:
            continue
        for flip in range(2 if side == 0 else 1):
            after = number + (1 if flip else 2 - side) * solved.power[card]
            gain = 0.0 if flip else table.points[card, side]
            _end_turns(table, solved, after, other, worth)
            for roll in range(rolls):
                if table.matches[card, side, roll]:
                    keep = table.first_roll + roll
                    rows[keep] = max(rows[keep], gain + worth[keep])
    for keep in range(table.first_roll - 1, -1, -1):
        total = 0.0
        for face in range(table.faces):
            total += rows[table.more[keep * table.faces + face]]
        rows[keep] = total / table.faces


@njit(**OPTIONS)
def _solved_throw(table, solved, memory, sides, number, mine, other, may_end):
    """Steps (1) and (2) by a solved deal: 2 to end the round, 1 to keep the saved dice, 0 to throw all."""
    keep, none = _held(solved, number, mine, other), _held(solved, number, 0, other)
    if np.isnan(keep):
        key = number * solved.keeps + other
        slot = memory.slot[key]
        rows = memory.rows[max(slot, 0)]
        if slot < 0:
            if memory.used[0] < memory.rows.shape[0] - 1:
                memory.used[0] += 1
                memory.slot[key] = memory.used[0]
                rows = memory.rows[memory.used[0]]
            _turn_values(table, solved, sides, number, other, memory.worth, rows)
        keep, none = max(rows[mine], rows[0]), rows[0]
        if may_end:
            keep, none = max(keep, 0.0), max(none, 0.0)
    if may_end and keep <= solved.unit[number]:
        return 2
    return 1 if keep > none else 0


@njit(**OPTIONS)
def _solved_act(table, solved, sides, number, other, roll):
    """Steps (4) and (5): the act as in `solver.sixis._ways.decide`, by places of all cards, and the save."""
    best, save = _end_turn(table, solved, number, other, roll)
    act = 0
    for card in range(sides.shape[0]):
        side = sides[card]
        if side < 2 and table.matches[card, side, roll]:
            for flip in range(2 if side == 0 else 1):
                after = number + (1 if flip else 2 - side) * solved.power[card]
                value, kept = _end_turn(table, solved, after, other, roll)
                value += 0.0 if flip else table.points[card, side]
                if value > best:
                    best, save, act = value, kept, 1 + flip + 2 * card
    if table.sixis[roll] and table.sixis_points > best:
        act = 1 + 2 * sides.shape[0]
    return act, save


@njit(**OPTIONS)
def _end_modelled(table, models, seat, saved, number, roll, room):
    """What ending the turn is worth and the save that brings it, by a model that sees the others' dice."""
    players = saved.shape[0]
    for turn in range(players - 1):
        room.saved[turn] = saved[(seat + 1 + turn) % players]
    count, loss = foresee(
        table.reach_count[seat],
        models.points[seat],
        table.sixis_points,
        models.chance[seat],
        models.sixis_chance[seat],
        models.acts[seat],
        models.ends[seat],
        models.elsewhere[seat],
        models.weights[seat],
        models.stages[seat],
        room.saved,
        number,
        room.found,
        room.odds,
        (room.spare_found, room.spare_odds),
    )
    best, chosen = -np.inf, 0
    for entry in range(table.part_start[roll], table.part_start[roll + 1]):
        save = table.parts[entry]
        value = 0.0
        for i in range(count):
            value += room.odds[i] * models.values[models.which[seat], room.found[i], save]
        if value > best:
            best, chosen = value, save
    best -= loss
    return min(best, 0.0) if models.may_end[seat, number] else best, chosen


@njit(**OPTIONS)
def _modelled_act(table, models, seat, saved, number, roll, room):
    """Steps (4) and (5): the act as in `solver.sixis._ways.decide`, and the save."""
    cards = table.reach_count[seat]
    best, save = _end_modelled(table, models, seat, saved, number, roll, room)
    act, rest, place = 0, number, 1
    for card in range(cards):
        side = rest % 3
        rest //= 3
        if side < 2 and table.matches[table.reach[seat, card], side, roll]:
            for flip in range(2 if side == 0 else 1):
                after = number + (1 if flip else 2 - side) * place
                value, kept = _end_modelled(table, models, seat, saved, after, roll, room)
                value += 0.0 if flip else models.points[seat, card, side]
                if value > best + 1e-9:
                    best, save, act = value, kept, 1 + flip + 2 * card
        place *= 3
    if table.sixis[roll] and table.sixis_points > best:
        act = 1 + 2 * cards
    return act, save


@njit(**OPTIONS)
def _first_save(table, solved, ways, seat, roll, limit):
    """What to save before the first turn of an advanced start."""
    best, chosen = -np.inf, 0
    for entry in range(table.part_start[roll], table.part_start[roll + 1]):
        save = table.parts[entry]
        if table.size[save] > limit:
            continue
        value = -solved.opening[save] if ways.kind[seat] == SOLVED else ways.first[seat, save]
        if value > best:
            best, chosen = value, save
    return chosen


@njit(**OPTIONS)
def play_rounds(
    table, ways, solved, models, memory, room, counts, counting, advanced, key, rounds, scores, turns, endings
):
    """Play the rounds with these numbers: points of every seat, turns, and how each ended."""
    players, cards = table.power.shape
    sides, flipper = np.zeros(cards, np.int64), np.zeros(cards, np.int64)
    number = np.zeros(players, np.int64)
    saved = np.zeros(players, np.int64)
    left = np.zeros(2, np.int64)
    for entry in range(rounds.shape[0]):
        sequence = _sequence(key, rounds[entry])
        sides[:] = 0
        number[:] = 0
        saved[:] = 0
        left[:] = 0
        status = 0
        blue = cards
        for card in range(cards):
            left[min(table.group[card], 1)] += 1
        points = scores[entry]
        points[:] = 0
        if advanced:
            for seat in range(1, players):
                roll = _throw(table, 0, _word(sequence, -1 - seat)) - table.first_roll
                saved[seat] = _first_save(table, solved, ways, seat, roll, table.limits[seat])
        idle, turn, ending, seat = 0, 0, WAITING, 0
        while turn < _LONGEST and idle < players:
            may_end = players == 2 and (blue == 0 or left[0] == 0 or left[1] == 0)
            if players > 2 and number[seat] == table.gone[seat]:
                ending = EMPTY
                if counting:
                    _count_end(table, counts, number, seat)
                break
            mine = saved[seat]
            if ways.kind[seat] == SOLVED:
                step = _solved_throw(table, solved, memory, sides, status, mine, saved[1 - seat], may_end)
            else:
                step = ways.throws[seat, number[seat], mine]
                if may_end and ways.thrifty[seat]:
                    leads = points[seat] > points[1 - seat]
                    step = 2 if leads or left[0] + left[1] == 0 else min(step, 1)
                elif step == 2 and not may_end:
                    step = 1
            if step == 2:
                ending = ENDED
                break
            if counting:
                counts.visits[seat, number[seat]] += 1
            keep = mine if step == 1 else 0
            roll = _throw(table, keep, _word(sequence, turn)) - table.first_roll
            turn += 1
            if ways.kind[seat] == SOLVED:
                act, save = _solved_act(table, solved, sides, status, saved[1 - seat], roll)
                card = (act - 1) // 2
                sixis = act == 1 + 2 * cards
            else:
                if ways.kind[seat] == MODELLED:
                    act, save = _modelled_act(table, models, seat, saved, number[seat], roll, room)
                else:
                    act, save = ways.acts[seat, number[seat], roll], 0
                sixis = act == 1 + 2 * table.reach_count[seat]
                card = table.reach[seat, (act - 1) // 2] if act and not sixis else 0
            if counting:
                _count(table, counts, sides, flipper, number, seat, roll, act, card, sixis)
            if sixis:
                points[seat] += table.sixis_points
                ending = SIXIS
                break
            if act:
                flip = act % 2 == 0
                step_by = 1 if flip else 2 - sides[card]
                if flip:
                    flipper[card] = seat
                else:
                    points[seat] += table.points[card, sides[card]]
                    left[min(table.group[card], 1)] -= 1
                if sides[card] == 0:
                    blue -= 1
                sides[card] += step_by
                for other in range(players):
                    number[other] += step_by * table.power[other, card]
                status += step_by * solved.power[card]
            if ways.kind[seat] == TABLED:
                save = ways.saves[seat, number[seat], roll]
            idle = idle + 1 if keep >= table.first_roll and not act and save == keep else 0
            saved[seat] = save
            seat = seat + 1 if seat + 1 < players else 0
        turns[entry] = turn
        endings[entry] = ending


@njit(**OPTIONS)
def _stage(table, number, viewer):
    stage, rest = 0, number[viewer]
    for _ in range(table.reach_count[viewer]):
        stage += rest % 3 < 2
        rest //= 3
    return stage


@njit(**OPTIONS)
def _count_end(table, counts, number, seat):
    players = table.power.shape[0]
    for viewer in range(players):
        if viewer != seat:
            after, stage = (seat - viewer - 1) % players, _stage(table, number, viewer)
            counts.turns[viewer, after, stage] += 1
            counts.ends[viewer, after, stage] += 1


@njit(**OPTIONS)
def _count(table, counts, sides, flipper, number, seat, roll, act, card, sixis):
    """What a turn shows every other player: which cards of theirs could be acted on, and which one was."""
    players = table.power.shape[0]
    taken = act and not sixis and act % 2 == 1
    for viewer in range(players):
        if viewer == seat:
            continue
        after, stage = (seat - viewer - 1) % players, _stage(table, number, viewer)
        counts.turns[viewer, after, stage] += 1
        if sixis:
            counts.sixis[viewer, after, stage] += 1
        elif taken and table.power[viewer, card] == 0:
            counts.elsewhere[viewer, after, stage] += table.points[card, sides[card]]
        for i in range(table.reach_count[viewer]):
            place = table.reach[viewer, i]
            side = sides[place]
            if side == 2:
                continue
            weight = _OWN if side == 1 and flipper[place] == seat else _FULL
            if table.power[seat, place]:
                counts.seen[viewer, after, stage, i, side] += weight
                counts.matched[viewer, after, stage, i, side] += weight * table.matches[place, side, roll]
            if act and not sixis and place == card:
                what = 0 if act % 2 == 0 else 1 + side
                counts.did[viewer, after, stage, i, what] += weight
