"""Playing the games: strategies, batches of games and matches, their statistics, and charts."""

from sim.batch import Batch
from sim.charts import decision_chart, opening_chart
from sim.column_charts import bound_chart, columns_chart, prices_chart
from sim.compare import Comparison, PairFigures, PlayerFigures, compare
from sim.files import check_records_file, check_scores_file, write_scores
from sim.frontier import THETAS, Risk, frontier
from sim.histogram import Histogram, rate_interval
from sim.look import check_out, save
from sim.match import Match, Strategy, play_match, starting_player
from sim.score_charts import (
    boxes_chart,
    comparison_chart,
    distribution_chart,
    frontier_chart,
    timeline_chart,
)
from sim.simulate import Summary, exact_for, known_moments, measure, simulate
from sim.strategies import BOLD, SAFE, STRATEGIES, Tabled, find_strategy, strategy_name
from sim.visits import roll_worths, visited_positions

__all__ = [
    "BOLD",
    "SAFE",
    "STRATEGIES",
    "THETAS",
    "Batch",
    "Comparison",
    "Histogram",
    "Match",
    "PairFigures",
    "PlayerFigures",
    "Risk",
    "Strategy",
    "Summary",
    "Tabled",
    "bound_chart",
    "boxes_chart",
    "check_out",
    "check_records_file",
    "check_scores_file",
    "columns_chart",
    "compare",
    "comparison_chart",
    "decision_chart",
    "distribution_chart",
    "exact_for",
    "find_strategy",
    "frontier",
    "frontier_chart",
    "known_moments",
    "measure",
    "opening_chart",
    "play_match",
    "prices_chart",
    "rate_interval",
    "roll_worths",
    "save",
    "simulate",
    "starting_player",
    "strategy_name",
    "timeline_chart",
    "visited_positions",
    "write_scores",
]
