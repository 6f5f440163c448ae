"""One fold for Rust, Python and Spark."""

from __future__ import annotations

import pytest

from shoal import Error
from shoal._native import fold


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
