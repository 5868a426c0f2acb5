"""The page's files: the server sends the files that exist, and nothing else."""

import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.support.web_api import Api
from web.app import DIRECTORY, VIEWS, page_routes


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    pages = tmp_path / "pages"
    (pages / "js").mkdir(parents=True)
    (pages / "index.html").write_text("<!doctype html>")
    (pages / "js" / "app.js").write_text("export {};")
    (pages / "icon.svg").write_text("<svg/>")
    (pages / "notes.txt").write_text("not for the web")
    (tmp_path / "secret.js").write_text("secret")
    app = Starlette(routes=[*page_routes(pages)])
    app.router.redirect_slashes = False
    return TestClient(app)


def test_files_have_a_type_and_an_etag(client: TestClient) -> None:
    first = client.get("/static/js/app.js")
    assert (first.status_code, first.text) == (200, "export {};")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    again = client.get("/static/js/app.js", headers={"if-none-match": f'"other", {tag}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert client.get("/static/js/app.js", headers={"if-none-match": '"x"'}).status_code == 200
    assert client.head("/static/js/app.js").content == b""
    icon = client.get("/favicon.ico")
    assert (icon.text, icon.headers["content-type"]) == ("<svg/>", "image/svg+xml")


def test_every_view_is_the_page(client: TestClient) -> None:
    for path in VIEWS:
        answer = client.get(path, params={"pos": "4453"})
        assert answer.text == "<!doctype html>"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_no_other_path_leads_to_a_file(client: TestClient) -> None:
    for path in (
        *("/static/", "/static/js", "/static/js/", "/static/index.html", "/static/notes.txt"),
        *("/static/../secret.js", "/static/js/../../secret.js", "/static/%2e%2e/secret.js"),
        *("/static/..%2fsecret.js", "/static//js/app.js", "/static/js/app.js/", "/js/app.js"),
        *("/static/JS/app.js", "/static/js/app.js%00", "/static/js\\app.js"),
    ):
        assert client.get(path).status_code == 404, path


def test_all_files_of_the_package_have_a_type() -> None:
    files = {path for path in DIRECTORY.rglob("*") if path.is_file()}
    routes = {route.path for route in page_routes()}
    assert set(VIEWS) <= routes
    # The index has one address for each view, and the icon has two.
    assert len(routes) == len(files) + len(VIEWS)


def test_the_page_reads_only_documented_fields(bare: Api) -> None:
    document = bare.client.get("/api/v1/openapi.json").text
    types = (DIRECTORY / "js" / "types.js").read_text()
    read = set(re.findall(r"(\w+)\??: ", types))
    assert len(read) > 100
    assert not [name for name in read if f'"{name}":' not in document]


def test_browsers_get_a_page_for_a_wrong_address(bare: Api) -> None:
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = bare.client.get("/explorer", headers=browser)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert all(f'href="{view}"' in answer.text for view in VIEWS)
    for path, headers in (("/explorer", {}), ("/api/v1/nothing", browser)):
        answer = bare.client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["field"]) == (404, None)
    assert bare.client.post("/explorer", headers=browser).json()["error"]
