"""Transactions on Spark: k^m-anonymity with one recoding for all of them."""

from __future__ import annotations

import json
from math import comb
from typing import Any, Iterable, Iterator

from .. import _native
from .._policy import Policy
from ._baskets import Layout, people_missing, read
from ._errors import broken, new_error, new_policy_error
from ._files import Folder
from ._items import ascending, dictionary_of, published_text, reads_back
from ._job import FILE_RECORDS, LARGEST_DOMAIN, WRITTEN
from ._leaks import not_looked_at, of_untouched, repeated_identifiers
from ._names import CONTENT, COUNT, ITEMS, PERSON, map_in_arrow, named, quoted
from ._recoding import Items, find
from ._verify_items import ExpectedItems, verify_transactions

__all__ = ["TransactionsJob"]

#: Transactions that the driver holds at once, unless something else is asked for. A million baskets of 8 items take the kernel 40 CPU seconds and 1.4 GiB (docs/performance.md).
DRIVER_TRANSACTIONS = 1_000_000
#: The most sets of m items in one transaction that a worker makes.
LARGEST_SETS = 20_000_000
#: When groups get a dictionary by themselves: as on one machine (docs/groups.md).
SMALL_BYTES, WORTH = 64 << 20, 3


class _Found:
    """The recoding, in the place of a plan of parts: there is one part, which is everybody."""

    parts = 1

    def __init__(self, image: dict[str, str], groups: list[str]):
        #: The published text of each item, and the dictionary, if there is one.
        self.image, self.groups = image, groups


class TransactionsJob:
    """One call of :func:`shoal.spark.anonymize` on transactions."""

    default_records = DRIVER_TRANSACTIONS
    nothing_left = "all items would be published as one"

    def __init__(self, frame: Any, policy: Policy, output: str, overwrite: bool):
        from pyspark.sql import functions as F

        _refuse(policy._keys)
        self.spark, self.frame = frame.sparkSession, frame
        self.folder = Folder(frame, output, overwrite)
        self.full = json.loads(_native.policy_to_json({**policy._native_with({}), "folder": "."}))
        self.k, self.m = int(self.full["privacy"]["k"]), int(self.full["privacy"]["m"])
        self.layout = Layout(frame, self.full["data"], self.full.get("columns", {}))
        self.transactions = read(frame, self.layout)
        people_missing(self.transactions, self.layout)
        counts = self._count_items()
        if text_of := _other_texts(counts):
            fields = ((field.name, field.dataType.simpleString()) for field in self.transactions.schema.fields)
            schema = ", ".join(f"{quoted(name)} {type}" for name, type in fields)
            self.transactions = map_in_arrow(self.transactions, _OneTextEach(self.spark.sparkContext.broadcast(text_of)), schema)
            counts = self._count_items()
        self.items = dict(sorted(counts.items(), key=lambda pair: ascending(pair[0])))
        size = F.size(ITEMS)
        members = F.countDistinct(F.when(size > 0, F.col(PERSON))) if self.layout.person else F.sum((size > 0).cast("bigint"))
        row = self.transactions.agg(F.count(F.lit(1)).alias("n"), F.max(size).alias("longest"), members.alias("members")).first()
        self.records, longest = row["n"], row["longest"] or 0
        if (row["members"] or 0) < self.k:
            raise broken(f"{row['members'] or 0} {'people' if self.layout.person else 'transactions'} have items, fewer than k = {self.k}", "lower k, or publish more at once")
        if self.m > longest:
            raise new_policy_error("privacy.m", f"m = {self.m}, and no transaction has more than {longest} items", f"m = {longest} covers everything that somebody may know")
        if comb(longest, self.m) > LARGEST_SETS:
            raise new_error(f"a transaction has {longest} items, in which there are {comb(longest, self.m):,} sets of {self.m}", "a smaller m, or cut such transactions")
        self.part_figures: dict[str, Any] = {}
        #: How many rows the written files have, once they are verified.
        self.rows = 0

    def _count_items(self) -> dict[str, int]:
        """How many transactions hold each item."""
        from pyspark.sql import functions as F

        counted = self.transactions.select(F.explode(ITEMS).alias("item")).groupBy("item").count().limit(LARGEST_DOMAIN + 1).collect()
        if len(counted) > LARGEST_DOMAIN:
            raise new_error(f"there are more than {LARGEST_DOMAIN:,} different items", "give coarser ones: a group of articles, the first digits of a code")
        return {row["item"]: row["count"] for row in counted}

    def plan(self, most: int) -> _Found:
        """One recoding of all items."""
        import numpy as np

        items = Items(np.array(list(self.items.values()), dtype=float))
        encoded = self._encoded().persist()
        try:
            algorithm = {key: self.full["algorithm"][key] for key in ("name", "seed") if key in self.full["algorithm"]}
            self.part_figures = {"count": 1, **find(encoded, self.records, items, self.k, self.m, most, algorithm)}
        finally:
            encoded.unpersist()
        groups: dict[int, list[str]] = {}
        for item, group in zip(self.items, items.group):
            groups.setdefault(int(group), []).append(item)
        texts = [published_text(members, self.layout.separator) for members in groups.values()]
        numbered = self._numbers(list(groups.values()), texts)
        if numbered is not None:
            texts = numbered
        elif (separator := self.layout.separator) and (lost := [text for text in texts if not reads_back(text, separator)]):
            raise new_error(f"the item `{lost[0]}` cannot be read again between others that `{separator}` separates", "another item-separator, or give lists")
        image = {item: text for members, text in zip(groups.values(), texts) for item in members}
        return _Found(image, dictionary_of([members for members in groups.values() if len(members) > 1]) if numbered is not None else [])

    def _encoded(self) -> Any:
        """Items as numbers in their order, a hash of all of them, and a number for the person. Transactions without items are in no set."""
        from pyspark.sql import functions as F

        numbers = self.spark.sparkContext.broadcast({item: number for number, item in enumerate(self.items)})
        seed = F.lit(int(self.full["algorithm"].get("seed", 0)))
        # A hash takes two people for one once in a long while, which costs detail and not the promise.
        person = [F.xxhash64(PERSON).alias(PERSON)] if self.layout.person else []
        held = self.transactions.where(F.size(ITEMS) > 0).select(*person, ITEMS)
        schema = f"{PERSON} bigint, {ITEMS} array<int>" if person else f"{ITEMS} array<int>"
        encoded = held.mapInArrow(_Encoder(numbers), schema)
        return encoded.withColumn(CONTENT, F.xxhash64(seed, ITEMS))

    def _numbers(self, groups: list[list[str]], texts: list[str]) -> list[str] | None:
        """The texts with numbers for groups, where the policy asks for a dictionary or it is worth one."""
        asked = self.full["output"].get("groups", "auto")
        number_of = {text: f"({number},)" for number, text in enumerate(dictionary_of([group for group in groups if len(group) > 1]), 1)}
        if asked == "written-out" or not number_of:
            return None
        numbered = [number_of.get(text, text) for text in texts]
        if asked == "auto":
            occurrences = [sum(self.items[item] for item in group) for group in groups]
            written_out, short = (sum(n * (len(text.encode()) + 1) for n, text in zip(occurrences, form)) for form in (texts, numbered))
            if written_out <= SMALL_BYTES or written_out <= WORTH * (short + sum(len(text.encode()) for text in number_of)):
                return None
        return numbered

    def released(self, found: _Found, _: int) -> Any:
        """What is published about each transaction. Where the layout is long, without ids yet."""
        self.groups = found.groups
        ranks = sorted(set(found.image.values()), key=ascending)
        place = {text: number for number, text in enumerate(ranks)}
        image = self.spark.sparkContext.broadcast((ranks, {item: place[text] for item, text in found.image.items()}))
        columns = [named(name) for name in self.layout.beside]
        schema = ", ".join([*(f"{quoted(name)} {type}" for name, type in self.layout.types.items()), f"{ITEMS} array<string>"])
        return map_in_arrow(self.transactions.select(*columns, ITEMS), _Publisher(image), schema)

    def write(self, released: Any) -> None:
        """Which file a transaction is in and where follows from what is published about it, and from nothing else."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        files = max(1, -(-self.records // FILE_RECORDS))
        layout = self.layout
        if layout.items:
            items = (F.array_join(ITEMS, layout.separator) if layout.separator else F.col(ITEMS)).alias(layout.items)
            published = released.select(*map(named, layout.beside), items).select(*map(named, layout.columns))
            order = [named(layout.items), *[named(name).cast("string") for name in layout.beside]]
            ordered = published.repartition(files, *order).sortWithinPartitions(*order)
            ordered.write.options(**WRITTEN).parquet(self.folder.staged)
        else:
            people = released.withColumn("file", F.pmod(F.xxhash64(ITEMS), F.lit(files)).cast("int")).persist()
            try:
                before, offsets = 0, {}
                for row in sorted(people.groupBy("file").count().collect()):
                    offsets[row["file"]], before = before, before + row["count"]
                offset = F.create_map(*[F.lit(one) for pair in offsets.items() for one in pair])[F.col("file")]
                number = F.row_number().over(Window.partitionBy("file").orderBy(ITEMS)) + offset
                # A transaction without items keeps a row, so that nobody is lost.
                rows = people.withColumn(COUNT, number).select("file", COUNT, F.posexplode_outer(ITEMS).alias("at", "item"))
                rows = rows.repartition(files, "file").sortWithinPartitions("file", COUNT, "at")
                columns = [F.col(COUNT).cast("string").alias(layout.id), F.coalesce("item", F.lit("")).alias(layout.item)]
                rows.select(*columns).write.options(**WRITTEN).parquet(self.folder.staged)
            finally:
                people.unpersist()
        if self.groups:
            self.folder.write("_groups.csv", _csv(self.groups))

    def verify(self, released: Any) -> dict[str, Any]:
        """Reads what was written."""
        written = self.spark.read.parquet(self.folder.staged)
        groups = self.folder.read("_groups.csv") if self.groups else None
        self.rows = written.count()
        expected = ExpectedItems(self.k, self.m, self.items, self.records)
        found = verify_transactions(written, self.transactions, self.layout, groups, expected)
        found["leaks"] += self._leaks(written)
        return found

    def _leaks(self, written: Any) -> list[str]:
        """What the promise does not cover beside single transactions, in words. That an item is rarer than k, of which one machine speaks too, cannot be where k^m holds."""
        roles, layout = {name: spec.get("role") for name, spec in self.full.get("columns", {}).items()}, self.layout
        missing = self.full["data"]["missing"]
        insensitive = [name for name in layout.beside if roles[name] == "insensitive"]
        leaks = of_untouched(written, layout.types, insensitive, missing, self.records)
        if layout.person:
            return [*leaks, not_looked_at()]
        own = [layout.items] if layout.items else [layout.id, layout.item]
        identifiers = [name for name in self.frame.columns if name not in own and roles.get(name) == "identifier"]
        leaks += repeated_identifiers(self.frame, identifiers, missing, "transactions", None if layout.items else layout.id)
        without_role = [name for name in self.frame.columns if name not in own and name not in roles]
        return [*leaks, not_looked_at(*["whether columns without a role name people"] * bool(without_role))]


def _other_texts(items: Iterable[str]) -> dict[str, str]:
    """For each item that is not the least text of its value that text: published spellings would tell apart who counts as alike."""
    values = dict(zip(items, _native.fold(list(items))))
    least: dict[str | None, str] = {}
    for item in sorted(values, key=str.encode):
        least.setdefault(values[item], item)
    return {item: least[value] for item, value in values.items() if least[value] != item}


class _OneTextEach:
    """For ``mapInArrow``: items of one value are one item. ``text_of`` is a broadcast."""

    def __init__(self, text_of: Any):
        self.text_of = text_of

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        text_of = self.text_of.value
        for batch in batches:
            columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
            lists = [items and sorted({text_of.get(item, item) for item in items}) for items in columns[ITEMS].to_pylist()]
            yield pa.RecordBatch.from_pydict({**columns, ITEMS: pa.array(lists, pa.list_(pa.string()))})


class _Encoder:
    """For ``mapInArrow``: items as numbers, ascending. ``numbers`` is a broadcast."""

    def __init__(self, numbers: Any):
        self.numbers = numbers

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        numbers = self.numbers.value
        for batch in batches:
            columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
            # What was not there when items were counted comes from a DataFrame that gives other records each time; the verification says so.
            lists = [sorted(numbers[item] for item in items if item in numbers) for items in columns[ITEMS].to_pylist()]
            yield pa.RecordBatch.from_pydict({**columns, ITEMS: pa.array(lists, pa.list_(pa.int32()))})


class _Publisher:
    """For ``mapInArrow``: the published texts of each transaction, in their order. ``image`` is a broadcast."""

    def __init__(self, image: Any):
        self.image = image

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        texts, place = self.image.value
        for batch in batches:
            columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
            lists = [[texts[at] for at in sorted({place[item] for item in items if item in place})] for items in columns[ITEMS].to_pylist()]
            yield pa.RecordBatch.from_pydict({**columns, ITEMS: pa.array(lists, pa.list_(pa.string()))})


def _csv(groups: list[str]) -> str:
    """The dictionary as docs/groups.md says it."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["number", "members"])
    writer.writerows(enumerate(groups, 1))
    return text.getvalue()


def _refuse(keys: dict[str, Any]) -> None:
    """What cannot be promised on a cluster."""
    here = "use shoal.anonymize on one machine"
    privacy, algorithm, output, data = (keys.get(section, {}) for section in ("privacy", "algorithm", "output", "data"))
    for key in ("complete", "constraints", "share"):
        if privacy.get(key):
            raise new_policy_error(f"privacy.{key}", f"privacy.{key} is not counted on Spark, only sets of up to m items", f"m = 2, or {here}")
    if int(privacy.get("m") or 2) > 3:
        raise new_policy_error("privacy.m", f"there are too many sets of {privacy['m']} items for a group-by", f"m up to 3, or {here}")
    if other := sorted(set(privacy) - {"k", "m", "preset"}):
        raise new_policy_error(f"privacy.{other[0]}", f"privacy.{other[0]} has no meaning here: there is no report of risks", "remove it, or " + here)
    if keys.get("utility"):
        raise new_policy_error("utility", "constraints and weights of items are not kept on Spark", "remove them, or " + here)
    if algorithm.get("name", "pcta") not in ("pcta", "coat") or data.get("hierarchy"):
        raise new_policy_error("algorithm.name", "only pcta and coat recode transactions on Spark", "remove it, or " + here)
    if algorithm.get("objective", "ncp") != "ncp":
        raise new_policy_error("algorithm.objective", "items are merged by NCP on Spark: `ul` is about single items, and the driver sees groups", "remove it, or " + here)
    if output.get("keep-order"):
        raise new_policy_error("output.keep-order", "the rows of a Spark DataFrame have no order", "remove it")
