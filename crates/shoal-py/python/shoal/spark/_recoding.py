"""Which items are published as one, found on the driver for transactions that it cannot hold.

One recoding for all: an item has one image. A set of up to m published items that fewer than k transactions hold is *broken*. Merging two published items never breaks
a set that was not broken: what a set of merged items occurs in is what the sets before occurred in together. So it is enough to repair broken sets, and everything that
matters for a broken set are the transactions that hold it, which are fewer than k.

A round counts all sets by Spark's group-by, takes the broken ones with the rarest items, all transactions that hold one of them, and as many others as the driver holds beside,
chosen by their content. The kernel repairs the sets on these. Others can only add to their support, so what is repaired there is repaired everywhere. Then Spark counts
again. Where the driver can hold everything, that is the first and only round, and the result is that of one machine.
"""

from __future__ import annotations

import json
from typing import Any

from .. import _native
from ._errors import new_error
from ._itemsets import Counter, Selection, members_of_keys
from ._job import LEAST_CROWDS
from ._names import CONTENT, COUNT, ITEMS, KEY, PERSON

__all__ = ["Items", "find"]

#: Broken sets that one call of the kernel is asked to repair. 645,000 took it 16 seconds of one core on BMS-WebView-2.
SETS_AT_ONCE = 500_000
#: Of the transactions that the driver holds, the share that may hold broken sets. The others tell the kernel which sets are frequent. Of 0.1, 0.5 and 0.9 the last lost least on
#: BMS-WebView-2 with an eighth and with a 64th of the transactions at a time (docs/scale.md).
BROKEN_SHARE = 0.9
#: Rounds until whatever is broken still is published as one. Of those that were measured (docs/scale.md) the longest took 28, with a 64th of sparse baskets at a time; with an eighth
#: none took more than 4.
ROUNDS = 30


class Items:
    """The items of all transactions and what they are published as."""

    def __init__(self, occurrences: Any):
        import numpy as np

        self.occurrences = occurrences
        #: The group of each item. Groups are numbered by their least items.
        self.group = np.arange(len(occurrences))

    @property
    def groups(self) -> int:
        return int(self.group.max()) + 1

    def merge(self, together: list[list[int]]) -> None:
        """Puts groups together."""
        import numpy as np

        new = np.arange(self.groups)
        for groups in together:
            new[groups] = min(groups)
        merged = new[self.group]
        # Numbered again without gaps, so that numbers do not tell how they came about.
        _, self.group = np.unique(merged, return_inverse=True)

    def costs(self) -> Any:
        """What each group loses where its size is counted: how often its items occur times how many they are."""
        import numpy as np

        sizes = np.bincount(self.group, minlength=self.groups)
        return np.bincount(self.group, weights=self.occurrences, minlength=self.groups) * sizes


def find(encoded: Any, transactions: int, items: Items, k: int, m: int, most: int, algorithm: dict[str, Any]) -> dict[str, Any]:
    """Merges ``items`` until no set is broken, and says how that went. ``encoded`` has the items of each transaction as numbers, a hash of its content, and a number for its person,
    if people are counted; ``most`` is how many transactions the driver holds."""
    figures = {"rounds": 0, "largest": 0}
    most = max(most, LEAST_CROWDS * k)
    if transactions <= most:
        rows = encoded.drop(CONTENT).toArrow()
        figures.update(rounds=1, largest=rows.num_rows)
        items.merge(_kernel(rows, {"k": k, "m": m}, {}, algorithm, None))
        return figures
    while (broken := _Broken(encoded, items, k, m)).any:
        figures["rounds"] += 1
        with broken:
            if figures["rounds"] <= ROUNDS:
                rows, sets = broken.take(transactions, most)
                figures["largest"] = max(figures["largest"], rows.num_rows)
                # A broken set is broken on these rows as well, so that the kernel merges something.
                items.merge(_kernel(rows, {"k": k}, {"sets": sets}, algorithm, items.costs()))
            else:
                # All groups of broken sets as one, beside what is needed for k: no set is broken then. Never seen but where a test asks for it.
                items.merge([broken.all_groups()])
    return figures


class _Broken:
    """The broken sets of one round."""

    def __init__(self, encoded: Any, items: Items, k: int, m: int):
        import numpy as np
        from pyspark.sql import functions as F

        self.encoded, self.items, self.k, self.m = encoded, items, k, m
        self.people, self.base = PERSON in encoded.columns, items.groups + 1
        self._broadcasts = [encoded.sparkSession.sparkContext.broadcast(items.group)]
        held = encoded.select(ITEMS, PERSON) if self.people else encoded.select(ITEMS)
        schema = f"{KEY} bigint, {PERSON} bigint" if self.people else f"{KEY} bigint, {COUNT} bigint"
        sets = held.mapInArrow(Counter(self._broadcasts[0], self.base, m, self.people), schema)
        number = F.countDistinct(PERSON) if self.people else F.sum(COUNT)
        counted = sets.groupBy(KEY).agg(number.alias(COUNT))
        # Single ones say how rare each group is.
        self._counted = counted.where((F.col(COUNT) < k) | (F.col(KEY) < self.base)).persist()
        single = self._counted.where(F.col(KEY) < self.base).toArrow()
        self.support = np.zeros(items.groups, dtype=np.int64)
        self.support[single.column(KEY).to_numpy() - 1] = single.column(COUNT).to_numpy()
        self._sets = self._counted.where(F.col(COUNT) < k).select(KEY)
        self.any = not self._sets.isEmpty()
        if not self.any:
            self.__exit__()

    def __enter__(self) -> _Broken:
        return self

    def __exit__(self, *_: Any) -> None:
        self._counted.unpersist()
        for broadcast in self._broadcasts:
            broadcast.destroy()

    def all_groups(self) -> list[int]:
        """All groups of broken sets, and the one of the others that costs least, so that they are at least k together wherever k are there at all."""
        import numpy as np

        broken = self._sets.toArrow().column(KEY).to_numpy()
        found = {member for members in members_of_keys(broken, self.base) for member in members}
        if self.support[list(found)].max() < self.k:
            costs = self.items.costs()
            found.update([int(at) for at in np.argsort(costs, kind="stable") if self.support[at] >= self.k][:1])
        return sorted(found)

    def take(self, transactions: int, most: int) -> tuple[Any, list[list[int]]]:
        """The transactions for the kernel, and the sets that it repairs on them: those with the rarest groups first, as many as fit."""
        import numpy as np
        from pyspark.sql import functions as F

        # Equally rare ones by their numbers, which follow their items.
        rank_of = np.empty(len(self.support), dtype=np.int64)
        rank_of[np.argsort(self.support, kind="stable")] = np.arange(len(self.support))
        asked = self._rarest_sets(rank_of)
        ranks = _ranks(asked, rank_of, self.base)
        spark = self.encoded.sparkSession
        given = spark.sparkContext.broadcast((self.items.group, asked, ranks))
        self._broadcasts.append(given)
        ranked = self.encoded.select(ITEMS).mapInArrow(Selection(given, self.base, self.m), f"{KEY} bigint, {COUNT} bigint")
        holders = np.zeros(int(ranks.max()) + 2, dtype=np.int64)
        for row in ranked.groupBy(KEY).agg(F.sum(COUNT)).collect():
            holders[row[0]] = row[1]
        below = int(np.searchsorted(np.cumsum(holders[:-1]), max(BROKEN_SHARE * most, holders[ranks.min()]), side="right"))
        needed = int(holders[:below].sum())
        share = min(max(most - needed, 0) / max(transactions - needed, 1), 1.0)
        rows = self._rows(Selection(given, self.base, self.m, below, share, self.people))
        return rows, members_of_keys(asked[ranks < below], self.base)

    def _rarest_sets(self, rank_of: Any) -> Any:
        """The keys of the broken sets with the rarest groups, ascending: all of the first ranks, as many as the kernel is asked to repair at once."""
        import numpy as np

        ranked = self._sets.mapInArrow(_OfRanks(rank_of, self.base), f"{KEY} bigint, {COUNT} bigint")
        counts = np.zeros(len(rank_of), dtype=np.int64)
        for row in ranked.groupBy(KEY).sum(COUNT).collect():
            counts[row[0]] = row[1]
        first = int(np.flatnonzero(counts)[0])
        below = max(int(np.searchsorted(np.cumsum(counts), SETS_AT_ONCE, side="right")), first + 1)
        keys = self._sets.mapInArrow(_OfRanks(rank_of, self.base, below), f"{KEY} bigint").toArrow().column(KEY)
        return np.sort(keys.to_numpy())

    def _rows(self, selection: Selection) -> Any:
        """Transactions as the kernel reads them, no content more than k times (or of more than k people): k are enough for whatever they hold."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        if not self.people:
            taken = self.encoded.select(ITEMS, CONTENT).mapInArrow(selection, f"{ITEMS} array<int>")
            folded = taken.groupBy(ITEMS).agg(F.least(F.count(F.lit(1)), F.lit(self.k)).alias(COUNT))
            return folded.select(F.explode(F.array_repeat(ITEMS, F.col(COUNT).cast("int"))).alias(ITEMS)).toArrow()
        taken = self.encoded.mapInArrow(selection, f"{ITEMS} array<int>, {PERSON} bigint").distinct()
        number = F.row_number().over(Window.partitionBy(ITEMS).orderBy(PERSON))
        return taken.withColumn(COUNT, number).where(F.col(COUNT) <= self.k).drop(COUNT).toArrow()


def _ranks(keys: Any, rank_of: Any, base: int) -> Any:
    """The rank of the rarest group of each set."""
    import numpy as np

    ranks, rest = np.full(len(keys), len(rank_of), dtype=np.int64), keys.copy()
    while rest.any():
        digit = rest % base
        ranks = np.where(digit > 0, np.minimum(ranks, rank_of[digit - 1]), ranks)
        rest //= base
    return ranks


class _OfRanks:
    """For ``mapInArrow``: how many sets there are of each rank, or the sets of ranks below ``below``."""

    def __init__(self, rank_of: Any, base: int, below: int | None = None):
        self.rank_of, self.base, self.below = rank_of, base, below

    def __call__(self, batches: Any) -> Any:
        import numpy as np
        import pyarrow as pa

        for batch in batches:
            keys = batch.column(0).to_numpy()
            ranks = _ranks(keys, self.rank_of, self.base)
            if self.below is not None:
                yield pa.RecordBatch.from_pydict({KEY: keys[ranks < self.below]})
                continue
            found, counts = np.unique(ranks, return_counts=True)
            yield pa.RecordBatch.from_pydict({KEY: found, COUNT: counts.astype(np.int64)})


def _kernel(rows: Any, privacy: dict[str, Any], lists: dict[str, Any], algorithm: dict[str, Any], costs: Any) -> list[list[int]]:
    """The groups that the kernel publishes as one. Items are written as their numbers."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    items = rows.column(ITEMS).combine_chunks()
    flat = items.flatten().to_numpy()
    table = {"items": pa.ListArray.from_arrays(items.offsets, pc.cast(items.values, pa.string()))}
    keys: dict[str, Any] = {"version": 1, "data": {"shape": "transactions", "items": "items"}, "privacy": dict(privacy), "algorithm": algorithm}
    if PERSON in rows.column_names:
        table["person"] = pc.cast(rows.column(PERSON), pa.string())
        keys["data"]["person"], keys["columns"] = "person", {"person": {"role": "identifier"}}
    weights = {}
    if costs is not None:
        # The kernel takes what it sees for all occurrences, and a group for one item. Weights bring both back to the whole.
        present, seen = np.unique(flat, return_counts=True)
        scaled = costs[present] / seen
        scaled /= max(scaled.max(), 1e-300)
        weights = {"weights": {str(item): float(weight) for item, weight in zip(present, scaled)}}
        keys["utility"] = {"weights": "weights"}
    if "sets" in lists:
        keys["privacy"]["constraints"] = "sets"
        lists = {"sets": [[str(member) for member in members] for members in lists["sets"]]}
    given = {"text": _native.dict_to_toml(json.dumps(keys)), "folder": ".", "hierarchies": {}, "item_lists": lists, "weights": weights, "distributions": {}}
    try:
        released = _native.anonymize(pa.table(table), given, None, True, False)
    except MemoryError:
        raise new_error("the driver has not enough memory for these transactions", "fewer at once: part_records=…") from None
    recoding = json.loads(released.audit)["recoding"]
    return [[int(member) for member in group["members"]] for group in recoding["items"]]
