"""Sequences on Spark: (k,c)-privacy, and what (k,beta)^L has in common with it (``_knowledge.py``). A record is an event, and all events of a person go to one part."""

from __future__ import annotations

import json
from typing import Any, Callable

from .._policy import Policy
from ._axes import Axis
from ._conditions import TOLERANCE, Values
from ._errors import broken, carried, new_policy_error
from ._hashes import hash_of_cells
from ._job import FILE_RECORDS, LEAST_CROWDS, PART_CROWDS, WRITTEN, Job, sample_size
from ._leaks import guesses_of_people, in_classes, left_out, not_looked_at, of_untouched
from ._names import COUNT, HASH, LENGTH, PART, PERSON, named, quoted
from ._people import with_canonical_people
from ._plan import Plan
from ._texts import folded, kernel_text
from ._verify import UNSTEADY, Expected, digests, losses_of, verify_columns
from ._worker import as_declared, use_cores_of_task

__all__ = ["PLACE", "SequencesJob", "events_of", "part_of", "refuse_of_sequences"]

#: The place of an event.
EVENT = "__shoal_event__"
#: How many people and events a part was given.
GIVEN_PEOPLE, GIVEN_EVENTS = "__shoal_given_people__", "__shoal_given_events__"
#: The place of a record in its file.
PLACE = "__shoal_place__"


class SequencesJob(Job):
    """Histories of people."""

    def __init__(self, frame: Any, policy: Policy, output: str, overwrite: bool):
        from pyspark.sql import functions as F

        self.refuse(policy._keys)
        data = policy._keys.get("data", {})
        self.id: str = data.get("id", "")
        ties = [data["ties"]] if data.get("ties") else []
        self.order: list[str] = [*data.get("order", []), *ties]
        super().__init__(frame, policy, output, overwrite, [self.id, *self.order])
        self.frame = with_canonical_people(self.frame, self.id, self.missing)
        self.published = [name for name in self.published if name != self.id]
        row = self.figures(F.approx_count_distinct(named(self.id), 0.01).alias("people"))
        self.people = row["people"]
        self.confidences = self._confidences()

    @staticmethod
    def refuse(keys: dict[str, Any]) -> None:
        """Refuses what cannot be promised on a cluster."""
        refuse_of_sequences(keys, {"k", "preset", "c", "sensitive-values"}, ("cbmsa", "cbmsa-baseline"))

    def _confidences(self) -> list[tuple[str, float, list[Any]]]:
        """The sensitive columns about which something is promised, with c and the values as they are in the data."""
        found = []
        privacy = self.full["privacy"]
        for name, spec in self.full["columns"].items():
            if spec.get("role") != "sensitive":
                continue
            c, listed = spec.get("c", privacy.get("c")), spec.get("sensitive-values") or privacy.get("sensitive-values") or []
            if c is None or not listed:
                continue
            values = Values(name, spec, self.missing, self.domain(name), {}, self.type_of(name))
            wanted = {values.canonical(value) for value in listed}
            present = [value for value in values.ids if value is not None and values.canonical(value) in wanted]
            if lacking := [value for value in listed if values.canonical(value) not in {values.canonical(one) for one in present}]:
                raise new_policy_error("privacy.sensitive-values", f"`{lacking[0]}` is not a value of column `{name}`", "correct it, or remove it")
            found.append((name, float(c), present))
        return found

    def plan(self, part_records: int) -> Plan:
        """Cuts people by how many events they have and by the first of them."""
        import numpy as np
        from pyspark.sql import functions as F

        people = self._people()
        ends = people.agg(F.min(LENGTH).alias("low"), F.max(LENGTH).alias("high"), F.count(F.lit(1)).alias("people")).first()
        self.people = ends["people"]
        if self.people < self.k:
            raise broken(f"there are {self.people} people, fewer than k = {self.k}", "lower k, or publish more people at once")
        length = Axis(LENGTH, {"kind": "integer"})
        length.low, length.high = float(ends["low"]), float(ends["high"])
        axes = [length, *self.axes]
        # Parts are given in events; what matters to a crowd are people.
        mean = max(self.records / self.people, 1.0)
        size, least = max(part_records / mean, PART_CROWDS * self.k), LEAST_CROWDS * self.k
        every = max(1, int(self.people / sample_size(self.people, size)))
        sample = people.where(F.pmod(F.col(HASH), F.lit(every)) == 0).select(*(named(axis.name) for axis in axes)).toArrow()
        plan = Plan.of_sample(sample, np.full(sample.num_rows, self.people / max(sample.num_rows, 1)), axes, size, least)
        carry = [F.sum(F.col(f"__shoal_has{at}__").cast("int")).alias(f"has{at}") for at in range(len(self.confidences))]
        counted = self._parted_people(plan, people).groupBy(PART).agg(F.count(F.lit(1)).alias("people"), F.sum(LENGTH).alias("events"), *carry).collect()
        of_people, events = [0] * plan.cells, [0] * plan.cells
        having = [[0] * plan.cells for _ in self.confidences]
        for row in counted:
            of_people[row[PART]], events[row[PART]] = row["people"], row["events"]
            for at in range(len(self.confidences)):
                having[at][row[PART]] = row[f"has{at}"]
        leaves_room = self._room(plan, people, having)

        def may_stand(cells: list[int]) -> bool:
            members = sum(of_people[cell] for cell in cells)
            return members >= least and leaves_room(cells, members)

        plan.merge(of_people, may_stand)
        merged = [0] * plan.parts
        for cell, part in enumerate(plan.part_of):
            merged[part] += events[cell]
        self.part_figures = {"count": plan.parts, "smallest": min(merged), "largest": max(merged)}
        return plan

    def _room(self, plan: Plan, people: Any, having: list[list[int]]) -> Callable[[list[int], int], bool]:
        """Whether cells with so many members may be a part, by their sensitive values; ``having`` says how many people of each cell have a highly sensitive one."""
        for (name, c, _), of_cells in zip(self.confidences, having):
            if sum(of_cells) > c * self.people * (1 + TOLERANCE):
                raise broken(f"{sum(of_cells)} of {self.people} people have a highly sensitive value of `{name}`, more than c = {c} of them", "ask for a greater c")

        def leaves_room(cells: list[int], members: int) -> bool:
            # With half of the room that everybody together leaves, as for tables.
            rooms = ((sum(of_cells[cell] for cell in cells), (c + sum(of_cells) / self.people) / 2) for (_, c, _), of_cells in zip(self.confidences, having))
            return all(has <= room * members for has, room in rooms)

        return leaves_room

    def _people(self) -> Any:
        """A row a person: the first event, the number of events, a hash of all of them, and whether there is a highly sensitive value."""
        from pyspark.sql import functions as F

        order = F.struct(*map(named, self.order))
        # Never of who it is about.
        content = hash_of_cells(self.hash_key, [*map(named, self.published)])
        hashes = F.sort_array(F.collect_list(F.struct(order.alias("at"), content.alias("what"))))
        firsts = [F.min_by(named(name), F.struct(order, content)).alias(name) for name in self.quasi]
        has = [F.max(named(name).isin(values) if values else F.lit(False)).alias(f"__shoal_has{at}__") for at, (name, _, values) in enumerate(self.confidences)]
        of_all = F.xxhash64(F.transform(hashes, lambda event: event["what"])).alias(HASH)
        return self.frame.groupBy(named(self.id).alias(PERSON)).agg(F.count(F.lit(1)).alias(LENGTH), of_all, *firsts, *[F.coalesce(one, F.lit(False)).alias(f"__shoal_has{at}__") for at, one in enumerate(has)])

    def _parted_people(self, plan: Plan, people: Any) -> Any:
        schema = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in people.schema.fields if field.name != HASH)
        return people.mapInArrow(plan.assign, f"{schema}, {PART} int")

    def released(self, plan: Plan, largest_part: int) -> Any:
        """The published events of all parts, each with its person's number in the part and its place (:func:`events_of`), and a row a part that says how many people and events it was
        given."""
        self.check_size(largest_part)
        return self._run(plan, {})

    def _run(self, plan: Plan, distributions: dict[str, Any]) -> Any:
        """The same, where the workers are told who everybody is."""
        confidences = [(name, c, {kernel_text(value, self.type_of(name)) for value in values}) for name, c, values in self.confidences]
        worker = _Worker(self.given, self.key, self.worker_keys([self.id, *self.order]), self.id, self.types(), confidences, distributions)
        people = self._parted_people(plan, self._people()).select(PERSON, PART)
        events = self.frame.join(people, named(self.id).eqNullSafe(named(PERSON))).drop(PERSON)
        given = f"{GIVEN_PEOPLE} bigint, {GIVEN_EVENTS} bigint"
        schema = ", ".join([f"{PERSON} string, {EVENT} int", *(f"{quoted(name)} {type}" for name, type in self.types().items() if name != self.id), given])
        released = events.repartition(plan.parts, PART).groupBy(PART).applyInArrow(lambda key, table: worker(key, table), schema)
        return released.persist()

    def write(self, released: Any) -> None:
        """People stand in the order of what is published about them, and are numbered in it: neither a part nor a place in the input can be seen."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        texts = F.struct(*[named(name).cast("string").alias(name) for name in self.published])
        cells = F.struct(*map(named, self.published))
        events = F.sort_array(F.collect_list(F.struct(F.col(EVENT), texts.alias("texts"), cells.alias("cells"))))
        events_out = events_of(released)
        people = events_out.groupBy(PERSON).agg(events.alias("events"))
        people = people.select(F.transform("events", lambda event: event["texts"]).alias("texts"), F.transform("events", lambda event: event["cells"]).alias("cells"), part_of(PERSON))
        # By what is published: how many were left out must not be seen.
        files = max(1, -(-events_out.count() // FILE_RECORDS))
        people = people.withColumn("file", F.pmod(F.xxhash64("texts"), F.lit(files)).cast("int")).persist()
        try:
            before, offsets = 0, {}
            for row in sorted(people.groupBy("file").count().collect()):
                offsets[row["file"]], before = before, before + row["count"]
            offset = F.create_map(*[F.lit(one) for pair in offsets.items() for one in pair])[F.col("file")] if offsets else F.lit(0)
            # Parts come last: they part only those of whom the same is published, so that nobody can see them.
            number = F.row_number().over(Window.partitionBy("file").orderBy("texts", PART)) + offset
            # Numbered before they are taken apart, in a step of its own: together Spark numbers events.
            numbered = people.withColumn(PERSON, number)
            rows = numbered.select("file", PERSON, F.posexplode("cells").alias(EVENT, "cells"))
            rows = rows.repartition(files, "file").sortWithinPartitions("file", PERSON, EVENT)
            columns = [F.col(PERSON).cast("string").alias(self.id), *[F.col("cells").getField(name).alias(name) for name in self.published]]
            rows.select(*columns).write.options(**WRITTEN).parquet(self.folder.staged)
            self._keep_parts(numbered.select(F.col(PERSON).cast("string").alias(PERSON), PART))
        finally:
            people.unpersist()

    def _keep_parts(self, part_of_person: Any) -> None:
        """For a proof that goes by parts."""

    def _written(self) -> Any:
        """The written files, each row with its place."""
        from pyspark.sql import functions as F

        return self.spark.read.parquet(self.folder.staged).select("*", F.struct("_metadata.file_path", "_metadata.row_index").alias(PLACE))

    def _check_written(self, written: Any, released: Any) -> None:
        """The files must hold what the workers gave: the same people, each with the same events in the same order, and nothing else."""
        from pyspark.sql import functions as F

        verify_columns(written.drop(PLACE), [self.id, *self.published])

        def digest(rows: Any, person: Any, order: str) -> Any:
            # Within a list Spark's hash passes over nulls, so each cell says whether it is one.
            nulls = [named(name).isNull().alias(f"__shoal_null{at}__") for at, name in enumerate(self.published)]
            cells = F.struct(*map(named, self.published), *nulls)
            people = rows.groupBy(person).agg(_in_order(F.col(order), cells).alias("events"))
            return people.agg(F.count(F.lit(1)).alias("people"), *digests([], [F.col("events")])).first()

        if digest(written, named(self.id), PLACE) != digest(events_of(released), F.col(PERSON), EVENT):
            raise broken("the written files do not hold what the workers gave", UNSTEADY)

    def _check_given(self, released: Any) -> None:
        """The workers must have been given everybody with all their events. What never came to them would otherwise count as left out by them."""
        from pyspark.sql import functions as F

        given = released.agg(F.sum(GIVEN_PEOPLE).alias("people"), F.sum(GIVEN_EVENTS).alias("events")).first()
        if (given["people"], given["events"]) != (self.people, self.records):
            raise broken(f"the data have {self.people} people with {self.records} events, and the workers were given {given['people']} with {given['events']}", UNSTEADY)

    def verify(self, released: Any) -> dict[str, Any]:
        """Reads what was written, as a reader would: the events of a person in the order of their file."""
        from pyspark.sql import functions as F

        read, written = self.spark.read.parquet(self.folder.staged), self._written()
        self._check_given(released)
        self._check_written(written, released)
        cells = F.struct(*map(named, self.quasi))
        has = [F.max(named(name).isin(values) if values else F.lit(False)).alias(f"__shoal_has{at}__") for at, (name, _, values) in enumerate(self.confidences)]
        row = F.col(f"{PLACE}.row_index")
        together = (F.max(row) - F.min(row) + 1 == F.count(F.lit(1))) & (F.countDistinct(F.col(f"{PLACE}.file_path")) == 1)
        people = written.groupBy(named(self.id)).agg(
            _in_order(F.col(PLACE), cells).alias("__shoal_events__"),
            together.alias("__shoal_together__"), *has,
        )
        shares = [F.avg(F.coalesce(F.col(f"__shoal_has{at}__"), F.lit(False)).cast("int")).alias(f"share{at}") for at in range(len(has))]
        crowds = people.groupBy("__shoal_events__").agg(F.count(F.lit(1)).alias("size"), F.min("__shoal_together__").alias("together"), *shares)
        worst = [F.max(f"share{at}").alias(f"share{at}") for at in range(len(has))]
        found = crowds.agg(F.min("size").alias("smallest"), F.count(F.lit(1)).alias("classes"), F.sum("size").alias("people"), F.min("together").alias("together"), *worst).first()
        if found["smallest"] is None or found["smallest"] < self.k:
            raise broken(f"the smallest crowd in the written files has {found['smallest']} people, and k is {self.k}")
        if not found["together"]:
            raise broken("the events of a person do not stand together in the written files")
        if found["people"] > self.people:
            raise broken(f"{self.people} people went in and {found['people']} came out")
        promises = [{"name": "k-anonymity", "asked": self.k, "found": found["smallest"], "holds": True}]
        for at, (name, c, _) in enumerate(self.confidences):
            if found[f"share{at}"] > c * (1 + TOLERANCE):
                raise broken(f"{found[f'share{at}']:.6g} of a crowd have a highly sensitive value of `{name}`, and c is {c}")
            promises.append({"name": f"confidence({name})", "asked": c, "found": found[f"share{at}"], "holds": True})
        return self._found(written, found["people"], found["classes"], promises)

    def _found(self, written: Any, people: int, classes: int, promises: list[dict[str, Any]]) -> dict[str, Any]:
        """What is said of a release that holds. Raises where what is published as it is did not go in."""
        kept = [name for name in self.published if name not in self.quasi]
        expected = Expected(self.k, self.quasi, kept, self.records, self.records, self.axes, self.leaves_below)
        events, lost = losses_of(written, self.frame, expected)
        self.rows = events
        return {
            "persons-in": self.people, "persons-out": people, "events-in": self.records, "events-out": events, "events-suppressed": self.records - events,
            "classes": classes, "promises": promises, "ncp": round((lost + self.records - events) / self.records, 12),
            "leaks": self._leaks(written, people, events),
        }

    def _leaks(self, written: Any, people: int, events: int) -> list[str]:
        """What the promise does not cover, in words."""
        from pyspark.sql import functions as F

        kept = {name: self.specs[name]["role"] for name in self.published if name not in self.quasi}
        sensitive, insensitive = ([name for name, role in kept.items() if role == wanted] for wanted in ("sensitive", "insensitive"))
        crowd, leaks = _in_order(F.col(PLACE), F.struct(*map(named, self.quasi))), []
        if length := self.full["privacy"].get("length"):
            crowds = written.groupBy(named(self.id)).agg(crowd.alias("crowd"), F.count(F.lit(1)).alias("events"))
            if alone := crowds.groupBy("crowd").agg(F.count(F.lit(1)).alias(COUNT)).agg(F.count_if(F.col(COUNT) == 1)).first()[0]:
                leaks.append(
                    f"{alone} of {people} people publish a sequence that nobody else does: whoever knows more than {length} of somebody's values, or how many events there were, may find "
                    "them, and all that is published about them"
                )
            numbers = crowds.groupBy("events").agg(F.count(F.lit(1)).alias(COUNT)).where(F.col(COUNT) < self.k)
            if rare := numbers.agg(F.sum(COUNT)).first()[0]:
                leaks.append(
                    f"how many events somebody has is not covered by the promise: {rare} of {people} people publish a number of events that fewer than k = {self.k} people publish, and "
                    "whoever knows somebody's number may find them by it"
                )
        for name in sensitive:
            of_classes = guesses_of_people(written, named(self.id), crowd, folded(named(name), self.type_of(name), self.missing))
            leaks += in_classes(name, of_classes, "people")
        leaks += of_untouched(written, {name: self.type_of(name) for name in kept}, insensitive, self.missing, events)
        leaks += left_out(self.full, self.people - people, self.people, "people", self._looks_at_values())
        leaks.append("where people were cut into parts can be seen in what is published, as with any algorithm that cuts by the data")
        return [*leaks, *self._not_transparent(), not_looked_at()]

    def _looks_at_values(self) -> bool:
        """Whether the policy bounds how frequent a sensitive value is in a crowd."""
        privacy = self.full["privacy"]
        return any(bound is not None for bound in (privacy.get("c"), privacy.get("beta"), *(spec.get("c") for spec in self.full["columns"].values())))

    def _not_transparent(self) -> list[str]:
        return ["not transparent: clusters, and which parts were joined, depend on sensitive values, and whoever knows the algorithm may learn from that"] if self.confidences else []


class _Worker:
    """Anonymizes one part. It travels to the workers, so it holds plain values only."""

    def __init__(self, given: dict[str, Any], key: str, keys: dict[str, Any], id: str, types: dict[str, str], confidences: list[tuple[str, float, set[str]]], distributions: dict[str, Any]):
        """``confidences`` are sensitive columns with c and the highly sensitive values of the whole, as the kernel reads them."""
        self.key = key
        self.given, self.keys, self.id, self.types, self.confidences = {**given, "distributions": distributions}, keys, id, types, confidences

    def __call__(self, key: Any, table: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        from .. import _native

        use_cores_of_task()
        part = table.drop_columns([PART])
        given = {**self.given, "text": _native.dict_to_toml(json.dumps(self.policy_of(part)))}
        try:
            released = pa.table(_native.anonymize(part, given, None, True, False, key=self.key))
        except _native.Error as error:
            raise carried(error) from None
        # Every part numbers its people from 1.
        people = [f"{key[0].as_py()}-{number}" for number in as_declared(released.column(self.id), "string").to_pylist()]
        columns = {name: as_declared(released.column(name), type) for name, type in self.types.items() if name != self.id}
        events = pa.table({PERSON: pa.array(people, pa.string()), EVENT: pa.array(range(released.num_rows), pa.int32()), **columns})
        # In a row of its own: there may be no event left. What a table lacks is null there.
        given = pa.table({GIVEN_PEOPLE: [pc.count_distinct(part.column(self.id), mode="all").as_py()], GIVEN_EVENTS: [part.num_rows]})
        return pa.concat_tables([events, given], promote_options="default").select([*events.column_names, *given.column_names])

    def policy_of(self, part: Any) -> dict[str, Any]:
        """The kernel refuses highly sensitive values that its data do not have, so each part is told those that it has."""
        keys = json.loads(json.dumps(self.keys))
        for name, c, values in self.confidences:
            keys["privacy"].pop("c", None)
            keys["privacy"].pop("sensitive-values", None)
            column, spec = part.column(name), keys["columns"][name]
            texts = {kernel_text(value, str(column.type)) for value in column.unique().to_pylist() if value is not None}
            if present := sorted(texts & values):
                spec.update({"c": c, "sensitive-values": present})
                continue
            # The promise is about people who have one of these values, and nobody here has one: whatever crowds are made of this part, the share in them is 0, which is at most c, and a crowd
            # of the whole that they are in has a share between 0 and that of the other parts. So there is nothing to promise here about the column, and it is published as it is in either
            # role. The verification of the files asks about the column everywhere.
            keys["columns"][name] = {key: spec[key] for key in ("kind", "format", "missing") if key in spec} | {"role": "insensitive"}
        return keys


def _in_order(at: Any, cells: Any) -> Any:
    """An aggregate of the events of a person: their cells, in the order of ``at``."""
    from pyspark.sql import functions as F

    return F.transform(F.sort_array(F.collect_list(F.struct(at.alias("at"), cells.alias("cells")))), lambda event: event["cells"])


def events_of(released: Any) -> Any:
    """What the workers gave to be published."""
    from pyspark.sql import functions as F

    return released.where(F.col(PERSON).isNotNull()).drop(GIVEN_PEOPLE, GIVEN_EVENTS)


def part_of(person: str) -> Any:
    """The part of a person, from the number that a worker gave."""
    from pyspark.sql import functions as F

    return F.split(F.col(person), "-")[0].cast("int").alias(PART)


def refuse_of_sequences(keys: dict[str, Any], known: set[str], algorithms: tuple[str, ...]) -> None:
    """Refuses what cannot be promised on a cluster: other promises than the known ones, and other algorithms, of which the first is the usual one."""
    here = "use shoal.anonymize on one machine"
    privacy, algorithm, output, data = (keys.get(section, {}) for section in ("privacy", "algorithm", "output", "data"))
    if other := sorted(set(privacy) - known):
        raise new_policy_error(f"privacy.{other[0]}", f"privacy.{other[0]} has no meaning for these sequences on Spark", "remove it, or " + here)
    if algorithm.get("name", algorithms[0]) == "halt":
        raise new_policy_error("algorithm.name", "halt publishes every column on one level for everybody, which parts that decide for themselves do not", "use fcla, or " + here)
    if algorithm.get("name", algorithms[0]) not in algorithms:
        raise new_policy_error("algorithm.name", f"{algorithm['name']} does not keep this promise", f"use {algorithms[0]}, or {here}")
    if data.get("ties") == "file":
        raise new_policy_error("data.ties", "the rows of a Spark DataFrame have no order", "name a column that decides")
    if output.get("keep-order"):
        raise new_policy_error("output.keep-order", "the rows of a Spark DataFrame have no order", "remove it")
    if output.get("ranges", "text") != "text":
        raise new_policy_error("output.ranges", "ranges are published as texts on Spark", "remove it")
