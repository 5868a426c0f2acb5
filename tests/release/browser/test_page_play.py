"""A game against a player, in a real browser, and its review."""

from c4core import Position
from c4core.players import LEVELS
from tests.support.browser import Browser, PageServer
from tests.support.page import await_stones, moves_on_board, numbers, stones


def start_game(browser: Browser, *, seat: str, strength: str) -> None:
    """Start a game: choose the person's side and the strength of the computer."""
    browser.open("/?view=play")
    choose(browser, f"#play-form input[name=seat][value='{seat}']")
    choose(browser, f"#play-form input[name=strength][value='{strength}']")
    browser.click("#play-start")


def choose(browser: Browser, selector: str) -> None:
    """Choose one of several options; the circle itself may be hidden behind its label."""
    browser.until(lambda: browser.all(selector), f"there is no {selector}")
    browser.run("document.querySelector(arguments[0]).click()", selector)
    assert browser.run("return document.querySelector(arguments[0]).checked", selector)


def is_over(browser: Browser) -> bool:
    """Whether the game has ended, so that the review is offered."""
    return any(found.is_displayed() for found in browser.all("#play-review"))


def await_turn(browser: Browser, number: int) -> None:
    """Wait until the game is over, or this many stones are on the board."""
    browser.until(lambda: is_over(browser) or stones(browser) == number, "nobody answers")


def play_to_the_end(browser: Browser) -> str:
    """Play red: the middle column while it is open, then the leftmost open column."""
    for turn in range(21):
        position = Position(moves_on_board(browser))
        column = min(position.legal_columns(), key=(3, 0, 1, 2, 4, 5, 6).index)
        browser.click(f"#columns [data-column='{column + 1}']")
        await_turn(browser, 2 * turn + 2)
        if is_over(browser):
            break
    return moves_on_board(browser)


def test_a_game_is_finished_stored_and_reviewed(browser: Browser, page_server: PageServer) -> None:
    start_game(browser, seat="x", strength="beginner")
    moves = play_to_the_end(browser)
    game = Position(moves)
    assert game.is_over
    if game.winner is not None:
        name = {"x": "Red", "o": "Yellow"}[game.winner]
        said = browser.text("#play-status")
        assert name in said
        assert f"has won after {len(moves)} moves" in said

    browser.until(lambda: "Stored as game" in browser.text("#play-stored"), "it is not stored")
    place = browser.text("#play-stored a").removeprefix("game ").replace(":", "/")
    stored = page_server.ask(f"/api/v1/games/{place}").json
    found = (stored["moves"], stored["first"], stored["second"])
    assert found == (moves, "human", "random")

    browser.click("#play-review")
    browser.until(lambda: browser.all("#review .side-share"), "there is no review")
    review = page_server.ask(f"/api/v1/game?moves={moves}&board=7x6&budget=30").json
    assert review["complete"]
    script = "return [...document.querySelectorAll('#moves [data-mark]')].map((one) => one.dataset)"
    marked = {int(found["shown"]): found["mark"] for found in browser.run(script) if found["mark"]}
    expected = {n: move["mark"] for n, move in enumerate(review["moves_judged"], 1) if move["mark"]}
    assert marked == expected
    assert browser.one("#graph").get_attribute("aria-valuemax") == str(len(moves))


def test_a_click_on_a_mistake_goes_there(browser: Browser) -> None:
    moves = "1234567111177777"  # both play badly here
    browser.open(f"/?pos={moves}&board=7x6&review={moves}")
    browser.click("#mistakes button")
    number = numbers(browser, "#mistakes button", "shown")[0]
    await_stones(browser, number)
    assert browser.text("#mistakes .mistake-move").startswith(f"{number + 1}. column")
    # The list of moves has the same numbers: a row begins with the number of its first move.
    assert browser.texts("#moves .move-number") == ["1", "3", "5", "7", "9", "11", "13", "15"]


def test_two_players_play_by_themselves_on_another_board(browser: Browser) -> None:
    browser.open("/?view=play")
    choose(browser, "#play-form input[name=seat][value='none']")
    choose(browser, "#play-form input[name=strength][value='easy']")
    browser.run(
        "const board = document.querySelector('#play-form [name=board]');"
        "board.value = '5x5'; board.dispatchEvent(new Event('change'));"
    )
    browser.until(lambda: len(browser.all("#board [role=gridcell]")) == 25, "another board")
    browser.click("#play-start")
    browser.until(lambda: is_over(browser), "they do not come to an end")
    assert Position(moves_on_board(browser), board="5x5").is_over


SPY = """
    window.sent = [];
    const real = window.fetch;
    window.fetch = (...asked) => {
        if (asked[1]?.body) window.sent.push(JSON.parse(asked[1].body));
        return real(...asked);
    };
"""


def play_against_uct(browser: Browser, iterations: str) -> None:
    """Let a player with this parameter play yellow, and play column 4."""
    browser.open("/?view=play")
    browser.run(SPY)
    # The list of players moves what is below it.
    browser.until(lambda: browser.all("#player-o"), "no list of players")
    browser.click("#play-any summary")
    browser.one("#player-o option[value='mcts-uct']").click()
    browser.type("#player-o-iterations", iterations)
    browser.click("#play-start")
    browser.click("#columns [data-column='4']")


def test_any_player_plays_with_the_parameters_of_its_form(browser: Browser) -> None:
    play_against_uct(browser, "50")
    await_stones(browser, 2)
    (sent,) = browser.run("return window.sent")
    assert (sent["player"], sent["moves"]) == ("mcts-uct:iterations=50", "4")
    browser.click("#undo")  # it takes back the answer, too
    await_stones(browser, 0)


def test_a_bad_parameter_is_refused_with_the_servers_message(browser: Browser) -> None:
    play_against_uct(browser, "0")
    browser.until(lambda: "iterations" in browser.text("#play-status"), "nobody says so")
    browser.await_refusal()


def test_levels_and_unavailable_players_are_listed(
    browser: Browser, page_server: PageServer
) -> None:
    players = page_server.ask("/api/v1/players").json
    reasons = {one["name"]: one["reason"] for one in players if not one["available"]}
    assert reasons
    browser.open("/?view=play")
    browser.until(lambda: browser.all("#player-o option"), "no players")
    options = (
        "return [...document.querySelectorAll(arguments[0])].map((one) => [one.value, one.text])"
    )
    found = browser.run(options, "#player-o option[disabled]")
    assert dict(found) == {name: f"{name} – {why}" for name, why in reasons.items()}  # noqa: RUF001
    levels = browser.run(options, "#play-form input[name=strength]")
    assert [value for value, _ in levels] == [*LEVELS, "perfect"]


def test_the_setting_of_hints_is_kept_and_hides_threats(browser: Browser) -> None:
    start_game(browser, seat="x", strength="beginner")
    assert not browser.all("#columns [data-score]")
    browser.run("document.querySelector('#hints').click()")
    browser.until(lambda: len(browser.all("#columns [data-score]")) == 7, "no hints")
    browser.open("/?pos=141414")
    browser.run("document.querySelector('#toggle-threats').click()")
    browser.until(lambda: browser.all("#board .mark-threat"), "no threats in the analysis")
    browser.click("#tabs [data-view=play]")
    browser.until(lambda: browser.all("#hints"), "no switch")
    assert browser.run("return document.querySelector('#hints').checked")
    browser.until(lambda: browser.all("#board .mark-threat"), "no threats with hints")
    browser.run("document.querySelector('#hints').click()")
    browser.until(lambda: not browser.all("#board .mark-threat"), "threats without hints")


def test_resigning_ends_the_game(browser: Browser) -> None:
    start_game(browser, seat="o", strength="beginner")
    await_stones(browser, 1)
    assert not browser.one("#play-settings").get_attribute("open")
    browser.click("#play-resign")
    assert "Red (Beginner) has won after 1 move: Yellow resigned." in browser.text("#play-status")
    browser.until(lambda: "Stored as game" in browser.text("#play-stored"), "it is not stored")
    assert browser.one("#play-settings").get_attribute("open")
    browser.click("#columns [data-column='1']")
    assert stones(browser) == 1
    browser.click("#undo")
    browser.until(lambda: "Your move" in browser.text("#play-status"), "it cannot be taken back")


def test_a_game_is_not_stored_without_consent(browser: Browser, page_server: PageServer) -> None:
    before = page_server.ask("/api/v1/games?limit=500").json["games"]
    start_game(browser, seat="both", strength="medium")  # the default
    browser.run("document.querySelector('#play-stores').click()")
    for column in "1212121":
        browser.click(f"#columns [data-column='{column}']")
    assert "Red has won after 7 moves: four in a row." in browser.text("#play-status")
    assert not browser.one("#play-next").find_elements("css selector", "a")
    assert not browser.run("return document.querySelector('.storing').checkVisibility()")
    assert page_server.ask("/api/v1/games?limit=500").json["games"] == before
