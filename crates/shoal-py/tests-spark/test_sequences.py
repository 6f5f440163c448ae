"""Sequences on a real Spark. What is published is counted here from the bytes of the files, in plain Python."""

import hashlib
import random
from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
import shoal.spark
from conftest import KEY_FILE
from shoal.spark._names import HASH, PERSON
from shoal.spark._sequences import SequencesJob

TOWNS = shoal.tree({"South": ["Ulm", "Passau", "Füssen"], "North": ["Kiel", "Bremen", "Husum"]})
POLICY = (
    shoal.Policy(shape="sequences")
    .data(id="patient", order=["year"])
    .identifier("patient")
    .identifier("year", kind="integer")
    .quasi("town", hierarchy=TOWNS)
    .quasi("age", kind="integer", hierarchy=shoal.bands(5, 10, 20, 40))
    .sensitive("illness")
    .insensitive("note")
    .privacy(k=4, c=0.5, sensitive_values=["HIV"])
    .algorithm(key_file=KEY_FILE)
)


def histories(people, seed=1):
    draw = random.Random(seed)
    rows = []
    for person in range(people):
        for event in range(draw.randint(1, 4)):
            illness = draw.choice(["flu", "cold", "gout", "acne", "HIV" if draw.random() < 0.5 else "flu"])
            rows.append((f"patient {person}", 2000 + event, draw.choice(["Ulm", "Passau", "Füssen", "Kiel", "Bremen", "Husum"]), draw.randint(20, 59), illness, f"note {draw.randint(0, 5)}"))
    return pa.table(dict(zip(["patient", "year", "town", "age", "illness", "note"], map(list, zip(*rows)))))


def test_histories_are_anonymous_together_and_in_order(spark, tmp_path):
    table = histories(600)
    order = list(range(table.num_rows))
    random.Random(3).shuffle(order)
    for name, given in (("one", table), ("two", table.take(order))):
        release = shoal.spark.anonymize(spark.createDataFrame(given), POLICY, str(tmp_path / name), part_records=500)
    (file,) = (tmp_path / "one").glob("*.parquet")
    (other,) = (tmp_path / "two").glob("*.parquet")
    assert hashlib.sha256(file.read_bytes()).digest() == hashlib.sha256(other.read_bytes()).digest()
    assert release.parts >= 2
    published = pq.read_table(file)
    people, seen = defaultdict(list), []
    for row in published.to_pylist():
        people[row["patient"]].append(row)
        if not seen or seen[-1] != row["patient"]:
            seen.append(row["patient"])
    # Numbered in the order of the file, each in one place.
    assert seen == [str(number) for number in range(1, len(people) + 1)] and len(people) == release.found["persons-out"]
    crowds = defaultdict(list)
    for events in people.values():
        crowds[tuple((row["town"], row["age"]) for row in events)].append(any(row["illness"] == "HIV" for row in events))
    assert min(map(len, crowds.values())) >= 4 and max(sum(has) / len(has) for has in crowds.values()) <= 0.5
    assert not Counter(map(tuple, (row.values() for row in published.select(["illness", "note"]).to_pylist()))) - Counter(
        map(tuple, (row.values() for row in table.select(["illness", "note"]).to_pylist()))
    )
    # The kernel's verifier agrees, also that every event is true of somebody.
    assert shoal.verify(published, POLICY, table)
    assert release.found["events-in"] == table.num_rows and release.found["events-out"] == published.num_rows


def test_people_are_told_apart_where_values_are_missing(spark, tmp_path):
    """By a hash of their events, that says which of them is missing."""
    columns = ["patient", "year", "town", "age", "illness", "note"]
    rows = [(f"p{n}", 2000, "Ulm", 30, "flu" if n % 2 else None, None if n % 2 else "flu") for n in range(10)]
    job = SequencesJob(spark.createDataFrame(pa.table(dict(zip(columns, map(list, zip(*rows)))))), POLICY.privacy(c=None, sensitive_values=None), str(tmp_path / "out"), False)
    hashes = {row[PERSON]: row[HASH] for row in job._people().collect()}
    assert len(hashes) == 10 and len(set(hashes.values())) == 2


def test_somebody_whose_id_is_spelled_in_two_ways_is_one_person(spark, tmp_path):
    """As to the kernel, which would otherwise be given the two halves of a history in two parts."""
    table = histories(300)
    spelled = [who if number % 2 else f" {who.upper()} " for number, who in enumerate(table["patient"].to_pylist())]
    files = []
    for name, one in (("one", table), ("two", table.set_column(0, "patient", pa.array(spelled)))):
        release = shoal.spark.anonymize(spark.createDataFrame(one), POLICY, str(tmp_path / name), part_records=300)
        assert release.parts >= 2 and release.found["persons-in"] == 300
        files.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (tmp_path / name).glob("*.parquet")})
    assert files[0] == files[1] != {}


def test_events_that_never_came_to_a_worker_are_not_taken_for_suppressed_ones(spark, tmp_path, monkeypatch):
    run = SequencesJob._run

    def without_some(job, *arguments):
        whole = job.frame
        job.frame = whole.where("note <> 'note 3'")
        try:
            return run(job, *arguments)
        finally:
            job.frame = whole

    monkeypatch.setattr(SequencesJob, "_run", without_some)
    with pytest.raises(shoal.PromiseError, match="the workers were given"):
        shoal.spark.anonymize(spark.createDataFrame(histories(300)), POLICY, str(tmp_path / "out"), part_records=300)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "policy, message",
    [
        (POLICY.algorithm("fcla"), "does not keep this promise"),
        (POLICY.data(ties="file"), "no order"),
        (POLICY.privacy(sensitive_values=["plague"]), "plague"),
    ],
)
def test_what_cannot_be_promised_is_refused(spark, tmp_path, policy, message):
    with pytest.raises(shoal.PolicyError, match=message):
        shoal.spark.anonymize(spark.createDataFrame(histories(20)), policy, str(tmp_path / "out"))
    assert list(tmp_path.iterdir()) == []
