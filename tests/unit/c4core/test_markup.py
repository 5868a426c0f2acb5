"""Tables in HTML: what is in them is text. And the results that show themselves by them."""

from html.parser import HTMLParser

from syrupy.assertion import SnapshotAssertion

from c4core.evaluation import Analysis, Evaluation
from c4core.markup import facts_html, printable, signed, table_html

HOSTILE = "<img src=x onerror=alert(1)> & \x1b\x00"


class Tags(HTMLParser):
    """Collects tags and texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 (its signature)
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def parsed(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    return tags


def test_text_of_strangers_is_text() -> None:
    for html in (table_html([HOSTILE], [[HOSTILE]], HOSTILE), facts_html({HOSTILE: HOSTILE})):
        tags = parsed(html)
        assert "img" not in tags.tags
        assert set(tags.texts) == {printable(HOSTILE)}


def test_cells() -> None:
    tags = parsed(table_html(["a", "b"], [[1, None], ["x", 2.5]]))
    assert tags.texts == ["a", "b", "1", "x", "2.5"]
    assert (tags.tags.count("tr"), tags.tags.count("td")) == (3, 4)


def test_scores_have_a_sign() -> None:
    assert [signed(score) for score in (3, 0, -2, None)] == ["+3", "0", "-2", ""]


def test_results(snapshot: SnapshotAssertion) -> None:
    results = (
        Evaluation(3, 3, 1200, 0.5),
        Evaluation(-2, 4),
        Analysis((1, None, 0, -3), 1, 1, 9, 0.1),
        Analysis((1, None), -2, 4),
    )
    assert [parsed(result._repr_html_()).texts for result in results] == snapshot
