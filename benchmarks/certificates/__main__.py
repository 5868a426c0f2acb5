"""Certificates: what they cost, how they play, and the shipped ones anew.

    python -m benchmarks.certificates boards           # or some: boards 6x5 7x6
    python -m benchmarks.certificates positions        # begin-hard of c4 bench
    python -m benchmarks.certificates plain            # without rules
    python -m benchmarks.certificates narrow           # boards with fewer than four columns or rows
    python -m benchmarks.certificates tampered
    python -m benchmarks.certificates games
    python -m benchmarks.certificates shipped          # made anew and compared; --write replaces

The figures are kept in benchmarks/results/certificates.json and shown in docs/certificates.md.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

import click

from benchmarks.certificates import narrow as narrow_boards
from benchmarks.certificates import playing, proving, results
from benchmarks.certificates.proving import Claim
from benchmarks.options import WITH_HELP
from c4core.atomic_file import atomic_file
from c4core.certificate.shipped import BOARDS, shipped_file
from cli.bench.positions import shipped_set
from tests.support.certificates import CLAIMS, Verdicts, verdicts

LARGE: Final = ("6x7", "7x6", "8x5")
PLAIN: Final = ("4x4", "5x4", "4x6", "6x4", "5x5", "6x6", "7x5")
OPPONENTS: Final = ("random", "mcts-uct", "perfect")

boards_argument = click.argument("boards", nargs=-1, metavar="[WxH]...")


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure certificates, and make the shipped ones."""


@main.command()
@boards_argument
def boards(boards: tuple[str, ...]) -> None:
    """Exact scores of empty boards: all of up to 36 squares, and three larger ones."""
    for board in boards or (*map(str, narrow_boards.boards(narrow=False)), *LARGE):
        _keep(results.BOARDS, proving.measure(Claim(board)))


@main.command()
@click.option("--only", type=click.IntRange(1), help="Only the position of this number.")
def positions(only: int | None) -> None:
    """Exact scores of the positions of begin-hard."""
    hard = shipped_set()["begin-hard"]
    for position in hard if only is None else hard[only - 1 : only]:
        found = proving.measure(Claim("7x6", position.moves))
        if found.score != position.score:
            raise click.ClickException(f"{position.moves}: {found.score}, not {position.score}")
        _keep(results.POSITIONS, found)


@main.command()
@boards_argument
@click.option("--python/--no-python", default=True, help="Ask the checker in pure Python, too.")
def plain(boards: tuple[str, ...], *, python: bool) -> None:
    """Exact scores of empty boards without any rule."""
    for board in boards or PLAIN:
        _keep(results.PLAIN, proving.measure(Claim(board, rules="none"), python=python))


@main.command("narrow")
def all_narrow() -> None:
    """Exact scores of all boards with few columns or rows."""
    _keep(results.NARROW, narrow_boards.measure())


@main.command()
@click.option("--files", type=click.IntRange(1), default=10_000, show_default=True)
def tampered(files: int) -> None:
    """Change certificates of small boards, and ask both checkers."""
    found = [verdicts(claim, files // len(CLAIMS)) for claim in CLAIMS]
    sums = {name: sum(getattr(each, name) for each in found) for name in Verdicts.__slots__}
    _keep(results.TAMPERED, Verdicts(**sums))


@main.command()
@click.option("--certificate", default="7x6", show_default=True, help="Its file, or a board.")
@click.option("--games", "number", type=click.IntRange(1), default=1000, show_default=True)
@click.argument("opponents", nargs=-1)
def games(certificate: str, number: int, opponents: tuple[str, ...]) -> None:
    """Play games of the proof against other players."""
    for opponent in opponents or OPPONENTS:
        _keep(results.GAMES, playing.measure(certificate, opponent, number))


@main.command()
@click.option("--write", is_flag=True, help="Replace the shipped files.")
def shipped(*, write: bool) -> None:
    """Make the shipped certificates anew, and compare the bytes."""
    differing = []
    for board in BOARDS:
        path = shipped_file(board)
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory) / path.name
            Claim(str(board)).make(out)
            made = out.read_bytes()
        is_same = path.exists() and path.read_bytes() == made
        click.echo(f"{path.name}: {len(made):,} bytes, {'the same' if is_same else 'different'}")
        if not is_same:
            differing.append(path.name)
            if write:
                with atomic_file(path) as beside:
                    beside.write_bytes(made)
    if differing and not write:
        raise click.ClickException(f"made differently now: {', '.join(differing)}")


def _keep(kind: str, figure: results.Figure) -> None:
    click.echo(figure)
    results.keep(kind, figure)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.certificates")
