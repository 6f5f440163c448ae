"""One cluster for all tests."""

import os
import tempfile
from pathlib import Path

import pytest

from cluster import cluster

#: A key file, always with the same key: with another one, people with equal quasi-identifiers are dealt otherwise.
KEY_FILE = os.path.join(tempfile.mkdtemp(), "key")
Path(KEY_FILE).write_text("8f1c2d3e4a5b69780716a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1ff\n")
Path(KEY_FILE).chmod(0o600)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    # One core of each worker for the session, and another for whoever submits a job beside it.
    with cluster(tmp_path_factory.mktemp("spark"), os.environ["SHOAL_WHEEL"], cores=2, spark_cores_max="2", spark_executor_cores="1") as session:
        yield session
