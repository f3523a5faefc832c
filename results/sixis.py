"""The tables and charts behind results/sixis.md: `make results-sixis`, about an hour and a half on two cores.

Single parts: `python results/sixis.py deals` (twenty random deals for two, solved exactly), `tables` (three and four
players), `estimates` or `charts`. A deal that is not solved yet is solved for its turn only: its table
(2 to 4 GiB) goes again.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from sim import rate_interval, save
from sim.sixis.charts import advantage_chart, saves_chart, start_chart, worth_chart
from sim.sixis.figures import act_worths, best_saves, pool_worths
from sim.sixis.learn import learn_models
from sim.sixis.matches import WAYS, Contest, Outcome, play_contest
from sim.sixis.play import play_rounds, round_key
from sim.sixis.table import Seat, Table
from solver.sixis.advice import DealAdvisor
from solver.sixis.cards import standard_deck
from solver.sixis.deal import Deal, deal_cards
from solver.sixis.round import Round
from solver.sixis.tables import DealStore, SolvedDeal
from solver.sixis.ways import View

HERE = Path(__file__).parent
SEED = 1
DEALS = range(1, 21)
GAMES = 100_000
ROUNDS = 10_000
"""Rounds of each deal and line-up with three and four players."""
OTHERS = ("learned", "patient", "greedy")
WORTH_ALL = "exact solutions for two players: means over the turns of optimal play, twenty random deals"


@contextmanager
def solved(seed: int) -> Iterator[SolvedDeal]:
    """A deal with its table, which stays only if it was there before."""
    store, deal = DealStore(), deal_cards(seed)
    stays = store.size(deal) > 0
    try:
        yield store.solve(deal)
    finally:
        if not stays:
            shutil.rmtree(store.path(deal), ignore_errors=True)


def deals() -> None:
    """Every deal: what the start is worth, and what others lose against the optimum."""
    rows, worths = [], []
    for seed in DEALS:
        with solved(seed) as found:
            rows.append(_deal_row(seed, deal_cards(seed), found))
            worths.append(act_worths(deal_cards(seed), DealAdvisor(found), seed=SEED))
        print({key: rows[-1][key] for key in ("deal", "value", "advanced", "loss_learned", "loss_greedy")}, flush=True)
        _write(pd.DataFrame(rows), "sixis-deals.csv")
        _write(pool_worths(worths), "sixis-worth.csv")


def _deal_row(seed: int, deal: Deal, found: SolvedDeal) -> dict[str, object]:
    def play(*strategies: str, advanced: bool = False) -> Outcome:
        return play_contest(Contest(strategies=strategies, deal=deal, games=GAMES, seed=SEED, advanced=advanced))

    row: dict[str, object] = {"deal": seed, "cards": str(deal), "value": found.value, "advanced": found.advanced}
    for name, advanced in (("plain", False), ("advanced", True)):
        outcome = play("optimal", advanced=advanced)
        row |= {f"played_{name}": outcome.margins.mean, f"se_{name}": outcome.margins.se}
        row |= {f"wins_{name}": outcome.win_rate(0)[0], f"turns_{name}": outcome.turns.mean}
        row |= {f"sixis_{name}": outcome.endings["sixis"] / outcome.rounds}
    for other in OTHERS:
        first, second = play("optimal", other), play(other, "optimal")
        row[f"loss_{other}"] = (first.margins.mean - second.margins.mean) / 2.0
        row[f"se_{other}"] = float(np.hypot(first.margins.se, second.margins.se) / 2.0)
        row[f"wins_against_{other}"] = (first.win_rate(0)[0] + second.win_rate(1)[0]) / 2.0
    row |= {"residual": found.residual, "stored_error": found.error, "sweeps": found.sweeps, "seconds": found.seconds}
    return row | {"bytes": DealStore().size(deal)}


def tables() -> None:
    """Three and four players: the learned player in each seat among hand-written ones, and who sat there before."""
    rows = []
    for players, teams in ((3, False), (4, False), (4, True)):
        wins: dict[tuple[str, int, str], float] = {}
        points: dict[tuple[str, int, str], float] = {}
        for seed in DEALS:
            deal = deal_cards(seed, players=players)
            learned = [Seat(model.way, model=model) for model in learn_models(deal, teams=teams)]
            for other, make in WAYS.items():
                hands = [Seat(make(View(deal, seat)), thrifty=True) for seat in range(players)]
                lines = {(other, seat, who): list(hands) for seat in range(players) for who in ("learned", other)}
                for (_, seat, who), line in lines.items():
                    for place in (seat, (seat + 2) % 4) if teams else (seat,):
                        line[place] = learned[place] if who == "learned" else line[place]
                for key, line in lines.items():
                    scores = play_rounds(Table(deal, tuple(line)), np.arange(ROUNDS), key=round_key(SEED, seed)).scores
                    standing = scores + np.roll(scores, 2, axis=1) if teams else scores
                    best = standing == standing.max(axis=1, keepdims=True)
                    share = best / best.sum(axis=1, keepdims=True) * (2 if teams else 1)
                    wins[key] = wins.get(key, 0.0) + float(share[:, key[1]].sum())
                    points[key] = points.get(key, 0.0) + float(scores[:, key[1]].sum())
        size = ROUNDS * len(DEALS)
        for (other, seat, who), won in wins.items():
            low, high = rate_interval(round(won), size)
            row = {"players": players, "teams": teams, "against": other, "seat": seat + 1, "strategy": who}
            row |= {"rounds": size, "wins": won / size, "wins_low": low, "wins_high": high}
            rows.append(row | {"mean": points[other, seat, who] / size})
        _write(pd.DataFrame(rows), "sixis-tables.csv")
        print(f"{players} players{', teams' * teams}: done", flush=True)


def estimates() -> None:
    """What the learned player thinks the start is worth to seat 1, and what its rounds bring there."""
    rows = []
    for players, teams in ((2, False), (3, False), (4, False), (4, True)):
        told, played = [], []
        for seed in DEALS:
            deal = deal_cards(seed, players=players)
            models = learn_models(deal, teams=teams)
            told.append(float(models[0].values[0, 0]))
            line = tuple(Seat(model.way, model=model) for model in models)
            scores = play_rounds(Table(deal, line), np.arange(ROUNDS), key=round_key(SEED, seed)).scores
            weights = np.array([1.0, *(-weight for weight in models[0].weights)])
            played.append(scores @ weights)
        margins = np.concatenate(played)
        row: dict[str, object] = {"players": players, "teams": teams, "estimate": np.mean(told)}
        rows.append(row | {"played": margins.mean(), "se": margins.std() / np.sqrt(len(margins))})
    _write(pd.DataFrame(rows), "sixis-estimates.csv")


def charts() -> None:
    """All charts; needs the tables of the first part."""
    found = pd.read_csv(HERE / "sixis-deals.csv")
    save(advantage_chart(found), HERE / "sixis-advantage.png")
    save(
        worth_chart(pd.read_csv(HERE / "sixis-worth.csv"), standard_deck(), source=WORTH_ALL), HERE / "sixis-worth.png"
    )
    with solved(1) as first:
        position = Round.start(deal_cards(1))
        picture = saves_chart(position, *best_saves(position, DealAdvisor(first)), method="exact, deal 1")
        save(picture, HERE / "sixis-saves.png")
    outcomes: list[Outcome] = []
    for players in (2, 3, 4):
        for advanced in (False, True):
            contest = Contest(strategies=("learned",), players=players, games=GAMES, advanced=advanced, seed=SEED)
            outcomes.append(play_contest(contest))
    save(start_chart(outcomes), HERE / "sixis-start.png")
    rows = []
    for outcome in outcomes:
        contest = outcome.contest
        for seat in range(contest.players):
            rate, low, high = outcome.win_rate(seat)
            row = {"players": contest.players, "advanced": contest.advanced, "seat": seat + 1, "rounds": outcome.rounds}
            row |= {"wins": rate, "wins_low": low, "wins_high": high, "mean": outcome.scores(seat).mean}
            rows.append(row | {"turns": outcome.turns.mean})
    _write(pd.DataFrame(rows), "sixis-start.csv")


def _write(frame: pd.DataFrame, name: str) -> None:
    frame.to_csv(HERE / name, index=False, float_format="%.6g", lineterminator="\n")


if __name__ == "__main__":
    parts = {part.__name__: part for part in (deals, tables, estimates, charts)}
    for wanted in sys.argv[1:] or parts:
        parts[wanted]()
        print(f"Made the {wanted} in '{HERE}'.", flush=True)
