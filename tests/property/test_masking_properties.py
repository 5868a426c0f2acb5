"""Passwords are never shown, for any characters and any way of writing the URL."""

import logging
import string
from urllib.parse import unquote

from hypothesis import assume, example, given, strategies as st

from db.errors import StorageError
from db.urls import is_secret_name, masked, parse_url, place, show_url
from workers.celery.broker import check_url
from workers.errors import BrokerUrlError
from workers.logs import Masking, OneLine

MARK = "hunter2"
"""Part of every password, and of nothing else."""

anything = st.text(max_size=8)
specials = st.text(alphabet="@:/?#&=%;[]+ *\\'\"é", max_size=6)
parts = anything | specials
passwords = st.builds(lambda before, after: f"{before}{MARK}{after}", parts, parts) | st.builds(
    lambda before, between, after: f"{MARK}{before}{MARK}{between}{MARK}{after}",
    specials,
    specials,
    specials,
)
words = st.text(alphabet=string.ascii_lowercase + string.digits + "-._", min_size=1, max_size=8)
hosts = words | st.just("[::1]") | st.just("127.0.0.1") | st.just("")
ports = st.just("") | st.integers(1, 65_535).map(lambda port: f":{port}")
databases = ["postgresql", "postgres", "postgresqll", "postgresql+psycopg", "sqlite", "mysql"]
brokers = ["redis", "rediss", "amqp", "amqps", "pyamqp", "kafka", "sentinel", "http"]
schemes = st.sampled_from([*databases, *brokers])
separators = st.sampled_from(["://", "://", "://", ":///", ":////", ":/", "//", ":"])
tails = st.sampled_from(["", "/", "/c4", "//", "/0", "/c4?sslmode=require", "?connect_timeout=3"])
secret_names = st.sampled_from(["password", "sslpassword", "passfile", "PASSWORD", "p%61ssword"])

with_user = st.builds(
    "{}{}{}:{}@{}{}{}".format,
    schemes,
    separators,
    words | st.just(""),
    passwords,
    hosts,
    ports,
    tails,
).filter(lambda url: not url.startswith("sqlite:///"))  # SQLite URLs are paths
with_parameter = st.builds(
    "{}{}{}{}{}{}{}={}".format,
    schemes,
    st.sampled_from(["://", ":///"]),
    hosts,
    ports,
    st.sampled_from(["", "/", "/c4"]),
    st.sampled_from(["?", "?sslmode=require&", "?connect_timeout=3&user=me&"]),
    secret_names,
    passwords,
)
# The end of a password that begins like a port is ambiguous.
without_host = st.builds(
    "{}{}{}:{}".format, schemes, st.sampled_from(["://", ":///"]), words, passwords
).filter(
    lambda url: (
        not url.rpartition(":")[2][:1].isdecimal()
        and "@" not in url
        and not url.startswith("sqlite:///")
    )
)
with_keyword = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(["", "host=h ", "host = 'h'\tuser=me ", "dbname=d\n", "host='h'"]),
    secret_names,
    st.sampled_from(["=", " = ", "= ", "='", " = '"]),
    passwords,
    st.sampled_from(["", "'"]),
    st.sampled_from(["", " dbname=d", " host=h@i port=5432"]),
)
secret_urls = with_user | with_parameter | without_host | with_keyword


@given(secret_urls)
@example("postgresql://[::1]?password=@hunter2")
@example("postgresql://[::1]?password=&name=hunter2")
@example("postgresql://:hunter2,@[::1]/")
def test_a_password_is_never_shown(url: str) -> None:
    assert MARK not in masked(url)
    try:
        check_url(url)
    except BrokerUrlError as error:
        assert MARK not in str(error)  # noqa: PT017 (valid URLs raise no error)
    try:
        parsed = parse_url(url)
    except StorageError as error:
        assert MARK not in str(error)  # noqa: PT017
        assert MARK not in repr(error.__dict__)  # noqa: PT017
    else:
        if parsed.get_backend_name() != "sqlite":
            assert MARK not in show_url(parsed) + place(parsed)


@given(with_user, st.booleans())
def test_library_log_lines_hide_the_password(url: str, traces: bool) -> None:  # noqa: FBT001
    formatter = Masking(OneLine(traces=traces), [url])
    for text in (url, f"cannot reach {url}: refused", f"no such port {url!r}"):
        record = logging.LogRecord("kombu", logging.ERROR, __file__, 1, "%s", (text,), None)
        assert MARK not in formatter.format(record)


@given(
    st.sampled_from(["postgresql", "postgres", "amqp", "amqps", "redis"]),
    st.one_of(st.just(""), words.map("{}@".format), words.map("{}:@".format)),
    hosts.filter(bool),
    ports,
    tails,
)
def test_urls_without_a_password_are_unchanged(
    scheme: str, user: str, host: str, port: str, tail: str
) -> None:
    assume(not (scheme == "redis" and user.endswith("@") and ":" not in user))
    url = f"{scheme}://{user}{host}{port}{tail}"
    assert masked(url) == url
    record = logging.LogRecord("c4", logging.ERROR, __file__, 1, "%s", (f"at {url}",), None)
    assert Masking(logging.Formatter(), [url]).format(record) == f"at {url}"


@given(
    st.text(alphabet=string.ascii_letters + string.digits + "/.-_ %~", max_size=20).filter(
        lambda path: not set("@:=") & set(unquote(path))
    )
)
@example("/home/me@work/c4.db")
@example("~/a:b@c.db")
@example("./a:b@c")
@example("sqlite:////a:b@c")
def test_file_names_are_unchanged(path: str) -> None:
    assert masked(path) == path


@given(
    st.lists(
        st.tuples(words, st.sampled_from(["=", " = ", " ="]), words).map("".join),
        min_size=1,
        max_size=3,
    )
)
def test_values_of_other_names_are_unchanged(pairs: list[str]) -> None:
    assume(not any(map(is_secret_name, pairs)))  # a value may be the beginning of the next name
    text = " ".join(pairs)
    assert masked(text) == text


def test_an_ordinary_name_with_an_equals_sign_is_a_file() -> None:
    for name in ("a=b.db", "depth=4,seed=7.db", "data/n=5/c4.db", "c4 = copy.db"):
        assert parse_url(name).database == name
