"""A Kaggle ConnectX agent, ready to submit: wins or blocks, else plays near the middle.

Run it as ``c4 match kaggle:examples/players/kaggle_agent.py blog-v6:depth=2``.
"""


def agent(observation, configuration):
    """The column to play, counted from 0."""
    width, height = configuration.columns, configuration.rows
    board = [observation.board[row * width : (row + 1) * width] for row in range(height)]

    def landing_row(column):
        rows = [row for row in range(height) if board[row][column] == 0]
        return rows[-1] if rows else None

    def completes_four(column, mark):
        row = landing_row(column)
        if row is None:
            return False
        for down, right in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < height and 0 <= c < width and board[r][c] == mark:
                    length += 1
                    r, c = r + sign * down, c + sign * right
            if length >= configuration.inarow:
                return True
        return False

    for mark in (observation.mark, 3 - observation.mark):
        for column in range(width):
            if completes_four(column, mark):
                return column
    open_columns = [column for column in range(width) if board[0][column] == 0]
    return min(open_columns, key=lambda column: abs(2 * column - (width - 1)))
