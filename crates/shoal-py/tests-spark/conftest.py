"""One cluster for all tests."""

import os

import pytest

from cluster import cluster


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    # One core of each worker for the session, and another for whoever submits a job beside it.
    with cluster(tmp_path_factory.mktemp("spark"), os.environ["SHOAL_WHEEL"], cores=2, spark_cores_max="2", spark_executor_cores="1") as session:
        yield session
