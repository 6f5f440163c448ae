"""Columns of our own, and how columns are named to Spark."""

from __future__ import annotations

from typing import Any, Callable, Iterator

__all__ = ["CONTENT", "COUNT", "GIVEN", "HASH", "ITEMS", "KEY", "LEFT", "LENGTH", "OURS", "PART", "PERSON", "PERSONAL_K", "ROW", "map_in_arrow", "named", "quoted"]

#: How the names of our own columns begin. None of them is published.
OURS = "__shoal_"
#: The part of a record, and a hash of its content.
PART, HASH, ROW = "__shoal_part__", "__shoal_hash__", "__shoal_row__"
#: What goes with records until people and their own k are verified.
PERSON, PERSONAL_K = "__shoal_person__", "__shoal_k__"
#: How many rows a person has, by which people are cut into parts beside what these rows say.
LENGTH = "__shoal_length__"
#: How many records a part was given, and how many of them it left out.
GIVEN, LEFT = "__shoal_given__", "__shoal_left__"
#: Transactions: items, a hash of all of them, a set of items as one number, and how often something occurs.
ITEMS, CONTENT, KEY, COUNT = "__shoal_items__", "__shoal_content__", "__shoal_key__", "__shoal_n__"


def quoted(name: str) -> str:
    """A name in which points are not fields."""
    return "`" + name.replace("`", "``") + "`"


def map_in_arrow(frame: Any, function: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> Any:
    """``frame.mapInArrow``, whatever the columns are called: PySpark names them to Spark without quotes, so that points and backticks have a meaning."""
    names = frame.columns

    def with_names(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        return function(pa.RecordBatch.from_arrays(batch.columns, names=names) for batch in batches)

    return frame.toDF(*(f"{OURS}{at}" for at in range(len(names)))).mapInArrow(with_names, schema)


def named(name: str) -> Any:
    """A column by its name."""
    from pyspark.sql import functions as F

    return F.col(quoted(name))
