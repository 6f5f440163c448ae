"""Whose records are whose, by the names of people."""

from __future__ import annotations

from typing import Any, Iterator

from ._names import map_in_arrow, quoted
from ._texts import kernel_text, same_text

__all__ = ["with_canonical_people"]


def with_canonical_people(frame: Any, person: str, missing: list[str]) -> Any:
    """The same records with one name for each person. Texts that fold to one are one person to the kernel, so all their
    records must be in one part, and they must be counted as one."""
    fields = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    schema = ", ".join(f"{quoted(name)} {'string' if name == person else type}" for name, type in fields.items())
    return map_in_arrow(frame, _CanonicalNames(person, missing, fields[person]), schema)


class _CanonicalNames:
    """For ``mapInArrow``: one text for all that likely name the same person, and nothing where nobody is named. It travels to the workers."""

    def __init__(self, column: str, missing: list[str], type: str):
        self.column, self.missing, self.type = column, missing, type

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            at = batch.schema.get_field_index(self.column)
            names = batch.column(at).dictionary_encode()
            texts = pa.array([self.name_of(name) for name in names.dictionary.to_pylist()], pa.string())
            columns = batch.columns
            columns[at] = texts.take(names.indices)
            yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

    def name_of(self, name: Any) -> str | None:
        return None if name is None else same_text(kernel_text(name, self.type), self.missing)
