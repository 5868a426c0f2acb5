"""Bodies are split into lines: complete, in order and counted, for any sizes of pieces."""

import asyncio
import random
from collections.abc import Iterable

import pytest
from starlette.requests import Request
from starlette.types import Message

from c4core.lines import MAX_LINE
from tests.support.running.databases import file_size_limit
from tests.support.running.waiting import HANG_SECONDS
from web import bodies
from web.bodies import HELD, Block, BodyLines, DiskQuota, MemoryQuota, RequestMemory, read_object
from web.responses import ApiError
from web.settings import Limits

MUCH = 1 << 30


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
    with BodyLines(DiskQuota(MUCH)) as lines:
        filling = asyncio.ensure_future(lines.fill(client.receive))
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
        with BodyLines(DiskQuota(MUCH), most=5000) as lines:
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
    filling = asyncio.ensure_future(lines.fill(client.receive))
    for _ in range(1000):
        await asyncio.sleep(0)
    return filling


def test_waiting_lines_are_kept_in_a_file_of_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Holds for any length of the body, even if reading never catches up."""
    monkeypatch.setattr(bodies, "MOST_IN_MEMORY", 1000)
    monkeypatch.setattr(bodies, "CHUNK", 500)
    text = b"".join(b"%d\n" % number for number in range(40_000))
    room, longest, in_memory = DiskQuota(MUCH), 0, 0

    async def fill_and_take() -> bytes:
        nonlocal longest, in_memory
        client = Client(text[start : start + 500] for start in range(0, len(text), 500))
        with BodyLines(room, most=10_000) as lines:
            filling = asyncio.ensure_future(lines.fill(client.receive))
            taken = b""
            while (block := await lines.take(50)) is not None:
                taken += block.text
                longest = max(longest, room.taken)
                in_memory = max(in_memory, len(lines._head) + len(lines._tail))
                await asyncio.sleep(0)
            client.goes.set()
            await filling
        return taken

    assert asyncio.run(fill_and_take()) == text
    assert 5_000 < longest < 12_000
    assert in_memory < 1_000 + 500
    assert room.taken == 0


def test_all_bodies_share_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_IN_MEMORY", 1000)
    monkeypatch.setattr(bodies, "LOOK_SECONDS", 0.001)
    room = DiskQuota(20_000)

    async def fill() -> tuple[list[int], bytes]:
        clients = [Client([b"4453\n" * 20] * 500) for _ in range(2)]
        with BodyLines(room) as late:
            with BodyLines(room) as early:
                waiting = [await send(clients[0], early), await send(clients[1], late)]
                sent = [client.sent for client in clients]
                # The body without disk space continues with the lines in memory.
                taken = b""
                for _ in range(50):
                    block = await late.take(20)
                    assert block is not None
                    taken += block.text
                waiting[0].cancel()
                await asyncio.wait(waiting[:1])
            # The other body has ended: its space is free without any line being read.
            async with asyncio.timeout(HANG_SECONDS):
                while clients[1].sent < sent[1] + 15_000:  # noqa: ASYNC110 (the client waits)
                    await asyncio.sleep(0)
            waiting[1].cancel()
            await asyncio.wait(waiting[1:])
        return sent, taken

    sent, taken = asyncio.run(fill())
    assert 19_000 <= sent[0] < 22_000
    assert 1_000 <= sent[1] < 3_000
    assert taken == b"4453\n" * (len(taken) // 5)
    assert room.taken == 0


def test_a_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_IN_MEMORY", 1000)
    room = DiskQuota(MUCH)

    async def fill() -> None:
        with BodyLines(room) as lines, file_size_limit(5_000):
            await lines.fill(Client([b"4453\n" * 100] * 100).receive)

    with pytest.raises(ApiError, match="cannot be stored; ") as refused:
        asyncio.run(fill())
    assert (refused.value.status, room.taken) == (503, 0)


class Sending:
    """A request whose client has sent a part of a JSON object and waits for a signal."""

    def __init__(
        self, room: MemoryQuota, client: str, sent: int, limits: Limits | None = None
    ) -> None:
        self.goes_on = asyncio.Event()
        self.has_read = asyncio.Event()
        self._pieces = [b"{" + b" " * (sent - 1)]
        self.holding = RequestMemory(room, client)
        scope = {"type": "http", "headers": [], HELD: self.holding}
        self.reading = asyncio.ensure_future(
            read_object(Request(scope, self._receive), limits or Limits(), any_type=True)
        )

    async def _receive(self) -> Message:
        if self._pieces:
            return {"type": "http.request", "body": self._pieces.pop(), "more_body": True}
        self.has_read.set()
        await self.goes_on.wait()
        return {"type": "http.request", "body": b"}", "more_body": False}


async def refusal_of(reading: asyncio.Future[dict[str, object]]) -> tuple[int, str]:
    with pytest.raises(ApiError) as refusal:
        async with asyncio.timeout(HANG_SECONDS):
            await reading
    return refusal.value.status, refusal.value.message


def test_incomplete_bodies_share_memory() -> None:
    async def check() -> None:
        room = MemoryQuota(100, 60)
        first = Sending(room, "a", 50)
        await first.has_read.wait()
        status, message = await refusal_of(Sending(room, "a", 20).reading)
        assert (status, "hold 50 bytes" in message) == (429, True)
        second = Sending(room, "b", 40)
        await second.has_read.wait()
        assert (await refusal_of(Sending(room, "c", 20).reading))[0] == 503
        first.goes_on.set()
        assert await first.reading == {}
        first.holding.close()
        assert room.taken == 40
        third = Sending(room, "c", 20)
        await third.has_read.wait()
        for each in (second, third):
            each.goes_on.set()
            assert await each.reading == {}
            each.holding.close()
        assert room.taken == 0

    asyncio.run(check())


@pytest.mark.parametrize("sent", [1, 100])
def test_a_slow_body_is_refused(sent: int) -> None:
    """The limit is for the total, however often a byte arrives."""

    async def check() -> None:
        limits = Limits(read_seconds=0.01, least_rate=1_000)
        slow = Sending(MemoryQuota(1_000, 1_000), "a", sent, limits)
        message = "the body arrives more slowly than 1,000 bytes a second"
        assert await refusal_of(slow.reading) == (408, message)

    asyncio.run(check())
