"""What is promised about sensitive values (l-diversity, t-closeness, beta-likeness), computed with NumPy and with no code of the kernel's.

Crowds come as one list: ``ids`` and ``counts`` say how many records of a crowd have each value, ``starts`` where each crowd begins. A crowd's *use* of a condition is
at most 1 where it holds, and the greater the worse.
"""

from __future__ import annotations

import math
from typing import Any

from ._axes import position
from ._errors import broken, new_policy_error
from ._texts import kernel_text, same_text

__all__ = ["MISSING", "Condition", "Values", "conditions_of", "dealt"]

#: The number of those who have no value. An empty cell is nobody's secret: they are counted nowhere.
MISSING = -1

#: What a use may exceed 1 by, as in the kernel's verifier: quotients of whole numbers are not exact.
TOLERANCE = 1e-9
#: What stays free between a part's own bound and the one that follows from the whole.
SPARE = 1e-9


class Values:
    """The different values of a sensitive column, as the kernel folds them."""

    def __init__(self, column: str, spec: dict[str, Any], missing: list[str], raw: list[Any], leaves: dict[str, list[str]], type: str = "double"):
        """``type`` is Spark's name of the column's type."""
        self.column, self.kind, self.format, self.type = column, spec.get("kind", "text"), spec.get("format"), type
        self._leaves, self._height = leaves, 0
        self._missing = missing
        canonical = [self.canonical(value) for value in raw]
        ranks: dict[str, float] = {}
        for value, one in zip(canonical, raw):
            # Of several spellings one must have a place.
            if value is not None and not math.isfinite(ranks.get(value, math.nan)):
                ranks[value] = position(one, self.kind, self.format)
        self._refuse_unknown_places(ranks)
        # Numbers and dates ascending: the ranks of an ordered distance.
        order = sorted(ranks, key=lambda value: (ranks[value] if self.kind != "text" else 0.0, value))
        number_of: dict[str | None, int] = {None: MISSING, **{value: number for number, value in enumerate(order)}}
        #: The number of each raw value.
        self.ids = {value: number_of[one] for value, one in zip(raw, canonical)}
        self._not_a_number = next((number for value, number in self.ids.items() if value != value), None)
        self.count = len(order)
        #: A text for each value.
        self.texts = [""] * self.count
        for one, value in zip(raw, canonical):
            if value is not None:
                self.texts[number_of[value]] = kernel_text(one, type)

    def _refuse_unknown_places(self, ranks: dict[str, float]) -> None:
        """Without their places, numbers and dates would be in the order of their texts, and a distance would be verified that nobody asked for."""
        if self.kind == "text" or all(map(math.isfinite, ranks.values())):
            return
        what = "numbers" if self.kind != "date" else f"dates in the notation {self.format or '%Y-%m-%d'}"
        raise new_policy_error(f"columns.{self.column}.kind", f"`{self.column}` has values that are no {what}", "correct the values, the kind or the format, or name in data.missing what means \"no value\"")

    def id_of(self, value: Any) -> int:
        """The number of a value. NaN is not equal to itself, and so cannot be looked up."""
        number = self.ids.get(value) if value == value else self._not_a_number
        if number is None:
            # Without the value: this may be said on a worker, whose logs others read.
            raise broken(f"`{self.column}` has a value that it did not have before", "does the DataFrame give the same records every time? Write it to files first, and give those")
        return number

    def canonical(self, value: Any) -> str | None:
        """The same text for all that is the same value to its reader; nothing where there is none."""
        return None if value is None else same_text(kernel_text(value, self.type), self._missing, self.kind, self.format)

    def tree(self) -> tuple[list[tuple[int, list[int]]], int]:
        """The inner nodes of the hierarchy, each with its height and the values below it, and the height of the root."""
        nodes: dict[tuple[str, ...], tuple[int, set[int]]] = {}
        for leaf, path in self._leaves.items():
            places = {number for value, number in self.ids.items() if number != MISSING and kernel_text(value, self.type) == leaf}
            # A path that repeats a node does not become longer by it.
            distinct = [node for at, node in enumerate(path) if at == 0 or node != path[at - 1]]
            distinct = distinct[1:] if distinct and distinct[0] == leaf else distinct
            for at in range(len(distinct)):
                height, below = nodes.get(tuple(distinct[at:]), (0, set()))
                nodes[tuple(distinct[at:])] = (max(height, at + 1), below | places)
        root = tuple(next(iter(self._leaves.values()), ["*"])[-1:])
        unknown = set(range(self.count)) - set().union(*(below for _, below in nodes.values()), set())
        if root in nodes:
            nodes[root] = (nodes[root][0], nodes[root][1] | unknown)
        return [(height, sorted(below)) for height, below in nodes.values()], max((height for height, _ in nodes.values()), default=1)


class Condition:
    """One promise about one sensitive column."""

    def __init__(self, column: str, rule: str, **parameters: Any):
        self.column, self.rule, self.parameters = column, rule, parameters

    def __repr__(self) -> str:
        return f"{self.rule} of {self.column}"

    @property
    def compares(self) -> bool:
        """Whether a crowd is compared with everybody."""
        return self.rule in ("t-closeness", "beta-likeness")

    def allowed(self, everybody: Any) -> Any:
        """beta-likeness: the greatest share that a crowd may have of each value."""
        import numpy as np

        gain = np.full(len(everybody), float(self.parameters["beta"]))
        if self.parameters["kind"] == "enhanced":
            gain = np.minimum(gain, -np.log(np.maximum(everybody, 1e-300)))
        return everybody * (1 + gain)

    def use(self, values: Values, starts: Any, ids: Any, counts: Any, everybody: Any) -> Any:
        """How far each crowd goes. ``everybody`` has the share of each value in the whole."""
        import numpy as np

        counts = counts.astype(float)
        sizes = np.add.reduceat(counts, starts)
        crowd = np.repeat(np.arange(len(starts)), np.diff([*starts, len(ids)]))
        if self.rule == "distinct-l-diversity":
            return self.parameters["l"] / np.diff([*starts, len(ids)])
        if self.rule == "frequency-l-diversity":
            return self.parameters["l"] * np.maximum.reduceat(counts, starts) / sizes
        if self.rule == "entropy-l-diversity":
            entropy = np.log(sizes) - np.add.reduceat(counts * np.log(counts), starts) / sizes
            return self.parameters["l"] / np.exp(entropy)
        if self.rule == "recursive-l-diversity":
            return self._recursive(starts, counts, crowd)
        shares = counts / sizes[crowd]
        if self.rule == "beta-likeness":
            return np.maximum.reduceat(shares / self.allowed(everybody)[ids], starts)
        return self.distance(values, starts, ids, shares, crowd, everybody) / max(self.parameters["t"], 1e-300)

    def use_of_people(self, values: Values, starts: Any, ids: Any, counts: Any, members: Any, totals: Any, people: int) -> Any:
        """The same where people are counted, who can have several values: ``counts`` of the ``members`` of a crowd have each value, and ``totals`` of all ``people``."""
        import numpy as np

        members = np.asarray(members)
        if not self.compares:
            starts, counts = dealt(starts, counts, members)
            return self.use(values, starts, np.zeros(len(counts), dtype=np.int64), counts, None)
        crowd = np.repeat(np.arange(len(starts)), np.diff([*starts, len(ids)]))
        if self.rule == "beta-likeness":
            return np.maximum.reduceat(counts / members[crowd] / self.allowed(totals / people)[ids], starts)
        # Pairs of a person and a value are what records are otherwise; having more of them than everybody has is as bad as having others.
        pairs, of_all = np.add.reduceat(counts, starts).astype(float), totals.sum() / people
        moved = self.distance(values, starts, ids, counts / pairs[crowd], crowd, totals / totals.sum())
        return (moved * of_all + np.maximum(pairs / members - of_all, 0.0)) / max(self.parameters["t"], 1e-300)

    def _recursive(self, starts: Any, counts: Any, crowd: Any) -> Any:
        import numpy as np

        # Within each crowd the most frequent first.
        order = np.lexsort((-counts, crowd))
        sorted_counts = counts[order]
        place = np.arange(len(counts)) - np.asarray(starts)[crowd]
        rare = np.add.reduceat(np.where(place >= self.parameters["l"] - 1, sorted_counts, 0.0), starts)
        with np.errstate(divide="ignore"):
            used = np.maximum.reduceat(counts, starts) / (self.parameters["c"] * rare)
        # Here equal is not enough.
        return np.where(used >= 1 - TOLERANCE, np.maximum(used, 1 + 2 * TOLERANCE), used)

    def distance(self, values: Values, starts: Any, ids: Any, shares: Any, crowd: Any, everybody: Any) -> Any:
        """The earth mover's distance of each crowd's values from everybody's."""
        import numpy as np

        kind = self.parameters["distance"]
        if kind == "equal":
            return np.add.reduceat(np.maximum(shares - everybody[ids], 0.0), starts)
        result = np.empty(len(starts))
        dense = 4_000_000 // max(values.count, 1) + 1
        ends = np.append(starts[1:], len(ids))
        for first in range(0, len(starts), dense):
            last = min(first + dense, len(starts))
            of = slice(starts[first], ends[last - 1])
            surplus = np.zeros((last - first, values.count))
            surplus[crowd[of] - first, ids[of]] = shares[of]
            surplus -= everybody
            if kind == "ordered":
                moved = np.abs(np.cumsum(surplus, axis=1))[:, :-1].sum(axis=1)
                result[first:last] = moved / max(values.count - 1, 1)
            else:
                result[first:last] = _moved_in_tree(values, surplus)
        return result

    def needs_places(self) -> bool:
        """Whether values are further apart than others, so that it has to be known where each of them stands."""
        return self.rule == "t-closeness" and self.parameters["distance"] != "equal"

    def of_part(self, values: Values, ids: Any, counts: Any, everybody: Any, members: int | None = None, people: int | None = None) -> dict[str, Any]:
        """Where a part cannot be told who everybody is: what it has to promise, with itself as everybody, so that its crowds keep this condition with the whole as everybody. Keys of a policy's column.
        ``everybody`` are shares, of records. Where people are counted, it is how many ``people`` of all have each value, and the part has ``members``."""
        import numpy as np

        totals = everybody
        if people is not None:
            everybody = totals / people if self.rule == "beta-likeness" else totals / totals.sum()
        shares = counts / (members if members is not None and self.rule == "beta-likeness" else counts.sum())
        if self.rule == "beta-likeness":
            limit = self.allowed(everybody)[ids]
            if self.parameters["kind"] == "enhanced":
                # A value that may become no more frequent here than there asks for nothing.
                asking = shares * (1 - np.log(shares)) > limit
                gains = (limit / shares - 1)[asking]
            else:
                gains = limit / shares - 1
            beta = min(float(gains.min()) if len(gains) else math.inf, float(self.parameters["beta"]))
            return {"beta-likeness": {"beta": beta * (1 - SPARE), "kind": self.parameters["kind"]}}
        # The distance is a metric: to the part, and from the part to the whole.
        start = np.array([0])
        away = float(self.distance(values, start, ids, shares, np.zeros(len(ids), dtype=int), everybody)[0])
        t = float(self.parameters["t"]) - away
        if people is not None:
            # Everybody's number of values makes a distance larger, and what the part has more of them than everybody counts beside it.
            of_all, of_part = totals.sum() / people, counts.sum() / members
            t = (float(self.parameters["t"]) - of_all * away - max(of_part - of_all, 0.0)) / max(1.0, of_all / of_part)
        if self.parameters["distance"] == "ordered" and len(ids) > 1:
            # Ranks are counted among the values of the part: a step there may be several in the whole.
            widest = int(np.diff(np.sort(ids)).max())
            stretch = (values.count - 1) / (widest * (len(ids) - 1))
            # What people have more of is no distance, and does not become less.
            t *= stretch if people is None else min(stretch, 1.0)
        return {"t-closeness": {"t": min(max(t * (1 - SPARE), 0.0), 1.0), "distance": self.parameters["distance"]}}


def dealt(starts: Any, counts: Any, members: Any) -> tuple[Any, Any]:
    """Where a person can have several values: how many people have each, if each of them were looked at with one value only, so that a crowd is as little mixed as can
    be. The most frequent value takes all who have it, the next one those of the others who have it, and so on. Gives the new starts and counts."""
    import numpy as np

    lengths = np.diff([*starts, len(counts)])
    crowd = np.repeat(np.arange(len(starts)), lengths)
    counts = counts[np.lexsort((-counts, crowd))]
    up_to = np.cumsum(counts)
    before = up_to - counts - np.repeat(np.r_[0, up_to][starts], lengths)
    left = np.clip(np.asarray(members)[crowd] - before, 0, counts)
    kept = left > 0
    return np.r_[0, np.cumsum(np.bincount(crowd[kept], minlength=len(starts)))[:-1]].astype(np.int64), left[kept]


def _moved_in_tree(values: Values, surplus: Any) -> Any:
    import numpy as np

    nodes, height = values.tree()
    moved = np.zeros(len(surplus))
    by_size = sorted(nodes, key=lambda node: (len(node[1]), node[0]))
    done: list[tuple[set[int], Any]] = []
    for node_height, below in by_size:
        members = set(below)
        if not members:
            continue
        children = [child for child in done if child[0] <= members]
        covered = set().union(*(child[0] for child in children)) if children else set()
        flows = [child[1] for child in children] + [surplus[:, leaf] for leaf in sorted(members - covered)]
        done = [child for child in done if not child[0] <= members]
        over = sum(np.maximum(flow, 0.0) for flow in flows)
        under = sum(np.maximum(-flow, 0.0) for flow in flows)
        moved += node_height / height * np.minimum(over, under)
        done.append((members, surplus[:, sorted(members)].sum(axis=1)))
    # What no node holds together is as far apart as can be: a tree that lacks values or its root makes a condition stricter. With a whole tree nothing is left here.
    reached = set().union(*(members for members, _ in done), set())
    left = [flow for _, flow in done] + [surplus[:, leaf] for leaf in range(surplus.shape[1]) if leaf not in reached]
    return moved + sum((np.maximum(flow, 0.0) for flow in left), np.zeros(len(surplus)))


def conditions_of(full: dict[str, Any]) -> list[Condition]:
    """The conditions of a policy with all its defaults; a column's own are instead of those for all."""
    found = []
    for name, column in full.get("columns", {}).items():
        if column.get("role") != "sensitive":
            continue
        asked = {key: column.get(key, full["privacy"].get(key)) for key in ("l-diversity", "t-closeness", "beta-likeness")}
        if (diversity := asked["l-diversity"]) is not None:
            found.append(Condition(name, f"{diversity['kind']}-l-diversity", l=diversity["l"], c=diversity.get("c")))
        if (near := asked["t-closeness"]) is not None:
            near = near if isinstance(near, dict) else {"t": near}
            usual = "ordered" if column.get("kind", "text") != "text" else "hierarchical" if column.get("hierarchy") else "equal"
            found.append(Condition(name, "t-closeness", t=near["t"], distance=near.get("distance", usual)))
        if (like := asked["beta-likeness"]) is not None:
            like = like if isinstance(like, dict) else {"beta": like}
            found.append(Condition(name, "beta-likeness", beta=like["beta"], kind=like.get("kind", "enhanced")))
    return found
