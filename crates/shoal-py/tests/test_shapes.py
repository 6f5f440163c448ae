"""Transactions, sequences and streams."""

import asyncio
import json

import pandas as pd
import pyarrow as pa
import pytest

import shoal


def test_transactions_of_lists_and_of_rows():
    baskets = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread"], ["wine", "milk"]] * 3
    policy = shoal.Policy("transactions").data(items="basket").privacy(k=4, m=2)
    release = shoal.anonymize(pa.table({"basket": baskets}), policy)
    assert release.verify() and len(release) == 15
    rows = pd.DataFrame([(str(n), item) for n, basket in enumerate(baskets) for item in basket], columns=["id", "item"])
    long = shoal.Policy("transactions").data(format="long", id="id", item="item").privacy(k=4, m=2)
    release = shoal.anonymize(rows, long)
    assert release.verify()


def test_constraints_and_weights_from_memory():
    baskets = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread"], ["wine", "milk"]] * 3
    policy = (
        shoal.Policy("transactions")
        .data(items="basket")
        .privacy(k=4, constraints=[["beer"], ["wine"]])
        .utility(weights={"milk": 0.5})
        .algorithm("pcta")
    )
    assert shoal.anonymize(pa.table({"basket": baskets}), policy).verify()


def test_sequences():
    towns = shoal.tree({"South": ["Ulm", "Passau"], "North": ["Kiel", "Bremen"]})
    rows = [(f"p{n}", day, town) for n in range(12) for day, town in enumerate(["Ulm", "Kiel"] if n % 2 else ["Passau", "Bremen"])]
    frame = pd.DataFrame(rows, columns=["who", "day", "town"])
    policy = (
        shoal.Policy("sequences").data(id="who", order=["day"]).identifier("who").identifier("day", kind="integer").quasi("town", hierarchy=towns).privacy(k=3, length=2)
    )
    release = shoal.anonymize(frame, policy)
    assert release.verify(frame)
    assert not set(release.data.iloc[:, 0]) & set(frame["who"])


STREAM = (
    shoal.Policy("stream")
    .data(person="who")
    .identifier("who")
    .quasi("age", kind="integer")
    .sensitive("illness", domain=["asthma", "cold", "flu", "gout"])
    .privacy(l=2)
)


def test_a_stream_hides_and_refuses_and_goes_on():
    stream = shoal.Stream(STREAM)
    [released] = stream.push({"who": "ann", "age": 34, "illness": "flu"})
    assert "ann" not in json.dumps(released) and "flu" in json.dumps(released)
    with pytest.raises(shoal.Error, match="unheard of"):
        stream.push({"who": "bob", "age": 41, "illness": "unheard of"})
    assert stream.push({"who": "cy", "age": 29, "illness": "cold"})
    assert stream.promise and stream.not_covered and stream.key_use()
    assert stream.finish() == []
    with pytest.raises(shoal.Error):
        stream.push({"who": "dee", "age": 30, "illness": "flu"})


def test_the_same_key_gives_the_same_person_the_same_set():
    first = shoal.Stream(STREAM)
    tuple = {"who": "ann", "age": 34, "illness": "flu"}
    [one] = first.push(tuple)
    again = shoal.Stream(STREAM, key=first.key, used_for=first.key_use())
    assert again.push(tuple) == [one]


def test_streams_are_iterated_and_awaited():
    tuples = [{"who": f"p{n}", "age": n, "illness": ["flu", "cold"][n % 2]} for n in range(20)]
    assert len(list(shoal.Stream(STREAM).through(tuples))) == 20

    async def source():
        for tuple in tuples:
            await asyncio.sleep(0)
            yield tuple

    async def collect():
        return [released async for released in shoal.Stream(STREAM).athrough(source())]

    assert len(asyncio.run(collect())) == 20


def test_castle_lets_crowds_leave():
    policy = (
        shoal.Policy("stream").data(person="who").identifier("who").quasi("age", kind="integer").sensitive("illness")
        .privacy(k=3).algorithm("castle", delta=10)
    )
    stream = shoal.Stream(policy)
    tuples = [{"who": f"p{n}", "age": 20 + n % 7, "illness": "flu"} for n in range(50)]
    left = list(stream.through(tuples))
    ages = pd.Series([str(tuple["age"]) for tuple in left]).value_counts()
    assert len(left) <= 50 and ages.min() >= 3
