"""Strategies: whatever decides for a player, and how to find one by name.

Most are *tabled*: they say what the rest of a sheet is worth and then play the turn exactly (`solver.policy`); the
compiled player of `sim.batch` plays those. A user's own class decides in plain Python, through the same batches.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from sim.match import Strategy
from sim.thumb import column_by_column_tables, greedy_tables, heuristic_tables, sheet_advice_tables
from solver import ColumnSolution, Game, InputError, Roll, Sheet, Solution, TableStore, method_for
from solver.errors import unknown
from solver.policy import Decider, Decisions, Policy
from solver.solve import MAX_THETA, Progress

SAFE, BOLD = -0.035, 0.015
"""The thetas of `safe` and `bold`: in Yahtzee each gives up about one percent of the mean (chart `frontier`)."""

STRATEGIES = {
    "optimal": "the highest mean score, by the solved table; with several columns the same as 'learned'",
    "learned": "several columns: by tables learned in self-play, the strongest there is",
    "greedy": "the most points this turn, exact within the turn",
    "heuristic": "a good human's rules of thumb",
    "random": "any keep, any box",
    "sloppy:P": "optimal or learned, but each decision is a random one with chance P",
    "utility:T": "the highest exponential utility with theta T, solved; below 0 avoids risk, above 0 seeks it",
    "safe": f"utility:{SAFE:g}",
    "bold": f"utility:{BOLD:g}",
    "sheet-advice": "dicegame: the advice of its rule sheet, taken literally",
    "column-by-column": "several columns: one after the other, each by the exact game of one column",
    "MODULE:CLASS": "your own class, called with the game",
}

_OWN = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Tabled:
    """Plays by the tables of a policy, or of a solution, each decision a random one with chance `noise`.

    `solution` is one that knows its exact mean and deviation, None for all others.
    """

    def __init__(self, tables: Policy | Solution | ColumnSolution, *, noise: float = 0.0) -> None:
        self.solution = tables if isinstance(tables, Solution) else None
        self.policy = tables if isinstance(tables, Policy) else tables.policy
        self.noise = noise
        self._rng = np.random.default_rng(0)
        self._decide = lru_cache(maxsize=4096)(self._decide_afresh)

    @property
    def choices(self) -> int:
        """How many placements there are: column * outcomes + outcome."""
        return len(self.policy.game.columns) * len(self.policy.space.plan.outcome_points)

    def keep(self, sheet: Sheet, roll: Roll, rolls_left: int) -> Roll:
        if self._rng.random() < self.noise:
            return tuple(face for face in roll if self._rng.random() < 0.5)
        dice = self.policy.space.dice
        made = self._decide(self.policy.position(sheet))
        return dice.keeps[made.keep_of[0, rolls_left - 1, dice.index[roll] - dice.first_roll]]

    def place(self, sheet: Sheet, roll: Roll) -> tuple[int, str]:
        if self._rng.random() < self.noise:
            placements = sheet.placements(roll)
            chosen = placements[self._rng.integers(len(placements))]
            return chosen.column, chosen.box
        dice, plan = self.policy.space.dice, self.policy.space.plan
        made = self._decide(self.policy.position(sheet))
        choice = int(made.choice_of[0, dice.index[roll] - dice.first_roll])
        column, outcome = divmod(choice, len(plan.outcome_points))
        return column, self.policy.game.boxes[plan.outcome_box[outcome]].name

    def _decide_afresh(self, position: tuple[int, ...]) -> Decisions:
        return Decider(self.policy).decide(np.array([position], dtype=np.int32))


def strategy_name(game: Game, strategy: str | Strategy) -> str:
    """What to call a strategy: its text, or the name of its class. What is learned is not called optimal."""
    if strategy == "optimal" and method_for(game) == "learned":
        return "learned"
    return strategy if isinstance(strategy, str) else type(strategy).__name__


def find_strategy(text: str, game: Game, *, tables: Path | None = None, progress: Progress | None = None) -> Strategy:
    """The strategy of that name for a game. Solves the game first if that is needed and was not done before."""
    name, _, value = text.partition(":")
    makers: dict[str, Callable[[], Strategy]] = {
        "optimal": lambda: Tabled(_solved(game, 0.0, tables, progress)),
        "learned": lambda: Tabled(_learned(game, tables, progress)),
        "greedy": lambda: Tabled(Policy(game, greedy_tables(game))),
        "heuristic": lambda: Tabled(Policy(game, heuristic_tables(game))),
        "random": lambda: Tabled(Policy(game, greedy_tables(game)), noise=1.0),
        "safe": lambda: Tabled(_solved(game, SAFE, tables, progress)),
        "bold": lambda: Tabled(_solved(game, BOLD, tables, progress)),
        "sheet-advice": lambda: Tabled(Policy(game, sheet_advice_tables(game))),
        "column-by-column": lambda: Tabled(Policy(game, column_by_column_tables(game))),
    }
    if name == "sloppy":
        chance = _number(text, value, 0.0, 1.0, "a chance")
        return Tabled(_solved(game, 0.0, tables, progress), noise=chance)
    if name == "utility":
        return Tabled(_solved(game, _number(text, value, -MAX_THETA, MAX_THETA, "a theta"), tables, progress))
    if text in makers:
        return makers[text]()
    if _OWN.fullmatch(text):
        return _own(text, game)
    raise unknown("strategy", text, [*STRATEGIES])


def _solved(game: Game, theta: float, tables: Path | None, progress: Progress | None) -> Solution | ColumnSolution:
    if theta and len(game.columns) > 1:
        raise InputError(
            f"{game.name} has {len(game.columns)} columns, utility is solved for games with one: strategies for it are "
            "learned, sloppy:P, heuristic, greedy, random, sheet-advice, column-by-column and your own."
        )
    return TableStore(tables).solve(game, theta=theta, progress=progress)


def _learned(game: Game, tables: Path | None, progress: Progress | None) -> Solution | ColumnSolution:
    if method_for(game) != "learned":
        raise InputError(f"{game.name} is solved exactly: the strategy is called 'optimal'.")
    return _solved(game, 0.0, tables, progress)


def _number(text: str, value: str, low: float, high: float, what: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not low <= number <= high:
        raise InputError(f"strategy '{text}': {what} from {low:g} to {high:g} is needed after the colon.")
    return number


def _own(text: str, game: Game) -> Strategy:
    """A user's class, looked for in the current folder too."""
    module_name, _, class_name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name == module_name.split(".")[0] or error.name == module_name:
            raise InputError(
                f"strategy '{text}': there is no module '{module_name}' in this folder or on PYTHONPATH."
            ) from None
        raise InputError(f"strategy '{text}': importing '{module_name}' failed, {told(error)}.") from None
    except (Exception, SystemExit) as error:
        raise InputError(f"strategy '{text}': importing '{module_name}' failed, {told(error)}.") from None
    made = getattr(module, class_name, None)
    if made is None:
        raise InputError(f"strategy '{text}': module '{module_name}' has no '{class_name}'.")
    try:
        strategy = made(game)
    except (Exception, SystemExit) as error:
        raise InputError(f"strategy '{text}': {class_name}(game) failed, {told(error)}.") from None
    for method in ("keep", "place"):
        if not callable(getattr(strategy, method, None)):
            raise InputError(f"strategy '{text}': {class_name} has no method '{method}'.")
    found: Strategy = strategy
    return found


def told(error: BaseException) -> str:
    """An error of a user's code in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
