"""Columns of our own, and how columns are named to Spark."""

from __future__ import annotations

from typing import Any

__all__ = ["CONTENT", "COUNT", "HASH", "ITEMS", "KEY", "OURS", "PART", "PERSON", "PERSONAL_K", "ROW", "named", "quoted"]

#: How the names of our own columns begin. None of them is published.
OURS = "__shoal_"
#: The part of a record, and a hash of its content.
PART, HASH, ROW = "__shoal_part__", "__shoal_hash__", "__shoal_row__"
#: What goes with records until people and their own k are verified.
PERSON, PERSONAL_K = "__shoal_person__", "__shoal_k__"
#: Transactions: items, a hash of all of them, a set of items as one number, and how often something occurs.
ITEMS, CONTENT, KEY, COUNT = "__shoal_items__", "__shoal_content__", "__shoal_key__", "__shoal_n__"


def quoted(name: str) -> str:
    """A name in which points are not fields."""
    return "`" + name.replace("`", "``") + "`"


def named(name: str) -> Any:
    """A column by its name."""
    from pyspark.sql import functions as F

    return F.col(quoted(name))
