"""Compiled turns of a player who looks at the cards in reach and at nothing else: see `solver.sixis.ways`."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
from __future__ import annotations

import numpy as np
from numba import njit

from solver._lanes import OPTIONS

_NEVER = -1e30
_SWEEPS = 500
_SETTLED = 1e-4


@njit(**OPTIONS)
def _expect(plan, worth):
    """From what rolls are worth to what keeps are worth."""
    for keep in range(plan.first_roll - 1, -1, -1):
        total = 0.0
        for face in range(plan.faces):
            total += worth[plan.more[keep * plan.faces + face]]
        worth[keep] = total / plan.faces


@njit(**OPTIONS)
def _best_parts(plan, later, worth, part):
    """The best save within each keep: its worth, and which it is."""
    for keep in range(later.shape[0]):
        best, chosen = later[keep], keep
        for edge in range(plan.fewer_start[keep], plan.fewer_start[keep + 1]):
            smaller = plan.fewer[edge]
            if worth[smaller] > best + 1e-9:
                best, chosen = worth[smaller], part[smaller]
        worth[keep] = best
        part[keep] = chosen


@njit(**OPTIONS)
def expect_points(plan, cards, points, matches, sixis, sixis_points, found):
    """found[s, k]: the mean points that the best card brings next turn, if k was saved."""
    rolls = sixis.shape[0]
    for number in range(found.shape[0]):
        for roll in range(rolls):
            best, rest = (sixis_points if sixis[roll] else 0.0), number
            for card in range(cards):
                side = rest % 3
                rest //= 3
                if side < 2 and matches[card, side, roll] and points[card, side] > best:
                    best = points[card, side]
            found[number, plan.first_roll + roll] = best
        _expect(plan, found[number])


@njit(**OPTIONS)
def decide(plan, cards, points, matches, sixis, sixis_points, later, throws, acts, saves):
    """The turn of every status, given what saved dice are worth when the turn is over, `later[s, k]`.

    throws[s, k]: 1 if k is kept, 0 if all dice are thrown;
    acts[s, r]: 0 for nothing, 1 + 2 * card to take, 2 + 2 * card to flip, 1 + 2 * cards for the Sixis card;
    saves[s, r]: what to save from r when the turn is over.
    """
    statuses, keeps = later.shape
    rolls = sixis.shape[0]
    ended = np.empty((statuses, rolls))
    worth, part = np.empty(keeps), np.empty(keeps, np.int64)
    for number in range(statuses):
        _best_parts(plan, later[number], worth, part)
        for roll in range(rolls):
            ended[number, roll] = worth[plan.first_roll + roll]
            saves[number, roll] = part[plan.first_roll + roll]
    for number in range(statuses):
        for roll in range(rolls):
            best, act = ended[number, roll], 0
            rest, place = number, 1
            for card in range(cards):
                side = rest % 3
                rest //= 3
                if side < 2 and matches[card, side, roll]:
                    taken = points[card, side] + ended[number + (2 - side) * place, roll]
                    if taken > best + 1e-9:
                        best, act = taken, 1 + 2 * card
                    if side == 0 and ended[number + place, roll] > best + 1e-9:
                        best, act = ended[number + place, roll], 2 + 2 * card
                place *= 3
            if sixis[roll] and sixis_points > best + 1e-9:
                best, act = sixis_points, 1 + 2 * cards
            worth[plan.first_roll + roll] = best
            acts[number, roll] = act
        _expect(plan, worth)
        for keep in range(keeps):
            throws[number, keep] = worth[keep] >= worth[0]


@njit(**OPTIONS)
def _take_turns(cards, points, sixis_points, rates, six, ends, elsewhere, weights, number, stage, mids, room):
    """What saved dice are worth when the turn is over, as a line in what the next own turn is worth:

    mids[0, s, k] = room[k] + (the number returned) * V_s(k), from the later statuses, which must be solved.
    """
    others, keeps = rates.shape[0], room.shape[0]
    share = 1.0
    for keep in range(keeps):
        room[keep] = 0.0
    for other in range(others - 1, -1, -1):
        total, rest = ends[other, stage] + six[other, stage], number
        for card in range(cards):
            side = rest % 3
            rest //= 3
            if side < 2:
                total += rates[other, stage, card, 1 + side] + (rates[other, stage, card, 0] if side == 0 else 0.0)
        scale = 1.0 / max(total, 1.0)
        stay = 1.0 - scale * total
        loss = elsewhere[other, stage] + scale * six[other, stage] * sixis_points
        for keep in range(keeps):
            room[keep] *= stay
        rest, place = number, 1
        for card in range(cards):
            side = rest % 3
            rest //= 3
            if side < 2:
                taken = scale * rates[other, stage, card, 1 + side]
                loss += taken * points[card, side]
                _add(room, mids, other + 1, number + (2 - side) * place, taken)
                if side == 0:
                    _add(room, mids, other + 1, number + place, scale * rates[other, stage, card, 0])
            place *= 3
        for keep in range(keeps):
            room[keep] -= weights[other] * loss
        share *= stay
        for keep in range(keeps):
            mids[other, number, keep] = room[keep]
        mids[other, number, keeps] = share
    return share


@njit(**OPTIONS)
def _add(room, mids, other, number, chance):
    if chance > 0.0:
        for keep in range(room.shape[0]):
            room[keep] += chance * mids[other, number, keep]


@njit(**OPTIONS)
def solve_view(
    plan, cards, points, matches, sixis, sixis_points, rates, six, ends, elsewhere, weights, stages, over, may_end, mids
):
    """What turns and saved dice are worth against opponents who are chances (`solver.sixis.model`).

    mids[0, s, k]: k saved, the first opponent's turn begins; mids[i]: the same for the i-th after that; mids[-1]: the
    own turn, V_s(k). The last column is room to work in. Later statuses have higher numbers, so they come first.
    An opponent who may end the round leaves no more than 0: only of two players, whose margins are opposite.
    """
    others, statuses, keeps = rates.shape[0], mids.shape[1], mids.shape[2] - 1
    rolls = sixis.shape[0]
    ended = np.empty((statuses, rolls))
    acting, worth, room = np.empty(rolls), np.empty(keeps), np.empty(keeps)
    values, later = np.empty(keeps), np.empty(keeps)
    for number in range(statuses - 1, -1, -1):
        for roll in range(rolls):
            acting[roll] = sixis_points if sixis[roll] else _NEVER
        rest, place = number, 1
        for card in range(cards):
            side = rest % 3
            rest //= 3
            if side < 2:
                for roll in range(rolls):
                    if matches[card, side, roll]:
                        acting[roll] = max(acting[roll], points[card, side] + ended[number + (2 - side) * place, roll])
                        if side == 0:
                            acting[roll] = max(acting[roll], ended[number + place, roll])
            place *= 3
        stage = stages[number]
        share = _take_turns(
            cards, points, sixis_points, rates, six, ends, elsewhere, weights, number, stage, mids, room
        )
        values[:] = 0.0
        for _ in range(_SWEEPS):
            for keep in range(keeps):
                worth[keep] = room[keep] + share * values[keep]
                later[keep] = min(worth[keep], 0.0) if may_end[number] else worth[keep]
            if over[number]:
                break
            for keep in range(keeps):
                best = later[keep]
                for edge in range(plan.fewer_start[keep], plan.fewer_start[keep + 1]):
                    best = max(best, worth[plan.fewer[edge]])
                worth[keep] = best
            for roll in range(rolls):
                worth[plan.first_roll + roll] = max(worth[plan.first_roll + roll], acting[roll])
            _expect(plan, worth)
            change = 0.0
            for keep in range(keeps):
                value = max(worth[keep], worth[0])
                if may_end[number]:
                    value = max(value, 0.0)
                change = max(change, abs(value - values[keep]))
                values[keep] = value
            if change < _SETTLED:
                break
        for other in range(others):
            own_share = mids[other, number, keeps]
            for keep in range(keeps):
                mids[other, number, keep] += own_share * values[keep]
                if may_end[number]:
                    mids[other, number, keep] = min(mids[other, number, keep], 0.0)
        for keep in range(keeps):
            mids[others, number, keep] = values[keep]
        for keep in range(keeps):
            best = mids[0, number, keep]
            for edge in range(plan.fewer_start[keep], plan.fewer_start[keep + 1]):
                best = max(best, worth[plan.fewer[edge]])
            worth[keep] = best
        for roll in range(rolls):
            ended[number, roll] = worth[plan.first_roll + roll]


@njit(**OPTIONS)
def foresee(
    cards, points, sixis_points, chance, six, acts, ends, elsewhere, weights, stages, saved, number, found, odds, spare
):
    """What the cards may be when the own turn comes again, the others holding `saved`: statuses and their odds.

    Gives how many statuses there are, and the weighted points that the others take until then. A card is acted on if
    the dice allow it, chance[card, side, k], and the player then likes to, acts[other, stage, card, what]; the Sixis
    card is taken if the dice allow it, six[k].
    """
    count, loss = 1, 0.0
    found[0], odds[0] = number, 1.0
    for other in range(saved.shape[0]):
        keep = saved[other]
        grown = 0
        for entry in range(count):
            status, odd = found[entry], odds[entry]
            stage = stages[status]
            loss += weights[other] * odd * six[keep] * sixis_points
            odd *= 1.0 - six[keep]
            total, rest = ends[other, stage], status
            for card in range(cards):
                side = rest % 3
                rest //= 3
                if side < 2:
                    rate = acts[other, stage, card, 1 + side] + (acts[other, stage, card, 0] if side == 0 else 0.0)
                    total += chance[card, side, keep] * rate
            scale = odd / max(total, 1.0)
            loss += weights[other] * odd * elsewhere[other, stage]
            rest, place = status, 1
            for card in range(cards):
                side = rest % 3
                rest //= 3
                if side < 2:
                    rate = scale * chance[card, side, keep]
                    taken = rate * acts[other, stage, card, 1 + side]
                    if taken > 0.0 and grown < spare[0].shape[0] - 2:
                        loss += weights[other] * taken * points[card, side]
                        spare[0][grown], spare[1][grown] = status + (2 - side) * place, taken
                        grown += 1
                    if side == 0 and rate * acts[other, stage, card, 0] > 0.0 and grown < spare[0].shape[0] - 2:
                        spare[0][grown], spare[1][grown] = status + place, rate * acts[other, stage, card, 0]
                        grown += 1
                place *= 3
            spare[0][grown], spare[1][grown] = status, odd - scale * total
            grown += 1
        count = grown
        for entry in range(count):
            found[entry], odds[entry] = spare[0][entry], spare[1][entry]
    return count, loss
