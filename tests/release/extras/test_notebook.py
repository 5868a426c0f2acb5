"""The example notebook runs and shows the stored output; tables of pandas are complete."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from c4core import BoardSize, Position, Solver
from c4core.arena.file_formats import game_of_moves
from tests.support.svg import elements
from workers.answers.service import AnswerService
from workers.match.reviews import review_game, review_rows

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "examples" / "notebook.ipynb"

RUN = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=sys.argv[2])
nbformat.write(notebook, sys.argv[3])
"""


def test_it_runs_and_draws_the_stored_pictures(tmp_path: Path) -> None:
    """It runs in a separate process, because Jupyter's warnings do not concern the tests."""
    made = tmp_path / "made.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", RUN, NOTEBOOK, ROOT, made],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    drawn, stored = pictures(made), pictures(NOTEBOOK)
    assert len(drawn) == 5
    assert drawn == stored
    assert elements(drawn[-1], "animateTransform")


def outputs(path: Path) -> list[dict[str, str]]:
    """The output of the cells, by content type."""
    cells = json.loads(path.read_text())["cells"]
    return [
        {kind: "".join(text) for kind, text in output.get("data", {}).items()}
        for cell in cells
        for output in cell.get("outputs", [])
    ]


def pictures(path: Path) -> list[str]:
    return [shown["image/svg+xml"] for shown in outputs(path) if "image/svg+xml" in shown]


def test_tables_of_pandas_are_flat_and_complete() -> None:
    pandas = pytest.importorskip("pandas")
    solver = Solver(table_mb=1)
    positions = [Position("1122", width=4, height=4), Position("1213121", width=4, height=4)]
    rows = [{**each.to_dict(), **solver.analyze(each).to_dict()} for each in positions]
    frame = pandas.DataFrame(rows)
    assert frame.shape == (2, len(rows[0]))
    assert {"moves", "key", "score", "value", "best", "score_1", "score_4"} <= {*frame.columns}
    batch = pandas.DataFrame(solver.analyze_many(positions).to_dict())
    assert batch["score"].tolist() == frame["score"].tolist()
    assert batch["score_1"].isna().tolist() == frame["score_1"].isna().tolist() == [False, True]
    service = AnswerService(None, threads=1, table_mb=1)
    game = review_game(game_of_moves("1213", BoardSize(4, 4)), service)
    service.close()
    moves = pandas.DataFrame(review_rows([game]))
    assert moves["move"].tolist() == [1, 2, 3, 4]
    assert moves.groupby("side")["loss"].sum().notna().all()
