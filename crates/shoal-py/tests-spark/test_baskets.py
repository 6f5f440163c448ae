"""shoal.spark on transactions, on a real cluster. In a file that comes before test_spark.py, whose last test leaves one worker only."""

import csv
import os
import random
import signal
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import shoal
import shoal.spark
from shoal import _native
from shoal.spark import _recoding, _transactions, _verify_items
from shoal.spark._items import members_of, original_items, published_text, reads_back, split
from shoal.spark._itemsets import keys_of, least_ranks, members_of_keys

# Some are written like syntax.
NAMES = [f"i{n}" for n in range(36)] + ["(a,b)", "x,y", '"q"', "(7,)"]
POLICY = shoal.Policy("transactions").data(items="items").insensitive("ward").privacy(k=5, m=2)


def baskets(rows, seed=1):
    """A few items are frequent, most are rare; some baskets are empty."""
    draw = random.Random(seed)
    item = lambda: NAMES[min(int(draw.paretovariate(0.9)) - 1, len(NAMES) - 1)]
    return [sorted({item() for _ in range(draw.randint(0, 6))}) for _ in range(rows)]


def lists(rows):
    return pa.table({"items": rows, "ward": [f"w{number % 3}" for number in range(len(rows))]})


def read(folder):
    """In the order of the files; what is beside them is not data."""
    return pa.concat_tables(pq.read_table(path) for path in sorted(Path(folder).glob("*.parquet")))


def hashes(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def supports(rows, m, whose=None):
    """Of all sets of up to m items; of people where it is given whose each row is."""
    holders = {}
    for number, row in enumerate(rows):
        for size in range(1, m + 1):
            for held in combinations(sorted(row), size):
                holders.setdefault(held, set()).add(whose[number] if whose else number)
    return {held: len(of) for held, of in holders.items()}


def test_one_recoding_is_found_in_rounds_and_every_change_is_noticed(spark, tmp_path, monkeypatch):
    rows, given = baskets(2_000, seed=3), {}

    def watched(written, original, layout, groups, expected):
        given.update(original=original, layout=layout, groups=groups, expected=expected)
        return _verify_items.verify_transactions(written, original, layout, groups, expected)

    monkeypatch.setattr(_transactions, "verify_transactions", watched)
    # A few sets at a time, so that there are several rounds.
    monkeypatch.setattr(_recoding, "SETS_AT_ONCE", 120)
    release = shoal.spark.anonymize(spark.createDataFrame(lists(rows)), POLICY, str(tmp_path / "out"), part_records=200)
    assert release.found["parts"]["rounds"] >= 2 and release.found["parts"]["largest"] < 600
    published = read(tmp_path / "out")
    assert published.column_names == ["items", "ward"]
    texts = published["items"].to_pylist()
    assert min(supports(texts, 2).values()) >= 5
    # One image for each item, and every basket is what the images make of it.
    image = {}
    for text in {text for row in texts for text in row}:
        for item in members_of(text):
            assert image.setdefault(item, text) == text
    made = Counter((tuple(sorted({image[item] for item in row})), f"w{number % 3}") for number, row in enumerate(rows))
    assert Counter((tuple(sorted(row)), ward) for row, ward in zip(texts, published["ward"].to_pylist())) == made
    # The same to the verifier of one machine, which shares no code with this one, and the same loss.
    assert shoal.verify(published, POLICY, lists(rows))
    assert release.found["ncp"] == pytest.approx(shoal.measure(lists(rows), published, POLICY)["loss"]["ncp"])

    written = spark.read.parquet(str(tmp_path / "out"))
    group = next(text for text in image.values() if len(members_of(text)) > 2)
    first, rest = published_text(members_of(group)[:1], None), published_text(members_of(group)[1:], None)
    of_rows = published.to_pylist()
    of_one = supports(texts, 1)
    alone = min((text for text in image.values() if len(members_of(text)) == 1), key=lambda text: (of_one[(text,)], text))
    with_it, without = (next(at for at, row in enumerate(of_rows) if (alone in row["items"]) is wanted and len(row["items"]) > 1) for wanted in (True, False))

    def changed(*changes):
        new = [dict(row) for row in of_rows]
        for at, items in changes:
            new[at]["items"] = items
        return spark.createDataFrame(new, written.schema).coalesce(1)

    moved = changed((with_it, [text for text in of_rows[with_it]["items"] if text != alone]), (without, sorted([*of_rows[without]["items"], alone])))
    split_in_two = spark.createDataFrame([{**row, "items": [rest if text == group and at % 2 else first if text == group else text for text in row["items"]]} for at, row in enumerate(of_rows)], written.schema)
    changes = {
        "a basket is lost": (spark.createDataFrame(of_rows[1:], written.schema), "went in"),
        "one is lost, another there twice": (spark.createDataFrame([*of_rows[1:], of_rows[-1]], written.schema), "not what their originals"),
        "an item is in another basket": (moved, "not what their originals"),
        "a group is taken apart": (split_in_two, "not what their originals"),
        "an item has two images": (changed((with_it, sorted([*of_rows[with_it]["items"], published_text([members_of(alone)[0], "new"], None)]))), "two images"),
        "a member comes from nowhere": (changed((with_it, [*of_rows[with_it]["items"], "new"])), "do not stand for"),
    }
    # Alone the promise is noticed, too, whatever else is wrong.
    for what, (frame, message) in changes.items():
        with pytest.raises(shoal.PromiseError, match=message):
            _verify_items.verify_transactions(frame, **given)
            pytest.fail(what)
    coded = spark.createDataFrame([([0, 1],)] * 5 + [([0],)] * 9 + [([1, 2],)] * 4 + [([2],)], "__shoal_items__ array<int>")
    with pytest.raises(shoal.PromiseError, match="4 transactions hold"):
        _verify_items._itemsets(coded, None, _verify_items.ExpectedItems(5, 2, {}, 0))
    # A file in which the first basket stands last.
    (path,) = (tmp_path / "out").glob("*.parquet")
    other = tmp_path / "other"
    other.mkdir()
    pq.write_table(published.take([*range(1, published.num_rows), 0]), other / "part.parquet")
    with pytest.raises(shoal.PromiseError, match="not in the order"):
        _verify_items.verify_transactions(spark.read.parquet(str(other)), **given)


def test_what_the_driver_can_hold_is_published_as_on_one_machine(spark, tmp_path):
    rows = baskets(1_500, seed=4)
    texts = pa.table({"items": ["; ".join(row) for row in rows], "name": [f"n{number}" for number in range(1_500)]})
    policy = shoal.Policy("transactions").data(items="items").identifier("name").privacy(k=5, m=3)
    expected = sorted(shoal.anonymize(texts, policy).data["items"].to_pylist())
    shoal.spark.anonymize(spark.createDataFrame(texts), policy.output(groups="dictionary"), str(tmp_path / "out"))
    published = read(tmp_path / "out")
    assert published.column_names == ["items"]
    with open(tmp_path / "out" / "_groups.csv", newline="", encoding="utf-8") as file:
        groups = {f"({row['number']},)": row["members"] for row in csv.DictReader(file)}
    assert groups and not any("(i" in cell for cell in published["items"].to_pylist())
    assert sorted(";".join(groups.get(item, item) for item in split(cell, ";")) for cell in published["items"].to_pylist()) == expected


def test_people_are_counted_and_neither_order_nor_a_killed_worker_changes_a_byte(spark, tmp_path, monkeypatch):
    rows = baskets(1_200, seed=5)
    lines = [(f"t{number}", item, f"P{number // 2}") for number, row in enumerate(rows) for item in row or [None]]
    other = [(f"x{id}", item, person.lower() + " ") for id, item, person in lines]
    random.Random(5).shuffle(other)
    policy = shoal.Policy("transactions").data(format="long", id="id", item="item", person="who").identifier("who").privacy(k=5, m=2)
    frames = [spark.createDataFrame(pa.table(dict(zip(("id", "item", "who"), map(list, zip(*one)))))) for one in (lines, other)]
    first = shoal.spark.anonymize(frames[0], policy, str(tmp_path / "0"), part_records=300)
    killed, take = [], _recoding._Broken.take

    def take_after_a_kill(broken, *arguments):
        # At a step of the job and not at a moment: what the executor holds of the first round's counts is needed again now, and has to be made again elsewhere.
        if not killed:
            killed.append(kill_executors(spark))
        return take(broken, *arguments)

    monkeypatch.setattr(_recoding._Broken, "take", take_after_a_kill)
    second = shoal.spark.anonymize(frames[1].repartition(3), policy, str(tmp_path / "1"), part_records=300)
    assert killed and killed[0] > 0, "no executor was killed"
    assert first.found == second.found and hashes(tmp_path / "0") == hashes(tmp_path / "1") != {}
    published = read(tmp_path / "0").to_pylist()
    assert [int(row["id"]) for row in published] == sorted(int(row["id"]) for row in published)
    image = {item: text for text in {row["item"] for row in published if row["item"]} for item in members_of(text)}
    made = [sorted({image[item] for item in row}) for row in rows]
    assert min(supports(made, 2, [number // 2 for number in range(1_200)]).values()) >= 5
    baskets_of = {}
    for row in published:
        baskets_of.setdefault(row["id"], []).extend([row["item"]] if row["item"] else [])
    assert Counter(tuple(sorted(basket)) for basket in baskets_of.values()) == Counter(map(tuple, made))
    assert shoal.verify(read(tmp_path / "0"), policy, pa.table(dict(zip(("id", "item", "who"), map(list, zip(*lines))))))


def kill_executors(spark):
    """Kills what a worker has started, and says how many that were; the worker itself lives on and starts it again."""
    killed = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, fields = stat.read_text().rsplit(")", 1)
            if int(fields.split()[1]) == spark.shoal_workers[0]:
                os.kill(int(stat.parent.name), signal.SIGKILL)
                killed += 1
        except OSError:
            # It ended by itself meanwhile.
            continue
    return killed


@pytest.mark.parametrize("form", ["lists", "texts", "long"])
def test_columns_may_have_any_name(spark, tmp_path, form):
    rows = baskets(400, seed=9)
    items, ward, id = "all `items`. here", "the `ward`", "`id`"
    if form == "long":
        lines = [(f"t{number}", item) for number, row in enumerate(rows) for item in row or [None]]
        table = pa.table({id: [line[0] for line in lines], items: [line[1] for line in lines]})
        policy = shoal.Policy("transactions").data(format="long", id=id, item=items).privacy(k=5, m=2)
    else:
        table = pa.table({items: rows if form == "lists" else [";".join(row) for row in rows], ward: [f"w{number % 3}" for number in range(400)]})
        policy = shoal.Policy("transactions").data(items=items).insensitive(ward).privacy(k=5, m=2)
    shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))
    assert read(tmp_path / "out").column_names == table.column_names and shoal.verify(read(tmp_path / "out"), policy, table)


def test_what_is_still_broken_in_the_end_becomes_one(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(_recoding, "ROUNDS", 0)
    rows = baskets(600, seed=6)
    release = shoal.spark.anonymize(spark.createDataFrame(lists(rows)), POLICY, str(tmp_path / "out"), part_records=100, allow_total_loss=True)
    assert release.found["parts"]["rounds"] <= 3 and shoal.verify(read(tmp_path / "out"), POLICY, lists(rows))


def test_sets_are_numbered_and_counted():
    rows = [row for row in baskets(200, seed=7) if row]
    items = {item: number for number, item in enumerate(NAMES)}
    coded = [sorted(items[item] for item in row) for row in rows]
    flat, of = np.concatenate(coded), np.repeat(np.arange(len(coded)), [len(row) for row in coded])
    base, found = len(NAMES) + 1, Counter()
    for _, keys in keys_of(of, flat, base, range(1, 4)):
        found.update(map(tuple, members_of_keys(keys, base)))
    assert found == supports(coded, 3)
    # The least rank of the asked sets that each row holds.
    asked = sorted(draw for draw in random.Random(7).sample(sorted(found), 30))
    keys = [sum((member + 1) * base ** (len(held) - 1 - at) for at, member in enumerate(held)) for held in asked]
    order = np.argsort(keys)
    ranks = np.arange(len(asked))[order]
    least = least_ranks(of, flat, len(coded), base, 3, np.array(keys)[order], ranks)
    for row, rank in zip(coded, least):
        assert rank == min((number for number, held in enumerate(asked) if set(held) <= set(row)), default=len(asked))


def test_items_are_written_as_the_kernel_writes_them():
    draw = random.Random(8)
    names = ["".join(draw.choice('ab(),"; 7') for _ in range(draw.randint(1, 5))).strip() for _ in range(400)]
    names = sorted({name for name in names if name})
    table = pa.table({"items": [[name] for name in names] * 2})
    for members in (1, 3):
        policy = shoal.Policy("transactions").data(items="items").privacy(k=2 * members, m=1)
        texts = {text for row in shoal.anonymize(table, policy).data["items"].to_pylist() for text in row}
        assert sorted(item for text in texts for item in members_of(text)) == names
        assert all(published_text(members_of(text), None) == text for text in texts)
    assert all(list(split(f"{text};z", ";")) == [text, "z"] for text in (published_text([name], ";") for name in names) if reads_back(text, ";"))


def test_cells_are_cut_as_the_kernel_cuts_them():
    draw = random.Random(9)
    cells = ["".join(draw.choice('ab(),"; ') for _ in range(draw.randint(1, 9))) for _ in range(400)] + ["(acute;flu;HIV", '"x;y" ;z']
    # Everything is there twice, so that nothing is merged.
    published = shoal.anonymize(pa.table({"items": cells * 2}), shoal.Policy("transactions").data(items="items").privacy(k=2, m=1)).data["items"].to_pylist()
    read = [sorted(item for text in split(cell, ";") if text for item in members_of(text)) for cell in published]
    # Two spellings of one item are published as one.
    folded = lambda items: sorted(set(_native.fold(list(items))))
    assert sorted(map(folded, read)) == sorted(folded({item.strip() for item in original_items(cell, ";")} - {""}) for cell in cells * 2)


@pytest.mark.parametrize(
    "policy, message",
    [
        (POLICY.privacy(m=None, complete=True), "complete is not counted"),
        (POLICY.privacy(m=None, share=0.5), "share is not counted"),
        (POLICY.privacy(m=4), "too many sets of 4"),
        (POLICY.algorithm(objective="ul"), "merged by NCP"),
        (POLICY.utility(constraints=[["i1", "i2"]]).algorithm("coat"), "not kept on Spark"),
        (POLICY.data(items=None).privacy(m=2), "only items"),
        (POLICY.set("columns.ward", None), "without a role: ward"),
        (POLICY.privacy(k=5, m=3), "no transaction has more than 2"),
    ],
)
def test_what_cannot_be_promised_is_refused(spark, tmp_path, policy, message):
    with pytest.raises(shoal.PolicyError, match=message) as raised:
        shoal.spark.anonymize(spark.createDataFrame(lists([["i1", "i2"]] * 20)), policy, str(tmp_path / "out"))
    assert raised.value.hint and raised.value.key
    assert list(tmp_path.iterdir()) == []
