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
                    unbroken = scored
                    if mask & plan.set_mask[s]:
                        unbroken &= word >> s & 1
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


# --- the two sweeps over masks ----------------------------------------------------------------------------------


@njit(**_OPTIONS)
def solve_masks(plan, masks, values, rows, outcomes, successors):
    """Fill in the values of all states of the masks; the values of every larger mask must be there.

    `rows` (keeps), `outcomes` (one row more than there are) and `successors` are workspace of LANES columns.
    """
    rolls = plan.chance.shape[0]
    keeps = plan.fewer_start.shape[0] - 1
    options = np.empty(rolls * (plan.boxes + 1) + 1, dtype=np.int32)
    options_start = np.empty(rolls + 1, dtype=np.int32)
    base = np.empty((successors.shape[0], 1 << (plan.set_mask.shape[0] + 1)), dtype=np.int64)
    paid = np.empty(base.shape)
    lanes = np.empty((successors.shape[0], plan.lane_total.shape[1]), dtype=np.int32)
    word_of, number_of, scored = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES)
    for mask in masks:
        states = _follow_successors(plan, mask, base, paid, lanes)
        _list_worthwhile(plan, mask, options, options_start)
        for first in range(0, states, LANES):
            _place_lanes(plan, mask, first, states, word_of, number_of, scored)
            _gather(plan, mask, values, base, paid, lanes, word_of, number_of, successors)
            _best_zero(plan, mask, successors, outcomes)
            _value_outcomes(plan, mask, successors, scored, outcomes)
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
                values[place + lane] = rows[0, lane]


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


# --- the policy as data -----------------------------------------------------------------------------------------


@njit(**_OPTIONS)
def policy_of_masks(plan, masks, values, wanted, keep_of, outcome_of, expected, best, outcomes, successors):
    """What optimal play does in the states of the masks, one row a state, where `wanted` says so.

    `keep_of[row, n, roll]` is the keep with n + 1 rolls left and `outcome_of[row, roll]` the outcome with none.
    `expected` and `best` are a workspace for each re-roll: what keeps are worth, and the best part of each.
    """
    rolls = plan.chance.shape[0]
    keeps = plan.fewer_start.shape[0] - 1
    options = np.empty(rolls * plan.boxes, dtype=np.int32)
    options_start = np.empty(rolls + 1, dtype=np.int32)
    base = np.empty((successors.shape[0], 1 << (plan.set_mask.shape[0] + 1)), dtype=np.int64)
    paid = np.empty(base.shape)
    lanes = np.empty((successors.shape[0], plan.lane_total.shape[1]), dtype=np.int32)
    word_of, number_of, scored = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES)
    row = 0
    for mask in masks:
        states = _follow_successors(plan, mask, base, paid, lanes)
        _list_all(plan, mask, options, options_start)
        for first in range(0, states, LANES):
            _place_lanes(plan, mask, first, states, word_of, number_of, scored)
            _gather(plan, mask, values, base, paid, lanes, word_of, number_of, successors)
            _value_outcomes(plan, mask, successors, scored, outcomes)
            for roll in range(rolls):
                start, end = options_start[roll], options_start[roll + 1]
                _max_rows(expected[0], plan.first_roll + roll, outcomes, options, start, end, 1.0)
            for n in range(plan.rolls - 1):
                kept, reach = expected[n], best[n]
                for keep in range(plan.first_roll - 1, -1, -1):
                    start = keep * plan.faces
                    _sum_rows(kept, keep, kept, plan.more, start, start + plan.faces, 1.0 / plan.faces)
                reach[:] = kept
                for keep in range(1, keeps):
                    _raise_row(reach, keep, reach, plan.fewer, plan.fewer_start[keep], plan.fewer_start[keep + 1], 1.0)
                if n + 2 < plan.rolls:
                    expected[n + 1, plan.first_roll :] = reach[plan.first_roll :]
            for lane in range(min(LANES, states - first)):
                if wanted[row]:
                    for roll in range(rolls):
                        for n in range(plan.rolls - 1):
                            keep_of[row, n, roll] = _choose_keep(plan, expected[n], best[n], lane, roll)
                        limit = expected[0, plan.first_roll + roll, lane] - TIE
                        option = options_start[roll]
                        while outcomes[options[option], lane] < limit:
                            option += 1
                        outcome_of[row, roll] = options[option]
                row += 1


@njit(**_OPTIONS)
def _choose_keep(plan, kept, reach, lane, roll):
    """Put back the lowest die that still leaves a best keep, until a best keep is reached."""
    keep = plan.first_roll + roll
    limit = reach[keep, lane] - TIE
    while kept[keep, lane] < limit:
        entry = plan.fewer_start[keep]
        while reach[plan.fewer[entry], lane] < limit:
            entry += 1
        keep = plan.fewer[entry]
    return keep


@njit(**_OPTIONS)
def steps_of_masks(plan, masks, after, gain, repeats, completes):
    """Where each outcome leads from the states of the masks, one row a state.

    For an outcome in an open box: the state `after` it, the points it brings (`gain`, bonuses included), whether a
    repeat bonus is among them and whether it `completes` a set that pays.
    """
    count = plan.successor_box.shape[0]
    base = np.empty((count, 1 << (plan.set_mask.shape[0] + 1)), dtype=np.int64)
    paid = np.empty(base.shape)
    lanes = np.empty((count, plan.lane_total.shape[1]), dtype=np.int32)
    row = 0
    for mask in masks:
        number_lanes = plan.lane_count[plan.number_index[mask]]
        for state in range(_follow_successors(plan, mask, base, paid, lanes)):
            word = state // number_lanes
            number = state - word * number_lanes
            scored = _spread_bits(word, plan.active[mask]) & plan.wild_bit != 0
            for outcome in range(plan.outcome_points.shape[0]):
                if not mask >> plan.outcome_box[outcome] & 1:
                    successor = plan.outcome_successor[outcome]
                    bonus = plan.outcome_repeat[outcome] if scored else 0.0
                    after[row, outcome] = base[successor, word] + lanes[successor, number]
                    gain[row, outcome] = int(plan.outcome_points[outcome] + bonus + paid[successor, word])
                    repeats[row, outcome] = bonus > 0.0
                    completes[row, outcome] = paid[successor, word] > 0.0
            row += 1


def workspace(rows: int) -> npt.NDArray[np.float64]:
    """Rows of LANES columns, each starting on a cache line."""
    room = np.zeros(rows * LANES + 8)
    first = (-room.ctypes.data % 64) // 8
    return room[first : first + rows * LANES].reshape(rows, LANES)
