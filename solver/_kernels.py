"""The compiled heart: one turn, exactly, for sixteen states at a time.

With F(r) the value of holding the final roll r, k a kept multiset and D dice, a turn is two walks over the same
lattice of keeps, one die at a time, once for each re-roll:

    E(k) = F(k) if |k| = D, else the mean over faces f of E(k + f)
    B(k) = max(E(k), max over faces f in k of B(k - f))             and the F of the roll before is B on rolls
    V    = sum over rolls r of P(r) * F(r)                          for the first roll

Both walks are done in place in one table, a row for each keep, a column for each of sixteen states (`solver._lanes`).

All states with the same filled boxes share the same legal placements, so the list of options of each roll is made
once a mask and used for all its lanes.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, call-arg"
from __future__ import annotations

import numpy as np
from numba import njit

from solver._lanes import (
    LANES,
    OPTIONS,
    bend,
    choose_row,
    max_rows,
    offer_row,
    reroll,
    spread_bits,
    squeeze,
    sum_rows,
    unbend,
    unbroken_set,
    weigh_rows,
)
from solver.space import TIE

# --- one mask: where its options lead ---------------------------------------------------------------------------


@njit(**OPTIONS)
def _row_of_roll(plan, mask):
    """For each roll its row of `outcome_of`, given the filled boxes."""
    rows = np.arange(plan.chance.shape[0])
    for face in range(plan.faces):
        rows[plan.kind_roll[face]] = plan.kind_row[mask, face]
    return rows


@njit(**OPTIONS)
def _list_worthwhile(plan, mask, options, options_start):
    """For each roll the outcomes worth a look; the row after the last outcome means "the best plain zero".

    That zero may be one in a box the roll would score in. It is then never better than the true option, because a
    filled box is worth no less with points in it than without.
    """
    zero_row = plan.outcome_points.shape[0]
    rows = _row_of_roll(plan, mask)
    count = 0
    for roll in range(rows.shape[0]):
        row = rows[roll]
        options_start[roll] = count
        options[count] = zero_row
        count += plan.free[row]
        for entry in range(plan.worthwhile_start[row], plan.worthwhile_start[row + 1]):
            outcome = plan.worthwhile[entry]
            options[count] = outcome
            count += ~mask >> plan.outcome_box[outcome] & 1
    options_start[rows.shape[0]] = count


@njit(**OPTIONS)
def _list_all(plan, mask, options, options_start):
    """For each roll every outcome in an open box, in the order of the sheet."""
    rows = _row_of_roll(plan, mask)
    count = 0
    for roll in range(rows.shape[0]):
        options_start[roll] = count
        for box in range(plan.boxes):
            outcome = plan.outcome_of[rows[roll], box]
            if outcome >= 0 and not mask >> box & 1:
                options[count] = outcome
                count += 1
    options_start[rows.shape[0]] = count


@njit(**OPTIONS)
def _follow_successors(plan, mask, base, paid, lanes):
    """For each successor through an open box: where its states start and what a completed set pays, by word; and
    its number lane, by number lane. Returns the number of states of the mask."""
    active = plan.active[mask]
    number = plan.number_index[mask]
    words = 1
    bit = 0
    while active >> bit:
        words <<= active >> bit & 1
        bit += 1
    for successor in range(plan.successor_box.shape[0]):
        box_bit = np.int64(1) << plan.successor_box[successor]
        if mask & box_bit:
            continue
        after = mask | box_bit
        scored = plan.successor_scored[successor]
        number_after = plan.number_index[after]
        for packed in range(words):
            word = spread_bits(packed, active)
            bonus = 0.0
            for s in range(plan.set_mask.shape[0]):
                if plan.set_mask[s] & box_bit:
                    unbroken = unbroken_set(word, s, mask & plan.set_mask[s] != 0, scored)
                    if after & plan.set_mask[s] == plan.set_mask[s]:
                        bonus = plan.set_points[s] * unbroken
                    word = word & ~(1 << s) | unbroken << s
            if box_bit == plan.wild_mask:
                word |= plan.wild_bit * scored
            position = squeeze(word, plan.active[after])
            base[successor, packed] = plan.offset[after] + position * plan.lane_count[number_after]
            paid[successor, packed] = bonus
        for lane in range(plan.lane_count[number]):
            total = min(plan.lane_total[number, lane] + plan.successor_shift[successor], plan.threshold)
            lanes[successor, lane] = plan.lane_of_total[number_after, total]
    return words * plan.lane_count[number]


@njit(**OPTIONS)
def _place_lanes(plan, mask, first, states, word_of, number_of, scored):
    """Which states of the mask the lanes stand for, from `first` on; the last state fills up the rest.

    `scored[lane]` is 1 where the wild box holds points, so that a repeat is paid.
    """
    active = plan.active[mask]
    number_lanes = plan.lane_count[plan.number_index[mask]]
    for lane in range(LANES):
        state = min(first + lane, states - 1)
        word_of[lane] = state // number_lanes
        number_of[lane] = state - word_of[lane] * number_lanes
        scored[lane] = 1.0 if spread_bits(word_of[lane], active) & plan.wild_bit else 0.0


@njit(**OPTIONS)
def _gather(plan, mask, table, base, paid, lanes, word_of, number_of, successors):
    """What a table holds for each successor of each lane, with what a completed set pays."""
    for successor in range(plan.successor_box.shape[0]):
        if not mask >> plan.successor_box[successor] & 1:
            for lane in range(LANES):
                word = word_of[lane]
                found = table[base[successor, word] + lanes[successor, number_of[lane]]]
                successors[successor, lane] = found + paid[successor, word]


@njit(**OPTIONS)
def _best_zero(plan, mask, successors, outcomes):
    """The best value of a zero in any open box, in the row after the last outcome."""
    row = plan.outcome_points.shape[0]
    for lane in range(LANES):
        outcomes[row, lane] = -np.inf
    for box in range(plan.boxes):
        successor = plan.zero_successor[box]
        if successor >= 0 and not mask >> box & 1:
            for lane in range(LANES):
                outcomes[row, lane] = max(outcomes[row, lane], successors[successor, lane])


@njit(**OPTIONS)
def _value_outcomes(plan, mask, successors, scored, outcomes):
    """Points now and to come of each outcome in an open box."""
    for outcome in range(plan.outcome_points.shape[0]):
        if not mask >> plan.outcome_box[outcome] & 1:
            successor = plan.outcome_successor[outcome]
            points, repeat = plan.outcome_points[outcome], plan.outcome_repeat[outcome]
            for lane in range(LANES):
                outcomes[outcome, lane] = successors[successor, lane] + (points + repeat * scored[lane])


@njit(**OPTIONS)
def _bend_outcomes(plan, theta, rows, centre, outcomes):
    """Turn the values of outcomes into utilities around the roll that counts most: the best one for theta > 0, the
    worst one for theta < 0, so that no utility of a choice worth making overflows."""
    rolls = plan.chance.shape[0]
    for lane in range(LANES):
        centre[lane] = rows[plan.first_roll, lane]
        for row in range(plan.first_roll + 1, plan.first_roll + rolls):
            value = rows[row, lane]
            centre[lane] = max(centre[lane], value) if theta > 0.0 else min(centre[lane], value)
        for outcome in range(outcomes.shape[0]):
            outcomes[outcome, lane] = bend(theta, outcomes[outcome, lane] - centre[lane])


# --- the two sweeps over masks ----------------------------------------------------------------------------------


@njit(**OPTIONS)
def solve_masks(plan, masks, theta, values, rows, outcomes, successors):
    """Fill in the values of all states of the masks; the values of every larger mask must be there.

    With a `theta` other than zero the objective is exponential utility, and values are the sure points that are
    worth as much (see `solver.solve`).
    `rows` (keeps), `outcomes` (one row more than there are) and `successors` are workspace of LANES columns.
    """
    rolls = plan.chance.shape[0]
    options = np.empty(rolls * (plan.boxes + 1) + 1, dtype=np.int32)
    options_start = np.empty(rolls + 1, dtype=np.int32)
    base = np.empty((successors.shape[0], 1 << (plan.set_mask.shape[0] + 1)), dtype=np.int64)
    paid = np.empty(base.shape)
    lanes = np.empty((successors.shape[0], plan.lane_total.shape[1]), dtype=np.int32)
    centre = np.zeros(LANES)
    word_of, number_of, scored = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES)
    for mask in masks:
        states = _follow_successors(plan, mask, base, paid, lanes)
        _list_worthwhile(plan, mask, options, options_start)
        for first in range(0, states, LANES):
            _place_lanes(plan, mask, first, states, word_of, number_of, scored)
            _gather(plan, mask, values, base, paid, lanes, word_of, number_of, successors)
            _best_zero(plan, mask, successors, outcomes)
            _value_outcomes(plan, mask, successors, scored, outcomes)
            for bent in range(2 if theta else 1):
                if bent:
                    _bend_outcomes(plan, theta, rows, centre, outcomes)
                for roll in range(rolls):
                    start, end = options_start[roll], options_start[roll + 1]
                    max_rows(rows, plan.first_roll + roll, outcomes, options, start, end, 1.0)
            for _ in range(plan.rolls - 1):
                reroll(plan, rows)
            weigh_rows(rows, 0, rows, plan.first_roll, plan.chance, rolls)
            place = plan.offset[mask] + first
            for lane in range(min(LANES, states - first)):
                values[place + lane] = centre[lane] + unbend(theta, rows[0, lane])


@njit(**OPTIONS)
def measure_masks(plan, masks, values, variances, rows, outcomes, successors):
    """Fill in the variance of the points to come under the optimal policy, given all values.

    Squares are taken of the distance to the state's own value, so that nothing cancels. Ties go to the first box of
    the sheet, and to keeping more dice: from the rolled dice the lowest die that still leaves a best keep is put
    back, until a best keep is reached. The workspaces come in pairs, for values and for squares.
    """
    rolls = plan.chance.shape[0]
    keeps = plan.fewer_start.shape[0] - 1
    values_of_rows, squares_of_rows = rows
    values_of_outcomes, squares_of_outcomes = outcomes
    values_after, variances_after = successors
    options = np.empty(rolls * plan.boxes, dtype=np.int32)
    options_start = np.empty(rolls + 1, dtype=np.int32)
    base = np.empty((values_after.shape[0], 1 << (plan.set_mask.shape[0] + 1)), dtype=np.int64)
    paid = np.empty(base.shape)
    nothing = np.zeros(base.shape)
    centre = np.empty(LANES)
    lanes = np.empty((values_after.shape[0], plan.lane_total.shape[1]), dtype=np.int32)
    word_of, number_of, scored = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES)
    for mask in masks:
        states = _follow_successors(plan, mask, base, paid, lanes)
        _list_all(plan, mask, options, options_start)
        for first in range(0, states, LANES):
            place = plan.offset[mask] + first
            _place_lanes(plan, mask, first, states, word_of, number_of, scored)
            _gather(plan, mask, values, base, paid, lanes, word_of, number_of, values_after)
            _gather(plan, mask, variances, base, nothing, lanes, word_of, number_of, variances_after)
            _value_outcomes(plan, mask, values_after, scored, values_of_outcomes)
            for lane in range(LANES):
                centre[lane] = values[plan.offset[mask] + min(first + lane, states - 1)]
            for outcome in range(plan.outcome_points.shape[0]):
                successor = plan.outcome_successor[outcome]
                if not mask >> plan.outcome_box[outcome] & 1:
                    for lane in range(LANES):
                        distance = values_of_outcomes[outcome, lane] - centre[lane]
                        squares_of_outcomes[outcome, lane] = variances_after[successor, lane] + distance * distance
            for roll in range(rolls):
                row, start, end = plan.first_roll + roll, options_start[roll], options_start[roll + 1]
                for lane in range(LANES):
                    values_of_rows[row, lane] = values_of_outcomes[options[start], lane]
                    squares_of_rows[row, lane] = squares_of_outcomes[options[start], lane]
                choose_row(
                    values_of_rows,
                    squares_of_rows,
                    row,
                    values_of_outcomes,
                    squares_of_outcomes,
                    options,
                    start + 1,
                    end,
                    TIE,
                )
            for _ in range(plan.rolls - 1):
                for keep in range(plan.first_roll - 1, -1, -1):
                    start = keep * plan.faces
                    end = start + plan.faces
                    sum_rows(values_of_rows, keep, values_of_rows, plan.more, start, end, 1.0 / plan.faces)
                    sum_rows(squares_of_rows, keep, squares_of_rows, plan.more, start, end, 1.0 / plan.faces)
                for keep in range(1, keeps):
                    start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
                    choose_row(
                        values_of_rows,
                        squares_of_rows,
                        keep,
                        values_of_rows,
                        squares_of_rows,
                        plan.fewer,
                        start,
                        end,
                        TIE,
                    )
            weigh_rows(squares_of_rows, 0, squares_of_rows, plan.first_roll, plan.chance, rolls)
            for lane in range(min(LANES, states - first)):
                variances[place + lane] = squares_of_rows[0, lane]


# --- columns by prices --------------------------------------------------------------------------------------------


@njit(**OPTIONS)
def price_masks(plan, masks, prices, values, rows, outcomes, successors):
    """All turns of a column that pays `prices[turn, roll]` to place a final roll or passes (`solver.prices`).

    `values[turn, state]` is filled in for the states of the masks and the turns on which a column can still be filled
    in time (the others stay as they are, -inf); the values of every larger mask must be there.
    """
    rolls, turns = plan.chance.shape[0], prices.shape[0]
    options = np.empty(rolls * (plan.boxes + 1) + 1, dtype=np.int32)
    options_start = np.empty(rolls + 1, dtype=np.int32)
    base = np.empty((successors.shape[0], 1 << (plan.set_mask.shape[0] + 1)), dtype=np.int64)
    paid = np.empty(base.shape)
    lanes = np.empty((successors.shape[0], plan.lane_total.shape[1]), dtype=np.int32)
    passing = np.empty((1, LANES))
    word_of, number_of, scored = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES)
    for mask in masks:
        states = _follow_successors(plan, mask, base, paid, lanes)
        _list_worthwhile(plan, mask, options, options_start)
        place = plan.offset[mask]
        filled = 0
        for box in range(plan.boxes):
            filled += mask >> box & 1
        for first in range(0, states, LANES):
            _place_lanes(plan, mask, first, states, word_of, number_of, scored)
            for turn in range(turns - (plan.boxes - filled), filled - 1, -1):
                later = values[turn + 1]
                _gather(plan, mask, later, base, paid, lanes, word_of, number_of, successors)
                _best_zero(plan, mask, successors, outcomes)
                _value_outcomes(plan, mask, successors, scored, outcomes)
                for lane in range(LANES):
                    passing[0, lane] = later[place + min(first + lane, states - 1)]
                for roll in range(rolls):
                    row = plan.first_roll + roll
                    max_rows(rows, row, outcomes, options, options_start[roll], options_start[roll + 1], 1.0)
                    offer_row(rows, row, passing, prices[turn, roll])
                for _ in range(plan.rolls - 1):
                    reroll(plan, rows)
                weigh_rows(rows, 0, rows, plan.first_roll, plan.chance, rolls)
                for lane in range(min(LANES, states - first)):
                    values[turn, place + first + lane] = rows[0, lane]
