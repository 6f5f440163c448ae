"""How the values of quasi-identifiers are ordered and how wide they are, over the whole data."""

from __future__ import annotations

import datetime
from bisect import bisect_left
from typing import Any

from .. import _native
from ._texts import kernel_text, numbers_of, same_text

__all__ = ["Axis", "leaves_of", "position"]

#: Where a missing value stands: before all others, so that a cut can part it from them.
MISSING = float("-inf")


class Axis:
    """One quasi-identifier: numbers for its values, by which records are cut into parts. It travels to the workers."""

    def __init__(self, name: str, spec: dict[str, Any], leaves: dict[str, list[str]] | None = None, missing: list[str] | None = None):
        """``missing`` are the texts that mean "no value"."""
        self.name = name
        self.missing = missing or []
        self.kind: str = spec.get("kind", "text")
        self.format: str | None = spec.get("format")
        self.weight: float = spec.get("weight", 1.0)
        self.has_hierarchy = bool(spec.get("hierarchy"))
        #: The ends of numbers and dates.
        self.low, self.high = 0.0, 0.0
        #: How many values there are.
        self.values = 1
        #: The texts that cuts compare with, ascending; of texts without a hierarchy.
        self.texts: list[str] = []
        #: The place of each leaf, and how many levels below the root each leaf and the one before it part; of texts with a hierarchy.
        self.leaves: dict[str, int] = {}
        self.borders: list[int] = []
        if leaves and self.kind == "text":
            self._order_leaves(leaves)

    @property
    def is_number(self) -> bool:
        return self.kind != "text"

    def _order_leaves(self, paths: dict[str, list[str]]) -> None:
        # Leaves below one node stand together, so that a cut between two nodes parts none of them.
        first: dict[tuple[str, ...], int] = {}
        keys = {}
        for leaf, path in paths.items():
            down = path[::-1]
            keys[leaf] = tuple(first.setdefault(tuple(down[: depth + 1]), len(first)) for depth in range(len(down)))
        before: tuple[int, ...] = ()
        for place, leaf in enumerate(sorted(keys, key=keys.__getitem__)):
            self.leaves[leaf] = place
            shared = next((depth for depth, (a, b) in enumerate(zip(before, keys[leaf])) if a != b), len(before))
            self.borders.append(shared)
            before = keys[leaf]
        self.values = len(self.leaves)

    def codes(self, column: Any) -> Any:
        """A number for each value of an Arrow column, in their order; of texts as far as ``texts`` tells them apart."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        # Arrow's name of the type is Spark's where it matters to a text.
        type = str(column.type)
        if self.is_number and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            codes = pc.fill_null(column.cast(pa.float64()), MISSING).to_numpy(zero_copy_only=False)
            return np.where(np.isin(codes, numbers_of(self.missing, type)), MISSING, codes)
        # Each different value once: a part has few of them.
        different = column.dictionary_encode()
        codes = np.array([self._code(value, type) for value in different.dictionary.to_pylist()] + [MISSING], dtype=float)
        return codes[pc.fill_null(different.indices, len(codes) - 1).to_numpy(zero_copy_only=False)]

    def _code(self, value: Any, type: str) -> float:
        text = kernel_text(value, type)
        if self.is_number:
            return MISSING if same_text(text, self.missing) is None else position(value, self.kind, self.format)
        if self.leaves:
            # What the hierarchy does not have is for the kernel to refuse.
            return self.leaves.get(text, -1)
        return bisect_left(self.texts, text)

    def share(self, low: float, high: float, values: int) -> float:
        """How much of the whole a part with these ends, or with so many values, extends over."""
        if self.is_number:
            return (high - low) / (self.high - self.low) if self.high > self.low else 0.0
        return (values - 1) / (self.values - 1) if self.values > 1 else 0.0


def position(value: Any, kind: str, format: str | None) -> float:
    """Where a number or a date stands, as the kernel reads it. What is neither stands with the missing ones: the kernel says what is wrong with it."""
    if value is None:
        return MISSING
    if isinstance(value, datetime.date):
        # In days since 1970, as of texts. Two texts of one moment stand in one place, whatever their offsets.
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime(value.year, value.month, value.day)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)
        return moment.timestamp() / 86400
    found = _native.positions([kernel_text(value)], kind, format)[0]
    return MISSING if found is None else found


def leaves_of(text: str) -> dict[str, list[str]]:
    """The nodes above each leaf of a hierarchy file, the nearest first, and nothing where there is no file. The kernel reads it: two readers of one layout (short lines,
    blanks, quotes, Amnesia's files) would not agree for long, and a tree that is read wrongly makes values near that are far apart."""
    return {row[0]: row[1:] for row in _native.hierarchy_rows(text)} if text else {}
