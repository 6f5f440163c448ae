"""What the kernel reads a value as, and what follows where Python or Spark write it otherwise. In a file that comes before test_spark.py, whose last test leaves one worker only."""

import datetime
import math
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import shoal
import shoal.spark
from shoal.spark._axes import Axis
from shoal.spark._conditions import Values
from shoal.spark._knowledge import Limit
from shoal.spark._names import PART, PERSON
from shoal.spark._sequences import SequencesJob
from shoal.spark._texts import folded, is_missing, kernel_text
from test_knowledge import POLICY as KNOWLEDGE
from test_knowledge import histories as known_histories
from test_sequences import POLICY as HISTORIES
from test_spark import POLICY, people

FRACTIONS = [5.0, -0.0, 0.1, 1e16, 1e21, 1.5e300, 1e-7, 2.5e-9, 123456.789, 1 / 3, math.inf, math.nan]


@pytest.mark.parametrize(
    "type, values",
    [
        (pa.float64(), FRACTIONS),
        (pa.float32(), [0.1, 5.0, 1e10, 16777217.0, 1e-7]),
        (pa.bool_(), [True, False]),
        (pa.int64(), [7, -1, 10**17]),
        (pa.date32(), [datetime.date(2020, 1, 2)]),
    ],
    ids=str,
)
def test_a_value_has_the_text_that_the_kernel_reads(type, values):
    is_fraction = pa.types.is_floating(type)
    # Of a column of texts the kernel publishes what it has read: alone, where it may get a type again, or in sets, which are texts.
    table = pa.table({"q": pa.array(values if is_fraction else values * 4, type)})
    published = pa.table(shoal.anonymize(table, shoal.Policy().quasi("q").k(2)).data)["q"].cast(pa.string()).to_pylist()
    found = {member for cell in published for member in cell.strip("{}").split(", ")} if is_fraction else set(published)
    assert {kernel_text(value, str(type)) for value in table["q"].to_pylist()} == found


def test_one_text_for_each_of_many_numbers():
    draw = random.Random(1)
    values = [draw.uniform(-1, 1) * 10 ** draw.randint(-30, 30) for _ in range(300)]
    for type, single in (("double", np.float64), ("float", np.float32)):
        assert all(single(kernel_text(float(single(value)), type)) == single(value) for value in values)
    assert not any("e" in kernel_text(value) for value in values)


def test_what_means_no_value_is_found_in_columns_of_any_type(spark):
    frame = spark.createDataFrame([(-1, -1.0, 0.1, True, "-1"), (5, 5.0, 5.0, False, " -1"), (None,) * 5], "i int, d double, f float, b boolean, s string")
    columns = [is_missing(F.col(name), type, ["", "-1", "0.1", "false"]).alias(name) for name, type in frame.dtypes]
    assert [tuple(row) for row in frame.select(*columns).collect()] == [(True, True, True, False, True), (False, False, False, True, True), (True,) * 5]


def test_spark_folds_as_the_kernel_does(spark):
    alike = [["HIV", "hiv", " H\u00adIV\u00a0"], ["7", "07", "7.0", "+7"], ["70e-1"], ["12345678901234567"], ["12345678901234568"], ["-0", "0"], ["?", "", None], ["flu"], ["1d"], ["1f"], ["1"], ["nan"], ["1e999"]]
    frame = spark.createDataFrame([(number, text) for number, of in enumerate(alike) for text in of], "number int, text string")
    values = {(row[0], row[1]) for row in frame.select("number", folded(F.col("text"), "string", ["", "?"])).collect()}
    assert len(values) == len(alike) == len({text for _, text in values})


def test_numbers_that_mean_no_value_have_no_place():
    axis = Axis("q", {"kind": "integer"}, missing=["", "-1", "0.1"])
    missing = float("-inf")
    assert axis.codes(pa.array([-1, 5, None])).tolist() == [missing, 5.0, missing]
    assert axis.codes(pa.array([0.1, 5.0], pa.float32())).tolist() == [missing, 5.0]
    assert axis.codes(pa.array(["-1", "5"])).tolist() == [missing, 5.0]


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, values)


def test_a_number_that_means_no_value_is_left_out_where_the_policy_says_so(spark, tmp_path):
    table = people(900)
    table = with_column(table, "age", pa.array([-1 if n % 30 == 0 else age for n, age in enumerate(table["age"].to_pylist())]))
    policy = POLICY.data(missing=["", "-1"]).set("columns.age.missing", "suppress")
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=300)
    assert (release.found["records-out"], release.found["records-suppressed"]) == (870, 30)


def test_a_number_that_means_no_value_is_no_end_of_a_range(spark, tmp_path):
    """Otherwise the whole would be wider than it is, and less would seem to be lost."""
    table = people(900)
    table = with_column(table, "age", pa.array([-100_000 if n % 30 == 0 else age for n, age in enumerate(table["age"].to_pylist())]))
    policy = POLICY.data(missing=["-100000"])
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=300)
    assert release.parts > 1
    assert release.found["ncp"] == pytest.approx(shoal.measure(table, pq.read_table(tmp_path / "out"), policy)["loss"]["ncp"])


@pytest.mark.parametrize("type, high, other, listed", [("bool", True, False, "true"), ("float32", 0.1, 2.5, "0.1"), ("float64", 5.0, 1e16, "5")])
def test_highly_sensitive_values_may_be_of_any_type(spark, tmp_path, monkeypatch, type, high, other, listed):
    # Every other person has one event and nothing in this column. Parts are cut by numbers of events.
    draw = random.Random(5)
    events = [(n, event) for n in range(600) for event in range(4 if n % 2 else 1)]
    values = [None if n % 2 == 0 else high if n % 10 == 1 and event == 0 else other for n, event in events]
    columns = {
        "patient": [f"patient {n}" for n, _ in events],
        "year": [2000 + event for _, event in events],
        "town": [draw.choice(["Ulm", "Passau", "Kiel", "Husum"]) for _ in events],
        "age": [draw.randint(20, 59) for _ in events],
        "illness": pa.array(values, getattr(pa, type.replace("bool", "bool_"))()),
        "note": ["note"] * len(events),
    }
    table = pa.table(columns)
    policy, parts, run = HISTORIES.privacy(sensitive_values=[listed]), {}, SequencesJob._run

    def watched(job, plan, distributions):
        for row in job._parted_people(plan, job._people()).select(PERSON, PART).collect():
            parts.setdefault(row[PART], []).append(row[PERSON])
        return run(job, plan, distributions)

    monkeypatch.setattr(SequencesJob, "_run", watched)
    shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=300)
    assert len(parts) >= 2 and any(all(int(who.split()[1]) % 2 == 0 for who in part) for part in parts.values())
    published = pq.read_table(tmp_path / "out")
    verdict = shoal.verify(published, policy, table)
    assert verdict, verdict
    assert any(one is not None for one in published["illness"].to_pylist())


@pytest.mark.parametrize("type, rare, others, listed", [("bool", True, [False], ["true"]), ("float32", 0.1, [1e10, 2.5, 3.5], None), ("float64", 1e16, [1e21, 2.5, 5.0], None)])
def test_whoever_has_a_value_of_any_type_is_published(spark, tmp_path, type, rare, others, listed):
    """(k,beta)^L: a value whose share is told under another text would be nobody's, and all who have it would be left out."""
    table, draw = known_histories(700), random.Random(1)
    values = [rare if one == "HIV" else draw.choice(others) for one in table["illness"].to_pylist()]
    table = with_column(table, "illness", pa.array(values, getattr(pa, type.replace("bool", "bool_"))()))
    policy = KNOWLEDGE.privacy(sensitive_values=listed)
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=450)
    assert release.parts >= 2
    published = pq.read_table(tmp_path / "out")
    assert set(published["illness"].to_pylist()) == set(table["illness"].to_pylist())
    assert published.num_rows > 0.3 * table.num_rows
    verdict = shoal.verify(published, policy, table)
    assert verdict, verdict


def test_listed_values_are_told_as_they_are_written_in_the_data(spark, tmp_path):
    table = known_histories(700)
    release = shoal.spark.anonymize(spark.createDataFrame(table), KNOWLEDGE.privacy(sensitive_values=["hiv"]), str(tmp_path / "out"), part_records=450)
    assert release.parts >= 2
    # What is listed in the data's own spelling is the same promise.
    verdict = shoal.verify(pq.read_table(tmp_path / "out"), KNOWLEDGE.privacy(sensitive_values=["HIV"]), table)
    assert verdict, verdict
    assert Limit("illness", 1.0, None, ["hiv"], ["HIV", "Hiv ", "flu"], "string").listed == ["HIV", "Hiv "]


def test_fractions_are_the_values_that_a_policy_names():
    values = Values("s", {}, [], [0.10000000149011612, 1e16], {}, "float")
    assert values.canonical("0.1") == values.canonical(0.10000000149011612) and values.canonical(1e16) == values.canonical("10000000000000000")
