"""Tables on a real Spark. What is published is counted here from the bytes of the files, in plain Python."""

import hashlib
import random
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark import cloudpickle
from pyspark.sql import functions as F

import shoal
import shoal.spark
from cluster import kill
from conftest import KEY_FILE
from shoal.spark import _tables, _verify

# Workers cannot import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

TOWNS = ["Ulm", "Passau", "Kiel", "Bremen", "Husum", "Füssen"]
QUASI = ["age", "income", "town"]
# One round: what is tested here is not how little is lost.
POLICY = (
    shoal.Policy()
    .identifier("name")
    .quasi("age", "income", kind="integer")
    .quasi("town", hierarchy=shoal.tree({"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum"]}))
    .sensitive("illness")
    .insensitive("points")
    .k(5)
    .algorithm(rounds=1, key_file=KEY_FILE)
)


def people(records, seed=1, skew=0.0):
    draw = random.Random(seed)
    alike = [draw.random() < skew for _ in range(records)]
    return pa.table(
        {
            "name": [f"person {n:06}" for n in range(records)],
            "age": [40 if same else min(95, max(0, int(draw.gauss(45, 20)))) for same in alike],
            "income": [30_000 if same else 1_000 * min(150, int(draw.expovariate(1 / 30))) for same in alike],
            "town": ["Ulm" if same else draw.choice(TOWNS) for same in alike],
            "illness": [draw.choice(["flu", "cold", "asthma", "gout"]) for _ in range(records)],
            "points": [draw.choice([None, 0.5, 1.25, 3.0]) for _ in range(records)],
        }
    )


def crowds(folder, columns=QUASI):
    """The records of each crowd, by what is published of them."""
    found = defaultdict(list)
    for row in pq.read_table(folder).to_pylist():
        found[tuple(row[name] for name in columns)].append(row)
    return found


def hashes(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in Path(folder).glob("*.parquet")}


def test_the_whole_is_anonymous_complete_sorted_and_close_to_one_machine(spark, tmp_path):
    table = people(6_000)
    release = shoal.spark.anonymize(spark.createDataFrame(table), POLICY, str(tmp_path / "out"), part_records=750)
    assert release.parts == 8 and release.found["records-out"] == 6_000
    found = crowds(tmp_path / "out")
    assert min(map(len, found.values())) >= 5 and len(found) == release.found["classes"]
    rows = [row for rows in found.values() for row in rows]
    kept = Counter((row["illness"], row["points"]) for row in rows)
    assert kept == Counter(zip(table["illness"].to_pylist(), table["points"].to_pylist()))
    assert "name" not in rows[0] and not any("person" in str(value) for value in rows[0].values())
    # By the texts of the columns, so that neither the parts nor the input can be seen.
    (file,) = (tmp_path / "out").glob("*.parquet")
    texts = [tuple("" if value is None else str(value) for value in row.values()) for row in pq.read_table(file).to_pylist()]
    assert texts == sorted(texts)
    assert (tmp_path / "out" / "_SUCCESS").exists() and [path.name for path in tmp_path.iterdir()] == ["out"]
    one = shoal.anonymize(table, POLICY)
    # The loss is that of the whole, and every value is true of somebody.
    assert release.found["ncp"] == pytest.approx(shoal.measure(table, pq.read_table(file), POLICY)["loss"]["ncp"])
    assert shoal.verify(pq.read_table(file), POLICY, table)
    assert release.found["ncp"] <= 1.1 * one.loss


def test_every_condition_is_kept_and_every_change_is_noticed(spark, tmp_path, monkeypatch):
    policy = POLICY.privacy(l_diversity={"kind": "entropy", "l": 2}, t_closeness=0.4, beta_likeness=2.0)
    table, given = people(4_000, seed=3), {}

    def watched(published, original, expected, conditions, values):
        given.update(original=original, expected=expected, conditions=conditions, values=values)
        return _verify.verify(published, original, expected, conditions, values)

    monkeypatch.setattr(_tables, "verify", watched)
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=1_000)
    assert release.parts >= 2
    assert [promise["name"] for promise in release.found["promises"]] == ["k-anonymity", "entropy-l-diversity", "t-closeness", "beta-likeness"]
    everybody = Counter(table["illness"].to_pylist())
    for rows in crowds(tmp_path / "out").values():
        counts = Counter(row["illness"] for row in rows)
        assert sum(max(0, n / len(rows) - everybody[value] / 4_000) for value, n in counts.items()) <= 0.4 + 1e-9
        assert all(n / len(rows) <= 3 * everybody[value] / 4_000 + 1e-9 for value, n in counts.items())

    written = spark.read.parquet(str(tmp_path / "out")).withColumn("n", F.expr("row_number() over (order by age, income, town, illness, points)")).cache()
    first = written.where("n = 1").first()
    same = " and ".join(f"{name} = '{first[name]}'" for name in QUASI)
    changes = {
        "a cell of one record": (written.withColumn("town", F.when(F.col("n") == 1, "Ulm!").otherwise(F.col("town"))), "smallest crowd"),
        "a record is lost": (written.where("n <> 1 and n <> 2 and n <> 3"), "smallest crowd|came out"),
        "a record is there twice": (written.union(written.where("n = 1")), "came out"),
        "one is lost, another there twice": (written.where("n <> 4000").union(written.where("n = 1")), "smallest crowd|went in"),
        "a value is another one": (written.withColumn("points", F.when(F.col("n") == 1, 99.0).otherwise(F.col("points"))), "went in"),
        "values have changed places": (_sorted_in_crowds(written, same), "l-diversity|closeness|likeness"),
    }
    for what, (changed, message) in changes.items():
        with pytest.raises(shoal.PromiseError, match=message):
            _verify.verify(changed.drop("n"), **given)
            pytest.fail(what)


def _sorted_in_crowds(written, same):
    """One crowd and the rest of the file exchange values, so that the crowd has one only; what is published as it is stays the same as a whole."""
    rows = [row.asDict() for row in written.collect()]
    inside = [row for row in rows if all(f"{name} = '{row[name]}'" in same for name in QUASI)]
    others = iter([row for row in rows if row not in inside and row["illness"] == "flu"])
    for row in inside:
        if row["illness"] != "flu":
            other = next(others)
            for name in ("illness", "points"):
                row[name], other[name] = other[name], row[name]
    return written.sparkSession.createDataFrame(rows, written.schema)


def test_order_and_files_of_the_input_and_names_do_not_matter(spark, tmp_path):
    table = people(3_000, seed=5)
    order = list(range(table.num_rows))
    random.Random(5).shuffle(order)
    other = table.take(order).set_column(0, "name", pa.array([f"{n}" for n in order]))
    frames = [spark.createDataFrame(table), spark.createDataFrame(other).repartition(5)]
    for number, frame in enumerate(frames):
        shoal.spark.anonymize(frame, POLICY, str(tmp_path / f"{number}"), part_records=500)
    assert hashes(tmp_path / "0") == hashes(tmp_path / "1") != {}


def test_a_column_may_be_called_like_a_number_in_between(spark, tmp_path):
    """`n` and `count` are what numbers are called in between."""
    names = {"illness": "n", "points": "count"}
    table = people(600)
    table = table.rename_columns([names.get(name, name) for name in table.column_names])
    policy = POLICY.set("columns.illness", None).set("columns.points", None).sensitive("n").insensitive("count")
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy.privacy(t_closeness=0.4), str(tmp_path / "out"), part_records=300)
    assert release.parts == 2 and shoal.verify(pq.read_table(tmp_path / "out"), policy.privacy(t_closeness=0.4), table)


def test_many_that_are_alike_are_parted_and_published_as_they_are(spark, tmp_path):
    table = people(4_000, seed=6, skew=0.8)
    release = shoal.spark.anonymize(spark.createDataFrame(table), POLICY, str(tmp_path / "out"), part_records=500)
    assert release.parts >= 6 and release.found["parts"]["largest"] <= 1_600
    found = crowds(tmp_path / "out")
    assert min(map(len, found.values())) >= 5 and len(found["40", "30000", "Ulm"]) >= 0.75 * 4_000


def test_all_records_of_a_person_are_together_and_people_are_counted(spark, tmp_path, monkeypatch):
    table = people(2_400, seed=7)
    table = table.append_column("who", pa.array([f"w{n // 3}" for n in range(2_400)])).append_column("own", pa.array([8 if n % 50 == 0 else 1 for n in range(2_400)]))
    policy = POLICY.identifier("who").data(person="who", known_rows="one").set("columns.own", {"role": "personal-k", "kind": "integer"}).privacy(l_diversity={"kind": "distinct", "l": 2})
    parts = []
    released = _tables.TableJob.released

    def watched(job, plan, largest):
        parts.extend((row["who"], row["n"]) for row in job._parted(plan).groupBy("who").agg(F.countDistinct("__shoal_part__").alias("n")).collect())
        given = released(job, plan, largest)
        # Whose records these are is known here and not published, so it is counted here.
        rows = [row.asDict() for row in given.collect()]
        in_crowd = defaultdict(set)
        own = defaultdict(int)
        for row in rows:
            in_crowd[tuple(row[name] for name in QUASI)].add(row["__shoal_person__"])
            own[tuple(row[name] for name in QUASI)] = max(own[tuple(row[name] for name in QUASI)], row["__shoal_k__"])
        assert min(map(len, in_crowd.values())) >= 5 and all(len(in_crowd[crowd]) >= own[crowd] for crowd in own)
        assert len(set().union(*in_crowd.values())) == 800
        # Whichever of their values is looked at, no crowd has one only.
        having = defaultdict(set)
        for row in rows:
            having[tuple(row[name] for name in QUASI), row["illness"]].add(row["__shoal_person__"])
        assert all(of < in_crowd[crowd] for (crowd, _), of in having.items())
        return given

    monkeypatch.setattr(_tables.TableJob, "released", watched)
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=600)
    assert release.parts >= 3 and len(parts) == 800 and {n for _, n in parts} == {1}
    assert [promise["name"] for promise in release.found["promises"]][1:] == ["distinct-l-diversity of people", "k-anonymity of people"]
    assert set(pq.read_table(tmp_path / "out").column_names) == {*QUASI, "illness", "points"}


class Broken(_tables.Worker):
    """A kernel that leaves everybody as they are."""

    def __call__(self, table):
        return pa.table({name: table.column(name).cast(pa.string()) if type == "string" else table.column(name) for name, type in self.types.items()})


def test_nothing_is_left_of_a_release_that_fails_and_nothing_is_replaced_unasked(spark, tmp_path, monkeypatch):
    frame = spark.createDataFrame(people(1_500))
    shoal.spark.anonymize(frame.where("age > 30"), POLICY, str(tmp_path / "old"), part_records=500)
    before = hashes(tmp_path / "old")
    with pytest.raises(shoal.Error, match="exists already"):
        shoal.spark.anonymize(frame, POLICY, str(tmp_path / "old"))
    with pytest.raises(shoal.PromiseError, match="fewer than k"):
        shoal.spark.anonymize(frame.limit(3), POLICY, str(tmp_path / "out"))
    monkeypatch.setattr(_tables, "Worker", Broken)
    for name in ("out", "old"):
        with pytest.raises(shoal.PromiseError, match="smallest crowd.*nothing was released"):
            shoal.spark.anonymize(frame, POLICY, str(tmp_path / name), part_records=500, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["old"] and hashes(tmp_path / "old") == before
    monkeypatch.undo()
    shoal.spark.anonymize(frame, POLICY, str(tmp_path / "old"), part_records=500, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["old"] and hashes(tmp_path / "old") != before


def test_records_without_a_value_are_left_out_where_the_policy_says_so(spark, tmp_path):
    table = people(1_500, seed=8)
    towns = [None if n % 30 == 0 else "?" if n % 30 == 1 else town for n, town in enumerate(table["town"].to_pylist())]
    table = table.set_column(3, "town", pa.array(towns)).set_column(4, "illness", pa.array([f" {value}" for value in table["illness"].to_pylist()]))
    release = shoal.spark.anonymize(spark.createDataFrame(table), POLICY.set("columns.town.missing", "suppress"), str(tmp_path / "out"), part_records=500)
    assert (release.found["records-out"], release.found["records-suppressed"]) == (1_400, 100)
    left = Counter(row["illness"] for row in table.to_pylist() if row["town"] not in (None, "?"))
    assert Counter(pq.read_table(tmp_path / "out")["illness"].to_pylist()) == left


def test_what_the_kernel_refuses_on_a_worker_is_raised_here(spark, tmp_path):
    table = people(300)
    table = table.set_column(1, "age", pa.array(["forty" if n == 7 else str(n % 90) for n in range(300)]))
    with pytest.raises(shoal.Error, match="`…` in column `age` is not an integer") as raised:
        shoal.spark.anonymize(spark.createDataFrame(table), POLICY, str(tmp_path / "out"))
    assert "part" in raised.value.message and "Traceback" not in str(raised.value)
    # What a worker says is kept in logs.
    assert "forty" not in str(raised.value) and "not shown" in raised.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "policy, message",
    [
        (shoal.Policy(shape="stream").data(source="-").privacy(l=5), "stream cannot"),
        (POLICY.privacy(transparent=True, l_diversity={"kind": "frequency", "l": 2}), "not hidden"),
        (POLICY.algorithm(seconds=1.0), "how fast"),
        (POLICY.output(keep_order=True), "no order"),
        (POLICY.privacy(t_closeness=0.3).algorithm(outliers="suppress"), "everybody who is published"),
        (POLICY.privacy(t_closeness=0.3).algorithm("sbc", rounds=None, remainder="suppress"), "everybody who is published"),
        (POLICY.set("columns.town.hierarchy", None).set("columns.extra.role", "sensitive"), "no column `extra`"),
        (POLICY.set("columns.points", None), "without a role: points"),
    ],
)
def test_what_cannot_be_promised_is_refused(spark, tmp_path, policy, message):
    with pytest.raises(shoal.PolicyError, match=message) as raised:
        shoal.spark.anonymize(spark.createDataFrame(people(20)), policy, str(tmp_path / "out"))
    assert raised.value.hint and raised.value.key
    assert list(tmp_path.iterdir()) == []


# The last test: one worker is gone behind it.
def test_a_worker_that_is_killed_changes_no_byte(spark, tmp_path):
    policy, table = POLICY.algorithm(rounds=10), people(6_000, seed=2)
    expected = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "calm"), part_records=300)
    killed_in = []

    def kill_in_the_middle():
        tracker = spark.sparkContext.statusTracker()
        # In the middle of the kernel's work, which has as many tasks as there are parts.
        while not killed_in:
            for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
                if stage and stage.numTasks == expected.parts and 2 <= stage.numCompletedTasks <= expected.parts - 4:
                    kill(spark.shoal_workers[0])
                    killed_in.append(stage)
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=kill_in_the_middle, daemon=True)
    thread.start()
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "killed"), part_records=300)
    thread.join(timeout=60)
    assert killed_in, "the kernel was done before it could be killed"
    assert release.found == expected.found
    assert hashes(tmp_path / "calm") == hashes(tmp_path / "killed") != {}
