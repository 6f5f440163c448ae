"""Frames of every kind come back as they were given, and nothing is copied on the way."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import _native
from conftest import smallest_class


def test_pandas_polars_and_pyarrow_give_the_same_release(people, policy):
    table = pa.Table.from_pandas(people, preserve_index=False)
    releases = [shoal.anonymize(data, policy) for data in (people, pl.from_pandas(people), table)]
    frames = [release.data for release in releases]
    assert [type(frame) for frame in frames] == [pd.DataFrame, pl.DataFrame, pa.Table]
    rows = [frames[0].astype(str).values.tolist()]
    rows.append([[str(cell) for cell in row] for row in frames[1].rows()])
    rows.append([[str(cell) for cell in row.values()] for row in frames[2].to_pylist()])
    assert rows[0] == rows[1] == rows[2]
    assert smallest_class(frames[0], ["age", "town"]) >= 5
    assert "name" not in frames[0].columns


def test_the_order_of_rows_says_nothing(people, policy):
    shuffled = people.sample(frac=1, random_state=3)
    assert shoal.anonymize(people, policy).data.equals(shoal.anonymize(shuffled, policy).data)


def test_categories_stay_categories_and_lists_only_what_is_published(people, policy):
    people["illness"] = pd.Categorical(people["illness"], categories=["flu", "cold", "asthma", "a rare one nobody has"])
    people["town"] = people["town"].astype("category")
    data = shoal.anonymize(people, policy).data
    assert isinstance(data["illness"].dtype, pd.CategoricalDtype)
    assert sorted(data["illness"].cat.categories) == ["asthma", "cold", "flu"]
    # The original names of towns that were generalized are not there either.
    assert set(data["town"].cat.categories) == set(data["town"])
    polars = pl.from_pandas(people)
    assert shoal.anonymize(polars, policy).data.schema["illness"] == pl.Categorical


def test_types_of_columns_that_are_published_as_they_are_stay(policy):
    frame = pd.DataFrame(
        {
            "age": [20, 21, 22, 60, 61, 62] * 2,
            "visits": pd.array([1, 2, None, 4, 5, 6] * 2, dtype="Int16"),
            "cost": pd.Series([1.5, 2.25, 3, 4, 5, 6] * 2, dtype="float32"),
            "smoker": [True, False] * 6,
            "seen": pd.to_datetime(["2024-01-01", "2024-02-03"] * 6),
        }
    )
    policy = shoal.Policy().quasi("age", kind="integer").insensitive("visits", "cost", "smoker", "seen").k(3)
    data = shoal.anonymize(frame, policy).data
    for column in ["visits", "cost", "smoker", "seen"]:
        assert data[column].dtype == frame[column].dtype, column
    assert sorted(data["cost"]) == sorted(frame["cost"])
    assert sorted(data["seen"]) == sorted(frame["seen"])


def test_buffers_are_not_copied():
    table = pa.table({"age": pa.array(range(1000), pa.int64()), "town": pa.array(["a", "b"] * 500)})
    addresses = dict(_native.addresses(table))
    for name in table.column_names:
        buffers = table.column(name).chunk(0).buffers()
        assert addresses[name] == [buffer.address for buffer in buffers if buffer is not None], name
    # And what is handed out twice is the same memory.
    release = shoal.anonymize(table, shoal.Policy().quasi("age", kind="integer").insensitive("town").k(10))
    one, two = (pa.table(release).column("town").chunk(0).indices.buffers()[1].address for _ in range(2))
    assert one == two
    polars = pl.DataFrame({"age": list(range(1000))})
    assert dict(_native.addresses(polars))["age"] == [polars.to_arrow().column("age").chunk(0).buffers()[1].address]


def test_ranges_as_columns_and_as_intervals(people, policy):
    two = shoal.anonymize(people, policy, ranges="columns").data
    assert {"age_min", "age_max"} <= set(two.columns) and "age" not in two.columns
    one = shoal.anonymize(people, policy, ranges="interval").data
    assert isinstance(one["age"].dtype, pd.IntervalDtype)
    assert one.columns.tolist() == ["age", "town", "illness"]
    assert (one["age"].array.left == two["age_min"]).all()
    with pytest.raises(ValueError, match="columns"):
        shoal.anonymize(pl.from_pandas(people), policy, ranges="interval")


def test_what_is_no_frame_is_refused(policy):
    with pytest.raises(TypeError, match="is not a frame"):
        shoal.anonymize([1, 2, 3], policy)
    with pytest.raises(TypeError, match="collect"):
        shoal.anonymize(pl.LazyFrame({"age": [1]}), policy)


def test_a_pandas_index_is_not_published(people, policy):
    people.index = people["name"]
    assert shoal.anonymize(people, policy).data.columns.tolist() == ["age", "town", "illness"]


def test_subclasses_of_frames_are_frames_of_their_library(people, policy):
    class Study(pd.DataFrame):
        """As GeoPandas and others make them."""

        @property
        def _constructor(self):
            return Study

    class Cohort(pl.DataFrame):
        pass

    expected = shoal.anonymize(people, policy).data
    study = Study(people.set_index(people["name"].rename("who")))
    data = shoal.anonymize(study, policy).data
    assert type(data) is pd.DataFrame and data.equals(expected)
    twice = Study([[20, 1, 2]] * 6, columns=["age", "other", "other"])
    with pytest.raises(shoal.Error, match="two columns have the same name: other"):
        shoal.anonymize(twice, policy)
    assert type(shoal.anonymize(Cohort(people), policy).data) is pl.DataFrame
    # A column is no frame, whoever has made its class.
    with pytest.raises(TypeError, match="with this column"):
        shoal.anonymize(type("Column", (pd.Series,), {})([1, 2]), policy)
