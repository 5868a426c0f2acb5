"""Books as Parquet: damaged files, and valid ones with other columns."""

import io
from pathlib import Path
from random import Random

import pyarrow as pa
from pyarrow import parquet

from c4core.book import Book
from c4core.book.exchange import read_parquet, write_parquet
from c4core.errors import BookError, KeyValueError
from tests.release.fuzz.mutation import mutated
from tests.release.fuzz.target import Target
from tests.release.fuzz.targets.parquet import other_column
from tests.support.boards.small_books import small_book

NAMES = ("key", "score", "ply", "key.x", "more", "")


def prepare(directory: Path) -> Target:
    """The target."""
    path = directory / "a.parquet"
    small_book(directory / "a.c4book", width=3, height=3)
    with Book.open(directory / "a.c4book") as book:
        write_parquet(book, path)
    sample = path.read_bytes()
    footer = len(sample) - 8 - int.from_bytes(sample[-8:-4], "little")
    table = parquet.read_table(io.BytesIO(sample))

    def forged(chance: Random) -> bytes:
        changed = table.slice(0, chance.choice((0, 1, 5, table.num_rows)))
        many = chance.choice((1, 1, 1, 300))
        changed = pa.concat_tables([changed] * many)
        for _ in range(chance.choice((1, 1, 2))):
            place = chance.randrange(changed.num_columns)
            name = chance.choice((changed.column_names[place], *NAMES))
            try:
                changed = changed.set_column(place, name, other_column(chance, changed.num_rows))
            except pa.ArrowException:
                continue
        out = io.BytesIO()
        try:
            parquet.write_table(changed, out, compression=chance.choice(("zstd", "gzip", "none")))
        except pa.ArrowException:
            return sample
        return out.getvalue()

    def make(chance: Random) -> bytes:
        match chance.randrange(4):
            case 0:
                return mutated(chance, sample)
            case 1:  # its metadata, with the right length
                about = mutated(chance, sample[footer:-8])
                return sample[:footer] + about + len(about).to_bytes(4, "little") + b"PAR1"
            case _:
                data = forged(chance)
                return mutated(chance, data) if chance.random() < 0.2 else data

    def run(data: bytes) -> None:
        path.write_bytes(data)
        read_parquet(path)

    return Target(make, run, (BookError, KeyValueError))
