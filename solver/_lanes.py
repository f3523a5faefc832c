"""Rows of lanes as LLVM vectors, and the small functions that all kernels share.

The kernels work on tables with a row for each keep, placement or roll and a column for each of sixteen states
(*lanes*). Numba cannot prove that two rows of one array do not overlap, so its own loops stay scalar or check at every
row; the row operations are therefore written as LLVM vector code, which made the turn three to four times faster.

Numba's cache sees a change of the file a kernel is in, not of what it calls elsewhere: after a change in this file,
`make clean` empties the cache.
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

LANES = 16

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}


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


sum_rows = _fold(lambda builder, left, right: builder.fadd(left, right), own_row=False)
max_rows = _fold(_larger, own_row=False)
raise_row = _fold(_larger, own_row=True)


@intrinsic
def choose_row(typing_context, values, squares, row, from_values, from_squares, edges, start, end, tie):
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
def weigh_rows(typing_context, target, row, source, first, weights, count):
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


@intrinsic
def offer_row(typing_context, target, row, refused, cost):
    """`target[row]` = what is better: to pay `cost` for it, or the only row of `refused`."""
    signature = types.void(target, row, refused, cost)

    def generate(context, builder, signature, arguments):
        target_, row_, refused_, cost_ = arguments
        kinds = signature.args
        address = _row(context, builder, kinds[0], target_, row_)
        accepted = builder.fsub(_load(builder, address), _spread(builder, cost_))
        passing = _load(builder, _row(context, builder, kinds[2], refused_, ir.Constant(ir.IntType(64), 0)))
        _store(builder, _larger(builder, accepted, passing), address)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def place_row(typing_context, target, row, source, first, step, times, points, repeat, scored):
    """`target[row]` = the most of source[first + step * c] + times[c] * (points + repeat * scored[0]) over c."""
    signature = types.void(target, row, source, first, step, times, points, repeat, scored)

    def generate(context, builder, signature, arguments):
        target_, row_, source_, first_, step_, times_, points_, repeat_, scored_ = arguments
        kinds = signature.args
        factors = context.make_array(kinds[5])(context, builder, times_)
        zero, one = ir.Constant(ir.IntType(64), 0), ir.Constant(ir.IntType(64), 1)
        flags = _load(builder, _row(context, builder, kinds[8], scored_, zero))
        gain = builder.fadd(_spread(builder, points_), builder.fmul(_spread(builder, repeat_), flags))
        first = context.cast(builder, first_, kinds[3], types.int64)
        step = context.cast(builder, step_, kinds[4], types.int64)
        result = cgutils.alloca_once(builder, _VECTOR)
        builder.store(ir.Constant(_VECTOR, [float("-inf")] * LANES), result)
        count = builder.extract_value(factors.shape, 0)
        with cgutils.for_range_slice(builder, zero, count, one) as (column, _):
            factor = _spread(builder, builder.load(builder.gep(factors.data, [column])))
            place = builder.add(first, builder.mul(step, column))
            later = _load(builder, _row(context, builder, kinds[2], source_, place))
            worth = builder.fadd(later, builder.fmul(factor, gain))
            builder.store(_larger(builder, worth, builder.load(result)), result)
        _store(builder, builder.load(result), _row(context, builder, kinds[0], target_, row_))
        return context.get_dummy_value()

    return signature, generate


# --- bits and utilities ---------------------------------------------------------------------------------------


@njit(**OPTIONS)
def squeeze(word, active):
    """The bits of `word` at the places of `active`, moved together."""
    result, place, bit = 0, 0, 0
    while active >> bit:
        if active >> bit & 1:
            result |= (word >> bit & 1) << place
            place += 1
        bit += 1
    return result


@njit(**OPTIONS)
def spread_bits(packed, active):
    """The inverse of `squeeze`."""
    word, place, bit = 0, 0, 0
    while active >> bit:
        if active >> bit & 1:
            word |= (packed >> place & 1) << bit
            place += 1
        bit += 1
    return word


@njit(**OPTIONS)
def unbroken_set(word, s, begun, scored):
    """Whether set s holds no zero after one more of its boxes was filled, 1 or 0."""
    return scored & word >> s if begun else scored


@njit(**OPTIONS)
def bend(theta, points):
    """Exponential utility of points, with slope 1 at zero; for theta = 0 the points themselves."""
    return np.expm1(theta * points) / theta if theta and points > -np.inf else points


@njit(**OPTIONS)
def unbend(theta, utility):
    """The sure points that are worth a utility: the inverse of `bend`."""
    return np.log1p(theta * utility) / theta if theta else utility


@njit(**OPTIONS)
def expect_keeps(plan, rows):
    """From what rolls are worth to what keeps are worth, the mean over the dice thrown again."""
    for keep in range(plan.first_roll - 1, -1, -1):
        start = keep * plan.faces
        sum_rows(rows, keep, rows, plan.more, start, start + plan.faces, 1.0 / plan.faces)


@njit(**OPTIONS)
def raise_keeps(plan, rows):
    """From what keeps are worth to what the best part of each is worth."""
    for keep in range(1, plan.fewer_start.shape[0] - 1):
        start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
        raise_row(rows, keep, rows, plan.fewer, start, end, 1.0)


@njit(**OPTIONS)
def reroll(plan, rows):
    """One re-roll in place: from what rolls are worth after it to what the best keep of each roll (and of each smaller
    keep) is worth before it."""
    expect_keeps(plan, rows)
    raise_keeps(plan, rows)


def workspace(rows: int) -> npt.NDArray[np.float64]:
    """Rows of LANES columns, each starting on a cache line."""
    room = np.zeros(rows * LANES + 8)
    first = (-room.ctypes.data % 64) // 8
    return room[first : first + rows * LANES].reshape(rows, LANES)
