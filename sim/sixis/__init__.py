"""Playing Sixis: strategies, rounds and matches of two to four players, and charts."""
