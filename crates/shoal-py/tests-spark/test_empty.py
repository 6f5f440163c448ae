"""An empty sensitive cell is nobody's secret: no rule, no leak and no figure speaks of it, here as on one machine."""

import random
from collections import Counter, defaultdict

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
import shoal.spark
from test_knowledge import POLICY as KNOWLEDGE
from test_knowledge import histories as known_histories
from test_leaks import compared
from test_sequences import POLICY as HISTORIES
from test_sequences import histories
from test_spark import POLICY, QUASI, crowds, people

#: All of them say that there is no value.
NOTHING = [None, "", "na", " N\u00adA "]
CONDITIONS = {"diversity": {"l_diversity": {"kind": "frequency", "l": 2}}, "closeness": {"t_closeness": {"t": 0.45, "distance": "equal"}}, "likeness": {"beta_likeness": 3.0}}


def emptied(table, share, seed=7):
    """Most have no illness."""
    draw, at = random.Random(seed), table.column_names.index("illness")
    values = [draw.choice(NOTHING) if draw.random() < share else one for one in table["illness"].to_pylist()]
    return table.set_column(at, "illness", pa.array(values, pa.string()))


def is_value(text):
    return text not in NOTHING


@pytest.mark.parametrize("asked", CONDITIONS)
def test_empty_cells_of_tables_count_nowhere(spark, tmp_path, asked):
    table, policy = emptied(people(1_600), 0.7), POLICY.data(missing=["", "NA"]).privacy(**CONDITIONS[asked])
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "parts"), part_records=800)
    published = pq.read_table(tmp_path / "parts")
    everybody = Counter(filter(is_value, table["illness"].to_pylist()))
    used = 0.0
    for rows in crowds(tmp_path / "parts").values():
        counts = Counter(row["illness"] for row in rows if is_value(row["illness"]))
        n = sum(counts.values())
        shares = {value: count / everybody.total() for value, count in everybody.items()}
        for value, count in counts.items():
            share = count / n
            bound = {"diversity": 1 / 2, "likeness": 4 * shares[value], "closeness": 1}[asked]
            used = max(used, share / bound)
        if n and asked == "closeness":
            used = max(used, sum(max(counts[value] / n - share, 0) for value, share in shares.items()) / 0.45)
    (promise,) = [one for one in release.found["promises"] if one["name"] != "k-anonymity"]
    assert used <= 1 + 1e-9 and (asked == "likeness" or promise["used"] == pytest.approx(used))
    assert shoal.verify(published, policy, table)
    # In one part it is one machine's release, and both say the same about it.
    whole, one = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "whole")), shoal.anonymize(table, policy)
    assert whole.parts == 1
    names = [*QUASI, "illness", "points"]
    there, here = (Counter(tuple(str(row[name]) for name in names) for row in rows.to_pylist()) for rows in (pq.read_table(tmp_path / "whole"), pa.table(one.data)))
    assert there == here
    ours, theirs = compared(whole, one)
    assert ours == theirs and not any("`illness`" in text and "``" in text for text in ours)


def test_nobody_has_a_value_and_nothing_is_said_of_it(spark, tmp_path):
    table, policy = emptied(people(600), 1.0), POLICY.data(missing=["", "NA"]).privacy(l_diversity={"kind": "distinct", "l": 3})
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "out"), part_records=300)
    one = shoal.anonymize(table, policy)
    for leaks in (release.leaks, one.leaks):
        assert not any("illness" in text for text in leaks), leaks


@pytest.mark.parametrize("given", [(histories(400, seed=3), HISTORIES), (known_histories(400, seed=2), KNOWLEDGE)], ids=["c", "beta"])
def test_empty_cells_of_sequences_count_nowhere(spark, tmp_path, given):
    table, policy = emptied(given[0], 0.5), given[1].data(missing=["", "NA"])
    release = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "parts"), part_records=300)
    assert release.parts >= 2
    # Among those who are published, whether they have a value or not.
    verdict = shoal.verify(pq.read_table(tmp_path / "parts"), policy, table)
    assert verdict and verdict["promises"], verdict
    whole, one = shoal.spark.anonymize(spark.createDataFrame(table), policy, str(tmp_path / "whole")), shoal.anonymize(table, policy)
    assert whole.parts == 1

    def events(rows):
        of = defaultdict(list)
        for row in rows.to_pylist():
            of[row["patient"]].append(tuple(str(value) for name, value in row.items() if name != "patient"))
        return Counter(map(tuple, of.values()))

    assert events(pq.read_table(tmp_path / "whole")) == events(pa.table(one.data))
    ours, theirs = compared(whole, one)
    assert ours == theirs
