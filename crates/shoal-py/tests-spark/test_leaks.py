"""What a release gives away although its promise holds: in one part it is what one machine finds, in the same words."""

import random

import pyarrow as pa
import pytest

import shoal
import shoal.spark
from shoal.spark._leaks import not_looked_at
from test_baskets import POLICY as BASKETS
from test_baskets import baskets
from test_knowledge import POLICY as KNOWLEDGE
from test_knowledge import histories as known_histories
from test_sequences import POLICY as HISTORIES
from test_sequences import histories
from test_spark import POLICY, people

#: What only Spark says, and what it says in other words.
OWN = ("where the data were cut", "where people were cut", "not looked at on Spark", "not transparent")


def compared(release, one):
    """What both say but for what only one can."""
    ours, theirs = ([text for text in leaks if not text.startswith(OWN)] for leaks in (release.leaks, one.leaks))
    return sorted(ours), sorted(theirs)


def table_of(records, seed=1):
    draw, table = random.Random(seed), people(records, seed)
    notes = [None if n % 9 == 0 else f"was seen with neighbour number {n} again" if n % 2 else "was seen here once again" for n in range(records)]
    columns = {
        "illness": [draw.choice(["flu", "FLU ", "cold", "gout", None, "?"]) for _ in range(records)],
        "note": notes,
        "number": [f"{n * 7919 % 100_003:05}" if n % 3 else "7" for n in range(records)],
        "cost": [n % 40 for n in range(records)],
        "when": [n // 40 for n in range(records)],
    }
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values)) if name in table.column_names else table.append_column(name, pa.array(values))
    # Three records of each person.
    return table.set_column(0, "name", pa.array([f"person {n // 3:06}" if n % 10 else None for n in range(records)]))


@pytest.mark.parametrize("without", [(), ("number",)], ids=["alone", "together"])
def test_tables_are_told_what_one_machine_says(spark, tmp_path, without):
    table = table_of(600).drop_columns([*without])
    kept = [name for name in ("note", "number", "cost", "when") if name not in without]
    policy = POLICY.insensitive(*kept).data(missing=["", "?"])
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))
    assert release.parts == 1
    ours, theirs = compared(release, shoal.anonymize(table, policy))
    (unlimited,) = [text for text in ours if text.startswith("nothing limits")]
    # One machine says that before the run.
    assert unlimited in [leak["text"] for leak in shoal.check(table, policy)["leaks"]]
    assert [text for text in ours if text != unlimited] == theirs
    kinds = ["share their `name`", "guesses `illness`", "reads like free text", *(["a value in `number`"] if not without else ["together that no other"])]
    assert all(any(kind in text for text in ours) for kind in kinds), ours
    assert release.leaks[-1].startswith("not looked at") and "what an identifier holds" in release.leaks[-1]


def test_who_is_left_out_is_told(spark, tmp_path):
    table = people(600)
    table = table.set_column(3, "town", pa.array([None if n % 30 == 0 else town for n, town in enumerate(table["town"].to_pylist())]))
    table = table.set_column(4, "illness", pa.array([None if n % 50 == 0 else town for n, town in enumerate(table["illness"].to_pylist())]))
    for number, policy in enumerate((POLICY.set("columns.town.missing", "suppress"), POLICY.set("columns.illness.missing", "suppress"), POLICY.set("columns.town.missing", "suppress").privacy(l_diversity={"kind": "distinct", "l": 2}))):
        release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / str(number)))
        (leak,) = [text for text in release.leaks if "left out" in text]
        assert leak in shoal.anonymize(table, policy).leaks


@pytest.mark.parametrize("given", [(histories(200, seed=3), HISTORIES), (known_histories(200, seed=2), KNOWLEDGE)], ids=["c", "beta"])
def test_sequences_are_told_what_one_machine_says(spark, tmp_path, given):
    table, policy = given
    table = table.append_column("code", pa.array([f"code {n}" if n % 3 else "code" for n in range(table.num_rows)]))
    policy = policy.insensitive("code")
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))
    assert release.parts == 1
    ours, theirs = compared(release, shoal.anonymize(table, policy))
    assert ours == theirs and any("guesses `illness`" in text for text in ours) and any("a value in `code`" in text for text in ours)
    assert release.leaks[-1] == not_looked_at()


def test_transactions_are_told_what_one_machine_says(spark, tmp_path):
    rows = baskets(500, seed=3)
    who = [None if n % 7 == 0 else f"w{n // 2}" for n in range(500)]
    table = pa.table({"items": rows, "ward": [f"ward {n}" for n in range(500)], "who": who})
    policy = BASKETS.identifier("who")
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "lists"))
    ours, theirs = compared(release, shoal.anonymize(table, policy))
    assert ours == theirs and all(any(kind in text for text in ours) for kind in ("share their `who`", "a value in `ward`", "like no other")), ours
    lines = [(f"t{number}", item, who[number], f"{item} of {number}") for number, row in enumerate(rows) for item in row or [None]]
    long = pa.table(dict(zip(("id", "item", "who", "several"), map(list, zip(*lines)))))
    policy = shoal.Policy("transactions").data(format="long", id="id", item="item").identifier("who", "several").privacy(k=5, m=2)
    release = shoal.spark.anonymize(spark.createDataFrame(long), policy, str(tmp_path / "long"))
    ours, theirs = compared(release, shoal.anonymize(long, policy))
    assert ours == theirs and any("share their `who`" in text for text in ours) and not any("several" in text for text in ours)
    assert release.leaks[-1] == not_looked_at()
