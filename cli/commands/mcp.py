"""``c4 mcp``: tools for language models, by the Model Context Protocol."""

from __future__ import annotations

import inspect
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args, get_origin

import click
from msgspec import Meta, ValidationError, convert, defstruct
from msgspec.json import schema
from msgspec.structs import asdict

from c4core import extras
from c4core.errors import C4Error
from c4core.version import __version__
from cli.positions.books import Books
from cli.shell import parameters
from cli.shell.commands import Command
from cli.shell.parameters import Engine, group, number, takes
from workers.answers.service import AnswerService, SearchStop
from workers.logs import set_up
from workers.tools import INSTRUCTIONS, NAMES, Tools

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from msgspec import Struct

    from cli.shell.settings import Settings

EXAMPLES = ("c4 mcp", "c4 --db games.db mcp --max-budget 5", "c4 mcp --no-store --threads 2")

LONGEST_BUDGET: Final = 86_400
"""One day in seconds."""
SEARCHES: Final = 4
"""Maximum number of calls that are answered at the same time; other calls wait."""
LONGEST_ERROR: Final = 500
"""Maximum length of an error message in characters; it may quote an argument."""

LONGEST_LINE: Final = 1 << 20
"""Maximum length of a message in bytes; the rest of a longer one is not kept."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 mcp``."""

    no_store: bool = parameters.no_store()
    max_budget: float = number(
        parameters.FiniteFloat(0, LONGEST_BUDGET),
        "Maximum time that a client may request for a call.",
        metavar="SECONDS",
        default=30,
    )
    books: Books = group(Books)
    engine: Engine = group(Engine)


@click.command(cls=Command, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def mcp(settings: Settings, given: Given) -> None:
    """Serve tools for language models (Model Context Protocol).

    The tools solve positions exactly, review games, list legal moves, choose moves by any player,
    and query stored evaluations. docs/mcp.md lists them, and how to register the server in clients.

    A client starts this command, sends requests on standard input, and reads answers on standard
    output. The server ends with its input. Players that are programs are refused.
    """
    import asyncio

    extras.require(extras.MCP, click.ClickException)

    set_up(
        verbose=settings.verbose,
        quiet=settings.quiet,
        urls=[settings.db],
        traces=bool(os.environ.get("C4_TRACE")),
    )
    with ExitStack() as stack:
        database = (
            None if given.no_store else stack.enter_context(settings.open_database(create=True))
        )
        pool = stack.enter_context(ThreadPoolExecutor(SEARCHES, "c4-mcp"))
        service = AnswerService(
            database,
            **vars(given.engine),
            book=given.books.path(),
        )
        stack.callback(service.close)  # before the wait for the threads
        asyncio.run(serve(Tools(service, database, most_seconds=given.max_budget), pool))


async def serve(tools: Tools, pool: ThreadPoolExecutor) -> None:
    """Serve the tools until standard input ends. Each call runs in a thread of the pool."""
    import asyncio

    from mcp import MCPError, types
    from mcp.server import Server
    from mcp.server.stdio import stdio_server

    methods: dict[str, Callable[..., dict[str, Any]]] = {
        name: getattr(tools, name) for name in NAMES
    }
    kinds = {name: _arguments_of(method) for name, method in methods.items()}

    async def list_tools(_context: object, _parameters: object) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name,
                    description=inspect.getdoc(method),
                    input_schema=_schema_of(kinds[name]),
                    annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
                )
                for name, method in methods.items()
            ]
        )

    async def call_tool(
        _context: object, asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if asked.name not in methods:
            raise MCPError(types.INVALID_PARAMS, f"no such tool; there are {', '.join(NAMES)}")
        stop = SearchStop()
        try:
            given = asdict(convert(asked.arguments or {}, kinds[asked.name], strict=False))
            work = partial(methods[asked.name], **given, stop=stop)
            found = await asyncio.get_running_loop().run_in_executor(pool, work)
        except (C4Error, ValidationError) as error:
            text = types.TextContent(type="text", text=str(error)[:LONGEST_ERROR])
            return types.CallToolResult(content=[text], is_error=True)
        finally:
            stop.set()  # the client may have cancelled the call
        text = types.TextContent(type="text", text=json.dumps(found))
        return types.CallToolResult(content=[text], structured_content=found)

    server: Server[Any] = Server(
        "c4",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server(stdin=_lines(sys.stdin.fileno())) as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _arguments_of(method: Callable[..., object]) -> type[Struct]:
    """A struct with the annotated parameters of a tool's method."""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for parameter in inspect.signature(method, eval_str=True).parameters.values():
        if get_origin(parameter.annotation) is not Annotated:
            continue
        kind, about = get_args(parameter.annotation)
        field = (parameter.name, Annotated[kind, Meta(description=about)])
        is_required = parameter.default is parameter.empty
        fields.append(field if is_required else (*field, parameter.default))
    return defstruct(method.__name__, fields, kw_only=True, forbid_unknown_fields=True)


def _schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, without a reference at the top level."""
    found: dict[str, Any] = schema(kind)["$defs"][kind.__name__]
    return found


async def _lines(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a file descriptor, without a thread that Ctrl-C cannot end.

    The SDK's own reader waits in such a thread.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    rest = b""
    while True:
        ready = asyncio.Event()
        try:
            loop.add_reader(descriptor, ready.set)
        except PermissionError:  # a plain file is always ready
            ready.set()
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
        piece = os.read(descriptor, 1 << 16)
        *lines, rest = (rest + piece).split(b"\n")
        rest = rest[:LONGEST_LINE]
        for line in lines:
            yield line[:LONGEST_LINE].decode(errors="replace")  # a cut message is not JSON
        if not piece:
            return
