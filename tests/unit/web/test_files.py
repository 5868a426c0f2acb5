"""The page's files: they are packed and compressed, and the server sends nothing else."""

import gzip
import re
from html import unescape

from starlette.testclient import TestClient

from tests.support.web_api import Api
from web.files import DIRECTORY, FILES, VIEWS

PLAIN = {"accept-encoding": "identity"}


def addresses(client: TestClient, path: str) -> dict[str, str]:
    """The paths of the files that a page loads, by name."""
    html = client.get(path, headers=PLAIN).text
    return {
        name: f"/{folder}{name}" for folder, name in re.findall(r'"\./(static/\w+/)(.+?)"', html)
    }


def test_a_visit_loads_four_files_that_browsers_keep(client: TestClient) -> None:
    files = addresses(client, "/")
    assert set(files) == {"icon.svg", "style.css", "theme.js", "app.js"}
    assert {*addresses(client, "/explore")} - {*files} == {"explore/view.js"}
    for path in files.values():
        answer = client.get(path)
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.headers["vary"] == "Accept-Encoding"
        plain = client.get(path, headers=PLAIN)
        assert "content-encoding" not in plain.headers
        assert plain.content == answer.content


def test_a_first_visit_is_small(client: TestClient) -> None:
    """The size is less than a second of transfer with 50 kB/s."""
    paths = ["/", *addresses(client, "/").values()]
    sizes = [int(client.get(path).headers["content-length"]) for path in paths]
    assert sum(sizes) < 48_000


def test_pages_and_icon_are_checked_for_new_versions(client: TestClient) -> None:
    for path in (*VIEWS, "/favicon.ico", "/api/v1/openapi.json"):
        first = client.get(path)
        assert first.headers["cache-control"] == "no-cache"
        tag = first.headers["etag"]
        again = client.get(path, headers={"if-none-match": f'"other", {tag}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert client.get(path, headers={"if-none-match": '"x"'}).status_code == 200
        assert client.head(path).content == b""


def test_files_are_compressed_once() -> None:
    for file in FILES.values():
        assert gzip.decompress(file.zipped) == file.content


def test_no_other_path_leads_to_a_file(client: TestClient) -> None:
    script = addresses(client, "/")["app.js"]
    folder = script.removesuffix("app.js")
    for path in (
        *("/static/", "/static/app.js", folder, f"{folder}js/app.js", f"{folder}../app.py"),
        *(f"{folder}%2e%2e/%2e%2e/app.py", f"{folder}%2e%2e%2fapp.py", f"/{script}", f"{script}/"),
        *(script.upper(), f"{script}%00", script.replace("/app", "\\app"), "/static/0/app.js"),
    ):
        assert client.get(path).status_code == 404, path


def test_every_module_and_style_sheet_is_packed() -> None:
    scripts = [file.content.decode() for path, file in FILES.items() if path.endswith(".js")]
    names = {
        name for script in scripts for name in re.findall(r'^\$\["(.+?)"\]', script, re.MULTILINE)
    }
    modules = {path.relative_to(DIRECTORY / "js").as_posix() for path in DIRECTORY.rglob("*.js")}
    # theme.js is loaded before the page is drawn; types.js contains types only.
    assert names == modules - {"theme.js", "types.js"}
    for script in scripts:
        found = re.findall(r"^(?:import|export) .*", script, re.MULTILINE)
        assert all(re.match(r"import { \$ }|export const (\$|{)", line) for line in found)
    index = (DIRECTORY / "index.html").read_text()
    for sheet in (DIRECTORY / "style").iterdir():
        assert f"./static/style/{sheet.name}" in index


def test_the_page_reads_only_documented_fields(bare: Api) -> None:
    document = bare.client.get("/api/v1/openapi.json").text
    types = (DIRECTORY / "js" / "types.js").read_text()
    read = set(re.findall(r"(\w+)\??: ", types))
    assert len(read) > 100
    assert not [name for name in read if f'"{name}":' not in document]


def test_browsers_get_a_page_for_a_wrong_address(bare: Api) -> None:
    browser = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for path, root in (("/explorer", "./"), ("/a/b/c", "../../")):
        answer = bare.client.get(path, headers=browser)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert all(f'href="{root}{view[1:]}"' in answer.text for view in VIEWS)
    for path, headers in (("/explorer", {}), ("/api/v1/nothing", browser)):
        answer = bare.client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["field"]) == (404, None)
    assert bare.client.post("/explorer", headers=browser).json()["error"]


def test_a_preview_of_a_link_shows_the_position(client: TestClient) -> None:
    def picture(path: str, **headers: str) -> str:
        html = client.get(path, headers=headers).text
        (found,) = re.findall(r'property="og:image" content="(.*?)"', html)
        return unescape(found)

    root = str(client.base_url).rstrip("/")
    assert picture("/?pos=44&board=7x6") == f"{root}/api/v1/picture.png?pos=44&board=7x6"
    shown = picture('/?moves=4"4', **{"x-forwarded-prefix": "/c4/", "host": "localhost"})
    assert shown == "http://localhost/c4/api/v1/picture.png?moves=4%224"


def test_only_one_path_can_be_framed(client: TestClient) -> None:
    paths = {route.path for route in client.app.routes if "{" not in route.path} - {"/metrics"}
    framed = {
        path
        for path in paths
        if "frame-ancestors 'none'" not in client.get(path).headers["content-security-policy"]
    }
    assert framed == {"/embed"}
