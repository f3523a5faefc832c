"""A strategy of one's own: `rollwise simulate yahtzee --strategy my_strategy:Sixes --games 1000`, in this folder."""


class Sixes:
    def __init__(self, game):
        self.game = game

    def keep(self, sheet, roll, rolls_left):
        return tuple(face for face in roll if face == 6)

    def place(self, sheet, roll):
        best = max(sheet.placements(roll), key=lambda placement: placement.gain)
        return best.column, best.box
