"""The compiled heart: one turn, exactly, for sixteen states at a time.

With F(r) the value of holding the final roll r, k a kept multiset and D dice, a turn is two walks over the same
lattice of keeps, one die at a time, once for each re-roll:

    E(k) = F(k) if |k| = D, else the mean over faces f of E(k + f)
    B(k) = max(E(k), max over faces f in k of B(k - f))             and the F of the roll before is B on rolls
    V    = sum over rolls r of P(r) * F(r)                          for the first roll

Both walks are done in place in one table, a row for each keep, a column for each of sixteen states (*lanes*). A
step is then "the mean, or the maximum, of a few rows". Numba cannot prove that two rows of one array do not
overlap, so its own loops stay scalar or check at every row; the row operations are therefore written as LLVM
vector code (`_fold` below), which made the turn three to four times faster.

All states with the same filled boxes share the same legal placements, so the list of options of each roll is made
once a mask and used for all its lanes.

Everything that calls each other is in this one file, because numba's cache does not notice a change elsewhere.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, call-arg"
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from solver.space import TIE

LANES = 16

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


# --- rows of lanes as LLVM vectors ------------------------------------------------------------------------------


def _row(context, builder, kind, array, row):
    """The address of a row of a C-ordered float64 array with LANES columns."""
    data = context.make_array(kind)(context, builder, array).data
    row = builder.sext(row, ir.IntType(64)) if row.type.width < 64 else row
    first = builder.gep(data, [builder.mul(row, ir.Constant(ir.IntType(64), LANES))])
    return builder.bitcast(first, ir.PointerType(_VECTOR))


def _load(builder, address):
    loaded = builder.load(address)
    loaded.align = 8
    return loaded


def _store(builder, vector, address):
    builder.store(vector, address).align = 8


def _spread(builder, scalar):
    """A scalar in every lane."""
    vector = ir.Constant(_VECTOR, ir.Undefined)
    for lane in range(LANES):
        vector = builder.insert_element(vector, scalar, ir.Constant(ir.IntType(32), lane))
    return vector


def _larger(builder, left, right):
    return builder.select(builder.fcmp_ordered(">", left, right), left, right)


def _edges(context, builder, kind, edges, start, end, start_kind, end_kind):
    """The reader of an edge list, and its bounds as 64-bit numbers."""
    data = context.make_array(kind)(context, builder, edges).data
    start = context.cast(builder, start, start_kind, types.int64)
    end = context.cast(builder, end, end_kind, types.int64)
    return (lambda position: builder.load(builder.gep(data, [position]))), start, end


def _fold(combine, *, own_row):
    """`target[row]` = `scale` times the source rows named by edges[start:end], combined two by two.

    With `own_row` the target's present row takes part too, and `scale` is not applied.
    """

    @intrinsic
    def fold(typing_context, target, row, source, edges, start, end, scale):
        signature = types.void(target, row, source, edges, start, end, scale)

        def generate(context, builder, signature, arguments):
            target_, row_, source_, edges_, start_, end_, scale_ = arguments
            kinds = signature.args
            edge, first, last = _edges(context, builder, kinds[3], edges_, start_, end_, kinds[4], kinds[5])

            def source_row(position):
                return _load(builder, _row(context, builder, kinds[2], source_, edge(position)))

            address = _row(context, builder, kinds[0], target_, row_)
            result = cgutils.alloca_once(builder, _VECTOR)
            one = ir.Constant(first.type, 1)
            if own_row:
                builder.store(_load(builder, address), result)
            else:
                builder.store(source_row(first), result)
                first = builder.add(first, one)
            with cgutils.for_range_slice(builder, first, last, one) as (position, _):
                builder.store(combine(builder, builder.load(result), source_row(position)), result)
            combined = builder.load(result)
            if not own_row:
                combined = builder.fmul(combined, _spread(builder, scale_))
            _store(builder, combined, address)
            return context.get_dummy_value()

        return signature, generate

    return fold


_sum_rows = _fold(lambda builder, left, right: builder.fadd(left, right), own_row=False)
_max_rows = _fold(_larger, own_row=False)
_raise_row = _fold(_larger, own_row=True)


@intrinsic
def _choose_row(typing_context, values, squares, row, from_values, from_squares, edges, start, end, tie):
    """Follow the best of the rows named by edges: its value to `values`, its square to `squares`.

    The row's present content is the first candidate, and a later one must be better by more than `tie`.
    """
    signature = types.void(values, squares, row, from_values, from_squares, edges, start, end, tie)

    def generate(context, builder, signature, arguments):
        values_, squares_, row_, from_values_, from_squares_, edges_, start_, end_, tie_ = arguments
        kinds = signature.args
        edge, first, last = _edges(context, builder, kinds[5], edges_, start_, end_, kinds[6], kinds[7])
        value_address = _row(context, builder, kinds[0], values_, row_)
        square_address = _row(context, builder, kinds[1], squares_, row_)
        value = cgutils.alloca_once(builder, _VECTOR)
        square = cgutils.alloca_once(builder, _VECTOR)
        builder.store(_load(builder, value_address), value)
        builder.store(_load(builder, square_address), square)
        margin = _spread(builder, tie_)
        with cgutils.for_range_slice(builder, first, last, ir.Constant(first.type, 1)) as (position, _):
            candidate = edge(position)
            new_value = _load(builder, _row(context, builder, kinds[3], from_values_, candidate))
            new_square = _load(builder, _row(context, builder, kinds[4], from_squares_, candidate))
            old_value = builder.load(value)
            better = builder.fcmp_ordered(">", new_value, builder.fadd(old_value, margin))
            builder.store(builder.select(better, new_square, builder.load(square)), square)
            builder.store(_larger(builder, new_value, old_value), value)
        _store(builder, builder.load(value), value_address)
        _store(builder, builder.load(square), square_address)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _weigh_rows(typing_context, target, row, source, first, weights, count):
    """`target[row]` = sum over i < count of weights[i] * source[first + i]."""
    signature = types.void(target, row, source, first, weights, count)

    def generate(context, builder, signature, arguments):
        target_, row_, source_, first_, weights_, count_ = arguments
        kinds = signature.args
        data = context.make_array(kinds[4])(context, builder, weights_).data
        first = context.cast(builder, first_, kinds[3], types.int64)
        count = context.cast(builder, count_, kinds[5], types.int64)
        result = cgutils.alloca_once(builder, _VECTOR)
        builder.store(ir.Constant(_VECTOR, [0.0] * LANES), result)
        zero, one = ir.Constant(count.type, 0), ir.Constant(count.type, 1)
        with cgutils.for_range_slice(builder, zero, count, one) as (position, _):
            weight = _spread(builder, builder.load(builder.gep(data, [position])))
            rolled = _load(builder, _row(context, builder, kinds[2], source_, builder.add(first, position)))
            builder.store(builder.fadd(builder.load(result), builder.fmul(weight, rolled)), result)
        _store(builder, builder.load(result), _row(context, builder, kinds[0], target_, row_))
        return context.get_dummy_value()

    return signature, generate


# --- one mask: where its options lead ---------------------------------------------------------------------------


@njit(**_OPTIONS)
def _squeeze(word, active):
    """The bits of `word` at the places of `active`, moved together."""
    result, place, bit = 0, 0, 0
    while active >> bit:
        if active >> bit & 1:
            result |= (word >> bit & 1) << place
            place += 1
        bit += 1
    return result


@njit(**_OPTIONS)
def _spread_bits(packed, active):
    """The inverse of `_squeeze`."""
    word, place, bit = 0, 0, 0
    while active >> bit:
        if active >> bit & 1:
            word |= (packed >> place & 1) << bit
            place += 1
        bit += 1
    return word


@njit(**_OPTIONS)
def _row_of_roll(plan, mask):
    """For each roll its row of `outcome_of`, given the filled boxes."""
    rows = np.arange(plan.chance.shape[0])
    for face in range(plan.faces):
        rows[plan.kind_roll[face]] = plan.kind_row[mask, face]
    return rows


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
def _unbroken(word, s, begun, scored):
    """Whether set s holds no zero after one more of its boxes was filled, 1 or 0."""
    return scored & word >> s if begun else scored


@njit(**_OPTIONS)
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
            word = _spread_bits(packed, active)
            bonus = 0.0
            for s in range(plan.set_mask.shape[0]):
                if plan.set_mask[s] & box_bit:
                    unbroken = _unbroken(word, s, mask & plan.set_mask[s] != 0, scored)
                    if after & plan.set_mask[s] == plan.set_mask[s]:
                        bonus = plan.set_points[s] * unbroken
                    word = word & ~(1 << s) | unbroken << s
            if box_bit == plan.wild_mask:
                word |= plan.wild_bit * scored
            position = _squeeze(word, plan.active[after])
            base[successor, packed] = plan.offset[after] + position * plan.lane_count[number_after]
            paid[successor, packed] = bonus
        for lane in range(plan.lane_count[number]):
            total = min(plan.lane_total[number, lane] + plan.successor_shift[successor], plan.threshold)
            lanes[successor, lane] = plan.lane_of_total[number_after, total]
    return words * plan.lane_count[number]


@njit(**_OPTIONS)
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
        scored[lane] = 1.0 if _spread_bits(word_of[lane], active) & plan.wild_bit else 0.0


@njit(**_OPTIONS)
def _gather(plan, mask, table, base, paid, lanes, word_of, number_of, successors):
    """What a table holds for each successor of each lane, with what a completed set pays."""
    for successor in range(plan.successor_box.shape[0]):
        if not mask >> plan.successor_box[successor] & 1:
            for lane in range(LANES):
                word = word_of[lane]
                found = table[base[successor, word] + lanes[successor, number_of[lane]]]
                successors[successor, lane] = found + paid[successor, word]


@njit(**_OPTIONS)
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


@njit(**_OPTIONS)
def _value_outcomes(plan, mask, successors, scored, outcomes):
    """Points now and to come of each outcome in an open box."""
    for outcome in range(plan.outcome_points.shape[0]):
        if not mask >> plan.outcome_box[outcome] & 1:
            successor = plan.outcome_successor[outcome]
            points, repeat = plan.outcome_points[outcome], plan.outcome_repeat[outcome]
            for lane in range(LANES):
                outcomes[outcome, lane] = successors[successor, lane] + (points + repeat * scored[lane])


@njit(**_OPTIONS)
def _bend(theta, points):
    """Exponential utility of points, with slope 1 at zero; for theta = 0 the points themselves."""
    return np.expm1(theta * points) / theta if theta and points > -np.inf else points


@njit(**_OPTIONS)
def _unbend(theta, utility):
    """The sure points that are worth a utility: the inverse of `_bend`."""
    return np.log1p(theta * utility) / theta if theta else utility


@njit(**_OPTIONS)
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
            outcomes[outcome, lane] = _bend(theta, outcomes[outcome, lane] - centre[lane])


# --- the two sweeps over masks ----------------------------------------------------------------------------------


@njit(**_OPTIONS)
def solve_masks(plan, masks, theta, values, rows, outcomes, successors):
    """Fill in the values of all states of the masks; the values of every larger mask must be there.

    With a `theta` other than zero the objective is exponential utility, and values are the sure points that are
    worth as much (see `solver.solve`).
    `rows` (keeps), `outcomes` (one row more than there are) and `successors` are workspace of LANES columns.
    """
    rolls = plan.chance.shape[0]
    keeps = plan.fewer_start.shape[0] - 1
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
                    _max_rows(rows, plan.first_roll + roll, outcomes, options, start, end, 1.0)
            for _ in range(plan.rolls - 1):
                for keep in range(plan.first_roll - 1, -1, -1):
                    start = keep * plan.faces
                    _sum_rows(rows, keep, rows, plan.more, start, start + plan.faces, 1.0 / plan.faces)
                for keep in range(1, keeps):
                    start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
                    _raise_row(rows, keep, rows, plan.fewer, start, end, 1.0)
            _weigh_rows(rows, 0, rows, plan.first_roll, plan.chance, rolls)
            place = plan.offset[mask] + first
            for lane in range(min(LANES, states - first)):
                values[place + lane] = centre[lane] + _unbend(theta, rows[0, lane])


@njit(**_OPTIONS)
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
                _choose_row(
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
                    _sum_rows(values_of_rows, keep, values_of_rows, plan.more, start, end, 1.0 / plan.faces)
                    _sum_rows(squares_of_rows, keep, squares_of_rows, plan.more, start, end, 1.0 / plan.faces)
                for keep in range(1, keeps):
                    start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
                    _choose_row(
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
            _weigh_rows(squares_of_rows, 0, squares_of_rows, plan.first_roll, plan.chance, rolls)
            for lane in range(min(LANES, states - first)):
                variances[place + lane] = squares_of_rows[0, lane]


# --- decisions as data ------------------------------------------------------------------------------------------


@njit(**_OPTIONS)
def _value_positions(plan, times, tables, theta, states, first, worth, facts):
    """What every placement is worth in the positions from `first` on, a lane each; the last one fills up the rest.

    A row of `worth` for each column and outcome, -inf where the box is filled. Fills in the facts of the positions
    too (see `decide_positions`). The plan is taken apart first: reaching into it in the loops is slow.
    """
    after, gain, event, kind_rows = facts
    offset, active, number_index, lane_count = plan.offset, plan.active, plan.number_index, plan.lane_count
    lane_total, lane_of_total, threshold, kind_row = plan.lane_total, plan.lane_of_total, plan.threshold, plan.kind_row
    outcome_box, outcome_successor = plan.outcome_box, plan.outcome_successor
    outcome_points, outcome_repeat = plan.outcome_points, plan.outcome_repeat
    successor_scored, successor_shift = plan.successor_scored, plan.successor_shift
    set_mask, set_points, wild_mask, wild_bit = plan.set_mask, plan.set_points, plan.wild_mask, plan.wild_bit
    boxes, outcomes, columns, count = plan.boxes, outcome_points.shape[0], states.shape[1], states.shape[0]
    set_of_box = np.full(boxes, -1, np.int64)
    for s in range(set_mask.shape[0]):
        for box in range(boxes):
            if set_mask[s] >> box & 1:
                set_of_box[box] = s
    masks, words, totals = np.empty(columns, np.int64), np.empty(columns, np.int64), np.empty(columns, np.int64)
    base, paid, number_after = np.empty((boxes, 2), np.int64), np.zeros((boxes, 2)), np.empty(boxes, np.int64)
    for lane in range(LANES):
        row = min(first + lane, count - 1)
        shared_mask, all_scored, whole = np.int64(-1), 1.0, 0.0
        for column in range(columns):
            state = states[row, column]
            mask = np.searchsorted(offset, state, side="right") - 1
            number = number_index[mask]
            packed = (state - offset[mask]) // lane_count[number]
            masks[column] = mask
            words[column] = _spread_bits(packed, active[mask])
            totals[column] = lane_total[number, state - offset[mask] - packed * lane_count[number]]
            shared_mask &= mask
            all_scored *= words[column] & wild_bit != 0
            whole += tables[column, state]
        for face in range(kind_rows.shape[1]):
            kind_rows[row, face] = kind_row[shared_mask, face]
        for column in range(columns):
            mask, word, factor = masks[column], words[column], times[column]
            others = whole - tables[column, states[row, column]] if columns > 1 else 0.0
            for box in range(boxes):
                box_bit = np.int64(1) << box
                mask_after = mask | box_bit
                if mask_after == mask:
                    continue
                s = set_of_box[box]
                number_after[box] = number_index[mask_after]
                for scored in range(2):
                    word_after = word
                    if s >= 0:
                        unbroken = _unbroken(word, s, mask & set_mask[s] != 0, scored)
                        completed = mask_after & set_mask[s] == set_mask[s]
                        paid[box, scored] = set_points[s] * unbroken if completed else 0.0
                        word_after = word & ~(1 << s) | unbroken << s
                    if box_bit == wild_mask and scored:
                        word_after |= wild_bit
                    position = _squeeze(word_after, active[mask_after])
                    base[box, scored] = offset[mask_after] + position * lane_count[number_after[box]]
            for outcome in range(outcomes):
                box = outcome_box[outcome]
                if mask >> box & 1:
                    worth[column * outcomes + outcome, lane] = -np.inf
                    after[row, column, outcome] = -1
                    continue
                successor = outcome_successor[outcome]
                scored = successor_scored[successor]
                total = min(totals[column] + successor_shift[successor], threshold)
                state = base[box, scored] + lane_of_total[number_after[box], total]
                bonus = outcome_repeat[outcome] * all_scored
                points, completed = outcome_points[outcome] + bonus, paid[box, scored]
                value = others + (tables[column, state] + factor * completed) + factor * points
                worth[column * outcomes + outcome, lane] = _bend(theta, value - whole) if theta else value
                after[row, column, outcome] = state
                gain[row, column, outcome] = int(factor * (points + completed))
                event[row, column, outcome] = int(bonus > 0.0) + 2 * int(completed > 0.0)


@njit(**_OPTIONS)
def decide_positions(plan, times, tables, theta, states, keep_of, choice_of, facts, work):
    """What play by value tables does in some positions, a row each, all of them with as many boxes filled.

    `states[row, column]` is the state of each column, counting once; `times` its multiplier; `tables[column, state]`
    what a column is still worth. `keep_of[row, n, roll]` will be the keep with n + 1 rolls left, and
    `choice_of[row, roll]` the placement with none, column * outcomes + outcome. Facts of a placement, by row, column
    and outcome: the state `after` it (-1 if the box is filled), the points it brings (`gain`) and its `event`, 1 for
    a repeat bonus and 2 for a completed set. `kind_rows` is the row of `outcome_of` for each roll of all dice alike.

    Ties go as in `measure_masks`; among columns to the first. A choice is carried through the walks as a number
    beside the value, in a workspace of its own.
    """
    worth, values_of_outcomes, choices_of_outcomes, values, choices = work
    rolls = plan.chance.shape[0]
    keeps = plan.fewer_start.shape[0] - 1
    outcomes, columns = plan.outcome_points.shape[0], states.shape[1]
    by_column = np.arange(outcomes * columns).reshape(columns, outcomes).T.copy().astype(np.int32).ravel()
    number_of_column_row = np.empty(worth.shape)
    for row in range(worth.shape[0]):
        number_of_column_row[row] = row
    options = plan.outcome_of.ravel()
    count = states.shape[0]
    for first in range(0, count, LANES):
        _value_positions(plan, times, tables, theta, states, first, worth, facts)
        for outcome in range(outcomes):
            start = outcome * columns
            for lane in range(LANES):
                values_of_outcomes[outcome, lane] = worth[outcome, lane]
                choices_of_outcomes[outcome, lane] = outcome
            if columns > 1:
                _choose_row(
                    values_of_outcomes,
                    choices_of_outcomes,
                    outcome,
                    worth,
                    number_of_column_row,
                    by_column,
                    start + 1,
                    start + columns,
                    TIE,
                )
        for roll in range(rolls):
            start = roll * plan.boxes
            for lane in range(LANES):
                values[plan.first_roll + roll, lane] = values_of_outcomes[options[start], lane]
                choices[plan.first_roll + roll, lane] = choices_of_outcomes[options[start], lane]
            _choose_row(
                values,
                choices,
                plan.first_roll + roll,
                values_of_outcomes,
                choices_of_outcomes,
                options,
                start + 1,
                start + plan.boxes,
                TIE,
            )
        _place_kinds(plan, facts[3], first, count, values_of_outcomes, choices_of_outcomes, values, choices)
        for lane in range(min(LANES, count - first)):
            for roll in range(rolls):
                choice_of[first + lane, roll] = int(choices[plan.first_roll + roll, lane])
        for n in range(plan.rolls - 1):
            for keep in range(plan.first_roll - 1, -1, -1):
                start = keep * plan.faces
                _sum_rows(values, keep, values, plan.more, start, start + plan.faces, 1.0 / plan.faces)
            for keep in range(keeps):
                for lane in range(LANES):
                    choices[keep, lane] = keep
            for keep in range(1, keeps):
                start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
                _choose_row(values, choices, keep, values, choices, plan.fewer, start, end, TIE)
            for lane in range(min(LANES, count - first)):
                for roll in range(rolls):
                    keep_of[first + lane, n, roll] = int(choices[plan.first_roll + roll, lane])


@njit(**_OPTIONS)
def _place_kinds(plan, kind_rows, first, count, values_of_outcomes, choices_of_outcomes, values, choices):
    """The best placement of each roll of all dice alike, which depends on the filled boxes of each lane."""
    for lane in range(LANES):
        for face in range(plan.faces):
            roll = plan.first_roll + plan.kind_roll[face]
            best, choice = -np.inf, 0.0
            for box in range(plan.boxes):
                outcome = plan.outcome_of[kind_rows[min(first + lane, count - 1), face], box]
                if outcome >= 0:
                    found = values_of_outcomes[outcome, lane]
                    if found > best + TIE:
                        choice = choices_of_outcomes[outcome, lane]
                    best = max(best, found)
            values[roll, lane] = best
            choices[roll, lane] = choice


def workspace(rows: int) -> npt.NDArray[np.float64]:
    """Rows of LANES columns, each starting on a cache line."""
    room = np.zeros(rows * LANES + 8)
    first = (-room.ctypes.data % 64) // 8
    return room[first : first + rows * LANES].reshape(rows, LANES)
