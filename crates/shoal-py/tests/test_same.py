"""One fold for Rust, Python and Spark."""

from __future__ import annotations

import pyarrow as pa
import pytest

import shoal
from shoal import Error
from shoal._native import fold, positions


@pytest.mark.parametrize("one, other", [("HIV", " h\u00adiv\u00a0"), ("Jos\u00e9", "Jose\u0301"), ("Straße", "STRASSE"), ("7", "07.0"), ("HIV  1", "hiv\u00a01")])
def test_spellings_of_one_value_are_one(one, other):
    first, second = fold([one, other])
    assert first == second


def test_numbers_are_exact_and_what_is_missing_is_none():
    texts = ["12345678901234567", "12345678901234568", "na", None, ""]
    found = fold(texts, ["NA"])
    assert len(set(found[:2])) == 2 and found[2:] == [None, None, ""]
    assert fold(["1e3", "1000"], [], "integer")[0] == fold(["1000.0"], [], "integer")[0] != fold(["1e3"])[0]
    assert len(set(fold(["02.01.2020", "2.1.2020"], [], "date", "%d.%m.%Y"))) == 1


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(Error, match="no such kind"):
        fold(["a"], [], "number")


def test_places_are_those_of_the_kernel():
    assert positions(["7", "1e3", "-2.5", "seven", "nan", "inf"], "decimal") == [7.0, 1000.0, -2.5, None, None, None]
    # Python's own reader of dates knows neither directive.
    earlier, later, other = positions(["10:00:00.25 2020-01-02", "10:00:00.5 2020-01-02", "2020-01-02"], "date", "%H:%M:%S%.f %F")
    assert earlier < later and other is None
    assert positions(["1970-01-03"], "date") == [2.0] and positions(["7"], "text") == [None]


@pytest.mark.parametrize(
    "names, people",
    [
        (["Jos\u00e9", "Jose\u0301", " JOS\u00c9"], 1),
        (["Bern\u00adhard", "Bernhard", "BERNHARD\u200e"], 1),
        (["Ann  Lee", "ann\u00a0lee", "Ann Lee "], 1),
        (["12345678901234567", "12345678901234568"], 2),
        (["007", "7.0", "+7"], 1),
        (["1e3", "1000"], 2),
    ],
)
def test_people_are_counted_by_the_fold(names, people):
    table = pa.table({"who": names, "age": [30] * len(names)})
    policy = shoal.Policy().identifier("who").data(person="who", known_rows="one").quasi("age", kind="integer").k(2)
    if people < 2:
        with pytest.raises(shoal.PromiseError):
            shoal.anonymize(table, policy)
    else:
        assert len(shoal.anonymize(table, policy)) == len(names)


@pytest.mark.parametrize(
    "values, holds",
    [
        (["HIV", "h\u00adiv", " HIV\u00a0"], False),
        (["HIV  1", "hiv\u00a01"], False),
        (["12345678901234567", "12345678901234568"], True),
        (["flu", "na"], False),
        # Nobody has a value, so there is nothing to be secret.
        (["na", " N\u00adA", "NA"], True),
    ],
)
def test_values_are_counted_by_the_fold(values, holds):
    table = pa.table({"age": [30] * len(values), "illness": values})
    policy = shoal.Policy().quasi("age", kind="integer").sensitive("illness").k(2).privacy(l_diversity={"kind": "distinct", "l": 2}).data(missing=["NA"])
    assert shoal.verify(table, policy).holds == holds
