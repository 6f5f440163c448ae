"""Errors with their parts as attributes, as those of the native module."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import Iterator

from .._native import Error, PolicyError, PromiseError

__all__ = ["broken", "carried", "of_workers", "refuse", "refuse_policy"]

#: Between these, the text of a worker's exception has the parts of an error.
_FIRST, _LAST = "<shoal error>", "</shoal error>"


def _made(kind: type[Error], message: str, hint: str | None, key: str | None = None) -> Error:
    place = f"policy key {key}" if key else None
    parts = [message] + [f"  {name}: {part}" for name, part in (("place", place), ("hint", hint)) if part]
    error = kind("\n".join(parts))
    error.message, error.place, error.hint, error.key = message, place, hint, key
    return error


def refuse(message: str, hint: str) -> Error:
    """Something is wrong with the data or the machine."""
    return _made(Error, message, hint)


def refuse_policy(key: str, message: str, hint: str) -> Error:
    """The policy asks for something that cannot be promised on a cluster."""
    return _made(PolicyError, message, hint, key)


def broken(message: str, hint: str | None = None) -> Error:
    """The promise cannot be kept, or is not kept."""
    return _made(PromiseError, f"{message}; nothing was released", hint)


def carried(error: Error) -> RuntimeError:
    """An error of the kernel on a worker, as a text that survives Spark."""
    parts = {"kind": type(error).__name__, "message": error.message, "hint": error.hint, "key": error.key}
    return RuntimeError(f"{_FIRST}{json.dumps(parts)}{_LAST}")


@contextmanager
def of_workers() -> Iterator[None]:
    """Errors of the kernel on a worker are raised here as if it were here."""
    try:
        yield
    except Exception as error:
        found = re.search(f"{_FIRST}(.*?){_LAST}", str(error))
        if found is None:
            raise
        parts = json.loads(found[1])
        kinds = {"PolicyError": PolicyError, "PromiseError": PromiseError}
        raise _made(kinds.get(parts["kind"], Error), f"in one part of the data: {parts['message']}", parts["hint"], parts["key"]) from None
