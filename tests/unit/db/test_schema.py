import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text
from syrupy.assertion import SnapshotAssertion

from db.database import Database
from db.errors import NotADatabaseError, SchemaTooNewError, StorageError
from db.migrations import HEAD, REVISIONS
from db.models import Base
from db.schema import SchemaState, Standing, alembic_config, classify, migrate, read_state, refuse
from db.urls import parse_url

OWN = frozenset({"alembic_version", "evaluations", "jobs", "units"})


def test_revisions_match_the_migrations_in_order() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        script = ScriptDirectory.from_config(alembic_config(connection))
    engine.dispose()
    assert script.get_heads() == [HEAD]
    walked = [revision.revision for revision in script.walk_revisions()]
    assert tuple(reversed(walked)) == REVISIONS


# SQLAlchemy cannot read the definition of an index of expressions in SQLite.
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection", "ignore:autogenerate skipping")
def test_migrations_create_the_schema_of_the_models(empty_url: str) -> None:
    engine = create_engine(parse_url(empty_url))
    with engine.begin() as connection:
        migrate(connection)
        assert read_state(connection).standing is Standing.CURRENT
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


@pytest.mark.parametrize(
    ("tables", "revision", "standing"),
    [
        ([], None, Standing.EMPTY),
        (OWN, "c4_0003", Standing.CURRENT),
        (OWN | {"extra"}, "c4_0003", Standing.CURRENT),
        (OWN, "c4_0001", Standing.OLD),
        (OWN, "c4_0002", Standing.OLD),
        (OWN, "c4_0004", Standing.NEW),
        (OWN | {"players"}, "9999", Standing.NEW),
        (OWN, None, Standing.DAMAGED),
        (OWN - {"alembic_version"}, None, Standing.FOREIGN),
        (["alembic_version"], None, Standing.EMPTY),
        (["alembic_version"], "1975ea83b712", Standing.FOREIGN),
        (["alembic_version", "albums"], None, Standing.FOREIGN),
        (["albums"], None, Standing.FOREIGN),
        (["jobs"], None, Standing.FOREIGN),
        (["alembic_version", "costs", "workers"], "17", Standing.FOREIGN),
    ],
)
def test_standing_of_a_schema(
    tables: list[str], revision: str | None, standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.schema.REVISIONS", ("c4_0001", "c4_0002", "c4_0003"))
    monkeypatch.setattr("db.schema.HEAD", "c4_0003")
    assert classify(frozenset(tables), revision) is standing


def test_unusable_schemas_are_refused(snapshot: SnapshotAssertion) -> None:
    found = {}
    for standing in set(Standing) - {Standing.CURRENT}:
        with pytest.raises(StorageError) as caught:
            refuse(SchemaState(standing, "c4_0000", ("a", "b", "c", "d")), "here")
        message = str(caught.value).replace(HEAD, "HEAD")
        found[standing.name] = (type(caught.value).__name__, message)
        if isinstance(caught.value, SchemaTooNewError):
            assert (caught.value.found, caught.value.needed) == ("c4_0000", HEAD)
    assert found == snapshot


def test_upgrading_an_empty_database_creates_the_schema(empty_url: str, tmp_path: Path) -> None:
    (tmp_path / "c4.db").touch()
    assert Database.upgrade(empty_url) == (None, HEAD)
    assert Database.upgrade(empty_url) == (HEAD, HEAD)
    with Database.open(empty_url, create=False) as database:
        assert not database.created


def test_tables_of_another_program_are_left_alone(empty_url: str) -> None:
    _execute(empty_url, "CREATE TABLE albums (id INTEGER)")
    for use in (Database.open, Database.upgrade):
        with pytest.raises(NotADatabaseError, match=r"another program \(tables albums\)"):
            use(empty_url)


def test_a_current_database_is_opened_without_alembic(sqlite_path: Path) -> None:
    program = (
        "import sys; from db.database import Database; "
        f"Database.open({str(sqlite_path)!r}).close(); "
        "sys.exit('alembic' in sys.modules or 'psycopg' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[3])


def _execute(url: str, statement: str) -> None:
    engine = create_engine(parse_url(url))
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()
