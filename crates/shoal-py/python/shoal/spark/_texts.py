"""The text of a value, as the kernel reads it from Arrow, and what that text means to a reader."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

__all__ = ["BLANKS", "EDGES", "is_missing", "kernel_text", "look", "numbers_of"]

#: Blanks at the edges of a text: Unicode's White_Space, which is not quite what ``str.strip`` takes.
BLANKS = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
#: The same and characters that have no width: what the kernel leaves out at the edges where it asks which texts look alike.
EDGES = BLANKS + "\u200b\u200c\u200d\u2060\ufeff"
#: Spark reads more than these as numbers: `1d` and `1f`, as in Java.
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


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


def is_missing(column: Any, type: str, tokens: list[str]) -> Any:
    """For Spark: whether a value is null or one of the texts that mean "no value"."""
    from pyspark.sql import functions as F

    if type not in ("float", "double"):
        # Of whole numbers, truth values and days Spark's text is the kernel's.
        return column.isNull() | column.cast("string").isin(tokens)
    # Spark's text of a fraction is another one (`5.0`), so numbers are compared. To Spark -0 is 0.
    return column.isNull() | column.isin([F.lit(number).cast(type) for number in numbers_of(tokens, type)])


def numbers_of(tokens: list[str], type: str) -> list[float]:
    """The numbers of a column of this type that the kernel reads as one of these texts."""
    return [number for token in tokens if (number := _number(token, type)) is not None and kernel_text(number, type) == token]


def _number(text: str, type: str) -> float | None:
    import numpy as np

    try:
        return float(np.float32(text)) if type == "float" else float(text)
    except ValueError:
        return None


def look(column: Any, type: str, tokens: list[str]) -> Any:
    """For Spark: one text for all that look alike to somebody who reads quickly (`look` of the crate ``shoal-measure``, for what leaks): blanks around it, cases and zeros in front do not
    count. Null where there is no value."""
    from pyspark.sql import functions as F

    text = F.btrim(column.cast("string"), F.lit(BLANKS))
    is_number = type in ("tinyint", "smallint", "int", "bigint", "float", "double")
    number = column.cast("double") if is_number else F.when(text.rlike(_NUMBER), text.try_cast("double"))
    is_finite = number.isNotNull() & ~F.isnan(number) & (F.abs(number) < float("inf"))
    # -0 is 0.
    seen = F.when(is_finite, F.when(number == 0, 0.0).otherwise(number).cast("string")).otherwise(F.lower(text))
    return F.when(~is_missing(column, type, tokens), seen)
