"""What jobs on tables and on sequences have in common: columns, hierarchies, figures of the whole, the folder."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

from .. import _native
from .._policy import Policy
from ._axes import Axis, leaves_of, position
from ._errors import new_error, new_policy_error
from ._files import Folder
from ._names import OURS, named
from ._texts import is_missing, same_text

__all__ = ["FILE_RECORDS", "Job", "LARGEST_DOMAIN", "LARGEST_PART", "LEAST_CROWDS", "PART_CROWDS", "PART_RECORDS", "TYPES", "WRITTEN", "sample_size"]

#: Records in a part, unless something else is asked for. ribbon does about the same work on 100,000 and on 250,000 records (docs/scale.md), and a core is done with them in seconds.
PART_RECORDS = 250_000
#: A part that is meant to stand alone has as many records as this many crowds: near the border of a part, crowds cannot be made of whoever is nearest.
PART_CROWDS = 50
#: The least records in a part, in crowds, before it is joined with a neighbour.
LEAST_CROWDS = 10
#: Records in the sample by which parts are cut, and the least for each part: then a part differs from what was wanted by about a seventh. The driver holds the sample.
SAMPLE_RECORDS, SAMPLE_OF_PART = 200_000, 50
#: The most records that one worker is asked to hold.
LARGEST_PART = 5_000_000
#: Records in a published file.
FILE_RECORDS = 1_000_000
#: How exactly different values are counted, relative; the loss of sets of values is as exact as that.
VALUES_ERROR = 0.01
#: Different values of a sensitive column with a condition, or of a column whose hierarchy is made of its values, that the driver holds.
LARGEST_DOMAIN = 1_000_000

#: How files are written. ``_SUCCESS`` is ours to write. A column has one encoding: where it has several, as with dictionaries, Parquet's writer lists them in an order that
#: differs from one Java process to the next, and the same data would not be the same bytes.
WRITTEN = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "parquet.enable.dictionary": "false",
    "parquet.writer.version": "PARQUET_2_0",
    "compression": "zstd",
    # A task writes one file, whatever the session says: names that say nothing of this run have no place for a second one.
    "maxRecordsPerFile": "0",
}
TYPES = ("string", "tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "date")


class Job:
    """One call of :func:`shoal.spark.anonymize`."""

    default_records = PART_RECORDS
    nothing_left = "every quasi-identifier of every record would be suppressed"

    def __init__(self, frame: Any, policy: Policy, output: str, overwrite: bool, read: list[str | None]):
        """``read`` are identifiers that are read and not published."""
        self.spark = frame.sparkSession
        self.folder = Folder(frame, output, overwrite)
        if ours := [name for name in frame.columns if name.startswith(OURS)]:
            raise new_error(f"the column `{ours[0]}` is named like one of ours", "rename it")
        specs = policy._keys.get("columns", {})
        roles = {name: specs.get(name, {}).get("role") for name in frame.columns}
        if unknown := [name for name, role in roles.items() if role is None]:
            raise new_policy_error("columns", f"columns without a role: {', '.join(unknown)}", "give every column a role: quasi, sensitive, insensitive or identifier")
        if lacking := [name for name in specs if name not in roles]:
            raise new_policy_error(f"columns.{lacking[0]}", f"the data have no column `{lacking[0]}`", f"they have: {', '.join(frame.columns)}")
        self.personal_k = next((name for name, role in roles.items() if role == "personal-k"), None)
        self.published = [name for name in frame.columns if roles[name] in ("quasi-identifier", "sensitive", "insensitive")]
        self.quasi = [name for name in self.published if roles[name] == "quasi-identifier"]
        if not self.quasi:
            raise new_policy_error("columns", "no column is a quasi-identifier", "say what somebody may know of a person: role = \"quasi-identifier\"")
        kept = dict.fromkeys([*self.published, *(name for name in read if name), *([self.personal_k] if self.personal_k else [])])
        self.frame = frame.select(*map(named, kept))
        for field in self.frame.schema.fields:
            if field.dataType.simpleString() not in TYPES and field.name not in self.quasi:
                hint = f'give frame.withColumn("{field.name}", col("{field.name}").cast("string"))'
                raise new_error(f"`{field.name}` is of type {field.dataType.simpleString()}, which cannot be published", hint)
        self.policy, self.specs = policy, specs
        self.texts = self.hierarchy_texts()
        given = policy._native_with(self.texts)
        self.given = {**given, "folder": "."}
        # Defaults, presets and all mistakes of the policy, before anything is read.
        self.full = json.loads(_native.policy_to_json(self.given))
        self.k = int(self.full["privacy"]["k"])
        #: One for all parts, so that a part that is done again is the same.
        self.key = _native.release_key(given)
        #: What records are sampled and parted by. Spark writes it into its plans and logs, so it is not the key itself.
        self.hash_key = int.from_bytes(blake2b(bytes.fromhex(self.key), digest_size=8, person=b"shoal parts").digest(), "little", signed=True)
        leaves = {name: leaves_of(self.texts.get(specs[name].get("hierarchy"), "")) for name in self.quasi}
        #: The texts that mean "no value".
        self.missing: list[str] = self.full["data"]["missing"]
        self.axes = [Axis(name, self.full["columns"][name], leaves[name], self.missing) for name in self.quasi]
        self.leaves_below = {name: _count_leaves(of) for name, of in leaves.items() if of}
        self.part_figures: dict[str, Any] = {}
        #: How many rows the written files have, once they are verified.
        self.rows = 0

    def hierarchy_texts(self) -> dict[str, str]:
        """Hierarchies as texts, those that are made from data from the values of the whole. Files are read here: a worker may be another machine."""
        from pathlib import Path

        import pyarrow as pa

        texts = {}
        for column in [name for name in self.specs if self.specs[name].get("hierarchy")]:
            name = self.specs[column]["hierarchy"]
            hierarchy = self.policy._hierarchies.get(name)
            if hierarchy is None:
                texts[name] = Path(self.policy._folder, name).read_text("utf-8")
                continue
            values = None
            if hierarchy._text is None:
                values = pa.table({column: pa.array(self.domain(column))})
            missing = self.policy._keys.get("data", {}).get("missing", [])
            built = hierarchy._built(values, column, [missing] if isinstance(missing, str) else missing, self.specs[column].get("format"))
            texts[name] = built._text or ""
        return texts

    def domain(self, column: str) -> list[Any]:
        """The different values of a column, in an order that does not depend on the machine."""
        rows = self.frame.select(named(column)).distinct().limit(LARGEST_DOMAIN + 1).collect()
        if len(rows) > LARGEST_DOMAIN:
            raise new_error(f"`{column}` has more than {LARGEST_DOMAIN:,} different values", "give it a hierarchy of your own (shoal.tree, or a file), or fewer values")
        # NaN is not equal to itself, and is neither less nor greater than any number.
        return sorted((row[0] for row in rows), key=lambda value: (value is not None, value == value, value))

    def figures(self, *others: Any) -> dict[str, Any]:
        """One pass over everything: how many records, the ends of each number, how many values each column has, and ``others``."""
        from pyspark.sql import functions as F

        quasi = [named(name) for name in self.quasi]
        aggregates = [F.count(F.lit(1)).alias("records"), F.approx_count_distinct(F.xxhash64(*quasi)).alias("tuples")]
        texts = {field.name for field in self.frame.schema.fields if field.dataType.simpleString() == "string"}
        for at, axis in enumerate(self.axes):
            aggregates.append(F.approx_count_distinct(named(axis.name), VALUES_ERROR).alias(f"values{at}"))
            if axis.is_number and not (axis.kind == "date" and axis.name in texts):
                column = named(axis.name).try_cast("double") if axis.kind != "date" else named(axis.name)
                # -1 may mean "no value", and then a range of the whole does not begin there.
                column = F.when(~self._lacks(axis.name), column)
                aggregates += [F.min(column).alias(f"low{at}"), F.max(column).alias(f"high{at}")]
        # A record without a value is left out where the policy says so; that is counted here, and not believed.
        incomplete = F.lit(False)
        for name, column in self.full["columns"].items():
            if column.get("missing") == "suppress" and name in self.frame.columns:
                incomplete = incomplete | self._lacks(name)
        aggregates.append(F.sum(F.when(incomplete, 1).otherwise(0)).alias("incomplete"))
        row = self.frame.agg(*aggregates, *others).first().asDict()
        self.records, self.tuples, self.incomplete = row["records"], row["tuples"], row["incomplete"] or 0
        for at, axis in enumerate(self.axes):
            if not axis.leaves:
                axis.values = max(row[f"values{at}"], 1)
            if axis.is_number:
                if axis.kind == "date" and axis.name in texts:
                    # Dates that are written as texts in a way that only the policy knows.
                    places = [position(value, axis.kind, axis.format) for value in self.domain(axis.name) if same_text(value, self.missing) is not None]
                else:
                    places = [position(row[f"{end}{at}"], axis.kind, axis.format) for end in ("low", "high")]
                places = [place for place in places if place > float("-inf")]
                axis.low, axis.high = (min(places), max(places)) if places else (0.0, 0.0)
        return row

    def _lacks(self, column: str) -> Any:
        """Whether a record has no value in a column."""
        return is_missing(named(column), self.type_of(column), self.missing)

    def type_of(self, column: str) -> str:
        """Spark's name of the type of a column."""
        return self.frame.schema[column].dataType.simpleString()

    def types(self) -> dict[str, str]:
        """The types of what is published: what may be generalized is text, the rest is what it was."""
        types = {field.name: field.dataType.simpleString() for field in self.frame.schema.fields if field.name in self.published}
        return {**types, **{name: "string" for name in self.quasi}}

    def worker_keys(self, kept: list[str | None]) -> dict[str, Any]:
        """The policy for workers, which get no identifiers but these."""
        keys = json.loads(json.dumps(self.full))
        for name in [name for name, spec in self.specs.items() if spec.get("role") == "identifier" and name not in kept]:
            del keys["columns"][name]
        return keys

    def check_size(self, largest_part: int) -> None:
        """Whether a worker can hold the largest part."""
        if self.part_figures["largest"] > largest_part:
            hint = "weaker conditions, or other quasi-identifiers; largest_part=… where a worker can hold as much"
            raise new_error(f"a part would have {self.part_figures['largest']:,} records: too many are alike, or the conditions do not let it be cut", hint)


def sample_size(records: int, size: float) -> float:
    """How many records parts of this size are cut by."""
    return max(SAMPLE_RECORDS, SAMPLE_OF_PART * records / size)


def _count_leaves(leaves: dict[str, list[str]]) -> dict[str, int]:
    """How many leaves each inner node has below it; under "" all of them."""
    counts = {"": len(leaves)}
    for leaf, path in leaves.items():
        for node in dict.fromkeys(path):
            if node != leaf:
                counts[node] = counts.get(node, 0) + 1
    return counts
