"""That written sequences keep (k,beta)^L or (k,C)^L, proved part by part.

A group-by cannot enumerate what somebody may know. But *any* division of people for which every part keeps the promise with the shares of the whole proves it of the whole.
So which part each pseudonym came from is a certificate: it is written beside the files, never published, and nobody has to believe it. Spark's own group-by checks that everybody
is in exactly one part with all their events, and counts the shares; the verifier (the crate ``shoal-privacy``, with no code of the algorithms) judges each part as it stands in
the files, on the workers.
"""

from __future__ import annotations

import json
from typing import Any

from ._errors import broken, carried
from ._names import PART, PERSON, named
from ._worker import use_cores_of_task

__all__ = ["Proof"]

#: Where a row stands.
FILE, ROW = "__shoal_file__", "__shoal_row__"


class Proof:
    """What is checked of each part. It travels to the workers, so it holds plain values only."""

    def __init__(self, given: dict[str, Any], keys: dict[str, Any], id: str):
        """``given`` says in its distributions how many of everybody who is published have each value."""
        from .. import _native

        self.given, self.id = {**given, "text": _native.dict_to_toml(json.dumps(keys))}, id

    def check(self, written: Any, part_of: Any, people: int) -> dict[str, Any]:
        """The promise with what was found; raises where it is not proved. ``part_of`` has a part for each of the pseudonyms, of whom there are so many."""
        from pyspark.sql import functions as F

        doubled = part_of.groupBy(PERSON).count().where(F.col("count") > 1)
        if not doubled.isEmpty():
            raise broken("a person is in two parts, so that nothing is proved by them")
        rows = written.withColumns({FILE: F.col("__shoal_place__.file_path"), ROW: F.col("__shoal_place__.row_index")}).drop("__shoal_place__")
        joined = rows.join(part_of, named(self.id) == F.col(PERSON), "left").drop(PERSON)
        schema = "people bigint, events bigint, holds boolean, name string, asked string, found string"
        # Those without a part would be a part of their own, which is nobody's claim.
        parts = joined.where(F.col(PART).isNotNull()).groupBy(PART).applyInArrow(lambda table: self(table), schema).collect()
        events = written.count()
        if sum(part.people for part in parts) != people or sum(part.events for part in parts) != events:
            raise broken(f"the parts have {sum(part.people for part in parts)} people with {sum(part.events for part in parts)} events, and the written files {people} with {events}")
        if bad := [part for part in parts if not part.holds]:
            raise broken(f"{bad[0].name} does not hold in {len(bad)} of {len(parts)} parts of the written files: {bad[0].found}")
        if not parts:
            raise broken("the written files are empty")
        return {"name": parts[0].name, "asked": parts[0].asked, "found": f"kept by each of {len(parts)} parts of different people", "holds": True}

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        from .. import _native

        use_cores_of_task()
        table = table.sort_by([(FILE, "ascending"), (ROW, "ascending")]).drop_columns([FILE, ROW, PART])
        # Numbered again from 1 on, as the verifier wants them: the numbers of a part have gaps. Where the events of somebody do not stand together it will say so.
        different = pc.dictionary_encode(table.column(self.id).combine_chunks())
        numbers = pc.add(different.indices.cast(pa.int64()), 1)
        at = table.schema.get_field_index(self.id)
        part = table.set_column(at, self.id, numbers.cast(pa.string()))
        try:
            holds, found = _native.verify(part, self.given, None)
        except _native.Error as error:
            raise carried(error) from None
        found = json.loads(found)
        promise = found["promises"][0]
        said = [str(violation) for one in found["broken"] for violation in one.get("violations", {}).get("worst", [])[:1]]
        texts = {"name": promise["name"], "asked": str(promise["asked"]), "found": "; ".join([str(promise["found"]), *said])}
        return pa.table({"people": [len(different.dictionary)], "events": [part.num_rows], "holds": [holds], **{name: [text] for name, text in texts.items()}})
