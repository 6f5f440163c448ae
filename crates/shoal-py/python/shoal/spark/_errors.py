"""Errors with their parts as attributes, as those of the native module."""

from __future__ import annotations

from .._native import Error, PolicyError, PromiseError

__all__ = ["broken", "refuse", "refuse_policy"]


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
