"""The turn, exactly, for positions of any number of columns: valued, decided, played, and learned from.

A position is the state of each column (`solver.space`, the column counting once). What it is worth after a turn comes
from a *source* of four parts (`solver.policy.Source`), the first that has it:

- `nest`: exact values of every position that can follow a certain one (`solver.endgame`);
- `book`: exact values of all positions with few open boxes (`solver.endgame`);
- `later[column, state]`, added up over the columns, and the `joint` tables of filled boxes (`solver.joint`).

Sixteen positions go through a turn together, a lane each (`solver._lanes`).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, call-arg, assignment"
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from solver._lanes import (
    LANES,
    OPTIONS,
    bend,
    choose_row,
    expect_keeps,
    max_rows,
    offer_row,
    place_row,
    raise_keeps,
    spread_bits,
    squeeze,
    sum_rows,
    unbroken_set,
    weigh_rows,
    workspace,
)
from solver.space import TIE, Plan

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


class Work(NamedTuple):
    """Workspace of one thread; the rows have a column for each lane."""

    afters: Floats  # [column * successors + successor], what the position after it is worth
    states: Ints  # the same, the column's state
    paid: Floats  # the same, what a completed set pays, before the multiplier
    scored: Floats  # one row, 1 where every wild box holds points
    kind_rows: Ints  # [lane, face - 1], the row of `outcome_of` of each roll of all dice alike
    best: Floats  # [outcome], the best over columns
    worth: Floats  # [column * outcomes + outcome]
    numbers: Floats  # [column * outcomes + outcome], its own number
    choices: Floats  # [outcome]
    values: Floats  # [keep]
    keeps: Floats  # [keep]
    kept: Floats  # [re-roll, keep], what a keep is worth; the last re-roll of a turn first
    reach: Floats  # [re-roll, keep], what the best part of a keep is worth


def make_work(plan: Plan, columns: int) -> Work:
    """Workspace for positions of so many columns."""
    outcomes, successors = len(plan.outcome_points), columns * len(plan.successor_box)
    keeps, rerolls = len(plan.fewer_start) - 1, max(1, plan.rolls - 1)
    numbers = workspace(columns * outcomes)
    numbers[:] = np.arange(columns * outcomes)[:, None]
    return Work(
        afters=workspace(successors),
        states=np.zeros((successors, LANES), dtype=np.int32),
        paid=workspace(successors),
        scored=workspace(1),
        kind_rows=np.zeros((LANES, plan.faces), dtype=np.int32),
        best=workspace(outcomes),
        worth=workspace(columns * outcomes),
        numbers=numbers,
        choices=workspace(outcomes),
        values=workspace(keeps),
        keeps=workspace(keeps),
        kept=workspace(rerolls * keeps).reshape(rerolls, keeps, LANES),
        reach=workspace(rerolls * keeps).reshape(rerolls, keeps, LANES),
    )


# --- what follows a position ------------------------------------------------------------------------------------


@njit(**OPTIONS)
def _index_joint(joint, masks, alive, index):
    """Where each group of rows finds its value for the filled boxes of all columns."""
    _, group_bits, group_open, _, group_rows, group_outside, group_alive, group_start = joint
    for g in range(group_rows.shape[0]):
        bits, outside = np.int64(0), np.int64(0)
        for column in range(masks.shape[0]):
            bits |= group_bits[g, masks[column]] << (column * group_rows[g])
            outside += group_open[g, masks[column]]
        state_alive = alive if group_alive[g] > 1 else 0
        index[g] = group_start[g] + (bits * group_alive[g] + state_alive) * group_outside[g] + outside


@njit(**OPTIONS)
def _index_book(plan, book, masks, states, column, mask_after, state_after):
    """Where the book has a position after a placement: by its open boxes, then by the states of its columns."""
    _, start, choose, _ = book
    rank, opened, place = np.int64(0), 0, np.int64(0)
    for other in range(masks.shape[0]):
        mask = mask_after if other == column else masks[other]
        state = state_after if other == column else np.int64(states[other])
        open_boxes = ~mask & ((np.int64(1) << plan.boxes) - 1)
        box = other * plan.boxes
        while open_boxes:
            if open_boxes & 1:
                opened += 1
                rank += choose[box, opened]
            open_boxes >>= 1
            box += 1
        following = plan.offset[mask + 1] if mask + 1 < plan.offset.shape[0] else np.int64(plan.states)
        place = place * (following - plan.offset[mask]) + state - plan.offset[mask]
    first = np.int64(0)
    for fewer in range(opened):
        first += choose[masks.shape[0] * plan.boxes, fewer]
    return start[first + rank] + place


@njit(**OPTIONS)
def _follow(plan, times, source, states, first, work):
    """What the positions from `first` on lead to, a lane each; the last one fills up the rest. See `Work`.

    The plan is taken apart first: reaching into it in the loops is slow.
    """
    offset, active, number_index, lane_count = plan.offset, plan.active, plan.number_index, plan.lane_count
    lane_total, lane_of_total, threshold, kind_row = plan.lane_total, plan.lane_of_total, plan.threshold, plan.kind_row
    successor_box, successor_scored, successor_shift = plan.successor_box, plan.successor_scored, plan.successor_shift
    set_mask, set_points, wild_mask, wild_bit = plan.set_mask, plan.set_points, plan.wild_mask, plan.wild_bit
    afters, after_states, paid = work.afters, work.states, work.paid
    later, joint, book, nest = source
    table, _, _, group_step, group_rows, group_outside, group_alive, _ = joint
    book_values, _, _, book_boxes = book
    nest_values, nest_local, nest_stride = nest
    in_nest = nest_values.shape[0] > 0
    groups, successors = group_rows.shape[0], successor_box.shape[0]
    boxes, columns, count = plan.boxes, states.shape[1], states.shape[0]
    set_of_box = np.full(boxes, -1, np.int64)
    for s in range(set_mask.shape[0]):
        for box in range(boxes):
            if set_mask[s] >> box & 1:
                set_of_box[box] = s
    masks, words, totals = np.empty(columns, np.int64), np.empty(columns, np.int64), np.empty(columns, np.int64)
    base, extra, number_after = np.empty((boxes, 2), np.int64), np.zeros((boxes, 2)), np.empty(boxes, np.int64)
    completed = np.zeros((boxes, 2))
    index = np.empty(groups, np.int64)
    for lane in range(LANES):
        row = min(first + lane, count - 1)
        if first + lane >= count:
            for following in range(columns * successors):
                afters[following, lane] = afters[following, lane - 1]
            work.scored[0, lane] = work.scored[0, lane - 1]
            work.kind_rows[lane] = work.kind_rows[lane - 1]
            continue
        shared_mask, scored_everywhere, alive, opened = np.int64(-1), 1.0, np.int64(1), 0
        nested = np.int64(0)
        for column in range(columns):
            state = states[row, column]
            mask = np.searchsorted(offset, state, side="right") - 1
            number = number_index[mask]
            packed = (state - offset[mask]) // lane_count[number]
            masks[column] = mask
            words[column] = spread_bits(packed, active[mask])
            totals[column] = lane_total[number, state - offset[mask] - packed * lane_count[number]]
            shared_mask &= mask
            if not words[column] & wild_bit:
                scored_everywhere = 0.0
                if mask & wild_mask:
                    alive = 0
            for box in range(boxes):
                opened += ~mask >> box & 1
            if in_nest:
                nested += nest_stride[column] * nest_local[column, state]
        work.scored[0, lane] = scored_everywhere
        in_book = opened - 1 <= book_boxes
        if not in_nest and not in_book:
            _index_joint(joint, masks, alive, index)
        for face in range(work.kind_rows.shape[1]):
            work.kind_rows[lane, face] = kind_row[shared_mask, face]
        for column in range(columns):
            mask, word = masks[column], words[column]
            others = 0.0
            if not in_nest and not in_book:
                for other in range(columns):
                    others += later[other, states[row, other]] if other != column else 0.0
            for box in range(boxes):
                box_bit = np.int64(1) << box
                mask_after = mask | box_bit
                if mask_after == mask:
                    continue
                s = set_of_box[box]
                number_after[box] = number_index[mask_after]
                together = others
                if not in_nest and not in_book:
                    for g in range(groups):
                        step = group_step[g, box]
                        together += table[index[g] + (step << (column * group_rows[g]) if step >= 0 else step)]
                for scored in range(2):
                    word_after = word
                    if s >= 0:
                        unbroken = unbroken_set(word, s, mask & set_mask[s] != 0, scored)
                        full = mask_after & set_mask[s] == set_mask[s]
                        completed[box, scored] = set_points[s] * unbroken if full else 0.0
                        word_after = word & ~(1 << s) | unbroken << s
                    if box_bit == wild_mask and scored:
                        word_after |= wild_bit
                    position = squeeze(word_after, active[mask_after])
                    base[box, scored] = offset[mask_after] + position * lane_count[number_after[box]]
                    extra[box, scored] = together
                if box_bit == wild_mask and alive and not in_nest and not in_book:
                    for g in range(groups):
                        if group_alive[g] > 1:
                            step = group_step[g, box]
                            after = index[g] + (step << (column * group_rows[g]) if step >= 0 else step)
                            extra[box, 0] += table[after - group_outside[g]] - table[after]
            for successor in range(successors):
                box = successor_box[successor]
                following = column * successors + successor
                if mask >> box & 1:
                    afters[following, lane] = -np.inf
                    after_states[following, lane] = -1
                    continue
                scored = successor_scored[successor]
                total = min(totals[column] + successor_shift[successor], threshold)
                state = base[box, scored] + lane_of_total[number_after[box], total]
                if in_nest:
                    moved = np.int64(nest_local[column, state]) - nest_local[column, states[row, column]]
                    worth = nest_values[nested + nest_stride[column] * moved]
                elif in_book:
                    mask_after = mask | np.int64(1) << box
                    worth = book_values[_index_book(plan, book, masks, states[row], column, mask_after, state)]
                else:
                    worth = later[column, state] + extra[box, scored]
                afters[following, lane] = worth + times[column] * completed[box, scored]
                after_states[following, lane] = state
                paid[following, lane] = completed[box, scored]


@njit(**OPTIONS)
def _value_turn(plan, times, source, price, states, first, work):
    """Everything a turn is worth for the positions from `first` on; leaves it in `work.reach`, and what the
    positions are worth before the turn in the first row of `work.values`."""
    successors, last = plan.successor_box.shape[0], work.reach[0]
    options = plan.outcome_of.ravel()
    _follow(plan, times, source, states, first, work)
    for outcome in range(plan.outcome_points.shape[0]):
        successor = plan.outcome_successor[outcome]
        points, repeat = plan.outcome_points[outcome], plan.outcome_repeat[outcome]
        place_row(work.best, outcome, work.afters, successor, successors, times, points, repeat, work.scored)
    for roll in range(plan.chance.shape[0]):
        start = roll * plan.boxes
        max_rows(last, plan.first_roll + roll, work.best, options, start, start + plan.boxes, 1.0)
    for lane in range(LANES):
        for face in range(plan.faces):
            kind = -np.inf
            for box in range(plan.boxes):
                outcome = plan.outcome_of[work.kind_rows[lane, face], box]
                if outcome >= 0:
                    kind = max(kind, work.best[outcome, lane])
            last[plan.first_roll + plan.kind_roll[face], lane] = kind
    if price.shape[0]:
        for lane in range(LANES):
            work.values[1, lane] = source[0][0, states[min(first + lane, states.shape[0] - 1), 0]]
        passing = work.values[1:2]
        for roll in range(plan.chance.shape[0]):
            offer_row(last, plan.first_roll + roll, passing, price[roll])


@njit(**OPTIONS)
def _reroll_all(plan, work):
    """The re-rolls of a turn, each in a table of its own."""
    for n in range(plan.rolls - 1):
        if n:
            work.reach[n, plan.first_roll :] = work.reach[n - 1, plan.first_roll :]
        expect_keeps(plan, work.reach[n])
        work.kept[n] = work.reach[n]
        raise_keeps(plan, work.reach[n])
    weigh_rows(work.values, 0, work.reach[max(0, plan.rolls - 2)], plan.first_roll, plan.chance, plan.chance.shape[0])


@njit(**OPTIONS)
def value_positions(plan, times, source, states, values, finals, work):
    """What some positions are worth before their turn; and what each final roll is worth then, if `finals[row, roll]`
    has rows."""
    price = np.empty(0)
    for first in range(0, states.shape[0], LANES):
        _value_turn(plan, times, source, price, states, first, work)
        here = min(LANES, states.shape[0] - first)
        for lane in range(here if finals.shape[0] else 0):
            for roll in range(finals.shape[1]):
                finals[first + lane, roll] = work.reach[0, plan.first_roll + roll, lane]
        _reroll_all(plan, work)
        for lane in range(here):
            values[first + lane] = work.values[0, lane]


@njit(**OPTIONS)
def play_positions(plan, times, source, price, states, throws, values, rolls, choices, gains, events, work):
    """Value and play a turn of some positions with the dice `throws[row, roll, die]` (faces from 0).

    `values[row]` becomes what the position is worth before the turn, exactly within it, `rolls[row]` the final roll,
    `choices[row]` the placement (column * outcomes + outcome, -1 for passing), `gains[row]` what it brings and
    `events[row]` what happens with it (see `decide_positions`, which has the same ties); the states move on. With a
    `price` a placement costs `price[roll]`, and a position of one column may pass
    (`solver.prices`).
    """
    outcomes, successors = plan.outcome_points.shape[0], plan.successor_box.shape[0]
    for first in range(0, states.shape[0], LANES):
        _value_turn(plan, times, source, price, states, first, work)
        _reroll_all(plan, work)
        for lane in range(min(LANES, states.shape[0] - first)):
            row = first + lane
            values[row] = work.values[0, lane]
            keep = 0
            for again in range(plan.rolls):
                die = 0
                while keep < plan.first_roll:
                    keep = plan.more[keep * plan.faces + throws[row, again, die]]
                    die += 1
                if again < plan.rolls - 1:
                    keep = _best_part(plan, work, plan.rolls - 2 - again, keep, lane)
            rolls[row] = keep - plan.first_roll
            refused = work.values[1, lane] + price[rolls[row]] if price.shape[0] else -np.inf
            choice = _best_placement(plan, times, work, lane, rolls[row], refused)
            choices[row], gains[row], events[row] = choice, 0.0, 0
            if choice >= 0:
                column = choice // outcomes
                outcome = choice - column * outcomes
                following = column * successors + plan.outcome_successor[outcome]
                bonus = plan.outcome_repeat[outcome] * work.scored[0, lane]
                completed = work.paid[following, lane]
                gains[row] = times[column] * (plan.outcome_points[outcome] + bonus + completed)
                events[row] = int(bonus > 0.0) + 2 * int(completed > 0.0)
                states[row, column] = work.states[following, lane]


@njit(**OPTIONS)
def _best_part(plan, work, n, keep, lane):
    """The dice to keep of some that lie there."""
    while True:
        best, chosen = work.kept[n, keep, lane], keep
        for entry in range(plan.fewer_start[keep], plan.fewer_start[keep + 1]):
            part = np.int64(plan.fewer[entry])
            found = work.reach[n, part, lane]
            if found > best + TIE:
                chosen = part
            best = max(best, found)
        if chosen == keep:
            return keep
        keep = chosen


@njit(**OPTIONS)
def _best_placement(plan, times, work, lane, roll, refused):
    """Where a final roll goes; -1 if nothing is better than what is `refused` for it."""
    outcomes, successors = plan.outcome_points.shape[0], plan.successor_box.shape[0]
    row = np.int64(roll)
    for face in range(plan.faces):
        if plan.kind_roll[face] == roll:
            row = np.int64(work.kind_rows[lane, face])
    best, choice = refused, np.int64(-1)
    for box in range(plan.boxes):
        outcome = plan.outcome_of[row, box]
        if outcome < 0:
            continue
        points = plan.outcome_points[outcome] + plan.outcome_repeat[outcome] * work.scored[0, lane]
        found, chosen = -np.inf, np.int64(0)
        for column in range(times.shape[0]):
            worth = work.afters[column * successors + plan.outcome_successor[outcome], lane] + times[column] * points
            if worth > found + TIE:
                chosen = column * outcomes + outcome
            found = max(found, worth)
        if found > best + TIE:
            choice = chosen
        best = max(best, found)
    return choice


# --- decisions as data ------------------------------------------------------------------------------------------


@njit(**OPTIONS)
def decide_positions(plan, times, source, theta, states, keep_of, choice_of, facts, work):
    """What play by a source does in some positions, a row each, all of them with as many boxes filled.

    `keep_of[row, n, roll]` will be the keep with n + 1 rolls left, and `choice_of[row, roll]` the placement with none,
    column * outcomes + outcome. Facts of a placement, by row, column and outcome: the state `after` it (-1 if the box
    is filled), the points it brings (`gain`) and its `event`, 1 for a repeat bonus and 2 for a completed set.
    `kind_rows` is the row of `outcome_of` for each roll of all dice alike.

    Ties go as in `solver._kernels.measure_masks`; among columns to the first. A choice is carried through the walks as
    a number beside the value, in a workspace of its own.
    """
    after, gain, event, kind_rows = facts
    outcome_successor, outcome_points, outcome_repeat = plan.outcome_successor, plan.outcome_points, plan.outcome_repeat
    worth, values_of_outcomes, choices_of_outcomes, values, choices = (
        work.worth,
        work.best,
        work.choices,
        work.values,
        work.keeps,
    )
    rolls = plan.chance.shape[0]
    keeps = plan.fewer_start.shape[0] - 1
    outcomes, columns, successors = plan.outcome_points.shape[0], states.shape[1], plan.successor_box.shape[0]
    by_column = np.arange(outcomes * columns).reshape(columns, outcomes).T.copy().astype(np.int32).ravel()
    options = plan.outcome_of.ravel()
    count = states.shape[0]
    for first in range(0, count, LANES):
        _follow(plan, times, source, states, first, work)
        here = min(LANES, count - first)
        for column in range(columns):
            factor = times[column]
            for outcome in range(outcomes):
                following = column * successors + outcome_successor[outcome]
                points, repeat = outcome_points[outcome], outcome_repeat[outcome]
                for lane in range(LANES):
                    gained = factor * (points + repeat * work.scored[0, lane])
                    worth[column * outcomes + outcome, lane] = work.afters[following, lane] + gained
            for lane in range(here):
                row, all_scored = first + lane, work.scored[0, lane]
                for outcome in range(outcomes):
                    following = column * successors + outcome_successor[outcome]
                    bonus, completed = outcome_repeat[outcome] * all_scored, work.paid[following, lane]
                    after[row, column, outcome] = work.states[following, lane]
                    gain[row, column, outcome] = int(factor * (outcome_points[outcome] + bonus + completed))
                    event[row, column, outcome] = int(bonus > 0.0) + 2 * int(completed > 0.0)
        kind_rows[first : first + here] = work.kind_rows[:here]
        if theta:
            _bend_worth(theta, source[0], states, first, worth)
        for outcome in range(outcomes):
            start = outcome * columns
            for lane in range(LANES):
                values_of_outcomes[outcome, lane] = worth[outcome, lane]
                choices_of_outcomes[outcome, lane] = outcome
            if columns > 1:
                choose_row(
                    values_of_outcomes,
                    choices_of_outcomes,
                    outcome,
                    worth,
                    work.numbers,
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
            choose_row(
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
        _place_kinds(plan, work)
        for lane in range(here):
            for roll in range(rolls):
                choice_of[first + lane, roll] = int(choices[plan.first_roll + roll, lane])
        for n in range(plan.rolls - 1):
            for keep in range(plan.first_roll - 1, -1, -1):
                start = keep * plan.faces
                sum_rows(values, keep, values, plan.more, start, start + plan.faces, 1.0 / plan.faces)
            for keep in range(keeps):
                for lane in range(LANES):
                    choices[keep, lane] = keep
            for keep in range(1, keeps):
                start, end = plan.fewer_start[keep], plan.fewer_start[keep + 1]
                choose_row(values, choices, keep, values, choices, plan.fewer, start, end, TIE)
            for lane in range(here):
                for roll in range(rolls):
                    keep_of[first + lane, n, roll] = int(choices[plan.first_roll + roll, lane])


@njit(**OPTIONS)
def _bend_worth(theta, later, states, first, worth):
    """Turn what placements are worth into utilities, around what the columns are worth as they are."""
    for lane in range(LANES):
        whole = 0.0
        for column in range(states.shape[1]):
            whole += later[column, states[min(first + lane, states.shape[0] - 1), column]]
        for placement in range(worth.shape[0]):
            worth[placement, lane] = bend(theta, worth[placement, lane] - whole)


@njit(**OPTIONS)
def _place_kinds(plan, work):
    """The best placement of each roll of all dice alike, which depends on the filled boxes of each lane."""
    for lane in range(LANES):
        for face in range(plan.faces):
            roll = plan.first_roll + plan.kind_roll[face]
            best, choice = -np.inf, 0.0
            for box in range(plan.boxes):
                outcome = plan.outcome_of[work.kind_rows[lane, face], box]
                if outcome >= 0:
                    found = work.best[outcome, lane]
                    if found > best + TIE:
                        choice = work.choices[outcome, lane]
                    best = max(best, found)
            work.values[roll, lane] = best
            work.keeps[roll, lane] = choice


@njit(**OPTIONS)
def following_states(plan, state):
    """The states that a column can get into from one, itself included, in no special order."""
    found = [np.int64(state)]
    known = {np.int64(state)}
    place = 0
    while place < len(found):
        state = found[place]
        place += 1
        mask = np.searchsorted(plan.offset, state, side="right") - 1
        number = plan.number_index[mask]
        packed = (state - plan.offset[mask]) // plan.lane_count[number]
        word = spread_bits(packed, plan.active[mask])
        total = plan.lane_total[number, state - plan.offset[mask] - packed * plan.lane_count[number]]
        for successor in range(plan.successor_box.shape[0]):
            box_bit = np.int64(1) << plan.successor_box[successor]
            if mask & box_bit:
                continue
            mask_after, word_after, scored = mask | box_bit, word, plan.successor_scored[successor]
            for s in range(plan.set_mask.shape[0]):
                if plan.set_mask[s] & box_bit:
                    unbroken = unbroken_set(word, s, mask & plan.set_mask[s] != 0, scored)
                    word_after = word & ~(1 << s) | unbroken << s
            if box_bit == plan.wild_mask and scored:
                word_after |= plan.wild_bit
            number_after = plan.number_index[mask_after]
            lane = plan.lane_of_total[number_after, min(total + plan.successor_shift[successor], plan.threshold)]
            position = squeeze(word_after, plan.active[mask_after])
            after = np.int64(plan.offset[mask_after] + position * plan.lane_count[number_after] + lane)
            if after not in known:
                known.add(after)
                found.append(after)
    return np.array(found)


# --- learning ---------------------------------------------------------------------------------------------------


@njit(**OPTIONS)
def learn_positions(plan, now, now_seen, joint, joint_seen, states, targets, rate):
    """Move the tables towards the targets of some positions, one after the other.

    Each table takes an equal part of the error, times the rate, times the coherence of the entry's errors so far: the
    size of their sum over the sum of their sizes, both remembered in the `seen` arrays. An entry whose errors have one
    sign moves at full rate, one that has come to rest hardly moves (temporal coherence, Beal and Smith 1999).
    """
    table = joint[0]
    groups, columns = joint[4].shape[0], states.shape[1]
    masks, index = np.empty(columns, np.int64), np.empty(groups, np.int64)
    for row in range(states.shape[0]):
        alive, expected = np.int64(1), 0.0
        for column in range(columns):
            state = states[row, column]
            mask = np.searchsorted(plan.offset, state, side="right") - 1
            packed = (state - plan.offset[mask]) // plan.lane_count[plan.number_index[mask]]
            masks[column] = mask
            if mask & plan.wild_mask and not spread_bits(packed, plan.active[mask]) & plan.wild_bit:
                alive = 0
            expected += now[column, state]
        _index_joint(joint, masks, alive, index)
        for g in range(groups):
            expected += table[index[g]]
        error = targets[row] - expected
        share = error / (columns + groups)
        for column in range(columns):
            state = states[row, column]
            total, size = now_seen[column, state, 0], now_seen[column, state, 1]
            coherence = abs(total) / size if size > 0.0 else 1.0
            now[column, state] += rate * coherence * share
            now_seen[column, state, 0] = total + share
            now_seen[column, state, 1] = size + abs(share)
        for g in range(groups):
            total, size = joint_seen[index[g], 0], joint_seen[index[g], 1]
            coherence = abs(total) / size if size > 0.0 else 1.0
            table[index[g]] += rate * coherence * share
            joint_seen[index[g], 0] = total + share
            joint_seen[index[g], 1] = size + abs(share)
