"""Hashes of what is in a row, by Spark."""

from __future__ import annotations

from typing import Any, Sequence

__all__ = ["hash_of_cells"]


def hash_of_cells(key: int, columns: Sequence[Any], lists: Sequence[Any] = ()) -> Any:
    """A hash of these cells of a row under a key of 64 bits. ``lists`` are columns of lists.

    Spark's hash passes over what is null and does not know where a list ends, so both are said beside it: otherwise a value could move to its neighbour unnoticed, and two records
    of which one has what the other lacks would be one."""
    from pyspark.sql import functions as F

    told = [*columns, *lists, *(column.isNull() for column in [*columns, *lists]), *(F.size(column) for column in lists)]
    return F.xxhash64(F.lit(key), *told)
