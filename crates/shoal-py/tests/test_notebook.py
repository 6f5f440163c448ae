"""The notebook that ships with the project runs from its first cell to its last."""

import nbformat
from nbclient import NotebookClient

from conftest import ROOT


def test_the_notebook_runs():
    folder = ROOT / "examples" / "notebook"
    notebook = nbformat.read(folder / "adult.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    # A release shows its report.
    assert any("iframe" in output.get("data", {}).get("text/html", "") for output in shown)
