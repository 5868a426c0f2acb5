"""The example notebook runs and shows the stored output."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.svg import elements

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
