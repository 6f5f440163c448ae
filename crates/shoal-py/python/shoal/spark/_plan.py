"""Which part of the data each record goes to: a tree of cuts, the same for every order of the input and on every machine."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from ._axes import Axis
from ._names import HASH, PART
from ._texts import kernel_text

__all__ = ["Plan"]

#: A cut between two nodes of a hierarchy is better than one nearer to the middle, as long as this share of the records is on either side.
LEAST_SIDE = 0.3
#: Where no column can be cut near the middle: the least side, in parts.
HALF = 0.5
#: A cell with this many times the wanted records is cut, so that cells have between 3/4 and 3/2 of them.
ENOUGH = 1.5


class _Node:
    """A cut, or a leaf of the tree."""

    def __init__(self) -> None:
        self.axis = 0
        #: Records up to this code go left.
        self.code: float = 0.0
        self.below: tuple[_Node, _Node] | None = None
        #: The number of the first of its cells, and how many there are: more than one where records are alike and only their hashes part them.
        self.cell, self.cells = 0, 1


class Plan:
    """Cells are what the cuts leave; a part is one cell, or several neighbours that could not keep the promise alone. It travels to the workers."""

    def __init__(self, axes: list[Axis], root: _Node, cells: int):
        self.axes, self._root = axes, root
        #: The part of each cell.
        self.part_of = list(range(cells))

    @property
    def parts(self) -> int:
        return self.part_of[-1] + 1

    @property
    def cells(self) -> int:
        return len(self.part_of)

    @classmethod
    def of_sample(cls, sample: Any, weights: Any, axes: list[Axis], size: float, least: float) -> Plan:
        """Cuts a sample at medians, the widest column first, until each cell has about ``size`` records. ``weights`` say how many records of the
        whole each one of the sample stands for; no cell is meant to have fewer than ``least``."""
        import numpy as np

        for axis in axes:
            if not axis.is_number and not axis.leaves:
                column = sample.column(axis.name)
                axis.texts = sorted({kernel_text(value, str(column.type)) for value in column.unique().to_pylist() if value is not None})
        codes = [axis.codes(sample.column(axis.name)) for axis in axes]
        counter = iter(range(1 << 40))
        root = _Node()
        # Not recursive: equal records make deep trees.
        waiting = [(root, np.arange(sample.num_rows))]
        while waiting:
            node, rows = waiting.pop()
            records = float(weights[rows].sum())
            cut = _best_cut(codes, weights, rows, axes, size, least) if records >= ENOUGH * size else None
            if cut is None:
                # What cannot be cut is alike in every column, but for a few. Whoever has the same quasi-identifiers is published alike in whatever part, so that any of
                # them can go together.
                node.cells = max(1, int(records // size))
                node.cell = next(counter)
                for _ in range(node.cells - 1):
                    next(counter)
                continue
            node.axis, node.code, left, right = cut
            node.below = (_Node(), _Node())
            # The left one is the next that is taken: cells are numbered from left to right, so that neighbours are near each other.
            waiting += [(node.below[1], right), (node.below[0], left)]
        plan = cls(axes, root, next(counter))
        plan._keep_texts()
        return plan

    def _keep_texts(self) -> None:
        """Workers need the texts that cuts compare with, and no others."""
        for at, axis in enumerate(self.axes):
            if axis.is_number or axis.leaves:
                continue
            cuts = [node for node in self._nodes() if node.below and node.axis == at]
            kept = sorted({axis.texts[int(node.code)] for node in cuts if node.code >= 0})
            for node in cuts:
                node.code = kept.index(axis.texts[int(node.code)]) if node.code >= 0 else node.code
            axis.texts = kept

    def _nodes(self) -> Iterator[_Node]:
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.below or ()

    def merge(self, sizes: list[int], may_stand: Callable[[list[int]], bool]) -> None:
        """Puts neighbouring cells together until every part may stand alone. ``may_stand`` is asked about lists of cells."""
        parts = [[cell] for cell in range(self.cells)]
        at = 0
        while at < len(parts):
            if len(parts) == 1 or may_stand(parts[at]):
                at += 1
                continue
            records = [sum(sizes[cell] for cell in part) for part in parts[max(at - 1, 0) : at + 2]]
            # The smaller neighbour, so that parts stay even; the left one has been found to stand, and is asked again.
            join_left = at > 0 and (at + 1 == len(parts) or records[0] <= records[-1])
            first = at - 1 if join_left else at
            parts[first : first + 2] = [parts[first] + parts[first + 1]]
            at = first
        self.part_of = [number for number, part in enumerate(parts) for _ in part]

    def parts_of(self, columns: Callable[[str], Any], hashes: Any) -> Any:
        """The part of each record, from its columns and the hash of its content."""
        import numpy as np

        codes = [axis.codes(columns(axis.name)) for axis in self.axes]
        cells = np.zeros(len(hashes), dtype=np.int64)
        waiting = [(self._root, np.arange(len(hashes)))]
        while waiting:
            node, rows = waiting.pop()
            if node.below is None:
                cells[rows] = node.cell + (hashes[rows] % node.cells if node.cells > 1 else 0)
                continue
            left = codes[node.axis][rows] <= node.code
            waiting += [(node.below[0], rows[left]), (node.below[1], rows[~left])]
        return np.array(self.part_of, dtype=np.int32)[cells]

    def assign(self, batches: Iterator[Any]) -> Iterator[Any]:
        """For ``mapInArrow``: the hash of each record is replaced by its part."""
        import pyarrow as pa

        for batch in batches:
            hashes = batch.column(batch.schema.get_field_index(HASH)).to_numpy()
            parts = self.parts_of(lambda name: batch.column(batch.schema.get_field_index(name)), hashes)
            names = [name for name in batch.schema.names if name != HASH]
            arrays = [batch.column(batch.schema.get_field_index(name)) for name in names]
            yield pa.RecordBatch.from_arrays([*arrays, pa.array(parts)], names=[*names, PART])


def _best_cut(codes: list[Any], weights: Any, rows: Any, axes: list[Axis], size: float, least: float) -> tuple[int, float, Any, Any] | None:
    """An axis, the greatest code on the left, and the rows on either side."""
    import numpy as np

    def extent(at: int) -> float:
        of_rows = codes[at][rows]
        known = of_rows[np.isfinite(of_rows)]
        if not len(known):
            return 0.0
        return axes[at].weight * axes[at].share(known.min(), known.max(), len(np.unique(known)))

    fallback = None
    # Equally wide axes in the order of the policy.
    for at in sorted(range(len(axes)), key=lambda at: -extent(at)):
        of_rows = codes[at][rows]
        values, place = np.unique(of_rows, return_inverse=True)
        if len(values) < 2:
            continue
        below = np.cumsum(np.bincount(place, weights=weights[rows]))
        total, below = below[-1], below[:-1]
        side = np.minimum(below, total - below)
        best = int(np.argmax(side))
        if axes[at].borders:
            wide = np.flatnonzero(side >= LEAST_SIDE * total)
            if len(wide):
                # Records of both sides share all nodes above the border, so the nearer it is to the root the less is torn apart.
                depth = [_shared_depth(axes[at].borders, values[i], values[i + 1]) for i in wide]
                best = int(wide[min(range(len(wide)), key=lambda i: (depth[i], -side[wide[i]]))])
        if side[best] >= HALF * size:
            left = of_rows <= values[best]
            return at, float(values[best]), rows[left], rows[~left]
        if side[best] >= least and (fallback is None or side[best] > fallback[0]):
            fallback = (side[best], at, float(values[best]))
    if fallback is None:
        return None
    # Most records are alike in every column: the others are cut off, until only those are left.
    _, at, code = fallback
    left = codes[at][rows] <= code
    return at, code, rows[left], rows[~left]


def _shared_depth(borders: list[int], left: float, right: float) -> int:
    """How deep below the root the path to both leaves goes."""
    if left < 0 or right < 0:
        return 0
    return min(borders[int(left) + 1 : int(right) + 1], default=0)
