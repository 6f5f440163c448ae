"""What comes back says what was verified, in the types that were given where they can say it."""

import datetime
import decimal
import json
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal._tuples import json_line

POLICY = shoal.Policy().quasi("age", kind="integer").insensitive("other").k(3)
AGES = [20, 21, 22, 60, 61, 62] * 2
BIG = 2**53 + 1

COLUMNS = {
    "whole": pa.array([BIG, 5, -(2**63)] * 4),
    "whole and nulls": pa.array([BIG, None, BIG + 1] * 4),
    "beyond int64": pa.array([2**64 - 1, None, 2**63] * 4, pa.uint64()),
    "whole floats": pa.array([1e18, None, 3.0] * 4),
    "long floats": pa.array([1e22, 1e23, 1e-7] * 4),
    "short floats": pa.array([0.1, None, 16777216.0] * 4, pa.float32()),
    "numbers as texts": pa.array([str(BIG), None, "1"] * 4),
    "floats as texts": pa.array(["0.0000001", None, "2.5"] * 4),
    "digits as texts": pa.array(["007", None, "7"] * 4),
    "truth": pa.array([True, None, False] * 4),
    "truth as texts": pa.array(["true", None, "false"] * 4),
    "days": pa.array([datetime.date(2024, 2, 29), None, datetime.date(1960, 1, 1)] * 4),
    "moments": pa.array([datetime.datetime(2024, 2, 29, 12, 0, 0, 500), None, datetime.datetime(1960, 1, 1)] * 4, pa.timestamp("us")),
    "moments with a zone": pa.array([datetime.datetime(2024, 2, 29, 12), None, datetime.datetime(1960, 1, 1)] * 4, pa.timestamp("us", "Europe/Berlin")),
    "times": pa.array([datetime.time(12, 30, 0, 500), None, datetime.time(1, 2, 3)] * 4),
    "durations": pa.array([datetime.timedelta(hours=1), None, datetime.timedelta(seconds=-1.5)] * 4),
    "decimals": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal("0.15")] * 4),
    "long decimals": pa.array([decimal.Decimal("0.1234567890123456789"), None, decimal.Decimal("5.0000000000000000001")] * 4),
    "decimals of few digits": pa.array([decimal.Decimal("0.15"), decimal.Decimal("0.25")] * 6, pa.decimal128(38, 2)),
}


def given(values, library):
    table = pa.table({"age": AGES, "other": values})
    if library == "polars":
        return pl.from_arrow(table)
    if library == "objects":
        return pd.DataFrame({"age": AGES, "other": pd.Series(values.to_pylist(), dtype=object)})
    if library == "categories":
        return pd.DataFrame({"age": AGES, "other": pd.Categorical(pd.Series(values.to_pylist(), dtype=object))})
    return table.to_pandas() if library == "pandas" else table


LIBRARIES = ["pandas", "objects", "categories", "polars", "pyarrow"]
# Arrow does not read Python's integers beyond int64.
UNREADABLE = [("beyond int64", "objects"), ("beyond int64", "categories")]


@pytest.mark.parametrize("name, library", [pair for pair in product(COLUMNS, LIBRARIES) if pair not in UNREADABLE])
def test_what_comes_back_says_what_was_verified(name, library):
    original = given(COLUMNS[name], library)
    release = shoal.anonymize(original, POLICY)
    assert release.verify(original)
    verdict = shoal.verify(release.data, POLICY, original)
    assert verdict, verdict
    # And the type is that of the original.
    types = [frame.schema if library in ("polars", "pyarrow") else frame.dtypes for frame in (release.data, original)]
    found, expected = (types["other"] if hasattr(types, "keys") else types.field("other").type for types in types)
    # A category dtype lists what is published, in an order of its own.
    assert isinstance(found, pd.CategoricalDtype) if library == "categories" else found == expected


@pytest.mark.parametrize("kind", ["int64", "float64", "datetime64[ns]", "timedelta64[ns]"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_names_of_groups_that_only_look_like_values_stay_texts(kind, library):
    # `007` is no number that is written so, and a day of a column of moments is not the midnight that it would become.
    values = pd.Series(np.array([1, 2, 3, 4] * 3)).astype(kind)
    table = pa.table({"other": pa.array(values)})
    texts = {
        "int64": ["1", "2", "3", "4"],
        "float64": ["1", "2", "3", "4"],
        "datetime64[ns]": [f"1970-01-01T00:00:00.00000000{n}" for n in range(1, 5)],
        "timedelta64[ns]": [f"PT0.00000000{n}S" for n in range(1, 5)],
    }[kind]
    names = {"int64": "00{}", "float64": "{}.0", "datetime64[ns]": "1970-01-0{}", "timedelta64[ns]": "{}"}
    groups = shoal.tree({names[kind].format(7): texts[:2], names[kind].format(8): texts[2:]})
    # Three records have each value: only the groups are crowds.
    policy = shoal.Policy().quasi("other", hierarchy=groups).k(5)
    frame = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "pyarrow": lambda: table}[library]()
    release = shoal.anonymize(frame, policy)
    published = {str(value) for value in pa.table(release)["other"].to_pylist()}
    assert published == {names[kind].format(n) for n in (7, 8)}
    assert set(release.data["other"].to_pylist() if library == "pyarrow" else release.data["other"].to_list()) == published
    assert shoal.verify(release.data, policy, frame)


def test_ends_of_ranges_are_whole_where_some_are_missing():
    frame = pd.DataFrame({"n": pd.Series([10**18 + 1001 * n + 1 for n in range(30)] + [None] * 4, dtype="Int64")})
    policy = shoal.Policy().quasi("n", kind="integer", missing="category").k(3)
    release = shoal.anonymize(frame, policy, ranges="columns")
    assert set(release.data["n_min"].dropna()) == set(pa.table(release)["n_min"].to_pylist()) - {None}
    # No interval can hold them.
    release = shoal.anonymize(frame, policy, ranges="interval")
    assert release.data.columns.tolist() == ["n_min", "n_max"]
    small = shoal.anonymize(frame - 10**18, policy, ranges="interval").data
    assert small["n"].dtype == "interval[float64, both]" and small["n"].isna().sum() == 4


def test_what_is_changed_in_the_data_does_not_change_the_release():
    frame = pd.DataFrame({"age": AGES, "other": range(12)})
    for original in (frame, pl.from_pandas(frame)):
        release = shoal.anonymize(original, POLICY)
        before, data = release.data, release.data
        if isinstance(data, pd.DataFrame):
            data.loc[:, "other"] = -1
        else:
            data[0, "other"] = -1
        assert not data.equals(before) and release.data.equals(before)
    lists = pd.DataFrame({"basket": [["milk", "bread"], ["milk", "beer"], ["bread", "beer"]] * 5})
    release = shoal.anonymize(lists, shoal.Policy("transactions").data(items="basket").privacy(k=3, m=2))
    before, data = [list(basket) for basket in release.data["basket"]], release.data
    data["basket"][0][0] = "changed"
    assert [list(basket) for basket in release.data["basket"]] == before


def interval(values, **keys):
    policy = shoal.Policy().quasi("c", **keys).k(5)
    release = shoal.anonymize(pd.DataFrame({"c": values}), policy, ranges="interval")
    return release.data.drop_duplicates()


def test_intervals_of_dates_are_read_in_the_format_of_the_policy():
    texts = ["07.05.2020", "08.05.2020", "09.05.2020", "10.06.2020", "11.06.2020", "12.06.2020"] * 2
    moments = pd.to_datetime(texts, format="%d.%m.%Y")
    expected = [(pd.Timestamp("2020-05-07"), pd.Timestamp("2020-05-09")), (pd.Timestamp("2020-06-10"), pd.Timestamp("2020-06-12"))]
    ends = lambda data: sorted((one.left, one.right) for one in data["c"])
    assert ends(interval(texts, kind="date", format="%d.%m.%Y")) == expected
    assert ends(interval([moment.date().isoformat() for moment in moments], kind="date")) == expected
    assert ends(interval([moment.date() for moment in moments], kind="date")) == expected
    assert ends(interval(moments, kind="date")) == expected
    zoned = ends(interval(pd.Series(moments).dt.tz_localize("UTC"), kind="date"))
    assert zoned == [(low.tz_localize("UTC"), high.tz_localize("UTC")) for low, high in expected]


def test_intervals_of_numbers_are_exact_or_two_columns():
    texts = interval(["1.50", "2.25", "3.10", "9.25", "10.10", "11.20"] * 2, kind="decimal")
    assert sorted((one.left, one.right) for one in texts["c"]) == [(1.5, 3.1), (9.25, 11.2)]
    long = [decimal.Decimal("0.1234567890123456789") + n for n in range(12)]
    data = interval(long, kind="decimal")
    assert data.columns.tolist() == ["c_min", "c_max"] and min(data["c_min"]) == "0.1234567890123456789"
    # Whole numbers as texts, one of them missing: floats would not be exact.
    whole = [f"0{2**53 + n}" for n in range(1, 7)] * 2 + [None] * 6
    assert interval(whole, kind="integer", missing="category").columns.tolist() == ["c_min", "c_max"]
    # Longer ago than pandas 2 can say in nanoseconds: exact, or as it was published.
    old = interval([f"0{n}.01.0900" for n in range(1, 7)] * 2, kind="date", format="%d.%m.%Y")
    assert "c_min" in old.columns or {one.left.year for one in old["c"]} == {900}


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_floats_are_pushed_as_the_texts_that_tables_have(dtype, tmp_path):
    values = np.array([1.0, 0.1, 2.5, -0.0, 1e-7, 1e22 if dtype != "float16" else 1e4, 3.3e4, np.inf, -np.inf], dtype)
    frame = pd.DataFrame({"age": [20, 21, 22] * 3, "other": values})
    saved = shoal.anonymize(frame, POLICY).save(tmp_path / "table")
    texts = set(pd.read_csv(saved, dtype=str)["other"])
    lines = [json_line({"x": value}) for value in values]
    assert {json.loads(line, parse_int=str, parse_float=str)["x"] for line in lines} == texts


def test_a_float_is_known_by_the_text_that_a_table_has():
    policy = (
        shoal.Policy("stream").data(person="who").identifier("who").quasi("age", kind="integer")
        .sensitive("illness", domain=["1", "2", "3", "4"]).privacy(l=2)
    )
    stream = shoal.Stream(policy)
    for value in (1, 1.0, "1", np.float32(1), np.int8(1)):
        assert stream.push({"who": "ann", "age": 34, "illness": value})
    line = json_line({"a": decimal.Decimal("1E+2"), "b": b"text", "c": [1.5], "d": True, "e": float("nan"), "f": "ü"})
    assert line == '{"a": "100", "b": "text", "c": [1.5], "d": true, "e": null, "f": "ü"}'
    with pytest.raises(shoal.Error, match="UTF-8"):
        json_line({"a": b"\xff"})
