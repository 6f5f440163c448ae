"""Sequences on Spark against somebody who knows up to L values of a person: (k,beta)^L and (k,C)^L.

Parts have different people. Whoever fits something known fits it by their own cells and the policy's hierarchies alone, so a crowd of the whole is the crowds of the parts
together: nobody, or at least k in every part where it is not empty; and a share of all lies between the shares in the parts. So what every part keeps with the shares of
*everybody who is published* (p of the whole), all of them keep together. ``_proof.py`` checks that on the written files.

Leaving out people and events changes p. So parts are made in rounds: the first time with p of the original, then, of the values that became
rarer, with a little less than what was published the time before. A greater p allows more, so a round is good when no value became rarer than its workers were told.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from ._conditions import MISSING, TOLERANCE
from ._errors import broken, new_policy_error, of_workers
from ._job import WRITTEN
from ._names import PART, PERSON, named
from ._plan import Plan
from ._proof import Proof
from ._sequences import SequencesJob, events_of, refuse_of_sequences
from ._texts import kernel_text, same_text

__all__ = ["KnowledgeJob", "Limit"]

#: How often parts are made at most; after how many rounds a value that still becomes rarer than was told is not published any more; and by how much less than what was
#: published the workers are told after the first round, each time twice as much.
ROUNDS, PATIENCE, SLACK = 10, 4, 0.02
#: Shares are told as parts of this.
WHOLE = 1 << 31
#: A value that a crowd of so many times k may not have even once is left out of small crowds anyway, so that parts are not joined for it (``MOST_CROWDS`` of the kernel).
MOST_CROWDS = 4

PAPER = 'support = "paper" counts only people whose published values lie at or below what somebody knows; whoever is published more coarsely is in no crowd and can be picked out'


class Limit:
    """What a crowd may give away about a sensitive column."""

    def __init__(self, column: str, beta: float | None, c: float | None, listed: list[str], raw: list[Any], type: str, missing: Sequence[str] = ()):
        """``listed`` are the sensitive values, or none for all, ``raw`` the different values of the column and ``type`` Spark's name of its type."""
        self.column, self.beta, self.c = column, beta, c
        texts = {value: "" if value is None else kernel_text(value, type) for value in raw}
        keys = {value: None if value is None else same_text(text, missing) for value, text in texts.items()}
        order = {key: number for number, key in enumerate(sorted({key for key in keys.values() if key is not None}))}
        #: The number of each raw value. An event without one has no secret.
        self.ids = {value: MISSING if key is None else order[key] for value, key in keys.items()}
        #: A text for each number.
        self.texts = [""] * len(order)
        for value in sorted(keys, key=lambda value: (value is not None, texts[value])):
            if self.ids[value] != MISSING:
                self.texts[self.ids[value]] = texts[value]
        wanted = {same_text(value) for value in listed}
        #: Whether anything is promised about each value.
        self.watched = [not wanted or key in wanted for key in order]
        self.lacking = [value for value in listed if same_text(value) not in order]
        #: The listed values as the kernel reads them in the data: the policy may say `hiv` where they have `HIV` and `Hiv `.
        self.listed = sorted({texts[value] for value in raw if keys[value] in wanted})

    def allowed(self, share: float) -> float:
        """The greatest share of a crowd that may have a value whose share of everybody is this."""
        if self.beta is None:
            return float(self.c or 0)
        return (1 + min(self.beta, -math.log(share))) * share if share > 0 else 0.0


class KnowledgeJob(SequencesJob):
    """Histories of people, of whom somebody knows a little."""

    def __init__(self, frame: Any, policy: Any, output: str, overwrite: bool):
        super().__init__(frame, policy, output, overwrite)
        self.limits = self._limits()
        self.is_paper = self.full["privacy"].get("support") == "paper"

    @staticmethod
    def refuse(keys: dict[str, Any]) -> None:
        refuse_of_sequences(keys, {"k", "preset", "c", "beta", "length", "support", "sensitive-values"}, ("fcla", "fcla-base1"))

    def _confidences(self) -> list[Any]:
        # Those are about whole sequences.
        return []

    def _limits(self) -> list[Limit]:
        found, privacy = [], self.full["privacy"]
        for name, spec in self.full["columns"].items():
            beta, c = privacy.get("beta"), spec.get("c", privacy.get("c"))
            if spec.get("role") != "sensitive" or beta is None and c is None:
                continue
            listed = spec.get("sensitive-values") or privacy.get("sensitive-values") or []
            limit = Limit(name, beta, None if beta is not None else c, listed, self.domain(name), self.type_of(name), self.missing)
            if limit.lacking:
                raise new_policy_error("privacy.sensitive-values", f"`{limit.lacking[0]}` is not a value of column `{name}`", "correct it, or remove it")
            found.append(limit)
        return found

    def having(self, events: Any, person: Any, limit: Limit, *by: str) -> Any:
        """How many people have each value, by its number, and by other columns."""
        from pyspark.sql import functions as F

        type = events.schema[limit.column].dataType.simpleString()
        numbers = self.spark.createDataFrame(list(limit.ids.items()), f"__shoal_value__ {type}, __shoal_id__ int")
        joined = events.join(F.broadcast(numbers), named(limit.column).eqNullSafe(F.col("__shoal_value__")), "left")
        return joined.groupBy(*by, "__shoal_id__").agg(F.countDistinct(person).alias("n")).collect()

    def counts(self, events: Any, person: Any) -> tuple[int, list[list[int]]]:
        """How many people there are, and for each limit how many of them have each value."""
        from pyspark.sql import functions as F

        counts = []
        for limit in self.limits:
            of_values = [0] * len(limit.texts)
            for row in self.having(events, person, limit):
                if row["__shoal_id__"] is None:
                    raise broken(f"`{limit.column}` has values that did not go in")
                if row["__shoal_id__"] != MISSING:
                    of_values[row["__shoal_id__"]] = row["n"]
            counts.append(of_values)
        return events.agg(F.countDistinct(person).alias("n")).first()["n"], counts

    def _room(self, plan: Plan, people: Any, having: list[list[int]]) -> Callable[[list[int], int], bool]:
        import numpy as np

        parted = self._parted_people(plan, people).select(PERSON, PART)
        events = self.frame.join(parted, named(self.id).eqNullSafe(named(PERSON)))
        tables, most = [], []
        for limit in self.limits:
            table = np.zeros((plan.cells, len(limit.texts)))
            for row in self.having(events, named(PERSON), limit, PART):
                if row["__shoal_id__"] != MISSING:
                    table[row[PART], row["__shoal_id__"]] = row["n"]
            shares = table.sum(axis=0) / self.people
            allowed = np.array([limit.allowed(share) for share in shares])
            watched = np.array(limit.watched)
            if (over := np.flatnonzero(watched & (shares > allowed * (1 + TOLERANCE)))).size:
                value = limit.texts[over[0]]
                raise broken(f"{shares[over[0]]:.6g} of all people have the value `{value}` of `{limit.column}`, more than c = {limit.c}", "ask for a greater c")
            if not self.is_paper:
                watched &= allowed * MOST_CROWDS * self.k >= 1
            tables.append(table)
            # With half of the room that everybody together leaves, as for tables.
            most.append(np.where(watched, (shares + allowed) / 2, 1.0))
        self.everybody = [[int(n) for n in table.sum(axis=0)] for table in tables]

        def leaves_room(cells: list[int], members: int) -> bool:
            return all((table[cells].sum(axis=0) <= of_value * members).all() for table, of_value in zip(tables, most))

        return leaves_room

    def released(self, plan: Plan, largest_part: int) -> Any:
        """In rounds, until the workers were told no more than what became of it."""
        from pyspark.sql import functions as F

        self.check_size(largest_part)
        if plan.parts == 1 or not self.limits:
            # The only part is everybody, and knows best.
            return self._run(plan, {})
        people, counts = self.people, self.everybody
        for number in range(ROUNDS):
            released = self._run(plan, self.distributions(counts, people))
            if all(limit.beta is None for limit in self.limits):
                return released
            with of_workers():
                now, published = self.counts(events_of(released), F.col(PERSON))
            if _is_enough(counts, people, published, now):
                self.part_figures["rounds"] = number + 1
                return released
            released.unpersist()
            told = [[_next(n / people, left / now, number) for n, left in zip(*of_limit)] for of_limit in zip(counts, published)]
            people, counts = WHOLE, [[int(one * WHOLE) for one in of_limit] for of_limit in told]
        hint = "larger parts (part_records=…), a greater beta, or shoal.anonymize on one machine"
        raise broken(f"what is left out changes how frequent values are, and after {ROUNDS} rounds the parts still do not agree about it", hint)

    def distributions(self, counts: list[list[int]], people: int) -> dict[str, Any]:
        """What workers are told of everybody."""
        return {limit.column: ({text: n for text, n in zip(limit.texts, of_values) if n}, people) for limit, of_values in zip(self.limits, counts) if any(of_values)}

    def worker_keys(self, kept: list[str | None]) -> dict[str, Any]:
        """The policy for workers, with the sensitive values in the data's own spelling: the kernel looks them up by their bytes."""
        keys = super().worker_keys(kept)
        for limit in self.limits:
            if limit.listed:
                keys["privacy"].pop("sensitive-values", None)
                keys["columns"][limit.column]["sensitive-values"] = limit.listed
        return keys

    def _keep_parts(self, part_of_person: Any) -> None:
        # Without _SUCCESS: it is no release.
        part_of_person.write.options(**WRITTEN).parquet(self.folder.beside)

    def verify(self, released: Any) -> dict[str, Any]:
        """Reads what was written. That every part keeps the promise with the shares of the whole is proved on the files, part by part."""
        from pyspark.sql import functions as F

        read, written = self.spark.read.parquet(self.folder.staged), self._written()
        self._check_given(released)
        self._check_written(written, released)
        people, counts = self.counts(read, named(self.id))
        if people > self.people:
            raise broken(f"{self.people} people went in and {people} came out")
        given = {**self.given, "distributions": self.distributions(counts, people)}
        proof = Proof(given, self.worker_keys([self.id, *self.order]), self.id)
        promise = proof.check(written, self.spark.read.parquet(self.folder.beside), people)
        classes = read.select(*map(named, self.quasi)).distinct().count()
        return self._found(written, people, classes, [promise])

    def _not_transparent(self) -> list[str]:
        said = [PAPER] if self.is_paper else []
        if self.limits:
            said.append("not transparent: clusters, who is left out, and which parts were joined, depend on sensitive values, and whoever knows the algorithm may learn from that")
        return said


def _next(told: float, left: float, number: int) -> float:
    """What workers are told of a value after they were told this share, and this one was left. What was enough stays: every change makes other crowds."""
    if left == 0 or (told > left and number >= PATIENCE):
        # Who has a value about which the parts do not come to agree is left out.
        return 0.0
    return told if told <= left else left * (1 - SLACK * 2**number)


def _is_enough(told: list[list[int]], of: int, published: list[list[int]], people: int) -> bool:
    """Whether every value that somebody still has is at least as frequent as was told. In whole numbers."""
    pairs = (pair for of_limit in zip(told, published) for pair in zip(*of_limit))
    return all(not left or n * people <= left * of for n, left in pairs)
