"""What happens on a worker: the kernel on the Arrow batches of one part."""

from __future__ import annotations

import json
import os
from typing import Any

from ._axes import Axis
from ._conditions import MISSING, Condition, Values
from ._errors import carried
from ._names import GIVEN, LEFT, PART, PERSON

__all__ = ["Worker", "as_declared", "use_cores_of_task"]

#: The most records with one value that the kernel can be told of.
MOST_OF_VALUE = (1 << 32) - 1
#: Weights are above 0; this is the weight of a column in which a part has one value only, so that nothing can be lost there.
LEAST_WEIGHT = 1e-6


class Worker:
    """Anonymizes one part. It travels to the workers, so it holds plain values only."""

    def __init__(self, given: dict[str, Any], key: str, keys: dict[str, Any], axes: list[Axis], conditions: list[tuple[Condition, Values, Any, int | None]], types: dict[str, str], tells_everybody: bool = True):
        """``conditions`` are those that compare with everybody, with the values of the whole and how many records have each, or how many people, and how many people have any."""
        self.tells_everybody = tells_everybody
        self.key = key
        self.given, self.keys, self.axes, self.conditions, self.types = given, keys, axes, conditions, types

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa

        from .. import _native

        use_cores_of_task()
        part = table.drop_columns([PART])
        distributions: dict[str, Any] = {}
        try:
            keys = self.policy_of(part, distributions)
            given = {**self.given, "text": _native.dict_to_toml(json.dumps(keys)), "distributions": distributions}
            released = pa.table(_native.anonymize(part, given, None, True, False, key=self.key))
        except _native.Error as error:
            raise carried(error) from None
        published = pa.table({name: as_declared(released.column(name), type) for name, type in self.types.items() if name not in (GIVEN, LEFT)})
        if LEFT not in self.types:
            return published
        # In a row of its own. What a table lacks is null there.
        figures = pa.table({GIVEN: [part.num_rows], LEFT: [part.num_rows - published.num_rows]})
        return pa.concat_tables([published, figures], promote_options="default").select(list(self.types))

    def policy_of(self, part: Any, distributions: dict[str, Any]) -> dict[str, Any]:
        """The policy for this part, so that its result is right for the whole. Who everybody is goes to ``distributions``, by column."""
        import pyarrow.compute as pc

        keys = json.loads(json.dumps(self.keys))
        for axis in self.axes:
            # The kernel measures ranges by the ends of its own data, and sets by the number of its own values. Weights bring both back to those of the whole, so that all
            # parts minimize one loss. A hierarchy is that of the whole already.
            if axis.has_hierarchy:
                continue
            column = part.column(axis.name)
            if axis.is_number:
                codes = axis.codes(column)
                codes = codes[codes > float("-inf")]
                share = axis.share(codes.min(), codes.max(), 0) if len(codes) else 0.0
            else:
                share = pc.count_distinct(column).as_py() / axis.values
            keys["columns"][axis.name]["weight"] = axis.weight * min(max(share, LEAST_WEIGHT), 1.0)
        for condition, values, totals, people in self.conditions:
            import numpy as np

            column = part.column(condition.column)
            counts, members = self._counts(part, values, people is not None)
            ids = np.flatnonzero(counts)
            # Of a part of which nobody has a value, nothing is asked.
            if not len(ids):
                continue
            if self._may_tell(condition.column, column.type, len(ids), values.count, totals):
                distributions[condition.column] = ({text: int(total) for text, total in zip(values.texts, totals)}, people)
            elif people is not None:
                keys["columns"][condition.column].update(condition.of_part(values, ids, counts[ids], totals, members, people))
            else:
                keys["columns"][condition.column].update(condition.of_part(values, ids, counts[ids], totals / totals.sum()))
        return keys

    def _counts(self, part: Any, values: Values, of_people: bool) -> tuple[Any, int]:
        """How many records of a part have each value, or how many people, and how many have any."""
        import numpy as np

        column = part.column(values.column).combine_chunks().dictionary_encode()
        id_of = np.array([values.id_of(value) for value in column.dictionary.to_pylist()] + [MISSING], dtype=np.int64)
        ids = id_of[column.indices.fill_null(len(id_of) - 1).to_numpy(zero_copy_only=False)]
        has_value = ids != MISSING
        if not of_people:
            return np.bincount(ids[has_value], minlength=values.count).astype(float), int(has_value.sum())
        people = part.column(PERSON).combine_chunks().dictionary_encode()
        # A value that somebody has twice counts once.
        numbers = people.indices.to_numpy(zero_copy_only=False).astype(np.int64)[has_value]
        pairs = np.unique(numbers * values.count + ids[has_value])
        return np.bincount(pairs % max(values.count, 1), minlength=values.count).astype(float), len(np.unique(numbers))

    def _may_tell(self, column: str, type: Any, present: int, of_all: int, totals: Any) -> bool:
        """Whether the kernel can be told who everybody is in a column. A value that the part does not have has no place in an order or a hierarchy of its values, and
        numbers that are not whole may be written otherwise there."""
        import pyarrow as pa

        needs_places = any(condition.needs_places() for condition, *_ in self.conditions if condition.column == column)
        return self.tells_everybody and totals.max() <= MOST_OF_VALUE and not pa.types.is_floating(type) and not (needs_places and present < of_all)


def use_cores_of_task() -> None:
    """A task has the cores that Spark counts for it, and not those of the machine. This is looked at once, when the first part starts the threads."""
    from pyspark import TaskContext

    context = TaskContext.get()
    os.environ.setdefault("RAYON_NUM_THREADS", str(context.cpus() if context else 1))


def as_declared(column: Any, wanted: str) -> Any:
    """One type a column in all parts. Texts leave as texts and not as dictionaries, whose entries differ from part to part."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    types = {"string": pa.string(), "tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(), "float": pa.float32()}
    types |= {"double": pa.float64(), "boolean": pa.bool_(), "date": pa.date32()}
    # Fractions that are all whole come back as whole numbers, of which Arrow takes none above 2^53 for a fraction. They were fractions.
    return column.cast(types[wanted], safe=wanted not in ("float", "double"))
