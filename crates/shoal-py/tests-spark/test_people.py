"""People who can have several records: all their rows together, t-closeness and beta-likeness. What is published is counted here, in plain Python."""

import math
import random
from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import shoal
import shoal.spark
from conftest import KEY_FILE
from shoal.spark import _tables
from shoal.spark._cells import Cells
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


#: An attacker may know all rows of a person.
ALL_ROWS = POLICY.set("data.known-rows", None).privacy(l_diversity={"kind": "distinct", "l": 2})


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


def watch(monkeypatch, change=lambda frame: frame):
    """What the workers give to be published, with whose it is."""
    rows, rows_of = [], _tables.TableJob.rows_of

    def watched(job, released):
        given = change(rows_of(job, released))
        rows[:] = [row.asDict() for row in given.collect()]
        return given

    monkeypatch.setattr(_tables.TableJob, "rows_of", watched)
    return rows


def cells(rows, column=None):
    """The rows of each crowd by people who are in the same crowds with as many rows in each, and have a value of the column in the same ones."""
    def place(row):
        return (*(str(row[name]) for name in QUASI), column is not None and row[column] is not None)

    crowds, found = defaultdict(list), defaultdict(list)
    for row in rows:
        crowds[row["__shoal_person__"]].append(place(row))
    for row in rows:
        found[place(row)[:-1], tuple(sorted(crowds[row["__shoal_person__"]]))].append(row)
    return found


def is_diverse(rows):
    """Whether not everybody with an illness has the same one, whichever one of theirs is looked at."""
    values = defaultdict(set)
    for row in rows:
        if row["illness"] is not None:
            values[row["__shoal_person__"]].add(row["illness"])
    return not values or not set.intersection(*values.values())


def test_all_rows_of_a_person_are_hidden_together(spark, tmp_path, monkeypatch):
    table = visits(1_500)
    # An empty cell is nobody's secret.
    illness = [None if number % 7 == 0 else one for number, one in enumerate(table["illness"].to_pylist())]
    table = table.set_column(3, "illness", pa.array(illness))
    rows = watch(monkeypatch)
    release = shoal.spark.anonymize(spark.createDataFrame(table), ALL_ROWS, str(tmp_path / "out"), part_records=600)
    assert release.parts >= 2
    found, longer = cells(rows), 0
    for (_, crowds), of_cell in found.items():
        assert len({row["__shoal_person__"] for row in of_cell}) >= 5
        assert is_diverse(of_cell), of_cell
        longer += len(crowds) > 1
    # There is something that crowds alone would not show.
    assert longer and len(found) > release.found["classes"]
    smallest = min(len({row["__shoal_person__"] for row in of_cell}) for of_cell in found.values())
    people = [promise for promise in release.found["promises"] if promise["name"].endswith("of people")]
    assert [(one["name"], one.get("column"), one["found"]) for one in people] == [
        ("k-anonymity of people", None, smallest),
        *(("distinct-l-diversity of people", column, "kept by each cell of people") for column in ("illness", "cost")),
    ]
    # Whoever is published is one of those who went in, with rows of their own; the others are counted.
    assert release.found["records-out"] == len(rows) == pq.read_table(tmp_path / "out").num_rows
    assert release.found["records-in"] == table.num_rows == release.found["records-out"] + release.found["records-suppressed"]
    who = dict(zip(table["visit"].to_pylist(), table["who"].to_pylist()))
    assert len({who[row["visit"]] for row in rows}) == len({row["__shoal_person__"] for row in rows}) == len({(who[row["visit"]], row["__shoal_person__"]) for row in rows})
    verdict = shoal.verify(pq.read_table(tmp_path / "out"), ALL_ROWS, table)
    assert verdict and verdict["promises"], verdict
    # Who is left out is lost, as on one machine.
    assert release.found["ncp"] == pytest.approx(shoal.measure(table, pq.read_table(tmp_path / "out"), ALL_ROWS)["loss"]["ncp"])
    # Empty cells cut the cells of people with many rows, which costs much here.
    assert release.found["records-suppressed"] < 0.6 * table.num_rows


def test_with_one_part_all_rows_together_lose_what_one_machine_loses(spark, tmp_path):
    table = visits(400)
    release = shoal.spark.anonymize(spark.createDataFrame(table), ALL_ROWS, str(tmp_path / "out"))
    one = shoal.anonymize(table, ALL_ROWS)
    assert release.parts == 1 and release.found["records-out"] == pytest.approx(len(pa.table(one.data)), rel=0.1)
    # Who of several equal people goes where is dealt otherwise, since people are carried along.
    assert release.found["ncp"] == pytest.approx(one.loss, rel=0.25)


def crossed(frame):
    """Two rows of different crowds have changed people: no crowd becomes smaller, and no published byte is another one."""
    given = frame.toPandas()
    several = given[given.groupby("__shoal_person__")["visit"].transform("size") > 1].sort_values("visit")
    first = several.iloc[0]
    other = several[(several["age"] != first["age"]) & (several["__shoal_person__"] != first["__shoal_person__"])].iloc[0]
    given.loc[[first.name, other.name], "__shoal_person__"] = [other["__shoal_person__"], first["__shoal_person__"]]
    return frame.sparkSession.createDataFrame(given, frame.schema)


@pytest.mark.parametrize(
    "change, message",
    [
        (crossed, "k-anonymity does not hold in the written files for all rows of a person together"),
        # Whole crowds are gone, so that no promise is broken.
        (lambda frame: frame.join(frame.groupBy(*QUASI).count().orderBy(*QUASI).limit(1), QUASI, "left_anti").select(frame.columns), "the workers were given [0-9]+ and left out"),
    ],
    ids=["people have changed places", "rows are gone"],
)
def test_what_only_all_rows_together_show_is_noticed(spark, tmp_path, monkeypatch, change, message):
    watch(monkeypatch, change)
    with pytest.raises(shoal.PromiseError, match=message):
        shoal.spark.anonymize(spark.createDataFrame(visits(450)), ALL_ROWS, str(tmp_path / "out"), part_records=400)
    assert list(tmp_path.iterdir()) == []


def test_cells_on_several_workers_are_judged_as_one_list_of_rows_is(spark):
    policy = shoal.Policy().identifier("who").data(person="who").quasi("age", "town").sensitive("illness").k(2).privacy(l_diversity={"kind": "distinct", "l": 2})
    cells_of = Cells({**policy._native_with({}), "folder": "."}, QUASI, ["illness"])
    accepted = []
    for seed in range(12):
        draw, rows = random.Random(seed), []
        for who in range(draw.randint(6, 14)):
            # Few lists of crowds, so that several people have the same one; a list may have a crowd twice, or be the beginning of another one.
            for crowd in draw.choice([["a"], ["a", "a"], ["a", "b"], ["b", "a"]]):
                rows.append({"age": crowd, "town": None if crowd == "b" else "Ulm", "illness": draw.choice(["flu", "gout", "acne", None]), "__shoal_person__": f"{who}"})
        holds = all(len({row["__shoal_person__"] for row in of_cell}) >= 2 for of_cell in cells(rows).values())
        holds = holds and all(is_diverse(of_cell) for of_cell in cells(rows, "illness").values())
        frame = spark.createDataFrame([tuple(row.values()) for row in rows], "age string, town string, illness string, __shoal_person__ string")
        try:
            cells_of.check(frame, draw.randint(1, 4))
            accepted.append(True)
        except shoal.PromiseError:
            accepted.append(False)
        assert accepted[-1] == holds, seed
    assert set(accepted) == {True, False}


def test_nine_people_in_a_grid_are_not_published_by_it(spark, tmp_path, monkeypatch):
    """Each crowd of the grid has three people with three illnesses; all rows of a person together are like nobody else's."""
    ages, rows = [20, 21, 22], []
    for copy in range(20):
        for number in range(9):
            for age in (ages[number // 3], 30 + ages[number % 3]):
                rows.append((f"w{copy}-{number}", age, ["flu", "cold", "gout"][(number + number // 3) % 3]))
    table = pa.table(dict(zip(["who", "age", "illness"], map(list, zip(*rows)))))
    policy = shoal.Policy().identifier("who").data(person="who").quasi("age", kind="integer").sensitive("illness").k(30).algorithm(rounds=1, key_file=KEY_FILE)
    published = watch(monkeypatch)
    shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))
    lists = defaultdict(list)
    for row in published:
        lists[row["__shoal_person__"]].append(row["age"])
    assert min(Counter(tuple(sorted(of)) for of in lists.values()).values()) >= 30


def test_what_a_person_asks_for_counts_for_all_their_rows_together(spark, tmp_path, monkeypatch):
    table = visits(700)
    asked = [12 if who.endswith("7") else None for who in table["who"].to_pylist()]
    table = table.append_column("own", pa.array(asked, pa.int64()))
    policy = ALL_ROWS.set("columns.own", {"role": "personal-k", "kind": "integer"})
    rows = watch(monkeypatch)
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=500)
    for of_cell in cells(rows).values():
        assert len({row["__shoal_person__"] for row in of_cell}) >= max(row["__shoal_k__"] or 5 for row in of_cell)
    assert "personal-k of people" in [promise["name"] for promise in release.found["promises"]]


def test_conditions_that_compare_with_everybody_are_refused_where_rows_may_be_left_out(spark, tmp_path):
    policy = POLICY.set("data.known-rows", None).set("columns.illness.t-closeness", {"t": 0.5, "distance": "equal"})
    with pytest.raises(shoal.PolicyError, match="where rows are left out so that all rows of a person together are hidden") as raised:
        shoal.spark.anonymize(spark.createDataFrame(visits(300)), policy, str(tmp_path / "out"))
    assert 'known-rows = "one"' in raised.value.hint
    # With one row each there is nothing to be left out.
    table = visits(600)
    first = {who: number for number, who in reversed(list(enumerate(table["who"].to_pylist())))}
    table = table.take(sorted(first.values()))
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))
    assert release.found["records-suppressed"] == 0 and "t-closeness of people" in [promise["name"] for promise in release.found["promises"]]


#: Spellings of one person, and pairs of two.
ONE_PERSON = [["Jos\u00e9", "Jose\u0301", " JOS\u00c9"], ["Ann Lee", "Ann  Lee", "ann\u00a0lee"], ["Bern\u00adhard", "Bernhard"], ["007", "7", "7.0"]]
TWO_PEOPLE = [("12345678901234567", "12345678901234568"), ("1e3", "1000")]


def test_one_fold_says_who_is_who_here_and_there(spark, tmp_path, monkeypatch):
    draw, names = random.Random(3), [of for of in ONE_PERSON] + [[name] for pair in TWO_PEOPLE for name in pair] + [[f"w{number}"] for number in range(400)]
    rows = [(name, draw.randint(20, 79), draw.choice(["Ulm", "Kiel"]), draw.choice(["flu", "cold"])) for of in names for name in of]
    table = pa.table(dict(zip(["who", "age", "town", "illness"], map(list, zip(*rows)))))
    policy = ALL_ROWS.set("columns.visit", None).set("columns.cost", None).set("privacy.l-diversity", None)
    parts, parted = {}, _tables.TableJob._parted

    def watched(job, plan):
        given = parted(job, plan)
        parts.update((row["who"], row["n"]) for row in given.groupBy("who").agg(F.countDistinct("__shoal_part__").alias("n")).collect())
        return given

    monkeypatch.setattr(_tables.TableJob, "_parted", watched)
    shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=100)
    assert len(parts) == len(names) and set(parts.values()) == {1}
    # The same people on one machine: its note counts them.
    notes = shoal.anonymize(table, policy.set("data.known-rows", "one")).audit["notes"]
    assert any(f"belong to {len(names)} people" in note for note in notes), notes


@pytest.mark.parametrize("nobody", ["na", " N\u00adA", "NA"])
def test_a_spelling_of_nothing_names_nobody(spark, tmp_path, nobody):
    table = visits(200)
    table = table.set_column(0, "who", pa.array([nobody if number == 5 else who for number, who in enumerate(table["who"].to_pylist())]))
    policy = POLICY.data(missing=["NA"])
    for anonymize in (lambda: shoal.anonymize(table, policy), lambda: shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"))):
        with pytest.raises(shoal.Error, match="who"):
            anonymize()
    assert list(tmp_path.iterdir()) == []
