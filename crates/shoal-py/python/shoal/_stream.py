"""Streams: tuples are pushed, and what may leave comes back."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any, AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping

from . import _native
from ._errors import made
from ._native import PolicyError
from ._policy import PolicyLike, policy_of
from ._tuples import json_line

__all__ = ["Stream"]


class Stream:
    """A stream that lives as long as this object. There is no journal: see ``shoal stream`` for one that survives its process.

    >>> import shoal
    >>> policy = (shoal.Policy("stream").data(person="who").identifier("who").quasi("age", kind="integer")
    ...     .sensitive("illness", domain=["asthma", "cold", "flu", "gout"]).privacy(l=2))
    >>> stream = shoal.Stream(policy)
    >>> [tuple] = stream.push({"who": "ann", "age": 34, "illness": "flu"})
    >>> "flu" in str(tuple) and "ann" not in str(tuple)
    True

    ``key`` is 32 secret bytes; without one a key is drawn (:attr:`key`). Whoever goes on under a used key gives ``used_for``, which
    :meth:`key_use` gave before: the same person then gets the same set again.
    """

    def __init__(self, policy: PolicyLike, *, key: bytes | None = None, used_for: str | None = None):
        self.policy = policy_of(policy)
        shape = self.policy._keys.get("data", {}).get("shape")
        if shape != "stream":
            raise made(PolicyError, f"the policy is about {shape}, not a stream", "use shoal.anonymize(data, policy), or Policy(\"stream\")", "data.shape")
        #: As secret as the data: whoever has it can undo what left.
        self.key = key if key is not None else secrets.token_bytes(32)
        if len(self.key) != 32:
            raise ValueError("a key has 32 bytes")
        self._is_csv = self.policy._keys.get("data", {}).get("format", "ndjson") == "csv"
        self._native = _native.NativeStream(self.policy._native(None), list(self.key), used_for)

    @property
    def promise(self) -> str:
        """What is promised."""
        return self._native.words()[0]

    @property
    def not_covered(self) -> list[str]:
        """What the promise does not cover."""
        return self._native.words()[1]

    @property
    def figures(self) -> dict[str, Any] | None:
        """What the kernel knows of itself; none before it has learned and after the end."""
        figures = self._native.figures()
        return None if figures is None else json.loads(figures)

    def key_use(self) -> str | None:
        """A text to be stored with the key, for the next stream under it."""
        return self._native.key_use()

    def push(self, tuple: Mapping[str, Any] | str, now: int | None = None) -> list[Any]:
        """Takes a tuple, a dict or a line, and gives what leaves now: dicts for dicts, lines for lines."""
        if not isinstance(tuple, str) and self._is_csv:
            raise TypeError('lines of this stream are CSV: push texts, or take data(format="ndjson") for dicts')
        line = tuple if isinstance(tuple, str) else json_line(tuple)
        return self._read(self._native.push(line, _now(now)), isinstance(tuple, str))

    def tick(self, now: int | None = None) -> list[Any]:
        """Gives those who have waited too long, where no tuple comes that would bring them along."""
        return self._read(self._native.tick(_now(now)), False)

    def finish(self) -> list[Any]:
        """Gives everybody who waits, and ends the stream."""
        return self._read(self._native.finish(), False)

    def through(self, tuples: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
        """All that leaves while these tuples are pushed, and then those who wait."""
        for tuple in tuples:
            yield from self.push(tuple)
        yield from self.finish()

    async def athrough(self, tuples: AsyncIterable[Mapping[str, Any]]) -> AsyncIterator[Any]:
        """The same for tuples that come one by one from elsewhere: ``async for tuple in stream.athrough(source)``."""
        async for tuple in tuples:
            for released in self.push(tuple):
                yield released
        for released in self.finish():
            yield released

    def _read(self, lines: list[str], as_lines: bool) -> list[Any]:
        return lines if as_lines or self._is_csv else [json.loads(line) for line in lines]


def _now(now: int | None) -> int:
    return int(time.monotonic() * 1000) if now is None else now
