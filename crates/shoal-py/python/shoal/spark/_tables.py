"""Tables on Spark."""

from __future__ import annotations

from typing import Any

from .._policy import Policy
from ._axes import Axis, leaves_of
from ._cells import Cells
from ._conditions import MISSING, TOLERANCE, Condition, Values, conditions_of
from ._errors import broken, new_policy_error
from ._hashes import hash_of_cells
from ._job import FILE_RECORDS, LEAST_CROWDS, PART_CROWDS, WRITTEN, Job, sample_size
from ._leaks import KNOWN_ROWS, guesses, in_classes, left_out, no_condition, not_looked_at, of_untouched, repeated_identifiers
from ._names import GIVEN, HASH, LEFT, LENGTH, PART, PERSON, PERSONAL_K, ROW, named, quoted
from ._people import with_canonical_people
from ._plan import Plan
from ._texts import folded
from ._verify import UNSTEADY, Expected, verify, verify_columns, verify_people, verify_released
from ._worker import Worker

__all__ = ["TableJob"]

#: The name of a person while their records are joined with their part.
NAME = "__shoal_name__"


class TableJob(Job):
    """A table."""

    #: Whether parts are compared with the whole. Otherwise each promises more, with itself as everybody; scripts/measure-spark measures what that loses.
    tells_everybody = True

    def __init__(self, frame: Any, policy: Policy, output: str, overwrite: bool):
        from pyspark.sql import functions as F

        _refuse(policy._keys)
        self.person: str | None = policy._keys.get("data", {}).get("person")
        super().__init__(frame, policy, output, overwrite, [self.person])
        #: Identifiers, as they are, where the policy does not say whose a record is.
        self.identifiers = frame.select(*(named(name) for name in frame.columns if self.specs[name].get("role") == "identifier" and not self.person))
        if self.person:
            self.frame = with_canonical_people(self.frame, self.person, self.missing)
        #: How many rows the person with most of them has, where all rows of a person may be known.
        self.longest = 1
        if self.person and self.full["data"].get("known-rows") != "one":
            self.longest = self.frame.groupBy(named(self.person)).count().agg(F.max("count")).first()[0] or 1
        self.conditions = conditions_of(self.full)
        self._refuse_conditions()
        self.carried = [name for name, source in ((PERSON, self.person), (PERSONAL_K, self.personal_k)) if source]
        asked = [F.max(named(self.personal_k).try_cast("bigint")).alias("largest k")] if self.personal_k else []
        # A part must be able to hold whoever asks for most.
        self.largest_k = max(self.k, self.figures(*asked).get("largest k") or 0)
        if self.records < self.k:
            raise broken(f"there are {self.records} records, fewer than k = {self.k}", "lower k, or publish more records at once")

    @property
    def all_rows(self) -> bool:
        """Whether all rows of a person are judged together. With one row each there is nothing to be put together."""
        return self.longest > 1

    def _refuse_conditions(self) -> None:
        for condition in self.conditions:
            spec = self.full["columns"][condition.column]
            if condition.parameters.get("distance") == "hierarchical" and not leaves_of(self.texts.get(spec.get("hierarchy"), "")):
                key, hint = f"columns.{condition.column}.hierarchy", "give the column a hierarchy, or distance = \"equal\""
                raise new_policy_error(key, f"the hierarchical distance of `{condition.column}` needs a hierarchy, and there is none", hint)
        algorithm = self.full["algorithm"]
        drops = algorithm.get("max-suppressed") or algorithm.get("outliers") == "suppress" or algorithm.get("name") in ("datafly", "incognito")
        drops = drops or algorithm.get("remainder") == "suppress" or any(column.get("missing") == "suppress" for column in self.full["columns"].values())
        compares = any(condition.compares for condition in self.conditions)
        if self.all_rows and compares:
            hint = 'set data.known-rows = "one" if an attacker knows one row of a person at most, or use shoal.anonymize on one machine'
            what = "t-closeness and beta-likeness compare with everybody who is published, which no worker knows where rows are left out so that all rows of a person together are hidden"
            raise new_policy_error("privacy", what, hint)
        if drops and compares:
            hint = "publish everybody (no outliers, max-suppressed, remainder or missing = \"suppress\"; ribbon, mondrian or sbc)"
            raise new_policy_error("privacy", "t-closeness and beta-likeness compare with everybody who is published, which no worker knows while records are left out", hint)

    def plan(self, part_records: int) -> Plan:
        """Cuts by a sample, then joins parts by exact counts."""
        import numpy as np
        from pyspark.sql import functions as F

        size, least = max(part_records, PART_CROWDS * self.largest_k), LEAST_CROWDS * self.largest_k
        length = Axis(LENGTH, {"kind": "integer"})
        length.low, length.high = 1.0, float(self.longest)
        axes = [length, *self.axes] if self.all_rows else self.axes
        quasi = [named(axis.name) for axis in axes]
        wanted = sample_size(self.records, size)
        if self.tuples <= wanted and not self.all_rows:
            # Few enough different ones to know all of them, however many records have each.
            counted = self.frame.groupBy(*quasi).agg(F.count(F.lit(1)).alias("__shoal_n__")).toArrow()
            sample, weights = counted, counted.column("__shoal_n__").to_numpy().astype(float)
        else:
            every = max(1, int(self.records / wanted))
            sample = self._hashed().where(F.pmod(F.col(HASH), F.lit(every)) == 0).select(*quasi).toArrow()
            weights = np.full(sample.num_rows, self.records / max(sample.num_rows, 1))
        plan = Plan.of_sample(sample, weights, axes, size, least)
        members = F.countDistinct(PERSON) if self.person else F.count(F.lit(1))
        counted = self._parted(plan).groupBy(PART).agg(F.count(F.lit(1)).alias("records"), members.alias("members")).collect()
        sizes, people = [0] * plan.cells, [0] * plan.cells
        for row in counted:
            sizes[row[PART]], people[row[PART]] = row["records"], row["members"]
        self.members = np.array(people)
        shares = self._value_counts(plan)
        plan.merge(sizes, lambda cells: sum(people[cell] for cell in cells) >= least and self._may_stand(cells, shares))
        merged = [0] * plan.parts
        for cell, part in enumerate(plan.part_of):
            merged[part] += sizes[cell]
        self.part_figures = {"count": plan.parts, "smallest": min(merged), "largest": max(merged)}
        return plan

    def _value_counts(self, plan: Plan) -> dict[str, Any]:
        """How many records of each cell, or people, have each value, for every sensitive column with a condition."""
        import numpy as np
        from pyspark.sql import functions as F

        values: dict[str, Values] = {}
        tables = {}
        #: For each column with a condition, by cell: how many people have a value in it.
        self.valued: dict[str, Any] = {}
        for name in dict.fromkeys(condition.column for condition in self.conditions):
            spec = self.full["columns"][name]
            values[name] = Values(name, spec, self.full["data"]["missing"], self.domain(name), leaves_of(self.texts.get(spec.get("hierarchy"), "")), self.type_of(name))
            table = np.zeros((plan.cells, values[name].count))
            parted = self._parted(plan)
            if self.person:
                # Texts that look alike are one value, which a person has once.
                numbers = self.spark.createDataFrame(list(values[name].ids.items()), f"__shoal_value__ {self.type_of(name)}, __shoal_id__ int")
                parted = parted.join(F.broadcast(numbers), named(name).eqNullSafe(F.col("__shoal_value__")))
                parted = parted.where(F.col("__shoal_id__") != MISSING)
                counted = parted.groupBy(PART, "__shoal_id__").agg(F.countDistinct(PERSON)).collect()
                self.valued[name] = np.zeros(plan.cells, dtype=np.int64)
                for row in parted.groupBy(PART).agg(F.countDistinct(PERSON).alias("n")).collect():
                    self.valued[name][row[PART]] = row["n"]
            else:
                counted = parted.groupBy(PART, named(name)).agg(F.count(F.lit(1))).collect()
            # By their places: a column may have any name.
            for part, value, count in counted:
                number = value if self.person else values[name].id_of(value)
                if number != MISSING:
                    table[part, number] += count
            tables[name] = table
        # How far everybody together goes: no part can be asked for less. No person is in two cells, so people add up too.
        self.values, self.totals, self.used = values, {name: table.sum(axis=0) for name, table in tables.items()}, {}
        for condition in self.conditions:
            used = self._use(condition, tables[condition.column].sum(axis=0), slice(None))
            if used > 1 + TOLERANCE:
                raise broken(f"{condition} is not even kept by all records together", "ask for less, or leave the column out")
            self.used[id(condition)] = used
        return tables

    def _use(self, condition: Condition, counts: Any, cells: Any) -> float:
        import numpy as np

        ids, start, totals = np.flatnonzero(counts), np.array([0]), self.totals[condition.column]
        # Of whom nobody has a value, nothing is said.
        if not len(ids):
            return 0.0
        if self.person:
            valued = self.valued[condition.column]
            return float(condition.use_of_people(self.values_of(condition), start, ids, counts[ids], [valued[cells].sum()], totals, valued.sum())[0])
        return float(condition.use(self.values_of(condition), start, ids, counts[ids], totals / totals.sum())[0])

    def values_of(self, condition: Condition) -> Values:
        return self.values[condition.column]

    def _may_stand(self, cells: list[int], tables: dict[str, Any]) -> bool:
        """Whether a part of these cells keeps every condition as a whole, with at least half the room that everybody together leaves: otherwise it would become one crowd."""
        uses = ((self._use(condition, tables[condition.column][cells].sum(axis=0), cells), self.used[id(condition)]) for condition in self.conditions)
        return all(used <= (1 + of_all) / 2 for used, of_all in uses)

    def _hash(self) -> Any:
        """A keyed hash of what is in a record. Never of who it is about: if Ann's record were placed by her name, two worlds in which Ann and Bob have changed
        places could look different."""
        columns = [*self.published, *([self.personal_k] if self.personal_k else [])]
        return hash_of_cells(self.hash_key, [*map(named, columns)]).alias(HASH)

    def _hashed(self) -> Any:
        """The records with their hashes, and where it matters with how many their people have."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        hashed = self.frame.select("*", self._hash())
        return hashed.withColumn(LENGTH, F.count(F.lit(1)).over(Window.partitionBy(named(self.person)))) if self.all_rows else hashed

    def _parted(self, plan: Plan) -> Any:
        """The records with their parts, and with what is carried along."""
        hashed = self._hashed()
        types = {field.name: field.dataType.simpleString() for field in hashed.schema.fields if field.name != HASH}
        schema = ", ".join(f"{quoted(name)} {type}" for name, type in types.items())
        if self.person is None:
            parted = hashed.mapInArrow(plan.assign, f"{schema}, {PART} int")
        else:
            parted = self._parted_people(plan, hashed, schema).drop(LENGTH)
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
        people = people.withColumn(PERSON, F.concat_ws("-", F.col("__shoal_all__"), number)).drop("__shoal_all__").withColumnRenamed(self.person, NAME)
        # Records of nobody stay, for the kernel to refuse them.
        return parted.drop(PART, ROW).join(people, person.eqNullSafe(F.col(NAME))).drop(NAME)

    def released(self, plan: Plan, largest_part: int) -> Any:
        """What the workers will give, with what is carried along."""
        self.check_size(largest_part)
        keys = self.worker_keys([self.person])
        for name in self.carried:
            keys["columns"][name] = {"role": "insensitive"}
        people = {name: int(valued.sum()) for name, valued in self.valued.items()}
        conditions = [(one, self.values_of(one), self.totals[one.column], people.get(one.column)) for one in self.conditions if one.compares]
        types = self.types()
        if self.person:
            types[PERSON] = "string"
        if self.personal_k:
            types[PERSONAL_K] = "bigint"
        if self.all_rows:
            types.update({GIVEN: "bigint", LEFT: "bigint"})
        worker = Worker(self.given, self.key, keys, self.axes, conditions, types, self.tells_everybody)
        # As many tasks as parts: left alone, Spark would put many small parts into one task, and the other workers would wait.
        parted = self._parted(plan).repartition(plan.parts, PART)
        # A function, since Spark looks at the signature.
        released = parted.groupBy(PART).applyInArrow(lambda table: worker(table), ", ".join(f"{quoted(name)} {type}" for name, type in types.items()))
        # Who a record is about is looked at twice and never written where the release goes.
        return released.persist() if self.carried or self._counts_released() else released

    def rows_of(self, released: Any) -> Any:
        """What the workers gave to be published, with what is carried along."""
        return released.where(named(GIVEN).isNull()).drop(GIVEN, LEFT) if self.all_rows else released

    def _counts_released(self) -> bool:
        return self.records > FILE_RECORDS and self._may_lack() > 0

    def write(self, released: Any) -> None:
        """Which file a record is in and where follows from what is published about it, and from nothing else: neither its part nor its place in the input can be seen."""
        published, released = [named(name) for name in self.published], self.rows_of(released)
        # By what is published: how many were left out must not be seen. Where everything fits into one file, nothing has to be counted for that.
        files = max(1, -(-(released.count() if self._counts_released() else self.records) // FILE_RECORDS))
        ordered = released.select(*published).repartition(files, *published).sortWithinPartitions(*[column.cast("string") for column in published])
        ordered.write.options(**WRITTEN).parquet(self.folder.staged)

    def verify(self, released: Any) -> dict[str, Any]:
        """Reads what was written."""
        written = self.spark.read.parquet(self.folder.staged)
        verify_columns(written, self.published)
        kept = [name for name in self.published if name not in self.quasi]
        expected = Expected(self.k, self.quasi, kept, self.records, self._may_lack(), self.axes, self.leaves_below)
        # Where all rows of a person count together, conditions are about cells.
        conditions, rows = [] if self.all_rows else self.conditions, self.rows_of(released)
        found = verify(written, self.frame, expected, conditions, self.values, *([rows] if self.person else []))
        self.rows = found["records-out"]
        if self.all_rows:
            self._check_given(released, found["records-suppressed"])
        found["leaks"] = self._leaks(written, found)
        if self.carried:
            verify_released(rows, written, self.published)
            found["promises"] += self._judge_cells(rows) if self.all_rows else verify_people(rows, expected)
        return found

    def _check_given(self, released: Any, lacking: int) -> None:
        """Rows in are rows out and those that the workers left out, which must have been given all of them."""
        from pyspark.sql import functions as F

        row = released.agg(F.sum(GIVEN).alias("given"), F.sum(LEFT).alias("left")).first()
        if (row["given"], row["left"]) != (self.records, lacking):
            raise broken(f"{self.records} records went in; the workers were given {row['given']} and left out {row['left']}, and {lacking} are not in the written files", UNSTEADY)

    def _judge_cells(self, rows: Any) -> list[dict[str, Any]]:
        limited = dict.fromkeys(condition.column for condition in self.conditions)
        return Cells(self.given, self.quasi, list(limited)).check(rows, self.part_figures["count"])

    def _leaks(self, written: Any, found: dict[str, Any]) -> list[str]:
        """What the promise does not cover, in words."""
        kept = {name: self.specs[name]["role"] for name in self.published if name not in self.quasi}
        sensitive, insensitive = ([name for name, role in kept.items() if role == wanted] for wanted in ("sensitive", "insensitive"))
        limited, records = {condition.column for condition in self.conditions}, found["records-out"]
        leaks = [no_condition(name) for name in sensitive if name not in limited]
        leaks += [KNOWN_ROWS] * (self.full["data"].get("known-rows") == "one")
        for name in sensitive:
            of_classes = guesses(written, [*map(named, self.quasi)], folded(named(name), self.type_of(name), self.missing))
            leaks += in_classes(name, of_classes, "records")
        leaks += of_untouched(written, {name: self.type_of(name) for name in kept}, insensitive, self.missing, records)
        leaks += repeated_identifiers(self.identifiers, self.identifiers.columns, self.missing, "records")
        leaks += left_out(self.full, found["records-suppressed"], self.records, "records", bool(self.conditions))
        leaks.append("where the data were cut into parts can be seen in the ranges, as with any algorithm that cuts by the data")
        if self.conditions:
            leaks.append("not transparent: classes, and which parts were joined, depend on sensitive values, and whoever knows the algorithm may learn from that")
        return [*leaks, not_looked_at("whether columns that are published as they are hold what an identifier holds")]

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
        if self.all_rows and share is None:
            # Rows of people who have too many to be hidden with all of them. The workers say how many they are.
            limit = self.records
        return limit + self.incomplete


def _refuse(keys: dict[str, Any]) -> None:
    """What cannot be promised on a cluster."""
    here = "use shoal.anonymize on one machine"
    privacy, algorithm, output = (keys.get(section, {}) for section in ("privacy", "algorithm", "output"))
    if privacy.get("transparent") or algorithm.get("name") == "transparent":
        raise new_policy_error("privacy.transparent", "how the data are cut into parts is not hidden from whoever knows the algorithm", here)
    known = {"k", "preset", "l-diversity", "t-closeness", "beta-likeness", "transparent"}
    if other := sorted(set(privacy) - known):
        raise new_policy_error(f"privacy.{other[0]}", f"privacy.{other[0]} has no meaning on Spark: there is no report of risks", "remove it, or " + here)
    if algorithm.get("seconds") is not None:
        raise new_policy_error("algorithm.seconds", "the result would depend on how fast a worker is, and a part that is done again would not be the same", "use algorithm.rounds")
    if output.get("keep-order"):
        raise new_policy_error("output.keep-order", "the rows of a Spark DataFrame have no order", "remove it")
    if output.get("ranges", "text") != "text":
        raise new_policy_error("output.ranges", "ranges are published as texts on Spark", "remove it")
    if keys.get("data", {}).get("decimal"):
        raise new_policy_error("data.decimal", "numbers with a decimal comma are not read on Spark", "give columns of numbers")
