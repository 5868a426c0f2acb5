"""A player in Python without libraries: plays a random open column.

Run it as ``c4 match "exec:python3 examples/players/random_player.py" stupid``.
"""

import random
import sys


def main() -> None:
    """Answer the lines of the protocol."""
    chance = random.Random()
    for line in sys.stdin:
        words = line.split()
        if words[0] == "c4":
            answer("ready random in Python")
        elif words[0] == "new":
            chance.seed(int(words[3]))
        elif words[0] == "go":
            top_row = words[2].split("/")[0]
            columns = [number for number, square in enumerate(top_row, 1) if square == "."]
            answer(f"play {chance.choice(columns)}")
        elif words[0] == "quit":
            return


def answer(line: str) -> None:
    """Write a line and flush it, because C4 does not get buffered output."""
    print(line, flush=True)


if __name__ == "__main__":
    main()
