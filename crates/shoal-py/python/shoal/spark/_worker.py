"""What happens on a worker: the kernel on the Arrow batches of one part."""

from __future__ import annotations

import json
import os
from typing import Any

from ._axes import Axis
from ._conditions import Condition, Values
from ._errors import carried
from ._names import PART

__all__ = ["Worker", "as_declared", "use_cores_of_task"]

#: Weights are above 0; this is the weight of a column in which a part has one value only, so that nothing can be lost there.
LEAST_WEIGHT = 1e-6


class Worker:
    """Anonymizes one part. It travels to the workers, so it holds plain values only."""

    def __init__(self, given: dict[str, Any], keys: dict[str, Any], axes: list[Axis], conditions: list[tuple[Condition, Values, Any]], types: dict[str, str]):
        self.given, self.keys, self.axes, self.conditions, self.types = given, keys, axes, conditions, types

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa

        from .. import _native

        use_cores_of_task()
        part = table.drop_columns([PART])
        given = {**self.given, "text": _native.dict_to_toml(json.dumps(self.policy_of(part)))}
        try:
            released = pa.table(_native.anonymize(part, given, None, True, False))
        except _native.Error as error:
            raise carried(error) from None
        return pa.table({name: as_declared(released.column(name), type) for name, type in self.types.items()})

    def policy_of(self, part: Any) -> dict[str, Any]:
        """The policy for this part, so that its result is right for the whole."""
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
        for condition, values, everybody in self.conditions:
            import numpy as np

            counted = pc.value_counts(part.column(condition.column))
            counts = np.zeros(values.count)
            for entry in counted.to_pylist():
                counts[values.id_of(entry["values"])] += entry["counts"]
            ids = np.flatnonzero(counts)
            keys["columns"][condition.column].update(condition.of_part(values, ids, counts[ids], everybody))
        return keys


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
    return column.cast(types[wanted])
