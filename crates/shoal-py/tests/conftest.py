"""Data that the tests share. Everything runs on the installed wheel."""

import random
from pathlib import Path

import pandas as pd
import pytest

import shoal

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def people():
    """A hundred people of six towns, always the same."""
    draw = random.Random(7)
    towns = ["Ulm", "Passau", "Kiel", "Bremen", "Husum", "Füssen"]
    return pd.DataFrame(
        {
            "name": [f"person {n}" for n in range(100)],
            "age": [draw.randint(18, 90) for _ in range(100)],
            "town": [draw.choice(towns) for _ in range(100)],
            "illness": [draw.choice(["flu", "cold", "asthma"]) for _ in range(100)],
        }
    )


@pytest.fixture(scope="session")
def key_file(tmp_path_factory):
    """A key file, always with the same key: with another one, people with equal quasi-identifiers are dealt otherwise."""
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_text("8f1c2d3e4a5b69780716a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1ff\n")
    path.chmod(0o600)
    return str(path)


@pytest.fixture
def policy(key_file):
    towns = shoal.tree({"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum"]})
    return (
        shoal.Policy()
        .identifier("name")
        .quasi("age", kind="integer")
        .quasi("town", hierarchy=towns)
        .sensitive("illness")
        .k(5)
        .algorithm(key_file=key_file)
    )


def smallest_class(frame, columns):
    """Counted by pandas, with no code of Shoal's."""
    return frame.groupby(columns, observed=True, dropna=False).size().min()
