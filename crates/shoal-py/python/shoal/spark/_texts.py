"""The text of a value, as the kernel reads it from Arrow, and what that text means to a reader."""

from __future__ import annotations

import datetime
import decimal
from typing import Any, Sequence

from .. import _native

__all__ = ["folded", "is_missing", "kernel_text", "numbers_of", "same_text"]


def same_text(text: str | None, missing: Sequence[str] = (), kind: str = "text", format: str | None = None) -> str | None:
    """The value that a text stands for, as the kernel folds it: `HIV` and `hiv ` have one. None where it is missing."""
    return _native.fold([text], list(missing), kind, format)[0]


def kernel_text(value: Any, type: str = "double") -> str:
    """What the kernel reads a value as, which is not always what ``str`` writes: `true`, and fractions with the fewest digits that read back to the same number, never with an
    exponent (`5`, `10000000000000000`). ``type`` is Spark's or Arrow's name of the column's type: 0.1 as a `float` comes to Python with the digits of a double."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        import numpy as np

        if value != value:
            return "NaN"
        return np.format_float_positional(np.float32(value) if type == "float" else np.float64(value), unique=True, trim="-")
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def folded(column: Any, type: str, missing: list[str]) -> Any:
    """For Spark: the value of each record, folded by the kernel's own code. Null where there is none."""
    from pyspark.sql import functions as F

    return F.udf(_Fold(type, missing), "string")(column)


class _Fold:
    """It travels to the workers."""

    def __init__(self, type: str, missing: list[str]):
        self.type, self.missing = type, missing

    def __call__(self, value: Any) -> str | None:
        return None if value is None else same_text(kernel_text(value, self.type), self.missing)


def is_missing(column: Any, type: str, missing: list[str]) -> Any:
    """For Spark: whether a record has no value."""
    return folded(column, type, missing).isNull()


def numbers_of(tokens: list[str], type: str) -> list[float]:
    """The numbers of a column of this type that the kernel reads as one of these texts."""
    import numpy as np

    texts = [text for text in _native.fold(list(tokens)) if text is not None]
    places = [place for place in _native.positions(texts, "decimal") if place is not None]
    numbers = [float(np.float32(place)) if type == "float" else place for place in places]
    return [number for number in numbers if same_text(kernel_text(number, type)) in texts]
