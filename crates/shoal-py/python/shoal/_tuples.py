"""Tuples of a stream as lines of JSON. A value is the text there that a table would have: the same person is known by the same texts, whichever way the data come."""

from __future__ import annotations

import datetime
import json
from typing import Any, Mapping

__all__ = ["json_line"]


def json_line(tuple: Mapping[str, Any]) -> str:
    """A dict as a line. Values of a row of pandas or NumPy are taken for what they are, and what is missing there is missing here."""
    return json.dumps({str(key): _json_value(value) for key, value in tuple.items()}, ensure_ascii=False, default=str)


def _json_value(value: Any) -> Any:
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if type(value).__module__ == "numpy":
        # Of these two, `item` gives an integer where Python's own types are not exact enough.
        if type(value).__name__ == "datetime64":
            return _numpy_moment(value)
        if type(value).__name__ == "timedelta64":
            return None if value != value else _duration(int(value.astype("timedelta64[ns]").astype("int64")))
        if hasattr(value, "item"):
            value = value.item()
    if isinstance(value, datetime.datetime):
        return _moment(value)
    if isinstance(value, datetime.time):
        return _with_short_fraction(value.isoformat())
    if isinstance(value, datetime.timedelta):
        microseconds = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
        # Those of pandas have more digits.
        return _duration(microseconds * 1_000 + getattr(value, "nanoseconds", 0))
    # NaN is the only value that is not itself.
    return None if isinstance(value, float) and value != value else value


def _moment(value: datetime.datetime) -> str:
    if value.utcoffset() is None:
        return _with_short_fraction(value.isoformat())
    # The zone is how to show the instant; texts are of UTC.
    utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return _with_short_fraction(utc.isoformat()) + "Z"


def _numpy_moment(value: Any) -> str | None:
    import numpy as np

    if np.isnat(value):
        return None
    unit, _ = np.datetime_data(value.dtype)
    if unit in ("Y", "M", "W", "D"):
        return str(value.astype("datetime64[D]"))
    # Arrow knows units from seconds to nanoseconds.
    known = {"h": "s", "m": "s", "ps": "ns", "fs": "ns", "as": "ns"}
    return _with_short_fraction(str(value.astype(f"datetime64[{known.get(unit, unit)}]")))


def _with_short_fraction(text: str) -> str:
    """The text of a moment with none, three, six or nine digits of its second: as few as say it all."""
    whole, _, fraction = text.partition(".")
    while fraction.endswith("000"):
        fraction = fraction[:-3]
    return f"{whole}.{fraction}" if fraction else whole


def _duration(nanoseconds: int) -> str:
    """A duration as Arrow writes it: ``PT5400S``."""
    if nanoseconds == 0:
        return "P0D"
    seconds, rest = divmod(abs(nanoseconds), 1_000_000_000)
    fraction = f".{rest:09}".rstrip("0") if rest else ""
    return f"{'-' if nanoseconds < 0 else ''}PT{seconds}{fraction}S"
