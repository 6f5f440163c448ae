"""What a release gives away although its promise holds: counted by Spark's group-by on the published files (what only the original shows, on the original), in the words of one
machine, whose meaning is that of ``shoal-measure/src/leaks`` and ``shoal-pipeline/src/leaks``."""

from __future__ import annotations

import math
from typing import Any

from ._names import COUNT, named
from ._texts import folded, is_missing

__all__ = ["KNOWN_ROWS", "guesses", "guesses_of_people", "in_classes", "left_out", "no_condition", "not_looked_at", "of_untouched", "repeated_identifiers"]

#: The share of records from which a column's values are called nearly unique.
NEARLY = 0.5
#: Free text: the mean number of words, the share of records with a text of their own, and how many records there must be to tell.
WORDS, DIFFERENT, LEAST_TEXTS = 4.0, 0.5, 10
#: The crowd of a record, the look of a value, and what stands there for no value and for somebody whatever they have. No text begins with these characters.
CROWD, LOOK = "__shoal_crowd__", "__shoal_look__"
NO_VALUE, SOMEBODY = "\0", "\1"
#: What it means that an attacker is said to know one row of a person.
KNOWN_ROWS = "an attacker is said to know one row of a person (data.known-rows): an attacker who knows several rows of a person may find the others, and what all of them say"


class Guesses:
    """How well a sensitive value can be guessed from a class."""

    def __init__(self, row: Any, overall: float):
        self.classes, self.best, self.overall = row["classes"], row["best"] or 0.0, overall
        #: Classes of which everybody has the same value, or more than half have, and those who are in them.
        self.certain = (row["certain"] or 0, row["in_certain"] or 0)
        self.likely = (row["likely"] or 0, row["in_likely"] or 0)


def guesses(records: Any, crowd: list[Any], seen: Any) -> Guesses:
    """Of records; ``seen`` are their values. Who has none has no secret to guess."""
    from pyspark.sql import functions as F

    return _guesses(records.select(F.struct(*crowd).alias(CROWD), F.coalesce(seen, F.lit(NO_VALUE)).alias(LOOK)))


def guesses_of_people(events: Any, person: Any, crowd: Any, seen: Any) -> Guesses:
    """Of people, who can have several values. ``crowd`` is an aggregate of a person's events."""
    from pyspark.sql import functions as F

    # A value that somebody has in several events counts once. Beside their values those who have one are there as somebody, so that crowds can be counted.
    values = F.collect_set(seen)
    values = F.array_append(values, F.when(F.size(values) > 0, SOMEBODY).otherwise(NO_VALUE))
    people = events.groupBy(person).agg(crowd.alias(CROWD), values.alias(LOOK))
    return _guesses(people.select(CROWD, F.explode(LOOK).alias(LOOK)))


def _guesses(pairs: Any) -> Guesses:
    from pyspark.sql import functions as F

    is_value, count = ~F.col(LOOK).isin(SOMEBODY, NO_VALUE), F.col(COUNT)
    of_values = pairs.groupBy(CROWD, LOOK).agg(F.count(F.lit(1)).alias(COUNT))
    size = F.coalesce(F.max(F.when(F.col(LOOK) == SOMEBODY, count)), F.sum(F.when(is_value, count)), F.lit(0))
    crowds = of_values.groupBy(CROWD).agg(size.alias("size"), F.max(F.when(is_value, count)).alias("most"))
    size, most = F.col("size"), F.col("most")
    # In whole numbers: a share of exactly one half must not depend on rounding.
    kinds = {"certain": most == size, "likely": 2 * most > size}
    figures = [F.count_if(kind).alias(name) for name, kind in kinds.items()]
    figures += [F.sum(F.when(kind, size)).alias(f"in_{name}") for name, kind in kinds.items()]
    row = crowds.agg(F.count(F.lit(1)).alias("classes"), F.max(F.try_divide(most, size)).alias("best"), F.sum(size).alias("members"), *figures).first()
    overall = pairs.where(is_value).groupBy(LOOK).agg(F.count(F.lit(1)).alias(COUNT)).agg(F.max(COUNT)).first()[0] or 0
    return Guesses(row, overall / row["members"] if row["members"] else 0.0)


def in_classes(column: str, found: Guesses, who: str) -> list[str]:
    """What the classes of a file say about a sensitive column, the worst first. ``who`` are the records or people that they consist of."""
    leaks = []
    if found.certain[0]:
        leaks.append(f"in {found.certain[0]} of {found.classes} classes ({found.certain[1]} {who}) everybody has the same `{column}`: whoever knows somebody's class knows it for certain")
    if found.best:
        leaks.append(
            f"whoever knows somebody's class guesses `{column}` right with up to {_percent(found.best)} % (with {_percent(found.overall)} % without it); in {found.likely[0]} of "
            f"{found.classes} classes ({found.likely[1]} {who}) with more than half"
        )
    return leaks


def _percent(share: float) -> int:
    # As Rust rounds: halves away from zero.
    return math.floor(share * 100 + 0.5)


def no_condition(column: str) -> str:
    """What ``shoal check`` says of a sensitive column about which nothing is promised; on Spark there is no check before a run."""
    return (
        f"nothing limits what a class gives away about `{column}`: all its members may have the same value, and k hides who they are, not what they have; l-diversity, t-closeness or "
        "beta-likeness do"
    )


def of_untouched(published: Any, columns: dict[str, str], insensitive: list[str], missing: list[str], records: int) -> list[str]:
    """What ``columns`` (with their types) give away that nobody touched: values that nobody else has, alone or together, and free text."""
    from pyspark.sql import functions as F

    figures = _figures_of_values(published, columns, missing) if columns else {}
    leaks, alone = [], False
    for at, name in enumerate(columns):
        # Of a file without rows there is nothing to say.
        if (row := figures.get(at)) is None:
            continue
        if _is_nearly_unique(row["unique"], records):
            alone = True
            leaks.append(
                f"{row['unique']} of {records} records have a value in `{name}` that no other record has: whoever knows it finds the record, whatever the crowd; make the column a "
                "quasi-identifier or leave it out if somebody could"
            )
        texts, words = row["texts"] or 0, row["words"] or 0
        if (row["with_text"] or 0) >= LEAST_TEXTS and texts >= DIFFERENT * row["with_text"] and words >= WORDS * texts:
            leaks.append(f"`{name}` reads like free text ({texts} different texts of {words / texts:.0f} words on average), which often names people, places and dates; it is published as it is")
    # Together they are unique as well where one column alone is; that has been said already.
    if not alone and len(insensitive) > 1:
        together = published.groupBy(*map(named, insensitive)).agg(F.count(F.lit(1)).alias(COUNT))
        unique = together.agg(F.count_if(F.col(COUNT) == 1)).first()[0]
        if _is_nearly_unique(unique, records):
            names = ", ".join(f"`{name}`" for name in insensitive)
            leaks.append(
                f"{unique} of {records} records have values in {names} together that no other record has: whoever knows them finds the record; make them quasi-identifiers if somebody could"
            )
    return leaks


def _is_nearly_unique(unique: int, records: int) -> bool:
    # A table of one record is always unique; that says nothing.
    return records > 1 and unique > NEARLY * records


def _figures_of_values(published: Any, columns: dict[str, str], missing: list[str]) -> dict[int, Any]:
    """By the column's number: records whose value nobody else has (values that look alike are one), different texts, their words, and records that have one."""
    from pyspark.sql import functions as F

    cells = []
    for at, (name, type) in enumerate(columns.items()):
        seen = folded(named(name), type, missing)
        # Only texts can be sentences.
        text = F.when(seen.isNotNull(), named(name)) if type == "string" else F.lit(None).cast("string")
        cells.append(F.struct(F.lit(at).alias("at"), seen.alias(LOOK), text.alias("text")))
    # One pass for all columns.
    of_texts = published.select(F.explode(F.array(*cells)).alias("cell")).select("cell.*").groupBy("at", LOOK, "text").agg(F.count(F.lit(1)).alias(COUNT))
    words = F.size(F.filter(F.split("text", r"(?U)\s+"), lambda word: word != ""))
    with_text = F.sum(F.when(F.col("text").isNotNull(), F.col(COUNT)))
    of_looks = of_texts.groupBy("at", LOOK).agg(F.sum(COUNT).alias(COUNT), F.count("text").alias("texts"), F.sum(F.when(F.col("text").isNotNull(), words)).alias("words"), with_text.alias("with_text"))
    figures = of_looks.groupBy("at").agg(F.count_if(F.col(COUNT) == 1).alias("unique"), *[F.sum(name).alias(name) for name in ("texts", "words", "with_text")])
    return {row["at"]: row for row in figures.collect()}


def repeated_identifiers(frame: Any, names: list[str], missing: list[str], what: str, id: str | None = None) -> list[str]:
    """Where no column is named as the person, several records may be one person's, and the promise takes each for another. ``what`` are records or transactions; where these have
    several rows, ``id`` says which are whose."""
    from pyspark.sql import functions as F

    leaks = []
    for name in names:
        values = frame.select(named(name).alias("name")) if id is None else _value_of_each(frame, named(id), named(name))
        if values is None:
            continue
        type = frame.schema[name].dataType.simpleString()
        # What is missing names nobody.
        counted = values.groupBy("name").agg(F.count(F.lit(1)).alias(COUNT))
        is_shared = (F.col(COUNT) > 1) & ~is_missing(F.col("name"), type, missing)
        row = counted.agg(F.sum(COUNT).alias("all"), F.sum(F.when(is_shared, F.col(COUNT))).alias("shared")).first()
        if row["shared"]:
            leaks.append(
                f"{row['shared']} of {row['all']} {what} share their `{name}` with another {what[:-1]}. If it names people, a crowd of k {what} can be fewer people, even one. "
                f'Name it with  [data] person = "{name}"  and the promise counts people.'
            )
    return leaks


def _value_of_each(frame: Any, id: Any, value: Any) -> Any:
    """The value of each transaction, or None where one has two, so that they do not say whose it is."""
    from pyspark.sql import functions as F

    one = F.min(value).eqNullSafe(F.max(value)) & F.count(value).isin(0, F.count(F.lit(1)))
    of_each = frame.groupBy(id.alias("id")).agg(F.min(value).alias("name"), one.alias("one"))
    return of_each.select("name") if of_each.where(~F.col("one")).isEmpty() else None


def left_out(full: dict[str, Any], count: int, of: int, who: str, looks_at_values: bool) -> list[str]:
    """That somebody is missing tells something about them, above all where it was decided by sensitive values."""
    if count == 0:
        return []
    start = f"{count} of {of} {who} are left out"
    knows = "whoever knows that somebody was in the source and finds nothing that fits them"
    if looks_at_values:
        return [
            f"{start}, and who is left out may depend on their sensitive values, since the promise speaks of them: those who are not in the file have rare values more often than others. "
            f"W{knows[1:]} learns that; keep secret who was in the source, or ask for less, so that fewer are left out"
        ]
    if any(column.get("role") == "sensitive" and column.get("missing") == "suppress" for column in full["columns"].values()):
        return [f"{start}, some perhaps because a sensitive value is missing: {knows} learns that they may have none"]
    return [f"{start} because too few others are like them or a value is missing: {knows} knows that they are one of these"]


def not_looked_at(*others: str) -> str:
    """What one machine looks at and Spark does not."""
    what = [*others, "earlier releases of the same people", "how far the adversaries of `shoal attack` get"]
    return f"not looked at on Spark: {', '.join(what[:-1])}, and {what[-1]}; shoal.anonymize, shoal.check and shoal.attack do on one machine"
