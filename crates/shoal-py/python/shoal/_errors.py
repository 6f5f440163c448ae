"""Errors with their parts as attributes, as those of the native module."""

from __future__ import annotations

import importlib
from typing import Any

from ._native import Error

__all__ = ["made", "needed", "new_error"]


def made(kind: type[Error], message: str, hint: str | None, key: str | None = None, place: str | None = None) -> Error:
    """An error of this kind whose text has all its parts."""
    place = place or (f"policy key {key}" if key else None)
    parts = [message] + [f"  {name}: {part}" for name, part in (("place", place), ("hint", hint)) if part]
    error = kind("\n".join(parts))
    error.message, error.place, error.hint, error.key, error.without_values = message, place, hint, key, None
    return error


def new_error(message: str, hint: str, place: str | None = None) -> Error:
    """An error to be raised: something is wrong with the data or the machine."""
    return made(Error, message, hint, place=place)


def needed(module: str, what: str, how: str) -> Any:
    """A package that not everybody has; where it is missing, the error says what needs it and how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{what} needs {module.split('.')[0]}: {how}") from error
