"""One cluster for all tests."""

import os

import pytest

from cluster import cluster


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("spark"), os.environ["SHOAL_WHEEL"]) as session:
        yield session
