"""All rows of a person together (``data.known-rows = "all"``): people whose rows are in the same crowds are a *cell*, and whatever is promised of a crowd must be true of each of its cells.

Spark's group-by finds the cells and puts each of them onto one worker as a whole, where the verifier of one machine judges it (``shoal-privacy/src/refinement``).
"""

from __future__ import annotations

import json
from typing import Any

from ._errors import broken, carried
from ._names import PERSON, PERSONAL_K, named
from ._worker import use_cores_of_task

__all__ = ["Cells"]

#: The cell of a person, and the worker that judges it.
CELL, JUDGE = "__shoal_cell__", "__shoal_judge__"


class Cells:
    """What is judged of each cell. It travels to the workers, so it holds plain values only."""

    def __init__(self, given: dict[str, Any], quasi: list[str], others: list[str]):
        """``others`` are columns about which something is promised."""
        self.given, self.quasi, self.others = given, quasi, others

    def check(self, released: Any, judges: int) -> list[dict[str, Any]]:
        """The promises with what was found; raises where one is broken. ``released`` are the published rows, with whose each is; so many workers judge them."""
        from pyspark.sql import functions as F

        crowds = F.sort_array(F.collect_list(F.array(*map(named, self.quasi))))
        # A digest, since a list can be long. Two lists never have the same one.
        cells = released.groupBy(PERSON).agg(F.sha2(F.to_json(crowds), 256).alias(CELL)).withColumnRenamed(PERSON, "__shoal_who__")
        kept = [name for name in (PERSON, PERSONAL_K) if name in released.columns]
        rows = released.select(*map(named, [*self.quasi, *self.others, *kept])).join(cells, F.col(PERSON) == F.col("__shoal_who__"))
        rows = rows.withColumn(JUDGE, F.pmod(F.xxhash64(CELL), F.lit(judges)).cast("int")).drop("__shoal_who__", CELL).repartition(judges, JUDGE)
        judged = rows.groupBy(JUDGE).applyInArrow(lambda table: self(table), "found string").collect()
        found = [json.loads(row["found"]) for row in judged]
        judged_rows, people = (sum(one[what] for one in found) for what in ("rows", "people"))
        wanted = released.agg(F.count(F.lit(1)), F.countDistinct(PERSON)).first()
        if (judged_rows, people) != tuple(wanted):
            raise broken(f"{judged_rows} rows of {people} people were judged, and {wanted[0]} of {wanted[1]} are there")
        if not found:
            raise broken("the written files are empty")
        promises = []
        for at, promise in enumerate(found[0]["promises"]):
            of_all = [one["promises"][at] for one in found]
            column = f" of `{promise['column']}`" if promise.get("column") else ""
            if not all(one["holds"] for one in of_all):
                raise broken(f"{promise['name']}{column} does not hold in the written files for all rows of a person together")
            # Of the others the least is not the worst of all.
            least = min(one["found"] for one in of_all) if promise["name"] == "k-anonymity" else "kept by each cell of people"
            promises.append({**promise, "name": f"{promise['name']} of people", "found": least})
        return promises

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa

        from .. import _native

        use_cores_of_task()
        rows = table.drop_columns([JUDGE])
        try:
            found = _native.judge_cells(rows, self.given, PERSON, PERSONAL_K if PERSONAL_K in rows.column_names else None)
        except _native.Error as error:
            raise carried(error) from None
        # Without the cells that break something: this may stand in logs.
        kept = {key: value for key, value in json.loads(found).items() if key != "broken"}
        return pa.table({"found": [json.dumps(kept)]})
