"""Long matches of the sources' players: shares within the spread of both samples."""

import pytest

from tests.support.boards.blog_pairs import PORT, PORT_DEEP, blog, check_shares, results


@pytest.mark.parametrize(("red", "blue", "wins", "losses", "draws"), PORT + PORT_DEEP)
def test_long_blog_matches_agree_with_the_port(
    red: str, blue: str, wins: float, losses: float, draws: float
) -> None:
    found = results(blog(red), blog(blue), 2000)
    deep = max(red[-1], blue[-1])
    port_games = {"5": 300, "6": 100}.get(deep, 2000)
    check_shares(found, 2000, wins, losses, draws, port_games=port_games)


def test_windows_against_flat() -> None:
    # The port: 52-48-0 with the middle counted twice, 71-28-1 with it counted once.
    even = results("minimax-windows", "montecarlo-flat", 200, alternate=True)
    assert 38 <= 100 * even["first"] / 200 <= 66
    once = results("minimax-windows", "montecarlo-flat:center_weight=1", 200, alternate=True)
    assert 57 <= 100 * once["first"] / 200 <= 85
