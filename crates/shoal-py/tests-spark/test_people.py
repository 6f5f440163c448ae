"""t-closeness and beta-likeness of people, who can have several records. What is published is counted here, in plain Python."""

import math
import random
from collections import defaultdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import shoal
import shoal.spark
from conftest import KEY_FILE
from shoal.spark import _tables
from test_spark import hashes

QUASI = ["age", "town"]
POLICY = (
    shoal.Policy()
    .identifier("who")
    .data(person="who", known_rows="one")
    .quasi("age", kind="integer")
    .quasi("town", hierarchy=shoal.tree({"South": ["Ulm", "Passau"], "North": ["Kiel", "Husum"]}))
    .sensitive("illness", "cost")
    .set("columns.cost.kind", "integer")
    # Each record has its own number, so that one machine knows whose each published row is.
    .insensitive("visit", kind="integer")
    .k(5)
    .algorithm(rounds=1, key_file=KEY_FILE)
)
CONDITIONS = [
    {"columns.illness.t-closeness": {"t": 0.35, "distance": "equal"}},
    {"columns.illness.beta-likeness": {"beta": 1.5, "kind": "enhanced"}},
    {"columns.cost.t-closeness": {"t": 0.3, "distance": "ordered"}},
]


def visits(people, seed=1):
    draw, rows = random.Random(seed), []
    for person in range(people):
        age, town = draw.randint(20, 79), draw.choice(["Ulm", "Passau", "Kiel", "Husum"])
        for _ in range(draw.choice([1, 1, 2, 3])):
            # Some values are had twice by one person.
            rows.append((f"w{person}", age, town, draw.choice(["flu", "cold", "gout", "acne"]), draw.choice([1, 2, 3, 5, 8] if age < 50 else [2, 3, 5, 8, 13]), len(rows)))
    return pa.table(dict(zip(["who", "age", "town", "illness", "cost", "visit"], map(list, zip(*rows)))))


def worst(rows, column, rule, numbers=False):
    """The greatest distance, or the greatest use of what may be gained, over all crowds of people."""
    having, members, everybody, all_people = defaultdict(lambda: defaultdict(set)), defaultdict(set), defaultdict(set), set()
    for row in rows:
        crowd, who = tuple(row[name] for name in QUASI), row["__shoal_person__"]
        having[crowd][row[column]].add(who)
        members[crowd].add(who)
        everybody[row[column]].add(who)
        all_people.add(who)
    values, all_pairs = sorted(everybody), sum(map(len, everybody.values()))
    each = all_pairs / len(all_people)
    found = 0.0
    for crowd, of in having.items():
        n, pairs = len(members[crowd]), sum(map(len, of.values()))
        if rule == "beta":
            for value, people in of.items():
                p = len(everybody[value]) / len(all_people)
                found = max(found, len(people) / n / ((1 + min(1.5, -math.log(p))) * p))
            continue
        surplus = [len(of[value]) / pairs - len(everybody[value]) / all_pairs for value in values]
        if numbers:
            moved = sum(abs(sum(surplus[: at + 1])) for at in range(len(values) - 1)) / (len(values) - 1)
        else:
            moved = sum(one for one in surplus if one > 0)
        found = max(found, moved * each + max(pairs / n - each, 0.0))
    return found


@pytest.mark.parametrize("asked", CONDITIONS, ids=["t", "beta", "ordered t"])
def test_people_are_counted_against_everybody(spark, tmp_path, monkeypatch, asked):
    policy, table, rows = POLICY, visits(900), []
    for key, value in asked.items():
        policy = policy.set(key, value)
    released = _tables.TableJob.released

    def watched(job, plan, largest):
        given = released(job, plan, largest)
        # Whose records these are is known here and not published.
        rows.extend(row.asDict() for row in given.collect())
        return given

    monkeypatch.setattr(_tables.TableJob, "released", watched)
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=400)
    assert release.parts >= 2 and len(rows) == table.num_rows
    promise = next(one for one in release.found["promises"] if "closeness" in one["name"] or "likeness" in one["name"])
    assert promise["name"].endswith("of people")
    ((key, parameters),) = asked.items()
    rule, column = ("beta" if "beta" in key else "t"), key.split(".")[1]
    used = worst(rows, column, rule, numbers=column == "cost") / parameters.get("t", 1.0)
    assert used <= 1 + 1e-9 and promise["used"] == pytest.approx(used)
    published = pq.read_table(tmp_path / "out")
    assert set(published.column_names) == {*QUASI, "illness", "cost", "visit"}
    # The verifier of one machine finds the same.
    verdict = shoal.verify(published, policy, table)
    assert verdict and verdict["promises"], verdict
    if rule == "t":
        found = next(one["found"] for one in verdict["promises"] if one["name"] == "t-closeness")
        assert found == pytest.approx(used * parameters["t"])


def test_a_promise_about_people_that_breaks_is_noticed(spark, tmp_path, monkeypatch):
    """Values of the workers' rows are dealt out anew, so that crowds stay and everybody's values do too: only what is compared can notice."""
    policy = POLICY.set(*next(iter(CONDITIONS[0].items())))
    released = _tables.TableJob.released

    def sorted_by_value(job, plan, largest):
        given = released(job, plan, largest).toPandas().sort_values(QUASI, kind="stable")
        kept = ["illness", "cost", "visit"]
        given[kept] = given.sort_values("illness", kind="stable")[kept].to_numpy()
        given = given.astype({"cost": "int64", "visit": "int64"})
        return spark.createDataFrame(given, released(job, plan, largest).schema)

    monkeypatch.setattr(_tables.TableJob, "released", sorted_by_value)
    with pytest.raises(shoal.PromiseError, match="t-closeness of `illness` does not hold in the written files"):
        shoal.spark.anonymize(spark.createDataFrame(visits(400)), policy, str(tmp_path / "out"), part_records=400)
    assert list(tmp_path.iterdir()) == []


def test_texts_that_name_one_person_are_one_person_in_one_part(spark, tmp_path, monkeypatch):
    """The kernel takes ``w7`` and ``W7 `` for one; if they were two here, they could be in two parts, and be counted twice."""
    table, rows, parts = visits(400), [], {}
    written = [who if number % 2 else f" {who.upper()}\u200b " for number, who in enumerate(table["who"].to_pylist())]
    table = table.set_column(0, "who", pa.array(written))
    released = _tables.TableJob.released

    def watched(job, plan, largest):
        parts.update((row["who"], row["n"]) for row in job._parted(plan).groupBy("who").agg(F.countDistinct("__shoal_part__").alias("n")).collect())
        given = released(job, plan, largest)
        rows.extend(row.asDict() for row in given.collect())
        return given

    monkeypatch.setattr(_tables.TableJob, "released", watched)
    release = shoal.spark.anonymize(spark.createDataFrame(table), POLICY, str(tmp_path / "out"), part_records=300)
    assert release.parts >= 2 and len(rows) == table.num_rows
    assert set(parts) == {f"w{number}" for number in range(400)} and set(parts.values()) == {1}
    assert len({row["__shoal_person__"] for row in rows}) == 400


def test_names_change_nothing_where_values_are_missing(spark, tmp_path, monkeypatch):
    """Two people of whom one has in a column what the other has in the one beside it. Who has which name must not be seen."""
    draw, rows = random.Random(6), []
    for pair in range(150):
        age, town, illness = draw.randint(20, 79), draw.choice(["Ulm", "Passau", "Kiel", "Husum"]), draw.choice(["flu", "cold", "gout"])
        rows += [(f"w{2 * pair}", age, town, illness, None), (f"w{2 * pair + 1}", age, town, None, illness)]
    names = ["who", "age", "town", "illness", "cost"]
    table = pa.table(dict(zip(names, map(list, zip(*rows)))))
    swapped = table.set_column(0, "who", pa.array([f"w{number ^ 1}" for number in range(300)]))
    policy = POLICY.set("columns.visit", None).set("columns.cost.kind", "text")
    given, released = [], _tables.TableJob.released

    def watched(job, plan, largest):
        rows = job._parted(plan).drop("who").collect()
        given.append(sorted(map(str, rows)))
        assert len({row["__shoal_person__"].rsplit("-", 1)[0] for row in rows}) == len({(row["age"], row["town"], row["illness"], row["cost"]) for row in rows})
        return released(job, plan, largest)

    monkeypatch.setattr(_tables.TableJob, "released", watched)
    for number, one in enumerate((table, swapped)):
        shoal.spark.anonymize(spark.createDataFrame(one), policy, str(tmp_path / f"{number}"), part_records=150)
    # What the workers get, who is whose included, and so what they give.
    assert given[0] == given[1]
    assert hashes(tmp_path / "0") == hashes(tmp_path / "1") != {}


def test_records_of_nobody_are_refused_as_on_one_machine(spark, tmp_path):
    table = visits(200)
    table = table.set_column(0, "who", pa.array([None if number == 5 else who for number, who in enumerate(table["who"].to_pylist())]))
    with pytest.raises(shoal.Error) as here:
        shoal.anonymize(table, POLICY)
    with pytest.raises(shoal.Error) as there:
        shoal.spark.anonymize(spark.createDataFrame(table), POLICY, str(tmp_path / "out"))
    assert "who" in here.value.message and here.value.message.rsplit(": ", 1)[-1] == there.value.message.rsplit(": ", 1)[-1]
    assert list(tmp_path.iterdir()) == []


def test_an_identifier_that_repeats_is_said_where_nobody_says_whose_a_record_is(spark, tmp_path):
    table = visits(150)
    who = [None if number in (3, 9) else one for number, one in enumerate(table["who"].to_pylist())]
    table = table.set_column(0, "who", pa.array(who))
    policy = POLICY.set("data.person", None).set("data.known-rows", None)
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))
    (leak,) = [one for one in release.leaks if "share their `who`" in one]
    assert leak in shoal.anonymize(table, policy).leaks
