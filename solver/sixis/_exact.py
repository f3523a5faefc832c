"""The compiled heart of two-player Sixis: one status of the cards, for all pairs of saved dice.

Values lie in blocks of sixteen lanes: `values[block, m, lane]` is V(m, o), the mover's expected margin with saved dice
m when the other's saved dice are o = 16 * block + lane. See `solver.sixis.exact` for the equations.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, call-arg"
from __future__ import annotations

import numpy as np
from numba import njit

from solver._lanes import LANES, OPTIONS, expect_keeps, raise_row

_NEVER = -1e30


@njit(**OPTIONS)
def list_best_actions(sixis, sixis_points, slots, points, allowed, pool, step, best):
    """best[block, r, lane]: the most that acting on a card with roll r is worth, with what follows (`pool`)."""
    blocks, rolls = best.shape[0], best.shape[1]
    for block in range(blocks):
        for roll in range(rolls):
            worth = sixis_points if sixis[roll] else _NEVER
            for lane in range(LANES):
                best[block, roll, lane] = worth
    for action in range(slots.shape[0]):
        slot, gain = slots[action], points[action]
        for block in range(blocks):
            for roll in range(rolls):
                if allowed[action, roll]:
                    for lane in range(LANES):
                        worth = gain + step * pool[slot, block, roll, lane]
                        best[block, roll, lane] = max(best[block, roll, lane], worth)


@njit(**OPTIONS)
def _turn_over(values, block, keeps, rows):
    """`rows[k, lane]` = -V(o, k): what saving k leaves to the mover, for the sixteen o of a block."""
    for other in range(values.shape[0]):
        for i in range(min(LANES, keeps - other * LANES)):
            for lane in range(LANES):
                rows[other * LANES + i, lane] = -values[other, block * LANES + lane, i]


@njit(fastmath=True, **OPTIONS)
def _largest_difference(left, right):
    most = 0.0
    for i in range(left.shape[0]):
        apart = abs(left[i] - right[i])
        if apart > most:
            most = apart
    return most


@njit(**OPTIONS)
def _sweep(plan, best, may_end, enough, old, new, waited, floor, same):
    """One turn more: new from old. The largest change; once it is `enough`, the other blocks are not compared."""
    first_roll, keeps = plan.first_roll, plan.fewer_start.shape[0] - 1
    change = 0.0
    for block in range(old.shape[0]):
        rows, acts = new[block], best[block]
        _turn_over(old, block, keeps, rows)
        some_full = (block + 1) * LANES > first_roll
        if some_full:
            for roll in range(keeps - first_roll):
                for lane in range(LANES):
                    saved = rows[first_roll + roll, lane]
                    full = block * LANES + lane >= first_roll
                    waited[roll, lane] = min(0.0, saved) if full else saved
        for keep in range(1, keeps):
            start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
            if keep >= first_roll:
                roll = keep - first_roll
                if some_full:
                    raise_row(waited, roll, rows, plan.fewer, start, end, 1.0)
                    raise_row(waited, roll, acts, same, roll, roll + 1, 1.0)
                raise_row(rows, keep, rows, plan.fewer, start, end, 1.0)
                raise_row(rows, keep, acts, same, roll, roll + 1, 1.0)
            else:
                raise_row(rows, keep, rows, plan.fewer, start, end, 1.0)
        expect_keeps(plan, rows)
        for lane in range(LANES):
            floor[0, lane] = max(rows[0, lane], 0.0) if may_end else rows[0, lane]
        for keep in range(keeps):
            if some_full and keep >= first_roll:
                for lane in range(LANES):
                    rows[keep, lane] = waited[keep - first_roll, lane]
            raise_row(rows, keep, floor, same, 0, 1, 1.0)
        if change < enough:
            change = max(change, _largest_difference(rows.ravel(), old[block].ravel()))
    return change


@njit(**OPTIONS)
def solve_status(plan, best, may_end, most, tolerance, limit, old, new, waited, floor, same):
    """Sweep until two iterates in a row, one above the value and one below it, are closer than the tolerance.

    Leaves the middle of the two in `old`; gives the number of sweeps and how far apart the two were.
    """
    keeps = plan.fewer_start.shape[0] - 1
    old[:, :keeps] = most
    sweeps, change = 0, np.inf
    while sweeps < limit and change >= tolerance:
        change = _sweep(plan, best, may_end, tolerance, old, new, waited, floor, same)
        old, new = new, old
        sweeps += 1
    # After an odd number of sweeps the last iterate lies in what the caller calls `new`; the middle goes into both.
    for block in range(old.shape[0]):
        for keep in range(keeps):
            for lane in range(LANES):
                middle = 0.5 * (old[block, keep, lane] + new[block, keep, lane])
                old[block, keep, lane] = middle
                new[block, keep, lane] = middle
    return sweeps, change


@njit(**OPTIONS)
def end_turns(plan, values, step, tie, ended, used, rows, chosen):
    """What ending the turn with roll r is worth, W(r, o), in fixed point; and which saves are needed for it.

    A save is needed if nothing smaller is as good, up to `tie`, for some r and o.
    """
    first_roll, keeps = plan.first_roll, plan.fewer_start.shape[0] - 1
    for block in range(values.shape[0]):
        _turn_over(values, block, keeps, rows)
        for keep in range(keeps):
            for lane in range(LANES):
                chosen[keep, lane] = keep
            for edge in range(plan.fewer_start[keep], plan.fewer_start[keep + 1]):
                part = plan.fewer[edge]
                for lane in range(LANES):
                    if chosen[keep, lane] == keep:
                        better = rows[part, lane] > rows[keep, lane] - tie
                    else:
                        better = rows[part, lane] > rows[keep, lane]
                    if better:
                        rows[keep, lane] = max(rows[part, lane], rows[keep, lane])
                        chosen[keep, lane] = chosen[part, lane]
        for roll in range(keeps - first_roll):
            for lane in range(LANES):
                ended[block, roll, lane] = np.int32(np.rint(rows[first_roll + roll, lane] / step))
                if block * LANES + lane < keeps:
                    used[chosen[first_roll + roll, lane]] = True


@njit(**OPTIONS)
def pack_status(values, saves, packed):
    """The values for the saves that are needed, in 16 bits: packed[m, i] * unit + low; gives low and unit."""
    low, high = np.inf, -np.inf
    for i in range(saves.shape[0]):
        block, lane = saves[i] // LANES, saves[i] % LANES
        for keep in range(packed.shape[0]):
            low = min(low, values[block, keep, lane])
            high = max(high, values[block, keep, lane])
    unit = max(high - low, 1e-9) / 65535.0
    for keep in range(packed.shape[0]):
        for i in range(saves.shape[0]):
            value = values[saves[i] // LANES, keep, saves[i] % LANES]
            packed[keep, i] = np.uint16(np.rint((value - low) / unit))
    return low, unit
