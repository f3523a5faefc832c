"""Sixis: goal cards, saved dice, two to four players. Two players are solved exactly, more are played by a model."""
