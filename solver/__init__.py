"""Rules as data, exact solutions of scoresheet dice games, and the best decision in any position."""

from solver.advisor import Advice, Advisor, Option, read_question
from solver.catalog import find_game, load_game, variant_names
from solver.dice import Dice, Roll, make_dice
from solver.distribution import BoxFigures, Distribution, Figures, exact_figures, exact_moments, is_exact
from solver.endgame import Endgame, solve_endgame
from solver.errors import InputError, RollwiseError
from solver.learn import ColumnSolution, Training, method_for
from solver.prices import Bound
from solver.rules import Box, Game, NumberBonus, SetBonus, Wild
from solver.sheet import Placement, Sheet
from solver.solve import Solution, solve_game
from solver.space import count_states
from solver.tables import TableMissingError, TableRefusedError, TableStore, default_folder

__all__ = [
    "Advice",
    "Advisor",
    "Bound",
    "Box",
    "BoxFigures",
    "ColumnSolution",
    "Dice",
    "Distribution",
    "Endgame",
    "Figures",
    "Game",
    "InputError",
    "NumberBonus",
    "Option",
    "Placement",
    "Roll",
    "RollwiseError",
    "SetBonus",
    "Sheet",
    "Solution",
    "TableMissingError",
    "TableRefusedError",
    "TableStore",
    "Training",
    "Wild",
    "count_states",
    "default_folder",
    "exact_figures",
    "exact_moments",
    "find_game",
    "is_exact",
    "load_game",
    "make_dice",
    "method_for",
    "read_question",
    "solve_endgame",
    "solve_game",
    "variant_names",
]
