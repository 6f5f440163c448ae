"""How records are cut into parts, without Spark."""

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.spark._axes import Axis, leaves_of
from shoal.spark._plan import Plan


def axes_of(table, **leaves):
    axes = []
    for name in table.column_names:
        number = pa.types.is_integer(table.column(name).type)
        axis = Axis(name, {"kind": "integer" if number else "text", "hierarchy": "h" if name in leaves else None}, leaves.get(name))
        if number:
            known = [value for value in table.column(name).to_pylist() if value is not None]
            axis.low, axis.high = float(min(known)), float(max(known))
        elif name not in leaves:
            axis.values = len(table.column(name).unique())
        axes.append(axis)
    return axes


def parts(table, size, least=10, **leaves):
    plan = Plan.of_sample(table, np.ones(table.num_rows), axes_of(table, **leaves), size, least)
    return plan, plan.parts_of(table.column, np.arange(table.num_rows) * 7919 % 1_000_003)


def test_parts_are_even_and_records_with_equal_values_stay_together():
    draw = np.random.default_rng(3)
    table = pa.table({"a": draw.integers(0, 1000, 5000), "b": [f"v{n:02}" for n in draw.integers(0, 50, 5000)]})
    plan, found = parts(table, 250)
    sizes = np.bincount(found)
    assert plan.parts == len(sizes) and 12 <= len(sizes) <= 28
    assert sizes.min() >= 100 and sizes.max() <= 375
    together = {}
    for row, part in zip(zip(*(table.column(name).to_pylist() for name in "ab")), found):
        assert together.setdefault(row, part) == part


@pytest.mark.parametrize("share", [0.5, 0.97, 1.0])
def test_records_that_are_all_alike_are_parted_by_their_hashes(share):
    draw = np.random.default_rng(4)
    a = np.where(draw.random(4000) < share, 7, draw.integers(0, 100, 4000))
    _, found = parts(pa.table({"a": a}), 200)
    assert np.bincount(found).max() <= 450


def test_missing_values_can_be_cut_off():
    table = pa.table({"a": pa.array([None] * 300 + [5] * 300, pa.int64())})
    _, found = parts(table, 300)
    assert sorted(set(zip(table.column("a").to_pylist(), found.tolist())), key=str) == [(5, 1), (None, 0)]


def test_a_cut_goes_between_two_nodes_of_a_hierarchy():
    tree = shoal.tree({"north": ["k", "b", "h", "f"], "south": ["u", "p", "a"]})
    towns = ["k", "u", "b", "p", "h", "a", "f"]
    table = pa.table({"town": [towns[n % 7] for n in range(700)]})
    _, found = parts(table, 350, town=leaves_of(tree._text))
    of = dict(zip(table.column("town").to_pylist(), found.tolist()))
    assert len({of[town] for town in "kbhf"}) == 1 and len({of[town] for town in "upa"}) == 1 and of["k"] != of["u"]


def test_parts_that_cannot_stand_alone_join_a_neighbour():
    table = pa.table({"a": list(range(800))})
    plan, _ = parts(table, 100)
    assert plan.parts == 8
    sizes = [100] * 8
    plan.merge(sizes, lambda cells: cells != [0] and 5 not in cells or len(cells) >= 3)
    assert plan.part_of[0] == plan.part_of[1]
    assert [plan.part_of.count(plan.part_of[5]), plan.parts] == [3, 5]
    plan.merge(sizes, lambda cells: False)
    assert plan.part_of == [0] * 8


def test_texts_that_the_sample_lacks_have_a_part_as_well():
    table = pa.table({"b": [f"v{n:03}" for n in range(400)]})
    plan, _ = parts(table, 100)
    found = plan.parts_of(pa.table({"b": ["", "v0995", "v1005", "zzz", None]}).column, np.zeros(5, dtype=np.int64))
    assert found.tolist() == [0, 0, 1, 3, 0] or (found[0] == 0 and found[3] == plan.parts - 1 and found[4] == 0)
