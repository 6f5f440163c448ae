"""Tables that are larger than one machine, on Apache Spark.

::

    import shoal.spark
    frame = spark.read.parquet("people/")
    release = shoal.spark.anonymize(frame, policy, "release/")
    release.found["promises"]

1. *Figures of the whole*: ranges of numbers, how many values each column has, how sensitive values are distributed.
2. *Parts*: a sample that is chosen by the content of records, not by their place, is cut at medians, the widest column first. Every worker then knows the part of a
   record without looking at any other. Parts are counted exactly; those that could not keep the promise alone are joined with a neighbour.
3. *Anonymize*: the same kernel as everywhere, on each part's Arrow batches. What holds in every part holds in all of them together, because no person is in two parts.
4. *Verify the whole*: what was written is read again, and Spark's own group-by counts crowds, people, values and records.
5. *Publish*: the folder gets its name and its ``_SUCCESS`` only then; otherwise it is removed.

``docs/scale.md`` has figures, and says what the cuts give away.
"""

from __future__ import annotations

import json
from typing import Any

from .. import _native
from .._policy import Policy, PolicyLike, policy_of
from ._axes import Axis, leaves_of, position
from ._conditions import TOLERANCE, Condition, Values, conditions_of
from ._errors import broken, of_workers, refuse, refuse_policy
from ._files import Folder
from ._names import HASH, OURS, PART, PERSON, PERSONAL_K, ROW, named, quoted
from ._plan import Plan
from ._verify import Expected, verify, verify_people
from ._worker import Worker

__all__ = ["SparkRelease", "anonymize"]

#: Records in a part, unless something else is asked for. ribbon does about the same work on 100,000 and on 250,000 records (docs/scale.md), and a core is done with them in seconds.
PART_RECORDS = 250_000
#: A part that is meant to stand alone has as many records as this many crowds: near the border of a part, crowds cannot be made of whoever is nearest.
PART_CROWDS = 50
#: The least records in a part, in crowds, before it is joined with a neighbour.
LEAST_CROWDS = 10
#: Records in the sample by which parts are cut. Two hundred for each of a thousand parts; the driver holds it easily.
SAMPLE_RECORDS = 200_000
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
_WRITTEN = {
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "parquet.enable.dictionary": "false",
    "parquet.writer.version": "PARQUET_2_0",
    "compression": "zstd",
}
_TYPES = ("string", "tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "date")


class SparkRelease:
    """What was written, and what Spark found when it read it again."""

    def __init__(self, output: str, parts: int, found: dict[str, Any], policy: Policy):
        #: The folder of Parquet files.
        self.output = output
        #: How many parts the data were cut into.
        self.parts = parts
        #: What Spark counted in the published files: records, classes, promises, the loss (``ncp``).
        self.found = found
        #: The policy.
        self.policy = policy

    @property
    def leaks(self) -> list[str]:
        """What the promise does not cover, in plain words."""
        return self.found["leaks"]

    def __repr__(self) -> str:
        return f"<shoal.spark.SparkRelease {self.output}: {json.dumps(self.found)}>"


def anonymize(
    frame: Any,
    policy: PolicyLike,
    output: str,
    *,
    part_records: int = PART_RECORDS,
    largest_part: int = LARGEST_PART,
    overwrite: bool = False,
    allow_total_loss: bool = False,
) -> SparkRelease:
    """Anonymizes a Spark DataFrame and writes it to the folder ``output``, as Parquet.

    Tables, with k, a k of each person's own, people (``data.person``), l-diversity, t-closeness and beta-likeness. What cannot be promised on a cluster is refused.
    The release does not depend on the order of the input, its files, the number of workers, or on which of them fail; ``part_records`` does change it.

    The workers need this package; ``docs/scale.md`` says how ``spark-submit`` ships it.
    """
    policy = policy_of(policy)
    job = _Job(frame, policy, output, overwrite)
    plan = job.plan(part_records)
    released = job.released(plan, largest_part)
    try:
        with of_workers():
            job.write(released)
        found = job.verify(released)
        if found["ncp"] >= 1 and not allow_total_loss:
            hint = "lower k or the other promises, leave columns out, or give hierarchies; allow_total_loss=True releases it all the same"
            raise broken("every quasi-identifier of every record would be suppressed", hint)
        job.folder.publish()
    except BaseException:
        job.folder.remove()
        raise
    finally:
        if job.carried:
            released.unpersist()
    return SparkRelease(output, plan.parts, {**found, "parts": job.part_figures}, policy)


class _Job:
    """One call of :func:`anonymize`."""

    def __init__(self, frame: Any, policy: Policy, output: str, overwrite: bool):
        _refuse(policy._keys)
        self.spark = frame.sparkSession
        self.folder = Folder(self.spark, output, overwrite)
        if ours := [name for name in frame.columns if name.startswith(OURS)]:
            raise refuse(f"the column `{ours[0]}` is named like one of ours", "rename it")
        specs = policy._keys.get("columns", {})
        roles = {name: specs.get(name, {}).get("role") for name in frame.columns}
        if unknown := [name for name, role in roles.items() if role is None]:
            raise refuse_policy("columns", f"columns without a role: {', '.join(unknown)}", "give every column a role: quasi, sensitive, insensitive or identifier")
        if lacking := [name for name in specs if name not in roles]:
            raise refuse_policy(f"columns.{lacking[0]}", f"the data have no column `{lacking[0]}`", f"they have: {', '.join(frame.columns)}")
        self.person: str | None = policy._keys.get("data", {}).get("person")
        self.personal_k = next((name for name, role in roles.items() if role == "personal-k"), None)
        # Identifiers stay where they are, but for the one that says whose a record is.
        self.published = [name for name in frame.columns if roles[name] in ("quasi-identifier", "sensitive", "insensitive")]
        self.quasi = [name for name in self.published if roles[name] == "quasi-identifier"]
        if not self.quasi:
            raise refuse_policy("columns", "no column is a quasi-identifier", "say what somebody may know of a person: role = \"quasi-identifier\"")
        read = [*self.published, *(name for name in (self.person, self.personal_k) if name)]
        self.frame = frame.select(*map(named, read))
        for field in self.frame.schema.fields:
            if field.dataType.simpleString() not in _TYPES and field.name not in self.quasi:
                hint = f'give frame.withColumn("{field.name}", col("{field.name}").cast("string"))'
                raise refuse(f"`{field.name}` is of type {field.dataType.simpleString()}, which cannot be published", hint)
        self.policy, self.specs = policy, specs
        self.texts = self._hierarchy_texts()
        self.given = {**policy._native_with(self.texts), "folder": "."}
        # Defaults, presets and all mistakes of the policy, before anything is read.
        self.full = json.loads(_native.policy_to_json(self.given))
        self.k = int(self.full["privacy"]["k"])
        self.conditions = conditions_of(self.full)
        self._refuse_conditions()
        leaves = {name: leaves_of(self.texts.get(specs[name].get("hierarchy"), "")) for name in self.quasi}
        self.axes = [Axis(name, self.full["columns"][name], leaves[name]) for name in self.quasi]
        self.leaves_below = {name: _count_leaves(of) for name, of in leaves.items() if of}
        self.carried = [name for name, source in ((PERSON, self.person), (PERSONAL_K, self.personal_k)) if source]
        self._figures()
        self.part_figures: dict[str, Any] = {}

    def _refuse_conditions(self) -> None:
        if self.conditions and self.person:
            hint = "one record a person: remove data.person; or use shoal.anonymize on one machine"
            raise refuse_policy("data.person", "conditions on sensitive values that count people are not verified on Spark yet", hint)
        algorithm = self.full["algorithm"]
        drops = algorithm.get("max-suppressed") or algorithm.get("outliers") == "suppress" or algorithm.get("name") in ("datafly", "incognito")
        drops = drops or any(column.get("missing") == "suppress" for column in self.full["columns"].values())
        if drops and any(condition.compares for condition in self.conditions):
            hint = "publish everybody (no outliers, max-suppressed or missing = \"suppress\"; ribbon, mondrian or sbc)"
            raise refuse_policy("privacy", "t-closeness and beta-likeness compare with everybody who is published, which no worker knows while records are left out", hint)

    def _hierarchy_texts(self) -> dict[str, str]:
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
                values = pa.table({column: pa.array(self._domain(column))})
            missing = self.policy._keys.get("data", {}).get("missing", [])
            texts[name] = hierarchy._of(values, column, [missing] if isinstance(missing, str) else missing, self.specs[column].get("format"))
        return texts

    def _domain(self, column: str) -> list[Any]:
        """The different values of a column, in an order that does not depend on the machine."""
        rows = self.frame.select(named(column)).distinct().limit(LARGEST_DOMAIN + 1).collect()
        if len(rows) > LARGEST_DOMAIN:
            raise refuse(f"`{column}` has more than {LARGEST_DOMAIN:,} different values", "give it a hierarchy of your own (shoal.tree, or a file), or fewer values")
        return sorted((row[0] for row in rows), key=lambda value: (value is not None, value))

    def _figures(self) -> None:
        """One pass over everything: how many records, the ends of each number, how many values each column has."""
        from pyspark.sql import functions as F

        quasi = [named(name) for name in self.quasi]
        aggregates = [F.count(F.lit(1)).alias("records"), F.approx_count_distinct(F.xxhash64(*quasi)).alias("tuples")]
        texts = {field.name for field in self.frame.schema.fields if field.dataType.simpleString() == "string"}
        for at, axis in enumerate(self.axes):
            aggregates.append(F.approx_count_distinct(named(axis.name), VALUES_ERROR).alias(f"values{at}"))
            if axis.is_number and not (axis.kind == "date" and axis.name in texts):
                column = named(axis.name).try_cast("double") if axis.kind != "date" else named(axis.name)
                aggregates += [F.min(column).alias(f"low{at}"), F.max(column).alias(f"high{at}")]
        # A record without a value is left out where the policy says so; that is counted here, and not believed.
        incomplete = F.lit(False)
        for name, column in self.full["columns"].items():
            if column.get("missing") == "suppress" and name in self.frame.columns:
                value = named(name)
                lacks = value.isNull() | F.trim(value).isin(self.full["data"]["missing"]) if name in texts else value.isNull()
                incomplete = incomplete | lacks
        aggregates.append(F.sum(F.when(incomplete, 1).otherwise(0)).alias("incomplete"))
        if self.personal_k:
            aggregates.append(F.max(named(self.personal_k).try_cast("bigint")).alias("largest k"))
        row = self.frame.agg(*aggregates).first().asDict()
        self.records, self.tuples, self.incomplete = row["records"], row["tuples"], row["incomplete"] or 0
        # A part must be able to hold whoever asks for most.
        self.largest_k = max(self.k, row.get("largest k") or 0)
        if self.records < self.k:
            raise broken(f"there are {self.records} records, fewer than k = {self.k}", "lower k, or publish more records at once")
        for at, axis in enumerate(self.axes):
            if not axis.leaves:
                axis.values = max(row[f"values{at}"], 1)
            if axis.is_number:
                if axis.kind == "date" and axis.name in texts:
                    # Dates that are written as texts in a way that only the policy knows.
                    places = [position(value, axis.kind, axis.format) for value in self._domain(axis.name)]
                else:
                    places = [position(row[f"{end}{at}"], axis.kind, axis.format) for end in ("low", "high")]
                places = [place for place in places if place > float("-inf")]
                axis.low, axis.high = (min(places), max(places)) if places else (0.0, 0.0)

    def plan(self, part_records: int) -> Plan:
        """Cuts by a sample, then joins parts by exact counts."""
        import numpy as np
        from pyspark.sql import functions as F

        size, least = max(part_records, PART_CROWDS * self.largest_k), LEAST_CROWDS * self.largest_k
        quasi = [named(name) for name in self.quasi]
        if self.tuples <= SAMPLE_RECORDS:
            # Few enough different ones to know all of them, however many records have each.
            counted = self.frame.groupBy(*quasi).agg(F.count(F.lit(1)).alias("__shoal_n__")).toArrow()
            sample, weights = counted, counted.column("__shoal_n__").to_numpy().astype(float)
        else:
            every = max(1, self.records // SAMPLE_RECORDS)
            hashed = self.frame.select(*quasi, self._hash())
            sample = hashed.where(F.pmod(F.col(HASH), F.lit(every)) == 0).drop(HASH).toArrow()
            weights = np.full(sample.num_rows, self.records / max(sample.num_rows, 1))
        plan = Plan.of_sample(sample, weights, self.axes, size, least)
        members = F.countDistinct(PERSON) if self.person else F.count(F.lit(1))
        counted = self._parted(plan).groupBy(PART).agg(F.count(F.lit(1)).alias("records"), members.alias("members")).collect()
        sizes, people = [0] * plan.cells, [0] * plan.cells
        for row in counted:
            sizes[row[PART]], people[row[PART]] = row["records"], row["members"]
        shares = self._value_counts(plan)
        plan.merge(sizes, lambda cells: sum(people[cell] for cell in cells) >= least and self._may_stand(cells, shares))
        merged = [0] * plan.parts
        for cell, part in enumerate(plan.part_of):
            merged[part] += sizes[cell]
        self.part_figures = {"count": plan.parts, "smallest": min(merged), "largest": max(merged)}
        return plan

    def _value_counts(self, plan: Plan) -> dict[str, Any]:
        """How many records of each cell have each value, for every sensitive column with a condition."""
        import numpy as np
        from pyspark.sql import functions as F

        values: dict[str, Values] = {}
        tables = {}
        for name in dict.fromkeys(condition.column for condition in self.conditions):
            spec = self.full["columns"][name]
            values[name] = Values(name, spec, self.full["data"]["missing"], self._domain(name), leaves_of(self.texts.get(spec.get("hierarchy"), "")))
            table = np.zeros((plan.cells, values[name].count))
            counted = self._parted(plan).groupBy(PART, named(name)).agg(F.count(F.lit(1)).alias("n")).collect()
            for row in counted:
                table[row[0], values[name].id_of(row[1])] += row["n"]
            tables[name] = table
        # How far everybody together goes: no part can be asked for less.
        self.values, self.everybody, self.used = values, {}, {}
        for name, table in tables.items():
            total = table.sum(axis=0)
            self.everybody[name] = total / total.sum()
        for condition in self.conditions:
            used = self._use(condition, tables[condition.column].sum(axis=0))
            if used > 1 + TOLERANCE:
                raise broken(f"{condition} is not even kept by all records together", "ask for less, or leave the column out")
            self.used[id(condition)] = used
        return tables

    def _use(self, condition: Condition, counts: Any) -> float:
        import numpy as np

        ids = np.flatnonzero(counts)
        return float(condition.use(self.values_of(condition), np.array([0]), ids, counts[ids], self.everybody[condition.column])[0])

    def values_of(self, condition: Condition) -> Values:
        return self.values[condition.column]

    def _may_stand(self, cells: list[int], tables: dict[str, Any]) -> bool:
        """Whether a part of these cells keeps every condition as a whole, with at least half the room that everybody together leaves: otherwise it would become one crowd."""
        uses = ((self._use(condition, tables[condition.column][cells].sum(axis=0)), self.used[id(condition)]) for condition in self.conditions)
        return all(used <= (1 + of_all) / 2 for used, of_all in uses)

    def _hash(self) -> Any:
        """A hash of what is in a record, by the seed. Never of who it is about: if Ann's record were placed by her name, two worlds in which Ann and Bob have changed
        places could look different."""
        from pyspark.sql import functions as F

        columns = [*self.published, *([self.personal_k] if self.personal_k else [])]
        return F.xxhash64(F.lit(int(self.full["algorithm"].get("seed", 0))), *map(named, columns)).alias(HASH)

    def _parted(self, plan: Plan) -> Any:
        """The records with their parts, and with what is carried along."""
        from pyspark.sql import functions as F

        hashed = self.frame.select("*", self._hash())
        types = {field.name: field.dataType.simpleString() for field in self.frame.schema.fields}
        schema = ", ".join(f"{quoted(name)} {type}" for name, type in types.items())
        if self.person is None:
            parted = hashed.mapInArrow(plan.assign, f"{schema}, {PART} int")
        else:
            parted = self._parted_people(plan, hashed, schema)
        return parted.withColumn(PERSONAL_K, named(self.personal_k)) if self.personal_k else parted

    def _parted_people(self, plan: Plan, hashed: Any, schema: str) -> Any:
        """All records of a person go to the part of one of them, which is chosen by its hash."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        # The hash is there a second time, because the plan takes it away.
        parted = hashed.withColumn(ROW, F.col(HASH)).mapInArrow(plan.assign, f"{schema}, {ROW} bigint, {PART} int")
        person = named(self.person)
        people = parted.groupBy(person).agg(F.min_by(PART, ROW).alias(PART), F.xxhash64(F.sort_array(F.collect_list(ROW))).alias("__shoal_all__"))
        # People are told apart by what they have, and by numbers where they have the same: then it does not matter who has which.
        number = F.row_number().over(Window.partitionBy("__shoal_all__").orderBy(person))
        people = people.withColumn(PERSON, F.concat_ws("-", F.col("__shoal_all__"), number)).drop("__shoal_all__")
        return parted.drop(PART, ROW).join(people, self.person)

    def released(self, plan: Plan, largest_part: int) -> Any:
        """What the workers will give, with what is carried along."""
        if self.part_figures["largest"] > largest_part:
            hint = "weaker conditions, or other quasi-identifiers; largest_part=… where a worker can hold as much"
            raise refuse(f"a part would have {self.part_figures['largest']:,} records: too many are alike, or the conditions do not let it be cut", hint)
        keys = json.loads(json.dumps(self.full))
        for name in self.carried:
            keys["columns"][name] = {"role": "insensitive"}
        for name in [name for name, spec in self.specs.items() if spec.get("role") == "identifier" and name != self.person]:
            del keys["columns"][name]
        conditions = [(condition, self.values_of(condition), self.everybody[condition.column]) for condition in self.conditions if condition.compares]
        types = {field.name: field.dataType.simpleString() for field in self.frame.schema.fields if field.name in self.published}
        types.update({name: "string" for name in self.quasi})
        if self.person:
            types[PERSON] = "string"
        if self.personal_k:
            types[PERSONAL_K] = "bigint"
        worker = Worker(self.given, keys, self.axes, conditions, types)
        # As many tasks as parts: left alone, Spark would put many small parts into one task, and the other workers would wait.
        parted = self._parted(plan).repartition(plan.parts, PART)
        # A function, since Spark looks at the signature.
        released = parted.groupBy(PART).applyInArrow(lambda table: worker(table), ", ".join(f"{quoted(name)} {type}" for name, type in types.items()))
        # Who a record is about is looked at twice and never written where the release goes.
        return released.persist() if self.carried else released

    def write(self, released: Any) -> None:
        """Which file a record is in and where follows from what is published about it, and from nothing else: neither its part nor its place in the input can be seen."""
        published = [named(name) for name in self.published]
        files = max(1, -(-self.records // FILE_RECORDS))
        ordered = released.select(*published).repartition(files, *published).sortWithinPartitions(*[column.cast("string") for column in published])
        ordered.write.options(**_WRITTEN).parquet(self.folder.staged)

    def verify(self, released: Any) -> dict[str, Any]:
        """Reads what was written."""
        written = self.spark.read.parquet(self.folder.staged)
        kept = [name for name in self.published if name not in self.quasi]
        sensitive = [name for name in kept if self.specs[name]["role"] == "sensitive"]
        expected = Expected(self.k, self.quasi, sensitive, kept, self.records, self._may_lack(), self.axes, self.leaves_below)
        found = verify(written, self.frame, expected, self.conditions, self.values)
        if self.carried:
            found["promises"] += verify_people(released, written, expected, self.published)
        return found

    def _may_lack(self) -> int:
        """How many records the policy lets be left out."""
        algorithm = self.full["algorithm"]
        name, share = algorithm.get("name") or "ribbon", algorithm.get("max-suppressed")
        if self.full["output"].get("suppressed") == "star":
            return 0
        if name == "ribbon":
            limit = int((share if share is not None else 0.01) * self.records) if algorithm.get("outliers") == "suppress" else 0
        elif name == "mondrian":
            limit = 0
        elif share is not None:
            limit = int(share * self.records)
        else:
            # The remainder of a part, fewer than k; incognito leaves nobody out.
            limit = 0 if name == "incognito" else (self.k - 1) * self.part_figures["count"]
        return limit + self.incomplete


def _refuse(keys: dict[str, Any]) -> None:
    """What cannot be promised on a cluster."""
    here = "use shoal.anonymize on one machine"
    shape = keys.get("data", {}).get("shape", "table")
    if shape != "table":
        raise refuse_policy("data.shape", f"{shape} cannot be anonymized on Spark yet, only tables", here)
    privacy, algorithm, output = (keys.get(section, {}) for section in ("privacy", "algorithm", "output"))
    if privacy.get("transparent") or algorithm.get("name") == "transparent":
        raise refuse_policy("privacy.transparent", "how the data are cut into parts is not hidden from whoever knows the algorithm", here)
    known = {"k", "preset", "l-diversity", "t-closeness", "beta-likeness", "transparent"}
    if other := sorted(set(privacy) - known):
        raise refuse_policy(f"privacy.{other[0]}", f"privacy.{other[0]} has no meaning on Spark: there is no report of risks", "remove it, or " + here)
    if algorithm.get("seconds") is not None:
        raise refuse_policy("algorithm.seconds", "the result would depend on how fast a worker is, and a part that is done again would not be the same", "use algorithm.rounds")
    if output.get("keep-order"):
        raise refuse_policy("output.keep-order", "the rows of a Spark DataFrame have no order", "remove it")
    if output.get("ranges", "text") != "text":
        raise refuse_policy("output.ranges", "ranges are published as texts on Spark", "remove it")
    if keys.get("data", {}).get("decimal"):
        raise refuse_policy("data.decimal", "numbers with a decimal comma are not read on Spark", "give columns of numbers")


def _count_leaves(leaves: dict[str, list[str]]) -> dict[str, int]:
    """How many leaves each inner node has below it; under "" all of them."""
    counts = {"": len(leaves)}
    for leaf, path in leaves.items():
        for node in dict.fromkeys(path):
            if node != leaf:
                counts[node] = counts.get(node, 0) + 1
    return counts
