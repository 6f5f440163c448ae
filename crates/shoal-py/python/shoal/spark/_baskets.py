"""Transactions in a DataFrame: what they hold, however they are laid out."""

from __future__ import annotations

from typing import Any, Iterator

from ._texts import same_text
from ._errors import new_error, new_policy_error
from ._items import original_items
from ._names import ITEMS, OURS, PERSON, map_in_arrow, named, quoted

__all__ = ["Layout", "people_missing", "read"]

#: What a long DataFrame names a transaction by while it is put together.
ID = "__shoal_id__"


class Layout:
    """Where the items are: in a column of lists, in a column of texts with a separator, or a row per item."""

    def __init__(self, frame: Any, data: dict[str, Any], columns: dict[str, Any]):
        self.id, self.item, self.items = data.get("id"), data.get("item"), data.get("items")
        self.person: str | None = data.get("person")
        self.missing: list[str] = data.get("missing", [])
        wanted = [self.items] if self.items else [self.id, self.item]
        if not all(wanted):
            hint = 'items = "…" for a column with all items of a transaction (lists, or texts with item-separator); format = "long" with id and item for a row per item'
            raise new_policy_error("data.format", "a Spark DataFrame has no lines of items and no column per item", hint)
        for key, name in (("items", self.items), ("id", self.id), ("item", self.item), ("person", self.person)):
            if name and name not in frame.columns:
                raise new_policy_error(f"data.{key}", f"the data have no column `{name}`", f"they have: {', '.join(frame.columns)}")
        if ours := [name for name in frame.columns if name.startswith(OURS)]:
            raise new_error(f"the column `{ours[0]}` is named like one of ours", "rename it")
        #: What is published beside the items, as it is.
        self.beside: list[str] = []
        #: Between the items of a cell, where they are a text.
        self.separator: str | None = None
        if self.items:
            if unknown := [name for name in frame.columns if name != self.items and name not in columns]:
                raise new_policy_error("columns", f"columns without a role: {', '.join(unknown)}", "give every column beside the items a role: insensitive, sensitive or identifier")
            self.beside = [name for name in frame.columns if name != self.items and columns[name].get("role") != "identifier"]
            type = frame.schema[self.items].dataType
            if type.typeName() != "array":
                self.separator = data.get("item-separator") or ";"
        self.types = {name: frame.schema[name].dataType.simpleString() for name in self.beside}
        #: The columns of a release in their order, which is that of the data.
        self.columns = [name for name in frame.columns if name == self.items or name in self.beside] if self.items else [self.id, self.item]


def read(frame: Any, layout: Layout) -> Any:
    """A row per transaction: its items, each once, what is beside them, and whose it is."""
    from pyspark.sql import functions as F

    types = [f"{quoted(name)} {type}" for name, type in layout.types.items()]
    columns = [named(name) for name in layout.beside]
    if layout.items:
        items = named(layout.items) if layout.separator else named(layout.items).cast("array<string>")
    else:
        # Whoever has two people's rows in one transaction is refused by the kernel as well; here the least name stands for both until that is looked at.
        people = [F.sort_array(F.collect_set(named(layout.person).cast("string"))).alias(PERSON)] if layout.person else []
        frame = frame.groupBy(named(layout.id).alias(ID)).agg(F.collect_set(named(layout.item).cast("string")).alias(ITEMS), *people)
        items = F.col(ITEMS)
    person = []
    if layout.person:
        person = [(named(layout.person).cast("string") if layout.items else F.col(PERSON)).alias(PERSON)]
        types.append(f"{PERSON} string")
    schema = ", ".join([*types, f"{ITEMS} array<string>"])
    return map_in_arrow(frame.select(*columns, *person, items.alias(ITEMS)), _Reader(layout), schema)


class _Reader:
    """For ``mapInArrow``. It travels to the workers."""

    def __init__(self, layout: Layout):
        self.separator, self.missing, self.trims = layout.separator, set(layout.missing), bool(layout.items)

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
            cells = columns.pop(ITEMS).to_pylist()
            columns[ITEMS] = pa.array([self.items_of(cell) for cell in cells], pa.list_(pa.string()))
            if PERSON in columns:
                columns[PERSON] = pa.array([self.person_of(person) for person in columns[PERSON].to_pylist()], pa.string())
            order = [*(name for name in columns if name not in (ITEMS, PERSON)), *([PERSON] if PERSON in columns else []), ITEMS]
            yield pa.RecordBatch.from_pydict({name: columns[name] for name in order})

    def items_of(self, cell: Any) -> list[str]:
        """As the kernel reads them: blanks around the items of a cell go, and what means "no value" is no item."""
        pieces = [] if cell is None else original_items(cell, self.separator) if self.separator else (piece for piece in cell if piece is not None)
        pieces = (piece.strip() for piece in pieces) if self.trims else pieces
        return sorted({piece for piece in pieces if (piece or not self.trims) and same_text(piece, self.missing) is not None})

    def person_of(self, person: Any) -> str | None:
        """One text for all that likely name the same person. Nothing where nobody is named, or two people are."""
        names = person if isinstance(person, list) else [person]
        found = {same_text(name, self.missing) for name in names} - {None}
        return found.pop() if len(found) == 1 else None


def people_missing(transactions: Any, layout: Layout) -> None:
    """Refuses transactions of nobody."""
    from pyspark.sql import functions as F

    if layout.person and (count := transactions.where(F.col(PERSON).isNull()).count()):
        hint = "every transaction belongs to one person: fill the column, or leave these transactions out"
        raise new_error(f"{count} transactions have nobody in `{layout.person}`, or two people", hint)
