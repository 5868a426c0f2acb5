import pytest

from db.errors import UnknownSchemeError
from db.urls import parse_url, place, show_url


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("c4.db", "sqlite:///c4.db"),
        ("/var/lib/c4.db", "sqlite:////var/lib/c4.db"),
        ("/var/lib/c4.db\n", "sqlite:////var/lib/c4.db"),
        ("postgresql://me:pw@host/c4\r\n", "postgresql://me:***@host/c4"),
        ("sqlite:///c4.db", "sqlite:///c4.db"),
        ("sqlite:///c4.db?mode=ro", "sqlite:///c4.db?mode=ro"),
        ("dir/a file 100%.db", "sqlite:///dir/a file 100%.db"),
        ("postgres://me:pw@host:5433/c4", "postgresql://me:***@host:5433/c4"),
        ("postgresql+psycopg://me:p%40w@host/c4", "postgresql://me:***@host/c4"),
        ("postgresql://host/c4?user=me&password=pw", "postgresql://host/c4"),
        ("postgresql://me@host/c4?sslpassword=p&passfile=x", "postgresql://me@host/c4"),
        ("postgresql://me:p/w@host/c4", "postgresql://me:***@host/c4"),
        (
            "postgresql://me:pw@h1:5432,h2:5433/c4?sslmode=require",
            "postgresql://me:***@/c4?host=h1%3A5432&host=h2%3A5433&sslmode=require",
        ),
    ],
)
def test_urls_are_parsed_and_shown_without_secrets(text: str, shown: str) -> None:
    assert show_url(parse_url(text)) == shown


def test_a_tilde_is_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert parse_url("~/c4.db").database == "/home/ada/c4.db"
    assert parse_url("sqlite:///~/c4.db").database == "/home/ada/c4.db"


def test_messages_show_the_path_of_a_file_and_the_url_of_a_server() -> None:
    assert place(parse_url("sqlite:////tmp/c4.db")) == "/tmp/c4.db"  # noqa: S108
    url = parse_url("postgres://me:pw@host/c4")
    assert place(url) == "postgresql://me:***@host/c4"
    assert url.drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    "text",
    [
        "mysql://me:secret@host/c4",
        "postgresql+asyncpg://me:secret@host/c4",
        "postgresql://me:secret@host:port/c4",
        "postgresql://me:x@secret@host/c4",
        "postgresql://me:secret",
        "postgresql:///me:secret@host/c4",
        "postgresql:///me:secret",
        "postgresql://host/me:secret@c4",
        "postgresql:/me:secret@host/c4",
        "postgresql//me:secret@host/c4",
        "postgresql:host/c4",
        "postgresql://u%3Asecret@host/c4",
        "postgresql://u%3Asecret@h1:1,h2:2/c4",
        "postgresql://host/c4;password=secret",
        "me:secret@host/c4",
        "host=h password=secret dbname=d",
        "dbname=d password = 'a secret'",
        "host='h'passfile=/home/me/secret",
        "sqlite:c4.db",
        "sqlite://c4.db",
        "sqlite:///c4.db?mode=rw",
        "sqlite:///c4.db?mode=ro&immutable=1",
        "sqlite:///c4.db?",
        "sqlite://",
        "sqlite:///:memory:",
        "",
        "a\0b",
    ],
)
def test_bad_urls_are_refused(text: str) -> None:
    with pytest.raises(
        UnknownSchemeError, match=r"^(not a|unknown) database|names no file"
    ) as caught:
        parse_url(text)
    assert "secret" not in str(caught.value)
    assert "secret" not in caught.value.url
