"""Playing the games: strategies, and matches of several players."""

from sim.match import Match, Strategy, play_match, starting_player
from sim.strategies import Optimal

__all__ = ["Match", "Optimal", "Strategy", "play_match", "starting_player"]
