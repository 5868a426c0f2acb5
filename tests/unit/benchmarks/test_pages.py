"""Every page with measurements shows the figures that were kept, and keeps what it promises."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.books import results as books
from benchmarks.certificates import results as certificates
from benchmarks.datasets import results as datasets
from benchmarks.deep import boards as deep
from benchmarks.engine import tables
from benchmarks.engine.results import Results
from benchmarks.experiments import pages as experiments
from benchmarks.experiments import results as findings
from benchmarks.experiments.__main__ import main as experiments_main
from benchmarks.experiments.catalogue import EXPERIMENTS
from benchmarks.learning import pages as learning
from benchmarks.learning import results as trainings
from benchmarks.matches import pages as matches
from benchmarks.matches.__main__ import main as matches_main
from benchmarks.matches.outcomes import Outcomes
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import DOCS, RESULTS, fill, span_text, table
from benchmarks.scaling import pages as scaling
from benchmarks.scaling.__main__ import main as scaling_main
from benchmarks.scaling.costs import Measured
from benchmarks.web import results as web
from benchmarks.web.__main__ import main as web_main
from c4core.certificate.shipped import BOARDS, shipped_file
from c4core.dataset.card.page import card_page
from c4core.dataset.records import COLUMNS
from c4core.players import parse_player
from cli.bench.positions import shipped_set
from tests.support.boards.datasets import made, recipe

Texts = dict[str, str]


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def kept(name: str) -> Path:
    return RESULTS / f"{name}.json"


def figures(name: str) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(kept(name).read_text(encoding="utf-8"))
    return found


def datasets_texts() -> Texts:
    lines = datasets.page_lines(json.loads(kept("datasets").read_text(encoding="utf-8")))
    return {"times": "\n" + "\n".join(lines) + "\n"}


def deep_texts() -> Texts:
    proofs = [deep.Proof(**each) for each in json.loads(kept("deep").read_text(encoding="utf-8"))]
    return {"boards": deep.table(proofs)}


TEXTS: dict[str, Callable[[], Texts]] = {
    "books": lambda: books.page_parts(figures("books")),
    "certificates": lambda: certificates.page_parts(figures("certificates")),
    "datasets": datasets_texts,
    "deep": deep_texts,
    "experiments": lambda: experiments.sections(findings.read(kept("experiments"))),
    "learning": lambda: learning.sections(trainings.read(kept("learning"))),
    "matches": lambda: matches.sections(Outcomes.read(kept("matches"))),
    "performance": lambda: tables.sections(Results.read(kept("performance"))),
    "scaling": lambda: scaling.sections(Measured.read(kept("scaling"))),
    "web": lambda: web.sections(web.read(kept("web"))),
}
REPORTS = {
    "experiments": experiments_main,
    "matches": matches_main,
    "scaling": scaling_main,
    "web": web_main,
}
"""Those that a command fills anew, without pictures."""


@pytest.mark.parametrize("name", TEXTS)
def test_page_shows_the_figures_that_were_kept(name: str) -> None:
    assert fill(page(name), TEXTS[name]()) == page(name)


def test_every_page_with_places_is_tested() -> None:
    with_places = {path.stem for path in DOCS.glob("*.md") if "<!-- begin" in path.read_text()}
    assert with_places - {"reliability", "cli"} == set(TEXTS)


@pytest.mark.parametrize(("name", "main"), REPORTS.items())
def test_report_fills_a_page(name: str, main: click.Command, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    emptied = r"(<!-- begin \w+ -->\n).*?(<!-- end)"
    path.write_text(re.sub(emptied, r"\1\2", page(name), flags=re.DOTALL))
    arguments = ["report", str(kept(name)), "--page", str(path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert path.read_text(encoding="utf-8") == page(name)
    path.write_text("nothing")
    done = CliRunner().invoke(main, arguments)
    assert (done.exit_code, "Error: " in done.output) == (1, True)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("text", ["[]", '{"format": 99}'])
def test_report_refuses_figures_of_something_else(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    done = CliRunner().invoke(
        REPORTS[name], ["report", str(file), "--page", str(DOCS / f"{name}.md")]
    )
    assert done.exit_code == 1
    assert "other.json" in done.output


def test_page_with_other_places_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for run"):
        fill("", {"run": "text"})
    with pytest.raises(ValueError, match="a place for 'odd'"):
        fill("<!-- begin odd -->\n<!-- end odd -->", {"run": "text"})


def test_words_of_a_table_are_to_the_left() -> None:
    lines = table(["what", "how much"], [("one", "1")]).splitlines()
    assert lines[1:] == ["| --- | ---: |", "| one | 1 |"]


def test_spans() -> None:
    seconds = (0.04, 59.4, 59.97, 1101.26, 3599.6, 9480.0)
    texts = ["0.0 s", "59.4 s", "1 min 00 s", "18 min 21 s", "1 h 00 min", "2 h 38 min"]
    assert [span_text(each) for each in seconds] == texts


# What the figures and the pages promise


def test_scores_of_certificates_are_known() -> None:
    found = figures("certificates")
    scores = {position.moves: position.score for position in shipped_set()["begin-hard"]}
    for entry in found[certificates.POSITIONS]:
        assert scores[entry["moves"]] == entry["score"]
    by_board = {entry["board"]: entry["score"] for entry in found[certificates.BOARDS]}
    for entry in found[certificates.PLAIN]:
        assert by_board[entry["board"]] == entry["score"]
    for entry in found[certificates.GAMES]:
        assert (entry["below"], entry["forfeits"], entry["searches"]) == (0, 0, 0)
    for entry in found[certificates.TAMPERED]:
        assert entry["accepted"] == entry["independently"] == entry["both"] == entry["true"]


def test_page_of_certificates_names_what_is_shipped() -> None:
    named = " and ".join([", ".join(map(str, BOARDS[:-1])), str(BOARDS[-1])])
    assert f"the empty boards {named} come with the program" in page("certificates")
    assert all(shipped_file(board).stat().st_size <= 2_000_000 for board in BOARDS)


def test_page_of_data_sets_explains_every_column() -> None:
    for column in COLUMNS:
        row = rf"^\| `{column.name}` \| \w+ {re.escape(column.shape)} \|"
        assert re.search(row, page("datasets"), re.MULTILINE)


def test_card_for_people() -> None:
    _, card = made(recipe(count=50))
    text = card_page(card | {"files": []})
    for name, part in card["splits"].items():
        assert f"| {name} | {part['positions']} | {part['win']} (" in text
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert sum(int(number) for _ply, number in rows) == 50
    assert f"| duplicates dropped | {card['duplicates']} |" in text
    assert card["command"] in text


def test_experiments_are_those_of_the_program() -> None:
    for name, run in findings.read(kept("experiments")).items():
        assert run.sample == EXPERIMENTS[name].sample
        assert run.command == f"python -m benchmarks.experiments {name}"
    with pytest.raises(ValueError, match="these experiments were never run: seats, "):
        experiments.sections({})


def test_every_part_of_learning_was_measured() -> None:
    found = trainings.read(kept("learning"))["parts"]
    assert set(found) == set(trainings.PARTS)
    assert learning.NOT_MEASURED not in page("learning")
    confusion = found["cnn"]["confusion"]
    right = confusion["true_true"] + confusion["false_false"]
    assert confusion["accuracy"] == pytest.approx(right / confusion["games"], abs=1e-6)
    assert confusion["accuracy"] > 0.99  # the source's


def test_every_quick_match_was_played() -> None:
    outcomes = Outcomes.read(kept("matches"))
    by_name = {match.name: match for match in all_matches()}
    assert len(by_name) == len(all_matches())
    assert {match.group for match in by_name.values()} == set(GROUPS)
    for match in by_name.values():
        parse_player(match.a)
        parse_player(match.b)
        assert match.reported is None or match.reported.games == match.games, match.name
        outcome, longer = outcomes.find(match.name), outcomes.find(match.name, longer=True)
        assert match.is_slow or (outcome and longer), match.name
        assert outcome is None or outcome.results.games == match.games
        assert longer is None or longer.results.games >= 2000
        if match.reading_of:
            first = by_name[match.reading_of]
            assert (first.reported, first.reading_of) == (match.reported, "")


def test_page_of_scaling_names_every_command() -> None:
    named = re.findall(r"python -m benchmarks\.scaling (\w+)", page("scaling"))
    assert set(named) == set(scaling_main.commands)


@pytest.mark.parametrize("name", ["learning", "matches"])
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page(name)):
        assert (DOCS / link).resolve().exists(), link
