"""SVG pictures by address; PNG and GIF are in the release tests."""

from starlette.testclient import TestClient

from web.api.picture import PATH


def test_a_position_is_a_picture(client: TestClient) -> None:
    grid = "/".join(["...."] * 3 + ["x..."])
    for query in ({"pos": "4453"}, {"moves": "d1 d2", "board": "9x7"}, {"grid": grid}, {}):
        answer = client.get(f"{PATH}.svg", params=query)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "image/svg+xml"
        assert answer.text.startswith("<svg")
    assert client.get(f"{PATH}.svg?moves=9").json()["field"] == "moves"
