"""Sixis: goal cards, saved dice, two to four players. Two players are solved exactly, more are played by a model."""

from solver.sixis.advice import Choice, DealAdvisor, ModelAdvisor, TurnAdvice
from solver.sixis.cards import Card, Deck, Side, load_deck, standard_deck
from solver.sixis.deal import Deal, deal_cards, read_cards
from solver.sixis.exact import Opening, solve_deal
from solver.sixis.model import Chances, Model, solve_model
from solver.sixis.round import Action, Round
from solver.sixis.tables import DealStore, SolvedDeal
from solver.sixis.ways import View, Way, greedy, patient

__all__ = [
    "Action",
    "Card",
    "Chances",
    "Choice",
    "Deal",
    "DealAdvisor",
    "DealStore",
    "Deck",
    "Model",
    "ModelAdvisor",
    "Opening",
    "Round",
    "Side",
    "SolvedDeal",
    "TurnAdvice",
    "View",
    "Way",
    "deal_cards",
    "greedy",
    "load_deck",
    "patient",
    "read_cards",
    "solve_deal",
    "solve_model",
    "standard_deck",
]
