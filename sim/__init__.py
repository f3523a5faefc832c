"""Playing the games: strategies, matches of several players, and charts."""

from sim.charts import boxes_chart, decision_chart, distribution_chart, opening_chart, timeline_chart
from sim.files import check_scores_file, write_scores
from sim.look import check_out, save
from sim.match import Match, Strategy, play_match, starting_player
from sim.strategies import Optimal

__all__ = [
    "Match",
    "Optimal",
    "Strategy",
    "boxes_chart",
    "check_out",
    "check_scores_file",
    "decision_chart",
    "distribution_chart",
    "opening_chart",
    "play_match",
    "save",
    "starting_player",
    "timeline_chart",
    "write_scores",
]
