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


def test_transactions_are_proposed_where_a_frame_can_hold_them():
    baskets = [["milk", "bread"], ["milk", "beer"], ["bread", "beer"], ["milk", "bread"], ["wine", "milk"]] * 3
    lists = pa.table({"who": [f"p{n}" for n in range(15)], "basket": baskets})
    rows = pd.DataFrame([(f"t{n}", item) for n, basket in enumerate(baskets) for item in basket], columns=["basket", "product"])
    marks = pd.DataFrame([{item: int(item in basket) for item in ("milk", "bread", "beer", "wine")} for basket in baskets])
    for frame, layout in ((lists, {"items": "basket"}), (rows, {"format": "long"})):
        policy = shoal.propose(frame, shape="transactions")
        assert layout.items() <= policy["data"].items() and policy.questions
        release = shoal.anonymize(frame, policy)
        assert release.verify(frame)
        # What names people is not published.
        assert "who" not in pa.table(release).column_names
    with pytest.raises(shoal.Error, match="a column per item") as refused:
        shoal.propose(marks, shape="transactions")
    # The hint can be followed.
    assert "make a column of lists" in refused.value.hint
    listed = pd.DataFrame({"items": [[name for name in marks if row[name]] for _, row in marks.iterrows()]})
    assert shoal.anonymize(listed, shoal.propose(listed, shape="transactions")).verify(listed)
    with pytest.raises(shoal.Error, match="cannot be told"):
        shoal.propose(pd.DataFrame({"height": [1.5, 2.5], "width": [3.5, 4.5], "depth": [5.5, 6.5]}), shape="transactions")


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
