"""Frames as people have them: nulls of every kind, slices, chunks, streams that can be read once, columns that cannot be read."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal

POLICY = shoal.Policy().quasi("age", kind="integer").insensitive("other").k(3)


def ages(count):
    return [20, 21, 22, 60, 61, 62] * (count // 6)


@pytest.mark.parametrize(
    "other",
    [
        pd.array([1, None, 3] * 4, dtype="Int8"),
        pd.array([1.5, None, 3.25] * 4, dtype="Float32"),
        pd.array([True, None, False] * 4, dtype="boolean"),
        pd.array(["a", None, "ß"] * 4, dtype="string"),
        pd.array([1, None, 3] * 4, dtype="int32[pyarrow]"),
        pd.array(["a", None, "b"] * 4, dtype=pd.ArrowDtype(pa.large_string())),
        pd.Series(pd.to_datetime(["2024-02-29T12:00:00.123456789", None, "1960-01-01"] * 4, format="ISO8601")).astype("datetime64[ns]"),
        pd.Series(pd.to_datetime(["2024-02-29T12:00:00", None, "1960-01-01T00:00:00"] * 4)).dt.tz_localize("Europe/Berlin"),
        pd.Series([np.uint64(2**64 - 1), np.uint64(0), np.uint64(7)] * 4),
        pd.Series([np.nan, 1.5, 2.0] * 4),
        pd.Series([2**53 + 1, -(2**63), 2**63 - 1] * 4, dtype="int64"),
        pd.Series([decimal.Decimal("1.10"), None, decimal.Decimal("2.25")] * 4),
        pd.Series([datetime.date(2024, 2, 29), None, datetime.date(1960, 1, 1)] * 4),
        pd.Series(pd.to_timedelta(["1D", None, "90min"] * 4)),
        pd.Series(pd.period_range("2024-01", periods=12, freq="M")),
        pd.Series(["a", None, "b"] * 4, dtype=object),
    ],
    ids=lambda value: str(value.dtype),
)
def test_columns_that_stay_keep_type_and_values(other):
    frame = pd.DataFrame({"age": ages(12), "other": other})
    # The index is of whatever kind.
    frame.index = pd.Index([f"row {n}" for n in range(12)])
    data = shoal.anonymize(frame, POLICY).data
    assert data["other"].dtype == frame["other"].dtype
    key = lambda column: sorted(map(str, column.dropna()))
    assert key(data["other"]) == key(frame["other"]) and data["other"].isna().sum() == frame["other"].isna().sum()


@pytest.mark.parametrize(
    "other",
    [
        pa.array([1, None, 3] * 4, pa.uint16()),
        pa.array([b"a", None, b"b"] * 4, pa.binary()),
        pa.array(["a", None, "b"] * 4, pa.string_view()),
        pa.array(["a", None, "b"] * 4).dictionary_encode(),
        pa.array([datetime.datetime(2024, 2, 29, 12), None, datetime.datetime(1960, 1, 1)] * 4, pa.timestamp("ms", "UTC")),
        pa.array([datetime.date(2024, 2, 29), None, datetime.date(1960, 1, 1)] * 4, pa.date32()),
        pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("2.25")] * 4, pa.decimal128(9, 2)),
        pa.nulls(12),
    ],
    ids=lambda value: str(value.type),
)
def test_arrow_types_stay(other):
    table = pa.table({"age": ages(12), "other": other})
    data = shoal.anonymize(table, POLICY).data
    found = data.schema.field("other").type
    if pa.types.is_dictionary(other.type):
        # The codes are ours: how many there are is told by what is published.
        assert pa.types.is_dictionary(found) and found.value_type.equals(other.type.value_type)
    else:
        assert found.equals(other.type)
    key = lambda column: sorted(map(str, column.to_pylist()))
    assert key(data.column("other")) == key(table.column("other"))


def test_slices_chunks_dictionaries_and_streams_are_the_same_data():
    towns = ["Ulm", "Kiel", None] * 4
    plain = pa.table({"age": ages(12), "other": towns})
    longer = pa.table({"age": [1, *ages(12), 99], "other": ["not here", *towns, "nor here"]})
    dictionary = pa.DictionaryArray.from_arrays(pa.array([1, 3, None] * 4, pa.int8()), pa.array(["unused", "Ulm", "unused too", "Kiel"]))
    expected = shoal.anonymize(plain, POLICY).data.to_pylist()
    given = {
        "slice": longer.slice(1, 12),
        "chunks": pa.concat_tables([plain.slice(0, 5), plain.slice(5, 0), plain.slice(5)]),
        "dictionary": pa.table({"age": plain["age"], "other": dictionary}),
        "batch": plain.to_batches()[0],
        "reader": pa.RecordBatchReader.from_batches(plain.schema, plain.to_batches(max_chunksize=4)),
        "pandas": plain.to_pandas(),
        "polars": pl.concat([pl.from_arrow(plain.slice(0, 7)), pl.from_arrow(plain.slice(7))], rechunk=False),
    }
    for name, frame in given.items():
        data = shoal.anonymize(frame, POLICY).data
        table = data if isinstance(data, pa.Table) else pa.table(data) if isinstance(data, pd.DataFrame) else data.to_arrow()
        rows = [{key: None if value != value else value for key, value in row.items()} for row in table.to_pylist()]
        assert rows == expected, name


def test_a_stream_that_can_be_read_once_is_enough_for_hierarchies():
    # The hierarchy is built from the same data that are anonymized afterwards.
    plain = pa.table({"age": ages(12), "other": ["x"] * 12})
    policy = shoal.Policy().quasi("age", hierarchy=shoal.bands(10, 30)).insensitive("other").k(3)
    reader = pa.RecordBatchReader.from_batches(plain.schema, plain.to_batches())
    assert len(shoal.anonymize(reader, policy)) == 12

    class Once:
        """Anything that hands out a stream, once: whoever asks again gets what is left of it."""

        def __init__(self):
            self.reader = pa.RecordBatchReader.from_batches(plain.schema, plain.to_batches())

        def __arrow_c_stream__(self, requested_schema=None):
            return self.reader.__arrow_c_stream__(requested_schema)

    data = shoal.anonymize(Once(), policy).data
    assert isinstance(data, pa.Table) and len(data) == 12


def test_nan_and_none_are_missing_alike():
    # pandas has one missing value; Polars and PyArrow have NaN beside null.
    none = pl.DataFrame({"age": ages(12), "other": [1.5, None, 2.5] * 4})
    nan = none.with_columns(pl.col("other").fill_null(float("nan")))
    for frame in (none, nan, none.to_pandas(), nan.to_arrow()):
        release = shoal.anonymize(frame, POLICY)
        assert release.verify(frame) and len(release) == 12
    quasi = shoal.Policy().quasi("age", "other", kind="decimal").k(2)
    assert shoal.anonymize(none, quasi).verify(none)
    with pytest.raises(shoal.Error, match="NaN") as refused:
        shoal.anonymize(nan, quasi)
    assert "data.missing" in refused.value.hint
    assert shoal.anonymize(nan, quasi.data(missing=["NaN"])).verify(nan)


def test_columns_that_cannot_be_read_are_named():
    cases = {
        "mixed": [1, "two", 3.0] * 4,
        "huge": [2**70, 1, 2] * 4,
        "complex": np.array([1j, 2j, 3j] * 4),
        "objects": [object()] * 12,
    }
    for name, values in cases.items():
        frame = pd.DataFrame({"age": ages(12), "other": values})
        with pytest.raises(shoal.Error, match="other") as refused:
            shoal.anonymize(frame, POLICY)
        assert refused.value.place == "column other" and "astype(str)" in refused.value.hint, name
        assert len(shoal.anonymize(frame.assign(other=frame["other"].astype(str)), POLICY)) == 12
    nested = pa.table({"age": ages(12), "other": [{"a": 1}] * 12})
    with pytest.raises(shoal.Error, match="other") as refused:
        shoal.anonymize(nested, POLICY)
    assert refused.value.hint


def test_errors_can_be_said_without_values():
    """For logs, which others read than the data."""
    table = pa.table({"age": ["20", "forty"] * 3, "other": ["x"] * 6})
    with pytest.raises(shoal.Error, match="forty") as raised:
        shoal.anonymize(table, POLICY)
    assert "`age`" in raised.value.without_values and "forty" not in raised.value.without_values


def test_names_of_columns():
    twice = pd.DataFrame([[20, 1, 2]] * 6, columns=["age", "other", "other"])
    for frame in (twice, pa.Table.from_arrays([pa.array([20] * 6), pa.array([1] * 6), pa.array([2] * 6)], ["age", "other", "other"])):
        with pytest.raises(shoal.Error, match="other") as refused:
            shoal.anonymize(frame, POLICY)
        assert refused.value.hint
    # Names that are no texts are known by their text.
    numbered = pd.DataFrame({0: ages(12), 1: ["x"] * 12})
    data = shoal.anonymize(numbered, shoal.Policy().quasi("0", kind="integer").insensitive("1").k(3)).data
    assert data.columns.tolist() == ["0", "1"]


def test_what_has_no_records_or_is_one_column():
    for frame in (pd.DataFrame({"age": [], "other": []}), pa.table({"age": pa.array([], pa.int64()), "other": pa.array([], pa.string())}), pl.DataFrame(schema={"age": pl.Int64, "other": pl.String})):
        with pytest.raises(shoal.Error, match="no records") as refused:
            shoal.anonymize(frame, POLICY)
        assert refused.value.hint
    for column in (pd.Series([1, 2]), pl.Series([1, 2]), pa.array([1, 2])):
        with pytest.raises(TypeError, match="not a frame"):
            shoal.anonymize(column, POLICY)


def test_intervals_of_numbers_and_of_dates(people):
    frame = pd.DataFrame({"seen": pd.to_datetime(["2024-01-01", "2024-02-03", "2024-03-01", "2023-01-01"] * 3).date, "cost": [1.5, 2.5, 3.5, 9.25] * 3})
    policy = shoal.Policy().quasi("seen", kind="date").quasi("cost", kind="decimal").k(3)
    data = shoal.anonymize(frame, policy, ranges="interval").data
    assert data["cost"].array.left.dtype == "float64" and str(data["seen"].dtype).startswith("interval[datetime64")
    assert all(pd.Timestamp("2023-01-01") <= interval.left <= interval.right for interval in data["seen"])
    # Somebody who is starred has no interval.
    starred = shoal.Policy().quasi("age", kind="integer").identifier("name", "town", "illness").k(5).output(suppressed="star")
    ages_ = shoal.anonymize(people, starred, ranges="interval").data["age"]
    assert isinstance(ages_.dtype, pd.IntervalDtype)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_points_in_time_are_dates_without_a_format(zone):
    seen = pd.Series(pd.date_range("2024-01-01", periods=24, freq="36h")).dt.tz_localize(zone)
    frame = pd.DataFrame({"seen": seen, "age": ages(24)})
    plain = shoal.Policy().quasi("seen", kind="date").quasi("age", kind="integer").k(3)
    months = plain.quasi("seen", hierarchy=shoal.dates("month", "year"))
    for given in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        for policy in (plain, months):
            release = shoal.anonymize(given, policy)
            assert release.verify(given) and shoal.verify(release.data, policy, given)
    # Months from their first moment to their last.
    assert {text[:11] for text in shoal.anonymize(frame, months).data["seen"]} <= {"[2024-01-01", "[2024-02-01", "*"}


def test_rows_of_pandas_and_numpy_are_pushed_as_what_they_are():
    policy = (
        shoal.Policy("stream").data(person="who").identifier("who").quasi("age", kind="integer")
        .sensitive("illness", domain=["asthma", "cold", "flu", "gout"]).privacy(l=2)
    )
    frame = pd.DataFrame({"who": ["ann", "bob"], "age": np.array([34, 41]), "illness": ["flu", "cold"]})
    plain = shoal.Stream(policy)
    expected = [released for row in ([{"who": "ann", "age": 34, "illness": "flu"}, {"who": "bob", "age": 41, "illness": "cold"}]) for released in plain.push(row)]
    stream = shoal.Stream(policy, key=plain.key, used_for=plain.key_use())
    assert [released for _, row in frame.iterrows() for released in stream.push(row)] == expected
    assert isinstance(expected[0]["age"], int)
    csv = shoal.Stream(policy.data(format="csv", names=["who", "age", "illness"]))
    with pytest.raises(TypeError, match="CSV"):
        csv.push({"who": "ann", "age": 34, "illness": "flu"})


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_points_in_time_are_pushed_as_the_texts_that_tables_have(unit, zone, tmp_path):
    policy = (
        shoal.Policy("stream").data(person="who").identifier("who").quasi("seen")
        .sensitive("illness", domain=["asthma", "cold", "flu", "gout"]).privacy(l=2)
    )
    moments = ["2024-02-29T12:00:00", "1960-01-01T00:00:00.5", "2024-07-01T01:02:03.123456", "2024-07-01T01:02:03.123456789"]
    seen = pd.Series(pd.to_datetime(moments * 3, format="ISO8601")).dt.as_unit(unit).dt.tz_localize(zone)
    saved = shoal.anonymize(pd.DataFrame({"age": ages(12), "other": seen}), POLICY).save(tmp_path / "table")
    texts = set(pd.read_csv(saved, dtype=str)["other"])

    def pushed(values):
        stream = shoal.Stream(policy)
        return {stream.push({"who": f"p{n}", "seen": value, "illness": "flu"})[0]["seen"] for n, value in enumerate(values)}

    assert pushed(seen) == pushed(seen.to_numpy()) == texts
    if unit == "us":
        assert pushed(value.to_pydatetime() for value in seen) == texts


def test_days_and_what_is_missing_are_pushed_as_in_tables():
    policy = (
        shoal.Policy("stream").data(person="who").identifier("who").quasi("seen")
        .sensitive("illness", domain=["asthma", "cold", "flu", "gout"]).privacy(l=2)
    )
    stream = shoal.Stream(policy)
    push = lambda value: stream.push({"who": "ann", "seen": value, "illness": "flu"})[0]["seen"]
    day = datetime.date(2024, 2, 29)
    assert push(day) == push(np.datetime64(day)) == push(np.datetime64(day, "D")) == "2024-02-29"
    assert push(np.datetime64("2024-02-29T12:30")) == "2024-02-29T12:30:00"
    nothing = [push(value) for value in (None, np.datetime64("NaT", "ns"), np.datetime64("NaT"), pd.NaT, pd.NA, float("nan"))]
    assert nothing == [nothing[0]] * 6


def test_durations_are_pushed_as_the_texts_that_tables_have(tmp_path):
    policy = (
        shoal.Policy("stream").data(person="who").identifier("who").quasi("spent")
        .sensitive("illness", domain=["asthma", "cold", "flu", "gout"]).privacy(l=2)
    )
    spent = pd.Series(pd.to_timedelta(["1D", "90min", "-1.5s", "1ns", "0s", "2h"] * 2))
    saved = shoal.anonymize(pd.DataFrame({"age": ages(12), "other": spent}), POLICY).save(tmp_path / "table")
    stream = shoal.Stream(policy)
    push = lambda value: stream.push({"who": "ann", "spent": value, "illness": "flu"})[0]["spent"]
    texts = set(pd.read_csv(saved, dtype=str)["other"])
    assert set(map(push, spent)) == set(map(push, spent.to_numpy())) == texts
