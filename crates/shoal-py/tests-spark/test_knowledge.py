"""(k,beta)^L and (k,C)^L of sequences on a real Spark. What is published is judged by the verifier of one machine, and by enumerating here what somebody may know."""

import hashlib
import itertools
import math
import random
from collections import defaultdict

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
import shoal.spark
from conftest import KEY_FILE
from shoal.spark import _knowledge, _sequences
from shoal.spark._names import PART, PERSON
from test_baskets import kill_executors

TREE = {"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum"]}
TOWNS, ABOVE = shoal.tree(TREE), {town: region for region, towns in TREE.items() for town in towns}
POLICY = (
    shoal.Policy(shape="sequences")
    .data(id="patient", order=["year"])
    .identifier("patient")
    .identifier("year", kind="integer")
    .quasi("town", hierarchy=TOWNS)
    .sensitive("illness")
    .insensitive("note")
    .privacy(k=4, beta=1.0, length=2)
    .algorithm(key_file=KEY_FILE)
)


def histories(people, seed=1):
    draw, rows = random.Random(seed), []
    for person in range(people):
        south = draw.random() < 0.5
        for event in range(draw.randint(1, 3)):
            town = draw.choice(TREE["South" if (draw.random() < 0.8) == south else "North"])
            illness = draw.choice(["flu", "cold", "gout", "HIV" if draw.random() < 0.4 else "flu"])
            rows.append((f"patient {person}", 2000 + event, town, illness, f"note {draw.randint(0, 5)}"))
    return pa.table(dict(zip(["patient", "year", "town", "illness", "note"], map(list, zip(*rows)))))


def read(folder):
    return pa.concat_tables(pq.read_table(path) for path in sorted(folder.glob("*.parquet")))


def digest(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.parquet")}


def broken(table, k, beta, length):
    """Everything that can be known of towns, in order, and who fits it: the crowds that are too small, or in which a value is too frequent."""
    people = defaultdict(list)
    for row in table.to_pylist():
        people[row["patient"]].append((row["town"], row["illness"]))
    people = list(people.values())
    shares = {value: sum(any(one == value for _, one in events) for events in people) / len(people) for value in set(table["illness"].to_pylist())}
    known = [*ABOVE, *TREE, "elsewhere"]

    def fits(cell, item):
        return cell == "*" or cell == item or ABOVE.get(item) == cell or ABOVE.get(cell) == item

    def in_order(events, items):
        if not items:
            return True
        return any(fits(cell, items[0]) and in_order(events[at + 1 :], items[1:]) for at, (cell, _) in enumerate(events))

    for items in itertools.chain.from_iterable(itertools.product(known, repeat=n) for n in range(1, length + 1)):
        crowd = [events for events in people if in_order(events, items)]
        if 0 < len(crowd) < k:
            yield items, len(crowd)
        for value, p in shares.items() if crowd and beta else ():
            q = sum(any(one == value for _, one in events) for events in crowd) / len(crowd)
            if q > (1 + min(beta, -math.log(p))) * p + 1e-12:
                yield items, value, q


@pytest.mark.parametrize("name, privacy", [("beta", {}), ("paper", {"support": "paper"}), ("share", {"beta": None, "c": 0.7, "sensitive_values": ["HIV", "gout"]})])
def test_what_every_part_keeps_all_keep_together(spark, tmp_path, monkeypatch, name, privacy):
    policy, table = POLICY.privacy(**privacy), histories(700)
    order = list(range(table.num_rows))
    random.Random(3).shuffle(order)
    first = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "one"), part_records=450)
    killed = []
    if name == "beta":
        keep = _knowledge.KnowledgeJob._keep_parts

        def keep_after_a_kill(*arguments):
            # At a step of the job: the data are written, and which part everybody came from has to be found again.
            killed.append(kill_executors(spark))
            return keep(*arguments)

        monkeypatch.setattr(_knowledge.KnowledgeJob, "_keep_parts", keep_after_a_kill)
    second = shoal.spark.anonymize(spark.createDataFrame(table.take(order)), policy, str(tmp_path / "two"), part_records=450)
    assert first.found == second.found and digest(tmp_path / "one") == digest(tmp_path / "two") != {}
    assert name != "beta" or killed[0] > 0
    assert first.parts >= 2 and f"{first.parts} parts" in first.found["promises"][0]["found"]
    # Nothing of the proof is published.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    published = read(tmp_path / "one")
    assert published.num_rows == first.found["events-out"] > 0.4 * table.num_rows
    verdict = shoal.verify(published, policy, table)
    assert verdict, verdict
    if name == "beta":
        assert list(broken(published, 4, 1.0, 2)) == []
        assert first.found["parts"]["rounds"] >= 1


def test_one_part_is_one_machine(spark, tmp_path):
    table = histories(150, seed=2)
    release = shoal.spark.anonymize(spark.createDataFrame(table), POLICY, str(tmp_path / "out"))
    assert release.parts == 1

    def people(of):
        found = defaultdict(list)
        for row in of.to_pylist():
            found[row.pop("patient")].append(tuple(row.values()))
        return sorted(map(tuple, found.values()))

    names = ["patient", "town", "illness", "note"]
    assert people(read(tmp_path / "out").select(names)) == people(pa.table(shoal.anonymize(table, POLICY).data).select(names))


def test_events_that_never_came_to_a_worker_are_not_taken_for_suppressed_ones(spark, tmp_path, monkeypatch):
    run = _knowledge.KnowledgeJob._run

    def without_some(job, *arguments):
        whole = job.frame
        job.frame = whole.where("note <> 'note 3'")
        try:
            return run(job, *arguments)
        finally:
            job.frame = whole

    monkeypatch.setattr(_knowledge.KnowledgeJob, "_run", without_some)
    with pytest.raises(shoal.PromiseError, match="the workers were given"):
        shoal.spark.anonymize(spark.createDataFrame(histories(150, seed=2)), POLICY, str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []


def more_specific(rows):
    """One cell says more than those of anybody else: it is the only one that fits this town."""
    return rows.assign(town=["Lübeck" if at == 0 else town for at, town in enumerate(rows["town"])])


def other_value(rows):
    """Who was in the rarest of the published places has HIV, and nobody else."""
    rarest = rows["town"].value_counts().idxmin()
    return rows.assign(illness=["HIV" if town == rarest else "flu" for town in rows["town"]])


#: What happens to the written rows, and whether the promise breaks by it.
CHANGED_ROWS = {
    "lost": (lambda rows: rows[rows["patient"] != "3"], False),
    "doubled": (lambda rows: pandas.concat([rows, rows[rows["patient"] == "3"].assign(patient="99999")]), False),
    "made more specific": (more_specific, True),
    "given another value": (other_value, True),
}
CHANGED_PARTS = {
    "in two parts": (lambda parts: pandas.concat([parts, parts[parts[PERSON] == "3"].assign(**{PART: 99})]), "in two parts"),
    "in no part": (lambda parts: parts[parts[PERSON] != "3"], "and the written files"),
    "alone": (lambda parts: parts.assign(**{PART: parts[PERSON].astype("int32")}), "does not hold"),
    "moved": (lambda parts: parts.assign(**{PART: [99 if int(who) <= 3 else part for who, part in zip(parts[PERSON], parts[PART])]}), "does not hold"),
}


def test_whatever_is_changed_behind_the_kernel_is_noticed(spark, tmp_path, monkeypatch):
    verify, seen = _knowledge.KnowledgeJob.verify, []

    def put(job, folder, frame):
        job.folder._fs.delete(job.folder._new_path(folder), True)
        spark.createDataFrame(frame).coalesce(1).write.parquet(folder)

    def verify_changed(job, released):
        rows = job._written().orderBy("__shoal_place__.file_path", "__shoal_place__.row_index").drop("__shoal_place__").toPandas()
        parts = spark.read.parquet(job.folder.beside).toPandas()
        # Nobody may take it for a release, if the driver is killed now.
        assert not job.folder._fs.exists(job.folder._new_path(job.folder.beside, "_SUCCESS"))
        for name, (change, breaks) in CHANGED_ROWS.items():
            put(job, job.folder.staged, change(rows))
            with pytest.raises(shoal.PromiseError, match="what the workers gave"):
                verify(job, released)
            if breaks:
                # The proof notices it alone.
                with monkeypatch.context() as patched, pytest.raises(shoal.PromiseError, match=r"\^L does not hold in"):
                    patched.setattr(_sequences.SequencesJob, "_check_written", lambda *_: None)
                    verify(job, released)
            seen.append(name)
        put(job, job.folder.staged, rows)
        for name, (change, message) in CHANGED_PARTS.items():
            put(job, job.folder.beside, change(parts))
            with pytest.raises(shoal.PromiseError, match=message):
                verify(job, released)
            seen.append(name)
        # Any division that holds is a proof: all in one part.
        put(job, job.folder.beside, parts.assign(**{PART: 0}).astype({PART: "int32"}))
        return verify(job, released)

    monkeypatch.setattr(_knowledge.KnowledgeJob, "verify", verify_changed)
    release = shoal.spark.anonymize(spark.createDataFrame(histories(300, seed=4)), POLICY, str(tmp_path / "out"), part_records=250)
    assert release.parts >= 2 and seen == [*CHANGED_ROWS, *CHANGED_PARTS]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    "policy, message",
    [
        (POLICY.algorithm("halt"), "one level for everybody"),
        (POLICY.algorithm("cbmsa"), "does not keep this promise|length"),
        (POLICY.privacy(sensitive_values=["plague"]), "plague"),
    ],
)
def test_what_cannot_be_promised_is_refused(spark, tmp_path, policy, message):
    with pytest.raises(shoal.PolicyError, match=message):
        shoal.spark.anonymize(spark.createDataFrame(histories(20)), policy, str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []
