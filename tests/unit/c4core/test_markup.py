"""Tables in HTML: what is in them is text. And the results that show themselves by them."""

from html.parser import HTMLParser

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


def test_an_evaluation() -> None:
    texts = parsed(Evaluation(3, 3, 1200, 0.5)._repr_html_()).texts
    assert texts == ["score", "3", "value", "win", "nodes", "1,200", "seconds", "0.5"]
    assert "-2 to 4" in Evaluation(-2, 4)._repr_html_()
    assert "not known" in Evaluation(-2, 4)._repr_html_()


def test_an_analysis() -> None:
    texts = parsed(Analysis((1, None, 0, -3), 1, 1, 9, 0.1)._repr_html_()).texts
    assert texts[:9] == ["column", "1", "2", "3", "4", "score", "+1", "0", "-3"]
    assert texts[9] == "best"
    assert texts.count("best") == 1
    assert "best" not in parsed(Analysis((1, None), -2, 4)._repr_html_()).texts
