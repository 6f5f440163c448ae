"""Errors with their parts as attributes, as those of the native module."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import Iterator

from .._errors import made as _made
from .._errors import new_error
from .._native import Error, PolicyError, PromiseError

__all__ = ["broken", "carried", "new_error", "new_policy_error", "of_workers"]

#: Between these, the text of a worker's exception has the parts of an error.
_FIRST, _LAST = "<shoal error>", "</shoal error>"


def new_policy_error(key: str, message: str, hint: str) -> Error:
    """An error to be raised: the policy asks for something that cannot be promised on a cluster."""
    return _made(PolicyError, message, hint, key)


def broken(message: str, hint: str | None = None) -> Error:
    """The promise cannot be kept, or is not kept."""
    return _made(PromiseError, f"{message}; nothing was released", hint)


def carried(error: Error) -> RuntimeError:
    """An error of the kernel on a worker, as a text that survives Spark. It ends up in the logs of the worker, on the web page of the application and in its event log, which
    others read than the data, so it has no value of them."""
    hint, message = error.hint, error.without_values
    if message is None:
        # Errors made in Python put values in quotes.
        message = re.sub("`.*`", "`…`", error.message, flags=re.DOTALL)
    elif message != error.message:
        # The hint of an error about the policy may list what the data have.
        hint = None if isinstance(error, PolicyError) else hint
        hint = "; ".join([*([hint] if hint else []), "values are not shown, because messages of workers are kept in logs: look for it in the column, or run shoal.check on a sample"])
    parts = {"kind": type(error).__name__, "message": message, "hint": hint, "key": error.key}
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
