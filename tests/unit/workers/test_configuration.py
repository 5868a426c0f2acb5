"""The environment variables."""

from workers.configuration import misspelled


def test_misspelled_variables_are_reported() -> None:
    others = ("C4_PORT", "C4_SERVER_SERVICE_HOST", "C4_TEST_SERVERS", "C4_DB_PASSWORD", "HOME")
    known = ("C4_DB", "C4_THREADS", "C4_WEB_THREADS", "C4_TRACE")
    wrong = {"C4_DB_URL": "C4_DB", "C4_THREDS": "C4_THREADS", "C4_TOKEN": "C4_WEB_TOKEN"}
    assert list(misspelled(dict.fromkeys((*others, *known, *wrong), "1"))) == [
        f"the environment variable {name} is unknown: is it meant to be {meant}?"
        for name, meant in wrong.items()
    ]
