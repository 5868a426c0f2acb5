"""Games between players of :mod:`c4core.players`, and what their results mean.

===========  ===============================================================
game         plays one game, and says how it ended
answers      a player's answer, checked against the rules
clock        time limits, and the time that is left
seeds        seeds of matches, games and seats
judging      moves compared with exact scores
accuracy     how many moves were best, and what the others gave away
statistics   rates, intervals, Elo, and sequential tests of many games
standings    a rating for each of several players
files        a game as files have it; ``files_json`` and ``files_csv`` read
             and write it
repeats      finds games that were played before
===========  ===============================================================
"""
