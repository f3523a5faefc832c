"""Playing Sixis: strategies, rounds and matches of two to four players, figures, and charts."""

from sim.sixis.charts import advantage_chart, saves_chart, start_chart, worth_chart
from sim.sixis.figures import SavedDice, act_worths, best_saves, pool_worths
from sim.sixis.learn import learn_models
from sim.sixis.matches import STRATEGIES, Contest, Outcome, play_contest
from sim.sixis.play import Rounds, play_rounds, round_key
from sim.sixis.table import Seat, Table

__all__ = [
    "STRATEGIES",
    "Contest",
    "Outcome",
    "Rounds",
    "SavedDice",
    "Seat",
    "Table",
    "act_worths",
    "advantage_chart",
    "best_saves",
    "learn_models",
    "play_contest",
    "play_rounds",
    "pool_worths",
    "round_key",
    "saves_chart",
    "start_chart",
    "worth_chart",
]
