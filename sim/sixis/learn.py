"""Learning to play a deal: solve against chances, play, estimate the chances anew, until it settles.

The first chances come from rounds of hand-written players, `greedy` and `patient`; then rounds of the learned players
are added, again and again, and all rounds count alike. Rounds of the learned players alone would be no guide: players
who only know each other learn to wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from sim.sixis.play import count_rounds, round_key
from sim.sixis.table import Counts, Seat, Table
from solver.sixis.deal import Deal
from solver.sixis.model import Chances, Model, solve_model
from solver.sixis.ways import View, greedy, patient

SETTLING = 3
"""Times that the learned players play and the chances are estimated anew."""
ROUNDS = 4_000
_PRIOR = 20.0
"""Cases in which a stage leans on all stages together; a case of a card counts for up to four."""

Floats = npt.NDArray[np.float64]


def weigh_others(players: int, *, teams: bool = False) -> tuple[float, ...]:
    """How much points of the others count against the own, by turns after the own one."""
    if teams:
        return (1.0, -1.0, 1.0)
    return (1.0 / (players - 1),) * (players - 1)


def learn_models(
    deal: Deal,
    *,
    teams: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
    threads: int | None = None,
    report: Callable[[float], None] | None = None,
) -> tuple[Model, ...]:
    """A model for each seat of a deal."""
    views = [View(deal, seat) for seat in range(deal.players)]
    weights = weigh_others(deal.players, teams=teams)
    counts = Counts.nothing(deal)
    for way in (greedy, patient):
        hands = tuple(Seat(way(view), thrifty=True) for view in views)
        counts = counts.plus(count_rounds(Table(deal, hands), rounds, key=round_key(seed, 0), threads=threads))
    models = _solve(views, counts, weights)
    for time in range(1, SETTLING + 1):
        seats = tuple(Seat(model.way, model=model) for model in models)
        counts = counts.plus(count_rounds(Table(deal, seats), rounds, key=round_key(seed, time), threads=threads))
        models = _solve(views, counts, weights)
        if report is not None:
            report(time / SETTLING)
    return models


def _solve(views: list[View], counts: Counts, weights: tuple[float, ...]) -> tuple[Model, ...]:
    if len(views) == 2:  # Both see the same cards: one model is for both.
        both = Counts(*(array.sum(axis=0, keepdims=True) for array in counts))
        model = solve_model(views[0], _chances(both, 0), weights)
        return (model, model)
    return tuple(solve_model(view, _chances(counts, seat), weights) for seat, view in enumerate(views))


def _chances(counts: Counts, viewer: int) -> Chances:
    """What a viewer saw, as chances; few cases lean on all stages together."""
    did, turns = counts.did[viewer], counts.turns[viewer]
    sides = [0, 0, 1]
    return Chances(
        rates=_share(did, counts.seen[viewer][..., sides]),
        acts=_share(did, counts.matched[viewer][..., sides]),
        sixis=_share(counts.sixis[viewer], turns),
        ends=_share(counts.ends[viewer], turns),
        elsewhere=_share(counts.elsewhere[viewer], turns),
    )


def _share(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> Floats:
    """part / whole by stage (the second axis), few cases pulled towards the share of all stages."""
    overall = part.sum(axis=1, keepdims=True) / np.maximum(whole.sum(axis=1, keepdims=True), 1)
    share: Floats = (part + _PRIOR * overall) / (whole + _PRIOR)
    return share
