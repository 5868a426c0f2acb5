"""The page's files, which are packed when the server starts.

A first visit loads one style sheet and one script, both compressed; a view that the script does not
contain has a script of its own. Their paths contain a hash of all files, so browsers keep them for
good, and an old page never gets the files of a new server. Measured with 400 ms and 50 KB/s: the
first board is shown after 1.8 s (5 requests). With a file for each module, and preload links for
them, it is shown after 3.2 s (34 requests). All addresses are relative, so a proxy
may serve the page under a path of its own.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from web.middleware import EMBED

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from starlette.requests import Request

DIRECTORY: Final = Path(__file__).parent / "pages"
FAVICON: Final = "/favicon.ico"
"""The path from which browsers fetch the icon of responses that name none, such as JSON."""
BOARD: Final = "/"
"""The page's board; its query names the position."""
VIEWS: Final = (BOARD, "/puzzles", "/explore", "/work")
"""The addresses of the page; its scripts choose the view."""

HTML: Final = "text/html"
SVG: Final = "image/svg+xml"
TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": SVG}
"""Media types of packed files by suffix."""

KEPT: Final = "public, max-age=31536000, immutable"
CHECKED: Final = "no-cache"
"""``Cache-Control`` of a file whose path does not change: browsers ask for a new version."""
NOT_MODIFIED: Final = 304


class PageFile:
    """A file in memory, with its headers."""

    def __init__(self, text: str | bytes, kind: str, caching: str = CHECKED) -> None:
        self.content = text.encode() if isinstance(text, str) else text
        self.zipped = gzip.compress(self.content, mtime=0)
        self._kind = kind
        self._headers = {
            "Cache-Control": caching,
            "ETag": f'W/"{_digest(self.content)}"',
            "Vary": "Accept-Encoding",
        }

    async def response(self, request: Request) -> Response:
        """The file, or 304 if the browser has this version."""
        headers, tags = self._headers, request.headers.get("if-none-match", "")
        if headers["ETag"] in tags or tags.strip() == "*":
            return Response(status_code=NOT_MODIFIED, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, headers=headers, media_type=self._kind)
        headers = {**headers, "Content-Encoding": "gzip"}
        return Response(self.zipped, headers=headers, media_type=self._kind)


_PICTURE: Final = "./api/v1/picture.png"
_SHEET: Final = re.compile(r'href="\./static/(style/\w+\.css)"')
_SHEETS: Final = re.compile(r"(?: *<link rel=.stylesheet. .*\n)+")
_NOTE: Final = re.compile(r"^ *<!--.*?-->\n", re.MULTILINE | re.DOTALL)
_COMMENT: Final = re.compile(
    r"^\s*(?:/\*(?:(?!\*/).)*\*/\n|//[^\n]*\n)?\s*", re.MULTILINE | re.DOTALL
)
"""Matches indentation, empty lines, and lines of comments."""
_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "(.+)";\n', re.MULTILINE)
_LATER: Final = re.compile(r"\bimport\([`\"]\./(.+?)[`\"]\)")
"""Matches an import of ``app.js`` that loads another script; ``${...}`` stands for any name."""
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def pack(directory: Path = DIRECTORY) -> tuple[dict[str, PageFile], str, str]:
    """The files of the page by path, and the HTML for missing addresses and for the API."""
    index, missing, api = (
        (directory / name).read_text() for name in ("index.html", "missing.html", "api.html")
    )
    modules = directory / "js"
    script, known = bundle(modules, "app.js")
    packed = {
        "app.js": script,
        "icon.svg": (directory / "icon.svg").read_text(),
        "style.css": "".join(_read(directory / name) for name in _SHEET.findall(index)),
        "theme.js": _read(modules / "theme.js"),
    }
    later = {re.sub(r"\$\{\w+\}", "*", pattern) for pattern in _LATER.findall(script)}
    for path in (path for pattern in later for path in modules.glob(pattern)):
        name = path.relative_to(modules).as_posix()
        if name not in known:
            packed[name], _ = bundle(modules, name, known)
    folder = f"static/{_digest(repr(sorted(packed.items())).encode())}"

    def page(html: str, view: str = "") -> str:
        sheet = '    <link rel="stylesheet" href="./static/style.css" />\n'
        if f"{view}/view.js" in packed:
            sheet += f'    <link rel="modulepreload" href="./static/{view}/view.js" />\n'
        html = _SHEETS.sub(sheet, _NOTE.sub("", html))
        return html.replace("./static/js/", "./static/").replace("./static", f"./{folder}")

    files = {
        f"/{folder}/{name}": PageFile(text, TYPES[Path(name).suffix], KEPT)
        for name, text in packed.items()
    }
    files |= {path: PageFile(page(index, path[1:]), HTML) for path in VIEWS}
    files[EMBED] = PageFile(page(index).replace("<body ", '<body class="embed" '), HTML)
    files[FAVICON] = PageFile(packed["icon.svg"], SVG)
    return files, page(missing), page(api)


def bundle(
    folder: Path, entry: str, known: AbstractSet[str] = frozenset()
) -> tuple[str, AbstractSet[str]]:
    """Join a module and its imports into one script; each module becomes a function.

    The script exports its modules as ``$``, and what the entry exports. ``known`` names the modules
    that ``app.js`` contains.

    Returns:
        The script, and the names of all its modules.
    """
    names = set(known)
    parts = ['import { $ } from "../app.js";\n' if known else "export const $ = {};\n"]

    def add(path: Path) -> str:
        name = path.relative_to(folder).as_posix()
        if name in names:
            return name
        names.add(name)

        def bind(found: re.Match[str]) -> str:
            imported = add((path.parent / found[2]).resolve())
            return f'const {found[1].replace(" as ", ": ")} = $["{imported}"];\n'

        code = _IMPORT.sub(bind, _read(path))
        exports = ", ".join(_EXPORT.findall(code))
        code = _EXPORT.sub("", code)
        parts.append(f'$["{name}"] ??= (() => {{\n{code}return {{ {exports} }};\n}})();\n')
        if known and name == entry:
            parts.append(f'export const {{ {exports} }} = $["{name}"];\n')
        return name

    add(folder.resolve() / entry)
    return "".join(parts), names


def missing_page(path: str) -> str:
    """The page for an address that does not exist, at any depth."""
    return _MISSING.replace('"./', f'"{"../" * (path.count("/") - 1) or "./"}')


def api_page(described: str) -> PageFile:
    """The page that describes the API, at the path ``/api/v1/``."""
    return PageFile(_API.replace('"./', '"../../').replace("{paths}", described), HTML)


def page_routes() -> list[Route]:
    """The routes of the page's views and of the packed files."""
    routes = [Route(path, file.response) for path, file in FILES.items() if path != BOARD]
    return [*routes, Route(BOARD, _send_board)]


async def _send_board(request: Request) -> Response:
    """Send the page of the board; programs that show previews of links get its picture."""
    named = {name: request.query_params.get(name) for name in ("pos", "moves", "grid", "board")}
    shown = {name: value for name, value in named.items() if value}
    if not shown:
        return await FILES[BOARD].response(request)
    folder = request.headers.get("x-forwarded-prefix", "").rstrip("/")
    root = f"{request.url.scheme}://{request.headers.get('host', '')}{folder}"
    return await _preview(f"{root}{_PICTURE[1:]}?{urlencode(shown)}").response(request)


@lru_cache(maxsize=256)
def _preview(picture: str) -> PageFile:
    """The page of the board with a picture for previews, which need a complete address."""
    html = FILES[BOARD].content.decode()
    return PageFile(html.replace(f'"{_PICTURE}"', f'"{escape(picture)}"'), HTML)


def _read(path: Path) -> str:
    return _COMMENT.sub("", path.read_text())


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


FILES, _MISSING, _API = pack()
