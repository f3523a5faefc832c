"""Playing the games: strategies, matches of several players, and charts."""

from sim.charts import decision_chart, opening_chart
from sim.look import save
from sim.match import Match, Strategy, play_match, starting_player
from sim.strategies import Optimal

__all__ = [
    "Match",
    "Optimal",
    "Strategy",
    "decision_chart",
    "opening_chart",
    "play_match",
    "save",
    "starting_player",
]
