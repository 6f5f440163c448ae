"""Sets of published items as numbers, on the Arrow batches of workers. An item is a number from 0; a set of up to three is one whole number, so that Spark can group by it."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any, Iterator

from ._names import CONTENT, COUNT, ITEMS, KEY, PERSON

__all__ = ["Counter", "Selection", "keys_of", "least_ranks", "members_of_keys"]

#: Sets that a task holds before it hands on how often it met them.
HELD_SETS = 2_000_000


def images_of(batch: Any, image: Any) -> tuple[Any, Any]:
    """The rows and the images of the items of a batch, ascending by both and each once."""
    import numpy as np

    items = batch.column(batch.schema.get_field_index(ITEMS))
    lengths = items.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    rows = np.repeat(np.arange(batch.num_rows, dtype=np.int64), lengths)
    count = int(image.max()) + 1 if len(image) else 1
    both = np.unique(rows * count + image[items.flatten().to_numpy()])
    return both // count, both % count


def keys_of(rows: Any, images: Any, base: int, sizes: range) -> Iterator[tuple[Any, Any]]:
    """The row and the key of every set of these sizes. The digits of a key, to the base ``base``, are the items plus 1, ascending."""
    import numpy as np

    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.array([], dtype=np.int64)
    lengths = np.diff(np.r_[starts, len(rows)])
    for length in np.unique(lengths):
        of = starts[lengths == length]
        for size in sizes:
            if size > length:
                continue
            places = np.column_stack(np.triu_indices(length, 1)) if size == 2 else np.array(list(combinations(range(int(length)), size)))
            # Long transactions have many sets: not all rows at once.
            step = max(1, HELD_SETS // comb(int(length), size))
            for first in range(0, len(of), step):
                some = of[first : first + step]
                digits = images[some[:, None, None] + places[None, :, :]] + 1
                keys = np.zeros(digits.shape[:2], dtype=np.int64)
                for at in range(size):
                    keys = keys * base + digits[:, :, at]
                yield np.repeat(rows[some], keys.shape[1]), keys.ravel()


def members_of_keys(keys: Any, base: int) -> list[list[int]]:
    """The items of each key, ascending."""
    found = []
    for key in keys.tolist():
        members = []
        while key:
            key, digit = divmod(key, base)
            members.append(digit - 1)
        found.append(members[::-1])
    return found


class Counter:
    """For ``mapInArrow``: how often each set occurs in a task, or which people have it. ``image`` is a broadcast: what each item is published as."""

    def __init__(self, image: Any, base: int, m: int, people: bool):
        self.image, self.base, self.sizes, self.people = image, base, range(1, m + 1), people

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        image, held, waiting = self.image.value, [], 0

        def counted() -> Any:
            keys, counts = np.unique(np.concatenate(held), return_counts=True)
            return pa.RecordBatch.from_pydict({KEY: keys, COUNT: counts.astype(np.int64)})

        for batch in batches:
            rows, images = images_of(batch, image)
            person = batch.column(batch.schema.get_field_index(PERSON)).to_numpy() if self.people else None
            for of, keys in keys_of(rows, images, self.base, self.sizes):
                if person is not None:
                    yield pa.RecordBatch.from_pydict({KEY: keys, PERSON: person[of]})
                    continue
                held.append(keys)
                waiting += len(keys)
                if waiting >= HELD_SETS:
                    yield counted()
                    held, waiting = [], 0
        if held:
            yield counted()


def least_ranks(rows: Any, images: Any, number: int, base: int, m: int, asked: Any, ranks: Any) -> Any:
    """For each of ``number`` rows the least rank among the asked sets that it holds, and a number above all ranks where it holds none. ``asked`` are keys,
    ascending, ``ranks`` theirs."""
    import numpy as np

    above = int(ranks.max()) + 1 if len(ranks) else 0
    least = np.full(number, above, dtype=np.int64)
    for of, keys in keys_of(rows, images, base, range(1, m + 1)):
        places = np.minimum(np.searchsorted(asked, keys), len(asked) - 1)
        held = asked[places] == keys
        np.minimum.at(least, of[held], ranks[places[held]])
    return least


class Selection:
    """For ``mapInArrow``: either how many transactions have each least rank, or the transactions of ranks below ``below`` and a share of the others, chosen by content.
    ``given`` is a broadcast of images, asked sets and their ranks."""

    def __init__(self, given: Any, base: int, m: int, below: int | None = None, share: float = 0.0, people: bool = False):
        self.given, self.base, self.m, self.below, self.share, self.people = given, base, m, below, share, people

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        image, asked, ranks = self.given.value
        for batch in batches:
            rows, images = images_of(batch, image)
            least = least_ranks(rows, images, batch.num_rows, self.base, self.m, asked, ranks)
            if self.below is None:
                found, counts = np.unique(least, return_counts=True)
                yield pa.RecordBatch.from_pydict({KEY: found, COUNT: counts.astype(np.int64)})
                continue
            hashes = batch.column(batch.schema.get_field_index(CONTENT)).to_numpy().view(np.uint64)
            needed = least < self.below
            # 53 bits: as many as a floating-point number has.
            taken = np.flatnonzero(needed | ((hashes >> np.uint64(11)).astype(float) < self.share * (1 << 53)))
            ends = np.searchsorted(rows, np.arange(batch.num_rows + 1))
            pieces = [images[ends[row] : ends[row + 1]] for row in taken]
            offsets = np.cumsum([0, *map(len, pieces)])
            flat = np.concatenate(pieces) if pieces else np.array([], dtype=np.int64)
            columns = {ITEMS: pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat.astype(np.int32)))}
            if self.people:
                columns[PERSON] = batch.column(batch.schema.get_field_index(PERSON)).take(pa.array(taken))
            yield pa.RecordBatch.from_pydict(columns)
