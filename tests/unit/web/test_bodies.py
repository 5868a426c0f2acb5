"""Bodies are split into lines: complete, in order and counted, for any sizes of pieces."""

import asyncio
import random
from collections.abc import Iterable
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.types import Message

from c4core.lines import MAX_LINE
from tests.support.running.databases import file_size_limit
from tests.support.running.waiting import HANG_SECONDS
from web.bodies import LARGEST_OBJECT, Block, BodyLines, read_object, whole_body
from web.parameters import Parameters
from web.responses import ApiError
from web.service import MemoryQuota, Service, service_of
from web.settings import Limits, ServerSettings


class Client:
    """A client that sends a body in pieces, and then stays until it has to disconnect."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self.sent = 0
        self.goes = asyncio.Event()
        self._has_ended = False

    async def receive(self) -> Message:
        await asyncio.sleep(0)
        piece = next(self._pieces, None)
        if piece is not None:
            self.sent += len(piece)
            return {"type": "http.request", "body": piece, "more_body": True}
        if not self._has_ended:
            self._has_ended = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.goes.wait()
        return {"type": "http.disconnect"}


async def all_blocks(pieces: Iterable[bytes], limit: int) -> list[Block]:
    client = Client(pieces)
    lines = BodyLines()
    filling = asyncio.ensure_future(lines.fill(client.receive, HANG_SECONDS))
    found = []
    while (block := await lines.take(limit)) is not None:
        found.append(block)
    client.goes.set()
    await filling
    return found


def cut(text: bytes, seed: int) -> list[bytes]:
    """Cut the text into pieces of random sizes, some of them empty."""
    chance = random.Random(seed)
    pieces = []
    while text:
        size = chance.choice([0, 1, 2, 7, 100, 70_000])
        pieces.append(text[:size])
        text = text[size:]
    return pieces


@pytest.mark.parametrize("limit", [1, 3, 1000])
def test_lines_are_complete_and_in_order(limit: int) -> None:
    lines = [b"%d" % number * (number % 5) for number in range(2000)]
    blocks = asyncio.run(all_blocks(cut(b"\n".join(lines), limit), limit))
    assert b"".join(block.text for block in blocks) == b"\n".join(lines) + b"\n"
    taken = 0
    for block in blocks:
        assert block.first == taken + 1
        assert 1 <= block.text.count(b"\n") <= limit
        taken += block.text.count(b"\n")


def test_an_unterminated_line_counts_and_an_empty_body_has_none() -> None:
    assert asyncio.run(all_blocks([b"44"], 10)) == [Block(1, b"44\n")]
    assert asyncio.run(all_blocks([], 10)) == []


@pytest.mark.parametrize("longer", [-1, 0, 1, 200_000])
def test_an_overlong_line_is_truncated(longer: int) -> None:
    long = b"x" * (MAX_LINE + longer)
    for seed in range(4):
        blocks = asyncio.run(all_blocks(cut(b"1\n" + long + b"\n2\n", seed), 100))
        kept = b"".join(block.text for block in blocks)
        assert kept == b"1\n" + long[:MAX_LINE] + b"\n2\n"


def test_a_client_waits_when_too_many_lines_wait() -> None:
    client = Client([b"4453\n" * 100] * 100)

    async def fill() -> int:
        lines = BodyLines(most=5000)
        filling = await send(client, lines)
        stopped_at = client.sent
        while await lines.take(50) is not None:
            pass
        client.goes.set()
        await filling
        return stopped_at

    assert asyncio.run(fill()) == 5000
    assert client.sent == 50_000


async def send(client: Client, lines: BodyLines) -> asyncio.Task[None]:
    """Let a client send until it has to wait."""
    filling = asyncio.ensure_future(lines.fill(client.receive, HANG_SECONDS))
    for _ in range(1000):
        await asyncio.sleep(0)
    return filling


def test_a_client_that_reads_no_answers_is_refused() -> None:
    client = Client([b"4453\n" * 100] * 100)
    with pytest.raises(ApiError, match="did not read the answers"):
        asyncio.run(BodyLines(most=5000).fill(client.receive, 0.01))


def sending(sent: bytes, limits: Limits) -> Request:
    """A request whose client sends a part of its body and then waits."""
    pieces = [sent]
    service = Service(ServerSettings(limits=limits))
    app = SimpleNamespace(state=SimpleNamespace(service=service))

    async def receive() -> Message:
        if pieces:
            return {"type": "http.request", "body": pieces.pop(), "more_body": True}
        await asyncio.Event().wait()
        raise AssertionError

    return Request({"type": "http", "headers": [], "app": app}, receive)


def test_a_slow_body_is_refused() -> None:
    limits = Limits(body_seconds=0.01)
    with pytest.raises(ApiError, match=r"did not arrive within 0\.01 seconds") as refused:
        asyncio.run(read_object(sending(b"{", limits), Parameters, any_type=True))
    assert refused.value.status == 408


def test_unfinished_bodies_count_as_memory() -> None:
    async def receive_two() -> None:
        request = sending(b"{", Limits(memory_per_client=LARGEST_OBJECT))
        first = asyncio.ensure_future(read_object(request, Parameters, any_type=True))
        await asyncio.sleep(0)
        with pytest.raises(ApiError, match="the limit for one client") as refused:
            await read_object(request, Parameters, any_type=True)
        assert refused.value.status == 429
        first.cancel()
        await asyncio.wait((first,))
        with service_of(request).memory.held("", LARGEST_OBJECT):
            pass

    asyncio.run(receive_two())


def test_a_full_disk_is_reported() -> None:
    async def receive_file() -> None:
        async with whole_body(sending(b"4453\n" * 100_000, Limits())):
            pass

    with file_size_limit(5_000), pytest.raises(ApiError, match="cannot be stored; ") as refused:
        asyncio.run(receive_file())
    assert refused.value.status == 503


def test_requests_share_memory() -> None:
    quota = MemoryQuota(100, 60)
    with quota.held("a", 50):
        with pytest.raises(ApiError, match="hold 50 bytes") as refused, quota.held("a", 20):
            pass
        assert refused.value.status == 429
        with quota.held("b", 40):
            with pytest.raises(ApiError, match="hold 90 bytes") as refused, quota.held("c", 20):
                pass
            assert refused.value.status == 503
        with quota.held("c", 20):
            pass
    with quota.held("a", 60):
        pass
