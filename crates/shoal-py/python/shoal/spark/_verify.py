"""The promise and the conservation of records, on what was written: counted by Spark's own group-by, with no code of the kernel's."""

from __future__ import annotations

from typing import Any, Iterator

from ._axes import Axis, position
from ._conditions import MISSING, TOLERANCE, Condition, Values
from ._errors import broken
from ._hashes import hash_of_cells
from ._names import PERSON, PERSONAL_K, named, quoted

__all__ = ["Expected", "UNSTEADY", "digests", "losses_of", "verify", "verify_columns", "verify_people", "verify_released"]

#: The data are read several times.
UNSTEADY = "does the DataFrame give the same records every time? With limit, sample or rand it does not: write it to files first, and give those"


class Expected:
    """What a release must be, from the policy and from the original."""

    def __init__(self, k: int, quasi: list[str], kept: list[str], records: int, may_lack: int, axes: list[Axis], hierarchies: dict[str, dict[str, int]]):
        self.k, self.quasi, self.kept, self.records = k, quasi, kept, records
        #: How many records may be left out at most.
        self.may_lack = may_lack
        self.axes, self.hierarchies = axes, hierarchies


def verify(published: Any, original: Any, expected: Expected, conditions: list[Condition], values: dict[str, Values], of_people: Any = None) -> dict[str, Any]:
    """What was found; raises where the promise does not hold or records were lost, doubled or changed. Where conditions count people, ``of_people`` is what the workers
    gave, with whose each record is."""
    from pyspark.sql import functions as F

    crowds = published.groupBy(*map(named, expected.quasi)).agg(F.count(F.lit(1)))
    parts = crowds.mapInArrow(_Sizes(expected), _SIZES).collect()
    smallest = min((part.smallest for part in parts), default=0)
    records = sum(part.records for part in parts)
    if smallest < expected.k:
        raise broken(f"the smallest crowd in the written files has {smallest} records, and k is {expected.k}")
    lacking = expected.records - records
    if not 0 <= lacking <= expected.may_lack:
        allowed = f"; at most {expected.may_lack} may be left out" if expected.may_lack else ""
        raise broken(f"{expected.records} records went in and {records} came out{allowed}", UNSTEADY)
    _verify_kept(published, original, expected, lacking)
    found = {"records-in": expected.records, "records-out": records, "records-suppressed": lacking, "classes": sum(part.crowds for part in parts)}
    found["promises"] = [{"name": "k-anonymity", "asked": expected.k, "found": smallest, "holds": True}]
    for name in dict.fromkeys(condition.column for condition in conditions):
        of_column = [one for one in conditions if one.column == name]
        found["promises"] += _verify_column(published if of_people is None else of_people, expected, values[name], of_column)
    # Who is left out is lost, as on one machine. The order of a sum differs from run to run, and with it the last digits.
    found["ncp"] = round((sum(part.lost for part in parts) + lacking) / expected.records, 12)
    return found


def digests(columns: list[Any], lists: list[Any] | None = None) -> list[Any]:
    """Two sums of hashes of all rows, which say that two DataFrames have the same rows, in whatever order. ``lists`` are columns of lists."""
    from pyspark.sql import functions as F

    return [F.sum(hash_of_cells(seed, columns, lists or []).cast("decimal(38,0)")).alias(f"sum{seed}") for seed in (1, 2)]


def verify_columns(written: Any, may_be: list[str]) -> None:
    """Raises where the files have other columns than those that may be published."""
    if written.columns != may_be:
        raise broken(f"the written files have the columns {', '.join(written.columns)}, and {', '.join(may_be)} may be published")


def losses_of(published: Any, original: Any, expected: Expected) -> tuple[int, float]:
    """How many records there are and what their cells lost together. Raises where what is published as it is did not go in."""
    from pyspark.sql import functions as F

    cells = published.groupBy(*map(named, expected.quasi)).agg(F.count(F.lit(1)))
    parts = cells.mapInArrow(_Sizes(expected), _SIZES).collect()
    records = sum(part.records for part in parts)
    _verify_kept(published, original, expected, expected.records - records)
    return records, sum(part.lost for part in parts)


#: What a batch of crowds gives.
_SIZES = "crowds bigint, records bigint, smallest bigint, lost double"


class _Sizes:
    """Figures of a batch of crowds. It travels to the workers."""

    def __init__(self, expected: Expected):
        self.axes, self.hierarchies = expected.axes, expected.hierarchies

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        crowds, records, smallest, lost = 0, 0, None, 0.0
        weights = sum(axis.weight for axis in self.axes) or 1.0
        for batch in batches:
            if not batch.num_rows:
                continue
            sizes = batch.column(batch.num_columns - 1).to_numpy()
            crowds, records = crowds + len(sizes), records + int(sizes.sum())
            smallest = int(sizes.min()) if smallest is None else min(smallest, int(sizes.min()))
            for at, axis in enumerate(self.axes):
                cells = batch.column(at).dictionary_encode()
                losses = np.array([_loss(text, axis, self.hierarchies.get(axis.name, {})) for text in cells.dictionary.to_pylist()] + [0.0])
                of_crowd = losses[cells.indices.fill_null(len(losses) - 1).to_numpy(zero_copy_only=False)]
                lost += axis.weight / weights * float((of_crowd * sizes).sum())
        if smallest is not None:
            yield pa.RecordBatch.from_pydict({"crowds": [crowds], "records": [records], "smallest": [smallest], "lost": [lost]})


def _loss(text: str, axis: Axis, leaves_below: dict[str, int]) -> float:
    """NCP of a published cell, against the domain of the whole."""
    if text == "*":
        return 1.0
    if axis.has_hierarchy:
        return leaves_below.get(text, 0) / max(leaves_below.get("", 1), 1)
    if axis.is_number:
        if not (text.startswith("[") and text.endswith("]")):
            return 0.0
        low, _, high = text[1:-1].partition(", ")
        ends = [position(end, axis.kind, axis.format) for end in (low, high)]
        return (ends[1] - ends[0]) / (axis.high - axis.low) if axis.high > axis.low else 0.0
    if text.startswith("{") and text.endswith("}"):
        # Labels with commas are in quotes there.
        members = len(_split(text[1:-1]))
        return min(members / axis.values, 1.0) if members > 1 else 0.0
    return 0.0


def _split(members: str) -> list[str]:
    found, quoted, start = [], False, 0
    for at, char in enumerate(members):
        if char == '"':
            quoted = not quoted
        elif char == "," and not quoted:
            found.append(members[start:at])
            start = at + 1
    return [*found, members[start:]]


def _verify_kept(published: Any, original: Any, expected: Expected, lacking: int) -> None:
    """Whatever is published as it is must be there as often as before."""
    from pyspark.sql import functions as F

    if not expected.kept:
        return
    columns = [named(name) for name in expected.kept]
    if lacking == 0:
        # Two sums of hashes over all records, instead of sorting both.
        sums = digests(columns)
        if published.agg(*sums).first() != original.agg(*sums).first():
            raise broken("the columns that are published as they are do not hold what went in", UNSTEADY)
        return
    # Some are left out: none may be there more often than before.
    before = original.groupBy(*columns).agg(F.count(F.lit(1)).alias("__shoal_before__"))
    after = published.groupBy(*columns).agg(F.count(F.lit(1)).alias("__shoal_after__"))
    same = [before[quoted(name)].eqNullSafe(after[quoted(name)]) for name in expected.kept]
    joined = after.join(before, same, "left").where(F.coalesce("__shoal_before__", F.lit(0)) < F.col("__shoal_after__"))
    if not joined.isEmpty():
        raise broken("the columns that are published as they are hold something that did not go in", UNSTEADY)


def _verify_column(published: Any, expected: Expected, values: Values, conditions: list[Condition]) -> list[dict[str, Any]]:
    """The conditions of one sensitive column, crowd by crowd, against the distribution in the published files. Where it is known whose each record is, people are counted."""
    import numpy as np
    from pyspark.sql import functions as F

    name = values.column
    field = published.schema[name]
    numbered = published.sparkSession.createDataFrame(list(values.ids.items()), f"__shoal_value__ {field.dataType.simpleString()}, __shoal_id__ int")
    joined = published.join(F.broadcast(numbered), named(name).eqNullSafe(F.col("__shoal_value__")), "left")
    number = F.countDistinct(PERSON) if PERSON in published.columns else F.count(F.lit(1))
    # An empty cell is nobody's secret: who has no value is counted nowhere, and a crowd of which nobody has one says nothing.
    valued = joined.where(F.col("__shoal_id__") != MISSING)
    counted = valued.groupBy(*map(named, expected.quasi), "__shoal_id__").agg(number.alias("__shoal_n__"))
    # Somebody who has a value in two crowds has it once.
    totals = joined.groupBy("__shoal_id__").agg(number.alias("__shoal_n__")).collect()
    if any(row["__shoal_id__"] is None for row in totals):
        raise broken(f"`{name}` has values that did not go in")
    everybody = np.zeros(values.count)
    for row in totals:
        if row["__shoal_id__"] != MISSING:
            everybody[row["__shoal_id__"]] = row["__shoal_n__"]
    people = valued.agg(number.alias("n")).first()["n"] if PERSON in published.columns else None
    crowd = F.struct(*map(named, expected.quasi)).alias("__shoal_crowd__")
    lists = counted.groupBy(crowd).agg(F.collect_list("__shoal_id__").alias("__shoal_ids__"), F.collect_list("__shoal_n__").alias("__shoal_ns__"))
    columns = ["__shoal_ids__", "__shoal_ns__"]
    if PERSON in published.columns:
        members = valued.groupBy(crowd).agg(number.alias("__shoal_members__")).withColumnRenamed("__shoal_crowd__", "__shoal_of__")
        lists, columns = lists.join(members, F.col("__shoal_crowd__").eqNullSafe(F.col("__shoal_of__"))), [*columns, "__shoal_members__"]
    lists = lists.select(*columns)
    uses = lists.mapInArrow(_Uses(values, conditions, everybody, people), "uses array<double>").collect()
    found = []
    for at, condition in enumerate(conditions):
        worst = max((part["uses"][at] for part in uses), default=0.0)
        if worst > 1 + TOLERANCE:
            raise broken(f"{condition.rule} of `{name}` does not hold in the written files: the worst crowd uses {worst:.6g} times what is allowed")
        name_of = f"{condition.rule} of people" if PERSON in published.columns else condition.rule
        found.append({"name": name_of, "column": name, "asked": condition.parameters, "used": worst, "holds": True})
    return found


class _Uses:
    """How far the crowds of a batch go. It travels to the workers."""

    def __init__(self, values: Values, conditions: list[Condition], everybody: Any, people: int | None):
        """``everybody`` says how many have each value, of so many ``people`` where people are counted."""
        self.values, self.conditions, self.everybody, self.people = values, conditions, everybody, people

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        worst = None
        for batch in batches:
            if not batch.num_rows:
                continue
            ids, counts = batch.column(0), batch.column(1)
            offsets = ids.offsets.to_numpy()
            starts = (offsets[:-1] - offsets[0]).astype(np.int64)
            flat, n = ids.flatten().to_numpy(), counts.flatten().to_numpy()
            if self.people is not None:
                of_crowds = (self.values, starts, flat, n, batch.column(2).to_numpy(), self.everybody, self.people)
                used = [float(condition.use_of_people(*of_crowds).max()) for condition in self.conditions]
            else:
                shares = self.everybody / max(self.everybody.sum(), 1)
                used = [float(condition.use(self.values, starts, flat, n, shares).max()) for condition in self.conditions]
            worst = used if worst is None else [max(pair) for pair in zip(worst, used)]
        if worst is not None:
            yield pa.RecordBatch.from_arrays([pa.array([worst])], names=["uses"])


def verify_released(released: Any, written: Any, published: list[str]) -> None:
    """Who a record is about is not published, so that is counted on what the workers gave, and the files must hold exactly that."""
    sums = digests([named(name) for name in published])
    if released.agg(*sums).first() != written.agg(*sums).first():
        raise broken("the written files do not hold what the workers gave")


def verify_people(released: Any, expected: Expected) -> list[dict[str, Any]]:
    """k of people, and everybody's own k."""
    from pyspark.sql import functions as F

    members = F.countDistinct(PERSON) if PERSON in released.columns else F.count(F.lit(1))
    asked = F.greatest(F.max(F.col(PERSONAL_K)), F.lit(expected.k)) if PERSONAL_K in released.columns else F.lit(expected.k)
    crowds = released.groupBy(*map(named, expected.quasi)).agg(members.alias("__shoal_members__"), asked.alias("__shoal_asked__"))
    worst = crowds.agg(F.min("__shoal_members__").alias("smallest"), F.min(F.col("__shoal_members__") - F.coalesce("__shoal_asked__", F.lit(expected.k))).alias("spare")).first()
    what = "people" if PERSON in released.columns else "records"
    if worst["spare"] is None or worst["spare"] < 0:
        raise broken(f"a crowd in the written files has fewer {what} than one of them asks for: the smallest has {worst['smallest']}")
    return [{"name": f"k-anonymity of {what}", "asked": expected.k, "found": worst["smallest"], "holds": True}]
