"""Tuples of a stream as lines of JSON. A value has the text there that a table would have: the same person is known by the same texts, whichever way the data come.
Of decimals a table has as many digits as its column; a stream sees one value at a time, and has the digits of the value. A ``float32`` has its few digits only as long as it
is NumPy's: where a loop over a column of pandas makes Python's floats of them, they have those of a ``float64``."""

from __future__ import annotations

import datetime
import decimal
import json
import math
import re
from typing import Any, Mapping

from ._errors import new_error

__all__ = ["float_text", "json_line", "nanoseconds"]


def json_line(tuple: Mapping[str, Any]) -> str:
    """A dict as a line. Values of a row of pandas or NumPy are taken for what they are, and what is missing there is missing here."""
    tokens = {str(key): _token(value, str(key)) for key, value in tuple.items()}
    return "{" + ", ".join(f"{_json(key)}: {token}" for key, token in tokens.items()) + "}"


def _token(value: Any, name: str) -> str:
    """A value as JSON. Numbers are written here, since JSON's writer writes floats in its own way."""
    if _is_float(value):
        text = float_text(value)
        # JSON has no infinity: it is a text, as in tables.
        return "null" if value != value else text if math.isfinite(value) else _json(text)
    if isinstance(value, bytes):
        try:
            return _json(value.decode())
        except UnicodeDecodeError:
            raise new_error("the bytes are not UTF-8", "push a text", f"column {name}") from None
    return _json(_json_value(value))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or (type(value).__module__ == "numpy" and type(value).__name__ in ("float16", "float32", "longdouble"))


def float_text(value: Any) -> str:
    """The text of a float as tables have it, which is how Rust writes it: the fewest digits that read back to the same number of the same size, never an exponent."""
    if type(value).__name__ in ("float16", "longdouble"):
        # Those are written as floats of a size that Rust knows.
        value = value.astype("float32" if type(value).__name__ == "float16" else "float64")
    if not math.isfinite(value):
        return "NaN" if value != value else "inf" if value > 0 else "-inf"
    return format(decimal.Decimal(str(value)), "f").removesuffix(".0")


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
    # Digits without an exponent.
    return format(value, "f") if isinstance(value, decimal.Decimal) else value


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


def nanoseconds(text: str) -> int | None:
    """The duration that such a text says, in nanoseconds; none where it is no such text."""
    if text == "P0D":
        return 0
    found = re.fullmatch(r"(-?)PT([0-9]+)(?:\.([0-9]{1,9}))?S", text)
    if found is None:
        return None
    sign, seconds, fraction = found.groups()
    size = int(seconds) * 1_000_000_000 + int((fraction or "").ljust(9, "0"))
    return -size if sign else size
