"""The verification of all transactions, on what was written: counted by Spark's own group-by, with no code of the kernel's."""

from __future__ import annotations

import csv
import io
from typing import Any, Iterator

from ._baskets import Layout
from ._errors import broken
from ._items import ascending, dictionary_of, group_number, members_of, published_text, split
from ._job import LARGEST_DOMAIN
from ._names import COUNT, ITEMS, PERSON, map_in_arrow, named, quoted
from ._verify import UNSTEADY, digests, verify_columns

__all__ = ["ExpectedItems", "verify_transactions"]

#: Where a transaction stands in its file.
PLACE = "__shoal_place__"


class ExpectedItems:
    """What a release must be, from the policy and from the original: every item with how often it occurs."""

    def __init__(self, k: int, m: int, items: dict[str, int], records: int):
        self.k, self.m, self.items, self.records = k, m, items, records


def verify_transactions(written: Any, original: Any, layout: Layout, groups: str | None, expected: ExpectedItems) -> dict[str, Any]:
    """What was found; raises where the promise does not hold, an item has two images, or a transaction is not what its original makes of it."""
    from pyspark.sql import functions as F

    verify_columns(written, layout.columns)
    published = _transactions(written, layout)
    texts = [row[0] for row in published.select(F.explode(ITEMS)).distinct().limit(LARGEST_DOMAIN + 1).collect()]
    meaning = _meaning(texts, groups, layout)
    image = _images(meaning, expected.items)
    order = sorted(texts, key=ascending)
    code_of = {text: code for code, text in enumerate(order)}
    spark = written.sparkSession
    codes = spark.sparkContext.broadcast(code_of)
    coded = map_in_arrow(published.select(*map(named, layout.beside), ITEMS), _Coder(codes), _schema(layout, False)).persist()
    of_original = spark.sparkContext.broadcast({item: code_of[text] for item, text in image.items()})
    people = [PERSON] if layout.person else []
    must_be = map_in_arrow(original.select(*map(named, layout.beside), *people, ITEMS), _Coder(of_original, as_sets=True), _schema(layout, bool(people)))
    try:
        records = _same(coded, must_be, layout, expected)
        _in_order(written, layout)
        found = {"records-in": expected.records, "records-out": records, "records-suppressed": 0, "items": len(expected.items), "groups": len(texts)}
        found["promises"] = [_itemsets(coded, None, expected)]
        if people:
            found["promises"].append(_itemsets(must_be, PERSON, expected))
        alike = coded.where(F.size(ITEMS) > 0).groupBy(ITEMS).count().agg(F.sum((F.col("count") == 1).cast("bigint")).alias("alone"), F.count(F.lit(1)).alias("classes")).first()
    finally:
        coded.unpersist()
    occurrences = sum(expected.items.values())
    lost = sum(count * len(meaning[image[item]]) for item, count in expected.items.items() if len(meaning[image[item]]) > 1)
    found.update(classes=alike["classes"], ncp=round(lost / (occurrences * len(expected.items)), 12) if occurrences else 0.0)
    known = f"whoever knows more than {expected.m} of somebody's items may find them, and all other items in them"
    found["leaks"] = [f"{alike['alone']} of {records} transactions are like no other: {known}"] if alike["alone"] else []
    return found


def _transactions(written: Any, layout: Layout) -> Any:
    """The published items of each transaction, in the order of the files."""
    from pyspark.sql import functions as F

    if layout.items and not layout.separator:
        return written.withColumnRenamed(layout.items, ITEMS)
    if layout.items:
        schema = ", ".join([*(f"{quoted(name)} {type}" for name, type in layout.types.items()), f"{ITEMS} array<string>"])
        return map_in_arrow(written.select(*map(named, layout.beside), named(layout.items).alias(ITEMS)), _Splitter(layout.separator), schema)
    placed = written.select(named(layout.id).alias("id"), named(layout.item).alias("item"), F.col("_metadata.file_path").alias("file"), F.col("_metadata.row_index").alias("row"))
    cells = F.transform(F.sort_array(F.collect_list(F.struct("row", "item"))), lambda cell: cell["item"])
    together = (F.max("row") - F.min("row") + 1 == F.count(F.lit(1))) & (F.countDistinct("file") == 1)
    whole = placed.groupBy("id").agg(F.filter(cells, lambda item: item != "").alias(ITEMS), together.alias("together"), F.count(F.lit(1)).alias("rows"))
    found = whole.agg(F.min("together").alias("together"), F.count(F.lit(1)).alias("n"), F.min(F.col("id").try_cast("bigint")).alias("low"), F.max(F.col("id").try_cast("bigint")).alias("high"), F.sum((F.size(ITEMS) != F.greatest(F.col("rows"), F.lit(1))).cast("int") * (F.size(ITEMS) > 0).cast("int")).alias("holes")).first()
    if not found["together"] or found["holes"]:
        raise broken("the items of a transaction do not stand together in the written files")
    if (found["low"], found["high"]) != (1, found["n"]):
        raise broken("the ids of the written files do not count from 1: a real id is a name")
    return whole.select(ITEMS)


def _meaning(texts: list[str], groups: str | None, layout: Layout) -> dict[str, list[str]]:
    """The items that each published text stands for. There is one way to write them."""
    rows = list(csv.reader(io.StringIO(groups)))[1:] if groups is not None else []
    dictionary = {int(number): members for number, members in rows}
    meaning = {}
    for text in texts:
        number = group_number(text)
        if number is not None and number in dictionary:
            meaning[text] = members_of(dictionary[number])
            continue
        members = members_of(text)
        in_order = sorted(set(members), key=ascending)
        if groups is not None and len(members) > 1 or published_text(in_order, layout.separator) != text:
            raise broken(f"`{text[:200]}` is not how these items are written")
        meaning[text] = members
    used = [members for text, members in meaning.items() if group_number(text) is not None]
    if groups is not None and dictionary_of(used) != [dictionary[number] for number in range(1, len(dictionary) + 1)]:
        raise broken("the dictionary is not that of the groups in the written files")
    return meaning


def _images(meaning: dict[str, list[str]], items: dict[str, int]) -> dict[str, str]:
    """The text of each item; one for each, and for no other."""
    image: dict[str, str] = {}
    for text, members in meaning.items():
        for item in members:
            if item in image:
                raise broken(f"an item has two images, `{image[item][:200]}` and `{text[:200]}`")
            image[item] = text
    if image.keys() != items.keys():
        raise broken("the published items do not stand for the items that went in", UNSTEADY)
    return image


def _schema(layout: Layout, people: bool) -> str:
    return ", ".join([*(f"{quoted(name)} {type}" for name, type in layout.types.items()), *([f"{PERSON} string"] if people else []), f"{ITEMS} array<int>"])


def _same(coded: Any, must_be: Any, layout: Layout, expected: ExpectedItems) -> int:
    """Every transaction, with what is beside it, is exactly what the images make of its original: as often there as here."""
    from pyspark.sql import functions as F

    sums = digests([named(name) for name in layout.beside], [F.col(ITEMS)])
    found, wanted = (frame.agg(F.count(F.lit(1)).alias("n"), *sums).first() for frame in (coded, must_be))
    if found["n"] != expected.records:
        raise broken(f"{expected.records} transactions went in and {found['n']} came out", UNSTEADY)
    if found != wanted:
        raise broken("the written transactions are not what their originals are published as", UNSTEADY)
    return found["n"]


def _in_order(written: Any, layout: Layout) -> None:
    """Within a file transactions ascend by what is published about them, so that their places say nothing else. In a long file that is what ids count by."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    file, row = F.col("_metadata.file_path").alias("file"), F.col("_metadata.row_index").alias("row")
    if layout.items:
        cells = F.struct(named(layout.items).alias("items"), *[named(name).cast("string").alias(f"c{at}") for at, name in enumerate(layout.beside)])
        lines = written.select(cells.alias("cells"), file, row)
    else:
        placed = written.select(named(layout.id).alias("id"), named(layout.item).alias("item"), file, row)
        cells = F.transform(F.sort_array(F.collect_list(F.struct("row", "item"))), lambda cell: cell["item"])
        lines = placed.groupBy("file", "id").agg(F.filter(cells, lambda item: item != "").alias("cells"), F.min("row").alias("row"))
    before = F.lag("cells").over(Window.partitionBy("file").orderBy("row"))
    if not lines.select((before > F.col("cells")).alias("wrong")).where("wrong").isEmpty():
        raise broken("the written transactions are not in the order of what they say")


def _itemsets(coded: Any, person: str | None, expected: ExpectedItems) -> dict[str, Any]:
    """Every set of up to m published items that occurs, with how many transactions hold it, or how many people have one that does."""
    from pyspark.sql import functions as F

    items = F.col(ITEMS)
    sets = F.transform(items, lambda one: F.array(one))
    sizes = [sets]
    for _ in range(expected.m - 1):
        # Items ascend, so a set grows by those that follow its last one.
        sizes.append(F.flatten(F.transform(sizes[-1], lambda held: F.transform(F.filter(items, lambda item: item > F.element_at(held, -1)), lambda item: F.concat(held, F.array(item))))))
    exploded = coded.select(*([person] if person else []), F.explode(F.concat(*sizes)).alias("held"))
    number = F.countDistinct(person) if person else F.count(F.lit(1))
    found = exploded.groupBy("held").agg(number.alias(COUNT)).agg(F.min(COUNT).alias("least"), F.count(F.lit(1)).alias("sets")).first()
    least, what = found["least"] or 0, "people" if person else "transactions"
    if found["sets"] and least < expected.k:
        raise broken(f"{least} {what} hold one of the sets of up to {expected.m} published items, and k is {expected.k}")
    name = "k^m-anonymity of people" if person else "k^m-anonymity"
    return {"name": name, "asked": {"k": expected.k, "m": expected.m}, "found": least, "sets": found["sets"], "holds": True}


class _Splitter:
    """For ``mapInArrow``: a cell as a reader cuts it."""

    def __init__(self, separator: str):
        self.separator = separator

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
            lists = [[piece for piece in split(cell or "", self.separator) if piece] for cell in columns[ITEMS].to_pylist()]
            yield pa.RecordBatch.from_pydict({**columns, ITEMS: pa.array(lists, pa.list_(pa.string()))})


class _Coder:
    """For ``mapInArrow``: a number for each text, by a broadcast. Numbers that do not ascend stay as they are, and are noticed; of an original, several items may have one."""

    def __init__(self, codes: Any, as_sets: bool = False):
        self.codes, self.as_sets = codes, as_sets

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        codes = self.codes.value
        for batch in batches:
            columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
            lists = [[codes.get(item, -1) for item in items] for items in columns[ITEMS].to_pylist()]
            lists = [sorted(set(items)) for items in lists] if self.as_sets else lists
            yield pa.RecordBatch.from_pydict({**columns, ITEMS: pa.array(lists, pa.list_(pa.int32()))})
